"""The file that a study is read from: the order of its rows and columns changes nothing."""

import numpy as np
import pandas as pd
import pytest

from genexpy_nb.generalization.kernels import JaccardKernel, MallowsKernel
from genexpy_nb.own_study.request import StudyRequest

KERNELS = [JaccardKernel(), MallowsKernel()]
COLUMNS = ["model", "version", "family", "dataset", "seed", "task", "auc", "seconds"]


def results():
    """Three models in two versions, eight data sets of four families, two seeds, two metrics; some are missing."""
    rng = np.random.default_rng(0)
    rows = [
        (model, version, f"f{data // 2}", f"d{data:02}", seed, task)
        for model in ("tree", "svm", "knn")
        for version in (1, 2)
        for data in range(8)
        for seed in range(2)
        for task in ("x", "y")
    ]
    frame = pd.DataFrame(rows, columns=COLUMNS[:-2])
    quality = frame["model"].map({"tree": 0.7, "svm": 0.75, "knn": 0.6}) + 0.01 * frame["version"]
    frame["auc"] = (quality + rng.normal(scale=0.05, size=len(frame))).round(4)
    frame["seconds"] = rng.exponential(size=len(frame)).round(3)
    absent = (frame["dataset"] == "d04") & (frame["model"] == "knn") & (frame["version"] == 2)
    return frame[~absent].reset_index(drop=True)


def request(path="", **options):
    asked = {
        "alternatives": ["model", "version"],
        "target": ["auc=higher"],
        "over": ["dataset"],
        "design": ["task"],
        "average": ["seed"],
        "cluster": "family",
        "configuration": ["task=y"],
        "budget": 5,
    }
    return StudyRequest(results=str(path), **asked | options)


def said(asked, frame=None):
    """Scores, n*, tiers and the answers of the study."""
    study = asked.study(frame)
    frames = [study.nstar(KERNELS)]
    for configuration in study.configurations:
        frames += [getattr(study, name)(configuration) for name in ("scores", "tiers", "contenders", "ranking")]
    return frames, [*asked.answers(study).sentences, *study.notes]


def shuffled(frame, seed):
    rng = np.random.default_rng(seed)
    return frame.sample(frac=1, random_state=seed)[list(rng.permutation(frame.columns))]


OPTIONS = {"clusters": {}, "two metrics": {"target": ["auc=higher", "seconds=lower"], "configuration": []}}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_shuffled_rows_and_columns_of_the_file(tmp_path, options):
    shuffled(results(), 1).to_csv(tmp_path / "results.csv", index=False)
    found, words = said(request(tmp_path / "results.csv", **options))
    expected, expected_words = said(request(**options), results())
    assert words == expected_words
    for one, other in zip(found, expected, strict=True):
        pd.testing.assert_frame_equal(one, other, check_exact=True)
