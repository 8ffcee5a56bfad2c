"""Whether the published results tables are at hand."""

import os
from pathlib import Path

PUBLISHED = ("encoders_results.parquet", "bigbench_results_prefiltered.parquet")


def why_no_published_data() -> str:
    """Say why the published results tables are not at hand; empty if they are."""
    folder = os.environ.get("GENEXPY_NB_DATA")
    if not folder:
        return "needs the published tables: GENEXPY_NB_DATA is not set"
    missing = [name for name in PUBLISHED if not (Path(folder) / name).is_file()]
    return f"needs the published tables: GENEXPY_NB_DATA has no {', '.join(missing)}" if missing else ""
