"""Numbers that the papers print, so that every notebook can show them beside the ones that it computes."""

from __future__ import annotations

import pandas as pd

from genexpy_nb.common.checks import check_choice

_FIRST, _SECOND = "first version", "second version"
_NSTAR = [
    # study, configuration, kernel, n*, experiments as stated, where
    ("encoders", ("DTC", "full", "ACC"), "Jaccard(1)", 28, 30, _FIRST),
    ("encoders", ("SVC", "full", "BACC"), "Jaccard(1)", 34, 30, _FIRST),
    ("encoders", ("LGBMC", "no", "BACC"), "Jaccard(1)", 28, 30, _SECOND),
    ("encoders", ("LR", "full", "F1"), "Jaccard(1)", 47, 30, _SECOND),
    ("bigbench", ("arithmetic", 2), "Jaccard(1)", 1, 21, _SECOND),
    ("bigbench", ("conlang_translation", 0), "Jaccard(1)", 44, 10, _FIRST),
    ("bigbench", ("conlang_translation", 0), "Jaccard(1)", 65, 10, _SECOND),
]
_DESIGN = {"encoders": ["model", "tuning", "scoring"], "bigbench": ["task_name", "number_of_shots"]}


def published_nstar(study: str) -> pd.DataFrame:
    """Return the published n* of a case study, all at alpha = .95 and delta = .05.

    Parameters
    ----------
    study : {"encoders", "bigbench"}

    Returns
    -------
    DataFrame
        The design columns, kernel, ``published`` (n*), ``stated`` (number of experiments that the paper states) and
        ``paper`` (first or second version of Generalizability of Experimental Studies).

    Raises
    ------
    ParameterError
        If there is no such study.

    Examples
    --------
    >>> published_nstar("bigbench")["published"].tolist()
    [1, 44, 65]
    """
    check_choice("study", study, _DESIGN)
    rows = [
        {**dict(zip(_DESIGN[study], configuration, strict=True)), "kernel": kernel}
        | {"published": nstar, "stated": stated, "paper": paper}
        for name, configuration, kernel, nstar, stated, paper in _NSTAR
        if name == study
    ]
    return pd.DataFrame(rows)
