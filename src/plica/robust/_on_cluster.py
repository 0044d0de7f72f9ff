"""Distances and verdicts on a cluster: points are tasks; a property is cut into boxes, which are tasks."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from plica._cluster import connected, n_workers_of, run_tasks
from plica._types import Array
from plica.network import Network
from plica.robust._distance import ClassDistance, class_distance
from plica.robust._property import Property, Query
from plica.robust._search import Tally
from plica.robust._verify import Progress, Status, Verdict, verify

PARTS_PER_WORKER = 8  # some parts take much longer than others


def distances_on(cluster: Any, network: Network, points: Sequence[Array], **settings: Any) -> Iterator[tuple[int, ClassDistance]]:
    """The distances of points with their numbers, as they arrive."""
    with connected(cluster) as client:
        yield from run_tasks(client, _distance, [(network, x, settings) for x in points])


def _distance(network: Network, x: Array, settings: dict[str, Any]) -> ClassDistance:
    return class_distance(network, x, **settings)


def verify_on(
    cluster: Any,
    network: Network,
    property_: Property,
    *,
    timeout_s: float = float("inf"),
    seed: int = 0,
    progress: Progress | None = None,
) -> Verdict:
    """What :func:`verify` finds; boxes are cut in halves until there are enough for all workers, a counterexample ends it.

    The parts cover the boxes (they are cut in fractions), so that a property which no part satisfies is unsatisfiable.

    Examples
    --------
    >>> import plica
    >>> from plica.robust import parse_vnnlib
    >>> net = plica.random_network([1, 8, 1], seed=0)
    >>> asked = parse_vnnlib('''(declare-const X_0 Real) (declare-const Y_0 Real)
    ... (assert (>= X_0 -1)) (assert (<= X_0 1)) (assert (>= Y_0 100))''')
    >>> [[str(v) for v in (*q.low, *q.high)] for q in in_parts(asked.queries, 3)]
    [['0', '1'], ['-1', '-1/2'], ['-1/2', '0']]
    """
    started, tally = time.perf_counter(), Tally()
    with connected(cluster) as client:
        parts = in_parts(property_.queries, PARTS_PER_WORKER * n_workers_of(client))
        tasks = [(network, replace(property_, queries=(part,)), timeout_s, seed + i) for i, part in enumerate(parts)]
        found: Verdict | None = None
        status: Status = "unsat"
        for _, verdict in run_tasks(client, _verdict, tasks):
            _add(tally, verdict.tally)
            if progress is not None:
                progress(tally)
            if verdict.status == "sat":
                found, status = verdict, "sat"
                break
            if verdict.status != "unsat":
                status = verdict.status
    point, values = (found.point, found.values) if found is not None else ((), ())
    return Verdict(status, point, values, tally, time.perf_counter() - started)


def _verdict(network: Network, property_: Property, timeout_s: float, seed: int) -> Verdict:
    return verify(network, property_, timeout_s=timeout_s, seed=seed)


def in_parts(queries: Sequence[Query], n: int) -> list[Query]:
    """At least ``n`` queries with the same boxes together: the longest ones are cut in halves, in fractions."""
    parts = list(queries)
    while len(parts) < n:
        k = max(range(len(parts)), key=lambda k: max(_sides(parts[k]), default=Fraction(0)))
        sides = _sides(parts[k])
        if not sides or max(sides) == 0:
            break
        part, axis = parts.pop(k), sides.index(max(sides))
        middle = (part.low[axis] + part.high[axis]) / 2
        parts += [replace(part, high=_with(part.high, axis, middle)), replace(part, low=_with(part.low, axis, middle))]
    return parts


def _sides(query: Query) -> list[Fraction]:
    return [b - a for a, b in zip(query.low, query.high, strict=True)]


def _with(values: tuple[Fraction, ...], axis: int, value: Fraction) -> tuple[Fraction, ...]:
    return (*values[:axis], value, *values[axis + 1 :])


def _add(total: Tally, part: Tally) -> None:
    for name in ("n_boxes", "n_refuted", "n_leaves", "n_pieces", "n_exact_checks"):
        setattr(total, name, getattr(total, name) + getattr(part, name))
    total.least_margin = min(total.least_margin, part.least_margin)
