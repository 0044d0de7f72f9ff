r"""AdaGrad-Norm with noise: it finds the floor of its own step, from any b_0 over six decades.

Claim
    With gradients of variance sigma^2, min |grad F|^2 over N steps of AdaGrad-Norm is at most of the order log N / sqrt N with
    probability 1 - delta, whatever b_0 is, with constants. On a quadratic of many dimensions b_k^2 grows by sigma^2 + |grad F|^2
    a step, and the excess is that of the steps eta / b_k: the same for all small b_0, where constant steps eta / b_0 diverge.
    A network on the digits learns for b_0 over six decades; with constant steps 1 / b_0 it does not for b_0 <= 1/100.
Source
    R. Ward, X. Wu, L. Bottou, AdaGrad Stepsizes: Sharp Convergence over Nonconvex Landscapes, ICML 2019, Theorem 2.1 and
    section 4 [ward2019]. The order, log N / sqrt N, is in the abstract; the constants are from memory, since no copy of the
    theorem was found. The steps are derived here.
Prediction
    plica.theory.optimization.adagrad_norm_noisy_bound; plica.theory.optimization.quadratic_excess with the steps that expected
    squares of gradients give
Measurement
    many runs of plica.learn.AdaGradNorm and plica.learn.SGD, with gradients drawn; networks trained by plica.learn.fit
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

import plica.data
from plica._palette import MEASUREMENT, REFERENCE
from plica._types import Array
from plica.claims import Evidence, control, row
from plica.claims.optimization._chains import mean_and_error
from plica.learn import AdaGradNorm, Stepper
from plica.theory.optimization import adagrad_norm_noisy_bound, quadratic_excess

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("ward-2019-adagrad-norm", "bottou-2018-noise-floor")
SEED = 2019
EIGENVALUES, VARIANCES = np.repeat([1.0, 4.0], 100), np.repeat([1.0, 0.5], 100)
RATE = 20.0
DELTA = 0.1


def run_one(b0: float, n_steps: int, seed: int) -> Array:
    """(n_steps, d) parameters of one run from (1, ..., 1); a run has a sum of squares of its own."""
    rng = np.random.default_rng(seed)
    w = np.ones_like(EIGENVALUES)

    def gradient(step: int) -> tuple[float, list[Array]]:
        return 0.0, [EIGENVALUES * w + rng.standard_normal(len(w)) * np.sqrt(VARIANCES)]

    stepper = Stepper([w], gradient, optimizer=AdaGradNorm(b0=b0), rate=lambda step: RATE)
    path = np.empty((n_steps, len(w)))
    for k in range(n_steps):
        path[k] = w
        stepper.advance()
    return path


def expected_steps(b0: float, n_steps: int) -> Array:
    """eta / b_k, where every squared gradient is replaced by its expected value."""
    square, second, found = b0**2, np.ones_like(EIGENVALUES), []
    for _ in range(n_steps):
        square += float((EIGENVALUES**2 * second + VARIANCES).sum())
        found.append(RATE / np.sqrt(square))
        second = (1 - found[-1] * EIGENVALUES) ** 2 * second + found[-1] ** 2 * VARIANCES
    return np.array(found)


@cache
def trained_accuracy(optimizer: str, b0: float, epochs: int) -> float:
    """Of 64-32-10 on half of the 8 x 8 digits; 0.1 where it diverged."""
    from plica.learn import SGD, evaluate, fit, mlp

    data = plica.data.load("digits")
    assert data.y is not None
    x, y = data.flat[:900].astype(np.float32), data.y[:900]
    model = mlp([64, 32, 10], seed=SEED)
    chosen = AdaGradNorm(b0=b0) if optimizer == "adagrad-norm" else SGD()
    fit(model, (x, y), epochs=epochs, batch=50, optimizer=chosen, rate=1.0 if optimizer == "adagrad-norm" else 1 / b0, seed=SEED)
    found = evaluate(model, (x, y)).accuracy
    assert found is not None
    return float(found) if np.isfinite(found) else 0.1


def check(scale: str) -> Evidence:
    is_full = scale == "full"
    n_runs, n_steps = (20, 6000) if is_full else (4, 1000)
    rows = []
    for b0 in (1e-4, 1.0, 1e2):
        paths = np.stack([run_one(b0, n_steps, SEED + i) for i in range(n_runs)])
        late = paths[:, n_steps // 2 :]
        excess = (EIGENVALUES * late**2).sum(2) / 2  # (runs, steps)
        predicted = quadratic_excess(EIGENVALUES, VARIANCES, expected_steps(b0, n_steps), np.ones_like(EIGENVALUES))
        mean, error = mean_and_error(excess.mean(1))
        about: dict[str, Any] = {"b0": b0, "steps": n_steps}
        estimate: dict[str, Any] = {"kind": "estimated", "standard_error": error}
        expected = float(predicted[n_steps // 2 : n_steps].mean())
        rows.append(row(mean, "=", expected, **estimate, tolerance=5e-3, what="excess, later half", **about))
        squares = ((EIGENVALUES * paths) ** 2).sum(2)
        bound = adagrad_norm_noisy_bound(
            n_steps, smoothness=4.0, excess=float(EIGENVALUES.sum() / 2), rate=RATE, b0=b0, noise=float(np.sqrt(VARIANCES.sum())),
            gradient=float(np.sqrt(squares.max())), failure=DELTA,
        )  # fmt: skip
        above = float((squares.min(1) > bound).mean())
        rows.append(row(above, "<=", DELTA, what="share of runs above the theorem's bound", **about))
    epochs = 30 if is_full else 5
    for b0 in (1e-6, 1e-4, 1e-2, 1.0):
        found = trained_accuracy("adagrad-norm", b0, epochs)
        rows.append(row(found, ">", 0.85, kind="estimated", standard_error=1e-6, what="network, AdaGrad-Norm", b0=b0))
    for b0 in (1e-6, 1e-4, 1e-2):
        found = trained_accuracy("constant", b0, epochs)
        rows.append(control(found, "<", 0.5, kind="estimated", standard_error=1e-6, what="network, step 1 / b0", b0=b0))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """What a network learns against b0: AdaGrad-Norm, and constant steps 1 / b0."""
    starts = [1e-6, 1e-4, 1e-2, 1e-1, 1.0, 10.0, 100.0]
    for name, color in (("adagrad-norm", MEASUREMENT), ("constant", REFERENCE)):
        label = "AdaGrad-Norm" if name == "adagrad-norm" else "constant step 1 / b0"
        ax.plot(starts, [trained_accuracy(name, b, 5) for b in starts], "o-", color=color, markersize=3, label=label)
    ax.set(xscale="log", xlabel="b0", ylabel="accuracy on training images after 5 epochs", ylim=(0, 1.02))
    ax.legend(frameon=False)
