r"""Graph convolutions are normalized on both sides.

Claim
    The operator D^{-1/2} (A + I) D^{-1/2} of a graph convolution, D the degrees of A + I, is symmetric, has the eigenvector
    D^{1/2} 1 with eigenvalue 1, and all its eigenvalues in (-1, 1]; the operator D^{-1} (A + I), normalized on one side, has the
    same eigenvalues and is not symmetric.
Source
    T. N. Kipf, M. Welling, Semi-Supervised Classification with Graph Convolutional Networks, ICLR 2017, section 2.2 [kipf2017].
Prediction
    entries 1 / sqrt(d_i d_j), from degrees that are counted; 1, the largest eigenvalue; above -1, the smallest
Measurement
    the matrix that a layer of plica.models.graphs.GCN applies, read off by sending unit vectors through it, on a star, a path, a
    complete and random graphs, given as matrices and as lists of edges
"""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from plica._palette import SERIES
from plica.claims import Evidence, control, row
from plica.claims.architectures.graph_equivariance import drawn_graph
from plica.models.graphs import Graph, GraphConvolution

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("graph-equivariance", "kipf-2017-cora")
SEED = 2017
ROUNDING = 1e-13


def graphs(n: int) -> dict[str, torch.Tensor]:
    star = torch.zeros(n, n, dtype=torch.float64)
    star[0, 1:] = star[1:, 0] = 1
    path = torch.diag(torch.ones(n - 1, dtype=torch.float64), 1)
    complete = 1 - torch.eye(n, dtype=torch.float64)
    return {
        "star": star,
        "path": path + path.T,
        "complete": complete,
        "random": drawn_graph(n, torch.Generator().manual_seed(SEED)),
    }


def applied(A: torch.Tensor, *, edges: bool) -> np.ndarray:
    """The matrix of a graph convolution with one feature, weight 1 and no bias."""
    layer = GraphConvolution(len(A), len(A)).double()
    with torch.no_grad():
        layer.weight.copy_(torch.eye(len(A)))
        layer.bias.zero_()
        return np.asarray(layer(torch.eye(len(A), dtype=torch.float64), Graph.from_dense(A) if edges else A))


def check(scale: str) -> Evidence:
    rows, spectra = [], {}
    for n in (6, 12) + ((100,) if scale == "full" else ()):
        for name, A in graphs(n).items():
            degree = [1 + int(A[i].sum()) for i in range(n)]
            entries = np.array([[(A[i, j] + (i == j)) / sqrt(degree[i] * degree[j]) for j in range(n)] for i in range(n)])
            about: dict[str, Any] = {"kind": "estimated", "standard_error": ROUNDING, "graph": name, "nodes": n}
            for edges in (False, True):
                found = applied(A, edges=edges)
                given = "edges" if edges else "matrix"
                off = float(np.abs(found - entries).max())
                rows.append(row(off, "=", 0.0, unit=1.0, what=f"entries, given as {given}", **about))
                rows.append(row(float(np.abs(found - found.T).max()), "=", 0.0, unit=1.0, what=f"A - A^T, {given}", **about))
            eigenvalues = np.linalg.eigvals(found).real
            spectra[name] = np.sort(eigenvalues)
            rows.append(row(float(eigenvalues.max()), "=", 1.0, what="largest eigenvalue", **about))
            rows.append(row(float(eigenvalues.min()), ">", -1.0, what="smallest eigenvalue", **about))
            fixed = found @ np.sqrt(degree) - np.sqrt(degree)
            rows.append(row(float(np.abs(fixed).max()), "=", 0.0, unit=1.0, what="D^(1/2) 1 stays", **about))
            one_sided = (A + torch.eye(n, dtype=torch.float64)).numpy() / np.array(degree)[:, None]
            same = float(np.abs(np.sort(np.linalg.eigvals(one_sided).real) - spectra[name]).max())
            rows.append(
                control(same, "=", 0.0, unit=1.0, what="eigenvalues of D^-1 (A + I)", **(about | {"standard_error": 1e-7}))
            )
            if name == "star":
                rows.append(control(float(np.abs(one_sided - one_sided.T).max()), ">", 0.1, what="its asymmetry", **about))
    return Evidence(rows, draw=partial(draw, spectra), seed=SEED)


def draw(spectra: dict[str, np.ndarray], ax: Axes) -> None:
    """The eigenvalues of each graph, in order."""
    for color, (name, values) in zip(SERIES, spectra.items(), strict=False):
        ax.plot(values, "o-", color=color, markersize=4, linewidth=0.8, label=name)
    for level in (-1, 1):
        ax.axhline(level, color=SERIES[-1], linewidth=0.6, linestyle=":")
    ax.set(xlabel="number", ylabel="eigenvalue")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
