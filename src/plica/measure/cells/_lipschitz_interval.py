"""The interval bound of Lipschitz constants: derivatives as intervals, pushed through the network entry by entry.

A unit that is in one state on the whole domain multiplies by one number, any other by an interval. The complex tells which is
which; the rest is what interval arithmetic makes of it, so that the bound shows what is lost by treating units as independent.
"""

from __future__ import annotations

import numpy as np

from plica._types import Array
from plica.geometry import Complex
from plica.network import Affine, Fold, walk

Range = tuple[Array, Array]  # least and largest derivatives, (inputs, *shape of the tensor)


def derivative_ranges(cx: Complex) -> Range:
    """Bounds of all derivatives of the outputs by the inputs over the domain, (inputs, outputs) each.

    Examples
    --------
    >>> import plica
    >>> from plica.network import Linear, Network, Rectifier
    >>> net = Network.sequential(1, [Linear(np.array([[1.0], [-1.0]])), Rectifier(), Linear(np.array([[1.0, 1.0]]))])  # |x|
    >>> [x.tolist() for x in derivative_ranges(plica.decompose(net, plica.Box([-1], [1])))]
    [[[-1.0]], [[1.0]]]
    """
    network = cx.network
    start = np.eye(network.n_inputs).reshape(network.n_inputs, *network.input_shape)
    ((low, high),) = walk(network, _Ranges(cx), {0: (start, start)}).values()
    return low.reshape(network.n_inputs, -1), high.reshape(network.n_inputs, -1)


class _Ranges:
    """A semantics: intervals of derivatives; and a calculus for folds that are sums of rectifiers."""

    def __init__(self, cx: Complex) -> None:
        self._complex = cx

    def affine(self, index: int, op: Affine, xs: list[Range]) -> Range:
        lows, highs = [x[0] for x in xs], [x[1] for x in xs]
        c = op.coefficients
        if c is None:
            return op.linear(lows, None), op.linear(highs, None)
        up, down = np.maximum(c, 0.0), np.minimum(c, 0.0)
        return op.linear(lows, up) + op.linear(highs, down), op.linear(highs, up) + op.linear(lows, down)

    def fold(self, index: int, op: Fold, x: Range, layer: int) -> Range:
        low, high = op.by_rectifiers(x, self)
        if not op.folds_once:
            return low, high
        states = self._complex.layer_states(layer).reshape(self._complex.n_cells, *low.shape[1:])
        is_on = states.all(axis=0)
        is_off = ~states.any(axis=0)
        off = op.by_rectifiers(x, _Off())
        low, high = np.where(is_on, x[0], low), np.where(is_on, x[1], high)
        return np.where(is_off, off[0], low), np.where(is_off, off[1], high)

    def rectified(self, x: Range, slope: Array) -> Range:
        a, b = _times(x, slope)
        return np.minimum(a, x[0]), np.maximum(b, x[1])

    def moved(self, x: Range, offset: float) -> Range:
        return x

    def combined(self, a: Range, b: Range, factor: float) -> Range:
        low, high = _times(b, np.array(factor))
        return a[0] + low, a[1] + high

    def taken(self, x: Range, indices: Array) -> Range:
        low, high = (part.reshape(len(part), -1)[:, indices] for part in x)
        return low, high


class _Off(_Ranges):
    """The same where every rectifier is off."""

    def __init__(self) -> None:
        pass

    def rectified(self, x: Range, slope: Array) -> Range:
        return _times(x, slope)


def _times(x: Range, factor: Array) -> Range:
    a, b = x[0] * factor, x[1] * factor
    return np.minimum(a, b), np.maximum(a, b)
