"""Questions about a plane that are answered tile by tile, without its complex."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from plica.errors import InvalidDomain, InvalidInput
from plica.geometry._budget import Budget, Meter, Progress
from plica.geometry._curves import Curves
from plica.geometry._decompose import check_question, decompose, engine
from plica.geometry.domains import Domain
from plica.geometry.values._equal_entries import without_equal_entries
from plica.geometry.values._rescaling import rescaled
from plica.network import Network, extended

MOST_SAMPLES = 1000  # along a side of the window


def decision_boundary(
    network: Network,
    domain: Domain,
    outputs: Sequence[int] | None = None,
    *,
    samples: int | None = None,
    budget: Budget | None = None,
    progress: Progress | None = None,
) -> Curves:
    """Where another output becomes the largest in a plane (where a single output changes its sign), without the complex.

    Tiles of the window where certified bounds prove one output to be the largest are skipped; in the others the boundary is
    followed exactly. Both kinds together are the window: nothing in it is missed. Through a large network of images that proof
    may take hours; with ``samples`` the curves that pass between these are followed to their ends, exactly, and nothing is said
    about the rest.

    Parameters
    ----------
    network
        The network.
    domain
        A plane, or a box or polytope of two dimensions.
    outputs
        The outputs to compare; all of them if nothing is said.
    samples
        Follow only curves that separate two neighbors of so many times so many points of the window. ``open_tiles`` of the result
        are the tiles that were not looked at: other curves may be there, and nowhere else.
    budget
        Limits; ``max_cells`` counts the cells of the tiles that were followed.
    progress
        Called after each tile with a dict of numbers; ``position`` is the share of the window that is finished.

    Examples
    --------
    >>> import plica
    >>> net = plica.random_network([2, 16, 16, 3], seed=1)
    >>> box = plica.Box([-1, -1], [1, 1])
    >>> curves = plica.decision_boundary(net, box)
    >>> bool(abs(curves.length - sum(abs(complex(*(b - a))) for a, b in plica.decompose(net, box).decision_boundary())) < 1e-9)
    True
    >>> some = plica.decision_boundary(net, box, samples=4)
    >>> curves.n_segments, some.n_segments
    (14, 14)
    """
    return _curves(network, domain, ("decision", outputs), samples, budget, progress)


def level_set(
    network: Network,
    domain: Domain,
    value: float = 0.0,
    output: int = 0,
    *,
    samples: int | None = None,
    budget: Budget | None = None,
    progress: Progress | None = None,
) -> Curves:
    """The curves in a plane on one side of which an output is greater than the value, without the complex.

    As :func:`decision_boundary`; the parameters are the same.

    Examples
    --------
    >>> import plica
    >>> net = plica.random_network([2, 16, 16, 1], seed=0)
    >>> plica.level_set(net, plica.Box([-1, -1], [1, 1]), value=1e6).polylines
    ()
    """
    return _curves(network, domain, ("level", value, output), samples, budget, progress)


def _asked(network: Network, domain: Domain, question: tuple[Any, ...]) -> Network:
    """The network with a question about a plane as its last fold."""
    check_question(network, domain)
    if not isinstance(domain, Domain) or domain.dimension != 2:
        raise InvalidDomain(
            f"tiles are parts of planes, got a {type(domain).__name__.lower()}.",
            hint="on a line: plica.decompose(network, domain).decision_boundary()",
        )
    from plica.geometry._levels import decision_ops, level_ops

    kind, *about = question
    ops = (decision_ops if kind == "decision" else level_ops)(network, *about)
    return without_equal_entries(extended(network, ops), domain)


def _curves(
    network: Network,
    domain: Domain,
    question: tuple[Any, ...],
    samples: int | None,
    budget: Budget | None,
    progress: Progress | None,
) -> Curves:
    if samples is not None and not (isinstance(samples, int | np.integer) and 2 <= samples <= MOST_SAMPLES):
        raise InvalidInput(
            f"samples must be a whole number from 2 to {MOST_SAMPLES}, got {samples!r}.",
            hint="samples=12 looks at 144 points; without samples the whole window is proved",
        )
    asked = _asked(network, domain, question)
    from plica.geometry.tiles._curves import follow_curves
    from plica.geometry.tiles._stream import Coincidence

    kind, *about = question
    meter = Meter(budget or Budget(), len(asked.layers), progress)
    if not any(rescaled(asked, domain)[1]):
        with engine(meter), suppress(Coincidence):
            return follow_curves(asked, domain, meter, samples)
    # numbers too large or too small for tiles, or a boundary along every division: the complex knows
    cx: Any = decompose(network, domain, budget=meter.rest(), progress=progress)
    segments = cx.decision_boundary(*about) if kind == "decision" else cx.level_set(*about)
    return Curves.of_segments(domain, segments, cx.decisions, meter.seconds)
