"""Models of torch in the testbed: any modules that were trained elsewhere, and those of torchvision.

Neither torch nor torchvision is needed by the rest of the package; they are imported when a family is made. Nothing is
downloaded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from genexpy_nb.common.checks import check_choice, check_count
from genexpy_nb.common.errors import DataError, ParameterError
from genexpy_nb.common.extras import MissingExtraError, load_extra

if TYPE_CHECKING:
    import torch

__all__ = ["TorchBackbone", "TorchFamily", "torchvision_family"]

T = TypeVar("T")


def _torch(name: str = "torch") -> Any:
    try:
        return load_extra("torch", name)
    except (ImportError, RuntimeError) as error:  # a torchvision for another torch is a RuntimeError
        raise MissingExtraError(
            f"models of torch need {name}, which cannot be imported here ({error}); `pip install torch torchvision` "
            "installs two versions that fit each other"
        ) from error


@dataclass(frozen=True, eq=False)
class TorchBackbone:
    """A module of torch that turns images into features.

    Attributes
    ----------
    module : torch.nn.Module
        In evaluation mode, on ``device``.
    size : int
        Number of weights.
    image_size : int
        Side of the images that the module gets.
    mean, std : tuple of float
        Of each channel, with which images are normalised.
    batch : int
        Images per pass.
    device : str
    threads : int
        Of the processor.
    """

    module: torch.nn.Module
    size: int
    image_size: int
    mean: tuple[float, ...]
    std: tuple[float, ...]
    batch: int
    device: str
    threads: int

    def features(self, images: np.ndarray) -> np.ndarray:
        """Resize, normalise, and pass through the module; gray images are repeated over the channels.

        Parameters
        ----------
        images : ndarray of float, shape (n, height, width) or (n, height, width, channels)
            In [0, 1]. They are resized to a square as a whole (bilinear, antialiased); nothing is cropped.

        Returns
        -------
        ndarray of float32, shape (n, n_features)
            The output of the module, flattened.

        Raises
        ------
        ParameterError
            If images and module have different channels, or the module does not return one tensor with a row per image.
        """
        torch = _torch()
        channels = len(self.mean)
        if images.ndim == 3:
            images = images[..., None]
        if images.shape[-1] not in (1, channels):
            raise ParameterError(f"images must have 1 channel or {channels}, as mean has, got shape {images.shape}")
        exact = torch.backends.cudnn.flags(enabled=True, benchmark=False, deterministic=True, allow_tf32=False)
        threads = torch.get_num_threads()
        try:
            torch.set_num_threads(self.threads)
            with torch.inference_mode(), exact:
                starts = range(0, len(images), self.batch)
                return np.concatenate([self._pass(images[start : start + self.batch]) for start in starts])
        finally:
            torch.set_num_threads(threads)

    def _pass(self, images: np.ndarray) -> np.ndarray:
        torch = _torch()
        mean, std = (torch.tensor(values, device=self.device).view(-1, 1, 1) for values in (self.mean, self.std))
        x = torch.from_numpy(np.ascontiguousarray(images, np.float32)).to(self.device).permute(0, 3, 1, 2)
        size = (self.image_size, self.image_size)
        if x.shape[2:] != size:
            x = torch.nn.functional.interpolate(x, size, mode="bilinear", antialias=True)
        output = self.module((x - mean) / std)  # with one value per channel, gray images get all channels here
        if not isinstance(output, torch.Tensor) or output.shape[:1] != x.shape[:1]:
            got = tuple(output.shape) if isinstance(output, torch.Tensor) else type(output).__name__
            raise ParameterError(f"the module must return a tensor, a row for each of {len(x)} images, got {got}")
        return output.reshape(len(x), -1).float().cpu().numpy()


@dataclass(frozen=True, eq=False)
class TorchFamily:
    """Modules of torch that were trained elsewhere, in several sizes.

    Parameters
    ----------
    name : str
    modules : mapping of str to callable
        Name of each member, smallest first -> a function without arguments that returns its feature extractor: a
        `torch.nn.Module` **with its trained weights**, without its last layer. Whether weights are trained cannot be
        checked: a model that was made but not loaded gives random features without any complaint. (If they are wanted,
        as a baseline: a module that draws weights when it is made draws them from the seed.)
    image_size : int or mapping of str to int
        Side of the images that the modules get; one for all, or one for each member.
    mean, std : tuple of float or mapping of str to tuple of float
        Of each channel in [0, 1], as in the training; for all, or for each member.
    sizes : mapping of str to int, optional
        Number of weights of each member. By default those of the feature extractor. Published numbers (the paper's
        Table 1) also count the last layer, which depends on the classes of the training: give them here.
    weights : mapping of str to str, optional
        What says which weights a member has: the name of a file with a hash, say. By default a hash of all weights,
        for which each module is built once. Part of the ``repr``, so that saved results of other weights are not used.
    batch : int
        Images per pass through a module.
    device : str
        As torch names it: "cpu", "cuda", "cuda:1", "mps", ...
    threads : int
        Of the processor. With more of them the last digits of the features may be others; so the number is fixed, and
        results do not depend on how many worker processes share the processor.

    Raises
    ------
    MissingExtraError
        If torch is not there.
    ParameterError
        If a parameter does not fit the members.

    Notes
    -----
    The same images and weights give the same features on the same machine. On another one the last digits may differ,
    and with them, once in a while, a prediction.

    Examples
    --------
    >>> from importlib.util import find_spec
    >>> if find_spec("torch"):  # it is not among the dependencies
    ...     import torch
    ...     tiny = TorchFamily("tiny", {"means": lambda: torch.nn.AvgPool2d(4)}, image_size=8, mean=(0.5,), std=(0.5,))
    ...     model = tiny.pretrain("means", images=None, labels=None, seed=0)
    ...     assert (model.features(np.ones((5, 32, 32))) == np.ones((5, 4))).all()
    """

    name: str
    modules: Mapping[str, Callable[[], torch.nn.Module]]
    image_size: int | Mapping[str, int]
    mean: tuple[float, ...] | Mapping[str, tuple[float, ...]]
    std: tuple[float, ...] | Mapping[str, tuple[float, ...]]
    sizes: Mapping[str, int] | None = None
    weights: Mapping[str, str] | None = None
    batch: int = 64
    device: str = "cpu"
    threads: int = 1

    def __post_init__(self) -> None:
        _torch()
        if not self.modules:
            raise ParameterError("modules must have at least one member, got none")
        check_count("batch", self.batch)
        check_count("threads", self.threads)
        for parameter in ("image_size", "mean", "std", "sizes", "weights"):
            value = getattr(self, parameter)
            absent = [member for member in self.members if member not in value] if isinstance(value, Mapping) else []
            if absent:
                raise ParameterError(f"{parameter} must name every member, and does not name {absent[0]!r}")
        for member in self.members:
            check_count("image_size", _of(self.image_size, member))
            mean, std = _of(self.mean, member), _of(self.std, member)
            if not len(mean) == len(std) or not mean or min(std) <= 0:
                raise ParameterError(f"mean and std must have a value per channel, std above 0; got {mean} and {std}")

    def __repr__(self) -> str:
        told: dict[str, Any] = {"name": self.name, "torch": _torch().__version__, "weights": self._fingerprints}
        for parameter in ("image_size", "mean", "std", "sizes"):
            told[parameter] = {member: _of(getattr(self, parameter), member) for member in self.members}
        told |= {"batch": self.batch, "device": self.device, "threads": self.threads}
        return f"TorchFamily({', '.join(f'{parameter}={value!r}' for parameter, value in told.items())})"

    @property
    def members(self) -> tuple[str, ...]:
        """Names of the modules."""
        return tuple(self.modules)

    @property
    def key(self) -> str:
        """What results depend on besides the code: above all, the weights."""
        return repr(self)

    @cached_property
    def _fingerprints(self) -> dict[str, str]:
        weights = self.weights or {member: _hash_of(self._build(member, 0)) for member in self.members}
        return {member: weights[member] for member in self.members}

    def _build(self, member: str, seed: int) -> torch.nn.Module:
        torch = _torch()
        # A module that draws weights takes them from the seed, not from outside.
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            module = self.modules[member]()
        if not isinstance(module, torch.nn.Module):
            raise ParameterError(f"modules[{member!r}] must return a torch.nn.Module, got {type(module).__name__}")
        return module.eval()

    def pretrain(self, member: str, images: np.ndarray, labels: np.ndarray, seed: int) -> TorchBackbone:
        """Return a member, as it was trained elsewhere.

        Parameters
        ----------
        member : str
        images, labels
            Not used.
        seed : int
            Only for modules that draw random weights.

        Returns
        -------
        TorchBackbone

        Raises
        ------
        ParameterError
            If there is no such member, or its function returns something else than a module.
        """
        check_choice("member", member, self.members)
        module = self._build(member, seed)
        size = self.sizes[member] if self.sizes else sum(weights.numel() for weights in module.parameters())
        return TorchBackbone(
            module.to(self.device),
            size,
            image_size=_of(self.image_size, member),
            mean=_of(self.mean, member),
            std=_of(self.std, member),
            batch=self.batch,
            device=self.device,
            threads=self.threads,
        )


def _of(value: T | Mapping[str, T], member: str) -> T:
    return value[member] if isinstance(value, Mapping) else value


def _hash_of(module: torch.nn.Module) -> str:
    digest = hashlib.sha256(repr(module).encode())
    for name, values in module.state_dict().items():
        digest.update(f"{name} {values.dtype} {tuple(values.shape)}".encode())
        digest.update(values.detach().cpu().contiguous().flatten().view(_torch().uint8).numpy().tobytes())
    return digest.hexdigest()[:16]


def torchvision_family(
    prefix: str = "efficientnet_b",
    weights: str = "IMAGENET1K_V1",
    *,
    models: Sequence[str] | None = None,
    image_size: int | None = None,
    batch: int = 64,
    device: str = "cpu",
    threads: int = 1,
) -> TorchFamily:
    """Return pretrained image classifiers of torchvision without their last layer, smallest first.

    Parameters
    ----------
    prefix : str
        How the names of the models begin: "efficientnet_b" (b0 .. b7, the paper's), "resnet", "convnext", ...
    weights : str
        Name of the weights, as torchvision has it. The default is there for all models of the paper. "DEFAULT" is for
        each model the best there is, which may come from another way of training for some of them (efficientnet_b1).
        There is no None, which means untrained in torchvision.
    models : sequence of str, optional
        Names of some of the models; by default all with the prefix.
    image_size : int, optional
        Side of the images, for all models. By default that of each model's training (224 .. 600 for the
        EfficientNets: the largest then needs some hundred times as long per image as the smallest at 224).
    batch, device, threads
        As in `TorchFamily`.

    Returns
    -------
    TorchFamily
        Sizes are the numbers of all weights, last layer included, as in the paper's Table 1.

    Raises
    ------
    MissingExtraError
        If torch or torchvision is not there, or they do not fit each other.
    ParameterError
        If a model or its weights are unknown.
    DataError
        If weights are not in torch's cache.

    Notes
    -----
    Weights are read from torch's cache (``torch.hub.get_dir()``; the environment variable TORCH_HOME moves it). To put
    them there, call ``torchvision.models.get_model(name, weights="IMAGENET1K_V1")`` once where there is a network.

    References
    ----------
    A practical generalization metric for deep networks benchmarking, Table 1. Tan and Le (2019).

    Examples
    --------
    >>> try:
    ...     torchvision_family("efficientnet_b", models=["efficientnet_b8"])
    ... except (ParameterError, MissingExtraError):
    ...     print("no such model; or no torch")
    no such model; or no torch
    """
    torch, known = _torch(), _torch("torchvision").models
    names = [name for name in known.list_models(module=known) if name.startswith(prefix)]
    if not names:
        kinds = sorted({name.split("_")[0] for name in known.list_models(module=known)})
        raise ParameterError(
            f"prefix must begin the name of a model of torchvision ({', '.join(kinds)}), got {prefix!r}"
        )
    for name in models or ():
        check_choice("models", name, names)
    found = {}
    for name in models or names:
        choices = known.get_model_weights(name).__members__
        check_choice(f"weights of {name}", weights, choices)
        found[name] = choices[weights]
    found = dict(sorted(found.items(), key=lambda item: item[1].meta["num_params"]))
    cache = Path(torch.hub.get_dir(), "checkpoints")
    files = {name: chosen.url.rsplit("/", 1)[-1] for name, chosen in found.items()}
    absent = [name for name, file in files.items() if not (cache / file).is_file()]
    if absent:
        raise DataError(
            f"{cache} must hold the weights of every model, and has no {', '.join(files[name] for name in absent)}; "
            f"torchvision.models.get_model({absent[0]!r}, weights={weights!r}) downloads them where there is a network"
        )
    inputs = {name: chosen.transforms() for name, chosen in found.items()}
    return TorchFamily(
        prefix.rstrip("_"),
        {name: partial(_without_last_layer, name, weights) for name in found},
        image_size or {name: int(given.crop_size[0]) for name, given in inputs.items()},
        {name: tuple(given.mean) for name, given in inputs.items()},
        {name: tuple(given.std) for name, given in inputs.items()},
        {name: chosen.meta["num_params"] for name, chosen in found.items()},
        files,
        batch,
        device,
        threads,
    )


def _without_last_layer(name: str, weights: str) -> torch.nn.Module:
    torch, known = _torch(), _torch("torchvision").models
    model = known.get_model(name, weights=weights)
    linear = [path for path, module in model.named_modules() if isinstance(module, torch.nn.Linear)]
    if not linear:
        raise ParameterError(f"{name} does not end with a linear layer that could be left out; pass it to TorchFamily")
    parent, _, last = linear[-1].rpartition(".")
    setattr(model.get_submodule(parent), last, torch.nn.Identity())
    return model
