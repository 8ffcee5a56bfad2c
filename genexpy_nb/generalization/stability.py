"""How stable what a study says is: positions, wins, halves, experiments left out, and other settings."""

from __future__ import annotations

from genexpy_nb.generalization.conclusions import Conclusions

__all__ = ["Stability"]


class Stability(Conclusions):
    """How stable the conclusions from one configuration of a study are."""
