"""One walk over the graph of a network; what is carried along is up to the semantics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from plica._parallel import look
from plica.network.operations import Affine, Fold

if TYPE_CHECKING:
    from plica.network._network import Network

T = TypeVar("T")


class Semantics(Protocol[T]):
    """What operations mean: how the value of a node follows from those of its inputs."""

    def affine(self, index: int, op: Affine, xs: list[T]) -> T:
        """The value of an affine node."""
        ...

    def fold(self, index: int, op: Fold, x: T, layer: int) -> T:
        """The value of a node that folds; ``layer`` is its number among those."""
        ...


def walk(
    network: Network,
    semantics: Semantics[T],
    values: dict[int, T],
    *,
    start: int = 1,
    stop: int | None = None,
    keep: bool = False,
) -> dict[int, T]:
    """Carry values through the nodes from ``start`` to before ``stop`` (the end), in order; between them whoever looks is asked.

    Parameters
    ----------
    network
        The graph.
    semantics
        What its operations do to the values.
    values
        Values of earlier nodes, by their index: ``{0: x}`` at the beginning. It is changed.
    start, stop
        A walk may be interrupted and continued: what it returns at one node is what it needs there.
    keep
        Keep the values of all nodes. Otherwise a value is dropped after its last use.

    Returns
    -------
    dict
        The values that are still needed at ``stop``; at the end that is the value of the last node.

    Examples
    --------
    How many operations lie between the input and the output:

    >>> import plica
    >>> class Depth:
    ...     def affine(self, index, op, xs):
    ...         return 1 + max(xs)
    ...     def fold(self, index, op, x, layer):
    ...         return 1 + x
    >>> walk(plica.random_network([2, 8, 8, 1], seed=0), Depth(), {0: 0})
    {5: 5}
    """
    uses, numbers = network.last_uses, network.layer_numbers
    for index in range(start, len(network.nodes) if stop is None else stop):
        look()
        node = network.nodes[index]
        op = node.op
        if isinstance(op, Fold):
            values[index] = semantics.fold(index, op, values[node.inputs[0]], numbers[index])
        else:
            assert isinstance(op, Affine)
            values[index] = semantics.affine(index, op, [values[i] for i in node.inputs])
        if not keep:
            for i in (index, *node.inputs):
                if uses[i] <= index:
                    values.pop(i, None)
    return values
