"""Errors of losses along lines: each term is needed by some numbers, and fractions are within what all of them allow."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from plica.exact import exactly
from plica.landscape import loss_line
from plica.landscape._carry import Carried, Carrier, Cell, Rows, _product_error, carry, gains_of
from plica.landscape._entropy_cell import EntropyCell, entropy_cell
from plica.landscape._extremes import largest
from plica.landscape._polynomial_cell import Changes, absolute_changes, polynomial_cell, squared_changes
from plica.landscape._rows import Outputs, _down, _exactly, _up
from plica.network import Conv, Linear, Network, Rectifier, random_network


def outputs(c: np.ndarray, error: float | np.ndarray, *, cuts: tuple[tuple[float, float], ...] = ()) -> Outputs:
    """One sample with rows between cuts (low, high), coefficients (degree + 1, rows, outputs)."""
    n = len(cuts) + 1
    low, high = np.array([0.0, *(x for x, _ in cuts), 1.0]), np.array([0.0, *(x for _, x in cuts), 1.0])
    rows = Rows(np.zeros(n, np.int64), low[:-1], high[:-1], low[1:], high[1:])
    return Outputs(rows, c, np.broadcast_to(np.asarray(error, dtype=float), c.shape[1:]).copy(), 0)


def squares(c: list[Fraction]) -> list[Fraction]:
    """The coefficients of the square of a polynomial in Bernstein form."""
    d = len(c) - 1
    out = [Fraction(0)] * (2 * d + 1)
    for i in range(d + 1):
        for j in range(d + 1):
            out[i + j] += Fraction(comb(d, i) * comb(d, j), comb(2 * d, i + j)) * c[i] * c[j]
    return out


def test_a_square_changes_by_twice_its_root_times_the_error_and_by_the_square_of_it() -> None:
    c = np.full((2, 1, 1), 5.0)
    found = squared_changes(outputs(c, 0.25), np.full((1, 1), 2.0), 0)
    assert 2 * 3 * 0.25 + 0.25**2 <= found.error < (2 * 3 * 0.25 + 0.25**2) * (1 + 1e-9)


@pytest.mark.parametrize("degree", [1, 3, 6])
def test_squares_are_within_their_rounding_of_fractions(degree: int) -> None:
    rng = np.random.default_rng(degree)
    for _ in range(40):
        c = rng.normal(size=(degree + 1, 1, 7)) * 10.0 ** rng.uniform(-3, 3)
        targets = rng.normal(size=(1, 7))
        found = squared_changes(outputs(c, 0.0), targets, 0)
        exact = [Fraction(0)] * (2 * degree + 1)
        for k in range(7):
            row = squares([Fraction(float(v)) - Fraction(float(targets[0, k])) for v in c[:, 0, k]])
            exact = [a + b / 7 for a, b in zip(exact, row, strict=True)]
        for value, true in zip(found.first, exact, strict=True):
            assert abs(Fraction(float(value)) - true) <= Fraction(found.error)


def test_a_constant_of_high_degree_is_squared_within_its_rounding() -> None:
    for value in np.random.default_rng(0).uniform(1, 2, size=60):  # its coefficients are sums of 25 products and more
        found = squared_changes(outputs(np.full((25, 1, 1), value), 0.0), np.zeros((1, 1)), 0)
        assert all(abs(Fraction(float(c)) - Fraction(value) ** 2) <= Fraction(found.error) for c in found.first)


def test_means_of_absolute_residuals_are_within_their_rounding_of_fractions() -> None:
    rng = np.random.default_rng(1)
    for _ in range(40):
        c = np.abs(rng.normal(size=(2, 1, 50))) * 10.0 ** rng.uniform(-6, 6, size=50)
        found = absolute_changes(outputs(c, 0.0), 0)
        for value, row in zip(found.first, c[:, 0], strict=True):
            true = sum(map(Fraction, row.tolist()), Fraction(0)) / 50
            assert abs(Fraction(float(value)) - true) <= Fraction(found.error)


def test_the_worst_row_of_a_sample_counts() -> None:
    c = np.zeros((2, 2, 1))
    found = absolute_changes(outputs(c, np.array([[0.0], [0.3]]), cuts=((0.5, 0.5),)), 0)
    assert found.error >= 0.3


def test_a_breakpoint_that_is_hardly_known_is_charged_where_it_may_be() -> None:
    # max(0, s - 0.42), whose breakpoint is known to lie between 0.4 and 0.42 and is taken at 0.4
    c = np.zeros((2, 2, 1))
    c[:, 1, 0] = [-0.42, 0.58]
    cell = polynomial_cell(Cell(0.0, 1.0), [absolute_changes(outputs(c, 0.0, cuts=((0.4, 0.42),)), 0)], 1, kind="absolute")
    for s in np.linspace(0.35, 0.47, 25):
        value, error = cell.value(float(s))
        assert abs(value - max(0.0, s - 0.42)) <= error < 0.1


def test_adding_many_changes_is_charged() -> None:
    rng = np.random.default_rng(2)
    parts, n = [], 400
    for k in range(3):
        added = rng.normal(size=(3, n)) * 10.0 ** rng.uniform(-8, 8, size=n)
        first = rng.normal(size=3) * 1e8
        size = float(np.abs(first).max() + np.abs(added).sum(axis=1).max())
        places = np.sort(rng.random(n))
        parts.append(Changes(first, places, places, np.full(n, k), added, 0.0, size, 0))
    cell = polynomial_cell(Cell(0.0, 1.0), parts, 3, kind="squared")
    for i in range(3):
        true = sum((Fraction(float(v)) for p in parts for v in (p.first[i], *p.added[i])), Fraction(0)) / 3
        assert abs(Fraction(float(cell.c[i, -1])) - true) <= Fraction(cell.error)


# -- cross-entropy -------------------------------------------------------------------------------------------------------------


def two_classes(c: list[float], error: float = 0.0) -> EntropyCell:
    """One sample whose first logit is a polynomial and whose second is zero; its label is 1."""
    logits = np.zeros((len(c), 1, 2))
    logits[:, 0, 0] = c
    return entropy_cell(Cell(0.0, 1.0), outputs(logits, error), np.array([1]), 1)


def slope(f: float, df: float) -> float:
    return df / (1 + np.exp(-f))


@pytest.mark.parametrize("steep", [0.1, 4.0, 40.0])
def test_slopes_of_a_loss_stay_in_their_range_where_classes_are_even(steep: float) -> None:
    # log(1 + exp(K (s - 1/2))): its second derivative at the middle is K^2 / 4, all that the bound allows
    cell = two_classes([-steep / 2, steep / 2])
    assert cell.curvature[0] == pytest.approx(steep**2 / 4, rel=1e-9)
    for width in (1e-3, 1e-2, 0.1):
        low, high = cell.slope_range(0.5 - width / 2, 0.5 + width / 2)
        ends = [slope(steep * (s - 0.5), steep) for s in (0.5 - width / 2, 0.5 + width / 2)]
        assert low <= min(ends) and max(ends) <= high


@pytest.mark.parametrize("bend", [1e-3, 0.05, 1.0])
def test_slopes_of_a_loss_follow_logits_that_bend(bend: float) -> None:
    cell = two_classes([0.0, 0.0, bend])  # bend s^2
    for a, b in ((0.0, 0.01), (0.0, 0.2), (0.3, 0.9)):
        low, high = cell.slope_range(a, b)
        for s in np.linspace(a, b, 9):
            assert low <= slope(bend * s * s, 2 * bend * s) <= high


def test_values_of_a_loss_are_twice_as_vague_as_logits() -> None:
    value, error = two_classes([0.3, 0.3], 0.1).value(0.5)
    for f, g in ((0.4, -0.1), (0.2, 0.1)):
        assert abs(np.log1p(np.exp(f - g)) - value) <= error
    assert error >= 0.2


def test_the_largest_loss_is_as_vague_as_its_values() -> None:
    for sign in (1, -1):
        found = largest([two_classes([-1.0, 1.0], 0.1)], sign=sign).value
        end = np.log1p(np.exp(sign))
        assert found.low <= end - 0.19 and found.high >= end + 0.19


def test_the_largest_loss_at_a_steep_end_is_as_vague_as_its_value() -> None:
    found = largest([two_classes([0.0, 20.0], 1e-3)]).value  # slopes are known to be positive near the end
    assert found.low <= np.log1p(np.exp(20 - 2e-3)) and np.log1p(np.exp(20 + 2e-3)) <= found.high


def test_exponentials_and_logarithms_of_any_library_are_charged() -> None:
    _, error = two_classes([0.0, 0.0]).value(0.5)  # logits are exact: four units for each of exp, log and what they are put in
    assert error >= 8 * 4 * 2.0**-53


@pytest.mark.parametrize("steep", [1.0, 8.0])
def test_the_barrier_of_a_loss_is_measured_from_its_chord(steep: float) -> None:
    cells = []
    for low, high in ((0.0, 0.25), (0.25, 1.0)):  # log(1 + exp(K t (1 - t))) in two cells
        p = [steep * low * (1 - low), 0.0, steep * high * (1 - high)]
        p[1] = p[0] + (high - low) / 2 * steep * (1 - 2 * low)
        logits = np.zeros((3, 1, 2))
        logits[:, 0, 0] = p
        cells.append(entropy_cell(Cell(low, high), outputs(logits, 0.0), np.array([1]), 1))
    ends = (0.5, 1.5)
    t = np.linspace(0, 1, 200_001)
    truth = (np.log1p(np.exp(steep * t * (1 - t))) - (1 - t) * ends[0] - t * ends[1]).max()
    found = largest(cells, chord=(*ends, 0.0)).value
    assert found.low <= truth + 1e-9 and truth - 1e-9 <= found.high and found.high - found.low < 1e-6


def test_floats_around_fractions() -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        x = Fraction(int(rng.integers(1, 2**62)), int(rng.integers(1, 2**62)))
        assert Fraction(_down(x)) <= x <= Fraction(_up(x)) and _up(x) <= np.nextafter(_down(x), np.inf)


# -- tensors along the line ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [5, 24, 70])
@pytest.mark.parametrize("scales", [(1.0, 1.0), (1e-6, 1e6), (1e6, 1e-6)])
def test_tensors_along_a_line_are_within_their_errors_of_fractions(width: int, scales: tuple[float, float]) -> None:
    rng = np.random.default_rng(width)
    ends = []
    for scale in scales:
        W1, b1 = rng.normal(size=(width, width)) * scale, rng.normal(size=width)
        W2, b2 = rng.normal(size=(2, width)) * scale, rng.normal(size=2)
        ends.append((W1, b1, W2, b2))
    nets = [Network.sequential(width, [Linear(W1, b1), Linear(W2, b2)]) for W1, b1, W2, b2 in ends]
    x, cell = rng.normal(size=(1, width)), Cell(0.25, 0.625)
    _, found = carry(*nets, x, cell, gains_of(*nets))
    low, span = Fraction(cell.low), Fraction(cell.high) - Fraction(cell.low)

    def exact_at(t: Fraction) -> list[Fraction]:
        W1, b1, W2, b2 = ((1 - t) * exactly(p) + t * exactly(q) for p, q in zip(*ends, strict=True))
        return list(W2 @ (W1 @ exactly(x[0]) + b1) + b2)

    start, middle, stop = (exact_at(low + span * part) for part in (Fraction(0), Fraction(1, 2), Fraction(1)))
    for k in range(2):
        c = [start[k], 2 * middle[k] - (start[k] + stop[k]) / 2, stop[k]]  # of degree two, by three values
        for value, true in zip(found.c[:, 0, k], c, strict=True):
            assert abs(Fraction(float(value)) - true) <= Fraction(float(found.error[0, k]))


def on_cell(*weights: np.ndarray, offsets: tuple[list[float], ...] = (), x: list[float], cell: Cell) -> Carried:
    """One layer at both ends of a line, for one sample."""
    biases = [np.array(b) for b in offsets] or [None, None]
    nets = [Network.sequential(len(x), [Linear(W, b)]) for W, b in zip(weights, biases, strict=True)]
    return carry(*nets, np.array([x]), cell, gains_of(*nets))[1]


def test_every_addition_of_a_product_is_charged() -> None:
    found = on_cell(np.ones((1, 15)), np.ones((1, 15)), x=[1.0] * 15, cell=Cell(0.0, 1.0))
    assert found.error[0, 0] >= 14 * 2.0**-53 * 15  # 14 additions, in any order, of partial sums that reach 15


def test_offsets_that_move_are_rounded() -> None:
    W, cell, rng = np.zeros((1, 1)), Cell(0.25, 0.625), np.random.default_rng(5)
    for b0, b1 in rng.normal(size=(20, 2)):
        found = on_cell(W, W, offsets=([b0], [b1]), x=[1.0], cell=cell)
        for value, t in zip(found.c[:, 0, 0], map(Fraction, cell), strict=True):
            true = (1 - t) * Fraction(b0) + t * Fraction(b1)
            assert abs(Fraction(float(value)) - true) <= Fraction(float(found.error[0, 0]))


def test_gains_bound_the_norms_of_both_ends() -> None:
    W = np.random.default_rng(6).normal(size=(20, 20))
    nets = [Network.sequential(20, [Linear(W * scale)]) for scale in (1.0, 1e3)]
    for pair in (nets, nets[::-1]):
        gains = [g for g in gains_of(*pair) if g is not None]
        assert gains and min(gains) >= 1e3 * np.linalg.norm(W, 2)


def test_errors_that_pass_a_convolution_grow_by_the_larger_end() -> None:
    kernel = np.random.default_rng(7).normal(size=(1, 2, 3, 3))
    ops = [Conv(kernel * scale, None, (1, 1), ((0, 0), (0, 0)), (1, 1)) for scale in (1.0, 1e3)]
    error, size = np.full((1, 2, 3, 3), 0.5), np.ones((1, 2, 3, 3))
    worst = 1e3 * 0.5 * np.abs(kernel).sum()  # errors whose signs are those of the kernel
    for a, b in (ops, ops[::-1]):
        assert (_product_error(a, b, [error], [size]) >= worst).all()


def test_coefficients_from_fractions_are_rounded() -> None:
    rng, cell = np.random.default_rng(8), Cell(0.25, 0.625)
    for _ in range(20):
        w0, w1, x = rng.normal(size=3)
        nets = [Network.sequential(1, [Linear(np.array([[w]]))]) for w in (w0, w1)]
        found = _exactly(*nets, np.array([x]), cell, 0, None)
        for value, t in zip(found.c[:, 0, 0], map(Fraction, cell), strict=True):
            true = ((1 - t) * Fraction(w0) + t * Fraction(w1)) * Fraction(x)
            assert abs(Fraction(float(value)) - true) <= Fraction(float(found.error[0, 0]))


def test_combinations_carry_the_errors_of_both() -> None:
    nets = [random_network([2, 3, 1], seed=s) for s in (0, 1)]
    rows = Rows(np.zeros(1, np.int64), np.zeros(1), np.zeros(1), np.ones(1), np.ones(1))
    carrier = Carrier(nets[1], Cell(0.0, 1.0), rows, gains_of(*nets))
    a, b = (Carried(np.ones((2, 1, 3)), np.full((1, 3), e), 0) for e in (0.25, 0.5))
    for factor in (1.0, -1.0, 3.0):
        found = carrier.combined(a, b, factor)
        assert (found.error >= 0.25 + abs(factor) * 0.5).all() and (found.error < 0.26 + abs(factor) * 0.5).all()
    assert (carrier.moved(a, 7.0).error >= 0.25).all()


def test_a_derivative_from_the_left_is_that_of_the_part_before() -> None:
    # max(0, t - r) squared and more: a fold exactly between two cells
    ends = [Network.sequential(1, [Linear(np.array([[w]])), Rectifier(), Linear(np.ones((1, 1)))]) for w in (-1.0, 1.0)]
    line = loss_line(*ends, np.ones((1, 1)), np.full((1, 1), -1.0), n_cells=4)  # (max(0, 2 t - 1) + 1)^2
    for cell in line.cells[1:]:
        t = cell.cell.low
        left, right = line.derivatives(t)
        expected = 4 * (max(0.0, 2 * t - 1) + 1) * (t > 0.5)
        assert left == pytest.approx(expected, abs=1e-9) and right == pytest.approx(expected, abs=1e-9)
    left, right = line.derivatives(0.5)
    assert left == pytest.approx(0.0, abs=1e-9) and right == pytest.approx(4.0, abs=1e-9)
    missed = line.grid_miss(5)
    assert missed.grid == (1.0, pytest.approx(4.0)) and missed.missed == pytest.approx(0.0, abs=1e-9)
