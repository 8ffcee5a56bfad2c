"""The testbed on CIFAR-100: images from the folder that is distributed, and a task of seen and unseen classes."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NoReturn

import numpy as np

from genexpy_nb.common.checks import check_count
from genexpy_nb.common.errors import DataError
from genexpy_nb.common.random import generator
from genexpy_nb.testbed.grid import ImageTask

__all__ = ["N_UNSEEN_CIFAR", "Cifar100", "cifar100_task", "load_cifar100"]

#: Numbers of classes that the models have not seen: with 50 seen ones, ZeroShot 0, .167, .286, .375, .444, .5 (paper).
N_UNSEEN_CIFAR = (0, 10, 20, 30, 40, 50)

_CHANNELS, _SIDE = 3, 32
_PIXELS = _CHANNELS * _SIDE**2


@dataclass(frozen=True, eq=False)
class Cifar100:
    """Images of CIFAR-100, all or some of each class, in the order of the files.

    Attributes
    ----------
    train_images, test_images : ndarray of float32, shape (n, 32, 32, 3)
        In [0, 1].
    train_labels, test_labels : ndarray of str, shape (n,)
        Names of the (fine) classes.
    classes : tuple of str
        All names, in the order of the numbers that they have in the files.
    """

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
) -> Cifar100:
    """Read images of CIFAR-100 from the folder in which they are distributed.

    Parameters
    ----------
    folder : path-like
        ``cifar-100-python`` (files train, test, meta) or ``cifar-100-binary`` (train.bin, test.bin,
        fine_label_names.txt), or the folder that one of them is in. Nothing is downloaded; the archives are on the page
        of the author, Alex Krizhevsky, at the University of Toronto.
    n_train, n_test : int, optional
        Images per class, drawn at random; None for all, which are 500 and 100. All 60,000 need 740 MB, the default
        184 MB.
    rng : numpy.random.Generator or int
        For the draw.

    Returns
    -------
    Cifar100

    Raises
    ------
    DataError
        If a file is missing or damaged, or a class has fewer images than wanted.
    ParameterError
        If a number of images is below 1.

    Notes
    -----
    The files of ``cifar-100-python`` are pickles, and a pickle can run code when it is read. These are read by an
    unpickler that knows numpy arrays and plain Python values, and refuses everything else before it runs.

    References
    ----------
    Krizhevsky, *Learning multiple layers of features from tiny images*, 2009.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> rows = np.zeros((6, 2 + 3072), np.uint8)  # of each image: number of its superclass, of its class, pixels
    >>> rows[:, 1] = [0, 1, 0, 1, 1, 0]
    >>> with TemporaryDirectory() as folder:
    ...     rows.tofile(Path(folder, "train.bin"))
    ...     rows.tofile(Path(folder, "test.bin"))
    ...     _ = Path(folder, "fine_label_names.txt").write_text("apple\\nbear\\n", encoding="utf-8")
    ...     data = load_cifar100(folder, n_train=2, n_test=1)
    >>> data.train_images.shape, data.classes
    ((4, 32, 32, 3), ('apple', 'bear'))
    """
    rng = generator(rng)
    read, names_file, train_file, test_file = _find(Path(folder))
    classes = _checked_names(read(names_file), names_file)
    parts = []
    for file, parameter, wanted in ((train_file, "n_train", n_train), (test_file, "n_test", n_test)):
        pixels, numbers = _checked(read(file), len(classes), file)
        chosen = _choose(numbers, classes, None if wanted is None else check_count(parameter, wanted), rng, file)
        # Only what was chosen becomes float: all images together would be four times as large as the file.
        images = np.moveaxis(pixels[chosen].reshape(-1, _CHANNELS, _SIDE, _SIDE), 1, -1)
        parts.append((np.divide(images, 255, dtype=np.float32, order="C"), np.array(classes)[numbers[chosen]]))
    (train_images, train_labels), (test_images, test_labels) = parts
    return Cifar100(train_images, train_labels, test_images, test_labels, classes)


def cifar100_task(
    folder: str | os.PathLike,
    n_seen: int = 50,
    n_train: int | None = 100,
    n_test: int | None = 50,
    seed: int = 0,
) -> ImageTask:
    """Draw seen classes of CIFAR-100, and images of every class; the other classes are unseen.

    Parameters
    ----------
    folder, n_train, n_test
        As in `load_cifar100`.
    n_seen : int
        Seen classes, at least 2.
    seed : int
        For the draw of classes and of images.

    Returns
    -------
    ImageTask

    Raises
    ------
    DataError
        As `load_cifar100`.
    ParameterError
        If there are not as many classes as ``n_seen``.

    Notes
    -----
    Models that were pretrained elsewhere (on ImageNet, say) have seen none of these images, but may know things of any
    of the classes: for them, "seen" and "unseen" only say how many classes the probe has to tell apart.

    References
    ----------
    A practical generalization metric for deep networks benchmarking, *Data and Test Models*: 50 and 50 classes.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> rows = np.zeros((6, 2 + 3072), np.uint8)
    >>> rows[:, 1] = [0, 1, 2, 0, 1, 2]
    >>> with TemporaryDirectory() as folder:
    ...     rows.tofile(Path(folder, "train.bin"))
    ...     rows.tofile(Path(folder, "test.bin"))
    ...     _ = Path(folder, "fine_label_names.txt").write_text("apple\\nbear\\ncloud\\n", encoding="utf-8")
    ...     task = cifar100_task(folder, n_seen=2, n_train=2, n_test=1)
    >>> task.seen, task.unseen
    (('apple', 'bear'), ('cloud',))
    """
    for_classes, for_images = np.random.default_rng(seed).spawn(2)  # which are seen is no matter of how many images
    data = load_cifar100(folder, n_train, n_test, for_images)
    n_seen = check_count("n_seen", n_seen, 2, len(data.classes))
    order = [data.classes[number] for number in for_classes.permutation(len(data.classes))]
    images = (data.train_images, data.train_labels, data.test_images, data.test_labels)
    return ImageTask("CIFAR-100", *images, tuple(order[:n_seen]), tuple(order[n_seen:]))


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
            raise DataError(f"it names {module}.{name}, which has no place in CIFAR-100, and has not been run")
        return self.known[module, name]


def _read_pickle(path: Path) -> Any:
    try:
        with path.open("rb") as file:
            content = _ArraysOnly(file, encoding="bytes").load()
    except Exception as error:  # a damaged pickle can raise anything
        raise DataError(f"{path} must be a pickle of CIFAR-100, and cannot be read: {error}") from error
    keys = [b"fine_label_names"] if path.name == "meta" else [b"data", b"fine_labels"]
    if not isinstance(content, dict) or not all(key in content for key in keys):
        found = sorted(map(str, content)) if isinstance(content, dict) else type(content).__name__
        raise DataError(f"{path} must be a dictionary with the keys {', '.join(map(str, keys))}, got {found}")
    return content[keys[0]] if len(keys) == 1 else (content[keys[0]], content[keys[1]])


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
