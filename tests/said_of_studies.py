"""Made-up studies, and everything that they say, by the old names of the alternatives."""

import warnings

import numpy as np
import pandas as pd

from genexpy_nb.common.errors import StudyWarning
from genexpy_nb.datasets.locating import load_bigbench, load_encoders
from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, MallowsKernel
from genexpy_nb.study.study import Study
from tests.made_up_results import crossed

MODELS = ["bayes", "forest", "knn", "svm", "tree"]
ROLES_OF_ENCODERS = {"alternatives": "encoder", "target": "score", "generalize_over": "dataset", "design": ["model"]}
KERNELS = [BordaKernel("svm"), JaccardKernel(1), MallowsKernel()]
DELTAS = (0.05, 0.05, 0.05)
CONFIGURATION = {"task": "texts"}
SIZES = [2, 5, 10, 20, 40]

#: The same models, called so that they are sorted as before, and otherwise.
IN_ORDER = dict(zip(MODELS, ["b $x^2$", "f <i>", "k & co", "s_1", "t%"], strict=True))
IN_ANOTHER_ORDER = dict(zip(MODELS, ["w4", "w2", "w5", "w1", "w3"], strict=True))


def matrix(means, n=30, scale=0.1, rng=0):
    """Normal scores of a, b, c ... on so many data sets."""
    names = [chr(ord("a") + i) for i in range(len(means))]
    values = np.random.default_rng(rng).normal(means, scale, (n, len(means)))
    return pd.DataFrame(values, columns=pd.Index(names, name="model")).rename_axis("dataset")


def scores_of_encoders(n_datasets, seeds=(0,), encoders=("BE", "OHE", "TE", "WOE"), missing=0.0, rng=0):
    """Scores in steps of .01, which tie now and then, of encoders that differ, but not clearly; some may be missing."""
    rng = np.random.default_rng(rng)
    datasets = [f"d{number:02}" for number in range(n_datasets)]
    frame = crossed(encoder=encoders, model=["DTC", "LR"], dataset=datasets, seed=seeds)
    quality = frame["encoder"].map({name: 0.1 * i for i, name in enumerate(encoders)})
    frame["score"] = (quality + rng.normal(scale=0.3, size=len(frame))).round(2)
    return frame[rng.random(len(frame)) >= missing].reset_index(drop=True)


def of_runs(n=6, k=3, n_runs=4, seed=0, levels=None, noise=1.0):
    """Single runs: experiments differ by 2, alternatives in them by .1, runs by the noise; with levels, ties."""
    rng = np.random.default_rng(seed)
    places = np.indices((n, k, n_runs)).reshape(3, -1)
    table = pd.DataFrame({"data": places[0], "model": np.array(list("abcdef"))[places[1]], "seed": places[2]})
    of_cells = rng.normal(0, 2, (n, 1)) + 0.5 * np.arange(k) + rng.normal(0, 0.1, (n, k))
    table["score"] = of_cells[places[0], places[1]] + rng.normal(0, noise, len(table))
    return table.assign(score=rng.integers(0, levels, len(table)).astype(float)) if levels else table


ROLES_OF_RUNS = {"alternatives": "model", "target": "score", "generalize_over": "data", "average_over": "seed"}


def encoder_study(source):
    design = ["model", "tuning", "scoring"]
    return Study(load_encoders(source=source), alternatives="encoder", target="cv_score", over="dataset", design=design)


def published_bigbench():
    roles = {"alternatives": "model_family_model_name", "target": "score_value", "over": "subtask_description"}
    table = load_bigbench(source="original")
    return Study(table, **roles, design=["task_name", "number_of_shots"], missing="drop")


def made_up_table():
    """Two tasks on ten data sets: steps of .01 that tie, one evaluation in twelve missing, and two of one data set.

    So the policy "drop" leaves out a data set, and "worst-rank" and "complete" have something to do.
    """
    rng = np.random.default_rng(0)
    frame = crossed(task=["images", "texts"], dataset=[f"d{d:02}" for d in range(10)], model=MODELS)
    quality = frame["model"].map(dict(zip(MODELS, [0.7, 0.74, 0.5, 0.71, 0.6], strict=True)))
    frame["score"] = (quality + rng.normal(scale=0.06, size=len(frame))).round(2)
    keep = rng.random(len(frame)) > 0.08
    keep &= ~((frame["dataset"] == "d03") & frame["model"].isin(["knn", "tree"])).to_numpy()
    return frame[keep].reset_index(drop=True)


def made_up_study(frame, **roles):
    given = {"alternatives": "model", "target": "score", "generalize_over": "dataset", "design": "task", **roles}
    with warnings.catch_warnings(action="ignore", category=StudyWarning):
        return Study(frame, **given)


def shuffled(frame, seed=1):
    """The same rows in another order, the columns too, and every factor an ordered categorical in any order."""
    rng = np.random.default_rng(seed)
    frame = frame.sample(frac=1, random_state=seed)[rng.permutation(frame.columns)]
    for column in ("model", "dataset", "task"):
        levels = rng.permutation([*frame[column].unique(), "never used"])
        frame[column] = pd.Categorical(frame[column], levels, ordered=True)
    return frame


def following(kernels, renamed):
    """The same questions about renamed alternatives."""
    return [
        BordaKernel(renamed[kernel.alternative]) if isinstance(kernel, BordaKernel) else kernel for kernel in kernels
    ]


def said_of(study, kernels=KERNELS, deltas=DELTAS, renamed=None):
    """Everything that a study says of one configuration, as frames with the old names, in one order."""
    back = {new: old for old, new in (renamed or {}).items()}
    said = {**_positions(study, back), **_tests(study, back)}
    for kernel, delta in zip(kernels, deltas, strict=True):
        said |= _of_kernel(study, kernel, delta, back)
    return said


def assert_same(found, expected, factor=1.0, **exact):
    """Scores and their differences change with the unit and the sign, and nothing else does."""
    assert found.keys() == expected.keys()
    for what, value in expected.items():
        value = value.copy()
        if "by score" in what:
            value[["estimate", "low", "high"]] *= abs(factor)  # positive is ahead, whatever the sign
        if what[0] == "pairs":
            value["mean_difference"] *= factor
        if what[0] == "regret":
            value["score_regret"] *= abs(factor)
        if what[0] == "ranks":
            scores = [name for name in value if "score" in name]
            value[scores] *= factor
            if factor < 0:
                value = value.rename(columns={"score_low": "score_high", "score_high": "score_low"})[list(value)]
        close = exact or {"rtol": 1e-7, "atol": 1e-11}
        pd.testing.assert_frame_equal(found[what], value, check_names=False, obj=str(what), **close)


def _positions(study, back):
    said = {}
    for incomplete in (False, True):
        ranks = study.ranking(CONFIGURATION, rank_incomplete=incomplete)
        said["ranks", incomplete] = ranks.rename(index=back).sort_index()
    said["regret", "by rank"] = study.regret(None, CONFIGURATION)
    return said


def _tests(study, back):
    overall, best = study.friedman(CONFIGURATION), study.best(CONFIGURATION)
    said = {
        "mean ranks": overall.mean_ranks.rename(back).sort_index().to_frame(),
        "friedman": pd.DataFrame({"p": [overall.chi2, overall.p, overall.p_f]}),
        "best": pd.DataFrame({"best": [sorted(back.get(a, a) for a in best.best)], "p": best.p}),
        "contenders": pd.DataFrame({"contenders": [sorted(back.get(a, a) for a in best.contenders)]}),
    }
    for by in ("rank", "score"):
        tiers = study.tiers(CONFIGURATION, by=by).rename(index=back)
        said["tiers", by] = tiers.assign(leader=tiers["leader"].map(lambda a: back.get(a, a))).sort_index()
        said["gaps", f"by {by}"] = study.contenders(CONFIGURATION, by=by).rename(index=back).sort_index()
        said["pairs", f"by {by}"] = _oriented(study.pairs(CONFIGURATION, by=by), back)
    return said


def _of_kernel(study, kernel, delta, back):
    name = type(kernel).__name__
    said = {("curves", name): study.curves(CONFIGURATION, kernel, delta, SIZES).drop(columns="kernel")}
    for method in ("moments", "resampling"):
        nstar = study.nstar(kernel, [0.8, 0.95], delta, method, n_resamples=50)
        said["nstar", name, method] = nstar.drop(columns=["kernel", "delta"])
    return said


def _oriented(pairs, back):
    """Rows by the old names in alphabetical order; what has a side is turned round with its pair."""
    result = pairs.assign(**{name: pairs[name].map(lambda a: back.get(a, a)) for name in ("a", "b", "better")})
    swap = (result["a"] > result["b"]).to_numpy()
    named = result.copy()
    for one, other in (("a", "b"), ("wins", "losses"), ("low", "high")):
        sign = -1 if one == "low" else 1
        for here, there in ((one, other), (other, one)):
            result.loc[swap, here] = (named.loc[swap, there] if sign > 0 else -named.loc[swap, there]).to_numpy()
    result.loc[swap, ["estimate", "mean_difference"]] *= -1
    result.loc[swap, "probability_of_improvement"] = 1 - named.loc[swap, "probability_of_improvement"]
    return result.set_index(["a", "b"]).sort_index()
