"""Sums over windows."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar

import numpy as np

from plica._types import Array
from plica.errors import InvalidNetwork
from plica.network.operations._affine import Affine, sparse_matrix
from plica.network.operations._op import Shape, Stored, numbered_rows


@dataclass(frozen=True, eq=False)
class WindowSum(Affine):
    """Sums over windows ``start:stop`` along one axis (counted without the batch). Average pooling is sums and a Scale."""

    kind: ClassVar[str] = "window-sum"
    stored: ClassVar[dict[str, Stored]] = {"axis": Stored.INTEGER, "starts": Stored.INTEGERS, "stops": Stored.INTEGERS}
    axis: int
    starts: tuple[int, ...]
    stops: tuple[int, ...]

    @property
    def windows(self) -> list[tuple[int, int]]:
        return list(zip(self.starts, self.stops, strict=True))

    def output_shape(self, *shapes: Shape) -> Shape:
        (shape,) = shapes
        if not 0 <= self.axis < len(shape) or len(self.starts) != len(self.stops) or not self.starts:
            raise InvalidNetwork(f"windows along axis {self.axis} do not fit a tensor of shape {shape}.")
        if any(not 0 <= a < b <= shape[self.axis] for a, b in self.windows):
            raise InvalidNetwork(f"a window along axis {self.axis} leaves a tensor of shape {shape}.")
        return (*shape[: self.axis], len(self.starts), *shape[self.axis + 1 :])

    def linear(self, xs: list[Array], coefficients: Array | None) -> Array:
        x = xs[0]
        before = (slice(None),) * (self.axis + 1)
        lengths = {b - a for a, b in self.windows}
        steps = set(np.diff(self.starts).tolist()) or {1}
        if len(lengths) == 1 and len(steps) == 1 and min(steps) > 0:  # equal windows at equal distances: add shifted slices
            step, first, last = steps.pop(), self.starts[0], self.starts[-1] + 1
            y = x[(*before, slice(first, last, step))].copy()
            for j in range(1, lengths.pop()):
                y += x[(*before, slice(first + j, last + j, step))]
            return y
        return np.stack([x[(*before, slice(a, b))].sum(self.axis + 1) for a, b in self.windows], axis=self.axis + 1)

    def transpose(self, g: Array, shapes: list[Shape], coefficients: Array | None = None) -> list[Array]:
        out = np.zeros(shapes[0], g.dtype)
        along = np.moveaxis(out, self.axis, 0)
        for (a, b), part in zip(self.windows, np.moveaxis(g, self.axis, 0), strict=True):
            along[a:b] += part
        return [out]

    def matrix(self, shape: Shape) -> Any:
        out_shape = self.output_shape(shape)
        position = np.moveaxis(np.arange(prod(out_shape)).reshape(out_shape), self.axis, 0)
        places = np.moveaxis(np.arange(1, prod(shape) + 1).reshape(shape), self.axis, 0)
        pairs = [(position[i], places[j]) for i, (a, b) in enumerate(self.windows) for j in range(a, b)]
        rows, columns = (np.concatenate([p.reshape(-1) for p in part]) for part in zip(*pairs, strict=True))
        return sparse_matrix(rows, columns, np.ones(len(rows)), (prod(out_shape), prod(shape)))

    def equal_entries(self, numbers: list[Array], shape: Shape) -> Array:
        along = np.moveaxis(numbers[0], self.axis, -1)
        table = np.zeros((*along.shape[:-1], len(self.starts), self.n_terms()), np.int64)
        for i, (a, b) in enumerate(self.windows):
            table[..., i, : b - a] = along[..., a:b]
        return np.moveaxis(numbered_rows(table.reshape(-1, self.n_terms())).reshape(table.shape[:-1]), -1, self.axis)

    def gain(self) -> float:
        # rows sum n_terms ones; a column is hit by as many windows as overlap there
        cover = np.zeros(max(self.stops) + 1)
        for a, b in self.windows:
            cover[a:b] += 1
        return float(np.sqrt(self.n_terms() * cover.max())) * (1 + 1e-6)

    def n_terms(self) -> int:
        return max(b - a for a, b in self.windows)
