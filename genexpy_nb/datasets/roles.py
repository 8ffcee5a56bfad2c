"""What each column of a table may be for: a guess with reasons, and whether it is sure.

A guess rests on names ("dataset", "seed", "accuracy") and on which columns it takes to tell rows apart. What could as
well be otherwise is a doubt; a guess is sure only without one, and a direction only if a word of the score has it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, TypeVar

import pandas as pd

from genexpy_nb.common.checks import as_list, listed
from genexpy_nb.common.files import noted
from genexpy_nb.datasets import votes
from genexpy_nb.datasets.describing import (
    FEW_CELLS,
    FEWEST_EXPERIMENTS,
    NUMBERS,
    Column,
    Guess,
    TableRoles,
    beside,
    named,
    of_metrics,
    repeats,
    until_rows_differ,
)
from genexpy_nb.datasets.forms import columns_of_folds, direct, matrix, scores_of_matrix, what_is_missing
from genexpy_nb.datasets.texttables import text_among_numbers
from genexpy_nb.datasets.words import (
    MEASURE,
    MOST_FACTOR_LEVELS,
    NEARLY,
    OF_FILES,
    SECTION,
    SETTINGS,
    TRADED,
    WORDS,
    among,
    balanced,
    begun_alike,
    by_same_word,
    codes_apart,
    common_start,
    costs,
    direction_of,
    estimate_of,
    evenly,
    is_count,
    is_property,
    may_be_score,
    means_of_some,
    measured_in_parts,
    odd_levels,
    parted,
    share_of_pairs,
    sums_up,
    tuned,
    words_of,
)

FEWEST_CLUSTERS = 5
SUMMARY, PRACTICE = "its name says that it sums up others", "called as practice"
_MOST_ALIKE = 50  # of so many scores one at least should differ from the others
_FEW_TASKS = 10  # up to so many have items inside, and these are the experiments
_ASKED = re.compile(r"same name were|of the others$|\?$")
_PRACTICE = re.compile(r"(?i)practi[cs]e|training|warm.?up|entra[iî]nement|übung")
_CONTROL = re.compile(r"(?i)(?:bad[ _-]?)?ref(?:erence)?|repeat|control|calibration|check|filler|catch|anchor")
_REFERENCE = re.compile(
    r"(?i)(?:(?:most )?frequent|majority|random|chance|humans?|experts?|oracle|(?:hidden )?ref(?:erence)?|anchor"
    r"|perfect|gold|ground[ _-]?truth|ideal|upper[ _-]?bound)(?:[ _-](?:choice|guess(?:ing)?|class|level|policy|agent"
    r"|baseline|performance|experts?|standard|score|frequent|average)){0,2}(?:\.\d| ?\([^()]{1,20}\))?"
)
_CHANCE = re.compile(r"(?i)=(?:(?:most )?frequent|majority|random|chance)")
_Roles = TypeVar("_Roles", bound=TableRoles)


def guess_roles(frame: pd.DataFrame, given: _Roles) -> Guess[_Roles]:
    """Return what the columns of a table may be for; what was given already stays."""
    taken = (*given.alternatives, *given.over, *given.design, *given.average)
    for name in [name for name in frame.select_dtypes("str") if name not in taken]:
        levels = frame[name].dropna().unique()
        if level := estimate_of([*map(str, levels)] if len(levels) < MOST_FACTOR_LEVELS else ()):
            rows = frame[frame[name] == level]
            rows.attrs = frame.attrs
            made = guess_roles(rows, replace(given, fixed=(*given.fixed, f"{name}={level}")))
            others = listed([repr(n) for n in levels if n != level], 4)
            made.reasons.append(("fixed", f"{name}={level}", f"others, as {others}, say how sure it is"))
            return made
    made = _guess(frame, given)
    if made.problem or "roles" in made.attrs or not (name := _unfit(made, given)):
        return made
    empty = made.frame[name].isna()
    if name not in made.roles.alternatives and not (other := guess_roles(frame.drop(columns=name), given)).problem:
        why = f"is empty in {empty.sum():,} rows" if empty.any() else "has one level in the rows that are taken"
        other.doubts.append(f"{name!r} {why}, and has no role. Does it tell what is compared, or experiments?")
        return other
    for c in (c for c in made.columns if empty.any() and c.n_levels <= MOST_FACTOR_LEVELS):
        inside = made.frame.loc[~empty, c.name].unique()
        if len(inside) == 1 and not made.frame.loc[empty, c.name].isin(inside).any():
            made.take("fixed", f"{c.name}={inside[0]}", f"{name!r} is empty in all other rows")
            made.doubts.append(f"{empty.sum():,} rows are left out, in which {name!r} is empty. Is it meant?")
            break
    return made


def _unfit(made: Guess, given: TableRoles) -> str:
    """Return a column of which a study needs a level of each row, or several, and which has not; or an empty text."""
    asked, rows = (*given.alternatives, *given.over, *given.design), made.rows
    names = [name for name in (*made.roles.alternatives[:1], *made.roles.over, *made.roles.design) if name in rows]
    single = [name for name in made.roles.over if name in rows and rows[name].nunique() < 2]
    return next((n for n in names if n not in asked and (n in single or rows[n].hasnans)), "")


def _guess(frame: pd.DataFrame, given: _Roles) -> Guess[_Roles]:
    """Return what the columns may be for, by names and by what it takes to tell rows apart."""
    made = Guess(frame, given)
    asked = given.alternatives or given.target or given.over or given.wide
    if "roles" in made.attrs and not asked:
        _by_format(made)
        made.doubts += filter(_ASKED.search, made.notes)
        return made
    if not asked:
        found = votes.votes_of(made.frame, made.columns)
        made.problem = found.in_python() if found else votes.predictions_not_scored(made.columns)
    if made.problem:
        return made
    scores = [] if given.target or (given.alternatives and given.over) else scores_of_matrix(made)
    if given.wide or scores:
        made.roles = replace(given, wide=True)
        matrix(made, scores)
        beside = [name for name in made.roles.without if name in made.frame and among(name, "average")]
        taken = [c.name for c in made.free() if c in scores]
        made.doubts += means_of_some(made.numbers(taken), made.numbers(beside))
        if not given.wide and sum(c.kind in (*NUMBERS, "numbers and text") for c in made.free()) < 2:
            _rows(made := Guess(frame, given))  # too few are left without another role
    elif asked or not columns_of_folds(made):
        _rows(made)
    _groups(made)
    for names in made.names():
        made.doubts += [doubt for name in names for doubt in odd_levels(made.frame, name)]
    for name in made.names()[1]:
        made.doubts += begun_alike([*map(str, made.frame[name].dropna().unique())])
    for name in [name for name in made.key() if OF_FILES.fullmatch(name) and name not in made.roles.design]:
        if of_metrics(made.frame, name):
            said = f"{name!r} seems to name measures, such as {listed(map(repr, made.frame[name].unique()), 2)}"
            made.doubts.insert(0, f"{said}: take one at a time (--fix), or each on its own (--design {name!r}).")
    _rows_aside(made)
    made.doubts += filter(_ASKED.search, made.notes)
    known = {c.name for c in made.free()} if made.roles.wide else {*made.roles.directions()}
    kept = [c for c in made.columns if c.name in known]
    made.doubts += codes_apart(made.frame[[c.name for c in kept if c.kind in NUMBERS]])
    made.problem = text_among_numbers(made.frame, [c.name for c in kept if "and text" in c.kind]) or made.problem
    return made


def _rows_aside(made: Guess) -> None:
    """Leave rows out that are called as summaries of others, or as practice; name those that may be a reference."""
    compared, over = made.names()
    few = [c.name for c in made.columns if c.kind == "text" and c.n_levels <= MOST_FACTOR_LEVELS]
    kinds = dict.fromkeys(few, PRACTICE) | dict.fromkeys((*compared, *over), SUMMARY)
    for name, why in kinds.items():
        levels = [] if name in dict(made.fixed) else [*made.frame[name].dropna().astype(str).unique()]
        start = len(common_start(levels)) * (name in over)  # "run_average" beside "run_1"
        aside = [t for t in levels if _PRACTICE.fullmatch(t) or (why == SUMMARY and (sums_up(t) or sums_up(t[start:])))]
        for level in aside if name not in compared and len(aside) < len(levels) else ():  # "average" is a linkage
            made.take("without", f"{name}={level}", why)
        seem = "to be practice" if why == PRACTICE else "to sum up others"
        for text in aside[:1]:
            option = f": if so, pass --without {f'{name}={text}'!r}." if name in compared else ". Is it so?"
            made.doubts.append(f"Rows in which {name!r} is {listed(map(repr, aside), 3)} seem {seem}{option}")
    if known := _references(made.frame, made.columns, compared):
        who = listed([text.partition("=")[2] for text in known], 6)
        said = f"{who} may be there for reference only: if so, pass --without {' --without '.join(map(repr, known))}."
        made.references = known if any(not _CHANCE.search(text) for text in known) else []  # which may be the best
        (made.doubts if made.references else made.remarks).append(said)


def _references(frame: pd.DataFrame, columns: Sequence[Column], compared: Sequence[str]) -> list[str]:
    """Return the rows, as COLUMN=LEVEL, of what may be there for reference only, by its name or a column of kinds."""
    kinds = [c.name for c in columns if c.kind == "text" and c.name not in compared and c.n_levels < MOST_FACTOR_LEVELS]
    kinds = [n for n in kinds if is_property(frame, [n], compared) and not OF_FILES.fullmatch(n)]  # few are "human"
    found = dict[str, None]()
    for name in (*compared, *(kinds if len(compared) == 1 else ())):
        known = frame[name].map(lambda level: bool(_REFERENCE.fullmatch(str(level))))
        who, most = (compared[0], len(frame) / 4) if name in kinds else (name, len(frame) / 2)
        levels = frame.loc[known, who].dropna().unique() if known.sum() < most else ()
        found |= dict.fromkeys(f"{who}={level}" for level in levels)
    return [*found]


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


# --- a row per evaluation ---------------------------------------------------------------------------------------------


def _rows(made: Guess) -> None:
    """Guess roles for a table with a row per evaluation."""
    asked = bool(made.roles.over)
    for c in () if made.roles.fixed else [c for c in made.labels() if c.kind == "text" and 1 < c.n_levels <= 6]:
        levels = [*map(str, made.frame[c.name].dropna().value_counts().index)]
        if among(levels[0], "compared") and all(map(_CONTROL.fullmatch, levels[1:])):
            made.take("fixed", f"{c.name}={levels[0]}", "its other levels are called as controls")
            made.doubts.append(f"Rows are left out in which {c.name!r} is {listed(map(repr, levels[1:]))}. Is it so?")
    for c in [c for c in made.labels() if SECTION in made.frame and among(c.name, "opponent") and c.kind == "text"][:1]:
        if not (asked or made.roles.alternatives):
            asked = True
            made.take("alternatives", SECTION, f"a heading stands above those that it met as {c.name!r}")
            made.take("over", c.name, "who was met in each section")
            made.doubts.append(f"Is who stands in a heading compared by its results against each {c.name!r}?")
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
    units = [c for c in made.free() if c.kind == "text" and 1 < c.n_levels <= MOST_FACTOR_LEVELS]
    right = [c.name for c in made.columns if c.kind == "truth value" and c.name in made.roles.target]
    if unit := None if right else named(units, "unit"):
        level = made.frame[unit[0].name].value_counts().index[0]
        made.take("fixed", f"{unit[0].name}={level}", "one unit at a time")
        made.doubts.append(f"Scores are in several units, and only those in {level} are taken: others may be turned.")
    until_rows_differ(made)
    what_is_missing(made)
    directions = made.roles.directions()
    if len(directions) == 1 and not any(directions.values()):
        (target,) = directions
        metric = next((level for column, level in made.fixed if of_metrics(made.frame, column)), "")
        metric = "" if direction_of(target)[0] else metric  # "value" and "score" say nothing
        where = f"the {'metric' if metric else 'target'}'s name"
        values = None if metric else made.frame.get(target)
        direct(made, metric or target, values, where, f"Nothing in {metric or target!r}")


def _experiments(made: Guess) -> None:
    factors = [c for c in made.labels() if "://" not in c.examples[0]]  # an address says where scores are from
    factors = [c for c in factors if c.kind == "text" or not (among(c.name, "step turn") or is_count(c.name))]
    compared = made.names()[0] or [c.name for c, _ in filter(None, [_column_compared(made, factors)])]
    # what one of those compared has alone is no experiment, nor is a kind of them
    shared = [c for c in factors if not compared or not is_property(made.frame, compared, [c.name])]
    factors = [c for c in factors if not of_metrics(made.frame, c.name)]
    never = f"compared {'' if compared else 'name arm'} repeated metric judge said"
    others = [c for c in shared if not c.n_missing and (_is_item(c) or not among(c.name, never))]
    others = [c for c in others if c.kind in ("text", "whole number") and c.n_levels <= len(made.frame) / 2]
    others = [c for c in others if not repeats(made.frame, c) or _is_item(c)]
    shared = [c for c in shared if not re.search(r"(?i)[\W_](?:type|style)$", c.name)] or shared
    own = [c for c in shared if compared and is_property(made.frame, [c.name], compared)]  # of what is compared
    found = named([c for c in shared if c not in own and c.kind != "truth value"], "task case") or ()
    crossed = [c for c in others if compared and share_of_pairs(made.frame, compared, [c.name]) > NEARLY]
    items = [c for c in crossed if among(c.name, "case identity") and c.n_levels > _FEW_TASKS]
    items = [c for c in items if c.kind == "text" or not c.name.lower().endswith("s")]  # "items": how many there are
    if found:  # what lies inside of few tasks, or is so many that it is no setting
        inside = [c for c in items if is_property(made.frame, [found[0].name], [c.name])]
        items = inside or [c for c in items if among(c.name, "case") or c.n_levels > MOST_FACTOR_LEVELS]
        items = items if found[0].n_levels <= _FEW_TASKS else []
        finer = [c for c in others if among(c.name, "case identity") and c.n_levels > found[0].n_levels]
        finer = [c for c in finer if is_property(made.frame, [found[0].name], [c.name])]
        finer = [c for c in finer if evenly(made.frame, [c.name])]
        items = items or (finer if found[1] in WORDS["case"] else [])  # of which some have the same "question"
    if items:
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
        alone = [c for c in factors if c.kind == "text" and among(c.name, "compared") and c.name not in compared]
        alone = [c for c in alone if c.n_levels == len(made.frame)]  # of each team a row: all else says more of it
        told = [c for c in others if not (alone or is_property(made.frame, [c.name], compared))]
        many = [c for c in told if share_of_pairs(made.frame, compared, [c.name]) > FEW_CELLS]
        files = [c for c in told if OF_FILES.fullmatch(c.name) and 2 * c.n_levels <= len(made.frame)]
        nearly = [c for c in told if c.kind == "text" and share_of_pairs(made.frame, compared, [c.name]) > 0.8]
        crossed = nearly if nearly and all(OF_FILES.fullmatch(c.name) for c in crossed) else crossed  # files of groups
        others = trials or crossed or many or files * (len(told) == 1)
    texts, numbers = ([c for c in others if (c.kind == "text") is kind] for kind in (True, False))
    numbers = [c for c in numbers if not among(c.name, "size") and balanced(made.frame, [*compared, c.name])]
    few = max((c.n_levels for c in texts), default=0) < FEWEST_EXPERIMENTS
    texts = texts if compared or len(texts) > 1 else []  # one alone is compared
    others = [c for c in others if among(c.name, "identity")] or ([*texts, *numbers] if few else texts)
    if compared and not others:  # sizes, of which each stands once with each of those compared
        sizes = [c for c in made.free() if c.kind in NUMBERS and c.n_levels > 1 and not direction_of(c.name)[0]]
        sizes = [c for c in sizes if not among(c.name, "repeated step turn generic")]
        again = [c.name for c in factors if repeats(made.frame, c)]
        sizes = [c for c in sizes if not made.frame.duplicated([*compared, *again, c.name]).any()]
        enough = 1 / 2 if again else NEARLY
        others = [c for c in sizes if share_of_pairs(made.frame, compared, [c.name]) > enough]
        codes = [c for c in others if c.kind == "whole number" and evenly(made.frame, [*compared, c.name])]
        others = [c for c in others if not among(c.name, "measure")] or codes
    if others:
        most = max(others, key=lambda c: c.n_levels)
        samples = [c for c in shared if c.kind == "text" and "sample" in words_of(c.name)]
        samples = [c for c in samples if compared and share_of_pairs(made.frame, compared, [c.name]) > 1 / 2]
        if most.n_levels <= _FEW_TASKS and samples and samples[0].n_levels > most.n_levels:
            most = samples[0]  # rather than ranks of a taxonomy
        made.take("over", most.name, f"most levels ({most.n_levels:,})")
        made.doubts.append(f"Are the levels of {most.name!r} the experiments? Nothing in its name says so.")


def _is_item(column: Column) -> bool:
    """Say whether a column is called "sample_id", of which there are more than of repetitions."""
    return {"sample", "id"} <= {*words_of(column.name)} and column.n_levels > MOST_FACTOR_LEVELS


def _thing_compared(made: Guess) -> None:
    factors = [c for c in made.labels() if not is_property(made.frame, [c.name], made.roles.over)]
    texts = [c for c in factors if c.kind == "text" and c.name not in (SETTINGS, MEASURE)]
    texts = [c for c in texts if not among(c.name, "repeated metric case group said predicted verdict")]
    texts = [c for c in texts if not repeats(made.frame, c)]
    texts = sorted(texts, key=lambda c: [*WORDS["arm"], ""].index(among(c.name, "arm")))
    if found := _column_compared(made, factors):
        made.take("alternatives", found[0].name, f"{found[1]!r} in its name")
        _finer_alternatives(made)
        _coarser_alternatives(made)
    elif not _take_design(made) and texts:
        over = made.names()[1]
        crossed = (c.name for c in texts if over and share_of_pairs(made.frame, over, [c.name]) > 1 / 2)
        name = next(crossed, texts[0].name)
        word = among(name, "arm")
        made.take("alternatives", name, f"{word!r} in its name" if word else "the first column of text")
        made.doubts.append(f"Are the levels of {name!r} compared?{'' if word else ' Nothing in its name says so.'}")


def _take_design(made: Guess) -> bool:
    """Take the settings that are crossed with each other and with all else as compared, over what is not crossed."""
    over, compared = made.names()[1], []
    labels = [c for c in made.labels() if c.n_levels <= MOST_FACTOR_LEVELS]
    names = [*over, *(c.name for c in labels if c.name not in over)]
    for c in labels if over and not made.frame.duplicated(names).any() else ():
        others = made.frame[[name for name in names if name != c.name]].drop_duplicates()
        crossed = len(made.frame) == c.n_levels * len(others) and not c.n_missing
        if crossed and not (among(c.name, "task case metric judge") or repeats(made.frame, c)):
            compared.append(c.name)
    rest = [c.name for c in labels if c.name not in (*compared, *over) and not repeats(made.frame, c)]
    if len(compared) < 2 or any(of_metrics(made.frame, name) for name in rest):
        return False
    for name in compared:
        made.take("alternatives", name, "its levels and those of all others are all combinations")
    for name in rest:
        role = "average" if made.frame[name].hasnans else "over"
        made.take(role, name, "it is crossed with all that is compared")
    made.doubts.append(f"Are {listed(map(repr, compared))} together what is compared, over {listed(made.names()[1])}?")
    return True


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
    compared, over = made.names()
    set_so = tuned([c.name for c in made.columns])
    numbers = [c for c in made.free() if c.kind in (*NUMBERS, "numbers and text") and c.n_levels > 1]
    numbers = [c for c in numbers if may_be_score(c.name) and not (c.name in set_so or made.is_index(c))]
    spread = [c for c in numbers for o in numbers if c.name in [f"{o.name}{mark}Error" for mark in ("", "_", " ")]]
    voted = any(c.kind == "text" and c.n_levels <= MOST_FACTOR_LEVELS and among(c.name, "verdict") for c in made.free())
    codes = [c for c in numbers if c.kind == "truth value" and not among(c.name, "higher lower generic judge counted")]
    codes = [c for c in codes if not any(beside(c, o.name) for o in numbers if o not in codes)]
    numbers = [c for c in numbers if c not in spread and c not in codes]
    measured = [c for c in made.free() if c.kind == "number" and among(c.name, "measure")]
    kinds = (numbers, [] if voted else codes, measured)
    numbers = next(filter(None, (votes.that_came_out(made, n) for n in kinds)), [])
    numbers = [*(ended := votes.that_all_have(made, numbers, codes)), *numbers]
    bounds = [c for c in numbers if "lb" in words_of(c.name) or {"lower", "bound"} <= {*words_of(c.name)}]
    numbers = numbers if all(c in bounds or costs(c.name) for c in numbers) else [c for c in numbers if c not in bounds]
    mixed = [c for c in numbers if "and text" in c.kind and not (direction_of(c.name)[0] or among(c.name, "generic"))]
    if mixed and any(c.kind in NUMBERS and direction_of(c.name)[0] for c in numbers):
        numbers = [c for c in numbers if c not in mixed]
        made.remarks += [f"{c.name!r} was set aside: it holds texts such as {c.examples[0]!r}." for c in mixed]
    if not numbers:
        return
    at = {c.name: len(made.frame.loc[made.frame[c.name].notna(), over].drop_duplicates()) for c in numbers}
    few_levels = min(MOST_FACTOR_LEVELS, len(made.frame) / 10)  # of a factor, such as a temperature
    fractions = any(c.kind == "number" and not costs(c.name) and c.n_levels > few_levels for c in numbers)
    fractions |= any(c.kind == "truth value" and among(c.name, "higher") for c in numbers)  # beside which others count
    stems = {c.name: frozenset(words_of(parted(c.name))) - {*WORDS["training"], *WORDS["part"]} for c in made.columns}
    parts = {c.name: {*words_of(c.name)} & {*WORDS["training"], "test"} for c in made.columns}

    def stage(name: str) -> int:  # 3 of a training, as what has no part beside one of a test; 2 of a validation
        beside = set.union(*(parts[c] for c in stems if stems[c] == stems[name]))
        learnt = {"train", "training"} & (parts[name] or beside)
        learnt = parts[name] & learnt if parts[name] or learnt else beside
        return 0 if "test" in parts[name] else 3 if learnt else 2 * bool(parts[name])

    beside_metrics = any(of_metrics(made.frame, c.name) for c in made.columns if c.kind == "text")
    most = Counter[tuple[str, int]]()  # levels of what is called by one word
    for c in numbers:
        key = direction_of(c.name)[1], stage(c.name)
        most[key] = max(most[key], c.n_levels)

    def unlikely(column: Column) -> tuple[bool, int, bool, bool, int, int, int]:
        better, word = direction_of(column.name, made.frame[column.name])
        kind = 1 if word in WORDS["higher"] else 2 if word in WORDS["lower"] else 3 if better else 4
        place = WORDS["higher"].index(word) if kind == 1 else 0
        cost = costs(column.name)
        # recall alone, or precision, is highest for who says always yes, or hardly ever
        few = column.n_missing > len(made.frame) / 5 or word in TRADED
        if not 0 < kind < 4 or cost:
            kind, place = 4, numbers.index(column) + len(numbers) * ((not among(column.name, "generic")) + 2 * cost)
        if column.kind == "whole number":  # rather a count, or of few levels a factor
            kind, place = (max(kind, 5), 0) if fractions else (kind, place)
        levels = column.n_levels if balanced(made.frame, [*made.names()[0], column.name]) else len(made.frame)
        few = few or (kind > 3 and levels <= few_levels)
        if beside_metrics and column.name.lower() in ("result", "value"):
            kind, place = 3, 0
        some = kind > 3 or at[column.name] < NEARLY * max(at.values())  # not for all experiments
        # a reference, such as an expert's return, is the same for nearly all
        same = bool(word) and column.kind == "number" and column.n_levels < most[word, stage(column.name)] / 2
        return some, kind, few, same, stage(column.name), place, len(words_of(column.name))

    def behind(column: Column) -> tuple[Any, ...]:
        return costs(column.name), unlikely(column)

    best = votes.overall(made, ended[0] if ended else min(numbers, key=unlikely), numbers)
    same = [c for c in numbers if c is not best and made.frame[c.name].equals(made.frame[best.name])]
    numbers = [c for c in numbers if c not in same]
    made.remarks += [f"{listed([repr(c.name) for c in same])} and {best.name!r} hold the same numbers."] if same else []
    made.failed = votes.runs_that_failed(made.frame, [c for c in made.free() if c is not best])
    if made.failed and direction_of(best.name)[1] in ("gap", "violation"):  # which say how well a run has ended
        best = next((c for c in numbers if among(c.name, "cost")), best)
    word, kind = direction_of(best.name, made.frame[best.name])[1], unlikely(best)[1]
    made.take("target", best.name, f"numbers, {word!r} in its name" if word else "numbers")
    if made.failed and direction_of(best.name, made.frame[best.name])[0] != "higher":
        column = made.failed[0].partition("=")[0]
        rows = (f"{column}=" + made.frame[column].astype(str)).isin(made.failed)
        n, said = made.frame.loc[rows, best.name].count(), listed(map(repr, made.failed), 4)
        made.doubts += [f"{n:,} runs with {said} have a {best.name!r}, too. Is it one of a run that failed?"] * bool(n)
    if best.kind == "truth value" and word in ("agreement", "match"):
        made.doubts.append(f"Is {best.name!r} a score? It may only say that two raters agree, or that names match.")
    if stage(best.name) == 3:
        made.doubts.append(f"{best.name!r} seems to be of the training: scores of a test say more.")
    shares = made.frame[best.name].value_counts(normalize=True)
    if len(made.frame) > _MOST_ALIKE and shares.iloc[0] > 1 - 1 / _MOST_ALIKE:
        made.doubts.append(f"{best.name!r} is {shares.index[0]} in nearly all rows: is it the score?")
    texts = [c.name for c in made.columns if c.kind == "text" and c.n_levels <= MOST_FACTOR_LEVELS]
    measures = [best.name, *(c.name for c in numbers if c.n_missing and c is not best)]
    if best.n_missing and (said := measured_in_parts(made.frame, texts, measures)):
        made.doubts.append(said)
        numbers = [best]  # all others were said
    others = [c for c in numbers if c is not best and (unlikely(c)[1] < 4 if kind < 4 else not unlikely(c)[2])]
    vague = [c for c in numbers if c is not best and kind == 3 and among(c.name, "generic")]
    vague += [c for c in others if kind < 4 and by_same_word(c.name, best.name) and stage(c.name) == stage(best.name)]
    traded = "cost speed" if word in ("gap", "violation") else "speed" * (word in TRADED)
    vague += [c for c in numbers if c is not best and among(c.name, traded)]
    alike = [c for c in numbers if stems[c.name] == stems[best.name] and not parts[c.name] and parts[best.name]]
    vague += alike if "test" not in parts[best.name] else []  # of the test, or of the training
    levels = {c.name: set(made.frame[c.name].dropna()) for c in numbers if 2 < c.n_levels <= MOST_FACTOR_LEVELS}
    grades = [c for c in numbers if c is not best and best.name in levels and levels.get(c.name) == levels[best.name]]
    vague += [c for c in grades if c not in vague]  # grades of one scale
    right = [c for c in numbers if c is not best and c.n_levels == 2 and {*made.frame[c.name].dropna()} == {0, 1}]
    vague += [c for c in right if (kind > 3 or beside(c, best.name)) and c not in vague]  # or wrong
    elsewhere = [*chain(*noted(made.notes, "not_in_all"))] if among(best.name, "cost speed step") else []
    elsewhere = [name for name in elsewhere if direction_of(name)[0] and not among(name, "cost speed")]
    if MEASURE in made.frame and compared and is_property(made.frame, [MEASURE], compared):
        elsewhere = [*made.frame[MEASURE].unique()]  # nobody has two of them
    words = Counter(re.sub(r"\d+", "1", c.name) for c in made.columns if c.kind == "text" and c.n_levels < 4)
    battery = [name for name, n in words.items() if n > 2 and re.search(r"\d", name)]
    if battery and among(best.name, "cost") and not elsewhere:
        made.problem = f"{best.name!r} says nothing of quality, and columns such as {battery[0]!r} hold words: write a "
        made.problem += "number for each answer, such as 1 if it is right, or their mean, to a column."
    elif elsewhere:
        made.untake("target")
        alone = f"{best.name!r} says nothing of quality"
        alone = "Each that is compared has one measure only" if MEASURE in made.frame else alone
        made.problem = (
            f"{alone}, and measures such as {listed(map(repr, elsewhere), 2)} are not "
            "in all files. Write one measure, or the ranks by each, to a column of the same name in all files."
        )
    elif others and kind < 4 and not vague:
        made.remarks.append(f"Other scores could be asked about: {listed([repr(c.name) for c in others], 4)}.")
        made.rivals = [c.name for c in sorted(others, key=behind)]
    elif others or vague or costs(best.name) or (kind > 3 and best.kind == "truth value"):
        others = vague or others
        could = f"{listed([repr(c.name) for c in others], 4)} could be, too." if others else "Nothing else could be."
        kept = "It is a cost or a speed, and says nothing of quality. " if costs(best.name) else ""
        kept = "Alone it says too little: more of it costs something else. " if word in TRADED else kept
        made.doubts.append(f"Is {best.name!r} the score? {kept}{could}")
        made.rivals = [c.name for c in sorted(others, key=behind)]


def _column_compared(made: Guess, factors: Sequence[Column]) -> tuple[Column, str] | None:
    """Return the column called as what is compared is; one that each row has its own level of comes last."""
    factors = [c for c in factors if c.n_missing <= len(made.frame) / 2]
    several = [c for c in factors if c.n_levels <= len(made.frame) / 2]
    several = several if named(several, "compared") or not named(factors, "compared") else factors  # rather than a name
    found = named(several, "compared name")
    found = found or named([c for c in factors if not among(c.name, "repeated")], "compared name")
    if not found or (found[1] == "name" and among(found[0].name, "task")):  # "env_name" names no method
        return None
    coarse = found[0]
    for c in (c for c in several if c.n_levels > coarse.n_levels):  # a "model" of a "framework"
        word = among(re.split(r"[\W_]+", c.name)[-1], "compared")
        if word and is_property(made.frame, [coarse.name], [c.name]):
            return c, word
    return found


def _finer_alternatives(made: Guess) -> None:
    """Take another column called alike, if levels of the first are made of its levels, and it tells all rows apart."""
    before, over = made.roles.alternatives, list(made.roles.over)
    for column in made.labels() if over and made.frame.duplicated(made.key()).any() else ():
        told = among(column.name, "compared name") and column.n_levels < NEARLY * len(made.frame)  # or a name of a run
        told = told and not made.frame.duplicated([*over, column.name]).any()
        if told and is_property(made.frame, before, [column.name]):
            made.untake("alternatives")
            made.take("alternatives", column.name, f"with {listed(over)} it tells all rows apart")
            return


def _coarser_alternatives(made: Guess) -> None:
    """Take a text of which each level stands for one alternative in each experiment, if these lack experiments."""
    before, over = made.names()
    texts = [c for c in made.labels() if over and c.kind == "text" and is_property(made.frame, [c.name], before)]
    texts = [c for c in texts if not c.n_missing and is_property(made.frame, before, [*over, c.name])]
    texts = [c for c in texts if share_of_pairs(made.frame, over, [c.name]) > NEARLY]
    if texts and share_of_pairs(made.frame, over, before) < NEARLY:
        name = max(texts, key=lambda c: c.n_levels).name
        made.untake("alternatives")
        made.take("alternatives", name, f"with {listed(over)} each of its levels is one of {listed(before)}")
        made.doubts.append(f"Is {name!r} compared, or {listed(map(repr, before))}, which vary with {listed(over)}?")


def _groups(made: Guess) -> None:
    """Offer a column in which experiments nest as the cluster."""
    over = [name for name in made.roles.over if name in made.frame]
    if len(over) != 1 or made.roles.cluster or made.problem or (made.roles.wide and made.roles.alternatives):
        return
    nests = [c for c in made.labels() if c.kind == "text" or (c.kind == "whole number" and among(c.name, "group"))]
    nests = [c for c in nests if FEWEST_CLUSTERS <= c.n_levels <= made.frame[over[0]].nunique() / 1.5]
    nests = [c for c in nests if not c.n_missing and is_property(made.frame, [c.name], over)]
    if found := named(nests, "group"):
        made.take("cluster", found[0].name, f"{found[1]!r} in its name, and levels of {over[0]!r} nest in it")
        made.doubts.append(f"Each of the {found[0].n_levels} levels of {found[0].name!r} counts as one experiment.")
    elif nests:
        names = listed([repr(c.name) for c in nests], 3)
        option = f"--cluster {nests[0].name!r}"
        made.remarks.append(f"Levels of {over[0]!r} nest in {names}: pass {option} if those of one are related.")
