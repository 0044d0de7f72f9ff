"""The loss on a plane of weights, sampled where it bends: a grid that is refined until interpolation agrees.

The points of a row are evaluated together (``_plane_loss.py``). Between the points values are estimates, with the error of
interpolation seen at the last refinement.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._show import facts_html
from plica._types import Array
from plica.errors import InvalidInput
from plica.geometry import Budget, Meter, watched
from plica.landscape._directions import Direction, moved
from plica.landscape._plane_loss import PlaneLoss
from plica.landscape._store import RowStore
from plica.landscape._targets import as_network, as_samples, check_alike

if TYPE_CHECKING:
    from matplotlib.axes import Axes


INNER = ((1, 0), (0, 1), (2, 1), (1, 2), (1, 1))  # the points of a square that is divided: middles of sides, its middle


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
    store: str | Path | None = None,
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
    budget, progress, store
        Limits; a function that is called after each row of points; a folder for finished rows, from which an interrupted
        computation continues.

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
    keeper = None if store is None else RowStore(Path(store), (center, *ends), samples, f"{reach!r} {np.dtype(dtype)}")
    with watched(Meter(budget or Budget(), levels + 1)):
        rows = _Rows(PlaneLoss(center, ends, samples, dtype), keeper, progress)
        return _refined(rows, samples.loss, reach, coarse, levels, tolerance, begun)


@dataclass(eq=False)
class _Rows:
    """Losses at points of grids, a row at a time, kept in a folder if there is one."""

    evaluate: PlaneLoss
    keeper: RowStore | None
    progress: Callable[[dict[str, Any]], None] | None
    n_done: int = 0

    def fill(self, u: Array, values: Array, wanted: Array) -> None:
        """Compute the values that are wanted on the grid u x u."""
        chosen = np.flatnonzero(wanted.any(axis=1))
        for count, i in enumerate(chosen):
            places = np.flatnonzero(wanted[i])
            known = None if self.keeper is None else self.keeper.load(len(u), int(i), places)
            found = self.evaluate.row(float(u[i]), u[places]) if known is None else known
            if self.keeper is not None and known is None:
                self.keeper.save(len(u), int(i), places, found)
            values[i, places] = found
            self.n_done += len(places)
            if self.progress is not None:
                about = {"rows_done": count + 1, "n_rows": len(chosen), "points_a_side": len(u), "n_evaluations": self.n_done}
                self.progress(about)


def _refined(
    rows: _Rows, loss: str, reach: float, coarse: int, levels: int, tolerance: float | None, begun: float
) -> LossSurface:
    u = np.linspace(-reach, reach, coarse + 1)
    values, sampled = np.empty((coarse + 1, coarse + 1)), np.ones((coarse + 1, coarse + 1), dtype=bool)
    rows.fill(u, values, sampled)
    wanted = np.ptp(values) / 100 if tolerance is None else tolerance
    divide = np.ones((coarse, coarse), dtype=bool)
    error = np.inf if levels == 0 else 0.0
    for _ in range(levels):
        u = np.linspace(-reach, reach, 2 * len(u) - 1)
        values, sampled = _interpolated(values), _spread(sampled)
        guessed, looked = values.copy(), np.zeros_like(sampled)
        inner = [np.s_[a : a + 2 * len(divide) : 2, b : b + 2 * len(divide) : 2] for a, b in INNER]
        for part in inner:
            looked[part] |= divide
        rows.fill(u, values, looked & ~sampled)
        sampled |= looked
        misses = np.max([np.abs(values - guessed)[part] for part in inner], axis=0) * divide
        error = float(misses.max())
        divide = np.repeat(np.repeat(divide & (misses > wanted), 2, axis=0), 2, axis=1)
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
