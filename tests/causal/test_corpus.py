"""The corpus of docstrings, against packages written for the purpose and against what the packages say themselves."""

import gc
import inspect
import re
import sys
from importlib import import_module

import pandas as pd
import pytest

from genexpy_nb.causal.corpus import docstring_corpus

FIRST = '''
"""Modules are not documents, however long what they say about themselves may be."""


def add(a, b):
    """Add two numbers, as FIRSTPACK does it, not as otherpack.sums does it elsewhere.

    A second paragraph.

    Parameters
    ----------
    a, b : float
        Not part of the description at all.
    """

    def inner():
        """This one is inside of a function and therefore not public at all."""


def short():
    """Too short."""


def _hidden():
    """This one is private, and so it does not count as a document."""


class Thing:
    """A thing that has a method, and that describes itself in one sentence."""

    def act(self):
        """Act upon something, at once, and without any further questions.

        .. versionadded:: 1.0
        """


def again():
    """A thing that has a method, and that describes itself in one sentence."""


def shared():
    """This sentence stands in both of the packages, so it has no label."""
'''
OTHER = '''
def shared():
    """This sentence stands in both of the packages, so it has no label."""


def own(values):
    """Only this package has this sentence, which is about nothing much."""


async def waits():
    """Whether coroutines count or do not count has been left open here."""
'''


@pytest.fixture
def packages(tmp_path, monkeypatch):
    for name, files in {
        "firstpack": {"__init__.py": "raise RuntimeError('must not be imported')", "sub/code.py": FIRST},
        "otherpack": {"__init__.py": "", "sums.py": OTHER, "tests/test_sums.py": OTHER.replace("own", "tested")},
    }.items():
        for path, text in files.items():
            file = tmp_path / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    return ["firstpack", "otherpack"]


def test_descriptions_of_what_is_public_without_importing_it(packages):
    corpus = docstring_corpus(packages)
    found = corpus[corpus["label"] == "firstpack"].set_index("name")
    assert found.index.to_list() == ["Thing", "Thing.act", "add"]
    assert set(found["module"]) == {"sub/code.py"}
    told = "Add two numbers, as does it, not as .sums does it elsewhere. A second paragraph."
    assert found.loc["add", "text"] == told
    assert found.loc["Thing.act", "text"] == "Act upon something, at once, and without any further questions."
    assert "own" in set(corpus.loc[corpus["label"] == "otherpack", "name"])
    assert not corpus["text"].str.contains("stands in both").any()
    assert corpus["text"].is_unique
    assert "firstpack" not in sys.modules
    assert corpus.attrs["available"] == corpus["label"].value_counts().to_dict()
    assert corpus.attrs["about"].startswith(f"{len(corpus)} docstrings of 2 packages (firstpack, otherpack), ")


def test_equal_shares_as_far_as_there_are_enough():
    few = docstring_corpus(["scipy.fft", "scipy.spatial"], max_documents=60)
    assert few["label"].value_counts().to_dict() == {"scipy.fft": 30, "scipy.spatial": 30}
    available = few.attrs["available"]
    more = docstring_corpus(["scipy.fft", "scipy.spatial"], max_documents=available["scipy.fft"] + 50)
    assert more["label"].value_counts().to_dict() == {"scipy.spatial": 50, "scipy.fft": available["scipy.fft"]}
    everything = docstring_corpus(["scipy.fft", "scipy.spatial"], max_documents=10**6)
    assert everything["label"].value_counts().to_dict() == available
    assert set(few["text"]) <= set(everything["text"])


def test_same_seed_same_corpus_and_another_seed_another():
    options = {"packages": ["scipy.cluster", "scipy.fft"], "max_documents": 40}
    one = docstring_corpus(**options, rng=3)
    pd.testing.assert_frame_equal(one, docstring_corpus(**options, rng=3))
    assert one["text"].to_list() != docstring_corpus(**options, rng=4)["text"].to_list()


def test_texts_are_what_the_packages_say():
    """The reader of source files agrees with Python's own docstrings."""
    corpus = docstring_corpus(["sklearn.cluster", "sklearn.tree"], max_documents=60)
    names = re.compile(r"(?<![a-z])(scikit-learn|scikit|sklearn|cluster|tree)(?![a-z])", re.IGNORECASE)
    for row in corpus.itertuples():
        member = import_module(f"{row.label}.{row.module.removesuffix('.py').replace('/', '.')}")
        for part in row.name.split("."):
            member = getattr(member, part)
        said = names.sub(" ", inspect.getdoc(member))
        assert " ".join(said.split()).startswith(row.text)
        assert "Parameters" not in row.text
    assert len(corpus) == 60


@pytest.mark.parametrize("wanted", [True, False])
def test_the_collector_of_garbage_is_left_as_it_was(packages, wanted):
    was_on = gc.isenabled()
    try:
        (gc.enable if wanted else gc.disable)()
        docstring_corpus(("firstpack", "otherpack"), 2)
        assert gc.isenabled() is wanted
    finally:
        (gc.enable if was_on else gc.disable)()
