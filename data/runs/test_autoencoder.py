"""The autoencoder as noise: similarities are hit, channels are ordered, the ends are what they must be."""

import numpy as np
import pytest
from made_up_colours import made_up_colours
from numpy.testing import assert_allclose, assert_array_equal

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.tradeoff.images import mean_ssim
from runs.autoencoder import AutoencoderNoise

torch = pytest.importorskip("torch", reason="needs torch, which is not among the dependencies")


@pytest.fixture(scope="module")
def images():
    return made_up_colours(4, 15, 16, 2)[0]


@pytest.fixture(scope="module")
def noise():
    return made_noise()


def made_noise(seed=0, epochs=24, n_calibrate=300):
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    noise = AutoencoderNoise(6, epochs, n_calibrate=n_calibrate, seed=seed, device="cpu")
    noise.fit(made_up_colours(4, 50, 16, 1)[0])
    torch.set_num_threads(before)
    return noise


@pytest.mark.parametrize("ssim", [0.6, 0.75, 0.95])
def test_similarity_is_hit(noise, images, ssim):
    degraded = noise.degrade(images, ssim)
    assert degraded.shape == images.shape and degraded.dtype == np.float32
    assert degraded.min() >= 0 and degraded.max() <= 1
    assert_allclose(mean_ssim(images, degraded), ssim, atol=2e-3)
    kept = noise.channels_for(images, ssim)
    assert_array_equal(noise.reconstruct(images, kept), degraded)


def test_more_similar_than_all_channels_is_a_blend(noise, images):
    whole = mean_ssim(images, noise.reconstruct(images, 6))
    assert noise.channels_for(images, (1 + whole) / 2) > 6 > noise.channels_for(images, whole - 0.02)
    assert_allclose(noise.reconstruct(images, 7), images, atol=1e-6)
    half = (noise.reconstruct(images, 6) + images) / 2
    assert_allclose(noise.reconstruct(images, 6.5), half, atol=1e-6)


def test_channels_are_ordered(noise, images):
    errors = [((noise.reconstruct(images, k) - images) ** 2).mean() for k in range(7)]
    assert all(np.diff(errors) < 0)
    assert errors[0] - errors[1] > errors[1] - errors[6]  # the first says more than all others together
    nothing = noise.reconstruct(images, 0)
    assert_array_equal(nothing, np.broadcast_to(nothing[:1], images.shape))
    assert noise.degrade(images, 1.0) is images


def test_same_seed_same_bytes(images):
    one, again, other = (made_noise(seed, epochs=1).reconstruct(images, 3) for seed in (0, 0, 1))
    assert_array_equal(one, again)
    assert not np.array_equal(one, other)


def test_only_the_first_images_calibrate(images):
    few, many = (made_noise(epochs=1, n_calibrate=n) for n in (10, 300))
    assert few.channels_for(images, 0.7) == many.channels_for(images[:10], 0.7) != many.channels_for(images, 0.7)


def test_what_cannot_be_had(noise, images):
    with pytest.raises(ParameterError, match="call fit"):
        AutoencoderNoise().reconstruct(images, 1)
    with pytest.raises(ParameterError, match=r"ssim must be above 0\.\d+ for these images, got 0.001"):
        noise.degrade(images, 0.001)
    with pytest.raises(ParameterError, match="both multiples of 4"):
        AutoencoderNoise().fit(images[..., 0])
    for name in ("channels", "epochs", "n_calibrate"):
        with pytest.raises(ParameterError, match=name):
            AutoencoderNoise(**{name: 0})
    assert repr(AutoencoderNoise(4, device="cpu")).startswith("AutoencoderNoise(channels=4, epochs=6, win_size=5")
