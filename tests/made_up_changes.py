"""Small programs that define a function, a class or an object, in pairs that differ in one thing only."""

import textwrap

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.metrics import accuracy_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer


def compiled(source, name="f", **names):
    """What a source text defines: a user's own, as from a notebook."""
    space = {"__name__": "made_up", **names}
    exec(textwrap.dedent(source), space)
    return space[name]


# Two programs that define f; everything but the line that differs is the same.
CHANGES = {
    "operator": ("def f(a): return a + 1", "def f(a): return a - 1"),
    "constant": ("def f(a): return a + 1", "def f(a): return a + 2"),
    "attribute": ("def f(a): return a.real", "def f(a): return a.imag"),
    "default": ("def f(a=1): return a", "def f(a=2): return a"),
    "keyword default": ("def f(*, a=1): return a", "def f(*, a=2): return a"),
    "arguments": ("def f(a, b): return a", "def f(b, a): return a"),
    "star": ("def f(*a): return a", "def f(a): return a"),
    "keyword only": ("def f(a): return a", "def f(*, a): return a"),
    "positional only": ("def f(a): return a", "def f(a, /): return a"),
    "generator": ("def f(a): return iter([a])", "def f(a): yield a"),
    "nested function": (
        "def f(a): return map(lambda x: x + 1, a)",
        "def f(a): return map(lambda x: x + 2, a)",
    ),
    "comparison": ("def f(a): return a < 1", "def f(a): return a <= 1"),
    "set in the code": ("def f(a): return a in {'x', 'y'}", "def f(a): return a in {'x', 'z'}"),
    "handler": (
        "def f(a):\n    try:\n        return a()\n    except ValueError:\n        return 1",
        "def f(a):\n    try:\n        return a()\n    except TypeError:\n        return 1",
    ),
    "what is tried": (
        "def f(a):\n    try:\n        a()\n    except ValueError:\n        pass\n    a()",
        "def f(a):\n    try:\n        a()\n        a()\n    except ValueError:\n        pass",
    ),
    "global": ("LIMIT = 1\ndef f(a): return a + LIMIT", "LIMIT = 2\ndef f(a): return a + LIMIT"),
    "global defined": ("def f(a): return a + LIMIT", "LIMIT = 2\ndef f(a): return a + LIMIT"),
    "global of a global": (
        "D = 1\ndef g(a): return a + D\ndef f(a): return g(a)",
        "D = 2\ndef g(a): return a + D\ndef f(a): return g(a)",
    ),
    "global in a nested function": (
        "D = 1\ndef f(a): return [lambda: D]",
        "D = 2\ndef f(a): return [lambda: D]",
    ),
    "global in a class in a function": (
        "D = 1\ndef f():\n    class C:\n        d = D\n    return C",
        "D = 2\ndef f():\n    class C:\n        d = D\n    return C",
    ),
    "order of a dictionary": (
        "D = {'a': 1, 'b': 2}\ndef f(): return next(iter(D))",
        "D = {'b': 2, 'a': 1}\ndef f(): return next(iter(D))",
    ),
    "element of a global list": ("D = [1, [2]]\ndef f(): return D", "D = [1, [3]]\ndef f(): return D"),
    "helper": (
        "def g(a): return a + 1\ndef f(a): return g(a)",
        "def g(a): return a + 2\ndef f(a): return g(a)",
    ),
    "helper of a helper": (
        "def h(a): return a + 1\ndef g(a): return h(a)\ndef f(a): return g(a)",
        "def h(a): return a * 1\ndef g(a): return h(a)\ndef f(a): return g(a)",
    ),
    "helper in a list": (
        "G = [lambda a: a + 1]\ndef f(a): return G[0](a)",
        "G = [lambda a: a + 2]\ndef f(a): return G[0](a)",
    ),
    "helper as a default": ("def f(a, g=lambda a: a + 1): return g(a)", "def f(a, g=lambda a: a + 2): return g(a)"),
    "recursion": (
        "def f(n): return 1 if n == 0 else n * f(n - 1)",
        "def f(n): return 1 if n == 0 else n + f(n - 1)",
    ),
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
    "what is decorated": (
        "def d(g):\n    @functools.wraps(g)\n    def w(a): return g(a)\n    return w\n@d\ndef f(a): return a",
        "def d(g):\n    @functools.wraps(g)\n    def w(a): return g(a)\n    return w\n@d\ndef f(a): return -a",
    ),
    "in the name of a library's": (
        "@functools.wraps(accuracy_score)\ndef f(a, b): return 1",
        "@functools.wraps(accuracy_score)\ndef f(a, b): return 2",
    ),
    "cached": (
        "@functools.lru_cache\ndef f(a): return a + 1",
        "@functools.lru_cache\ndef f(a): return a + 2",
    ),
    "cached helper": (
        "@functools.cache\ndef g(a): return a + 1\ndef f(a): return g(a)",
        "@functools.cache\ndef g(a): return a + 2\ndef f(a): return g(a)",
    ),
    "context manager": (
        "@contextlib.contextmanager\ndef g():\n    yield 1\ndef f():\n    with g() as x: return x",
        "@contextlib.contextmanager\ndef g():\n    yield 2\ndef f():\n    with g() as x: return x",
    ),
    "dispatch": (
        "@functools.singledispatch\ndef f(a): return 1\n@f.register(int)\ndef _(a): return 2",
        "@functools.singledispatch\ndef f(a): return 1\n@f.register(int)\ndef _(a): return 3",
    ),
    "dispatched type": (
        "@functools.singledispatch\ndef f(a): return 1\n@f.register(int)\ndef _(a): return 2",
        "@functools.singledispatch\ndef f(a): return 1\n@f.register(float)\ndef _(a): return 2",
    ),
    "partial": (
        "def g(a, k): return a + k\nf = functools.partial(g, k=1)",
        "def g(a, k): return a - k\nf = functools.partial(g, k=1)",
    ),
    "method": ("class f:\n    def fit(self): return 1", "class f:\n    def fit(self): return 2"),
    "property": (
        "class f:\n    @property\n    def p(self): return 1",
        "class f:\n    @property\n    def p(self): return 2",
    ),
    "cached property": (
        "class f:\n    @functools.cached_property\n    def p(self): return 1",
        "class f:\n    @functools.cached_property\n    def p(self): return 2",
    ),
    "setter": (
        "class f:\n    p = property(None, lambda self, v: 1)",
        "class f:\n    p = property(None, lambda self, v: 2)",
    ),
    "class method": (
        "class f:\n    @classmethod\n    def p(cls): return 1",
        "class f:\n    @classmethod\n    def p(cls): return 2",
    ),
    "static method": (
        "class f:\n    @staticmethod\n    def p(): return 1",
        "class f:\n    @staticmethod\n    def p(): return 2",
    ),
    "class attribute": ("class f:\n    k = 1", "class f:\n    k = 2"),
    "class attribute set later": ("class f:\n    k = 1", "class f:\n    k = 1\nf.more = 2"),
    "method replaced": (
        "class f:\n    def fit(self): return 1",
        "class f:\n    def fit(self): return 1\nf.fit = lambda self: 2",
    ),
    "base": (
        "class B:\n    def fit(self): return 1\nclass f(B): pass",
        "class B:\n    def fit(self): return 2\nclass f(B): pass",
    ),
    "base of a base": (
        "class A:\n    k = 1\nclass B(A): pass\nclass f(B): pass",
        "class A:\n    k = 2\nclass B(A): pass\nclass f(B): pass",
    ),
    "order of bases": (
        "class A: pass\nclass B: pass\nclass f(A, B): pass",
        "class A: pass\nclass B: pass\nclass f(B, A): pass",
    ),
    "metaclass": (
        "class M(type):\n    def __call__(cls): return 1\nclass f(metaclass=M): pass",
        "class M(type):\n    def __call__(cls): return 2\nclass f(metaclass=M): pass",
    ),
    "descriptor": (
        "class D:\n    def __get__(self, o, t): return 1\nclass f:\n    d = D()",
        "class D:\n    def __get__(self, o, t): return 2\nclass f:\n    d = D()",
    ),
    "super": (
        "class B:\n    def fit(self): return 1\nclass f(B):\n    def fit(self): return super().fit()",
        "class B:\n    def fit(self): return -1\nclass f(B):\n    def fit(self): return super().fit()",
    ),
    "callable object": (
        "class C:\n    def __call__(self, a): return a\nf = C()",
        "class C:\n    def __call__(self, a): return -a\nf = C()",
    ),
    "attribute of a callable object": (
        "class C:\n    def __call__(self, a): return self.k\nf = C()\nf.k = 1",
        "class C:\n    def __call__(self, a): return self.k\nf = C()\nf.k = 2",
    ),
    "slot": (
        "class C:\n    __slots__ = 'k'\n    def __call__(self, a): return self.k\nf = C()\nf.k = 1",
        "class C:\n    __slots__ = 'k'\n    def __call__(self, a): return self.k\nf = C()\nf.k = 2",
    ),
    "object of a bound method": (
        "class C:\n    def g(self, a): return self.k\nc = C()\nc.k = 1\nf = c.g",
        "class C:\n    def g(self, a): return self.k\nc = C()\nc.k = 2\nf = c.g",
    ),
    "dataclass": (
        "@dataclasses.dataclass\nclass f:\n    k: int = 1",
        "@dataclasses.dataclass\nclass f:\n    k: int = 2",
    ),
    "default factory": (
        "@dataclasses.dataclass\nclass f:\n    k: int = dataclasses.field(default_factory=lambda: 1)",
        "@dataclasses.dataclass\nclass f:\n    k: int = dataclasses.field(default_factory=lambda: 2)",
    ),
    "made dataclass": (
        "f = dataclasses.make_dataclass('f', [('k', int, 1)])",
        "f = dataclasses.make_dataclass('f', [('k', int, 2)])",
    ),
    "enumeration": ("class f(enum.Enum):\n    A = 1", "class f(enum.Enum):\n    A = 2"),
    "order of an enumeration": (
        "class f(enum.Enum):\n    A = 1\n    B = 2",
        "class f(enum.Enum):\n    B = 2\n    A = 1",
    ),
    "named tuple": (
        "f = collections.namedtuple('f', 'a b', defaults=[1])",
        "f = collections.namedtuple('f', 'a b', defaults=[2])",
    ),
    "subclass of a container": (
        "class D(dict):\n    def __missing__(self, key): return 1\nf = D(a=1)",
        "class D(dict):\n    def __missing__(self, key): return 2\nf = D(a=1)",
    ),
    "content of a container's subclass": (
        "class D(dict): pass\nf = D(a=1)",
        "class D(dict): pass\nf = D(a=2)",
    ),
    "estimator": (
        "class E(BaseEstimator):\n    def fit(self, X, y): return self\nf = make_pipeline(E())",
        "class E(BaseEstimator):\n    def fit(self, X, y): return None\nf = make_pipeline(E())",
    ),
    "hidden by __getstate__": (
        "class C:\n    def __getstate__(self): return {}\n    def __call__(self): return self.k\nf = C()\nf.k = 1",
        "class C:\n    def __getstate__(self): return {}\n    def __call__(self): return self.k\nf = C()\nf.k = 2",
    ),
    "transformer": ("f = FunctionTransformer(lambda X: X)", "f = FunctionTransformer(lambda X: -X)"),
    "vectorised": ("f = np.vectorize(lambda x: x)", "f = np.vectorize(lambda x: -x)"),
    "import in a function": (
        "def f():\n    from math import sin as s\n    return s(1)",
        "def f():\n    from math import cos as s\n    return s(1)",
    ),
    "builtin replaced": ("def f(a): return len(a)", "def len(a): return 2\ndef f(a): return len(a)"),
    "array": ("K = np.array([1, 2])\ndef f(): return K", "K = np.array([1, 3])\ndef f(): return K"),
    "frame": (
        "K = pd.DataFrame({'a': [1]})\ndef f(): return K",
        "K = pd.DataFrame({'b': [1]})\ndef f(): return K",
    ),
    "functions in an array": (
        "K = np.array([lambda: 1, 2], dtype=object)\ndef f(): return K",
        "K = np.array([lambda: 3, 2], dtype=object)\ndef f(): return K",
    ),
    "setting that is written, too": (
        "k = 1\ndef f():\n    global k\n    k += 1\n    return k",
        "k = 2\ndef f():\n    global k\n    k += 1\n    return k",
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
