"""Figures of a test are closed at its end."""

from readable_figures import closed, styled  # noqa: F401
