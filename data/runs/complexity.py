"""Complexity measures of a trained network: what theory offers as predictors of the generalization gap.

The 26 measures of Dziugaite et al. (2020), most of them from Jiang et al. (2020), for any framework: a network is a
tuple of weight arrays and two functions that evaluate it with other weights. Biases take no part. A convolution kernel
counts as the matrix (out, in * height * width), which is an approximation of its spectral norm, not the norm of the
linear map. The authors' code then divides by the training size m and takes roots, which changes no ranking among
networks with the same training set; it is left out here.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from math import log, sqrt
from typing import Any, Literal, NamedTuple

import numpy as np

from genexpy_nb.common.checks import check_count
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.common.random import generator, seed_of
from genexpy_nb.tradeoff.signerror import MEASURES

Weights = tuple[np.ndarray, ...]

#: Name -> meaning of the further numbers that are computed here: how well the noise is known that the PAC-Bayes
#: measures are made of. The relative error of ``pacbayes_flatness`` and ``pacbayes_mag_flatness`` is twice as large.
NOISE_ERRORS = {
    "sigma_error": "standard error of ln sigma: how far sigma varies with the random perturbations, relative to it",
    "sigma_mag_error": "the same for sigma'",
}

_EPSILON = 1e-3  # of the magnitude-aware noise, as in both papers' code
_MARGIN_PERCENTILE = 10
_N_ROUGH = 10  # perturbations with which the neighbourhood of sigma is found


@dataclass(frozen=True, eq=False)
class NetworkRecord:
    """A trained network, as far as the complexity measures look at it.

    Attributes
    ----------
    weights, initial : tuple of ndarray
        One array per layer after and before training, output unit first, (out, in) or (out, in, height, width);
        without biases. ``initial`` may be None, if it is not known: then all measures of the distance are NaN.
    margins : ndarray, shape (m,)
        Output of the right class minus the largest other one, for every training example.
    accuracy : callable
        Training accuracy in [0, 1] of the network with the weights that it is given; biases stay as they are. The
        expensive one.
    outputs : callable
        The network's outputs for an input of ones with the weights that it is given, and without biases; a forward
        pass of squared weights is the sum over paths only if the nonlinearities leave nonnegative numbers alone. NaN
        if there is no such sum.

    Examples
    --------
    >>> w = np.array([[2.0, 0.0], [0.0, 1.0]])
    >>> network = NetworkRecord((w,), (np.zeros((2, 2)),), [0.5, 1.0], lambda w: 1.0, lambda w: w[0] @ np.ones(2))
    >>> network.n_weights
    4
    """

    weights: Weights
    initial: Weights | None
    margins: np.ndarray
    accuracy: Callable[[Weights], float]
    outputs: Callable[[Weights], Any]

    def __post_init__(self) -> None:
        for name in ("weights", "initial") if self.initial is not None else ("weights",):
            layers = tuple(np.asarray(layer, dtype=float) for layer in getattr(self, name))
            if not layers:
                raise ParameterError(f"{name} must hold one array per layer, got none")
            for position, layer in enumerate(layers):
                if layer.ndim < 2 or layer.size == 0:
                    raise ParameterError(
                        f"{name} of layer {position} must have shape (out, in, ...), without biases, got {layer.shape}"
                    )
                if not np.isfinite(layer).all():
                    raise ParameterError(f"{name} of layer {position} must be finite, got missing or infinite ones")
            object.__setattr__(self, name, layers)
        shapes = [layer.shape for layer in self.weights]
        initial = shapes if self.initial is None else [layer.shape for layer in self.initial]
        if shapes != initial:
            raise ParameterError(f"weights and initial must have the same shapes, got {shapes} and {initial}")
        for position, layer in enumerate(self.weights):
            if not layer.any():
                raise ParameterError(f"weights of layer {position} are all zero: there is no logarithm of their norm")
        margins = np.asarray(self.margins, dtype=float)
        if margins.ndim != 1 or margins.size == 0 or not np.isfinite(margins).all():
            raise ParameterError(f"margins must be finite, one per training example, got shape {margins.shape}")
        object.__setattr__(self, "margins", margins)

    @property
    def n_weights(self) -> int:
        """Number of weights, biases not counted."""
        return sum(layer.size for layer in self.weights)


@dataclass(frozen=True)
class NoiseScale:
    """How much noise on its weights a network tolerates."""

    sigma: float
    bracket_low: float
    bracket_high: float
    error: float
    note: str


def noise_scale(
    network: NetworkRecord,
    magnitude_aware: bool = False,
    *,
    rng: np.random.Generator | int = 0,
    n_perturbations: int = 50,
    n_steps: int = 7,
    accuracy_drop: float = 0.1,
    scale_range: tuple[float, float] = (1e-3, 10.0),
    epsilon: float = _EPSILON,
) -> NoiseScale:
    """Find the largest Gaussian noise that costs too little accuracy: bisection, then interpolation in the bracket."""
    n_perturbations = check_count("n_perturbations", n_perturbations)
    # Seeds instead of the noise itself: copies of a large network need not fit into memory.
    seeds = generator(rng).integers(2**63, size=n_perturbations)
    unit = 1.0 if magnitude_aware else float(np.sqrt(sum((w**2).sum() for w in network.weights) / network.n_weights))
    before = _accuracy(network, network.weights)

    def perturbed(sigma: float, seed: int) -> Weights:
        draw = np.random.default_rng(seed).standard_normal
        return tuple(
            w + (np.sqrt((sigma * w) ** 2 + epsilon**2) if magnitude_aware else sigma) * draw(w.shape)
            for w in network.weights
        )

    def drops(log_sigma: float, seeds: np.ndarray = seeds) -> np.ndarray:
        return before - np.array([_accuracy(network, perturbed(np.exp(log_sigma), seed)) for seed in seeds])

    ends = (float(np.log(scale_range[0] * unit)), float(np.log(scale_range[1] * unit)))
    found = _bisect(lambda middle: drops(middle, seeds[:_N_ROUGH]), *ends, accuracy_drop, n_steps)
    if n_perturbations > _N_ROUGH and found.at_low is not None and found.at_high is not None:
        found = _moved(drops, found, ends, accuracy_drop)
    note, lost = "", f"{accuracy_drop:g} of the accuracy {before:.3g}"
    log_sigma, error = np.nan, np.nan
    if found.at_low is None:
        log_sigma = ends[0]
        note = f"even the least noise costs more than {lost}: taken for the lower end of the range, "
    elif found.at_high is None:
        log_sigma = ends[1]
        note = f"even the most noise costs no more than {lost}: taken for the upper end of the range, "
    else:
        log_sigma, error = _interpolated(found, accuracy_drop)
    sigma = float(np.exp(log_sigma))
    return NoiseScale(sigma, float(np.exp(found.low)), float(np.exp(found.high)), error, note and f"{note}{sigma:.3g}")


class _Bracket(NamedTuple):
    """Of where the mean drop exceeds what is tolerated, and the drops at its ends; None: not found there."""

    low: float
    high: float
    at_low: np.ndarray | None = None
    at_high: np.ndarray | None = None

    def halved(self, middle: float, drops: np.ndarray, wanted: float) -> _Bracket:
        if drops.mean() <= wanted:
            return self._replace(low=middle, at_low=drops)
        return self._replace(high=middle, at_high=drops)


Drops = Callable[[float], np.ndarray]


def _bisect(drops: Drops, low: float, high: float, wanted: float, n_steps: int) -> _Bracket:
    found = _Bracket(low, high)
    for _ in range(n_steps):
        middle = (found.low + found.high) / 2
        found = found.halved(middle, drops(middle), wanted)
    return found


def _moved(drops: Drops, rough: _Bracket, ends: tuple[float, float], wanted: float) -> _Bracket:
    """Move a bracket that was found with some of the perturbations until it is one for all."""
    width = step = rough.high - rough.low
    middle = rough.low
    found = _Bracket(*ends).halved(middle, drops(middle), wanted)
    while found.at_low is None or found.at_high is None:
        up = found.at_high is None
        middle = min(middle + step, ends[1]) if up else max(middle - step, ends[0])
        found = found.halved(middle, drops(middle), wanted)
        if middle in ends:
            return found
        step *= 2
    while found.high - found.low > 1.01 * width:  # after more than one step
        middle = (found.low + found.high) / 2
        found = found.halved(middle, drops(middle), wanted)
    return found


def _interpolated(found: _Bracket, wanted: float) -> tuple[float, float]:
    """Return the logarithm of sigma and its standard error, by the delta method."""
    at_low, at_high = np.asarray(found.at_low), np.asarray(found.at_high)
    rise = at_high.mean() - at_low.mean()
    share = (wanted - at_low.mean()) / rise
    error = np.nan
    if len(at_low) > 1:
        spread = np.std((1 - share) * at_low + share * at_high, ddof=1) / sqrt(len(at_low))
        error = spread * (found.high - found.low) / rise
    return float(found.low + (found.high - found.low) * share), float(error)


def _accuracy(network: NetworkRecord, weights: Weights) -> float:
    accuracy = float(network.accuracy(weights))
    if not 0 <= accuracy <= 1:
        raise ParameterError(f"accuracy must return a share between 0 and 1, got {accuracy}")
    return accuracy


def complexity_measures(
    network: NetworkRecord,
    *,
    rng: np.random.Generator | int = 0,
    n_perturbations: int = 50,
) -> dict[str, float]:
    """Compute all measures of `MEASURES`, and the `NOISE_ERRORS` (Dziugaite et al., 2020; Jiang et al., 2020).

    Parameters
    ----------
    network : NetworkRecord
    rng : numpy.random.Generator or int
        Source of randomness of the two searches for the largest noise that costs at most a tenth of the accuracy:
        between a thousandth of the root mean square weight and ten times as much.
    n_perturbations : int
        Perturbations that the accuracy is averaged over.

    Returns
    -------
    dict of str to float
        Those with a margin are NaN where the 10th percentile of the margins is not positive. Without initial weights
        the distances are NaN; a network that was not trained has ``log_spec_init_main`` -inf.

    Warns
    -----
    UserWarning
        If sigma lies outside the searched range; then its end is used.
    """
    search: dict[str, Any] = {"rng": seed_of(rng), "n_perturbations": n_perturbations}  # both with the same draws
    scales = {"sigma": noise_scale(network, **search), "sigma'": noise_scale(network, magnitude_aware=True, **search)}
    for name, scale in scales.items():
        if scale.note:
            warnings.warn(f"{name}: {scale.note}", UserWarning, stacklevel=2)
    sigma, sigma_mag = (scale.sigma for scale in scales.values())
    errors = dict(zip(NOISE_ERRORS, (scale.error for scale in scales.values()), strict=True))

    gamma = np.percentile(network.margins, _MARGIN_PERCENTILE)
    gamma = float(gamma) if gamma > 0 else np.nan
    path_norm = float(np.sum(network.outputs(tuple(w**2 for w in network.weights))))
    if np.isinf(path_norm):
        raise ParameterError(f"outputs must be finite or missing for squared weights, their sum is {path_norm}")
    values = {"inverse_margin": gamma**-2, "path_norm": path_norm, "path_norm_over_margin": path_norm / gamma**2}
    values |= _norms(network, gamma) | _pac_bayes(network, sigma, sigma_mag)
    return {name: float(values[name]) for name in MEASURES} | errors


def _norms(network: NetworkRecord, gamma: float) -> dict[str, float]:
    """Return the measures made of norms of the layers, with the margin gamma (perhaps NaN)."""
    distances = _distances(network)
    fro, fro_dist = _squared_norms(network.weights, "fro"), _squared_norms(distances, "fro")
    spec, spec_dist = _squared_norms(network.weights, 2), _squared_norms(distances, 2)
    d = len(fro)
    values = {"params": network.n_weights, "l2": np.sqrt(fro.sum()), "l2_dist": np.sqrt(fro_dist.sum())}
    values |= {"param_norm": fro.sum(), "fro_dist": fro_dist.sum(), "dist_spec_init": spec_dist.sum()}
    for name, norms in (("spec", spec), ("fro", fro)):
        product = np.log(norms).sum()
        over_margin = product - 2 * np.log(gamma)
        values |= {f"log_prod_of_{name}": product, f"log_prod_of_{name}_over_margin": over_margin}
        values |= {f"log_sum_of_{name}": log(d) + product / d}
        values |= {f"log_sum_of_{name}_over_margin": log(d) + over_margin / d}
    main = values["log_prod_of_spec_over_margin"]
    values["fro_over_spec"] = (fro / spec).sum()
    with np.errstate(divide="ignore"):  # no distance: -inf
        values["log_spec_init_main"] = main + np.log((fro_dist / spec).sum())
    values["log_spec_orig_main"] = main + np.log(values["fro_over_spec"])
    return values


def _pac_bayes(network: NetworkRecord, sigma: float, sigma_mag: float) -> dict[str, float]:
    """Return the PAC-Bayes measures for the noise that the network tolerates, plain and magnitude-aware."""
    distances = _distances(network)
    m, omega = len(network.margins), network.n_weights
    values = {"pacbayes_flatness": sigma**-2, "pacbayes_mag_flatness": sigma_mag**-2}
    squared = np.concatenate([(distance**2).ravel() for distance in distances])
    below = np.log(_EPSILON**2 + sigma_mag**2 * squared).sum()
    for name, layers in (("init", distances), ("orig", network.weights)):
        norm = _squared_norms(layers, "fro").sum()
        values[f"pacbayes_{name}"] = norm / (4 * sigma**2) + log(m / sigma) + 10
        above = omega * np.log(_EPSILON**2 + (sigma_mag**2 + 1) * norm / omega)
        values[f"pacbayes_mag_{name}"] = (above - below) / 4 + log(m / sigma_mag) + 10
    return values


def _distances(network: NetworkRecord) -> Weights:
    if network.initial is None:
        return tuple(np.full_like(w, np.nan) for w in network.weights)
    return tuple(w - start for w, start in zip(network.weights, network.initial, strict=True))


def _squared_norms(layers: Weights, order: Literal["fro", 2]) -> np.ndarray:
    matrices = (layer.reshape(len(layer), -1) for layer in layers)
    return np.array([np.nan if np.isnan(m[0, 0]) else np.linalg.norm(m, order) ** 2 for m in matrices])
