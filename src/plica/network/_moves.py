"""Affine operations without weights: they move entries, and join or add tensors."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar

import numpy as np

from plica._types import Array
from plica.errors import InvalidNetwork
from plica.network._affine import Affine, Shape, padded


@dataclass(frozen=True, eq=False)
class Reshape(Affine):
    """The same entries in another shape."""

    kind: ClassVar[str] = "reshape"
    shape: Shape

    def output_shape(self, *shapes: Shape) -> Shape:
        if prod(self.shape) != prod(shapes[0]):
            raise InvalidNetwork(f"a tensor of shape {shapes[0]} cannot be reshaped to {self.shape}.")
        return self.shape

    def settings(self) -> dict[str, Any]:
        return {"shape": list(self.shape)}

    def linear(self, xs: list[Array], coefficients: Array | None) -> Array:
        return xs[0].reshape(len(xs[0]), *self.shape)


@dataclass(frozen=True, eq=False)
class Permute(Affine):
    """The axes in another order (counted without the batch)."""

    kind: ClassVar[str] = "permute"
    axes: Shape

    def output_shape(self, *shapes: Shape) -> Shape:
        if sorted(self.axes) != list(range(len(shapes[0]))):
            raise InvalidNetwork(f"axes {self.axes} do not permute a tensor of shape {shapes[0]}.")
        return tuple(shapes[0][a] for a in self.axes)

    def settings(self) -> dict[str, Any]:
        return {"axes": list(self.axes)}

    def linear(self, xs: list[Array], coefficients: Array | None) -> Array:
        return xs[0].transpose(0, *(a + 1 for a in self.axes))


@dataclass(frozen=True, eq=False)
class Pad(Affine):
    """Zeros around the tensor: ``padding`` has one (before, after) pair for each axis."""

    kind: ClassVar[str] = "pad"
    padding: tuple[tuple[int, int], ...]

    def output_shape(self, *shapes: Shape) -> Shape:
        (shape,) = shapes
        if len(self.padding) != len(shape) or min(min(p) for p in self.padding) < 0:
            raise InvalidNetwork(f"padding {self.padding} does not fit a tensor of shape {shape}.")
        return tuple(n + a + b for n, (a, b) in zip(shape, self.padding, strict=True))

    def settings(self) -> dict[str, Any]:
        return {"padding": [list(p) for p in self.padding]}

    def linear(self, xs: list[Array], coefficients: Array | None) -> Array:
        return padded(xs[0], self.padding)


@dataclass(frozen=True, eq=False)
class Gather(Affine):
    """Entries of the flattened tensor, by index; the output has the shape of ``indices``. Slices and splits are gathers."""

    kind: ClassVar[str] = "gather"
    indices: Array

    def output_shape(self, *shapes: Shape) -> Shape:
        size = prod(shapes[0])
        if self.indices.size == 0 or self.indices.min() < 0 or self.indices.max() >= size:
            raise InvalidNetwork(f"gather indices leave a tensor of shape {shapes[0]}.")
        return self.indices.shape

    def arrays(self) -> dict[str, Array]:
        return {"indices": self.indices}

    def linear(self, xs: list[Array], coefficients: Array | None) -> Array:
        return xs[0].reshape(len(xs[0]), -1)[:, self.indices]

    def gain(self) -> float:
        return float(np.sqrt(np.bincount(self.indices.reshape(-1)).max())) * (1 + 1e-6)


@dataclass(frozen=True, eq=False)
class Concat(Affine):
    """Several tensors side by side along one axis (counted without the batch)."""

    kind: ClassVar[str] = "concat"
    n_inputs: ClassVar[int | None] = None
    axis: int

    def output_shape(self, *shapes: Shape) -> Shape:
        first = shapes[0]
        if not 0 <= self.axis < len(first):
            raise InvalidNetwork(f"axis {self.axis} of a concatenation does not exist in a tensor of shape {first}.")
        rest = {(*s[: self.axis], *s[self.axis + 1 :]) if len(s) == len(first) else s for s in shapes}
        if len({len(s) for s in shapes}) != 1 or len(rest) != 1:
            raise InvalidNetwork(f"tensors of shapes {shapes} cannot be concatenated along axis {self.axis}.")
        return (*first[: self.axis], sum(s[self.axis] for s in shapes), *first[self.axis + 1 :])

    def settings(self) -> dict[str, Any]:
        return {"axis": self.axis}

    def linear(self, xs: list[Array], coefficients: Array | None) -> Array:
        return np.concatenate(xs, axis=self.axis + 1)


@dataclass(frozen=True, eq=False)
class Add(Affine):
    """The sum of several tensors of one shape: residual connections."""

    kind: ClassVar[str] = "add"
    n_inputs: ClassVar[int | None] = None

    def output_shape(self, *shapes: Shape) -> Shape:
        if len(set(shapes)) != 1:
            raise InvalidNetwork(f"tensors of shapes {shapes} cannot be added.", hint="broadcasting is not supported here")
        return shapes[0]

    def linear(self, xs: list[Array], coefficients: Array | None) -> Array:
        y = xs[0]
        for x in xs[1:]:
            y = y + x
        return y

    def n_terms(self) -> int:
        return 2
