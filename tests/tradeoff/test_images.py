"""Images of digits, classes that are seen and unseen, what no task can be made of, and what noise leaves of images."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.tradeoff.images import ImageTask, PCANoise, digits_task, mean_ssim


def test_tasks_differ_by_seed_only():
    task, again, other = digits_task(3), digits_task(3), digits_task(4)
    np.testing.assert_array_equal(task.train_images, again.train_images)
    assert (task.seen, task.unseen) == (again.seen, again.unseen)
    assert {*task.seen, *task.unseen} == set(range(10))
    assert task.seen != other.seen
    assert [round(task.zero_shot(u), 3) for u in range(6)] == [0, 0.167, 0.286, 0.375, 0.444, 0.5]  # the paper's levels


def test_tasks_that_cannot_be():
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


@pytest.fixture(scope="module")
def digits():
    return load_digits().images / 16


def by_definition(one, other, side=5):
    """Mean over all windows of the product of the three comparisons (Wang et al., 2004, Eq. 13), stable constants."""
    c1, c2 = 0.01**2, 0.03**2
    values = []
    for i in range(one.shape[0] - side + 1):
        for j in range(one.shape[1] - side + 1):
            x, y = one[i : i + side, j : j + side].ravel(), other[i : i + side, j : j + side].ravel()
            covariance = np.cov(x, y)
            luminance = (2 * x.mean() * y.mean() + c1) / (x.mean() ** 2 + y.mean() ** 2 + c1)
            values.append(luminance * (2 * covariance[0, 1] + c2) / (covariance[0, 0] + covariance[1, 1] + c2))
    return np.mean(values)


def test_ssim_is_its_definition():
    rng = np.random.default_rng(0)
    images, others = rng.random((2, 4, 9, 8))
    expected = np.mean([by_definition(a, b) for a, b in zip(images, others, strict=True)])
    assert mean_ssim(images, others) == pytest.approx(expected, abs=1e-12)


def test_ssim_of_colours_is_the_mean_over_channels():
    rng = np.random.default_rng(0)
    images, others = rng.random((2, 4, 8, 8, 3))
    expected = np.mean([mean_ssim(images[..., c], others[..., c]) for c in range(3)])
    assert mean_ssim(images, others) == pytest.approx(expected, abs=1e-12)


def test_whole_ranks_are_the_truncated_decomposition(digits):
    train, test = digits[:500], digits[500:520]
    flat, mean = train.reshape(500, -1), train.reshape(500, -1).mean(axis=0)
    _, _, axes = np.linalg.svd(flat - mean, full_matrices=False)
    for rank in (0, 3, 17):
        projected = mean + (test.reshape(20, -1) - mean) @ axes[:rank].T @ axes[:rank]
        found = PCANoise().fit(train).reconstruct(test, rank)
        np.testing.assert_allclose(found.reshape(20, -1), np.clip(projected, 0, 1), atol=1e-9)


def test_part_of_a_component_lies_between(digits):
    noise = PCANoise().fit(digits[:500])
    low, middle, high = (mean_ssim(digits[500:600], noise.reconstruct(digits[500:600], rank)) for rank in (4, 4.5, 5))
    assert low < middle < high


@pytest.mark.parametrize("level", [0.6, 0.95])
def test_levels_are_hit_on_images_that_were_not_calibrated_with(digits, level):
    degraded = PCANoise().fit(digits[:1000]).degrade(digits[1000:], level)
    assert mean_ssim(digits[1000:1300], degraded[:300]) == pytest.approx(level, abs=0.002)
    assert mean_ssim(digits[1300:], degraded[300:]) == pytest.approx(level, abs=0.03)
    assert degraded.min() >= 0 and degraded.max() <= 1


def test_images_in_colour_are_degraded_to_the_level_too(digits):
    colours = np.stack([digits[:400], digits[:400] ** 2, 1 - digits[:400]], axis=-1)
    degraded = PCANoise().fit(colours[:300]).degrade(colours[300:], 0.8)
    assert degraded.shape == (100, 8, 8, 3) and mean_ssim(colours[300:], degraded) == pytest.approx(0.8, abs=0.003)


def test_the_level_is_that_of_the_window_that_is_wanted(digits):
    degraded = PCANoise(win_size=7, n_calibrate=50).fit(digits[:1000]).degrade(digits[1000:1200], 0.7)
    assert mean_ssim(digits[1000:1050], degraded[:50], win_size=7) == pytest.approx(0.7, abs=0.003)
    assert mean_ssim(digits[1000:1050], degraded[:50]) != pytest.approx(0.7, abs=0.01)


def test_level_one_changes_nothing(digits):
    np.testing.assert_array_equal(PCANoise().fit(digits[:1000]).degrade(digits[1000:], 1.0), digits[1000:])


def test_bad_input(digits):
    noise = PCANoise().fit(digits[:1000])
    for level in (0, 1.1, np.nan):
        with pytest.raises(ParameterError, match=r"ssim must be .*in \(0, 1\]"):
            noise.degrade(digits[1000:], level)
    with pytest.raises(ParameterError, match=r"ssim must be .*in \(0\.\d+, "):
        noise.degrade(digits[1000:], 0.05)
    with pytest.raises(ParameterError, match="win_size must be odd and at most 8"):
        mean_ssim(digits, digits, win_size=9)
