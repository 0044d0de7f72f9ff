"""How long the image of a curve is after each layer of a network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from time import perf_counter
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidDomain, InvalidInput, UnsupportedLayer
from plica.geometry import Budget, Domain, Meter, Path
from plica.measure._trajectory_adaptive import refined_lengths
from plica.measure._trajectory_exact import piecewise_lengths
from plica.measure._trajectory_paths import Curve
from plica.measure._trajectory_result import TrajectoryLength
from plica.network import Network


def trajectory_length(
    network: Any,
    path: Domain | Path,
    *,
    layers: str | Sequence[int] = "all",
    tolerance: float = 1e-4,
    max_points: int = 1_000_000,
    input_shape: Sequence[int] | None = None,
    budget: Budget | None = None,
) -> TrajectoryLength:
    """The length of the image of a path after each layer.

    Parameters
    ----------
    network
        A :class:`plica.Network`, a torch module, or a function from rows to rows. Piecewise-linear networks, modules included,
        are measured exactly: the path is broken at every fold. Other modules (tanh, GELU, ...) and functions are measured by
        chords that are refined where the image bends.
    path
        :class:`plica.Segment`, :class:`plica.Path`, :func:`plica.measure.circle`, :func:`plica.measure.great_circle`,
        :func:`plica.measure.path_through`.
    layers
        ``"all"``, or numbers of layers, counted from 0. A layer is a fold of a network, an activation of a module.
    tolerance, max_points
        Relative error and number of points of the refinement.
    input_shape
        Of one input of a torch module, if it is not a plain vector.
    budget
        Limits for the exact decomposition.

    Examples
    --------
    >>> import plica
    >>> net = plica.random_network([2, 64, 64, 64, 1], seed=0, weights="he-normal")
    >>> length = trajectory_length(net, plica.Segment([-1.0, -1.0], [1.0, 1.0]))
    >>> length.kind, length.post.shape, length.error < 1e-9
    ('exact', (3,), True)
    """
    start = perf_counter()
    _check(path, tolerance, max_points)
    shape = (path.n_inputs,) if input_shape is None else tuple(int(n) for n in input_shape)
    if prod(shape) != path.n_inputs:
        raise InvalidDomain(f"inputs of shape {shape} have {prod(shape)} entries, the path lies in R^{path.n_inputs}.")
    if isinstance(network, Network):
        return _exact(network, path, layers, budget, start)
    if _is_module(network):
        try:
            return _exact(_converted(network, shape), path, layers, budget, start)
        except UnsupportedLayer:
            return _adaptive_module(network, path, shape, layers, tolerance, max_points, start)
    if callable(network):
        return _adaptive_function(network, path, tolerance, max_points, start)
    raise InvalidInput(
        f"expected a Network, a torch module or a function, got {type(network).__name__}.",
        hint="load a file with plica.load(path)",
    )


def _check(path: Any, tolerance: float, max_points: int) -> None:
    if not isinstance(path, Domain | Path) or path.dimension != 1:
        raise InvalidInput(
            f"expected a path, got {type(path).__name__}.",
            hint="plica.Segment(a, b), plica.Path(points) or plica.measure.circle(u, v)",
        )
    if not 0 < tolerance < 1:
        raise InvalidInput(f"tolerance={tolerance!r} is not a number between 0 and 1.")
    if max_points < 200:
        raise InvalidInput(f"max_points={max_points!r} is fewer than 200.")


def _is_module(network: Any) -> bool:
    import sys

    torch = sys.modules.get("torch")  # a module can only exist where torch was imported
    return torch is not None and isinstance(network, torch.nn.Module)


def _converted(module: Any, shape: tuple[int, ...]) -> Network:
    import torch

    from plica.network import from_torch

    return from_torch(module, example_input=torch.zeros(1, *shape, dtype=next(module.parameters(), torch.zeros(0)).dtype))


def chosen_layers(layers: str | Sequence[int], n_layers: int) -> tuple[int, ...]:
    """Layer numbers, checked."""
    if isinstance(layers, str):
        if layers != "all":
            raise InvalidInput(f"layers={layers!r} is not known.", hint="'all' or a list of layer numbers")
        return tuple(range(n_layers))
    numbers = tuple(layers)
    if any(isinstance(i, bool) or not isinstance(i, int | np.integer) or not 0 <= i < n_layers for i in numbers):
        raise InvalidInput(f"layers={numbers!r} are not all layers; there are {n_layers}, counted from 0.")
    return tuple(int(i) for i in numbers)


def _exact(
    network: Network, path: Domain | Path, layers: str | Sequence[int], budget: Budget | None, start: float
) -> TrajectoryLength:
    chosen = chosen_layers(layers, len(network.layers))
    folds = [network.layers[i] for i in chosen]
    nodes = [0, *(network.nodes[i].inputs[0] for i in folds), *folds, len(network.nodes) - 1]
    meter = Meter(budget or Budget(), len(network.layers))
    sums = piecewise_lengths(network, path, nodes, meter)
    curve_error = None
    if isinstance(path, Curve):
        coarse = piecewise_lengths(network, path.coarser(), nodes, meter).lengths
        curve_error = _relative(sums.lengths - coarse, sums.lengths)
    k = len(chosen)
    return TrajectoryLength(
        input=float(sums.lengths[0]),
        pre=sums.lengths[1 : 1 + k],
        post=sums.lengths[1 + k : 1 + 2 * k],
        output=float(sums.lengths[-1]),
        layers=chosen,
        names=tuple(network.nodes[i].name for i in folds),
        widths=tuple(network.nodes[i].size for i in folds),
        kind="exact",
        error=_relative(sums.halves - sums.lengths, sums.lengths),
        curve_error=curve_error,
        n_points=sums.n_points,
        seconds=perf_counter() - start,
    )


def _relative(differences: Array, lengths: Array) -> float:
    return float((np.abs(differences) / np.where(lengths > 0, lengths, 1.0)).max())


def _adaptive_module(
    module: Any,
    path: Domain | Path,
    shape: tuple[int, ...],
    layers: str | Sequence[int],
    tolerance: float,
    max_points: int,
    start: float,
) -> TrajectoryLength:
    from plica.measure._trajectory_module import Watched

    watched = Watched.of(module, shape)
    chosen = chosen_layers(layers, len(watched.names))

    def stages(t: Array) -> list[Array]:
        points = _points(path, t)
        before, after, output = watched(points)
        return [points, *(before[i] for i in chosen), *(after[i] for i in chosen), output]

    names, widths = tuple(watched.names[i] for i in chosen), tuple(watched.sizes[i] for i in chosen)
    return _adaptive(stages, path, tolerance, max_points, start, chosen, names, widths)


def _adaptive_function(
    function: Callable[[Array], Any], path: Domain | Path, tolerance: float, max_points: int, start: float
) -> TrajectoryLength:
    def stages(t: Array) -> list[Array]:
        points = _points(path, t)
        values = np.asarray(function(points), dtype=float)
        if values.ndim < 1 or len(values) != len(points):
            raise InvalidInput(
                f"the function gave shape {values.shape} for {len(points)} rows.", hint="it maps rows of points to rows of values"
            )
        return [points, values.reshape(len(values), -1)]

    return _adaptive(stages, path, tolerance, max_points, start, (), (), ())


def _adaptive(
    stages: Callable[[Array], list[Array]],
    path: Domain | Path,
    tolerance: float,
    max_points: int,
    start: float,
    layers: tuple[int, ...],
    names: tuple[str, ...],
    widths: tuple[int, ...],
) -> TrajectoryLength:
    is_polyline = isinstance(path, Path) and not isinstance(path, Curve)
    knots = np.arange(len(path.segments) + 1.0) if is_polyline else _ends(path)  # type: ignore[union-attr]
    refined = refined_lengths(stages, knots, tolerance=tolerance, max_points=max_points)
    k = len(layers)
    return TrajectoryLength(
        input=float(refined.lengths[0]),
        pre=refined.lengths[1 : 1 + k],
        post=refined.lengths[1 + k : 1 + 2 * k],
        output=float(refined.lengths[-1]),
        layers=layers,
        names=names,
        widths=widths,
        kind="estimated",
        error=_relative(refined.errors, refined.lengths),
        curve_error=None,
        n_points=refined.n_points,
        seconds=perf_counter() - start,
    )


def _ends(path: Domain | Path) -> Array:
    return np.array([0.0, path.size]) if isinstance(path, Path) else np.asarray(path.window[:, 0], dtype=float)


def _points(path: Domain | Path, t: Array) -> Array:
    if isinstance(path, Curve):
        return path.on_curve(t)
    return path.to_input(t if isinstance(path, Path) else t[:, None])
