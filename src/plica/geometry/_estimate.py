r"""What a decomposition will cost, estimated from a few parts of the domain.

The domain is divided into equal parts. A cell is convex and open, so a division meets it in a convex open piece or not at all;
with the signs of inclusion and exclusion every cell is counted once:

.. math:: N = \sum_{T} \sum_{F \le T} (-\tfrac12)^{\operatorname{codim} F} n(F),

where n(F) counts the cells of the network restricted to a face F of the part T that lies inside the domain (T itself among
them), and an inner face of codimension c belongs to :math:`2^c` parts. So a random part, times the number of parts, is an
unbiased estimate, and its spread over parts drawn without replacement is its standard error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product
from math import sqrt
from time import process_time
from typing import Any

import numpy as np

from plica.errors import BudgetExceeded, InvalidDomain
from plica.geometry._budget import Budget, Meter
from plica.geometry._decompose import check_question, count_regions, decompose, is_wide
from plica.geometry.domains import Box, Domain, Path, Segment, Space
from plica.network import Affine, Network

_PART_CELLS = 20_000  # a part with more is divided further
_PART_WORK = 1.2e10  # multiplications for the pieces of a part of a line that goes in parts; about 290 pieces through ResNet-20
_LEAST_CELLS = 64
_POINTS = 2**10  # a part of a part in which almost nothing switches
_MOST_DIVISIONS = 14
# measured on twelve networks (benchmarks/bench_scale.py): within a factor of two of the peak
_FACE_BYTES = 150  # for each cell and each of the 2^d corners of a cube: faces, their names and incidences
_ROW_BYTES = {1: 24, 2: 4}  # for each cell and entry of the widest layer: tensors; in a plane not those of the last layer
_SPACE_ROW_BYTES = 12
_DEEP, _MAP_BYTES = 5, 16  # in boxes, from so many layers on: for each number of the maps of all cells, made anew in pairs
_PART_COLUMNS = 1000  # that are held at a time where a line goes in parts
WEIGHT_BYTES = 20  # for each weight: rows, columns, norms
FIRST_BYTES = 6e6  # loaded on first use
_REPEATS, _SHORT_S = 3, 0.05  # processor seconds below which parts are timed again
_GROWTH = 1.8  # of the time for a cell in three and more dimensions, from small parts to complexes that fill no cache


@dataclass(frozen=True)
class Cost:
    """What a decomposition will cost; all numbers are estimated.

    Attributes
    ----------
    n_cells, n_cells_error
        The number of cells and its standard error.
    seconds
        Processor time of ``decompose`` on this machine, from the time that the parts took, without what is compiled or loaded
        when a kernel runs for the first time; for planes through wide networks that of ``count_regions(..., cells_only=True)``,
        which divides them into tiles.
    bytes
        Memory that ``decompose`` takes at its peak, from figures measured on a dozen networks: within a factor of two of these
        from a hundred megabytes on; below, what is loaded on first use may be more. Outputs that are read later come on top.
    n_parts, n_samples, seed
        Into how many parts the domain was divided, how many of them were counted, and how they were drawn.
    """

    n_cells: float
    n_cells_error: float
    seconds: float
    bytes: float
    n_parts: int
    n_samples: int
    seed: int

    def __repr__(self) -> str:
        return f"<Cost {self}>"

    def _repr_html_(self) -> str:
        from plica._show import facts_html

        facts = {"cells": f"{self.n_cells:,.0f} ± {self.n_cells_error:,.0f}", "processor seconds": f"{self.seconds:,.2g}"}
        facts |= {"megabytes": f"{self.bytes / 1e6:,.0f}", "parts counted": f"{self.n_samples} of {self.n_parts}"}
        return facts_html(self, facts | {"seed": self.seed, "kind": "estimated"})

    def __str__(self) -> str:
        return (
            f"about {self.n_cells:,.0f} cells (standard error {self.n_cells_error:,.0f}), {self.seconds:,.2g} processor seconds, "
            f"{self.bytes / 1e6:,.0f} MB; estimated from {self.n_samples} of {self.n_parts} parts, seed {self.seed}"
        )


def estimate_cost(
    network: Network, domain: Domain | Path, *, n_samples: int = 16, seed: int = 0, budget: Budget | None = None
) -> Cost:
    """How many cells a domain will have, and what finding them will cost, from a few small parts of it.

    Parameters
    ----------
    network, domain
        As for :func:`plica.decompose`; not all of R^n.
    n_samples
        How many parts are counted; the standard error falls with its square root.
    seed
        Which parts.
    budget
        Limits of the estimate itself.

    Examples
    --------
    >>> import plica
    >>> net = plica.random_network([2, 30, 30, 1], seed=0)
    >>> cost = plica.estimate_cost(net, plica.Box([-1, -1], [1, 1]), n_samples=64)
    >>> cost.n_samples, round(cost.n_cells) == plica.decompose(net, plica.Box([-1, -1], [1, 1])).n_cells
    (1, True)
    """
    check_question(network, domain)
    if isinstance(domain, Space):
        raise InvalidDomain("the cost of all of R^n is not estimated.", hint="give a box")
    if n_samples < 1:
        raise InvalidDomain(f"n_samples must be at least 1, got {n_samples}.")
    meter = Meter(budget or Budget(), len(network.layers))
    most, first = _part_cells(network, domain)
    for n_divisions in range(first, _MOST_DIVISIONS + 1):
        try:
            return _sampled(network, domain, n_divisions, n_samples, seed, meter, most)
        except BudgetExceeded as error:
            if "max_cells" not in error.message or meter.budget.max_cells < most:
                raise
    raise InvalidDomain(
        f"even parts of 1/{2**_MOST_DIVISIONS} of the domain have more than {most:,} cells.", hint="use a smaller domain"
    )


def _part_cells(network: Network, domain: Domain | Path) -> tuple[int, int]:
    """How many cells a part may have, and how often the domain is halved at least.

    A piece of a line that goes in parts costs milliseconds, so parts are small there; neurons that differ between a few points of
    the line say beforehand how many pieces there must be.
    """
    from plica.geometry.line._parts import goes_in_parts, least_changes

    if isinstance(domain, Path) or domain.dimension != 1 or not goes_in_parts(network):
        return _PART_CELLS, 0
    work = sum(float(n.op.n_terms() * n.size) for n in network.nodes if isinstance(n.op, Affine))
    most = max(_LEAST_CELLS, min(_PART_CELLS, int(_PART_WORK / max(work, 1.0))))
    halvings = int(np.ceil(np.log2(max(1.0, least_changes(network, domain) / most))))
    return most, min(_MOST_DIVISIONS, halvings)


def _sampled(
    network: Network, domain: Any, n_divisions: int, n_samples: int, seed: int, meter: Meter, most: int = _PART_CELLS
) -> Cost:
    n_parts, count = _parts_of(network, domain, n_divisions)
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(n_parts)[: min(n_samples, n_parts)]
    own, found, raw = 0.0, [], 0.0

    def counted(i: int) -> Counted:
        return count(i, replace(meter.rest(), max_cells=min(most, meter.budget.max_cells)))

    counted(int(chosen[0]))  # what is loaded or compiled on first use is not part of the cost
    for value, cells, seconds in map(counted, chosen.tolist()):
        own += seconds
        found.append(value)
        raw += cells
    for _ in range(_REPEATS if own < _SHORT_S else 0):  # a few milliseconds: of several, what is not also something else's
        own = min(own, sum(counted(i)[2] for i in chosen.tolist()))
    values, m = np.array(found), len(found)
    total = float(values.mean()) * n_parts
    spread = float(values.std(ddof=1)) if m > 1 else 0.0
    error = n_parts * spread / sqrt(m) * sqrt(max(0.0, 1 - m / n_parts))
    n_cells = max(1.0, total)
    seconds = own / max(raw, 1.0) * n_cells * (_GROWTH if domain.dimension > 2 and n_parts > 1 else 1.0)
    if most < _PART_CELLS and m < n_parts:  # a line in parts, which have other pieces than those counted here
        seconds = _line_seconds(network, domain, int(chosen[0]), n_parts, meter, own, raw, m) * n_cells
    return Cost(n_cells, error, seconds, _bytes(network, domain.dimension, n_cells), n_parts, m, seed)


def _line_seconds(network: Network, domain: Domain, i: int, n_parts: int, meter: Meter, own: float, raw: float, m: int) -> float:
    """The time for a piece of a line that goes in parts, from m parts with ``raw`` pieces.

    A part takes a time for itself, as it does where almost nothing switches, and one for each piece.
    """
    from plica.geometry.line._parts import WANTED

    each = min(_interval(network, domain, _POINTS * i, _POINTS * n_parts, meter.rest())[2] for _ in range(2))
    return max(0.0, own - m * each) / raw + each / max(WANTED, raw / m)


def _bytes(network: Network, dimension: int, n_cells: float) -> float:
    """What a complex with so many cells takes while it is made."""
    from plica.geometry.line._engine import CHUNK_ENTRIES
    from plica.geometry.line._parts import goes_in_parts

    widths = [network.nodes[i].size for i in network.layers] or [1]
    n_weights = sum(a.size for node in network.nodes for a in node.op.arrays().values())
    if dimension > 2:
        rows = _SPACE_ROW_BYTES * max((_n_forms(network, i) for i in network.layers), default=0)
        if len(widths) >= _DEEP:
            rows += _MAP_BYTES * (dimension + 1) * max(widths)
    else:
        rows = _ROW_BYTES[dimension] * max(widths[:-1] if dimension == 2 else widths, default=0)
    if dimension == 1 and goes_in_parts(network):  # tensors belong to a part, states are told by their changes
        return FIRST_BYTES + n_cells * _FACE_BYTES + _PART_COLUMNS * 8.0 * max(widths) + WEIGHT_BYTES * n_weights
    tensors = n_cells * rows
    if dimension == 1 and n_cells * max(widths) > 2 * CHUNK_ENTRIES:  # then in chunks, each half of that
        tensors = _ROW_BYTES[1] * CHUNK_ENTRIES / 2
    return FIRST_BYTES + n_cells * (_FACE_BYTES * 2.0**dimension + sum(widths) / 8) + tensors + WEIGHT_BYTES * n_weights


def _n_forms(network: Network, index: int) -> int:
    """How many numbers a layer has at a vertex while it cuts: a clip has two for each unit, one for each threshold."""
    node = network.nodes[index]
    op: Any = node.op
    return node.size if op.is_relu or op.is_contest else max(node.size, op.codes(0, np.empty(0), node.size).size)


Counted = tuple[float, float, float]  # cells with their share of the faces, cells alone, processor seconds of these
Counter = Callable[[int, Budget], Counted]


def _parts_of(network: Network, domain: Any, n_divisions: int) -> tuple[int, Counter]:
    """How many parts there are, and a function that counts one."""
    if isinstance(domain, Path):
        return len(domain.segments), lambda i, b: _interval(network, domain.segments[i], 0, 1, b)  # knots divide
    if domain.dimension == 1:
        return 2**n_divisions, lambda i, b: _interval(network, domain, i, 2**n_divisions, b)
    if domain.dimension == 2:
        return 2**n_divisions, lambda i, b: _tile(network, domain, i, n_divisions, b)
    if not isinstance(domain, Box):
        raise InvalidDomain("the cost of polytopes in three and more dimensions is not estimated.", hint="give a box around it")
    per_axis = 1 + n_divisions
    return per_axis**domain.dimension, lambda i, b: _box(network, domain, i, per_axis, b)


def _count(network: Network, domain: Domain, budget: Budget) -> int:
    return count_regions(network, domain, budget=budget, cells_only=True).n_cells


def _timed(network: Network, domain: Domain, budget: Budget) -> tuple[int, float]:
    """The cells of a part, and the time they took: made as ``decompose`` makes them, unless that is for tiles."""
    start = process_time()
    if domain.dimension == 2 and is_wide(network):
        n_cells = _count(network, domain, budget)
    else:
        n_cells = decompose(network, domain, budget=budget).n_cells
    return n_cells, process_time() - start


def _interval(network: Network, domain: Domain, i: int, n: int, budget: Budget) -> Counted:
    low, high = (float(x) for x in domain.window[:, 0])
    ends = [low + (high - low) * k / n for k in (i, i + 1)]
    x = domain.to_input(np.array(ends)[:, None])
    pieces, seconds = _timed(network, Segment(x[0], x[1]), budget)
    return pieces - 0.5 * ((i > 0) + (i < n - 1)), pieces, seconds


def _tile(network: Network, domain: Domain, i: int, n_divisions: int, budget: Budget) -> Counted:
    """A tile of a plane; faces of its sides are seen from the tile itself, and a corner inside is one cell of four parts."""
    from plica.geometry.domains._tile import Tile
    from plica.geometry.values._equal_entries import without_equal_entries

    tile, inner = Tile.of(domain), without_equal_entries(network, domain)
    for level in range(n_divisions):
        tile = tile.divided(level)[i >> level & 1]
    (n_cells, seconds), outer = _timed(inner, tile, budget), _side_counts(inner, tile, budget)
    n_inner = sum(cut >= 0 for cut in tile.cuts)
    # every division is between two tiles of the same depth, and there is one division less than tiles
    share = (1 - 1 / 2**n_divisions) if n_inner else 0.0
    return n_cells - 0.5 * sum(outer) - share, n_cells, seconds


def _side_counts(network: Network, tile: Any, budget: Budget) -> list[int]:
    """How many folds cross each side that a division made."""
    out = []
    for k, cut in enumerate(tile.cuts):
        if cut >= 0:
            ends = tile.to_input(tile.window[[k, (k + 1) % len(tile.cuts)]])
            out.append(_count(network, Segment(ends[0], ends[1]), budget) - 1)
    return out


def _box(network: Network, domain: Box, i: int, n: int, budget: Budget) -> Counted:
    place = np.array(np.unravel_index(i, (n,) * domain.dimension))
    low, high = domain.low.copy(), domain.high.copy()
    edges = [np.linspace(low[k], high[k], n + 1) for k in domain.free]
    for axis, k in enumerate(domain.free):
        low[k], high[k] = edges[axis][place[axis]], edges[axis][place[axis] + 1]
    total, own = 0.0, (0, 0.0)
    for choice in product((None, 0, 1), repeat=domain.dimension):
        a, b, codimension = low.copy(), high.copy(), 0
        for axis, side in enumerate(choice):
            if side is None:
                continue
            if not 0 < place[axis] + side < n:
                break  # a face of the domain itself
            k = domain.free[axis]
            a[k] = b[k] = edges[axis][place[axis] + side]
            codimension += 1
        else:
            found = (1, 0.0) if codimension == domain.dimension else _timed(network, Box(a, b), budget)
            own = found if codimension == 0 else own
            total += (-0.5) ** codimension * found[0]
    return total, *own
