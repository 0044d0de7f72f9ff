"""Bounds of tensors, crossings and tiles where one of their terms is all there is: against fractions, or the worst direction."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from plica.geometry import Box
from plica.geometry.domains._tile import Tile
from plica.geometry.signs._crossings import ordered_crossings, settled_order
from plica.geometry.tiles._narrowing import _Narrowing
from plica.geometry.tiles._program import CutStep
from plica.geometry.tiles._restriction import Reduced, _Restrict, restricted
from plica.geometry.values._pairs import Pairs, pair_affine, scaled
from plica.geometry.values._tensors import Tensor, affine_constants, apply_affine
from plica.network import Linear, Network, Rectifier

exact = np.vectorize(lambda x: Fraction(float(x)), otypes=[object])


def dense(weight: Any, bias: Any = None) -> Network:
    return Network.sequential(np.shape(weight)[1], [Linear(np.asarray(weight), bias), Rectifier()])


def missed(network: Network, x: Any) -> tuple[Any, Tensor]:
    """How far each entry of the first layer is from the truth at a row of doubles, and what is said of it."""
    op: Any = network.nodes[1].op
    y = apply_affine(network, 1, [Tensor(x[None], np.zeros(1))])
    true = exact(op.weight) @ exact(x) + (0 if op.bias is None else exact(op.bias))
    return np.abs((exact(y.values[0]) - true).astype(float)), y


CASES = {
    # sums of one number, which round in the same direction again and again
    "many terms": (np.full((2, 50_000), 0.1), None, np.full(50_000, 0.1)),
    "large weights": (1e9 * np.array([[1 / 3, 1 / 7, -1 / 9], [0.1, 0.3, 0.7]]), None, np.array([0.1, 0.2, 0.3])),
    "large offset": (1e-9 * np.array([[1 / 3, 1 / 7], [0.1, 0.3]]), np.array([1e9 / 3, 1e9 / 7]), np.array([0.1, 0.2])),
    # an offset that rounds away what is added to it, in one row of two
    "one offset": (np.array([[1 / 3, 1 / 7], [0.1, 0.3]]), np.array([0.0, 1e12 / 7]), np.array([0.1, 0.2])),
}


@pytest.mark.parametrize("case", CASES)
def test_what_an_affine_layer_rounds_is_in_both_of_its_bounds(case: str) -> None:
    weight, bias, x = CASES[case]
    off, y = missed(dense(weight, bias), x)
    rows = y.bound()
    assert np.linalg.norm(off) <= y.error[0]
    assert (off <= rows.scale * rows.error[0] + rows.floor).all()
    assert off.max() > 0.0
    if case == "many terms":
        assert off.max() > 30 * 2.0**-53 * float(weight[0] @ x)  # far more than a rounding or two


def test_an_error_that_is_there_grows_by_the_norm_and_by_the_rows() -> None:
    weight = np.array([[3.0, 4.0], [0.5, 0.0]])
    network = dense(weight)
    _, (size, *_), right = np.linalg.svd(weight)
    y = apply_affine(network, 1, [Tensor(np.ones((1, 2)), np.array([0.25]))])
    assert size * 0.25 <= y.error[0] < 1.05 * size * 0.25
    assert np.isclose(np.linalg.norm(weight @ right[0]), size)
    rows = y.bound()
    assert (np.linalg.norm(weight, axis=1) * 0.25 <= rows.scale * rows.error[0] + rows.floor).all()
    assert affine_constants(network, 1).gain < 1.05 * size


def test_what_is_left_of_weights_rounds_with_numbers_of_few_bits() -> None:
    """Numbers of few bits have no second slice; what is left of the weights is summed up in doubles all the same."""
    rng, n = np.random.default_rng(0), 4096
    network = dense(rng.normal(size=(2, n)) * np.exp(3 * rng.normal(size=(2, n))))
    x = rng.integers(1, 2**18, size=(1, 1, n)).astype(float)
    y = pair_affine(network, 1, [Pairs(x, np.zeros_like(x), np.zeros((1, 1)))])
    op: Any = network.nodes[1].op
    off = exact(y.high[0, 0]) + exact(y.low[0, 0]) - exact(op.weight) @ exact(x[0, 0])
    assert 0 < float(sum(d * d for d in off)) ** 0.5 <= y.error[0, 0] < 1e-13 * float(np.abs(y.high).max())


def test_low_parts_round_where_slices_take_them_in() -> None:
    """One term, so that little else is in the bound: the rest of a number and its low part are one double."""
    network = dense(np.array([[1.0]]))
    worst = 0.0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        high = rng.uniform(0.5, 1.0, (1, 1, 1))
        low = high * 2.0**-54 * rng.uniform(-1, 1, (1, 1, 1))
        y = pair_affine(network, 1, [Pairs(high, low, np.zeros((1, 1)))])
        true = Fraction(high.item()) + Fraction(low.item())
        off = abs(Fraction(y.high.item()) + Fraction(y.low.item()) - true)
        assert off <= Fraction(y.error.item())
        worst = max(worst, float(off))
    assert worst > 0.0


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_zeros_in_order_stay_in_order_whatever_the_errors_are(sign: float) -> None:
    """Two zeros a tenth apart: the order is claimed as long as no functions within the errors cross in another one."""
    values = np.array([[-0.4, -0.5], [0.6, 0.5]])
    if sign > 0:
        values = -values
    for error in (0.02, 0.049):
        found = ordered_crossings(values, np.full((2, 2), error))
        assert found is not None and found[0].tolist() == [0, 1]
        order, t, t_error = found
        moved = values + np.sign(values) * error * np.array([[1.0], [-1.0]])  # both ends push zeros in one direction
        true = (moved[0] / (moved[0] - moved[1]))[order]
        assert (np.abs(true - t) <= t_error).all()
        assert np.allclose(np.abs(true - t), error)
    assert ordered_crossings(values, np.full((2, 2), 0.051)) is None
    # one of the two is known well: the other alone decides
    assert ordered_crossings(values, np.array([[0.09, 1e-9], [0.09, 1e-9]])) is not None
    for wide in ([0.11, 1e-9], [1e-9, 0.11]):
        assert ordered_crossings(values, np.array([wide, wide])) is None


def test_places_are_asked_for_wherever_two_points_may_change_places() -> None:
    true = [Fraction(1, 2), Fraction(1, 2) - Fraction(1, 100)]
    for widths in ([0.0101, 0.0], [0.0, 0.0101], [0.006, 0.006]):
        asked: list[int] = []

        def place(i: int, asked: list[int] = asked) -> Fraction:
            asked.append(i)
            return true[i]

        order, rank, t, _ = settled_order(np.array([0.48, 0.49]), np.array(widths), place)
        assert sorted(asked) == [0, 1]
        assert (order.tolist(), rank.tolist(), t.tolist()) == ([1, 0], [0, 1], [0.49, 0.5])
    # a wide one far ahead reaches over a narrow one
    places = [Fraction(3, 10), Fraction(1, 10), Fraction(2, 10)]
    order, rank, _, _ = settled_order(np.array([0.05, 0.1, 0.2]), np.array([0.3, 0.0, 0.0]), places.__getitem__)
    assert (order.tolist(), rank.tolist()) == ([1, 2, 0], [0, 1, 2])


def reduced(columns: Any, error: Any) -> Reduced:
    size = columns.shape[1]
    return Reduced(columns, error, np.ones(size, np.bool_), np.zeros(size, np.int64))


def test_functions_on_a_tile_carry_the_errors_of_each_variable_through_a_layer() -> None:
    weight = np.array([[3.0, 4.0], [0.5, 0.0]])
    network, tile = dense(weight, np.array([0.1, 0.2])), Tile.of(Box([-1, -1], [1, 1]))
    semantics = _Restrict(network, tile, None, False)
    op: Any = network.nodes[1].op
    given = np.array([0.1, 0.0, 0.3])
    made = semantics.affine(1, op, [reduced(np.ones((3, 2)), given)])
    size = np.linalg.norm(weight, 2)
    assert (made.error >= size * given).all() and (made.error <= 1.05 * size * given + 1e-13).all()


@pytest.mark.parametrize("case", ["many terms", "large weights"])
def test_functions_on_a_tile_have_the_error_of_what_rounds(case: str) -> None:
    weight, _, x = CASES[case]
    network, tile = dense(weight), Tile.of(Box([-1] * 2, [1] * 2))
    op: Any = network.nodes[1].op
    columns = np.stack([x, 0.5 * x, -x])
    made = _Restrict(network, tile, None, False).affine(1, op, [reduced(columns, np.zeros(3))])
    off = exact(made.columns) - exact(columns) @ exact(weight).T
    distances = np.array([float(sum(d * d for d in row)) ** 0.5 for row in off])
    assert (distances <= made.error).all() and (distances > 0.0).all()


def test_a_neuron_of_a_tile_is_open_where_errors_leave_its_sign_open() -> None:
    """The first layer is right; of the second one pre-activation is zero up to the error that its inputs are given."""
    network, tile = dense(np.eye(2)), Tile.of(Box([-1, -1], [1, 1]))
    op: Any = network.nodes[2].op
    for error, n_open in ((0.0, 0), (0.2, 1)):
        semantics = _Restrict(network, tile, None, False)
        columns = np.array([[0.3, 0.3], [0.3, 0.3], [0.7, -0.7]])  # +- 0.6 around +- 0.7
        semantics.fold(2, op, reduced(columns, np.array([0.0, 0.0, error])), 0)
        (step,) = semantics.program.steps
        assert isinstance(step, CutStep) and len(step.neurons) == 2 * n_open


def test_what_factors_round_in_pairs_is_in_the_bound() -> None:
    rng = np.random.default_rng(3)
    high = rng.normal(size=(1, 2, 40))
    x = Pairs(high, high * 2.0**-54 * rng.uniform(-1, 1, high.shape), np.zeros((1, 2)))
    factor, constant = rng.normal(size=40), rng.normal(size=40)
    y = scaled(x, factor, constant)
    for k in range(2):
        true = (exact(x.high[0, k]) + exact(x.low[0, k])) * exact(factor) + (exact(constant) if k else 0)
        off = float(sum(d * d for d in exact(y.high[0, k]) + exact(y.low[0, k]) - true)) ** 0.5
        assert 0.0 < off <= y.error[0, k] < 1e-29


def test_pairs_of_a_tile_are_rounded_once_and_that_is_said() -> None:
    network, tile = dense(np.eye(2)), Tile.of(Box([-1, -1], [1, 1]))
    high = np.random.default_rng(1).normal(size=(1, 3, 2))
    low = high * 0.9 * 2.0**-54
    x = reduced(np.zeros((3, 2)), np.zeros(3))
    x.fine = Pairs(high, low, np.zeros((1, 3)))
    made = _Restrict(network, tile, None, True)._rounded(x)
    off = [float(sum(d * d for d in row)) ** 0.5 for row in exact(made.columns) - (exact(high[0]) + exact(low[0]))]
    assert (np.array(off) <= made.error).all() and max(off) > 0.0


def narrowing(tile: Tile) -> _Narrowing:
    """Two old variables that are functions of one new one and of u, v, 1, without error."""
    network = dense(np.eye(2))
    work = _Narrowing(network, restricted(network, tile), tile.divided(0)[1], None)
    assert work.base.n_extra == 2
    work.program.low, work.program.high = np.zeros(1), np.ones(1)
    work.extra[:, 0], work.affine[:] = [2.0, -3.0], [[1.0, 0.0, 0.5], [0.0, -4.0, 1.0]]
    work.error = np.zeros(4)
    return work


def test_functions_on_a_part_carry_the_errors_of_old_variables_and_of_their_columns() -> None:
    work = narrowing(Tile.of(Box([-1, -1], [1, 1])))
    columns = np.array([[1.0, 2.0, 0.0], [0.5, 1.0, 3.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    _, least = work.on_part(columns, np.zeros(5))
    assert least.max() < 1e-12
    sizes = np.abs(np.concatenate([work.extra[:, :1], work.affine], axis=1))
    for j in range(2):
        given = np.zeros(5)
        given[j] = 0.25
        _, error = work.on_part(columns, given)
        assert (error >= 0.25 * sizes[j]).all() and (error <= 0.25 * sizes[j] * (1 + 1e-8) + 1e-11).all()
    for row in range(4):
        work.error = np.zeros(4)
        work.error[row] = 0.25
        _, error = work.on_part(columns, np.zeros(5))
        assert error[row] >= 0.25 * np.linalg.norm(columns[:2], 2)


def test_centers_of_parts_that_doubles_do_not_have_are_as_near_as_is_said() -> None:
    """A part near zero has digits that its distance from the middle of the whole has no room for."""
    whole = part = Tile.of(Box([1e-9 / 3, -1.0], [0.9, 1.0]))
    for number in range(12):
        part = min(part.divided(number), key=lambda half: float(half.window[:, 0].sum()))
    network = dense(np.eye(2))
    work = _Narrowing(network, restricted(network, whole), part, None)
    old, new = work.base, work.program
    true = (Fraction(float(new.center[0])) - Fraction(float(old.center[0]))) / Fraction(float(old.scale[0]))
    off = abs(true - Fraction(float(work.own[0, -1])))
    assert 0 < off <= Fraction(float(work.own_error[0]))
