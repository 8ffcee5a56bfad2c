"""One style for all figures: fonts and colours, and the few pieces that every figure module uses."""

from __future__ import annotations

import matplotlib as mpl
import seaborn as sns
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

__all__ = ["REFERENCE", "WIDTH", "log_counts", "use_style"]

WIDTH = 9.0  # inches; what a page of a report shows without scaling
REFERENCE = "0.35"  # grey of lines that are not data


def use_style() -> None:
    """Set the style of all figures of this package: quiet axes, colour-blind-safe colours, the same bytes each time.

    Examples
    --------
    >>> use_style()
    >>> mpl.rcParams["axes.spines.top"]
    False
    """
    sns.set_theme(
        context="notebook",
        style="ticks",
        palette="colorblind",
        rc={
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "axes.axisbelow": True,
            "axes.titlelocation": "left",
            "axes.titleweight": "bold",
            "axes.titlesize": "medium",
            "figure.constrained_layout.use": True,
            "figure.dpi": 110,
            "font.size": 10,
            "grid.color": "0.92",
            "legend.frameon": False,
            "svg.hashsalt": "genexpy_nb",
        },
    )


def log_counts(axis: mpl.axis.Axis) -> None:
    """Label a logarithmic axis with plain numbers at 1, 2 and 5 times a power of ten.

    Examples
    --------
    >>> ax = mpl.figure.Figure().subplots()
    >>> ax.set_xscale("log")
    >>> log_counts(ax.xaxis)
    """
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_minor_formatter(NullFormatter())
