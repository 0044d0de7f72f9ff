r"""Hanin and Rolnick: breakpoints are an integral of gradients and bias densities.

Claim
    For random weights and independent biases with a density, the expected number of changes of the activation pattern along a
    segment I is sum_z int_I E[|z'(x)| rho_z(z(x) - b_z)] dx over all neurons z, and so at most C_grad C_bias N |I| with C_grad
    the largest E|z'| and C_bias the largest density; near the origin one layer has as many.
Source
    B. Hanin, D. Rolnick, Complexity of Linear Regions in Deep Networks, ICML 2019, arXiv 1901.09021 [hanin2019a]; Theorem 3.4 in
    the numbering of S. Tiwari, G. Konidaris, Effects of Data Geometry in Early Deep Learning, NeurIPS 2022, who restate it. There
    a neuron counts only where it reaches the output ("is good at x"), since folds of the function are counted; here all patterns.
Prediction
    the integral, by a simulation of values and derivatives that knows no breakpoints; the bound
    plica.theory.regions.hanin_rolnick_2019_breakpoints_upper_bound with C_grad from plica.theory.lengths.relu_expected_length
Measurement
    changes of the pattern along the segment, exactly for each network (plica.count_regions), averaged over other networks; narrow
    ones, where no limit of wide layers helps, with Gaussian and with uniform weights
"""

from __future__ import annotations

from functools import partial
from math import hypot, pi, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import block_diag

from plica._palette import BOUND, MEASUREMENT, PREDICTION
from plica.claims import Evidence, Row, row
from plica.geometry import Segment, count_regions
from plica.network import Linear, Network, Rectifier, random_network
from plica.theory.lengths import relu_expected_length
from plica.theory.regions import hanin_rolnick_2019_breakpoints_upper_bound

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("hanin-rolnick-2019-line", "hanin-rolnick-2019-distance")
SEED = 9021
BIAS = 0.5


def counted(hidden: tuple[int, ...], ends: tuple[Any, Any], weights: str, n_networks: int) -> tuple[float, float]:
    """Mean number of changes of the pattern, and its standard error; small networks side by side, twenty at a time."""
    widths, segment = [len(ends[0]), *hidden, 1], Segment(*ends)
    nets = [random_network(widths, seed=SEED + k, weights=weights, bias_std=BIAS) for k in range(n_networks)]
    size = 20 if sum(hidden) < 100 else 1
    groups = [nets[k : k + size] for k in range(0, n_networks - size + 1, size)]
    counts = np.array([changes(side_by_side(group), segment) for group in groups])
    assert counts[0] == sum(changes(net, segment) for net in groups[0])  # no two networks break at one place
    return float(counts.mean() / size), float(counts.std(ddof=1) / size / sqrt(len(counts)))


def changes(network: Network, segment: Segment) -> int:
    """How often the pattern changes along a segment."""
    return count_regions(network, segment, cells_only=True).n_cells - 1


def side_by_side(networks: list[Network]) -> Network:
    """One network of networks that share their input and nothing else."""
    ops: list[Linear | Rectifier] = []
    for i, layers in enumerate(zip(*(network.dense_layers for network in networks), strict=True)):
        weights = [np.asarray(layer.weight) for layer in layers]
        ops.append(Linear(block_diag(*weights) if i else np.vstack(weights), np.concatenate([layer.bias for layer in layers])))
        ops.append(Rectifier())
    return Network.sequential(networks[0].dense_layers[0].weight.shape[1], ops[:-1])


def integral(hidden: tuple[int, ...], ends: tuple[Any, Any], weights: str, n_samples: int) -> tuple[float, float]:
    """The right-hand side by random networks and one random point of the segment for each, and its standard error."""
    rng = np.random.default_rng(SEED)
    start, stop = np.array(ends, dtype=float)
    t = rng.random((n_samples, 1))
    h, dh = start + t * (stop - start), np.repeat((stop - start)[None], n_samples, axis=0)  # |I| is in the derivative
    total = np.zeros(n_samples)
    for n in hidden:
        scale, shape = sqrt(2 / h.shape[1]), (n_samples, n, h.shape[1])
        W = scale * (rng.standard_normal(shape) if weights == "he-normal" else rng.uniform(-sqrt(3), sqrt(3), shape))
        g, dg = (W @ h[..., None])[..., 0], (W @ dh[..., None])[..., 0]
        total += (np.abs(dg) * np.exp(-((g / BIAS) ** 2) / 2)).sum(1) / (BIAS * sqrt(2 * pi))
        z = g + BIAS * rng.standard_normal(g.shape)
        h, dh = np.maximum(z, 0), np.where(z > 0, dg, 0.0)
    return float(total.mean()), float(total.std(ddof=1) / sqrt(n_samples))


def largest_gradient(hidden: tuple[int, ...], n_inputs: int) -> float:
    """The largest E|z'| over layers, per length: z' is Gaussian, sqrt(2 / n) times the speed of the layer before."""
    found = [sqrt(2 / pi) * sqrt(2 / n_inputs)]
    for layer in range(1, len(hidden)):
        length = relu_expected_length((n_inputs, *hidden[:layer]), weight_std=sqrt(2.0))
        found.append(sqrt(2 / pi) * sqrt(2 / hidden[layer - 1]) * length)
    return max(found)


CASES: dict[str, tuple[tuple[int, ...], tuple[Any, Any], str]] = {
    "4-4-4 on [-1, 1]": ((4, 4, 4), ([-1.0], [1.0]), "he-normal"),
    "4-4-4 uniform": ((4, 4, 4), ([-1.0], [1.0]), "he-uniform"),
    "6-3-6 off the origin": ((6, 3, 6), ([1.0, -1.0], [1.0, 2.0]), "he-normal"),
    "2-8 on [0, 3]": ((2, 8), ([0.0], [3.0]), "he-normal"),
}


def check(scale: str) -> Evidence:
    n_networks, n_samples = (20_000, 1_000_000) if scale == "full" else (1000, 60_000)
    rows = []
    for name, (hidden, ends, weights) in CASES.items():
        (found, e1), (right, e2) = counted(hidden, ends, weights, n_networks), integral(hidden, ends, weights, n_samples)
        rows.append(row(found, "=", right, kind="estimated", standard_error=hypot(e1, e2), network=name))
        if weights == "he-normal":
            c_grad = largest_gradient(hidden, len(ends[0]))
            length = float(np.linalg.norm(np.subtract(*ends)))
            bound = hanin_rolnick_2019_breakpoints_upper_bound(
                sum(hidden), length, c_grad=c_grad, c_bias=1 / (BIAS * sqrt(2 * pi))
            )
            rows.append(row(found, "<=", bound, kind="estimated", standard_error=e1, network=name))
    near, n = ([-0.02], [0.02]), 1024
    found, error = counted((n,), near, "he-normal", n_networks // 3)
    bound = hanin_rolnick_2019_breakpoints_upper_bound(
        n, 0.04, c_grad=largest_gradient((n,), 1), c_bias=1 / (BIAS * sqrt(2 * pi))
    )
    about: dict[str, Any] = {"kind": "estimated", "standard_error": error, "network": "1024 at the origin"}
    rows.append(row(found, "=", bound, tolerance=0.002, what="attains the bound", **about))
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def draw(rows: list[Row], ax: Axes) -> None:
    """Breakpoints counted, the integral, and the bound with its constants."""
    names = list(dict.fromkeys(r.parameters["network"] for r in rows))
    for k, name in enumerate(names):
        for r in (r for r in rows if r.parameters["network"] == name):
            is_bound = r.relation == "<=" or "what" in r.parameters
            ax.plot([k], [r.predicted], "_", color=BOUND if is_bound else PREDICTION, markersize=22)
            ax.errorbar([k], [r.measured], yerr=2 * (r.standard_error or 0.0), fmt="o", color=MEASUREMENT, markersize=4)
    for color, style, label in ((MEASUREMENT, "o", "counted"), (PREDICTION, "_", "integral"), (BOUND, "_", "bound")):
        ax.plot([], [], style, color=color, label=label)
    ax.set_xticks(range(len(names)), [name.replace(" ", "\n", 1) for name in names], fontsize=7)
    ax.set_ylim(0)
    ax.set_ylabel("breakpoints")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
