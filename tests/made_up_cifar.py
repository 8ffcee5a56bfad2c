"""Made-up images in the shape and the file formats of CIFAR-100, for the tests of the testbed."""

from pathlib import Path

import numpy as np

NAMES = ("apple", "bear", "cloud", "dolphin", "elm", "fox")


def made_up(n_per_class: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Smooth images, each class around one of its own; rows of bytes, channel after channel, as in the files."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:32, :32] / 31
    waves = np.array([np.cos(np.pi * (i * x + j * y)) for i in range(4) for j in range(4)]).reshape(16, -1)
    labels = rng.permutation(np.repeat(np.arange(len(NAMES)), n_per_class))
    centres = np.random.default_rng(99).normal(size=(len(NAMES), 3, 16))
    weights = centres[labels] + 0.5 * rng.normal(size=(len(labels), 3, 16))
    return np.clip(128 + 15 * weights @ waves, 0, 255).astype(np.uint8).reshape(len(labels), 3072), labels


TRAIN, TEST = made_up(12, 1), made_up(5, 2)


def as_binary(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    for name, (pixels, labels) in (("train.bin", TRAIN), ("test.bin", TEST)):
        rows = b"".join(bytes([0, label]) + row.tobytes() for row, label in zip(pixels, labels, strict=True))
        (folder / name).write_bytes(rows)
    (folder / "fine_label_names.txt").write_text("\n".join(NAMES) + "\n\n", encoding="utf-8")
    return folder
