"""Descriptions: the same for the same in every process, another one for everything that can be changed in Python."""

import collections
import dataclasses
import enum
import importlib
import json
import os
import subprocess
import sys
import types
from functools import partial

import numpy as np
import pandas as pd
import pytest
import sklearn
from made_up_changes import CHANGES, GIVEN, NAMES, compiled
from scipy import sparse, stats
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import KFold, RandomizedSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC

from genexpy_nb.common import identity as module
from genexpy_nb.common.errors import DataError, ParameterError
from genexpy_nb.common.hashing import content_hash
from genexpy_nb.common.identity import check_key, describe, describe_data, fingerprint, identity, write_about

# --- plain values -----------------------------------------------------------------------------------------------------


def test_descriptions_are_written_out():
    assert describe([None, True, 3, 1.5, "a", float("nan")]) == [None, True, 3, 1.5, "a", {"float": "nan"}]
    assert describe((np.int8(3), b"")) == {"tuple": [{"int8": "3"}, describe(b"")]}
    assert describe({1: {"b", "a"}}) == {"dict": [[1, {"set": ["a", "b"]}]]}
    assert describe({"a": 1}) == {"dict": {"a": 1}}
    assert describe(np.arange(3)) == {"data": describe_data(np.arange(3))}
    python = f"python {'.'.join(map(str, sys.version_info[:3]))}"
    assert describe(len) == {"library": python, "name": "builtins.len"}
    library = {"library": f"sklearn {sklearn.__version__}", "name": "sklearn.naive_bayes.GaussianNB"}
    assert describe(GaussianNB) == library
    model = describe(GaussianNB(priors=[0.5, 0.5]))
    assert model["class"] == library
    assert model["attributes"] == {"priors": [0.5, 0.5], "var_smoothing": 1e-9}
    assert describe(KFold(3))["attributes"] == {"n_splits": 3, "random_state": None, "shuffle": False}
    frozen = describe(stats.loguniform(1, b=9))["attributes"]
    assert (frozen["args"], frozen["kwds"]) == ({"tuple": [1]}, {"dict": {"b": 9}})
    cut = describe(partial(round, 2.25, ndigits=1))
    assert cut == {
        "partial": describe(round),
        "arguments": {"tuple": [2.25]},
        "keywords": {"dict": {"ndigits": 1}},
    }


Point = collections.namedtuple("Point", "x y")


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a):
        self.a = a


@dataclasses.dataclass
class Settings:
    rate: float = 0.5
    log: list = dataclasses.field(default_factory=list)


def test_values_that_differ_are_told_apart():
    def frozen(limit):
        return FrozenEstimator(GaussianNB().fit([[0.0], [1.0], [limit]], [0, 1, 1]))

    different = [
        *(None, True, 1, 1.0, -0.0, 0.0, "1", b"1", bytearray(b"1"), 1j, float("nan"), float("inf"), "nan", 2**70),
        *([1, 2], (1, 2), [2, 1], {1, 2}, frozenset({1, 2}), {1: 2}, {2: 1}, {"1": 2}, {"a": 1, "b": 2}),
        *({"b": 2, "a": 1}, [[1], 2], [1, [2]], range(3), range(4), slice(1, 2), Ellipsis, "x" * 2000, "x" * 2001),
        *([0.0] * 1500, [0.0] * 1499, {"set": ["a"]}, {"a"}, np.float32(1), np.float64(1), np.int64(1)),
        *(np.zeros(2), np.zeros((2, 1)), np.zeros(2, "float32"), np.zeros(2, int), np.asfortranarray(np.eye(3)[:2])),
        *(np.eye(3)[:2], pd.Series([1]), pd.Series([1], name="a"), pd.DataFrame({"a": [1]}), sparse.eye(2).tocsr()),
        *(sparse.eye(2).tocsc(), np.random.default_rng(0), np.random.default_rng(1), np.random.RandomState(0)),
        *(Point(1, 2), Point(2, 1), Colour.RED, Colour.BLUE, Slotted(1), Slotted(2), Settings(), Settings(0.1)),
        *(
            collections.deque([1]),
            collections.deque([1], maxlen=3),
            collections.Counter("ab"),
            collections.Counter("a"),
        ),
        *(collections.defaultdict(int, a=1), collections.defaultdict(list, a=1), collections.OrderedDict(a=1)),
        *(pd.Timestamp("2020-01-01"), pd.Timestamp("2020-01-02"), np.datetime64("2020-01-01"), pd.Index([1, 2])),
        *(GaussianNB(), GaussianNB(var_smoothing=1e-3), make_pipeline(GaussianNB()), frozen(2.0), frozen(3.0)),
        *(make_pipeline(StandardScaler()).set_output(transform="pandas"), make_pipeline(StandardScaler())),
        *(FunctionTransformer(np.log), FunctionTransformer(np.exp), make_scorer(accuracy_score), accuracy_score),
        *(make_scorer(accuracy_score, greater_is_better=False), make_scorer(accuracy_score, normalize=False)),
        *("abc".upper, "abd".upper, "abc".lower, [].append, stats.norm, stats.expon, stats.norm(1), stats.norm(2)),
        *(np.add, np.subtract, np.vectorize(len), np.vectorize(abs), np.linalg, np.fft, int, float, type(None)),
        *(partial(max, 1), partial(max, 2), partial(min, 1), importlib.util, json, pd.NA, types.SimpleNamespace(a=1)),
        *(types.SimpleNamespace(a=2), types.MappingProxyType({1: 2}), GaussianNB().fit, SVC().fit),
    ]
    told = [json.dumps(describe(value)) for value in different]
    repeated = [str(different[place])[:60] for place, text in enumerate(told) if text in told[:place]]
    assert not repeated
    assert told == [json.dumps(describe(value)) for value in different]  # describing changes nothing


def test_attributes_set_after_construction_count():
    plain, marked = GaussianNB(), GaussianNB()
    marked.limit_ = 3
    assert describe(plain) != describe(marked)


def test_what_contains_itself_is_described():
    ring = [1]
    ring.append(ring)
    other = [2]
    other.append(other)
    assert describe(ring) == [1, {"cycle": 1}] != describe(other)

    def even(n):
        return n == 0 or odd(n - 1)

    def odd(n):
        return n != 0 and even(n - 1)

    assert len(describe(even)["code"]) == 2


# --- code -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_of_code_counts_and_nothing_else(change):
    one, other = (describe(compiled(NAMES + source, **GIVEN)) for source in CHANGES[change])
    assert identity(one) != identity(other)
    lower = NAMES + "\n\n\nUNUSED = 3\ndef unused(): return 4\n" + CHANGES[change][0]
    assert identity(describe(compiled(lower, **GIVEN))) == identity(one)


def test_lines_documentation_and_annotations_do_not_count():
    plain = "def f(a, b=1):\n    x = [\n        a]\n    return lambda: (x, b)"
    dressed = (
        'def f(a: int, b: "t" = 1) -> list:\n    """Say so."""\n\n    x: list = [a]\n    return lambda: (\n x,\n b)'
    )
    assert describe(compiled(plain)) == describe(compiled(dressed))
    plain = "class f:\n    def fit(self):\n        class C:\n            k = 1\n        return C"
    dressed = (
        'class f:\n    """A."""\n    k: int\n\n    def fit(self) -> type:\n        "B."\n        class C:\n'
        '            "C."\n            k = 1\n        return C'
    )
    assert describe(compiled(plain)) == describe(compiled(dressed))


COUNTERS = [
    "calls = []\ndef f(a):\n    calls.append(a)\n    return a",
    "calls = {}\ndef f(a):\n    calls[a] = 1\n    return a",
    "calls = collections.Counter()\ndef f(a):\n    calls['n'] += 1\n    return a",
    "calls = 0\ndef f(a):\n    global calls\n    calls += 1\n    return a",
    "def make():\n  n = 0\n  def f(a):\n    nonlocal n\n    n += 1\n    return a\n  return f\nf = make()",
    "def make():\n    calls = []\n    return lambda a: calls.append(a) or a\nf = make()",
    "def f(a):\n    f.calls += 1\n    return a\nf.calls = 0",
    "class C:\n    n = 0\n    def __call__(self, a):\n        self.n += 1\n        return a\nf = C()",
    "class C:\n    n = 0\n    def __call__(self, a):\n        C.n += 1\n        return a\nf = C()",
    "class C:\n    seen = []\n    def __call__(self, a):\n        self.seen.append(a)\n        return a\nf = C()",
    "class C(GaussianNB):\n    n = 0\n    def __call__(self, a):\n        type(self).n += 1\n        return a\nf = C()",
    "class C:\n  @functools.cached_property\n  def p(self): return 3\n  def __call__(self, a): return self.p\nf = C()",
    "@functools.lru_cache\ndef f(a): return a",
    "f = functools.singledispatch(lambda a: a)",
    "f = np.vectorize(lambda a: a, otypes=[float])",
]


@pytest.mark.parametrize("source", COUNTERS)
def test_counting_calls_changes_nothing(source):
    f = compiled(NAMES + source, GaussianNB=GaussianNB, **GIVEN)
    before = describe(f)
    f(1)
    f(2)
    assert describe(f) == before


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("calls = []\ndef f(a):\n    calls.append(a)\n    return len(calls)", "calls.append(1)"),
        ("calls = {}\ndef f(a):\n    calls[a] = 1\n    return calls", "calls[3] = 2"),
        ("n = 0\ndef g(): return n\ndef f(a):\n    global n\n    n += 1\n    return g()", "n = 7"),
        (
            "class C(GaussianNB):\n    def fit(self): self.priors.append(1)\nf = C()\nf.priors = []",
            "f.priors.append(2)",
        ),
        (
            "class C:\n  k = 1\n  def g(self): self.k += 1\n  def __call__(self): return getattr(self, 'k')\nf = C()",
            "f.k = 5",
        ),
    ],
)
def test_what_is_written_and_read_counts(one, other):
    names = {"GaussianNB": GaussianNB}
    assert describe(compiled(one, **names)) != describe(compiled(f"{one}\n{other}", **names))


# --- modules and packages ---------------------------------------------------------------------------------------------


@pytest.fixture
def local(tmp_path, monkeypatch):
    """Write, import and write again a user's module."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write(source, name="helpers_of_a_user"):
        (tmp_path / f"{name}.py").write_text(source)
        sys.modules.pop(name, None)
        importlib.invalidate_caches()
        return importlib.import_module(name)

    yield write
    sys.modules.pop("helpers_of_a_user", None)


@pytest.mark.parametrize(
    "use",
    [
        "import helpers_of_a_user\ndef f(a): return helpers_of_a_user.score(a)",
        "import helpers_of_a_user as h\ndef f(a): return [lambda: h.score(a)]",
        "import helpers_of_a_user as h\ndef f(a): return getattr(h, 'sc' + 'ore')(a)",
        "from helpers_of_a_user import score\ndef f(a): return score(a)",
        "def f(a):\n    import helpers_of_a_user\n    return helpers_of_a_user.score(a)",
        "def f(a):\n    from helpers_of_a_user import score as s\n    return s(a)",
        "import helpers_of_a_user as h\nf = h.score",
        "import helpers_of_a_user as h\nclass f(h.Model): pass",
        "import helpers_of_a_user as h\nf = h.Model().fit",
    ],
)
@pytest.mark.parametrize("version", ["", "__version__ = '1.0'\n"])
def test_a_users_modules_count(local, use, version):
    source = version + "K = 1\ndef score(a): return a + K\nclass Model:\n    def fit(self): return score(1)\n"
    told = []
    for text in (source, "\n# moved\n" + source, source.replace("K = 1", "K = 2"), source.replace("a + K", "a - K")):
        local(text)
        told.append(identity(describe(compiled(use))))
    assert told[0] == told[1]
    assert len(set(told)) == 3


def test_an_installed_package_stands_by_its_version(monkeypatch):
    before = describe(SVC(kernel=accuracy_score))
    assert f"sklearn {sklearn.__version__}" in json.dumps(before)
    module.library.cache_clear()
    sys.modules["genexpy_nb.common.code"]._version_of.cache_clear()
    monkeypatch.setattr(sklearn, "__version__", "0.1")
    try:
        assert describe(SVC(kernel=accuracy_score)) != before
    finally:
        module.library.cache_clear()
        sys.modules["genexpy_nb.common.code"]._version_of.cache_clear()


@pytest.mark.parametrize("place", ["method", "module", "base"])
def test_a_library_that_was_changed_by_hand_counts(monkeypatch, place):
    before = describe(GaussianNB())
    where = {"method": GaussianNB, "module": sys.modules["sklearn.naive_bayes"], "base": BaseEstimator}[place]
    name = {"method": "predict", "module": "check_non_negative", "base": "get_params"}[place]
    monkeypatch.setattr(where, name, lambda *arguments, **named: {})
    after = describe(GaussianNB())
    assert after != before
    monkeypatch.setattr(where, name, lambda *arguments, **named: {"a": 1})
    assert describe(GaussianNB()) not in (before, after)


# --- what is refused --------------------------------------------------------------------------------------------------

UNTOLD = {
    "open file": "import os\nk = open(os.devnull)\ndef f(): return k",
    "generator": "k = (i for i in [1])\ndef f(): return k",
    "lock": "import threading\nk = threading.Lock()\ndef f(): return k",
    "lock in an attribute": "import threading\nclass C: pass\nf = C()\nf.k = threading.Lock()",
    "eval": "def f(): return eval('1')",
    "exec in a helper": "def g(): exec('1')\ndef f(): return g()",
    "globals": "def f(): return globals()['a']",
    "import by name": "import importlib\ndef f(): return importlib.import_module('helpers')",
    "memory": "k = memoryview(b'a')\ndef f(): return k",
    "wrapped in C": "import numpy\nf = numpy.frompyfunc(lambda a: a, 1, 1)",
    "database": "import sqlite3\nk = sqlite3.connect(':memory:')\ndef f(): return k",
    "weak reference": "import weakref\nclass C: pass\nc = C()\nk = weakref.ref(c)\ndef f(): return k",
}


@pytest.mark.parametrize("what", UNTOLD)
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_what_cannot_be_told_apart_is_refused_by_name(what):
    f = compiled(UNTOLD[what])
    with pytest.raises(ParameterError, match=r"^cannot tell .*evaluate.* from another one: .*; give key="):
        describe(f, "evaluate", "give key=")


def test_too_much_is_refused(monkeypatch):
    monkeypatch.setattr(module, "_MAX_VALUES", 50)
    with pytest.raises(ParameterError, match="more than 50 values"):
        describe([[i, i] for i in range(100)])
    nested = []
    for _ in range(100_000):
        nested = [nested]
    monkeypatch.undo()
    with pytest.raises(ParameterError, match="without end"):
        describe(nested)
    while nested:  # so that it is not taken apart recursively
        nested = nested[0]


@pytest.mark.parametrize("key", ["", 3, b"a"])
def test_a_key_is_a_text(key):
    with pytest.raises(ParameterError, match="key must be a text that is not empty"):
        check_key(key)
    assert check_key(None) is None


# --- data -------------------------------------------------------------------------------------------------------------


def test_data_counts_with_all_that_a_model_can_see():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": ["u", "v"]})
    masked = np.ma.masked_array([1.0, 2.0], [False, True])
    multi = pd.MultiIndex.from_tuples([(1, "a"), (2, "b")])
    noted = frame.copy()
    noted.attrs["from"] = "here"
    different = [
        *(frame, frame[["b", "a"]], frame.iloc[::-1], frame.set_axis([5, 6]), frame.set_axis(["x", "y"])),
        *(frame.rename(columns={"a": "A"}), frame.astype({"a": "float32"}), frame.astype({"a": int}), noted),
        *(frame.astype({"b": "category"}), frame.astype({"b": pd.CategoricalDtype(["v", "u"])}), frame.set_axis(multi)),
        *(frame.astype({"b": pd.CategoricalDtype(["u", "v"], ordered=True)}), frame.rename_axis("row")),
        *(frame.astype({"b": pd.CategoricalDtype(["u", "v", "w"])}), frame.astype({"b": object}), frame.iloc[:1]),
        *(frame.set_axis([1, "b"], axis=1), frame.set_axis(["1", "b"], axis=1), frame["a"], frame["a"].rename("c")),
        *(frame["a"].to_numpy(), frame["a"].to_numpy("float32"), frame["a"].to_list(), tuple(frame["a"])),
        *(np.eye(3), np.asfortranarray(np.eye(3)), sparse.csr_array(np.eye(3)), sparse.csc_array(np.eye(3))),
        *(sparse.csr_matrix(np.eye(3)), sparse.csr_array(np.eye(3, dtype="float32")), np.eye(3, dtype=int)),
        *(np.eye(3)[:, :2], np.eye(3)[:2], np.eye(3).ravel(), np.array([[1, 2]]), np.array([[1], [2]])),
        *(masked, masked.filled(0.0), np.ma.masked_array([1.0, 2.0], [True, False]), [1, 2], [1, True], [True, 1]),
        *([1.0, 2], [[1, 2], [3, 4]], [(1, 2), (3, 4)], np.array(["a", "b"]), np.array(["a", "b"], object)),
        *(np.array([1, 2], ">i4"), np.array([1, 2], "<i4"), pd.Series(["a", "b"], dtype="category")),
    ]
    told = [json.dumps(describe_data(data)) for data in different]
    assert [str(different[i]) for i, text in enumerate(told) if text in told[:i]] == []
    assert describe_data(frame) == describe_data(frame.copy())
    assert describe_data(frame)["sha256"] == content_hash(frame)
    if np.finfo(np.longdouble).nmant > 52:
        more = np.array([1.0], dtype=np.longdouble)
        assert describe_data(more) != describe_data(more + np.finfo(np.longdouble).eps)


def test_data_that_cannot_be_hashed():
    with pytest.raises(DataError, match="value 1 is a object"):
        describe_data([1.0, object()])


def test_fingerprint_sees_shapes_types_settings_and_versions(monkeypatch):
    frame = pd.DataFrame({"a": [1.5, 2.5], "b": ["x", "y"]})
    changed = [
        (frame, np.arange(6), 0),
        (frame, np.arange(6).reshape(2, 3), 0),
        (frame, np.arange(6).reshape(3, 2), 0),
        (frame, np.arange(6.0), 0),
        (frame.rename(columns={"a": "A"}), np.arange(6), 0),
        (frame.assign(b=["x", "z"]), np.arange(6), 0),
        (frame, np.arange(1, 7), 0),
        (frame, np.arange(6), 1),
        (frame, np.arange(6), True),
    ]
    assert len({fingerprint(*parts) for parts in changed}) == len(changed)
    assert fingerprint(*changed[0]) == fingerprint(frame.copy(), np.arange(6), 0)
    before = fingerprint(frame)
    monkeypatch.setattr(module, "versions", lambda: {"numpy": "0.1"})
    assert fingerprint(frame) != before


# --- other processes --------------------------------------------------------------------------------------------------

SCRIPT = """
import enum, functools, json
from dataclasses import dataclass, field
import numpy as np
from scipy.stats import loguniform
from sklearn.base import BaseEstimator
from sklearn.model_selection import KFold, RandomizedSearchCV
from sklearn.svm import SVC
from genexpy_nb.common.identity import describe

WORDS = {"north", "south", "east", "west"}
KINDS = {str, int, float}
ACTIONS = {len, sum, max}

class Colour(enum.Enum):
    RED = {"a", "b", "c"}
    BLUE = frozenset({"d", "e", "f"})

@dataclass
class Model(BaseEstimator):
    words: set = field(default_factory=lambda: {"x", "y", "z"})

    def fit(self, X, y):
        return {"p", "q", "r"} & WORDS, isinstance(X, tuple(KINDS)), X in {"k", "l", ("m", frozenset({"n", "o"}))}

@functools.cache
def helper(a, names=frozenset({"s", "t", "u"})):
    class Inner:
        first = second = third = {"v", "w"}
        def go(self):
            self.alpha = self.beta = self.gamma = a
    return a in WORDS, Inner, Colour

def evaluate(combination, seed):
    return helper(combination), {w: 1 for w in {"g", "h", "i"}}, [f(KINDS) for f in ACTIONS]

print(json.dumps(describe([
    evaluate, Model(), RandomizedSearchCV(SVC(), {"C": loguniform(1, 9)}, cv=KFold(3)), {evaluate, helper, 3, "a", None}
])))
"""


def test_another_process_and_another_hash_seed_say_the_same(tmp_path):
    """As a script in two folders, and with the same code further down: nothing of that is in a description."""
    said = set()
    for seed in ("1", "2"):
        folder = tmp_path / seed
        folder.mkdir()
        (folder / f"script{seed}.py").write_text("\n" * int(seed) + SCRIPT)
        done = subprocess.run(
            [sys.executable, str(folder / f"script{seed}.py")],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=folder,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        said.add(done.stdout)
    assert len(said) == 1


def test_state_of_the_global_generators_does_not_count():
    search = RandomizedSearchCV(SVC(), {"C": stats.loguniform(1, 9), "gamma": stats.norm}, cv=KFold(3))
    before = describe(search)
    np.random.random()  # noqa: NPY002
    assert describe(search) == before


def test_write_about_is_read_by_people_and_written_once(tmp_path):
    about = {"what": "a run", "evaluate": describe(compiled("K = 'seen'\ndef f(): return K"))}
    path = write_about(tmp_path, about)
    assert json.loads(path.read_text()) == about
    assert "made_up.f" in path.read_text() and "seen" in path.read_text()
    stamp = path.stat().st_mtime_ns
    assert write_about(tmp_path, about) == path and path.stat().st_mtime_ns == stamp
    path.write_bytes(b"\xff")
    write_about(tmp_path, about)
    assert json.loads(path.read_text()) == about
