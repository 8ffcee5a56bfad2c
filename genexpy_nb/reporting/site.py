"""The pages that lie beside each other."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote


@dataclass(frozen=True)
class Site:
    """The pages that lie beside each other, in the order in which one would read them."""

    pages: tuple[tuple[str, str, str], ...] = ()

    def around(self, notebook: str) -> tuple[tuple[str, str, str] | None, tuple[str, str, str] | None]:
        """Return what comes before and after a notebook."""
        names = [page[0] for page in self.pages]
        if notebook not in names:
            return None, None
        i = names.index(notebook)
        return self.pages[i - 1] if i else None, self.pages[i + 1] if i + 1 < len(names) else None

    def page_of(self, notebook: str) -> str | None:
        """Return the address of a notebook's page: by its name, or by its number ("04")."""
        for name, report, _ in self.pages:
            if notebook in (name, name[:2]):
                return f"{quote(report)}.html"
        return None
