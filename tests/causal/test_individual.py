"""Individual effects: by hand."""

import numpy as np
import pandas as pd
import pytest
from made_up_runs import runs_of

from genexpy_nb import causal
from genexpy_nb.causal.individual import effects_of_pairs, effects_of_systems
from genexpy_nb.common.errors import StudyError

D = np.array([[0.5, 0.25], [-0.25, 0.75], [0.0, 0.0]])


def test_effects_are_a_minus_b_averaged_over_compositions():
    effects = causal.individual_effects(runs_of(D, b=np.ones((3, 2))))
    assert effects.columns.tolist() == ["system", "effect", "n_compositions", "v"]
    assert effects["effect"].tolist() == [0.375, 0.25, 0.0] and effects["n_compositions"].tolist() == [2, 2, 2]
    assert effects["v"].tolist() == ["level 0", "level 1", "level 2"]


def test_the_size_of_what_a_difference_was_computed_from():
    pairs = effects_of_pairs(runs_of(D, b=np.full((3, 2), -2.0)))
    assert pairs["size"].tolist() == [2, 2, 2.25, 2, 0, 0]  # equal losses: nothing was rounded
    assert effects_of_systems(pairs)["size"].tolist() == [2, 2.25, 0]


def test_effects_need_both_methods():
    with pytest.raises(StudyError, match="individual effects need paired runs"):
        causal.individual_effects(runs_of(D, "independent"))
    table = pd.DataFrame({"m": ["A", "B", "A"], "data": list("uuv"), "loss": [1.0, 0.5, 3.0]})
    runs = causal.from_results(table, "m", "A", "B", ["data"], ["loss"])
    assert causal.individual_effects(runs)[["effect", "data"]].values.tolist() == [[0.5, "u"]]
