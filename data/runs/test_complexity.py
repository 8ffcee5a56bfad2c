"""The complexity measures against networks whose norms, paths and noise are known in closed form."""

import math
import warnings
from itertools import pairwise, product

import numpy as np
import pytest
from scipy import optimize, stats

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.tradeoff.signerror import MEASURES
from runs.complexity import NOISE_ERRORS, NetworkRecord, _Bracket, _interpolated, complexity_measures, noise_scale

NOISY = [name for name in MEASURES if name.startswith("pacbayes")]
WITH_MARGIN = [name for name in MEASURES if "margin" in name or name.endswith("main")]


def record(weights, initial=None, margins=(2.0,), accuracy=lambda weights: 1.0, outputs=lambda weights: 1.0):
    initial = tuple(np.zeros(np.shape(w)) for w in weights) if initial is None else initial
    return NetworkRecord(tuple(weights), tuple(initial), np.array(margins), accuracy, outputs)


def silent(network, **options):
    """Measures of a network whose accuracy does not matter, so that no noise is found."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return complexity_measures(network, **options)


def relu_network(sizes, seed=0, n=40):
    """A bias-free ReLU network that labels its own training set, shape (n, sizes[0]), so that all margins are > 0."""
    rng = np.random.default_rng(seed)
    weights = tuple(rng.normal(size=(b, a)) for a, b in pairwise(sizes))
    initial = tuple(w + rng.normal(size=w.shape) for w in weights)
    x = rng.normal(size=(n, sizes[0]))

    def forward(weights, x):
        for w in weights[:-1]:
            x = np.maximum(x @ w.T, 0)
        return x @ weights[-1].T

    scores = forward(weights, x)
    label = scores.argmax(axis=1)
    top = np.sort(scores, axis=1)
    return NetworkRecord(
        weights,
        initial,
        top[:, -1] - top[:, -2] + 1e-3,
        lambda weights: (forward(weights, x).argmax(axis=1) == label).mean(),
        lambda weights: forward(weights, np.ones((1, sizes[0]))),
    )


def rotation(angle):
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


# --- norms ------------------------------------------------------------------------------------------------------------


def test_all_norms_of_two_layers_with_known_singular_values():
    # Singular values 3 and 1 of the first layer, 2 and 1/2 of the second one; distances 4 and 2, and 1 and 0.
    layers = [rotation(0.3) @ np.diag([3.0, 1.0]) @ rotation(1.1), rotation(2.0) @ np.diag([2.0, 0.5]) @ rotation(0.7)]
    far = [rotation(0.9) @ np.diag([4.0, 2.0]) @ rotation(0.2), rotation(1.0) @ np.diag([1.0, 0.0]) @ rotation(0.1)]
    initial = [w - d for w, d in zip(layers, far, strict=True)]
    got = silent(record(layers, initial, margins=[5.0] * 20, outputs=lambda w: np.array([[3.0, 4.0]])))
    ln, gamma = math.log, 5.0
    spec, fro = ln(9) + ln(4), ln(10) + ln(4.25)
    expected = {
        "params": 8,
        "inverse_margin": 1 / 25,
        "l2": math.sqrt(14.25),
        "l2_dist": math.sqrt(21),
        "param_norm": 14.25,
        "fro_dist": 21,
        "dist_spec_init": 16 + 1,
        "log_prod_of_spec": spec,
        "log_prod_of_spec_over_margin": spec - 2 * ln(gamma),
        "log_sum_of_spec": ln(2) + spec / 2,
        "log_sum_of_spec_over_margin": ln(2 * math.sqrt(36 / 25)),
        "fro_over_spec": 10 / 9 + 4.25 / 4,
        "log_spec_init_main": ln(36 / 25 * (20 / 9 + 1 / 4)),
        "log_spec_orig_main": ln(36 / 25 * (10 / 9 + 4.25 / 4)),
        "log_prod_of_fro": fro,
        "log_prod_of_fro_over_margin": ln(10 * 4.25 / 25),
        "log_sum_of_fro": ln(2) + fro / 2,
        "log_sum_of_fro_over_margin": ln(2 * math.sqrt(10 * 4.25 / 25)),
        "path_norm": 7,
        "path_norm_over_margin": 7 / 25,
    }
    assert list(got) == [*MEASURES, *NOISE_ERRORS] and list(MEASURES) == list(expected)[:20] + NOISY
    for name, value in expected.items():
        assert got[name] == pytest.approx(value, rel=1e-12), name


def test_a_convolution_kernel_is_a_matrix_of_output_rows():
    basis = np.linalg.qr(np.random.default_rng(0).normal(size=(12, 2)))[0]
    kernel = (rotation(0.4) @ np.diag([4.0, 3.0]) @ basis.T).reshape(2, 3, 2, 2)
    got = silent(record([kernel]))
    assert got["log_prod_of_spec"] == pytest.approx(math.log(16))
    assert got["fro_over_spec"] == pytest.approx(25 / 16)
    assert got["params"] == 24


def test_path_norm_is_the_sum_over_all_paths():
    network = relu_network([3, 4, 2, 3])
    total = 0.0
    for path in product(range(3), range(4), range(2), range(3)):
        along = 1.0
        for w, i, o in zip(network.weights, path, path[1:], strict=False):
            along *= w[o, i] ** 2
        total += along
    assert silent(network)["path_norm"] == pytest.approx(total, rel=1e-12)


def test_the_margin_is_the_tenth_percentile():
    got = silent(record([np.eye(2)], margins=np.arange(1, 12)))  # 1, ..., 11: a tenth of the way is 2
    assert got["inverse_margin"] == pytest.approx(1 / 4)


def test_without_a_positive_margin_there_is_no_measure_of_it():
    for margins in ([-1.0, 1.0, 1.0], [0.0, 0.0], [-3.0]):
        got = silent(record([np.eye(2)], [np.ones((2, 2))], margins=margins))
        assert [name for name in MEASURES if math.isnan(got[name])] == [n for n in MEASURES if n in WITH_MARGIN]
    assert len(WITH_MARGIN) == 8


def test_an_untrained_network_has_no_distance():
    got = silent(record([np.eye(2)], [np.eye(2)]))
    assert got["l2_dist"] == got["fro_dist"] == got["dist_spec_init"] == 0
    assert got["log_spec_init_main"] == -math.inf
    assert all(math.isfinite(got[name]) for name in MEASURES if name != "log_spec_init_main")
    assert got["pacbayes_mag_init"] == pytest.approx(math.log(1 / 10) + 10)  # m = 1, sigma' = 10


def test_without_initial_weights_there_is_no_distance():
    network = relu_network([3, 4, 2])
    unknown = NetworkRecord(network.weights, None, network.margins, network.accuracy, network.outputs)
    one, other = complexity_measures(network, rng=1), complexity_measures(unknown, rng=1)
    missing = ["l2_dist", "fro_dist", "dist_spec_init", "log_spec_init_main", "pacbayes_init", "pacbayes_mag_init"]
    for name in other:
        assert math.isnan(other[name]) if name in [*missing, "pacbayes_mag_orig"] else other[name] == one[name], name


def test_without_a_sum_over_paths_there_is_no_path_norm():
    got = silent(record([np.eye(2)], outputs=lambda w: np.array([np.nan])))
    assert [name for name in MEASURES if math.isnan(got[name])] == ["path_norm", "path_norm_over_margin"]


# --- noise ------------------------------------------------------------------------------------------------------------


def linear_network(n=300, d=6, seed=1):
    """Two classes, the outputs are W x: under Gaussian noise the difference of the two is Gaussian, too."""
    rng = np.random.default_rng(seed)
    x, w = rng.normal(size=(n, d)), rng.normal(size=(2, d))
    gap = x @ (w[0] - w[1])
    sign = np.sign(gap)
    network = record([w], accuracy=lambda weights: (sign * (x @ (weights[0][0] - weights[0][1])) > 0).mean())

    def drop(variance):  # of every weight, shape (2, d)
        return 1 - stats.norm.cdf(np.abs(gap) / np.sqrt((variance.sum(axis=0) * x**2).sum(axis=1))).mean()

    return network, w, drop


@pytest.mark.parametrize("magnitude_aware", [False, True])
@pytest.mark.parametrize("accuracy_drop", [0.1, 0.25])
def test_tolerated_noise_of_a_linear_model_is_the_closed_form(magnitude_aware, accuracy_drop):
    network, w, drop = linear_network()
    epsilon = 0.05

    def variance(sigma):
        return sigma**2 * w**2 + epsilon**2 if magnitude_aware else np.full(w.shape, sigma**2)

    found = noise_scale(
        network, magnitude_aware, rng=3, n_perturbations=2000, accuracy_drop=accuracy_drop, epsilon=epsilon
    )
    assert found.note == ""
    assert found.bracket_low <= found.sigma <= found.bracket_high
    assert found.bracket_high / found.bracket_low == pytest.approx(10 ** (4 / 2**7))
    # Between perturbations the drop has a standard deviation of .03 to .13 (measured): four standard errors.
    assert drop(variance(found.sigma)) == pytest.approx(accuracy_drop, abs=4 * 0.15 / math.sqrt(2000))
    exact = optimize.brentq(lambda sigma: drop(variance(sigma)) - accuracy_drop, 1e-3, 20)
    assert found.sigma == pytest.approx(exact, rel=0.06)


@pytest.mark.parametrize("seed", range(4))
def test_the_bracket_is_one_for_all_perturbations(seed):
    network = relu_network([4, 6, 3])
    few, all_of_them = (noise_scale(network, rng=seed, n_perturbations=n) for n in (10, 60))
    width = 10 ** (4 / 2**7)
    assert few.bracket_high / few.bracket_low == pytest.approx(width)
    assert all_of_them.bracket_high / all_of_them.bracket_low <= 1.01 * width
    draws = np.random.default_rng(seed).integers(2**63, size=60)
    drops = []
    for sigma in (all_of_them.bracket_low, all_of_them.sigma, all_of_them.bracket_high):
        noise = (
            [sigma * rng.standard_normal(w.shape) for w in network.weights] for rng in map(np.random.default_rng, draws)
        )
        found = [network.accuracy([w + e for w, e in zip(network.weights, errors, strict=True)]) for errors in noise]
        drops.append(1 - np.mean(found))
    assert drops[0] <= 0.1 < drops[2]
    assert drops[1] == pytest.approx(0.1, abs=0.005)


def test_a_bracket_far_away_is_found():
    # The first ten perturbations cost nothing up to a hundred times the noise that all others tolerate.
    network, calls = relu_network([3, 2]), []
    draws = np.random.default_rng(0).integers(2**63, size=40)
    lucky = [np.sign(np.random.default_rng(draw).standard_normal((2, 3))).tobytes() for draw in draws[:10]]

    def accuracy(weights):
        noise = weights[0] - network.weights[0]
        calls.append(noise)
        limit = 1.0 if np.sign(noise).tobytes() in lucky else 0.01
        return float(np.sqrt((noise**2).mean()) < limit)

    step = NetworkRecord(network.weights, network.initial, network.margins, accuracy, network.outputs)
    found = noise_scale(step, n_perturbations=40, accuracy_drop=0.5)
    assert 0.004 < found.sigma < 0.02 and found.bracket_high / found.bracket_low < 1.08
    assert len(calls) <= 1 + 70 + 14 * 40


@pytest.mark.parametrize("magnitude_aware", [False, True])
def test_the_error_is_how_far_other_perturbations_lead(magnitude_aware):
    network = relu_network([4, 6, 3], n=100)
    found = [noise_scale(network, magnitude_aware, rng=seed, n_perturbations=20) for seed in range(150)]
    spread = np.std(np.log([scale.sigma for scale in found]), ddof=1)
    stated = math.sqrt(np.mean([scale.error**2 for scale in found]))
    assert stated == pytest.approx(spread, rel=0.2)  # the spread itself is known to 1 / sqrt(300) = 6 %
    assert 0.02 < spread < 0.2


def test_the_last_bracket_is_interpolated():
    # The drop is linear in the logarithm of the noise, so three halvings find where it is .2, or .3, exactly.
    w = np.full((1, 4), 2.0)

    def accuracy(weights):
        distance = np.abs(weights[0] - w).max() / 0.002
        return 1.0 if distance <= 1 else 1 - 0.05 * math.log(distance)

    network = record([w], accuracy=accuracy)
    sigma = [noise_scale(network, n_perturbations=1, n_steps=3, accuracy_drop=drop).sigma for drop in (0.2, 0.3)]
    assert sigma[1] / sigma[0] == pytest.approx(math.e**2, rel=1e-9)


def test_the_search_is_economical_and_a_seed_decides_it():
    network = relu_network([4, 6, 3])
    calls = []

    def counted(weights):
        calls.append(weights)
        return network.accuracy(weights)

    counting = NetworkRecord(network.weights, network.initial, network.margins, counted, network.outputs)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one = complexity_measures(counting, rng=4)
        n_calls = len(calls)
        complexity_measures(counting, rng=4, n_perturbations=10)
    assert len(calls) - n_calls == 2 * (1 + 7 * 10)
    assert n_calls - 2 * (1 + 7 * 10) in 50 * np.arange(4, 9)  # two to four times for all, in each search
    assert one == complexity_measures(network, rng=4)
    assert one != complexity_measures(network, rng=5)
    generators = [complexity_measures(network, rng=np.random.default_rng(4)) for _ in range(2)]
    assert generators[0] == generators[1]
    drawn = int(np.random.default_rng(4).integers(2**63))  # once, for both searches
    assert generators[0] == complexity_measures(network, rng=drawn)
    assert one["pacbayes_flatness"] == noise_scale(network, rng=4).sigma ** -2
    assert one["pacbayes_mag_flatness"] == noise_scale(network, magnitude_aware=True, rng=4).sigma ** -2


def test_a_gain_of_accuracy_is_no_loss():
    w = np.ones((1, 1))
    network = record([w], accuracy=lambda weights: 0.5 if (weights[0] == w).all() else 1.0)
    assert "even the most noise costs no more than 0.1" in noise_scale(network).note


def test_a_loss_of_just_what_is_tolerated_is_tolerated():
    w = np.ones((1, 1))
    network = record([w], accuracy=lambda weights: 1.0 if (weights[0] == w).all() else 0.75)
    assert "even the most noise costs no more than 0.25" in noise_scale(network, accuracy_drop=0.25).note
    less = np.nextafter(0.25, 0)
    assert "even the least noise costs more than" in noise_scale(network, accuracy_drop=less).note


def test_defaults_are_those_of_the_papers_code():
    w = np.full((1, 4), 0.002)  # so small that epsilon counts
    network = record([w], accuracy=lambda weights: math.exp(-np.abs(weights[0] - w).max() / 0.05))
    stated = {"n_perturbations": 50, "n_steps": 7, "accuracy_drop": 0.1, "scale_range": (1e-3, 10.0), "epsilon": 1e-3}
    for magnitude_aware in (False, True):
        assert noise_scale(network, magnitude_aware) == noise_scale(network, magnitude_aware, rng=0, **stated)
    assert noise_scale(network, True) != noise_scale(network, True, epsilon=1.1e-3)
    assert complexity_measures(network) == complexity_measures(network, rng=0, n_perturbations=50)


def test_noise_outside_the_range_is_said():
    w = np.array([[3.0, 4.0]])  # root mean square 5 / sqrt 2
    robust, fragile = record([w]), record([w], accuracy=lambda weights: float((weights[0] == w).all()))
    for network, end, place in ((robust, 10.0, "upper end"), (fragile, 1e-3, "lower end")):
        for magnitude_aware, unit in ((False, 5 / math.sqrt(2)), (True, 1.0)):
            found = noise_scale(network, magnitude_aware)
            assert found.sigma == pytest.approx(end * unit)
            assert place in found.note
        with pytest.warns(UserWarning, match=place) as caught:
            complexity_measures(network)
        assert [str(warning.message).split(":")[0] for warning in caught] == ["sigma", "sigma'"]
    narrow = noise_scale(robust, scale_range=(0.5, 2.0))
    assert narrow.sigma == pytest.approx(2 * 5 / math.sqrt(2))


def test_at_the_end_of_the_range_there_is_no_error():
    assert math.isnan(noise_scale(record([np.array([[3.0, 4.0]])])).error)


# --- PAC-Bayes --------------------------------------------------------------------------------------------------------


def test_pac_bayes_of_two_weights_by_hand():
    # Any noise is tolerated, so sigma is 10 root mean squares (3, 4 -> 25/2), and sigma' 10. m = 3, distances 1 and 2.
    network = record([np.array([[3.0, 4.0]])], [np.array([[2.0, 2.0]])], margins=[1.0] * 3)
    got = silent(network)
    sigma = math.sqrt(1250)
    ln = math.log
    assert got["pacbayes_flatness"] == pytest.approx(1 / 1250)
    assert got["pacbayes_init"] == pytest.approx(5 / 5000 + ln(3 / sigma) + 10)
    assert got["pacbayes_orig"] == pytest.approx(25 / 5000 + ln(3 / sigma) + 10)
    assert got["pacbayes_mag_flatness"] == pytest.approx(1 / 100)
    both = ln((1e-6 + 101 * 5 / 2) / (1e-6 + 100 * 1)) + ln((1e-6 + 101 * 5 / 2) / (1e-6 + 100 * 4))
    assert got["pacbayes_mag_init"] == pytest.approx(both / 4 + ln(3 / 10) + 10, rel=1e-12)
    both = ln((1e-6 + 101 * 25 / 2) / (1e-6 + 100 * 1)) + ln((1e-6 + 101 * 25 / 2) / (1e-6 + 100 * 4))
    assert got["pacbayes_mag_orig"] == pytest.approx(both / 4 + ln(3 / 10) + 10, rel=1e-12)


# --- bad input --------------------------------------------------------------------------------------------------------

EYE = (np.eye(2),)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"weights": ()}, "weights must hold one array per layer, got none"),
        ({"initial": ()}, "initial must hold one array per layer"),
        ({"initial": (np.eye(3),)}, r"same shapes, got \[\(2, 2\)\] and \[\(3, 3\)\]"),
        ({"initial": (np.eye(2), np.eye(2))}, "same shapes"),
        ({"weights": (np.ones(3),)}, r"weights of layer 0 must have shape \(out, in, ...\).*got \(3,\)"),
        ({"weights": (np.ones((0, 2)),)}, r"weights of layer 0 must have shape"),
        ({"weights": (np.eye(2) / [1, np.inf] + [0, np.nan],)}, "weights of layer 0 must be finite"),
        ({"initial": (np.full((2, 2), np.inf),)}, "initial of layer 0 must be finite"),
        ({"weights": (np.zeros((2, 2)),)}, "weights of layer 0 are all zero"),
        ({"margins": []}, "margins must be finite, one per training example"),
        ({"margins": [[1.0]]}, r"got shape \(1, 1\)"),
        ({"margins": [1.0, np.nan]}, "margins must be finite"),
    ],
)
def test_bad_networks_are_named(parts, message):
    good = {"weights": EYE, "initial": EYE, "margins": [1.0], "accuracy": lambda w: 1.0, "outputs": lambda w: 1.0}
    with pytest.raises(ParameterError, match=message):
        NetworkRecord(**(good | parts))


def test_bad_functions_are_named():
    with pytest.raises(ParameterError, match="n_perturbations must be a whole number of at least 1"):
        complexity_measures(record(EYE), n_perturbations=0)
    with pytest.raises(ParameterError, match="accuracy must return a share between 0 and 1, got 97"):
        complexity_measures(record(EYE, accuracy=lambda w: 97))
    with pytest.raises(ParameterError, match="accuracy must return a share between 0 and 1, got nan"):
        complexity_measures(record(EYE, accuracy=lambda w: math.nan))
    with pytest.raises(ParameterError, match="outputs must be finite or missing"):
        silent(record(EYE, outputs=lambda w: np.array([1.0, np.inf])))


def test_the_error_weighs_the_ends_of_the_bracket_by_how_near_they_are():
    """Near a quiet end, noise at the other one hardly counts: against brackets of many samples of perturbations."""
    rng = np.random.default_rng(0)
    found = [
        _interpolated(_Bracket(0.0, 1.0, rng.normal(0, 0.001, 40), rng.normal(0.2, 0.03, 40)), 0.02)
        for _ in range(4000)
    ]
    at, errors = np.transpose(found)
    assert errors.mean() == pytest.approx(at.std(), rel=0.1)
