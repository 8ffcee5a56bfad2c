"""Small programs that define a function, a class or an object, in pairs that differ in its own code or values."""

import itertools
import linecache
import textwrap

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.metrics import accuracy_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

_CELLS = itertools.count()


def compiled(source, name="f", **names):
    """What a source text defines: a user's own, as from a cell of a notebook."""
    space, text, cell = {"__name__": "made_up", **names}, textwrap.dedent(source), f"<cell {next(_CELLS)}>"
    linecache.cache[cell] = (len(text), None, text.splitlines(keepends=True), cell)
    exec(compile(text, cell, "exec"), space)
    return space[name]


# Two programs that define f; everything but the line that differs is the same.
CHANGES = {
    "operator": ("def f(a): return a + 1", "def f(a): return a - 1"),
    "default": ("def f(a=1): return a", "def f(a=2): return a"),
    "closure": (
        "def make(k):\n    return lambda a: a + k\nf = make(1)",
        "def make(k):\n    return lambda a: a + k\nf = make(2)",
    ),
    "function in a closure": (
        "def make(k):\n    return lambda a: k(a)\nf = make(lambda a: a + 1)",
        "def make(k):\n    return lambda a: k(a)\nf = make(lambda a: a + 2)",
    ),
    "attribute of a function": ("def f(a): return a + f.k\nf.k = 1", "def f(a): return a + f.k\nf.k = 2"),
    "decorator": (
        "def d(k):\n    def inner(g):\n        @functools.wraps(g)\n        def w(a): return g(a) + k\n"
        "        return w\n    return inner\n@d(1)\ndef f(a): return a",
        "def d(k):\n    def inner(g):\n        @functools.wraps(g)\n        def w(a): return g(a) + k\n"
        "        return w\n    return inner\n@d(2)\ndef f(a): return a",
    ),
    "partial": (
        "def g(a, k): return a + k\nf = functools.partial(g, k=1)",
        "def g(a, k): return a - k\nf = functools.partial(g, k=1)",
    ),
    "method": ("class f:\n    def fit(self): return 1", "class f:\n    def fit(self): return 2"),
    "super": (
        "class B:\n    def fit(self): return 1\nclass f(B):\n    def fit(self): return super().fit()",
        "class B:\n    def fit(self): return -1\nclass f(B):\n    def fit(self): return super().fit()",
    ),
    "attribute of a callable object": (
        "class C:\n    def __call__(self, a): return self.k\nf = C()\nf.k = 1",
        "class C:\n    def __call__(self, a): return self.k\nf = C()\nf.k = 2",
    ),
    "object of a bound method": (
        "class C:\n    def g(self, a): return self.k\nc = C()\nc.k = 1\nf = c.g",
        "class C:\n    def g(self, a): return self.k\nc = C()\nc.k = 2\nf = c.g",
    ),
    "estimator": (
        "class E(BaseEstimator):\n    def fit(self, X, y): return self\nf = make_pipeline(E())",
        "class E(BaseEstimator):\n    def fit(self, X, y): return None\nf = make_pipeline(E())",
    ),
}
NAMES = "import collections, contextlib, dataclasses, enum, functools\n"
GIVEN = {
    "np": np,
    "pd": pd,
    "accuracy_score": accuracy_score,
    "BaseEstimator": BaseEstimator,
    "make_pipeline": make_pipeline,
    "FunctionTransformer": FunctionTransformer,
}
