r"""AdaGrad's regret, coordinate by coordinate, with its constant.

Claim
    Diagonal AdaGrad with rate eta on a box of side D has regret at most (D^2 / (2 eta) + eta) sum_i |g_i|, the norms of each
    coordinate's gradients over time, for any sequence of linear losses. Against an adversary that always pulls away from
    where one stands the regret is more than 0.45 of the bound at eta = D / sqrt(2).
Source
    J. Duchi, E. Hazan, Y. Singer, Adaptive Subgradient Methods, JMLR 12 (2011), Theorem 5 and Corollary 6 [duchi2011], as
    others print them.
Prediction
    plica.theory.optimization.adagrad_regret_bound
Measurement
    plica.learn.AdaGrad, projected to the box after every step, against random gradients of very different sizes and rarity,
    and against the adversary
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BOUND, MEASUREMENT, SERIES
from plica._types import Array
from plica.claims import Evidence, row
from plica.learn import AdaGrad
from plica.theory.optimization import adagrad_regret_bound

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("reddi-2018-adam", "ward-2019-adagrad-norm")
SEED = 2011
SIDE = 2.0
SIZES = np.array([10.0, 1.0, 0.1])
CHANCES = np.array([0.02, 0.3, 1.0])


def play(n_steps: int, rate: float, *, adversary: bool, seed: int = SEED) -> tuple[Array, Array]:
    """Regret after every step against the best corner so far, and the bound."""
    rng = np.random.default_rng(seed)
    x, optimizer = np.zeros(3), AdaGrad(epsilon=0.0)
    optimizer.start([x])
    optimizer.slots["sum"][0] += 1e-300  # a coordinate that was never pulled does not move
    paid, total, squares = 0.0, np.zeros(3), np.zeros(3)
    regret, bound = np.empty(n_steps), np.empty(n_steps)
    for t in range(n_steps):
        g = SIZES * (rng.random(3) < CHANCES)
        g = np.where(x > 0, g, -g) if adversary else g * rng.choice([-1.0, 1.0], 3)
        paid, total, squares = paid + float(g @ x), total + g, squares + g**2
        regret[t] = paid + SIDE / 2 * float(np.abs(total).sum())
        bound[t] = adagrad_regret_bound(np.sqrt(squares).tolist(), diameter=SIDE, rate=rate)
        optimizer.step([x], rate, [g])
        np.clip(x, -SIDE / 2, SIDE / 2, out=x)
    return regret, bound


def check(scale: str) -> Evidence:
    n_steps = 20_000 if scale == "full" else 3000
    rows = []
    rounding: dict[str, Any] = {"kind": "estimated", "standard_error": 1e-9}
    for rate in (SIDE / 2**0.5, 0.2, 5.0):
        for adversary in (False, True):
            regret, bound = play(n_steps, rate, adversary=adversary)
            shown: dict[str, Any] = {"rate": round(rate, 3), "adversary": adversary}
            rows.append(row(float((regret / bound).max()), "<=", 1.0, what="largest regret over bound", **rounding, **shown))
    regret, bound = play(n_steps, SIDE / 2**0.5, adversary=True)
    rows.append(row(float(regret[-1] / bound[-1]), ">", 0.45, what="the adversary's share of the bound", **rounding))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """Regret of random and of adversarial gradients, and the bound."""
    for adversary, color, name in ((True, MEASUREMENT, "adversary"), (False, SERIES[2], "random")):
        regret, bound = play(3000, SIDE / 2**0.5, adversary=adversary)
        ax.plot(np.arange(1, 3001), regret, color=color, label=name)
    ax.plot(np.arange(1, 3001), bound, color=BOUND, linestyle="--", label="bound")
    ax.set(xlabel="step", ylabel="regret")
    ax.legend(frameon=False)
