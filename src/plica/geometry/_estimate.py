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
from dataclasses import dataclass
from itertools import product
from math import sqrt
from time import process_time
from typing import Any

import numpy as np

from plica.errors import BudgetExceeded, InvalidDomain
from plica.geometry._budget import Budget
from plica.geometry._decompose import check_question, count_regions, is_wide
from plica.geometry.domains import Box, Domain, Path, Segment, Space
from plica.network import Network

_PART_CELLS = 20_000  # a part with more is divided further
_MOST_DIVISIONS = 14
_CELL_BYTES = 160  # of a plane's edges, corners and names, for each cell


@dataclass(frozen=True)
class Cost:
    """What a decomposition will cost; all numbers are estimated.

    Attributes
    ----------
    n_cells, n_cells_error
        The number of cells and its standard error.
    seconds
        Processor time of ``decompose`` on this machine, from the time that the parts took.
    bytes
        Memory of the complex with the tensors of its widest layer.
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
    own = budget or Budget()
    for n_divisions in range(0, _MOST_DIVISIONS + 1):
        try:
            return _sampled(network, domain, n_divisions, n_samples, seed, own)
        except BudgetExceeded as error:
            if "max_cells" not in error.message or own.max_cells < _PART_CELLS:
                raise
    raise InvalidDomain(
        f"even parts of 1/{2**_MOST_DIVISIONS} of the domain have more than {_PART_CELLS:,} cells.", hint="use a smaller domain"
    )


def _sampled(network: Network, domain: Any, n_divisions: int, n_samples: int, seed: int, budget: Budget) -> Cost:
    n_parts, count = _parts_of(network, domain, n_divisions)
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(n_parts)[: min(n_samples, n_parts)]
    start, own = process_time(), 0.0
    found, raw = [], 0.0
    limit = Budget(min(_PART_CELLS, budget.max_cells), budget.max_seconds, budget.max_bytes)
    for i in chosen.tolist():
        begun = process_time()
        value, cells = count(i, limit)
        own += process_time() - begun
        found.append(value)
        raw += cells
        if process_time() - start > budget.max_seconds:
            raise BudgetExceeded(f"the estimate took more than max_seconds={budget.max_seconds}.", partial={"n_cells": 0})
    values, m = np.array(found), len(found)
    total = float(values.mean()) * n_parts
    spread = float(values.std(ddof=1)) if m > 1 else 0.0
    error = n_parts * spread / sqrt(m) * sqrt(max(0.0, 1 - m / n_parts))
    n_cells = max(1.0, total)
    seconds = own / max(raw, 1.0) * n_cells
    widths = [network.nodes[i].size for i in network.layers] or [1]
    n_bytes = n_cells * (_CELL_BYTES * max(1, domain.dimension) + sum(widths) / 8 + 24 * max(widths))
    return Cost(n_cells, error, seconds, n_bytes, n_parts, m, seed)


Counter = Callable[[int, Budget], tuple[float, float]]


def _parts_of(network: Network, domain: Any, n_divisions: int) -> tuple[int, Counter]:
    """How many parts there are, and a function that counts one: with its share of its faces, and alone."""
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


def _interval(network: Network, domain: Domain, i: int, n: int, budget: Budget) -> tuple[float, float]:
    low, high = (float(x) for x in domain.window[:, 0])
    ends = [low + (high - low) * k / n for k in (i, i + 1)]
    x = domain.to_input(np.array(ends)[:, None])
    pieces = _count(network, Segment(x[0], x[1]), budget)
    return pieces - 0.5 * ((i > 0) + (i < n - 1)), pieces


def _tile(network: Network, domain: Domain, i: int, n_divisions: int, budget: Budget) -> tuple[float, float]:
    """A tile of a plane; faces of its sides are seen from the tile itself, and a corner inside is one cell of four parts."""
    from plica.geometry._budget import Meter
    from plica.geometry._decompose import engine
    from plica.geometry.domains._tile import Tile
    from plica.geometry.values._equal_entries import without_equal_entries

    tile, inner = Tile.of(domain), without_equal_entries(network, domain)
    for level in range(n_divisions):
        tile = tile.divided(level)[i >> level & 1]
    meter = Meter(budget, len(network.layers))
    with engine(meter):
        if is_wide(inner):
            from plica.geometry.tiles._stream import count_in_tiles

            n_cells, outer = count_in_tiles(inner, tile, meter).n_cells, _side_counts(inner, tile, budget)
        else:
            n_cells, outer = _count(inner, tile, budget), _side_counts(inner, tile, budget)
    n_inner = sum(cut >= 0 for cut in tile.cuts)
    # every division is between two tiles of the same depth, and there is one division less than tiles
    share = (1 - 1 / 2**n_divisions) if n_inner else 0.0
    return n_cells - 0.5 * sum(outer) - share, float(n_cells)


def _side_counts(network: Network, tile: Any, budget: Budget) -> list[int]:
    """How many folds cross each side that a division made."""
    out = []
    for k, cut in enumerate(tile.cuts):
        if cut >= 0:
            ends = tile.to_input(tile.window[[k, (k + 1) % len(tile.cuts)]])
            out.append(_count(network, Segment(ends[0], ends[1]), budget) - 1)
    return out


def _box(network: Network, domain: Box, i: int, n: int, budget: Budget) -> tuple[float, float]:
    place = np.array(np.unravel_index(i, (n,) * domain.dimension))
    low, high = domain.low.copy(), domain.high.copy()
    edges = [np.linspace(low[k], high[k], n + 1) for k in domain.free]
    for axis, k in enumerate(domain.free):
        low[k], high[k] = edges[axis][place[axis]], edges[axis][place[axis] + 1]
    total, own = 0.0, 0
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
            cells = 1 if codimension == domain.dimension else _count(network, Box(a, b), budget)
            own = cells if codimension == 0 else own
            total += (-0.5) ** codimension * cells
    return total, float(own)
