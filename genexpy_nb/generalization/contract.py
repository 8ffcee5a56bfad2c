"""What a kernel must be, whoever made it: checked on made-up results before any work, and in all that it returns."""

from __future__ import annotations

import inspect
import io
import re
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from difflib import get_close_matches
from functools import cache
from inspect import getattr_static
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from genexpy_nb.common.checks import shown
from genexpy_nb.common.errors import GenexpyError, ParameterError
from genexpy_nb.common.prose import plain_line
from genexpy_nb.common.rankings import rank_scores
from genexpy_nb.generalization import kernels
from genexpy_nb.generalization.kernels import Kernel

#: What a class must have to be a kernel.
MEMBERS = ("on", "name", "question", "gram", "epsilon")

_CALLED = {"jaccard": "JaccardKernel(k=1)", "mallows": "MallowsKernel()", "kendall": "MallowsKernel()"}
_CALLED |= {"borda": "BordaKernel(alternative=...)", "rbf": "RBFKernel()", "gaussian": "RBFKernel()"}
_LONGEST = {"name": 60, "question": 300, "about": 300}  # characters
_TAKEN = re.compile(r"Mallows|RBF|(Borda|Jaccard)\(.*\)")
_DELTAS = np.array([0.01, 0.05, 0.2, 0.5])
_ROUNDING = 1e-8  # of kernel values
_CHECKED: deque[Any] = deque(maxlen=16)  # the last ones


class Broken(ParameterError):
    """A kernel breaks its contract."""


def check_kernel(kernel: Kernel) -> None:
    """Check that a kernel keeps the contract of `genexpy_nb.generalization.Kernel`, on made-up results.

    Whatever takes kernels does so before it does anything else. A `ParameterError` names the file and the line.

    Parameters
    ----------
    kernel : kernel
        One of your own. If it is about one alternative, it has the name of this one as ``alternative``.

    Examples
    --------
    >>> from genexpy_nb import MallowsKernel
    >>> check_kernel(MallowsKernel())
    """
    if isinstance(kernel, type) or (lacks := absent(kernel)):
        why = "a class; call it" if isinstance(kernel, type) else f"which lacks {', '.join(lacks)}"
        name = str(getattr(kernel, "__name__", kernel)).lower().removesuffix("kernel")
        meant = [_CALLED[close] for close in get_close_matches(name, _CALLED, n=1)]
        raise ParameterError(
            f"kernels must be kernels such as MallowsKernel() or JaccardKernel(k=1), got {_got(kernel)}, {why}"
            + (f"; did you mean {meant[0]}?" if meant else "")
        )
    on = _asked(kernel, "on")
    known = isinstance(on, str) and on in ("rankings", "scores")
    _must(kernel, "on", known, f"must be 'rankings' or 'scores', got {_got(on)}")
    for member in set(_LONGEST).difference(absent(kernel, _LONGEST)):
        text, most = _asked(kernel, member), _LONGEST[member]
        plain = isinstance(text, str) and 0 < len(text) <= most and plain_line(text) == text
        _must(kernel, member, plain, f"must be a text in one line, of 1 to {most} characters, got {_got(text)}")
    free = _is_ours(kernel) or not _TAKEN.fullmatch(kernel.name)
    _must(kernel, "name", free, f"must be its own, and {kernel.name!r} is a kernel of the package")
    alternative = 0 if absent(kernel, ["alternative"]) else _asked(kernel, "alternative")
    accepted, why = 0, ""
    for results in _made_up(on):
        names = [alternative, *(f"another {i}" for i in range(1, results.shape[1]))]
        try:
            _check_on(kernel, pd.DataFrame(results, columns=pd.Index(names, dtype=object)))
            accepted += 1
        except Broken:
            raise
        except GenexpyError as error:  # not for such results
            why = str(error)
    _must(kernel, "gram", accepted > 0, f"refuses all results that were tried: {why}")


def _check_on(kernel: Kernel, results: pd.DataFrame) -> None:
    gram, again = (gram_of(kernel, results.copy()) for _ in range(2))
    _must(kernel, "gram", np.allclose(gram, again, rtol=0, atol=_ROUNDING), "must return the same in two calls")
    rows = results.to_numpy()
    of_alike = gram[(rows[:, None] == rows).all(axis=2)]
    wrong = of_alike[np.abs(of_alike - 1).argmax()]
    _must(kernel, "gram", abs(wrong - 1) <= _ROUNDING, f"must be 1 for results that are alike, got {wrong:.4g}")
    lowest = np.linalg.eigvalsh(gram).min()
    why = f"must have no negative eigenvalue, or it is no kernel, got {lowest:.4g}"
    _must(kernel, "gram", lowest >= -_ROUNDING * len(gram), why)
    alone = epsilon_of(kernel, _DELTAS[0].item(), results.shape[1])
    epsilons = epsilon_of(kernel, _DELTAS, results.shape[1])
    pairs = ", ".join(f"{e:.4g} at {d:g}" for d, e in zip(_DELTAS, epsilons, strict=True))
    grows = (np.diff(epsilons) >= 0).all() and epsilons[0] < epsilons[-1]
    _must(kernel, "epsilon", grows, f"must grow with delta, got {pairs}")
    same = np.allclose(alone, epsilons[0], rtol=_ROUNDING)
    _must(kernel, "epsilon", same, f"must be the same for a delta among others and alone, got {pairs}, {alone:.4g}")


@cache
def _made_up(on: str) -> list[np.ndarray]:
    """Return results of 2, 3, 5 and 12 alternatives: many ties, few, all alike, and some results twice."""
    rng, found = np.random.default_rng(0), []
    for n, k, levels in ((4, 2, 2), (9, 3, 3), (12, 5, 4), (20, 12, 1000)):
        scores = rng.integers(0, levels, (n, k)) / levels
        scores = np.vstack([scores, np.zeros(k), scores[:2]])
        found.append(scores if on == "scores" else rank_scores(scores, higher_is_better=True))
    return found


def gram_of(kernel: Kernel, results: pd.DataFrame) -> np.ndarray:
    """Return the similarities of results, symmetric numbers whoever made the kernel."""
    if _is_ours(kernel):
        return kernel.gram(results)
    gram = _numbers(kernel, "gram", _asked(kernel, "gram", results), (len(results), len(results)))
    apart = np.abs(gram - gram.T).max(initial=0.0)
    _must(kernel, "gram", apart <= _ROUNDING, f"must be symmetric, and differs from its transpose by {apart:.4g}")
    return gram


def epsilon_of(kernel: Kernel, delta: ArrayLike, n_alternatives: int) -> np.ndarray:
    """Return the thresholds of a kernel, positive numbers whoever made the kernel."""
    if _is_ours(kernel):
        return np.asarray(kernel.epsilon(delta, n_alternatives))
    found = _numbers(kernel, "epsilon", _asked(kernel, "epsilon", delta, n_alternatives), np.shape(delta))
    _must(kernel, "epsilon", (found > 0).all(), f"must be positive, got {found.min():.4g}")
    return found


def _numbers(kernel: Kernel, member: str, found: Any, shape: tuple[int, ...]) -> np.ndarray:
    try:
        values = np.asarray(found)
    except (TypeError, ValueError):  # rows of different lengths
        values = np.array(None)
    number = values.dtype.kind in "iuf"
    _must(kernel, member, number, f"must return numbers, got {_got(found)}")
    _must(kernel, member, values.shape == shape, f"must return numbers of shape {shape}, got shape {values.shape}")
    finite = np.isfinite(values)
    _must(kernel, member, finite.all(), f"must return finite numbers, got {values[~finite][:1]}")
    return values.astype(float)


def _is_ours(kernel: Kernel) -> bool:
    return type(kernel).__module__ == kernels.__name__


def absent(kernel: Any, members: Iterable[str] = MEMBERS) -> list[str]:
    """Return what a kernel, or a class of kernels, lacks; nothing of it is called."""
    fields = getattr_static(kernel, "__dataclass_fields__", {}) if isinstance(kernel, type) else {}
    return [each for each in members if getattr_static(kernel, each, None) is None and each not in fields]


def _must(kernel: Kernel, member: str, holds: Any, what: str) -> None:
    if not holds:
        raise Broken(f"{_whose(kernel, member)}: {member} {what}")


def _asked(kernel: Kernel, member: str, *given: Any) -> Any:
    with guarded(lambda line: f"{_whose(kernel, member, line)}: {member}", _file(type(kernel))):
        found = getattr(kernel, member)
        return found(*given) if given else found


def _whose(kernel: Kernel, member: str, line: int = 0) -> str:
    """Name a kernel and where the member is, or a line of its file."""
    kind = type(kernel)
    line = line or line_of(getattr_static(kind, member, None)) or line_of(kind)
    return f"kernel {kind.__name__}" + (f" ({_file(kind)}, line {line})" if line else "")


def line_of(thing: Any) -> int:
    """Return in which line of its file a class or function begins; 0 if nobody knows."""
    with suppress(OSError, TypeError):
        return inspect.getsourcelines(getattr(thing, "fget", thing))[1]
    return 0


def _file(kind: type) -> str:
    with suppress(OSError, TypeError):
        return inspect.getsourcefile(kind) or ""
    return ""


def _got(value: Any) -> str:
    return shown(value, 40) if isinstance(value, str | int | float | None) else type(value).__name__


class _Mute(io.TextIOBase):
    def write(self, text: str) -> int:
        raise _Printed


class _Printed(Exception):
    pass


@contextmanager
def guarded(whose: Callable[[int], str], file: str) -> Iterator[None]:
    """Make a sentence of whatever somebody's code does but to return; ``whose`` begins it, from a line of the file."""
    try:
        with redirect_stdout(_Mute()), warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
            yield
    except (KeyboardInterrupt, GenexpyError):
        raise
    except BaseException as error:
        lines = [n for frame, n in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == file]
        lines += [error.lineno or 0] if isinstance(error, SyntaxError) and error.filename == file else []
        did = {_Printed: "prints, and must not", SystemExit: "ends the program (sys.exit), and must not"}
        stopped = f"stopped with {plain_line(traceback.format_exception_only(error)[-1])[:200]}"
        raise Broken(f"{whose((lines or [0])[-1])} {did.get(type(error), stopped)}") from None


def as_kernels(kernels: Kernel | Iterable[Kernel]) -> list[Kernel]:
    """Return kernels as a list, or raise `ParameterError` for what is none."""
    given: list[Any] = list(kernels) if isinstance(kernels, Iterable) and not isinstance(kernels, str) else [kernels]
    if isinstance(kernels, set | frozenset):
        given.sort(key=repr)  # the order in a set is another one in every session
    for kernel in given:
        if not _is_ours(kernel) and not any(kernel is each for each in _CHECKED):
            check_kernel(kernel)
            _CHECKED.append(kernel)
        if not isinstance(getattr(kernel, "alternative", None), Hashable):
            raise ParameterError(f"{type(kernel).__name__}: alternative must be the name of one, got {kernel!r}")
    if not given:
        raise ParameterError("kernels must name at least one kernel, got none")
    names = [kernel.name for kernel in given if given.count(kernel) == 1]
    if twice := [each.name for each in given if not _is_ours(each) and names.count(each.name) > 1]:
        raise ParameterError(f"two kernels are called {twice[0]!r}; each needs a name of its own")
    return given
