"""Arguments of a kernel as text, and examples of the same types made of such text: what one process tells another to compile."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

import numpy as np

_EXTENT = 4  # of examples along each axis: so that every other entry is not contiguous


def to_text(values: tuple[Any, ...]) -> str:
    """Which types the arguments have, in one line; refuses what kernels are not given.

    Examples
    --------
    >>> to_text((np.zeros((3, 2), np.int32), 7))
    '[{"array": "<i4", "n_axes": 2, "layout": "C", "is_writable": true}, 7]'
    """
    return json.dumps([_described(value) for value in values])


def from_text(text: str) -> tuple[Any, ...]:
    """Examples of arguments of these types.

    Examples
    --------
    >>> x, n = from_text('[{"array": "<i4", "n_axes": 2, "layout": "F", "is_writable": true}, 7]')
    >>> x.dtype, x.ndim, x.flags.f_contiguous, n
    (dtype('int32'), 2, True, 7)
    """
    return tuple(_example(each) for each in json.loads(text))


def _described(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        layout = "C" if value.flags.c_contiguous else "F" if value.flags.f_contiguous else "A"
        return {"array": value.dtype.str, "n_axes": value.ndim, "layout": layout, "is_writable": bool(value.flags.writeable)}
    if isinstance(value, np.generic):
        return {"number": value.dtype.str}
    if isinstance(value, tuple):
        kind = type(value)
        return {"tuple": None if kind is tuple else [kind.__module__, kind.__qualname__], "items": [*map(_described, value)]}
    if value is None or isinstance(value, (bool, int, float)):
        return value
    raise ValueError(f"kernels are not given a {type(value).__name__}")


def _example(described: Any) -> Any:
    if not isinstance(described, dict):
        return described
    if "number" in described:
        return np.dtype(described["number"]).type(0)
    if "tuple" in described:
        items = tuple(_example(each) for each in described["items"])
        if described["tuple"] is None:
            return items
        module, name = described["tuple"]
        return getattr(import_module(module), name)(*items)
    layout, shape = described["layout"], (_EXTENT,) * described["n_axes"]
    array = np.zeros(shape, np.dtype(described["array"]), order="F" if layout == "F" else "C")
    if layout == "A":
        array = array[..., ::2]
    array.flags.writeable = described["is_writable"]
    return array
