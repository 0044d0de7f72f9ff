"""Definitions of linear regions and functional dimension: inclusions, brute force, ranks of autograd's derivatives."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import plica
from plica.errors import InvalidInput
from plica.exact import rank as exact_rank
from plica.geometry import Box, Complex, Path, Segment, Space, decompose
from plica.measure import functional_dimension, region_definitions
from plica.measure._perceptron import dense_layers
from plica.measure.cells._definitions import map_labels
from plica.network import Linear, Max, Network, Rectifier


def small_integers(widths: tuple[int, ...], seed: int) -> Network:
    rng = np.random.default_rng(seed)
    ops: list[Linear | Rectifier] = []
    for i in range(len(widths) - 1):
        ops += [Rectifier()] if i else []
        weight, bias = rng.integers(-1, 2, (widths[i + 1], widths[i])), rng.integers(-1, 2, widths[i + 1])
        ops.append(Linear(weight.astype(float), bias.astype(float)))
    return Network.sequential(widths[0], ops)


def counts(cx: Complex) -> list[int]:
    found = region_definitions(cx)
    assert found.activation is not None and found.convex[0] <= found.convex[1] <= found.proper
    return [found.activation, found.proper, found.convex[0], found.open_connected, found.closed_connected, found.affine]


@pytest.mark.parametrize(
    ("widths", "domain"),
    [((2, 4, 3, 1), Box([-2, -2], [2, 2])), ((1, 4, 3, 1), Box([-3], [3])), ((3, 3, 2, 1), Box([-1] * 3, [1] * 3))],
)
def test_each_definition_has_at_most_as_many_regions_as_the_one_before(widths: tuple[int, ...], domain: Box) -> None:
    for seed in range(12):
        found = counts(decompose(small_integers(widths, seed), domain))
        assert all(a >= b for a, b in pairwise(found)), (seed, found)


def test_a_network_where_all_six_differ() -> None:
    cx = decompose(small_integers((2, 5, 3, 1), 326), Box([-2, -2], [2, 2]))
    found = counts(cx)
    assert all(a > b for a, b in pairwise(found)) and found == [22, 18, 14, 13, 11, 10]


def test_distinct_maps_are_counted_as_a_set_would() -> None:
    for seed in range(8):
        cx = decompose(small_integers((2, 5, 3, 1), seed), Box([-2, -2], [2, 2]))
        maps = [tuple(cx.exact_map(i).fractions()) for i in range(cx.n_cells)]
        labels = map_labels(cx)[cx.regions]
        assert len(set(maps)) == region_definitions(cx).affine
        assert all((maps[i] == maps[j]) == (labels[i] == labels[j]) for i in range(cx.n_cells) for j in range(i))


def test_on_a_line_only_the_affine_count_can_differ_from_regions() -> None:
    rise = Linear(np.ones((3, 1)), np.array([1.0, 0.0, -1.0]))
    hat = Network.sequential(1, [rise, Rectifier(), Linear(np.array([[1.0, -2.0, 1.0]]))])
    found = region_definitions(decompose(hat, Segment([-2], [2])))
    assert (found.proper, found.open_connected, found.closed_connected, found.affine) == (4, 4, 4, 3)
    assert found.convex == (4, 4)
    with pytest.raises(InvalidInput, match="path"):
        region_definitions(decompose(small_integers((2, 4, 1), 3), Path([[-1, -1], [1, 0.5], [0, 1]])))


def test_an_l_is_two_convex_sets_and_opposite_quadrants_touch() -> None:
    corner = Network.sequential(2, [Linear(-np.eye(2)), Max(np.array([[0, 1]])), Linear(-np.ones((1, 1))), Rectifier()])
    found = region_definitions(decompose(corner, Box([-1, -1], [1, 1])))  # max(min(x, y), 0)
    assert found.open_connected == 3 and found.convex == (4, 4)
    first = Linear(np.array([[-1.0, 0], [0, -1.0], [1.0, 0], [0, 1.0]]))
    sides = [first, Max(np.array([[0, 1], [2, 3]])), Linear(-np.eye(2)), Rectifier(), Linear(np.ones((1, 2)))]
    found = region_definitions(decompose(Network.sequential(2, sides), Box([-1, -1], [1, 1])))  # 0 on opposite quadrants
    assert found.open_connected == found.closed_connected + 1


def cut_off(shift: float) -> list[Linear | Rectifier]:
    """Layers of y - shift cut off at t and -t, with t = ReLU(1 - |x|): 0 left and right of a diamond."""
    keep = Linear(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0.0, -shift]))
    hat = Linear(np.array([[-1.0, 0.0], [0.0, 1.0]]), np.array([1.0, 0.0]))
    ends = [Linear(np.array([[1.0, 1.0], [1.0, -1.0]])), Rectifier(np.array(-1.0)), Linear(np.array([[0.5, -0.5]]))]
    return [keep, Rectifier(np.array([-1.0, 1.0])), hat, Rectifier(np.array([0.0, 1.0])), *ends]


def test_closed_regions_are_connected_by_slices_of_other_cells() -> None:
    from plica.network import side_by_side

    square = Box([-2, -1], [2, 1])
    one = Network.sequential(2, cut_off(0.0))
    found = region_definitions(decompose(one, square))
    assert (found.open_connected, found.closed_connected, found.affine) == (7, 6, 6)
    # two outputs: the slices y = 0 and y = 1/8 have no common point, equal slices have
    twice = region_definitions(decompose(side_by_side(one, one), square))
    assert (twice.open_connected, twice.closed_connected, twice.affine) == (7, 6, 6)
    both = side_by_side(one, Network.sequential(2, cut_off(0.125)))
    apart = region_definitions(decompose(both, square))
    assert apart.closed_connected == apart.affine + 1
    # over the whole plane the answer is the same; where it is not sure, there is none
    assert region_definitions(decompose(one, Space(2))).closed_connected == 6
    assert region_definitions(decompose(both, Space(2))).closed_connected is None


def test_a_function_with_the_numbers_that_are_printed() -> None:
    first, second = np.array([[1.0, 0], [0, 1.0], [0, -1.0]]), np.array([[1.0, 0, 0], [1.0, -1.0, 1.0]])
    layers = [Linear(first), Rectifier(), Linear(second), Rectifier(), Linear(np.array([[-1.0, 1.0]]))]
    cx = decompose(Network.sequential(2, layers), Box([-1, -1], [1, 1]))  # max(-y, min(0, -x))
    assert counts(cx) == [7, 5, 4, 3, 3, 3] and region_definitions(cx).convex == (4, 4)


def test_convex_regions_form_a_complex() -> None:
    # max(y, 0) + max(y - |x|, 0): five convex regions, but the half plane below has to be cut where four others meet its side
    keep = Linear(np.array([[1.0, 0.0], [0.0, 1.0]]))
    second = Linear(np.array([[0.0, 1.0], [-1.0, 1.0]]))
    layers = [keep, Rectifier(np.array([-1.0, 1.0])), second, Rectifier(), Linear(np.ones((1, 2)))]
    found = region_definitions(decompose(Network.sequential(2, layers), Box([-2, -1], [2, 1])))
    assert (found.proper, found.open_connected, found.convex) == (6, 5, (5, 6))


def test_generic_networks_have_one_number() -> None:
    cx = decompose(plica.random_network([2, 6, 1], seed=0), Space(2))
    found = region_definitions(cx)
    assert found.activation == found.proper == found.open_connected == found.affine == found.convex[0] == found.convex[1]


# -- functional dimension ------------------------------------------------------------------------------------------------------


def rank_of_samples(net: Network, *, n_points: int = 300) -> int:
    """The rank of derivatives by parameters at random points, by central differences in floating point."""
    layers = dense_layers(net)
    x = np.random.default_rng(0).normal(size=(n_points, net.n_inputs)) * 3
    step, columns = 1e-6, []

    def value(changed: list[np.ndarray]) -> np.ndarray:
        h = x
        for i in range(0, len(changed), 2):
            h = h @ changed[i].T + changed[i + 1]
            h = np.maximum(h, 0) if i + 2 < len(changed) else h
        return h.reshape(-1)

    flat = [np.array(t) for pair in layers for t in pair]
    for k, t in enumerate(flat):
        for place in np.ndindex(t.shape):
            ends = []
            for sign in (1, -1):
                moved = [u.copy() for u in flat]
                moved[k][place] += sign * step
                ends.append(value(moved))
            columns.append((ends[0] - ends[1]) / (2 * step))
    s = np.linalg.svd(np.stack(columns, axis=1), compute_uv=False)
    return int((s > 1e-6 * s[0]).sum())


@pytest.mark.parametrize("widths", [(1, 3, 1), (2, 3, 1), (2, 3, 2), (2, 4, 3, 1), (3, 3, 2, 1)])
def test_ranks_are_those_of_differences_and_within_the_bound(widths: tuple[int, ...]) -> None:
    net = plica.random_network(widths, seed=0, weights="he-normal", bias_std=0.3)
    found = functional_dimension(decompose(net, Space(widths[0])))
    sampled = rank_of_samples(net)
    assert sampled <= found.value <= found.bound
    assert found.value - sampled <= 2  # samples may miss small cells
    assert found.by_cell.max() <= min(found.value, (widths[0] + 1) * widths[-1])


def test_ranks_modulo_primes_are_ranks_of_fractions() -> None:
    from fractions import Fraction

    net = small_integers((2, 3, 2, 1), 5)
    cx = decompose(net, Box([-2, -2], [2, 2]))
    layers = [(w.astype(int).tolist(), b.astype(int).tolist()) for w, b in dense_layers(net)]
    rows = []
    for cell in cx.cells:
        for x in ([0, 0], [1, 0], [0, 1]):
            values, hidden = [x], x
            for i, (w, b) in enumerate(layers):
                hidden = [sum(a * c for a, c in zip(row, hidden, strict=True)) + s for row, s in zip(w, b, strict=True)]
                if i < len(cell.pattern):
                    hidden = [h * int(s) for h, s in zip(hidden, cell.pattern[i], strict=True)]
                values.append(hidden)
            back, row = [1], []
            for i in range(len(layers) - 1, -1, -1):
                w, _ = layers[i]
                row = [g * h for g in back for h in values[i]] + back + row
                back = [sum(g * r[j] for g, r in zip(back, w, strict=True)) for j in range(len(w[0]))]
                if i:
                    back = [g * int(s) for g, s in zip(back, cell.pattern[i - 1], strict=True)]
            rows.append([Fraction(v) for v in row])
    assert functional_dimension(cx).value == exact_rank(rows)


def test_a_dead_unit_costs_its_parameters() -> None:
    net = plica.random_network([2, 4, 1], seed=1)
    first, last = net.nodes[1].op, net.nodes[3].op
    weight, bias = first.weight.copy(), first.bias.copy()
    weight[0], bias[0] = 0.0, -1.0  # never on
    dead = Network.sequential(2, [Linear(weight, bias), Rectifier(), last])
    whole = functional_dimension(decompose(net, Space(2)))
    found = functional_dimension(decompose(dead, Space(2)))
    assert whole.is_exact and found.value <= whole.value - 3 and found.redundancy >= 3


def test_other_networks_are_refused() -> None:
    leaky = Network.sequential(2, [Linear(np.eye(2)), Rectifier(0.1), Linear(np.ones((1, 2)))])
    with pytest.raises(InvalidInput, match="chain of dense layers"):
        functional_dimension(decompose(leaky, Box([0, 0], [1, 1])))
    with pytest.raises(InvalidInput, match="ends with a fold"):
        functional_dimension(decompose(Network.sequential(2, [Linear(np.eye(2)), Rectifier()]), Box([0, 0], [1, 1])))
    with pytest.raises(InvalidInput, match="too many"):
        functional_dimension(decompose(plica.random_network([1, 1500, 1], seed=0), Segment([0.0], [1e-9])))


def test_maps_that_floats_do_not_tell_apart_are_two():
    nearly = np.array([[1 + 2.0**-52, -1.0]])
    for last, n in ((nearly, 2), (np.array([[1.0, -1.0]]), 1)):
        net = Network.sequential(1, [Linear(np.array([[1.0], [-1.0]])), Rectifier(), Linear(last)])
        found = region_definitions(decompose(net, Box([-1], [1])))
        assert (found.affine, found.open_connected) == (n, n)
