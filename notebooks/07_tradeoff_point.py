# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Can one point say how well a network generalizes?
#
# *Executable companion to* A practical generalization metric for deep networks benchmarking.
#
# The paper exists as a [*preprint*](https://arxiv.org/abs/2409.01498) (2024) and a [*journal article*](https://doi.org/10.1038/s41598-025-93005-5) (2025), with different numbers. We follow the preprint, and say where the article differs. We had the preprint only as plain text, in which formulas are lost. So we rebuilt Equations 3 and 4 from its sentences and the article's code.
#
# **You will learn** how to compare families of networks under noise, and what moves a trade-off point.
#
# **You need** to know what a neural network, a logistic regression and a confidence interval are.
#
# **Time** 9 minutes to read, 84 with the exercises.

# %% [markdown]
# ## Parameters

# %% tags=["parameters"]
results: str = ""  # file (CSV, parquet, Excel) with cells of your own models; empty: this project's runs on digits
error: str = "error_rate"  # column of the error: error_rate, or gap (test minus training)
kappa: str = ""  # version of Kappa: conflict, conflict_abs, cohen, or another column; empty: the first that is there
noise: str = "ssim"  # column of the noise
cleaner: str = "high"  # whether high or low values of it mean little noise
weights: dict[str, float] = {"ssim": 1.0, "zero_shot": 1.0, "size": 1.0}  # of noise, unseen classes and a small size
zero_shot: float = 0.5  # share of unseen classes at which families are compared
tolerated: float = 0.1  # mean error that you accept

# %% [markdown]
# ## What a trade-off point says
#
# A *family* is one kind of network in several sizes. To say how well it generalizes, the paper condenses all tests of it into one [trade-off point](../docs/vocabulary.md#trade-off-point), the best balance of a low error against much noise, many unseen classes and a small network. The point has three numbers: how similar noisy images are to clean ones ([SSIM](../docs/vocabulary.md#ssim), 1 is clean), the share of *unseen* classes, which the network did not learn, and the size of the network. The preprint prints four points ([Table 1](#table-printed)).

# %%

import numpy as np
import pandas as pd

import genexpy_nb as gx
from genexpy_nb.chapters import tradeoff as chapter

gx.plots.use_style()
digits = gx.datasets.load_tradeoff_cells()
cells = gx.datasets.load_tradeoff_cells(results) if results else digits

# %%
printed = chapter.published_tradeoff("points")
in_millions = printed.assign(size=printed["size"] / 1e6).drop(columns="diversity_bound")
called = {"data": "images", "zero_shot": "unseen classes", "ssim": "SSIM", "size": "size, million"}
caption = "The preprint's trade-off points. No EfficientNet that it tested has 23 million parameters. "
caption += "The nearest have 19 and 30 million, and the preprint does not say why."
called |= {"generalization_bound": "generalization bound"}
decimals = {"ssim": 3, "zero_shot": 3, "generalization_bound": 3}
chapter.show_table(in_millions, "printed", caption, called, decimals)

# %% [markdown]
# A *cell* is one test of a network, at one level of noise and one share of unseen classes. The *error* is the share of images that the network gets wrong{eval}`"" if error == "error_rate" else ", minus that of training images"`.{eval}`" The cells of this page are your own, unless a section says otherwise." if results else ""`
#
# The preprint concludes that CLIP (networks that learned from captions) does not outperform EfficientNet. It used only convolutional networks of both. CLIP's points have noisier images and more unseen classes, but larger networks. The preprint also prints a *generalization bound*, the mean of three errors (lower is better): over the cells with the point's noise, over those with its share, and over those with its size. CLIP's is higher on ImageNet and lower on CIFAR-100. In the article, it is the reverse. To rank the families, somebody has to say what counts more.

# %% [markdown] tags=["ours"]
# ### The testbed
#
# To see what moves such a point, we compare two families on handwritten digits, each in eight sizes (numbers of parameters): *perceptrons* with two hidden layers, and convolutional networks (*convolutions*) with two convolutional layers. Each network learned five digits and was then frozen. A logistic regression, the *probe*, learned from its last hidden layer to tell these and up to five unseen digits apart. Every image is a mixture of patterns, its *principal components*. To add noise, we drop the weaker ones. We repeated everything with ten *seeds*: other digits, splits and initial weights.
#
# <details><summary>What our testbed cannot show</summary>
#
# All seeds draw from the 1,797 digits of scikit-learn, 8 × 8 pixels each, so our intervals do not say how much the results would change with other images. With more unseen digits, the probe also has more classes to tell apart, so their share measures two difficulties at once.
#
# </details>

# %% tags=["ours"]
task = chapter.digits_task(seed=0)
images = chapter.noisy_images(task)
chapter.show_noise_levels(task, images)


# %%
options = {"error": error, "noise": noise, "cleaner": cleaner, "missing": "drop"}
by_family = dict([*cells.groupby("family", sort=False, observed=True)])
arrays = {
    chapter.VERSIONS.get(name, name): {
        family: gx.tradeoff.to_array(part, kappa=name, **options) for family, part in by_family.items()
    }
    for name in chapter.kappa_versions(cells, kappa)
}
version, families = next(iter(arrays.items()))
first = next(iter(families.values()))
axis = chapter.NoiseAxis.of(first).name

# %% [markdown]
# ## Which family errs less?
#
# We average errors over classes and sizes, at each level of noise. {eval}`f"Missing cells: {sum(array.attrs['n_missing'] for array in families.values())}. " if results else ""`With the same seed, families saw the same images, so we subtract their errors seed by seed ([Figure 1](#figure-differences)).

# %% tags=["hero"]
difference = chapter.differences(families, zero_shot)
shares = first["zero_shot"].to_numpy()
each_share = [chapter.differences(families, share) for share in shares]
by_share = pd.concat(of.assign(share=of.attrs["share"]) for of in each_share).drop_duplicates()
if difference.empty:
    chapter.show_curves(chapter.noise_curves(families, zero_shot), first)
chapter.show_differences(by_share, difference, first)

# %%
n_repeated = first.sizes.get("seed", 1)
ends = difference["ssim"].iloc[[0, -1]] if len(difference) else []
at_ends = [chapter.errs_less(by_share, level, families) for level in ends]

# %% tags=["ours"]
signs = np.sign(by_share["low"]).where(np.sign(by_share["low"]) == np.sign(by_share["high"]), 0)
orders = by_share.assign(sign=signs).pivot(index="ssim", columns="share", values="sign")
first_less, other_less = (orders.index[(orders == sign).all(axis=1)] for sign in (-1, 1))
at_noise = ""
if len(first_less) and len(other_less):
    one, other = families
    at_noise = f"At {axis} {first_less.max():g}, {one} err less at all {len(shares)} shares of unseen classes. "
    at_noise += f"At {axis} {other_less.max():g}, {other} err less at all {len(shares)} (each judged alone). "

# %% [markdown]
# {eval}`f"{chapter.turning(by_share)}. " if results or not at_noise else at_noise`One number per family would hide this.

# %% tags=["ours"]
gaps = chapter.made("cifar10_families")
clear = gaps.assign(above=gaps["low"] > 0, below=gaps["high"] < 0).groupby("family")[["above", "below"]]
assert not clear.any().all(axis=1).any()  # no order surely reverses
seems = gaps.groupby("family")["estimate"].agg(lambda at: at.min() < 0 < at.max())
assert seems.index[seems].tolist() == ["augmented"]
clear_at = dict([*gaps[(gaps["low"] > 0) | (gaps["high"] < 0)].groupby("images")])
probe = chapter.made("cifar10_errors").set_index(["training", "noise"]).loc["probe"]

# %% [markdown] tags=["ours"]
# ### Do the findings repeat on photographs?
#
# One of the four orders seems to reverse (shifted photographs), but its interval on the noisiest images includes 0, with three seeds. We took small photographs (CIFAR-10) of 10 classes, or of 40: turned in four directions, each class counts as four. We compared residual networks, whose connections skip layers, with four other kinds ([Figure 3](#figure-gaps)). On the cleanest images, {eval}`len(clear_at["cleanest"])` of the four orders are clear, on the noisiest {eval}`len(clear_at["noisiest"])`.

# %% tags=["ours"]
chapter.show_gaps(gaps, gx.datasets.load_tradeoff_cifar10()["seed"].nunique())

# %% [markdown] tags=["ours"]
# <details><summary>What if noise is made as in the preprint?</summary>
#
# An *autoencoder* is a network that compresses images and rebuilds them. On clean photographs, the mean error is {eval}`f"{probe.cleanest.iloc[0]:.2f}"`. On the noisiest, it is {eval}`f"{probe.noisiest['convolutional autoencoder']:.2f}"` with the autoencoder and {eval}`f"{probe.noisiest['principal components']:.2f}"` with principal components. The preprint also attacks networks. We moved each pixel a little in the direction that increases the loss ([Goodfellow et al., 2015](https://arxiv.org/abs/1412.6572)). The error is then {eval}`f"{probe.noisiest['attack']:.2f}"`, although SSIM is at least {eval}`f"{probe.lowest_ssim['attack']:.2f}"`. So SSIM alone does not say how hard an image is.
#
# </details>

# %%
points = {
    name: {family: gx.tradeoff.tradeoff_point(array, weights) for family, array in of.items()}
    for name, of in arrays.items()
}
places = pd.DataFrame(
    [(name, family, p.ssim, p.zero_shot, p.size) for name, of in points.items() for family, p in of.items()],
    columns=["version", "family", "ssim", "zero_shot", "size"],
)
# %%
correlations = chapter.kappa_correlations(arrays).dropna(how="all")
same_thing = list(correlations.index[correlations.min(axis=1) >= 0.95])
listed = (
    correlations.drop(index="unsigned conflict", errors="ignore") if "conflict" in correlations.index else correlations
)
ranges = [f"{chapter.span(row, '{:.2f}')} for {name}" for name, row in listed.iterrows()]

# %% tags=["ours"]
verdicts = chapter.made("cifar10_verdicts").set_index("finding")[["digits", "CIFAR-10", "CIFAR-10, turned"]].iloc[:-1]
assert verdicts.map(lambda said: said.split(":")[0]).to_numpy().tolist() == [
    ["open", "yes", "yes"],
    ["open", "yes", "yes"],
    ["yes", "yes", "yes"],
]
of_10_classes, of_40_classes = verdicts.iloc[0, 1:].str.split("correlation ").str[1]
assert correlations.loc["conflict"].min() > 0.85
adds = f"Conflict also rises and falls with the error, but less so on photographs of 40 classes ({of_40_classes}). "

# %% [markdown]
# ## Does Kappa say more than the error?
#
# A trade-off point counts the error and [Kappa](../docs/vocabulary.md#kappa). In the preprint, Kappa is high where a class and its strongest rival often get nearly the same probability (*conflict*). A network with many conflicts, it argues, copes badly with diverse data. The article gives the name to how badly the answers match the labels (*disagreement*).
#
# We correlate Kappa with the error over a family's cells, at one share of unseen classes at a time, because conflict grows with the number of classes. {eval}`f"The correlation is {chapter.together(ranges)}. " if ranges else ""`{eval}`f"So {chapter.together(same_thing)} repeat{'s' * (len(same_thing) == 1)} the error, and a point that counts both counts it twice. " if same_thing else ""`{eval}`"" if results else adds`{eval}`f"The version of Kappa {'' if results else 'still '}moves the point below by up to {chapter.spread(places):.2f} in {axis}." if len(arrays) > 1 else ""`

# %% [markdown]
# <details><summary>Three versions of Kappa</summary>
#
# **Conflict**, the version of the preprint's text (`conflict` in our code). Take one class and all $M$ test images, whatever their label. On $d$ images, no class has a probability of 0.2 or more. On each of the others, compare the class with its rival, the likeliest other class. On $a$ images, their probabilities differ by at most 0.2 ("very close" in the preprint, 0.2 in its code). On $b$ images, the class is less likely by more than that, and on $c$ images, more likely.
#
# These four counts go into Cohen's kappa, which compares how often two people agree with how often chance would make them agree. Here, the class and its rival take the place of the people. They agree on a share $p_o = (a + d) / M$ of the images, by chance we expect $p_e = ((a + b)(a + c) + (c + d)(b + d)) / M^2$, and Kappa is $(p_o - p_e) / (1 - p_e)$.
#
# **Unsigned conflict**, the version of the preprint's code (`conflict_abs`), is conflict without its sign. Tests with fewer than 10,000 images are padded with images on which no class is likely.{eval}`f" Its correlation with the error is {chapter.span(correlations.loc['unsigned conflict'])}." if "unsigned conflict" in correlations.index else ""`
#
# **Disagreement**, the version of the article and its code (`cohen`), is 1 minus Cohen's kappa of the label and the network's answer, both as "this class" or "another". Guessing gets 1.
# {eval}`"" if results else f" On photographs, disagreement repeats the error, too. Conflict's correlation is {of_10_classes} if they have 10 classes."`
#
# </details>

# %% [markdown] tags=["exercise"]
# ### Exercise 1: Three Kappas of a perfect model
#
# *Understanding · 10 minutes.* On five classes with 2,000 images each, a model always gives the right class the probability 1. What are *conflict*, *unsigned conflict* and *disagreement* (see the fold above) for each class? Assign the list of these numbers to `answer_1`, to two decimals.

# %% tags=["solution"]
right = np.repeat(np.arange(5), 2000)
of_perfect = gx.tradeoff.class_metrics(right, np.eye(5)[right]).iloc[0]
answer_1 = [of_perfect["conflict"], of_perfect["conflict_abs"], of_perfect["kappa"]]

# %% tags=["check"]
gx.check("07-1", answer_1)

# %% [markdown] tags=["explanation"]
# **Why.** No image is in conflict, so $a = d = 0$. On 8,000 images, a class is clearly less likely than its rival, and on the other 2,000 it is clearly more likely. Observed agreement is 0, agreement by chance $2 \cdot .8 \cdot .2 = .32$, and Kappa $-.32 / .68 = -.47$. There are 10,000 images, so *unsigned conflict* is .47. So the best possible model scores very well with *conflict*, badly with *unsigned conflict*, and perfectly with *disagreement*. With ten classes, conflict would be $-.18 / .82 = -.22$: it grows with their number.

# %% [markdown]
# ## The trade-off point
#
# We average each cell over the seeds. The point is the cell with the smallest sum of two numbers. The first, $F$, says how badly a cell does: it sums the mean, the standard deviation and the 10th percentile (the easiest classes) of the error over the classes, and the same three of Kappa, as the preprint does.
#
# The second says how far a cell is from the *hard corner*: the noisiest images, the most unseen classes and the smallest network. The distances $x_1, x_2, x_3$ in these three are scaled to [0, 1], and weights say how much each counts. So Equation 3, as we rebuilt it, minimizes the following.
#
# $$F + w_1 x_1^2 + w_2 x_2^2 + w_3 x_3^2 .$$

# %%
chapter.show_maps(families, points[version])

# %%
at_first = places.query("version == @version").drop(columns="version")
seeds = [places.iloc[:0]] + [
    gx.tradeoff.tradeoff_points_by_seed(array, weights).assign(family=family)
    for family, array in families.items()
    if "seed" in array.dims
]
from_seeds = chapter.spread(pd.concat(seeds))

# %% [markdown]
# {eval}`f"With weights of {chapter.span(weights.values(), '{:g}')}, {chapter.ahead(at_first, cleaner)}. But from" if len(families) == 2 else "From"` seed to seed, the point of a family moves by up to {eval}`f"{from_seeds:.2f}"` in {eval}`axis`. The article's code uses weights. The preprint says that it uses a form without weights (Equation 4). There, the scale of each number decides how much it counts. [Our Table 2](#table-points) has both.

# %%
caption = (
    "The points with weights, and without (minimax, Equation 4 as we rebuilt it: it minimizes the largest of the three "
    "distances and *F*, all scaled to [0, 1]). Each interval holds the middle 95 % of the points of 2,000 sets of "
    "seeds, drawn with replacement. Ends can be equal because the grid of cells is coarse; points of single seeds vary more."
)
called = {"method": "form", "ZeroShot": "unseen classes"}
table = chapter.point_table(families, weights)
chapter.show_table(table, "points", caption, called, folded="What changes in the form without weights")

# %% [markdown]
# Now let all three weights grow together. With weights of 0, the point is the cell with the smallest $F$. With very large ones, it is the cell nearest to the hard corner.

# %%
sensitivity = chapter.points_by_weight(families)
chapter.show_weights(sensitivity, first)

# %% tags=["ours"]
draws = {
    (name, weight): chapter.sizes_in_draws(arrays[name], weight)
    for name, of in {"conflict": (1, 0.3, 0.4), "disagreement": (1, 0.3)}.items()
    for weight in of
}
_, same = draws["conflict", 0.3]
smaller = {asked: chapter.percent(share) for asked, (share, _) in draws.items()}
assert same > 0.5 and draws["conflict", 1][0] > 0.95 and draws["disagreement", 0.3][0] > 0.8
of_disagreement = f"{smaller['disagreement', 1]} and {smaller['disagreement', 0.3]}"

# %% [markdown] tags=["ours"]
# We drew the seeds again. With conflict as Kappa, convolutions have the smaller network in {eval}`smaller["conflict", 1]` of the draws with weights of 1, in {eval}`smaller["conflict", 0.4]` with 0.4, but in {eval}`smaller["conflict", 0.3]` with 0.3. With disagreement, it is {eval}`of_disagreement` with weights of 1 and 0.3.

# %% [markdown] tags=["exercise"]
# ### Exercise 2: A scale is a weight
#
# *Application · 15 minutes.* Two cells differ only in noise: a clean one (SSIM 1) with $F = .2$, and a noisy one (SSIM .6) with $F = .9$. How large must the weight of SSIM be for the noisy cell to be chosen, if SSIM is scaled to [0, 1]?
# And if SSIM itself replaces $x_1$, as in the article's code? Assign the list of the two weights to `answer_2`, to two decimals.

# %% tags=["solution"]
gain = 0.9 - 0.2
answer_2 = [gain / (1**2 - 0**2), gain / (1**2 - 0.6**2)]

# %% tags=["check"]
gx.check("07-2", answer_2)

# %% [markdown] tags=["explanation"]
# **Why.** With the scaled SSIM, the clean cell has $.2 + w$ and the noisy cell $.9 + 0$; they are equal at $w = .7$. With SSIM itself, they have $.2 + w$ and $.9 + .36 w$, and are equal at $w = .7 / .64 = 1.09$. The same weight means something else on another scale.

# %% [markdown]
# ### A more useful question
#
# If you say which error you accept, you need a tolerance instead of weights. The *tolerance box* (`gx.tradeoff.tolerance_box`) goes from the easiest cell to some noise, share of unseen classes and size. We take the box with the most cells, all with a mean error over the classes that you accept. All measured levels weigh the same. With a larger tolerance, a box may reach more noise and fewer unseen classes.

# %%
boxes = chapter.tolerance_boxes(families, tolerated * np.array([0.5, 1, 2, 3]))
at_one = boxes[boxes["tolerated"] == tolerated]
ranks = {f"{limit:g}": chapter.rank_boxes(of, families) for limit, of in boxes.groupby("tolerated")}
told = {said: [limit for limit in ranks if ranks[limit] == said] for said in (ranks[f"{tolerated:g}"], *ranks.values())}
ranked = ". With ".join(f"{chapter.together(limits)}, {said}" for said, limits in told.items())
ranked = f"With a mean error of at most {ranked}. " if len(families) == 2 else "The last figure shows it. "
chapter.show_boxes(boxes, first, chapter.at_edge(at_one, families))

# %% [markdown]
# {eval}`(ranked + "A family is ahead only if its whole intervals reach the noise and the unseen classes of the other, with networks too small for the other.") * (len(families) == 2)`

# %% [markdown] tags=["ours"]
# ## What can be reproduced
#
# Without the authors' cells, nobody can recompute the preprint's points. Beside each point, it prints the generalization bound and a *diversity bound* (the same average of Kappa), and its figures show the three means behind each.

# %% tags=["ours"]
chapter.check_published()
of_paper, of_article = chapter.published_bounds(), chapter.published_bounds("article")
both_read = pd.concat([of_paper, of_article])

# %% tags=["ours"]
change = chapter.changes().drop("both families", level="family")
falls, rises = change["low"] >= change["wrong"], change["high"] <= change["right"]
told = (falls | rises).groupby(["statistic", "dimension"], sort=False).agg(["sum", "size"]).astype(str)
told = (told["sum"] + " of " + told["size"]).unstack()[["ssim", "zero_shot", "size"]]
assert falls.loc[("error_mean", "ssim")].all()

# %% tags=["ours"]
shown = chapter.published_tradeoff("spread").iloc[0]
largest = np.sqrt(shown["kappa_mean"] * (1 - shown["kappa_mean"]))
assert shown["kappa_std"] > largest

# %% tags=["ours"]
choices = chapter.made("authors_choices")
choices["size"] = np.log(choices["size"])
at = choices.set_index("family")[["ssim", "zero_shot", "size"]]
moved = at - at[choices["choice"].to_numpy() == "as in the code"].reindex(at.index)
kind = choices["choice"].mask(choices["option"] == "ten times as large", "ten times")
moved = moved.abs().groupby(kind.to_numpy()).max()
# %% tags=["ours"]
choice = {
    "weights": "the code's weights for ImageNet, or equal ones",
    "Kappa": "another version of Kappa",
    "ten times": "the same Kappa times ten",
    "scale": "another scale",
}
of_choice = moved.loc[[*choice]].rename(choice)
of_choice["size"] = np.exp(of_choice["size"])  # a factor
farthest = of_choice.max()
rows = [(f"{row.ssim:.2f}", f"{100 * row.zero_shot:.0f}", f"{row.size:.1f}") for row in of_choice.itertuples()]

# %% [markdown] tags=["ours"]
# The printed bounds agree with what we read off the figures of the preprint ([Table 3](#table-published)) and of the article, {eval}`"within" if (both_read["difference"].abs() <= both_read["reading_error"] + 0.0005).all() else "but not always within"` our reading errors and the rounding of the print.
#
# The article's code fills in what the text leaves open, such as scales and weights. On our digits, such a choice moves the point by up to {eval}`f"{farthest.ssim:.2f}"` in SSIM, or by a factor of up to {eval}`f"{farthest['size']:.0f}"` in size.
#
# <details><summary>Which choices of the code move the point?</summary>
#
# We start from the article's code (of January 2025) with its weights for CIFAR-100 and *conflict* as Kappa, change one choice at a time, and solve every variant exactly (`data/runs/authors_point.py`). This code also searches between the measured levels. The table gives the largest shift that each choice causes in the point of either family, convolutions or perceptrons.
#
# | choice | SSIM | unseen classes, in points | size, by a factor of |
# |-|-|-|-|
# | {eval}`of_choice.index[0]` | {eval}`rows[0][0]` | {eval}`rows[0][1]` | {eval}`rows[0][2]` |
# | {eval}`of_choice.index[1]` | {eval}`rows[1][0]` | {eval}`rows[1][1]` | {eval}`rows[1][2]` |
# | {eval}`of_choice.index[2]` | {eval}`rows[2][0]` | {eval}`rows[2][1]` | {eval}`rows[2][2]` |
# | {eval}`of_choice.index[3]` | {eval}`rows[3][0]` | {eval}`rows[3][1]` | {eval}`rows[3][2]` |
#
# </details>
#
# <details><summary>Do the preprint's trends hold in its figure?</summary>
#
# The preprint says that CLIP and EfficientNet show similar trends along SSIM and unseen classes, but opposite trends along size. We read the dots off its Figure 2, and count the curves whose order is too regular for chance (5 % level), whatever our reading errors.
#
# | curves told from chance | SSIM | unseen classes | size |
# |-|-|-|-|
# | error | {eval}`told.iloc[0, 0]` | {eval}`told.iloc[0, 1]` | {eval}`told.iloc[0, 2]` |
# | Kappa | {eval}`told.iloc[1, 0]` | {eval}`told.iloc[1, 1]` | {eval}`told.iloc[1, 2]` |
#
# So we can confirm only that cleaner images lower the errors of both families.
#
# </details>
#
# <details><summary>A factor of ten in the preprint's Figure 2</summary>
#
# Part (j) shows the Kappa of EfficientNet on CIFAR-100. The values of *unsigned conflict* lie between 0 and 1, so with mean $\mu$ their standard deviation is at most $\sqrt{\mu (1 - \mu)}$ ([Bhatia and Davis, 2000](https://doi.org/10.1080/00029890.2000.12005203)). At SSIM 0.85 we read off a mean of {eval}`f"{shown.kappa_mean:.3f}"`, which allows {eval}`f"{largest:.3f}"`, and a standard deviation of {eval}`f"{shown.kappa_std:.3f}"`. The preprint's code explains why: on CIFAR-100, it multiplies this Kappa by ten before it averages. If this code made the figure, the diversity bound of this family, 0.139, is ten times too large, too. We do not know whether CLIP's Kappa was multiplied.
#
# </details>

# %% [markdown] tags=["exercise"]
# ### Exercise 3: Multiplied by what?
#
# *Application · 10 minutes.* For a share between 0 and 1, a paper reports a mean of .2 and a standard deviation of .5. Somebody may have multiplied the values before averaging (see the fold above). What is the smallest factor that makes this possible? Assign it to `answer_3`, to two decimals.

# %% tags=["solution"]
factors = np.linspace(1, 3, 2001)
answer_3 = next(f for f in factors if chapter.largest_deviation(0.2, 0, f) >= 0.5)

# %% tags=["check"]
gx.check("07-3", answer_3)

# %% [markdown] tags=["explanation"]
# **Why.** Values in $[0, f]$ with mean $\mu$ have a standard deviation of at most $\sqrt{(f - \mu) \mu}$, which a mix of zeros and $f$s reaches. $\sqrt{(f - .2) \cdot .2} = .5$ gives $f = .25 / .2 + .2 = 1.45$. A bound can show that a scale is wrong, not which one is right.

# %% [markdown] tags=["ours"]
# ## On networks of your own
#
# Any classifier that gives class probabilities will do. [Your own torch networks](../docs/tradeoff_torch.md) starts from a folder of images.
#
# <details><summary>From class probabilities to this page</summary>
#
# ```python
# # a test: unseen share, SSIM, size, labels, probabilities, classes of columns
# cells = pd.concat(gx.tradeoff.cell(*test) for test in tests)
# array = gx.tradeoff.to_array(cells, kappa="conflict")
# gx.tradeoff.tolerance_box(array, 0.1, "error_mean")
# gx.tradeoff.tradeoff_point(array)
# ```
#
# Add a column `seed` to get intervals, and `family` to compare kinds of networks. Save the cells to a file. In the folder of this project, this command makes this page from it: `genexpy-nb render tradeoff -p results=mine.parquet -p tolerated=0.2 -o mine`.
#
# </details>

# %% [markdown] tags=["exercise"]
# ### Exercise 4: Seed by seed
#
# *Project · 40 minutes.* Take the cells of our convolutions (`gx.datasets.load_tradeoff_cells()`). Find the trade-off point of each of the ten seeds, all weights 1, with Kappa as *conflict* and as *disagreement* (`kappa="cohen"`). For how many seeds do the two points differ in SSIM? Assign the number to `answer_4`. How does a family of your own compare?

# %% tags=["solution"]
of_convolutions = gx.datasets.load_tradeoff_cells().query("family == 'convolutions'")
by_seed = {
    name: gx.tradeoff.tradeoff_points_by_seed(gx.tradeoff.to_array(of_convolutions, kappa=name))["ssim"]
    for name in ("conflict", "cohen")
}
answer_4 = int((by_seed["conflict"] != by_seed["cohen"]).sum())

# %% tags=["check"]
gx.check("07-4", answer_4)

# %% [markdown] tags=["explanation"]
# **Why.** In seven of ten seeds the two points differ. With these seeds, *disagreement* chooses the cleaner images, because it grows with the error, and noise causes errors. Within one version, the ten points of convolutions differ by at most .1.

# %% [markdown] tags=["findings"]
# - **{eval}`chapter.turning(by_share)`.** {eval}`f"On the cleanest images{'' if results else ' of handwritten digits'}, {at_ends[0]}. " if at_ends else "That takes two families that share at least two seeds."`{eval}`f"On the noisiest images, {at_ends[-1]}. So compare networks at the noise that your application has." if at_ends else ""`{eval}`"" if results else " On photographs, no order clearly reversed, but three seeds (repetitions) may be too few to see it."` *{eval}`"" if results else f"Convolutions and perceptrons are kinds of networks, in eight sizes each. We tested {len(shares)} shares of unseen classes (not learned by the network). "`{eval}`f"An order counts if its 95 % interval over {n_repeated} seeds excludes 0 (each judged alone)." if at_ends else ""`*
# - **A trade-off point depends on the weights that somebody chose.** The point balances a low error against much noise, many unseen classes and a small network. As all weights grow, the point {eval}`chapter.moves(sensitivity, first)`. {eval}`"" if results else "With conflict as Kappa and weights of 1, convolutions have the smaller network. With 0.3, the two mostly have the same size. With disagreement, the lead mostly stays. "`So ask for the weights and for the version of [Kappa](../docs/vocabulary.md#kappa). *{eval}`"" if results else f"This holds in {smaller['conflict', 1]}, {chapter.percent(same)} and at least {smaller['disagreement', 0.3]} of the draws of seeds. "`Sizes within 10 % count as the same.*
# - **Say which error you accept, and report how far each family can go.** {eval}`ranked`*The mean is over the classes. [Figure 6](#figure-boxes) has intervals.*

# %% [markdown]
# ## Summary
#
# Say how far each family can go with an error that you accept. Report a trade-off point only with its form, weights, scales and version of Kappa, and how far it moves from seed to seed.

# %%
moved = {"weights": chapter.spread(sensitivity), "seeds": from_seeds}
moved |= {"versions of Kappa": chapter.spread(places)} if len(arrays) > 1 else {}
chapter.keep_key_numbers(difference, at_one, axis, moved)

# %% [markdown]
# ## Further reading
#
# - [Radford et al., 2021](https://proceedings.mlr.press/v139/radford21a.html): CLIP, and probes like ours.
# - [Goodfellow et al., 2015](https://arxiv.org/abs/1412.6572): noise that is made to mislead a network.
# - [Notebook 15](15_complexity_measures.ipynb): could theory have predicted which sizes err less?
