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
# You have a small network and a large one, and want to know which of them will make fewer errors on new images. Learning theory offers *complexity measures*, which you compute from a trained network and its training data alone. One of them is the number of weights. According to theory, the larger a measure is, the larger the *gap* may be. The gap is how many more errors the network makes on new data than on its training data.
#
# The *paper*, a preprint of 2024, tests 23 such measures on pretrained networks, and concludes that most measures do not agree with the errors it measured. You will test such measures on networks of our own.
#
# Our text of the paper lacks Equations 6 and 7. We rebuilt them from its wording and the authors' code, so compare them with the paper before you rely on them.
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
columns = [error, *(name for name in ("error_rate", "gap") if name in cells and name != error)]

# %% [markdown]
# {eval}`"The networks of this page are your own, except where the text is about the paper." if results else ""`

# %% [markdown] tags=["ours"]
# [Notebook 07](07_tradeoff_point.ipynb#the-testbed) describes our networks: two families, *perceptrons* and *convolutions*, of eight sizes each. We trained each network on five of the ten digits, then froze it, and trained a classifier on the values of its last hidden layer. The classifier also learned none to five *unseen* digits, which the network had never met. We did all this with ten *seeds*.

# %% [markdown]
# As in the paper, we look at two kinds of test images. *Clean images* have no noise, and a share of their classes is unseen. Their error is a mean over these shares ({eval}`chapter.span(cells["zero_shot"])`). *Noisy images* show seen classes, and their error is a mean over levels of noise, from none to the strongest (Eq. 6). Errors vary from seed to seed, so we average over the seeds, too. {eval}`"Here, an error is the gap." if error == "gap" else "Theory is about the gap, but like the paper, we compare the measures with the error itself."`{eval}`" We then repeat this with the gap." if "gap" in columns[1:] else ""`

# %%
arrays = {
    column: {
        name: gx.tradeoff.to_array(part, column, kappa=column, missing="drop", noise=noise, cleaner=cleaner)  # no Kappa
        for name, part in cells.groupby("family", sort=False, observed=True)
    }
    for column in columns
}
families = arrays[error]
measured = {column: chapter.errors_by_size(of) for column, of in arrays.items()}

# %%
words = {"error_rate": "error", "gap": "gap"}
kinds = {"ssim": "clean", "zero_shot": "noisy"}
of_seeds = measured[error].groupby(["family", "slice", "seed"], sort=False)["estimate"].agg(["first", "last"])
of_seeds["difference"] = of_seeds["first"] - of_seeds["last"]
per_kind = of_seeds.groupby(["family", "slice"], sort=False)
ends = per_kind.mean().assign(se=per_kind["difference"].sem()).rename(index=kinds)
caption = "The table shows the mean error of the smallest and of the largest network of each family."
called = {"slice": "test images", "first": "smallest network", "last": "largest network"}
chapter.show_table(ends[["first", "last"]], "ends", caption, called, dict.fromkeys(("first", "last"), 3))
level = ends[ends["difference"].abs() < 2 * ends["se"]]
where = {
    images: chapter.together([f"by {abs(by):.3f} ± {se:.3f} for {name}" for (name, _), _, _, by, se in of.itertuples()])
    for images, of in level.groupby("slice", sort=False)
}

# %% [markdown]
# {eval}`"".join(f"On {images} images, the smallest and the largest network differ by less than two standard errors over the seeds: {each} (± one standard error). " for images, each in where.items())`{eval}`"Where errors hardly differ, we cannot tell whether a measure is right or wrong." if where else ""`

# %% [markdown]
# ## The measures and the sign-error
#
# The paper applies 23 measures and names only their sources. For our own networks we compute all {eval}`len(gx.tradeoff.MEASURES)` that Dziugaite et al. (2020) study, and take the median over the seeds. `gx.tradeoff.MEASURES` has the formulas.

# %% [markdown]
# <details><summary>What do the names of the measures mean?</summary>
#
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
# | *main* | the main term of an upper limit for the gap, made of *spec*, *fro* and *margin* |
# | *path norm* | the squared weights along each path through the network, multiplied, then added up over all paths |
# | *pacbayes* | how little random change the weights bear before the network errs more on its training data |
# | *flatness* | *pacbayes* without *init* or *orig* |
# | *mag* | the random change is proportional to each weight |
#
# </details>

# %%
theory = chapter.measures_of(cells, measures, own=bool(results))
compared = {
    column: chapter.averaged_sign_errors(theory[theory["family"].isin(of["family"])], of)
    for column, of in measured.items()
}
averaged = compared[error]

# %% [markdown]
# Take two networks of one family that differ in size. A measure is right about this pair if the network with the larger value also makes more errors. The share of pairs on which the measure is wrong is its [sign-error](../docs/vocabulary.md#sign-error) (Eq. 7). The sign-error is 0 if the measure is always right, and 1 if it is always wrong.
#
# ## Which sign-errors could be chance?
#
# The paper counts sign-errors above one half. But with a handful of sizes, a measure that knows nothing can have nearly any sign-error. For such a measure, all orders of the sizes are equally likely, so we can count which sign-errors chance produces.

# %%
sizes = [4, 5, 6, 8, 13]
baseline = chapter.changes().loc[("error_mean", "size")].xs("both families", level="family")
signs = {row.Index: chapter.span((row.low, row.high)) for row in baseline.itertuples()}
null = gx.tradeoff.null_band(13)
inside = (baseline["low"] > baseline["right"]) & (baseline["high"] < baseline["wrong"])
readings = inside.map({True: "all readings", False: "only some"})
bands = pd.DataFrame(map(gx.tradeoff.null_band, sizes), pd.Index(sizes, name="sizes"), ["at most", "or at least"])
bands["share of orders"] = [gx.tradeoff.signerror.chance_beyond(n) for n in sizes]
caption = (
    "A sign-error differs from chance (two-sided level 5 %) if it is at most the lower limit or at least the upper one. "
    "The last column shows the share of all orders that reach a limit."
)
forms = {"at most": 3, "or at least": 3, "share of orders": lambda share: f"{100 * share:.2f} %"}
chapter.show_table(bands, "bands", caption, forms=forms)

# %% [markdown]
# With four sizes, no sign-error differs from chance; with five, only 0 and 1 do. The paper tests two families of image networks: five sizes of CLIP and eight of EfficientNet. It does not say whether it compares sizes within a family or pools all 13.
#
# How does the number of weights do on the paper's own errors? We read the mean errors of all 13 networks off its Figure 2. The figure averages over all levels of noise and shares of unseen classes, not over the two kinds of images by which the paper judges, so this is only an indication. The figure does not show the order of some pairs, so we can only give a range for the sign-error: {eval}`signs["ImageNet"]` on the images of ImageNet and {eval}`signs["CIFAR-100"]` on those of CIFAR-100. With 13 sizes, chance could explain sign-errors between {eval}`f"{null[0]:.2f} and {null[1]:.2f}"`. That covers {eval}`readings["ImageNet"]` on ImageNet, but {eval}`readings["CIFAR-100"]` on CIFAR-100.
#
# All measures that grow with the size give the same order. If all 23 measures in the paper grew with the size, their sign-errors above one half would be a single finding.

# %% [markdown] tags=["exercise"]
# ### Exercise 1: Ten sizes
#
# *Application · 5 minutes.* How small must a sign-error be to differ from chance with ten sizes, in a two-sided test at the 5 % level? Assign the largest value that differs
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
# [Figure 1](#figure-sign-errors) compares the sign-error of each measure with chance. A measure *agrees* with the errors if its sign-error is at most the lower limit in [the table above](#table-bands). It *contradicts* them if its sign-error is at least the upper limit.

# %% tags=["hero"]
chapter.show_sign_errors(averaged)

# %%
counted = chapter.count_verdicts(averaged)
total = counted.sum()
counts = {column: chapter.count_verdicts(of).groupby("slice", sort=False).sum() for column, of in compared.items()}
clean = averaged[averaged["slice"] == "ssim"].groupby("measure")["sign_error"].agg(["min", "max"])
falls, shrinks = clean["min"].get("number of weights") == 1, clean["max"].get("path norm") == 0
expected = averaged.drop_duplicates(["family", "slice", "group"])["by_chance"].sum()
told = []
for column, of in compared.items():
    word, (right, wrong) = words.get(column, column), [chapter.agreed(of, each) for each in ("right", "reversed")]
    none = f"no measure agrees with the {word}s, or contradicts them, in every family"
    some = f"the {word}s agree with {right} in every family, and contradict {wrong} in every family"
    told.append(none if right == wrong == "no measure" else some)
rows = averaged.groupby("measure", sort=False)["group"].agg(tuple)
alike = [list(names) for names in rows.index.to_series().groupby(rows, sort=False).agg(list) if len(names) > 1]

# %%
caption = (
    "Measures that put the sizes of a family into the same order count as one. The table counts these orders over all "
    "families, and how many of them have a sign-error above 1/2."
)
for each in columns[1:]:
    caption += f' Rows with "{words[each]}" compare the orders with the {words[each]}s instead of the {words.get(error, error)}s.'
called = {"slice": "test images", "measures": "orders", "above 1/2": "> 1/2", "right": "agree"}
called |= {"reversed": "contradict", "like chance": "may be chance"}
labels = {c: {k: v if c == error else f"{v}, {words[c]}" for k, v in kinds.items()} for c in columns}
shown = pd.concat(each.rename(index=labels[column]) for column, each in counts.items())
chapter.show_table(shown, "counts", caption, called)

# %% [markdown]
# <details><summary>Which measures share a row of Figure 1?</summary>
#
# {eval}`"; ".join(map(", ".join, alike)) or "no measures"`.
#
# </details>
#
# From {eval}`chapter.how_many(theory["measure"].nunique(), "measure")` we get {eval}`chapter.orders_of(counted)`. If the measures knew nothing, we would expect {eval}`f"{expected:.1f}"` of these {eval}`int(total["measures"])` orders to agree with the errors or contradict them. We found {eval}`int(total["right"] + total["reversed"])`. This comparison is not a significance test. All measures of a family are compared with the same errors, so many can agree with them at once by chance. The same holds for contradictions.
#
# On clean images, {eval}`told[0]`.{eval}`" Here, larger networks make fewer errors. So any measure that grows with the size contradicts the errors, and any measure that shrinks agrees with them, whatever else it measures." if falls else ""`{eval}`" The path norm shrinks." if falls and shrinks else ""`{eval}`"".join(f" But {each}." for each in told[1:])`

# %% tags=["ours"]
clean_ends = {
    (family, column): part.groupby("size")["estimate"].mean().iloc[[0, -1]]
    for column, of in measured.items()
    for family, part in of[of["slice"] == "ssim"].groupby("family")
}
by_gap = compared["gap"].set_index(["family", "slice", "measure"])["verdict"]
assert results or by_gap["convolutions", "ssim", "number of weights"] == "reversed"
photographs = chapter.made("cifar10_signs").set_index(["error", "slice"])
of_photographs, everywhere = photographs.loc[error], chapter.made("cifar10_measures").query("error == @error")
total_cifar = of_photographs.sum()
weights = everywhere.query("slice == 'zero_shot' and measure == 'number of weights'")["min"].item()
same = chapter.agreed(everywhere, "right") == chapter.agreed(averaged, "right") != "no measure"
above, kept = (of.groupby("slice").sum() for of in (counted, of_photographs))

# %% [markdown] tags=["ours"]
# As perceptrons grow, their error falls from {eval}`"{:.3f} to {:.3f}".format(*clean_ends["perceptrons", "error_rate"])`. But small perceptrons err on their training data, too: their gap is {eval}`"{:.3f}, and the gap of large ones is {:.3f}".format(*clean_ends["perceptrons", "gap"])`. As convolutions grow, their gap falls from {eval}`"{:.3f} to {:.3f}".format(*clean_ends["convolutions", "gap"])`, so the number of weights contradicts the gap, too.
#
# We repeated the comparison on [photographs](07_tradeoff_point.ipynb#do-the-findings-repeat-on-photographs) (CIFAR-10), with two families of convolutions, six sizes and three seeds.

# %% tags=["ours"]
caption = (
    "The table counts the orders on photographs, once for frozen networks and once for networks trained further with "
    "the classifier. On noisy images, it counts them once for each of three kinds of noise: dropped principal "
    "components, compression by a network (autoencoder) and changes that mislead the network (attack)."
)
shown = pd.concat(photographs.loc[column].rename(index=labels[column]) for column in columns)
chapter.show_table(shown.drop(columns="by_chance"), "photographs", caption, called)

# %% [markdown] tags=["ours"]
# On clean photographs, the {eval}`words[error]`s of all families agree with {eval}`chapter.agreed(everywhere, "right")`{eval}`", the same as on digits," if same else ""` and contradict {eval}`chapter.agreed(everywhere, "reversed")`. On noisy photographs, the sign-error of the number of weights is at least {eval}`f"{weights:.2f}"`: larger networks err less there, so there is an order to predict. By chance, {eval}`f"{total_cifar['by_chance']:.1f}"` of the {eval}`f"{total_cifar['measures']:.0f}"` orders would agree with the {eval}`words[error]`s or contradict them. We found {eval}`f"{total_cifar['right'] + total_cifar['reversed']:.0f}"`. This is no test either: all comparisons use the same networks, of three seeds. When we compare the measures with the gap instead of the error, chance could explain {eval}`"{like chance:.0f} of {measures:.0f}".format(**photographs.loc[("gap", "ssim")])` orders on clean photographs.
#
# The paper counts sign-errors above one half, and finds fewer where unseen classes vary (*ZeroShot*, our clean images) than where noise varies (*SSIM*, our noisy images). On digits, we count {eval}`"{above 1/2} of {measures} on clean images".format(**above.loc["ssim"])` and {eval}`"{above 1/2} of {measures} on noisy ones".format(**above.loc["zero_shot"])`; on photographs, {eval}`"{above 1/2:.0f} of {measures:.0f}".format(**kept.loc["ssim"])` and {eval}`"{above 1/2:.0f} of {measures:.0f}".format(**kept.loc["zero_shot"])`. So our networks do not show this difference. The counts do not show that chance could explain {eval}`int(above.loc["ssim", "like chance"])` orders on clean digits and {eval}`int(above.loc["zero_shot", "like chance"])` on noisy ones.

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
# Save the measures of your networks to a file with a row for each network: its `size`, its measures under the names in `gx.tradeoff.MEASURES`, and `family` and `seed` if you have several. Save their errors as [notebook 07](07_tradeoff_point.ipynb#on-networks-of-your-own) says. This command makes this page from both: `genexpy-nb --root CHECKOUT render measures -p results=mine.parquet -p measures=measures.parquet -o mine`, where CHECKOUT is the folder of this project. [Your own torch networks](../docs/tradeoff_torch.md) makes both files from a folder of images.

# %% [markdown] tags=["exercise"]
# ### Exercise 3: Seed by seed
#
# *Project · 40 minutes.* The page averages over seeds. Now take single seeds of the convolutions (`gx.datasets.load_tradeoff_cells()` and `gx.datasets.load_tradeoff_measures()`), and compute the sign-error of the path norm in each of the ten seeds, against the mean error on clean images.
# In how many seeds is the sign-error at or below the lower limit of chance? Assign the number to `answer_3`. Then go on: which measures agree with the errors in more seeds than the path norm?

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
# **Why.** In seven of ten seeds, the path norm agrees with the errors; in the other three, its sign-error may be due to chance. Averaged over seeds, its sign-error is 0: the mean of ten seeds is less noisy than a seed. So say whether you ordered single networks or means.

# %% [markdown] tags=["findings"]
# - **{eval}`"Such measures rarely tell which network errs less" if total["right"] < total["measures"] / 4 else "Do such measures tell which network errs less?"`.** A measure puts networks of {eval}`chapter.span((array.sizes["size"] for array in families.values()), "{:.0f}")` sizes into an order. We compared this order with the order of their errors on new images{eval}`"" if results else " of digits"`. {eval}`chapter.verdicts_of(counted)`. *Measures that give the same order count as one. The level is 5 %.{eval}`"" if results else f" On photographs, {total_cifar['right']:.0f} of {total_cifar['measures']:.0f} orders agree with the errors and {total_cifar['reversed']:.0f} contradict them."`*
# - **{eval}`"Measures that grow with the size contradict the errors" if falls else "Which measures are right?"`.** {eval}`"On clean images, larger networks make fewer errors. So measures that grow with the size contradict them, whatever else they measure." if falls else f"On clean images, {told[0]}."`{eval}`" Theory is about the gap between errors on new and on training data." if len(told) > 1 else ""`{eval}`"".join(f" But {each}." for each in told[1:])` *Measures are explained below.{eval}`"" if results else " In convolutional networks, the gap falls with the size. In perceptrons, small and large networks have about the same gap."`*
# - **A measure that is wrong about most pairs of networks may only be unlucky.** The paper counts this as a potential mismatch. But a measure that knows nothing is as likely to order most pairs wrongly as to order most of them correctly. With eight sizes, the share of wrong pairs (*sign-error*) differs from chance if it is at most {eval}`f"{gx.tradeoff.null_band(8)[0]:.2f}"` or at least {eval}`f"{gx.tradeoff.null_band(8)[1]:.2f}"`. *With five sizes, only 0 and 1 differ from chance (two-sided level 5 %, all orders of the sizes equally likely).*

# %% [markdown]
# ## Summary
#
# - Compare sign-errors with chance, not with one half, and train at least five sizes, preferably eight.
# - Check first that networks of different sizes differ in error by more than the standard errors. If not, train more seeds.
# - Say whether you predict the error or the gap.
# - Count measures that put the sizes into the same order as one.

# %%
chapter.keep_sign_numbers(total)

# %% [markdown]
# ## Further reading
#
# - [Notebook 07](07_tradeoff_point.ipynb): the networks of this page, and the paper's trade-off point.
# - [Jiang et al., 2020, *Fantastic Generalization Measures and Where to Find Them*](https://openreview.net/forum?id=SJgIPJBFvH): more than forty complexity measures, compared on more than 10,000 networks.
# - [Dziugaite et al., 2020, *In Search of Robust Measures of Generalization*](https://proceedings.neurips.cc/paper/2020/hash/86d7c8a08b4aaa1bc7c599473f5dddda-Abstract.html): the sign-error, and how averages over models hide where a measure fails.
