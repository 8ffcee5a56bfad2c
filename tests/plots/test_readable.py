"""Every figure can be read with names that are long, odd or many, with outliers and infinite ends, and on a phone."""

import numpy as np
import pandas as pd
import pytest
from readable_figures import check_readable, seen
from runs.simulation import PROCEDURES

from genexpy_nb.chapters import encoders, formalization
from genexpy_nb.chapters import preliminary as preliminary_chapter
from genexpy_nb.chapters.protocol import _SHORT
from genexpy_nb.generalization.exact import weak_orders
from genexpy_nb.generalization.resampling import power_law
from genexpy_nb.plots import causal, protocol
from genexpy_nb.plots import nstar as plots
from tests.made_up_results import crossed as grid

pytestmark = pytest.mark.usefixtures("styled")

NAMES = ["$a_1$ & b", "<b>bold</b> 50 %", "שלום 12", "a long name that does not seem to end", "moments", "Jaccard(1)"]
RNG = np.random.default_rng(0)


def random(frame, **columns):
    return frame.assign(**{name: RNG.lognormal(mean, 0.3, len(frame)) for name, mean in columns.items()})


def ends(frame, share=False):
    """Estimates with intervals; one of them goes far beyond the others, one is infinite."""
    estimate = RNG.uniform(0.05, 0.6, len(frame))
    frame = frame.assign(estimate=estimate, low=0.8 * estimate, high=1.2 * estimate)
    if not share and len(frame) > 3:
        frame.loc[frame.index[:2], "high"] = [np.inf, 1e4]
    return frame


def rates(**columns):
    return ends(grid(procedure=list(PROCEDURES), quantity=["FWER", "power"], **columns), share=True)


def worlds():
    tests = ["paper's test", "McNemar"]
    rows = grid(world=["60 rows", "models alike", NAMES[0]], procedure=tests)
    return protocol.rates_over_worlds(ends(rows, share=True), 0.05)


STUDIES = pd.DataFrame(weak_orders(3)[:3], columns=["$a$", "b", "c"])
LAW = power_law(np.kron(np.eye(2), np.ones((10, 10))), alpha=0.95, epsilon=0.5, n_resamples=50)
MANY_CURVES = pd.DataFrame(dict.fromkeys(NAMES, 1 - 1 / np.arange(2.0, 21)), index=range(1, 20))
CURVES = MANY_CURVES.iloc[:, :4]
GAPS = pd.concat(
    {
        step: pd.DataFrame({"estimate": 0.2, "low": 0.1, "high": 0.3}, index=["$ours$", "the published table"])
        for step in ("everything", "a step with a long name", "another")
    }
)
RATIOS = random(
    grid(n_alternatives=[2, 16], kernel=["Borda(0)", "Jaccard(1)"], size=[10, 80], method=NAMES[:3], i=range(9)),
    ratio=0,
)
HISTORY = pd.DataFrame(
    {"n_experiments": [5, 10, 15], "nstar": [20, 16, 14], "low": [1, 9, 10], "high": [np.inf, 31, 20]}
)

FIGURES = {
    "power_law": lambda: plots.power_law(LAW, 12.0),
    "estimate_histogram": lambda: plots.estimate_histogram(RNG.lognormal(3, 2, 300), dict.fromkeys(NAMES, 20.0)),
    "two_studies": lambda: formalization.two_studies(STUDIES, STUDIES, 0.0, [0.0, 0.4, 0.9], [0.2, 0.5, 0.3], 0.4),
    "curves": lambda: formalization.generalizability_curves(CURVES, 0.9),
    "many_curves": lambda: formalization.generalizability_curves(MANY_CURVES, 0.9),
    "gaps_by_step": lambda: encoders.gaps_by_step(GAPS),
    "ratio_intervals": lambda: preliminary_chapter.ratio_intervals(RATIOS),
    "sequential_history": lambda: preliminary_chapter.sequential_history(HISTORY, {"estimate": 10, "interval": 15}),
    "error_rates": lambda: protocol.error_rates(
        rates()
        .query("quantity == 'FWER'")
        .head(len(_SHORT))
        .assign(procedure=_SHORT.values(), verdict=np.resize(["above", "compatible", "below"], len(_SHORT))),
        0.05,
    ),
    "rate_curves": lambda: protocol.rate_curves(rates(x=[1, 2]), "x", "$x$", {"FWER": "False", "power": "Power"}),
    "rates_over_worlds": worlds,
    "effect_distribution": lambda: causal.effect_distribution(pd.DataFrame({"effect": RNG.normal(size=300)}), 0.1),
}
HEROES = ("ratio_intervals", "toy_samples", "curves", "error_rates")


@pytest.mark.parametrize("name", FIGURES)
def test_the_figure_can_be_read_on_a_page_and_on_a_phone(name):
    fig = FIGURES[name]()
    check_readable(fig)
    # On a phone a figure is 350 pixels wide: its letters are then as large as those of a page in print.
    assert min(text.get_fontsize() for text in seen(fig)) * 350 / (72 * fig.get_figwidth()) >= 10
    boxes = [ax.get_position() for ax in fig.axes if ax.get_label() != "<colorbar>"]
    for box in boxes:  # at most two panels stand in one row
        assert len({round(b.x0, 2) for b in boxes if b.y0 < box.y1 and b.y1 > box.y0}) <= 2
    if name in HEROES:  # seen without scrolling
        assert fig.get_figheight() <= 5
