"""Bits and walks stored in weights: every bit comes back, sizes are those of the proof, bad tables are refused."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from plica.construct import stored_bits, stored_surface, stored_walk
from plica.errors import InvalidInput


@pytest.mark.parametrize(("m", "n"), [(1, 1), (1, 6), (7, 1), (5, 3), (3, 17), (6, 48)])
def test_every_bit_comes_back_and_the_sizes_are_those_of_the_proof(m: int, n: int) -> None:
    bits = np.random.default_rng(m + n).integers(0, 2, size=(m, n))
    bits[:, 0] = np.arange(1, m + 1) % 2  # neighbors differ, so no weight between blocks vanishes
    built = stored_bits(bits.tolist())
    assert built(np.arange(float(m * n))[:, None])[:, 0].tolist() == bits.ravel().tolist()
    assert m == 1 or n == 1 or built.depth == 3 * n + 3
    assert m == 1 or built.n_weights == 6 * (m - 1) + 14 * n + 3
    assert built.n_units <= 2 * (m - 1) + 5 * n + 4


@pytest.mark.parametrize("bits", [1, 2, 5, 10])
def test_a_walk_is_itself_between_jumps(bits: int) -> None:
    heights = np.concatenate([[3], 3 + np.cumsum(np.random.default_rng(bits).choice([-1, 1], size=20))])
    built = stored_walk(heights.tolist(), bits=bits, jump=Fraction(1, 8))
    x = np.array([k / 4 for k in range(81)])
    inside = x[(-x) % bits >= 1 / 8]
    np.testing.assert_array_equal(built(inside[:, None])[:, 0], np.interp(inside, np.arange(21), heights))


@pytest.mark.parametrize(("K", "bits"), [(2, 1), (3, 2), (4, 4), (5, 7), (9, 48)])
def test_a_surface_has_one_height_on_every_square(K: int, bits: int) -> None:
    """Blocks that do not divide the number of squares, too; forth and back differ in rows of odd and of even length."""
    steps = np.random.default_rng(K).choice([-1, 1], size=K * K)
    table = np.cumsum(steps).reshape(K, K)
    table[1::2] = table[1::2, ::-1].copy()
    built = stored_surface(table.tolist(), bits=bits, jump=Fraction(1, 8))
    squares = np.stack(np.meshgrid(np.arange(K), np.arange(K), indexing="ij"), -1).reshape(-1, 2)
    for inside in ((0.0, 0.0), (0.5, 0.25), (0.875, 0.0), (0.0, 0.875)):
        np.testing.assert_array_equal(built(squares + np.array(inside))[:, 0], table.ravel())


@pytest.mark.parametrize(("d", "K", "bits"), [(3, 2, 3), (3, 3, 5), (3, 4, 8), (4, 2, 4), (4, 3, 9), (5, 2, 6)])
def test_a_surface_over_cubes_of_any_dimension(d: int, K: int, bits: int) -> None:
    """The way is built here by another rule: a step changes one index by one, and each index turns where it cannot go on."""
    place, directions, way = [0] * d, [1] * d, [(0,) * d]
    for _ in range(K**d - 1):
        axis = next(j for j in range(d - 1, -1, -1) if 0 <= place[j] + directions[j] < K)
        place[axis] += directions[axis]
        for later in range(axis + 1, d):
            directions[later] = -directions[later]
        way.append(tuple(place))
    table = np.zeros((K,) * d, dtype=int)
    for cube, height in zip(way, np.cumsum(np.random.default_rng(d).choice([-1, 1], size=K**d)), strict=True):
        table[cube] = height
    built = stored_surface(table, bits=bits, jump=Fraction(1, 8))
    cubes = np.stack(np.meshgrid(*[np.arange(K)] * d, indexing="ij"), -1).reshape(-1, d)
    for inside in (np.zeros(d), np.full(d, 0.5), np.full(d, 0.875), 0.875 * np.eye(d)[0], 0.875 * np.eye(d)[-1]):
        np.testing.assert_array_equal(built(cubes + inside)[:, 0], table.ravel())


@pytest.mark.parametrize("call", [
    lambda: stored_surface([0, 1], bits=1),
    lambda: stored_surface([[[0, 1], [1, 2]]], bits=1),
    lambda: stored_surface([[0.5, 1.5], [1.5, 2.5]], bits=1),
    lambda: stored_surface([["a", "b"], ["c", "d"]], bits=1),
    lambda: stored_bits([]),
    lambda: stored_bits([[]]),
    lambda: stored_bits([[0, 1], [1]]),
    lambda: stored_bits([[0, 2]]),
    lambda: stored_bits([[0] * 49]),
    lambda: stored_walk([0], bits=1),
    lambda: stored_walk([0, 1, 2], bits=3),
    lambda: stored_walk([0, 2], bits=1),
    lambda: stored_walk([0, 1], bits=0),
    lambda: stored_walk([0, 1], bits=1, jump=Fraction(1)),
    lambda: stored_surface([[0]], bits=1),
    lambda: stored_surface([[0, 1], [1]], bits=1),
    lambda: stored_surface([[0, 1], [1, 1]], bits=2),
    lambda: stored_surface([[0, 1], [1, 2]], bits=2, jump=Fraction(0)),
])  # fmt: skip
def test_what_is_no_table_and_no_walk_is_refused(call) -> None:
    with pytest.raises(InvalidInput):
        call()


@pytest.mark.parametrize("n", [2, 4, 8])
def test_a_walk_is_no_deeper_than_three_layers_a_bit_and_three(n: int) -> None:
    built = stored_walk([k % 2 for k in range(2 * n + 1)], bits=n)
    assert built.depth <= built.theorem["depth"] == 3 * n + 3
