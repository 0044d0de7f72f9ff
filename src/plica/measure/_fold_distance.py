"""The distance from points to the nearest fold, in their own cells and layer by layer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.exact import to_float
from plica.geometry import Box
from plica.geometry.arithmetic import rescaled
from plica.measure._fold_distance_bounds import bounds_at
from plica.measure._fold_distance_cell import distances_at, form_values, layers_at, n_at_a_time
from plica.measure._fold_distance_exact import exact_squares
from plica.measure._pullback import pullback
from plica.network import Network

AFFORDABLE = 4e9  # inputs times activations: about half a minute for a point
_BATCH_ENTRIES = 20_000_000


@dataclass(frozen=True, eq=False)
class FoldDistance:
    """Distances from points to the nearest fold.

    Attributes
    ----------
    distance
        From each point to the border of its cell, a float between the certified ``lower`` and ``upper``.
    lower, upper
        Proved bounds. With method ``"cell"`` they differ by rounding only, with ``"exact"`` by the last bit.
    layer, unit
        Whose fold is nearest (-1: the network has no fold there is no distance to).
    by_layer
        (points, layers): from each point to the nearest hyperplane of the layer's units, continued from the point's own cell.
    by_layer_lower
        (points, layers): a proved lower bound of the distance to any fold of the layer, also outside the cell.
    is_settled
        (points, layers): whether ``by_layer`` is the distance to the layer's nearest fold. It is when no earlier layer folds
        within that distance: up to there the layer's folds are the hyperplanes.
    squared
        With method ``"exact"`` the squared distances as fractions, None where there is no fold; otherwise empty.
    """

    network: Network
    points: Array
    distance: Array
    lower: Array
    upper: Array
    layer: Array
    unit: Array
    by_layer: Array
    by_layer_lower: Array
    is_settled: Array
    method: str
    squared: tuple[Fraction | None, ...] = ()

    def __len__(self) -> int:
        return len(self.points)

    @property
    def mean(self) -> float:
        """The mean distance."""
        return float(self.distance.mean())

    @property
    def standard_error(self) -> float:
        """Of the mean, for points drawn independently."""
        return float(self.distance.std(ddof=1) / np.sqrt(len(self))) if len(self) > 1 else float("nan")

    def nearest_point(self, i: int) -> Array:
        """The point of the nearest fold closest to point i, rounded."""
        if self.method == "bounds":
            raise InvalidInput("bounds do not name the nearest point.", hint='use method="cell"')
        layer = int(self.layer[i])
        if layer < 0:
            raise InvalidInput(f"point {i} has no fold around it.")
        x = self.points[i]
        layers = layers_at(self.network, x[None])
        gap, _ = form_values(layers[layer], 0)
        middle = distances_at(self.network, layers, slice(0, 1))[layer][0][0]
        at, source, walls = int(np.argmin(middle)), layers[layer].source, layers[layer].walls(0)
        weights = walls.weights(self.network.nodes[source].size, at)
        gradient, _ = pullback(self.network, [s.states[0] for s in layers], source, weights)
        return np.asarray(x - float(gap[at]) / float(gradient @ gradient) * gradient)

    def to_dict(self) -> dict[str, Any]:
        names = ("distance", "lower", "upper", "layer", "unit", "by_layer", "by_layer_lower", "is_settled")
        return {"method": self.method} | {name: getattr(self, name).tolist() for name in names}

    def __repr__(self) -> str:
        kind = {"cell": "certified", "exact": "exact", "bounds": "bounded"}[self.method]
        spread = "" if len(self) == 1 else f" ± {self.standard_error:.2g} on average over {len(self)} points"
        interval = f" in [{self.lower.mean():.3g}, {self.upper.mean():.3g}]" if self.method == "bounds" else ""
        return f"<FoldDistance at distance {self.mean:.4g}{spread}{interval}, {kind}>"

    def _repr_html_(self) -> str:
        from plica._show import facts_html

        least = {f"to_layer_{i}": float(column.min()) for i, column in enumerate(self.by_layer.T)}
        facts = {"method": self.method, "points": len(self), "mean": self.mean, "least": float(self.distance.min())}
        return facts_html(self, facts | {"lower": self.lower, "upper": self.upper, "layer": self.layer} | least)


def fold_distance(
    network: Network,
    x: Any,
    *,
    method: str = "auto",
    progress: Callable[[dict[str, Any]], None] | None = None,
) -> FoldDistance:
    """The distance from points to the nearest fold.

    Parameters
    ----------
    network
        The network.
    x
        A point, or a batch of points.
    method
        ``"cell"`` computes the gradients of all units in each point's cell and certifies the result with error bounds;
        ``"exact"`` does it in fractions, for small networks; ``"bounds"`` costs a few passes through the network: a lower bound
        from Lipschitz constants and an upper bound from the gradients of the most promising units. ``"auto"`` is ``"cell"`` where
        that is affordable, else ``"bounds"``.
    progress
        Called after each point with a dict of numbers.

    Examples
    --------
    >>> from plica.network import Linear, Network, Rectifier
    >>> lines = Linear(np.array([[1.0, 0.0], [3.0, 4.0]]), np.array([-2.0, 0.0]))
    >>> net = Network.sequential(2, [lines, Rectifier(), Linear(np.ones((1, 2)))])
    >>> found = fold_distance(net, [1.5, 0.5])  # the lines x = 2 and 3 x + 4 y = 0
    >>> found, int(found.unit[0]), found.by_layer
    (<FoldDistance at distance 0.5, certified>, 0, array([[0.5]]))
    """
    points = _points(network, x)
    tame = _is_safe(network, points)
    if method not in ("auto", "cell", "exact", "bounds"):
        raise InvalidInput(f"there is no method {method!r}.", hint='"auto", "cell", "exact" or "bounds"')
    if method == "auto":
        cost = network.n_inputs * sum(node.size for node in network.nodes)
        method = "cell" if cost <= AFFORDABLE else "bounds"
    if not tame and method != "exact":
        raise InvalidInput("weights of this size leave the range of floats on the way.", hint='use method="exact"')
    if method == "exact":
        return _exactly(network, points, progress)
    n, n_layers = len(points), len(network.layers)
    middle, lower, upper = (np.full((n, n_layers), np.inf) for _ in range(3))
    unit = np.full((n, n_layers), -1)
    if not n_layers:
        return _gathered(network, points, middle, lower, upper, unit, method)
    step = max(1, _BATCH_ENTRIES // max(node.size for node in network.nodes))
    find, together = (distances_at, n_at_a_time(network)) if method == "cell" else (bounds_at, 1)
    for a in range(0, n, step):
        layers = layers_at(network, points[a : a + step])
        for first in range(0, len(points[a : a + step]), together):
            rows = slice(first, min(first + together, len(points) - a, step))
            here = np.arange(a + rows.start, a + rows.stop)
            for i, (mid, low, high) in enumerate(find(network, layers, rows)):
                best = np.argmin(mid, axis=1)[:, None]
                nearest = np.take_along_axis(mid, best, axis=1)
                middle[here, i], lower[here, i], upper[here, i] = nearest[:, 0], low.min(axis=1), high.min(axis=1)
                names = np.take_along_axis(np.broadcast_to(layers[i].walls(rows).neuron, mid.shape), best, axis=1)
                unit[here, i] = np.where(np.isfinite(nearest), names, -1)[:, 0]
            if progress is not None:
                for done in here:
                    progress({"points_done": int(done) + 1, "n_points": n})
    return _gathered(network, points, middle, lower, upper, unit, method)


def _gathered(
    network: Network, points: Array, middle: Array, lower: Array, upper: Array, unit: Array, method: str, squared: Any = ()
) -> FoldDistance:
    n = len(points)
    nothing = np.full((n, 1), np.inf)
    before = np.concatenate([nothing, np.minimum.accumulate(lower, axis=1)], axis=1)  # least lower bound of earlier layers
    layer = np.argmin(middle, axis=1) if middle.shape[1] else np.zeros(n, int)
    rows = np.arange(n)
    least = middle[rows, layer] if middle.shape[1] else nothing[:, 0]
    none = ~np.isfinite(least)
    return FoldDistance(
        network=network,
        points=points,
        distance=least,
        lower=before[:, -1],
        upper=upper.min(axis=1, initial=np.inf),
        layer=np.where(none, -1, layer),
        unit=np.where(none, -1, unit[rows, layer] if middle.shape[1] else -1),
        by_layer=middle,
        by_layer_lower=lower if method == "bounds" else np.minimum(lower, before[:, :-1]),
        is_settled=np.zeros(middle.shape, bool) if method == "bounds" else upper <= before[:, :-1],
        method=method,
        squared=squared,
    )


def _exactly(network: Network, points: Array, progress: Any) -> FoldDistance:
    n, n_layers = len(points), len(network.layers)
    middle, lower, upper = (np.full((n, n_layers), np.inf) for _ in range(3))
    unit, squared = np.full((n, n_layers), -1), []
    for i, x in enumerate(points):
        found = exact_squares(network, x)
        for k, (square, name) in enumerate(found):
            if square is not None:
                middle[i, k], unit[i, k] = square_root(square), name
                lower[i, k], upper[i, k] = (np.nextafter(middle[i, k], side) if square else 0.0 for side in (0.0, np.inf))
        squared.append(min((s for s, _ in found if s is not None), default=None))
        if progress is not None:
            progress({"points_done": i + 1, "n_points": n})
    return _gathered(network, points, middle, lower, upper, unit, "exact", tuple(squared))


def square_root(square: Fraction) -> float:
    """The root of a fraction of any size, within one bit."""
    shift = 2 * max(0, 70 - (square.numerator.bit_length() - square.denominator.bit_length()) // 2)
    return to_float(isqrt((square.numerator << shift) // square.denominator), 1 << (shift // 2))


def _points(network: Network, x: Any) -> Array:
    try:
        points = np.array(x, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput("x is not an array of numbers.") from None
    if points.size == 0 or points.size % network.n_inputs or not np.isfinite(points).all():
        raise InvalidInput(
            f"the network takes inputs of shape {network.input_shape}, got an array of shape {points.shape}.",
            hint="give one point or a batch of points, of finite numbers",
        )
    if (
        points.shape[1:] != network.input_shape
        and points.reshape(-1).size != network.n_inputs
        and points[0].size != network.n_inputs
    ):
        raise InvalidInput(f"the network takes inputs of shape {network.input_shape}, got an array of shape {points.shape}.")
    return points.reshape(-1, network.n_inputs)


def _is_safe(network: Network, points: Array) -> bool:
    """Whether gradients and their squares stay far from the ends of the floats."""
    top = max(1.0, float(np.abs(points).max()))
    box = Box([-top] * network.n_inputs, [top] * network.n_inputs)
    if any(rescaled(network, box)[1]):
        return False
    low = high = 0.0  # binary exponents of the smallest and the largest product of sizes of rows
    for node in network.nodes[1:]:
        weights = getattr(node.op, "coefficients", None)
        if weights is not None and weights.any():
            rows = np.abs(weights).reshape(len(weights), -1).max(axis=1) if weights.ndim > 1 else np.abs(weights).reshape(-1)
            low += min(0.0, float(np.log2(rows[rows > 0].min())))
            high += max(0.0, float(np.log2(rows.max())))
    return low > -400 and high < 400
