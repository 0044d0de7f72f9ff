"""Rows that floating point has without error."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plica.geometry import Box, Segment, decompose
from plica.geometry.values._dyadic_rows import (
    ANY,
    DyadicRows,
    after_affine,
    coarse_scale,
    crossing_orders,
    scale_of,
    start_dyadic_rows,
)
from plica.network import Linear, Network, Rectifier


def sawtooth(depth: int) -> Network:
    ops: list = []
    for _ in range(depth):
        ops += [Linear(np.array([[2.0], [4.0]]), np.array([0.0, -2.0])), Rectifier(), Linear(np.array([[1.0, -1.0]]))]
    return Network.sequential(1, ops)


@given(st.lists(st.integers(-(2**40), 2**40), min_size=1), st.integers(-300, 300))
def test_the_unit_divides_every_entry_and_is_the_largest(integers, exponent):
    values = np.ldexp(np.array(integers, float), exponent)
    unit = scale_of(values)
    if not values.any():
        assert unit == ANY
        return
    multiples = [Fraction(float(v)) / Fraction(unit) for v in values]
    assert all(m.denominator == 1 for m in multiples)
    assert any(m % 2 for m in multiples)


@given(st.integers(-(2**50), 2**50), st.integers(-(2**50), 2**50))
def test_a_shift_is_the_power_of_two_below_the_parameter(a, b):
    shift = int(
        crossing_orders(np.array([[float(a)], [float(b)]]), 1.0, np.ones(2, bool), *(np.array([i]) for i in (0, 1, 0)))[0]
    )
    t = Fraction(a, a - b) if a != b else None
    below = None if t is None or a == 0 else t.denominator
    assert shift == (below.bit_length() - 1 if below is not None and below & (below - 1) == 0 else -1)


def test_full_mantissas_end_it():
    assert coarse_scale(np.array([0.1, 0.3, 1e9]))[0] == 0.0
    values = np.array([[0.1], [0.7]])
    op = Linear(np.array([[0.3]]))
    dyadic = start_dyadic_rows(values, np.zeros(2))
    assert after_affine(op, [dyadic], [values], coarse_scale(op.weight), coarse_scale(None)) is None
    small = np.array([[1.0], [3.0]])
    kept = after_affine(op, [start_dyadic_rows(small, np.zeros(2))], [small], coarse_scale(op.weight), coarse_scale(None))
    assert kept is None  # 0.3 has 53 bits: three times it is rounded


def test_an_error_in_one_row_leaves_the_other():
    dyadic = start_dyadic_rows(np.array([[1.0], [0.1]]), np.array([0.0, 1e-17]))
    assert isinstance(dyadic, DyadicRows) and dyadic.scale == 1.0 and dyadic.rows.tolist() == [True, False]


@pytest.mark.parametrize("depth", [6, 14])
def test_a_sawtooth_needs_no_integers(depth):
    cx = decompose(sawtooth(depth), Segment([0.0], [1.0]))
    assert (cx.n_cells, cx.n_regions, cx.exact_fallbacks) == (2**depth, 2**depth, 0)
    assert np.array_equal(cx.vertices[:, 0], np.arange(2**depth + 1) / 2**depth)
    assert np.array_equal(cx.outputs[:, 0], np.arange(2**depth + 1) % 2)


def test_thirds_are_left_to_the_bounds():
    """The third of a piece is no sum of powers of two: its row is not dyadic, and the count is right."""
    net = Network.sequential(1, [Linear(np.array([[3.0], [3.0]]), np.array([-1.0, -2.0])), Rectifier(), Linear(np.ones((1, 2)))])
    cx = decompose(net, Segment([0.0], [1.0]))
    assert cx.n_cells == 3 and cx.exact_vertex(1) == (Fraction(1, 3),)


def test_vertices_of_a_plane_with_few_bits_are_found_to_the_last_bit():
    rng = np.random.default_rng(3)
    ops: list = []
    widths = [2, 6, 6, 1]
    for a, b in pairwise(widths):
        ops += [Linear(rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0], (b, a)), rng.choice([-0.5, 0.0, 0.25], b)), Rectifier()]
    net = Network.sequential(2, ops[:-1])
    cx = decompose(net, Box([-1, -1], [1, 1]))
    exact = [cx.exact_vertex(i) for i in range(cx.n_vertices)]
    dyadic = [all(c.denominator & (c.denominator - 1) == 0 for c in x) for x in exact]
    assert sum(dyadic) > len(dyadic) / 4
    found = [tuple(Fraction(float(c)) for c in v) for v in cx.vertices]
    hit = sum(x == y for x, y, few in zip(exact, found, dyadic, strict=True) if few)
    assert hit > 0.9 * sum(dyadic)  # the rest was reached through a vertex that is not one
