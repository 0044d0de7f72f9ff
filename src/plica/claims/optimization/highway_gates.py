r"""Highway networks: closed gates are wires, open gates are plain layers.

Claim
    In y = T(x) H(x) + (1 - T(x)) x a gate T = 0 makes a layer the identity and T = 1 makes it H, so that a deep network
    begins as a shallow one where the gates' biases are very negative; in between y - x = T (H - x).
Source
    R. Srivastava, K. Greff, J. Schmidhuber, Highway Networks (2015), equations 3 to 5 [srivastava2015].
Prediction
    equality, bit for bit where a sigmoid rounds to 0 or 1
Measurement
    plica.models.deep.DeepNetwork with 50 highway layers: outputs with closed gates against the network without these layers;
    with open gates against the plain network with the same weights; the derivative of a closed stack against the identity
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import MEASUREMENT, REFERENCE
from plica.claims import Evidence, row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("residual-depth",)
SEED = 2015


def network(gate_bias: float, n_layers: int = 50) -> Any:
    """A highway network of width 16 in double precision."""
    from plica.models import build
    from plica.models.deep import DeepConfig, DeepNetwork

    config = DeepConfig(4, 3, width=16, n_layers=n_layers, layers="highway", gate_bias=gate_bias)
    return build(DeepNetwork, config, seed=SEED).double()


def check(scale: str) -> Evidence:
    import torch

    x = torch.tensor(np.random.default_rng(SEED).standard_normal((200 if scale == "full" else 50, 4)))
    rows = []
    with torch.no_grad():
        closed = network(-1e4)
        shallow = closed.output(closed.first(x))
        rows.append(row(int((closed(x) != shallow).sum()), "=", 0, what="closed gates: outputs off the short network"))
        opened = network(1e4)
        plain = opened.first(x)
        for layer in opened.hidden:
            plain = torch.relu(layer.transform(plain))
        rows.append(row(int((opened(x) != opened.output(plain)).sum()), "=", 0, what="open gates: from the plain network"))
        layer, hidden = network(0.0).hidden[0], network(0.0).first(x)
        gate, inner = torch.sigmoid(layer.gate(hidden)), torch.relu(layer.transform(hidden))
        off = float((layer(hidden) - hidden - gate * (inner - hidden)).abs().max())
        rows.append(row(off, "=", 0.0, kind="estimated", standard_error=1e-15, unit=1.0, what="y - x - T (H - x)"))
    for bias, relation, bound in ((-1e4, "=", 1.0), (-8.0, ">", 0.9)):
        size = gradient_size(bias)
        rows.append(
            row(
                size,
                relation,
                bound,
                kind="estimated",
                standard_error=1e-12,
                what="gradient through 50 layers over direct",
                bias=bias,
            )
        )
    lost = gradient_size(1e4)
    rows.append(row(lost, "<", 1e-3, kind="estimated", standard_error=1e-12, what="with open gates, at torch's first weights"))
    return Evidence(rows, draw=draw, seed=SEED)


def gradient_size(gate_bias: float) -> float:
    """|d outputs / d first layer's output| through the stack, over that of the output map alone."""
    import torch

    model = network(gate_bias)
    hidden = torch.tensor(np.random.default_rng(SEED).random((20, 16)), requires_grad=True)
    model.output(model.hidden(hidden)).sum().backward()
    direct = model.output.weight.detach().sum(0).norm() * 20**0.5
    assert hidden.grad is not None
    return float(hidden.grad.norm() / direct)


def draw(ax: Axes) -> None:
    """The gradient that reaches the first layer, against the bias of the gates."""
    biases = np.linspace(-10, 6, 25)
    ax.plot(biases, [gradient_size(float(b)) for b in biases], "o-", color=MEASUREMENT, markersize=3)
    ax.axhline(1, color=REFERENCE, linestyle="--", linewidth=0.8)
    ax.set(yscale="log", xlabel="first bias of the gates", ylabel="gradient through 50 layers, relative")
