r"""Barron: n units reach a squared error of (2 r C)^2 / n in any dimension.

Claim
    A function with Barron constant C is approximated on the ball of radius r by n sigmoidal units with squared error at most
    (2 r C)^2 / n over any probability measure on the ball; the mean of n random ridge functions has that error in expectation,
    and (r C)^2 / n with cosines.
Source
    A. Barron, IEEE Trans. Inf. Theory 39 (1993) [barron1993].
Prediction
    the two constants, with C from plica.theory.approximation.barron_constant_gaussian or from a given spectrum; the slope -1 of
    log error against log n
Measurement
    networks of plica.construct.barron (Maurey's sampling) for Gaussians and for a sum of cosines, in up to 20 dimensions; mean
    squared error at uniform points of the unit ball, averaged over networks
Remark
    The lecture prints three layers and a ball of the line; it is one hidden layer, a probability measure on the ball of R^d, and
    C must be finite. Its third step needs O(C / eps) steps, not O(1 / eps).
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica.claims import Evidence, Row, row
from plica.construct import (
    CosineSpectrum,
    GaussianSpectrum,
    Spectrum,
    barron,
    estimate_squared_error,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("barron-gaussian", "slide-fourier-pair")
SEED = 1993


def spectra(d: int) -> dict[str, Spectrum]:
    rng = np.random.default_rng(SEED + d)
    waves = CosineSpectrum(rng.normal(size=(12, d)), rng.normal(size=12) / 12, rng.uniform(0, 6, 12))
    return {"Gaussian": GaussianSpectrum(d), "12 cosines": waves}


def mean_error(spectrum: Spectrum, units: str, n: int, n_networks: int, n_points: int) -> tuple[float, float]:
    """The squared error, averaged over networks, with its standard error."""
    found = []
    for k in range(n_networks):
        seed = SEED + 10_000 * n + k
        net = barron(spectrum, n, units=units, steepness=400.0, seed=seed)
        found.append(estimate_squared_error(net, spectrum, spectrum.n_inputs, n_points=n_points, seed=seed + 5000).value)
    return float(np.mean(found)), float(np.std(found, ddof=1) / sqrt(n_networks))


def log_slope(sizes: tuple[int, ...], errors: list[float], spreads: list[float]) -> tuple[float, float]:
    """The slope of log error against log n, and its standard error from those of the errors."""
    x = np.log(sizes) - np.mean(np.log(sizes))
    relative = np.array(spreads) / np.array(errors)
    return float(x @ np.log(errors) / (x @ x)), float(np.sqrt((x**2) @ relative**2) / (x @ x))


def check(scale: str) -> Evidence:
    full = scale == "full"
    n_networks, n_points = (30, 1000) if full else (12, 100)
    sizes = (25, 100, 400, 1600) if full else (25, 100, 400)
    rows: list[Row] = []
    for d in (1, 2, 5, 10, 20) if full else (2, 20):
        for name, spectrum in spectra(d).items():
            for units in ("cos", "step", "sigmoid") if full else ("cos", "step"):
                measured = [mean_error(spectrum, units, n, n_networks, n_points) for n in sizes]
                what: dict[str, Any] = {"d": d, "f": name, "units": units}
                for n, (error, spread) in zip(sizes, measured, strict=True):
                    bound = (spectrum.constant * (1 if units == "cos" else 2)) ** 2 / n
                    rows.append(row(error, "<=", bound, kind="estimated", standard_error=spread, n=n, **what))
                if units != "sigmoid":  # a smooth step has an error of its own that does not fall with n
                    slope, spread = log_slope(sizes, *map(list, zip(*measured, strict=True)))
                    rows.append(row(slope, "=", -1.0, kind="estimated", standard_error=spread, n="slope", **what))
    return Evidence(rows, draw=figure(rows), seed=SEED)


def figure(rows: list[Row]) -> Callable[[Axes], None]:
    """Squared error of the Gaussian against n, with the bounds."""

    def draw(ax: Axes) -> None:
        wanted = [r for r in rows if r.relation == "<=" and (r.parameters["f"], r.parameters["units"]) == ("Gaussian", "step")]
        dims = sorted({r.parameters["d"] for r in wanted})
        for d, color in zip(dims, SERIES[:5], strict=False):
            chosen = [r for r in wanted if r.parameters["d"] == d]
            n = [r.parameters["n"] for r in chosen]
            ax.loglog(n, [r.measured for r in chosen], "o-", color=color, markersize=4, label=f"d = {d}")
            ax.loglog(n, [r.predicted for r in chosen], ":", color=color)
        sizes = sorted({r.parameters["n"] for r in wanted})
        ax.set_xticks(sizes, [str(n) for n in sizes])
        ax.xaxis.minorticks_off()
        ax.set_xlabel("step units")
        ax.set_ylabel("squared error (dotted: bound)")
        ax.legend(frameon=False)
        ax.spines[["top", "right"]].set_visible(False)

    return draw
