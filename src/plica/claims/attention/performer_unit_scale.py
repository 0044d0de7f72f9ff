r"""Does a Performer approximate softmax attention of ordinary queries and keys?

Claim
    No: for queries and keys with independent unit Gaussian entries, d = 64, a Performer with 256 to 4096 features is off by more
    than the size of the output of softmax attention.
Source
    K. Choromanski et al., ICLR 2021, whose bound depends on the lengths of queries and keys [choromanski2021].
Prediction
    more than 1
Measurement
    error_against_exact of plica.models.attention.Attend with plica.models.attention.Performer, scores scaled by d^{-1/2}
Remark
    Scaled queries and keys have length d^{1/4} = 2.8, so |q + k|^2 is about 16 and one feature has the relative variance
    e^{16}: no practical m averages it out, and the output is off by more than its own size. For entries of deviation 0.25 it
    holds: the claim choromanski-2021-rate.
"""

from __future__ import annotations

import numpy as np

from plica.claims import Evidence, row
from plica.claims.attention._curves import curves
from plica.claims.attention.choromanski_2021_rate import SEED, errors

STATEMENT = "question"
EXPECTED = "answered"
KIND = "estimated"
SEE = ("choromanski-2021-rate",)


def check(scale: str) -> Evidence:
    sizes, length, n_draws = ((256, 1024, 4096), 256, 10) if scale == "full" else ((256, 1024, 4096), 64, 3)
    rows, means = [], []
    for m in sizes:
        found = errors(m, deviation=1.0, length=length, n_draws=n_draws)
        means.append(float(found.mean()))
        error = float(found.std(ddof=1) / np.sqrt(n_draws))
        rows.append(row(means[-1], ">", 1.0, kind="estimated", standard_error=error, m=m, d=64))
    return Evidence(rows, draw=curves([(sizes, means, "unit Gaussian entries")], x="features m", y="relative error"), seed=SEED)
