"""Shuffled trials, other names and orders of models, other units, the other sign: the protocol says the same."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from made_up_trials import made_up

from genexpy_nb.protocol import compare, instability, nadeau_bengio, paper_tables
from genexpy_nb.protocol.simulation import _count

LENGTHS = ["estimate", "low", "high"]
RESAMPLED = ["bca_low", "bca_high"]
FREE = ["p", "p_adjusted", "p_corrected", "p_corrected_adjusted", "instability", "instability_protocol"]
SIGNED = ["d_z", "d_av"]
N_MODELS = 4


def trials(seed=0, metric="score", failed=()):
    """Correct answers out of 114: ties in folds and in means; one model is another one's equal but for two trials."""
    rng = np.random.default_rng(seed)
    scores = rng.integers(60, 90, (1, 1, 5, 4)) + rng.integers(-5, 6, (N_MODELS, 3, 5, 4))
    scores = (scores + np.array([0, 5, 8, 0])[:, None, None, None]).astype(float)
    scores[3] = scores[0]
    scores[3, 0, 0, :2] += [1, -1]
    of = made_up(scores / 114, failed)
    return replace(of, about={**of.about, "metric": metric})


def with_scores(of, change):
    return replace(of, scores=of.scores.assign(score=change(of.scores["score"])))


def shuffled(of):
    return replace(of, scores=of.scores.sample(frac=1, random_state=1).reset_index(drop=True))


def renamed(of, names, order=None):
    """Other names for the models, which stand in another order."""
    order = list(names) if order is None else order
    about = {**of.about, "models": {names[old]: of.about["models"][old] for old in order}}
    about["seeded"] = list(about["models"])
    scores = of.scores.assign(model=of.scores["model"].map(names))
    return replace(of, scores=scores, seconds=of.seconds.assign(model=of.seconds["model"].map(names)), about=about)


def canonical(pairs, back=None, mirrored=False):
    """The pairs by the old names in alphabetical order; with ``mirrored``, of scores of the other sign."""
    pairs = pairs.replace(back) if back else pairs.copy()
    swap = (pairs["a"] > pairs["b"]).to_numpy()
    turned = pairs.copy()
    turned.loc[swap, ["a", "b"]] = pairs.loc[swap, ["b", "a"]].to_numpy()
    swap = ~swap if mirrored else swap
    turned.loc[swap, ["estimate", *SIGNED]] *= -1
    for low, high in (("low", "high"), ("bca_low", "bca_high")):
        turned.loc[swap, [low, high]] = -pairs.loc[swap, [high, low]].to_numpy()
    turned.loc[swap, "probability_of_improvement"] = 1 - pairs.loc[swap, "probability_of_improvement"]
    return turned.sort_values(["a", "b"], ignore_index=True)


def opposite(pairs, columns):
    """The other model of the pair, where one is named."""
    return [[{row["a"]: row["b"], row["b"]: row["a"], "": ""}[row[c]] for c in columns] for _, row in pairs.iterrows()]


def same_pairs(found, expected, factor=1.0, mirrored=False, resampled=1e-9):
    unit = factor * expected[LENGTHS].abs().to_numpy().max()
    assert found[["a", "b"]].values.tolist() == expected[["a", "b"]].values.tolist()
    np.testing.assert_allclose(found[LENGTHS], factor * expected[LENGTHS], atol=1e-9 * unit)
    np.testing.assert_allclose(found[RESAMPLED], factor * expected[RESAMPLED], atol=resampled * unit)
    columns = [*FREE, *SIGNED, "probability_of_improvement"]
    np.testing.assert_allclose(found[columns], expected[columns], rtol=1e-9, atol=1e-9)
    names = ["winner", "winner_corrected", "favours"]
    assert (opposite(found, names) if mirrored else found[names].values.tolist()) == expected[names].values.tolist()
    assert found["note"].tolist() == expected["note"].tolist()


def same(found, expected, factor=1.0, shift=0.0, back=None, ordered=True):
    same_pairs(canonical(found.pairs, back), canonical(expected.pairs), factor)
    pd.testing.assert_frame_equal(found.settings, expected.settings)
    one, other = (c.estimates.replace(b or {}) for c, b in ((found, back), (expected, None)))
    if ordered:
        assert one["model"].tolist() == other["model"].tolist()
    one, other = one.set_index("model"), other.set_index("model")
    one = one.loc[other.index]
    ends = [*LENGTHS, *RESAMPLED]
    np.testing.assert_allclose(one[ends], factor * other[ends] + shift, rtol=1e-9)
    np.testing.assert_allclose(one["sd"], factor * other["sd"], rtol=1e-7)
    assert one[["n_folds", "seed_matters"]].equals(other[["n_folds", "seed_matters"]])


SEEDS = [0, 1, 2]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_the_rows_does_not_matter(seed):
    of = trials(seed, "accuracy")
    expected, found = compare(of, n_resamples=299), compare(shuffled(of), n_resamples=299)
    same(found, expected)
    assert found.notes == expected.notes
    for name, table in paper_tables(expected).items():
        pd.testing.assert_frame_equal(paper_tables(found)[name], table)
    pd.testing.assert_frame_equal(instability(shuffled(of)), instability(of))


def test_the_order_of_the_rows_does_not_matter_where_trials_failed():
    of = trials(0, failed=[(1, 0, 2, 3), (2, 1, 0, 0)])
    expected, found = (compare(t, n_resamples=299, failures="drop") for t in (of, shuffled(of)))
    same(found, expected)
    assert found.notes == expected.notes
    assert found.about["n_folds"] == 18


@pytest.mark.parametrize("seed", SEEDS)
def test_names_and_orders_of_models_do_not_matter(seed):
    of = trials(seed)
    names = {"m0": "zeta", "m1": "a & b", "m2": "m0", "m3": "<b>"}
    back = {new: old for old, new in names.items()}
    expected = compare(of, n_resamples=299)
    for order in (["m0", "m1", "m2", "m3"], ["m3", "m1", "m0", "m2"], ["m2", "m3", "m1", "m0"]):
        found = compare(renamed(of, names, order), n_resamples=299)
        same(found, expected, back=back, ordered=order[0] == "m0")
        tables = paper_tables(found), paper_tables(expected)
        for old, new in names.items():
            assert tables[0]["estimates"][new].item() == tables[1]["estimates"][old].item()
        pd.testing.assert_frame_equal(tables[0]["settings"], tables[1]["settings"])


@pytest.mark.parametrize("factor", [100.0, 114.0, 1 / 3, 1e-9, 1e9])
@pytest.mark.parametrize("seed", SEEDS)
def test_units_do_not_matter(seed, factor):
    of = trials(seed)
    expected = compare(of, n_resamples=299)
    same(compare(with_scores(of, lambda score: score * factor), n_resamples=299), expected, factor)


@pytest.mark.parametrize("factor", [1.0, 100.0, -1 / 3, 1e-300, 0.0])
def test_whether_a_seed_matters_has_no_unit(factor):
    """.3 and .1 + .2 differ in the last bit, but not as three times .1 and .3; a difference of 1e-9 is one."""
    scores = np.full((3, 2, 2, 2), 0.3)
    scores[0, 1] = 0.1 + 0.2
    scores[1, 1, 1, 1] += 1e-9
    scores[2] = [[[0.0, 1.0], [2.0, 3.0]]]
    still = made_up(scores * factor).seed_changes_nothing
    assert still == (["m0", "m2"] if factor else ["m0", "m1", "m2"])
    assert made_up((scores + 0.25) * factor).seed_changes_nothing == still
    failed = made_up(scores * factor, failed=[(0, 1, 0, 1), (2, 0, 0, 0), (2, 1, 0, 0)])
    assert failed.seed_changes_nothing == still  # trials that failed say nothing


@pytest.mark.parametrize("shift", [1 / 3, -7.0, 1000.1])
@pytest.mark.parametrize("seed", SEEDS)
def test_another_zero_changes_no_difference(seed, shift):
    of = trials(seed)
    expected = compare(of, n_resamples=299)
    found = compare(with_scores(of, lambda score: score + shift), n_resamples=299)
    same(found, expected, shift=shift)


@pytest.mark.parametrize("seed", SEEDS)
def test_losses_are_the_mirror_image(seed):
    """Scores are the higher the better here, so that scores of the other sign mean the other models."""
    of = trials(seed)
    expected = canonical(compare(of, n_resamples=299).pairs)
    found = canonical(compare(with_scores(of, np.negative), n_resamples=299).pairs, mirrored=True)
    same_pairs(found, expected, mirrored=True, resampled=1e-6)  # shares of resamples are counted from the other side
    settings = [compare(t, n_resamples=99).settings for t in (of, with_scores(of, np.negative))]
    pd.testing.assert_frame_equal(*settings)


@pytest.mark.parametrize("seed", SEEDS)
def test_names_of_seeds_repeats_and_folds_do_not_matter(seed):
    of = trials(seed)
    scores = of.scores.assign(
        seed=of.scores["seed"] + 1000, repeat=of.scores["repeat"] * 3 + 1, fold=of.scores["fold"] + 7
    )
    other = replace(of, scores=scores, about={**of.about, "seeds": [s + 1000 for s in of.about["seeds"]]})
    same(compare(other, n_resamples=299), compare(of, n_resamples=299))


@pytest.mark.parametrize("factor", [100.0, 1 / 3, -1.0, 1e-9])
@pytest.mark.parametrize("share", [0.0, 0.2])
def test_the_corrected_test_has_no_unit(factor, share):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        d = rng.integers(-4, 8, 10) / 114
        one, other = nadeau_bengio(d, share), nadeau_bengio(rng.permutation(d) * factor, share)
        expected = factor * np.array([one.estimate, *([one.low, one.high] if factor > 0 else [one.high, one.low])])
        found = [other.estimate, other.low, other.high]
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12 * abs(factor))
        assert other.p == pytest.approx(one.p, rel=1e-9)
        assert other.statistic == pytest.approx(np.sign(factor) * one.statistic, rel=1e-9)
        assert (other.df, other.note) == (one.df, one.note)


@pytest.mark.parametrize("level", [0.05, 0.3])
def test_what_a_simulation_counts_depends_on_no_order_sign_or_unit(level):
    """Learners, folds and seeds in another order; scores out of 128 instead of shares; scores of the other sign."""
    rng = np.random.default_rng(5)
    correct = rng.random((40, 3, 64)) < 0.8
    scores = rng.integers(80, 110, (40, 3, 2, 4, 5)) / 128
    scores[:, 2] = scores[:, 1]
    expected = _count(scores, correct, False, level)
    studies = rng.permutation(40)
    for other, right in (
        (scores[:, [2, 0, 1]], correct[:, [2, 0, 1]]),
        (scores[:, :, ::-1, ::-1, :], correct),
        (scores * 128, correct),
        (-scores, ~correct),
        (scores[studies], correct[studies]),
    ):
        found = _count(other, right, False, level)
        if other.shape == scores.shape and np.array_equal(other[:, :, ::-1, ::-1, :], scores):
            # Which trial and which repeat a habit looks at has changed.
            kept = ~expected["procedure"].str.startswith("one")
            found, still = found[kept], expected[kept]
        else:
            still = expected
        pd.testing.assert_frame_equal(found, still)
    # With an effect, the first learner is the better one of its pairs, which of the others comes second is the same.
    gain = scores + np.array([0.05, 0, 0]).reshape(1, 3, 1, 1, 1)
    one, other = _count(gain, correct, True, level), _count(gain[:, [0, 2, 1]], correct[:, [0, 2, 1]], True, level)
    rates = one["quantity"] == "FWER"  # the others are of the first pair only
    pd.testing.assert_frame_equal(one[rates], other[rates])
