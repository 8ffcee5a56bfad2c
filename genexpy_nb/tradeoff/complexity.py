"""Complexity measures of a trained network by name: what theory offers as predictors of the generalization gap.

The 26 measures of Dziugaite et al. (2020), most of them from Jiang et al. (2020). `data/runs/complexity.py` of the
repository computes them, for any framework: docs/tradeoff_torch.md.
"""

import tomllib
from pathlib import Path

#: Name -> formula in words, in the order in which data/runs/complexity.py computes them.
MEASURES: dict[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
