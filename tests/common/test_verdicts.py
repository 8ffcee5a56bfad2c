"""The language of verdicts: every sentence can be said, and no text of ours has a wrong one."""

import re
from pathlib import Path
from string import Formatter

import numpy as np
import pandas as pd
import pytest

from genexpy_nb.common.prose import PHRASES, WORDS, on_size, verdict_sentence
from genexpy_nb.study.planning import plan

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(("claim", "verdict"), PHRASES)
def test_each_verdict_says_what_it_is_given(claim, verdict):
    phrase = PHRASES[claim, verdict]
    values = {name: f"<{name}>" for _, name, _, _ in Formatter().parse(phrase.right) if name}
    text = verdict_sentence(claim, verdict, **values)
    assert all(value in text for value in values.values())
    assert "{" not in text and not text.endswith(".")
    assert phrase.wrong != phrase.right and phrase.why.endswith(".")


def test_every_verdict_of_a_plan_has_its_words(  # a new verdict there must get words here
):
    rows = pd.DataFrame(
        {"nstar": [5.0, 50.0, 20.0], "low": [4.0, 40.0, 10.0], "high": [6.0, np.inf, 30.0], "n_experiments": 20}
    )
    planned = plan(rows.assign(note=""))
    assert set(planned["verdict"]) == set(WORDS)
    said = [on_size(verdict, 20, whose="of this study") for verdict in planned["verdict"]]
    assert said == [
        "the 20 experiments of this study are enough",
        "the 20 experiments of this study are too few",
        "whether the 20 experiments of this study are enough is open",
    ]


def test_one_experiment_is_singular():
    assert on_size("undecided", 1, whose="at hand") == "whether the 1 experiment at hand is enough is open"
    assert on_size("enough", 1_000, of="", whose="at hand") == "the 1,000 at hand are enough"
    asked = " for who wins (δ = 0.05, α = 0.95)"
    assert on_size("undecided", 1, for_what=asked) == f"whether the 1 experiment is enough{asked} is open"


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
