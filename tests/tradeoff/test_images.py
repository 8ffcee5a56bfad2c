"""Images of digits, classes that are seen and unseen, and what no task can be made of."""

import numpy as np
import pytest

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.tradeoff.images import ImageTask, digits_task


def test_tasks_differ_by_seed_only():
    task, again, other = digits_task(3), digits_task(3), digits_task(4)
    np.testing.assert_array_equal(task.train_images, again.train_images)
    assert (task.seen, task.unseen) == (again.seen, again.unseen)
    assert {*task.seen, *task.unseen} == set(range(10))
    assert task.seen != other.seen
    assert [round(task.zero_shot(u), 3) for u in range(6)] == [0, 0.167, 0.286, 0.375, 0.444, 0.5]  # the paper's levels


def test_bad_input():
    task = digits_task(3)
    images, labels = task.train_images[:20], task.train_labels[:20]
    parts = {"name": "t", "train_images": images, "train_labels": labels, "test_images": images, "test_labels": labels}
    ImageTask(**parts, seen=(0, 1), unseen=(2,))
    for change, message in (
        ({"seen": (0,)}, "at least two classes"),
        ({"seen": (0, 1, 2)}, "either seen or unseen"),
        ({"unseen": (11,)}, "class 11 has no image in train_images"),
        ({"test_images": images * 16}, r"test_images must be in \[0, 1\], got 0 \.\. 16"),
        ({"train_images": images * np.nan}, r"train_images must be in \[0, 1\]"),
        ({"test_labels": labels[1:]}, "test_labels must be as many as test_images"),
    ):
        with pytest.raises(ParameterError, match=message):
            ImageTask(**{**parts, "seen": (0, 1), "unseen": (2,)} | change)
