"""From any module of torch to the complexity measures: which of its weights count, and how they are evaluated.

The measures of `runs.complexity.complexity_measures` look at a network as a chain of matrices without biases. What
that means for a module:

- **Layers** are the weights of linear layers and convolutions, and the projections of multi-head attention, in
  the order of ``module.modules()``; a shared weight counts once. Others must be named; `count_layers` tells.
- **Biases**, gains of normalizations and scalars do not count, and no noise falls on them.
- **Batch normalization** after a linear layer or a convolution is folded into it, if the outputs stay the same. The
  initial network is folded with its own statistics.
- **Parametrized weights** (weight normalization, spectral normalization) count as they are used.
- **The path norm** is the sum over all paths of the product of the squared weights; activations of single units are
  left out. Where activations are multiplied, divided or compared (gates, attention, layer normalization) it is NaN.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import pandas as pd

from genexpy_nb.common.checks import check_choice, check_count
from genexpy_nb.common.errors import ParameterError
from genexpy_nb.tradeoff.images import ImageTask
from runs.complexity import NetworkRecord, complexity_measures
from runs.torchmodels import (
    TrainedModule,
    exact_torch,
    image_tensor,
    load_torch,
    one_tensor,
    torch_device,
)

if TYPE_CHECKING:
    import torch

#: Activations of single units, as torch calls their functions: left out of the path norm.
_OF_SINGLE_UNITS = {
    *("celu", "elu", "gelu", "hardsigmoid", "hardswish", "hardtanh", "logsigmoid", "mish", "relu6", "selu", "sigmoid"),
    *("silu", "softplus", "softsign", "tanh"),
}
_MUCH = 0.1  # share of the weights that are not counted, from which on it is said


class _Layer(NamedTuple):
    """One matrix of the chain: some rows of a parameter, perhaps with the input unit first."""

    parameter: str
    rows: slice
    flipped: bool


# --- layers -----------------------------------------------------------------------------------------------------------


def count_layers(module: torch.nn.Module, layers: Sequence[str] | None = None) -> pd.DataFrame:
    """List what a module is made of, and what of it the complexity measures count.

    Parameters
    ----------
    module : torch.nn.Module
    layers : sequence of str, optional
        Names of the parameters that count, instead of those that the module's docstring says.

    Returns
    -------
    DataFrame, one row per parameter
        ``parameter``, ``shape``, ``n_weights``, ``n_layers`` (0 if it does not count; 3 for attention in one).
    """
    counted = [layer.parameter for layer in _layers(module, layers)]
    parameters = dict(module.named_parameters())
    return pd.DataFrame(
        {
            "parameter": list(parameters),
            "shape": [tuple(values.shape) for values in parameters.values()],
            "n_weights": [values.numel() for values in parameters.values()],
            "n_layers": [counted.count(name) for name in parameters],
        }
    )


def _layers(module: torch.nn.Module, names: Sequence[str] | None) -> list[_Layer]:
    parameters = dict(module.named_parameters())  # a shared one has one name, its first
    if names is not None:
        for name in names:
            check_choice("layers", name, parameters)
            if parameters[name].ndim < 2:
                raise ParameterError(f"layers must have at least two axes, {name!r} has {parameters[name].ndim}")
        return [_Layer(name, slice(None), False) for name in names]
    found: dict[tuple[str, int | None], _Layer] = {}
    for prefix, part in module.named_modules():
        for kind, rows, flipped in _weights_of(part):
            name = f"{prefix}.{kind}" if prefix else kind
            if name in parameters:
                found.setdefault((name, rows.start), _Layer(name, rows, flipped))
    if not found:
        raise ParameterError(
            "module must have a linear layer, a convolution or attention; of others, layers must name the parameters "
            f"that count ({', '.join(parameters) or 'it has none'})"
        )
    return list(found.values())


def _weights_of(part: torch.nn.Module) -> Iterator[tuple[str, slice, bool]]:
    """Yield the names of the weights of one layer, which of their rows, and whether the input unit comes first."""
    nn = load_torch().nn
    transposed = (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)
    if isinstance(part, (nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d, *transposed)):
        yield "weight", slice(None), isinstance(part, transposed)
    elif isinstance(part, nn.MultiheadAttention):
        width = part.embed_dim
        for i, name in enumerate(("q_proj_weight", "k_proj_weight", "v_proj_weight")):
            if part.in_proj_weight is None:
                yield name, slice(None), False
            else:
                yield "in_proj_weight", slice(i * width, (i + 1) * width), False


def _arrays(module: torch.nn.Module, layers: Sequence[_Layer]) -> tuple[np.ndarray, ...]:
    parameters = {name: values.detach().cpu().double().numpy() for name, values in module.named_parameters()}
    arrays = (parameters[layer.parameter][layer.rows] for layer in layers)
    return tuple(array.swapaxes(0, 1) if layer.flipped else array for array, layer in zip(arrays, layers, strict=True))


def _placed(module: torch.nn.Module, layers: Sequence[_Layer], arrays: Sequence[np.ndarray]) -> dict[str, torch.Tensor]:
    """Return the parameters that have layers in them, with other weights there."""
    torch = load_torch()
    parameters = dict(module.named_parameters())
    changed: dict[str, Any] = {}
    for layer, array in zip(layers, arrays, strict=True):
        old = parameters[layer.parameter]
        new = changed.setdefault(layer.parameter, old.detach().clone())
        values = np.ascontiguousarray(array.swapaxes(0, 1) if layer.flipped else array)
        new[layer.rows] = torch.from_numpy(values).to(old)
    return changed


# --- folding ----------------------------------------------------------------------------------------------------------


def _plain(module: torch.nn.Module, device: str) -> torch.nn.Module:
    """Return a copy in evaluation mode whose weights are parameters, not made by parametrizations."""
    torch = load_torch()
    parametrize = torch.nn.utils.parametrize
    module = copy.deepcopy(module).to(device).eval()
    for part in list(module.modules()):
        if parametrize.is_parametrized(part):
            # torch's own function for this changes the class, which the copy shares with the module of the user.
            weights = {name: getattr(part, name).detach().clone() for name in part.parametrizations}
            part.__class__ = parametrize.type_before_parametrizations(part)
            del part.parametrizations
            for name, values in weights.items():
                part.register_parameter(name, torch.nn.Parameter(values))
    return module


def _pairs(module: torch.nn.Module, x: torch.Tensor) -> list[tuple[str, str]]:
    """Return the names of layers, and of the batch normalizations that get just what they return, once."""
    nn = load_torch().nn
    maps = (nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)
    made: list[tuple[Any, str]] = []  # the outputs are kept, so that none gets the address of another one
    pairs: list[tuple[str, str]] = []

    def watch(name: str, part: Any) -> Any:
        if isinstance(part, maps):
            return part.register_forward_hook(lambda _, inputs, output: made.append((output, name)))
        return part.register_forward_pre_hook(
            lambda _, inputs: pairs.extend((layer, name) for output, layer in made if output is inputs[0])
        )

    kinds = (*maps, nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)
    handles = [watch(name, part) for name, part in module.named_modules() if isinstance(part, kinds)]
    try:
        module(x)
    finally:
        for handle in handles:
            handle.remove()
    used = [name for _, name in made]
    layers, norms = zip(*pairs, strict=True) if pairs else ((), ())
    return [
        (layer, norm)
        for layer, norm in pairs
        if used.count(layer) == 1 and layers.count(layer) == 1 and norms.count(norm) == 1
        if module.get_submodule(norm).running_var is not None
    ]


def _fold(module: torch.nn.Module, pairs: Sequence[tuple[str, str]]) -> torch.nn.Module:
    torch = load_torch()
    utils = torch.nn.utils
    module = copy.deepcopy(module)
    for layer, norm in pairs:
        first, second = module.get_submodule(layer), module.get_submodule(norm)
        if isinstance(first, torch.nn.Linear):
            fused = utils.fuse_linear_bn_eval(first, second)
        else:
            fused = utils.fuse_conv_bn_eval(first, second, transpose="Transpose" in type(first).__name__)
        for name, part in ((layer, fused), (norm, torch.nn.Identity())):
            parent, _, last = name.rpartition(".")
            setattr(module.get_submodule(parent), last, part)
    return module


# --- record -----------------------------------------------------------------------------------------------------------


def module_record(
    module: torch.nn.Module,
    initial: torch.nn.Module | Mapping[str, Any] | None,
    images: np.ndarray,
    labels: np.ndarray,
    *,
    mean: tuple[float, ...],
    std: tuple[float, ...],
    image_size: int | None = None,
    output: str | int | None = None,
    layers: Sequence[str] | None = None,
    n_noisy: int = 256,
    batch: int = 256,
    device: str = "auto",
    threads: int = 1,
) -> NetworkRecord:
    """Return what the complexity measures look at of a module of torch."""
    torch, device = load_torch(), torch_device(device)
    n_noisy, batch = check_count("n_noisy", n_noisy), check_count("batch", batch)
    classes, positions = np.unique(labels, return_inverse=True)
    if not len(images) or len(images) != len(labels):
        raise ParameterError(f"labels must be as many as images, at least one; got {len(labels)} for {len(images)}")

    def tensor(some: np.ndarray) -> Any:
        return image_tensor(some, image_size, mean, std, device)

    def logits(of: Any, x: Any, changed: Mapping[str, Any]) -> Any:
        found = one_tensor(torch.func.functional_call(of, dict(changed), (x,)), len(x), output)
        if found.shape != (len(x), len(classes)):
            raise ParameterError(
                f"module must return {len(classes)} outputs per image, one for each class in labels, got shape "
                f"{tuple(found.shape)}"
            )
        return found

    before = None if initial is None else _plain(_initial_module(module, initial), device)
    network = _plain(module, device)
    with exact_torch(threads):
        if layers is None:
            network, before = _folded(network, before, tensor(images[:2]), output)
        chain = _layers(network, layers)
        _warn_of_the_rest(network, chain)
        scores = np.concatenate(
            [
                logits(network, tensor(images[start : start + batch]), {}).double().cpu().numpy()
                for start in range(0, len(images), batch)
            ]
        )
        few = np.arange(len(images))
        if n_noisy < len(images):
            few = np.sort(np.random.default_rng(0).choice(len(images), n_noisy, replace=False))
        noisy = [tensor(images[few[start : start + batch]]) for start in range(0, len(few), batch)]
        ones = torch.ones_like(noisy[0][:1]).double().cpu()
        on_paths = copy.deepcopy(network).cpu().double()

    def accuracy(weights: Sequence[np.ndarray]) -> float:
        with exact_torch(threads):
            changed = _placed(network, chain, weights)
            found = torch.cat([logits(network, x, changed).argmax(1) for x in noisy]).cpu().numpy()
        return float((found == positions[few]).mean())

    def outputs(weights: Sequence[np.ndarray]) -> np.ndarray:
        with exact_torch(threads):
            return _sum_over_paths(lambda x, changed: logits(on_paths, x, changed), on_paths, chain, weights, ones)

    rows = np.arange(len(images))
    right = scores[rows, positions]
    scores[rows, positions] = -np.inf
    return NetworkRecord(
        _arrays(network, chain),
        None if before is None else _arrays(before, chain),
        right - scores.max(axis=1),
        accuracy,
        outputs,
    )


def _initial_module(module: torch.nn.Module, initial: Any) -> torch.nn.Module:
    torch = load_torch()
    if isinstance(initial, torch.nn.Module):
        shapes = [{name: tuple(v.shape) for name, v in m.state_dict().items()} for m in (module, initial)]
        if shapes[0] != shapes[1]:
            raise ParameterError("initial must be the same module before its training, its weights have other shapes")
        return initial
    before = copy.deepcopy(module)
    try:
        before.load_state_dict(initial)
    except (RuntimeError, TypeError, AttributeError) as error:
        raise ParameterError(f"initial must be a state dict of the module: {' '.join(str(error).split())}") from error
    return before


def _folded(
    network: torch.nn.Module, before: torch.nn.Module | None, x: torch.Tensor, output: str | int | None
) -> tuple[torch.nn.Module, torch.nn.Module | None]:
    torch = load_torch()
    pairs = _pairs(network, x)
    if not pairs:
        return network, before
    folded = _fold(network, pairs)
    old, new = (one_tensor(of(x), len(x), output) for of in (network, folded))
    if not torch.allclose(old, new, rtol=1e-3, atol=1e-3 * float(old.abs().max())):
        return network, before  # what a layer returns is used elsewhere, too
    return folded, None if before is None else _fold(before, pairs)


def _warn_of_the_rest(network: torch.nn.Module, chain: Sequence[_Layer]) -> None:
    counted = {layer.parameter for layer in chain}
    rest = {n: v.numel() for n, v in network.named_parameters() if v.ndim >= 2 and n not in counted}
    share = sum(rest.values()) / sum(v.numel() for v in network.parameters())
    if share > _MUCH:
        most = max(rest, key=lambda name: rest[name])
        warnings.warn(
            f"{share:.0%} of the weights do not count in the complexity measures, {most} above all; "
            "layers can name the parameters that do",
            UserWarning,
            stacklevel=3,
        )


def _sum_over_paths(
    logits: Callable[[torch.Tensor, Mapping[str, torch.Tensor]], torch.Tensor],
    module: torch.nn.Module,
    chain: Sequence[_Layer],
    weights: Sequence[np.ndarray],
    ones: torch.Tensor,
) -> np.ndarray:
    """Return the outputs for ones, given squared weights; NaN where outputs are not in proportion to inputs."""
    torch = load_torch()
    parameters = dict(module.named_parameters())
    changed = {
        name: torch.zeros_like(v) if "bias" in name.rpartition(".")[2] else v**2 for name, v in parameters.items()
    }
    changed |= _placed(module, chain, weights)

    mode: Any = torch.overrides.TorchFunctionMode

    class Straight(mode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            name = getattr(func, "__name__", "").strip("_")
            if name in _OF_SINGLE_UNITS:
                return args[0]
            kwargs = kwargs or {}
            if func is torch.nn.functional.batch_norm:
                given = dict(zip(("input", "mean", "variance", "weight"), args, strict=False)) | kwargs
                if given["variance"] is not None:
                    scale = 1 / (given["variance"] + given["eps"])
                    scale = scale if given["weight"] is None else scale * given["weight"]  # which is squared already
                    return given["input"] * scale.view(-1, *[1] * (given["input"].ndim - 2))
            return func(*args, **kwargs)

    probe = torch.rand(ones.shape, generator=torch.Generator().manual_seed(0), dtype=ones.dtype)
    try:
        with Straight():
            found, once, twice = (logits(x, changed) for x in (ones, probe, 2 * probe))
    except (RuntimeError, TypeError, ValueError):  # an activation that was left out had another shape to give
        return np.array([np.nan])
    # Powers of many gates end at 0 or at infinity, which is in proportion to anything.
    told = bool((once > 0).any()) and bool(torch.isfinite(twice).all())
    if not told or not torch.allclose(twice, 2 * once, rtol=1e-6, atol=0):
        return np.array([np.nan])
    return found.numpy()


# --- families ---------------------------------------------------------------------------------------------------------


class ModuleFamily(Protocol):
    """A family whose members can be had with what they were before the training."""

    name: str
    members: tuple[str, ...]
    logits: str | int | None

    def trained(self, member: str, images: np.ndarray, labels: np.ndarray, seed: int) -> TrainedModule:
        """Return a member, trained on images of the seen classes."""

    def inputs(self, member: str) -> dict[str, Any]:
        """Return how images get into a member: mean, std, image_size, batch, device, threads."""


def measure_modules(
    task: ImageTask,
    family: ModuleFamily,
    seed: int = 0,
    *,
    layers: Sequence[str] | None = None,
    n_noisy: int = 256,
    **search: Any,
) -> pd.DataFrame:
    """Compute the complexity measures of a family of modules."""
    seen = np.isin(task.train_labels, task.seen)
    images, labels = task.train_images[seen], task.train_labels[seen]
    rows = []
    for member in family.members:
        trained = family.trained(member, images, labels, seed)
        record = module_record(
            trained.module,
            trained.initial,
            images,
            labels,
            output=family.logits,
            layers=layers,
            n_noisy=n_noisy,
            **family.inputs(member),
        )
        about = {"family": family.name, "seed": seed, "member": member, "size": trained.size}
        rows.append(about | trained.about | complexity_measures(record, rng=seed, **search))
    return pd.DataFrame(rows)
