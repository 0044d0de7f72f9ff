r"""Ten activations on Gaussian inputs: the averages that mean-field theory stands on.

Claim
    For Gaussian pre-activations of variance q the mean of phi(u)^2, its slope in q, the means of powers of phi'(u) and of
    phi''(u)^2, and for two of them with covariance k the means of phi(u_1) phi(u_2) and phi'(u_1) phi'(u_2), have closed forms
    for the identity, ReLU, leaky ReLU, the absolute value, hard-tanh, erf, sine and GELU: (2 / pi) arcsin(2 k / sqrt((1 + 2 k_1)
    (1 + 2 k_2))) for erf, say. For tanh and the sigmoid quadrature gives them.
Source
    C. K. I. Williams, NIPS 1996 [williams1997], for erf; Y. Cho, L. K. Saul, NIPS 2009 [cho2009], for ReLU; R. Tsuchida et al.
    [tsuchida2021] for GELU; the others by Price's theorem and integration by parts.
Prediction
    plica.theory.meanfield.activation: energy, energy_growth, covariance, slope_power, slope_covariance, bend_energy
Measurement
    the functions of torch with the derivatives of its autograd, integrated against the density of one and of two Gaussian
    variables by Gauss's rule between their bends; the slope in q from E (z^2 - 1) phi(sqrt(q) z)^2 / 2 q
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica._types import Array
from plica.claims import Evidence, Row, row
from plica.theory.meanfield import Activation, activation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("edge-of-chaos-erf", "relu-edge-correlation", "poole-2016-length-map")
SLOPE = 0.25  # of leaky ReLU on the negative side
BENDS: dict[str, tuple[float, ...]] = {
    "identity": (),
    "relu": (0.0,),
    "leaky-relu": (0.0,),
    "abs": (0.0,),
    "hard-tanh": (-1.0, 1.0),
    "erf": (),
    "sine": (),
    "gelu": (),
    "tanh": (),
    "sigmoid": (),
}
REACH = 9.0  # standard deviations, beyond which 1e-18 of the mass lies
NODES = 14  # on each panel
PANELS = 30  # of each of two variables
ACCURACY = 1e-10  # of the integrals


@cache
def derivatives(name: str) -> tuple[Callable[[Array], Array], ...]:
    """The function as torch has it, and its first two derivatives by autograd, on arrays."""
    import torch

    functional = torch.nn.functional
    known: dict[str, Callable[[Any], Any]] = {
        "identity": lambda x: 1.0 * x,
        "relu": torch.relu,
        "leaky-relu": lambda x: functional.leaky_relu(x, SLOPE),
        "abs": torch.abs,
        "hard-tanh": functional.hardtanh,
        "erf": torch.erf,
        "sine": torch.sin,
        "gelu": functional.gelu,
        "tanh": torch.tanh,
        "sigmoid": torch.sigmoid,
    }

    def derivative(order: int, x: Array) -> Array:
        at = torch.tensor(x, dtype=torch.float64, requires_grad=True)
        value = known[name](at)
        for _ in range(order):
            (value,) = torch.autograd.grad(value.sum(), at, create_graph=True) if value.requires_grad else (torch.zeros_like(at),)
        return np.asarray(value.detach().numpy())

    return tuple(lambda x, order=order: derivative(order, x) for order in range(3))  # type: ignore[misc]


def nodes(bends: Array, *, panels: int) -> tuple[Array, Array]:
    """Points and weights for means over a standard Gaussian variable, for each row of bends, between which all is smooth."""
    rows = len(bends)
    ends = np.sort(np.concatenate([np.tile(np.linspace(-REACH, REACH, panels + 1), (rows, 1)), bends.clip(-REACH, REACH)], 1), 1)
    x, w = np.polynomial.legendre.leggauss(NODES)
    middle, half = (ends[:, 1:] + ends[:, :-1]) / 2, (ends[:, 1:] - ends[:, :-1]) / 2
    at = middle[..., None] + half[..., None] * x
    weight = half[..., None] * w * np.exp(-at * at / 2) / np.sqrt(2 * np.pi)
    return at.reshape(rows, -1), weight.reshape(rows, -1)


def single(name: str, q: float) -> dict[str, float]:
    """The averages over one variable of variance q."""
    value, slope, bend = derivatives(name)
    deviation = np.sqrt(q)
    z, w = (rows[0] for rows in nodes(np.array([BENDS[name]]) / deviation, panels=72))
    found = {
        "energy": w @ value(deviation * z) ** 2,
        "energy growth": w @ ((z * z - 1) * value(deviation * z) ** 2) / (2 * q),
        "slope, squared": w @ slope(deviation * z) ** 2,
        "slope, to the fourth": w @ slope(deviation * z) ** 4,
    }
    if not BENDS[name]:
        found["bend, squared"] = w @ bend(deviation * z) ** 2
    return {what: float(mean) for what, mean in found.items()}


def pair(name: str, k1: float, k2: float, k: float) -> tuple[float, float]:
    """The averages of products of values and of slopes over two variables."""
    bends = np.array([BENDS[name]])
    z, w = (rows[0] for rows in nodes(bends / np.sqrt(k1), panels=PANELS))
    along, across = k / np.sqrt(k1), np.sqrt(k2 - k * k / k1)
    inner, weight = nodes((bends - along * z[:, None]) / across, panels=PANELS)
    second = along * z[:, None] + across * inner
    first = np.sqrt(k1) * z
    means = [float(w @ (f(first) * (weight * f(second)).sum(1))) for f in derivatives(name)[:2]]
    return means[0], means[1]


def predicted(phi: Activation, q: float) -> dict[str, float]:
    return {
        "energy": phi.energy(q),
        "energy growth": phi.energy_growth(q),
        "slope, squared": phi.slope_power(q),
        "slope, to the fourth": phi.slope_power(q, 4),
        "bend, squared": phi.bend_energy(q),
    }


def check(scale: str) -> Evidence:
    variances = (0.3, 2.5) if scale == "quick" else (0.02, 0.3, 1.0, 2.5, 9.0)
    pairs: tuple[tuple[float, float, float], ...] = ((0.6, 1.7, 0.5), (2.0, 0.9, -1.1))
    if scale == "full":
        pairs += ((1.0, 1.0, 0.9), (0.1, 4.0, 0.0), (5.0, 5.0, -4.0))
    rows: list[Row] = []

    def hold(found: float, known: float, **about: Any) -> None:
        unit = None if known else 1.0
        rows.append(row(found, "=", known, kind="estimated", standard_error=ACCURACY, tolerance=1e-8, unit=unit, **about))

    for name in BENDS:
        phi = activation(name, slope=SLOPE) if name == "leaky-relu" else activation(name)
        for q in variances:
            expected = predicted(phi, q)
            for what, found in single(name, q).items():
                hold(found, expected[what], quantity=what, activation=name, q=q)
        for k1, k2, k in pairs:
            both = phi.covariance(k1, k2, k), phi.slope_covariance(k1, k2, k)
            for what, found, known in zip(("values", "slopes"), pair(name, k1, k2, k), both, strict=True):
                hold(found, known, quantity=f"product of {what}", activation=name, k1=k1, k2=k2, k=k)
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """The correlation of the values against that of the inputs, at variance 1; points are integrals."""
    c = np.linspace(-1, 1, 41)
    marks = np.array([-0.8, -0.4, 0.0, 0.4, 0.8])
    for name, color in zip(("relu", "abs", "erf", "sine", "gelu"), SERIES, strict=False):
        phi = activation(name)
        ax.plot(c, phi.covariance(np.ones_like(c), np.ones_like(c), c) / phi.energy(1.0), color=color, label=name)
        ax.plot(marks, [pair(name, 1.0, 1.0, float(m))[0] / phi.energy(1.0) for m in marks], "o", color=color, markersize=4)
    ax.set(xlabel="correlation of the inputs", ylabel="correlation of the values")
    ax.legend(frameon=False)
