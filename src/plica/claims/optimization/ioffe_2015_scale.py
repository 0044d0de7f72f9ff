r"""Batch norm does not see the size of the weights before it, and gradients fall as weights grow.

Claim
    BN((a W) x) = BN(W x) for a > 0, and the gradient of any loss by the weights is divided by a; so it is orthogonal to the
    weights, a step of gradient descent makes them longer, |W|^2 + eta^2 |g|^2, and the direction of W turns as with the step
    eta / |W|^2.
Source
    S. Ioffe, C. Szegedy, Batch Normalization, ICML 2015, section 3.3 [ioffe2015] (a slide of lecture 15 prints the name as
    Lofte).
Prediction
    equality; where a is a power of two and nothing is added to the variance, bit for bit
Measurement
    torch's batch norm in training mode on random layers, outputs and gradients compared; one step of plica.learn.SGD
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import MEASUREMENT, PREDICTION
from plica.claims import Evidence, control, row
from plica.learn import SGD

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEED = 2015
NOTHING = 1e-300  # torch asks for a positive number; added to a variance it changes no bit


def layer(scale: float, *, epsilon: float = NOTHING, seed: int = SEED) -> tuple[Any, Any, Any]:
    """Weights times ``scale``, outputs after batch norm, and the gradient of a loss by the weights."""
    import torch

    rng = np.random.default_rng(seed)
    x, target = (torch.tensor(rng.standard_normal((32, n))) for n in (6, 4))
    weight = torch.tensor(rng.standard_normal((4, 6)) * scale, requires_grad=True)
    normal = torch.nn.functional.batch_norm(x @ weight.T, None, None, training=True, eps=epsilon)
    ((normal.relu() - target) ** 2).mean().backward()
    return weight.detach().numpy(), normal.detach().numpy(), weight.grad.numpy()  # type: ignore[union-attr]


def check(scale: str) -> Evidence:
    rows = []
    weight, output, gradient = layer(1.0)
    for a in (0.25, 2.0, 1024.0):
        _, other, smaller = layer(a)
        rows.append(row(int((other != output).sum()), "=", 0, what="outputs that differ", a=a))
        rows.append(row(int((a * smaller != gradient).sum()), "=", 0, what="gradients times a that differ", a=a))
    rounding: dict[str, Any] = {"kind": "estimated", "standard_error": 1e-13}
    for a in (3.0, 0.7):
        _, other, smaller = layer(a)
        rows.append(
            row(float(np.abs(other - output).max()), "=", 0.0, unit=1.0, **rounding, what="outputs, largest difference", a=a)
        )
        ratio = float(np.linalg.norm(smaller) / np.linalg.norm(gradient))
        rows.append(row(ratio, "=", 1 / a, **rounding, what="length of the gradient", a=a))
    product = float((weight * gradient).sum() / np.linalg.norm(weight) / np.linalg.norm(gradient))
    rows.append(row(product, "=", 0.0, unit=1.0, **rounding, what="cosine of weights and gradient"))
    rate = 0.3
    moved = weight.copy()
    optimizer = SGD()
    optimizer.start([moved])
    optimizer.step([moved], rate, [gradient])
    grown = float((moved**2).sum() - (weight**2).sum())
    rows.append(row(grown, "=", float(rate**2 * (gradient**2).sum()), **rounding, what="growth of |W|^2 in a step"))
    turned = [_turn(*layer(a)[::2], rate * a**2) for a in (1.0, 5.0)]
    rows.append(row(turned[1], "=", turned[0], **rounding, what="turn with the step times a^2", a=5.0))
    _, other, _ = layer(1e-3, epsilon=1e-5)
    largest = float(np.abs(other - layer(1.0, epsilon=1e-5)[1]).max())
    rows.append(control(largest, ">", 0.1, **rounding, what="with 1e-5 added to the variance, for small weights", a=1e-3))
    return Evidence(rows, draw=draw, seed=SEED)


def _turn(weight: Any, gradient: Any, rate: float) -> float:
    """The angle by which a step turns the weights."""
    return float(np.arctan2(rate * np.linalg.norm(gradient), np.linalg.norm(weight)))


def draw(ax: Axes) -> None:
    """The length of the gradient against the factor of the weights."""
    factors = np.geomspace(0.05, 20, 25)
    base = np.linalg.norm(layer(1.0)[2])
    ax.plot(factors, base / factors, color=PREDICTION, linewidth=0.9, label="1 / a")
    ax.plot(factors, [np.linalg.norm(layer(float(a))[2]) for a in factors], "o", color=MEASUREMENT, markersize=4, label="torch")
    ax.set(xscale="log", yscale="log", xlabel="factor a of the weights", ylabel="length of the gradient")
    ax.legend(frameon=False)
