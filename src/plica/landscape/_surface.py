"""The loss on a plane of weights, sampled where it bends: a grid that is refined until interpolation agrees.

At all points together the first layer that moves costs three products, as W(u, v) x = W x + u D x + v E x; only what follows
is computed for each point. Between the points values are estimates, with the error of interpolation seen at the last refinement.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._show import facts_html
from plica._types import Array
from plica.errors import InvalidInput
from plica.geometry import Budget, Meter, tick, watched
from plica.landscape._directions import Direction, moved
from plica.landscape._entropy_cell import log_sum_exp
from plica.landscape._targets import Samples, as_network, as_samples, check_alike
from plica.network import Affine, Fold, Network, walk

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class LossSurface:
    """The loss on a rectangle of a plane of weights.

    Attributes
    ----------
    u, v
        Coordinates of the grid, multiples of the two directions.
    values
        The loss (len(u), len(v)); where ``sampled`` is False it is interpolated.
    sampled
        Where the loss was computed.
    error
        The largest difference between interpolation and loss where the last refinement looked, not where it stopped before.
    tolerance
        Squares were divided until the difference was below this.
    n_evaluations, seconds
        What it cost.
    """

    loss: str
    u: Array
    v: Array
    values: Array
    sampled: Array
    error: float
    tolerance: float
    n_evaluations: int
    seconds: float
    kind: str = "estimated"

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Levels of the loss."""
        from plica.plot import plot_loss_surface

        return plot_loss_surface(self, ax=ax)

    def triangles(self) -> tuple[Array, Array]:
        """Points (u, v, loss) and triangles of the surface."""
        n, m = self.values.shape
        uu, vv = np.meshgrid(self.u, self.v, indexing="ij")
        corner = (np.arange(n - 1)[:, None] * m + np.arange(m - 1)).reshape(-1)
        lower = np.stack([corner, corner + m, corner + m + 1], axis=1)
        upper = np.stack([corner, corner + m + 1, corner + 1], axis=1)
        return np.stack([uu.reshape(-1), vv.reshape(-1), self.values.reshape(-1)], axis=1), np.concatenate([lower, upper])

    def to_meshio(self) -> Any:
        """The surface as a ``meshio.Mesh``, with the loss at its points: ``.write("surface.vtk")``, ``.ply``, ``.obj``."""
        from plica.geometry.export import imported

        points, triangles = self.triangles()
        data = {"loss": self.values.reshape(-1), "sampled": self.sampled.reshape(-1).astype(np.int32)}
        return imported("meshio").Mesh(points, [("triangle", triangles)], point_data=data)

    def table(self) -> list[dict[str, float]]:
        """All points that were computed."""
        return [
            {"u": float(self.u[i]), "v": float(self.v[j]), "loss": float(self.values[i, j])} for i, j in np.argwhere(self.sampled)
        ]

    def __repr__(self) -> str:
        return (
            f"<LossSurface of the {self.loss} loss: {self.values.shape[0]} x {self.values.shape[1]} points, "
            f"{self.n_evaluations:,} computed, {self.values.min():.4g} to {self.values.max():.4g}, "
            f"estimated within {self.error:.1e}>"
        )

    def _repr_html_(self) -> str:
        return facts_html(self, {"computed": self.n_evaluations, "error": self.error, "seconds": self.seconds})


def loss_surface(
    model: Any,
    x: Any,
    y: Any,
    directions: tuple[Direction, Direction],
    *,
    loss: str = "squared",
    reach: float = 1.0,
    coarse: int = 8,
    levels: int = 2,
    tolerance: float | None = None,
    dtype: Any = np.float64,
    budget: Budget | None = None,
    progress: Callable[[dict[str, Any]], None] | None = None,
) -> LossSurface:
    """Sample the loss on the square of a plane through a model.

    Parameters
    ----------
    model
        A network or a torch module.
    x, y, loss
        As in :func:`plica.landscape.loss_line`.
    directions
        Two directions that span the plane.
    reach
        The square is [-reach, reach]^2 in multiples of the directions.
    coarse, levels
        The grid begins with ``coarse`` squares a side, each of which may be divided in four ``levels`` times.
    tolerance
        Squares in which interpolation misses by less are not divided; a hundredth of the range seen at first if not given.
    dtype
        ``numpy.float32`` is twice as fast.

    Examples
    --------
    >>> from plica.learn import mlp
    >>> from plica.landscape import random_direction
    >>> model = mlp([2, 8, 1])
    >>> x = np.random.default_rng(0).normal(size=(20, 2))
    >>> surface = loss_surface(model, x, x[:, :1], (random_direction(model, seed=0), random_direction(model, seed=1)))
    >>> surface.values.shape, surface.n_evaluations < surface.values.size
    ((33, 33), True)
    """
    if coarse < 2 or not 0 <= levels <= 8 or not reach > 0:
        raise InvalidInput(f"coarse = {coarse}, levels = {levels}, reach = {reach}.", hint="at least 2, 0 to 8, positive")
    begun = perf_counter()
    center = as_network(moved(model), x)
    ends = tuple(as_network(moved(model, (1.0, d)), x) for d in directions)
    for end in ends:
        check_alike(center, end)
    samples = as_samples(center, x, y, loss)
    with watched(Meter(budget or Budget(), levels + 1)):
        evaluate = PlaneLoss(center, ends, samples, dtype)
        return _refined(evaluate, samples.loss, reach, coarse, levels, tolerance, progress, begun)


def _refined(
    evaluate: PlaneLoss,
    loss: str,
    reach: float,
    coarse: int,
    levels: int,
    tolerance: float | None,
    progress: Callable[[dict[str, Any]], None] | None,
    begun: float,
) -> LossSurface:
    u = np.linspace(-reach, reach, coarse + 1)
    values = np.array([[evaluate(a, b) for b in u] for a in u])
    sampled = np.ones_like(values, dtype=bool)
    wanted = np.ptp(values) / 100 if tolerance is None else tolerance
    divide = np.ones((coarse, coarse), dtype=bool)
    error = np.inf if levels == 0 else 0.0
    for level in range(levels):
        n = len(u)
        u = np.linspace(-reach, reach, 2 * n - 1)
        values, sampled = _interpolated(values), _spread(sampled)
        seen = values.copy()
        misses = np.zeros((n - 1, n - 1))
        for i, j in np.argwhere(divide):
            for a, b in ((1, 0), (0, 1), (2, 1), (1, 2), (1, 1)):
                p, q = 2 * i + a, 2 * j + b
                if not sampled[p, q]:
                    values[p, q], sampled[p, q] = evaluate(u[p], u[q]), True
                misses[i, j] = max(misses[i, j], abs(values[p, q] - seen[p, q]))
        error = float(misses.max())
        divide = np.repeat(np.repeat(divide & (misses > wanted), 2, axis=0), 2, axis=1)
        if progress is not None:
            progress({"level": level + 1, "n_levels": levels, "n_evaluations": int(sampled.sum()), "error": error})
    return LossSurface(loss, u, u.copy(), values, sampled, error, float(wanted), int(sampled.sum()), perf_counter() - begun)


def _interpolated(values: Array) -> Array:
    """Means of neighbors between the points of a grid."""
    n = len(values)
    rows = np.empty((2 * n - 1, n))
    rows[::2], rows[1::2] = values, (values[1:] + values[:-1]) / 2
    out = np.empty((2 * n - 1, 2 * n - 1))
    out[:, ::2], out[:, 1::2] = rows, (rows[:, 1:] + rows[:, :-1]) / 2
    return out


def _spread(sampled: Array) -> Array:
    n = len(sampled)
    out = np.zeros((2 * n - 1, 2 * n - 1), dtype=bool)
    out[::2, ::2] = sampled
    return out


class PlaneLoss:
    """The loss at points (u, v) of the plane through three networks, with what all points share computed once."""

    def __init__(self, center: Network, ends: tuple[Network, ...], samples: Samples, dtype: Any = np.float64) -> None:
        self._center, self._samples = center, samples
        self._numbers = [_numbers(node.op, [e.nodes[i].op for e in ends], dtype) for i, node in enumerate(center.nodes)]
        self._shared: dict[int, list[Array]] = {}
        self._x = samples.x.reshape(len(samples.x), *center.input_shape).astype(dtype)
        self._start = next((i for i, n in enumerate(self._numbers) if n is not None and n.moves), len(center.nodes) - 1)
        self._before = walk(center, _Fixed(self._numbers), {0: self._x}, stop=self._start)
        op = center.nodes[self._start].op
        moving = self._numbers[self._start]
        xs = [self._before[j] for j in center.nodes[self._start].inputs]
        self._products = [] if moving is None else [op.linear(xs, c) for c in moving.coefficients]  # type: ignore[attr-defined]

    def __call__(self, u: float, v: float) -> float:
        """The mean loss at one point."""
        tick()
        semantics = _AtPoint(self._numbers, (1.0, u, v), self._start, self._products)
        (f,) = walk(self._center, semantics, dict(self._before), start=self._start).values()
        f, targets = f.reshape(len(f), -1), self._samples.targets
        if self._samples.loss == "squared":
            return float(np.mean(np.square(f - targets), dtype=np.float64))
        if self._samples.loss == "absolute":
            return float(np.mean(np.abs(f - targets), dtype=np.float64))
        return float(np.mean(log_sum_exp(f) - f[np.arange(len(f)), targets], dtype=np.float64))


@dataclass(frozen=True, eq=False)
class _Numbers:
    """Coefficients and offsets of an operation: of the center, and what each direction adds."""

    coefficients: list[Array]
    offsets: list[Array]
    moves: bool


def _numbers(op: Any, others: list[Any], dtype: Any) -> _Numbers | None:
    if not isinstance(op, Affine) or op.coefficients is None:
        return None
    zero = np.zeros((), dtype=dtype)
    ops: list[Affine] = [op, *others]
    matrices = [np.asarray(o.coefficients) for o in ops]
    offsets = [zero if o.offset is None else np.asarray(o.offset) for o in ops]
    parts = [[group[0], *(g - group[0] for g in group[1:])] for group in (matrices, offsets)]
    return _Numbers(
        [p.astype(dtype) for p in parts[0]],
        [np.asarray(p, dtype=dtype) for p in parts[1]],
        any(bool(p.any()) for group in parts for p in group[1:]),
    )


class _Fixed:
    """A semantics: values at the center, in the wanted precision."""

    def __init__(self, numbers: list[_Numbers | None]) -> None:
        self._numbers = numbers

    def affine(self, index: int, op: Affine, xs: list[Array]) -> Array:
        own = self._numbers[index]
        return op.apply(xs) if own is None else np.asarray(op.linear(xs, own.coefficients[0]) + own.offsets[0])

    def fold(self, index: int, op: Fold, x: Array, layer: int) -> Array:
        return op.apply([x]).astype(x.dtype, copy=False)


class _AtPoint(_Fixed):
    """A semantics: values at one point of the plane."""

    def __init__(self, numbers: list[_Numbers | None], weights: tuple[float, ...], start: int, products: list[Array]) -> None:
        super().__init__(numbers)
        self._weights, self._start, self._products = weights, start, products

    def affine(self, index: int, op: Affine, xs: list[Array]) -> Array:
        own = self._numbers[index]
        if own is None or not own.moves:
            return super().affine(index, op, xs)
        offset = self._mix(own.offsets)
        if index == self._start:
            return np.asarray(self._mix(self._products) + offset)
        return np.asarray(op.linear(xs, self._mix(own.coefficients)) + offset)

    def _mix(self, parts: list[Array]) -> Array:
        mixed = parts[0]
        for w, part in zip(self._weights[1:], parts[1:], strict=False):
            if w:
                mixed = mixed + part.dtype.type(w) * part
        return mixed
