"""The verdict on a property of a network: sat with a counterexample, unsat with what was proved, or what was left open."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from plica._parallel import plain_blas
from plica.errors import InvalidInput
from plica.network import Network
from plica.robust._exact_steps import ExactSteps
from plica.robust._property import Property
from plica.robust._search import Search, Tally
from plica.robust.bounds._merged import merged
from plica.robust.bounds._steps import steps_of

Status = Literal["sat", "unsat", "unknown", "timeout"]
Progress = Callable[[Tally], None]


@dataclass(frozen=True, eq=False)
class Verdict:
    """What was found out about a property.

    Attributes
    ----------
    status
        ``"sat"``: a counterexample exists; ``"unsat"``: none does; ``"timeout"``: the time was over before either was proved.
    point, values
        The counterexample and the network's output there, in fractions; empty otherwise.
    tally
        Boxes bounded, boxes refuted by bounds and by how much at least, boxes decided in integers.
    """

    status: Status
    point: tuple[Fraction, ...]
    values: tuple[Fraction, ...]
    tally: Tally
    seconds: float

    def proof(self) -> str:
        """What the verdict rests on, in a sentence."""
        t = self.tally
        if self.status == "sat":
            return f"the counterexample satisfies all inequalities in rational arithmetic; {t.n_boxes:,} boxes were bounded"
        if self.status == "unsat":
            by = f", by {t.least_margin:.3g} at least" if t.n_refuted else ""
            return (
                f"{t.n_refuted:,} boxes refuted by outward-rounded linear bounds{by}; {t.n_leaves:,} boxes ({t.n_pieces:,} "
                "affine pieces) by linear programs in integers"
            )
        return f"{t.n_boxes:,} boxes were bounded, {t.n_refuted:,} refuted; {t.n_leaves:,} were decided in integers"


class OutOfTime(Exception):
    """The time is over."""


def verify(
    network: Network,
    property_: Property,
    *,
    timeout_s: float = float("inf"),
    seed: int = 0,
    progress: Progress | None = None,
    cluster: Any = None,
) -> Verdict:
    """Whether some input satisfies a property: attacks first, then branch and bound, exact programs where boxes are small.

    Both answers are true of the network in real arithmetic, with its weights as stored and the property's numbers as written.
    On a ``cluster`` (as for :func:`plica.decompose`) the boxes are cut into parts, which are verified at the same time.

    Examples
    --------
    >>> import plica
    >>> from plica.robust import parse_vnnlib
    >>> net = plica.random_network([2, 8, 1], seed=0)
    >>> text = '''(declare-const X_0 Real) (declare-const X_1 Real) (declare-const Y_0 Real)
    ... (assert (>= X_0 -1)) (assert (<= X_0 1)) (assert (>= X_1 -1)) (assert (<= X_1 1)) (assert (>= Y_0 {}))'''
    >>> [verify(net, parse_vnnlib(text.format(bound))).status for bound in (-1, 100)]
    ['sat', 'unsat']
    """
    steps = steps_of(network)
    if property_.n_inputs != network.n_inputs or property_.n_outputs != network.n_outputs:
        raise InvalidInput(
            f"the property has {property_.n_inputs} inputs and {property_.n_outputs} outputs, the network "
            f"{network.n_inputs} and {network.n_outputs}.",
            hint="the files belong to different benchmarks",
        )
    if cluster is not None:
        from plica.robust._on_cluster import verify_on

        return verify_on(cluster, network, property_, timeout_s=timeout_s, seed=seed, progress=progress)
    started, tally, exact = time.perf_counter(), Tally(), ExactSteps(steps)
    told = started

    def check() -> None:
        nonlocal told
        now = time.perf_counter()
        if progress is not None and now - told > 0.2:
            told = now
            progress(tally)
        if now - started > timeout_s:
            raise OutOfTime

    fewer = merged(steps)
    searches = [Search(fewer, query, exact, check, seed, tally) for query in property_.queries]
    point: list[Fraction] | None = None
    status: Status = "unsat"
    with plain_blas():
        try:
            for attempt in (Search.falsify, Search.run):
                for search in searches:
                    check()
                    point = attempt(search)
                    if point is not None:
                        break
                if point is not None:
                    status = "sat"
                    break
        except OutOfTime:
            status = "timeout"
    if point is not None:
        point = _simplest(point, property_, exact)
    found = () if point is None else tuple(point)
    at = () if point is None else tuple(exact.values(point))
    return Verdict(status, found, at, tally, time.perf_counter() - started)


def _simplest(point: list[Fraction], property_: Property, exact: ExactSteps) -> list[Fraction]:
    """A counterexample near a given one that float32, or else float64, holds; the given one if there is none."""
    for kind in (np.float32, np.float64):
        if any(abs(v) > np.finfo(kind).max for query in property_.queries for v in (*query.low, *query.high)):
            continue
        near = np.array([float(v) for v in point], dtype=kind)
        for query in property_.queries:
            ends = [np.array([float(v) for v in side], dtype=kind) for side in (query.low, query.high)]
            inner = [np.nextafter(ends[0], kind(np.inf)), np.nextafter(ends[1], kind(-np.inf))]
            for candidate in (near, np.clip(near, *ends), np.clip(near, inner[0], np.maximum(*inner))):
                x = [Fraction(float(v)) for v in candidate]
                if query.contains(x) and query.is_violated(x, exact.values(x)):
                    return x
    return point
