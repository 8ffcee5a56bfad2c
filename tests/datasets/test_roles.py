"""Guesses of what columns are for: what is sure, what is doubtful, and what is no study."""

import itertools

import numpy as np
import pandas as pd
import pytest

import genexpy_nb as gx
from genexpy_nb.common.files import Limit, Note
from genexpy_nb.datasets.describing import TableRoles
from genexpy_nb.datasets.pages import parted_cells
from genexpy_nb.datasets.roles import guess_roles
from genexpy_nb.datasets.texttables import cells_of, typed
from genexpy_nb.datasets.votes import votes_of
from genexpy_nb.datasets.words import _made_of_others, codes_apart, direction_of, summary_rows

RNG = np.random.default_rng(0)
START = RNG.bit_generator.state


@pytest.fixture(autouse=True)
def same_numbers_whatever_ran_before():
    RNG.bit_generator.state = START


def grid(**levels):
    frame = pd.MultiIndex.from_product(levels.values(), names=list(levels)).to_frame(index=False)
    return frame.assign(accuracy=RNG.random(len(frame)).round(3))


def guessed(frame):
    return guess_roles(frame, TableRoles())


def names(n, start="d"):
    return [f"{start}{i}" for i in range(n)]


PLAIN = {"model": list("abc"), "dataset": names(8)}


# --- what is sure -----------------------------------------------------------------------------------------------------


def test_the_end_of_a_name_says_what_it_is():
    """The bundled benchmark of encoders: a score of cross-validation is no fold, and its seconds are not the score."""
    frame = grid(encoder=names(6), dataset=names(8)).rename(columns={"accuracy": "cv_score"})
    made = guessed(frame.assign(time=RNG.random(len(frame))))
    assert made.sure and made.roles.target == ("cv_score",) and made.roles.higher_is_better == "higher"
    assert guessed(frame.rename(columns={"cv_score": "accuracy_std"})).problem.startswith("No column holds scores.")


@pytest.mark.parametrize("repeat", ["sample", "run", "seed", "trial", "repeat", "iteration", "fold"])
def test_repetitions_are_averaged(repeat):
    made = guessed(grid(**PLAIN, **{repeat: range(4)}))
    assert made.sure
    columns = {"alternatives": ("model",), "target": ("accuracy",), "over": ("dataset",), "average": (repeat,)}
    assert made.roles == TableRoles(**columns, higher_is_better="higher")


@pytest.mark.parametrize("factor", ["judge", "annotator", "rater", "prompt", "prompt_template"])
def test_judges_and_prompts_are_averaged_beside_tasks(factor):
    made = guessed(grid(**PLAIN, **{factor: names(3, "x"), "seed": range(2)}))
    assert made.sure and made.roles.over == ("dataset",) and set(made.roles.average) == {factor, "seed"}
    apart = grid(**PLAIN, **{factor: names(3, "x")})  # each model has a prompt of its own
    apart = apart[apart[factor].str[-1] == apart["model"].map({"a": "0", "b": "1", "c": "2"})]
    assert not guessed(apart).roles.average


# more of them in test_directions_that_names_say; a score between 0 and 100 is the better the higher
@pytest.mark.parametrize(("metric", "better"), [("loss", "lower"), ("Error (%)", "lower"), ("score", "higher")])
def test_an_error_is_lower_and_never_crowns_the_worst(metric, better):
    made = guessed(grid(**PLAIN).rename(columns={"accuracy": metric}))
    assert made.sure and made.roles.directions() == {metric: better}


@pytest.mark.parametrize(
    ("metric", "scale"),
    [("value", 1), ("score", 1000), ("score", -1), ("result", 1), ("accuracy drop", 1), ("loss", -1)],
)
def test_a_direction_that_no_word_says_is_not_guessed(metric, scale):
    made = guessed(grid(**PLAIN).rename(columns={"accuracy": metric}).assign(**{metric: lambda f: scale * f[metric]}))
    assert not made.sure and made.roles.target == (metric,) and not made.roles.higher_is_better


@pytest.mark.parametrize("of", ["latency (ms)", "throughput", "params (M)", "RTFx", "train_time", "tokens/s", "rows"])
def test_speed_and_size_are_no_target_beside_a_score(of):
    frame = grid(**PLAIN)
    made = guessed(frame.assign(**{of: RNG.random(len(frame)) * 99})[["model", "dataset", of, "accuracy"]])
    assert made.sure and made.roles.target == ("accuracy",)


@pytest.mark.parametrize("spread", ["standard_error", "std. error", "acc_std", "Error bar", "margin of error", "q975"])
def test_a_spread_is_no_score(spread):
    frame = grid(**PLAIN).rename(columns={"accuracy": "value"})
    made = guessed(frame.assign(**{spread: RNG.random(len(frame))}))
    assert made.roles.target == ("value",) and not made.sure


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
    assert guessed(tasks.assign(model=names(9), Average=tasks.mean(axis=1))).roles.without == ("Average",)


# --- what is doubtful -------------------------------------------------------------------------------------------------


def test_cases_inside_few_tasks_are_the_experiments():
    frame = grid(task=list("uvw"), alg_name=list("abcd"), case=range(50))
    made = guessed(frame)
    assert made.roles.over == ("case",) and made.roles.design == ("task",) and not made.sure
    frame["case"] = frame["task"] + frame["case"].astype(str)  # told apart by their names, too
    made = guessed(frame)
    assert made.roles.over == ("case",) and not made.roles.design and "from the 3 levels of 'task'" in made.doubts[0]
    many = guessed(grid(task=names(20), alg_name=list("abcd"), case=range(9)))
    assert many.roles.over == ("task",) and many.roles.average == ("case",) and not many.sure


def test_what_numbers_each_evaluation_is_no_experiment_and_a_score_is_called_so():
    frame = grid(pair=names(12), system=list("abcd"), metric=["bleu-all", "comet-a"])
    frame = frame[frame.index // 2 % 12 < 9].reset_index(drop=True)  # not all take part in all
    frame["id"] = frame.groupby(["pair", "system"]).ngroup()
    frame.insert(3, "is_constrained", frame["system"].isin(["a", "b"]) & frame["pair"].ne("d3"))
    made = guessed(frame.assign(accuracy=RNG.normal(20, 30, len(frame))).rename(columns={"accuracy": "score"}))
    assert made.roles.over == ("pair",) and made.roles.alternatives == ("system",) and made.roles.target == ("score",)


@pytest.mark.parametrize("written", ["g{}".format, int])
@pytest.mark.parametrize("group", ["passage", "family", "source"])
def test_a_column_in_which_experiments_nest_is_offered_as_cluster(group, written):
    frame = grid(model=list("abc"), question=names(24))
    number = frame["question"].str[1:].astype(int).floordiv(4)
    frame[group] = number.map(written)
    made = guessed(frame)
    assert made.roles.over == ("question",) and made.roles.cluster == group and not made.sure
    frame[group] = number.map("g{}".format)
    made = guessed(frame.rename(columns={group: "type"}))
    assert made.sure and not made.roles.cluster and "'type'" in made.remarks[0]


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


def test_a_row_of_averages_and_columns_whose_levels_hardly_meet_are_doubts():
    assert guessed(grid(**PLAIN)).sure and not guessed(grid(**PLAIN | {"dataset": [*names(8), "Avg. rank"]})).sure
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


# --- what numbers and structure say -----------------------------------------------------------------------------------


def methods(**more):
    frame = pd.DataFrame(0.5 + RNG.random((12, 4)) / 3, columns=["LOF", "PCA", "KNN", "MS-GVNS"])
    return frame.assign(series=names(12), **more)


@pytest.mark.parametrize("count", ["#Samples", "# Rows", "n_cells", "|V|", "Outlier Perc", "DEV (%)"])
def test_counts_and_percentages_of_the_data_are_not_compared_and_a_method_called_as_a_unit_is(count):
    made = guessed(methods(**{count: RNG.random(12).round(3) * 30 + 3}))
    assert made.roles.without == (count,) and made.roles.over == ("series",)


def test_a_column_far_from_all_others_in_every_row_is_a_doubt_and_a_method_that_is_always_best_is_none():
    given = TableRoles(higher_is_better="higher")
    assert guess_roles(methods(), given).sure
    assert guess_roles(methods(best=0.9), given).sure
    (doubt, *_) = guess_roles(methods(Contamination=40 + RNG.random(12)), given).doubts
    assert "'Contamination' are far from the others" in doubt


def test_whole_numbers_where_the_others_are_may_be_scores_and_flags_and_other_ranges_are_none():
    frame = pd.DataFrame(100 * RNG.random((20, 8)), columns=list("abcdefgh")).assign(model=names(20, "m"))
    made = guessed(frame.assign(maze=range(5, 65, 3)))
    assert not made.roles.without and "'maze' hold whole numbers" in " ".join(made.doubts)
    for other in ([0, 1] * 10, range(1000, 1200, 10)):
        assert guessed(frame.assign(maze=other)).roles.without == ("maze",)


def test_tasks_with_a_measure_in_brackets_are_experiments_and_what_is_the_same_for_all_is_no_score():
    rows = [f"m{i},{70.1 + i},{60.3 + 2 * i},{50.5 + i % 3}/{60.5 + i % 4},{55.9 + i}" for i in range(8)]
    text = "model,SC (macro-F1),NLI (accuracy),QA (EM/F1),Glue score\n" + "\n".join(rows)
    cells, _ = cells_of(text, "t", ",", 1, Limit.of("1MB"))
    made = guess_roles(typed(parted_cells(cells)[0], "t", None, {})[0], TableRoles())
    assert (made.roles.alternatives, made.roles.without) == (("model",), ("QA (F1)", "Glue score"))
    frame = grid(method=[*"abc"], data=names(6), net=["x", "y"])
    frame["accuracy"] = frame.groupby(["data", "net"]).ngroup() / 12  # before the methods do anything
    frame["auroc"] = [(7 * i) % 36 / 36 for i in range(36)]
    assert guessed(frame).roles.target == ("auroc",)


def test_measures_of_opposite_directions_are_no_experiments_and_epochs_are_no_methods():
    columns = ["log loss", "f1", "TN", "TP", "FN"]
    one_test = pd.DataFrame(RNG.random((9, 5)), columns=columns).assign(model=names(9, "m"))
    assert "measures, not experiments" in guessed(one_test).problem
    log = pd.DataFrame(RNG.random((9, 3)), columns=["train/loss", "recall", "mAP50"]).assign(epoch=range(9))
    assert "each 'epoch' of one run" in guessed(log).problem


def test_what_each_alternative_has_one_level_of_describes_it():
    frame = pd.DataFrame({"name": names(30, "m"), "filter": list("uvw") * 10, "winrate": RNG.random(30)})
    assert "No column names the experiments" in guessed(pd.concat([frame, frame.iloc[:1].assign(filter="w")])).problem


def nested(n_outer, inner="signal"):
    frame = grid(detector=list("abc"), **{inner: names(24)}, tier=["plain", "tuned"])
    frame.insert(0, "dataset", "s" + (frame[inner].str[1:].astype(int) % n_outer).astype(str))
    return frame.assign(n_channels=frame["dataset"].str[1:].astype(int) + 1)


@pytest.mark.parametrize(("n_outer", "cluster"), [(3, ""), (8, "dataset")])
def test_a_text_inside_of_the_data_sets_that_tells_all_rows_apart_is_the_experiment(n_outer, cluster):
    made = guessed(nested(n_outer))
    assert (made.roles.over, made.roles.cluster, made.roles.design) == (("signal",), cluster, ("tier",))
    assert not made.sure


def test_folds_inside_of_data_sets_and_names_of_runs_are_no_experiments():
    folds = nested(8, inner="fold").drop(columns="tier").drop_duplicates(["detector", "fold"])
    assert guessed(folds).roles.average == ("fold",)
    runs = grid(**PLAIN, seed=range(3))
    runs["checkpoint"] = runs["dataset"] + runs["model"] + runs["seed"].astype(str)
    assert guessed(runs).roles.over == ("dataset",) and guessed(runs).roles.average == ("seed",)


def test_counts_are_no_part_of_what_is_compared_where_a_text_tells_rows_apart():
    frame = nested(8).query("tier == 'plain'").drop(columns=["tier", "n_channels"])
    frame["fp"] = RNG.permutation(len(frame)) % 40
    assert guessed(frame).roles.alternatives == ("detector",)


def test_iterations_that_count_are_repetitions_and_amounts_of_them_are_settings():
    assert guessed(grid(**PLAIN, iteration=["it1", "it2", "it3"])).roles.average == ("iteration",)
    made = guessed(grid(**PLAIN, iterations=["10it", "100it"]))
    assert made.roles.design == ("iterations",) and not made.roles.average


@pytest.mark.parametrize("column", [range(0, 960, 10), [f"[{i}.5]" for i in range(96)], RNG.random(96)])
def test_scores_that_are_called_as_folds_are_no_repetitions(column):
    frame = grid(**PLAIN, noise=["p", "q"], seed=[1, 2])
    frame["cv_score"] = column
    assert "cv_score" not in guessed(frame).roles.average


def test_of_a_selection_no_level_is_held_that_leaves_a_method_out():
    frame = grid(method=list("abc"), dataset=names(8), scorer=["none", "one", "two"])
    frame = frame[(frame["method"] == "a") == (frame["scorer"] == "none")]
    assert guessed(frame).roles.alternatives == ("method", "scorer") and not guessed(frame).roles.fixed
    some = grid(method=list("abc"), dataset=names(8), scorer=["one", "two"])
    some.loc[(some["method"] == "a") & (some["scorer"] == "one"), "accuracy"] = np.nan
    assert guessed(some).roles.fixed == ("scorer=two",) and guessed(some).roles.higher_is_better == "higher"


def test_few_data_sets_and_a_second_factor_make_experiments_together():
    made = guessed(grid(model=list("abc"), dataset=names(3), activation=list("uvwxyz")))
    assert made.roles.over == ("dataset", "activation") and "Is 'activation' compared?" in " ".join(made.doubts)


def test_f1_comes_before_recall_though_rows_of_it_are_missing():
    frame = grid(**PLAIN).rename(columns={"accuracy": "recall"}).assign(f1=RNG.random(24))
    frame.loc[:9, "f1"] = np.nan
    assert guessed(frame).roles.target == ("f1",)


def test_levels_of_a_column_of_metrics_say_the_direction_if_they_agree():
    frame = methods(metric=["auc", "neg_logloss"] * 6)
    assert guessed(frame).roles.higher_is_better == "higher"
    assert not guessed(frame.replace("neg_logloss", "logloss")).roles.higher_is_better


def test_of_two_crossed_names_in_a_matrix_the_one_with_more_levels_is_compared():
    frame = grid(algorithm=list("ab"), encoder=names(6, "e"))[["algorithm", "encoder"]]
    made = guessed(frame.assign(**{c: RNG.random(12) for c in ["iris", "wine", "zoo"]}))
    assert made.roles.alternatives == ("encoder",) and made.roles.design == ("algorithm",) and not made.sure


def test_what_all_columns_of_a_matrix_are_called_says_nothing_of_one():
    """The data sets are classes of a program, and one called so beside them would be a count of classes."""
    scores = {f":class:`{name}`": 80 + RNG.random(6) for name in names(4)}
    made = guessed(pd.DataFrame({"Pipeline": names(6, "p"), **scores}))
    assert made.roles.wide and not made.roles.without and not made.problem
    made = guessed(pd.DataFrame({"model": names(6, "m"), **{c: 80 + RNG.random(6) for c in "abc"}, "class": range(6)}))
    assert made.roles.without == ("class",)


def test_what_is_compared_may_lack_the_name_of_some():
    """A challenge with two columns that name a team, empty in some rows."""
    frame = grid(team=names(5, "t"), dataset=names(4), metric=["acc", "f1"])
    frame["method"] = frame["team"].where(frame["team"] != "t1")
    assert guess_roles(frame, TableRoles(alternatives=("team", "method"))).roles.fixed == ("metric=acc",)


def test_settings_in_numbers_whose_combinations_are_the_rows_are_compared():
    frame = grid(crossover=[0.1, 0.3, 0.5], mutation=[0.01, 0.2])[["crossover", "mutation"]]
    made = guessed(frame.assign(**{f"i = {i}": 1000 * RNG.random(6) for i in range(4)}))
    assert made.roles.wide and made.roles.alternatives == ("crossover", "mutation") and not made.roles.without


def test_a_factor_of_numbers_and_a_word_is_a_factor():
    made = guessed(grid(model=list("abc"), dataset=names(8), shot=["0", "16", "full"]))
    assert made.roles.design == ("shot",) and not made.problem
    frame = grid(**PLAIN).astype({"accuracy": object})
    frame.loc[3, "accuracy"] = "OOM"
    frame["accuracy"] = frame["accuracy"].astype(str)
    assert "missing_codes=['OOM']" in guessed(frame).problem


def test_the_largest_of_the_others_is_no_method_and_a_method_that_is_always_best_is_one():
    frame = methods()
    often_better = frame.assign(**{"MS-GVNS": frame["MS-GVNS"] + 0.1})
    assert guessed(often_better.assign(Max=frame[["LOF", "PCA", "KNN"]].max(axis=1))).roles.without == ()
    scores = frame.drop(columns="series")
    assert guessed(frame.assign(Max=scores.max(axis=1), Mittel=scores.mean(axis=1))).roles.without == ("Max", "Mittel")
    assert guessed(frame.assign(ours=scores.max(axis=1) + 0.01)).roles.without == ()


def test_a_word_inside_of_a_name_puts_no_method_aside_and_a_word_that_does_is_a_doubt():
    frame = methods(ClaSS=RNG.random(12) / 3 + 0.5, **{"URL (ours)": RNG.random(12) / 3 + 0.5})
    assert guessed(frame).roles.without == ()
    made = guessed(frame.assign(**{"anomaly ratio": RNG.random(12) / 3 + 0.5}))
    assert made.roles.without == ("anomaly ratio",) and "numbers like the others" in " ".join(made.doubts)


def test_rows_that_sum_up_others_are_known_by_their_numbers():
    frame = pd.DataFrame((100 * RNG.random((12, 5))).round(2), columns=list("abcde"))
    block = frame.iloc[:5].mean().round(2)
    wins, n = frame.eq(frame.max(axis=1), axis=0).sum(), frame.count()
    more = pd.concat([frame.iloc[:5], block.to_frame().T, frame.iloc[5:], wins.to_frame().T, n.to_frame().T])
    more = pd.concat([more, frame.mean().round(1).to_frame().T], ignore_index=True)
    assert summary_rows(more) == {5: "mean", 13: "wins", 14: "count", 15: "mean"}
    assert summary_rows(frame) == {} and summary_rows(frame.round(0)) == {}
    assert summary_rows(pd.concat([frame, frame.median().to_frame().T], ignore_index=True)) == {12: "median"}
    called = frame.iloc[:5].assign(name=["Avg rank", "mean", "b", "Average", "Standard error of the mean"])
    assert summary_rows(called[["name", *"abcde"]]) == {0: "Avg rank", 3: "Average", 4: "Standard error of the mean"}
    assert [*summary_rows(pd.concat([frame, frame.agg(["mean", "std", "max"]).round(2)]).reset_index())] == [12, 13, 14]


def test_zeros_and_codes_far_from_all_other_scores_are_a_doubt_and_others_are_not():
    zeros = methods().set_index("series").mask(RNG.random((12, 4)) < 0.3, 0.0)
    said = f"{(zeros == 0).sum().sum()} of 48 scores are exactly 0, all others at least 0.5"
    assert said in " ".join(guessed(zeros.reset_index()).doubts)
    for code in (2147483647, -9999):
        said = f"{(zeros == 0).sum().sum()} of 48 scores are {code}, all others at most {zeros.max(axis=None):.3g}"
        (told,) = codes_apart(zeros.replace(0, code))
        assert told == f"{said}: if that stands for no result, pass --missing-code {code}"
    said = f"{(zeros == 0).sum().sum()} of 48 scores are -1, and no other is below 0"
    assert codes_apart(zeros.replace(0, -1)) == [f"{said}: if that stands for no result, pass --missing-code -1"]
    assert not codes_apart(zeros.replace(0, 50)) and not codes_apart(zeros.replace(0, -1) - 0.9 * (zeros > 0))
    assert not any(map(codes_apart, [zeros > 0, zeros - 0.45 * (zeros > 0), (9 * zeros).round()]))


def test_identifiers_of_rows_are_not_compared_and_diagnoses_are_no_experiments():
    frame = grid(model_id=list("abc"), competition=names(6), seed=range(4))
    frame["submission_sha256"] = [f"{i:08x}" for i in RNG.permutation(len(frame))]
    assert guessed(frame).roles.alternatives == ("model_id",)
    sizes = grid(algo=list("abcde"), input=[100, 500, 1000, 5000, 9000]).assign(bottleneck=list("uvvww") * 5)
    sizes["bottleneck"] += sizes["algo"].isin(["a", "b"]).map({True: "1", False: "2"})
    assert guessed(sizes).roles.over == ("input",)


def test_a_count_is_no_score_beside_a_share_and_a_metric_of_some_data_sets_none_beside_one_of_all():
    frame = grid(**PLAIN).rename(columns={"accuracy": "precision_at_1"})
    assert guessed(frame.assign(correct_at_1=range(200, 224))).roles.target == ("precision_at_1",)
    some = frame.assign(r2=RNG.random(24)).rename(columns={"precision_at_1": "score"})
    some.loc[some["dataset"].isin(some["dataset"].unique()[:3]), "r2"] = np.nan
    assert guessed(some).roles.target == ("score",)


def test_a_rate_that_only_one_method_was_run_at_is_held_at_one_that_all_have():
    frame = grid(method=list("abc"), dataset=names(8), rate=[1, 2, 3, 4, 5, 25])
    made = guessed(frame[(frame["method"] == "a") | frame["rate"].isin([5, 25])])
    assert made.roles.alternatives == ("method",)
    made = guessed(frame[(frame["method"] == "a") | (frame["rate"] == 5)])
    assert made.roles.fixed == ("rate=5",) and "Only rate=5 is taken" in " ".join(made.doubts)


def test_of_several_metrics_of_the_same_methods_one_is_taken():
    columns = [f"{metric}_{who}" for metric in ("acc", "time") for who in ("new", "old", "older")]
    frame = pd.DataFrame(RNG.random((9, 6)), columns=columns).assign(dataset=names(9))
    made = guessed(frame.assign(**{"acc_new - acc_old": frame["acc_new"] - frame["acc_old"]}))
    assert made.roles.over == ("dataset",) and made.roles.higher_is_better == "higher"
    assert set(frame.columns) - set(made.roles.without) == {"dataset", "acc_new", "acc_old", "acc_older"}


def test_a_setting_of_each_data_set_is_no_score_and_neither_is_a_seed():
    long = grid(transformation=names(6, "t"), dataset=names(8), replicate=[1, 2])
    long = long.rename(columns={"accuracy": "overlap"})
    long["pca_dim"] = long["dataset"].str[1:].astype(int) % 3 * 50 + 5
    for made in (guessed(long), guessed(long.assign(recovery=RNG.random(len(long))))):
        assert not made.roles.wide and made.roles.alternatives == ("transformation",)
        assert made.roles.target[0] == "overlap"
    made = guessed(methods(data_seed=range(900, 912), diff=RNG.random(12), mean=0.6))
    assert {"data_seed", "diff", "mean"} == set(made.roles.without) and made.roles.over == ("series",)


@pytest.mark.parametrize(
    ("columns", "target", "sure"),
    [
        (["accuracy", "val_accuracy", "test_accuracy"], "test_accuracy", True),
        (["accuracy", "val_accuracy"], "val_accuracy", False),
        (["train_accuracy", "accuracy"], "accuracy", True),
        (["train_accuracy"], "train_accuracy", False),
    ],
)
def test_scores_of_a_test_come_first_and_those_of_a_training_never_without_a_doubt(columns, target, sure):
    made = guessed(grid(**PLAIN)[["model", "dataset"]].assign(**{c: RNG.random(24) for c in columns}))
    assert made.roles.target == (target,) and made.sure == sure


@pytest.mark.parametrize(
    "columns", [[f"{stem}{i}" for i in range(1, 5)] for stem in ("fold_", "acc_seed", "V", "")] + [list("0123")]
)
def test_columns_of_folds_are_averaged(columns):
    frame = grid(**PLAIN)[["model", "dataset"]].assign(**{c: RNG.random(24) for c in columns})
    made = guessed(frame)
    assert (made.roles.alternatives, made.roles.over, made.roles.average) == (("model",), ("dataset",), ("column",))
    with pytest.raises(gx.errors.StudyError, match="averaged as repetitions") as error:
        gx.Study(frame)
    call = str(error.value).partition("call ")[2].replace("True or False", "True")
    means = frame.assign(mean=frame[columns].mean(axis=1)).pivot(index="dataset", columns="model", values="mean")
    found = eval(call, {"gx": gx, "results": frame}).condition_scores()
    pd.testing.assert_frame_equal(found, means, check_names=False)


def test_columns_of_measures_that_are_numbered_are_no_repetitions():
    columns = [f"BLEU-{n}" for n in range(1, 5)]
    made = guessed(grid(**PLAIN)[["model", "dataset"]].assign(**{c: RNG.random(24) for c in columns}))
    assert made.roles.average == () and made.roles.target


def test_a_score_that_is_the_mean_of_two_others_is_no_experiment():
    scores = pd.DataFrame(RNG.random((8, 2)), columns=["MMLU", "GSM"]).round(3)
    made = guessed(scores.assign(Score=scores.mean(axis=1).round(3), model=names(8, "m")))
    assert made.roles.without == ("Score",)


def test_what_stands_for_one_alternative_in_each_experiment_is_compared_if_these_lack_experiments():
    frame = grid(dataset=names(6), backend=["jit", "native"]).assign(time=RNG.random(12))
    tools = [f"{b}-{d}" if b == "jit" and d > "d3" else b for b, d in frame[["backend", "dataset"]].to_numpy()]
    made = guessed(frame.assign(tool=tools))
    assert made.roles.alternatives == ("backend",) and "or 'tool'" in " ".join(made.doubts)


def test_of_measures_of_one_task_at_several_k_one_is_taken():
    columns = ["a R@1", "a R@5", "b R@1", "b R@5"]
    made = guessed(pd.DataFrame(RNG.random((9, 4)), columns=columns).assign(model=names(9, "m")))
    assert made.roles.without == ("a R@5", "b R@5") and "measures of one task" in " ".join(made.doubts)


def test_names_and_versions_with_many_levels_are_compared_together():
    frame = pd.DataFrame(RNG.random((12, 3)), columns=["ARC", "MMLU", "GSM"]).assign(name=names(6, "m") * 2)
    made = guessed(frame.assign(pretrained=names(10, "p") + names(2, "p")))
    assert made.roles.alternatives == ("name", "pretrained") and "together" in " ".join(made.doubts)


def test_settings_in_every_column_are_read_as_rows():
    frame = grid(instance=list("abc"), rate=[0.2, 0.4, 0.6], iterations=[100, 500, 900], kind=list("pqr"))
    frame = frame.assign(mean_cost=RNG.random(81), min_cost=RNG.random(81)).drop(columns="accuracy")
    made = guessed(frame)
    assert made.roles.alternatives == ("kind",) and made.roles.target == ("mean_cost",) and not made.problem


def test_two_letters_of_a_code_put_no_data_set_aside_whose_numbers_are_like_the_others():
    frame = pd.DataFrame(80 + RNG.random((8, 4)), columns=["CASP12", "TS115", "CB513", "New"])
    frame = frame.assign(model=names(8, "m"))
    assert guessed(frame).roles.without == ()
    assert guessed(frame.assign(TS115=range(0, 800, 100))).roles.without == ("TS115",)
    codes = pd.DataFrame(80 + RNG.random((8, 4)), columns=["en", "id", "de", "sd"]).assign(model=names(8, "m"))
    assert guessed(codes).roles.without == () and guessed(codes.assign(sd=0.1)).roles.without == ("sd",)


def test_a_constant_like_the_scores_is_asked_about_as_a_baseline_and_a_row_that_pools_others_too():
    frame = methods(Chance=0.5).rename(columns={"series": "dataset"})
    frame["dataset"] = ["QA Mid", "QA High", "QA All", *names(9)]
    made = guessed(frame)
    said = " ".join(made.doubts)
    assert made.roles.without == () and "'Chance' is 0.5 in all rows" in said
    assert "'QA All' may pool 'QA Mid', 'QA High'" in said and "QA" not in " ".join(guessed(methods()).doubts)
    tasks = pd.DataFrame({"ant": [0, 1, 1], "bee": [1, 0, 1], "sure": 1, "never": 0, "version": 1, "n": 2})
    assert guessed(tasks).roles.without == ("version", "n")


def test_rows_that_are_called_like_methods_are_compared_whatever_stands_above_them_and_asked_about():
    levels = pd.DataFrame(RNG.random((6, 5)), columns=[f"WRMSSE L{i}" for i in range(1, 6)])
    made = guessed(levels.assign(Benchmark=["Naive", "SES", "ARIMA", "new", "ETS", "Theta"]))
    assert made.roles.alternatives == ("Benchmark",) and "Are the columns compared" in " ".join(made.doubts)
    made = guessed(levels.assign(Benchmark=names(6)))
    assert made.roles.over == ("Benchmark",) and "Are the columns compared" in " ".join(made.doubts)
    for word in ("模型", "Modell", "modèle", "модель"):
        assert guessed(levels.assign(**{word: names(6)})).roles.alternatives == (word,)


def test_of_measures_glued_to_levels_one_is_taken_without_its_average_and_the_others_are_told():
    ranks = ["phylum", "class", "order", "genus"]
    frame = pd.DataFrame({f"{m}{r}": RNG.random(9).round(3) for m in ("Purity", "F1 score", "L1 error") for r in ranks})
    frame["F1 scoreavg"] = frame[[f"F1 score{rank}" for rank in ranks]].mean(axis=1)
    made = guessed(frame.assign(index=names(9)))
    assert set(frame) - set(made.roles.without) == {f"F1 score{rank}" for rank in ranks}
    assert made.roles.higher_is_better == "higher" and "hold other measures" in " ".join(made.doubts)


def test_a_tag_of_variants_of_one_method_is_held_at_no_tag_and_the_command_does_so():
    frame = pd.concat([grid(**PLAIN), grid(model=["c"], dataset=names(8), tag=["one", "two"])], ignore_index=True)
    made = guessed(frame)
    assert made.roles.fixed == ("tag=none",) and "variants of c only" in " ".join(made.doubts)
    with pytest.raises(gx.errors.StudyError) as error:
        gx.Study(frame)
    found = eval(str(error.value).partition("call ")[2], {"gx": gx, "results": frame}).condition_scores()
    plain = frame[frame["tag"].isna()].pivot(index="dataset", columns="model", values="accuracy")
    pd.testing.assert_frame_equal(found, plain, check_names=False)


def test_sizes_that_each_has_once_may_be_experiments_and_costs_beside_measures_are_no_columns_compared():
    made = guessed(grid(tool=names(5, "t"), n=[0.01, 0.1, 1, 10]).assign(Time=range(20)).drop(index=7))
    assert made.roles.over == ("n",) and made.roles.target == ("accuracy",)
    assert "Are the levels of 'n'" in made.doubts[0]
    frame = grid(db=names(4, "s"), case=names(6, "c")).rename(columns={"accuracy": "recall"})
    frame[["qps", "latency", "value"]] = RNG.random((24, 3))
    assert not (roles := guessed(frame.assign(label=[1, -1, -2] * 8)).roles).wide and roles.target == ("recall",)


def test_variants_are_part_of_the_name_also_of_who_has_none_and_addresses_are_no_experiments():
    """Methods with variants in files of one form, each file a data set, and where the numbers were published."""
    frame = grid(file=names(4), method=names(5, "m"), variant=["low", "high"])
    frame = frame[(frame["method"] != "m0") | (frame["variant"] == "low")]
    frame = frame.assign(variant=frame["variant"].mask(frame["method"] == "m0"), data_source="x://" + frame["method"])
    made = guessed(pd.concat([frame, frame[-1:]], ignore_index=True))
    assert made.roles.over == ("file",) and "--alternatives method --alternatives variant;" in " ".join(made.doubts)
    with pytest.warns(gx.errors.StudyWarning, match=r"fillna\('none'\)"):
        study = gx.Study(frame, alternatives=["method", "variant"], generalize_over="file")
    assert min(study.alternatives) == "m0 / none"


def test_settings_in_names_of_one_pattern_are_no_summaries():
    settings = [(k, how) for k in range(1, 9) for how in ("largest", "mean", "ball", "tree", "brute")]
    made = guessed(pd.DataFrame({f"('kNN', {each})": RNG.random(12) for each in settings}).assign(data=names(12)))
    assert made.roles.wide and made.roles.without == ()


def test_arrows_in_names_say_what_is_better_and_a_mean_of_something_else_nothing():
    wide = pd.DataFrame(RNG.random((9, 3)), columns=["u ↑", "v (↑)", "w ↑"]).assign(model=names(9))
    assert guessed(wide).sure and guessed(wide).roles.higher_is_better == "higher"
    assert "be measures" in guessed(wide.rename(columns={"w ↑": "w ↓"})).problem
    files = guessed(wide.rename(columns={"model": "file", "u ↑": "TS-X ↑"}).assign(avg_len=99 * RNG.random(9)))
    assert files.roles.over == ("file",) and files.roles.without == ("avg_len",)


# --- what is no study -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (grid(model=names(9)).assign(f1=0.5, auc=range(9)), "; 'd8' by 'auc' (8)"),
        (grid(model=names(5), epoch=range(1, 9)), "No column names the experiments"),
        (grid(model=names(9)).assign(architecture=[*"aabbccdde"], venue=[*"xyxzyzwvu"]), "No column names the exp"),
        (pd.DataFrame(RNG.random((9, 3)), names(9), ["win", "draw", "losses"]).reset_index(names="bot"), "be measures"),
        (grid(dataset=names(9)), "No column names what is compared"),
        (grid(model=["a"], dataset=names(9)), "'model' has one level only, 'a'"),
        (grid(n=[1, 2], seed=range(4)).assign(kind="a", gap=RNG.random(8)), "'kind' has one level only, 'a'"),
        (grid(**PLAIN).rename(columns={"accuracy": "yhat"}).assign(y=RNG.random(24)), "'yhat' seems to hold"),
        (pd.DataFrame(RNG.random((9, 5)), columns=list("01234")).assign(dataset=names(9)), "look like repetitions"),
        (pd.DataFrame({"model": names(9, "m")}).assign(a="0.5/0.4", b="0.25/0.3"), "'0.5/0.4' in 'a'"),
        (pd.DataFrame({"dataset": names(3), "a": ["1 (1)", "2", "3"], "b": [1.5, 2, 3]}), "row 0 holds '1 (1)'"),
    ],
)
def test_what_cannot_be_a_study_says_why(frame, words):
    made = guessed(frame)
    assert words in made.problem and not made.sure
    with pytest.raises(gx.errors.StudyError) as error:
        gx.Study(frame)
    assert words in str(error.value)


@pytest.mark.parametrize("sides", [("model_a", "model_b"), ("left", "right"), ("system 1", "system 2")])
def test_votes_between_pairs_are_recognized(sides):
    frame = pd.DataFrame({sides[0]: list("abcab"), sides[1]: list("bcaca"), "prompt": range(5)})
    frame = frame.assign(winner=list("abcaa"))
    made = guessed(frame)
    first, second = sorted(sides)
    assert f"genexpy_nb.fields.preferences(results, {first!r}, {second!r}, 'winner')" in made.problem
    coded = guessed(frame.drop(columns="winner").assign(score=[1, 2, 3, 1, 2])).problem
    assert f"preferences(results, {first!r}, {second!r}, 'score')" in coded


def test_counted_wins_squares_of_games_two_ranks_and_pairs_in_names_are_made_votes():
    results = pd.DataFrame({"a": [*"xxy"], "b": [*"yzz"], "a_wins": [9, 7, 2], "b_wins": [1, 2, 3], "draws": [0, 1, 5]})
    votes = votes_of(results).rows
    assert votes.value_counts(["a", "b", "won"])["x", "z", 0.0] == 2 and len(votes) == 30
    assert "preferences(genexpy_nb.datasets.votes.votes_of(results).rows, 'a', 'b', 'won')" in guessed(results).problem
    a, b, c = ["-", "9 - 3", "4 - 0"], ["3 - 9", "-", "6 - 5"], ["0 - 4", "5 - 6", "-"]
    votes = votes_of(pd.DataFrame({"": [*"abc"], "a": a, "b": b, "c": c})).rows
    assert votes[["", "other", "won"]].to_numpy().tolist() == [["b", "a", 1], ["c", "a", 1], ["c", "b", 1]]
    files = [f"{one}-vs-{other}-judged-by-c" for one in ("a", "ab", "c") for other in ("a", "ab", "c") if one != other]
    results = grid(file=files, question=range(4)).drop(columns="accuracy").assign(score=[1, 2, 1, 0] * 6)
    votes = votes_of(results).rows
    assert votes["b"].value_counts().to_dict() == {"a": 8, "ab": 8, "c": 8} and votes_of(results).winners == ["score"]
    ranked = pd.DataFrame({"model_1": [*"xyz"], "rank_1": [1, 2, 3], "model_2": [*"yzx"], "rank_2": [2, 2, 1]})
    scores = {"a_model": [*"xyz"], "score_a": [0.5, 0.1, 0.2], "b_model": [*"yzx"], "score_b": [0.2, 0.1, 0.3]}
    rated = pd.DataFrame(scores)
    for results in (ranked, rated):
        assert votes_of(results).rows["won"].tolist() == [1, 0.5, 0]
    dogs = grid(task=["cats_vs_dogs", "ants_vs_bees"], model=["x", "y"], item=range(4)).assign(accuracy=[0, 1] * 8)
    assert not guessed(dogs).problem
    assert votes_of(dogs) is None


def test_pairs_have_two_members_a_winner_names_one_and_of_many_names_the_folders_are_compared():
    clips = pd.DataFrame({"clip1": [f"a/{i}" for i in range(30)], "clip2": [f"b/{i}" for i in range(30)]})
    for side, won in ((1, 1.0), (2, 0.0)):
        votes = votes_of(clips.assign(**{f"clip{side} wins": [True, False] * 15}))
        assert votes.sure and votes.rows[["clip1", "clip2", "won"]].iloc[0].tolist() == ["a", "b", won]
    battery = pd.DataFrame({f"S{i} answer": np.roll([*"pnpp", *"nnpn"], i) for i in (2, 3, 1)}).assign(
        choice=[1, 2] * 4
    )
    assert votes_of(battery) is None and votes_of(battery.drop(columns="S3 answer")) is not None
    assert votes_of(battery.drop(columns=["S3 answer", "choice"]).assign(assigned=[3, 1] * 4)) is None


@pytest.mark.parametrize(
    "cells, words",
    [
        ({"answers": '[{"score": 1}]'}, "Cells of 'answers' hold JSON"),
        ({"winner": None}, "'winner' are empty in all 9"),
    ],
)
def test_what_a_table_without_scores_holds_is_said(cells, words):
    assert words in guessed(pd.DataFrame({"question": names(9, "q"), **cells})).problem


# --- in Python --------------------------------------------------------------------------------------------------------


def same(found, expected):
    assert found.configurations == expected.configurations and found.higher_is_better == expected.higher_is_better
    pd.testing.assert_frame_equal(found.scores(), expected.scores())


def test_a_study_of_a_frame_alone_says_what_it_took():
    results = grid(**PLAIN, seed=range(3))
    with pytest.warns(gx.errors.StudyWarning, match="roles of columns were guessed") as issued:
        study = gx.Study(results)
    assert issued[0].filename == __file__ and "average_over=['seed']" in repr(study)
    call = study.warnings[0].partition(": ")[2]
    same(study, eval(call, {"gx": gx, "results": results}))
    roles = {"alternatives": "model", "target": "accuracy", "generalize_over": "dataset", "average_over": "seed"}
    same(study, gx.Study(results, **roles))


@pytest.mark.filterwarnings("ignore::genexpy_nb.common.errors.StudyWarning")
def test_a_matrix_with_or_without_an_index_is_a_study():
    matrix = pd.DataFrame(RNG.random((9, 4)), names(9), [f"error of {x}" for x in "abcd"]).rename_axis("dataset")
    for results in (matrix, matrix.reset_index().assign(n_rows=7)):
        study = gx.Study(results)
        same(study, eval(study.warnings[0].partition(": ")[2], {"gx": gx, "results": results}))
        same(study, gx.Study.from_wide(matrix, higher_is_better=False))


def test_a_frame_that_is_not_sure_is_an_error_with_the_call():
    results = grid(**PLAIN).rename(columns={"accuracy": "value"})
    with pytest.raises(gx.errors.StudyError, match="higher or lower is better") as error:
        gx.Study(results)
    call = str(error.value).partition("call ")[2]
    assert call.endswith("higher_is_better=True or False)")
    study = eval(call.replace("True or False", "False"), {"gx": gx, "results": results})
    roles = {"alternatives": "model", "target": "value", "generalize_over": "dataset", "higher_is_better": False}
    same(study, gx.Study(results, **roles))


def test_what_is_given_stays_and_the_rest_is_guessed():
    results = grid(model=list("abc"), method=list("xyz"), dataset=names(8))
    with pytest.raises(gx.errors.StudyError, match="'model' is answered on its own"):
        gx.Study(results, alternatives="method")
    with pytest.warns(gx.errors.StudyWarning, match="guessed"):
        study = gx.Study(results, alternatives="method", fixed={"model": "a"})
    one = {"alternatives": "method", "fixed": {"model": "a"}}
    same(study, gx.Study(results, **one, target="accuracy", generalize_over="dataset"))
    with pytest.warns(gx.errors.StudyWarning, match="higher_is_better=False"):
        assert gx.Study(results, **one, higher_is_better=False).higher_is_better is False
    with pytest.warns(gx.errors.StudyWarning, match="'accuracy': 'lower'"):
        assert gx.Study(results, **one, target={"accuracy": "lower"}).targets == ["accuracy"]


def test_other_programs_results_are_sure():
    results = pd.DataFrame({"id": list("xxyy"), "who": list("abab"), "what": [1, 2, 2, 3.5]})
    roles = {"alternatives": "who", "target": "what", "generalize_over": "id", "higher_is_better": False}
    results.attrs = {"format": "lm-evaluation-harness", "roles": roles}
    assert guessed(results).sure
    with pytest.warns(gx.errors.StudyWarning, match="generalize_over=..id.., higher_is_better=False"):
        same(gx.Study(results), gx.Study(results, **roles))


@pytest.mark.parametrize("column", [[[1], [2], [3]], [("a", 1), ("b", 2), ("a", 2)], [None] * 3, ["a", 1, None]])
def test_columns_of_anything_are_no_crash(column):
    assert not guessed(pd.DataFrame({"model": list("abc"), "dataset": list("xyz"), "accuracy": column})).sure


# --- tables of a shape that was met in public -------------------------------------------------------------------------


def test_an_outcome_in_words_is_no_part_of_what_is_compared():
    """A verdict that came out tells repeated rows apart by chance; a setting that each method has, by design."""
    frame = grid(method=names(12, "m"), dataset=names(6), rep=list("xy"))
    of_rows = np.random.default_rng(3).choice(["too high", "in range", "too low"], len(frame))
    made = guessed(frame.drop(columns="rep").assign(verdict=of_rows))
    assert made.roles.alternatives == ("method",) and made.roles.average == ("row",) and not made.roles.design
    settings = frame["method"] + "-" + frame["rep"]  # the same share of each, wherever a method was run
    assert guessed(frame.drop(columns="rep").assign(setup=settings)).roles.alternatives == ("method", "setup")


def test_empty_cells_are_a_level_where_they_tell_all_rows_apart():
    frame = grid(method=names(6, "m"), dataset=names(4), filter=["25 percent", None])
    some = frame["method"].isin(["m0", "m1"])  # their verdict depends on the filter
    frame["verdict"] = np.where(some, frame["filter"].fillna("none") + frame["method"], frame["method"])
    made = guessed(frame)
    assert made.roles.alternatives == ("method",) and made.roles.average == ("filter",) and not made.sure
    assert "no level is one of its levels" in " ".join(made.doubts)


def test_two_columns_called_as_tasks_make_the_experiments_together():
    made = guessed(grid(algo=names(4, "a"), dataset=names(5), env=names(6, "e")))
    assert made.roles.over == ("dataset", "env") and not made.roles.design and not made.sure


def test_right_or_wrong_in_words_is_made_a_score_by_the_step_that_is_named():
    results = grid(system=["ant", "bee"], tale=names(6), rater_idx=range(3))
    results["passed"] = np.where(results.pop("accuracy") > 0.5, "Yes", "No")
    exec(guessed(results).problem.split("To make 'passed' the score: ")[1][:-1], {"results": results})
    assert guessed(results).roles.target == ("passed",)


def test_rows_of_all_categories_together_are_taken_and_f_measures_before_their_parts():
    parts = grid(system=["ant", "bee", "cat"], language=names(5), category=["all", "001", "100"])
    parts = parts[(parts["category"] != "001") | (parts["system"] != "bee")].drop(columns="accuracy")
    measured = parts.assign(**{name: RNG.random(len(parts)) for name in ("recall", "precision", "f_measure")})
    made = guessed(measured)
    assert made.roles.target == ("f_measure",) and made.roles.fixed == ("category=all",) and not made.sure


def test_ids_of_samples_are_items_and_what_came_first_is_a_doubtful_score():
    frame = grid(system=names(4, "s"), sample_id=[f"{i} (x)" for i in range(30)])
    frame["domain"] = frame["sample_id"].str[0]
    assert guessed(frame).roles.over == ("sample_id",)
    flags = frame.drop(columns="accuracy").assign(plain_first=frame["accuracy"] > 0.5, taskid=range(120))
    assert "Is 'plain_first' the score?" in " ".join(guessed(flags).doubts)


def test_names_of_columns_that_files_write_otherwise_are_one_name(tmp_path):
    for method, column in (("ant", "Score (x)"), ("bee", "score(x)"), ("cat", "score_(x)")):
        pd.DataFrame({"dataset": names(4), column: RNG.random(4)}).to_csv(tmp_path / f"{method}.csv", index=False)
    assert gx.read_results(tmp_path).columns.tolist() == ["file", "dataset", "Score (x)"]


def test_a_setting_that_each_seed_has_one_level_of_is_part_of_the_experiment():
    frame = grid(method=list("abc"), scenario=["x", "y"], n=[10, 20, 40], again=range(5))
    made = guessed(frame.assign(seed=frame["n"] + frame.pop("again")))
    assert made.roles.over == ("scenario", "n") and made.roles.average == ("seed",) and not made.sure


def test_measures_of_which_each_file_has_one_are_one_column_if_they_have_one_direction(tmp_path):
    """As learning curves on two suites: one reports rewards, the other one successes."""
    for algorithm, i in itertools.product(["sac", "ppo"], range(12)):
        (tmp_path / algorithm).mkdir(exist_ok=True)
        steps = range(0, 500 if i else 1100, 100)
        frame = pd.DataFrame({"step": steps, ["reward", "success"][i % 2]: RNG.random(len(steps)), "seed": 1})
        frame.to_csv(tmp_path / algorithm / f"task{i}.csv", index=False)
    made = guessed(gx.read_results(tmp_path))
    assert made.roles.target == ("reward or success",) and made.roles.higher_is_better == "higher" and not made.sure
    assert made.roles.fixed == ("step=400",) and "though some go on to 1000" in " ".join(made.doubts)
    (tmp_path / "each").mkdir()
    for name, measure in (("svm", "f1"), ("knn", "recall")):  # nobody has both
        frame = pd.DataFrame({"data": names(5), measure: RNG.random(5), "n": 3})
        frame.to_csv(tmp_path / "each" / f"{name}.csv", index=False)
    made = guessed(gx.read_results(tmp_path / "each"))
    assert not made.roles.target and made.problem.startswith("Each that is compared has one measure only")


def test_right_or_wrong_in_a_column_for_each_model_is_a_matrix():
    frame = pd.DataFrame({"question": names(40, "q"), "ant": RNG.random(40) < 0.8, "bee": RNG.random(40) < 0.5})
    made = guessed(frame.assign(ant_answer=names(40, "a"), bee_answer=names(40, "b")))
    assert made.roles.wide and made.roles.over == ("question",) and not made.problem and not made.sure
    assert [c.name for c in made.free() if c.kind == "truth value"] == ["ant", "bee"]
    (doubt,) = made.doubts
    assert doubt.startswith("No name says whether higher or lower is better; the mean is the share")
    frame = frame.rename(columns={c: f"{c} correct" for c in ("ant", "bee")}).assign(**{"cat correct": True})
    made = guessed(frame.assign(clean=True, n_correct=frame.iloc[:, 1:].sum(axis=1)))
    assert made.roles.over == ("question",) and {*made.roles.without} == {"clean", "n_correct"} and not made.sure


def test_a_cost_is_no_score_where_each_file_has_a_measure_of_its_own(tmp_path):
    for i, metric in enumerate(["acc", "f1", "rmse"]):
        frame = pd.DataFrame({"model": names(5, "m"), metric: RNG.random(5), "runtime": RNG.random(5)})
        frame.to_csv(tmp_path / f"d{i}.csv", index=False)
    made = guessed(gx.read_results(tmp_path))
    assert not made.roles.target and made.problem.startswith("'runtime' says nothing of quality, and measures")
    made = guessed(grid(**PLAIN).rename(columns={"accuracy": "runtime"}))  # of timings alone, with a word of warning
    assert made.roles.target == ("runtime",) and "says nothing of quality" in " ".join(made.doubts)
    assert made.roles.higher_is_better == "lower"
    answers = {f"S{i} answer": np.resize(["p", "n"], 9) for i in range(3)}
    made = guessed(pd.DataFrame({"question": names(9, "q"), **answers, "time": RNG.random(9)}))
    assert "write a number for each answer" in made.problem


def test_the_error_of_a_score_is_no_score():
    made = guessed(grid(**PLAIN).rename(columns={"accuracy": "x.value"}).assign(**{"x.valueError": RNG.random(24) / 9}))
    assert made.roles.target == ("x.value",)


def test_of_measures_that_are_each_of_one_task_it_is_said_of_which():
    frame = grid(model=list("abc"), task=["qa", "code"], item=range(9)).rename(columns={"accuracy": "f1"})
    frame["passed"] = frame["f1"].round().where(frame["task"] == "code")
    made = guessed(frame.assign(f1=frame["f1"].where(frame["task"] == "qa")))
    assert "Each measure is of one level of 'task': 'f1' in qa, 'passed' in code. Is 'f1' meant?" in made.doubts


def test_of_two_columns_called_by_one_measure_it_is_asked_which():
    frame = grid(**PLAIN).rename(columns={"accuracy": "PUBLIC_ERROR"})
    made = guessed(frame.assign(metric_error=RNG.random(len(frame))))
    assert not made.sure and made.rivals == ["metric_error"]
    frame = frame.rename(columns={"PUBLIC_ERROR": "acc"})
    assert guessed(frame.assign(acc_norm=RNG.random(len(frame)))).sure  # the plain one


def test_recall_beside_a_speed_is_asked_about_and_settings_are_named():
    frame = grid(algorithm=names(4, "a"), dataset=names(5), parameters=names(40, "p")).drop(columns="accuracy")
    frame["parameters"] = frame["algorithm"] + frame["parameters"]
    made = guessed(frame.assign(recall=RNG.random(len(frame)), qps=RNG.random(len(frame)) * 1000))
    assert made.rivals == ["qps"] and "Alone it says too little" in " ".join(made.doubts)


@pytest.mark.parametrize("turned", [False, True])
def test_rows_with_scales_of_their_own_are_experiments(turned):
    """Games differ in scale, agents little; with agents in the rows, the rows are compared."""
    large, small = RNG.lognormal(0, 3, 40), RNG.lognormal(0, 0.1, 8)
    scores = np.exp(np.log(large)[:, None] + np.log(small) + RNG.normal(0, 0.2, (40, 8)))
    scores = scores.T if turned else scores
    frame = pd.DataFrame(scores, columns=names(scores.shape[1], "c")).assign(name=names(len(scores), "r"))
    made = guessed(frame)
    assert made.roles.wide and made.roles.alternatives == ("name",) * turned
    assert made.roles.over == ("name",) * (not turned)
    assert "Are the columns compared" in " ".join(made.doubts)


def test_of_a_matrix_it_is_said_what_is_missing():
    frame = pd.DataFrame(RNG.random((30, 24)), columns=names(24, "set"))
    frame = frame.mask(RNG.random(frame.shape) < 0.4).assign(model=names(30, "m"))
    said = " ".join(guessed(frame).remarks)
    assert f"{frame.drop(columns='model').isna().to_numpy().mean():.0%} of the scores are missing." in said
    assert not guessed(frame.fillna(0.5)).remarks


def test_all_codes_of_a_matrix_are_proposed_at_once():
    frame = pd.DataFrame(RNG.random((12, 4)), columns=list("ABCD")).astype(str).assign(model=names(12, "m"))
    frame.loc[0, list("ABCD")] = ["n=30", "n=200", "n=7", "n=30"]
    assert "missing_codes=['n=30', 'n=200', 'n=7']" in guessed(frame).problem


def test_prompts_beside_models_do_not_hide_a_matrix():
    frame = pd.DataFrame(RNG.random((9, 3)), columns=["MMLU", "GPQA", "MATH"]).assign(Model=names(9, "m"))
    made = guessed(frame.assign(Prompt=["assistant", "none", None] * 3))
    assert made.roles.wide and made.roles.alternatives == ("Model",)


def test_what_columns_are_made_of_is_that_of_plain_loops():
    """The largest, the smallest and the mean of the others, with cells missing; infinite ones are as missing."""
    frame = pd.DataFrame(RNG.random((40, 6)).round(3), columns=names(6, "c")).mask(RNG.random((40, 6)) < 0.1)
    frame.loc[3, "c2"] = np.inf
    rows = [[v for v in row if np.isfinite(v)] for row in frame.to_numpy()]
    for what, of in (("largest", max), ("smallest", min), ("mean", np.mean)):
        whole = frame.assign(extra=[of(row) for row in rows])
        assert _made_of_others(whole) == {"extra": f"the {what} of the others in each row"}
    assert _made_of_others(frame) == {}


def test_votes_against_one_baseline_are_votes():
    """As AlpacaEval writes them: the baseline is always the first, and 1 or 2 says whose output was preferred."""
    frame = pd.DataFrame({"instruction": names(30, "Say "), "generator_1": "gpt4", "generator_2": names(3, "m") * 10})
    frame = frame.assign(output_1=names(30, "a"), output_2=names(30, "b"), preference=RNG.choice([1.0, 2.0], 30))
    assert "preferences(results, 'generator_1', 'generator_2', 'preference')" in guessed(frame).problem


def test_rows_are_compared_where_each_has_its_mean_or_columns_differ_more():
    scores = pd.DataFrame(RNG.random((6, 4)) / 10 + [0.1, 0.3, 0.6, 0.9], columns=list("wxyz")).round(3)
    assert guessed(scores.assign(index=names(6, "row"))).roles.alternatives == ("index",)
    turned = scores.T.set_axis(names(6, "col"), axis=1).assign(index=names(4, "row"))
    assert guessed(turned).roles.over == ("index",)
    assert guessed(turned.assign(avg=turned.mean(axis=1, numeric_only=True))).roles.alternatives == ("index",)


def test_rates_of_several_things_are_measures_and_no_experiments():
    rates = pd.DataFrame(RNG.random((5, 3)), columns=["Dropout rate", "Answer rate", "Refusal rate"])
    assert guessed(rates.assign(model=names(5, "m"))).problem.startswith("No column names the experiments")


def test_the_name_of_a_file_says_which_direction_comes_first():
    frame = pd.DataFrame(RNG.random((8, 3)), columns=list("abc")).assign(dataset=names(8))
    made = guess_roles(frame, TableRoles(results="results/test_mse.csv"))
    assert not made.sure and made.leaning == "lower" and "the name of the file has 'mse'" in made.doubts[-1]


def test_scores_of_a_row_that_are_mostly_zero_are_no_wins():
    frame = grid(method=list("abcd"), dataset=names(6)).assign(loss=1.0)
    frame = pd.concat([frame.assign(**{f"m{i}": RNG.random(24) for i in range(6)})] * 2, ignore_index=True)
    frame.loc[45:, [c for c in frame if c not in ("method", "dataset")]] = 0
    assert summary_rows(frame) == {}


def test_what_judges_of_pairs_chose_is_no_score():
    """Pairs in one cell, and the number of the better one by each of several annotators: nothing can be compared."""
    frame = grid(pair=["a_b", "a_c", "b_c"], instruction=names(20, "say ")).drop(columns="accuracy")
    chosen = RNG.integers(0, 3, (len(frame), 3))
    made = guessed(frame.assign(**{f"annotator{i + 1}": column for i, column in enumerate(chosen.T)}))
    assert made.problem.startswith("No column holds scores.") and not made.roles.wide
    rated = pd.DataFrame(RNG.integers(1, 6, (20, 3)), columns=["rel1", "rel2", "rel3"]).assign(query=names(20))
    assert "or neither, as with raters?" in " ".join(guessed(rated).doubts)


def test_words_of_later_tables():
    """What further published tables are called: weighted means, F-beta, rates, tokens per second, sequences 00, 01."""
    wide = pd.DataFrame(RNG.random((6, 4)).round(3), columns=["d1", "d2", "d3", "wAvg. (inc)"])
    wide = wide.assign(model=names(6, "m"))
    assert guessed(wide).roles.without == ("wAvg. (inc)",)
    wide = wide.rename(columns={"wAvg. (inc)": "ALL(TE)", "d3": "all-MiniLM"})
    assert guessed(wide).roles.without == ("ALL(TE)",) and not guessed(wide).sure
    frame = grid(**PLAIN).rename(columns={"accuracy": "test FBeta"})
    made = guessed(frame.assign(**{"test loss": RNG.random(len(frame))}))
    assert made.roles.target == ("test FBeta",) and made.roles.higher_is_better == "higher"
    made = guessed(grid(**PLAIN).rename(columns={"accuracy": "geom_mean_ratios"}))
    assert made.roles.target == ("geom_mean_ratios",) and not made.roles.higher_is_better and not made.sure
    assert direction_of("tokens_per_second") == ("higher", "per second") and direction_of("seconds")[0] == "lower"
    assert guessed(grid(**PLAIN).assign(n_estimators=100)).roles.alternatives == ("model",)
    sequences = pd.DataFrame(RNG.random((4, 5)), columns=[f"{i:02}" for i in range(5)]).assign(method=names(4, "m"))
    assert guessed(sequences).roles.wide and guessed(sequences).roles.alternatives == ("method",)


def test_a_time_is_no_repetition_and_a_cost_no_score_though_it_is_known_everywhere():
    frame = grid(model=list("abc"), task=names(12), mode=["on", "off"])
    frame["run_ts"] = frame["mode"].map({"on": "12:00", "off": "12:05"})
    frame["latency"] = RNG.random(len(frame))
    frame.loc[frame["task"].isin(names(4)), "accuracy"] = np.nan
    made = guessed(frame)
    assert made.roles.target == ("accuracy",)
    assert made.roles.design == ("mode",) and not made.roles.average and not made.sure


def test_grades_on_the_scale_of_the_score_may_be_the_score_and_are_no_repetitions():
    grades = {name: RNG.permutation(np.arange(96) % 5 + 1) for name in ("grades.fluency", "grades.style")}
    frame = grid(model=names(4, "m"), dialogue=names(8, "d"), again=range(3)).drop(columns=["again", "accuracy"])
    made = guessed(frame.assign(**grades))
    assert made.roles.target == ("grades.fluency",) and made.roles.average == ("row",)
    assert "'grades.style' could be, too" in " ".join(made.doubts)


def test_items_that_all_have_are_the_experiments_and_few_tones_or_free_text_are_not():
    frame = grid(model=list("abc"), tone=list("xyz"), id=names(30, "q"))
    frame = frame.rename(columns={"tone": "prompt_category"}).assign(reason=names(len(frame), "because "))
    assert guessed(frame).roles.over == ("id",) and guessed(frame).roles.average == ("prompt_category",)
    made = guessed(frame.rename(columns={"prompt_category": "language"}))
    assert made.roles.over == ("id",) and made.roles.design == ("language",)
    heard = grid(session_uuid=names(12, "u"), sound=list("pqrs"), trial=["training", "song"])
    made = guessed(heard.assign(feedback="I " + heard["session_uuid"]).rename(columns={"accuracy": "rating"}))
    assert made.roles.over == ("session_uuid",) and made.roles.alternatives == ("sound",)
    assert "trial=training" in made.roles.without and "'training' seem to be practice" in " ".join(made.doubts)
    asked = grid(model=list("abc"), trial_idx=range(30)).assign(truth=list("pqrst") * 18)
    assert guessed(asked).roles.over == ("trial_idx",) and not guessed(asked.drop(columns="truth")).roles.over
    for at in ("2024-05-{:02}T12:00", "{:02}.05.2024", "Fri Mar {:2} 15:18:12 2024"):
        roles = guessed(grid(model=list("abc"), mode=["x", "y"], at=map(at.format, range(1, 9)))).roles
        assert (roles.over, roles.average) == (("mode",), ("row",))


def test_measures_beside_each_other_are_scores_to_choose_from_and_counts_of_agents_are_none():
    marks = pd.DataFrame(RNG.integers(1, 10, (120, 3)), columns=["fluency", "pragmatic", "calque"])
    made = guessed(grid(system=names(4), doc=names(30)).drop(columns="accuracy").join(marks))
    assert (made.roles.alternatives, made.roles.over) == (("system",), ("doc",)) and not made.roles.wide
    assert [*made.roles.target, *made.rivals] == list(marks)
    frame = grid(strategy=list("abc"), hazard=list("xyz"), size=[2, 4, 8], seed=range(20)).drop(columns="accuracy")
    frame["agents_lost"], frame["survivors"] = RNG.binomial(12, 0.2, 540), RNG.binomial(10, 0.3, 540)
    made = guessed(frame.assign(steps_run=RNG.binomial(30, 0.5, 540)))
    assert made.roles.alternatives == ("strategy",) and made.roles.average == ("seed",)
    assert {*made.roles.over, *made.roles.design} == {"hazard", "size"} and "survivors" in made.rivals


def test_of_learning_curves_the_last_step_is_taken_and_runs_of_one_task_are_no_experiments():
    frame = grid(algo=list("abc"), env=names(5, "e"), step=range(0, 300, 10))
    made = guessed(frame)
    assert made.roles.over == ("env",) and made.roles.fixed == ("step=290",) and not made.sure
    assert guessed(frame.query("algo != 'a' or step <= 200")).roles.fixed == ("step=200",)
    assert "Runs on one task, repeated as 'step'" in guessed(frame.query("env == 'e0'").drop(columns="env")).problem


def test_a_setting_is_no_score_and_a_column_of_metrics_is_held_at_one():
    frame = grid(algorithm=list("abc"), dataset=names(4), support=[0.02, 0.05, 0.1])
    made = guessed(frame.rename(columns={"accuracy": "seconds"}))
    assert made.roles.target == ("seconds",) and made.roles.design == ("support",)
    frame = grid(Methods=list("abc"), **{"Dataset Metric": ["MSE", "MAE"]}).drop(columns="accuracy")
    made = guessed(frame.assign(**{f"Traffic {h}": RNG.random(6) for h in (96, 192, 336)}))
    assert made.roles.wide and made.roles.alternatives == ("Methods",) and made.roles.higher_is_better == "lower"
    assert made.roles.fixed == ("Dataset Metric=MSE",) and not made.roles.over


def test_counts_of_items_are_no_items_and_settings_that_not_all_have_are_no_experiments():
    frame = grid(Model=list("abc"), Dataset=names(4), Variant_ID=names(13, "v"))
    frame["Items"] = [100 * int(d[1]) + int(v[1:]) for d, v in zip(frame["Dataset"], frame["Variant_ID"], strict=True)]
    assert guessed(frame).roles.over == ("Dataset",)
    frame = grid(model=list("abc"), dataset=list("xyz"), aggr=["add", "max"])
    made = guessed(frame[(frame["model"] != "a") | (frame["aggr"] == "add")])
    assert made.roles.over == ("dataset",) and made.roles.design == ("aggr",)


def test_subtotals_and_differences_of_rows_are_left_out():
    wide = pd.DataFrame({"model": list("abcd"), **{f"tsg_{c}": RNG.random(4).round(3) for c in "xy"}})
    wide = wide.assign(tsg=(wide["tsg_x"] + wide["tsg_y"]) / 2, tad=RNG.random(4), mtr=RNG.random(4))
    assert list(guessed(wide).roles.without) == ["tsg"]
    rows = pd.DataFrame({"m": ["a", "b", "Delta"], **{c: [0.8, 0.7 - i / 90, 0.0] for i, c in enumerate("uvwx")}})
    rows.iloc[2, 1:] = rows.iloc[0, 1:] - rows.iloc[1, 1:]
    assert summary_rows(rows) == {2: "difference"} and not summary_rows(rows.assign(m=["a", "b", "c"]))


def test_a_matrix_of_wins_is_votes_and_who_is_there_for_reference_is_named():
    wins = np.array([[0, 7, 9], [3, 0, 6], [1, 4, 0]])
    found = votes_of(pd.DataFrame(wins, columns=list("abc")).assign(team=list("abc")))
    counted = found.rows.groupby(["team", "other"]).size().unstack(fill_value=0)
    assert (counted.to_numpy() == wins).all() and (found.rows["won"] == 1).all()
    assert votes_of(pd.DataFrame(wins + np.eye(3), columns=list("abc")).assign(team=list("abc"))) is None
    assert not votes_of(pd.DataFrame({"a_1": [*"xyzx"], "a_2": [*"yzxz"], "Wins": [5, 9, 4, 2]})).told()
    made = guessed(grid(method=[*"abcd", "Human Expert (High)", "Random Forest", "Random choice"], dataset=names(8)))
    assert made.references == ["method=Human Expert (High)", "method=Random choice"]
    assert "reference only: if so, pass --without 'method=Human Expert (High)' --without" in made.doubts[-1]
    made = guessed(grid(method=["random", *"abcde"], dataset=names(8)))
    assert not made.doubts and "random may be there for reference only" in made.remarks[-1]


def test_measures_of_one_experiment_are_no_matrix_and_who_is_best_by_each_is_said():
    frame = pd.DataFrame({"Team": [*"aabcde"], "Model Name": [*"uvwxyz"], "Score": RNG.random(6).round(3)})
    frame = frame.assign(DSC=range(6), HD95=range(6, 0, -1), TRE=[2.5, 1, 3, 4, 5, 6], RTRE=RNG.random(6).round(3))
    made = guessed(frame)
    assert not made.roles.wide and "best of 'Model Name' is 'z' by 'DSC' (5), 'HD95' (1); 'v' by" in made.problem
    frame = pd.DataFrame({"name": names(9), "fast": RNG.random(9), "back": RNG.random(9), "Ratio": RNG.random(9) * 20})
    frame.attrs["notes"] = [Note("columns 'fast', 'back': the unit MB/s was left out", unit=("MB/s", ["fast", "back"]))]
    assert "by 'back'" in guessed(frame).problem


def test_samples_programs_and_items_are_the_experiments_and_a_truth_value_that_all_have_is_the_score():
    frame = grid(tool=list("abc"), rank=list("pqr"), metric=["Depth", "F1"], sample=[*names(9, "s_"), "s_average"])
    made = guessed(frame.rename(columns={"accuracy": "value"}))
    assert made.roles.over == ("sample",) and made.roles.fixed == ("metric=F1",)
    assert made.roles.without == ("sample=s_average",) and made.roles.design == ("rank",)
    frame = grid(judge_id=list("abc"), item_id=names(40, "i"), **{"accuracy": [0]}).rename(columns={"accuracy": "x"})
    frame = frame.assign(question=frame["item_id"].str.replace("i39", "i38"), file=frame["judge_id"], correct=True)
    assert guessed(frame.drop(columns="x").assign(correct=RNG.random(len(frame)) < 0.5)).roles.over == ("item_id",)
    frame = grid(method=list("abc"), dataset=names(30)).rename(columns={"accuracy": "queries"})
    frame["broken_in"] = RNG.random(len(frame)) < 0.5
    assert guessed(frame).roles.target == ("queries",)
    frame.loc[frame["method"] == "a", "queries"] = np.nan
    assert guessed(frame).roles.target == ("broken_in",)


def test_experiments_of_suites_and_a_mean_of_some_columns_only_are_doubts():
    suites = [f"{suite}/{i}" for suite in ("MMLU", "BBH") for i in range(12)]
    assert "begin with 'MMLU', 'BBH'" in " ".join(guessed(grid(model=list("abc"), task=suites)).doubts)
    wide = pd.DataFrame(RNG.random((9, 4)).round(2), columns=list("wxyz")).assign(model=names(9))
    wide["Overall"] = (wide["w"] + wide["x"]) / 2
    assert "'Overall' is the mean of 'w', 'x' only" in " ".join(guessed(wide).doubts)


def test_columns_that_say_more_of_others_have_no_role_and_measures_beside_data_sets_are_left_out():
    cells = {f"{m}_ari": RNG.random(9) for m in "abc"} | {f"{m}_algorithm": list("xyzxyzxyz") for m in "abc"}
    made = guessed(pd.DataFrame(cells).assign(dataset=names(9)))
    assert made.sure and made.roles.wide and made.roles.over == ("dataset",)
    wide = pd.DataFrame(RNG.random((6, 6)), columns=["Iris", "Wine", "Adult", "Letter", "Accuracy ↑", "Forgetting ↓"])
    made = guessed(wide.assign(Method=names(6, "m")))
    assert set(made.roles.without) == {"Accuracy ↑", "Forgetting ↓"} and "Left out for their" in " ".join(made.doubts)
    costs = {f"Cost {name}": RNG.random(6) + 5 for name in ("Iris", "Wine", "Adult", "Letter")}
    assert set(guessed(wide.iloc[:, :4].assign(model=names(6, "m"), **costs)).roles.without) == {*costs}
    tuned = grid(algo=["DQN", "PPO", "A2C"], run_idx=range(4)).drop(columns="accuracy")
    tuned = tuned.assign(learning_rate=RNG.random(12), gamma=RNG.random(12), mean_reward=RNG.random(12) * 100)
    assert "say nothing of others" in guessed(tuned.assign(model_path="models/" + tuned["algo"] + ".zip")).problem
    assert guessed(grid(model=["cox", "rsf"], dataset=names(9)).rename(columns={"accuracy": "c_index"})).sure


def test_a_question_that_is_answered_right_or_wrong_is_an_item_and_its_unit_is_none_of_the_score():
    rows = grid(method=names(4, "m"), id=names(10, "q")).drop(columns="accuracy")
    rows = rows.assign(answer=["12.5 dB", "3"] * 20, correct=RNG.random(40) > 0.4, trap_hit=RNG.random(40) > 0.7)
    units = rows["id"].map(lambda q: "dB" if q > "q4" else "Mbps")
    made = guessed(rows.assign(gold_unit=units, parsed_value=RNG.random(40)))
    assert (made.roles.over, made.roles.target) == (("id",), ("correct",)) and not made.roles.fixed
    seen = grid(model=names(3, "m"), left=list("rgb"), right=list("rgb"))
    judged = {f"judgment.{c}": RNG.random(18) > 0.5 for c in ("correct", "bias")}
    seen = seen[seen["left"] != seen["right"]].drop(columns="accuracy").assign(**judged)
    assert votes_of(seen) is None and guessed(seen).roles.target == ("judgment.correct",)
    assert "'judgment.bias'" in " ".join(guessed(seen).doubts)


def test_differences_parts_of_the_training_and_row_numbers_are_no_scores_and_a_variance_may_be_a_method():
    wide = pd.DataFrame(RNG.random((9, 4)), columns=["TPOT", "TPOT (train)", "H2O", "Variance"]).assign(set=names(9))
    wide = wide.assign(**{"TPOT - H2O": wide["TPOT"] - wide["H2O"], "No.": range(1, 10), "MLP": RNG.random(9)})
    made = guessed(wide)
    aside = {name: why for role, name, why in made.reasons if role == "without"}
    assert {*aside} == {"TPOT (train)", "TPOT - H2O", "No.", "Variance"} and aside["Variance"].endswith("?")
    assert "Left out for their names, but with numbers like the others: 'Variance'" in " ".join(made.doubts)


def test_columns_that_order_rows_oppositely_are_a_doubt():
    wide = pd.DataFrame(RNG.random((12, 3)), columns=["overlap", "surface", "points"]).assign(model=names(12, "m"))
    assert "oppositely" not in " ".join(guessed(wide).doubts)
    assert "'overlap' and 'surface' order" in " ".join(guessed(wide.assign(surface=1 - wide["overlap"] ** 2)).doubts)


def test_no_column_says_of_itself_who_won():
    rows = pd.DataFrame({"feature": list("abcd") * 4, "label": list("bcda") * 4, "accuracy": RNG.random(16)})
    assert votes_of(rows.assign(dataset=names(16))) is None
    marks = pd.DataFrame({f"annotation_{i}": [*"aabbabab"] for i in (1, 2)}).assign(final_label=[*"aabbabab"])
    assert votes_of(marks) is None  # two who mark the same


def test_a_model_is_compared_before_what_trains_it_and_no_path_sums_up():
    frame = pd.MultiIndex.from_product([*PLAIN.values(), ["adam", "sgd"]], names=[*PLAIN, "train_optimizer"])
    frame = frame.to_frame(index=False).assign(folder=lambda rows: "runs/" + rows["model"] + "-margin_ranking")
    made = guessed(frame.assign(accuracy=RNG.random(len(frame))))
    assert made.roles.alternatives[:1] == ("model",) and not made.roles.fixed


def test_in_memory_is_no_measure():
    frame = pd.DataFrame(
        RNG.random((9, 6)), columns=[f"noise.{i}_{how}" for i in "123" for how in ("in-memory", "on-disk")]
    )
    assert not guessed(frame.assign(model=names(9, "m"), top1=RNG.random(9))).families


def test_a_mean_of_columns_that_stand_together_is_no_score_and_what_is_called_a_count_may_be():
    frame = pd.DataFrame(RNG.random((6, 6)), columns=["exist", "Count", "posi", "code", "Num", "ocr"])
    frame = frame.assign(VisMean=frame.iloc[:, :3].mean(axis=1), FedAvg=RNG.random(6), name=names(6, "m"))
    assert guessed(frame).roles.without == ("VisMean",)
    assert "Count" in guessed(frame.assign(Count=range(6))).roles.without


def test_how_many_runs_there_were_tells_no_runs_apart():
    frame = pd.MultiIndex.from_product([*PLAIN.values(), [30, 120]], names=[*PLAIN, "budget"]).to_frame(index=False)
    made = guessed(frame.assign(runs=RNG.integers(1, 11, len(frame)), accuracy=RNG.random(len(frame))))
    assert not made.roles.average and made.roles.design == ("budget",)


def of_files(files, **columns):
    frame = pd.MultiIndex.from_product([files, names(5, "m")], names=["file", "model"]).to_frame(index=False)
    return frame.assign(**{name: RNG.random(len(frame)) for name in names(4, "t")}, **columns)


def test_files_that_are_measures_are_taken_one_at_a_time():
    frame = of_files(["branch_coverage", "passing_rate", "syntax", "mutation_score"])
    made = guessed(frame)
    assert made.roles.alternatives == ("model",) and made.roles.fixed == ("file=branch_coverage",)
    pooled = guess_roles(frame, TableRoles(wide=True, alternatives=["model"], average=["file"]))
    assert pooled.doubts[0].startswith("'file' seems to name measures")


def test_files_with_the_same_rows_are_settings_and_no_part_of_what_is_compared():
    made = guessed(of_files(["small", "large"]))
    assert made.roles.alternatives == ("model",) and made.roles.design == ("file",)


def test_of_rows_that_are_statistics_the_estimate_is_taken_and_measures_are_no_experiments():
    parts = itertools.product(["cindex", "brier"], ["Mean", "lower_q", "upper_q"])
    frame = pd.DataFrame(parts, columns=["file", "Metric"]).assign(a=[0.8, 0.7, 0.9, 0.2, 0.1, 0.3], b=0.5, c=0.6)
    made = guessed(frame.assign(b=frame["a"] / 2, c=frame["a"] / 3))
    assert {*made.roles.fixed} == {"Metric=Mean", "file=cindex"} and made.roles.higher_is_better == "higher"
    assert "the best is 'a' by 'cindex' (0.8), 'c' by 'brier'" in " ".join(made.doubts)
    assert not guessed(grid(aggregation=["mean", "max", "min"], dataset=names(8))).roles.fixed


def test_a_folder_of_few_is_left_out_with_a_doubt():
    frame = grid(model=names(9, "m"), dataset=names(6)).assign(folder="main")
    made = guessed(pd.concat([frame, frame[:6].assign(folder="errors", accuracy=0.1)]))
    assert made.roles.without == ("folder=errors",) and "only m0 have rows of folder=errors" in " ".join(made.doubts)


def test_a_count_that_came_out_is_no_part_of_what_is_compared():
    frame = grid(model=names(8, "m"), dataset=names(6), category=list("abcd"))
    made = guessed(frame.assign(tokens_used=RNG.permutation(90)[RNG.integers(0, 90, len(frame))]))
    assert made.roles.alternatives == ("model",) and "tokens_used" not in made.key()


def test_hits_of_a_search_are_a_share_of_those_that_are_relevant():
    """A column that is true or false is the score where no number is left, and places of hits are averaged over."""
    frame = grid(file=["bm25", "random", "vectors"], query=range(20), result_position=range(5))
    hits = [f"hit {n}" for n in RNG.integers(0, 60, len(frame))]
    frame = frame.drop(columns="accuracy").assign(result=hits, relevant=RNG.random(len(frame)) < 0.4)
    made = guessed(frame)
    assert made.roles.target == ("relevant",) and made.roles.average == ("result_position",) and not made.problem
    assert made.roles.alternatives == ("file",) and made.leaning == "higher" and not made.roles.design
    assert "preferences" not in " ".join(made.doubts)  # sixty names say not who won


def test_text_files_of_a_table_each_are_read_by_their_content(tmp_path):
    """Neither a long list of numbers nor a time is the score where an objective stands beside it."""
    for i, name in enumerate(["w1", "w10", "w100"]):
        rows = [
            f"  {j} | lns | {40 + 7 * i + j * j} | {i}.5 | {j / 7:.2f} | N.A. | {'3 1 4 1 5 9 2 6 5 3 ' * 3}"
            for j in range(9)
        ]
        rows = [row.replace("N.A.", "9.5") for row in rows] if i else rows
        header = "Instance | Method | Value | RAM | Best (s) | Proved (s) | Solution"
        (tmp_path / f"{name}.txt").write_text("\n".join([header, *rows]))
    (tmp_path / "notes.txt").write_text("Run on one machine, with 4 cores.\nThen again, with 8.\nAnd again, with 2.\n")
    frame = gx.read_results(tmp_path)
    made = guessed(frame)
    assert "notes.txt" in frame.attrs["read_as"] and {*frame["Method"]} == {"lns"}
    assert made.roles.target == ("Value",) and made.roles.over == ("Instance",) and not made.problem


def test_measures_each_in_its_own_unit_are_no_experiments_and_noise_is_no_score():
    frame = pd.DataFrame({"Library": [*"abc"] * 8, "section": np.repeat(names(8), 3)})
    for name in ("Throughput (MB/s)", "RSE (%)", "File Size (Bytes)", "Latency / Run (ns)", "Cycles/Byte"):
        frame[name] = RNG.random(24)
    made = guessed(frame.assign(Standing=["1(Win)", "2(Loss)", "3(Loss)"] * 8))
    assert made.roles.target == ("Throughput (MB/s)",) and made.roles.over == ("section",)
    assert made.roles.higher_is_better == "higher" and made.rivals == ["Latency / Run (ns)", "Cycles/Byte"]
    assert not made.problem and direction_of("time/s")[0] == "lower"


def test_a_loss_rather_than_a_learning_rate_tells_rows_apart():
    rows = itertools.product(names(5), [*"abc"], ["hinge", "softmax"])
    frame = pd.DataFrame(rows, columns=["dataset", "method", "loss"])
    tuned = {"learning_rate": RNG.random(30).round(2), "batch_size": RNG.integers(1, 9, 30), "auc": RNG.random(30)}
    frame = frame.assign(**tuned, sample_alpha=RNG.choice([0.2, 0.5], 30))
    made = guessed(frame[~(frame["method"].eq("c") & frame["loss"].eq("softmax"))].reset_index(drop=True))
    assert made.roles.design == ("loss",) and not made.roles.average


def test_most_cells_of_tools_are_empty_and_the_others_codes():
    solved = {f"tool {i}": RNG.choice([3, None, None, None], 60) for i in range(6)}
    frame = pd.DataFrame({"BugName": names(60), **solved, "line_no": RNG.integers(1, 90, 60), "chunk": range(60)})
    made = guessed(frame)
    assert made.roles.over == ("BugName",) and made.roles.without == ("line_no", "chunk")
    assert "--missing worst-rank" in made.doubts[0]
