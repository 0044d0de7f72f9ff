r"""Message passing cannot tell a hexagon from two triangles.

Claim
    Every network that sums, averages or attends over neighbors gives the nodes of the cycle C_6 and of two cycles C_3 the same
    features when all nodes start alike. The spectra of the graphs differ, and self-attention over all pairs with distances can
    tell them apart.
Source
    K. Xu, W. Hu, J. Leskovec, S. Jegelka, How Powerful Are Graph Neural Networks?, ICLR 2019 [xu2019]; J. Gilmer et al., ICML
    2017 [gilmer2017].
Prediction
    0, the largest difference between any two of the twelve nodes; more than 10^-4 with graph distances as a bias of the scores
Measurement
    random plica.models.graphs.GIN, plica.models.graphs.GCN and plica.models.graphs.GAT, and plica.models.attention.Attention
    with the masks of the graphs, with rounding error
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from plica.claims import Evidence, row
from plica.models import build
from plica.models.attention import Attention, graph
from plica.models.graphs import GAT, GCN, GIN, GATConfig, GCNConfig, GINConfig

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("permutation-equivariance",)
SEED = 6
ROUNDING = 1e-13


def cycles(length: int) -> Tensor:
    """The adjacency matrix of six nodes in cycles of one length."""
    A = torch.zeros(6, 6, dtype=torch.float64)
    for start in range(0, 6, length):
        for i in range(length):
            a, b = start + i, start + (i + 1) % length
            A[a, b] = A[b, a] = 1.0
    return A


def distances(A: Tensor) -> Tensor:
    """Steps between nodes; 6 where there is no path."""
    found = torch.full((6, 6), 6.0, dtype=A.dtype)
    power = torch.eye(6, dtype=A.dtype)
    for step in range(6):
        found = torch.where((power > 0) & (found == 6), float(step), found)
        power = power @ A
    return found


def check(scale: str) -> Evidence:
    hexagon, triangles = cycles(6), cycles(3)
    n_seeds = 10 if scale == "full" else 2
    x = torch.ones(6, 4, dtype=torch.float64)
    rows = []
    for k in range(n_seeds):
        models: dict[str, nn.Module] = {
            "GIN": build(GIN, GINConfig(d_in=4, n_classes=3, d_hidden=8), seed=SEED + k).double().eval(),
            "GCN": build(GCN, GCNConfig(d_in=4, n_classes=3), seed=SEED + k).double().eval(),
            "GAT": build(GAT, GATConfig(d_in=4, n_classes=3), seed=SEED + k).double().eval(),
        }
        with torch.no_grad(), torch.random.fork_rng(devices=[]):
            torch.manual_seed(SEED + k)
            found = {name: torch.cat([model(x, A) for A in (hexagon, triangles)]) for name, model in models.items()}
            attention = Attention(4, 2).double()
            found["attention, mask A + I"] = torch.cat([attention(x[None], mask=graph(A))[0] for A in (hexagon, triangles)])
            numbers = torch.arange(24, dtype=torch.float64).view(6, 4).sin()
            biased = [attention(numbers[None], bias=-distances(A))[0].mean(0, keepdim=True) for A in (hexagon, triangles)]
        for name, y in found.items():
            spread = float((y - y[0]).abs().max())
            rows.append(row(spread, "=", 0.0, kind="estimated", standard_error=ROUNDING, network=name, seed=SEED + k))
        other = float((biased[0] - biased[1]).abs().max())
        rows.append(
            row(other, ">", 1e-4, kind="estimated", standard_error=ROUNDING, network="attention, distances", seed=SEED + k)
        )
    return Evidence(rows, seed=SEED)
