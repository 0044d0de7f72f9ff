r"""Von Oswald et al.: one layer of linear attention is one step of gradient descent.

Claim
    Given pairs (x_i, y_i) and a query x as tokens, one head of attention without softmax, with the score q . k, values y_i and
    the factor eta/n, outputs what a linear model W x predicts after one step of gradient descent on the squared loss from W = 0
    with learning rate eta.
Source
    J. von Oswald et al., Transformers Learn In-Context by Gradient Descent, ICML 2023, Proposition 1 [vonoswald2023].
Prediction
    W_1 x with W_1 = eta/n sum_i y_i x_i^T, in exact rationals
Measurement
    the output of the same sums written as attention, exactly; and of plica.models.attention.Attend with the identity as
    normalizer on integers, which float64 represents
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import torch

from plica.claims import Evidence, row
from plica.models.attention import Attend, Dot, Pointwise

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("attention-special-cases",)
SEED = 2


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    rows = []
    for n, d in ((1, 1), (4, 2), (16, 5)) + (((256, 32),) if scale == "full" else ()):
        X, y, x = rng.integers(-9, 10, (n, d)), rng.integers(-9, 10, n), rng.integers(-9, 10, d)
        eta = Fraction(1, 7)
        gradient = [-Fraction(2, 2 * n) * int((y * X[:, j]).sum()) for j in range(d)]  # of 1/(2n) sum (y_i - W x_i)^2 at W = 0
        W = [-eta * g for g in gradient]
        predicted = sum((w * int(v) for w, v in zip(W, x, strict=True)), Fraction(0))
        tensors = (torch.as_tensor(t, dtype=torch.float64) for t in (x[None], X, y[:, None]))
        attended = Attend(Dot(), normalizer=Pointwise("identity"))(*tensors)
        measured = eta / n * Fraction(float(attended[0, 0]))
        rows.append(row(measured, "=", predicted, pairs=n, d=d, eta=eta))
    return Evidence(rows, seed=SEED)
