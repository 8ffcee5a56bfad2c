"""What each column of a table may be for: proposals with reasons, and the command that follows from them.

Nothing is decided here. A proposal rests on names ("dataset", "seed", "accuracy") and on which columns it takes to tell
rows apart; who reads it corrects it and runs the command.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from genexpy_nb.common.checks import listed
from genexpy_nb.own_study.own_kernels import kernel_from_text
from genexpy_nb.own_study.request import READING, ROLES, StudyRequest, holds_numbers_and_text
from genexpy_nb.study.estimates import DEFAULT_KERNELS


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


class Proposal:
    """A request that may be meant, why (option, value, reason), and what is doubtful about it; made step by step."""

    def __init__(self, frame: pd.DataFrame, request: StudyRequest) -> None:
        self.frame, self.request = frame, request
        self.columns = [c for c in describe_columns(frame) if c.kind != "empty"]
        self.reasons: list[tuple[str, str, str]] = []
        self.doubts: list[str] = []

    def take(self, option: str, value: str, why: str) -> None:
        """Give a role to a column, for a reason."""
        field = ROLES.get(option, option[2:])
        changed: dict[str, Any] = {field: (*getattr(self.request, field), value)}
        self.request = replace(self.request, **changed)
        self.reasons.append((option, value, why))

    def untake(self, option: str) -> None:
        """Take a role back from all columns that were guessed to have it."""
        none: dict[str, Any] = {ROLES[option]: ()}
        self.request = replace(self.request, **none)
        self.reasons = [reason for reason in self.reasons if reason[0] != option]

    def direct(self, better: str, why: str) -> None:
        """Give the scores a direction; without one, a guess."""
        better, why = (better, why) if better else ("higher", "a mere guess: check it")
        self.request = replace(self.request, higher_is_better=better)
        self.reasons.append((f"--{better}-is-better", "", why))

    @property
    def fixed(self) -> list[tuple[str, str]]:
        """The columns that are held constant, and their levels."""
        names = map(str, self.frame.columns)
        return [(c, text[len(c) + 1 :]) for c in names for text in self.request.fixed if text.startswith(f"{c}=")]

    def free(self) -> list[Column]:
        """The columns without a role."""
        asked = self.request
        targets = [] if asked.wide else list(asked.directions())
        taken = {*asked.alternatives, *targets, *asked.over, *asked.design, *asked.average, asked.cluster}
        return [c for c in self.columns if c.name not in taken | {name for name, _ in self.fixed}]

    def key(self) -> list[str]:
        """The columns that together should tell rows apart."""
        asked = self.request
        names = [*asked.alternatives, *asked.over, *asked.design, *asked.average]
        return [name for name in names if name in self.frame]


def propose(frame: pd.DataFrame, request: StudyRequest) -> Proposal:
    """Return what the columns of a table may be for; what was asked for already stays."""
    made = Proposal(frame, request)
    if "roles" in frame.attrs and not request.given():
        _by_format(made)
    elif request.wide or (not request.given() and _is_matrix(made)):
        made.request = replace(request, wide=True)
        _matrix(made)
    else:
        _rows(made)
    _several_in_one(made)
    return made


def _by_format(made: Proposal) -> None:
    """Give the columns of a known program's results the roles that they have there."""
    roles, known = made.frame.attrs["roles"], f"{made.frame.attrs['format']} results have it so"
    options = {"--alternatives": "alternatives", "--target": "target", "--over": "generalize_over"}
    for option, role in (options | {"--design": "design", "--average": "average_over"}).items():
        names = roles.get(role, [])
        for name in [names] if isinstance(names, str) else names:
            made.take(option, name, known)
    fixed = roles.get("fixed", {})
    for column, level in fixed.items():
        made.take("--fix", f"{column}={level}", known)
        made.doubts.append(f"Of the metrics, {column}={level} was taken.")
    if "higher_is_better" in roles:
        made.direct("higher" if roles["higher_is_better"] else "lower", "the results say so")
    else:
        better, word = direction_of(str(fixed.get("metric", roles["target"])))
        made.direct(better, f"{word!r} in the metric's name")


def _is_matrix(made: Proposal) -> bool:
    """Say whether scores stand in many columns: one row for each level of a name, and several columns of numbers."""
    frame, columns = made.frame, made.columns
    numbers = [c for c in columns if c.kind in ("number", "numbers and text") and not _among(c.name, _SUMMARIES)]
    labels = [c for c in columns if c.kind == "text"]
    if all(c.name.isdecimal() for c in numbers) or len(numbers) < 2 or any(_among(c.name, _METRICS) for c in labels):
        return False
    if not labels:
        return not _named(columns, [*_ALTERNATIVES[:-1], *_OVER])
    if _named(labels, _ALTERNATIVES[:-1]) and _named(labels, _OVER):
        return False
    # metrics side by side are few and called like metrics
    metrics = sum(bool(direction_of(c.name)[0]) for c in numbers)
    one_each = any(c.n_levels > 0.9 * len(frame) for c in labels)
    apart = one_each or not frame.duplicated([c.name for c in labels]).any()
    return bool(apart and (metrics < len(numbers) / 2 or len(numbers) > 12))


def _matrix(made: Proposal) -> None:
    """Propose what the rows of a matrix are, and which columns hold no scores."""
    made.reasons.append(("--wide", "", "a row per name, scores in many columns"))
    labels = [c for c in made.free() if c.kind in ("text", "date")]
    if not made.request.alternatives and not made.request.over:
        compared, rows = _named(labels, _ALTERNATIVES), _named(labels, _OVER)
        whole = next((c for c in labels if c.n_levels == len(made.frame)), None)
        if compared and not rows:
            name = compared[0].name
            made.take("--alternatives", name, f"{compared[1]!r} in its name; the columns are then the experiments")
            others = [c.name for c in labels if c.name != name]
            second = next((other for other in others if not made.frame.duplicated([name, other]).any()), "")
            if compared[0].n_levels < len(made.frame) and second:
                made.take("--alternatives", second, f"together with {name!r} it tells rows apart")
        elif rows or whole:
            name = rows[0].name if rows else whole.name if whole else ""
            made.take("--over", name, "each row is one of its levels; the columns are then compared")
            made.doubts.append(f"If you compare the rows, and not the columns, use --alternatives {_quoted(name)}.")
    if not made.request.without:
        numbers = [c for c in made.free() if c.kind in ("number", "whole number")]
        few_counts = sum(c.kind == "number" for c in numbers) > 2 / 3 * len(numbers)
        for c in numbers:
            if word := _among(c.name, _SUMMARIES):
                made.take("--without", c.name, f"{word!r} in its name: no score of its own")
            elif few_counts and c.kind == "whole number":
                made.take("--without", c.name, "whole numbers, and the other columns hold fractions: no score?")
    if not any(made.request.directions().values()):
        made.direct("", "")


def _rows(made: Proposal) -> None:
    """Propose roles for a table with a row per evaluation."""
    factors = [c for c in made.free() if c.kind not in ("number", "numbers and text") and c.n_levels > 1]
    asked = bool(made.request.over)
    if not asked:
        _experiments(made, factors)
    factors = [c for c in factors if c.name not in made.request.over]
    if not made.request.alternatives:
        _thing_compared(made, factors)
    if not asked:
        _finer_experiments(made, factors)
        if _is_property(made.frame, made.request.over, made.request.alternatives):
            made.untake("--over")
    if not made.request.target:
        _score(made)
    _until_rows_differ(made)
    _direction(made)
    for column in [held.partition("=")[0] for option, held, _ in made.reasons if option == "--fix"]:
        made.doubts.append(
            f"For several metrics at once, write each level of {column!r} to a column of its own (pandas: "
            "pivot_table), and name each with a --target and its direction."
        )


def _several_in_one(made: Proposal) -> None:
    """Say which columns hold tuples as text, as an index of several levels is written to a file."""
    for name in [*made.request.over, *made.request.alternatives]:
        texts = made.frame[name].dropna().astype(str) if name in made.frame else pd.Series(dtype=str)
        if len(texts) and texts.str.fullmatch(r"\(.+, .+\)").all():
            made.doubts.append(
                f"Each level of {name!r}, such as {texts.iloc[0]}, is several levels in one. Write them to columns of "
                "their own: else repetitions of one experiment count as experiments."
            )


def _is_property(frame: pd.DataFrame, columns: Sequence[str], keys: Sequence[str]) -> bool:
    """Say whether columns have one level for each level of the keys."""
    columns, keys = [c for c in columns if c in frame], [c for c in keys if c in frame]
    if not columns or not keys:
        return False
    return not frame[[*keys, *columns]].drop_duplicates().duplicated(keys).any()


def _experiments(made: Proposal, factors: list[Column]) -> None:
    if found := _named(factors, _OVER):
        made.take("--over", found[0].name, f"{found[1]!r} in its name")
        return
    named = [*_ALTERNATIVES, *_REPEATED, *_METRICS]
    others = [c for c in factors if c.kind == "text" and c.n_levels <= len(made.frame) / 2]
    others = [c for c in others if not _among(c.name, named) and c.name not in made.request.alternatives]
    if others:
        most = max(others, key=lambda c: c.n_levels)
        made.take("--over", most.name, f"most levels ({most.n_levels:,})")


def _thing_compared(made: Proposal, factors: list[Column]) -> None:
    found = _named([c for c in factors if c.kind != "date"], _ALTERNATIVES)
    texts = [c for c in factors if c.kind == "text" and not _among(c.name, [*_REPEATED, *_METRICS])]
    if found:
        made.take("--alternatives", found[0].name, f"{found[1]!r} in its name")
    elif texts:
        made.take("--alternatives", texts[0].name, "the first column of text")


def _finer_experiments(made: Proposal, factors: list[Column]) -> None:
    """Take another column called like an experiment, if that one tells all rows of an alternative apart."""
    before = made.request.over
    if not made.request.alternatives or not before or not made.frame.duplicated(made.key()).any():
        return
    left = [c for c in factors if c.name not in made.request.alternatives]
    while found := _named(left, _OVER):
        column, word = found
        others = [name for name in made.key() if name not in before]
        if not made.frame.duplicated([*others, column.name]).any():
            made.untake("--over")
            why = f"{word!r} in its name, and with {listed(made.request.alternatives)} it tells all rows apart"
            made.take("--over", column.name, why)
            return
        left = [c for c in left if c.name != column.name]


def _score(made: Proposal) -> None:
    known = [[name for name in names if name in made.frame] for names in (made.request.over, made.request.alternatives)]
    keys = [names for names in known if names and made.frame.duplicated(names).any()]
    numbers = [c for c in made.free() if c.kind in ("number", "whole number", "truth value") and c.n_levels > 1]
    numbers = [c for c in numbers if not set(_words(c.name)) & _SPREAD and not _among(c.name, _REPEATED)]
    # what only says something of an experiment or an alternative, such as its size, is no score
    numbers = [c for c in numbers if not any(_is_property(made.frame, [c.name], names) for names in keys)]
    if not numbers:
        return

    def unlikely(column: Column) -> tuple[int, bool, int, int]:
        better, word = direction_of(column.name)
        kind = 3 if not better else 2 if word in _COSTS else 1 if better == "lower" else 0
        place = _HIGHER.index(word) if word in _HIGHER else 0
        return kind, column.n_missing > len(made.frame) / 5, place, len(_words(column.name))

    best = min(numbers, key=unlikely)
    why = f"numbers, {direction_of(best.name)[1]!r} in its name" if direction_of(best.name)[0] else "numbers"
    others = [c.name for c in numbers if c is not best and unlikely(c)[0] < 3]
    made.take("--target", best.name, why + (f" (also possible: {listed(others, 4)})" if others else ""))


def _direction(made: Proposal) -> None:
    directions = made.request.directions()
    if len(directions) != 1 or any(directions.values()):
        return
    metric = next((level for column, level in made.fixed if _among(column, _METRICS)), "")
    better, word = direction_of(metric or next(iter(directions)))
    made.direct(better, f"{word!r} in the {'metric' if metric else 'target'}'s name")


def _until_rows_differ(made: Proposal) -> None:
    """Add factors until no two rows are the same evaluation: seeds are averaged over, others make configurations."""
    if not made.request.alternatives or not made.request.over:
        return
    while True:
        rows = made.frame
        for column, level in made.fixed:
            rows = rows[rows[column].astype(str) == level]
        n_double = int(rows.duplicated(made.key()).sum())
        if not n_double:
            _few_experiments(made, rows)
            return
        free = {c.name for c in made.free()}
        usable = [c for c in describe_columns(rows) if c.name in free and _may_be_factor(c, rows)]
        left = {c.name: int(rows.duplicated([*made.key(), c.name]).sum()) for c in usable}
        helpful = [c for c in usable if left[c.name] < n_double]
        if not helpful:
            made.doubts.append(
                f"{n_double:,} rows repeat an evaluation that another row has, and no column tells them apart: without "
                "one (a seed, a fold, a date) the command will refuse the table."
            )
            return
        name = min(helpful, key=lambda c: (not _among(c.name, [*_REPEATED, *_METRICS]), left[c.name], c.n_levels)).name
        if word := _among(name, _REPEATED):
            made.take("--average", name, f"{word!r} in its name; it tells repetitions apart")
        elif _among(name, _METRICS):
            levels = rows[name].astype(str)
            why = f"one metric at a time; there are {listed(levels.unique())}"
            made.take("--fix", f"{name}={levels.value_counts().index[0]}", why)
        else:
            made.take("--design", name, f"without it {n_double:,} rows repeat an evaluation")


def _may_be_factor(column: Column, rows: pd.DataFrame) -> bool:
    if column.n_missing or column.n_levels < 2:
        return False
    if column.kind == "number":  # levels of noise are few, scores are many
        return column.n_levels <= 20 and not direction_of(column.name)[0] and column.n_levels < len(rows) / 10
    return column.n_levels <= _MOST_LEVELS or bool(_among(column.name, _REPEATED))


def _few_experiments(made: Proposal, rows: pd.DataFrame) -> None:
    design, over = list(made.request.design), list(made.request.over)
    if not design or not set(over) <= set(rows.columns):
        return
    if rows[[*design, *over]].drop_duplicates().groupby(design).size().max() == 1:
        made.doubts.append(
            f"Then every configuration has one level of {' x '.join(over)} only, and nothing can be said about others: "
            "keep one row per evaluation, or average over a column with --average."
        )


# --- the command ------------------------------------------------------------------------------------------------------


def _options(request: StudyRequest) -> list[tuple[str, str]]:
    """Return the options of a request about roles, and what each says."""
    default, better = StudyRequest(request.results), f"--{request.higher_is_better}-is-better"
    fields = ROLES | {"--without": "without", "--configuration": "configuration", "--cluster": ""}
    options = [("--wide", "")] if request.wide else []
    for option, field in fields.items():
        options += [(option, value) for value in (getattr(request, field) if field else ())]
        options += [(better, "")] if option == "--target" and request.higher_is_better else []
    options += [("--kernel", text) for text in request.kernels if kernel_from_text(text) not in DEFAULT_KERNELS]
    for name in ("cluster", "alternative", "missing", "alpha", "delta", "level", "confidence", "budget", *READING):
        if getattr(request, name) != getattr(default, name):
            options.append((f"--{name}", f"{getattr(request, name)}"))
    return options


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
