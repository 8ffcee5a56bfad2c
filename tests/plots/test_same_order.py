"""What figures put in order follows the numbers: not the rows of a table, the names in it, or its units."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from genexpy_nb.plots.causal import error_rates_of_pairs
from genexpy_nb.plots.nstar import nstar_forest, rank_distribution


def names(figure):
    found = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    plt.close(figure)
    return found


def planned(seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"model": list("abcdefgh"), "n_experiments": 30, "nstar": rng.permutation(8) * 7 + 2.5})
    return frame.assign(low=frame["nstar"] - 1, high=frame["nstar"] + 2, verdict="enough")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("most", [4, 30])
def test_configurations_stand_in_the_order_of_their_nstar(seed, most):
    frame = planned(seed)
    expected = frame.sort_values("nstar")["model"].tolist()[: -most - 1 : -1]  # from the top
    new = dict(zip("abcdefgh", "hgfedcba", strict=True))
    assert names(nstar_forest(frame, ["model"], most)) == expected
    assert names(nstar_forest(frame.sample(frac=1, random_state=seed), ["model"], most)) == expected
    renamed = frame.assign(model=frame["model"].map(new))
    assert names(nstar_forest(renamed, ["model"], most)) == [new[name] for name in expected]


def test_alternatives_stand_in_the_order_of_their_mean_ranks():
    rankings = pd.DataFrame([[0, 1, 2], [0, 1, 2], [1, 0, 2], [0, 1, 2]], columns=["x", "y", "z"])
    for frame in (rankings, rankings[["z", "x", "y"]], rankings.iloc[::-1]):
        assert names(rank_distribution(frame)) == ["x", "y", "z"]


def test_pairs_stand_in_the_order_of_their_errors():
    estimates = {"u": 0.2, "v": 0.05, "w": 0.1}
    kinds = ("false_positive", "interval_misses")
    rows = [(p, kind, x, x / 2, 2 * x) for kind in kinds for p, x in estimates.items()]
    rates = pd.DataFrame(rows, columns=["pair", "error", "estimate", "low", "high"])
    for frame in (rates, rates.sample(frac=1, random_state=0), rates.iloc[::-1]):
        assert names(error_rates_of_pairs(frame)) == ["v", "w", "u"]
