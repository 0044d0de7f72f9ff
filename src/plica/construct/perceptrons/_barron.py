r"""Barron: a function with a finite first moment of its spectrum is an average of ridge functions, and n of them suffice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np

from plica._types import Array
from plica.construct._arguments import error_argument, integer_argument
from plica.construct.perceptrons._construction import UnitConstruction
from plica.construct.perceptrons._perceptron import Perceptron
from plica.construct.targets._spectra import Spectrum, ball
from plica.errors import BudgetExceeded, InvalidInput

UNITS = ("cos", "step", "sigmoid")
MAX_WEIGHTS = 2**26


def barron(
    spectrum: Spectrum,
    n_units: int | None = None,
    *,
    error: float | None = None,
    units: str = "step",
    radius: float = 1.0,
    steepness: float = 64.0,
    seed: int = 0,
) -> UnitConstruction:
    r"""A network with one hidden layer of units drawn from the spectrum of a function (Maurey's sampling) [barron1993]_.

    On the ball of the given radius r the function is f(0) plus the mean of ridge functions over frequencies with density
    :math:`|\omega||\hat f|/C`: of :math:`C (\cos(\omega \cdot x + b) - \cos b) / |\omega|`, at most rC in size, and, one
    integration further, of :math:`2rC \sin(\ldots)` times a step at a threshold that is uniform on [0, r] in the direction
    :math:`\pm \omega / |\omega|`. The mean of n independent draws has the expected squared error at most :math:`(rC)^2 / n`
    (cosines) or :math:`(2rC)^2 / n` (steps), for every probability measure on the ball. Sigmoids are steps made smooth:
    the logistic function of ``steepness`` times the argument. Give the number of units, or the expected squared error and get
    the number from it: :math:`\lceil (2rC)^2 / error \rceil`.

    Examples
    --------
    >>> from plica.construct import GaussianSpectrum
    >>> b = barron(GaussianSpectrum(3), 50, units="cos", seed=1)
    >>> b.n_units, round(b.theorem["squared error"], 4)
    (50, 0.0509)
    """
    if not isinstance(spectrum, Spectrum):
        raise InvalidInput(
            f"expected a spectrum, got {type(spectrum).__name__}.", hint="GaussianSpectrum, CosineSpectrum, RadialSpectrum"
        )
    if units not in UNITS:
        raise InvalidInput(f"unknown units {units!r}.", hint=f"one of {', '.join(UNITS)}")
    if (n_units is None) == (error is None):
        raise InvalidInput("give either the number of units or the squared error.")
    if not radius > 0 or not steepness > 0:
        raise InvalidInput(f"radius and steepness must be positive, got {radius} and {steepness}.")
    size = (1 if units == "cos" else 2) * radius * spectrum.constant
    if n_units is None:
        n_units = ceil(size**2 / float(error_argument(error)))
    n_units = integer_argument("n_units", n_units)
    if n_units * spectrum.n_inputs > MAX_WEIGHTS:
        raise BudgetExceeded(
            f"{n_units:,} units in {spectrum.n_inputs} dimensions; the limit is {MAX_WEIGHTS:,} weights.",
            hint="a larger error",
            partial={"n_units": n_units},
        )
    rng = np.random.default_rng(seed)
    omega, phase = spectrum.sample(n_units, rng)
    length = np.linalg.norm(omega, axis=1)
    total = spectrum.constant
    start = float(spectrum(np.zeros((1, spectrum.n_inputs)))[0])
    if units == "cos":
        coefficients = total / (n_units * length)
        network = Perceptron.shallow(
            omega, phase, coefficients, activation="cos", constant=start - float(coefficients @ np.cos(phase)), name="Barron"
        )
    else:
        side = rng.choice([-1.0, 1.0], size=n_units)
        threshold = rng.uniform(0.0, radius, size=n_units)
        coefficients = -side * np.sin(phase + side * length * threshold) * (2 * radius * total / n_units)
        slope = 1.0 if units == "step" else steepness
        weight = slope * (side / length)[:, None] * omega
        network = Perceptron.shallow(
            weight, -slope * threshold, coefficients, activation=units, constant=start, name=f"Barron, {units} units"
        )
    parameters = {"spectrum": repr(spectrum), "units": units, "n_units": n_units, "radius": radius, "seed": seed}
    theorem = {"units": n_units, "depth": 1, "squared error": size**2 / n_units, "sum of coefficients": size}
    return UnitConstruction("barron", network, parameters, theorem, ("barron1993",))


@dataclass(frozen=True)
class Estimate:
    """A mean over random points, with its standard error."""

    value: float
    standard_error: float
    n_points: int
    seed: int


def estimate_squared_error(
    network: Callable[[Array], Array],
    target: Callable[[Array], Array],
    n_inputs: int,
    *,
    radius: float = 1.0,
    n_points: int = 4096,
    seed: int = 0,
) -> Estimate:
    """The mean squared error over the uniform measure on a ball, estimated at random points.

    Examples
    --------
    >>> estimate_squared_error(lambda x: x[:, :1], lambda x: x[:, 0] + 0.5, 3).value
    0.25
    """
    if n_points < 2:
        raise InvalidInput(f"an estimate needs at least 2 points, got {n_points}.")
    x = ball(n_points, n_inputs, radius, np.random.default_rng(seed))
    squares = (np.asarray(network(x)).reshape(n_points) - np.asarray(target(x)).reshape(n_points)) ** 2
    return Estimate(float(squares.mean()), float(squares.std(ddof=1) / sqrt(n_points)), n_points, seed)
