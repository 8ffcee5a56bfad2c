"""What a frame of results says of itself: how it was read, the study that fits it, what its columns seem to hold."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import normalize

import pandas as pd

from genexpy_nb.common.errors import StudyError

# Letters that are not seen, and spaces that look like others.
_UNSEEN = dict.fromkeys([0xAD, *range(0x200B, 0x2010), *range(0x2060, 0x2065), 0xFEFF]) | {0xA0: " "}


def described(
    frame: pd.DataFrame, form: str, sentence: str, notes: Sequence[str] = (), roles: Mapping[str, Any] | None = None
) -> pd.DataFrame:
    """Return the frame with ``attrs``: ``format``, ``read_as`` and ``notes``; where they are known, ``roles``, the
    arguments of the study that fits, and ``call``, the same for people.
    """
    notes = [*notes, *_joined(frame)]
    frame.attrs = {"format": form, "read_as": "; ".join([sentence, *notes]), "notes": list(notes)}
    if roles is not None:
        said = {key: str(v) if isinstance(v, bool) else json.dumps(v, ensure_ascii=False) for key, v in roles.items()}
        words = ", ".join(f"{key}={value}" for key, value in said.items())
        frame.attrs |= {"roles": dict(roles), "call": f"gx.Study(results, {words})"}
    return frame


def _form(text: str) -> str:
    return text if text.isascii() else normalize("NFC", text.translate(_UNSEEN))


def _joined(frame: pd.DataFrame) -> list[str]:
    """Make one name of those in a column that look alike, and say so; columns that look alike are an error."""
    seen: dict[str, str] = {}
    for column in map(str, frame.columns):
        other = seen.setdefault(_form(column), column)
        if other != column:
            raise StudyError(f"columns {other!a} and {column!a} have names that look alike: rename one")
    notes = []
    for column in [column for column in frame.columns if frame[column].dtype.kind == "O"]:
        texts = dict.fromkeys(value for value in frame[column] if isinstance(value, str))
        forms = Counter(map(_form, texts))
        alike = {text: _form(text) for text in texts if text != _form(text) and forms[_form(text)] > 1}
        if alike:
            frame[column] = [alike.get(value, value) if isinstance(value, str) else value for value in frame[column]]
            one, other = next(iter(alike.items()))
            notes.append(f"column {column!r}: names that look alike are one, such as {one!a} and {other!a}")
    return notes


def number_repeats(frame: pd.DataFrame, key: Sequence[str]) -> pd.DataFrame:
    """Return the frame with a column ``run``, 1 for the first row of a key, if some key stands in several rows."""
    if frame.empty:
        return frame
    run = frame.groupby(list(key), dropna=False).cumcount() + 1
    return frame.assign(run=run) if (run > 1).any() else frame


def study_roles(
    frame: pd.DataFrame,
    *,
    alternatives: str,
    target: str,
    generalize_over: str,
    fix: Sequence[str] = (),
    design: Sequence[str] = (),
    average: Sequence[str] = (),
    higher_is_better: str | None = None,
) -> tuple[dict[str, Any], list[str]]:
    """Return the arguments of the `genexpy_nb.Study` that fits a tidy frame, and what it leaves out."""
    rows, fixed = frame, {}
    cell = [alternatives, generalize_over]
    for column in fix:
        if rows[column].nunique() > 1:
            sizes = rows.drop_duplicates([*cell, column]).groupby(column, sort=False).size()
            fixed[column] = sizes.idxmax()
            rows = rows[rows[column] == fixed[column]]
    roles: dict[str, list[str]] = {"design": [], "average_over": []}
    for role, columns in (("design", design), ("average_over", average)):
        for column in columns:
            if column in rows and (rows.groupby(cell, dropna=False)[column].nunique() > 1).any():
                roles[role].append(column)
    words: dict[str, Any] = {"alternatives": alternatives, "target": target, "generalize_over": generalize_over}
    words |= {role: columns for role, columns in roles.items() if columns}
    if fixed:
        words["fixed"] = fixed
    if higher_is_better is not None and len(rows) and not rows[higher_is_better].fillna(True).astype(bool).all():
        words["higher_is_better"] = False
    levels = " and ".join(f"{key} {value!r}" for key, value in fixed.items())
    notes = [f"the study in attrs['call'] takes {levels}"] if fixed else []
    sizes = {column: (rows[column].nunique(), frame[column].nunique()) for column in (generalize_over, alternatives)}
    few = [f"{n} of {n_all} levels of {column!r}" for column, (n, n_all) in sizes.items() if n < n_all]
    if few:
        notes[0] += f", which only {' and '.join(few)} have"
    return words, notes


# --- roles ------------------------------------------------------------------------------------------------------------

#: Between the levels of several columns that together name an alternative.
JOINT = " / "

#: What scores of a matrix are called.
MATRIX_SCORE = "score"

DIRECTIONS = ("higher", "lower")


def as_directed(target: str) -> tuple[str, str]:
    """Return a metric and its direction, empty if it is a name alone."""
    name, equals, direction = target.rpartition("=")
    return (name, direction) if equals and name and direction in DIRECTIONS else (target, "")


def with_joint_column(frame: pd.DataFrame, columns: Sequence[str]) -> tuple[pd.DataFrame, str]:
    """Return the table with a single column of alternatives in place of several, and its name."""
    name = JOINT.join(columns)
    if len(columns) < 2:
        return frame, name
    parts = frame[list(columns)]
    labels = parts.astype("string").fillna("").agg(JOINT.join, axis=1).where(parts.notna().all(axis=1))
    return frame.drop(columns=list(columns)).assign(**{name: labels.astype(object)}), name


@dataclass(frozen=True)
class TableRoles:
    """Which column of a table is for what."""

    results: str | Sequence[str] = ""  # several files are read together
    alternatives: Sequence[str] = ()
    target: Sequence[str] = ()
    over: Sequence[str] = ()
    design: Sequence[str] = ()
    average: Sequence[str] = ()
    fixed: Sequence[str] = ()
    cluster: str = ""
    wide: bool = False
    without: Sequence[str] = ()
    higher_is_better: str = ""

    def directions(self) -> dict[str, str]:
        """Return each target and its direction, empty where none was given; of a matrix the scores have a name."""
        found = {name: direction or self.higher_is_better for name, direction in map(as_directed, self.target)}
        return found if found or not self.wide else {MATRIX_SCORE: self.higher_is_better}


# --- columns ----------------------------------------------------------------------------------------------------------

# What names say, by preference: what is rarely anything but the thing compared, the score, comes first.
_TEXTS = {
    "compared": "alternative method algorithm algo alg classifier regressor estimator learner encoder optimizer solver "
    "framework approach technique detector forecaster clusterer candidate system agent strategy pipeline submission "
    "team model llm network architecture baseline",
    "name": "name",
    "task": "dataset data task benchmark problem environment env game corpus domain scenario series testset problemset",
    "case": "case subject participant patient image instance question item query prompt sentence utterance example "
    "video scan",
    "group": "family passage source cluster group origin article collection archive parent author speaker book site",
    "repeated": "seed fold kfold cv split repeat repetition rep run trial replicate replication bootstrap iteration "
    "iter resample resampling sample",
    "metric": "metric measure scoring scorer criterion",
    "average": "average avg mean median overall total rank ranking",
    "size": "params parameter param size count year date id index url link version num number n len length ratio row "
    "feature instance class classe license tok token epoch batch",
    "cost": "time second sec ms duration runtime latency cost price memory energy rank mb gb hour minute elapsed "
    "throughput fps qps speed speedup rtf rtfx flops gflops macs gmacs co2 emission",
    "higher": "accuracy acc auc auroc auprc rocauc aucroc f1 fscore r2 map ndcg mrr hit bleu chrf rouge meteor kappa "
    "mcc reward return recall precision iou miou dice jaccard dsc psnr ssim sdr em correlation corr spearman pearson "
    "kendall correct success winrate win sensitivity specificity elo rating top1 top5 pass ari nmi ami silhouette "
    "purity bacc balacc likelihood loglikelihood gain improvement agreement match",
    "lower": "loss logloss error err misclassification misclassified miss failure failed false wrong rmse mse mae mape "
    "smape nll perplexity ppl regret brier ece wer cer ter eer der fid kid lpips fvd fad deviation deviance distance "
    "hausdorff divergence fpr fnr bpb bpc mase rmsse wape crps wql sql wis msis nrmse rmsle msle nmse pinball medae "
    "violation drop gap forgetting",
    "generic": "score performance perf",  # higher if the numbers fit
    "measure": "rate ratio percentage share index",
    "address": "date url link href",
    "vague": "diff difference delta change",
    "turned": "neg negative negated minus",
    "spread": "std stdev stddev stderr margin se sem ci variance var sd lower upper timestamp utc",
    "training": "train training valid validation val dev",
    "part": "test best last final macro micro weighted min max",
    "beside": "n num number of no nr m b k mb gb ms usd release published publication model score",
    "verdict": "winner preference preferred vote choice verdict outcome judgement judgment label",
}
WORDS = {kind: text.split() for kind, text in _TEXTS.items()}

_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_NUMBER_AND_MORE = re.compile(rf"{_NUMBER}\s*(?:(?:[(\[%±*†‡]|\+/?-).*)?")


_SUMMARIES = {*WORDS["average"], *WORDS["size"], *WORDS["cost"]} - {"n"}
# Words that may stand beside those of a property or a summary.
_BESIDE = set(_TEXTS["beside"].split())


def is_summary(name: object) -> bool:
    """Say whether a column of a matrix is called like a property or a summary of others, and like nothing else."""
    words = set(re.findall(r"[a-z]+\d*", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", str(name)).lower()))
    summaries = {word for word in words if {word, word.removesuffix("s")} & _SUMMARIES}
    return bool(summaries) and words <= summaries | _BESIDE


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
        kind = _kind(values)
        levels = (values.astype(str) if kind == "lists" else values.dropna()).drop_duplicates()
        examples = tuple(str(level) for level in levels.iloc[:most])
        columns.append(Column(str(name), kind, len(levels), int(values.isna().sum()), examples))
    return columns


def _kind(values: pd.Series) -> str:
    kind = pd.api.types.infer_dtype(values, skipna=True)
    if values.isna().all():
        return "empty"
    if kind == "mixed" and not values.map(lambda value: isinstance(value, Hashable)).all():
        return "lists"
    if kind == "boolean":
        return "truth value"
    if kind in ("integer", "floating", "mixed-integer-float", "decimal"):
        numbers = pd.to_numeric(values, errors="coerce").dropna()
        return "whole number" if kind == "integer" or (numbers % 1 == 0).all() else "number"
    if kind in ("datetime", "datetime64", "date"):
        return "date"
    return "numbers and text" if holds_numbers_and_text(values) else "text"


def holds_numbers_and_text(values: pd.Series) -> bool:
    """Say whether a column of text was meant to hold numbers: most begin with one, and a remark or a spread follows."""
    texts = [value for value in values.dropna() if isinstance(value, str)]
    return bool(texts) and sum(bool(_NUMBER_AND_MORE.fullmatch(text.strip())) for text in texts) > len(texts) / 2


def is_number(text: str) -> bool:
    """Say whether a text is a number and nothing else."""
    return bool(re.fullmatch(_NUMBER, text.strip()))


def is_property(frame: pd.DataFrame, columns: Sequence[str], keys: Sequence[str]) -> bool:
    """Say whether columns have one level for each level of the keys."""
    columns, keys = [c for c in columns if c in frame], [c for c in keys if c in frame]
    if not columns or not keys:
        return False
    return not frame[[*keys, *columns]].drop_duplicates().duplicated(keys).any()


# --- words ------------------------------------------------------------------------------------------------------------


def words_of(name: str) -> list[str]:
    """Return the words of a name in lower case, parted where capitals begin, and not; in singular, without digits, too.

    Of "TestErrors2" these are test, errors2, errors, error, testerrors2, ...
    """
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    found = [word.lower() for text in (parted, name) for word in re.findall(r"[^\W\d_]+\d*", text)]
    bare = [word.rstrip("0123456789") for word in found]
    return list(dict.fromkeys([*found, *bare, *(word[:-1] for word in bare if word.endswith("s"))]))


def among(name: str, kinds: str) -> str:
    """Return the first of the words of some kinds that a name has, or an empty text."""
    own = words_of(name)
    return next((word for kind in kinds.split() for word in WORDS[kind] if word in own), "")


def named(columns: Iterable[Column], kinds: str) -> tuple[Column, str] | None:
    """Return the column whose name has the first of the words of some kinds and the fewest others, and that word."""
    words = [word for kind in kinds.split() for word in WORDS[kind]]
    found = [
        (words.index(word), len(words_of(c.name)), i, c, word)
        for i, c in enumerate(columns)
        if (word := among(c.name, kinds)) and not ("compared" in kinds and among(c.name, "address"))
    ]
    return min(found)[3:] if found else None


def direction_of(name: str, values: pd.Series | None = None) -> tuple[str, str]:
    """Return the direction that a metric's name says, and the word that does; two empty texts if none does.

    Names with words of both directions ("accuracy drop") say none. What is only called a score is the better, the
    higher, where all ``values`` are between 0 and 100; a loss of which all are negative was negated.
    """
    higher, lower, turned = among(name, "higher"), among(name, "lower cost"), among(name, "turned")
    if lower == "rank" and higher in ("correlation", "corr", "spearman", "pearson", "kendall"):
        lower = ""
    if (higher and lower) or among(name, "vague spread"):
        return "", ""
    if turned:
        return ("lower", turned) if higher else ("higher", turned) if lower else ("", "")
    if higher:
        return "higher", higher
    numbers = pd.Series(dtype=float) if values is None else pd.to_numeric(values, errors="coerce").dropna()
    if lower:
        negated = len(numbers) > 0 and bool((numbers <= 0).all() and (numbers < 0).any())
        return ("", "") if negated else ("lower", lower)
    generic = among(name, "generic")
    return ("higher", generic) if generic and len(numbers) and 0 <= numbers.min() <= numbers.max() <= 100 else ("", "")


def may_be_score(name: str) -> bool:
    """Say whether a column of numbers may hold scores by its name: no size, spread, repetition, experiment."""
    if among(name, "spread repeated task") or re.search(r"^#|(?:^|_)q\d+$|standard.?err|error.?bar", name.lower()):
        return False
    return bool(among(name, "higher lower cost")) or not among(name, "size case")
