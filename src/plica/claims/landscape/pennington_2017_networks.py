r"""Pennington and Bahri's index against energy, at networks.

Claim
    At networks of one hidden layer that fit noise, is the share of negative eigenvalues of the Hessian that of random matrices?
    Where weights are random, and at critical points near them, it is that of the measured Gauss-Newton part plus a free
    semicircle with the measured variance of the residual part; that the Gauss-Newton part is a Wishart matrix fails, as its
    spectrum is wider. In training the two parts cease to be free: the index falls to zero where free parts, and the cubic at eps,
    still expect a tenth of the eigenvalues below zero (the cubic with measured constants expects none, and that too early). At
    phi = parameters / residuals = 1/2 it falls with a smaller power of the distance in energy than 3/2, to a loss near
    (1 - phi)^2 / 2.
Source
    J. Pennington, Y. Bahri, Geometry of Neural Network Loss Surfaces via Random Matrix Theory, ICML 2017
    [penningtonbahri2017]: tanh networks with 16 inputs, units and outputs, data and targets standard normal; they fit
    alpha_0 (eps - eps_c)^(3/2) to means over critical points and observe (1 - phi)^2 / 2. Where
    their assumptions fail is measured here.
Prediction
    plica.theory.landscape.semicircle_index and plica.theory.landscape.hessian_index (the cubic, from eps, and from the mean of
    the Gauss-Newton part and the variance of the residual part); (1 - phi)^2 / 2
Measurement
    all eigenvalues of Hessians (plica.landscape.Curvature) before, in and after training, and at critical points
    (plica.landscape.critical_point), where only the length of the gradient was made small
Stand-in
    networks with 6 inputs, units and outputs, trained for 120 steps: the indices, neither the power nor the last energies
Remark
    Tolerances, steps and rows were settled after looking at six networks for each phi with other seeds. We had expected the power
    3/2 along training and saw 0.95 (0.09) at phi = 1/2 and 1.3 (0.3) at 1/4, which is left open. That says nothing against 3/2 at
    critical points of small index, which 30 steps of our search do not reach from there (gradients stay at a hundredth); near
    random weights they end with gradients a few thousandths as long, which a row states. Minimizers lie up to a tenth below
    (1 - phi)^2 / 2, and fall slowly where training stops.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import MEASUREMENT, PREDICTION, SERIES
from plica._types import Array
from plica.claims import Evidence, Row, control, row
from plica.landscape import Curvature, critical_point
from plica.learn import fit
from plica.theory.landscape import critical_energy, hessian_index, semicircle_index

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "question"
EXPECTED = "answered"
KIND = "estimated"
SEE = ("pennington-2017-index", "relu-curvature-folds")
SEED = 23
STEPS = (10, 15, 20, 25, 30, 40, 50, 60, 80, 100, 150, 200)
LAST = {"full": 1500, "quick": 120}


@dataclass(frozen=True)
class State:
    """A network: its energy and index, and what random matrices say about the latter."""

    energy: float
    index: float
    semicircle: float = 0.0
    wishart: float = 0.0
    nominal: float = 0.0
    shorter: float = 1.0


@dataclass
class Run:
    """One network: before training, in it, at its end, and at a critical point near its start."""

    start: State
    end: State
    critical: State | None
    path: list[State] = field(default_factory=list)


def looked(model: Any, x: Array, y: Array, phi: float, *, closely: bool, shorter: float = 1.0) -> State:
    """The energy is half of the mean square, so that Hessians are halved too."""
    curvature = Curvature(model, x, y)
    whole, energy = curvature.matrix() / 2, curvature.value() / 2
    index = float((np.linalg.eigvalsh(whole) < 0).mean())
    if not closely:
        return State(energy, index)
    gauss = Curvature(model, x, y, part="gauss-newton").matrix() / 2
    values, variance = np.linalg.eigvalsh(gauss), float(np.square(whole - gauss).sum() / len(whole))
    scaled = variance / (2 * values.mean() ** 2)  # the energy at which the cubic has this variance beside a mean of 1
    return State(
        energy,
        index,
        semicircle_index(values, variance, n_points=300),
        hessian_index(scaled, phi, n_points=400),
        hessian_index(energy, phi, n_points=400),
        shorter,
    )


def run(n: int, phi: float, rng: np.random.Generator, *, is_full: bool, is_searched: bool) -> Run:
    import torch
    from torch import nn

    m = round(2 * n / phi)
    x, y = rng.normal(size=(2, m, n))
    model = nn.Sequential(nn.Linear(n, n, bias=False), nn.Tanh(), nn.Linear(n, n, bias=False)).double()
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(torch.as_tensor(rng.normal(size=p.shape) / n**0.5))
    start, critical = looked(model, x, y, phi, closely=True), None
    if is_searched:
        found = critical_point(model, x, y, n_steps=30)
        critical = looked(found.model, x, y, phi, closely=True, shorter=found.gradient_norm / found.start_norm)
    path, done = [], 0
    for step in STEPS if is_full else ():
        fit(model, (x, y), loss="squared", steps=step - done, batch=m, rate=0.03, seed=0)
        path.append(looked(model, x, y, phi, closely=False))
        done = step
    left = LAST["full" if is_full else "quick"] - done
    fit(model, (x, y), loss="squared", steps=left, batch=m, rate=0.03, schedule="cosine", seed=0)
    return Run(start, looked(model, x, y, phi, closely=True), critical, path)


def power(runs: list[Run]) -> tuple[float, float]:
    """The power p and the energy c at which alpha = a (eps - c)^p meets states of small index best."""
    energy, index = np.array([(s.energy, s.index) for r in runs for s in r.path if s.index < 0.2]).T
    best = (np.inf, 0.0, 0.0)
    for c in np.linspace(0.5 * energy.min(), energy.min(), 60):
        for p in np.linspace(0.5, 3.0, 101):
            shape = np.maximum(energy - c, 0) ** p
            off = float(np.square(index - shape * (shape @ index) / (shape @ shape)).sum())
            best = min(best, (off, float(p), float(c)))
    return best[1], best[2]


def mean(values: list[float]) -> tuple[float, float]:
    return float(np.mean(values)), float(np.std(values, ddof=1) / len(values) ** 0.5)


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    n, n_runs, ratios = (16, 6, (1 / 2, 1 / 4)) if scale == "full" else (6, 3, (1 / 4,))
    rows: list[Row] = []
    shown = {}
    for phi in ratios:
        runs = [run(n, phi, rng, is_full=scale == "full", is_searched=scale == "full" and i < 3) for i in range(n_runs)]
        rows += indices(runs, phi)
        if scale == "full":
            energy, error = mean([r.end.energy for r in runs])
            about: dict[str, Any] = {"kind": "estimated", "phi": phi, "what": "energy of minimizers"}
            loose = "an approximation by eye of its authors"
            rows.append(
                row(energy, "=", (1 - phi) ** 2 / 2, standard_error=error, tolerance=0.1, order_of_magnitude=loose, **about)
            )
            if phi == 1 / 2:  # at 1/4 the fit does not tell the power
                draws = [power([r for k, r in enumerate(runs) if k != left])[0] for left in range(n_runs)]
                error = float(np.std(draws) * (n_runs - 1) ** 0.5)  # jackknife
                about["what"] = "power of the distance in energy, along training"
                rows.append(row(power(runs)[0], "<", 1.5, standard_error=error, **about))
        shown[phi] = runs
    return Evidence(rows, draw=partial(draw, shown), seed=SEED)


def indices(runs: list[Run], phi: float) -> list[Row]:
    about: dict[str, Any] = {"kind": "estimated", "phi": phi}
    found = []
    searched = [r.critical for r in runs if r.critical is not None]
    for what, states in (("random weights", [r.start for r in runs]), ("critical points", searched)):
        if not states:
            continue
        index, error = mean([s.index - s.semicircle for s in states])
        said = float(np.mean([s.semicircle for s in states]))
        told = f"index, {what}: of a measured spectrum plus a semicircle"
        found.append(row(index + said, "=", said, standard_error=error, tolerance=0.06, what=told, **about))
        index, error = mean([s.index - s.wishart for s in states])
        told = f"index over that of a Wishart matrix plus a semicircle, {what}"
        found.append(row(index, ">", 0.0, standard_error=error, what=told, **about))
    index, error = mean([r.end.index - r.end.semicircle for r in runs])
    found.append(row(index, "<", 0.0, standard_error=error, what="index over that of free parts, trained", **about))
    index, error = mean([r.end.index - r.end.nominal for r in runs])
    found.append(row(index, "<", 0.0, standard_error=error, what="index over that of the cubic at eps, trained", **about))
    for s in searched:
        found.append(control(s.shorter, "<", 0.05, what="gradient over that at the start", standard_error=0.0, **about))
    return found


def draw(shown: dict[float, list[Run]], ax: Axes) -> None:
    """Index against energy: networks, their free sums, and the cubic."""
    for color, (phi, runs) in zip(SERIES, shown.items(), strict=False):
        states = [s for r in runs for s in (r.start, *r.path, r.end)]
        ax.plot([s.energy for s in states], [s.index for s in states], ".", color=color, label=f"networks, phi = {phi:g}")
        ends = [s for r in runs for s in (r.start, r.end)]
        ax.plot([s.energy for s in ends], [s.semicircle for s in ends], "x", color=color, markersize=5)
        energies = np.linspace(critical_energy(phi), max(s.energy for s in states), 24)
        ax.plot(energies, [hessian_index(float(e), phi, n_points=400) for e in energies], color=PREDICTION, linewidth=0.8)
        ax.axvline((1 - phi) ** 2 / 2, color=MEASUREMENT, linewidth=0.5, linestyle=":")
    ax.plot([], [], "kx", label="measured spectrum plus semicircle")
    ax.plot([], [], color=PREDICTION, label=r"the cubic at $\varepsilon$")
    ax.set(xlabel=r"loss $\varepsilon$", ylabel="share of negative eigenvalues", ylim=(0, None))
    ax.legend(frameon=False, fontsize=7)
    ax.spines[["top", "right"]].set_visible(False)
