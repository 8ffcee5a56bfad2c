"""Numbers of the published tables and of notebook 07 that stand in docs/elsewhere.md."""

from pathlib import Path

import numpy as np
import pytest

import genexpy_nb as gx
from genexpy_nb.chapters.methods import example_worlds, limit_quantile
from genexpy_nb.chapters.shared import made
from genexpy_nb.chapters.tradeoff import figure_2

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "elsewhere.md").read_text(encoding="utf-8")


def test_seeds_that_a_verdict_on_photographs_would_take_are_those_of_the_notebook():
    _, about, few, many = made("cifar10_seeds").iloc[0].astype(str).str.removesuffix(".0")
    assert f"takes {about} seeds by their standard deviation, and {few} to {many} by its 95 % interval" in PAGE


def test_dots_that_were_read_off_the_figures_of_the_practical_metric():
    dots = {source: figure_2(source).query("seen != 'star'")["value"] for source in ("paper", "article")}
    paper, article = (f"{values.count()} of {len(values)} in the {name}'s" for name, values in dots.items())
    assert f"{paper} figure and {article};" in PAGE


@pytest.mark.usefixtures("published_data")
def test_n_star_of_gpt_3_small_and_of_the_largest():
    roles = {"alternatives": "model_family_model_name", "target": "score_value", "missing": "drop"}
    over = {"generalize_over": "subtask_description", "design": ["task_name", "number_of_shots"]}
    study = gx.Study(gx.datasets.load_bigbench("original"), **roles, **over, higher_is_better=True)
    kernels = [gx.BordaKernel("GPT GPT-3 200B"), gx.BordaKernel("GPT GPT-3 Small")]
    n = study.accounting["n_experiments"]
    counts = f"{(n >= 50).sum()} of the {(n > 10).sum()} of language models with more than ten subtasks"
    assert f"{counts} ({len(n)} in all) have 50 subtasks" in PAGE
    found = study.nstar(kernels, 0.95, 0.05).query("n_experiments > 10").groupby("kernel", sort=False)["nstar"]
    assert list(found.size()) == [24, 24] and list(found.count()) == [21, 24]
    largest, small = found.median()
    assert f"is {largest:.1f} for 200B, in the 21 of 24 configurations that have it, and {small:.1f} for Small" in PAGE


@pytest.mark.usefixtures("published_data")
def test_whiskers_of_the_best_encoder():
    results = gx.datasets.load_encoders("original")
    roles = {"alternatives": "encoder", "target": "cv_score", "generalize_over": "dataset", "missing": "worst-rank"}
    study = gx.Study(results, **roles, design=["model", "tuning", "scoring"], higher_is_better=True)
    nstar = study.nstar([gx.JaccardKernel(1)], 0.95, 0.05)["nstar"]
    quarter, three = nstar.quantile([0.25, 0.75])
    reach = 1.5 * (three - quarter)  # Tukey's whiskers
    low, high = nstar[nstar >= quarter - reach].min(), nstar[nstar <= three + reach].max()
    assert len(nstar) == 48 and f"reach from {low:.1f} to {high:.1f}" in PAGE
    enough = (study.accounting["n_experiments"] >= 50).sum()
    by_alpha = study.nstar([gx.JaccardKernel(1)], [0.7, 0.99], 0.05).groupby("alpha")["nstar"]
    narrow, wide = by_alpha.quantile(0.75) - by_alpha.quantile(0.25)
    assert f"spans {narrow:.2f} datasets at α = 0.7 and {wide:.2f} at α = 0.99" in PAGE
    assert f"In the published ones, {enough} of 48 configurations of encoders have 50 datasets" in PAGE


def test_the_closed_form_where_alpha_is_small():
    def over_the_limit(alpha):
        for world in example_worlds():
            K, p = np.array(world.gram), np.array(world.probabilities)
            centred = K - K @ p - (K @ p)[:, None] + p @ K @ p
            spectrum = np.linalg.eigvalsh(np.sqrt(p)[:, None] * centred * np.sqrt(p))
            yield gx.generalization.closed_form(K, alpha, 1.0, p, normal="lin") / limit_quantile(spectrum, alpha) - 1

    small = [100 * error for alpha in np.linspace(0.6, 0.8, 9) for error in over_the_limit(alpha)]
    usual = [-100 * error for error in over_the_limit(0.95)]
    said = (
        f"it lies {min(small):.1f} to {max(small):.1f} % above the limit for α from 0.6 to 0.8, in the four worlds of "
    )
    assert f"{said}notebook 11, and {min(usual):.1f} to {max(usual):.1f} % below it for 0.95" in PAGE
