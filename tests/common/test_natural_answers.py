"""Answers to exercises as people write them: what `gx.check` says of each form."""

import pytest

import genexpy_nb as gx
from genexpy_nb.common import exercises
from genexpy_nb.common.exercises import RIGHT, SO_FAR, WRONG

HINT = f"{WRONG} *Hint:*"
ORDER, SIGN = f"{WRONG} The values are right, their order", f"{WRONG} The size is right, the sign"
ROLES = {"network": "design factor", "dataset": "Generalizability factor", "seed": "stochasticity"}
SAID = [
    ("00-2", [0, 23], ORDER),
    ("00-3", [6, 8, 2], f"{WRONG} n* says whether there are enough"),
    ("01-1", {**ROLES, "batch size": "held constant"}, RIGHT),
    ("01-2", 0.17, f"{SO_FAR} Give it to 3 decimals."),
    ("01-2", 17.3, f"{RIGHT} We write shares: 0.173."),
    ("01-2", -0.173, SIGN),
    ("01-4", [100, 50], f"{RIGHT} We write shares: 1.00, 0.50."),
    ("02-5", [5, 1], f"{HINT} Sort by dataset"),
    ("04-2", 2.9, f"{HINT} How far below 95 %"),
    ("05-6", 0.04, f"{WRONG} That is the share for m = 0"),
    ("05-6", 0.05, f"{WRONG} That is what the level promises."),
    ("06-1", [2.1, 1.1, 1.3], f"{SO_FAR} Give it to 2 decimals."),
    ("08-1", [-0.5, 2.3], f"{WRONG} That is counts against tf-idf"),
    ("09-2", ["8", "(c)"], RIGHT),
    ("09-2", ["c", 15], f"{HINT} The list begins with the number"),
    ("11-3", [1, 0, 1], HINT),
    ("11-5", 25, HINT),
    ("11-5", 12, f"{WRONG} Each of the two studies has its own"),
    ("12-1", 0.03, f"{WRONG} That is the probability for one model"),
    ("12-2", ("c", "d"), f"{WRONG} One is missing: the mean"),
    ("12-3", [0.95, 0.93], f"{WRONG} These are the accuracies."),
    ("12-4", 6, f"{WRONG} Close"),
    ("12-5", 37.2, f"{RIGHT} We write shares: 0.4."),
    ("11-5", 72, f"{WRONG} The interaction"),
]


@pytest.mark.parametrize(("exercise", "answer", "said"), SAID)
def test_what_is_said_of_an_answer(exercise, answer, said, monkeypatch):
    monkeypatch.setattr(exercises, "_TRIED", {})
    found = gx.check(exercise, answer)
    assert found.startswith(said) and (said != RIGHT or found == RIGHT), found
