# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Can one number say how well a network generalizes?
#
# *Executable companion to* A practical generalization metric for deep networks benchmarking.
#
# The paper exists as a *preprint* (2024) and a [*journal article*](https://doi.org/10.1038/s41598-025-93005-5) (2025), with different numbers. Our copy of the preprint lacks the formulas. We rebuilt Equations 1 to 5 from its sentences and the code, so check them before you rely on them.
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

# %%
import re

import numpy as np
import pandas as pd

import genexpy_nb as gx
from genexpy_nb.chapters import tradeoff as chapter

gx.plots.use_style()
digits = gx.datasets.load_tradeoff_cells()
cells = gx.datasets.load_tradeoff_cells(results) if results else digits
clip, efficient = chapter.published_tradeoff("points").query("data == 'ImageNet'").itertuples()
assert clip.ssim < efficient.ssim and clip.zero_shot > efficient.zero_shot and clip.size > efficient.size

# %% [markdown]
# For photographs (ImageNet), the preprint prints two [trade-off points](../docs/vocabulary.md). That of CLIP (networks that learned from captions) has more new classes ({eval}`chapter.percent(clip.zero_shot)` against {eval}`chapter.percent(efficient.zero_shot)`) and noisier images (their similarity to clean ones is {eval}`f"{clip.ssim:.2f}"` against {eval}`f"{efficient.ssim:.2f}"`). That of EfficientNet (convolutional networks) has a smaller network ({eval}`f"{efficient.size / 1e6:.0f}"` against {eval}`f"{clip.size / 1e6:.0f}"` million parameters). To rank them, somebody has to say what counts more.
#
# Networks that are built alike, in several sizes, are a *family*. A *cell* is one test of a network, at one level of noise and one share of new (*unseen*) classes. The *error* is the share of images that the network gets wrong{eval}`"" if error == "error_rate" else ", minus that of training images"`.{eval}`" The cells of this page are your own, unless a section says otherwise." if results else ""`

# %% [markdown] tags=["ours"]
# ### The testbed
#
# We compare two families on handwritten digits, in eight sizes (numbers of parameters) each. *Perceptrons* have two hidden layers, *convolutions* two convolutional ones. Each network learned five digits. Then a logistic regression, the *probe*, learned from its last hidden layer to tell these digits and up to five *unseen* ones apart. We repeated everything with ten *seeds*: other digits, splits and initial weights.
#
# To make noise, we drop principal components, patterns from which every image is mixed. We measure it by the structural similarity ([SSIM](../docs/vocabulary.md)) with the clean image (1 is clean).
#
# <details><summary>More on the testbed, and what the preprint does</summary>
#
# The digits are the 1,797 images of scikit-learn, 8 × 8 pixels each. Networks have from a thousand parameters to 131 thousand. All seeds draw from this one set of images, so our intervals do not say how much the results would change with other images.
#
# We froze a network before the probe learned. With more unseen digits, the probe also has more classes to tell apart, so their share measures two difficulties at once. The preprint trains network and probe together, and makes noise with an autoencoder. We tried both [on photographs](#do-the-findings-repeat-on-photographs).
#
# </details>

# %% tags=["ours"]
task = chapter.digits_task(seed=0)
images = chapter.noisy_images(task)
chapter.show_noise_levels(task, images)


# %%
def arrays_of(table, **options):
    """Return one array for each family of networks."""
    families = table.groupby("family", sort=False, observed=True)
    return {name: gx.tradeoff.to_array(part, **options) for name, part in families}


options = {"error": error, "noise": noise, "cleaner": cleaner, "missing": "drop"}
arrays = {
    chapter.VERSIONS.get(name, name): arrays_of(cells, kappa=name, **options)
    for name in chapter.kappa_versions(cells, kappa)
}
version, families = next(iter(arrays.items()))
first = next(iter(families.values()))
axis = chapter.NoiseAxis.of(first).name

# %% [markdown]
# ## Which family errs less?
#
# We average errors over classes and sizes. {eval}`f"Missing cells: {sum(array.attrs['n_missing'] for array in families.values())}. " if results else ""`With the same seed, families saw the same images, so we subtract their errors seed by seed ([Figure 1](#figure-differences)).

# %% tags=["hero"]
curves = chapter.noise_curves(families, zero_shot)
difference = chapter.differences(families, zero_shot)
if difference.empty:
    chapter.show_curves(curves, first)
chapter.show_differences(difference, first)
levels = [chapter.span(at["estimate"], "{:.2f}") for _, at in curves.groupby("ssim")]

# %%
n_repeated = first.sizes.get("seed", 1)
ends = [f"{row.low:+.3f} to {row.high:+.3f}".replace("-", "−") for row in difference.itertuples()]
at_ends = " and ".join([ends[0], ends[-1]]) if ends else ""

# %% [markdown]
# With {eval}`chapter.shown_share(difference)` of the classes unseen, mean errors are {eval}`levels[-1]` on the cleanest images and {eval}`levels[0]` on the noisiest.

# %% tags=["ours"]
shares = first["zero_shot"].to_numpy()
at_noise = pd.concat(chapter.differences(families, share) for share in shares).groupby("ssim")
n_below = at_noise["high"].agg(lambda ends: (ends < 0).sum())
n_above = at_noise["low"].agg(lambda ends: (ends > 0).sum())
only_here = n_above.iloc[0] == 1 and n_below.iloc[0] == 0 and difference["low"].iloc[-1] > 0
at_every = ""
if n_below.iloc[-1] == n_above.max() == len(shares):
    at_every = (
        f"At each of {len(shares)} shares of unseen classes, convolutions err less on the cleanest images, and "
        f"perceptrons at {axis} {n_above.idxmax():g}. "
    )

# %% [markdown] tags=["ours"]
# {eval}`at_every`On the noisiest images, {eval}`f"the order is clear only with {chapter.shown_share(difference)} unseen" if only_here else f"perceptrons clearly err less at {n_above.iloc[0]} of {len(shares)} shares"`.

# %% tags=["ours"]
verdicts = chapter.made("cifar10_verdicts")
families_turned = chapter.made("cifar10_families")
of_change = {"compound": "deeper", "augmented": "shifted", "decayed": "decay"}
plain = verdicts["CIFAR-10"].iloc[-1].replace("−", "-")
plain = [float(number) for number in re.findall(r"[+-]\d\.\d+", plain)]  # estimate and ends, twice
gaps = pd.DataFrame([plain[:3], plain[3:]], columns=["estimate", "low", "high"]).assign(
    pair="10 classes: plain − residual", images=["cleanest", "noisiest"]
)
changed = "40 classes: " + families_turned["family"].map(of_change) + " − residual"
gaps = pd.concat([gaps, families_turned.assign(pair=changed)], ignore_index=True)

# %% tags=["ours"]
photographs = gaps.assign(above=lambda at: at["low"] > 0, below=lambda at: at["high"] < 0)
n_clear = int((photographs["above"] | photographs["below"]).sum())
assert not photographs.groupby("pair")[["above", "below"]].any().all(axis=1).any()  # no order reverses

# %% tags=["ours"]
errors = chapter.made("cifar10_errors").set_index(["training", "noise"])
probe = errors.loc["probe"]
gains = probe["noisiest"] - errors.loc["fine-tuned", "noisiest"]
reverses = verdicts.set_index("finding").loc["noise reverses the order of the families", "CIFAR-10"].split(":")[0]
reverses = {"yes": "changes with the noise", "no": "stays the same", "open": "is unclear"}[reverses]


# %% tags=["ours"]
def between_families(table):
    """Subtract mean errors, seed by seed, on the cleanest and the noisiest images; half of the classes are unseen."""
    means = table[table["zero_shot"] == 0.5].groupby(["ssim", "seed", "family"], observed=True)["error_rate"].mean()
    return means.unstack().diff(axis=1).iloc[:, 1].unstack("ssim").iloc[:, [0, -1]]


# %% tags=["ours"]
matters = between_families(digits).mean().abs().min() / 2
on_photographs = between_families(gx.datasets.load_tradeoff_cifar10("probe", "pca"))
plans = pd.concat(
    gx.significance.plan_comparison(pilot, matters, len(pilot), confidence=end).assign(end=end)
    for _, pilot in on_photographs.items()
    for end in (0.025, 0.975)  # of the 95 % interval of the standard deviation
)
n_seeds = plans.groupby(["spread_from", "end"])["n_conditions"].max().astype(int)
about, few, many = n_seeds[[("pilot", 0.025), ("upper limit", 0.025), ("upper limit", 0.975)]].tolist()

# %% tags=["ours"]
decay = families_turned.query("family == 'decayed'").set_index("images")
assert decay["high"].max() < 0
by = {at: f"{-row.estimate:.3f} ({-row.high:.3f} to {-row.low:.3f})" for at, row in decay.iterrows()}
tuning = chapter.made("cifar10_tuning").set_index("zero_shot")
unsure = tuning[tuning["low"] <= 0]
most = tuning.loc[tuning["estimate"].idxmax()]
learned = chapter.made("cifar10_learned").set_index(["family", "size"])["accuracy"]
wrong, wrong_residual = 1 - learned["compound"], 1 - learned["residual"]

# %% tags=["ours"]
kappas = verdicts.set_index(verdicts["finding"].str.extract("Kappa as (.+) measures", expand=False)).iloc[:-1]

# %% [markdown] tags=["ours"]
# ### Do the findings repeat on photographs?
#
# Not clearly. On small photographs (CIFAR-10), with three seeds only, we compared residual networks, whose connections skip layers, with plain ones and with three changed versions. Of the differences on the cleanest and on the noisiest images, {eval}`n_clear` of {eval}`len(photographs)` are clear (their 95 % intervals exclude 0), but no order clearly changes.
#
# <details><summary>What changes on photographs</summary>
#
# On the ten classes of CIFAR-10, we compare *residual* and *plain* convolutional networks in six sizes.
#
# Turning each photograph by 90, 180 and 270 degrees makes 40 classes. There we compare residual networks, which grow in width, with three changed versions. *Deeper* ones grow in depth, too. *Shifted* ones see each photograph moved by up to four pixels and with another contrast. In those with *decay*, the weights shrink a little at each step of the training.
#
# No family is clearly ahead on the cleanest images and clearly behind on the noisiest. Networks with weight decay err less than those without at both ends, by {eval}`by["cleanest"]` on the cleanest images and by {eval}`by["noisiest"]` on the noisiest (with 95 % intervals). So noise does not reverse every order. For plain and residual networks, the order {eval}`reverses`.
#
# **How many seeds would settle this order?** Suppose a difference matters if it is at least {eval}`f"{matters:.3f}"`, half of the smaller one on digits. If other seeds vary as much as our {eval}`len(on_photographs)`, a study with {eval}`about` seeds would detect such a difference at least 80 % of the time, on the cleanest and on the noisiest images. But {eval}`len(on_photographs)` seeds give only a rough idea of how much seeds vary. Across the 95 % interval of their standard deviation, the number of seeds needed ranges from {eval}`few` to {eval}`many`.
#
# **Would more training help?** After 20 passes over the training images of 40 classes, the largest of the deeper networks still got {eval}`chapter.percent(wrong.iloc[-1])` of these images wrong, and the second largest {eval}`chapter.percent(wrong.iloc[-2])`. The largest residual networks got {eval}`chapter.percent(wrong_residual.iloc[-1])` of them wrong. So longer training might change the order.
#
# **What if all is done as in the preprint?** Instead of dropping principal components, the preprint uses an autoencoder, a network that compresses images and rebuilds them. On the noisiest photographs, with an SSIM of {eval}`f"{probe.lowest_ssim['principal components']:.2f}"`, the mean error is {eval}`f"{probe.noisiest['principal components']:.2f}"` with principal components and {eval}`f"{probe.noisiest['convolutional autoencoder']:.2f}"` with the autoencoder.
#
# The preprint also attacks networks. We did so too: we moved each pixel a little in the direction that increases the loss (the fast gradient sign method, [Goodfellow et al., 2015](https://arxiv.org/abs/1412.6572)). Attacked images have an SSIM of at least {eval}`f"{probe.lowest_ssim['attack']:.2f}"`, and yet the error on them is {eval}`f"{probe.noisiest['attack']:.2f}"`. So SSIM alone does not determine how hard an image is.
#
# To train all weights together with the probe, as the preprint does, is called *fine-tuning*. On the noisiest photographs of ten classes, fine-tuning lowers the mean error by {eval}`chapter.span(gains)`, whichever way the noise is made. (These means have no intervals.)
#
# With 40 classes, we fine-tuned all families at {eval}`len(tuning)` shares of unseen classes. On clean images, fine-tuning lowers the mean error by up to {eval}`f"{most.estimate:.3f} ({most.low:.3f} to {most.high:.3f})"`. At {eval}`" and ".join(map(chapter.percent, unsure.index))` unseen classes, the data do not say whether it does.
#
# **Does Kappa measure something else than the error?** The [next section](#what-kappa-adds-to-the-error) asks this on digits, and explains the three versions. We say *the same* if Kappa and the error correlate by at least 0.95 in both families, *something else* if they correlate by less than 0.9 in both, and *open* otherwise.
#
# | version of Kappa | asked | digits | 10 classes | 40 classes |
# |-|-|-|-|-|
# | conflict | something else? | {eval}`kappas.loc["conflict", "digits"]` | {eval}`kappas.loc["conflict", "CIFAR-10"]` | {eval}`kappas.loc["conflict", "CIFAR-10, turned"]` |
# | unsigned conflict | something else? | {eval}`kappas.loc["unsigned conflict", "digits"]` | {eval}`kappas.loc["unsigned conflict", "CIFAR-10"]` | {eval}`kappas.loc["unsigned conflict", "CIFAR-10, turned"]` |
# | disagreement | the same? | {eval}`kappas.loc["disagreement", "digits"]` | {eval}`kappas.loc["disagreement", "CIFAR-10"]` | {eval}`kappas.loc["disagreement", "CIFAR-10, turned"]` |
#
# So on photographs, too, disagreement counts the error twice. Conflict and unsigned conflict measure something else with 40 classes; with ten, this is open.
#
# </details>

# %% tags=["ours"]
said = kappas[["CIFAR-10", "CIFAR-10, turned"]].apply(lambda column: column.str.split(":").str[0])
assert said.to_numpy().tolist() == [["open", "yes"], ["open", "yes"], ["yes", "yes"]]
chapter.show_gaps(gaps, gx.datasets.load_tradeoff_cifar10()["seed"].nunique())

# %%
points = {
    name: {family: gx.tradeoff.tradeoff_point(array, weights) for family, array in of.items()}
    for name, of in arrays.items()
}
places = pd.DataFrame(
    [(name, family, p.ssim, p.zero_shot, p.size) for name, of in points.items() for family, p in of.items()],
    columns=["version", "family", "ssim", "zero_shot", "size"],
)
by_version = chapter.points_apart((item for of in arrays.values() for item in of.items()), method="minimax")

# %%
correlations = chapter.kappa_correlations(arrays)
same_thing = list(correlations.index[correlations.min(axis=1) >= 0.95])
else_thing = list(correlations.index[correlations.max(axis=1) < 0.9])
verdict = (
    "so it is not the error under another name"
    if version in else_thing
    else "so whoever counts both counts one thing twice"
)
verdict = verdict if version in [*same_thing, *else_thing] else "which leaves this open"
ranges = "; ".join(f"{name} {chapter.span(row, '{:.2f}')}" for name, row in correlations.iterrows())

# %% [markdown]
# ## What Kappa adds to the error
#
# A trade-off point also counts [Kappa](../docs/vocabulary.md): how often a class and its strongest rival get nearly the same probability, beyond chance. The preprint argues that a network with many such *conflicts* copes badly with diverse data. The preprint's Kappa never looks at the labels, and a low one is better. Over all cells of a family, mean Kappa (*{eval}`version`*) and mean error correlate by {eval}`"only " * (version in else_thing) + chapter.span(correlations.loc[version], "{:.2f}")`, {eval}`verdict`.{eval}`f" We follow the preprint's text. Its code (unsigned conflict) and the article (disagreement with the labels) have other versions, which move the point below by up to {chapter.spread(places):.2f} in {axis}." if len(arrays) > 1 else ""`
#
# <details><summary>What changes with another version of Kappa</summary>
#
# **Conflict**, the version of the preprint's text (`conflict` in our code). Two classes are in conflict if their probabilities are "very close", says the preprint. In its code, and here, this means that they differ by at most 0.2. Take one class and all $M$ test images, whatever their label. First set aside the $d$ images on which no class has a probability of 0.2 or more. On each of the others, compare the probability of this class with that of its rival, the likeliest other class. On $a$ images, the two differ by at most 0.2. On $b$ images, the class is less likely than its rival by more than 0.2. On $c$ images, it is more likely by more than 0.2.
#
# The preprint puts these four counts into Cohen's kappa, a formula for two people who sort the same things. The formula says how much more often they agree than by chance: 1 means always, 0 as often as by chance. Here, the class and its rival take the place of the two people. They agree where neither is clearly ahead ($a$) and where no class is likely ($d$). They agree on a share $p_o = (a + d) / M$ of the images, by chance we expect $p_e = ((a + b)(a + c) + (c + d)(b + d)) / M^2$, and Kappa is $(p_o - p_e) / (1 - p_e)$.
#
# **Unsigned conflict**, the version of the preprint's code (`conflict_abs`), is conflict without its sign. A test with fewer than 10,000 images is filled up with images on which no class is likely.
#
# **Disagreement**, the version of the article and its code (`cohen`), is 1 minus Cohen's kappa of the label and the network's answer, both as "this class" or "another". Guessing gets 1.
#
# A perfect, confident network is very good by the first version, bad by the second, and perfect by the third ([Exercise 1](#exercise-1-three-kappas-of-a-perfect-model)). With the error, they correlate as follows: {eval}`ranges`.{eval}`f" For {chapter.together(same_thing)}, the correlations are at least 0.95, so counting the error as well would count one thing twice." if same_thing else ""`{eval}`f" For {chapter.together(else_thing)}, the correlations are below 0.9." if else_thing else ""`
#
# **The error.** As in both versions of the code, our error is the *error rate* of a class, the share of its images that are misclassified. Equation 1 is the *gap*, the error on test images minus the error on training images (`error="gap"`). For a standard deviation over classes, we divide by the number of classes. The authors' code divides by one less, which moves two of twelve trade-off points (two families, three versions of Kappa, two forms of the point).
#
# </details>

# %% [markdown] tags=["exercise"]
# ### Exercise 1: Three Kappas of a perfect model
#
# *Understanding · 10 minutes.* On five classes with 2,000 images each, a model always gives the right class the probability 1. What are
# *conflict*, *unsigned conflict* and *disagreement* (see the fold above) for each class? Assign the list of the three numbers to `answer_1`, to two decimals.

# %% tags=["solution"]
right = np.repeat(np.arange(5), 2000)
of_perfect = gx.tradeoff.class_metrics(right, np.eye(5)[right]).iloc[0]
answer_1 = [of_perfect["conflict"], of_perfect["conflict_abs"], of_perfect["kappa"]]

# %% tags=["check"]
gx.check("07-1", answer_1)

# %% [markdown] tags=["explanation"]
# **Why.** No image is in conflict, so $a = d = 0$. On 8,000 images, a class is clearly less likely than its rival, and on the other 2,000 it is clearly more likely. Observed agreement is 0, agreement by chance $2 \cdot .8 \cdot .2 = .32$, and Kappa $-.32 / .68 = -.47$. There are 10,000 images, so *unsigned conflict* is .47. Depending on the version, the best possible model scores very well, badly, or perfectly.

# %% [markdown]
# ## The trade-off point
#
# We average each cell over the seeds. The point is the cell of a family with the smallest sum of two numbers. The first says how badly a cell does: $F$ sums the mean, the standard deviation and the 10th percentile of the error over the classes, and the same three of Kappa, which can be negative.
#
# The second says how far a cell is from the *hard corner*: the noisiest images, the most unseen classes and the smallest network. The distances $x_1, x_2, x_3$ in these three are scaled to [0, 1]. Weights $w_1, w_2, w_3$ say how much each of them counts. So Equation 3, as we rebuilt it, minimizes the following.
#
# $$F + w_1 x_1^2 + w_2 x_2^2 + w_3 x_3^2 .$$

# %%
chapter.show_maps(families, points[version])

# %%
table_of_points = chapter.point_table(families, weights)
at_first = places.query("version == @version").drop(columns="version")
coordinates = ["ssim", "zero_shot", "size"]
one, other = next(iter(families)), [*families][-1]

# %%
single_seeds = [
    (family, array.isel(seed=[i], missing_dims="ignore"))
    for family, array in families.items()
    for i in range(array.sizes.get("seed", 1))
]
by_seed = chapter.points_apart(single_seeds, method="minimax")
by_seed_weighted = chapter.points_apart(single_seeds, weights=weights)

# %%
readings = chapter.readings_of_error(families, points[version])
ends = readings.agg(["min", "max"], axis=1).query("min > 0")
apart_by = (ends["max"] / ends["min"]).max()
overlap = {
    form: "overlap" if chapter.sizes_overlap(table_of_points, form) else "do not overlap"
    for form in ("weighted", "minimax")
}

# %% tags=["ours"]
of_seeds = pd.concat(
    gx.tradeoff.tradeoff_points_by_seed(array, weights).assign(family=name) for name, array in families.items()
)
leads_by_seed = [chapter.ahead(at[["family", *coordinates]], cleaner) for _, at in of_seeds.groupby("seed")]
n_one, n_other = (sum(said.startswith(f"{name} are ahead") for said in leads_by_seed) for name in (one, other))
in_seeds = f"{one} are ahead in {n_one} of {n_repeated} single seeds, {other} in {n_other or 'none'}"

# %% [markdown]
# {eval}`f"With weights of {chapter.span(weights.values(), '{:g}')}, the intervals of the two points' sizes over the seeds {overlap['weighted']}. " if len(families) == 2 and n_repeated > 1 else ""`From seed to seed, the point of a family moves by up to {eval}`by_seed_weighted[0]` in {eval}`axis`, and its size by up to {eval}`by_seed_weighted[1]`.{eval}`"" if results else f" {in_seeds.capitalize()}{', so we would not rank by one seed' * (n_one < n_repeated)}."` The preprint says that it uses another form, without weights (Equation 4, [Table 1](#table-points)).{eval}`f" With it, the intervals of the two sizes {overlap['minimax']}{', so we would rank neither' * (overlap['minimax'] == 'overlap')}." if len(families) == 2 and n_repeated > 1 else ""`

# %%
unmoved = by_seed[0] == "0.00"
caption = (
    "The points with weights, and without (minimax, the form of Equation 4). As we rebuilt it, the second minimizes the largest of the three distances and *F*, which is scaled to [0, 1], too. Each interval "
    "holds the middle 95 % of the points of 2,000 sets of seeds, drawn with replacement. We did not measure how often "
    "it covers the point of another run. From seed to seed, the minimax point moves "
    f"{'not at all' if unmoved else f'by up to {by_seed[0]}'} in {axis}, but its size changes by up to {by_seed[1]}; from "
    f"one version of Kappa to another, its size changes by up to {by_version[1]}."
)
called = {"method": "form", "ZeroShot": "unseen classes"}
chapter.show_table(table_of_points, "points", caption, called, folded="What changes in the form without weights")

# %% [markdown]
# The weights are a choice, so we let all three grow together. With weights of 0, the smallest $F$ decides. With very large ones, the point is the {eval}`"cell nearest to the hard corner" if any(array.attrs['n_missing'] for array in families.values()) else "hard corner itself"`, whatever the networks are.

# %%
hardest = {
    name: [array[of].to_numpy()[at] for of, at in zip(coordinates, (0, -1, 0), strict=True)]
    for name, array in families.items()
}
tables = []
for name, array in families.items():
    table = chapter.weight_sensitivity(array)
    table["at_corner"] = (table[coordinates] == hardest[name]).all(axis=1)
    steps = table[coordinates].apply(lambda at, of=array: of.get_index(at.name).get_indexer(at)).add_prefix("step_")
    tables.append(table.join(steps).assign(family=name))
sensitivity = pd.concat(tables)

# %%
counted = [(weight, at) for weight, at in sensitivity.groupby("weight") if not at["at_corner"].any()]
leads = pd.Series(
    {weight: chapter.ahead(at[["family", *coordinates]], cleaner) for weight, at in counted}, dtype=object
).str.extract("(.*) are ahead of", expand=False)
far = pd.Series({weight: at.filter(like="step_").agg(np.ptp).max() > 1 for weight, at in counted}, dtype=bool)
n_leads, n_far = ([int((of == name).sum()) for name in (one, other)] for of in (leads, leads[far]))
followed = leads.dropna()
swaps = followed.index[followed.ne(followed.shift()) & followed.shift().notna()]
ahead_at = f"{one} are ahead at {n_leads[0] or 'none'}, {other} at {n_leads[1] or 'none'}"
by_far = f"By more than one measured step, {one} are ahead at {n_far[0] or 'none'}, {other} at {n_far[1] or 'none'}. "
in_caption = f"Of {len(leads)} weights without a point at the hard corner, {chapter.verbatim(ahead_at)}. "
in_caption += f"The lead changes at {chapter.together(map('{:.2g}'.format, swaps))}. " if len(swaps) else ""
chapter.show_weights(sensitivity, first, in_caption if len(families) == 2 else "")

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
# **Why.** With the scaled SSIM, the clean cell has $.2 + w$ and the noisy cell $.9 + 0$; they are equal at $w = .7$. With SSIM itself, they have $.2 + w$ and $.9 + .36 w$, and are equal at $w = .7 / .64 = 1.09$. The same weight means something different on a different scale,
# and the scale depends on the ends of the grid that somebody happened to choose.

# %% [markdown]
# ### A more useful question
#
# Say which error you accept, and ask how far you can go. The *tolerance box* (`gx.tradeoff.tolerance_box`) goes from the easiest cell (the cleanest images, the fewest unseen classes, the largest network) to some noise, some share of unseen classes and some size. We take the box with the most cells, all with a mean error that you accept. It ends at a measured level, so do not rank families that differ by one level.


# %%
def side(box, name, written):
    """Write how far a box goes along one side; brackets hold what resampled seeds give, if that differs."""
    at, low, high = (getattr(box, name + end) for end in ("", "_low", "_high"))
    return written(at) + f" [{written(low)}, {written(high)}]" * (low < high)


# %%
boxes = chapter.tolerance_boxes(families, tolerated * np.array([0.5, 1, 1.5, 2, 3]))
at_one = boxes[boxes["tolerated"] == tolerated]
first_order = chapter.ahead(at_one[["family", *coordinates]], cleaner)
reached = "; ".join(
    [
        f"the box of {box.family} reaches {axis} {side(box, 'ssim', '{:g}'.format)}, "
        f"{side(box, 'zero_shot', chapter.percent)} unseen classes and size {side(box, 'size', '{:,.0f}'.format)}"
        if box.size > 0
        else f"there is no box for {box.family}"
        for box in at_one.itertuples()
    ]
)

# %%
ends_there = at_one.set_index("family")[coordinates] == pd.DataFrame(hardest, index=coordinates).T
harder = {
    "ssim": "the noisiest images",
    "zero_shot": "the largest share of new classes",
    "size": "the smallest network",
}
limits = [f"{harder[name]} ({chapter.together(of.index[of])})" for name, of in ends_there.items() if of.any()]
limits = f"our measurements end at {chapter.together(limits)}. " if limits else ""
chapter.show_boxes(boxes, first, f"With an error of {tolerated:g}, {chapter.verbatim(limits)}" * bool(limits))

# %% tags=["ours"]
low, high = (boxes.pivot(index="tolerated", columns="family", values=f"size_{end}") for end in ("low", "high"))
together = low.max(axis=1) <= high.min(axis=1)  # the intervals of all families share a size
overlap_there = "overlap" if together[tolerated] else "do not overlap"
at_two = boxes[boxes["tolerated"] == 2 * tolerated]
second_order = chapter.ahead(at_two[["family", *coordinates]], cleaner)
if together[2 * tolerated]:
    second_order = "the intervals of the two sizes overlap, so we rank neither"

# %% [markdown] tags=["ours"]
# ## What can be reproduced
#
# Nobody can recompute the preprint's trade-off points without the authors' cells. Beside each point, it prints a *generalization bound*, the average of three mean errors: at the point's SSIM, at its share of unseen classes and at its size. A *diversity bound* averages Kappa.

# %% tags=["ours"]
chapter.check_published()
of_paper, of_article = chapter.published_bounds(), chapter.published_bounds("article")
both_read = pd.concat([of_paper, of_article])

# %% tags=["ours"]
change, in_article = chapter.changes(), chapter.changes("article").loc[("error_mean", "size", "CIFAR-100")]
cleaner_images, more_unseen = change.loc[("error_mean", "ssim")].sum(), change.loc[("error_mean", "zero_shot")].sum()
by_size = change.xs("size", level="dimension").drop("both families", level="family")
beyond = by_size.query("high <= right or low >= wrong")

# %% tags=["ours"]
shown = chapter.published_tradeoff("spread").iloc[0]
largest = np.sqrt(shown["kappa_mean"] * (1 - shown["kappa_mean"]))
assert shown["kappa_std"] > largest

# %% tags=["ours"]
choices = chapter.made("authors_choices")
searches = chapter.made("authors_searches")
at = choices.set_index("family")[["ssim", "zero_shot"]]
moved = at - at[choices["choice"].to_numpy() == "as in the code"].reindex(at.index)
kind = choices["choice"].mask(choices["option"] == "ten times as large", "ten times")
moved = moved.abs().groupby(kind.to_numpy()).max()
above = {}
for name in ("conflict_abs", "cohen"):
    array = gx.tradeoff.over_seeds(gx.tradeoff.to_array(digits.query("family == 'convolutions'"), kappa=name))
    above[name] = array[list(gx.tradeoff.STATISTICS)].to_array().sum("variable") > 2.2  # F


# %% tags=["ours"]
between = "{ssim:.2f} and {zero_shot:.2f}".format(**moved.loc["between levels"])
choice = {
    "weights": "the code's weights for ImageNet, or equal ones",
    "Kappa": "another version of Kappa",
    "ten times": "the same Kappa times ten",
    "scale": "another scale",
}
of_choice = moved.loc[[*choice]].rename(choice)
farthest = of_choice.max()

# %% [markdown] tags=["ours"]
# The printed bounds agree with what we read off the figures of both papers, {eval}`"within" if (both_read["difference"].abs() <= both_read["reading_error"] + 0.0005).all() else "but not always within"` our reading errors. Preprint and article, both without intervals, disagree about which family has the larger generalization bound.
#
# The article's code fills in what the text leaves open, such as scales and weights. On our digits, one such choice moves the point by up to {eval}`f"{farthest.ssim:.2f}"` in SSIM, or by up to {eval}`f"{100 * farthest['zero_shot']:.0f}"` percentage points in the share of unseen classes.
#
# <details><summary>What changes in the journal's version, what we can confirm, and a factor of ten in the preprint</summary>
#
# **Which code belongs to which tables?** The README of the older code (September 2024) has the preprint's Table 3, so we call it the preprint's code and assume that it made the preprint's tables. The README of the newer code (January 2025) has the article's table. We found no measurements behind the tables. The preprint augments the photographs in case its pretrained networks had seen them, but does not show that this is enough. We read the preprint's Figure 2 off a picture on GitHub.
#
# **Choices of the article's code.** We start from its scales and its weights for CIFAR-100, with *conflict* as Kappa, and change one choice at a time. The table says how far each moves the point of convolutions or perceptrons at most.
#
# | choice | SSIM | unseen classes |
# |-|-|-|
# | {eval}`of_choice.index[0]` | {eval}`f"{of_choice.iloc[0, 0]:.2f}"` | {eval}`chapter.percent(of_choice.iloc[0, 1])` |
# | {eval}`of_choice.index[1]` | {eval}`f"{of_choice.iloc[1, 0]:.2f}"` | {eval}`chapter.percent(of_choice.iloc[1, 1])` |
# | {eval}`of_choice.index[2]` | {eval}`f"{of_choice.iloc[2, 0]:.2f}"` | {eval}`chapter.percent(of_choice.iloc[2, 1])` |
# | {eval}`of_choice.index[3]` | {eval}`f"{of_choice.iloc[3, 0]:.2f}"` | {eval}`chapter.percent(of_choice.iloc[3, 1])` |
#
# We solve every variant exactly (`data/runs/authors_point.py`). If the point has to stay on the measured levels, it moves by up to {eval}`between`. Between levels, the article's code cuts the grid into tetrahedra and interpolates in each, and its cut depends on the order of the cells. We interpolate along each axis.
#
# The preprint names GEKKO as its solver, but both versions of the code call SLSQP. When we ran GEKKO once on our digits, both solvers found the same optima (`docs/accuracy.md`).
#
# But the preprint's code adds randomness. It uses neither form: it minimizes $F$ alone, tightens limits on noise, unseen classes and size in random steps without a seed, and stops when $F$ exceeds 2.2.
#
# With *unsigned conflict*, its own Kappa, $F$ exceeds 2.2 in {eval}`int(above["conflict_abs"].sum()) or "none"` of the {eval}`above["cohen"].size` cells of our convolutions. So we ran this search fifteen times with *disagreement*, under which $F$ exceeds 2.2 in {eval}`int(above["cohen"].sum())` cells. The runs end at SSIM {eval}`chapter.span(searches["ssim"], "{:.2f}")`, with shares of unseen classes of {eval}`chapter.span(searches["zero_shot"], "{:.2f}")` and {eval}`chapter.span(searches["size"], "{:,.0f}")` weights. So a single run would not justify three digits, which is what the preprint prints. We cannot say how much the authors' own runs varied.
#
# **Where the bounds come from.** In the preprint's Figure 2, stars mark the point on the curves of errors and Kappas. We read them off this figure, and off the figure that came with the article's code. Their means differ from the preprint's {eval}`len(of_paper)` bounds by up to {eval}`f"{of_paper['difference'].abs().max():.4f}"` and from the article's by up to {eval}`f"{of_article['difference'].abs().max():.4f}"`. `data/run_cifar100.py` measures the cells of one family again, on a graphics card.
#
# At the trade-off point, the preprint reads the mean error and the mean Kappa along each of the three dimensions (Eq. 5), and expects the three readings to be equal. But a reading along one axis averages over the other two. On our digits, three readings of an error differ by a factor of up to {eval}`f"{apart_by:.1f}"`. So always name the axis with a reading.
#
# **Trends.** The preprint says that CLIP and EfficientNet show similar trends along SSIM and unseen classes, but opposite trends along size. From the dots of its Figure 2, we can confirm the first, but not the second.
#
# Cleaner images lower the errors in {eval}`int(cleaner_images.falls)` of {eval}`int(cleaner_images.pairs)` pairs of levels. More unseen classes raise them in {eval}`int(more_unseen.rises)` of {eval}`int(more_unseen.pairs)` pairs and lower them in {eval}`int(more_unseen.falls)`; in the others, the change is within our reading errors. Along size, {eval}`"none" if beyond.empty else f"only {len(beyond)}"` of the {eval}`len(by_size)` curves (error and Kappa) can be told from a random order, so we cannot confirm opposite trends. In the article's figure, on CIFAR-100, larger networks of CLIP err more in {eval}`int(in_article.rises["CLIP"])` of {eval}`int(in_article.pairs["CLIP"])` pairs, and those of EfficientNet err less in {eval}`int(in_article.falls["EfficientNet"])` of {eval}`int(in_article.pairs["EfficientNet"])`{eval}`"; pairs share networks, so chance could also explain both counts" if ((in_article["low"] < in_article["wrong"]) & (in_article["high"] > in_article["right"])).all() else ""`.
#
# **A factor of ten in the preprint's Figure 2.** In the preprint, Kappa varies more on CIFAR-100 than on ImageNet. We can test one number in its Figure 2 (j), which shows EfficientNet on CIFAR-100. The values of *unsigned conflict* lie between 0 and 1, so values with mean $\mu$ have a standard deviation of at most $\sqrt{\mu (1 - \mu)}$ (Bhatia and Davis, 2000). At SSIM 0.85 we read off a mean of {eval}`f"{shown.kappa_mean:.3f}"` and a standard deviation of {eval}`f"{shown.kappa_std:.3f}"`. With this mean, at most {eval}`f"{largest:.3f}"` is possible. The preprint's code explains why: it multiplies this Kappa by ten before it averages. So part of the variation is a matter of scale.
#
# The diversity bound of this family, 0.139, is a mean of readings from the same curves. If this code made the figure, the bound is also ten times too large. We do not know whether CLIP's Kappa was multiplied, too. If it was not, the difference between the two bounds on CIFAR-100 mixes two scales. (The limit does not hold for *conflict*, which can be negative.)
#
# </details>

# %% [markdown] tags=["exercise"]
# ### Exercise 3: Multiplied by what?
#
# *Application · 10 minutes.* For a share between 0 and 1, a paper reports a mean of .2 and a standard deviation of .5. Somebody may have multiplied the values before averaging (as for the preprint's Figure 2, see the fold above). What is the smallest factor that makes
# this possible? Assign it to `answer_3`, to two decimals.

# %% tags=["solution"]
factors = np.linspace(1, 3, 2001)
answer_3 = next(f for f in factors if chapter.largest_deviation(0.2, 0, f) >= 0.5)

# %% tags=["check"]
gx.check("07-3", answer_3)

# %% [markdown] tags=["explanation"]
# **Why.** Values in $[0, f]$ with mean $\mu$ have a standard deviation of at most $\sqrt{(f - \mu) \mu}$, which a mix of zeros and $f$s reaches. $\sqrt{(f - .2) \cdot .2} = .5$ gives $f = .25 / .2 + .2 = 1.45$. A bound can show that a scale is wrong. It cannot show which one is right, because every larger factor is possible, too.

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
# *Project · 40 minutes.* Take the cells of our convolutions (`gx.datasets.load_tradeoff_cells()`). Find the trade-off point of each of the ten seeds, all weights 1, with Kappa as *conflict* and as *disagreement* (`kappa="cohen"`). For
# how many seeds do the two points differ in SSIM? Assign the number to `answer_4`. Then go on: how does a family of your own compare?

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
# **Why.** In seven of ten seeds the two points differ. With these seeds, *disagreement* chooses the cleaner images, because it grows with the error, and noise causes errors. *conflict* is below zero where the model is sure of itself, rightly or wrongly. In most of these seeds the version moves the point by .1. Within one version, the ten points of these convolutions also differ by at most .1.

# %% [markdown] tags=["findings"]
# - **Does one family of networks generalize better?** {eval}`"With" if results else "On handwritten digits, with"` {eval}`chapter.shown_share(difference)` of the classes new to the network, the order of the families {eval}`chapter.order(difference)`. On the cleanest images, {eval}`chapter.errs_less(difference, "cleanest")`. On the noisiest, {eval}`chapter.errs_less(difference, "noisiest")`.{eval}`"" if results else " On photographs, with other families, no order clearly changes."` *A family is one kind of network in several sizes.{eval}`" An error of 0.1 is one image in ten." if error == "error_rate" else ""`{eval}`f" 95 % intervals of the differences, over {n_repeated} seeds (repetitions): {at_ends}." if at_ends else ""`{eval}`"" if results or not only_here else " With other shares of new classes, the order on the noisiest images is unclear."`*
# - **Can the trade-off point rank them?** Only together with its settings. The point is a family's best compromise between few errors and noisy images, new classes and a small network; weights say how much the last three count. With weights of {eval}`chapter.span(weights.values(), "{:g}")`, {eval}`chapter.ahead(at_first, cleaner)`.{eval}`f" Over {len(leads)} weights, all three equal, {ahead_at}, and neither at {len(leads) - sum(n_leads) or 'none'}." if len(families) == 2 else ""` *{eval}`"Sizes within 10 % count as equal. " if len(families) == 2 else ""`{eval}`f"From seed to seed, a point moves by up to {by_seed_weighted[0]} in {axis}." if results else f"{by_far}In single seeds, neither is ahead in {n_repeated - n_one - n_other or 'none'} of {n_repeated}."`*
# - **What should you report, or ask for as a reviewer?** An error that you accept, and how far each family stays below it. With a mean error of {eval}`f"{tolerated:g}"`, {eval}`first_order`.{eval}`"" if results else f" With an error of {2 * tolerated:g}, {second_order}."` *{eval}`"" if len(families) == 2 else f"{reached[0].upper()}{reached[1:]}. "`{eval}`"" if results else f"With {tolerated:g}, {'they' if together[2 * tolerated] else 'the intervals of the two sizes'} {overlap_there}. "`{eval}`f"There, {chapter.together(ends_there.index[ends_there.any(axis=1)])} might go further than we measured. " if limits else ""`Intervals show what changes when seeds are drawn again.*

# %% [markdown]
# ## Summary
#
# 1. Compare families seed by seed, with the noise and the new classes of your application. If their order changes with the noise, a single number ranks them only for the settings behind it.
# 2. Name an error that you accept, and report how far each family stays below it, with intervals.
# 3. Report a trade-off point only with its form, weights, scales and version of Kappa, and how far it moves from seed to seed.

# %%
moved = {"weights": chapter.spread(sensitivity), "seeds": float(by_seed_weighted[0])}
moved |= {"versions of Kappa": chapter.spread(places)} if len(arrays) > 1 else {}
chapter.keep_key_numbers(difference, at_first, at_one, axis, moved, apart_by)

# %% [markdown]
# ## Further reading
#
# - [Radford et al., 2021](https://proceedings.mlr.press/v139/radford21a.html): CLIP, and probes like ours.
# - [Goodfellow et al., 2015](https://arxiv.org/abs/1412.6572): noise that is made to mislead a network.
# - [Notebook 15](15_complexity_measures.ipynb): could theory have predicted which sizes err less?
