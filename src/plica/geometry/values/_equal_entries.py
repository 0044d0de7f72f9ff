"""Entries of a tensor that are one function on a domain: background pixels, and what convolutions make of them.

A maximum over equal entries would tie on every cell, and every tie would be left to exact arithmetic. Entries are numbered so
that equal numbers mean equal functions (the input's by its stored points, then operation by operation); a member of a maximum
that repeats an earlier one is replaced by it, and never wins. Number 0 is the function zero.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from plica._types import Array
from plica.geometry.domains import Domain
from plica.network import (
    Add,
    Clip,
    Conv,
    Gather,
    Max,
    Network,
    Pad,
    Permute,
    Rectifier,
    Reshape,
    Scale,
    WindowSum,
    once_per_network,
)

MOST_ENTRIES = 20_000_000  # of the table of patches that a convolution sees


def without_equal_entries(network: Network, domain: Domain) -> Network:
    """The network with repeated members of its maxima named as such; its states are those of the original."""
    if not any(isinstance(node.op, Max) for node in network.nodes):
        return network
    numbers: dict[int, Array] = {0: _rows(domain.chart.points.T).reshape(network.nodes[0].shape)}
    changed: dict[int, Array] = {}
    for index, node in enumerate(network.nodes):
        if index == 0:
            continue
        inputs = [numbers[i] for i in node.inputs]
        if isinstance(node.op, Max):
            groups = _first_of_each(node.op.groups, inputs[0].reshape(-1))
            if groups is not None:
                changed[index] = groups
        numbers[index] = _numbers_after(node, inputs).reshape(node.shape)
    if not changed:
        return network
    # the next line through the same background finds everything that is remembered about this network
    last = _last_change(network)
    if last.groups.keys() != changed.keys() or any((last.groups[i] != g).any() for i, g in changed.items()):
        nodes = tuple(replace(node, op=Max(changed[i])) if i in changed else node for i, node in enumerate(network.nodes))
        last.groups, last.network = changed, Network(nodes, name=network.name)
    return last.network


@dataclass(eq=False)
class _Change:
    """The groups of maxima that were changed last, by node, and the network with them."""

    groups: dict[int, Array]
    network: Network


@once_per_network
def _last_change(network: Network) -> _Change:
    return _Change({}, network)


def _rows(table: Array) -> Array:
    """Numbers for the rows of a table: equal rows, equal numbers; 0 for rows of zeros."""
    table = np.ascontiguousarray(table + 0.0 if table.dtype.kind == "f" else table)  # no negative zeros
    if not table.shape[1]:
        return np.zeros(len(table), np.int64)
    _, number = np.unique(table.view(np.dtype((np.void, table.dtype.itemsize * table.shape[1])))[:, 0], return_inverse=True)
    number = number.reshape(-1).astype(np.int64) + 1
    number[~table.any(axis=1)] = 0
    return number


def _nonzero(number: Array) -> Array:
    """The same numbers for functions that are not zero any more."""
    return number + 1


def _all_different(size: int) -> Array:
    return np.arange(1, size + 1)


def _numbers_after(node: Any, inputs: list[Array]) -> Array:
    op, x = node.op, inputs[0] if inputs else np.zeros(0)
    if isinstance(op, (Reshape, Permute, Pad, Gather)):
        return np.asarray(op.linear([x[None]], None)[0])
    if isinstance(op, Rectifier):
        slope = np.broadcast_to(op.slope, x.shape).reshape(-1)
        return x if not np.ptp(slope) else _rows(np.stack([x.reshape(-1), slope * (x.reshape(-1) != 0)], axis=1).astype(float))
    if isinstance(op, Clip):
        return x if op.low <= 0.0 <= op.high else _nonzero(x)
    if isinstance(op, Scale):
        factor = np.broadcast_to(op.factor, x.shape).reshape(-1)
        shift = np.zeros(x.size) if op.shift is None else np.broadcast_to(op.shift, x.shape).reshape(-1)
        return _rows(np.stack([x.reshape(-1), factor * (x.reshape(-1) != 0), shift], axis=1))
    if isinstance(op, WindowSum):
        along = np.moveaxis(x, op.axis, -1)
        width = max(b - a for a, b in zip(op.starts, op.stops, strict=True))
        table = np.zeros((*along.shape[:-1], len(op.starts), width), np.int64)
        for i, (a, b) in enumerate(zip(op.starts, op.stops, strict=True)):
            table[..., i, : b - a] = along[..., a:b]
        return np.moveaxis(_rows(table.reshape(-1, width)).reshape(table.shape[:-1]), -1, op.axis)
    if isinstance(op, Add):
        return _rows(np.stack([i.reshape(-1) for i in inputs], axis=1))
    if isinstance(op, Max):
        return _rows(np.where(op.groups < 0, -1, x.reshape(-1)[op.groups]).reshape(-1, op.groups.shape[-1]))
    if isinstance(op, Conv) and node.size // len(op.weight) * op.n_terms() * op.groups <= MOST_ENTRIES:
        n_positions, per_group = prod(node.shape[1:]), len(op.weight) // op.groups
        seen = op.windows(x[None]).reshape(op.groups, -1, n_positions)
        patch = np.stack([_rows(seen[g].T) for g in range(op.groups)])  # (groups, positions)
        channel = np.arange(len(op.weight))[:, None] * (n_positions + 1)
        return channel + np.repeat(patch, per_group, axis=0) + 1
    return _all_different(node.size)


def _first_of_each(groups: Array, number: Array) -> Array | None:
    """Groups whose members repeat the first entry with the same number; None if all members differ."""
    flat = groups.reshape(-1, groups.shape[-1]).copy()
    ids = np.where(flat < 0, -1, number[flat])
    for j in range(1, flat.shape[1]):
        for i in range(j - 1, -1, -1):
            same = (ids[:, i] == ids[:, j]) & (flat[:, j] >= 0)
            flat[same, j] = flat[same, i]
    return None if (flat.reshape(groups.shape) == groups).all() else flat.reshape(groups.shape)


def never_wins(groups: Array, j: int) -> Array:
    """Where member j of a group is absent or repeats an earlier one."""
    member = groups[:, j]
    return np.asarray((member < 0) | (groups[:, :j] == member[:, None]).any(axis=1))
