"""Results that other programs write as JSON: MTEB, HELM, lm-evaluation-harness, Inspect; one row per evaluation.

The formats are those of mteb 1.11 and later, crfm-helm 0.5, lm-eval 0.3 to 0.4 and inspect-ai 0.3; those in `stores`
are found here, too, if they are JSON. `parse_json` and `parse_yaml` say what a file of either holds.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from genexpy_nb.common.checks import listed, shown
from genexpy_nb.common.errors import DataError
from genexpy_nb.common.files import Limit, all_of, decoded, described, read_file
from genexpy_nb.datasets import stores
from genexpy_nb.datasets.stores import left_out, need, number, number_repeats, several
from genexpy_nb.datasets.words import SECTION, among, direction_of

#: Formats that are recognised, and by what.
FORMATS = {
    "MTEB": "folders model/revision/Task.json with task_name and scores",
    "HELM": "run folders with run_spec.json and stats.json",
    "lm-evaluation-harness": "results_*.json with results and versions, configs or n-shot",
    "Inspect": "logs .eval or .json with eval, status and results",
    "promptfoo": "JSON with evalId and results.results",
    "trec_eval": "text with a measure, a query or all, and a value in each line",
    **stores.FORMATS,
}

# HELM writes these beside the scores: how the run went, not how well the model did.
_HELM_BOOKKEEPING = (
    "num_", "finish_reason_", "inference_", "training_", "batch_size", "prompt_truncated", "max_prob",
    "logprob", "perplexity", "bits_per_byte",
)  # fmt: skip
_OLD_MAIN = ("main_score", "ndcg_at_10", "v_measure", "cos_sim.ap", "cos_sim.spearman", "map", "f1")  # of MTEB
_REVISION = re.compile(r"[0-9a-f]{7,64}|no_revision\w{0,30}|external|main|master|none|v?\d[\d._-]{0,30}|r\d{1,9}")
_INSPECT_VALUES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # correct, partial, incorrect, no answer
_INSPECT_ERRORS = ("stderr", "bootstrap_stderr", "bootstrap_std")  # metrics of Inspect that belong to another one
_DAMAGED = (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, RuntimeError)
_KNOWN_DIRECTION = {"higher": True, "lower": False}  # by a metric's name, where the file says nothing
_LONGEST = 60  # characters of a prompt that has no label
_LOG = ("header.json", "summaries.json")
_NAMED = re.compile(
    r"\s{0,20}([A-Za-z][\w@%.-]{0,40})\s{0,20}[=:~]\s{0,20}(-?\d{1,20}(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?)\s{0,9}"
)
_SIGNS = r"[=:>#*~<|\[\]+-]{0,80}"
_TITLE = re.compile(rf"(\s{{0,20}})({_SIGNS})\s{{0,9}}([^\W_][\w .,/+()-]{{0,80}}?)\s{{0,9}}({_SIGNS})\s{{0,9}}")
_TREC = re.compile(r"(?i)map|r-?prec|bpref|recip_rank|ndcg|num_(?:q|ret|rel|rel_ret)|(?:p|recall|ndcg_cut)[_@]\d{1,4}")
_PAIR = re.compile(r"\s{0,9}([A-Za-z_][\w.-]{0,60})\s{0,3}[=:]\s{0,3}([^\s=:;][^=;]{0,200}|)")
_MOST_ALIASES = 5  # of what stands elsewhere: many, in each other, would stand for a whole disk
_WORDS_OF_YAML: dict[str, Any] = {"": None, "~": None, "null": None, "true": True, "false": False}
_WORDS_OF_YAML |= {f"{sign}.{word}": float(sign + word) for sign in ("", "-") for word in ("inf", "nan")}
_NUMBER_OF_YAML = re.compile(r"[-+]?(?:(?:0|[1-9]\d{0,999})(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_ZSTANDARD = 93  # the number of this compression in a zip archive; zipfile knows it from Python 3.14 on


def parse_json(content: bytes, name: str) -> Any:
    """Return what a JSON file says."""
    try:
        return json.loads(content)
    except json.JSONDecodeError as error:
        raise DataError(f"{name} is no JSON: row {error.lineno}, character {error.colno}: {error.msg}") from error
    except (ValueError, RecursionError) as error:  # bytes that are no text; thousands of digits or of brackets
        raise DataError(f"{name} is no JSON: {error}") from error


def parse_yaml(content: bytes, name: str, limit: Limit) -> Any:
    """Return what a YAML file says, as JSON would: dates, 007 and no are texts, and several documents a list."""
    most = max(10**6, limit.size // (40 if yaml.__with_libyaml__ else 400))  # it takes longer than other forms
    limit.check(name, len(content), "bytes of YAML", most)
    try:
        events = yaml.parse(decoded(content, name, None)[0], getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        bodies = (_value(event, events, {}) for event in events if isinstance(event, yaml.NodeEvent))
        found = [body for body in bodies if isinstance(body, dict | list)]  # no empty document
    except (yaml.YAMLError, RecursionError) as error:
        at = getattr(error, "problem_mark", None)
        where = f"row {at.line + 1}, character {at.column + 1}: {getattr(error, 'problem', '')}" if at else str(error)
        raise DataError(f"{name} is no YAML: {' '.join(where.split())}") from error
    return found[0] if len(found) == 1 else found


def _value(event: Any, events: Iterator[Any], known: dict[str, Any]) -> Any:
    """Return what begins with an event of YAML; ``known``: anchors, and how many aliases there were."""
    if isinstance(event, yaml.AliasEvent):
        known[""] = known.get("", 0) + 1
        if event.anchor not in known or known[""] > _MOST_ALIASES:
            problem = f"alias *{event.anchor} is unknown, or one of more than {_MOST_ALIASES}: write out what it is"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)
        return known[event.anchor]
    if (value := getattr(event, "value", None)) is None:
        inner = takewhile(lambda each: not isinstance(each, yaml.CollectionEndEvent), events)
        parts = [(getattr(each, "value", "?"), _value(each, events, known)) for each in inner]
        value = [part for _, part in parts]
        if isinstance(event, yaml.MappingStartEvent):
            value = dict(zip((key for key, _ in parts[::2]), value[1::2], strict=True))
    elif event.implicit[0]:  # without quotation marks
        number = _NUMBER_OF_YAML.fullmatch(value) and (int(value) if value.strip("+-").isdigit() else float(value))
        value = _WORDS_OF_YAML.get(value.lower(), value if number is None else number)
    known |= {event.anchor: value} if event.anchor else {}
    return value


def form_of(body: Any) -> str | None:
    """Return which of `FORMATS` the content of a JSON file has, or None."""
    if isinstance(body, list):
        is_helm = body and all(isinstance(stat, dict) and isinstance(stat.get("name"), dict) for stat in body)
        return "HELM" if is_helm and "count" in body[0] else None
    if not isinstance(body, dict):
        return None
    if isinstance(body.get("evaluation_results"), list) and "model_info" in body:
        return "Every Eval Ever"
    if isinstance(scores := body.get("scores"), dict) and ("task_name" in body or "mteb_version" in body):
        kind = dict if isinstance(body.get("main_score"), str) else list  # others write task_name and scores, too
        return "MTEB" if all(isinstance(subsets, kind) for subsets in scores.values()) else None
    if "mteb_version" in body and ("mteb_dataset_name" in body or "test" in body):
        return "MTEB"
    if "adapter_spec" in body and "scenario_spec" in body:
        return "HELM"
    if isinstance(body.get("eval"), dict) and "status" in body and "task" in body["eval"]:
        return "Inspect"
    if not isinstance(results := body.get("results"), dict):
        return None
    if isinstance(results.get("results"), list) and {"evalId", "config"} & body.keys():
        return "promptfoo"
    return "lm-evaluation-harness" if {"versions", "configs", "n-shot", "config"} & body.keys() else None


@contextmanager
def archive_of(content: bytes, name: str, limit: Limit) -> Iterator[zipfile.ZipFile]:
    """Open a zip archive, also that of a workbook, unless it is damaged or holds more than is read."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            limit.check(name, sum(member.file_size for member in archive.infolist()), " when it is unpacked")
            yield archive
    except DataError:
        raise
    except _DAMAGED as error:
        raise DataError(f"{name} is a damaged archive: {error}") from error


def read_archive(content: bytes, name: str, limit: Limit) -> dict[str, Any]:
    """Return the header of an Inspect log, which is a zip archive of JSON files."""
    with archive_of(content, name, limit) as archive:
        members = archive.namelist()
        if "header.json" in members:
            read = {m: parse_json(_member(archive, m, limit), f"{name}: {m}") for m in _LOG if m in members}
            return {**read["header.json"], "samples": read.get("summaries.json")}
    if "_journal/start.json" in members:
        raise DataError(f"{name} is the log of an Inspect run that did not end: it has no results yet")
    raise DataError(f"{name} is an archive of {listed(members, most=3)}: unpack it and pass the table in it")


def _member(archive: zipfile.ZipFile, member: str, limit: Limit) -> bytes:
    info = archive.getinfo(member)
    if info.compress_type != _ZSTANDARD:
        return archive.read(member)
    import pyarrow as pa

    packed = copy(info)  # read as it is stored
    packed.compress_type, packed.file_size, packed.CRC = zipfile.ZIP_STORED, info.compress_size, None  # type: ignore
    with archive.open(packed) as file, pa.CompressedInputStream(file, "zstd") as stream:
        body = all_of(stream, member, limit)
    if zlib.crc32(body) != info.CRC:
        raise zipfile.BadZipFile(f"Bad CRC-32 for file {member!r}")
    return body


def rows_of_log(content: bytes) -> list[dict[str, Any]]:
    """Return a row for each part of a text with lines such as "f1 = 0.8", with titles above, as "== svm =="."""
    found, above = list[tuple[dict[int, str], dict[str, Any]]](), dict[int, str]()  # of each row; titles by level
    levels, row = list[tuple[int, str, str]](), dict[str, Any]()
    for line in content.decode("utf-8", "replace").splitlines():
        if said := _NAMED.fullmatch(line):
            if said[1] in row:
                return []
            found += [] if row else [(above, row)]
            row[said[1]] = float(said[2])
        elif (title := _TITLE.fullmatch(line)) and (title[2] or title[4]):
            signs = ["#" * each.count("#") or "".join(dict.fromkeys(each)) for each in (title[2], title[4])]
            levels += [level] if (level := (len(title[1]), signs[0], signs[1])) not in levels else []
            i, row = levels.index(level), {}
            above = {n: text for n, text in above.items() if n < i} | {i: title[3].strip()}
    used = sorted({i for titles, _ in found for i in titles})
    called = {i: f"{SECTION} {n}" if len(used) > 1 else SECTION for n, i in enumerate(used, start=1)}
    for i in used:  # "run1" and "run2" are levels of "run"
        numbered = [re.fullmatch(r"(.{1,80}?)[ _-]?\d{1,9}", titles[i]) for titles, _ in found if i in titles]
        stems = {each[1] if each else "" for each in numbered}
        called[i] = stems.pop() or called[i] if len(stems) == 1 else called[i]
    return [{**{called[i]: titles.get(i) for i in used}, **measures} for titles, measures in found]


def said_in_lines(content: bytes) -> tuple[bytes, list[str]]:
    """Return a table with a header for lines that name their values, of trec_eval or as "a=1;b=2"; and notes."""
    head = [line for line in content[:4096].decode("latin-1").split("\n")[:-1] if line.strip()][:_MOST_ALIASES]
    trec = all(len(line.split()) == 3 for line in head) and any(_TREC.fullmatch(line.split()[0]) for line in head)
    sep = next((s for s in ";\t, " if head and s in head[-1] and all(map(_PAIR.fullmatch, head[-1].split(s)))), "")
    lines = content.decode("utf-8", "surrogateescape").split("\n") if trec or sep else []
    lines, rows = [line.strip() for line in lines if line.strip()], list[dict[str, str]]()
    if trec and all(len(line.split()) == 3 for line in lines):
        found = dict[str, dict[str, str]]()
        for measure, query, value in map(str.split, lines):
            found.setdefault(query, {}).update({measure: value} if measure[:4] not in ("num_", "runi") else {})
        means = found.pop("all", {})
        rows = [{"query": f"q{query}", **row} for query, row in found.items()] or [means]
        notes = [f"of what trec_eval wrote, counts{' and means over all queries' if found else ''} were left out"]
    elif sep:
        parted = [[_PAIR.fullmatch(part) for part in line.split(sep)] for line in lines]
        first = next(i for i, pairs in enumerate(parted) if all(pairs) and len(pairs) > 1)
        rows = [{pair[1]: pair[2] for pair in pairs if pair} for pairs in parted[first:]]
        rows = rows if first < 3 and [*map(len, rows)] == [*map(len, parted[first:])] else []  # no key twice
        notes = [f"what stands before {'=' if '=' in head[-1] else ':'} in each line became names of columns"]
        notes += [f"lines above these were left out: {listed(map(repr, lines[:first]))}"] if first else []
    names, table = dict.fromkeys(key for row in rows for key in row), io.StringIO()
    csv.writer(table, lineterminator="\n").writerows([names, *([row.get(key, "") for key in names] for row in rows)])
    return (table.getvalue().encode("utf-8", "surrogateescape"), notes) if rows else (content, [])


def read_files(files: list[Path], words: str, limit: Limit) -> pd.DataFrame | None:
    """Return the results in those files that are of one of `FORMATS`, or None if there are none."""
    found: dict[Any, list[tuple[Path, Any]]] = {}  # by form, None if it has none
    runs = {file.parent for file in files if file.name == "run_spec.json"}  # of HELM; the rest of them is huge
    for path in files:
        own = path.suffix == ".json" and path.name != "model_meta.json" and runs.isdisjoint(path.parents)
        if own or path.suffix == ".eval" or path.name == "run_spec.json":
            content, name = read_file(path, limit), str(path)
            body = read_archive(content, name, limit) if path.suffix == ".eval" else parse_json(content, name)
            found.setdefault(form_of(body), []).append((path, body))
    others = [path for path, _ in found.pop(None, [])]
    if len(found) > 1:
        examples = "; ".join(f"{form}: {of_form[0][0]}" for form, of_form in found.items())
        raise DataError(f"{words} holds results of several programs ({examples}): pass a folder with those of one")
    if not found:
        return None
    ((form, of_form),) = found.items()
    notes = [f"{len(others)} other JSON files were not read ({listed([p.name for p in others], 3)})"] if others else []
    return read_records(form, of_form, limit, notes)


def files_alike(paths: Sequence[Path], limit: Limit) -> list[list[tuple[Path, dict[str, Any]]]]:
    """Return files with the values in each, those together that are JSON objects of the same keys and lists."""
    parts: dict[Any, list[tuple[Path, dict[str, Any]]]] = {}
    for path in paths:
        shape, row = path, dict[str, Any]()
        if path.suffix == ".json":
            with suppress(DataError, RecursionError):  # said when it is read
                body = parse_json(read_file(path, limit), str(path))
                if isinstance(body, dict):
                    shape, row = _shape(body), stores.flattened(body)
        parts.setdefault(shape, []).append((path, row))
    return list(parts.values())


def _shape(value: Any, inner: bool = False) -> Any:
    """Return which keys are in a body of JSON, what is in objects below them, and whether lists hold several values."""
    if isinstance(value, dict):
        below = {key: _shape(each, inner=True) for key, each in value.items()}
        return frozenset(below.values()) if inner else tuple(below.items())
    return tuple(_shape(each, inner=True) for each in value[:2]) if isinstance(value, list) else 0


def read_records(form: str, files: list[tuple[Path, Any]], limit: Limit, notes: Sequence[str] = ()) -> pd.DataFrame:
    """Return the results in files of one format, given with their content, as a frame that describes itself."""
    read = {"MTEB": _mteb, "lm-evaluation-harness": _harness, "Inspect": _inspect, "promptfoo": _promptfoo}
    read["Every Eval Ever"] = stores.eee
    try:
        frame, arguments, more = _helm(files, limit) if form == "HELM" else read[form](files)
        notes = [*notes, *more]
        if frame.empty:
            what = "; ".join(notes) or "no task has a score"
            raise DataError(f"{files[0][0]}: {form}, but there is no score in {len(files)} files: {what}")
        n_models, unit = frame["model"].nunique(), "item" if arguments.pop("items", False) else "task"
        sizes = f"{n_models} models, {frame[unit].nunique()} {unit}s, {len(frame)} rows"
        sentence = f"{form} results, {len(files)} files, {sizes}"
        if unit == "item":
            return described(frame, form, sentence, notes)
        arguments |= {"alternatives": "model", "target": "score", "generalize_over": "task"}
        roles, others = stores.study_roles(frame, arguments)
        notes += others
        for column in ("run", "revision"):
            if column in [*roles.get("design", ()), *roles.get("average_over", ())]:
                notes.append(f"some evaluations stand in several rows, which column {column!r} tells apart")
        if n_models < 2:
            notes.append("one model only: a study compares at least two")
        return described(frame, form, sentence, notes, roles)
    except DataError:
        raise
    except (AttributeError, LookupError, OverflowError, TypeError, ValueError) as error:
        one = f"{files[0][0]} is" if len(files) == 1 else f"one of {len(files)} files such as {files[0][0]} is"
        raise DataError(f"{one} {form}, but not in a form that is known here: {shown(str(error), 80)}") from error


# --- the formats ------------------------------------------------------------------------------------------------------


def _mteb(files: list[tuple[Path, Any]]) -> stores.Read:
    rows, without, old = list[tuple[Any, ...]](), list[str](), False
    folders, units = _mteb_folders(files), dict[str, str]()
    for path, body in files:
        (model, revision), task = folders[path], body.get("task_name", path.stem)
        if "scores" not in body:
            task, found = body.get("mteb_dataset_name", path.stem), _old_scores(body)
            without += [] if found else [f"{model}/{path.name}"]
            old |= bool(found)
        elif "main_score" in body:  # the name of a measure, of which each language has one, as SEB writes it
            found = [("test", language, each.get(body["main_score"])) for language, each in body["scores"].items()]
            units |= {task: body["main_score"]} if among(body["main_score"], "cost speed") else {}
        else:
            subsets = [(split, subset) for split, each in body["scores"].items() for subset in each]
            found = [(split, need(s, path, "hf_subset"), need(s, path, "main_score")) for split, s in subsets]
        rows += [(model, revision, task, split, subset, number(score)) for split, subset, score in found]
    usual = f", or, from before mteb 1.11, the first of {listed(_OLD_MAIN[1:], 9)} that it has" * old
    notes = [f"score is the task's main_score{usual}; the other metrics were left out"]
    notes += left_out(without, "files without any of these")
    frame = pd.DataFrame(rows, columns=["model", "revision", "task", "split", "subset", "score"])
    large = frame["score"] > 1  # of a task, all have them; in per cent, who writes all scores so
    percent, most = (large.groupby(frame[name]).transform("mean") > 1 / 2 for name in ("model", "task"))
    units |= {task: "scores above 1" for task in frame.loc[large & ~percent & most, "task"] if task not in units}
    if units.keys() < {*frame["task"]}:
        frame = frame[~frame["task"].isin(units)].reset_index(drop=True)
        tasks = listed([f"{task!r} ({unit})" for task, unit in units.items()], 9)
        notes += [f"tasks of another unit were left out: {tasks}"] if units else []
    if 0 < (large := frame["score"] > 1).mean() < 1 / 2:
        frame["score"] = frame["score"].where(~large, frame["score"] / 100)
        who, which = (listed(map(repr, sorted({*frame.loc[large, name]})), 3) for name in ("model", "task"))
        who = f"{large.sum():,} scores above 1, of {who}, in {which},"
        notes.append(f"{who} were taken for per cent and divided by 100: a main score of MTEB is 1 at most")
    uneven = frame.groupby(["task", "model"])[["split", "subset"]].nunique().groupby("task").nunique().max(axis=1) > 1
    if uneven.any():
        notes.append(f"models have different splits or subsets in {listed(uneven.index[uneven])}")
    return frame, {"average": ["split", "subset", "revision"]}, notes


def _mteb_folders(files: list[tuple[Path, Any]]) -> dict[Path, tuple[str, str]]:
    """Return the model and the revision of each file, as folders call them; of models of one name the owners, too."""
    found = dict[Path, tuple[Path, str]]()
    for path, body in files:
        folder = path.absolute().parent
        revised = "scores" in body and _REVISION.fullmatch(folder.name)
        found[path] = (folder.parent, folder.name) if revised else (folder, "none")
    n = Counter(folder.name for folder in {folder for folder, _ in found.values()})
    called = {f: f"{f.parent.name}/" * (n[f.name] > 1) + f.name.replace("__", "/", 1) for f, _ in found.values()}
    return {path: (called[folder], revision) for path, (folder, revision) in found.items()}


def _old_scores(body: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Return split, subset and score of a task of mteb before 1.11: of its test, or what it has instead."""
    split = next((name for name in ("test", "validation", "dev") if isinstance(body.get(name), dict)), "")
    part, found = body.get(split, {}), []
    for subset, scores in {"default": part, **part}.items():
        if isinstance(scores, dict) and subset not in ("cos_sim", "dot"):
            each = stores.leaves(scores)
            found += [(split, subset, each[n]) for n in _OLD_MAIN if isinstance(each.get(n), int | float)][:1]
    return [row for row in found if row[2] == row[2]]


def _helm(files: list[tuple[Path, Any]], limit: Limit) -> stores.Read:
    rows, without = list[dict[str, Any]](), list[str]()
    for path, body in files:
        if path.name != "run_spec.json" or isinstance(body, list):
            raise DataError(f"{path} is one file of a HELM run: pass the run's folder, or the folder of all runs")
        stats_path = path.with_name("stats.json")
        if not stats_path.is_file():
            without.append(path.parent.name)
            continue
        run, model = need(body, path, "name"), need(body, path, "adapter_spec", "model")
        task = re.sub(r"(?<=[:,])model(?:_deployment)?=[^,]*(?:,|$)", "", run).rstrip(":,")
        stats = parse_json(read_file(stats_path, limit), str(stats_path))
        if form_of(stats) != "HELM":
            raise DataError(f"{stats_path} is no list of statistics with names and counts, as HELM writes it")
        for stat in stats:
            about, n = stat["name"], stat.get("count")
            name = str(about.get("name", ""))
            if n and "perturbation" not in about and not name.startswith(_HELM_BOOKKEEPING):
                score = number(stat.get("mean", stat["sum"] / n if "sum" in stat else None))
                row = {"model": model, "task": task, "split": about.get("split", ""), "metric": name}
                rows.append({**row, "score": score, "n_trials": n})
    notes = left_out(without, "runs without stats.json")
    if rows:
        notes.append("scores under perturbations and counts, times and probabilities were left out")
        notes.append("HELM does not say whether higher is better: check the metric's direction")
    frame = number_repeats(pd.DataFrame(rows), ["model", "task", "split", "metric"])
    return frame, {"fix": ["metric"], "average": ["split", "run"]}, notes


def _harness_model(body: Mapping[str, Any], path: Path) -> dict[str, str]:
    """Return the model, its revision (a commit, or a step of its training), and the other settings that it ran with."""
    config = body.get("config") or {}
    arguments = config.get("model_args") or {}
    if isinstance(arguments, str):
        arguments = dict(part.partition("=")[::2] for part in arguments.split(","))
    model = body.get("model_name") or arguments.get("pretrained") or arguments.get("model") or config.get("model")
    if not model:
        raise DataError(f"{path} names no model: neither model_name nor config.model")
    revision = arguments.get("revision") or config.get("model_revision") or "main"
    others = sorted(arguments.keys() - {"pretrained", "model", "revision"})
    settings = ",".join(f"{key}={arguments[key]}" for key in others) or "none"
    return {"model": str(model), "revision": str(revision), "settings": settings}


def _harness(files: list[tuple[Path, Any]]) -> stores.Read:
    rows, groups, above = list[dict[str, Any]](), set(), dict[str, str]()
    folder = Path(os.path.commonpath([path.parent for path, _ in files]))
    for path, body in sorted(files, key=lambda file: (file[1].get("date") or 0, str(file[0]))):
        model = _harness_model(body, path)
        for task, scores in body["results"].items():
            if body.get("group_subtasks", {}).get(task):
                groups.add(task)  # an average of tasks that are there themselves
                above |= dict.fromkeys(body["group_subtasks"][task], task)
                continue
            if not isinstance(scores, Mapping):
                raise DataError(f"{path}: results.{task} holds no metrics, but {type(scores).__name__}")
            rows += ({**model, **row, "file": path} for row in _harness_scores(body, task, scores))
    notes = [f"averages over groups of tasks were left out ({listed(sorted(groups))})"] if groups else []
    frame = pd.DataFrame(rows)
    if frame.empty:
        return frame, {}, notes
    for task in frame["task"].unique() if groups else ():
        group = task
        for _ in range(9):  # groups stand in groups
            group = above.get(group, group)
        frame.loc[frame["task"] == task, "suite"] = group
    cell, fix = ["model", "task", "n_shot", "metric", "filter"], ["metric", "filter"]
    programs, paths = {str((body.get("config") or {}).get("model")) for _, body in files}, frame.pop("file")
    if {*frame["model"]} == programs and len(programs) == 1 and frame.duplicated(cell).any():
        notes.append(f"all files call the model {programs.pop()!r}, as the program: names of files were taken instead")
        frame["model"] = [path.relative_to(folder).with_suffix("").as_posix() for path in paths]
    if several(frame, cell, "revision"):
        fix.append("revision")
        # Of equally frequent revisions study_roles takes the first: here the last step of a training, 10 after 9.
        order = frame["revision"].str.replace(r"\d+", lambda number: number[0].zfill(30), regex=True)
        frame = frame.loc[order.sort_values(ascending=False, kind="stable").index].reset_index(drop=True)
        frame = number_repeats(frame, [*cell, "revision"])
    else:
        frame = number_repeats(frame.drop(columns="revision"), cell)
    if several(frame, [*cell, *fix[2:]], "settings"):
        notes.append("some runs of a model differ in their settings")
    else:
        frame = frame.drop(columns="settings")
    roles = {"fix": fix, "design": ["n_shot"], "average": ["run"], "higher_is_better": "higher_is_better"}
    return frame, roles, notes


def _harness_scores(body: Mapping[str, Any], task: str, scores: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    samples = body.get("n-samples", {}).get(task, {})
    directions = body.get("higher_is_better", {}).get(task, {})
    for key, value in scores.items():
        metric, _, chosen = key.partition(",")
        if not isinstance(value, int | float) or metric.endswith(("_stderr", "sample_len", "sample_count")):
            continue
        error = scores.get(f"{metric}_stderr,{chosen}" if chosen else f"{metric}_stderr")
        n_shot = body.get("n-shot", {}).get(task, (body.get("config") or {}).get("num_fewshot"))
        n_shot = listed([*map(str, n_shot)], 99) if isinstance(n_shot, list) else n_shot  # of all tasks, in some order
        row = {"task": task, "n_shot": n_shot, "metric": metric, "filter": chosen or "none"}
        row |= {"score": number(value), "stderr": number(error)}
        row |= {"n_samples": samples.get("effective") if isinstance(samples, Mapping) else None}
        yield row | {"higher_is_better": directions.get(metric, _KNOWN_DIRECTION.get(direction_of(metric)[0]))}


def _inspect(files: list[tuple[Path, Any]]) -> stores.Read:
    rows, failed, without = [], [], []
    for path, body in sorted(files, key=lambda file: (str(file[1]["eval"].get("created")), str(file[0]))):
        if body["status"] != "success":
            failed.append(f"{path.name}: {body['status']}")
            continue
        about = {"model": need(body, path, "eval", "model"), "task": need(body, path, "eval", "task")}
        results = need(body, path, "results") or {}
        samples = results.get("completed_samples")
        scores = results.get("scores", results.get("scorers"))  # the second one in old logs
        if not scores:
            without.append(path.name)
        for score in scores or ():
            metrics = need(score, path, "metrics")
            error = number(next((metrics[name].get("value") for name in _INSPECT_ERRORS if name in metrics), None))
            for metric, value in metrics.items():
                if metric not in _INSPECT_ERRORS:
                    labels = {"scorer": score.get("name", score.get("scorer")), "metric": metric}
                    values = {"score": number(need(value, path, "value")), "stderr": error, "n_samples": samples}
                    rows.append({**about, **labels, **values})
    notes = left_out(failed, "runs that did not succeed") + left_out(without, "runs without a scorer")
    one_task = len({row["task"] for row in rows}) == 1 < len({row["model"] for row in rows})
    if one_task and (answers := _inspect_answers(files)):
        return pd.DataFrame(answers), {"items": True}, [*notes, "there is one task: each row is an answer to an item"]
    frame = number_repeats(pd.DataFrame(rows), ["model", "task", "scorer", "metric"])
    return frame, {"fix": ["metric", "scorer"], "average": ["run"]}, notes


def _inspect_answers(files: list[tuple[Path, Any]]) -> list[dict[str, Any]]:
    """Return a row for each answer, with its first score, if all logs have these."""
    rows = []
    for _, body in files:
        for sample in body.get("samples") or () if body["status"] == "success" else ():
            value = next((each.get("value") for each in (sample.get("scores") or {}).values()), None)
            score = _INSPECT_VALUES.get(value, value) if isinstance(value, str) else value
            if not isinstance(score, int | float):
                return []
            about = {name: body["eval"][name] for name in ("model", "task")}
            rows.append({**about, "item": sample["id"], "sample": sample.get("epoch", 1), "score": float(score)})
    return rows


def _promptfoo(files: list[tuple[Path, Any]]) -> stores.Read:
    """Return a row for each answer of a model to a test, by the prompt that asked."""
    rows = []
    for path, body in files:
        for each in need(body, path, "results", "results"):
            provider, prompt = each.get("provider") or {}, each.get("prompt") or {}
            model = provider.get("label") or provider.get("id") if isinstance(provider, Mapping) else provider
            asked = str(prompt.get("label") or prompt.get("raw") if isinstance(prompt, Mapping) else prompt)[:_LONGEST]
            about = {"file": path.stem, "model": str(model), "prompt": asked, "item": each.get("testIdx")}
            rows.append({**about, "score": number(each.get("score", each.get("success")))})
    frame = pd.DataFrame(rows)
    return frame if len(files) > 1 else frame.drop(columns="file"), {"items": True}, []


# --- rliable's dictionaries -------------------------------------------------------------------------------------------


def is_runs_by_games(body: Any) -> bool:
    """Say whether JSON is {algorithm: runs x games}: equally long rows of numbers."""
    tables = [*body.values()] if isinstance(body, dict) else []
    if not all(isinstance(t, list) and t and all(isinstance(row, list) and row for row in t) for t in tables):
        return False
    widths = {len(row) for table in tables for row in table}
    return len(widths) == 1 and all(isinstance(v, int | float | None) for t in tables for row in t for v in row)


def read_games(scores: Mapping[str, Any], name: str, read: str) -> pd.DataFrame:
    """Return a row per run and game of rliable's dictionary {algorithm: runs x games}, games numbered from 1."""
    notes, parts = [], []
    for algorithm, table in scores.items():
        values = np.asarray(table, dtype=float)
        if values.ndim == 3:
            notes = ["of the third axis (frames) the last one was taken"]
            values = values[:, :, -1]
        run, game = np.indices(values.shape)
        labels = {"algorithm": algorithm, "game": game.ravel() + 1, "run": run.ravel() + 1}
        parts.append(pd.DataFrame({**labels, "score": values.ravel()}))
    games = {part["game"].max() for part in parts}
    if len(games) > 1:
        raise DataError(f"{name}: algorithms have different numbers of games ({listed(sorted(games))}): each needs all")
    frame = pd.concat(parts, ignore_index=True).astype({"game": str})
    frame["game"] = "game " + frame["game"]
    sentence = f"rliable, read from {read}, {len(scores)} algorithms, {games.pop()} games, {len(frame)} rows"
    notes.append("columns of the arrays were taken for games, rows for runs")
    return described(frame, "rliable", sentence, notes)


def read_arrays(content: bytes, name: str) -> pd.DataFrame:
    """Return what .npz holds as rliable's dictionary; arrays of Python objects are not unpickled."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            scores = {key: arrays[key] for key in arrays.files}
    except MemoryError:
        raise
    except Exception as error:  # a damaged archive or header raises anything
        if "allow_pickle" in str(error):
            said = f"{name} holds pickled Python objects: reading them runs whatever code they contain"
            remedy = "load it yourself, and save {algorithm: runs x games} with numpy.savez"
            raise DataError(f"{said}. If you trust who wrote it, {remedy}") from error
        raise DataError(f"{name} is a damaged archive of arrays: {' '.join(str(error).split())}") from error
    odd = [key for key, table in scores.items() if table.dtype.kind not in "iuf" or table.ndim not in (2, 3)]
    if odd or not scores:
        which = f"{odd[0]} has shape {scores[odd[0]].shape} of {scores[odd[0]].dtype}" if odd else "it is empty"
        raise DataError(f"{name}: arrays must be scores of runs x games, one for each algorithm; {which}")
    return read_games(scores, name, "npz")
