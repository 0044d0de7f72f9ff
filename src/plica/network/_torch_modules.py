"""Leaf modules of torch.nn as calls of functions: what ``module(x)`` computes in eval mode, by name and arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import nn

Call = tuple[str, tuple[Any, ...], dict[str, Any]]


def _call(name: str, *attributes: str) -> Callable[[Any], Call]:
    """A function whose arguments are attributes of the module."""
    return lambda m: (name, tuple(getattr(m, a) for a in attributes), {})


def _conv(m: Any) -> Call:
    padding = m.padding if isinstance(m.padding, str) else tuple(m.padding)
    return "conv2d", (m.weight, m.bias, m.stride, padding, m.dilation, m.groups), {"padding_mode": m.padding_mode}


def _conv_transpose(m: Any) -> Call:
    return "conv_transpose2d", (m.weight, m.bias, m.stride, m.padding, m.output_padding, m.groups, m.dilation), {}


def _batch_norm(m: Any) -> Call:
    return "batch_norm", (m.running_mean, m.running_var, m.weight, m.bias, m.training, 0.0, m.eps), {}


def _pad(mode: str) -> Callable[[Any], Call]:
    return lambda m: ("pad", (tuple(m.padding), mode, getattr(m, "value", 0.0)), {})


_dropout = _call("dropout", "p", "training")
_max_pool = ("kernel_size", "stride", "padding", "dilation", "ceil_mode", "return_indices")
_upsample = ("size", "scale_factor", "mode", "align_corners", "recompute_scale_factor")
_avg_pool = ("kernel_size", "stride", "padding", "ceil_mode", "count_include_pad")

MODULES: dict[type[nn.Module], Callable[[Any], Call]] = {
    nn.Identity: _call("contiguous"),
    nn.Linear: _call("linear", "weight", "bias"),
    nn.Conv1d: _conv,
    nn.Conv2d: _conv,
    nn.ConvTranspose1d: _conv_transpose,
    nn.ConvTranspose2d: _conv_transpose,
    nn.BatchNorm1d: _batch_norm,
    nn.BatchNorm2d: _batch_norm,
    **dict.fromkeys((nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d, nn.AlphaDropout, nn.FeatureAlphaDropout), _dropout),
    nn.Flatten: _call("flatten", "start_dim", "end_dim"),
    nn.Unflatten: _call("unflatten", "dim", "unflattened_size"),
    nn.AvgPool1d: _call("avg_pool1d", *_avg_pool),
    nn.AvgPool2d: _call("avg_pool2d", *_avg_pool, "divisor_override"),
    nn.AdaptiveAvgPool1d: _call("adaptive_avg_pool1d", "output_size"),
    nn.AdaptiveAvgPool2d: _call("adaptive_avg_pool2d", "output_size"),
    nn.MaxPool1d: _call("max_pool1d", *_max_pool),
    nn.MaxPool2d: _call("max_pool2d", *_max_pool),
    nn.AdaptiveMaxPool1d: _call("adaptive_max_pool1d", "output_size", "return_indices"),
    nn.AdaptiveMaxPool2d: _call("adaptive_max_pool2d", "output_size", "return_indices"),
    nn.ReLU: _call("relu"),
    nn.ReLU6: _call("relu6"),
    nn.LeakyReLU: _call("leaky_relu", "negative_slope"),
    nn.PReLU: _call("prelu", "weight"),
    nn.RReLU: _call("rrelu", "lower", "upper", "training"),
    nn.Hardtanh: _call("hardtanh", "min_val", "max_val"),
    nn.Hardsigmoid: _call("hardsigmoid"),
    nn.GELU: _call("gelu", "approximate"),
    nn.SiLU: _call("silu"),
    nn.Sigmoid: _call("sigmoid"),
    nn.Tanh: _call("tanh"),
    nn.Softshrink: _call("softshrink", "lambd"),
    nn.Threshold: _call("threshold", "threshold", "value"),
    **dict.fromkeys((nn.ZeroPad1d, nn.ZeroPad2d, nn.ConstantPad1d, nn.ConstantPad2d), _pad("constant")),
    **dict.fromkeys((nn.ReflectionPad1d, nn.ReflectionPad2d), _pad("reflect")),
    **dict.fromkeys((nn.ReplicationPad1d, nn.ReplicationPad2d), _pad("replicate")),
    **dict.fromkeys((nn.CircularPad1d, nn.CircularPad2d), _pad("circular")),
    **dict.fromkeys((nn.Upsample, nn.UpsamplingNearest2d, nn.UpsamplingBilinear2d), _call("interpolate", *_upsample)),
    nn.PixelShuffle: _call("pixel_shuffle", "upscale_factor"),
    nn.PixelUnshuffle: _call("pixel_unshuffle", "downscale_factor"),
    nn.ChannelShuffle: _call("channel_shuffle", "groups"),
}


def call_of(module: nn.Module) -> Call | None:
    """The call a module stands for; None if it is not known or has a forward of its own."""
    for kind in type(module).__mro__:
        if kind in MODULES and type(module).forward is kind.forward:
            return MODULES[kind](module)
    return None


RANDOM_IN_TRAINING = (nn.modules.dropout._DropoutNd, nn.modules.batchnorm._NormBase, nn.RReLU)
"""Modules that compute something else in train mode."""
