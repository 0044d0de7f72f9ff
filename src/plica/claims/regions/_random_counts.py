"""Exact counts of random networks, computed once for all claims on upper bounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from plica.claims import Row, row
from plica.geometry import Box, Segment, count_regions
from plica.network import random_network

SEED = 2017
ARCHITECTURES = (
    (1, 4, 4, 1),
    (1, 8, 8, 8, 1),
    (2, 3, 3, 3, 1),
    (2, 4, 4, 1),
    (2, 8, 2, 8, 1),
    (2, 5, 5, 5, 1),
    (2, 8, 8, 1),
    (2, 16, 16, 1),
)
LARGER = ((2, 32, 32, 1), (2, 16, 16, 16, 16, 1), (1, 32, 32, 32, 32, 1))


@cache
def exact_counts(scale: str) -> dict[tuple[int, ...], list[int]]:
    """Cells of random networks on a wide domain, by architecture: 26 networks each, 208 in all (quick)."""
    architectures = ARCHITECTURES + (LARGER if scale == "full" else ())
    n_networks = 100 if scale == "full" else 26
    found = {}
    for widths in architectures:
        domain = Segment([-64.0], [64.0]) if widths[0] == 1 else Box([-16.0, -16.0], [16.0, 16.0])
        nets = (random_network(widths, seed=SEED + k, weights="he-normal", bias_std=0.5) for k in range(n_networks))
        found[widths] = [count_regions(net, domain).n_cells for net in nets]
    return found


def rows_below(bound: Callable[[Sequence[int]], int], scale: str) -> list[Row]:
    """For each architecture, the largest exact count against the bound."""
    return [
        row(max(counts), "<=", bound(widths), widths=widths, networks=len(counts), mean=sum(counts) / len(counts))
        for widths, counts in exact_counts(scale).items()
    ]
