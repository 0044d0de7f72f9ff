r"""The Gaussian of Barron's theorem, as printed with an amplitude.

Claim
    (2 pi sigma^2)^{d/2} exp(-|x|^2 / (2 sigma^2)) on R^d has a Barron constant of at most sqrt(d) / sigma.
Source
    University of Washington lecture, examples of Barron's theorem [washington-lecture]. It takes the amplitude from a Fourier
    pair with 2 pi in the exponent and the Gaussian from another.
Prediction
    sqrt(d) / sigma
Measurement
    the integral of |w| |F(w)|, with F computed from the printed function; beside it (2 pi sigma^2)^{d/2} times
    plica.theory.approximation.barron_constant_gaussian(d, sigma=sigma)
Remark
    The constant is proportional to the amplitude: without it the bound holds, the claim barron-gaussian. With it the constant
    grows exponentially with the dimension for sigma above (2 pi)^{-1/2}.
"""

from __future__ import annotations

from math import pi, sqrt
from typing import Any

from plica.claims import Evidence, control, counterexample
from plica.claims.approximation._lines import lines
from plica.claims.approximation.barron_gaussian import transformed_constant
from plica.theory.approximation import barron_constant_gaussian

STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "estimated"
SEE = ("barron-gaussian", "slide-fourier-pair")


def check(scale: str) -> Evidence:
    rows, printed = [], []
    for d in (2, 3, 5):
        amplitude = (2 * pi) ** (d / 2)
        measured = transformed_constant(d, 1.0, amplitude=amplitude)
        printed.append(measured)
        truth = amplitude * barron_constant_gaussian(d, sigma=1.0)
        finer = transformed_constant(d, 1.0, amplitude=amplitude, n=240)
        about: dict[str, Any] = {"kind": "estimated", "standard_error": abs(measured - finer) + 1e-9, "d": d, "sigma": 1.0}
        rows.append(counterexample(measured, "<=", sqrt(d), truth=truth, **about))
        rows.append(control(transformed_constant(d, 1.0), "<=", sqrt(d), amplitude=1, **about))
    shown = [((2, 3, 5), printed, "as printed"), ((2, 3, 5), [transformed_constant(d, 1.0) for d in (2, 3, 5)], "amplitude 1")]
    bound = [((2, 3, 5), [sqrt(d) for d in (2, 3, 5)], "root of d")]
    return Evidence(rows, draw=lines(shown, bound, x="dimension d", y="Barron constant", log="y"))
