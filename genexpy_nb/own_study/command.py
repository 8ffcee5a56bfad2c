"""What ``genexpy-nb study`` does, step by step: read, propose or compute, print, write."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import pandas as pd

from genexpy_nb.common.errors import GenexpyError, ParameterError, StudyWarning
from genexpy_nb.common.prose import plain_line
from genexpy_nb.own_study import outputs, terminal
from genexpy_nb.own_study.own_kernels import kernel_as_text, kernel_from_text
from genexpy_nb.own_study.request import StudyRequest
from genexpy_nb.own_study.roles import command, propose
from genexpy_nb.study.estimates import DEFAULT_KERNELS


def run(results: str, options: Mapping[str, Any]) -> None:
    """Carry out the command."""
    if options["as_json"] and options["quiet"]:
        raise ParameterError("--json and --quiet: give one of them")
    request = _request(results, options)
    writes = bool(options["output"]) or not options["as_json"]
    folder = Path(options["output"] or outputs.default_folder(results))
    if writes:
        outputs.check_folder(folder, options["force"])
    frame = request.read()
    request.check_named(frame)
    if request.absent():
        _propose(request, frame, options)
        return
    study = request.study(frame)
    problem, names = "", []
    with request.spoken(), warnings.catch_warnings():
        warnings.simplefilter("ignore", StudyWarning)  # they are in Study.warnings, and shown
        answers = request.answers(study)
        answers.tables()  # whatever is wrong is said before anything is printed
        _print(answers, request, frame, options)
        if writes:
            pages, problem = ({}, "") if options["no_page"] else _page(request, answers.question)
            summary = {"summary.txt": f"{answers.summary()}\n"}
            # not before all is there: a process that is killed leaves nothing on the disk
            with outputs.staged(folder, options["force"]) as waiting:
                names = outputs.write_tables(answers, request, frame, waiting, summary | pages)
    if writes and not options["as_json"]:
        terminal.print_files(terminal.console_of(sys.stdout), _files(folder, names))
    if problem:
        click.echo(f"error: the page is not complete: {plain_line(problem)}", err=True)
        sys.exit(1)


def _request(results: str, options: Mapping[str, Any]) -> StudyRequest:
    if options["higher"] and options["lower"]:
        raise ParameterError("--higher-is-better and --lower-is-better exclude each other: give one")
    same = ["alternatives", "target", "over", "design", "average", "cluster", "wide", "without", "alternative"]
    same += [
        "alpha",
        "delta",
        "level",
        "confidence",
        "configuration",
        "budget",
        "rank_incomplete",
        "sep",
        "encoding",
        "decimal",
        "sheet",
    ]
    asked = {name: options[name] for name in same}
    asked |= {name: options[name] for name in ("missing", "pair") if options[name] is not None}
    if not results:
        raise ParameterError("RESULTS must name a file or folder")
    if options["kernel"]:
        asked["kernels"] = [*map(kernel_as_text, DEFAULT_KERNELS), *options["kernel"]]
    return StudyRequest(
        results,
        fixed=options["fix"],
        higher_is_better="higher" if options["higher"] else "lower" if options["lower"] else "",
        **asked,
    )


def _propose(request: StudyRequest, frame: pd.DataFrame, options: Mapping[str, Any]) -> None:
    """Show the columns and a guess; that roles are missing is an error only if some were given."""
    asked = bool(request.given()) or request.wide or options["as_json"] or options["quiet"]
    proposal = propose(frame, request)
    if not (options["as_json"] or options["quiet"]):
        terminal.print_proposal(terminal.console_of(sys.stdout), frame, proposal, proposal.request.absent())
    if asked:
        absent = request.absent()
        better = command(proposal.request, joined=" ")
        raise ParameterError(
            f"{plain_line(request.results)}: {' and '.join(absent)} {'is' if len(absent) == 1 else 'are'} missing; a "
            f"guess: {better}"
        )


def _print(answers: Any, request: StudyRequest, frame: pd.DataFrame, options: Mapping[str, Any]) -> None:
    if options["as_json"]:
        found = outputs.as_json(answers, request, frame)
        unicode = (getattr(sys.stdout, "encoding", None) or "").lower().startswith("utf")
        click.echo(json.dumps(found, ensure_ascii=not unicode, indent=1, allow_nan=False))
        return
    console = terminal.console_of(sys.stdout)
    if options["quiet"]:
        terminal.print_answer(console, answers)
        return
    shown = terminal.print_summary if options["everything"] else terminal.print_first
    shown(console, answers, request, frame)


def _page(request: StudyRequest, question: str) -> tuple[dict[str, str], str]:
    """Return the page and the notebook behind it, and why they are not complete."""
    from genexpy_nb.own_study.page import make_page

    parameters = request.parameters() | {"results": str(Path(request.results).resolve())}
    parameters["kernels"] = [kernel_as_text(kernel_from_text(text)) for text in request.kernels]  # with full paths
    name = plain_line(Path(request.results).name)
    try:
        made = make_page(parameters, "report", f"Your own study: {name}", plain_line(question))
    except GenexpyError as error:
        return {}, str(error)
    texts = {"report.html": made.html, "report.ipynb": made.notebook}
    return {file: text for file, text in texts.items() if text}, made.problem


def _files(folder: Path, names: list[str]) -> list[tuple[str, str]]:
    by_kind = {kind: [name for name in names if name.endswith(kind)] for kind in (".html", ".csv", ".tex", ".json")}
    lines = [("page", f"{folder / name}") for name in by_kind[".html"]]
    lines += [("tables", f"{folder}/*.csv ({len(by_kind['.csv'])}), {folder}/*.tex ({len(by_kind['.tex'])})")]
    lines += [("sentences", f"{folder / 'summary.txt'}"), ("everything", f"{folder / 'answers.json'}, or --all")]
    return lines
