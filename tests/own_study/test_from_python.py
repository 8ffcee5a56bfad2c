"""A study made in Python goes through a file and comes back as the same study."""

import numpy as np
import pandas as pd
import pytest

from genexpy_nb import Study
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.own_study.from_python import as_table, report, write_table
from genexpy_nb.own_study.request import StudyRequest
from tests.made_up_results import crossed


def through_a_file(study, folder):
    """The study that the notebook would see."""
    table, roles = as_table(study)
    file = folder / "results.parquet"
    table.to_parquet(file)
    request = StudyRequest(str(file), **roles, missing=study.missing)
    return request.study(request.read())


def rows(rng, n=8):
    frame = crossed(**{"model": ["a$", "b_", "c<"], "data set": range(n), "scoring": ["x", "y"], "seed": [0, 1]})
    return frame.assign(score=rng.normal(size=len(frame)), loss=rng.random(len(frame)))


ROLES = {"alternatives": "model", "generalize_over": "data set"}
STUDIES = {
    "plain": lambda rng: Study(rows(rng), **ROLES, target="score", design="scoring", average_over="seed"),
    "lower is better": lambda rng: Study(
        rows(rng), **ROLES, target="loss", fixed={"scoring": "y"}, average_over="seed", higher_is_better=False
    ),
    "two factors": lambda rng: Study(
        rows(rng), alternatives="model", target="score", generalize_over=["data set", "scoring"], fixed={"seed": 1}
    ),
    "metrics in columns": lambda rng: Study(
        rows(rng), **ROLES, target={"score": "higher", "loss": "lower"}, design="scoring", average_over="seed"
    ),
    "gaps": lambda rng: Study(
        rows(rng).sample(frac=0.9, random_state=1), **ROLES, target="score", design="scoring", average_over="seed"
    ),
    "matrix": lambda rng: Study.from_wide(
        pd.DataFrame(rng.normal(size=(9, 3)), columns=["a", "b", "c"]), higher_is_better=False
    ),
    "matrix with design": lambda rng: Study.from_wide(
        pd.DataFrame({"set": list("pqrpqr"), "kind": list("uuuvvv"), "a": range(6), "b": [3, 1, 2, 9, 8, 7]}),
        generalize_over="set",
        design="kind",
    ),
}


@pytest.mark.parametrize("name", STUDIES)
def test_the_study_that_comes_back_ranks_the_same(name, tmp_path):
    study = STUDIES[name](np.random.default_rng(5))
    back = through_a_file(study, tmp_path)
    assert len(back.configurations) == len(study.configurations)
    for mine, theirs in zip(study.configurations, back.configurations, strict=True):
        assert [str(level) for level in mine.values()] == [str(level) for level in theirs.values()]
        assert study.direction(mine) == back.direction(theirs)
        ours, others = study.rankings(mine), back.rankings(theirs)
        np.testing.assert_array_equal(ours.to_numpy(), others.to_numpy())
        assert [str(n) for n in ours.columns] == [str(n) for n in others.columns]
        np.testing.assert_array_equal(study.scores(mine).to_numpy(), back.scores(theirs).to_numpy())


def test_labels_of_several_types_become_text(tmp_path):
    frame = pd.DataFrame({"model": [1, "b"] * 4, "set": np.repeat(range(4), 2), "score": [0.0, 1, 3, 2, 4, 5, 6, 7]})
    study = Study(frame, alternatives="model", target="score", generalize_over="set")
    table, roles = as_table(study)
    write_table(table, tmp_path / "results.parquet")
    request = StudyRequest(str(tmp_path / "results.parquet"), **roles)
    back = request.study(request.read())
    assert back.rankings().sum().to_dict() == {str(name): n for name, n in study.rankings().sum().items()}


def test_what_is_wrong_is_said_in_the_words_of_python_before_anything_is_written(tmp_path):
    frame = pd.DataFrame({"model": ["a", "b"] * 4, "set": np.repeat(range(4), 2), "score": range(8)})
    study = Study(frame, alternatives="model", target="score", generalize_over="set")
    wrong = {
        "path must end in .html": {"path": tmp_path / "mine.txt"},
        "folder that is there": {"path": tmp_path / "nowhere" / "mine.html"},
        "alternative: there is no": {"alternative": "c"},
        "^alpha must be": {"alpha": 95},
        "^delta must be": {"delta": 0},
        "^level must be": {"level": "high"},
        "^budget must be": {"budget": -1},
        "configuration must be": {"configuration": "a"},
        "design factor|no such|configuration": {"configuration": {"scoring": "F1"}},
    }
    for message, options in wrong.items():
        with pytest.raises(ParameterError, match=message):
            report(study, **{"path": tmp_path / "mine.html", **options})
    assert list(tmp_path.iterdir()) == []
