"""Mean ranks: the numbers that Demsar printed."""

import pandas as pd

from genexpy_nb.significance import friedman
from genexpy_nb.study.study import Study

# AUC of four variants of C4.5 on 14 data sets: Demsar, JMLR 2006, Table 6. Of the two .975 in the 13th row he prints
# the ranks 2 and 3, so they differed before they were rounded: here by .0001.
DEMSAR = pd.DataFrame(
    [
        *([0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569], [0.954, 0.971, 0.968, 0.967]),
        *([0.628, 0.661, 0.654, 0.657], [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931]),
        *([0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625], [0.775, 0.838, 0.866, 0.875]),
        *([1.000, 1.000, 1.000, 1.000], [0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669]),
        *([0.972, 0.981, 0.975, 0.9749], [0.957, 0.978, 0.946, 0.970]),
    ],
    columns=["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"],
)


def test_demsars_example():
    """He prints the mean ranks, and the chi-square, by a formula without a correction for ties."""
    result = friedman(DEMSAR, higher_is_better=True)
    assert result.mean_ranks.round(3).tolist() == [3.143, 2.000, 2.893, 1.964] and result.p < 0.03
    assert round(12 * 14 / 20 * ((result.mean_ranks**2).sum() - 4 * 25 / 4), 2) == 9.28


def test_the_mean_ranks_of_a_study_are_those_of_friedman():
    found = Study.from_wide(DEMSAR.rename_axis("dataset")).ranking()["mean_rank"]
    expected = friedman(DEMSAR, higher_is_better=True).mean_ranks
    pd.testing.assert_series_equal(found[list(DEMSAR)], expected, check_names=False)
