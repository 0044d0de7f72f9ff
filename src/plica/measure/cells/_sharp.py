"""Vertices and outputs of a complex with small error bounds everywhere: where floats are vague, exact ones are rounded."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.geometry import Bounded, BoundedComplex, Complex

KNOWN = 2.0**-16  # of the window or of the largest output: what is known less well is computed exactly
MANY = 1_000  # vague values: from here on the maps of all cells are worth their time
FEW = 256  # one vertex in so many may be known so many times less well: sums over all of them hardly feel it
_TINY = 5e-324


@dataclass(frozen=True, eq=False)
class Sharp:
    """Positions (n, d) and values (n,) at the vertices, and bounds of how far each is from the truth."""

    positions: Array
    position_error: Array
    values: Array
    value_error: Array


def checked_complex(cx: object) -> None:
    """Refuse a network, or anything else, in the place of a complex."""
    if not isinstance(cx, Complex):
        raise InvalidInput(f"a complex is expected, got {type(cx).__name__}.", hint="plica.decompose(network, domain) gives one")


def checked_weights(cx: Complex, output: int | None, weights: object) -> Array:
    """The linear functional of the outputs that is meant: one output, or a sum of all with weights."""
    n = cx.network.n_outputs
    if weights is None:
        k = 0 if output is None else output
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or not 0 <= k < n:
            raise InvalidInput(f"there is no output {k!r}; the network has outputs 0 to {n - 1}.")
        return np.eye(n)[k]
    if output is not None:
        raise InvalidInput("both an output and weights of all outputs are given.", hint="give one of them")
    try:
        found = np.asarray(weights, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError):
        raise InvalidInput("weights of the outputs are numbers.") from None
    if found.size != n or not np.isfinite(found).all():
        raise InvalidInput(f"the network has {n} outputs, got {found.size} weights.", hint="finite numbers, one for each output")
    return found


def bounded_values(cx: Complex, weights: Array, outputs: Bounded | None = None) -> tuple[Array, Array]:
    """A functional of the outputs at the vertices (or of the given outputs), and a bound of its error."""
    if not weights.any():
        n = cx.n_vertices if outputs is None else len(outputs.values)
        return np.zeros(n), np.zeros(n)
    y = cx.bounded_outputs() if outputs is None else outputs
    with np.errstate(over="ignore", invalid="ignore"):
        values = y.values @ weights
        size = np.abs(y.values) @ np.abs(weights)
        error = np.sqrt((weights**2).sum()) * y.error * (1 + 1e-12) + (len(weights) + 2) * 2.0**-53 * size + _TINY
    chosen = np.flatnonzero(weights)
    if len(chosen) == 1 and weights[chosen[0]] == 1.0:
        values, error = y.values[:, chosen[0]], y.error
    return np.where(np.isfinite(values), values, 0.0), np.where(np.isfinite(values) & np.isfinite(error), error, np.inf)


def exact_value(cx: Complex, weights: Array, vertex: int) -> Fraction:
    """A functional of the outputs at a vertex."""
    return sum((Fraction(float(w)) * y for w, y in zip(weights, cx.exact_output(vertex), strict=True) if w), Fraction(0))


class SharedMaps:
    """The affine maps of all cells, computed once however many functionals ask, and the values that they give at vertices."""

    def __init__(self, cx: BoundedComplex) -> None:
        self._complex = cx
        self._maps: Bounded | None = None

    def values(self, weights: Array, vertices: Array, at: Bounded) -> tuple[Array, Array]:
        """A functional of the outputs where the vertices are, within the error of their positions, and a bound of its error."""
        if self._maps is None:
            self._maps = self._complex.bounded_maps()
        cells = self._complex.vertex_cell[vertices]
        columns, slip = self._maps.values[cells], self._maps.error[cells]
        point = np.concatenate([at.values, np.ones((len(vertices), 1))], axis=1)
        with np.errstate(over="ignore", invalid="ignore"):
            row = columns @ weights
            size = (np.abs(columns) @ np.abs(weights) * np.abs(point)).sum(axis=1)
            slopes = np.sqrt((row[:, :-1] ** 2).sum(axis=1)) + np.linalg.norm(weights) * slip[:, :-1].sum(axis=1)
            error = np.linalg.norm(weights) * (slip * np.abs(point)).sum(axis=1) + slopes * at.error
            error = error * (1 + 1e-9) + (len(weights) + point.shape[1] + 4) * 2.0**-52 * size + _TINY
            values = (row * point).sum(axis=1)
        known = np.isfinite(values) & np.isfinite(error)
        return np.where(known, values, 0.0), np.where(known, error, np.inf)


def sharp(cx: BoundedComplex, weights: Array, shared: SharedMaps | None = None) -> Sharp:
    """Vertices and values; vague ones by the maps of their cells, then anew from their hyperplanes, then exactly."""
    p = cx.bounded_vertices()
    positions, position_error = p.values.copy(), p.error.copy()
    values, value_error = (x.copy() for x in bounded_values(cx, weights))
    window = float(np.ptp(cx.vertices / 2, axis=0).max())
    known = np.isfinite(value_error)
    scale = float(np.abs(values[known]).max(initial=0.0))
    lost = np.flatnonzero(~(position_error <= KNOWN * window))
    if len(lost):
        found = cx.recomputed_vertices(lost)
        better = found.error < position_error[lost]
        positions[lost[better]], position_error[lost[better]] = found.values[better], found.error[better]
    for v in lost[~(position_error[lost] <= KNOWN * window)].tolist():
        positions[v] = [_rounded(c) for c in cx.exact_vertex(v)]
        position_error[v] = 2.0**-52 * float(np.linalg.norm(positions[v])) + _TINY

    def vague() -> Array:
        return np.flatnonzero(~(value_error <= KNOWN * scale + 1e-300))

    def learn(at: Array, found: tuple[Array, Array]) -> None:
        better = found[1] < value_error[at]
        values[at[better]], value_error[at[better]] = found[0][better], found[1][better]

    if len(at := vague()) > MANY:
        maps = SharedMaps(cx) if shared is None else shared
        learn(at, maps.values(weights, at, Bounded(positions[at], position_error[at])))
    if len(at := vague()):
        learn(at, bounded_values(cx, weights, cx.recomputed_outputs(at)))
    at = vague()
    if len(at) * FEW <= len(values):
        at = at[~(value_error[at] <= FEW * KNOWN * scale)]
    for v in at.tolist():
        values[v] = _rounded(exact_value(cx, weights, v))
        value_error[v] = 2.0**-52 * abs(values[v]) + _TINY
    return Sharp(positions, position_error, values, value_error)


def _rounded(x: Fraction) -> float:
    try:
        return float(x)
    except OverflowError:
        raise InvalidInput("the network leaves the range of floats on this domain.", hint="scale its last layer down") from None


def simplex_volumes(points: Array, error: Array) -> tuple[Array, Array]:
    """Volumes of simplices with corners (n, d + 1, d) known within ``error`` (n, d + 1), and bounds of their errors.

    A determinant whose rows change by e_i changes by at most prod (|a_i| + e_i) - prod |a_i|. Elimination with pivoting is
    exact for a matrix within d^2 2^(d - 1) units of round-off of the given one.
    """
    d = points.shape[2]
    rows = points[:, 1:] - points[:, :1]
    slip = error[:, 1:] + error[:, :1] + 2.0**-52 * np.abs(points).max(axis=(1, 2))[:, None]
    norms = np.sqrt((rows**2).sum(axis=2)) * (1 + 1e-12)
    if d == 1:
        volume = np.abs(rows[:, 0, 0])
    elif d == 2:
        volume = np.abs(rows[:, 0, 0] * rows[:, 1, 1] - rows[:, 0, 1] * rows[:, 1, 0])
    else:
        volume = np.abs(np.linalg.det(rows))
    slip = slip + d * d * 2.0 ** (d - 53) * np.sqrt((norms**2).sum(axis=1))[:, None]
    bound = (np.prod(norms + slip, axis=1) - np.prod(norms, axis=1)) * (1 + 1e-12) + 2.0**-50 * np.prod(norms + slip, axis=1)
    factorial = float(np.prod(np.arange(1, d + 1)))
    return volume / factorial, bound / factorial


def summed(values: Array, error: Array) -> tuple[float, float]:
    """A sum and a bound of its error, its own rounding included."""
    total = float(np.sum(values))
    return total, float(np.sum(error)) * (1 + 1e-9) + 2.0**-52 * max(len(values), 1) * float(np.sum(np.abs(values))) + _TINY
