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
# **You will learn** what alternatives, factors, conditions and experiments are; why the result of an experiment is a ranking with ties; how a question becomes a kernel; how far apart two studies are; and how many experiments make two studies look alike.
#
# **You need** probabilities and a little Python, but neither kernels nor another notebook.
#
# **Time** 15 minutes to read, 75 with the exercises.

# %% tags=["parameters"]
success: list[float] = [0.5, 0.4, 0.3]  # assumed: probability that each of the models a1, a2, a3 finds the mate
alternative: str = "a1"  # model whose position the question asks about
alpha: float = 0.99  # probability with which two studies should look alike, in (0, 1)
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
# We compare [alternatives](../docs/vocabulary.md), here the models. Anything that may change the outcome is a *factor*, and its values are its *levels*. The question gives each factor a role:
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
# Here is a simulated table of results. We assume that the models are worse without an example in the prompt.

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
# **Why.** Nobody has seen the *next dataset*, so datasets are the sample. The study has 20 experiments for each network, not 100: seeds repeat an experiment, they do not add one. "With each of the three
# networks" asks for three answers, one per configuration. The study says nothing about other batch sizes. If you ask "which optimizer for the next dataset *and* the next network?", the network becomes a second
# generalizability factor (notebook 10).

# %% [markdown]
# ## The result of an experiment is a ranking with ties
#
# On one position a model is right or wrong. The models that are right share *tier* 0, the others tier 1. If only a1 and a2 find the mate, the result is $(0, 0, 1)$. From here on we look at one configuration: two examples in the prompt. (The table rows above have none.)

# %%
rankings = study.rankings({"shots": 2})
chapter.show_table(rankings.head(), "rankings", "The tiers of the models on the first five positions, with two shots.")

# %% [markdown]
# If all models succeed, or all fail, they are tied, because only the order counts, not how hard the position is. Three alternatives have {eval}`len(gx.generalization.weak_orders(3))` rankings with ties, but right and wrong answers can produce only {eval}`len(chapter.checkmate_distribution([0.5] * 3).rankings)` of them. Of these, {eval}`len(rankings.drop_duplicates())` occurred in our {eval}`len(rankings)` experiments.

# %% [markdown]
# ## A study is a sample
#
# The ranking on a random position is a random variable. A study of $n$ experiments is a sample of size $n$ from its distribution $\mathbb{P}$ (Definition 3.1).

# %% [markdown]
# In practice nobody knows $\mathbb{P}$: we would have to try *all* positions. The papers give no numbers, so for this example **we assume a distribution**. Each model finds the mate with a given probability (parameter `success`, for two shots), independently of the others.

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
# Are $(0, 1, 1)$ and $(0, 0, 0)$ the same result? It depends on what you ask. A *kernel* $\kappa$ says how similarly two results answer the question; 1 means that the answers are identical.

# %% [markdown]
# | question | kernel | value |
# |---|---|---|
# | Does $a^*$ keep its rank? | Borda | $e^{-\nu \vert b_1 - b_2 \vert}$, where $b$ counts, in each result, the alternatives that $a^*$ is at least as good as (itself included); $\nu = 1 / n_a$ |
# | Are the best ones consistently the same? | Jaccard | alternatives in the top $k$ tiers of both results, as a share of those in either |
# | Is the order similar? | Mallows | $e^{-\nu d}$, where $d$ counts the pairs that the two results order differently (1/2 if a pair is tied in only one result); $\nu = 1 / \tbinom{n_a}{2}$ |
#
# Here $n_a$ is the number of alternatives. Example 4.1 compares $r = (0, 0, 0)$ and $s = (0, 1, 1)$. In $r$ all models are tied, and in $s$ a1 is alone at the top. No model is better than a1 in either result, so $b = 3$ in both, and Borda's kernel is $e^0 = 1$.

# %%
example = pd.DataFrame([[0, 0, 0], [0, 1, 1]], columns=models, index=["r", "s"])
questions = [gx.BordaKernel("a1"), gx.JaccardKernel(k=1), gx.MallowsKernel()]
alike = {kernel.name: kernel.gram(example)[0, 1] for kernel in questions}
chapter.show_example(alike, questions)

# %% [markdown]
# For Borda, the two results are the same. For Jaccard, they are very different: they share one winner out of three. Mallows is in between. The printed Equations 3 and 4 do not give the numbers of the example. We follow the example; notebook 11 lists such misprints.
#
# Borda looks at one alternative, Jaccard at the winners, and Mallows at the whole ranking.

# %%
kernels = [gx.BordaKernel(alternative), *questions[1:]]
everything = pd.DataFrame(gx.generalization.weak_orders(3), columns=models)
kinds = {kernel.name: len(np.unique(kernel.gram(everything).round(9), axis=0)) for kernel in kernels}
of_borda, of_jaccard, of_mallows = kinds.values()

# %% [markdown]
# So among the 13 rankings, Borda distinguishes {eval}`of_borda` kinds, Jaccard {eval}`of_jaccard`, and Mallows {eval}`of_mallows`.

# %% [markdown]
# ## The distance between two studies
#
# Studies $x$ and $y$ have $n$ results each. Their *maximum mean discrepancy* (MMD) compares how similar results are within the studies and between them:
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
# We drew two studies of three positions each from $\mathbb{P}$. The average similarity of two results is {eval}`averages[0]` within x, {eval}`averages[1]` within y, and {eval}`averages[2]` between x and y. The squared distance is the first number plus the second minus twice the third, {eval}`f"{distance**2:.4f}"`. So the distance is {eval}`f"{distance:.3f}"`. The order of the experiments does not matter. Two studies have distance 0 if they find each result equally often.

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
# = 2 \cdot 0.0225 \cdot 2/3 = 0.03$. At $\delta = 0.05$ the threshold is $\sqrt{2 \cdot 0.05} = 0.316$, so these two studies look alike. The distance depends on the shares; the difference between $r$ and $s$ only scales it.

# %% [markdown]
# ## How likely are two studies to look alike?
#
# Draw two studies of $n$ experiments each. They *look alike* if their distance is at most a threshold $\varepsilon$. The probability that they look alike is the *n-generalizability* (Definition 4.1).

# %% [markdown]
# $$n\text{-Gen}(\varepsilon) = \Pr\bigl(\mathrm{MMD}(X, Y) \le \varepsilon\bigr), \qquad X, Y \sim \mathbb{P}^n.$$
#
# With few possible results we can list all pairs of studies and need no simulation. The next section says where $\varepsilon$ comes from.

# %%
gram, epsilon = borda.gram(possible), borda.epsilon(delta, 3)
distances, chances = gx.generalization.exact_mmd(gram, 3, p)
chapter.show_two_studies([first, second], distance, distances, chances, epsilon)

# %% [markdown]
# ## From a tolerance to a threshold
#
# Nobody has an opinion about a distance of 0.3. So the papers replace $\varepsilon$ by a *tolerance* $\delta$. For Borda, a rank may differ by a share $\delta$ of the alternatives. For Jaccard, a share $\delta$ of the winners may win in only one result. For Mallows, a share $\delta$ of the pairs may be in a different order.
#
# $$\varepsilon = \sqrt{2 \, (\kappa_{\sup} - f(\delta))}$$
#
# Here $\kappa_{\sup} = 1$ is the largest similarity, and $f(\delta)$ is the similarity of two results that differ by $\delta$: $e^{-\delta}$ for Borda and Mallows, $1 - \delta$ for Jaccard.

# %% [markdown]
# Why a root, and why 2? Two studies of one experiment each have $\mathrm{MMD}^2 = 1 + 1 - 2 \kappa$. So they look alike exactly when their results differ by at most $\delta$. For Borda and $\delta$ = {eval}`chapter.as_written(delta)`, $f(\delta)$ is {eval}`f"{np.exp(-delta):.3f}"` and ε is {eval}`f"{epsilon:.3f}"`.
#
# **A small distance does not mean that results are similar.** Take two studies that both find $r$ in half of their experiments and $s$ in the other half. Their distance is 0. How similar are two of their results on average?

# %%
half = np.full(2, 0.5)
jaccard = questions[1].gram(example)
average = half @ jaccard @ half
assert gx.generalization.mmd(jaccard, jaccard, jaccard) == 0

# %% [markdown]
# The average Jaccard kernel of two results is {eval}`f"{average:.3f}"`, although the studies look exactly alike: both say "half of the time $r$, half of the time $s$". The distance compares two *distributions* of results, and δ bounds how much these distributions may differ. So a study can generalize although its results vary a lot. The papers (Section 4.4) say that δ also bounds how much single results scatter. The example shows that it does not.

# %% [markdown]
# ## How many experiments are enough?
#
# $$n^* = \min \bigl\{ n : n\text{-Gen}(\varepsilon) \ge \alpha \bigr\}$$
#
# n\* is the smallest size at which two studies look alike with probability $\alpha$ or more. With slightly larger studies, the probability can fall below $\alpha$ again: if there are few different results, it changes in steps.

# %% [markdown]
# Example 4.2 counts the models that a1 is at least as good as. The paper wants two results to have the same number, up to one, with probability 0.99. We compute how likely each number is to occur about equally *often* in two studies. How many positions does that take? The paper does not say, because the answer depends on $\mathbb{P}$. For our $\mathbb{P}$ we can compute it, with this tolerance and a stricter one.

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
# For {eval}`alternative` and probability {eval}`chapter.as_written(alpha)` two studies need {eval}`enough[delta]` positions with δ = {eval}`chapter.as_written(delta)`, and {eval}`enough[strict_delta]` with δ = {eval}`chapter.as_written(strict_delta)`. In the main figure (at the top of the page), a curve may fall when n grows: two single results are identical more often than two pairs of results.
#
# Example 4.2 rounds one third to 0.33. This is a little less than one model out of three, so a difference of one model is no longer tolerated, and it takes {eval}`gx.generalization.exact_nstar(gram, alpha, borda.epsilon(0.33, 3), p)` positions.
#
# How much does the question matter? Take Example 4.1 again, with $r$ and $s$ equally likely, at the papers' usual $\alpha = 0.95$ and $\delta = 0.05$.

# %%
by_question = {
    kernel.name: gx.generalization.exact_nstar(kernel.gram(example), 0.95, kernel.epsilon(0.05, 3), half)
    for kernel in questions
}

# %% [markdown]
# The question matters: similar winners (Jaccard) take {eval}`by_question["Jaccard(1)"]` experiments, similar orders (Mallows) {eval}`by_question["Mallows"]`, and similar ranks of a1 (Borda) only
# {eval}`by_question["Borda(a1)"]`. The papers draw the same conclusion.

# %% [markdown] tags=["exercise"]
# ### Exercise 3: What n\* promises
#
# *Understanding · 5 minutes.* For the question "which models are the best?" (Jaccard, $k = 1$), n\* is 26 at $\alpha = 0.95$ and $\delta = 0.05$. Two
# laboratories draw 26 positions each, independently and at random. What follows?
#
# - **a** In at least 95 % of the positions the same models are the best.
# - **b** With probability 0.95 or more, both laboratories name the same model as the best one overall.
# - **c** With probability 0.95 or more, the MMD of their results is at most ε: they find similar sets of best models, about equally often.
# - **d** A third laboratory takes its positions only from endgames. Its results are as likely to look like theirs.
#
# Assign the letter to `answer_3`.

# %% tags=["solution"]
answer_3 = "c"

# %% tags=["check"]
gx.check("01-3", answer_3)

# %% [markdown] tags=["explanation"]
# **Why.** (c) is Definition 4.1. (a) confuses the distribution of results with single results: in "From a tolerance to a threshold" two studies had distance 0 although half of their results were $r$ and half $s$. (b) is a conclusion from the results; notebook 10 computes how likely two studies are to share it. (d) changes $\mathbb{P}$: n\* says nothing about other populations.

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
# **Why.** If a2 fails, the result is $(0, 1, 1)$, otherwise $(0, 0, 1)$; both have probability 1/2. In both, no model is better than a1, so Borda sees only one result: 1-Gen is 1, and n\* is 1. The sets of winners are {a1} and {a1, a2}, with $\kappa = 1/2$, far below what $\delta = 0.05$ tolerates. So for Jaccard, two experiments look alike only if they are equal, with probability $1/4 + 1/4$.

# %% [markdown] tags=["exercise"]
# ### Exercise 5: Hard positions
#
# *Application · 10 minutes.* Real models fail on the same positions. Suppose that all three fail on half of the positions. The others are as in this notebook (`success = [0.5, 0.4, 0.3]`). Then all rankings are half as likely, and $(0, 0, 0)$ gets the other half of the probability. Guess first: does n\* for Borda of a1, at $\alpha = 0.99$ and
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
# **Why.** For Borda, a tie of all models is the same as a success of a1: no model is better. The mixture raises the probability of this result from 0.71 to 0.855. The more one result dominates, the more similar two samples are, so n\* falls to 10. (By hand, list all pairs of studies of 9 and of 10 positions; the three probabilities are 0.855, 0.115 and 0.03.) **A small n\* does not mean that a benchmark is good**: here it falls because half of the positions do not tell the models apart.

# %% [markdown]
# ## Without knowing the distribution
#
# In practice you have experiments, but do not know $\mathbb{P}$. The toolkit estimates n\* from the 40 simulated positions, with an interval.

# %%
estimates = study.nstar(borda, alpha, [delta, strict_delta], confidence=confidence)
estimates = (
    estimates[estimates["shots"] == 2].assign(delta=estimates["delta"].map(chapter.as_written)).set_index("delta")
)
heads = {"delta": "δ", "nstar": "n*", "low": "interval from", "high": "to"}
caption = "n\\* for the Borda question, estimated from 40 positions, by tolerance δ."
chapter.show_table(estimates[["nstar", "low", "high"]], "estimated", caption, heads, dict.fromkeys(list(heads)[1:], 1))

# %% [markdown]
# The method is called *moments*: it computes the mean, variance and skewness of the squared distance. (Notebook 11 derives it.) The papers' method, *resampling*, computes the distances between disjoint parts of the data and extrapolates them. It has no interval. How good are both methods? We draw many studies of 10, 20 and 40 positions from our $\mathbb{P}$, and estimate n\* from each.

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
caption = "Shares of the estimates that are within a factor of two of the exact n\\*, by number of positions."
sizes = near.unstack("size")
chapter.show_table(sizes, "near", caption, forms=dict.fromkeys(sizes, chapter.percent))

# %% [markdown]
# From 10 positions with δ = {eval}`chapter.as_written(delta)`, {eval}`loose["moments"]` of the moments estimates and {eval}`loose["resampling"]` of the resampling estimates are within a factor of two of the exact n\*. With δ = {eval}`chapter.as_written(strict_delta)`, the shares are {eval}`strict["moments"]` and {eval}`strict["resampling"]`. A single estimate is a random number, so never report it without its interval. If the interval is too wide to decide anything, run more experiments. How often do the intervals cover the exact n\*? (We round their ends up, because n\* is a whole number.)

# %%
ours = repeated[repeated["method"] == "moments"]
whole = np.ceil(ours[["low", "high"]] * (1 - 1e-9))
covered = ours["true"].between(whole["low"], whole["high"])
held = covered.groupby([tolerances, ours["size"]]).mean()
too_few = confidence - 3 * np.sqrt(confidence * (1 - confidence) / n_studies)

# %% [markdown]
# For each size and tolerance, we simulated {eval}`n_studies` studies. The {eval}`chapter.percent(confidence)` intervals cover n\* in {eval}`chapter.percents(held)` of them. A share below {eval}`chapter.percent(too_few, 1)` would be three standard errors too low, which is hardly chance; the lowest is {eval}`chapter.percent(held.min(), 1)`. But generalizable does not mean informative: n\* says when it hardly matters which experiments were drawn, but not whether the answer is worth having.

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
# **Why.** With `success = (0.5, 1, 1)`, a1 is either level with the two others or worse than both: Borda's number is 3 or 1, each with probability 1/2. No other distribution in the search
# has two results so far apart and so evenly likely. By exercise 2's formula, $\mathrm{MMD}^2 = 2 d^2 (1 - e^{-2/3})$, and two studies look alike if the difference $d$ of their shares is at most
# $\sqrt{(1 - e^{-0.05}) / (1 - e^{-2/3})} = 0.3166$. The difference of two shares has variance $1 / (2n)$, so by the normal distribution it takes $n = 1.96^2 / (2 \cdot 0.3166^2) = 19.2$; the search finds 19.

# %%
chapter.check_results(truth, example, by_question, borda, delta)
chapter.keep_key_numbers(alternative, curves, enough, near, held, by_question)

# %% [markdown] tags=["findings"]
# - **How many experiments do two laboratories need to find similar results?** With a loose tolerance, two studies of {eval}`enough[delta]` chess positions each find similar distributions of a model's rank. With a strict tolerance, it takes {eval}`enough[strict_delta]`. *With probability {eval}`chapter.as_written(alpha)`, exact for assumed chances of success.*
# - **The number depends on what you ask.** Suppose that two results are equally likely: all three models tie, or the first is alone at the top. Two studies then need {eval}`by_question["Borda(a1)"]` experiment each for similar ranks of that model, {eval}`by_question["Mallows"]` for similar orders, and {eval}`by_question["Jaccard(1)"]` for similar winners. *With probability 0.95, exact.*
# - **How far can you trust an estimate from a few experiments?** From ten positions with δ = {eval}`chapter.as_written(delta)`, {eval}`loose["moments"]` of our estimates and {eval}`loose["resampling"]` of the published method's are within a factor of two of the truth. With δ = {eval}`chapter.as_written(strict_delta)`, the shares are {eval}`strict["moments"]` and {eval}`strict["resampling"]`. From 10 to 40 positions, {eval}`chapter.percents(held)` of our intervals cover the truth. *{eval}`chapter.percent(confidence)` intervals; {eval}`n_studies` simulated studies for each size and tolerance. A share below {eval}`chapter.percent(too_few, 1)` would hardly be chance.*

# %% [markdown]
# ## Summary
#
# - An experiment evaluates all alternatives under one condition; a study is a sample from the distribution of results.
# - The question decides which results are similar: it is a kernel. The same experiments can be enough for one question and too few for another.
# - n-generalizability is the probability that two studies of n experiments look alike; n\* is the smallest n at which it is at least α.
# - δ bounds how far the *distributions* of two studies may differ. It says nothing about how much single results scatter.
# - An estimate of n\* from a few experiments needs an interval. And generalizable is not the same as informative.

# %% [markdown]
# ## Further reading
#
# - [Montgomery, 2017, *Design and Analysis of Experiments*](https://www.wiley.com/en-us/Design+and+Analysis+of+Experiments%2C+9th+Edition-p-9781119113478), Wiley, 9th edition: factors, their levels and their roles, from the field that has thought longest about them.
# - [Gretton et al., 2012, *A Kernel Two-Sample Test*](https://jmlr.org/papers/v13/gretton12a.html), Journal of Machine Learning Research 13, 723-773: where the MMD comes from, how to estimate it, and when it is a distance.
# - [Pineau et al., 2021, *Improving Reproducibility in Machine Learning Research*](https://jmlr.org/papers/v22/20-303.html), Journal of Machine Learning Research 22 (164), 1-20: what else can be asked of a study, besides generalizability.
