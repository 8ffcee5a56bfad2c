"""Results of other programs: real samples, compared with what the programs' own files and reports say."""

import inspect
import io
import json
import os
import re
import shutil
import warnings
import zipfile
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, RandomizedSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import genexpy_nb as gx
from genexpy_nb.datasets.describing import TableRoles
from genexpy_nb.datasets.foreign import FORMATS, form_of
from genexpy_nb.datasets.roles import guess_roles

SAMPLES = Path(__file__).parent / "samples"
DATA = load_iris(return_X_y=True)

pytestmark = pytest.mark.filterwarnings(
    "ignore::genexpy_nb.common.errors.StudyWarning"
)  # the samples are small on purpose


def study(results):
    """Make the study that the frame says fits it, which must work as it stands (pytest shows warnings of it)."""
    return eval(results.attrs["call"], {"gx": gx, "results": results})


def body_of(path):
    return json.loads(Path(path).read_text())


# --- scikit-learn -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def search():
    grid = {"max_depth": [1, None], "criterion": ["gini", "entropy"]}
    metrics = ["accuracy", "neg_log_loss"]
    return GridSearchCV(DecisionTreeClassifier(random_state=0), grid, scoring=metrics, refit=False, cv=3).fit(*DATA)


def test_a_search_of_several_metrics(search):
    results = gx.read_results(search.cv_results_)
    assert len(results) == 4 * 3 * 2
    means = results.groupby(["candidate", "metric"])["score"].mean()
    for i, params in enumerate(search.cv_results_["params"]):
        name = f"criterion={params['criterion']}, max_depth={params['max_depth']}"
        for metric in ("accuracy", "neg_log_loss"):
            assert means[name, metric] == pytest.approx(search.cv_results_[f"mean_test_{metric}"][i], rel=1e-12)
    assert results.attrs["format"] == "scikit-learn cv_results_"
    assert 'fixed={"metric": "accuracy"}' in results.attrs["call"]
    assert study(results).scores({}).shape == (3, 4)


def test_every_way_to_keep_a_search_gives_the_same(search, tmp_path):
    expected = gx.read_results(search.cv_results_)
    table = pd.DataFrame(search.cv_results_)
    table.to_csv(tmp_path / "a.csv")
    table.to_csv(tmp_path / "b.csv", sep=";", decimal=",", index=False)
    for given in (search, table, tmp_path / "a.csv", tmp_path / "b.csv"):
        results = gx.read_results(given)
        pd.testing.assert_frame_equal(results, expected, check_dtype=False)
        assert results.attrs["call"] == expected.attrs["call"]
    assert "read from CSV with ';'" in gx.read_results(tmp_path / "b.csv").attrs["read_as"]


def test_without_params_the_columns_of_parameters_name_the_candidates(search):
    grid = [{"n_neighbors": [1, 3]}, {"weights": ["distance"]}]  # a parameter that not every candidate has
    table = pd.DataFrame(GridSearchCV(KNeighborsClassifier(), grid, cv=2).fit(*DATA).cv_results_).drop(columns="params")
    assert set(gx.read_results(table)["candidate"]) == {"n_neighbors=1.0", "n_neighbors=3.0", "weights=distance"}


def test_a_randomized_search_that_draws_a_candidate_twice():
    search = RandomizedSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 1, 1]}, n_iter=3, cv=2, random_state=0)
    results = gx.read_results(search.fit(*DATA))
    assert set(results["candidate"]) == {"n_neighbors=1", "n_neighbors=1 (#2)", "n_neighbors=1 (#3)"}
    assert study(results).scores({}).shape == (2, 3)


def test_a_halving_search():
    search = HalvingGridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 3, 5, 7]}, cv=2, factor=2, random_state=0)
    results = gx.read_results(search.fit(*DATA))
    assert results.groupby("iter")["candidate"].nunique().tolist() == search.n_candidates_
    assert results.groupby("iter")["n_resources"].first().tolist() == search.n_resources_
    assert len(study(results).configurations) == search.n_iterations_


def test_failed_fits_are_missing_and_said():
    with warnings.catch_warnings(action="ignore"):
        search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 3, -1]}, cv=2).fit(*DATA)
    results = gx.read_results(search)
    assert results["score"].isna().sum() == 2 and "2 scores are missing: those fits failed" in results.attrs["notes"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"params": [{}], "mean_test_score": [1.0]}, "no split0_test"),
        ({"params": [{}], "mean_test_score": [1.0, 2.0], "split0_test_score": [1.0]}, "different lengths"),
        ({"params": [], "mean_test_score": [], "split0_test_score": []}, "has no split0_test"),
    ],
)
def test_broken_searches(body, said):
    with pytest.raises(gx.errors.DataError, match=said):
        gx.read_results(body)


# --- MTEB -------------------------------------------------------------------------------------------------------------


def test_mteb():
    results = gx.read_results(SAMPLES / "mteb")
    assert list(results) == ["model", "revision", "task", "split", "subset", "score"]
    assert len(results) == 8 + 11 and results.attrs["format"] == "MTEB"
    one = results.set_index(["model", "task", "subset"])["score"]
    # The scores of the published leaderboard's table, as its authors give them.
    assert one["BAAI/bge-small-en-v1.5", "SICK-R", "default"] == pytest.approx(0.794099, abs=1e-6)
    assert one["sentence-transformers/all-MiniLM-L6-v2", "STS17", "es-es"] == 0.7611599994398748
    body = body_of(next((SAMPLES / "mteb").glob("*MiniLM*/*/STS17.json")))
    mean = np.mean([subset["main_score"] for subset in body["scores"]["test"]])
    with pytest.warns(gx.errors.StudyWarning, match="missing"):
        scores = study(results).scores({})
    assert scores.loc["STS17", "sentence-transformers/all-MiniLM-L6-v2"] == pytest.approx(mean, rel=1e-12)


def test_mteb_in_the_whole_published_table(published_mteb):
    """The same numbers as in the table that was made from the whole repository with other code."""
    keys = ["model", "revision", "task", "split", "subset"]
    results = gx.read_results(SAMPLES / "mteb").merge(published_mteb, on=keys)
    assert len(results) >= 8
    np.testing.assert_array_equal(results["score"], results["main_score"])


@pytest.fixture
def published_mteb():
    path = Path(os.environ.get("GENEXPY_NB_DATA", ""), "mteb_english.parquet")
    if not path.is_file():
        pytest.skip("the published table is not here")
    table = pd.read_parquet(path)
    return table.assign(model=table["model"].str.replace("__", "/", n=1))


def test_mteb_before_1_11_has_main_scores_by_what_is_measured(tmp_path):
    """Retrieval, clustering, pairs, and similarity in two languages, which are averaged."""
    pair, both = {"cos_sim": {"ap": 0.8, "f1": 0.1}, "dot": {"ap": 0.2}}, {"cos_sim": {"pearson": 0.1, "spearman": 0.6}}
    tasks = {"A": {"map_at_1": 0.2, "ndcg_at_10": 0.4}, "B": {"v_measure": 0.5, "v_measure_std": 0.1}, "C": pair}
    for model, step in (("p", 0), ("q", 0.1)):
        for task, scores in (tasks | {"D": {"de": both, "pl": both, "evaluation_time": 3}}).items():
            (tmp_path / model).mkdir(exist_ok=True)
            text = json.dumps({"mteb_version": "1.1.1", "mteb_dataset_name": task, "test": scores})
            (tmp_path / model / f"{task}.json").write_text(text.replace("0.4", f"{0.4 + step}"))
    found = study(gx.read_results(tmp_path)).scores({})
    assert found["p"].tolist() == [0.4, 0.5, 0.8, 0.6] and found["q"].tolist() == [0.5, 0.5, 0.8, 0.6]


def test_main_scores_of_a_few_in_per_cent_are_divided(tmp_path):
    for model, scale in (("p", 1), ("q", 1), ("r", 100), ("s", 1)):
        for task in "ABCD":  # one of them in another unit
            (tmp_path / model).mkdir(exist_ok=True)
            score = 0.5 * scale if task != "D" else 7
            said = {"mteb_version": "1.7", "mteb_dataset_name": task, "test": {"ndcg_at_10": score}}
            (tmp_path / model / f"{task}.json").write_text(json.dumps(said))
    results = gx.read_results(tmp_path)
    said = " ".join(results.attrs["notes"])
    assert (results["score"] == 0.5).all() and "3 scores above 1, of 'r', in 'A', 'B', 'C'," in said
    assert "tasks of another unit were left out: 'D' (scores above 1)" in said


def test_tasks_that_name_their_main_score_are_read_as_mteb(tmp_path):
    for model, score in (("org__p", 0.5), ("q", 0.75)):
        (tmp_path / model).mkdir()
        for task, name in (("A", "f1"), ("B", "accuracy"), ("C", "Speed (seconds)")):
            body = {"task_name": task, "scores": {"sv": {name: score, "x": 1}, "da": {name: score / 2}}}
            (tmp_path / model / f"{task}.json").write_text(json.dumps(body | {"main_score": name}))
    assert study(gx.read_results(tmp_path)).scores({}).to_dict("list") == {"org/p": [0.375] * 2, "q": [0.5625] * 2}


def test_mteb_two_revisions_of_a_model_are_told_apart(tmp_path):
    shutil.copytree(SAMPLES / "mteb", tmp_path / "results")
    model = tmp_path / "results" / "intfloat__e5-base"
    shutil.copytree(model / "external", model / "b533fe46")
    (model / "external" / "model_meta.json").write_text("{}")
    (tmp_path / "results" / "notes.json").write_text("{}")
    results = gx.read_results(tmp_path)
    assert 'average_over=["subset", "revision"]' in results.attrs["call"]
    assert "some evaluations stand in several rows, which column 'revision' tells apart" in results.attrs["notes"]
    assert "1 other JSON files were not read (notes.json)" in results.attrs["notes"]


# --- HELM -------------------------------------------------------------------------------------------------------------


def test_helm():
    results = gx.read_results(SAMPLES / "helm")
    assert set(results["model"]) == {"simple/model1", "simple/model2"}
    assert set(results["task"]) == {
        "dyck_language_np=2",
        "synthetic_reasoning:mode=pattern_match",
        "synthetic_reasoning:mode=variable_substitution",
    }
    assert set(results["metric"]) == {"exact_match", "exact_match_indicator"}  # no counts, no perturbations
    for path in (SAMPLES / "helm").glob("dyck*/stats.json"):
        (stat,) = [s for s in body_of(path) if s["name"] == {"name": "exact_match_indicator", "split": "test"}]
        model = body_of(path.with_name("run_spec.json"))["adapter_spec"]["model"]
        dyck = results[(results["model"] == model) & results["task"].str.startswith("dyck")]
        assert dyck["score"].item() == stat["mean"]
    assert "HELM does not say whether higher is better" in results.attrs["read_as"]
    assert "which only 2 of 3 levels of 'task' have" in results.attrs["read_as"]
    with pytest.warns(gx.errors.StudyWarning):
        assert study(results).scores({}).shape == (2, 2)


def test_helm_runs_without_statistics(tmp_path):
    shutil.copytree(SAMPLES / "helm", tmp_path / "runs")
    run = tmp_path / "runs" / "dyck_language_np-2-model-simple_model1"
    (run / "stats.json").unlink()
    (run / "scenario_state.json").write_text("not even JSON, and never read")
    assert "1 runs without stats.json were left out" in gx.read_results(tmp_path).attrs["read_as"]
    with pytest.raises(gx.errors.DataError, match="HELM, but there is no score in 1 files: 1 runs without"):
        gx.read_results(run)
    with pytest.raises(gx.errors.DataError, match=r"stats\.json is one file of a HELM run: pass the run's folder"):
        gx.read_results(tmp_path / "runs" / "dyck_language_np-2-model-simple_model2" / "stats.json")


# --- lm-evaluation-harness --------------------------------------------------------------------------------------------


def write_harness(path, results, **more):
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"results": results, "versions": {}, **more}))


def test_harness():
    results = gx.read_results(SAMPLES / "lm_eval")
    assert len(results) == 2 * (2 + 2 + 2)
    # The table that the program printed at the end of the first run.
    one = results[results["model"] == "6v8uqx97"].set_index(["task", "metric", "filter"])
    assert one.loc[("order", "acc", "none"), ["score", "stderr"]].round(4).tolist() == [0.6, 0.1633]
    assert one.loc[("parity", "acc_norm", "none"), ["score", "stderr"]].round(4).tolist() == [0.4167, 0.1486]
    assert one.loc[("sums", "exact_match", "strict-match"), "score"] == 0
    assert one["n_samples"].groupby("task").first().to_dict() == {"order": 10, "parity": 12, "sums": 8}
    assert (results["n_shot"] == 0).all() and results["higher_is_better"].all()
    assert "averages over groups of tasks were left out (toy)" in results.attrs["notes"]
    assert study(results).scores({}).shape == (2, 2) and set(results["suite"]) == {"toy", "sums"}


def test_harness_repeated_shots_and_directions(tmp_path):
    body = body_of(next((SAMPLES / "lm_eval").glob("*159957.json")))
    (tmp_path / "results_1.json").write_text(json.dumps(body))
    (tmp_path / "results_2.json").write_text(json.dumps({**body, "date": body["date"] + 1}))
    more = {**body, "n-shot": dict.fromkeys(body["n-shot"], 5), "model_name": None}
    more["config"] = {"model": "hf", "model_args": "pretrained=other/model,dtype=auto"}
    more["higher_is_better"] = {task: {"acc": False} for task in ("parity", "order")}
    (tmp_path / "results_3.json").write_text(json.dumps(more))
    results = gx.read_results(tmp_path)
    assert results["run"].max() == 2 and set(results["model"]) == {"6v8uqx97", "other/model"}
    assert 'average_over=["run"]' in results.attrs["call"] and "higher_is_better=False" in results.attrs["call"]


def test_harness_of_old(tmp_path):
    """Version 0.3 wrote metrics without a filter, and the number of examples once for all tasks."""
    config = {"model": "gpt2", "model_args": "pretrained=gpt2", "num_fewshot": 3}
    write_harness(tmp_path / "a.json", {"hellaswag": {"acc": 0.5, "acc_stderr": 0.1}}, config=config)
    (row,) = gx.read_results(tmp_path / "a.json").to_dict("records")
    assert row == {
        "model": "gpt2", "task": "hellaswag", "n_shot": 3, "metric": "acc", "filter": "none", "score": 0.5,
        "stderr": 0.1, "n_samples": None, "higher_is_better": True,
    }  # fmt: skip
    assert "one model only" in gx.read_results(tmp_path / "a.json").attrs["read_as"]


def test_harness_files_that_name_only_the_program_are_the_models(tmp_path):
    """As GPT-NeoX writes them: config.model is "neox" in all files, and their names say which model it was."""
    for i, name in enumerate(["small", "large"]):
        config = {"model": "neox", "model_args": {"num_layers": 6 + i}, "num_fewshot": 0}
        scores = {task: {"acc": i / 10 + t / 100} for t, task in enumerate("xyz")}
        write_harness(tmp_path / name / "results.json", scores, config=config)
    results = gx.read_results(tmp_path)
    assert "all files call the model 'neox', as the program" in results.attrs["read_as"]
    assert study(results).scores({}).loc["y"].to_dict() == {"small/results": 0.01, "large/results": 0.11}


def test_harness_steps_of_a_training_are_not_repetitions(tmp_path):
    """As in the results that EleutherAI publishes of Pythia: a file for each model and step."""
    for model, steps in {"a": (1, 9, 10), "b": (1, 9, 10), "c": (10,), "d": (20,)}.items():
        for step in steps:
            config = {"model": "hf", "model_args": f"pretrained=org/{model},revision=step{step}"}
            scores = {task: {"acc": step / 100 + i, "acc_stderr": 0.1} for i, task in enumerate("xyz")}
            write_harness(tmp_path / f"{model}_{step}.json", scores, config=config)
    results = gx.read_results(tmp_path)
    assert not {"run", "settings"} & set(results) and results["revision"].nunique() == 4
    said = "the study in attrs['call'] takes revision 'step10', which only 3 of 4 levels of 'model' have"
    assert said in results.attrs["notes"]
    scores = study(results).scores({})
    assert list(scores) == ["org/a", "org/b", "org/c"] and (scores.loc["x"] == 0.1).all()


def test_harness_says_that_runs_differ_in_their_settings(tmp_path):
    for i, more in enumerate((",load_in_4bit=True", "")):
        config = {"model": "hf", "model_args": f"pretrained=org/a{more}"}
        write_harness(tmp_path / f"{i}.json", {"x": {"acc": 0.5 + i / 10}}, config=config, date=i)
    results = gx.read_results(tmp_path)
    assert results[["settings", "run", "score"]].to_numpy().tolist() == [
        ["load_in_4bit=True", 1, 0.5],
        ["none", 2, 0.6],
    ]
    assert "some runs of a model differ in their settings" in results.attrs["notes"]


# --- Inspect ----------------------------------------------------------------------------------------------------------


def test_inspect():
    results = gx.read_results(SAMPLES / "inspect")
    one = results.set_index(["model", "task", "scorer"])["score"]
    # Three sums with the answers 2, 4, 5; two capitals, Paris and Rome; each model always says the same.
    assert one["mockllm/always-two", "sums", "match"] == pytest.approx(1 / 3)
    assert one["mockllm/counts", "sums", "match"] == 1
    assert one["mockllm/roman", "capitals", "includes"] == 1 / 2
    assert "1 runs that did not succeed were left out" in results.attrs["read_as"]
    assert set(results["metric"]) == {"accuracy"} and results["stderr"].notna().all()
    assert study(results).scores({}).shape == (2, 4)


def test_inspect_one_log_and_a_damaged_one(tmp_path):
    path = next((SAMPLES / "inspect").glob("*sums*.eval"))
    results = gx.read_results(path)
    assert len(results) == 1 and results.attrs["format"] == "Inspect"
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo("header.json")
        assert info.compress_type == 93  # zstandard, which zipfile cannot read before Python 3.14
    content[info.header_offset + 30 + len("header.json") + info.compress_size // 2] ^= 255
    (tmp_path / "a.eval").write_bytes(content)
    with pytest.raises(gx.errors.DataError, match=r"a\.eval is a damaged archive"):
        gx.read_results(tmp_path / "a.eval")


def test_inspect_runs_that_did_not_end(tmp_path):
    def archive(**files):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as out:
            for name, body in files.items():
                out.writestr(name, json.dumps(body))
        (tmp_path / "a.eval").write_bytes(buffer.getvalue())
        return tmp_path / "a.eval"

    with pytest.raises(gx.errors.DataError, match="did not end"):
        gx.read_results(archive(**{"_journal/start.json": {}}))
    with pytest.raises(gx.errors.DataError, match="none of an Inspect log"):
        gx.read_results(archive(**{"header.json": {}}))
    log = {"status": "error", "eval": {"task": "t", "model": "m"}}
    with pytest.raises(
        gx.errors.DataError, match=r"no score in 1 files: 1 runs that did not succeed were left out \(a.eval: error\)"
    ):
        gx.read_results(archive(**{"header.json": log}))
    score = {"name": "match", "metrics": {"accuracy": {"name": "accuracy", "value": 0.5}}}
    log |= {"status": "success", "results": {"completed_samples": 4, "scores": [score]}}
    (row,) = gx.read_results(archive(**{"header.json": log})).to_dict("records")
    assert (row["score"], row["n_samples"]) == (0.5, 4) and np.isnan(row["stderr"])


def test_inspect_logs_of_one_task_are_answers_to_its_items(tmp_path):
    for model, said in (("p", "CCIN"), ("q", "IPCC")):
        samples = [{"id": i, "epoch": 1, "scores": {"match": {"value": v}}} for i, v in enumerate(said)]
        scores = [{"name": "match", "metrics": {"accuracy": {"value": 0.5}}}]
        log = {"status": "success", "eval": {"task": "t", "model": model}, "results": {"scores": scores}}
        (tmp_path / f"{model}.json").write_text(json.dumps({**log, "samples": samples}))
    results = gx.read_results(tmp_path)
    assert results.groupby("model")["score"].apply(list).to_dict() == {"p": [1, 1, 0, 0], "q": [0, 0.5, 1, 1]}
    assert "roles" not in results.attrs and set(results["item"]) == {0, 1, 2, 3}


def test_inspect_of_old_and_without_a_scorer(tmp_path):
    """Old logs said scorers in place of scores; a log without a scorer has an empty list."""
    metrics = {"accuracy": {"name": "accuracy", "value": 0.8}, "bootstrap_std": {"name": "bootstrap_std", "value": 0.1}}
    log = {"status": "success", "eval": {"task": "t", "model": "m"}}
    body = {**log, "results": {"scorers": [{"name": "match", "metrics": metrics}]}}
    (tmp_path / "a.json").write_text(json.dumps(body))
    (tmp_path / "b.json").write_text(json.dumps({**log, "results": {"scores": []}}))
    results = gx.read_results(tmp_path)
    assert results[["scorer", "metric", "score", "stderr"]].to_numpy().tolist() == [["match", "accuracy", 0.8, 0.1]]
    assert "1 runs without a scorer were left out (b.json)" in results.attrs["notes"]


# --- folders ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"a.json": "{"}, r"a\.json is no JSON: row 1"),
        ({"a.json": '{"task_name": "t", "scores": {"test": [{"hf_subset": "x"}]}}'}, r"a\.json: main_score is missing"),
        (
            {"a.json": '{"mteb_version": "1.0", "mteb_dataset_name": "t", "test": {}}'},
            r"no score in 1 files.*1 files without any of these",
        ),
        ({"a.json": '{"task_name": "t", "scores": {}}'}, "MTEB, but there is no score in 1 files"),
        ({"a.json": '{"task_name": "t", "scores": {"da": {"f1": 1}}}'}, r"a\.json is JSON, but of no known form"),
        ({"a.json": '{"results": {"t": {"acc": 1}}, "versions": {}}'}, "names no model"),
        ({"a.json": '{"results": {"t": 1}, "versions": {}, "model_name": "m"}'}, "results.t holds no metrics, but int"),
        ({"a.json": '{"status": "success", "eval": {"task": "t"}}'}, "eval.model is missing"),
        ({"a.json": '{"status": "success", "eval": {"task": "t", "model": "m"}}'}, "results is missing"),
        (
            {"run_spec.json": '{"adapter_spec": {}, "scenario_spec": {}}', "stats.json": "[]"},
            r"run_spec\.json: name is missing",
        ),
        (
            {"run_spec.json": '{"name": "a", "adapter_spec": {"model": "m"}, "scenario_spec": {}}', "stats.json": "[]"},
            "no list of statistics",
        ),
        (
            {"a.json": '{"results": {}, "versions": {}}', "b.json": '{"task_name": "t", "scores": {}}'},
            "results of several programs",
        ),
        ({"a.eval": "nothing"}, "a.eval is a damaged archive"),
        ({"a.txt": "m,s\na,1\n"}, r"and no table \(\.csv"),
    ],
)
def test_broken_folders(tmp_path, files, said):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(gx.errors.DataError, match=said) as raised:
        gx.read_results(tmp_path)
    assert "\n" not in str(raised.value)


def test_a_folder_takes_no_option():
    with pytest.raises(gx.errors.ParameterError, match="sep has no meaning"):
        gx.read_results(SAMPLES / "mteb", sep=";")


@pytest.mark.parametrize(("metric", "better"), [("word_perplexity", "lower"), ("acc", "higher"), ("mc2", "")])
def test_a_harness_that_says_no_direction_is_not_taken_to_have_said_one(tmp_path, metric, better):
    for i, model in enumerate("ab"):
        results = {f"t{j}": {metric: 20.0 + 3 * i + j} for j in range(6)}
        write_harness(tmp_path / f"results_{model}.json", results, config={"model": model}, model_name=model)
    frame = gx.read_results(tmp_path)
    made = guess_roles(frame, TableRoles())
    assert made.roles.higher_is_better == better
    assert ("higher_is_better=False" in frame.attrs["call"]) == (better == "lower")
    assert bool(made.doubts) == (better == "")


def test_promptfoo(tmp_path):
    for name, model in (("p.json", {"id": "openai:p"}), ("q.json", {"id": "x", "label": "q"})):
        rows = [{"provider": model, "prompt": {"label": "v1"}, "testIdx": i, "score": i / 2} for i in range(3)]
        (tmp_path / name).write_text(json.dumps({"evalId": "e", "results": {"version": 3, "results": rows}}))
    found = gx.read_results(tmp_path)
    assert found[["model", "prompt", "item", "score"]].to_numpy().tolist()[1:4] == [
        ["openai:p", "v1", 1, 0.5], ["openai:p", "v1", 2, 1], ["q", "v1", 0, 0],
    ]  # fmt: skip


@pytest.mark.parametrize("queries", [["1", "2"], []])
def test_trec_eval_in_folders_of_collections(tmp_path, queries):
    for i, (data, run) in enumerate(product(("web", "blog"), ("bm25", "lm", "tfidf"))):
        lines = [f"{m} \t{q}\t{i / 10}" for q in [*queries, "all"] for m in ("map", "P_10", "num_ret")]
        (tmp_path / data).mkdir(exist_ok=True)
        (tmp_path / data / f"{run}_{data}_1.txt").write_text("\n".join(["runid all x"] * (not queries) + lines) + "\n")
    frame = gx.read_results(tmp_path)
    assert [*frame] == ["folder", "file", *["query"] * bool(queries), "map", "P_10"]
    assert [*frame["file"].unique()] == ["bm25_1", "lm_1", "tfidf_1"], "the folder is not said twice"
    assert [*frame.get("query", pd.Series(["q1", "q2"])).unique()] == ["q1", "q2"], "a mean is no query"
    assert "of what trec_eval wrote, counts" in frame.attrs["read_as"]


@pytest.mark.parametrize("sep", [";", ", ", " ", "\t"])
def test_lines_of_pairs_are_rows(tmp_path, sep):
    rows = [{"score": i / 10, "data": f"d{i}", "method": "à"} for i in range(4)]
    path = tmp_path / "r.data"
    path.write_text("id=T0\n" + "\n".join(sep.join(f"{k}={v}" for k, v in row.items()) for row in rows), "utf-8")
    frame = gx.read_results(path)
    assert frame.to_dict("records") == rows
    assert "lines above these were left out: 'id=T0'" in frame.attrs["notes"]


def test_every_format_has_a_name_and_a_place_in_the_documentation():
    page = (Path(__file__).parents[2] / "docs" / "commands.md").read_text(encoding="utf-8")
    assert [form for form in FORMATS if form not in page] == []
    found = set(re.findall(r'return "([^"]+)"|"([^"]+)" if', inspect.getsource(form_of)))
    assert {name for names in found for name in names if name} <= {*FORMATS}
