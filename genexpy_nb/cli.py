"""The command ``genexpy-nb``."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

import click

import genexpy_nb
from genexpy_nb.common.errors import GenexpyError, ParameterError, do_without, os_error
from genexpy_nb.datasets import SOURCES

if TYPE_CHECKING:
    from genexpy_nb.reporting.pairing import NotebookFile


STOPPED = "stopped ({}): what is finished stays, the next call does the rest"
STOPPED_WHOLE = "stopped ({}): nothing half-written stays"  # of a command that writes at its end, or not at all
PATIENCE = 2.0  # seconds that a clean stop may take
# Threads of linear algebra, unless somebody says otherwise: the matrices are small, and on busy cores several threads
# took ten times as long as one.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class _Group(click.Group):
    """Shows an error of the package or the system as one line, without a traceback, and stops when told to."""

    def invoke(self, ctx: click.Context) -> Any:
        with _stopping(ctx) as signals:
            try:
                return super().invoke(ctx)
            except (KeyboardInterrupt, click.Abort):
                problem, code = _stopped(ctx, signals[0] if signals else signal.SIGINT)
            except BrokenPipeError:  # whoever read the output has gone: click knows what to do
                raise
            except GenexpyError as error:
                problem, code = f"error: {error}", 2
            except OSError as error:
                problem, code = f"error: {os_error(error)}", 2
            except MemoryError:
                problem, code = "error: out of memory", 2
            except ImportError:  # what some make of an interrupt
                if not signals:
                    raise
                problem, code = _stopped(ctx, signals[0])
        click.echo(problem, err=True)
        if signals:  # all is cleared up: do not let anything wait for the end of threads
            sys.stdout.flush()
            _leave(code)
        ctx.exit(code)


def _stopped(ctx: click.Context, number: int) -> tuple[str, int]:
    return ctx.meta.get(__name__, STOPPED).format(signal.Signals(number).name), 128 + number


@contextmanager
def _stopping(ctx: click.Context) -> Iterator[list[int]]:
    """Make of Ctrl-C and SIGTERM an exception that ends what runs; yields the signals that came."""
    signals: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield signals
        return

    def leave() -> None:
        problem, code = _stopped(ctx, signals[0])
        os.write(2, f"{problem}\n".encode())
        _leave(code)

    def stop(number: int, frame: FrameType | None) -> None:
        signals.append(number)
        if len(signals) > 1:
            return
        # an exception can get lost in a place where Python has no use for one
        watchdog = threading.Timer(PATIENCE, leave)
        watchdog.daemon = True
        watchdog.start()
        raise KeyboardInterrupt

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield signals
    finally:
        if not signals:  # else the watchdog and a second signal are still to be reckoned with
            for number, handler in before.items():
                signal.signal(number, handler)


def _leave(code: int) -> NoReturn:
    """End at once, with all that was started."""
    if psutil := sys.modules.get("psutil"):  # not there: nothing was started yet
        for child in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):
                child.kill()
    os._exit(code)


_FOLDER, _FROM_1 = click.Path(file_okay=False, path_type=Path), click.IntRange(min=1)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(genexpy_nb.__version__, prog_name="genexpy-nb")
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with notebooks/ and reports/ [default: the nearest one upwards].",
)
@click.pass_context
def main(ctx: click.Context, root: Path | None) -> None:
    """Say what a table of results shows, render notebooks as reports, get their data."""
    for name in _THREADS:  # before numpy is loaded; kernels inherit it
        os.environ.setdefault(name, "1")
    do_without()
    ctx.obj = root


def _root(ctx: click.Context) -> Path:
    from genexpy_nb.reporting.pairing import find_root

    return ctx.obj.resolve() if ctx.obj else find_root(Path.cwd())


# The imports stand in the commands: `--help` and `--version` need not wait for jupyter and pandas.


@main.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("-p", "assignments", multiple=True, metavar="name=value", help="Set a parameter of the one report.")
@click.option("--jobs", type=_FROM_1, help="Reports at the same time.  [default: 1; on a cluster, one for each worker]")
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Of a Dask cluster that runs the reports, as tcp://host:8786; its workers must see the project's folder.",
)
@click.option("--source", type=click.Choice(SOURCES), help="Which results tables to read.")
@click.option("-o", "--output", type=_FOLDER, help="Folder for html/ and executed/ [default: reports].")
@click.option("--force", is_flag=True, help="Run unchanged reports too.")
@click.option(
    "--cell-timeout",
    type=click.IntRange(min=0),
    default=3600,
    show_default=True,
    metavar="SECONDS",
    help="Time that a cell may take; 0: no limit.",
)
@click.pass_context
def render(ctx: click.Context, names: Sequence[str], assignments: Sequence[str], **options: Any) -> None:
    """Render reports/NAME.yaml to HTML: all, or those named.

    Exit code 1 if a report fails (the others still run), 2 if something asked for is wrong (then nothing runs), 130
    or 143 after Ctrl-C or SIGTERM.
    """
    from genexpy_nb.reporting.execute import render as render_reports
    from genexpy_nb.reporting.spec import in_full, parse_assignments

    overrides, raw = parse_assignments(assignments)
    given = {"overrides": in_full(overrides), "raw": raw, **options}
    outcome = render_reports(_root(ctx), names, say=click.echo, **given)
    click.echo(f"open {_short(outcome.index)}")
    if outcome.failed:
        click.echo(f"error: failed: {', '.join(outcome.failed)}", err=True)
        for entry in outcome.entries:
            if entry.status == "FAILED":
                click.echo(f"  {entry.name}: {entry.problem.splitlines()[0]}", err=True)
        ctx.exit(1)


def _short(path: Path) -> str:
    """Relative to where the user is, if that is shorter to read."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


@main.command()
@click.argument("notebook")
@click.pass_context
def params(ctx: click.Context, notebook: str) -> None:
    """Show the parameters of a notebook: name, type, default, meaning."""
    from genexpy_nb.reporting.pairing import find_notebook, read_source
    from genexpy_nb.reporting.spec import declared_parameters

    pair = find_notebook(_root(ctx), notebook)
    declared = declared_parameters(read_source(pair), pair.source.name)
    if not declared:
        click.echo(f"{pair.name} has no parameters")
        return
    rows = [(p.name, p.annotation, repr(p.default), p.meaning) for p in declared]
    _table([("name", "type", "default", "meaning"), *rows])


def _table(rows: Sequence[Sequence[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        click.echo("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip())


@main.command()
@click.option("--like", required=True, multiple=True, metavar="TABLE", help="An earlier study: see above. Repeat it.")
@click.option("--methods", required=True, type=click.IntRange(min=2), help="How many will be compared.")
@click.option("--ask", type=click.Choice(["winner", "regret", "order"]), default="winner", show_default=True)
@click.option("--probability", type=float, default=0.9, show_default=True, help="With which a study gets there.")
@click.option("--by", type=click.Choice(["rank", "score"]), default="rank", show_default=True, help="What leads.")
@click.option("--matters", type=float, default=0.5, show_default=True, help="Regret that is small enough, in ranks.")
def plan(like: Sequence[str], methods: int, **options: Any) -> None:
    """Say how many experiments a study needs, from earlier studies like it.

    TABLE is encoders, fewshot, mteb or replicates, which come with the package, or a file of your own.
    A winner: one contender is left. A regret: whoever leads is no more behind than matters. An order: a
    pair has the same order in a second study.

    \b
      genexpy-nb plan --like encoders --like mine.csv --methods 6 --ask order --probability .8
    """
    import warnings

    from genexpy_nb.common.errors import StudyWarning

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", StudyWarning)
        found = genexpy_nb.plan_study(list(like), methods, **options)
    for each in told:
        if issubclass(each.category, StudyWarning):
            click.echo(f"note: {each.message}", err=True)
    click.echo(found)


class _OneSentence(click.Command):
    """Says what is wrong with options in one line, as it does of all else."""

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        try:
            return super().make_context(*arguments, **options)
        except click.UsageError as error:
            raise ParameterError(
                f"{error.format_message()} (genexpy-nb {self.name} --help shows the options)"
            ) from error


def _columns_option(name: str, text: str, metavar: str = "COL") -> Callable[[Any], Any]:
    return click.option(name, help=text, multiple=True, metavar=metavar)


_STUDY_HELP = """Say what a table of results shows, and whether another study would show it too.

RESULTS is a file (CSV, TSV, parquet, JSON, YAML, Excel), several tables, or a folder; results of scikit-learn,
MTEB, HELM, Inspect, MLflow, OpenML and others are known (docs/commands.md). Separator, encoding and decimal
mark are found.

\b
What each column is for is guessed, and asked at a terminal if that is not sure:
  genexpy-nb study results.csv
\b
To say it yourself, for a table with a row per evaluation:
  genexpy-nb study results.csv --alternatives encoder --target auc --higher-is-better \\
      --over dataset --design model --average seed
\b
For a matrix, a row per dataset and a column per method:
  genexpy-nb study matrix.csv --wide --over dataset --lower-is-better
\b
For a matrix, a row per method and a column per dataset:
  genexpy-nb study leaderboard.csv --wide --alternatives model --without Average --higher-is-better

A summary is printed; a page, CSVs of every table, LaTeX of the main ones and answers.json are written to a folder.

Exit code: 0, also if only a guess was shown; 1 if the page failed (the tables are there); 2 if something is wrong
or missing, then nothing is written.
"""


@main.command(cls=_OneSentence, help=_STUDY_HELP, short_help="Say what your own table of results shows.")
@click.argument("results", nargs=-1, required=True)
@_columns_option("--alternatives", "What is compared: models, methods. Several columns together name one.")
@_columns_option("--target", "The score. Several metrics: --target auc=higher --target loss=lower.", "COL[=DIRECTION]")
@click.option("--higher-is-better", "higher", is_flag=True, help="Direction of the score, which must be given.")
@click.option("--lower-is-better", "lower", is_flag=True, help="The same for losses, errors, times.")
@_columns_option("--over", "The experiments: datasets, tasks, subjects. The question is whether others would agree.")
@_columns_option("--design", "Analysed level by level: each combination is a configuration.")
@_columns_option("--average", "Averaged over: seeds, folds, runs.")
@_columns_option("--fix", "Held at one level; other rows are left out.", "COL=LEVEL")
@click.option("--cluster", default="", metavar="COL", help="Groups of related conditions: each counts as one.")
@click.option("--wide", is_flag=True, help="A matrix: its columns of numbers hold scores, or those of --target '*_f1'.")
@_columns_option("--without", "Left out: a column of a matrix, such as an average, or rows, as COL=LEVEL.")
@click.option("--alternative", default="", metavar="NAME", help="Ask about the rank of this one, too.")
@_columns_option("--kernel", "Ask a question of your own, too: file.py:Class, or module:Class(name=value).", "SPEC")
@click.option("--missing", metavar="POLICY", help="complete, worst-rank, drop or error.  [default: complete]")
@click.option("--alpha", type=float, default=0.95, show_default=True, help="Probability with which studies agree.")
@click.option("--delta", type=float, default=0.05, show_default=True, help="Difference that still is agreement.")
@click.option("--level", type=float, default=0.05, show_default=True, help="Of the tests.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Of the intervals.")
@_columns_option("--configuration", "Show this one in detail.  [default: most experiments]", "COL=LEVEL")
@click.option("--budget", type=int, default=0, metavar="N", help="Experiments that can still be run.")
@click.option("--rank-incomplete", is_flag=True, help="Rank those with fewer than half of the experiments, too.")
@click.option("--sep", default="", help="Between columns: a character, tab or space.  [default: found]")
@click.option("--encoding", default="", help="Of a text file.  [default: found]")
@click.option("--decimal", default="", metavar=". or ,", help="Decimal mark.  [default: found]")
@click.option(
    "--sheet",
    default="",
    metavar="NAME",
    help="Of an Excel file; of a page, a table's first row or heading. 'A / B' reads two as one table.",
)
@_columns_option("--missing-code", "What stands for no value among numbers, besides NA, None, ? and the like.", "TEXT")
@click.option("--max-size", default="", metavar="SIZE", help="The largest file that is read.  [default: 200MB]")
@click.option("-o", "--output", default="", metavar="DIR", help="Folder to write to.  [default: study-NAME]")
@click.option("--force", is_flag=True, help="Replace what is called like a file of this command.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON only; files are written only with -o.")
@click.option("--all", "everything", is_flag=True, help="Print the first rows of every table, and all sentences.")
@click.option("--no-page", is_flag=True, help="Write no page: it takes the longest.")
def study(results: Sequence[str], **options: Any) -> None:
    """Answer a results table; the help stands above."""
    click.get_current_context().meta[__name__] = STOPPED_WHOLE
    from genexpy_nb.own_study.command import run

    run(results, options)


# What a card has no use for, or says differently; all other options are those of `study`.
_OF_STUDY_ALONE = {"output", "force", "as_json", "everything", "no_page"}


@main.command(cls=_OneSentence, params=[each for each in study.params if each.name not in _OF_STUDY_ALONE])
@click.option("--claim", default="", metavar="NAME", help="Exit with 1 unless this one is the only contender.")
@click.option("--decided", default="", metavar="TEXT", help="What was decided before anybody saw results, and where.")
@click.option("-o", "--output", default="", metavar="DIR", help="Folder to write to.  [default: card-NAME of the file]")
def card(results: Sequence[str], **options: Any) -> None:
    """Write a card that says what a table of results lets one conclude: Markdown, a badge, JSON and LaTeX.

    RESULTS and the options about its columns are those of `genexpy-nb study`, with the same guesses.

    Exit code 1 if what --claim names is not the only contender (the card is there), 2 if something is wrong or missing,
    then nothing is written.
    """
    click.get_current_context().meta[__name__] = STOPPED_WHOLE
    from genexpy_nb.own_study.card import run

    if not run(results, options):
        click.get_current_context().exit(1)


@main.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("-o", "--output", type=_FOLDER, help="Folder to write to.  [default: lessons]")
@click.option("--no-solutions", is_flag=True, help="Leave the worked solutions out of student notebooks, for grading.")
@click.option("--students", is_flag=True, help="Write student notebooks only: no pages, slides and units.")
@click.pass_context
def lessons(ctx: click.Context, names: Sequence[str], output: Path | None, no_solutions: bool, students: bool) -> None:
    """Write what a course needs, of all notebooks or those named.

    Student notebooks (dots for answers; cells that check them, with a worked solution folded below), pages with
    solutions for lecturers, slides, and a page that links them. Nothing is run: pages and slides show what the
    notebooks hold.
    """
    from genexpy_nb.reporting.lessons import write_lessons

    click.echo(f"open {_short(write_lessons(_root(ctx), names, output, click.echo, not no_solutions, not students))}")


@main.group()
def data() -> None:
    """Get the published results tables, or see which are here."""


@data.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
def fetch(names: Sequence[str]) -> None:
    """Download published tables and verify them: all, or those named."""
    from genexpy_nb.datasets import NAMES, locating

    for table in locating.fetch(names or NAMES):
        click.echo(f"{table.name}: {table.path}")


@data.command()
def status() -> None:
    """Show which tables are here; the network is not touched."""
    from genexpy_nb.datasets import locating

    frame = locating.status().astype(object)
    frame = frame.where(frame.notna(), "")
    _table([tuple(frame.columns), *(tuple(map(str, row)) for row in frame.itertuples(index=False))])


@main.group()
def notebooks() -> None:
    """Keep each .py notebook and its .ipynb in step."""


@notebooks.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option(
    "--source",
    type=click.Choice(SOURCES),
    default="original",
    show_default=True,
    help="Which results tables the notebooks with a parameter 'source' read.",
)
@click.option("--no-execute", is_flag=True, help="Keep outputs of unchanged cells, run nothing.")
@click.pass_context
def sync(ctx: click.Context, names: Sequence[str], source: str, no_execute: bool) -> None:
    """Make each .ipynb from its .py: all, or those named. A notebook that fails is left as it was (exit code 1)."""
    from genexpy_nb.reporting.execute import apart
    from genexpy_nb.reporting.pairing import find_notebook, list_notebooks

    root = _root(ctx)
    pairs = [find_notebook(root, name) for name in names] or list_notebooks(root)
    without = [pair.name for pair in pairs if not pair.py.is_file()]
    if without:
        raise GenexpyError(f"no .py to make the .ipynb from: {', '.join(without)}")
    sync_one = partial(_synced, source=source, execute=not no_execute)
    done = ((pair, sync_one(pair), "") for pair in pairs) if no_execute else apart(sync_one, pairs)
    failed = False
    for pair, told, problem in done:
        text, complete = told or (f"FAILED: {problem}", False)
        click.echo(f"{pair.name}: {text}", err=not complete)
        failed |= not complete
    if failed:
        ctx.exit(1)


def _synced(pair: NotebookFile, source: str, execute: bool) -> tuple[str, bool]:
    """Write the ``.ipynb`` of a ``.py``, executed or with the outputs that it has; say how that went."""
    from genexpy_nb.common.files import write_atomically
    from genexpy_nb.reporting.execute import run
    from genexpy_nb.reporting.pairing import build, dumps, read_source
    from genexpy_nb.reporting.spec import chooses_source, declared_parameters

    if execute:
        declared = declared_parameters(read_source(pair), pair.source.name)
        node, failure = run(pair, {"source": source} if chooses_source(declared) else {}, inject=False, answers=True)
        if failure:
            return "\n".join([f"FAILED at {failure.summary}", *failure.traceback.splitlines()[-12:]]), False
    else:
        node = build(pair)
    text = dumps(node)
    if pair.ipynb.is_file() and pair.ipynb.read_text(encoding="utf-8") == text:
        return "unchanged", True
    write_atomically(pair.ipynb, text)
    return "written", True


@notebooks.command("check")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.pass_context
def check_notebooks(ctx: click.Context, names: Sequence[str]) -> None:
    """Check each pair: same inputs, executed in order, no errors, positional ids. Exit code 1 if not."""
    from genexpy_nb.reporting.pairing import check, find_notebook, list_notebooks

    root = _root(ctx)
    pairs = [find_notebook(root, name) for name in names] or list_notebooks(root)
    problems = [f"notebooks/{problem}" for pair in pairs for problem in check(pair)]
    for problem in problems:
        click.echo(problem, err=True)
    if problems:
        click.echo("run: genexpy-nb notebooks sync", err=True)
        ctx.exit(1)
    click.echo(f"{len(pairs)} notebook{'' if len(pairs) == 1 else 's'} in order")
