"""Error rate and three Kappas per class, against scikit-learn, and against the definitions in exact arithmetic."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits
from sklearn.metrics import cohen_kappa_score, recall_score
from sklearn.naive_bayes import GaussianNB

from genexpy_nb.common.errors import DataError, ParameterError
from genexpy_nb.tradeoff.metrics import cell, class_metrics

Y = np.array([0, 0, 1, 1, 2])
H = np.array([[0.8, 0.1, 0.1], [0.2, 0.5, 0.3], [0.1, 0.7, 0.2], [0.0, 1.0, 0.0], [0.3, 0.1, 0.6]])


@st.composite
def classified(draw):
    """Labels with every class, and probabilities in tenths, so that differences of exactly a threshold occur."""
    k = draw(st.integers(2, 7))
    n = draw(st.integers(k, 25))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    label = rng.permutation(np.concatenate([np.arange(k), rng.integers(0, k, size=n - k)]))
    tenths = rng.multinomial(10, rng.dirichlet(np.full(k, draw(st.sampled_from([0.3, 1.0, 10.0])))), size=n)
    return label, tenths


def counts_by_definition(tenths, i):
    """Go through the samples one by one, in fractions: a, b, c, d."""
    threshold = Fraction(1, 5)
    a = b = c = d = 0
    for row in tenths:
        h = [Fraction(int(value), 10) for value in row]
        rest = max(h[:i] + h[i + 1 :])
        if all(value < threshold for value in h):
            d += 1
        elif abs(h[i] - rest) <= threshold:
            a += 1
        elif rest - h[i] > threshold:
            b += 1
        else:
            c += 1
    return a, b, c, d


def kappa_by_definition(a, b, c, d):
    """Return Eq. 2 as a fraction, None where it is undefined."""
    total = a + b + c + d
    observed = Fraction(a + d, total)
    expected = Fraction((a + b) * (a + c) + (c + d) * (b + d), total**2)
    return None if expected == 1 else (observed - expected) / (1 - expected)


@given(classified())
@settings(max_examples=40)
def test_error_rate_and_kappa_are_those_of_scikit_learn(data):
    label, tenths = data
    table = class_metrics(label, tenths / 10)
    predicted = tenths.argmax(axis=1)
    k = tenths.shape[1]
    np.testing.assert_allclose(table["error_rate"], 1 - recall_score(label, predicted, average=None, labels=range(k)))
    expected = [1 - cohen_kappa_score(label == i, predicted == i) for i in range(k)]
    np.testing.assert_allclose(table["kappa"], expected, atol=1e-12)
    assert table["n"].tolist() == np.bincount(label).tolist()


@given(classified())
@settings(max_examples=80)
def test_conflict_is_its_definition_also_exactly_at_the_threshold(data):
    label, tenths = data
    counts = [counts_by_definition(tenths, i) for i in range(tenths.shape[1])]
    table = class_metrics(label, tenths / 10)
    expected = [kappa_by_definition(*four) for four in counts]
    np.testing.assert_allclose(table["conflict"], [np.nan if k is None else float(k) for k in expected], atol=1e-12)
    filled = [kappa_by_definition(a, b, c, 10_000 - a - b - c) for a, b, c, _ in counts]
    np.testing.assert_allclose(table["conflict_abs"], [0.5 if k is None else float(abs(k)) for k in filled], atol=1e-12)


def test_conflict_abs_fills_up_to_ten_thousand_samples_and_conflict_may_be_undefined():
    few = class_metrics(np.arange(4), np.eye(4))
    assert (few["conflict_abs"] < 1e-3).all()  # |-.6| with the four samples that there are
    for times in (2500, 5000):
        many = class_metrics(np.tile(np.arange(4), times), np.tile(np.eye(4), (times, 1)))
        np.testing.assert_allclose(many["conflict_abs"], 0.6)
    half = class_metrics(np.arange(2), np.full((2, 2), 0.5))
    assert half["conflict_abs"].tolist() == [1.0, 1.0]  # two samples in a, 9998 in d: they agree
    assert half["conflict"].isna().all() and half["kappa"].tolist() == [1.0, 1.0]  # all are in conflict
    unrecognized = class_metrics(np.arange(10), np.full((10, 10), 0.1))
    assert (unrecognized["conflict_abs"] == 0.5).all() and unrecognized["conflict"].isna().all()


def test_gap_is_test_minus_training_error():
    table = class_metrics(Y, H, train=([0, 1, 1, 2, 2], np.eye(3)[[0, 1, 0, 1, 1]]))
    np.testing.assert_allclose(table["gap"], [0.5 - 0, 0 - 0.5, 0 - 1])
    assert "gap" not in class_metrics(Y, H)


def test_a_fitted_classifier_and_its_classes():
    X, y = load_digits(return_X_y=True)
    y = np.array(list("zyxwvutsrq"))[y]  # the columns of scikit-learn are sorted, the labels do not come sorted
    model = GaussianNB(var_smoothing=0.1).fit(X[::2] / 16, y[::2])
    h = model.predict_proba(X[1::2] / 16)
    table = class_metrics(y[1::2], h)
    assert table["class"].tolist() == model.classes_.tolist()
    assert np.average(table["error_rate"], weights=table["n"]) == pytest.approx(1 - model.score(X[1::2] / 16, y[1::2]))
    pd.testing.assert_frame_equal(table, class_metrics(y[1::2], h, classes=model.classes_))
    columns = pd.DataFrame(h, columns=model.classes_)[list("zyxwvutsrq")]
    other = class_metrics(y[1::2], columns)
    assert other["class"].tolist() == list("zyxwvutsrq")
    pd.testing.assert_frame_equal(table, other.sort_values("class", ignore_index=True), check_dtype=False)


def test_what_half_precision_loses_is_not_near_enough():
    h = np.full((4, 3), 1 / 3)
    assert len(class_metrics([0, 1, 2, 2], h.round(6)))
    for wrong in (h.round(4), h + 4e-6):
        with pytest.raises(DataError, match=r"those of sample 0 sum to (0\.9999|1\.000012)"):
            class_metrics([0, 1, 2, 2], wrong)


class Tensor:
    """What torch does: no array from a tensor with gradients, on a device, or in bfloat16."""

    def __init__(self, values, state="needs detach"):
        self.values, self.state = np.asarray(values), state

    @property
    def shape(self):
        return self.values.shape

    def __array__(self, dtype=None, copy=None):
        raise TypeError(self.state)

    def detach(self):
        return Tensor(self.values, "needs cpu")

    def cpu(self):
        assert self.state == "needs cpu"
        return Tensor(self.values, "bfloat16" if self.is_floating_point() else "plain")

    def is_floating_point(self):
        return self.values.dtype.kind == "f"

    def double(self):
        return Tensor(self.values, "plain")

    def numpy(self):
        assert self.state == "plain"
        return self.values


def test_tensors_are_detached_and_brought_home():
    pd.testing.assert_frame_equal(class_metrics(Tensor(Y), Tensor(H)), class_metrics(Y, H))


def test_cell_adds_the_coordinates_and_labels():
    table = cell(0.5, 0.8, 1200, Y, H, train=(Y, H), seed=7, family="MLP")
    assert table.columns.tolist() == [
        *("seed", "family", "zero_shot", "ssim", "size"),
        *("class", "n", "error_rate", "kappa", "conflict", "conflict_abs", "gap"),
    ]
    assert (table[["seed", "family", "zero_shot", "ssim", "size"]] == [7, "MLP", 0.5, 0.8, 1200]).all(axis=None)
    pd.testing.assert_frame_equal(table.iloc[:, 5:], class_metrics(Y, H, train=(Y, H)))


@pytest.mark.parametrize(
    ("y", "h", "options", "error", "message"),
    [
        ([0, 0, 1, 1, 3], H, {"classes": [0, 1, 2]}, DataError, "label 3 of sample 4 is not among the classes 0, 1, 2"),
        (Y, H[:4], {}, DataError, r"\(5, 3\) for the classes 0, 1, 2, got \(4, 3\)"),
        (Y, H.astype(str).astype(object) + "x", {}, DataError, "must be a table of numbers"),
        ([0, 0, 1, 1, 1], H, {}, DataError, r"got \(5, 3\); classes=... names the columns"),
        ([0, 0, 1, 1, 1], H, {"classes": [0, 1, 2]}, DataError, r"1 classes have no samples \(2\)"),
        (Y, H - [1, 0, -1], {}, DataError, r"of 0 must be in \[0, 1\], got -0.2 for sample 0; are these logits"),
        (Y, H * [[1], [1], [0.5], [1], [1]], {}, DataError, "those of sample 2 sum to 0.5; are these logits"),
        (Y, np.where(H == 1, np.nan, H), {}, DataError, "probability of 1 .* got nan for sample 3"),
        (Y[:, None], H, {}, DataError, "one label per sample"),
        ([0, 0, 1, None, 2], H, {}, DataError, "label of sample 3 is missing"),
        ([0, 0], [[1.0], [1.0]], {}, ParameterError, "at least two classes"),
        (Y, H, {"classes": [0, 1, 1]}, ParameterError, "1 is there twice"),
        (Y, H, {"train": Y}, ParameterError, "must be a pair"),
        (Y, H, {"train": ([0, 1], np.eye(3)[:2])}, DataError, r"1 classes have no training samples \(2\)"),
    ],
)
def test_bad_input_is_named(y, h, options, error, message):
    with pytest.raises(error, match=message):
        class_metrics(y, h, **options)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"zero_shot": 1.0}, r"zero_shot must be a number in \[0, 1\), got 1.0"),
        ({"ssim": 0}, r"ssim must be a number in \(0, 1\], got 0"),
        ({"size": 0}, "size must be a number > 0, got 0"),
        ({"kappa": 1}, "'kappa' is a column of its own"),
        ({"seed": [1, 2]}, "label 'seed' must be one value"),
    ],
)
def test_a_cell_has_coordinates_in_range_and_labels_of_its_own(change, message):
    with pytest.raises(ParameterError, match=message):
        cell(**{"zero_shot": 0.5, "ssim": 0.8, "size": 10, "y": Y, "probabilities": H, **change})
