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
# You ran a study and published a conclusion. Another laboratory asks the same question and runs the same number of experiments, under conditions that it chooses. How likely is this laboratory to get the same answer?
#
# This notebook turns that question into mathematics, one definition at a time.
#
# **You will learn** what alternatives, factors, conditions and experiments are; why the result of an experiment is a ranking with ties; how a question becomes a kernel; how far apart two studies are; and how many experiments make two studies look alike.
#
# **You need** to know probabilities and a little Python. You need no other notebook.
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
# Three language models get a chess position in which exactly one move is checkmate. A model succeeds if it names this move. **Does model a1 keep its rank among the three when the position changes?**

# %% [markdown]
# We compare [alternatives](../docs/vocabulary.md), here the models. Anything that may change the outcome is a *factor*, and its values are its *levels*. The question gives each factor a role:
#
# | role | what happens to it | here |
# |---|---|---|
# | held constant | fixed at one level; we claim nothing about other levels | how positions are written down |
# | design | each combination of levels is a *configuration* and gets its own answer | shots: solved examples in the prompt |
# | stochasticity | averaged out before anything else | the seed of a model that answers at random |
# | generalizability | its levels are a sample; the conclusion should hold for levels that nobody has tried | position |
#
# A *condition* picks one level of each factor. An *experiment* evaluates all alternatives under one condition.
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
# batch size. They ask: *which optimizer is best on the next image dataset, with each of the three networks?* What role does each factor have? Assign a
# dictionary with the keys `"dataset"`, `"network"`, `"seed"` and `"batch size"` to `answer_1`. Use each of the values `"held constant"`, `"design"`,
# `"stochasticity"` and `"generalizability"` once.

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
# **Why.** Nobody has seen the *next dataset*, so datasets are the sample. Seeds repeat an experiment, so the study has 20 experiments for each network, not 100. "With each of the three
# networks" asks for three answers, one per configuration. The study says nothing about other batch sizes. If you ask "which optimizer for the next dataset *and* the next network?", the network becomes a second
# generalizability factor (notebook 10).

# %% [markdown]
# ## The result of an experiment is a ranking with ties
#
# On a single position, each model is right or wrong. The models that are right share *tier* 0, and the other models share tier 1. If only a1 and a2 find the mate, the result is $(0, 0, 1)$. From here on, we look at one configuration: two examples in the prompt. (In the rows above, the prompt has no example.)

# %%
rankings = study.rankings({"shots": 2})
chapter.show_table(rankings.head(), "rankings", "The tiers of the models on the first five positions, with two shots.")

# %% [markdown]
# If all models succeed or all models fail, they are tied. Only the order counts, not how hard the position is. Three alternatives have {eval}`len(gx.generalization.weak_orders(3))` possible rankings with ties, but right and wrong answers can produce only {eval}`len(chapter.checkmate_distribution([0.5] * 3).rankings)` of these rankings. Our {eval}`len(rankings)` experiments produced {eval}`len(rankings.drop_duplicates())` different rankings.

# %% [markdown]
# ## A study is a sample
#
# The ranking on a random position is a random variable. A study of $n$ experiments is a sample of size $n$ from its distribution $\mathbb{P}$ (Definition 3.1).

# %% [markdown]
# In practice, nobody knows $\mathbb{P}$, because nobody can try *all* positions. The papers give no numbers, so for this example **we assume a distribution**. Each model finds the mate with a given probability (parameter `success`, for two shots), independently of the others.

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
# Are $(0, 1, 1)$ and $(0, 0, 0)$ the same result? That depends on your question. A *kernel* $\kappa$ says how similarly two results answer your question. The value 1 means that they give the same answer.

# %% [markdown]
# | question | kernel | value |
# |---|---|---|
# | Does $a^*$ keep its rank? | Borda | $e^{-\nu \vert b_1 - b_2 \vert}$; in each result, $a^*$ is at least as good as $b$ alternatives (itself included); $\nu = 1 / n_a$ |
# | Are the best alternatives the same? | Jaccard | number of alternatives in the top $k$ tiers of both results, divided by the number in the top $k$ tiers of at least one |
# | Is the order similar? | Mallows | $e^{-\nu d}$, where $d$ counts the pairs that the two results order differently (1/2 if a pair is tied in only one result); $\nu = 1 / \tbinom{n_a}{2}$ |
#
# Here $n_a$ is the number of alternatives. The papers' Example 4.1 compares $r = (0, 0, 0)$ and $s = (0, 1, 1)$. In $r$ all models are tied, and in $s$ a1 is alone at the top. No model is better than a1 in either result, so $b = 3$ in both, and Borda's kernel is $e^0 = 1$.

# %%
example = pd.DataFrame([[0, 0, 0], [0, 1, 1]], columns=models, index=["r", "s"])
questions = [gx.BordaKernel("a1"), gx.JaccardKernel(k=1), gx.MallowsKernel()]
alike = {kernel.name: kernel.gram(example)[0, 1] for kernel in questions}
chapter.show_example(alike, questions)

# %% [markdown]
# For Borda, the two results are the same. For Jaccard, they are very different: they share one winner out of three. Mallows is in between. Equations 3 and 4, as printed, do not give the numbers of the example. We follow the example. (Notebook 11 lists such misprints.)
#
# Borda looks at one alternative, Jaccard at the winners, and Mallows at the whole ranking.

# %%
kernels = [gx.BordaKernel(alternative), *questions[1:]]
everything = pd.DataFrame(gx.generalization.weak_orders(3), columns=models)
kinds = {kernel.name: len(np.unique(kernel.gram(everything).round(9), axis=0)) for kernel in kernels}
of_borda, of_jaccard, of_mallows = kinds.values()

# %% [markdown]
# So among the 13 rankings, Borda distinguishes {eval}`of_borda` kinds of rankings, Jaccard {eval}`of_jaccard`, and Mallows {eval}`of_mallows`.

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
# We drew two studies of three positions each from $\mathbb{P}$. The average similarity of two results is {eval}`averages[0]` within x, {eval}`averages[1]` within y, and {eval}`averages[2]` between x and y. The first number plus the second minus twice the third is the squared distance, {eval}`f"{distance**2:.4f}"`. So the distance is {eval}`f"{distance:.3f}"`. Two studies have distance 0 if they find each result equally often.

# %% [markdown] tags=["exercise"]
# ### Exercise 2: A distance by hand
#
# *Understanding · 5 minutes.* Take $r = (0, 0, 0)$ and $s = (0, 1, 1)$ with the Jaccard kernel, $\kappa(r, s) = 1/3$. Study $x$ finds $r$ in 12 of its 20
# experiments, and study $y$ finds $r$ in 9 of its 20 experiments. In the other experiments, both find $s$. What is the MMD of the two studies? Assign it to `answer_2`, to three decimals.

# %% tags=["solution"]
kappa = np.array([[1, 1 / 3], [1 / 3, 1]])
shares_x, shares_y = np.array([12, 8]) / 20, np.array([9, 11]) / 20
answer_2 = np.sqrt(shares_x @ kappa @ shares_x + shares_y @ kappa @ shares_y - 2 * shares_x @ kappa @ shares_y)

# %% tags=["check"]
gx.check("01-2", answer_2)

# %% [markdown] tags=["explanation"]
# **Why.** The shares of $r$ differ by $d = 12/20 - 9/20 = 0.15$. With two kinds of results, the formula becomes $\mathrm{MMD}^2 = 2 d^2 (1 - \kappa(r, s))
# = 2 \cdot 0.0225 \cdot 2/3 = 0.03$, so the MMD is 0.173. The distance depends on the shares. The similarity of $r$ and $s$ only scales it.

# %% [markdown]
# ## How likely are two studies to look alike?
#
# Draw two studies of $n$ experiments each. They *look alike* if their distance is at most a threshold $\varepsilon$. The probability that they look alike is called the *n-generalizability* (Definition 4.1).

# %% [markdown]
# $$n\text{-Gen}(\varepsilon) = \Pr\bigl(\mathrm{MMD}(X, Y) \le \varepsilon\bigr), \qquad X, Y \sim \mathbb{P}^n.$$
#
# With only a few possible results, we can list all pairs of studies and need no simulation. The next section says where $\varepsilon$ comes from.

# %%
gram, epsilon = borda.gram(possible), borda.epsilon(delta, 3)
distances, chances = gx.generalization.exact_mmd(gram, 3, p)
chapter.show_two_studies([first, second], distance, distances, chances, epsilon)

# %% [markdown]
# ## From a tolerance to a threshold
#
# Is a distance of 0.3 large? Hardly anybody knows. So the papers replace $\varepsilon$ by a *tolerance* $\delta$. For Borda, a rank may differ by a share $\delta$ of the alternatives. For Jaccard, a share $\delta$ of the winners may differ: they win in one result but not in the other. For Mallows, a share $\delta$ of the pairs may be in a different order.
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
# The average Jaccard kernel of two results is {eval}`f"{average:.3f}"`, although the two studies look exactly alike: both find $r$ half of the time. The distance compares two *distributions* of results, and δ bounds how much these distributions may differ. So a study can generalize although its results vary a lot. The papers (Section 4.4) say that δ also bounds how much individual results vary. The example shows that it does not.

# %% [markdown]
# ## How many experiments are enough?
#
# $$n^* = \min \bigl\{ n : n\text{-Gen}(\varepsilon) \ge \alpha \bigr\}$$
#
# n\* is the smallest size at which two studies look alike with probability $\alpha$ or more. If only a few results are possible, the probability can fall below $\alpha$ again for slightly larger studies.

# %% [markdown]
# Example 4.2 counts the models that a1 is at least as good as. The paper wants this number to differ by at most one between two results, with probability 0.99. We ask whether two *studies* find each number about equally often. How many positions does that take? The paper does not say, because the answer depends on $\mathbb{P}$. For our $\mathbb{P}$, we can compute the answer, for this tolerance and for a stricter one.

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
# With δ = {eval}`chapter.as_written(delta)`, two studies need {eval}`enough[delta]` positions each. With δ = {eval}`chapter.as_written(strict_delta)`, they need {eval}`enough[strict_delta]`. In the main figure (at the top of the page), a curve may fall when n grows. For instance, two studies of one position find the same results more often than two studies of two positions.
#
# Example 4.2 rounds one third to 0.33. This is a little less than one model out of three, so the tolerance excludes a difference of one model. With δ = 0.33, two studies need {eval}`gx.generalization.exact_nstar(gram, alpha, borda.epsilon(0.33, 3), p)` positions each.
#
# How much does the question matter? Take Example 4.1 again, with $r$ and $s$ equally likely, at the papers' usual $\alpha = 0.95$ and $\delta = 0.05$.

# %%
by_question = {
    kernel.name: gx.generalization.exact_nstar(kernel.gram(example), 0.95, kernel.epsilon(0.05, 3), half)
    for kernel in questions
}

# %% [markdown]
# For similar winners (Jaccard), two studies need {eval}`by_question["Jaccard(1)"]` experiments each. For similar orders (Mallows), they need {eval}`by_question["Mallows"]`, and for similar ranks of a1 (Borda), only {eval}`by_question["Borda(a1)"]`.

# %% [markdown] tags=["exercise"]
# ### Exercise 3: What n\* promises
#
# *Understanding · 5 minutes.* For the question "which models are the best?" (Jaccard, $k = 1$), n\* is 26 at $\alpha = 0.95$ and $\delta = 0.05$. Two
# laboratories draw 26 positions each, independently and at random. What follows?
#
# - **a** In at least 95 % of the positions the same models are the best.
# - **b** With probability 0.95 or more, both laboratories name the same model as the best one overall.
# - **c** With probability 0.95 or more, the MMD of their results is at most ε: they find similar sets of best models, about equally often.
# - **d** A third laboratory takes all its positions from endgames. Its results are just as likely to look like those of the first two.
#
# Assign the letter to `answer_3`.

# %% tags=["solution"]
answer_3 = "c"

# %% tags=["check"]
gx.check("01-3", answer_3)

# %% [markdown] tags=["explanation"]
# **Why.** (c) is Definition 4.1. (a) confuses the distribution of results with individual results: in "From a tolerance to a threshold" two studies had distance 0 although half of their results were $r$ and half $s$. (b) is a conclusion from the results. Notebook 10 computes how likely two studies are to draw the same conclusion. (d) changes $\mathbb{P}$: n\* says nothing about other populations.

# %% [markdown] tags=["exercise"]
# ### Exercise 4: Certain and hopeless
#
# *Application · 10 minutes.* Let `success = [1, 0.5, 0]`: a1 always finds the mate, and a3 never does. Which rankings are possible, and how likely are they? Work out 1-Gen at
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
# **Why.** If a2 fails, the result is $(0, 1, 1)$. If a2 succeeds, it is $(0, 0, 1)$. Both results have probability 1/2. No model is better than a1 in either result, so Borda sees no difference. Therefore 1-Gen is 1, and n\* is 1. The sets of winners are {a1} and {a1, a2}. Their similarity $\kappa = 1/2$ is far below what $\delta = 0.05$ tolerates. So for Jaccard, two experiments look alike only if their results are equal, which has probability $1/4 + 1/4$.

# %% [markdown] tags=["exercise"]
# ### Exercise 5: Hard positions
#
# *Application · 10 minutes.* Real models often fail on the same positions. Suppose that all three models fail on half of the positions. The other positions are as in this notebook (`success = [0.5, 0.4, 0.3]`). Then each ranking is half as likely, and $(0, 0, 0)$ also gets the other half of the probability. Guess first: is n\* for Borda of a1, at $\alpha = 0.99$ and
# $\delta = 0.05$, now larger or smaller than 17? Assign the exact n\* to `answer_5`.

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
# **Why.** For Borda, a tie between all models counts the same as a success of a1, because no model is better than a1. The mixture raises the probability of this result from 0.71 to 0.855. The more one result dominates, the more similar two samples are, so n\* falls to 10. (To check this, list all pairs of studies of 9 and of 10 positions. The three probabilities are 0.855, 0.115 and 0.03.) **A small n\* does not mean that a benchmark is good**: here, n\* falls because half of the positions do not tell the models apart.

# %% [markdown]
# ## Without knowing the distribution
#
# In practice, you have experiments but do not know $\mathbb{P}$. The toolkit estimates n\* from the 40 simulated positions, with an interval.

# %%
estimates = study.nstar(borda, alpha, [delta, strict_delta], confidence=confidence)
estimates = (
    estimates[estimates["shots"] == 2].assign(delta=estimates["delta"].map(chapter.as_written)).set_index("delta")
)
heads = {"delta": "δ", "nstar": "n*", "low": "interval from", "high": "to"}
caption = "n\\* for the Borda question, estimated from 40 positions, by tolerance δ."
chapter.show_table(estimates[["nstar", "low", "high"]], "estimated", caption, heads, dict.fromkeys(list(heads)[1:], 1))

# %% [markdown]
# Our method is called *moments*, because it uses the mean, variance and skewness of the squared distance. (Notebook 11 derives it.) The papers' method, *resampling*, computes the distances between disjoint parts of the data and extrapolates them. It gives no interval. How good are the two methods? We draw many studies of 10, 20 and 40 positions from our $\mathbb{P}$, and estimate n\* from each study.

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
# Every estimate is a random number, so never report an estimate without its interval. If the interval is too wide to decide anything, run more experiments. How often do our intervals cover the exact n\*? (We round the ends of the intervals up, because n\* is a whole number.)

# %%
ours = repeated[repeated["method"] == "moments"]
whole = np.ceil(ours[["low", "high"]] * (1 - 1e-9))
covered = ours["true"].between(whole["low"], whole["high"])
held = covered.groupby([tolerances, ours["size"]]).mean()
too_few = confidence - 3 * np.sqrt(confidence * (1 - confidence) / n_studies)

# %% [markdown]
# For each size and tolerance, we simulated {eval}`n_studies` studies. The {eval}`chapter.percent(confidence)` intervals cover n\* in at least {eval}`chapter.percent(held.min(), 1)` of the studies. If the true share were {eval}`chapter.percent(confidence)`, a share below {eval}`chapter.percent(too_few, 1)` would be rare, because it is more than three standard errors lower.
#
# A study that generalizes need not be informative. With n\* experiments, it hardly matters which experiments you draw. But n\* does not say whether the answer is worth having.

# %% [markdown] tags=["exercise"]
# ### Exercise 6: Where n\* is largest
#
# *Project · 25 minutes.* Let each of the three probabilities in `success` be 0, 0.25, 0.5, 0.75 or 1. Which of the 125 combinations has the largest n\* for Borda of a1, at $\alpha = 0.95$ and $\delta = 0.05$? Assign the three probabilities, in the order a1, a2, a3, to `answer_6`. Then explain what you find: when does a position say least about the next one? Check your
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
# **Why.** With `success = (0.5, 1, 1)`, a1 is either level with the other two or worse than both. So Borda's number is 3 or 1, each with probability 1/2. No other distribution in the search
# has two results that are so far apart and equally likely. By exercise 2's formula, $\mathrm{MMD}^2 = 2 d^2 (1 - e^{-2/3})$, and two studies look alike if the difference $d$ of their shares is at most
# $\sqrt{(1 - e^{-0.05}) / (1 - e^{-2/3})} = 0.3166$. The difference of two shares has variance $1 / (2n)$, so the normal approximation gives $n = 1.96^2 / (2 \cdot 0.3166^2) = 19.2$. The search finds 19.

# %%
chapter.check_results(truth, example, by_question, borda, delta)
chapter.keep_key_numbers(alternative, curves, enough, near, held, by_question)

# %% [markdown] tags=["findings"]
# - **How many experiments do two laboratories need to find similar results?** With a loose tolerance, they need {eval}`enough[delta]` chess positions each. With a strict tolerance, they need {eval}`enough[strict_delta]`. *The probability that they then find similar ranks of a model is at least {eval}`chapter.as_written(alpha)`. The numbers are exact for assumed chances of success.*
# - **The number depends on what you ask.** Suppose that two results are equally likely: all three models tie, or the first model wins alone. No model ever beats the first, so two studies find similar ranks of this model with {eval}`by_question["Borda(a1)"]` experiment each. For similar orders, they need {eval}`by_question["Mallows"]` experiments each, and for similar winners, {eval}`by_question["Jaccard(1)"]`. *Their results are then similar with probability 0.95. The numbers are exact.*
# - **How far can you trust an estimate from a few experiments?** From ten positions, we estimate how many positions two laboratories need. With the loose tolerance (δ = {eval}`chapter.as_written(delta)`), {eval}`loose["moments"]` of our estimates and {eval}`loose["resampling"]` of the published method's estimates are within a factor of two of the truth. With the strict tolerance (δ = {eval}`chapter.as_written(strict_delta)`), the shares are {eval}`strict["moments"]` and {eval}`strict["resampling"]`. *We simulated {eval}`n_studies` studies of each size. With 10 to 40 positions, our {eval}`chapter.percent(confidence)` intervals cover the truth in at least {eval}`chapter.percent(held.min(), 1)` of the studies.*

# %% [markdown]
# ## Summary
#
# - An experiment evaluates all alternatives under one condition. A study is a sample from the distribution of results.
# - Your question, written as a kernel, decides which results are similar. The same experiments can be enough for one question and too few for another.
# - n-generalizability is the probability that two studies of n experiments look alike. At n\* experiments, this probability first reaches α.
# - δ bounds how far the *distributions* of two studies may differ. It says nothing about how much individual results vary.
# - An estimate of n\* from a few experiments needs an interval. A study that generalizes need not be informative.

# %% [markdown]
# ## Further reading
#
# - [Montgomery, 2017, *Design and Analysis of Experiments*](https://www.wiley.com/en-us/Design+and+Analysis+of+Experiments%2C+9th+Edition-p-9781119113478), Wiley, 9th edition: factors, their levels and their roles, from the field that has thought longest about them.
# - [Gretton et al., 2012, *A Kernel Two-Sample Test*](https://jmlr.org/papers/v13/gretton12a.html), Journal of Machine Learning Research 13, 723-773: where the MMD comes from, how to estimate it, and when it is a distance.
# - [Pineau et al., 2021, *Improving Reproducibility in Machine Learning Research*](https://jmlr.org/papers/v22/20-303.html), Journal of Machine Learning Research 22 (164), 1-20: what else can be asked of a study, besides generalizability.
