"""What is proposed for a table: the request that a guess of its columns' roles makes, and the command that says it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace

import pandas as pd

from genexpy_nb.datasets.describing import DIRECTIONS
from genexpy_nb.datasets.roles import Guess, guess_roles
from genexpy_nb.own_study.own_kernels import kernel_from_text
from genexpy_nb.own_study.request import DIRECTION, READING, ROLES, StudyRequest
from genexpy_nb.study.estimates import DEFAULT_KERNELS

_OPTIONS = {field: option for option, field in ROLES.items()} | {"wide": "--wide", "without": "--without"}
_OPTIONS |= {better: f"--{better}-is-better" for better in ("higher", "lower")}


@dataclass(frozen=True)
class Proposal:
    """A request that may be meant, and the guess of roles behind it."""

    request: StudyRequest
    guess: Guess[StudyRequest]

    @property
    def reasons(self) -> list[tuple[str, str, str]]:
        """What was guessed: option, value, reason."""
        return [(_OPTIONS[field], value, why) for field, value, why in self.guess.reasons]

    def requests(self) -> list[StudyRequest]:
        """Return what may be meant: one request, or one for each direction if nothing says which."""
        undirected = self.request.absent()[-1:] == [DIRECTION]
        directions = DIRECTIONS if undirected else [self.request.higher_is_better]
        return [replace(self.request, higher_is_better=better) for better in directions]


def propose(frame: pd.DataFrame, request: StudyRequest) -> Proposal:
    """Return what the columns of a table may be for; what was asked for already stays."""
    guess = guess_roles(frame, request)
    return Proposal(guess.roles, guess)


# --- the command ------------------------------------------------------------------------------------------------------


def _options(request: StudyRequest) -> list[tuple[str, str]]:
    """Return the options of a request about roles, and what each says."""
    default, better = StudyRequest(request.results), f"--{request.higher_is_better}-is-better"
    fields = ROLES | {"--without": "without", "--configuration": "configuration", "--cluster": ""}
    fields |= {"--missing-code": "missing_code"}
    options = [("--wide", "")] if request.wide else []
    for option, field in fields.items():
        options += [(option, value) for value in (getattr(request, field) if field else ())]
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
    return joined.join([f"genexpy-nb study {' '.join(map(_quoted, results))}", *options])


def _quoted(text: str) -> str:
    """Quote for a shell; what a terminal would not show as it is, bash reads back from escapes."""
    if text.isprintable():
        return shlex.quote(text)
    escaped = "".join(
        c if c.isprintable() and c not in "'\\" else f"\\{c}" if c in "'\\" else f"\\U{ord(c):08x}" for c in text
    )
    return f"$'{escaped}'"
