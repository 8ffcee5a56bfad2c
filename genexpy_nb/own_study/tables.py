"""Tables of a study's page: the first rows as people read them, the values in full precision behind them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from genexpy_nb.common import page
from genexpy_nb.common.page_tables import Columns, readable

#: Rows up to which a page offers a whole table as CSV; of a longer one, those that are shown.
MOST_ROWS = 1000


def show_readable(
    frame: pd.DataFrame,
    columns: Columns,
    name: str,
    caption: str,
    *,
    most: int = 20,
    whole: str = "",
    forms: Mapping[str, Callable[[Any], str]] | None = None,
) -> None:
    """Show the first rows of a frame as a numbered table; ``whole`` is the file that has all of them."""
    shown = readable(frame, columns, most, forms)
    fits = len(frame) <= MOST_ROWS
    if len(frame) > most:
        places = [*[whole] * bool(whole), *["the CSV here"] * fits]
        caption += f" {most:,} of {len(frame):,} rows{'; all are in ' * bool(places)}{' and in '.join(places)}."
    headers = {head: head for head in [shown.index.name, *shown.columns]}  # a user's name may hold anything
    page.show_table(shown, name, caption, headers, csv=frame if fits else frame.head(most))
