"""Conjunctive normal forms of width w on few bits, all of them: sets of points as bits of integers."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np


def clauses(n: int, width: int) -> np.ndarray:
    """The sets of points that satisfy each clause of exactly ``width`` literals; bit i is the point with the digits of i."""
    points = list(product((0, 1), repeat=n))
    everything = (1 << len(points)) - 1
    found = []
    for chosen in combinations(range(n), width):
        for values in product((0, 1), repeat=width):
            false = sum(1 << i for i, p in enumerate(points) if all(p[v] == b for v, b in zip(chosen, values, strict=True)))
            found.append(everything & ~false)
    return np.array(found, dtype=np.uint64)


def closure(sets: np.ndarray, n: int, width: int) -> np.ndarray:
    """The smallest set of a normal form around each set: the points that satisfy every clause that it satisfies."""
    found = np.full(sets.shape, (1 << 2**n) - 1, dtype=np.uint64)
    for clause in clauses(n, width):
        found = np.where((sets & ~clause) == 0, found & clause, found)
    return found


def odd_points(n: int) -> list[int]:
    return [i for i in range(2**n) if i.bit_count() % 2]


def odd_sets(n: int, width: int) -> np.ndarray:
    """Every normal form that is true at odd points only, as a set of odd points, bit k the k-th of them."""
    odd = odd_points(n)
    numbers = np.arange(1 << len(odd), dtype=np.uint64)
    sets = np.zeros_like(numbers)
    for k, i in enumerate(odd):
        sets |= ((numbers >> np.uint64(k)) & np.uint64(1)) << np.uint64(i)
    parity = np.uint64(sum(1 << i for i in odd))
    # a set that is closed is its own normal form; one whose closure stays odd is contained in such a set
    return numbers[(closure(sets, n, width) & ~parity) == 0]


def fewest_sets(n: int, width: int) -> int:
    """How many of them are needed to cover all odd points: breadth first over unions of the largest ones."""
    found = odd_sets(n, width)
    largest: list[int] = []
    for s in found[np.argsort(-np.bitwise_count(found).astype(int), kind="stable")]:
        if not any(int(s) | k == k for k in largest):
            largest.append(int(s))
    covered, count, goal = np.zeros(1, dtype=np.uint64), 0, (1 << 2 ** (n - 1)) - 1
    while goal not in covered:
        covered = np.unique((covered[:, None] | np.array(largest, dtype=np.uint64)).ravel())
        count += 1
    return count


def functions(n: int, width: int) -> np.ndarray:
    """The truth tables, (functions, 2^n) of 0 and 1, of every normal form of that width."""
    sets = np.arange(1 << 2**n, dtype=np.uint64)
    forms = sets[closure(sets, n, width) == sets]
    return ((forms[:, None] >> np.arange(2**n, dtype=np.uint64)) & np.uint64(1)).astype(int)
