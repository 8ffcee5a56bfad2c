"""What notebook 06 shows and keeps: numbers against frames made by hand and counts made one by one."""

from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from made_up_trials import made_up
from runs.simulation import PROCEDURES

from genexpy_nb.chapters import protocol as chapter
from genexpy_nb.common import page
from genexpy_nb.protocol import compare

PAPER, CORRECTED = "paper's test", "corrected t-test"


def simulated(seed=0, **columns):
    """Rates of all procedures and quantities, as a simulation would give them."""
    rng = np.random.default_rng(seed)
    levels = {"procedure": list(PROCEDURES), "quantity": ["FWER", "power"], "effect": [0.0, 0.1, 0.3]}
    rows = pd.DataFrame(product(*(levels | columns).values()), columns=[*levels, *columns])
    rows["estimate"] = rng.uniform(0.2, 0.8, len(rows))
    rows["low"], rows["high"] = rows["estimate"] - 0.1, rows["estimate"] + 0.1
    return rows.assign(mean_difference=rows["effect"] / 2, n_rows=200, n_studies=50, verdict="above 0.05")


def test_a_rate_is_said_with_its_interval():
    row = pd.Series({"estimate": 0.195, "low": 0.1783, "high": 0.2129})
    assert chapter.rate(row) == "19.5 % (17.8 to 21.3 %)" and chapter.rate(row, 0) == "20 % (18 to 21 %)"


def test_placeholders_are_those_of_the_paper():
    settings = chapter.placeholders().set_index(["data", "setting"])
    assert settings.loc[("IMDB", "protocol")].to_list() == [0.029, 1.9, 3, 0.047]
    assert settings.index[settings["wins"] > settings["n_pairs"]].to_list() == [("CIFAR-10", "single seed")]


def test_an_explanation_says_what_was_simulated():
    rates = chapter.made("simulated_rates").query("simulation == 'cures' and k == 2").set_index("procedure")
    row = rates.loc["folds, corrected t"]
    estimate, low, high = (100 * row[["estimate", "low", "high"]].astype(float)).to_list()
    said = (
        f"{estimate:.1f} %; of {row['n_studies']} comparisons, so anything from {low:.0f} to {high:.0f} % is possible"
    )
    notebook = Path(__file__).parents[2] / "notebooks" / "06_deterministic_protocol.py"
    assert said in notebook.read_text(encoding="utf-8")


def test_photographs_are_trials():
    answers, trials = chapter.load_photographs()
    assert len(trials.scores) == 3 * 5 * 10 and trials.failed.empty and trials.wide().shape == (10, 3)
    one = "model == 'compound' and seed == 7 and repeat == 0 and fold == 0"
    assert trials.scores.query(one)["score"].item() == answers.query(one)["right"].mean()


def test_pairs_are_shown_with_both_intervals(monkeypatch):
    scores = np.random.default_rng(2).uniform(0.4, 0.9, size=(3, 2, 2, 4)) + 0.03 * np.arange(3)[:, None, None, None]
    found = compare(made_up(scores), n_resamples=200, level=0.3)
    tables = []
    monkeypatch.setattr(page, "show_table", lambda frame, *texts, **more: tables.append(frame))
    chapter.show_pairs(found, "made up")
    for ((a, b), text), row in zip(tables[0].iterrows(), found.pairs.itertuples(), strict=True):
        assert (a, b) == (row.a, row.b)
        assert text.to_dict() == {
            "A - B": f"{100 * row.estimate:.1f} [{100 * row.low:.1f}, {100 * row.high:.1f}]",
            "BCa over folds": f"[{100 * row.bca_low:.1f}, {100 * row.bca_high:.1f}]",
            "d": f"{row.d_z:.2f} [{row.d_low:.2f}, {row.d_high:.2f}]",
            "BCa of d": f"[{row.d_bca_low:.2f}, {row.d_bca_high:.2f}]",
            "Wilcoxon, Holm": f"{row.p_adjusted:.3f}",
            "corrected t, Holm": f"{row.p_corrected_adjusted:.3f}",
        }


def test_the_lead_that_is_found_about_half_of_the_time():
    found = simulated()
    corrected = (found["procedure"] == "folds, corrected t") & (found["quantity"] == "power")
    found.loc[corrected, "estimate"] = [0.1, 0.45, 0.9]
    half = chapter.half_found(found)
    assert set(half["effect"]) == {0.1} and set(half["quantity"]) == {"power"} and set(half.index) == set(PROCEDURES)


def test_seeds_and_repeats_stand_in_one_table(shown):
    rates = simulated(n_repeats=[2, 10]).query("effect == 0")
    held = pd.DataFrame(
        {"estimate": 0.75, "n_studies": 40}, [f"{f}, {of}" for f in chapter._FITS for of in ("BCa", "corrected t")]
    )
    table = chapter.show_by_seeds(dict.fromkeys(("equal models", "repeats", "one fit a fold"), rates), held)
    of = rates[rates["quantity"] == "FWER"].set_index(["procedure", "n_repeats"])["estimate"]
    assert table.loc["corrected test, 10 repeats", "five seeds"] == 100 * of["folds, corrected t", 10]
    assert (table.loc["paper's interval misses"] == 25).all()


def test_false_winners_are_drawn_for_a_few_procedures(shown):
    null = simulated().query("quantity == 'FWER' and effect == 0")
    chapter.show_false_winners(null)
    figure, (caption, alt) = shown.figures["answer"]
    names = [text.get_text().replace("\n", " ") for text in figure.axes[0].get_yticklabels()]
    of = null.set_index("procedure")["estimate"]
    assert names[0] == "paper's, five seeds" and len(names) == 6
    drawn = {tuple(point) for points in figure.axes[0].collections for point in points.get_offsets().tolist()}
    assert {(of["folds, Wilcoxon"], 0.0), (of["one trial, McNemar"], 4.0)} <= drawn
    assert "false winner" in caption and f"{100 * of['folds, corrected t']:.1f} %" in alt


def test_repeats_show_winners_among_equals_and_true_leads(shown):
    rates = simulated(n_repeats=[1, 5]).query("effect < 0.2").assign(k=5)
    chapter.show_repeats(rates)
    of = rates.set_index(["quantity", "effect", "procedure"])["estimate"]
    for ax, (quantity, effect) in zip(shown.figures["repeats"][0].axes, (("FWER", 0.0), ("power", 0.1)), strict=True):
        drawn = {line.get_label(): list(line.get_ydata()) for line in ax.lines}
        for label, name in ((PAPER, "folds, Wilcoxon"), (CORRECTED, "folds, corrected t")):
            assert drawn[label] == of[quantity, effect, name].to_list()


def test_power_is_drawn_over_the_lead_in_points(shown):
    found = simulated().query("effect > 0")
    chapter.show_power(found, simulated().query("effect == 0").drop_duplicates("procedure").set_index("procedure"))
    (ax,) = shown.figures["power"][0].axes
    line = next(line for line in ax.lines if line.get_label() == CORRECTED)
    part = found[(found["quantity"] == "power") & (found["procedure"] == "folds, corrected t")]
    assert line.get_xdata().tolist() == [5.0, 15.0] and line.get_ydata().tolist() == part["estimate"].to_list()


def test_the_numbers_of_the_paper_stand_beside_ours(shown):
    settings = pd.DataFrame(
        {
            "setting": ["one trial, the higher score wins", "protocol: Wilcoxon over folds, Holm"],
            "instability": [0.3, 0.1],
            "wins": [2.0, 1.0],
            "n_pairs": [4, 4],
        }
    )
    other = settings.assign(instability=[0.5, 0.0], wins=[3.0, 3.0], n_pairs=[3, 3])
    null = simulated().query("quantity == 'FWER' and effect == 0")
    chapter.keep_published(null, {"x": SimpleNamespace(settings=settings), "y": SimpleNamespace(settings=other)}, 40, 4)
    values = {name: values for name, (_, *values, _) in shown.numbers.items()}
    assert values["instability-single-seed"] == pytest.approx([40.0])
    assert values["winners-protocol"] == pytest.approx([3 * (1 / 4 + 1) / 2])
    wilcoxon = null.set_index("procedure").loc["folds, Wilcoxon"]
    shares = 100 * wilcoxon[["estimate", "low", "high"]].astype(float)
    np.testing.assert_allclose(values["false-winners-protocol"], shares)
    assert values["overhead"] == [40.0]
    rates = null.set_index("procedure")["estimate"]
    assert values["false-winners-single-seed-test"][0] == 100 * rates["one trial, McNemar, unadjusted"]
    printed = {name: more["published"] for name, (*_, more) in shown.numbers.items()}
    assert printed == {
        **{"instability-single-seed": 27.0, "winners-single-seed": 3.1},
        **{"false-winners-protocol": 4.9, "instability-protocol": 3.6, "winners-protocol": 2.0, "overhead": 1.3},
        **{"false-winners-single-seed-test": 21.8, "false-winners-single-seed-t": 21.8},
    }


def test_other_numbers_that_are_kept(shown):
    found = simulated()
    null = found.query("quantity == 'FWER' and effect == 0")
    held = {"estimate": [0.7, 0.97], "low": [0.65, 0.95], "high": [0.75, 0.99]}
    index = pd.MultiIndex.from_product([["difference"], ["folds, BCa", "folds, corrected t"]])
    rows = [("u", "folds, Wilcoxon", 0.2), ("v", "folds, Wilcoxon", 0.4), ("w", "folds, Wilcoxon", 0.3)]
    rows += [("u", "folds, corrected t", 0.02), ("v", "folds, corrected t", 0.13)]
    worlds = pd.DataFrame(rows, columns=["world", "method", "estimate"]).assign(quantity="FWER")
    chapter.keep_key_numbers(null, pd.DataFrame(held, index), found.query("effect > 0"), worlds)
    values = {name: values for name, (_, *values, _) in shown.numbers.items()}
    np.testing.assert_allclose(values["missed-bca"], [30, 25, 35])
    assert values["worlds-wilcoxon"] == pytest.approx([30]) and values["worlds-corrected"] == pytest.approx([13])
    assert len(values) == 8
