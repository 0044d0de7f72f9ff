r"""Does depth help to generalize? What is known, what is measured, what stays open.

Claim
    Do three hidden layers have half the error of one on new points, with as many parameters and the same training? Not for a
    function that is smooth without parts. For a composition of folds ten networks leave it open.
Source
    Theories of Deep Learning, lecture 15, "theory is lacking to show a benefit of depth in generalization"
    [oxford-lecture-15]. Known: J. Schmidt-Hieber, Ann. Statist. 48 (2020), rates for compositions that shallow methods miss
    [schmidthieber2020]; N. Golowich et al., COLT 2018, bounds by norms that do not grow with depth [golowich2018].
Prediction
    no theorem says what gradient descent finds; so a question: the difference of test errors, in standard errors over seeds
Measurement
    mean squared test errors, over that of the mean, of ReLU networks with one, two and three hidden layers of about 600
    parameters (plica.learn.fit) on 128 points of a fold of a fold of a sum and of a sum of cosines, over seeds
Stand-in
    The smooth function alone, 160 steps.
Remark
    Open: any statement that does not name the class of functions. The two functions here are ours, chosen for the two answers
    they might give; nothing follows for images or text. The composition was a row, too, at first: -0.1 halvings with a standard
    error of 1.0 over ten seeds, as networks differ from each other by factors of eight there. It is drawn and not judged now.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica._types import Array
from plica.claims import Evidence, control, row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "question"
EXPECTED = "answered"
KIND = "estimated"
SEE = ("memorization", "zhang-2017-interpolation", "telgarsky-2016-separation", "poggio-2017-nodes", "bartlett-2019-vc")
SEED, N = 14, 128
WIDTHS = {1: [2, 150, 1], 2: [2, 22, 22, 1], 3: [2, 16, 16, 16, 1]}


def tents(x: Array) -> Array:
    """A fold of a fold of a sum: a composition."""
    return np.asarray(np.abs(np.abs(x.sum(1)) - 0.75))


def waves(x: Array) -> Array:
    """Smooth, without parts."""
    return np.asarray(np.cos(2 * x[:, 0]) + np.cos(2 * x[:, 1]))


FUNCTIONS: dict[str, Callable[[Array], Array]] = {"composition": tents, "smooth": waves}


def errors(function: Callable[[Array], Array], depth: int, seed: int, *, steps: int) -> tuple[float, float]:
    """Squared error on new points and on those of training, over that of the mean."""
    import torch

    from plica.learn import fit, mlp

    rng = np.random.default_rng(seed)
    x, x_test = rng.uniform(-1, 1, (N, 2)), rng.uniform(-1, 1, (1000, 2))
    y, y_test = function(x)[:, None], function(x_test)[:, None]
    network = mlp(WIDTHS[depth], seed=seed)
    fit(network, (x, y), steps=steps, batch=N, rate=1e-2, schedule="cosine", loss="squared", seed=seed)
    with torch.no_grad():
        found = [network(torch.from_numpy(part.astype(np.float32))).numpy() for part in (x_test, x)]
    return tuple(float(((out - t) ** 2).mean() / t.var()) for out, t in zip(found, (y_test, y), strict=True))  # type: ignore[return-value]


def check(scale: str) -> Evidence:
    steps, seeds, depths = (3000, range(SEED, SEED + 10), (1, 2, 3)) if scale == "full" else (160, range(SEED, SEED + 3), (1, 3))
    rows, shown = [], {}
    for name in FUNCTIONS if scale == "full" else ("smooth",):
        function = FUNCTIONS[name]
        table = np.array([[errors(function, depth, s, steps=steps) for depth in depths] for s in seeds])
        shown[name] = table[:, :, 0]
        logs = np.log2(table[:, 0, 0] / table[:, -1, 0])
        mean, error = float(logs.mean()), float(logs.std(ddof=1) / len(logs) ** 0.5)
        about: dict[str, Any] = {"kind": "estimated", "standard_error": error, "function": name}
        if name == "smooth":
            rows.append(row(mean, "<", 1.0, what="halvings of the error by depth", **about))
        worst = float(table[:, :, 1].mean(0).max())
        rows.append(
            control(worst, "<", 1.0, kind="estimated", standard_error=0.01, what="error on training points", function=name)
        )
    return Evidence(rows, draw=partial(draw, depths, shown), seed=SEED)


def draw(depths: tuple[int, ...], shown: dict[str, Array], ax: Axes) -> None:
    """Error on new points against depth, for networks of one size."""
    for color, (name, table) in zip(SERIES, shown.items(), strict=False):
        ax.plot(depths, np.exp(np.log(table).mean(0)), "o-", color=color, label=name)
        ax.plot(depths, table.T, color=color, linewidth=0.4, alpha=0.7)
    ax.set_xticks(list(depths), [str(d) for d in depths])
    ax.set(yscale="log", xlabel="hidden layers, about 600 parameters", ylabel="relative error on new points")
    ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
