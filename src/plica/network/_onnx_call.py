"""One node of an ONNX graph with the values of its inputs: how its arguments are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plica._types import Array
from plica.network._lowering import CannotLower, Wire


@dataclass(frozen=True)
class Call:
    """One node: operator, attributes, the values of its inputs, how many outputs it has."""

    kind: str
    attributes: dict[str, Any]
    inputs: list[Any]
    n_outputs: int

    def get(self, name: str, default: Any = None) -> Any:
        return self.attributes.get(name, default)

    def input(self, i: int) -> Any:
        return self.inputs[i] if i < len(self.inputs) else None

    @property
    def x(self) -> Wire:
        x = self.input(0)
        if not isinstance(x, Wire):
            raise CannotLower("its first input does not depend on the input of the model")
        return x

    def constant(self, i: int) -> Array | None:
        """Input i, which must not depend on the input of the model."""
        value = self.input(i)
        if isinstance(value, Wire):
            raise CannotLower("its arguments depend on the input of the model")
        return value if value is None else np.asarray(value)

    def numbers(self, i: int, name: str) -> list[int] | None:
        """Integers that older versions store as an attribute and newer ones as input i."""
        value = self.constant(i)
        found = self.get(name) if value is None else value.reshape(-1).tolist()
        return None if found is None else [int(v) for v in found]


def pads_of(call: Call, sizes: Sequence[int], spans: Sequence[int], strides: Sequence[int]) -> list[tuple[int, int]]:
    """(before, after) for each spatial axis, from ``pads`` or ``auto_pad``."""
    auto, n = call.get("auto_pad", "NOTSET"), len(sizes)
    if auto in ("SAME_UPPER", "SAME_LOWER"):
        totals = [max((-(-m // s) - 1) * s + k - m, 0) for m, k, s in zip(sizes, spans, strides, strict=True)]
        small = [(t // 2, t - t // 2) for t in totals]
        return small if auto == "SAME_UPPER" else [(b, a) for a, b in small]
    pads = call.get("pads", [0] * (2 * n)) if auto == "NOTSET" else [0] * (2 * n)
    if len(pads) != 2 * n or min(pads) < 0:
        raise CannotLower(f"its pads {pads} do not fit {n} axes")
    return list(zip(pads[:n], pads[n:], strict=True))
