"""What pruning does to the geometry: cells, folds near the data and elsewhere, distances and lengths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.geometry import Plane, decompose
from plica.measure import Density, fold_distance, path_through, region_density, trajectory_length
from plica.network import Network


@dataclass(frozen=True, eq=False)
class SparseGeometry:
    """The geometry of a network around its data.

    Attributes
    ----------
    n_cells, n_regions
        In the triangle of the first three data points; exact.
    near, elsewhere
        Breakpoints per unit length on lines through data points, and through points with the same entries in another order;
        counts are exact, their means are estimated.
    fold_distance
        The mean distance of the data points to the nearest fold; each is certified.
    length_gain
        The length of the image of the path through the data points, for each unit of its own length; exact.
    """

    n_cells: int
    n_regions: int
    near: Density
    elsewhere: Density
    fold_distance: float
    length_gain: float

    @property
    def preference(self) -> float:
        """How many times denser folds are near the data than elsewhere."""
        return self.near.mean / self.elsewhere.mean if self.elsewhere.mean else float("inf")

    def to_dict(self) -> dict[str, Any]:
        return {
            "n_cells": self.n_cells,
            "n_regions": self.n_regions,
            "folds_near_data": self.near.mean,
            "folds_elsewhere": self.elsewhere.mean,
            "fold_distance": self.fold_distance,
            "length_gain": self.length_gain,
        }

    def __repr__(self) -> str:
        return (
            f"<SparseGeometry {self.n_cells:,} cells, {self.near.mean:.3g} folds per unit length near the data and "
            f"{self.elsewhere.mean:.3g} elsewhere, distance {self.fold_distance:.3g}>"
        )

    def _repr_html_(self) -> str:
        from plica._show import facts_html

        return facts_html(self, self.to_dict())


def sparse_geometry(network: Network, points: Any, *, n_samples: int = 20, size: float = 1.0, seed: int = 0) -> SparseGeometry:
    """Measure a network around data points, in the way all pruned networks are compared.

    Parameters
    ----------
    network
        Dense or pruned.
    points
        Three data points or more, one in each row, flattened.
    n_samples, size
        How many lines through data points, and how long they are.
    seed
        Of the lines, and of the order of entries elsewhere.

    Examples
    --------
    >>> import plica
    >>> points = np.random.default_rng(0).normal(size=(10, 4))
    >>> sparse_geometry(plica.random_network([4, 16, 16, 2], seed=0), points, n_samples=5)
    <SparseGeometry ... cells, ... folds per unit length near the data and ... elsewhere, distance ...>
    """
    x: Array = np.asarray(points, dtype=np.float64).reshape(len(points), -1)
    if len(x) < 3 or x.shape[1] != network.n_inputs:
        raise InvalidInput(f"points of shape {x.shape} for {network.n_inputs} inputs.", hint="three or more, one in each row")
    cx = decompose(network, Plane.through(*x[:3]))
    shuffled = np.random.default_rng(seed).permuted(x, axis=1)
    near, elsewhere = (region_density(network, p, size=size, n_samples=n_samples, seed=seed) for p in (x, shuffled))
    length = trajectory_length(network, path_through(x))
    distance = float(fold_distance(network, x).distance.mean())
    return SparseGeometry(cx.n_cells, cx.n_regions, near, elsewhere, distance, length.output / length.input)
