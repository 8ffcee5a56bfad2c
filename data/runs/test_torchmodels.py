"""Models of torch in the testbed: features against scipy and Pillow, and torchvision's, made up or real."""

import re
import subprocess
import sys
from enum import Enum
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from PIL import Image
from scipy.signal import correlate2d
from threadpoolctl import threadpool_limits

from genexpy_nb.common.errors import DataError, MissingExtraError, ParameterError
from genexpy_nb.common.hashing import fingerprint
from genexpy_nb.datasets import load_tradeoff_cells
from genexpy_nb.tradeoff import to_array
from genexpy_nb.tradeoff.images import ImageTask
from runs.torchmodels import TorchFamily, torch_device, torchvision_family

COLOUR = {"mean": (0.5, 0.4, 0.3), "std": (0.2, 0.3, 0.4)}
PAGE = Path(__file__).resolve().parents[2] / "docs" / "tradeoff_torch.md"


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Fits this small are many times slower where BLAS threads wait for each other."""
    with threadpool_limits(1):
        yield


@pytest.fixture
def torch():
    """The package, for those tests that need it."""
    return pytest.importorskip("torch", reason="needs torch, which is not among the dependencies")


@pytest.fixture(scope="module")
def images() -> np.ndarray:
    return np.random.default_rng(0).random((5, 8, 8, 3), np.float32)


# ---------------------------------------------------------------- without torch


@pytest.mark.parametrize("make", [torchvision_family, lambda: TorchFamily("f", {"m": object}, 8, (0,), (1,))])
def test_what_is_missing_is_said(monkeypatch, make):
    monkeypatch.setitem(sys.modules, "torch", None)
    said = r'need torch, .*pip install "genexpy_nb\[torch\]".*`pip install torch torchvision` installs two versions'
    with pytest.raises(MissingExtraError, match=said):
        make()


@pytest.mark.parametrize("error", [ImportError("no"), RuntimeError("operator torchvision::nms does not exist")])
def test_torchvision_that_does_not_fit_torch(monkeypatch, error):
    def loaded(extra, name):
        if name == "torchvision":
            raise error
        return SimpleNamespace()

    monkeypatch.setattr("runs.torchmodels.load_extra", loaded)
    with pytest.raises(MissingExtraError, match=rf"need torchvision, which cannot be imported here \({error}\)"):
        torchvision_family()


def test_package_does_not_import_torch():
    code = "import sys, runs.torchmodels; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[1], check=False).returncode == 0


# ---------------------------------------------------------------- features


def convolution(torch, seed=0, **settings):
    """A convolution with weights of its own, which do not come from torch's random numbers."""
    layer = torch.nn.Conv2d(3, 4, 3, **settings)
    rng = np.random.default_rng(seed)
    with torch.no_grad():
        for weights in layer.parameters():
            weights.copy_(torch.from_numpy(rng.normal(size=tuple(weights.shape)).astype(np.float32)))
    return layer


def test_convolution_is_that_of_scipy(torch, images):
    layer = convolution(torch)
    family = TorchFamily("f", {"m": lambda: layer}, 8, **COLOUR, batch=2)
    model = family.pretrain("m", None, None, 0)
    kernels, bias = (weights.detach().numpy().astype(float) for weights in layer.parameters())
    normal = (images.astype(float) - COLOUR["mean"]) / COLOUR["std"]
    expected = [
        [sum(correlate2d(image[..., c], kernel[c], "valid") for c in range(3)) + b for kernel, b in zip(kernels, bias)]  # noqa: B905
        for image in normal
    ]
    features = model.features(images)
    assert features.dtype == np.float32 and features.shape == (5, 4 * 6 * 6)
    assert_allclose(features, np.reshape(expected, (5, -1)), atol=2e-5)
    assert model.size == 4 * 3 * 9 + 4


@pytest.mark.parametrize("side", [5, 8, 21])
def test_resizing_is_that_of_pillow(torch, images, side):
    family = TorchFamily("f", {"m": torch.nn.Identity}, side, (0.0,) * 3, (1.0,) * 3)
    resized = family.pretrain("m", None, None, 0).features(images).reshape(5, 3, side, side)
    for image, got in zip(images, resized, strict=True):
        for channel in range(3):
            expected = Image.fromarray(image[..., channel]).resize((side, side), Image.Resampling.BILINEAR)
            assert_allclose(got[channel], np.asarray(expected), atol=1e-6)


def test_gray_images_are_repeated(torch, images):
    model = TorchFamily("f", {"m": lambda: convolution(torch)}, 8, **COLOUR).pretrain("m", None, None, 0)
    gray = images[..., 0]
    assert_array_equal(model.features(gray), model.features(np.repeat(gray[..., None], 3, axis=3)))
    with pytest.raises(ParameterError, match=r"images must have 1 channel or 3, as mean has, got shape \(5, 8, 8, 2\)"):
        model.features(images[..., :2])


def test_one_channel_stays_one(torch, images):
    model = TorchFamily("f", {"m": torch.nn.Identity}, 8, (0.25,), (0.5,)).pretrain("m", None, None, 0)
    assert_array_equal(model.features(images[..., 1]), (images[..., 1].reshape(5, -1) - 0.25) / 0.5)


def test_modules_evaluate_and_do_not_learn(torch, images):
    layers = torch.nn.Sequential(torch.nn.Dropout(0.9), torch.nn.BatchNorm2d(3))
    model = TorchFamily("f", {"m": lambda: layers.train()}, 8, (0.0,) * 3, (1.0,) * 3).pretrain("m", None, None, 0)
    expected = np.moveaxis(images, -1, 1).reshape(5, -1) / np.sqrt(1 + 1e-5)  # running mean 0 and variance 1
    for _ in range(2):
        assert_allclose(model.features(images), expected, rtol=1e-6)


def test_threads_are_as_many_as_wanted_and_only_then(torch, images):
    class Threads(torch.nn.Module):
        def forward(self, x):
            return torch.full((len(x),), torch.get_num_threads())

    before = torch.get_num_threads()
    for threads in (1, 2):
        model = TorchFamily("f", {"m": Threads}, 8, **COLOUR, threads=threads).pretrain("m", None, None, 0)
        assert_array_equal(model.features(images), [[threads]] * 5)
        assert torch.get_num_threads() == before


def test_output_must_be_a_row_per_image(torch, images):
    class Sum(torch.nn.Module):
        def forward(self, x):
            return x.sum()

    class Pair(torch.nn.Module):
        def forward(self, x):
            return x, x

    for module, message in ((Sum, r"a row for each of 5 images, got \(\)"), (Pair, r"output must name one of .*0 \(5")):
        model = TorchFamily("f", {"m": module}, 8, **COLOUR).pretrain("m", None, None, 0)
        with pytest.raises(ParameterError, match=message):
            model.features(images)


# ---------------------------------------------------------------- hooks


def classifier(torch):
    """A convolution, a pool, two linear layers, and a dictionary of what they give."""

    class Classifier(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.body = torch.nn.Sequential(convolution(torch), torch.nn.ReLU())
            self.avgpool = torch.nn.AdaptiveAvgPool2d(1)
            self.head = torch.nn.Sequential(torch.nn.Linear(4, 7), torch.nn.Tanh(), torch.nn.Linear(7, 3))

        def forward(self, x):
            pooled = self.avgpool(self.body(x)).flatten(1)
            return {"logits": self.head(pooled), "pooled": pooled, "loss": pooled.mean()}

    torch.manual_seed(0)
    return Classifier().eval()


def test_features_of_any_submodule(torch, images):
    module = classifier(torch)
    x = (torch.from_numpy(np.moveaxis(images, -1, 1).copy()) - 0.5) / 0.25
    with torch.no_grad():
        maps = module.body(x)
        pooled = maps.mean((2, 3))
        expected = {
            "": module.head[1](module.head[0](pooled)),  # what the last linear layer gets
            "avgpool": pooled,
            "body": maps.flatten(1),
            "body.0": module.body[0](x).flatten(1),
            "head.0": module.head[0](pooled),
        }
        picked = {"pooled": pooled, "logits": module.head(pooled)}
    settings = {"image_size": 8, "mean": (0.5,) * 3, "std": (0.25,) * 3, "batch": 2}

    def features(**where):
        return (
            TorchFamily("f", {"m": lambda: module}, **settings, **where).pretrain("m", None, None, 0).features(images)
        )

    for name, values in expected.items():
        assert_allclose(features(features_of=name), values, rtol=1e-5, atol=1e-6)
        assert_allclose(features(features_of={"m": name}), values, rtol=1e-5, atol=1e-6)
    for name, values in picked.items():
        assert_allclose(features(features_of="output", output=name), values, rtol=1e-5, atol=1e-6)
    assert not any(part._forward_hooks or part._forward_pre_hooks for part in module.modules())
    with pytest.raises(
        ParameterError, match=r"output must name one of .*'logits' \(2, 3\), 'pooled' \(2, 4\); got None"
    ):
        features(features_of="output")
    with pytest.raises(ParameterError, match="did you mean 'avgpool'"):
        features(features_of="avgpol")
    module.unused = torch.nn.ReLU()
    with pytest.raises(ParameterError, match="must name a submodule that images pass through, got 'unused'"):
        features(features_of="unused")


def encoder_like_clip(torch):
    """A small vision transformer that returns, as CLIP's do, an object with several tensors."""

    class Encoder(torch.nn.Module):
        def __init__(self, width=8):
            super().__init__()
            self.patches = torch.nn.Conv2d(3, width, 4, 4)
            self.token = torch.nn.Parameter(torch.randn(1, 1, width))
            layer = torch.nn.TransformerEncoderLayer(width, 2, 16, activation="gelu", batch_first=True)
            self.blocks = torch.nn.TransformerEncoder(layer, 2)
            self.norm, self.projection = torch.nn.LayerNorm(width), torch.nn.Linear(width, 5, bias=False)

        def forward(self, x):
            tokens = self.patches(x).flatten(2).transpose(1, 2)
            tokens = self.blocks(torch.cat([self.token.expand(len(x), -1, -1), tokens], 1))
            pooled = self.norm(tokens[:, 0])
            return SimpleNamespace(last_hidden_state=tokens, pooler_output=pooled, image_embeds=self.projection(pooled))

    torch.manual_seed(1)
    return Encoder().eval()


def test_an_encoder_like_clip(torch, images):
    module = encoder_like_clip(torch)
    with torch.no_grad():
        found = module(torch.from_numpy(np.moveaxis(images, -1, 1).copy()))
    for where, expected in (
        ({}, found.pooler_output),  # what the projection gets
        ({"features_of": "norm"}, found.pooler_output),
        ({"features_of": "output", "output": "image_embeds"}, found.image_embeds),
        ({"features_of": "output", "output": "last_hidden_state"}, found.last_hidden_state.flatten(1)),
        ({"features_of": "blocks"}, found.last_hidden_state.flatten(1)),
    ):
        family = TorchFamily("clip", {"tiny": lambda: module}, None, (0.0,) * 3, (1.0,) * 3, **where)
        assert_allclose(family.pretrain("tiny", None, None, 0).features(images), expected, rtol=1e-4, atol=1e-5)
    # Without a projection, the last linear layer gets a row for each token; then what the module returns is meant.
    module.projection = torch.nn.Identity()
    family = TorchFamily("clip", {"tiny": lambda: module}, None, (0.0,) * 3, (1.0,) * 3, output="pooler_output")
    assert family.pretrain("tiny", None, None, 0).features(images).shape == (5, 8)


def test_the_processor_is_there_where_no_gpu_is(torch, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    assert torch_device("auto") == "cpu" and torch_device("cuda:1") == "cuda:1"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert torch_device("auto") == "cuda"


# ---------------------------------------------------------------- families


def test_random_weights_come_from_the_seed(torch):
    family = TorchFamily("f", {"m": lambda: torch.nn.Conv2d(3, 2, 1)}, 8, **COLOUR)
    torch.manual_seed(4)
    before = torch.random.get_rng_state()
    weights = [family.pretrain("m", None, None, seed).module.weight.detach().numpy() for seed in (1, 1, 2)]
    assert_array_equal(weights[0], weights[1])
    assert not np.array_equal(weights[0], weights[2])
    assert torch.equal(before, torch.random.get_rng_state())


def test_repr_tells_all_that_matters(torch):
    def family(seed=0, **changed):
        settings = {"image_size": 8, **COLOUR, **changed}
        return TorchFamily("f", {"m": lambda: convolution(torch, seed)}, **settings)

    same = fingerprint(family())
    assert same == fingerprint(family())  # made anew: no address in memory is in it
    others = [
        family(1),
        family(image_size=9),
        family(mean=(0.1, 0.4, 0.3)),
        family(sizes={"m": 9}),
        family(batch=3),
        family(threads=2),
        family(device="meta"),
        family(features_of="output"),
        family(output=0),
        family(weights={"m": "file"}),
        TorchFamily("f", {"m": lambda: torch.nn.ReLU(), "n": lambda: convolution(torch)}, 8, **COLOUR),
    ]
    assert len({same, *map(fingerprint, others)}) == len(others) + 1
    assert torch.__version__ in repr(family()) and "0x" not in repr(family())


def test_each_member_can_have_settings_of_its_own(torch, images):
    pool = torch.nn.AdaptiveAvgPool2d(1)
    family = TorchFamily(
        "f",
        {"small": torch.nn.Identity, "large": lambda: pool},
        {"small": 4, "large": 6},
        {"small": (0.0,) * 3, "large": (0.5,) * 3},
        (1.0,) * 3,
        sizes={"small": 10, "large": 20},
    )
    assert family.members == ("small", "large")
    small, large = (family.pretrain(member, None, None, 0) for member in family.members)
    assert small.features(images).shape == (5, 48) and large.features(images).shape == (5, 3)
    assert_allclose(large.features(np.ones((1, 6, 6, 3))), [[0.5] * 3])
    assert (small.size, large.size) == (10, 20)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"modules": {}}, "modules must have at least one member"),
        ({"image_size": 0}, "image_size must be a whole number of at least 1, got 0"),
        ({"batch": 0}, "batch must be a whole number of at least 1, got 0"),
        ({"threads": 0}, "threads must be a whole number of at least 1, got 0"),
        ({"mean": (0.5,)}, "mean and std must have a value per channel"),
        ({"std": (1.0, 1.0, 0.0)}, "std above 0"),
        ({"image_size": {"n": 8}}, "image_size must name every member, and does not name 'm'"),
        ({"sizes": {}}, "sizes must name every member, and does not name 'm'"),
        ({"weights": {"n": "file"}}, "weights must name every member, and does not name 'm'"),
    ],
)
def test_wrong_settings(torch, changed, message):
    with pytest.raises(ParameterError, match=message):
        TorchFamily(**{"name": "f", "modules": {"m": torch.nn.Identity}, "image_size": 8, **COLOUR, **changed})


def test_wrong_members(torch):
    family = TorchFamily("f", {"model": lambda: 3}, 8, **COLOUR)
    with pytest.raises(ParameterError, match=r"modules\['model'\] must return a torch\.nn\.Module, got int"):
        family.pretrain("model", None, None, 0)
    with pytest.raises(ParameterError, match="did you mean 'model'"):
        family.pretrain("modle", None, None, 0)


def small_task(seed):
    """Six classes of images of 8 x 8 pixels in colour."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(6), 12)
    images = np.kron(rng.random((72, 2, 2, 3)) + labels[:, None, None, None], np.ones((1, 4, 4, 1))) / 6
    images, order = images.astype(np.float32), rng.permutation(72)
    train, test = order[:48], order[48:]
    return ImageTask("small", images[train], labels[train], images[test], labels[test], (0, 1, 2), (3, 4, 5))


# ---------------------------------------------------------------- torchvision


@pytest.fixture
def cache(torch, tmp_path):
    before = torch.hub._hub_dir
    torch.hub.set_dir(tmp_path / "hub")
    (folder := tmp_path / "hub" / "checkpoints").mkdir(parents=True)
    yield folder
    torch.hub.set_dir(before) if before else setattr(torch.hub, "_hub_dir", None)


@pytest.fixture
def vision(torch, cache, monkeypatch) -> ModuleType:
    """A torchvision with three models, "tiny_b" before "tiny_a" in size, and one without a linear layer."""
    widths = {"tiny_a": 6, "tiny_b": 4, "tiny_c": 8}

    class Tiny(torch.nn.Module):
        def __init__(self, width):
            super().__init__()
            self.classifier = torch.nn.Sequential(torch.nn.Dropout(0.5), torch.nn.Linear(width, 10))
            self.features = torch.nn.Sequential(torch.nn.Conv2d(3, width, 3), torch.nn.AdaptiveAvgPool2d(1))

        def forward(self, x):
            return self.classifier(self.features(x).flatten(1))

    def weights_of(name):
        size = 28 * widths[name] + 10 * widths[name] + 10 if name in widths else 1
        transforms = lambda: SimpleNamespace(crop_size=[size % 7 + 9], mean=[0.5, 0.4, 0.3], std=[0.2, 0.3, 0.4])  # noqa: E731
        chosen = SimpleNamespace(url=f"any/{name}-0a1b.pth", meta={"num_params": size}, transforms=transforms)
        return Enum(f"{name}_Weights", {"IMAGENET1K_V1": chosen, "DEFAULT": chosen})

    class Member:  # an enumeration passes attributes on, as that of torchvision does
        def __init__(self, name):
            self.__members__ = {key: member.value for key, member in weights_of(name).__members__.items()}

    def get_model(name, weights):
        if name == "round":
            return torch.nn.Sequential(torch.nn.Conv2d(3, 2, 1))
        model = Tiny(widths[name])
        model.load_state_dict(torch.load(cache / Member(name).__members__[weights].url.removeprefix("any/")))
        return model

    for name, width in widths.items():
        torch.manual_seed(width)
        torch.save(Tiny(width).state_dict(), cache / f"{name}-0a1b.pth")
    (cache / "round-0a1b.pth").touch()
    package = ModuleType("torchvision")
    package.__spec__ = ModuleSpec("torchvision", None)  # what is asked for whether it is there
    listed = lambda module: [*sorted(widths), "round"]  # noqa: E731
    package.models = SimpleNamespace(list_models=listed, get_model_weights=Member, get_model=get_model)
    monkeypatch.setitem(sys.modules, "torchvision", package)
    return package


def test_made_up_torchvision(vision, torch, cache, images):
    family = torchvision_family("tiny_")
    assert family.name == "tiny" and family.members == ("tiny_b", "tiny_a", "tiny_c")
    assert family.sizes == {"tiny_b": 162, "tiny_a": 238, "tiny_c": 314}  # with their last layers
    assert family.weights["tiny_a"] == "tiny_a-0a1b.pth" and "tiny_a-0a1b.pth" in repr(family)
    assert family.image_size == {"tiny_b": 162 % 7 + 9, "tiny_a": 238 % 7 + 9, "tiny_c": 314 % 7 + 9}
    model = family.pretrain("tiny_a", None, None, 0)
    saved = torch.load(cache / "tiny_a-0a1b.pth")
    assert torch.equal(model.module.features[0].weight, saved["features.0.weight"])
    assert model.features(images).shape == (5, 6) and model.size == 238
    maps = torchvision_family("tiny_", models=["tiny_a"], features_of="features.0").pretrain("tiny_a", None, None, 0)
    assert maps.features(images).shape == (5, 6 * (238 % 7 + 9 - 2) ** 2)
    some = torchvision_family("tiny_", "DEFAULT", models=["tiny_c", "tiny_b"], image_size=8)
    assert some.members == ("tiny_b", "tiny_c") and some.pretrain("tiny_b", None, None, 0).image_size == 8


def test_torchvision_says_what_is_wrong(vision, cache):
    with pytest.raises(ParameterError, match=r"prefix must begin .* \(round, tiny\), got 'huge'"):
        torchvision_family("huge")
    with pytest.raises(ParameterError, match="did you mean 'tiny_a'"):
        torchvision_family("tiny", models=["tinya"])
    for weights in (None, "IMAGENET1K_V2"):
        with pytest.raises(ParameterError, match=rf"weights of tiny_a must be one of .*IMAGENET1K_V1.*got {weights!r}"):
            torchvision_family("tiny", weights)
    with pytest.raises(ParameterError, match="round does not end with a linear layer"):
        torchvision_family("round").pretrain("round", None, None, 0)
    (cache / "tiny_c-0a1b.pth").unlink()
    with pytest.raises(
        DataError, match=r"checkpoints must hold the weights .* has no tiny_c-0a1b\.pth; torchvision\.mod"
    ):
        torchvision_family("tiny")
    assert torchvision_family("tiny", models=["tiny_a"]).members == ("tiny_a",)


def test_page_with_made_up_torchvision(vision, tmp_path, monkeypatch, capsys):
    """The block of docs/tradeoff_torch.md on EfficientNets; torchvision itself is not installed with torch."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (block,) = (block for block in blocks if "torchvision" in block)
    for of_page, here in (
        ('[f"efficientnet_b{number}" for number in range(8)]', '["tiny_a", "tiny_b", "tiny_c"]'),
        ('"efficientnet_b", ', '"tiny_", '),
        ("image_size=64", "image_size=12"),
        ("levels_at_hand([task(0), task(1)])", "[0.7, 1]"),
        ('folder="pretrained"', 'folder="pretrained", progress=False'),
    ):
        assert of_page in block
        block = block.replace(of_page, here)
    monkeypatch.chdir(tmp_path)
    exec(block, {"task": small_task, "__name__": "__main__"})
    assert capsys.readouterr().out == "{'tiny_b': 162, 'tiny_a': 238, 'tiny_c': 314}\n"
    cells = load_tradeoff_cells("pretrained/results.parquet")
    assert set(cells["family"]) == {"tiny"}
    assert dict(to_array(cells).sizes) == {"seed": 2, "zero_shot": 4, "ssim": 2, "size": 3}
