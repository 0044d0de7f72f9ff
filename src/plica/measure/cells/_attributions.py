r"""Integrated gradients along a straight path, without sampling: a finite sum over the pieces of the line.

.. math:: \mathrm{IG}_i = (x_i - b_i) \int_0^1 \partial_i f(b + t (x - b)) \, dt = (x_i - b_i) \sum_k (t_{k+1} - t_k) \, g_{k,i}

with the breakpoints :math:`t_k` of the network on the way and its gradient :math:`g_k` on each piece. In fractions the sum over
i is :math:`f(x) - f(b)` to the last bit (Sundararajan, Taly and Yan's completeness).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.exact import Dyadic, to_float
from plica.geometry import LineComplex, Segment, decompose
from plica.measure._pullback import exact_pullback, pullback
from plica.network import Network


@dataclass(frozen=True, eq=False)
class Attributions:
    """Integrated gradients of one output from a baseline to a point.

    Attributes
    ----------
    values
        One number for each input, as floats.
    error
        A certified bound of the error of each.
    exact
        The same as fractions, if they were asked for.
    change
        f(x) - f(baseline), as a fraction: what the attributions add up to.
    n_pieces
        Pieces of the network on the way.
    """

    network: Network
    x: Array
    baseline: Array
    output: int
    values: Array
    error: Array
    exact: tuple[Fraction, ...] | None
    change: Fraction
    complex: LineComplex

    @property
    def kind(self) -> str:
        """``"exact"`` or ``"certified"``."""
        return "certified" if self.exact is None else "exact"

    @property
    def n_pieces(self) -> int:
        return self.complex.n_cells

    @property
    def defect(self) -> Fraction:
        """How far the attributions miss the change: 0 for exact ones."""
        parts = self.exact if self.exact is not None else [Fraction(float(v)) for v in self.values]
        return abs(sum(parts, Fraction(0)) - self.change)

    def riemann(self, steps: int) -> Array:
        """What the usual sum of gradients at ``steps`` midpoints of equal parts gives."""
        if steps < 1:
            raise InvalidInput(f"a sum has one or more steps, got {steps}.")
        places = (np.arange(steps) + 0.5) / steps
        counts = np.bincount(np.searchsorted(self.complex.vertices[1:-1, 0], places), minlength=self.n_pieces)
        total = np.zeros(self.network.n_inputs)
        for cell in np.flatnonzero(counts):
            total += counts[cell] / steps * _gradient(self.network, self.complex, int(cell), self.output)[0]
        return (self.x - self.baseline) * total

    def __repr__(self) -> str:
        change = to_float(self.change.numerator, self.change.denominator)
        return f"<Attributions of {change:.6g} to {len(self.values)} inputs over {self.n_pieces} pieces, {self.kind}>"


def integrated_gradients(network: Network, x: Any, baseline: Any = None, *, output: int = 0, exact: bool = False) -> Attributions:
    """Integrated gradients of one output along the segment from a baseline (0 by default) to x.

    Parameters
    ----------
    network
        The network.
    x, baseline
        Points of the input space.
    output
        Number of the output.
    exact
        Add up in fractions; otherwise floats with certified error bounds.

    Examples
    --------
    >>> from plica.network import Linear, Rectifier
    >>> net = Network.sequential(2, [Linear(np.array([[1.0, -2.0]])), Rectifier()])  # max(x - 2 y, 0)
    >>> found = integrated_gradients(net, [1.0, 0.25], [0.0, 1.0], exact=True)
    >>> found.exact, found.defect
    ((Fraction(1, 5), Fraction(3, 10)), Fraction(0, 1))
    """
    end = _point(network, x, "x")
    start = np.zeros(network.n_inputs) if baseline is None else _point(network, baseline, "the baseline")
    if not 0 <= output < network.n_outputs:
        raise InvalidInput(f"there is no output {output}; the network has outputs 0 to {network.n_outputs - 1}.")
    if (start == end).all():
        raise InvalidInput("x and the baseline are one point.", hint="choose another baseline")
    cx = decompose(network, Segment(start, end))
    rows = [cx.exact_output(v)[output] for v in (0, cx.n_cells)]
    parts = _sums(network, cx, output, end - start)
    fractions = _fractions(network, cx, output, start, end) if exact else None
    values, error = parts
    if fractions is not None:
        values = np.array([to_float(f.numerator, f.denominator) for f in fractions])
        error = 2.0**-52 * np.abs(values)
    return Attributions(network, end, start, output, values, error, fractions, rows[1] - rows[0], cx)


def _point(network: Network, x: Any, name: str) -> Array:
    try:
        point = np.asarray(x, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} is not an array of numbers.") from None
    if point.size != network.n_inputs or not np.isfinite(point).all():
        raise InvalidInput(f"{name} has {point.size} numbers; the network takes {network.n_inputs} finite ones.")
    return point


def _gradient(network: Network, cx: LineComplex, cell: int, output: int) -> tuple[Array, float]:
    weights = np.zeros(network.n_outputs)
    weights[output] = 1.0
    return pullback(network, cx.pattern(cell), len(network.nodes) - 1, weights)


def _sums(network: Network, cx: LineComplex, output: int, way: Array) -> tuple[Array, Array]:
    """The attributions in floating point, and bounds of their errors."""
    t, t_error = cx.bounded_vertices()
    total, slip = np.zeros(network.n_inputs), np.zeros(network.n_inputs)
    for cell in range(cx.n_cells):
        gradient, error = _gradient(network, cx, cell, output)
        length = float(t[cell + 1, 0] - t[cell, 0])
        length_error = float(t_error[cell] + t_error[cell + 1]) + 2.0**-52
        total += length * gradient
        slip += abs(length) * error + length_error * (np.abs(gradient) + error) + 2.0**-52 * (np.abs(total) + np.abs(gradient))
    return way * total, np.abs(way) * slip * (1 + 1e-9) + 2.0**-50 * np.abs(way * total) + 5e-324


def _fractions(network: Network, cx: LineComplex, output: int, start: Array, end: Array) -> tuple[Fraction, ...]:
    weights = np.zeros(network.n_outputs)
    weights[output] = 1.0
    seed, last = Dyadic.from_floats(weights), len(network.nodes) - 1
    knots = [cx.exact_vertex(v)[0] for v in range(cx.n_cells + 1)]
    total = [Fraction(0)] * network.n_inputs
    for cell in range(cx.n_cells):
        length = knots[cell + 1] - knots[cell]
        gradient = exact_pullback(network, cx.pattern(cell), last, seed).fractions()
        total = [a + length * g if g else a for a, g in zip(total, gradient, strict=True)]
    return tuple((Fraction(float(b)) - Fraction(float(a))) * s for a, b, s in zip(start, end, total, strict=True))
