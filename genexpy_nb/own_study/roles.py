"""What each column of a table may be for: proposals with reasons, and the command that follows from them.

Nothing is decided here. A proposal rests on names ("dataset", "seed", "accuracy") and on which columns it takes to tell
rows apart; who reads it corrects it and runs the command.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from genexpy_nb.common.checks import listed
from genexpy_nb.own_study.own_kernels import kernel_from_text
from genexpy_nb.own_study.request import JOINT, StudyRequest, holds_numbers_and_text
from genexpy_nb.study.stability import DEFAULT_KERNELS


def _list(text: str) -> list[str]:
    return text.split()


# By preference: what is rarely anything but the thing compared, the score, comes first.
_ALTERNATIVES = _list(
    "alternative alternatives method methods algorithm algorithms algo classifier regressor estimator learner encoder "
    "optimizer solver framework approach technique detector forecaster candidate system agent strategy pipeline "
    "submission team model models llm network architecture name"
)
_OVER = _list(
    "dataset datasets data task tasks benchmark problem instance environment env game corpus domain scenario query "
    "question item subject patient series testset problemset"
)
_REPEATED = _list(
    "seed seeds fold folds kfold cv split splits repeat repeats repetition repetitions rep reps run runs trial trials "
    "replicate replicates replication bootstrap iteration iterations iter resample"
)
_METRICS = _list("metric metrics measure scoring scorer criterion")
_SUMMARIES = _list(
    "average avg mean median overall total rank ranking params parameters param size flops gflops memory latency count "
    "year date id url link price cost tokens version num number len length ratio"
)
_HIGHER = _list(
    "score accuracy acc auc auroc auprc f1 fscore r2 map ndcg mrr bleu rouge kappa mcc reward return performance perf "
    "recall precision iou dice psnr ssim em correlation spearman pearson correct success winrate win sensitivity "
    "specificity result value elo"
)
_LOWER = _list(
    "loss logloss error err rmse mse mae mape smape nll perplexity ppl regret brier ece wer cer fid time seconds sec "
    "duration runtime latency cost memory energy deviation distance fpr fnr rank bpb mase rmsse wape crps wql wis msis "
    "nrmse rmsle msle nmse pinball"
)
_COSTS = {"time", "seconds", "sec", "duration", "runtime", "latency", "cost", "memory", "energy", "rank", "mb"}
_SPREAD = {"std", "stderr", "se", "ci", "variance", "var", "sd", "lower", "upper", "timestamp", "utc"}
_MOST_LEVELS = 200  # of a design factor that is proposed


@dataclass(frozen=True)
class Column:
    """What a column of a table holds."""

    name: str
    kind: str
    n_levels: int
    n_missing: int
    examples: tuple[str, ...]


@dataclass(frozen=True)
class Proposal:
    """A request that may be meant, why, and what it lacks."""

    request: StudyRequest
    reasons: list[tuple[str, str, str]]
    doubts: list[str]


def describe_columns(frame: pd.DataFrame, most: int = 4) -> list[Column]:
    """Return what each column holds."""
    columns = []
    for name in frame.columns:
        values = frame[name]
        levels = values.dropna().drop_duplicates()
        columns.append(
            Column(
                str(name),
                _kind(values),
                len(levels),
                int(values.isna().sum()),
                tuple(str(level) for level in levels.iloc[:most]),
            )
        )
    return columns


def _kind(values: pd.Series) -> str:
    kind = pd.api.types.infer_dtype(values, skipna=True)
    if values.isna().all():
        return "empty"
    if kind in ("boolean",):
        return "truth value"
    if kind in ("integer", "floating", "mixed-integer-float", "decimal"):
        numbers = pd.to_numeric(values, errors="coerce").dropna()
        return "whole number" if kind == "integer" or (numbers % 1 == 0).all() else "number"
    if kind in ("datetime", "datetime64", "date"):
        return "date"
    return "numbers and text" if holds_numbers_and_text(values) else "text"


def direction_of(name: str) -> tuple[str, str]:
    """Return the direction that a metric's name suggests, and the word that does; two empty texts if none does."""
    words = _words(name)
    if words and words[0] in ("neg", "negative"):
        return "higher", words[0]
    for word in words:
        if word in _LOWER:
            return "lower", word
    for word in words:
        if word in _HIGHER:
            return "higher", word
    return "", ""


def _words(name: str) -> list[str]:
    """Return the words of a name in lower case, parted where capitals begin, and not: of "TestRMSE" test, rmse, ..."""
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    found = [word.lower() for text in (parted, name) for word in re.findall(r"[^\W\d_]+\d?", text)]
    return list(dict.fromkeys(found))


def _among(name: str, words: Sequence[str]) -> str:
    """Return the first of the words that a name has, or an empty text."""
    own = _words(name)
    return next((word for word in words if word in own), "")


def _named(columns: Iterable[Column], words: Sequence[str]) -> tuple[Column, str] | None:
    """Return the column whose name has the first of the words, and that word."""
    found = [(words.index(word), i, c, word) for i, c in enumerate(columns) if (word := _among(c.name, words))]
    return min(found)[2:] if found else None


# --- a proposal -------------------------------------------------------------------------------------------------------


def propose(frame: pd.DataFrame, request: StudyRequest) -> Proposal:
    """Return what the columns of a table may be for; what was asked for already stays."""
    if "call" in frame.attrs and not request.given():
        return _by_format(frame, request)
    columns = [c for c in describe_columns(frame) if c.kind != "empty"]
    free = [c for c in columns if c.name not in _named_already(request, frame)]
    if request.wide or (not request.given() and _is_matrix(frame, free)):
        return _matrix(frame, replace(request, wide=True), free)
    return _rows(frame, request, free)


def _named_already(request: StudyRequest, frame: pd.DataFrame) -> list[str]:
    fixed = [next((str(c) for c in frame.columns if text.startswith(f"{c}=")), "") for text in request.fixed]
    targets = [] if request.wide else list(request.directions())
    return [*request.alternatives, *targets, *request.over, *request.design, *request.average, *fixed, request.cluster]


def _by_format(frame: pd.DataFrame, request: StudyRequest) -> Proposal:
    """Return the roles that the columns of a known program's results have."""
    call = ast.parse(frame.attrs["call"], mode="eval").body
    assert isinstance(call, ast.Call)  # written by this package
    roles = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
    fixed = roles.get("fixed", {})
    better, why = _direction_in(frame, roles, str(fixed.get("metric", roles["target"])))
    found = replace(
        request,
        alternatives=(roles["alternatives"],),
        target=(roles["target"],),
        over=(roles["generalize_over"],),
        design=tuple(roles.get("design", ())),
        average=tuple(roles.get("average_over", ())),
        fixed=tuple(f"{column}={level}" for column, level in fixed.items()),
        higher_is_better=better,
    )
    known = f"{frame.attrs['format']} results have it so"
    reasons = [(option, what, why if "better" in option else known) for option, what in _options(found)]
    return Proposal(found, reasons, [f"Of the metrics, {listed(found.fixed)} was taken." if fixed else ""])


def _direction_in(frame: pd.DataFrame, roles: dict[str, Any], metric: str) -> tuple[str, str]:
    if "higher_is_better" in roles:
        return ("higher" if roles["higher_is_better"] else "lower"), "the results say so"
    better, word = direction_of(metric)
    return better or "higher", f"{word!r} in the metric's name" if word else "a mere guess: check it"


def _is_matrix(frame: pd.DataFrame, columns: list[Column]) -> bool:
    """Say whether scores stand in many columns: one row for each level of a name, and several columns of numbers."""
    kinds = ("number", "numbers and text")
    numbers = [c for c in columns if c.kind in kinds and not _among(c.name, _SUMMARIES)]
    labels = [c for c in columns if c.kind == "text"]
    if all(c.name.isdecimal() for c in numbers) or len(numbers) < 2 or any(_among(c.name, _METRICS) for c in labels):
        return False
    if not labels:
        return not _named(columns, [*_ALTERNATIVES[:-1], *_OVER])
    if _named(labels, _ALTERNATIVES[:-1]) and _named(labels, _OVER):
        return False
    # metrics side by side are few and called like metrics
    metrics = sum(bool(direction_of(c.name)[0]) for c in numbers)
    keys = [c.name for c in labels if c.n_levels > 0.9 * len(frame)]
    return bool(keys or not frame.duplicated([c.name for c in labels]).any()) and (
        metrics < len(numbers) / 2 or len(numbers) > 12
    )


def _matrix(frame: pd.DataFrame, request: StudyRequest, columns: list[Column]) -> Proposal:
    """Return the proposal for a matrix: what the rows are, and which columns hold no scores."""
    reasons, doubts = [("--wide", "", "a row per name, scores in many columns")], []
    labels = [c for c in columns if c.kind in ("text", "date")]
    if not request.alternatives and not request.over:
        compared = _named(labels, _ALTERNATIVES)
        whole = next((c for c in labels if c.n_levels == len(frame)), None)
        rows = _named(labels, _OVER)
        if compared and not rows:
            request, more = _rows_are_alternatives(frame, request, compared, labels)
            reasons += more
        elif rows or whole:
            name = rows[0].name if rows else whole.name if whole else ""
            request = replace(request, over=(name,))
            reasons.append(("--over", name, "each row is one of its levels; the columns are then compared"))
            doubts.append(f"If you compare the rows, and not the columns, use --alternatives {_quoted(name)}.")
    named = _named_already(request, frame)
    aside = [c for c in columns if c.kind in ("number", "whole number") and c.name not in named]
    n_fractions = sum(c.kind == "number" for c in aside)
    doubtful = {
        c.name: f"{word!r} in its name: no score of its own" for c in aside if (word := _among(c.name, _SUMMARIES))
    }
    if n_fractions > 2 / 3 * len(aside):
        counts = [c.name for c in aside if c.kind == "whole number" and c.name not in doubtful]
        doubtful |= dict.fromkeys(counts, "whole numbers, and the other columns hold fractions: no score?")
    if doubtful and not request.without:
        names = [c.name for c in aside if c.name in doubtful]
        request = replace(request, without=tuple(names))
        reasons += [("--without", name, doubtful[name]) for name in names]
    if not request.directions() or not next(iter(request.directions().values())):
        request = replace(request, higher_is_better="higher")
        reasons.append(("--higher-is-better", "", "a mere guess: check it"))
    doubts += _several_in_one(frame, [*request.over, *request.alternatives])
    return Proposal(request, reasons, doubts)


def _rows_are_alternatives(
    frame: pd.DataFrame, request: StudyRequest, compared: tuple[Column, str], labels: list[Column]
) -> tuple[StudyRequest, list[tuple[str, str, str]]]:
    name, word = compared[0].name, compared[1]
    why = f"{word!r} in its name; the columns are then the experiments"
    if compared[0].n_levels < len(frame):
        for other in labels:
            if other.name != name and not frame.duplicated([name, other.name]).any():
                return replace(request, alternatives=(name, other.name)), [
                    ("--alternatives", JOINT.join([name, other.name]), f"{why}; both tell rows apart")
                ]
    return replace(request, alternatives=(name,)), [("--alternatives", name, why)]


def _rows(frame: pd.DataFrame, request: StudyRequest, free: list[Column]) -> Proposal:
    """Return the proposal for a table with a row per evaluation."""
    reasons: list[tuple[str, str, str]] = []
    doubts: list[str] = []
    factors = [c for c in free if c.kind not in ("number", "numbers and text") and c.n_levels > 1]
    asked = request.over
    if not asked:
        request, why = _experiments(request, factors, len(frame))
        reasons += why
    factors = [c for c in factors if c.name not in request.over]
    if not request.alternatives:
        request, why = _thing_compared(request, factors)
        reasons += why
    if not asked:
        request, reasons = _finer_experiments(frame, request, factors, reasons)
    if not asked and _is_property(frame, request.over, request.alternatives):
        request, reasons = replace(request, over=()), [reason for reason in reasons if reason[0] != "--over"]
    taken = _named_already(request, frame)
    if not request.target:
        left = [c for c in free if c.name not in taken]
        request, why = _score(request, _varying(frame, request, left), len(frame))
        reasons += why
        doubts += _mixture(frame, request, left)
    request, others, rest = _until_rows_differ(frame, request)
    request, why = _with_direction(request)
    reasons += [*why, *others]
    doubts += [*rest, *_several_in_one(frame, [*request.over, *request.alternatives])]
    for option, held, _ in others:
        if option == "--fix":
            column = held.partition("=")[0]
            doubts.append(
                f"For several metrics at once, write each level of {column!r} to a column of its own (pandas: "
                "pivot_table), and name each with a --target and its direction."
            )
    return Proposal(request, reasons, doubts)


def _several_in_one(frame: pd.DataFrame, columns: Sequence[str]) -> list[str]:
    """Say which columns hold tuples as text, as an index of several levels is written to a file."""
    doubts = []
    for name in columns:
        texts = frame[name].dropna().astype(str) if name in frame else pd.Series(dtype=str)
        if len(texts) and texts.str.fullmatch(r"\(.+, .+\)").all():
            doubts.append(
                f"Each level of {name!r}, such as {texts.iloc[0]}, is several levels in one. Write them to columns of "
                "their own: else repetitions of one experiment count as experiments."
            )
    return doubts


def _varying(frame: pd.DataFrame, request: StudyRequest, columns: list[Column]) -> list[Column]:
    """Leave out what only says something of an experiment, or of an alternative, such as its size."""
    known = [[name for name in names if name in frame] for names in (request.over, request.alternatives)]
    keys = [names for names in known if names and frame.duplicated(names).any()]
    return [c for c in columns if not any(_is_property(frame, [c.name], names) for names in keys)]


def _is_property(frame: pd.DataFrame, columns: Sequence[str], keys: Sequence[str]) -> bool:
    """Say whether columns have one level for each level of the keys."""
    columns, keys = [c for c in columns if c in frame], [c for c in keys if c in frame]
    if not columns or not keys:
        return False
    return not frame[[*keys, *columns]].drop_duplicates().duplicated(keys).any()


def _mixture(frame: pd.DataFrame, request: StudyRequest, columns: list[Column]) -> list[str]:
    """Say whether the target is one metric in some rows and another one in the rest."""
    if len(request.target) != 1:
        return []
    target = frame[request.target[0]]
    same = {c.name: (frame[c.name] == target) for c in columns if c.name != target.name and c.kind == "number"}
    parts = {name: rows for name, rows in same.items() if 0.05 < rows.mean() < 0.95}
    for name, rows in parts.items():
        for other, others in parts.items():
            if direction_of(name)[0] != direction_of(other)[0] and (rows | others).mean() > 0.9:
                return [
                    f"{target.name!r} is {name!r} in some rows and {other!r} in others: its direction is not clear."
                ]
    return []


def _experiments(request: StudyRequest, factors: list[Column], n_rows: int) -> tuple[StudyRequest, list[Any]]:
    found = _named(factors, _OVER)
    if found:
        return replace(request, over=(found[0].name,)), [("--over", found[0].name, f"{found[1]!r} in its name")]
    named = [*_ALTERNATIVES, *_REPEATED, *_METRICS]
    others = [c for c in factors if c.kind == "text" and c.n_levels <= n_rows / 2 and not _among(c.name, named)]
    others = [c for c in others if c.name not in request.alternatives]
    if not others:
        return request, []
    most = max(others, key=lambda c: c.n_levels)
    return replace(request, over=(most.name,)), [("--over", most.name, f"most levels ({most.n_levels:,})")]


def _finer_experiments(
    frame: pd.DataFrame, request: StudyRequest, factors: list[Column], reasons: list[Any]
) -> tuple[StudyRequest, list[Any]]:
    """Take another column called like an experiment, if that one tells all rows of an alternative apart."""
    if not request.alternatives or not request.over or not frame.duplicated(_key(request, frame)).any():
        return request, reasons
    left = [c for c in factors if c.name not in request.alternatives]
    while found := _named(left, _OVER):
        column, word = found
        finer = replace(request, over=(column.name,))
        if not frame.duplicated(_key(finer, frame)).any():
            why = f"{word!r} in its name, and with {listed(request.alternatives)} it tells all rows apart"
            return finer, [("--over", column.name, why), *(reason for reason in reasons if reason[0] != "--over")]
        left = [c for c in left if c.name != column.name]
    return request, reasons


def _thing_compared(request: StudyRequest, factors: list[Column]) -> tuple[StudyRequest, list[Any]]:
    found = _named([c for c in factors if c.kind != "date"], _ALTERNATIVES)
    if found:
        name = found[0].name
        return replace(request, alternatives=(name,)), [("--alternatives", name, f"{found[1]!r} in its name")]
    texts = [c for c in factors if c.kind == "text" and not _among(c.name, [*_REPEATED, *_METRICS])]
    if not texts:
        return request, []
    first = texts[0]
    return replace(request, alternatives=(first.name,)), [("--alternatives", first.name, "the first column of text")]


def _score(request: StudyRequest, free: list[Column], n_rows: int) -> tuple[StudyRequest, list[Any]]:
    numbers = [c for c in free if c.kind in ("number", "whole number", "truth value") and c.n_levels > 1]
    numbers = [c for c in numbers if not set(_words(c.name)) & _SPREAD and not _among(c.name, _REPEATED)]
    if not numbers:
        return request, []

    def unlikely(column: Column) -> tuple[int, bool, int, int]:
        better, word = direction_of(column.name)
        kind = 3 if not better else 2 if word in _COSTS else 1 if better == "lower" else 0
        place = _HIGHER.index(word) if word in _HIGHER else 0
        return kind, column.n_missing > n_rows / 5, place, len(_words(column.name))

    best = min(numbers, key=unlikely)
    why = f"numbers, {direction_of(best.name)[1]!r} in its name" if direction_of(best.name)[0] else "numbers"
    others = [c.name for c in numbers if c is not best and unlikely(c)[0] < 3]
    if others:
        why += f" (also possible: {listed(others, 4)})"
    return replace(request, target=(best.name,)), [("--target", best.name, why)]


def _with_direction(request: StudyRequest) -> tuple[StudyRequest, list[Any]]:
    if len(request.directions()) != 1 or any(request.directions().values()):
        return request, []
    (name,) = request.directions()
    held = [text.partition("=") for text in request.fixed]
    metric = next((level for column, _, level in held if _among(column, _METRICS)), "")
    better, word = direction_of(metric or name)
    why = f"{word!r} in the {'metric' if metric else 'target'}'s name" if word else "a mere guess: check it"
    return replace(request, higher_is_better=better or "higher"), [(f"--{better or 'higher'}-is-better", "", why)]


def _until_rows_differ(frame: pd.DataFrame, request: StudyRequest) -> tuple[StudyRequest, list[Any], list[str]]:
    """Add factors until no two rows are the same evaluation: seeds are averaged over, others make configurations."""
    reasons: list[tuple[str, str, str]] = []
    if not request.alternatives or not request.over:
        return request, [], []
    rows = frame
    for text in request.fixed:
        column = next((c for c in frame.columns if text.startswith(f"{c}=")), None)
        if column is not None:
            rows = rows[rows[column].astype(str) == text[len(column) + 1 :]]
    while True:
        key = _key(request, rows)
        n_double = int(rows.duplicated(key).sum())
        if not n_double:
            return request, reasons, _few_experiments(request, rows)
        usable = [c for c in describe_columns(rows) if _may_be_factor(c, request, rows)]
        left = {c.name: int(rows.duplicated([*key, c.name]).sum()) for c in usable}
        helpful = [c for c in usable if left[c.name] < n_double]
        if not helpful:
            break
        column = min(helpful, key=lambda c: (not _among(c.name, [*_REPEATED, *_METRICS]), left[c.name], c.n_levels))
        request, why = _with_factor(request, rows, column)
        rows = rows[rows[column.name].astype(str) == request.fixed[-1].partition("=")[2]] if why[0] == "--fix" else rows
        reasons.append(why)
    doubt = (
        f"{n_double:,} rows repeat an evaluation that another row has, and no column tells them apart: without one "
        "(a seed, a fold, a date) the command will refuse the table."
    )
    return request, reasons, [doubt]


def _few_experiments(request: StudyRequest, rows: pd.DataFrame) -> list[str]:
    if not request.design or not set(request.over) <= set(rows.columns):
        return []
    sizes = rows[[*request.design, *request.over]].drop_duplicates().groupby(list(request.design)).size()
    if sizes.max() > 1:
        return []
    return [
        f"Then every configuration has one level of {' x '.join(request.over)} only, and nothing can be said about "
        "others: keep one row per evaluation, or average over a column with --average."
    ]


def _key(request: StudyRequest, rows: pd.DataFrame) -> list[str]:
    return [c for c in [*request.alternatives, *request.over, *request.design, *request.average] if c in rows]


def _may_be_factor(column: Column, request: StudyRequest, rows: pd.DataFrame) -> bool:
    if column.name in _named_already(request, rows) or column.n_missing or column.n_levels < 2:
        return False
    if column.kind == "number":  # levels of noise are few, scores are many
        return column.n_levels <= 20 and not direction_of(column.name)[0] and column.n_levels < len(rows) / 10
    return column.n_levels <= _MOST_LEVELS or bool(_among(column.name, _REPEATED))


def _with_factor(
    request: StudyRequest, rows: pd.DataFrame, column: Column
) -> tuple[StudyRequest, tuple[str, str, str]]:
    name = column.name
    if word := _among(name, _REPEATED):
        return replace(request, average=(*request.average, name)), (
            "--average",
            name,
            f"{word!r} in its name; it tells repetitions apart",
        )
    if _among(name, _METRICS):
        level = rows[name].astype(str).value_counts(sort=True).index[0]
        changed = replace(request, fixed=(*request.fixed, f"{name}={level}"))
        levels = listed(rows[name].astype(str).unique())
        return changed, ("--fix", f"{name}={level}", f"one metric at a time; there are {levels}")
    return replace(request, design=(*request.design, name)), (
        "--design",
        name,
        f"without it {int(rows.duplicated(_key(request, rows)).sum()):,} rows repeat an evaluation",
    )


# --- the command ------------------------------------------------------------------------------------------------------


def _options(request: StudyRequest) -> list[tuple[str, str]]:
    """Return the options of a request about roles, and what each says."""
    default = StudyRequest(request.results)
    options: list[tuple[str, str]] = [("--wide", "")] if request.wide else []
    options += [("--alternatives", column) for column in request.alternatives]
    options += [("--target", target) for target in request.target]
    if request.higher_is_better:
        options.append((f"--{request.higher_is_better}-is-better", ""))
    for option, values in (
        ("--over", request.over),
        ("--design", request.design),
        ("--average", request.average),
        ("--fix", request.fixed),
        ("--without", request.without),
        ("--configuration", request.configuration),
    ):
        options += [(option, value) for value in values]
    own = [text for text in request.kernels if kernel_from_text(text) not in DEFAULT_KERNELS]
    options += [("--kernel", text) for text in own]
    for option in ("cluster", "alternative", "missing", "alpha", "delta", "level", "budget"):
        value = getattr(request, option)
        if value != getattr(default, option):
            options.append((f"--{option}", f"{value}"))
    options += [(f"--{name}", getattr(request, name)) for name in ("sep", "encoding", "decimal", "sheet")]
    return [(option, value) for option, value in options if value or option.endswith(("-better", "--wide"))]


def command(request: StudyRequest, joined: str = " \\\n    ") -> str:
    r"""Return the command line for a request, quoted for a shell: names may hold spaces, quotes, dollars, newlines."""
    results = f"./{request.results}" if request.results.startswith("-") else request.results
    options = [f"{option} {_quoted(value)}" if value else option for option, value in _options(request)]
    return joined.join([f"genexpy-nb study {_quoted(results)}", *options])


def _quoted(text: str) -> str:
    """Quote for a shell; what a terminal would not show as it is, bash reads back from escapes."""
    if text.isprintable():
        return shlex.quote(text)
    escaped = "".join(
        c if c.isprintable() and c not in "'\\" else f"\\{c}" if c in "'\\" else f"\\U{ord(c):08x}" for c in text
    )
    return f"$'{escaped}'"
