"""Lines through deep networks of ReLUs go in short parts; the pieces are the same, one for one."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from plica.geometry import Budget, Segment, decompose
from plica.geometry._bits import pack
from plica.geometry.line import _columns, _engine, _part_walk, _parts, _window_kernels
from plica.geometry.line._at_points import values_at_points
from plica.geometry.line._part_walk import PartWalker
from plica.geometry.signs._exact_maps import ExactMap
from plica.geometry.signs._pair_maps import PairMaps
from plica.geometry.signs._precision import Precision
from plica.geometry.values._pairs import Pairs, pair_affine
from plica.network import Add, Builder, Conv, Linear, Max, Network, Rectifier, Reshape, Scale, random_network
from plica.testing import FAMILIES, draw_case


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Decompose a line in parts, whatever the network."""

    def run(network: Network, segment: Segment, wanted: int = 4) -> Any:
        with monkeypatch.context() as patch:
            patch.setattr(_engine, "goes_in_parts", lambda _: True)
            patch.setattr(_parts, "WANTED", wanted)
            return decompose(network, segment)

    return run


def check_same(cx: Any, whole: Any) -> None:
    assert cx.n_cells == whole.n_cells
    assert all(np.array_equal(a, b) for a, b in zip(cx.patterns(), whole.patterns(), strict=True))
    assert np.allclose(cx.vertices, whole.vertices, rtol=1e-9, atol=1e-9)
    assert np.allclose(cx.outputs, whole.outputs, rtol=1e-6, atol=1e-9)
    assert cx.n_regions == whole.n_regions
    for v in {0, whole.n_cells // 3, whole.n_cells}:
        assert cx.exact_vertex(v) == whole.exact_vertex(v)


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_the_pieces_are_the_same(family: str, in_parts: Any) -> None:
    for seed in (0, 1):
        case = draw_case(family, seed=seed, size="tiny")
        network = case.network
        if not all(op.is_relu or op.is_contest for op in network.folds) or not network.layers:
            continue
        ends = np.random.default_rng(seed).normal(size=(2, network.n_inputs))
        segment = Segment(*ends)
        check_same(in_parts(network, segment), decompose(network, segment))


@pytest.mark.parametrize("ends", [([-1.0, 0.0], [1.0, 0.0]), ([-1.0, -1.0], [1.0, 1.0]), ([0.0, 0.0], [1.0, 0.5])])
def test_duplicated_and_dead_neurons(ends: Any, in_parts: Any) -> None:
    rng = np.random.default_rng(3)
    first = rng.integers(-3, 4, size=(6, 2)).astype(float)
    first[3], first[4] = first[0], 0.0
    second = rng.integers(-2, 3, size=(8, 6)).astype(float)
    second[5], second[6] = second[2], -second[2]
    ops = [Linear(first), Rectifier(), Linear(second), Rectifier(), Linear(np.ones((2, 8)))]
    network = Network.sequential(2, ops)
    check_same(in_parts(network, Segment(*ends), 1), decompose(network, Segment(*ends)))


def test_a_residual_network_of_convolutions(in_parts: Any) -> None:
    rng = np.random.default_rng(7)
    graph = Builder((2, 8, 8))

    def conv(x: int, channels: int, out: int, stride: int = 1) -> int:
        weight = rng.normal(size=(out, channels, 3, 3)) * np.sqrt(2 / (9 * channels))
        x = graph.add(Conv(weight, None, (stride,) * 2, ((1, 1), (1, 1)), (1, 1)), x)
        return graph.add(Scale(rng.uniform(0.5, 1.5, (out, 1, 1)), rng.normal(size=(out, 1, 1)) * 0.1), x)

    x = graph.add(Rectifier(), conv(0, 2, 6))
    for _ in range(2):
        y = graph.add(Rectifier(), conv(x, 6, 6))
        x = graph.add(Rectifier(), graph.add(Add(), x, conv(y, 6, 6)))
    x = graph.add(Rectifier(), conv(x, 6, 8, 2))
    network = graph.build(graph.add(Linear(rng.normal(size=(3, 128))), graph.add(Reshape((128,)), x)))
    segment = Segment(*rng.normal(size=(2, 128)))
    check_same(in_parts(network, segment, 16), decompose(network, segment))


def pooled(seed: int, *, stride: int, pad: int = 0) -> Network:
    """Two convolutions, each with ReLUs and maxima over windows, which overlap where the stride is 1."""
    rng = np.random.default_rng(seed)
    graph = Builder((2, 8, 8))

    def block(x: int, channels: int, out: int, side: int) -> tuple[int, int]:
        weight = rng.normal(size=(out, channels, 3, 3)) * np.sqrt(2 / (9 * channels))
        x = graph.add(Rectifier(), graph.add(Conv(weight, rng.normal(size=out) / 4, (1, 1), ((1, 1), (1, 1)), (1, 1)), x))
        i = np.pad(np.arange(side * side).reshape(side, side), ((0, pad), (0, pad)), constant_values=-1)
        last = side + pad - 1
        windows = np.stack([i[a : last + a : stride, b : last + b : stride] for a in (0, 1) for b in (0, 1)], axis=-1)
        groups = np.stack([np.where(windows < 0, -1, windows + side * side * k) for k in range(out)])
        return graph.add(Max(groups), x), groups.shape[1]

    x, side = block(0, 2, 4, 8)
    x, side = block(x, 4, 5, side)
    n = 5 * side * side
    return graph.build(graph.add(Linear(rng.normal(size=(3, n))), graph.add(Reshape((n,)), x)))


@pytest.mark.parametrize(("stride", "pad"), [(2, 0), (1, 0), (2, 1)])
def test_maxima_over_windows_behind_relus(stride: int, pad: int, in_parts: Any) -> None:
    """Absent members come last in every window that has some, as in pooling with padding at the lower right."""
    network = pooled(stride + pad, stride=stride, pad=pad)
    segment = Segment(*np.random.default_rng(5).normal(size=(2, 128)))
    whole = decompose(network, segment)
    assert whole.n_cells > 60
    check_same(in_parts(network, segment, 16), whole)


def test_maxima_of_linear_units_and_of_units_that_tie(in_parts: Any) -> None:
    rng = np.random.default_rng(1)
    first = rng.integers(-2, 3, size=(12, 3)).astype(float)
    first[4], first[9] = first[1], first[2]
    ops = [
        Linear(first),
        Max(np.arange(12).reshape(4, 3)),
        Linear(rng.integers(-2, 3, size=(6, 4)).astype(float)),
        Rectifier(),
        Max(np.array([[0, 1], [2, 3], [3, 4], [5, 0]])),
        Linear(np.ones((2, 4))),
    ]
    network = Network.sequential(3, ops)
    for ends in (rng.normal(size=(2, 3)), [[-1.0, -1.0, 0.0], [1.0, 1.0, 0.0]], [[-2.0, 1.0, 3.0], [2.0, -1.0, -3.0]]):
        check_same(in_parts(network, Segment(*ends), 2), decompose(network, Segment(*ends)))


@pytest.mark.parametrize("n", [2, 3, 4])
def test_sums_that_read_a_node_more_than_once(n: int, in_parts: Any) -> None:
    """Columns that are summands twice are not written over by the first of the two."""
    rng = np.random.default_rng(n)
    graph = Builder(4)

    def layer(x: int, n_inputs: int) -> int:
        return graph.add(Rectifier(), graph.add(Linear(rng.normal(size=(12, n_inputs)), rng.normal(size=12)), x))

    x = layer(0, 4)
    x = layer(graph.add(Add(), *[x] * n), 12)
    x = layer(graph.add(Add(), x, graph.add(Scale(np.array(0.5)), x), x), 12)
    network = graph.build(graph.add(Linear(rng.normal(size=(2, 12))), x))
    segment = Segment(-np.ones(4), np.ones(4))
    check_same(in_parts(network, segment), decompose(network, segment))


def branching(seed: int) -> Network:
    """Operations that read whatever came before: layers whose inputs are older than the layer before them, sums of one node."""
    rng = np.random.default_rng(seed)
    graph = Builder(3)
    nodes = [graph.add(Linear(rng.normal(size=(6, 3)), rng.normal(size=6)))]
    for kind in rng.integers(0, 5, size=10).tolist():
        x, y, z = (int(i) for i in rng.choice(nodes, size=3))
        if kind == 0:
            nodes.append(graph.add(Linear(rng.normal(size=(6, 6)) / 2, rng.normal(size=6) / 2), x))
        elif kind == 1:
            nodes.append(graph.add(Add(), x, y, z))
        elif kind == 2:
            nodes.append(graph.add(Scale(rng.normal(size=6), rng.normal(size=6)), x))
        elif kind == 3:
            nodes.append(graph.add(Max(rng.integers(0, 6, size=(6, 2))), x))
        else:
            nodes.append(graph.add(Rectifier(), x))
    x = graph.add(Rectifier(), graph.add(Add(), *nodes[-2:]))
    return graph.build(graph.add(Linear(rng.normal(size=(2, 6))), x))


@pytest.mark.parametrize("seed", range(24))
def test_networks_that_branch(seed: int, in_parts: Any) -> None:
    network = branching(seed)
    segment = Segment(*2 * np.random.default_rng(seed).normal(size=(2, 3)))
    check_same(in_parts(network, segment, 3), decompose(network, segment))


def test_parts_that_are_too_long_are_divided(in_parts: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    network = random_network([4, 40, 40, 40, 2], seed=1, weights="he-normal", bias_std=0.3)
    segment = Segment(-np.ones(4), np.ones(4))
    monkeypatch.setattr(_parts, "MOST", 12)
    check_same(in_parts(network, segment, 60), decompose(network, segment))


def test_an_end_near_a_breakpoint_is_moved(in_parts: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # a neuron of the first layer switches at one half, where the only division would be
    network = Network.sequential(
        1, [Linear(np.array([[2.0], [1.0], [4.0]]), np.array([-1.0, -0.25, -3.0])), Rectifier(), Linear(np.ones((1, 3)))]
    )
    monkeypatch.setattr(_parts, "_ends", lambda *_: [0.0, 0.5, 1.0])
    cx = in_parts(network, Segment([0.0], [1.0]))
    assert [cx.exact_vertex(i)[0] for i in range(5)] == [0, Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), 1]


def test_the_budget_holds_in_parts(in_parts: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from plica.errors import BudgetExceeded

    network = random_network([4, 40, 40, 40, 2], seed=1, weights="he-normal", bias_std=0.3)
    monkeypatch.setattr(_engine, "goes_in_parts", lambda _: True)
    monkeypatch.setattr(_parts, "WANTED", 4)
    with pytest.raises(BudgetExceeded) as stop:
        decompose(network, Segment(-np.ones(4), np.ones(4)), budget=Budget(max_cells=20))
    assert 10 < stop.value.partial["n_cells"] <= 20  # what is finished
    assert int(stop.value.message.split()[0]) < 45  # one layer of one part beyond it, not eight parts


def test_bounds_of_pairs_hold() -> None:
    """Columns in pairs are within their bound of the truth, in fractions, and the bound is small."""
    rng = np.random.default_rng(0)
    weight = rng.normal(size=(5, 3, 3, 3))
    network = Network.sequential((3, 6, 6), [Conv(weight, rng.normal(size=5), (1, 1), ((1, 1), (1, 1)), (1, 1)), Rectifier()])
    high, low = rng.normal(size=(1, 2, 108)), 1e-17 * rng.normal(size=(1, 2, 108))
    y = pair_affine(network, 1, [Pairs(high, low, np.zeros((1, 2)))])
    exact = np.vectorize(Fraction, otypes=[object])
    x = exact(high) + exact(low)
    true = network.nodes[1].op.linear([x.reshape(2, 3, 6, 6)], exact(weight)).reshape(2, -1)
    true[1] = true[1] + exact(np.repeat(network.nodes[1].op.bias, 36))
    for row in range(2):
        off = exact(y.high[0, row]) + exact(y.low[0, row]) - true[row]
        distance = float(sum(d * d for d in off)) ** 0.5
        assert distance <= y.error[0, row] < 1e-18
        assert distance > 1e-28  # this is not exact arithmetic


def test_products_at_positions_are_products() -> None:
    rng = np.random.default_rng(1)
    weights, reads = rng.normal(size=(4, 9)), rng.integers(-1, 20, size=(7, 9)).astype(np.int32)
    x = rng.normal(size=(20, 70)) * (rng.random((20, 70)) < 0.3)
    reached = np.zeros((20, 2), np.uint64)
    for i, j in zip(*x.nonzero(), strict=True):
        reached[i, j // 64] |= np.uint64(1) << np.uint64(j % 64)
    needed = rng.random(28) < 0.6
    out, out_reached = np.zeros((28, 70)), np.zeros((28, 2), np.uint64)
    most = _window_kernels.window_products(weights, reads, x, reached, needed, 0, 7, out, out_reached)
    padded = np.concatenate([x, np.zeros((1, 70))])
    plain = np.einsum("kj,pjc->kpc", weights, padded[reads]).reshape(28, 70)
    assert np.allclose(out, np.where(needed[:, None], plain, 0.0))
    assert 0 < most <= 9
    assert not out[(out_reached == 0).all(axis=1)].any()


@pytest.mark.parametrize("share", [0.05, 0.5])
def test_columns_are_read_where_something_reaches_them(share: float) -> None:
    """Few columns of a word are gone through one by one, many at once; the second word is not full."""
    rng = np.random.default_rng(2)
    n, flags = 75, rng.random((30, 75)) < share * (rng.random((30, 1)) < 0.7)
    x = rng.normal(size=(30, n)) * flags
    reached = pack(flags)
    sizes, squares, sums = rng.random(n), np.zeros(n), np.empty(30)
    _window_kernels.weighted_sums(x, reached, sizes, sums)
    _window_kernels.add_squares(x, reached, squares)
    assert np.allclose(sums, np.abs(x) @ sizes)
    assert np.allclose(squares, (x * x).sum(axis=0))
    places, wide, bits = rng.integers(-1, 30, size=30), np.zeros((30, n + 2)), np.zeros((30, 2), np.uint64)
    _window_kernels.take_rows(x, reached, places, wide, bits)
    inside = places[:, None] >= 0
    assert np.array_equal(wide[:, :n], np.where(inside, x[places], 0.0))
    assert not wide[:, n:].any()
    assert np.array_equal(bits, np.where(inside, reached[places], np.uint64(0)))
    factors, expected, before = rng.normal(size=30), wide.copy(), bits.copy()
    expected[:, :n] += factors[:, None] * x
    scaled = x.copy()
    _window_kernels.scale_rows(scaled, reached, factors)
    assert np.array_equal(scaled, factors[:, None] * x)
    _window_kernels.add_rows(scaled, reached, wide, bits)
    assert np.array_equal(wide, expected)
    assert np.array_equal(bits, reached | before)


def test_columns_that_are_read_again_are_not_written_over() -> None:
    from plica.geometry.line._columns import Columns, column_affine

    rng = np.random.default_rng(3)
    b = Builder((6,))
    scale = b.add(Scale(rng.normal(size=6)), 0)
    total = b.add(Add(), scale, 0)
    network = b.build(b.add(Add(), total, total))

    def columns(n: int) -> Columns:
        return Columns(rng.normal(size=(6, n)), np.full((6, 1), (1 << n) - 1, np.uint64), np.zeros(n))

    few, many = columns(3), columns(5)
    before = few.x.copy(), many.x.copy()
    scaled = column_affine(network, 1, [many], None, [False])
    assert np.array_equal(scaled.x, network.nodes[1].op.coefficients[:, None] * before[1])
    added = column_affine(network, 2, [few, many], None, [True, False])  # too narrow to be written over
    assert np.allclose(added.x, before[1] + np.pad(before[0], ((0, 0), (0, 2))))
    assert np.array_equal(few.x, before[0])
    assert np.array_equal(many.x, before[1])
    other = columns(5)
    both = added.x + other.x
    assert column_affine(network, 3, [added, other], None, [True, False]).x is added.x
    assert np.array_equal(added.x, both)
    assert np.array_equal(column_affine(network, 3, [added, added], None, [True, True]).x, 2 * both)
    assert np.array_equal(added.x, both)  # the second of two that are one would read what was written


def check_breakpoints(network: Network, segment: Segment, most: float) -> None:
    """What a part says of its breakpoints is within its bounds of the exact places."""
    walker = PartWalker(network, segment, most=1000, may_touch=True)
    chunk = walker.run()
    assert len(chunk.hyperplanes) > 6
    for line, t, error in zip(chunk.hyperplanes, chunk.parameters.values[:, 0], chunk.parameters.error, strict=True):
        numerator, denominator = walker.exact.position(line)
        assert abs(Fraction(numerator, denominator) - Fraction(float(t))) <= Fraction(float(error))
        assert error < most


def test_no_error_exceeds_its_bound_at_breakpoints() -> None:
    network = random_network([5, 30, 30, 30, 30, 2], seed=4, weights="he-normal", bias_std=0.3)
    check_breakpoints(network, Segment(-np.ones(5), np.ones(5)), 1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_no_error_exceeds_its_bound_where_members_of_a_maximum_are_nearly_parallel(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first = np.repeat(rng.normal(size=(12, 5)), 2, axis=0)
    first[1::2] += 1e-6 * rng.normal(size=(12, 5))
    pairs = Max(np.arange(24).reshape(12, 2))
    ops = [Linear(first), pairs, Linear(rng.normal(size=(8, 12))), Rectifier(), Linear(np.ones((2, 8)))]
    check_breakpoints(Network.sequential(5, ops), Segment(-np.ones(5), rng.uniform(0.5, 1.0, 5)), 1e-6)


def test_errors_of_pairs_grow_by_the_gain_and_by_what_sums_can_lose() -> None:
    from plica.geometry.values._pairs import Pairs, pair_affine

    n, eps = 64, 2.0**-52
    row = Network.sequential(n, [Linear(np.ones((1, n)))])
    high, low = np.ones((1, 1, n)), np.full((1, 1, n), 2.0**-54)
    carried = pair_affine(row, 1, [Pairs(high, low, np.ones((1, 1)))])
    assert carried.error[0, 0] >= np.sqrt(n)  # all of a given error may go along the row
    own = pair_affine(row, 1, [Pairs(high, low, np.zeros((1, 1)))])
    assert own.error[0, 0] >= n * eps * n * 2.0**-54  # a sum of n small parts may round n times


def test_values_at_points_are_within_their_bounds_of_what_integers_say() -> None:
    network = random_network([5, *[24] * 8, 2], seed=4, weights="he-normal", bias_std=0.3)
    segment = Segment(-np.ones(5), np.linspace(0.1, 1.0, 5))
    walker = PartWalker(network, segment, most=1000, may_touch=True)
    walker.run()
    layer = 7
    exact = ExactMap(network, segment, walker.exact.layers[:layer])
    exact.float_maps[Precision.EXTENDED] = PairMaps(exact)
    pieces = np.arange(0, len(exact.layers[-1].parent), 3)
    u = np.random.default_rng(0).uniform(-1, 1, len(pieces))
    source = network.nodes[network.layers[layer]].inputs[0]
    found, error = values_at_points(exact, walker._start(), u, pieces, source)
    assert len(pieces) > 10
    worst = 0.0
    for i, piece in enumerate(pieces.tolist()):
        t = Fraction(walker.center) + Fraction(walker.scale) * Fraction(float(u[i]))
        columns = exact.fold_input(layer, piece)
        true = [(int(a) * t + int(b)) * Fraction(2) ** columns.exponent for a, b in columns.integers.T]
        distance = float(sum((Fraction(float(x)) - y) ** 2 for x, y in zip(found[i], true, strict=True))) ** 0.5
        assert distance <= error[i] < 1e-14
        worst = max(worst, distance)
    assert worst > 1e-18  # rounded once, to doubles


def test_what_columns_leave_open_is_decided_at_points(in_parts: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds of columns that are far wider leave much open; the pieces are the same."""
    network = random_network([5, *[24] * 8, 2], seed=1, weights="he-normal", bias_std=0.3)
    segment = Segment(-np.ones(5), np.linspace(0.1, 1.0, 5))
    asked: list[int] = []

    def at_points(exact: Any, start: Any, u: Any, pieces: Any, source: int) -> Any:
        asked.append(len(u))
        return values_at_points(exact, start, u, pieces, source)

    monkeypatch.setattr(_part_walk, "values_at_points", at_points)
    monkeypatch.setattr(_columns, "_UNIT", 1e-6)
    cx = in_parts(network, segment, wanted=20)
    assert sum(asked) > 0
    check_same(cx, decompose(network, segment))
    assert cx.decisions.extended > 0
