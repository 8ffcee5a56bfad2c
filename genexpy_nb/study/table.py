"""From a table as people have it to scores by condition and alternative: frames of others, roles, metrics, matrices.

Nothing is guessed: what was converted or set aside comes back as a sentence, and what fits no role is a `StudyError`
that says which option gives it one.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa

from genexpy_nb.common.checks import check_numbers, listed, shown, suggest
from genexpy_nb.common.errors import StudyError
from genexpy_nb.common.files import Note
from genexpy_nb.common.prose import how_many, levels_in_words, percent, plural, span
from genexpy_nb.datasets.describing import is_property
from genexpy_nb.datasets.words import NEARLY, is_summary
from genexpy_nb.study import checks
from genexpy_nb.study.checks import named

if TYPE_CHECKING:
    from genexpy_nb.study.study import Study

_TEXT = "str"  # pandas' type of text; before its version 3, text came as objects


@dataclass(frozen=True)
class Reading:
    """A table that was read: scores (conditions, alternatives), NaN where there is none, and what there is to say."""

    given: pd.DataFrame
    as_given: checks.Roles
    roles: checks.Roles  # with the factor that metrics become
    scores: pd.DataFrame
    n_averaged: pd.DataFrame | None  # of how many runs each score is the mean, and of how many it could be
    n_levels: pd.DataFrame | None
    notes: list[str]
    doubts: list[str]


def read(results: pd.DataFrame, roles: checks.Roles, notes: list[str], found: Sequence[str] = ()) -> Reading:
    """Read a table: hold factors constant, check what is left, average it."""
    checks.check_roles(results, roles.columns)
    kept, held = _hold_constant(_with_plain_labels(results, roles), roles)
    doubts: list[str] = []
    if len(roles.targets) == 1:
        taken = {column for columns in roles.columns.values() for column in columns}
        doubts = checks.mixed_metrics(results, roles.targets[0], kept.index.to_numpy(), taken)
    table, in_full, said = _checked(kept, roles)
    scores, n_averaged, n_levels, averaged = _average(table, in_full)
    doubts = [*found, *_doubts_about_factors(table, in_full, results), *doubts]
    notes = [*notes, *held, *said, *averaged]
    return Reading(results, roles, in_full, scores, n_averaged, n_levels, notes, doubts)


def runs(study: Study, configuration: Mapping[str, Any] | None = None) -> pd.DataFrame:
    """Return the scores of a configuration, one per row, before averaging; the table is read again each time."""
    block, roles = study.condition_scores(configuration), study.reading.as_given
    kept, _ = _hold_constant(_with_plain_labels(study.reading.given, roles), roles)
    table, _, _ = _checked(kept, roles)
    mine = np.ones(len(table), dtype=bool)
    for name in study.design:
        mine &= (table[name] == dict(configuration or {})[name]).to_numpy(dtype=bool, na_value=False)
    factors = [*roles.conditions, *roles.average_over]
    columns = [*factors, roles.alternatives, roles.target]
    if roles.score_columns is None:
        rows = table.loc[mine, columns]
    else:
        wide = table.loc[mine, factors].set_axis(range(len(factors)), axis=1)
        parts = [
            wide.assign(alternative=label, score=table.loc[mine, column])
            for label, column in zip(_labels(roles), roles.score_columns, strict=True)
        ]
        rows = pd.concat(parts).set_axis(columns, axis=1)
    there = rows[roles.alternatives].isin(block.columns) & rows[roles.target].notna()
    return rows[there & rows.set_index(roles.conditions).index.isin(block.index)].reset_index(drop=True)


def averaged(read: Reading, wide: pd.DataFrame) -> pd.DataFrame:
    """Return the evaluations that lack some of the runs that their condition has, one per row."""
    columns = [*read.roles.design, *read.roles.conditions, read.roles.alternatives, "n_averaged", "n_levels"]
    if read.n_averaged is None or read.n_levels is None:
        return pd.DataFrame(columns=columns)
    counts = read.n_averaged.reindex(index=wide.index, columns=wide.columns).to_numpy()
    levels = read.n_levels.reindex(index=wide.index, columns=wide.columns).to_numpy()
    rows, places = np.nonzero((counts > 0) & (counts < levels))
    frame = wide.index[rows].to_frame(index=False)
    frame[read.roles.alternatives] = wide.columns[places]
    return frame.assign(n_averaged=counts[rows, places], n_levels=levels[rows, places])


def _with_plain_labels(results: pd.DataFrame, roles: checks.Roles) -> pd.DataFrame:
    """Return the columns that have a role; rows are numbered, for error messages."""
    columns = [column for columns in roles.columns.values() for column in columns]
    results, scores = results[columns].reset_index(drop=True), set(roles.targets)
    return results.assign(**{name: plain_labels(results[name]) for name in columns if name not in scores})


def _hold_constant(results: pd.DataFrame, roles: checks.Roles) -> tuple[pd.DataFrame, list[str]]:
    keep = np.ones(len(results), dtype=bool)
    for column, level in roles.fixed.items():
        hit = (results[column] == level).to_numpy(dtype=bool, na_value=False)
        if not hit.any():
            levels = results[column].dropna().unique().tolist()
            nearest = suggest(level, levels) if str(level) not in map(str, levels) else ""
            has = f"(it has {listed(map(repr, levels))})"
            raise StudyError(f"fixed: column {column!r} has no level {level!r}{nearest} {has}")
        keep &= hit
    if not roles.fixed:
        return results, []
    wanted = " and ".join(f"{column} = {level}" for column, level in roles.fixed.items())
    if not keep.any():
        raise StudyError(f"fixed: no row has {wanted}")
    return results.loc[keep], [f"Kept the {keep.sum():,} of {len(results):,} rows with {wanted}."]


def _checked(table: pd.DataFrame, roles: checks.Roles) -> tuple[pd.DataFrame, checks.Roles, list[str]]:
    """Return the rows that are compared, with scores that are numbers, the roles with that of metrics, and notes."""
    keys = [*roles.design, *roles.conditions, *roles.average_over]
    if roles.score_columns is None:
        keys.append(roles.alternatives)
    for column in keys:
        absent = table[column].isna()
        if absent.any():
            raise StudyError(
                f"column {column!r} has {int(absent.sum())} missing values, the first in row {absent.idxmax()}; "
                "every evaluation needs a level of every factor"
            )
    notes = []
    if roles.cluster is not None:
        notes.append(clustered(table, roles.cluster, roles.within_clusters))
    numbers, converted = _numbers(table, roles)
    table = pd.concat([table[keys], numbers], axis=1)
    double = table.duplicated(keys, keep=False)
    if double.any():
        row = table.loc[double, keys].iloc[0]
        n_rows = int((table[keys] == row).all(axis=1).sum())
        raise StudyError(
            f"{n_rows} rows for the same evaluation: {levels_in_words(row.to_dict())}; if they are repetitions, name "
            "the column that tells them apart (a seed, a fold) in average_over; if it is a factor, give it a role"
        )
    if roles.metrics is not None:
        parts = [table[keys].assign(**{checks.METRIC: name, roles.target: table[name]}) for name in roles.metrics]
        table = pd.concat(parts, ignore_index=True)
        design = [*roles.design, checks.METRIC]
        roles = replace(roles, design=design, higher_is_better=dict(roles.metrics))
    return table, roles, [*notes, *converted]


def _numbers(table: pd.DataFrame, roles: checks.Roles) -> tuple[pd.DataFrame, list[str]]:
    """Return the columns of scores as numbers, and notes; each metric, and any alternative, must have some."""
    scores, notes = {}, {}
    for column in roles.targets:
        scores[column], notes[column] = numeric_target(table[column])
        if roles.score_columns is None and scores[column].isna().all():
            raise StudyError(f"column {column!r} has no score: every value is missing")
    numbers = pd.DataFrame(scores)
    if numbers.isna().all(axis=None):
        raise StudyError("no column of an alternative has a score: every value is missing")
    converted = [column for column, said in notes.items() if said]
    if len(scores) == 1 or not converted:
        return numbers, [note for said in notes.values() for note in said]
    return numbers, [f"Read text, or True and False, as numbers in the columns {listed(converted)}."]


def _average(
    table: pd.DataFrame, roles: checks.Roles
) -> tuple[pd.DataFrame, pd.DataFrame | None, pd.DataFrame | None, list[str]]:
    """Return the scores, of how many runs each is the mean, of how many it could be, and notes."""
    if roles.average_over:  # the last digits of a sum depend on the order of its terms
        table = table.sort_values(roles.average_over, key=lambda labels: canonical_order(pd.Index(labels)))
    conditions = [*roles.design, *roles.conditions]
    wide, counts = _means(table, roles, conditions)
    levels, notes = None, []
    if counts is not None:
        sizes = table[[*conditions, *roles.average_over]].drop_duplicates().groupby(conditions).size()
        levels = pd.DataFrame(dict.fromkeys(wide, sizes))
        if any(is_property(table, [roles.alternatives], [name]) for name in roles.average_over):
            levels = levels.clip(upper=counts.max(), axis=1)  # nobody lacks settings that another one has alone
        elif roles.score_columns is None:  # nor a seed, where others have as many of other labels
            tried = table.groupby([*conditions, roles.alternatives], observed=True).size()
            levels = levels.clip(upper=tried.groupby(conditions, observed=True).max(), axis=0)
        if table[roles.average_over].nunique().max() > NEARLY * len(table):
            levels = counts  # numbers of rows or runs do not say how many there could be
        rows = span(counts.to_numpy()[counts.to_numpy() > 0], "{:.0f}")
        notes.append(f"Averaged over {', '.join(roles.average_over)}: {rows} rows per evaluation.")
    wide = wide.sort_index(key=canonical_order).sort_index(axis=1, key=canonical_order)
    if wide.shape[1] < 2:
        raise StudyError(
            f"column {roles.alternatives!r} has a single alternative, {wide.columns[0]!r}: "
            "there is nothing to compare it with"
        )
    return wide, counts, levels, notes


def _means(table: pd.DataFrame, roles: checks.Roles, conditions: list[str]) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Return means, a row per condition and a column per alternative, and of how many scores, if of several."""
    if roles.score_columns is None:
        groups = table.groupby([*conditions, roles.alternatives], sort=False, observed=True)[roles.target]
        wide = groups.mean().unstack(roles.alternatives)
        return wide, groups.count().unstack(roles.alternatives, fill_value=0) if roles.average_over else None
    labels = _labels(roles)
    if not roles.average_over:  # every condition is one row already; a mean is never -0.0 either
        wide = table.set_index(conditions)[roles.score_columns] + 0.0
        return wide.set_axis(pd.Index(labels), axis=1), None
    by_condition = table.groupby(conditions, sort=False, observed=True)[roles.score_columns]
    return by_condition.mean().set_axis(pd.Index(labels), axis=1), by_condition.count().set_axis(labels, axis=1)


def _labels(roles: checks.Roles) -> pd.Series:
    """Return the names of the alternatives of a matrix, in the order of its columns."""
    return plain_labels(pd.Series(roles.score_columns, name=roles.alternatives, dtype=object))


def _doubts_about_factors(table: pd.DataFrame, roles: checks.Roles, given: pd.DataFrame) -> list[str]:
    doubts: list[str] = []
    if roles.score_columns is not None:
        doubts += checks.alike_names(roles.alternatives, roles.score_columns)
        doubts += checks.repetitions_as_alternatives(roles.score_columns)
    for column in (roles.alternatives, *roles.design, *roles.conditions, *roles.average_over):
        if column in table:
            doubts += checks.alike_names(column, table[column].unique())
    return doubts + checks.repeated_measurements(table, roles.generalize_over, roles.design, given)


# --- labels and scores ------------------------------------------------------------------------------------------------


def plain_labels(values: pd.Series) -> pd.Series:
    """Return levels of a factor such that it does not matter in which of pandas' types they were stored."""
    if values.dtype == _TEXT or (isinstance(values.dtype, np.dtype) and values.dtype != object):
        return values
    plain = pd.Series(values.to_numpy(dtype=object), values.index, name=values.name).infer_objects()
    if plain.dtype == object:
        for row, label in plain.items():
            if isinstance(label, tuple | frozenset | bytes) or not isinstance(label, Hashable):
                raise StudyError(
                    f"column {values.name!r}: row {row} holds {shown(label)}; a level must be a text, a number or a "
                    "date"
                )
    return plain


def clustered(table: pd.DataFrame, cluster: str, conditions: Sequence[str]) -> str:
    """Say what a column of clusters means, or raise `StudyError` if a condition lies in several of them."""
    pairs = table[[*conditions, cluster]].drop_duplicates()
    twice = pairs[pairs.duplicated(list(conditions))]
    if len(twice):
        first = twice[list(conditions)].iloc[0].to_dict()
        where = f"lies in several levels of {cluster!r}; each condition must lie in one"
        raise StudyError(f"cluster: {levels_in_words(first)} {where}")
    each = " x ".join(conditions)
    parts = plural(each, f"levels of {each}")
    return (
        f"There are {pairs[cluster].nunique():,} {plural(cluster, f'levels of {cluster}')} with {len(pairs):,} {parts} "
        f"in all. Each {cluster} is one experiment, and its score is the mean over its {parts}. For n*, we "
        f"compare every {each} of one {cluster} with every {each} of another, and average the similarities."
    )


def canonical_order(labels: pd.Index) -> pd.Index:
    """Return the places of labels in the order in which studies keep them: sorted by value, else by text, then type."""
    distinct = labels.unique()
    try:
        ordered = distinct.sort_values()
    except TypeError:
        ordered = pd.Index(sorted(distinct, key=lambda label: (str(label), type(label).__name__)), dtype=distinct.dtype)
    return pd.Index(ordered.get_indexer(labels))


def numeric_target(values: pd.Series) -> tuple[pd.Series, list[str]]:
    """Return scores as floats, and say what was converted."""
    what, notes = f"target {values.name!r}", []
    kind = pd.api.types.infer_dtype(values, skipna=True)
    if kind == "string":
        found = pd.to_numeric(values, errors="coerce").astype(float)
        wrong = found.isna() & values.notna()
        if wrong.any():
            raise StudyError(f"{what} must be numbers; row {wrong.idxmax()} holds {values[wrong.idxmax()]!r}")
        notes.append(
            f"Read {values.notna().sum():,} scores that are text, such as {values.dropna().iloc[0]!r}, as numbers."
        )
    else:
        try:
            numbered = values.set_axis(values.index.astype(object))  # rows by their plain number in messages
            found = pd.Series(check_numbers(numbered, what), values.index)
        except OverflowError:
            raise StudyError(f"{what} holds a whole number that is too large for a floating-point number") from None
        of_type = [type(value) for value in values] if values.dtype == object or kind == "boolean" else []
        if str in of_type:
            notes.append(f"Read {of_type.count(str):,} scores that are text as numbers.")
        if kind == "boolean" or bool in of_type:
            notes.append("Read True as the score 1, False as 0.")
    infinite = np.isinf(found)
    if infinite.any():
        row = infinite.idxmax()
        remedy = "leave the score empty if the evaluation failed"
        raise StudyError(f"{what} must be finite; row {row} holds {found[row]}; {remedy}")
    return found.rename(values.name), notes


# --- missing evaluations, and configurations --------------------------------------------------------------------------


def without_missing(read: Reading, missing: str) -> tuple[pd.DataFrame, list[str]]:
    """Return the scores that a policy for missing evaluations leaves, and say what it left out."""
    wide, notes = read.scores, list[str]()
    absent = wide.isna().to_numpy()
    if missing == "error" and absent.any():
        row, column = np.argwhere(absent)[0]
        raise StudyError(
            f"{int(absent.sum()):,} evaluations are missing, the first for "
            f"{named(wide.index, row)}, {read.roles.alternatives}={wide.columns[column]!r}; "
            "choose missing='worst-rank', 'drop' or 'complete', or complete the table"
        )
    if missing == "drop":
        sparse = wide.isna().mean(axis=1) > checks.MOST_MISSING
        wide = wide.loc[~sparse]
        rare = wide.isna().mean() > checks.MOST_MISSING
        wide = wide.loc[:, ~rare]
        if wide.empty or wide.shape[1] < 2:
            raise StudyError(
                "missing='drop': the 80 % / 80 % filter leaves nothing to compare; choose missing='worst-rank'"
            )
        words = f"Dropped {sparse.sum():,} of {len(sparse):,} conditions in which more than 20 % of the alternatives "
        words += f"are missing, then {rare.sum()} of {len(rare)} alternatives missing in more than 20 % of the rest"
        words += f" ({listed(rare.index[rare])})." if rare.any() else "."
        of = [(sparse, "conditions"), (rare, "alternatives")]
        lost = [f"{gone.sum():,} of {len(gone):,} {what}" for gone, what in of if gone.any()]
        notes.append(Note(words, dropped=" and ".join(lost)))
    bare, silent = wide.isna().all(axis=1), wide.isna().all()  # there is nothing to rank
    if bare.any():
        first = named(wide.index, int(np.flatnonzero(bare)[0]))
        notes.append(f"Left out {how_many(int(bare.sum()), 'condition')} without any score, the first {first}.")
    if silent.any():
        n_silent = how_many(int(silent.sum()), "alternative")
        notes.append(f"Left out {n_silent} without any score: {listed(silent.index[silent])}.")
    return wide.loc[~bare, ~silent], notes


def by_configuration(wide: pd.DataFrame, design: list[str]) -> dict[tuple, pd.DataFrame]:
    """Return the scores of each configuration: its conditions, and the alternatives that occur in it."""
    if not design:
        return {(): _occurring(wide)}
    codes, keys = pd.MultiIndex.from_arrays([wide.index.get_level_values(name) for name in design]).factorize()
    order = np.argsort(codes, kind="stable")
    rows = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
    bare = wide.droplevel(design)
    return {tuple(key): _occurring(bare.iloc[places]) for key, places in zip(keys, rows, strict=True)}


def _occurring(block: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of the alternatives that have a score."""
    silent = np.isnan(block.to_numpy()).all(axis=0)
    return block.loc[:, ~silent] if silent.any() else block


def notes_on_cells(study: Study, wide: pd.DataFrame, blocks: Mapping[tuple, pd.DataFrame]) -> list[str]:
    """Say how many evaluations are averages over fewer runs, or missing, and what becomes of them."""
    notes = []
    if n_partial := len(study.averaged):
        evaluations = int(wide.notna().to_numpy().sum())
        notes.append(
            f"{n_partial:,} of {evaluations:,} evaluations ({percent(n_partial / evaluations, 1)}) lack some of the "
            f"levels of {', '.join(study.average_over)} that their condition has, and are averages over the others; "
            "Study.averaged lists them."
        )
    cells = sum(block.size for block in blocks.values())
    imputed = sum(int(block.isna().to_numpy().sum()) for block in blocks.values())
    share = percent(imputed / cells, 1)
    if imputed and study.missing == "complete":
        notes.append(
            f"Drew {imputed:,} missing evaluation{'s' if imputed > 1 else ''} of {cells:,} ({share}), several times "
            "each, from a model of the observed ones; the answers from these completions are combined."
        )
    elif imputed:
        notes.append(
            f"Missing: {imputed:,} of {cells:,} evaluations ({share}). Each gets the worst rank. Where a kernel needs "
            "raw scores, it gets the worst score observed in its condition."
            + (" The mean score of a cluster is over its other conditions." if study.cluster is not None else "")
        )
    partial = sum(block.shape[1] < wide.shape[1] for block in blocks.values())
    if partial:
        notes.append(
            f"In {partial} of {len(blocks)} configurations, some of the {wide.shape[1]} alternatives have no results "
            "at all. An alternative is left out of each configuration in which it has no results."
        )
    return notes


# --- frames of other libraries ----------------------------------------------------------------------------------------


def as_frame(results: Any, index: bool = False) -> tuple[Any, list[str]]:
    """Return a table as a pandas DataFrame, and say if it was converted."""
    if isinstance(results, pd.DataFrame | pd.Series | type) or not hasattr(results, "__arrow_c_stream__"):
        return results, []
    kind = f"{type(results).__module__.split('.')[0]}.{type(results).__qualname__}"
    try:
        table = pa.table(results)
        return table.to_pandas(ignore_metadata=not index), [f"Converted a {kind} to a pandas DataFrame."]
    except (pa.ArrowException, NotImplementedError, RuntimeError, TypeError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise StudyError(f"results: the {kind} cannot be made a pandas DataFrame: {reason}") from None


# --- matrices ---------------------------------------------------------------------------------------------------------


def read_matrix(
    frame: Any, alternatives: Any, given: Mapping[str, Any]
) -> tuple[pd.DataFrame, dict[str, Any], list[Hashable], list[str], list[str]]:
    """Return the table of a matrix, what was given with what follows from it, columns of scores, notes and doubts."""
    checks.check_frame(frame)
    columns = frame.columns
    if columns.nlevels > 1:
        outer = list(range(columns.nlevels - 1))
        names = ["experiment"] if list(frame.index.names) == [None] else list(frame.index.names)
        names += [columns.names[i] or f"factor_{i}" for i in outer]
        raise StudyError(
            f"the columns of the matrix have several levels, such as {tuple(columns[0])!r}; make all but the last one "
            f"levels of the index first: frame.stack({outer}).rename_axis(index={names})"
        )
    twice = columns[columns.duplicated()]
    if len(twice):
        raise StudyError(f"the matrix has two columns named {twice[0]!r}")
    over = checks.as_columns("generalize_over", given["generalize_over"], optional=True)
    table, levels = _with_index_in_columns(frame, over)
    others = [
        *checks.as_columns("design", given["design"], optional=True),
        *checks.as_columns("average_over", given["average_over"], optional=True),
        *checks.as_levels(given["fixed"]),
        *([] if given["cluster"] is None else [checks.as_column("cluster", given["cluster"])]),
    ]
    over = over or [level for level in levels if level not in others]
    chosen, aside, doubts = _score_columns(table, [*levels, *over, *others], alternatives)
    name = frame.columns.name if isinstance(frame.columns.name, str) else "alternative"
    if name in [*over, *others]:
        raise StudyError(
            f"the columns of the matrix and a factor both have the name {name!r}; rename the columns: "
            "frame.rename_axis(columns='method')"
        )
    notes = [f"Read {len(chosen)} columns as alternatives: {listed(chosen)}."]
    if aside:
        notes.append(f"Set aside the columns {listed(aside)}: they have no role.")
    if left := [level for level in levels if level not in [*over, *others]]:
        notes.append(f"Set aside the levels {listed(left)} of the index: they have no role.")
    return table, {**given, "alternatives": name, "generalize_over": over}, chosen, notes, doubts


def _with_index_in_columns(frame: pd.DataFrame, named: Sequence[str]) -> tuple[pd.DataFrame, list[str]]:
    """Return a matrix with its index in columns, and which columns these are."""
    names = list(frame.index.names)
    if names == [None]:
        if named:
            return frame.reset_index(drop=True), []
        names = ["experiment"]
    for place, name in enumerate(names):
        if not isinstance(name, str):
            raise StudyError(
                f"level {place} of the index has {'no name' if name is None else f'the name {shown(name)}'}; name the "
                f"levels first: frame.rename_axis(index={[f'factor_{i}' for i in range(len(names))]})"
            )
        if name in frame.columns or names.count(name) > 1:
            raise StudyError(f"{name!r} names a level of the index and something else, too; rename one of them")
    columns = frame.columns
    plain = frame.set_axis(columns.astype(object), axis=1)  # a categorical or numeric index takes no other name
    return plain.reset_index(names=names), names


def _score_columns(
    frame: pd.DataFrame, factors: Sequence[str], alternatives: Any
) -> tuple[list[Hashable], list[Any], list[str]]:
    """Return the columns of a matrix that hold scores, those that are set aside, and what is doubtful about that."""
    without_role = [column for column in frame.columns if column not in factors]
    if alternatives is None:
        strange = [column for column in without_role if _holds_no_scores(frame[column])]
        numbers = [column for column in without_role if column not in strange]
        named = [column for column in numbers if is_summary(column)]
        chosen = [column for column in numbers if column not in named or len(numbers) - len(named) < 2]
        aside = [column for column in without_role if column not in chosen]
        if not aside:
            return chosen, [], []
        give = (
            "give a column of a factor its role with generalize_over=, design=, average_over= or fixed=, or name the "
            "columns of scores with alternatives=[...]"
        )
        if len(chosen) < 2:
            example = frame[strange[0]].dropna().iloc[0]
            raise StudyError(
                f"column{'s' if len(strange) > 1 else ''} {listed(map(repr, strange))} "
                f"{'hold' if len(strange) > 1 else 'holds'} no scores, but values such as {shown(example)}; {give}"
            )
        hold = "hold no numbers, or are called like properties or summaries"
        return chosen, aside, [f"the columns {listed(map(repr, aside))} {hold}, and were set aside; {give}"]
    if isinstance(alternatives, str) or not isinstance(alternatives, list | tuple | pd.Index):
        raise StudyError(f"alternatives must be a list of columns with scores, got {shown(alternatives)}")
    for column in alternatives:
        if not pd.api.types.is_hashable(column) or column not in frame.columns:
            raise StudyError(
                f"alternatives: there is no column {column!r}{suggest(column, frame.columns)} "
                f"(there are {listed(without_role, 20)})"
            )
        if column in factors:
            raise StudyError(f"column {column!r} is used both as an alternative and as a factor; a column has one role")
    chosen = list(alternatives)
    twice = [column for column in chosen if chosen.count(column) > 1]
    if twice:
        raise StudyError(f"alternatives names {twice[0]!r} twice")
    return chosen, [column for column in without_role if column not in chosen], []


def _holds_no_scores(values: pd.Series) -> bool:
    """Say whether none of the values, and there are some, reads as a number."""
    present = values.dropna()
    if present.empty or pd.api.types.is_numeric_dtype(present.dtype):
        return False
    try:
        numeric_target(present.reset_index(drop=True))
    except StudyError:
        if present.dtype.kind in "mM":
            return True
        return not pd.to_numeric(present.astype(str), errors="coerce").notna().any()
    return False
