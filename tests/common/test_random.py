"""Streams: what numpy's seed sequences give for the same seed and key."""

import itertools

import numpy as np
import pytest

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.random import generator, seed_of, seeds, stream


@pytest.mark.parametrize("key", [(), (0,), (7,), (7, 2), (2, 7)])
def test_a_stream_is_that_of_the_spawned_seed_sequence(key):
    expected = np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy=11, spawn_key=key)))
    np.testing.assert_array_equal(stream(11, *key).random(5), expected.random(5))


def test_streams_of_other_seeds_and_keys_are_others():
    asked = [(seed, *key) for seed in (0, 1) for key in ((), (0,), (1,), (0, 0), (0, 1), (1, 0))]
    first = [stream(*each).random() for each in asked]
    assert len(set(first)) == len(asked)
    assert first == [stream(*each).random() for each in reversed(asked)][::-1]


def test_a_seed_is_kept_and_a_generator_gives_one():
    assert seed_of(7) == 7 and seed_of(np.int64(7)) == 7 and type(seed_of(np.int64(7))) is int
    rng, again = np.random.default_rng(3), np.random.default_rng(3)
    drawn = [seed_of(rng) for _ in range(5)]
    assert len(set(drawn)) == 5 and all(0 <= seed < 2**63 for seed in drawn)
    assert max(drawn) > 2**32  # with 32 bits, seeds would soon be drawn twice
    assert drawn == [seed_of(again) for _ in range(5)]


def test_seeds_belong_to_a_seed_and_a_key():
    for seed, key in itertools.product((0, 5), ((), (1,), (1, 2))):
        words = np.random.SeedSequence(entropy=seed, spawn_key=key).generate_state(4)
        assert seeds(seed, 4, *key) == words.tolist()
        assert seeds(seed, 2, *key) == words.tolist()[:2]
    assert all(type(seed) is int for seed in seeds(0, 3))


@pytest.mark.parametrize("rng", [1.5, 2.0, "0", None, True, -1, [0], np.nan, np.random.RandomState(0)])
def test_what_is_no_source_of_randomness_is_refused(rng):
    """numpy takes None for "another seed in every run"; int() would cut 1.5 to 1."""
    for take in (seed_of, generator):
        with pytest.raises(ParameterError, match=r"rng must be a numpy\.random\.Generator or a whole number >= 0, got"):
            take(rng)


def test_a_generator_is_used_as_it_is_and_a_seed_gives_numpys():
    rng = np.random.default_rng(3)
    assert generator(rng) is rng
    for seed in (5, np.int32(5)):
        np.testing.assert_array_equal(generator(seed).random(4), np.random.default_rng(5).random(4))
