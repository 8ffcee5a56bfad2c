"""Where the numbers of a report come from: the key that says whether to run again, and the table at its end."""

from __future__ import annotations

import json
import platform
import subprocess
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import genexpy_nb
from genexpy_nb.common.hashing import file_hash, folder_hash
from genexpy_nb.common.versions import versions
from genexpy_nb.datasets import data_folder
from genexpy_nb.reporting.references import ABBREVIATIONS
from genexpy_nb.reporting.spec import Report, named_files

#: The libraries whose versions a report states.
PACKAGES = (
    "numpy",
    "scipy",
    "pandas",
    "scikit-learn",
    "statsmodels",
    "scikit-posthocs",
    "pingouin",
    "matplotlib",
    "seaborn",
)


def report_key(report: Report, root: Path, shared: Mapping[str, Any] | None = None) -> str:
    """Hash everything that a rendered report depends on."""
    return sha256(json.dumps(report_parts(report, root, shared), sort_keys=True).encode()).hexdigest()


def report_parts(report: Report, root: Path, shared: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return what `report_key` is made of, in types that JSON knows: where two keys differ, this says in what."""
    words = report.notebook.source.parent / ABBREVIATIONS
    return {
        "report": [report.name, report.title, report.description, report.paper, report.place],
        "grid": [report.grid.name, report.grid.title] if report.grid else None,
        "site": report.site.pages,
        "abbreviations": file_hash(words) if words.is_file() else None,
        "notebook": file_hash(report.notebook.source),
        "parameters": {name: repr(value) for name, value in report.parameters.items()},
        "data": [[table.name, table.source, table.sha256] for table in report.data],
        "files": {name: file_hash(path) for name, path in named_files(report).items()},
        **(shared_parts(root) if shared is None else shared),
    }


def shared_parts(root: Path) -> dict[str, Any]:
    """Return those of `report_parts` that are the same for all reports of a project."""
    lock = root / "requirements.lock"
    return {
        "package": folder_hash(Path(genexpy_nb.__file__).parent),
        "bundled": folder_hash(data_folder(), ("*.parquet", "*.json")),
        "lock": file_hash(lock) if lock.is_file() else None,
        "python": platform.python_version(),
    }


def commit(root: Path) -> str:
    """Return the commit that is checked out, and whether files differ from it."""
    head, changes = _git(root, "rev-parse", "HEAD"), _git(root, "status", "--porcelain")
    return f"{head} with local changes" if head and changes else head


def _git(root: Path, *command: str) -> str:
    try:
        done = subprocess.run(["git", *command], cwd=root, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def facts(report: Report, root: Path, key: str) -> list[tuple[str, str]]:
    """List what a reader needs to make the same numbers again; the time is not among it."""
    rows = [("Notebook", report.notebook.name)]
    for table in report.data:
        rows.append((f"Data: {table.name}", f"{table.source}: {table.path.name}, SHA-256 {table.sha256}"))
    for name, path in named_files(report).items():
        rows.append((f"File: {name}", f"{path.name}, SHA-256 {file_hash(path)}"))
    seed = next((name for name in report.values if name in ("seed", "random_state", "random_seed")), None)
    if seed:
        rows.append(("Seed", repr(report.values[seed])))
    rows.append(("Commit", commit(root) or "not in a git checkout"))
    software = {"Python": platform.python_version(), "genexpy_nb": genexpy_nb.__version__, **versions(PACKAGES)}
    rows.append(("Software", ", ".join(f"{name} {version}" for name, version in software.items())))
    rows.append(("Key", key))
    return rows
