"""Results in stores and tables of other programs: a table of recognizers, and a small reader for each.

Every Eval Ever, bencheval and TabArena, OpenML, MLflow, Weights & Biases, rliable's dictionaries. Nothing here is
unpickled or executed, a database is copied into memory and only read, and what is read is bounded by `Limit`.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import listed, shown
from genexpy_nb.common.errors import DataError
from genexpy_nb.common.files import Limit, below, described, read_file
from genexpy_nb.datasets import opening
from genexpy_nb.datasets.texttables import NO_VALUE, NUMBER, OF, PERCENT, as_series
from genexpy_nb.datasets.words import NEARLY, among, direction_of

#: What is recognized here, and by what.
FORMATS = {
    "Every Eval Ever": "JSON with model_info and evaluation_results, or samples in JSON lines",
    "bencheval": "a table with method, task or dataset, and metric_error",
    "OpenML": "a listing of evaluations with run_id, task_id, flow_name, function and value",
    "MLflow": "an mlruns folder, or its SQLite file",
    "Weights & Biases": "the table of runs as CSV",
    "rliable": "{algorithm: runs x games} as .npz or JSON",
}

Read = tuple[pd.DataFrame, dict[str, Any], list[str]]
_DRAWN_NAME = r"[a-z]+-[a-z]+-\d+"  # what MLflow and Weights & Biases call a run that nobody named


# --- records of other programs, as a study ----------------------------------------------------------------------------


def need(body: Any, path: Path, *keys: str) -> Any:
    """Return what stands under keys, or say which of them is missing in which file."""
    for position, key in enumerate(keys):
        if not isinstance(body, Mapping) or key not in body:
            raise DataError(f"{path}: {'.'.join(keys[: position + 1])} is missing")
        body = body[key]
    return body


def left_out(what: list[str], kind: str) -> list[str]:
    """Say what was left out, if anything was."""
    return [f"{len(what)} {kind} were left out ({listed(what, 3)})"] if what else []


def number(value: Any) -> float:
    """Return a score, missing where the program wrote none, such as "N/A"."""
    return float(value) if isinstance(value, int | float) else float("nan")


def number_repeats(frame: pd.DataFrame, key: Sequence[str]) -> pd.DataFrame:
    """Return the frame with a column ``run``, 1 for the first row of a key, if some key stands in several rows."""
    if frame.empty:
        return frame
    run = frame.groupby(list(key), dropna=False).cumcount() + 1
    return frame.assign(run=run) if (run > 1).any() else frame


def several(frame: pd.DataFrame, cell: Sequence[str], column: str) -> bool:
    """Say whether a column has several levels in some cell."""
    return bool((frame.groupby(list(cell), dropna=False)[column].nunique() > 1).any())


def study_roles(frame: pd.DataFrame, known: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the arguments of the `genexpy_nb.Study` that fits a tidy frame, by its known roles, and what is left."""
    words: dict[str, Any] = {role: known[role] for role in ("alternatives", "target", "generalize_over")}
    rows, fixed, cell = frame, {}, [known["alternatives"], known["generalize_over"]]
    for column in known.get("fix", ()):
        if rows[column].nunique() > 1:
            fixed[column] = rows.drop_duplicates([*cell, column]).groupby(column, sort=False).size().idxmax()
            rows = rows[rows[column] == fixed[column]]
    for role, columns in (("design", known.get("design", ())), ("average_over", known.get("average", ()))):
        if varied := [column for column in columns if column in rows and several(rows, cell, column)]:
            words[role] = varied
    if fixed:
        words["fixed"] = fixed
    better = known.get("higher_is_better")
    if better is not None and len(rows) and not rows[better].fillna(True).astype(bool).all():
        words["higher_is_better"] = False
    levels = " and ".join(f"{key} {value!r}" for key, value in fixed.items())
    notes = [f"the study in attrs['call'] takes {levels}"] if fixed else []
    sizes = {column: (rows[column].nunique(), frame[column].nunique()) for column in reversed(cell)}
    if few := [f"{n} of {n_all} levels of {column!r}" for column, (n, n_all) in sizes.items() if n < n_all]:
        notes[0] += f", which only {' and '.join(few)} have"
    return words, notes


# --- Every Eval Ever --------------------------------------------------------------------------------------------------


def without_texts(rows: list[tuple[int, Any]], path: Path) -> list[tuple[int, Any]]:
    """Return rows of JSON lines; of samples in Every Eval Ever's schema only model, task, item and score."""
    if not {"evaluation_id", "model_id", "sample_id", "evaluation"} <= {*rows[0][1]}:
        return rows
    keys = {"model": ["model_id"], "task": ["evaluation_name"], "item": ["sample_id"], "score": ["evaluation", "score"]}
    found = [{name: need(row, path, *at) for name, at in keys.items()} for _, row in rows]
    return [*enumerate((row | {"score": number(row["score"])} for row in found), start=1)]


def eee(files: list[tuple[Path, Any]]) -> Read:
    """Return a row per evaluation of Every Eval Ever's files, each of one model."""
    rows = []
    for path, body in sorted(files, key=lambda file: (str(file[1].get("retrieved_timestamp")), str(file[0]))):
        source, model = str(need(body, path, "evaluation_id")).partition("/")[0], need(body, path, "model_info", "id")
        for result in need(body, path, "evaluation_results"):
            said, score = leaves(result), need(result, path, "score_details", "score")
            metric = said.get("metric_config.metric_id") or said.get("metric_config.metric_name") or "score"
            row = {"source": source, "model": model, "task": str(need(result, path, "evaluation_name"))}
            row |= {"dataset": said.get("source_data.dataset_name", ""), "metric": metric}
            error, n = (said.get(f"score_details.uncertainty.{key}") for key in ("standard_error", "num_samples"))
            row |= {"score": number(score), "stderr": number(error), "n_samples": n}
            rows.append(row | {"lower": need(result, path, "metric_config", "lower_is_better")})
    frame, notes = pd.DataFrame(rows), list[str]()
    if frame.empty:
        return frame, {}, notes
    sources = [frame["source"], frame["dataset"], *(frame[c].map(_bare) for c in ("source", "dataset"))]
    same = pd.concat([frame["task"].eq(s) | frame["task"].map(_bare).eq(s) for s in sources], axis=1).any(axis=1)
    not_alone = frame.groupby("source")["task"].transform("nunique") > 1
    named = frame["task"].map(lambda name: bool(among(name, "average")) or _bare(name) == "score")
    overall = (named | same) & not_alone
    notes += left_out(sorted({*frame.loc[overall, "task"]}), "averages over evaluations")
    starts = tuple(frame.loc[overall, "task"].unique())
    frame = frame[~overall].reset_index(drop=True)
    parts = [task for task in frame["task"].unique() if starts and task.startswith(starts)]
    if 0 < len(parts) < frame["task"].nunique() / 2:
        notes.append(f"{listed(parts, 3)} begin with a name that was left out: are they averages of other parts?")
    if frame["source"].nunique() > 1:
        frame["task"] = frame["source"] + ": " + frame["task"]
    lower = frame.pop("lower").astype(bool)
    higher_is_better = bool(lower.mean() <= 0.5)
    turned = lower if higher_is_better else ~lower  # has the direction that most scores have not
    if turned.any():
        frame["score"] = frame["score"].where(~turned, -frame["score"])
        better, which = "lower" if higher_is_better else "higher", listed(frame["task"][turned].unique())
        notes.append(f"scores of which {better} is better have the other sign ({which})")
    frame = frame.drop(columns=["source", "dataset"]).assign(higher_is_better=higher_is_better)
    frame = number_repeats(frame, ["model", "task", "metric"])
    fix = ["metric"] if several(frame, ["model", "task"], "metric") else []
    return frame, {"fix": fix, "average": ["run"], "higher_is_better": "higher_is_better"}, notes


def _bare(name: str) -> str:
    return re.sub(r"[\W_]", "", name.lower())


# --- tables -----------------------------------------------------------------------------------------------------------


def read_table(frame: pd.DataFrame, name: str, words: str, notes: Sequence[str]) -> pd.DataFrame | None:
    """Return what a table of another program says, or None if it is of none that is known here."""
    columns = {*map(str, frame)}
    undotted = {column.replace(".", "_") for column in columns}
    if is_search(columns):
        form, read = "scikit-learn cv_results_", _search
    elif {"method", "metric_error"} <= columns and {"task", "dataset"} & columns:
        form, read = "bencheval", _bencheval
    elif {"run_id", "task_id"} <= undotted and any(column.startswith(("flow", "setup")) for column in columns):
        form, read = "OpenML", _openml
    elif ("Name" in columns and len(columns & {*_OF_WANDB}) >= 2) or {"name", "config", "summary"} <= columns:
        form, read = "Weights & Biases", _wandb
    elif {"Wall time", "Step", "Value"} == columns or any(f"{c}__MIN" in columns and " - " in c for c in columns):
        remedy = "Export the table of runs instead, with columns that say what was run on what"
        chart = "a chart of Weights & Biases or TensorBoard: one measure of a run at every step"
        raise opening.Chart(f"{name} is {chart}, and steps are no experiments. {remedy}")
    else:
        return None
    found, arguments, more = read(frame, name)
    sentence, notes = f"{form}, read from {words}, {len(found)} rows", [*notes, *more]
    if not arguments:
        return described(found, form, sentence, notes)
    better = arguments.pop("better")
    roles, others = study_roles(found, arguments)
    if better:
        roles["higher_is_better"] = better == "higher"
    return described(found, form, sentence, [*notes, *others], roles)


def _bencheval(frame: pd.DataFrame, name: str) -> Read:
    over, notes = "task" if "task" in frame else "dataset", []
    if "imputed" in frame:
        imputed = frame["imputed"].astype(str).str.lower().isin(["true", "1", "1.0"])
        frame = frame[~imputed].reset_index(drop=True)
        notes += [f"{imputed.sum():,} imputed rows were left out: another method's result is not an evaluation"]
    if "metric" in frame and frame["metric"].nunique() > 1:
        notes.append("metric_error is of several metrics: ranks compare methods within each task, means do not")
    repeated = [c for c in ("seed", "fold", "repeat", "split") if c in frame and c != over]
    words = {"alternatives": "method", "target": "metric_error", "generalize_over": over, "average": repeated}
    return frame, {**words, "better": "lower"}, notes


def _openml(frame: pd.DataFrame, name: str) -> Read:
    frame = frame.rename(columns=lambda column: str(column).replace(".", "_"))
    numbers = [name for name in frame if frame[name].dtype.kind in "fi" and not name.endswith("_id")]
    measures, in_rows = [name for name in numbers if direction_of(name)[0]], {"function", "value"} <= {*frame}
    if not {"flow_name", "flow_id"} & {*frame} or not (in_rows or measures):
        remedy = "pass evaluations, such as openml.evaluations.list_evaluations('predictive_accuracy', studies=[99])"
        raise DataError(f"{name} lists runs of OpenML without scores: {remedy}")
    flow = frame["flow_name"] if "flow_name" in frame else frame["flow_id"].astype(str)
    task = frame["task_id"].map("task {}".format)
    if "data_name" in frame:
        names = frame["data_name"].astype(str)
        task = names.where(frame.groupby(names)["task_id"].transform("nunique") == 1, names + " (" + task + ")")
    about = pd.DataFrame({"flow": flow, "task": task})
    if "setup_id" in frame:
        about["setup"] = frame["setup_id"].map("setup {}".format)
    if in_rows:
        found = about.assign(metric=frame["function"], score=pd.to_numeric(frame["value"], errors="coerce"))
    else:
        parts = [about.assign(metric=each, score=frame[each]) for each in measures]
        found = pd.concat(parts, ignore_index=True).dropna(subset=["score"])
    found = number_repeats(found, [*about, "metric"])
    metric, notes = found["metric"].value_counts().index[0], []
    compared = "flow" if found["flow"].nunique() > 1 or "setup" not in found else "setup"
    if compared == "flow" and "setup" in found and several(found, ["flow", "task", "metric"], "setup"):
        notes.append("settings (setups) of a flow are averaged on each task: a mean over what was tried, not the best")
    words = {"alternatives": compared, "target": "score", "generalize_over": "task", "fix": ["metric"]}
    average = [column for column in ("setup", "run") if column != compared]
    better = "lower" if among(metric, "lower cost") else "higher"  # all others of OpenML's measures
    return found, {**words, "average": average, "better": better}, notes


# --- runs of MLflow and Weights & Biases ------------------------------------------------------------------------------

_OF_WANDB = (
    "State", "Notes", "User", "Tags", "Created", "Runtime", "Sweep", "Commit", "Hostname", "GitHub", "Updated", "Agent",
    "End Time", "GPU Type", "GPU Count", "CPU Count", "Python", "Description", "Run ID", "ID", "Host",
)  # fmt: skip
_BOOKKEEPING = re.compile(r"^_|^(?:gradients|parameters|system|graph)[./_]|[/.]_(?:step|runtime|timestamp)$")


def _wandb(frame: pd.DataFrame, name: str) -> Read:
    if {"config", "summary"} <= {*frame}:
        said = [[_said(cell, name, i) for i, cell in enumerate(frame[c], start=1)] for c in ("config", "summary")]
        rows = [{"name": called, **_merged(*each)} for called, *each in zip(frame["name"], *said, strict=True)]
        frame = pd.DataFrame(rows).rename(columns={"name": "Name"})
    notes = []
    if "State" in frame:
        ended = frame["State"].astype(str).str.lower().eq("finished")
        states = frame.loc[~ended, "State"].value_counts()
        if ended.any():
            notes += [f"{n:,} runs that are {state} were left out" for state, n in states.items()]
            frame = frame[ended].reset_index(drop=True)
    known = [c for c in frame if c in _OF_WANDB or _BOOKKEEPING.search(str(c)) or frame[c].isna().all()]
    return _runs(frame.drop(columns=known), "Name", notes), {}, notes


def _said(cell: Any, name: str, row: int) -> dict[str, Any]:
    """Return the values in a cell that holds a dictionary as Python writes it, as ``outer.inner``."""
    try:
        body = cell if isinstance(cell, Mapping) else ast.literal_eval(re.sub(r"\b(?:nan|inf)\b", "None", str(cell)))
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        raise DataError(f"{name}: row {row} of config or summary is no dictionary: {shown(cell, most=40)}") from error
    return leaves(body) if isinstance(body, Mapping) else {}


def leaves(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is in a dictionary of dictionaries, as ``outer.inner``, without lists; of {value, desc} the value."""
    found = {key: value for key, value in flattened(body).items() if not isinstance(value, list | tuple)}
    return {key.removesuffix(".value"): value for key, value in found.items() if not key.endswith(".desc")}


def _merged(settings: Mapping[str, Any], measures: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings and measures of a run; a measure that is called as a setting is "metric.NAME"."""
    return {**settings, **{f"metric.{key}" if key in settings else key: value for key, value in measures.items()}}


def _runs(frame: pd.DataFrame, named: str, notes: list[str]) -> pd.DataFrame:
    """Return runs with numbers where all are numbers, without names that a program drew."""
    if named in frame and frame[named].astype(str).str.fullmatch(_DRAWN_NAME).mean() > 0.9:
        notes.append("names of runs were left out: they were drawn at random")
        frame = frame.drop(columns=named)
    for column in frame:
        numbers = pd.to_numeric(frame[column], errors="coerce")
        if frame[column].dtype.kind not in "biuf" and numbers.notna().eq(frame[column].notna()).all():
            frame = frame.assign(**{column: numbers})
    return frame


def read_runs(runs: Iterable[Sequence[Any]], name: str) -> pd.DataFrame:
    """Return a table of MLflow's runs: experiment, name, status, stage, parameters, and last values of metrics."""
    rows, states = [], Counter[str]()
    for experiment, called, status, stage, params, metrics in runs:
        if stage == "deleted" or status not in ("FINISHED", "3"):
            states["deleted" if stage == "deleted" else "not finished"] += 1
        elif metrics:
            rows.append({"experiment": experiment, "name": called, **_merged(params, metrics)})
        else:
            states["without a metric"] += 1
    notes = [f"{n:,} runs that are {state} were left out" for state, n in states.items()]
    if not rows:
        raise DataError(f"{name} is an MLflow store without a finished run that has a metric: {'; '.join(notes)}")
    frame = _runs(pd.DataFrame(rows), "name", notes)
    if frame["experiment"].nunique() == 1:
        notes.append(f"all runs are of the experiment {shown(frame['experiment'].iloc[0])}")
        frame = frame.drop(columns="experiment")
    return described(frame, "MLflow", f"MLflow, {len(frame)} runs, {len(frame.columns)} columns", notes)


_RUNS = """
SELECT runs.run_uuid, coalesce(experiments.name, experiment_id), coalesce(nullif(runs.name, ''), tags.value, ''),
    CAST(status AS TEXT), runs.lifecycle_stage
FROM runs LEFT JOIN experiments USING (experiment_id)
    LEFT JOIN tags ON tags.run_uuid = runs.run_uuid AND tags.key = 'mlflow.runName' ORDER BY start_time
"""
_OF_RUNS = """
SELECT run_uuid, 4, key, value FROM params
UNION ALL SELECT run_uuid, 5, key, CASE WHEN is_nan THEN NULL ELSE value END FROM latest_metrics
"""


def read_database(content: bytes, name: str, limit: Limit) -> pd.DataFrame:
    """Return the runs in MLflow's SQLite file; SQLite sees a copy in memory, and nothing is written."""
    import sqlite3

    content = content[:18] + b"\x01\x01" + content[20:]  # a write-ahead log beside it is not read
    try:
        with closing(sqlite3.connect(":memory:")) as base:
            base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(limit.size, 2**30))
            base.deserialize(content)
            base.text_factory = lambda text: text.decode("utf-8", "replace")
            base.execute("PRAGMA trusted_schema = OFF")
            base.execute("PRAGMA query_only = ON")
            tables = [row[0] for row in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            if not {"experiments", "runs", "params", "latest_metrics", "tags"} <= {*tables}:
                found = f"{name} is an SQLite database with {listed(tables, most=4)}, and none of MLflow"
                raise DataError(f"{found}: write the table that you mean as CSV")
            runs = {run: (*about, {}, {}) for run, *about in base.execute(_RUNS)}
            for run, at, key, value in base.execute(_OF_RUNS):
                if run in runs:
                    runs[run][at][key] = value
    except sqlite3.Error as error:
        raise DataError(f"{name} is a damaged SQLite database, or not one of MLflow: {error}") from error
    return read_runs(runs.values(), name)


def run_folders(files: Iterable[Path]) -> list[Path]:
    """Return the folders of MLflow's runs among files: those with meta.yaml beside metrics or params."""
    metas = {file.parent for file in files if file.name == "meta.yaml"}
    kept = {folder.parent for file in files for folder in file.parents[:6] if folder.name in ("metrics", "params")}
    return sorted(kept & metas)


def read_folders(folders: Sequence[Path], name: str, limit: Limit) -> pd.DataFrame:
    """Return the runs in an mlruns folder of plain files."""

    def texts(folder: Path) -> dict[str, str]:
        files = below(folder, limit) if folder.is_dir() else []
        return {file.relative_to(folder).as_posix(): _text(file, limit).strip() for file in files}

    def runs() -> Iterator[tuple[Any, ...]]:
        for folder in folders:
            about, above = (_plain(each / "meta.yaml", limit) for each in (folder, folder.parent))
            called = about.get("run_name") or texts(folder / "tags").get("mlflow.runName", "")
            status, stage = about.get("status", "3"), about.get("lifecycle_stage", "active")
            metrics = {key: _last(text, folder / key) for key, text in texts(folder / "metrics").items()}
            yield above.get("name", folder.parent.name), called, status, stage, texts(folder / "params"), metrics

    return read_runs(runs(), name)


def _text(path: Path, limit: Limit) -> str:
    return read_file(path, limit).decode("utf-8", "replace")


def _plain(path: Path, limit: Limit) -> dict[str, str]:
    """Return the entries of a flat YAML file as texts."""
    lines = re.findall(r"^(\w+): (.*)$", _text(path, limit) if path.is_file() else "", re.MULTILINE)
    return {key: value.strip().strip("'\"") for key, value in lines}


def _last(text: str, path: Path) -> float:
    """Return the last value of a metric, of lines with time, value and step."""
    try:
        lines = [line.split() for line in text.splitlines() if line.strip()]
        return float(max(lines, key=lambda line: (int(line[2]) if len(line) > 2 else 0, int(line[0])))[1])
    except (ValueError, IndexError) as error:
        raise DataError(f"{path}: lines must be 'time value step', as in '1700000000000 0.5 0'") from error


# --- objects of JSON --------------------------------------------------------------------------------------------------

_FEWEST_LISTS, _MOST_MEASURES, _MUCH_LARGER = 4, 9, 10  # by which numbers of lists are measures, and no runs
_LIST = re.compile(rf"\[\s*{NUMBER}(?:[,\s]+{NUMBER})*\s*\]")  # of numbers, as a text


def frame_of(rows: Sequence[Mapping[str, Any]], keys: Iterable[str]) -> pd.DataFrame:
    """Return a frame of some values of objects, with a row for each."""
    return pd.DataFrame({key: as_series(_alike([row.get(key) for row in rows])) for key in keys})


def _alike(values: list[Any]) -> list[Any]:
    """Return truth values among texts as texts: together they have no order; "nan" is no value, 1 is True beside it."""
    kinds = {*map(type, values)} - {type(None)}
    if bool in kinds and kinds <= {bool, int, float} and {*values} <= {None, 0, 1}:
        return [None if value is None else bool(value) for value in values]
    if kinds == {str} and all(value is None or PERCENT.fullmatch(value) for value in values):
        return [value and float(OF.sub("", value).rstrip("% ")) for value in values]
    mixed = {str, bool} <= kinds
    if mixed and {value.strip().lower() for value in values if isinstance(value, str)} <= NO_VALUE:
        return [None if isinstance(value, str) else value for value in values]
    return [str(value) if isinstance(value, bool) else value for value in values] if mixed else values


def numbers_in(cell: Any) -> list[float]:
    """Return the numbers of a list, also one written as text, and NaN for null; none if it is something else."""
    if isinstance(cell, str) and _LIST.fullmatch(cell):
        return [float(text) for text in re.findall(NUMBER, cell)]
    kinds = {*map(type, cell)} if isinstance(cell, list) else set()
    numbers = kinds & {int, float} and kinds <= {int, float, type(None)}
    return [float("nan") if each is None else each for each in cell] if numbers else []


def _paths(body: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield whatever is no object, with the keys above it."""
    for key, value in body.items():
        if isinstance(value, dict):
            yield from _paths(value, (*above, key))
        else:
            yield (*above, key), value


def flattened(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of an object in an object as ``outer.inner``."""
    return {".".join(keys): value for keys, value in _paths(row)}


class Rows(NamedTuple):
    """The objects that are rows, each with its number in the file, and what was done to find them."""

    rows: list[tuple[int, Any]]
    notes: list[str]


def runs_below(body: dict[str, Any]) -> Rows:
    """Return a row for each number of lists below as many keys, if an object holds nothing else; lists may be empty."""
    found = [*_paths(body)]
    depths = {len(keys) for keys, _ in found}
    if len(depths) != 1 or not all(each == [] or (isinstance(each, list) and numbers_in(each)) for _, each in found):
        return Rows([], [])
    called = [f"key {i}" for i in range(1, 1 + max(depths))] if max(depths) > 1 else ["key"]
    spans = _spans([numbers_in(each) for _, each in found])
    rows = [(keys, i, value) for keys, each in found for i, value in enumerate(each, start=1)]
    which = [{"metric": f"position {i}"} if spans else {"run": i} for _, i, _ in rows]
    made = [
        {**dict(zip(called, row[0], strict=True)), **own, "value": row[2]} for row, own in zip(rows, which, strict=True)
    ]
    said = f"numbers of a list are no runs, because they differ too much: {listed(spans, 9)}; what does each measure?"
    return Rows([*enumerate(made, start=1)], [said] * bool(spans))


def _spans(lists: Sequence[list[float]]) -> list[str]:
    """Return where numbers lie at each position of short lists, if these differ more than runs; or nothing."""
    n = len(lists[0])
    if len(lists) < _FEWEST_LISTS or {*map(len, lists)} != {n} or not 1 < n <= _MOST_MEASURES:
        return []
    columns = [*np.array(lists, dtype=float).T]
    apart = [(np.abs(a) > _MUCH_LARGER * np.abs(b)) | ((a > 0) & (b < 0)) for a, b in permutations(columns, 2)]
    ends = [f"{column.min():.3g} to {column.max():.3g} at position {i}" for i, column in enumerate(columns, start=1)]
    return ends * any(each.mean() >= NEARLY for each in apart)


def each_in_a_row(rows: list[tuple[int, dict[str, Any]]]) -> Rows:
    """Give each object in lists under one key a row, again and again: runs, their samples; or none without scores."""
    notes = list[str]()
    while True:
        lists = ((key, value) for _, row in rows for key, value in row.items() if isinstance(value, list) and value)
        keys = dict.fromkeys(key for key, value in lists if isinstance(value[0], dict))
        inner = {key: [each for _, row in rows for each in row.get(key) or ()] for key in keys}
        inner = {key: found for key, found in inner.items() if all(isinstance(each, dict) for each in found)}
        most = max(map(_measured, inner.values()), default=0)
        best = [key for key in inner if _measured(inner[key]) == most]
        if len(best) != 1:
            return Rows(rows, notes)
        outer = [(n, {k: v for k, v in row.items() if k != best[0]}) for n, row in rows]
        if _measured([row for _, row in outer]) > most:
            why = "because what is in the list has no score of its own"
            return Rows(outer, [*notes, f"each object with a list {best[0]!r} is a row, {why}"])
        without = sum(not row.get(best[0]) for _, row in rows)
        lost = f", and {without} without any were left out" * bool(without)
        notes.append(f"each object in {best[0]!r} is a row{lost}")
        pairs = ((n, row, row.get(best[0]) or ()) for n, row in rows)
        rows = [(n, flattened({**row, best[0]: each})) for n, row, objects in pairs for each in objects]


def each_key_in_a_row(rows: list[tuple[int, dict[str, Any]]]) -> Rows:
    """Give {"recall": {"a": 1, "b": 2}, "error": {"a": 3, "b": 4}} a row for each key below several measures."""
    stems: dict[str, dict[str, None]] = {}
    for _, row in rows:
        for name in (name for name, value in row.items() if type(value) in (int, float) and "." in name):
            stem, _, key = name.rpartition(".")
            stems.setdefault(stem, {})[key] = None
    often = Counter(map(frozenset, stems.values())).most_common(1)
    keys = often[0][0] if often and often[0][1] > 1 < len(often[0][0]) else ()
    inside = [stem for stem in stems if stems[stem].keys() == {*keys}]
    named = any(among(stem, "higher lower generic measure") for stem in inside)  # and keys are no measures
    if not named or any(among(key, "higher lower generic measure average spread size cost speed") for key in keys):
        return Rows(rows, [])
    pools = {k for _, row in rows for k, v in row.items() if isinstance(v, float) or among(k, "average")}
    names = dict.fromkeys(name for _, row in rows for name in row)  # a key may hold a point itself: "points.gpt-4.5"
    cuts = {name: (stem, name[len(stem) + 1 :]) for stem in inside for name in names if name.startswith(f"{stem}.")}
    made = []
    for n, row in rows:
        own: dict[str, dict[str, Any]] = {}
        for name in (name for name in row if name in cuts):
            stem, key = cuts[name]
            own.setdefault(key, {"key": key})[stem] = row[name]
        beside = {name: value for name, value in row.items() if name not in pools and name not in cuts}
        made += [(n, beside | each) for each in own.values()]
    return Rows(made, [f"each key below {listed(map(repr, inside), 3)} is a row"])


def _measured(objects: list[dict[str, Any]]) -> int:
    """Return 2 if numbers are called scores, 1 if there are numbers or something says who won, and 0 otherwise."""
    values = [found for each in objects[:1000] for found in flattened(each).items()]
    numbers = {key for key, value in values if isinstance(value, int | float)}
    if any(among(name, "higher lower generic") for name in numbers):
        return 2
    return int(bool(numbers) or any(among(key, "verdict") for key, _ in values))


# --- scikit-learn's hyperparameter searches, a row per candidate, split and metric ------------------------------------

_SPLIT = re.compile(r"split(\d+)_test_(.+)")


def is_search(columns: Iterable[Any]) -> bool:
    """Return whether these are the keys of a ``cv_results_``."""
    names = [*map(str, columns)]
    return all(any(re.match(start, name) for name in names) for start in ("params$|param_", "mean_test_"))


def as_table(results: Mapping[str, Any] | pd.DataFrame, name: str) -> pd.DataFrame:
    """Return a ``cv_results_`` as a frame."""
    try:
        return pd.DataFrame({key: list(results[key]) for key in results})
    except ValueError as error:
        raise DataError(f"{name}: the entries of cv_results_ have different lengths: {error}") from error


def _search(frame: pd.DataFrame, name: str) -> Read:
    splits = [key for key in frame if _SPLIT.fullmatch(key)]
    if not splits or frame.empty:
        raise DataError(f"{name} looks like cv_results_, but has no split0_test_... column: means cannot be compared")
    own = frame[[key for key in frame if key.startswith("param_")]].rename(columns=lambda c: c[6:])
    rows = frame["params"] if "params" in frame else own.to_dict("records")
    rounds = [key for key in ("iter", "n_resources") if key in frame]
    about = frame[rounds].assign(candidate=[*map(_called, rows)])
    again = about.groupby(["candidate", *rounds[:1]], dropna=False).cumcount()  # as a randomized search may draw them
    about["candidate"] += [f" (#{n + 1})" if n else "" for n in again]
    found = about.join(frame[splits]).melt(["candidate", *rounds], var_name="split", value_name="score")
    parts = found["split"].str.extract(_SPLIT)
    try:
        found = found.assign(split=parts[0].astype(int), metric=parts[1], score=found["score"].astype(float))
    except (OverflowError, TypeError, ValueError) as error:
        raise DataError(f"{name}: scores of cv_results_ must be numbers: {error}") from error
    notes = ["scores of the training parts and times were left out"]
    notes.append("splits are of one dataset: a study of them tells about other splits of it, not about other data")
    if missing := int(found["score"].isna().sum()):
        notes.append(f"{missing} scores are missing: those fits failed")
    words = {"alternatives": "candidate", "target": "score", "generalize_over": "split", "fix": ["metric"]}
    return found, {**words, "design": rounds[:1], "better": ""}, notes


def _called(params: Any) -> str:
    if isinstance(params, str):  # of a CSV file
        try:
            params = ast.literal_eval(params)
        except (ValueError, SyntaxError):  # an estimator's repr among the values
            return params.strip().removeprefix("{").removesuffix("}")
    if not isinstance(params, Mapping):
        return str(params)
    known = {k: v for k, v in params.items() if v is not np.ma.masked and not (type(v) is float and v != v)}
    return ", ".join(f"{key}={' '.join(str(value).split())}" for key, value in known.items()) or "defaults"
