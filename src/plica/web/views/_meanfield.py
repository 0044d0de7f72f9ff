"""Mean field: how lengths and angles travel through wide random networks, predicted and measured."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import ceil, inf, isfinite, pi, sqrt
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.measure import Ensemble
from plica.theory.meanfield import JacobianSpectrum, MeanField, edge_of_chaos, phase_diagram
from plica.web._limits import Limits
from plica.web._scene import Scene
from plica.web._state import State
from plica.web.views._sheet import Axis, Sheet

N_NETWORKS = 40
N_JACOBIANS = 16
JACOBIAN_WIDTH = 100
"""Networks whose Jacobians are decomposed are no wider."""
MATRIX_WIDTH = 128
MAX_SW, MAX_SB = 4.0, 2.0


def sheet(state: State, scene: Callable[[], Scene], limits: Limits) -> Sheet:
    field = MeanField(state.phi, state.sw, state.sb, density=state.density, keep=state.keep, skip=state.skip)
    made = Sheet(
        "Two inputs on their way through random networks: above the edge of chaos they part, below it they become alike. "
        "Drag the point in the phase plane."
    )
    made.show(field.chi_1, "χ₁", "predicted", _phase(field))
    _phase_panel(made, state)
    found, start = _signal(state, field)
    _map_panel(made, state, field, found)
    _layers_panel(made, state, field, found, start)
    _length_reading(made, state, field, found, start)
    _spectrum_panel(made, state, field)
    _gradient_reading(made, state, field)
    _kernel_readings(made, state)
    return made


def _phase(field: MeanField) -> str:
    depth = field.correlation_depth_scale
    return f"{field.phase} phase, depth scale {depth:.3g}" if isfinite(depth) else f"{field.phase}: no depth scale"


@lru_cache(maxsize=8)
def _plane(phi: str) -> tuple[Array, Array]:
    """chi_1 over the phase plane, and sigma_w on the edge for each row (not a number where there is none)."""
    sw, sb = np.linspace(0.05, MAX_SW, 40), np.linspace(0.0, MAX_SB, 24)
    chi = phase_diagram(phi, weight_stds=sw, bias_stds=sb).chi_1
    edge = np.full(len(sb), np.nan)
    for i, row in enumerate(chi):
        above = np.flatnonzero((row[:-1] < 1) & (row[1:] >= 1))
        if len(above):
            k = above[0]
            edge[i] = sw[k] + (1 - row[k]) / (row[k + 1] - row[k]) * (sw[k + 1] - sw[k])
    return chi, edge


def _phase_panel(made: Sheet, state: State) -> None:
    chi, edge = _plane(state.phi)
    panel = made.panel("Phase plane: χ₁", Axis("σ_w", low=0, high=MAX_SW), Axis("σ_b", low=0, high=MAX_SB))
    panel.heat(np.clip(chi, 0, 2), (0, MAX_SW, 0, MAX_SB), "χ₁", table="output", low=0, high=2)
    panel.line(edge, np.linspace(0, MAX_SB, len(edge)), "edge of chaos")
    panel.movable("sw", "sb", at=(state.sw, state.sb), step=(0.02, 0.02))
    try:
        at = edge_of_chaos(state.phi, bias_std=state.sb, density=state.density)
    except InvalidInput:
        return
    chi_there = at.weight_std**2 * state.density * _mean_squared_slope(state.phi, at.length)
    made.read("edge", f"mean of σ_w² φ'(h)² on the edge, at σ_w = {at.weight_std:.6f}", "=", 1.0, chi_there, slack=1e-6)
    made.read("edge-weight", "σ_w of the edge beside the point's", "~", at.weight_std, state.sw)


def _mean_squared_slope(phi: str, length: float) -> float:
    """E φ'(h)^2 for a Gaussian h by the midpoint rule, which shares no code with the quadrature of the theory.

    Whole numbers are ends of its steps: there slopes jump.
    """
    slopes: dict[str, Callable[[Any], Any]] = {
        "tanh": lambda t: 1 / np.cosh(t) ** 2,
        "erf": lambda t: 2 / sqrt(pi) * np.exp(-(t**2)),
        "relu": lambda t: (t > 0).astype(float),
        "hard-tanh": lambda t: (np.abs(t) < 1).astype(float),
        "identity": lambda t: np.ones_like(t),
    }
    deviation = sqrt(length)
    if deviation == 0:
        return float(slopes[phi](np.zeros(1))[0] ** 2)
    fine = 1_000 * ceil(1 / deviation)
    most = ceil(8 * deviation * fine)
    h = (np.arange(-most, most) + 0.5) / fine
    weight = np.exp(-((h / deviation) ** 2) / 2) / sqrt(2 * pi) / deviation / fine
    return float((slopes[phi](h) ** 2 * weight).sum())


def _ensemble(state: State, widths: tuple[int, ...], n: int) -> Ensemble:
    return Ensemble(
        widths, n_networks=n, seed=state.seed, weight_std=state.sw, bias_std=state.sb, density=state.density,
        activation=state.phi, keep=state.keep, skip=state.skip,
        weights="normal" if state.matrix == "gaussian" else state.matrix,
    )  # fmt: skip


def _signal(state: State, field: MeanField) -> tuple[Any, tuple[float, float]]:
    """Lengths and correlations of measured networks, and those of their first layer as predicted."""
    n_in = 64
    x = np.ones(n_in)
    y = np.where(np.arange(n_in) < n_in * (1 - state.corr) / 2, -1.0, 1.0)
    exact = float(x @ y) / n_in
    q = float(field.first_length(1.0))
    start = (q, (field.gain * exact + field.bias_std**2) / q if q else 1.0)
    width = _width(state)
    if _is_forward(state):
        return _ensemble(state, (n_in, *(width,) * state.deep), N_NETWORKS).estimate_forward(np.stack([x, y])), start
    tiled = [np.resize(part, width) for part in (x, y)] if width % n_in == 0 else [x, y]
    return _ensemble(state, (len(tiled[0]), *(width,) * state.deep), N_NETWORKS).estimate_signal(*tiled), start


def _width(state: State) -> int:
    """Of the networks whose lengths and angles are measured; where their matrices are drawn, they are narrower."""
    return state.wide if _is_forward(state) else min(state.wide, MATRIX_WIDTH)


def _is_forward(state: State) -> bool:
    """Whether units do not depend on each other, so that a layer is drawn without its matrix."""
    return state.matrix == "gaussian" and state.density == 1


def _map_panel(made: Sheet, state: State, field: MeanField, found: Any) -> None:
    c = np.linspace(-1, 1, 101)
    q = field.fixed_length()
    after = np.asarray(field.correlation_map(c)) if q not in (0.0, inf) or field.phi.homogeneous else c
    panel = made.panel("Correlation map", Axis("correlation c", low=-1, high=1), Axis("next c", low=-1, high=1))
    panel.line([-1, 1], [-1, 1], "unchanged", "reference", is_dashed=True).line(c, after, "map")
    measured = found.mean(found.correlations)
    if len(measured) > 1:
        panel.dots(measured[:-1], measured[1:], f"from layer to layer, {N_NETWORKS} networks")
    if state.deep > 5 * field.correlation_depth_scale:
        error = found.standard_error(found.correlations)
        made.read(
            "limit", "correlation in the limit of many layers", "=", field.fixed_correlation, float(measured[-1]),
            error=float(error[-1]), slack=0.01 + state.deep / _width(state) / 4,
        )  # fmt: skip


def _layers_panel(made: Sheet, state: State, field: MeanField, found: Any, start: tuple[float, float]) -> None:
    q, c = start
    predicted = field.correlations(c, n_layers=state.deep - 1, length=q)
    measured, error = found.mean(found.correlations), found.standard_error(found.correlations)
    layers = np.arange(state.deep)
    panel = made.panel(
        "Correlation by layer", Axis("layer"), Axis("correlation", low=min(-0.05, float(predicted.min())), high=1.02)
    )
    panel.line(layers, predicted, "mean field").dots(layers, measured, f"{_width(state)} wide", error=error)
    slack = (1 + state.deep) / _width(state) / max(abs(float(predicted[-1])), 0.1)
    what = f"correlation after {state.deep} layers"
    made.read("correlation", what, "=", float(predicted[-1]), float(measured[-1]), error=float(error[-1]), slack=slack)
    if state.phi == "relu" and state.deep > 1 and not state.sb and not state.skip and state.keep == 1:
        angle = float(np.arccos(np.clip(c, -1, 1)))
        for _ in range(state.deep - 1):
            angle = float(np.arccos(min(1.0, (np.sin(angle) + (pi - angle) * np.cos(angle)) / pi)))
        angles = np.arccos(np.clip(found.correlations[:, -1], -1, 1))
        made.read(
            "angle", f"angle after {state.deep} layers", "=", angle, float(angles.mean()),
            error=float(angles.std() / sqrt(N_NETWORKS)), slack=2 * state.deep / _width(state),
        )  # fmt: skip


def _length_reading(made: Sheet, state: State, field: MeanField, found: Any, start: tuple[float, float]) -> None:
    predicted = field.lengths(start[0], n_layers=state.deep - 1)
    measured, error = found.mean(found.lengths), found.standard_error(found.lengths)
    is_wild = float(predicted.max()) > 30 * max(float(predicted.min()), 1e-30)
    panel = made.panel("Mean square by layer", Axis("layer"), Axis("q", is_log=is_wild, low=None if is_wild else 0.0))
    panel.line(np.arange(state.deep), predicted, "mean field")
    panel.dots(np.arange(state.deep), measured, f"{_width(state)} wide", error=error)
    what = f"mean square after {state.deep} layers"
    slack = state.deep / _width(state)
    made.read("length", what, "=", float(predicted[-1]), float(measured[-1]), error=float(error[-1]), slack=slack)


def _spectrum_panel(made: Sheet, state: State, field: MeanField) -> None:
    """Squared singular values of the derivative; skip connections and dropout are left out of the law."""
    q = field.fixed_length()
    if not state.sw or state.skip or state.keep < 1 or state.density < 1 or (state.matrix == "orthogonal" and state.deep < 2):
        return
    length = q if 0 < q < 1e6 else 1.0
    law = JacobianSpectrum(state.phi, depth=state.deep, weight_std=state.sw, length=length, weights=state.matrix)
    width = min(state.wide, JACOBIAN_WIDTH)
    x = np.full(width, sqrt(max(length - state.sb**2, 0.0)) / state.sw)
    found = _ensemble(state, (width,) * (state.deep + 1), N_JACOBIANS).estimate_jacobians(x)
    values = np.log10(np.maximum(found.squared.ravel(), 1e-12))
    top = float(np.log10(max(law.largest, 1e-300)))
    low = max(top - 6.0, float(np.quantile(values, 0.02)) if len(values) else top - 6)
    edges = np.linspace(low, top + 0.3, 32)
    counts = np.histogram(values, edges)[0] / len(values) / (edges[1] - edges[0])
    s = np.linspace(low, top - 1e-6, 48)
    density = law.density(10**s) * 10**s * np.log(10)
    panel = made.panel(
        f"Jacobian, {width} wide: squared singular values", Axis("log₁₀ of the squared value"), Axis("density", low=0)
    )
    panel.bars((edges[:-1] + edges[1:]) / 2, counts, f"{N_JACOBIANS} networks", width=float(edges[1] - edges[0]))
    panel.line(s, density, "free probability")
    mean, error = found.moments[0], found.moment_errors[0]
    slack = 1.5 * state.deep / width
    made.read("jacobian-mean", "mean squared singular value", "=", law.mean, mean, error=error, slack=slack)
    ratio, error = found.relative_variance
    what = "their variance over the squared mean"
    made.read("jacobian-spread", what, "=", law.variance / law.mean**2, ratio, error=error, slack=slack)
    if state.phi == "identity" and state.matrix == "gaussian":
        top_found = found.squared.max(1) / found.squared.mean(1)
        edge = (state.deep + 1) ** (state.deep + 1) / state.deep**state.deep
        made.read(
            "largest", "largest squared singular value over their mean", "=", edge, float(top_found.mean()),
            error=float(top_found.std() / sqrt(N_JACOBIANS)), slack=2.5 * width ** (-2 / 3),
        )  # fmt: skip


def _gradient_reading(made: Sheet, state: State, field: MeanField) -> None:
    """Gradients sent back through layers: chi_1 for each of them."""
    q = field.fixed_length()
    if not 0 < q < 1e6 or state.deep < 3 or state.density < 1:
        return
    width = min(state.wide, JACOBIAN_WIDTH)
    x = np.full(width, sqrt(max((q - state.sb**2) / state.sw**2, 0.0)))
    found = _ensemble(state, (width,) * (state.deep + 1), N_JACOBIANS).estimate_signal(x)
    growth = found.gradients[:, 0] / found.gradients[:, -1]
    n = state.deep - 1
    error = float(growth.std() / sqrt(len(growth)))
    what = f"squared gradient, {n} layers back"
    made.read("gradient", what, "=", field.chi_1**n, float(growth.mean()), error=error, slack=1.5 * state.deep / width)


def _kernel_readings(made: Sheet, state: State) -> None:
    """The covariance of outputs and the tangent kernel of wide networks."""
    if state.phi not in ("relu", "erf") or state.skip or state.keep < 1 or state.density < 1 or state.deep > 6:
        return
    from plica.theory import kernels

    points = np.array([[1.0, 0.0], [0.6, 0.8]])
    width = min(state.wide, JACOBIAN_WIDTH)
    ensemble = _ensemble(state, (2, *(width,) * state.deep), N_JACOBIANS)
    found = ensemble.estimate_kernels(points)
    for key, values, formula, words in (
        ("gaussian-process", found.nngp, kernels.nngp, "covariance of the outputs at two inputs"),
        ("tangent-kernel", found.ntk, kernels.ntk, "tangent kernel at two inputs"),
    ):
        predicted = float(formula(points, depth=state.deep, activation=state.phi, weight_std=state.sw, bias_std=state.sb)[0, 1])
        there = values[:, 0, 1]
        error = float(there.std() / sqrt(len(there)))
        made.read(key, words, "=", predicted, float(there.mean()), error=error, slack=1.5 * state.deep / width)
