"""A folder of images with a subfolder for each class, as a task of seen and unseen classes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from genexpy_nb.common.checks import check_choice, check_count, check_number
from genexpy_nb.common.errors import DataError, ParameterError
from genexpy_nb.tradeoff.images import ImageTask

_KINDS = (".png", ".jpg", ".jpeg")


def image_folder(
    path: str | os.PathLike,
    seen: int | Sequence[str],
    seed: int = 0,
    *,
    side: int | None = 32,
    gray: bool = False,
    n_per_class: int | None = None,
    test_share: float = 0.3,
) -> ImageTask:
    """Read PNG and JPEG files from class subfolders, and split them into training and test images.

    Parameters
    ----------
    path : path-like
        With one subfolder for each class, at least two; other files in them are left alone.
    seen : int or sequence of str
        How many classes models may be pretrained on, drawn by the seed; or their names.
    seed : int
        For the classes, the order of the unseen ones, the images that are chosen and the split.
    side : int or None
        Images are resized as a whole to squares of so many pixels; None: they must have one size, and keep it.
    gray : bool
        One channel instead of three.
    n_per_class : int, optional
        So many images of each class are drawn, at least 2; by default all are used.
    test_share : float
        Of the images of each class, in (0, 1); at least one image of each class is for training, and one for the test.

    Returns
    -------
    ImageTask
        Named after the folder; labels are the names of the subfolders. All images are held in memory.
    """
    folder = Path(path).expanduser()
    check_number("test_share", test_share, 0, 1)
    if side is not None:
        check_count("side", side)
    files = _files(folder, 2 if n_per_class is None else check_count("n_per_class", n_per_class, 2))
    rng = np.random.default_rng(seed)
    # What is drawn for one class does not depend on the others, nor on which of them are seen.
    for_classes, *for_images, for_order = rng.spawn(len(files) + 2)
    order = [str(name) for name in for_classes.permutation(list(files))]
    chosen = _seen(seen, order)
    train: list[tuple[str, Path]] = []
    test: list[tuple[str, Path]] = []
    for (name, of_class), draw in zip(files.items(), for_images, strict=True):
        drawn = draw.permutation(len(of_class))[:n_per_class]
        n_test = min(max(round(test_share * len(drawn)), 1), len(drawn) - 1)
        for part, numbers in ((test, drawn[:n_test]), (train, drawn[n_test:])):
            part += [(name, of_class[number]) for number in numbers]
    every = tuple(sorted({file for _, file in (*train, *test)}))
    read = dict(zip(every, _read(every, _stamps(every), side, gray), strict=True))

    def arrays(part: list[tuple[str, Path]]) -> tuple[np.ndarray, np.ndarray]:
        part = [part[number] for number in for_order.permutation(len(part))]
        return np.stack([read[file] for _, file in part]), np.array([name for name, _ in part])

    unseen = tuple(name for name in order if name not in chosen)
    return ImageTask(folder.resolve().name, *arrays(train), *arrays(test), chosen, unseen)


def _files(folder: Path, least: int) -> dict[str, list[Path]]:
    """Return the files of each class, both in alphabetical order."""
    if not folder.is_dir():
        raise DataError(f"{folder} must be a folder with a subfolder for each class, and is no folder")
    classes = sorted(sub for sub in folder.iterdir() if sub.is_dir() and not sub.name.startswith("."))
    if len(classes) < 2:
        raise DataError(f"{folder} must have a subfolder for each class, at least two, and has {len(classes)}")
    files = {
        sub.name: sorted(file for file in sub.iterdir() if file.suffix.lower() in _KINDS and file.is_file())
        for sub in classes
    }
    for name, of_class in files.items():
        if len(of_class) < least:
            raise DataError(
                f"{folder / name} must hold at least {least} images ({', '.join(_KINDS)}), and has {len(of_class)}"
            )
    return files


def _seen(seen: int | Sequence[str], order: list[str]) -> tuple[str, ...]:
    if isinstance(seen, str):
        raise ParameterError(f"seen must be a number of classes or a list of their names, got {seen!r}")
    if isinstance(seen, Sequence):
        for name in seen:
            check_choice("seen", name, sorted(order))
        return tuple(seen)
    return tuple(order[: check_count("seen", seen, 2, len(order))])


def _stamps(files: tuple[Path, ...]) -> tuple[tuple[int, int], ...]:
    return tuple((status.st_mtime_ns, status.st_size) for status in map(os.stat, files))


@lru_cache(maxsize=1)  # the testbed asks for the same images again, with other seeds and for every family
def _read(files: tuple[Path, ...], stamps: tuple, side: int | None, gray: bool) -> tuple[np.ndarray, ...]:
    from PIL import Image, ImageOps  # takes a while, and other tasks do not need it

    images: list[np.ndarray] = []
    for file in files:
        try:
            with Image.open(file) as opened:
                image = ImageOps.exif_transpose(opened)
                if image.mode.startswith("I"):  # 16 bits, which "L" would cut off and not scale
                    image = Image.fromarray((np.asarray(image, np.float64) / 257).round().astype(np.uint8))
                image = image.convert("L" if gray else "RGB")
        except Exception as error:  # a damaged file can raise anything
            raise DataError(f"{file} cannot be read as an image: {' '.join(str(error).split())}") from error
        if side is not None:
            image = image.resize((side, side), Image.Resampling.BILINEAR)
        pixels = np.asarray(image, np.float32) / 255
        if images and pixels.shape != images[0].shape:
            first, other = ("x".join(map(str, shape[1::-1])) for shape in (images[0].shape, pixels.shape))
            raise DataError(
                f"images must have one size, {files[0].name} has {first} and {file} {other} pixels; side resizes them"
            )
        pixels.flags.writeable = False
        images.append(pixels)
    return tuple(images)
