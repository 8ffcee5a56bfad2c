"""An estimator of somebody's own is a function, wherever a method is asked for."""

import numpy as np
import pandas as pd
import pytest

import genexpy_nb as gx
from genexpy_nb.common.errors import ParameterError

SCORES = np.random.default_rng(3).normal([0.9, 0.8, 0.5], 0.2, (12, 3))
RANKINGS = gx.rank_scores(SCORES, higher_is_better=True)


def test_an_estimator_of_ones_own():
    def twice_the_experiments(gram, alpha, epsilon):
        return 2 * len(gram), np.nan, len(gram) / epsilon

    gram = gx.MallowsKernel().gram(RANKINGS)
    found = gx.estimate_nstar(gram, 0.9, 0.5, twice_the_experiments)
    assert (found.estimate, found.high, found.method, found.n_experiments) == (24, 24, "twice_the_experiments", 12)
    study = gx.Study.from_wide(pd.DataFrame(SCORES))
    frame = study.nstar([gx.MallowsKernel(), gx.JaccardKernel()], alpha=[0.8, 0.9], method=twice_the_experiments)
    assert (frame["nstar"] == 24).all() and set(frame["method"]) == {"twice_the_experiments"}
    for wrong in (lambda g, a, e: (0.5, np.nan, np.nan), lambda g, a, e: (2.0, 3.0)):
        with pytest.raises(ParameterError, match="must return an estimate"):
            gx.estimate_nstar(gram, 0.9, 0.5, wrong)
    with pytest.raises(ParameterError, match="method"):
        gx.estimate_nstar(gram, 0.9, 0.5, "momments")
