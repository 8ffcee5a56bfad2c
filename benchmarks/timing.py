"""What the benchmarks share: the best of a few runs, the memory they took, and how fast the machine multiplies."""

import resource
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

ENOUGH_SECONDS, MOST_REPETITIONS = 0.3, 7


class Timed(NamedTuple):
    """The shortest of a few runs, on the clock and of the processor, and what the last one returned."""

    seconds: float
    cpu_seconds: float
    result: Any


def peak_megabytes() -> float:
    """Largest resident memory of this process so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def fastest(action: Callable[[], Any], repetitions: int) -> tuple[float, Any]:
    """Best wall-clock time of a few repetitions: what is left when nobody else wants the machine."""
    timed = [once(action) for _ in range(repetitions)]
    return min(each.seconds for each in timed), timed[-1].result


def once(action: Callable[[], Any]) -> Timed:
    """Time one run. Other work on the machine changes the seconds on the clock more than those of the processor."""
    start, used = time.perf_counter(), time.process_time()
    result = action()
    return Timed(time.perf_counter() - start, time.process_time() - used, result)


def often(action: Callable[[], Any]) -> Timed:
    """Repeat what is short until it took `ENOUGH_SECONDS` of the processor, at most `MOST_REPETITIONS` times."""
    timed = [once(action)]
    while len(timed) < MOST_REPETITIONS and sum(each.cpu_seconds for each in timed) < ENOUGH_SECONDS:
        timed.append(once(action))
    return Timed(min(each.seconds for each in timed), min(each.cpu_seconds for each in timed), timed[-1].result)


def product_speed(dtype: str, size: int = 1000) -> float:
    """Floating-point operations per second of a product of two square matrices, one thread, the best of five runs."""
    matrix = np.random.default_rng(0).random((size, size)).astype(dtype)
    return 2 * size**3 / min(once(lambda: matrix @ matrix).cpu_seconds for _ in range(5))
