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
# You ran a study and published a conclusion. Another laboratory runs as many experiments, under conditions that it chooses. Will it get the same answer? We turn this question into mathematics, one definition at a time.
#
# **You will learn** what factors, conditions and experiments are; why a result is a ranking with ties; how a question becomes a kernel; and how many experiments make two studies look alike.
#
# **You need** to know probabilities and a little Python, but no other notebook.
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
#
# We compare [alternatives](../docs/vocabulary.md#alternative), here the models. Anything else that may change the outcome is a *factor*, with *levels*. The question gives each factor a role:
#
# | role | what happens to it | here |
# |---|---|---|
# | held constant | it has one level; we claim nothing about others | how positions are written |
# | design | each combination of levels is a *configuration* with its own answer | shots: solved examples in the prompt |
# | stochasticity | we average over its levels first | the seed of a model that answers at random |
# | generalizability | its levels are a sample; the conclusion should hold for others, too | position |
#
# A *condition* picks one level of each factor. An *experiment* evaluates all alternatives under one condition.
#
# We simulate a table of results, and look at one configuration: two examples in the prompt.

# %%
results = chapter.checkmate_results({0: [p / 2 for p in success], 2: success}, n_positions=40, rng=seed)
caption = "The experiment on the first position; *solved* is 1 if the model found the mate."
chapter.show_table(results.query("shots == 2")[["model", "solved"]].head(len(models)), "results", caption)

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
rankings = study.rankings({"shots": 2})
study

# %% [markdown] tags=["exercise"]
# ### Exercise 1: Roles
#
# *Understanding · 5 minutes.* A group compares five optimizers on 20 image datasets, with three networks, five seeds and one batch size. They ask: *which optimizer is best on the next image dataset, with each of the three networks?* What role does each factor have? Assign a dictionary with the keys `"dataset"`, `"network"`, `"seed"` and `"batch size"` to `answer_1`. Use each of the values `"held constant"`, `"design"`, `"stochasticity"` and `"generalizability"` once.

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
# What does one experiment tell us? On a single position, each model is right or wrong. The models that are right share *tier* 0, and the others share tier 1. If all are right or all are wrong, they are tied: only the order counts. So the result of the experiment in Table 1 is {eval}`"(" + ", ".join(map(str, rankings.iloc[0])) + ")"`.

# %% [markdown]
# ## A study is a sample
#
# Another laboratory draws other positions, so it finds other rankings. A study of $n$ experiments is a sample of size $n$ from the distribution $\mathbb{P}$ of rankings (Definition 3.1).
#
# In practice, nobody knows $\mathbb{P}$. The papers give no numbers, so **we assume a distribution**: each model finds the mate with a given probability (parameter `success`), independently of the others. Then seven rankings are possible.

# %%
truth = chapter.checkmate_distribution(success)
possible = pd.DataFrame(truth.rankings, columns=models)
p = truth.probabilities
caption = "All rankings that can occur with two shots, and their probabilities."
chapter.show_table(possible.assign(probability=p), "possible", caption, forms={"probability": 3})

# %% [markdown]
# ## A question is a kernel
#
# Are $(0, 1, 1)$ and $(0, 0, 0)$ the same result? That depends on your question. A *kernel* $\kappa$ says how similarly two results answer it. The value 1 means that they give the same answer.
#
# | question | kernel | similarity of two results |
# |---|---|---|
# | Does $a^*$ keep its rank? | Borda | $e^{-\vert b_1 - b_2 \vert / n_a}$; in each result, $a^*$ is at least as good as $b$ of the $n_a$ alternatives (with itself) |
# | Are the best the same? | Jaccard | number of alternatives that are best in both results (in the top $k$ tiers), divided by the number that are best in at least one |
# | Is the order similar? | Mallows | $e^{-d / m}$; of the $m$ pairs, $d$ are in a different order (1/2 for a pair that is tied in only one result) |
#
# The papers' Example 4.1 compares $r = (0, 0, 0)$, where all models are tied, with $s = (0, 1, 1)$, where a1 is alone at the top.

# %%
example = pd.DataFrame([[0, 0, 0], [0, 1, 1]], columns=models, index=["r", "s"])
questions = [gx.BordaKernel("a1"), gx.JaccardKernel(k=1), gx.MallowsKernel()]
alike = {kernel.name: kernel.gram(example)[0, 1] for kernel in questions}
chapter.show_example(alike, questions)

# %% [markdown]
# For Borda, the two results are the same, because no model is better than a1 in either. For Jaccard, their similarity is {eval}`f"{alike['Jaccard(1)']:.2f}"`: they share one winner out of three. For Mallows, it is {eval}`f"{alike['Mallows']:.2f}"`. The papers print the same numbers. (Their Equations 3 and 4 as printed give others; see notebook 11.)

# %% [markdown]
# ## The distance between two studies
#
# A study has many results, so we need the similarity of whole studies. Studies $x$ and $y$ have $n$ results each. Their *maximum mean discrepancy* (MMD) compares how similar results are within the studies and between them:
#
# $$\mathrm{MMD}(x, y)^2 = \frac{1}{n^2} \sum_{i,j=1}^{n} \bigl( \kappa(x_i, x_j) + \kappa(y_i, y_j) - 2 \kappa(x_i, y_j) \bigr).$$

# %%
borda = gx.BordaKernel(alternative)
first, second = (pd.DataFrame(truth.sample(3, rng=seed + i), columns=models) for i in (11, 12))
between = borda.gram(pd.concat([first, second]))[:3, 3:]
distance = gx.generalization.mmd(borda.gram(first), borda.gram(second), between)

# %% [markdown]
# Two studies have distance 0 if they find each result equally often. We drew two studies of three positions each from $\mathbb{P}$. For the Borda question, their distance is {eval}`f"{distance:.3f}"`.

# %% [markdown] tags=["exercise"]
# ### Exercise 2: A distance by hand
#
# *Understanding · 5 minutes.* Take $r = (0, 0, 0)$ and $s = (0, 1, 1)$ with the Jaccard kernel, $\kappa(r, s) = 1/3$. Study $x$ finds $r$ in 12 of its 20 experiments, and study $y$ in 9 of its 20. In all others, they find $s$. What is the MMD of the two studies? Assign it to `answer_2`, to three decimals.

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
# Is this distance large? Draw two studies of $n$ experiments each. They *look alike* if their distance is at most a threshold $\varepsilon$. The probability that they look alike is called the *n-generalizability* (Definition 4.1).
#
# $$n\text{-Gen}(\varepsilon) = \Pr\bigl(\mathrm{MMD}(X, Y) \le \varepsilon\bigr), \qquad X, Y \sim \mathbb{P}^n.$$
#
# With only a few possible results, we can list all pairs of studies and need no simulation.

# %%
gram, epsilon = borda.gram(possible), borda.epsilon(delta, 3)
distances, chances = gx.generalization.exact_mmd(gram, 3, p)
chapter.show_two_studies([first, second], distance, distances, chances, epsilon)

# %% [markdown]
# ## From a tolerance to a threshold
#
# Where does $\varepsilon$ come from? Hardly anybody knows which distance is large. So the papers ask for a *tolerance* $\delta$: the share of the alternatives by which a rank may differ (Borda), of the winners that may win in only one of two results (Jaccard), or of the pairs that may change their order (Mallows).
#
# The threshold follows from the tolerance: two studies of *one* experiment each look alike exactly when their results differ by at most $\delta$.
#
# <details><summary>The formula of the threshold</summary>
#
# $$\varepsilon = \sqrt{2 \, (\kappa_{\sup} - f(\delta))}$$
#
# Here $\kappa_{\sup} = 1$ is the largest similarity, and $f(\delta)$ is that of two results that differ by $\delta$: $e^{-\delta}$ for Borda and Mallows, $1 - \delta$ for Jaccard. Why a root, and why 2? Two studies of one experiment each have $\mathrm{MMD}^2 = 1 + 1 - 2 \kappa$.
#
# </details>
#
# **A small distance does not mean that results are similar.** Suppose that two studies both find $r$ in half of their experiments and $s$ in the other half. Their distance is 0. How similar are two of their results on average?

# %%
half = np.full(2, 0.5)
jaccard = questions[1].gram(example)
average = half @ jaccard @ half
assert gx.generalization.mmd(jaccard, jaccard, jaccard) == 0

# %% [markdown]
# The average Jaccard kernel of two results is only {eval}`f"{average:.3f}"`. The tolerance δ bounds how much the *distributions* of results differ, so a study can generalize although its results vary a lot. The papers (Section 4.4) say that δ also bounds how much individual results vary. The example shows that it does not.

# %% [markdown]
# ## How many experiments are enough?
#
# Now we can say how large a study should be: n\* is the smallest size at which two studies look alike with probability $\alpha$ or more.
#
# $$n^* = \min \bigl\{ n : n\text{-Gen}(\varepsilon) \ge \alpha \bigr\}$$
#
# Example 4.2 lets the rank of a1 differ by one of three models, so δ = 1/3, and chooses α = 0.99. It does not say how many positions this takes, because that depends on $\mathbb{P}$. For our $\mathbb{P}$, we can compute it, for this tolerance and for a stricter one.

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
# With δ = {eval}`chapter.as_written(delta)`, two studies need {eval}`enough[delta]` positions each. With δ = {eval}`chapter.as_written(strict_delta)`, they need {eval}`enough[strict_delta]`. In the main figure (at the top of the page), a curve may fall when n grows: two single results are identical more often than two pairs are. (The paper computes with δ = 0.33, which excludes a difference of one model. Use the exact third.)
#
# How much does the question matter? Take $r$ and $s$ of Example 4.1, equally likely, at the papers' usual $\alpha = 0.95$ and $\delta = 0.05$.

# %%
by_question = {
    kernel.name: gx.generalization.exact_nstar(kernel.gram(example), 0.95, kernel.epsilon(0.05, 3), half)
    for kernel in questions
}

# %% [markdown]
# For similar winners (Jaccard), two studies need {eval}`by_question["Jaccard(1)"]` experiments each. For similar orders (Mallows), they need {eval}`by_question["Mallows"]`, and for similar ranks of a1 (Borda), {eval}`by_question["Borda(a1)"]`.

# %% [markdown] tags=["exercise"]
# ### Exercise 3: What n\* promises
#
# *Understanding · 5 minutes.* For the question "which models are the best?" (Jaccard, $k = 1$), n\* is 26 at $\alpha = 0.95$ and $\delta = 0.05$. Two laboratories draw 26 positions each, independently and at random. What follows?
#
# - **a** The same models are the best in at least 95 % of the positions.
# - **b** With probability 0.95 or more, both laboratories name the same model as the best one overall.
# - **c** With probability 0.95 or more, the MMD of their results is at most ε: they find similar sets of best models, about equally often.
# - **d** A third laboratory takes all its positions from endgames. Its results are just as likely to look like theirs.
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
# *Application · 10 minutes.* Real models often fail on the same positions. Suppose that all three models fail on half of the positions, and that the other positions are as in this notebook (`success = [0.5, 0.4, 0.3]`). Guess first: is n\* for Borda of a1, at $\alpha = 0.99$ and $\delta = 0.05$, now larger or smaller than 17? Assign the exact n\* to `answer_5`.

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
# In practice, you have experiments but do not know $\mathbb{P}$. How good is an estimate of n\*? Here we know the truth, so we can check. We draw many studies and estimate n\* from each, with our method (*moments*, derived in notebook 11) and with the papers' (*resampling*: it extrapolates the distances between disjoint parts of the data, and gives no interval).

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
worst = near.groupby(level=["method", "size"]).min()
caption = "Shares of the estimates that are within a factor of two of the exact n\\*, by number of positions."
sizes = near.unstack("size")
chapter.show_table(sizes, "near", caption, forms=dict.fromkeys(sizes, chapter.percent))

# %%
ours = repeated[repeated["method"] == "moments"]
whole = np.ceil(ours[["low", "high"]] * (1 - 1e-9))
covered = ours["true"].between(whole["low"], whole["high"])
held = covered.groupby([tolerances, ours["size"]]).mean()

# %% [markdown]
# An estimate from few positions can be far off, so never report one without its interval. If the interval is too wide to decide anything, run more experiments. Our {eval}`chapter.percent(confidence)` intervals (rounded up, because n\* is a whole number) cover the exact n\* in {eval}`chapter.percent(held.min(), 1)` or more of the {eval}`n_studies` studies of each size.

# %% [markdown] tags=["exercise"]
# ### Exercise 6: Where n\* is largest
#
# *Project · 25 minutes.* Let each of the three probabilities in `success` be 0, 0.25, 0.5, 0.75 or 1. Which of the 125 combinations has the largest n\* for Borda of a1, at $\alpha = 0.95$ and $\delta = 0.05$? Assign the three probabilities, in the order a1, a2, a3, to `answer_6`. Then explain what you find: when does a position say least about the next one? Check your explanation with a kernel of your choice.

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
chapter.check_results(truth, by_question)
chapter.keep_key_numbers(enough, near, held, by_question)

# %% [markdown] tags=["findings"]
# - **The stricter you are, the more experiments two laboratories need.** With a loose tolerance, each laboratory needs {eval}`enough[delta]` chess positions to find a similar rank of a model. With a strict tolerance, each needs {eval}`enough[strict_delta]`. So first say what you call similar. *These numbers are exact, for chances of success that we assumed. The laboratories then agree with a probability of at least {eval}`chapter.as_written(alpha)`. Ranks on two positions may differ by {eval}`chapter.as_written(delta)` of the number of models (loose) or by {eval}`chapter.as_written(strict_delta)` of it (strict).*
# - **The number depends on what you ask.** Suppose that two results are equally likely: all three models tie, or the first model wins alone. For a similar rank of the first model, {eval}`by_question["Borda(a1)"]` experiment is enough, because no model ever beats it. Similar orders take {eval}`by_question["Mallows"]`, and similar winners take {eval}`by_question["Jaccard(1)"]`. *Exact. Two studies of this size are similar with probability 0.95, at tolerance δ = 0.05.*
# - **An estimate from ten experiments can be far off.** How many positions are enough? From ten positions, our answer is within a factor of two of the truth in {eval}`chapter.percent(worst["moments", 10])` of the studies, and the published method's in {eval}`chapter.percent(worst["resampling", 10])`. From 40, both come this close in at least {eval}`chapter.percent(worst.xs(40, level="size").min())`. So report an interval. *Simulated: {eval}`n_studies` studies of each size, at each of the two tolerances; we show the lower share. Our {eval}`chapter.percent(confidence)` intervals cover the truth in at least {eval}`chapter.percent(held.min(), 1)` of them.*

# %% [markdown]
# ## Summary
#
# - n-generalizability is the probability that two studies of n experiments look alike. At n\*, it first reaches α.
# - δ bounds how far the *distributions* of two studies may differ. It says nothing about how much individual results vary.
# - A study that generalizes need not be informative: n\* does not say whether the answer is worth having.

# %% [markdown]
# ## Further reading
#
# - [Montgomery, 2017, *Design and Analysis of Experiments*](https://www.wiley.com/en-us/Design+and+Analysis+of+Experiments%2C+9th+Edition-p-9781119113478): factors, their levels and their roles.
# - [Gretton et al., 2012, *A Kernel Two-Sample Test*](https://jmlr.org/papers/v13/gretton12a.html): where the MMD comes from, how to estimate it, and when it is a distance.
# - [Pineau et al., 2021, *Improving Reproducibility in Machine Learning Research*](https://jmlr.org/papers/v22/20-303.html): what else can be asked of a study, besides generalizability.
