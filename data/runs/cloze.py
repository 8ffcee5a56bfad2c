"""Small language models answer questions with four options, and judges vote on their answers.

A question hides a word of a docstring; the other three options are words that are about as frequent. A model counts
words of other docstrings, and draws its answer with the probabilities that it gives to the options: samples differ. A
judge is such a model, too, trained on text that no model has seen. It prefers the more probable of two answers, and the
one shown first where it hardly sees a difference. No text is kept, only numbers of passages and questions.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import combinations

import numpy as np
import pandas as pd

from genexpy_nb.causal.corpus import docstring_corpus

#: Questions are about docstrings of these; models are trained on other docstrings of the first three.
BENCHMARKS = ("matplotlib", "numpy", "sklearn", "pandas", "scipy", "skimage", "statsmodels")
N_TRAINED = 3
PASSAGES, PER_PASSAGE, SAMPLES = 20, 4, 4
OPTIONS = 4
VOTES = 9000
DOUBT = 1.5  # the odds below which a judge takes the answer that is shown first
ANSWERS = ("benchmark", "passage", "item", "model", "sample", "score")
PREFERENCES = ("vote", "item", "judge", "model_a", "model_b", "winner")
_WORD = re.compile(r"[a-z]{2,}")
_SHORTEST, _FEWEST = 4, 5  # letters of a hidden word, and how often it stands in the text for training
_WEIGHTS = 0.75  # of the longest context that was seen; the rest goes to shorter ones

#: A probability for each option, up to a factor, from the words before and after the gap.
Model = Callable[[Sequence[str], Sequence[str], Sequence[str]], np.ndarray]


def words(text: str) -> list[str]:
    """Return the words of a text, in lower case."""
    return _WORD.findall(text.lower())


class NGrams:
    """Counts of words after up to two or three others, backwards if asked for."""

    def __init__(self, texts: Sequence[Sequence[str]], order: int, *, backwards: bool = False) -> None:
        self.order, self.backwards = order, backwards
        self.counts: dict[tuple[str, ...], Counter] = defaultdict(Counter)
        for text in texts:
            line = text[::-1] if backwards else text
            for at, word in enumerate(line):
                for n in range(min(order, at + 1)):
                    self.counts[tuple(line[at - n : at])][word] += 1

    def __call__(self, before: Sequence[str], after: Sequence[str], options: Sequence[str]) -> np.ndarray:
        context = list(after[::-1] if self.backwards else before)
        found = np.full(len(options), 1e-6)
        for n in range(min(self.order, len(context) + 1)):
            seen = self.counts.get(tuple(context[len(context) - n :]))
            if seen:
                share = np.array([seen[word] for word in options]) / seen.total()
                found = _WEIGHTS * share + (1 - _WEIGHTS) * found
        return found


class Topic:
    """How often a word shares a text with the words around the gap, whatever their order."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self.n, self.alone, self.together = len(texts), Counter(), Counter()
        for text in texts:
            there = sorted(set(text))
            self.alone.update(there)
            self.together.update(combinations(there, 2))

    def __call__(self, before: Sequence[str], after: Sequence[str], options: Sequence[str]) -> np.ndarray:
        around = {*before, *after}
        logs = []
        for option in options:
            usual = (self.alone[option] + 0.5) / self.n
            lifts = [
                np.log((self.together[tuple(sorted((option, word)))] + usual) / (self.alone[word] + 1) / usual)
                for word in sorted(around - {option})
            ]
            logs.append(np.log(usual) + np.sum(lifts) / np.sqrt(max(1, len(lifts))))
        return np.exp(np.array(logs) - max(logs))


def both(*models: Model) -> Model:
    """Return the product of what several models say."""
    return lambda *given: np.prod([_shares(model(*given)) for model in models], axis=0)


def trained(texts: Sequence[Sequence[str]]) -> dict[str, Model]:
    """Return the models, trained on texts."""
    left, right, topic = NGrams(texts, 3), NGrams(texts, 3, backwards=True), Topic(texts)
    return {
        "frequency": NGrams(texts, 1),
        "bigram": NGrams(texts, 2),
        "trigram": left,
        "trigram-half": NGrams(texts[::2], 3),
        "4-gram": NGrams(texts, 4),
        "backwards": right,
        "both-sides": both(left, right),
        "topic": topic,
        "topic-trigram": both(left, topic),
    }


def judges_of(texts: Sequence[Sequence[str]]) -> dict[str, Model]:
    """Return eighteen judges: three kinds of models, each trained on six parts of the texts."""
    panel: dict[str, Model] = {}
    for part in range(6):
        own = texts[part::6]
        kinds = {"bigram": NGrams(own, 2), "trigram": NGrams(own, 3), "topic": Topic(own)}
        panel |= {f"{kind} {part + 1}": model for kind, model in kinds.items()}
    return panel


def _shares(weights: np.ndarray) -> np.ndarray:
    return weights / weights.sum()


@cache
def corpus(seed: int) -> pd.DataFrame:
    """Return docstrings with their words, in an order that is drawn, and which part they are for."""
    frame = docstring_corpus(BENCHMARKS, 12_000, seed)
    about = frame.attrs["about"]
    frame = frame.sample(frac=1, random_state=seed, ignore_index=True)
    frame["words"] = frame["text"].map(words)
    frame = frame[frame["words"].map(len).between(15, 200)]
    turn = frame.groupby("label").cumcount()
    known = frame["label"].isin(BENCHMARKS[:N_TRAINED])
    rest = np.where(known & (turn % 2 == 0), "models", "judges")
    frame["part"] = np.where(turn < 4 * PASSAGES, "questions", rest)
    frame.attrs = {"about": about}
    return frame


def texts_for(part: str, seed: int) -> list[list[str]]:
    """Return the words of each text of a part."""
    frame = corpus(seed)
    return frame.loc[frame["part"] == part, "words"].tolist()


def questions(seed: int) -> pd.DataFrame:
    """Hide four words of each of twenty docstrings of each package; the right option is always the first one."""
    counts = Counter(word for text in texts_for("models", seed) for word in text)
    known = sorted((word for word, n in counts.items() if n >= _FEWEST and len(word) >= _SHORTEST), key=counts.get)
    place = {word: at for at, word in enumerate(known)}
    rng = np.random.default_rng(seed)
    frame = corpus(seed).query("part == 'questions'")
    rows = []
    for benchmark, group in frame.groupby("label", sort=True):
        passages = 0
        for text in group["words"]:
            gaps = [at for at in range(2, len(text) - 2) if text[at] in place]
            if passages == PASSAGES or len(gaps) < 2 * PER_PASSAGE:
                continue
            passages += 1
            for number, at in enumerate(np.sort(rng.choice(gaps, PER_PASSAGE, replace=False))):
                near = np.arange(place[text[at]] - 40, place[text[at]] + 41)
                near = [known[i] for i in near[(near >= 0) & (near < len(known))] if known[i] not in text]
                others = rng.choice(near, OPTIONS - 1, replace=False).tolist()
                passage = f"{benchmark}-{passages:02d}"
                rows.append(
                    (benchmark, passage, f"{passage}-{number + 1}", text[:at], text[at + 1 :], [text[at], *others])
                )
    return pd.DataFrame(rows, columns=["benchmark", "passage", "item", "before", "after", "options"])


def asked(models: Mapping[str, Model], items: pd.DataFrame) -> dict[str, np.ndarray]:
    """Return the probabilities that each model gives to the options of each item, shape (items, options)."""
    given = list(zip(items["before"], items["after"], items["options"], strict=True))
    return {name: np.array([_shares(model(*each)) for each in given]) for name, model in models.items()}


def drawn(shares: Mapping[str, np.ndarray], seed: int) -> dict[str, np.ndarray]:
    """Return the options that each model draws, shape (items, samples)."""
    rng = np.random.default_rng([seed, 1])
    return {
        name: (rng.random((len(p), SAMPLES, 1)) > p.cumsum(axis=1)[:, None, :-1]).sum(axis=2)
        for name, p in shares.items()
    }


def answers(items: pd.DataFrame, chosen: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """Return a row for each answer: 1 if it is right, 0 if not."""
    keys = items[["benchmark", "passage", "item"]]
    parts = [
        keys.assign(model=name, sample=sample, score=(options[:, sample] == 0).astype("int8"))
        for name, options in chosen.items()
        for sample in range(SAMPLES)
    ]
    return pd.concat(parts, ignore_index=True).astype({"sample": "int8"})[list(ANSWERS)]


def votes(
    items: pd.DataFrame, chosen: Mapping[str, np.ndarray], panel: Mapping[str, np.ndarray], seed: int
) -> pd.DataFrame:
    """Draw pairs of first answers that differ, and let a judge of the panel vote on each."""
    rng = np.random.default_rng([seed, 2])
    names, judges = list(chosen), list(panel)
    rows = []
    while len(rows) < VOTES:
        item, judge = int(rng.integers(len(items))), judges[rng.integers(len(judges))]
        first, second = (names[i] for i in rng.choice(len(names), 2, replace=False))
        one, other = chosen[first][item, 0], chosen[second][item, 0]
        if one == other:
            continue
        odds = panel[judge][item, one] / panel[judge][item, other]
        winner = "model_a" if odds >= 1 / DOUBT else "model_b"
        rows.append((len(rows), items["item"].iloc[item], judge, first, second, winner))
    return pd.DataFrame(rows, columns=list(PREFERENCES))
