"""The image of a curve at each depth, projected to a plane: what its length is the length of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.geometry import Budget, Domain, Path, decompose
from plica.measure._trajectory import _check, chosen_layers
from plica.network import Network

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
        ``"principal"``: the plane of largest variance. ``"random"``: two random orthonormal directions from ``seed``.

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
    complex_ = decompose(network, path, budget=budget)
    values = network.tensors(complex_.points.reshape(-1, *network.input_shape))
    tensors = [values[0], *(values[network.nodes[network.layers[i]].inputs[0]] for i in chosen)]
    rng = np.random.default_rng(seed)
    shown = [_flatten(tensor.reshape(len(tensor), -1), projection, rng) for tensor in tensors]
    return TrajectoryImages((-1, *chosen), tuple(p for p, _ in shown), tuple(e for _, e in shown))


def _flatten(rows: Array, projection: str, rng: np.random.Generator) -> tuple[Array, float]:
    centered = rows - rows.mean(0)
    total = float((centered**2).sum()) or 1.0
    if rows.shape[1] == 1:
        return np.column_stack([centered[:, 0], np.zeros(len(rows))]), 1.0
    if projection == "principal":
        _, _, directions = np.linalg.svd(centered, full_matrices=False)
        directions = directions[:2] if len(directions) > 1 else np.vstack([directions, np.zeros_like(directions)])
    else:
        directions = np.linalg.qr(rng.standard_normal((rows.shape[1], 2)))[0].T
    flat = centered @ directions.T
    return flat, float((flat**2).sum()) / total
