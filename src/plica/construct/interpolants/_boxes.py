r"""Boxes: the partition lemma, and the network with two hidden layers whose units are bumps on the boxes of a grid."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product
from math import ceil
from typing import Any

import numpy as np

from plica._types import Array
from plica.construct._arguments import error_argument, integer_argument
from plica.construct._construction import Construction
from plica.construct.circuits._circuit import Circuit, Wire
from plica.construct.errors._certificate import Certificate
from plica.construct.targets._numbers import rational
from plica.construct.targets._slopes import ROUNDING, checked_lipschitz, values_at
from plica.construct.targets._targets import Target, as_target, dimension_of
from plica.errors import BudgetExceeded, InvalidInput
from plica.geometry import Box, Domain, Segment

BITS = 40  # edges of boxes are multiples of 2^-40, so that every weight is a float
MAX_BOXES = 2**13
PLACES = ("center", "corner")


def grid_edges(n: int) -> list[Fraction]:
    """n + 1 points from 0 to 1, next to k / n, as multiples of 2^-40."""
    return [Fraction(round(Fraction(k, n) * 2**BITS), 2**BITS) for k in range(n + 1)]


def unit_cube(d: int) -> Domain:
    """[0, 1]^d as a domain."""
    return Segment([0.0], [1.0]) if d == 1 else Box([0.0] * d, [1.0] * d)


def box_network(
    target: Any,
    *,
    error: Fraction | float,
    n_variables: int | None = None,
    lipschitz: float | None = None,
    modulus: Fraction | float | None = None,
    value: str = "center",
    ramp: Fraction | float | None = None,
) -> Construction:
    r"""Two hidden layers that approximate a function on [0, 1]^d within 2 eps in the mean: a bump for each box [telgarsky2021]_.

    The cube is divided into :math:`\lceil 1/\delta \rceil^d` boxes on which the function changes by at most eps, with
    :math:`\delta = \varepsilon / \rho` for slopes :math:`\rho` (for distances in the largest coordinate). The step function with
    the values of the function in the boxes is within eps (partition lemma). Each step becomes
    :math:`\mathrm{ReLU}(\sum_j t_j(x_j) - (d - 1))` with trapezoids t of four ReLUs, shared by the boxes of a slab; the ramps
    cost at most another eps in the mean, because they are narrow.

    Parameters
    ----------
    target
        A target or an expression of d variables.
    error
        eps.
    lipschitz
        The Lipschitz constant; it is checked. Without it one is computed.
    modulus
        Instead of the slopes, the width delta over which the target changes by at most eps; the caller answers for it.
    value
        The point of each box whose value the step has: ``center`` or ``corner``. The proof allows any.
    ramp
        The width of the ramps; by default the largest power of 1/2 for which they cost at most eps.

    Examples
    --------
    >>> from plica.construct import variables
    >>> x, y = variables(2)
    >>> b = box_network(x * y, error=0.25)
    >>> b.n_units, b.theorem["units"], b.certificate.norm
    (114, 128, 'L1')
    """
    eps = error_argument(error)
    if value not in PLACES:
        raise InvalidInput(f"unknown place {value!r}.", hint=f"one of {', '.join(PLACES)}")
    d = dimension_of(target, n_variables)
    goal = as_target(target, d)
    if modulus is not None:
        if not modulus > 0:
            raise InvalidInput(f"the modulus must be positive, got {modulus}.")
        n, change = ceil(1 / Fraction(modulus)), eps
    else:
        rho = rational(checked_lipschitz(goal, [0.0] * d, [1.0] * d, lipschitz))
        n = ceil(rho / eps)
        change = rho * (1 + ROUNDING) * (Fraction(1, n) + Fraction(1, 2**BITS)) * (Fraction(1, 2) if value == "center" else 1)
    if n**d > MAX_BOXES:
        raise BudgetExceeded(
            f"an error of {float(eps):g} in {d} dimensions needs {n}^{d} = {n**d:,} boxes; the limit is {MAX_BOXES:,}.",
            hint="a larger error or fewer dimensions",
            partial={"n_boxes": n**d},
        )
    edges = grid_edges(n)
    values, slack = step_values(goal, edges, d, value)
    height = rational(float(np.abs(values).max()))
    width = Fraction(1, n) - Fraction(1, 2**BITS)
    gamma = rational(ramp) if ramp is not None else _ramp(height, eps, width, d)
    if not 0 < gamma <= width / 2:
        raise InvalidInput(f"ramps of width {float(gamma):g} do not fit twice into boxes of width {float(width):g}.")
    cost = height * (1 - (1 - 2 * gamma / width) ** d)
    network = _network(values, edges, gamma, d)
    bound = change + cost + rational(slack)
    certificate = Certificate(bound, "L1", unit_cube(d), "partition lemma and the volume of the ramps", goal, network)
    theorem = {"units": 4 * d * n + n**d, "depth": 2, "error": 2 * eps}
    parameters = {"error": float(eps), "n": n, "ramp": float(gamma), "value": value}
    return Construction("box-network", network, parameters, theorem, ("telgarsky2021",), certificate)


def step_values(goal: Target, edges: list[Fraction], d: int, value: str) -> tuple[Array, float]:
    """The values of the target in all boxes, in the order of their indices, and a bound of their rounding."""
    n = len(edges) - 1
    places = [float(a + b) / 2 if value == "center" else float(a) for a, b in pairwise(edges)]
    points = np.array(list(product(places, repeat=d))).reshape(n**d, d)
    return values_at(goal, points)


def _ramp(height: Fraction, eps: Fraction, width: Fraction, d: int) -> Fraction:
    gamma = Fraction(1, 4)
    while 2 * gamma > width or height * (1 - (1 - 2 * gamma / width) ** d) > eps:
        gamma /= 2
    return gamma


def _network(values: Array, edges: list[Fraction], gamma: Fraction, d: int) -> Any:
    circuit = Circuit(d)
    n = len(edges) - 1
    slabs: list[list[Wire]] = []
    for x in circuit.inputs:
        row = []
        for a, b in pairwise(edges):
            up = circuit.relu(x - a) - circuit.relu(x - (a + gamma))
            down = circuit.relu(x - (b - gamma)) - circuit.relu(x - b)
            row.append((up - down) / gamma)
        slabs.append(row)
    bumps = []
    for v, index in zip(values, product(range(n), repeat=d), strict=True):
        if v:
            bumps.append(circuit.relu(circuit.total([slabs[j][i] for j, i in enumerate(index)]) - (d - 1)) * float(v))
    return circuit.network(circuit.total(bumps), name="boxes")


def step_function(target: Any, *, n: int, n_variables: int | None = None, value: str = "center") -> tuple[list[Fraction], Array]:
    """The step function of the partition lemma: the edges of n^d boxes of [0, 1]^d, and the value of the target in each.

    Examples
    --------
    >>> from plica.construct import variables
    >>> (x,) = variables(1)
    >>> step_function(x * x, n=2)[1]
    array([0.0625, 0.5625])
    """
    d = dimension_of(target, n_variables)
    edges = grid_edges(integer_argument("n", n))
    values, _ = step_values(as_target(target, d), edges, d, value)
    return edges, values.reshape((n,) * d)
