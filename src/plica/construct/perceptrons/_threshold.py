r"""Step networks for Lipschitz functions of one variable."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np

from plica.construct._arguments import error_argument, interval_argument
from plica.construct.perceptrons._certificate import StepCertificate
from plica.construct.perceptrons._construction import UnitConstruction
from plica.construct.perceptrons._perceptron import Perceptron
from plica.construct.targets._numbers import rational
from plica.construct.targets._slopes import ROUNDING, checked_lipschitz, values_at
from plica.construct.targets._targets import as_target
from plica.errors import BudgetExceeded
from plica.theory.approximation import threshold_units

MAX_UNITS = 2**20
GRAIN = 2.0**-45  # levels are multiples of this part of their size, so that sums of differences are exact


def threshold(
    target: Any,
    *,
    error: Fraction | float,
    lipschitz: float | None = None,
    interval: tuple[float, float] = (0.0, 1.0),
    midpoint: bool = False,
) -> UnitConstruction:
    r"""A network of step units within eps of a function with Lipschitz constant rho: a step for every change by eps.

    .. math::
        f(x) = \sum_{i < m} a_i 1\{x \ge b_i\}, \quad b_i = i \varepsilon / \rho, \quad
        a_0 = g(0), \quad a_i = g(b_i) - g(b_{i-1}), \quad m = \lceil \rho / \varepsilon \rceil

    on [0, 1], as in [telgarsky2021]_. With ``midpoint`` each step is twice as wide and takes the value in its middle:
    :math:`\lceil \rho / 2\varepsilon \rceil` units. Steps are no continuous functions, so the network is a
    :class:`Perceptron`; its levels are exact, and the certificate encloses the target between any two thresholds.

    Examples
    --------
    >>> from plica.construct import sin, variables
    >>> (x,) = variables(1)
    >>> t = threshold(sin(3 * x), error=0.1, lipschitz=3)
    >>> t.n_units, threshold(sin(3 * x), error=0.1, lipschitz=3, midpoint=True).n_units, bool(t.certificate.verify())
    (30, 15, True)
    """
    eps = error_argument(error)
    low, high = interval_argument(interval)
    goal = as_target(target, 1)
    rho = rational(checked_lipschitz(goal, [low], [high], lipschitz))
    start, length = rational(low), rational(high) - rational(low)
    step = 2 * eps / rho if midpoint else eps / rho
    m = ceil(length / step)
    if m > MAX_UNITS:
        raise BudgetExceeded(
            f"an error of {float(eps):g} at slopes up to {float(rho):g} needs {m:,} units; the limit is {MAX_UNITS:,}.",
            hint="a larger error or a shorter interval",
            partial={"n_units": m},
        )
    thresholds = np.array([float(start + i * step) for i in range(m)])
    places = np.array([float(start + min((i + Fraction(1, 2)) * step, length)) for i in range(m)]) if midpoint else thresholds
    values, slack = values_at(goal, places[:, None])
    grain = 2.0 ** np.ceil(np.log2(max(float(np.abs(values).max()), 1e-300))) * GRAIN
    levels = np.round(values / grain) * grain
    network = Perceptron.shallow(
        np.ones((m, 1)), -thresholds, np.diff(levels, prepend=0.0), activation="step", name="threshold network"
    )
    ends = [*map(rational, thresholds), start + length]
    reach = max(max(rational(p) - a, b - rational(p)) for p, a, b in zip(places, ends[:-1], ends[1:], strict=True))
    bound = rho * (1 + ROUNDING) * reach + rational(slack) + rational(grain)
    certificate = StepCertificate.of(network, goal, (low, high), bound, "slope times the width of a step")
    units = ceil(length / step) if (low, high) != (0.0, 1.0) or midpoint else threshold_units(float(rho), float(eps))
    theorem = {"units": units, "depth": 1, "error": eps}
    parameters = {"error": float(eps), "lipschitz": float(rho), "interval": (low, high), "midpoint": midpoint}
    return UnitConstruction("threshold", network, parameters, theorem, ("telgarsky2021",), certificate)
