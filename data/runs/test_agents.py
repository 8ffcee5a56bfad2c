"""Games and agents: against enumerated policies and simulated play, and against the bundled results."""

from itertools import product

import numpy as np
import pytest
from bundled_results import bundled, check_bundled
from numpy.testing import assert_allclose

from runs import agents

GAMES = agents.games()


@pytest.mark.parametrize("name", GAMES)
def test_chances_add_up_and_an_end_is_an_end(name):
    game = GAMES[name]
    assert_allclose(game.chances.sum(axis=2), 1)
    assert (game.chances >= 0).all() and not game.ends[game.start]
    assert all(game.chances[state, :, state].all() for state in np.flatnonzero(game.ends))
    reached, frontier = np.zeros(len(game.ends), bool), {game.start}
    while frontier:
        reached[list(frontier)] = True
        frontier = set(np.flatnonzero(game.chances[list(frontier)].any(axis=(0, 1)) & ~reached).tolist())
    assert reached[game.ends].any() or not game.ends.any()


@pytest.mark.parametrize("name", ["lure", "river"])
def test_the_best_policy_is_the_best_of_all(name):
    game = GAMES[name]
    moves = np.eye(game.rewards.shape[1])
    of_all = max(agents.worth(game, moves[list(each)]) for each in product(range(len(moves)), repeat=len(game.ends)))
    found = agents.worth(game, agents.greedy(agents.solved(game.chances, game.rewards, game.ends)))
    assert_allclose(found, of_all, atol=1e-9)


@pytest.mark.parametrize("name", ["ice", "gambler", "stock"])
def test_the_worth_of_a_policy_is_what_play_gives(name):
    game, rng = GAMES[name], np.random.default_rng(0)
    n_moves = game.rewards.shape[1]
    gains = []
    for _ in range(300):
        state, gain, weight = game.start, 0.0, 1.0
        while weight > 1e-4 and not game.ends[state]:
            move = rng.integers(n_moves)
            gain += weight * game.rewards[state, move]
            state, weight = rng.choice(len(game.ends), p=game.chances[state, move]), weight * agents.DISCOUNT
        gains.append(gain)
    uniform = np.full(game.rewards.shape, 1 / n_moves)
    error = np.std(gains) / np.sqrt(len(gains))
    assert abs(np.mean(gains) - agents.worth(game, uniform)) < 4 * error


def test_a_known_way_costs_its_steps():
    assert_allclose(bundled("agents")[0].query("game == 'corridor'")["best"].iloc[0], agents.DISCOUNT**10)
    deep = bundled("agents")[0].query("game == 'deep-sea'")["best"].iloc[0]
    paid = sum(0.01 / 7 * agents.DISCOUNT**i for i in range(7))
    assert_allclose(deep, agents.DISCOUNT**6 - paid, atol=1e-8)


@pytest.mark.parametrize("agent", agents.AGENTS)
def test_each_agent_finds_the_better_of_two_moves(agent):
    game = agents.Game(
        np.array([[[0, 1], [0, 1]], [[0, 1], [0, 1]]], float),
        np.array([[0.2, 0.7], [0, 0]]),
        0,
        np.array([False, True]),
    )
    values = np.array(agents.AGENTS[agent](agents.World(game, np.random.default_rng(1))))
    assert values[0].argmax() == 1
    assert agents.worth(game, agents.greedy(values)) == pytest.approx(0.7)


def test_the_bundled_table_is_what_its_note_says():
    check_bundled("agents", agents.COLUMNS, 60_000)
    table, about = bundled("agents")
    assert set(table["game"]) == set(GAMES) and set(table["algorithm"]) == set(agents.AGENTS)
    assert len(table) == len(GAMES) * len(agents.AGENTS) * agents.SEEDS and about["moves"] == agents.MOVES
    assert (table["score"] <= table["best"] + 1e-8).all()
    assert (table.groupby("game")[["random", "best"]].nunique() == 1).all(axis=None)


@pytest.mark.parametrize("name", ["lure", "repair"])
def test_bundled_runs_can_be_made_again(name):
    table, _ = bundled("agents", reproduce=True)
    fresh = agents.run_game(name, seeds=2)
    both = fresh.merge(table, on=list(agents.COLUMNS[:3]), validate="one_to_one")
    assert len(both) == len(fresh) == 2 * len(agents.AGENTS)
    assert_allclose(both["score_x"], both["score_y"], atol=2e-9)
