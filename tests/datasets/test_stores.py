"""Stores and tables of other programs: small files of the real shapes, written here."""

import json
import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pytest

import genexpy_nb as gx

pytestmark = pytest.mark.filterwarnings("ignore::genexpy_nb.common.errors.StudyWarning")  # files are small on purpose

SCORES = {"svm": [0.9, 0.8, 0.7, 0.6], "knn": [0.8, 0.7, 0.6, 0.7], "tree": [0.7, 0.9, 0.5, 0.4]}
TASKS = ["iris", "wine", "zoo", "adult"]


def study(results):
    """Make the study that the frame says fits it."""
    return eval(results.attrs["call"], {"gx": gx, "results": results})


def same_scores(found, expected=SCORES, order=TASKS):
    block = found.scores().loc[order]
    for name, scores in expected.items():
        assert block[name].tolist() == pytest.approx(scores, rel=1e-12)


# --- Every Eval Ever --------------------------------------------------------------------------------------------------


def evaluation(name, score, **more):
    metric = {"lower_is_better": False, "score_type": "continuous", "min_score": 0, "max_score": 1}
    about = {"dataset_name": "bench", "source_type": "url", "url": ["https://example.org"]}
    details = {"score": score, "uncertainty": {"standard_error": {"value": 0.01}, "num_samples": 50}}
    return {"evaluation_name": name, "source_data": about, "metric_config": metric | more, "score_details": details}


def of_one_model(model, evaluations, source="bench", at="1700000000"):
    return {
        "schema_version": "0.3.0",
        "evaluation_id": f"{source}/org_{model}/{at}",
        "retrieved_timestamp": at,
        "source_metadata": {"source_type": "documentation", "evaluator_relationship": "third_party"},
        "model_info": {"name": model.title(), "id": model},
        "evaluation_results": evaluations,
    }


def write_eee(folder, bodies):
    for i, body in enumerate(bodies):
        path = folder / "data" / "bench" / "org" / body["model_info"]["id"] / f"{i}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(body))


def eee_bodies():
    for model, scores in SCORES.items():
        results = [evaluation(task, score) for task, score in zip(TASKS, scores, strict=True)]
        yield of_one_model(model, [*results, evaluation("Mean score", np.mean(scores)), evaluation("Bench", 0.5)])


def test_every_eval_ever(tmp_path):
    write_eee(tmp_path, eee_bodies())
    results = gx.read_results(tmp_path)
    assert results.attrs["format"] == "Every Eval Ever"
    assert "2 averages over evaluations were left out (Bench, Mean score)" in results.attrs["read_as"]
    assert set(results["stderr"]) == {0.01} and set(results["n_samples"]) == {50}
    same_scores(study(results))
    lines = tmp_path / "all.jsonl"
    lines.write_text("\n".join(map(json.dumps, eee_bodies())))
    order = ["model", "task"]
    both = (gx.read_results(lines), results)
    pd.testing.assert_frame_equal(*(each.sort_values(order, ignore_index=True) for each in both))


def test_every_eval_ever_of_two_sources_with_an_error_among_the_scores(tmp_path):
    bodies = list(eee_bodies())
    for body in bodies:
        body["evaluation_results"][0]["metric_config"]["lower_is_better"] = True
    write_eee(tmp_path, [*bodies, of_one_model("svm", [evaluation("iris", 1.0)], source="other")])
    results = gx.read_results(tmp_path)
    assert "scores of which lower is better have the other sign (bench: iris)" in results.attrs["notes"]
    assert study(results).scores().loc["bench: iris", "svm"] == -0.9
    assert set(results["task"]) == {f"bench: {task}" for task in TASKS} | {"other: iris"}


def test_every_eval_ever_several_metrics_and_repeated_runs(tmp_path):
    bodies = list(eee_bodies())
    for body in bodies:
        again = [
            {**each, "metric_config": {**each["metric_config"], "metric_id": "f1"}}
            for each in body["evaluation_results"][:4]
        ]
        body["evaluation_results"] = [*body["evaluation_results"][:4], *again[:3]]
    later = json.loads(json.dumps(bodies[0])) | {"retrieved_timestamp": "1800000000"}
    write_eee(tmp_path, [*bodies, later])
    results = gx.read_results(tmp_path)
    assert 'fixed={"metric": "score"}' in results.attrs["call"] and 'average_over=["run"]' in results.attrs["call"]
    same_scores(study(results))


def test_every_eval_ever_samples(tmp_path):
    rows = [
        {
            "schema_version": "0.3.0",
            "evaluation_id": f"bench/org_{model}/1",
            "model_id": model,
            "evaluation_name": "bench.math",
            "sample_id": f"q{i}",
            "interaction_type": "single_turn",
            "input": {"raw": "1 + 1?", "reference": ["2"]},
            "answer_attribution": [{"turn_idx": 0}, {"turn_idx": 1}],
            "evaluation": {"score": score, "is_correct": score == 1},
        }
        for model, scores in {"a": [1, 0, 1], "b": [0, 0, 1]}.items()
        for i, score in enumerate(scores)
    ]
    for model in "ab":
        lines = [json.dumps(row) for row in rows if row["model_id"] == model]
        (tmp_path / f"{model}_samples.jsonl").write_text("\n".join(lines))
    results = gx.read_results(sorted(tmp_path.glob("*.jsonl")))
    told = [[row["model_id"], row["sample_id"], row["evaluation"]["score"]] for row in rows]
    assert results[["model", "item", "score"]].to_numpy().tolist() == told


# --- tables -----------------------------------------------------------------------------------------------------------


def long(over):
    frame = pd.DataFrame(SCORES, index=pd.Index(TASKS, name=over))
    return frame.rename_axis(columns="method").stack().rename("metric_error").reset_index()


def test_bencheval_repeats_and_imputed_rows(tmp_path):
    rows = long("dataset")
    both = pd.concat([rows.assign(fold=0), rows.assign(fold=1, metric_error=rows["metric_error"] + 0.2)])
    both = both.assign(imputed=(both["method"] == "tree") & (both["dataset"] == "zoo"), metric="rmse")
    both.to_csv(tmp_path / "results_per_split.csv", index=False)
    results = gx.read_results(tmp_path / "results_per_split.csv")
    assert "2 imputed rows were left out" in results.attrs["read_as"]
    found = study(results)
    assert found.higher_is_better is False and found.average_over == ["fold"]
    assert found.scores()["svm"].loc[TASKS].tolist() == pytest.approx([s + 0.1 for s in SCORES["svm"]])
    assert found.scores()["tree"].isna().loc[TASKS].tolist() == [False, False, True, False]


def test_a_study_as_bencheval_takes_it_and_back(tmp_path):
    wide = pd.DataFrame(SCORES, index=pd.Index(TASKS, name="task"))
    wide.loc["zoo", "knn"] = np.nan
    frame = gx.Study.from_wide(wide).to_bencheval()
    assert list(frame) == ["method", "task", "metric_error"] and len(frame) == 11
    errors = frame.pivot(index="task", columns="method", values="metric_error").loc[TASKS, list(SCORES)]
    np.testing.assert_allclose(errors, 1 - wide)
    frame.to_csv(tmp_path / "errors.csv", index=False)
    again = study(gx.read_results(tmp_path / "errors.csv")).scores()
    np.testing.assert_allclose(again.loc[TASKS, list(SCORES)], 1 - wide)
    large = gx.Study.from_wide(100 * wide)
    np.testing.assert_allclose(large.to_bencheval(best=100)["metric_error"], 100 * frame["metric_error"])
    with pytest.raises(gx.errors.ParameterError, match="best must be given"):
        large.to_bencheval()
    with pytest.raises(gx.errors.ParameterError, match="a score of 90 is above 80"):
        large.to_bencheval(best=80)
    lower = gx.Study.from_wide(wide, higher_is_better=False)
    np.testing.assert_allclose(np.sort(lower.to_bencheval()["metric_error"]), np.sort(wide.stack().dropna()))
    with pytest.raises(gx.errors.ParameterError, match="a score is below 0"):
        gx.Study.from_wide(wide - 0.5, higher_is_better=False).to_bencheval()


def test_a_study_as_csv_and_back(tmp_path):
    wide = pd.DataFrame(SCORES, index=pd.Index(TASKS, name="dataset")).rename_axis(columns="model")
    rows = wide.stack().rename("accuracy").reset_index()
    made = gx.Study(rows, alternatives="model", target="accuracy", over="dataset")
    made.to_csv(tmp_path / "scores.csv")
    with pytest.warns(gx.errors.StudyWarning, match="guessed"):
        back = gx.Study(gx.read_results(tmp_path / "scores.csv"))
    pd.testing.assert_frame_equal(back.scores(), made.scores(), check_dtype=False)


def openml_rows(function="predictive_accuracy"):
    for j, (flow, scores) in enumerate(SCORES.items()):
        for i, score in enumerate(scores):
            for setup in (1, 2):
                yield {
                    "run_id": 100 * j + 10 * i + setup, "task_id": 30 + i, "setup_id": 10 * j + setup, "flow_id": j,
                    "flow_name": f"sklearn.{flow}(1)", "data_id": i, "data_name": TASKS[i], "function": function,
                    "upload_time": "2020-01-01 00:00:00", "uploader": 1, "uploader_name": "somebody",
                    "value": score + (0.05 if setup == 1 else -0.05), "values": None, "array_data": None,
                }  # fmt: skip


@pytest.mark.parametrize("as_server", [True, False])
def test_openml_evaluations(tmp_path, as_server):
    rows, path = list(openml_rows()), tmp_path / ("a.json" if as_server else "a.csv")
    if as_server:
        path.write_text(json.dumps({"evaluations": {"evaluation": rows}}))
    else:
        pd.DataFrame(rows).to_csv(path)
    results = gx.read_results(path)
    assert results.attrs["format"] == "OpenML" and "averaged on each task" in results.attrs["read_as"]
    same_scores(study(results), {f"sklearn.{name}(1)": scores for name, scores in SCORES.items()})


def test_openml_of_one_flow_of_an_error_and_wide(tmp_path):
    rows = pd.DataFrame(openml_rows("root_mean_squared_error"))
    rows[rows["flow_id"] == 0].to_csv(tmp_path / "one.csv")
    one = study(gx.read_results(tmp_path / "one.csv"))
    assert one.higher_is_better is False and list(one.scores()) == ["setup 1", "setup 2"]
    wide = rows.rename(columns={"value": "area.under.roc.curve"}).drop(columns=["function", "values", "array_data"])
    wide.columns = [name.replace("_", ".") for name in wide]  # as R's package names them
    wide.to_csv(tmp_path / "wide.csv", index=False)
    found = study(gx.read_results(tmp_path / "wide.csv"))
    assert found.higher_is_better is True
    same_scores(found, {f"sklearn.{name}(1)": scores for name, scores in SCORES.items()})
    rows.drop(columns=["function", "value", "values"]).to_csv(tmp_path / "runs.csv")
    with pytest.raises(gx.errors.DataError, match=r"runs\.csv lists runs of OpenML without scores: pass evaluations"):
        gx.read_results(tmp_path / "runs.csv")


# --- runs -------------------------------------------------------------------------------------------------------------


def runs():
    for method, scores in SCORES.items():
        for task, score in zip(TASKS, scores, strict=True):
            yield method, task, score


def guessed(results):
    """Make the study that names say; it must be sure."""
    with pytest.warns(gx.errors.StudyWarning, match="guessed"):
        return gx.Study(results)


def test_runs_of_weights_and_biases(tmp_path):
    rows = [
        {"Name": f"daily-night-{i}", "ID": f"a{i}", "State": "finished", "Created": "2024-01-01", "Tags": "",
         "model": method, "dataset": task, "_step": 99, "_wandb.runtime": 9, "test_accuracy": score}
        for i, (method, task, score) in enumerate(runs())
    ]  # fmt: skip
    table = pd.DataFrame([*rows, rows[0] | {"State": "crashed", "test_accuracy": 0.01}])
    table.to_csv(tmp_path / "wandb_export.csv", index=False, quoting=1)
    results = gx.read_results(tmp_path / "wandb_export.csv")
    assert list(results) == ["model", "dataset", "test_accuracy"] and len(results) == 12
    assert "1 runs that are crashed were left out" in results.attrs["notes"]
    same_scores(guessed(results))


def test_runs_of_weights_and_biases_as_its_program_gives_them(tmp_path):
    rows = [
        {
            "summary": str({"accuracy": score, "_step": 3, "curve": {"loss": float("nan")}, "many": [1, 2]}),
            "config": str({"model": method, "data": {"name": task}, "lr": {"value": 0.1, "desc": None}}),
            "name": f"{method} {task}",
        }
        for method, task, score in runs()
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "project.csv")
    results = gx.read_results(tmp_path / "project.csv")
    assert list(results) == ["Name", "model", "data.name", "lr", "accuracy"]
    assert results["accuracy"].tolist() == [score for *_, score in runs()] and set(results["lr"]) == {0.1}
    pd.DataFrame([rows[0], rows[1] | {"config": "__import__('os')"}]).to_csv(tmp_path / "bad.csv")
    with pytest.raises(
        gx.errors.DataError, match=r"bad\.csv: row 2 of config or summary is no dictionary: .__import__"
    ):
        gx.read_results(tmp_path / "bad.csv")


def test_a_chart_of_weights_and_biases_is_no_study(tmp_path):
    names = ["Step", *(f"run {i} - loss{end}" for i in (1, 2) for end in ("", "__MIN", "__MAX"))]
    pd.DataFrame([[i] * 7 for i in range(9)], columns=names).to_csv(tmp_path / "chart.csv", index=False)
    with pytest.raises(gx.errors.DataError, match="steps are no experiments"):
        gx.read_results(tmp_path / "chart.csv")


SCHEMA = """
CREATE TABLE experiments (experiment_id INTEGER PRIMARY KEY, name VARCHAR(256), lifecycle_stage VARCHAR(32));
CREATE TABLE runs (run_uuid VARCHAR(32) PRIMARY KEY, name VARCHAR(250), status VARCHAR(9), start_time BIGINT,
    lifecycle_stage VARCHAR(20), experiment_id INTEGER);
CREATE TABLE params (key VARCHAR(250), value VARCHAR(8000), run_uuid VARCHAR(32));
CREATE TABLE tags (key VARCHAR(250), value VARCHAR(5000), run_uuid VARCHAR(32));
CREATE TABLE latest_metrics (key VARCHAR(250), value FLOAT, timestamp BIGINT, step BIGINT, is_nan BOOLEAN,
    run_uuid VARCHAR(32));
"""


def write_database(path):
    with closing(sqlite3.connect(path)) as base:
        base.executescript(SCHEMA)
        base.execute("INSERT INTO experiments VALUES (1, 'comparison', 'active')")
        for i, (method, task, score) in enumerate(runs()):
            base.execute("INSERT INTO runs VALUES (?, ?, 'FINISHED', ?, 'active', 1)", (str(i), f"{method} {i}", i))
            pairs = [("model", method), ("dataset", task), ("alpha", "0.5")]
            base.executemany("INSERT INTO params VALUES (?, ?, ?)", [(*pair, str(i)) for pair in pairs])
            metrics = [("accuracy", score, 0), ("loss", 0, 1)]
            base.executemany("INSERT INTO latest_metrics VALUES (?, ?, 0, 9, ?, ?)", [(*m, str(i)) for m in metrics])
        base.execute("INSERT INTO runs VALUES ('x', 'half', 'RUNNING', 99, 'active', 1)")
        base.execute("INSERT INTO runs VALUES ('y', 'gone', 'FINISHED', 99, 'deleted', 1)")
        base.commit()


def test_mlflow_database(tmp_path):
    path = tmp_path / "mlflow.db"
    write_database(path)
    before = path.read_bytes()
    results = gx.read_results(path)
    assert list(results) == ["name", "model", "dataset", "alpha", "accuracy", "loss"]
    assert results["alpha"].tolist() == [0.5] * 12 and results["loss"].isna().all()
    said = {"1 runs that are deleted were left out", "1 runs that are not finished were left out"}
    assert said <= {*results.attrs["notes"]}
    same_scores(guessed(results))
    assert path.read_bytes() == before and [file.name for file in tmp_path.iterdir()] == ["mlflow.db"]
    with closing(sqlite3.connect(path)) as base:
        base.execute("PRAGMA journal_mode = WAL")
    pd.testing.assert_frame_equal(gx.read_results(path), results)


def test_databases_that_are_not_read(tmp_path):
    with closing(sqlite3.connect(tmp_path / "other.db")) as base:
        base.execute("CREATE TABLE scores (a, b)")
    with pytest.raises(gx.errors.DataError, match=r"other\.db is an SQLite database with scores, and none of MLflow"):
        gx.read_results(tmp_path / "other.db")
    write_database(tmp_path / "cut.db")
    (tmp_path / "cut.db").write_bytes((tmp_path / "cut.db").read_bytes()[:5000])
    with pytest.raises(gx.errors.DataError, match=r"cut\.db is a damaged SQLite database"):
        gx.read_results(tmp_path / "cut.db")


def test_mlflow_folder(tmp_path):
    """As MLflow 3 writes it: lines of a metric are time, value and step; a name with a slash makes a folder."""
    store = tmp_path / "mlruns"

    def put(path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    put(store / "7" / "meta.yaml", "experiment_id: '7'\nlifecycle_stage: active\nname: comparison\n")
    for i, (method, task, score) in enumerate(runs()):
        run = store / "7" / f"{i:032x}"
        about = f"run_id: {i:032x}\nrun_name: calm-bear-{i}\nstatus: 3\nlifecycle_stage: active\ntags: []\n"
        put(run / "meta.yaml", about)
        put(run / "params" / "model", method)
        put(run / "params" / "dataset", task)
        put(run / "metrics" / "test" / "accuracy", f"1700000000002 {score} 1\n1700000000001 0.1 0\n")
        put(run / "artifacts" / "model" / "MLmodel", "flavors:\n")
    put(store / "7" / ("f" * 32) / "meta.yaml", "run_name: half\nstatus: 1\nlifecycle_stage: active\n")
    put(store / "7" / ("f" * 32) / "metrics" / "loss", "1700000000000 3 0\n")
    results = gx.read_results(store)
    assert list(results) == ["dataset", "model", "test/accuracy"] and results.attrs["format"] == "MLflow"
    assert "names of runs were left out: they were drawn at random" in results.attrs["notes"]
    same_scores(guessed(results))
    put(run / "metrics" / "test" / "accuracy", "0.5\n")
    with pytest.raises(gx.errors.DataError, match="accuracy: lines must be 'time value step'"):
        gx.read_results(store)


# --- rliable ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["npz", "json"])
def test_dictionaries_of_rliable(tmp_path, ending):
    scores = {name: np.random.default_rng(i).random((3, 5)) for i, name in enumerate(SCORES)}
    if ending == "npz":
        np.savez(tmp_path / "a.npz", **scores)
    else:
        (tmp_path / "a.json").write_text(json.dumps({name: table.tolist() for name, table in scores.items()}))
    results = gx.read_results(tmp_path / f"a.{ending}")
    assert "rows for runs" in results.attrs["read_as"]
    found = guessed(results)
    assert found.average_over == ["run"]
    for name, table in scores.items():
        np.testing.assert_allclose(found.scores()[name], table.mean(axis=0))


def test_arrays_that_are_not_read(tmp_path):
    np.savez(tmp_path / "frames.npz", a=np.arange(24.0).reshape(2, 3, 4), b=np.zeros((2, 3, 4)))
    assert gx.read_results(tmp_path / "frames.npz")["score"].tolist()[:6] == [3, 7, 11, 15, 19, 23]
    for name, arrays, said in [
        ("pickled", {"a": np.array([{}], dtype=object)}, "holds pickled Python objects: reading them runs whatever"),
        ("flat", {"a": np.zeros(3)}, r"runs x games, one for each algorithm; a has shape \(3,\)"),
        ("uneven", {"a": np.zeros((2, 3)), "b": np.zeros((2, 4))}, "different numbers of games"),
    ]:
        np.savez(tmp_path / f"{name}.npz", **arrays)
        with pytest.raises(gx.errors.DataError, match=said):
            gx.read_results(tmp_path / f"{name}.npz")
    np.save(tmp_path / "one.npy", np.array({"a": 1}, dtype=object))
    with pytest.raises(gx.errors.DataError, match=r"one\.npy is one array of NumPy"):
        gx.read_results(tmp_path / "one.npy")
    content = (tmp_path / "frames.npz").read_bytes()
    (tmp_path / "cut.npz").write_bytes(content[:200] + bytes(50) + content[250:])
    with pytest.raises(gx.errors.DataError, match="damaged"):
        gx.read_results(tmp_path / "cut.npz")


# --- folders of JSON --------------------------------------------------------------------------------------------------


def test_a_folder_of_tables_in_json(tmp_path):
    """As Dopamine publishes its baselines: a file for each game, a row for each agent and iteration."""
    for i, task in enumerate(TASKS):
        rows = [{"Iteration": 0, "Value": scores[i], "Agent": name} for name, scores in SCORES.items()]
        (tmp_path / f"{task}.json").write_text(json.dumps(rows))
    results = gx.read_results(tmp_path)
    assert list(results) == ["file", "Iteration", "Value", "Agent"] and results.attrs["format"] == "tables"
    same_scores(gx.Study(results, alternatives="Agent", target="Value", over="file"))
    pd.DataFrame(SCORES).to_csv(tmp_path / "scores.csv", index=False)
    assert gx.read_results(tmp_path)["svm"].tolist() == SCORES["svm"]
