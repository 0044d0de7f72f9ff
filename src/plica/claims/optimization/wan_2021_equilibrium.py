r"""The effective learning rate: weights before batch norm turn, and in equilibrium they turn by sqrt(2 eta lambda) a step.

Claim
    Weights that batch norm makes scale-free learn the same function, step by step, from (a W, a^2 eta) as from (W, eta). With
    weight decay lambda their length reaches an equilibrium, where a step turns them by an angle whose mean square is 2 eta lambda
    whatever the loss, the length at the start and the batch are.
Source
    T. van Laarhoven, L2 Regularization versus Batch and Weight Normalization (2017) [vanlaarhoven2017], for the effective rate
    eta / |W|^2; R. Wan, Z. Zhu, X. Zhang, J. Sun, Spherical Motion Dynamics, NeurIPS 2021 [wan2021], for the equilibrium.
Prediction
    equal losses, bit for bit where a is a power of two; (1 - (1 - eta lambda)^2) / (1 - eta lambda)^2 for the mean square of the
    tangent, which is 2 eta lambda up to its square
Measurement
    a layer of 16 units with batch norm in training mode and a fixed layer above it, on the 8 x 8 digits, trained by
    plica.learn.SGD with batches of 64; angles between weights before and after each step, averaged over units and late steps
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import plica.data
from plica._palette import PREDICTION, SERIES
from plica._types import Array
from plica.claims import Evidence, row
from plica.claims.optimization._chains import mean_and_error
from plica.learn import SGD, Stepper

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("ioffe-2015-scale", "balestriero-2022-folds")
SEED = 2021
UNITS, BATCH = 16, 64
NOTHING = 1e-300  # torch asks for a positive number; added to a variance it changes no bit


class Path(NamedTuple):
    """The loss of every step; squares of the tangent of the turn and lengths, (steps, units)."""

    losses: list[float]
    turns: Array
    lengths: Array


@cache
def run(factor: float, rate: float, decay: float, n_steps: int) -> Path:
    """From first weights times ``factor``; decay is part of the step, eta lambda W."""
    import torch

    digits = plica.data.load("digits")
    x, y = torch.from_numpy(digits.flat.astype(np.float64)), torch.from_numpy(np.asarray(digits.y))
    rng = np.random.default_rng(SEED)
    weights = rng.standard_normal((UNITS, 64)) * factor
    above = torch.from_numpy(rng.standard_normal((10, UNITS)) / 4)
    losses: list[float] = []

    def gradient(step: int) -> tuple[float, list[Array]]:
        rows = torch.from_numpy(np.random.default_rng((SEED, step)).integers(0, len(x), BATCH))
        w = torch.from_numpy(weights.copy()).requires_grad_()
        hidden = torch.nn.functional.batch_norm(x[rows] @ w.T, None, None, training=True, eps=NOTHING).relu()
        loss = torch.nn.functional.cross_entropy(hidden @ above.T, y[rows])
        loss.backward()  # type: ignore[no-untyped-call]
        losses.append(float(loss.detach()))
        assert w.grad is not None
        return losses[-1], [w.grad.numpy() + decay * weights]

    stepper = Stepper([weights], gradient, optimizer=SGD(), rate=lambda step: rate)
    turns, lengths = [], []
    for _ in range(n_steps):
        before = weights.copy()
        stepper.advance()
        sizes = np.linalg.norm(before, axis=1), np.linalg.norm(weights, axis=1)
        cosine = (before * weights).sum(1) / sizes[0] / sizes[1]
        turns.append(1 / cosine**2 - 1)
        lengths.append(sizes[1])
    return Path(losses, np.array(turns), np.array(lengths))


def check(scale: str) -> Evidence:
    n_steps = 4000 if scale == "full" else 600
    rows = []
    base = run(1.0, 0.5, 0.0, 40)
    for factor in (0.25, 2.0, 8.0):
        other = run(factor, 0.5 * factor**2, 0.0, 40)
        differ = sum(a != b for a, b in zip(base.losses, other.losses, strict=True))
        rows.append(row(differ, "=", 0, what="losses that differ, of 40 steps", a=factor))
    same_rate = run(2.0, 0.5, 0.0, 40)
    differ = sum(a != b for a, b in zip(base.losses, same_rate.losses, strict=True))
    rows.append(row(differ, ">", 30, what="losses that differ with the same eta, of 40 steps", a=2.0))
    for rate, decay, factor in ((0.5, 0.02, 0.3), (1.0, 0.02, 0.3), (0.5, 0.02, 0.6)):
        path = run(factor, rate, decay, n_steps)
        late = path.turns[n_steps // 2 :].mean(0)
        mean, error = mean_and_error(late)
        shrink = (1 - rate * decay) ** 2
        about: dict[str, Any] = {"eta": rate, "lambda": decay, "start": factor}
        rows.append(
            row(mean, "=", (1 - shrink) / shrink, kind="estimated", standard_error=error, tolerance=0.03,
                what="mean square of the turn", **about)
        )  # fmt: skip
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """The mean square of the turn against steps, from two lengths, and where it ends."""
    for color, factor in zip(SERIES, (0.3, 0.6), strict=False):
        turns = run(factor, 0.5, 0.02, 600).turns.mean(1)
        smooth = turns.reshape(-1, 20).mean(1)
        ax.plot(np.arange(len(smooth)) * 20 + 10, smooth, color=color, label=f"first weights times {factor:g}")
    ax.axhline(2 * 0.5 * 0.02, color=PREDICTION, linestyle="--", label=r"$2\eta\lambda$")
    ax.set(yscale="log", xlabel="steps", ylabel="mean square of the turn")
    ax.legend(frameon=False)
