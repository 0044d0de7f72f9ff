r"""A width-bounded universal network: hats of a grid, one after the other, in layers of d + 2 units."""

from __future__ import annotations

from itertools import product
from math import ceil, sqrt
from typing import Any

import numpy as np

from plica._types import Array
from plica.construct._arguments import error_argument, integer_argument
from plica.construct._construction import Construction
from plica.construct.errors._certificate import Certificate
from plica.construct.interpolants._boxes import unit_cube
from plica.construct.targets._slopes import curvature_bound, slope_bound, values_at
from plica.construct.targets._targets import as_target, dimension_of
from plica.errors import BudgetExceeded, InvalidInput
from plica.network import Linear, Network, Op, Rectifier

MAX_LAYERS = 2**13


def narrow(target: Any, n: int | None = None, *, error: float | None = None, n_variables: int | None = None) -> Construction:
    r"""Any smooth function on [0, 1]^d by a ReLU network whose layers have d + 2 units, whatever the accuracy [hanin2017]_.

    The hat of a vertex k of the grid of step 1/n, linear on the simplices of Kuhn's triangulation, is the largest of 0 and
    the smallest of d(d + 1) affine forms: with :math:`a_i = n x_i - k_i`

    .. math:: \max(0, \min_{i, j} (1 + \min(0, a_i) - \max(0, a_j))) = \max(0, \min(1 \pm a_i, 1 + a_i - a_j)).

    One unit carries the minimum so far, d units the input and one the sum of the hats so far, each times the value of
    the function, shifted to stay positive. The theorem needs d + 1 units with other chains, and says that d are too few.

    Examples
    --------
    >>> from plica.construct import sin, variables
    >>> (x,) = variables(1)
    >>> f = narrow(sin(3 * x), 4)
    >>> set(f.network.widths[1:-1]), f.depth, bool(abs(f([0.5])[0] - np.sin(1.5)) < 1e-12)
    ({3}, 10, True)
    """
    d = dimension_of(target, n_variables)
    goal = as_target(target, d)
    if (n is None) == (error is None):
        raise InvalidInput("give either the number of cells along each axis or the error.")
    low, high = [0.0] * d, [1.0] * d
    curvature = curvature_bound(goal, low, high)
    if n is None:
        n = max(1, ceil(sqrt(curvature / (8 * float(error_argument(error)))) * (1 + 1e-9)))
    n = integer_argument("n", n)
    depth = (n + 1) ** d * d * (d + 1)
    if depth > MAX_LAYERS:
        raise BudgetExceeded(
            f"a grid of {n + 1}^{d} hats takes {depth:,} layers; the limit is {MAX_LAYERS:,}.",
            hint="a larger error or fewer dimensions",
            partial={"depth": depth},
        )
    indices = np.array(list(product(range(n + 1), repeat=d)))
    values, slack = values_at(goal, indices / n)
    slack += float(np.spacing(1.0)) * slope_bound(goal, low, high)
    network, rounding = _chain(n, d, indices, values)
    bound = curvature / (8 * n * n) * (1 + 1e-12) + slack + rounding
    certificate = Certificate(bound, "sup", unit_cube(d), "second derivatives over 8 n^2", goal, network)
    theorem = {"width": d + 2, "depth": len(network.layers), "error": curvature / (8 * n * n)}
    return Construction("narrow", network, {"n": n, "n_variables": d}, theorem, ("hanin2017",), certificate)


def _forms(k: Array, n: int) -> list[Array]:
    """The affine forms (slopes, constant) whose minimum is the hat of a vertex where it is positive."""
    d = len(k)
    a = [np.append(n * np.eye(d)[i], -k[i]) for i in range(d)]
    one = np.append(np.zeros(d), 1.0)
    forms = [one + s * f for f in a for s in (1.0, -1.0)]
    return forms + [one + a[i] - a[j] for i in range(d) for j in range(d) if i != j]


def _chain(n: int, d: int, indices: Array, values: Array) -> tuple[Network, float]:
    """Layers (x, chain, sum). A chain unit u stands for l - u, with l the form just used, and for the hat itself at the end."""
    shift = float(np.ceil(np.abs(values).sum())) + 1.0
    ops: list[Op] = []
    read, offset = (
        np.vstack([np.eye(d), np.zeros((2, d))]),
        np.append(np.zeros(d + 1), shift),
    )  # from the layer below to (x, y, sum)
    for k, value in zip(indices, values, strict=True):
        if not value:
            continue
        first, *rest = _forms(k, n)
        start = np.eye(d + 2)
        start[d] = np.append(first[:d], [0.0, 0.0])  # the chain begins anew with the first form
        read, offset = start @ read, start @ offset + np.append(np.zeros(d), [first[d], 0.0])
        for form in rest:  # min(y, l) = l - relu(l - y)
            step = np.eye(d + 2)
            step[d] = np.append(form[:d], [-1.0, 0.0])
            constant = np.append(np.zeros(d), [form[d], 0.0])
            ops += [Linear(step @ read, step @ offset + constant), Rectifier()]
            read, offset = step.copy(), constant
        ops += [Linear(read, offset), Rectifier()]  # max(y, 0)
        read, offset = np.eye(d + 2), np.zeros(d + 2)
        read[d + 1, d] = value  # the hat joins the sum
    out, end = read[d + 1 :], offset[d + 1 :] - shift
    rounding = float(np.abs(values).sum() + shift) * 2.0**-48
    return Network.sequential(d, [*ops, Linear(out, end)], name=f"narrow, width {d + 2}"), rounding
