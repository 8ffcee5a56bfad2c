"""Versions of the libraries that results depend on."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version

#: What the numbers of this project's own runs depend on.
PACKAGES = ("numpy", "pandas", "scipy", "scikit-learn", "scikit-image", "category_encoders", "statsmodels")


def versions(packages: Iterable[str] = PACKAGES) -> dict[str, str]:
    """Return the versions of the packages that are installed, in the order given."""
    found = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
