"""The front of the engines: check, choose, run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from plica._memory import keep_pages
from plica._parallel import plain_blas
from plica.errors import InvalidDomain, InvalidInput
from plica.geometry._bounded import BoundedComplex
from plica.geometry._budget import Budget, Meter, Progress, watched
from plica.geometry._complex import Complex
from plica.geometry._region_count import RegionCount
from plica.geometry.domains import Box, Domain, Path, Plane, Polytope, Segment, Space
from plica.geometry.values._equal_entries import without_equal_entries
from plica.geometry.values._rescaling import rescaled
from plica.network import Network

if TYPE_CHECKING:
    from plica.geometry.line._complex import LineComplex
    from plica.geometry.plane._complex import PlaneComplex
    from plica.geometry.plane._engine import PlaneWalk
    from plica.geometry.unbounded._complex import UnboundedComplex


@contextmanager
def engine(meter: Meter) -> Iterator[None]:
    """What every engine runs in."""
    keep_pages()
    with watched(meter), plain_blas(), np.errstate(over="ignore", under="ignore", invalid="ignore"):
        yield


WIDE = 1024  # entries of a layer from which on planes are looked at in tiles


def is_wide(network: Network) -> bool:
    """Whether tensors at all vertices of a plane would be large, most of them the same."""
    return max((network.nodes[i].size for i in network.layers), default=0) >= WIDE


def check_question(network: Network, domain: Domain | Path | Space) -> None:
    """Refuse what is no network, no domain, or does not fit."""
    if not isinstance(network, Network):
        raise InvalidInput(
            f"expected a plica Network, got {type(network).__name__}.",
            hint="convert it first: plica.from_torch(module), plica.load('model.onnx')",
        )
    if not isinstance(domain, (Domain, Path, Space)):
        raise InvalidInput(
            f"expected a domain, got {type(domain).__name__}.", hint="plica.Box, Polytope, Plane, Segment, Path or Space"
        )
    if domain.n_inputs != network.n_inputs:
        raise InvalidDomain(
            f"the network takes {network.n_inputs} inputs, the domain lies in R^{domain.n_inputs}.",
            hint="a slice of the input space is plica.Plane.through(x0, x1, x2) or plica.Segment(a, b)",
        )


@overload
def decompose(
    network: Network,
    domain: Segment | Path,
    *,
    budget: Budget | None = ...,
    progress: Progress | None = ...,
    cluster: Any = ...,
) -> LineComplex: ...


@overload
def decompose(
    network: Network,
    domain: Plane,
    *,
    budget: Budget | None = ...,
    progress: Progress | None = ...,
    cluster: Any = ...,
) -> PlaneComplex: ...


@overload
def decompose(
    network: Network,
    domain: Space,
    *,
    budget: Budget | None = ...,
    progress: Progress | None = ...,
    cluster: Any = ...,
) -> UnboundedComplex: ...


@overload
def decompose(
    network: Network,
    domain: Domain | Path,
    *,
    budget: Budget | None = ...,
    progress: Progress | None = ...,
    cluster: Any = ...,
) -> BoundedComplex: ...


@overload
def decompose(
    network: Network,
    domain: Domain | Path | Space,
    *,
    budget: Budget | None = ...,
    progress: Progress | None = ...,
    cluster: Any = ...,
) -> Complex: ...


def decompose(
    network: Network,
    domain: Domain | Path | Space,
    *,
    budget: Budget | None = None,
    progress: Progress | None = None,
    cluster: Any = None,
) -> Complex:
    """The exact complex of a piecewise-linear network over a segment, a path, a plane, a box, a polytope or all of R^n.

    Parameters
    ----------
    network
        The network, see :func:`plica.from_torch`, :func:`plica.load`, :func:`plica.random_network`.
    domain
        Where to look: :class:`plica.Segment`, :class:`plica.Path`, :class:`plica.Plane`, :class:`plica.Box`,
        :class:`plica.Polytope`, :class:`plica.Space`.
    budget
        Limits; reaching one raises :class:`plica.BudgetExceeded`.
    progress
        Called after each layer (or chunk of a line, or tile) with a dict of numbers.
    cluster
        Divide a plane, a box or a polytope into tiles and compute them on a Dask cluster: ``"local"`` or ``"local:4"`` for worker
        processes on this machine, an address such as ``"tcp://host:8786"``, or a ``distributed.Client``. The result is the same.

    Examples
    --------
    >>> import numpy as np
    >>> from plica.geometry import Box, decompose
    >>> from plica.network import Linear, Network, Rectifier
    >>> net = Network.sequential(2, [Linear(np.eye(2)), Rectifier(), Linear(np.ones((1, 2)))])
    >>> cx = decompose(net, Box([-1, -1], [1, 1]))
    >>> cx.n_cells, cx.n_regions
    (4, 4)
    """
    check_question(network, domain)
    if cluster is not None:
        from plica.geometry.tiles._tiles import decompose_on, splits

        if splits(network, domain):
            assert isinstance(domain, Domain)
            return decompose_on(cluster, network, domain, budget=budget, progress=progress)
    meter = Meter(budget or Budget(), len(network.layers), progress)
    if isinstance(domain, Space):
        from plica.geometry.unbounded._complex import UnboundedComplex
        from plica.geometry.unbounded._engine import decompose_space

        shown = decompose_space(network, meter)
        return _with_budget(UnboundedComplex(network, domain, shown, seconds=meter.seconds), meter)
    if isinstance(domain, Path) or domain.dimension == 1:
        return _with_budget(_decompose_line(network, domain, meter), meter)
    if isinstance(domain, (Box, Polytope)) and domain.dimension > 2:
        from plica.geometry.space._complex import SpaceComplex
        from plica.geometry.space._engine import walk_space
        from plica.geometry.space._lattice import cube_bytes

        if isinstance(domain, Box):
            meter.check(n_bytes=cube_bytes(domain.dimension))
        inner = without_equal_entries(network, domain)
        floats, exponents = rescaled(inner, domain)
        with engine(meter):
            space = walk_space(inner, floats, exponents, domain, meter)
        return _with_budget(SpaceComplex(network, domain, space, exponent=exponents[-1], seconds=meter.seconds), meter)
    from plica.geometry.plane._complex import PlaneComplex
    from plica.geometry.plane._engine import walk_plane

    with engine(meter):
        walk = _walk_few_forms(network, domain, meter)
        if walk is not None:
            return _with_budget(PlaneComplex(network, domain, walk, exponent=0, seconds=meter.seconds), meter)
        inner = without_equal_entries(network, domain)
        floats, exponents = rescaled(inner, domain)
        if is_wide(inner) and not any(exponents):
            from plica.geometry.tiles._whole import walk_switching

            walk = walk_switching(inner, domain, meter)
        if walk is None:
            walk = walk_plane(inner, floats, exponents, domain, meter)
    return _with_budget(PlaneComplex(network, domain, walk, exponent=exponents[-1], seconds=meter.seconds), meter)


def _walk_few_forms(network: Network, domain: Domain, meter: Meter) -> PlaneWalk | None:
    """The walk by numbered forms, for networks that repeat themselves; None for the others."""
    from plica.geometry.numbered._condensed import Unsuited, condensed

    program = condensed(network)
    if program is None:
        return None
    from plica.geometry.numbered._engine import walk_numbered

    try:
        return walk_numbered(network, program, domain, meter.part(meter.progress))
    except Unsuited:
        return None


def _with_budget(cx: Complex, meter: Meter) -> Any:
    """Regions and outputs, which are computed when they are asked for, keep the budget too."""
    cx.budget = meter.budget.for_readings()
    return cx


def _decompose_line(network: Network, domain: Domain | Path, meter: Meter) -> LineComplex:
    from plica.geometry.line._complex import LineComplex, Part
    from plica.geometry.line._engine import walk_line

    pieces = domain.segments if isinstance(domain, Path) else (domain,)
    parts: list[Part] = []
    first_cell, exponent = 0, 0
    for i, piece in enumerate(pieces):
        inner = without_equal_entries(network, piece)
        floats, exponents = rescaled(inner, piece)
        if i and exponents[-1] != exponent:
            raise InvalidDomain("the points of the path differ too much in magnitude.", hint="decompose its segments one by one")
        exponent = exponents[-1]
        with engine(meter):
            chunk, exact = walk_line(inner, floats, exponents, piece, meter)
        start = float(i) if isinstance(domain, Path) else 0.0
        parts.append(Part(piece, chunk, exact, start, first_cell))
        first_cell += len(chunk.hyperplanes) - 1
    return LineComplex(network, domain, parts, exponent=exponent, seconds=meter.seconds)


def count_regions(
    network: Network,
    domain: Domain | Path | Space,
    *,
    budget: Budget | None = None,
    progress: Progress | None = None,
    cells_only: bool = False,
    cluster: Any = None,
) -> RegionCount:
    """The numbers of cells and regions, keeping no geometry.

    With ``cells_only`` the last layer of a plane is counted without being built, and ``n_regions`` is None; planes through wide
    networks are counted in tiles, one after the other, in memory that does not depend on the number of cells. On a ``cluster``
    (see :func:`decompose`) the same tiles are counted, many at a time, and what a tile was made of is dropped with it.

    Examples
    --------
    >>> import numpy as np
    >>> from plica.geometry import Segment, count_regions
    >>> from plica.network import Linear, Network, Rectifier
    >>> net = Network.sequential(1, [Linear(np.array([[1.0], [1.0]])), Rectifier(), Linear(np.array([[1.0, -1.0]]))])
    >>> count = count_regions(net, Segment([-1.0], [1.0]))
    >>> count.n_cells, count.n_regions
    (2, 1)
    """
    check_question(network, domain)
    if cluster is not None and cells_only:
        from plica.geometry.tiles._tiles import count_on, splits

        if splits(network, domain):
            assert isinstance(domain, Domain)
            if domain.dimension == 2 and is_wide(network):
                from plica.geometry.tiles._stream import Coincidence
                from plica.geometry.tiles._stream_tasks import count_wide_on

                with suppress(Coincidence):
                    return count_wide_on(cluster, network, domain, Meter(budget or Budget(), len(network.layers), progress))
            return count_on(cluster, network, domain, budget=budget, progress=progress)
    if cells_only and isinstance(domain, Domain) and domain.dimension == 2:
        return _count_plane_cells(network, domain, Meter(budget or Budget(), len(network.layers), progress))
    meter = Meter(budget or Budget(), len(network.layers))
    cx = decompose(network, domain, budget=budget, progress=progress, cluster=cluster)
    with watched(meter):
        n_regions = None if cells_only else cx.n_regions
    return RegionCount(cx.n_cells, n_regions, cx.decisions, meter.seconds)


def _count_plane_cells(network: Network, domain: Domain, meter: Meter) -> RegionCount:
    from plica.geometry.plane._engine import count_plane

    with engine(meter):
        walk = _walk_few_forms(network, domain, meter)
        if walk is not None:
            return RegionCount(walk.mesh.n_cells, None, walk.decisions, meter.seconds)
        inner = without_equal_entries(network, domain)
        floats, exponents = rescaled(inner, domain)
        if is_wide(inner) and not any(exponents):
            from plica.geometry.tiles import _stream

            with suppress(_stream.Coincidence):
                count = _stream.count_in_tiles(inner, domain, meter)
                return RegionCount(count.n_cells, None, count.decisions, meter.seconds)
        n_cells, decisions = count_plane(inner, floats, exponents, domain, meter)
    return RegionCount(n_cells, None, decisions, meter.seconds)
