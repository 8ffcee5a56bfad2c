"""What the benchmarks share: the best of a few runs, and the memory they took."""

import resource
import sys
import time


def peak_megabytes() -> float:
    """Largest resident memory of this process so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def fastest(action, repetitions: int) -> tuple[float, object]:
    """Best wall-clock time of a few repetitions: what is left when nobody else wants the machine."""
    seconds = []
    for _ in range(repetitions):
        start = time.perf_counter()
        result = action()
        seconds.append(time.perf_counter() - start)
    return min(seconds), result
