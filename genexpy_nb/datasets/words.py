"""What the words in names of columns say: what a column may be for, and whether higher or lower is better."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

# What names say, by preference: what is rarely anything but the thing compared, the score, comes first.
_TEXTS = {
    "compared": "alternative method algorithm algo alg classifier regressor estimator learner encoder optimizer solver "
    "framework approach technique detector forecaster clusterer candidate system agent strategy pipeline submission "
    "team player model llm network architecture baseline tool engine library implementation",
    "name": "name",
    "task": "dataset data task benchmark problem environment env game corpus domain scenario series testset problemset "
    "language",
    "case": "case subject participant patient image instance inst question item query prompt sentence utterance "
    "example video scan",
    "group": "family passage source cluster group origin article collection archive parent author speaker book site",
    "repeated": "seed fold kfold cv split repeat repetition rep run trial replicate replication bootstrap iteration "
    "iter resample resampling sample",
    "judge": "judge rater annotator grader evaluator assessor reviewer worker",
    "prompt": "prompt template phrasing paraphrase instruction",
    "step": "epoch step iteration iter",
    "metric": "metric measure scoring scorer criterion",
    "average": "average wavg avg mean median overall total rank ranking",
    "size": "params parameter param size count year date id index url link version num number n len length ratio row "
    "feature instance class classe license tok token epoch batch perc percent percentage",
    "cost": "time second sec ms duration runtime latency cost price memory energy rank mb gb hour minute elapsed "
    "rtf miss flops gflops macs gmacs co2 emission",
    "speed": "throughput fps qps speed speedup rtfx",
    "higher": "accuracy acc auc auroc auprc roc rocauc aucroc f1 fbeta fscore r2 map ndcg mrr hit bleu chrf rouge "
    "meteor kappa mcc tpr tnr reward return recall precision iou miou dice jaccard dsc psnr ssim sdr em correlation "
    "corr spearman pearson kendall correct solved resolved success winrate win sensitivity specificity elo rating "
    "top1 top5 pass ari nmi ami silhouette purity bacc balacc likelihood loglikelihood gain improvement agreement "
    "match plcc srcc krcc",
    "lower": "loss logloss error err misclassification misclassified failure failed false wrong rmse mse mae mape "
    "smape nll perplexity ppl regret brier ece wer cer ter eer der fid kid lpips fvd fad deviation deviance distance "
    "hausdorff divergence fpr fnr bpb bpc mase rmsse wape crps wql sql wis msis nrmse rmsle msle nmse pinball medae "
    "violation drop gap forgetting",
    "generic": "score performance perf",  # higher if the numbers fit
    "measure": "rate ratio percentage share index",
    "known": "opt optimum optimal best known bks bound lb ub",
    "address": "date url link href",
    "vague": "diff difference delta change",
    "turned": "neg negative negated minus",
    "spread": "σ std stdev stddev stderr margin se sem ci variance var sd lower upper timestamp ts utc",
    "training": "train training valid validation val dev eval",
    "part": "test best last final macro micro weighted min max",
    "beside": "n num number of no nr m b k mb gb ms usd release published publication model score",
    "verdict": "winner win result preference preferred vote choice verdict outcome judgement judgment label",
}
WORDS = {kind: text.split() for kind, text in _TEXTS.items()}
SECTION = "section"  # of a table: the column with the names that stand above groups of its rows
_UNITS = ("ms", "sec", "mb", "gb")  # at the end, before "per" or in brackets: MS-COCO is no time

_SUMMARIES = {*WORDS["average"], *WORDS["size"], *WORDS["cost"], *WORDS["speed"]} - {"n"}
_BESIDE = {*WORDS["beside"]}  # what may stand beside those words


def is_summary(name: object) -> bool:
    """Say whether a column of a matrix is called like a property or a summary of others, and like nothing else."""
    words = set(re.findall(r"[a-z]+\d*", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", str(name)).lower()))
    summaries = {word for word in words if {word, word.removesuffix("s")} & _SUMMARIES}
    return bool(summaries) and words <= summaries | _BESIDE


def parted(name: str) -> str:
    """Return a name with a space before each capital that begins a word."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)


def words_of(name: str) -> list[str]:
    """Return the words of a name in lower case, parted where capitals begin, and not; without digits and s, too."""
    found = [word.lower() for text in (parted(name), name) for word in re.findall(r"[^\W\d_]+\d*", text)]
    bare = [word.rstrip("0123456789") for word in found]
    return list(dict.fromkeys([*found, *bare, *(word[:-1] for word in bare if word.endswith("s"))]))


def among(name: str, kinds: str) -> str:
    """Return the first of the words of some kinds that a name has, or an empty text."""
    own = words_of(name)
    own = [word for word in own if word not in _UNITS or re.search(rf"(?i){word}s?[\W_]*(?:$|/|per\b|[)\]])", name)]
    return next((word for kind in kinds.split() for word in WORDS[kind] if word in own), "")


def direction_of(name: str, values: pd.Series | None = None) -> tuple[str, str]:
    """Return the direction that a metric's name says, and the word that does; two empty texts if none does."""
    higher, lower, turned = among(name, "higher speed"), among(name, "lower cost"), among(name, "turned")
    if lower == "rank" and higher in ("correlation", "corr", "spearman", "pearson", "kendall"):
        lower = ""
    if re.search(r"(?i)per[\W_]?(?:s|sec|second)(?![a-z])", name):
        return "higher", "per second"
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


def one_metric(names: Sequence[str]) -> str:
    """Return the metric by which all columns are called, each with something else that is no part of a data set."""
    shared = set.intersection(*(set(words_of(name)) for name in names)) if len(names) > 2 else set()
    (word, *more) = shared & {*WORDS["higher"], *WORDS["lower"], *WORDS["generic"]} or ("",)
    parts = {*WORDS["training"], *WORDS["average"], *WORDS["part"]}
    return word if not more and all(set(words_of(name.lower())) - shared - parts for name in names) else ""


def on_tasks(names: Sequence[str]) -> bool:
    """Say whether columns are called as tasks, most with a measure of their own in brackets, as "SST-2 (acc)"."""
    parts = [name[:-1].partition("(") for name in names if name.endswith(")")]
    tasks = {task for task, _, measure in parts if among(measure, "higher lower") and not among(task, "higher lower")}
    return len(tasks) > 2 and 3 * len(tasks) >= 2 * len(names)


def same_metric(names: Sequence[str]) -> list[str]:
    """Return the columns of the first of several metrics that were measured of the same things; no differences."""
    for word in [*WORDS["higher"], *WORDS["lower"]]:
        parts = {name: re.split(rf"(?i)(?<![a-z]){word}(?![a-z])", name) for name in names}
        own = [name for name in names if len(parts[name]) == 2]
        rests = [max(parts[name], key=len) for name in own]  # what else is measured of them
        others = [name for name in names if len(parts[name]) == 1]
        if one_metric(own) == word and all(any(rest in name for name in others) for rest in rests):
            return own
    return []


def may_be_score(name: str) -> bool:
    """Say whether a column of numbers may hold scores by its name: no size, spread, repetition, experiment."""
    called = among(parted(name).rpartition("_")[2], "higher lower generic")  # "cv_score" is a score, and no fold
    odd = re.search(r"^#|(?:^|_)q\d+$|standard.?err|error.?bar", name.lower())
    never = bool(odd) or bool(among(name, "spread" if called else "spread repeated task judge"))
    return not never and (bool(among(name, "higher lower cost speed")) or not among(name, "size case"))


def by_same_word(name: str, other: str) -> bool:
    """Say whether a column is only called a metric beside another one of the same measure."""
    own, others = ({word for word in words_of(each) if word.isalpha()} for each in (name, other))
    return "metric" in own - others and bool(own & others)


def is_count(name: str) -> bool:
    """Say whether a column is called as counts are: "#rows", "n_rows", "|V|"."""
    return bool(re.search(r"^#|^n_|^\|.+\|$", name))


# --- texts among numbers ---------------------------------------------------------------------------------------------

NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
MOST_FACTOR_LEVELS = 20  # of a column that may be a factor beside what is compared


def codes_in(values: Iterable[Any]) -> list[str]:
    """Return the texts among numbers, which may mean "no value"; none if they are many, or one begins with a digit."""
    codes = list(dict.fromkeys(value for value in values if isinstance(value, str) and not is_number(value)))
    return [] if len(codes) > 3 or any(code[:1].isdigit() for code in codes) else codes


def is_factor(texts: Sequence[str]) -> bool:
    """Say whether texts are few levels that stand there again and again, as 0, 16 and "full" of a setting."""
    return len(set(texts)) <= min(MOST_FACTOR_LEVELS, len(texts) / 10)


def is_number(text: str) -> bool:
    """Say whether a text is a number and nothing else."""
    return bool(re.fullmatch(NUMBER, text.strip()))
