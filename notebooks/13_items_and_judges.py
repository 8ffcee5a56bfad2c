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
# **You will learn** why related questions count less, whether to ask a model again, whether a lead carries over to other benchmarks (sets of questions), and what the votes of judges tell you.
#
# **You need** to know what a variance, a standard error, a confidence interval and a significant difference are.
#
# **Time** 8 minutes to read, 73 with the exercises.

# %% tags=["parameters"]
confidence: float = 0.95  # of intervals, in (0, 1)
level: float = 0.05  # of tests over all models at once, in (0, 1)
n_samples: int = 4  # answers of a model to each question, 2 to 4
judges: str = ""  # judges whose names begin so: bigram, trigram or topic; empty: all
seed: int = 0  # seed of everything random

# %%
import numpy as np
from scipy import stats

import genexpy_nb as gx
from genexpy_nb.chapters import second_study as chapter

gx.plots.use_style()
answers = gx.datasets.load_cloze().query("sample < @n_samples")
n_per_text = round(answers["item"].nunique() / answers["passage"].nunique())

# %% [markdown]
# ## Questions with one right answer
#
# Each of our questions hides a word of a short text about a function of a Python package, and offers four, of which one is right. (A made-up one: "return the ... of the axis", with *label*, *method*, *true* and *sample*.) There are {eval}`f"{answers['item'].nunique():,}"` questions on {eval}`answers["passage"].nunique()` texts (*passages*; {eval}`n_per_text` on each) from {eval}`answers["benchmark"].nunique()` Python packages.
#
# The models are ancestors of today's language models: they count words in other texts. Each model gives each of the four words a probability and draws its answer accordingly, as large models do. We asked each model every question {eval}`n_samples` times. Each answer is a *sample*.
#
# <details><summary>What each model knows</summary>
#
# *Frequency* only knows how common a word is. *Bigram*, *trigram* and *4-gram* know what follows one, two or three words, and use fewer words where they have not seen these. *Backwards* reads from the end. *Topic* knows which words share a text. *Both-sides* combines *trigram* and *backwards*, *topic-trigram* combines *topic* and *trigram*. *Trigram-half* has read half as much as *trigram*.
#
# </details>
#
# ## Who is right most often?

# %% tags=["hero"]
options = {"sample": "sample", "cluster": "passage", "confidence": confidence, "level": level, "rng": seed}
found = gx.fields.items(answers, "model", "item", "score", **options)
best = found.models[found.models["may_be_best"]]["estimate"]
chapter.show_accuracies(found.models, confidence)

# %% [markdown]
# All models answered the same questions, so we compare two models question by question. A question that is hard for both does not blur their difference, but it blurs the intervals in Figure 1, so overlapping intervals there prove nothing. A model may be the best (a [contender](../docs/vocabulary.md#contender)) if no other model is significantly ahead of it.
#
# <details><summary>How the test allows for many models</summary>
#
# Another model's lead, divided by its standard error, is a *t statistic*. We look at the largest of the {eval}`len(found.models) - 1` t statistics. Its *p-value* is the share of studies in which equally good models would reach it. It is significant if this share is at most {eval}`chapter.percent(level)`. In [simulations](../docs/accuracy.md#how-good-are-the-answers-about-items), 95 % intervals of differences covered the truth in 93 to 99 % of studies.
#
# </details>
#
# The first two, {eval}`chapter.together(found.pairs.loc[0, ["first", "second"]])`, differ by {eval}`chapter.written_number(100 * found.pairs["estimate"].iloc[0], 1)` percentage points ({eval}`chapter.percent(confidence)` interval {eval}`chapter.written_number(100 * found.pairs["low"].iloc[0], 1)` to {eval}`chapter.written_number(100 * found.pairs["high"].iloc[0], 1)`). If this is the true difference, it takes about {eval}`chapter.written(float(f"{found.items_needed:.2g}"))` such questions instead of {eval}`answers["item"].nunique()` to tell them apart with a probability of 80 %.

# %% [markdown]
# ## Questions that belong together
#
# May we count every question? A model that has read a similar text is more likely to get all {eval}`n_per_text` questions on a text right. So they form a *cluster*, and tell us less than independent questions.

# %%
apart = gx.fields.items(answers, "model", "item", "score", **{**options, "cluster": None})
of_questions, of_texts = ((each.pairs["high"] - each.pairs["low"]).mean() for each in (apart, found))

# %% [markdown]
# Our intervals count each text, not each question, as one independent draw. This makes the intervals of differences on average {eval}`chapter.percent(of_texts / of_questions - 1)` wider. In other benchmarks, Miller (2024) found that standard errors can triple. So pass the column that holds the texts as `cluster`.
#
# <details><summary>The same with your own table</summary>
#
# With `import genexpy_nb as gx` and a table such as Table 1, call `gx.fields.items(answers, "model", "item", "score", sample="sample", cluster="passage")`. The result has each model's share of right answers (`.models`) and all differences (`.pairs`).
#
# </details>

# %%
rows = "Each row of `answers` is one answer (`sample`) of a model to a question (`item`). A right answer has a `score`"
rows += " of 1. A `benchmark` is a package."
chapter.show_table(answers.iloc[[0, 1, n_samples]], "rows", rows, folded="Three rows of the table")

# %% [markdown] tags=["exercise"]
# ### Exercise 1: Which questions belong together?
#
# *Understanding · 5 minutes.* In which of these benchmarks should you name a column as the cluster, because questions are alike? Assign the set of letters to `answer_1`.
#
# - (a) Five questions are asked about each of sixty newspaper articles.
# - (b) Each question is asked in eight languages.
# - (c) Each model gets the questions in a random order.
# - (d) A task in geometry has the parts 1a, 1b and 1c, and each is scored.
# - (e) All models answer the same questions.

# %% tags=["solution"]
answer_1 = {"a", "b", "d"}

# %% tags=["check"]
gx.check("13-1", answer_1)

# %% [markdown] tags=["explanation"]
# **Why.** In (a), (b) and (d), a model that can answer one question is more likely to answer the others. The clusters are articles, questions with their translations, and tasks. A random order (c) does not make questions alike. If all models answer the same questions (e), comparisons become more precise, with or without clusters.

# %% [markdown]
# ## More samples, or more questions?
#
# If you can pay for a fixed number of answers, should you repeat questions? A difference between models is uncertain for two reasons: we asked only some questions, and the models drew their answers. With {eval}`n_samples` samples of each question, chance in the answers makes up {eval}`chapter.percent(found.noise["samples"] / found.noise.sum())` of the variance of a difference (both averaged over the pairs). If the score is the probability of the right answer, this part vanishes (Miller, 2024). We draw answers because many services return only text.

# %%
chapter.show_samples(found.samples, answers["item"].nunique(), n_samples)

# %% [markdown]
# More samples of the same questions help (left). But for the same number of answers, one sample of many questions has the smallest error (right).

# %% [markdown] tags=["exercise"]
# ### Exercise 2: How to spend 2,400 answers
#
# *Application · 10 minutes.* Two models answer one question once. The question contributes 0.10 to the variance of their difference, and the samples contribute 0.20. You can pay for 2,400 answers of each model. What is the standard error of the mean difference with 600 questions and 4 samples, and with 2,400 questions and one sample? Assign both as a list to `answer_2`, to four decimals.

# %% tags=["solution"]
answer_2 = [((0.10 + 0.20 / 4) / 600) ** 0.5, ((0.10 + 0.20 / 1) / 2400) ** 0.5]

# %% tags=["check"]
gx.check("13-2", answer_2)

# %% [markdown] tags=["explanation"]
# **Why.** More samples reduce only their part of the variance, but more questions reduce all of it. For the same number of answers, the standard error is 0.0158 with four samples and 0.0112 with one.

# %%
had_read = ["matplotlib", "numpy", "sklearn"]  # data/README.md
unread = answers[~answers["benchmark"].isin(had_read)]

# %% [markdown]
# ## Other benchmarks
#
# Would the lead hold in questions on another package? The models learned from other texts of {eval}`chapter.together(had_read)`. The next package will be new to them, too, so we use the {eval}`unread["benchmark"].nunique()` that they have not read. To ask about other packages, add `benchmark="benchmark"` to the call.

# %%
over = gx.fields.items(unread, "model", "item", "score", benchmark="benchmark", **options).benchmarks
means = over.means
leads = over.contrasts[over.contrasts["first"].isin(best.index)]
leads["smallest"] = [(means.loc[one] - means.loc[other]).min() for one, other in leads[["first", "second"]].to_numpy()]
chapter.show_leads(leads, confidence)

# %%
at_once = {**options, "confidence": 1 - (1 - confidence) / (len(means) - 1)}  # Bonferroni, for each leader
together = gx.fields.items(unread, "model", "item", "score", benchmark="benchmark", **at_once).benchmarks.contrasts
together = together[together["first"].isin(best.index)]
sure, remain = (part[part["low"] > 0] for part in (leads, together))
again, hold = (part[part["next_low"] > 0] for part in (sure, remain))
n_sure, n_again, n_remain = (
    part["first"].value_counts().reindex(best.index, fill_value=0) for part in (sure, again, remain)
)

# %%
also_sure, also_again = ("".join(f", and {name} of {n}" for name, n in of.iloc[1:].items()) for of in (n_sure, n_again))
same_way = "most" if (leads["smallest"] > 0).mean() > 0.5 else "some"
shares = answers[answers["model"] == means.index[0]].groupby(answers["benchmark"].isin(had_read))["score"].mean()
assert shares[False] < shares[True]

# %% [markdown]
# On average over packages like these, {eval}`best.index[0]` is significantly ahead of {eval}`int(n_sure.iloc[0])` of the {eval}`len(means) - 1` other models{eval}`also_sure`. If each lead is judged alone, we can be {eval}`chapter.percent(confidence)` sure that in one more such package, {eval}`best.index[0]` is ahead of {eval}`int(n_again.iloc[0])`{eval}`also_again`. {eval}`means.index[1].capitalize()` is ahead of {eval}`means.index[0]` in {eval}`int((means.iloc[1] > means.iloc[0]).sum())` of the {eval}`means.shape[1]`. Four packages hardly show how much leads differ between packages, so the interval for one more is wide. The same answers chose the leaders, so the true leads may be a little smaller. ([Simulations](../docs/accuracy.md#how-good-are-prediction-intervals-for-the-next-benchmark) show how often such intervals hold.)

# %% [markdown] tags=["exercise"]
# ### Exercise 3: Eleven questions that count
#
# *Application · 10 minutes.* Two models answer 100 independent questions once. On 89 of them both are right or both are wrong. On nine questions only A is right, and on two only B. Suppose that the two models are equally good. How likely is a result at least as one-sided as this, in either direction? Assign the probability to `answer_3`, to three decimals.

# %% tags=["solution"]
answer_3 = 2 * stats.binom.cdf(2, 11, 0.5)

# %% tags=["check"]
gx.check("13-3", answer_3)

# %% [markdown] tags=["explanation"]
# **Why.** Only the eleven questions on which the two models differ say anything. If the models are equally good, each of these questions is the toss of a coin. The probability of at most two heads is 0.033, and at most two tails are just as likely. This is McNemar's exact test, and `gx.fields.items` uses it for single answers without clusters. So a lead of seven points in a hundred questions may still be chance.

# %% [markdown]
# ## What judges prefer
#
# Often nobody knows the right answer, and judges compare two answers instead. Our judges are small models that count words and have read other texts than the models. They prefer the answer that they find more probable. If neither is more than 1.5 times as probable as the other, they take the one that is shown first.
#
# For each vote, we drew a question, two models with different answers, their order and a judge at random. Votes of one judge are alike, and so are votes on one text, so both are clusters. The method of [Bradley and Terry](https://doi.org/10.2307/2334029) estimates how likely judges are to prefer each model to an *average model*, one of average strength.
#
# <details><summary>The same with your own votes</summary>
#
# Call `preferred = gx.fields.preferences(votes, cluster=["judge", "passage"])`. A row of `votes` has the columns `model_a` (shown first), `model_b`, `winner`, `judge` and `passage`.
#
# </details>

# %%
every_vote = gx.datasets.load_cloze_votes()
asked = {"cluster": ["judge", "passage"], "confidence": confidence, "level": level, "rng": seed}
votes = every_vote[every_vote["judge"].str.startswith(judges)]
preferred = gx.fields.preferences(votes, **asked)
both = preferred.models.join(found.models.add_prefix("right_").rename(columns={"right_estimate": "right"}))
kind = every_vote["judge"].str.split().str[0]
panel = chapter.together(f"{n} {name}" for name, n in votes.groupby(kind)["judge"].nunique().items())

# %%
first = answers[answers["sample"] == 0].set_index(["item", "model"])["score"]
sides = {
    side: first.loc[list(zip(every_vote["item"], every_vote[side], strict=True))].set_axis(every_vote.index)
    for side in ("model_a", "model_b")
}
n_right = (sides["model_a"] + sides["model_b"])[votes.index]
one_right = votes[n_right == 1]
a_is_right = sides["model_a"][one_right.index] == 1
agrees = (one_right["winner"] == "model_a") == a_is_right
of_right = one_right.assign(model_a="right", model_b="wrong", winner=np.where(agrees, "right", "wrong"))
right_wins = gx.fields.preferences(of_right, **asked).pairs.iloc[0]
right_low, right_high = 1 / (1 + np.exp(-right_wins[["low", "high"]].astype(float)))
chapter.show_right_and_preferred(both, len(votes), confidence)

# %%
liked = preferred.models.index[0]
others = best.index.drop(liked, errors="ignore")
clear = 0 < len(others) < len(best) and preferred.models["may_be_best"].sum() == 1
wrong = gx.fields.preferences(votes[n_right == 0], **asked).models  # neither answer is right
of_kinds = {name: gx.fields.preferences(group, **asked).models for name, group in every_vote.groupby(kind)}
neither = every_vote[sides["model_a"] + sides["model_b"] == 0]
of_wrong = {name: gx.fields.preferences(group, **asked).models for name, group in neither.groupby(kind)}
own = {
    name: f"{chapter.percent(row['wins'])} ({chapter.shares(row[['wins_low', 'wins_high']])})"
    for name, row in ((name, models.loc["topic-trigram"]) for name, models in of_wrong.items())
}
assert {models.index[0] for models in of_kinds.values()} == {"topic-trigram"}
agreement = 100 * preferred.agreement
agreement["low"] = 10 * np.floor(agreement["low"] / 10)

# %% [markdown]
# If one of two answers was right, judges chose it {eval}`chapter.percent(agrees.mean())` of the time: {eval}`chapter.percent(agrees[a_is_right].mean())` if it was shown first, {eval}`chapter.percent(agrees[~a_is_right].mean())` if second. We built this in: in doubt, a judge takes the first. Others may favour a side, too.
#
# ## Other judges
#
# Would other judges say the same? There are {eval}`panel` judges. Suppose that two other such groups (*panels*) cast as many votes on other texts of the same packages. Both would like the same model best with a probability of {eval}`chapter.percent(preferred.agreement["estimate"])` (`preferred.agreement`). Its {eval}`chapter.percent(confidence)` interval is about {eval}`chapter.shares(agreement[["low", "high"]] / 100)`; the low end changes a little with the random seed ([checked in simulations](../docs/accuracy.md#how-good-are-the-answers-about-preferences)).
#
# But a stable first place need not be the right one, and our intervals do not allow for other kinds of judges. All three kinds like *topic-trigram* best. Do judges favour their own kind? Perhaps: *topic-trigram* combines two kinds of these judges. If both answers are wrong, we estimate that topic judges prefer it to an average model with a probability of {eval}`own["topic"]`, bigram judges {eval}`own["bigram"]` and trigram judges {eval}`own["trigram"]`. So part of its lead may be that judges like what is built as they are.

# %% [markdown] tags=["exercise"]
# ### Exercise 4: A panel of one taste
#
# *Project · 40 minutes.* Take the votes of the topic judges only: `gx.datasets.load_cloze_votes()`, where `judge` begins with "topic". Which model does `gx.fields.preferences` put first, with the clusters `["judge", "passage"]`? How many models may be the best? Assign a list of the name and the number to `answer_4`. Then do the same for bigram judges, and write half a page: what must you know about the judges of a leaderboard before you use it?

# %% tags=["solution"]
all_votes = gx.datasets.load_cloze_votes()
of_topic = all_votes[all_votes["judge"].str.startswith("topic")]
by_topic = gx.fields.preferences(of_topic, cluster=["judge", "passage"]).models
answer_4 = [by_topic.index[0], int(by_topic["may_be_best"].sum())]

# %% tags=["check"]
gx.check("13-4", answer_4)

# %% [markdown] tags=["explanation"]
# **Why.** By topic judges, any of five models may be the best; by bigram judges, any of eight. With six judges, few models can be ruled out. The standard errors allow for other judges *of this kind*, but the votes do not say what another kind would prefer. You would have to know who the judges are, what they have in common with the models, and whether they were shown the answers in both orders.

# %% [markdown] tags=["findings"]
# - **The best model is {eval}`" or ".join(best.index)`{eval}`", and these questions cannot tell which" * (len(best) > 1)`.** {eval}`"They" if len(best) > 1 else "It"` gave the most right answers. The others are significantly worse. {eval}`means.index[0].capitalize()` is right {eval}`chapter.percent(shares[True])` of the time in Python packages from which it has read other texts, and {eval}`chapter.percent(shares[False])` elsewhere. The other packages may simply be harder, so this does not show that reading helped. *All models count words. Topic-trigram looks at the two words before the gap and at the topic of the text, both-sides at the words before and after. Guessing gets 25 %. We are {eval}`chapter.percent(1 - level)` confident that no other model is the best on other texts of these packages.*
# - **A lead in these benchmarks need not hold in the next.** In the four Python packages that the models have not read, {eval}`same_way` leads of {eval}`chapter.together(best.index)` point the same way. But four packages say little about others: in one more, we can only be sure that {eval}`best.index[0]` is ahead of {eval}`int(n_again.iloc[0])` others{eval}`also_again`. *Each package is a benchmark. We are {eval}`chapter.percent(confidence)` sure of each lead, judged alone. If all leads of a model must hold at once, we are sure of {eval}`chapter.together(n_remain)` on average over the packages, and of {eval}`len(hold) or "none"` in one more.*
# - **{eval}`"The votes do not say if judges prefer the right answer" if right_low <= 0.5 else "Our judges prefer right answers, but not only these" if wrong.loc[liked, "wins_low"] > 0.5 else "Our judges mostly prefer the answer that is right"`.** Our judges are {eval}`votes["judge"].nunique()` small models that count words. When one of two answers was right, they chose it {eval}`chapter.percent(agrees.mean())` of the time. When both were wrong, we estimate that they prefer {eval}`liked` to an average model with a probability of {eval}`chapter.percent(wrong.loc[liked, "wins"])`. {eval}`f"By right answers, {chapter.together(best.index)} cannot be told apart. By votes, {liked} clearly wins." if clear else f"They like {liked} best."` Whether people or large models judge so, we do not know. *The intervals are {eval}`chapter.shares([right_low, right_high])` and {eval}`chapter.shares(wrong.loc[liked, ["wins_low", "wins_high"]])` ({eval}`chapter.percent(confidence)` confidence, for judges and texts like these).*

# %%
chapter.keep_numbers_of_items(found, n_again.iloc[0], agrees.mean(), agreement)

# %% [markdown]
# ## Summary
#
# - Test a model on texts like yours.
# - Name what belongs together: questions on one text, votes by one judge.
# - For the same number of answers, prefer more questions to more samples.
# - For conclusions about other benchmarks, count each benchmark as one observation.
# - Ask several kinds of judges, and show each pair in both orders.

# %% [markdown]
# ## Further reading
#
# - [Miller, 2024, *Adding Error Bars to Evals*](https://arxiv.org/abs/2411.00640): standard errors of evaluations.
# - [Chiang et al., 2024, *Chatbot Arena*](https://arxiv.org/abs/2403.04132): a leaderboard of votes between pairs.
