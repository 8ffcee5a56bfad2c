"""Tables as people have them: matrices, several metrics, frames of other libraries, failed seeds."""

import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from genexpy_nb.common.errors import ParameterError, StudyError, StudyWarning
from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, MallowsKernel, RBFKernel
from genexpy_nb.study.checks import RESERVED
from genexpy_nb.study.planning import plan
from genexpy_nb.study.study import Study
from tests.said_of_studies import ROLES_OF_ENCODERS as ROLES
from tests.said_of_studies import scores_of_encoders

KERNELS = [BordaKernel("OHE"), JaccardKernel(), MallowsKernel(), RBFKernel()]
NAMES = ["BE", "OHE", "TE", "WOE"]


def long_table(rng=0, seeds=(0,), missing=0.05):
    return scores_of_encoders(10, seeds, NAMES, missing, rng)


def equal(study, other):
    """Assert that two studies give the same bits in everything that is computed."""
    assert study.configurations == other.configurations and study.alternatives == other.alternatives
    for configuration in study.configurations:
        pd.testing.assert_frame_equal(study.scores(configuration), other.scores(configuration), check_exact=True)
        pd.testing.assert_frame_equal(study.rankings(configuration), other.rankings(configuration))
        assert study.best(configuration) == other.best(configuration)
    pd.testing.assert_frame_equal(study.nstar(KERNELS), other.nstar(KERNELS), check_exact=True)
    pd.testing.assert_frame_equal(study.accounting, other.accounting)
    pd.testing.assert_frame_equal(study.averaged, other.averaged)


# --- matrices ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["worst-rank", "complete"])
def test_a_matrix_says_the_same_bits_as_its_long_form(missing):
    frame = long_table(1).drop(columns="seed")
    long = Study(frame, **ROLES, missing=missing)
    wide = frame.pivot(index=["model", "dataset"], columns="encoder", values="score")
    shuffled = wide.sample(frac=1, random_state=1)[np.random.default_rng(1).permutation(NAMES)]
    for matrix, roles in [
        (wide.swaplevel(), {"design": "model", "generalize_over": "dataset"}),
        (shuffled, {"design": ["model"]}),
        (wide.reset_index("model"), {"design": ["model"]}),
        (wide.assign(note="x"), {"design": ["model"], "alternatives": NAMES}),
        (wide.assign(note="x").reset_index(), {"design": "model", "generalize_over": "dataset", "alternatives": NAMES}),
    ]:
        study = Study.from_wide(matrix, **roles, missing=missing)
        equal(study, long)
        assert study.alternatives_column == "encoder"


@pytest.mark.filterwarnings("ignore::genexpy_nb.common.errors.StudyWarning")
def test_a_matrix_with_seeds_is_averaged_as_its_long_form_however_that_is_stored():
    frame = long_table(4, seeds=(0, 1, 2), missing=0.2)
    wide = frame.pivot(index=["model", "dataset", "seed"], columns="encoder", values="score")
    shuffled = wide[NAMES[::-1]].sample(frac=1, random_state=0)
    stored = frame.astype({"encoder": "string", "model": "object", "dataset": "string"})
    for missing in ("worst-rank", "drop", "complete"):
        study = Study.from_wide(shuffled, design="model", average_over="seed", missing=missing)
        assert len(study.averaged)
        equal(study, Study(stored, **ROLES, average_over="seed", missing=missing))


def test_directions_and_fixed_levels_of_a_matrix():
    frame = long_table(1).drop(columns="seed")
    wide = frame.pivot(index=["model", "dataset"], columns="encoder", values="score")
    fixed = Study.from_wide(wide, fixed={"model": "LR"}, higher_is_better=False)
    expected = {**ROLES, "design": [], "fixed": {"model": "LR"}, "higher_is_better": False}
    equal(fixed, Study(frame, **expected))


def test_what_was_read_and_what_was_set_aside_is_said():
    matrix = pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 1.0], "n": [10, 20], "task": ["x", "y"]})
    assert Study.from_wide(matrix, generalize_over="task", alternatives=["a", "b"]).notes == [
        "Read 2 columns as alternatives: a, b.",
        "Set aside the columns n: they have no role.",
    ]
    study = Study.from_wide(matrix.set_index("task"))
    assert study.alternatives == ["a", "b", "n"] and study.generalize_over == ["task"]
    assert Study.from_wide(matrix[["a", "b"]]).scores().index.name == "experiment"
    both = matrix.set_index(["task", "n"])
    assert Study.from_wide(both).generalize_over == ["task", "n"]
    note = "Set aside the levels n of the index: they have no role."
    assert Study.from_wide(both, generalize_over="task").notes[-1] == note


def test_a_column_that_is_called_like_repetitions_is_doubted():
    matrix = pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 1.0], "seed": [1, 2]})
    words = "column 'seed' counts as an alternative, and sounds like repetitions"
    with pytest.warns(StudyWarning, match=words) as said:
        Study.from_wide(matrix)
    assert said[0].filename == __file__


@pytest.mark.parametrize("columns", [[1, 2], pd.CategoricalIndex(["b", "a"]), pd.Index([1, "x"], dtype=object)])
def test_alternatives_may_have_any_names(columns):
    matrix = pd.DataFrame([[0.1, 0.2], [0.4, 0.3]], columns=columns)
    study = Study.from_wide(matrix)
    assert set(study.alternatives) == set(columns)
    for name in columns:
        assert study.scores()[name].tolist() == matrix[name].tolist()


MATRIX = pd.DataFrame({"OHE": [0.1, 0.2], "TE": [0.3, 0.1]}, index=pd.Index(["iris", "wine"], name="dataset"))
TWO = pd.MultiIndex.from_tuples([("iris", 1), ("wine", 1)])
SAME_TWICE = pd.MultiIndex.from_product([["iris"], MATRIX.index], names=["dataset", "dataset"])

WRONG = [
    (MATRIX[["OHE"]].assign(task="x"), {}, "column 'task' holds no scores, but values such as 'x'; give a column of"),
    (MATRIX[["OHE"]].assign(task="x", day=pd.Timestamp("2026-01-01")), {}, "columns 'task', 'day' hold no scores,"),
    (MATRIX.astype(object).assign(TE=[0.1, "failed"]), {}, "target 'TE' must be numbers; row 1 holds 'failed'"),
    (MATRIX, {"alternatives": ["OHE", "TEE"]}, "alternatives: there is no column 'TEE'; did you mean 'TE'?"),
    (MATRIX, {"alternatives": ["OHE", ["TE"]]}, "alternatives: there is no column ['TE']"),
    (MATRIX, {"alternatives": "OHE"}, "alternatives must be a list of columns with scores, got 'OHE'"),
    (MATRIX, {"alternatives": ["OHE", "OHE"]}, "alternatives names 'OHE' twice"),
    (MATRIX, {"alternatives": ["OHE"]}, "column 'alternative' has a single alternative, 'OHE'"),
    (MATRIX, {"alternatives": ["OHE", "TE"], "design": "TE"}, "column 'TE' is used both as an alternative and as a"),
    (MATRIX, {"generalize_over": "data"}, "generalize_over: there is no column 'data'; did you mean 'dataset'?"),
    (MATRIX, {"design": "dataset"}, "generalize_over must name at least one column: its levels are the experiments"),
    (MATRIX.set_axis(TWO), {}, "level 0 of the index has no name; name the levels first: frame.rename_axis(index=['fa"),
    (MATRIX.rename_axis(index="TE"), {}, "'TE' names a level of the index and something else, too"),
    (MATRIX.set_axis(SAME_TWICE), {}, "'dataset' names a level of the index and something else, too"),
    (MATRIX.rename_axis(columns="dataset"), {}, "the columns of the matrix and a factor both have the name 'dataset'"),
    (MATRIX.set_axis(["a", "a"], axis=1), {}, "the matrix has two columns named 'a'"),
    (MATRIX * np.nan, {}, "no column of an alternative has a score: every value is missing"),
    (MATRIX.set_axis(["iris", "iris"]).rename_axis("dataset"), {}, "2 rows for the same evaluation: dataset=iris; if"),
    (MATRIX.set_axis(["iris", None]).rename_axis("dataset"), {}, "column 'dataset' has 1 missing values, the first"),
    (MATRIX, {"target": {"auc": "higher"}}, "target must be the name of a column, got {'auc': 'higher'}"),
]


@pytest.mark.parametrize(("frame", "roles", "words"), WRONG, ids=[words[:40] for _, _, words in WRONG])
def test_what_is_no_matrix(frame, roles, words):
    with pytest.raises((StudyError, ParameterError)) as error:
        Study.from_wide(frame, **roles)
    assert words in str(error.value)


def test_columns_with_levels_are_refused_with_the_call_that_helps():
    frame = long_table(missing=0).drop(columns="seed")
    long = Study(frame, **ROLES)
    levels = frame.set_axis(pd.MultiIndex.from_tuples([(name, "") for name in frame]), axis=1)
    with pytest.raises(StudyError, match="have several levels, such as") as error:
        Study(levels, **ROLES)
    results = levels.copy()
    exec(str(error.value).split("first: ")[1], {"results": results})  # the words of the message
    equal(Study(results, **ROLES), long)
    wide = frame.pivot(index="dataset", columns=["model", "encoder"], values="score")
    for matrix in (wide, wide.rename_axis(columns=[None, "encoder"]).rename(columns=str)):
        with pytest.raises(StudyError, match="have several levels, such as") as error:
            Study.from_wide(matrix)
        flat = eval(str(error.value).split("first: ")[1], {"frame": matrix})
        (name,) = set(flat.index.names) - {"dataset"}
        study = Study.from_wide(flat, design=name)
        expected = [long.scores(c).to_numpy().tolist() for c in long.configurations]
        assert [study.scores(c).to_numpy().tolist() for c in study.configurations] == expected


# --- several metrics --------------------------------------------------------------------------------------------------


def with_metrics(rng=0, **options):
    frame = long_table(rng, **options).rename(columns={"score": "auc"})
    noise = np.random.default_rng(rng + 100)
    frame["logloss"] = (1 - frame["auc"] + noise.normal(0, 0.2, len(frame))).round(2)
    frame["logloss"] = frame["logloss"].mask(noise.random(len(frame)) < 0.05)
    return frame


DIRECTIONS = {"auc": True, "logloss": False}
TARGET = {"auc": "higher", "logloss": "lower"}


@pytest.mark.filterwarnings("ignore::genexpy_nb.common.errors.StudyWarning")
@pytest.mark.parametrize("seeds", [(0,), (0, 1, 2)])
def test_metrics_are_separate_studies_bit_by_bit(seeds):
    frame = with_metrics(seeds=seeds)
    roles = {**ROLES, "average_over": "seed" if len(seeds) > 1 else None}
    together = Study(frame, **{**roles, "target": TARGET})
    assert together.design == ["model", "metric"]
    everything = plan(together.nstar(KERNELS, method="moments"))
    resampled = together.nstar([MallowsKernel()], method="resampling", n_resamples=50)
    for metric, higher in DIRECTIONS.items():
        alone = Study(frame, **{**roles, "target": metric}, higher_is_better=higher)
        for configuration in alone.configurations:
            one = {**configuration, "metric": metric}
            assert together.direction(one) is higher
            for impute in (False, True):
                found, expected = together.scores(one, impute), alone.scores(configuration, impute)
                pd.testing.assert_frame_equal(found, expected, check_exact=True)
            pd.testing.assert_frame_equal(together.rankings(one), alone.rankings(configuration))
            assert together.best(one) == alone.best(configuration)
            pd.testing.assert_series_equal(together.friedman(one).mean_ranks, alone.friedman(configuration).mean_ranks)
            for name in ("ranking", "contenders", "pairs", "tiers", "regret"):
                found, expected = (
                    getattr(study, name)(configuration=c, rank_incomplete=True)
                    for study, c in [(together, one), (alone, configuration)]
                )
                pd.testing.assert_frame_equal(found, expected, check_exact=True)
        pd.testing.assert_frame_equal(_of(everything, metric), plan(alone.nstar(KERNELS)), check_exact=True)
        expected = alone.nstar([MallowsKernel()], method="resampling", n_resamples=50)
        pd.testing.assert_frame_equal(_of(resampled, metric), expected, check_exact=True)
        counts = _of(together.accounting, metric)
        assert (counts.pop("higher_is_better") == higher).all()
        pd.testing.assert_frame_equal(counts, alone.accounting)


def _of(frame, metric):
    return frame[frame["metric"] == metric].drop(columns="metric").reset_index(drop=True)


def test_the_direction_of_each_metric_is_said():
    frame = with_metrics()
    said = "compared by auc (higher is better), logloss (lower is better); 4 configurations of model, metric"
    study = Study(frame, **{**ROLES, "target": TARGET})
    assert said in repr(study) and said in study._repr_html_()
    assert study.direction({"model": "LR", "metric": "logloss"}) is False
    with pytest.raises(ParameterError, match="the level of design factor 'metric' is missing"):
        study.direction({"model": "LR"})
    assert Study(frame, **{**ROLES, "target": "auc"}).direction() is True


def test_metrics_that_are_text_are_read_and_said():
    frame = with_metrics(missing=0)
    text = frame.assign(auc=frame["auc"].astype(str))
    study = Study(text, **{**ROLES, "target": TARGET})
    assert study.notes[0] == "Read text, or True and False, as numbers in the columns auc."
    equal(study, Study(frame, **{**ROLES, "target": TARGET}))


def test_columns_that_a_study_of_metrics_and_seeds_adds_are_reserved():
    study = Study(with_metrics(seeds=(0, 1)), **{**ROLES, "target": TARGET}, average_over="seed")
    added = {*study.accounting.columns, *study.averaged.columns} - {"model", "metric", "dataset", "encoder"}
    assert {"n_partial", "higher_is_better", "n_averaged", "n_levels"} <= added <= set(RESERVED)


# --- empty roles, other libraries -------------------------------------------------------------------------------------


@pytest.mark.parametrize("nothing", [None, [], ()])
def test_roles_may_be_empty(nothing):
    frame = long_table().query("model == 'LR'")
    roles = {**ROLES, "design": nothing}
    equal(Study(frame, **roles, average_over=nothing), Study(frame, **{**ROLES, "design": []}))
    wide = frame.pivot(index="dataset", columns="encoder", values="score")
    equal(Study.from_wide(wide, design=nothing, average_over=nothing, fixed=None), Study.from_wide(wide))


class Stream:
    """A table that has the Arrow PyCapsule interface and nothing else."""

    def __init__(self, frame):
        self.table = pa.Table.from_pandas(frame)

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def polars(frame):
    return pytest.importorskip("polars").from_pandas(frame)


@pytest.mark.parametrize(
    ("convert", "kind"),
    [
        (pa.Table.from_pandas, "pyarrow.Table"),
        (Stream, f"{__name__.split('.')[0]}.Stream"),
        (polars, "polars.DataFrame"),
    ],
)
def test_tables_of_other_libraries_are_converted_and_the_notes_say_so(convert, kind):
    frame = long_table()
    study = Study(convert(frame), **ROLES)
    assert study.notes[0] == f"Converted a {kind} to a pandas DataFrame."
    equal(study, Study(frame, **ROLES))
    wide = frame.pivot(index=["model", "dataset"], columns="encoder", values="score").reset_index()
    wide.columns.name = None
    found = Study.from_wide(convert(wide), design="model", generalize_over="dataset")
    assert found.notes[0] == study.notes[0]
    equal(found, Study.from_wide(wide, design="model", generalize_over="dataset"))


def test_the_index_of_a_pandas_table_in_arrow_is_a_column_or_stays_one():
    frame = long_table()
    equal(Study(pa.Table.from_pandas(frame.set_index("dataset")), **ROLES), Study(frame, **ROLES))
    wide = frame.pivot(index=["model", "dataset"], columns="encoder", values="score").rename_axis(columns=None)
    equal(Study.from_wide(pa.Table.from_pandas(wide), design="model"), Study.from_wide(wide, design="model"))


def test_a_table_that_cannot_be_converted_is_an_error_of_our_own_words():
    with pytest.raises(StudyError, match=r"results: the pyarrow\.\w+ cannot be made a pandas DataFrame: "):
        Study(pa.chunked_array([[1, 2]]), **ROLES)
    with pytest.raises(StudyError, match="must be a pandas DataFrame, got dict; tables of polars, Arrow and others"):
        Study({"a": [1]}, **ROLES)


# --- failed seeds -----------------------------------------------------------------------------------------------------


def test_seeds_of_failed_runs_are_listed_whether_absent_or_empty():
    frame = long_table(seeds=(0, 1, 2), missing=0)
    rows = {
        "absent": frame.query("encoder == 'TE' and model == 'LR' and dataset == 'd03' and seed == 1").index,
        "empty": frame.query("encoder == 'OHE' and model == 'DTC' and dataset == 'd07' and seed > 0").index,
        "all": frame.query("encoder == 'BE' and model == 'LR' and dataset == 'd01'").index,
        "for everyone": frame.query("model == 'LR' and dataset == 'd05' and seed == 2").index,
    }
    assert [len(index) for index in rows.values()] == [1, 2, 3, 4]
    frame.loc[rows["empty"], "score"] = np.nan
    frame = frame.drop(index=[*rows["absent"], *rows["all"], *rows["for everyone"]])
    study = Study(frame, **ROLES, average_over="seed")
    assert study.averaged.to_dict("records") == [
        {"model": "DTC", "dataset": "d07", "encoder": "OHE", "n_averaged": 1, "n_levels": 3},
        {"model": "LR", "dataset": "d03", "encoder": "TE", "n_averaged": 2, "n_levels": 3},
    ]
    assert study.accounting["n_partial"].tolist() == [1, 1]
    assert study.notes[:2] == [
        "Averaged over seed: 1 to 3 rows per evaluation.",
        "2 of 79 evaluations (2.5 %) lack some of the levels of seed that their condition has, and are averages over "
        "the others; Study.averaged lists them.",
    ]
    assert study.warnings == []
    others = frame.query("encoder == 'TE' and model == 'LR' and dataset == 'd03'")["score"]
    assert study.scores({"model": "LR"}).loc["d03", "TE"] == pytest.approx(others.mean())


def test_nobody_lacks_the_settings_that_another_one_has():
    frame = long_table(seeds=(0, 1), missing=0).query("encoder == 'OHE' or seed == 0")
    frame = frame.assign(seed=frame["encoder"] + frame["seed"].astype(str))
    assert Study(frame, **ROLES, average_over="seed").averaged.empty
    found = Study(frame.drop(index=frame.index[frame["seed"] == "OHE1"][0]), **ROLES, average_over="seed").averaged
    assert found[["encoder", "n_averaged", "n_levels"]].to_numpy().tolist() == [["OHE", 1, 2]]


def test_as_many_seeds_with_other_labels_are_not_missing():
    frame = long_table(seeds=(0, 1), missing=0).assign(seed=lambda f: f["seed"] + 2 * (f["encoder"] == "OHE"))
    assert Study(frame, **ROLES, average_over="seed").averaged.empty


def test_a_study_without_seeds_lists_none():
    study = Study(long_table(), **ROLES)
    assert study.averaged.empty and list(study.averaged.columns)[-2:] == ["n_averaged", "n_levels"]
    assert "n_partial" not in study.accounting


@pytest.mark.parametrize(
    ("lacking", "words"),
    [
        (
            "encoder == 'OHE' and seed == 1",
            "25 % of the evaluations are averages over fewer levels of seed than their condition has, which is more",
        ),
        (
            "encoder == 'OHE' and seed == 1 and model == 'LR'",
            "in 1 of 2 configurations more than 20 % of the evaluations are averages over fewer levels of seed than "
            "their condition has, most in model=LR (25 %)",
        ),
        ("encoder == 'OHE' and seed == 1 and model == 'LR' and dataset < 'd08'", ""),
    ],
)
def test_many_averages_over_some_seeds_are_warned_of(lacking, words):
    frame = long_table(seeds=(0, 1), missing=0)
    frame = frame.drop(index=frame.query(lacking).index)
    if not words:
        assert Study(frame, **ROLES, average_over="seed").warnings == []
        return
    with pytest.warns(StudyWarning, match=re.escape(words)):
        study = Study(frame, **ROLES, average_over="seed")
    assert len(study.warnings) == 1 and study.notes[1].startswith(f"{len(study.averaged)} of 80 evaluations")


def test_alternatives_that_are_dropped_are_not_listed():
    frame = long_table(seeds=(0, 1), missing=0)
    frame = pd.concat([frame, frame[frame["encoder"] == "OHE"].assign(encoder="ZE")])  # 1 of 5 missing is not too many
    frame = frame.reset_index(drop=True)
    frame = frame.drop(index=frame.query("encoder == 'BE' and (dataset < 'd03' or seed == 1)").index)
    frame = frame.drop(index=frame.query("encoder == 'WOE' and model == 'LR' and dataset == 'd04' and seed == 0").index)
    study = Study(frame, **ROLES, average_over="seed", missing="drop")
    assert study.alternatives == ["OHE", "TE", "WOE", "ZE"]
    assert study.averaged["encoder"].tolist() == ["WOE"] and study.accounting["n_partial"].tolist() == [0, 1]


def test_what_is_dropped_is_not_listed():
    frame = long_table(seeds=(0, 1), missing=0)
    frame = frame.drop(index=frame.query("dataset == 'd00' and (encoder != 'OHE' or seed == 1)").index)
    study = Study(frame, **ROLES, average_over="seed", missing="drop")
    assert study.averaged.empty and study.accounting["n_partial"].tolist() == [0, 0]
