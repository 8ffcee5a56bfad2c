# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["slide"]
# # The trade-off point: how far does a family of models generalize?
#
# *Executable companion to* A practical generalization metric for deep networks benchmarking.
#
# One accuracy on one test set says little about how a model behaves elsewhere. The paper measures families of models along
# three dimensions at once (noise, classes that the model has never seen, and its size) and condenses the result into one
# **trade-off point**. It then asks whether theory would have predicted what was measured, and finds that it mostly would
# not. Its cells were not published, and its equations are lost in the text that we have; what follows are reconstructions, marked as such.
#
# **You will learn** what a cell of the three-dimensional array holds, why "Kappa" means three different things in three editions of one work, how the
# trade-off point is found and on what it depends, what of a published result can be reproduced without its data, and how
# large a sign-error of a complexity measure must be before it says anything.
#
# **You need** to know what a neural network, a confusion matrix and a permutation test are.
#
# **Time** 55 minutes to read, 135 with the exercises.

# %% [markdown]
# ## Parameters

# %% tags=["parameters"]
results: str = ""  # file (CSV, parquet, Excel) with cells of your own models; empty: this project's runs on digits
measures: str = ""  # file with complexity measures of the same models; empty: the ones of the runs on digits
error: str = "error_rate"  # what is called error: error_rate, or gap (test minus training)
kappa: str = ""  # edition of Kappa: conflict, conflict_abs, cohen, or another column; empty: the first that is there
noise: str = "ssim"  # column of the noise axis
cleaner: str = "high"  # whether high or low values of it mean little noise
missing: str = "error"  # what becomes of cells that are missing: error, or drop (no point is put there)
weights: dict[str, float] = {"ssim": 1.0, "zero_shot": 1.0, "size": 1.0}  # of the three wishes: noisy, unseen, small
size_scale: str = "linear"  # how sizes are put on [0, 1]: linear, log or rank
tolerated: float | None = (
    None  # mean error that is still tolerated, for the tolerance box; None: the median of the cells
)
size_unit: str = ""  # what a size of your own models counts, say leaves; empty: not said (this project's count weights)
zero_shot: float = 0.5  # share of unseen classes at which families are compared
authors: str = ""  # checkout of the authors' repository at 62aca9f, for their own cells; empty: without
rerun_seed: int = 0  # seed of the part of the testbed that is run anew in this notebook, 0 to 9
n_resamples: int = 2000  # resamples of the seeds for the intervals of the trade-off point
seed: int = 0  # seed of these resamples
confidence: float = 0.95  # of the intervals

# %% [markdown]
# ## Setup

# %%
import numpy as np
import pandas as pd

import genexpy_nb as gx
from genexpy_nb import tradeoff
from genexpy_nb.chapters import tradeoff as chapter
from genexpy_nb.common import exercises, page
from genexpy_nb.common.checks import check_choice
from genexpy_nb.common.page_tables import written_number
from genexpy_nb.common.prose import percent, say, span, verbatim
from genexpy_nb.plots import tradeoff as figures
from genexpy_nb.testbed import digits
from genexpy_nb.testbed.grid import SSIM_LEVELS, run_family
from genexpy_nb.testbed.noise import PCANoise
from genexpy_nb.tradeoff import compare, signerror
from genexpy_nb.tradeoff.array import DIMENSIONS, NoiseAxis
from genexpy_nb.tradeoff.authors import authors_search, choice_sensitivity, solver_starts
from genexpy_nb.tradeoff.point import point_table
from genexpy_nb.tradeoff.slices import at_point, same_cells

gx.plots.use_style()

# %%
check_choice("rerun_seed", rerun_seed, range(10))
recorded = gx.datasets.load_tradeoff_cells()  # this project's runs
own = bool(results)
our_error = error if error in recorded else "error_rate"  # in sections on this project's runs
cells = gx.datasets.load_tradeoff_cells(results) if own else recorded
there = [name for name, column in tradeoff.KAPPAS.items() if column in cells]
held = kappa or (there[0] if there else "kappa")  # the edition that is looked at where one must be
editions = [held, *(name for name in there if name != held)]


def arrays_of(table, **options):
    families = table.groupby("family", sort=False, observed=True)
    return {name: tradeoff.to_array(part, **options) for name, part in families}


options = {"error": error, "missing": missing, "noise": noise, "cleaner": cleaner}
by_edition = {name: arrays_of(cells, kappa=name, **options) for name in editions}
arrays = by_edition[held]
axis = NoiseAxis.of(next(iter(arrays.values())))
called = {"error_rate": "error rate", "gap": "gap"}.get(error, error)
unit = size_unit if own else "weights"
size_label = f"size, {unit}" if unit else "size"
t_intervals = f"{percent(confidence)} t intervals over the seeds"
n_seeds = min(array.sizes.get("seed", 1) for array in arrays.values())
n_lost = sum(array.attrs["n_missing"] for array in arrays.values())
incomplete = any(array.attrs["n_missing"] for each in by_edition.values() for array in each.values())
over = (
    " Cells are missing: means are over cells that are there, which are not the same everywhere." if incomplete else ""
)


def of_each(arrays, function):
    return pd.concat([function(array).assign(family=name) for name, array in arrays.items()])


def interval(*numbers):
    return "{} [{}, {}]".format(*(written_number(number, 3) for number in numbers))


def show_curves(curves, name, caption, axis=axis):
    """Draw the error over noise; the tables go from the noisiest images to the cleanest ones."""
    ends = "; ".join(
        f"{family}, {panel}, {part.iloc[-1]:.2f} to {part.iloc[0]:.2f}"
        for (panel, family), part in curves.groupby(["panel", "family"], sort=False)["estimate"]
    )
    figure = figures.error_over_noise(curves, f"mean {called}", axis)
    page.show_figure(figure, name, caption, f"Mean {called} from the cleanest to the noisiest images: {ends}.")


# %% [markdown] tags=["ours"]
# ## The testbed
#
# A testbed takes **pretrained** models that have seen some classes of images, freezes them, and looks at the features that their last
# hidden layer computes. A **probe** (logistic regression) learns to tell classes apart from these features: the seen classes, and
# more and more **unseen** ones. Then it is tested on images that were made **noisy**. If the features carry what matters, the
# simple probe succeeds.
#
# The paper uses CLIP and EfficientNet on ImageNet and CIFAR-100. Ours has two families of small networks on handwritten
# digits: *perceptrons* with two hidden layers, and *convolutions* with two convolutional layers. Both come in eight sizes,
# from a thousand weights to 131 thousand, each about twice the one before, nearly the same for both: averages over sizes
# depend on which sizes are in them, and a few tiny perceptrons could decide the comparison. They are trained on five random
# digits until the cross-entropy is .01. Each seed means other digits, another split, other initial weights.

# %%
if own:
    display(say("These are your own cells. Everything below is about them."))

# %% tags=["ours"]
task = digits.digits_task(rerun_seed)
say(
    f"With seed {rerun_seed} there are {len(task.train_images):,} images for training and {len(task.test_images)} for the test. The digits "
    f"{', '.join(map(str, task.seen))} are seen while pretraining; unseen ones are added in the order {', '.join(map(str, task.unseen))}."
)

# %% [markdown] tags=["ours"]
# Noise is the reconstruction by an autoencoder: here a linear one, principal components, of which so few are kept that the
# **structural similarity** (SSIM) of image and reconstruction has the value that is wanted. At 1 nothing is lost;
# [figure](#figure-noise-levels) shows what less looks like.

# %% tags=["ours"]
pca = PCANoise().fit(task.train_images)
chosen = [int(np.flatnonzero(task.test_labels == label)[0]) for label in sorted({*task.seen, *task.unseen})[::2]]
shown = {level: pca.degrade(task.test_images, level) for level in sorted(SSIM_LEVELS, reverse=True)}
page.show_figure(
    figures.noise_levels(
        {level: images[chosen] for level, images in shown.items()}, [str(task.test_labels[i]) for i in chosen]
    ),
    "noise-levels",
    "From left to right, less and less is left. The similarity is that of all test images on average; a single image may lose more or less.",
    f"Handwritten digits at structural similarities from {max(shown):g} to {min(shown):g}: strokes blur until shapes merge.",
)

# %% [markdown] tags=["ours"]
# ### One cell
#
# A cell is one model, one share of unseen classes, one noise level; it holds numbers for each class.
#
# > Aside: The whole testbed has 864 cells per seed. We ran it with ten seeds; `data/make_tradeoff.py` does that in a few minutes.
#
# [Table](#table-one-cell) is one of them: convolutions with 1,899 weights, three unseen classes, SSIM = .9.

# %% tags=["ours"]
one_cell = recorded[
    (recorded["family"] == "convolutions")
    & (recorded["seed"] == rerun_seed)
    & (recorded["size"] == 1899)
    & (recorded["ssim"] == 0.9)
    & np.isclose(recorded["zero_shot"], task.zero_shot(3))
]
of_class = ["error_rate", "gap", "conflict", "conflict_abs", "kappa"]
page.show_table(
    one_cell.assign(seen=one_cell["class"].isin(task.seen)).set_index("class")[["seen", "n", *of_class]],
    "one-cell",
    f"What one cell holds, with seed {rerun_seed}: numbers for each class. What they are is said below.",
    {
        **{"class": "digit", "seen": "seen before", "n": "test images", "error_rate": "error rate"},
        **{"conflict_abs": "conflict abs", "kappa": "cohen"},
    },
    dict.fromkeys(of_class, 3),
)

# %% [markdown] tags=["ours"]
# Recorded runs are only worth something if they can be repeated. So this notebook pretrains that network, and a perceptron of about the same
# size, here and now:

# %% tags=["ours"]
small = [digits.NetworkFamily(family.name, family.widths[1:2]) for family in digits.FAMILIES]
rerun = pd.concat([run_family(task, family, digits.N_UNSEEN, [0.75, 0.9, 1.0], seed=rerun_seed) for family in small])
keys = ["family", "seed", "size", "zero_shot", "ssim", "class"]
both = rerun.round({"zero_shot": 9}).merge(recorded.round({"zero_shot": 9}), on=keys, suffixes=("", "_recorded"))
same = np.isclose(both["error_rate"], both["error_rate_recorded"], atol=1e-6).mean()
say(f"{len(both)} classes of cells were run again. More than 90 in 100 of their error rates are as recorded.")

# %% [markdown]
# ## What is measured: one error, three Kappas
#
# **ErrorRate** (Eq. 1) is the share of a class's test images that are misclassified. The *gap* is test minus training; the paper speaks of both.
#
# **Kappa** is to say how well a model copes with diverse data. Three editions of one work compute it in three ways, and they say different things:
#
# - **conflict** is in the text of the paper (Eq. 2). It is computed from the model's class probabilities alone. For class $i$, a sample is *in conflict* if the class is
#   within .2 of its strongest rival ($a$), else clearly below it ($b$) or clearly above it ($c$); a sample in which no class reaches .2 is not recognized ($d$).
#   Kappa is Cohen's for the table of these four counts, $(p_o - p_e) / (1 - p_e)$ with $p_o = (a + d) / M$. Labels never enter it: it says how *torn* a model is, not how right. A perfect and
#   confident model has $a = d = 0$, and a *negative* Kappa.
# - **conflict_abs** is what the authors' code computed when the tables of the paper were made: the *absolute value* of the same, for $M = 10{,}000$ samples whatever the size of the
#   test, so that $d$ holds all those that were not there. A very negative Kappa, which is good by the text, is large, and so bad, in the tables.
# - **cohen** is in the authors' later code and article: 1 − Cohen's kappa of "this class against the rest", label against prediction. 0 is perfect, 1 is
#   chance.
#
# > Aside: CIFAR-100 has 10,000 test images for 100 classes. With 50 of them, ZeroShot 0, there are 5,000: in the published tables, half of the samples of these cells are in $d$ by arithmetic.

# %% [markdown] tags=["slide"]
# ## The array: ZeroShot × noise × size
#
# Each cell is one model, one share of unseen classes, one level of noise, and is described
# by six **statistics** over its classes: mean, standard deviation and 10th percentile of ErrorRate and of Kappa.

# %% [markdown] tags=["ours"]
# The share of unseen classes, u / (s + u), runs through the paper's values 0, .167, .286, .375, .444, .5; SSIM from .6 to 1.

# %%
means_of = {
    edition: {name: tradeoff.over_seeds(array) for name, array in of_families.items()}
    for edition, of_families in by_edition.items()
}
means = means_of[held]
dimension_names = {"seed": "seeds", "zero_shot": "shares of unseen classes", "ssim": "noise levels", "size": "sizes"}
levels = {
    name: ", ".join(f"{dimension_names[dimension]}: {n}" for dimension, n in array.sizes.items())
    for name, array in arrays.items()
}
say(
    f"The array of each family: {'; '.join(f'{verbatim(name)} ({text})' for name, text in levels.items())}.",
    f"What figures and tables call error or ErrorRate is the column {verbatim(error)}; the editions of Kappa that these cells hold are "
    f"{', '.join(f'*{verbatim(name)}*' for name in editions)}, and where one must be chosen, it is the first.",
    f"{n_lost} cells are missing; no point is put there. The points and boxes of a family are sought among its own cells."
    if n_lost
    else "",
)

# %%
points_of = {
    edition: {
        name: tradeoff.tradeoff_point(array, weights=weights, size_scale=size_scale)
        for name, array in of_families.items()
    }
    for edition, of_families in means_of.items()
}
points = points_of[held]
ranges = "; ".join(f"{name} {span(array['error_mean'].to_numpy().ravel())}" for name, array in means.items())
page.show_figure(
    figures.cell_maps(means, points, unit),
    "error-cells",
    "Mean error over the classes, averaged over the seeds: dark is good. The frame is the trade-off point, of which more below.",
    f"Mean {called} of a cell, from the smallest to the largest: {ranges}.",
)

# %% [markdown]
# [Figure](#figure-editions) puts the editions of Kappa beside the error, averaged over the shares of unseen classes. Do they measure the same?

# %% tags=["subslide"]
page.show_figure(
    figures.edition_maps(means_of, points_of, unit),
    "editions",
    "Mean error and the editions of Kappa, over noise and size, each on its own scale: dark is small. The dot is where the trade-off point lies if "
    "that edition is used. Blank: at least one share of unseen classes is missing there.",
    f"Mean error and the editions of Kappa, over {axis.name} and size.",
)

# %%
alike = compare.kappa_correlations(means_of)
below = {
    edition: np.mean(np.concatenate([array["kappa_mean"].to_numpy().ravel() for array in each.values()]) < 0)
    for edition, each in means_of.items()
}
page.show_table(
    alike.stack().rename_axis(["edition", "family"]).to_frame("correlation"),
    "correlations",
    "How the mean of each edition of Kappa correlates with the mean error, over the cells of a family.",
    {"edition": "edition of Kappa"},
    {"correlation": 3},
)

# %%
say(
    "Where the correlation is close to 1, Kappa and the error are nearly one measurement; this says nothing about other editions.",
    "The mean Kappa is negative in "
    + ", ".join(f"{percent(share)} of the cells (*{verbatim(edition)}*)" for edition, share in below.items())
    + ". A minimizer rewards an edition for being far below zero; *conflict_abs* would punish the same.",
)

# %% [markdown]
# ## Which family is better?
#
# Before anything is condensed into a point: look at the curves of [figure](#figure-noise), and at the differences between families.

# %%
comparable = compare.comparable_families(arrays)
curves = []
for name, array in ((incomplete and comparable) or arrays).items():
    shares = array["zero_shot"].to_numpy()
    for share in sorted({float(shares.min()), float(shares[np.abs(shares - zero_shot).argmin()])}):
        curve = compare.noise_curve(array, share, confidence=confidence)
        curves.append(curve.assign(family=name, panel=f"{percent(share)} of the classes unseen"))

# %% tags=["hero"]
show_curves(
    pd.concat(curves),
    "noise",
    f"Mean {verbatim(called)} over classes and sizes as noise grows to the right. Bands, with more than one "
    f"seed, are {t_intervals}.{over}",
)

# %%
difference = None
n_paired = min((array.sizes.get("seed", 1) for array in comparable.values()), default=0)
if len(comparable) == 2 and n_paired > 1:
    (first, one), (second, other) = comparable.items()
    share = float(one["zero_shot"].to_numpy()[np.abs(one["zero_shot"].to_numpy() - zero_shot).argmin()])
    difference = compare.family_differences(one, other, share, confidence=confidence)
    page.show_table(
        pd.DataFrame(
            {
                axis.name: difference["ssim"],
                "difference": list(map(interval, difference["estimate"], difference["low"], difference["high"])),
                f"seeds: {first} lower": difference["n_first_lower"],
                f"{second} lower": difference["n_second_lower"],
            }
        )
        .iloc[::-1]
        .set_index(axis.name),
        "differences",
        f"Mean {verbatim(called)} of {verbatim(first)} minus that of {verbatim(second)} at ZeroShot {share:.3g}, seed by seed, with {t_intervals} "
        f"({n_paired}); and in how many seeds a family has the lower one. Only levels that both families have are compared.{over}",
        {name: name for name in (axis.name, f"seeds: {first} lower", f"{second} lower")},
    )
    at_levels = [
        f"{verbatim(name)} at {verbatim(axis.name)} {', '.join(map('{:g}'.format, difference.loc[lower, 'ssim'])) or '(none)'}"
        for name, lower in ((first, difference["high"] < 0), (second, difference["low"] > 0))
    ]
    display(
        say(
            f"Where the interval of [table](#table-differences) excludes zero, the lower {verbatim(called)} is that of {' and of '.join(at_levels)}.",
            "If both families are named with a level, the answer depends on where one asks, and a single number that ranks the two hides one of these facts.",
        )
    )
else:
    display(
        say(
            "A comparison seed by seed needs two families that have at least two seeds, a noise level and a share of unseen classes in common, and, "
            "where cells are missing, a size that is complete in both."
        )
    )

# %% [markdown] tags=["ours"]
# ### Unseen, or just more?
#
# With a larger share of unseen classes, the number of classes that the probe must tell apart grows. That alone makes its task
# harder.
#
# > Aside: Models that were pretrained elsewhere have the same problem, and worse: to a network that learned from ImageNet, no class of CIFAR-100 is
# > quite unseen.
#
# So the testbed of digits was also run with networks that had seen all ten.

# %% tags=["ours"]
control = gx.datasets.load_tradeoff_control()
ours, controls = arrays_of(recorded, error=our_error), arrays_of(control, error=our_error)
pairs = {name: (array, controls[name]) for name, array in ours.items()}
conditions = of_each(pairs, lambda pair: compare.control_curves(*pair, confidence=confidence))
show_curves(
    conditions.rename(columns={"family": "panel", "condition": "family"}),
    "control",
    f"Mean {verbatim(called)} over classes and sizes, by what the networks had seen. Bands are {t_intervals}.",
    NoiseAxis(),
)

# %% tags=["ours"]
rise = of_each(pairs, lambda pair: compare.split_rise(*pair, confidence=confidence))
rise["text"] = list(map(interval, rise["estimate"], rise["low"], rise["high"]))
three_levels = rise[rise["ssim"].isin([1.0, 0.9, 0.75])]
page.show_table(
    three_levels.pivot(index=["family", "ssim"], columns="cause", values="text").sort_index(ascending=[True, False]),
    "rise",
    f"How much the error rises from few classes, all seen, to more, some of them unseen: because they are more, and because they are unseen. {t_intervals}.",
    {"ssim": "SSIM", "more": "because they are more", "unseen": "because they are unseen"},
)

# %% tags=["ours"]
parts = rise.pivot(index=["family", "ssim"], columns="cause", values="estimate")
more = parts["more"] / parts.sum(axis=1)
lines = [
    f"{percent(more[name, level])} for {verbatim(name)} at SSIM {level:g}"
    for name in ours
    for level in (1.0, 0.75)
    if 0 <= more[name, level] <= 1
]
say(
    f"The longer list of classes alone explains this share of the rise in [figure](#figure-control), where both parts are a rise: {', '.join(lines) or 'nowhere'}.",
    "Without the control, ZeroShot measures two things at once.",
)

# %% [markdown] tags=["slide"]
# ## The trade-off point
#
# The paper wants small statistics *and* a hard test: much noise, many unseen classes, a small model. With
# $x = (\text{SSIM}, 1 - \text{ZeroShot}, \text{size})$, each scaled to [0, 1] over the grid, 1 being the easy end, and $F$ the sum of the six statistics, we read its
# Eq. 3 and 4 as
#
# $$\min_{\text{cells}} \; F + \sum_d w_d\, x_d^2 \qquad \text{or, without weights,} \qquad \min_{\text{cells}} \; \max(\tilde F, x_1, x_2, x_3),$$
#
# > Aside: The grid has a few hundred cells, so looking at each of them is exact and takes milliseconds; the tests compare it with a
# > plain loop.
#
# where $\tilde F$ is $F$ scaled to [0, 1]. [Table](#table-points) has the points of both forms. "Weighted" has the weights of the parameters; those of the authors'
# code come further below.

# %%
page.show_table(
    point_table(arrays, weights, size_scale, n_resamples, seed, confidence),
    "points",
    f"The trade-off point of each family with Kappa as *{verbatim(held)}*, in the weighted form and without weights (minimax), with the mean error and Kappa there. "
    f"Intervals, with more than one seed, come from resampling the seeds (percentiles, {percent(confidence)}; how often they hold the point of another run was not measured).",
    {axis.name: axis.name, "method": "form", "size": size_label},
    {"error": 3, "Kappa": 3},
)

# %% [markdown]
# ### What the edition does
#
# $F$ adds error and Kappa. So the edition of Kappa decides where $F$ is small ([figure](#figure-editions)), and the point goes with it.

# %% tags=["subslide"]
edition_points = pd.DataFrame(
    [
        {"edition": edition, "family": name, axis.name: point.ssim, "ZeroShot": point.zero_shot, "size": point.size}
        for edition, of_families in points_of.items()
        for name, point in of_families.items()
    ]
)
by_family = edition_points.groupby("family", sort=False)
moved = by_family[[axis.name, "ZeroShot"]].agg(np.ptp).max()
say(
    f"Among the editions that these cells hold, the point of a family moves by up to {moved[axis.name]:.3g} in {axis.name}, {moved['ZeroShot']:.2f} in ZeroShot, and a factor of "
    f"{(by_family['size'].max() / by_family['size'].min()).max():.1f} in size."
)

# %%
if n_seeds > 1:
    spread = of_each(arrays, lambda array: tradeoff.tradeoff_points_by_seed(array, weights, size_scale=size_scale))
    seed_spread = spread.groupby("family", sort=False)["ssim"].agg(np.ptp).max()
    page.show_figure(
        figures.point_spread(spread, points, axis, unit),
        "points-by-seed",
        "Coordinates of the trade-off point, seed by seed; the larger a bubble, the more seeds share the level.",
        f"From seed to seed, the trade-off point of a family moves by up to {seed_spread:.2f} in {axis.name}.",
    )

# %% [markdown]
# ### What the weights do
#
# > Aside: The minimax form has no weights, but it has a scale in their place: how sizes are put on [0, 1], and where the grid ends.
#
# Nothing in the paper's text says how much noise weighs against unseen classes or against size. So we try: in [figure](#figure-weights) one weight after the
# other, and in its last column all three, equal to each other.

# %%
sensitivity = of_each(means, lambda array: tradeoff.weight_sensitivity(array, base=weights, size_scales=[size_scale]))
together = sensitivity[sensitivity["varied"] == "all"]
reach = {
    d: (together.groupby("family")[d].agg(np.ptp).max(), np.ptp([getattr(point, d) for point in points.values()]))
    for d in ("ssim", "zero_shot")
}
page.show_figure(
    figures.weight_curves(sensitivity, size_scale=size_scale, noise=axis, size_unit=unit),
    "weights",
    "Rows: coordinates of the trade-off point. Columns: the weight that is varied, the others held; in the last one all three. Dotted: the minimax "
    "point.",
    f"As all three weights grow from 0.01 to 10, the trade-off point of a family moves by up to {reach['ssim'][0]:.2f} in {axis.name} and by up to "
    f"{reach['zero_shot'][0]:.2f} in ZeroShot.",
)

# %%
say(
    f"With all three weights equal, from .01 to 10, {axis.name} at the point of a family moves by up to {reach['ssim'][0]:.2f} and ZeroShot by up to {reach['zero_shot'][0]:.2f}.",
    f"At the weights of this run the points of the families are {reach['ssim'][1]:.2f} apart in {axis.name} and {reach['zero_shot'][1]:.2f} in ZeroShot. "
    "Where weights move a point further than families lie apart, it says more about the choice of weights than about the family.",
)

# %% [markdown]
# ### Three bounds that should be one
#
# The paper reads off a **generalization bound** and a **diversity bound** at the trade-off point: the *marginals* there, means
# over the other two dimensions (Eq. 5), and expects the three dimensions to give the same value. There is no reason why they should: a mean over all
# noise levels is a mean over all noise levels, wherever the point lies.

# %%
marginals_of = {
    edition: of_each(each, lambda array: tradeoff.marginals(array, confidence=confidence, complete=True))
    for edition, each in by_edition.items()
}
bounds_of = {
    edition: pd.concat(
        [
            at_point(table[table["family"] == name], point).assign(family=name)
            for name, point in points_of[edition].items()
        ]
    )
    for edition, table in marginals_of.items()
}
of_errors = bounds_of[held].query("bound == 'generalization bound'")
page.show_figure(
    figures.marginal_panels(marginals_of[held], points, axis, unit),
    "marginals",
    f"Form of the paper's Figure 2: ErrorRate on the left, Kappa as {verbatim(held)} on the right, along each dimension; the trade-off point marked. Bands, with more than one "
    f"seed: {t_intervals}.{over}",
    f"Mean {called} at the trade-off points, read along three dimensions: {span(of_errors['estimate'], '{:.3f}')}.",
)

# %%
diversity = [
    table.query("bound == 'diversity bound'").assign(bound=f"diversity bound, {edition}")
    for edition, table in bounds_of.items()
]
all_bounds = pd.concat([of_errors, *diversity])
all_bounds["text"] = list(map(interval, all_bounds["estimate"], all_bounds["low"], all_bounds["high"]))
axes = {"ssim": f"along {axis.name}", "zero_shot": "along ZeroShot", "size": "along size"}
page.show_table(
    all_bounds.pivot(index=["bound", "family"], columns="dimension", values="text" if n_seeds > 1 else "estimate")[
        list(axes)
    ],
    "bounds",
    f"The generalization bound (with Kappa as {verbatim(held)}) and the diversity bound of each edition at its own trade-off point, each read from three axes, "
    f"with more than one seed with {t_intervals}.{over}",
    axes,
    None if n_seeds > 1 else dict.fromkeys(axes, 3),
)

# %%
positive = all_bounds.groupby(["bound", "family"])["estimate"].agg(["min", "max"]).query("min > 0")
if incomplete:
    positive = positive.iloc[:0]  # what the axis does, and what missing cells do, cannot be told apart
factors = (positive["max"] / positive["min"]).to_numpy()
say(
    "A bound should be named with its axis.",
    f"Depending on the axis that it is read from, the same bound differs by a factor of {span(factors, '{:.2f}')} (of the bounds that are above 0 on all axes)."
    if len(factors)
    else "",
)

# %% [markdown]
# ### The tolerance box
#
# A more useful reading of the same array fixes what is tolerated and asks how far one can go: the largest box of cells,
# noise and unseen classes *at most*, size *at least* this, in which the mean error stays within a level.

# %%
middle = float(np.nanmedian(np.concatenate([array["error_mean"].to_numpy().ravel() for array in means.values()])))
limit = middle if tolerated is None else tolerated
boxes = {name: tradeoff.tolerance_box(array, limit, "error_mean") for name, array in means.items()}
fields = ["ssim", "zero_shot", "size", "n_cells", "share"]
page.show_table(
    pd.DataFrame(
        [[name, *(getattr(box, field) for field in fields)] for name, box in boxes.items()], columns=["family", *fields]
    ).set_index("family"),
    "box",
    f"The largest box of cells in which the mean {verbatim(called)} is at most {limit:.3g}"
    + (", the median over the cells of all families." if tolerated is None else "."),
    {
        **{"ssim": f"{axis.name} at {'least' if axis.cleaner == 'high' else 'most'}", "zero_shot": "ZeroShot at most"},
        **{"size": f"{size_label.replace(',', ' at least,')}", "n_cells": "cells of the box"},
        "share": "share of all cells within the level",
    },
    {"ssim": "{:.3g}", "zero_shot": "{:.3g}", "size": "{:,.12g}", "share": percent},
)

# %% [markdown]
# ## The authors' form of the point
#
# The code that the authors published with their article fills in what the text leaves open. It minimizes $F + \sum_d a_d c_d^2$ with $c_d \ge x_d$, as we read Eq. 4, and chooses four things that change the point:
#
# - **scales**: SSIM and 1 − ZeroShot as they are, from .6 and from .5 to 1; only the size is put on [0, 1];
# - **weights**: four sets, for SSIM, ZeroShot and size: .285, .8, .8 ("cifar-100"); .8, .25, .25 and .03, .25, .25 (two comments on ImageNet); and 1, 1, 1 with a penalty for the ends of the
#   axes ("equal");
# - **between the levels** the statistics are interpolated linearly, so that a point may lie where nothing was measured;
# - **solver**: SLSQP, which follows slopes, once, from the hard corner. The article names GEKKO. At kinks, where it ends depends on the last digits of the arithmetic, and so on the processor.
#
# > Aside: `genexpy_nb.tradeoff.authors.authors_point` solves the same problem exactly, box by box between the levels; the tests compare it with a fine grid and with SLSQP on all six variables of their code.

# %% tags=["nbval-ignore-output"]
formable = all(min(array.sizes[d] for d in DIMENSIONS) > 1 for array in means.values()) and not any(
    int(array["n_classes"].min()) == 0 for array in means.values()
)
if formable:
    choices, told = [], []
    for name, array in means.items():
        starts = solver_starts(array, n_starts=100, rng=seed).iloc[1:]
        told.append(f"for {verbatim(name)} {percent((starts['excess'] < 1e-4).mean())}")
        one = choice_sensitivity({edition: each[name] for edition, each in means_of.items()}, held)
        choices.append(one.assign(family=name))
    choices = pd.concat(choices)
    ranges = choices.groupby("family", sort=False)[["ssim", "zero_shot"]].agg(np.ptp).max()
    page.show_figure(
        figures.choice_points(choices, axis, unit),
        "choices",
        "Where the point lies as one choice after the other is changed; dotted, in the form of the code, solved exactly. The hard end is at the right.",
        f"From one choice to another, the point of a family moves by up to {ranges['ssim']:.2f} in {axis.name} and {ranges['zero_shot']:.2f} in ZeroShot.",
    )
    display(
        say(
            "What is minimized has a kink at every level, and SLSQP expects none: the last row of [figure](#figure-choices) is its single start. "
            f"Of a hundred random starts, so many end within .0001 of the best value: {', '.join(told)}."
        )
    )
else:
    display(say("These cells cannot be interpolated: cells are missing, or a dimension has a single level."))

# %% [markdown] tags=["ours", "slide"]
# ## What can be reproduced
#
# Tables 2 (ImageNet) and 3 (CIFAR-100) of the paper print four points; the cells behind them were not published, so the points cannot be
# recomputed. But a paper, its figures and its repository say more about each other than one might think.
#
# [Table](#table-two-editions) has the printed points with those of the article that followed; [table](#table-points) and [table](#table-bounds) have ours, of other networks and
# other images: nothing makes them equal.

# %% tags=["ours"]
printed_both = pd.concat(
    {
        edition: chapter.published_tradeoff(table).set_index(["data", "family"])
        for edition, table in (("paper", "points"), ("article", "article"))
    },
    names=["edition"],
)
page.show_table(
    printed_both.assign(size=(printed_both["size"] / 1e6).map("{:.0f} million".format)),
    "two-editions",
    "The same four points in the paper (Tables 2 and 3) and in the article that followed, another Kappa later.",
    {
        **{"ssim": "SSIM", "zero_shot": "ZeroShot", "size": "weights"},
        **{"generalization_bound": "generalization bound", "diversity_bound": "diversity bound"},
    },
    dict.fromkeys(["ssim", "zero_shot", "generalization_bound", "diversity_bound"], 3),
)

# %% [markdown] tags=["ours"]
# The points lie between the levels of the grid: SSIM = .779 was not measured, and no EfficientNet of the paper's Table 1 has 23 million
# weights. They are interpolations. From the paper to the article the ranking turns round on both: on ImageNet CLIP has the larger generalization
# bound in the paper and, by a hair, the smaller in the article; on CIFAR-100 it has the smaller in the paper and the larger in the article. There is no interval in either.
#
# Table 1 of the paper also lists three vision transformers (ViT) of CLIP. The code removes them before it searches, and the text says so; only the five convolutional ones enter.
#
# ### The bounds are means of three marginals
#
# A generalization bound of .85 to .90 on CIFAR-100 is not the error at the trade-off point. Figure 2 of the paper marks the three marginals at each point with stars. Read off by
# pixels, to about .005, their mean is the printed bound, all eight times ([table](#table-printed-bounds)).

# %% tags=["ours"]
printed_bounds = chapter.published_bounds()
along = {"along_ssim": "along SSIM", "along_zero_shot": "along ZeroShot", "along_size": "along size"}
page.show_table(
    printed_bounds.set_index(["data", "family", "bound"]),
    "printed-bounds",
    "The printed bounds, and the three marginals that Figure 2 marks at each point, with their mean.",
    {**along, "data": "images", "difference": "printed − mean"},
    dict.fromkeys(["printed", *along, "mean", "difference"], 3),
)
gaps = printed_bounds["difference"].abs().max()
stars = printed_bounds[list(along)]
say(
    f"The largest difference is {gaps:.4f}. The three marginals that the paper expects to be equal differ by a factor of up to "
    f"{(stars.max(axis=1) / stars.min(axis=1)).max():.1f}."
)

# %% [markdown] tags=["ours"]
# ### Kappa on CIFAR-100 was multiplied by ten
#
# The paper observes that the standard deviations of Kappa are larger on CIFAR-100 than on ImageNet. In Figure 2 (j) one of them can be tested: numbers between 0 and 1 with a given
# mean cannot deviate more than zeros and ones do, $\sigma \le \sqrt{\mu (1 - \mu)}$ (Bhatia and Davis), and the absolute value of a Kappa lies between 0 and 1.

# %% tags=["ours"]
level_j = chapter.published_tradeoff("spread").iloc[0]
most = float(chapter.largest_deviation(level_j["kappa_mean"]))
say(
    f"At SSIM {level_j['ssim']:g} the figure shows a mean of {level_j['kappa_mean']:.3f} and a standard deviation of {level_j['kappa_std']:.3f}. With that mean, "
    f"{most:.3f} is the most that is possible. Reading errors of .005 do not explain a factor of {level_j['kappa_std'] / most:.1f}.",
    "The authors' code of September 2024 does: it multiplies the Kappa of EfficientNet on CIFAR-100 by ten before the statistics are computed. That the values of CLIP are on the same "
    "scale is an inference. So the observation is at least partly this scale, and the factor also makes Kappa weigh ten times as much in *F*.",
)

# %% [markdown] tags=["ours"]
# ### A search without a seed ends elsewhere each time
#
# That code does not minimize once. From the easy corner it lowers the ceiling of SSIM, 1 − ZeroShot and size by random steps, looks for the smallest $F$ below it from a random start, and stops
# when this exceeds 2.2; nothing is seeded. Here it runs fifteen times on one and the same array, the convolutions with Kappa as *cohen*, whose $F$ goes beyond 2.2.

# %% tags=["nbval-ignore-output", "ours"]
fixed = tradeoff.over_seeds(tradeoff.to_array(recorded[recorded["family"] == "convolutions"], kappa="cohen"))
searches = authors_search(fixed, n_runs=15, rng=seed)
exact = tradeoff.tradeoff_point(fixed, weights=weights, size_scale=size_scale)
page.show_table(
    searches[["ssim", "zero_shot", "size"]].agg(["min", "median", "max"]).rename_axis("runs"),
    "searches",
    f"Where fifteen runs of the unseeded search end. The exact point of the same array, with the weights of this run: SSIM {exact.ssim:g}, ZeroShot {exact.zero_shot:.3f}, "
    f"{exact.size:,.12g} weights.",
    {"ssim": "SSIM", "zero_shot": "ZeroShot", "size": "size, weights"},
    {"ssim": 3, "zero_shot": 3, "size": 0},
)

# %% [markdown] tags=["ours"]
# One array, one method, and another end each time. A point printed with three digits from one such run has fewer.
#
# ### What the text says of the points
#
# What the paper's text says of its points can be computed from its tables ([table](#table-published)).

# %% tags=["ours"]
printed = chapter.published_differences()  # CLIP minus EfficientNet
printed_points = chapter.published_tradeoff("points").set_index(["data", "family"])
if not own:
    said = {"ImageNet": (2, [0.16, 0.01]), "CIFAR-100": (3, [-0.05, 0.02])}  # number of the table, and the text on it
    for data, (number, differences) in said.items():
        for kind, told, value in zip(["generalization", "diversity"], differences, printed[data], strict=False):
            ours_, theirs = (printed_points.loc[(data, family), f"{kind}_bound"] for family in ("CLIP", "EfficientNet"))
            page.key_number(
                f"{kind}-{data.lower()}",
                f"{kind} bound on {data}, CLIP minus EfficientNet",
                value,
                published=told,
                source="Huang et al. (2024), text below Table 3",
                reason=f"Table {number}: {ours_:g} − {theirs:g}"
                + ("" if abs(value - told) < 0.004 else f"; the text says “up to {told:g}”, the table has more"),
                decimals=3,
            )
    for row in printed_bounds[printed_bounds["family"] == "CLIP"].itertuples():
        page.key_number(
            f"marginals-{row.bound.split()[0]}-{row.data.lower()}",
            f"{row.bound} of CLIP on {row.data}",
            row.mean,
            published=row.printed,
            source=f"Huang et al. (2024), Table {2 if row.data == 'ImageNet' else 3}",
            reason="mean of the three marginals at the point, read from Figure 2 to about 0.005",
            decimals=3,
        )
    page.show_published(
        "published", "What the paper says of its points, and what follows from its own tables and figure."
    )

# %% [markdown] tags=["ours"]
# The differences in the text follow from the tables; one of them is larger than the text says. "EfficientNet's model size is much smaller" holds on ImageNet (a factor of seven); on CIFAR-100 it
# is 43 against 56 million.
#
# ## The authors' own cells
#
# Their repository holds, in one early commit, real results per class: fully connected (FC) and convolutional (CNN) networks of eight widths on CIFAR-100, with noise on the *weights* instead of the
# images, and Kappa as *conflict_abs*. No licence comes with them, so this project does not ship them; with a checkout of your own,
# `genexpy_nb.datasets.load_authors_cells(folder)` reads and verifies them, and the parameter `authors` adds them to this page.

# %% tags=["ours"]
if authors:
    theirs = gx.datasets.load_authors_cells(authors)
    their_arrays = arrays_of(theirs, kappa="conflict_abs", noise="noise", cleaner="low")
    their_points = {name: tradeoff.tradeoff_point(array, size_scale="log") for name, array in their_arrays.items()}
    their_correlations = compare.kappa_correlations({"conflict_abs": their_arrays}).loc["conflict_abs"]
    correlate = " and ".join(f"{value:.2f} ({name})" for name, value in their_correlations.items())
    page.show_figure(
        figures.edition_maps({"conflict_abs": their_arrays}, {"conflict_abs": their_points}, "width"),
        "authors-cells",
        "The authors' cells: mean error and Kappa over the noise on the weights and the width of the network.",
        f"The correlation of error and Kappa over the cells is {correlate}.",
    )
    display(say(f"Over their cells, error and Kappa correlate at {correlate}: two measurements, as the paper says."))
else:
    display(
        say(
            "This page was made without them. In them, mean error and mean Kappa correlate at .05 (FC) and .39 (CNN) over the cells: with the edition of the published tables, the two "
            "are different measurements, as the paper says."
        )
    )

# %% [markdown] tags=["ours", "slide"]
# ## Do the findings repeat on colour images?
#
# Digits are easy. So the testbed was run on CIFAR-10, too: convolutional networks of six sizes with and without shortcuts ("residual" and "plain", equal numbers of weights), trained on five of
# ten classes, the same probe, noise by principal components, three editions of Kappa (`data/run_cifar10.py`). [Figure](#figure-two-datasets) shows the errors.

# %% tags=["ours"]
everything = gx.datasets.load_tradeoff_cifar10()
colour = everything.query("training == 'probe' and noise == 'pca'")
clean_seen = colour.query("ssim == 1 and zero_shot == 0").groupby("size")["error_rate"].mean()
say(
    f"These runs are small. {everything.attrs['about']['task']}; {colour['size'].nunique()} sizes and {colour['seed'].nunique()} seeds; pretraining without augmentation. "
    f"With seen classes and clean images the mean error rate still is {clean_seen.iloc[0]:.2f} at the smallest size and {clean_seen.iloc[-1]:.2f} at the largest. "
    "Fine-tuning and the attack below were run at fewer shares of unseen classes."
)

# %% tags=["ours"]
largest = 0.5  # share of unseen classes, of both datasets
two = {"digits": recorded, "CIFAR-10": colour}
arrays_on = {
    data: {edition: arrays_of(table, error=our_error, kappa=edition) for edition in tradeoff.KAPPAS}
    for data, table in two.items()
}
show_curves(
    pd.concat(
        [
            of_each(of["cohen"], lambda array: compare.noise_curve(array, confidence=confidence)).assign(panel=data)
            for data, of in arrays_on.items()
        ]
    ),
    "two-datasets",
    f"Mean {verbatim(called)} over classes, sizes and shares of unseen classes, as noise grows to the right, on both datasets. Bands are {t_intervals}.",
    NoiseAxis(),
)

# %% tags=["ours"]
facts = chapter.repeated_findings(arrays_on, largest, confidence)
pairs = {data: " and ".join(map(verbatim, of["conflict"])) for data, of in arrays_on.items()}
page.show_table(
    facts,
    "findings",
    "What was found on digits, asked again of CIFAR-10. Correlations: of mean error and mean Kappa over the cells, the smallest and the largest of the families. Movements: in SSIM, of the weighted point, weights 1, "
    "the largest of the families, with the edition of Kappa that is named. Errors: first and second family are "
    + ", ".join(f"{names} on {data}" for data, names in pairs.items())
    + f"; {t_intervals}, over all shares of unseen classes and at ZeroShot {largest:g}.",
    {"finding": "quantity"},
)
repeats = chapter.finding_verdicts(arrays_on, largest, confidence)
page.show_table(
    repeats,
    "verdicts-of-findings",
    "Which findings repeat. One measurement: a correlation with the error of at least .95 in both families; another one: below .9 in both. Turn: the mean error of the first family minus that of the second one, "
    f"at ZeroShot {largest:g}, on the cleanest and on the noisiest images; intervals that both exclude 0, on opposite sides. Averages over all shares of unseen classes are other numbers: [table](#table-findings) has both.",
)

# %% [markdown] tags=["ours"]
# Which of these would another run find again? That is a question for this toolkit's own `Study`: the alternatives are the sizes, by rank; an experiment is one family trained with one seed, which
# is the smallest unit that was drawn independently (noise levels and shares of unseen classes of one network are not); the result is the mean error. $n^*$ says how many such runs two studies need to order the sizes alike
# with probability .95 (notebook 01).

# %% tags=["ours"]
answers = []
for data, table in two.items():
    runs = table.groupby(["family", "seed", "size"], as_index=False)["error_rate"].mean()
    runs["size rank"] = runs.groupby(["family", "seed"])["size"].rank().astype(int)
    runs["training"] = runs["family"].astype(str) + ", seed " + runs["seed"].astype(str)
    study = gx.Study(
        runs, alternatives="size rank", target="error_rate", generalize_over="training", higher_is_better=False
    )
    kernels = [gx.MallowsKernel(), gx.JaccardKernel(k=1)]
    answers.append(study.nstar(kernels, alpha=[0.95], delta=[0.05]).assign(data=data))
answers = pd.concat(answers, ignore_index=True)
answers["question"] = ["the order of the sizes", "the best size"] * len(two)
few, many = answers["high"] <= answers["n_experiments"], answers["low"] > answers["n_experiments"]
answers["enough"] = np.select([few, many], ["yes", "no"], "open")
for end in ("nstar", "low", "high"):
    answers[end] = [f"{np.ceil(value):.0f}" if np.isfinite(value) else "no limit" for value in answers[end]]
page.show_table(
    answers.set_index(["data", "question"])[["n_experiments", "nstar", "low", "high", "enough"]],
    "repeat",
    "Trainings that there are, how many of them two studies need to agree (with an interval, always 95 %), and whether there are enough.",
    {"n_experiments": "trainings", "nstar": "needed", "low": "at least", "high": "at most"},
)

# %% [markdown] tags=["ours"]
# How much an edition of Kappa says beside the error can depend on the data: compare the correlations of *conflict* in [table](#table-findings).
#
# ### Another autoencoder, weights that move, and an attack
#
# The noise above keeps principal components, a linear autoencoder. The paper's is convolutional, and so is one on CIFAR-10. A network can also be **fine-tuned**: after the probe, all of its weights are trained for
# two epochs on all classes of the cell. And an **attack** (FGSM, Goodfellow et al., 2015) moves each pixel by ε in the direction in which the loss grows. [Figure](#figure-kinds-of-noise) and [figure](#figure-attack) show what
# these change, at the shares of unseen classes that all of them have.

# %% tags=["ours"]
kinds = {"pca": "principal components", "autoencoder": "convolutional autoencoder"}
shares_of_all = set.intersection(
    *(set(part["zero_shot"]) for _, part in everything.groupby(["training", "noise"], observed=True))
)
everything = everything[everything["zero_shot"].isin(shares_of_all)]
of_kind = {
    (noise, training, family): array
    for (noise, training), part in everything.groupby(["noise", "training"], observed=True)
    for family, array in arrays_of(
        part, error=our_error, kappa="cohen", **({"noise": "level", "cleaner": "low"} if noise == "fgsm" else {})
    ).items()
}
curves_of = {
    key: compare.noise_curve(array, confidence=confidence).assign(
        family=key[2], panel=f"{kinds.get(key[0], 'attack')}, {key[1]}"
    )
    for key, array in of_kind.items()
}
show_curves(
    pd.concat([curves_of[key] for noise in kinds for key in curves_of if key[0] == noise]),
    "kinds-of-noise",
    f"CIFAR-10: mean {verbatim(called)} over classes, sizes and {len(shares_of_all)} shares of unseen classes, by kind of noise and training. Bands are {t_intervals}.",
    NoiseAxis(),
)

# %% tags=["ours"]
attacked = pd.concat([curve for key, curve in curves_of.items() if key[0] == "fgsm"])
show_curves(
    attacked,
    "attack",
    f"CIFAR-10 under attack: mean {verbatim(called)} as the attack grows to the right, from 0 to {attacked['ssim'].max() * 255:.0f}/255. Bands are {t_intervals}.",
    NoiseAxis("ε of the attack", "low"),
)


# %% tags=["ours"]
def of_families(noise, training, level):
    """Mean errors at one level, 0 the noisiest and -1 the cleanest, from the lower to the higher family."""
    return span(curve["estimate"].iloc[level] for key, curve in curves_of.items() if key[:2] == (noise, training))


noisiest = {
    noise: np.concatenate(
        [
            array["error_mean"].isel(ssim=0).mean(["zero_shot", "size"]).to_numpy()
            for key, array in of_kind.items()
            if key[:2] == (noise, "probe")
        ]
    )
    for noise in kinds
}
worse = noisiest["autoencoder"] > noisiest["pca"]
say(
    f"With the same structural similarity, the convolutional autoencoder costs more than principal components in {worse.sum()} of {len(worse)} trainings (family and seed): "
    f"{of_families('autoencoder', 'probe', 0)} against {of_families('pca', 'probe', 0)} at the noisiest level, with the probe. A level of SSIM does not say which noise it is.",
    f"The error on clean images is {of_families('pca', 'probe', -1)} with the probe and {of_families('pca', 'fine-tuned', -1)} fine-tuned; on the noisiest ones, by principal components, it is "
    f"{of_families('pca', 'probe', 0)} and {of_families('pca', 'fine-tuned', 0)}. Under the strongest attack the error is {of_families('fgsm', 'probe', 0)} with the probe, and "
    f"{of_families('fgsm', 'fine-tuned', 0)} fine-tuned.",
)

# %% [markdown]
# ## What theory says: complexity measures
#
# Statistical learning theory offers dozens of **complexity measures** that should grow with the generalization error. The paper computes those of
# Dziugaite et al. (2020) for its pretrained models and asks how often they order two sizes as the measured error does.

# %%
with_measures = bool(measures) or not own
if with_measures:
    networks = gx.datasets.load_tradeoff_measures(measures, cells["family"].unique())
    names = [name for name in tradeoff.MEASURES if name in networks]
    identity = [name for name in ("family", "seed", "size") if name in networks]
    readable = {name: "number of weights" if name == "params" else name.replace("_", " ") for name in names}
    theory = networks.melt(identity, names, "measure", "value").replace({"measure": readable})
    signs = {"W_i": "Wᵢ", "D_i": "Dᵢ", "_": " ", "^2": "²", " - ": " − "}
    signs |= {"gamma": "γ", "omega": "ω", "sigma": "σ", "eps": "ε"}
    formulas = []
    for name in names:
        formula = tradeoff.MEASURES[name]
        kind = "more" if "margin" in name + formula or name.startswith("pacbayes") else "weights"
        for plain, sign in signs.items():
            formula = formula.replace(plain, sign)
        formulas.append((kind, readable[name], formula))
    formulas = pd.DataFrame(formulas, columns=["kind", "measure", "formula"]).set_index("measure")
    symbols = {
        "weights": "Measures of the weights alone. Wᵢ: weights of layer i out of d; Dᵢ: their distance from the initial ones; ω: number of weights; "
        "spec: squared spectral norm; fro: squared Frobenius norm.",
        "more": "Measures of more than the weights. γ: 10th percentile of the m training margins. σ: standard deviation of the largest noise on the weights that "
        "costs at most 0.1 of the training accuracy; σ': the same, relative to each weight; ε: 0.001; D: distance of a weight from its initial value.",
    }
    for kind, part in formulas.groupby("kind", sort=False):
        page.show_table(part[["formula"]], f"measures-{kind}", symbols[kind])
else:
    display(say("No complexity measures were given with these results: what theory says of them is left out."))

# %%
if with_measures and {"sigma_error", "sigma_mag_error", "pacbayes_flatness"} <= set(networks):
    by_network = networks.sort_values("size").groupby([name for name in ("family", "seed") if name in networks])
    steps = by_network["pacbayes_flatness"].transform(lambda column: np.log(column.shift(-1) / column).abs() / 2)
    steps = steps.dropna()  # |ln sigma of the next size - ln sigma|
    both_errors = np.hypot(networks["sigma_error"], by_network["sigma_error"].shift(-1)).loc[steps.index]
    display(
        say(
            "The noise that a network tolerates is an estimate, from random perturbations. Its relative standard error is "
            f"{percent(networks['sigma_error'].median())} in the median network, and at most {percent(networks['sigma_error'].max())}; "
            f"{percent(networks['sigma_mag_error'].median())} for noise in proportion to the weights. "
            f"Of {len(steps)} pairs of neighbouring sizes, {(steps < 2 * both_errors).sum()} differ by less than two standard errors of their difference: which of the "
            "two tolerates more is not known there, and the order that the PAC-Bayes measures give them is partly luck."
        )
    )

# %% [markdown]
# Many of them are functions of each other. Those that put the sizes of a family into the same order, in every seed, have the same sign-errors, and must be counted
# once.

# %%
if with_measures:
    rows = []
    for name, part in theory.groupby("family", sort=False):
        groups = signerror.measure_groups(part)
        rows += [(name, ", ".join(members.index)) for _, members in groups.groupby(groups, sort=False)]
    same_order = pd.DataFrame(rows, columns=["family", "measures"]).set_index("family")
    different = same_order.groupby("family", sort=False).size()
    page.show_table(
        same_order[same_order["measures"].str.contains(", ")],
        "same-order",
        "Measures that put the sizes of a family into the same order in every seed: each row is one measure with several names. That leaves so many different "
        f"measures: {', '.join(f'{n} of {len(names)} for {verbatim(name)}' for name, n in different.items())}.",
    )

# %% [markdown]
# Two slices of the array tell what is to be predicted (Eq. 6): without noise (of a noise axis other than SSIM, its cleanest level), averaged over ZeroShot; and seen classes only
# (ZeroShot = 0), averaged over noise, where the cells hold them.

# %%
slices = [
    which
    for which, level in (("ssim", 1.0), ("zero_shot", 0.0))
    if all(level in array[which] or (which == "ssim" and axis.column != "ssim") for array in arrays.values())
]
of_slice = {"ssim": "without noise" if axis.column == "ssim" else "cleanest level", "zero_shot": "seen classes only"}
same_sizes = {name: same_cells(array, "size") for name, array in arrays.items()}
asked = [
    (name, array, which)
    for name, array in same_sizes.items()
    for which in slices
    if (tradeoff.slice_marginal(array, which)["n_cells"] > 0).all()
]


def along_size(asked, slice_function, *statistic):
    return pd.concat([slice_function(array, which, *statistic).assign(family=name) for name, array, which in asked])


if asked:
    measured = along_size(asked, tradeoff.slice_marginal)
    slice_titles = {} if axis.column == "ssim" else {"ssim": "Cleanest level"}
    by_size = measured.groupby("size")["estimate"].mean()
    page.show_figure(
        figures.size_marginals(measured, f"mean {called}", unit, slice_titles),
        "sizes",
        f"Mean {verbatim(called)} over model size (the paper's Figure 3, upper half, in form): thin lines are seeds, thick lines their mean.{over}",
        f"Mean {called} over families and slices: {by_size.iloc[0]:.3f} at the smallest size, {by_size.iloc[-1]:.3f} at the largest.",
    )
else:
    with_measures = False
    display(say("No slice has a cell at all sizes: nothing can be asked of the measures."))

# %% [markdown]
# The **sign-error** (Eq. 7) of a measure $C$ is the share of pairs of sizes that it orders the other way round than the measured error $P$,
# $\frac12 \mathbb{E}_{w \ne w'} [1 - \operatorname{sgn}(P_w - P_{w'}) \operatorname{sgn}(C_w - C_{w'})]$: 0 if it is always right, 1 if always wrong. It is
# Kendall's τ in other clothes, $(1 - \tau) / 2$, and has an exact distribution under chance: all orders of the sizes are equally likely. With
# few sizes, chance reaches far ([table](#table-chance)):

# %%
bands = {n: tradeoff.null_band(n) for n in (3, 4, 5, 6, 8, 13, 20)}
page.show_table(
    pd.DataFrame(bands, index=["at most", "at least"]).T.rename_axis("sizes"),
    "chance",
    "Sign-errors that differ from chance at the two-sided level 5 %; a dash where none does.",
    forms={"at most": 3, "at least": 3},
)

# %% [markdown]
# The paper does not say whether it compares the sizes within a family or all of its models together. For the five CLIP models alone, only a measure that is right about *every* pair, or
# wrong about every pair, differs from chance. That most sign-errors exceed 1/2 is then no finding. With the eight EfficientNets they are thirteen, and a measure needs less:

# %%
say(
    f"Of thirteen models together, a sign-error of {bands[13][0]:.2f} or less, or of {bands[13][1]:.2f} or more, differs from chance. Then some of the paper's sign-errors above 1/2 may be findings."
)

# %%
if with_measures:
    theory = theory[theory["family"].isin(measured["family"])]
    keys = ["family", "slice", "size"]
    target = measured if "seed" in theory else measured.groupby(keys, as_index=False)["estimate"].mean()
    summary = signerror.summarise(tradeoff.sign_error_table(theory, target))
    page.show_figure(
        figures.sign_errors(summary, readable.get("params", "number of weights"), slice_titles),
        "sign-errors",
        "Sign-errors of the measures: mark, mean over the seeds; line, smallest to largest. Shaded: what chance gives in 95 of 100 cases or more for one "
        "set of sizes.",
        f"The mean sign-errors reach from {span(summary['estimate'])}; {(summary['estimate'] > 0.5).sum()} of {len(summary)} are above 1/2.",
    )

# %% [markdown]
# More seeds are not more sizes: a measure that simply grows with the size makes the same comparison in every seed. So the band is that
# of one set of sizes.

# %% [markdown]
# Single seeds are noisy, though, and the noise of the measured error is none of the measures' fault. So the count is made with averages:
# mean error and median measure over the seeds, and then one sign-error per measure. It is exact as well, and each order counts
# once.

# %%
if with_measures:
    averaged = chapter.averaged_sign_errors(theory, measured)
    counted = chapter.count_verdicts(averaged).reindex(
        columns=["measures", "above 1/2", *chapter.VERDICTS], fill_value=0
    )
    page.show_table(
        counted.rename(index=of_slice, level="slice"),
        "verdicts",
        "Measures that order the sizes differently, how many of them have a sign-error above 1/2, which is what the paper looks at, and what the band of "
        "chance says of them.",
        {"slice": "measured on", "measures": "different measures"},
    )

# %% [markdown]
# The paper also looks at 10th percentiles: they exceed .3, or .5, and it takes that for a lack of reliability. Its text does not say over what the percentile is taken. There are three
# readings; each is put beside what measures give that know nothing.

# %%
readings = (
    "The 10th percentile in three readings. Over the levels of a slice: of how many different measures is it above .3, above 1/2, what gives chance on average, and how many are beyond it at "
    "the level 5 %. Over the classes of a cell: of how many is the sign-error with the 10th percentile of the errors above 1/2. Over the measures: the percentile, and what chance gives."
)


def show_readings(theory, measured, asked, name, caption):
    cases, tenths = along_size(asked, chapter.slice_cases), along_size(asked, tradeoff.slice_marginal, "error_p10")
    page.show_table(
        chapter.percentile_readings(theory, measured, cases, tenths).rename(index=of_slice, level="slice"),
        name,
        caption,
        {"slice": "measured on", "measures": "different measures"},
        dict.fromkeys(["levels by chance", "over measures", "over measures by chance"], 2),
    )


if with_measures:
    show_readings(theory, measured, asked, "percentiles", readings)

# %%
if with_measures:
    telling = averaged[averaged["verdict"].isin(["right", "reversed"])]
    page.show_table(
        telling.groupby(["family", "slice", "verdict"])["measure"]
        .agg(", ".join)
        .to_frame("measures")
        .rename(index=of_slice, level="slice"),
        "telling",
        "The measures that are not like chance, with all their names.",
        {"slice": "measured on"},
    )
    totals = counted.sum()
    by_params = averaged[averaged["measure"] == readable.get("params")]
    upside = [
        f"{verbatim(row.family)} ({of_slice[row.slice]})"
        for row in by_params.query("verdict == 'reversed'").itertuples()
    ]
    display(
        say(
            f"Together these are {totals['measures']} comparisons. {totals['above 1/2']} sign-errors are above 1/2. With chance considered, "
            f"{totals['like chance']} are like chance, {totals['reversed']} reversed, {totals['right']} right.",
            f"The {verbatim(called)} falls with the size more often than chance would have it for {' and '.join(upside)}: there the mere number of weights is reversed, and so "
            "is every measure that puts the sizes into the same order. [Figure](#figure-sizes) has the errors."
            if upside
            else "",
        )
    )

# %% [markdown] tags=["ours"]
# ### The same on CIFAR-10
#
# Six sizes, both families, each kind of noise, probe and fine-tuned: [table](#table-cifar-signs) counts as above, [table](#table-cifar-percentiles) has the three readings of the percentile.

# %% tags=["ours"]
theory_colour = gx.datasets.load_tradeoff_cifar10_measures().melt(
    ["family", "seed", "size"], list(tradeoff.MEASURES), "measure", "value"
)
asked_of = [(key, "zero_shot") for key in of_kind] + [(key, "ssim") for key in of_kind if key[0] == "pca"]
called_kind = kinds | {"fgsm": "attack"}
measured_colour = pd.concat(
    [
        tradeoff.slice_marginal(of_kind[noise, training, family], which).assign(
            family=family, noise=called_kind[noise], training=training
        )
        for (noise, training, family), which in asked_of
    ]
)
counted_colour = chapter.count_verdicts(chapter.averaged_sign_errors(theory_colour, measured_colour))
page.show_table(
    counted_colour.groupby(["slice", "noise", "training"]).sum().rename(index=of_slice, level="slice"),
    "cifar-signs",
    f"CIFAR-10, both families together: measures that order the {theory_colour['size'].nunique()} sizes differently, how many have a sign-error above 1/2, and what the band of chance says of them "
    f"(at most {tradeoff.null_band(6)[0]:.2f}, or at least {tradeoff.null_band(6)[1]:.2f}).",
    {"slice": "measured on", "measures": "different measures"},
)

# %% tags=["ours"]
whole = arrays_on["CIFAR-10"]["cohen"]
in_slices = [(name, whole[name], which) for name in sorted(whole) for which in ("ssim", "zero_shot")]
show_readings(
    theory_colour,
    along_size(in_slices, tradeoff.slice_marginal),
    in_slices,
    "cifar-percentiles",
    "CIFAR-10, probe and principal components: the 10th percentile in three readings, as in the table for digits.",
)

# %% tags=["ours"]
both_totals = ({"digits": totals} if with_measures else {}) | {"CIFAR-10": counted_colour.sum()}
say(
    "So of the comparisons of a measure with the error, "
    + "; ".join(
        f"{percent(each['like chance'] / each['measures'])} on {data} are like chance ({each['like chance']} of {each['measures']}), {each['right']} right, {each['reversed']} reversed"
        for data, each in both_totals.items()
    )
    + ". The comparisons on CIFAR-10 share their networks and test images, so they are not independent of each other.",
)

# %% [markdown]
# - **Where all are like chance, none of these measures says in which order the errors of the sizes come.** If the error hardly depends on the size, beyond the luck of the
#   seeds, none could; the figure of the error over the size shows whether it does.
# - **A wrong sign is not no relation.** A measure at 1 tells as much as a measure at 0. What tells nothing is the shaded middle.
# - **Where one thing was varied**, as the width of a network, all measures that are monotone in it get the same verdict, whatever they mean: the sizes of one
#   family are one experiment. And the noise that networks tolerate is itself an estimate, which varies with its random numbers.
#

# %% [markdown] tags=["ours"]
# ## Your own models
#
# Any classifier that gives class probabilities fits into the array: torch, scikit-learn, or a file of outputs. One call per cell:

# %% tags=["ours"]
from sklearn.tree import DecisionTreeClassifier

mine = []
for n_leaves in (20, 100):  # the size
    for n_unseen in (0, 5):
        classes = task.classes(n_unseen)
        train, test = np.isin(task.train_labels, classes), np.isin(task.test_labels, classes)
        tree = DecisionTreeClassifier(max_leaf_nodes=n_leaves, random_state=0)
        tree.fit(task.train_images[train].reshape(-1, 64), task.train_labels[train])
        for level in (0.75, 1.0):
            probabilities = tree.predict_proba(shown[level][test].reshape(-1, 64))
            labels = task.test_labels[test]
            mine.append(tradeoff.cell(task.zero_shot(n_unseen), level, n_leaves, labels, probabilities, tree.classes_))
mine = pd.concat(mine)
of_trees = tradeoff.tradeoff_point(tradeoff.to_array(mine, kappa="cohen"))
say(
    f"The trade-off point of these trees: SSIM {of_trees.ssim:g}, {percent(of_trees.zero_shot)} unseen classes, {of_trees.size:g} leaves."
)

# %% [markdown] tags=["ours"]
# Save such a table as CSV, parquet or Excel (columns `zero_shot`, `ssim`, `size`, `class`, `error_rate` and the editions of Kappa that you have; several families or seeds in columns
# `family` and `seed`) and render this report on it: `genexpy-nb --root CHECKOUT render tradeoff -p results=mine.parquet -o mine`, where CHECKOUT is the folder that holds this project (inside it, `--root` is not needed).
# If your noise is no SSIM, the parameters `noise` and `cleaner` say what it is; `size_unit` says what a size counts; `missing=drop` leaves out cells that you do not have.
#
# To pretrain and probe models of your own with this testbed, give them what `genexpy_nb.testbed.grid.Family` asks for: a `name`, the names of
# its `members`, and a method `pretrain` that returns something with a `size` and a method `features(images)`. For the paper's own
# scale, `data/run_cifar100.py` runs EfficientNets of torchvision, or any torch modules, on CIFAR-100 from a local folder; data/README.md says how.

# %% [markdown]
# ## The answer in short

# %%
if difference is not None:
    clean, noisy = difference.iloc[-1], difference.iloc[0]
    for key, row, words in (("clean", clean, "on the cleanest images"), ("noisy", noisy, "on the noisiest images")):
        numbers = row[["estimate", "low", "high"]]
        page.key_number(f"difference-{key}", f"mean {called}, {first} minus {second}, {words}", *numbers, decimals=3)
for number, (name, point) in enumerate(list(points.items())[:2], start=1):
    page.key_number(f"ssim-{number}", f"{axis.name} at the trade-off point of {name}", point.ssim, decimals=3)
    page.key_number(f"size-{number}", f"size at the trade-off point of {name}", point.size, unit=unit, decimals=0)
page.key_number(
    "reach-weights",
    f"how far equal weights from 0.01 to 10 move the {axis.name} at the point of a family",
    reach["ssim"][0],
    decimals=2,
)
if len(points) > 1:
    label = f"how far the points of the families lie apart in {axis.name}"
    page.key_number("reach-families", label, reach["ssim"][1], decimals=2)
if len(editions) > 1:
    label = f"how far the edition of Kappa moves the {axis.name} at the point of a family"
    page.key_number("reach-editions", label, moved[axis.name], decimals=2)
if len(factors):
    label = "largest factor between readings of one bound from two axes"
    page.key_number("factor", label, factors.max(), unit="times", decimals=2)
if not own:
    for number, name in enumerate(ours, start=1):
        if 0 <= more[name, 0.75] <= 1:
            label = f"share of the rise of the error at SSIM 0.75 that more classes alone explain, {name}"
            page.key_number(f"more-{number}", label, more[name, 0.75], decimals=2)
if with_measures:
    for key, verdict in (("chance", "like chance"), ("reversed", "reversed")):
        label = f"share of the comparisons of measures with errors that are {verdict}"
        page.key_number(f"signs-{key}", label, totals[verdict] / totals["measures"], decimals=2)

# %% tags=["findings"]
findings = []
if difference is not None:
    turns = clean["high"] < 0 < noisy["low"] or noisy["high"] < 0 < clean["low"]
    families = "" if own else ", two families of small networks"
    ends = " and ".join(f"{row['low']:+.3f} to {row['high']:+.3f}" for row in (clean, noisy))
    findings.append(
        page.Finding(
            f"{clean['estimate']:+.2f} → {noisy['estimate']:+.2f}".replace("-", "−"),
            f"mean {verbatim(called)} of {verbatim(first)} minus that of {verbatim(second)}{families}, with {percent(share)} of the classes unseen, on the cleanest images and on the noisiest: "
            + (
                "*which family is better depends on the noise*"
                if turns
                else "that the noise decides which family is better is not seen here"
            ),
            f"{n_paired} seeds, {percent(confidence)} t intervals {ends}".replace("-", "−"),
        )
    )
from_seed_to_seed = f" · from seed to seed up to {seed_spread:.2f}" if n_seeds > 1 else ""
findings.append(
    page.Finding(
        f"{reach['ssim'][1]:.2f} and {reach['ssim'][0]:.2f}",
        f"how far the trade-off points of the families lie apart in {verbatim(axis.name)}, and how far one of them moves with *the weight that is given to "
        "noise, unseen classes and size*, which the paper's text leaves open",
        f"weights from 0.01 to 10, exact over the measured cells{from_seed_to_seed}",
    )
)
if with_measures:
    findings.append(
        page.Finding(
            f"{totals['like chance']} of {totals['measures']}",
            f"comparisons of a measure from learning theory with the errors say no more than chance about *which model sizes err less*; {totals['right']} "
            f"have the order right, {totals['reversed']} reversed",
            f"exact tests, level 5 % each · {span((array.sizes['size'] for array in arrays.values()), '{:.0f}')} sizes",
        )
    )
page.show_findings(*findings)

# %% [markdown]
# ## Checks
#
# Numbers that matter, with the tolerance that each deserves, and what the text says without a number.

# %%
for name, point in points.items():
    wishes = sum(weights.get(dimension, 1.0) * x**2 for dimension, x in point.scaled.items())
    np.testing.assert_allclose(point.value, point.objective + wishes, rtol=1e-9)
    np.testing.assert_allclose(point.objective, sum(point.statistics.values()), rtol=1e-9)
    assert point.n_cells == means[name]["error_mean"].notnull().sum()
np.testing.assert_allclose(bands[8], (5 / 28, 23 / 28))
assert bands[5] == (0, 1)
if not own:
    assert same > 0.9  # last bits differ between machines, and training carries them on
    cell = ["family", "seed", "zero_shot", "ssim", "size"]
    assert (recorded.drop_duplicates(cell).groupby("seed").size() == 864).all() and recorded["seed"].nunique() == 10
    assert (recorded.groupby("family")["size"].nunique() == 8).all()
    np.testing.assert_allclose(printed.abs().to_numpy(), [[0.158, 0.05], [0.012, 0.025], [7.26, 1.3]], atol=0.01)
    assert printed.loc["diversity bound, the same", "CIFAR-100"] > 0.024  # the text says "up to 0.02"
    assert gaps <= chapter.READING_ERROR
    assert level_j["kappa_std"] > 1.9 * most
    if error == "error_rate":
        assert alike.loc["cohen"].min() > 0.99
        assert alike.loc[["conflict", "conflict_abs"]].abs().max().max() < 0.9
        np.testing.assert_allclose(alike.loc["conflict"].sort_values(), [0.59, 0.62], atol=0.006)
        assert below["conflict"] > 0.8
        if zero_shot == 0.5:
            assert difference.set_index("ssim").loc[1.0, "n_first_lower"] >= 9
            assert difference.set_index("ssim").loc[0.75, "n_second_lower"] >= 8
        conv, perc = (means[name]["error_mean"].isel(zero_shot=-1) for name in ("convolutions", "perceptrons"))
        assert (conv.sel(ssim=1).to_numpy() < perc.sel(ssim=1).to_numpy()).all()  # size by size
        assert (conv.sel(ssim=0.75).to_numpy() > perc.sel(ssim=0.75).to_numpy()).all()

# %% [markdown]
# ## Summary
#
# - Which family generalizes better can depend on the question. Then no single number ranks them.
# - The trade-off point is easily found exactly, and it depends on its weights, scales and solver. The tolerance box asks the more useful question.
# - Kappa has three editions, and a result about one of them is not a result about another. Whether one measures anything beside the error, the correlation says.
# - A published figure can hold more than its tables: bounds that are means of three, and a scale that no text mentions.
# - ZeroShot mixes unseen classes with more classes; only a control separates them.

# %%
say(
    f"- With eight sizes a sign-error must be {bands[8][0]:.2f} or less, or {bands[8][1]:.2f} or more, to differ from chance at 5 %; with five it must be {bands[5][0]:.0f} or {bands[5][1]:.0f}."
)

# %%
page.show_key_numbers()

# %% [markdown] tags=["exercise"]
# ## Exercises
#
# On editions of a measure, on what a published number can and cannot be, and on points that move.

# %% [markdown] tags=["exercise", "slide"]
# ### 1. Three Kappas of a perfect model
#
# *Understanding · 10 minutes.* A model is tested on five classes with 2,000 images each. It is always right, and gives the right class the probability 1. What are
# *conflict*, *conflict_abs* and *cohen* for any of the five classes? Assign the list of the three numbers to `answer_1`, to two decimals.

# %% tags=["solution"]
right = np.repeat(np.arange(5), 2000)
of_perfect = tradeoff.class_metrics(right, np.eye(5)[right]).iloc[0]
answer_1 = [of_perfect["conflict"], of_perfect["conflict_abs"], of_perfect["kappa"]]

# %% tags=["check"]
exercises.check(
    "07-1",
    answer_1,
    "ndd2u37xqfgp62xurqfa",
    decimals=2,
    hint="Count a, b, c and d for one class: how many samples are clearly below their strongest rival, how many clearly above?",
    wrong={
        "ndd2u3v6nxd56ewgshxa": "The third is 1 minus Cohen's kappa: what is it when label and prediction always agree?",
        "nddkk34srrbcjtfr66ma": "Only one of the three is 0 for a perfect model. Without conflicts, a and d are 0, but b and c are not.",
        "ndd2i37ej5horo7v3lpa": "One of the three is an absolute value.",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** No sample is in conflict, so $a = d = 0$; for each class 8,000 samples are clearly below, 2,000 clearly above. Observed agreement is 0, agreement by chance
# $2 \cdot .8 \cdot .2 = .32$, and Kappa $-.32 / .68 = -.47$. There are 10,000 samples, so *conflict_abs* is .47. The best model that there can be scores very well, badly, and perfectly, depending on
# the edition.

# %% [markdown] tags=["exercise"]
# ### 2. Multiplied by what?
#
# *Application · 10 minutes.* A paper reports, for a share between 0 and 1, a mean of .2 and a standard deviation of .5. You suspect that the values were multiplied by a constant before they were
# averaged. What is the smallest factor that makes the two numbers possible? Assign it to `answer_2`, to two decimals.

# %% tags=["solution"]
factors = np.linspace(1, 3, 2001)
answer_2 = next(f for f in factors if chapter.largest_deviation(0.2, 0, f) >= 0.5)

# %% tags=["check"]
exercises.check(
    "07-2",
    answer_2,
    "sclgcm64nlof3md5",
    decimals=2,
    hint="Values multiplied by f lie between 0 and f. How far can they deviate if their mean is .2?",
    wrong={
        "scmd5mval7wftibl": "That is .5 over the largest deviation of a share with mean .2. But the mean was multiplied, too: with larger values, .2 is a smaller part of the range.",
        "sclewu5bdnptl4e3": "That is the largest deviation of shares with mean .2. Which factor allows .5?",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** Values in $[0, f]$ with mean $\mu$ deviate by at most $\sqrt{(f - \mu) \mu}$, which zeros and $f$s reach. $\sqrt{(f - .2) \cdot .2} = .5$ gives $f = .25 / .2 + .2 = 1.45$. A bound can show that a scale
# is wrong; it cannot show which one is right: every larger factor is possible, too.

# %% [markdown] tags=["exercise"]
# ### 3. Ten sizes
#
# *Application · 5 minutes.* [Table](#table-chance) says how small a sign-error must be to differ from chance. How small must it be with ten sizes, at the two-sided level 5 %? Assign the largest value that differs
# from chance to `answer_3`, to three decimals.

# %% tags=["solution"]
answer_3 = tradeoff.null_band(10)[0]

# %% tags=["check"]
exercises.check(
    "07-3",
    answer_3,
    "n67lmweezpusbaux",
    decimals=3,
    hint="`tradeoff.null_band` made the table. By hand: how many of the 10! orders have so few inversions?",
    wrong={"n66l3dkl3exo6mlx": "That is the value for eight sizes."},
)

# %% [markdown] tags=["explanation"]
# **Why.** Ten sizes have 45 pairs. Of all orders, those with at most 11 pairs the wrong way round have a probability just below 2.5 %, so 11/45 = .244 is the end of the band. More sizes narrow the band slowly: a measure
# with a sign-error of .3 says nothing with ten sizes, and would with sixteen.

# %% [markdown] tags=["exercise"]
# ### 4. A scale is a weight
#
# *Application · 15 minutes.* Two cells differ in noise only. The clean one, SSIM 1, has $F = .2$; the noisy one, SSIM .6, has $F = .9$. The weighted form chooses the noisy one as soon as the weight of SSIM is
# large enough. From which weight on, if SSIM is scaled to [0, 1] as in this notebook, and if it is taken as it is, as in the authors' code? Assign the list of the two weights to `answer_4`, to two decimals.

# %% tags=["solution"]
gain = 0.9 - 0.2
answer_4 = [gain / (1**2 - 0**2), gain / (1**2 - 0.6**2)]

# %% tags=["check"]
exercises.check(
    "07-4",
    answer_4,
    "nfuqxyfabnbhm3dycy",
    decimals=2,
    hint="Write down what is minimized for both cells, and set the two equal. The weight multiplies a square.",
    wrong={
        "nfuqwlcptck475r2ky": "The scale does change the weight: on the raw scale the noisy cell pays for SSIM, too.",
        "nfuqw5n4hvhz2dplq4": "The wish is a square: the difference is 1 − .36, not 1 − .6.",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** Scaled, the clean cell has $.2 + w$ and the noisy one $.9 + 0$: equal at $w = .7$. Raw, they have $.2 + w$ and $.9 + .36 w$: equal at $.7 / .64 = 1.09$. The same number as a weight means another wish on another scale, and the scale
# depends on the ends of the grid that somebody happened to choose.

# %% [markdown] tags=["exercise"]
# ### 5. Seed by seed
#
# *Project · 40 minutes.* Take the bundled cells of the convolutions and find the trade-off point of each of the ten seeds, all weights 1, sizes on the linear scale, once with Kappa as *conflict* and once as *cohen*.
# In how many seeds do the two points differ in SSIM? Assign the number to `answer_5`. Then go on: is the edition or the seed the larger source of variation? And how does a family of
# your own compare, random projections of the pixels, say, in several widths?

# %% tags=["solution"]
of_convolutions = gx.datasets.load_tradeoff_cells().query("family == 'convolutions'")
by_seed = {
    name: tradeoff.tradeoff_points_by_seed(tradeoff.to_array(of_convolutions, kappa=name))["ssim"]
    for name in ("conflict", "cohen")
}
answer_5 = int((by_seed["conflict"] != by_seed["cohen"]).sum())

# %% tags=["check"]
exercises.check(
    "07-5",
    answer_5,
    "j74mtxggcvvk3za",
    hint="`tradeoff.to_array` takes the edition as `kappa=`, and `tradeoff.tradeoff_points_by_seed` finds a point for each seed.",
)

# %% [markdown] tags=["explanation"]
# **Why.** In seven of ten seeds the point is elsewhere, each time on cleaner images with *cohen*: it grows with the error, and noise makes errors; *conflict* is below zero where the model is sure of itself,
# rightly or wrongly. The edition moves the point of most of these seeds by .1, as much as the ten points of one edition differ at most.

# %% [markdown]
# ## Further reading
#
# - [Jiang et al., 2020, *Fantastic Generalization Measures and Where to Find Them*](https://openreview.net/forum?id=SJgIPJBFvH): more than forty complexity measures, compared on more than 10,000 networks.
# - [Dziugaite et al., 2020, *In Search of Robust Measures of Generalization*](https://proceedings.neurips.cc/paper/2020/hash/86d7c8a08b4aaa1bc7c599473f5dddda-Abstract.html): the sign-error, and how averages over models hide where a measure fails.
# - [Radford et al., 2021, *Learning Transferable Visual Models From Natural Language Supervision*](https://proceedings.mlr.press/v139/radford21a.html): CLIP, and the linear probe by which frozen features are judged.
# - [Kornblith et al., 2019, *Do Better ImageNet Models Transfer Better?*](https://doi.org/10.1109/CVPR.2019.00277): does a better network on one dataset give better features for another?
# - [Goodfellow et al., 2015, *Explaining and Harnessing Adversarial Examples*](https://arxiv.org/abs/1412.6572): the attack along the sign of the gradient.
# - [Huang et al., 2025, *A practical generalization metric for deep networks benchmarking*](https://doi.org/10.1038/s41598-025-93005-5): the journal's edition of the paper, with the third Kappa.
# - [Bhatia and Davis, 2000, *A Better Bound on the Variance*](https://doi.org/10.1080/00029890.2000.12005203), The American Mathematical Monthly 107: how far numbers between two ends can deviate, given their mean.
# - [Cohen, 1960, *A Coefficient of Agreement for Nominal Scales*](https://doi.org/10.1177/001316446002000104), Educational and Psychological Measurement 20: the kappa behind all three.
