"""A kernel that is not the package's, in a file of its own, as somebody would write it."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from genexpy_nb.generalization.kernels import threshold


@dataclass(frozen=True)
class SameLoser:
    """Is the worst alternative the same one? 1 or ``otherwise``."""

    otherwise: float = 0.0
    on: ClassVar[str] = "rankings"
    name: ClassVar[str] = "Same loser"
    question: ClassVar[str] = "Is the worst alternative always the same one?"

    def gram(self, results):
        rankings = np.asarray(results)
        worst = (rankings == rankings.max(axis=-1, keepdims=True)).astype(float)
        worst /= worst.sum(axis=-1, keepdims=True)
        same = worst @ np.swapaxes(worst, -1, -2)
        sizes = np.sqrt(np.einsum("...ii->...i", same))
        same = same / (sizes[..., :, None] * sizes[..., None, :])
        return self.otherwise + (1 - self.otherwise) * same

    def epsilon(self, delta, n_alternatives):
        return threshold(1 - np.asarray(delta, dtype=float))


class NoKernel:
    name = "none"
