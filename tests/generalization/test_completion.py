"""Missing evaluations: the policies of a study, and completions from a fitted model."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from genexpy_nb.common.errors import ParameterError, StudyError, StudyWarning
from genexpy_nb.generalization.study import MISSING_POLICIES, Study


def matrix(seed=0, n=12, k=5, share=0.15, spread=1.0):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, 1)) + spread * np.arange(k) + rng.normal(size=(n, k))
    values[rng.random((n, k)) < share] = np.nan
    values[:, 0] = np.where(np.isnan(values).all(axis=1), 0.0, values[:, 0])
    index = pd.Index([f"d{i:02}" for i in range(n)], name="dataset")
    return pd.DataFrame(values, index, [f"a{j}" for j in range(k)])


def tidy(**options):
    parts = [matrix(seed).assign(model=model).set_index("model", append=True) for seed, model in enumerate("xy")]
    return pd.concat(parts).rename_axis(columns="alternative").stack().rename("score").reset_index().assign(**options)


ROLES = {"alternatives": "alternative", "target": "score", "generalize_over": "dataset", "design": ["model"]}


# --- another policy -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [policy for policy in MISSING_POLICIES if policy != "error"])
@pytest.mark.parametrize("then", [policy for policy in MISSING_POLICIES if policy != "error"])
def test_another_policy_is_the_same_as_a_study_made_anew(first, then):
    table = tidy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StudyWarning)
        changed, anew = Study(table, **ROLES, missing=first).with_missing(then), Study(table, **ROLES, missing=then)
    assert (changed.missing, changed.notes, changed.warnings) == (then, anew.notes, anew.warnings)
    assert changed.configurations == anew.configurations
    assert_frame_equal(changed.accounting, anew.accounting)
    assert_frame_equal(changed.averaged, anew.averaged)
    for configuration in anew.configurations:
        assert_frame_equal(changed.scores(configuration), anew.scores(configuration))
        assert_frame_equal(changed.rankings(configuration), anew.rankings(configuration))


def test_another_policy_leaves_the_study_as_it_was():
    study = Study.from_wide(matrix())
    scores, notes, accounting = study.scores(), list(study.notes), study.accounting.copy()
    study.with_missing("drop").with_missing("worst-rank")
    assert_frame_equal(study.scores(), scores)
    assert_frame_equal(study.accounting, accounting)
    assert study.notes == notes


def test_a_warning_is_issued_once_whatever_the_policy():
    table = matrix(share=0.0).rename(columns={"a1": "seed"})
    with pytest.warns(StudyWarning, match="seed"):
        study = Study.from_wide(table)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        other = study.with_missing("drop")
    assert other.warnings == study.warnings != []


def test_a_new_doubt_is_issued_where_the_policy_is_changed():
    table = matrix(share=0.0, n=10, k=6)
    table.iloc[:3, :3] = np.nan
    table.iloc[3:, 5] = np.nan
    study = Study.from_wide(table, missing="drop")
    assert study.warnings == []
    with pytest.warns(StudyWarning, match="worst rank") as caught:
        study.with_missing("worst-rank")
    assert caught[0].filename == __file__


def test_a_policy_that_does_not_exist_or_does_not_fit_is_refused():
    study = Study.from_wide(matrix())
    with pytest.raises(ParameterError, match="missing must be one of"):
        study.with_missing("best-rank")
    with pytest.raises(StudyError, match="evaluations are missing"):
        study.with_missing("error")
