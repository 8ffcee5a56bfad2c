"""Proposals: what they are on tables that people publish, and that the command they give means the same."""

import os
import re
import shlex
import subprocess
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import genexpy_nb as gx
from genexpy_nb.cli import main
from genexpy_nb.common.errors import StudyError
from genexpy_nb.datasets.describing import describe_columns
from genexpy_nb.datasets.words import direction_of
from genexpy_nb.own_study import command as steps
from genexpy_nb.own_study.request import StudyRequest
from genexpy_nb.own_study.roles import _variants, command, mostly_one_group, propose, readings


def guess(frame, **asked):
    return propose(frame, StudyRequest("a.csv", **asked))


def table(scores, **levels):
    """All combinations of levels, with columns of scores."""
    frame = pd.MultiIndex.from_product(levels.values(), names=levels).to_frame(index=False)
    rng = np.random.default_rng(0)
    return frame.assign(**{name: rng.random(len(frame)) for name in scores.split()})


def matrix(n, *names):
    return pd.DataFrame(np.random.default_rng(0).random((n, len(names))), columns=names)


def said(proposal):
    return command(proposal.request, joined=" ").removeprefix("genexpy-nb study a.csv ")


ABC, DATA = list("abc"), list("wxyz")
METHODS, FILES = ("SVM", "KNN", "RF"), [f"d{i}" for i in range(9)]
METRICS = dict(zip(FILES, ["auc", "neg_rmse", "neg_logloss"] * 3, strict=True))
#: Tables, and the command that is guessed for each.
GUESSES = {
    "folds and several metrics": (
        table("duration logloss acc", framework=ABC, task=DATA, fold=range(5)).assign(
            id=range(60), utc=[f"2019-04-13T22:28:{i:02d}" for i in range(60)]
        ),
        "--alternatives framework --target acc --higher-is-better --over task --average fold",
    ),
    "factors, and what says nothing new": (
        table("rmse", encoder=ABC, dataset=DATA, model=["LR", "SVM"], noise=[0.0, 0.01, 0.1]).assign(
            n_rows=lambda f: f["dataset"].map(ord)
        ),
        "--alternatives encoder --target rmse --lower-is-better --over dataset --design model --design noise",
    ),
    "the factor that tells most rows apart": (
        table("auc", model=ABC, dataset=DATA, kind=["p", "q", "r"]).assign(
            family=lambda f: f["kind"].eq("p").map({True: "one", False: "other"})
        ),
        "--alternatives model --target auc --higher-is-better --over dataset --design kind",
    ),
    "metrics in rows": (
        table("value", model=ABC, task=DATA, metric=["logloss", "auc"]),
        "--alternatives model --target value --lower-is-better --over task --fix metric=logloss",
    ),
    "properties of the rows of a matrix": (
        matrix(9, "IForest", "LOF", "PCA", "CNN", "KNN").assign(
            file=FILES, ts_len=range(99, 999, 100), seasonal=[0, 1, 0] * 3
        ),
        "--wide --over file --without ts_len --without seasonal",
    ),
    "whole numbers among whole numbers": (
        pd.DataFrame(np.arange(12).reshape(4, 3), columns=METHODS).assign(
            RBF=[0.5, 1, 2, 3], dataset=list("abcd"), FCN=[0.1, 0.2, 0.3, 0.4]
        ),
        "--wide --over dataset",
    ),
    "two columns called data set": (
        table("MASE", model=ABC, dataset_config=["u", "v", "w", "x"]).assign(
            dataset_path=lambda f: "org/" + f["dataset_config"].isin(["u", "v"]).astype(str)
        ),
        "--alternatives model --target MASE --lower-is-better --over dataset_config",
    ),
    "data sets and methods": (matrix(9, *METHODS).assign(dataset=FILES), "--wide --over dataset"),
    "a matrix alone": (matrix(9, *METHODS), "--wide"),
    "a leaderboard with versions": (
        matrix(6, "ARC", "MMLU", "GSM8K", "WSC").assign(
            Average=lambda f: f.mean(axis=1), model=list("aabbcc"), pretrained=list("xyxyxy")
        ),
        "--wide --alternatives model --alternatives pretrained --without Average",
    ),
    "very many columns of one metric": (
        matrix(6, *(f"accuracy on {x}" for x in "abcdefghijklmn")).assign(model=list("uvwxyz")),
        "--wide --alternatives model --higher-is-better",
    ),
}


@pytest.mark.parametrize("case", GUESSES)
def test_the_command_that_is_guessed(case):
    frame, expected = GUESSES[case]
    proposal = guess(frame)
    assert sorted(f"{said(proposal)} ".split("--")) == sorted(f"{expected} ".split("--"))
    for request in proposal.requests():
        request.study(frame)


def test_of_metrics_in_rows_others_are_to_be_columns_and_two_columns_are_no_matrix():
    doubts = guess(GUESSES["metrics in rows"][0]).guess.doubts
    assert doubts[0].startswith("For several metrics at once, write each to a column")
    frame = GUESSES["very many columns of one metric"][0]
    assert "--wide" not in said(guess(frame[["model", "accuracy on a", "accuracy on b"]]))


@pytest.mark.parametrize(("metric", "direction"), [("mase", "lower"), ("auc", "higher")])
def test_the_direction_is_that_of_the_metric_that_is_held(metric, direction):
    """The column of scores is called "value", which says nothing."""
    frame = table("value", model=ABC, dataset=DATA, metric=[metric, "time"])
    proposal = guess(frame)
    expected = f"--alternatives model --target value --{direction}-is-better --over dataset --fix metric={metric}"
    assert said(proposal) == expected
    assert (f"--{direction}-is-better", "", f"{metric!r} in the metric's name") in proposal.reasons
    assert "--higher-is-better" in said(guess(frame, higher_is_better="higher"))


def test_a_metric_nobody_knows_leaves_the_direction_open():
    proposal = guess(table("value", model=ABC, dataset=DATA, metric=["zeta", "eta"]))
    assert proposal.request.absent() == ["--higher-is-better or --lower-is-better"]
    assert [each.higher_is_better for each in proposal.requests()] == ["higher", "lower"]


def test_a_column_of_tuples_is_a_doubt():
    """An index of data set, noise and seed, as pandas writes it: the seeds are no experiments."""
    rows = pd.MultiIndex.from_product([["x", "y"], [0.0, 0.1], [1, 2]])
    frame = pd.DataFrame(np.random.default_rng(0).random((8, 3)), columns=["SVM", "KNN", "RF"])
    (doubt,) = [d for d in guess(frame.assign(index=[str(row) for row in rows])).guess.doubts if "several levels" in d]
    assert doubt.startswith("Each level of 'index', such as ('x', 0.0, 1), is several levels in one.")


def test_what_was_asked_for_stays():
    frame = table("acc loss", encoder=ABC, dataset=DATA, model=["LR", "SVM"])
    wanted = "--alternatives model --target loss --lower-is-better --over dataset --design encoder"
    assert said(guess(frame, alternatives=["model"], target=["loss"])) == wanted


def test_nothing_is_found_where_nothing_is():
    proposal = guess(pd.DataFrame({"dataset": list("abc"), "accuracy": [0.5, 0.6, 0.7], "size": [1, 2, 3]}))
    assert proposal.request.absent() == ["--alternatives"]


def test_a_score_that_is_missing_in_many_rows_comes_after_one_that_is_not():
    frame = table("accuracy auc", model=ABC, dataset=DATA)
    assert "--target accuracy" in said(guess(frame))
    frame.loc[:2, "accuracy"] = np.nan
    assert "--target auc" in said(guess(frame))


def test_a_configuration_of_one_experiment_among_larger_ones_is_no_doubt():
    frame = table("auc", model=ABC, dataset=DATA, kind=["p", "q"])
    some = guess(frame[(frame["kind"] == "p") | (frame["dataset"] == "w")])
    assert some.request.design == ("kind",)
    assert not any("one level of dataset only" in each for each in some.guess.doubts)
    frame["kind"] = frame["dataset"].map(dict(zip("wxyz", "pqrs", strict=True)))
    alone = guess(frame.drop_duplicates(["model", "dataset"]), design=["kind"])
    assert all(not request.design for _, request in readings(frame.drop_duplicates(["model", "dataset"]), alone)[0])


@pytest.mark.parametrize(("n_levels", "wide"), [(19, True), (17, False)])
def test_a_name_that_nearly_every_row_has_for_itself_makes_a_matrix(n_levels, wide):
    frame = pd.DataFrame(np.random.default_rng(0).random((20, 3)), columns=["SVM", "KNN", "RF"])
    frame["file"] = [f"f{i % n_levels}" for i in range(20)]
    assert guess(frame).request.wide == wide


@pytest.mark.parametrize(
    ("direction", "names"),
    [
        ("higher", "test_accuracy AUROC balancedAccuracy F1 R2_test neg_mean_squared_error"),
        ("lower", "logloss val_loss RMSE error_rate testMAE WER MSE FID perplexity misclassification errors"),
        ("", "x lossless timer target_noise value acc_diff"),
    ],
)
def test_directions_that_names_say(direction, names):
    spaced = {"higher": ["rank correlation"], "": ["", "Average perf.", "accuracy drop", "AMI WER"]}
    spaced["lower"] = ["training time (s)", "error rate", "False positive rate", "negative log likelihood"]
    for name in [*names.split(), *spaced[direction]]:
        assert direction_of(name)[0] == direction, name
        assert direction or not direction_of(name)[1]


def test_columns_are_described():
    frame = pd.DataFrame(
        {
            "model": pd.Categorical(["a", "b", "a"], categories=["c", "b", "a"]),
            "n": [1.0, 2.0, None],
            "share": [0.5, np.inf, 0.25],
            "ok": [True, False, True],
            "at": pd.to_datetime(["2024", "2025", "2026"]),
            "nothing": [None, None, None],
        }
    )
    found = {c.name: (c.kind, c.n_levels, c.n_missing) for c in describe_columns(frame)}
    counts = {"model": (2, 0), "n": (2, 1), "share": (3, 0), "ok": (2, 0), "at": (3, 0), "nothing": (0, 3)}
    kinds = ["text", "whole number", "number", "truth value", "date", "empty"]
    assert found == {name: (kind, *n) for (name, n), kind in zip(counts.items(), kinds, strict=True)}


awkward = st.text(st.characters(categories=["L", "N", "P", "S"]) | st.just(" "), min_size=1, max_size=8)


@settings(max_examples=60)
@given(awkward, awkward, awkward, awkward, st.booleans())
def test_the_command_means_what_was_proposed(results, model, dataset, level, wide):
    roles = {"alternatives": [model], "target": [f"{dataset}s=lower"], "over": [dataset]}
    made = StudyRequest(results, **roles, fixed=[f"seed={level}"], wide=wide, alpha=0.9, budget=3)
    line = command(made, joined=" ")
    seen = []

    class Stop(Exception):
        pass

    def read(self):
        seen.append(self)
        raise Stop

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(steps.StudyRequest, "read", read)
        patch.setattr(steps.outputs, "check_folder", lambda *_: None)
        CliRunner().invoke(main, shlex.split(line)[1:])
    (found,) = seen
    assert os.path.normpath(found.results) == os.path.normpath(made.results)
    assert found.parameters() | {"results": ""} == made.parameters() | {"results": ""}


@pytest.mark.skipif(not os.path.exists("/bin/bash"), reason="the command is quoted for a shell")
def test_a_shell_reads_names_as_they_are():
    names = ["a b", "it's", '"x"', "$HOME `ls`", "tab\tand\nline", "\x1b[31m", "é\u202e"]
    names += ["-o", "\\n", "*", "!x", "~", ""]
    for name in names[:-1]:
        line = command(StudyRequest("a.csv", over=[name]), joined=" ")
        assert line.isprintable()
        done = subprocess.run(
            ["/bin/bash", "-c", f"printf '%s|' {line.partition('--over ')[2]}"],
            capture_output=True,
            check=True,
            env=os.environ | {"LC_ALL": "C.UTF-8"},
        )
        assert done.stdout.decode() == f"{name}|"


@pytest.mark.filterwarnings("ignore::genexpy_nb.common.errors.StudyWarning")
@pytest.mark.parametrize("folder", ["mteb", "helm", "lm_eval", "inspect"])
def test_known_programs_have_their_roles(folder, request):
    path = request.path.parents[1] / "datasets" / "samples" / folder
    asked = StudyRequest(str(path))
    frame = asked.read()
    proposal = propose(frame, asked)
    assert proposal.guess.sure
    study = proposal.request.study(frame)
    expected = eval(frame.attrs["call"], {"gx": gx, "results": frame})
    assert study.configurations == expected.configurations
    for configuration in study.configurations:
        pd.testing.assert_frame_equal(study.scores(configuration), expected.scores(configuration))


# --- readings ---------------------------------------------------------------------------------------------------------


def read_as(frame, **asked):
    """Return what is offered, in words, and check that each of it works."""
    found, refused = readings(frame, guess(frame, **asked))
    for _, request in found:
        request.study(frame)
    return {words: command(request, joined=" ") for words, request in found}, refused


def test_a_factor_is_offered_in_all_roles_and_each_command_works():
    found, _ = read_as(table("auc", method=ABC, dataset=DATA, model=["p", "q"]))
    roles = ["--design model", "--fix model=p", "--alternatives method --alternatives model"]
    roles += ["--over dataset --over model", "--average model", "--fix method=a"]
    roles += ["--alternatives model --target auc --higher-is-better --over dataset --over method"]
    assert all(role in text for role, text in zip(roles, found.values(), strict=False))
    assert len(found) == 8


def test_rows_without_one_name_are_not_offered_as_compared():
    """Language and part together name a row: a command can say that columns are compared, and not the other."""
    found, _ = read_as(table("Flexica Base Ours", language=list("abcdefgh"), part=["seen", "unseen"]))
    assert found and len(set(found.values())) == len(found)


def test_a_score_that_is_in_doubt_is_offered_beside_another():
    frame = table("best_fitness", algorithm=ABC, problem=DATA, seed=range(3))
    found, _ = read_as(frame.assign(used=np.random.default_rng(0).integers(1000, 1030, len(frame))))
    assert "--target best_fitness" in found["as guessed"] and "--target used" in found["'used' is the score"]


def test_folds_are_offered_where_nothing_else_can_be_the_experiment_and_a_revision_is_not():
    frame = table("accuracy", model=ABC, outer_fold=range(5))
    found, _ = read_as(frame.assign(revision=frame["model"].map({"a": "f8", "b": "0c", "c": "91"})))
    assert ["--over outer_fold" in text for text in found.values()] == [True]


def test_columns_without_measures_are_offered_as_compared_and_gaps_as_failures():
    frame = table("lib", query=DATA, scaling=[1, 2]).assign(other=np.random.default_rng(1).random(2 * len(DATA)))
    frame.loc[:3, "other"] = np.nan
    found, _ = read_as(frame)
    last = [words for words in found if words.endswith("worse than any score")]
    assert "--wide" in found[next(words for words in found if words.startswith("columns such as 'lib', 'other'"))]
    assert len(last) == 1 and found[last[0]].endswith("--missing worst-rank")


def test_a_total_that_is_none_is_offered_as_a_score_and_the_best_is_no_maximum():
    wide = pd.DataFrame({"model": list("abcde"), **{c: np.random.default_rng(2).random(5) for c in "xyz"}})
    found, _ = read_as(wide.assign(total_force=[7, 9.5, 8, 6, 9.1]))
    assert "--without total_force" in found["as guessed"]
    assert "--without" not in found["'total_force' holds scores, too"]
    best = pd.DataFrame({"task": FILES[:6], "p": [1, 1, 1, 0.9, 1, 1], "q": [1, 0.7, 1, 0.9, 0.3, 0.2]})
    best = best.assign(r=[0.4, 1, 0.5, 0.6, 1, 0.1], s=[0.1, 0.2, 1, 0.3, 0.4, 1])
    assert all("--without" not in text for text in read_as(best)[0].values())


def test_rows_that_sum_up_others_are_left_out_and_the_answers_are_those_of_the_other_rows():
    frame = table("accuracy", model=[*ABC, "HUMAN"], dataset=[*DATA, "Average"])
    found, _ = read_as(frame)
    assert "--without dataset=Average" in found["as guessed"]
    assert "--without" not in found["with the rows of 'dataset=Average'"]
    request = StudyRequest(alternatives=["model"], target=["accuracy"], over=["dataset"], higher_is_better="higher")
    asked = replace(request, without=["dataset=Average", "model=HUMAN"])
    rest = frame[(frame["dataset"] != "Average") & (frame["model"] != "HUMAN")]
    assert asked.study(frame).ranking().equals(request.study(rest).ranking())
    for text, said in {"dataset=Mean": "has no level 'Mean'", "data=x": "there is no column 'data'"}.items():
        with pytest.raises(StudyError, match=said):
            replace(request, without=[text]).check_named(frame)


def test_who_shares_no_experiment_is_left_out_where_nothing_else_works_and_seeds_are_no_experiments():
    frame = table("accuracy", model=list("abcdefg"), dataset=DATA)
    apart = frame.assign(dataset=frame["dataset"].where(frame["model"] != "c", "other " + frame["dataset"]))
    found, refused = read_as(apart)
    last = [text.split()[-1] for text in found.values()]
    assert "no condition connects" in refused and last == ["model=c", "worst-rank"]
    assert read_as(table("return", file=ABC, seed=range(5)))[0] == {}


def test_where_nothing_can_be_compared_nothing_is_offered():
    frame = pd.DataFrame({"dataset": list("abcd"), "accuracy": [0.5, 0.6, 0.7, 0.8], "time": [1.5, 2, 3, 4]})
    assert read_as(frame) == ({}, "")


def test_who_has_no_seed_counts_once_and_rows_that_nothing_tells_apart_are_repetitions():
    frame = table("r2", model=["lstm", "naive"], dataset=DATA, seed=[1, 2, 3])
    frame.loc[frame["model"] == "naive", "seed"] = np.nan
    frame = frame[(frame["model"] == "lstm") | ~frame.duplicated(["model", "dataset", "seed"])]
    proposal = guess(frame)
    assert proposal.request.average == ("seed",)
    means = frame.pivot_table(index="dataset", columns="model", values="r2")
    pd.testing.assert_frame_equal(proposal.request.study(frame).condition_scores(), means, check_names=False)
    twice = pd.concat([frame, frame.iloc[:2]])
    proposal = guess(twice.drop(columns="seed"))
    assert proposal.request.average == ("row",) and "2 of them with the same scores" in " ".join(proposal.guess.doubts)
    means = twice.pivot_table(index="dataset", columns="model", values="r2")
    study = proposal.request.study(twice.drop(columns="seed"))
    pd.testing.assert_frame_equal(study.condition_scores(), means, check_names=False)


def test_where_the_first_reading_fails_another_column_that_may_be_compared_is_offered():
    """Classifiers of two kinds of data sets have no data set in common; models have."""
    levels = {"dataset": list("abcdefgh"), "classifier": ["b1", "b2", "m1", "m2"], "run": [1, 2]}
    frame = table("accuracy", model=list("uvw"), **levels)
    found, _ = read_as(frame[frame["dataset"].isin([*"abcd"]) == frame["classifier"].str.startswith("b")])
    assert found and all("--alternatives model" in text for text in found.values())


def test_who_shares_few_experiments_is_left_out_so_that_the_largest_group_is_compared():
    frame = table("accuracy", method=list("abcdexy"), dataset=list("stuvwz"))
    found, _ = read_as(frame[frame["dataset"].isin([*"wz"]) == frame["method"].isin([*"xy"])])
    assert "--without method=x --without method=y" in next(iter(found.values()))


def test_a_guess_that_does_not_work_is_mended_or_not_offered():
    """What is empty in many rows is no factor; what is compared only in some rows is compared in these."""
    told = table("accuracy", algorithm=ABC, game=FILES).assign(**{"extra data": ["y", "n", None] * 9})
    found, refused = read_as(told)
    assert found and not refused and all("data" not in text and "--over game" in text for text in found.values())
    told = table("accuracy", participant=FILES, condition=ABC).assign(type="main")
    found, refused = read_as(pd.concat([told, told.assign(type="filler", condition=None)], ignore_index=True))
    assert found and not refused and all("--fix type=main" in text for text in found.values())


def test_a_matrix_may_be_of_columns_compared_over_rows_or_of_evaluations_with_one_score():
    frame = matrix(9, "x", "y", "z", "score").assign(model=[*"xxxyyyzzz"], name=[*"pqr"] * 3)
    found, _ = read_as(frame)
    assert "--over name" in found["'score' is the score, with a row for each evaluation"]
    found, _ = read_as(frame.drop(columns="name").assign(of=FILES))
    (rows,) = [text for words, text in found.items() if words.startswith("columns are compared over the rows")]
    assert "--wide" in rows and "--over of" in rows and "--alternatives" not in rows


def test_keys_of_objects_tell_rows_apart_before_numbers_and_codes_are_no_scores():
    frame = table("rmse", **{f"key {i}": [f"{i}{c}" for c in "abc"] for i in (1, 2, 3)}).assign(epoch=[*range(9)] * 3)
    assert "epoch" not in said(guess(frame))
    votes = table("", rendering=ABC, id=FILES).assign(first=True, winner=["new", "tie", "old"] * 9)
    votes.loc[::2, "first"] = False
    problem = guess(votes).guess.problem
    assert "No column holds scores" in problem and "map({'new': 1, 'tie': 0.5, 'old': 0})" in problem


def test_of_several_metrics_a_telling_one_is_taken_and_the_others_are_offered():
    frame = table("score", model=ABC, label=DATA, metric=["precision", "recall", "f1"], resample=range(3))
    found, _ = read_as(frame)
    taken = ["--fix metric=f1", "--fix metric=f1", "--fix metric=precision", "--fix metric=recall"]
    assert [next(t for t in taken if t in text) for text in found.values()][:4] == taken
    assert [*found][1:4] == ["'label' is compared over 'model'", "metric=precision is taken", "metric=recall is taken"]


def test_columns_of_several_measures_are_one_reading_each():
    """A program with two and four threads, and none: wall time, memory, and speedup, which has no base."""
    names = ["wall (s)", "Memory", "wall (s)-2", "Memory-2", "speedup-2", "wall (s)-4", "Memory-4", "speedup-4"]
    frame = matrix(9, *names).assign(benchmark=FILES)
    found, _ = read_as(frame)
    for text, measure in zip(found.values(), ("wall", "Memory"), strict=False):
        aside = {word.strip("'") for word in re.findall(r"--without ('[^']+'|\S+)", text)}
        assert {name for name in names if name not in aside} == {name for name in names if measure in name}
        assert "--lower-is-better" in text and "--over benchmark" in text


def test_a_full_factorial_of_settings_makes_experiments_and_what_came_out_makes_none():
    design = {"dimension": [2, 5, 10], "n_cluster": [1, 2, 3], "ratio": [0.5, 1.0], "kind": range(4), "seed": [1, 2]}
    frame = table("accuracy", approach=[20, 21, 22], **design).assign(drifts=lambda f: (8 * f["accuracy"] ** 3).round())
    request = guess(frame).request
    assert {*request.over} == {*design} - {"seed"} and request.average == ("seed",) and not request.design
    wide = table("EKF_A EKF_B EKF_C", **design).assign(run=[f"r{i}" for i in range(144)], n_fp=1).drop(columns="kind")
    request = guess(wide.drop_duplicates(["dimension", "n_cluster", "ratio", "seed"])).request
    assert request.wide and {*request.over} == {"dimension", "n_cluster", "ratio"} and request.average == ("seed",)


def test_a_limit_that_only_some_have_is_held_although_seeds_tell_all_rows_apart():
    frame = table("result acc", framework=ABC, limit=["1h", "2h", "3h", "4h"], task=FILES, fold=range(5))
    frame = frame[(frame["framework"] == "a") | (frame["limit"] == "4h")].reset_index(drop=True)
    seeds = frame["fold"] + 10 * frame["limit"].str[0].astype(int)
    frame = frame.assign(seed=seeds, metric=frame["task"].map(lambda t: METRICS[t]))
    frame.loc[frame["metric"] != "auc", "acc"] = np.nan
    found, _ = read_as(frame)
    options = {*re.findall(r"--\S+(?: [^-]\S*)?", next(iter(found.values())))}
    assert {"--target result", "--fix limit=4h", "--higher-is-better"} <= options
    assert "'framework', 'limit' together are compared" in found


def test_items_that_only_have_numbers_and_methods_that_each_row_names():
    frame = table("error_km", method_id=ABC, row_index=range(9)).assign(prompt_id=lambda f: "p" + f["method_id"])
    assert guess(frame).request.over == ("row_index",)
    frame = table("recall", split=["full", "small"], method=list("abcd")).iloc[:7]
    frame = frame.assign(name=frame["split"] + " set")
    assert guess(frame).request.alternatives == ("method",)
    wide = matrix(9, "1n8z", "1mlc", "3gbn_h1", "4fqi_h3").assign(Model=FILES)
    assert "--without" not in said(guess(wide))
    runs = table("mase", condition=list("abcde"), seed=range(5)).assign(table=["main"] * 15 + ["appendix"] * 10)
    assert "say nothing of others" in guess(runs).guess.problem


def test_scores_below_other_keys_of_objects_are_readings_of_their_own():
    wide = matrix(9, "r.pre.x", "r.pre.y", "r.pre.z", "r.post.u", "r.post.v", "r.post.w").assign(model=FILES)
    wide.loc[:4, [name for name in wide if "pre" in name]] = np.nan
    wide.loc[5:, [name for name in wide if "post" in name]] = np.nan
    found, refused = read_as(wide)
    assert "no condition connects" in refused
    assert [words.split("'")[1] for words in found][:2] == ["r.pre.*", "r.post.*"]


@pytest.mark.parametrize("ended", ["Status=TO", "found=False", "timeout=True"])
def test_who_failed_is_not_fast(ended):
    name = ended.partition("=")[0]
    frame = table("runtime", solver=ABC, instance=DATA)
    failed = np.arange(len(frame)) % 5 == 0
    good = {"Status": "ok", "found": True, "timeout": False}[name]
    bad = "TO" if name == "Status" else not good
    frame[name] = pd.Series(np.where(failed, bad, good)).astype(type(good))
    made = guess(frame).guess
    assert not made.sure and f"{failed.sum()} runs with '{ended}' have a 'runtime', too" in " ".join(made.doubts)
    found, _ = read_as(frame)
    last = found[f"who failed ({ended}) is worse than all others"]
    assert f"--without {ended}" in last and "--missing worst-rank" in last
    assert guess(frame.drop(columns=name)).guess.failed == guess(frame[~failed]).guess.failed == []


def test_where_nothing_is_called_so_settings_that_are_all_crossed_are_compared():
    grid = table("accuracy", layers=[1, 2], agg=["add", "max"], dataset=DATA)
    tasks = {name: "node" if i % 2 else "graph" for i, name in enumerate(DATA)}
    made = guess(grid.assign(level=grid["dataset"].map(tasks))).guess
    assert made.roles.alternatives == ("layers", "agg") and {*made.roles.over} == {"dataset", "level"}
    assert not made.sure and guess(grid.iloc[1:]).guess.roles.alternatives != ("layers", "agg")


def test_a_code_for_no_result_is_offered_and_a_file_of_each_run_is_a_repetition():
    frame = pd.DataFrame(0.5 + matrix(12, *ABC) / 10).assign(dataset=[f"d{i}" for i in range(12)])
    frame.loc[:4, "a"] = 0.0
    assert any("--missing-code 0" in text for text in read_as(frame)[0].values())
    rows = table("accuracy", file=["svm_1", "svm_2", "knn_1", "knn_2"], dataset=DATA)
    made = guess(rows.assign(model=rows["file"].str[:3])).guess
    assert (made.roles.alternatives, made.roles.average) == (("model",), ("file",))


def test_rows_and_columns_of_a_matrix_are_left_out_at_once():
    frame = matrix(5, *ABC, "mean").assign(name=["x", "y", "z", "w", "mean"])
    made = guess(frame, wide=True, alternatives=("name",), without=("mean", "name=mean")).guess
    assert made.roles.without[:2] == ("mean", "name=mean") and len(made.rows) == 4


def test_the_total_of_scores_in_one_object_comes_first_and_a_flag_beside_it_is_a_score():
    marks = table("scores.clarity scores.accuracy", model=ABC, question=[f"q{i}" for i in range(30)])
    total = (marks["scores.clarity"] + marks["scores.accuracy"]) / 2
    marks = marks.assign(**{"scores.overall": total, "scores.fatal_error": np.arange(90) % 7 == 0})
    found = guess(pd.concat([marks, marks.head(2)], ignore_index=True))
    assert found.request.target == ("scores.overall",) and "failed" not in "".join(found.guess.doubts)
    marks["scores.overall"] *= 100  # it counts something
    assert guess(marks).request.target != ("scores.overall",)


def test_rows_of_controls_are_left_out_and_a_judge_is_averaged_over():
    rated = table("score", sys_id=ABC, sid=range(30), rater=["r", "s"]).assign(type="SYSTEM")
    controls = rated.head(20).assign(type=["REF", "REPEAT"] * 10, score=0)
    found = guess(pd.concat([rated, controls], ignore_index=True), higher_is_better="higher")
    known = "--alternatives sys_id --target score --higher-is-better --over sid --average rater --fix type=SYSTEM"
    assert said(found) == known


def test_who_stands_in_a_heading_is_compared_over_its_opponents():
    found = guess(table("win_rate", opponent=DATA, section=ABC)).request
    assert (found.alternatives, found.over) == (("section",), ("opponent",))


def test_tasks_of_one_suite_are_warned_of_with_a_command():
    frame = table("score", model=ABC, task=[f"law_{i}" for i in range(8)] + ["sums"])
    request = StudyRequest("a.csv", alternatives=["model"], target=["score"], over=["task"])
    frame.attrs = {"roles": {}}
    assert mostly_one_group(frame, request, {"metric": "acc"})[0].startswith("8 of 9 levels of 'task' are parts of")
    frame["suite"] = frame["task"].str.partition("_")[0]
    assert mostly_one_group(frame, request, {})[0].endswith("--over task --cluster suite")


def test_columns_that_are_doubted_are_left_out_first_and_named_the_best_by_nobody(tmp_path):
    """A size of each series is larger than all that were solved; where only its name tells, the doubt comes first."""
    n, solved = np.arange(14), np.random.default_rng(0).integers(0, 30, (14, 3))
    frame = pd.DataFrame({"Series": [f"s{i}" for i in n], "max. #Nodes": 4000 + 9 * n, "Limit": 5000 + 7 * n})
    frame[["ant", "bee", "cat"]] = solved
    frame.to_csv(tmp_path / "t.csv", index=False)
    made = propose(frame, StudyRequest(str(tmp_path / "t.csv")))
    assert made.request.without == ("max. #Nodes",)
    (first, request), *others = readings(frame, made)[0]
    assert first.startswith("without 'Limit'") and request.without == ("max. #Nodes", "Limit") and others
    asked = StudyRequest(str(tmp_path / "t.csv"), wide=True, over=("Series",), without=("max. #Nodes",))
    asked = replace(asked, higher_is_better="higher")
    said = " ".join(asked.answers(asked.study(frame)).sentences)
    assert "before you know whether Limit holds scores" in said and "settled: Limit" not in said


def test_columns_of_each_part_are_compared_alone():
    names = [f"{lib}_{part}" for lib in "abc" for part in ("in_sample", "oos")]
    frame = pd.DataFrame(np.random.default_rng(0).random((6, 6)), columns=names).assign(name=[*"uvwxyz"])
    said = dict(_variants(frame, propose(frame, StudyRequest("r.csv", wide=True))))
    request = said["of those called '*_oos', the columns are compared"].request
    assert request.target == ("*_oos",) and request.over == ("name",) and not request.without
    study = replace(request, higher_is_better="higher").study(frame)
    assert study.alternatives == [*"abc"] and study.target == "oos"
    asked = StudyRequest("r.csv", wide=True, target=("*_nothing",), higher_is_better="higher")
    with pytest.raises(StudyError, match=r"--target '\*_nothing' names 0 columns"):
        asked.study(frame)


def test_of_methods_and_measures_in_the_names_of_columns_each_measure_is_a_pattern():
    """Two programs of several words, three measures of each, and settings of each instance beside them."""
    random, things = np.random.default_rng(0), ["Fly v2.8", "Can v2.1", "Rav v1.3"]
    names = [f"{thing} {measure}" for thing in things for measure in ("CPU seconds", "RAM (kb)", "found all")]
    frame = pd.DataFrame(random.random((12, 9)), columns=names).assign(genome=[f"g{i}" for i in range(12)])
    frame = frame.assign(depth=random.random(12), length=random.random(12))
    found, _ = read_as(frame)
    for measure in ("CPU seconds", "RAM (kb)", "found all"):
        text = found[f"columns called '* {measure}' hold the scores"]
        assert "--over genome" in text and "--without" not in text and ("--lower" in text or "found" in measure)


def test_a_small_file_is_not_opened_to_say_its_size(tmp_path, monkeypatch):
    """One of the kernel, such as /proc/kmsg, is called empty, and to read it never ends."""
    (tmp_path / "t.csv").write_text("m,s\n")
    monkeypatch.setattr("builtins.open", None)
    steps._say_size(StudyRequest(str(tmp_path / "t.csv")))
