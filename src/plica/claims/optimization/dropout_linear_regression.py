r"""Dropout on linear regression is ridge regression.

Claim
    The expected squared error of a linear model whose inputs are kept with probability p, over all masks, is |y - p X w|^2 +
    p (1 - p) sum_j (X^T X)_jj w_j^2. Its minimum solves (p^2 X^T X + p (1 - p) diag(X^T X)) w = p X^T y: dropping is ridge
    regression with a penalty for each input in proportion to its size.
Source
    N. Srivastava, G. Hinton, A. Krizhevsky, I. Sutskever, R. Salakhutdinov, Dropout, JMLR 15 (2014), section 9.1
    [srivastava2014].
Prediction
    the two formulas, in fractions
Measurement
    the mean over all masks of every row, in fractions; its minimum by the exact solution of the normal equations that the
    masks give, where the mean over masks must not slope; and torch's dropout, whose kept inputs are divided by p, on the same
    data
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import MEASUREMENT, PREDICTION
from plica.claims import Evidence, control, row
from plica.exact import solve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("dropout-weight-scaling",)
SEED = 2014
X = ((1, 2, 0), (3, -1, 1), (0, 2, 2), (-2, 1, 3), (1, 1, -1))
Y = (1, 4, 2, 0, -3)
Rows = list[tuple[Fraction, tuple[Fraction, ...], Fraction]]


def masked_rows(p: Fraction) -> Rows:
    """Every row of the data under every mask, with its probability."""
    found: Rows = []
    for x, y in zip(X, Y, strict=True):
        for mask in product((0, 1), repeat=len(x)):
            weight = p ** sum(mask) * (1 - p) ** (len(x) - sum(mask))
            found.append((weight, tuple(Fraction(m * v) for m, v in zip(mask, x, strict=True)), Fraction(y)))
    return found


def expected_loss(w: tuple[Fraction, ...], p: Fraction) -> Fraction:
    """The mean over all masks, one by one."""
    return sum(
        (weight * (y - sum(a * b for a, b in zip(x, w, strict=True))) ** 2 for weight, x, y in masked_rows(p)), Fraction(0)
    )


def ridge_loss(w: tuple[Fraction, ...], p: Fraction) -> Fraction:
    """The formula."""
    fit = sum(((y - p * sum(a * b for a, b in zip(x, w, strict=True))) ** 2 for x, y in zip(X, Y, strict=True)), Fraction(0))
    sizes = [sum(x[j] ** 2 for x in X) for j in range(len(w))]
    return fit + p * (1 - p) * sum((s * v**2 for s, v in zip(sizes, w, strict=True)), Fraction(0))


def best_over_masks(p: Fraction) -> list[Fraction]:
    """The minimum of the mean over masks: second moments added up mask by mask."""
    d = len(X[0])
    rows = masked_rows(p)
    left = [[sum((q * x[i] * x[j] for q, x, _ in rows), Fraction(0)) for j in range(d)] for i in range(d)]
    right = [sum((q * x[i] * y for q, x, y in rows), Fraction(0)) for i in range(d)]
    return _solved(left, right)


def best_ridge(p: Fraction) -> list[Fraction]:
    """The minimum of the formula."""
    d = len(X[0])
    gram = [[sum(x[i] * x[j] for x in X) for j in range(d)] for i in range(d)]
    left = [[p * p * gram[i][j] + (p * (1 - p) * gram[i][i] if i == j else 0) for j in range(d)] for i in range(d)]
    return _solved(left, [p * sum(x[i] * y for x, y in zip(X, Y, strict=True)) for i in range(d)])


def _solved(left: list[list[Fraction]], right: list[Fraction]) -> list[Fraction]:
    found = solve(left, right)
    assert found is not None
    return [Fraction(v) for v in found]


def twice_the_slope(w: list[Fraction], j: int, p: Fraction) -> Fraction:
    """What the mean over masks differs by at w + e_j and w - e_j: of a square twice its derivative, without a solver."""
    up, down = (tuple(v + side * (i == j) for i, v in enumerate(w)) for side in (1, -1))
    return expected_loss(up, p) - expected_loss(down, p)


def torch_loss(w: tuple[Fraction, ...], p: Fraction, n_masks: int) -> tuple[float, float]:
    """The mean loss of torch's dropout, whose scale 1/p is undone, and its standard error."""
    import torch

    x = torch.tensor(X, dtype=torch.float64).expand(n_masks, -1, -1)
    with torch.random.fork_rng():
        torch.manual_seed(SEED)
        kept = float(p) * torch.nn.functional.dropout(x, 1 - float(p), training=True)
    losses = ((torch.tensor(Y) - kept @ torch.tensor([float(v) for v in w], dtype=torch.float64)) ** 2).sum(1).numpy()
    return float(losses.mean()), float(losses.std(ddof=1) / np.sqrt(n_masks))


def check(scale: str) -> Evidence:
    rows = []
    some = (Fraction(1, 2), Fraction(-1, 3), Fraction(2))
    for p in (Fraction(1, 2), Fraction(4, 5), Fraction(1, 3)):
        rows.append(row(str(expected_loss(some, p)), "=", str(ridge_loss(some, p)), what="loss over all masks", p=str(p)))
        for j, (ours, theirs) in enumerate(zip(best_over_masks(p), best_ridge(p), strict=True)):
            rows.append(row(str(ours), "=", str(theirs), what=f"w_{j} at the minimum", p=str(p)))
            about: dict[str, Any] = {"what": f"derivative by w_{j} there, over all masks", "p": str(p)}
            rows.append(control(str(twice_the_slope(best_over_masks(p), j, p)), "=", "0", **about))
        mean, error = torch_loss(some, p, 200_000 if scale == "full" else 20_000)
        predicted = float(ridge_loss(some, p))
        rows.append(row(mean, "=", predicted, kind="estimated", standard_error=error, what="torch's dropout", p=str(p)))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """The weights against the probability of keeping: the ridge path, and minima over masks on it."""
    shares = [Fraction(k, 20) for k in range(2, 21)]
    for j in range(3):
        ax.plot([float(p) for p in shares], [float(p * best_ridge(p)[j]) for p in shares], color=PREDICTION, linewidth=0.9)
    some = shares[::3]
    for j in range(3):
        ax.plot([float(p) for p in some], [float(p * best_over_masks(p)[j]) for p in some], "o", color=MEASUREMENT, markersize=4)
    ax.set(xlabel="probability of keeping p", ylabel="weights used in testing, p w")
