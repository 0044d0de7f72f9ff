r"""Functions of two variables, linear on the triangles of a grid: one hat for each vertex, all hidden weights integers."""

from __future__ import annotations

from itertools import product
from math import ceil, sqrt
from typing import Any

import numpy as np

from plica._types import Array
from plica.construct._arguments import error_argument, integer_argument
from plica.construct._construction import Construction
from plica.construct.circuits._circuit import Circuit
from plica.construct.errors._certificate import Certificate
from plica.construct.targets._slopes import curvature_bound, values_at
from plica.construct.targets._targets import as_target
from plica.errors import BudgetExceeded, InvalidInput
from plica.geometry import Box
from plica.network import Network

MAX_CELLS = 64  # along each axis


def triangulation(target: Any, n: int | None = None, *, error: float | None = None) -> Construction:
    r"""The interpolant of a smooth function on the unit square, linear on 2 n^2 triangles, with three hidden layers.

    With a = n x - k and b = n y - l the hat of vertex (k, l) is

    .. math:: \mathrm{ReLU}(1 + \min(0, a, b) - \max(0, a, b))

    and :math:`\max(0, a, b) = \mathrm{ReLU}(b + \mathrm{ReLU}(a - b))`, whose inner unit depends on k - l alone. The error is
    at most :math:`(|g_{xx}| + 2|g_{xy}| + |g_{yy}|) / 8n^2`.

    Examples
    --------
    >>> from plica.construct import variables
    >>> x, y = variables(2)
    >>> t = triangulation(x * y, 4)
    >>> t.network.widths, round(float(t([0.5, 0.75])[0]), 12), float(t.certificate.bound) <= 1 / 64 + 1e-12
    ((2, 15, 32, 16, 1), 0.375, True)
    """
    goal = as_target(target, 2)
    if (n is None) == (error is None):
        raise InvalidInput("give either the number of cells along each axis or the error.")
    curvature = curvature_bound(goal, [0.0, 0.0], [1.0, 1.0])
    if n is None:
        n = max(1, ceil(sqrt(curvature / (8 * float(error_argument(error)))) * (1 + 1e-9)))
    n = integer_argument("n", n)
    if n > MAX_CELLS:
        raise BudgetExceeded(
            f"a grid of {n} x {n} cells has {3 * (n + 1) ** 2:,} units; the limit is {MAX_CELLS} x {MAX_CELLS} cells.",
            hint="a larger error",
            partial={"n_units": 3 * (n + 1) ** 2},
        )
    points = np.array(list(product(range(n + 1), repeat=2))) / n
    values, slack = values_at(goal, points)
    slack += float(np.spacing(1.0)) * slope_slack(goal)
    network = hats(values.reshape(n + 1, n + 1))
    bound = curvature / (8 * n * n) * (1 + 1e-12) + slack
    certificate = Certificate(bound, "sup", Box([0, 0], [1, 1]), "second derivatives over 8 n^2", goal, network)
    theorem = {"units": 3 * (n + 1) ** 2 + 4 * n, "depth": 3, "error": curvature / (8 * n * n)}
    return Construction("triangulation", network, {"n": n}, theorem, ("poggio2017",), certificate)


def slope_slack(goal: Any) -> float:
    """How much the target can change while a grid point moves by one: vertices k / n are rounded, the network's are not."""
    from plica.construct.targets._slopes import slope_bound

    return slope_bound(goal, [0.0, 0.0], [1.0, 1.0])


def hats(values: Array) -> Network:
    """The network that is linear on the triangles of an n x n grid over the unit square with the given values at its vertices."""
    n = len(values) - 1
    circuit = Circuit(2)
    x, y = circuit.inputs
    terms = []
    above = {k: circuit.relu((x - y) * n - k) for k in range(-n, n + 1)}  # of a - b of the vertices on one diagonal
    below = {k: circuit.relu((y - x) * n + k) for k in range(-n, n + 1)}
    height = circuit.relu(y)  # y is not negative on the square
    for k, j in product(range(n + 1), repeat=2):
        if values[k, j]:
            b = height * n - j
            largest = circuit.relu(b + above[k - j])
            smallest = circuit.relu(below[k - j] - b)
            terms.append(circuit.relu(1 - largest - smallest) * float(values[k, j]))
    return circuit.network(circuit.total(terms), name=f"hats of a {n} x {n} grid")
