"""What a figure shows is read back from its artists."""

import numpy as np
import pandas as pd

from genexpy_nb.chapters.preliminary import sequential_history


def test_a_history_marks_both_ends_and_infinite_intervals_stay_in_the_frame():
    history = pd.DataFrame(
        {
            "n_experiments": [5, 10, 15],
            "nstar": [20.0, 16.0, 14.0],
            "low": [1.0, 9.0, 10.0],
            "high": [np.inf, 31.0, 20.0],
        }
    )
    (ax,) = sequential_history(history, {"estimate": 10, "interval": 15}).axes
    for marker, end in (("P", (10, 16.0)), ("*", (15, 14.0))):
        mark = next(line for line in ax.lines if line.get_marker() == marker)
        np.testing.assert_allclose(np.column_stack(mark.get_data())[0], end)
    assert np.isfinite(ax.collections[0].get_segments()[0]).all()
