r"""What the spread over dropout's masks says about the error: nothing that more data would change.

Claim
    In linear regression with dropout the variance of the prediction over masks does not depend on how often the data are
    repeated, while that of the Bayesian posterior is divided by it. On orthogonal inputs without noise, the variance over masks
    is p / (1 - p) times the squared error of the mean prediction: right at p = 1/2 only. For small networks on a function with
    three bends the ratio is between 1/4 and 4 at p = 1/2 and p = 4/5.
Source
    I. Osband, Risk versus Uncertainty in Deep Learning: Bayes, Bootstrap and the Dangers of Dropout, NIPS workshop 2016
    [osband2016], that it does not concentrate; the ratio is derived here. Y. Gal, Z. Ghahramani, Dropout as a Bayesian
    Approximation, ICML 2016 [gal2016], propose the spread as uncertainty.
Prediction
    equality and p / (1 - p), in fractions; for networks an order of magnitude
Measurement
    every mask of a linear model at the exact minimum of the expected loss, in fractions; for networks trained on the expected
    loss over all masks (plica.learn.fit), integrals of the variance and of the squared error on the exact pieces
    (plica.measure.moments); controls are the same integrals by Simpson's rule between bends, the variance over masks as
    (1 - p) / p sum_i w_i^2 mean(h_i^2), and the loss that was trained as squared error plus that variance
Remark
    The range for networks was 1/2 to 2 at first; one of ten networks had a ratio of 0.36, and the range was widened to 1/4 to 4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import MEASUREMENT, PREDICTION, REFERENCE
from plica._types import Array
from plica.claims import Evidence, control, row
from plica.exact import solve
from plica.geometry import Segment, decompose
from plica.measure import moments
from plica.network import Linear, Network, Rectifier

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "question"
EXPECTED = "answered"
KIND = "certified"
SEE = ("dropout-linear-regression", "dropout-masks-regions")
SEED = 2016
WIDTH = 5
Rows = Sequence[Sequence[int]]
HADAMARD = ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1))  # orthogonal columns
OBLIQUE = ((1, 2, 0), (3, -1, 1), (0, 2, 2), (-2, 1, 3), (1, 1, -1))
TRUTH = (2, -1, 3)
BENDS = ((1.0, 0.0, 1.0), (1.0, -0.25, -2.0), (-1.0, -0.5, 1.0))  # slope, offset and weight of the teacher's units


def minimizer(x: Rows, y: Sequence[int], p: Fraction) -> list[Fraction]:
    """Of the expected loss, from second moments that are added up mask by mask."""
    d = len(x[0])
    left, right = [[Fraction(0)] * d for _ in range(d)], [Fraction(0)] * d
    for mask in product((0, 1), repeat=d):
        weight = p ** sum(mask) * (1 - p) ** (d - sum(mask))
        for values, target in zip(x, y, strict=True):
            kept = [m * v for m, v in zip(mask, values, strict=True)]
            for i in range(d):
                right[i] += weight * kept[i] * target
                for j in range(d):
                    left[i][j] += weight * kept[i] * kept[j]
    found = solve(left, right)
    assert found is not None
    return [Fraction(v) for v in found]


def spread(w: Sequence[Fraction], x: Sequence[int], p: Fraction) -> tuple[Fraction, Fraction]:
    """Mean and variance of the prediction over all masks."""
    first = second = Fraction(0)
    for mask in product((0, 1), repeat=len(w)):
        weight = p ** sum(mask) * (1 - p) ** (len(w) - sum(mask))
        out = sum((m * a * b for m, a, b in zip(mask, w, x, strict=True)), Fraction(0))
        first, second = first + weight * out, second + weight * out * out
    return first, second - first * first


def posterior_variance(x: Rows, at: Sequence[int]) -> Fraction:
    """x^T (X^T X)^-1 x: of Bayesian regression with a flat prior and noise of variance 1."""
    gram = [[Fraction(sum(r[i] * r[j] for r in x)) for j in range(len(at))] for i in range(len(at))]
    found = solve(gram, [Fraction(v) for v in at])
    assert found is not None
    return sum((Fraction(a) * b for a, b in zip(found, at, strict=True)), Fraction(0))


def calibration(p: Fraction) -> Fraction:
    """Variance over squared error, both averaged over the corners of a cube, for noiseless data with orthogonal inputs."""
    w = minimizer(HADAMARD, [sum(a * b for a, b in zip(x, TRUTH, strict=True)) for x in HADAMARD], p)
    variance = error = Fraction(0)
    for corner in product((-1, 1), repeat=3):
        mean, var = spread(w, corner, p)
        variance, error = variance + var, error + (mean - sum(a * b for a, b in zip(corner, TRUTH, strict=True))) ** 2
    return variance / error


def teacher(x: Array) -> Array:
    return np.asarray(sum(weight * np.maximum(slope * x + offset, 0) for slope, offset, weight in BENDS))


@cache
def student(keep: float, steps: int, seed: int) -> tuple[Array, Array, Array, float, float]:
    """Hidden and output weights and biases of a network trained on the expected loss over all 2^5 masks; that loss."""
    import torch

    from plica.learn import fit, mlp

    model = mlp([1, WIDTH, 1], seed=seed, weights="he-normal", bias_std=0.5, dtype=torch.float64)
    x = torch.linspace(-1, 1, 16, dtype=torch.float64)[:, None]
    y = torch.from_numpy(teacher(x.numpy()))
    masks = torch.tensor(list(product((0.0, 1.0), repeat=WIDTH)), dtype=torch.float64)
    probabilities = keep ** masks.sum(1) * (1 - keep) ** (WIDTH - masks.sum(1))

    def objective(network: Any, batch: Any) -> Any:
        hidden = network[:2](x)
        out = hidden @ (masks / keep * network[2].weight).T + network[2].bias
        return (probabilities * ((out - y) ** 2).mean(0)).sum()

    trained = fit(model, lambda step: (), steps=steps, objective=objective, optimizer="adam", rate=0.03, seed=seed)
    loss = float(objective(trained.model, ()).detach())
    weight, bias, outer, last = (p.detach().numpy().copy() for p in model.parameters())
    return weight, bias, outer[0], float(last[0]), loss


def squared(slopes: Array, offsets: Array, weights: Array, constant: float) -> float:
    """The mean over [-1, 1] of the square of one hidden layer, on its exact pieces."""
    network = Network.sequential(1, [Linear(slopes, offsets), Rectifier(), Linear(weights[None], np.array([constant]))])
    return moments(decompose(network, Segment([-1.0], [1.0]))).integrals[1].middle


def network_calibration(keep: float, steps: int, seed: int) -> tuple[float, float]:
    """The mean over inputs of the variance over masks, and of the squared error of the mean prediction."""
    slopes, offsets, outer, last, _ = student(keep, steps, seed)
    variance = 0.0
    for mask in product((0, 1), repeat=WIDTH):
        probability = keep ** sum(mask) * (1 - keep) ** (WIDTH - sum(mask))
        variance += probability * squared(slopes, offsets, (np.array(mask) / keep - 1) * outer, 0.0)
    bends = np.array(BENDS)
    both = np.concatenate([slopes, bends[:, :1]]), np.concatenate([offsets, bends[:, 1]])
    return variance, squared(*both, np.concatenate([outer, -bends[:, 2]]), last)


def simpson(values: Callable[[Array], Array], bends: Array) -> float:
    """The mean over [-1, 1] of the square of what is linear between bends: Simpson's rule is exact for it."""
    knots = np.concatenate([[-1.0], np.sort(bends[np.abs(bends) < 1]), [1.0]])
    ends, middles = values(knots) ** 2, values((knots[1:] + knots[:-1]) / 2) ** 2
    return float(np.diff(knots) @ (ends[:-1] + 4 * middles + ends[1:]) / 12)


def by_hand(keep: float, steps: int, seed: int) -> tuple[float, float, float]:
    """Without masks and cells: the variance over masks, the squared error of the mean, and the expected loss on the data."""
    slopes, offsets, outer, last, _ = student(keep, steps, seed)
    a, b = slopes[:, 0], offsets
    own = [simpson(lambda x, i=i: np.maximum(a[i] * x + b[i], 0), -b[i : i + 1] / a[i]) for i in range(WIDTH)]  # type: ignore[misc]
    odds = (1 - keep) / keep
    bends = np.concatenate([-b / a, [-offset / slope for slope, offset, _ in BENDS]])

    def miss(x: Array) -> Array:
        return np.asarray(np.maximum(np.outer(x, a) + b, 0) @ outer + last - teacher(x))

    x = np.linspace(-1, 1, 16)
    loss = (miss(x) ** 2).mean() + odds * float((np.maximum(np.outer(x, a) + b, 0) ** 2).mean(0) @ outer**2)
    return odds * float(np.array(own) @ outer**2), simpson(miss, bends), float(loss)


def check(scale: str) -> Evidence:
    rows = []
    at = (1, 2, -1)
    for p in (Fraction(1, 2), Fraction(4, 5)):
        once = spread(minimizer(OBLIQUE, (1, 4, 2, 0, -3), p), at, p)[1]
        for times in (2, 7):
            often = spread(minimizer(OBLIQUE * times, (1, 4, 2, 0, -3) * times, p), at, p)[1]
            rows.append(row(str(often), "=", str(once), what="variance over masks, data repeated", times=times, p=str(p)))
            less = posterior_variance(OBLIQUE * times, at) / posterior_variance(OBLIQUE, at)
            rows.append(
                control(str(less), "=", str(Fraction(1, times)), what="posterior variance, over that before", times=times)
            )
    for p in (Fraction(1, 3), Fraction(1, 2), Fraction(9, 10)):
        rows.append(row(str(calibration(p)), "=", str(p / (1 - p)), what="variance over squared error", p=str(p)))
    steps, seeds = (3000, range(SEED, SEED + 5)) if scale == "full" else (400, range(SEED, SEED + 1))
    for keep in (0.5, 0.8):
        for seed in seeds:
            variance, error = network_calibration(keep, steps, seed)
            for relation, limit in ((">", 0.25), ("<", 4.0)):
                about: dict[str, Any] = {"p": keep, "seed": seed}
                rows.append(row(variance / error, relation, limit, kind="certified", what="the same for a network", **about))
            found = (variance, error, student(keep, steps, seed)[-1])
            names = ("variance over masks", "squared error", "loss that was trained")
            for name, value, known in zip(names, found, by_hand(keep, steps, seed), strict=True):
                told = f"{name}, as by hand"
                rows.append(control(value, "=", known, kind="certified", tolerance=1e-9, what=told, p=keep, seed=seed))
            plain = squared(np.array(BENDS)[:, :1], np.array(BENDS)[:, 1], np.array(BENDS)[:, 2], 0.0)
            rows.append(
                control(error / plain, "<", 0.5, kind="certified", what="squared error, of the square", p=keep, seed=seed)
            )
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """The teacher, the mean prediction at p = 4/5, and two standard deviations over masks."""
    slopes, offsets, outer, last, _ = student(0.8, 400, SEED)
    x = np.linspace(-1, 1, 201)
    hidden = np.maximum(x[:, None] * slopes[:, 0] + offsets, 0)
    mean = hidden @ outer + last
    deviation = np.sqrt((1 - 0.8) / 0.8 * (hidden**2 @ outer**2))
    ax.fill_between(x, mean - 2 * deviation, mean + 2 * deviation, color=REFERENCE, alpha=0.3, label="two deviations over masks")
    ax.plot(x, mean, color=MEASUREMENT, label="mean over masks")
    ax.plot(x, teacher(x), color=PREDICTION, linestyle="--", label="truth")
    ax.set(xlabel="input", ylabel="output")
    ax.legend(frameon=False)
