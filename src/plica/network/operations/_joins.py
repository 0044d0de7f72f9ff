"""Affine operations on several tensors: side by side, or added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from plica._types import Array
from plica.errors import InvalidNetwork
from plica.network.operations._affine import Affine
from plica.network.operations._op import Shape, Stored, numbered_rows


@dataclass(frozen=True, eq=False)
class Concat(Affine):
    """Several tensors side by side along one axis (counted without the batch)."""

    kind: ClassVar[str] = "concat"
    n_inputs: ClassVar[int | None] = None
    stored: ClassVar[dict[str, Stored]] = {"axis": Stored.INTEGER}
    moves_entries: ClassVar[bool] = True
    axis: int

    def output_shape(self, *shapes: Shape) -> Shape:
        first = shapes[0]
        if not 0 <= self.axis < len(first):
            raise InvalidNetwork(f"axis {self.axis} of a concatenation does not exist in a tensor of shape {first}.")
        rest = {(*s[: self.axis], *s[self.axis + 1 :]) if len(s) == len(first) else s for s in shapes}
        if len({len(s) for s in shapes}) != 1 or len(rest) != 1:
            raise InvalidNetwork(f"tensors of shapes {shapes} cannot be concatenated along axis {self.axis}.")
        return (*first[: self.axis], sum(s[self.axis] for s in shapes), *first[self.axis + 1 :])

    def linear(self, xs: list[Array], coefficients: Array | None) -> Array:
        return np.concatenate(xs, axis=self.axis + 1)

    def transpose(self, g: Array, shapes: list[Shape], coefficients: Array | None = None) -> list[Array]:
        return np.split(g, np.cumsum([s[self.axis] for s in shapes])[:-1], axis=self.axis)

    def joint_lipschitz(self, constants: list[float]) -> float:
        return float(np.sqrt(np.sum(np.square(constants)))) * (1 + 1e-12)


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

    def transpose(self, g: Array, shapes: list[Shape], coefficients: Array | None = None) -> list[Array]:
        return [g] * len(shapes)

    def equal_entries(self, numbers: list[Array], shape: Shape) -> Array:
        return numbered_rows(np.stack([x.reshape(-1) for x in numbers], axis=1)).reshape(shape)

    def n_terms(self) -> int:
        return 2
