"""torch's interpolate: nearest, linear, cubic and area, with its way of counting pixels."""

from __future__ import annotations

from collections.abc import Callable
from math import floor
from typing import Any

import numpy as np

from plica._types import Array
from plica.network import _lowering_sampling as sampling
from plica.network import _lowering_windows as pooling
from plica.network._lowering import CannotLower, Lowering, Wire

LINEAR = ("linear", "bilinear", "trilinear")


def interpolate(
    low: Lowering,
    input: Wire,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Wire:
    """As in ``torch.nn.functional``; every mode is a map with few terms along each axis."""
    if antialias:
        raise CannotLower("it smooths before it samples")
    old = input.shape[1:]
    if (size is None) == (scale_factor is None) or not old:
        raise CannotLower("it needs a size or a factor, and an axis to change")
    given = size if size is not None else scale_factor
    values = [given] * len(old) if isinstance(given, int | float) else list(given)
    if len(values) != len(old):
        raise CannotLower(f"it has {len(values)} sizes for {len(old)} axes")
    new = [int(v) for v in values] if size is not None else [floor(n * float(v)) for n, v in zip(old, values, strict=True)]
    steps = [
        n / m if size is not None or recompute_scale_factor else 1.0 / float(v) for n, m, v in zip(old, new, values, strict=True)
    ]
    if min(new) < 1:
        raise CannotLower(f"it makes a tensor of sizes {tuple(new)}")
    if mode == "area":
        return pooling.adaptive_average_pool(low, input, new)
    for axis, (n, m, step) in enumerate(zip(old, new, steps, strict=True), start=1):
        if n != m or step != 1.0:
            input = _axis(low, input, axis, m, step, mode, bool(align_corners))
    return input


def _axis(low: Lowering, x: Wire, axis: int, m: int, step: float, mode: str, align: bool) -> Wire:
    i = np.arange(m)
    if mode in ("nearest", "nearest-exact"):  # torch counts in single precision here, whatever the tensor
        middle = i.astype(np.float32) + np.float32(0.5 if mode == "nearest-exact" else 0.0)
        return sampling.nearest(low, x, axis, np.floor(middle * np.float32(step)))
    n = x.shape[axis]
    places: Array = i * ((n - 1) / (m - 1) if m > 1 else 0.0) if align else (i + 0.5) * step - 0.5
    if mode in LINEAR:
        return sampling.linear(low, x, axis, places)
    if mode == "bicubic":
        return sampling.cubic(low, x, axis, places)
    raise CannotLower(f"mode {mode!r} is not known")


def _aten(mode: str, *, aligns: bool) -> Callable[..., Wire]:
    """``upsample_bilinear2d`` and the like, as torch.export writes them."""

    def upsample(low: Lowering, input: Wire, output_size: Any = None, *rest: Any) -> Wire:
        align, factors = (rest[0], rest[1:]) if aligns else (None, rest)
        scales = factors[0] if len(factors) == 1 and isinstance(factors[0], list | tuple) else factors
        if scales and all(s is not None for s in scales):
            return interpolate(low, input, None, list(scales), mode, align)
        return interpolate(low, input, output_size, None, mode, align)

    return upsample


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("interpolate", "upsample"), interpolate),
    **{f"upsample_nearest{n}d": _aten("nearest", aligns=False) for n in (1, 2)},
    **{f"_upsample_nearest_exact{n}d": _aten("nearest-exact", aligns=False) for n in (1, 2)},
    "upsample_linear1d": _aten("linear", aligns=True),
    "upsample_bilinear2d": _aten("bilinear", aligns=True),
    "upsample_bicubic2d": _aten("bicubic", aligns=True),
}
