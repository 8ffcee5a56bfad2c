"""Models of torch in the testbed: any modules that were trained elsewhere, and those of torchvision.

Neither torch nor torchvision is needed by the rest of the package; they are imported when a family is made. Nothing is
downloaded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from genexpy_nb.common.checks import check_choice, check_count
from genexpy_nb.common.errors import DataError, MissingExtraError, ParameterError, load_extra

if TYPE_CHECKING:
    import torch

T = TypeVar("T")


# --- torch ------------------------------------------------------------------------------------------------------------


def load_torch(name: str = "torch") -> Any:
    """Import torch or torchvision, or raise `MissingExtraError` that says how to get it."""
    try:
        return load_extra(name, name)
    except (ImportError, RuntimeError) as error:  # a torchvision for another torch is a RuntimeError
        raise MissingExtraError(
            f"models of torch need {name}, which cannot be imported here ({error}); `pip install torch torchvision` "
            "installs two versions that fit each other"
        ) from error


def torch_device(device: str) -> str:
    """Return the device that is meant: "auto" is a GPU where torch finds one, and the processor elsewhere."""
    if device != "auto":
        return device
    torch = load_torch()
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


@contextmanager
def exact_torch(threads: int) -> Iterator[None]:
    """Let torch compute without gradients, with so many threads, and on a GPU with deterministic kernels only."""
    torch = load_torch()
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(threads)
        with (
            torch.inference_mode(),
            torch.backends.cudnn.flags(enabled=True, benchmark=False, deterministic=True, allow_tf32=False),
        ):
            yield
    finally:
        torch.set_num_threads(before)


def image_tensor(
    images: np.ndarray, image_size: int | None, mean: tuple[float, ...], std: tuple[float, ...], device: str = "cpu"
) -> torch.Tensor:
    """Turn images into what a module gets: channels first, resized, normalized."""
    torch = load_torch()
    channels = len(mean)
    if images.ndim == 3:
        images = images[..., None]
    if images.shape[-1] not in (1, channels):
        raise ParameterError(f"images must have 1 channel or {channels}, as mean has, got shape {images.shape}")
    centre, scale = (torch.tensor(values, device=device).view(-1, 1, 1) for values in (mean, std))
    x = torch.from_numpy(np.ascontiguousarray(images, np.float32)).to(device).permute(0, 3, 1, 2)
    if image_size is not None and x.shape[2:] != (image_size, image_size):
        x = torch.nn.functional.interpolate(x, (image_size, image_size), mode="bilinear", antialias=True)
    x = (x - centre) / scale  # with one value per channel, gray images get all channels here
    return x.contiguous()  # one layout in memory, so that the same values pass through the same sums


def one_tensor(output: Any, n_images: int, entry: str | int | None = None, of: str = "the module") -> torch.Tensor:
    """Find the tensor with a row per image in what a module returns."""
    torch = load_torch()
    entries: dict[Any, Any]
    if isinstance(output, torch.Tensor):
        entries = {None: output} if entry is None else {}
    elif isinstance(output, Mapping):
        entries = dict(output)
    elif isinstance(output, Sequence):
        names = None if isinstance(entry, int) else getattr(output, "_fields", None)
        entries = dict(zip(names or range(len(output)), output, strict=True))
    else:
        entries = dict(getattr(output, "__dict__", {}))
    known = {
        key: value
        for key, value in entries.items()
        if isinstance(value, torch.Tensor) and value.ndim > 0 and len(value) == n_images
    }
    if entry is not None and entry in known:
        return known[entry]
    if entry is None and len(known) == 1:
        return next(iter(known.values()))
    got = tuple(output.shape) if isinstance(output, torch.Tensor) else type(output).__name__
    if known and None not in known:
        choices = ", ".join(f"{key!r} {tuple(value.shape)}" for key, value in known.items())
        raise ParameterError(f"output must name one of what {of} returns, {choices}; got {entry!r}")
    asked = "" if entry is None else f" under {entry!r}"
    raise ParameterError(f"{of} must return a tensor{asked}, a row for each of {n_images} images, got {got}")


def find_features(module: torch.nn.Module, x: torch.Tensor, features_of: str, entry: str | int | None) -> torch.Tensor:
    """Pass images through a module, and catch its features on the way."""
    torch = load_torch()
    caught: list[Any] = []
    if features_of in ("", "output"):
        watched = [m for m in module.modules() if isinstance(m, torch.nn.Linear)] if not features_of else []
        handles = [m.register_forward_pre_hook(lambda _, inputs: caught.append(inputs[0])) for m in watched]
    else:
        names = dict(module.named_modules())
        check_choice("features_of", features_of, [name for name in names if name])
        handles = [names[features_of].register_forward_hook(lambda _, inputs, output: caught.append(output))]
    try:
        output = module(x)
    finally:
        for handle in handles:
            handle.remove()
    if features_of not in ("", "output"):
        if not caught:
            raise ParameterError(f"features_of must name a submodule that images pass through, got {features_of!r}")
        found = one_tensor(caught[-1], len(x), entry, f"the submodule {features_of}")
    elif caught and caught[-1].ndim == 2 and len(caught[-1]) == len(x):
        found = caught[-1]
    else:
        found = one_tensor(output, len(x), entry)
    return found.reshape(len(x), -1)


# --- families ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class TorchBackbone:
    """A module of torch that turns images into features."""

    module: torch.nn.Module
    size: int
    image_size: int | None
    mean: tuple[float, ...]
    std: tuple[float, ...]
    batch: int
    device: str
    threads: int
    features_of: str = ""
    output: str | int | None = None

    def features(self, images: np.ndarray) -> np.ndarray:
        """Resize, normalize, and pass through the module; grey images are repeated over the channels."""
        with exact_torch(self.threads):
            starts = range(0, len(images), self.batch)
            return np.concatenate([self._pass(images[start : start + self.batch]) for start in starts])

    def _pass(self, images: np.ndarray) -> np.ndarray:
        x = image_tensor(images, self.image_size, self.mean, self.std, self.device)
        return find_features(self.module, x, self.features_of, self.output).float().cpu().numpy()


class TrainedModule(NamedTuple):
    """A module after its training, and what is known of the training."""

    module: torch.nn.Module
    initial: Any
    size: int
    about: dict[str, Any]


@dataclass(frozen=True, eq=False)
class TorchFamily:
    """Modules of torch that were trained elsewhere, in several sizes.

    What has one value for all members may also be a mapping from their names.

    Parameters
    ----------
    name : str
    modules : mapping of str to callable
        Name of each member, smallest first -> a function without arguments that returns a `torch.nn.Module` **with its
        trained weights**: random weights would give random features without any complaint.
    image_size : int or None
        Side of the images that the modules get; None for the images' own.
    mean, std : tuple of float
        Of each channel in [0, 1], as in the training.
    sizes : mapping of str to int, optional
        Number of weights of each member; by default all that the module has.
    weights : mapping of str to str, optional
        What says which weights a member has, so that results of others are not used: by default a hash of them.
    batch, device, threads
        Images per pass; device as torch names it, or "auto" for a GPU where there is one; threads of the processor.
    features_of : str
        Submodule whose output the features are. By default they are what the last linear layer gets, or, if that is no
        row per image, what the module returns; "output" is that in any case.
    output, logits : str or int, optional
        Key, attribute or position of the features and of the logits, where a module returns several tensors.
    initial : mapping of str to callable, optional
        Name of each member -> a function that returns the module, or its state dict, before its training.
    """

    name: str
    modules: Mapping[str, Callable[[], torch.nn.Module]]
    image_size: int | Mapping[str, int | None] | None
    mean: tuple[float, ...] | Mapping[str, tuple[float, ...]]
    std: tuple[float, ...] | Mapping[str, tuple[float, ...]]
    sizes: Mapping[str, int] | None = None
    weights: Mapping[str, str] | None = None
    batch: int = 64
    device: str = "cpu"
    threads: int = 1
    features_of: str | Mapping[str, str] = ""
    output: str | int | None = None
    initial: Mapping[str, Callable[[], Any]] | None = None
    logits: str | int | None = None

    def __post_init__(self) -> None:
        load_torch()
        if not self.modules:
            raise ParameterError("modules must have at least one member, got none")
        check_count("batch", self.batch)
        check_count("threads", self.threads)
        for parameter in ("image_size", "mean", "std", "sizes", "weights", "features_of", "initial"):
            value = getattr(self, parameter)
            absent = [member for member in self.members if member not in value] if isinstance(value, Mapping) else []
            if absent:
                raise ParameterError(f"{parameter} must name every member, and does not name {absent[0]!r}")
        for member in self.members:
            if _of(self.image_size, member) is not None:
                check_count("image_size", _of(self.image_size, member))
            mean, std = _of(self.mean, member), _of(self.std, member)
            if not len(mean) == len(std) or not mean or min(std) <= 0:
                raise ParameterError(f"mean and std must have a value per channel, std above 0; got {mean} and {std}")

    def __repr__(self) -> str:
        told: dict[str, Any] = {"name": self.name, "torch": load_torch().__version__, "weights": self._fingerprints}
        for parameter in ("image_size", "mean", "std", "sizes", "features_of"):
            told[parameter] = {member: _of(getattr(self, parameter), member) for member in self.members}
        told |= {"output": self.output, "batch": self.batch, "device": self.device, "threads": self.threads}
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
        weights = self.weights or {member: hash_of_weights(self.build(member, 0)) for member in self.members}
        return {member: weights[member] for member in self.members}

    def build(self, member: str, seed: int = 0) -> torch.nn.Module:
        """Return the module of a member in evaluation mode, or raise `ParameterError` if it is none."""
        check_choice("member", member, self.members)
        torch = load_torch()
        # A module that draws weights takes them from the seed, not from outside.
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            module = self.modules[member]()
        if not isinstance(module, torch.nn.Module):
            raise ParameterError(f"modules[{member!r}] must return a torch.nn.Module, got {type(module).__name__}")
        return module.eval()

    def only(self, member: str) -> TorchFamily:
        """Return a family of one member, named after it: what it says of itself does not depend on the others."""
        check_choice("member", member, self.members)
        told = ("modules", "image_size", "mean", "std", "sizes", "weights", "features_of", "initial")
        given = {name: getattr(self, name) for name in told}
        of_member: dict[str, Any] = {n: {member: v[member]} if isinstance(v, Mapping) else v for n, v in given.items()}
        return replace(self, name=member, **of_member)

    def inputs(self, member: str) -> dict[str, Any]:
        """Return how images get into a member: mean, std, image_size, batch, device, threads."""
        of_member = {name: _of(getattr(self, name), member) for name in ("mean", "std", "image_size")}
        return of_member | {"batch": self.batch, "device": torch_device(self.device), "threads": self.threads}

    def trained(self, member: str, images: np.ndarray, labels: np.ndarray, seed: int) -> TrainedModule:
        """Return a member with what it was before its training; images and labels are not used."""
        before = self.initial[member]() if self.initial else None
        module = self.build(member, seed)
        return TrainedModule(module, before, self._size(member, module), {})

    def _size(self, member: str, module: torch.nn.Module) -> int:
        return self.sizes[member] if self.sizes else n_weights_of(module)

    def pretrain(self, member: str, images: np.ndarray, labels: np.ndarray, seed: int) -> TorchBackbone:
        """Return a member, as it was trained elsewhere; images and labels are not used."""
        module = self.build(member, seed)
        return TorchBackbone(
            module.to(torch_device(self.device)),
            self._size(member, module),
            features_of=_of(self.features_of, member),
            output=self.output,
            **self.inputs(member),
        )


def _of(value: T | Mapping[str, T], member: str) -> T:
    return value[member] if isinstance(value, Mapping) else value


def n_weights_of(module: torch.nn.Module) -> int:
    """Count all weights of a module, biases included; one that is shared counts once."""
    return sum(weights.numel() for weights in module.parameters())


def hash_of_weights(module: torch.nn.Module) -> str:
    """Return a hash of all weights of a module, and of what torch prints of it."""
    digest = hashlib.sha256(repr(module).encode())
    for name, values in module.state_dict().items():
        digest.update(f"{name} {values.dtype} {tuple(values.shape)}".encode())
        digest.update(values.detach().cpu().contiguous().flatten().view(load_torch().uint8).numpy().tobytes())
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
    features_of: str = "",
) -> TorchFamily:
    """Return pretrained image classifiers of torchvision, smallest first; features are what their last layer gets.

    Parameters
    ----------
    prefix : str
        How the names of the models begin: "efficientnet_b" (b0 .. b7, the paper's), "resnet", "convnext", ...
    weights : str
        Name of the weights, as torchvision has it; they are read from torch's cache. Nothing is downloaded.
    models : sequence of str, optional
        Names of some of the models; by default all with the prefix.
    image_size : int, optional
        Side of the images; by default that of each model's training.
    batch, device, threads, features_of
        As in `TorchFamily`.

    Returns
    -------
    TorchFamily
        Sizes are the numbers of all weights, last layer included, as in the paper's Table 1.
    """
    torch, known = load_torch(), load_torch("torchvision").models
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
        {name: partial(_with_last_layer, name, weights, features_of) for name in found},
        image_size or {name: int(given.crop_size[0]) for name, given in inputs.items()},
        {name: tuple(given.mean) for name, given in inputs.items()},
        {name: tuple(given.std) for name, given in inputs.items()},
        {name: chosen.meta["num_params"] for name, chosen in found.items()},
        files,
        batch,
        device,
        threads,
        features_of,
    )


def _with_last_layer(name: str, weights: str, features_of: str) -> torch.nn.Module:
    torch, known = load_torch(), load_torch("torchvision").models
    model = known.get_model(name, weights=weights)
    if not features_of and not any(isinstance(module, torch.nn.Linear) for module in model.modules()):
        raise ParameterError(f"{name} does not end with a linear layer; features_of must say where its features are")
    return model
