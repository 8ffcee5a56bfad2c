"""What each column of a table may be for: a guess with reasons, and whether it is sure.

A guess rests on names ("dataset", "seed", "accuracy") and on which columns it takes to tell rows apart. What could as
well be otherwise is a doubt; a guess is sure only without one, and a direction only if a word of the score has it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import pandas as pd

from genexpy_nb.common.checks import as_list, listed
from genexpy_nb.datasets.columns import (
    NUMBERS,
    Column,
    balanced,
    describe_columns,
    is_property,
    is_shared,
    last_of_all,
    named,
    repeats,
    settings_in,
    share_of_pairs,
)
from genexpy_nb.datasets.describing import (
    COLUMN,
    FEWEST_CLUSTERS,
    NO_LEVEL,
    ROW,
    Guess,
    TableRoles,
    all_combinations,
    baselines,
    column_compared,
    few_experiments,
    finer_alternatives,
    groups,
    left_out,
    level_of_most,
    may_be_factor,
    predictions_not_scored,
    rows_differ_in_scale,
    rows_seem_compared,
    scores_in_doubt,
    take_empty_cells,
    verdicts_called_alike,
    what_is_missing,
)
from genexpy_nb.datasets.pairs import votes_of
from genexpy_nb.datasets.words import (
    MOST_FACTOR_LEVELS,
    NEARLY,
    SECTION,
    WORDS,
    among,
    by_same_word,
    called_as_methods,
    common_arrow,
    direction_of,
    is_count,
    levels_of_one,
    may_be_score,
    measured_in_parts,
    numbered,
    odd_levels,
    on_tasks,
    one_metric,
    pooled,
    same_metric,
    unlike_the_others,
    words_of,
)

_FEW_TASKS = 10  # up to so many have items inside, and these are the experiments
_FEWEST_EXPERIMENTS = 4  # with fewer, a factor of text makes experiments instead of configurations
_MUCH = 0.2  # of all scores may be missing without a word
_ASKED = re.compile(r"same name were|of the others$|repetitions\?$")
_PRACTICE = re.compile(r"(?i)practi[cs]e|training|warm.?up|entra[iî]nement|übung")
_TRADED = ("recall", "precision", "sensitivity", "specificity", "tpr", "tnr", "gap", "violation")
_Roles = TypeVar("_Roles", bound=TableRoles)


def guess_roles(frame: pd.DataFrame, given: _Roles) -> Guess[_Roles]:
    """Return what the columns of a table may be for; what was given already stays."""
    made = Guess(frame, given)
    asked = given.alternatives or given.target or given.over or given.wide
    if "roles" in made.attrs and not asked:
        _by_format(made)
        return made
    if not asked:
        found = votes_of(made.frame, {c.name: c.kind for c in made.columns})
        made.problem = found.in_python() if found else predictions_not_scored(made)
    if made.problem:
        return made
    scores = [] if given.target or (given.alternatives and given.over) else _scores_of_matrix(made)
    if given.wide or scores:
        made.roles = replace(given, wide=True)
        _matrix(made, scores)
        if not given.wide and sum(c.kind in (*NUMBERS, "numbers and text") for c in made.free()) < 2:
            _rows(made := Guess(frame, given))  # too few are left without another role
    elif asked or not _columns_of_folds(made):
        _rows(made)
    groups(made)
    for names in made.names():
        made.doubts += [doubt for name in names for doubt in odd_levels(made.frame, name)]
    for name in (c.name for c in made.columns if c.kind == "text" and c.n_levels <= MOST_FACTOR_LEVELS):
        practice = [level for level in made.frame[name].dropna().unique() if _PRACTICE.fullmatch(str(level))]
        if practice and name not in dict(made.fixed):
            made.doubts.append(f"Rows in which {name!r} is {practice[0]!r} seem to be practice: if so, take them out.")
    made.doubts += filter(_ASKED.search, made.attrs.get("notes", ()))
    scores_in_doubt(made)
    return made


def _by_format(made: Guess) -> None:
    """Give the columns of a known program's results the roles that they have there."""
    form, roles = made.attrs["format"], made.attrs["roles"]
    known = {"alternatives": "alternatives", "target": "target", "over": "generalize_over"}
    for role, argument in (known | {"design": "design", "average": "average_over"}).items():
        for name in as_list(roles.get(argument)):
            made.take(role, name, f"{form} results have it so")
    for column, level in roles.get("fixed", {}).items():
        made.take("fixed", f"{column}={level}", f"{form} results have it so")
        made.remarks.append(f"Of the metrics, {column}={level} was taken.")
    metrics = made.frame.get("metric", pd.Series(dtype=str)).unique()
    metric = str(roles.get("fixed", {}).get("metric", metrics[0] if len(metrics) == 1 else ""))
    better, word = direction_of(metric)
    rows = made.frame[made.frame["metric"] == metric] if "metric" in made.frame else made.frame
    said = rows["higher_is_better"].notna().all() if "higher_is_better" in rows else form not in ("HELM", "Inspect")
    if "higher_is_better" in roles or said:
        made.direct("higher" if roles.get("higher_is_better", True) else "lower", "the results say so")
    elif better:
        made.direct(better, f"{word!r} in the metric's name")
    elif not made.roles.higher_is_better:
        made.doubts.append(f"{form} does not say whether higher or lower is better, nor does the metric {metric!r}.")


# --- matrices ---------------------------------------------------------------------------------------------------------


def _scores_of_matrix(made: Guess) -> list[Column]:
    """Return the columns of a matrix that hold scores, none if the table is no matrix."""
    if verdicts := verdicts_called_alike(made):
        return verdicts
    settings = settings_in(made.frame, made.free())
    numbers = [c for c in made.free() if c.kind in (*NUMBERS, "numbers and text") and c.n_levels > 1]
    numbers = [c for c in numbers if c.name not in settings and (may_be_score(c.name) or not among(c.name, "judge"))]
    numbers = [c for c in numbers if c.n_levels > 2 or not re.search(r"(?i)[\W_]vs?[\W_]", c.name)]  # "a_vs_b": a code
    numbers = [c for c in numbers if c.kind != "truth value"] or numbers  # right or wrong, a column per model
    fractions = [c for c in numbers if c.kind != "whole number"]
    whole = [c for c in numbers if c not in fractions and not among(c.name, "compared task case identity")]
    texts = [c for c in made.free() if c.kind in ("text", "date") and c.n_levels > 1]
    crossed = [] if texts or made.key() else all_combinations(made)
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
    called = [c.name for c in numbers]
    alike = set.intersection(*(set(words_of(name)) for name in called)) - {*WORDS["measure"]}
    one_each, sign = any(c.n_levels > 0.9 * len(made.frame) for c in texts), common_arrow(called)
    more = [n for n, why in aside.items() if why.endswith("another way") or (among(n, "cost speed") and not one_each)]
    bare = [n.replace(sign, "") for n in called + more]
    measured = [*filter(None, (direction_of(n)[0] or (not alike and among(n, "measure counted")) for n in bare))]
    same = same_metric(called) if any(c.n_levels == len(made.frame) for c in texts) else []
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


def _matrix(made: Guess, scores: Sequence[Column]) -> None:
    """Guess what the rows of a matrix are, which columns hold no scores, and the direction."""
    made.reasons.append(("wide", "", "a row per name, scores in many columns"))
    counted = [c for c in made.labels() if c.n_levels == len(made.frame) and among(c.name, "task case")]
    labels = [c for c in made.labels() if c.kind == "text" or c in counted]
    for name in [] if labels or made.key() else all_combinations(made):
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
        if compared and called == "name" and rows_differ_in_scale(made.numbers([c.name for c in scores])):
            made.take("over", compared[0].name, "the scores of its rows have scales of their own")
        elif compared and called:
            made.take("alternatives", compared[0].name, f"{called!r} in its name; the columns are the experiments")
        elif methods and label:
            made.take("alternatives", label.name, "its levels are called like methods")
        elif not rows and alone and not across and (why := rows_seem_compared(made, scores)):
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
        kept = baselines(made, [c for c in numbers if c.name not in aside], scores)
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
    _until_rows_differ(made)
    for c in [c for c in made.free() if scores and c.kind in NUMBERS and c not in scores]:
        made.take("without", c.name, f"{among(c.name, 'repeated metric')!r} in its name: no score of its own")
    if not any(made.roles.directions().values()):
        _direct(made, metric or sign, made.numbers(names).stack(), "the names of the columns", "No name")


def _direct(made: Guess, name: str, values: pd.Series | None, where: str, otherwise: str) -> None:
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


def _columns_of_folds(made: Guess) -> bool:
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
    _until_rows_differ(made)
    said = {direction_of(str(level))[1] for level in made.frame[compared.name].unique()}
    _direct(made, said.pop() if len(said) == 1 else "", None, f"all levels of {compared.name!r}", "No name")
    return True


# --- a row per evaluation ---------------------------------------------------------------------------------------------


def _rows(made: Guess) -> None:
    """Guess roles for a table with a row per evaluation."""
    asked = bool(made.roles.over)
    if not asked:
        _experiments(made)
    if not made.roles.alternatives:
        _thing_compared(made)
    if not made.roles.target:
        _score(made)
    if not asked:
        _experiments_inside(made)
        compared, over = made.names()
        pairs = made.frame[[*compared, *over]].drop_duplicates()
        if compared and over and (pairs.groupby(compared).size() == 1).mean() >= (0.5 if over == [SECTION] else NEARLY):
            made.untake("over")  # it describes what is compared
    _until_rows_differ(made)
    what_is_missing(made)
    directions = made.roles.directions()
    if len(directions) == 1 and not any(directions.values()):
        (target,) = directions
        metric = next((level for column, level in made.fixed if among(column, "metric")), "")
        metric = "" if direction_of(target)[0] else metric  # "value" and "score" say nothing
        where = f"the {'metric' if metric else 'target'}'s name"
        values = None if metric else made.frame.get(target)
        _direct(made, metric or target, values, where, f"Nothing in {metric or target!r}")


def _experiments(made: Guess) -> None:
    factors = [c for c in made.labels() if "://" not in c.examples[0]]  # an address says where scores are from
    factors = [c for c in factors if c.kind == "text" or not among(c.name, "step turn")]
    compared = made.names()[0] or [c.name for c, _ in filter(None, [column_compared(made, factors)])]
    # what one of those compared has alone is no experiment, nor is a kind of them
    shared = [c for c in factors if not compared or not is_property(made.frame, compared, [c.name])]
    others = [c for c in shared if not c.n_missing and not among(c.name, "compared name repeated metric judge said")]
    others = [c for c in others if c.kind in ("text", "whole number") and c.n_levels <= len(made.frame) / 2]
    others = [c for c in others if not repeats(made.frame, c)]
    shared = [c for c in shared if not re.search(r"(?i)[\W_](?:type|style)$", c.name)] or shared
    found = named(shared, "task case") or ()
    crossed = [c for c in others if compared and share_of_pairs(made.frame, compared, [c.name]) > NEARLY]
    items = [c for c in crossed if among(c.name, "case identity") and c.n_levels > _FEW_TASKS]
    if items and (not found or found[0].n_levels <= _FEW_TASKS):
        item = max(items, key=lambda c: (bool(among(c.name, "case")), c.n_levels))
        word = among(item.name, "case identity")
        made.take("over", item.name, f"{word!r} in its name, and all that are compared have its levels")
        if found and is_property(made.frame, [found[0].name], [item.name]):
            outer = f"the {found[0].n_levels} levels of {found[0].name!r}"
            made.doubts.append(f"All levels of {item.name!r} are from {outer}, and those of one may be alike.")
        return None
    if found:
        return made.take("over", found[0].name, f"{found[1]!r} in its name")
    if compared:
        # an experiment is one for all: what goes with some of those compared only says something of these
        said = [c.name for c in others if c.kind == "text"]  # items have texts of their own, and repetitions none
        ids = [c for c in factors if c.n_levels > _FEW_TASKS and among(c.name, "identity") and repeats(made.frame, c)]
        ids = [c for c in ids if any(is_property(made.frame, [text], [c.name]) for text in said)]
        trials = [c for c in ids if share_of_pairs(made.frame, compared, [c.name]) > NEARLY]
        others = trials or crossed or [c for c in others if is_shared(made.frame, c, compared)]
    texts, numbers = ([c for c in others if (c.kind == "text") is kind] for kind in (True, False))
    numbers = [c for c in numbers if not among(c.name, "size") and balanced(made.frame, [*compared, c.name])]
    few = max((c.n_levels for c in texts), default=0) < _FEWEST_EXPERIMENTS
    texts = texts if compared or len(texts) > 1 else []  # one alone is compared
    others = [c for c in others if among(c.name, "identity")] or ([*texts, *numbers] if few else texts)
    if compared and not others:  # sizes, of which each stands once with each of those compared
        sizes = [c for c in made.free() if c.kind in NUMBERS and c.n_levels > 1 and not direction_of(c.name)[0]]
        sizes = [c for c in sizes if not among(c.name, "repeated step turn generic")]
        sizes = [c for c in sizes if not made.frame.duplicated([*compared, c.name]).any()]
        others = [c for c in sizes if share_of_pairs(made.frame, compared, [c.name]) > NEARLY]
    if others:
        most = max(others, key=lambda c: c.n_levels)
        made.take("over", most.name, f"most levels ({most.n_levels:,})")
        made.doubts.append(f"Are the levels of {most.name!r} the experiments? Nothing in its name says so.")


def _thing_compared(made: Guess) -> None:
    factors = [c for c in made.labels() if not is_property(made.frame, [c.name], made.roles.over)]
    texts = [c for c in factors if c.kind == "text" and not among(c.name, "repeated metric case group said predicted")]
    texts = [c for c in texts if not repeats(made.frame, c)]
    texts = sorted(texts, key=lambda c: [*WORDS["arm"], ""].index(among(c.name, "arm")))
    if found := column_compared(made, factors):
        made.take("alternatives", found[0].name, f"{found[1]!r} in its name")
        finer_alternatives(made)
    elif texts:
        over = made.names()[1]
        crossed = (c.name for c in texts if over and share_of_pairs(made.frame, over, [c.name]) > 1 / 2)
        name = next(crossed, texts[0].name)
        word = among(name, "arm")
        made.take("alternatives", name, f"{word!r} in its name" if word else "the first column of text")
        made.doubts.append(f"Are the levels of {name!r} compared?{'' if word else ' Nothing in its name says so.'}")


def _experiments_inside(made: Guess) -> None:
    """Take a text inside of the levels of the experiments, if with it, what is compared and factors all rows differ."""
    compared, over = made.names()
    if len(over) != 1 or not compared or not made.frame.duplicated(made.key()).any():
        return
    labels = made.labels()
    factors = {c.name for c in labels if c.n_levels <= MOST_FACTOR_LEVELS or among(c.name, "repeated")}
    for column in sorted(labels, key=lambda c: c.n_levels):
        name, others = column.name, [*compared, *sorted(factors - {column.name})]
        told = column.kind == "text" and not column.n_missing and not among(name, "compared repeated metric case")
        told = told and [made.frame.duplicated([one, *others]).any() for one in (*over, name)] == [True, False]
        if told and is_property(made.frame, over, [name]) and share_of_pairs(made.frame, compared, [name]) > 1 / 2:
            made.untake("over")
            made.take("over", name, f"with it all rows differ; its levels lie inside of those of {over[0]!r}")
            outer = f"the {made.frame[over[0]].nunique()} levels of {over[0]!r}"
            if made.frame[over[0]].nunique() >= FEWEST_CLUSTERS:
                made.take("cluster", over[0], f"levels of {name!r} nest in it")
                made.doubts.append(f"Each of {outer} counts as one experiment.")
            else:
                made.doubts.append(f"All levels of {name!r} are from {outer}, and those of one may be alike.")
            return


def _score(made: Guess) -> None:
    keys = [names for names in made.names() if names and made.frame.duplicated(names).any()]
    numbers = [c for c in made.free() if c.kind in (*NUMBERS, "numbers and text") and c.n_levels > 1]
    numbers = [c for c in numbers if may_be_score(c.name) and not made.is_index(c)]
    numbers = numbers or [c for c in made.free() if c.kind == "number" and among(c.name, "measure")]
    compared, over = made.names()
    settings = [*over, *(c.name for c in made.labels() if c.kind == "text")]
    if compared and over and share_of_pairs(made.frame, compared, settings) >= NEARLY:
        numbers = [c for c in numbers if not is_property(made.frame, [c.name], settings)] or numbers
    # what only says something of an experiment, a setting or an alternative, such as its size, is no score
    properties = {c for c in numbers for names in keys if is_property(made.frame, [c.name], names)}
    numbers = [c for c in numbers if c not in properties or among(c.name, "higher lower")]
    if not numbers:
        return
    at = {c.name: len(made.frame.loc[made.frame[c.name].notna(), over].drop_duplicates()) for c in numbers}
    few_levels = min(MOST_FACTOR_LEVELS, len(made.frame) / 10)  # of a factor, such as a temperature
    fractions = any(c.kind == "number" and not among(c.name, "cost speed") and c.n_levels > few_levels for c in numbers)
    stems = {c.name: frozenset(words_of(c.name)) - {*WORDS["training"], *WORDS["part"]} for c in made.columns}
    parts = {c.name: {*words_of(c.name)} & {*WORDS["training"], "test"} for c in made.columns}

    def stage(name: str) -> int:  # 3 of a training, as what has no part beside one of a test; 2 of a validation
        beside = set.union(*(parts[c] for c in stems if stems[c] == stems[name]))
        learnt = {"train", "training"} & (parts[name] or beside)
        learnt = parts[name] & learnt if parts[name] or learnt else beside
        return 0 if "test" in parts[name] else 3 if learnt else 2 * bool(parts[name])

    def unlikely(column: Column) -> tuple[bool, int, bool, int, int, int]:
        better, word = direction_of(column.name, made.frame[column.name])
        kind = 1 if word in WORDS["higher"] else 2 if word in WORDS["lower"] else 3 if better else 4
        place = WORDS["higher"].index(word) if kind == 1 else 0
        # recall alone, or precision, is highest for who says always yes, or hardly ever
        few = column.n_missing > len(made.frame) / 5 or word in _TRADED
        if not 0 < kind < 4 or among(column.name, "cost speed"):
            kind, place = 4, numbers.index(column) + len(numbers) * (not among(column.name, "generic"))
        if column.kind == "whole number":  # rather a count, or of few levels a factor
            kind, place = (max(kind, 5), 0) if fractions else (kind, place)
        levels = column.n_levels if balanced(made.frame, [*made.names()[0], column.name]) else len(made.frame)
        few = few or (kind > 3 and levels <= few_levels)
        some = kind > 3 or at[column.name] < NEARLY * max(at.values())  # not for all experiments
        return some, kind, few, stage(column.name), place, len(words_of(column.name))

    best = min(numbers, key=unlikely)
    word, kind = direction_of(best.name, made.frame[best.name])[1], unlikely(best)[1]
    made.take("target", best.name, f"numbers, {word!r} in its name" if word else "numbers")
    if stage(best.name) == 3:
        made.doubts.append(f"{best.name!r} seems to be of the training: scores of a test say more.")
    texts = [c.name for c in made.columns if c.kind == "text" and c.n_levels <= MOST_FACTOR_LEVELS]
    measures = [best.name, *(c.name for c in numbers if c.n_missing and c is not best)]
    if best.n_missing and (said := measured_in_parts(made.frame, texts, measures)):
        made.doubts.append(said)
        numbers = [best]  # all others were said
    others = [c for c in numbers if c is not best and (unlikely(c)[1] < 4 if kind < 4 else not unlikely(c)[2])]
    vague = [c for c in numbers if c is not best and kind == 3 and among(c.name, "generic")]
    vague += [c for c in others if kind < 4 and by_same_word(c.name, best.name) and stage(c.name) == stage(best.name)]
    traded = "cost speed" if word in ("gap", "violation") else "speed" * (word in _TRADED)
    vague += [c for c in numbers if c is not best and among(c.name, traded)]
    levels = {c.name: set(made.frame[c.name].dropna()) for c in numbers if 2 < c.n_levels <= MOST_FACTOR_LEVELS}
    grades = [c for c in numbers if c is not best and best.name in levels and levels.get(c.name) == levels[best.name]]
    vague += [c for c in grades if c not in vague]  # grades of one scale
    if among(best.name, "cost speed step") and (elsewhere := left_out(made)):
        made.untake("target")
        made.problem = (
            f"{best.name!r} says nothing of quality, and measures such as {listed(map(repr, elsewhere), 2)} are not "
            "in all files. Write one measure, or the ranks by each, to a column of the same name in all files."
        )
    elif others and kind < 4 and not vague:
        made.remarks.append(f"Other scores could be asked about: {listed([repr(c.name) for c in others], 4)}.")
    elif others or vague or among(best.name, "cost speed"):
        others = vague or others
        could = f"{listed([repr(c.name) for c in others], 4)} could be, too." if others else "Nothing else could be."
        kept = "It is a cost or a speed, and says nothing of quality. " if among(best.name, "cost speed") else ""
        kept = "Alone it says too little: more of it costs something else. " if word in _TRADED else kept
        made.doubts.append(f"Is {best.name!r} the score? {kept}{could}")
        made.rivals = [c.name for c in sorted(others, key=unlikely)]


def _until_rows_differ(made: Guess) -> None:
    """Add factors until no two rows are the same evaluation: seeds are averaged over, others make configurations."""
    while made.key() and (made.roles.wide or (made.roles.alternatives and made.roles.over)):
        rows = made.frame
        for column, level in made.fixed:
            rows = rows[rows[column].astype(object).fillna(NO_LEVEL).astype(str) == level]
        n_double = int(rows.duplicated(made.key()).sum())
        scores = [c.name for c in made.free() if c.kind in NUMBERS] if made.roles.wide else made.roles.directions()
        if not n_double or ROW in made.roles.average:
            few_experiments(made, rows)
            return
        free = {c.name for c in made.free()}
        usable = made.columns if rows is made.frame else describe_columns(rows)
        usable = [c for c in usable if c.name in free and may_be_factor(made, c, rows)]
        left = {c.name: int(rows.duplicated([*made.key(), c.name]).sum()) for c in usable}
        if 0 not in left.values() and take_empty_cells(made, rows):
            continue
        helpful = [c for c in usable if left[c.name] < n_double]
        if not helpful:
            others = [c for c in made.free() if c.kind in ("text", "date", "whole number") and c.name not in left]
            left = {c.name: int(rows.duplicated([*made.key(), c.name]).sum()) for c in others}
            versions = [c.name for c in others if c.kind == "text" and c.n_levels < len(rows) and not c.n_missing]
            versions = [name for name in versions if not among(name, "address repeated group")]
            version = min(versions, key=lambda name: left[name], default="")
            if made.roles.wide and made.roles.alternatives and version and left[version] < n_double / 10:
                made.take("alternatives", version, "without it rows repeat an evaluation")
                made.doubts.append(f"Are {listed(map(repr, made.names()[0]))} together what is compared?")
                continue
            telling = [repr(name) for name in left if not left[name]]
            told = f"only {listed(telling, 3)} would tell" if telling else "no column tells"
            made.take("average", ROW, f"{told} {n_double:,} rows from others")
            alike = n_double - int(rows.drop_duplicates([*made.key(), *scores]).duplicated(made.key()).sum())
            same = "with the same scores" if alike == n_double else f"{alike:,} of them with the same scores"
            made.doubts.append(f"{n_double:,} rows repeat an evaluation of another row, {same}: are they repetitions?")
            settings = [c.name for c in others if c.kind == "text" and left[c.name] < n_double / 2 and not telling]
            for name in settings[:1] if made.names()[0] else ():
                who = [*made.names()[0], name] if rows[name].isna().any() else [name]  # only some have variants
                made.doubts.append(
                    f"{name!r} has many levels for each of {listed(made.names()[0])}, perhaps settings: choose one for "
                    f"each before, or compare them with --alternatives {' --alternatives '.join(who)}; the mean over "
                    "settings is of none of them."
                )
            return
        if any(c.kind == "text" and not left[c.name] for c in helpful):
            helpful = [c for c in helpful if c.kind != "whole number" or among(c.name, "repeated")]
        whole = {c.name for c in helpful if not left[c.name] and share_of_pairs(rows, made.key(), [c.name]) == 1}
        helpful = [c for c in helpful if not whole or c.name in whole]  # crossed with all, and nothing else is needed
        first = {c.name for c in helpful if repeats(rows, c) or among(c.name, "metric")}
        first -= {c.name for c in helpful if c.n_levels > len(rows) / 2}  # each row has its own: tells all apart
        best = min(helpful, key=lambda c: (c.name not in first, left[c.name], c.n_levels))
        _take_factor(made, best, rows)


def _take_factor(made: Guess, column: Column, rows: pd.DataFrame) -> None:
    """Give a role to a column without which rows repeat an evaluation."""
    name, word, (wide, compared, over) = column.name, repeats(rows, column), (made.roles.wide, *made.names())
    few = bool(over) and len(rows[over].drop_duplicates()) < _FEWEST_EXPERIMENTS
    levels, share = rows[name].astype(str), share_of_pairs(rows, compared, [name]) if compared else 1
    uneven = bool(compared) and share <= 1 / 2 and not wide
    most = NEARLY if name == SECTION else 1 if wide and compared and not among(name, "compared") else 1 / 2
    level, lost, alone = level_of_most(made, rows, name) if uneven or among(name, "metric") else ("", [], False)
    if level and uneven and not lost and not word:
        made.take("fixed", f"{name}={level}", f"a level of {name!r} that all have that are compared")
        made.doubts.append(f"Only {name}={level} is taken: at other levels some of {listed(compared)} have no scores.")
    elif level and not alone and not uneven:
        made.take("fixed", f"{name}={level}", f"one at a time of {listed(levels.unique())}")
        made.doubts.append(f"For several metrics at once, write each to a column (pandas: pivot_table over {name!r}).")
        made.doubts += [f"With {name}={level} nothing is left of {listed(lost)}."] if lost else []
    elif word and "test" in levels.array:
        made.take("fixed", f"{name}=test", f"there are {listed(levels.unique())}")
        made.doubts.append(f"Only the rows in which {name!r} is 'test' are taken.")
    elif word := word or (among(name, "judge prompt") if share > 1 / 2 else ""):
        made.take("average", name, f"{word!r} in its name; it tells repetitions apart")
        inner = [c for c in made.labels() if c.n_levels <= MOST_FACTOR_LEVELS and not (wide or repeats(rows, c))]
        told = [c.name for c in inner if balanced(rows, [*over, c.name]) and is_property(rows, [c.name], [*over, name])]
        for c in [c for c in told if not any(is_property(rows, [c], keys) for keys in (over, compared))][:1]:
            made.take("over", c, f"each level of {name!r} has one of its levels")
            made.doubts.append(f"Is each pair of levels of {listed([*over, c])} an experiment?")
    elif column.kind == "whole number" and among(name, "step") and (last := last_of_all(rows, made.key(), name)):
        made.take("fixed", f"{name}={last}", "the last step of all runs")
        made.doubts.append(f"Only {name}={last} is taken, the last one that all runs have. Is it so?")
    elif (case := among(name, "case")) or numbered(rows[name]):
        counts = f"its levels count {levels.iloc[levels.str.len().argmin()]} and on"
        made.take("average", name, f"{case!r} in its name, inside of the experiments" if case else counts)
        made.doubts.append(f"The mean over {name!r} is taken. Are its levels repetitions?")
    elif over and not wide and (rows.groupby(over)[name].nunique() == 1).mean() >= NEARLY:
        made.take("over", name, f"nearly all levels of {listed(over)} lie inside of one of its levels")
    elif alone or share <= most:
        why = "" if share > 1 / 2 else ", and most of its levels are of one alternative only"
        made.take("alternatives", name, f"with it rows differ{why}")
        made.doubts += [] if wide else [f"Are {listed(map(repr, [*compared, name]))} together what is compared?"]
    elif not wide and column.kind == "text" and (few or (among(name, "task") and not among(over[0], "case identity"))):
        made.take("over", name, f"there are few levels of {listed(over)}" if few else "its name says so, too")
        made.doubts.append(f"Each pair of levels of {listed([*over, name])} is an experiment. Is {name!r} compared?")
    else:
        made.take("design", name, "without it rows repeat an evaluation")
        made.doubts.append(f"Each level of {name!r} is answered on its own. Is it compared, averaged over, held?")
