"""What is proposed for a table: the request that a guess makes, the command that says it, and questions."""

from __future__ import annotations

import re
import shlex
import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any

import click
import pandas as pd

from genexpy_nb.common.checks import listed, suggest
from genexpy_nb.common.errors import GenexpyError
from genexpy_nb.common.prose import plain_line
from genexpy_nb.datasets.describing import DIRECTIONS, NUMBERS, ONLY_SOME, of_metrics, repeats
from genexpy_nb.datasets.forms import CROSSED, FAR, NOT_SOLVED
from genexpy_nb.datasets.roles import FEWEST_CLUSTERS, PRACTICE, SUMMARY, Guess, guess_roles
from genexpy_nb.datasets.words import (
    among,
    by_metric,
    common_start,
    direction_of,
    estimate_of,
    same_in_all,
    share_of_pairs,
    words_of,
)
from genexpy_nb.own_study.own_kernels import kernel_from_text
from genexpy_nb.own_study.request import DIRECTION, READING, ROLES, StudyRequest, called_like, numbers_of_matrix
from genexpy_nb.study.estimates import DEFAULT_KERNELS

_OPTIONS = {field: option for option, field in ROLES.items()} | {"wide": "--wide", "without": "--without"}
_OPTIONS |= {better: f"--{better}-is-better" for better in ("higher", "lower")}
_FURTHER = ("average", "design", "over")  # what a further column may be for
_QUESTIONS = {
    "target": "Which column holds the score?",
    "alternatives": "Which column names what is compared?",
    "over": "Which column names the experiments, such as data sets or cases?",
    "without": "Which columns hold no scores of their own?",
}


@dataclass(frozen=True)
class Proposal:
    """A request that may be meant, and the guess of roles behind it."""

    request: StudyRequest
    guess: Guess[StudyRequest]
    asked: StudyRequest

    @property
    def reasons(self) -> list[tuple[str, str, str]]:
        """What was guessed: option, value, reason."""
        return [(_OPTIONS[field], value, why) for field, value, why in self.guess.reasons]

    def requests(self) -> list[StudyRequest]:
        """Return what may be meant: one request, or one for each direction if nothing says which."""
        undirected = DIRECTION in self.request.absent()
        likely = sorted(DIRECTIONS, key=lambda better: better == self.guess.leaning, reverse=True)
        directions = likely if undirected else [self.request.higher_is_better]
        return [replace(self.request, higher_is_better=better) for better in directions]


def propose(frame: pd.DataFrame, request: StudyRequest) -> Proposal:
    """Return what the columns of a table may be for; what was asked for already stays."""
    kept = Guess(request.kept(frame), request).rows if request.fixed else request.kept(frame)
    kept.attrs = frame.attrs
    guess = guess_roles(kept, request)
    return Proposal(guess.roles, guess, request)


# --- what may be meant ------------------------------------------------------------------------------------------------

_MOST_READINGS, _MOST_TRIED, _MOST_PATTERNS = 8, 16, 100
_MUCH, _MOST_LEFT_OUT = 0.2, 12  # of the scores; of those compared, as options of a command
_FAILED = "and a missing score is a failure, worse than any score"
_LETTERS = string.ascii_letters + string.digits
_FOLDS = ("fold", "kfold", "cv", "split")  # which hold different data, as no seeds do


def readings(frame: pd.DataFrame, proposal: Proposal) -> tuple[list[tuple[str, StudyRequest]], str]:
    """Return up to eight requests that may be meant, in words, each of which works; and why the first does not."""
    found: list[tuple[str, StudyRequest]] = []
    refused, gaps = "", False
    if proposal.guess.problem and not proposal.guess.reasons:  # it is about pairs: no role was given to any column
        return found, refused
    for words, other in islice(_variants(frame, proposal), 1 if proposal.guess.sure else _MOST_TRIED):
        requests = other.requests()
        try:
            answers = requests[0].answers(requests[0].study(frame))
            if answers.n_alternatives > 1:
                gaps |= not found and answers.n_missing > _MUCH * answers.n_cells
                short = [shortened(frame, each) for each in requests]
                found += [(words, each) for each in short if each not in [other for _, other in found]]
        except GenexpyError as error:
            refused = refused or plain_line(error) * (not found)
            if "no condition connects" in plain_line(error):
                found += _without_gaps(frame, words, requests)
        if len(dict(found)) == _MOST_READINGS:
            break
    if gaps and not proposal.guess.sure and found[0][1].missing == StudyRequest.missing:
        last = [replace(each, missing="worst-rank") for words, each in found if words == found[0][0]]
        found += [(f"{found[0][0]}, {_FAILED}", each) for each in last]
    return found, refused


def _without_gaps(frame: pd.DataFrame, words: str, requests: Sequence[StudyRequest]) -> list[tuple[str, StudyRequest]]:
    """Return the same without whoever shares no experiments with the others, if that works, or with them, as last."""
    said, out = "without those who share too few experiments", _sharing_few(requests[0].held(frame), requests[0])
    kept = [replace(each, without=(*each.without, *out)) if out else replace(each, missing="drop") for each in requests]
    with suppress(GenexpyError):
        if kept[0].answers(kept[0].study(frame)).n_alternatives > 1:
            found = [(f"{words}, {said}", each) for each in kept]
            return [*found, *((f"{words}, {_FAILED}", replace(each, missing="worst-rank")) for each in requests)]
    return []


def _sharing_few(rows: pd.DataFrame, request: StudyRequest) -> list[str]:
    """Return whom to leave out, as COLUMN=NAME, so that three or more others share most experiments."""
    target, out = [name for name in request.directions() if name in rows], list[str]()
    if request.wide or len(request.alternatives) != 1 or not {*request.over} <= {*rows}:
        return out
    name, scored = request.alternatives[0], rows.dropna(subset=target)
    there = pd.crosstab(scored[[*request.over]].astype(str).agg(" ".join, axis=1), scored[name].astype(str)) > 0
    while there.shape[1] > 2:
        shared = there[there.sum(axis=1) > 1]
        if shared.to_numpy().mean() >= 1 - _MUCH and shared.any().all():
            break
        fewest = str(shared.mul(shared.sum(axis=1), axis=0).sum().idxmin())
        there = there.drop(columns=fewest)
        out.append(f"{name}={fewest}")
    return out if len(out) <= _MOST_LEFT_OUT and there.shape[1] > 2 else []


def _variants(frame: pd.DataFrame, proposal: Proposal) -> Iterator[tuple[str, Proposal]]:
    """Yield what may be meant: the guess, and what differs from it where the guess is doubtful."""
    made, base, asked = proposal.guess, proposal.request, proposal.asked

    def changed(**fields: Any) -> Proposal:
        return replace(proposal, request=replace(base, **fields))

    absent = [role for role in ("alternatives", "over") if not base.wide and not getattr(base, role)]
    unnamed = absent or ("alternatives", "the first column of text") in [(role, why) for role, _, why in made.reasons]
    side = list(_side_by_side(frame, proposal)) if unnamed else []
    yield from side if absent else ()
    free = [c for c in made.columns if c in made.labels() or (c.name in base.over and absent == ["alternatives"])]
    for column in (c for c in free if not of_metrics(frame, c.name)) if absent else ():
        compared, repeated = absent[0] == "alternatives", repeats(frame, column) in _FOLDS
        if not (column.kind == "text" and not repeated if compared else column.kind == "text" or repeated):
            continue
        known = [name for name in (base.over if compared else base.alternatives) if name != column.name]
        if known and share_of_pairs(frame, known, [column.name]) <= 1 / 2:
            continue
        told: dict[str, Any] = {absent[0]: (column.name,)}
        other = propose(frame, replace(asked, **told))
        if _has_most_pairs(frame, other):
            yield f"each level of {column.name!r} is {'compared' if compared else 'an experiment'}", other
    if absent or not (base.wide or base.target):
        return
    factors, first = listed(map(repr, base.design)), base.alternatives[:1]
    over, alternatives = listed(map(repr, base.over)), listed(map(repr, base.alternatives))
    called, measured = ([], False) if made.sure else _called_alike(frame, proposal)
    yield from called if measured else ()
    if far := [c.name for c in made.free() if base.wide and any(FAR in d and repr(c.name) in d for d in made.doubts)]:
        words = f"without {listed(map(repr, far), 3)}, whose numbers are {FAR}"
        yield words, changed(without=(*base.without, *far))
    if any(NOT_SOLVED in doubt for doubt in made.doubts):
        yield "an empty cell is not solved, worse than all others", changed(missing="worst-rank")
    yield (f"each level of {factors} on its own" if factors else "as guessed"), proposal
    yield from _without_references("as guessed", proposal)
    if any(doubt.endswith("a run that failed?") for doubt in made.doubts):
        words = f"who failed ({listed(made.failed, 3)}) is worse than all others"
        yield words, changed(without=(*base.without, *made.failed), missing="worst-rank")
    if any(doubt.startswith("Each pair of levels") for doubt in made.doubts):
        n = not base.wide  # of a matrix, the columns are experiments, too
        more = (*base.over[n:], *base.design)
        mean = changed(over=base.over[:n], design=(), average=(*base.average, *more))
        yield f"the mean over {listed(map(repr, more))}", mean
    for name in base.average if "and no level is one of its levels" in "".join(made.doubts) else ():
        again = tuple(other for other in base.average if other != name)
        for level in frame[name].value_counts().index[:2] if name in frame and frame[name].hasnans else ():
            yield f"only {name}={level} is taken", changed(average=again, fixed=(*base.fixed, f"{name}={level}"))
    codes = [found[1] for doubt in made.doubts if (found := re.search(r"pass --missing-code (-?[\d.e+]{1,30})", doubt))]
    for code in codes[:1]:
        yield f"{code} stands for no result", changed(missing_code=(*base.missing_code, code.rstrip(".")))
    yield from side[:2]
    if not base.wide and base.over and any(doubt.startswith("Are the levels of") for doubt in made.doubts):
        yield f"{over} is compared over {alternatives}", changed(alternatives=base.over, over=base.alternatives)
        for name in [name for name in base.design if unnamed and frame[name].dtype.kind == "O"][:1]:
            own = (*base.alternatives, *(other for other in base.design if other != name))
            yield f"{over} is compared over {name!r}", changed(alternatives=base.over, over=(name,), design=own)
    yield from () if measured else called
    for group in made.families[1:4]:
        aside = tuple(c.name for c in made.columns if c.kind in NUMBERS and c.name not in (*group, *made.key()))
        better = direction_of(same_in_all(group) or group[0])[0]
        yield f"columns such as {group[0]!r} hold the scores", changed(without=aside, higher_is_better=better)
    if base.wide and made.doubts:
        yield from _other_forms(frame, proposal)
    if any(doubt.startswith(("Are the columns compared", "Are the rows compared")) for doubt in made.doubts):
        if base.alternatives and base.over:
            yield "the columns are compared", changed(alternatives=(), over=(*base.alternatives, *base.over))
        elif base.alternatives or base.over:
            words = f"the {'columns' if base.alternatives else 'rows'} are compared"
            yield words, changed(alternatives=base.over, over=base.alternatives)
        else:
            yield from _each_compared(frame, proposal)
    if odd := [name for _, name, why in made.reasons if base.wide and why.endswith(("own?", "no score?"))]:
        words = f"{listed(map(repr, odd), 3)} {'holds' if len(odd) == 1 else 'hold'} scores, too"
        yield words, changed(without=tuple(name for name in base.without if name not in odd))
    if rows := [text for _, text, why in made.reasons if why in (SUMMARY, PRACTICE, ONLY_SOME)]:
        kept_out = tuple(text for text in base.without if text not in rows)
        yield f"with the rows of {listed(map(repr, rows), 3)}", changed(without=kept_out)
    rivals = [name for name in made.rivals if name not in made.key()]
    for name in sorted(rivals, key=lambda name: not direction_of(name)[0])[:5]:
        better = direction_of(name, frame[name])[0]
        yield f"{name!r} is the score", changed(target=(name,), higher_is_better=better)
    reasons = {text: why for _, text, why in made.reasons}
    for factor, taken in () if asked.fixed else made.fixed:
        text, levels = f"{factor}={taken}", frame[factor].dropna().astype(str).value_counts().index
        metrics = of_metrics(frame, factor) and not estimate_of(levels)
        for level in sorted((level for level in levels if level != taken), key=by_metric)[:3] if metrics else ():
            yield f"{factor}={level} is taken", propose(frame, replace(asked, fixed=(f"{factor}={level}",)))
        if reasons.get(text, "").startswith("a level of ") and not asked.alternatives:
            both, others = (*base.alternatives, factor), tuple(other for other in base.fixed if other != text)
            yield f"{listed(map(repr, both))} together are compared", changed(alternatives=both, fixed=others)
    for name in base.design if len(base.design) == 1 and frame[base.design[0]].dtype.kind == "O" else ():
        level = f"{name}={frame[name].value_counts().index[0]}"
        yield f"only {level} is taken", changed(design=(), fixed=(*base.fixed, level))
    if base.design and base.alternatives and not asked.alternatives:
        both = (*base.alternatives, *base.design)
        yield f"{listed(map(repr, both))} together are compared", changed(design=(), alternatives=both)
    if base.design:
        inside = changed(design=(), over=(*base.over, *base.design))
        yield f"each level of {factors} makes experiments of its own", inside
        yield f"the mean over {factors}", changed(design=(), average=(*base.average, *base.design))
    if rest := base.alternatives[1:]:
        others, said = tuple(name for name in rest if name not in dict(made.fixed)), listed(map(repr, rest))
        mean = changed(alternatives=first, average=(*base.average, *others))
        yield f"{first[0]!r} is compared, with the mean over {said}", mean
        inside = changed(alternatives=first, over=(*base.over, *others))
        yield f"each level of {said} makes experiments of its own", inside
    for name in () if asked.alternatives or asked.design else base.design:
        if among(name, "compared"):
            for words, other in _variants(frame, propose(frame, replace(asked, alternatives=(name,)))):
                yield f"{name!r} is compared, {words}", other
        elif base.alternatives and frame[name].dtype.kind not in "if":
            rest = tuple(other for other in base.design if other != name)
            words = f"{name!r} is compared, and each level of {alternatives} makes experiments"
            yield words, changed(alternatives=(name,), over=(*base.over, *base.alternatives), design=rest)
    if unnamed and not asked.alternatives:
        yield from (each for each in _each_compared(frame, proposal) if _has_most_pairs(frame, each[1]))


def _without_references(words: str, proposal: Proposal) -> Iterator[tuple[str, Proposal]]:
    """Yield the same without what may be there for reference only."""
    if known := proposal.guess.references:
        rest = replace(proposal.request, without=(*proposal.request.without, *known))
        yield f"{words}, without {listed(map(repr, known), 2)}", replace(proposal, request=rest)


def _each_compared(frame: pd.DataFrame, proposal: Proposal) -> Iterator[tuple[str, Proposal]]:
    """Yield what it is to compare the levels of each of the first columns of text."""
    for name in [c.name for c in proposal.guess.labels() if c.kind == "text" and not repeats(frame, c)][:3]:
        yield f"each level of {name!r} is compared", propose(frame, replace(proposal.asked, alternatives=(name,)))


def _has_most_pairs(frame: pd.DataFrame, proposal: Proposal) -> bool:
    """Say whether all roles are known, and most pairs of what is compared and the experiments are there."""
    known = proposal.request.absent() in ([], [DIRECTION])
    return known and share_of_pairs(frame, *proposal.guess.names()) > 1 / 2


def _called_alike(frame: pd.DataFrame, proposal: Proposal) -> tuple[list[tuple[str, Proposal]], bool]:
    """Return what it is to take the columns of a matrix that are called alike, and whether these are measures."""
    base, asked = proposal.request, proposal.asked
    numbers = [c.name for c in proposal.guess.columns if c.kind in (*NUMBERS, "numbers and text")]
    free = [name for name in numbers if base.wide and not asked.target and name not in proposal.guess.key()]
    found = _patterns(free)
    measures = [pattern for pattern, of_measure in found.items() if of_measure]
    which = (measures or [*found])[:4]
    others = [propose(frame, replace(asked, wide=True, target=(pattern,))) for pattern in which]
    called = [*zip(which, others, strict=True)]
    said = [(f"columns called {pattern!r} hold the scores", other) for pattern, other in called]
    said += chain(*(_without_references(words, other) for words, other in said[:2]))
    for pattern, other in called[:2]:
        made = other.request
        turned = replace(other, request=replace(made, alternatives=made.over, over=made.alternatives))
        said.append(
            (f"of those called {pattern!r}, the {'columns' if made.alternatives else 'rows'} are compared", turned)
        )
    return said, bool(measures)


def _patterns(names: Sequence[str]) -> dict[str, bool]:
    """Return patterns that some names fit, such as "*_f1", and whether each is one of several measures of the same."""
    found: dict[frozenset[str], tuple[str, frozenset[str]]] = {}
    for at_end in (True, False):
        ends: dict[str, list[str]] = {}
        for name in names:
            for m in re.finditer(r"[\s_./:|-]+", name):
                ends.setdefault(name[m.start() :] if at_end else name[: m.end()], []).append(name)
        for end, own in ends.items():
            stars = frozenset(name.removesuffix(end) if at_end else name.removeprefix(end) for name in own)
            if 2 < len(own) < len(names) and not any(star.isdecimal() or not star for star in stars):
                pattern, key = f"*{end}" if at_end else f"{end}*", frozenset(own)
                if len(pattern) > len(found.get(key, ("",))[0]):
                    found[key] = pattern, stars
    largest = sorted(found, key=len, reverse=True)[:_MOST_PATTERNS]
    stars_of = dict(found[own] for own in largest)
    ends_of = {end: [p for p in stars_of if (p[0] == "*") is end] for end in (True, False)}
    alike = {p: [q for q in ends_of[p[0] == "*"] if len(stars_of[q] & stars) > 2] for p, stars in stars_of.items()}
    fixed = {p: sum(map(_measures, (q.strip("*") for q in alike[p]))) / len(alike[p]) for p in stars_of}
    inner = {p: sum(map(_measures, stars)) / len(stars) for p, stars in stars_of.items()}
    kept, costs = [p for p in stars_of if fixed[p] >= inner[p]], "cost speed training"
    kept.sort(key=lambda p: (len(alike[p]) < 2, bool(among(p, costs)), not direction_of(p.strip("*"))[0]))
    return {p: len(alike[p]) > 1 and fixed[p] > 0 for p in kept}


def _measures(text: str) -> bool:
    """Say whether a part of a name is called as a measure is, or a cost."""
    return bool(direction_of(text)[0] or among(text, "cost speed measure"))


def shortened(frame: pd.DataFrame, request: StudyRequest) -> StudyRequest:
    """Return the same request of a matrix with a pattern for its scores, if one leaves out the same columns."""
    out = [name for name in request.without if name in frame]
    if not request.wide or request.target or len(out) < 3:
        return request
    roles = {*request.alternatives, *request.over, *request.design, *request.average, request.cluster, *out}
    scores = [c for c in frame if c not in roles and numbers_of_matrix(frame[c])]
    start, end = common_start(scores), common_start([name[::-1] for name in scores])[::-1]
    start, end = start.rstrip(_LETTERS), end.lstrip(_LETTERS)  # whole words
    pattern = f"{start}*{end}"
    fits = {name: short for name, short in called_like(pattern, frame).items() if numbers_of_matrix(frame[name])}
    kept = [fits.get(text, text) for text in request.without if text not in out or text in fits]
    shorter = {*scores} <= {*fits} and start + end and len(kept) < len(out) - 1
    return replace(request, target=(pattern,), without=kept) if shorter else request


def _other_forms(frame: pd.DataFrame, proposal: Proposal) -> Iterator[tuple[str, Proposal]]:
    """Yield what else a matrix may be: columns that are compared over names of rows, or one of them as the score."""
    made, asked = proposal.guess, proposal.asked
    if asked.wide or asked.alternatives or asked.over or any(why == CROSSED for _, _, why in made.reasons):
        return
    rows = [c.name for c in made.labels() if c.kind == "text" and c.n_levels == len(frame) and not c.n_missing]
    for name in rows[:1]:
        other = propose(frame, replace(asked, wide=True, over=(name,)))
        yield f"columns are compared over the rows, called as in {name!r}", other
    scores = [c for c in made.columns if c.kind in NUMBERS and c.n_levels > 2]
    scores = [c for c in scores if among(c.name.rpartition(".")[2], "higher lower generic")]
    scores.sort(key=lambda c: (c.n_missing, c.n_levels < len(frame) / 10, len(words_of(c.name))))
    for name in [c.name for c in scores[:2]]:
        other = propose(frame, replace(asked, target=(name,)))
        if other.request.absent() in ([], [DIRECTION]):
            yield f"{name!r} is the score, with a row for each evaluation", other


def _side_by_side(frame: pd.DataFrame, proposal: Proposal) -> Iterator[tuple[str, Proposal]]:
    """Yield readings of columns of numbers, none of which is called like a measure, as what is compared."""
    numbers = [c.name for c in proposal.guess.free() if c.kind in NUMBERS and c.n_levels > 2]
    names = [*proposal.request.directions(), *numbers]
    few = sum(not among(name, "step spread average part") for name in names) < 2  # "min" beside "mean"
    if proposal.asked.target or few or any(direction_of(name)[0] for name in names):
        return
    other = propose(frame, replace(proposal.asked, wide=True))
    names = [c.name for c in other.guess.free() if c.kind in NUMBERS]
    for words, each in _variants(frame, other) if len(names) > 1 and not other.request.alternatives else ():
        more = "" if words == "as guessed" else f", {words}"
        yield f"columns such as {listed(map(repr, names), 2)} are compared{more}", each


def mostly_one_group(frame: pd.DataFrame, request: StudyRequest, where: Mapping[str, Any]) -> list[str]:
    """Warn of a known program's tasks that are mostly of one suite, as subjects are, by its groups or else by names."""
    over, rows = request.over, request.held(frame)
    held = {name: level for name, level in where.items() if name in rows}  # several targets are no column
    rows = rows[(rows[[*held]] == pd.Series(held, dtype=object)).all(axis=1)]
    if "roles" not in frame.attrs or len(over) != 1 or request.cluster or over[0] not in rows:
        return []
    rows = rows.drop_duplicates([*over])
    known = "suite" in rows
    n = (rows["suite"] if known else rows[over[0]].astype(str).str.extract(r"^([^\W_]{1,99})[_:/-]")[0]).value_counts()
    if not len(n) or not FEWEST_CLUSTERS <= n.iloc[0] > len(rows) / 2:
        return []
    said = f"{n.iloc[0]:,} of {len(rows):,} levels of {over[0]!r} are parts of {n.index[0]!r}"
    clustered = command(replace(request, cluster="suite"), joined=" ") if known else ""
    hint = "; to count each suite as one experiment, run " * known
    return [f"{said}, and the answer is mostly about that{hint}{clustered}"]


# --- the command ------------------------------------------------------------------------------------------------------


def _options(request: StudyRequest) -> list[tuple[str, str]]:
    """Return the options of a request about roles, and what each says."""
    default, better = StudyRequest(request.results), f"--{request.higher_is_better}-is-better"
    fields = ROLES | {"--without": "without", "--configuration": "configuration", "--missing-code": "missing_code"}
    options = [("--wide", "")] if request.wide else []
    for option, field in fields.items():
        options += [(option, value) for value in (getattr(request, field) if field != "cluster" else ())]
        options += [(better, "")] if option == "--target" and request.higher_is_better else []
    options += [("--kernel", text) for text in request.kernels if kernel_from_text(text) not in DEFAULT_KERNELS]
    for name in ("cluster", "alternative", "missing", "alpha", "delta", "level", "confidence", "budget", *READING):
        if getattr(request, name) != getattr(default, name):
            options.append((f"--{name.replace('_', '-')}", f"{getattr(request, name)}"))
    return options


def command(request: StudyRequest, joined: str = " \\\n    ") -> str:
    r"""Return the command line for a request, quoted for a shell: names may hold spaces, quotes, dollars, newlines."""
    results = [f"./{file}" if file.startswith("-") else file for file in request.files]
    options = [f"{option} {_quoted(value)}" if value else option for option, value in _options(request)]
    context = click.get_current_context(silent=True)  # a guess is made for one of the two
    name = "card" if context and context.info_name == "card" else "study"
    return joined.join([f"genexpy-nb {name} {' '.join(map(_quoted, results))}", *options])


def _quoted(text: str) -> str:
    """Quote for a shell; what a terminal would not show as it is, bash reads back from escapes."""
    if text.isprintable():
        return shlex.quote(text)
    escaped = re.sub(r"(['\\])", r"\\\1", text)
    shown = "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped)
    return f"$'{shown}'"


# --- questions, one at a time, for who sits at a terminal; the default is the guess -----------------------------------


def completed(frame: pd.DataFrame, request: StudyRequest) -> StudyRequest:
    """Return the request that the answers make."""
    guessed, fields = propose(frame, request).request, ["target", "alternatives", "over"]
    question = "Is it a matrix, with one kind of score in many columns?"
    if guessed.wide and (request.wide or click.confirm(question, True)):
        request, fields = replace(request, wide=True), ["without"]
        if not (request.alternatives or request.over):
            default = "rows" if guessed.alternatives else "columns"
            compared = _one_of("What is compared, rows or columns?", ("rows", "columns"), default)
            fields.insert(0, "alternatives" if compared == "rows" else "over")
    for field in fields:
        default = getattr(propose(frame, request).request, field)
        if not getattr(request, field) and (default or field != "without"):
            answer: dict[str, Any] = {field: _columns(_QUESTIONS[field], default, frame.columns)}
            request = replace(request, **answer)
    request = _others(frame, request)
    if not any(request.directions().values()):
        better = propose(frame, request).request.higher_is_better
        better = _one_of("Which scores are better, higher or lower?", ("higher", "lower"), better)
        request = replace(request, higher_is_better=better)
    return request


def _others(frame: pd.DataFrame, request: StudyRequest) -> StudyRequest:
    """Ask about each further column that tells rows apart, and about a column in which experiments nest."""
    for _ in frame.columns:
        guessed = propose(frame, request).request
        if fixed := [text.partition("=") for text in guessed.fixed if text not in request.fixed]:
            (column, _, level), *_ = fixed
            levels = [*frame[column].dropna().astype(str).unique(), level]
            level = _one_of(f"Which level of {plain_line(column)}?", levels, level)
            request = replace(request, fixed=(*request.fixed, f"{column}={level}"))
        for role in _FURTHER:
            if new := [column for column in getattr(guessed, role) if column not in getattr(request, role)]:
                question = f"{plain_line(new[0])} tells rows apart: average over it, answer per level (design), or"
                role = _one_of(f"{question} is each level an experiment of its own (over)?", _FURTHER, role)
                answer: dict[str, Any] = {role: (*getattr(request, role), new[0])}
                request = replace(request, **answer)
                break
    rows = [text for text in guessed.without if text not in {*frame, *request.without}]
    if rows and click.confirm(f"Leave out the rows of {plain_line(listed(map(repr, rows), 3))}?", True):
        request = replace(request, without=(*request.without, *rows))
    if guessed.cluster and not request.cluster:
        groups = plain_line(guessed.cluster)
        if click.confirm(f"Are the experiments of one {groups} related, so that each {groups} counts as one?", True):
            request = replace(request, cluster=guessed.cluster)
    return request


def _ask(question: str, shown: str, default: Any, check: Callable[[Any], Any]) -> Any:
    """Ask until the answer fits."""
    text = f"{question} [{shown}]" if shown else question
    return click.prompt(text, default or None, show_default=False, value_proc=check)


def _columns(question: str, default: Sequence[str], columns: Sequence[str]) -> tuple[str, ...]:
    def check(answer: Any) -> tuple[str, ...]:
        names = [answer] if answer in columns else [name.strip() for name in answer.split(",")]
        for name in names:
            if name not in columns:
                raise click.UsageError(f"there is no column {plain_line(name)!r}{suggest(name, columns)}")
        return tuple(names)

    shown = ", ".join(map(plain_line, default))
    return _ask(question, shown, default, lambda answer: answer if answer is default else check(answer))


def _one_of(question: str, choices: Sequence[str], default: str) -> str:
    def check(answer: str) -> str:
        fitting = [choice for choice in choices if answer in (choice, choice[:1])]
        if len(fitting) != 1:
            raise click.UsageError(f"must be one of {', '.join(map(plain_line, choices))}")
        return fitting[0]

    return _ask(question, plain_line(default), default, check)
