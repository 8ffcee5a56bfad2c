"""What names and numbers of columns say: what one may be for, and whether higher is better."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import listed

#: What names say, by preference: `words.toml` beside this module has the words of each kind.
_TEXTS = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
WORDS = {kind: text.split() for kind, text in _TEXTS.items()}
SETTINGS, MEASURE = "file settings", "measure"  # of several files: what columns do that not all have, and which score
SECTION = "section"  # of a table: the column with the names that stand above groups of its rows
OF_FILES = re.compile(r"(?:(?:from |of )?file|folder)(?: \d+)?")  # columns that say which file a row is from
_WORD = re.compile(r"[^\W\d_]{2,}\d*|(?<!\d)[^\W\d_]\d*")  # no single letter of a code such as "1n8z"
#: What is highest for who says always yes, or hardly ever.
TRADED = ("recall", "precision", "sensitivity", "specificity", "tpr", "tnr", "purity", "gap", "violation")
_AT_END = r"(?i){}s?[\W_]*(?:$|/(?!s(?:ec|\b))|per\b|[)\]])"
_ALSO_DATA = ("DROP", "AMI")  # data sets that are called as measures are
_TESTED = re.compile(r"(?i)[\W_]vs?[\W_].*[\W_](?:stat|p_?val(?:ue)?|[ptz])$")
_TIMED = re.compile(r"[(\[](?:[µnm]?s|secs?|min)[)\]]$|^p(?:50|90|95|99)$")  # as "p50 (s)"
_MEMORY = re.compile(r"(?i)(?:(?:peak|max)[ _-]?)?(?:ram|mem)(?:[ _-]?(?:usage|[kmg]i?b))?(?: ?[(\[].{1,9})?")
_HELD = re.compile(r"(?i)(?<![a-z])in[ _-]?memory|(?<=[a-z])sql")  # "MySQL" is no loss
_RUN_TIME = re.compile(r"(?i)(?<![a-z])run[ _-]?times?(?![a-z])")  # no repetition
_STANDARD = re.compile(
    r"(?i)standard[ _.-]?(?:dev|err)[a-z]*|(?<![a-z])(?:rs[de](?=[ _]?[(\[]?%)|p[ _.-]?val(?:ue)?s?(?![a-z]))"
)  # "RSE (%)" is noise, and a p-value is no score
_CYCLES = re.compile(r"(?i)cycles?(?= ?/| per )")  # of a processor
_RATE = re.compile(
    r"(?i)(?:per[\W_]?|(?<![a-z])(?:[kmgt]?i?b(?:it|yte)?s?|ops?|it|e|tok(?:en)?s?|req(?:uest)?s?|images?|rows?) ?/ ?)"
    r"s(?:ec|econd)?(?![a-z])"
)
_SETTING = re.compile(
    r"(?i)learning[ _]?rate|weight[ _]?decay|(?:batch|buffer|hidden)[ _]?size|clip_range|early_?stopping|_coef$"
    r"|^(?:lr|patience|gamma|dim|hiddens?|n_?epochs|n_?layers|temperature|top_?p|dropout|momentum|max_(?:new_)?tokens)$"
)
_C_INDEX = re.compile(r"(?i)(?<![a-z])(?:c[ _.-]?(?:index|stat(?:istic)?)|concordance[ _.-]?index)(?![a-z])")
_F_MEASURE = re.compile(r"(?i)(?<![a-z])[fv][ _.-]?(?:measure|score)(?![a-z])")
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


@lru_cache(10_000)
def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case, parted where capitals begin, and not; without digits and s, too."""
    name = _CYCLES.sub("cost", _STANDARD.sub("std", _HELD.sub(" held", _RUN_TIME.sub("runtime", name))))
    name = _C_INDEX.sub("cindex", _F_MEASURE.sub("f1", name))
    found = [word.lower() for text in (parted(name), name) for word in _WORD.findall(text)]
    bare = [word.rstrip("0123456789") for word in found]
    return tuple(dict.fromkeys([*found, *bare, *(word[:-1] for word in bare if word.endswith("s"))]))


def among(name: str, kinds: str) -> str:
    """Return the first of the words of some kinds that a name has, or an empty text."""
    own = {word for word in words_of(name) if word not in _UNITS or re.search(_AT_END.format(word), name)}
    return next((word for kind in kinds.split() for word in WORDS[kind] if word in own), "")


def direction_of(name: str, values: pd.Series | None = None) -> tuple[str, str]:
    """Return the direction that a metric's name says, and the word that does; two empty texts if none does."""
    higher, lower, turned = among(name, "higher speed"), among(name, "lower cost"), among(name, "turned")
    if lower == "rank" and higher in ("correlation", "corr", "spearman", "pearson", "kendall", "recip", "reciprocal"):
        lower = ""
    if _RATE.search(name):
        return "higher", "per second"
    if (higher and lower) or among(name, "vague spread"):
        return "", ""
    if turned and lower != "false":  # as in "false negatives"
        return ("lower", turned) if higher else ("higher", turned) if lower else ("", "")
    if higher:
        return "higher", higher
    numbers = pd.Series(dtype=float) if values is None else pd.to_numeric(values, errors="coerce").dropna()
    if lower:
        return ("", "") if (numbers <= 0).all() and (numbers < 0).any() else ("lower", lower)  # not if negated
    if _TIMED.search(name):
        return "lower", "time"
    generic = among(name, "generic")
    if generic and len(numbers) and 0 <= numbers.min() <= numbers.max() <= 100:
        return "higher", generic
    sign = common_arrow([name])
    return ({"↑": "higher", "↓": "lower"}.get(sign, ""), sign)


def by_metric(level: str) -> int:
    """Return what sorts metrics: first those that sum up, then halves of a trade, as recall is, then all others."""
    better, word = direction_of(level)
    return 2 if not better or word == "false" or costs(level) else int(word in TRADED)


def common_arrow(names: Iterable[str]) -> str:
    """Return the sign for higher or lower that all names have, and no other; or an empty text."""
    signs = {"".join(sorted({*name} & {*"↑↓"})) for name in names}
    return signs.pop() if len(signs) == 1 and len(max(signs)) == 1 else ""


def one_metric(names: Sequence[str]) -> str:
    """Return the metric by which all columns are called, each with something else that is no part of a data set."""
    shared = set.intersection(*(set(words_of(name)) for name in names)) if len(names) > 2 else set()
    known = shared & {*WORDS["higher"], *WORDS["lower"], *WORDS["cost"]} or shared & {*WORDS["generic"]}
    (word, *more) = known or ("",)
    parts = {*WORDS["training"], *WORDS["average"], *WORDS["part"]}
    rests = [set(words_of(name.lower())) - shared - parts for name in names]
    kinds = all(rest & {*WORDS["higher"], *WORDS["lower"]} for rest in rests)  # as "corr.pearson" and "corr.kendall"
    return word if not more and all(rests) and not kinds else ""


def on_tasks(names: Sequence[str]) -> bool:
    """Say whether columns are called as tasks, most with a measure of their own, as "SST-2 (acc)"."""
    parts = [name[:-1].partition("(") for name in names if name.endswith(")")]
    tasks = [task for task, _, measure in parts if among(measure, "higher lower") and not among(task, "higher lower")]
    if not parts and len({*(name.rpartition(".")[0] for name in names)}) == len(names):  # as "STS.jsick.spearman"
        tasks = [task for task, mark, end in (n.rpartition(".") for n in names) if mark and among(end, "higher lower")]
        tasks = [task for task in tasks if not among(task, "training part generic metric")]
    return len({*tasks}) > 2 and 3 * len(tasks) >= 2 * len(names)


def same_metric(names: Sequence[str]) -> list[str]:
    """Return the columns of the first of several metrics that were measured of the same things; no differences."""
    for word in [*WORDS["higher"], *WORDS["lower"], *WORDS["cost"]]:
        parts = {name: re.split(rf"(?i)(?<![a-z]){word}(?![a-z])", name) for name in names}
        own = [name for name in names if len(parts[name]) == 2]
        # what else is measured of them: no part of the data, no mean
        rests = {name: max(parts[name], key=lambda s: (not among(s, "average part"), len(s))) for name in own}
        start = len(common_start([*rests.values()]))  # "F1 scoregenus" beside "Puritygenus"
        rests = {name: rest[start:] for name, rest in rests.items() if not among(rest[start:], "average")}
        others = [name for name in names if len(parts[name]) == 1]
        two = len(rests) == 2 == len({*rests.values()}) and not any(among(r, "training part") for r in rests.values())
        measured = one_metric([*rests]) == word or (two and all(rests.values()))
        if measured and all(any(rest in name for name in others) for rest in rests.values()):
            return [*rests]
    return []


def families(names: Sequence[str]) -> list[list[str]]:
    """Return the columns of each of several measures of the same things, as "time-2", "time-4", "mem-2", "mem-4"."""
    cuts = [(name, m.start(), m.end()) for name in names for m in re.finditer(r"[\s_./:|-]+|$", name)]
    found: list[list[list[str]]] = []
    for at_end in (False, True):  # where the measure stands
        parts = {(name[j:], name[:i]) if at_end else (name[:i], name[j:]): name for name, i, j in cuts}
        n, each = Counter(thing for _, thing in parts), dict[str, list[str]]()
        for (measure, thing), name in parts.items():
            each.setdefault(measure, []).extend([name] * (n[thing] > 1))
        large = {m: own for m, own in each.items() if len(own) > 2 and m}
        known = [m for m in large if direction_of(m)[0] or among(m, "cost speed measure") or _TIMED.search(m)]
        found.append([large[m] for m in known] if len(known) > 1 else [])
    best = max(found, key=lambda groups: len({name for own in groups for name in own}))
    best.sort(key=lambda own: among(own[0], "higher") in TRADED)
    return sorted(best, key=lambda own: bool(among(own[0], "cost speed training") or _TIMED.search(own[0])))


def same_in_all(names: Sequence[str]) -> str:
    """Return what all names begin with, or else end with, such as the measure of a family."""
    return common_start(names) or common_start([name[::-1] for name in names])[::-1]


def common_start(names: Sequence[str]) -> str:
    """Return what all names begin with, which may end inside of a word."""
    first, last = min(names, default=""), max(names, default="")
    apart = (i for i, (one, other) in enumerate(zip(first, last, strict=False)) if one != other)
    return first[: next(apart, len(first) * (first != last))]


def pooled(names: Sequence[str]) -> list[str]:
    """Return doubts about names such as "RACE All" beside "RACE Mid" and "RACE High", which it may pool."""
    stems = {name: re.sub(r"(?i)[\W_](?:all|total|overall|combined|pooled)$", " ", name) for name in names}
    stems = {name: stem[:-1] for name, stem in stems.items() if stem != name}
    parts = {name: [repr(o) for o in names if o != name and o.startswith(stem)] for name, stem in stems.items()}
    return [f"{name!r} may pool {listed(of, 3)}: if so, leave it out." for name, of in parts.items() if len(of) > 1]


def sums_up(text: str) -> bool:
    """Say whether a level of a column is called as a row that sums up others, as "Standard error of the mean"."""
    if re.search(r"(?i)^(?:mean|average)_of_|^[^_]{1,30}_(?:avg|mean|average)$", text):
        return True
    summaries = {*WORDS["average"], "std", "stdev", "variance", "sum", "wins", "best", "of", "the"}
    own, measures = {*words_of(text)}, {*WORDS["generic"], "accuracy"}
    return text.lower() == "all" or (bool(own) and own <= summaries | measures and not own <= measures)


def estimate_of(levels: Sequence[str]) -> str:
    """Return the one of several levels, such as "Mean", of which others, as "SE" and "upper", say how sure it is."""
    parts = {level: {*re.findall(r"[a-z]+", level.lower())} for level in levels}
    known = [level for level, own in parts.items() if own and own <= {"mean", "average", "avg", "estimate", "point"}]
    sure = [level for level, own in parts.items() if level not in known and own & {*WORDS["spread"], "se", "quantile"}]
    others = all(own <= _AT_A_MEAN | _OF_BOUNDS for level, own in parts.items() if level not in known)
    return known[0] if len(known) == 1 and sure and others else ""


def odd_levels(frame: pd.DataFrame, name: str) -> Iterator[str]:
    """Yield doubts about a column whose every level is several, such as tuples, or of which one pools others."""
    levels = frame[name].dropna().astype(str).drop_duplicates()
    if len(levels) and levels.str.fullmatch(r"\(.+, .+\)").all():
        yield (
            f"Each level of {name!r}, such as {levels.iloc[0]}, is several levels in one. Write a column for each; "
            "if one is a seed or a fold, average over it, because seeds are no experiments."
        )
    yield from pooled([*levels])


def begun_alike(levels: Sequence[str]) -> list[str]:
    """Return a doubt if names of many experiments begin with those of a few suites, as "MMLU/law"."""
    starts = Counter(level.partition("/")[0] for level in levels if "/" in level)
    if MOST_FACTOR_LEVELS < len(levels) <= starts.total() / NEARLY and 1 < len(starts) <= len(levels) / 3:
        return [f"Names of experiments begin with {listed(map(repr, starts), 3)}: those of one may be alike."]
    return []


def means_of_some(scores: pd.DataFrame, means: pd.DataFrame) -> list[str]:
    """Return doubts about columns of a matrix of which only some others are the mean."""
    values, doubts, k = scores.to_numpy(dtype=float), list[str](), scores.shape[1]
    if k > _MOST_SUMMED or len(values) <= 3:
        return []
    sets = [each for n in range(2, k) for each in combinations(range(k), n)]
    for name in means:
        own = means[name].to_numpy(dtype=float)
        off = ((np.abs(values[:, part].mean(axis=1) - own) <= unit_of(own)).mean() >= NEARLY for part in sets)
        if part := next((part for part, found in zip(sets, off, strict=True) if found), None):
            which = listed([repr(scores.columns[i]) for i in part], 4)
            doubts.append(f"{name!r} is the mean of {which} only: are the other columns scores of the same kind?")
    return doubts


def measured_in_parts(frame: pd.DataFrame, parts: Sequence[str], measures: Sequence[str]) -> str:
    """Say in which part of a table each of some measures is, if the first one is in one only, and others in others."""
    for part in parts:
        where = {name: frame[part][frame[name].notna()].unique() for name in measures}
        alone = {name: levels[0] for name, levels in where.items() if len(levels) == 1}
        if measures[0] in alone and len({*alone.values()}) > 1:
            each = listed([f"{name!r} in {level}" for name, level in alone.items()], 9)
            return f"Each measure is of one level of {part!r}: {each}. Is {measures[0]!r} meant?"
    return ""


def called_as_methods(names: Iterable[str]) -> bool:
    """Say whether several names, and not few of them, are those of well-known methods."""
    known = [bool(among(name, "methods")) for name in names]
    return sum(known) > max(1, len(known) / 5)


def numbered(levels: pd.Series) -> bool:
    """Say whether levels are the whole numbers from 0 or 1 on."""
    numbers = set(pd.to_numeric(levels.unique(), errors="coerce"))
    return len(numbers) > 3 and numbers in ({*range(len(numbers))}, {*range(1, len(numbers) + 1)})


def may_be_score(name: str) -> bool:
    """Say whether a column of numbers may hold scores by its name: no size, spread, repetition, experiment."""
    last = parted(name).rpartition("_")[2]
    # "cv_score" is a score, and no fold, nor is "Latency / Run (ns)" a run
    called = among(last, "higher lower generic") or last == "rate" or among(name, "cost speed")
    odd = re.search(
        r"^#|^unnamed: |(?:^|_)q\d+$|error.?bar|^time[ _-]?(?:out|limit)(?:[ _(\[].{0,9})?$"
        r"|^(?:task|user|item|run|case|doc|job|model|sample)_?id$",
        name.lower(),
    )
    never = bool(odd) or bool(among(name, "spread" if called else "spread repeated task judge"))
    return not never and (bool(among(name, "higher lower cost speed")) or not among(name, "size case identity"))


def called_as_measures(names: Sequence[str]) -> list[str]:
    """Return the few columns called like measures and nothing else beside others that are not, as data sets are."""
    kinds, arrows = "higher lower cost speed generic average part", {*"↑↓"} if not common_arrow(names) else set()
    found = [] if one_metric(names) else [n for n in names if direction_of(n)[0] and n not in _ALSO_DATA]
    low = [n for n in found if direction_of(n)[0] == "lower"]
    low = low if len(found) > len(low) + 2 else []  # beside others that are better if higher
    found = [n for n in found if n in low or arrows & {*n} or all(among(word, kinds) for word in words_of(n))]
    return found if len(names) - len(found) >= max(3, 2 * len(found)) else []


def tuned(names: Sequence[str]) -> list[str]:
    """Return the names of settings that are tuned, such as a learning rate, if there are several."""
    found = [*filter(_SETTING.search, names)]
    return found if len(found) > 1 else []


def costs(name: str) -> bool:
    """Say whether a name is that of a cost or a speed, of a time in seconds, or of memory."""
    return bool(among(name, "cost speed") or _TIMED.search(name) or _MEMORY.fullmatch(name))


def by_same_word(name: str, other: str) -> bool:
    """Say whether a column is only called a metric beside another one of the same measure."""
    own, others = ({word for word in words_of(each) if word.isalpha()} for each in (name, other))
    return "metric" in own - others and bool(own & others)


def is_count(name: str) -> bool:
    """Say whether a column is called as counts are: "#rows", "n_rows", "|V|"."""
    return bool(re.search(r"^#|(?<=[ .])#[A-Za-z]|^(?:n|num|number_of)[_.]|^\|.+\|$", name))


# --- what names and numbers say together ------------------------------------------------------------------------------

NEARLY = 0.9  # of all rows
MOST_FACTOR_LEVELS = 20  # of a column that may be a factor beside what is compared
_MOST_SUMMED = 10  # columns of which a few may have their mean beside them
MOST_ROWS = 2000  # of a table that may hold summaries of others
_MANY_ROWS = 30  # in which nobody has by chance what is the largest or the median of the others
_AT_A_MEAN = {*WORDS["spread"], "se", "dev", "err", "min", "max", "median"}  # in names of rows beside that of a mean
_OF_BOUNDS = {"q", "p", "quantile", "bound", "limit", "error", "standard", "deviation", "low", "high"}
_SCALES = 30  # how many times as large some rows are as others
_MOST_PAIRED = 200  # rows, or columns, of which one may be the difference of two others
_COUNTED = ("count", "num", "number", "n", "row", "instance", "class", "classe")
_CODE = re.compile(r"[A-Za-z]{2}(\d*)")


def no_scores(numbers: pd.DataFrame, rows_compared: bool) -> dict[str, str]:
    """Return which columns of a matrix hold no scores of their own, and why: averages, counts, costs, spreads."""
    # "CLEVR Counts" may be a data set: of such words, and of those inside of words ("KMeans"), the numbers decide
    aside = "spread repeated metric average size cost speed vague"
    everything = re.compile(r"(?i)(all)(?:$|[^\w-])")  # "ALL (7)" sums up, and "all-MiniLM" does not
    words = {name: among(name, aside) or ("all" if everything.match(name) else "") for name in numbers}
    same, sizes = {*words.values()}, {*WORDS["size"], *WORDS["cost"]}
    if len(words) > 2 and (same <= sizes or same in ({"mean"}, {"avg"}, {"average"})):  # "svm_f1_mean", "knn_f1_mean"
        words = dict.fromkeys(words, "")
    tuples = {name for name in words if name[:1] + name[-1:] == "()" and ", " in name}  # of a method and its settings
    some = {word for word, n in Counter(words.values()).items() if 4 * n < len(words) < 2 * len(tuples)}
    methods = {name for name, word in words.items() if "ours" in words_of(name) or (name in tuples and word in some)}
    words |= dict.fromkeys(methods, "")
    others = numbers[[name for name, word in words.items() if not word]].to_numpy()
    others = others[~np.isnan(others)]
    low, high = (others.min(), others.max()) if len(others) else (0.0, 0.0)
    codes = sum(bool(_CODE.fullmatch(name)) for name in numbers)  # of languages, of data sets
    found, first, tasks = _made_of_others(numbers), dict[str, str](), on_tasks([*numbers])
    for name, word in words.items():
        stem = re.sub(r"()\([^()]+\)$" if tasks else r"(@|\btop[- ]?)\d+(?![\da-z])", r"\1", name, flags=re.IGNORECASE)
        if stem != name and first.setdefault(stem, name) != name:
            found[name] = f"measures what {first[stem]!r} does, in another way"
            continue
        parts = re.findall(r"[^\W_]+", re.sub(r"\b\d+ ?%", "", _STANDARD.sub("std", name).lower()))  # "[95% CI]"
        known = is_summary(name) or all(among(part, f"{aside} higher lower generic training part") for part in parts)
        start = name[: name.lower().rfind(word)] if word in WORDS["spread"] else ""  # of "adult_std" beside "adult_acc"
        known |= bool(start) and any(o.startswith(start) for o, spread in words.items() if not spread)
        beyond = numbers[name].max() > high + (high - low) / 2 or numbers[name].min() < low - (high - low) / 2
        if (code := _CODE.fullmatch(name)) and (code[1] or codes > 2) and not beyond:  # "TS115" is no time
            word = word if (others % 1).any() and not (numbers[name] % 1).any() else ""
        if word in _COUNTED and not beyond and (numbers[name] % 1).any() and (others % 1).any():
            word = ""  # counts are whole: this is a category of tasks that is called so
        plain = len(word) > 2 and any(word in words_of(part) for part in parts)  # "TS-CHIEF" is no time
        inside = word != "all" and not among(parted(name).lower(), aside)  # "ClaSS" is no class
        never = word in [*WORDS["average"], *WORDS["spread"], "all"] or not rows_compared or "(" in name or "[" in name
        if is_count(name) or (name.lower().rstrip(".") in ("no", "nr") and numbers[name].is_monotonic_increasing):
            found[name] = "a count, no score"
        elif (minus := re.search(r" [-–−] ", name)) and _is_difference(numbers, name, minus):
            found[name] = "a difference of others, no score"
        elif _TESTED.search(name):
            found[name] = "a test between two, no score"
        elif _TIMED.search(name) and 2 * sum(map(bool, map(_TIMED.search, words))) < len(words):
            found[name] = "a time, no score"
        elif tasks and not (name.endswith(")") or "." in name) and (total := among(name, "generic")):
            found.setdefault(name, f"{total!r} in its name, and no task: no score of its own?")
        elif {*parts} <= {*WORDS["known"]} and (not rows_compared or beyond or "best" in parts):
            found[name] = "a value known before, or a bound"
        elif "%" in name and not rows_compared and 2 * sum("%" in other for other in words) <= len(words):
            found[name] = "percent, and most others are none"
        elif name.lower() in WORDS["generic"] and numbers[name].min() > numbers.drop(columns=name).max().max():
            found.setdefault(name, "larger than all others, as a total of them is")
        elif word and (beyond or (not inside and (known or (plain and never)))):
            alone = word in WORDS["spread"] and not start and not beyond  # "variance" may be a method
            larger = beyond and word not in WORDS["average"]  # a sum is no total of what it is not made of
            sure = (known and not alone) or larger
            found.setdefault(name, f"{word!r} in its name: no score of its own{'' if sure else '?'}")
    return found


def _is_difference(numbers: pd.DataFrame, name: str, minus: re.Match) -> bool:
    """Say whether a column called as "A - B" is what its name says, or has others by one of these names."""
    numbers = numbers.head(_MOST_PAIRED)
    values = numbers.drop(columns=name).to_numpy(dtype=float)[:, :_MOST_PAIRED]
    own = numbers[name].to_numpy(dtype=float)[:, None, None]
    off = np.abs(values[:, :, None] - values[:, None, :] - own)
    pairs = (off <= 1e-9 + unit_of(own)).sum(axis=0) >= NEARLY * max(2, np.isfinite(own).sum())
    return bool(pairs.any()) or {name[: minus.start()], name[minus.end() :]} <= {*numbers}


def unit_of(values: np.ndarray) -> float:
    """Return the last decimal that most numbers are written with."""
    known = values[np.isfinite(values)] if np.isfinite(values).any() else np.zeros(1)
    return next((10.0**-d for d in range(7) if (np.abs(known - known.round(d)) < 1e-9).mean() >= NEARLY), 1e-7)


def _made_of_others(scores: pd.DataFrame) -> dict[str, str]:
    """Return the columns that are the largest, the mean or the like of all others in nearly every row."""
    found, values, columns = dict[str, str](), scores.head(MOST_ROWS).to_numpy(dtype=float), [*scores]
    for name in scores if scores.shape[1] <= 100 else ():
        parts = [other for other in scores if re.match(rf"{re.escape(name)}[\W_]", other)]
        unit = unit_of(scores[name].to_numpy(dtype=float))
        runs = [parts] * (len(parts) > 1)
        if not parts and among(parted(name).rpartition(" ")[2], "average"):  # "VisMean", of some that stand together
            runs = [columns[i:j] for i, j in _runs_with_mean(values, columns.index(name), unit)]
        for run in (run for run in runs if name not in run):
            if ((scores[name] - scores[run].mean(axis=1)).abs() <= unit).mean() >= NEARLY:
                found[name] = f"the mean of {listed(map(repr, run), 2)} in each row"
                break
    values = np.where(np.isfinite(values), values, np.nan)
    for again in (False, True) if scores.shape[1] <= 100 else ():  # the mean is that without the largest
        for i, name in enumerate(scores) if found or not again else ():
            others = values[:, [j for j, other in enumerate(scores) if j != i and other not in found]]
            rows = ~np.isnan(values[:, i]) & ((~np.isnan(others)).sum(axis=1) > 1)
            own, others = values[rows, i], others[rows]
            vary = np.fmax.reduce(others, axis=1) > np.fmin.reduce(others, axis=1) if others.size else rows[rows]
            own, others = own[vary], others[vary]
            if name in found or others.shape[1] < 2 or len(own) < 3:
                continue
            unit, most = unit_of(own), len(own) - NEARLY * len(own) + 1e-9  # of rows in which it may be something else
            n = int(2 * most) + 1
            off = {what: np.abs(own[:n] - stat) > unit for what, stat in _stats(others[:n]).items()}
            two = {"mean", "sum"} if len(own) > 4 else set()  # no mean of two in several rows is one by chance
            for what in [what for what in (off if others.shape[1] > 2 else two) if off[what].sum() <= most]:
                named = what in ("mean", "sum") or among(name, "average part known")
                by_chance = not named and len(own) < _MANY_ROWS  # who is always in front, or in between
                if not by_chance and (np.abs(own - _stats(others)[what]) > unit).sum() <= most:
                    copied = (np.abs(others - own[:, None]) <= unit).mean(axis=0).max() >= NEARLY
                    if not copied and np.median(np.nanstd(others, axis=1, ddof=1)) >= 10 * unit:
                        found[name] = f"the {what} of the others in each row"
                    break
    return found


def _runs_with_mean(values: np.ndarray, at: int, unit: float) -> Iterator[tuple[int, int]]:
    """Yield where columns begin and end that stand together, whose mean another one is in nearly every row."""
    known = np.isfinite(values)
    sums, n = (np.cumsum(np.insert(each, 0, 0, axis=1), axis=1) for each in (np.where(known, values, 0.0), 1 * known))
    for first, last in ((0, at), (at + 1, values.shape[1])):
        for i in range(first, last - 1):
            means = (sums[:, i + 2 : last + 1] - sums[:, [i]]) / np.maximum(n[:, i + 2 : last + 1] - n[:, [i]], 1)
            near = np.abs(means - values[:, [at]]) <= unit + 1e-9
            yield from ((i, i + 2 + int(j)) for j in np.flatnonzero(near.mean(axis=0) >= NEARLY))


def _stats(values: np.ndarray) -> dict[str, np.ndarray]:
    """Return what a column may be of the others in each row."""
    ordered, n = np.sort(values, axis=1), (~np.isnan(values)).sum(axis=1)[:, None]
    middle = np.take_along_axis(ordered, np.hstack([(n - 1) // 2, n // 2]), axis=1).mean(axis=1)
    largest = np.take_along_axis(ordered, n - 1, axis=1)[:, 0]
    stats = {"largest": largest, "smallest": ordered[:, 0], "median": middle}
    return stats | {"mean": np.nanmean(values, axis=1), "sum": np.nansum(values, axis=1)}


def summary_rows(frame: pd.DataFrame) -> dict[int, str]:
    """Return the rows that are, by their numbers, the mean of those above, or at the end their median, sum or count."""
    values = frame.select_dtypes("number").dropna(axis=1, how="all").to_numpy(dtype=float)
    first = [isinstance(text, str) and sums_up(text) for text in frame.iloc[:, 0]]
    last = len(first) - next((i for i, sums in enumerate(reversed(first)) if not sums), 0)
    # a mean or a spread alone may be a method that is called so
    found = {i: str(frame.iloc[i, 0]) for i in range(last, len(first))} if last < len(first) - 1 else dict[int, str]()
    found |= {i: text for i, text in enumerate(frame.iloc[:, 0]) if first[i] and {*words_of(text)} > {"rank"}}
    for i in {0, len(values) - 1} if len(values) > 3 and values.shape[1] else ():  # also of other rows, or with weights
        others = pd.DataFrame(np.delete(values, i, axis=0))
        near = (others.mean() - values[i]).abs() <= (others.max() - others.min()) / 5
        if first[i] and {"average", "avg"} & {*words_of(str(frame.iloc[i, 0]))} and near.mean() > 0.75:
            found[i] = str(frame.iloc[i, 0])
    whole = np.array([not (row[np.isfinite(row)] % 1).any() for row in values], dtype=bool)
    wins = [i for i, text in enumerate(frame.iloc[:, 0]) if str(text).lower() in ("win", "wins", "# wins")]
    found |= {i: "wins" for i in wins if whole[i] and 2 * whole.sum() < len(whole)}
    if values.shape[1] < 3 or len(values) > MOST_ROWS or np.isinf(values).any():
        return found
    names = enumerate(map(str, frame.iloc[:, 0]))
    for i in [i for i, text in names if text.startswith(("Δ", "∆")) or among(text, "vague")]:
        pairs = values[:, None] - values[None, :] if len(values) <= _MOST_PAIRED else values[None, :0]
        if (np.abs(pairs - values[i]) <= unit_of(values[i])).mean(axis=2).max(initial=0) > 0.75:
            found[i] = "difference"
    # of all rows above, and of those since the last mean: how many, their sum, and that of their squares
    sums = np.zeros((2, 3, values.shape[1]))
    beside = [bool(own := words_of(str(text))) and {*own} <= _AT_A_MEAN for text in frame.iloc[:, 0]]
    for i, row in enumerate(values):
        if beside[i] and i - 1 in found and (beside[i - 1] or among(found[i - 1], "average")):
            found[i] = str(frame.iloc[i, 0])
        unit, known = unit_of(row), ~np.isnan(row)
        n = np.maximum(sums[:, 0], 1)
        means = sums[:, 1] / n
        spreads = np.sqrt(np.maximum(sums[:, 2] / n - means**2, 0))
        stats = [("mean", means[0], unit, spreads[0]), ("mean", means[1], unit, spreads[1])]
        if i > 3 and i >= len(values) - 5:
            above = pd.DataFrame(np.delete(values[:i], [j for j in found if j < i], axis=0))
            best = [above.eq(ends, axis=0).sum() for ends in (above.max(axis=1), above.min(axis=1))]
            more = [("sum", above.sum(), unit), ("spread", above.std(), unit), ("count", above.count(), 0.01)]
            more += [("median", above.median(), unit), *(("wins", wins, 0.01) for wins in best)]
            stats += [(what, stat.to_numpy(), near, spreads[0]) for what, stat, near in more]
        for what, stat, near, spread in stats if n[1].max() > 2 else ():
            same = known & (np.abs(row - stat) <= near)
            most = max(2, 0.75 * known.sum() - 1) if first[i] else known.sum() - 1  # without a name that says so: all
            enough = same.sum() > most and np.count_nonzero(stat[same]) > 2
            if enough and np.log10(spread[same] / near + 1e-9).sum() > 6:
                found[i] = what
        if i not in found:
            sums += np.nan_to_num([known, row, row**2])
        elif found[i] == "mean":
            sums[1] = 0
    return found


def codes_apart(scores: pd.DataFrame) -> list[str]:
    """Return doubts about scores that many have, and that are far from all others, as where 0 stands for no result."""
    known = scores.apply(pd.to_numeric, errors="coerce").astype(float).stack()
    known, doubts, remedy = known[np.isfinite(known)], list[str](), "if that stands for no result, pass --missing-code"
    largest = known.abs().max()
    others, n = known[known.abs() < largest], int((known.abs() == largest).sum())
    if n >= 5 and others.nunique() >= 10 and largest > 100 * others.abs().max():
        code = f"{known[known.abs() == largest].iloc[0]:.17g}"
        said = f"{n:,} of {len(known):,} scores are {code}, all others at most {others.abs().max():.3g}"
        doubts.append(f"{said}: {remedy} {code}")
    if (n := int((known == -1).sum())) >= 5 and (known[known != -1] >= 0).all() and known.nunique() > 9:
        doubts.append(f"{n:,} of {len(known):,} scores are -1, and no other is below 0: {remedy} -1")
    others, n = np.unique(known[known != 0]), int((known == 0).sum())
    # counts, and shares of a few answers that are right, are as far from each other as from 0
    if n >= 5 and len(others) >= 10 and others[0] >= max(others[-1] / 4, 3 * np.diff(others).max()):
        said = f"{n:,} of {len(known):,} scores are exactly 0, all others at least {others[0]:.3g}: if 0 stands for no"
        doubts.append(f"{said} result, pass --missing-code 0; or, if other columns hold 0, empty these cells")
    return doubts


def rows_differ_in_scale(scores: pd.DataFrame) -> bool:
    """Say whether rows have scales of their own, as those of games have, and columns have not."""
    (high, low), (most, least) = (scores.abs().median(axis=axis).quantile([0.9, 0.1]) for axis in (1, 0))
    return bool(high > _SCALES * low and most < _SCALES * least)


def unlike_the_others(scores: pd.DataFrame) -> list[str]:
    """Return the columns that are far beyond all others in nearly every row, or far larger than most."""
    if scores.shape[1] < 3:
        return []
    values, own = scores.to_numpy(dtype=float), scores.astype(float)
    sizes, low, high = own.abs().median(), np.sort(values), -np.sort(-values)
    low, high = (  # of all others in the same row
        pd.DataFrame(np.where(values == ends[:, :1], ends[:, 1:2], ends[:, :1]), own.index, own.columns)
        for ends in (low, high)
    )
    span = high.max() - low.min()
    apart = (own.min() > high.max() + span) | (own.max() < low.min() - span)  # not even near
    far = (sizes > 30 * sizes.median()) & (sizes.median() > 0)
    for outside, near in ((own > high, high), (own < low, low)):
        ratio = np.log10((own / near).where(outside & (own * near > 0))).abs().median()
        far |= (outside.sum() > NEARLY * (own.notna() & near.notna()).sum()) & (apart | (ratio > 1))
    if low.min().min() >= 0 and high.max().max() <= 1:  # beside shares, what is always above 1 is none
        far |= own.min() > 1
    return far.index[far].tolist()


# --- how columns go together ------------------------------------------------------------------------------------------


def is_property(frame: pd.DataFrame, columns: Sequence[str], keys: Sequence[str]) -> bool:
    """Say whether columns have one level for each level of the keys."""
    columns, keys = [c for c in columns if c in frame], [c for c in keys if c in frame]
    return bool(columns and keys) and not frame[[*keys, *columns]].drop_duplicates().duplicated(keys).any()


def share_of_pairs(rows: pd.DataFrame, one: Sequence[str], other: Sequence[str]) -> float:
    """Return how many of the pairs of levels that columns could have they do have."""
    n_one, n_other, n_both = (len(rows[[*names]].drop_duplicates()) for names in (one, other, [*one, *other]))
    return n_both / (n_one * n_other)


def balanced(frame: pd.DataFrame, names: Sequence[str]) -> bool:
    """Say whether columns have about as many rows at each level, as what was set has, and not what came out."""
    sizes = frame.groupby(list(names)).size()
    return bool(sizes.max() <= 4 * sizes.min())


def evenly(rows: pd.DataFrame, names: Sequence[str]) -> bool:
    """Say whether columns have each pair of levels in as many rows."""
    return rows.groupby(list(names)).size().nunique() == 1


def place_of(rows: pd.DataFrame, key: Sequence[str], name: str) -> str:
    """Return the word by which a column numbers what was found at all levels of others, as hits of a search."""
    word = among(name, "place") if name not in key and numbered(rows[name]) else ""
    return word if word and evenly(rows, [*key, name]) and share_of_pairs(rows, key, [name]) > NEARLY else ""


def last_of_all(rows: pd.DataFrame, key: Sequence[str], step: str) -> str:
    """Return the last step that nearly all runs have, or an empty text."""
    ends = rows.groupby(list(key))[step].max()
    last = ends.quantile(1 - NEARLY, interpolation="lower")
    at = rows.loc[rows[step] == last, [*key, step]].drop_duplicates()
    return str(at[step].iloc[0]) if len(at) >= NEARLY * len(ends) else ""
