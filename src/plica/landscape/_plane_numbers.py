"""The numbers of a network's operations on a plane of weights: those of the center, and what each direction adds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from plica._types import Array
from plica.network import Affine


class Row(NamedTuple):
    """A dense layer on a row of the plane: what it is at v = 0 and what v adds; weights (in, out)."""

    coefficients: tuple[Array, Array]
    offset: tuple[Array, Array]

    def at(self, v: Any) -> tuple[Array, Array]:
        """Weights and offset at one point of the row."""
        return self.coefficients[0] + v * self.coefficients[1], self.offset[0] + v * self.offset[1]


@dataclass(frozen=True, eq=False)
class Numbers:
    """Coefficients and offsets of an operation: of the center, and what each direction adds."""

    coefficients: list[Array]
    offsets: list[Array]
    moves: bool

    @staticmethod
    def of(op: Any, others: list[Any], dtype: Any) -> Numbers | None:
        """From the operation at the center and at the ends of the directions; None for one without numbers."""
        if not isinstance(op, Affine) or op.coefficients is None:
            return None
        zero = np.zeros((), dtype=dtype)
        ops: list[Affine] = [op, *others]
        matrices = [np.asarray(o.coefficients) for o in ops]
        offsets = [zero if o.offset is None else np.asarray(o.offset) for o in ops]
        parts = [[group[0], *(g - group[0] for g in group[1:])] for group in (matrices, offsets)]
        return Numbers(
            [p.astype(dtype) for p in parts[0]],
            [np.asarray(p, dtype=dtype) for p in parts[1]],
            any(bool(p.any()) for group in parts for p in group[1:]),
        )

    @property
    def size(self) -> int:
        """How many numbers there are at a point."""
        return self.coefficients[0].size + self.offsets[0].size

    def at(self, u: float, v: float) -> tuple[Array, Array]:
        """Coefficients and offset at one point of the plane."""
        return mixed(self.coefficients, u, v), mixed(self.offsets, u, v)

    def along(self, u: float) -> Row:
        """Of a dense layer, on a row of the plane."""
        w0, w1 = (np.ascontiguousarray(w.T) for w in on_row(self.coefficients, u))
        b0, b1 = (np.broadcast_to(b, w0.shape[1:]) for b in on_row(self.offsets, u))
        return Row((w0, w1), (b0, b1))


def on_row(parts: list[Array], u: float) -> tuple[Array, Array]:
    """Numbers at v = 0, and what v adds."""
    center, d, e = (*parts, *[np.zeros_like(parts[0])] * 2)[:3]
    return np.asarray(center + center.dtype.type(u) * d), e


def mixed(parts: list[Array], u: float, v: float) -> Array:
    """Numbers at a point."""
    found = parts[0]
    for w, part in zip((u, v), parts[1:], strict=False):
        if w:
            found = found + part.dtype.type(w) * part
    return found
