"""Weights of Keras, JAX and others: a safetensors file, and a TOML file that says which weights are which layer.

For example ``model.toml``, beside ``model.safetensors``, to be given wherever a model is asked for::

    weights = "model.safetensors"
    input = [28, 28, 1]                # the shape of one input, as the model takes it
    channels = "last"                  # images have their channels last, kernels are (height, width, in, out)

    [[layers]]
    kind = "conv"
    weight = "conv/kernel"
    bias = "conv/bias"
    padding = "same"
    activation = "relu"

    [[layers]]
    kind = "max-pool"
    size = 2

    [[layers]]
    kind = "flatten"

    [[layers]]
    kind = "dense"
    weight = "dense/kernel"
    bias = "dense/bias"
    transposed = true                  # stored (inputs, outputs), as Keras and JAX do
    scale = "dense/scale"              # integers times a scale, as quantized files have them

Numbers are taken as stored: half precision and integers times a scale are exact in float64.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plica.errors import InvalidInput, InvalidNetwork
from plica.network._files import MAX_FILE_BYTES, read_bytes
from plica.network._network import Network

if TYPE_CHECKING:
    from torch import Tensor, nn

MAX_TOML_BYTES = 2**20
_HINT = "help(plica.network.from_names) has an example"
_ACTIVATIONS = ("relu", "leaky-relu", "relu6", "hard-tanh", "abs", "linear")
_NAMES = {"weight", "bias", "scale", "zero", "gamma", "beta", "mean", "variance"}
_OPTIONS = {
    "dense": {"weight", "bias", "scale", "zero", "transposed"},
    "conv": {"weight", "bias", "scale", "zero", "stride", "padding"},
    "batch-norm": {"gamma", "beta", "mean", "variance", "epsilon"},
    "max-pool": {"size", "stride"},
    "average-pool": {"size", "stride"},
    "flatten": set(),
    "activation": set(),
}


def from_names(path: str | os.PathLike[str], *, max_bytes: int = MAX_FILE_BYTES) -> Network:
    """The network whose layers a TOML file lists and whose weights a safetensors file beside it holds.

    Layers are ``dense``, ``conv``, ``batch-norm``, ``max-pool``, ``average-pool``, ``flatten`` and ``activation``; every layer
    may have an ``activation``: relu, leaky-relu (with ``slope``), relu6, hard-tanh, abs.

    Raises
    ------
    InvalidNetwork
        The TOML file is not one, names weights that are not there or layers that are not known, or shapes do not fit.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from safetensors.numpy import save_file
    >>> folder = Path(tempfile.mkdtemp())
    >>> save_file({"dense/kernel": np.array([[1.0, 0.5]], np.float16)}, folder / "w.safetensors")
    >>> text = 'weights = "w.safetensors"\\ninput = 1\\n[[layers]]\\nkind = "dense"\\nweight = "dense/kernel"\\ntransposed = true'
    >>> _ = (folder / "model.toml").write_text(text + '\\nactivation = "relu"')
    >>> from_names(folder / "model.toml")(np.array([3.0]))
    array([3. , 1.5])
    """
    from plica.network._torch import from_torch

    path = Path(path)
    table = _table(path)
    shape = _shape(table.get("input"))
    last = table.get("channels", "first") == "last"
    if table.get("channels", "first") not in ("first", "last"):
        raise InvalidNetwork(f"channels = {table['channels']!r}.", hint='"first" or "last"')
    stored = _stored(path.parent / str(table["weights"]), max_bytes)
    import torch
    from torch import nn

    modules: list[nn.Module] = []
    for i, layer in enumerate(table["layers"]):
        try:
            modules += _modules(layer, stored, last)
        except _Wrong as wrong:
            raise InvalidNetwork(f"layer {i} of {path.name}: {wrong}.", hint=_HINT) from None
    try:
        return from_torch(nn.Sequential(*modules).eval(), example_input=torch.zeros((1, *shape), dtype=torch.float64))
    except InvalidInput as error:
        raise InvalidNetwork(f"{path.name}: {error.message}", hint=error.hint) from None


class _Wrong(Exception):
    """What is wrong with a layer."""


def _table(path: Path) -> dict[str, Any]:
    try:
        table = tomllib.loads(read_bytes(path, MAX_TOML_BYTES).decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise InvalidNetwork(f"{path.name!r} is not TOML: {error}.") from None
    if not isinstance(table.get("weights"), str) or not isinstance(table.get("layers"), list) or not table["layers"]:
        raise InvalidNetwork(
            f"{path.name!r} names no weights or no layers.", hint="help(plica.network.from_names) has an example"
        )
    if Path(table["weights"]).suffix != ".safetensors":
        raise InvalidNetwork(f"weights = {table['weights']!r}.", hint="a .safetensors file")
    return table


def _shape(given: Any) -> tuple[int, ...]:
    sizes = [given] if isinstance(given, int) else given
    if not isinstance(sizes, list) or not sizes or not all(type(n) is int and 0 < n < 2**24 for n in sizes) or len(sizes) > 3:
        raise InvalidNetwork(f"input = {given!r}.", hint="the shape of one input, for example input = 2 or input = [28, 28, 1]")
    return tuple(sizes)


def _stored(path: Path, max_bytes: int) -> dict[str, Tensor]:
    from safetensors import SafetensorError
    from safetensors.torch import load

    try:
        return load(read_bytes(path, max_bytes))
    except (SafetensorError, KeyError, ValueError) as error:
        raise InvalidNetwork(f"{path.name!r} is not a safetensors file: {error}.") from None


def _modules(layer: Any, stored: Mapping[str, Tensor], last: bool) -> list[nn.Module]:
    if not isinstance(layer, dict) or layer.get("kind") not in _OPTIONS:
        raise _Wrong(f"its kind is {layer.get('kind') if isinstance(layer, dict) else layer!r}, not {', '.join(_OPTIONS)}")
    kind = str(layer["kind"])
    unknown = set(layer) - _OPTIONS[kind] - {"kind", "activation", "slope"}
    if unknown:
        raise _Wrong(f"{kind} has no {min(unknown)!r}")
    numbers = {name: _numbers(layer, name, stored) for name in _NAMES & set(layer)}
    found = _LAYERS[kind](layer, numbers, last)
    return [*found, *_activation(layer)]


def _numbers(layer: Mapping[str, Any], name: str, stored: Mapping[str, Tensor]) -> Tensor:
    """What is stored under a name, as float64, exactly."""
    key = layer[name]
    if not isinstance(key, str) or key not in stored:
        near = ", ".join(sorted(stored)[:8])
        raise _Wrong(f"there are no weights {key!r} (the file has {near}{', ...' if len(stored) > 8 else ''})")
    return stored[key].double()


def _weight(numbers: Mapping[str, Tensor]) -> Tensor:
    if "weight" not in numbers:
        raise _Wrong("it names no weight")
    weight = numbers["weight"]
    try:
        return (weight - numbers.get("zero", 0.0)) * numbers.get("scale", 1.0)
    except RuntimeError:
        raise _Wrong("scale or zero do not fit the weight") from None


def _dense(layer: Mapping[str, Any], numbers: Mapping[str, Tensor], last: bool) -> list[nn.Module]:
    weight = _weight(numbers)
    if weight.ndim != 2:
        raise _Wrong(f"a dense weight has two axes, this has {tuple(weight.shape)}")
    weight = weight.T if layer.get("transposed") else weight
    from torch import nn

    return [_filled(nn.Linear(weight.shape[1], weight.shape[0], bias="bias" in numbers, dtype=weight.dtype), weight, numbers)]


def _conv(layer: Mapping[str, Any], numbers: Mapping[str, Tensor], last: bool) -> list[nn.Module]:
    from torch import nn

    weight = _weight(numbers)
    if weight.ndim != 4:
        raise _Wrong(f"the kernel of a convolution has four axes, this has {tuple(weight.shape)}")
    weight = weight.permute(3, 2, 0, 1) if last else weight
    stride, padding = _whole(layer, "stride", 1), layer.get("padding", "valid")
    if padding not in ("valid", "same") or (padding == "same" and stride != 1):
        raise _Wrong(f"padding {padding!r} with stride {stride} (valid, or same with stride 1, are known)")
    size = (int(weight.shape[2]), int(weight.shape[3]))
    conv = nn.Conv2d(
        weight.shape[1], weight.shape[0], size, stride=stride, padding=padding, bias="bias" in numbers, dtype=weight.dtype
    )
    return _channels_first([_filled(conv, weight, numbers)], last)


def _batch_norm(layer: Mapping[str, Any], numbers: Mapping[str, Tensor], last: bool) -> list[nn.Module]:
    """Over the last axis where channels are last, else over the first after the batch."""
    import torch
    from torch import nn

    if not {"mean", "variance"} <= set(numbers):
        raise _Wrong("a batch norm names a mean and a variance")
    size = numbers["mean"].numel()

    class Norm(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            kinds = {"running_mean": "mean", "running_var": "variance", "weight": "gamma", "bias": "beta"}
            start = {"gamma": torch.ones(size, dtype=torch.float64), "beta": torch.zeros(size, dtype=torch.float64)}
            for name, kind in kinds.items():
                self.register_buffer(name, numbers.get(kind, start.get(kind)))

        def forward(self, x: Tensor) -> Tensor:
            norm: Any = nn.functional.batch_norm
            return norm(x, self.running_mean, self.running_var, self.weight, self.bias, eps=float(layer.get("epsilon", 1e-3)))

    return _channels_first([Norm()], last)


def _pool(kind: str) -> Callable[[Mapping[str, Any], Mapping[str, Tensor], bool], list[nn.Module]]:
    def make(layer: Mapping[str, Any], numbers: Mapping[str, Tensor], last: bool) -> list[nn.Module]:
        from torch import nn

        size = _whole(layer, "size", 2)
        return _channels_first([getattr(nn, kind)(size, _whole(layer, "stride", size))], last)

    return make


def _flatten(layer: Mapping[str, Any], numbers: Mapping[str, Tensor], last: bool) -> list[nn.Module]:
    from torch import nn

    return [nn.Flatten()]


_LAYERS: dict[str, Callable[[Mapping[str, Any], Mapping[str, Tensor], bool], list[Any]]] = {
    "dense": _dense,
    "conv": _conv,
    "batch-norm": _batch_norm,
    "max-pool": _pool("MaxPool2d"),
    "average-pool": _pool("AvgPool2d"),
    "flatten": _flatten,
    "activation": lambda layer, numbers, last: [],
}


def _activation(layer: Mapping[str, Any]) -> list[nn.Module]:
    from torch import nn

    name = layer.get("activation", "linear")
    if name not in _ACTIVATIONS:
        raise _Wrong(f"activation {name!r} is not one of {', '.join(_ACTIVATIONS)}")
    if name == "abs":
        return [_layer_of(lambda x: abs(x))]
    slope = float(layer.get("slope", 0.01))
    kinds = {"relu": nn.ReLU(), "relu6": nn.ReLU6(), "hard-tanh": nn.Hardtanh(), "leaky-relu": nn.LeakyReLU(slope)}
    return [kinds[name]] if name in kinds else []


def _channels_first(modules: list[nn.Module], last: bool) -> list[nn.Module]:
    """Layers that want channels first, between two changes of the order where they are last."""
    if not last:
        return modules
    return [_layer_of(lambda x: x.movedim(-1, 1)), *modules, _layer_of(lambda x: x.movedim(1, -1))]


def _layer_of(function: Callable[[Any], Any]) -> nn.Module:
    from torch import nn

    class Function(nn.Module):
        def forward(self, x: Tensor) -> Any:
            return function(x)

    return Function()


def _filled(module: Any, weight: Tensor, numbers: Mapping[str, Tensor]) -> Any:
    import torch

    with torch.no_grad():
        module.weight.copy_(weight)
        if "bias" in numbers:
            if numbers["bias"].shape != module.bias.shape:
                raise _Wrong(f"a bias of shape {tuple(numbers['bias'].shape)} for {module.bias.shape[0]} outputs")
            module.bias.copy_(numbers["bias"])
    return module


def _whole(layer: Mapping[str, Any], name: str, otherwise: int) -> int:
    value = layer.get(name, otherwise)
    if type(value) is not int or value < 1:
        raise _Wrong(f"{name} = {value!r} is no positive number")
    return value
