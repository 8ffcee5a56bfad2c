# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # When do the conclusions of a study generalize?
#
# *Executable companion to* Generalizability of Experimental Studies, *second version, Sections 3 and 4: Figure 1, Examples 3.1, 3.2, 4.1 and 4.2. The first version has the same example under the same number.*
#
# You ran a study and published a conclusion. Another laboratory asks the same question and runs as many experiments, each under conditions that it chooses. How likely is it to get the same answer?
#
# This notebook turns that question into mathematics, one definition at a time, and computes every definition on an example small enough to check by hand.
#
# **You will learn** what alternatives, factors, conditions and experiments are; why the result of an experiment is a ranking with ties; how a question becomes a kernel, and two studies get a distance; how many
# experiments make two studies agree.
#
# **You need** probabilities and a little Python. No knowledge of kernels, and no other notebook.
#
# **Time** 15 minutes to read, 75 with the exercises.

# %% tags=["parameters"]
success: list[float] = [0.5, 0.4, 0.3]  # assumed: probability that each of the models a1, a2, a3 finds the mate
alternative: str = "a1"  # model whose position the question asks about
alpha: float = 0.99  # probability with which two studies should agree, in (0, 1)
delta: float = 0.3333333333333333  # tolerance, one third in Example 4.2; in (0, 1]
strict_delta: float = 0.05  # a stricter tolerance, for comparison
confidence: float = 0.95  # of the intervals, in (0, 1)
n_studies: int = 200  # simulated studies of each size that n* is estimated from
seed: int = 0  # seed of everything random

# %%
import numpy as np
import pandas as pd

import genexpy_nb as gx
from genexpy_nb.chapters import formalization as chapter

gx.plots.use_style()
models = ["a1", "a2", "a3"]

# %% [markdown]
# ## The example: checkmate in one
#
# Three language models get a chess position in which exactly one move mates. A model succeeds if it names this move. **Does model a1 keep its rank among the three when the position changes?**

# %% [markdown]
# What we compare, here the models, are the [alternatives](../docs/vocabulary.md). Anything that may change the outcome is a *factor*, and its values are its *levels*. The question gives each factor a role:
#
# | role | what happens to it | here |
# |---|---|---|
# | held constant | fixed to one level; we claim nothing about others | how positions are written down |
# | design | each combination of levels is a *configuration*, with a separate answer | shots: solved examples in the prompt |
# | stochasticity | averaged out before anything else | the seed of a model that answers at random |
# | generalizability | its levels are a sample; the conclusion should hold for levels that nobody has tried | position |
#
# A *condition* picks a level of each factor. An *experiment* evaluates all alternatives under one condition.
#
# Here is a simulated table of results. We assume that the models are worse with no example in the prompt.

# %%
results = chapter.checkmate_results({0: [p / 2 for p in success], 2: success}, n_positions=40, rng=seed)
chapter.show_table(
    results.head(6), "results", "The first rows of the table; *solved* is 1 if the model found the mate."
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

# %% [markdown] tags=["exercise"]
# ### Exercise 1: Roles
#
# *Understanding · 5 minutes.* A group compares five optimizers on 20 image datasets, with three networks and five seeds. All runs have the same
# batch size. They ask: *which optimizer should be used on the next image dataset, with each of the three networks?* What role does each factor have? Assign a
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
gx.check("01-1", answer_1)

# %% [markdown] tags=["explanation"]
# **Why.** The *next dataset* is a level that was not seen, so datasets are the sample, and the study has 20 experiments for each network, not 100: seeds repeat an experiment, they do not add one. "With each of the three
# networks" asks for three answers, one per configuration. The study says nothing about other batch sizes. Ask "which optimizer for the next dataset *and* the next network?", and the network becomes a second
# generalizability factor (notebook 10).

# %% [markdown]
# ## The result of an experiment is a ranking with ties
#
# On one position a model is right or wrong. Those that are right share *tier* 0, the others tier 1. If only a1 and a2 find the mate, the result is $(0, 0, 1)$. From here on we look at one configuration, two examples in the prompt; the rows of the table above have none.

# %%
rankings = study.rankings({"shots": 2})
chapter.show_table(
    rankings.head(), "rankings", "The rankings of the first five positions, with two shots: the tier of each model."
)

# %% [markdown]
# If all models succeed, or all fail, all are tied, because what counts is the order and not how hard the position is. Three alternatives have {eval}`len(gx.generalization.weak_orders(3))` rankings with ties, but right and wrong answers can produce only {eval}`len(chapter.checkmate_distribution([0.5] * 3).rankings)`. Of these, {eval}`len(rankings.drop_duplicates())` turned up in our {eval}`len(rankings)` experiments.

# %% [markdown]
# ## A study is a sample
#
# Take a random position, run the experiment, and look at the ranking. That is a random variable. A study of $n$ experiments is a sample of size $n$ from its distribution $\mathbb{P}$ (Definition 3.1).

# %% [markdown]
# In practice nobody knows $\mathbb{P}$, which is what we would see after trying *all* positions. The papers give no numbers, so for this example **we assume one**: each model finds the mate with its own probability
# (parameter `success`, for two shots), independently of the others.

# %%
truth = chapter.checkmate_distribution(success)
possible = pd.DataFrame(truth.rankings, columns=models)
p = truth.probabilities
shares = rankings.value_counts(normalize=True).rename("share in the sample")
possible_rankings = possible.assign(probability=p).join(shares, on=models).fillna(0)
caption = "All rankings that can occur with two shots, with their probability and their share among the 40 positions."
chapter.show_table(possible_rankings, "possible", caption, forms={"probability": 3, shares.name: 3})

# %% [markdown]
# ## A question is a kernel
#
# Are $(0, 1, 1)$ and $(0, 0, 0)$ the same result? It depends on what you ask. A *kernel* $\kappa$ says how alike two results answer the question; 1 means that they answer it identically.

# %% [markdown]
# | question | kernel | value |
# |---|---|---|
# | Does $a^*$ keep its rank? | Borda | $e^{-\nu \vert b_1 - b_2 \vert}$, where $b$ is how many alternatives $a^*$ is at least as good as, itself included, in each result; $\nu = 1 / n_a$ |
# | Are the best ones consistently the same? | Jaccard | common members of the top $k$ tiers, as a share of all their members |
# | Is the order similar? | Mallows | $e^{-\nu d}$, where $d$ is how many pairs the two results order differently, a pair tied in only one of them counting 1/2; $\nu = 1 / \tbinom{n_a}{2}$ |
#
# Here $n_a$ is the number of alternatives. Example 4.1 takes $r = (0, 0, 0)$, all tied, and $s = (0, 1, 1)$, a1 alone at the top. By hand, for Borda and a1: nobody is better than a1 in either result, so $b = 3$ in both, and the kernel is $e^0 = 1$.

# %%
example = pd.DataFrame([[0, 0, 0], [0, 1, 1]], columns=models, index=["r", "s"])
questions = [gx.BordaKernel("a1"), gx.JaccardKernel(k=1), gx.MallowsKernel()]
alike = {kernel.name: kernel.gram(example)[0, 1] for kernel in questions}
chapter.show_example(alike, questions)

# %% [markdown]
# To Borda the two are the same. To Jaccard they are very different: one winner out of three. Mallows is in between. Equations 3 and 4 as printed give other numbers than the example; notebook 11 lists such misprints, and here the example decides.
#
# The three questions see different worlds: Borda looks at one alternative, Jaccard at the winners, and Mallows at everything. So they do not tell the same results apart.

# %%
kernels = [gx.BordaKernel(alternative), *questions[1:]]
everything = pd.DataFrame(gx.generalization.weak_orders(3), columns=models)
kinds = {kernel.name: len(np.unique(kernel.gram(everything).round(9), axis=0)) for kernel in kernels}
of_borda, of_jaccard, of_mallows = kinds.values()

# %% [markdown]
# Of the 13 rankings, Borda tells {eval}`of_borda` kinds apart, Jaccard {eval}`of_jaccard`, and Mallows {eval}`of_mallows`.

# %% [markdown]
# ## The distance between two studies
#
# Studies $x$ and $y$ have $n$ results each. Their *maximum mean discrepancy* (MMD) compares how alike results are within the studies and between them:
#
# $$\mathrm{MMD}(x, y)^2 = \frac{1}{n^2} \sum_{i,j=1}^{n} \bigl( \kappa(x_i, x_j) + \kappa(y_i, y_j) - 2 \kappa(x_i, y_j) \bigr).$$

# %%
first, second = (pd.DataFrame(truth.sample(3, rng=seed + i), columns=models) for i in (11, 12))
borda = kernels[0]
within_x, within_y = borda.gram(first), borda.gram(second)
between = borda.gram(pd.concat([first, second]))[:3, 3:]
distance = gx.generalization.mmd(within_x, within_y, between)
averages = [f"{part.mean():.4f}" for part in (within_x, within_y, between)]

# %% [markdown]
# We drew two small studies of three positions each from $\mathbb{P}$. Two results are alike by {eval}`averages[0]` on average within x, by {eval}`averages[1]` within y, and by {eval}`averages[2]` between the two. The squared distance is the first number plus the second minus twice the third, {eval}`f"{distance**2:.4f}"`, and the distance is {eval}`f"{distance:.3f}"`. The order of the experiments
# does not matter, and studies with the same results in the same numbers have distance 0.

# %% [markdown] tags=["exercise"]
# ### Exercise 2: A distance by hand
#
# *Understanding · 5 minutes.* Take $r = (0, 0, 0)$ and $s = (0, 1, 1)$ with the Jaccard kernel, $\kappa(r, s) = 1/3$. Study $x$ finds $r$ in 12 of its 20
# experiments and $s$ in the others; study $y$ finds $r$ in 9 of its 20, and $s$ in the others. What is their MMD? Assign it to `answer_2`, to three decimals.

# %% tags=["solution"]
kappa = np.array([[1, 1 / 3], [1 / 3, 1]])
shares_x, shares_y = np.array([12, 8]) / 20, np.array([9, 11]) / 20
answer_2 = np.sqrt(shares_x @ kappa @ shares_x + shares_y @ kappa @ shares_y - 2 * shares_x @ kappa @ shares_y)

# %% tags=["check"]
gx.check("01-2", answer_2)

# %% [markdown] tags=["explanation"]
# **Why.** The shares of $r$ differ by $d = 12/20 - 9/20 = 0.15$. With two kinds of results all terms collapse to $\mathrm{MMD}^2 = 2 d^2 (1 - \kappa(r, s))
# = 2 \cdot 0.0225 \cdot 2/3 = 0.03$. At $\delta = 0.05$ the threshold is $\sqrt{2 \cdot 0.05} = 0.316$, so these two studies agree. The distance is about
# shares of results; that $r$ and $s$ are unlike only scales it.

# %% [markdown]
# ## How likely are two studies to agree?
#
# Draw two studies of $n$ experiments each, again and again. They *agree* if their distance is at most a threshold $\varepsilon$. The probability of that is the *n-generalizability* (Definition 4.1).

# %% [markdown]
# $$n\text{-Gen}(\varepsilon) = \Pr\bigl(\mathrm{MMD}(X, Y) \le \varepsilon\bigr), \qquad X, Y \sim \mathbb{P}^n.$$
#
# With few possible results we can list all pairs of studies, so nothing needs to be simulated. The next section says where $\varepsilon$ comes from.

# %%
gram, epsilon = borda.gram(possible), borda.epsilon(delta, 3)
distances, chances = gx.generalization.exact_mmd(gram, 3, p)
chapter.show_two_studies([first, second], distance, distances, chances, epsilon)

# %% [markdown]
# ## From a tolerance to a threshold
#
# Nobody has an opinion about a distance of 0.3. The papers replace $\varepsilon$ by a *tolerance* $\delta$ in the unit of the question: the share of alternatives by which a rank may differ (Borda), the share of winners that only one result has (Jaccard), or the share of pairs in a different order (Mallows).
#
# $$\varepsilon = \sqrt{2 \, (\kappa_{\sup} - f(\delta))}$$
#
# Here $\kappa_{\sup} = 1$ is the largest similarity, and $f(\delta)$ is the similarity of two results that differ by $\delta$: $e^{-\delta}$ for Borda and Mallows, $1 - \delta$ for Jaccard.

# %% [markdown]
# Why a root, and why 2? Two studies of one experiment each have $\mathrm{MMD}^2 = 1 + 1 - 2 \kappa$. So they agree exactly when their results differ by at most $\delta$. For Borda and $\delta$ = {eval}`chapter.as_written(delta)`, f is {eval}`f"{np.exp(-delta):.3f}"` and ε is {eval}`f"{epsilon:.3f}"`.
#
# **A small distance does not mean that results are alike.** Take two studies that both find $r$ in half of their experiments and $s$ in the other half. Their distance is 0. How alike are two of their results on average?

# %%
half = np.full(2, 0.5)
jaccard = questions[1].gram(example)
average = half @ jaccard @ half
assert gx.generalization.mmd(jaccard, jaccard, jaccard) == 0

# %% [markdown]
# The average Jaccard kernel of two results is {eval}`f"{average:.3f}"`, although the studies agree perfectly: both say "half of the time $r$, half of the time $s$". The distance compares two *distributions* of results, and δ bounds how much these may differ. So a study can generalize although its results vary a lot. The papers (Section 4.4) say that δ also bounds how much single results scatter. The example shows that it does not.

# %% [markdown]
# ## How many experiments are enough?
#
# $$n^* = \min \bigl\{ n : n\text{-Gen}(\varepsilon) \ge \alpha \bigr\}$$
#
# n\* is the smallest size at which two studies agree with probability $\alpha$ or more. A study that is a little larger can fall below $\alpha$ again: if there are few different results, agreement rises in steps.

# %% [markdown]
# Example 4.2 counts the models that a1 is at least as good as. The paper wants results in which this number is the same, up to one, with probability 0.99. We compute how likely it is that each number occurs about equally *often* in two studies. How many positions does that take? The paper leaves it open, because the answer depends on $\mathbb{P}$. With ours we can compute it, for this tolerance and a stricter one.

# %%
epsilons = {d: borda.epsilon(d, 3) for d in (delta, strict_delta)}
enough = {d: gx.generalization.exact_nstar(gram, alpha, e, p) for d, e in epsilons.items()}
agree = {
    d: [gx.generalization.exact_generalizability(gram, n, e, p) for n in range(1, 25)] for d, e in epsilons.items()
}
curves = pd.DataFrame(agree, index=range(1, 25))

# %% tags=["hero"]
chapter.show_curves(curves, enough, alpha)

# %% [markdown]
# For {eval}`alternative` and probability {eval}`chapter.as_written(alpha)` it takes {eval}`enough[delta]` positions with δ = {eval}`chapter.as_written(delta)`, and {eval}`enough[strict_delta]` with δ = {eval}`chapter.as_written(strict_delta)`. In the main figure (at the top of the page) a curve may fall when n grows: two single results are often identical, and two pairs of results less often.
#
# Example 4.2 rounds one third to 0.33. This is a little less than one model out of three, so such a difference is no longer tolerated, and it takes {eval}`gx.generalization.exact_nstar(gram, alpha, borda.epsilon(0.33, 3), p)` positions.
#
# How much does the question matter? Take Example 4.1 again, with $r$ and $s$ equally likely, at the papers' usual $\alpha = 0.95$ and $\delta = 0.05$.

# %%
by_question = {
    kernel.name: gx.generalization.exact_nstar(kernel.gram(example), 0.95, kernel.epsilon(0.05, 3), half)
    for kernel in questions
}

# %% [markdown]
# It depends on the question: similar winners (Jaccard) take {eval}`by_question["Jaccard(1)"]` experiments, similar orders (Mallows) {eval}`by_question["Mallows"]`, and similar ranks of a1 (Borda) only
# {eval}`by_question["Borda(a1)"]`. The papers draw the same conclusion.

# %% [markdown] tags=["exercise"]
# ### Exercise 3: What agreement promises
#
# *Understanding · 5 minutes.* For the question "which models are the best?" (Jaccard, $k = 1$), n\* is 26 at $\alpha = 0.95$ and $\delta = 0.05$. Two
# laboratories draw 26 positions each, independently and at random. What follows?
#
# - **a** In at least 95 % of the positions the same models are the best.
# - **b** With probability 0.95 or more, both laboratories name the same model as the best one overall.
# - **c** With probability 0.95 or more, the MMD of their results is at most ε: they find similar sets of best models, about equally often.
# - **d** A third laboratory, which takes its positions from endgames only, would be as likely to agree with them.
#
# Assign the letter to `answer_3`.

# %% tags=["solution"]
answer_3 = "c"

# %% tags=["check"]
gx.check("01-3", answer_3)

# %% [markdown] tags=["explanation"]
# **Why.** (c) is Definition 4.1. (a) confuses the distribution of results with single results: in "From a tolerance to a threshold" two studies had distance 0 although half of their results were $r$ and half $s$. (b) is
# a conclusion drawn from the results; notebook 10 computes how likely two studies are to share it, which is a different number. (d) changes $\mathbb{P}$: n\* says nothing about other populations.

# %% [markdown] tags=["exercise"]
# ### Exercise 4: Certain and hopeless
#
# *Application · 10 minutes.* Let `success = [1, 0.5, 0]`: a1 always finds the mate, a3 never. Which rankings are possible, and how likely are they? Work out 1-Gen at
# $\delta = 0.05$ by hand, for Borda of a1 and for Jaccard with $k = 1$. Assign the list of the two probabilities, in this order, to `answer_4`.

# %% tags=["solution"]
certain = chapter.checkmate_distribution([1, 0.5, 0])
both = pd.DataFrame(certain.rankings, columns=models)
answer_4 = [
    gx.generalization.exact_generalizability(kernel.gram(both), 1, kernel.epsilon(0.05, 3), certain.probabilities)
    for kernel in (gx.BordaKernel("a1"), gx.JaccardKernel(k=1))
]

# %% tags=["check"]
gx.check("01-4", answer_4)

# %% [markdown] tags=["explanation"]
# **Why.** If a2 fails, the result is $(0, 1, 1)$, otherwise $(0, 0, 1)$; both have probability 1/2. In both, a1 is not worse than any of the three, so Borda sees one result
# only: 1-Gen is 1, and n\* is 1. The sets of winners are {a1} and {a1, a2}, with $\kappa = 1/2$, far below what $\delta = 0.05$ tolerates. So two experiments agree for Jaccard
# exactly if they are equal, with probability $1/4 + 1/4$.

# %% [markdown] tags=["exercise"]
# ### Exercise 5: Hard positions
#
# *Application · 10 minutes.* Real models fail on the same positions. Let half of the positions be unsolvable for all three, and the others as in this notebook
# (`success = [0.5, 0.4, 0.3]`): then the ranking $(0, 0, 0)$ gets half of the probability in addition, and all others are half as likely. Guess first: does n\* for Borda of a1, at $\alpha = 0.99$ and
# $\delta = 0.05$, rise or fall from 17? Assign the exact n\* to `answer_5`.

# %% tags=["solution"]
solvable = chapter.checkmate_distribution([0.5, 0.4, 0.3])
is_tie = (solvable.rankings == 0).all(axis=1)
question_a1 = gx.BordaKernel("a1")
gram_a1 = question_a1.gram(pd.DataFrame(solvable.rankings, columns=models))
mixed = 0.5 * solvable.probabilities + 0.5 * is_tie
answer_5 = gx.generalization.exact_nstar(gram_a1, 0.99, question_a1.epsilon(0.05, 3), mixed)

# %% tags=["check"]
gx.check("01-5", answer_5)

# %% [markdown] tags=["explanation"]
# **Why.** To Borda a tie of all is the same as a success of a1: nobody is better. The mixture raises the probability of this one result from 0.71 to 0.855. The more one result
# dominates, the more alike two samples are, so n\* falls, to 10. By hand: the three probabilities are 0.855, 0.115 and 0.03; list all pairs of studies of 9 and of 10. **A small n\* is no
# sign of a good benchmark**: here it falls because half of the positions do not tell the models apart.

# %% [markdown]
# ## Without knowing the distribution
#
# In practice there are some experiments and no $\mathbb{P}$. From the 40 simulated positions the toolkit estimates n\*, with an interval.

# %%
estimates = study.nstar(borda, alpha, [delta, strict_delta], confidence=confidence)
estimates = (
    estimates[estimates["shots"] == 2].assign(delta=estimates["delta"].map(chapter.as_written)).set_index("delta")
)
heads = {"delta": "δ", "nstar": "n*", "low": "interval from", "high": "to"}
caption = "n\\* for the Borda question, estimated from 40 positions, by tolerance δ."
chapter.show_table(estimates[["nstar", "low", "high"]], "estimated", caption, heads, dict.fromkeys(list(heads)[1:], 1))

# %% [markdown]
# The method is called *moments*, after the mean, variance and skewness of the squared distance that it computes; notebook 11 derives it. The papers' own estimate, *resampling*, draws disjoint parts of the data, computes their distances and extrapolates; it has no interval. How good are both? We draw many studies of 10, 20 and 40 positions from our $\mathbb{P}$ and estimate each time.

# %%
question = gx.BordaKernel(models.index(alternative))
options = {"alpha": alpha, "n_studies": n_studies, "confidence": confidence, "rng": seed}
repeated = [
    chapter.simulate_estimates(truth, question, [10, 20, 40], delta=d, truth=n, **options).assign(case=d)
    for d, n in enough.items()
]
repeated = pd.concat(repeated, ignore_index=True)
tolerances = repeated["case"].map(chapter.tolerance).rename("tolerance")
near = repeated["ratio"].between(0.5, 2).groupby([repeated["method"], repeated["size"], tolerances]).mean()
loose, strict = (near.xs((10, chapter.tolerance(d)), level=["size", "tolerance"]).map(chapter.percent) for d in enough)
caption = "Which share of the estimates is within a factor of two of the exact n\\*, by the number of positions."
sizes = near.unstack("size")
chapter.show_table(sizes, "near", caption, forms=dict.fromkeys(sizes, chapter.percent))

# %% [markdown]
# From 10 positions and with δ = {eval}`chapter.as_written(delta)`, {eval}`loose["moments"]` of the estimates by moments are within a factor of two of the exact n\*, and {eval}`loose["resampling"]` of those by resampling. With δ = {eval}`chapter.as_written(strict_delta)` it is {eval}`strict["moments"]` and {eval}`strict["resampling"]`. A single estimate is a random number, so never report it without its interval; if that is too wide to decide anything, run more experiments. How many of the intervals, rounded up to whole numbers as n\* is, cover the exact n\*?

# %%
ours = repeated[repeated["method"] == "moments"]
whole = np.ceil(ours[["low", "high"]] * (1 - 1e-9))
covered = ours["true"].between(whole["low"], whole["high"])
held = covered.groupby([tolerances, ours["size"]]).mean()
too_few = confidence - 3 * np.sqrt(confidence * (1 - confidence) / n_studies)

# %% [markdown]
# Intervals of {eval}`chapter.percent(confidence)` covered it in {eval}`chapter.percents(held)` of {eval}`n_studies` simulated studies each. A share below {eval}`chapter.percent(too_few, 1)`, three standard errors too low, is hardly chance; the lowest is {eval}`chapter.percent(held.min(), 1)`. But generalizable does not mean informative: n\* says when it hardly matters which experiments were drawn, but not whether the answer is worth having.

# %% [markdown] tags=["exercise"]
# ### Exercise 6: Where n\* is largest
#
# *Project · 25 minutes.* Let each of the three probabilities in `success` be 0, 0.25, 0.5, 0.75 or 1. For which of the 125 combinations is n\* largest, for Borda of a1 at $\alpha = 0.95$ and $\delta = 0.05$? Assign the three probabilities, in the order a1, a2, a3, to `answer_6`. Then explain what you find: when does a position say least about the next one? Check your
# explanation with a kernel of your choice.

# %% tags=["solution"]
chances_tried = [0, 0.25, 0.5, 0.75, 1]
found = {}
for a1 in chances_tried:
    for a2 in chances_tried:
        for a3 in chances_tried[chances_tried.index(a2) :]:  # a2 and a3 may be exchanged
            tried = chapter.checkmate_distribution([a1, a2, a3])
            tried_gram = question_a1.gram(pd.DataFrame(tried.rankings, columns=models))
            found[a1, a2, a3] = gx.generalization.exact_nstar(
                tried_gram, 0.95, question_a1.epsilon(0.05, 3), tried.probabilities
            )
answer_6 = max(found, key=found.get)

# %% tags=["check"]
gx.check("01-6", answer_6)

# %% [markdown] tags=["explanation"]
# **Why.** With `success = (0.5, 1, 1)` a1 is either level with the two others, or behind both: Borda's number is 3 or 1, each with probability 1/2. No other distribution in the search
# has two results so far apart and so evenly likely. By exercise 2's formula, $\mathrm{MMD}^2 = 2 d^2 (1 - e^{-2/3})$, and two studies agree if the shares $d$ differ by at most
# $\sqrt{(1 - e^{-0.05}) / (1 - e^{-2/3})} = 0.3166$. The difference of two shares has variance $1 / (2n)$, so the normal distribution asks for $n = 1.96^2 / (2 \cdot 0.3166^2) = 19.2$; the search says 19.

# %%
chapter.check_results(truth, example, by_question, borda, delta)
chapter.keep_key_numbers(alternative, curves, enough, near, held, by_question)

# %% [markdown] tags=["findings"]
# - **How many experiments make two laboratories agree?** With a loose tolerance, two studies of {eval}`enough[delta]` chess positions each find similar distributions of a model's rank. With a strict one, it takes {eval}`enough[strict_delta]`. *Probability {eval}`chapter.as_written(alpha)`; exact, for assumed chances of success.*
# - **The number depends on what you ask.** Take two results, equally likely: all three models tie, or the first is alone at the top. Two studies then need {eval}`by_question["Borda(a1)"]` experiment each for similar ranks of that model, {eval}`by_question["Mallows"]` for similar orders of all, and {eval}`by_question["Jaccard(1)"]` for similar winners. *Probability 0.95; exact.*
# - **How far can you trust an estimate from a few experiments?** From ten positions and with δ = {eval}`chapter.as_written(delta)`, {eval}`loose["moments"]` of our estimates are within a factor of two of the truth, and {eval}`loose["resampling"]` of the published method's. With δ = {eval}`chapter.as_written(strict_delta)` it is {eval}`strict["moments"]` and {eval}`strict["resampling"]`. From 10 to 40 positions, {eval}`chapter.percents(held)` of our intervals cover it. *{eval}`chapter.percent(confidence)` intervals; {eval}`n_studies` simulated studies for each size and tolerance, in which a share below {eval}`chapter.percent(too_few, 1)` is hardly chance.*

# %% [markdown]
# ## Summary
#
# - An experiment evaluates all alternatives under one condition; a study is a sample from the distribution of results.
# - The question decides which results are alike: it is a kernel. The same experiments can be enough for one question and too few for another.
# - n-generalizability is the probability that two studies of n experiments agree; n\* is the smallest n that makes it at least α.
# - δ bounds how far the *distributions* seen by two studies may differ. It says nothing about how much single results scatter.
# - An estimate of n\* from a few experiments needs an interval. And generalizable is not the same as informative.

# %% [markdown]
# ## Further reading
#
# - [Montgomery, 2017, *Design and Analysis of Experiments*](https://www.wiley.com/en-us/Design+and+Analysis+of+Experiments%2C+9th+Edition-p-9781119113478), Wiley, 9th edition: factors, their levels and their roles, from the field that has thought longest about them.
# - [Gretton et al., 2012, *A Kernel Two-Sample Test*](https://jmlr.org/papers/v13/gretton12a.html), Journal of Machine Learning Research 13, 723-773: where the MMD comes from, how to estimate it, and when it is a distance.
# - [Pineau et al., 2021, *Improving Reproducibility in Machine Learning Research*](https://jmlr.org/papers/v22/20-303.html), Journal of Machine Learning Research 22 (164), 1-20: what else can be asked of a study, besides generalizability.
