"""Votes between pairs: what tables hold them, and who won, by a word; and what else came out of runs, scored or not."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import listed
from genexpy_nb.datasets.describing import NUMBERS, Column, Guess, describe_columns, was_set
from genexpy_nb.datasets.words import (
    MOST_FACTOR_LEVELS,
    NEARLY,
    SECTION,
    WORDS,
    among,
    common_start,
    direction_of,
    is_property,
    may_be_score,
    share_of_pairs,
    words_of,
)

_LONG = 80  # characters of a text that is no name
_GAME = re.compile(r"\d{1,9} ?[-–:/] ?\d{1,9}")  # "227 - 212"
_MOST_GAMES = 10**6  # of which each is a row
_WON = "won"  # of votes that are made: the share of the first one
ROW, _FEWEST_GAMES = "row or game", 20  # of whose votes all are alike; of a few players each
_FEW, _FEW_WORDS = 0.05, 3  # of votes, and of what they say, that are no votes, such as "invalid"


class Votes(NamedTuple):
    """A row for each vote: the columns of the two, those that may say who won, and how rows were made, if they were."""

    rows: pd.DataFrame
    first: str
    second: str
    winners: list[str]
    made: str = ""

    @property
    def sure(self) -> bool:
        """Whether one column says who won, by its name or because it was made."""
        (winner, *others) = self.winners
        return not others and bool(self.made or among(winner, "verdict judge"))

    def told(self) -> list[str]:
        """Return the columns that do say who won: nearly all that they hold is one of the two, a tie or a share."""
        known = {name: self.rows[self.rows[name].notna()] for name in self.winners}
        won = {name: won_by_first(rows[name], rows[self.first], rows[self.second]) for name, rows in known.items()}
        return [name for name, rows in known.items() if not_told(rows[name], won[name]).empty]

    def grouped_by(self) -> str:
        """Return a column of which each level has names of its own, as languages and files have, or an empty text."""
        few = [c for c in self.rows if c not in self[1:3] and 1 < self.rows[c].nunique() <= MOST_FACTOR_LEVELS]
        for name in [c for c in few if c not in self.winners and self.rows[c].dtype.kind == "O"]:
            pairs = [self.rows[[side, name]].set_axis(["who", "where"], axis=1) for side in self[1:3]]
            if pd.concat(pairs).drop_duplicates()["who"].is_unique:
                return name
        return ""

    @property
    def table(self) -> str:
        """What gives the rows in Python."""
        return "genexpy_nb.datasets.votes.votes_of(results).rows" if self.made else "results"

    def in_python(self) -> str:
        """Return the call that answers them; of several columns, which may say who won."""
        (winner, *others) = self.winners
        last = "'COLUMN THAT SAYS WHO WON'" if others else repr(winner)
        may = f"; {listed(map(repr, self.winners), 4)} may say it" if others else ""
        call = f"genexpy_nb.fields.preferences({self.table}, {self.first!r}, {self.second!r}, {last})"
        return f"votes on pairs are for {call}{may}"


def votes_of(frame: pd.DataFrame, columns: Sequence[Column] = ()) -> Votes | None:
    """Return the votes between pairs that a table holds, or None."""
    kinds = {c.name: c.kind for c in columns or describe_columns(frame) if c.kind != "empty"}
    long = {n for n, kind in kinds.items() if kind == "text" and frame[n].astype(str).str.len().median() > _LONG}
    kinds = {name: kind for name, kind in kinds.items() if name not in long - {"file"} or among(name, "verdict")}
    kinds = {name: kind for name, kind in kinds.items() if not _of_one_item(frame, name, kinds)}
    if found := _named_by_files(frame, kinds):
        return found
    found = _in_two_columns(frame, kinds)
    named_so = found and among(found.winners[0], "verdict judge")
    found = _counted(found, kinds) if found else None
    found = found if found and (found.sure or found.told()) else None
    ways = (_rated, _in_one_column, _in_blocks)
    made = None if found and named_so else next(filter(None, (way(frame, kinds) for way in ways)), None)
    return made or found or _in_cells(frame, kinds) or _in_a_square(frame, kinds)


def _of_one_item(frame: pd.DataFrame, name: str, kinds: Mapping[str, str]) -> bool:
    """Say whether each level of a column of identifiers is of one item, as those of answers are, and models are not."""
    items = [item for item in kinds if item != name and among(item, "task case") and among(item, "identity")]
    items = [item for item in items if frame[item].nunique() >= _FEWEST_GAMES] if among(name, "identity") else []
    return not among(name, "compared") and any(is_property(frame, [item], [name]) for item in items)


def _named_by_files(frame: pd.DataFrame, kinds: Mapping[str, str]) -> Votes | None:
    """Return votes of files such as "review_ant_bee" by two scores in each row, of the first and of the second."""
    files, scores = frame.get("file", pd.Series(dtype=str)), [n for n in kinds if re.search(r" of the (?:1st|2nd)$", n)]
    names = files.astype(str).str.split("/").str[-1]
    start = common_start([*names.unique()]).rpartition("_")[0] if len(scores) == 2 else ""
    two = names.str.removeprefix(f"{start}_").str.split("_", expand=True) if start else pd.DataFrame()
    if two.shape[1] != 2 or two.isna().any(axis=None) or len({*two[0], *two[1]}) >= 2 * len({*names}):
        return None
    won = _share(frame[scores[0]] - frame[scores[1]])
    said = f"names of files such as {names[0]!r} name two, and the higher score wins"
    return Votes(frame.assign(a=two[0], b=two[1], **{_WON: won}), "a", "b", [_WON], said)


def _in_two_columns(frame: pd.DataFrame, kinds: Mapping[str, str]) -> Votes | None:
    """Return votes of a table with a column for each of the two, and one or more that may say who won."""
    sides = [{"a", "b"}, {"1", "2"}, {"left", "right"}, {"first", "second"}, {"one", "two"}]
    sides += [{"winner", "loser"}, {"chosen", "rejected"}]
    texts = [name for name, kind in kinds.items() if kind == "text"]
    many = {name for name in texts if among(name, "said") and frame[name].nunique() > 5 * MOST_FACTOR_LEVELS}
    texts = [name for name in texts if name not in many or among(name, "compared")]  # what was said, not by whom
    verdicts = [n for n, kind in kinds.items() if among(n.rpartition(".")[2], "verdict") and kind != "lists"]
    all_verdicts = verdicts or _coded(frame, kinds)
    held = {name: (bare_words(name), set(frame[name].dropna().unique())) for name in texts}
    for one, other in combinations(texts, 2):
        if not (verdicts := [name for name in all_verdicts if name not in (one, other)]):
            continue
        parts, levels = zip(held[one], held[other], strict=True)
        n_few, n_more = sorted(map(len, levels))  # one side may always be the same baseline
        both = 2 * len(levels[0] & levels[1]) >= n_few or (n_few == 1 and 2 * n_more <= len(frame))
        compared = among(one, "compared") and among(other, "compared")
        pair = parts[0] ^ parts[1] in sides
        if pair and any(parts[0] & parts[1] | {mark} == bare_words(name) for mark in "3c" for name in kinds):
            continue  # a series of three or more
        if pair and (own := _side_that_wins(frame, kinds, *sorted((one, other)))):
            return own
        called = pair and (both or compared) and (frame[one] == frame[other]).mean() < 1 / 2  # or two annotators
        first, second = sorted((one, other)) if called else (one, other)
        others = [n for n in texts if n not in (one, other) and among(n, "compared") and not among(n, "judge")]
        alike = 2 * len(levels[0] & levels[1]) >= n_more and among(verdicts[0], "verdict judge") and not others
        if called or (alike and not (frame[first] == frame[second]).any()):
            rows = {name: frame[frame[name].notna()] for name in verdicts}
            won = {name: won_by_first(votes[name], votes[first], votes[second]) for name, votes in rows.items()}
            told = [name for name in verdicts if won[name].notna().all()]
            agree = told == verdicts and (pd.DataFrame(won).nunique(axis=1) <= 1).all()
            if called or told:
                most = max(told, key=lambda name: len(won[name]), default=verdicts[0])
                return Votes(frame, first, second, [most] if agree else verdicts)
    return None


def not_told(said: pd.Series, won: pd.Series) -> pd.Series:
    """Return what winners hold that names none of the two, if that is more than a few words such as "invalid"."""
    unknown = said[won.isna()]
    return unknown if len(unknown) > _FEW * len(won) or unknown.nunique() > _FEW_WORDS else unknown.iloc[:0]


def _side_that_wins(frame: pd.DataFrame, kinds: Mapping[str, str], first: str, second: str) -> Votes | None:
    """Return votes of a column of truth values such as "audio1 wins", for "audio1"; names of many files by folder."""
    wins = {name: bare_words(name) for name, kind in kinds.items() if kind == "truth value" and among(name, "counted")}
    own = [(name, side) for name in wins for side in (first, second) if bare_words(side) < wins[name]]
    if len(own) != 1:
        return None
    (winner, side), rows, said = own[0], frame, f"{own[0][0]!r} says whether {own[0][1]!r} won"
    heads = frame[[first, second]].apply(lambda names: names.str.rpartition("/")[0])
    if 1 < heads.stack().nunique() <= MOST_FACTOR_LEVELS < frame[[first, second]].stack().nunique():
        rows, said = frame.assign(**heads), f"{said}, and the folders in the names are compared"
    won = frame[winner].astype(float)
    return Votes(rows.assign(**{_WON: won if side == first else 1 - won}), first, second, [_WON], said)


def _counted(found: Votes, kinds: Mapping[str, str]) -> Votes:
    """Return a row for each win of the one, of the other, and each tie, if columns count these."""
    names = [name for name, kind in kinds.items() if kind == "whole number" and among(name, "counted")]
    counts, nobody = pd.Series(names, dtype=str), pd.Series(index=range(len(names)), dtype=object)
    won = won_by_first(counts, nobody.rename(found.first), nobody.rename(found.second)).dropna()
    games = found.rows[counts[won.index]].stack()
    usual = games.min() >= 0 and games.sum() <= _MOST_GAMES
    if not (found.winners[1:] and {0, 1} <= {*won} and won.is_unique and usual):
        return found
    shares = dict(zip(counts[won.index], won, strict=True))
    rows = found.rows.melt([found.first, found.second], [*shares], _WON, "n").dropna(subset="n")
    rows = rows.loc[rows.index.repeat(rows["n"])].drop(columns="n").reset_index(drop=True)
    said = f"{listed(map(repr, shares))} count games, and each is a vote"
    return found._replace(rows=rows.assign(**{_WON: rows[_WON].map(shares)}), winners=[_WON], made=said)


def _share(ahead: pd.Series) -> pd.Series:
    """Return what share of a vote the first one has, by how far it is ahead."""
    return (1 + np.sign(ahead)) / 2


def _coded(frame: pd.DataFrame, kinds: Mapping[str, str]) -> list[str]:
    """Return columns of two or three words or whole numbers that may stand for the first of two, the second, a tie."""
    names = [name for name, kind in kinds.items() if kind == "text" or ("number" in kind and may_be_score(name))]
    few = {name: frame[name].dropna().unique() for name in names if 1 < frame[name].nunique() < 5}
    return [name for name in few if {str(v).lower().removesuffix(".0") for v in few[name]} <= {*SIDES, "-1", "3"}]


def _in_one_column(frame: pd.DataFrame, kinds: Mapping[str, str]) -> Votes | None:
    """Return votes of a table in which each cell of a column names two, as "ant_vs_bee", and others say who won."""
    texts = [name for name, kind in kinds.items() if kind == "text" and name != SECTION]
    judges = [n for n in kinds if kinds[n] == "whole number" and among(n, "judge")]
    judges = [name for name in judges if {1, 2} <= {*frame[name].dropna()} <= {0, 1, 2}]
    for column in texts:
        levels = frame[column].dropna().astype(str).unique()
        versus = re.search(r"(?i)[ _-]vs?\.?[ _-]", levels[0])
        for mark in ([versus[0]] if versus else []) + [",", "|", ";"] + ["_"] * (len(judges) > 1):
            pairs = [level.split(mark) for level in levels]
            if len(pairs) < 2 or not all(len(pair) == 2 and pair[0].strip() != pair[1].strip() for pair in pairs):
                continue
            firsts, others = ({pair[i].strip() for pair in pairs} for i in (0, 1))
            if mark == "_" and (len(firsts | others) >= len(pairs) or max(map(len, firsts | others)) < 4):  # "en_de"
                continue
            won = [c for c in texts if c != column and _says_who_won(frame[[c, column]], mark, firsts | others)]
            won = won or (judges if mark == "_" else [])
            if not won and versus and len(firsts | others) < 2 * len(pairs):  # "cats_vs_dogs", "ants_vs_bees": all new
                won = _coded(frame, kinds)
            if won:
                won.sort(key=lambda name: not among(name, "average"))  # the overall winner first
                two = frame[column].str.split(mark, expand=True).apply(lambda side: side.str.strip())
                if not others <= firsts and all(name.startswith((*firsts,)) for name in others):  # "a-vs-b-judged"
                    two[1] = two[1].map({name: max(filter(name.startswith, firsts), key=len) for name in others})
                said = f"{column!r} names two, parted by {mark!r}"
                said += "; 1 is taken for a win of the first one, 2 of the second, 0 for a tie" * (won == judges != [])
                return Votes(frame.assign(a=two[0], b=two[1]), "a", "b", won, said)
    return None


def _says_who_won(rows: pd.DataFrame, mark: str, names: set[str]) -> bool:
    """Say whether the first column names one of the pair in the second one, its place there, or a tie."""
    winners, pairs = (column for _, column in rows.dropna().astype(str).items())
    levels, two = {*winners}, pairs.str.split(mark, expand=True)
    won = won_by_first(winners, two[0].str.strip().rename("a"), two[1].str.strip().rename("b"))
    return bool(won.notna().all() and won.nunique() > 1) or (len(levels & names) > 1 and len(levels - names) <= 1)


def _rated(frame: pd.DataFrame, kinds: Mapping[str, str]) -> Votes | None:
    """Return a vote on each two of those that a row names, by the score or rank beside each ("model_a", "rank_a")."""
    series: dict[str, dict[str, str]] = {}
    for name in kinds:
        for mark in re.findall(r"\d+|(?<![A-Za-z])[abAB](?![A-Za-z])|left|right", name):
            series.setdefault(name.replace(mark, "#", 1).lower(), {})[mark.lower()] = name
    named = [each for each in series.values() if len(each) > 1 and all(kinds[name] == "text" for name in each.values())]
    two = [[frame[name] for name in each.values()] for each in named if len(each) == 2]
    pairs = [[one.name, other.name] for one, other in two if {*one} & {*other} and (one != other).all()]
    for who in [each for each in named if len(each) > 2 or pairs == [[*each.values()]]]:
        rated = {stem: each for stem, each in series.items() if each.keys() == who.keys() and each not in named}
        rated = {stem: each for stem, each in rated.items() if all("number" in kinds[name] for name in each.values())}
        rated = {stem: each for stem, each in rated.items() if len(who) == 2 or "rank" in stem}
        for stem, each in rated.items() if len(rated) == 1 else ():
            low = direction_of(stem)[0] == "lower" or "rank" in stem
            end = f"{'lower' if low else 'higher'} {min(each.values())!r}"
            rest = frame.drop(columns=[*who.values(), *each.values()]).assign(**{ROW: range(len(frame))})
            rows = [rest.assign(a=frame[who[i]], **{_WON: frame[each[i]] * (-1 if low else 1)}) for i in who]
            said = f"each two of {len(who)} names in a row are a vote for the one with the {end}"
            return _each_two(pd.concat(rows, ignore_index=True), "a", [_WON], said)
    return None


def _in_blocks(frame: pd.DataFrame, kinds: Mapping[str, str]) -> Votes | None:
    """Return a vote on each two players of a game, of which each has as few of them, if a row is of one player."""
    texts = [name for name, kind in kinds.items() if kind == "text" and not among(name, "judge metric said")]
    games = [name for name, kind in kinds.items() if kind in ("text", "whole number")]
    games = [name for name in games if among(name, "task case turn identity")]
    scores = [n for n, kind in kinds.items() if "number" in kind and (among(n, "generic") or direction_of(n)[0])]
    scores = [n for n in scores if "rank" in n.lower() or (may_be_score(n) and not among(n, "cost speed"))]
    for game, who in product(games if scores else (), [name for name in texts if among(name, "compared")] or texts):
        sizes, k = frame[game].value_counts(), len(frame) // max(1, frame[game].nunique())
        few = len(sizes) >= _FEWEST_GAMES and 2 <= k <= frame[who].nunique() / 2 and (sizes == k).mean() >= NEARLY
        few = few and len(frame) * k <= _MOST_GAMES and not frame.duplicated([game, who]).any()
        if few and all(is_property(frame, [n], [game]) or is_property(frame, [n], [who]) for n in texts):
            said = f"each two {who!r} of one {game!r} are a vote for the better one of the two"
            return _each_two(frame.assign(**{ROW: frame[game]}), who, scores, said)
    return None


def _each_two(rows: pd.DataFrame, who: str, scores: list[str], said: str) -> Votes:
    """Return a vote on each two rows of a game, for each score."""
    rows = rows.assign(n=range(len(rows)))
    rows = rows.merge(rows[[ROW, who, "n", *scores]], on=ROW, suffixes=("", " of b"))
    rows = rows[rows["n"] < rows["n of b"]].dropna(subset=[who, f"{who} of b"])
    for name in scores:
        ahead = rows[name] - rows[f"{name} of b"]
        rows[name] = _share(-ahead if direction_of(name)[0] == "lower" else ahead)
    rows = rows.drop(columns=["n", "n of b"]).rename(columns={who: "a", f"{who} of b": "b"})
    return Votes(rows.dropna(subset=scores, how="all").reset_index(drop=True), "a", "b", scores, said)


def _in_cells(frame: pd.DataFrame, kinds: Mapping[str, str]) -> Votes | None:
    """Return a vote for each game of a row against a column, in cells such as "227 - 212"."""
    texts = [name for name, kind in kinds.items() if kind == "text"]
    games = [name for name in texts if frame[name].dropna().astype(str).map(_GAME.fullmatch).any()]
    for row in (name for name in texts if len(games) > 2 and name not in games):
        if 2 * len({*games} & {*frame[row]}) > len(games):
            rows = frame.melt(row, games, "other", "cell").dropna()
            rows = rows[rows["cell"].astype(str).map(_GAME.fullmatch).notna()]
            points = rows["cell"].str.extract(r"(\d+)\D+(\d+)").astype(float)
            pairs = rows[[row, "other"]].apply(frozenset, axis=1)
            rows = rows.assign(**{_WON: _share(points[0] - points[1])})[~pairs.duplicated()]
            return Votes(rows, row, "other", [_WON], f"each cell such as {rows['cell'].iloc[0]!r} is one game")
    return None


def _in_a_square(frame: pd.DataFrame, kinds: Mapping[str, str]) -> Votes | None:
    """Return a vote for each win of a row against a column, where a matrix counts them, with as many games each."""
    for row in (name for name, kind in kinds.items() if kind == "text" and frame[name].is_unique):
        names = [name for name in frame[row] if kinds.get(name) == "whole number"]
        wins = frame.set_index(row).loc[names, names]
        games = (wins + wins.T).to_numpy()[~np.eye(len(names), dtype=bool)]
        complete = len(names) >= max(3, NEARLY * len(frame)) and not np.diag(wins).any() and wins.min().min() >= 0
        complete = complete and wins.to_numpy().sum() <= _MOST_GAMES
        if not complete or games.min() <= 0 or (games == games.max()).mean() < 3 / 4:
            continue
        rows = wins.rename_axis(columns="other").stack().rename("n").reset_index()
        rows = rows[rows[row] != rows["other"]]
        rows = rows.loc[rows.index.repeat(rows["n"])].drop(columns="n").reset_index(drop=True)
        return Votes(rows.assign(**{_WON: 1.0}), row, "other", [_WON], "each cell counts how often its row won")
    return None


# --- who won, by a word -----------------------------------------------------------------------------------------------

SIDES = {word: won for kind, won in (("first", 1.0), ("second", 0.0), ("tie", 0.5)) for word in WORDS[kind]}
_BETTER, _TURNED = {*WORDS["better"]}, {*WORDS["worse"]}


def won_by_first(said: pd.Series, first: pd.Series, second: pd.Series) -> pd.Series:
    """Return what share of each vote between two the first one has; NaN where a winner is no word or number for it."""
    if pd.api.types.is_numeric_dtype(said):
        numbers = said.astype(float)
        if numbers.between(0, 1).all():
            return numbers
        if numbers.between(1, 2).all():  # the share of the second one, and 1
            return 2 - numbers
        return numbers.map({1: 1.0, 0: 0.5, 2: 0.0, 3: 0.5} if (numbers == 2).any() else {1: 1.0, 0: 0.5, -1: 0.0})
    one, other = (bare_words(str(side.name)) for side in (first, second))
    white = 0.0 if "white" in other - one else 1.0  # results of games are written with White first
    sides = SIDES | {"1_0": white, "0_1": 1 - white}
    sides |= {**dict.fromkeys(one - other, 1.0), **dict.fromkeys(other - one, 0.0)}
    sides |= {str(first.name).lower(): 1.0, str(second.name).lower(): 0.0}
    texts = said.astype(str).str.strip().str.lower()
    coded = texts.map({text: _side(text, sides) for text in texts.unique()}).astype(float)
    named = np.where(said == first, 1.0, np.where(said == second, 0.0, np.nan))
    models = {*first, *second}
    if all(each in models or share == 0.5 for each, share in zip(said, coded, strict=True)):
        return pd.Series(named, said.index).fillna(coded.where(coded == 0.5))
    if coded.isna().any():
        rows = list(zip(texts, first.astype(str).str.lower(), second.astype(str).str.lower(), strict=True))
        shares = {row: _named(*row) for row in {*rows}}
        return coded.fillna(pd.Series([shares[row] for row in rows], said.index))
    return coded


def _named(text: str, first: str, second: str) -> float:
    """Return what share the first one has, by a sentence that names one of the two, or the better one before it."""
    if not (isinstance(first, str) and isinstance(second, str)):  # nobody is named
        return np.nan
    words, longer = bare_words(text), max(first, second, key=len)
    rest = text.replace(longer, "\n")
    at = {name: (text.find(name) if name == longer else rest.find(name)) for name in (first, second)}
    there = [name for name in sorted(at, key=lambda name: at[name]) if at[name] >= 0]
    clear = len(there) == 1 or (len(there) == 2 and words & _BETTER and text.count(longer) == 1)
    return float(there[0] == first) if clear and not words & _TURNED else np.nan


def _side(text: str, sides: dict[str, float]) -> float:
    """Return what share the first one has, by a word such as "draw", or one in "agent1", "b-is-better"."""
    text = re.sub(r"\ba (?=tie|draw)", "", text)
    words = bare_words(text)
    found = {sides[word]: word for word in reversed(re.findall(r"[^\W\d_]+|\d+", text)) if word in sides}
    one = list(found.values())[-1:] if len(found) == 1 or ({*found} == {0, 1} and words & _BETTER) else []
    alone = one and re.search(r"[^\W\d_]", text) and not words & _TURNED
    return sides.get(re.sub(r"[ -]", "_", text), sides[one[0]] if alone else np.nan)


def bare_words(text: str) -> set[str]:
    """Return the words and numbers of a text in lower case."""
    return set(re.findall(r"[^\W\d_]+|\d+", text.lower()))


def runs_that_failed(frame: pd.DataFrame, columns: Sequence[Column]) -> list[str]:
    """Return the levels, as COLUMN=LEVEL, at which a run has not ended well, if a column says how each did."""
    for c in (c for c in columns if c.kind in ("text", "truth value") and 1 < c.n_levels <= MOST_FACTOR_LEVELS):
        levels, said = frame[c.name].dropna().astype(str), [c.name] * (c.kind == "truth value")
        if said and not among(c.name, "done broken"):
            continue  # "saturated" says nothing of how a run ended
        ended = {n: [*said, "not" if n == "False" else n] for n in levels.unique()}  # "found" is False, "failed" True
        broken = {n: sum(bool(among(w, "broken")) for w in words) for n, words in ended.items()}
        bad = [n for n in ended if broken[n] == 1]
        good = [n for n in ended if broken[n] == 2 or (n not in bad and any(among(w, "done") for w in ended[n]))]
        if good and bad and levels.isin([*good, *bad]).mean() >= NEARLY:
            return [f"{c.name}={n}" for n in bad]
    return []


def that_came_out(made: Guess[Any], numbers: list[Column]) -> list[Column]:
    """Return the numbers that were not set, and that do not only say something of what has a role, as a size does."""
    compared, over = made.names()
    settings = [*over, *(c.name for c in made.labels() if c.kind == "text")]
    if compared and over and share_of_pairs(made.frame, compared, settings) >= NEARLY:
        numbers = [c for c in numbers if not is_property(made.frame, [c.name], settings)] or numbers
    numbers = [c for c in numbers if direction_of(c.name)[0] or not was_set(made.frame, c.name, compared)]
    keys = [names for names in (compared, over) if names and made.frame.duplicated(names).any()]
    properties = {c for c in numbers for names in keys if is_property(made.frame, [c.name], names)}
    return [c for c in numbers if c not in properties or among(c.name, "higher lower")]


def that_all_have(made: Guess[Any], numbers: Sequence[Column], codes: Sequence[Column]) -> list[Column]:
    """Return the truth values that differ between rows of most that are compared, if some of these have no number."""
    if not (compared := made.names()[0]) or not numbers:
        return []
    each = made.frame.groupby(compared)
    codes = [c for c in codes if not c.n_missing and each[c.name].nunique().median() > 1]
    return codes if all(each[c.name].count().min() == 0 for c in numbers) else []


def overall(made: Guess[Any], best: Column, scores: Sequence[Column]) -> Column:
    """Return the total of scores in one object of JSON, called so and on their scale, or else the likeliest score."""
    inside, parts = best.name.rpartition(".")[0], {c: c.name.rpartition(".") for c in scores if c.kind != "truth value"}
    alike = [c for c in parts if inside and parts[c][0] == inside]
    own = [c for c in alike if {"overall", "total"} & {*words_of(parts[c][2])}]
    high = made.numbers([c.name for c in alike if c not in own]).max().max()
    return next((c for c in own if c.n_levels > 2 and made.numbers([c.name]).max().max() <= high), best)


def predictions_not_scored(columns: Sequence[Column]) -> str:
    """Say why a table of predictions beside what was true is no study, and what to do with it; nothing of others."""
    columns = [c for c in columns if not among(c.name, "cost speed average spread compared") and c.n_levels > 1]
    guesses = [c for c in columns if among(c.name, "predicted")]
    others = [c for c in columns if c not in guesses]
    scored = any(c.kind in NUMBERS and among(c.name, "higher lower generic") for c in others)
    truths = [c for c in others if not scored and among(c.name, "truth")]
    words = [c for c in guesses if c.kind == "text"] if len(guesses) > 1 else []  # the true one may be numbered
    for one, other in ((g, t) for g in guesses for t in truths if g.kind == t.kind or g in words):
        right = "1 for a right answer and 0 for a wrong one; " if one.kind == "text" else "the mean error; "
        return (
            f"{one.name!r} seems to hold predictions, which are no scores, and {other.name!r} what was true. Write one "
            f"score for each method and each data set or item to a column, such as {right}"
            "rows of one series are no independent experiments."
        )
    return ""


RIGHT = {"1": "0", "yes": "no", "correct": "incorrect", "pass": "fail"}  # and wrong
RIGHT |= {"passed": "failed", "right": "wrong", "true": "false"}


def to_be_made(name: str, levels: Sequence[str]) -> list[str]:
    """Say how to make a score of "Yes" and "No", or votes of who won."""
    said, steps = {level.lower(): level for level in levels}, []
    for right, wrong in RIGHT.items():
        if {*said} == {right, wrong}:
            make = f"results[{name!r}] = results[{name!r}].map({ {said[right]: 1, said[wrong]: 0} })"
            steps.append(f"To make {name!r} the score: {make}.")
    if among(name.rpartition(".")[2], "verdict") and not steps and len(levels) <= MOST_FACTOR_LEVELS:
        call = f"genexpy_nb.fields.preferences(results, 'COLUMN WITH THE FIRST OF A PAIR', 'WITH THE SECOND', {name!r})"
        steps.append(f"If {name!r} says who won: {call}.")
        sides = [level for level in levels if level.lower() not in WORDS["tie"]]
        if len(sides) == 2:
            worth = dict.fromkeys(levels, 0.5) | dict(zip(sides, (1, 0), strict=True))
            steps.append(f"If one of the two is always the same: results['won'] = results[{name!r}].map({worth}).")
    return steps
