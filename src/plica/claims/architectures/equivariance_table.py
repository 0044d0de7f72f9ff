r"""Which layer commutes with what: models against groups.

Claim
    On a field of numbers over a grid: a dense layer commutes with nothing; a convolution with translations; a convolution on
    p4 with translations and quarter turns; Deep Sets and attention without positions with every order of the places; a graph
    network with the symmetries of its graph, and with every order when the graph is renamed along.
Source
    M. Bronstein, J. Bruna, T. Cohen, P. Velickovic, Geometric Deep Learning, 2021, the table of section 1 [bronstein2021];
    University of Washington lecture, slide with the same table [washington-lecture].
Prediction
    0 where the table says so, more than 0.01 elsewhere
Measurement
    |f(g x) - g f(x)| / |f(x)|, the largest over elements g of the group, for layers of plica.models.equivariant,
    plica.models.sets, plica.models.attention and plica.models.graphs with random weights on a torus of 6 x 6 places, in
    double precision
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from plica._palette import INK, MAGNITUDES, PAPER
from plica._types import Array
from plica.claims import Evidence, row
from plica.models.attention import Attention
from plica.models.equivariant import GroupConvolution, LiftingConvolution
from plica.models.graphs import GraphConvolution
from plica.models.sets import EquivariantLayer

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("cohen-welling-2016-p4", "graph-equivariance", "permutation-equivariance", "intrinsic-convolution", "convolution-toeplitz")
SEED, SIDE, C, ROUNDING = 82, 6, 3, 1e-13
GROUPS = ("translations", "quarter turns", "all orders")
Field = Callable[[Tensor, Tensor], Tensor]  # places (n, C) and the graph (n, n) to places

#: Which groups each model commutes with.
TABLE: dict[str, tuple[bool, bool, bool]] = {
    "dense": (False, False, False),
    "convolution": (True, False, False),
    "p4 convolution": (True, True, False),
    "Deep Sets": (True, True, True),
    "attention": (True, True, True),
    "attention with positions": (False, False, False),
    "graph network": (True, True, False),
    "graph network, graph renamed": (True, True, True),
}


def models() -> dict[str, Field]:
    from plica.models.attention import Learned

    n = SIDE * SIDE
    dense, conv = nn.Linear(n * C, n * C).double(), nn.Conv2d(C, C, 3, padding=1, padding_mode="circular").double()
    lift, group = LiftingConvolution(C, C, 3).double(), GroupConvolution(C, C, 3).double()
    sets, graph = EquivariantLayer(C, C).double(), GraphConvolution(C, C).double()
    free, placed = Attention(C, 1).double(), Attention(C, 1, position=Learned(n, C, std=1.0)).double()

    def image(x: Tensor) -> Tensor:
        return x.T.reshape(1, C, SIDE, SIDE)

    def around(x: Tensor) -> Tensor:
        return nn.functional.pad(x, (1, 1, 1, 1), mode="circular")

    def p4(x: Tensor, A: Tensor) -> Tensor:
        lifted = torch.relu(lift(around(image(x))))
        planes = group(around(lifted.flatten(1, 2)).unflatten(1, (C, 4)))
        return planes.sum(2).reshape(C, n).T

    torus = grid_graph()
    return {
        "dense": lambda x, A: dense(x.reshape(-1)).view(n, C),
        "convolution": lambda x, A: conv(image(x)).reshape(C, n).T,
        "p4 convolution": p4,
        "Deep Sets": lambda x, A: sets(x[None])[0],
        "attention": lambda x, A: free(x[None])[0],
        "attention with positions": lambda x, A: placed(x[None])[0],
        "graph network": lambda x, A: graph(x, torus),
        "graph network, graph renamed": lambda x, A: graph(x, A),
    }


def grid_graph() -> Tensor:
    """The torus: every place has its four neighbors."""
    A = torch.zeros(SIDE * SIDE, SIDE * SIDE, dtype=torch.float64)
    for i in range(SIDE):
        for j in range(SIDE):
            for a, b in ((i + 1, j), (i, j + 1)):
                p, q = i * SIDE + j, (a % SIDE) * SIDE + b % SIDE
                A[p, q] = A[q, p] = 1.0
    return A


def elements(group: str, generator: torch.Generator) -> list[Tensor]:
    """Some elements of a group as orders of the places: new place k holds what was at order[k]."""
    places = torch.arange(SIDE * SIDE).view(SIDE, SIDE)
    if group == "translations":
        return [places.roll(move, (0, 1)).flatten() for move in ((1, 0), (0, 1), (2, 3))]
    if group == "quarter turns":
        return [torch.rot90(places, k, (0, 1)).flatten() for k in (1, 2, 3)]
    return [torch.randperm(SIDE * SIDE, generator=generator) for _ in range(3)]


def check(scale: str) -> Evidence:
    rows, defects = [], np.zeros((len(TABLE), len(GROUPS)))
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(SEED)
        generator = torch.Generator().manual_seed(SEED)
        for _ in range(5 if scale == "full" else 1):
            x, A = torch.randn(SIDE * SIDE, C, dtype=torch.float64), grid_graph()
            for i, (name, model) in enumerate(models().items()):
                still = model(x, A)
                for j, group in enumerate(GROUPS):
                    off = max(
                        float((model(x[g], A[g][:, g]) - still[g]).norm() / still.norm()) for g in elements(group, generator)
                    )
                    defects[i, j] = off
                    about: dict[str, Any] = {"kind": "estimated", "standard_error": ROUNDING, "model": name, "group": group}
                    rows.append(row(off, "=", 0.0, unit=1.0, **about) if TABLE[name][j] else row(off, ">", 0.01, **about))
    return Evidence(rows, draw=partial(draw, defects), seed=SEED)


def draw(defects: Array, ax: Axes) -> None:
    """The table, measured: dark is zero up to rounding."""
    shown = np.log10(np.maximum(defects, 1e-17))
    ax.imshow(shown, cmap=MAGNITUDES, aspect="auto", vmin=-17, vmax=0)
    for i in range(len(TABLE)):
        for j in range(len(GROUPS)):
            dark = shown[i, j] < -8
            ax.text(j, i, f"{defects[i, j]:.0e}", ha="center", va="center", fontsize=7, color=PAPER if dark else INK)
    ax.set_xticks(range(len(GROUPS)), GROUPS, fontsize=8)
    ax.set_yticks(range(len(TABLE)), list(TABLE), fontsize=8)
