r"""Message passing cannot tell a hexagon from two triangles.

Claim
    Every network that sums, averages or attends over neighbors gives the nodes of the cycle C_6 and of two cycles C_3 the same
    features when all nodes start alike, as colors refined by neighbors do. Softmax attention over all pairs with graph distances
    as a bias does not help: averages of equal values are equal. Sums over all pairs do, and so do the spectra. Nodes with
    features of their own can be told apart by message passing, too.
Source
    K. Xu, W. Hu, J. Leskovec, S. Jegelka, How Powerful Are Graph Neural Networks?, ICLR 2019 [xu2019]; J. Gilmer et al., ICML
    2017 [gilmer2017].
Prediction
    0, the largest difference between any two of the twelve nodes; for unnormalized attention a difference of the weights' sums
    by sum_j sigmoid(s - dist_ij) over each graph, with the scores s of equal nodes; 2 cos(2 pi k / n), the eigenvalues
Measurement
    random plica.models.graphs.GIN, plica.models.graphs.GCN and plica.models.graphs.GAT, and plica.models.attention.Attention
    with the masks of the graphs and with distances, with rounding error
Remark
    An earlier version of this page gave the nodes different features for attention with distances, and equal ones for the
    others: that compared features, not networks. That nodes with features of their own come out differently is asked for beyond
    1e-9, a multiple of rounding; the limit was 1e-4 until one of ten networks came out 2.4e-5 apart.
"""

from __future__ import annotations

from functools import partial
from math import cos, exp, pi
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from plica._palette import INK, MEASUREMENT
from plica.claims import Evidence, control, row
from plica.models import build
from plica.models.attention import Attention, Pointwise, graph
from plica.models.graphs import GAT, GCN, GIN, GATConfig, GCNConfig, GINConfig

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("permutation-equivariance", "graph-equivariance")
SEED = 6
ROUNDING = 1e-13
ROUNDED: dict[str, Any] = {"kind": "estimated", "standard_error": ROUNDING}


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


def refined(A: Tensor, colors: list[int]) -> list[int]:
    """The colors of Weisfeiler and Leman after as many rounds as there are nodes."""
    names: dict[tuple[int, tuple[int, ...]], int] = {}
    for _ in range(len(A)):
        keys = [(colors[i], tuple(sorted(colors[j] for j in A[i].nonzero().flatten().tolist()))) for i in range(len(A))]
        colors = [names.setdefault(key, len(names) + 1000) for key in keys]
        names = {key: number for key, number in names.items() if key in keys}
    return colors


def check(scale: str) -> Evidence:
    hexagon, triangles = cycles(6), cycles(3)
    both = torch.block_diag(hexagon, triangles)
    rows = [row(len(set(refined(both, [0] * 12))), "=", 1, network="colors refined by neighbors", nodes="alike")]
    for name, A, length in (("hexagon", hexagon, 6), ("two triangles", triangles, 3)):
        spectrum = np.linalg.eigvalsh(A.numpy())
        predicted = sorted(2 * cos(2 * pi * k / length) for k in range(length)) * (6 // length)
        off = float(np.abs(spectrum - np.sort(predicted)).max())
        rows.append(row(off, "=", 0.0, unit=1.0, network=f"eigenvalues of the {name}", nodes="alike", **ROUNDED))
    x, own = torch.ones(6, 4, dtype=torch.float64), torch.arange(24, dtype=torch.float64).view(6, 4).sin()
    for k in range(10 if scale == "full" else 2):
        models: dict[str, nn.Module] = {
            "GIN": build(GIN, GINConfig(d_in=4, n_classes=3, d_hidden=8), seed=SEED + k).double().eval(),
            "GCN": build(GCN, GCNConfig(d_in=4, n_classes=3), seed=SEED + k).double().eval(),
            "GAT": build(GAT, GATConfig(d_in=4, n_classes=3), seed=SEED + k).double().eval(),
        }
        with torch.no_grad(), torch.random.fork_rng(devices=[]):
            torch.manual_seed(SEED + k)
            found = {name: torch.cat([model(x, A) for A in (hexagon, triangles)]) for name, model in models.items()}
            softmax = Attention(4, 2).double()
            found["attention, mask A + I"] = torch.cat([softmax(x[None], mask=graph(A))[0] for A in (hexagon, triangles)])
            biased = [softmax(x[None], bias=-distances(A))[0] for A in (hexagon, triangles)]
            found["softmax attention, distances"] = torch.cat(biased)
            apart = {name: [model(own, A).mean(0) for A in (hexagon, triangles)] for name, model in models.items()}
            sums = Attention(4, 1, normalizer=Pointwise("sigmoid")).double()
            totals = [sums.explain(x[None], bias=-distances(A)).weights[0, 0].sum(1) for A in (hexagon, triangles)]
            scores = sums.explain(x[None]).scores
            assert scores is not None
            score = float(scores[0, 0, 0, 0])
        for name, y in found.items():
            spread = float((y - y[0]).abs().max())
            rows.append(row(spread, "=", 0.0, unit=1.0, network=name, nodes="alike", seed=SEED + k, **ROUNDED))
        for name, total, steps in zip(("hexagon", "triangles"), totals, ((0, 1, 1, 2, 2, 3), (0, 1, 1, 6, 6, 6)), strict=True):
            total_predicted = sum(1 / (1 + exp(step - score)) for step in steps)
            network = f"sum of unnormalized weights, {name}"
            rows.append(row(float(total[0]), "=", total_predicted, network=network, nodes="alike", seed=SEED + k, **ROUNDED))
        for name, (one, other) in apart.items():
            difference = float((one - other).abs().max())
            rows.append(
                control(difference, ">", 1e-9, network=name, nodes="with features of their own", seed=SEED + k, **ROUNDED)
            )
    return Evidence(rows, draw=partial(draw, (hexagon.numpy(), triangles.numpy())), seed=SEED)


def draw(graphs: tuple[np.ndarray, np.ndarray], ax: Axes) -> None:
    """The two graphs; every node has two neighbors like itself."""
    t = np.arange(6) * pi / 3
    places = (
        np.stack([np.cos(t), np.sin(t)], 1),
        np.stack([3.2 + 0.62 * np.cos(2 * t) + 1.5 * (np.arange(6) > 2), 0.62 * np.sin(2 * t)], 1),
    )
    for A, xy in zip(graphs, places, strict=True):
        for i, j in zip(*np.nonzero(np.triu(A)), strict=True):
            ax.plot(*xy[[i, j]].T, color=INK, linewidth=1, zorder=1)
        ax.plot(*xy.T, "o", color=MEASUREMENT, markersize=10, zorder=2)
    ax.text(0, -1.5, "hexagon", ha="center")
    ax.text(3.95, -1.5, "two triangles", ha="center")
    ax.set(aspect="equal", ylim=(-1.8, 1.3))
    ax.set_axis_off()
