"""The loss on a plane of one layer's weights, exactly: a complex of cells on each of which outputs are affine.

When only one layer moves, its pre-activations are affine in (u, v), and what follows is a network of two inputs for all samples
together, which the engine of planes decomposes. The squared loss is a convex quadratic on each cell, so its largest value is at a
corner and its least one in closed form; the absolute loss is affine on the cells once residuals fold too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.geometry import Box, Budget, PlaneComplex, decompose
from plica.landscape._directions import Direction, moved
from plica.landscape._targets import Samples, as_network, as_samples, check_alike
from plica.network import Affine, Fold, Linear, Network, Op, Rectifier, Reshape, Scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class LossPlane:
    """The loss on a square of a plane of one layer's weights.

    Attributes
    ----------
    complex
        Its exact cells in (u, v): on each, all outputs of all samples are affine.
    values
        The loss at the vertices of the complex.
    largest, least
        The extreme values with their places (value, u, v), in floating point.
    """

    loss: str
    complex: PlaneComplex
    values: Array
    largest: tuple[float, float, float]
    least: tuple[float, float, float]
    kind: str = "exact"

    def triangles(self) -> tuple[Array, Array]:
        """Points (u, v, loss) and triangles: every cell as a fan."""
        cx = self.complex
        fans = []
        for first, last in zip(cx.cell_offsets[:-1], cx.cell_offsets[1:], strict=True):
            corners = cx.cell_vertices[first:last]
            fans.append(np.stack([np.full(len(corners) - 2, corners[0]), corners[1:-1], corners[2:]], axis=1))
        return np.column_stack([cx.vertices, self.values]), np.concatenate(fans)

    def to_meshio(self) -> Any:
        """The surface over the cells as a ``meshio.Mesh``, with the loss at its points."""
        from plica.geometry.export import imported

        points, triangles = self.triangles()
        return imported("meshio").Mesh(points, [("triangle", triangles)], point_data={"loss": self.values})

    def table(self) -> list[dict[str, float]]:
        """The loss at all vertices."""
        return [
            {"u": float(u), "v": float(v), "loss": float(z)} for (u, v), z in zip(self.complex.vertices, self.values, strict=True)
        ]

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """The cells, colored by the loss."""
        from plica.plot import plot_loss_plane

        return plot_loss_plane(self, ax=ax)

    def __repr__(self) -> str:
        low, high = self.least[0], self.largest[0]
        return f"<LossPlane of the {self.loss} loss: {self.complex.n_cells:,} cells, {low:.6g} to {high:.6g}, {self.kind}>"


def loss_plane(
    model: Any,
    x: Any,
    y: Any,
    directions: tuple[Direction, Direction],
    *,
    loss: str = "squared",
    reach: float = 1.0,
    budget: Budget | None = None,
) -> LossPlane:
    """The exact loss on a square of a plane in which one layer moves.

    Pre-activations of the layer are rounded to doubles, once; from there on everything is decided exactly.

    Examples
    --------
    >>> from plica.landscape import one_layer, random_direction
    >>> from plica.learn import mlp
    >>> model = mlp([2, 6, 1])
    >>> d = tuple(one_layer(random_direction(model, seed=s), "0") for s in (0, 1))
    >>> x = np.random.default_rng(0).normal(size=(5, 2))
    >>> plane = loss_plane(model, x, x[:, :1], d)
    >>> bool(plane.least[0] <= plane.values.min() <= plane.values.max() == plane.largest[0])
    True
    """
    center = as_network(moved(model), x)
    ends = [as_network(moved(model, (1.0, d)), x) for d in directions]
    samples = as_samples(center, x, y, loss)
    if samples.loss == "cross-entropy":
        raise InvalidInput("cross-entropy is not polynomial on cells.", hint="sample it: plica.landscape.loss_surface")
    cx = decompose(_in_the_plane(center, ends, samples), Box([-reach, -reach], [reach, reach]), budget=budget)
    assert isinstance(cx, PlaneComplex)
    outputs = cx.outputs.reshape(len(cx.vertices), -1)
    if samples.loss == "absolute":
        values = outputs.mean(axis=1)
        least = _at(cx, values, int(np.argmin(values)))
    else:
        residuals = outputs - samples.targets.reshape(-1)
        values = np.square(residuals).mean(axis=1)
        least = _least_square(cx, residuals)
    return LossPlane(samples.loss, cx, values, _at(cx, values, int(np.argmax(values))), least)


def one_layer(direction: Direction, name: str) -> Direction:
    """The direction with only the parameters of one layer, given by the name of its module."""
    kept = {k: (p if k.rpartition(".")[0] == name else np.zeros_like(p)) for k, p in direction.parts.items()}
    if not any(p.any() for p in kept.values()):
        names = sorted({k.rpartition(".")[0] for k in direction.parts})
        raise InvalidInput(f"no parameter of layer {name!r} moves.", hint=f"one of {', '.join(names)}")
    return Direction(kept, f"{direction.name}, layer {name}")


def moving_layers(center: Network, ends: list[Network]) -> list[int]:
    """The nodes whose numbers differ between the networks."""
    for end in ends:
        check_alike(center, end)
    found = []
    for i, node in enumerate(center.nodes):
        arrays = [node.op.arrays()] + [e.nodes[i].op.arrays() for e in ends]
        if any(not np.array_equal(arrays[0][k], other[k]) for other in arrays[1:] for k in arrays[0]):
            found.append(i)
    return found


def _in_the_plane(center: Network, ends: list[Network], samples: Samples) -> Network:
    """The network from (u, v) to the outputs of all samples; for the absolute loss, to what is left to the targets."""
    layers = moving_layers(center, ends)
    if len(layers) != 1:
        raise InvalidInput(
            f"{len(layers)} layers move.", hint="one_layer(direction, name) moves one; loss_surface samples planes of all weights"
        )
    moving = layers[0]
    x = samples.x.reshape(len(samples.x), *center.input_shape)
    z, *others = (net.tensors(x)[moving] for net in (center, *ends))
    steps = np.stack([(other - z).reshape(-1) for other in others], axis=1)
    ops: list[Op] = [Linear(steps, z.reshape(-1)), Reshape(z.shape)]
    for i, node in enumerate(center.nodes[moving + 1 :], start=moving + 1):
        plain = node.inputs == (i - 1,) and len(node.shape) == 1 and isinstance(node.op, Affine | Fold)
        entrywise = isinstance(node.op, Fold) and not node.op.is_contest
        if not plain or not (entrywise or node.op.dense is not None):
            raise InvalidInput(
                f"layer {node.name!r} ({node.op.kind}) follows the one that moves.",
                hint="dense layers and activations may follow",
            )
        ops.append(node.op)
    if samples.loss == "absolute":
        ops += [Scale(np.ones(()), -samples.targets.reshape(len(x), -1)), Rectifier(np.array(-1.0))]
    return Network.sequential(2, ops)


def _at(cx: PlaneComplex, values: Array, vertex: int) -> tuple[float, float, float]:
    return (float(values[vertex]), *(float(c) for c in cx.vertices[vertex]))  # type: ignore[return-value]


def _least_square(cx: PlaneComplex, residuals: Array) -> tuple[float, float, float]:
    """The least mean square: in a cell where the quadratic has its minimum inside, else on an edge."""
    n = residuals.shape[1]
    first, last = residuals[cx.edges[:, 0]], residuals[cx.edges[:, 1]]
    d = last - first
    length = np.square(d).sum(axis=1)
    s = np.clip(-(first * d).sum(axis=1) / np.where(length > 0, length, 1.0), 0.0, 1.0)
    on_edges = np.square(first + s[:, None] * d).sum(axis=1) / n
    i = int(np.argmin(on_edges))
    place = cx.vertices[cx.edges[i, 0]] * (1 - s[i]) + cx.vertices[cx.edges[i, 1]] * s[i]
    best = (float(on_edges[i]), float(place[0]), float(place[1]))
    for a, b in zip(cx.cell_offsets[:-1], cx.cell_offsets[1:], strict=True):
        corners = cx.cell_vertices[a:b]
        p, r = cx.vertices[corners], residuals[corners]
        frame, changes = p[1:3] - p[0], r[1:3] - r[0]
        gram = changes @ changes.T
        if np.linalg.matrix_rank(gram) < 2:
            continue  # the least value is on an edge as well
        c = np.linalg.solve(gram, -changes @ r[0])
        inside = p[0] + c @ frame
        side, way = np.roll(p, -1, axis=0) - p, inside - p
        turns = side[:, 0] * way[:, 1] - side[:, 1] * way[:, 0]
        value = float(np.square(r[0] + c @ changes).sum() / n)
        if (turns >= 0).all() and value < best[0]:
            best = (value, float(inside[0]), float(inside[1]))
    return best
