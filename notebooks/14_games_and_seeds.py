# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Which learner is better, in these games and in others?
#
# Several algorithms for reinforcement learning play the same small games again and again, each time with a different random seed. One algorithm does best on average. Does it stay ahead if somebody repeats the runs with other seeds? And would it be ahead in other games?
#
# **You will learn** how to put scores of different games on one scale, what the interquartile mean and performance profiles show, and why an interval over seeds says nothing about other games.
#
# **You need** to know what a quartile and a confidence interval are. You need no other notebook.
#
# **Time** 10 minutes to read, 75 with the exercises.

# %% tags=["parameters"]
confidence: float = 0.95  # of intervals, in (0, 1)
level: float = 0.05  # of tests over all algorithms at once, in (0, 1)
n_seeds: int = 10  # runs of each algorithm in each game, 3 to 10
left_out: list[str] = []  # games that are left out
seed: int = 0  # seed of everything random

# %%
import numpy as np
import pandas as pd
from scipy import stats

import genexpy_nb as gx
from genexpy_nb.chapters import second_study as chapter

gx.plots.use_style()
runs = gx.datasets.load_agents().query("seed < @n_seeds and game not in @left_out")

# %% [markdown]
# ## One scale for all games
#
# There are {eval}`runs["game"].nunique()` games: a maze, a cliff, a river with a current, a shop that orders its stock, a gambler and more. In each game, an agent makes a few thousand moves, and learns from its rewards. Each of {eval}`runs["algorithm"].nunique()` algorithms plays each game {eval}`n_seeds` times. The `score` of a run is the reward that the agent can expect after learning. `random` and `best` are the expected rewards of random moves and of the best possible moves. We compute all three exactly, so only learning is noisy.
#
# A point in the maze is not worth a point in the shop. So we use a *normalized score*: random moves get 0, and the best possible moves get 1.

# %%
found = gx.fields.games(runs, reference=["random", "best"], confidence=confidence, level=level, rng=seed)
leaders = found.algorithms.sort_values("estimate", ascending=False, kind="stable").index[:3]
top = leaders[0]
above = found.profiles.pivot(index="threshold", columns="algorithm", values="estimate").loc[0.01:1]
always = above[top].ge(above.max(axis=1)).all()
of_means = found.measures.query("measure == 'mean'").set_index("algorithm")
shorter = of_means.eval("games_high - games_low") / found.algorithms.eval("games_high - games_low")
n_games, tail = runs["game"].nunique(), (1 + confidence) / 2
outwards = np.sqrt(n_games / (n_games - 1)) * stats.t.ppf(tail, n_games - 1) / stats.norm.ppf(tail) - 1

# %% [markdown]
# We summarize an algorithm by its *interquartile mean*. We take its runs in all games and with all seeds, leave out the lowest and the highest quarter, and average the rest. So runs with extreme scores do not count.
#
# All algorithms learn what each move is worth in each situation, and most of them make a random move now and then. *Q-learning* learns from the best move that could follow, *SARSA* from the move that does follow, and *expected SARSA* from the average of all moves that could. *Double Q* keeps two tables: one says which move is best, and the other what it is worth, so a lucky move is not overrated. *Monte Carlo* learns only after a game has ended. *Hopeful Q* is Q-learning that begins
# with high hopes for every move (*optimistic initial values*). *Dyna-Q* is Q-learning that also learns from remembered moves, again and again. *R-max* plans with what it has seen, and assumes that what it has hardly tried is the best possible.

# %% [markdown] tags=["exercise"]
# ### Exercise 1: What a mean hides
#
# *Application · 10 minutes.* Eight runs have the normalized scores 0, 0, 0.1, 0.2, 0.3, 0.4, 1.0 and 6.0. What are their mean, their median and their interquartile mean, which leaves out the two lowest and the two highest runs? Assign the three numbers as a list to `answer_1`, to two decimals.

# %% tags=["solution"]
eight = np.array([0, 0, 0.1, 0.2, 0.3, 0.4, 1.0, 6.0])
answer_1 = [eight.mean(), np.median(eight), eight[2:-2].mean()]

# %% tags=["check"]
gx.check("14-1", answer_1)

# %% [markdown] tags=["explanation"]
# **Why.** A single run makes the mean as high as 1.00. The median and the interquartile mean are both 0.25, but the interquartile mean uses half of the runs, not only one or two. Both hide the run with 6.0. To find rare successes, you need the profile below.

# %% [markdown]
# ## The whole picture
#
# A *performance profile* shows what share of the runs exceeds each threshold. If one line is the highest everywhere, its algorithm was the best in these runs. {eval}`f"Above 0.01, the line of {top} is the highest." if always else ""` If lines cross, the answer depends on what you need: many runs that achieve something, or many runs that are nearly perfect.

# %%
chapter.show_profiles(found.profiles, leaders)

# %% [markdown]
# ## Other seeds, or other games?
#
# Agarwal et al. (2021) recommend intervals for other runs of the same games, and many papers show them. These intervals answer one question: would *I* find the same with other seeds? Readers have other games, and ask: what would this algorithm do in mine? To answer that, we must draw other games. (The library rliable of Agarwal et al. draws only runs by default. With `task_bootstrap=True`, it draws games, too.)

# %% tags=["hero"]
chapter.show_two_intervals(found.algorithms, confidence, n_games)

# %% [markdown]
# For the thick lines in Figure 1, we draw runs in each game with replacement, until we have the original number. For the thin lines, we draw games in the same way, each with all its runs. So the thin lines include the luck of the seeds, too. We do this 2,000 times. Such draws vary less than new runs or games would, so we move the ends of both lines outwards (by {eval}`chapter.percent(outwards)` for thin lines). So lines may end above 1, although no score exceeds 1.
#
# Even with unlimited seeds, {eval}`chapter.percent(found.algorithms["of_games"].mean())` of the variance behind the thin lines would remain (mean over algorithms). Only more games reduce that part.
#
# Most scores lie near 0 or 1, so the middle half of the runs changes a lot from draw to draw. With plain means, the thin lines would be {eval}`chapter.two_digits(shorter.median())` times as long (median over algorithms). The *optimality gap* of Agarwal et al. is 1 minus the plain mean, because no score exceeds 1.

# %% [markdown] tags=["exercise"]
# ### Exercise 2: Which sentence is covered?
#
# *Understanding · 5 minutes.* On 26 games with 5 seeds each, A has an interquartile mean of 0.52, and B has one of 0.44. The interval of the difference goes from 0.05 to 0.11 for other seeds, and from −0.06 to 0.24 for other games. Which sentence may you write? Assign its letter to `answer_2`.
#
# - (a) "A is better than B, so use A in your own game."
# - (b) "On these 26 games A is better than B, and other seeds would show it again. Our data do not say whether A is better in other games."
# - (c) "A and B are equally good in other games."
# - (d) "With 50 seeds we would know whether A is better in other games."

# %% tags=["solution"]
answer_2 = "b"

# %% tags=["check"]
gx.check("14-2", answer_2)

# %% [markdown] tags=["explanation"]
# **Why.** The first interval excludes 0, but the second does not. Sentence (a) uses the first interval to answer the second question. Sentence (c) mistakes an open question for a proof. More seeds (d) shorten only the first interval.

# %% [markdown]
# ## Which games decide who leads?
#
# In each draw, all algorithms play the same games. So one algorithm may be ahead of another in nearly every draw although their lines overlap. To see who is ahead, we draw games another 500 times, and look for the highest interquartile mean.

# %%
score = (runs["score"] - runs["random"]) / (runs["best"] - runs["random"])
scaled = score.groupby([runs["algorithm"], runs["game"], runs["seed"]]).mean().unstack()
of = {name: part.to_numpy() for name, part in scaled.groupby(level="algorithm")}  # games x seeds
draws = np.random.default_rng(seed).integers(n_games, size=(500, n_games))
in_draws = [{name: stats.trim_mean(part[drawn], 0.25, axis=None) for name, part in of.items()} for drawn in draws]
in_draws = pd.DataFrame(in_draws)
winners = in_draws.idxmax(axis=1)
crowned = winners.value_counts(normalize=True)
leads = (in_draws[top] - in_draws[leaders[1]]).quantile([(1 - confidence) / 2, (1 + confidence) / 2])

# %% [markdown]
# {eval}`crowned.index[0]` comes first in {eval}`chapter.percent(crowned.iloc[0])` of the draws. This is not the probability that it comes first in new games, because every draw consists of these {eval}`n_games` games, in which it leads.
#
# In the middle {eval}`chapter.percent(confidence)` of the draws, the lead of {eval}`top` over {eval}`leaders[1]` lies between {eval}`chapter.written_number(leads.iloc[0], 2)` and {eval}`chapter.written_number(leads.iloc[1], 2)`. Table 1 shows why it varies so much.

# %%
by_game = scaled.mean(axis=1).unstack("algorithm")
of_leaders = by_game[list(leaders)].round(2) + 0  # no minus before 0
chapter.show_table(of_leaders, "by-game", "Normalized scores of the three leaders in each game (means over seeds).")

# %%
worst = by_game[crowned.index[0]].nsmallest(3).index
often = pd.Series(np.isin(draws, by_game.index.get_indexer(worst)).sum(axis=1)).groupby(winners).mean()
second = crowned.index[1]
in_worst = by_game.loc[worst, second]

# %% [markdown]
# {eval}`crowned.index[0]` scores lowest in {eval}`chapter.together(worst)`. On average, these three games together come up three times in a draw. When {eval}`second` comes first, these games come up {eval}`chapter.written_number(often[second], 1)` times on average; {eval}`second` scores {eval}`chapter.span(in_worst, "{:.2f}")` in each of them. So the choice of games puts another algorithm in front in {eval}`chapter.percent(1 - crowned.iloc[0])` of the draws.

# %% [markdown] tags=["exercise"]
# ### Exercise 3: Ahead, by how much?
#
# *Application · 10 minutes.* A *probability of improvement* says how likely a run of one algorithm is to be ahead of a run of another algorithm in the same game, no matter by how much. A tie counts half. In one game, A scores 0.9, 0.8 and 0.1, and B scores 0.7, 0.5 and 0.4. In another game, A scores 0.2, 0.2 and 0.3, and B scores 0.2, 0.1 and 0.1. What is the probability of improvement of A over B,
# averaged over the two games? Assign it to `answer_3`, to two decimals.

# %% tags=["solution"]
pairs = [([0.9, 0.8, 0.1], [0.7, 0.5, 0.4]), ([0.2, 0.2, 0.3], [0.2, 0.1, 0.1])]
answer_3 = np.mean([np.mean(0.5 * (1 + np.sign(np.subtract.outer(a, b)))) for a, b in pairs])

# %% tags=["check"]
gx.check("14-3", answer_3)

# %% [markdown] tags=["explanation"]
# **Why.** In the first game, A is ahead in 6 of 9 pairs of runs. In the second game, A is ahead in 7 pairs and tied in 2. A tie counts half, so this is 8 of 9. The mean is 0.78. An algorithm that is a little ahead everywhere has a high probability of improvement. An algorithm that is far ahead in a few games has a low one. So say what you mean by "better".

# %% [markdown]
# ## Who may be the best
#
# Here we use another measure. `wins` is the mean of an algorithm's probabilities of improvement over the others. We test each algorithm against all others. To do so, we choose games at random and flip the signs of all its leads in those games. `p` is small if, over games like these, some other algorithm is further ahead than chance would explain. If `p` is not small, the algorithm may be the best.

# %%
chapter.show_contenders(found.algorithms, level)

# %% [markdown]
# So {eval}`chapter.of_contenders(found.algorithms)`. An algorithm with few wins may still be the best if it wins where the others fail, because no other algorithm is steadily ahead of it. The highest interquartile mean and the most wins are two different things: say which one you mean.

# %% [markdown] tags=["exercise"]
# ### Exercise 4: Only mazes
#
# *Project · 40 minutes.* Somebody builds a benchmark of the games in which the agent walks on a grid: cliff, four-rooms, ice, key, maze and wind. Take these games from `gx.datasets.load_agents()`, with all ten seeds. Call `gx.fields.games` with the reference `["random", "best"]`. Which algorithm has the highest interquartile mean? Which algorithm has it in the ten other games? Assign both names as a list to
# `answer_4`. Then write half a page on what a paper with either benchmark should call its games, so that nobody is misled.

# %% tags=["solution"]
walks = ["cliff", "four-rooms", "ice", "key", "maze", "wind"]
everything = gx.datasets.load_agents()
on_plan = everything["game"].isin(walks)
parts = [gx.fields.games(everything[which], reference=["random", "best"]) for which in (on_plan, ~on_plan)]
answer_4 = [part.algorithms["estimate"].idxmax() for part in parts]

# %% tags=["check"]
gx.check("14-4", answer_4)

# %% [markdown] tags=["explanation"]
# **Why.** On grids, Dyna-Q is ahead, perhaps because it replays remembered moves, which carries a rare reward back a long way. In the other games, hopeful Q is ahead. It tries everything before it settles, and some of these games have a small reward nearby and a large one far away.
# Both benchmarks are fair, and each is about its own kind of games. Neither of them should be called "reinforcement learning". Even the thin lines are only about games *like these*, and not about kinds of games that are missing.

# %% [markdown] tags=["findings"]
# - **In these games, {eval}`top` scores best.** Its interquartile mean is {eval}`chapter.two_digits(found.algorithms.loc[top, "estimate"])`, where 1 is the best possible. Its plain mean, which also counts the games in which it fails, is {eval}`chapter.two_digits(of_means.loc[top, "estimate"])`. *The {eval}`chapter.percent(confidence)` interval for other seeds goes from {eval}`chapter.two_digits(found.algorithms.loc[top, "low"])` to {eval}`chapter.two_digits(found.algorithms.loc[top, "high"])`.*
# - **{eval}`"In other games, another learner may be the best" if found.algorithms["may_be_best"].sum() > 1 else f"In other games, too, {top} would be the best"`.** If we count only how often one algorithm is ahead of another, not by how much, {eval}`chapter.of_contenders(found.algorithms)`. There, the interquartile mean of {eval}`top` may be anything from {eval}`chapter.two_digits(found.algorithms.loc[top, "games_low"])` to {eval}`chapter.two_digits(found.algorithms.loc[top, "games_high"])`. *In {eval}`chapter.percent(crowned[top])` of random draws from these games, {eval}`top` stays in front. {eval}`f"The interval and the list of possible winners each hold with {chapter.percent(confidence)} confidence" if chapter.percent(confidence) == chapter.percent(1 - level) else f"The interval has a confidence of {chapter.percent(confidence)}, and the list of possible winners one of {chapter.percent(1 - level)}"`, for games like these.*
# - **{eval}`"More seeds would hardly help, but more games would" if found.algorithms["of_games"].mean() > 0.8 else "Would more seeds help?"`.** An interquartile mean varies with games and with seeds. Even with unlimited seeds, {eval}`chapter.percent(found.algorithms["of_games"].mean())` of its variance would remain, because games differ. *This is the mean over algorithms. For single algorithms, it is {eval}`chapter.shares(found.algorithms["of_games"])`.*

# %%
chapter.keep_numbers_of_games(found.algorithms, crowned.iloc[0])

# %% [markdown]
# ## Summary
#
# - Say what is 0 and what is 1 in each game, and why.
# - An interquartile mean ignores extreme runs, and a performance profile shows what it hides. When scores are near 0 or 1, an interquartile mean can vary more than a plain mean.
# - Intervals over seeds are about these games. To draw conclusions about other games, draw other games, too.
# - More seeds do not replace more games, and no interval covers games of another kind.

# %% [markdown]
# ## Further reading
#
# - [Agarwal et al., 2021, *Deep Reinforcement Learning at the Edge of the Statistical Precipice*](https://proceedings.neurips.cc/paper/2021/hash/f514cec81cb148559cf475e7426eed5e-Abstract.html): interquartile means, profiles and intervals over seeds.
# - [Their library rliable](https://github.com/google-research/rliable), with the same measures; [docs/peers.md](../docs/peers.md) compares it with ours.
# - [docs/fields.md](../docs/fields.md): what `gx.fields.games` returns, and what it assumes.
