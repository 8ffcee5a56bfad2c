# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # The trade-off point: how far does a family of models generalize?
#
# *Executable companion to* A practical generalization metric for deep networks benchmarking.
#
# One accuracy on one test set says little about how a model behaves elsewhere. The paper measures families of models along
# three dimensions at once (noise, classes that the model has never seen, and its size) and condenses the result into one
# **trade-off point**. It then asks whether theory would have predicted what was measured, and finds that it mostly would
# not. Its cells were not published, and its equations are lost in the text that we have; what follows are reconstructions, marked as
# such, on a testbed that runs on a laptop in a minute.
#
# **You will learn** what a cell of the three-dimensional array holds, how the trade-off point is found and on what it depends, and
# how large a sign-error of a complexity measure must be before it says anything.
#
# **You need** to know what a neural network and a permutation test are.

# %% [markdown]
# ## Parameters

# %% tags=["parameters"]
results: str = ""  # file (parquet, CSV) with cells of your own models; empty: this project's runs on digits
measures: str = ""  # file with complexity measures of the same models; empty: the ones of the runs on digits
error: str = "error_rate"  # what is called error: error_rate, or gap (test minus training)
kappa: str = "kappa"  # what is called Kappa: kappa (1 - Cohen's), or conflict (the paper's, from probabilities alone)
weights: dict[str, float] = {"ssim": 1.0, "zero_shot": 1.0, "size": 1.0}  # of the three wishes: noisy, unseen, small
size_scale: str = "linear"  # how sizes are put on [0, 1]: linear, log or rank
tolerated: float = 0.1  # mean error that is still tolerated, for the tolerance box
zero_shot: float = 0.5  # share of unseen classes at which families are compared
rerun_seed: int = 0  # seed of the part of the testbed that is run anew in this notebook, 0 to 9
n_resamples: int = 2000  # resamples of the seeds for the intervals of the trade-off point
seed: int = 0  # seed of these resamples

# %% [markdown]
# ## Setup

# %%
import numpy as np
import pandas as pd

import genexpy_nb as gx
from genexpy_nb import tradeoff
from genexpy_nb.common import page
from genexpy_nb.common.checks import check_choice
from genexpy_nb.common.choices import levels_around, show_choices
from genexpy_nb.common.page_tables import written_number
from genexpy_nb.common.prose import percent, say, span, verbatim
from genexpy_nb.plots import choices as drawings
from genexpy_nb.plots import tradeoff as figures
from genexpy_nb.testbed import digits
from genexpy_nb.testbed.grid import SSIM_LEVELS, run_family
from genexpy_nb.testbed.noise import PCANoise

gx.plots.use_style()

# %%
check_choice("rerun_seed", rerun_seed, range(10))
recorded = gx.datasets.load_tradeoff_cells()  # this project's runs
own = bool(results)
cells = gx.datasets.load_tradeoff_cells(results) if own else recorded
arrays = {name: tradeoff.to_array(part, error=error, kappa=kappa) for name, part in cells.groupby("family", sort=False)}
called = {"error_rate": "error rate", "gap": "gap"}.get(error, error)


def interval(*numbers):
    return "{} [{}, {}]".format(*(written_number(number, 3) for number in numbers))


# %% [markdown]
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
    display(
        say(
            "These are your own cells. The sections on the testbed are about this project's runs on digits, the others about your cells."
        )
    )

# %%
task = digits.digits_task(rerun_seed)
say(
    f"With seed {rerun_seed} there are {len(task.train_images):,} images for training and {len(task.test_images)} for the test. The digits "
    f"{', '.join(map(str, task.seen))} are seen while pretraining; unseen ones are added in the order {', '.join(map(str, task.unseen))}."
)

# %% [markdown]
# Noise is the reconstruction by an autoencoder: here a linear one, principal components, of which so few are kept that the
# **structural similarity** (SSIM) of image and reconstruction has the value that is wanted. At 1 nothing is lost;
# [figure](#figure-noise-levels) shows what less looks like.

# %%
noise = PCANoise().fit(task.train_images)
chosen = [int(np.flatnonzero(task.test_labels == label)[0]) for label in sorted({*task.seen, *task.unseen})[::2]]
shown = {level: noise.degrade(task.test_images, level) for level in sorted(SSIM_LEVELS, reverse=True)}
lost = {level: np.sqrt(np.mean((images - task.test_images) ** 2)) for level, images in shown.items()}
page.show_figure(
    figures.noise_levels(
        {level: images[chosen] for level, images in shown.items()}, [str(task.test_labels[i]) for i in chosen]
    ),
    "noise-levels",
    "From left to right, less and less is left. The similarity is that of all test images on average; a single image may lose more or less.",
    f"Handwritten digits at {len(shown)} levels of structural similarity, from {max(shown):g} to {min(shown):g}: strokes blur until shapes merge. The "
    f"pixels of the last differ from the originals by {lost[min(shown)]:.2f} (root mean square, on a scale from 0 to 1).",
)

# %% [markdown]
# ### One cell
#
# A cell is one model, one share of unseen classes, one noise level; it holds numbers for each class.
#
# > Aside: The whole testbed has 864 cells per seed. We ran it with ten seeds; `data/make_tradeoff.py` does that in a few minutes.
#
# [Table](#table-one-cell) is one of them: convolutions with 1,899 weights, three unseen classes, SSIM = .9.

# %%
one_cell = recorded[
    (recorded["family"] == "convolutions")
    & (recorded["seed"] == rerun_seed)
    & (recorded["size"] == 1899)
    & (recorded["ssim"] == 0.9)
    & np.isclose(recorded["zero_shot"], task.zero_shot(3))
]
of_class = ["error_rate", "gap", "kappa", "conflict"]
page.show_table(
    one_cell.assign(seen=one_cell["class"].isin(task.seen)).set_index("class")[["seen", "n", *of_class]],
    "one-cell",
    f"What one cell holds, with seed {rerun_seed}: numbers for each class. What they are is said below.",
    {
        "class": "digit",
        "seen": "seen before",
        "n": "test images",
        "error_rate": "error rate",
        "kappa": "kappa (1 − Cohen's)",
    },
    dict.fromkeys(of_class, 3),
)

# %% [markdown]
# - **ErrorRate** (Eq. 1): the share of a class's test images that are misclassified. The *gap* is test minus training; the paper
#   speaks of both.
# - **kappa**: 1 minus Cohen's kappa of "this class against the rest", label against prediction. 0 is perfect, 1 is chance.
# - **conflict** (Eq. 2): a kappa that is computed from the model's probabilities alone, by counting where this class is within .2 of its strongest
#   rival, below it, above it, or not recognized. Labels never enter it, so it says how *torn* a
#   model is, not how right; a perfect and confident model gets a negative number.
#
# The authors' Kappa has three editions, and they say different things. *conflict* is the one in the text of the paper. Their code of that time took its **absolute
# value**, and that is the Kappa of the published tables; it is not computed here. *kappa* is that of their later code. This notebook calls Kappa what the
# parameter `kappa` says, by default the last one.
#
# Recorded runs are only worth something if they can be repeated. So this notebook pretrains that network, and a perceptron of about the same
# size, here and now:

# %%
small = [digits.NetworkFamily(family.name, family.widths[1:2]) for family in digits.FAMILIES]
rerun = pd.concat([run_family(task, family, digits.N_UNSEEN, [0.75, 0.9, 1.0], seed=rerun_seed) for family in small])
keys = ["family", "seed", "size", "zero_shot", "ssim", "class"]
both = rerun.round({"zero_shot": 9}).merge(recorded.round({"zero_shot": 9}), on=keys, suffixes=("", "_recorded"))
same = np.isclose(both["error_rate"], both["error_rate_recorded"], atol=1e-6).mean()
say(
    f"{len(both)} classes of cells were run again. "
    + (
        "At least 95 in 100 of their error rates are as recorded."
        if same >= 0.95
        else f"Only {percent(same)} of their error rates are as recorded."
    )
)

# %% [markdown]
# ## The array: ZeroShot × SSIM × size
#
# The share of unseen classes, u / (s + u), runs through the paper's values 0, .167, .286, .375, .444, .5; SSIM from .6 to 1. Each cell is described
# by six **statistics** over its classes: mean, standard deviation and 10th percentile of ErrorRate and of Kappa.

# %%
means = {name: tradeoff.over_seeds(array) for name, array in arrays.items()}
n_seeds = min(array.sizes.get("seed", 1) for array in arrays.values())
labels = {"seed": "seeds", "zero_shot": "shares of unseen classes", "ssim": "noise levels", "size": "sizes"}
say(
    "The array of each family: "
    + "; ".join(
        f"{verbatim(name)} (" + ", ".join(f"{labels[dimension]}: {n}" for dimension, n in array.sizes.items()) + ")"
        for name, array in arrays.items()
    )
    + ".",
    f"What figures and tables call error or ErrorRate is the column `{error}`, and Kappa the column `{kappa}`.",
)

# %%
points = {name: tradeoff.tradeoff_point(array, weights=weights, size_scale=size_scale) for name, array in means.items()}
spots = "; ".join(
    f"{name} at SSIM {point.ssim:g}, {percent(point.zero_shot)} unseen classes, {point.size:,.12g} weights"
    for name, point in points.items()
)


def over_cells(statistic):
    return "; ".join(f"{name} {span(array[statistic].to_numpy().ravel())}" for name, array in means.items())


page.show_figure(
    figures.cell_maps(means, "error_mean", points),
    "error-cells",
    "Mean error over the classes, averaged over the seeds: dark is good. The frame is the trade-off point, of which more below.",
    f"Mean {called} of a cell, from the smallest to the largest: {over_cells('error_mean')}. Trade-off points: {spots}.",
)

# %%
page.show_figure(
    figures.cell_maps(means, "kappa_mean", points),
    "kappa-cells",
    "Mean Kappa over the classes, averaged over the seeds, with the trade-off points as in [figure](#figure-error-cells).",
    f"Mean Kappa of a cell, from the smallest to the largest: {over_cells('kappa_mean')}.",
)

# %% [markdown]
# Do [figure](#figure-error-cells) and [figure](#figure-kappa-cells) measure the same? Kappa in the form 1 − Cohen's is computed from the same confusion matrix as the error rate; in the form *conflict* it is computed from
# probabilities, and labels do not enter.

# %%
alike, tails = (
    pd.Series(
        {
            name: np.corrcoef(array[f"error_{part}"].to_numpy().ravel(), array[f"kappa_{part}"].to_numpy().ravel())[
                0, 1
            ]
            for name, array in means.items()
        }
    )
    for part in ("mean", "p10")
)
say(
    f"Over cells, the means of the {verbatim(called)} and of this Kappa correlate at {span(alike, '{:.3f}')}"
    + (
        ": in these cells the two are nearly one measurement, and this says nothing about other editions of Kappa."
        if alike.min() > 0.95
        else ": in these cells this Kappa is not the same measurement."
        if alike.abs().max() < 0.9
        else "."
    ),
    f"Their 10th percentiles correlate at {span(tails, '{:.3f}')}." if tails.notna().any() else "",
)

# %% [markdown]
# ## Which family is better?
#
# Before anything is condensed into a point: look at the curves of [figure](#figure-noise), and at the differences between families.

# %%
curves, from_to = [], []
for name, array in arrays.items():
    shares = array["zero_shot"].to_numpy()
    for share in sorted({float(shares.min()), float(shares[np.abs(shares - zero_shot).argmin()])}):
        curve = tradeoff.noise_curve(array, share).sort_values("ssim", ascending=False)
        curves.append(curve.assign(family=name, panel=f"{percent(share)} of the classes unseen"))
    from_to.append(
        f"{name}, {percent(share)} of the classes unseen, {curve['estimate'].iloc[0]:.2f} to {curve['estimate'].iloc[-1]:.2f}"
    )

# %% tags=["hero"]
page.show_figure(
    figures.error_over_noise(pd.concat(curves), f"mean {called}"),
    "noise",
    f"Mean {verbatim(called)} over classes and sizes as noise grows to the right (SSIM: similarity of the noisy image to the clean one). Bands, with more than one "
    "seed, are 95 % t intervals over the seeds.",
    f"Mean {called} from the cleanest to the noisiest images: {'; '.join(from_to)}.",
)

# %%
if len(arrays) == 2 and n_seeds > 1:
    (first, one), (second, other) = arrays.items()
    share = float(one["zero_shot"].to_numpy()[np.abs(one["zero_shot"].to_numpy() - zero_shot).argmin()])
    difference = tradeoff.family_differences(one, other, share)
    page.show_table(
        pd.DataFrame(
            {
                "ssim": difference["ssim"],
                "difference": list(map(interval, difference["estimate"], difference["low"], difference["high"])),
                "first": difference["n_first_lower"],
                "second": difference["n_second_lower"],
            }
        )
        .iloc[::-1]
        .set_index("ssim"),
        "differences",
        f"Mean {verbatim(called)} of {verbatim(first)} minus that of {verbatim(second)} at ZeroShot {share:.3g}, seed by seed, with 95 % t intervals over "
        f"{n_seeds} seeds; and in how many seeds a family has the lower one.",
        {"ssim": "SSIM", "first": f"seeds: {first} lower", "second": f"{second} lower"},
    )
else:
    difference = None
    display(say("A comparison seed by seed needs two families and at least two seeds."))

# %%
if difference is not None:
    sure = {
        verbatim(first): difference.loc[difference["high"] < 0, "ssim"],
        verbatim(second): difference.loc[difference["low"] > 0, "ssim"],
    }
    claims = [f"{name} at SSIM {', '.join(map('{:g}'.format, levels))}" for name, levels in sure.items() if len(levels)]
    display(
        say(
            f"Where the interval of [table](#table-differences) excludes zero, the lower {verbatim(called)} is that of {' and of '.join(claims)}."
            if claims
            else "No interval excludes zero.",
            "So the answer depends on where one asks. A single number that ranks the two families hides one of these facts."
            if len(claims) == 2
            else "",
        )
    )

# %% [markdown]
# ### Unseen, or just more?
#
# With a larger share of unseen classes, the number of classes that the probe must tell apart grows. That alone makes its task
# harder.
#
# > Aside: Models that were pretrained elsewhere have the same problem, and worse: to a network that learned from ImageNet, no class of CIFAR-100 is
# > quite unseen.
#
# So the testbed of digits was also run with networks that had seen all ten.

# %%
if own:
    display(say("There is no such control for your own cells."))
else:
    control = gx.datasets.load_tradeoff_control()
    controls = {
        name: tradeoff.to_array(control[control["family"] == name], error=error, kappa=kappa) for name in arrays
    }
    conditions = [tradeoff.control_curves(array, controls[name]).assign(panel=name) for name, array in arrays.items()]
    conditions = pd.concat(conditions)
    without_noise = conditions[conditions["ssim"] == 1]
    page.show_figure(
        figures.error_over_noise(conditions.rename(columns={"condition": "family"}), f"mean {called}"),
        "control",
        f"Mean {verbatim(called)} over classes and sizes, by what the networks had seen. Bands are 95 % t intervals over the seeds.",
        f"Mean {called} without noise: "
        + "; ".join(f"{row.panel}, {row.condition}: {row.estimate:.3f}" for row in without_noise.itertuples())
        + ".",
    )

# %%
if not own:
    rise = pd.concat([tradeoff.split_rise(array, controls[name]).assign(family=name) for name, array in arrays.items()])
    rise["text"] = list(map(interval, rise["estimate"], rise["low"], rise["high"]))
    three_levels = rise[rise["ssim"].isin([1.0, 0.9, 0.75])]
    page.show_table(
        three_levels.pivot(index=["family", "ssim"], columns="cause", values="text").sort_index(
            ascending=[True, False]
        ),
        "rise",
        "How much the error rises from few classes, all seen, to more, some of them unseen: because they are more, and because they are unseen. 95 % t "
        "intervals over the seeds.",
        {"ssim": "SSIM", "more": "because they are more", "unseen": "because they are unseen"},
    )

# %%
if not own:
    parts = rise.pivot(index=["family", "ssim"], columns="cause", values="estimate")
    more = parts["more"] / parts.sum(axis=1)
    sensible = more.between(0, 1)
    lines = [
        f"for {verbatim(name)} {percent(more[name, 1.0])} without noise, {percent(more[name, 0.75])} at SSIM 0.75"
        if sensible[name].loc[[1.0, 0.75]].all()
        else f"for {verbatim(name)} no share can be told, as one of the two parts is a fall"
        for name in arrays
    ]
    display(
        say(
            f"So much of the rise in [figure](#figure-control) is due to the longer list of classes alone: {'; '.join(lines)}.",
            "Without the control, ZeroShot measures two things at once.",
        )
    )

# %% [markdown]
# ## The trade-off point
#
# The paper wants small statistics *and* a hard test: much noise (low SSIM), many unseen classes, a small model. With
# $x = (\text{SSIM}, 1 - \text{ZeroShot}, \text{size})$, each scaled to [0, 1] over the grid, and $F$ the sum of the six statistics, we read its
# Eq. 3 and 4 as
#
# $$\min_{\text{cells}} \; F + \sum_d w_d\, x_d^2 \qquad \text{or, without weights,} \qquad \min_{\text{cells}} \; \max(\tilde F, x_1, x_2, x_3),$$
#
# > Aside: The grid has a few hundred cells, so looking at each of them is exact and takes milliseconds; the tests compare it with a mixed-integer
# > solver.
#
# where $\tilde F$ is $F$ scaled to [0, 1]. [Table](#table-points) has the points of both forms.

# %%
page.show_table(
    tradeoff.point_table(arrays, weights, size_scale, n_resamples, seed),
    "points",
    "The trade-off point of each family, in the weighted form and without weights (minimax), with the mean error and Kappa there."
    + (
        " The intervals come from resampling the seeds (percentiles, 95 %; how often they hold the point of another run was not measured)."
        if n_seeds > 1
        else ""
    ),
    {"method": "form", "size": "size, weights"},
    {"error": 3, "Kappa": 3},
)

# %%
if n_seeds > 1:
    spread = pd.concat(
        [
            tradeoff.tradeoff_points_by_seed(array, weights=weights, size_scale=size_scale).assign(family=name)
            for name, array in arrays.items()
        ]
    )
    seed_spread = spread.groupby("family", sort=False)["ssim"].agg(np.ptp).max()
    page.show_figure(
        figures.point_spread(spread, points),
        "points-by-seed",
        "Coordinates of the trade-off point, seed by seed; the larger a bubble, the more seeds share the level.",
        f"The trade-off points of {n_seeds} single seeds lie at these SSIM: "
        + "; ".join(f"{name} {span(part['ssim'], '{:g}')}" for name, part in spread.groupby("family", sort=False))
        + ".",
    )
else:
    display(say("One seed: its point is the one above."))

# %% [markdown]
# ### What the weights do
#
# > Aside: The minimax form has no weights, but it has a scale in their place: how sizes are put on [0, 1], and where the grid ends.
#
# Nothing in the paper's text says how much noise weighs against unseen classes or against size; the authors' later code sets weights, others for each data
# set. So we try: in [figure](#figure-weights) one weight after the
# other, and in its last column all three, equal to each other.

# %%
sensitivity = pd.concat(
    [
        tradeoff.weight_sensitivity(array, base=weights, size_scales=[size_scale]).assign(family=name)
        for name, array in means.items()
    ]
)
together = sensitivity[sensitivity["varied"] == "all"]
reach = {
    d: (together.groupby("family")[d].agg(np.ptp).max(), np.ptp([getattr(point, d) for point in points.values()]))
    for d in ("ssim", "zero_shot")
}
page.show_figure(
    figures.weight_curves(sensitivity, size_scale=size_scale),
    "weights",
    "Rows: coordinates of the trade-off point. Columns: the weight that is varied, the others held; in the last one all three. Dotted: the minimax "
    "point.",
    f"As all three weights grow from 0.01 to 10, the trade-off point of a family moves by up to {reach['ssim'][0]:.2f} in SSIM and by up to "
    f"{reach['zero_shot'][0]:.2f} in ZeroShot.",
)

# %%
page.show_table(
    together.groupby("family", sort=False).agg(
        {
            **dict.fromkeys(["ssim", "zero_shot"], lambda levels: span(levels, "{:.3g}")),
            "size": lambda levels: span(levels, "{:,.12g}"),
        }
    ),
    "reach",
    "Where the trade-off point lies while all three weights are equal, from 0.01 to 10.",
    {"ssim": "SSIM", "zero_shot": "ZeroShot", "size": "size, weights"},
)

# %%
say(
    f"With all three weights equal, from .01 to 10, SSIM at the point of a family moves by up to {reach['ssim'][0]:.2f} and ZeroShot by up to {reach['zero_shot'][0]:.2f}.",
    f"At the weights of this run the points of the families are {reach['ssim'][1]:.2f} apart in SSIM and {reach['zero_shot'][1]:.2f} in ZeroShot. "
    + (
        "So in these two, here, the point says more about the choice of weights than about the family."
        if all(w > f for w, f in reach.values())
        else ""
    )
    if len(points) > 1
    else "",
)

# %% [markdown]
# The three weights need not move together. In [figure](#figure-point-by-weights), choose each:

# %%
some = dict(list(means.items())[:4])  # families that one drawing can hold
wishes = {"weight of noise": "ssim", "weight of unseen classes": "zero_shot", "weight of size": "size"}
by_weight = {label: levels_around([0.1, 1, 3, 10], weights.get(wish, 1.0), 4) for label, wish in wishes.items()}


def draw_point(*chosen):
    point_at = {
        name: tradeoff.tradeoff_point(array, dict(zip(wishes.values(), chosen, strict=True)), size_scale=size_scale)
        for name, array in some.items()
    }
    return drawings.point_tracks(some, point_at, {name: points[name] for name in some})


show_choices(
    "point-by-weights",
    by_weight,
    draw_point,
    caption="Where the trade-off point lies on each axis under the chosen weights, the hard end at the right: filled; hollow, where it lies under "
    "the weights of this run. Ticks are the levels of the grid.",
    alt=f"With all three weights equal, from 0.01 to 10, the SSIM at the trade-off point of a family moves by up to {reach['ssim'][0]:.2f}.",
    start={label: weights.get(wish, 1.0) for label, wish in wishes.items()},
)

# %% [markdown]
# ### Three bounds that should be one
#
# The paper reads off a **generalization bound** and a **diversity bound** at the trade-off point: the *marginals* there, means
# over the other two dimensions (Eq. 5), and expects the three dimensions to give the same value. There is no reason why they should: a mean over all
# noise levels is a mean over all noise levels, wherever the point lies.

# %%
marginals = pd.concat([tradeoff.marginals(array).assign(family=name) for name, array in arrays.items()])
bounds = pd.concat(
    [
        tradeoff.at_point(marginals[marginals["family"] == name], point).assign(family=name)
        for name, point in points.items()
    ]
)
of_errors = bounds[bounds["bound"] == "generalization bound"].pivot(
    index="family", columns="dimension", values="estimate"
)
page.show_figure(
    figures.marginal_panels(marginals, points),
    "marginals",
    "Form of the paper's Figure 2: ErrorRate on the left, Kappa on the right, along each dimension; the trade-off point marked. Bands, with more than one "
    "seed: 95 % t intervals over the seeds.",
    f"Mean {called} at the trade-off point, read along SSIM, ZeroShot and size: "
    + "; ".join(f"{row.Index} {row.ssim:.3f}, {row.zero_shot:.3f} and {row.size:.3f}" for row in of_errors.itertuples())
    + ".",
)

# %%
bounds["text"] = list(map(interval, bounds["estimate"], bounds["low"], bounds["high"]))
axes = {"ssim": "along SSIM", "zero_shot": "along ZeroShot", "size": "along size"}
page.show_table(
    bounds.pivot(index=["bound", "family"], columns="dimension", values="text" if n_seeds > 1 else "estimate")[
        list(axes)
    ],
    "bounds",
    "The two bounds at the trade-off point, each read from three axes"
    + (", with 95 % t intervals over the seeds." if n_seeds > 1 else "."),
    axes,
    None if n_seeds > 1 else dict.fromkeys(axes, 3),
)

# %%
positive = bounds.groupby(["bound", "family"])["estimate"].agg(["min", "max"]).query("min > 0")
say(
    f"Depending on the axis that it is read from, the same bound differs by a factor of {span(positive['max'] / positive['min'], '{:.2f}')}"
    + (" (of the bounds that are above 0 on all axes)" if len(positive) < 2 * len(points) else "")
    + ". It should be named with its axis."
    if len(positive)
    else "A bound should be named with its axis."
)

# %% [markdown]
# ### The tolerance box
#
# A more useful reading of the same array fixes what is tolerated and asks how far one can go: the largest box of cells,
# SSIM *at least*, ZeroShot *at most*, size *at least*, in which the mean error stays within a level.

# %%
boxes = {name: tradeoff.tolerance_box(array, tolerated, "error_mean") for name, array in means.items()}
page.show_table(
    pd.DataFrame(
        {
            name: {
                "SSIM at least": "no cell" if box.ssim is None else f"{box.ssim:.3g}",
                "ZeroShot at most": "no cell" if box.zero_shot is None else f"{box.zero_shot:.3g}",
                "size at least, weights": "no cell" if box.size is None else f"{box.size:,.12g}",
                "cells of the box": box.n_cells,
                "share of all cells within the level": percent(box.share),
            }
            for name, box in boxes.items()
        }
    ).T.rename_axis("family"),
    "box",
    f"The largest box of cells in which the mean {verbatim(called)} is at most {tolerated:g}.",
)

# %% [markdown]
# ## The published points
#
# Tables 2 (ImageNet) and 3 (CIFAR-100) of the paper print the points; the cells behind them were not published, so the points cannot be
# recomputed. [Table](#table-printed-points) has ours in the same form below them, with the bounds from all three axes. They are of other networks and other
# images: nothing makes them equal.

# %%
page.show_table(
    tradeoff.beside_published(points, bounds, "this run").T.rename_axis(["images", "family"]),
    "printed-points",
    "The four printed trade-off points, and those of this run.",
    {
        **{"SSIM (lower bound)": "SSIM at least", "ZeroShot (upper bound)": "ZeroShot at most"},
        "model size (lower bound)": "weights at least",
    },
)

# %% [markdown]
# What the paper's text says of these points can be computed from its tables ([table](#table-published)).

# %%
printed = tradeoff.published_differences()  # CLIP minus EfficientNet
printed_points = tradeoff.published_tradeoff("points").set_index(["data", "family"])
said = {"ImageNet": (2, [0.16, 0.01]), "CIFAR-100": (3, [-0.05, 0.02])}  # number of the table, and the text on it
for data, (number, differences) in said.items():
    for kind, told, value in zip(["generalization", "diversity"], differences, printed[data], strict=False):
        ours, theirs = (printed_points.loc[(data, family), f"{kind}_bound"] for family in ("CLIP", "EfficientNet"))
        page.key_number(
            f"{kind}-{data.lower()}",
            f"{kind} bound on {data}, CLIP minus EfficientNet",
            value,
            published=told,
            source="Huang et al. (2024), text below Table 3",
            reason=f"Table {number}: {ours:g} − {theirs:g}"
            + ("" if abs(value - told) < 0.004 else f"; the text says “up to {told:g}”, the table has more"),
            decimals=3,
        )
read_off = [0.83, 0.85, 0.87]  # CLIP on CIFAR-100: marginals at its point, by hand from Figure 2, to about 0.005
page.key_number(
    "marginals-cifar-100",
    "generalization bound of CLIP on CIFAR-100",
    np.mean(read_off),
    published=printed_points.loc[("CIFAR-100", "CLIP"), "generalization_bound"],
    source="Huang et al. (2024), Table 3",
    reason="mean of the three marginals at the point, read from Figure 2 to about 0.005",
    decimals=3,
)
page.show_published("published", "What the paper says of its points, and what follows from its own tables and figure.")

# %% [markdown]
# What can be said without the cells:
#
# - The differences in the text follow from the tables; one of them is larger than the text says.
# - The points lie between the levels of the grid: SSIM = .779 was not measured, and no EfficientNet has 23 million
#   weights. They are interpolations, by a solver that treats levels as continuous.
# - "EfficientNet's model size is much smaller" holds on ImageNet (a factor of seven); on CIFAR-100 it is 43 against 56 million.
# - A generalization bound of .85 to .90 on CIFAR-100 is not the error at the trade-off point. Each printed bound is, to the precision with which Figure 2 can be read (about
#   .005), the *mean of the three marginals* there: .83, .85 and .87 for CLIP on CIFAR-100.
# - The diversity bounds are no yardstick for ours. They are of another Kappa, the absolute value of Eq. 2. And on CIFAR-100 the authors' code of that time multiplies the Kappa of
#   EfficientNet by ten; a standard deviation in Figure 2 that no variable between 0 and 1 with its mean can have says so, too. "STD Kappas on CIFAR-100 are obviously more"
#   is at least partly this scale.
# - There is no interval.

# %%
if n_seeds > 1:
    apart = f"; the points of the families' means are {reach['ssim'][1]:.2f} apart" if len(points) > 1 else ""
    display(
        say(
            f"In the cells of this run, SSIM at the points of single seeds of one family differs by up to {seed_spread:.2f}{apart}."
        )
    )

# %% [markdown]
# ## What theory says: complexity measures
#
# Statistical learning theory offers dozens of **complexity measures** that should grow with the generalization error. The paper computes those of
# Dziugaite et al. (2020) for its pretrained models and asks how often they order two sizes as the measured error does.

# %%
with_measures = bool(measures) or not own
if with_measures:
    networks = gx.datasets.load_tradeoff_measures(measures)
    names = [name for name in tradeoff.MEASURES if name in networks]
    identity = [name for name in ("family", "seed", "size") if name in networks]
    readable = {name: "number of weights" if name == "params" else name.replace("_", " ") for name in names}
    theory = networks.melt(identity, names, "measure", "value").replace({"measure": readable})
    signs = {
        "W_i": "Wᵢ",
        "D_i": "Dᵢ",
        "_": " ",
        "^2": "²",
        " - ": " − ",
        "gamma": "γ",
        "omega": "ω",
        "sigma": "σ",
        "eps": "ε",
    }
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
    display(say("No complexity measures were given with these results."))

# %% [markdown]
# Many of them are functions of each other. Those that put the sizes of a family into the same order, in every seed, have the same sign-errors, and must be counted
# once.

# %%
if with_measures:
    rows, counts = [], []
    for name, part in theory.groupby("family", sort=False):
        groups = tradeoff.measure_groups(part)
        counts.append(f"{groups.nunique()} of {groups.size} for {verbatim(name)}")
        several = [list(members.index) for _, members in groups.groupby(groups, sort=False) if len(members) > 1]
        rows += [(name, ", ".join(members)) for members in several]
    display(say(f"That leaves so many different measures: {', '.join(counts)}."))
    if rows:
        page.show_table(
            pd.DataFrame(rows, columns=["family", "measures"]).set_index("family"),
            "same-order",
            "Measures that put the sizes of a family into the same order in every seed: each row is one measure with several names.",
        )

# %% [markdown]
# Two slices of the array tell what is to be predicted (Eq. 6): clean images (SSIM = 1), averaged over ZeroShot; and seen classes only
# (ZeroShot = 0), averaged over SSIM, where the cells hold them.

# %%
slices = [
    which
    for which, level in (("ssim", 1.0), ("zero_shot", 0.0))
    if all(level in array[which] for array in arrays.values())
]
if slices:
    measured = pd.concat(
        [
            tradeoff.slice_marginal(array, which).assign(family=name)
            for name, array in arrays.items()
            for which in slices
        ]
    )
    of_slice = {"ssim": "clean images", "zero_shot": "seen classes only"}
    over_sizes = (
        measured.groupby(["family", "slice", "size"], sort=False)["estimate"]
        .mean()
        .groupby(["family", "slice"], sort=False)
    )
    page.show_figure(
        figures.size_marginals(measured, f"mean {called}"),
        "sizes",
        f"Mean {verbatim(called)} over model size (the paper's Figure 3, upper half, in form): thin lines are seeds, thick lines their mean.",
        f"Mean {called} of the smallest and of the largest size: "
        + "; ".join(
            f"{family}, {of_slice[which]}, {part.iloc[0]:.3f} and {part.iloc[-1]:.3f}"
            for (family, which), part in over_sizes
        )
        + ".",
    )
else:
    with_measures = False
    display(say("There are neither clean images (SSIM = 1) nor cells without unseen classes."))

# %% [markdown]
# The **sign-error** (Eq. 7) of a measure $C$ is the share of pairs of sizes that it orders the other way round than the measured error $P$,
# $\frac12 \mathbb{E}_{w \ne w'} [1 - \operatorname{sgn}(P_w - P_{w'}) \operatorname{sgn}(C_w - C_{w'})]$: 0 if it is always right, 1 if always wrong. It is
# Kendall's τ in other clothes, $(1 - \tau) / 2$, and has an exact distribution under chance: all orders of the sizes are equally likely. With
# few sizes, chance reaches far ([table](#table-chance)):

# %%
bands = {n: tradeoff.null_band(n) for n in (3, 4, 5, 6, 8, 12, 20)}
page.show_table(
    pd.DataFrame(bands, index=["at most", "at least"]).T.rename_axis("sizes"),
    "chance",
    "Sign-errors that differ from chance at the two-sided level 5 %; a dash where none does.",
    forms={"at most": 3, "at least": 3},
)

# %% [markdown]
# For the five CLIP models of the paper, only a measure that is right about *every* pair, or wrong about every pair, differs from chance. That most
# sign-errors exceed 1/2 is then no finding.

# %%
if with_measures:
    keys = ["family", "slice", "size"]
    target = measured if "seed" in theory else measured.groupby(keys, as_index=False)["estimate"].mean()
    summary = tradeoff.summarise(tradeoff.sign_error_table(theory, target))
    page.show_figure(
        figures.sign_errors(summary, readable.get("params", "number of weights")),
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
    averaged = tradeoff.averaged_sign_errors(theory, measured)
    counted = tradeoff.count_verdicts(averaged).reindex(
        columns=["measures", "above 1/2", *tradeoff.VERDICTS], fill_value=0
    )
    page.show_table(
        counted.rename(index=of_slice, level="slice"),
        "verdicts",
        "Measures that order the sizes differently, how many of them have a sign-error above 1/2, which is what the paper looks at, and what the band of "
        "chance says of them.",
        {"slice": "measured on", "measures": "different measures"},
    )

# %%
if with_measures:
    telling = averaged[averaged["verdict"].isin(["right", "reversed"])]
    if len(telling):
        page.show_table(
            telling.groupby(["family", "slice", "verdict"])["measure"]
            .agg(", ".join)
            .to_frame("measures")
            .rename(index=of_slice, level="slice"),
            "telling",
            "The measures that are not like chance, with all their names.",
            {"slice": "measured on"},
        )

# %%
if with_measures:
    totals = counted.sum()
    lines = [
        f"Together these are {totals['measures']} comparisons. {totals['above 1/2']} sign-errors are above 1/2. With chance considered, "
        f"{totals['like chance']} are like chance, {totals['reversed']} reversed, {totals['right']} right."
    ]
    by_params = averaged[averaged["measure"] == readable.get("params")]
    upside = by_params[by_params["verdict"] == "reversed"]
    if len(upside):
        fall = " and ".join(f"{verbatim(row.family)} ({of_slice[row.slice]})" for row in upside.itertuples())
        lines.append(
            f"The {verbatim(called)} falls with the size more often than chance would have it for {fall}: there the mere number of weights is reversed, and so "
            "is every measure that puts the sizes into the same order. [Figure](#figure-sizes) has the errors."
        )
    display(say(*lines))

# %% [markdown]
# - **Where all are like chance, none of these measures says in which order the errors of the sizes come.** If the error hardly depends on the size, beyond the luck of the
#   seeds, none could; the figure of the error over the size shows whether it does.
# - **A wrong sign is not no relation.** A measure at 1 tells as much as a measure at 0. What tells nothing is the shaded middle.
# - **Where one thing was varied**, as the width in the runs on digits, all measures that are monotone in it get the same verdict, whatever they mean: the sizes of one
#   family are one experiment. And the noise that networks tolerate is itself an estimate, which varies with its random numbers.
#
# ## Your own models
#
# Any classifier that gives class probabilities fits into the array: torch, scikit-learn, or a file of outputs. One call per cell:

# %%
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
of_trees = tradeoff.tradeoff_point(tradeoff.to_array(mine))
say(
    f"The trade-off point of these trees: SSIM {of_trees.ssim:g}, {percent(of_trees.zero_shot)} unseen classes, {of_trees.size:g} leaves."
)

# %% [markdown]
# Save such a table as parquet or CSV (columns `zero_shot`, `ssim`, `size`, `class`, `error_rate`, `kappa`; several families or seeds in columns
# `family` and `seed`) and render this report on it: `genexpy-nb render tradeoff -p results=mine.parquet -o mine`.
#
# To pretrain and probe models of your own with this testbed, give them what `genexpy_nb.testbed.grid.Family` asks for: a `name`, the names of
# its `members`, and a method `pretrain` that returns something with a `size` and a method `features(images)`. For the paper's own
# scale, `data/run_cifar100.py` runs EfficientNets of torchvision, or any torch modules, on CIFAR-100 from a local folder; data/README.md says how.

# %% [markdown]
# ## The answer in short

# %%
if difference is not None:
    by_noise = difference.sort_values("ssim", ascending=False)
    clean, noisy = by_noise.iloc[0], by_noise.iloc[-1]
    for key, row, words in (("clean", clean, "on the cleanest images"), ("noisy", noisy, "on the noisiest images")):
        numbers = row[["estimate", "low", "high"]]
        page.key_number(f"difference-{key}", f"mean {called}, {first} minus {second}, {words}", *numbers, decimals=3)
for number, (name, point) in enumerate(list(points.items())[:2], start=1):
    page.key_number(f"ssim-{number}", f"SSIM at the trade-off point of {name}", point.ssim, decimals=3)
    page.key_number(f"size-{number}", f"size at the trade-off point of {name}", point.size, unit="weights", decimals=0)
page.key_number(
    "reach-weights",
    "how far equal weights from 0.01 to 10 move the SSIM at the point of a family",
    reach["ssim"][0],
    decimals=2,
)
page.key_number("reach-families", "how far the points of the families lie apart in SSIM", reach["ssim"][1], decimals=2)
if len(positive):
    factor = (positive["max"] / positive["min"]).max()
    page.key_number(
        "factor", "largest factor between readings of one bound from two axes", factor, unit="times", decimals=2
    )
if not own:
    for number, name in enumerate(arrays, start=1):
        if sensible[name].loc[0.75]:
            label = f"share of the rise of the error at SSIM 0.75 that more classes alone explain, {name}"
            page.key_number(f"more-{number}", label, more[name, 0.75], decimals=2)
if with_measures:
    for key, verdict in (("chance", "like chance"), ("reversed", "reversed")):
        page.key_number(
            f"signs-{key}",
            f"share of the comparisons of measures with errors that are {verdict}",
            totals[verdict] / totals["measures"],
            decimals=2,
        )

# %% tags=["findings"]
findings = []
if difference is not None:
    turns = clean["high"] < 0 < noisy["low"] or noisy["high"] < 0 < clean["low"]
    what = f"mean {verbatim(called)} of {verbatim(first)} minus that of {verbatim(second)}" + (
        ", two families of small networks" if not own else ""
    )
    unseen = f"with {percent(share)} of the classes unseen" if share > 0 else "without unseen classes"
    ends = " and ".join(f"{row['low']:+.3f} to {row['high']:+.3f}" for row in (clean, noisy))
    findings.append(
        page.Finding(
            f"{clean['estimate']:+.2f} → {noisy['estimate']:+.2f}".replace("-", "−"),
            f"{what}, {unseen}, on the cleanest images and on the noisiest: "
            + (
                "*which family is better depends on the noise*"
                if turns
                else "that the noise decides which family is better is not sure here"
            ),
            f"{n_seeds} seeds, 95 % t intervals {ends}".replace("-", "−"),
        )
    )
from_seed_to_seed = f" · from seed to seed up to {seed_spread:.2f}" if n_seeds > 1 else ""
findings.append(
    page.Finding(
        f"{reach['ssim'][1]:.2f} and {reach['ssim'][0]:.2f}",
        "how far the trade-off points of the families lie apart in image quality (1 is clean), and how far one of them moves with *the weight that is given to "
        "noise, unseen classes and size*, which the paper's text leaves open",
        f"weights from 0.01 to 10, exact over the measured cells{from_seed_to_seed}",
    )
    if len(points) > 1
    else page.Finding(
        f"{reach['ssim'][0]:.2f}",
        "how far the trade-off point moves in image quality (1 is clean) with *the weight that is given to noise, unseen classes and size*, which the paper's "
        "text leaves open",
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
elif len(positive):
    findings.append(
        page.Finding(
            f"{factor:.2f} times",
            "as large can the same bound be, read from another of the three axes; the paper expects one value",
            "the largest of the bounds that are above 0 on all axes",
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
assert same > 0.9  # last bits differ between machines, and training carries them on
np.testing.assert_allclose(bands[8], (5 / 28, 23 / 28))
assert bands[5] == (0, 1)
shape = recorded.groupby("seed")[["family", "zero_shot", "ssim", "size"]].agg(lambda column: column.nunique())
assert len(shape) == 10 and (recorded.groupby("family")["size"].nunique() == 8).all()
assert (recorded.drop_duplicates(["family", "seed", "zero_shot", "ssim", "size"]).groupby("seed").size() == 864).all()
by_family = [np.sort(part.unique()) for _, part in recorded.groupby("family")["size"]]
assert np.abs(np.log(by_family[0] / by_family[1])).max() < 0.1  # nearly the same sizes
assert all(((ratio > 1.8) & (ratio < 2.3)).all() for ratio in (s[1:] / s[:-1] for s in by_family))  # about twice
assert 900 < recorded["size"].min() < 1100 and 130_000 < recorded["size"].max() < 132_000
np.testing.assert_allclose(printed.abs().to_numpy(), [[0.158, 0.05], [0.012, 0.025], [7.26, 1.3]], atol=0.01)
assert printed.loc["diversity bound, the same", "CIFAR-100"] > 0.024  # the text says "up to 0.02"
if not own and kappa == "kappa" and error == "error_rate":
    assert alike.min() > 0.99
if not own and error == "error_rate":
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
# - The trade-off point is easily found exactly, and it depends on its weights. The tolerance box asks the more useful question.
# - Kappa has three editions, and a result about one of them is not a result about another. Whether one measures anything beside the error, the correlation says.
# - ZeroShot mixes unseen classes with more classes; a control separates them.

# %%
say(
    f"- With eight sizes a sign-error must be {bands[8][0]:.2f} or less, or {bands[8][1]:.2f} or more, to differ from chance at 5 %; with five it must be {bands[5][0]:.0f} or {bands[5][1]:.0f}."
)

# %%
page.show_key_numbers()

# %% [markdown]
# ## On your own
#
# 1. Set `error = "gap"` and `kappa = "conflict"`. Does the trade-off point move more, or less, than from another weight?
# 2. Which weights put the trade-off point on clean images, and which on SSIM = .6? Would you know beforehand which ones to choose?
# 3. Compare the families at `zero_shot = 0`. Where do the curves cross now, and does the interval exclude zero anywhere?
# 4. With 20 sizes instead of 8, how small must a sign-error be to be significant? What would the paper have needed?
# 5. Add a `family` of your own: random projections of several widths, as in the tests. Are the trained features better than random
#    ones on noisy images?
#
# ## Further reading
#
# - [Jiang et al., 2020, *Fantastic Generalization Measures and Where to Find Them*](https://openreview.net/forum?id=SJgIPJBFvH): more than forty complexity measures, compared on more than 10,000 networks.
# - [Dziugaite et al., 2020, *In Search of Robust Measures of Generalization*](https://proceedings.neurips.cc/paper/2020/hash/86d7c8a08b4aaa1bc7c599473f5dddda-Abstract.html): the sign-error, and how averages over models hide where a measure fails.
# - [Radford et al., 2021, *Learning Transferable Visual Models From Natural Language Supervision*](https://proceedings.mlr.press/v139/radford21a.html): CLIP, and the linear probe by which frozen features are judged.
# - [Kornblith et al., 2019, *Do Better ImageNet Models Transfer Better?*](https://doi.org/10.1109/CVPR.2019.00277): does a better network on one dataset give better features for another?
# - [Huang et al., 2025, *A practical generalization metric for deep networks benchmarking*](https://doi.org/10.1038/s41598-025-93005-5): the journal's edition of the paper, with another Kappa than the text reproduced here.
