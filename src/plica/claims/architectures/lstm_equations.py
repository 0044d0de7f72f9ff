r"""The equations of the LSTM are what torch computes, and its memory keeps what the gates let it keep.

Claim
    With f, i, o = sigma(W [x_t; h_(t-1)] + b) and g = tanh(W_g [x_t; h_(t-1)] + b_g), an LSTM is c_t = f c_(t-1) + i g and
    h_t = o tanh c_t, entry by entry. Along the memory the derivative of c_T by c_0 is the product of the forget gates: 1
    where they are open, so that gradients do not vanish.
Source
    S. Hochreiter, J. Schmidhuber, Long Short-Term Memory, Neural Computation 9 (1997) [hochreiter1997]; F. A. Gers, J.
    Schmidhuber, F. Cummins, Learning to Forget, Neural Computation 12 (2000), for the forget gate [gers2000]; University of
    Washington lecture, slide on LSTM [washington-lecture].
Prediction
    0, the largest difference from torch.nn.LSTM, also with a forget gate of 1 and a closed input; prod f_t, the derivative
Measurement
    plica.models.recurrent.lstm_steps beside the encoder of plica.models.recurrent.Seq2Seq with LSTM cells, in double
    precision, for several widths and lengths; the derivative by automatic differentiation of torch's own LSTM, with its
    recurrent weights set to zero, so that the memory is the only path
Remark
    torch stacks the gates in the order i, f, g, o. With recurrent weights there are further paths through the gates, and the
    product is only one part of the derivative.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from plica._palette import MEASUREMENT, PREDICTION, SERIES
from plica.claims import Evidence, control, row
from plica.models import build
from plica.models.recurrent import Seq2Seq, Seq2SeqConfig, lstm_steps

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from torch import Tensor, nn

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("gradients-through-attention", "backpropagation")
SEED, ROUNDING = 1997, 1e-14


def encoder(d: int, seed: int) -> nn.LSTM:
    """The LSTM of an encoder."""
    config = Seq2SeqConfig(8, 8, cell="lstm", context="none", d_embedding=d, d_hidden=d, bidirectional=False)
    found: Any = build(Seq2Seq, config, seed=seed).encoder.double()
    return found


def check(scale: str) -> Evidence:
    generator = torch.Generator().manual_seed(SEED)
    rows = []
    near: dict[str, Any] = {"kind": "estimated", "standard_error": ROUNDING, "unit": 1.0}
    for d, n in ((1, 3), (4, 10), (16, 40)) + (((128, 200),) if scale == "full" else ()):
        lstm = encoder(d, SEED + d)
        x, h, c = (torch.randn(*shape, generator=generator).double() for shape in ((2, n, d), (2, d), (2, d)))
        with torch.no_grad():
            outputs, (_, cell) = lstm(x, (h[None], c[None]))
            steps = lstm_steps(lstm, x, h, c)
        off = float((torch.stack([s.hidden for s in steps], 1) - outputs).abs().max())
        rows.append(row(off, "=", 0.0, **near, what="outputs", d=d, steps=n))
        rows.append(row(float((steps[-1].cell - cell[0]).abs().max()), "=", 0.0, **near, what="memory", d=d, steps=n))
    paths = {name: derivative(n_steps=30, bias=bias) for name, bias in (("half open", 0.0), ("open", 3.0), ("wide open", 40.0))}
    for name, (found, expected) in paths.items():
        for t in (0, 14, 29):
            slack: dict[str, Any] = {"standard_error": 1e-14, "tolerance": 1e-9, "unit": max(expected[t], 1e-12)}
            about: dict[str, Any] = {"what": "derivative of the memory", "forget_gate": name, "steps": t + 1}
            rows.append(row(found[t], "=", expected[t], kind="estimated", **slack, **about))
    rows.append(
        control(paths["wide open"][0][-1], ">", 0.999, kind="estimated", standard_error=1e-9, what="after 30 steps, open")
    )
    rows.append(
        control(paths["half open"][0][-1], "<", 1e-6, kind="estimated", standard_error=1e-9, what="after 30 steps, half open")
    )
    return Evidence(rows, draw=partial(draw, paths), seed=SEED)


def derivative(*, n_steps: int, bias: float) -> tuple[list[float], list[float]]:
    """The derivative of one entry of c_t by itself at the start, for t = 1 ..., by torch and as a product of gates."""
    d = 3
    lstm: Any = encoder(d, SEED)
    with torch.no_grad():
        lstm.weight_hh_l0.zero_()
        lstm.bias_ih_l0[d : 2 * d] += bias
    x = torch.randn(1, n_steps, d, generator=torch.Generator().manual_seed(SEED)).double()
    start = torch.zeros(1, 1, d, dtype=torch.float64, requires_grad=True)
    gates = torch.stack([s.forget[0, 0] for s in lstm_steps(lstm, x)]).detach()
    found = []
    for t in range(1, n_steps + 1):
        _, (_, cell) = lstm(x[:, :t], (torch.zeros_like(start), start))
        (by,) = torch.autograd.grad(cell[0, 0, 0], start)
        found.append(float(by[0, 0, 0]))
    products: Tensor = gates.cumprod(0)
    return found, [float(p) for p in products]


def draw(paths: dict[str, tuple[list[float], list[float]]], ax: Axes) -> None:
    """How much of the start is left in the memory after each step: dots by torch, lines as products of gates."""
    for color, (name, (found, expected)) in zip(SERIES, paths.items(), strict=False):
        t = np.arange(1, len(found) + 1)
        ax.plot(t, expected, color=PREDICTION, linewidth=1)
        ax.plot(t, found, ".", color=color if color != MEASUREMENT else MEASUREMENT, label=f"forget gate {name}")
    ax.set(yscale="log", xlabel="steps", ylabel="derivative of the memory by its start")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
