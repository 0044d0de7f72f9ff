r"""All of R^n: a box that meets every face of the complex, found exactly.

Outside [-1, 1]^n, R^n is seen in homogeneous coordinates. A point x = u / w with largest coordinate :math:`|x_i| = 1/w \ge 1`
is a point (u, w) of one of 2n boxes: u_i is 1 or -1, the other u_j lie in [-1, 1] and w in [0, 1], with w = 0 at infinity.
There the network is replaced by its homogenization w f(u / w): every offset b becomes b w, thresholds likewise. For w > 0 it
has the same cells, and it is again a piecewise-linear network over an n-dimensional box, whose complex the engines compute.

Let every vertex with w > 0 of these 2n complexes satisfy 1/w < M. Then every face F of the complex in R^n meets the interior of
[-M, M]^n. This is clear where F meets [-1, 1]^n. Otherwise take a point p of F in one of the 2n boxes, and the face G of that
box's complex with p in its relative interior: all units keep their signs on G, so G lies in F (closed up at w = 0). G is a
polytope with a point of positive w, so one of its vertices has positive w, and that vertex is a point of F in the interior of
[-M, M]^n.

So the cells over [-M, M]^n are the cells of R^n, cut off: the same patterns, facets and neighbors. A cell is unbounded exactly
when its part in the box has a facet on the border: rays from its interior leave the box through one. And a bounded cell is the
hull of its vertices, which are inside.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import frexp

import numpy as np

from plica._types import Array
from plica.errors import InvalidDomain
from plica.geometry._budget import Budget, Meter, tick, watched
from plica.geometry._complex import Complex
from plica.geometry.domains import Box
from plica.geometry.line._complex import LineComplex
from plica.geometry.plane._complex import PlaneComplex
from plica.geometry.space._complex import SpaceComplex
from plica.network import Add, Affine, Builder, Concat, Fold, Gather, Linear, Network, Rectifier, Reshape, Scale, walk

_LARGEST = 2.0**1000


def homogeneous(network: Network, axis: int, sign: int) -> Network:
    """The network behind one side of [-1, 1]^n, up to its last fold, as a function of the other coordinates and w.

    Examples
    --------
    >>> net = Network.sequential(1, [Linear(np.array([[2.0]]), np.array([-6.0])), Rectifier()])  # folds at x = 3
    >>> homogeneous(net, 0, 1)(np.array([1 / 3 + 0.01])) == 0, homogeneous(net, 0, 1)(np.array([1 / 3 - 0.01])) > 0
    (array([ True]), array([ True]))
    """
    n = network.n_inputs
    b = Builder(n)
    place = np.delete(np.arange(n), axis)
    matrix, offset = np.zeros((n, n)), np.zeros(n)
    matrix[place, np.arange(n - 1)] = 1.0
    offset[axis] = sign
    start = b.add(Linear(matrix, offset))
    new = {0: start if len(network.input_shape) == 1 else b.add(Reshape(network.input_shape), start)}

    new = walk(network, _Homogeneous(b), new, stop=network.layers[-1] + 1, keep=True)
    # a fold may lead nowhere, so the output reads them all
    flat = [b.add(Reshape((network.nodes[i].size,)), new[i]) for i in network.layers]
    return b.build(b.add(Concat(0), *flat))


class _Homogeneous:
    """A semantics whose values are nodes of another network: constants are multiples of w, its last input.

    It is a calculus too, in which folds with thresholds are formulas of rectifiers.
    """

    def __init__(self, builder: Builder) -> None:
        self._b = builder

    def affine(self, index: int, op: Affine, xs: list[int]) -> int:
        if op.offset is None:
            return self._b.add(op, *xs)
        assert op.coefficients is not None
        linear = self._b.add(op.with_numbers(op.coefficients, None), *xs)
        return self._plus(linear, np.broadcast_to(op.offset, self._b.shape(linear)))

    def fold(self, index: int, op: Fold, x: int, layer: int) -> int:
        if op.is_homogeneous:
            return self._b.add(op, x)
        if not np.isfinite(op.constants).all():
            raise InvalidDomain(f"a {op.kind} with an infinite threshold is not known over all of R^n.", hint="use a rectifier")
        return op.by_rectifiers(x, self)

    def rectified(self, x: int, slope: Array) -> int:
        return self._b.add(Rectifier(slope), x)

    def moved(self, x: int, offset: float) -> int:
        return self._plus(x, np.full(self._b.shape(x), offset))

    def combined(self, a: int, b: int, factor: float) -> int:
        return self._b.add(Add(), a, b if factor == 1.0 else self._b.add(Scale(np.array(factor)), b))

    def taken(self, x: int, indices: Array) -> int:
        return self._b.add(Gather(indices), x)

    def _plus(self, x: int, values: Array) -> int:
        """x plus a constant tensor times w."""
        column = np.zeros((values.size, self._b.shape(0)[0]))
        column[:, -1] = values.reshape(-1)
        flat = self._b.add(Linear(column), 0)
        return self._b.add(Add(), x, flat if values.ndim == 1 else self._b.add(Reshape(values.shape), flat))


def reach(network: Network, *, meter: Meter | None = None) -> float:
    """A power of two M such that every face of the complex in R^n meets the interior of [-M, M]^n."""
    from plica.geometry._decompose import decompose

    meter = meter or Meter(Budget(), len(network.layers))
    n, nearest = network.n_inputs, 1.0
    for axis in range(n if network.layers else 0):
        for sign in (-1, 1):
            box = Box([-1.0] * (n - 1) + [0.0], [1.0] * n)
            cx = decompose(homogeneous(network, axis, sign), box, budget=meter.rest())
            with watched(meter):
                nearest = min(nearest, smallest_height(cx))
    exponent = 2 - frexp(nearest)[1]  # nearest >= 2**(e - 1), so 1 / nearest <= 2**(1 - e) < 2**(2 - e)
    if exponent > 1000:
        raise InvalidDomain("folds of the network meet beyond 1e301.", hint="decompose a box: plica.Box([-1e6] * n, [1e6] * n)")
    return 2.0**exponent


def smallest_height(cx: Complex) -> float:
    """A lower bound of w over the vertices that are not at w = 0; exact vertices where floats are not sure."""
    found = 1.0
    for first, values, error, finite in _heights(cx):
        rows = np.flatnonzero(finite)
        sure = values[rows] >= 2 * error[rows]
        found = min(found, float((values[rows] - error[rows])[sure].min(initial=1.0)))
        for v in rows[~sure]:
            tick()
            exact = cx.exact_vertex(first + int(v))[-1]
            assert exact > 0
            found = min(found, float(exact) / 2) if float(exact) > 0 else 0.0
    return max(found, 2.0**-1074)


def _heights(cx: Complex) -> Iterator[tuple[int, Array, Array, Array]]:
    """For chunks of the vertices: number of the first, w, its error, and whether it is off the side w = 0."""
    if isinstance(cx, LineComplex):
        (part,) = cx._parts
        p = part.chunk.parameters
        finite = ~((part.chunk.hyperplanes[:, 0] < 0) & (part.chunk.hyperplanes[:, 1] == 0))
        yield 0, p.values[:, 0], p.error, finite
    elif isinstance(cx, PlaneComplex):
        p, line = cx._walk.parameters, cx._walk.mesh.vertex_hyperplanes.reshape(-1, 2, 3)
        # corners 0 and 1 of the box have w = 0, and so has side 0 between them
        corner = (line[:, 0, 0] < 0) & (line[:, 0, 2] < 0)
        on_side = ((line[:, :, 0] < 0) & (line[:, :, 2] == 0)).any(axis=1)
        yield 0, p.values[:, -1], p.error, ~np.where(corner, line[:, 0, 1] < 2, on_side)
    else:
        assert isinstance(cx, SpaceComplex)
        p, v = cx._walk.parameters, cx._walk.lattice.vertices
        bottom = 2 * (cx.dimension - 1)  # the number of the side w = 0
        yield 0, p.values[:, -1], p.error, ~(v.hyperplanes == bottom).any(axis=1)


def decompose_space(network: Network, meter: Meter) -> Complex:
    """The complex over a box that shows all cells of R^n."""
    from plica.geometry._decompose import decompose
    from plica.geometry.space._lattice import cube_bytes

    n = network.n_inputs
    if n > 2:
        meter.check(n_bytes=cube_bytes(n))  # what every box of so many dimensions takes, before a network is written out n times
    m = reach(network, meter=meter)
    return decompose(network, Box([-m] * n, [m] * n), budget=meter.rest(), progress=meter.progress)
