"""What a study holds: scores as they are used, completed, as one frame; and a part of it as a study of its own."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import as_list, check_choice, listed, shown, suggest
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.files import write_atomically
from genexpy_nb.common.page_tables import as_csv
from genexpy_nb.common.prose import levels_in_words
from genexpy_nb.common.random import seed_of
from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.conclusions.completion import N_COMPLETIONS, Completion, complete, table_of, with_worst_scores
from genexpy_nb.datasets.describing import COLUMN, JOINT, MATRIX_SCORE, NO_LEVEL, NUMBERS, TableRoles
from genexpy_nb.datasets.roles import guess_roles
from genexpy_nb.generalization.contract import as_kernels
from genexpy_nb.generalization.kernels import Kernel
from genexpy_nb.study.checks import METRIC, Configuration

if TYPE_CHECKING:
    from genexpy_nb.study.study import Study


def table(study: Study) -> pd.DataFrame:
    """Return the rows that the study was made from, before anything was left out, averaged or imputed."""
    roles, given = study.reading.as_given, study.reading.given
    kept = [*roles.conditions, *roles.design, *roles.average_over, *roles.fixed]
    if roles.score_columns is None:
        return given[[*kept, roles.alternatives, *roles.targets]].copy()
    long = given.melt(kept, roles.score_columns, roles.alternatives, roles.target)
    return long.dropna(subset=[roles.target], ignore_index=True)


def completions(
    study: Study, configuration: Configuration | None = None, rng: np.random.Generator | int = 0, *, of: str = "scores"
) -> list[pd.DataFrame]:
    """Draw the missing evaluations of a configuration several times: scores, or rankings, one table for each time."""
    check_choice("of", of, ("scores", "rankings"))
    block = study.condition_scores(configuration)
    if study.missing == "complete":
        drawn = study._completed(configuration, seed_of(rng))
    else:
        drawn = complete(block, study.direction(configuration), N_COMPLETIONS, seed_of(rng))
    return [experiments_of(study, configuration, one, of) for one in drawn]


def results(
    study: Study,
    configuration: Configuration | None,
    kernel: Kernel,
    completion: int = 0,
    rng: np.random.Generator | int = 0,
) -> pd.DataFrame:
    """Return what a kernel compares, a row per condition: the rankings, or the scores with missing ones imputed."""
    (kernel,) = as_kernels(kernel)
    block, direction = study.condition_scores(configuration), study.direction(configuration)
    if study.is_completed(configuration):
        return table_of(study._completed(configuration, seed_of(rng))[completion], kernel.on, block)
    return ranked_table(block, direction) if kernel.on == "rankings" else with_worst_scores(block, direction)


def experiments_of(study: Study, configuration: Configuration | None, one: Completion, of: str) -> pd.DataFrame:
    """Return scores or rankings of the experiments in one completion."""
    block = study.condition_scores(configuration)
    if study.cluster is None:
        return table_of(one, of, block)
    means = means_of_clusters(table_of(one, "scores", block))
    return means if of == "scores" else ranked_table(means, study.direction(configuration))


def means_of_clusters(block: pd.DataFrame) -> pd.DataFrame:
    """Return mean scores, a row per cluster, from scores of conditions; missing where there is none."""
    return block.groupby(level=0, sort=False).mean()


def ranked_table(scores: pd.DataFrame, higher_is_better: bool) -> pd.DataFrame:
    """Return the rankings of a table of scores, with its names."""
    return pd.DataFrame(rank_scores(scores, higher_is_better=higher_is_better), scores.index, scores.columns)


def to_frame(study: Study) -> pd.DataFrame:
    """Return the scores as the study uses them: averaged, held constant, without what was left out.

    Returns
    -------
    DataFrame, one row per configuration, experiment and alternative
        The columns of ``design`` and ``generalize_over``, that of the alternatives, the score, called as the target
        is ("score" of several metrics), and ``missing``, whether there is none.

    Examples
    --------
    >>> from genexpy_nb import Study
    >>> Study.from_wide(pd.DataFrame({"a": [0.9, 0.7, 0.8], "b": [0.8, 0.6, None]})).to_frame().tail(2)
       experiment alternative  score  missing
    4           2           a    0.8    False
    5           2           b    NaN     True
    """
    score = study.target if len(study.targets) == 1 else "score"
    parts = [
        block.rename_axis(columns=study.alternatives_column)
        .stack(future_stack=True)
        .rename(score)
        .reset_index()
        .assign(**configuration)
        for configuration, block in zip(study.configurations, study._blocks.values(), strict=True)
    ]
    columns = [*study.design, *study.generalize_over, study.alternatives_column, score]
    frame = pd.concat(parts, ignore_index=True)[columns]
    return frame.assign(missing=frame[score].isna())


def to_csv(study: Study, path: str | os.PathLike) -> None:
    """Write the scores as the study uses them as CSV; the command and `genexpy_nb.read_results` read it back.

    Parameters
    ----------
    path : path-like
        The file, which is replaced. It has the columns of `to_frame`, and empty cells where a score is missing. A text
        that a spreadsheet would take for a formula has an apostrophe before it.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import genexpy_nb as gx
    >>> study = gx.Study.from_wide(pd.DataFrame({"a": [0.9, 0.7, 0.8], "b": [0.8, 0.6, None]}))
    >>> with TemporaryDirectory() as folder:
    ...     study.to_csv(f"{folder}/scores.csv")
    ...     print(gx.read_results(f"{folder}/scores.csv").tail(2))
       experiment alternative  score
    4           2           a    0.8
    5           2           b    NaN
    """
    write_atomically(path, as_csv(to_frame(study).drop(columns="missing")))


def to_bencheval(
    study: Study, configuration: Configuration | None = None, *, best: float | None = None
) -> pd.DataFrame:
    """Return the scores as bencheval and TabArena take them, as errors: lower is better, and none is below 0.

    Parameters
    ----------
    configuration : dict, optional
        A level of each design factor; needed if there are several configurations.
    best : float, optional
        The score of a perfect result. Where higher is better, the error is what is missing to it. It is 1 if all scores
        lie between 0 and 1, and else has to be given.

    Returns
    -------
    DataFrame, one row per method and task
        Columns ``method``, ``task`` and ``metric_error``. Evaluations that are missing have no row; bencheval's
        ``fillna_data`` fills them in.

    Examples
    --------
    >>> from genexpy_nb import Study
    >>> index = pd.Index(["iris", "wine", "zoo"], name="dataset")
    >>> study = Study.from_wide(pd.DataFrame({"svm": [0.75, 0.5, 1], "knn": [0.5, 0.25, 0.5]}, index))
    >>> study.to_bencheval().head(2)
      method  task  metric_error
    0    knn  iris          0.50
    1    svm  iris          0.25
    """
    block = study.scores(configuration)
    scores, higher = block.to_numpy(dtype=float), study.direction(configuration)
    if higher and best is None and not (np.nanmin(scores) >= 0 and np.nanmax(scores) <= 1):
        raise ParameterError("to_bencheval: best must be given, the score of a perfect result: some are not in [0, 1]")
    errors = (1.0 if best is None else best) - scores if higher else scores
    if (errors < 0).any():
        what = f"best: a score of {np.nanmax(scores):g} is above {best}" if higher else "a score is below 0"
        raise ParameterError(f"to_bencheval: no error may be below 0; {what}")
    tasks = [" / ".join(map(str, each)) if isinstance(each, tuple) else each for each in block.index]
    rows, columns = np.nonzero(~np.isnan(errors))
    return pd.DataFrame(
        {
            "method": [block.columns[j] for j in columns],
            "task": [tasks[i] for i in rows],
            "metric_error": errors[rows, columns],
        }
    )


def select(study: Study, alternatives: Any = None, experiments: Any = None, **levels: Any) -> Study:
    """Return the study of some of the alternatives, experiments, or levels of factors.

    Parameters
    ----------
    alternatives, experiments : object or list, optional
        Those to keep; experiments over several columns, or clusters, as they stand in the index of `Study.scores`.
    **levels
        For any factor, ``"metric"`` of several metrics included, the level or levels to keep. A design factor of
        which one level is kept, not in a list, is held constant there.

    Returns
    -------
    Study
        The same as one that is made of these rows; warnings of this study are not issued again.

    Examples
    --------
    >>> from genexpy_nb import Study
    >>> index = pd.Index(["iris", "wine", "zoo"], name="dataset")
    >>> study = Study.from_wide(pd.DataFrame({"OHE": [1, 2, 3], "TE": [2, 1, 4], "WOE": [3, 3, 5]}, index))
    >>> study.select(["OHE", "TE"], dataset=["iris", "zoo"]).scores().to_dict("list")
    {'OHE': [1.0, 3.0], 'TE': [2.0, 4.0]}
    """
    chosen = {"alternatives": alternatives, "experiments": experiments}
    chosen = {name: value for name, value in chosen.items() if value is not None} | levels
    read = study.reading
    given, roles = read.given, read.as_given
    keep, over, design = np.ones(len(given), dtype=bool), roles.generalize_over, list(roles.design)
    experiments = given[over].set_index(over).index
    factors = {name: pd.Index(given[name]) for name in [*roles.conditions, *design, *roles.average_over]}
    of = {"alternatives": pd.Index(roles.score_columns or given[roles.alternatives]), "experiments": experiments}
    of |= factors | ({} if roles.metrics is None else {METRIC: pd.Index(roles.metrics)})
    for name, asked in chosen.items():
        if name not in of:
            known = listed(["alternatives", "experiments", *factors])
            raise ParameterError(f"select: there is no factor {name!r}{suggest(name, of)} (there are {known})")
        one = pd.api.types.is_scalar(asked) or isinstance(asked, tuple)
        kept, known = [asked] if one else list(asked), of[name].dropna().unique()
        for level in kept:
            if not pd.api.types.is_hashable(level) or level not in known:
                has = f"{suggest(level, known)} (there are {listed(map(repr, known))})"
                raise ParameterError(f"select: {name} has no {level!r}{has}")
        if name == "alternatives" and roles.score_columns is not None:
            roles = replace(roles, score_columns=[column for column in roles.score_columns if column in kept])
        elif roles.metrics is not None and name == METRIC:
            metrics = {metric: roles.metrics[metric] for metric in kept}
            roles = replace(roles, metrics=metrics, target=" and ".join(metrics))
            if one:
                roles = replace(roles, metrics=None, higher_is_better=metrics[asked])
        else:
            keep &= of[name].isin(kept)
            if one and name in design:  # one level is held constant
                design.remove(name)
                roles = replace(roles, design=design, fixed={**roles.fixed, name: asked})
    table = given.loc[keep]
    if table.empty:
        raise StudyError(f"select: no row has {levels_in_words(chosen)}")
    part = type(study).__new__(type(study))
    said = ", ".join(f"{name}={shown(value)}" for name, value in chosen.items()) or "all"
    note = f"Selected {len(table):,} of {len(read.given):,} rows: {said}."
    part._read(table, roles, [note], study.missing, issued=study._issued, stacklevel=4)
    return part


# --- a study of a table whose roles are guessed -----------------------------------------------------------------------


def with_joint_column(frame: pd.DataFrame, columns: Sequence[str]) -> tuple[pd.DataFrame, str]:
    """Return the table with one column of alternatives in place of several, of which all but the first may be empty."""
    name = JOINT.join(columns)
    if len(columns) < 2:
        return frame, name
    parts = frame[list(columns)]
    labels = parts.astype("string").fillna(NO_LEVEL).agg(JOINT.join, axis=1).where(parts.iloc[:, 0].notna())
    return frame.drop(columns=list(columns)).assign(**{name: labels.astype(object)}), name


def with_guessed_roles(results: Any, given: Mapping[str, Any]) -> tuple[Any, dict[str, Any], list[str]]:
    """Return a table, the arguments of its study, and what was guessed; `StudyError` if that is not sure."""
    needed = [given[name] for name in ("alternatives", "target", "generalize_over")]
    if None not in needed or not isinstance(results, pd.DataFrame) or not results.columns.is_unique:
        return results, dict(given), []
    lists = {"target": "target", "over": "generalize_over", "design": "design", "average": "average_over"}
    asked: dict[str, Any] = {role: as_list(given[name]) for role, name in lists.items()}
    asked["alternatives"] = as_list(given["alternatives"])
    asked["fixed"] = [f"{column}={level}" for column, level in (given["fixed"] or {}).items()]
    asked["higher_is_better"] = "lower" if given["higher_is_better"] is False else ""
    is_plain = isinstance(results.index, pd.RangeIndex)
    frame, table = (results.copy(), "results") if is_plain else (results.reset_index(), "results.reset_index()")
    frame.columns = frame.columns.map(str)
    made = guess_roles(frame, TableRoles(cluster=given["cluster"] or "", **asked))
    if made.problem:
        raise StudyError(made.problem)
    roles, parts = made.roles, list(made.roles.alternatives)
    for text in [text for text in roles.without if text not in frame]:
        column = next(c for c in frame if text.startswith(f"{c}="))
        table += f".loc[lambda rows: rows[{column!r}].astype(str) != {text[len(column) + 1 :]!r}]"
    filled = f".fillna({NO_LEVEL!r})" * bool(frame[parts].isna().any(axis=None))
    frame, name = with_joint_column(frame, parts)
    if len(parts) > 1:
        table += f".assign(**{{{name!r}: results[{parts}]{filled}.agg({JOINT!r}.join, axis=1)}}).drop(columns={parts})"
    words: dict[str, Any] = {argument: list(getattr(roles, role)) for role, argument in lists.items()}
    if roles.wide:
        named_so = [name, *made.key(), roles.cluster, *(column for column, _ in made.fixed)]
        keys = [key for key in dict.fromkeys(named_so) if key in frame]
        others = [c.name for c in made.free() if c.kind not in NUMBERS]
        drop = [column for column in frame if column not in keys and column in (*roles.without, *others)]
        first = COLUMN if COLUMN in roles.average else "experiment" if name else "alternative"
        unlike = next(label for label in (first, COLUMN) if label not in keys)
        frame = frame.drop(columns=drop).melt(keys, var_name=unlike, value_name=MATRIX_SCORE)
        table += f".drop(columns={drop})" if drop else ""
        table += f".melt({keys}, var_name={unlike!r}, value_name={MATRIX_SCORE!r})"
        if unlike not in roles.average:
            words["generalize_over" if name else "alternatives"] = [*roles.over, unlike] if name else unlike
    arguments = {"alternatives": name} | words | {"target": given["target"] or next(iter(roles.directions()), "")}
    if empty := {c: level for c, level in made.fixed if level == NO_LEVEL and frame[c].hasnans}:
        frame, table = frame.fillna(empty), f"{table}.fillna({empty})"
    fixed = {c: next(v for v in frame[c].unique() if str(v) == level) for c, level in made.fixed}
    arguments |= {"fixed": fixed, "cluster": roles.cluster}
    arguments = {argument: value for argument, value in arguments.items() if value}
    said = ", ".join(f"{argument}={value!r}" for argument, value in arguments.items())
    better = roles.higher_is_better != "lower" if all(roles.directions().values()) else "True or False"
    call = f"gx.Study({table}, {said}, higher_is_better={better})"
    if not made.sure:
        raise StudyError(f"which column is for what is not sure: {' '.join(made.doubts)} If it is so, call {call}")
    return frame, {**given, **arguments, "higher_is_better": better}, [f"The roles of columns were guessed: {call}"]
