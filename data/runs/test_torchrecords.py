"""Modules of torch as networks of the complexity measures: against the same networks in numpy, and by brute force."""

import math
import warnings
from collections import namedtuple
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.tradeoff.images import digits_task
from genexpy_nb.tradeoff.signerror import MEASURES
from runs.complexity import complexity_measures
from runs.digits import NetworkFamily, TrainedBackbone
from runs.networks import MLP, ConvNet, train
from runs.torchmodels import TorchFamily
from runs.torchrecords import count_layers, measure_modules, module_record

torch = pytest.importorskip("torch", reason="needs torch, which is not among the dependencies")
nn = torch.nn
GRAY = {"mean": (0.0,), "std": (1.0,), "device": "cpu"}


@pytest.fixture(scope="module")
def digits():
    """200 digits of three classes, in no order."""
    task = digits_task(0)
    chosen = np.flatnonzero(np.isin(task.train_labels, (1, 4, 7)))[:200]
    return task.train_images[chosen], task.train_labels[chosen]


def filled(module, seed=0, scale=0.5):
    """The module with weights of its own, and statistics of batch normalisation that are not 0 and 1."""
    rng = np.random.default_rng(seed)
    with torch.no_grad():
        for values in [*module.parameters(), *module.buffers()]:
            if values.dtype.is_floating_point:
                values.copy_(torch.from_numpy(rng.normal(0, scale, tuple(values.shape))))
        for part in module.modules():
            if isinstance(part, (nn.BatchNorm1d, nn.BatchNorm2d)):
                part.running_var.abs_().add_(0.5)
    return module.eval()


def record(module, images, labels, initial=None, **options):
    return module_record(module, initial, images, labels, **(GRAY | options))


def of_numpy(training):
    """The network of this package as a module of torch, before and after its training."""
    network = training.network
    if isinstance(network, MLP):
        layers = [nn.Linear(64, network.width), nn.Linear(network.width, network.width), nn.Linear(network.width, 3)]
        module = nn.Sequential(nn.Flatten(), layers[0], nn.ReLU(), layers[1], nn.ReLU(), layers[2])
    else:
        c = network.channels
        layers = [nn.Conv2d(1, c, 3, padding=1), nn.Conv2d(c, 2 * c, 3, padding=1), nn.Linear(8 * c, 3)]

        class Last(nn.Flatten):  # numpy's network has channels last
            def forward(self, x):
                return super().forward(x.permute(0, 2, 3, 1))

        pool = nn.AvgPool2d(2)
        module = nn.Sequential(layers[0], nn.ReLU(), pool, layers[1], nn.ReLU(), pool, Last(), layers[2])
    states = []
    for weights in (training.initial, training.weights):
        with torch.no_grad():
            for layer, w in zip(layers, weights, strict=True):
                layer.weight.copy_(torch.from_numpy(np.array(w)))
                layer.bias.zero_()
        states.append({name: values.clone() for name, values in module.state_dict().items()})
    return module, states[0]


# ---------------------------------------------------------------- the same network, in numpy


@pytest.mark.parametrize("network", [MLP(64, 10, 3), ConvNet(8, 3, 3)], ids=["perceptron", "convolutions"])
def test_measures_are_those_of_the_same_digits_network(digits, network):
    images, labels = digits
    training = train(network, images, np.unique(labels, return_inverse=True)[1], 1)
    expected = complexity_measures(TrainedBackbone(training).record(images, labels), rng=2, n_perturbations=12)
    module, initial = of_numpy(training)
    got = complexity_measures(record(module, images, labels, initial), rng=2, n_perturbations=12)
    assert list(got) == list(expected)
    for name in MEASURES:
        assert got[name] == pytest.approx(expected[name], rel=1e-5), name


def test_a_family_is_measured_as_the_testbed_has_it(digits):
    task = digits_task(3)
    family = NetworkFamily("perceptrons", (12,))
    seen = np.isin(task.train_labels, task.seen)
    training = family.pretrain("width 12", task.train_images[seen], task.train_labels[seen], 3).training

    def as_torch(which):
        layers = [nn.Linear(64, 12, bias=False), nn.Linear(12, 12, bias=False), nn.Linear(12, 5, bias=False)]
        with torch.no_grad():
            for layer, w in zip(layers, which, strict=True):
                layer.weight.copy_(torch.from_numpy(np.array(w)))
        return nn.Sequential(nn.Flatten(), layers[0], nn.ReLU(), layers[1], nn.ReLU(), layers[2])

    before = {"width 12": lambda: as_torch(training.initial).state_dict()}
    modules = TorchFamily("p", {"width 12": lambda: as_torch(training.weights)}, None, (0.0,), (1.0,), initial=before)
    table = measure_modules(task, modules, 3, n_noisy=40, n_perturbations=3)
    assert table[["family", "seed", "member", "size"]].iloc[0].tolist() == ["p", 3, "width 12", 64 * 12 + 144 + 60]
    expected = complexity_measures(
        TrainedBackbone(training).record(task.train_images[seen], task.train_labels[seen]), rng=3, n_perturbations=3
    )
    for name in MEASURES:
        if not name.startswith("pacbayes"):  # other images under noise
            assert table[name].item() == pytest.approx(expected[name], rel=1e-5), name
    features = modules.pretrain("width 12", None, None, 0).features(task.test_images)
    assert_allclose(features, TrainedBackbone(training).features(task.test_images), rtol=1e-5, atol=1e-6)


# ---------------------------------------------------------------- what counts


def test_which_weights_count():
    class Own(nn.Module):
        def __init__(self):
            super().__init__()
            self.token = nn.Parameter(torch.zeros(1, 1, 4))
            self.inside, self.outside = nn.Conv2d(1, 4, 2, groups=1), nn.ConvTranspose1d(4, 2, 3)
            self.norm, self.attention = nn.LayerNorm(4), nn.MultiheadAttention(4, 2)
            self.apart = nn.MultiheadAttention(4, 2, kdim=3, vdim=5)
            self.table = nn.Embedding(7, 4)
            self.shared = nn.Linear(4, 7, bias=False)
            self.shared.weight = self.table.weight

    table = count_layers(Own()).set_index("parameter")
    counted = table.loc[table["n_layers"] > 0, "n_layers"].to_dict()
    assert counted == {
        "inside.weight": 1,
        "outside.weight": 1,
        "attention.in_proj_weight": 3,
        "attention.out_proj.weight": 1,
        "apart.q_proj_weight": 1,
        "apart.k_proj_weight": 1,
        "apart.v_proj_weight": 1,
        "apart.out_proj.weight": 1,
    }
    assert table.loc["inside.weight", "shape"] == (4, 1, 2, 2) and table["n_weights"].sum() == sum(
        values.numel() for values in Own().parameters()
    )
    assert count_layers(Own(), ["token"])["n_layers"].sum() == 1


def test_other_weights_reach_the_network(digits):
    """Each layer of the record is where the module has it: all accuracies and sums follow the weights."""
    images, labels = digits

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.up, self.attention = nn.ConvTranspose2d(1, 4, 2), nn.MultiheadAttention(4, 2, batch_first=True)
            self.last = nn.Linear(4, 3)

        def forward(self, x):
            x = self.up(x).flatten(2).transpose(1, 2)
            return self.last(self.attention(x, x, x)[0].mean(1))

    module, other = filled(Net(), 1), filled(Net(), 2)
    one, two = (record(m, images, labels) for m in (module, other))
    assert [w.shape for w in one.weights] == [(4, 1, 2, 2), *[(4, 4)] * 4, (3, 4)]
    assert_allclose(one.weights[0], module.up.weight.detach().numpy().swapaxes(0, 1))
    assert_allclose(one.weights[2], module.attention.in_proj_weight.detach().numpy()[4:8])
    with torch.no_grad():  # the biases stay
        for name, values in other.named_parameters():
            if name.endswith("bias"):
                values.copy_(dict(module.named_parameters())[name])
    two = record(other, images, labels)
    assert one.accuracy(two.weights) == two.accuracy(two.weights)
    assert one.accuracy(one.weights) != two.accuracy(two.weights)
    positions = np.unique(labels, return_inverse=True)[1]
    with torch.no_grad():
        scores = module(torch.from_numpy(images[:, None])).numpy()
    assert one.accuracy(one.weights) == (scores.argmax(1) == positions).mean()
    rivals = np.where(np.eye(3, dtype=bool)[positions], -np.inf, scores).max(1)
    assert_allclose(one.margins, scores[np.arange(len(scores)), positions] - rivals, atol=1e-5)
    assert_allclose(one.margins, record(module, images, labels, batch=7).margins, atol=1e-5)
    assert module.training is False and one.initial is None


def test_batch_normalisation_is_folded(digits):
    images, labels = digits
    for norm in (nn.BatchNorm2d(4), nn.BatchNorm2d(4, affine=False)):
        module = nn.Sequential(nn.Conv2d(1, 4, 3), norm, nn.ReLU(), nn.Flatten(), nn.Linear(144, 5), nn.BatchNorm1d(5))
        module = filled(nn.Sequential(module, nn.ReLU(), nn.Linear(5, 3)))
        initial = {name: values.clone() for name, values in filled(nn.Sequential(*module), 5).state_dict().items()}
        filled(module)
        found = record(module, images, labels, initial)
        gain = (norm.weight if norm.affine else 1) / torch.sqrt(norm.running_var + norm.eps)
        expected = module[0][0].weight * gain.view(-1, 1, 1, 1)
        assert len(found.weights) == 3
        assert_allclose(found.weights[0], expected.detach().numpy(), rtol=1e-5)
        before = filled(nn.Sequential(*module), 5)[0]
        gain = (before[1].weight if norm.affine else 1) / torch.sqrt(before[1].running_var + norm.eps)
        assert_allclose(found.initial[0], (before[0].weight * gain.view(-1, 1, 1, 1)).detach().numpy(), rtol=1e-5)
        filled(module)
        with torch.no_grad():
            scores = module(torch.from_numpy(images[:, None])).numpy()
        positions = np.unique(labels, return_inverse=True)[1]
        assert found.accuracy(found.weights) == (scores.argmax(1) == positions).mean()


def test_batch_normalisation_that_cannot_be_folded_stays(digits):
    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.inside, self.norm, self.last = nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.Linear(144, 3)

        def forward(self, x):
            x = self.inside(x)
            return self.last((x + torch.relu(self.norm(x))).flatten(1))

    module = filled(Twice())
    found = record(module, *digits)
    assert_allclose(found.weights[0], module.inside.weight.detach().numpy())
    first = filled(nn.Sequential(nn.BatchNorm2d(1), nn.Flatten(), nn.Linear(64, 3)))
    assert_allclose(record(first, *digits).weights[0], first[2].weight.detach().numpy())


def test_parametrized_weights_count_as_they_are_used(digits):
    module = nn.Sequential(nn.Flatten(), nn.utils.parametrizations.weight_norm(nn.Linear(64, 3)))
    found = record(module, *digits, module.state_dict())
    assert_allclose(found.weights[0], module[1].weight.detach().numpy(), rtol=1e-6)
    assert_allclose(found.initial[0], found.weights[0])
    assert len(found.weights) == 1
    assert nn.utils.parametrize.is_parametrized(module[1], "weight")  # the user's module stays as it is
    assert module[1].weight.shape == (3, 64)


# ---------------------------------------------------------------- paths


@pytest.mark.parametrize(
    "activation", [nn.ReLU, nn.GELU, nn.Tanh, nn.SiLU, nn.ReLU6, nn.Softplus, nn.LeakyReLU, nn.Sigmoid]
)
def test_path_norm_is_the_sum_over_all_paths(digits, activation):
    images, labels = digits
    module = filled(nn.Sequential(nn.AvgPool2d(4), nn.Flatten(), nn.Linear(4, 3), activation(), nn.Linear(3, 3)))
    found = record(module, images, labels)
    one, two = found.weights
    total = sum((two[o, h] * one[h, i]) ** 2 for i, h, o in product(range(4), range(3), range(3)))
    assert np.sum(found.outputs([w**2 for w in found.weights])) == pytest.approx(total, rel=1e-9)


def test_paths_through_sums_scalars_and_normalisation(digits):
    class Residual(nn.Module):
        def __init__(self):
            super().__init__()
            self.inside, self.norm = nn.Linear(64, 4), nn.BatchNorm1d(4)
            self.scale, self.bias_after = nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(1))
            self.block, self.last = nn.Linear(4, 4), nn.Linear(4, 3)

        def forward(self, x):
            x = torch.relu(self.inside(x.flatten(1)))
            return self.last(self.norm(x) + self.scale * torch.nn.functional.silu(self.block(x)) + self.bias_after)

    module = filled(Residual())
    found = record(module, *digits)
    squared = [w**2 for w in found.weights]
    gain = (module.norm.weight**2 / (module.norm.running_var + module.norm.eps)).detach().numpy()
    hidden = squared[0].sum(1)
    expected = squared[2] @ (gain * hidden + module.scale.item() ** 2 * (squared[1] @ hidden))
    assert_allclose(found.outputs(squared)[0], expected, rtol=1e-6)


def gate(x):
    return x * torch.sigmoid(x)


@pytest.mark.parametrize("between", [nn.LayerNorm(4), nn.Softmax(1), gate], ids=["layer norm", "softmax", "gate"])
def test_where_there_are_no_paths_there_is_no_path_norm(digits, between):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.inside, self.last = nn.Linear(64, 4), nn.Linear(4, 3)

        def forward(self, x):
            return self.last(between(self.inside(x.flatten(1))))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        got = complexity_measures(record(filled(Net()), *digits), n_perturbations=1)
    assert math.isnan(got["path_norm"]) and got["l2"] > 0


# ---------------------------------------------------------------- transformers, tuples and dictionaries


class SmallVit(nn.Module):
    """What CLIP's image encoder is made of: patches, a class token, blocks of attention, a projection."""

    def __init__(self, returned, width=8, n_classes=3):
        super().__init__()
        self.patches = nn.Conv2d(1, width, 4, 4)
        self.token = nn.Parameter(torch.zeros(1, 1, width))
        self.positions = nn.Parameter(torch.zeros(1, 5, width))
        layer = nn.TransformerEncoderLayer(width, 2, 16, activation="gelu", batch_first=True, norm_first=True)
        self.blocks = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.norm, self.projection = nn.LayerNorm(width), nn.Linear(width, n_classes, bias=False)
        self.returned = returned

    def forward(self, x):
        tokens = self.patches(x).flatten(2).transpose(1, 2)
        tokens = torch.cat([self.token.expand(len(x), -1, -1), tokens], 1) + self.positions
        tokens = self.blocks(tokens)
        pooled = self.norm(tokens[:, 0])
        return self.returned(last_hidden_state=tokens, pooler_output=pooled, logits=self.projection(pooled))


Outputs = namedtuple("Outputs", ["last_hidden_state", "pooler_output", "logits"])


@pytest.mark.parametrize(("returned", "entry"), [(dict, "logits"), (Outputs, "logits"), (Outputs, 2)])
def test_encoders_like_clip(digits, returned, entry):
    images, labels = digits
    module = filled(SmallVit(returned), scale=0.3)
    found = record(module, images, labels, output=entry)
    assert len(found.weights) == 1 + 2 * (4 + 2) + 1
    with torch.no_grad():
        scores = module(torch.from_numpy(images[:, None]))
        scores = scores[2] if returned is Outputs else scores[entry]
    positions = np.unique(labels, return_inverse=True)[1]
    assert found.accuracy(found.weights) == (scores.argmax(1).numpy() == positions).mean()
    assert np.isnan(found.outputs([w**2 for w in found.weights])).all()  # attention
    with pytest.raises(ParameterError, match=r"output must name one of what the module returns, .*logits.*got None"):
        record(module, images, labels)
    with pytest.raises(ParameterError, match="'logit'"):
        record(module, images, labels, output="logit")


# ---------------------------------------------------------------- settings


def test_noise_falls_on_images_of_all_classes(digits):
    images, labels = digits
    order = np.argsort(labels, kind="stable")
    module = filled(nn.Sequential(nn.Flatten(), nn.Linear(64, 3)))
    found = record(module, images[order], labels[order], n_noisy=60)
    few = np.sort(np.random.default_rng(0).choice(200, 60, replace=False))
    with torch.no_grad():
        right = (
            module(torch.from_numpy(images[order]))[:, :3].argmax(1).numpy()
            == np.unique(labels[order], return_inverse=True)[1]
        )
    assert found.accuracy(found.weights) == right[few].mean()
    assert len(found.margins) == 200


def test_images_are_prepared_as_for_features(digits):
    images, labels = digits
    seen = []

    class Seen(nn.Linear):
        def forward(self, x):
            seen.append(x)
            return super().forward(x.mean((2, 3)))

    for size in (4, None):
        record(Seen(3, 3), images, labels, mean=(0.5,) * 3, std=(0.25,) * 3, image_size=size)
    assert {tuple(x.shape[1:]) for x in seen} == {(3, 4, 4), (3, 8, 8)}
    assert_allclose(seen[-1][:, 2], (images - 0.5) / 0.25, rtol=1e-6)


def test_what_does_not_fit_is_named(digits):
    images, labels = digits
    module = nn.Sequential(nn.Flatten(), nn.Linear(64, 3))
    with pytest.raises(ParameterError, match="must return 2 outputs per image, one for each class in labels"):
        record(module, images[labels != 1], labels[labels != 1])
    with pytest.raises(ParameterError, match="labels must be as many as images"):
        record(module, images, labels[1:])
    with pytest.raises(ParameterError, match=r"initial must be a state dict of the module: .*1\.weight"):
        record(module, images, labels, {})
    with pytest.raises(ParameterError, match="initial must be the same module"):
        record(module, images, labels, nn.Linear(2, 2))
    with pytest.raises(ParameterError, match="module must have a linear layer"):
        record(nn.Flatten(), images, labels)
    with pytest.raises(ParameterError, match=r"did you mean '1\.weight'"):
        count_layers(module, ["1.weights"])
    with pytest.raises(ParameterError, match=r"layers must have at least two axes, '1\.bias' has 1"):
        count_layers(module, ["1.bias"])


def test_weights_that_do_not_count_are_named(digits):
    class Own(nn.Module):
        def __init__(self):
            super().__init__()
            self.matrix, self.last = nn.Parameter(torch.rand(64, 8)), nn.Linear(8, 3)

        def forward(self, x):
            return self.last(torch.relu(x.flatten(1) @ self.matrix))

    with pytest.warns(UserWarning, match="95% of the weights do not count .*, matrix above all"):
        record(Own(), *digits)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = record(Own(), *digits, layers=["matrix", "last.weight"])
    assert [w.shape for w in found.weights] == [(64, 8), (3, 8)]
    assert replace(found).n_weights == 64 * 8 + 24
