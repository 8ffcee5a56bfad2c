"""Proposals: what they are on tables that people publish, and that the command they give means the same."""

import os
import shlex
import subprocess

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import genexpy_nb as gx
from genexpy_nb.cli import main
from genexpy_nb.datasets.describing import describe_columns
from genexpy_nb.datasets.words import direction_of
from genexpy_nb.own_study import command as steps
from genexpy_nb.own_study.request import StudyRequest
from genexpy_nb.own_study.roles import command, propose, readings


def guess(frame, **asked):
    return propose(frame, StudyRequest("a.csv", **asked))


def grid(rng=0, **levels):
    frame = pd.MultiIndex.from_product(levels.values(), names=list(levels)).to_frame(index=False)
    return frame, np.random.default_rng(rng)


def said(proposal):
    return command(proposal.request, joined=" ").removeprefix("genexpy-nb study a.csv ")


def test_a_benchmark_with_folds_and_several_metrics():
    frame, rng = grid(framework=["a", "b", "c"], task=["x", "y", "z", "w"], fold=range(5))
    frame = frame.assign(id=range(60), duration=rng.random(60) * 99, logloss=rng.random(60), acc=rng.random(60))
    frame["utc"] = [f"2019-04-13T22:28:{i:02d}" for i in range(60)]
    expected = "--alternatives framework --target acc --higher-is-better --over task --average fold"
    assert said(guess(frame)) == expected


def test_factors_that_tell_rows_apart_are_design():
    frame, rng = grid(encoder=list("abc"), dataset=list("wxyz"), model=["LR", "SVM"], noise=[0.0, 0.01, 0.1])
    frame["rmse"] = rng.random(len(frame))
    frame["n_rows"] = frame["dataset"].map({"w": 10, "x": 20, "y": 30, "z": 40})  # says nothing new
    roles = "--alternatives encoder --target rmse --lower-is-better --over dataset --design model --design noise"
    assert sorted(f"{said(guess(frame))} ".split("--")) == sorted(f"{roles} ".split("--"))


def test_metrics_in_rows_are_taken_one_at_a_time():
    frame, rng = grid(model=list("abc"), task=list("wxyz"), metric=["logloss", "auc"])
    frame["value"] = rng.random(len(frame))
    wanted = "--alternatives model --target value --lower-is-better --over task --fix metric=logloss"
    assert said(guess(frame)) == wanted
    guess(frame).request.study(frame)
    assert (
        guess(frame).guess.doubts[0].startswith("For several metrics at once, write each level of 'metric' to a column")
    )


@pytest.mark.parametrize(("metric", "direction"), [("mase", "lower"), ("auc", "higher")])
def test_the_direction_is_that_of_the_metric_that_is_held(metric, direction):
    """The column of scores is called "value", which says nothing."""
    frame, rng = grid(model=list("abc"), dataset=list("wxyz"), metric=[metric, "time"])
    frame["value"] = rng.random(len(frame))
    proposal = guess(frame)
    expected = f"--alternatives model --target value --{direction}-is-better --over dataset --fix metric={metric}"
    assert said(proposal) == expected
    assert (f"--{direction}-is-better", "", f"{metric!r} in the metric's name") in proposal.reasons


def test_a_metric_nobody_knows_leaves_the_direction_open():
    frame, rng = grid(model=list("abc"), dataset=list("wxyz"), metric=["zeta", "eta"])
    frame["value"] = rng.random(len(frame))
    proposal = guess(frame)
    assert proposal.request.absent() == ["--higher-is-better or --lower-is-better"]
    assert [each.higher_is_better for each in proposal.requests()] == ["higher", "lower"]


def test_the_direction_that_was_given_stays():
    frame, rng = grid(model=list("abc"), dataset=list("wxyz"), metric=["mase", "time"])
    frame["value"] = rng.random(len(frame))
    assert "--higher-is-better" in said(guess(frame, higher_is_better="higher"))


def test_properties_of_the_rows_of_a_matrix_are_no_scores():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((9, 5)), columns=["IForest", "LOF", "PCA", "CNN", "KNN"])
    frame = frame.assign(file=[f"f{i}" for i in range(9)], ts_len=rng.integers(99, 999, 9), seasonal=[0, 1, 0] * 3)
    assert said(guess(frame)) == "--wide --over file --without ts_len --without seasonal"


def test_whole_numbers_among_whole_numbers_are_scores():
    frame = pd.DataFrame(np.arange(12).reshape(4, 3), columns=["SVM", "KNN", "RF"]).assign(RBF=[0.5, 1, 2, 3])
    assert "--without" not in said(guess(frame.assign(dataset=list("abcd"), FCN=[0.1, 0.2, 0.3, 0.4])))


def test_a_column_of_tuples_is_a_doubt():
    """An index of data set, noise and seed, as pandas writes it: the seeds are no experiments."""
    rows = pd.MultiIndex.from_product([["x", "y"], [0.0, 0.1], [1, 2]])
    frame = pd.DataFrame(np.random.default_rng(0).random((8, 3)), columns=["SVM", "KNN", "RF"])
    (doubt,) = [d for d in guess(frame.assign(index=[str(row) for row in rows])).guess.doubts if "several levels" in d]
    assert doubt.startswith("Each level of 'index', such as ('x', 0.0, 1), is several levels in one.")


def test_of_columns_called_data_set_the_one_that_tells_rows_apart_is_meant():
    frame, rng = grid(model=list("abc"), dataset_config=["u", "v", "w", "x"])
    frame["dataset_path"] = frame["dataset_config"].map(
        {"u": "org/one", "v": "org/one", "w": "org/two", "x": "org/two"}
    )
    frame = frame.assign(MASE=rng.random(len(frame)))
    assert said(guess(frame)) == "--alternatives model --target MASE --lower-is-better --over dataset_config"


def test_a_matrix_of_data_sets_and_methods():
    frame = pd.DataFrame(np.random.default_rng(0).random((9, 3)), columns=["SVM", "KNN", "RF"])
    assert said(guess(frame.assign(dataset=[f"d{i}" for i in range(9)]))) == "--wide --over dataset"
    assert said(guess(frame)) == "--wide"


def test_a_leaderboard_with_versions_and_an_average():
    frame = pd.DataFrame(np.random.default_rng(0).random((6, 4)), columns=["ARC", "MMLU", "GSM8K", "WSC"])
    frame = frame.assign(Average=frame.mean(axis=1), model=list("aabbcc"), pretrained=list("xyxyxy"))
    assert said(guess(frame)) == "--wide --alternatives model --alternatives pretrained --without Average"
    assert guess(frame, higher_is_better="higher").request.study(frame).scores().shape == (4, 6)


def test_what_was_asked_for_stays():
    frame, rng = grid(encoder=list("abc"), dataset=list("wxyz"), model=["LR", "SVM"])
    frame = frame.assign(acc=rng.random(len(frame)), loss=rng.random(len(frame)))
    proposal = guess(frame, alternatives=["model"], target=["loss"])
    wanted = "--alternatives model --target loss --lower-is-better --over dataset --design encoder"
    assert said(proposal) == wanted


def test_rows_that_nothing_tells_apart_are_a_doubt():
    frame = pd.DataFrame({"model": list("ab") * 4, "dataset": list("xxyy") * 2, "auc": np.arange(8) / 10})
    assert "4 rows repeat" in guess(frame).guess.doubts[0]


def test_nothing_is_found_where_nothing_is():
    proposal = guess(pd.DataFrame({"dataset": list("abc"), "accuracy": [0.5, 0.6, 0.7], "size": [1, 2, 3]}))
    assert proposal.request.absent() == ["--alternatives"]


def test_a_score_that_is_missing_in_many_rows_comes_after_one_that_is_not():
    frame, rng = grid(model=list("abc"), dataset=list("wxyz"))
    frame = frame.assign(accuracy=rng.random(12), auc=rng.random(12))
    assert "--target accuracy" in said(guess(frame))
    frame.loc[:2, "accuracy"] = np.nan
    assert "--target auc" in said(guess(frame))


def test_the_factor_that_tells_most_rows_apart_is_design_though_another_has_fewer_levels():
    frame, rng = grid(model=list("abc"), dataset=list("wxyz"), kind=["p", "q", "r"])
    frame = frame.assign(family=frame["kind"].eq("p").map({True: "one", False: "other"}), auc=rng.random(36))
    expected = "--alternatives model --target auc --higher-is-better --over dataset --design kind"
    assert said(guess(frame)) == expected


def test_a_configuration_of_one_experiment_among_larger_ones_is_no_doubt():
    frame, rng = grid(model=list("abc"), dataset=list("wxyz"), kind=["p", "q"])
    frame["auc"] = rng.random(len(frame))
    some = guess(frame[(frame["kind"] == "p") | (frame["dataset"] == "w")])
    assert some.request.design == ("kind",) and not any(
        "one level of dataset only" in each for each in some.guess.doubts
    )
    frame["kind"] = frame["dataset"].map(dict(zip("wxyz", "pqrs", strict=True)))
    alone = guess(frame.drop_duplicates(["model", "dataset"]), design=["kind"])
    assert all(not request.design for _, request in readings(frame.drop_duplicates(["model", "dataset"]), alone)[0])


@pytest.mark.parametrize(("n_levels", "wide"), [(19, True), (17, False)])
def test_a_name_that_nearly_every_row_has_for_itself_makes_a_matrix(n_levels, wide):
    frame = pd.DataFrame(np.random.default_rng(0).random((20, 3)), columns=["SVM", "KNN", "RF"])
    frame["file"] = [f"f{i % n_levels}" for i in range(20)]
    assert guess(frame).request.wide == wide


def test_very_many_columns_are_no_metrics_whatever_they_are_called():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((6, 14)), columns=[f"accuracy on {x}" for x in "abcdefghijklmn"])
    frame["model"] = list("uvwxyz")
    assert said(guess(frame)) == "--wide --alternatives model --higher-is-better"
    assert "--wide" not in said(guess(frame[["model", "accuracy on a", "accuracy on b"]]))


@pytest.mark.parametrize(
    "name",
    ["test_accuracy", "AUROC", "balancedAccuracy", "F1", "R2_test", "neg_mean_squared_error", "rank correlation"],
)
def test_more_is_better_for(name):
    assert direction_of(name)[0] == "higher"


@pytest.mark.parametrize(
    "name",
    [
        *[
            "logloss",
            "val_loss",
            "RMSE",
            "training time (s)",
            "error rate",
            "testMAE",
            "WER",
            "MSE",
            "FID",
            "perplexity",
        ],
        *["error_rate", "misclassification", "False positive rate", "negative log likelihood", "errors"],
    ],
)
def test_less_is_better_for(name):
    assert direction_of(name)[0] == "lower"


@pytest.mark.parametrize(
    "name",
    ["x", "lossless", "timer", "target_noise", "", "Average perf.", "value", "accuracy drop", "AMI WER", "acc_diff"],
)
def test_nothing_is_said_of(name):
    assert direction_of(name) == ("", "")


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
    assert found == {
        "model": ("text", 2, 0),
        "n": ("whole number", 2, 1),
        "share": ("number", 3, 0),
        "ok": ("truth value", 2, 0),
        "at": ("date", 3, 0),
        "nothing": ("empty", 0, 3),
    }


awkward = st.text(st.characters(categories=["L", "N", "P", "S"]) | st.just(" "), min_size=1, max_size=8)


@settings(max_examples=60)
@given(awkward, awkward, awkward, awkward, st.booleans())
def test_the_command_means_what_was_proposed(results, model, dataset, level, wide):
    made = StudyRequest(
        results, [model], [f"{dataset}s=lower"], [dataset], fixed=[f"seed={level}"], wide=wide, alpha=0.9, budget=3
    )
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
    names = [
        "a b",
        "it's",
        '"x"',
        "$HOME `ls`",
        "tab\tand\nline",
        "\x1b[31m",
        "é\u202e",
        "-o",
        "\\n",
        "*",
        "!x",
        "~",
        "",
    ]
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
    frame, rng = grid(method=list("abc"), dataset=list("wxyz"), model=["p", "q"])
    found, _ = read_as(frame.assign(auc=rng.random(len(frame))))
    roles = ["--design model", "--over dataset --over model", "--average model"]
    assert all(role in text for role, text in zip(roles, found.values(), strict=True))


def test_rows_without_one_name_are_not_offered_as_compared():
    """Language and part together name a row: a command can say that columns are compared, and not the other."""
    frame, rng = grid(language=list("abcdefgh"), part=["seen", "unseen"])
    frame = frame.assign(**{name: rng.random(16) for name in ("Flexica", "Base", "Ours")})
    found, _ = read_as(frame)
    assert found and len(set(found.values())) == len(found)


def test_a_score_that_is_in_doubt_is_offered_beside_another():
    frame, rng = grid(algorithm=list("abc"), problem=list("wxyz"), seed=range(3))
    frame = frame.assign(used=rng.integers(1000, 1030, len(frame)), best_fitness=rng.random(len(frame)))
    found, _ = read_as(frame)
    assert "--target best_fitness" in found["as guessed"] and "--target used" in found["'used' is the score"]


def test_folds_are_offered_where_nothing_else_can_be_the_experiment_and_a_revision_is_not():
    frame, rng = grid(model=list("abc"), outer_fold=range(5))
    frame = frame.assign(accuracy=rng.random(15), revision=frame["model"].map({"a": "f8", "b": "0c", "c": "91"}))
    found, _ = read_as(frame)
    assert ["--over outer_fold" in text for text in found.values()] == [True]


def test_where_nothing_can_be_compared_nothing_is_offered():
    frame = pd.DataFrame({"dataset": list("abcd"), "accuracy": [0.5, 0.6, 0.7, 0.8], "time": [1.5, 2, 3, 4]})
    assert read_as(frame) == ({}, "")


def test_who_has_no_seed_counts_once_and_rows_that_nothing_tells_apart_are_repetitions():
    frame, rng = grid(model=["lstm", "naive"], dataset=list("wxyz"), seed=[1, 2, 3])
    frame["r2"] = rng.random(24)
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
    frame, rng = grid(model=list("uvw"), dataset=list("abcdefgh"), classifier=["b1", "b2", "m1", "m2"], run=[1, 2])
    frame = frame[frame["dataset"].isin([*"abcd"]) == frame["classifier"].str.startswith("b")]
    frame = frame.assign(accuracy=rng.random(len(frame)))
    found, _ = read_as(frame)
    assert found and all("--alternatives model" in text for text in found.values())
