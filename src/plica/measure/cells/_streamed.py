"""Extremes, moments and a histogram of an output over domains with too many cells to keep: part by part, in one pass."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.geometry import BoundedComplex, Budget, Domain, Meter, parts, tick, watched
from plica.measure.cells._distribution import distribution
from plica.measure.cells._extremes import Extreme, least, negated
from plica.measure.cells._integrals import Enclosed, Moments, added, moments
from plica.measure.cells._sharp import bounded_values, checked_weights
from plica.network import Network


@dataclass(frozen=True, eq=False)
class StreamedValues:
    """What an output does over a domain, found part by part.

    Attributes
    ----------
    minimum, maximum
        Exact, with the point; numbers of vertices and cells are those of a part that is gone.
    moments
        Certified.
    levels, below
        Levels, and the part of the domain where the output is at most each of them, certified.
    n_parts, n_cells
        How many parts there were, and how many cells they had together: a cell that several parts share counts in each.
    """

    minimum: Extreme
    maximum: Extreme
    moments: Moments
    levels: Array
    below: tuple[Enclosed, ...]
    n_parts: int
    n_cells: int

    @property
    def kind(self) -> str:
        """Of the weakest number: ``"certified"``."""
        return "certified"

    def histogram(self) -> tuple[Enclosed, ...]:
        """The part of the domain up to the first level, between neighbors, and above the last one."""
        ends = (Enclosed(0.0, 0.0), *self.below, Enclosed(1.0, 1.0))
        return tuple(
            Enclosed(float(max(np.nextafter(b.low - a.high, -np.inf), 0.0)), float(np.nextafter(b.high - a.low, np.inf)))
            for a, b in pairwise(ends)
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "minimum": float(self.minimum),
            "maximum": float(self.maximum),
            "mean": float(self.moments.mean),
            "n_parts": self.n_parts,
            "n_cells": self.n_cells,
            "kind": self.kind,
        }

    def __repr__(self) -> str:
        ends = f"{float(self.minimum):.6g} to {float(self.maximum):.6g}, mean {float(self.moments.mean):.6g}"
        return f"<StreamedValues {ends}; {self.n_cells:,} cells in {self.n_parts:,} parts>"


def stream_values(
    network: Network,
    domain: Domain,
    *,
    output: int | None = None,
    weights: Any = None,
    order: int = 2,
    levels: Iterable[float] = (),
    budget: Budget | None = None,
    progress: Any = None,
) -> StreamedValues:
    """Minimum, maximum, moments and a histogram of an output over a plane or a box, in memory that one part needs.

    The numbers are those of :func:`extremes`, :func:`moments` and :func:`distribution`, added up over the parts of
    :func:`plica.geometry.parts`: extremes are exact, the others are enclosed.

    Parameters
    ----------
    network, domain
        What is looked at; the domain is a plane or a box.
    output, weights
        The output (0 by default), or weights of all outputs.
    order
        The highest moment.
    levels
        Where the distribution function is asked for: the edges of a histogram.
    budget, progress
        As in :func:`plica.geometry.parts`.

    Examples
    --------
    >>> import plica
    >>> from plica.measure import extremes
    >>> net, box = plica.random_network([2, 16, 16, 1], seed=0), plica.Box([-1, -1], [1, 1])
    >>> found = stream_values(net, box, levels=[0.0])
    >>> found.maximum.value == extremes(plica.decompose(net, box)).maximum.value, len(found.histogram())
    (True, 2)
    """
    at = np.sort(np.asarray(list(levels), dtype=np.float64))
    if not np.isfinite(at).all():
        raise InvalidInput("levels are finite numbers.")
    chosen: Array | None = None
    low = high = None
    sums: list[list[Enclosed]] = [[] for _ in range(order)]
    shares: list[list[Enclosed]] = [[] for _ in at]
    n_parts = n_cells = 0
    whole = domain.exact_size()
    with watched(Meter(budget or Budget(), len(network.layers))):  # what is read of the parts takes time and memory too
        for part in parts(network, domain, budget=budget, progress=progress):
            cx = part.complex
            assert cx is not None
            chosen = checked_weights(cx, output, weights) if chosen is None else chosen
            low, high = _lower(cx, chosen, low), _lower(cx, -chosen, high)
            tick()
            for total, found in zip(sums, moments(cx, weights=chosen, order=order).integrals, strict=True):
                total.append(found)
            tick()
            if len(at):
                share = float(part.size / whole)
                for total, a, b in zip(shares, *distribution(cx, weights=chosen).cdf_bounds(at), strict=True):
                    total.append(Enclosed(float(a) * share * (1 - 1e-15), float(b) * share * (1 + 1e-15)))
                tick()
            n_parts, n_cells = n_parts + 1, n_cells + cx.n_cells
    assert low is not None and high is not None
    below = tuple(_share(added(total)) for total in shares)
    return StreamedValues(low, negated(high), Moments(whole, tuple(map(added, sums))), at, below, n_parts, n_cells)


def _share(x: Enclosed) -> Enclosed:
    return Enclosed(max(x.low, 0.0), min(x.high, 1.0))


def _lower(cx: BoundedComplex, weights: Array, known: Extreme | None) -> Extreme:
    """The least value so far; rationals are asked only where bounds say that a part may have a lower one."""
    values, error = bounded_values(cx, weights)
    if known is not None and bool((values - error > _above(known.value)).all()):
        return known
    found, _ = least(cx, weights, values, error)
    return found if known is None or found.value < known.value else known


def _above(x: Fraction) -> float:
    return float(np.nextafter(float(x), np.inf))
