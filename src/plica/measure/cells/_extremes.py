"""The least and the largest value of an output over a domain: at vertices, found among floats, settled in rationals."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.exact import to_float
from plica.geometry import BoundedComplex, Complex, UnboundedComplex, reading, tick
from plica.measure.cells._sharp import bounded_values, checked_complex, checked_weights, exact_value

FEW = 32  # candidates that are settled one by one


@dataclass(frozen=True, eq=False)
class Extreme:
    """One extreme value and where it is attained.

    Attributes
    ----------
    value
        The exact value.
    vertex, cell
        A vertex of the complex where it is attained (the lowest-numbered), and a cell there.
    point
        The parameters of that vertex; :attr:`exact_point` as fractions.
    """

    value: Fraction
    vertex: int
    cell: int
    point: Array
    exact_point: tuple[Fraction, ...]

    def __float__(self) -> float:
        return to_float(self.value.numerator, self.value.denominator)


@dataclass(frozen=True, eq=False)
class Extremes:
    """Minimum and maximum, both exact.

    Attributes
    ----------
    minimum, maximum
        The two :class:`Extreme`.
    n_exact
        How many vertices rationals looked at; error bounds have ruled out the others.
    kind
        ``"exact"``.
    """

    minimum: Extreme
    maximum: Extreme
    n_exact: int
    kind: str = "exact"

    @property
    def range(self) -> Fraction:
        """Maximum minus minimum."""
        return self.maximum.value - self.minimum.value

    def to_dict(self) -> dict[str, Any]:
        return {
            "minimum": float(self.minimum),
            "at_minimum": self.minimum.point.tolist(),
            "maximum": float(self.maximum),
            "at_maximum": self.maximum.point.tolist(),
            "kind": self.kind,
        }

    def __repr__(self) -> str:
        return f"<Extremes {float(self.minimum):.6g} to {float(self.maximum):.6g}, exact>"

    def _repr_html_(self) -> str:
        from plica._show import facts_html

        return facts_html(self, self.to_dict())


@reading
def extremes(cx: Complex, *, output: int | None = None, weights: Any = None) -> Extremes:
    """Minimum and maximum of an output, or of a sum of outputs with weights, over the domain of a complex.

    The network is affine on every cell, so its extremes are at vertices. Floats with error bounds leave a few candidates,
    rationals decide among them. The result is exact: ``found.maximum.value`` is a fraction.

    Parameters
    ----------
    cx
        What :func:`plica.decompose` returned for a bounded domain.
    output
        Number of the output; 0 by default.
    weights
        Instead of one output a linear functional of all: one weight for each.

    Examples
    --------
    >>> import numpy as np, plica
    >>> from plica.network import Linear, Network, Rectifier
    >>> net = Network.sequential(1, [Linear(np.array([[1.0], [-1.0]])), Rectifier(), Linear(np.array([[1.0, 0.5]]))])
    >>> found = extremes(plica.decompose(net, plica.Box([-1], [3])))
    >>> found, found.minimum.exact_point
    (<Extremes 0 to 3, exact>, (Fraction(0, 1),))
    """
    checked_complex(cx)
    if isinstance(cx, UnboundedComplex):
        raise InvalidInput("over all of R^n an output may have no extremes.", hint="decompose a bounded domain: plica.Box")
    chosen = checked_weights(cx, output, weights)
    values, error = bounded_values(cx, chosen)
    low, n_low = least(cx, chosen, values, error)
    high, n_high = least(cx, -chosen, -values, error)
    return Extremes(low, negated(high), n_low + n_high)


def maximum(cx: BoundedComplex, output: int) -> Extreme:
    """The largest value of an output alone, exactly."""
    weights = checked_weights(cx, output, None)
    values, error = bounded_values(cx, weights)
    return negated(least(cx, -weights, -values, error)[0])


def negated(x: Extreme) -> Extreme:
    return Extreme(-x.value, x.vertex, x.cell, x.point, x.exact_point)


def _candidates(cx: Complex, weights: Array, values: Array, error: Array) -> tuple[Array, Array, Array]:
    """Vertices that bounds do not rule out, least value first, with values and bounds; computed anew where there are many."""
    with np.errstate(invalid="ignore"):
        found = np.flatnonzero(~(values - error > (values + error).min()))
    near, slip = values[found], error[found]
    if len(found) > FEW and isinstance(cx, BoundedComplex):
        again, narrow = bounded_values(cx, weights, cx.recomputed_outputs(found))
        near, slip = np.where(narrow < slip, again, near), np.minimum(narrow, slip)
        kept = ~(near - slip > (near + slip).min())
        found, near, slip = found[kept], near[kept], slip[kept]
    order = np.argsort(near, kind="stable")
    return found[order], near[order], slip[order]


def least(cx: Complex, weights: Array, values: Array, error: Array) -> tuple[Extreme, int]:
    """The least value, and how many vertices were asked exactly."""
    candidates, near, slip = _candidates(cx, weights, values, error)
    best: tuple[Fraction, int] | None = None
    flat: dict[int, Fraction | None] = {}  # of each region: its value, if the functional is constant there
    asked = 0
    for v, low in zip(candidates.tolist(), (near - slip).tolist(), strict=True):
        if best is not None and low > best[0]:
            continue
        tick()
        constant = None
        if len(candidates) > FEW:
            region = int(cx.regions[cx.vertex_cell[v]])
            if region not in flat:
                flat[region] = constant_value(cx, weights, int(cx.vertex_cell[v]))
            constant = flat[region]
        if constant is None:
            asked += 1
        value = exact_value(cx, weights, v) if constant is None else constant
        if best is None or (value, v) < best:
            best = (value, v)
    assert best is not None
    value, vertex = best
    point = cx.exact_vertex(vertex)
    floats = np.array([to_float(c.numerator, c.denominator) for c in point])
    return Extreme(value, vertex, int(cx.vertex_cell[vertex]), floats, point), asked


def constant_value(cx: Complex, weights: Array, cell: int) -> Fraction | None:
    """The functional on a cell, if it is constant there."""
    columns = cx.exact_map(cell)
    rows = np.array(columns.fractions(), dtype=object).reshape(columns.shape)
    exact = [Fraction(float(w)) for w in weights]
    *slopes, constant = (sum((a * w for a, w in zip(row, exact, strict=True)), Fraction(0)) for row in rows)
    return None if any(slopes) else constant
