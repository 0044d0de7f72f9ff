"""Entries of a tensor that are one function on a domain: background pixels, and what convolutions make of them.

A maximum over equal entries would tie on every cell, and every tie would be left to exact arithmetic. Entries are numbered so
that equal numbers mean equal functions (the input's by its stored points, then operation by operation); a member of a maximum
that repeats an earlier one is replaced by it, and never wins. Number 0 is the function zero.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from plica._types import Array
from plica.geometry.domains import Domain
from plica.network import Affine, Fold, Network, once_per_network, walk
from plica.network.operations import numbered_rows


def without_equal_entries(network: Network, domain: Domain) -> Network:
    """The network with repeated members of its maxima named as such; its states are those of the original."""
    if not network.has_contests:
        return network
    semantics = _Numbers(network)
    walk(network, semantics, {0: numbered_rows(domain.chart.points.T).reshape(network.nodes[0].shape)})
    changed = semantics.changed
    if not changed:
        return network
    # the next line through the same background finds everything that is remembered about this network
    last = _last_change(network)
    if not _same(last.folds, changed):
        nodes = tuple(replace(node, op=changed.get(i, node.op)) for i, node in enumerate(network.nodes))
        last.folds, last.network = changed, Network(nodes, name=network.name)
    return last.network


class _Numbers:
    """A semantics: numbers of entries such that equal numbers mean equal functions; keeps the folds that change."""

    def __init__(self, network: Network) -> None:
        self._nodes = network.nodes
        self.changed: dict[int, Fold] = {}

    def affine(self, index: int, op: Affine, xs: list[Array]) -> Array:
        return op.equal_entries(xs, self._nodes[index].shape)

    def fold(self, index: int, op: Fold, x: Array, layer: int) -> Array:
        if (new := op.without_repeats(x)) is not op:
            self.changed[index] = new
        return op.equal_entries([x], self._nodes[index].shape)


def _same(a: dict[int, Fold], b: dict[int, Fold]) -> bool:
    """Whether the same nodes hold the same operations."""
    return a.keys() == b.keys() and all(
        all(np.array_equal(x, y) for x, y in zip(a[i].arrays().values(), b[i].arrays().values(), strict=True)) for i in a
    )


@dataclass(eq=False)
class _Change:
    """The folds that were changed last, by node, and the network with them."""

    folds: dict[int, Fold]
    network: Network


@once_per_network
def _last_change(network: Network) -> _Change:
    return _Change({}, network)
