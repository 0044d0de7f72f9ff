r"""Does a step of 1 / L decrease the loss of a ReLU network, with L measured where it starts?

Claim
    Where a step crosses no fold in the space of weights, the squared loss along it is exactly the parabola of its first two
    derivatives, and a step of 1 / L along the gradient decreases it by |g|^2 / (2 L). Across a fold neither is true: of two units
    with slopes a and b that meet at the fold, a step of 1 / L can multiply the loss by (1 + b/a)^2, however small it was.
Source
    Asked here. The lemma is in every analysis of gradient descent [bottou2018]; ReLU networks are not smooth, so it does not
    apply.
Prediction
    the parabola and |g|^2 / (2 L) without a fold; (1 + b/a)^2 / (1 + a w / |y|)^2 for the two units
Measurement
    losses and derivatives in fractions; folds counted by the exact engine (plica.decompose) on the segment of weights, for
    networks with weights of few bits, whose products are exact, and beside it where pre-activations vanish in fractions; the
    loss at the end of a step also by the affine map of the last piece
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from plica._palette import MEASUREMENT, REFERENCE, SERIES
from plica._types import Array
from plica.claims import Evidence, control, row
from plica.geometry import Segment, decompose
from plica.network import Linear, Network, Rectifier

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "question"
EXPECTED = "answered"
KIND = "exact"
SEE = ("bottou-2018-noise-floor",)
SEED = 60
POINTS, WIDTH = 6, 4


class Case(NamedTuple):
    """A network with one hidden layer, data, and the gradient of its loss by the first layer's weights."""

    inner: Array
    outer: Array
    x: Array
    y: Array

    @property
    def gradient(self) -> Array:
        """Of the sum of squares over two, exact: all numbers have few bits."""
        hidden = self.x @ self.inner.T
        residual = np.maximum(hidden, 0) @ self.outer - self.y
        return np.asarray((residual[:, None] * self.outer * (hidden > 0)).T @ self.x)

    def loss(self, t: Fraction) -> Fraction:
        """After a step of t along the gradient, in fractions."""
        move, total = self.gradient, Fraction(0)
        for x, y in zip(self.x, self.y, strict=True):
            out = -Fraction(y)
            for row_, moved, weight in zip(self.inner, move, self.outer, strict=True):
                z = sum(
                    (Fraction(v) * (Fraction(w) - t * Fraction(g)) for v, w, g in zip(x, row_, moved, strict=True)), Fraction(0)
                )
                out += Fraction(weight) * max(z, Fraction(0))
            total += out * out / 2
        return total

    def along(self) -> Network:
        """All outputs as a network of the length of the step."""
        slopes = -(self.x @ self.gradient.T).reshape(-1, 1)
        start = (self.x @ self.inner.T).reshape(-1)
        return Network.sequential(1, [Linear(slopes, start), Rectifier(), Linear(np.kron(np.eye(POINTS), self.outer))])

    def curvature(self) -> Fraction:
        """L: the second derivative along the gradient where the step starts, over |g|^2."""
        hidden = self.x @ self.inner.T
        change = ((self.x @ self.gradient.T) * (hidden > 0)) @ self.outer
        size = self.squared_gradient()
        return sum((Fraction(c) ** 2 for c in change), Fraction(0)) / size if size else Fraction(0)

    def squared_gradient(self) -> Fraction:
        return sum((Fraction(g) ** 2 for g in self.gradient.ravel()), Fraction(0))


def random_case(seed: int) -> Case:
    """Weights and data that are multiples of 1/8."""
    rng = np.random.default_rng(seed)
    inner, outer = rng.integers(-16, 17, (WIDTH, 2)) / 8, rng.integers(-8, 9, WIDTH) / 8
    return Case(inner, outer, rng.integers(-8, 9, (POINTS, 2)) / 8, rng.integers(-8, 9, POINTS) / 8)


def folds_crossed(case: Case, length: Fraction) -> int:
    """Breakpoints inside the segment of weights, by the engine."""
    return decompose(case.along(), Segment([0.0], [float(length)])).n_cells - 1


def folds_by_hand(case: Case, length: Fraction) -> int:
    """Places inside the segment where the pre-activation of a unit at a point is zero, in fractions."""
    starts, slopes = (case.x @ case.inner.T).ravel(), (case.x @ case.gradient.T).ravel()
    places = {Fraction(z) / Fraction(g) for z, g in zip(starts, slopes, strict=True) if g}
    return sum(0 < t < length for t in places)


def loss_by_pieces(case: Case, length: Fraction) -> float:
    """The loss at the end of the segment, from the affine map of the engine's last piece."""
    A, c = list(decompose(case.along(), Segment([0.0], [float(length)])).cells)[-1].affine_map
    return float(((A[:, 0] * float(length) + c - case.y) ** 2).sum() / 2)


def check(scale: str) -> Evidence:
    rows = []
    smooth = crossed = broken = 0
    for seed in range(SEED, SEED + (200 if scale == "full" else 40)):
        case = random_case(seed)
        size, curvature = case.squared_gradient(), case.curvature()
        if not curvature or not (case.x @ case.inner.T).all():  # flat, or a unit that begins on its fold
            continue
        for part in (1, 16):
            length = Fraction(float(1 / curvature / part))
            off = case.loss(length) - (case.loss(Fraction(0)) - length * size + length**2 * curvature * size / 2)
            folds = folds_crossed(case, length)
            if part == 1:
                about: dict[str, Any] = {"seed": seed, "step": "1/1 L"}
                rows.append(control(folds, "=", folds_by_hand(case, length), what="folds crossed, in fractions", **about))
                known = float(case.loss(length))
                told = "loss at the end, by the last piece"
                rows.append(control(loss_by_pieces(case, length), "=", known, tolerance=1e-9, unit=1.0, what=told, **about))
            if folds:
                crossed += 1
                broken += off != 0
                continue
            smooth += 1
            rows.append(row(str(off), "=", "0", what="loss minus parabola, no fold crossed", seed=seed, step=f"1/{part} L"))
            if part == 1:
                missing = case.loss(Fraction(0)) - case.loss(length) - size / (2 * curvature)
                rounding = size * abs(length * curvature - 1)  # 1 / L is rounded to a float
                rows.append(row(abs(missing) <= rounding, "=", True, what="decrease of |g|^2 / (2 L)", seed=seed))
    rows.append(row(smooth, ">", 0, what="steps without a fold"))
    rows.append(row(broken, ">", crossed // 2, what="steps off the parabola, of those across folds", across=crossed))
    for a, b, w, y in ((1, 3, 1, 1), (1, 10, 2, 1), (2, 50, Fraction(1, 4), 3)):
        before = (Fraction(a) * w + y) ** 2 / 2  # the output is a relu(w) + b relu(-w), the target -y
        after_w = w - (Fraction(a) * w + y) * a / Fraction(a * a)
        after = (b * max(-after_w, Fraction(0)) + a * max(after_w, Fraction(0)) + y) ** 2 / 2
        factor = (1 + Fraction(b, a)) ** 2 / (1 + Fraction(a) * w / y) ** 2
        rows.append(row(str(after / before), "=", str(factor), what="loss after 1/L over before", a=a, b=b))
        rows.append(row(factor, ">", 1, what="it grows", a=a, b=b))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """The loss along a step that crosses folds, and the parabola of where it starts."""
    case = max(
        (random_case(s) for s in range(SEED, SEED + 20)), key=lambda c: folds_crossed(c, Fraction(float(1 / c.curvature())))
    )
    length = float(1 / case.curvature())
    t = np.linspace(0, 1.5 * length, 200)
    size, curvature, first = float(case.squared_gradient()), float(case.curvature()), float(case.loss(Fraction(0)))
    ax.plot(t, first - t * size + t**2 * curvature * size / 2, color=REFERENCE, linestyle="--", label="parabola at the start")
    ax.plot(t, [float(case.loss(Fraction(float(s)))) for s in t], color=MEASUREMENT, label="loss")
    cx = decompose(case.along(), Segment([0.0], [1.5 * length]))
    for s in cx.vertices[1:-1, 0] * 1.5 * length:
        ax.axvline(s, color=SERIES[1], linewidth=0.6)
    ax.axvline(length, color=REFERENCE, linewidth=0.8)
    ax.annotate(" 1 / L", (length, 0.9 * first))
    ax.set(xlabel="length of the step", ylabel="loss; folds in orange")
    ax.legend(frameon=False)
