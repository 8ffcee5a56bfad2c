"""Published tables and bundled ones: where each is found (in a folder, the cache, at its authors'), and loaded from."""

from __future__ import annotations

import html
import io
import os
import re
import warnings
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import requests

from genexpy_nb.common.checks import check_choice
from genexpy_nb.common.errors import DataError, ParameterError, StudyError
from genexpy_nb.common.files import parse_parquet, read_json, read_verified
from genexpy_nb.datasets import NAMES, SOURCES
from genexpy_nb.datasets.reading import read_results

with warnings.catch_warnings():  # its progress bar asks every notebook for ipywidgets, and names a path in doing so
    warnings.filterwarnings("ignore", message="IProgress not found")
    import pooch

BASE_URL = "https://raw.githubusercontent.com"
#: ``data/make_<stem>.py`` makes the bundled table ``data/<stem>.parquet`` and ``data/<stem>.json``, its origin.
STEMS = {"encoders": "encoders", "bigbench": "fewshot"}
TIMEOUT = 3.0  # seconds to wait for a connection, and for the server's next bytes
RETRIES = 2  # of who insists on the original; `auto` has something to fall back on
_OWN_RUNS = {"encoders": "runs of categorical encoders", "bigbench": "few-shot classifiers"}
_unreachable: dict[str, str] = {}  # why a download failed in this process: `auto` does not wait for it twice


class UnreachableError(DataError):
    """A published table cannot be downloaded now; the only failure after which ``auto`` falls back."""


@dataclass(frozen=True)
class Located:
    """A results table on disk, verified but not loaded: its name, source, path, SHA-256 and a note on the origin."""

    name: str
    source: str
    path: Path
    sha256: str
    note: str


# --- what there is ----------------------------------------------------------------------------------------------------


def data_folder() -> Path:
    """Return where the bundled results lie: inside the package if it came as a wheel, beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    return next((f for f in (package / "_data", package.parent / "data") if f.is_dir()), package / "_data")


def cache_folder() -> Path:
    """Return where downloaded tables are kept."""
    return Path(pooch.os_cache("genexpy_nb"))


def bundled_path(name: str) -> Path:
    """Return the parquet file with this project's own results."""
    return data_folder() / f"{STEMS[name]}.parquet"


def published(name: str) -> dict[str, Any]:
    """Return what ``data/registry.json`` says of a published table, and its address, of a pinned commit, as ``url``."""
    path = data_folder() / "registry.json"
    table = read_json(path, "it says where the published tables are; take it from where this package came from")[name]
    return table | {"url": f"{BASE_URL}/{table['repository']}/{table['commit']}/{table['path']}"}


# --- finding ----------------------------------------------------------------------------------------------------------


def locate(name: str, source: str = "auto") -> Located:
    """Find a results table, download it if need be, and verify its SHA-256, without loading it."""
    return find(name, source)[0]


def find(name: str, source: str, stacklevel: int = 3) -> tuple[Located, bytes]:
    """Do what `locate` does, and give the bytes that were verified, too."""
    check_choice("name", name, NAMES)
    check_choice("source", source, SOURCES)
    if source == "bundled":
        return _bundled_copy(name)
    found = _on_this_disk(name)
    # Who insists on the original gets a fresh attempt; `auto` remembers that it failed.
    if found is None and source == "original":
        found = _downloaded(name, RETRIES)
    if found is None and name not in _unreachable:
        with suppress(UnreachableError):
            found = _downloaded(name, 0)
    if found is None:
        named = os.environ.get("GENEXPY_NB_DATA")
        lacks = f"GENEXPY_NB_DATA names no folder with {published(name)['file']}, and " if named else ""
        found = _bundled_copy(name, because=lacks + _unreachable[name])
        warnings.warn(f"{name}: {found[0].note}", UserWarning, stacklevel=stacklevel)
    return found


def fetch(names: str | Iterable[str] = NAMES) -> list[Located]:
    """Download published tables into the cache; a damaged file there is replaced, a good one is kept."""
    names = [names] if isinstance(names, str) else list(names)
    for name in names:
        check_choice("names", name, NAMES)
    return [_downloaded(name, RETRIES)[0] for name in names]


def status() -> pd.DataFrame:
    """List which tables are here, and intact, without touching the network."""
    rows: list[dict[str, Any]] = []
    for name in NAMES:
        for variant, look in (("original", _on_this_disk), ("bundled", _bundled_copy)):
            path = _path_on_this_disk(name) if variant == "original" else bundled_path(name)
            found = None
            with suppress(DataError):
                found = look(name)
            row: dict[str, Any] = {"name": name, "variant": variant, "available": found is not None}
            row["where"] = published(name)["url"] if path is None else str(path)
            row["sha256_ok"] = found is not None if path is not None and path.is_file() else pd.NA
            row["rows"] = pd.NA if found is None else pq.read_metadata(io.BytesIO(found[1])).num_rows
            rows.append(row)
    return pd.DataFrame(rows).astype({"sha256_ok": "boolean", "rows": "Int64"})


def _path_on_this_disk(name: str) -> Path | None:
    named = os.environ.get("GENEXPY_NB_DATA")
    folders = [*([Path(named).expanduser()] if named else []), cache_folder()]
    return next((path for folder in folders if (path := folder / published(name)["file"]).is_file()), None)


def _on_this_disk(name: str) -> tuple[Located, bytes] | None:
    """The published table, verified; None if there is none here."""
    path = _path_on_this_disk(name)
    return None if path is None else _original(name, path)


def _original(name: str, path: Path) -> tuple[Located, bytes]:
    table = published(name)
    remedy = "put the published file there (it is in the folder that GENEXPY_NB_DATA names)"
    if path.parent == cache_folder():
        remedy = f"replace it with `genexpy-nb data fetch {name}`"
    content = read_verified(path, table["sha256"], f"delete it, or {remedy}")
    note = f"published in github.com/{table['repository']} at commit {table['commit'][:12]}"
    return Located(name, "original", path, table["sha256"], note), content


def _downloaded(name: str, retries: int) -> tuple[Located, bytes]:
    """The published table, from its authors; if they cannot be reached, that is remembered."""
    table, logger = published(name), pooch.get_logger()
    file, level = table["file"], logger.level
    logger.setLevel("WARNING")  # its line names the cache folder, which would end up in notebooks
    try:
        known: dict[str, Any] = {"registry": {file: table["sha256"]}, "urls": {file: table["url"]}}
        fetcher = pooch.create(cache_folder(), base_url="", retry_if_failed=retries, **known)
        path = fetcher.fetch(file, downloader=pooch.HTTPDownloader(timeout=TIMEOUT))
    except OSError as error:  # requests' errors are OSErrors
        _unreachable[name] = _why(error)
        said = f"{name}: the published table cannot be had: {_unreachable[name]}. Download {table['url']} on another"
        named = f"GENEXPY_NB_DATA (now: {os.environ.get('GENEXPY_NB_DATA') or 'not set'})"
        remedy = f"machine and let {named} name the folder that holds it as {file}, or use source='bundled'"
        raise UnreachableError(f"{said} {remedy}") from error
    except ValueError as error:  # of pooch: the hash
        damaged = f"what {table['url']} sent is damaged or another file: {' '.join(str(error).split())}"
        raise DataError(f"{damaged} Try again later, or use source='bundled'") from error
    finally:
        logger.setLevel(level)
    return _original(name, Path(path))


def _why(error: OSError) -> str:
    """The reason in words that are the same each time (requests' own name objects by their address)."""
    if isinstance(error, requests.Timeout) or "timed out" in str(error):  # midway it is a ConnectionError
        return f"no network: the server did not answer, or not fast enough (limit {TIMEOUT:g} s)"
    if isinstance(error, requests.HTTPError) and error.response is not None:
        return f"the server answered with status {error.response.status_code}"
    if isinstance(error, requests.RequestException):
        return f"no network: the connection failed or broke off ({type(error).__name__})"
    return f"the cache folder cannot be written ({type(error).__name__})"


def _bundled_copy(name: str, because: str = "") -> tuple[Located, bytes]:
    """This project's own results, verified against the JSON that the script wrote beside them."""
    path = bundled_path(name)
    reason = f", because the published table cannot be had ({because})" if because else ""
    content, about = read_content(path, f"make it again with `python data/make_{STEMS[name]}.py`{reason}")
    return Located(name, "bundled", path, about["sha256"], f"this project's own {_OWN_RUNS[name]}{reason}"), content


# --- what is loaded ---------------------------------------------------------------------------------------------------

# The order in which tables show their columns: those that together identify a row first.
_COLUMNS = {
    "encoders": ["dataset", "model", "tuning", "scoring", "encoder", "cv_score", "time"],
    "bigbench": ["subtask_description", "task_name", "number_of_shots", "model_family_model_name", "score_value"],
}
# Sources of several published datasets, with their OpenML ids (src/utils.py of EncoderBenchmarking; OpenML, UCI).
_SHARED = {"kddcup09": "1111 1112 1114", "jungle-chess": "40999 41005 41007", "ibm": "43896 43897", "monks": "333 334"}
_SHARED |= {"adult": "1037 1590", "credit-approval": "29 40981"}


def load_encoders(source: str = "auto") -> pd.DataFrame:
    """Load the cross-validated scores of categorical encoders (github.com/DrCohomology/EncoderBenchmarking).

    Parameters
    ----------
    source : {"auto", "original", "bundled"}
        The published table, this project's own results, or the published ones if they can be had within a few
        seconds and else, with a warning, the own ones.

    Returns
    -------
    DataFrame of shape (n_results, 7)
        Columns ``dataset``, ``model``, ``tuning``, ``scoring``, ``encoder`` (together the key), ``cv_score``
        (higher is better) and ``time`` (may be missing). ``attrs`` holds ``name``, ``source``
        (``"original"`` or ``"bundled"``), ``sha256`` and ``note``. The published table has 61,812 rows.

    Examples
    --------
    >>> encoders = load_encoders(source="bundled")
    >>> encoders.attrs["source"], list(encoders.columns)
    ('bundled', ['dataset', 'model', 'tuning', 'scoring', 'encoder', 'cv_score', 'time'])
    """
    return _load("encoders", source)


def load_bigbench(source: str = "auto") -> pd.DataFrame:
    """Load the scores of language models on subtasks of BIG-bench, or, bundled, of few-shot classifiers.

    Parameters
    ----------
    source : {"auto", "original", "bundled"}
        As in `load_encoders`.

    Returns
    -------
    DataFrame of shape (n_results, 5)
        Columns ``subtask_description``, ``task_name``, ``number_of_shots``, ``model_family_model_name`` (together
        the key) and ``score_value`` (higher is better, can be negative). ``attrs`` as in `load_encoders`. The
        published table (github.com/DrCohomology/genexpy) has 183,819 rows; its 12 infinite scores, all of evaluations
        of ``training_on_test_set`` that failed, are missing values here, and the note says so.

    Examples
    --------
    >>> load_bigbench(source="bundled").columns[-1]
    'score_value'
    """
    frame = _load("bigbench", source)
    failed = np.isinf(frame["score_value"])
    if failed.any():
        frame["score_value"] = frame["score_value"].mask(failed)
        frame.attrs["note"] += f", {failed.sum()} infinite scores read as missing"
    return frame


def with_source_tables(encoders: pd.DataFrame) -> pd.DataFrame:
    """Add the table that each dataset of the encoders comes from, the ``cluster`` of a `genexpy_nb.Study`.

    Parameters
    ----------
    encoders : DataFrame
        As `load_encoders` returns it, or rows of it.

    Returns
    -------
    DataFrame
        The same with the column ``table``, text: what stands before the colon in the name of a bundled dataset. The
        published ones are named by their OpenML ids: the source if we know that several share it, else the id.

    Examples
    --------
    >>> encoders = with_source_tables(load_encoders(source="bundled"))
    >>> encoders.loc[encoders["dataset"] == "iris:virginica", "table"].unique().tolist(), encoders["table"].nunique()
    (['iris'], 23)
    """
    names = encoders["dataset"] if "dataset" in encoders else pd.Series([""])
    if not names.str.fullmatch(r"\d+|.+:.*").all():
        named = "their datasets are named after the table that they were cut from, or by their OpenML id"
        raise ParameterError(f"encoders must be results as load_encoders returns them: {named}")
    shared = {name: source for source, ids in _SHARED.items() for name in ids.split()}
    return encoders.assign(table=names.str.partition(":")[0].replace(shared))


def _load(name: str, source: str) -> pd.DataFrame:
    located, content = find(name, source, stacklevel=4)  # of who called `load_encoders` or `load_bigbench`
    frame = parse_parquet(content, str(located.path))[_COLUMNS[name]]  # what was hashed is as it was published
    frame.attrs = {"name": name, "source": located.source, "sha256": located.sha256, "note": located.note}
    return frame


@dataclass(frozen=True)
class Notice:
    """The origin of a table, as text, Markdown and HTML; from `notice`."""

    label: str
    text: str
    source: str

    def __str__(self) -> str:
        return f"{self.label} {self.text}"

    def _repr_markdown_(self) -> str:
        return f"> **{self.label}** {self.text}"

    def _repr_html_(self) -> str:
        link = r'<a href="https://\1/tree/\2">\1</a>\3'
        text = re.sub(r"(github\S+) at commit (\w+)(.*) \(.+\)", link, html.escape(self.text))
        return f'<p class="gx-source gx-{self.source}" role="note"><strong>{self.label}</strong> {text}</p>'


def notice(frame: pd.DataFrame) -> Notice:
    """Say where a loaded table comes from, for the top of a notebook or report.

    Parameters
    ----------
    frame : DataFrame
        From `load_encoders` or `load_bigbench`.

    Returns
    -------
    Notice
        Of bundled results, it says first that they are not the published table.

    Examples
    --------
    >>> str(notice(load_encoders(source="bundled"))).split(".")[0]
    'This run does not use the published table'
    """
    if missing := {"name", "source", "sha256", "note"} - set(frame.attrs):
        remedy = "pass what load_encoders or load_bigbench returned"
        raise DataError(f"the frame's attrs lack {', '.join(sorted(missing))}: {remedy}")
    origin, rows = frame.attrs, f"{len(frame):,} rows"
    label, text = "Published table:", f"{origin['name']}, {rows}, {origin['note']}"
    if origin["source"] != "original":
        label = "This run does not use the published table."
        text = f"It uses {origin['note']}: {rows} in {bundled_path(origin['name']).name}"
    return Notice(label, f"{text} (SHA-256 {origin['sha256'][:12]}…).", origin["source"])


# --- this project's own runs, and tables of the same form that others made --------------------------------------------


def load_mteb() -> pd.DataFrame:
    """Load the published scores of embedding models on the English benchmark of MTEB (version 2).

    Returns
    -------
    DataFrame of shape (10041, 4)
        Columns ``model``, ``task`` (together the key), ``task_type`` and ``score`` (higher is better): 324 models, 41
        tasks of 7 types; 3,243 of the 13,284 cells are missing, and 183 models have all tasks. ``attrs["about"]`` names
        the source (github.com/embeddings-benchmark/results at a pinned commit) and its licence (CC0 1.0).

    Examples
    --------
    >>> scores = load_mteb()
    >>> scores["model"].nunique(), scores["task"].nunique()
    (324, 41)
    """
    return _bundled("mteb")


def load_encoders_unscaled() -> pd.DataFrame:
    """Load this project's own runs of two encoders once more, with encoded columns left as they are.

    Returns
    -------
    DataFrame of shape (2688, 7)
        The columns of `load_encoders`, for ``OHE``, ``TE`` and ``CV5TE`` with four untuned models. Only numeric columns
        were scaled; in the runs that `load_encoders` reads, all were. ``attrs["about"]`` says how it was made.

    Examples
    --------
    >>> load_encoders_unscaled()[["dataset", "model", "scoring", "encoder"]].nunique().tolist()
    [56, 4, 4, 3]
    """
    return _bundled("encoders_unscaled")


def load_replicates() -> pd.DataFrame:
    """Load the scores of categorical encoders on replicated random splits: datasets x splits x models x encoders.

    Returns
    -------
    DataFrame of shape (22400, 6)
        Columns ``dataset``, ``table`` (datasets cut from the same one are related), ``model``, ``split`` (0 to 9, train
        and test parts of one dataset, the same for all encoders and models), ``encoder`` and ``score`` (area under the
        ROC curve on the test part, higher is better). Every cell is there. ``attrs["about"]`` says how it was made.

    Examples
    --------
    >>> scores = load_replicates()
    >>> scores[["dataset", "table", "model", "split", "encoder"]].nunique().tolist()
    [56, 23, 5, 10, 8]
    """
    return _bundled("replicates")


def load_cloze() -> pd.DataFrame:
    """Load the answers of nine small language models to questions with four options: right or wrong.

    Returns
    -------
    DataFrame of shape (20160, 6)
        Columns ``benchmark`` (the package whose docstring it is), ``passage`` (the docstring), ``item`` (the question:
        which word is hidden), ``model``, ``sample`` (0 to 3, answers that were drawn one after the other) and ``score``
        (1 if it is right, else 0). Every cell is there. ``attrs["about"]`` says how it was made.

    Examples
    --------
    >>> answers = load_cloze()
    >>> answers[["benchmark", "passage", "item", "model", "sample"]].nunique().tolist()
    [7, 140, 560, 9, 4]
    """
    return _bundled("cloze")


def load_cloze_votes() -> pd.DataFrame:
    """Load the votes of eighteen judges, small language models themselves, on first answers of `load_cloze`.

    Returns
    -------
    DataFrame of shape (9000, 7)
        Columns ``vote``, ``item``, ``passage``, ``judge``, ``model_a`` and ``model_b`` (as they were shown; their
        answers differ) and ``winner``, "model_a" or "model_b". ``attrs["about"]`` says how it was made.

    Examples
    --------
    >>> load_cloze_votes()[["judge", "model_a", "winner"]].nunique().tolist()
    [18, 9, 2]
    """
    return _bundled("cloze_votes").assign(passage=lambda votes: votes["item"].str.rsplit("-", n=1).str[0])


def load_agents() -> pd.DataFrame:
    """Load what simple agents have learned in sixteen small games: algorithms x games x seeds.

    Returns
    -------
    DataFrame of shape (1280, 6)
        Columns ``algorithm``, ``game``, ``seed`` (0 to 9), ``score`` (discounted reward that the learned policy can
        expect, higher is better), and what random moves (``random``) and the best policy (``best``) can expect. All
        three are exact. ``attrs["about"]`` says how it was made.

    Examples
    --------
    >>> load_agents()[["algorithm", "game", "seed"]].nunique().tolist()
    [8, 16, 10]
    """
    return _bundled("agents")


def load_tradeoff_cells(path: str | os.PathLike = "") -> pd.DataFrame:
    """Load a table of the testbed: one row per class of a cell.

    Parameters
    ----------
    path : path-like, optional
        A CSV, parquet or Excel file in the form that `genexpy_nb.tradeoff.to_array` describes; by default this
        project's own runs: two families, ten seeds, eight sizes, 64,800 rows.

    Returns
    -------
    DataFrame
        With a column ``family``: the name of the file, where the table has none. ``attrs["about"]`` says its origin.

    Examples
    --------
    >>> cells = load_tradeoff_cells()
    >>> list(cells["family"].unique()), cells["seed"].nunique()
    (['convolutions', 'perceptrons'], 10)
    """
    table = _own_or(path, "tradeoff")
    if "family" not in table:
        table["family"] = Path(table.attrs["about"]["file"]).stem
    return table


def load_tradeoff_measures(path: str | os.PathLike = "", families: Iterable[Any] = ()) -> pd.DataFrame:
    """Load a table of complexity measures: one row per network.

    Parameters
    ----------
    path : path-like, optional
        A CSV, parquet or Excel file with the columns size and one or more of `genexpy_nb.tradeoff.MEASURES`, perhaps
        family and seed; by default the one that belongs to `load_tradeoff_cells`.
    families : iterable of str, optional
        Families of the results that the measures belong to. Where the file names none, it is of the only one of these.

    Returns
    -------
    DataFrame
        With a column ``family`` if the file has one, or ``families`` are given.

    Examples
    --------
    >>> load_tradeoff_measures()["converged"].all()
    np.True_
    """
    table = _own_or(path, "tradeoff_measures")
    names = list(dict.fromkeys([families] if isinstance(families, str) else families))
    if "family" not in table and len(names) > 1:
        several = f"the results have {len(names)} families ({', '.join(map(repr, names))})"
        lacks = f"{table.attrs['about']['file']} has no column 'family', and {several}"
        raise StudyError(f"{lacks}: the column must say of which each network is")
    if "family" not in table and names:
        table["family"] = names[0]
    return table


def load_tradeoff_cifar10(training: str | None = None, noise: str | None = None) -> pd.DataFrame:
    """Read the cells of networks that were trained on CIFAR-10 (``data/README.md`` describes every column).

    Parameters
    ----------
    training : {"probe", "fine-tuned"}, optional
        How the networks learned the classes of a cell: logistic regression on frozen features, or all weights.
    noise : {"pca", "autoencoder", "fgsm"}, optional
        What was done to the test images.

    Returns
    -------
    DataFrame
        With one training and one noise it is of the form that `genexpy_nb.tradeoff.to_array` takes. ``level`` is the
        similarity to the clean images, or the step of the attack for fgsm.

    Examples
    --------
    >>> cells = load_tradeoff_cifar10("probe", "pca")
    >>> sorted(cells["family"].unique()), cells["zero_shot"].nunique(), cells["ssim"].nunique()
    (['plain', 'residual'], 6, 9)
    """
    cells = _bundled("tradeoff_cifar10")
    for column, wanted in (("training", training), ("noise", noise)):
        if wanted is not None:
            check_choice(column, wanted, cells[column].unique())
            cells = cells[cells[column] == wanted]
    return cells.reset_index(drop=True)


def _own_or(path: str | os.PathLike, name: str) -> pd.DataFrame:
    if not os.fspath(path):
        return _bundled(name)
    path = Path(path).expanduser().resolve()
    table = read_results(path)
    table.attrs = {"about": {"file": path.name}}
    return table


def _bundled(name: str) -> pd.DataFrame:
    return read_verified_results(data_folder() / f"{name}.parquet")


# --- this project's own runs, with a file beside each that says where it comes from -----------------------------------


def read_verified_results(path: Path) -> pd.DataFrame:
    """Read a results table that ``data/runs/records.py`` wrote, if it is still what the JSON file beside it says."""
    content, about = read_content(path, "the script that wrote it makes it again")
    table = parse_parquet(content, str(path))
    table.attrs = {"about": about}
    return table


def read_content(path: Path, remedy: str) -> tuple[bytes, dict[str, Any]]:
    """Return the bytes of such a table, verified, and what the JSON file beside it says."""
    about = read_json(path.with_suffix(".json"), remedy)
    return read_verified(path, about["sha256"], remedy), about
