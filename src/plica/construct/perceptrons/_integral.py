r"""Infinitely wide networks, made finite: integrals over thresholds by quadrature or by sampling."""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._types import Array
from plica.construct._arguments import integer_argument
from plica.construct._construction import Construction
from plica.construct.circuits._circuit import Circuit
from plica.construct.errors._certificate import certified
from plica.construct.perceptrons._certificate import StepCertificate
from plica.construct.perceptrons._construction import UnitConstruction
from plica.construct.perceptrons._perceptron import Perceptron
from plica.construct.targets._intervals import Interval
from plica.construct.targets._numbers import rational
from plica.construct.targets._targets import PiecewisePolynomial, Smooth, as_target, smooth
from plica.errors import InvalidInput
from plica.geometry import Segment

UNITS = ("step", "relu")
RULES = ("quadrature", "random")
FINE = 4096  # cells of the table from which thresholds are drawn


def integral_network(target: Any, n: int, *, units: str = "relu", rule: str = "quadrature", seed: int = 0) -> Construction:
    r"""A finite part of an infinitely wide network with one hidden layer, for a smooth function on [0, 1] [telgarsky2021]_.

    .. math::
        g(x) = g(0) + \int_0^1 1\{x \ge b\}\, g'(b)\, db
             = g(0) + g'(0)\, x + \int_0^1 \mathrm{ReLU}(x - b)\, g''(b)\, db

    ``quadrature`` takes n midpoints; ``random`` draws n thresholds with density proportional to :math:`|g'|` or :math:`|g''|` and
    gives them equal coefficients, so that their absolute sum is the variation of g (or of g').

    Examples
    --------
    >>> from plica.construct import exp, variables
    >>> (x,) = variables(1)
    >>> [round(float(integral_network(exp(x), n).certificate.bound), 5) for n in (8, 16)]
    [0.00336, 0.00086]
    """
    n = integer_argument("n", n)
    if units not in UNITS or rule not in RULES:
        raise InvalidInput(f"unknown units {units!r} or rule {rule!r}.", hint="step or relu; quadrature or random")
    goal = as_target(target, 1)
    if isinstance(goal, PiecewisePolynomial):
        raise InvalidInput("the integral needs derivatives everywhere; a piecewise polynomial has knots.")
    g = smooth(goal)
    b, coefficients = _thresholds(g, n, units, rule, seed)
    start = float(goal(np.zeros((1, 1)))[0])
    parameters = {"n": n, "units": units, "rule": rule} | ({"seed": seed} if rule == "random" else {})
    theorem = {"units": n, "depth": 1}
    if units == "step":
        perceptron = Perceptron.shallow(
            np.ones((n, 1)), -b, coefficients, activation="step", constant=start, name="integral of steps"
        )
        certificate = StepCertificate.of(perceptron, goal, (0.0, 1.0))
        return UnitConstruction("integral", perceptron, parameters, theorem, ("telgarsky2021",), certificate)
    circuit = Circuit(1)
    (x,) = circuit.inputs
    slope = float(g.first([Interval.of(np.zeros(1))], 0).middle()[0])
    parts = [circuit.relu(x - rational(t)) * rational(c) for t, c in zip(b, coefficients, strict=True) if c]
    network = circuit.network(circuit.total([x * slope + start, *parts]), name="integral of ReLUs")
    found = certified(network, goal, Segment([0.0], [1.0]))
    return Construction("integral", network, parameters, theorem, ("telgarsky2021",), found)


def _thresholds(g: Smooth, n: int, units: str, rule: str, seed: int) -> tuple[Array, Array]:
    """Thresholds and coefficients."""

    def density(t: Array) -> Array:
        x = [Interval.of(t)]
        return (g.first(x, 0) if units == "step" else g.second(x, 0, 0)).middle()

    if rule == "quadrature":
        b = (np.arange(n) + 0.5) / n
        values = density(b)
        if not np.isfinite(values).all():
            raise InvalidInput("the derivative is not finite at a node of the quadrature.")
        return b, values / n
    middles = (np.arange(FINE) + 0.5) / FINE
    values = density(middles)
    if not np.isfinite(values).all():
        raise InvalidInput("the derivative is not finite on (0, 1); thresholds cannot be drawn from it.")
    mass = np.abs(values)
    variation = float(mass.mean())
    if variation == 0:
        return (np.arange(n) + 0.5) / n, np.zeros(n)
    rng = np.random.default_rng(seed)
    cell = rng.choice(FINE, size=n, p=mass / mass.sum())
    return (cell + rng.random(n)) / FINE, np.sign(values[cell]) * variation / n
