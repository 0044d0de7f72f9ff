r"""Layers whose numbers are rounded, with what rounding changed: :math:`|\tilde W - W| \le E`, entry by entry.

A network with these stored numbers differs from the one with exact numbers by at most :math:`e_l = |\tilde W_l| e_{l-1} +
E_l |a_{l-1}| + E_{b,l}` after layer l, since a ReLU moves nothing further apart; :math:`|a_{l-1}|` are proved ranges.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from plica._types import Array
from plica.network import Linear

EPS = 2.0**-52
TINY = 1e-290


@dataclass(eq=False)
class RoundedLayer:
    """Weights and biases as they will be stored, and bounds of what each lost by rounding."""

    weight: Array
    bias: Array
    weight_error: Array
    bias_error: Array

    @staticmethod
    def of(layer: Linear) -> RoundedLayer:
        """A layer as it is."""
        bias = np.zeros(len(layer.weight)) if layer.bias is None else layer.bias.copy()
        return RoundedLayer(layer.weight.copy(), bias, np.zeros_like(layer.weight), np.zeros_like(bias))

    def scale(self, factor: Array, offset: Array | None) -> None:
        """Multiply what the layer makes by factors and add offsets, each number rounded once or twice."""
        n = len(self.weight)
        s = np.broadcast_to(factor, (n,))
        if (s != 1).any():
            self.weight, self.weight_error = self.weight * s[:, None], self.weight_error * np.abs(s)[:, None]
            self.weight_error = up(self.weight_error * (1 + EPS) + np.abs(self.weight) * EPS + TINY * (self.weight != 0))
            self.bias, self.bias_error = self.bias * s, self.bias_error * np.abs(s)
            self.bias_error = up(self.bias_error * (1 + EPS) + np.abs(self.bias) * EPS + TINY * (self.bias != 0))
        if offset is not None:
            is_exact = self.bias == 0
            self.bias = self.bias + np.broadcast_to(offset, (n,))
            self.bias_error = np.where(is_exact, self.bias_error, up(self.bias_error + np.abs(self.bias) * EPS))

    def rows(self, keep: Array) -> None:
        """Keep some units."""
        self.weight, self.weight_error = self.weight[keep], self.weight_error[keep]
        self.bias, self.bias_error = self.bias[keep], self.bias_error[keep]

    def columns(self, keep: Array) -> None:
        """Keep some inputs."""
        self.weight, self.weight_error = self.weight[:, keep], self.weight_error[:, keep]

    def absorb(self, column: int, value: Fraction) -> None:
        """Let an input be a constant: it moves into the biases, computed in fractions and rounded once."""
        if value == 0:
            return
        moving = np.flatnonzero((self.weight[:, column] != 0) | (self.weight_error[:, column] != 0))
        for i in moving:
            exact = Fraction(self.bias[i]) + Fraction(self.weight[i, column]) * value
            self.bias[i] = float(exact)
            lost = abs(exact - Fraction(self.bias[i])) + Fraction(self.weight_error[i, column]) * abs(value)
            self.bias_error[i] = up(self.bias_error[i] + up(float(lost)))

    def add_column(self, to: int, source: int, factor: Fraction) -> None:
        """Let one input stand for another that is a multiple of it: W[:, to] += factor W[:, source], rounded once."""
        for i in np.flatnonzero((self.weight[:, source] != 0) | (self.weight_error[:, source] != 0)):
            exact = Fraction(self.weight[i, to]) + factor * Fraction(self.weight[i, source])
            self.weight[i, to] = float(exact)
            lost = abs(exact - Fraction(self.weight[i, to])) + factor * Fraction(self.weight_error[i, source])
            self.weight_error[i, to] = up(self.weight_error[i, to] + up(float(lost)))

    def stacked(self, keep: Array, more: RoundedLayer) -> RoundedLayer:
        """Some units of this layer, and more that read the same inputs."""
        return RoundedLayer(
            np.concatenate([self.weight[keep], more.weight]),
            np.concatenate([self.bias[keep], more.bias]),
            np.concatenate([self.weight_error[keep], more.weight_error]),
            np.concatenate([self.bias_error[keep], more.bias_error]),
        )

    def beside(self, keep: Array, more: RoundedLayer) -> RoundedLayer:
        """This layer with some of its inputs, and with those and the biases of another beside them."""
        bias = self.bias + more.bias
        return RoundedLayer(
            np.concatenate([self.weight[:, keep], more.weight], axis=1),
            bias,
            np.concatenate([self.weight_error[:, keep], more.weight_error], axis=1),
            up(self.bias_error + more.bias_error + lost_in_sum(self.bias, more.bias)),
        )

    def in_float32(self) -> None:
        """Round all numbers to float32."""
        for name in ("weight", "bias"):
            exact = getattr(self, name)
            stored = exact.astype(np.float32).astype(np.float64)
            error = getattr(self, f"{name}_error")
            setattr(self, f"{name}_error", np.where(stored == exact, error, up(error + up(np.abs(stored - exact)))))
            setattr(self, name, stored)

    def error_after(self, error: Array, magnitude: Array) -> Array:
        """The bound behind this layer, from the bound before it and the largest inputs."""
        n = self.weight.shape[1]
        total = np.abs(self.weight) @ error + self.weight_error @ magnitude + self.bias_error
        return np.where(total > 0, total * (1 + (2 * n + 16) * EPS) + TINY, 0.0)

    def stored(self) -> Linear:
        return Linear(self.weight, self.bias)


def up(x: Array | float) -> Array:
    """The next larger number, and 0 for 0."""
    return np.where(np.asarray(x) > 0, np.nextafter(x, np.inf), 0.0)


def lost_in_sum(a: Array, b: Array) -> Array:
    """What rounding takes from a + b, exactly (Knuth's two-sum)."""
    total = a + b
    part = total - a
    return np.abs((a - (total - part)) + (b - part))


def coarse_up(x: Array) -> Array:
    """Numbers of at most eight bits that are not smaller, for numbers > 0; sums with them seldom round. Others become 0.

    Examples
    --------
    >>> coarse_up(np.array([0.3, 5.0, 257.0, -1.0])).tolist()
    [0.30078125, 5.0, 258.0, 0.0]
    """
    step = np.exp2(np.frexp(np.maximum(x, TINY))[1] - 8.0)
    return np.where(x > 0, np.ceil(x / step) * step, 0.0)


def product(left: RoundedLayer, columns: Array, right: RoundedLayer, rows: Array) -> tuple[Array, Array, Array, Array]:
    """W = left[:, columns] right[rows] and left[:, columns] bias, with bounds of their errors."""
    a, e_a = left.weight[:, columns], left.weight_error[:, columns]
    out = []
    for b, e_b in ((right.weight[rows], right.weight_error[rows]), (right.bias[rows, None], right.bias_error[rows, None])):
        size = np.abs(a) @ np.abs(b)
        error = (a.shape[1] + 4) * EPS * size + np.abs(a) @ e_b + e_a @ (np.abs(b) + e_b)
        out += [a @ b, np.where(size + error > 0, error * (1 + (2 * a.shape[1] + 16) * EPS) + TINY, 0.0)]
    return out[0], out[1], out[2][:, 0], out[3][:, 0]
