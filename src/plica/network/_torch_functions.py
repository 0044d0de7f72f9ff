"""torch's arithmetic, layers and activations, with arguments as in ``torch``, ``torch.nn.functional`` and aten.

The readers of torch.fx graphs, of torch.export graphs and of leaf modules all end here: one function for each name.
Tensors that depend on the input come as :class:`Wire`, constants as numpy arrays or Python numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from plica._types import Array
from plica.network import _lowering_arithmetic as arithmetic
from plica.network import _lowering_sampling as sampling
from plica.network import _lowering_windows as pooling
from plica.network import _torch_shapes as shapes
from plica.network._lowering import CannotLower, Lowering, Operand, Unavailable, Wire


class Extrema(NamedTuple):
    """What ``x.max(dim)`` returns."""

    values: Wire
    indices: Unavailable


POSITIONS = Unavailable("it uses the positions of a maximum")


def _operand(value: Any) -> Operand:
    return value if isinstance(value, Wire) else np.asarray(value)


def _many(value: Any, n: int) -> list[int]:
    values = [value] if isinstance(value, int) else list(value)
    return [int(v) for v in (values * n if len(values) == 1 else values)]


def add(low: Lowering, input: Any, other: Any, *, alpha: float = 1) -> Wire:
    other = other if alpha == 1 else mul(low, other, alpha) if isinstance(other, Wire) else other * alpha
    return arithmetic.plus(low, _operand(input), _operand(other))


def sub(low: Lowering, input: Any, other: Any, *, alpha: float = 1) -> Wire:
    other = other if alpha == 1 else mul(low, other, alpha) if isinstance(other, Wire) else other * alpha
    return arithmetic.minus(low, _operand(input), _operand(other))


def rsub(low: Lowering, input: Any, other: Any, *, alpha: float = 1) -> Wire:
    return sub(low, other, input, alpha=alpha)


def mul(low: Lowering, input: Any, other: Any) -> Wire:
    return arithmetic.times(low, _operand(input), _operand(other))


def div(low: Lowering, input: Any, other: Any, *, rounding_mode: str | None = None) -> Wire:
    if rounding_mode is not None:
        raise CannotLower("it rounds")
    return arithmetic.divide(low, _operand(input), _operand(other))


def neg(low: Lowering, input: Wire) -> Wire:
    return arithmetic.scale(low, input, -1.0)


def matmul(low: Lowering, input: Any, other: Any) -> Wire:
    return arithmetic.matmul(low, _operand(input), _operand(other))


def linear(low: Lowering, input: Any, weight: Any, bias: Any = None) -> Wire:
    if not isinstance(input, Wire):
        raise CannotLower("its weights depend on the input")
    return arithmetic.linear(low, input, weight, bias)


def addmm(low: Lowering, input: Any, mat1: Any, mat2: Any, *, beta: float = 1, alpha: float = 1) -> Wire:
    product = arithmetic.times(low, matmul(low, mat1, mat2), np.asarray(float(alpha)))
    return add(low, product, input, alpha=beta)


def sum_(low: Lowering, input: Wire, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Wire:
    return arithmetic.total(low, input, dim, keep=keepdim)


def mean(low: Lowering, input: Wire, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Wire:
    return arithmetic.total(low, input, dim, keep=keepdim, mean=True)


# Layers


def conv(
    low: Lowering,
    input: Wire,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    *,
    padding_mode: str = "zeros",
) -> Wire:
    n = np.ndim(weight) - 2 if not isinstance(weight, Wire) else 1
    strides, dilations = _many(stride, n), _many(dilation, n)
    if padding == "same":
        spans = [d * (k - 1) for d, k in zip(dilations, np.shape(weight)[2:], strict=True)]
        pairs = [(s // 2, s - s // 2) for s in spans]
    else:
        pairs = [(p, p) for p in (_many(padding, n) if padding != "valid" else [0] * n)]
    if padding_mode != "zeros" and any(map(any, pairs)):
        input = low.pad(input, [(0, 0), *pairs], mode=padding_mode)
        pairs = [(0, 0)] * n
    return arithmetic.conv(low, input, weight, bias, stride=strides, padding=pairs, dilation=dilations, groups=groups)


def conv_transpose(
    low: Lowering,
    input: Wire,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Wire:
    n = np.ndim(weight) - 2 if not isinstance(weight, Wire) else 1
    return sampling.conv_transpose(
        low,
        input,
        weight,
        bias,
        stride=_many(stride, n),
        padding=[(p, p) for p in _many(padding, n)],
        output_padding=_many(output_padding, n),
        dilation=_many(dilation, n),
        groups=groups,
    )


def aten_convolution(
    low: Lowering, input: Wire, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool, *rest: Any
) -> Wire:
    """Every convolution in one name, as torch.export writes it after decomposition."""
    output_padding, groups = rest
    if transposed:
        return conv_transpose(low, input, weight, bias, stride, padding, output_padding, groups, dilation)
    return conv(low, input, weight, bias, stride, padding, dilation, groups)


def batch_norm(
    low: Lowering,
    input: Wire,
    running_mean: Array | None,
    running_var: Array | None,
    weight: Array | None = None,
    bias: Array | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Wire:
    if training or running_mean is None or running_var is None:
        raise CannotLower("it normalizes by the statistics of the batch, not by stored ones")
    return arithmetic.batch_norm(low, input, running_mean, running_var, weight, bias, eps)


def aten_batch_norm(low: Lowering, input: Wire, weight: Any, bias: Any, mean: Any, var: Any, training: bool, *rest: Any) -> Wire:
    """torch.batch_norm has another order of arguments than torch.nn.functional.batch_norm."""
    return batch_norm(low, input, mean, var, weight, bias, training, *rest[:2])


def dropout(low: Lowering, input: Wire, p: float = 0.5, training: bool = True, inplace: bool = False) -> Wire:
    if training and p > 0:
        raise CannotLower("it drops units at random: it is in train mode")
    return input


def _windows(
    input: Wire, n: int, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> list[pooling.Windows]:
    sizes, kernels = pooling.spatial(input, n), _many(kernel, n)
    strides = _many(stride, n) if stride is not None and stride != [] else kernels
    rest = zip(sizes, kernels, strides, _many(padding, n), _many(dilation, n), strict=True)
    return [pooling.Windows(size, k, s, p, p, d, ceil_mode) for size, k, s, p, d in rest]


def _avg_pool(n: int) -> Callable[..., Wire]:
    def avg_pool(
        low: Lowering,
        input: Wire,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Wire:
        windows = _windows(input, n, kernel_size, stride, padding, 1, ceil_mode)
        return pooling.average_pool(low, input, windows, include_padding=count_include_pad, divisor=divisor_override)

    return avg_pool


def _max_pool(n: int) -> Callable[..., Any]:
    def max_pool(
        low: Lowering,
        input: Wire,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        y = pooling.max_pool(low, input, _windows(input, n, kernel_size, stride, padding, dilation, ceil_mode))
        return Extrema(y, POSITIONS) if return_indices else y

    return max_pool


def _max_pool_pair(n: int) -> Callable[..., Extrema]:
    return lambda low, input, *args: Extrema(_max_pool(n)(low, input, *args), POSITIONS)


def _adaptive_sizes(input: Wire, n: int, output_size: Any) -> list[int]:
    wanted = list(output_size) if isinstance(output_size, Sequence) else [output_size] * n
    return [size if m is None else int(m) for size, m in zip(pooling.spatial(input, n), wanted, strict=True)]


def _adaptive_avg_pool(n: int) -> Callable[..., Wire]:
    return lambda low, input, output_size: pooling.adaptive_average_pool(low, input, _adaptive_sizes(input, n, output_size))


def _adaptive_max_pool(n: int) -> Callable[..., Any]:
    def adaptive_max_pool(low: Lowering, input: Wire, output_size: Any, return_indices: bool = False) -> Any:
        y = pooling.adaptive_max_pool(low, input, _adaptive_sizes(input, n, output_size))
        return Extrema(y, POSITIONS) if return_indices else y

    return adaptive_max_pool


# Folds


def relu(low: Lowering, input: Wire, inplace: bool = False) -> Wire:
    return arithmetic.rectifier(low, input)


def leaky_relu(low: Lowering, input: Wire, negative_slope: float = 0.01, inplace: bool = False) -> Wire:
    return arithmetic.rectifier(low, input, negative_slope)


def rrelu(
    low: Lowering, input: Wire, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, inplace: bool = False, *_: Any
) -> Wire:
    if training:
        raise CannotLower("its slopes are random: it is in train mode")
    return arithmetic.rectifier(low, input, (lower + upper) / 2)


def prelu(low: Lowering, input: Wire, weight: Array) -> Wire:
    return arithmetic.rectifier(low, input, arithmetic.channels(input, weight) if weight.size > 1 else weight.reshape(()))


def absolute(low: Lowering, input: Wire) -> Wire:
    return arithmetic.rectifier(low, input, -1.0)


def clamp(low: Lowering, input: Wire, min: Any = None, max: Any = None) -> Wire:
    if isinstance(min, Wire) or isinstance(max, Wire):
        input = input if min is None else arithmetic.maximum(low, input, _operand(min))
        return input if max is None else arithmetic.minimum(low, input, _operand(max))
    return arithmetic.clip(low, input, min, max)


def clamp_max(low: Lowering, input: Wire, max: Any) -> Wire:
    return clamp(low, input, None, max)


def hardtanh(low: Lowering, input: Wire, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Wire:
    return arithmetic.clip(low, input, min_val, max_val)


def relu6(low: Lowering, input: Wire, inplace: bool = False) -> Wire:
    return arithmetic.clip(low, input, 0.0, 6.0)


def hardsigmoid(low: Lowering, input: Wire, inplace: bool = False) -> Wire:
    shifted = arithmetic.scale(low, input, 1.0, 3.0, part="shift")
    return arithmetic.scale(low, arithmetic.clip(low, shifted, 0.0, 6.0), 1.0 / 6.0, part="sixth")


def gelu(low: Lowering, input: Wire, approximate: str = "none") -> Wire:
    if approximate != "none":
        raise CannotLower(f"the approximation {approximate!r} of GELU is another function; approximate='none' is known")
    return low.smooth(input, "gelu")


def _smooth(activation: str) -> Callable[..., Wire]:
    return lambda low, input, inplace=False: low.smooth(input, activation)


def softshrink(low: Lowering, input: Wire, lambd: float = 0.5) -> Wire:
    if lambd == 0:
        return input
    clipped = arithmetic.clip(low, input, -lambd, lambd)
    return arithmetic.plus(low, input, arithmetic.scale(low, clipped, -1.0, part="minus"))


def threshold(low: Lowering, input: Wire, threshold: float, value: float, inplace: bool = False) -> Wire:
    if threshold != value:
        raise CannotLower(f"it jumps from {value} to {threshold}; a threshold is continuous when both are equal")
    return arithmetic.maximum(low, input, np.asarray(float(value)))


def maximum(low: Lowering, input: Any, other: Any) -> Wire:
    return arithmetic.maximum(low, _operand(input), _operand(other))


def minimum(low: Lowering, input: Any, other: Any) -> Wire:
    return arithmetic.minimum(low, _operand(input), _operand(other))


def amax(low: Lowering, input: Wire, dim: Any = None, keepdim: bool = False) -> Wire:
    return arithmetic.reduce_max(low, input, dim if dim != () else None, keep=keepdim)


def amin(low: Lowering, input: Wire, dim: Any = None, keepdim: bool = False) -> Wire:
    return arithmetic.reduce_max(low, input, dim if dim != () else None, keep=keepdim, sign=-1)


def max_(low: Lowering, input: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """``x.max(dim)`` is a pair, ``torch.max(x, y)`` a maximum."""
    if other is not None or not isinstance(dim, int | None):
        return maximum(low, input, dim if other is None else other)
    y = arithmetic.reduce_max(low, input, dim, keep=keepdim)
    return y if dim is None else Extrema(y, POSITIONS)


def min_(low: Lowering, input: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    if other is not None or not isinstance(dim, int | None):
        return minimum(low, input, dim if other is None else other)
    y = arithmetic.reduce_max(low, input, dim, keep=keepdim, sign=-1)
    return y if dim is None else Extrema(y, POSITIONS)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **shapes.QUERIES,
    **shapes.VIEWS,
    **shapes.COPIES,
    "add": add,
    **dict.fromkeys(("sub", "subtract"), sub),
    "rsub": rsub,
    **dict.fromkeys(("mul", "multiply"), mul),
    **dict.fromkeys(("div", "divide", "true_divide", "truediv"), div),
    **dict.fromkeys(("neg", "negative"), neg),
    **dict.fromkeys(("pos", "positive"), shapes.same),
    **dict.fromkeys(("matmul", "mm", "bmm"), matmul),
    "linear": linear,
    "addmm": addmm,
    "sum": sum_,
    "mean": mean,
    **dict.fromkeys(("conv1d", "conv2d"), conv),
    **dict.fromkeys(("conv_transpose1d", "conv_transpose2d"), conv_transpose),
    "convolution": aten_convolution,
    "batch_norm": batch_norm,
    "aten_batch_norm": aten_batch_norm,
    **dict.fromkeys("dropout dropout1d dropout2d dropout3d alpha_dropout feature_dropout feature_alpha_dropout".split(), dropout),
    **{f"avg_pool{n}d": _avg_pool(n) for n in (1, 2)},
    **{f"max_pool{n}d": _max_pool(n) for n in (1, 2)},
    **{f"max_pool{n}d_with_indices": _max_pool_pair(n) for n in (1, 2)},
    **{f"adaptive_avg_pool{n}d": _adaptive_avg_pool(n) for n in (1, 2)},
    **{f"adaptive_max_pool{n}d": _adaptive_max_pool(n) for n in (1, 2)},
    **{f"aten_adaptive_max_pool{n}d": lambda low, x, size, n=n: _adaptive_max_pool(n)(low, x, size, True) for n in (1, 2)},
    "relu": relu,
    "leaky_relu": leaky_relu,
    "rrelu": rrelu,
    **dict.fromkeys(("prelu", "_prelu_kernel"), prelu),
    **dict.fromkeys(("abs", "absolute"), absolute),
    **dict.fromkeys(("clamp", "clip", "clamp_min"), clamp),
    "clamp_max": clamp_max,
    "hardtanh": hardtanh,
    "relu6": relu6,
    "hardsigmoid": hardsigmoid,
    "softshrink": softshrink,
    "gelu": gelu,
    **{name: _smooth(name) for name in ("silu", "sigmoid", "tanh")},
    "threshold": threshold,
    **dict.fromkeys(("maximum", "fmax"), maximum),
    **dict.fromkeys(("minimum", "fmin"), minimum),
    "amax": amax,
    "amin": amin,
    "max": max_,
    "min": min_,
}
