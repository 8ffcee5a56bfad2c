"""What becomes of failed runs, and what is said about them."""

import numpy as np
import pandas as pd
import pytest
from made_up_runs import runs_of, with_failures

from genexpy_nb import causal
from genexpy_nb.causal.runs import without_failures
from genexpy_nb.common.errors import StudyError

WHOLE = runs_of(np.arange(5.0)[:, None], b=np.ones((5, 1)))
FAILING = with_failures(WHOLE, (1, "A"), (3, "A"), (3, "B"))


def test_left_out_systems_can_make_groups_differ():
    independent = with_failures(runs_of(np.ones((6, 1)), "independent"), (1, "B"))
    frame, notes = without_failures(independent, "loss")
    assert frame["system"].tolist() == [0, 2, 3, 4, 5]
    tail = "Such systems are left out, so that the two groups may differ in more than the method."
    assert notes[0].endswith(f"(0 with A, 1 with B). {tail}")


def test_something_must_be_left():
    with pytest.raises(StudyError, match=r"2 of 4 runs failed, in 2 of 2 systems .*: no system is left"):
        without_failures(with_failures(runs_of(np.ones((2, 1))), (0, "A"), (1, "B")), "loss")


def test_what_is_not_in_a_published_table_has_not_failed():
    table = pd.DataFrame({"m": ["A", "B", "A"], "data": list("uuv"), "loss": [1.0, 0.5, 3.0]})
    _, notes = without_failures(causal.from_results(table, "m", "A", "B", ["data"], ["loss"]), "loss")
    assert notes[0].startswith("1 of 4 runs are not in the table, in 1 of 2 systems (0 with A, 1 with B).")
