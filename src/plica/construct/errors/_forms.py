r"""Tensors on boxes as affine functions of the inputs and a radius: :math:`c + G \varepsilon \pm \rho`.

Affine operations keep this form; a ReLU whose sign is not certain on the box is replaced by the line that leaves the least on
both sides. Rounding is added to the radius at each step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plica._types import Array
from plica.network import Affine, Fold, Network, walk

EPS = 2.0**-52
UNDERFLOW = 1e-300


@dataclass(eq=False)
class Form:
    """Centers (B, *shape), generators (B, d, *shape), radii (B, *shape)."""

    center: Array
    generators: Array
    radius: Array

    def spread(self) -> Array:
        """How far the values may be from the center."""
        return np.abs(self.generators).sum(1) * (1 + EPS * self.generators.shape[1]) + self.radius

    def size(self) -> Array:
        return np.abs(self.center) + self.spread()


def propagate(network: Network, center: Array, radius: Array) -> Form:
    """The output of a network on boxes given by rows of centers and radii."""
    (form,) = walk(network, OnBoxes(), {0: start_form(network, center, radius)}).values()
    return form


def start_form(network: Network, center: Array, radius: Array) -> Form:
    """The inputs on boxes, one generator for each."""
    n, d = center.shape
    shape = network.input_shape
    generators = np.zeros((n, d, d))
    generators[:, np.arange(d), np.arange(d)] = radius
    return Form(center.reshape(n, *shape), generators.reshape(n, d, *shape), np.zeros((n, *shape)))


class OnBoxes:
    """A semantics, and a calculus in which folds are formulas of rectifiers."""

    def affine(self, index: int, op: Affine, xs: list[Form]) -> Form:
        n, d = xs[0].generators.shape[:2]
        factor = op.coefficients
        center = op.apply([x.center for x in xs])
        rows = [x.generators.reshape(n * d, *x.generators.shape[2:]) for x in xs]
        generators = op.linear(rows, factor)
        absolute = None if factor is None else np.abs(factor)
        radius = op.linear([x.radius for x in xs], absolute)
        size = op.linear([x.size() for x in xs], absolute)
        if op.offset is not None:
            size = size + np.abs(op.offset)
        if op.n_terms():
            terms = self.terms(op, xs, absolute)
            radius = radius * (1 + EPS * (terms + 2)) + EPS * (terms + 3) * size + UNDERFLOW
        return Form(center, generators.reshape(n, d, *generators.shape[1:]), radius)

    def terms(self, op: Affine, xs: list[Form], absolute: Array | None) -> Array:
        """How many numbers a sum may have to round."""
        return np.array(float(max(op.n_terms(), len(xs))))

    def fold(self, index: int, op: Fold, x: Form, layer: int) -> Form:
        return op.by_rectifiers(x, self)

    def rectified(self, x: Form, slope: Array) -> Form:
        return bent(x, np.broadcast_to(slope, x.center.shape[1:]))

    def moved(self, x: Form, offset: float) -> Form:
        return _shifted(x, offset)

    def combined(self, a: Form, b: Form, factor: float) -> Form:
        return _sum(a, b, factor)

    def taken(self, x: Form, indices: Array) -> Form:
        return _taken(x, indices)


def _taken(x: Form, indices: Array) -> Form:
    n, d = x.generators.shape[:2]
    return Form(
        x.center.reshape(n, -1)[:, indices], x.generators.reshape(n, d, -1)[:, :, indices], x.radius.reshape(n, -1)[:, indices]
    )


def _shifted(x: Form, shift: float) -> Form:
    center = x.center + shift
    return Form(center, x.generators, x.radius + EPS * np.abs(center) + UNDERFLOW)


def _sum(a: Form, b: Form, factor: float = 1.0) -> Form:
    rounding = 2 * EPS * (a.size() + b.size()) + UNDERFLOW
    return Form(a.center + factor * b.center, a.generators + factor * b.generators, a.radius + b.radius + rounding)


def bent(x: Form, slope: Array, low: Array | None = None, high: Array | None = None) -> Form:
    """x where x > 0, slope * x elsewhere; where the sign is not certain, a line and what the function leaves around it.

    Where better bounds of x are known, they are ``low`` and ``high``. The function minus the line ``factor * x`` is piecewise
    linear, so that its extremes are at both ends and at zero.
    """
    if low is None or high is None:
        spread = x.spread() * (1 + 4 * EPS) + UNDERFLOW
        low, high = x.center - spread, x.center + spread
    active, inactive = low >= 0, high <= 0
    certain = active | inactive
    with np.errstate(divide="ignore", invalid="ignore"):
        chord = np.clip((high - slope * low) / (high - low), np.minimum(slope, 1.0), np.maximum(slope, 1.0))
    factor = np.where(active, 1.0, np.where(inactive, slope, chord))
    ends = np.where(certain, 0.0, np.stack([high - factor * high, slope * low - factor * low]))
    least, most = np.minimum(ends.min(0), 0.0), np.maximum(ends.max(0), 0.0)
    is_copy = factor == 1.0
    rounding = np.where(active | (is_copy & (least == most)), 0.0, 8 * EPS * np.abs(factor) * x.size() + 8 * EPS * (most - least))
    rounding = np.where(inactive & (slope == 0), 0.0, rounding + np.where(active, 0.0, UNDERFLOW))
    return Form(
        factor * x.center + (least + most) / 2,
        factor[:, None] * x.generators,
        np.abs(factor) * x.radius * (1 + 2 * EPS) + (most - least) / 2 + rounding,
    )
