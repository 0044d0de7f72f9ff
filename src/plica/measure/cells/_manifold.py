r"""The surface that a generator makes of a plane of latent variables: areas, ranks, bends, uniform samples.

On a cell the generator is :math:`f(u) = A u + c`: areas are multiplied by :math:`(\det A^T A)^{1/2}`, the image is a flat
polygon, and the surface bends at folds only. Areas are enclosed; ranks are decided, in fractions where floats leave a doubt.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from plica._lazy import cached_property
from plica._types import Array
from plica.errors import InvalidInput
from plica.geometry import BoundedComplex, PlaneComplex, reading
from plica.measure.cells._integrals import Enclosed, enclosed
from plica.measure.cells._sharp import summed


@dataclass(frozen=True, eq=False)
class GeneratedManifold:
    """The image of a plane complex under its network.

    Attributes
    ----------
    complex
        The cells of the latent plane.
    areas, distortions, image_areas
        Of each cell: its area, the factor by which its image is larger, and the product.
    area, image_area
        Of all of it; the image counted as often as it is covered, and enclosed.
    ranks
        Of the generator on each cell: 2, or 1 or 0 where the image collapses. Exact.
    """

    complex: PlaneComplex
    areas: Array
    distortions: Array
    image_areas: Array
    image_area: Enclosed
    ranks: Array
    grams: Array

    @property
    def area(self) -> float:
        return float(self.areas.sum())

    @property
    def collapsed_share(self) -> float:
        """The share of the latent area whose image has no area."""
        return float(self.areas[self.ranks < 2].sum()) / self.area

    @cached_property
    def bends(self) -> Array:
        """The angle by which the surface bends at each inner edge of the complex: 0 where it is flat, pi where it is folded back.

        NaN at the border, and where the image of a cell beside the edge has no area.
        """
        cx = self.complex
        columns = cx.bounded_maps().values[:, :2]  # (cells, 2, outputs)
        left, right = cx.edge_cells.T
        inner = np.flatnonzero((left >= 0) & (right >= 0))
        inner = inner[(self.ranks[left[inner]] == 2) & (self.ranks[right[inner]] == 2)]
        along = np.diff(cx.vertices[cx.edges[inner]], axis=1)[:, 0]
        across = np.stack([-along[:, 1], along[:, 0]], axis=1)
        found = np.full(len(cx.edges), np.nan)
        normals = []
        for cells in (left[inner], right[inner]):
            t = np.einsum("ei,eio->eo", along, columns[cells])
            n = np.einsum("ei,eio->eo", across, columns[cells])
            n -= (
                t * ((n * t).sum(axis=1) / (t * t).sum(axis=1))[:, None]
            )  # in the image's plane, perpendicular to the edge's image
            normals.append(n / np.linalg.norm(n, axis=1, keepdims=True))
        a, b = normals
        found[inner] = 2 * np.arctan2(np.linalg.norm(a - b, axis=1), np.linalg.norm(a + b, axis=1))
        return found

    @property
    def total_bend(self) -> float:
        """The sum over edges of the length of the image times the angle: twice the integral of the mean curvature."""
        cx = self.complex
        lengths = np.linalg.norm(np.diff(cx.outputs[cx.edges], axis=1)[:, 0], axis=1)
        return float(np.nansum(lengths * self.bends))

    def sample(self, n: int, *, seed: int = 0) -> Array:
        """Latent points (n, 2), in parameters, whose images are uniform on the surface: cells are drawn by image area.

        Examples
        --------
        >>> import plica
        >>> cx = plica.decompose(plica.random_network([2, 8, 3], seed=0), plica.Box([-1, -1], [1, 1]))
        >>> generated_manifold(cx).sample(5).shape
        (5, 2)
        """
        if n < 1:
            raise InvalidInput(f"n = {n} points cannot be drawn.")
        if not self.image_areas.sum() > 0:
            raise InvalidInput("the image has no area: nothing is uniform on it.", hint="its ranks are below 2 everywhere")
        rng = np.random.default_rng(seed)
        simplices = self.complex.triangulation()
        corners = self.complex.vertices[simplices.vertices]
        a, b = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
        weights = np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) * self.distortions[simplices.cells]
        chosen = rng.choice(len(weights), n, p=weights / weights.sum())
        s, t = rng.random((2, n))
        flip = s + t > 1
        s, t = np.where(flip, 1 - s, s), np.where(flip, 1 - t, t)
        return np.asarray(corners[chosen, 0] + s[:, None] * a[chosen] + t[:, None] * b[chosen])

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "cells": self.complex.n_cells,
            "area": self.area,
            "image_area": self.image_area.middle,
            "least_distortion": float(self.distortions.min()),
            "largest_distortion": float(self.distortions.max()),
            "collapsed_share": self.collapsed_share,
            "total_bend": self.total_bend,
        }

    def __repr__(self) -> str:
        lost = f", {self.collapsed_share:.1%} collapsed" if (self.ranks < 2).any() else ""
        return f"<GeneratedManifold of {self.complex.n_cells:,} flat pieces, area {self.image_area.middle:.6g}{lost}>"

    def _repr_html_(self) -> str:
        from plica._show import facts_html

        return facts_html(self, self.to_dict())


@reading
def generated_manifold(cx: BoundedComplex) -> GeneratedManifold:
    """The surface that a network with a plane of inputs generates.

    Parameters
    ----------
    cx
        What :func:`plica.decompose` returned for a box in R^2, a :class:`plica.Plane` or another piece of a plane. Areas are in
        its parameters.

    Examples
    --------
    A sheet folded along a line, |x| over x, keeps its area times the root of 2, and bends by a right angle:

    >>> import plica
    >>> from plica.network import Linear, Network, Rectifier
    >>> layers = [Linear(np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]])), Rectifier()]
    >>> fold = Network.sequential(2, [*layers, Linear(np.array([[1.0, -1, 0, 0], [0, 0, 1, -1], [1, 1, 0, 0]]))])
    >>> found = generated_manifold(plica.decompose(fold, plica.Box([-1, -1], [1, 1])))
    >>> round(found.image_area.middle / 4, 6), round(float(np.nanmax(found.bends)), 6)
    (1.414214, 1.570796)
    """
    if not isinstance(cx, PlaneComplex):
        raise InvalidInput(
            f"expected the complex of a bounded plane, got {type(cx).__name__}.",
            hint="plica.decompose(generator, plica.Box(low, high))",
        )
    columns, error = cx.bounded_maps()
    columns, error = columns[:, :2], error[:, :2]
    grams = np.einsum("cio,cjo->cij", columns, columns)
    norms = np.linalg.norm(columns, axis=2)
    # det = |a|^2 |b - (b.a/|a|^2) a|^2, which does not cancel
    a, b = columns[:, 0], columns[:, 1]
    share = np.divide(grams[:, 0, 1], grams[:, 0, 0], out=np.zeros(len(a)), where=grams[:, 0, 0] > 0)
    height = np.linalg.norm(b - share[:, None] * a, axis=1)
    distortions = norms[:, 0] * height
    n = columns.shape[2]
    # the area of the parallelogram of two vectors is Lipschitz in each, with the norm of the other
    slip = norms[:, 0] * error[:, 1] + norms[:, 1] * error[:, 0] + error[:, 0] * error[:, 1]
    slip = slip * (1 + 1e-9) + (2 * n + 16) * 2.0**-52 * norms[:, 0] * norms[:, 1] + 1e-300
    ranks = np.where(distortions > slip, 2, -1)
    for cell in np.flatnonzero(ranks < 0).tolist():
        ranks[cell] = _rank(cx, cell)
    distortions = np.where(ranks < 2, 0.0, distortions)
    slip = np.where(ranks < 2, 0.0, slip)
    areas = cx.sizes()
    places = cx.bounded_vertices()
    around = _perimeter_slip(cx, places.error)
    image_areas = areas * distortions
    parts = areas * slip + around * (distortions + slip) + 2.0**-50 * image_areas
    return GeneratedManifold(cx, areas, distortions, image_areas, enclosed(*summed(image_areas, parts)), ranks, grams)


def _perimeter_slip(cx: PlaneComplex, error: Array) -> Array:
    """How wrong the area of each cell may be: corners that move by e change it by e times the perimeter, and e^2 for each."""
    p = cx.vertices[cx.cell_vertices]
    offsets = cx.cell_offsets
    follow = np.arange(1, len(p) + 1)
    follow[offsets[1:] - 1] = offsets[:-1]
    moved = error[cx.cell_vertices] + 2.0**-50 * np.abs(p).max(axis=1)
    most = np.maximum.reduceat(moved, offsets[:-1])
    perimeter = np.add.reduceat(np.linalg.norm(p[follow] - p, axis=1), offsets[:-1])
    corners = np.diff(offsets)
    return np.asarray(most * perimeter + 4 * corners * most**2 + 2.0**-48 * perimeter**2)


def _rank(cx: PlaneComplex, cell: int) -> int:
    """The rank of the map on a cell, in integers."""
    columns = cx.exact_map(cell)
    numbers = np.array(columns.fractions(), dtype=object).reshape(columns.shape)[:2]
    if not any(Fraction(x) != 0 for x in numbers.reshape(-1)):
        return 0
    pivot = next(j for j in range(numbers.shape[1]) if numbers[0, j] or numbers[1, j])
    minors = (numbers[0, pivot] * numbers[1, j] - numbers[0, j] * numbers[1, pivot] for j in range(numbers.shape[1]))
    return 2 if any(minors) else 1
