"""The cheapest sizes of a study with several factors that reach what is wanted."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

_ALL_UP_TO, _STEP = 10, 1.2  # sizes that are looked at first: all small ones, then a grid

#: From designs, shape (n_designs, n_factors), to a truth value or a price for each.
OfDesigns = Callable[[np.ndarray], np.ndarray]


def cheapest_sizes(reach: OfDesigns, price: OfDesigns, lower: np.ndarray, upper: np.ndarray) -> np.ndarray | None:
    """Return the cheapest sizes that reach what is wanted: first from coarse grids, then from all near the best."""
    grids = [_grid(*ends) for ends in zip(lower, upper, strict=True)]
    best = _cheapest_of(reach, price, lower, upper, grids)
    if best is None:
        return None
    near = [
        np.arange(max(low, np.floor(size / _STEP)), min(high, np.ceil(size * _STEP)) + 1)
        for size, low, high in zip(best, lower, upper, strict=True)
    ]
    return _cheapest_of(reach, price, lower, upper, near)


def _cheapest_of(
    reach: OfDesigns, price: OfDesigns, lower: np.ndarray, upper: np.ndarray, grids: Sequence[np.ndarray]
) -> np.ndarray | None:
    """Return the cheapest sizes on grids, but for the first factor that may vary: of that all sizes count."""
    free = int(np.argmax(upper > lower))
    grids = [np.array([upper[free]]) if i == free else grid for i, grid in enumerate(grids)]
    designs = np.stack([each.ravel() for each in np.meshgrid(*grids, indexing="ij")], axis=1)
    designs = designs[reach(designs)]
    if not len(designs):
        return None
    above, below = designs[:, free].copy(), np.full(len(designs), lower[free] - 1)
    while (apart := np.flatnonzero(above - below > 1)).size:
        middle = np.floor((above[apart] + below[apart]) / 2)
        designs[apart, free] = middle
        reached = reach(designs[apart])
        above[apart[reached]], below[apart[~reached]] = middle[reached], middle[~reached]
    designs[:, free] = above
    prices = np.round(price(designs), 9)
    return designs[np.lexsort((designs.prod(axis=1), prices))[0]]


def _grid(low: float, high: float) -> np.ndarray:
    """Return whole numbers from low to high: all small ones, then steps of a fifth, and the last."""
    steps = int(np.ceil(np.log(max(high / _ALL_UP_TO, 1)) / np.log(_STEP)))
    grown = np.floor(_ALL_UP_TO * _STEP ** np.arange(1, steps + 1))
    grid = np.union1d(np.arange(1, _ALL_UP_TO + 1), grown)
    return np.union1d(grid[(grid > low) & (grid < high)], [low, high])
