r"""SVRG and SAGA: the noise goes to zero with the error, so constant steps converge linearly.

Claim
    On a mean of L-smooth functions that is c-strongly convex, an epoch of SVRG multiplies the expected excess by at most 1 /
    (c eta (1 - 2 L eta) m) + 2 L eta / (1 - 2 L eta), and k steps of SAGA with step 1 / (3 L) multiply its Lyapunov function
    by (1 - min{1 / (4 n), c / (3 L)})^k. SGD with the same steps stays at a floor.
Source
    R. Johnson, T. Zhang, NIPS 2013, Theorem 1 [johnson2013]; A. Defazio, F. Bach, S. Lacoste-Julien, NIPS 2014, Corollary 1
    [defazio2014], whose constant before the power, |x - x*|^2 + 2 n (f - f*) / (3 L) at the start, is as others print it.
Prediction
    plica.theory.optimization.svrg_rate and plica.theory.optimization.saga_rate; for few steps the expectations themselves:
    steps are linear in the parameters and what is remembered, so second moments follow a linear recursion
Measurement
    the mean over many runs of plica.learn.svrg and plica.learn.saga on least squares with ten residuals of one curvature
    each; the floor of plica.learn.SGD on the same problem
Remark
    Both bounds are far from attained here: of them only the side is measured, and that the rate is linear.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BOUND, SERIES
from plica._types import Array
from plica.claims import Evidence, Row, control, row
from plica.claims.optimization._chains import mean_and_error, run_chains
from plica.learn import SGD, FiniteSum, saga, svrg
from plica.theory.optimization import saga_rate, svrg_rate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("bottou-2018-noise-floor",)
SEED = 2014
N = 10
RATE, INNER = 0.1, 400  # of SVRG; summands have curvature 1


def residuals() -> tuple[Array, Array]:
    """Ten unit vectors and values: f_i(w) = (a_i . w - b_i)^2 / 2 is 1-smooth."""
    rng = np.random.default_rng(SEED)
    angles = np.linspace(0, 1.2, N)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1), rng.standard_normal(N)


class LeastSquares:
    """The problem, its minimum, its convexity and its excess."""

    def __init__(self) -> None:
        self.a, self.b = residuals()
        self.hessian = self.a.T @ self.a / N
        self.minimum = np.linalg.solve(self.hessian, self.a.T @ self.b / N)
        self.convexity = float(np.linalg.eigvalsh(self.hessian)[0])
        self.sum = FiniteSum(N, lambda w, i: ((self.a[i] * w).sum(1) - self.b[i])[:, None] * self.a[i])

    def excess(self, w: Array) -> Array:
        """F - F* of each run."""
        off = w - self.minimum
        return np.asarray(np.einsum("ri,ij,rj->r", off, self.hessian, off) / 2)


def expected_svrg(problem: LeastSquares, off: Array, rate: float, n_inner: int, n_epochs: int) -> float:
    """The expected excess: second moments of the distance now and at the snapshot, averaged over the inner iterates."""
    d, parts = len(off), [np.outer(a, a) for a in problem.a]
    zero, one = np.zeros((d, d)), np.eye(d)
    moves = [np.block([[one - rate * h, rate * (h - problem.hessian)], [zero, one]]) for h in parts]
    moment = np.outer(off, off)
    for _ in range(n_epochs):
        joint, total = np.tile(moment, (2, 2)), zero
        for _ in range(n_inner):
            total = total + joint[:d, :d] / n_inner
            joint = sum((m @ joint @ m.T for m in moves), np.zeros_like(joint)) / N
        moment = total
    return float(np.trace(problem.hessian @ moment)) / 2


def expected_saga(problem: LeastSquares, off: Array, rate: float, n_steps: int) -> float:
    """The expected squared distance: second moments of the distance now and of those at which each summand was last seen."""
    d = len(off)
    moves = []
    for i in range(N):
        move = np.eye(d * (N + 1))
        for j in range(N):
            part = rate * np.outer(problem.a[j], problem.a[j])
            move[:d, d * (j + 1) : d * (j + 2)] += (part if j == i else 0) - part / N
            if j == i:
                move[:d, :d] -= part
        move[d * (i + 1) : d * (i + 2)] = 0
        move[d * (i + 1) : d * (i + 2), :d] = np.eye(d)
        moves.append(move)
    state = np.tile(off, N + 1)
    moment = np.outer(state, state)
    for _ in range(n_steps):
        moment = sum((m @ moment @ m.T for m in moves), np.zeros_like(moment)) / N
    return float(np.trace(moment[:d, :d]))


def few_steps(problem: LeastSquares, n_runs: int) -> list[Row]:
    """Means over many short runs against their expectations."""
    start = np.tile(problem.minimum + np.array([3.0, -3.0]), (n_runs, 1))
    off, rows = start[0] - problem.minimum, []
    snapshots = svrg(problem.sum, start, rate=0.4, n_inner=5, n_epochs=2, seed=SEED + 1)
    for epochs in (1, 2):
        mean, error = mean_and_error(problem.excess(snapshots[epochs]))
        expected = expected_svrg(problem, off, 0.4, 5, epochs)
        about: dict[str, Any] = {"kind": "estimated", "standard_error": error, "epochs": epochs}
        rows.append(row(mean, "=", expected, what="SVRG, 5 inner steps of 0.4: the expectation", **about))
    steps = (3, 12)
    for n, w in zip(steps, saga(problem.sum, start, rate=1 / 3, steps=steps, seed=SEED + 1), strict=True):
        mean, error = mean_and_error(((w - problem.minimum) ** 2).sum(1))
        about = {"kind": "estimated", "standard_error": error, "steps": n}
        rows.append(row(mean, "=", expected_saga(problem, off, 1 / 3, n), what="SAGA: the expectation", **about))
    return rows


def check(scale: str) -> Evidence:
    n_runs = 4000 if scale == "full" else 400
    problem = LeastSquares()
    start = np.tile(problem.minimum + np.array([3.0, -3.0]), (n_runs, 1))
    first = float(problem.excess(start[:1])[0])
    rows = few_steps(problem, 40 * n_runs)
    factor = svrg_rate(RATE, INNER, smoothness=1.0, convexity=problem.convexity)
    rows.append(control(factor, "<", 1.0, kind="estimated", standard_error=1e-12, what="the theorem's factor of an epoch"))
    for epochs, w in enumerate(svrg(problem.sum, start, rate=RATE, n_inner=INNER, n_epochs=6, seed=SEED)):
        if epochs:
            mean, error = mean_and_error(problem.excess(w))
            bound = factor**epochs * first
            rows.append(row(mean, "<=", bound, kind="estimated", standard_error=error, what="SVRG", epochs=epochs))
    rate = saga_rate(N, smoothness=1.0, convexity=problem.convexity)
    off = start[0] - problem.minimum
    before = float(off @ off) + 2 * N / 3 * first
    steps = (50, 200, 800)
    for n, w in zip(steps, saga(problem.sum, start, rate=1 / 3, steps=steps, seed=SEED), strict=True):
        mean, error = mean_and_error(((w - problem.minimum) ** 2).sum(1))
        rows.append(row(mean, "<=", rate**n * before, kind="estimated", standard_error=error, what="SAGA", steps=n))
    late = float(problem.excess(saga(problem.sum, start, rate=1 / 3, steps=(4000,), seed=SEED)[0]).max())
    rows.append(row(late, "<", 1e-20, kind="estimated", standard_error=1e-22, what="SAGA ends at the minimum", steps=4000))

    def gradient(w: Array, rng: np.random.Generator) -> Array:
        return problem.sum.gradient(w, rng.integers(N, size=len(w)))

    (w,) = run_chains(start, gradient, optimizer=SGD(), rate=lambda step: 1 / 3, steps=(1500,), seed=SEED)
    mean, error = mean_and_error(problem.excess(w))
    rows.append(control(mean, ">", 0.01, kind="estimated", standard_error=error, what="SGD with the same step stays above"))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """The excess against gradients taken."""
    problem = LeastSquares()
    start = np.tile(problem.minimum + np.array([3.0, -3.0]), (100, 1))
    steps = tuple(range(0, 1600, 40))
    curves: dict[str, tuple[Any, Any]] = {
        "SAGA": (steps, [problem.excess(w).mean() for w in saga(problem.sum, start, rate=1 / 3, steps=steps, seed=1)]),
        "SVRG": (
            np.arange(6) * (2 * INNER + N),
            [problem.excess(w).mean() for w in svrg(problem.sum, start, rate=RATE, n_inner=INNER, n_epochs=5, seed=1)],
        ),
    }

    def gradient(w: Array, rng: np.random.Generator) -> Array:
        return problem.sum.gradient(w, rng.integers(N, size=len(w)))

    runs = run_chains(start, gradient, optimizer=SGD(), rate=lambda step: 1 / 3, steps=steps, seed=1)
    curves["SGD"] = (steps, [problem.excess(w).mean() for w in runs])
    for color, (name, (x, y)) in zip(SERIES, curves.items(), strict=False):
        ax.plot(x, np.maximum(y, 1e-32), color=color, label=name)
    bound = [90 * saga_rate(N, smoothness=1, convexity=problem.convexity) ** n for n in steps]
    ax.plot(steps, bound, "--", color=BOUND, label="SAGA, bound of the rate")
    ax.set(yscale="log", xlabel="gradients", ylabel="mean excess")
    ax.legend(frameon=False)
