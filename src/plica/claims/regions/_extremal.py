"""Networks that attain upper bounds on the number of cells, and the picture of how near networks come to a bound."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import BOUND, CONTROL, MEASUREMENT
from plica.claims import Row
from plica.claims.regions._cube import unit_cube
from plica.construct import folding, general_position
from plica.geometry import Box, Segment, count_regions
from plica.network import Linear, Network, Op, Rectifier

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Widths = tuple[int, ...]

ZIGZAGS: tuple[Widths, ...] = ((1, 3, 3, 1), (1, 4, 5, 6, 1), (1, 3, 3, 3, 3, 1))
LAYERS: tuple[Widths, ...] = ((2, 3, 1), (2, 7, 1), (3, 5, 1), (4, 6, 1))
MIRRORS: tuple[Widths, ...] = ((2, 2, 5, 1), (2, 2, 2, 2, 4, 1), (3, 3, 5, 1), (3, 3, 3, 4, 1))
NARROW_MIRRORS: tuple[Widths, ...] = ((2, 1, 5, 1), (3, 2, 6, 1), (2, 2, 1, 6, 1), (3, 3, 2, 5, 1))
NARROW: tuple[Widths, ...] = ((2, 1, 5, 1), (2, 2, 6, 1), (3, 2, 7, 1), (4, 2, 3, 1))


@cache
def zigzag_cells(widths: Widths) -> int:
    """Cells on a line of the network whose layers fold it n_l + 1 times."""
    return count_regions(folding(widths, fold="zigzag").network, Segment([-1.0], [2.0])).n_cells


@cache
def layer_cells(widths: Widths) -> int:
    """Cells of one layer in general position, all of whose vertices are in the unit cube."""
    d, n, _ = widths
    return count_regions(_chain(d, [general_position(n, d)], slope=0.0), unit_cube(d)).n_cells


@cache
def mirror_cells(widths: Widths) -> int:
    """Cells of a network of absolute values: every layer but the last mirrors each coordinate that it has, the last is generic.

    No unit loses a dimension, so that every cell of a layer is cut by the next one as the whole space would be. A layer that is
    narrower than the one before it takes the differences of neighboring coordinates, which have both signs in every cell.
    """
    d, *hidden, _ = widths
    affine: list[tuple[np.ndarray, np.ndarray]] = []
    before = d
    for n in hidden[:-1]:
        if not affine:
            affine.append((np.eye(n, d), np.zeros(n)))
        elif n == before:  # the mirrors are in the middle of [0, 1]
            affine.append((2.0 * np.eye(n), np.full(n, -1.0)))
        else:
            affine.append((np.eye(n, before) - np.eye(n, before, 1), np.zeros(n)))
        before = n
    affine.append(general_position(hidden[-1], before))
    return count_regions(_chain(d, affine, slope=-1.0), Box([-1.0] * d, [1.0] * d)).n_cells


@cache
def narrow_cells(widths: Widths) -> int:
    """Cells of ReLU(x_1), or ReLU(x_1) and ReLU(x_2), followed by lines that meet each other and both half axes.

    Line i is x / t + t y = 2, tangent to the hyperbola x y = 1: any two tangents meet between it and the axes.
    """
    d, m, n, _ = widths
    t = 2.0 ** (np.arange(n) - n // 2)
    lines = np.stack([1 / t, t], axis=1) if m == 2 else (1 / t)[:, None]
    net = _chain(d, [(np.eye(m, d), np.zeros(m)), (lines, np.full(n, -2.0))], slope=0.0)
    return count_regions(net, Box([-(2.0 ** (n + 2))] * d, [2.0 ** (n + 2)] * d)).n_cells


def _chain(d: int, affine: list[tuple[np.ndarray, np.ndarray]], *, slope: float) -> Network:
    ops: list[Op] = []
    for weight, bias in affine:
        ops += [Linear(weight, bias), Rectifier(np.array(slope))]
    ops.append(Linear(2.0 ** np.arange(len(affine[-1][0]))[None, :]))
    return Network.sequential(d, ops)


def figure(rows: list[Row]) -> Callable[[Axes], None]:
    """Cells over the bound: networks built for it at 1, the best of random ones far below."""

    def draw(ax: Axes) -> None:
        chosen = [r for r in rows if "widths" in r.parameters and r.predicted]
        names = list(dict.fromkeys("-".join(map(str, r.parameters["widths"][:-1])) for r in chosen))
        place = {name: k for k, name in enumerate(names)}
        for is_built, color, marker, label in ((False, MEASUREMENT, "o", "best of random"), (True, CONTROL, "D", "built for it")):
            points = [
                (r.measured / r.predicted, place["-".join(map(str, r.parameters["widths"][:-1]))])
                for r in chosen
                if ("networks" not in r.parameters) == is_built
            ]
            if points:
                ax.plot(*zip(*points, strict=True), marker, color=color, markersize=5, linestyle="none", label=label)
        ax.axvline(1.0, color=BOUND, linewidth=1)
        ax.set_xscale("log")
        ax.set_yticks(range(len(names)), names, fontsize=7)
        ax.invert_yaxis()
        ax.set_xlabel("cells / bound")
        ax.legend(frameon=False, fontsize=8, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
        ax.spines[["top", "right"]].set_visible(False)

    return draw
