"""Whatever happens to a file that is kept, nothing else is ever served: the record is run again, or a sentence says no.

Flips one random bit, or cuts a file off at a random place, in every kind of store; ``GENEXPY_NB_DAMAGES`` says how
often, 40 times each by default.
"""

import hashlib
import json
import os
import shutil
import warnings
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from made_up_runs import COMPARISON, known
from made_up_trials import IRIS, quick
from mini_tables import encoders_frame, write, write_registry
from runs.grid import run_testbed
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid

from genexpy_nb import causal, datasets
from genexpy_nb.chapters.causal import load_text_population
from genexpy_nb.common.errors import DataError
from genexpy_nb.common.parallel import run_resumable
from genexpy_nb.datasets import locating
from genexpy_nb.protocol import make_splits
from genexpy_nb.tradeoff.images import ImageTask

N_DAMAGES = int(os.environ.get("GENEXPY_NB_DAMAGES", "26"))
DATA = Path(__file__).resolve().parents[1] / "data"
SPLITS = make_splits(*IRIS, k=3, n_repeats=1)


class Known:
    """Losses that are known, under a name that says what they depend on."""

    key = "known losses"

    def __call__(self, combination, seed):
        return known(combination, seed)


@dataclass(frozen=True)
class Pixels:
    """A backbone that returns the first pixels."""

    size: int

    def features(self, images):
        return images.reshape(len(images), -1)[:, : self.size]


@dataclass(frozen=True)
class FirstPixels:
    """A family whose models need no training."""

    name: str = "pixels"
    members: tuple = ("2", "4")

    def pretrain(self, member, images, labels, seed):
        return Pixels(int(member))


class AddNothing:
    """Noise that leaves every image as it is."""

    def __repr__(self):
        return "AddNothing()"

    def fit(self, images):
        return self

    def degrade(self, images, ssim):
        return images


def images(seed):
    rng = np.random.default_rng(seed)
    labels = np.array(list("abc") * 8)
    pixels = np.clip(rng.normal(0.5, 0.1, (24, 4, 4)) + (labels == "a")[:, None, None] * 0.2, 0, 1)
    return ImageTask("made up", pixels, labels, pixels[::-1], labels[::-1], seen=("a", "b"), unseen=("c",))


def experiment(name):
    frame = pd.DataFrame({"dataset": name, "cv_score": [0.25, 0.5 + len(name) / 100], "time": [1.0, np.nan]})
    frame.attrs = {"fits": 2, "failures": [{"dataset": name, "encoder": "OHE", "reason": "none"}]}
    return frame


def use_experiments(folder):
    table = run_resumable(experiment, {"fair": "0f", "wine:red": "1f", "spector": "2f"}, folder, progress=False)
    table.attrs.pop("cpu_seconds")  # measured anew when a task is run again
    return table


def use_splits(folder):
    splits = make_splits(*IRIS, path=folder / "splits.json")
    about = {"k": splits.k, "seed": splits.seed, "data": splits.data, "versions": splits.versions}
    frame = pd.DataFrame(splits.folds)
    frame.attrs = about | {"sha256": splits.sha256}
    return frame


def use_trials(folder):
    trials = quick({"bayes": GaussianNB(), "centroid": NearestCentroid()}, *IRIS, SPLITS, seeds=[7], folder=folder)
    return trials.scores


def use_pairs(folder):
    return causal.run_paired(COMPARISON, Known(), 5, seed=3, n_compositions=2, folder=folder).frame


def use_grid(folder):
    options = {"folder": folder, "noise": AddNothing(), "progress": False}
    table = run_testbed(images, [FirstPixels()], [0, 1], [0, 1], [1.0], **options)
    table.attrs = {}
    return table


#: Stores whose records can be run again.
RUN_AGAIN = {"trials": use_trials, "pairs": use_pairs, "experiments": use_experiments, "testbed": use_grid}
#: Files that cannot.
READ_ONLY = {
    "splits": use_splits,
    "encoders": lambda _: datasets.load_encoders("bundled"),
    "fewshot": lambda _: datasets.load_bigbench("bundled"),
    "text_population": load_text_population,
    "tradeoff": lambda _: datasets.load_tradeoff_cells(),
    "tradeoff_control": lambda _: datasets.load_tradeoff_control(),
    "tradeoff_measures": lambda _: datasets.load_tradeoff_measures(),
    "published": lambda _: datasets.load_encoders("original"),
    "registry": lambda _: datasets.load_encoders("original"),
}
STORES = RUN_AGAIN | READ_ONLY


def told(table):
    """A hash of all that a table says."""
    rows = pd.util.hash_pandas_object(table).to_numpy().tobytes()
    about = repr((list(table.columns), [str(kind) for kind in table.dtypes], sorted(table.attrs.items())))
    return hashlib.sha256(rows + about.encode()).hexdigest()


def files_of(folder):
    return {path: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """Name of a store -> its folder, filled."""
    base = tmp_path_factory.mktemp("stores")
    folders = {}
    for name in STORES:
        folders[name] = base / name
        folders[name].mkdir()
        for file in [*DATA.glob(f"{name}.json"), *DATA.glob(f"{name}.parquet")] * (name != "registry"):
            shutil.copy(file, folders[name])
    for name, use in RUN_AGAIN.items():
        use(folders[name])
    make_splits(*IRIS, path=folders["splits"] / "splits.json")
    encoders_frame().to_parquet(base / "made.parquet")
    content = (base / "made.parquet").read_bytes()
    table = locating.published("encoders")
    write(folders["published"] / table["file"], content)
    table |= {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content), "rows": 3}
    write_registry(folders["registry"], {"encoders": table, "bigbench": locating.published("bigbench")})
    return folders


def use(name, kept, patch):
    """Read a store with the package's function, as everything that it is."""
    where = kept["registry" if name in ("published", "registry") else name]
    if name not in RUN_AGAIN:
        for module in ("locating.data_folder", "bundled.data_folder"):
            patch.setattr(f"genexpy_nb.datasets.{module}", lambda: where)
    patch.setenv("GENEXPY_NB_DATA", str(kept["published"]))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table = STORES[name](kept[name])
    return table, [str(warning.message) for warning in caught]


def damaged(content, kind, rng):
    if kind == "cut":
        return content[: rng.integers(len(content))]
    position = rng.integers(len(content))
    return content[:position] + bytes([content[position] ^ 1 << rng.integers(8)]) + content[position + 1 :]


def outcome(name, kept, kind, rng, right, patch):
    """Damage one file, use the store, and put it back; say what came of it."""
    before = files_of(kept[name])
    path = list(before)[rng.integers(len(before))]
    broken = damaged(before[path], kind, rng)
    path.write_bytes(broken)
    what = f"{name}: {path.name}, {kind}"
    try:
        table, said = use(name, kept, patch)
    except DataError as error:
        message = str(error)
        assert path.stem in message and "\n" not in message, f"{what}: {message}"
        return "refused"
    except Exception as error:
        raise AssertionError(f"{what}: {type(error).__name__}: {error}") from error
    else:
        assert told(table) == right[name], f"{what}: another table"
        after = files_of(kept[name])
        assert [p for p in after if p != path and after[p] != before.get(p)] == [], what
        assert after.keys() == before.keys(), what
        if after[path] == broken:
            assert name in READ_ONLY and path.suffix == ".json" and not said, f"{what}: used"
            assert json.loads(broken) == json.loads(before[path]), what  # a blank between two tokens
            return "the same"
        assert name in RUN_AGAIN, what
        if path.name.startswith("about-"):  # for people to read: written anew whenever it is not what it should be
            assert after == before and not said, what
            return "written anew"
        assert len([text for text in said if path.name in text and "run again" in text]) == 1, (what, said)
        return "repaired"
    finally:
        for file, content in before.items():
            if file == path or name in RUN_AGAIN:
                file.write_bytes(content)


@pytest.mark.parametrize("kind", ["flip", "cut"])
def test_damage_is_repaired_or_refused_and_never_served(kept, kind, monkeypatch):
    rng = np.random.default_rng([12, kind == "flip"])
    with monkeypatch.context() as patch:
        right = {name: told(use(name, kept, patch)[0]) for name in STORES}
    counts = Counter()
    for number in range(N_DAMAGES):
        name = list(STORES)[number % len(STORES)]
        with monkeypatch.context() as patch:
            counts[outcome(name, kept, kind, rng, right, patch)] += 1
    print(f"{kind}: {dict(counts)}")
    assert counts.total() == N_DAMAGES
    assert min(counts["repaired"], counts["refused"]) >= N_DAMAGES // 5
    assert counts["the same"] <= N_DAMAGES // 10


@pytest.mark.parametrize("name", RUN_AGAIN)
def test_a_record_under_the_name_of_another_is_not_served(name, kept, monkeypatch):
    right, before = told(use(name, kept, monkeypatch)[0]), files_of(kept[name])
    one, other = [path for path in before if path.suffix == ".parquet"][:2]
    shutil.copy(one, other)
    table, said = use(name, kept, monkeypatch)
    assert told(table) == right
    assert any(other.name in text for text in said)
    assert other.read_bytes() != before[one]
