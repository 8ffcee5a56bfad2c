"""The numbers of ``genexpy-nb study`` against a second calculation that shares no code with the package.

What is expected is computed here from the table itself, in exact decimals where ties matter, with numpy and scipy.
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
from scipy import stats

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


def write_table(file, n_datasets, compared):
    table = pd.read_parquet(ENCODERS)
    kept = table["encoder"].isin(compared) & table["dataset"].isin(sorted(table["dataset"].unique())[:n_datasets])
    table[kept].to_csv(file, index=False)


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


def wilcoxon(differences):
    """Return the two-sided p of the signed ranks, zeros after Pratt, and which sign has the larger sum of ranks."""
    size = sorted(map(abs, differences))
    first, last = {}, {}
    for place, value in enumerate(size, 1):
        first.setdefault(value, place)
        last[value] = place
    doubled = [(first[abs(d)] + last[abs(d)]) * (d > 0) - (first[abs(d)] + last[abs(d)]) * (d < 0) for d in differences]
    doubled = [rank for rank in doubled if rank]
    total, direction = sum(map(abs, doubled)), np.sign(sum(doubled))
    smaller = min(sum(rank for rank in doubled if rank > 0), -sum(rank for rank in doubled if rank < 0))
    if len(doubled) > 50:
        z = (2 * smaller - total) / math.sqrt(sum(rank**2 for rank in doubled))
        return min(1.0, 2 * stats.norm.cdf(z)), direction
    ways = [1] + [0] * total  # in whole numbers: how many patterns of signs have this sum of positive ranks
    for rank in map(abs, doubled):
        ways = [ways[s] + (ways[s - rank] if s >= rank else 0) for s in range(total + 1)]
    return min(1.0, float(Fraction(2 * sum(ways[: smaller + 1]), 2 ** len(doubled)))), direction


def holm(p_values):
    adjusted, running = [0.0] * len(p_values), 0.0
    for place, i in enumerate(np.argsort(p_values, kind="stable")):
        running = max(running, min(1.0, p_values[i] * (len(p_values) - place)))
        adjusted[i] = running
    return adjusted


def compared_pairs(table):
    """Return for each ordered pair (better, worse) Holm's p; and p, p_adjusted of each pair in alphabetical order."""
    pairs = list(combinations(COMPARED, 2))
    found = [wilcoxon([table[d][a] - table[d][b] for d in table]) for a, b in pairs]
    adjusted = holm([p for p, _ in found])
    beats = {}
    for (a, b), (_, direction), p in zip(pairs, found, adjusted, strict=True):
        beats[a, b], beats[b, a] = (p, 1.0) if direction > 0 else (1.0, p) if direction < 0 else (1.0, 1.0)
    return beats, {pair: (p, q) for pair, (p, _), q in zip(pairs, found, adjusted, strict=True)}


def mean_ranks(table):
    ranks = [average_ranks(scores) for scores in table.values()]
    return {name: sum(rank[name] for rank in ranks) / len(ranks) for name in ranks[0]}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    write_table(folder / "results.csv", 56, COMPARED)
    return folder / "results.csv", command(folder / "results.csv", folder / "out")


def test_ranking(whole):
    table, rows = goodness(whole[0], "cv_score"), read(whole[1], "ranking")
    means, n = mean_ranks(table), len(table)
    beats, _ = compared_pairs(table)
    assert n == 56
    assert [row["alternative"] for row in rows] == sorted(COMPARED, key=lambda name: means[name])
    for row in rows:
        name, others = row["alternative"], [other for other in COMPARED if other != row["alternative"]]
        assert float(row["mean_rank"]) == pytest.approx(float(means[name]), rel=1e-12)
        assert float(row["mean_score"]) == pytest.approx(float(sum(table[d][name] for d in table) / n), rel=1e-12)
        assert float(row["share_best"]) == pytest.approx(
            sum(table[d][name] == max(table[d].values()) for d in table) / n, rel=1e-12
        )
        assert int(row["position"]) == 1 + sum(means[other] < means[name] for other in others)
        assert int(row["low"]) == 1 + sum(beats[other, name] <= LEVEL for other in others)
        assert int(row["high"]) == len(COMPARED) - sum(beats[name, other] <= LEVEL for other in others)


def test_tiers(whole):
    table, rows = goodness(whole[0], "cv_score"), read(whole[1], "tiers")
    means, (beats, _) = mean_ranks(table), compared_pairs(table)
    left, tiers = sorted(COMPARED, key=lambda name: means[name]), {}
    number = 0
    while left:
        leader, *rest = left
        same = [leader, *(name for name in rest if beats[leader, name] > LEVEL)]
        tiers |= dict.fromkeys(same, number)
        left, number = [name for name in left if name not in same], number + 1
    assert number > 1
    assert {row["alternative"]: int(row["tier"]) for row in rows} == tiers


def test_pairs_and_wins(whole):
    table = goodness(whole[0], "cv_score")
    _, p_values = compared_pairs(table)
    rows, wins = read(whole[1], "pairs"), read(whole[1], "wins")
    assert {tuple(sorted((row["a"], row["b"]))) for row in rows} == set(p_values) and len(rows) == len(p_values)
    for row, counts in zip(rows, wins, strict=True):
        a, b = row["a"], row["b"]
        differences = [table[d][a] - table[d][b] for d in table]
        p, adjusted = p_values[tuple(sorted((a, b)))]
        assert float(row["p"]) == pytest.approx(p, rel=1e-9, abs=1e-300)
        assert float(row["p_adjusted"]) == pytest.approx(adjusted, rel=1e-9, abs=1e-300)
        assert float(row["estimate"]) == pytest.approx(float(sum(differences) / len(differences)), rel=1e-9, abs=1e-15)
        won, tied = sum(d > 0 for d in differences), sum(d == 0 for d in differences)
        assert [counts["a"], counts["b"]] == [a, b]
        assert [int(counts[name]) for name in ("wins", "ties", "losses")] == [won, tied, len(differences) - won - tied]
        better = (won + tied / 2) / len(differences)
        assert float(counts["probability_of_improvement"]) == pytest.approx(better, rel=1e-12)
        assert float(row["probability_of_improvement"]) == pytest.approx(better, rel=1e-12)


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


def test_all_halves_of_a_small_table(tmp_path):
    write_table(tmp_path / "few.csv", 8, COMPARED)
    rows = {row["conclusion"]: row for row in read(command(tmp_path / "few.csv", tmp_path / "out"), "halves")}
    table = goodness(tmp_path / "few.csv", "cv_score")
    first, *others = table
    same = dict.fromkeys(("rank", "score"), 0)
    overlap, taus = [], []
    for chosen in combinations(others, 3):
        halves = [{first, *chosen}, set(others) - {*chosen}]
        parts = [{d: table[d] for d in half} for half in halves]
        ranks = [mean_ranks(part) for part in parts]
        scores = [{name: sum(scores[name] for scores in part.values()) for name in COMPARED} for part in parts]
        same["rank"] += best(ranks[0], min) == best(ranks[1], min)
        same["score"] += best(scores[0], max) == best(scores[1], max)
        top = [{a for a in COMPARED if sum(each[b] < each[a] for b in COMPARED) < 3} for each in ranks]
        overlap.append(len(top[0] & top[1]) / max(map(len, top)))
        taus.append(stats.kendalltau(*([float(each[a]) for a in COMPARED] for each in ranks)).statistic)
    expected = {
        "best by mean rank": same["rank"] / 35,
        "best by mean score": same["score"] / 35,
        "top 3 by mean rank": np.mean(overlap),
        "order by mean rank (tau-b)": np.mean(taus),
    }
    assert {name: float(row["estimate"]) for name, row in rows.items()} == pytest.approx(expected, rel=1e-9)
    assert {int(row["n_splits"]) for row in rows.values()} == {35}


def best(values, of):
    return {name for name, value in values.items() if value == of(values.values())}


def test_friedman_as_scipy_has_it(whole):
    from genexpy_nb.own_study.request import StudyRequest

    fixed = [f"{name}={level}" for name, level in HELD.items()]
    request = StudyRequest(
        str(whole[0]), ["encoder"], ["cv_score"], ["dataset"], fixed=fixed, higher_is_better="higher"
    )
    found = request.study().friedman()
    table = goodness(whole[0], "cv_score")
    columns = [[float(average_ranks(table[d])[name]) for d in table] for name in COMPARED]
    assert found.p == pytest.approx(stats.friedmanchisquare(*columns).pvalue, rel=1e-9)
    means = mean_ranks(table)
    assert found.mean_ranks.to_dict() == pytest.approx({name: float(means[name]) for name in COMPARED}, rel=1e-12)


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
    assert answers["sentences"][0].startswith(f"In metric=cv_score, one of 2 configurations, {best_name} has the best")
