"""All that a study says to the person who ran it: every table, and the sentences of `genexpy_nb.study.sentences`.

The question is whether a conclusion holds beyond the experiments that were run. One configuration is shown in detail;
the others are counted. Every part is computed when it is asked for, once, and what is left out because of its size is
known before anything is computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

from genexpy_nb.common.checks import Answering, check_count, check_level, check_number, suggest
from genexpy_nb.common.errors import ParameterError, StudyError
from genexpy_nb.common.hashing import versions
from genexpy_nb.common.prose import as_sentence, how_many, in_markdown, levels_in_words, plain_line, together
from genexpy_nb.common.rankings import round_significant
from genexpy_nb.conclusions.completion import N_COMPLETIONS
from genexpy_nb.conclusions.contenders import MIN_EXPERIMENTS as FEWEST_COMPARED
from genexpy_nb.conclusions.contenders import Comparisons
from genexpy_nb.conclusions.regret import mixed_scales
from genexpy_nb.conclusions.tables import MIN_EXPERIMENTS as FEWEST_OF_AGREEMENT
from genexpy_nb.conclusions.tables import experiments_for_agreement
from genexpy_nb.generalization.contract import as_kernels
from genexpy_nb.generalization.kernels import BordaKernel, JaccardKernel, Kernel
from genexpy_nb.generalization.moments import MIN_EXPERIMENTS
from genexpy_nb.generalization.nstar import LARGEST_WHOLE
from genexpy_nb.study import sentences as words
from genexpy_nb.study.checks import LARGE
from genexpy_nb.study.comparisons import comparisons_of, table_of_pairs
from genexpy_nb.study.estimates import DEFAULT_KERNELS
from genexpy_nb.study.planning import extend_first, plan
from genexpy_nb.study.positions import RANKS, SPREADS, TOP

#: Alternatives up to which all pairs are listed; of more, those of so many of the best.
N_COMPARED = 60

#: The tables that a paper wants.
MAIN_TABLES = ("ranking", "contenders", "regret", "agreement", "nstar", "extend")

_TABLES = (
    *("data", "missing", "accounting", "ranking", "contenders", "regret", "noise", "tiers", "pairs", "nstar", "extend"),
    *("agreement", "experiments_for", "curves", "averaged", "design_effect"),
)
_SHARES = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0)  # of the experiments: sizes of second studies
_LARGEST_NEEDED = 100  # times as many experiments are looked at for `words.WANTED_TAU`


class Answers(Answering):
    """What a study says, computed when it is asked for; `genexpy_nb.Answers`. Parameters are attributes.

    Parameters
    ----------
    study : Study
    kernels : kernel or list of kernels, optional
        The research questions; by default, whether the best alternatives and the whole order stay the same.
    alpha, delta : float
        See `Study.nstar`.
    level : float
        Of the tests, in (0, 1).
    configuration : dict, optional
        The configuration to show in detail; by default the first of those with the most experiments.
    alternative : object, optional
        An alternative whose position is a question of its own.
    budget : int, optional
        How many further experiments can be run, >= 0.
    confidence : float
        Nominal confidence, in (0, 1), of all intervals but those that follow from the tests.
    rank_incomplete : bool
        Whether alternatives with fewer than half of the experiments are ranked, too.

    Examples
    --------
    >>> from genexpy_nb import Study
    >>> rng = np.random.default_rng(0)
    >>> scores = pd.DataFrame(rng.normal([0.9, 0.8, 0.5], 0.1, (30, 3)), columns=["svm", "forest", "chance"])
    >>> found = Answers(Study.from_wide(scores))
    >>> print(found.headed[0][0])
    svm is the only one of the 3 alternatives that can be the best.
    >>> found.ranking[["alternative", "mean_rank", "low", "high"]].round(2)
      alternative  mean_rank  low  high
    0         svm       1.23    1     1
    1      forest       1.77    2     2
    2      chance       3.00    3     3
    """

    def __init__(
        self,
        study: Any,
        kernels: Kernel | Iterable[Kernel] | None = None,
        alpha: float = 0.95,
        delta: float = 0.05,
        level: float = 0.05,
        configuration: Mapping[str, Any] | None = None,
        alternative: Any = None,
        budget: int | None = None,
        confidence: float = 0.95,
        rank_incomplete: bool = False,
    ) -> None:
        if not hasattr(study, "condition_scores"):  # naming the class would make a circle of imports
            raise ParameterError(f"study must be a genexpy_nb.Study, got {type(study).__name__}")
        self.study = study
        self.alpha, self.level = check_level("alpha", alpha), check_level("level", level)
        self.confidence, self.rank_incomplete = check_level("confidence", confidence), rank_incomplete
        self.delta = check_number("delta", delta, 0, 1, ends="(]")
        self.budget = None if budget is None else check_count("budget", budget, 0)
        self.kernels = as_kernels(DEFAULT_KERNELS if kernels is None else kernels)
        if alternative is not None:
            if alternative not in study.alternatives:
                known = f"{suggest(alternative, study.alternatives)} (there are {together(study.alternatives, 8)})"
                raise ParameterError(f"alternative: there is no {alternative!r}{known}")
            if BordaKernel(alternative) not in self.kernels:
                self.kernels.append(BordaKernel(alternative))
        self.alternative, self._asked = alternative, configuration is not None
        self.accounting, self.averaged = study.accounting, study.averaged
        self.configuration = dict(study.configurations[int(np.argmax(self.accounting["n_experiments"].to_numpy()))])
        if configuration is not None:
            study.scores(configuration)  # says what is wrong with it
            self.configuration = {name: configuration[name] for name in study.design}
        scores = study.scores(self.configuration)
        self.names, (self.n_experiments, self.n_alternatives) = scores.columns.tolist(), scores.shape
        self._cells = study.condition_scores(self.configuration)  # one row per experiment, but in clusters
        self.n_cells, self.n_missing = self._cells.size, int(self._cells.isna().to_numpy().sum())
        self._n_tables = N_COMPLETIONS if study.is_completed(self.configuration) else 1

    # --- in words ----------------------------------------------------------------------------------------------------

    @property
    def nominal(self) -> str:
        """The confidence of the intervals in per cent, as sentences and heads of tables call it."""
        return f"{100 * self.confidence:g} %"

    @property
    def why_configuration(self) -> str:
        """Why this configuration is the one that is shown in detail."""
        sizes = self.accounting["n_experiments"]
        if len(sizes) == 1:
            return "It is the only configuration."
        if self._asked:
            return "It was asked for."
        n_largest, most = int((sizes == sizes.max()).sum()), how_many(int(sizes.max()), "experiment")
        if n_largest == 1:
            return f"It has the most experiments of all {len(sizes):,} configurations: {most}."
        return f"It is the first of the {n_largest:,} configurations that have the most experiments, {most}."

    question = property(words.question)
    headed = cached_property(words.headed)
    sentences = cached_property(words.answer)
    next_steps = cached_property(words.next_steps)
    enough_in_words = cached_property(words.enough)
    agreement_in_words = cached_property(words.of_agreement)
    noise_in_words = cached_property(words.of_noise)
    clusters_in_words = cached_property(words.of_clusters)
    limits = cached_property(words.limits)
    methods = cached_property(words.methods)
    summary = words.summary

    @property
    def paragraphs(self) -> list[str]:
        """The four answers below what each states, as Markdown, in which names from the table are escaped."""
        return [f"**{in_markdown(head)}** {in_markdown(text)}" for head, text in self.headed]

    def _repr_markdown_(self) -> str:
        return "\n\n".join([f"**{in_markdown(self.question)}**", *self.paragraphs])

    def __repr__(self) -> str:
        return "\n".join([self.question, *map(" ".join, self.headed)])

    # --- what is left out --------------------------------------------------------------------------------------------

    def too_much(self, part: str) -> bool:
        """Say whether a part of `LARGE` takes too long with so many experiments and alternatives."""
        work = LARGE[part]
        return work.of(self.n_experiments, self.n_alternatives, self._n_tables) > work.most

    @cached_property
    def left_out(self) -> list[str]:
        """What is not computed because of its size, in sentences; known before anything is computed."""
        n, k, said = self.n_experiments, self.n_alternatives, []
        absent = [
            work.what
            for part, work in LARGE.items()
            if self.too_much(part) and (part != "runs" or self.study.average_over)
        ]
        if absent:
            size = f"{how_many(n, 'experiment')} and {how_many(k, 'alternative')}"
            said.append(f"With {size}, this would take too long, and is left out: {together(absent, 99)}.")
        if k > N_COMPARED:
            said.append(f"Only pairs of the best {N_COMPARED} of {k:,} alternatives are listed.")
        return said

    @property
    def no_agreement(self) -> str:
        """Why agreement of second studies is not estimated; empty if it is."""
        n = self.n_experiments
        if self.n_alternatives < 2:
            return "there is a single alternative"
        if n < FEWEST_OF_AGREEMENT:
            return f"it takes at least {FEWEST_OF_AGREEMENT} experiments, and there {'is' if n == 1 else 'are'} {n:,}"
        return "it takes too long" if self.too_much("agreement") else ""

    # --- in tables ---------------------------------------------------------------------------------------------------

    @cached_property
    def data(self) -> pd.DataFrame:
        """The role of each column of the table: ``role``, ``column``, ``levels`` (how many, if known), ``note``."""
        study = self.study
        cells = [study.condition_scores(configuration) for configuration in study.configurations]

        def n_levels(name: str) -> int:
            return len({level for each in cells for level in each.index.unique(name)})

        within, one = study.within_clusters, "each level, or combination of levels, is one experiment"
        over = [name for name in study.generalize_over if name not in within]
        rows = [
            ("alternatives", study.alternatives_column, len(study.alternatives), "what is compared"),
            ("target", study.target, pd.NA, words.criteria(study)),
            *(("generalize over", name, n_levels(name), one) for name in over),
            *(("within clusters", name, n_levels(name), "its levels are conditions of experiments") for name in within),
            *(("design", name, len({each[name] for each in study.configurations}), "") for name in study.design),
            *(("average over", name, pd.NA, "scores are means over it") for name in study.average_over),
            *(("fixed", name, 1, f"{level}") for name, level in study.fixed.items()),
        ]
        frame = pd.DataFrame(rows, columns=["role", "column", "levels", "note"])
        return frame.assign(levels=frame["levels"].astype("Int64"))

    @cached_property
    def missing(self) -> pd.DataFrame:
        """Experiments and alternatives of this configuration that lack evaluations, by how many, most first."""
        absent = self._cells.isna()
        row = "condition" if self.study.within_clusters else "experiment"
        parts = []
        for side, counts, of in (
            ("alternative", absent.sum(), len(absent)),
            (row, absent.sum(axis=1), absent.shape[1]),
        ):
            names = [label if not isinstance(label, tuple) else ", ".join(map(str, label)) for label in counts.index]
            part = pd.DataFrame({"side": side, "name": names, "n_missing": counts.to_numpy()})
            parts.append(part.assign(share=part["n_missing"] / of))
        frame = pd.concat(parts, ignore_index=True)
        frame = frame[frame["n_missing"] > 0]
        return frame.sort_values(["side", "n_missing"], ascending=[True, False], kind="stable", ignore_index=True)

    @cached_property
    def ranking(self) -> pd.DataFrame:
        """See `Study.ranking`; the index is a column."""
        if self.n_alternatives < 2:
            return _empty(f"alternative {' '.join(RANKS)}", "a single alternative")
        options: dict[str, Any] = {"tests": not self.too_much("tests"), "confidence": self.confidence}
        ranks = self.study.ranking(self.configuration, **options, **self._options)
        return ranks.rename_axis("alternative").reset_index()

    @property
    def _options(self) -> dict[str, Any]:
        """What all comparisons are made with."""
        return {"level": self.level, "rank_incomplete": self.rank_incomplete}

    @property
    def not_ranked(self) -> dict[Any, int]:
        """Alternatives with fewer than half of the experiments, and how many they have."""
        return self.ranking.attrs.get("not_ranked", {})

    @cached_property
    def leader_of_all(self) -> Any:
        """Who would lead if those were ranked, too."""
        return self.study.ranking(self.configuration, tests=False, rank_incomplete=True).index[0]

    @cached_property
    def mixed_scales(self) -> str:
        """Why the experiments seem to be on different scales, so that means over them say little; or nothing."""
        return mixed_scales(self.study.scores(self.configuration).to_numpy(dtype=float))

    @property
    def cannot_compare(self) -> str:
        """Why alternatives are not compared; empty if they are."""
        if self.n_experiments < FEWEST_COMPARED:
            tell = "tells" if self.n_experiments == 1 else "tell"
            return f"{how_many(self.n_experiments, 'experiment')} {tell} nobody apart"
        return "there are too many to compare them" if self.too_much("tests") else ""

    @property
    def _no_comparison(self) -> str:
        return "there is a single alternative" if self.n_alternatives < 2 else self.cannot_compare

    @cached_property
    def contenders(self) -> list[Any]:
        """Who may be the best, in the order of the ranking; see `Study.contenders`."""
        if self._no_comparison:
            return self.ranking["alternative"].tolist()
        return self.ranking.loc[self.ranking["may_be_best"].astype(bool), "alternative"].tolist()

    @property
    def leaders(self) -> list[Any]:
        """Who is first in the ranking; several if they tie."""
        return self.ranking.loc[self.ranking["position"] == 1, "alternative"].tolist()

    @property
    def may_be_named(self) -> bool:
        """Whether one leads, and is the only contender; as `Study.best` says."""
        return not self.cannot_compare and len(self.leaders) == 1 and self.contenders == self.leaders

    @property
    def _comparisons(self) -> tuple[pd.Index, Comparisons]:
        return comparisons_of(self.study, self.configuration, "rank", self.level, self.rank_incomplete)

    @property
    def smallest_p(self) -> float:
        """The smallest p-value that a comparison can have."""
        return self._comparisons[1].smallest_p(two_sided=False)

    @cached_property
    def gaps(self) -> pd.DataFrame:
        """See `Study.contenders`; the index is a column."""
        if self._no_comparison:
            return _empty("alternative may_be_best p estimate low high place_low place_high", self._no_comparison)
        found = self.study.contenders(self.configuration, alternative=self.alternative, **self._options)
        return found.rename_axis("alternative").reset_index()

    @cached_property
    def needed_to_tell(self) -> pd.Series:
        """Experiments with which each contender would probably (.8) be told from the leader, most first."""
        names, found = self._comparisons
        leader, *others = names.get_indexer(self.contenders)
        ahead, error, common = found.ahead[leader], found.error(leader), found.common[leader]
        least = ndtri(1 - self.level / max(1, len(names) - 1))
        critical = np.where(np.isfinite(found.critical), found.critical, least)
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = ((critical + ndtri(0.8)) * error * np.sqrt(common) / np.maximum(ahead, 0)) ** 2
        needed = np.where(ahead <= 0, np.inf, needed)  # 0 / 0 if all of their scores tie
        needed = np.maximum(needed, max(self.n_experiments + 1, np.ceil(-np.log2(self.level))))  # these tell nothing
        return pd.Series(needed, names).iloc[others].dropna().sort_values(ascending=False, kind="stable")

    @cached_property
    def regret(self) -> pd.DataFrame:
        """See `Study.regret`."""
        if self._no_comparison:
            return _empty("top score regret lead of_contender of_alternative score_regret worst", self._no_comparison)
        return self.study.regret(None, self.configuration, **self._options)

    @cached_property
    def winners(self) -> dict[str, list[Any]]:
        """Those with the best mean rank in each configuration, by its levels."""
        found = {}
        for configuration in self.study.configurations:
            names = self.study.scores(configuration).columns
            if len(names) > 1:  # as in the ranking: of completed tables, means over all completions
                ranks = self.study.ranking(configuration, tests=False, rank_incomplete=self.rank_incomplete)
                names = ranks.index[ranks["position"] == 1]
            found[levels_in_words(configuration)] = names.tolist()
        return found

    @cached_property
    def noise(self) -> pd.DataFrame:
        """See `Study.noise`; the index is a column, and there are no rows where nothing was averaged."""
        if self.study.average_over and self.too_much("runs"):
            columns = f"alternative {' '.join(SPREADS)} share_of_difference"
            return _empty(columns, "too many experiments and alternatives")
        return self.study.noise(self.configuration).rename_axis("alternative").reset_index()

    @cached_property
    def design_effect(self) -> pd.DataFrame:
        """See `Study.design_effect`; of this configuration. No rows of a study without clusters."""
        if self.study.cluster is None:
            columns = "kernel n_conditions n_clusters mean_size icc n_effective design_effect note"
            return _empty(columns, "there are no clusters")
        options = {"configuration": self.configuration, "confidence": self.confidence}
        return self.study.design_effect(self.kernels, self.alpha, self.delta, **options)

    @cached_property
    def tiers(self) -> pd.DataFrame:
        """See `Study.tiers`; the index is a column."""
        if self._no_comparison:
            return _empty("alternative mean_rank tier leader p_adjusted", self._no_comparison)
        return self.study.tiers(self.configuration, **self._options).rename_axis("alternative").reset_index()

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """See `Study.pairs`; of very many alternatives, the pairs of the best ones."""
        if self._no_comparison:
            columns = "a b n_common wins ties losses probability_of_improvement mean_difference estimate low high p"
            return _empty(f"{columns} p_adjusted better", self._no_comparison)
        names, found = self._comparisons
        best = np.isin(names, self.ranking["alternative"].iloc[:N_COMPARED])
        return table_of_pairs(self.study, self.configuration, names, found, np.flatnonzero(best))

    @property
    def n_apart(self) -> int:
        """How many of the pairs differ significantly."""
        return int((self.pairs["better"] != "").sum())

    @cached_property
    def _planned(self) -> tuple[pd.DataFrame, str]:
        """The estimates of n*, or why there are none."""
        try:
            return plan(self.study.nstar(self.kernels, self.alpha, self.delta, confidence=self.confidence)), ""
        except StudyError as error:
            columns = "kernel alpha delta epsilon n_experiments nstar low high method note"
            return plan(_empty(columns, "", self.study.design)), plain_line(error)

    @property
    def no_nstar(self) -> str:
        """Why n* was not estimated at all; empty if it was."""
        return self._planned[1]

    @property
    def nstar(self) -> pd.DataFrame:
        """See `Study.nstar` and `plan`; all configurations and kernels."""
        return self._planned[0]

    def estimate_of(self, kernel: Kernel) -> pd.Series | None:
        """Return the row of n* of the configuration that is shown, or None if there is none."""
        rows = self.nstar[self.nstar["kernel"] == kernel.name]
        for name, level in self.configuration.items():
            rows = rows[rows[name] == level]
        return None if rows.empty else rows.iloc[0]

    @property
    def even_is_alike(self) -> bool:
        """Whether the experiments may be enough, and δ is so large that a study of equal winners would be similar."""
        row = self.estimate_of(kernel := JaccardKernel(k=1))
        if row is None or row["verdict"] not in ("enough", "undecided") or self.n_experiments > LARGEST_WHOLE:
            return False
        alike = self.study.gram(self.configuration, kernel).mean()  # to results where all win equally often, 1 / k
        return bool(0 < alike - 1 / self.n_alternatives <= row["epsilon"] ** 2)

    @cached_property
    def extend(self) -> pd.DataFrame:
        """See `extend_first`."""
        return extend_first(self.nstar, self.budget)

    @property
    def conclusions(self) -> dict[str, str]:
        """What second studies are asked about: its name in the frame, and for `Study.agreement`."""
        top = {f"top {TOP}": "top-k"} if self.n_alternatives > TOP else {}
        return {"winner": "winner", **top, "order": "order"}

    @property
    def largest_needed(self) -> int:
        """Up to how many experiments it is looked for those that an order takes."""
        return _LARGEST_NEEDED * self.n_experiments

    @cached_property
    def _second_studies(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The agreement by size, and the size for a wanted tau; both empty where nothing can be said."""
        columns = "conclusion measure n estimate low high", "conclusion measure agreement n low high"
        if self.no_agreement:
            return _empty(columns[0], self.no_agreement), _empty(columns[1], self.no_agreement)
        sizes, orders = self._sizes, []

        def of_order(others: list[int]) -> pd.DataFrame:
            orders.append(self._agreement_of("order", sorted({*others, *sizes})).set_index("n", drop=False))
            return orders[-1].loc[others]

        needed = experiments_for_agreement(of_order, words.WANTED_TAU, self.largest_needed)  # one call for both
        parts = [self._winner, orders[-1].loc[sizes]]
        if self.n_alternatives > TOP:
            parts.insert(1, self._agreement_of("top-k", sizes))
        frame = pd.concat(parts, ignore_index=True)
        names = {conclusion: name for name, conclusion in self.conclusions.items()}
        return frame.assign(conclusion=frame["conclusion"].map(names)), needed.to_frame().T.infer_objects()

    @property
    def _sizes(self) -> list[int]:
        return sorted({max(2, int(share * self.n_experiments)) for share in _SHARES})

    @cached_property
    def _winner(self) -> pd.DataFrame:
        return self._agreement_of("winner", self._sizes)  # by itself: the sentences ask for nothing else

    def _agreement_of(self, conclusion: str, sizes: list[int]) -> pd.DataFrame:
        options = {"k": TOP if conclusion == "top-k" else None, "confidence": self.confidence}
        return self.study.agreement(conclusion, sizes, self.configuration, **options)

    @property
    def agreement(self) -> pd.DataFrame:
        """See `Study.agreement`: winner, top 3 and order by mean ranks; a quarter to four times as many experiments."""
        return self._second_studies[0]

    @property
    def experiments_for(self) -> pd.DataFrame:
        """See `Study.experiments_for`: for an expected tau of `words.WANTED_TAU` between two orders; one row."""
        return self._second_studies[1]

    def agreement_at(self, n: int, conclusion: str) -> pd.Series | None:
        """Return the row of the agreement of two studies of n experiments, or None if it was not estimated."""
        if self.no_agreement:
            return None
        rows = self._winner if conclusion == "winner" else self.agreement
        rows = rows[(rows["n"] == n) & (rows["conclusion"] == conclusion)]
        return None if rows.empty else rows.iloc[0]

    @cached_property
    def curves(self) -> pd.DataFrame:
        """See `Study.curves`."""
        if self.n_experiments < MIN_EXPERIMENTS or self.too_much("curves") or self.n_alternatives < 2:
            return _empty("kernel n estimate", "too many or too few experiments, or a single alternative")
        return self.study.curves(self.configuration, self.kernels, self.delta, alpha=self.alpha)

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return every table by its name, one fact per row."""
        return {name: getattr(self, {"contenders": "gaps"}.get(name, name)) for name in _TABLES}

    def to_dict(self) -> dict[str, Any]:
        """Return everything in types that JSON knows: None for what is missing, "inf", text for objects."""
        parameters = {name: getattr(self, name) for name in ("alpha", "delta", "level", "confidence", "budget")}
        parts = ("question", "sentences", "next_steps", "enough_in_words", "agreement_in_words", "limits", "left_out")
        return {
            "versions": versions(["genexpy_nb", "numpy", "pandas", "scipy", "statsmodels"]),
            **{name: getattr(self, name) for name in (*parts, "methods")},
            "warnings": [as_sentence(text) for text in self.study.warnings],
            "notes": [as_sentence(text) for text in self.study.notes],
            "configuration": {name: _as_json(level) for name, level in self.configuration.items()},
            "why_configuration": self.why_configuration,
            "parameters": parameters
            | {"missing": self.study.missing, "kernels": [kernel.name for kernel in self.kernels]},
            "tables": {name: records(table) for name, table in self.tables().items()},
        }


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table in types that JSON knows; see `Answers.to_dict`."""
    return [{str(column): _as_json(value) for column, value in row.items()} for row in table.to_dict("records")]


def _empty(columns: str, note: str, first: Iterable[str] = ()) -> pd.DataFrame:
    frame = pd.DataFrame({name: [] for name in [*first, *columns.split()]})
    frame.attrs["note"] = note
    return frame


def _as_json(value: Any) -> Any:
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        if np.isnan(value):
            return None
        return float(round_significant(value)) if np.isfinite(value) else str(float(value))
    return None if value is None or value is pd.NA or value is pd.NaT else str(value)
