# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Would the best model still be best on rows that nobody has seen?
#
# You train a few models, score them on a test set, and report the best. Four things can go wrong before anybody asks about other datasets. You look at the test set too often, or it leaks into training. The metric
# favours one model. Or you tune one model for longer than another. You will see what each mistake does to a real comparison, and how to avoid it.
#
# **You will learn** why you use a test set only once, two ways in which test rows leak into a model, how a metric and a tuning budget choose the winner, and what none of these precautions can promise.
#
# **You need** to know what a classifier and cross-validation are. You need no other notebook. This is the first week of the course.
#
# **Time** 10 minutes to read, 95 with the exercises.

# %% tags=["parameters"]
n_splits: int = 20  # how often a table is split
n_settings: int = 50  # settings that are tried in a search
n_related: int = 5  # measurements of each image, where rows are related
n_drawn: int = 20  # datasets in a benchmark that somebody draws, at most 56
n_draws: int = 2000  # benchmarks that are drawn
seed: int = 0  # seed of everything random

# %%
import numpy as np
import pandas as pd
from sklearn import datasets, feature_selection, model_selection, naive_bayes, neighbors, pipeline, preprocessing

import genexpy_nb as gx
from genexpy_nb.chapters import start_here as chapter

gx.plots.use_style()
cells, tumour = datasets.load_breast_cancer(return_X_y=True)
images, digit = datasets.load_digits(return_X_y=True)

# %% [markdown]
# ## A test set that is looked at
#
# A *test set* holds rows that no model was trained on, so a score on it says how well a model does on new rows. That is true if you chose the model beforehand. Suppose instead that you try many models, and keep the model with the best test score. Then the test set has made the choice, and this score no longer says how well the model does on new rows.
#
# How large is the difference? We take {eval}`len(cells)` breast tumours, each with {eval}`cells.shape[1]` measurements, and ask whether a tumour is benign or malignant. We train on 100 of these rows, test on 50, and keep the others in a *vault* that nobody looks at. A setting is a choice of three measurements from which a model guesses the kind of tumour. The *accuracy* of the model is the share of rows that it gets right. We try {eval}`n_settings` settings, and
# repeat all of this on {eval}`n_splits` splits.

# %%
rng = np.random.default_rng(seed)
rows = []
for split in range(n_splits):
    train, rest = model_selection.train_test_split(
        range(len(cells)), train_size=100, stratify=tumour, random_state=split
    )
    test, vault = rest[:50], rest[50:]
    for setting in range(n_settings):
        X = cells[:, rng.choice(cells.shape[1], 3, replace=False)]
        model = naive_bayes.GaussianNB().fit(X[train], tumour[train])
        rows.append((split, setting, *(model.score(X[part], tumour[part]) for part in (test, vault))))
tried = pd.DataFrame(rows, columns=["split", "setting", "test", "vault"])

# %%
counts = sorted({1, 2, 5, 10, n_settings // 2, n_settings})
first = {n: tried[tried["setting"] < n] for n in counts}
chosen = {n: part.loc[part.groupby("split")["test"].idxmax(), ["test", "vault"]] for n, part in first.items()}
looked_at = pd.DataFrame({n: part.mean() for n, part in chosen.items()}).T
by_luck = tried["test"].mean() - tried["vault"].mean()

# %% tags=["hero"]
chapter.show_looked_at(looked_at)

# %% [markdown]
# Across all settings, the mean accuracy is {eval}`chapter.percent(tried["test"].mean(), 1)` on the test sets and {eval}`chapter.percent(tried["vault"].mean(), 1)` in the vaults. With a single setting, there is no choice, so the difference of {eval}`chapter.points(looked_at.test.iloc[0] - looked_at.vault.iloc[0])` is the luck of {eval}`n_splits` small test sets. The best of {eval}`n_settings` settings promises {eval}`chapter.percent(looked_at.test.iloc[-1], 1)` and delivers
# {eval}`chapter.percent(looked_at.vault.iloc[-1], 1)`. The search may well have found a better model. But its score on the test set is too high, because the best of many settings is also a lucky setting.
#
# So choose on a *validation set*, which is a separate part of the rows. Or choose by *cross-validation* inside the training part: train on four fifths of it, score on the last fifth, and let each fifth have its turn. Look at the test set once.

# %% [markdown] tags=["exercise"]
# ### Exercise 1: Twenty useless models
#
# *Application · 10 minutes.* Twenty models guess. Each model is right on each of 100 test rows with probability 1/2, independently. How likely is it that at least one model is right on 60 rows or more? Assign the probability to `answer_1`, to two decimals.

# %% tags=["solution"]
from scipy import stats

answer_1 = 1 - stats.binom.cdf(59, 100, 0.5) ** 20

# %% tags=["check"]
gx.check("12-1", answer_1)

# %% [markdown] tags=["explanation"]
# **Why.** One guessing model reaches 60 with probability 0.028. All twenty stay below with probability $0.972^{20} = 0.56$. So 44 % of such searches find an "accuracy of 60 %" where there is nothing to find. A larger test set leaves less to luck, but more settings bring the luck back.

# %% [markdown]
# ## Leakage: choosing columns before the split
#
# *Leakage* is information about the test rows that reaches the model in training. It can happen by accident. Suppose that a table has thousands of columns. You first keep the columns that correlate best with the labels, and then cross-validate a model on these columns.
#
# To see what that does, we make a task with nothing to learn. We give each of 50 images of handwritten digits one of two labels at random. Products of two pixels make many columns, and naive Bayes gets the ten best columns. An honest score must be about 50 %.

# %%
rng = np.random.default_rng(seed)
rows = []
for _ in range(20):
    few = rng.choice(len(images), 50, replace=False)
    X = preprocessing.PolynomialFeatures(2, interaction_only=True, include_bias=False).fit_transform(images[few])
    X = X[:, (X > 0).sum(axis=0) > 20]  # products that are zero in most images are left out
    y = rng.permutation(np.arange(50) % 2)
    before = feature_selection.SelectKBest(k=10).fit_transform(X, y)
    inside = pipeline.make_pipeline(feature_selection.SelectKBest(k=10), naive_bayes.GaussianNB())
    rows.append([model_selection.cross_val_score(naive_bayes.GaussianNB(), before, y).mean()])
    rows[-1].append(model_selection.cross_val_score(inside, X, y).mean())
selected = pd.DataFrame(rows, columns=["before the split", "inside each training part"]).mean()

# %% [markdown]
# If we use all rows to choose the columns, the accuracy is {eval}`chapter.percent(selected["before the split"])`. If we choose them inside each training part, it is {eval}`chapter.percent(selected["inside each training part"])`. The scores differ only because the labels of the test rows
# have helped to choose the columns. The cure is one line of code, a *pipeline*. It fits all steps on the training part only: scaling, filling in missing values, and
# [target encoding](02_encoders.ipynb), which replaces a category by the mean label of its rows.
#
# ## Leakage: related rows on both sides
#
# Two rows may belong together, such as two scans of one patient or two sentences of one document. If one row is in the training part and the other is in the test part, a model only needs to recognize the pair. Our model takes the label of the nearest training row.
#
# We measure each of 60 images {eval}`n_related` times, with a little noise. First we split the rows at random. Then we keep the measurements of each image together.

# %%
rng = np.random.default_rng(seed)
few = rng.choice(len(images), 60, replace=False)
X = np.repeat(images[few], n_related, axis=0)
X, y = X + rng.normal(size=X.shape), np.repeat(digit[few], n_related)
source = np.repeat(few, n_related)
nearest = neighbors.KNeighborsClassifier(1)
rows_apart = model_selection.KFold(5, shuffle=True, random_state=seed)
images_apart = model_selection.GroupKFold(5, shuffle=True, random_state=seed)
related = pd.Series(
    {
        "rows at random": model_selection.cross_val_score(nearest, X, y, cv=rows_apart).mean(),
        "an image on one side": model_selection.cross_val_score(nearest, X, y, cv=images_apart, groups=source).mean(),
    }
)

# %% [markdown]
# If we split rows at random, the model seems to be right {eval}`chapter.percent(related["rows at random"])` of the time. On images that it has not seen, it is right {eval}`chapter.percent(related["an image on one side"])` of the time. Which number is honest? That depends on what you want to predict.
# The first number is about another measurement of an image that you have. The second number is about a new image, and readers nearly always think of new images.

# %% [markdown] tags=["exercise"]
# ### Exercise 2: Which of these leak?
#
# *Understanding · 10 minutes.* Somebody compares models by cross-validation. Which of these steps let information about test rows into the training? Assign the set of letters, such as `{"a", "b"}`, to `answer_2`.
#
# - (a) Missing values are filled with the mean of the column over all rows.
# - (b) In each training part, the best of ten columns is chosen by its correlation with the label.
# - (c) Each visit of a patient is a separate row, and rows are split at random. The model is meant for new patients.
# - (d) The rows of the rarer class are copied until both classes are equally large, and then the rows are split.
# - (e) The threshold above which a model says "ill" is chosen by cross-validation within the training part.

# %% tags=["solution"]
answer_2 = {"a", "c", "d"}

# %% tags=["check"]
gx.check("12-2", answer_2)

# %% [markdown] tags=["explanation"]
# **Why.** In (a), the mean is computed from test rows, too. The leak is small, and easy to avoid. In (c) and (d), related rows or copies of a row are on both sides. Steps (b) and (e) use training rows only.

# %% [markdown]
# ## A metric that changes the winner
#
# Is a handwritten digit an eight? One digit in ten is. We compare four models by cross-validation on 600 images, and look at five metrics. *Accuracy* is the share of right answers. *Balanced accuracy* is the average of this share among the eights and among the others. *F1* is high if a model finds
# most eights, and if most digits that it calls eights really are eights. *AUC* is the probability that an eight gets a higher score than another digit. The *log loss* punishes wrong probabilities, above all if a model is sure and wrong.

# %%
from sklearn import linear_model, svm, tree

models = {
    "naive Bayes": naive_bayes.GaussianNB(),
    "logistic regression": pipeline.make_pipeline(
        preprocessing.StandardScaler(), linear_model.LogisticRegression(max_iter=200)
    ),
    "five neighbours": neighbors.KNeighborsClassifier(5),
    "tree": tree.DecisionTreeClassifier(random_state=seed),
}
metrics = {"accuracy": "accuracy", "balanced accuracy": "balanced_accuracy", "AUC": "roc_auc"}
metrics |= {"F1": "f1", "minus log loss": "neg_log_loss"}

# %%
folds = model_selection.StratifiedKFold(5, shuffle=True, random_state=seed)
by_metric = pd.DataFrame()
for name, model in models.items():
    found = model_selection.cross_validate(model, images[:600], digit[:600] == 8, cv=folds, scoring=metrics)
    by_metric[name] = pd.Series({metric: found[f"test_{metric}"].mean() for metric in metrics})
winners = by_metric.idxmax(axis=1)
chapter.show_metrics(by_metric, winners)

# %% [markdown]
# The five metrics name {eval}`chapter.how_many(winners.nunique(), "winner")`. A model that says "no eight" to everything has an accuracy of {eval}`chapter.percent((digit[:600] != 8).mean())`, so an accuracy says little here
# unless you know this number. No metric is right for everybody. The people who use the model must decide which error costs more, before they look at the scores.

# %% [markdown] tags=["exercise"]
# ### Exercise 3: Ninety-five per cent right
#
# *Application · 10 minutes.* There are 1,000 patients, and 50 of them are ill. Model A says "healthy" to everybody. Model B says "ill" to 40 of the ill, and to 60 of the healthy. A has the higher accuracy, 0.95 against 0.93. What are their balanced accuracies? Assign both as a list, A first, to
# `answer_3`, to two decimals.

# %% tags=["solution"]
answer_3 = [(0 / 50 + 950 / 950) / 2, (40 / 50 + 890 / 950) / 2]

# %% tags=["check"]
gx.check("12-3", answer_3)

# %% [markdown] tags=["explanation"]
# **Why.** Balanced accuracy is the mean of two shares of right answers. Among the ill, the share is 0 for A and 0.80 for B. Among the healthy, the share is 1 for A and 0.937 for B. A model that ignores its input scores 0.50, however rare the disease is.

# %% [markdown]
# ## A tuning budget that changes the winner
#
# A support vector machine has two parameters, and most of their settings are bad. The method of nearest neighbours has one parameter, and nearly any setting will do. We tune both by random search. We draw some settings, keep the setting that is best on validation rows, and score it on test rows.
# The number of draws is the *budget*. For the whole curve, we score {eval}`n_settings` settings of each method once, and shuffle their order.

# %%
rng = np.random.default_rng(seed)
train, rest = model_selection.train_test_split(range(len(images)), train_size=300, stratify=digit, random_state=seed)
parts = rest[:300], rest[300:]
machines = [svm.SVC(C=10 ** rng.uniform(-2, 3), gamma=10 ** rng.uniform(-6, 0)) for _ in range(n_settings)]
near = [neighbors.KNeighborsClassifier(int(k)) for k in rng.integers(1, 30, n_settings)]
scores = {}
for name, settings in {"support vector machines": machines, "nearest neighbours": near}.items():
    fitted = [model.fit(images[train], digit[train]) for model in settings]
    scores[name] = np.array([[model.score(images[part], digit[part]) for part in parts] for model in fitted])

# %%
budgets = [n for n in (1, 2, 4, 8, 16, 32, 64) if n <= n_settings]
orders = rng.random((2000, n_settings)).argsort(axis=1)  # in which order the settings are tried
tuned = pd.DataFrame(index=pd.Index(budgets, name="budget"), columns=list(scores), dtype=float)
for name, (valid, test) in ((name, each.T) for name, each in scores.items()):
    for n in budgets:
        best = valid[orders[:, :n]].argmax(axis=1)
        tuned.loc[n, name] = test[orders[np.arange(len(orders)), best]].mean()
chapter.show_budgets(tuned)

# %% [markdown]
# With one setting each, {eval}`tuned.iloc[0].idxmax()` win: {eval}`chapter.percent(tuned.iloc[0].max())` of their answers are right, against {eval}`chapter.percent(tuned.iloc[0].min())`. With {eval}`budgets[-1]` settings each, {eval}`tuned.iloc[-1].idxmax()` win:
# {eval}`chapter.percent(tuned.iloc[-1].max())` are right, against {eval}`chapter.percent(tuned.iloc[-1].min())`. If you tune a new method for a week and do not tune the old method, the week may decide who wins. Give each method the same budget, and say how large it was. Better
# still, show the curve.

# %% [markdown] tags=["exercise"]
# ### Exercise 4: When the harder method pays
#
# *Application · 10 minutes.* Each random setting of method A scores 0.95 with probability 1/10, and 0.85 otherwise. Method B needs no tuning and scores 0.90. We keep the best of $n$ settings of A. What is the smallest $n$ with an expected score above 0.90? Assign the whole number to
# `answer_4`.

# %% tags=["solution"]
answer_4 = next(n for n in range(1, 100) if 0.85 + 0.10 * (1 - 0.9**n) > 0.90)

# %% tags=["check"]
gx.check("12-4", answer_4)

# %% [markdown] tags=["explanation"]
# **Why.** There is a good setting among $n$ with probability $1 - 0.9^n$, so the expected best score is $0.95 - 0.10 \cdot 0.9^n$. It exceeds 0.90 as soon as $0.9^n < 1/2$: six settings give 0.53, and one more gives 0.48. With a smaller budget B wins, and with a larger one A wins.

# %% [markdown]
# ## Nothing went wrong, and careful people still disagree
#
# Suppose that you did all of this well. You used the test set once, nothing leaked, you chose the metric beforehand, and all methods had the same budget. Then you know which method is best *on these datasets*. Would it also be best on other datasets?
#
# This project ran 22 encoders, which turn categories into numbers, on 56 datasets. We average the scores of an encoder over models, ways of tuning and metrics. We draw {eval}`n_drawn` of these datasets, rank the encoders on each, and see which encoder has the best mean rank. Then we draw again. (Some of the 56 datasets were cut from one table. We draw them as if they were unrelated.)

# %%
rng = np.random.default_rng(seed)
runs = gx.datasets.load_encoders("bundled")
ranks = runs.groupby(["dataset", "encoder"])["cv_score"].mean().unstack().rank(axis=1, ascending=False)
picked = rng.random((n_draws, len(ranks))).argsort(axis=1)[:, :n_drawn]
best = ranks.to_numpy()[picked].mean(axis=1).argmin(axis=1)
crowned = pd.Series(ranks.columns[best]).value_counts(normalize=True)

# %%
chapter.show_crowned(crowned, n_drawn)

# %% [markdown]
# In {eval}`f"{n_draws:,}"` benchmarks of {eval}`n_drawn` datasets, {eval}`len(crowned)` different encoders come first. The most frequent winner wins {eval}`chapter.percent(crowned.iloc[0])` of the time. Nobody made a mistake. Still, two careful colleagues may contradict each other, because they drew
# different datasets. No split, metric or budget helps against that. How many datasets does a conclusion need? The other notebooks ask this question. Start with [00](00_start_here.ipynb).

# %% [markdown] tags=["exercise"]
# ### Exercise 5: Two colleagues
#
# *Project · 45 minutes.* Two colleagues independently draw 20 of the 56 datasets each, as above. How likely are they to name the same winner? Compute the probability from the shares in `crowned`, and assign it to `answer_5`, to one decimal. Then
# draw benchmarks of 10 and of 40 datasets, and plot the probability. Why do they agree more easily with 40 of the 56 datasets than with 40 new datasets? Write half a page on what a paper with 20 datasets may claim.

# %% tags=["solution"]
answer_5 = (crowned**2).sum()

# %% tags=["check"]
gx.check("12-5", answer_5)

# %% [markdown] tags=["explanation"]
# **Why.** Both colleagues name encoder $i$ with probability $p_i^2$. The sum over the encoders is 0.33 in these draws, and 0.36 in 100,000 draws. Two draws of 40 out of 56 share many datasets, so they agree more often than two benchmarks of new datasets would. If datasets are drawn without replacement from a short list, a benchmark looks more stable than it is. A paper with 20 datasets may say which encoder had
# the best mean rank on these datasets. To say that this encoder would be best again is a separate claim ([notebook 10](10_second_study.ipynb)).

# %% [markdown] tags=["findings"]
# - **The best of many test scores promises too much.** The best of {eval}`n_settings` settings of a model was right on {eval}`chapter.percent(looked_at.test.iloc[-1], 1)` of the rows by which we chose it, and on {eval}`chapter.percent(looked_at.vault.iloc[-1], 1)` of rows that nobody had seen. *These are means over {eval}`n_splits` splits of one table. On average over all settings, the accuracy on the test set is {eval}`f"{100 * abs(by_luck):.1f}"` percentage points {eval}`"higher" if by_luck > 0 else "lower"`. The rest of the gap is the price of choosing.*
# - **A model can learn nothing and score well.** There was nothing to learn. Still, {eval}`chapter.percent(selected["before the split"])` of the answers were right if we chose columns before the split, and {eval}`chapter.percent(selected["inside each training part"])` if we chose them inside each training part. *These are means over twenty tasks of 50 rows with random labels.*
# - **A careful comparison on other datasets can have another winner.** Benchmarks of {eval}`n_drawn` datasets, drawn from the same 56, had {eval}`len(crowned)` different winners. *In {eval}`f"{n_draws:,}"` draws, the most frequent winner came first {eval}`chapter.percent(crowned.iloc[0])` of the time.*

# %%
chapter.keep_numbers_of_comparisons(looked_at, selected, related, tuned, crowned)

# %% [markdown]
# ## Summary
#
# - Use a test set once. If you choose a model on it, its score there is too high.
# - Fit everything that learns from data inside the training part. Keep related rows on one side.
# - Choose the metric by what an error costs, before you see the scores.
# - Compare methods with the same budget, and report the budget.
# - All of this is about the datasets that you have. Other datasets may disagree.

# %% [markdown]
# ## Further reading
#
# - [Kapoor and Narayanan, 2023, *Leakage and the Reproducibility Crisis in Machine-Learning-Based Science*](https://doi.org/10.1016/j.patter.2023.100804): leaks in published studies, by kind.
# - [Cawley and Talbot, 2010, *On Over-fitting in Model Selection and Subsequent Selection Bias in Performance Evaluation*](https://jmlr.org/papers/v11/cawley10a.html): what choosing on the same rows does.
# - [Dodge et al., 2019, *Show Your Work: Improved Reporting of Experimental Results*](https://doi.org/10.18653/v1/D19-1224): scores as a function of the budget.
