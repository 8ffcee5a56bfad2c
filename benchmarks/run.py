"""Time what people wait for, against the definitions of the papers and against other libraries.

``make benchmarks``, or ``OMP_NUM_THREADS=1 python -m benchmarks.run``: the table of docs/scale.md. ``--only WORD`` runs
the operations whose name has it, ``--large`` adds a million experiments, ``--quick`` takes tiny sizes to see that it
works at all, ``--json FILE`` keeps the figures (those of operations that did not run stay in the file), ``--page`` puts
the table of that file into docs/scale.md. ``--authors FOLDER --authors-python PYTHON`` adds the package of the papers'
authors (see benchmarks/authors.py).

Each operation runs at half its size and at its size, each time in a process of its own. Times are seconds of the
processor, which other work on the machine changes less than the clock. Short operations are repeated, and the shortest
time counts. ``growth`` is what doubling the size multiplies the time by: 2 is linear. The peak is the largest
resident memory of the process before the yardstick runs, with Python, the libraries and the data. ``of product`` is
the share of the speed at which the same process multiplies two square matrices, where the work is a matrix product.
Ours and the yardstick's results are compared where they are the same quantity: more than `ROUNDING` apart is an error.
"""

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.operations import AUTHORS, AUTHORS_PYTHON, LARGE, OPERATIONS, Operation, Skipped
from benchmarks.timing import often, once, peak_megabytes, product_speed

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "scale.md"
MARKS = "<!-- made by make benchmarks -->", "<!-- end -->"

#: Difference of ours and the yardstick's results that is rounding, relative to values above 1.
ROUNDING = 1e-8

HEADINGS = ("operation", "size", "seconds", "yardstick", "its seconds", "ratio", "peak MB", "of product", "growth")


class Different(Exception):
    """Ours and the yardstick's results are not the same."""


def run_ours(operation: Operation, size: int) -> dict[str, float]:
    """Time our half of an operation in this process."""
    work = operation.prepare(size)
    before = peak_megabytes()
    timed = often(work.ours)
    return {
        "seconds": timed.seconds,
        "cpu_seconds": timed.cpu_seconds,
        "peak_mb": peak_megabytes(),
        "peak_before_mb": before,
    }


def run_both(name: str, operation: Operation, size: int) -> dict[str, Any]:
    """Time an operation and its yardstick in this process, and compare what they return."""
    work = operation.prepare(size)
    before = peak_megabytes()
    timed = often(work.ours)
    row: dict[str, Any] = {
        "operation": name,
        "size": operation.shape.format(size),
        "seconds": timed.seconds,
        "cpu_seconds": timed.cpu_seconds,
        "peak_mb": peak_megabytes(),
        "peak_before_mb": before,
    }
    if work.flops:
        row["of_product"] = work.flops / timed.cpu_seconds / product_speed(work.dtype)
    if work.yardstick is not None:
        row["yardstick"] = operation.yardstick
        try:
            theirs = once(work.yardstick)
        except Skipped as reason:
            return row | {"skipped": str(reason)}
        seconds = (theirs.result if work.apart else theirs.cpu_seconds) * work.times
        row |= {"yardstick_cpu_seconds": seconds, "part": work.part, "ratio": seconds / timed.cpu_seconds}
        if work.difference is not None:
            row["difference"] = work.difference(timed.result, theirs.result)
            if not row["difference"] <= ROUNDING:
                raise Different(f"{name}: ours and the yardstick's results differ by {row['difference']:.2g}")
    return row


def run_apart(name: str, size: int, half: bool) -> dict[str, Any]:
    """Time an operation in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.run", "--child", name, str(size), *(["--half"] if half else [])]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    if done.returncode:
        raise SystemExit(f"{name}: {(done.stderr.strip().splitlines() or ['the process was ended'])[-1]}")
    return json.loads(done.stdout.splitlines()[-1])


def run(name: str, operation: Operation, quick: bool) -> dict[str, Any]:
    """Time an operation at its size and at half of it."""
    size = operation.quick if quick else operation.size
    row = run_apart(name, size, half=False)
    if size > 1 and not quick:
        row["growth"] = row["cpu_seconds"] / run_apart(name, size // 2, half=True)["cpu_seconds"]
    return row


def about() -> dict[str, Any]:
    """Say when and on what the figures were taken."""
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return {
        "date": datetime.date.today().isoformat(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "blas": f"{blas['name']} {blas['version']}",
        "cores": os.cpu_count(),
        "threads": os.environ.get("OMP_NUM_THREADS", "all"),
        "product_gflops": {dtype: round(product_speed(dtype) / 1e9, 1) for dtype in ("float64", "float32")},
    }


# --- the table --------------------------------------------------------------------------------------------------------


def short(value: float) -> str:
    """Write a time or a ratio with two digits, or without decimals from 10 on."""
    if value >= 9.95:
        return f"{value:,.0f}"
    return f"{value:.2g}" if value >= 0.001 else f"{value:.1g}"


def cells(row: dict[str, Any]) -> list[str]:
    """Return the cells of one operation, in the order of `HEADINGS`."""
    if "skipped" in row:
        against = [row["yardstick"], f"not run: {row['skipped']}", ""]
    elif "ratio" in row:
        part = f" ({row['part']})" if row["part"] else ""
        against = [row["yardstick"] + part, short(row["yardstick_cpu_seconds"]), short(row["ratio"])]
    else:
        against = ["", "", ""]
    share = f"{row['of_product']:.0%}" if "of_product" in row else ""
    growth = f"{row['growth']:.1f}" if "growth" in row else ""
    return [
        row["operation"],
        row["size"].replace(" x ", " × "),
        short(row["cpu_seconds"]),
        *against,
        f"{row['peak_mb']:,.0f}",
        share,
        growth,
    ]


def markdown(rows: list[dict[str, Any]]) -> list[str]:
    """Return the table of the page, line by line."""
    lines = [HEADINGS, ["---"] * 2 + ["--:"] + ["---"] + ["--:"] * 5, *(cells(row) for row in rows)]
    return [f"| {' | '.join(line)} |" for line in lines]


def written_page(record: dict[str, Any], page: str) -> str:
    """Return a page with the table of a record between the two marks."""
    before, _, rest = page.partition(MARKS[0])
    return "\n".join([before + MARKS[0], *markdown(record["rows"]), MARKS[1] + rest.partition(MARKS[1])[2]])


def merged(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put new rows in the place of the old ones of the same name, in the order of the operations."""
    known = {row["operation"]: row for row in [*old, *new]}
    return [known[name] for name in OPERATIONS | LARGE if name in known]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", metavar="WORD", help="run the operations whose name has this word")
    parser.add_argument("--large", action="store_true", help="a million experiments, too")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to see that it works at all")
    parser.add_argument("--json", type=Path, metavar="FILE", help="file for the figures")
    parser.add_argument("--page", action="store_true", help="put the table of that file into docs/scale.md")
    parser.add_argument("--authors", metavar="FOLDER", help="checkout of the package of the papers' authors")
    parser.add_argument("--authors-python", metavar="PYTHON", help="Python that runs it")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--half", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        name, size = given.child[0], int(given.child[1])
        operation = (OPERATIONS | LARGE)[name]
        print(json.dumps(run_ours(operation, size) if given.half else run_both(name, operation, size)))
        return
    if given.authors:
        os.environ[AUTHORS] = str(Path(given.authors).resolve())
    if given.authors_python:
        os.environ[AUTHORS_PYTHON] = given.authors_python
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    wanted = {name: each for name, each in (OPERATIONS | (LARGE if given.large else {})).items() if given.only in name}
    if not wanted:
        parser.error(f"no operation has {given.only!r} in its name; there are {', '.join(OPERATIONS | LARGE)}")
    record: dict[str, Any] = {"about": about(), "rows": []}
    if given.json and given.json.exists():
        record["rows"] = json.loads(given.json.read_text(encoding="utf-8"))["rows"]
    new: list[dict[str, Any]] = []
    for number, (name, operation) in enumerate(wanted.items(), 1):
        print(f"{number} of {len(wanted)}: {name} ...", file=sys.stderr, flush=True)
        new.append(run(name, operation, given.quick))
        if given.json:
            both = record | {"rows": merged(record["rows"], new)}
            given.json.write_text(json.dumps(both, indent=1) + "\n", encoding="utf-8")
    print("\n".join(aligned([HEADINGS, *(cells(row) for row in new)])))
    print("\n" + ", ".join(f"{name} {value}" for name, value in record["about"].items()))
    if given.page and given.json:
        record = json.loads(given.json.read_text(encoding="utf-8"))
        PAGE.write_text(written_page(record, PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def aligned(lines: list) -> list[str]:
    """Return lines of cells as text, in columns."""
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]


if __name__ == "__main__":
    main()
