"""Accuracies, paired differences and their errors against statsmodels and brute force; tables that do not say it."""

import runpy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import t
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import NormalIndPower
from statsmodels.stats.proportion import proportion_confint

import genexpy_nb as gx
from genexpy_nb.common.errors import StudyError
from genexpy_nb.fields import items

NAMES = ["ant", "bee", "cat"]


def made_up(n=60, samples=1, seed=0, odds=(1.2, 0.9, -0.4), graded=False, group=5):
    rng = np.random.default_rng(seed)
    of_item = rng.normal(0, 1, (n, 1)) + np.repeat(rng.normal(0, 1, (-(-n // group), 3)), group, axis=0)[:n]
    logits = of_item + np.array(odds)
    rows = [(i, NAMES[m], s) for i in range(n) for m in range(3) for s in range(samples)]
    rows = pd.DataFrame(rows, columns=["item", "model", "s"])
    logit = logits[rows["item"], rows["model"].map(NAMES.index)]
    drawn = expit(logit + rng.normal(0, 1, len(rows))) if graded else rng.random(len(rows)) < expit(logit)
    return rows.assign(score=drawn.astype(float), passage=rows["item"] // group, bench=rows["item"] % 3)


RIGHT, GRADED, TWICE = made_up(), made_up(graded=True), made_up(samples=2)


def wide(frame):
    return frame.groupby(["item", "model"])["score"].mean().unstack()


def test_accuracies_have_wilsons_intervals_and_pairs_mcnemars_exact_test():
    found, table = items(RIGHT), wide(RIGHT)
    right = table.sum()[found.models.index]
    low, high = proportion_confint(right, len(table), method="wilson")
    np.testing.assert_allclose(found.models["estimate"], right / len(table))
    np.testing.assert_allclose(found.models[["low", "high"]], np.array([low, high]).T)
    exact = [mcnemar(pd.crosstab(table[a], table[b]), exact=True).pvalue for a, b in zip(*two(found), strict=True)]
    np.testing.assert_allclose(found.pairs["p"], exact)
    np.testing.assert_allclose(found.pairs["p_adjusted"], multipletests(exact, method="holm")[1])


def test_to_be_the_best_takes_less_than_to_be_told_apart_from_all_others():
    """Nine models, each wrong on 48 of the 200 items that the leader has right, and right on 22 that it has wrong."""
    rng, n, k = np.random.default_rng(3), 400, 9
    leader = np.arange(n) < 200
    others = np.repeat(leader[:, None], k, axis=1)
    for column in others.T:
        column[rng.choice(200, 48, replace=False)] = False
        column[200 + rng.choice(200, 22, replace=False)] = True
    table = pd.DataFrame(np.column_stack([leader, others]), columns=[f"m{i}" for i in range(k + 1)]).astype(float)
    melted = table.rename_axis("item").melt(ignore_index=False, var_name="model", value_name="score")
    found = items(melted.reset_index())
    p = mcnemar([[0, 48], [22, 0]], exact=True).pvalue  # of each pair with the leader
    assert p / 2 * k < 0.05 < p * k * (k + 1) / 2
    assert found.models["may_be_best"].sum() == 1 and found.models["rank_high"].iloc[0] == 1
    assert (found.models["rank_low"].iloc[1:] == 2).all() and (found.pairs["p_adjusted"] > 0.05).all()
    said = "m0 is the best of 10 models on items like these. This tests the best alone: with all pairs at once, it is "
    assert str(found).startswith(said + "told apart from 0 of 9 others.")


def two(found):
    return found.pairs["first"], found.pairs["second"]


@pytest.mark.parametrize("cluster", [None, "passage"])
def test_differences_have_the_errors_of_a_regression_on_groups(cluster):
    found, table = items(GRADED, cluster=cluster), wide(GRADED)
    groups = table.index.to_numpy() // 5 if cluster else table.index.to_numpy()
    freedom = len(np.unique(groups)) - 1
    for row in found.pairs.itertuples():
        model = sm.OLS(table[row.first] - table[row.second], np.ones(len(table)))
        fit = model.fit(cov_type="cluster", cov_kwds={"groups": groups, "df_correction": True}, use_t=True)
        assert row.estimate == pytest.approx(fit.params.iloc[0])
        assert [row.low, row.high] == pytest.approx(fit.conf_int().iloc[0].tolist(), rel=1e-6)
        assert row.p == pytest.approx(fit.pvalues.iloc[0], rel=1e-6)
    for name, row in found.models.iterrows():
        fit = sm.OLS(table[name], np.ones(len(table))).fit(cov_type="cluster", cov_kwds={"groups": groups}, use_t=True)
        error = fit.bse.iloc[0]
        assert row["high"] - row["estimate"] == pytest.approx(t.isf(0.025, freedom) * error, rel=1e-6)


def test_groups_of_different_sizes_have_the_correction_of_bell_and_mccaffrey():
    uneven = GRADED.assign(passage=np.minimum(GRADED["item"] // 4, 9))
    found, table = items(uneven, cluster="passage"), wide(uneven)
    groups = np.minimum(table.index.to_numpy() // 4, 9)
    hat, total = np.full((len(table), len(table)), 1 / len(table)), 0.0
    row = found.pairs.iloc[0]
    gaps = (table[row["first"]] - table[row["second"]]).to_numpy()
    for each in np.unique(groups):
        inside = groups == each
        values, vectors = np.linalg.eigh(np.eye(inside.sum()) - hat[np.ix_(inside, inside)])
        total += ((vectors / np.sqrt(values)) @ vectors.T @ (gaps[inside] - gaps.mean())).sum() ** 2
    counts = np.bincount(groups)
    margin = t.isf(0.025, len(table) ** 2 / (counts**2).sum() - 1) * np.sqrt(total) / len(table)
    assert row["high"] - row["estimate"] == pytest.approx(margin)


def test_items_of_fixed_benchmarks_vary_within_them():
    found, table = items(GRADED, benchmark="bench"), wide(GRADED)
    place, row = table.index.to_numpy() % 3, found.pairs.iloc[0]
    gaps = table[row["first"]] - table[row["second"]]
    parts = gaps.groupby(place)
    variance = (parts.var() * parts.size()).sum() / len(table) ** 2
    freedom = (row["high"] - row["estimate"]) / np.sqrt(variance)
    assert freedom == pytest.approx(t.isf(0.025, len(table) - 3), rel=1e-6)
    tables = {str(at): table[place == at] for at in range(3)}
    pd.testing.assert_frame_equal(found.benchmarks.contrasts, gx.pool(tables, by="score").contrasts, rtol=1e-6)
    assert "in the next benchmark" in str(found)
    assert "too few to say" in str(items(GRADED[GRADED["bench"] < 2], benchmark="bench"))


def test_pairs_that_differ_in_no_item_have_wide_intervals():
    same = RIGHT.assign(model=RIGHT["model"].replace("cat", "ant")).drop_duplicates(["item", "model"])
    twin = pd.concat([same, same[same["model"] == "ant"].assign(model="twin")])
    row = items(twin).pairs.query("first in ['ant', 'twin'] and second in ['ant', 'twin']").iloc[0]
    # as if one item more had been for each of the two, but for the share of those that differ
    wins = wide(twin)
    share = np.mean([(wins[a] == wins[b]).mean() for a, b in [("ant", "bee"), ("ant", "twin"), ("bee", "twin")]])
    assert row["estimate"] == 0 and row["p"] == row["p_adjusted"] == 1
    assert row["high"] == pytest.approx(t.isf(0.025, 59) * np.sqrt(2 * share) / 60)
    assert "the same accuracy" in str(items(twin[twin["model"] != "bee"]))


def test_noise_of_samples_is_told_from_noise_of_items():
    found, by_item = items(TWICE, sample="s"), TWICE.pivot(index=["item", "model"], columns="s", values="score")
    within = (((by_item[0] - by_item[1]) ** 2) / 2).groupby("model").mean()  # the variance of one answer
    expected = 2 * within.mean() / 2 / 60
    assert found.noise["samples"] == pytest.approx(expected)
    table = wide(TWICE)
    gaps = [(table[a] - table[b]).var() / 60 for a, b in zip(*two(found), strict=True)]
    assert found.noise.sum() == pytest.approx(np.mean(gaps))
    assert found.samples.loc[2].tolist() == pytest.approx([np.sqrt(np.mean(gaps))] * 2)
    assert found.samples.loc[4, "same_items"] ** 2 == pytest.approx(found.noise["items"] + expected / 2)
    assert found.samples.loc[1, "same_cost"] ** 2 == pytest.approx(found.noise["items"] / 2 + expected)
    assert items(RIGHT).samples.empty and "cannot tell noise" in str(items(RIGHT))
    pd.testing.assert_frame_equal(items(TWICE).pairs, found.pairs)  # rows of one cell are samples


def test_what_more_samples_would_do_is_what_they_do():
    """In worlds that are known: half of ten samples, or half of the items, against the prediction from all."""
    many = made_up(n=1500, samples=10, seed=4)
    found = items(many, sample="s")
    for samples in (1, 2, 4):
        fewer = items(many[many["s"] < samples])
        error = np.sqrt(
            np.mean(
                [
                    (x := wide(many[many["s"] < samples]))[a].sub(x[b]).var() / 1500
                    for a, b in zip(*two(fewer), strict=True)
                ]
            )
        )
        assert found.samples.loc[samples, "same_items"] == pytest.approx(error, rel=0.03)


def test_items_needed_have_the_power_that_is_said():
    found = items(GRADED)
    row = found.pairs.iloc[0]
    spread = (row["high"] - row["estimate"]) / t.isf(0.025, 59) * np.sqrt(60)
    power = NormalIndPower(ddof=0).power(row["estimate"] / spread, found.items_needed, 0.05, ratio=0)
    assert 0.8 <= power < 0.81


@settings(max_examples=10, deadline=None)
@given(st.permutations(range(3)), st.integers(0, 2**16))
def test_neither_names_nor_the_order_of_rows_decide(names, seed):
    new = dict(zip(NAMES, (f"name {i}" for i in names), strict=True))
    other = TWICE.sample(frac=1, random_state=seed).assign(item=lambda x: "q" + (97 * x["item"]).astype(str))
    one, two = items(TWICE, cluster="passage"), items(other.replace({"model": new}), cluster="passage")
    pd.testing.assert_frame_equal(one.models.rename(new), two.models, rtol=1e-6)
    pd.testing.assert_series_equal(one.noise, two.noise)
    assert one.items_needed == two.items_needed


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(*[st.booleans()] * 3), min_size=5, max_size=40))
def test_whatever_is_right_or_wrong_has_an_answer(rows):
    table = pd.DataFrame(rows, columns=NAMES).rename_axis("item")
    table = table.melt(var_name="model", value_name="score", ignore_index=False)
    found = items(table.reset_index())
    assert found.models["may_be_best"].any() and np.isfinite(found.pairs[["low", "high", "p"]].to_numpy()).all()
    low, high = found.models["low"], found.models["high"]
    assert ((low >= 0) & (high <= 1) & (low < high)).all()
    assert (found.pairs["p_adjusted"] >= found.pairs["p"]).all() and len(str(found).splitlines()) <= 10


def test_what_is_left_out_is_counted():
    some = RIGHT.copy()
    some.loc[some["item"].isin([3, 4]) & (some["model"] == "bee"), "score"] = np.nan
    found = items(some)
    assert "2 rows without a model, item or score left out. 2 of 60 items left out" in str(found)
    assert "bee lacks most, 2" in str(found)
    whole = RIGHT[~RIGHT["item"].isin([3, 4])]
    pd.testing.assert_frame_equal(found.pairs, items(whole).pairs)


def test_a_clear_winner_is_said_and_names_are_escaped():
    clear = items(made_up(n=400, odds=(4, 0, -1)))
    assert str(clear).startswith("ant is the best of 3 models") and "more than chance explains" in str(clear)
    assert clear.models["rank_low"].tolist() == [1, 2, 3] == clear.models["rank_high"].tolist()
    assert r"\*\*" in items(RIGHT.replace("ant", "**ant**"))._repr_markdown_()
    assert "Items of one passage are alike (12 passages)" in str(items(RIGHT, cluster="passage"))


@pytest.mark.parametrize(
    ("frame", "options", "words"),
    [
        (RIGHT.rename(columns={"score": "correct"}), {}, ["no column 'score'"]),
        (RIGHT.assign(score="yes"), {}, ["column 'score' must be numbers", "'yes'"]),
        (RIGHT.assign(score=np.inf), {}, ["column 'score': row 0 is infinite"]),
        (RIGHT[RIGHT["model"] == "ant"], {}, ["column 'model'", "two or more models", "'ant'"]),
        (RIGHT[RIGHT["item"] < 4], {}, ["4 items answered by all", "5 are needed"]),
        (RIGHT.assign(s=0, item=RIGHT["item"] // 2), {"sample": "s"}, ["column 's': row 3 is a second answer"]),
        (TWICE.assign(passage=TWICE["s"]), {"cluster": "passage"}, ["item '0' is in several levels of 'passage'"]),
        (RIGHT.assign(passage=RIGHT["item"] % 4), {"cluster": "passage"}, ["'passage' has 4 levels", "leave it out"]),
        (RIGHT.assign(bench="one"), {"benchmark": "bench"}, ["benchmark: 'bench' has a single level"]),
        (RIGHT.assign(bench=RIGHT["item"] == 3), {"benchmark": "bench"}, ["'True' has 1 item", "leave it out"]),
    ],
)
def test_answers_that_do_not_say_it_are_errors(frame, options, words):
    with pytest.raises(StudyError) as error:
        gx.fields.items(frame, **options)
    assert not [word for word in words if word not in str(error.value)], error.value


def test_the_page_shows_what_is_printed():
    root = Path(__file__).resolve().parents[2]
    worlds = runpy.run_path(str(root / "benchmarks" / "bench_items.py"))["WORLDS"]
    answers = worlds["200 items of 40 passages, two samples"].answers(np.random.default_rng(0))
    said = str(items(answers, "model", "item", "score", sample="sample", cluster="passage"))
    assert f"```text\n{said}\n```" in (root / "docs" / "fields.md").read_text(encoding="utf-8")
