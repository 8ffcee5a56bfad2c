"""What differs if some factors are drawn anew: closed forms, brute force, and what the study itself says."""

import re
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

import genexpy_nb as gx
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.conclusions.effects import root_of
from genexpy_nb.fields import comparing
from genexpy_nb.fields.comparing import compared
from genexpy_nb.fields.repeating import Runs, means_over, spread
from tests.made_up_results import crossed

NESTED = {"task": [], "prompt": [], "seed": ["task"]}
CROSSED = {"task": [], "prompt": [], "seed": []}
SCORES = np.random.default_rng(0).normal(size=(7, 4, 3, 5)) + np.random.default_rng(1).normal(size=(1, 4, 1, 5))
RUNS = Runs(dict(zip(CROSSED, np.indices((7, 4, 3)).reshape(3, -1), strict=True)), SCORES.reshape(-1, 5))


def contrasts(scores=SCORES):
    return scores - scores.mean(axis=-1, keepdims=True)


def of_mean(rows):
    return np.cov(rows.T) / len(rows)


# --- covariances ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("anew", "nests"), [(["task"], CROSSED), (["seed", "task"], NESTED), (["task"], NESTED)])
def test_experiments_alone_have_the_errors_of_paired_t_tests(anew, nests):
    found = spread(RUNS, anew, nests)
    np.testing.assert_allclose(found.covariance, of_mean(contrasts().mean(axis=(1, 2))), atol=1e-12)
    assert found.freedom == pytest.approx(6) and found.units == ["task"]


def test_runs_in_tasks_have_the_variance_within_tasks():
    found, tasks = spread(RUNS, ["seed"], NESTED), contrasts().mean(axis=1)
    np.testing.assert_allclose(found.covariance, sum(of_mean(each) for each in tasks) / 49, atol=1e-12)
    traces = np.array([np.trace(of_mean(each)) for each in tasks])
    assert found.freedom == pytest.approx(traces.sum() ** 2 / (traces**2 / 2).sum())


def test_uneven_runs_count_by_task_and_a_single_one_as_others_do():
    kept = (RUNS.levels["seed"] == 0) | (RUNS.levels["task"] % 3 > 0)
    some = Runs({name: levels[kept] for name, levels in RUNS.levels.items()}, RUNS.values[kept])
    tasks = contrasts().mean(axis=1)
    expected = sum(of_mean(each) for number, each in enumerate(tasks) if number % 3) / 49 * 7 / 4
    np.testing.assert_allclose(spread(some, ["seed"], NESTED).covariance, expected, atol=1e-12)
    by_task = [SCORES[task].mean(axis=0)[: 3 if task % 3 else 1].mean(axis=0) for task in range(7)]
    np.testing.assert_allclose(means_over(some, [], NESTED).values[0], np.mean(by_task, axis=0))


@pytest.mark.parametrize("anew", [["prompt", "task"], ["seed", "prompt", "task"], ["seed", "prompt"]])
def test_crossed_factors_have_the_unbiased_sum_of_all_pairs_of_cells(anew):
    """Cells that share levels of what is drawn anew are alike; those that share none say what means are."""
    shape = dict(zip(CROSSED, SCORES.shape, strict=False))
    first, rest = [list(shape).index(name) for name in anew], [i for i, name in enumerate(shape) if name not in anew]
    means = contrasts().transpose([*first, *rest, 3])
    means = means.mean(axis=tuple(range(len(anew), 3)))
    cells = list(product(*(range(shape[name]) for name in anew)))
    sums = {}
    for one, other in product(cells, cells):
        same = tuple(a == b for a, b in zip(one, other, strict=True))
        n, total = sums.get(same, (0, 0.0))
        sums[same] = n + 1, total + np.outer(means[one], means[other])
    apart = sums.pop((False,) * len(anew))
    expected = sum(total - n * apart[1] / apart[0] for n, total in sums.values()) / len(cells) ** 2
    found = spread(RUNS, anew, CROSSED).covariance
    assert np.trace(found) == pytest.approx(np.trace(expected))  # the shape may be corrected, to be a covariance
    if np.linalg.eigvalsh(expected - of_mean(contrasts().mean(axis=(0, 2)))).min() > -1e-9:
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_many_studies_vary_as_one_of_them_says():
    """Tasks are held fixed; prompts and the runs in tasks are drawn anew, 3,000 times."""
    rng, said, means = np.random.default_rng(5), [], []
    tasks = rng.normal(size=(6, 1, 1, 3))
    for _ in range(3000):
        prompts, both = rng.normal(0, 0.7, (1, 3, 1, 3)), rng.normal(0, 0.5, (6, 3, 1, 3))
        scores = tasks + prompts + both + rng.normal(0, 0.6, (6, 1, 2, 3)) + rng.normal(0, 0.4, (6, 3, 2, 3))
        levels = dict(zip(CROSSED, np.indices((6, 3, 2)).reshape(3, -1), strict=True))
        means.append(contrasts(scores).mean(axis=(0, 1, 2)))
        if len(said) < 200:
            found = spread(Runs(levels, scores.reshape(-1, 3)), ["seed", "prompt"], NESTED)
            said.append(np.trace(found.covariance))
    true = np.trace(np.cov(np.array(means).T))
    assert np.mean(said) == pytest.approx(true, rel=4 / np.sqrt(200))  # the error of a mean of chi squares with 2 x 2


# --- comparisons ------------------------------------------------------------------------------------------------------


def test_few_groups_tell_equals_apart_no_more_often_than_they_may(monkeypatch):
    """Five judges and eight equal models; one variance for all pairs told some apart in a fifth of such panels."""
    monkeypatch.setattr(comparing, "_DRAWS", 499)
    monkeypatch.setattr(comparing, "_FEWEST_DRAWS", 499)
    rng, told = np.random.default_rng(0), 0
    for number in range(60):
        rows = rng.normal(size=(5, 8))
        told += compared(rows.mean(axis=0), root_of(of_mean(rows)), 4, 0.05, number)[0].better.any()
    assert told <= 7  # .994 of binomial numbers with 60 and .05 are


def test_two_alternatives_are_compared_by_students_t():
    rows = np.random.default_rng(3).normal([0.5, 0], 1, (9, 2))
    found, errors = compared(rows.mean(axis=0), root_of(of_mean(rows)), 8, 0.05, 0)
    gaps = rows[:, 0] - rows[:, 1]
    assert errors[0, 1] == pytest.approx(gaps.std(ddof=1) / 3)
    p = student.sf(gaps.mean() / errors[0, 1], 8)
    assert found.p()[0, 1] == pytest.approx(2 * p) and found.p_best[1] == pytest.approx(p, abs=0.01)
    assert found.p_adjusted()[0, 1] == pytest.approx(2 * p, abs=0.015)


# --- of a study -------------------------------------------------------------------------------------------------------


def results(n_tasks=12, n_prompts=4, n_seeds=3, names=("ant", "bee", "cat"), seed=0):
    rng = np.random.default_rng(seed)
    frame = crossed(task=range(n_tasks), prompt=range(n_prompts), seed=range(n_seeds), model=names)
    at = frame["model"].map({name: number for number, name in enumerate(names)}).to_numpy()
    frame["score"] = -0.3 * at + rng.normal(0, 0.3, (n_tasks, len(names)))[frame["task"], at]
    frame["score"] += rng.normal(0, 0.3, (n_prompts, len(names)))[frame["prompt"], at] + rng.normal(0, 0.3, len(frame))
    return frame.assign(family=frame["task"] // 2)


def study_of(frame, average=("seed", "prompt"), **more):
    roles = {"alternatives": "model", "target": "score", "generalize_over": "task"}
    return gx.Study(frame, **roles, average_over=list(average), **more)


@pytest.mark.parametrize("by", ["rank", "score"])
def test_where_only_experiments_are_drawn_anew_it_is_what_the_study_says(by):
    frame = results(n_prompts=1, n_seeds=1)
    study = study_of(frame, average=())
    found, contenders = study.under(["task"], by=by, rng=4), study.contenders(by=by, rng=4)
    ranks = found.ranks.set_index("alternative")
    assert ranks["may_be_best"].to_dict() == contenders["may_be_best"].to_dict()
    np.testing.assert_allclose(ranks.loc[contenders.index, "p"], contenders["p"])
    places = contenders[["place_low", "place_high"]].to_numpy()
    np.testing.assert_array_equal(ranks.loc[contenders.index, ["rank_low", "rank_high"]], places)
    again = study.agreement("winner", n=12, by=by, rng=4).loc[0, ["low", "high"]]
    assert found.table.loc[0, ["low", "high"]].tolist() == pytest.approx(again.tolist())


def test_runs_drawn_anew_with_their_tasks_are_the_study_of_their_means():
    frame, study = results(), study_of(results())
    found = study.under(["seed", "task"], by="score").ranks
    last = found[found["anew"] == "seed and task"].set_index("alternative")
    contenders = study.contenders(by="score")
    assert last["p"].to_dict() == pytest.approx(contenders["p"].to_dict())
    assert last["mean"].to_dict() == pytest.approx(frame.groupby("model")["score"].mean().to_dict())


def test_clusters_come_last_and_each_counts_alike():
    frame = results()[lambda f: f["task"] != 1]
    study = study_of(frame, cluster="family")
    found = study.under(by="score")
    assert found.table["anew"].tolist() == [
        "seed", "seed and prompt", "seed, prompt and task", "seed, prompt, task and family",
    ]  # fmt: skip
    means = frame.groupby(["family", "task", "model"])["score"].mean().groupby(["family", "model"]).mean()
    expected = means.groupby("model").mean().to_dict()
    assert found.ranks.iloc[:3].set_index("alternative")["mean"].to_dict() == pytest.approx(expected)


def test_ranks_are_of_single_runs_and_lower_scores_can_be_better():
    frame = results().assign(score=lambda f: -f["score"])
    found = study_of(frame, higher_is_better=False).under(["seed"])
    ranks = frame.groupby(["task", "prompt", "seed"])["score"].rank().groupby(frame["model"]).mean()
    assert found.ranks.set_index("alternative")["mean"].to_dict() == pytest.approx(ranks.to_dict())
    assert found.ranks["alternative"].tolist() == ranks.sort_values().index.tolist()


def test_names_say_what_comes_first_and_which_runs_are_new_in_each_task():
    frame = results().rename(columns={"prompt": "template", "seed": "trial"}).assign(judge="gpt")
    more = pd.concat([frame, frame.assign(judge="human", score=frame["score"] + 0.1 * (frame["model"] == "cat"))])
    study = study_of(more, average=("judge", "trial", "template"))
    found = study.under()
    assert found.table["anew"].iloc[-1] == "trial, template, judge and task"
    assert "Each task has trials of its own" in str(found)
    shared = study.under(nested=[])
    assert "of its own" not in str(shared) and shared.table["freedom"].iloc[0] == pytest.approx(2)
    assert found.table["freedom"].iloc[0] > 10
    assert "From 2 judges little is known of others" in str(found)


def test_what_is_drawn_anew_together_leaves_no_fewer_contenders_than_a_part_of_it_here():
    found = study_of(results(seed=2)).under(["seed", "prompt", "task"]).table
    assert found["contenders"].is_monotonic_increasing and found["told_apart"].is_monotonic_decreasing


def test_seeds_of_one_alternative_each_are_numbered_and_runs_that_lack_others_left_out():
    frame = results()
    other = frame.assign(seed=frame["seed"] + 10 * (frame["model"] == "bee"))
    found, same = study_of(other).under(["seed", "task"]), study_of(frame).under(["seed", "task"])
    pd.testing.assert_frame_equal(found.table, same.table)
    lacks = frame[~((frame["model"] == "ant") & (frame["task"] == 3) & (frame["prompt"] == 1))]
    found = study_of(lacks).under(["seed", "task"], by="score")
    whole = study_of(frame[frame["task"] != 3]).under(["seed", "task"], by="score")
    pd.testing.assert_frame_equal(found.table, whole.table)
    assert "12 of 144 runs are left out" in str(found)


def test_runs_that_do_not_differ_are_certain():
    frame = results(n_seeds=1)
    twice = pd.concat([frame, frame.assign(seed=1)])
    row = study_of(twice).under(["seed"], by="score").table.iloc[0]
    assert row["contenders"] == 1 and row["told_apart"] == 3 and row["low"] > 0.99


def test_it_says_so_in_sentences_and_names_are_text():
    frame = results().replace({"model": {"ant": "*ant*"}})
    found = study_of(frame).under(["seed", "prompt"])
    assert str(found).startswith("With other seeds only, *ant* is the best of 3. Two such studies have")
    assert "held fixed, and so are tasks throughout" in str(found) and r"\*ant\*" in found._repr_markdown_()
    assert found.plot(most=2).texts
    assert study_of(frame).under(["seed"], rng=1).table.equals(study_of(frame).under(["seed"], rng=1).table)


ONE = results().assign(judge="gpt")


@pytest.mark.parametrize(
    ("frame", "average", "asked", "kind", "words"),
    [
        (ONE, ["seed", "prompt", "judge"], ["judge"], StudyError, ["'judge' has a single level, 'gpt'", "collect"]),
        (results(n_seeds=1), ["seed", "prompt"], ["seed"], StudyError, ["'seed' has a single level in each task"]),
        (ONE, ["seed", "prompt"], ["promt"], ParameterError, ["'promt' is none of", "did you mean 'prompt'"]),
        (ONE, ["seed", "prompt"], ["task", "seed"], ParameterError, ["'seed' is new with 'task'", "before"]),
        (ONE, ["seed", "prompt"], "seed", ParameterError, ["list of columns", "'seed'"]),
        (
            ONE[(ONE["prompt"] + ONE["task"]) % 2 > 0],
            ["seed", "prompt"],
            ["prompt"],
            StudyError,
            ["all levels of seed"],
        ),
    ],
)
def test_what_cannot_be_drawn_anew_is_an_error(frame, average, asked, kind, words):
    with pytest.raises(kind) as error:
        study_of(frame, average=average).under(asked)
    assert not [word for word in words if word not in str(error.value)], error.value


def test_a_single_level_is_said_by_default_and_a_design_factor_is_no_repetition():
    said = str(study_of(ONE, ["seed", "prompt", "judge"]).under())
    assert "judge has a single level, 'gpt', and is held fixed." in said
    study = study_of(results(), average=["seed"], design=["prompt"])
    with pytest.raises(ParameterError, match="design factor 'prompt'"):
        study.under(["prompt"], {"prompt": 0})
    assert study.under(configuration={"prompt": 0}).table["anew"].tolist() == ["seed", "seed and task"]


def test_the_page_shows_what_is_printed(capsys):
    page = (Path(__file__).resolve().parents[2] / "docs" / "fields.md").read_text(encoding="utf-8")
    code, shown = re.search(r"## Which repetition.*?```python\n(.*?)```.*?```text\n(.*?)```", page, re.DOTALL).groups()
    exec(code, {"np": np, "pd": pd, "gx": gx})
    assert capsys.readouterr().out == shown
