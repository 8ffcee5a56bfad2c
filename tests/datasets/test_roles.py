"""Guesses of what columns are for: what is sure, what is doubtful, and what is no study."""

import numpy as np
import pandas as pd
import pytest

import genexpy_nb as gx
from genexpy_nb.datasets.describing import TableRoles
from genexpy_nb.datasets.roles import guess_roles

RNG = np.random.default_rng(0)


def grid(**levels):
    frame = pd.MultiIndex.from_product(levels.values(), names=list(levels)).to_frame(index=False)
    return frame.assign(accuracy=RNG.random(len(frame)).round(3))


def guessed(frame):
    return guess_roles(frame, TableRoles())


def names(n, start="d"):
    return [f"{start}{i}" for i in range(n)]


PLAIN = {"model": list("abc"), "dataset": names(8)}


# --- what is sure -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("repeat", ["sample", "run", "seed", "trial", "repeat", "iteration", "fold"])
def test_repetitions_are_averaged(repeat):
    made = guessed(grid(**PLAIN, **{repeat: range(4)}))
    assert made.sure
    columns = {"alternatives": ("model",), "target": ("accuracy",), "over": ("dataset",), "average": (repeat,)}
    assert made.roles == TableRoles(**columns, higher_is_better="higher")


@pytest.mark.parametrize(
    "metric", ["WER", "MSE", "loss", "FID", "perplexity", "error_rate", "misclassification", "Error (%)"]
)
def test_an_error_is_lower_and_never_crowns_the_worst(metric):
    made = guessed(grid(**PLAIN).rename(columns={"accuracy": metric}))
    assert made.sure and made.roles.directions() == {metric: "lower"}


@pytest.mark.parametrize(
    ("metric", "scale"),
    [("value", 1), ("score", 1000), ("score", -1), ("result", 1), ("accuracy drop", 1), ("loss", -1)],
)
def test_a_direction_that_no_word_says_is_not_guessed(metric, scale):
    made = guessed(grid(**PLAIN).rename(columns={"accuracy": metric}).assign(**{metric: lambda f: scale * f[metric]}))
    assert not made.sure and made.roles.target == (metric,) and not made.roles.higher_is_better


def test_a_score_between_0_and_100_is_the_better_the_higher():
    assert guessed(grid(**PLAIN).rename(columns={"accuracy": "score"})).sure


@pytest.mark.parametrize(
    "speed", ["latency (ms)", "throughput", "params (M)", "RTFx", "train_time", "tokens/s", "n_rows"]
)
def test_speed_and_size_are_no_target_beside_a_score(speed):
    frame = grid(**PLAIN)
    made = guessed(frame.assign(**{speed: RNG.random(len(frame)) * 99})[["model", "dataset", speed, "accuracy"]])
    assert made.sure and made.roles.target == ("accuracy",)


@pytest.mark.parametrize("spread", ["standard_error", "std. error", "acc_std", "Error bar", "margin of error", "q975"])
def test_a_spread_is_no_score(spread):
    frame = grid(**PLAIN).rename(columns={"accuracy": "value"})
    made = guessed(frame.assign(**{spread: RNG.random(len(frame))}))
    assert made.roles.target == ("value",) and not made.sure


def test_time_alone_may_be_meant_but_is_not_sure():
    made = guessed(grid(**PLAIN).rename(columns={"accuracy": "seconds"}))
    assert made.roles.target == ("seconds",) and made.roles.higher_is_better == "lower" and not made.sure


def test_a_matrix_of_one_error_over_data_sets_is_sure_and_speed_is_no_experiment():
    frame = pd.DataFrame({"model": names(6, "m")})
    for i, column in enumerate(["AMI WER", "Earnings WER", "Clean WER", "Other WER"]):
        frame[column] = RNG.random(6) + i
    frame = frame.assign(**{"Avg. WER": 1.5, "RTFx": [1e3, 2, 3, 4, 5, 6], "Size (B)": [0.5, 1, 2, 3, 4, 5]})
    frame["Avg. WER"] = frame.filter(like="WER").mean(axis=1)
    made = guessed(frame)
    assert made.sure and made.roles.alternatives == ("model",) and made.roles.higher_is_better == "lower"
    assert set(made.roles.without) == {"Avg. WER", "RTFx", "Size (B)"}


def test_a_method_or_data_set_is_no_average_or_size_for_a_word_in_its_name():
    columns = ["KMeansAD", "TimesNet", "LOF", "PCA"]
    methods = pd.DataFrame(RNG.random((9, 4)), columns=columns).assign(dataset=names(9), ts_len=range(9, 900, 99))
    assert guessed(methods).roles.without == ("ts_len",)
    tasks = pd.DataFrame(RNG.random((9, 4)), columns=["CLEVR Counts", "date understanding", "MMLU", "ARC"])
    tasks = tasks.assign(model=names(9), Average=tasks.mean(axis=1))
    assert guessed(tasks).roles.without == ("Average",)


# --- what is doubtful -------------------------------------------------------------------------------------------------


def test_cases_inside_few_tasks_are_the_experiments():
    frame = grid(task=list("uvw"), alg_name=list("abcd"), case=range(50))
    made = guessed(frame)
    assert made.roles.over == ("case",) and made.roles.design == ("task",) and not made.sure
    frame["case"] = frame["task"] + frame["case"].astype(str)  # told apart by their names, too
    made = guessed(frame)
    assert made.roles.over == ("case",) and made.roles.design == ("task",) and not made.sure
    many = guessed(grid(task=names(20), alg_name=list("abcd"), case=range(9)))
    assert many.roles.over == ("task",) and many.roles.average == ("case",) and not many.sure


@pytest.mark.parametrize("group", ["passage", "family", "source"])
def test_a_column_in_which_experiments_nest_is_offered_as_cluster(group):
    frame = grid(model=list("abc"), question=names(24))
    frame[group] = frame["question"].str[1:].astype(int).floordiv(4).map("g{}".format)
    made = guessed(frame)
    assert made.roles.over == ("question",) and made.roles.cluster == group and not made.sure
    made = guessed(frame.rename(columns={group: "type"}))
    assert made.sure and not made.roles.cluster and "'type'" in made.remarks[0]


def test_a_factor_that_tells_rows_apart_is_a_doubt():
    made = guessed(grid(encoder=list("abc"), dataset=names(8), model=["LR", "SVM"]))
    assert made.roles.design == ("model",) and not made.sure


def test_a_version_that_only_one_model_has_belongs_to_its_name():
    frame = grid(**PLAIN, pretrained=list("uvwxyz"))
    frame = frame[frame["pretrained"].map(dict(zip("uvwxyz", "aabbcc", strict=True))) == frame["model"]]
    made = guessed(frame)
    assert made.roles.alternatives == ("model", "pretrained") and not made.roles.design and not made.sure


def test_spreads_beside_scores_are_no_data_sets():
    frame = pd.DataFrame(RNG.random((6, 4)), columns=["iris", "iris_std", "wine", "wine_std"])
    assert guessed(frame.assign(model=names(6, "m"))).roles.without == ("iris_std", "wine_std")


def test_training_scores_are_not_averaged_with_those_of_the_test():
    made = guessed(grid(**PLAIN, split=["train", "test"]))
    assert made.roles.fixed == ("split=test",) and not made.roles.average and not made.sure


def test_a_row_of_averages_is_a_doubt():
    assert guessed(grid(model=list("abc"), dataset=names(8))).sure
    assert not guessed(grid(model=list("abc"), dataset=[*names(8), "Avg. rank"])).sure


def test_columns_whose_levels_hardly_meet_are_a_doubt():
    frame = grid(model=names(10, "m"), dataset=names(10))
    assert guessed(frame).sure
    assert not guessed(frame[frame["model"].str[1:] == frame["dataset"].str[1:]]).sure


def test_the_finer_of_two_names_is_compared():
    frame = grid(name=["a1", "a2", "b1", "b2"], dataset=names(8))
    made = guessed(frame.assign(model=frame["name"].str[0]))
    assert made.roles.alternatives == ("name",) and not made.roles.design


def test_measures_among_data_sets_are_a_doubt_though_the_direction_is_given():
    frame = pd.DataFrame(RNG.random((6, 3)), columns=["ARC", "MMLU", "GSM"]).assign(model=names(6, "m"))
    given = TableRoles(higher_is_better="higher")
    assert guess_roles(frame, given).sure
    assert not guess_roles(frame.assign(r2=0.1 * frame["ARC"]), given).sure
    assert not guess_roles(frame.assign(speedy=1000 * frame["ARC"]), given).sure


# --- what is no study -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (grid(model=names(9)).assign(f1=0.5, auc=RNG.random(9)), "No column names the experiments"),
        (grid(dataset=names(9)), "No column names what is compared"),
        (grid(model=["a"], dataset=names(9)), "'model' has one level only, 'a'"),
        (pd.DataFrame(RNG.random((9, 5)), columns=list("01234")).assign(dataset=names(9)), "look like repetitions"),
        (pd.DataFrame({"dataset": names(3), "a": ["1 (1)", "2", "3"], "b": [1.5, 2, 3]}), "row 0 holds '1 (1)'"),
    ],
)
def test_what_cannot_be_a_study_says_why(frame, words):
    made = guessed(frame)
    assert words in made.problem and not made.sure
    with pytest.raises(gx.StudyError) as error:
        gx.Study(frame)
    assert words in str(error.value)


@pytest.mark.parametrize("sides", [("model_a", "model_b"), ("left", "right"), ("system 1", "system 2")])
def test_votes_between_pairs_are_recognized(sides):
    frame = pd.DataFrame(
        {sides[0]: list("abcab"), sides[1]: list("bcaca"), "prompt": range(5), "winner": list("abcaa")}
    )
    made = guessed(frame)
    assert "votes are not handled yet" in made.problem and "'prompt'" in made.problem and "winrate" in made.problem
    assert not guessed(frame.drop(columns="winner")).problem.startswith("columns")


# --- in Python --------------------------------------------------------------------------------------------------------


def same(found, expected):
    assert found.configurations == expected.configurations and found.higher_is_better == expected.higher_is_better
    pd.testing.assert_frame_equal(found.scores(), expected.scores())


def test_a_study_of_a_frame_alone_says_what_it_took():
    results = grid(**PLAIN, seed=range(3))
    with pytest.warns(gx.StudyWarning, match="roles of columns were guessed") as issued:
        study = gx.Study(results)
    assert issued[0].filename == __file__ and "average_over=['seed']" in repr(study)
    call = study.warnings[0].partition(": ")[2]
    same(study, eval(call, {"gx": gx, "results": results}))
    same(
        study,
        gx.Study(results, alternatives="model", target="accuracy", generalize_over="dataset", average_over="seed"),
    )


@pytest.mark.filterwarnings("ignore::genexpy_nb.StudyWarning")
def test_a_matrix_with_or_without_an_index_is_a_study():
    matrix = pd.DataFrame(
        RNG.random((9, 4)), columns=[f"error of {x}" for x in "abcd"], index=pd.Index(names(9), name="dataset")
    )
    for results in (matrix, matrix.reset_index().assign(n_rows=7)):
        study = gx.Study(results)
        same(study, eval(study.warnings[0].partition(": ")[2], {"gx": gx, "results": results}))
        same(study, gx.Study.from_wide(matrix, higher_is_better=False))


def test_a_frame_that_is_not_sure_is_an_error_with_the_call():
    results = grid(**PLAIN).rename(columns={"accuracy": "value"})
    with pytest.raises(gx.StudyError, match="higher or lower is better") as error:
        gx.Study(results)
    call = str(error.value).partition("call ")[2]
    assert call.endswith("higher_is_better=True or False)")
    study = eval(call.replace("True or False", "False"), {"gx": gx, "results": results})
    same(
        study,
        gx.Study(results, alternatives="model", target="value", generalize_over="dataset", higher_is_better=False),
    )


def test_what_is_given_stays_and_the_rest_is_guessed():
    results = grid(model=list("abc"), method=list("xyz"), dataset=names(8))
    with pytest.raises(gx.StudyError, match="'model' is answered on its own"):
        gx.Study(results, alternatives="method")
    with pytest.warns(gx.StudyWarning, match="guessed"):
        study = gx.Study(results, alternatives="method", fixed={"model": "a"})
    same(
        study,
        gx.Study(results, alternatives="method", fixed={"model": "a"}, target="accuracy", generalize_over="dataset"),
    )
    one = {"alternatives": "method", "fixed": {"model": "a"}}
    with pytest.warns(gx.StudyWarning, match="higher_is_better=False"):
        assert gx.Study(results, **one, higher_is_better=False).higher_is_better is False
    with pytest.warns(gx.StudyWarning, match="'accuracy': 'lower'"):
        assert gx.Study(results, **one, target={"accuracy": "lower"}).targets == ["accuracy"]


def test_other_programs_results_are_sure():
    results = pd.DataFrame({"id": list("xxyy"), "who": list("abab"), "what": [1, 2, 2, 3.5]})
    roles = {"alternatives": "who", "target": "what", "generalize_over": "id", "higher_is_better": False}
    results.attrs = {"format": "lm-evaluation-harness", "roles": roles}
    assert guessed(results).sure
    with pytest.warns(gx.StudyWarning, match="generalize_over=..id.., higher_is_better=False"):
        same(gx.Study(results), gx.Study(results, **roles))


@pytest.mark.parametrize("column", [[[1], [2], [3]], [("a", 1), ("b", 2), ("a", 2)], [None] * 3, ["a", 1, None]])
def test_columns_of_anything_are_no_crash(column):
    made = guessed(pd.DataFrame({"model": list("abc"), "dataset": list("xyz"), "accuracy": column}))
    assert not made.sure
