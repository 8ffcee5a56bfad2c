"""Which columns it takes to tell rows apart, and what each of them is for."""

from __future__ import annotations

import pandas as pd

from genexpy_nb.common.checks import listed
from genexpy_nb.datasets.describing import (
    FEW_CELLS,
    JOINT,
    NO_LEVEL,
    NUMBERS,
    ROW,
    Column,
    Guess,
    balanced,
    describe_columns,
    is_property,
    last_of_all,
    repeats,
    share_of_pairs,
)
from genexpy_nb.datasets.words import MOST_FACTOR_LEVELS, NEARLY, SECTION, SETTINGS, among, direction_of, numbered

_MOST_LEVELS = 200  # of a design factor that is proposed
_UNEVEN = 0.25  # standard deviation over experiments, of the share of a level that was set
FEWEST_EXPERIMENTS = 4  # with fewer, a factor of text makes experiments instead of configurations


def until_rows_differ(made: Guess) -> None:
    """Add factors until no two rows are the same evaluation: seeds are averaged over, others make configurations."""
    while made.key() and (made.roles.wide or (made.roles.alternatives and made.roles.over)):
        rows = made.frame
        for column, level in made.fixed:
            rows = rows[rows[column].astype(object).fillna(NO_LEVEL).astype(str) == level]
        n_double = int(rows.duplicated(made.key()).sum())
        scores = [c.name for c in made.free() if c.kind in NUMBERS] if made.roles.wide else made.roles.directions()
        if not n_double or ROW in made.roles.average:
            _few_experiments(made, rows)
            return
        free = {c.name for c in made.free()}
        usable = made.columns if rows is made.frame else describe_columns(rows)
        usable = [c for c in usable if c.name in free and _may_be_factor(made, c, rows)]
        left = {c.name: int(rows.duplicated([*made.key(), c.name]).sum()) for c in usable}
        if 0 not in left.values() and _take_empty_cells(made, rows):
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
    few = bool(over) and len(rows[over].drop_duplicates()) < FEWEST_EXPERIMENTS
    levels, share = rows[name].astype(str), share_of_pairs(rows, compared, [name]) if compared else 1
    uneven = bool(compared) and share <= 1 / 2 and not wide
    most = NEARLY if name == SECTION else 1 if wide and compared and not among(name, "compared") else 1 / 2
    level, lost, alone = _level_of_most(made, rows, name) if uneven or among(name, "metric") else ("", [], False)
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
        made.take("fixed", f"{name}={last}", "the last step of nearly all runs")
        beyond = f", though some go on to {rows[name].max()}" if rows[name].max() > 2 * float(last) else ""
        made.doubts.append(f"Only {name}={last} is taken, the last one that nearly all runs have{beyond}. Is it so?")
    elif (case := among(name, "case")) or numbered(rows[name]):
        counts = f"its levels count {levels.iloc[levels.str.len().argmin()]} and on"
        made.take("average", name, f"{case!r} in its name, inside of the experiments" if case else counts)
        made.doubts.append(f"The mean over {name!r} is taken. Are its levels repetitions?")
    elif name == SETTINGS and over and share > 1 / 2:
        made.take("over", name, "settings that not all experiments have")
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


def _level_of_most(made: Guess, rows: pd.DataFrame, name: str) -> tuple[str, list[str], bool]:
    """Return the level at which most alternatives have scores, the others, and whether they have one of their own."""
    scored = rows.dropna(subset=[target for target in made.roles.directions() if target in rows]).astype({name: str})
    pairs = scored[[*made.names()[0], name]].drop_duplicates()
    who = pairs[made.names()[0]].map(str).agg(JOINT.join, axis=1)
    at = who.groupby(pairs[name]).agg(set)
    level = max(scored[name].value_counts().index, key=lambda level: len(at[level]), default="")
    lost = sorted(set(who) - at.get(level, set()))
    alone = any(at[other] <= set(lost) for other in at.index)
    return level, lost, alone


def _few_experiments(made: Guess, rows: pd.DataFrame) -> None:
    """Doubt roles which leave most evaluations out."""
    over, names = list(made.roles.over), list(made.roles.alternatives)
    known = {*over, *names} <= {*rows.columns} and not (made.roles.wide or made.roles.design)
    if known and (share := share_of_pairs(rows, names, over)) < FEW_CELLS:
        there = f"Only {100 * share:.0f} % of the pairs of {listed(names)} and {listed(over)} are there"
        made.doubts.append(f"{there}: are these the right columns?")


def _is_outcome(made: Guess, rows: pd.DataFrame, column: Column) -> bool:
    """Say whether a text came out and was not set: which of its levels an alternative has depends on the experiment."""
    compared, over = made.names()
    roles = "compared name task case group repeated metric"
    if column.kind != "text" or not compared or not over or among(column.name, roles) or column.n_missing:
        return False
    if (rows.groupby(over)[column.name].nunique() == 1).mean() >= NEARLY:
        return False  # a property of the experiments
    others = [name for name in made.key() if name not in compared]
    shares = rows.groupby([*compared, *others])[column.name].value_counts(normalize=True).unstack(fill_value=0)
    of_each = shares.groupby(level=list(range(len(compared))))
    several = of_each.mean().max(axis=1) < 1
    return bool(of_each.std().max(axis=1)[several].median() > _UNEVEN)


def _may_be_factor(made: Guess, column: Column, rows: pd.DataFrame) -> bool:
    """Say whether a column may tell evaluations apart."""
    if column.n_levels < 2 or column.kind in ("lists", "date") or made.is_index(column):
        return False
    if column.name == SETTINGS:
        return True
    if made.roles.target and "number" in column.kind and not repeats(rows, column) and column.n_levels > 2:
        levels = set(rows[column.name].dropna())  # of a grade beside the score
        if any(name in rows and set(rows[name].dropna()) == levels for name in made.roles.directions()):
            return False
    if (column.n_missing and not repeats(rows, column)) or _is_outcome(made, rows, column):
        return False
    if column.n_levels > MOST_FACTOR_LEVELS and "number" in column.kind and direction_of(column.name)[0]:
        return bool(repeats(rows, column))  # another score
    if column.kind == "number":  # levels of noise are few, scores are many
        return column.n_levels <= 20 and not direction_of(column.name)[0] and column.n_levels < len(rows) / 10
    few = column.n_levels <= min(_MOST_LEVELS, len(rows) / 2)
    return few or bool(repeats(rows, column) or among(column.name, "step"))


def _take_empty_cells(made: Guess, rows: pd.DataFrame) -> bool:
    """Average over a text that tells all rows apart with empty cells as a level; hold these if most have no other."""
    few = [c for c in made.free() if c.kind == "text" and c.n_missing and c.n_levels <= MOST_FACTOR_LEVELS]
    for name in [c.name for c in few if not rows.duplicated([*made.key(), c.name]).any()][:1]:
        told = rows.assign(**{name: rows[name].notna()}).groupby(made.names()[0])[name].mean()
        some = told.index[told > 0]
        if told.max() < 1 and 2 * len(some) < len(told):
            made.take("fixed", f"{name}={NO_LEVEL}", "all that are compared have rows in which it is empty")
            only = f"Only rows in which {name!r} is empty are taken: its levels are variants of "
            made.doubts.append(f"{only}{listed(map(str, some))} only. Is it so?")
        else:
            made.take("average", name, "with its empty cells as a level it tells all rows apart")
            made.doubts.append(f"The mean over {name!r} is taken, and no level is one of its levels. Is it so?")
        return True
    return False
