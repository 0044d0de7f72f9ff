"""What is left of a network on a tile: a list of steps, each with a few neurons that switch."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from plica._types import Array
from plica.geometry.domains._tile import Tile
from plica.geometry.values._tensors import EPS, UNDERFLOW
from plica.network import Fold

N_AFFINE = 3  # rows at the end of all columns: u, v and the constant
_SLOPES = 1024.0  # chords have slopes that are multiples of one over this, so that products with them are well known


@dataclass(eq=False)
class CutStep:
    """A layer without contests: the forms that cut, and the neurons that bend.

    ``form_columns`` and ``columns`` are those of the open forms and of the neurons' pre-activations; ``error`` bounds the error
    of each row. Neuron i has the output ``slope[i] * z + e`` with an extra variable e between ``low[i]`` and ``high[i]``.
    """

    layer: int
    positive: Array  # of all forms: whether they are positive on the tile, where that is known
    codes: Array  # of the open forms
    form_columns: Array
    neurons: Array
    columns: Array
    error: Array
    keeps_outputs: bool = False  # a maximum will compare them
    slope: Array = field(init=False)
    low: Array = field(init=False)
    high: Array = field(init=False)
    factors: Array = field(init=False)  # (states, neurons): the pieces of the neurons
    constants: Array = field(init=False)
    thresholds: Array = field(init=False)

    @property
    def n_new(self) -> int:
        return len(self.neurons)

    def set_chords(self, low: Array, high: Array) -> None:
        """Choose the slopes, given bounds of the pre-activations."""
        with np.errstate(all="ignore"):
            slope = (self.outputs(high[None])[0] - self.outputs(low[None])[0]) / (high - low)
        self.slope = np.round(np.where(np.isfinite(slope), slope, 0.0) * _SLOPES) / _SLOPES
        inner = [np.clip(t, low, high) for t in (0.0, *self.thresholds)]
        points = np.stack([low, high, *inner])
        bent = self.outputs(points) - self.slope * points
        slack = 8 * EPS * (np.abs(bent) + np.abs(self.slope * points)).max(axis=0, initial=0.0) + UNDERFLOW
        self.low, self.high = bent.min(axis=0) - slack, bent.max(axis=0) + slack

    def set_pieces(self, op: Fold, shape: tuple[int, ...]) -> None:
        """What the neurons do in each of their states."""
        size = int(np.prod(shape))
        self.thresholds = op.constants
        n_states = len(self.thresholds) + 1 if len(self.thresholds) else 2
        pieces = [op.pieces(np.full(size, s, np.int8), shape) for s in range(n_states)]
        one, zero = np.ones(size), np.zeros(size)
        self.factors = np.stack([np.broadcast_to(one if p.factor is None else p.factor, (size,))[self.neurons] for p in pieces])
        self.constants = np.stack(
            [np.broadcast_to(zero if p.constant is None else p.constant, (size,))[self.neurons] for p in pieces]
        )

    def outputs(self, z: Array) -> Array:
        """The neurons' outputs for rows of pre-activations."""
        if not len(self.thresholds):
            return np.where(z > 0.0, self.factors[1] * z, self.factors[0] * z)
        return np.clip(z, self.thresholds[0], self.thresholds[-1])


@dataclass(eq=False)
class ContestStep:
    """A layer of maxima: the groups whose winner is not known, and which members of each may win."""

    layer: int
    winner: Array  # of all groups; in open ones the first member that may win
    groups: Array
    entries: Array
    can_win: Array
    members: Array  # entries of the open groups, in order
    columns: Array  # of the members
    error: Array
    origin: Array  # of the members: the variable that one is, unchanged, counted from 1 on; 0 for none
    live: Array  # which members are not known to be zero
    low: Array = field(init=False)
    high: Array = field(init=False)
    place: Array = field(init=False)  # of each entry of the open groups among the members

    def __post_init__(self) -> None:
        self.place = np.searchsorted(self.members, self.entries)

    @property
    def n_new(self) -> int:
        return len(self.groups)

    @property
    def has_true_zeros(self) -> bool:
        """Whether some members are rectified neurons or zero: then it is known where they are zero."""
        return bool(self.origin.any() or not self.live.all())

    @property
    def first(self) -> Array:
        """The first member of each open group that may win."""
        return self.can_win.argmax(axis=1)


Step = CutStep | ContestStep


@dataclass(eq=False)
class Program:
    """Steps over variables (extra variables, u, v, 1); u and v are the tile's own coordinates."""

    tile: Tile
    center: Array
    scale: Array
    corners: Array  # (corners, 3) in own coordinates, with ones
    steps: list[Step] = field(default_factory=list)
    low: Array = field(default_factory=lambda: np.empty(0))
    high: Array = field(default_factory=lambda: np.empty(0))
    outputs: Array = field(default_factory=lambda: np.empty((0, 0)))
    outputs_error: Array = field(default_factory=lambda: np.empty(0))
    output_low: Array = field(default_factory=lambda: np.empty(0))
    output_high: Array = field(default_factory=lambda: np.empty(0))

    @classmethod
    def on(cls, tile: Tile) -> Program:
        low, high = tile.window.min(axis=0), tile.window.max(axis=0)
        center = low / 2 + high / 2
        scale = np.exp2(np.ceil(np.log2(np.maximum(high - center, center - low))))
        middle, size = [Fraction(float(c)) for c in center], [Fraction(float(s)) for s in scale]
        own = [[float((c - m) / s) for c, m, s in zip(p, middle, size, strict=True)] + [1.0] for p in tile.polygon]
        return cls(tile, center, scale, np.array(own))

    @property
    def n_extra(self) -> int:
        return len(self.low)

    def append(self, step: Step) -> None:
        self.steps.append(step)
        self.low, self.high = np.concatenate([self.low, step.low]), np.concatenate([self.high, step.high])

    @property
    def middle(self) -> Array:
        return self.low / 2 + self.high / 2

    @property
    def radius(self) -> Array:
        return (self.high / 2 - self.low / 2) * (1 + 4 * EPS) + 4 * EPS * np.maximum(np.abs(self.low), np.abs(self.high))

    def ranges(self, columns: Array, error: Array) -> tuple[Array, Array, float]:
        """Bounds of the functions with these columns on the tile, and of what rounding may add to them."""
        n = len(columns) - N_AFFINE
        at_corners = self.corners @ columns[n:]
        size = self.sizes(n)
        body = self.middle[:n] @ columns[:n]
        lengths = np.abs(columns)
        spread = self.radius[:n] @ lengths[:n]
        scale = float((size @ lengths).max(initial=0.0))
        rounding = float(size @ error) + (len(columns) + 8) * EPS * scale + UNDERFLOW
        return at_corners.min(axis=0) + body - spread, at_corners.max(axis=0) + body + spread, rounding * (1 + 1e-9)

    def sizes(self, n: int) -> Array:
        """Bounds of the absolute values of the first n extra variables and of u, v, 1."""
        return np.concatenate([np.maximum(np.abs(self.low[:n]), np.abs(self.high[:n])), np.abs(self.corners).max(axis=0) + EPS])
