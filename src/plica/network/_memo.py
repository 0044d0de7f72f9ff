"""What is computed once for each network and kept with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from plica.network._network import Network

P = ParamSpec("P")
R = TypeVar("R")


def once_per_network(function: Callable[Concatenate[Network, P], R]) -> Callable[Concatenate[Network, P], R]:
    """A function of a network and a few hashable numbers, computed once; the result lives as long as the network.

    Networks are frozen, so what follows from their weights stays true. Results are shared between callers: do not change them.

    Examples
    --------
    >>> import plica
    >>> @once_per_network
    ... def heaviest(network, index):
    ...     print("computing")
    ...     return float(abs(network.nodes[index].op.weight).max())
    >>> net = plica.random_network([2, 4, 1], seed=0)
    >>> heaviest(net, 1) == heaviest(net, 1)
    computing
    True
    """

    @wraps(function)
    def remembered(network: Network, *args: P.args, **options: P.kwargs) -> R:
        key = (function, args, tuple(options.items())) if options else (function, args)
        memo = network._memo
        try:
            found: R = memo[key]
        except KeyError:
            found = memo[key] = function(network, *args, **options)
        return found

    return remembered
