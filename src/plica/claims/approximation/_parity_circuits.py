"""Circuits of AND and OR for parity, of any depth: parities of k bits on top of each other, neighbors of one kind merged."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np

from plica._types import Array


class Gate(NamedTuple):
    """Its kind, and the numbers of what it reads in the layer below; of literals 2 i is the bit i, 2 i + 1 its opposite."""

    is_and: bool
    reads: tuple[int, ...]


def circuit(fan: int, depth: int) -> list[list[Gate]]:
    """Layers of a circuit for the parity of fan^(depth - 1) bits, the last one a single gate.

    A signal that is the parity of a block comes with its opposite. A layer of terms (AND) of one level lies below the clauses
    (OR) of the next, into which the ORs that would end the level are taken; then the kinds change roles.
    """
    # what stands for "block j has parity b" in the layer below: gates that are joined by the kind of that layer's reader
    layers: list[list[Gate]] = []
    n_blocks = fan ** (depth - 1)
    stands: dict[tuple[int, int], tuple[int, ...]] = {(j, b): (2 * j + 1 - b,) for j in range(n_blocks) for b in (0, 1)}
    is_and = True
    for level in range(depth - 1):
        n_blocks //= fan
        gates: list[Gate] = []
        above: dict[tuple[int, int], tuple[int, ...]] = {}
        for j in range(n_blocks):
            # AND: terms of the points with parity b, one of which must be true; OR: clauses against those of the other parity
            for choice in product((0, 1), repeat=fan):
                parity = sum(choice) % 2
                wanted = choice if is_and else tuple(1 - c for c in choice)
                if level == depth - 2 and parity != (1 if is_and else 0):
                    continue
                key = (j, parity if is_and else 1 - parity)
                above[key] = (*above.get(key, ()), len(gates))
                gates.append(Gate(is_and, tuple(i for k, c in enumerate(wanted) for i in stands[j * fan + k, c])))
        layers.append(gates)
        stands, is_and = above, not is_and
    layers.append([Gate(is_and, stands[0, 1])])
    return layers


def outputs(layers: list[list[Gate]], n: int) -> Array:
    """The value of the last gate at every input; bit i of the number of an input is the variable i."""
    bits = (np.arange(2**n)[None] >> np.arange(n)[:, None]) & 1 == 1
    signals = np.stack([bits, ~bits], axis=1).reshape(2 * n, -1)
    for layer in layers:
        signals = np.array([(np.all if g.is_and else np.any)(signals[list(g.reads)], axis=0) for g in layer])
    return np.asarray(signals[0])
