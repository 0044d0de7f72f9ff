"""Quantized modules of torch with their weights as stored: integers less a zero point, times a scale, without rounding.

Torch also rounds what goes in and out of such layers, and steps are not piecewise linear: leaving that out has to be asked for.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import torch
from torch import nn

from plica.errors import InvalidInput, InvalidNetwork, UnsupportedLayer

_BITS = 53  # of a double


def is_quantized(module: nn.Module) -> bool:
    """Whether torch computes a module in integers."""
    return type(module).__module__.startswith(("torch.ao.nn.quantized", "torch.ao.nn.intrinsic.quantized"))


def check_choice(quantized: str | None) -> None:
    """Refuse any other word than ``"weights"``."""
    if quantized not in (None, "weights"):
        raise InvalidInput(
            f"quantized={quantized!r}.", hint='quantized="weights" takes weights as stored and rounds nothing else'
        )


def as_stored(module: nn.Module) -> nn.Module:
    """A copy with layers in float64 in the place of quantized ones; everything else is as it was."""
    if not any(is_quantized(part) for part in module.modules()):
        return module
    return _replaced(copy.deepcopy(module), "")


def _replaced(module: nn.Module, name: str) -> nn.Module:
    if is_quantized(module):
        return _plain(module, name)
    for child, part in list(module.named_children()):
        found = _replaced(part, f"{name}.{child}".lstrip("."))
        if found is not part:
            setattr(module, child, found)
    return module


def _plain(module: Any, name: str) -> nn.Module:
    """The layer that a quantized one stands for."""
    kind = type(module).__name__
    if kind in ("Quantize", "DeQuantize"):
        return nn.Identity()
    if kind in ("QFunctional", "FloatFunctional"):
        return torch.ao.nn.quantized.FloatFunctional()
    if kind == "ReLU6":
        return nn.ReLU6()
    if kind in ("Linear", "LinearReLU"):
        layer: nn.Module = _with_weights(nn.Linear(module.in_features, module.out_features, dtype=torch.float64), module, name)
    elif kind in ("Conv1d", "ConvReLU1d", "Conv2d", "ConvReLU2d"):
        make = nn.Conv1d if kind.endswith("1d") else nn.Conv2d
        d = 1 if kind.endswith("1d") else 2  # those of torch keep more entries than they need
        places: dict[str, Any] = {
            key: tuple(getattr(module, key)[-d:]) for key in ("kernel_size", "stride", "padding", "dilation")
        }
        plain = make(
            module.in_channels, module.out_channels, groups=module.groups, padding_mode=module.padding_mode, dtype=torch.float64,
            **places,
        )  # fmt: skip
        layer = _with_weights(plain, module, name)
    else:
        raise UnsupportedLayer(
            f"layer {name!r} is a quantized {kind}.", hint="linear layers, convolutions, their ReLUs and sums are read as stored"
        )
    return nn.Sequential(layer, nn.ReLU()) if "ReLU" in kind else layer


def _with_weights(layer: Any, module: Any, name: str) -> nn.Module:
    weight, bias = module.weight(), module.bias()
    layer.weight = nn.Parameter(torch.from_numpy(stored(weight, name)), requires_grad=False)
    layer.bias = None if bias is None else nn.Parameter(bias.detach().double(), requires_grad=False)
    return layer.eval()  # type: ignore[no-any-return]


def stored(weight: torch.Tensor, name: str) -> Any:
    """The numbers that a quantized tensor stands for, in float64; refused if float64 does not hold one of them."""
    if not weight.is_quantized:
        return weight.detach().double().numpy()
    integers = weight.int_repr().numpy().astype(np.int64)
    if weight.qscheme() in (torch.per_tensor_affine, torch.per_tensor_symmetric):
        scales, zeros, axis = np.array([weight.q_scale()]), np.array([weight.q_zero_point()]), 0
    else:
        scales = weight.q_per_channel_scales().double().numpy()
        zeros, axis = weight.q_per_channel_zero_points().double().numpy(), weight.q_per_channel_axis()
    shape = [-1 if i == axis else 1 for i in range(integers.ndim)]
    steps = integers - np.broadcast_to(zeros.reshape(shape), integers.shape).astype(np.int64)
    if (np.abs(steps) >= 2**31).any() or (zeros != np.round(zeros)).any():
        raise InvalidNetwork(f"the zero points of {name!r} are no integers.", hint="give the model as it was before quantization")
    width = int(np.abs(steps).max(initial=1)).bit_length()
    for scale in scales.tolist():
        numerator = scale.as_integer_ratio()[0]
        if (numerator & -numerator).bit_length() - 1 + _BITS < numerator.bit_length() + width:
            raise InvalidNetwork(
                f"a scale of {name!r}, {scale!r}, times its integers needs more digits than float64 has.",
                hint="scales that are float32 numbers, as torch's observers make them, are read without rounding",
            )
    return steps * np.broadcast_to(scales.reshape(shape), integers.shape)
