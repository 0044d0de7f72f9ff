"""Rectifiers: ReLU and its leaky relatives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from plica._lazy import cached_property
from plica._types import Array
from plica.errors import InvalidNetwork
from plica.network.operations._fold import Calculus, Fold, T
from plica.network.operations._forms import EntryForms, Pieces
from plica.network.operations._op import Shape, Stored, numbered_rows


@dataclass(frozen=True, eq=False)
class Rectifier(Fold):
    """x where x > 0, slope * x elsewhere: ReLU (0), leaky ReLU, PReLU (per channel).

    State 1 where x > 0, else 0: a pre-activation that is exactly zero belongs to the inactive side.
    """

    kind: ClassVar[str] = "rectifier"
    stored: ClassVar[dict[str, Stored]] = {"slope": Stored.FLOATS}
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

    @cached_property
    def is_relu(self) -> bool:
        return not self.slope.any()

    def state(self, x: Array) -> Array:
        return (x > 0).astype(np.int8)

    def pieces(self, states: Array, shape: Shape) -> Pieces:
        slope = np.broadcast_to(self.slope, shape).reshape(-1) if self.slope.ndim else self.slope
        return Pieces(factor=np.where(states == 1, 1.0, slope), rounds=len(self.factors) > 0)

    def forms(self, codes: Array, size: int) -> EntryForms:
        whole = len(codes) == size and codes.ndim == 1 and bool((codes == np.arange(size)).all())
        return EntryForms(codes, None if whole else codes)

    def decided(self, round_: int, states: Array, is_positive: Array) -> Array:
        return np.asarray(is_positive).astype(np.int8, copy=False)

    def walls(self, states: Array, size: int) -> EntryForms:
        neurons = np.broadcast_to(np.arange(size), states.shape)
        return EntryForms(neurons, neurons, sign=np.where(states == 1, 1, -1))

    def bends(self, neurons: Array, shape: Shape) -> Array:
        """A rectifier with slope one only changes its name."""
        return np.asarray(np.broadcast_to(self.slope, shape).reshape(-1)[neurons] != 1.0)

    def equal_entries(self, numbers: list[Array], shape: Shape) -> Array:
        x, slope = numbers[0], np.broadcast_to(self.slope, shape).reshape(-1)
        if not np.ptp(slope):
            return x
        return numbered_rows(np.stack([x.reshape(-1), slope * (x.reshape(-1) != 0)], axis=1).astype(float)).reshape(shape)

    def lipschitz(self) -> float:
        return max(1.0, float(np.abs(self.slope).max(initial=0.0)))

    def largest(self, sizes: Array) -> Array:
        return sizes * np.maximum(1.0, np.abs(self.slope))

    def by_rectifiers(self, x: T, calculus: Calculus[T]) -> T:
        return calculus.rectified(x, self.slope)

    @property
    def factors(self) -> Array:
        slope = self.slope.reshape(-1)
        return slope[(slope != 0.0) & (np.abs(slope) != 1.0)]
