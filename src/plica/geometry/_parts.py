"""A domain in parts, each with its own complex, which is looked at and dropped: what adds up needs the memory of one part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from plica.errors import BudgetExceeded, InvalidDomain
from plica.geometry._bounded import BoundedComplex
from plica.geometry._budget import Budget, Meter, Progress
from plica.geometry._decompose import check_question, decompose, engine
from plica.geometry.domains import Box, Domain, Segment
from plica.geometry.values._equal_entries import without_equal_entries
from plica.geometry.values._rescaling import rescaled
from plica.network import Network

MOST_CELLS = 200_000  # of a part of a box


@dataclass(frozen=True, eq=False)
class Part:
    """A convex part of a domain.

    Attributes
    ----------
    domain
        The part, in the parameters of the whole.
    complex
        Its complex; None where the last fold was found settled without one.
    settled
        The state of the first unit of the last fold, if bounds prove that it is the same on the whole part.
    """

    domain: Domain
    complex: BoundedComplex | None
    settled: int | None = None

    @property
    def size(self) -> Fraction:
        """Area or volume, in parameters."""
        return self.domain.exact_size()


def parts(
    network: Network,
    domain: Domain,
    *,
    settle: bool = False,
    max_cells: int = MOST_CELLS,
    budget: Budget | None = None,
    progress: Progress | None = None,
) -> Iterator[Part]:
    """The complexes of a network over the parts of a plane, or of a box of any dimension, one after the other.

    A plane is divided into tiles in which few neurons can switch, each with a network of those alone; a box into smaller ones
    until none has more than ``max_cells`` cells. The parts cover the domain and have no common interior. A cell may lie in
    several parts, so that numbers of cells do not add up; volumes, integrals and extremes do.

    Parameters
    ----------
    network
        The network.
    domain
        A plane, a polytope or box of two dimensions, or a box.
    settle
        Do not decompose tiles on which bounds prove that the first unit of the last fold has one state.
    max_cells
        Of a part of a box.
    budget
        Limits of the whole; ``max_cells`` counts the cells of all parts.
    progress
        Called after each part with a dict of numbers; ``position`` is the share of the domain that is finished.

    Examples
    --------
    >>> import plica
    >>> net, box = plica.random_network([3, 12, 12, 1], seed=0), plica.Box([-1] * 3, [1] * 3)
    >>> found = list(parts(net, box, max_cells=100))
    >>> len(found) > 1, sum(p.size for p in found) == box.exact_size()
    (True, True)
    """
    check_question(network, domain)
    meter = Meter(budget or Budget(), len(network.layers), progress)
    if isinstance(domain, Domain) and domain.dimension == 2:
        return _tiles(network, domain, meter, settle)
    if isinstance(domain, (Box, Segment)):
        return _boxes(network, domain, meter, max_cells)
    raise InvalidDomain(
        f"parts are made of planes and boxes, got a {type(domain).__name__.lower()}.", hint="give a plica.Box or a plica.Plane"
    )


def _tiles(network: Network, domain: Domain, meter: Meter, settle: bool) -> Iterator[Part]:
    from plica.geometry.plane._complex import PlaneComplex
    from plica.geometry.tiles._program import ContestStep, Program
    from plica.geometry.tiles._stream import finished_tiles
    from plica.geometry.tiles._whole import walk_of

    inner = without_equal_entries(network, domain)
    if any(rescaled(inner, domain)[1]):  # numbers too large or too small for tiles
        yield Part(domain, decompose(network, domain, budget=meter.rest(), progress=meter.progress))
        return
    settled: list[Part] = []

    def wanted(program: Program) -> bool:
        step = program.steps[-1]
        if step.n_new:
            return True
        settled.append(Part(program.tile, None, int((step.winner if isinstance(step, ContestStep) else step.positive)[0])))
        return False

    finished = finished_tiles(inner, domain, meter, look=lambda done: done, wanted=wanted if settle else None)
    n_cells, done_share = 0, 0.0
    while True:
        with engine(meter):
            done = next(finished, None)
        for part in settled:
            done_share += float(part.size / domain.exact_size())
            yield part
        settled.clear()
        if done is None:
            return
        tile = done.program.tile
        cx = PlaneComplex(network, tile, walk_of(done, meter), exponent=0, seconds=meter.seconds)
        cx.budget = meter.budget
        n_cells, done_share = n_cells + done.n_cells, done_share + float(tile.exact_size() / domain.exact_size())
        meter.chunk_finished(n_cells, done_share)
        yield Part(tile, cx)


def _boxes(network: Network, domain: Box | Segment, meter: Meter, max_cells: int) -> Iterator[Part]:
    waiting: list[Box | Segment] = [domain]
    n_cells, done_share = 0, 0.0
    while waiting:
        meter.check()
        box, rest = waiting.pop(), meter.rest()
        try:
            cx = decompose(network, box, budget=replace(rest, max_cells=max_cells))
        except BudgetExceeded as error:
            halves = _halves(box)
            if "max_cells" not in error.message or halves is None:
                raise
            waiting += halves
            continue
        n_cells, done_share = n_cells + cx.n_cells, done_share + float(box.exact_size() / domain.exact_size())
        meter.chunk_finished(n_cells, done_share)
        yield Part(box, cx)


def _halves(box: Box | Segment) -> list[Box | Segment] | None:
    """Two parts of a box across its longest side; None where no float lies between, and of a segment, which needs no parts."""
    if isinstance(box, Segment):
        return None
    axis = int(np.argmax(box.high - box.low))
    middle = float(box.low[axis] / 2 + box.high[axis] / 2)
    if not box.low[axis] < middle < box.high[axis]:
        return None
    ends = [(box.low.copy(), box.high.copy()) for _ in range(2)]
    ends[0][1][axis] = ends[1][0][axis] = middle
    return [Box(low, high) for low, high in reversed(ends)]
