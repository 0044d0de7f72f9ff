r"""Renaming the nodes renames the outputs.

Claim
    A graph network satisfies F(P X, P A P^T) = P F(X, A) for every permutation P of the nodes.
Source
    University of Washington lecture, slide on graph networks [washington-lecture]; for layers as in T. N. Kipf and M. Welling
    [kipf2017], P. Velickovic et al. [velickovic2018], K. Xu et al. [xu2019].
Prediction
    0, the largest entry of F(P X, P A P^T) - P F(X, A); more than 0.01 for F(P X, A)
Measurement
    plica.models.graphs.GCN, plica.models.graphs.GAT, plica.models.graphs.GIN and plica.models.graphs.MessagePassing with random
    weights on random graphs, given as matrices and as lists of edges, in double precision
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from plica._palette import MAGNITUDES
from plica.claims import Evidence, control, row
from plica.models import build
from plica.models.graphs import GAT, GCN, GIN, GATConfig, GCNConfig, GINConfig, Graph, MessagePassing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("permutation-equivariance", "kipf-2017-normalization")
SEED = 81
ROUNDING, D = 1e-13, 4


def models(seed: int) -> dict[str, Callable[[Tensor, Graph | Tensor], Tensor]]:
    return {
        "GCN": build(GCN, GCNConfig(d_in=D, n_classes=3), seed=seed).double().eval(),
        "GAT": build(GAT, GATConfig(d_in=D, n_classes=3), seed=seed).double().eval(),
        "GIN": build(GIN, GINConfig(d_in=D, n_classes=3, d_hidden=8), seed=seed).double().eval(),
        "largest message": MessagePassing(
            lambda own, other, weight: weight * (other - own) ** 2, lambda own, received: own + received, "max"
        ),
    }


def drawn_graph(n: int, generator: torch.Generator) -> Tensor:
    """A symmetric matrix of 0 and 1, every node with a neighbor."""
    A = (torch.rand(n, n, generator=generator, dtype=torch.float64) < 0.3).double().triu(1)
    path = torch.diag(torch.ones(n - 1, dtype=torch.float64), 1)
    upper = torch.maximum(A, path)
    return upper + upper.T


def check(scale: str) -> Evidence:
    rows, shown = [], None
    generator = torch.Generator().manual_seed(SEED)
    for n in (5, 20) + ((200,) if scale == "full" else ()):
        A, x = drawn_graph(n, generator), torch.randn(n, D, generator=generator, dtype=torch.float64)
        order = torch.randperm(n, generator=generator)
        P = torch.eye(n, dtype=torch.float64)[order]
        moved = P @ A @ P.T
        shown = shown or (A, moved)
        for name, model in models(SEED).items():
            with torch.no_grad():
                still, renamed, wrong = model(x, A), model(P @ x, moved), model(P @ x, A)
                edges = model(P @ x, Graph.from_dense(moved))
            about: dict[str, Any] = {"kind": "estimated", "standard_error": ROUNDING, "network": name, "nodes": n}
            for kind, found in (("matrix", renamed), ("edges", edges)):
                off = float((found - P @ still).abs().max())
                rows.append(row(off, "=", 0.0, unit=1.0, graph=f"P A P^T as {kind}", **about))
            rows.append(control(float((wrong - P @ still).abs().max()), ">", 0.01, graph="A, not renamed", **about))
    assert shown is not None
    return Evidence(rows, draw=partial(draw, shown[0], shown[1]), seed=SEED)


def draw(A: Tensor, moved: Tensor, ax: Axes) -> None:
    """A and P A P^T side by side: one graph, two matrices."""
    n = len(A)
    gap = torch.full((n, 1), torch.nan, dtype=A.dtype)
    ax.pcolormesh(torch.cat([A, gap, moved], 1).numpy(), cmap=MAGNITUDES)
    ax.set_xticks([n / 2, n + 1 + n / 2], [r"$A$", r"$P A P^T$"])
    ax.set_yticks([])
    ax.set_aspect("equal")
    ax.invert_yaxis()
