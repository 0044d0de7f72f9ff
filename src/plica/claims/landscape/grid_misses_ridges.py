r"""Does a grid of 25 points see the largest loss between two networks?

Claim
    The largest loss on a line of weights, read off 25 equally spaced points, is too low for every pair of trained networks that
    was tried, though by little, as the mean over samples is nearly smooth; and there are networks for which it misses a ridge
    altogether: all of its height.
Source
    Asked here: barriers in the literature on linear connectivity are read off 11 to 25 points (S. Ainsworth et al., Git
    Re-Basin, ICLR 2023 [ainsworth2023]).
Prediction
    the enclosure of the maximum is above all values of the grid; a tent of height h between two grid points, built by hand,
    shows 0 on the grid and h on the line
Measurement
    plica.landscape.loss_line: its maximum against its own values at 25 points and against plain evaluations of networks there
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import CONTROL, MEASUREMENT
from plica._types import Array
from plica.claims import Evidence, control, row
from plica.claims.landscape._digits import digits, trained
from plica.landscape import LossLine, loss_line
from plica.network import Linear, Network, Rectifier, from_torch

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "question"
EXPECTED = "answered"
KIND = "certified"
SEE = ("ainsworth-2023-matching", "he-2020-polynomial-lines")
SEED = 25
POINTS = 25


def mixed(a: Network, b: Network, t: float) -> Network:
    ops: list[Linear | Rectifier] = []
    for p, q in zip(a.dense_layers, b.dense_layers, strict=True):
        assert p.bias is not None and q.bias is not None
        ops += [Linear((1 - t) * p.weight + t * q.weight, (1 - t) * p.bias + t * q.bias), Rectifier()]
    return Network.sequential(a.n_inputs, ops[:-1])


def plain(network: Network, x: Array, y: Array) -> float:
    """Cross-entropy, evaluated plainly."""
    f = network(x)
    f = f - f.max(axis=1, keepdims=True)
    return float(np.mean(np.log(np.exp(f).sum(axis=1)) - f[np.arange(len(f)), y]))


def tent(place: float, width: float, height: float) -> tuple[Network, Network]:
    """Two networks whose line has an output of 0 but for a tent of given height around one place."""
    out = np.array([[1.0, -2.0, 1.0]]) * (height**0.5 / width)
    ends = []
    for t in (0.0, 1.0):
        s = t - place + width
        ends.append(
            Network.sequential(1, [Linear(np.zeros((3, 1)), np.array([s, s - width, s - 2 * width])), Rectifier(), Linear(out)])
        )
    return ends[0], ends[1]


def check(scale: str) -> Evidence:
    x, y = digits("quick")
    rows, shown = [], None
    grid = np.linspace(0, 1, POINTS)
    for pair in range(4 if scale == "full" else 2):
        a, b = (from_torch(trained(x, y, [16], SEED + 10 * pair + s, steps=80, batch=50, rate=3e-3)) for s in (0, 1))
        samples, labels = x[:30].astype(np.float64), y[:30]
        line = loss_line(a, b, samples, labels, loss="cross-entropy")
        values = [plain(mixed(a, b, float(t)), samples, labels) for t in grid]
        missed = line.maximum.value.low - max(values)
        rows.append(row(missed / max(values), ">", 0.0, kind="certified", what="too low, by a part of", pair=pair))
        worst = float(np.abs(line(grid) - values).max())
        rows.append(control(worst, "<=", 1e-9, what="difference of both evaluations on the grid", pair=pair))
        shown = line
    for height in (1.0, 9.0):
        a, b = tent(10.5 / (POINTS - 1), 1 / 64, height)
        line = loss_line(a, b, [[0.0]], [[0.0]])
        on_grid = max(float(mixed_output(a, b, float(t)) ** 2) for t in grid)
        rows.append(row(on_grid, "<=", 1e-9, kind="certified", what="a tent on the grid", height=height))
        rows.append(row(line.maximum.value.middle, "=", height, kind="certified", tolerance=1e-9, what="a tent", height=height))
    assert shown is not None
    return Evidence(rows, draw=partial(draw, shown), seed=SEED)


def mixed_output(a: Network, b: Network, t: float) -> float:
    """The output at 0 of a tent's network: only its first biases move."""
    first, last = a.dense_layers[0].bias, b.dense_layers[0].bias
    assert first is not None and last is not None
    hidden = np.maximum((1 - t) * first + t * last, 0)
    return float((a.dense_layers[1].weight @ hidden)[0])


def draw(line: LossLine, ax: Axes) -> None:
    """The top of the line, and what the grid sees of it."""
    top = line.maximum.t
    t = np.linspace(max(top - 0.1, 0), min(top + 0.1, 1), 200)
    ax.plot(t, line(t), color=MEASUREMENT, label="exact")
    grid = np.linspace(0, 1, POINTS)
    near = grid[np.abs(grid - top) < 0.1]
    ax.plot(near, line(near), "o", color=CONTROL, label=f"{POINTS} points")
    ax.axvline(top, color=MEASUREMENT, linewidth=0.5)
    ax.set(xlabel="t", ylabel="cross-entropy")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
