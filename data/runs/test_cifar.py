"""CIFAR from made-up files in its own formats: pixel by pixel, with all that can be wrong, and in the testbed."""

import io
import os
import pickle
import struct
import sys
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from made_up_cifar import NAMES, TEST, TRAIN, as_binary
from numpy.testing import assert_array_equal
from PIL import Image
from threadpoolctl import threadpool_limits

from genexpy_nb.common.errors import DataError, ParameterError
from genexpy_nb.tradeoff.images import ImageTask
from runs.cifar import N_UNSEEN_CIFAR, cifar10_task, cifar100_task, load_cifar10, load_cifar100, rotated_task
from runs.grid import run_family

SCRIPT = Path(__file__).resolve().parents[2] / "data" / "run_cifar100.py"


class Python2Pickler(pickle._Pickler):
    """Writes bytes and text as Python 2 wrote its strings: the distributed files are from there."""

    dispatch = dict(pickle._Pickler.dispatch)  # noqa: RUF012, that of pickle is one, too

    def save_string(self, value):
        value = value.encode() if isinstance(value, str) else value
        self.write(pickle.BINSTRING + struct.pack("<i", len(value)) + value)

    dispatch[bytes] = dispatch[str] = save_string


def python2(content) -> bytes:
    Python2Pickler(file := io.BytesIO(), 2).dump(content)
    return file.getvalue().replace(b"cnumpy._core.multiarray\n", b"cnumpy.core.multiarray\n")


PICKLERS = {
    "python 2": python2,
    "protocol 2": lambda content: pickle.dumps(content, 2),
    "protocol 4": lambda content: pickle.dumps(content, 4),
}


def as_pickles(folder: Path, dumps=python2, **changed) -> Path:
    folder.mkdir(exist_ok=True)
    for name, (pixels, labels) in (("train", TRAIN), ("test", TEST)):
        names = [b"a_%d.png" % i for i in range(len(labels))]
        content = {b"filenames": names, b"data": pixels, b"fine_labels": labels.tolist(), b"coarse_labels": [0]}
        (folder / name).write_bytes(dumps(content | changed.get(name, {})))
    meta = {b"fine_label_names": [name.encode() for name in NAMES], b"coarse_label_names": [b"thing"]}
    (folder / "meta").write_bytes(dumps(meta | changed.get("meta", {})))
    return folder


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Fits this small are many times slower where BLAS threads wait for each other."""
    with threadpool_limits(1):
        yield


@pytest.fixture
def pickles(tmp_path) -> Path:
    return as_pickles(tmp_path / "cifar-100-python")


@pytest.fixture
def binary(tmp_path) -> Path:
    return as_binary(tmp_path / "cifar-100-binary")


# ---------------------------------------------------------------- images


def same_as_made(data) -> None:
    for (pixels, labels), images, names in (
        (TRAIN, data.train_images, data.train_labels),
        (TEST, data.test_images, data.test_labels),
    ):
        assert images.dtype == np.float32 and images.shape == (len(labels), 32, 32, 3)
        assert names.tolist() == [NAMES[label] for label in labels]
        expected = np.empty_like(images)
        for row, column, channel in np.ndindex(32, 32, 3):
            expected[:, row, column, channel] = pixels[:, channel * 1024 + row * 32 + column]
        assert_array_equal(images, expected / np.float32(255))


@pytest.mark.parametrize("dumps", PICKLERS.values(), ids=PICKLERS)
def test_pickles_come_back_pixel_by_pixel(tmp_path, dumps):
    data = load_cifar100(as_pickles(tmp_path / "any name", dumps), None, None)
    same_as_made(data)
    assert data.classes == NAMES


def test_binary_comes_back_pixel_by_pixel(binary):
    same_as_made(load_cifar100(binary, None, None))


def test_all_bytes_are_exact(tmp_path):
    """k / 255 times 255 is k again, for each k."""
    pixels = np.arange(12 * 3072, dtype=np.int64).astype(np.uint8).reshape(12, 3072)
    labels = [0, 1, 2, 3, 4, 5] * 2
    as_pickles(tmp_path, train={b"data": np.asfortranarray(pixels), b"fine_labels": labels})
    images = load_cifar100(tmp_path, None, None).train_images
    assert_array_equal(np.moveaxis(images, -1, 1).reshape(12, -1) * 255, pixels)


@pytest.mark.parametrize("folder", ["cifar-100-python", "cifar-100-binary"])
def test_folder_or_the_one_it_is_in(tmp_path, folder):
    inside = (as_pickles if folder == "cifar-100-python" else as_binary)(tmp_path / folder)
    direct, above = load_cifar100(inside, 3, 2), load_cifar100(tmp_path, 3, 2)
    assert_array_equal(direct.train_images, above.train_images)


def test_both_formats_give_the_same_images(pickles, binary):
    one, other = load_cifar100(pickles, 4, 2, 7), load_cifar100(binary, 4, 2, 7)
    for name in ("train_images", "train_labels", "test_images", "test_labels", "classes"):
        assert_array_equal(getattr(one, name), getattr(other, name))


def test_as_many_images_of_each_class_as_wanted_in_the_order_of_the_file(pickles):
    whole, some = load_cifar100(pickles, None, None), load_cifar100(pickles, 4, 2, 3)
    assert np.unique(some.train_labels, return_counts=True)[1].tolist() == [4] * 6
    assert np.unique(some.test_labels, return_counts=True)[1].tolist() == [2] * 6
    where = [int(np.flatnonzero((whole.train_images == image).all((1, 2, 3)))[0]) for image in some.train_images]
    assert where == sorted(set(where))
    assert_array_equal(whole.train_labels[where], some.train_labels)
    assert not np.array_equal(some.train_images, load_cifar100(pickles, 4, 2, 4).train_images)
    assert_array_equal(some.train_images, load_cifar100(pickles, 4, 2, np.random.default_rng(3)).train_images)


# ---------------------------------------------------------------- what can be wrong


def test_missing_folder_archive_and_empty_folder(tmp_path):
    with pytest.raises(DataError, match=r"nowhere must be the folder cifar-100-python or .* is no folder$"):
        load_cifar100(tmp_path / "nowhere")
    (tmp_path / "cifar-100-python.tar.gz").touch()
    with pytest.raises(DataError, match=r"tar\.gz must be the folder .*unpack it"):
        load_cifar100(tmp_path / "cifar-100-python.tar.gz")
    with pytest.raises(DataError, match=r"cifar-100-binary \(fine_label_names.txt, train.bin, test.bin\).*none of"):
        load_cifar100(tmp_path)


@pytest.mark.parametrize("name", ["meta", "train", "test"])
def test_missing_pickle(pickles, name):
    (pickles / name).unlink()
    with pytest.raises(DataError, match=f"cifar-100-python has no {name}$"):
        load_cifar100(pickles.parent)


def test_missing_names_of_binary(binary):
    (binary / "fine_label_names.txt").unlink()
    with pytest.raises(DataError, match=r"has no fine_label_names\.txt$"):
        load_cifar100(binary)


@pytest.mark.parametrize("name", ["meta", "train", "test"])
@pytest.mark.parametrize("left", [0, 1, 50, -1])
def test_truncated_pickle(pickles, name, left):
    content = (pickles / name).read_bytes()
    (pickles / name).write_bytes(content[:left])
    with pytest.raises(DataError, match=f"{name} must be a pickle of CIFAR-100, and cannot be read"):
        load_cifar100(pickles, 1, 1)


@pytest.mark.parametrize("left", [0, 3073, 5 * 3074 + 1])
def test_truncated_binary(binary, left):
    (binary / "test.bin").write_bytes((binary / "test.bin").read_bytes()[:left])
    with pytest.raises(DataError, match=f"test.bin must have 3,074 bytes per image, got {left:,} bytes"):
        load_cifar100(binary, 1, 1)


class Mischief:
    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize("name", ["meta", "train", "test"])
@pytest.mark.parametrize("protocol", [0, 2, 4])
def test_pickle_cannot_run_anything(pickles, tmp_path, name, protocol):
    mark = tmp_path / "mark"
    for bad in (Mischief(os.mkdir, str(mark)), Mischief(exec, f"import os; os.mkdir({str(mark)!r})")):
        content = pickle.dumps({b"data": bad, b"fine_labels": [], b"fine_label_names": []}, protocol)
        pickle.loads(content)
        mark.rmdir()  # it would have worked
        (pickles / name).write_bytes(content)
        with pytest.raises(DataError, match=rf"{name} must be .*names (posix\.mkdir|nt\.mkdir|\w+\.exec), which"):
            load_cifar100(pickles, 1, 1)
        assert not mark.exists()


@pytest.mark.parametrize("function", [np.load, np.asarray, np.matrix, getattr])
def test_only_arrays_of_numpy_are_known(pickles, function):
    (pickles / "train").write_bytes(pickle.dumps({b"data": function}, 4))
    with pytest.raises(DataError, match=f"{function.__name__}, which has no place"):
        load_cifar100(pickles, 1, 1)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"meta": {b"fine_label_names": 3}}, "meta must hold the names of the classes, got 3"),
        ({"meta": {b"fine_label_names": [b"a", b"a"]}}, "meta must hold at least two names of classes, each once"),
        (
            {"train": {b"data": TRAIN[0].astype(float)}},
            r"train must hold 3,072 bytes per image.*got float64 \(72, 3072",
        ),
        ({"train": {b"data": TRAIN[0][:, :1024]}}, r"train must hold 3,072 bytes per image.*got uint8 \(72, 1024\)"),
        ({"train": {b"data": [1, 2]}}, "train must hold 3,072 bytes per image.*got list"),
        (
            {"test": {b"fine_labels": [0, 1]}},
            r"test must hold one number of a class per image, 30 integers, got .*\(2,",
        ),
        ({"test": {b"fine_labels": [0.5] * 30}}, "test must hold one number of a class per image.*got float64"),
        ({"test": {b"fine_labels": [[0]] * 29 + [[0, 1]]}}, "test must hold one number of .* different lengths"),
        (
            {"test": {b"fine_labels": [0] * 4 + [6] * 26}},
            r"test must hold numbers of classes in 0 \.\. 5.*image 4 has 6",
        ),
        ({"test": {b"fine_labels": [0] * 29 + [-1]}}, "image 29 has -1"),
        ({"test": {b"fine_labels": [0, 1, 2, 3, 4] * 6}}, "test must hold 1 images of every class.* has 0 of 'fox'"),
    ],
)
def test_wrong_content(tmp_path, changed, message):
    with pytest.raises(DataError, match=message):
        load_cifar100(as_pickles(tmp_path, **changed), None, None)


def test_pickle_without_the_keys(pickles):
    (pickles / "train").write_bytes((pickles / "meta").read_bytes())
    with pytest.raises(DataError, match=r"train must be a dictionary with the keys b'data', b'fine_labels', got \["):
        load_cifar100(pickles)
    (pickles / "train").write_bytes(pickle.dumps([1]))
    with pytest.raises(DataError, match=r"train must be a dictionary .* got list"):
        load_cifar100(pickles)


def test_fewer_images_than_wanted(binary):
    with pytest.raises(DataError, match=r"train\.bin must hold 13 images of every class, and has 12 of 'apple'"):
        load_cifar100(binary, 13, 5)
    with pytest.raises(DataError, match=r"test\.bin must hold 50 images"):
        load_cifar100(binary, 12)
    with pytest.raises(ParameterError, match="n_test must be a whole number of at least 1, got 0"):
        load_cifar100(binary, 12, 0)


# ---------------------------------------------------------------- the task


def test_levels_are_those_of_the_paper():
    assert [round(u / (50 + u), 3) for u in N_UNSEEN_CIFAR] == [0, 0.167, 0.286, 0.375, 0.444, 0.5]


def test_task(pickles):
    task = cifar100_task(pickles, 4, 3, 2, seed=5)
    assert len(task.seen) == 4 and {*task.seen, *task.unseen} == set(NAMES)
    assert task.train_images.shape == (18, 32, 32, 3) and task.test_images.shape == (12, 32, 32, 3)
    again, other = cifar100_task(pickles, 4, 3, 2, seed=5), cifar100_task(pickles, 4, 3, 2, seed=6)
    assert again.seen == task.seen != other.seen
    assert_array_equal(again.train_images, task.train_images)
    assert not np.array_equal(other.train_images, task.train_images)
    assert cifar100_task(pickles, 4, None, 1, seed=5).seen == task.seen  # whatever the number of images


@pytest.mark.parametrize("n_seen", [1, 7])
def test_task_with_too_few_or_many_seen(pickles, n_seen):
    with pytest.raises(ParameterError, match=f"n_seen must be a whole number from 2 to 6, got {n_seen}"):
        cifar100_task(pickles, n_seen, 3, 2)


def test_each_class_is_seen_as_often_as_the_others(binary):
    times = dict.fromkeys(NAMES, 0)
    for seed in range(100):
        for name in cifar100_task(binary, 3, 1, 1, seed).seen:
            times[name] += 1
    assert all(abs(count - 50) < 4 * np.sqrt(25) for count in times.values())  # four standard deviations


@dataclass(frozen=True)
class RandomFeatures:
    """Rectified random projections: what a network gives whose weights were never trained."""

    weights: np.ndarray

    @property
    def size(self) -> int:
        return self.weights.size

    def features(self, images):
        return np.maximum((images.reshape(len(images), -1) - 0.5) @ self.weights, 0)


@dataclass(frozen=True)
class Projections:
    name: str = "projections"
    members: tuple[str, ...] = ("8", "32", "128")

    def pretrain(self, member, images, labels, seed):
        assert images.shape[1:] == (32, 32, 3) and images.dtype == np.float32
        return RandomFeatures(np.random.default_rng(seed).standard_normal((3072, int(member)), np.float32))


class Faded:
    """Noise without the principal components of 3,072 pixels."""

    def fit(self, images):
        return self

    def degrade(self, images, ssim):
        return images if ssim == 1 else 0.5 + (images - 0.5) / 20


def test_testbed_from_folder_to_table(pickles):
    task = cifar100_task(pickles, 3, 12, 5, seed=1)
    table = run_family(task, Projections(), (0, 3), (0.6, 1.0), seed=1, noise=Faded())
    assert len(table) == 3 * 2 * (3 + 6)
    assert sorted(table["size"].unique()) == [3072 * 8, 3072 * 32, 3072 * 128]
    assert set(table["class"]) == set(NAMES) and (table["n"] == 5).all()
    assert set(table["zero_shot"]) == {0, 0.5}
    cells = table.groupby(["ssim", "size"])["error_rate"].mean()
    assert cells[1.0].iloc[-1] < 0.2  # of clean, well separated classes, 128 features know enough
    assert cells[0.6].mean() > cells[1.0].mean()


# ---------------------------------------------------------------- the script


def run_script(*arguments: object, path: Path = SCRIPT):
    spec = spec_from_file_location(path.stem, path)
    spec.loader.exec_module(script := module_from_spec(spec))
    return CliRunner().invoke(script.main, [str(argument) for argument in arguments])


def test_script_without_torch(pickles, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    small = ("--n-seen", 3, "--n-train", 4, "--n-test", 2, "--n-unseen", 3)
    result = run_script("--folder", pickles, *small, "--output", tmp_path / "table.parquet")
    assert result.exit_code == 1
    assert "Error: models of torch need torch, which cannot be imported here" in result.output
    assert "pip install torch torchvision" in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["cifar-100-python"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--folder", "nowhere", "--output", "table.parquet"], "nowhere must be the folder cifar-100-python"),
        (["--folder", "{pickles}", "--output", "table.parquet"], "train must hold 100 images of every class"),
        (["--folder", "{pickles}", "--output", "table.csv"], "must end with .parquet, got table.csv"),
        (["--output", "table.parquet"], "Missing option '--folder'"),
    ],
)
def test_script_says_what_is_wrong(pickles, options, message):
    result = run_script(*(option.format(pickles=pickles) for option in options))
    assert result.exit_code in (1, 2) and message in result.output


def test_script_counts_the_classes_first(pickles, tmp_path):
    small = ("--n-seen", 3, "--n-train", 4, "--n-test", 2)
    result = run_script("--folder", pickles, *small, "--output", tmp_path / "table.parquet")
    assert result.exit_code == 1 and "n_unseen must be a whole number from 0 to 3, got 10" in result.output


# ---------------------------------------------------------------- CIFAR-10


def as_batches(folder: Path, **changed) -> Path:
    """The folder as it is distributed; its five files for training hold a part of the images each."""
    folder.mkdir(exist_ok=True)
    parts = [(f"data_batch_{i + 1}", TRAIN[0][i::5], TRAIN[1][i::5]) for i in range(5)]
    for name, pixels, labels in (*parts, ("test_batch", *TEST)):
        content = {b"batch_label": b"", b"data": pixels, b"labels": labels.tolist(), b"filenames": []}
        (folder / name).write_bytes(python2(content | changed.get(name, {})))
    meta = {b"label_names": [name.encode() for name in NAMES], b"num_vis": 3072}
    (folder / "batches.meta").write_bytes(python2(meta | changed.get("meta", {})))
    return folder


def encoded(row: np.ndarray, **options) -> bytes:
    image = Image.fromarray(np.moveaxis(row.reshape(3, 32, 32), 0, -1))
    image.save(file := io.BytesIO(), **options)
    return file.getvalue()


def as_table(path: Path) -> Path:
    """Sorted by class, as the files of such tables are."""
    rows = [
        {"split": split, "label": NAMES[label], "jpeg": encoded(row, format="PNG")}
        for split, (pixels, labels) in (("train", TRAIN), ("test", TEST))
        for row, label in sorted(zip(pixels, labels, strict=True), key=lambda pair: pair[1])
    ]
    pd.DataFrame(rows).to_parquet(path)
    return path


def as_folders(folder: Path) -> Path:
    for split, (pixels, labels) in (("train", TRAIN), ("test", TEST)):
        for i, (row, label) in enumerate(zip(pixels, labels, strict=True)):
            place = folder / split / NAMES[label]
            place.mkdir(parents=True, exist_ok=True)
            (place / f"{i:04}.png").write_bytes(encoded(row, format="PNG"))
    return folder


SOURCES = {"batches": as_batches, "table": lambda path: as_table(path.with_suffix(".parquet")), "folders": as_folders}


def by_content(images, labels) -> list:
    return sorted((label, image.tobytes()) for image, label in zip(images, labels, strict=True))


@pytest.mark.parametrize("make", SOURCES.values(), ids=SOURCES)
def test_cifar10_comes_back_whole_from_each_form(tmp_path, make):
    data = load_cifar10(make(tmp_path / "images"), None, None)
    assert data.classes == NAMES
    for (pixels, labels), images, names in (
        (TRAIN, data.train_images, data.train_labels),
        (TEST, data.test_images, data.test_labels),
    ):
        assert images.dtype == np.float32 and images.flags.c_contiguous
        wanted = np.moveaxis(pixels.reshape(-1, 3, 32, 32), 1, -1) / np.float32(255)
        assert by_content(images, names) == by_content(wanted, np.array(NAMES)[labels])
        assert len(set(names[:8])) > 2  # shuffled, whatever the order of the files


def test_cifar10_in_the_folder_that_the_archive_makes(tmp_path):
    as_batches(tmp_path / "cifar-10-batches-py")
    assert len(load_cifar10(tmp_path, 3, 2).train_labels) == 18


def test_cifar10_task(tmp_path):
    table = as_table(tmp_path / "t.parquet")
    task = cifar10_task(table, 4, 3, 2, seed=5)
    assert (task.name, len(task.seen), len(task.unseen)) == ("CIFAR-10", 4, 2)
    assert (
        task.train_images.shape == (18, 32, 32, 3) and (np.unique(task.test_labels, return_counts=True)[1] == 2).all()
    )
    again, other = cifar10_task(table, 4, 3, 2, seed=5), cifar10_task(table, 4, 3, 2, seed=6)
    assert_array_equal(again.train_images, task.train_images)
    assert not np.array_equal(other.train_images, task.train_images)
    assert cifar10_task(table, 4, None, 1, seed=5).seen == task.seen == again.seen


def test_four_rotations_make_forty_classes():
    rng = np.random.default_rng(5)
    labels = np.repeat(list("abcdefghij"), 2)
    upright = ImageTask("made up", *(rng.random((20, 4, 4, 3)), labels) * 2, tuple("abcde"), tuple("fghij"))
    task = rotated_task(upright, 20, 1)
    assert len(task.seen) == len(task.unseen) == 20 and task.zero_shot(20) == 0.5
    assert pd.Series(task.train_labels).value_counts().tolist() == [2] * 40
    for image, label in zip(task.test_images, task.test_labels, strict=True):
        name, degrees = label.split()
        back = image
        for _ in range(int(degrees) // 90):  # a quarter to the right, pixel by pixel
            back = np.array([[back[3 - column, row] for column in range(4)] for row in range(4)])
        assert any(np.array_equal(back, known) for known in upright.test_images[labels == name])
    assert rotated_task(upright, 20, 1).seen == task.seen != rotated_task(upright, 20, 2).seen
    with pytest.raises(ParameterError, match="n_seen"):
        rotated_task(upright, 41)


def test_cifar10_that_is_not_there_or_not_whole(tmp_path):
    with pytest.raises(DataError, match=r"nowhere must be a parquet file .*; there is no such file or folder$"):
        load_cifar10(tmp_path / "nowhere")
    with pytest.raises(DataError, match=r"each with a folder of images per class$"):
        load_cifar10(tmp_path)
    (as_batches(tmp_path / "whole") / "data_batch_3").unlink()
    with pytest.raises(DataError, match=r"must be complete, and has no data_batch_3$"):
        load_cifar10(tmp_path / "whole")
    (as_batches(tmp_path / "bad") / "test_batch").write_bytes(b"no pickle")
    with pytest.raises(DataError, match="test_batch must be a pickle of CIFAR-10, and cannot be read"):
        load_cifar10(tmp_path / "bad")
    as_batches(tmp_path / "other", data_batch_2={b"labels": [9] * len(TRAIN[1][1::5])})
    with pytest.raises(DataError, match=r"data_batch_2 must hold numbers of classes in 0 \.\. 5"):
        load_cifar10(tmp_path / "other")
    with pytest.raises(DataError, match=r"must hold 13 images of every class, and has 12 of 'apple'"):
        load_cifar10(as_folders(tmp_path / "few"), 13)


def test_cifar10_images_that_cannot_be_used(tmp_path):
    folders = as_folders(tmp_path / "images")
    broken = sorted((folders / "train" / "bear").iterdir())[0]
    broken.write_bytes(b"no image")
    with pytest.raises(DataError, match=f"bear.{broken.name} must be an image, and cannot be read"):
        load_cifar10(folders, None, None)
    Image.new("RGB", (40, 32)).save(broken)
    with pytest.raises(DataError, match=r"must be 32 x 32 pixels large, got 40 x 32"):
        load_cifar10(folders, None, None)
    Image.new("L", (32, 32), 51).save(broken)  # a gray image has three equal channels
    assert (load_cifar10(folders, None, None).train_images == np.float32(0.2)).all(axis=(1, 2, 3)).sum() == 1


def test_cifar10_tables_that_are_none(tmp_path):
    path = tmp_path / "t.parquet"
    pd.DataFrame({"split": ["train"]}).to_parquet(path)
    with pytest.raises(DataError, match="must be a parquet file with the columns split, label and jpeg: "):
        load_cifar10(path)
    pd.DataFrame({"split": ["train", "val"], "label": ["a", "b"], "jpeg": [b"", b""]}).to_parquet(path)
    with pytest.raises(DataError, match=r"must have rows with split 'test', got \['train', 'val'\]"):
        load_cifar10(path)
    as_table(path)
    table = pd.read_parquet(path)
    table.loc[(table["split"] == "test").idxmax(), "jpeg"] = b"damaged"
    table.to_parquet(path)
    with pytest.raises(DataError, match=r"t\.parquet, test image 0 must be an image"):
        load_cifar10(path, 1, None)


def test_script_of_cifar10_without_torch(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    table = as_table(tmp_path / "t.parquet")
    result = run_script("--images", table, "--output", tmp_path, path=SCRIPT.with_name("run_cifar10.py"))
    assert result.exit_code == 1 and "Error: models of torch need torch, which cannot be imported here" in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["t.parquet"]
