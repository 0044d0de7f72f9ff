r"""Rolnick and Tegmark: products and monomials of smooth units, shallow with exponentially many and deep with few."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import comb, prod

import numpy as np

from plica.construct._arguments import integer_argument
from plica.construct.circuits._circuit import Wire
from plica.construct.perceptrons._activations import CENTERS, derivative, derivative_bound
from plica.construct.perceptrons._certificate import smooth_certificate
from plica.construct.perceptrons._circuit import ROUNDING, UnitCircuit, gate
from plica.construct.perceptrons._construction import UnitConstruction
from plica.construct.perceptrons._perceptron import Perceptron
from plica.errors import BudgetExceeded, InvalidInput
from plica.theory.approximation import deep_monomial_units, shallow_monomial_units

MAX_UNITS = 2**18


def multiplication(*, error: float = 1e-3, size: float = 1.0, activation: str = "softplus") -> UnitConstruction:
    r"""uv for :math:`|u|, |v| \le size`, with four units [rolnick2018]_.

    .. math::
        uv \approx \frac{\sigma(\lambda(u+v)) + \sigma(-\lambda(u+v)) - \sigma(\lambda(u-v)) - \sigma(-\lambda(u-v))}
                        {4 \sigma''(0) \lambda^2}

    The error is proportional to :math:`\lambda^2`; rounding in float64 limits how small :math:`\lambda` can be.

    Examples
    --------
    >>> m = multiplication(error=1e-4)
    >>> m.n_units, bool(abs(m([0.5, -0.75])[0] + 0.375) <= 1e-4)
    (4, True)
    """
    g = gate(activation, error, size)
    circuit = UnitCircuit(2, activation)
    network = circuit.perceptron(g.product(circuit, *circuit.inputs), name="multiplication gate")
    certificate = smooth_certificate(network, lambda x: x[:, 0] * x[:, 1], g.error(size), size, "remainder of Taylor's formula")
    parameters = {"error": error, "size": size, "activation": activation, "scale": g.scale}
    return UnitConstruction(
        "multiplication", network, parameters, {"units": 4, "depth": 1, "error": error}, ("rolnick2018",), certificate
    )


def shallow_monomial(
    exponents: Sequence[int], *, scale: float = 0.1, size: float = 1.0, activation: str = "exp"
) -> UnitConstruction:
    r""":math:`\prod_i x_i^{r_i}` with one hidden layer of :math:`\prod_i (r_i + 1)` units, :math:`2^n` for a product.

    As in [rolnick2018]_, the units are the terms of a difference of order :math:`r_i` in each direction; with d the degree the
    network is

    .. math::
        \prod_i x_i^{r_i} \; E\,\sigma^{(d)}(c + \lambda T) / \sigma^{(d)}(c), \quad T = \sum_{i} \sum_{j \le r_i} x_i U_{ij}

    with U uniform on [-1, 1]: its error is at most :math:`\lambda^2 d\, size^{d+2} \sup|\sigma^{(d+2)}| / 6|\sigma^{(d)}(c)|`.

    Examples
    --------
    >>> shallow_monomial([1, 1, 1]).n_units, shallow_monomial([2, 3]).n_units
    (8, 12)
    """
    r = _exponents(exponents)
    _check(scale, size, activation)
    d, center = sum(r), CENTERS[activation]
    n_units = shallow_monomial_units(r)
    if n_units > MAX_UNITS:
        raise BudgetExceeded(
            f"a shallow monomial with exponents {r} has {n_units:,} units; the limit is {MAX_UNITS:,}.",
            hint="build the deep one: deep_monomial",
            partial={"n_units": n_units},
        )
    top = derivative(activation, d, center)
    choices = list(product(*(range(k + 1) for k in r)))
    weight = scale * (np.array(r) - 2.0 * np.array(choices))
    signs = [(-1) ** sum(k) * prod(comb(ri, ki) for ri, ki in zip(r, k, strict=True)) for k in choices]
    coefficients = np.array(signs) / (top * (2 * scale) ** d)
    network = Perceptron.shallow(weight, np.full(n_units, center), coefficients, activation=activation, name="shallow monomial")
    spread = scale * d * size
    remainder = scale**2 * d * size ** (d + 2) * derivative_bound(activation, d + 2, spread, center) / (6 * abs(top))
    largest = derivative_bound(activation, 1, spread, center) + abs(derivative(activation, 0, center))
    bound = remainder + (n_units + 8) * ROUNDING * largest / (abs(top) * scale**d)
    certificate = smooth_certificate(
        network, lambda x: np.prod(x ** np.array(r), axis=1), bound, size, "remainder of a central difference"
    )
    parameters = {"exponents": r, "scale": scale, "size": size, "activation": activation}
    return UnitConstruction(
        "shallow-monomial", network, parameters, {"units": n_units, "depth": 1, "error": bound}, ("rolnick2018",), certificate
    )


def deep_monomial(
    exponents: Sequence[int], *, error: float = 1e-2, size: float = 1.0, activation: str = "softplus"
) -> UnitConstruction:
    r""":math:`\prod_i x_i^{r_i}` from squares and products, with at most :math:`\sum_i (7 \lceil \log_2 r_i \rceil + 4)` units.

    Powers come from the binary digits of their exponents, products are taken in pairs [rolnick2018]_. Every gate gets the same
    error; how the errors grow on the way to the output is added up, and the gates are made fine enough for the error asked for.

    Examples
    --------
    >>> m = deep_monomial([1] * 8)
    >>> m.n_units, m.theorem["units"]
    (28, 32)
    """
    r = _exponents(exponents)
    _check(1.0, size, activation)
    if not error > 0:
        raise InvalidInput(f"the error must be positive, got {error}.")
    each = error
    for _ in range(80):
        circuit = UnitCircuit(len(r), activation)
        powers = [_power(circuit, x, k, size, each, activation) for x, k in zip(circuit.inputs, r, strict=True) if k]
        while len(powers) > 1:
            pairs = [_times(circuit, a, b, each, activation) for a, b in zip(powers[::2], powers[1::2], strict=False)]
            powers = pairs + powers[len(powers) // 2 * 2 :]
        wire, bound, _ = powers[0]
        if bound <= error:
            break
        each *= 0.7
    network = circuit.perceptron(wire, name="deep monomial")
    units = deep_monomial_units(r)
    certificate = smooth_certificate(
        network, lambda x: np.prod(x ** np.array(r), axis=1), bound, size, "errors of the gates, propagated"
    )
    parameters = {"exponents": r, "error": error, "size": size, "activation": activation}
    theorem = {"units": units, "error": error}
    return UnitConstruction("deep-monomial", network, parameters, theorem, ("rolnick2018",), certificate)


Value = tuple[Wire, float, float]  # a wire, a bound of its error, a bound of the size of what it stands for


def _power(circuit: UnitCircuit, x: Wire, k: int, size: float, each: float, activation: str) -> Value:
    """x^k by squaring, from the lowest binary digit."""
    base: Value = (x, 0.0, size)
    found: Value | None = None
    while True:
        if k & 1:
            found = base if found is None else _times(circuit, found, base, each, activation)
        k >>= 1
        if not k:
            assert found is not None
            return found
        wire, e, m = base
        g = gate(activation, each, m + e)
        base = (g.square(circuit, wire), 2 * m * e + e * e + g.square_error(m + e), m * m)


def _times(circuit: UnitCircuit, a: Value, b: Value, each: float, activation: str) -> Value:
    (u, e, m), (v, f, n) = a, b
    size = max(m + e, n + f)
    g = gate(activation, each, size)
    return g.product(circuit, u, v), m * f + n * e + e * f + g.error(size), m * n


def _exponents(exponents: Sequence[int]) -> tuple[int, ...]:
    r = tuple(integer_argument("an exponent", k, least=0) for k in exponents)
    if not any(r):
        raise InvalidInput(f"a monomial needs exponents of zero or more, not all zero, got {tuple(exponents)}.")
    return r


def _check(scale: float, size: float, activation: str) -> None:
    if activation not in CENTERS:
        raise InvalidInput(f"a monomial needs a smooth activation, got {activation!r}.", hint=f"one of {', '.join(CENTERS)}")
    if not scale > 0 or not size > 0:
        raise InvalidInput(f"the scale and the size must be positive, got {scale} and {size}.")
