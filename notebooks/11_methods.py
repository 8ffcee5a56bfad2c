# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Where the formulas come from
#
# You ran a benchmark on 20 datasets, and a colleague runs the same benchmark on 20 others. Neither of you makes a mistake, and still your results differ by chance. How much do they differ? Every number of experiments that this toolkit recommends follows from the answer.
#
# In this notebook you will derive the answer step by step. After most formulas a cell computes an example, in worlds so small that the truth is known. You will see how well each shortcut works, why the default estimate is
# built as it is, and what remains true if somebody chooses the experiments. We ran the longer simulations beforehand (`data/runs/approximations.py`), for $\alpha = 0.95$ and $\delta = 0.05$. The notebook reads their results.
#
# **You will learn** why the distance between two studies has a limit law, and which one; how eigenvalues become a quantile, and how the quantile becomes a number of experiments; how the default estimate works without any resampling; how far each approximation is from the truth; and what happens if experiments are chosen instead of drawn.
#
# **You need** notebook 01, expectations and variances, the covariance matrix of a random vector, eigenvalues of a symmetric matrix, and the chi-squared distribution. A **Gram matrix** contains the kernel values of all pairs of
# results. The **skewness** (third moment) says how lopsided a distribution is. The **kurtosis** (fourth moment) says how heavy its tails are.
#
# **Time** 60 minutes to read, 170 with the exercises.
#
# *This chapter follows Theorem 4.1 and Appendices B to D of* Generalizability of Experimental Studies *(Matteucci et al., 2025).*

# %% [markdown]
# ## Parameters

# %% tags=["parameters"]
alpha: float = 0.95  # generalizability wanted, in [0.8, 1)
delta: float = 0.05  # tolerance, in (0, 1]
n_pairs: int = 20000  # simulated pairs of studies, where they are not listed
seed: int = 0  # seed of everything random

# %%
import numpy as np
import pandas as pd
from scipy import stats

import genexpy_nb as gx
from genexpy_nb.chapters import methods as chapter

gx.plots.use_style()

# %% [markdown]
# ## Four worlds
#
# A *world* says how likely each result is, and which question is asked, as in notebook 01. We use four invented worlds, so small that we can often list all pairs of studies.

# %%
worlds = chapter.example_worlds(delta)
chapter.show_worlds(worlds, delta)

# %% [markdown]
# In the first world, all 13 rankings of three alternatives are equally likely. The second world is from the papers' Appendix A. In the third, four alternatives come in one order, but 30 % of the results are uniform noise. In the fourth, one
# of ten alternatives wins each experiment. The second wins half as often as the first, the third wins half as often as the second, and so on. We compute each step in the third world.

# %%
world = worlds[2]
K, p, epsilon = world.gram, world.probabilities, world.epsilon

# %% [markdown]
# ## The distance is one sum of differences
#
# The *MMD* is the distance between two studies (Definition 4.4). A kernel is a scalar product: $\kappa(x, y) = \langle \phi(x), \phi(y) \rangle$ in some feature space. So the squared MMD is the squared length of a difference of means. Pair the experiments of the two studies in any order and let $D_i = \phi(x_i) - \phi(y_i)$. Then
#
# $$\mathrm{MMD}(x, y)^2 = \Bigl\| \frac{1}{n} \sum_i \phi(x_i) - \frac{1}{n} \sum_i \phi(y_i) \Bigr\|^2 = \frac{1}{n^2} \Bigl\| \sum_{i=1}^n D_i \Bigr\|^2 = w^{\top} K w.$$
#
# Here $w$ contains, for each result, how often it occurs in $x$ minus how often it occurs in $y$, divided by $n$. The squared distance is a *V-statistic*: its double sums include the diagonal, $i = j$. So it is biased: on average, two samples from one world have a positive distance, unless the world has only one result.

# %%
n = 12
rng = np.random.default_rng(seed)
x, y = (rng.choice(len(p), size=n, p=p) for _ in range(2))
by_definition = gx.generalization.mmd(K[np.ix_(x, x)], K[np.ix_(y, y)], K[np.ix_(x, y)]) ** 2
w = (np.bincount(x, minlength=len(p)) - np.bincount(y, minlength=len(p))) / n
np.testing.assert_allclose(by_definition, w @ K @ w, atol=1e-12)

# %% [markdown]
# For two studies of {eval}`n` experiments from the third world, both ways of computing the squared distance give {eval}`f"{by_definition:.4f}"`.

# %% [markdown]
# ## Centring changes nothing, and makes everything simple
#
# Subtract the mean $\mu = \mathbb{E}\,\phi(x)$ from every feature vector. Differences stay as they are. The kernel becomes
#
# $$\tilde\kappa(x, y) = \kappa(x, y) - \mathbb{E}_z \kappa(z, y) - \mathbb{E}_z \kappa(x, z) + \mathbb{E}_{z, z'} \kappa(z, z').$$
#
# The matrix becomes
#
# $$\tilde K = (I - 1 p^{\top})\, K\, (I - p 1^{\top}).$$
#
# The centred kernel is *degenerate*: for each $x$, its mean over $y$ is 0. The limit needs this, so the centring must use the probabilities $p$. Theorem C.2 prints $H K H$ with $H = I - \frac{1}{l} 1 1^{\top}$, which gives all $l$ results the same weight.

# %%
H = np.eye(len(p)) - 1 / len(p)
centred = chapter.centred_gram(K, p)
np.testing.assert_allclose(centred @ p, 0, atol=1e-12)
np.testing.assert_allclose(w @ centred @ w, by_definition, atol=1e-12)
means_of_hkh = H @ K @ H @ p

# %% [markdown]
# With the probabilities, all these means are 0 in the third world. With $H K H$ they range from {eval}`chapter.written_number(means_of_hkh.min(), 3)` to {eval}`chapter.written_number(means_of_hkh.max(), 3)`.

# %% [markdown]
# ## The limit law
#
# $\sum_i D_i / \sqrt{n}$ is a sum of independent vectors with mean 0. By the central limit theorem it tends to a Gaussian vector. Let $C$ be the covariance of $\phi(x)$. Each of the two studies contributes one $C$, so the vector has the covariance $2 C$. The squared length of a Gaussian vector is a sum over its principal axes. Let $\lambda_k$ be the eigenvalues of $C$ and $Z_k$ independent standard normal variables. Then (Theorem C.1)
#
# $$n\,\mathrm{MMD}_n^2 \;\xrightarrow{d}\; \sum_k \lambda_k (a_k - b_k)^2 \;\sim\; 2 \sum_k \lambda_k Z_k^2,$$
#
# because $a_k - b_k$ is the difference of two independent standard normal variables, and has variance 2. The map $(Tg)(y) = \int \tilde\kappa(x, y)\, g(x)\, d\mathbb{P}(x)$ has the same eigenvalues as $C$. With $l$ results, so does the matrix $\tilde K \operatorname{diag}(p)$, and so does the symmetric matrix $\operatorname{diag}(\sqrt{p})\, \tilde K \operatorname{diag}(\sqrt{p})$.

# %%
spectrum = chapter.eigenvalues(K, p)
as_in_c2 = chapter.eigenvalues(K, p, "published")
in_words = [", ".join(f"{value:.3f}" for value in values) for values in (spectrum, as_in_c2)]

# %% [markdown]
# In the third world the eigenvalues are {eval}`in_words[0]`. The last one belongs to the constant function. With $H K H$ in place of the centred matrix they would be {eval}`in_words[1]`.
#
# The sum of the eigenvalues is the trace of $C$, and we call it $L_1$. It is half the mean squared distance between two results. In the third world it is {eval}`f"{spectrum.sum():.4f}"`.
#
# One fact needs no limit: the mean of $n\,\mathrm{MMD}_n^2$ is $\mathbb{E} \|D\|^2 = 2 L_1$ for every $n$, because the differences are independent and have mean 0.

# %% [markdown] tags=["exercise"]
# ### Exercise 1: One eigenvalue
#
# *Understanding · 10 minutes.* Two results share nothing: $\kappa$ is 1 for equal results and 0 otherwise. Their probabilities are 0.8 and 0.2. The centred kernel has one eigenvalue that is not 0. Work it out by hand, and assign it to `answer_1`, to two decimals.

# %% tags=["solution"]
answer_1 = chapter.eigenvalues(np.eye(2), [0.8, 0.2])[0]

# %% tags=["check"]
gx.check("11-1", answer_1)

# %% [markdown] tags=["explanation"]
# **Why.** Two results differ with probability $2 \cdot 0.8 \cdot 0.2 = 0.32$, and their squared distance is then $1 + 1 - 0 = 2$. Half the mean squared distance is $L_1 = 0.32$, the sum of the eigenvalues. Only one eigenvalue is not 0, because two points span a line. The centring of Theorem C.2 gives 0.5, whatever the probabilities are.

# %% [markdown] tags=["exercise"]
# ### Exercise 2: What grows and what does not
#
# *Understanding · 10 minutes.* In a world with $L_1 = 0.3$, what is the mean of the squared MMD, $\mathbb{E}\,\mathrm{MMD}_n^2$, for $n$ = 1, 10 and 100? Assign the three numbers as a list to `answer_2`, to three decimals.

# %% tags=["solution"]
answer_2 = [2 * 0.3 / n_each for n_each in (1, 10, 100)]

# %% tags=["check"]
gx.check("11-2", answer_2)

# %% [markdown] tags=["explanation"]
# **Why.** $\mathbb{E}\,n\,\mathrm{MMD}_n^2 = 2 L_1 = 0.6$ exactly, for every $n$: in the double sum only the diagonal has a mean other than 0. So $\mathbb{E}\,\mathrm{MMD}_n^2 = 0.6 / n$. This is the slope $-2$ of Theorem 4.1, and it holds for every $n$, not only in the limit: to halve the distance, you need four times as many experiments.

# %% [markdown]
# ## Why the kernels are kernels
#
# All of this needs $\kappa$ to be a scalar product: no Gram matrix may have a negative eigenvalue. The proofs are short.
#
# - **Borda.** $e^{-\nu |b_1 - b_2|}$ is the mean of $\cos t (b_1 - b_2) = \cos t b_1 \cos t b_2 + \sin t b_1 \sin t b_2$ over a Cauchy variable $t$ with scale $\nu$, and for each $t$ this is a scalar product.
# - **Mallows.** Write a ranking as the 0/1 matrix $\Phi(r)_{ij} = [r_i \le r_j]$. Then $2 d = \|\Phi(r_1) - \Phi(r_2)\|^2$, and $e^{-\nu d}$ is a Gaussian kernel of vectors (Schoenberg).
# - **Jaccard.** Put all alternatives in a random order. The first one of $A$ is also the first one of $B$ with probability $|A \cap B| / |A \cup B|$. So the kernel is a mean of scalar products again: $\sum_a [\text{first of } A = a]\,[\text{first of } B = a]$.
#
# Sums, products and means of kernels are kernels. But a similarity that merely looks like a kernel need not be one. Take the common winners as a share of the *smaller* set of winners, for all 75 rankings of four alternatives, with ties:

# %%
every = gx.generalization.weak_orders(4)
grams = {
    "Borda": gx.BordaKernel(0).gram(every),
    **{f"Jaccard({k})": gx.JaccardKernel(k).gram(every) for k in (1, 2, 3)},
    "Mallows": gx.MallowsKernel().gram(every),
    "overlap of winners": chapter.overlap_of_winners(every),
}
smallest = pd.Series({name: np.linalg.eigvalsh(gram).min() for name, gram in grams.items()})
assert smallest.drop("overlap of winners").min() > -1e-8 and smallest["overlap of winners"] < -0.1
three = chapter.overlap_of_winners([[0, 1], [1, 0], [0, 0]])
weights = np.array([0.5, 0.5, -1.0])
squared_distance = weights @ three @ weights

# %% [markdown]
# The Gram matrices of Borda, Jaccard and Mallows have no negative eigenvalue, as required. The smallest eigenvalue of this overlap of winners is {eval}`chapter.written_number(smallest["overlap of winners"], 1)`. Three results are enough to see what goes wrong: *a* wins, *b* wins, both win. One study saw *a* and *b* once each, and the other saw the tie twice. The squared distance of the two studies is {eval}`chapter.written_number(squared_distance)`, and a squared distance below zero is no distance. Nothing in this notebook holds for such a similarity.

# %% [markdown] tags=["exercise"]
# ### Exercise 3: Kernel or not?
#
# *Application · 20 minutes.* Here are three similarities of rankings: (i) the share of alternatives that have the same tier in both; (ii) $1 - |b_1 - b_2| / n_a$, with the Borda counts $b$ of the first alternative; (iii) 1 if the two rankings have a winner in common, and 0 otherwise. Which of these similarities have no negative eigenvalue on
# all 75 rankings of four alternatives? Assign a list of three truth values to `answer_3`.

# %% tags=["solution"]
every_ranking = gx.generalization.weak_orders(4)
counts_of_first = (every_ranking >= every_ranking[:, [0]]).sum(axis=1)
best_ones = (every_ranking == 0).astype(int)
candidates = [
    (every_ranking[:, None] == every_ranking).mean(axis=2),
    1 - np.abs(np.subtract.outer(counts_of_first, counts_of_first)) / 4,
    (best_ones @ best_ones.T > 0).astype(float),
]
answer_3 = [bool(np.linalg.eigvalsh(each).min() > -1e-9) for each in candidates]

# %% tags=["check"]
gx.check("11-3", answer_3)

# %% [markdown] tags=["explanation"]
# **Why.** For one alternative, "same tier in both rankings" is a scalar product of indicators, and (i) is the mean of these products over all alternatives. (ii) is the overlap of two intervals of length $n_a$, as a share of $n_a$, and overlaps are scalar products. On three results, (iii) has the matrix with rows 1 0 1, 0 1 1 and 1 1 1, and its determinant is $-1$. If two vectors of length 1 are orthogonal, no third
# vector of length 1 has scalar product 1 with both.

# %% [markdown]
# ## From the limit to a formula
#
# The distribution of $Q = 2 \sum_k \lambda_k Z_k^2$ has no closed form. Appendix C.1 replaces it in three steps.
#
# **One chi-squared variable** (Solomon and Stephens). Choose $a$ and $d$ such that $Y = a \chi^2_d$ has the mean and the variance of $Q$:
#
# $$a d = 2 \sum_k \lambda_k, \quad 2 a^2 d = 8 \sum_k \lambda_k^2 \quad \Longrightarrow \quad a = \frac{2 \sum_k \lambda_k^2}{\sum_k \lambda_k}, \quad d = \frac{\bigl(\sum_k \lambda_k\bigr)^2}{\sum_k \lambda_k^2}.$$
#
# This is a shorter form of Eq. 42, in which $\Lambda_2 - \Lambda_1^2 = 2 \sum_k \lambda_k^2$. So $d$ is the *effective number of dimensions* that the results fill.
#
# **A normal variable** (Wilson and Hilferty). The cube root of a chi-squared variable is nearly normal: with a standard normal quantile $z_\alpha$,
#
# $$q_\alpha(Y) \approx a d \, C^3, \qquad C = \sqrt{\tfrac{2}{9 d}}\; z_\alpha + 1 - \tfrac{2}{9 d}.$$
#
# **A formula for the normal quantile** (Lin). For $z > 0$, $1 - \Phi(z) \approx \frac{1}{2} e^{-0.717 z - 0.416 z^2}$. Eq. 46 solves this for $z$.
#
# Then $n^* = q_\alpha / \varepsilon^2$, because $\mathrm{MMD}_n \approx \sqrt{Q / n}$. That is Theorem 4.1: in logarithms, a line with slope $-2$. We look at what each step changes.

# %%
a, d = chapter.matched_chi_squared(spectrum)
quantiles = {
    "truth for n = 80": chapter.simulated_quantile(world, 80, alpha, n_pairs, seed),
    "limit law": chapter.limit_quantile(spectrum, alpha),
    "one chi-squared variable": a * stats.chi2.ppf(alpha, d),
    "its cube root is normal": gx.generalization.closed_form(K, alpha, 1.0, p),
    "Lin's normal quantile": gx.generalization.closed_form(K, alpha, 1.0, p, normal="lin"),
}
steps = pd.DataFrame({"quantile": quantiles}).rename_axis("step")
steps["change"] = steps["quantile"].pct_change()
chapter.show_steps(steps, alpha)

# %% [markdown]
# The results fill {eval}`f"{d:.2f}"` effective dimensions. No step changes the quantile, and so n\*, by more than {eval}`chapter.percent(steps["change"].abs().max(), 1)`. But the truth in the first row is for studies of 80 experiments. For smaller studies the limit is further off, and the derivation has no error term for this.

# %% [markdown]
# ## The bound
#
# Proposition C.4 needs no limit. If the kernel lies between 0 and $\kappa_{\sup}$, as our three do, then (Gretton et al., Theorem 8)
#
# $$\Pr\Bigl(\mathrm{MMD}_n > \sqrt{2 \kappa_{\sup} / n} + t\Bigr) < e^{-n t^2 / (4 \kappa_{\sup})}, \qquad\text{hence}\qquad n = \frac{1}{\varepsilon^2} \Bigl(\sqrt{-4 \kappa_{\sup} \log(1 - \alpha)} + \sqrt{2 \kappa_{\sup}}\Bigr)^2$$
#
# experiments are enough, whatever the distribution (Eqs. 59 and 60). The $\beta_0$ of Eq. 61 does not follow from Eq. 60: the factor 2 before the logarithm of the parenthesis is lost. The result is smaller, and no longer a bound. A coin shows this: two equally likely results that share nothing have one eigenvalue, 1/2.

# %%
strict = 0.999
coin = pd.Series(
    {
        "needed in the limit": chapter.limit_quantile([0.5], strict) / epsilon**2,
        "enough by Eq. 61": chapter.enough_by_equation_61(strict, epsilon),
        "enough by Eq. 60": gx.generalization.bound(strict, epsilon),
    }
)
assert coin["enough by Eq. 61"] < coin["needed in the limit"] < coin["enough by Eq. 60"]

# %% [markdown]
# For $\alpha$ = {eval}`strict`, {eval}`f"{coin['needed in the limit']:.0f}"` experiments are needed in the limit. Eq. 61 asks for {eval}`f"{coin['enough by Eq. 61']:.0f}"`, and Eq. 60 for {eval}`f"{coin['enough by Eq. 60']:.0f}"`.

# %% [markdown] tags=["exercise"]
# ### Exercise 4: Where Eq. 61 stops being a bound
#
# *Application · 20 minutes.* For two equally likely results that share nothing, n\* tends to $\chi^2_1(\alpha) / \varepsilon^2$, where $\chi^2_1(\alpha)$ is the quantile. With $\kappa_{\sup} = 1$, Eq. 61 asks for $2 (\sqrt{-2 \log (1 - \alpha)} + 1) / \varepsilon^2$ experiments. What is the smallest $\alpha$ at which this number is too small? Assign it to
# `answer_4`, to three decimals.

# %% tags=["solution"]
from scipy.optimize import brentq

answer_4 = brentq(lambda at: stats.chi2.ppf(at, 1) - 2 * (np.sqrt(-2 * np.log(1 - at)) + 1), 0.9, 0.9999)

# %% tags=["check"]
gx.check("11-4", answer_4)

# %% [markdown] tags=["explanation"]
# **Why.** For large $\alpha$ the quantile of a chi-squared variable grows like $-2 \log(1 - \alpha)$, and the printed number grows like the root of this. So the curves must cross. At $\alpha = 0.95$ the printed number, 6.90, is above the quantile, 3.84. At 0.999 the printed number, 9.43, is below the quantile, 10.83. A number that is enough in most examples is not a bound.

# %% [markdown]
# ## Moments: what the default does
#
# We do not know the eigenvalues, because we have only $N$ experiments. But the first moments nearly determine the quantile. In our worlds this holds even if one eigenvalue dominates, as we show below. And two of the moments are *exact for every* $n$:
#
# $$\mathbb{E}\, n\,\mathrm{MMD}_n^2 = 2 L_1, \qquad \operatorname{Var}\, n\,\mathrm{MMD}_n^2 = 8 S_2 \Bigl(1 - \frac{1}{n}\Bigr) + \frac{4 v}{n}.$$

# %% [markdown]
# Here $L_1 = \operatorname{tr} C = \tfrac{1}{2} \mathbb{E} \|\phi(x) - \phi(x')\|^2$, $S_2 = \operatorname{tr} C^2$ and $v = \tfrac{1}{4} \operatorname{Var} \|\phi(x) - \phi(x')\|^2$.
#
# *Why.* $\|\sum_i D_i\|^2 / n = \frac{1}{n} \sum_i \|D_i\|^2 + \frac{1}{n} \sum_{i \ne j} \langle D_i, D_j \rangle$. The mixed terms have mean 0, and all terms are uncorrelated. The first sum has variance $\operatorname{Var} \|D\|^2 / n = 4 v / n$. The second sum has a variance of $2 n (n - 1) / n^2$ times $\mathbb{E} \langle D, D' \rangle^2 = \operatorname{tr}\,(2C)^2 = 4 S_2$. For large $n$ the third central moment tends to $64 S_3$, the third central moment of $2 \sum_k \lambda_k Z_k^2$, with $S_3 = \operatorname{tr} C^3$. For n = 1, 2, 5 and 10 we list all pairs of studies. The first two moments are right to nine digits.

# %%
known, thirds = chapter.population_moments(K, p), {}
for m in (1, 2, 5, 10):
    distances, chances = gx.generalization.exact_mmd(K, m, p)
    mean = m * distances**2 @ chances
    np.testing.assert_allclose([mean, (m * distances**2 - mean) ** 2 @ chances], [known.mean, known.variance(m)], 1e-9)
    thirds[m] = (m * distances**2 - mean) ** 3 @ chances

# %% [markdown]
# The formula for the third moment is exact only in the limit: in the third world the third moment is {eval}`f'{thirds[5]:.3f}'` for studies of 5 experiments, and {eval}`f'{64 * known.s3:.3f}'` in the limit.
#
# ### Estimated without bias
#
# If a formula contains independent results, its estimate must use different experiments for them. So each moment is a mean over *distinct* experiments.
#
# - $L_1$: half the mean squared distance over pairs.
# - $S_2 = \mathbb{E}\, \tilde\kappa(x, x')^2$: the mean of $\kappa_{12}^2 - 2 \kappa_{12} \kappa_{13} + \kappa_{12} \kappa_{34}$, over all choices of four distinct experiments 1 to 4. It reduces to three sums over the Gram matrix: of all entries, of their squares, and of the squared row sums.
# - $v$: a quarter of the variance of the squared distances. The variance is their mean square over pairs, minus the square of their mean. To estimate this square, we average products of two pairs without a common experiment.
# - $S_3$: a mean over six distinct experiments. For a matrix whose rows sum to 0, it reduces to sums over triples.
#
# The obvious alternative is to plug in the empirical distribution, that is, to take the eigenvalues of the observed matrix. This is biased, because a sample is less diverse than its world.

# %%
estimated = chapter.made("simulated_moments").set_index("moment")
estimated["bias"] = estimated["plugged in"] / estimated["truth"] - 1
off = ((estimated["unbiased"] - estimated["truth"]) / estimated["error"]).abs().max()
chapter.show_moments(estimated)

# %% [markdown]
# The means of the unbiased estimates are within {eval}`f"{off:.1f}"` standard errors of the truth. If we plug in the empirical distribution, $L_1$ is on average only 1 − 1/10 of its true value, and the other moments are off by up to {eval}`f"{100 * estimated['bias'].abs().max():.0f}"` %.

# %% [markdown]
# ### A chi-squared variable with these moments
#
# We approximate $n\,\mathrm{MMD}_n^2$ by a shifted and scaled chi-squared variable with this mean, this variance $V_n$, and the skewness of the limit (Hall; Buckley and Eagleson):
#
# $$n\,\mathrm{MMD}_n^2 \approx 2 L_1 + \sqrt{V_n}\; \frac{\chi^2_\nu - \nu}{\sqrt{2 \nu}}, \qquad \nu = \frac{S_2^3}{S_3^2}.$$
#
# The estimate of n\* is the $n$ at which the $\alpha$-quantile of this variable is $n \varepsilon^2$. This is one equation in one unknown. It needs no resampling and no seed. With one eigenvalue, $\nu = 1$ and the match is exact in the limit.
#
# If only two different results occur, or if some are rare, the MMD takes few values, and no smooth curve fits it. So the default has a correction for each of these two cases. The
# [accuracy page](../docs/accuracy.md) says how much they help.

# %% [markdown]
# ### The interval
#
# Leave out one experiment and estimate $\log n^*$ again. Repeat this for each of the $N$ experiments. The *jackknife* variance is $(N - 1)/N$ times the sum of the squared deviations of these estimates. The interval is
# $\log n^* \pm t \sqrt{\text{variance}}$. We take the logarithm because n\* is positive and, in the limit, proportional to the squared distances of results. So an error in these distances multiplies n\* by a factor. If single experiments matter more, the $N$ estimates have a larger kurtosis, and the quantile $t$ has fewer degrees of freedom.
# If there are only two results, the interval comes from Wilson's interval for a share. If results are nearly as diverse as they can be, a power of n\* replaces the logarithm. We choose this power so that its standard error does not depend on n\*.
#
# <details><summary>The degrees of freedom</summary>
#
# The quantile $t$ has $2 N / (\text{kurtosis} - (N - 3)/(N - 1))$ degrees of freedom, but at most $N - 1$.
#
# </details>
#
# The [accuracy page](../docs/accuracy.md) measures how often the interval covers n\* in 120 cases, and names the cases in which it fails.

# %% [markdown]
# ## The truth, and every approximation of it
#
# For four worlds and several sizes we know how far apart two studies are by chance. We list all pairs of studies if we can, and otherwise simulate 20,000 pairs. How close does each approximation come for $\alpha = 0.95$?

# %%
compared = chapter.made("simulated_quantiles")
of_worlds = compared.pivot_table(
    index="world", columns="approximation", values="error", aggfunc=lambda e: e.abs().max()
)
worst = of_worlds.max()
answers = chapter.made("simulated_nstar").set_index("world")
dear = answers["bound"] / answers["definition"]
errors = (answers.div(answers["definition"], axis=0) - 1).abs()
of_nstar, nearer = errors.max(), int((errors["closed form"] < errors["three moments"]).sum())
two_nearer = int((errors["two moments"] < errors["three moments"]).sum())
by_two, by_three = (chapter.percent(of_nstar[f"{n} moments"]) for n in ("two", "three"))
off_by = f"{by_two} with two moments and {by_three} with three"
if by_two == by_three:
    off_by = f"{by_two}, whether we use two moments or three"
hurt = of_worlds["closed form, their code"].idxmax()

# %% tags=["hero"]
chapter.show_errors(compared)

# %% [markdown]
# The main figure (at the top of the page) has these rows, from top to bottom. The *bound* knows nothing about the world. The *closed form* of Appendix C.1 has two rows. The first is what the authors' program computes, with two errors (see the errata). The second is what the derivation gives. *Two moments* uses the mean and variance at this $n$. *Three moments* also uses the skewness of the limit. Both leave out the default's corrections. The *limit law* uses all eigenvalues.
#
# At these sizes the largest error is {eval}`chapter.percent(worst["three moments"])` for three moments, {eval}`chapter.percent(worst["closed form"])` for the closed form, and {eval}`chapter.percent(worst["limit law"])` for the limit law. For the closed form that the program computes, the largest error is {eval}`f"{100 * worst['closed form, their code']:.0f}"` %. At sizes in between, errors can be larger. For example, the closed form misses one n\* of the next table by {eval}`chapter.percent(of_nstar["closed form"])`. All these formulas are computed from the known world. An estimate from a study adds its own error (notebook 04).
#
# To find n\* by its definition, we simulate pairs of studies, and look for the real number at which the quantile of their distance crosses $\varepsilon$.

# %%
chapter.show_answers(answers)

# %% [markdown]
# n\* is off by at most {eval}`off_by`. Two moments give the better n\* in {eval}`two_nearer` of the {eval}`len(answers)` worlds. So the third moment hardly matters here. The [accuracy page](../docs/accuracy.md) shows how much the third moment improves the estimates.

# %% [markdown]
# ## Several random factors, in the same notation
#
# A study crosses $n$ datasets with $m$ models, and another study draws new datasets and new models. In the feature space a cell is $\phi_{ij} = \mu + a_i + b_j + e_{ij}$. Its parts have the covariances $C_A$, $C_B$, $C_{AB}$, with traces $V_A$, $V_B$, $V_{AB}$. So the means of two studies differ by a vector with covariance $2 (C_A / n + C_B / m + C_{AB} / (n m))$, and
#
# $$\mathbb{E}\, \mathrm{MMD}^2 = 2 \Bigl( \frac{V_A}{n} + \frac{V_B}{m} + \frac{V_{AB}}{n m} \Bigr).$$
#
# For Gaussian parts, the variance of $\mathrm{MMD}^2$ is $8 \operatorname{tr} (C_A / n + C_B / m + C_{AB} / (n m))^2$. If $m$ is fixed, the distance does not go to 0, however many datasets there are. Notebook 10 estimates the traces from one study.

# %% [markdown] tags=["exercise"]
# ### Exercise 5: However many datasets
#
# *Understanding · 10 minutes.* A study crosses $n$ new datasets with $m$ new models, where $V_A = 1$ (datasets), $V_B = 0.25$ (models), $V_{AB} = 0.5$. The mean squared distance of two such
# studies should be at most 0.021. What is the smallest number of models with which this is possible? Assign the whole number to `answer_5`.

# %% tags=["solution"]
answer_5 = int(np.ceil(2 * 0.25 / 0.021))

# %% tags=["check"]
gx.check("11-5", answer_5)

# %% [markdown] tags=["explanation"]
# **Why.** With ever more datasets, only $2 V_B / m$ is left. It is at most 0.021 if $m \ge 0.5 / 0.021 = 23.8$, so it takes 24 models. If the conclusion should hold for other models, no number of datasets replaces a model.

# %% [markdown]
# ## If experiments are chosen
#
# Every formula above assumes *random draws*. What if somebody picks the datasets after the results are known?

# %% [markdown]
# We simulated this in 400 studies. Five methods are run on 30 datasets. Scores are normal, with standard deviation 1 across the datasets. The means of neighbouring methods differ by 0.25. A report shows only some of the datasets. Can they be chosen so that a given method has the best mean?
#
# A search answers this question, in most cases with a proof. On each dataset the method has a lead over each rival. Give every rival a weight, average the leads with these weights, and take the datasets with the largest averages. If the sum of these averages is not positive, this proves that no choice beats all rivals. Otherwise the rivals that are still ahead get more weight, and so on.

# %%
picks = chapter.made("simulated_picks")
average = picks[picks["method"] == 2].set_index("k")
two_thirds = average.loc[20]

# %%
chapter.show_picks(picks, ["best", "second", "average", "fourth", "worst"])

# %% [markdown]
# If 20 of 30 datasets are drawn at random, the average method is first in {eval}`chapter.percent(two_thirds["drawn"])` of the studies. If we may choose the datasets, we can make it the winner in at least {eval}`chapter.percent(two_thirds["picked"])`. (The search left another {eval}`chapter.percent(two_thirds["open"])` undecided.) A report that does not name the datasets that it leaves out hides the choice. This one invented world proves nothing about others.
#
# A choice need not be dishonest to do harm. If the results of a study decide which datasets come next, its answer is about the datasets that it chose, not about the population.

# %% [markdown] tags=["exercise"]
# ### Exercise 6: How much must be reported?
#
# *Project · 40 minutes.* Two methods were run on 20 datasets. The lead of the first over the second is normal across the datasets, with mean −0.5 and standard deviation 1, so the first is worse. A report may choose the $k$ datasets that it contains. With one rival you need no search: which $k$ datasets are best for the first method? Simulate 100,000 studies. The first method wins if its mean lead on the chosen datasets is positive. What is the smallest $k$ with which it can win fewer than half of the studies?
# Assign the whole number to `answer_6`. Then let the mean lead be −0.2: how does the answer change? And what would you ask authors to report?

# %% tags=["solution"]
leads_6 = np.random.default_rng(1).normal(-0.5, 1, size=(100_000, 20))
best_first = -np.sort(-leads_6, axis=1)
can_win = (best_first.cumsum(axis=1) > 0).mean(axis=0)  # for k = 1, 2, ..., 20
answer_6 = int(np.flatnonzero(can_win < 0.5)[0]) + 1

# %% tags=["check"]
gx.check("11-6", answer_6)

# %% [markdown] tags=["explanation"]
# **Why.** The best choice is the $k$ largest leads. With all 20 datasets the worse method wins 1 study in 100. If the report may leave out seven datasets, it can make the worse method win 58 % of the studies. If the report may leave out six, the share is 46 %. With a mean lead of −0.2 it is enough to leave out three datasets, and the answer is 18. The remedy is a list of datasets that is fixed before the results are known, and a reason for each dataset that is left out.

# %% [markdown]
# ## Errata
#
# The next table lists what is wrong as printed, and what a paper leaves open. Most errors are slips of the pen. ([Another page](../docs/elsewhere.md) says which parts of the papers we left out, and why.) The last column says what the authors' own program does. For Matteucci et al. it is github.com/DrCohomology/genexpy, commit 5fccedcc of February 2026. Of the errors in the table, the program computes with only two. It centres with $H K H$, and it uses a routine for symmetric matrices to find the eigenvalues of a matrix that is not symmetric.
#
# One line is about data. For CIFAR-100, Figure 2 (j) of Huang et al. (2024) shows a Kappa with mean 0.137 and standard deviation 0.674, read off by eye. (Kappa is their measure of how a network copes with diverse data, here a number in [0, 1]; see notebook 07.) No variable in [0, 1] with mean $m$ has a standard deviation above $\sqrt{m (1 - m)}$, because its mean square is at most its mean.

# %%
found, quoted = chapter.slips(worlds, x, y, alpha, n_pairs, rng=seed)
chapter.show_errata(found, quoted)

# %% [markdown]
# ## The answer in short

# %%
chapter.keep_key_numbers(compared, dear, average, 20)

# %% [markdown] tags=["findings"]
# - **If we know how likely each result is, two formulas tell us how many experiments are enough.** The number that they give (n\*) is off by at most {eval}`chapter.percent(of_nstar["three moments"])` with our formula, and by at most {eval}`chapter.percent(of_nstar["closed form"])` with the paper's. The paper's comes closer in {eval}`nearer` of {eval}`len(answers)` invented *worlds*. *Ours uses the mean, the variance and the skewness of the limit; the paper's is the closed form of Appendix C. All numbers are for α = 0.95 and δ = 0.05. Every estimate from a sample adds its own error (notebook 04). The authors' program computes a different closed form, whose quantile is off by {eval}`f"{100 * worst['closed form, their code']:.0f}"` % in the world "{eval}`hurt`".*
# - **A guarantee costs many more experiments than are needed.** A formula that holds for every distribution of results asks for {eval}`chapter.span(dear, "{:.0f}")` times as many experiments as are needed. *We simulated the same four worlds.*
# - **Whoever chooses the datasets can choose the winner.** If 20 of 30 datasets are drawn at random, an average method wins {eval}`chapter.percent(two_thirds["drawn"])` of the studies. If we choose the 20 after seeing the results, this method can win at least {eval}`chapter.percent(two_thirds["picked"])`. *We simulated 400 studies of one invented world.*

# %% [markdown]
# ## Summary
#
# - $n\,\mathrm{MMD}_n^2$ is the squared length of a sum of independent differences. Its limit is a weighted sum of chi-squared variables. The weights are the eigenvalues of the kernel, centred with the *probabilities*.
# - The closed form of Appendix C is close to the truth in four worlds. Several lines around it are misprinted.
# - The default needs only three moments. In the four worlds that we tried, two moments do nearly as well. Two of the three moments are exact for every $n$, and all are estimated without bias.
# - A bound that holds for every distribution asks for several times too many experiments.
# - A similarity that is not a kernel gives squared distances below zero.
# - All of this holds for experiments that were drawn at random. Hand-picked experiments can make an average method win.

# %%
chapter.show_key_numbers()

# %% [markdown]
# ## Further reading
#
# - [Matteucci et al., 2025, *Generalizability of Experimental Studies*](https://arxiv.org/abs/2406.17374v3): Theorem 4.1 and Appendices B to D, which this chapter follows. The algorithm of [the first version](https://arxiv.org/abs/2406.17374v1) returns early.
# - [Gretton et al., 2012, *A Kernel Two-Sample Test*](https://jmlr.org/papers/v13/gretton12a.html): the limit of the MMD and its bounds, Theorems 8 and 12.
# - [Serfling, 1980, *Approximation Theorems of Mathematical Statistics*](https://doi.org/10.1002/9780470316481): V-statistics with degenerate kernels, Section 6.4.
# - [Schoenberg, 1938, *Metric spaces and positive definite functions*](https://doi.org/10.1090/S0002-9947-1938-1501980-0), [Jiao and Vert, 2018, *The Kendall and Mallows Kernels for Permutations*](https://doi.org/10.1109/TPAMI.2017.2719680), and [Bouchard et al., 2013, *A proof for the positive definiteness of the Jaccard index matrix*](https://doi.org/10.1016/j.ijar.2013.01.006): why the kernels are kernels.
# - Solomon and Stephens, 1977, *Distribution of a Sum of Weighted Chi-Square Variables*, Journal of the American Statistical Association 72, 881-885, [Wilson and Hilferty, 1931, *The Distribution of Chi-Square*](https://doi.org/10.1073/pnas.17.12.684), and Lin, 1989, *Approximating the Normal Tail Probability and its Inverse for Use on a Pocket Calculator*, Applied Statistics 38, 69-70: the three steps of the closed form.
# - Hall, 1983, *Chi Squared Approximations to the Distribution of a Sum of Independent Random Variables*, Annals of Probability 11, 1028-1036, and [Buckley and Eagleson, 1988, *An approximation to the distribution of quadratic forms in normal random variables*](https://doi.org/10.1111/j.1467-842X.1988.tb00471.x): three moments.
# - [Abate and Whitt, 1995, *Numerical Inversion of Laplace Transforms of Probability Distributions*](https://doi.org/10.1287/ijoc.7.1.36): how the limit law is computed here.
# - [Efron and Stein, 1981, *The Jackknife Estimate of Variance*](https://doi.org/10.1214/aos/1176345462): why its variance is too large rather than too small.
# - [Siegmund, 1985, *Sequential Analysis*](https://doi.org/10.1007/978-1-4757-1862-1): how to look often, and honestly.
# - [Simmons et al., 2011, *False-Positive Psychology*](https://doi.org/10.1177/0956797611417632), and [Dehghani et al., 2021, *The Benchmark Lottery*](https://arxiv.org/abs/2107.07002): what choices after the results can do, in psychology and on benchmarks.
