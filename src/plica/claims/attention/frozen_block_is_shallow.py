r"""With frozen attention, a transformer block folds its tokens like a network with one hidden layer.

Claim
    With attention weights and the deviations of its layer norms kept as numbers, a block on T tokens with d_ff rectifiers is a
    network with one hidden layer of T d_ff units: on a generic plane that reaches all crossings it has 1 + N + C(N, 2) cells with
    N = T d_ff. A second block bends the folds.
Source
    T. Zaslavsky, Facing up to Arrangements, Mem. AMS 154, 1975 [zaslavsky1975], for the block of A. Vaswani et al., NeurIPS 2017
    [vaswani2017].
Prediction
    plica.theory.regions.zaslavsky(N, 2) for one block; more cells than that block alone for two
Measurement
    cells of plica.models.attention.frozen on a random plane through random tokens (plica.count_regions), exactly; for two blocks
    the cells of a smaller window, beside those of its first block alone
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from plica.claims import Evidence, row
from plica.geometry import Plane, count_regions, decompose
from plica.theory.regions import zaslavsky

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("zaslavsky-1975", "bent-hyperplanes")
SEED = 7
WIDTH = 4


def blocks_and_tokens(n_blocks: int, length: int, d_ff: int) -> tuple[Any, Any]:
    import torch

    from plica.models.attention import Block

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        blocks = [Block(WIDTH, 2, d_ff=d_ff).double() for _ in range(n_blocks)]
        return blocks, torch.randn(length, WIDTH, dtype=torch.float64)


def plane(tokens: Any, reach: float) -> Plane:
    """Through the tokens, in two random directions."""
    x = tokens.reshape(-1).numpy()
    directions = np.random.default_rng(SEED).normal(size=(2, x.size))
    return Plane.box(x, *directions, low=(-reach, -reach), high=(reach, reach))


def check(scale: str) -> Evidence:
    from plica.models.attention import frozen

    rows = []
    for length, d_ff in ((1, 4), (2, 4), (3, 8), (4, 16)) + (((8, 32),) if scale == "full" else ()):
        blocks, x = blocks_and_tokens(1, length, d_ff)
        n = length * d_ff
        cells = count_regions(frozen(blocks, x), plane(x, 1e6)).n_cells
        rows.append(row(cells, "=", zaslavsky(n, 2), tokens=length, d_ff=d_ff, blocks=1))
    blocks, x = blocks_and_tokens(2, 3, 8)
    window = plane(x, 4.0)
    one, two = (count_regions(frozen(blocks[:k], x), window).n_cells for k in (1, 2))
    rows.append(row(two, ">", one, tokens=3, d_ff=8, blocks=2))

    def draw(ax: Axes) -> None:
        from plica.claims._draw import draw_cells

        draw_cells(ax, decompose(frozen(blocks, x), window))

    return Evidence(rows, draw=draw, seed=SEED)
