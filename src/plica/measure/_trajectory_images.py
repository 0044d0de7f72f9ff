"""The image of a curve at each depth, projected to a plane: what its length is the length of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.geometry import Budget, Domain, Meter, Path, decompose, measuring, tick
from plica.measure._trajectory import _check, chosen_layers
from plica.network import Affine, Fold, Network, walk

_MOST_WORK = 2**28  # multiplications of a decomposition that cannot be interrupted
_COLUMNS, _MOST_ROUNDS, _SETTLED = 8, 100, 1e-10

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class TrajectoryImages:
    """Images of a curve in the pre-activations of some layers, as polylines in the plane.

    Attributes
    ----------
    layers
        Layer numbers; -1 stands for the input itself.
    polylines
        One (k, 2) array for each, through all breakpoints: nothing is lost between them.
    explained
        For each, the part of the image's variance that the plane shows.
    """

    layers: tuple[int, ...]
    polylines: tuple[Array, ...]
    explained: tuple[float, ...]

    def plot(self, axes: Sequence[Axes] | None = None) -> Sequence[Axes]:
        """Draw the images side by side; see :func:`plica.plot.plot_trajectory_images`."""
        from plica.plot import plot_trajectory_images

        return plot_trajectory_images(self, axes=axes)


def trajectory_images(
    network: Network,
    path: Domain | Path,
    *,
    layers: str | Sequence[int] = "all",
    projection: str = "principal",
    seed: int = 0,
    budget: Budget | None = None,
) -> TrajectoryImages:
    """The images of a path before the activation of each layer, in two dimensions.

    Parameters
    ----------
    projection
        ``"principal"``: the plane of largest variance, of large images to about nine digits of it. ``"random"``: two random
        orthonormal directions from ``seed``.

    Examples
    --------
    >>> import plica
    >>> from plica.measure import circle
    >>> net = plica.random_network([2, 32, 32, 1], seed=0, weights="normal", gain=2.0)
    >>> images = trajectory_images(net, circle([1.0, 0.0], [0.0, 1.0], n_points=64))
    >>> images.layers, images.polylines[0].shape
    ((-1, 0, 1), (..., 2))
    """
    if not isinstance(network, Network):
        raise InvalidInput(f"expected a plica Network, got {type(network).__name__}.", hint="plica.from_torch(module)")
    _check(path, 0.5, 10**6)
    if projection not in ("principal", "random"):
        raise InvalidInput(f"projection={projection!r} is not known.", hint="'principal' or 'random'")
    chosen = chosen_layers(layers, len(network.layers))
    meter = Meter(budget or Budget(), len(network.layers))
    complex_ = decompose(network, path, budget=meter.budget)
    with measuring(meter):
        shown = _Shown(network, set(chosen), projection, np.random.default_rng(seed))
        points = complex_.points
        shown.show(points)
        walk(network, shown, {0: points.reshape(-1, *network.input_shape)})
    return TrajectoryImages((-1, *chosen), tuple(p for p, _ in shown.found), tuple(e for _, e in shown.found))


class _Shown:
    """A semantics: values at points of the curve, projected where a chosen layer reads them."""

    def __init__(self, network: Network, chosen: set[int], projection: str, rng: np.random.Generator) -> None:
        self._network, self._chosen, self._projection, self._rng = network, chosen, projection, rng
        self.found: list[tuple[Array, float]] = []

    def show(self, x: Array) -> None:
        self.found.append(_flatten(x.reshape(len(x), -1), self._projection, self._rng))

    def affine(self, index: int, op: Affine, xs: list[Array]) -> Array:
        tick(8 * len(xs[0]) * self._network.nodes[index].size)
        return op.apply(xs)

    def fold(self, index: int, op: Fold, x: Array, layer: int) -> Array:
        if layer in self._chosen:
            self.show(x)
        tick(8 * len(x) * self._network.nodes[index].size)
        return op.apply([x])


def _flatten(rows: Array, projection: str, rng: np.random.Generator) -> tuple[Array, float]:
    tick(2 * rows.nbytes)
    centered = rows - rows.mean(0)
    total = float(np.einsum("ij,ij->", centered, centered)) or 1.0
    if rows.shape[1] == 1:
        return np.column_stack([centered[:, 0], np.zeros(len(rows))]), 1.0
    if projection == "principal":
        directions = _principal(centered)
    else:
        directions = np.linalg.qr(rng.standard_normal((rows.shape[1], 2)))[0].T
    flat = centered @ directions.T
    return flat, float((flat**2).sum()) / total


def _principal(centered: Array) -> Array:
    """Two orthonormal directions of largest variance (zero where there is only one): of large tables by iteration."""
    q = None
    if centered.size * min(centered.shape) > _MOST_WORK:
        q, last = np.linalg.qr(np.random.default_rng(0).standard_normal((centered.shape[1], _COLUMNS)))[0], 0.0
        for _ in range(_MOST_ROUNDS):
            tick()
            image = centered @ q
            variance = float((np.linalg.svd(image, compute_uv=False)[:2] ** 2).sum())
            if variance <= last * (1 + _SETTLED):
                break
            last = variance
            tick()
            q = np.linalg.qr(centered.T @ image)[0]
    small = centered if q is None else centered @ q
    _, _, directions = np.linalg.svd(small, full_matrices=False)
    directions = directions[:2] if len(directions) > 1 else np.vstack([directions, np.zeros_like(directions)])
    return directions if q is None else directions @ q.T
