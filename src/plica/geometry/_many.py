"""Many domains in one call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from plica.errors import InvalidInput
from plica.geometry._budget import Budget, Meter, Progress
from plica.geometry._complex import Complex
from plica.geometry._decompose import check_question, decompose
from plica.geometry.domains import Domain, Path, Space
from plica.network import Network


def decompose_many(
    network: Network,
    domains: Iterable[Domain | Path | Space],
    *,
    budget: Budget | None = None,
    progress: Progress | None = None,
    cluster: Any = None,
) -> Iterator[Complex]:
    """The complexes over many segments, planes or boxes, one after the other as they are asked for.

    What belongs to the network alone (bounds, columns, constants) is computed once; a complex that is no longer used is freed
    before the next one is made. The budget is for all of them together: those that were finished stay with the caller.

    Parameters
    ----------
    network
        The network.
    domains
        Any iterable; it is read as complexes are asked for, so it may be endless.
    budget, progress, cluster
        As for :func:`plica.decompose`. ``progress`` also tells the number of the domain.

    Examples
    --------
    >>> import plica
    >>> net = plica.random_network([2, 16, 16, 1], seed=0)
    >>> spokes = [plica.Segment([0.0, 0.0], [x, 1.0]) for x in (-1.0, 0.0, 1.0)]
    >>> [cx.n_cells for cx in plica.decompose_many(net, spokes)]
    [8, 9, 13]
    """
    if not isinstance(domains, Iterable):
        raise InvalidInput(
            f"expected many domains, got {type(domains).__name__}.",
            hint="a list of segments, planes or boxes; one alone: plica.decompose",
        )
    meter = Meter(budget or Budget(), len(network.layers))
    n_cells = 0
    for number, domain in enumerate(domains):
        check_question(network, domain)
        rest = meter.rest()
        meter.check(n_cells=n_cells + 1)
        rest = replace(rest, max_cells=max(1, rest.max_cells - n_cells))

        def told(report: dict[str, Any], number: int = number) -> None:
            assert progress is not None
            progress(report | {"domain": number})

        cx = decompose(network, domain, budget=rest, progress=None if progress is None else told, cluster=cluster)
        n_cells += cx.n_cells
        meter.n_cells = n_cells
        yield cx
