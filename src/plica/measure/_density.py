"""How dense the folds are around data: along random lines and planes, and how many cells the data meet."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.geometry import Budget, Complex, Meter, Plane, Segment, count_regions, decompose
from plica.measure._fold_distance import _points
from plica.measure._fold_distance_cell import layers_at
from plica.network import Network

Progress = Callable[[dict[str, Any]], None]
_BATCH_ENTRIES = 8_000_000


@dataclass(frozen=True, eq=False)
class Density:
    """Cells met on random slices through data points; each count is exact, the mean is estimated.

    Attributes
    ----------
    kind
        ``"lines"`` or ``"planes"``.
    counts
        Breakpoints on each line, or cells in each square.
    size
        Length of the lines, or side of the squares.
    by_layer
        For lines (samples, layers): breakpoints made by each layer.
    own_piece
        For lines: length of the piece that holds the data point, as far as the line shows it.
    """

    kind: str
    counts: Array
    size: float
    seed: int
    by_layer: Array
    own_piece: Array

    @property
    def densities(self) -> Array:
        """Breakpoints per unit length, or cells per unit area."""
        return self.counts / self.size ** (1 if self.kind == "lines" else 2)

    @property
    def mean(self) -> float:
        """The mean density."""
        return float(self.densities.mean())

    @property
    def standard_error(self) -> float:
        """Of the mean; samples are independent."""
        return float(self.densities.std(ddof=1) / np.sqrt(len(self.counts)))

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind, "mean": self.mean, "standard_error": self.standard_error, "size": self.size, "seed": self.seed,
            "counts": self.counts.tolist(), "by_layer": self.by_layer.tolist(), "own_piece": self.own_piece.tolist(),
        }  # fmt: skip

    def __repr__(self) -> str:
        unit = "breakpoints per unit length" if self.kind == "lines" else "cells per unit area"
        return f"<Density {self.mean:.4g} ± {self.standard_error:.2g} {unit}, {len(self.counts)} {self.kind}, estimated>"

    def _repr_html_(self) -> str:
        from plica._show import facts_html

        return facts_html(self, self.to_dict())


def region_density(
    network: Network,
    data: Any,
    *,
    kind: str = "lines",
    size: float = 1.0,
    n_samples: int = 20,
    toward: str = "random",
    seed: int = 0,
    budget: Budget | None = None,
    progress: Progress | None = None,
) -> Density:
    """The density of breakpoints along random lines, or of cells in random planes, through data points.

    Parameters
    ----------
    network, data
        The network and the points, one in each row.
    kind
        ``"lines"`` or ``"planes"``.
    size
        Length of the lines, or side of the squares, with a data point in the middle.
    n_samples
        How many lines or planes. Each goes through a data point drawn anew.
    toward
        ``"random"`` directions are uniform on the sphere; ``"data"`` points from one data point to others.
    seed
        Of the draws.
    budget
        Limits of the whole; ``max_cells`` those of one line or plane.

    Examples
    --------
    >>> from plica.network import random_network
    >>> net = random_network([8, 16, 16, 1], seed=0, weights="he-normal", bias_std=0.5)
    >>> points = np.random.default_rng(0).normal(size=(50, 8))
    >>> region_density(net, points, size=2.0, n_samples=10)
    <Density ... breakpoints per unit length, 10 lines, estimated>
    """
    points = _points(network, data)
    if kind not in ("lines", "planes"):
        raise InvalidInput(f"kind={kind!r} is neither lines nor planes.")
    if toward not in ("random", "data"):
        raise InvalidInput(f"toward={toward!r} is neither random nor data.")
    n_directions = 1 if kind == "lines" else 2
    if not (np.isfinite(size) and size > 0) or n_samples < 2:
        raise InvalidInput(f"size must be positive and n_samples at least 2, got {size} and {n_samples}.")
    if n_directions > network.n_inputs or (toward == "data" and len(points) <= n_directions):
        raise InvalidInput(f"{len(points)} points in R^{network.n_inputs} do not give {n_directions} independent directions.")
    rng, meter = np.random.default_rng(seed), Meter(budget or Budget(), len(network.layers))
    counts, layers, pieces = [], [], []
    for i in range(n_samples):
        x, directions = _draw(points, rng, n_directions, toward)
        if kind == "lines":
            line = decompose(network, Segment(x - size / 2 * directions[0], x + size / 2 * directions[0]), budget=meter.rest())
            t, made = line.vertices[:, 0], line.facet_layer
            own = int(np.clip(np.searchsorted(t, 0.5, side="right") - 1, 0, len(t) - 2))
            counts.append(line.n_cells - 1)
            layers.append(np.bincount(made[made >= 0], minlength=len(network.layers)))
            pieces.append(size * (t[own + 1] - t[own]))
        else:
            square = Plane.box(x, directions[0], directions[1], low=(-size / 2,) * 2, high=(size / 2,) * 2)
            counts.append(count_regions(network, square, cells_only=True, budget=meter.rest()).n_cells)
        if progress is not None:
            progress({"samples_done": i + 1, "n_samples": n_samples, "n_cells": int(np.sum(counts))})
    by_layer = np.array(layers) if layers else np.zeros((0, len(network.layers)), int)
    return Density(kind, np.array(counts), float(size), seed, by_layer, np.array(pieces))


def _draw(points: Array, rng: np.random.Generator, n: int, toward: str) -> tuple[Array, Array]:
    """A data point and orthonormal directions."""
    while True:
        chosen = rng.choice(len(points), n + 1, replace=len(points) <= n)
        x = points[chosen[0]]
        rows = points[chosen[1:]] - x if toward == "data" else rng.standard_normal((n, points.shape[1]))
        q, r = np.linalg.qr(rows.T)
        diagonal = np.abs(np.diag(r))
        if diagonal.min() > 1e-9 * diagonal.max():
            return x, q.T


@dataclass(frozen=True, eq=False)
class DataCells:
    """The cells that a data set meets.

    Attributes
    ----------
    cell
        A number for each point: equal for points in the same cell.
    """

    cell: Array

    @property
    def n_points(self) -> int:
        return len(self.cell)

    @property
    def n_cells(self) -> int:
        """The number of different cells."""
        return int(self.cell.max()) + 1

    @property
    def largest(self) -> int:
        """The most points in one cell."""
        return int(np.bincount(self.cell).max())

    @property
    def n_alone(self) -> int:
        """Points with a cell of their own."""
        return int((np.bincount(self.cell) == 1).sum())

    def to_dict(self) -> dict[str, Any]:
        return {"n_points": self.n_points, "n_cells": self.n_cells, "largest": self.largest, "n_alone": self.n_alone}

    def __repr__(self) -> str:
        return f"<DataCells {self.n_cells:,} cells met by {self.n_points:,} points, {self.n_alone:,} alone, exact>"

    def _repr_html_(self) -> str:
        from plica._show import facts_html

        return facts_html(self, self.to_dict())


def data_cells(network: Network, data: Any, *, progress: Progress | None = None) -> DataCells:
    """Which points of a data set share a cell. States are decided by error bounds, or exactly where these do not suffice.

    Examples
    --------
    >>> from plica.network import Linear, Rectifier
    >>> net = Network.sequential(1, [Linear(np.ones((2, 1)), np.array([0.0, -1.0])), Rectifier()])
    >>> data_cells(net, [[-2.0], [-1.0], [0.5], [3.0]])
    <DataCells 3 cells met by 4 points, 2 alone, exact>
    """
    points = _points(network, data)
    step = max(1, _BATCH_ENTRIES // max(node.size for node in network.nodes))
    known: dict[bytes, int] = {}
    cell = np.empty(len(points), np.int64)
    for a in range(0, len(points), step):
        layers = layers_at(network, points[a : a + step])
        for row in range(len(points[a : a + step])):
            name = b"".join(np.ascontiguousarray(layer.states[row]).tobytes() for layer in layers)
            if len(name) > 64:  # 512 bits: no two patterns will ever share them
                name = hashlib.blake2b(name).digest()
            cell[a + row] = known.setdefault(name, len(known))
        if progress is not None:
            progress({"points_done": min(a + step, len(points)), "n_points": len(points), "n_cells": len(known)})
    return DataCells(cell)


@dataclass(frozen=True)
class CellSizes:
    """Statistics of the sizes of cells: lengths, areas or volumes in the parameters of the domain.

    Attributes
    ----------
    mean, median, smallest, largest
        Of the cells.
    around_a_point
        The mean size of the cell that holds a point drawn uniformly: large cells are met more often.
    quantiles
        The sizes below which 1, 10, 25, 50, 75, 90 and 99 percent of the cells are.
    gini
        0 if all cells are equal, near 1 if a few cells take all.
    """

    n_cells: int
    mean: float
    median: float
    smallest: float
    largest: float
    around_a_point: float
    quantiles: dict[int, float]
    gini: float

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))

    def __repr__(self) -> str:
        return (
            f"<CellSizes of {self.n_cells:,} cells: mean {self.mean:.3g}, median {self.median:.3g}, largest {self.largest:.3g}>"
        )

    def _repr_html_(self) -> str:
        from plica._show import facts_html

        quantiles = {f"below which are {level} %": size for level, size in self.quantiles.items()}
        return facts_html(self, {name: value for name, value in self.to_dict().items() if name != "quantiles"} | quantiles)


def cell_sizes(cells: Complex | Any) -> CellSizes:
    """Statistics of the sizes of the cells of a complex (bounded ones), or of the given sizes.

    Examples
    --------
    >>> cell_sizes([1.0, 1.0, 2.0])
    <CellSizes of 3 cells: mean 1.33, median 1, largest 2>
    """
    sizes = np.asarray(cells.sizes() if isinstance(cells, Complex) else cells, dtype=np.float64).reshape(-1)
    sizes = np.sort(sizes[np.isfinite(sizes)])
    if not len(sizes) or sizes[0] < 0:
        raise InvalidInput("there are no sizes to describe.", hint="give a complex with bounded cells, or positive numbers")
    n, total = len(sizes), float(sizes.sum())
    levels = (1, 10, 25, 50, 75, 90, 99)
    rank = 2 * np.arange(1, n + 1) - n - 1
    return CellSizes(
        n_cells=n,
        mean=total / n,
        median=float(np.median(sizes)),
        smallest=float(sizes[0]),
        largest=float(sizes[-1]),
        around_a_point=float((sizes**2).sum() / total) if total else 0.0,
        quantiles={level: float(q) for level, q in zip(levels, np.percentile(sizes, levels), strict=True)},
        gini=float((rank * sizes).sum() / (n * total)) if total else 0.0,
    )
