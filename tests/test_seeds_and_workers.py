"""Whoever takes randomness or workers leaves it to one place to say what they may be."""

import re
from pathlib import Path

import genexpy_nb


def places(pattern):
    """Where in the package a pattern stands, beside the modules that check seeds and workers."""
    package = Path(genexpy_nb.__file__).parent
    texts = {file: file.read_text(encoding="utf-8") for file in package.rglob("*.py")}
    here = [file for file, text in texts.items() if re.search(pattern, text)]
    return [file for file in here if file.name not in ("random.py", "parallel.py")]


def test_nobody_makes_a_generator_of_what_is_not_checked():
    """Only of seeds that are known, or drawn: never of the parameter as it was given."""
    assert places(r"default_rng\((rng|generator|None)?\)") == []


def test_nobody_starts_workers_whose_number_is_not_checked():
    assert places(r"\bParallel\(|Executor\(|\bPool\(") == []
