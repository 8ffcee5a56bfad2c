# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Can theory predict which network errs less?
#
# *Executable companion to* A practical generalization metric for deep networks benchmarking.
#
# You have a small network and a large one, and want to know which of them will make fewer errors on new images. Learning theory offers *complexity measures*, which you compute from a trained network and its training data alone. One of them is the number of weights: the more weights, says theory, the more errors the network may make on new data.
#
# The *paper*, a preprint of 2024, tests 23 such measures on pretrained networks, and concludes that most measures do not agree with the errors it measured. Here, you will test such measures on networks of our own. You will also ask how often a measure would be right by chance.
#
# Our text of the paper lacks the formulas, so we rebuilt Equations 6 and 7 from its sentences and from the authors' code. Compare them with the paper before you rely on them.
#
# **You will learn** what a complexity measure is, how the sign-error judges it, and which sign-errors chance could explain.
#
# **You need** to know what a neural network and a significance level are.
#
# **Time** 7 minutes to read, 57 with the exercises.

# %% [markdown]
# ## Parameters

# %% tags=["parameters"]
results: str = ""  # file (CSV, parquet, Excel) with cells of your own models; empty: this project's runs on digits
measures: str = ""  # file with complexity measures of your models; empty: their size alone, or those of our runs
error: str = "error_rate"  # column of the error: error_rate, or gap (test minus training)
noise: str = "ssim"  # column of the noise
cleaner: str = "high"  # whether high or low values of it mean little noise

# %% [markdown]
# ## The networks and their errors

# %%
import numpy as np
import pandas as pd

import genexpy_nb as gx
from genexpy_nb.chapters import tradeoff as chapter

gx.plots.use_style()
cells = gx.datasets.load_tradeoff_cells(results)

# %% [markdown]
# The networks of this page are {eval}`"your own" if results else "this project's own"`, except where the text is about the paper.

# %% [markdown] tags=["ours"]
# [Notebook 07](07_tradeoff_point.ipynb#the-testbed) describes our networks: two families, *perceptrons* and *convolutions*, of eight sizes each. We trained each network on five of the ten digits, then froze it, and trained a classifier on the values of its last hidden layer. The classifier also learned up to five *unseen* digits, which the network had never met. We did all this with ten *seeds*.

# %% [markdown]
# As in the paper, we look at two kinds of test images. *Clean images* have no noise, and their error is a mean over shares of unseen classes. *Noisy images* show seen classes, and their error is a mean over levels of noise, from none to the strongest (Eq. 6). Errors vary from seed to seed, so we average over the seeds, too.

# %%
families = {
    name: gx.tradeoff.to_array(part, error, kappa=error, missing="drop", noise=noise, cleaner=cleaner)  # no Kappa
    for name, part in cells.groupby("family", sort=False, observed=True)
}
measured = chapter.errors_by_size(families)
kinds = {"ssim": "clean images", "zero_shot": "noisy images"}
ends = measured.groupby(["family", "slice", "size"], sort=False)["estimate"].mean()
ends = ends.groupby(["family", "slice"], sort=False).agg(["first", "last"]).rename(index=kinds)
caption = "The table shows the mean error of the smallest and of the largest network of each family."
called = {"slice": "test images", "first": "smallest network", "last": "largest network"}
chapter.show_table(ends, "ends", caption, called, dict.fromkeys(("first", "last"), 3))

# %% [markdown]
# ## The measures and the sign-error
#
# The paper applies 23 measures and names only their sources. For our own networks we compute all {eval}`len(gx.tradeoff.MEASURES)` that Dziugaite et al. (2020) study, and take the median over the seeds. Their short names are made of these parts (`gx.tradeoff.MEASURES` has the formulas):

# %% [markdown]
# | in a name | what it means |
# |---|---|
# | *l2* | the length of the vector of all weights |
# | *param norm* | the square of this length |
# | *fro* | the sum of the squared weights of a layer |
# | *spec* | how far the weights of a layer, as a matrix, can stretch a vector (squared) |
# | *prod* | the product over the layers |
# | *sum* | the geometric mean over the layers, times their number |
# | *dist* | weights are measured from where training began |
# | *init* | the same as *dist* |
# | *orig* | weights are measured from 0 |
# | *margin* | how clearly the network decides on its training data; the measure divides by the square of this number |
# | *main* | the main term of a bound on the error, made of *spec*, *fro* and *margin* |
# | *path norm* | the squared weights along each path through the network, multiplied, then added up over all paths |
# | *pacbayes* | how little random change the weights bear before the network errs more on its training data |
# | *flatness* | *pacbayes* without *init* or *orig* |
# | *mag* | the random change is proportional to each weight |

# %%
theory = chapter.measures_of(cells, measures, own=bool(results))
theory = theory[theory["family"].isin(measured["family"])]

# %% [markdown]
# Take two networks of one family that differ in size. A measure is right about this pair if the network with the larger value also makes more errors. The share of pairs on which the measure is wrong is its [sign-error](../docs/vocabulary.md) (Eq. 7). The sign-error is 0 if the measure is always right, and 1 if it is always wrong.
#
# ## Which sign-errors could be chance?
#
# The paper counts sign-errors above one half. But with a handful of sizes, a measure that knows nothing can have nearly any sign-error. For such a measure, all orders of the sizes are equally likely, so we can count which sign-errors chance produces.

# %%
sizes = [4, 5, 6, 8, 13]
baseline = chapter.changes().loc[("error_mean", "size")].xs("both families", level="family")
signs = baseline[["low", "high"]].map("{:.2f}".format)
null = gx.tradeoff.null_band(13)
chance = ((baseline["low"] < baseline["wrong"]) & (baseline["high"] > baseline["right"])).all()
bands = pd.DataFrame(map(gx.tradeoff.null_band, sizes), pd.Index(sizes, name="sizes"), ["at most", "or at least"])
bands["share of orders"] = [gx.tradeoff.signerror.chance_beyond(n) for n in sizes]
caption = (
    "A sign-error differs from chance (two-sided level 5 %) if it is at most the first limit or at least the second. "
    "The last column shows the share of all orders that reach a limit."
)
forms = {"at most": 3, "or at least": 3, "share of orders": lambda share: f"{100 * share:.2f} %"}
chapter.show_table(bands, "bands", caption, forms=forms)

# %% [markdown]
# With four sizes, no sign-error differs from chance. The paper tests two families, five sizes of CLIP and eight of EfficientNet. It does not say whether it compares sizes within a family or pools all 13. With five sizes, only 0 and 1 differ from chance.
#
# How does the simplest measure, the number of weights, do on the paper's own errors? We read the mean errors of the 13 networks off its Figure 2, where some pairs are unclear. If all unclear pairs are right, the sign-error is {eval}`signs["low"]["ImageNet"]` on ImageNet and {eval}`signs["low"]["CIFAR-100"]` on CIFAR-100. If all are wrong, it is {eval}`signs["high"]["ImageNet"]` and {eval}`signs["high"]["CIFAR-100"]`.{eval}`f" With 13 sizes, chance could explain sign-errors between {null[0]:.2f} and {null[1]:.2f}, so both may be chance." if chance else ""`
#
# Moreover, all measures that grow with the size put the sizes into the same order. If all 23 grew with it, their sign-errors above one half would be one finding.

# %% [markdown] tags=["exercise"]
# ### Exercise 1: Ten sizes
#
# *Application · 5 minutes.* How small must a sign-error be to differ from chance with ten sizes, at the two-sided level 5 %? Assign the largest value that differs
# from chance to `answer_1`, to three decimals.

# %% tags=["solution"]
answer_1 = gx.tradeoff.null_band(10)[0]

# %% tags=["check"]
gx.check("15-1", answer_1)

# %% [markdown] tags=["explanation"]
# **Why.** Ten sizes have 45 pairs. In just below 2.5 % of all orders, at most 11 pairs are the wrong way round, so 11/45 = .244 is the lower limit. With more sizes, the limits slowly approach one half: a sign-error of .3 may be chance with ten sizes, but not with sixteen.

# %% [markdown]
# ## Which measures agree with the errors?
#
# [Figure 1](#figure-sign-errors) compares the sign-error of each measure with chance. A measure *agrees* with the errors if its sign-error is at most the first limit of chance. It *contradicts* them if its sign-error is at least the second.

# %% tags=["hero"]
averaged = chapter.averaged_sign_errors(theory, measured)
chapter.show_sign_errors(averaged)

# %%
counted = chapter.count_verdicts(averaged)
total = counted.sum()
clean = averaged[averaged["slice"] == "ssim"].groupby("measure")["sign_error"].agg(["min", "max"])
falls, shrinks = clean["min"].get("number of weights") == 1, clean["max"].get("path norm") == 0
expected = averaged.drop_duplicates(["family", "slice", "group"])["by_chance"].sum()
caption = (
    "Measures that put the sizes of a family into the same order count as one. The table counts these orders over all "
    "families, and says how many have a sign-error above 1/2, agree with the errors, contradict them or may be chance."
)
called = {"slice": "test images", "measures": "orders", "above 1/2": "> 1/2", "right": "agree"}
called |= {"reversed": "contradict", "like chance": "may be chance"}
chapter.show_table(counted.groupby("slice", sort=False).sum().rename(index=kinds), "counts", caption, called)

# %% [markdown]
# From {eval}`chapter.how_many(theory["measure"].nunique(), "measure")` we get {eval}`chapter.orders_of(counted)`. If the measures knew nothing, we would expect {eval}`f"{expected:.1f}"` of the {eval}`int(total["measures"])` comparisons to agree or contradict. We found {eval}`int(total["right"] + total["reversed"])`. (A single study can find many by chance, because its comparisons depend on each other.) Counted as in the paper, {eval}`int(total["above 1/2"])` of the {eval}`int(total["measures"])` sign-errors are above one half.
#
# On clean images, these measures agree with the errors in all families: {eval}`chapter.agreed(averaged, "right")`. These measures contradict the errors: {eval}`chapter.agreed(averaged, "reversed")`.{eval}`" Here, larger networks make fewer errors. So any measure that grows with the size contradicts the errors, and any measure that shrinks agrees with them, whatever else it measures." if falls else ""`{eval}`" The path norm shrinks." if falls and shrinks else ""`

# %% tags=["ours"]
by_slice = averaged.drop_duplicates(["family", "slice", "group"]).groupby("slice")["sign_error"].mean()

# %% [markdown] tags=["ours"]
# The paper says that its measures do better where unseen classes vary (ZeroShot, our clean images) than where noise varies (SSIM, our noisy images). On digits, the mean sign-error of all orders is {eval}`f"{by_slice['ssim']:.2f}"` on clean images and {eval}`f"{by_slice['zero_shot']:.2f}"` on noisy ones (we computed no intervals). So we see no such advantage.
#
# We repeated the comparison on photographs (CIFAR-10), with two families of convolutions in six sizes.

# %% tags=["ours"]
photographs = chapter.made("cifar10_signs").set_index("slice")
total_cifar = photographs.sum()
caption = (
    "The table counts the orders on photographs. Each order counts once for frozen and once for fine-tuned networks, "
    "and on noisy images also once for each of three kinds of noise."
)
shown = photographs.drop(columns="by_chance").rename(index=kinds)
chapter.show_table(shown, "photographs", caption, called)

# %% [markdown] tags=["ours"]
# If the measures knew nothing, we would expect {eval}`f"{total_cifar['by_chance']:.1f}"` of the {eval}`f"{total_cifar['measures']:.0f}"` comparisons to agree or contradict. We found {eval}`f"{total_cifar['right'] + total_cifar['reversed']:.0f}"`.

# %% [markdown] tags=["exercise"]
# ### Exercise 2: Three measures of size
#
# *Understanding · 5 minutes.* A family has eight sizes, and each network errs less than all smaller ones. What are the sign-errors of three measures: the logarithm of the number of weights; 1 divided by the number of weights; and
# the number of weights, if somebody has swapped its two smallest values? Assign the list of the three numbers to `answer_2`, to two decimals.

# %% tags=["solution"]
n_pairs = 8 * 7 / 2
answer_2 = [n_pairs / n_pairs, 0 / n_pairs, (n_pairs - 1) / n_pairs]

# %% tags=["check"]
gx.check("15-2", answer_2)

# %% [markdown] tags=["explanation"]
# **Why.** The logarithm grows with the size and the error falls, so all 28 pairs are wrong. The second measure shrinks, so all pairs are right. It knows no more about the networks than the first: a sign-error of 0 does not say why a measure is right. The swap reverses one of the 28 pairs, and 27/28 = .96.

# %% [markdown] tags=["ours"]
# ## Your own models
#
# Save the measures of your networks to a file with a row for each network: its `size`, its measures under the names in `gx.tradeoff.MEASURES`, and `family` and `seed` if you have several. Save their errors as [notebook 07](07_tradeoff_point.ipynb#your-own-models) says. Then render this page on both: `genexpy-nb --root CHECKOUT render measures -p results=mine.parquet -p measures=measures.parquet -o mine`, where CHECKOUT is the folder of this project. [Your own torch networks](../docs/tradeoff_torch.md) makes both files from a folder of images.

# %% [markdown] tags=["exercise"]
# ### Exercise 3: Seed by seed
#
# *Project · 40 minutes.* The page averages over seeds. Take the errors and measures of the convolutions instead (`gx.datasets.load_tradeoff_cells()` and `gx.datasets.load_tradeoff_measures()`), and compute the sign-error of the path norm in each of the ten seeds, against the mean error on clean images.
# In how many seeds is the sign-error at or below the lower limit of chance? Assign the number to `answer_3`. Then go on: which measures agree with the errors in more seeds than the path norm? And what do your own networks say?

# %% tags=["solution"]
bundled = gx.datasets.load_tradeoff_cells().query("family == 'convolutions' and ssim == 1")
errors = bundled.groupby(["seed", "size"])["error_rate"].mean().unstack().to_numpy()
networks = gx.datasets.load_tradeoff_measures().query("family == 'convolutions'")
norms = networks.pivot(index="seed", columns="size", values="path_norm").to_numpy()
one, other = np.triu_indices(8, 1)
wrong = (norms[:, one] > norms[:, other]) != (errors[:, one] > errors[:, other])
answer_3 = int((wrong.mean(axis=1) <= gx.tradeoff.null_band(8)[0]).sum())

# %% tags=["check"]
gx.check("15-3", answer_3)

# %% [markdown] tags=["explanation"]
# **Why.** In seven of ten seeds, the path norm agrees with the errors; in the other three, its sign-error may be chance. Averaged over seeds, its sign-error is 0: the mean of ten seeds is less noisy than a seed. So say whether you ordered single networks or means.

# %% [markdown] tags=["findings"]
# - **Do such measures tell which network errs less?** {eval}`("Rarely. " if results else "Rarely on digits. ") if total["right"] < total["measures"] / 4 else ""`A measure puts networks of {eval}`chapter.span((array.sizes["size"] for array in families.values()), "{:.0f}")` sizes into an order. We compared this order with the order of their errors on new images. {eval}`chapter.verdicts_of(counted)`.{eval}`"" if results else f" On photographs, {total_cifar['right']:.0f} of {total_cifar['measures']:.0f} comparisons agree and {total_cifar['reversed']:.0f} contradict."` *From {eval}`chapter.how_many(theory["measure"].nunique(), "measure")` we get {eval}`chapter.orders_of(counted)`. We tested each order at the level 5 %, on clean and on noisy images. If the measures knew nothing, we would expect {eval}`f"{expected:.1f}"` of these {eval}`int(total["measures"])` comparisons to agree or contradict. We found {eval}`int(total["right"] + total["reversed"])`.{eval}`"" if results else f" On photographs (CIFAR-10), we would expect {total_cifar['by_chance']:.1f} and found {total_cifar['right'] + total_cifar['reversed']:.0f}."`*
# - **Which measures are right?** On clean images, these measures agree with the errors in all families: {eval}`chapter.agreed(averaged, "right")`. These measures contradict the errors: {eval}`chapter.agreed(averaged, "reversed")`.{eval}`" Here, larger networks make fewer errors. So measures that grow with the size contradict the errors on clean images, whatever else they measure." if falls else ""` *Figure 1 shows all measures. We took mean errors and median measures over the seeds.*
# - **Does a measure fail if it is wrong about most pairs of networks?** Not by itself, although the paper counts such measures. A measure that knows nothing is wrong about most pairs as often as it is right about most. The *sign-error* is the share of pairs that a measure puts into the wrong order. With eight sizes, it differs from chance if it is at most {eval}`f"{gx.tradeoff.null_band(8)[0]:.2f}"` or at least {eval}`f"{gx.tradeoff.null_band(8)[1]:.2f}"`. With five sizes, only 0 and 1 differ from chance. *The level is 5 %, two-sided. By chance, all orders of the sizes are equally likely.*

# %% [markdown]
# ## Summary
#
# - With few sizes, most sign-errors cannot be told from chance. Compare with chance, not with one half.
# - Measures that put the sizes into the same order count as one.
# - A measure can agree with the errors because of the size alone.

# %%
chapter.keep_sign_numbers(total)

# %% [markdown]
# ## Further reading
#
# - [Notebook 07](07_tradeoff_point.ipynb): the networks of this page, and the paper's trade-off point.
# - [Jiang et al., 2020, *Fantastic Generalization Measures and Where to Find Them*](https://openreview.net/forum?id=SJgIPJBFvH): more than forty complexity measures, compared on more than 10,000 networks.
# - [Dziugaite et al., 2020, *In Search of Robust Measures of Generalization*](https://proceedings.neurips.cc/paper/2020/hash/86d7c8a08b4aaa1bc7c599473f5dddda-Abstract.html): the sign-error, and how averages over models hide where a measure fails.
