"""Affine operations that only move entries: every entry of the output is one of the input, or zero."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar

import numpy as np

from plica._types import Array
from plica.errors import InvalidNetwork
from plica.network.operations._affine import Affine, padded, sparse_matrix
from plica.network.operations._op import Shape, Stored


@dataclass(frozen=True, eq=False)
class _Move(Affine):
    moves_entries: ClassVar[bool] = True

    def matrix(self, shape: Shape) -> Any:
        source = self.linear([np.arange(1, prod(shape) + 1).reshape(1, *shape)], None).reshape(-1)
        return sparse_matrix(np.arange(source.size), source, np.ones(source.size), (source.size, prod(shape)))

    def equal_entries(self, numbers: list[Array], shape: Shape) -> Array:
        return np.asarray(self.linear([numbers[0][None]], None)[0])


@dataclass(frozen=True, eq=False)
class Reshape(_Move):
    """The same entries in another shape."""

    kind: ClassVar[str] = "reshape"
    stored: ClassVar[dict[str, Stored]] = {"shape": Stored.SHAPE}
    shape: Shape

    def output_shape(self, *shapes: Shape) -> Shape:
        if prod(self.shape) != prod(shapes[0]):
            raise InvalidNetwork(f"a tensor of shape {shapes[0]} cannot be reshaped to {self.shape}.")
        return self.shape

    def linear(self, xs: list[Array], coefficients: Array | None) -> Array:
        return xs[0].reshape(len(xs[0]), *self.shape)

    def transpose(self, g: Array, shapes: list[Shape], coefficients: Array | None = None) -> list[Array]:
        return [g.reshape(shapes[0])]


@dataclass(frozen=True, eq=False)
class Permute(_Move):
    """The axes in another order (counted without the batch)."""

    kind: ClassVar[str] = "permute"
    stored: ClassVar[dict[str, Stored]] = {"axes": Stored.INTEGERS}
    axes: Shape

    def output_shape(self, *shapes: Shape) -> Shape:
        if sorted(self.axes) != list(range(len(shapes[0]))):
            raise InvalidNetwork(f"axes {self.axes} do not permute a tensor of shape {shapes[0]}.")
        return tuple(shapes[0][a] for a in self.axes)

    def linear(self, xs: list[Array], coefficients: Array | None) -> Array:
        return xs[0].transpose(0, *(a + 1 for a in self.axes))

    def transpose(self, g: Array, shapes: list[Shape], coefficients: Array | None = None) -> list[Array]:
        return [g.transpose(np.argsort(self.axes))]


@dataclass(frozen=True, eq=False)
class Pad(_Move):
    """Zeros around the tensor: ``padding`` has one (before, after) pair for each axis."""

    kind: ClassVar[str] = "pad"
    stored: ClassVar[dict[str, Stored]] = {"padding": Stored.PAIRS}
    padding: tuple[tuple[int, int], ...]

    def output_shape(self, *shapes: Shape) -> Shape:
        (shape,) = shapes
        if len(self.padding) != len(shape) or min(min(p) for p in self.padding) < 0:
            raise InvalidNetwork(f"padding {self.padding} does not fit a tensor of shape {shape}.")
        return tuple(n + a + b for n, (a, b) in zip(shape, self.padding, strict=True))

    def linear(self, xs: list[Array], coefficients: Array | None) -> Array:
        return padded(xs[0], self.padding)

    def transpose(self, g: Array, shapes: list[Shape], coefficients: Array | None = None) -> list[Array]:
        return [g[tuple(slice(a, a + n) for n, (a, _) in zip(shapes[0], self.padding, strict=True))]]


@dataclass(frozen=True, eq=False)
class Gather(_Move):
    """Entries of the flattened tensor, by index; the output has the shape of ``indices``. Slices and splits are gathers."""

    kind: ClassVar[str] = "gather"
    stored: ClassVar[dict[str, Stored]] = {"indices": Stored.INDICES}
    indices: Array

    def output_shape(self, *shapes: Shape) -> Shape:
        size = prod(shapes[0])
        if self.indices.size == 0 or self.indices.min() < 0 or self.indices.max() >= size:
            raise InvalidNetwork(f"gather indices leave a tensor of shape {shapes[0]}.")
        return self.indices.shape

    def linear(self, xs: list[Array], coefficients: Array | None) -> Array:
        return xs[0].reshape(len(xs[0]), -1)[:, self.indices]

    def transpose(self, g: Array, shapes: list[Shape], coefficients: Array | None = None) -> list[Array]:
        out = np.zeros(prod(shapes[0]), g.dtype)
        np.add.at(out, self.indices.reshape(-1), g.reshape(-1))
        return [out.reshape(shapes[0])]

    def gain(self) -> float:
        return float(np.sqrt(np.bincount(self.indices.reshape(-1)).max())) * (1 + 1e-6)
