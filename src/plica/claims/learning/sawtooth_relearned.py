r"""A perturbed sawtooth does not come back.

Claim
    Trained on values of the sawtooth with 64 pieces (batches of 10, 1,000 iterations), its own network, started from perturbed
    or from random parameters, does not find it again: the number of pieces does not return to 64 and the error stays near that
    of the best constant, 1 / 12.
Source
    Summer@ICERM 2020, final presentation, on learning the sawtooth again [icerm-2020].
Prediction
    fewer than 64 pieces at the end, fewer than 16 gained, and a mean squared error of more than 1 / 24; as controls, that the
    same training leaves exact parameters as they are, with 64 pieces and no error, and does find a sawtooth with 4 pieces,
    whose error it divides by 100
Measurement
    pieces on [0, 1] before, during and after training with Adam at 0.001 (plica.learn.fit), counted exactly, and the error on
    4,000 other points, averaged over trials
Stand-in
    The same for 120 instead of 1,000 iterations, in which an error of the hat with 2 pieces is divided by 8.
Remark
    Without the controls a training that does not learn at all would do. With a rate of 0.01 the network that started with 42
    pieces has one after 100 iterations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

import plica.data
from plica._palette import PREDICTION, SERIES
from plica._types import Array
from plica.claims import Evidence, Row, control, row
from plica.claims.learning._sawtooth import (
    DEPTH,
    PIECES,
    Layers,
    as_stacked_module,
    layers,
    layers_of_stacked,
    n_pieces_in_fractions,
    perturbed,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plica.learn import Look


STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("sawtooth-perturbed",)
SEED = 1000
STARTS = ("variance 0.01", "variance 0.09", "random")


def start_of(name: str, depth: int, rng: np.random.Generator) -> Layers:
    """Perturbed parameters, or the default of torch."""
    if name == "random":
        return [tuple(rng.uniform(-1, 1, a.shape) / sqrt(w.shape[1]) for a in (w, b)) for w, b in layers(depth)]  # type: ignore[misc]
    return perturbed(layers(depth), sqrt(float(name.split()[1])), "all", rng)


def hats(x: Array, depth: int) -> Array:
    """The sawtooth with 2^depth pieces; of 64 it is that of plica.data."""
    for _ in range(depth):
        x = 1 - np.abs(2 * x - 1)
    return x


@dataclass(frozen=True)
class Trained:
    """Of all trials: pieces at some steps, (steps, trials), and errors on other points before and after."""

    steps: list[int]
    pieces: Array
    error_before: Array
    error: Array


def train(name: str, n_trials: int, n_steps: int, n_looks: int, depth: int = DEPTH) -> Trained:
    """All trials are one model without a connection between them: Adam goes by coordinates, so each learns as if alone."""
    import torch

    from plica.learn import Measure, fit

    starts = [start_of(name, depth, np.random.default_rng((SEED, trial))) for trial in range(n_trials)]
    model = as_stacked_module(starts)
    points = [plica.data.load("sawtooth", n=10 * n_steps, seed=trial).x for trial in range(n_trials)]
    x = torch.from_numpy(np.stack([p.reshape(-1, 1) for p in points]))
    y = torch.from_numpy(hats(x.numpy(), depth))
    other = plica.data.load("sawtooth", n=4000, seed=SEED).x.reshape(-1)
    counts: list[list[int]] = []

    def batch(step: int) -> tuple[torch.Tensor, torch.Tensor]:
        return x[:, 10 * step : 10 * step + 10], y[:, 10 * step : 10 * step + 10]

    def objective(model: torch.nn.Module, batch: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        return ((model(batch[0]) - batch[1]) ** 2).mean((1, 2)).sum()

    def pieces(look: Look) -> float:
        counts.append([n_pieces_in_fractions(given) for given in layers_of_stacked(look.model)])
        return float(np.mean(counts[-1]))

    def error() -> Array:
        with torch.no_grad():
            values = model(torch.from_numpy(other[:, None]).expand(n_trials, -1, -1))[..., 0].numpy()
        return np.asarray(((values - hats(other, depth)) ** 2).mean(1))

    before = error()
    probe = Measure(name="pieces", function=pieces, every=n_steps // n_looks, unit="step")
    found = fit(model, batch, objective=objective, steps=n_steps, rate=1e-3, seed=SEED, probes=[probe]).history
    return Trained(found["step"], np.array(counts), before, error())


def controls(scale: str, n_steps: int) -> list[Row]:
    """The same training keeps what is right, and learns what is easy."""
    still = train("variance 0", 2, n_steps, 1)
    depth, n_trials, divided = (2, 10, 100) if scale == "full" else (1, 48, 8)
    learned = train("variance 0.01", n_trials, n_steps, 1, depth)
    left, e = _mean(learned.error / learned.error_before)
    about = {"start": "variance 0.01", "pieces_of_target": 2**depth}
    return [
        control(int(still.pieces[-1].min()), "=", PIECES, start="exact", what="pieces at the end"),
        control(float(still.error.max()), "=", 0.0, start="exact", what="mean squared error"),
        control(left, "<", 1 / divided, kind="estimated", standard_error=e, what="error at the end over error before", **about),
    ]


def check(scale: str) -> Evidence:
    n_trials, n_steps, n_looks = (10, 1000, 10) if scale == "full" else (16, 120, 2)
    rows, curves = [], {}
    for name in STARTS:
        found = train(name, n_trials, n_steps, n_looks)
        pieces = found.pieces
        curves[name] = (found.steps, pieces.T)
        (first, _), (last, e2), (loss, e3) = (_mean(v) for v in (pieces[0], pieces[-1], found.error))
        gained, e1 = _mean(pieces[-1] - pieces[0])
        rows += [
            row(last, "<", PIECES, kind="estimated", standard_error=e2, start=name, pieces_before=first, steps=n_steps),
            row(gained, "<", PIECES / 4, kind="estimated", standard_error=e1, start=name, what="pieces gained"),
            row(loss, ">", 1 / 24, kind="estimated", standard_error=e3, start=name, what="mean squared error"),
        ]
    return Evidence(rows + controls(scale, n_steps), draw=figure(curves), seed=SEED)


def _mean(values: Array) -> tuple[float, float]:
    return float(values.mean()), float(values.std(ddof=1) / sqrt(len(values)))


def figure(curves: dict[str, tuple[list[int], Array]]) -> Callable[[Axes], None]:
    """Pieces against iterations, a line for each trial."""

    def draw(ax: Axes) -> None:
        for (name, (steps, pieces)), color in zip(curves.items(), SERIES[:3], strict=True):
            for i, one in enumerate(pieces):
                ax.plot(steps, one, color=color, linewidth=0.9, label=name if i == 0 else None)
        ax.axhline(PIECES, color=PREDICTION, linewidth=0.8, linestyle=":")
        ax.set_ylim(0)
        ax.set_xlabel("iterations")
        ax.set_ylabel("pieces on [0, 1]")
        ax.legend(frameon=False, title="start")
        ax.spines[["top", "right"]].set_visible(False)

    return draw
