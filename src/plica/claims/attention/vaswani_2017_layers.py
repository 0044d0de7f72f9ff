r"""Attention, recurrence, convolution: operations, steps in a row, lengths of paths.

Claim
    On n tokens of width d a layer of self-attention takes n^2 d operations, a recurrent one n d^2, a convolution of k places
    k n d^2. The recurrence takes n steps that wait for each other, the others a fixed number. A signal passes between any two
    tokens in 1 layer of attention, n steps of a recurrence, about n / k layers of convolutions and log_k n of dilated ones,
    and n / r layers of attention restricted to r neighbors.
Source
    A. Vaswani et al., NeurIPS 2017, Table 1 [vaswani2017]; University of Washington lecture, slide that compares the three
    [washington-lecture].
Prediction
    plica.theory.costs.layer_cost: the orders with their constants
Measurement
    plica.measure.operations counts products and their longest chain in layers of plica.models.attention.Attention, in the
    recurrent encoder of plica.models.recurrent.Seq2Seq, and in convolutions; the path is the smallest number of layers after
    which the last output has a derivative by the first input that is not zero
Remark
    The dilated convolutions are those of ByteNet: the l-th looks k^l places apart. Which of n^2 d and n d^2 is smaller is
    whether n < d, as the paper says: rows with n on both sides of d show it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from plica._palette import SERIES
from plica.claims import Evidence, row
from plica.measure import operations
from plica.models import build
from plica.models.attention import Attention, window
from plica.models.recurrent import Seq2Seq, Seq2SeqConfig
from plica.theory.costs import layer_cost

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("quadratic-beyond-6d", "attention-cost")
SEED, D, KERNEL, RADIUS = 20, 8, 3, 2
KINDS = ("attention", "window", "recurrent", "convolution", "dilated")


class Causal(nn.Module):
    """A convolution over tokens (B, n, d) that looks back, with places ``apart`` from each other."""

    def __init__(self, apart: int) -> None:
        super().__init__()
        self.back, self.inner = (KERNEL - 1) * apart, nn.Conv1d(D, D, KERNEL, dilation=apart, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        found: Tensor = self.inner(nn.functional.pad(x.transpose(1, 2), (self.back, 0))).transpose(1, 2)
        return found


def layer(kind: str, number: int) -> Callable[[Tensor], Tensor]:
    """The layer with this number, from tokens (B, n, d) to tokens."""
    if kind == "recurrent":
        config = Seq2SeqConfig(8, 8, cell="rnn", context="none", d_embedding=D, d_hidden=D, bidirectional=False)
        encoder = build(Seq2Seq, config, seed=SEED + number).encoder.double()
        return lambda x: encoder(x)[0]
    if kind in ("attention", "window"):
        return Attention(D, 2, mask=window(RADIUS) if kind == "window" else None).double()
    return Causal(KERNEL**number if kind == "dilated" else 1).double()


def path(kind: str, n: int) -> int:
    """Layers until the last output depends on the first input; of a recurrence the products on the way."""
    x = torch.randn(1, n, D, dtype=torch.float64, generator=torch.Generator().manual_seed(SEED), requires_grad=True)
    if kind == "recurrent":
        return operations(_Module(layer(kind, 0)), x.detach()).longest_chain
    y, layers = x, 0
    while True:
        y, layers = layer(kind, layers)(y), layers + 1
        (found,) = torch.autograd.grad(y[0, -1].sum(), x, retain_graph=True)
        if bool((found[0, 0] != 0).any()):
            return layers


class _Module(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Tensor) -> Tensor:
        return self.function(x)


def check(scale: str) -> Evidence:
    rows = []
    shown: dict[str, list[tuple[int, int]]] = {}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        for n in (4, 9, 28) + ((64,) if scale == "full" else ()):
            for kind in KINDS:
                expected = layer_cost(kind, n, D, kernel=KERNEL, radius=RADIUS)
                found = operations(_Module(layer(kind, 0)), torch.zeros(1, n, D, dtype=torch.float64))
                about: dict[str, Any] = {"layer": kind, "n": n, "d": D}
                if kind != "window":  # short masks are computed in one piece: claim attention-cost has long ones
                    core = found.between_inputs if kind == "attention" else found.multiply_adds
                    rows.append(row(core, "=", expected.multiply_adds, what="multiply-adds", **about))
                chain = found.longest_chain - (2 if kind in ("attention", "window") else 0)  # its projections, before and after
                rows.append(row(chain, "=", expected.steps, what="steps in a row", **about))
                length = path(kind, n)
                rows.append(row(length, "=", expected.path, what="longest path", **about))
                shown.setdefault(kind, []).append((n, length))
    return Evidence(rows, draw=partial(draw, shown), seed=SEED)


def draw(shown: dict[str, list[tuple[int, int]]], ax: Axes) -> None:
    """How far apart two tokens are, in layers or steps, as the text grows."""
    for color, (kind, points) in zip(SERIES, shown.items(), strict=False):
        most = max(n for n, _ in points)
        line = [(n, layer_cost(kind, n, D, kernel=KERNEL, radius=RADIUS).path) for n in range(2, most + 1)]
        ax.plot(*zip(*line, strict=True), color=color, linewidth=1)
        ax.plot(*zip(*points, strict=True), "o", color=color, label=kind)
    ax.set(xscale="log", yscale="log", xlabel="tokens n", ylabel="layers or steps between the ends")
    lengths = [n for n, _ in shown["attention"]]
    ax.set_xticks(lengths, [str(n) for n in lengths])
    ax.minorticks_off()
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
