"""What notebooks 07 and 15 say of CIFAR-10: findings on digits that repeat, errors by kind of noise, sign-errors.

``python -m runs.cifar_findings``, in ``data``, writes the tables that the notebook shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pandas as pd
import xarray as xr

from genexpy_nb import chapters
from genexpy_nb.chapters.tradeoff import VERSIONS, Families, averaged_sign_errors, count_verdicts
from genexpy_nb.common.prose import span
from genexpy_nb.datasets import load_tradeoff_cells, load_tradeoff_cifar10
from genexpy_nb.datasets.locating import data_folder, read_verified_results
from genexpy_nb.significance import plan_comparison
from genexpy_nb.tradeoff.array import KAPPAS, to_array
from genexpy_nb.tradeoff.compare import family_differences, kappa_correlations, noise_curve, slice_marginal
from genexpy_nb.tradeoff.signerror import MEASURES

Editions: TypeAlias = Mapping[str, Families]
Kinds: TypeAlias = Mapping[tuple[str, str, str], xr.Dataset]

_SAME, _OTHER = 0.95, 0.9  # correlations from which on two are one measurement, and below which they are not


def finding_verdicts(arrays: Mapping[str, Editions], zero_shot: float | None = None) -> pd.DataFrame:
    """Say of each finding on the trade-off point on which datasets it was made, and whether it repeats."""
    table = pd.DataFrame({data: _verdicts(of, zero_shot) for data, of in arrays.items()})
    said = table.apply(lambda column: column.str.split(":").str[0])

    def verdict(row: pd.Series) -> str:
        answers = set(row)
        if len(answers) == 1:
            return {"yes": "repeats", "no": "not found", "open": "open"}[answers.pop()]
        return "does not repeat" if {"yes", "no"} <= answers else "open"

    return table.assign(verdict=said.apply(verdict, axis=1)).rename_axis("finding")


def _verdicts(arrays: Editions, zero_shot: float | None) -> dict[str, str]:
    first = next(iter(arrays.values()))
    found = {}
    for edition, values in kappa_correlations(arrays).iterrows():
        answer = "yes" if values.min() >= _SAME else "no" if values.max() < _OTHER else "open"
        if edition != "cohen":
            answer = {"yes": "no", "no": "yes", "open": "open"}[answer]
        what = "the same as" if edition == "cohen" else "something else than"
        called = VERSIONS.get(edition, edition)
        found[f"Kappa as {called} measures {what} the error"] = f"{answer}: correlation {span(values)}"
    one, other = list(first.values())[:2]
    table = family_differences(one, other, zero_shot).iloc[::-1]
    answer = {"changes with the noise": "yes", "stays the same": "no", "is unclear": "open"}[order(table)]
    ends = ("{estimate:+.3f} [{low:+.3f}, {high:+.3f}]".format(**table.iloc[end]) for end in (0, -1))
    found["noise reverses the order of the families"] = f"{answer}: {' and '.join(ends)}".replace("-", "−")
    return found


def order(found: pd.DataFrame) -> str:
    """Say whether the noise decides which family errs less."""
    if len(found) < 2:  # levels of noise
        return "was not asked"
    ends = found.iloc[[0, -1]]
    signs = np.where(ends["low"] > 0, 1, np.where(ends["high"] < 0, -1, 0))
    return "is unclear" if 0 in signs else "changes with the noise" if signs[0] != signs[1] else "stays the same"


def beside_residual(arrays: Mapping[str, xr.Dataset], zero_shot: float) -> pd.DataFrame:
    """Return errors of families minus those of residual networks, on the cleanest and on the noisiest images."""
    rows = {}
    for name, array in arrays.items():
        if name != "residual":
            ends = family_differences(array, arrays["residual"], zero_shot).set_index("ssim").sort_index()
            rows |= {(name, where): ends.iloc[at] for where, at in (("cleanest", -1), ("noisiest", 0))}
    return pd.DataFrame(rows).T.rename_axis(["family", "images"])[["estimate", "low", "high"]]


def seeds_needed(tables: Mapping[str, pd.DataFrame], zero_shot: float) -> pd.DataFrame:
    """Plan how many seeds find half of the smaller difference on digits: by the standard deviation, and its 95 %."""
    apart = {}
    for data, table in tables.items():
        some = table[table["zero_shot"] == zero_shot]
        means = some.groupby(["ssim", "seed", "family"], observed=True)["error_rate"].mean().unstack()
        apart[data] = means.diff(axis=1).iloc[:, 1].unstack("ssim").iloc[:, [0, -1]]
    matters = apart["digits"].mean().abs().min() / 2
    plans = pd.concat(
        plan_comparison(pilot, matters, len(pilot), confidence=end).assign(end=end)
        for _, pilot in apart["CIFAR-10"].items()
        for end in (0.025, 0.975)
    )
    n = plans.groupby(["spread_from", "end"])["n_conditions"].max().astype(int)
    about, few, many = n[[("pilot", 0.025), ("upper limit", 0.025), ("upper limit", 0.975)]]
    return pd.DataFrame({"matters": [matters], "about": [about], "few": [few], "many": [many]})


def arrays_by_kind(cells: pd.DataFrame, error: str = "error_rate") -> dict[tuple[str, str, str], xr.Dataset]:
    """Make an array of each kind of noise, training and family, at the shares of unseen classes of all of them."""
    kinds = [part for _, part in cells.groupby(["training", "noise"], observed=True)]
    shares = set.intersection(*(set(part["zero_shot"]) for part in kinds))
    return {
        (str(noise), str(training), str(family)): to_array(
            part, error, **({"noise": "level", "cleaner": "low"} if noise == "fgsm" else {})
        )
        for (noise, training, family), part in cells[cells["zero_shot"].isin(shares)].groupby(
            ["noise", "training", "family"], observed=True
        )
    }


_CALLED = {"pca": "principal components", "autoencoder": "convolutional autoencoder", "fgsm": "attack"}


def errors_by_kind(arrays: Kinds) -> pd.DataFrame:
    """Average the error over families on the cleanest and the noisiest images, for each kind of noise and training."""
    rows = []
    for (noise, training, _), array in arrays.items():
        curve = noise_curve(array)["estimate"]
        rows.append((_CALLED[noise], training, curve.iloc[-1], curve.iloc[0]))
    table = pd.DataFrame(rows, columns=["noise", "training", "cleanest", "noisiest"])
    return table.groupby(["noise", "training"]).mean()


def errors_by_size_and_kind(arrays: Kinds) -> pd.DataFrame:
    """Return what measures are held against on CIFAR-10: both slices with principal components, else seen classes."""
    asked = [(key, "zero_shot") for key in arrays] + [(key, "ssim") for key in arrays if key[0] == "pca"]
    return pd.concat(
        [
            slice_marginal(arrays[key], which).assign(noise=key[0], training=key[1], family=key[2])
            for key, which in asked
        ]
    )


def signs_by_kind(cells: pd.DataFrame, error: str = "error_rate") -> pd.DataFrame:
    """Hold all measures against the errors, or gaps, of each kind of noise, training and family."""
    names = {name: "number of weights" if name == "params" else name.replace("_", " ") for name in MEASURES}
    theory = load_measures().rename(columns=names).melt(["family", "seed", "size"], names.values(), "measure", "value")
    return averaged_sign_errors(theory, errors_by_size_and_kind(arrays_by_kind(cells, error)))


def count_signs(averaged: pd.DataFrame) -> pd.DataFrame:
    """Count the verdicts of each slice, and how many orders would be told from chance if all knew nothing."""
    once = averaged.drop_duplicates(["family", "slice", "noise", "training", "group"])
    signs = count_verdicts(averaged).groupby("slice").sum()
    return signs.assign(by_chance=once.groupby("slice")["by_chance"].sum()).reset_index()


def signs_of_measures(averaged: pd.DataFrame) -> pd.DataFrame:
    """Say for each measure and slice what all comparisons find, and between which ends the sign-errors lie."""
    parts = averaged.groupby(["slice", "measure"], sort=False)
    table = parts["sign_error"].agg(["min", "max"])
    verdicts = parts["verdict"].agg(lambda found: found.iloc[0] if found.nunique() == 1 else "differs")
    return table.assign(verdict=verdicts).reset_index()


def load_measures() -> pd.DataFrame:
    """Read the complexity measures of the networks of `load_tradeoff_cifar10`: a row for each network."""
    return read_verified_results(data_folder() / "tradeoff_cifar10_measures.parquet")


def load_rotated() -> pd.DataFrame:
    """Read the cells of networks on CIFAR-10 in four rotations."""
    return read_verified_results(data_folder() / "tradeoff_cifar10_rotated.parquet")


def make_tables() -> dict[str, pd.DataFrame]:
    """Return what notebook 07 shows."""
    turned = load_rotated().query("training == 'probe' and noise == 'pca'")
    rotated = {str(name): to_array(part) for name, part in turned.groupby("family", observed=True)}
    compared = turned["family"].isin(["compound", "residual"])
    turned = pd.concat([turned[compared], turned[~compared]])  # the first two are compared
    tables = {
        "digits": load_tradeoff_cells(),
        "CIFAR-10": load_tradeoff_cifar10(training="probe", noise="pca"),
        "CIFAR-10, turned": turned,
    }
    arrays = {
        data: {
            edition: {
                name: to_array(part, kappa=edition, missing="error")
                for name, part in table.groupby("family", sort=False, observed=True)
            }
            for edition in KAPPAS
        }
        for data, table in tables.items()
    }
    plain = beside_residual(arrays["CIFAR-10"]["conflict"], 0.5)
    cells = load_tradeoff_cifar10()
    kinds, similar = arrays_by_kind(cells), cells.groupby(["noise", "training"], observed=True)["ssim"].min()
    signs = {error: signs_by_kind(cells, error) for error in ("error_rate", "gap")}
    return {
        "verdicts": finding_verdicts(arrays, 0.5).reset_index(),
        "families": pd.concat([plain, beside_residual(rotated, 0.5)]).reset_index(),
        "seeds": seeds_needed(tables, 0.5),
        "errors": errors_by_kind(kinds).assign(lowest_ssim=similar.rename(_CALLED)).reset_index(),
        "signs": pd.concat([count_signs(each).assign(error=error) for error, each in signs.items()], ignore_index=True),
        "measures": pd.concat(
            [signs_of_measures(each).assign(error=error) for error, each in signs.items()], ignore_index=True
        ),
    }


if __name__ == "__main__":
    for name, made in make_tables().items():
        made.to_csv(Path(chapters.__file__).with_name(f"cifar10_{name}.csv"), index=False)
