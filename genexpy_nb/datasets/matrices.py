"""A matrix, with scores of one kind in many columns: which columns these are, and what its rows are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import prod

import pandas as pd

from genexpy_nb.common.checks import listed
from genexpy_nb.datasets.describing import COLUMN, NUMBERS, Column, Guess, named, settings_in, share_of_pairs
from genexpy_nb.datasets.factors import until_rows_differ
from genexpy_nb.datasets.words import (
    MOST_FACTOR_LEVELS,
    NEARLY,
    WORDS,
    among,
    called_as_methods,
    common_arrow,
    common_start,
    direction_of,
    is_count,
    levels_of_one,
    may_be_score,
    numbered,
    on_tasks,
    one_metric,
    pooled,
    same_metric,
    unlike_the_others,
    words_of,
)

_SCALES = 30  # how many times as large some rows are as others
_MUCH = 0.2  # of all scores may be missing without a word


def scores_of_matrix(made: Guess) -> list[Column]:
    """Return the columns of a matrix that hold scores, none if the table is no matrix."""
    if verdicts := _verdicts_called_alike(made):
        return verdicts
    settings = settings_in(made.frame, made.free())
    numbers = [c for c in made.free() if c.kind in (*NUMBERS, "numbers and text") and c.n_levels > 1]
    numbers = [c for c in numbers if c.name not in settings and (may_be_score(c.name) or not among(c.name, "judge"))]
    numbers = [c for c in numbers if c.n_levels > 2 or not re.search(r"(?i)[\W_]vs?[\W_]", c.name)]  # "a_vs_b": a code
    numbers = [c for c in numbers if c.kind != "truth value"] or numbers  # right or wrong, a column per model
    inside = Counter(filter(None, (_above_score(c.name) for c in numbers))).most_common(1)
    prefix = inside[0][0] if inside and inside[0][1] > 2 else ""
    numbers = [c for c in numbers if c.name.startswith(prefix)]
    fractions = [c for c in numbers if c.kind != "whole number"]
    whole = [c for c in numbers if c not in fractions and not among(c.name, "compared task case identity")]
    texts = [c for c in made.free() if c.kind in ("text", "date") and c.n_levels > 1]
    crossed = [] if texts or made.key() else _all_combinations(made)
    if any(among(name, "repeated") for name in crossed):
        return []  # rows are runs of one method with all its settings
    aside = made.no_scores(numbers)
    if len(numbers) > len(fractions) >= len(numbers) / 2:
        aside |= made.no_scores(fractions)
        others = made.numbers([c.name for c in fractions if c.name not in aside]).stack()
        half = (others.max() - others.min()) / 2
        low, high = others.min() - half, others.max() + half
        whole = [c for c in whole if c.n_levels > 2 and made.numbers([c.name]).stack().between(low, high).all()]
    numbers = [c for c in [*fractions, *whole] if c.name not in aside and c.name not in crossed]
    if len(numbers) < 2 or all(c.name.isdecimal() and str(int(c.name)) == c.name for c in numbers):  # "00" is a name
        return []
    called = [c.name.removeprefix(prefix) for c in numbers]
    alike = set.intersection(*(set(words_of(name)) for name in called)) - {*WORDS["measure"]}
    one_each, sign = any(c.n_levels > 0.9 * len(made.frame) for c in texts), common_arrow(called)
    more = [n for n, why in aside.items() if why.endswith("another way") or (among(n, "cost speed") and not one_each)]
    bare = [n.replace(sign, "") for n in called + more]
    measured = [*filter(None, (direction_of(n)[0] or (not alike and among(n, "measure counted")) for n in bare))]
    same = [prefix + name for name in same_metric(called)] if any(c.n_levels == len(made.frame) for c in texts) else []
    many = len(measured) >= len(bare) / (3 if len(set(measured)) > 1 else 2)
    if not (one_metric(called) or on_tasks(called)) and (many or same):
        numbers = [c for c in numbers if c.name in same]  # of metrics side by side, perhaps each of several methods
        if not numbers:
            return []
    if not texts and not made.roles.alternatives and not made.roles.over:
        label = named(made.columns, "compared task case")
        return numbers if not label or label[0].n_levels == len(made.frame) else []
    compared, inner = named(texts, "compared"), named(texts, "task case")
    if compared and inner and not inner[0].n_levels < compared[0].n_levels == len(made.frame):
        return []
    beside = [c for c in made.labels() if c.n_levels >= MOST_FACTOR_LEVELS]
    beside = [c for c in beside if among(c.name, "identity") or c in texts]
    if not compared:
        beside = [c for c in texts if not among(c.name, "name task case group repeated metric judge prompt")]
        beside = [c for c in beside if measured and not one_metric(called) and c.n_levels <= MOST_FACTOR_LEVELS]
    for outer, _ in filter(None, [compared or inner]):
        if any(c is not outer and share_of_pairs(made.frame, [outer.name], [c.name]) > NEARLY for c in beside):
            return []  # a row for each item of each that is compared, and measures side by side
    names = [*made.key(), *(c.name for c in made.labels() if c in texts or among(c.name, "repeated metric"))]
    if len(numbers) < 3 and not one_each and (named(texts, "task case") or any(c.name == "file" for c in texts)):
        return []  # rather two measures
    return numbers if one_each or not made.frame.duplicated(names).any() else []


def _above_score(name: str) -> str:
    """Return the part of a name from JSON that says that scores stand below, as of {"scores": {"task": 0.5}}."""
    parts = name.split(".")
    ends = [i for i in range(1, len(parts)) if among(parts[i - 1], "generic metric")]
    return ".".join(parts[: ends[0]]) + "." if ends else ""


def matrix(made: Guess, scores: Sequence[Column]) -> None:
    """Guess what the rows of a matrix are, which columns hold no scores, and the direction."""
    made.reasons.append(("wide", "", "a row per name, scores in many columns"))
    counted = [c for c in made.free() if c.kind == "whole number" and among(c.name, "task case")]
    counted = [c for c in counted if c.n_levels == len(made.frame) and not among(c.name, "repeated")]
    labels = [*(c for c in made.labels() if c.kind == "text"), *counted]
    for name in [] if labels or made.key() else _all_combinations(made):
        made.take("alternatives", name, "the rows are all combinations of its levels with others")
        made.doubts = ["Are the rows compared, over the columns, or is something else?"]
    if not made.roles.alternatives and not made.roles.over:
        compared, rows = named(labels, "compared name"), named(labels, "task case")
        rows = None if compared and rows and compared[0].n_levels == len(made.frame) > rows[0].n_levels else rows
        alone = next((c for c in labels if c.n_levels == len(made.frame)), None)
        if compared and compared[0].n_levels < len(made.frame):  # of two that are crossed, the one with more levels
            most = max((c for c in labels if among(c.name, "compared")), key=lambda c: c.n_levels, default=compared[0])
            compared = most, among(most.name, "compared name")
        called = compared[1] if compared and not rows else ""
        label, columns = rows[0] if rows else alone, [c.name for c in scores]
        levels = made.frame[label.name].dropna().astype(str) if label else []
        across = called_as_methods(columns)
        methods = not across and called_as_methods(levels)
        if compared and called == "name" and _rows_differ_in_scale(made.numbers([c.name for c in scores])):
            made.take("over", compared[0].name, "the scores of its rows have scales of their own")
        elif compared and called:
            made.take("alternatives", compared[0].name, f"{called!r} in its name; the columns are the experiments")
        elif methods and label:
            made.take("alternatives", label.name, "its levels are called like methods")
        elif not rows and alone and not across and (why := _rows_seem_compared(made, scores)):
            made.take("alternatives", alone.name, why)
        elif found := rows or (alone and (alone, "")):
            why = f"{found[1]!r} in its name; the columns are compared" if found[1] else "each row is one of its levels"
            made.take("over", found[0].name, why)
        if not rows and any(among(c.name, "measure") for c in scores):
            made.doubts.append("Are the columns of scores experiments of one kind, or different measures?")
        if methods or levels_of_one(columns) if rows else not compared or compared[1] == "name":
            made.doubts.append("Are the columns compared, over the rows, or the rows, or neither, as with raters?")
    if not made.roles.without:
        numbers = [c for c in made.free() if c.kind in (*NUMBERS, "numbers and text")]
        numbers = [c for c in numbers if is_count(c.name) or not among(c.name, "repeated metric")]
        aside = made.no_scores(numbers)
        kept = _baselines(made, [c for c in numbers if c.name not in aside], scores)
        made.doubts += [f"{c.name!r} is {c.examples[0]} in all rows: a score? If not, leave it out." for c in kept]
        scores = [*scores, *kept]
        unlike = "whole numbers unlike the others: no score?"
        for c in [c for c in numbers if c.name in aside or (scores and c not in scores)]:
            made.take("without", c.name, aside.get(c.name, unlike if c.kind == "whole number" else "another metric"))
        if same := [f"{name!r} {why}" for name, why in aside.items() if why.endswith("another way")]:
            made.doubts.append(f"Of measures of one task only the first is taken: {listed(same, 2)}. Is it meant?")
        if like := [repr(name) for name in made.roles.without if aside.get(name, "").endswith("own?")]:
            made.doubts.append(f"Left out for their names, but with numbers like the others: {listed(like)}. Scores?")
    names = [c.name for c in made.free() if c in scores]
    metric, sign = one_metric([c.name for c in scores]), common_arrow(names)
    made.doubts += pooled(names)
    many = {c.name for c in made.columns if c.n_levels > 2}
    if metric and (others := [name for _, name, why in made.reasons if why == "another metric" and name in many]):
        said = f"Columns such as {listed(map(repr, others), 3)} hold other measures, and only {metric!r} is taken."
        alike = {direction_of(name)[0] for name in others} == {direction_of(metric)[0]}
        (made.remarks if alike else made.doubts).append(f"{said} For another, leave the columns of all others out.")
    if any(direction_of(name.replace(sign, ""))[0] for name in names) and not metric:
        made.doubts.append("Some columns are called like measures, and others are not: are they scores of one kind?")
    whole = [repr(c.name) for c in scores if c.kind == "whole number"]
    if 0 < len(whole) < len(scores) / 3:
        made.doubts.append(f"{listed(whole)} hold whole numbers, and the others fractions: are they scores?")
    if odd := unlike_the_others(made.numbers(names)):
        made.doubts.append(f"The numbers of {listed(map(repr, odd))} are far from the others: are they scores?")
    gone = float(made.numbers(names).isna().to_numpy().mean()) if names else 0.0
    made.remarks += [f"{gone:.0%} of the scores are missing."] if gone > _MUCH else []
    until_rows_differ(made)
    for c in [c for c in made.free() if scores and c.kind in NUMBERS and c not in scores]:
        made.take("without", c.name, f"{among(c.name, 'repeated metric')!r} in its name: no score of its own")
    if not any(made.roles.directions().values()):
        direct(made, metric or sign, made.numbers(names).stack(), "the names of the columns", "No name")


def direct(made: Guess, name: str, values: pd.Series | None, where: str, otherwise: str) -> None:
    """Give the scores the direction that a name, the page or a column of metrics says; or doubt it."""
    better, word = direction_of(name, values)
    said = {note.split()[3]: note for note in made.attrs.get("notes", ()) if note.startswith("the page says: ")}
    if not said and (metric := named([c for c in made.free() if c.kind == "text"], "metric")):
        why = f"all levels of {metric[0].name!r} say so"
        said = {direction_of(str(level))[0]: why for level in made.frame[metric[0].name].dropna().unique()}
    if better:
        made.direct(better, f"{word!r} in {where}")
    elif len(said) == 1 and "" not in said:
        made.direct(*next(iter(said.items())))
    else:
        made.leaning, word = direction_of(str(made.roles.results))
        hint = f", but the name of the file has {word!r}" if made.leaning else ""
        made.doubts.append(f"{otherwise} says whether higher or lower is better{hint}.")


def columns_of_folds(made: Guess) -> bool:
    """Take columns that repeat an evaluation, such as folds, for one score, their mean; say whether there are such."""
    texts = [c for c in made.labels() if c.kind == "text"]
    words = "|".join([*WORDS["repeated"], *(WORDS["judge"] if named(texts, "compared") else ())])
    numbers = [c for c in made.free() if c.kind in NUMBERS and c.n_levels > 1]
    folds = [c for c in numbers if re.fullmatch(rf"(?i)(?:(?:{words})s?[ _.:-]?)?\d+", c.name)]
    counted = [c.name for c in folds if c.name.isdecimal()]
    if len(folds) < 2 or len(texts) < 2 or (counted and not numbered(pd.Series(counted))):
        return False
    over = (named(texts, "task case") or (texts[-1], ""))[0]
    compared = (named([c for c in texts if c is not over], "compared name") or (texts[texts[0] is over], ""))[0]
    made.take("alternatives", compared.name, "with the experiments it tells rows apart")
    made.take("over", over.name, "each level is an experiment")
    made.roles = replace(made.roles, wide=True, average=(COLUMN,))
    made.reasons.append(("wide", "", f"the mean over {len(folds)} columns, such as {folds[0].name!r}, is the score"))
    for c in [c for c in numbers if c not in folds]:
        made.take("without", c.name, "another column of numbers")
    taken = f"averaged as repetitions, and {compared.name!r} is compared over {over.name!r}"
    made.doubts.append(f"Columns such as {folds[0].name!r} are {taken}: is it so?")
    until_rows_differ(made)
    said = {direction_of(str(level))[1] for level in made.frame[compared.name].unique()}
    direct(made, said.pop() if len(said) == 1 else "", None, f"all levels of {compared.name!r}", "No name")
    return True


def _all_combinations(made: Guess) -> list[str]:
    """Return the first columns of numbers if the rows are all combinations of their levels."""
    first = [c for c in made.free() if c.kind in NUMBERS and not c.n_missing]
    for columns in (first[:2], first[:3], first[:4], first[:5]):
        names, n = [c.name for c in columns], prod(c.n_levels for c in columns)
        if len(names) > 1 and n == len(made.frame) and min(c.n_levels for c in columns) > 1:
            return [] if made.frame.duplicated(names).any() else names
    return []


def _rows_seem_compared(made: Guess, scores: Sequence[Column]) -> str:
    """Return why the rows of a matrix seem to be compared if no name says what they are, or an empty text."""
    stem, numbers = common_start([c.name for c in scores]), made.numbers([c.name for c in scores])
    ends = numbers.min(axis=1), numbers.max(axis=1)
    for c in (c for c in made.free() if c.kind in NUMBERS):
        name = c.name.removeprefix(stem) or c.name
        alone = {*words_of(name)} <= {*WORDS["average"], *WORDS["beside"]}  # the mean length says nothing of scores
        if among(name.lower(), "average") and (alone or made.numbers([c.name])[c.name].between(*ends).mean() > NEARLY):
            return f"each row has its {name!r}"  # "KMeans" is none
    more = numbers.median().std() > numbers.median(axis=1).std()  # scores vary with the experiment more than anything
    return "scores differ less between rows than between columns" if more else ""


def _rows_differ_in_scale(scores: pd.DataFrame) -> bool:
    """Say whether rows have scales of their own, as those of games have, and columns have not."""
    ends = [scores.abs().median(axis=axis).quantile([0.9, 0.1]) for axis in (1, 0)]
    (high, low), (most, least) = ends
    return bool(high > _SCALES * low and most < _SCALES * least)


def _baselines(made: Guess, columns: Sequence[Column], scores: Sequence[Column]) -> list[Column]:
    """Return the columns with one number in all rows that may be a score: of a baseline, or always right or wrong."""
    values = made.numbers([c.name for c in scores])
    low, high = values.min().min(), values.max().max()
    near = (low - (high - low) / 2, high + (high - low) / 2)
    same = [c for c in columns if scores and c.n_levels == 1 and not c.n_missing]
    shared = set.intersection(*({*words_of(c.name)} for c in scores)) if same else set()
    right = [c for c in same if values.isin([0, 1, None]).all(axis=None) and shared <= {*words_of(c.name)}]  # or wrong
    kinds = () if made.roles.alternatives else ("number",)
    same = [c for c in same if c in right or c.kind in kinds or among(c.name, "chance")]
    return [c for c in same if among(c.name, "chance") or near[0] <= made.numbers([c.name]).iat[0, 0] <= near[1]]


def _verdicts_called_alike(made: Guess) -> list[Column]:
    """Return columns of right or wrong whose names begin or end alike, as "A correct" and "B correct"."""
    found = [c for c in made.free() if c.kind == "truth value" and among(c.name, "judge higher lower")]
    ends = [common_start([c.name[::way] for c in found])[::way] for way in (1, -1)]
    each = [c for c in made.columns if c.kind in ("text", "whole number") and c.n_levels > NEARLY * len(made.frame)]
    alike = len(found) > 2 and each and any(among(end, "judge higher lower") for end in ends)
    if not alike or named([c for c in made.columns if c.kind == "text"], "compared"):
        return []
    if any(c.kind in NUMBERS and c not in found for c in made.free()):
        made.doubts.append(f"Is each column called as {found[0].name!r} of one that is compared, over the rows?")
    return found
