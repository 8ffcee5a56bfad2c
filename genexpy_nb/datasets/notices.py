"""One sentence on where the numbers of a page come from."""

from __future__ import annotations

import html
from dataclasses import dataclass

import pandas as pd

from genexpy_nb.common.errors import DataError


@dataclass(frozen=True)
class Notice:
    """The origin of a table, as text, Markdown and HTML; from `notice`."""

    label: str
    text: str
    source: str

    def __str__(self) -> str:
        return f"{self.label}: {self.text}"

    def _repr_markdown_(self) -> str:
        return f"> **{self.label}:** {self.text}"

    def _repr_html_(self) -> str:
        label, text = html.escape(self.label), html.escape(self.text)
        return f'<p class="gx-source gx-{self.source}" role="note"><strong>{label}:</strong> {text}</p>'


def notice(frame: pd.DataFrame) -> Notice:
    """Say in one sentence where a loaded table comes from, for the top of a notebook or report.

    Parameters
    ----------
    frame : DataFrame
        From `load_encoders` or `load_bigbench`.

    Returns
    -------
    Notice
        Bundled results are labelled "Not the published table".

    Raises
    ------
    DataError
        If ``frame.attrs`` does not say where the table comes from.

    Examples
    --------
    >>> from genexpy_nb.datasets import load_encoders
    >>> str(notice(load_encoders(source="bundled"))).split(":")[0]
    'Not the published table'
    """
    missing = {"name", "source", "sha256", "note"} - set(frame.attrs)
    if missing:
        raise DataError(
            f"the frame's attrs lack {', '.join(sorted(missing))}: pass the frame as load_encoders or load_bigbench "
            "returned it"
        )
    origin = frame.attrs
    label = "Published table" if origin["source"] == "original" else "Not the published table"
    text = f"{origin['name']}, {len(frame):,} rows, {origin['note']} (SHA-256 {origin['sha256'][:12]}…)."
    return Notice(label, text, origin["source"])
