r"""Barron: n units reach a squared error of (2 r C)^2 / n in any dimension.

Claim
    A function with Barron constant C is approximated on the ball of radius r by n sigmoidal units with squared error at most
    (2 r C)^2 / n over any probability measure on the ball; the mean of n random ridge functions has that error in expectation,
    and (r C)^2 / n with cosines.
Source
    A. Barron, IEEE Trans. Inf. Theory 39 (1993), Theorem 1 and Lemma 1 [barron1993].
Prediction
    the two bounds; and exactly V / n, where V is the variance of one random ridge function, from its definition and the Fourier
    transform of f, by other random numbers; C^2 / n at x = 1 for two waves that cancel, where the bound is attained
Measurement
    the mean squared error at uniform points of the unit ball of networks of plica.construct.barron (Maurey's sampling), averaged
    over networks, for a Gaussian in 2 and 20 dimensions and a sum of cosines
Remark
    The lecture prints three layers and a ball of the line; it is one hidden layer, a probability measure on the ball of R^d, and
    C must be finite. On its third step see the claim slide-barron-step-3.
"""

from __future__ import annotations

from functools import partial
from math import hypot, pi, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica.claims import Evidence, Row, row
from plica.construct import CosineSpectrum, GaussianSpectrum, Spectrum, barron, estimate_squared_error

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("barron-gaussian", "slide-fourier-pair", "slide-barron-step-3")
SEED = 1993


def waves(d: int) -> CosineSpectrum:
    rng = np.random.default_rng(SEED + d)
    return CosineSpectrum(rng.normal(size=(12, d)), rng.normal(size=12) / 12, rng.uniform(0, 6, 12))


def mean_error(spectrum: Spectrum, units: str, n: int, n_networks: int, n_points: int = 60) -> tuple[float, float]:
    """The squared error, averaged over networks, with its standard error."""
    found = []
    for k in range(n_networks):
        seed = SEED + 10_000 * n + k
        net = barron(spectrum, n, units=units, steepness=400.0, seed=seed)
        found.append(estimate_squared_error(net, spectrum, spectrum.n_inputs, n_points=n_points, seed=seed + 5_000_000).value)
    return float(np.mean(found)), float(np.std(found, ddof=1) / sqrt(n_networks))


def points(n: int, d: int, rng: np.random.Generator) -> np.ndarray:
    """Uniform in the unit ball."""
    g = rng.standard_normal((n, d))
    return np.asarray(g / np.linalg.norm(g, axis=1, keepdims=True) * rng.random((n, 1)) ** (1 / d))


def variance(name: str, d: int, units: str, n: int) -> tuple[float, float]:
    """Of one ridge function, averaged over the ball, and its standard error.

    Frequencies come from the normalized transform, weighted by their length, instead of from the density |w| |F(w)|.
    """
    rng = np.random.default_rng([SEED, d, 1])
    x = points(n, d, rng)
    if name == "Gaussian":
        w, phase, mass = rng.standard_normal((n, d)), np.zeros(n), np.ones(n)
        f = np.exp(-(x**2).sum(1) / 2) - 1
    else:
        s = waves(d)
        j = rng.integers(12, size=n)
        w, phase = s.frequencies[j], s.phases[j] + np.where(s.amplitudes[j] < 0, pi, 0.0)
        mass = 12 * np.abs(s.amplitudes[j])
        f = (np.cos(x @ s.frequencies.T + s.phases) - np.cos(s.phases)) @ s.amplitudes
    length = np.linalg.norm(w, axis=1)
    y = (w * x).sum(1)
    total = float((mass * length).mean())  # Barron's constant
    if units == "cos":
        squares = mass * total * (np.cos(y + phase) - np.cos(phase)) ** 2 / length
    else:
        side, t = rng.choice([-1.0, 1.0], n), rng.random(n)
        squares = mass * length * 4 * total * np.sin(phase + side * length * t) ** 2 * (side * y >= length * t)
    values = squares - f**2
    return float(values.mean()), float(values.std() / sqrt(n))


def attained(n: int, n_networks: int) -> tuple[float, float]:
    """n times the squared error at x = 1 over C^2, for a sin(w x) - a sin(w x): zero, with two frequencies that do not know."""
    spectrum = CosineSpectrum([[0.01], [0.01]], [1.0, 1.0], [pi / 2, -pi / 2])
    at_one = np.ones((1, 1))
    found = [float(np.asarray(barron(spectrum, n, units="cos", seed=SEED + k)(at_one)).item()) ** 2 for k in range(n_networks)]
    scaled = n * np.array(found) / spectrum.constant**2
    return float(scaled.mean()), float(scaled.std() / sqrt(n_networks))


def check(scale: str) -> Evidence:
    full = scale == "full"
    more = 4 if full else 1
    rows: list[Row] = []
    # function, dimension, units, sizes, networks: in many dimensions the errors of networks differ less
    cases: list[tuple[str, int, str, tuple[int, ...], int]] = [
        ("Gaussian", 2, "cos", (16,), 1700),
        ("Gaussian", 2, "step", (16,), 1000),
        ("Gaussian", 20, "cos", (16, 64), 400),
        ("Gaussian", 20, "step", (16, 64), 700),
        ("12 cosines", 2, "step", (16,), 1000),
    ]
    for name, d, units, sizes, n_networks in cases:
        spectrum: Spectrum = GaussianSpectrum(d) if name == "Gaussian" else waves(d)
        expected, doubt = variance(name, d, units, 400_000 * more)
        for n in (16, 64, 256) if full else sizes:
            error, spread = mean_error(spectrum, units, n, n_networks * more)
            about: dict[str, Any] = {"kind": "estimated", "d": d, "f": name, "units": units, "n": n}
            bound = (spectrum.constant * (1 if units == "cos" else 2)) ** 2 / n
            rows.append(row(error, "<=", bound, standard_error=spread, what="bound", **about))
            rows.append(row(n * error, "=", expected, standard_error=hypot(n * spread, doubt), what="n times the error", **about))
    sharp, spread = attained(25, 5000 * more)
    where: dict[str, Any] = {"what": "attained: n error / C^2", "d": 1, "f": "two waves that cancel", "units": "cos", "n": 25}
    rows.append(row(sharp, "=", 1.0, kind="estimated", standard_error=spread, tolerance=1e-3, **where))
    n, n_networks = (100, 2000) if full else (16, 200)
    error, spread = mean_error(GaussianSpectrum(5), "sigmoid", n, n_networks)
    bound = (2 * GaussianSpectrum(5).constant) ** 2 / n
    where = {"what": "bound", "d": 5, "f": "Gaussian", "units": "sigmoid", "n": n}
    rows.append(row(error, "<=", bound, kind="estimated", standard_error=spread, **where))
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def draw(rows: list[Row], ax: Axes) -> None:
    """Squared error of the Gaussian against n, with the bounds."""
    for color, (d, units) in zip(SERIES, ((20, "cos"), (20, "step")), strict=False):
        chosen = [r for r in rows if r.parameters["what"] == "bound" and r.parameters["f"] == "Gaussian"]
        chosen = [r for r in chosen if (r.parameters["d"], r.parameters["units"]) == (d, units)]
        n = [r.parameters["n"] for r in chosen]
        ax.loglog(n, [r.measured for r in chosen], "o-", color=color, markersize=4, label=f"d = {d}, {units}")
        ax.loglog(n, [r.predicted for r in chosen], ":", color=color)
    sizes = sorted({r.parameters["n"] for r in rows if r.parameters["f"] == "Gaussian"})
    ax.set_xticks(sizes, [str(n) for n in sizes])
    ax.xaxis.minorticks_off()
    ax.set(xlabel="units n", ylabel="squared error (dotted: bound)")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
