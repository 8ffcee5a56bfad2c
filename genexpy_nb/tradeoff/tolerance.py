"""What a family of models tolerates: cells in which a quantity stays within a limit, and the largest box of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import xarray as xr

from genexpy_nb.common.checks import check_choice, check_number
from genexpy_nb.common.rankings import round_significant
from genexpy_nb.tradeoff.array import STATISTICS, objective, over_seeds

#: From the easy corner on, SSIM and size fall, ZeroShot rises.
_TOWARD_HARD = {"ssim": -1, "zero_shot": 1, "size": -1}


@dataclass(frozen=True, eq=False, repr=False)
class ToleranceBox:
    """What a model family tolerates: cells within the limit (``region``), their ``share``, and the sides of the box.

    SSIM at least (of a noise axis with its clean end low: at most), ZeroShot at most, size at least this; None without
    a cell. ``n_ties`` counts other boxes with as many cells.
    """

    quantity: str
    limit: float
    region: xr.DataArray
    share: float
    ssim: float | None
    zero_shot: float | None
    size: float | None
    n_cells: int
    n_ties: int

    def __repr__(self) -> str:
        sign = "<=" if self.region["ssim"][0] > self.region["ssim"][-1] else ">="
        box = "empty"
        if self.n_cells:
            box = f"ssim{sign}{self.ssim:g}, zero_shot<={self.zero_shot:g}, size>={self.size:.12g}"
        return f"ToleranceBox({self.quantity}<={self.limit:g}: {box}, n_cells={self.n_cells}, share={self.share:.3g})"


def tolerance_box(array: xr.Dataset, limit: float, quantity: str = "objective") -> ToleranceBox:
    """Find the cells in which a quantity stays within a limit, and the largest box of them around the easy corner.

    The box is read like the paper's Tables 2 and 3: bounds of SSIM, ZeroShot and size within which every cell is
    tolerated. Measured values need not be monotone, so the region can hold cells that no such box reaches.

    Parameters
    ----------
    array : xarray.Dataset
        From `genexpy_nb.tradeoff.to_array`. With seeds, their means are used.
    limit : float
        Compared at 12 significant digits.
    quantity : str
        ``objective``, or one of the six statistics.

    Returns
    -------
    ToleranceBox
        The box with most cells; of several the one with the lower SSIM, then the higher ZeroShot.
    """
    check_choice("quantity", quantity, ("objective", *STATISTICS))
    check_number("limit", limit)
    means = over_seeds(array)
    values = objective(means) if quantity == "objective" else means[quantity]
    region = (values.copy(data=round_significant(values)) <= round_significant(limit)).rename("tolerated")

    toward = [slice(None, None, step) for step in _TOWARD_HARD.values()]
    inside = region.transpose(*_TOWARD_HARD).to_numpy()[tuple(toward)]
    for axis in range(3):
        inside = np.logical_and.accumulate(inside, axis=axis)
    sides = np.ogrid[tuple(slice(1, n + 1) for n in inside.shape)]
    n_cells = np.where(inside, sides[0] * sides[1] * sides[2], 0)
    most = int(n_cells.max())
    bounds: dict[str, float | None] = dict.fromkeys(_TOWARD_HARD)
    if most:
        # Farther from the easy corner comes first among ties: the last in this order.
        at = np.argwhere(n_cells == most)[-1]
        for name, way, i in zip(_TOWARD_HARD, toward, at, strict=True):
            bounds[name] = float(means[name].to_numpy()[way][i])
    return ToleranceBox(
        quantity=quantity,
        limit=float(limit),
        region=region,
        share=float(region.mean()),
        **bounds,
        n_cells=most,
        n_ties=int((n_cells == most).sum()) - 1 if most else 0,
    )
