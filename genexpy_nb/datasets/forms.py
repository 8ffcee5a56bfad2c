"""Forms of tables: matrices, with scores in many columns, what is no study, and what is made rows of evaluations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, pairwise
from math import prod
from typing import Any

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import listed
from genexpy_nb.common.files import noted
from genexpy_nb.datasets.describing import COLUMN, NUMBERS, Column, Guess, named, of_metrics, repeats, until_rows_differ
from genexpy_nb.datasets.stores import numbers_in
from genexpy_nb.datasets.texttables import is_number
from genexpy_nb.datasets.votes import RIGHT, to_be_made
from genexpy_nb.datasets.words import (
    MOST_FACTOR_LEVELS,
    MOST_ROWS,
    NEARLY,
    OF_FILES,
    WORDS,
    among,
    called_as_measures,
    called_as_methods,
    common_arrow,
    common_start,
    direction_of,
    estimate_of,
    families,
    is_count,
    may_be_score,
    on_tasks,
    one_metric,
    pooled,
    rows_differ_in_scale,
    same_in_all,
    same_metric,
    share_of_pairs,
    tuned,
    unlike_the_others,
    words_of,
)

_IN_UNITS = re.compile(r"[(\[](?:[µnm]?s|[cdkmnµ]?m|px|d[Bb]|[KMG]i?B|[kM]?[JW])[)\]]$")  # a measure, as "GPE (mm)"
FAR = "far from the others"
_UNIT = re.compile(r"[(\[](%|[µnm]?s|secs?|min|[cdkmnµ]?m|px|d[Bb]|(?:[KMG]i?B|Bytes)(?:/s)?|[kM]?[JW]h?)[)\]]$")
NOT_SOLVED = "empty. Is an empty one not solved, worse than all others (--missing worst-rank), or not run?"
CROSSED = "the rows are all combinations of its levels with others"
_MOST_COMPARED = 200  # columns of which two are compared with each other
_BEST = re.compile(r"(?i)(?:best|oracle|upper.?bound|virtual.best|vbs)(?![a-z])")  # of those that are compared
_NOTHING = {"", "null", "none", "na", "n/a", "nan", "?", "-"}  # beside "yes" and "no"
_DITTO = (".", '"', "''", "\u3003", "\u201d")  # for what stands above
_MOST_NAMED = 6  # measures of one experiment
_AGAIN = re.compile(r"(?i)|v|scores?|val(?:ue)?|results?|res|obs|time|runtime|acc(?:uracy)?|error|reward|auc")
_MUCH = 0.2  # of all scores may be missing without a word
_OF_COSTS = re.compile("[µnm]?s|secs?|min|[KMG]i?B|[mk]?W?[Jh]")  # units


def scores_of_matrix(made: Guess) -> list[Column]:
    """Return the columns of a matrix that hold scores, none if the table is no matrix."""
    if verdicts := _verdicts_called_alike(made):
        return verdicts
    settings, whole = settings_in(made.frame, made.free()), [c for c in made.free() if c.kind == "whole number"]
    sparse = [c for c in whole if c.n_levels < 4 and 2 * c.n_missing > len(made.frame)]
    codes = sorted({str(level).removesuffix(".0") for c in sparse for level in made.frame[c.name].dropna().unique()})
    if len(sparse) > max(4, len(whole) / 2) and len(codes) < 5:
        made.doubts.append(f"Cells of columns such as {sparse[0].name!r} are {listed(codes, 4)} or {NOT_SOLVED}")
        return sparse
    numbers = [c for c in made.free() if c.kind in (*NUMBERS, "numbers and text") and c.n_levels > 1]
    if estimate_of([c.name for c in numbers if not among(c.name, "step")]):
        return []  # "mean", "std", "min" and "max" of one measure
    numbers = [c for c in numbers if c.name not in settings and (may_be_score(c.name) or not among(c.name, "judge"))]
    numbers = [c for c in numbers if c.n_levels > 2 or not re.search(r"(?i)[\W_]vs?[\W_]", c.name)]  # "a_vs_b": a code
    numbers = [c for c in numbers if c.kind != "truth value"] or numbers  # right or wrong, a column per model
    inside = Counter(filter(None, (_above_score(c.name) for c in numbers))).most_common(1)
    prefix = inside[0][0] if inside and inside[0][1] > 2 else ""
    numbers = [c for c in numbers if c.name.startswith(prefix)]
    units = [found[1] for c in numbers if (found := _UNIT.search(c.name))]
    measures = len({*units}) > 2 and 2 * len(units) >= len(numbers)  # each in its own unit
    set_so = [c.name for c in numbers] if measures else tuned([c.name for c in numbers])
    numbers = [c for c in numbers if c.name not in set_so]
    fractions = [c for c in numbers if c.kind != "whole number"]
    whole = [c for c in numbers if c not in fractions and not among(c.name, "task case identity")]
    whole = [c for c in whole if not among(c.name, "compared") or made.frame[c.name].max() > c.n_levels]  # no ids
    texts = [c for kind in ("text", "date") for c in made.free() if c.kind == kind and c.n_levels > 1]
    texts = [c for c in texts if c.kind == texts[0].kind]  # dates only if there is no text
    crossed = _all_combinations(made)
    measured_so = any(direction_of(c.name)[0] for c in numbers if c.name not in crossed)
    if measured_so and any(among(name, "repeated") for name in crossed):
        return []  # rows are runs of one method with all its settings
    aside = made.no_scores(numbers)
    if len(numbers) > len(fractions) >= len(numbers) / 2 and not one_metric([c.name for c in numbers]):
        aside |= made.no_scores(fractions)
        others = made.numbers([c.name for c in fractions if c.name not in aside]).stack()
        half = (others.max() - others.min()) / 2
        low, high = others.min() - half, others.max() + half
        whole = [c for c in whole if c.n_levels > 2 and made.numbers([c.name]).stack().between(low, high).all()]
    numbers = [c for c in [*fractions, *whole] if c.name not in aside and c.name not in crossed]
    if len(numbers) < 2 or all(c.name.isdecimal() and str(int(c.name)) == c.name for c in numbers):  # "00" is a name
        return []
    called_so = called_as_measures([c.name for c in numbers])
    numbers = [c for c in numbers if c.name not in called_so]
    called = [c.name.removeprefix(prefix) for c in numbers]
    alike = set.intersection(*(set(words_of(name)) for name in called)) - {*WORDS["measure"]}
    one_each, sign = any(c.n_levels > 0.9 * len(made.frame) for c in texts), common_arrow(called)
    more = [n for n, why in aside.items() if why.endswith("another way") or (among(n, "cost speed") and not one_each)]
    bare = [n.replace(sign, "") for n in called + more]
    vague = "" if alike else "measure counted generic"
    measured = [*filter(None, (direction_of(n)[0] or among(n, vague) or bool(_IN_UNITS.search(n)) for n in bare))]
    if len(numbers) < 3 and any(among(n, "measure") for n in aside):  # two speeds beside a ratio
        measured += [n for n in called if n in chain(*(of for _, of in noted(made.notes, "unit")))]
    told = bool(texts) and not made.frame.duplicated([c.name for c in texts]).any()
    same = [prefix + name for name in same_metric(called)] if told else []
    groups = families([c.name for c in made.free() if c.kind in NUMBERS]) if told and not same and one_each else []
    if groups and all(c.n_levels == len(made.frame) for c in texts if among(c.name, "compared")):
        made.families = groups
        others = listed([repr(own[0]) for own in groups[1:]], 3)
        made.doubts.append(f"Only columns such as {groups[0][0]!r} are taken, of one measure, not such as {others}.")
        return [c for c in made.free() if c.name in groups[0]]
    many = len(measured) >= len(bare) / (3 if len(set(measured)) > 1 else 2)
    if not (one_metric(called) or on_tasks(called)) and (many or same):
        alone = [c for c in numbers if not among(c.name, "cost speed")]  # what each data set costs stands beside it
        others = not any(direction_of(c.name)[0] or among(c.name, "measure") for c in alone)
        alone = alone if 2 < len(alone) < len(numbers) and others else []
        numbers = [c for c in numbers if c.name in same] or alone * one_each  # or metrics, perhaps of several methods
        if not numbers:
            return []
    if not texts and not made.roles.alternatives and not made.roles.over:
        label = named(made.columns, "compared task case")
        return numbers if not label or label[0].n_levels == len(made.frame) else []
    labels = [c for c in texts if c.kind == "text" and not of_metrics(made.frame, c.name)]
    compared, inner = (named(labels, kinds) for kinds in ("compared", "task case"))
    if compared and inner and not inner[0].n_levels < compared[0].n_levels == len(made.frame):
        return []
    few = any(c.kind == "truth value" and direction_of(c.name)[0] for c in made.free())  # items that are answered
    beside = [c for c in made.labels() if c.n_levels >= MOST_FACTOR_LEVELS or few]
    beside = [c for c in beside if among(c.name, "identity") or c in (() if few else texts)]
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


def settings_in(frame: pd.DataFrame, columns: Sequence[Column]) -> list[str]:
    """Return the columns with one number for all rows of each level of a text, as a setting for each data set has."""
    outer = [c.name for c in columns if c.kind == "text" and 1 < c.n_levels <= len(frame) / 2]
    numbers = [c.name for c in columns if c.kind in NUMBERS and c.n_levels > 1]
    each = (frame[numbers].groupby(frame[text], dropna=False).nunique(dropna=False) for text in outer if numbers)
    found = {name for levels in each for name in numbers if levels[name].max() == 1}
    return [name for name in numbers if name in found]


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
    grid = _all_combinations(made)
    again = [name for name in grid if among(name, "repeated")]
    for name in grid:
        made.take("average" if name in again else "over" if again else "alternatives", name, CROSSED)
        two = ("columns", "rows") if again else ("rows", "columns")
        made.doubts = ["Are the {} compared, over the {}, or is something else?".format(*two)]
    if not made.roles.alternatives and not made.roles.over:
        labels = [c for c in labels if c.n_missing <= len(made.frame) / 2 and not of_metrics(made.frame, c.name)]
        compared, rows = named(labels, "compared name"), named(labels, "task case")
        rows = None if compared and rows and compared[0].n_levels == len(made.frame) > rows[0].n_levels else rows
        alone = next((c for c in labels if c.n_levels == len(made.frame)), None)
        if alone and rows and rows[0].n_levels < len(made.frame) and not among(alone.name, "identity address"):
            rows = rows if any(among(c.name, "repeated") for c in labels) else None  # a "label" tells all rows apart
        if compared and compared[0].n_levels < len(made.frame):  # of two that are crossed, the one with more levels
            most = max((c for c in labels if among(c.name, "compared")), key=lambda c: c.n_levels, default=compared[0])
            compared = most, among(most.name, "compared name")
        called = compared[1] if compared and not rows else ""
        label, columns = rows[0] if rows else alone, [c.name for c in scores]
        levels = made.frame[label.name].dropna().astype(str) if label else []
        across = called_as_methods(columns)
        methods = not across and called_as_methods(levels)
        solved = any(NOT_SOLVED in doubt for doubt in made.doubts)
        if compared and called == "name" and (solved or rows_differ_in_scale(made.numbers([c.name for c in scores]))):
            made.take("over", compared[0].name, "by the scores, its rows are experiments")
        elif compared and called:
            made.take("alternatives", compared[0].name, f"{called!r} in its name; the columns are the experiments")
        elif methods and label:
            made.take("alternatives", label.name, "its levels are called like methods")
        elif not rows and alone and not across and (why := _rows_seem_compared(made, scores)):
            made.take("alternatives", alone.name, why)
        elif found := rows or (alone and (alone, "")):
            why = f"{found[1]!r} in its name; the columns are compared" if found[1] else "each row is one of its levels"
            made.take("over", found[0].name, why)
        else:  # of files with rows alike
            files = [c.name for c in labels if OF_FILES.fullmatch(c.name) and not repeats(made.frame, c)]
            others = [c.name for c in labels if c.name not in files]
            if len(files) == 1 and share_of_pairs(made.frame, files, others[:1] or files) > NEARLY:
                made.take("alternatives", files[0], "no name says what is compared: perhaps what files are of")
        if not rows and any(among(c.name, "measure") for c in scores):
            made.doubts.append("Are the columns of scores experiments of one kind, or different measures?")
        stem = common_start(columns)  # of levels or sizes of one thing, as "WRMSSE L1" and "WRMSSE L2"
        of_one = columns[2:] and all(n[len(stem) :].isdecimal() for n in columns) and not among(stem, "compared")
        if methods or of_one if rows else not compared or compared[1] == "name":
            made.doubts.append("Are the columns compared, over the rows, or the rows, or neither, as with raters?")
    each = [c.name for c in made.labels() if c.kind == "text" and c.n_levels == len(made.frame)]
    for name in [name for name in each if not made.key() and of_metrics(made.frame, name)][:1]:
        ways = {level: direction_of(str(level))[0] for level in made.frame[name]}
        if OF_FILES.fullmatch(name) or {*ways.values()} >= {"higher", "lower"}:
            rows = made.numbers([c.name for c in scores]).set_axis([*ways])
            ends = {n: (rows if way == "higher" else -rows).loc[n].idxmax() for n, way in ways.items() if way}
            said = listed([f"{who!r} by {n!r} ({rows.loc[n, who]:.6g})" for n, who in ends.items()], _MOST_NAMED)
            made.doubts = [f"Each row is another measure: in this one experiment, the best is {said}. Is it so?"]
            made.take("fixed", f"{name}={rows.index[0]}", "measures are no experiments")
    starred = made.roles.target[0].replace("*", " ") if "*" in "".join(made.roles.target) else ""
    if not {*made.roles.without} & {*made.frame}:
        numbers = [c for c in made.free() if c.kind in (*NUMBERS, "numbers and text")]
        numbers = [c for c in numbers if is_count(c.name) or not among(c.name, "repeated metric")]
        taken = {c.name for c in scores} if made.families else ()
        aside = {name: why for name, why in made.no_scores(numbers).items() if name not in taken}
        measures = called_as_measures([c.name for c in numbers if c.name not in aside])
        aside |= dict.fromkeys(measures, "called as a measure is: no score of its own?")
        aside |= {c.name: "one row has it" for c in numbers if c.n_missing > len(made.frame) - 2}
        kept = _baselines(made, [c for c in numbers if c.name not in aside], scores)
        made.doubts += [f"{c.name!r} is {c.examples[0]} in all rows: a score? If not, leave it out." for c in kept]
        scores = [*scores, *kept]
        unlike = "whole numbers unlike the others: no score?"
        for c in [c for c in numbers if c.name in aside or (scores and c not in scores)]:
            other = "called a difference: no score of its own?" if among(c.name, "vague") else "another metric"
            aside.setdefault(c.name, unlike if c.kind == "whole number" else other)
            made.take("without", c.name, aside[c.name])
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
    if any(direction_of(name.replace(sign, ""))[0] for name in names) and not metric and not made.families:
        made.doubts.append("Some columns are called like measures, and others are not: are they scores of one kind?")
    whole = [repr(c.name) for c in scores if c.kind == "whole number"]
    if 0 < len(whole) < len(scores) / 3:
        made.doubts.append(f"{listed(whole)} hold whole numbers, and the others fractions: are they scores?")
    if made.roles.alternatives and (opposed := _opposed(made.numbers(names))):
        said = f"{' and '.join(map(repr, opposed))} order the rows oppositely"
        made.doubts.append(f"{said}: do they measure the same, and is more better in both?")
    if metric in WORDS["cost"]:
        made.doubts.append(f"{metric!r} in the names of the columns says that lower is better: is it so?")
    if best := [] if made.roles.alternatives else [repr(name) for name in names if _BEST.match(name)]:
        made.doubts.append(f"Is {listed(best)} what is best of others? If so, leave it out: --without {best[0]}.")
    if odd := [] if starred else unlike_the_others(made.numbers(names)):
        made.doubts.append(f"The numbers of {listed(map(repr, odd))} are {FAR}: are they scores?")
    gone = float(made.numbers(names).isna().to_numpy().mean()) if names else 0.0
    made.remarks += [f"{gone:.0%} of the scores are missing."] if gone > _MUCH else []
    until_rows_differ(made)
    for c in [c for c in made.free() if scores and c.kind in NUMBERS and c not in scores]:
        made.take("without", c.name, f"{among(c.name, 'repeated metric')!r} in its name: no score of its own")
    if not any(made.roles.directions().values()):
        called = starred or (same_in_all(names) if made.families else "")
        better = {direction_of(name)[0] for name in names if on_tasks(names)} - {""}
        called = called or ("" if len(better) != 1 else next(name for name in names if direction_of(name)[0]))
        name, where = starred or metric or called or sign, "the names of the columns"
        direct(made, name, made.numbers(names).stack(), where, "No name")


def _opposed(scores: pd.DataFrame) -> list[str]:
    """Return two columns of a matrix that order its rows oppositely, as an accuracy and an error do, or nothing."""
    if not len(scores) > 4 or not 2 < scores.shape[1] <= _MOST_COMPARED:
        return []
    agree = scores.head(MOST_ROWS).rank().corr(min_periods=5).stack()
    return [*agree.idxmin()] if len(agree) and agree.min() < -min(0.9, 3 / np.sqrt(len(scores) - 1)) else []


def direct(made: Guess, name: str, values: pd.Series | None, where: str, otherwise: str) -> None:
    """Give the scores the direction that a name, the page or a column of metrics says; or doubt it."""
    better, word = direction_of(name, values)
    said = dict(noted(made.notes, "better"))
    held = [way for _, level in made.fixed if (way := direction_of(level, values))[0]]
    if held and not (better or said):
        better, word, where = *held[0], "the level that is held"
    if not said and (metric := named([c for c in made.free() if c.kind == "text"], "metric")):
        why = f"all levels of {metric[0].name!r} say so"
        said = {direction_of(str(level))[0]: why for level in made.frame[metric[0].name].dropna().unique()}
    costs = [(unit, of) for unit, of in noted(made.notes, "unit") if _OF_COSTS.fullmatch(unit)]
    if not (better or said) and len(costs) == 1 and (made.roles.wide or {*made.roles.directions()} <= {*costs[0][1]}):
        made.doubts.append(f"The unit {costs[0][0]!r} says that lower is better: is it so?")
        made.direct("lower", "the unit of the scores")
    elif better:
        made.direct(better, f"{word!r} in {where}")
    elif len(said) == 1 and "" not in said:
        made.direct(*next(iter(said.items())))
    else:
        made.leaning, word = direction_of(str(made.roles.results))
        made.leaning = made.leaning * (word != "rank")  # a ranking is by some score
        hint = f", but the name of the file has {word!r}" if made.leaning else ""
        if not word and values is not None and {*values.dropna()} == {0, 1} and not among(name, "broken"):
            made.leaning, hint = "higher", "; the mean is the share of rows in which it is true"
        made.doubts.append(f"{otherwise} says whether higher or lower is better{hint}.")


def columns_of_folds(made: Guess) -> bool:
    """Take columns that repeat an evaluation, such as folds, for one score, their mean; say whether there are such."""
    texts = [c for c in made.labels() if c.kind == "text"]
    words = "|".join([*WORDS["repeated"], *(WORDS["judge"] if named(texts, "compared") else ())])
    numbers = [c for c in made.free() if c.kind in NUMBERS and c.n_levels > 1]
    parts = {c: re.fullmatch(r"(.{0,99}?)[ _.:(-]{0,3}(\d{1,9})\)?", c.name) for c in numbers}
    stem = next((s for s, _ in Counter(found[1] for found in parts.values() if found).most_common(1)), "none")
    folds = [c for c in numbers if (found := parts[c]) and found[1] == stem]
    counted = sorted(int(c.name.rstrip(")")[len(stem) :].strip(" _.:(-")) for c in folds)
    known = re.fullmatch(rf"(?i)(?:.{{0,99}}[\W_])?(?:{words})s?", stem)  # as "accuracy_seed"
    others = len(folds) > 2 + (not stem) and _AGAIN.fullmatch(stem) and counted[0] < 2
    in_a_row = others and counted[-1] - counted[0] == len(counted) - 1
    if len(folds) < 2 or len(texts) < 2 or not (known or in_a_row):
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
    where = f"all levels of {compared.name!r}"
    if direction_of(stem)[0]:
        said, where = {stem}, "the names of the columns"
    direct(made, said.pop() if len(said) == 1 else "", None, where, "No name")
    return True


def _all_combinations(made: Guess) -> list[str]:
    """Return the first columns of numbers if the rows are all combinations of their levels, and no name tells them."""
    texts = [c for c in made.free() if c.kind in ("text", "date") and c.n_levels > 1]
    if made.key() or any(c.n_levels < len(made.frame) or among(c.name, "compared name task case") for c in texts):
        return []
    first = [c for c in made.free() if c.kind in NUMBERS and not c.n_missing and c.n_levels > 1]
    for columns in (first[:2], first[:3], first[:4], first[:5]):
        names, n = [c.name for c in columns], prod(c.n_levels for c in columns)
        if len(names) > 1 and n == len(made.frame):
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


# --- no study ---------------------------------------------------------------------------------------------------------


def what_is_missing(made: Guess) -> None:
    """Say why no study can be made of a table, and what one needs."""
    roles = made.roles
    named_so = [c for c in made.free() if among(c.name, "compared") and not is_count(c.name)]
    texts = [c for c in made.columns if c.kind == "text" and not among(c.name, "task case")]
    runs = len(texts) == 1 and any(among(c.name, "repeated") for c in made.columns)
    alone = next((c for c in named_so or (texts if runs else ()) if c.n_levels == 1), None)
    counted = [c.name for c in made.columns if c.name.isdecimal() and c.kind in NUMBERS]
    steps = [c.name for c in made.columns if among(c.name, "step") and c.n_levels == len(made.frame)]
    numbers = [c.name for c in made.columns if c.kind in NUMBERS]
    metrics = [repr(name) for name in numbers if direction_of(name, made.frame[name])[0]]
    texts = [] if made.roles.target else [c for c in made.columns if c.kind == "text"]
    several = [(c.name, cell) for c in texts for cell in c.examples if {*".;/"} & {*cell}]
    several = [found for found in several if len(p := re.split("[/|;,]", found[1])) > 1 and all(map(is_number, p))]
    lacking = not (roles.alternatives and roles.over and roles.target)
    cells = [repr(c.name) for c in made.columns if all(e.lstrip("[ \n").startswith('{"') for e in c.examples)]
    known = {c.name for c in made.columns}
    empty = [repr(n) for n in made.frame if n not in known and among(str(n), "higher lower generic verdict")]
    if made.problem:
        return
    if several and lacking:
        (name, cell), n = several[0], len({name for name, _ in several})
        made.problem = (
            f"Cells of {n} column{'s' * (n > 1)} hold several numbers, as {cell!r} in {name!r}. Write each of them to "
            "a column or table of its own (pandas: frame[column].str.split), or one of all, such as their mean or sum."
        )
    elif len(counted) > 1 and not (roles.alternatives and roles.over):
        made.problem = f"Columns {listed(counted, 3)} look like repetitions, which are no experiments."
    elif cells and lacking:
        made.problem = f"Cells of {listed(cells, 3)} hold JSON: write a row for each score, with what was scored."
    elif empty and lacking:
        made.problem = f"Columns {listed(empty, 4)} are empty in all {len(made.frame):,} rows: nothing was scored yet."
    elif not roles.alternatives and alone:
        made.problem = f"{alone.name!r} has one level only, {alone.examples[0]!r}: nothing is compared."
    elif not roles.alternatives and steps:
        made.problem = f"The rows seem to be each {steps[0]!r} of one run: nothing is compared."
    elif not roles.alternatives:
        apart = bool({"file", "folder"} & known) or not isinstance(roles.results, str)
        hint = ", nor do the names of files." if apart else ". If each file holds one method, pass all files."
        made.problem = f"No column names what is compared{hint}"
    elif not roles.over:
        made.problem = "No column names the experiments, such as data sets or cases."
        short = [c for c in made.columns if len(words_of(c.name)) < 3 and not direction_of(c.name)[0]]
        short = [c for c in short if not is_count(c.name)]
        again = [repr(c.name) for c in short if among(c.name, "step turn") or repeats(made.frame, c)]
        made.problem += f" Runs on one task, repeated as {listed(again, 3)}, say nothing of others." if again else ""
        seem = f" {listed(metrics, 3)} seem to be measures, not experiments."
        made.problem += f" Columns{seem}" if metrics[1:] else f" {metrics[0]} is a measure." if metrics else ""
        made.problem += _first_by_measure(made)
    elif not roles.target:
        set_so = listed(map(repr, tuned([c.name for c in made.columns])))
        made.problem = f"No column holds scores{f', and {set_so} seem to be settings' if set_so else ''}."
    words = [] if roles.target else [c.name for c in made.columns if "text" in c.kind and c.n_levels > 1]
    made.doubts += (more := [s for n in words for s in to_be_made(n, made.frame[n].dropna().astype(str).unique())])
    if made.problem:
        made.problem += " A study needs a score for each of several methods on each of several experiments."
        made.problem = " ".join([made.problem, *more])


def _first_by_measure(made: Guess) -> str:
    """Say who comes first by each measure, which is all that one experiment can say."""
    names, first = list(made.roles.alternatives), dict[str, list[str]]()
    alone = [c.name for c in made.columns if among(c.name, "compared name") and c.n_levels == len(made.frame)]
    names = alone[:1] or names if made.frame.duplicated(names).any() else names
    called = {c: f"{c} ({unit})" for unit, of in noted(made.notes, "unit") for c in of}  # "MB/s" says what is better
    measures = [c for c in made.columns if c.kind in NUMBERS and c.n_levels > 1 and may_be_score(c.name)]
    measures = [c for c in measures if c.name in called or not among(c.name, "cost speed average spread")]
    ways = {c.name: direction_of(called.get(c.name, c.name))[0] for c in measures}
    for name, way in [(name, way) for name, way in ways.items() if way][:_MOST_NAMED]:
        means = made.frame.groupby(names)[name].mean()
        best = means.max() if way == "higher" else means.min()
        first.setdefault(listed(map(repr, means.index[means == best]), 2), []).append(f"{name!r} ({best:.6g})")
    said = "; ".join(f"{who} by {listed(by, len(by))}" for who, by in first.items())
    parts = [re.split(r"[\W_]+", str(text)) for text in made.frame[names[0]].unique()]  # of files: perhaps two things
    if OF_FILES.fullmatch(names[0]) and all(1 < len({p[i] for p in parts}) <= len(parts) / 1.5 for i in (0, -1)):
        return ""
    told = said and made.frame.duplicated(names).mean() <= 1 - NEARLY  # or rows may be of several settings
    return f" In this one experiment, the best of {listed(map(repr, names))} is {said}." if told else ""


# --- made tables with a row for each evaluation -----------------------------------------------------------------------


def nameless_at_the_end(frame: pd.DataFrame) -> dict[int, str]:
    """Return the last rows without a name, if each of the others has one of its own: they are about these."""
    known = frame.iloc[:, 0].notna().to_numpy()
    n = int(known[::-1].argmax())  # how many stand at the end
    named = frame.iloc[: len(frame) - n, 0]
    alone = 0 < n <= len(frame) / 10 and named.dtype.kind == "O" and named.is_unique and named.notna().all()
    return dict.fromkeys(range(len(named), len(frame)), "a row without a name") if alone else {}


def series_as_rows(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Give each of three or more that a row names and scores, as "model_1", "score_1", "model_2", a row of its own."""
    series: dict[str, dict[str, Any]] = {}
    for name in frame:
        if number := re.search(r"\d{1,3}", str(name)):
            series.setdefault(str(name).replace(number[0], "#", 1), {})[number[0]] = name
    series = {stem: each for stem, each in series.items() if len(each) > 2}
    texts = [s for s in series if among(s, "compared") and all(frame[n].dtype.kind == "O" for n in series[s].values())]
    alike = {s: each for s, each in series.items() if len(texts) == 1 and each.keys() == series[texts[0]].keys()}
    scores = [s for s in alike if among(s, "higher lower generic")]
    scored = any(all(frame[n].dtype.kind in "if" for n in alike[s].values()) for s in scores)
    if not scored or (frame[[*alike[texts[0]].values()]].nunique(axis=1) < len(alike[texts[0]])).any():
        return frame, []
    start = common_start([*alike])
    called = {s: s[len(start) :].replace("#", "").strip(" ._-") or s for s in alike}
    rest = frame.drop(columns=[name for each in alike.values() for name in each.values()])
    parts = [rest.assign(**{called[s]: frame[each[i]] for s, each in alike.items()}) for i in alike[texts[0]]]
    said = f"columns such as {listed(map(repr, alike[texts[0]].values()), 2)} became rows"
    return pd.concat(parts, ignore_index=True), [f"{said}: each names one that is compared"]


def repetitions_as_rows(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Give each number in cells that are lists, such as [1, 0.5], a row of its own, if no other column is a score."""
    cells = {name: [*map(numbers_in, frame[name])] for name in frame if frame[name].dtype.kind == "O"}
    found = {name: each for name, each in cells.items() if all(each)}
    others = [name for name in frame if name not in found and frame[name].dtype.kind in "if"]
    lists = [name for name in found if not among(str(name), "spread step size")]
    lists.sort(key=lambda name: not among(str(name), "higher lower generic"))
    lists = [name for name in lists if [*map(len, found[name])] == [*map(len, found[lists[0]])]]
    numbered = dict.fromkeys(re.sub("[12]", "#", str(name)) for name in frame if re.search("[12]", str(name)))
    sides = [mark for mark in numbered if {mark.replace("#", "1"), mark.replace("#", "2")} <= {*frame}]
    if len(lists) == 1 and sides and {*map(len, found[lists[0]])} == {2}:
        of = {f"{lists[0]} of the {n}": [each[i] for each in found[lists[0]]] for i, n in enumerate(("1st", "2nd"))}
        said = f"of two numbers in {lists[0]!r} each is of one of two, as {sides[0].replace('#', '1')!r} is: is it so?"
        return frame.drop(columns=[*found]).assign(**of), [said]
    scored = "run" in frame or any(among(str(name), "higher lower generic") for name in others)
    if lists and not scored and max(map(len, found[lists[0]])) > 1:
        rest = frame.drop(columns=[*found])
        grows = [name for name in lists if all(a < b for each in found[name] for a, b in pairwise(each))]
        if len(lists) > len(grows) == 1:
            known = {name: [[n for n in each if n == n] for each in found[name]] for name in lists}
            ends = {name: [each[-1] for each in known[name]] for name in lists if name not in grows}
            said = f"of lists such as {next(iter(ends))!r} the last number is taken, where {grows[0]!r} ends: is it so?"
            return rest.assign(**ends), [said]
        rows = rest.assign(**{name: found[name] for name in lists}).explode(lists).astype(dict.fromkeys(lists, float))
        rows.insert(len(rest.columns), "run", rows.groupby(level=0).cumcount() + 1)
        said = f"each number in lists such as {listed(map(repr, lists), 3)} became a row: are they repetitions?"
        return rows.reset_index(drop=True), [said]
    lists = [name for name in found if isinstance(frame[name].iloc[0], list)]
    return frame.drop(columns=lists), [f"column {name!r}, which holds lists, was left out" for name in lists]


def filled_down(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Write the names of the first column again where a sign, or an empty cell, says that the one above stays."""
    notes, first = list[str](), frame.iloc[:, 0]
    same = first.isna() | first.isin(_DITTO)
    if not same[0] and isinstance(first[0], str) and same.sum() >= len(frame) / 3:
        notes.append(f"column {first.name!r}: the name above was taken for {same.sum()} empty cells and signs for it")
        frame = frame.assign(**{str(first.name): first.mask(same).ffill()})
    return frame, notes


def right_or_wrong(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return a table in which "yes" and "no" are 1 and 0, if no other column may hold scores, and what it did."""
    numbers = [name for name in frame.select_dtypes(["number", "bool"]) if may_be_score(str(name))]
    others = any(direction_of(str(name))[0] or (frame[name] % 1).nunique() > 1 for name in numbers)
    notes, texts = [], frame.select_dtypes(["object", "str"])
    for name in [name for name in texts if not among(str(name), "counted compared task")]:
        said = {level: level.lower() for level in frame[name] if isinstance(level, str)}
        held = {*said.values()} - _NOTHING
        for right, wrong in RIGHT.items() if len(said) < MOST_FACTOR_LEVELS else ():
            if held == {right, wrong} and (not others or (right == "1" and among(str(name), "higher generic"))):
                scores = {level: text == right for level, text in said.items() if text in held}
                frame = frame.assign(**{name: frame[name].map(scores)})
                yes, no = sorted(scores, key=lambda level: not scores[level])[:2]
                notes.append(f"column {name!r}: {yes!r} is read as 1, {no!r} as 0")
    return frame, notes
