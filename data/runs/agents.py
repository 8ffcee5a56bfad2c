"""Simple agents learn small games: sixteen games, eight ways to learn, ten seeds.

A game is a table of chances and rewards (a finite Markov decision process). So what its best policy is worth follows
from equations, what random moves are worth, and what the policy is worth that an agent has learned: the discounted
reward that it can expect from the start. No score has noise of its evaluation. An agent makes 3,000 moves; a move pays
what it pays on average.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product
from zlib import crc32

import numpy as np
import pandas as pd

COLUMNS = ("algorithm", "game", "seed", "score", "random", "best")
MOVES, SEEDS = 3_000, 10
DISCOUNT = 0.95
_LONGEST = 200  # moves of an episode
_STEP, _CURIOUS = 0.2, 0.1  # how much is learned from a move, and how often a move is made at random
_PLANNED = 5  # remembered moves that Dyna-Q learns from again, after each
_TRIED = 3  # how often R-max tries a move before it believes what it saw


@dataclass(frozen=True)
class Game:
    """Chances (states, moves, states), expected rewards (states, moves), where it starts and where it ends."""

    chances: np.ndarray
    rewards: np.ndarray
    start: int
    ends: np.ndarray


# --- games ------------------------------------------------------------------------------------------------------------


def _game(
    n: int, moves: int, step: Callable[[int, int], list[tuple[float, int, float]]], start: int, ends: Iterable[int] = ()
) -> Game:
    """Build a game from what a move does in a state: chance, next state, reward."""
    chances, rewards = np.zeros((n, moves, n)), np.zeros((n, moves))
    over = np.zeros(n, bool)
    over[list(ends)] = True
    for state, move in product(range(n), range(moves)):
        for chance, to, reward in [(1.0, state, 0.0)] if over[state] else step(state, move):
            chances[state, move, to] += chance
            rewards[state, move] += chance * reward
    return Game(chances, rewards, start, over)


_WAYS = ((-1, 0), (1, 0), (0, -1), (0, 1))


def grid(plan: str, *, slip: float = 0.0, wind: str = "", each: float = 0.0) -> Game:
    """Return a walk from S to G (reward 1); # is a wall, X costs 1 and ends, C costs 1 and leads back to S."""
    lines = plan.split()
    height, width = len(lines), len(lines[0])
    at = {(r, c): lines[r][c] for r in range(height) for c in range(width)}
    start = next(r * width + c for (r, c), sign in at.items() if sign == "S")
    blows = [int(w) for w in wind] or [0] * width

    def moved(state: int, way: int) -> tuple[int, float]:
        row, column = divmod(state, width)
        to = row + _WAYS[way][0] - blows[column], column + _WAYS[way][1]
        to = min(max(to[0], 0), height - 1), min(max(to[1], 0), width - 1)
        to = (row, column) if at[to] == "#" else to
        reward = {"G": 1.0, "X": -1.0, "C": -1.0}.get(at[to], 0.0) + each
        return (start if at[to] == "C" else to[0] * width + to[1]), reward

    def step(state: int, way: int) -> list[tuple[float, int, float]]:
        aside = [(slip / 2, *moved(state, other)) for other in ((2, 3) if way < 2 else (0, 1))]
        return [(1 - slip, *moved(state, way)), *(aside if slip else [])]

    return _game(height * width, 4, step, start, [r * width + c for (r, c), sign in at.items() if sign in "GX"])


def key_and_door() -> Game:
    """Return a room in which a key must be fetched before the door lets one out."""
    side = 5
    key, door = (0, 4), (4, 4)

    def step(state: int, way: int) -> list[tuple[float, int, float]]:
        has, place = divmod(state, side * side)
        row, column = divmod(place, side)
        to = tuple(int(np.clip(a + b, 0, side - 1)) for a, b in zip((row, column), _WAYS[way], strict=True))
        has = has or to == key
        out = bool(has) and to == door
        return [(1.0, int(has) * side * side + to[0] * side + to[1], float(out))]

    return _game(2 * side * side, 4, step, 20, [side * side + 24])


def corridor(n: int = 12) -> Game:
    """Return a corridor with a reward at its far end only."""
    return _game(
        n, 2, lambda s, m: [(1.0, max(s - 1, 0) if m == 0 else s + 1, float(m == 1 and s == n - 2))], 0, [n - 1]
    )


def lure(n: int = 8) -> Game:
    """Return a corridor with a small reward beside the start and a large one far away."""

    def step(state: int, move: int) -> list[tuple[float, int, float]]:
        to = state + (1 if move else -1)
        return [(1.0, to, 0.2 if to == 0 else float(to == n - 1))]

    return _game(n, 2, step, 1, [0, n - 1])


def river(n: int = 6) -> Game:
    """Return a swim against the current: downstream is a little reward, upstream a large one."""

    def step(state: int, move: int) -> list[tuple[float, int, float]]:
        if move == 0:
            return [(1.0, max(state - 1, 0), 0.005 * (state == 0))]
        up, stay = min(state + 1, n - 1), state
        reward = float(state == n - 1)
        return [(0.35, up, reward), (0.6, stay, reward if state == n - 1 else 0.0), (0.05, max(state - 1, 0), 0.0)]

    return _game(n, 2, step, 0)


def deep_sea(n: int = 7) -> Game:
    """Return a dive: each step to the right costs a little, and only always going right finds the treasure."""

    def step(state: int, move: int) -> list[tuple[float, int, float]]:
        row, column = divmod(state, n)
        to = min(column + 1, n - 1) if move else max(column - 1, 0)
        found = row == n - 1 and column == n - 1 and move == 1
        below = n * n if row == n - 1 else (row + 1) * n + to
        return [(1.0, below, found - 0.01 / n * move)]

    return _game(n * n + 1, 2, step, 0, [n * n])


def doors(n: int = 20, kinds: int = 8) -> Game:
    """Return rooms with many doors, each with a prize of its own behind it; the next room is drawn."""
    prizes = np.random.default_rng(7).beta(2, 3, (kinds, n))
    return _game(kinds, n, lambda s, m: [(1 / kinds, to, prizes[s, m]) for to in range(kinds)], 0)


def stock(most: int = 12) -> Game:
    """Return a shop: order in the evening, sell what is asked for, pay for what lies there."""
    demand = np.exp(-4.0) * 4.0 ** np.arange(20) / np.cumprod([1, *range(1, 20)])

    def step(state: int, order: int) -> list[tuple[float, int, float]]:
        full = min(state + 3 * order, most)
        sold = np.minimum(np.arange(20), full)
        costs = 0.3 * (full - state) + 0.2 * (order > 0) + 0.05 * full
        return [(p, int(full - x), x - costs) for p, x in zip(demand / demand.sum(), sold, strict=True)]

    return _game(most + 1, 5, step, 0)


def repair(n: int = 8) -> Game:
    """Return a machine that wears out: run it, or stop it for a repair."""

    def step(state: int, move: int) -> list[tuple[float, int, float]]:
        if move:
            return [(1.0, 0, -1.0)]
        gain = 1 - (state / (n - 1)) ** 2 * 2
        return [(0.6, state, gain), (0.4, min(state + 1, n - 1), gain)]

    return _game(n, 2, step, 0)


def queue(n: int = 10) -> Game:
    """Return a counter: serve slowly and cheaply, or fast; a full queue is expensive."""

    def step(state: int, move: int) -> list[tuple[float, int, float]]:
        served, cost = (0.4, 0.0) if move == 0 else (0.8, 0.3)
        rows = []
        for comes, goes in product((0, 1), (0, 1)):
            chance = 0.5 * (served if goes else 1 - served)
            to = min(max(state - goes, 0) + comes, n - 1)
            rows.append((chance, to, -cost - (to / (n - 1)) ** 2))
        return rows

    return _game(n, 2, step, 0)


def gambler(n: int = 16) -> Game:
    """Return a gambler who wants to double the stake, with a coin that is not fair."""

    def step(state: int, bet: int) -> list[tuple[float, int, float]]:
        stake = min(2**bet, state, n - state)
        return [(0.45, state + stake, float(state + stake == n)), (0.55, state - stake, 0.0)]

    return _game(n + 1, 4, step, n // 2, [0, n])


def catch(side: int = 6) -> Game:
    """Return a ball that falls, and a hand that moves below it."""
    n = side**3

    def state_of(row: int, ball: int, hand: int) -> int:
        return (row * side + ball) * side + hand

    def step(state: int, move: int) -> list[tuple[float, int, float]]:
        if state == n + 1:
            return [(1 / side, state_of(0, ball, side // 2), 0.0) for ball in range(side)]
        row, ball, hand = state // side**2, state // side % side, state % side
        hand = int(np.clip(hand + move - 1, 0, side - 1))
        if row == side - 1:
            return [(1.0, n, 1.0 if hand == ball else -1.0)]
        return [(1.0, state_of(row + 1, ball, hand), 0.0)]

    return _game(n + 2, 3, step, n + 1, [n])


def games() -> dict[str, Game]:
    """Return the sixteen games."""
    return {
        "cliff": grid("........ ........ ........ SCCCCCCG", each=-0.01),
        "ice": grid("S....X .X.... ...X.X X..... ..X.XG", slip=0.3),
        "four-rooms": grid(
            "S...#.... ....#.... ......... ....#.... #.#####.# ....#.... ......... ....#....  ....#...G"
        ),
        "wind": grid("........ ........ ........ S.....G. ........ ........", wind="00011210", each=-0.01),
        "maze": grid("S#....... .#.##.##. .#.#..#.. .#.#.##.# ...#....G"),
        "key": key_and_door(),
        "corridor": corridor(),
        "lure": lure(),
        "river": river(),
        "deep-sea": deep_sea(),
        "doors": doors(),
        "stock": stock(),
        "repair": repair(),
        "queue": queue(),
        "gambler": gambler(),
        "catch": catch(),
    }


def worth(game: Game, policy: np.ndarray) -> float:
    """Return the discounted reward that a policy, chances of moves (states, moves), can expect from the start."""
    chances = np.einsum("sm,smt->st", policy, game.chances) * ~game.ends[:, None]
    rewards = (policy * game.rewards).sum(axis=1) * ~game.ends
    return float(np.linalg.solve(np.eye(len(rewards)) - DISCOUNT * chances, rewards)[game.start])


def greedy(values: np.ndarray) -> np.ndarray:
    """Return the policy that takes the move of highest value, all of them alike where several are."""
    most = np.isclose(values, values.max(axis=1, keepdims=True), atol=1e-12)
    return most / most.sum(axis=1, keepdims=True)


def solved(chances: np.ndarray, rewards: np.ndarray, ends: np.ndarray, sweeps: int = 400) -> np.ndarray:
    """Return the values of moves under the best policy, by value iteration."""
    values = np.zeros(rewards.shape)
    for _ in range(sweeps):
        values = rewards + DISCOUNT * chances @ (values.max(axis=1) * ~ends)
    return values


# --- agents: each makes its moves in a world, and returns the values of moves -----------------------------------------


class World:
    """A game that is played: it draws what happens, and begins anew where it ends."""

    def __init__(self, game: Game, rng: np.random.Generator) -> None:
        self.rewards, self.ends, self.start = game.rewards.tolist(), game.ends.tolist(), game.start
        self.n_states, self.n_moves = game.rewards.shape
        self.upto = game.chances.cumsum(axis=2).tolist()
        self.rng, self.left, self.draws = rng, MOVES, rng.random((MOVES + 1, 4)).tolist()
        self.state, self.since = game.start, 0

    def table(self, value: float = 0.0) -> list[list[float]]:
        """Return a table of values, a row for each state."""
        return [[value] * self.n_moves for _ in range(self.n_states)]

    def choose(self, values: list[float]) -> int:
        """Return the best move, or now and then any."""
        curious, which = self.draws[self.left][:2]
        if curious < _CURIOUS:
            return int(which * len(values))
        most = max(values)
        best = [move for move, value in enumerate(values) if value == most]
        return best[int(which * len(best))]

    def move(self, move: int) -> tuple[float, int, bool]:
        """Make a move; return the reward, the state that it leads to, and whether the game is over there."""
        reward, row = self.rewards[self.state][move], self.upto[self.state][move]
        to = min(bisect_right(row, self.draws[self.left][2]), self.n_states - 1)
        self.left, self.since, over = self.left - 1, self.since + 1, self.ends[to]
        self.state = to
        if over or self.since == _LONGEST:
            self.state, self.since = self.start, 0
        return reward, to, over


def q_learning(world: World, hope: float = 0.0, planned: int = 0) -> list[list[float]]:
    """Learn from the best move that follows (Watkins, 1989), also from remembered moves (Dyna-Q; Sutton, 1990)."""
    values, seen = world.table(hope), {}
    while world.left:
        state, move = world.state, world.choose(values[world.state])
        seen[state, move] = state, move, *world.move(move)
        known = list(seen.values()) if planned else []
        again = [known[i] for i in world.rng.integers(len(known), size=planned)] if planned else []
        for s, m, reward, to, over in [seen[state, move], *again]:
            values[s][m] += _STEP * (reward + DISCOUNT * (0.0 if over else max(values[to])) - values[s][m])
    return values


def double_q(world: World) -> list[list[float]]:
    """Learn two tables, each from what the other says of its best move (van Hasselt, 2010)."""
    tables = world.table(), world.table()
    while world.left:
        state = world.state
        move = world.choose([a + b for a, b in zip(tables[0][state], tables[1][state], strict=True)])
        one, other = tables if world.draws[world.left][3] < 0.5 else tables[::-1]
        reward, to, over = world.move(move)
        ahead = 0.0 if over else other[to][one[to].index(max(one[to]))]
        one[state][move] += _STEP * (reward + DISCOUNT * ahead - one[state][move])
    return [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(*tables, strict=True)]


def sarsa(world: World, expected: bool = False) -> list[list[float]]:
    """Learn from the move that is made next (Rummery and Niranjan, 1994), or from what it is worth on average."""
    values = world.table()
    move = world.choose(values[world.state])
    while world.left:
        state = world.state
        reward, to, over = world.move(move)
        following = world.choose(values[world.state])
        if expected:
            ahead = (1 - _CURIOUS) * max(values[to]) + _CURIOUS * sum(values[to]) / world.n_moves
        else:
            ahead = values[to][following] if to == world.state else max(values[to])
        values[state][move] += _STEP * (reward + DISCOUNT * (0.0 if over else ahead) - values[state][move])
        move = following
    return values


def monte_carlo(world: World) -> list[list[float]]:
    """Learn from whole episodes, at their end."""
    values, episode = world.table(), []
    while world.left:
        state, move = world.state, world.choose(values[world.state])
        reward, _, over = world.move(move)
        episode.append((state, move, reward))
        if over or world.since == 0:
            gain = 0.0
            for s, m, r in reversed(episode):
                gain = r + DISCOUNT * gain
                values[s][m] += _STEP * (gain - values[s][m])
            episode = []
    return values


def r_max(world: World) -> list[list[float]]:
    """Take what was not tried often for the best that there is, and plan with what was seen (Brafman, 2002)."""
    shape = (world.n_states, world.n_moves)
    counts, rewards, ends = np.zeros((*shape, world.n_states)), np.zeros(shape), np.array(world.ends)
    most = max(map(max, world.rewards))
    values = np.full(shape, most / (1 - DISCOUNT))
    while world.left:
        state = world.state
        move = int(values[state].argmax())
        reward, to, _ = world.move(move)
        counts[state, move, to] += 1
        rewards[state, move] = reward
        tried = counts.sum(axis=2)
        if tried[state, move] == _TRIED:
            known = tried >= _TRIED
            chances = counts / np.maximum(tried, 1)[:, :, None]
            for _ in range(60):
                planned = rewards + DISCOUNT * chances @ (values.max(axis=1) * ~ends)
                values = np.where(known, planned, most / (1 - DISCOUNT))
    return np.where(counts.sum(axis=2) > 0, values, -np.inf).tolist()


AGENTS: dict[str, Callable[[World], list[list[float]]]] = {
    "Q-learning": q_learning,
    "hopeful Q": lambda world: q_learning(world, hope=1.0),
    "double Q": double_q,
    "Dyna-Q": lambda world: q_learning(world, planned=_PLANNED),
    "SARSA": sarsa,
    "expected SARSA": lambda world: sarsa(world, expected=True),
    "Monte Carlo": monte_carlo,
    "R-max": r_max,
}


def run_game(name: str, seeds: int = SEEDS) -> pd.DataFrame:
    """Let all agents learn a game, with seeds of their own: a row for each run."""
    game = games()[name]
    uniform = np.full(game.rewards.shape, 1 / game.rewards.shape[1])
    best = worth(game, greedy(solved(game.chances, game.rewards, game.ends)))
    rows = []
    for (number, agent), seed in product(enumerate(AGENTS), range(seeds)):
        world = World(game, np.random.default_rng([seed, number, crc32(name.encode())]))
        learned = worth(game, greedy(np.array(AGENTS[agent](world))))
        rows.append((agent, name, seed, learned, worth(game, uniform), best))
    return pd.DataFrame(rows, columns=list(COLUMNS)).round(9)
