"""Published numbers: the rows as the papers print them."""

import pandas as pd
import pytest

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.generalization.published import published_nstar


def test_the_case_study_of_encoders():
    """Decision tree and support vectors from the first version, boosting and logistic regression from the second."""
    frame = published_nstar("encoders").set_index(["model", "tuning", "scoring"])
    assert frame["published"].to_dict() == {
        ("DTC", "full", "ACC"): 28,
        ("SVC", "full", "BACC"): 34,
        ("LGBMC", "no", "BACC"): 28,
        ("LR", "full", "F1"): 47,
    }
    assert frame["paper"].tolist() == ["first version"] * 2 + ["second version"] * 2
    assert (frame["stated"] == 30).all() and (frame["kernel"] == "Jaccard(1)").all()


def test_the_case_study_of_language_models():
    expected = pd.DataFrame(
        [
            ("arithmetic", 2, 1, 21, "second version"),
            ("conlang_translation", 0, 44, 10, "first version"),
            ("conlang_translation", 0, 65, 10, "second version"),
        ],
        columns=["task_name", "number_of_shots", "published", "stated", "paper"],
    )
    pd.testing.assert_frame_equal(published_nstar("bigbench").drop(columns="kernel"), expected)


def test_another_study():
    with pytest.raises(ParameterError, match=r"study must be one of .*, got 'encodrs'; did you mean 'encoders'"):
        published_nstar("encodrs")
