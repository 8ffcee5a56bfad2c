"""Figures about significance: the matrix of all pairs, and equivalence."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from genexpy_nb.common.prose import MISSING
from genexpy_nb.plots.layout import panels, say_below
from genexpy_nb.plots.style import labels, plain

_MOST_ANNOTATED = 6  # alternatives; with more of them numbers no longer fit into the cells
MOST_NAMED_TWICE = 14  # alternatives; with more of them, names fit on one side only
_MOST_ROWS = 32  # names below each other in one figure


def _of_pairs(pairs: pd.DataFrame, column: str, mirrored: float, diagonal: float) -> pd.DataFrame:
    """Return a column about all pairs as a square table."""
    names = pd.Index(pd.unique(pd.concat([pairs["a"], pairs["b"]])))
    i, j = names.get_indexer(pairs["a"]), names.get_indexer(pairs["b"])
    matrix = np.full((len(names), len(names)), diagonal)
    matrix[i, j], matrix[j, i] = pairs[column], mirrored * pairs[column]
    return pd.DataFrame(matrix, names, names)


def pairwise_matrix(pairs: pd.DataFrame, level: float = 0.05) -> Figure:
    """Draw a cell per pair of `Study.pairs`, blue to orange: worse to better; framed or dotted up to the level."""
    ahead, p_values = _of_pairs(pairs, "estimate", -1.0, 0.0), _of_pairs(pairs, "p_adjusted", 1.0, 1.0)
    means, signs = np.clip(ahead, -1e300, 1e300).mean(axis=1), np.sign(ahead.fillna(0)).sum(axis=1)
    order = ahead.index[np.lexsort([-means, -signs])]
    shown, significant = (m.loc[order, order].to_numpy() for m in (ahead, p_values <= level))
    n = len(order)
    annotated = n <= _MOST_ANNOTATED
    limit = np.nanmax(np.abs(shown), initial=0.0) or 1.0
    fig, (ax,) = panels(1, 5.2 if n > _MOST_ROWS else max(3.6, 2.2 + (0.4 if annotated else 0.18) * n))
    colours = sns.diverging_palette(250, 40, s=85, l=55, as_cmap=True)  # blue to orange, safe for the colour-blind
    image = ax.imshow(shown, cmap=colours, vmin=-limit, vmax=limit, aspect="auto")
    if not annotated:
        rows, columns = np.nonzero(significant)
        ax.scatter(columns, rows, s=min(5.0, 3e4 / n**2), color="black", linewidths=0)
    for row, column in np.argwhere(~np.eye(n, dtype=bool)) if annotated else ():
        number, strong = shown[row, column], significant[row, column]
        said, weight = MISSING if np.isnan(number) else f"{number:.2g}", "bold" if strong else "normal"
        ax.text(column, row, said, ha="center", va="center", fontweight=weight)
        if strong:
            ax.add_patch(plt.Rectangle((column - 0.47, row - 0.47), 0.94, 0.94, fill=False, edgecolor="black"))
    names = labels(order, 16 if n <= MOST_NAMED_TWICE else 30)
    if n <= MOST_NAMED_TWICE:
        ax.set_xticks(range(n), names, rotation=90, parse_math=False)
        ax.set_yticks(range(n), names, parse_math=False)
    else:  # numbers on one side stand for the names on the other, or on both sides for more than can be read
        steps = np.arange(0, n, max(1, n // 5))
        ax.set_xticks(steps, [f"{step + 1}" for step in steps])
        if n > _MOST_ROWS:
            ax.set_yticks(steps, [f"{step + 1}" for step in steps])
        else:
            ax.set_yticks(range(n), [f"{name}  {i + 1}" for i, name in enumerate(names)], parse_math=False)
    ax.grid(visible=False)
    ax.tick_params(length=0)
    which = "places (1 is the best); " if n > _MOST_ROWS else ""
    say_below(fig, f"{which}{'framed' if annotated else 'dot'}: significant at {level:g}, all pairs together")
    bar = fig.colorbar(image, ax=ax, location="top", aspect=30)
    bar.set_label(f"lead of the row (mean {'scores' if pairs.attrs.get('by') == 'score' else 'ranks'})", loc="right")
    return plain(fig)
