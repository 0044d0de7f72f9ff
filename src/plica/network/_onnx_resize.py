"""ONNX Resize and Upsample: where each output pixel lies among the input's, for every convention they know."""

from __future__ import annotations

from collections.abc import Callable
from math import floor

import numpy as np

from plica._types import Array
from plica.network import _lowering_sampling as sampling
from plica.network._lowering import CannotLower, Lowering, Wire
from plica.network._onnx_call import Call

NEAREST: dict[str, Callable[[Array], Array]] = {
    "round_prefer_floor": lambda x: np.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: np.floor(x + 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}


def upsample(low: Lowering, call: Call) -> Wire:
    """Opsets 7 to 9: by factors, pixels counted from their corners."""
    scales = call.get("scales") if call.constant(1) is None else call.input(1)
    return _resample(low, call, np.asarray(scales, dtype=np.float64).reshape(-1), None, "asymmetric", "floor")


def resize(low: Lowering, call: Call) -> Wire:
    """Opset 10 has the inputs (x, scales); later ones (x, roi, scales, sizes)."""
    if len(call.inputs) == 2:
        return _resample(low, call, np.asarray(call.constant(1), dtype=np.float64), None, "asymmetric", "floor")
    scales, sizes = call.constant(2), call.constant(3)
    if call.get("antialias", 0) or call.get("keep_aspect_ratio_policy", "stretch") != "stretch":
        raise CannotLower("it smooths or keeps the aspect ratio")
    transform, rounding = call.get("coordinate_transformation_mode", "half_pixel"), call.get("nearest_mode", "round_prefer_floor")
    if scales is not None and scales.size:
        return _resample(low, call, np.asarray(scales, dtype=np.float64).reshape(-1), None, transform, rounding)
    if sizes is None:
        raise CannotLower("it has neither scales nor sizes")
    return _resample(low, call, None, [int(n) for n in sizes.reshape(-1)], transform, rounding)


def _resample(low: Lowering, call: Call, scales: Array | None, sizes: list[int] | None, transform: str, rounding: str) -> Wire:
    x, mode = call.x, call.get("mode", "nearest")
    axes = [a % x.rank for a in call.get("axes", range(x.rank))]
    given = scales if scales is not None else sizes
    if given is None or len(given) != len(axes):
        raise CannotLower(f"its {0 if given is None else len(given)} scales do not fit {len(axes)} axes")
    for i, dim in enumerate(axes):
        old = x.full_shape[dim]
        factor = float(scales[i]) if scales is not None else sizes[i] / old if sizes is not None else 1.0
        if x.batched and dim == 0:
            if factor != 1.0 and not (sizes is not None and sizes[i] in (1, low.batch)):
                raise CannotLower("it resizes the batch")
            continue
        new = sizes[i] if sizes is not None else floor(old * factor)
        if not np.isfinite(factor) or new < 1:
            raise CannotLower(f"it makes an axis of length {new}")
        if factor != 1.0:
            low.reserve((new, x.size // old), keep=False)
            x = _axis(low, call, x, dim - x.batched, positions(old, new, factor, transform), mode, rounding)
    return x


def _axis(low: Lowering, call: Call, x: Wire, axis: int, places: Array, mode: str, rounding: str) -> Wire:
    if mode == "nearest" and rounding in NEAREST:
        return sampling.nearest(low, x, axis, NEAREST[rounding](places))
    if mode in ("linear", "bilinear"):
        return sampling.linear(low, x, axis, places)
    if mode == "cubic":
        outside = bool(call.get("exclude_outside", 0))
        return sampling.cubic(low, x, axis, places, a=call.get("cubic_coeff_a", -0.75), exclude_outside=outside)
    raise CannotLower(f"its mode {mode!r} with {rounding!r} is not known")


def positions(old: int, new: int, factor: float, transform: str) -> Array:
    """Where the pixels of the output lie among those of the input."""
    i = np.arange(new)
    if transform == "align_corners":
        return i * ((old - 1) / (new - 1)) if new > 1 else np.zeros(1)
    if transform == "asymmetric":
        return i / factor
    half = (i + 0.5) / factor - 0.5
    if transform == "half_pixel" or (transform == "pytorch_half_pixel" and new > 1):
        return half
    if transform == "pytorch_half_pixel":
        return np.zeros(1)
    if transform == "half_pixel_symmetric":
        return old / 2 * (1 - new / (factor * old)) + half
    raise CannotLower(f"its coordinates {transform!r} are not known")
