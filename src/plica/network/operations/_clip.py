"""Clips: hard-tanh, ReLU6."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from plica._types import Array
from plica.errors import InvalidNetwork
from plica.network.operations._fold import Calculus, Fold, T
from plica.network.operations._forms import EntryForms, Pieces
from plica.network.operations._op import Shape, Stored


@dataclass(frozen=True, eq=False)
class Clip(Fold):
    """min(max(x, low), high): hard-tanh, ReLU6. State 0 at or below ``low``, 2 at or above ``high``, else 1.

    Neuron k has the forms k, x - low, and size + k, high - x.
    """

    kind: ClassVar[str] = "clip"
    stored: ClassVar[dict[str, Stored]] = {"low": Stored.NUMBER, "high": Stored.NUMBER}
    forms_per_neuron: ClassVar[int] = 2
    is_homogeneous: ClassVar[bool] = False
    low: float
    high: float

    def output_shape(self, *shapes: Shape) -> Shape:
        if not self.low < self.high:
            raise InvalidNetwork(f"a clip needs low < high, got {self.low} and {self.high}.")
        return shapes[0]

    def state(self, x: Array) -> Array:
        return (x > self.low).astype(np.int8) + (x >= self.high).astype(np.int8)

    def pieces(self, states: Array, shape: Shape) -> Pieces:
        constant = np.where(states == 0, self.low, np.where(states == 2, self.high, 0.0))
        return Pieces(factor=(states == 1).astype(np.float64), constant=constant)

    def forms(self, codes: Array, size: int) -> EntryForms:
        is_low = codes < size
        return EntryForms(
            codes % size,
            codes % size,
            sign=np.where(is_low, 1, -1),
            constant=np.where(is_low, -self.low, self.high),
        )

    def decided(self, round_: int, states: Array, is_positive: Array) -> Array:
        above, below = np.split(np.asarray(is_positive), 2, axis=-1)
        return np.where(above, np.where(below, 1, 2), 0).astype(np.int8)

    def walls(self, states: Array, size: int) -> EntryForms:
        """Between: x - low and high - x; beyond a threshold, the one form that says so."""
        neurons = np.broadcast_to(np.arange(size), states.shape)
        lower = np.where(states == 0, -1, 1), np.where(states == 0, self.low, -self.low), states < 2
        upper = np.where(states == 2, 1, -1), np.where(states == 2, -self.high, self.high), states > 0
        sign, constant, is_there = (np.concatenate(pair, axis=-1) for pair in zip(lower, upper, strict=True))
        both = np.concatenate([neurons, neurons], axis=-1)
        return EntryForms(both, np.where(is_there, both, -1), sign=sign, constant=np.where(is_there, constant, 1.0))

    def equal_entries(self, numbers: list[Array], shape: Shape) -> Array:
        return numbers[0] if self.low <= 0.0 <= self.high else numbers[0] + 1  # the function zero is no longer zero

    def form_gain(self) -> float:
        return float(np.sqrt(2.0)) * (1 + 1e-12)

    def largest(self, sizes: Array) -> Array:
        return np.maximum(sizes, max(abs(self.low), abs(self.high)))

    def by_rectifiers(self, x: T, calculus: Calculus[T]) -> T:
        """low + ReLU(x - low) - ReLU(x - high)."""
        zero = np.zeros(())
        above = calculus.rectified(calculus.moved(x, -self.low), zero)
        beyond = calculus.rectified(calculus.moved(x, -self.high), zero)
        return calculus.moved(calculus.combined(above, beyond, -1.0), self.low)

    def rescaled(self, exponent: int) -> Clip:
        with np.errstate(over="ignore"):
            low, high = (float(np.clip(np.ldexp(b, -exponent), -1e300, 1e300)) for b in (self.low, self.high))
        return replace(self, low=low, high=high)

    @property
    def constants(self) -> Array:
        return np.array([self.low, self.high])
