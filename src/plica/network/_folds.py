"""The operations that fold: rectifiers, clips and maxima."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any, ClassVar

import numpy as np

from plica._types import Array
from plica.errors import InvalidNetwork
from plica.network._affine import Op, Shape


@dataclass(frozen=True, eq=False)
class Fold(Op):
    """A piecewise-linear operation. Its *state* at a point says which affine piece applies, one small integer a unit."""

    def apply(self, xs: list[Array]) -> Array:
        return self.select(xs[0], self.state(xs[0]))

    def state(self, x: Array) -> Array:
        """The state of every unit at each point of the batch."""
        raise NotImplementedError

    def select(self, x: Array, state: Array) -> Array:
        """The affine piece chosen by ``state``, at ``x``."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Rectifier(Fold):
    """x where x > 0, slope * x elsewhere: ReLU (0), leaky ReLU, PReLU (per channel), abs (-1).

    State 1 where x > 0, else 0: a pre-activation that is exactly zero belongs to the inactive side.
    """

    kind: ClassVar[str] = "rectifier"
    slope: Array = field(default_factory=lambda: np.zeros(()))

    def output_shape(self, *shapes: Shape) -> Shape:
        (shape,) = shapes
        try:
            fits = np.broadcast_shapes(shape, self.slope.shape) == shape
        except ValueError:
            fits = False
        if not fits:
            raise InvalidNetwork(f"slopes of shape {self.slope.shape} do not broadcast to a tensor of shape {shape}.")
        return shape

    def arrays(self) -> dict[str, Array]:
        return {"slope": self.slope}

    def state(self, x: Array) -> Array:
        return (x > 0).astype(np.int8)

    def select(self, x: Array, state: Array) -> Array:
        return np.where(state == 1, x, self.slope * x if self.slope.any() else 0 * x)


@dataclass(frozen=True, eq=False)
class Clip(Fold):
    """min(max(x, low), high): hard-tanh, ReLU6. State 0 at or below ``low``, 2 at or above ``high``, else 1."""

    kind: ClassVar[str] = "clip"
    low: float
    high: float

    def output_shape(self, *shapes: Shape) -> Shape:
        if not self.low < self.high:
            raise InvalidNetwork(f"a clip needs low < high, got {self.low} and {self.high}.")
        return shapes[0]

    def settings(self) -> dict[str, Any]:
        return {"low": self.low, "high": self.high}

    def state(self, x: Array) -> Array:
        return (x > self.low).astype(np.int8) + (x >= self.high).astype(np.int8)

    def select(self, x: Array, state: Array) -> Array:
        return np.where(state == 1, x, np.where(state == 0, self.low, self.high))


@dataclass(frozen=True, eq=False)
class Max(Fold):
    """Maximum over groups of entries of the flattened tensor: max-pooling, maxout, ``torch.maximum``.

    ``groups`` has the output's shape and one more axis: flat indices of the group's members, -1 for absent members
    (padding), always after the present ones. The state is the position of the winner; ties go to the lowest position.
    """

    kind: ClassVar[str] = "max"
    groups: Array

    def output_shape(self, *shapes: Shape) -> Shape:
        size = prod(shapes[0])
        g = self.groups
        if g.ndim < 1 or g.size == 0 or g.max() >= size or g.min() < -1 or (g[..., 0] < 0).any():
            raise InvalidNetwork(f"max groups leave a tensor of shape {shapes[0]} or are empty.")
        if g.shape[-1] > 127:
            raise InvalidNetwork(
                f"a maximum over {g.shape[-1]} entries is more than the 127 supported.", hint="nest smaller ones"
            )
        if ((g[..., :-1] < 0) & (g[..., 1:] >= 0)).any():
            raise InvalidNetwork("absent members of a max group must come last.")
        return g.shape[:-1]

    def arrays(self) -> dict[str, Array]:
        return {"groups": self.groups}

    def members(self, x: Array) -> Array:
        """The entries by group; absent ones repeat the first member, which never wins a tie against itself."""
        first = self.groups[..., :1]
        return x.reshape(len(x), -1)[:, np.where(self.groups < 0, first, self.groups)]

    def state(self, x: Array) -> Array:
        return self.members(x).argmax(-1).astype(np.int8)

    def select(self, x: Array, state: Array) -> Array:
        return np.take_along_axis(self.members(x), state[..., None].astype(np.intp), axis=-1)[..., 0]
