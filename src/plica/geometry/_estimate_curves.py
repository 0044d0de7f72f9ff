"""What a decision boundary will cost, estimated from a few parts of the plane.

Boundaries run through few parts of a window, and those cost most. So there are two kinds of parts: where the answer differs
between a few points, and the others. A random sample of each kind, times its number, is an unbiased estimate of what all of that
kind hold; where a curve goes from one part to the next, one segment is seen from both sides. Of many parts only some are asked
which kind they are, so that the numbers of both kinds are estimates too: the standard error is that of double sampling.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt
from time import process_time
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import BudgetExceeded, InvalidDomain
from plica.geometry._budget import Budget, Meter, tick, watched
from plica.geometry._estimate import FIRST_BYTES, WEIGHT_BYTES, Cost
from plica.geometry._questions import decision_boundary
from plica.geometry.domains import Domain
from plica.geometry.domains._tile import Tile
from plica.network import Affine, Network

_PART_CELLS = 20_000  # of all tiles of a part
_MOST_DIVISIONS = 12
_PROBED = 512  # parts whose points are computed, at most
_PROBES = 3  # points along each axis of a part
_PROBE_WORK = 2e10  # multiplications at all of them
_SEGMENT_BYTES = 600
_OPEN_BYTES, _MOST_OPEN = 55_000, 1000  # for each neuron that may switch in the tiles that are followed at a time
_NEAR = 1e-9  # of the size of a part: an end that is nearer to a side is on it


def estimate_boundary_cost(
    network: Network,
    domain: Domain,
    outputs: Sequence[int] | None = None,
    *,
    n_samples: int = 16,
    seed: int = 0,
    budget: Budget | None = None,
) -> Cost:
    """How many segments a decision boundary has, and what :func:`plica.decision_boundary` will cost, from a few small parts.

    The fields that count cells count segments here; the other parameters are those of :func:`plica.estimate_cost`.

    Examples
    --------
    >>> import plica
    >>> net, box = plica.random_network([2, 30, 30, 3], seed=0), plica.Box([-1, -1], [1, 1])
    >>> cost = estimate_boundary_cost(net, box)
    >>> round(cost.n_cells) == len(plica.decision_boundary(net, box).segments)
    True
    """
    if not isinstance(domain, Domain) or domain.dimension != 2:
        raise InvalidDomain("boundaries are estimated in planes.", hint="on a line: plica.estimate_cost")
    if n_samples < 1:
        raise InvalidDomain(f"n_samples must be at least 1, got {n_samples}.")
    meter = Meter(budget or Budget(), len(network.layers) + 1)
    for n_divisions in range(_MOST_DIVISIONS + 1):
        try:
            return _sampled(network, domain, outputs, n_divisions, n_samples, seed, meter)
        except BudgetExceeded as error:
            if "max_cells" not in error.message or meter.budget.max_cells < _PART_CELLS:
                raise
    raise InvalidDomain(
        f"even parts of 1/{2**_MOST_DIVISIONS} of the domain have more than {_PART_CELLS:,} cells.", hint="use a smaller domain"
    )


def _sampled(
    network: Network, domain: Domain, outputs: Sequence[int] | None, n_divisions: int, n_samples: int, seed: int, meter: Meter
) -> Cost:
    n_parts, rng = 2**n_divisions, np.random.default_rng(seed)
    work = sum(float(n.op.n_terms() * n.size) for n in network.nodes if isinstance(n.op, Affine))
    n_probed = min(n_parts, _PROBED, max(n_samples, int(_PROBE_WORK / (_PROBES**2 * max(work, 1.0)))))
    tiles = [_part(domain, i, n_divisions) for i in rng.permutation(n_parts)[:n_probed].tolist()]
    with watched(meter):
        differs = np.array([_differs(network, tile, outputs) for tile in tiles])

    def counted(tile: Tile) -> tuple[float, float]:
        limits = replace(meter.rest(), max_cells=min(_PART_CELLS, meter.budget.max_cells))
        start = process_time()
        curves = decision_boundary(network, tile.alone(), outputs, budget=limits)
        return len(curves.segments) - 0.5 * _n_crossings(tile, curves.polylines), process_time() - start

    counted(tiles[int(np.argmax(differs))])  # what is loaded or compiled on first use is not part of the cost
    total, variance, seconds, m = 0.0, 0.0, 0.0, 0
    kinds, means = [np.flatnonzero(differs), np.flatnonzero(~differs)], np.zeros(n_probed)
    for kind, other in zip(kinds, kinds[::-1], strict=True):
        if not len(kind):
            continue
        size = n_parts * len(kind) / n_probed
        share = n_samples if not len(other) else max(1, n_samples * 3 // 4 if kind is kinds[0] else n_samples // 4)
        found = np.array([counted(tiles[i]) for i in kind[:share].tolist()])
        total, seconds, m = total + size * found[:, 0].mean(), seconds + size * found[:, 1].mean(), m + len(found)
        means[kind] = found[:, 0].mean()
        if len(found) > 1:
            variance += size * max(0.0, size - len(found)) * found[:, 0].var(ddof=1) / len(found)
    variance += n_parts * (n_parts - n_probed) / n_probed * means.var()  # how many parts of each kind there are
    n_weights = sum(a.size for node in network.nodes for a in node.op.arrays().values())
    n_open = min(total, network.n_neurons, _MOST_OPEN)
    n_bytes = FIRST_BYTES + total * _SEGMENT_BYTES + n_open * _OPEN_BYTES + WEIGHT_BYTES * n_weights
    return Cost(max(0.0, float(total)), sqrt(variance), float(seconds), float(n_bytes), n_parts, m, seed)


def _part(domain: Domain, i: int, n_divisions: int) -> Tile:
    tile = Tile.of(domain)
    for level in range(n_divisions):
        tile = tile.divided(level)[i >> level & 1]
    return tile


def _differs(network: Network, tile: Tile, outputs: Sequence[int] | None) -> bool:
    """Whether the answer is not the same at all of a few points of a part."""
    tick()
    steps = (np.arange(_PROBES) + 0.5) / _PROBES
    corners, center = tile.window, tile.window.mean(axis=0)
    points = np.concatenate([center + 2 * abs(s - 0.5) * (corners - center) for s in steps])
    y = network(tile.to_input(points)).reshape(len(points), -1)
    chosen = y if outputs is None else y[:, list(outputs)]
    answer = chosen[:, 0] > 0 if chosen.shape[1] == 1 else chosen.argmax(axis=1)
    return bool((answer != answer[0]).any())


def _n_crossings(tile: Tile, polylines: tuple[Array, ...]) -> int:
    """How many curves end on a side that a division made."""
    ends: Any = [p[k] for p in polylines if len(p) and not np.array_equal(p[0], p[-1]) for k in (0, -1)]
    if not ends:
        return 0
    points, n = np.array(ends), 0
    size = float(np.ptp(tile.window, axis=0).max())
    for k, cut in enumerate(tile.cuts):
        if cut >= 0:
            a, b = tile.window[k], tile.window[(k + 1) % len(tile.cuts)]
            normal = np.array([a[1] - b[1], b[0] - a[0]]) / np.linalg.norm(b - a)
            n += int((np.abs((points - a) @ normal) <= _NEAR * size).sum())
    return n
