r"""Adam can go to the worst point: a large gradient is forgotten before it comes again.

Claim
    On the losses C x, -x, -x, C x, ... over [-1, 1] with C > 2, where -1 is best, Adam with beta1 = 0, beta2 = 1 / (1 + C^2)
    and steps like 1 / sqrt(t) goes to +1: its regret a step tends to 2 (C - 2) / 3. AMSGrad's tends to 0.
Source
    S. Reddi, S. Kale, S. Kumar, On the Convergence of Adam and Beyond, ICLR 2018, Theorem 1 [reddi2018].
Prediction
    plica.theory.optimization.adam_counterexample_regret, and 0 for AMSGrad, like 1 / sqrt(T)
Measurement
    plica.learn.Adam and plica.learn.AMSGrad, projected to [-1, 1] after every step; losses added up along the way
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BOUND, MEASUREMENT, REFERENCE
from plica._types import Array
from plica.claims import Evidence, row
from plica.learn import Adam, AMSGrad, Optimizer
from plica.theory.optimization import adam_counterexample_regret

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("duchi-2011-regret",)


def play(optimizer: Optimizer, large: float, n_steps: int) -> tuple[Array, Array]:
    """The points before every step, from 0, and the regret against -1 after every step."""
    x = np.zeros(1)
    optimizer.start([x])
    points, regret = np.empty(n_steps), np.empty(n_steps)
    total = 0.0
    for t in range(n_steps):
        points[t] = x[0]
        slope = large if t % 3 == 0 else -1.0
        total += slope * (x[0] + 1)
        regret[t] = total
        optimizer.step([x], 0.5 / np.sqrt(t + 1), [np.array([slope])])
        np.clip(x, -1, 1, out=x)
    return points, regret


def check(scale: str) -> Evidence:
    n_steps = 300_000 if scale == "full" else 18_000
    rows = []
    for large in (3.0, 5.0):
        adam, amsgrad = (kind(beta1=0.0, beta2=1 / (1 + large**2), epsilon=0.0) for kind in (Adam, AMSGrad))
        points, regret = play(adam, large, n_steps)
        rounding: dict[str, Any] = {"kind": "estimated", "standard_error": 1e-9}
        late = (regret[-1] - regret[n_steps // 2 - 1]) / (n_steps - n_steps // 2)
        rows.append(row(float(late), "=", adam_counterexample_regret(large), tolerance=0.03, **rounding, what="Adam", C=large))
        rows.append(row(float(points[-3000:].min()), ">", 0.9, **rounding, what="where Adam stays", C=large))
        points, regret = play(amsgrad, large, n_steps)
        rows.append(row(float(points[-3000:].max()), "<", -0.9, **rounding, what="where AMSGrad stays", C=large))
        late = (regret[-1] - regret[n_steps // 2 - 1]) / (n_steps - n_steps // 2)
        rows.append(
            row(float(late), "<", 0.05 * adam_counterexample_regret(large), **rounding, what="AMSGrad, of Adam's", C=large)
        )
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """Where the two go."""
    for kind, color, name in ((Adam, BOUND, "Adam"), (AMSGrad, MEASUREMENT, "AMSGrad")):
        points, _ = play(kind(beta1=0.0, beta2=0.1, epsilon=0.0), 3.0, 3000)
        ax.plot(np.arange(1, 3001), points, color=color, linewidth=0.8, label=name)
    ax.axhline(-1, color=REFERENCE, linestyle="--", linewidth=0.8)
    ax.annotate("best", (1.2, -0.97), color=REFERENCE)
    ax.set(xscale="log", xlabel="step", ylabel="x")
    ax.legend(frameon=False)
