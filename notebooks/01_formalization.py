# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["slide"]
# # When do the conclusions of a study generalize?
#
# *Executable companion to* Generalizability of Experimental Studies, *second version, Sections 3 and 4: Figure 1, Examples 3.1, 3.2, 4.1
# and 4.2. The first version has the same example under the same number.*
#
# Two laboratories ask the same question, run the same number of experiments, each on conditions of its own choice, and publish.
# Will they say the same? This notebook turns that sentence into mathematics, one definition at a time, and computes every definition
# on an example small enough to check by hand.
#
# **You will learn** what alternatives, factors, conditions and experiments are; why the result of an experiment is a ranking with ties;
# how a research question becomes a kernel and two studies get a distance, the MMD; what n-generalizability is, and how
# many experiments, n*, it takes.
#
# **You need** probabilities and a little Python. No knowledge of kernels, and no other notebook.
#
# **Time** 45 minutes to read, 105 with the exercises.

# %% [markdown]
# ## Parameters

# %% tags=["parameters"]
success: list[float] = [0.5, 0.4, 0.3]  # assumed: probability that each of the models a1, a2, a3 finds the mate
alternative: str = "a1"  # model whose position the research question asks about
alpha: float = 0.99  # generalizability wanted: probability that two studies agree, in (0, 1)
delta: float = 0.3333333333333333  # tolerance, one third in Example 4.2; in (0, 1]
strict_delta: float = 0.05  # a stricter tolerance, for comparison
confidence: float = 0.95  # of the intervals, in (0, 1)
sizes: list[int] = [10, 20, 40]  # numbers of preliminary experiments that n* is estimated from, at least 6
n_studies: int = 200  # simulated studies of each size that n* is estimated from
seed: int = 0  # seed of everything random

# %% [markdown]
# ## Setup

# %%
import numpy as np
import pandas as pd

import genexpy_nb as gx
from genexpy_nb.chapters import formalization as chapter
from genexpy_nb.chapters.formalization import checkmate_distribution, checkmate_results
from genexpy_nb.chapters.shared import simulate_estimates
from genexpy_nb.common import exercises, page
from genexpy_nb.common.prose import as_written, percent, say, span
from genexpy_nb.generalization.exact import exact_generalizability, exact_mmd, exact_nstar, weak_orders

gx.plots.use_style()
models = ["a1", "a2", "a3"]
if len(success) != 3 or alternative not in models:
    raise gx.ParameterError("this example has three models, a1, a2 and a3: success needs three probabilities")

# %% [markdown] tags=["slide"]
# ## The example: checkmate in one
#
# Three language models get a position on a chessboard that has exactly one move that mates. A model succeeds if it names this move.
# The question (Example 3.1): **does model a1 keep its rank among the three when the position changes?**

# %% [markdown]
# What is compared, here the models, are the **alternatives** $A$, $n_a = |A|$ of them. Anything that may change the outcome is a
# **factor**; the values that it can take are its **levels**. The question decides about the role of each factor:
#
# | role | what happens to it | here |
# |---|---|---|
# | held constant | fixed to one level; nothing is claimed about other levels | how positions are written down |
# | design | each combination of levels is a *configuration* that is analysed on its own | shots, the number of solved examples in the prompt |
# | stochasticity | averaged out before anything else | the seed of a model that answers at random |
# | generalizability | its levels are a sample; conclusions should hold for levels not seen | position |
#
# > Aside: Roles are no property of the factor. Whoever wants to know whether results hold for another number of shots makes shots a
# > generalizability factor.
#
# A **condition** picks a level of each factor, and an **experiment** evaluates *all* alternatives under one condition.
#
# Here is a table of results, simulated. With no example in the prompt the models are assumed to be worse.

# %%
results = checkmate_results({0: [p / 2 for p in success], 2: success}, n_positions=40, rng=seed)
page.show_table(
    results.head(6),
    "results",
    "The first two positions, without an example in the prompt: one row per model and position.",
    {"solved": "solved (1: yes)"},
)

# %%
study = gx.Study(
    results,
    alternatives="model",
    target="solved",
    generalize_over="position",
    design=["shots"],
    higher_is_better=True,
    missing="error",
)
study

# %% [markdown] tags=["slide"]
# ## The result of an experiment is a ranking with ties
#
# On one position a model is right or wrong. Those that are right share **tier** 0, the others tier 1: if only a1 and a2 find the
# mate, the result is $(0, 0, 1)$. If all succeed, or all fail, all are tied. What counts is the order, not how hard the position is.

# %%
rankings = study.rankings({"shots": 2})
page.show_table(
    rankings.head(5).rename_axis(index="position"),
    "rankings",
    "Tiers of the three models on the first five positions, with two shots; 0 is the best.",
)

# %% [markdown]
# > Aside: The numbers of rankings with ties are the ordered Bell numbers: 1, 3, 13, 75, 541, ...
#
# How many results can there be? Three alternatives have 13 rankings with ties. Success or failure produces seven of them.

# %%
everything = pd.DataFrame(weak_orders(3), columns=models)
seen = rankings.drop_duplicates()
say(f"Of the {len(everything)} rankings of three alternatives, {len(seen)} are among the {len(rankings)} experiments.")

# %% [markdown] tags=["slide"]
# ## A study is a sample from a distribution of results
#
# This is the central idea (Definition 3.1). Take a random position, run the experiment, look at the ranking: that is a random variable.
# Its distribution $\mathbb{P}$ is what we would see after trying *all* positions, and a study of $n$ experiments is a sample of
# size $n$ from it.
#
# Nobody knows $\mathbb{P}$ in practice. For this example **we assume one**: the papers give no numbers. Each model finds the mate with
# a probability of its own (parameter `success`), independently of the others.

# %%
truth = checkmate_distribution(success)
in_sample = rankings.value_counts(normalize=True)
page.show_table(
    pd.DataFrame(
        {
            "in words": [chapter.ranking_label(r, models) for r in truth.rankings],
            "probability": truth.probabilities,
            "share in the sample": [in_sample.get(tuple(r), 0.0) for r in truth.rankings.tolist()],
        },
        index=pd.Index([str(tuple(r)) for r in truth.rankings.tolist()], name="ranking"),
    ),
    "distribution",
    f"The assumed distribution of results, and what the {len(rankings)} simulated experiments show of it.",
    forms={"probability": 3, "share in the sample": 3},
)

# %% [markdown] tags=["slide"]
# ## A research question is a kernel
#
# Are $(0, 1, 1)$ and $(0, 0, 0)$ the same result? It depends on what was asked. A **kernel** $\kappa$ says how alike two results
# answer the question; 1 means that they answer it identically.
#
# | question | kernel | value |
# |---|---|---|
# | Does $a^*$ keep its rank? | Borda | $e^{-\nu \vert b_1 - b_2 \vert}$; $b$ counts the alternatives that $a^*$ is not worse than, itself included; $\nu = 1 / n_a$ |
# | Are the best ones consistently the same? | Jaccard | common members of the top $k$ tiers, as a share of all their members |
# | Is the order similar? | Mallows | $e^{-\nu d}$; $d$ counts discordant pairs, a pair tied in only one ranking as 1/2; $\nu = 1 / \tbinom{n_a}{2}$ |
#
# Example 4.1 takes $r = (0, 0, 0)$, all tied, and $s = (0, 1, 1)$, a1 alone at the top.

# %%
kernels = [gx.BordaKernel(alternative), gx.JaccardKernel(k=1), gx.MallowsKernel()]
example = pd.DataFrame([[0, 0, 0], [0, 1, 1]], columns=models, index=["r", "s"])
pair = [gx.BordaKernel("a1"), *kernels[1:]]
for kernel, printed_value in zip(pair, [1, 0.33, 0.72], strict=True):
    page.key_number(
        f"kernel-{kernel.name.split('(')[0].lower()}",
        f"{kernel.name}: {kernel.question}",
        kernel.gram(example)[0, 1],
        published=printed_value,
        source="Matteucci et al. (2025), Example 4.1",
        reason="equal, up to rounding",
        decimals=3,
    )
page.show_published("example", "How alike r and s are, to three questions: the example's numbers and ours.")

# %% [markdown]
# To Borda the two are the same, since a1 is not worse than anybody in both. To Jaccard they are very different:
# one winner out of three. Mallows is in between.
#
# **Two printed formulas do not give these numbers.** The number of discordant pairs (Eq. 4) is printed as a sum of
# $|\operatorname{sign} - \operatorname{sign}|$ over *ordered* pairs, which is $4d$: Mallows would be 0.26. And the top $k$ tiers (Eq. 3) are printed
# as $r(a) \le k$, although tiers count from 0, which makes it one tier more: Jaccard would be 1.

# %% [markdown]
# For all 13 rankings at once, a kernel is a matrix, the **Gram matrix**. The three questions see three different worlds ([figure](#figure-kernels)):

# %% tags=["slide"]
n_seen = {kernel.name: len(np.unique(kernel.gram(everything).round(9), axis=0)) for kernel in kernels}
page.show_figure(
    chapter.kernel_matrices(everything, kernels),
    "kernels",
    "Every ranking of three alternatives against every other; `1=2 > 3` is (0, 0, 1). Yellow: alike. Borda looks at one alternative, Jaccard at the winners, Mallows at everything.",
    f"Kernel matrices of the 13 rankings; kinds of results that each question tells apart: {', '.join(f'{name} {number}' for name, number in n_seen.items())}.",
)

# %% [markdown]
# A kernel must not produce contradictions, such as $x$ like $y$, $y$ like $z$, but $x$ unlike $z$ beyond measure. The
# condition is that no eigenvalue of a Gram matrix is negative. These three matrices meet it, and notebook 11 says why all others do.

# %% [markdown] tags=["slide"]
# ## The distance between two studies
#
# Let studies $x$ and $y$ have $n$ results each. Their **maximum mean discrepancy** compares how alike results are *within* the studies
# with how alike they are *between* them:
#
# $$\mathrm{MMD}(x, y)^2 = \frac{1}{n^2} \sum_{i,j=1}^{n} \bigl( \kappa(x_i, x_j) + \kappa(y_i, y_j) - 2 \kappa(x_i, y_j) \bigr).$$

# %% [markdown]
# Two small studies, three positions each, drawn from $\mathbb{P}$:

# %%
n = 3
first, second = (
    pd.DataFrame(truth.sample(n, rng=seed + shift), columns=models, index=pd.RangeIndex(1, n + 1, name="position"))
    for shift in (11, 12)
)
borda = kernels[0]
within_x, within_y = borda.gram(first), borda.gram(second)
between = borda.gram(pd.concat([first, second]))[:n, n:]
distance = gx.generalization.mmd(within_x, within_y, between)
say(
    f"On average, results within *x* are alike by {within_x.mean():.3f}, within *y* by {within_y.mean():.3f}, between them by {between.mean():.3f}. "
    f"So the squared distance is {within_x.mean():.3f} + {within_y.mean():.3f} − 2 · {between.mean():.3f} = {distance**2:.3f}, and the distance {distance:.3f}."
)

# %% [markdown]
# The order of the experiments does not matter. Studies with the same results in the same numbers have distance 0, and no pair is further apart
# than $\sqrt{2 (\kappa_{\sup} - \kappa_{\inf})}$ (Proposition 4.1), which two studies of one experiment can reach.

# %% [markdown] tags=["slide"]
# ## n-generalizability
#
# Draw two studies of $n$ experiments each, again and again. The probability that they *agree*, that is, that their distance is at most
# a threshold $\varepsilon$, is the **n-generalizability** (Definition 4.1):
#
# $$n\text{-Gen}(\varepsilon) = \Pr\bigl(\mathrm{MMD}(X, Y) \le \varepsilon\bigr), \qquad X, Y \sim \mathbb{P}^n.$$
#
# With few possible results all pairs of studies can be listed, so nothing needs to be simulated. Where $\varepsilon$ comes from is the next section.

# %%
p = truth.probabilities
truth_frame = pd.DataFrame(truth.rankings, columns=models)
borda_gram, borda_epsilon = borda.gram(truth_frame), borda.epsilon(delta, 3)
values, chances = exact_mmd(borda_gram, n, p)
page.show_figure(
    chapter.two_studies(first, second, distance, values, chances, borda_epsilon),
    "two-studies",
    "The papers' Figure 1, computed. Left: two studies of three positions; numbers are tiers. Right: every distance that two such studies can have, and how likely it is; the triangle marks these two.",
    f"Two studies of three positions agree with probability {exact_generalizability(borda_gram, n, borda_epsilon, p):.2f}.",
)

# %% [markdown]
# A study is $(\alpha, \varepsilon)$-**generalizable** if that probability is at least $\alpha$. More experiments make two samples from the
# same distribution more alike, so sooner or later they suffice ([figure](#figure-curves)).

# %%
tolerances = {f"δ = {as_written(d)}": d for d in (delta, strict_delta)}
thresholds = {label: float(borda.epsilon(d, 3)) for label, d in tolerances.items()}
curves = chapter.exact_curves(borda_gram, p, thresholds, range(1, 25))
exact = {label: int(exact_nstar(borda_gram, alpha, epsilon, p)) for label, epsilon in thresholds.items()}
needed = "; ".join(f"with {label}, {number}" for label, number in exact.items())

# %% tags=["hero", "slide"]
page.show_figure(
    chapter.generalizability_curves(curves, alpha),
    "curves",
    f"Probability that two studies of n positions agree on the rank of {alternative}, exact, for two tolerances. A star is the smallest n that reaches α = {alpha:g}.",
    f"Positions that two studies need, to agree with probability {alpha:g}: {needed}.",
)

# %% [markdown] tags=["slide"]
# ## From a tolerance to a threshold
#
# Nobody has an opinion about an MMD of 0.3. The papers replace $\varepsilon$ by a tolerance $\delta$ in the unit of the question:
#
# $$\varepsilon = \sqrt{2 \, (\kappa_{\sup} - f(\delta))}, \qquad f(\delta) = e^{-\delta} \text{ (Borda, Mallows)}, \quad f(\delta) = 1 - \delta \text{ (Jaccard)}.$$
#
# $\delta$ is the share of alternatives by which a rank may differ (Borda), the Jaccard *distance* of the winners (the text says
# coefficient, the formula says distance), or the share of discordant pairs (Mallows).

# %% [markdown]
# Two studies of *one* experiment agree exactly when their results differ by at most $\delta$, as the checks at the end confirm.
#
# **The threshold can be a knife's edge.** Distances of small studies take few values, and one of them may lie exactly on $\varepsilon$. Example 4.2
# asks for $\delta = 1/3$ and then computes with $0.33$. That looks like rounding, but a difference of one model out of three is 0.333..., which
# is more than 0.33 and no longer tolerated.
#
# **And it does not promise what the papers read into it.** They say: if a study is generalizable with $\alpha = 0.90$ and $\delta = 0.05$ for Jaccard, then
# with probability 0.90 the average Jaccard coefficient between two rankings drawn from the results is at least 0.95 (Section 4.4).
# A high average does imply a small MMD, but not the other way round. Take two studies with identical results, half of them $r$, half of
# them $s$. Their distance is 0, and the average Jaccard coefficient between them is 2/3.
#
# They agree perfectly, because both say "half of the time it is $r$, half of the time $s$". The MMD compares two *distributions* of
# results; $\delta$ bounds how much these may differ, in the unit of the question, and not how much single results scatter.
# A study can be generalizable and conclude that results vary a lot.

# %% [markdown]
# ## How many experiments are enough? Example 4.2
#
# $$n^* = \min \bigl\{ n : n\text{-Gen}(\varepsilon) \ge \alpha \bigr\}$$
#
# The experimenter wants the number of models that a1 is not worse than to stay the same, up to one, with probability 0.99, and asks: how many
# positions does that take? The paper leaves it open, for the answer depends on $\mathbb{P}$. With ours it can be computed, in four ways:
# **exact** lists all pairs of studies; **definition** simulates 10,000 pairs for each $n$; **closed-form** uses the
# distribution that the MMD approaches for large $n$ (Appendix C, with its slips repaired); **bound** holds for every distribution (Proposition C.4).
# Notebook 11 derives the last two.

# %%
epsilons = {f"δ = {as_written(d)}": float(borda.epsilon(d, 3)) for d in (delta, 0.2, 0.1, strict_delta)}
answers = chapter.known_nstar(borda_gram, alpha, epsilons, p, rng=seed)
page.show_table(
    answers.rename_axis("way"),
    "four-ways",
    f"n\\* for the Borda question at α = {alpha:g}, found in four ways.",
    forms=dict.fromkeys(answers, 1),
)

# %%
off = (answers.loc["definition"] - answers.loc["exact"]).abs()
dear = answers.loc["bound"] / answers.loc["exact"]
say(
    f"For {alternative} and α = {alpha:g}, the exact n\\* is: {needed}. The simulation of the definition misses the exact number by {span(off, '{:.0f}')}; "
    "where n-Gen is close to α, the noise of 10,000 simulated pairs decides.",
    f"The price of a bound that holds for every distribution is a factor of {span(dear, '{:.0f}')}.",
)

# %% [markdown]
# How much does the question matter? Example 4.1 again, $r$ and $s$ with probability 1/2 each, at the papers' usual $\alpha = 0.95$ and
# $\delta = 0.05$:

# %%
half = [0.5, 0.5]
by_question = {kernel.name: exact_nstar(kernel.gram(example), 0.95, kernel.epsilon(0.05, 3), half) for kernel in pair}
say(
    f"It depends on the question: {', '.join(f'{number:.0f} for {name}' for name, number in by_question.items())}. "
    "As the papers conclude, the study is perfectly generalizable for Borda, and more so for Mallows than for Jaccard."
)

# %% [markdown]
# ## Without knowing the distribution
#
# In practice there are $N$ experiments and no $\mathbb{P}$. The 40 simulated positions give, for the Borda question:

# %%
estimates = pd.concat(
    study.nstar(borda, alpha, [delta, strict_delta], method=method, rng=seed, **of_interval)
    for method, of_interval in (("moments", {"confidence": confidence}), ("resampling", {}))
)
columns = ["delta", "n_experiments", "method", "nstar", "low", "high"]
page.show_table(
    estimates.loc[estimates["shots"] == 2, columns].assign(delta=lambda frame: frame["delta"].map(as_written)),
    "estimates",
    "Estimates of n\\* from the simulated positions; the published method has no interval.",
    {"delta": "δ", "n_experiments": "positions", "nstar": "n*", "low": "interval from", "high": "to"},
    dict.fromkeys(["nstar", "low", "high"], 1),
)

# %% [markdown]
# `resampling` is the papers' estimate (Algorithm 1): resample the distances between disjoint parts of the data, and extrapolate their quantiles.
# `moments` is this toolkit's default: mean, variance and, for large n, skewness of the squared distance follow from a few numbers that the
# Gram matrix estimates without bias, and a distribution that has them gives the quantile (derived in notebook 11). It comes with an interval, by a corrected jackknife
# of a nominal confidence; how often it holds n\* is counted below.
#
# How good are they? Draw many samples of $N$ positions from our $\mathbb{P}$ and estimate each time:

# %%
question = gx.BordaKernel(models.index(alternative))
repeated = pd.concat(
    simulate_estimates(
        truth,
        question,
        sizes,
        alpha=alpha,
        delta=d,
        n_studies=n_studies,
        confidence=confidence,
        rng=seed,
        truth=exact[label],
    ).assign(case=label)
    for label, d in tolerances.items()
)
near = repeated["ratio"].between(0.5, 2).groupby([repeated["method"], repeated["size"], repeated["case"]]).mean()
few, many = min(sizes), max(sizes)
page.show_figure(
    chapter.estimates_by_size(repeated, exact),
    "estimates",
    "Estimates of n\\* from N experiments; dashed: the exact n\\*. A box reaches from quartile to quartile, its whiskers from the 5 % to the 95 % quantile. Logarithmic scales.",
    f"Estimates scatter around the exact n*. From {many} experiments, {span(100 * near['moments', many], '{:.0f}', ' %')} of the default estimates are within a factor of 2 of it.",
)

# %% [markdown]
# Part of what lies below the line is rounding: n* is a whole number, rounded up, and estimates are not. An estimate is *close* if it is within a factor of 2 of the exact n*.

# %%
close_ones = {
    (method, n): span(100 * near[method, n], "{:.0f}", " %")
    for method in ("moments", "resampling")
    for n in (few, many)
}
say(
    f"From {few} experiments, {close_ones['moments', few]} of the default estimates are close, and {close_ones['resampling', few]} of the published method, which fits its "
    f"line through {few // 2 - 1} points. From {many} experiments, {close_ones['moments', many]} and {close_ones['resampling', many]} are."
)

# %% [markdown]
# The estimate of a single sample is a random number, so it should never be reported without its interval. How many of the intervals,
# rounded up to whole numbers as n* is, held the exact n*?

# %%
of_default = repeated[repeated["method"] == "moments"]
whole = np.ceil(of_default[["low", "high"]] * (1 - 1e-9))
inside = of_default["true"].between(whole["low"], whole["high"])
held = inside.groupby([of_default["case"], of_default["size"]]).mean()
share_held = span(100 * held, "{:.0f}", " %")
say(
    f"The nominal confidence is {percent(confidence)}. Of {n_studies} intervals for each tolerance and number of experiments, {share_held} held it; "
    f"the fewest at {held.idxmin()[0]} with {held.idxmin()[1]} experiments."
)

# %% [markdown]
# **Generalizable does not mean informative.** n* says how many experiments it takes until it hardly matters, for the distribution of results, which ones were drawn; whether the
# answer is worth having is another question.

# %% [markdown]
# ## The answer in short

# %%
page.key_number(
    "one-gen",
    f"probability that two single experiments agree on the rank of {alternative}",
    exact_generalizability(borda_gram, 1, borda_epsilon, p),
    decimals=3,
)
for (label, number), key in zip(exact.items(), ("tolerant", "strict"), strict=False):
    page.key_number(f"nstar-{key}", f"exact n* for the Borda question, {label}", number, unit="positions", decimals=0)
for method, name, by in (("moments", "moments", "the default"), ("resampling", "published", "published method")):
    label = f"share of estimates within a factor of 2, {by}, N = {many}"
    page.key_number(f"near-{name}", label, near[method, many].min(), decimals=2)
page.key_number("coverage", "lowest share of intervals that hold the exact n*", held.min(), decimals=2)
for name, number in by_question.items():
    label = f"n* of two equally likely results, {name}"
    page.key_number(f"question-{name.split('(')[0].lower()}", label, number, unit="experiments", decimals=0)

# %% tags=["findings", "slide"]
page.show_findings(
    page.Finding(
        " → ".join(map(str, sorted(set(exact.values())))),
        f"chess positions that two studies need, to agree on how often a language model has which rank, with probability {alpha:g}: with a mild tolerance, and with a strict one",
        "exact: all pairs of studies are listed",
    ),
    page.Finding(
        " / ".join(f"{number:.0f}" for number in sorted(by_question.values())),
        "experiments are enough, depending on *what one asks* of the same results: the rank of one model, the order of all, or the winners",
        "exact; two results, equally likely; probability 0.95, tolerance 0.05",
    ),
    page.Finding(
        share_held,
        f"of the intervals that come with an estimate from {few} to {many} experiments hold the number that is really needed",
        f"nominal {percent(confidence)}; {n_studies} simulated studies each",
    ),
)

# %% [markdown]
# ## Checks

# %%
assert len(truth.rankings) == 7  # of success or failure
assert by_question["Borda(a1)"] == 1 < by_question["Mallows"] < by_question["Jaccard(1)"]  # as the papers conclude
np.testing.assert_allclose([kernel.gram(example)[0, 1] for kernel in pair], [1, 1 / 3, np.exp(-1 / 3)])
r, s = example.to_numpy()
printed = np.abs(np.sign(r[:, None] - r) - np.sign(s[:, None] - s)).sum()  # Eq. 4
np.testing.assert_allclose([np.exp(-printed / 3), gx.JaccardKernel(k=2).gram(example)[0, 1]], [0.2636, 1], rtol=1e-3)
jaccard = pair[1].gram(example)
np.testing.assert_allclose([gx.generalization.mmd(jaccard, jaccard, jaccard), jaccard.mean()], [0, 2 / 3], atol=1e-12)
assert len(everything) == 13 and all(np.linalg.eigvalsh(k.gram(everything)).min() > -1e-9 for k in kernels)
np.testing.assert_allclose([p.sum(), chances.sum()], 1)
dominated = (truth.rankings >= truth.rankings[:, [models.index(alternative)]]).sum(axis=1)
close = np.abs(dominated[:, None] - dominated) <= 3 * delta + 1e-9
one_gen = exact_generalizability(borda_gram, 1, borda_epsilon, p)
np.testing.assert_allclose(one_gen, (np.outer(p, p) * close).sum(), rtol=1e-12)
if success == [0.5, 0.4, 0.3] and alternative == "a1" and alpha == 0.99:
    by_hand = 1 - 2 * (0.5 + 0.5 * 0.6 * 0.7) * (0.5 * 0.4 * 0.3)  # a1 dominates all three, or only itself
    np.testing.assert_allclose(exact_generalizability(borda_gram, 1, borda.epsilon(1 / 3, 3), p), by_hand)
    assert [exact_nstar(borda_gram, 0.99, borda.epsilon(d, 3), p) for d in (1 / 3, 0.33, 0.05)] == [3, 4, 17]
    np.testing.assert_allclose(answers.loc["definition"], answers.loc["exact"], rtol=0.25)
    np.testing.assert_allclose(answers.loc["closed-form"], answers.loc["exact"], rtol=0.15)
assert (answers.loc["bound"] >= answers.loc["exact"]).all()
noise = 4 * np.sqrt(alpha * (1 - alpha) / 10_000)
for label in off.index[off > 0]:  # simulation and truth differ only where n-Gen is close to alpha
    at = int(answers.loc[["exact", "definition"], label].min())
    assert abs(exact_generalizability(borda_gram, at, epsilons[label], p) - alpha) < noise

# %% [markdown]
# ## Summary
#
# - An experiment evaluates all alternatives under one condition; a study is a sample from the distribution of results.
# - The research question decides which results are alike: it is a kernel. The same experiments can be enough for one question and too few
#   for another.
# - n-generalizability is the probability that two studies of n experiments agree; n* is the smallest n that makes it at least α.
# - δ bounds how far the *distributions* seen by two studies may differ; it says nothing about how much single results scatter.
# - Where the printed formulas and the papers' own examples differ (discordant pairs, top tiers), the examples decide.
# - An estimate of n* from a few experiments needs an interval. And generalizable is not the same as informative.
#
# %%
page.show_key_numbers()

# %% [markdown]
# ## Exercises
#
# On the ideas of this notebook: what is a sample of what, when two studies agree, and what that promises.

# %% [markdown] tags=["exercise"]
# ### 1. Roles
#
# *Understanding · 5 minutes.* A group compares five optimizers on 20 image datasets, with three networks and five seeds. All runs have the same
# batch size. They ask: *which optimizer should be used on the next image dataset, with each of the three networks?* Which role has each factor? Assign a
# dictionary with the keys `"dataset"`, `"network"`, `"seed"` and `"batch size"` to `answer_1`; its values are `"held constant"`, `"design"`,
# `"stochasticity"` and `"generalizability"`, each once.

# %% tags=["solution"]
answer_1 = {
    "dataset": "generalizability",
    "network": "design",
    "seed": "stochasticity",
    "batch size": "held constant",
}

# %% tags=["check"]
exercises.check(
    "01-1",
    answer_1,
    "jthtxylalwdt6ui",
    hint="To which unseen levels should the answer carry over? For which factor does the question want an answer at each level?",
    wrong={
        "js2be3nyll4u7sy": "These three networks are all that the question is about; the datasets are the ones of which others are still to come.",
        "jtkg7tyxiyvswyi": "Nobody asks for an optimizer for the next seed. What varies by chance within one experiment is averaged out first.",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** The *next dataset* is a level that was not seen, so datasets are the sample, and the study has 20 experiments for each network, not 100: seeds repeat an
# experiment, they do not add one. "With each of the three networks" asks for three answers, one per configuration. Of other batch sizes nothing can be
# said. Ask "which optimizer for the next dataset *and* the next network?", and the network becomes a second generalizability factor (notebook 10).

# %% [markdown] tags=["exercise"]
# ### 2. A distance by hand
#
# *Understanding · 5 minutes.* Take $r = (0, 0, 0)$ and $s = (0, 1, 1)$ with the Jaccard kernel, $\kappa(r, s) = 1/3$. Study $x$ finds $r$ in 12 of its 20
# experiments and $s$ in the others; study $y$ finds $r$ in 9 of its 20, and $s$ in the others. What is their MMD? Assign it to `answer_2`, to three decimals.

# %% tags=["solution"]
kappa = np.array([[1, 1 / 3], [1 / 3, 1]])
shares_x, shares_y = np.array([12, 8]) / 20, np.array([9, 11]) / 20
answer_2 = np.sqrt(shares_x @ kappa @ shares_x + shares_y @ kappa @ shares_y - 2 * shares_x @ kappa @ shares_y)

# %% tags=["check"]
exercises.check(
    "01-2",
    answer_2,
    "7pql6rtcx4seda7g",
    decimals=3,
    hint="Only the shares of r and s matter. Write each of the three means of the formula with them.",
    wrong={"7prry2klb2ykl5sg": "That is the squared distance."},
)

# %% [markdown] tags=["explanation"]
# **Why.** The shares of $r$ differ by $d = 12/20 - 9/20 = 0.15$. With two kinds of results all terms collapse to $\mathrm{MMD}^2 = 2 d^2 (1 - \kappa(r, s))
# = 2 \cdot 0.0225 \cdot 2/3 = 0.03$. At $\delta = 0.05$ the threshold is $\sqrt{2 \cdot 0.05} = 0.316$, so these two studies agree. The distance is about
# shares of results; that $r$ and $s$ are unlike only scales it.

# %% [markdown] tags=["exercise", "slide"]
# ### 3. What agreement promises
#
# *Understanding · 5 minutes.* For the question "which models are the best?" (Jaccard, $k = 1$), n\* is 26 at $\alpha = 0.95$ and $\delta = 0.05$. Two
# laboratories draw 26 positions each, independently and at random. What follows?
#
# - **a** In at least 95 % of the positions the same models are the best.
# - **b** With probability 0.95 or more, both laboratories name the same model as the best one overall.
# - **c** With probability 0.95 or more, the MMD of their results is at most ε: they find similar sets of best models, about equally often.
# - **d** A third laboratory, which takes its positions from endgames only, would agree with them as probably.
#
# Assign the letter to `answer_3`.

# %% tags=["solution"]
answer_3 = "c"

# %% tags=["check"]
exercises.check(
    "01-3",
    answer_3,
    "emkuxyw5xhr6kuq",
    hint="Read the definition of n-generalizability again: of what is it the probability, and from where are both samples drawn?",
    wrong={
        "enwitig4dqp6plq": "That would be a statement about single positions. Two studies can agree that the best model changes from position to position.",
        "embcpmclotj32ty": "An overall winner is a conclusion from all results of a study. Two similar distributions can lie on both sides of a tie.",
        "emoczwlh3jssusq": "Both samples come from one distribution. Endgames only would be another one.",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** (c) is Definition 4.1. (a) confuses the distribution of results with single results: in "From a tolerance to a threshold" two studies had distance 0
# although half of their results were $r$ and half $s$. (b) is a conclusion drawn from the results; notebook 10 computes how probably two studies share it, and it is another
# number. (d) changes $\mathbb{P}$: n\* says nothing about other populations.

# %% [markdown] tags=["exercise"]
# ### 4. Certain and hopeless
#
# *Application · 10 minutes.* Let `success = [1, 0.5, 0]`: a1 always finds the mate, a3 never. Which rankings are possible, and how likely are they? Work out 1-Gen at
# $\delta = 0.05$ by hand, for Borda of a1 and for Jaccard with $k = 1$. Assign the list of the two probabilities, in this order, to `answer_4`.

# %% tags=["solution"]
certain = checkmate_distribution([1, 0.5, 0])
possible = pd.DataFrame(certain.rankings, columns=models)
answer_4 = [
    exact_generalizability(kernel.gram(possible), 1, kernel.epsilon(0.05, 3), certain.probabilities)
    for kernel in (gx.BordaKernel("a1"), gx.JaccardKernel(k=1))
]

# %% tags=["check"]
exercises.check(
    "01-4",
    answer_4,
    "fljvfshfx64dv3xvae",
    decimals=2,
    hint="There are two possible rankings. For each question: what does the kernel see of them?",
    wrong={
        "flovecs77agqdzd7ry": "Look at Borda again: how many models is a1 not worse than, itself included, in each of the two rankings?",
        "fljvyrlcu2lqmvot3q": "Look at Jaccard again: a1 is among the best in both rankings, but the two *sets* of best models differ.",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** If a2 fails, the result is $(0, 1, 1)$, else $(0, 0, 1)$; both have probability 1/2. In both, a1 is not worse than any of the three, so Borda sees one result
# only: 1-Gen is 1, and n\* is 1. The sets of winners are {a1} and {a1, a2}, with $\kappa = 1/2$, far below what $\delta = 0.05$ tolerates. So two experiments agree for Jaccard
# exactly if they are equal, with probability $1/4 + 1/4$.

# %% [markdown] tags=["exercise"]
# ### 5. Hard positions
#
# *Application · 10 minutes.* Real models fail on the same positions. Let half of the positions be unsolvable for all three, and the others as in this notebook
# (`success = [0.5, 0.4, 0.3]`): then the ranking $(0, 0, 0)$ gets half of the probability in addition, and all others are half as likely. Guess first: does n\* for Borda of a1, at $\alpha = 0.99$ and
# $\delta = 0.05$, rise or fall from 17? Assign the exact n\* to `answer_5`.

# %% tags=["solution"]
solvable = checkmate_distribution([0.5, 0.4, 0.3])
is_tie = (solvable.rankings == 0).all(axis=1)
question_a1 = gx.BordaKernel("a1")
gram_a1 = question_a1.gram(pd.DataFrame(solvable.rankings, columns=models))
answer_5 = int(exact_nstar(gram_a1, 0.99, question_a1.epsilon(0.05, 3), 0.5 * solvable.probabilities + 0.5 * is_tie))

# %% tags=["check"]
exercises.check(
    "01-5",
    answer_5,
    "4nxsveil3h2jsva",
    hint="checkmate_distribution gives rankings and probabilities. Mix the probabilities with those of a distribution that is always (0, 0, 0), and call exact_nstar.",
    wrong={
        "4oybhlxehw5uyri": "That is n* without the unsolvable positions. Are the probabilities mixed?",
        "4mhxux4lkhixzma": "Twice as many, because half are wasted? An unsolvable position is a result too, and one that all studies find.",
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** To Borda a tie of all is the same as a success of a1: nobody is better. The mixture raises the probability of this one result from 0.71 to 0.855. The more one result
# dominates, the more alike two samples are, so n\* falls, to 10. By hand: the three probabilities are 0.855, 0.115 and 0.03; list all pairs of studies of 9 and of 10. **A small n\* is no
# sign of a good benchmark**: here it falls because half of the positions do not tell the models apart.

# %% [markdown] tags=["exercise"]
# ### 6. Where n\* is largest
#
# *Project · 25 minutes.* Let each of the three probabilities in `success` be 0, 0.25, 0.5, 0.75 or 1. For which of the 125 combinations is n\* largest, for Borda of a1 at $\alpha = 0.95$ and
# $\delta = 0.05$? Assign the three probabilities, in the order a1, a2, a3, to `answer_6`. Then explain what you find: when does a position say least about the next one? Check your
# explanation with a kernel of your choice.

# %% tags=["solution"]
chances_tried = [0, 0.25, 0.5, 0.75, 1]
found = {}
for a1 in chances_tried:
    for a2 in chances_tried:
        for a3 in chances_tried[chances_tried.index(a2) :]:  # a2 and a3 may be exchanged
            tried = checkmate_distribution([a1, a2, a3])
            tried_gram = question_a1.gram(pd.DataFrame(tried.rankings, columns=models))
            found[a1, a2, a3] = exact_nstar(tried_gram, 0.95, question_a1.epsilon(0.05, 3), tried.probabilities)
answer_6 = max(found, key=found.get)

# %% tags=["check"]
exercises.check(
    "01-6",
    answer_6,
    "afhjz6yxinkfcs6p4pca",
    decimals=2,
    hint="Three nested loops and exact_nstar. Borda sees one number of a result: for which probabilities does it vary most?",
    wrong={
        "afhjf5p4umvufsiqir4q": "Most rankings are possible then, but Borda sees only how many models a1 is not worse than, and steps of one are small."
    },
)

# %% [markdown] tags=["explanation"]
# **Why.** With `success = (0.5, 1, 1)` a1 is either level with the two others, or behind both: Borda's number is 3 or 1, each with probability 1/2. No other distribution in the search
# has two results so far apart and so evenly likely. By exercise 2's formula, $\mathrm{MMD}^2 = 2 d^2 (1 - e^{-2/3})$, and two studies agree if the shares $d$ differ by at most
# $\sqrt{(1 - e^{-0.05}) / (1 - e^{-2/3})} = 0.3166$. The difference of two shares has variance $1 / (2n)$, so the normal distribution asks for $n = 1.96^2 / (2 \cdot 0.3166^2) = 19.2$; the search says 19.

# %% [markdown]
# ## Further reading
#
# - [Montgomery, 2017, *Design and Analysis of Experiments*](https://www.wiley.com/en-us/Design+and+Analysis+of+Experiments%2C+9th+Edition-p-9781119113478), Wiley, 9th edition: factors, their levels and their roles, from the field that has thought longest about them.
# - [Gretton et al., 2012, *A Kernel Two-Sample Test*](https://jmlr.org/papers/v13/gretton12a.html), Journal of Machine Learning Research 13, 723-773: where the MMD comes from, how to estimate it, and when it is a distance.
# - [Pineau et al., 2021, *Improving Reproducibility in Machine Learning Research*](https://jmlr.org/papers/v22/20-303.html), Journal of Machine Learning Research 22 (164), 1-20: what else can be asked of a study, beside generalizability.
# - [Matteucci et al., 2025, *Generalizability of Experimental Studies*](https://arxiv.org/abs/2406.17374v3), arXiv:2406.17374v3: Sections 3 and 4 hold the definitions computed here.
