r"""Narrow networks: chains of maxima and minima in layers one unit wider than the input."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np

from plica._types import Array
from plica.construct._arguments import array_argument, error_argument, integer_argument, interval_argument
from plica.construct._construction import Construction
from plica.construct.errors._certificate import Certificate
from plica.construct.targets._slopes import ROUNDING, checked_lipschitz, curvature_bound, values_at
from plica.construct.targets._targets import as_target
from plica.errors import BudgetExceeded, InvalidDomain, InvalidInput, UnsupportedLayer
from plica.geometry import Box, Segment
from plica.network import Linear, Network, Op, Rectifier

MAX_DEPTH = 2**13


def max_min_string(forms: Any, operations: Sequence[str], *, low: Any, high: Any) -> Construction:
    r"""A chain :math:`y_k = \max(y_{k-1}, l_k)` or :math:`\min(y_{k-1}, l_k)` of affine forms, with layers of d + 1 units.

    :math:`\max(y, l) = l + \mathrm{ReLU}(y - l)`; d units of each layer carry the input, from which its lower end is
    taken away so that it stays positive. Such chains approximate every continuous function on a compact set
    [hanin2017]_; here the chain is given.

    Parameters
    ----------
    forms
        Rows (slopes, constant): the first is :math:`y_0`.
    operations
        ``max`` or ``min`` for each of the others.
    low, high
        The box on which the input stays.

    Examples
    --------
    >>> hat = max_min_string([[1.0, 0.0], [-1.0, 1.0], [0.0, 0.25]], ["min", "max"], low=[0.0], high=[1.0])
    >>> hat.network.widths, hat([0.5]), hat([1.0])
    ((1, 2, 2, 1), array([0.5]), array([0.25]))
    """
    rows = array_argument("forms", forms)
    a, b = np.atleast_1d(array_argument("low", low)), np.atleast_1d(array_argument("high", high))
    if rows.ndim != 2 or rows.shape[1] != len(a) + 1 or len(rows) != len(operations) + 1 or not np.isfinite(rows).all():
        raise InvalidInput(
            f"{len(operations)} operations in {len(a)} dimensions need {len(operations) + 1} forms (slopes, constant)."
        )
    if any(op not in ("max", "min") for op in operations):
        raise InvalidInput("the operations of a chain are max and min.")
    if a.shape != b.shape or not (a < b).all():
        raise InvalidDomain(f"the box from {a.tolist()} to {b.tolist()} is empty.")
    if len(operations) > MAX_DEPTH:
        raise BudgetExceeded(
            f"a chain of {len(operations):,} layers; the limit is {MAX_DEPTH:,}.", partial={"depth": len(operations)}
        )
    network, _ = _chain(rows, operations, a, b)
    domain = Segment(a, b) if len(a) == 1 else Box(a, b)
    theorem = {"width": len(a) + 1, "depth": len(operations), "domain": repr(domain), "error": 0}
    return Construction("max-min-string", network, {"depth": len(operations)}, theorem, ("hanin2017",))


def _chain(rows: Array, operations: Sequence[str], low: Array, high: Array) -> tuple[Network, float]:
    """Layers of d + 1 units: z = x - low, and one unit u with y = l + u (max) or y = l - u (min) for the form l just used.

    Also a bound of what rounding the weights to floats changes on the box: each layer subtracts two forms, coefficient by
    coefficient, and a maximum or minimum passes what it is given with slope one.
    """
    d = len(low)
    ops: list[Op] = []
    local = np.column_stack([rows[:, :d], rows[:, :d] @ low + rows[:, d]])  # the forms in z
    read, shift = np.vstack([np.eye(d), local[:1, :d]]), np.append(-low, local[0, d] - local[0, :d] @ low)  # from x to (z, y)
    for form, operation in zip(local[1:], operations, strict=True):
        s = 1.0 if operation == "max" else -1.0
        step = np.zeros((d + 1, d + 1))  # from (z, y) to (z, s (y - l))
        step[:d, :d], step[d, :d], step[d, d] = np.eye(d), -s * form[:d], s
        ops += [Linear(step @ read, step @ shift + np.append(np.zeros(d), -s * form[d])), Rectifier()]
        read, shift = np.eye(d + 1), np.zeros(d + 1)
        read[d, :d], read[d, d], shift[d] = form[:d], s, form[d]
    sizes = np.abs(rows[:, :d]) @ (2 * np.maximum(np.abs(low), np.abs(high))) + np.abs(rows[:, d])
    rounding = float(sizes.sum()) * (d + 4) * 2.0**-51
    return Network.sequential(d, [*ops, Linear(read[d:], shift[d:])], name="max-min string"), rounding


def narrow_convex(target: Any, n: int, *, low: Any, high: Any) -> Construction:
    r"""A convex function from below by tangent planes at the points of a grid: width d + 1, one layer for each plane.

    As in [hanin2017]_. The largest of the tangents at a grid of distance h is within :math:`h^2 / 8` times the sum of all
    second derivatives; the caller answers for the convexity, which the certificate checks in effect.

    Examples
    --------
    >>> from plica.construct import variables
    >>> x, y = variables(2)
    >>> c = narrow_convex(x * x + y * y, 3, low=[-1, -1], high=[1, 1])
    >>> c.network.widths[1], c.depth, bool(c([0.0, 0.0])[0] <= 0)
    (3, 8, True)
    """
    a, b = np.atleast_1d(array_argument("low", low)), np.atleast_1d(array_argument("high", high))
    d = len(a)
    goal = as_target(target, d)
    n = integer_argument("n", n)
    if a.shape != b.shape or not (a < b).all():
        raise InvalidDomain(f"the box from {a.tolist()} to {b.tolist()} is empty.")
    if n**d > MAX_DEPTH:
        raise BudgetExceeded(f"{n}^{d} tangent planes; the limit is {MAX_DEPTH:,}.", partial={"depth": n**d})
    from plica.construct.targets._intervals import Interval
    from plica.construct.targets._targets import smooth

    width = (b - a) / n
    grid = np.stack(np.meshgrid(*(a[i] + width[i] * (np.arange(n) + 0.5) for i in range(d)), indexing="ij"), -1).reshape(-1, d)
    g, at = smooth(goal), [Interval.of(column) for column in grid.T]
    values, slack = values_at(goal, grid)
    gradient = [g.first(at, i) for i in range(d)]
    slopes = np.stack([np.broadcast_to(first.middle(), len(grid)) for first in gradient], axis=1)
    tilt = sum(float(np.max(first.width())) * float(w) for first, w in zip(gradient, width, strict=True))
    forms = np.column_stack([slopes, values - (slopes * grid).sum(1)])
    domain = Segment(a, b) if d == 1 else Box(a, b)
    network, rounding = _chain(forms, ["max"] * (len(forms) - 1), a, b)
    remainder = float(np.max(width)) ** 2 * curvature_bound(goal, a.tolist(), b.tolist()) / 8 * (1 + 1e-9)
    bound = remainder + slack + tilt + rounding
    certificate = Certificate(bound, "sup", domain, "second-order remainder of tangent planes", goal, network)
    theorem = {"width": d + 1, "depth": n**d - 1}
    return Construction("narrow-convex", network, {"n": n}, theorem, ("hanin2017",), certificate)


def narrow_line(
    target: Any, *, error: float, lipschitz: float | None = None, interval: tuple[float, float] = (0.0, 1.0)
) -> Construction:
    r"""A function of one variable with Lipschitz constant rho, by a chain of width 2: rising and falling lines in turn.

    At each of m + 1 knots a line of slope rho that ends in the knot's value is put in by a maximum, and a falling one by a
    minimum; both are no nearer to the function than it is itself on the left, where the work is done. Between knots the
    network is within :math:`2 \rho h`.

    Examples
    --------
    >>> from plica.construct import sin, variables
    >>> (x,) = variables(1)
    >>> f = narrow_line(sin(6 * x), error=0.5)
    >>> f.network.widths[1:4], f.depth
    ((2, 2, 2), 50)
    """
    eps = error_argument(error)
    low, high = interval_argument(interval)
    goal = as_target(target, 1)
    rho = float(checked_lipschitz(goal, [low], [high], lipschitz)) * (1 + 2 * float(ROUNDING))
    m = ceil(2 * rho * (high - low) / float(eps))
    if 2 * m > MAX_DEPTH:
        raise BudgetExceeded(
            f"an error of {float(eps):g} at slopes up to {rho:g} needs {2 * m:,} layers; the limit is {MAX_DEPTH:,}.",
            hint="a larger error",
            partial={"depth": 2 * m},
        )
    knots = np.linspace(low, high, m + 1)
    values, slack = values_at(goal, knots[:, None])
    forms = [[-rho, values[0] + rho * knots[0]]]
    for k in range(1, m + 1):
        forms += [[rho, values[k] - rho * knots[k]], [-rho, values[k] + rho * knots[k]]]
    network, rounding = _chain(np.array(forms), ["max", "min"] * m, np.array([low]), np.array([high]))
    bound = 2 * rho * float(np.diff(knots).max()) * (1 + 1e-9) + slack + rounding
    certificate = Certificate(bound, "sup", Segment([low], [high]), "lines of the largest slope", goal, network)
    theorem = {"width": 2, "depth": 2 * m, "error": eps}
    parameters = {"error": float(eps), "lipschitz": rho, "interval": (low, high)}
    return Construction("narrow-line", network, parameters, theorem, ("hanin2017",), certificate)


def serialized(network: Network | Construction, *, low: Any, high: Any) -> Construction:
    r"""A ReLU network with one hidden layer as a deep one of width d + 2: a unit at a time, and a unit that holds the sum.

    With :func:`spline`, :func:`box_network` or any other approximation behind it, this makes narrow networks universal
    (width d_in + d_out + 1 of [hanin2017]_ is d_in + d_out with chains of maxima and minima). The sum is shifted so that it
    stays positive on the box; adding the lower end of the box to the biases rounds them once.

    Examples
    --------
    >>> import numpy as np, plica
    >>> net = plica.random_network([2, 5, 1], seed=3)
    >>> deep = serialized(net, low=[-1, -1], high=[1, 1])
    >>> deep.network.widths, np.allclose(deep([0.3, -0.7]), net([0.3, -0.7]))
    ((2, 4, 4, 4, 4, 4, 1), True)
    """
    net = network.network if isinstance(network, Construction) else network
    if not isinstance(net, Network):
        raise InvalidInput(f"expected a Network, got {type(net).__name__}.")
    ops = [node.op for node in net.nodes[1:]]
    kinds = [type(op) for op in ops]
    if kinds != [Linear, Rectifier, Linear] or net.n_outputs != 1 or not net.folds[0].is_relu:
        raise UnsupportedLayer(
            f"{net!r} is not a ReLU network with one hidden layer and one output.", hint="Linear, Rectifier, Linear"
        )
    a, b = np.atleast_1d(array_argument("low", low)), np.atleast_1d(array_argument("high", high))
    if a.shape != (net.n_inputs,) or a.shape != b.shape or not (a < b).all():
        raise InvalidDomain(f"the box from {a.tolist()} to {b.tolist()} does not hold the {net.n_inputs} inputs.")
    first, last = net.dense_layers
    W, c = first.weight, last.weight[0]
    bias = np.zeros(len(W)) if first.bias is None else first.bias
    largest = np.maximum(W, 0) @ b + np.minimum(W, 0) @ a + bias
    shift = float(np.ceil((np.abs(c) * np.maximum(largest, 0.0)).sum())) + 1.0
    d = net.n_inputs
    read, start = np.vstack([np.eye(d), np.zeros((1, d)), W[:1]]), np.concatenate([-a, [shift], bias[:1]])
    chain: list[Op] = [Linear(read, start), Rectifier()]  # units (x - low, sum, unit k)
    for k in range(1, len(W)):
        weight, offset = np.eye(d + 2), np.zeros(d + 2)
        weight[d, d + 1] = c[k - 1]
        weight[d + 1, :d], weight[d + 1, d + 1], offset[d + 1] = W[k], 0.0, bias[k] + W[k] @ a
        chain += [Linear(weight, offset), Rectifier()]
    out = np.concatenate([np.zeros(d), [1.0, c[-1]]])[None, :]
    end = np.array([-shift + (0.0 if last.bias is None else float(last.bias[0]))])
    found = Network.sequential(d, [*chain, Linear(out, end)], name="serialized")
    theorem = {"width": d + 2, "depth": len(W)}
    return Construction("serialized", found, {"n_units": len(W)}, theorem, ("hanin2017",))
