"""Noise: what is left of a sawtooth when its parameters are perturbed."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import sqrt

import numpy as np

from plica._types import Array
from plica.construct import sawtooth
from plica.geometry import Segment, count_regions, decompose
from plica.network import Linear, Network, Rectifier
from plica.web._layers import Layer, linear_layers
from plica.web._limits import Limits
from plica.web._scene import Scene
from plica.web._state import State
from plica.web.views._sheet import Axis, Sheet

SWEEP = (0.001, 0.01, 0.03, 0.1, 0.3)
SWEEP_DRAWS = 8
LITTLE = 0.002
"""Perturbations up to which the number of pieces is that of small ones."""
MUCH = 0.1
UNIT = Segment([0.0], [1.0])


def sheet(state: State, scene: Callable[[], Scene], limits: Limits) -> Sheet:
    whole = 2**state.teeth
    counts = _counts(state.teeth, state.shake, state.shaken, state.draws, state.seed)
    mean, error = float(counts.mean()), float(counts.std(ddof=1) / sqrt(len(counts)))
    made = Sheet(
        f"A tent composed {state.teeth} times has {whole} pieces. Every parameter w becomes w (1 + e) with a small random e: "
        "how many are left?"
    )
    made.show(mean, "pieces on average", "estimated", f"{len(counts)} networks, each counted exactly")
    _graph(made, state)
    _histogram(made, counts, whole)
    _sweep(made, state, whole, mean, error)
    exact = _counts(state.teeth, 0.0, "all", 2, state.seed)
    made.read("unperturbed", "pieces without noise", "=", whole, float(exact[0]))
    if 0 < state.shake <= LITTLE and state.shaken == "all":
        made.read("little", "pieces with little noise, on average", "=", 1.25 * whole, mean, error=error, slack=0.01)
    if state.shake >= MUCH and state.shaken != "biases":
        made.read("much", "pieces with much noise, on average", "<=", whole, mean, error=error)
    if state.shaken == "biases":
        other = _counts(state.teeth, state.shake, "weights", state.draws, state.seed)
        made.read(
            "biases", "pieces with perturbed biases, beside perturbed weights", ">=", float(other.mean()), mean, error=error
        )
    return made


def perturbed(layers: list[Layer], std: float, what: str, rng: np.random.Generator) -> Network:
    """The network whose numbers w became w (1 + e); ReLU after every layer."""
    ops: list[Linear | Rectifier] = []
    for weight, bias in layers:
        noisy_weight = weight * (1 + std * rng.standard_normal(weight.shape)) if what != "biases" else weight
        noisy_bias = bias * (1 + std * rng.standard_normal(bias.shape)) if what != "weights" else bias
        ops += [Linear(noisy_weight, noisy_bias), Rectifier()]
    return Network.sequential(1, ops)


def _network(state: State, k: int) -> Network:
    rng = np.random.default_rng((state.seed, k))
    return perturbed(linear_layers(sawtooth(state.teeth).network), state.shake, state.shaken, rng)


@lru_cache(maxsize=64)
def _counts(depth: int, std: float, what: str, n: int, seed: int) -> Array:
    layers = linear_layers(sawtooth(depth).network)
    networks = [perturbed(layers, std, what, np.random.default_rng((seed, k))) for k in range(n)]
    return np.array([float(count_regions(network, UNIT).n_regions or 0) for network in networks])


def _graph(made: Sheet, state: State) -> None:
    panel = made.panel("The function", Axis("x", low=0, high=1), Axis("f(x)"), is_wide=True)
    for network, name, role in (
        (sawtooth(state.teeth).network, "sawtooth", "reference"),
        (_network(state, 0), "one perturbed network", "measured"),
    ):
        line = decompose(network, UNIT)
        panel.line(line.vertices[:, 0], line.outputs[:, 0], name, role)


def _histogram(made: Sheet, counts: Array, whole: int) -> None:
    values, times = np.unique(counts, return_counts=True)
    panel = made.panel("Pieces of each network", Axis("pieces on [0, 1]"), Axis("networks", low=0))
    panel.bars(values, times.astype(float), f"{len(counts)} networks", width=max(0.9, float(np.ptp(values)) / 60))
    panel.line([whole, whole], [0, float(times.max())], f"{whole} without noise")


def _sweep(made: Sheet, state: State, whole: int, mean: float, error: float) -> None:
    found = [_counts(state.teeth, std, state.shaken, SWEEP_DRAWS, state.seed) for std in SWEEP]
    panel = made.panel("Pieces against the perturbation", Axis("standard deviation", is_log=True), Axis("mean pieces", low=0))
    errors = [float(f.std(ddof=1)) / sqrt(SWEEP_DRAWS) for f in found]
    panel.dots(SWEEP, [float(f.mean()) for f in found], f"{SWEEP_DRAWS} networks each", error=errors)
    panel.line([SWEEP[0], SWEEP[-1]], [whole, whole], "without noise")
    panel.movable("shake", at=(max(state.shake, SWEEP[0]), mean), step=(0.005, 0))
