r"""Deep Sets: the linear layers that commute with every order of the elements.

Claim
    A matrix commutes with all permutations of n elements if and only if it is l I + g 1 1^T.
Source
    M. Zaheer et al., Deep Sets, NeurIPS 2017, Lemma 3 [zaheer2017].
Prediction
    a space of dimension 2 for every n >= 2 (and 2 a b for a features in and b out); l I + (g / n) 1 1^T, the layer itself
Measurement
    the dimension of the space of matrices A with P A = A P for every transposition P, by the rank of these equations in
    integers; the matrix of plica.models.sets.EquivariantLayer, read off unit vectors
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import torch

from plica._palette import INK, MAGNITUDES, PAPER
from plica._types import Array
from plica.claims import Evidence, control, row
from plica.models.sets import EquivariantLayer

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("zaheer-2017-sums", "permutation-equivariance")


def equations(n: int, *, cyclic: bool) -> Array:
    """Rows: P A - A P = 0 entry by entry, for neighbors exchanged, or for one shift of all."""
    one = np.eye(n, dtype=np.int64)
    orders = [np.roll(one, 1, 0)] if cyclic else [one[[*range(i), i + 1, i, *range(i + 2, n)]] for i in range(n - 1)]
    return np.vstack([np.kron(P, one) - np.kron(one, P.T) for P in orders])


def free(matrix: Array) -> int:
    """The dimension of the solutions, by elimination in fractions."""
    rows = [[Fraction(int(v)) for v in r] for r in matrix if r.any()]
    rank, n = 0, matrix.shape[1]
    for column in range(n):
        pivot = next((r for r in range(rank, len(rows)) if rows[r][column]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        for r in range(rank + 1, len(rows)):
            if rows[r][column]:
                ratio = rows[r][column] / rows[rank][column]
                rows[r] = [a - ratio * b for a, b in zip(rows[r], rows[rank], strict=True)]
        rank += 1
    return n - rank


def layer_matrix(n: int, own: float, mean: float) -> Array:
    """What the layer does to n numbers: its columns are the images of unit vectors."""
    layer = EquivariantLayer(1, 1).double()
    with torch.no_grad():
        layer.own.weight.fill_(own)
        layer.own.bias.zero_()
        layer.mean.weight.fill_(mean)
        columns = layer(torch.eye(n, dtype=torch.float64)[:, :, None])[:, :, 0]
    return np.asarray(columns.T.numpy())


def check(scale: str) -> Evidence:
    rows = []
    for n in (2, 3, 4) + ((5, 6) if scale == "full" else ()):
        rows.append(row(free(equations(n, cyclic=False)), "=", 2, what="dimension, all orders", n=n))
        rows.append(control(free(equations(n, cyclic=True)), "=", n, what="dimension, shifts only", n=n))
    shown = layer_matrix(8, 3.0, 4.0)
    for n, own, mean in ((2, 1.0, 2.0), (8, 3.0, 4.0), (16, -0.5, 0.25)):
        expected = own * np.eye(n) + mean / n * np.ones((n, n))
        off = layer_matrix(n, own, mean) - expected
        rows.append(row(float(np.abs(off).max()), "=", 0.0, what="entries off l I + (g / n) 1 1^T", n=n))
    return Evidence(rows, draw=partial(draw, shown))


def draw(matrix: Array, ax: Axes) -> None:
    """The layer as a matrix: two numbers, one on the diagonal and one everywhere."""
    image = ax.imshow(matrix, cmap=MAGNITUDES)
    for i in range(len(matrix)):
        for j in range(len(matrix)):
            dark = matrix[i, j] < matrix.max() / 2
            ax.text(j, i, f"{matrix[i, j]:g}", ha="center", va="center", fontsize=8, color=PAPER if dark else INK)
    ax.set(xlabel="element read", ylabel="element written", xticks=[], yticks=[])
    image.set_clim(0, matrix.max())
