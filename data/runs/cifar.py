"""The testbed on CIFAR-10 and CIFAR-100: images from files as distributed, a task of seen and unseen classes."""

from __future__ import annotations

import io
import os
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, NoReturn

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import check_count
from genexpy_nb.common.errors import DataError
from genexpy_nb.common.random import generator
from genexpy_nb.tradeoff.images import ImageTask

#: Numbers of classes that the models have not seen: with 50 seen ones, ZeroShot 0, .167, .286, .375, .444, .5 (paper).
N_UNSEEN_CIFAR = (0, 10, 20, 30, 40, 50)

_CHANNELS, _SIDE = 3, 32
_PIXELS = _CHANNELS * _SIDE**2


@dataclass(frozen=True, eq=False)
class CifarImages:
    """Images of CIFAR-10 or CIFAR-100, all or some of each class."""

    train_images: np.ndarray
    train_labels: np.ndarray
    test_images: np.ndarray
    test_labels: np.ndarray
    classes: tuple[str, ...]


def load_cifar100(
    folder: str | os.PathLike,
    n_train: int | None = 100,
    n_test: int | None = 50,
    rng: np.random.Generator | int = 0,
) -> CifarImages:
    """Read images of CIFAR-100 from the folder in which they are distributed."""
    rng = generator(rng)
    read, names_file, train_file, test_file = _find(Path(folder))
    classes = _checked_names(read(names_file), names_file)
    parts = []
    for file, parameter, wanted in ((train_file, "n_train", n_train), (test_file, "n_test", n_test)):
        pixels, numbers = _checked(read(file), len(classes), file)
        chosen = _choose(numbers, classes, None if wanted is None else check_count(parameter, wanted), rng, file)
        # Only what was chosen becomes float: all images together would be four times as large as the file.
        images = np.divide(_as_images(pixels[chosen]), 255, dtype=np.float32, order="C")
        parts.append((images, np.array(classes)[numbers[chosen]]))
    (train_images, train_labels), (test_images, test_labels) = parts
    return CifarImages(train_images, train_labels, test_images, test_labels, classes)


def cifar100_task(
    folder: str | os.PathLike,
    n_seen: int = 50,
    n_train: int | None = 100,
    n_test: int | None = 50,
    seed: int = 0,
) -> ImageTask:
    """Draw seen classes of CIFAR-100, and images of every class; the other classes are unseen."""
    return _task("CIFAR-100", load_cifar100, folder, n_seen, n_train, n_test, seed)


def load_cifar10(
    source: str | os.PathLike,
    n_train: int | None = 1000,
    n_test: int | None = 200,
    rng: np.random.Generator | int = 0,
) -> CifarImages:
    """Read images of CIFAR-10 from files that are there."""
    rng = generator(rng)
    classes, *both = _find_cifar10(Path(source))
    parts = []
    for part, parameter, wanted in zip(both, ("n_train", "n_test"), (n_train, n_test), strict=True):
        per_class = None if wanted is None else check_count(parameter, wanted)
        chosen = rng.permutation(_choose(part.numbers, classes, per_class, rng, part.path))
        images = np.divide(part.take(chosen), 255, dtype=np.float32, order="C")
        parts.append((images, np.array(classes)[part.numbers[chosen]]))
    (train_images, train_labels), (test_images, test_labels) = parts
    return CifarImages(train_images, train_labels, test_images, test_labels, classes)


def cifar10_task(
    source: str | os.PathLike,
    n_seen: int = 5,
    n_train: int | None = 1000,
    n_test: int | None = 200,
    seed: int = 0,
) -> ImageTask:
    """Draw seen classes of CIFAR-10, and images of every class; the other classes are unseen."""
    return _task("CIFAR-10", load_cifar10, source, n_seen, n_train, n_test, seed)


def rotated_task(task: ImageTask, n_seen: int = 20, seed: int = 0) -> ImageTask:
    """Make four classes of each: its images as they are, and turned to the left by 90, 180 and 270 degrees."""
    rng = np.random.default_rng(seed)
    arrays = []
    for images, labels in ((task.train_images, task.train_labels), (task.test_images, task.test_labels)):
        mixed = rng.permutation(4 * len(labels))  # the first ones, with which noise is calibrated, are of many classes
        arrays.append(np.concatenate([np.rot90(images, turns, (1, 2)) for turns in range(4)])[mixed])
        arrays.append(np.concatenate([np.char.add(labels, f" {90 * turns}") for turns in range(4)])[mixed])
    classes = rng.permutation(np.unique(arrays[1])).tolist()
    n_seen = check_count("n_seen", n_seen, 2, len(classes))
    return ImageTask(f"{task.name} in four rotations", *arrays, tuple(classes[:n_seen]), tuple(classes[n_seen:]))


def _task(
    name: str,
    load: Callable[..., CifarImages],
    source: str | os.PathLike,
    n_seen: int,
    n_train: int | None,
    n_test: int | None,
    seed: int,
) -> ImageTask:
    for_classes, for_images = np.random.default_rng(seed).spawn(2)  # which are seen is no matter of how many images
    data = load(source, n_train, n_test, for_images)
    n_seen = check_count("n_seen", n_seen, 2, len(data.classes))
    order = [data.classes[number] for number in for_classes.permutation(len(data.classes))]
    images = (data.train_images, data.train_labels, data.test_images, data.test_labels)
    return ImageTask(name, *images, tuple(order[:n_seen]), tuple(order[n_seen:]))


# --- files ------------------------------------------------------------------------------------------------------------


def _find(folder: Path) -> tuple[Callable[[Path], Any], Path, Path, Path]:
    """Return how to read, and where are, the names of the classes, the training images and the test images."""
    variants: dict[str, tuple[Callable[[Path], Any], tuple[str, str, str]]] = {
        "cifar-100-python": (_read_pickle, ("meta", "train", "test")),
        "cifar-100-binary": (_read_binary, ("fine_label_names.txt", "train.bin", "test.bin")),
    }
    if not folder.is_dir():
        unpack = ": unpack it, and give the folder that comes out" if folder.is_file() else ""
        raise DataError(f"{folder} must be the folder {' or '.join(variants)}, and is no folder{unpack}")
    incomplete = []
    for root, (read, names) in [(folder / sub, v) for sub in (".", *variants) for v in variants.values()]:
        missing = [name for name in names if not (root / name).is_file()]
        if not missing:
            return read, root / names[0], root / names[1], root / names[2]
        if len(missing) < len(names):
            incomplete.append(f"{root} has no {', '.join(missing)}")
    wanted = " or ".join(f"{name} ({', '.join(files)})" for name, (_, files) in variants.items())
    found = "; ".join(incomplete) or "there are none of their files"
    raise DataError(f"{folder} must be, or hold, one of the folders {wanted}, as they are distributed; {found}")


def _read_binary(path: Path) -> Any:
    if path.suffix == ".txt":
        return path.read_bytes().splitlines()
    row = 2 + _PIXELS  # number of the superclass, number of the class, pixels
    size = path.stat().st_size
    if not size or size % row:
        raise DataError(f"{path} must have {row:,} bytes per image, got {size:,} bytes: is it complete?")
    rows = np.fromfile(path, np.uint8).reshape(-1, row)
    return rows[:, 2:], rows[:, 1]


class _ArraysOnly(pickle.Unpickler):
    """Reads plain Python values and numpy arrays; nothing that a pickle names is imported or called."""

    _reconstruct: Any = np.empty(0).__reduce__()[0]
    known: ClassVar[dict[tuple[str, str], Any]] = {
        ("numpy.core.multiarray", "_reconstruct"): _reconstruct,
        ("numpy._core.multiarray", "_reconstruct"): _reconstruct,
        ("numpy", "ndarray"): np.ndarray,
        ("numpy", "dtype"): np.dtype,
        ("_codecs", "encode"): str.encode,  # protocols up to 2 write bytes as a call of this
    }

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in self.known:
            raise DataError(f"it names {module}.{name}, which has no place in CIFAR, and has not been run")
        return self.known[module, name]


def _read_pickle(path: Path) -> Any:
    return _unpickled(path, *([b"fine_label_names"] if path.name == "meta" else [b"data", b"fine_labels"]))


def _unpickled(path: Path, *keys: bytes) -> Any:
    """Return what a pickled dictionary holds under a key, or under several."""
    try:
        with path.open("rb") as file:
            content = _ArraysOnly(file, encoding="bytes").load()
    except Exception as error:  # a damaged pickle can raise anything
        which = "CIFAR-100" if path.name in ("meta", "train", "test") else "CIFAR-10"
        raise DataError(f"{path} must be a pickle of {which}, and cannot be read: {error}") from error
    if not isinstance(content, dict) or not all(key in content for key in keys):
        found = sorted(map(str, content)) if isinstance(content, dict) else type(content).__name__
        raise DataError(f"{path} must be a dictionary with the keys {', '.join(map(str, keys))}, got {found}")
    return content[keys[0]] if len(keys) == 1 else tuple(content[key] for key in keys)


# --- CIFAR-10, in three forms -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Part:
    """The images for training, or those for the test: the number of each one's class, and how to get some of them."""

    path: Path
    numbers: np.ndarray
    take: Callable[[np.ndarray], np.ndarray]  # positions -> uint8, shape (n, 32, 32, 3)


_BATCHES = tuple(f"data_batch_{number}" for number in range(1, 6))


def _find_cifar10(path: Path) -> tuple[tuple[str, ...], _Part, _Part]:
    """Return the names of the classes, and both parts."""
    if path.is_file() and path.suffix == ".parquet":
        return _from_table(path)
    for root in (path, path / "cifar-10-batches-py"):
        if (root / "batches.meta").is_file():
            return _from_batches(root)
    if (path / "train").is_dir() and (path / "test").is_dir():
        return _from_folders(path)
    raise DataError(
        f"{path} must be a parquet file with the columns split, label and jpeg; or be, or hold, the folder "
        f"cifar-10-batches-py as it is distributed; or a folder with train and test, each with a folder of images per "
        f"class{'' if path.exists() else '; there is no such file or folder'}"
    )


def _from_table(path: Path) -> tuple[tuple[str, ...], _Part, _Part]:
    try:
        table = pd.read_parquet(path, columns=["split", "label", "jpeg"])
    except Exception as error:  # a damaged file can raise anything
        raise DataError(f"{path} must be a parquet file with the columns split, label and jpeg: {error}") from error
    classes = _checked_names([str(name).encode() for name in sorted(table["label"].unique())], path)
    parts = []
    for split in ("train", "test"):
        rows = table[table["split"] == split]
        if rows.empty:
            raise DataError(f"{path} must have rows with split {split!r}, got {sorted(map(str, table.split.unique()))}")
        images = rows["jpeg"].to_numpy()
        names = [f"{path}, {split} image {position}" for position in range(len(rows))]
        numbers = np.searchsorted(classes, rows["label"].to_numpy(str))
        parts.append(_Part(path, numbers, _reader([io.BytesIO] * len(rows), images, names)))
    return classes, parts[0], parts[1]


def _from_batches(root: Path) -> tuple[tuple[str, ...], _Part, _Part]:
    missing = [name for name in (*_BATCHES, "test_batch") if not (root / name).is_file()]
    if missing:
        raise DataError(f"{root} must be complete, and has no {', '.join(missing)}")
    names = root / "batches.meta"
    classes = _checked_names(_unpickled(names, b"label_names"), names)
    parts = []
    for files in (_BATCHES, ("test_batch",)):
        read = [_checked(_unpickled(root / f, b"data", b"labels"), len(classes), root / f) for f in files]
        rows = np.concatenate([pixels for pixels, _ in read])
        numbers = np.concatenate([some for _, some in read])
        parts.append(_Part(root / files[0], numbers, partial(_images_at, rows)))
    return classes, parts[0], parts[1]


def _from_folders(root: Path) -> tuple[tuple[str, ...], _Part, _Part]:
    classes = _checked_names(
        [folder.name.encode() for folder in sorted((root / "train").iterdir()) if folder.is_dir()], root / "train"
    )
    parts = []
    for split in ("train", "test"):
        found = [
            (number, file)
            for number, name in enumerate(classes)
            for file in sorted((root / split / name).glob("*"))
            if file.suffix.lower() in (".jpg", ".jpeg", ".png")
        ]
        numbers, files = np.array([number for number, _ in found], int), [file for _, file in found]
        parts.append(_Part(root / split, numbers, _reader([Path] * len(files), files, list(map(str, files)))))
    return classes, parts[0], parts[1]


def _reader(
    openers: Sequence[Callable[[Any], Any]], sources: Sequence[Any], names: Sequence[str]
) -> Callable[[np.ndarray], np.ndarray]:
    """Return how to decode the images at some positions; only these are decoded."""

    def take(chosen: np.ndarray) -> np.ndarray:
        return np.stack([_decoded(openers[i](sources[i]), names[i]) for i in chosen])

    return take


def _decoded(file: Any, name: str) -> np.ndarray:
    from PIL import Image  # scikit-image brings it; no other room needs it

    try:
        with Image.open(file) as image:
            pixels = np.asarray(image.convert("RGB"))
    except Exception as error:  # a damaged image can raise anything
        raise DataError(f"{name} must be an image, and cannot be read: {error}") from error
    if pixels.shape != (_SIDE, _SIDE, _CHANNELS):
        raise DataError(f"{name} must be {_SIDE} x {_SIDE} pixels large, got {pixels.shape[1]} x {pixels.shape[0]}")
    return pixels


def _images_at(rows: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    return _as_images(rows[chosen])


def _as_images(rows: np.ndarray) -> np.ndarray:
    """Rows of bytes, channel after channel, as images."""
    return np.moveaxis(rows.reshape(-1, _CHANNELS, _SIDE, _SIDE), 1, -1)


# --- what is in them --------------------------------------------------------------------------------------------------


def _checked_names(names: Any, path: Path) -> tuple[str, ...]:
    try:
        classes = tuple(text for name in names if (text := name.decode().strip()))
    except (AttributeError, TypeError, UnicodeDecodeError):
        raise DataError(f"{path} must hold the names of the classes, got {names!r:.60}") from None
    if len(set(classes)) < len(classes) or len(classes) < 2:
        raise DataError(f"{path} must hold at least two names of classes, each once, got {classes}")
    return classes


def _checked(content: tuple[Any, Any], n_classes: int, path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the pixels and the numbers of the classes that a file holds, or raise `DataError`."""

    def refuse(what: str) -> NoReturn:
        raise DataError(f"{path} must hold {what}")

    pixels, numbers = content
    if not isinstance(pixels, np.ndarray) or pixels.dtype != np.uint8 or pixels.ndim != 2 or pixels.shape[1] != _PIXELS:
        got = f"{pixels.dtype} {pixels.shape}" if isinstance(pixels, np.ndarray) else type(pixels).__name__
        refuse(f"{_PIXELS:,} bytes per image, an array of uint8 of shape (n, {_PIXELS}), got {got}")
    try:
        numbers = np.asarray(numbers)
    except ValueError:
        refuse("one number of a class per image, got lists of different lengths")
    if numbers.shape != (len(pixels),) or numbers.dtype.kind not in "iu":
        refuse(f"one number of a class per image, {len(pixels):,} integers, got {numbers.dtype} {numbers.shape}")
    outside = (numbers < 0) | (numbers >= n_classes)
    if outside.any():
        row = int(outside.argmax())
        refuse(
            f"numbers of classes in 0 .. {n_classes - 1}, as many as there are names; image {row} has {numbers[row]}"
        )
    return pixels, numbers


def _choose(
    numbers: np.ndarray, classes: tuple[str, ...], wanted: int | None, rng: np.random.Generator, path: Path
) -> np.ndarray:
    """Return positions of as many images of every class as wanted, ascending."""
    counts = np.bincount(numbers, minlength=len(classes))
    fewest = int(counts.argmin())
    if counts[fewest] < (wanted or 1):
        raise DataError(
            f"{path} must hold {wanted or 1} images of every class, and has {counts[fewest]} of {classes[fewest]!r}"
        )
    if wanted is None:
        return np.arange(len(numbers))
    draws = [rng.choice(np.flatnonzero(numbers == c), wanted, replace=False) for c in range(len(classes))]
    # The files are shuffled. In their order, the first images (with which noise is calibrated) are of many classes.
    return np.sort(np.concatenate(draws))
