"""What notebook 08 shows: numbers against runs made by hand."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from made_up_runs import runs_of

from genexpy_nb import causal
from genexpy_nb.chapters import causal as chapter


@pytest.fixture
def effect():
    return causal.average_treatment_effect(runs_of(np.array([[0.01], [0.02], [-0.06]])))


def test_an_effect_is_said_with_its_interval(effect):
    half = 4.302652729911275 * np.std([1, 2, -6], ddof=1) / np.sqrt(3)  # the quantile of t with 2 degrees of freedom
    expected = f"−1.0 percentage points (95 % interval −{1 + half:.1f} to +{half - 1:.1f})"
    assert chapter.stated(effect) == expected
    assert chapter.stated_score(effect).startswith("−0.0100 (95 % interval −0.")
    row = pd.Series({"estimate": 0.155, "low": 0.127, "high": 0.184})
    assert chapter.ends(row) == "13 to 18 %"


def test_the_eight_systems_are_systems_of_the_population():
    systems = chapter.text_population().combinations()
    assert len(chapter.EIGHT) == 8 and all(system in systems for system in chapter.EIGHT.values())


def test_what_samples_say_stands_beside_the_truth(shown, effect):
    chapter.show_answer({"3 systems twice": effect}, -0.017)
    figure, (_, alt) = shown.figures["answer"]
    assert [-1.7, -1.7] in [[round(x, 9) for x in line.get_xdata()] for line in figure.axes[0].lines]
    assert alt.startswith("The average over all systems is −1.7 percentage points.")
    assert alt.endswith(f"A sample of 3 systems twice gives {chapter.stated(effect)}.")


def test_individual_effects_are_all_drawn(shown):
    spread = SimpleNamespace(mean=-0.1, share_opposite=1 / 3, n_systems=3)
    chapter.show_individual(pd.DataFrame({"effect": [-0.4, 0.2, -0.1]}), spread)
    figure, (caption, alt) = shown.figures["individual"]
    assert sum(bar.get_height() for bar in figure.axes[0].patches) == 3
    assert "over 3 systems" in caption and "in 33 % of the systems" in alt
