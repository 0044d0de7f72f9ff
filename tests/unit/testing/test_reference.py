"""The oracle itself: against the float forward pass, closed forms and its own invariants."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from plica.exact import exactly
from plica.network import Affine, Clip, FractionColumns, Max, Network, Rectifier, walk
from plica.testing import FAMILIES, _floats, chain, draw_network
from plica.testing import _reference as reference
from plica.testing._pointwise import Pointwise

SQUARE = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
IDENTITY = np.eye(3, 2)
TAME = sorted(f for f in FAMILIES if not any(word in f for word in ("1e150", "1e-150", "uneven", "subnormal")))


def evaluate(network: Network, x: Any, stop: int) -> Any:
    """The value of a node at an array of fractions, operation by operation in fractions."""
    values = [x.reshape(1, *network.input_shape)]
    for node in network.nodes[1 : stop + 1]:
        xs, op = [values[i] for i in node.inputs], node.op
        if isinstance(op, Affine):
            y = op.linear(xs, None if op.coefficients is None else exactly(op.coefficients))
            values.append(y if op.offset is None else y + exactly(op.offset))
        elif isinstance(op, Rectifier):
            values.append(np.where(xs[0] > 0, xs[0], np.broadcast_to(exactly(op.slope), node.shape) * xs[0]))
        elif isinstance(op, Clip):
            low, high = exactly([op.low, op.high])
            values.append(np.where(xs[0] < low, low, np.where(xs[0] > high, high, xs[0])))
        else:
            assert isinstance(op, Max)
            flat, groups = xs[0].reshape(-1), op.groups.reshape(-1, op.groups.shape[-1])
            best = [max(flat[i] for i in group if i >= 0) for group in groups]
            values.append(np.array(best, dtype=object).reshape(1, *node.shape))
    return values[stop][0].reshape(-1)


@pytest.mark.parametrize("family", FAMILIES)
def test_integers_over_one_denominator_are_the_fractions(family: str) -> None:
    for seed in range(5, 8):
        network = draw_network(family, seed=seed)
        exact, rng = Pointwise(network), np.random.default_rng(seed)
        for denominator in (1, 3, 210):
            x = np.array([Fraction(int(n), denominator) for n in rng.integers(-9, 10, network.n_inputs)], dtype=object)
            value = exact.at(x)
            for node in rng.permutation(len(network.nodes)).tolist():
                assert value(node).tolist() == evaluate(network, x, node).tolist()


@pytest.mark.parametrize("family", FAMILIES)
def test_a_piece_in_integers_is_the_piece_in_fractions(family: str) -> None:
    for seed in range(5, 8):
        network, rng = draw_network(family, seed=seed), np.random.default_rng(seed)
        n, exact = network.n_inputs, Pointwise(network)
        for _ in range(3):
            with np.errstate(all="ignore"):
                pattern = network.pattern(rng.normal(size=n))

            def choose(layer: int, *_: Any, pattern: Any = pattern) -> Any:
                return np.asarray(pattern[layer]).reshape(-1)

            columns = exactly(np.vstack([np.eye(n), np.zeros((1, n))])).reshape(n + 1, *network.input_shape)
            (y,) = walk(network, FractionColumns(choose), {0: columns}).values()
            assert exact.piece(pattern) == [tuple(column) for column in y.reshape(n + 1, -1).T.tolist()]


@pytest.mark.parametrize("size", [1.0, 1e-290, 1e280, 0.0])
@pytest.mark.parametrize("share", [0.5, 0.95, 0.999999, 1.000001, 1.5])
def test_floats_are_near_as_fractions_say(size: float, share: float) -> None:
    true = Fraction(size) / 3
    found = float(true + Fraction(share) * Fraction(_floats.ACCURACY * size + 1e-300))
    assert _floats._is_near(found, true, Fraction(size)) == (share < 1)
    assert not _floats._is_near(float("nan"), true, Fraction(size))


@pytest.mark.parametrize("family", TAME)
def test_evaluation_in_fractions_is_the_forward_pass(family: str) -> None:
    network = draw_network(family, seed=5)
    x = np.random.default_rng(0).normal(size=network.n_inputs)
    exact = Pointwise(network).at(exactly(x))(len(network.nodes) - 1)
    np.testing.assert_allclose(exact.astype(float), network(x).reshape(-1), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("family", ["gaussian", "integer", "hard-tanh", "maxout"])
def test_its_cells_fill_the_square(family: str) -> None:
    cells = reference.cells(draw_network(family, seed=2), IDENTITY, SQUARE)
    assert sum(reference.area(c.corners) for c in cells) == 4
    assert len({c.pattern for c in cells}) == len(cells)


@pytest.mark.parametrize("n", [1, 3, 6])
def test_lines_in_general_position_give_the_numbers_of_zaslavsky(n: int) -> None:
    angles = np.pi * (np.arange(n) + 0.5) / n
    network = chain(
        [np.stack([np.cos(angles), np.sin(angles)], axis=1), np.ones((1, n))], [np.linspace(-0.1, 0.13, n) ** 3, np.zeros(1)]
    )
    assert len(reference.cells(network, IDENTITY, 8 * SQUARE)) == 1 + n + n * (n - 1) // 2


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_hats_in_both_coordinates_give_a_grid(depth: int) -> None:
    hat = np.array([[2.0, 0.0], [4.0, 0.0], [0.0, 2.0], [0.0, 4.0]])
    read = np.kron(np.eye(2), [[1.0, -1.0]])
    weights = [hat] + [hat @ read] * (depth - 1) + [np.ones((1, 2)) @ read]
    network = chain(weights, [np.array([0.0, -2.0, 0.0, -2.0])] * depth + [np.zeros(1)])
    assert len(reference.cells(network, IDENTITY, SQUARE)) == (2**depth + 1) ** 2


def one_neuron(weight: float, bias: float) -> Network:
    return chain([np.array([[weight]]), np.array([[1.0]])], [np.array([bias]), np.zeros(1)])


def test_on_a_line_cells_are_intervals_with_their_maps() -> None:
    cells = reference.cells(one_neuron(3.0, -1.0), np.array([[1.0], [0.0]]), np.array([[0.0], [1.0]]))
    assert sorted(c.corners for c in cells) == [((0,), (Fraction(1, 3),)), ((Fraction(1, 3),), (1,))]
    assert sorted(reference.affine_map(c) for c in cells) == [((0, 0),), ((3, -1),)]
    assert reference.count_regions(cells) == 2


def test_a_chart_may_be_given_in_fractions() -> None:
    chart = np.array([[Fraction(1, 3)], [Fraction(0)]], dtype=object)
    cells = reference.cells(one_neuron(1.0, -0.25), chart, np.array([[0.0], [1.0]]))
    assert sorted(c.corners for c in cells) == [((0,), (Fraction(3, 4),)), ((Fraction(3, 4),), (1,))]


def test_neighbors_with_one_map_are_one_region_and_distant_ones_are_two() -> None:
    # relu(x) - relu(x): the fold changes nothing
    same = chain([np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([[1.0, -1.0]])], [np.zeros(2), np.zeros(1)])
    cells = reference.cells(same, IDENTITY, SQUARE)
    assert (len(cells), reference.count_regions(cells)) == (2, 1)
    # zero on both sides of a ridge: equal maps that do not touch
    ridge = chain([np.array([[1.0, 0.0]] * 3), np.array([[1.0, -2.0, 1.0]])], [np.array([0.5, 0.0, -0.5]), np.zeros(1)])
    cells = reference.cells(ridge, IDENTITY, SQUARE)
    assert (len(cells), reference.count_regions(cells)) == (4, 4)


def test_cells_that_share_only_a_corner_do_not_touch() -> None:
    def cell(*corners: tuple[int, int]) -> reference.ReferenceCell:
        points = tuple(tuple(Fraction(c) for c in p) for p in corners)
        return reference.ReferenceCell(points, (), tuple((Fraction(0),) for _ in points))

    low, diagonal = cell((0, 0), (1, 0), (1, 1), (0, 1)), cell((1, 1), (2, 1), (2, 2), (1, 2))
    above = cell((0, 1), (1, 1), (0, 2))
    assert reference.count_regions([low, diagonal]) == 2
    assert reference.count_regions([low, above]) == 1
    far = cell((2, 0), (3, 0), (3, 1), (2, 1))  # its side is on the line of a side of `low`, beside it
    assert reference.count_regions([low, far]) == 2


def test_the_area_of_an_interval_is_its_length() -> None:
    assert reference.area(((Fraction(1, 3),), (Fraction(3),))) == Fraction(8, 3)
