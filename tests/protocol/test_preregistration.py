"""Preregistration: a plan is kept or its deviations are named, one by one; the file cannot be changed unseen."""

import hashlib
import json
from itertools import combinations

import pytest
from made_up_trials import IRIS, WINE, quick
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid

from genexpy_nb.common.errors import DataError, ParameterError, StudyError
from genexpy_nb.common.files import with_checksum
from genexpy_nb.protocol import check_preregistration, compare, make_splits, preregister

MODELS = {"bayes": GaussianNB(), "near": KNeighborsClassifier(3), "centroid": NearestCentroid()}
METRICS = ["accuracy", "f1_macro"]
SPLITS = make_splits(*IRIS, k=3, n_repeats=1)


class Shifted(NearestCentroid):
    """A model whose parameters say nothing of its code."""

    def predict(self, X):
        return super().predict(X + 0)


SHIFTED = Shifted


class Shifted(NearestCentroid):
    """Another one of the same name and the same parameters."""

    def predict(self, X):
        return super().predict(X + 1)


def plan_of(folder, **changes):
    plan = {"models": MODELS, "metrics": METRICS, "seeds": [7, 13], "splits": SPLITS, "n_resamples": 100, **changes}
    return preregister(folder / "plan.json", **plan)


def run(models=MODELS, seeds=(7, 13), metric=METRICS):
    return compare(quick(models, *IRIS, SPLITS, seeds=seeds, metric=metric), n_resamples=100)


@pytest.fixture(scope="module")
def trials():
    return quick(MODELS, *IRIS, SPLITS, seeds=[7, 13], metric=METRICS)


@pytest.fixture(scope="module")
def kept(trials):
    return compare(trials, n_resamples=100)


def test_a_plan_that_was_kept(tmp_path, trials, kept):
    plan = plan_of(tmp_path)
    content = plan.path.read_bytes()
    assert plan.sha256 == hashlib.sha256(content).hexdigest()  # what sha256sum says
    assert plan.sha256 in repr(plan)
    assert content == (json.dumps(json.loads(content), sort_keys=True, indent=1) + "\n").encode()
    table = check_preregistration(plan.path, kept, sha256=plan.sha256, models=MODELS, metrics=METRICS)
    status = table.set_index("item")["status"]
    assert set(status) == {"agrees", "not checked"}
    assert status[status == "not checked"].index.to_list() == ["adjustment", "test", "rope", "stopping"]
    assert table.set_index("item").loc["number of hypotheses", ["planned", "found"]].to_list() == ["6", "6"]
    assert plan.plan["hypotheses"] == [[metric, *pair] for metric in METRICS for pair in combinations(MODELS, 2)]
    assert table.set_index("item").loc["test", "planned"] == "corrected t"
    of_trials = check_preregistration(plan.path, trials)
    assert of_trials.set_index("item").loc["number of trials", ["found", "status"]].to_list() == ["18", "agrees"]
    assert of_trials.set_index("item").loc["level", "status"] == "not checked"
    assert of_trials.set_index("item").loc["model bayes, code", "status"] == "not checked"


def test_the_order_of_models_and_seeds_does_not_count(tmp_path):
    plan = plan_of(tmp_path)
    turned = run(dict(reversed(MODELS.items())), seeds=[13, 7], metric=METRICS[::-1])
    check_preregistration(plan.path, turned)


@pytest.mark.parametrize(
    ("change", "differ"),
    [
        ({"seeds": [7, 21]}, {"seeds"}),
        ({"models": {**MODELS, "near": KNeighborsClassifier(4)}}, {"model near"}),
        ({"models": {**MODELS, "far": KNeighborsClassifier(99)}}, {"models", "number of hypotheses", "hypotheses"}),
        ({"metrics": ["accuracy"]}, {"metrics", "number of hypotheses", "hypotheses"}),
        ({"splits": make_splits(*IRIS, k=3, n_repeats=1, seed=1)}, {"splits"}),
        ({"splits": make_splits(*IRIS, k=4, n_repeats=1)}, {"splits", "k", "folds compared"}),
        ({"splits": make_splits(*WINE, k=3, n_repeats=1)}, {"data, X", "data, y", "n_rows", "splits"}),
        ({"level": 0.1}, {"level"}),
    ],
    ids=lambda value: None if isinstance(value, dict) else ", ".join(sorted(value)),
)
def test_each_deviation_is_named(change, differ, tmp_path, kept):
    plan = plan_of(tmp_path, **change)
    words = rf"{len(differ)} of \d+ items differ from the preregistration"
    with pytest.raises(StudyError, match=words) as said:
        check_preregistration(plan.path, kept, sha256=plan.sha256)
    assert all(f"{item}: planned" in str(said.value) for item in differ)


def test_code_behind_the_same_name_and_parameters(tmp_path):
    models = {"shifted": SHIFTED(), "bayes": GaussianNB()}
    others = {"shifted": Shifted(), "bayes": GaussianNB()}
    plan = plan_of(tmp_path, models=models, metrics=["accuracy"])
    found = run(others, metric="accuracy")
    check_preregistration(plan.path, found)  # nobody showed it the models
    check_preregistration(plan.path, found, models=models)
    with pytest.raises(StudyError, match=r"1 of .*: model shifted, code: planned"):
        check_preregistration(plan.path, found, models=others)
    with pytest.raises(StudyError, match="metric accuracy, code"):
        check_preregistration(plan.path, found, metrics={"accuracy": "f1_macro"})


def test_what_has_no_identity_is_not_checked(tmp_path):
    with (tmp_path / "open").open("w") as file:
        models = {"open": GaussianNB(priors=None), "bayes": GaussianNB()}
        models["open"].file = file
        plan = plan_of(tmp_path, models=models)
        assert plan.plan["models"]["open"]["identity"] is None
        table = check_preregistration(plan.path, run(models), models=models).set_index("item")
    assert table.loc["model open, code", "status"] == "not checked"
    assert table.loc["model bayes, code", "status"] == "agrees"


def test_a_changed_file_is_noticed(tmp_path, kept):
    plan = plan_of(tmp_path, level=0.1)
    content = plan.path.read_text()
    plan.path.write_text(content.replace('"level": 0.1', '"level": 0.05'))
    with pytest.raises(DataError, match="does not fit its own checksum"):
        check_preregistration(plan.path, kept)
    forged = {name: value for name, value in json.loads(content).items() if name != "checksum"} | {"level": 0.05}
    plan.path.write_text(json.dumps(with_checksum(forged), sort_keys=True, indent=1) + "\n")
    check_preregistration(plan.path, kept)  # a checksum can be forged
    with pytest.raises(DataError, match="damaged or another file: expected SHA-256"):
        check_preregistration(plan.path, kept, sha256=plan.sha256)  # the hash cannot
    plan.path.unlink()
    with pytest.raises(DataError, match="is missing"):
        check_preregistration(plan.path, kept)
    plan.path.write_text(json.dumps(with_checksum({"format": "another"})))
    with pytest.raises(DataError, match="is no preregistration"):
        check_preregistration(plan.path, kept)


def test_a_plan_is_not_changed_afterwards(tmp_path):
    plan = plan_of(tmp_path)
    assert plan_of(tmp_path).sha256 == plan.sha256  # the same again, as when a notebook is run again
    before = plan.path.read_bytes()
    with pytest.raises(DataError, match="holds another plan"):
        plan_of(tmp_path, level=0.1)
    assert plan.path.read_bytes() == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"models": {"a": GaussianNB()}}, "there is a single model, 'a'"),
        ({"metrics": "acuracy"}, "did you mean 'accuracy'"),
        ({"seeds": [7, 7]}, "each once"),
    ],
)
def test_plans_that_cannot_be_run(change, message, tmp_path):
    with pytest.raises(ParameterError, match=message):
        plan_of(tmp_path, **change)
    assert not (tmp_path / "plan.json").exists()
