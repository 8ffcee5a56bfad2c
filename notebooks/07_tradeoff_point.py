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
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import genexpy_nb as gx
from genexpy_nb import tradeoff
from genexpy_nb.common.checks import check_choice
from genexpy_nb.common.prose import percent, say, span, verbatim
from genexpy_nb.plots import tradeoff as figures
from genexpy_nb.testbed import digits
from genexpy_nb.testbed.grid import SSIM_LEVELS, run_family
from genexpy_nb.testbed.noise import PCANoise

gx.plots.use_style()
pd.set_option("display.precision", 3, "display.max_colwidth", None)

# %%
check_choice("rerun_seed", rerun_seed, range(10))
interval = "{:.3f} [{:.3f}, {:.3f}]".format
recorded = gx.datasets.load_tradeoff_cells()  # this project's runs
own = bool(results)
cells = gx.datasets.load_tradeoff_cells(results) if own else recorded
arrays = {name: tradeoff.to_array(part, error=error, kappa=kappa) for name, part in cells.groupby("family", sort=False)}

if own:
    print(
        "These are your own cells. The sections on the testbed are about this project's runs on digits, the others about your cells."
    )

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
task = digits.digits_task(rerun_seed)
print(f"{len(task.train_images)} images for training, {len(task.test_images)} for the test")
print("seen while pretraining:", *task.seen, "  unseen, in this order:", *task.unseen)

# %% [markdown]
# Noise is the reconstruction by an autoencoder: here a linear one, principal components, of which so few are kept that the
# **structural similarity** (SSIM) of image and reconstruction has the value that is wanted. At 1 nothing is lost.

# %%
noise = PCANoise().fit(task.train_images)
chosen = [int(np.flatnonzero(task.test_labels == label)[0]) for label in sorted({*task.seen, *task.unseen})[::2]]
shown = {level: noise.degrade(task.test_images, level) for level in sorted(SSIM_LEVELS, reverse=True)}
fig = figures.noise_levels(
    {level: images[chosen] for level, images in shown.items()}, [str(task.test_labels[i]) for i in chosen]
)
plt.show()

# %% [markdown]
# *From left to right, less and less is left. The similarity is that of all test images on average; a single image may lose more or less.*
#
# ### One cell
#
# A cell is one model, one share of unseen classes, one noise level; it holds numbers for each class. The whole testbed has 864 cells per
# seed. We ran it with ten seeds (`data/make_tradeoff.py`, a few minutes) and look at one cell: convolutions with 1,899 weights, three unseen
# classes, SSIM = .9.

# %%
one_cell = recorded[
    (recorded["family"] == "convolutions")
    & (recorded["seed"] == rerun_seed)
    & (recorded["size"] == 1899)
    & (recorded["ssim"] == 0.9)
    & np.isclose(recorded["zero_shot"], task.zero_shot(3))
]
one_cell.assign(seen=one_cell["class"].isin(task.seen)).set_index("class")[
    ["seen", "n", "error_rate", "gap", "kappa", "conflict"]
]

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
print(
    f"{len(both)} classes of cells run again; 95 of 100 error rates or more as recorded: {'yes' if same >= 0.95 else f'no, {percent(same)}'}"
)

# %% [markdown]
# ## The array: ZeroShot × SSIM × size
#
# The share of unseen classes, u / (s + u), runs through the paper's values 0, .167, .286, .375, .444, .5; SSIM from .6 to 1. Each cell is described
# by six **statistics** over its classes: mean, standard deviation and 10th percentile of ErrorRate and of Kappa.

# %%
means = {name: tradeoff.over_seeds(array) for name, array in arrays.items()}
n_seeds = min(array.sizes.get("seed", 1) for array in arrays.values())
labels = {"seed": "seed", "zero_shot": "ZeroShot", "ssim": "SSIM", "size": "size"}
say(
    "How many levels the dimensions have: "
    + "; ".join(
        f"{verbatim(name)}: " + ", ".join(f"{labels[dimension]} {n}" for dimension, n in array.sizes.items())
        for name, array in arrays.items()
    )
    + ".",
    f"What figures and tables call error or ErrorRate is the column `{error}`, and Kappa the column `{kappa}`.",
)

# %%
points = {name: tradeoff.tradeoff_point(array, weights=weights, size_scale=size_scale) for name, array in means.items()}
fig = figures.cell_maps(means, "error_mean", points)
plt.show()

# %% [markdown]
# *Mean error over the classes, averaged over the seeds. The frame is the trade-off point, of which more below.*

# %%
fig = figures.cell_maps(means, "kappa_mean", points)
plt.show()

# %% [markdown]
# *The same for Kappa.*
#
# Do the two measure the same? Kappa in the form 1 - Cohen's is computed from the same confusion matrix as the error rate; in the form *conflict* it is computed from
# probabilities, and labels do not enter.

# %%
correlations = pd.DataFrame(
    {
        name: {
            "correlation over cells, error and Kappa (means)": np.corrcoef(
                array["error_mean"].to_numpy().ravel(), array["kappa_mean"].to_numpy().ravel()
            )[0, 1],
            "error and Kappa (10th percentiles)": np.corrcoef(
                array["error_p10"].to_numpy().ravel(), array["kappa_p10"].to_numpy().ravel()
            )[0, 1],
        }
        for name, array in means.items()
    }
)
correlations

# %%
alike = correlations.iloc[0]
called = {"error_rate": "error rate", "gap": "gap"}.get(error, verbatim(error))
say(
    f"Over cells, the means of the {called} and of this Kappa correlate at {span(alike, '{:.3f}')}"
    + (
        ": in these cells the two are nearly one measurement, and this says nothing about other editions of Kappa."
        if alike.min() > 0.95
        else ": in these cells this Kappa is not the same measurement."
        if alike.abs().max() < 0.9
        else "."
    )
)

# %% [markdown]
# ## Which family is better?
#
# Before anything is condensed into a point: look at the curves.

# %%
curves = []
for name, array in arrays.items():
    shares = array["zero_shot"].to_numpy()
    for share in sorted({float(shares.min()), float(shares[np.abs(shares - zero_shot).argmin()])}):
        curves.append(tradeoff.noise_curve(array, share).assign(family=name, panel=f"ZeroShot {share:.3g}"))
fig = figures.error_over_noise(pd.concat(curves))
plt.show()

# %% [markdown]
# *Mean error over classes and sizes; bands, with more than one seed, are 95 % t intervals over the seeds.*

# %%
if len(arrays) == 2 and n_seeds > 1:
    (first, one), (second, other) = arrays.items()
    share = float(one["zero_shot"].to_numpy()[np.abs(one["zero_shot"].to_numpy() - zero_shot).argmin()])
    difference = tradeoff.family_differences(one, other, share)
    print(
        f"mean {error.replace('_', ' ')} at ZeroShot {share:.3g}, {first} minus {second}, 95 % t intervals, {n_seeds} seeds"
    )
    display(
        pd.DataFrame(
            {
                "SSIM": difference["ssim"],
                "difference": list(map(interval, difference["estimate"], difference["low"], difference["high"])),
                f"seeds: {first} better": difference["n_first_lower"],
                f"{second} better": difference["n_second_lower"],
            }
        )
        .iloc[::-1]
        .set_index("SSIM")
    )
else:
    difference = None
    print("A comparison seed by seed needs two families and at least two seeds.")

# %%
if difference is not None:
    sure = {
        verbatim(first): difference.loc[difference["high"] < 0, "ssim"],
        verbatim(second): difference.loc[difference["low"] > 0, "ssim"],
    }
    claims = [f"{name} at SSIM {', '.join(map('{:g}'.format, levels))}" for name, levels in sure.items() if len(levels)]
    display(
        say(
            f"Where the interval excludes zero, the lower {called} is that of {' and of '.join(claims)}."
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
# harder. So the testbed of digits was also run with networks that had seen all ten.

# %%
if own:
    print("There is no such control for your own cells.")
else:
    control = gx.datasets.load_tradeoff_control()
    controls = {
        name: tradeoff.to_array(control[control["family"] == name], error=error, kappa=kappa) for name in arrays
    }
    conditions = [tradeoff.control_curves(array, controls[name]).assign(panel=name) for name, array in arrays.items()]
    fig = figures.error_over_noise(pd.concat(conditions).rename(columns={"condition": "family"}))
    plt.show()
    display(
        say(
            "*Mean error over classes and sizes, by what the networks had seen. Bands are 95 % t intervals over the seeds.*"
        )
    )

# %%
if not own:
    rise = pd.concat([tradeoff.split_rise(array, controls[name]).assign(family=name) for name, array in arrays.items()])
    rise["rise of the error"] = list(map(interval, rise["estimate"], rise["low"], rise["high"]))
    rise["why"] = "because they are " + rise["cause"]
    some = rise[rise["ssim"].isin([1.0, 0.9, 0.75])]
    shown_rise = some.pivot(index=["family", "ssim"], columns="why", values="rise of the error")
    display(shown_rise.sort_index(ascending=[True, False]))

# %% [markdown]
# %%
if not own:
    parts = rise.pivot(index=["family", "ssim"], columns="cause", values="estimate")
    more = parts["more"] / parts.sum(axis=1)
    sensible = more.between(0, 1)
    lines = [
        f"{name}: {percent(more[name, 1.0])} of the rise without noise, {percent(more[name, 0.75])} at SSIM .75."
        if sensible[name].loc[[1.0, 0.75]].all()
        else f"{name}: one of the two parts is a fall, so that there is no share."
        for name in arrays
    ]
    display(
        say(
            "So much of the rise is due to the longer list of classes alone: " + " ".join(lines),
            "Without the control, ZeroShot measures two things at once.",
        )
    )

# %% [markdown]
# Models that were pretrained elsewhere have the same problem, and worse: to a network that learned from ImageNet, no class of CIFAR-100 is quite unseen.
#
# ## The trade-off point
#
# The paper wants small statistics *and* a hard test: much noise (low SSIM), many unseen classes, a small model. With
# $x = (\text{SSIM}, 1 - \text{ZeroShot}, \text{size})$, each scaled to [0, 1] over the grid, and $F$ the sum of the six statistics, we read its
# Eq. 3 and 4 as
#
# $$\min_{\text{cells}} \; F + \sum_d w_d\, x_d^2 \qquad \text{or, without weights,} \qquad \min_{\text{cells}} \; \max(\tilde F, x_1, x_2, x_3),$$
#
# where $\tilde F$ is $F$ scaled to [0, 1]. The grid has a few hundred cells, so looking at each of them is exact and takes
# milliseconds; the tests compare it with a mixed-integer solver.

# %%
tradeoff.point_table(arrays, weights, size_scale, n_resamples, seed)

# %%
if n_seeds > 1:
    display(
        say(
            "The intervals come from resampling the seeds (percentiles, 95 %; how often they hold the point of another run was not measured). The point of each seed on its own:"
        )
    )
    spread = pd.concat(
        [
            tradeoff.tradeoff_points_by_seed(array, weights=weights, size_scale=size_scale).assign(family=name)
            for name, array in arrays.items()
        ]
    )
    fig = figures.point_spread(spread)
    plt.show()
    display(
        say("*Coordinates of the trade-off point, seed by seed; the larger a bubble, the more seeds share the level.*")
    )
else:
    print("One seed: its point is the one above.")

# %% [markdown]
# ### What the weights do
#
# Nothing in the paper says how much noise weighs against unseen classes or against size. So we try.

# %%
sensitivity = pd.concat(
    [
        tradeoff.weight_sensitivity(array, base=weights, size_scales=[size_scale]).assign(family=name)
        for name, array in means.items()
    ]
)
fig = figures.weight_curves(sensitivity, size_scale=size_scale)
plt.show()

# %% [markdown]
# *Rows: coordinates of the trade-off point. Columns: the weight that is varied, the others held; in the last one all three, equal to each other.
# Dotted: the minimax point.*

# %%
together = sensitivity[sensitivity["varied"] == "all"]
moved = together.groupby("family", sort=False)[["ssim", "zero_shot", "size"]].agg(
    lambda c: f"{c.min():,.12g} to {c.max():,.12g}"
)
moved.rename_axis("where the point lies, all three weights equal, from .01 to 10")

# %%
reach = {
    d: (together.groupby("family")[d].agg(np.ptp).max(), np.ptp([getattr(point, d) for point in points.values()]))
    for d in ("ssim", "zero_shot")
}
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
# The minimax form has no weights, but it has a scale in their place: how sizes are put on [0, 1], and where the grid ends.
#
# ### Three bounds that should be one
#
# The paper reads off a **generalization bound** and a **diversity bound** at the trade-off point: the *marginals* there, means
# over the other two dimensions (Eq. 5), and expects the three dimensions to give the same value.

# %%
marginals = pd.concat([tradeoff.marginals(array).assign(family=name) for name, array in arrays.items()])
fig = figures.marginal_panels(marginals, points)
plt.show()

# %% [markdown]
# *Form of the paper's Figure 2: ErrorRate above, Kappa below, along each dimension; the trade-off point marked. Bands, with more than one seed: 95 % t
# intervals over the seeds.*

# %%
bounds = pd.concat(
    [
        tradeoff.at_point(marginals[marginals["family"] == name], point).assign(family=name)
        for name, point in points.items()
    ]
)
bounds["95 % t interval"] = list(map(interval, bounds["estimate"], bounds["low"], bounds["high"]))
bounds.pivot(index=["bound", "family"], columns="dimension", values="95 % t interval" if n_seeds > 1 else "estimate")[
    ["ssim", "zero_shot", "size"]
]

# %% [markdown]
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
# There is no reason why the three should be equal: a mean over all noise levels is a mean over all noise levels, wherever the point lies.
#
# ### The tolerance box
#
# A more useful reading of the same array fixes what is tolerated and asks how far one can go: the largest box of cells,
# SSIM *at least*, ZeroShot *at most*, size *at least*, in which the mean error stays within a level.

# %%
boxes = {name: tradeoff.tolerance_box(array, tolerated, "error_mean") for name, array in means.items()}
pd.DataFrame(
    {
        name: {
            "SSIM at least": "no cell" if box.ssim is None else box.ssim,
            "ZeroShot at most": "no cell" if box.zero_shot is None else box.zero_shot,
            "size at least": "no cell" if box.size is None else f"{box.size:,.12g}",
            "cells of the box": box.n_cells,
            "share of all cells within the level": f"{box.share:.0%}",
        }
        for name, box in boxes.items()
    }
)

# %% [markdown]
# ## The published points
#
# Tables 2 (ImageNet) and 3 (CIFAR-100) of the paper print the points; the cells behind them were not published, so the points cannot be
# recomputed. Ours in the same form beside them, with the bounds from all three axes:

# %%
tradeoff.beside_published(points, bounds, "this notebook")

# %%
printed = tradeoff.published_differences()
printed

# %% [markdown]
# What can be said without the cells:
#
# - The differences in the text follow from the tables (.16 and .01 on ImageNet; on CIFAR-100 .05, and .025 where the text says "up to 0.02").
# - The points lie between the levels of the grid: SSIM = .779 was not measured, and no EfficientNet has 23 million
#   weights. They are interpolations, by a solver that treats levels as continuous.
# - "EfficientNet's model size is much smaller" holds on ImageNet (a factor of seven); on CIFAR-100 it is 43 against 56 million.
# - A generalization bound of .85 to .90 on CIFAR-100 is not the error at the trade-off point. Each printed bound is, to the precision with which Figure 2 can be read (about
#   .005), the *mean of the three marginals* there: .83, .85 and .87 for CLIP on CIFAR-100, which is .850, and .852 is printed.
# - The diversity bounds are no yardstick for ours. They are of another Kappa, the absolute value of Eq. 2. And on CIFAR-100 the authors' code of that time multiplies the Kappa of
#   EfficientNet by ten; a standard deviation in Figure 2 that no variable between 0 and 1 with its mean can have says so, too. "STD Kappas on CIFAR-100 are obviously more"
#   is at least partly this scale.
# - There is no interval.

# %%
if n_seeds > 1:
    seed_spread = spread.groupby("family", sort=False)["ssim"].agg(np.ptp).max()
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
    theory = networks.melt(identity, names, "measure", "value")
    display(pd.Series({name: tradeoff.MEASURES[name] for name in names}, name="formula, in words").to_frame())
else:
    print("No complexity measures were given with these results.")

# %% [markdown]
# Many of them are functions of each other. Those that put the sizes of a family into the same order, in every seed, have the same sign-errors, and must be counted
# once.

# %%
if with_measures:
    rows = []
    for name, part in theory.groupby("family", sort=False):
        groups = tradeoff.measure_groups(part)
        print(f"{name}: {groups.size} measures, {groups.nunique()} different ones")
        several = [list(members.index) for _, members in groups.groupby(groups, sort=False) if len(members) > 1]
        rows += [(name, ", ".join(members)) for members in several]
    display(pd.DataFrame(rows, columns=["family", "the same order of sizes in every seed"]).set_index("family"))

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
    fig = figures.size_marginals(measured)
    plt.show()
    display(
        say(
            "*Mean error over model size (Figure 3, upper half, in form): thin lines are seeds, thick lines their mean.*"
        )
    )
else:
    with_measures = False
    print("There are neither clean images (SSIM = 1) nor cells without unseen classes.")

# %% [markdown]
# The **sign-error** (Eq. 7) of a measure $C$ is the share of pairs of sizes that it orders the other way round than the measured error $P$,
# $\frac12 \mathbb{E}_{w \ne w'} [1 - \operatorname{sgn}(P_w - P_{w'}) \operatorname{sgn}(C_w - C_{w'})]$: 0 if it is always right, 1 if always wrong. It is
# Kendall's τ in other clothes, $(1 - \tau) / 2$, and has an exact distribution under chance: all orders of the sizes are equally likely. With
# few sizes, chance reaches far:

# %%
bands = {n: tradeoff.null_band(n) for n in (3, 4, 5, 6, 8, 12, 20)}
ends = pd.DataFrame(bands, index=["below or at", "above or at"]).T.rename_axis("sizes")
ends.map(lambda end: "none" if np.isnan(end) else f"{end:.3f}")

# %% [markdown]
# *Sign-errors that differ from chance at the two-sided level 5 %.*
#
# For the five CLIP models of the paper, only a measure that is right about *every* pair, or wrong about every pair, differs from chance. That most
# sign-errors exceed 1/2 is then no finding.

# %%
if with_measures:
    keys = ["family", "slice", "size"]
    target = measured if "seed" in theory else measured.groupby(keys, as_index=False)["estimate"].mean()
    signs = tradeoff.sign_error_table(theory, target)
    summary = tradeoff.summarise(signs)
    fig = figures.sign_errors(summary)
    plt.show()
    display(
        say(
            "*Sign-errors: dot, mean over the seeds; line, smallest to largest. Shaded: what chance gives in 95 of 100 cases or more for one "
            "set of sizes. `params` is the number of weights.*"
        )
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
    display(tradeoff.count_verdicts(averaged))

# %%
if with_measures:
    telling = averaged[averaged["verdict"] != "like chance"]
    display(telling.groupby(["family", "slice", "verdict"])["measure"].agg(", ".join).to_frame("measures"))

# %% [markdown]
# %%
if with_measures:
    counted = tradeoff.count_verdicts(averaged).reset_index()
    of_slice = {"ssim": "clean images", "zero_shot": "seen classes only"}
    lines = [
        f"- {verbatim(row['family'])}, {of_slice[row['slice']]}: of the measures that order the sizes differently, {row['above 1/2']} of {row['measures']} have a sign-error above 1/2, which is what the paper looks at; "
        f"{row.get('like chance', 0)} of {row['measures']} are like chance, {row.get('reversed', 0)} reversed, {row.get('right', 0)} right."
        for row in counted.to_dict("records")
    ]
    by_params = averaged[averaged["measure"] == "params"]
    upside = by_params[by_params["verdict"] == "reversed"]
    lines += [
        f"- {verbatim(row.family)}, {of_slice[row.slice]}: the {called} falls with the size more often than chance would have it, so the mere number of weights is reversed, and so is every measure that puts the sizes into the same order."
        for row in upside.itertuples()
    ]
    display(say("\n".join(lines)))

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
tradeoff.tradeoff_point(tradeoff.to_array(mine))

# %% [markdown]
# Save such a table as parquet or CSV (columns `zero_shot`, `ssim`, `size`, `class`, `error_rate`, `kappa`; several families or seeds in columns
# `family` and `seed`) and render this report on it: `genexpy-nb render tradeoff -p results=mine.parquet -o mine`.
#
# To pretrain and probe models of your own with this testbed, give them what `genexpy_nb.testbed.grid.Family` asks for: a `name`, the names of
# its `members`, and a method `pretrain` that returns something with a `size` and a method `features(images)`. For the paper's own
# scale, `data/run_cifar100.py` runs EfficientNets of torchvision, or any torch modules, on CIFAR-100 from a local folder; data/README.md says how.

# %% [markdown]
# ## Checks

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
# Jiang, Neyshabur, Mobahi, Krishnan and Bengio, *Fantastic generalization measures and where to find them*, ICLR 2020; Dziugaite et al.,
# *In search of robust measures of generalization*, NeurIPS 2020: the measures, and why averages over models hide failures. Radford et al., *Learning
# transferable visual models from natural language supervision*, ICML 2021: the linear probe. Kornblith, Shlens and Le,
# *Do better ImageNet models transfer better?*, CVPR 2019.
