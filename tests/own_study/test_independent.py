"""The numbers of ``genexpy-nb study`` against a second calculation that shares no code with the package.

What is expected is computed here from the table itself, in exact decimals where ties matter, with numpy.
"""

import csv
import json
import math
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from genexpy_nb.cli import main

ENCODERS = Path(__file__).resolve().parents[2] / "data" / "encoders.parquet"
LEVEL, ALPHA, DELTA = 0.05, 0.95, 0.05
HELD = {"model": "LR", "tuning": "no", "scoring": "ACC"}
METRICS = {"cv_score": "higher", "time": "lower"}
COMPARED = ["BE", "CBE", "HE", "OE", "OHE", "TE", "WOEE"]


def command(file, folder):
    """Run the command on the whole table, or a part of it, and return where its files are."""
    roles = ["--alternatives", "encoder", "--over", "dataset"]
    roles += [part for name, better in METRICS.items() for part in ("--target", f"{name}={better}")]
    roles += [part for name, level in HELD.items() for part in ("--fix", f"{name}={level}")]
    result = CliRunner().invoke(main, ["study", str(file), *roles, "--no-page", "-o", str(folder)])
    assert result.exit_code == 0, result.output
    return folder


def read(folder, name):
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def goodness(file, metric):
    """Return exact decimals, higher is better, by dataset and encoder; 12 significant digits count."""
    sign = 1 if METRICS[metric] == "higher" else -1
    found = {}
    with file.open(encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows):
            if all(row[name] == level for name, level in HELD.items()):
                score = Fraction(Decimal(f"{float(row[metric]):.12g}"))
                found.setdefault(row["dataset"], {})[row["encoder"]] = sign * score
    return found


def average_ranks(scores):
    """Return ranks within an experiment, 1 is best, ties share the mean."""
    return {
        name: Fraction(sum(other > own for other in scores.values()) * 2 + list(scores.values()).count(own) + 1, 2)
        for name, own in scores.items()
    }


def mean_ranks(table):
    ranks = [average_ranks(scores) for scores in table.values()]
    return {name: sum(rank[name] for rank in ranks) / len(ranks) for name in ranks[0]}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    table = pd.read_parquet(ENCODERS)
    table[table["encoder"].isin(COMPARED)].to_csv(folder / "results.csv", index=False)
    return folder / "results.csv", command(folder / "results.csv", folder / "out")


def test_ranking(whole):
    table, rows = goodness(whole[0], "cv_score"), read(whole[1], "ranking")
    means, n = mean_ranks(table), len(table)
    assert n == 56
    assert [row["alternative"] for row in rows] == sorted(COMPARED, key=lambda name: means[name])
    for row in rows:
        name = row["alternative"]
        assert float(row["mean_rank"]) == pytest.approx(float(means[name]), rel=1e-12)
        assert float(row["mean_score"]) == pytest.approx(float(sum(table[d][name] for d in table) / n), rel=1e-12)
        best = sum(table[d][name] == max(table[d].values()) for d in table)
        assert float(row["share_best"]) == pytest.approx(best / n, rel=1e-12)
        assert int(row["position"]) == 1 + sum(means[other] < means[name] for other in COMPARED)
        assert int(row["n_experiments"]) == n


def test_pairs_and_tiers(whole):
    table = goodness(whole[0], "cv_score")
    means, beats = mean_ranks(table), set()
    for row in read(whole[1], "pairs"):
        a, b = row["a"], row["b"]
        differences = [table[d][a] - table[d][b] for d in table]
        assert float(row["estimate"]) == pytest.approx(float(means[b] - means[a]), rel=1e-9, abs=1e-15)
        assert float(row["mean_difference"]) == pytest.approx(float(sum(differences) / len(table)), rel=1e-9, abs=1e-15)
        won, tied = sum(d > 0 for d in differences), sum(d == 0 for d in differences)
        assert [int(row[name]) for name in ("n_common", "wins", "ties", "losses")] == [56, won, tied, 56 - won - tied]
        better = (won + tied / 2) / len(differences)
        assert float(row["probability_of_improvement"]) == pytest.approx(better, rel=1e-12)
        told = float(row["p_adjusted"]) <= LEVEL
        assert row["better"] == ("" if not told else a if means[a] < means[b] else b)
        assert (float(row["low"]) > 0 or float(row["high"]) < 0) == told
        beats |= {(row["better"], a if row["better"] == b else b)} if told else set()
    left, tiers, number = sorted(COMPARED, key=lambda name: means[name]), {}, 0
    while left:
        leader, *rest = left
        same = [leader, *(name for name in rest if (leader, name) not in beats)]
        tiers |= dict.fromkeys(same, number)
        left, number = [name for name in left if name not in same], number + 1
    assert number > 1
    assert {row["alternative"]: int(row["tier"]) for row in read(whole[1], "tiers")} == tiers


def similarity(table, kernel):
    """Return the kernel's values between experiments, and the threshold that belongs to DELTA."""
    ranks = np.array([[float(average_ranks(table[d])[name]) for name in COMPARED] for d in table])
    n, k = ranks.shape
    if kernel == "Jaccard(1)":
        tops = [frozenset(np.flatnonzero(row == row.min())) for row in ranks]
        values = np.array([[len(s & t) / len(s | t) for t in tops] for s in tops])
        return values, math.sqrt(2 * DELTA)
    discordant = np.zeros((n, n))
    for i, j in combinations(range(k), 2):
        signs = np.sign(ranks[:, i] - ranks[:, j])
        discordant += np.abs(signs[:, None] - signs[None, :]) / 2
    return np.exp(-discordant / math.comb(k, 2)), math.sqrt(2 * (1 - math.exp(-DELTA)))


def share_similar(values, threshold, n, rng, n_draws=20_000):
    """Return how often two studies of n experiments, drawn with replacement, have an MMD of at most the threshold."""
    counts = (rng.multinomial(n, [1 / len(values)] * len(values), (2, n_draws)) / n).astype(float)
    difference = counts[0] - counts[1]
    return np.mean(((difference @ values) * difference).sum(axis=1) <= threshold**2 + 1e-12)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("kernel", ["Jaccard(1)", "Mallows"])
def test_nstar_by_simulation(whole, metric, kernel):
    """Around n* the share of pairs of studies that agree crosses alpha, and before it, it has not."""
    (row,) = [r for r in read(whole[1], "nstar") if r["metric"] == metric and r["kernel"] == kernel]
    table = goodness(whole[0], metric)
    values, threshold = similarity(table, kernel)
    assert int(row["n_experiments"]) == len(table)
    assert float(row["epsilon"]) == pytest.approx(threshold, rel=1e-12)
    # The observed experiments vary less than the world they are from, by the usual factor (N - 1) / N.
    nstar, rng = float(row["nstar"]) * (len(table) - 1) / len(table), np.random.default_rng(0)
    assert share_similar(values, threshold, math.floor(nstar / 1.25), rng) < ALPHA
    assert share_similar(values, threshold, math.ceil(nstar * 1.25), rng) > ALPHA


def test_json_holds_what_the_tables_hold(whole):
    answers = json.loads((whole[1] / "answers.json").read_text(encoding="utf-8"))
    for name, rows in answers["tables"].items():
        stored = read(whole[1], name)
        assert len(stored) == len(rows)
        for text, row in zip(stored, rows, strict=True):
            assert list(text) == list(row)
            for column, value in row.items():
                if isinstance(value, float):
                    assert float(text[column]) == pytest.approx(value, rel=1e-11)
                else:
                    assert text[column] == ("" if value is None else str(value))
    best_name = answers["tables"]["ranking"][0]["alternative"]
    said = answers["sentences"][0]
    assert said.startswith("In metric=cv_score, one of 2 configurations: ") and best_name in said
