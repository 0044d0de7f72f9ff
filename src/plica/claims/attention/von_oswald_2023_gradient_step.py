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
from typing import TYPE_CHECKING

import numpy as np
import torch

from plica._palette import INK, MEASUREMENT, PREDICTION
from plica.claims import Evidence, row
from plica.models.attention import Attend, Dot, Pointwise

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """Pairs on a line with noise, the line that one step of gradient descent from zero gives, and what attention answers."""
    rng = np.random.default_rng(SEED)
    X = rng.normal(size=(24, 1))
    y = 1.5 * X + 0.3 * rng.normal(size=(24, 1))
    asked = np.linspace(-2.5, 2.5, 9)[:, None]
    attend = Attend(Dot(), normalizer=Pointwise("identity"))
    with torch.no_grad():
        answers = attend(*(torch.as_tensor(t) for t in (asked, X, y))).numpy() / len(X)
    ax.plot(*np.hstack([X, y]).T, ".", color=INK, label="pairs (x, y)")
    ax.plot([-2.5, 2.5], [v * float((y * X).mean()) for v in (-2.5, 2.5)], color=PREDICTION, label="one gradient step")
    ax.plot(asked, answers, "o", color=MEASUREMENT, label="attention")
    ax.set(xlabel="x", ylabel="y")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
