r"""General position, as printed: full rank of the rows of W.

Claim
    If all subsets of rows of W have maximal rank, the layer ReLU(W x + b) cuts R^d into sum_{j<=d} C(n, j) regions.
Source
    Theories of Deep Learning, lecture 4, on the hyperplane arrangement of a ReLU layer [oxford-lecture-4].
Prediction
    plica.theory.regions.zaslavsky(n, d)
Measurement
    the exact complex of layers whose W has that property, with b = 0 and with b such that three lines meet (plica.decompose)
Remark
    The condition says nothing about b. Three lines through one point have 6 regions, not 7. What is needed is a condition on
    [W|b]: the claim general-position.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from plica.claims import Evidence, control, counterexample, row
from plica.claims.regions._arrangement import whole_complex
from plica.theory.regions import zaslavsky

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "exact"
SEE = ("general-position", "zaslavsky-1975", "zaslavsky-central")


def rows_of_full_rank(n: int) -> np.ndarray:
    """(1, k), k = 0 ... n - 1: any two rows are independent."""
    W = np.array([[1, k] for k in range(n)])
    assert all(round(np.linalg.det(W[list(pair)])) for pair in combinations(range(n), 2))
    return W


def check(scale: str) -> Evidence:
    rows = []
    for n in (2, 3, 4, 6, 8) + ((20, 40) if scale == "full" else ()):
        W = rows_of_full_rank(n)
        through_origin = np.zeros(n, int)
        tangents = np.arange(n) ** 2  # lines x + k y + k^2 = 0: no three of them meet
        one_triple = np.where(np.arange(n) == 2, 2, tangents)  # lines 0, 1, 2 meet
        general = zaslavsky(n, 2)
        rows.append(control(whole_complex(W, tangents).n_cells, "=", general, n=n, d=2, biases="no three meet"))
        # n lines through a point make 2 n sectors; every triple that meets loses a triangle. Lines i and j meet in (ij, -i-j),
        # which is on x + 2y + 2 = 0 where (i - 2)(j - 2) = 2: for 0 and 1, and for 3 and 4
        triples = 2 if n >= 5 else 1
        for name, b, truth in (("b = 0", through_origin, 2 * n), ("three lines meet", one_triple, general - triples)):
            about: dict[str, Any] = {"n": n, "d": 2, "biases": name}
            found = whole_complex(W, b).n_cells
            rows.append(
                row(found, "=", general, **about) if n == 2 else counterexample(found, "=", general, truth=truth, **about)
            )
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """The same normals with two choices of b."""
    from plica.claims._draw import draw_cells

    ax.set_axis_off()
    W = rows_of_full_rank(4)
    for k, (name, b) in enumerate((("b = 0", np.zeros(4, int)), ("tangents", np.arange(4) ** 2))):
        box = ax.inset_axes((0.5 * k, 0.0, 0.48, 0.88))
        cx = whole_complex(W, b)
        draw_cells(box, cx)
        box.set_title(f"{name}: {cx.n_cells} regions", fontsize=9)
