"""Folders of images as tasks: pixels against Pillow's own, the split by counting, and each error by its cause."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from PIL import Image

from genexpy_nb.common.errors import DataError, ParameterError
from runs.grid import run_testbed
from runs.imagefolder import _read, image_folder

CLASSES = ("ant", "bee", "cat", "dog")


@pytest.fixture
def folder(tmp_path):
    """Ten images of each of four classes, each image of one colour that says which it is; both kinds of files."""
    for number, name in enumerate(CLASSES):
        (tmp_path / name).mkdir()
        for image in range(10):
            suffix = ("png", "JPG", "jpeg")[image % 3] if number else "png"
            Image.new("RGB", (20, 12), (60 * number, 10 * image, 77)).save(tmp_path / name / f"{image}.{suffix}")
    (tmp_path / "ant" / "notes.txt").write_text("no image")
    (tmp_path / ".thumbnails").mkdir()
    return tmp_path


def which(images):
    """The numbers of the images, from their colours."""
    return np.round(images[:, 0, 0, 1] * 255 / 10).astype(int)


def test_every_image_is_in_one_part_with_its_class(folder):
    task = image_folder(folder, 2, seed=3, side=6)
    assert task.name == folder.name and task.train_images.shape == (28, 6, 6, 3) and task.test_images.shape[0] == 12
    assert task.train_images.dtype == np.float32
    assert sorted((*task.seen, *task.unseen)) == list(CLASSES) and len(task.seen) == 2
    for number, name in enumerate(CLASSES):
        train, test = task.train_images[task.train_labels == name], task.test_images[task.test_labels == name]
        assert (len(train), len(test)) == (7, 3)
        assert sorted([*which(train), *which(test)]) == list(range(10))
        assert_allclose(np.concatenate([train, test])[..., 0], 60 * number / 255, atol=0.015)  # JPEG
    assert len(set(task.train_labels[:10])) > 1  # not class after class


def test_a_seed_decides_and_seeds_differ(folder):
    one, same, other = (image_folder(folder, 2, seed=seed, side=4) for seed in (1, 1, 2))
    for name in ("train_images", "train_labels", "test_images", "test_labels"):
        assert_array_equal(getattr(one, name), getattr(same, name))
    assert (one.seen, one.unseen) == (same.seen, same.unseen)
    assert {image_folder(folder, 2, seed=seed, side=4).seen for seed in range(9)} > {one.seen}
    assert not np.array_equal(one.test_images, other.test_images)
    named = image_folder(folder, ("dog", "ant"), seed=1, side=4)
    assert named.seen == ("dog", "ant") and set(named.unseen) == {"bee", "cat"}
    assert_array_equal(named.test_images, one.test_images)  # which are seen is no matter of the split


def test_some_images_of_each_class(folder):
    task = image_folder(folder, 2, side=4, n_per_class=4, test_share=0.5)
    assert len(task.train_images) == len(task.test_images) == 2 * len(CLASSES)
    assert len(image_folder(folder, 2, side=4, n_per_class=2, test_share=0.01).test_images) == len(CLASSES)
    assert len(image_folder(folder, 2, side=4, n_per_class=2, test_share=0.99).train_images) == len(CLASSES)


def test_pixels_are_those_of_pillow(tmp_path):
    rng = np.random.default_rng(0)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        for number in (0, 1):
            Image.new("L", (9, 9), 50).save(tmp_path / name / f"{number}.png")
    pixels = rng.integers(0, 256, (8, 10, 4), np.uint8)
    transparent, wide = Image.fromarray(pixels), Image.fromarray(pixels[..., 0].astype(np.uint16) * 257)
    turned, exif = Image.fromarray(pixels[..., :3]), Image.Exif()
    exif[0x0112] = 6  # to be turned by 90 degrees
    for image, options, expected in (
        (transparent, {}, pixels[..., :3]),
        (wide, {}, np.repeat(pixels[..., :1], 3, 2)),
        (turned, {"exif": exif}, np.rot90(pixels[..., :3], -1)),
    ):
        image.save(tmp_path / "a" / "1.png", **options)
        both = image_folder(tmp_path, 2, side=5)
        found = np.concatenate([both.train_images, both.test_images])
        resized = Image.fromarray(np.ascontiguousarray(expected)).resize((5, 5), Image.Resampling.BILINEAR)
        assert min(np.abs(image - np.asarray(resized) / 255).max() for image in found) < 1e-6
    gray = image_folder(tmp_path, 2, side=5, gray=True)
    assert gray.train_images.shape == (2, 5, 5)
    assert_allclose(sorted(gray.train_images.mean((1, 2)))[0], 50 / 255, rtol=1e-6)


def test_images_keep_their_size_if_they_have_one(folder):
    assert image_folder(folder, 2, side=None).train_images.shape == (28, 12, 20, 3)
    Image.new("RGB", (20, 13)).save(folder / "cat" / "odd.png")
    with pytest.raises(DataError, match=r"one size, \S+ has 20x12 and .*odd\.png 20x13 pixels; side resizes them"):
        image_folder(folder, 2, side=None, seed=1)


def test_files_that_change_are_read_again(folder):
    before = image_folder(folder, 2, side=4)
    assert image_folder(folder, 2, side=4).train_images.sum() == before.train_images.sum()
    hits = _read.cache_info().hits
    assert hits > 0
    for file in (folder / "ant").glob("*.png"):
        Image.new("RGB", (30, 30), (255, 255, 255)).save(file)
    after = image_folder(folder, 2, side=4)
    assert (after.train_images[after.train_labels == "ant"] == 1).all() and _read.cache_info().hits == hits


def test_what_is_wrong_is_named(folder, tmp_path):
    with pytest.raises(DataError, match="nowhere must be a folder with a subfolder for each class, and is no folder"):
        image_folder(tmp_path / "nowhere", 2)
    with pytest.raises(DataError, match="subfolder for each class, at least two, and has 0"):
        image_folder(folder / "ant", 2)
    with pytest.raises(ParameterError, match="seen must be a number of classes or a list of their names, got 'ant'"):
        image_folder(folder, "ant")
    with pytest.raises(ParameterError, match="did you mean 'ant'"):
        image_folder(folder, ["and", "bee"])
    with pytest.raises(ParameterError, match="seen must be a whole number from 2 to 4, got 5"):
        image_folder(folder, 5)
    for share in (0, 1):
        with pytest.raises(ParameterError, match="test_share"):
            image_folder(folder, 2, test_share=share)
    with pytest.raises(DataError, match=r"ant must hold at least 11 images \(\.png, \.jpg, \.jpeg\), and has 10"):
        image_folder(folder, 2, n_per_class=11)
    (folder / "dog" / "torn.jpg").write_bytes((folder / "dog" / "2.jpeg").read_bytes()[:200])
    with pytest.raises(DataError, match=r"dog/torn\.jpg cannot be read as an image: "):
        image_folder(folder, 2)
    (folder / "empty").mkdir()
    with pytest.raises(DataError, match=r"empty must hold at least 2 images \(\.png, \.jpg, \.jpeg\), and has 0"):
        image_folder(folder, 2)


def test_the_testbed_takes_it(tmp_path):
    rng = np.random.default_rng(0)
    for number, name in enumerate(CLASSES):
        (tmp_path / "images" / name).mkdir(parents=True)
        for image in range(8):
            pixels = rng.integers(0, 60, (6, 6, 3)) + 60 * number
            Image.fromarray(pixels.astype(np.uint8)).save(tmp_path / "images" / name / f"{image}.png")

    class Means:
        size = 3

        def features(self, images):
            return images.mean((1, 2))

    class Family:
        name, members = "means", ("mean",)

        def pretrain(self, member, images, labels, seed):
            assert len(np.unique(labels)) == 2
            return Means()

    def task(seed):
        return image_folder(tmp_path / "images", 2, seed=seed, side=None)

    table = run_testbed(task, [Family()], [0, 1], [0, 2], [1.0], folder=tmp_path / "kept", progress=False)
    assert set(table["class"]) == set(CLASSES) and table["zero_shot"].unique().tolist() == [0, 0.5]
    assert table["error_rate"].mean() < 0.1  # the classes are as bright as they are
