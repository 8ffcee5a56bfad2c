# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Which model answers better, and would other questions or judges agree?
#
# Several small models of language, which only count words, answer the same questions, and one of them is right most often. May you call it the best? Would it win again with other questions, or with questions about something else? And would judges who compare two answers, without knowing which is right, prefer the same model?
#
# **You will learn** what an accuracy with its interval says, why questions that belong together count less, when it pays to ask a model again, whether a lead carries over to other benchmarks, and what the votes of judges tell you.
#
# **You need** to know what a mean, a standard error, a confidence interval and a significant difference are. No other notebook.
#
# **Time** 15 minutes to read, 80 with the exercises.

# %% tags=["parameters"]
confidence: float = 0.95  # of intervals, in (0, 1)
level: float = 0.05  # of tests over all models at once, in (0, 1)
n_samples: int = 4  # answers of a model to each question, 2 to 4
judges: str = ""  # judges whose names begin so: bigram, trigram or topic; empty: all
seed: int = 0  # seed of everything random

# %%
import numpy as np
import pandas as pd

import genexpy_nb as gx
from genexpy_nb.chapters import second_study as chapter

gx.plots.use_style()
answers = gx.datasets.load_cloze().query("sample < @n_samples")
n_per_text = round(answers["item"].nunique() / answers["passage"].nunique())

# %% [markdown]
# ## Questions with one right answer
#
# Each question hides one word of a short text. The texts describe functions of Python packages. Four words are offered, and one of them is right. There are {eval}`f"{answers['item'].nunique():,}"` questions on {eval}`answers["passage"].nunique()` texts from {eval}`answers["benchmark"].nunique()` packages.
#
# The models are the ancestors of today's language models: they count words in other texts. *Frequency* only knows how common a word is, *bigram*, *trigram* and *4-gram* know what follows one, two or three words, and *backwards* reads from the end. *Topic* knows which words share a text. *Both-sides* puts *trigram* and *backwards* together, *topic-trigram* puts *topic* and *trigram* together, and *trigram-half* has read half as much as *trigram*. With four words, whoever guesses is right in 25 % of the answers.
# Like a large model, each of them gives every word a probability and draws its answer at random, so it may answer differently when asked again. We asked each of them every question {eval}`n_samples` times, and call each answer a *sample*.

# %% [markdown]
# ## Who is right most often?
#
# With `import genexpy_nb as gx` and a table like the one below, `gx.fields.items(answers, "model", "item", "score", sample="sample", cluster="passage")` has the share of right answers of each model (`.models`) and all differences (`.pairs`).

# %%
options = {"sample": "sample", "cluster": "passage", "confidence": confidence, "level": level, "rng": seed}
found = gx.fields.items(answers, "model", "item", "score", **options)
rows = "The first rows of `answers`: one per model, question (`item`) and `sample`. A text is a `passage`, a package a"
chapter.show_table(answers.head(n_samples + 1), "rows", f"{rows} `benchmark`, and a right answer has a `score` of 1.")

# %% tags=["hero"]
chapter.show_accuracies(found.models, confidence)

# %% [markdown]
# Figure 1 shows how often each model is right, with an interval. But all models answered the same questions. So we do not compare two of these intervals, we compare two models question by question: a question that is hard for both does not blur their difference. We also allow for the number of models, because among many one easily comes out on top by luck: a model may be the best if no other is ahead of it by a larger t statistic than chance makes among all of them. With that, {eval}`chapter.of_contenders(found.models)`. The third, {eval}`found.models.index[2]`, is {eval}`chapter.written_number(100 * found.pairs["estimate"].iloc[1], 1)` percentage points behind the first (p = {eval}`chapter.written_number(found.pairs["p_adjusted"].iloc[1], digits=1)`, for all pairs at once).
#
# All of this is about questions *like these*: asked of the same models, on other texts of these {eval}`answers["benchmark"].nunique()` packages.
#
# The two in front, {eval}`chapter.together(found.pairs.loc[0, ["first", "second"]])`, differ by {eval}`chapter.written_number(100 * found.pairs["estimate"].iloc[0], 1)` percentage points, and the interval for this pair alone goes from {eval}`chapter.written_number(100 * found.pairs["low"].iloc[0], 1)` to {eval}`chapter.written_number(100 * found.pairs["high"].iloc[0], 1)`. If that is their true difference, a study needs about {eval}`chapter.written(float(f"{found.items_needed:.2g}"))` questions, {eval}`n_per_text` on each new text and with {eval}`n_samples` samples each, to tell them apart in a single test with a probability of 80 %.
#
# ## Questions that belong together
#
# There are {eval}`n_per_text` questions on each text. A model that has read a similar text is more likely to be right in all of them, so they tell less than as many independent questions. Questions that belong together are a *cluster*. So our intervals treat each text, not each question, as one independent draw. What if every question counted on its own?

# %%
apart = gx.fields.items(answers, "model", "item", "score", **{**options, "cluster": None})
of_questions, of_texts = ((each.pairs["high"] - each.pairs["low"]).mean() for each in (apart, found))

# %% [markdown]
# Counting texts makes the intervals of the differences between models {eval}`chapter.written_number(of_texts / of_questions, 2)` times as wide as counting questions. It can matter more elsewhere: Miller (2024) found benchmarks with several questions on each story in which standard errors tripled. You cannot know in advance, so name the column of the texts as `cluster`.

# %% [markdown] tags=["exercise"]
# ### Exercise 1: Which questions belong together?
#
# *Understanding · 5 minutes.* In which of these benchmarks should you name a column as the cluster, because questions are alike? Assign the set of letters, such as `{"a", "b"}`, to `answer_1`.
#
# - (a) Five questions are asked about each of sixty newspaper articles.
# - (b) Each question is asked in eight languages.
# - (c) The order of the questions is drawn anew for each model.
# - (d) A task in geometry has the parts 1a, 1b and 1c, and each is scored.
# - (e) All models answer the same questions.

# %% tags=["solution"]
answer_1 = {"a", "b", "d"}

# %% tags=["check"]
gx.check("13-1", answer_1)

# %% [markdown] tags=["explanation"]
# **Why.** In (a), (b) and (d) whoever can answer one question is more likely to answer the others: articles, questions in their first language, and tasks are the clusters. The order (c) makes no two questions alike. That all models answer the same questions (e) makes comparisons more precise, and is used in any case.

# %% [markdown]
# ## More samples, or more questions?
#
# Two things make a difference uncertain: which questions happened to be asked, and which answers happened to be drawn. With {eval}`n_samples` samples of each question, the drawn answers cause {eval}`chapter.percent(found.noise["samples"] / found.noise.sum())` of the variance of the difference of two models, averaged over pairs.

# %%
chapter.show_samples(found.samples, answers["item"].nunique(), n_samples)

# %% [markdown]
# On the left, more samples of the same questions help. But each answer costs something. So on the right the number of answers stays the same: one sample of many questions then has a smaller error than many samples of few questions. Asking again pays if you cannot get more questions, as in a benchmark that somebody else made.

# %% [markdown] tags=["exercise"]
# ### Exercise 2: What to buy with 2,400 answers
#
# *Application · 10 minutes.* The difference of two models, on one question with one sample of each, has a variance of 0.10 because of the question, and of 0.20 because of the samples. You can pay for 2,400 answers of each model. What is the standard error of the mean difference with 600 questions and 4 samples, and with 2,400 questions and one sample?
# Assign both as a list to `answer_2`, to four decimals.

# %% tags=["solution"]
answer_2 = [((0.10 + 0.20 / 4) / 600) ** 0.5, ((0.10 + 0.20 / 1) / 2400) ** 0.5]

# %% tags=["check"]
gx.check("13-2", answer_2)

# %% [markdown] tags=["explanation"]
# **Why.** More samples reduce only their own part of the variance, more questions reduce all of it. With the same number of answers, the error is 0.0158 with four samples and 0.0112 with one.

# %% [markdown]
# ## Other benchmarks
#
# So far everything was about these {eval}`answers["benchmark"].nunique()` packages. Does the lead of {eval}`found.models.index[0]` carry over to others? To find out, we count each package as a benchmark: the same call with `benchmark="benchmark"` has the leads in `.benchmarks`.

# %%
over = gx.fields.items(answers, "model", "item", "score", benchmark="benchmark", **options)
means = over.benchmarks.means
leads = over.benchmarks.contrasts.head(len(means) - 1)  # of the first model over each of the others
chapter.show_leads(leads, confidence)

# %%
sure = leads[leads["low"] > 0]
again = sure[sure["next_low"] > 0]
ahead = 100 * (means.iloc[0] - means).T
width = (leads["next_high"] - leads["next_low"]).set_axis(leads["second"])
widest, narrowest = width.idxmax(), width.idxmin()
everywhere = [name for name in leads.loc[leads["next_low"] <= 0, "second"] if (ahead[name] > 0).all()]
after, before = leads.iloc[0], found.pairs.iloc[0]
shorter = after["between"] == 0 and after["high"] - after["low"] < before["high"] - before["low"]
read = means.columns.isin(["matplotlib", "numpy", "sklearn"])
of_read, of_others = (means.loc[:, which].iloc[0].mean() for which in (read, ~read))

# %% [markdown]
# For {eval}`len(sure)` of the {eval}`len(leads)` other models the first interval lies above zero, so {eval}`means.index[0]` has a lead on average over packages. For {eval}`len(again)` of these the second interval does, too. That interval is wide where a lead differs much between packages: {eval}`means.index[0]` is ahead of {eval}`widest` by {eval}`chapter.span(ahead[widest], "{:.0f}")` points, depending on the package, and of {eval}`narrowest` by {eval}`chapter.span(ahead[narrowest], "{:.0f}")`. More questions do not change that. Packages in which a difference is more certain count more here, so the leads are not quite the differences in Figure 1.
#
# So few packages say little about how leads vary. {eval}`f"In these, the lead over {leads['second'].iloc[0]} happens to vary less than chance makes it. So its first interval is even narrower than the one above, for other texts of the same packages: do not rely on it." if shorter else ""` The second interval takes leads to be normal{eval}`f", so it reaches below zero for {chapter.together(everywhere)}, although {means.index[0]} leads in every package" if everywhere else ""`.
#
# Both intervals are for one pair alone. We correct neither for the number of pairs nor for having chosen the model in front by the same answers, so they promise a little too much.
#
# In one way, we know, the packages differ: the models have read other texts from three of them, matplotlib, numpy and sklearn. On these, {eval}`means.index[0]` is right in {eval}`chapter.percent(of_read)` of its answers, on the others in {eval}`chapter.percent(of_others)`. The interval for one more package mixes both kinds.

# %% [markdown]
# ## Which repetition do you mean?
#
# "Another study" can mean three things: the same questions are asked again, or other questions on the same texts, or questions on other texts. (Other packages would be a fourth.) Say which of them you mean; your readers will have other texts.

# %%
roles = {"alternatives": "model", "target": "score", "over": "item", "cluster": "passage", "average": "sample"}
study = gx.Study(answers, **roles, higher_is_better=True)
repeated = study.under(["sample", "item", "passage"], by="score", confidence=confidence, rng=seed).table
repeated.index = pd.Index(["other samples", "other questions, too", "other texts, too"], name="drawn anew")
chapter.show_table(
    repeated[["contenders", "told_apart", "low", "high"]],
    "repetitions",
    f"What to expect of another study. Each row draws one more thing anew. There are {len(found.pairs)} pairs of models; "
    "from and to: the interval for the probability that in two such studies the same model is right most often.",
    {"contenders": "models that may be the best", "told_apart": "pairs that differ", "low": "from", "high": "to"},
    dict.fromkeys(["low", "high"], 2),
)

# %% [markdown]
# An interval that begins at 0.50 does not exclude that two models are equally good: then a coin decides in each study, and two tosses agree in half of the cases.

# %% [markdown] tags=["exercise"]
# ### Exercise 3: Eleven questions that count
#
# *Application · 10 minutes.* Two models answer 100 independent questions once. On 89 of them both are right or both are wrong. On nine only A is right, on two only B. If the two were equally good, how likely would a result at least as one-sided be, in either direction? Assign the probability to `answer_3`, to three decimals.

# %% tags=["solution"]
from scipy import stats

answer_3 = 2 * stats.binom.cdf(2, 11, 0.5)

# %% tags=["check"]
gx.check("13-3", answer_3)

# %% [markdown] tags=["explanation"]
# **Why.** Only the eleven questions on which the two differ say something. If the two are equally good, each of these is the toss of a coin. Two or fewer heads have probability 0.033, and so have two or fewer tails. This is McNemar's exact test, and `gx.fields.items` uses it for single answers without clusters. So a lead of seven points in a hundred questions may still be chance.

# %% [markdown]
# ## What judges prefer
#
# Often nobody knows the right answer, and judges compare two answers instead. Ours are such models, too, of the three kinds *bigram*, *trigram* and *topic*. They have read other texts than the models of these names, and the judges of one kind have each read different ones. They see the first sample of each model. They prefer the answer that they find more probable. Where they see hardly a difference, they take the one that is shown first. Each row of `votes` is one vote, with the columns `judge`, `item`, `model_a` (shown first), `model_b` and `winner` (`model_a` or `model_b`), and `gx.fields.preferences(votes, cluster=["judge", "item"])` says which models they prefer.

# %%
votes = gx.datasets.load_cloze_votes()
votes = votes[votes["judge"].str.startswith(judges)]
preferred = gx.fields.preferences(votes, cluster=["judge", "item"], confidence=confidence, level=level, rng=seed)
shown_first = 1 / (1 + np.exp(-preferred.position))
both = preferred.models.join(found.models.add_prefix("right_").rename(columns={"right_estimate": "right"}))
kind = votes["judge"].str.split().str[0]
panel = chapter.together(f"{n} {name}" for name, n in votes.groupby(kind)["judge"].nunique().items())

# %%
first = answers[answers["sample"] == 0].set_index(["item", "model"])["score"]
sides = {
    side: first.loc[list(zip(votes["item"], votes[side], strict=True))].to_numpy() for side in ("model_a", "model_b")
}
one_right = votes[sides["model_a"] != sides["model_b"]]
a_is_right = sides["model_a"][sides["model_a"] != sides["model_b"]] == 1
agrees = (one_right["winner"] == "model_a") == a_is_right
of_kinds = agrees.groupby(kind).mean()
of_right = one_right.assign(model_a="right", model_b="wrong", winner=np.where(agrees, "right", "wrong"))
right_wins = gx.fields.preferences(of_right, cluster=["judge", "item"], confidence=confidence, rng=seed).pairs.iloc[0]
right_low, right_high = 1 / (1 + np.exp(-right_wins[["low", "high"]].astype(float)))
chapter.show_right_and_preferred(both, len(votes), confidence)

# %% [markdown]
# There are {eval}`panel` judges. For each vote a question, two models and a judge were drawn at random, and drawn again where the two answers are the same. The model of Bradley and Terry gives each model a strength, and two strengths say how likely one of them is preferred to the other. The judges prefer {eval}`preferred.models.index[0]` to an average model (an imagined one in the middle of all {eval}`len(preferred.models)`) with a probability of {eval}`chapter.percent(preferred.models["wins"].iloc[0])`. By their votes, {eval}`chapter.of_contenders(preferred.models)`. {eval}`preferred.models.index[1].capitalize()` comes second, but its true place may be anything from {eval}`int(preferred.models["rank_low"].iloc[1])` to {eval}`int(preferred.models["rank_high"].iloc[1])`. This says what they prefer, and not what is right.
#
# Which answer is shown first is drawn at random. It matters: of two models that judges like equally, the one shown first gets {eval}`chapter.percent(shown_first["estimate"])` of the votes (interval {eval}`chapter.percent(shown_first["low"])` to {eval}`chapter.percent(shown_first["high"])`).
#
# All intervals about votes allow for other judges, too: more votes of the same judges would only tell us more about these. If one of the two answers was right, judges chose it in {eval}`chapter.percent(agrees.mean())` of the votes (interval {eval}`chapter.percent(right_low)` to {eval}`chapter.percent(right_high)`, for other questions and judges like these); by kind of judge, in {eval}`chapter.span(100 * of_kinds, "{:.0f}", " %")`.

# %%
alone = {
    name: gx.fields.preferences(part, cluster=["judge", "item"], confidence=confidence, rng=seed).models
    for name, part in votes.groupby(kind)
}
alike = len({models.index[0] for models in alone.values()}) == 1 < len(alone)
alike &= min(models["may_be_best"].sum() for models in alone.values()) > 1  # and none is sure

# %% [markdown]
# ## Other judges
#
# Two panels, each of {eval}`panel` judges and with questions of its own, would put the same model in front with a probability of {eval}`chapter.two_digits(preferred.agreement["estimate"])` (interval {eval}`chapter.two_digits(preferred.agreement["low"])` to {eval}`chapter.two_digits(preferred.agreement["high"])`). {eval}`f"Each kind of judge, asked alone, puts {preferred.models.index[0]} in front, but none of them alone rules out all others. That need not be so: a" if alike else "A"` panel of one kind cannot say what another kind would prefer. So mix the kinds, and say in the paper who judged.
# Judges may also be kin to a model. Our *topic* and *trigram* judges count words as the two parts of *topic-trigram* do, and none reads backwards, as one part of *both-sides* does. That may be why judges prefer *topic-trigram* more often ({eval}`chapter.percent(both.loc["topic-trigram", "wins"])` against {eval}`chapter.percent(both.loc["both-sides", "wins"])`), though the two are right about equally often ({eval}`chapter.percent(both.loc["topic-trigram", "right"])` and {eval}`chapter.percent(both.loc["both-sides", "right"])`).

# %% [markdown] tags=["exercise"]
# ### Exercise 4: A panel of one taste
#
# *Project · 40 minutes.* Take the votes of the topic judges only: `gx.datasets.load_cloze_votes()`, where `judge` begins with "topic". Which model is in front by `gx.fields.preferences` with the clusters `["judge", "item"]`, and how many models may be the best? Assign a list of the name and the number to `answer_4`. Then do the same for bigram judges,
# and write half a page: what would you have to know about a leaderboard's judges to use it?

# %% tags=["solution"]
all_votes = gx.datasets.load_cloze_votes()
of_topic = all_votes[all_votes["judge"].str.startswith("topic")]
by_topic = gx.fields.preferences(of_topic, cluster=["judge", "item"]).models
answer_4 = [by_topic.index[0], int(by_topic["may_be_best"].sum())]

# %% tags=["check"]
gx.check("13-4", answer_4)

# %% [markdown] tags=["explanation"]
# **Why.** Topic judges know which words share a text. By their votes, four models may be the best. Bigram judges look at one word before the gap. By theirs, eight may. Neither panel is wrong: each says what judges of its kind prefer. The standard errors allow for other judges *of this kind*. Nothing in the votes of one kind says what another kind would prefer. You would have to know who the judges are, what they have in common with the models, and whether they were shown the answers in both orders.

# %% [markdown] tags=["findings"]
# - **Which model is right most often?** {eval}`found.models.index[0]`: it is right in {eval}`chapter.percent(found.models["estimate"].iloc[0])` of its answers. Of {eval}`len(found.models)` small models that count words (their names are explained below), {eval}`chapter.of_contenders(found.models)`. *{eval}`chapter.percent(1 - level)` confidence, for other questions on texts of the same packages.*
# - **Does the lead hold in other benchmarks?** Only in part. The texts are about {eval}`answers["benchmark"].nunique()` Python packages, and each counts as a benchmark. On average over packages, {eval}`means.index[0]` has a lead over {eval}`len(sure)` of the {eval}`len(leads)` other models. In a package that we did not try, and of which the models may have read texts or not, we can be fairly sure of a lead over only {eval}`len(again)` of these: {eval}`answers["benchmark"].nunique()` packages make a wide interval. *A lead counts if its {eval}`chapter.percent(confidence)` interval lies above zero; each interval is for one pair alone.*
# - **Do judges prefer the answer that is right?** Our judges count words, as the models do. If one of two answers was right, they chose it in {eval}`chapter.percent(agrees.mean())` of the votes (interval {eval}`chapter.percent(right_low)` to {eval}`chapter.percent(right_high)`). They like {eval}`preferred.models.index[0]` best{eval}`", and so does each kind of judge, though none alone rules out all other models" if alike else ""`. *Two panels of judges like ours, with other questions, would like the same model best with a probability between {eval}`chapter.two_digits(preferred.agreement["low"])` and {eval}`chapter.two_digits(preferred.agreement["high"])`.*

# %%
chapter.keep_numbers_of_items(found, len(again), agrees.mean(), preferred.agreement)

# %% [markdown]
# ## Summary
#
# - Compare models question by question, allow for the number of pairs, and say which models may be the best.
# - Questions that share a text, a task or an author are a cluster.
# - For the same number of answers, one sample of more questions beats more samples of fewer.
# - An interval over questions is about questions like these. For other benchmarks, count benchmarks.
# - Votes say what judges prefer, and not what is right. Count judges as well as votes, and mix kinds of judges.

# %% [markdown]
# ## Further reading
#
# - [Miller, 2024, *Adding Error Bars to Evals*](https://arxiv.org/abs/2411.00640): clusters, paired differences and samples in evaluations of language models.
# - [Chiang et al., 2024, *Chatbot Arena*](https://arxiv.org/abs/2403.04132): a leaderboard of votes between pairs.
# - [docs/fields.md](../docs/fields.md): all that `gx.fields.items` and `gx.fields.preferences` return, and what they assume.
