"""What notebooks 07 and 15 need: what the paper prints, tables and figures of own runs, what repeats on other data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import permutations, product
from typing import TypeAlias

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike

from genexpy_nb.chapters.shared import made
from genexpy_nb.common import page
from genexpy_nb.common.page import show_table
from genexpy_nb.common.prose import how_many, percent, span, together, verbatim
from genexpy_nb.datasets import load_tradeoff_measures
from genexpy_nb.plots import tradeoff as figures
from genexpy_nb.tradeoff.array import KAPPAS, NoiseAxis, over_seeds
from genexpy_nb.tradeoff.compare import (
    comparable_families,
    family_differences,
    kappa_correlations,
    noise_curve,
    same_cells,
    slice_marginal,
)
from genexpy_nb.tradeoff.images import SSIM_LEVELS, ImageTask, PCANoise, digits_task
from genexpy_nb.tradeoff.point import TradeoffPoint, bootstrap_points, point_table, weight_sensitivity
from genexpy_nb.tradeoff.signerror import GROUPS, MEASURES, null_band, sign_error_table
from genexpy_nb.tradeoff.tolerance import tolerance_box

Families: TypeAlias = Mapping[str, xr.Dataset]

#: The sides of a cell.
_HARD = ("ssim", "zero_shot", "size")

# --- what the paper prints --------------------------------------------------------------------------------------------

_POINT = ["data", "family", "ssim", "zero_shot", "size", "generalization_bound", "diversity_bound"]

_TABLES = {
    "points": [
        ("ImageNet", "CLIP", 0.779, 0.175, 167e6, 0.364, 0.087),
        ("ImageNet", "EfficientNet", 0.891, 0.106, 23e6, 0.206, 0.075),
        ("CIFAR-100", "CLIP", 0.824, 0.228, 56e6, 0.852, 0.164),
        ("CIFAR-100", "EfficientNet", 0.976, 0.166, 43e6, 0.902, 0.139),
    ],
    "article": [
        ("ImageNet", "CLIP", 0.874, 0.285, 116e6, 0.279, 0.276),
        ("ImageNet", "EfficientNet", 0.805, 0.295, 20e6, 0.284, 0.280),
        ("CIFAR-100", "CLIP", 0.949, 0.182, 163e6, 0.657, 0.668),
        ("CIFAR-100", "EfficientNet", 0.937, 0.258, 22e6, 0.600, 0.608),
    ],
    "spread": [(0.85, 0.137, 0.674)],  # Figure 2 (j): EfficientNet on CIFAR-100, along SSIM
}


def published_tradeoff(table: str) -> pd.DataFrame:
    """Return what the paper prints."""
    return pd.DataFrame(_TABLES[table], columns=["ssim", "kappa_mean", "kappa_std"] if table == "spread" else _POINT)


def figure_2(source: str = "paper") -> pd.DataFrame:
    """Return what was read off the marginals of the paper (its Figure 2) or of the article: see data/README.md."""
    return made("figure2").query("source == @source")


def published_bounds(source: str = "paper") -> pd.DataFrame:
    """Compare the printed bounds with the means of the three stars in the figure."""
    points = published_tradeoff("points" if source == "paper" else source).set_index(["data", "family"])
    stars = figure_2(source).query("seen == 'star'")
    rows = []
    for bound, statistic in (("generalization", "error_mean"), ("diversity", "kappa_mean")):
        for (data, family), part in stars[stars["statistic"] == statistic].groupby(["data", "family"], sort=False):
            read, printed = part["value"].tolist(), points.loc[(data, family), f"{bound}_bound"]
            row = (data, family, f"{bound} bound", printed, *read, np.mean(read), printed - np.mean(read))
            rows.append((*row, part["reading_error"].mean()))
    along = ["along_ssim", "along_zero_shot", "along_size"]
    columns = ["data", "family", "bound", "printed", *along, "mean", "difference", "reading_error"]
    return pd.DataFrame(rows, columns=columns)


def changes(source: str = "paper") -> pd.DataFrame:
    """Count pairs of levels between which error and Kappa rise or fall in the figure, by more than reading errors."""
    dots = figure_2(source).query("seen != 'star' and statistic in ('error_mean', 'kappa_mean')").sort_values("level")
    both = dots[dots["dimension"] == "size"].assign(family="both families")
    keys, rows = ["statistic", "dimension", "data", "family"], {}
    for key, part in pd.concat([dots, both]).groupby(keys, sort=False):
        value, error = part["value"].to_numpy(), part["reading_error"].to_numpy()
        one, other = np.triu_indices(len(part), 1)
        signs = np.sign(value[other] - value[one]) * (np.abs(value[other] - value[one]) > error[one] + error[other])
        rises, falls = (signs > 0).sum(), (signs < 0).sum()
        ends = (falls / len(one), 1 - rises / len(one))
        rows[key] = (rises, falls, len(one) - rises - falls, len(one), *ends, *null_band(len(part)))
    # the sign-error of the level lies from low to high; only up to right, or from wrong, it is no chance
    columns = ["rises", "falls", "unclear", "pairs", "low", "high", "right", "wrong"]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    return table.set_axis(pd.MultiIndex.from_tuples(table.index, names=keys)).sort_index()


def largest_deviation(mean: ArrayLike, low: float = 0.0, high: float = 1.0) -> np.ndarray:
    """Return the largest standard deviation that numbers between two ends can have, given their mean."""
    means = np.asarray(mean, dtype=float)
    return np.sqrt((high - means) * (means - low))


def check_published() -> None:
    """Keep what the paper prints beside what follows from its figure, and show both."""
    printed_later = published_tradeoff("article").set_index(["data", "family"])
    for row in published_bounds().itertuples():
        family = "" if row.family == "CLIP" else "-efficientnet"
        later = f"; the article: {printed_later.loc[(row.data, row.family), 'generalization_bound']:.3f}"
        later *= row.bound == "generalization bound"  # the article has another Kappa
        page.key_number(
            f"marginals-{row.bound.split()[0]}-{row.data.lower()}{family}",
            f"{row.bound} of {row.family} on {row.data}",
            row.mean,
            published=row.printed,
            source=f"Huang et al. (2024), Table {2 if row.data == 'ImageNet' else 3}",
            reason=f"mean of three stars in Figure 2, read to about {row.reading_error:.3f}{later}",
            decimals=3,
        )
    said = (
        "What the preprint prints, and what we read off its figure. Bounds average three means over the point's levels."
    )
    page.show_published("published", said, "Published numbers, and ours", "read off the figure")


# --- one table of cells -----------------------------------------------------------------------------------------------


#: What pages call the versions of Kappa.
VERSIONS = {"conflict_abs": "unsigned conflict", "cohen": "disagreement"}


def kappa_versions(cells: pd.DataFrame, kappa: str = "") -> list[str]:
    """Return the versions of Kappa that a table holds, first the one that is looked at where one must be."""
    there = [name for name, column in KAPPAS.items() if column in cells]
    first = kappa or (there[0] if there else "kappa")
    return [first, *(name for name in there if name != first)]


def noisy_images(task: ImageTask) -> dict[float, np.ndarray]:
    """Return the test images of a task at every noise level."""
    noise = PCANoise().fit(task.train_images)
    return {level: noise.degrade(task.test_images, level) for level in SSIM_LEVELS}


def show_noise_levels(task: ImageTask, images: Mapping[float, np.ndarray]) -> None:
    """Show some test images at every noise level."""
    chosen = [int(np.flatnonzero(task.test_labels == label)[0]) for label in sorted({*task.seen, *task.unseen})[::4]]
    page.show_figure(
        figures.noise_levels({level: each[chosen] for level, each in images.items()}),
        "noise-levels",
        "**Digits lose their strokes first and their shape last.** Above each is the mean SSIM of the test images.",
        f"Handwritten digits at similarities from {max(images):g} to {min(images):g}: strokes blur until shapes merge.",
    )


# --- which family errs less -------------------------------------------------------------------------------------------


def noise_curves(arrays: Families, zero_shot: float) -> pd.DataFrame:
    """Average the error of each family at every noise level, with a share of unseen classes near `zero_shot`."""
    shown = (any(array.attrs["n_missing"] for array in arrays.values()) and comparable_families(arrays)) or arrays
    shares = {name: _nearest(array["zero_shot"].to_numpy(), zero_shot) for name, array in shown.items()}
    return pd.concat(
        noise_curve(shown[name], share).assign(family=name, panel=f"{percent(share)} of the classes unseen")
        for name, share in shares.items()
    )


def show_curves(curves: pd.DataFrame, of: xr.Dataset) -> None:
    """Draw the error over noise; the tables go from the noisiest images to the cleanest ones."""
    levels = [span(of["estimate"], "{:.2f}") for _, of in curves.groupby("ssim", sort=False)]
    noisiest, cleanest = levels[0], levels[-1]
    said = f"Mean errors are {cleanest} on the cleanest images and {noisiest} on the noisiest."
    page.show_figure(
        figures.error_over_noise(curves, "mean error", NoiseAxis.of(of)),
        "noise",
        f"**{said}** Lines are means over classes, sizes and seeds. Bands are 95 % t intervals over the seeds.",
        said,
    )


def differences(arrays: Families, zero_shot: float) -> pd.DataFrame:
    """Compare two families at each noise level, seed by seed; without rows where there are not two to be compared."""
    comparable = comparable_families(arrays)
    share = _nearest(next(iter((comparable or arrays).values()))["zero_shot"].to_numpy(), zero_shot)
    if len(comparable) != 2 or min(array.sizes.get("seed", 1) for array in comparable.values()) < 2:
        found = pd.DataFrame(columns=["ssim", "estimate", "low", "high", "n_seeds"])
    else:
        first, second = comparable.values()
        found = family_differences(first, second, share).iloc[::-1].reset_index(drop=True)
    found.attrs |= {"families": tuple(comparable), "share": share}
    return found


def turning(found: pd.DataFrame) -> str:
    """Say at how many shares of unseen classes the order of two families clearly changes with the noise."""
    if found.empty:
        return "We cannot compare families"
    ends = found.groupby("share").agg({"high": "min", "low": "max"})
    n = ((ends["high"] < 0) & (ends["low"] > 0)).sum()
    return f"Which family errs less depends on the noise{_of(n, len(ends))}"


def errs_less(found: pd.DataFrame, level: float, families: Iterable[str]) -> str:
    """Say which of two families clearly errs less at one level of noise, and at which shares of unseen classes."""
    at, (one, other) = found[found["ssim"] == level], families
    clear = {one: at["high"] < 0, other: at["low"] > 0}
    shares = {name: together(map(percent, at["share"][less])) for name, less in clear.items() if less.any()}
    whole = any(less.all() for less in clear.values())
    said = [f"{name} err less{'' if whole else f' with {of} of the classes unseen'}" for name, of in shares.items()]
    rest = [f"{'otherwise ' * bool(said)}the order is unclear"] * (not (clear[one] | clear[other]).all())
    return ", and ".join([*said, *rest])


def _of(n: int, total: int) -> str:
    return "" if n == total else f" at {n or 'none'} of {how_many(total, 'share')} of unseen classes"


def show_differences(by_share: pd.DataFrame, found: pd.DataFrame, of: xr.Dataset) -> None:
    """Show the differences of two families at all shares, from the cleanest images to the noisiest; one has bars."""
    if found.empty:
        return
    one, other = map(verbatim, found.attrs["families"])
    page.show_figure(
        figures.difference_over_noise(found, found.attrs["families"], NoiseAxis.of(of), by_share),
        "differences",
        f"**{turning(by_share)}.** Values are mean errors of {one} minus those of {other}. Marks are means over "
        f"{found['n_seeds'].iloc[0]} seeds, with {percent(found.attrs['share'])} of the classes unseen. Bars are 95 % "
        "confidence intervals (t-tests); each holds for its mark, not for all at once. Thin lines are other shares.",
        f"From the cleanest to the noisiest images: {', '.join(map('{:+.3f}'.format, found['estimate']))}.",
    )


# --- the trade-off point ----------------------------------------------------------------------------------------------


def show_maps(arrays: Families, points: Mapping[str, TradeoffPoint]) -> None:
    """Show the mean error over noise and size, and the points."""
    means = [over_seeds(array)["error_mean"].mean("zero_shot", skipna=False) for array in arrays.values()]
    by = [pd.Series([float((of.max(along) - of.min(along)).max()) for of in means]).max() for along in ("ssim", "size")]
    said = f"**The mean error changes by up to {by[0]:.2f} with noise and by up to {by[1]:.2f} with size.** "
    said *= bool(by[1] >= 0)
    shares = [f"{verbatim(name)} {percent(at.zero_shot)}" for name, at in points.items()]
    page.show_figure(
        figures.point_maps(arrays, points),
        "maps",
        f"{said}The background is the mean error, averaged over seeds and shares of unseen classes. Circles mark the "
        f"trade-off points (unseen classes: {', '.join(shares)}). The hard corner is at the lower right.",
        "; ".join(f"{family}: {at.ssim:g}" for family, at in points.items()),
    )


def ahead(places: pd.DataFrame, cleaner: str) -> str:
    """Say which of two families is ahead, if none of noise, unseen classes and size says otherwise."""
    if len(places) != 2 or places.isna().any(axis=None):
        return "there are not two families to rank"
    (one, a), (other, b) = places.set_index("family").iterrows()
    noise = (b["ssim"] - a["ssim"]) * (1 if cleaner == "high" else -1)
    smaller = b["size"] / a["size"]  # within 10 %, sizes count as the same
    signs = np.sign([noise, a["zero_shot"] - b["zero_shot"], int(smaller > 1.1) - int(smaller < 1 / 1.1)])
    if signs.min() == -signs.max():
        return "neither family is ahead in everything" if signs.any() else "the two families are level"
    lead, behind = (one, other) if signs.max() > 0 else (other, one)
    same = ("the same noise", "the same share of unseen classes", "the same size")
    more = ("more noise", "more unseen classes", "a smaller network")
    return f"{lead} are ahead of {behind}: they reach {together(np.where(signs, more, same))}"


def spread(values: pd.DataFrame, column: str = "ssim") -> float:
    """Return how far the point of a family moves at most, along one coordinate."""
    return float((values.groupby("family")[column].agg(np.ptp)).max()) if len(values) else 0.0


def sizes_in_draws(arrays: Families, weight: float) -> tuple[float, float]:
    """Return how often the first of two families has the smaller network, and how often the same, over draws."""
    first, second = (bootstrap_points(array, weights=weight)["size"] for array in arrays.values())
    larger = second / first  # within 10 %, sizes count as the same
    return float((larger > 1.1).mean()), float(larger.between(1 / 1.1, 1.1).mean())


def points_by_weight(arrays: Families) -> pd.DataFrame:
    """Find the points for many equal weights."""
    return pd.concat(weight_sensitivity(array).assign(family=name) for name, array in arrays.items())


def moves(sensitivity: pd.DataFrame, of: xr.Dataset) -> str:
    """Say how far the weights move a point in noise."""
    far, axis = spread(sensitivity), NoiseAxis.of(of).name
    if np.isclose(far, np.ptp(of["ssim"].to_numpy())):
        return "moves from the cleanest to the noisiest images that we measured"
    return f"moves by up to {far:.2f} in {axis}"


def show_weights(sensitivity: pd.DataFrame, of: xr.Dataset) -> None:
    """Show where the points go as all weights grow."""
    said = f"As all weights grow from 0.01 to 10, a point {moves(sensitivity, of)}."
    more = " Up is harder. Where lines coincide, the thin one is in front."
    page.show_figure(figures.weight_curves(sensitivity, NoiseAxis.of(of)), "weights", f"**{said}**{more}", said)


def tolerance_boxes(arrays: Families, tolerated: Iterable[float]) -> pd.DataFrame:
    """Find the tolerance box of each family for each tolerated error, and the middle 95 % of 300 resamples."""
    rows, sides = [], ["ssim", "zero_shot", "size"]
    for (name, array), limit in product(arrays.items(), tolerated):
        means, n, found = over_seeds(array).copy(deep=True), array.sizes.get("seed", 1), []
        seeds = array["error_mean"].to_numpy().reshape(n, *means["error_mean"].shape)
        drawn = np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), size=300)
        for resampled in np.tensordot(np.vstack([np.ones(n), drawn]) / n, seeds, 1):
            means["error_mean"].data[:] = resampled
            box = tolerance_box(means, limit, "error_mean")
            found.append([getattr(box, side) for side in sides])
        table = pd.DataFrame(found, columns=sides, dtype=float)
        row = {"family": name, "tolerated": limit, **table.iloc[0]}
        for end, share in (("low", 0.025), ("high", 0.975)):
            row |= table.iloc[1:].quantile(share, interpolation="nearest").add_suffix(f"_{end}").to_dict()
        rows.append(row)
    return pd.DataFrame(rows)


def rank_boxes(boxes: pd.DataFrame, arrays: Families) -> str:
    """Say which of two families is ahead: its whole intervals are not behind, its sizes too small for the other one."""
    cleaner = NoiseAxis.of(next(iter(arrays.values()))).cleaner
    sign, easy, hard = (1, "high", "low") if cleaner == "high" else (-1, "low", "high")
    for a, b in permutations(boxes.to_dict("records"), 2) if len(boxes) == 2 else ():
        sizes = arrays[b["family"]]["size"].to_numpy()
        enough = 1.1 * sizes[sizes < b["size_low"]].max(initial=0) >= a["size_high"]  # within 10 %, they are the same
        if enough and sign * (b[f"ssim_{hard}"] - a[f"ssim_{easy}"]) >= 0 and a["zero_shot_low"] >= b["zero_shot_high"]:
            return ahead(boxes[["family", *_HARD]], cleaner)
    return "neither family is clearly ahead"


def at_edge(boxes: pd.DataFrame, arrays: Families) -> str:
    """Say whether boxes of one tolerated error end where the measurements do."""
    limits, at = boxes["tolerated"].head(1), []
    for side, name in zip(_HARD, ("noisiest images", "most unseen classes", "smallest network"), strict=True):
        hardest = {of: float(array[side][-1 if side == "zero_shot" else 0]) for of, array in arrays.items()}
        there = [box["family"] for box in boxes.to_dict("records") if box[side] == hardest[box["family"]]]
        at += [f"{together(there)} reach the {name}"] if there else []
    return "".join(f"With {of:g}, {together(at)} that we measured, so they may go further. " for of in limits if at)


def show_boxes(boxes: pd.DataFrame, of: xr.Dataset, edge: str = "") -> None:
    """Show how far the tolerance box of each family goes, for each tolerated error, and what was found."""
    page.show_figure(
        figures.box_sides(boxes, NoiseAxis.of(of)),
        "boxes",
        f"**How far each family stays below an error that you accept.** Up is harder. {edge}Bars show the middle 95 % "
        "of the boxes when seeds are drawn with replacement (bootstrap). Where all agree, there is no bar.",
        "; ".join(f"{box.family}, error {box.tolerated:.2g}: from size {box.size:,.0f}" for box in boxes.itertuples()),
    )


# --- other data -------------------------------------------------------------------------------------------------------


def show_gaps(table: pd.DataFrame, n_seeds: int) -> None:
    """Show differences from residual networks, on the cleanest and the noisiest images."""
    to = {"plain": "10 classes: plain", "compound": "40: deeper", "augmented": "40: shifted", "decayed": "40: decay"}
    table = table.assign(pair=table["family"].replace(to) + " − residual")
    page.show_figure(
        figures.family_gaps(table),
        "gaps",
        f"**With {how_many(n_seeds, 'seed')}, no order clearly changes.** Each row subtracts mean errors of two "
        "families, with half of the classes unseen. Left of 0, the family named first errs less. Plain networks skip "
        "no layers. Deeper ones have more. Shifted ones learned from shifted photographs. With decay, weights shrink. "
        "Bars are 95 % confidence intervals (from t-tests).",
        "; ".join(f"{row.pair}, {row.images}: {row.estimate:+.3f}" for row in table.itertuples()),
        "Differences of four pairs of families on photographs",
    )


# --- complexity measures ----------------------------------------------------------------------------------------------


def measures_of(cells: pd.DataFrame, path: str = "", own: bool = False) -> pd.DataFrame:
    """Return the complexity measures of networks, a row for each; of one's own ones the size, if no file has more."""
    if own and not path:
        return cells[["family", "size"]].drop_duplicates().assign(measure="size", value=lambda table: table["size"])
    networks = load_tradeoff_measures(path, cells["family"].unique())
    names = [name for name in MEASURES if name in networks]
    identity = [name for name in ("family", "seed", "size") if name in networks]
    called = {name: "number of weights" if name == "params" else name.replace("_", " ") for name in names}
    return networks.melt(identity, names, "measure", "value").replace({"measure": called})


def errors_by_size(arrays: Families) -> pd.DataFrame:
    """Return what the measures should predict: the mean error of each size, on clean images and on noisy ones."""
    parts = []
    for name, array in arrays.items():
        whole = same_cells(array, "size")
        other_noise = NoiseAxis.of(array).column != "ssim"
        there = {"ssim": other_noise or 1.0 in array["ssim"], "zero_shot": 0.0 in array["zero_shot"]}
        tables = [slice_marginal(whole, which).assign(family=name) for which, is_there in there.items() if is_there]
        parts += [table for table in tables if (table["n_cells"] > 0).all()]
    return pd.concat(parts) if parts else pd.DataFrame(columns=["family", "slice", "seed", "size", "estimate"])


#: What a sign-error can say: at the lower end of the band of chance or below, at its upper end or above, between.
VERDICTS = ("right", "reversed", "like chance")


def averaged_sign_errors(measures: pd.DataFrame, target: pd.DataFrame, level: float = 0.05) -> pd.DataFrame:
    """Compute one sign-error per measure, of what is averaged over the seeds."""
    if target.empty:
        return pd.DataFrame(columns=["family", "slice", "measure", "sign_error", "by_chance", "group", "verdict"])
    of_measures = [name for name in ("family", "size", "measure") if name in measures]
    of_target = [name for name in (*GROUPS, "size") if name in target]
    table = sign_error_table(
        measures.groupby(of_measures, as_index=False, sort=False, observed=True)["value"].median(),
        target.groupby(of_target, as_index=False, sort=False, observed=True)["estimate"].mean(),
        level,
    )
    error, (right, upside_down, chance) = table["sign_error"], VERDICTS
    verdicts = np.select([error <= table["band_low"], error >= table["band_high"]], [right, upside_down], chance)
    return table.assign(verdict=pd.Series(verdicts, table.index, dtype=object).where(error.notna()))


def count_verdicts(table: pd.DataFrame) -> pd.DataFrame:
    """Count the verdicts of each family and slice; measures that order all sizes alike count once."""
    where = [name for name in GROUPS if name in table]
    once = table.drop_duplicates([*where, "group"])
    counted = {"measures": once["group"].notna(), "above 1/2": once["sign_error"] > 0.5}
    counted |= {verdict: once["verdict"] == verdict for verdict in VERDICTS}
    return once[where].assign(**counted).groupby(where, observed=True).sum().astype(int)


def orders_of(counted: pd.DataFrame) -> str:
    """Say how many different orders of its sizes the measures make in each family."""
    orders = counted["measures"].groupby("family", sort=False).max()
    said = [f"{how_many(n, 'different order')} for {family}" for family, n in orders.items()]
    return together(said) if said else "no order that could be compared"


def agreed(table: pd.DataFrame, verdict: str) -> str:
    """Count the measures that have a verdict on clean images in all families, and name three, or one of many."""
    same = (table[table["slice"] == "ssim"]["verdict"] == verdict).groupby(table["measure"], sort=False).all()
    n, named = int(same.sum()), same.index[same]
    return f"{how_many(n, 'measure')} ({together(named, 2 if n < 4 else 1)})" if n else "no measure"


def verdicts_of(counted: pd.DataFrame) -> str:
    """Say how many orders are right, reversed and like chance, in each part of the array."""
    called = {"ssim": "On clean images", "zero_shot": "On noisy images"}
    parts = counted.groupby("slice", sort=False).sum()
    some = (
        "{right} of {measures} orders agree with the errors, {reversed} contradict them and {like chance} may be chance"
    )
    every = "chance could explain all {measures} orders"
    said = ". ".join(
        f"{called[str(part)]}, {(some if row['like chance'] < row['measures'] else every).format(**row)}"
        for part, row in parts.iterrows()
    )
    return said or "Nothing could be compared"


def show_sign_errors(averaged: pd.DataFrame) -> None:
    """Draw the sign-errors of all measures, beside what chance gives."""
    if averaged.empty:
        return
    total = count_verdicts(averaged).sum()
    page.show_figure(
        figures.sign_errors(averaged, str(averaged["measure"].iloc[0])),
        "sign-errors",
        f"Of {total['measures']} filled marks, {total['like chance']} may be chance (shaded). Each row is a measure; "
        "(= l2, + 9) adds l2 and nine more that order the sizes alike. Hollow marks repeat an order from a row above.",
        f"The sign-errors reach from {span(averaged['sign_error'])}.",
    )


# --- at the end -------------------------------------------------------------------------------------------------------


def keep_key_numbers(found: pd.DataFrame, boxes: pd.DataFrame, noise: str, moved: Mapping[str, float]) -> None:
    """Keep the numbers of notebook 07, and show them; boxes are for one tolerated error."""
    for key, words, i in (("clean", "cleanest", 0), ("noisy", "noisiest", -1)) if len(found) else ():
        (one, other), share = found.attrs["families"], percent(found.attrs["share"])
        label = f"mean error, {one} minus {other}, on the {words} images, {share} of the classes unseen"
        page.key_number(f"difference-{key}", label, *found.iloc[i][["estimate", "low", "high"]], decimals=3)
    for number, row in enumerate(boxes.dropna().head(2).itertuples(), start=1):
        label = f"smallest size of {row.family} in the box with a mean error of {row.tolerated:g}"
        page.key_number(f"box-{number}", label, row.size, row.size_low, row.size_high, decimals=0)
    for by, most in moved.items():
        page.key_number(f"reach-{by.split()[0]}", f"how far {by} move a point in {noise}", most, decimals=2)
    said = "Intervals are 95 % t intervals (errors), or from a bootstrap over seeds (sizes)."
    page.show_key_numbers(f"All key numbers of this page, also in the JSON file next to it. {said}")


def keep_sign_numbers(total: pd.Series) -> None:
    """Keep those of notebook 15, and show them."""
    if total["measures"]:
        for key, verdict in (("chance", "like chance"), ("reversed", "reversed")):
            label = f"share of the comparisons of measures with errors that are {verdict}"
            page.key_number(f"signs-{key}", label, total[verdict] / total["measures"], decimals=2)
    page.show_key_numbers()


def _nearest(shares: ArrayLike, share: float) -> float:
    return float(min(np.asarray(shares, dtype=float), key=lambda level: abs(level - share)))
