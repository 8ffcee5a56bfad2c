"""Figures of one's own study: what they show is what the frames say, and it can be read at any size."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from readable_figures import check_readable, names

import genexpy_nb as gx
from genexpy_nb.plots import nstar as nstar_figures
from genexpy_nb.plots import study as figures


def scores(k, n=12):
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.normal(size=(n, k)) + np.linspace(2, 0, k), columns=names(k))


def ranks(k):
    at = np.arange(1, k + 1)
    frame = {"mean_rank": at / 1.0, "position": at, "low": np.maximum(1, at - 3), "high": np.minimum(k, at + 4)}
    return pd.DataFrame(frame, index=names(k))


def pairs(k):
    table = scores(k)
    i, j = np.triu_indices(k, 1)
    difference = table.to_numpy()[:, i] - table.to_numpy()[:, j]
    frame = {"wins": (difference > 0).sum(axis=0), "ties": 0, "losses": (difference < 0).sum(axis=0)}
    told = np.where(np.abs(i - j) > k / 3, 0.001, 0.6)
    pairs = {"a": table.columns[i], "b": table.columns[j], "estimate": difference.mean(axis=0)}
    return pd.DataFrame({**pairs, "p_adjusted": told, **frame})


SIZED = {
    "pairwise_matrix": lambda k: figures.pairwise_matrix(pairs(k)),
    "missing_cells": lambda k: figures.missing_cells(scores(k).where(scores(k) > 0)),
    "rank_positions": lambda k: figures.rank_positions(ranks(k)),
}


@pytest.mark.parametrize("k", [2, 20, 300])
@pytest.mark.parametrize("name", SIZED)
def test_every_figure_can_be_read_at_any_number_of_alternatives(name, k):
    gx.plots.use_style()
    check_readable(SIZED[name](k))


def curves_frame():
    n = np.arange(2, 60)
    parts = [{"kernel": k, "n": n, "estimate": 1 - np.exp(-n / (8 * (i + 1)))} for i, k in enumerate(("A", "B($x$)"))]
    return pd.concat(map(pd.DataFrame, parts))


def planned(n):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"model": (names(20) * 3)[:n], "metric": [f"m{i}" for i in range(n)], "n_experiments": 30})
    frame = frame.assign(kernel="Borda($x$)", alpha=0.95, delta=0.05, nstar=np.exp(rng.normal(3.3, 0.7, n)))
    return gx.plan(frame.assign(low=frame["nstar"] * 0.7, high=frame["nstar"] * 1.5))


OTHERS = {
    "generalizability_curves": lambda: figures.generalizability_curves(curves_frame(), 41, 0.95, 0.05),
    **{
        f"forest of {n}": lambda n=n: nstar_figures.nstar_forest(planned(n), ["model", "metric", "kernel"])
        for n in (1, 3, 50)
    },
    **{f"overview of {n}": lambda n=n: nstar_figures.nstar_overview(planned(n)) for n in (1, 3)},
}


@pytest.mark.parametrize("name", OTHERS)
def test_every_other_figure_can_be_read(name):
    gx.plots.use_style()
    check_readable(OTHERS[name]())


def test_missing_cells_are_where_they_are_missing():
    table = pd.DataFrame({"a": [1.0, np.nan, 1.0], "b": [1.0, 2.0, 3.0], "c": [np.nan, np.nan, 1.0]})
    ax = figures.missing_cells(table).axes[0]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["b", "a", "c"]
    np.testing.assert_array_equal(ax.images[0].get_array(), [[1, 1, 1], [1, 1, 0], [1, 0, 0]])
    assert ax.get_title(loc="left") + ax.get_title() == "6 of 9 scores are there"


@pytest.mark.parametrize("shape", [(401, 3), (1000, 3), (7, 1203)])
def test_pixels_of_a_large_table_keep_its_share(shape):
    table = pd.DataFrame(np.random.default_rng(0).random(shape))
    table = table.where(table > 0.3)
    image = figures.missing_cells(table).axes[0].images[0].get_array()
    assert image.shape == tuple(min(side, 400) for side in shape[::-1])
    assert image.mean() == pytest.approx(table.notna().to_numpy().mean(), abs=0.01)


def test_positions_and_their_intervals():
    ax = figures.rank_positions(ranks(40), most=25).axes[0]
    segments = np.array(ax.collections[0].get_segments())[:, :, 0]
    np.testing.assert_array_equal(segments, ranks(40)[["low", "high"]].head(25))
    assert "25 of 40" in ax.get_title(loc="left") + ax.get_title()


def test_infinite_estimates_are_not_hidden():
    frame = planned(3)
    frame.loc[1, "nstar"] = np.inf
    assert "1 whose n* is infinite" in nstar_figures.nstar_forest(frame, ["metric"]).axes[0].get_xlabel()
    assert nstar_figures.nstar_overview(frame).get_supxlabel() == "not shown: 1 infinite estimates of 3"


@pytest.mark.parametrize(("k", "numbered"), [(32, False), (33, True), (300, True)])
def test_more_alternatives_than_can_be_named_have_numbers(k, numbered):
    fig = SIZED["pairwise_matrix"](k)
    assert ("1 is the best" in fig.get_supxlabel().replace("\n", " ")) == numbered
    assert (len(fig.axes[0].get_yticks()) < k) == numbered


def test_alpha_and_delta_stand_on_figures_of_nstar():
    drawn = (nstar_figures.nstar_forest(planned(3), ["metric"]), OTHERS["generalizability_curves"]())
    for fig in drawn:
        texts = " ".join(text.get_text() for text in fig.findobj(mpl.text.Text))
        assert "α = 0.95" in texts and "δ = 0.05" in texts
