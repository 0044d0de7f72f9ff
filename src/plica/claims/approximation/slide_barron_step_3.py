r"""The third step of Barron's proof, as printed: O(1/eps) units.

Claim
    The third step of the proof needs O(1/eps) units for an error of eps, whatever the function.
Source
    University of Washington lecture, third step of the proof of Barron's theorem [washington-lecture].
Prediction
    as many steps for a ridge function of constant C as for one of constant 1; twice as many random units for half the error
Measurement
    the fewest steps within eps of (C / |w|) (cos(|w| y) - 1) turned to its steepest part on [-1, 1], counted greedily, which is
    optimal; and the units for half the root mean square error, from the errors of plica.construct.barron with n and 4 n units
Remark
    One ridge function is C-Lipschitz: its steps are C / eps in number. The network of the theorem has ceil((2 C / eps)^2) units
    for the root mean square error eps: half the error costs four times the units.
"""

from __future__ import annotations

from math import log2, pi
from typing import Any

import numpy as np

from plica.claims import Evidence, control, counterexample
from plica.claims.approximation._lines import lines
from plica.claims.approximation.barron_rate import mean_error
from plica.construct import GaussianSpectrum

STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "estimated"
SEE = ("barron-rate",)
SEED = 1993
WAVE = 0.01  # of the ridge function: it is a line of slope C up to 10^-5


def fewest_steps(constant: float, error: float) -> int:
    """Pieces of the best piecewise constant function within an error of the ridge function, by greed."""
    y = np.linspace(-1, 1, 400_001)
    rising = -constant / WAVE * np.cos(pi / 2 + WAVE * y)
    pieces, start = 0, 0
    while start < len(y):  # a constant serves as long as the function rises by no more than twice the error
        start = int(np.searchsorted(rising, rising[start] + 2 * error, side="right"))
        pieces += 1
    return pieces


def check(scale: str) -> Evidence:
    rows, constants, counts = [], (1.0, 2.0, 5.0, 10.0), []
    for constant in constants:
        found = fewest_steps(constant, 0.01)
        counts.append(found)
        ratio = found / counts[0]
        if constant == 1:
            rows.append(control(found, "=", 100, tolerance=0.02, C=constant, what="steps for eps = 0.01"))
        else:
            rows.append(counterexample(ratio, "=", 1.0, truth=constant, tolerance=0.02, C=constant, what="steps against C = 1"))
    n_networks = 4000 if scale == "full" else 1200
    small, large = (mean_error(GaussianSpectrum(5), "cos", n, n_networks) for n in (16, 64))
    # log2 of the factor of units for half the error, from 4 n units
    exponent = 2 / (0.5 * log2(small[0] / large[0]))
    doubt = exponent * 0.5 * float(np.hypot(small[1] / small[0], large[1] / large[0])) / np.log(2)
    about: dict[str, Any] = {"f": "Gaussian in 5 dimensions", "what": "log2 of the units for half the error"}
    rows.append(counterexample(exponent, "=", 1.0, truth=2.0, kind="estimated", standard_error=doubt, **about))
    shown = [(constants, counts, "fewest steps, eps = 0.01")]
    bound = [(constants, [counts[0]] * 4, "as printed: no C")]
    return Evidence(rows, draw=lines(shown, bound, x="constant C", y="steps"), seed=SEED)
