"""The language of verdicts: sentences that say what was found and no more, and the wrong ones that they replace.

Pages, summaries and notebooks take their verdicts from here, so that one finding is said in one way. Each sentence
stands beside the one that people write instead; `genexpy_nb.chapters.start_here` computes a case in which that
one is false.
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from genexpy_nb.common.checks import check_choice
from genexpy_nb.common.errors import ParameterError

#: What experiments are, in one or two words, by the verdict of `genexpy_nb.plan`.
WORDS: Mapping[str, str] = MappingProxyType(
    {"enough": "enough", "more needed": "too few", "undecided": "perhaps enough"}
)


@dataclass(frozen=True)
class Phrase:
    """How a verdict is said."""

    right: str
    wrong: str
    why: str

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of what the sentence needs, in their order."""
        return tuple(dict.fromkeys(name for _, name, _, _ in string.Formatter().parse(self.right) if name))


#: Parts of sentences that may be left out: for which question, tolerance and probability; by which test and level.
OPTIONAL = ("for_what", "by_what")

#: (claim, verdict) -> how it is said.
PHRASES: Mapping[tuple[str, str], Phrase] = MappingProxyType(
    {
        ("generalizability", "enough"): Phrase(
            "{which} are enough{for_what}",
            "the result generalizes; the winner is safe",
            "n* asks whether two studies have similar distributions of results. Each experiment may have another "
            "winner, in both studies alike.",
        ),
        ("generalizability", "more needed"): Phrase(
            "{which} are too few{for_what}",
            "the study does not generalize",
            "The verdict is one on a question, a tolerance and a probability. The same experiments can be enough "
            "for another question.",
        ),
        ("generalizability", "undecided"): Phrase(
            "whether {which} are enough{for_what} is open",
            "the estimate of n* is not above the number of experiments, so they are enough",
            "The estimate varies from study to study. Close to the number of experiments it is a toss of a coin.",
        ),
        ("agreement", "estimated"): Phrase(
            "the probability that two studies of {n} experiments have the same {what} is {interval}",
            "the winner was confirmed: it is significantly better",
            "A test speaks of the mean over all experiments there are. With few experiments and close "
            "alternatives, the next study may declare another one, as significantly.",
        ),
        ("significance", "better"): Phrase(
            "{a} is significantly better than {b}{by_what}",
            "{a} is better than {b} wherever it is used",
            "A difference of means says nothing about the next experiment: the worse one of the two may win in "
            "many of them.",
        ),
        ("significance", "not better"): Phrase(
            "{a} is not significantly better than {b}{by_what}",
            "{a} and {b} are equally good",
            "A small study finds no difference most of the time, also where there is one. Equality is a claim of "
            "its own, with a test of its own.",
        ),
        ("significance", "equivalent"): Phrase(
            "{a} and {b} differ by less than {margin}",
            "{a} and {b} do not differ significantly, so they are equivalent",
            "Whether a difference matters has to be said first. Of the pairs without a significant difference, "
            "only some are equivalent.",
        ),
        ("significance", "splits"): Phrase(
            "over splits of this one dataset, {a} is better than {b} by the corrected test",
            "{a} is significantly better than {b} (Wilcoxon's test over the folds)",
            "Folds share their training data. A test that takes them for independent finds differences between "
            "equal models.",
        ),
        ("effect", "average"): Phrase(
            "over the systems of the population, {a} instead of {b} changes the {what} by {interval} on average",
            "{a} instead of {b} improves your system",
            "An average over systems is not the effect in one of them. In some it has the other sign.",
        ),
        ("effect", "one split"): Phrase(
            "the interval says what other test documents would change, not what another split or another system would",
            "the bootstrap interval holds the expected effect with 95 %",
            "Resampling one test set leaves out the training data and the split, and so the interval is too "
            "narrow in many pairs.",
        ),
    }
)


def verdict_sentence(claim: str, verdict: str, **values: object) -> str:
    """Say a verdict."""
    check_choice("claim", claim, tuple(dict.fromkeys(known for known, _ in PHRASES)))
    check_choice("verdict", verdict, tuple(name for known, name in PHRASES if known == claim))
    phrase = PHRASES[claim, verdict]
    empty = {name: "" for name in OPTIONAL if name in phrase.fields}
    if set(empty | values) != set(phrase.fields):
        needed = ", ".join(name for name in phrase.fields if name not in empty)
        raise ParameterError(f"a verdict on {claim}, {verdict!r}, needs {needed}; got {', '.join(values) or 'nothing'}")
    return phrase.right.format(**(empty | values))


def on_size(verdict: str, n: int, of: str = "experiments", whose: str = "", for_what: str = "") -> str:
    """Say whether a study is large enough, with the verb that fits the number."""
    things = of.removesuffix("s") if n == 1 else of
    which = " ".join(filter(None, ["the", f"{n:,}", things, whose]))
    said = verdict_sentence("generalizability", verdict, which=which, for_what=for_what)
    return said.replace(f"{which} are", f"{which} is") if n == 1 else said
