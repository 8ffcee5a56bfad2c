"""What ``genexpy-nb study`` does, step by step: read, propose or compute, print, write."""

from __future__ import annotations

import ast
import os
import re
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import click
import pandas as pd

from genexpy_nb.common.checks import listed
from genexpy_nb.common.errors import DataError, GenexpyError, ParameterError, StudyError, StudyWarning
from genexpy_nb.common.prose import plain_line
from genexpy_nb.datasets.describing import NUMBERS, Column, describe_columns, named
from genexpy_nb.datasets.votes import ROW, Votes, votes_of
from genexpy_nb.datasets.words import WORDS, among, direction_of, is_property, may_be_score, words_of
from genexpy_nb.fields import games, items, preferences
from genexpy_nb.own_study import outputs, terminal
from genexpy_nb.own_study.own_kernels import kernel_as_text, kernel_from_text
from genexpy_nb.own_study.request import DIRECTION, StudyRequest, as_spoken
from genexpy_nb.own_study.roles import command, completed, propose, readings
from genexpy_nb.study.answers import records
from genexpy_nb.study.estimates import DEFAULT_KERNELS

_GROUPS = {*WORDS["judge"], *WORDS["prompt"], *WORDS["case"], "user", "segment"}
_COUNTS = {*WORDS["size"], *WORDS["cost"]} - {"id", "index"}
_ITEMS = {"item", "question", "example", "instance", "problem", "query", "sample_id", "doc_id"}
_PARTS = {"benchmark", "dataset", "corpus", "suite"}
_GAMES = {"game", "env", "environment"}
_FEWEST_ITEMS, _FEWEST_GAMES = 20, 4
_UNEVEN = 10  # times the runs of one game spread as far as those of another
_FEWEST_GROUPS, _FEW_GROUPS, _MOST_ASKED, _MOST_TRIED = 5, 10, 12, 4
# To read text, by its size: 24 s of the processor and 2.5 GB for 140 MB of 1,000,000 x 20 numbers, on two cores.
_LARGE, _SECONDS, _MEMORY = 20_000_000, 0.25e-6, 25


def run(results: Sequence[str], options: Mapping[str, Any]) -> None:
    """Carry out the command."""
    request = requested(results, options)
    writes = bool(options["output"]) or not options["as_json"]
    folder = Path(options["output"] or outputs.default_folder(place(results)))
    if writes:
        outputs.check_folder(folder, results, options["force"])
    sure, frame = read(request, options, answers_fields=True)
    if sure is None:
        return
    request, study = sure, sure.study(frame)
    problem, names = "", []
    with request.spoken(), warnings.catch_warnings(action="ignore", category=StudyWarning):  # the study has them
        answers = request.answers(study)
        # whatever is wrong, such as a kernel of one's own, is said before anything is printed
        whole = options["everything"] or options["as_json"]
        _ = answers.tables() if whole else answers.nstar if options["kernel"] else answers.sentences
        if options["as_json"]:
            unicode = (getattr(sys.stdout, "encoding", None) or "").lower().startswith("utf")
            click.echo(outputs.json_text(outputs.as_json(answers, request, frame), unicode))
        else:
            shown = terminal.print_summary if options["everything"] else terminal.print_first
            shown(terminal.console_of(sys.stdout), answers, request, frame)
        if writes:
            answers.tables()  # and all of it before a kernel starts
            pages, problem = ({}, "") if options["no_page"] else _page(request, answers.question)
            summary = {"summary.txt": f"{answers.summary()}\n"}
            # not before all is there: a process that is killed leaves nothing on the disk
            with outputs.staged(folder, results, options["force"]) as waiting:
                names = outputs.write_tables(answers, request, frame, waiting, summary | pages)
    if writes and not options["as_json"]:
        terminal.print_files(terminal.console_of(sys.stdout), _files(folder, names))
    if problem:
        click.echo(f"error: the page is not complete: {plain_line(problem)}", err=True)
        sys.exit(1)


def read(
    request: StudyRequest, options: Mapping[str, Any], answers_fields: bool = False
) -> tuple[StudyRequest | None, pd.DataFrame]:
    """Return the request, completed, or None if only a guess, or what is no study, was answered; and the table."""
    _say_size(request)
    try:
        frame = request.read()
    except DataError as error:
        tried, unread = list[str](), list[str]()
        for each in getattr(error.__cause__, "readings", ()):  # of several tables
            try:
                replace(request, **each).read()
                tried.append(command(replace(request, **each), joined=" "))
            except GenexpyError as why:
                unread.append(plain_line(why))
            if len(tried) == _MOST_TRIED:
                break
        said = str(error) if tried or not unread else re.split(": (?:to read one, )?pass --sheet", str(error))[0]
        why_not = [f"not readable: {why}" for why in dict.fromkeys(unread[:_MOST_TRIED])]
        raise DataError("\n".join([said + ". Run one of" * bool(tried), *tried, *why_not])) from error
    request.check_named(frame)
    asked = any(getattr(request, name) for name in ("alternatives", "over", "wide", "design", "average"))
    if answers_fields and not asked:
        held = request.held(frame)
        columns = [column for column in describe_columns(held) if column.kind != "empty"]
        voted = votes_of(held, columns)
        chosen = voted and request.target in [(name,) for name in voted.winners]
        part = voted.grouped_by() if voted else ""
        if voted and not part and (chosen or (voted.sure and not request.target)):
            voted = voted._replace(winners=list(request.target) or voted.winners)
            if options["output"]:
                raise ParameterError("-o: for votes between pairs, no files are written; --json prints all tables")
            where = "".join(f"[results[{name!r}] == {level!r}]" for name, level in request.fixed_levels(frame).items())
            table = voted.table.replace("results", f"results{where}")
            _print_field(preferences, voted.rows, *_of_votes(voted, request), request, options, table)
            return None, frame
        if voted and (part or not request.target):
            levels = [(*request.fixed, f"{part}={level}") for level in voted.rows[part].unique()] if part else [()]
            winners = [(name,) for name in voted.told()] if not (chosen or voted.sure) else [request.target]
            asks = [replace(request, fixed=fixed or request.fixed, target=name) for fixed in levels for name in winners]
            tried = [command(each, joined=" ") for each in asks[:_MOST_ASKED]]
            said = f"votes on pairs of {voted.first!r} and {voted.second!r}"
            said += f", of others at each level of {part!r}" * bool(part) + f": {voted.made}" * bool(voted.made)
            others = f", and {listed(map(repr, voted.winners), 4)} may say who won" * (len(winners) != 1)
            raise StudyError("\n".join([f"{plain_line(request.called)}: {said}{others}. Run one of", *tried]))
        of_study = options["output"] or request.target or request.fixed or request.higher_is_better == "lower"
        if not of_study and "roles" not in frame.attrs:
            for function, of in ((items, _of_items), (games, _of_games)):
                if found := of(frame, columns, request.cluster):
                    _print_field(function, frame, *found, request, options)
                    return None, frame
    return (_completed(request, frame, options) if request.absent() else request), frame


def _of_votes(found: Votes, request: StudyRequest) -> tuple[dict[str, Any], str]:
    """Return arguments for votes between pairs, and what was taken for what; a few judges are no sample of others."""
    rows, sides = found.rows, (found.first, found.second, *found.winners)
    sizes = {name: rows[name].nunique() for name in rows if _GROUPS & {*words_of(str(name))}}
    sizes = {name: n for name, n in sizes.items() if name not in sides and not _COUNTS & {*words_of(str(name))}}
    alike = [str(name) for name, n in sizes.items() if _FEWEST_GROUPS <= n < len(rows)]
    shares = {name: rows[name].value_counts(normalize=True) for name in alike}
    few = [name for name in alike if len(shares[name]) < _FEW_GROUPS and shares[name].iloc[0] > 1 / 2]
    alike = [name for name in alike if name not in few] or [ROW] * (ROW in rows)
    alike, few = ([request.cluster], []) if request.cluster else (alike, few)
    grouped = f"votes of one level of {listed(map(repr, alike))} are alike" if alike else "no votes are alike"
    said = f"Votes between pairs: {sides[2]!r} says which of {sides[0]!r} and {sides[1]!r} won; {grouped}."
    said += f" {found.made[0].upper()}{found.made[1:]}." if found.made else ""
    for name in few:
        said += f"\n! {shares[name].iloc[0]:.0%} of the votes are of one of {len(shares[name])} levels of {name!r}: "
        said += "what is said holds for these levels alone. What others would vote, which they can hardly tell, is "
        said += f"asked by {command(replace(request, cluster=name), joined=' ')}"
    return {**dict(zip(("first", "second", "winner"), sides, strict=True)), "cluster": alike}, said


def _scored(frame: pd.DataFrame, columns: Sequence[Column]) -> str:
    """Return the only column that holds scores of which higher ones are better, or an empty text."""
    found = [c for c in columns if c.kind in NUMBERS and c.n_levels > 1 and may_be_score(c.name)]
    found = [c for c in found if among(c.name, "higher lower generic cost speed")]
    better = [direction_of(c.name)[0] or ("higher" if among(c.name, "generic") else "") for c in found]
    return found[0].name if better == ["higher"] and not found[0].n_missing else ""


def _of_items(frame: pd.DataFrame, columns: Sequence[Column], cluster: str) -> tuple[dict[str, Any], str] | None:
    """Return arguments for answers to items, and what was taken for what; None if it may be something else."""
    texts = [c for c in columns if c.kind == "text" and c.n_levels > 1]
    model, score = named(texts, "compared"), _scored(frame, columns)
    many = [c for c in columns if c.kind in ("text", "whole number") and c.n_levels >= _FEWEST_ITEMS]
    item = next((c.name for c in many if _ITEMS & {*words_of(c.name), c.name.lower()}), "")
    if not model or not item or not score or not frame[score].astype(float).between(0, 1).all():
        return None
    parts = [c.name for c in texts if _PARTS & {*words_of(c.name)}]
    part = {"benchmark": parts[0]} if parts else {}
    inside = [*part.values(), item]
    groups = [c.name for c in columns if c.n_levels >= _FEWEST_GROUPS and among(c.name, "group task")]
    groups = [name for name in groups if name not in inside and is_property(frame, [name], inside)]
    found: dict[str, Any] = {"model": model[0].name, "item": item, "score": score, **part}
    keys = [model[0].name, *inside]
    again = [c.name for c in columns if among(c.name, "repeated") and c.n_levels > 1 and c.name not in keys]
    if again and frame.duplicated(keys).any():
        found["sample"] = again[0]
    if cluster or groups:
        found["cluster"] = cluster or groups[0]
    rows = frame.duplicated([*keys, *([found["sample"]] if "sample" in found else [])])
    if rows.any() or frame[keys].isna().any(axis=None) or frame[model[0].name].nunique() > frame[item].nunique() / 2:
        return None
    how = "whether" if frame[score].astype(float).isin([0, 1]).all() else "how far"
    said = f"Answers to items: {score!r} says {how} {model[0].name!r} is right on {item!r}"
    said += f"; {found['sample']!r} numbers its answers" if "sample" in found else ""
    said += f"; items of one level of {found['cluster']!r} are alike" if "cluster" in found else ""
    return found, f"{said}{'; they belong to ' + repr(parts[0]) if parts else ''}."


def _of_games(frame: pd.DataFrame, columns: Sequence[Column], cluster: str) -> tuple[dict[str, Any], str] | None:
    """Return arguments for runs on games, and what was taken for what; None if it may be something else."""
    texts, score = [c for c in columns if c.kind == "text" and c.n_levels > 1], _scored(frame, columns)
    who = named(texts, "compared")
    game = next((c for c in texts if _GAMES & {*words_of(c.name)}), None)
    seeds = [c.name for c in columns if among(c.name, "repeated") and c.n_levels > 1]
    if not who or not game or not score or len(seeds) != 1 or cluster or game.n_levels < _FEWEST_GAMES:
        return None
    keys = [who[0].name, game.name, *seeds]
    sizes = frame.groupby(keys[:2]).size().unstack(fill_value=0)
    if frame.duplicated(keys).any() or sizes.nunique(axis=1).ne(1).any() or sizes.min(axis=None) < 2:
        return None
    found: dict[str, Any] = dict(zip(("algorithm", "game", "seed"), keys, strict=True)) | {"score": score}
    names = {str(name).lower(): name for name in [*frame.columns, *frame[who[0].name].unique()]}
    spreads = frame.groupby(game.name)[score].agg(lambda runs: runs.max() - runs.min())
    if {"random", "human"} <= names.keys():
        found["reference"] = [names["random"], names["human"]]
    elif spreads.max() > _UNEVEN * spreads.min():
        found["reference"] = "min-max"
    said = f"Runs on games: {score!r} of each {seeds[0]!r} of {who[0].name!r} on {game.name!r}, higher is better."
    return found, said


def _print_field(
    function: Any,
    frame: pd.DataFrame,
    arguments: dict[str, Any],
    said: str,
    request: StudyRequest,
    options: Mapping[str, Any],
    table: str = "results",
) -> None:
    """Answer a table which is no study: votes between pairs, answers to items, runs on games."""
    with request.spoken():
        found = function(frame, **arguments, confidence=request.confidence, level=request.level)
    if options["as_json"]:
        tables = {each.name: getattr(found, each.name) for each in fields(found)}
        tables = {name: t.to_frame().T if isinstance(t, pd.Series) else t for name, t in tables.items()}
        tables = {name: t for name, t in tables.items() if isinstance(t, pd.DataFrame)}
        body = {name: records(t if t.index.name is None else t.reset_index()) for name, t in tables.items()}
        click.echo(outputs.json_text({"sentences": found.sentences, "taken": arguments, **body}, unicode=False))
        return
    given = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
    call = plain_line(f"genexpy_nb.fields.{function.__name__}({table}, {given})")
    other = "--cluster COLUMN" if function is preferences else "--alternatives, --target and --over, for a study"
    said = "\n".join(map(plain_line, said.split("\n")))
    click.echo(f"{said}\nTo change it: {other}; or in Python {call}\n")
    click.echo(str(found))


def _say_size(request: StudyRequest) -> None:
    """Say of a large table of text how large it is, and what reading it takes."""
    for file in [file for file in request.files if os.path.isfile(file) and os.path.getsize(file) > _LARGE]:
        size = os.path.getsize(file)
        with open(file, "rb") as start:
            lines = start.read(2**16).split(b"\n")[:-1]
        if lines and not lines[0].startswith((b"PAR1", b"PK", b"\x1f\x8b")):
            n_columns = 1 + max(map(lines[0].count, (b",", b";", b"\t", b"|")))
            n_rows = round(size * len(lines) / sum(len(line) + 1 for line in lines), -4)
            takes = f"{size * _SECONDS / 60:.1f} minutes and {size * _MEMORY / 1e9:.1f} GB of memory"
            said = f"{plain_line(file)}: about {n_rows:,.0f} x {n_columns:,}; to read it takes about {takes}"
            click.echo(said, err=True)


def place(results: Sequence[str]) -> str:
    """Return the file, or the folder that all files are in."""
    folders = [os.path.dirname(os.path.abspath(file)) for file in results]
    return results[0] if len(results) == 1 else os.path.commonpath(folders)


def requested(results: Sequence[str], options: Mapping[str, Any]) -> StudyRequest:
    """Return what the options of the command ask for."""
    if options["higher"] and options["lower"]:
        raise ParameterError("--higher-is-better and --lower-is-better exclude each other: give one")
    named = [each.name for each in fields(StudyRequest)]
    asked = {name: options[name] for name in named if options.get(name) is not None}
    if not all(results):
        raise ParameterError("RESULTS must name a file or folder")
    if options["kernel"]:
        asked["kernels"] = [*map(kernel_as_text, DEFAULT_KERNELS), *options["kernel"]]
    better = "higher" if options["higher"] else "lower" if options["lower"] else ""
    return StudyRequest(results, fixed=options["fix"], higher_is_better=better, **asked)


def _completed(request: StudyRequest, frame: pd.DataFrame, options: Mapping[str, Any]) -> StudyRequest | None:
    """Return the request with what a sure guess, or who sits at the terminal, adds; or show a guess, and None."""
    aloud = not options["as_json"]
    proposal, console = propose(frame, request), terminal.console_of(sys.stdout)
    missing = [option for option in proposal.request.absent() if option != DIRECTION]
    problem, called = as_spoken(proposal.guess.problem), plain_line(request.called)
    tried, refused = ([], "") if problem and not missing else readings(frame, proposal)
    if tried and refused:
        proposal.guess.doubts.insert(0, f"As guessed it does not work: {refused}.")
    if tried and proposal.guess.sure:
        if aloud:
            terminal.print_taken(console, proposal)
        return proposal.request
    if not tried and problem:
        codes = re.search(r"pass missing_codes=(\[.{1,200}?\]) if", proposal.guess.problem)
        coded = replace(request, missing_code=ast.literal_eval(codes[1] if codes else "()"))
        raise StudyError(f"{called}: {problem}" + f"; run\n{command(coded, joined=' ')}" * bool(codes))
    if not tried:
        if aloud:
            terminal.print_columns(console, frame, request)
            terminal.print_doubts(console, proposal)
        guessed = " ".join(command(proposal.requests()[0], joined="\n").split("\n")[1:])
        refused = refused or f"{called}: nothing is compared with anything"
        nothing = request.given() or " a single " in refused  # a command that cannot answer
        raise StudyError(refused if nothing else f"{refused}; that is the best guess, {guessed}")
    if aloud and not missing and _at_a_terminal():
        terminal.print_columns(console, frame, request)
        terminal.print_doubts(console, proposal)
        request = completed(frame, request)
        terminal.print_command(console, "The same without questions", [("", request)])
        return request
    if aloud:
        terminal.print_proposal(console, frame, proposal, tried)
    if request.given() or request.wide or not aloud:
        absent, better = request.absent(), " or ".join(command(each, joined=" ") for _, each in tried)
        verb = "is" if len(absent) == 1 else "are"
        raise ParameterError(f"{called}: {' and '.join(absent)} {verb} missing; a guess: {better}")
    return None


def _at_a_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _page(request: StudyRequest, question: str) -> tuple[dict[str, str], str]:
    """Return the page and the notebook behind it, and why they are not complete."""
    from genexpy_nb.own_study.page import make_page

    files = [str(Path(file).resolve()) for file in request.files]
    kernels = [kernel_as_text(kernel_from_text(text)) for text in request.kernels]  # with full paths
    parameters = replace(request, results=files, kernels=kernels).parameters()
    shown, name = request.parameters(folders=False), plain_line(Path(request.called).name)
    try:
        made = make_page(parameters, "report", f"Your own study: {name}", plain_line(question), shown=shown)
    except GenexpyError as error:
        return {}, str(error)
    texts = {"report.html": made.html, "report.ipynb": made.notebook}
    return {file: text for file, text in texts.items() if text}, made.problem


def _files(folder: Path, names: list[str]) -> list[tuple[str, str]]:
    by_kind = {kind: [name for name in names if name.endswith(kind)] for kind in (".html", ".csv", ".tex", ".json")}
    lines = [("page", f"{folder / name}") for name in by_kind[".html"]]
    lines += [("tables", f"{folder}/*.csv ({len(by_kind['.csv'])}), {folder}/*.tex ({len(by_kind['.tex'])})")]
    lines += [("sentences", f"{folder / 'summary.txt'}"), ("everything", f"{folder / 'answers.json'}")]
    kept = sorted({path.name for path in folder.iterdir()} - set(names))
    return lines + [("kept", f"{listed(kept)}, which this command did not write")] * bool(kept)
