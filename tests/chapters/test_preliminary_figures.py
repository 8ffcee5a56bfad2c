"""What a figure shows is read back from its artists."""

import numpy as np
import pandas as pd

from genexpy_nb.chapters.preliminary import estimate_ratios, relative_errors, sequential_histories


def medians(ax):
    """Heights of the lines inside the boxes."""
    two = [line for line in ax.lines if len(line.get_ydata()) == 2]
    inside = [line.get_ydata() for line in two if line.get_solid_capstyle() == "butt"]
    return {float(y[0]) for y in inside if y[0] == y[1]}


def test_relative_errors_has_a_panel_per_study_and_kernel():
    frame = pd.DataFrame(
        [
            (study, kernel, size, method, 0.1 * size / 10 + 0.01 * draw + (0.3 if method == "resampling" else 0))
            for study in ("A", "B")
            for kernel in ("Borda", "Jaccard", "Mallows")
            for size in (10, 20)
            for method in ("moments", "resampling")
            for draw in range(5)
        ],
        columns=["study", "kernel", "size", "method", "relative_error"],
    )
    fig = relative_errors(frame)
    assert [ax.get_title() for ax in fig.axes[:4]] == ["A:\nBorda", "B:\nBorda", "A:\nJaccard", "B:\nJaccard"]
    assert fig.axes[0].get_ylim() == (0, 1.3)
    assert [text.get_text() for text in fig.legends[0].get_texts()] == ["moments", "resampling"]
    drawn = medians(fig.axes[0])
    for expected in (0.12, 0.22, 0.42, 0.52):
        assert any(np.isclose(expected, value) for value in drawn)


def test_estimate_ratios_marks_a_factor_of_two():
    frame = pd.DataFrame(
        [(n, k, 10, "moments", r) for n in (2, 16) for k in ("Borda", "Mallows") for r in (0.7, 0.9, 1.4)],
        columns=["n_alternatives", "kernel", "size", "method", "ratio"],
    )
    fig = estimate_ratios(frame)
    assert [ax.get_title() for ax in fig.axes] == ["Borda", "Mallows"]
    assert [text.get_text() for text in fig.axes[0].texts] == ["2 alternatives", "16 alternatives"]
    ax = fig.axes[0]
    band = ax.patches[0]
    assert (band.get_y(), band.get_y() + band.get_height()) == (0.5, 2)
    assert ax.get_yscale() == "log" and ax.get_ylim() == (0.2, 10)
    assert any(np.isclose(0.9, value) for value in medians(ax))


def test_a_history_ends_with_a_star_and_infinite_intervals_stay_in_the_frame():
    history = pd.DataFrame(
        {
            "n_experiments": [5, 10, 15],
            "nstar": [20.0, 16.0, 14.0],
            "low": [1.0, 9.0, 10.0],
            "high": [np.inf, 31.0, 20.0],
        }
    )
    fig = sequential_histories({"x": history, "y": history.head(2)})
    for ax, last in zip(fig.axes, ((15, 14.0), (10, 16.0)), strict=True):
        star = next(line for line in ax.lines if line.get_marker() == "*")
        np.testing.assert_allclose(np.column_stack(star.get_data())[0], last)
        assert np.isfinite(ax.collections[0].get_segments()[0]).all()
