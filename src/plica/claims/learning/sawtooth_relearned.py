r"""A perturbed sawtooth does not come back.

Claim
    Trained on values of the sawtooth with 64 pieces (batches of 10, 1,000 iterations), its own network, started from perturbed
    or from random parameters, does not find it again: the number of pieces does not return to 64 and the error stays near that
    of the best constant, 1 / 12.
Source
    Summer@ICERM 2020, final presentation, on learning the sawtooth again [icerm-2020].
Prediction
    fewer than 64 pieces at the end, fewer than 16 gained, and a mean squared error of more than 1 / 24
Measurement
    pieces on [0, 1] before, during and after training with Adam at 0.001 (plica.learn.fit), counted exactly, and the error on
    4,000 other points, averaged over trials
Stand-in
    The same for 120 instead of 1,000 iterations.
Remark
    From the exact parameters nothing moves: the error is zero. With a rate of 0.01 the network that started with 42 pieces has
    one after 100 iterations.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

import plica.data
from plica._palette import PREDICTION, SERIES
from plica._types import Array
from plica.claims import Evidence, row
from plica.claims.learning._sawtooth import (
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


def start_of(name: str, rng: np.random.Generator) -> Layers:
    """Perturbed parameters, or the default of torch."""
    if name == "random":
        return [tuple(rng.uniform(-1, 1, a.shape) / sqrt(w.shape[1]) for a in (w, b)) for w, b in layers()]  # type: ignore[misc]
    return perturbed(layers(), sqrt(float(name.split()[1])), "all", rng)


def train(name: str, n_trials: int, n_steps: int, n_looks: int) -> tuple[list[int], Array, Array]:
    """Steps, the pieces of all trials at these steps, and their errors at the end on other points.

    The trials are one model without a connection between them: Adam goes by coordinates, so each learns as if it were alone.
    """
    import torch

    from plica.learn import Measure, fit

    starts = [start_of(name, np.random.default_rng((SEED, trial))) for trial in range(n_trials)]
    model = as_stacked_module(starts)
    points = [plica.data.load("sawtooth", n=10 * n_steps, seed=trial) for trial in range(n_trials)]
    x, y = (torch.from_numpy(np.stack([getattr(d, part).reshape(-1, 1) for d in points])) for part in "xy")
    counts: list[list[int]] = []

    def batch(step: int) -> tuple[torch.Tensor, torch.Tensor]:
        return x[:, 10 * step : 10 * step + 10], y[:, 10 * step : 10 * step + 10]

    def error(model: torch.nn.Module, batch: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        return ((model(batch[0]) - batch[1]) ** 2).mean((1, 2)).sum()

    def pieces(look: Look) -> float:
        counts.append([n_pieces_in_fractions(given) for given in layers_of_stacked(look.model)])
        return float(np.mean(counts[-1]))

    probe = Measure(name="pieces", function=pieces, every=n_steps // n_looks, unit="step")
    found = fit(model, batch, objective=error, steps=n_steps, rate=1e-3, seed=SEED, probes=[probe]).history
    other = plica.data.load("sawtooth", n=4000, seed=SEED)
    with torch.no_grad():
        values = model(torch.from_numpy(other.x).expand(n_trials, -1, -1))[..., 0].numpy()
    return found["step"], np.array(counts), ((values - other.y.reshape(-1)) ** 2).mean(1)


def check(scale: str) -> Evidence:
    n_trials, n_steps, n_looks = (10, 1000, 10) if scale == "full" else (16, 120, 2)
    rows, curves = [], {}
    for name in STARTS:
        steps, pieces, losses = train(name, n_trials, n_steps, n_looks)
        curves[name] = (steps, pieces.T)
        (first, _), (last, e2), (loss, e3) = (_mean(v) for v in (pieces[0], pieces[-1], losses))
        gained, e1 = _mean(pieces[-1] - pieces[0])
        rows += [
            row(last, "<", PIECES, kind="estimated", standard_error=e2, start=name, pieces_before=first, steps=n_steps),
            row(gained, "<", PIECES / 4, kind="estimated", standard_error=e1, start=name, what="pieces gained"),
            row(loss, ">", 1 / 24, kind="estimated", standard_error=e3, start=name, what="mean squared error"),
        ]
    return Evidence(rows, draw=figure(curves), seed=SEED)


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
