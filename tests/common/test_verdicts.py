"""The language of verdicts: each has its word, and no text of ours has a wrong one."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from genexpy_nb.study.planning import plan

ROOT = Path(__file__).parents[2]


def test_a_plan_has_three_verdicts():
    columns = {"nstar": [5.0, 50.0, 20.0], "low": [4.0, 40.0, 10.0], "high": [6.0, np.inf, 30.0]}
    rows = pd.DataFrame({**columns, "n_experiments": 20})
    planned = plan(rows.assign(note=""))
    assert planned["verdict"].tolist() == ["enough", "more needed", "undecided"]


# What nobody writes who has read the table of wrong sentences.
_NEVER = re.compile(
    r"\b(?:(?:is|are) proven to|insignificant(?:ly)?|(?:is|are) statistically (?:equal|equivalent|the same)"
    r"|significant(?:ly)? (?:equal|equivalent)|accepts? the null|confirms? the null|trend towards? significance)\b",
    re.IGNORECASE,
)


@pytest.mark.parametrize(
    "path", sorted([*ROOT.glob("notebooks/*.py"), *ROOT.glob("docs/*.md"), ROOT / "README.md"]), ids=lambda p: p.name
)
def test_no_text_says_what_does_not_follow(path):
    found = [
        f"line {number}: {match[0]}"
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if (match := _NEVER.search(line))
    ]
    assert not found
