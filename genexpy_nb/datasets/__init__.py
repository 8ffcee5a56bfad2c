"""Tables of results: the published ones, verified, and this project's own runs, with where each comes from."""

from genexpy_nb.datasets.tables import (
    NAMES,
    SOURCES,
    Located,
    data_folder,
    fetch,
    load_bigbench,
    load_encoders,
    locate,
    notice,
    status,
)
from genexpy_nb.datasets.tradeoff import load_tradeoff_cells, load_tradeoff_control, load_tradeoff_measures

__all__ = [
    "NAMES",
    "SOURCES",
    "Located",
    "data_folder",
    "fetch",
    "load_bigbench",
    "load_encoders",
    "load_tradeoff_cells",
    "load_tradeoff_control",
    "load_tradeoff_measures",
    "locate",
    "notice",
    "status",
]
