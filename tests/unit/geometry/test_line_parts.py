"""Lines through deep networks of ReLUs go in short parts; the pieces are the same, one for one."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from plica.errors import InvalidDomain
from plica.geometry import Budget, Segment, decompose
from plica.geometry._bits import pack
from plica.geometry.line import _columns, _engine, _part_walk, _parts
from plica.geometry.line._at_points import values_at_points
from plica.geometry.line._columns import Columns, absorbed, column_affine, column_inputs, column_source, window_reach
from plica.geometry.line._part_walk import PartWalker
from plica.geometry.line._window_kernels import with_all_channels
from plica.geometry.signs._exact_maps import ExactMap
from plica.geometry.signs._pair_maps import PairMaps
from plica.geometry.signs._precision import Precision
from plica.geometry.values._pairs import Pairs, pair_affine
from plica.geometry.values._tensors import error_growth
from plica.network import (
    Add,
    Builder,
    Conv,
    Gather,
    Linear,
    Max,
    Network,
    Pad,
    Rectifier,
    Reshape,
    Scale,
    WindowSum,
    random_network,
)  # fmt: skip
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


def any_convolutions(seed: int) -> Network:
    """Convolutions in one or two dimensions with groups, strides, dilation and uneven padding, some with factors and sums."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 3))
    shape = (int(rng.choice([2, 4])), *rng.integers(5, 8 if n == 2 else 14, n).tolist())
    graph = Builder(shape)
    x = 0
    for _ in range(int(rng.integers(2, 5))):
        shape, before = graph.shape(x), x
        keeps = rng.random() < 0.5
        out, groups = shape[0] if keeps else int(rng.choice([2, 4])), int(rng.choice([1, 2]))
        kernel = [3] * n if keeps else rng.integers(1, 4, n).tolist()
        dilation = tuple(rng.integers(1, 3, n).tolist())
        stride = (1,) * n if keeps else tuple(rng.integers(1, 3, n).tolist())
        padding = tuple((d, d) if keeps else tuple(rng.integers(0, 3, 2).tolist()) for d in dilation)
        spans = [d * (k - 1) + 1 for d, k in zip(dilation, kernel, strict=True)]
        if any(size + a + b < span for size, (a, b), span in zip(shape[1:], padding, spans, strict=True)):
            continue
        weight = rng.normal(size=(out, shape[0] // groups, *kernel)) * np.sqrt(2 * groups / (shape[0] * np.prod(kernel)))
        bias = rng.normal(size=out) * 0.1 if rng.random() < 0.5 else None
        x = graph.add(Conv(weight, bias, stride, padding, dilation, groups), x)
        if rng.random() < 0.5:
            x = graph.add(Scale(rng.uniform(0.5, 1.5, (out, *[1] * n)), rng.normal(size=(out, *[1] * n)) * 0.1), x)
        if keeps and before and rng.random() < 0.7:
            x = graph.add(Add(), *((before, x) if rng.random() < 0.5 else (x, before)))
        x = graph.add(Rectifier(), x)
    size = int(np.prod(graph.shape(x)))
    return graph.build(graph.add(Linear(rng.normal(size=(2, size))), graph.add(Reshape((size,)), x)))


@pytest.mark.parametrize("seed", range(12))
def test_groups_dilation_strides_and_padding(seed: int, in_parts: Any) -> None:
    network = any_convolutions(seed)
    segment = Segment(*np.random.default_rng(seed).normal(size=(2, network.n_inputs)))
    cx = in_parts(network, segment, 16)
    check_same(cx, decompose(network, segment))
    for cell in {0, cx.n_cells // 2, cx.n_cells - 1}:  # what the network says in the middle of a piece
        middle = cx.vertices[cell : cell + 2].mean(axis=0)
        expected = network.pattern(segment.to_input(middle[None]))
        assert all(np.array_equal(np.ravel(a[cell]), np.ravel(b)) for a, b in zip(cx.patterns(), expected, strict=True))


def convolutions(channels: int, depth: int) -> Network:
    """On 16 x 16 images, with bounds that hardly grow."""
    rng, graph = np.random.default_rng(channels), Builder((2, 16, 16))
    x, before = 0, 2
    for _ in range(depth):
        weight = rng.normal(size=(channels, before, 3, 3)) * np.sqrt(2 / (9 * before))
        x = graph.add(Rectifier(), graph.add(Conv(weight, None, (1, 1), ((1, 1), (1, 1)), (1, 1)), x))
        before = channels
    size = channels * 256
    return graph.build(graph.add(Linear(rng.normal(size=(2, size))), graph.add(Reshape((size,)), x)))


def test_many_neurons_in_convolutional_layers_go_in_parts_and_dense_ones_for_their_bounds_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    many, few = convolutions(16, 3), convolutions(8, 3)  # 12,288 and 6,144 neurons
    dense = random_network([8, 12500, 20, 2], seed=0, weights="he-normal", bias_std=0.1)
    assert all(error_growth(network) < _parts.GROWTH for network in (many, few, dense))
    assert [_parts.goes_in_parts(network) for network in (many, few, dense)] == [True, False, False]
    segment = Segment(*np.random.default_rng(1).normal(size=(2, 512)) * 0.01)
    cx = decompose(many, segment)
    with monkeypatch.context() as patch:
        patch.setattr(_engine, "goes_in_parts", lambda _: False)
        check_same(cx, decompose(many, segment))


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


def test_a_line_in_parts_that_is_stopped_tells_what_is_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the middle of a round of parts: the pieces on the share of the segment that is finished, one for one."""
    from plica._parallel import at_most
    from plica.errors import BudgetExceeded
    from plica.geometry import _budget

    network = random_network([4, 40, 40, 40, 2], seed=1, weights="he-normal", bias_std=0.3)
    segment = Segment(-np.ones(4), np.ones(4))
    whole = decompose(network, segment)
    monkeypatch.setattr(_engine, "goes_in_parts", lambda _: True)
    monkeypatch.setattr(_parts, "WANTED", 4)
    n_run, run = [0], PartWalker.run

    def stopped(walker: PartWalker) -> Any:
        n_run[0] += 1
        if n_run[0] > 5:
            monkeypatch.setattr(_budget, "clock", lambda: 1e12)
        return run(walker)

    monkeypatch.setattr(PartWalker, "run", stopped)
    with at_most(1), pytest.raises(BudgetExceeded) as stop:
        decompose(network, segment, budget=Budget(max_seconds=1000))
    partial = stop.value.partial
    assert 0.0 < partial["share"] < 0.9
    assert partial["n_cells"] - 1 == ((whole.vertices > 0.0) & (whole.vertices < partial["share"])).sum() > 10
    assert f"{100 * partial['share']:.3g} % of the segment ({partial['n_cells']} pieces so far)" in stop.value.message


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


def some_columns(rng: np.random.Generator, channels: int, positions: int, n: int, share: float) -> tuple[Columns, Any]:
    """Columns that reach a share of the positions each, with entries that are zero though something stands there; and plainly."""
    flags = rng.random((positions, n)) < share
    live = rng.random(channels * positions) < 0.7
    offsets = np.concatenate([[0], np.cumsum(flags.sum(axis=1))])
    x = np.append(rng.normal(size=channels * offsets[-1]), np.zeros(channels))
    plain = np.zeros((channels * positions, n))
    for i in np.flatnonzero(live).tolist():
        k, p = divmod(i, positions)
        plain[i, flags[p]] = x[k + channels * np.arange(offsets[p], offsets[p + 1])]
    return Columns(with_all_channels(x, pack(flags), offsets, live), rng.random(n)), plain


def plainly(columns: Columns) -> Any:
    return columns.rows(np.arange(len(columns.blocks.live)))


@pytest.mark.parametrize("share", [0.05, 0.5, 1.0])
def test_columns_are_what_stands_in_their_rows(share: float) -> None:
    rng = np.random.default_rng(2)
    c, plain = some_columns(rng, 3, 10, 75, share)
    sizes, entries = rng.random(80), rng.integers(0, 30, size=12)
    assert np.allclose(c.sums(sizes), np.abs(plain) @ sizes[:75])
    assert np.allclose(c.norms, np.linalg.norm(plain, axis=0))
    assert np.array_equal(c.rows(entries), plain[entries])
    assert not plain[np.flatnonzero(~c.reaches(np.arange(30)))].any()
    assert np.array_equal(plainly(c.widened(140)), np.pad(plain, ((0, 0), (0, 65))))
    full = Columns.full(plain.T, (3, 10), c.error)
    assert np.array_equal(plainly(full), plain)
    places = rng.integers(-1, 30, size=24)
    taken = c.taken(places, (6, 4), 2.0)
    assert np.array_equal(plainly(taken), np.where(places[:, None] >= 0, plain[places], 0.0))
    assert np.array_equal(taken.error, 2.0 * c.error)


@pytest.mark.parametrize("share", [0.05, 0.5, 1.0])
def test_products_at_positions_are_products(share: float) -> None:
    rng = np.random.default_rng(1)
    c, plain = some_columns(rng, 3, 7, 70, share)
    op = Conv(rng.normal(size=(4, 3, 3)), None, (2,), ((1, 1),), (1,))
    network = Network.sequential((3, 7), [op, Rectifier()])
    needed = rng.random(16) < 0.6
    found = column_affine(network, 1, [c], needed)
    true = op.linear([plain.T.reshape(70, 3, 7)], op.weight).reshape(70, -1).T
    assert np.allclose(plainly(found), np.where(needed[:, None], true, 0.0))
    assert np.allclose(plainly(column_affine(network, 1, [c], None)), true)
    assert not found.blocks.live[~needed].any()


def test_columns_are_stored_where_they_are_needed() -> None:
    """Of 67 outputs at each position eight numbers for up to eight that are needed, and one column of zeros."""
    rng = np.random.default_rng(0)
    c, plain = some_columns(rng, 3, 4, 13, 1.0)
    op = Conv(rng.normal(size=(67, 3, 3)), None, (1,), ((1, 1),), (1,))
    network = Network.sequential((3, 4), [op, Rectifier()])
    needed = np.zeros((67, 4), np.bool_)
    for p, n in enumerate((0, 3, 8, 9)):
        needed[rng.permutation(67)[:n], p] = True
    found = column_affine(network, 1, [c], needed.reshape(-1))
    assert len(found.blocks.x) == 13 * (8 + 8 + 16) + 16
    true = op.linear([plain.T.reshape(13, 3, 4)], op.weight).reshape(13, -1).T
    assert np.allclose(plainly(found), np.where(needed.reshape(-1, 1), true, 0.0))


@pytest.mark.parametrize("channels", [5, 500])
def test_products_of_many_channels_are_made_in_parts(channels: int) -> None:
    """More outputs than there are lanes, and more terms than are added up at a time."""
    rng = np.random.default_rng(channels)
    c, plain = some_columns(rng, channels, 4, 13, 0.7)
    op = Conv(rng.normal(size=(67, channels, 3)), None, (1,), ((1, 1),), (1,))
    network = Network.sequential((channels, 4), [op, Rectifier()])
    needed = rng.random(268) < 0.9
    true = op.linear([plain.T.reshape(13, channels, 4)], op.weight).reshape(13, -1).T
    sizes = rng.random(13)
    found = column_affine(network, 1, [c], needed, sizes)
    rows = np.where(needed[:, None], true, 0.0)
    assert np.allclose(plainly(found), rows)
    assert np.allclose(found.norms, np.linalg.norm(rows, axis=0))
    assert np.allclose(found.reach, np.abs(rows) @ sizes)


@pytest.mark.parametrize(("channels", "taps"), [(120, 1), (1, 120)])
def test_every_addition_in_a_product_may_lose_half_a_digit(channels: int, taps: int) -> None:
    """One number and many that are each a little less than what it can take in: all are lost, and the bound says so."""
    op = Conv(np.ones((1, channels, taps)), None, (1,), ((0, 0),), (1,))
    network = Network.sequential((channels, taps), [op, Rectifier()])
    column = np.full(120, 2.0**-54 * (1 - 2.0**-40))
    column[0] = 1.0
    columns = Columns.full(column[None], (channels, taps), np.zeros(1))
    found = column_affine(network, 1, [columns], None)
    off = abs(Fraction(plainly(found).item()) - sum(map(Fraction, column)))
    assert 119 * 2.0**-54 * 0.99 < off <= Fraction(found.error.item())
    found_window = _columns._window(network, 1)
    assert found_window is not None
    _, _, roundings, _ = _columns._multiplied(found_window[0], columns, None, 1, None, None)
    assert off <= Fraction(roundings * 2.0**-53) * sum(map(Fraction, column)) < 5 * off  # of the sum, without any norm


def test_columns_of_sums_over_windows_and_of_entries_that_are_moved_twice() -> None:
    rng = np.random.default_rng(8)
    b = Builder((2, 5))
    places = np.arange(10).reshape(2, 5)
    pad = b.add(Pad(((0, 1), (1, 2))), b.add(Gather(places[:, [4, 0, 2]]), b.add(Gather(places[:, [1, 0, 2, 3, 4]]), 0)))
    network = b.build(b.add(WindowSum(1, (0, 1, 3), (2, 5, 6)), pad))
    assert absorbed(network) == {1: 2, 2: 3} and column_inputs(network, 3) == (0,)
    c, plain = some_columns(rng, 2, 5, 70, 0.5)
    values = plain.T.reshape(70, 2, 5)[:, :, [4, 1, 2]]  # one after the other
    moved = column_affine(network, 3, [c], None)
    expected = np.pad(values, ((0, 0), (0, 1), (1, 2)))
    assert np.array_equal(plainly(moved).T.reshape(70, 3, 6), expected)
    assert (moved.error >= c.error).all()
    summed = column_affine(network, 4, [moved], None)
    sums = np.stack([expected[:, :, 0:2].sum(axis=2), expected[:, :, 1:5].sum(axis=2), expected[:, :, 3:6].sum(axis=2)], axis=2)
    assert np.allclose(plainly(summed).T.reshape(70, 3, 3), sums)
    assert (summed.error >= np.sqrt(2) * moved.error).all()


@pytest.mark.parametrize("share", [0.1, 1.0])
def test_neurons_that_switch_get_a_column_of_their_own(share: float) -> None:
    """Several of them at one position, and more columns than a word has."""
    rng = np.random.default_rng(5)
    c, plain = some_columns(rng, 3, 10, 60, share)
    active = rng.random(30) < 0.5
    switching = np.array([2, 7, 12, 17, 22, 29])
    active[switching] = False
    expected = np.zeros((30, 66))
    expected[:, :60] = np.where(active[:, None], plain, 0.0)
    expected[switching, 60 + np.arange(6)] = 1.0
    after = c.after_fold(active, switching)
    assert np.array_equal(plainly(after), expected)
    assert np.array_equal(after.error, [*c.error, *[0.0] * 6])
    assert np.array_equal(plainly(c.after_fold(active, switching[:0])), expected[:, :60])
    assert np.array_equal(plainly(c.after_fold(active, switching).widened(140)), np.pad(expected, ((0, 0), (0, 74))))
    known = Columns(c.blocks, c.error, np.linalg.norm(plain, axis=0) * (1 + 1e-9))
    for n in (66, 140):  # bounds that are known hold behind the layer too, and beside columns of zeros
        norms = known.after_fold(active, switching).widened(n).norms
        assert len(norms) == n and (norms[:66] >= np.linalg.norm(expected, axis=0)).all()
    chosen, groups = rng.integers(0, 30, size=8), np.array([1, 3, 5])
    won = np.zeros((8, 63))
    won[:, :60] = plain[chosen]
    won[groups, 60 + np.arange(3)] = 1.0
    assert np.array_equal(plainly(c.after_contest(chosen, groups, (2, 4), 3.0)), won)


def test_sums_and_factors_of_columns() -> None:
    rng = np.random.default_rng(3)
    b = Builder((2, 3))
    scale = b.add(Scale(rng.normal(size=(2, 3))), 0)
    network = b.build(b.add(Add(), scale, 0, scale))
    (few, plain_few), (many, plain_many) = some_columns(rng, 2, 3, 3, 0.5), some_columns(rng, 2, 3, 70, 0.5)
    scaled = column_affine(network, 1, [many], None)
    assert np.array_equal(plainly(scaled), network.nodes[1].op.coefficients.reshape(-1, 1) * plain_many)
    wide = np.pad(plain_few, ((0, 0), (0, 67)))
    assert np.allclose(plainly(column_affine(network, 2, [few, many, few], None)), 2 * wide + plain_many)
    assert np.array_equal(plainly(many), plain_many)  # what is read again is not written over


def test_a_convolution_and_its_factors_are_one_product_within_its_bound() -> None:
    """In fractions: rows of ones times weights that round once more behind their factors."""
    rng = np.random.default_rng(4)
    weight, factor = rng.normal(size=(5, 3, 3)), rng.uniform(0.5, 1.5, size=(5, 1))
    network = Network.sequential((3, 6), [Conv(weight, None, (1,), ((1, 1),), (1,)), Scale(factor), Rectifier()])
    assert column_source(network, 2) == 1
    c, plain = some_columns(rng, 3, 6, 8, 0.8)
    c.error[:] = 0.0
    found = column_affine(network, 2, [c], None)
    exact = np.vectorize(Fraction, otypes=[object])
    true = network.nodes[1].op.linear([exact(plain.T).reshape(8, 3, 6)], exact(weight)).reshape(8, 5, 6) * exact(factor)
    off = exact(plainly(found).T) - true.reshape(8, -1)
    distances = np.array([float(sum(d * d for d in row)) ** 0.5 for row in off])
    assert (distances <= found.error).all()
    assert (found.error < 1e-13).all()
    assert distances.max() > 1e-17
    one = Network.sequential(
        (1, 1), [Conv(np.array([[[3.0]]]), None, (1,), ((0, 0),), (1,)), Scale(np.array([[7.0]])), Rectifier()]
    )
    one_entry = np.array([1.0, 0.0]), np.ones((1, 1), np.uint64), np.array([0, 1]), np.ones(1, np.bool_)
    unit = Columns(with_all_channels(*one_entry), np.zeros(1))
    # three roundings as everywhere, one of a term, one of a weight times a factor
    assert column_affine(one, 2, [unit], None).error[0] >= 5 * 21.0 * 2.0**-53
    unit.error[:] = 1.0
    assert column_affine(one, 2, [unit], None).error[0] >= 21.0  # an error that was there is multiplied by both


@pytest.mark.parametrize("share", [0.05, 0.5, 1.0])
def test_a_product_and_what_is_added_to_it_are_made_at_once(share: float) -> None:
    """With entries of their own columns in both; values, norms, what reaches the entries, and the bound, against fractions."""
    rng = np.random.default_rng(6)
    weight, factor = rng.normal(size=(3, 3, 3)), rng.uniform(0.5, 1.5, size=(3, 1))
    b = Builder((3, 10))
    first = b.add(Rectifier(), 0)
    second = b.add(Rectifier(), b.add(Scale(np.ones((3, 1))), first))
    scaled = b.add(Scale(factor), b.add(Conv(weight, None, (1,), ((1, 1),), (1,)), second))
    network = b.build(b.add(Rectifier(), b.add(Add(), first, scaled)))
    add = scaled + 1
    assert absorbed(network)[scaled] == add
    assert column_inputs(network, add) == (second, first)
    old, plain_old = some_columns(rng, 3, 10, 60, share)
    new, plain_new = some_columns(rng, 3, 10, 64, share)
    active, four, five = rng.random(30) < 0.6, np.array([3, 13, 14, 29]), np.array([0, 3, 10, 20, 27])
    active[four] = active[five] = False
    extra, given = old.after_fold(active, four), new.after_fold(active, five)
    added = np.pad(np.where(active[:, None], plain_old, 0.0), ((0, 0), (0, 9)))
    added[four, 60 + np.arange(4)] = 1.0
    read = np.pad(np.where(active[:, None], plain_new, 0.0), ((0, 0), (0, 5)))
    read[five, 64 + np.arange(5)] = 1.0
    assert np.array_equal(plainly(given), read)
    assert np.array_equal(plainly(extra), added[:, :64])
    exact = np.vectorize(Fraction, otypes=[object])
    product = network.nodes[scaled - 1].op.linear([exact(read.T).reshape(69, 3, 10)], exact(weight)) * exact(factor)
    true = product.reshape(69, -1).T + exact(added)
    sizes, needed = rng.random(69), rng.random(30) < 0.7
    given.error[:], extra.error[:] = 0.0, 0.0
    found = column_affine(network, add, [given, extra], needed, sizes)
    rows = plainly(found)
    assert np.allclose(rows, np.where(needed[:, None], true.astype(float), 0.0))
    assert np.allclose(found.norms, np.linalg.norm(rows, axis=0))
    assert np.allclose(found.reach, np.abs(rows) @ sizes)
    everything = column_affine(network, add, [given, extra], None)
    distances = [float(sum(d * d for d in column)) ** 0.5 for column in (exact(plainly(everything)) - true).T]
    assert (np.array(distances) <= everything.error).all()
    assert max(distances) > 1e-17
    given.error[7], extra.error[8], extra.error[63] = 1.0, 1.0, 1.0
    error = column_affine(network, add, [given, extra], None).error
    gain = np.linalg.norm(network.nodes[scaled - 1].op.matrix((3, 10)).toarray() * np.repeat(factor[:, 0], 10)[:, None], 2)
    assert error[7] >= gain
    assert error[[8, 63]].min() >= 1.0
    assert error[9] < 1e-12


def one_entry(*numbers: float) -> Columns:
    """Columns of one number each, at one position, without errors."""
    n = len(numbers)
    blocks = with_all_channels(np.array([*numbers, 0.0]), pack(np.ones((1, n), np.bool_)), np.array([0, n]), np.ones(1, np.bool_))
    return Columns(blocks, np.zeros(n))


def test_what_a_sum_with_a_small_product_rounds_is_in_the_bound() -> None:
    """Of 1 + 2**-54 doubles keep the 1: an error of what is added, not of the product; it has more columns than that."""
    b = Builder((1, 1))
    first = b.add(Rectifier(), 0)
    second = b.add(Rectifier(), b.add(Scale(np.ones((1, 1))), first))
    product = b.add(Conv(np.array([[[1.0]]]), None, (1,), ((0, 0),), (1,)), second)
    network = b.build(b.add(Rectifier(), b.add(Add(), first, product)))
    assert column_inputs(network, product + 1) == (second, first)
    found = column_affine(network, product + 1, [one_entry(2.0**-54), one_entry(1.0, 3.0)], None)
    assert found.n_columns == 2 and plainly(found).tolist() == [[1.0, 3.0]]
    assert found.error[0] >= 2.0**-54 and found.error.max() < 1e-14
    assert found.reach is None  # nobody said what columns are multiplied by


def test_what_sums_of_columns_round_is_in_the_bound() -> None:
    """Seven numbers below half a unit of the last place of 1 are lost one by one, in sums of tensors and in sums over windows."""
    lost = 2.0**-53 * (1 - 2.0**-10)
    b = Builder((1, 1))
    scales = [b.add(Scale(np.ones((1, 1))), 0) for _ in range(8)]
    network = b.build(b.add(Add(), *scales))
    found = column_affine(network, 9, [one_entry(1.0), *[one_entry(lost)] * 7], None)
    assert plainly(found).tolist() == [[1.0]] and 7 * lost <= found.error[0] < 1e-14
    windows = Network.sequential((1, 8), [WindowSum(1, (0,), (8,)), Rectifier()])
    x = Columns.full(np.array([[1.0, *[lost] * 7]]), (1, 8), np.zeros(1))
    found = column_affine(windows, 1, [x], None)
    assert plainly(found).tolist() == [[1.0]] and 7 * lost <= found.error[0] < 1e-14
    factor = 1 + 2.0**-52
    scaled = Network.sequential((1, 1), [Scale(np.array([[factor]])), Rectifier()])
    found = column_affine(scaled, 1, [one_entry(factor)], None)
    assert abs(Fraction(factor) ** 2 - Fraction(plainly(found)[0, 0])) <= Fraction(found.error[0]) < 1e-14


def test_what_products_lose_to_underflow_is_in_the_bound() -> None:
    network = Network.sequential((1, 1), [Conv(np.array([[[1e-200]]]), None, (1,), ((0, 0),), (1,)), Rectifier()])
    found = column_affine(network, 1, [one_entry(1e-200)], None)
    assert not plainly(found).any() and found.error[0] > 0.0


def test_norms_of_columns_are_bounds_of_them() -> None:
    """In fractions, and where squares are below the floats."""
    c, plain = some_columns(np.random.default_rng(1), 3, 7, 60, 0.8)
    exact = [sum(Fraction(x) ** 2 for x in column.tolist()) for column in plain.T]
    assert all(Fraction(norm) ** 2 >= square for norm, square in zip(c.norms.tolist(), exact, strict=True))
    assert np.allclose(c.norms, np.linalg.norm(plain, axis=0))
    assert one_entry(1e-200).norms[0] >= 1e-200


def test_the_longest_sum_of_all_threads_is_in_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    rng, live = np.random.default_rng(0), np.ones((300, 2), np.bool_)
    live[1:, 1] = False  # one term there, three hundred before
    flags = np.ones((2, 5), np.bool_)
    c = Columns(with_all_channels(rng.normal(size=3300), pack(flags), np.array([0, 5, 10]), live.reshape(-1)), np.zeros(5))
    network = Network.sequential((300, 2), [Conv(rng.normal(size=(4, 300, 1)), None, (1,), ((0, 0),), (1,)), Rectifier()])
    found = []
    for least in (10**12, 1):
        monkeypatch.setattr(_columns, "_LEAST_WORK", least)
        found.append(column_affine(network, 1, [c], None).error)
    assert np.array_equal(*found)


def test_what_reaches_the_outputs_of_a_product_is_bounded_by_what_they_read() -> None:
    rng = np.random.default_rng(0)
    op = Conv(rng.normal(size=(4, 3, 3, 2)), None, (2, 1), ((1, 0), (0, 2)), (1, 2))
    network = Network.sequential((3, 6, 5), [op, Rectifier()])
    reach = rng.random(90) * (rng.random(90) < 0.4)
    found = window_reach(network, 1, reach)
    assert found is not None
    bound = op.row_norms(network.nodes[1].shape) * found
    signs = np.where(rng.random((500, 90)) < 0.5, -1.0, 1.0)
    y = np.abs(op.linear([(signs * reach).reshape(-1, 3, 6, 5)], op.weight)).reshape(500, -1)
    assert (y <= bound * (1 + 1e-12)).all()
    seen = np.abs(op.matrix((3, 6, 5)).toarray()) > 0
    alone = np.sqrt(seen.astype(float) @ (reach * reach))  # every output reads all entries of its window
    assert np.allclose(found, alone)


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


def test_columns_of_nothing_have_the_shape_of_their_tensor() -> None:
    none = Columns.full(np.zeros((0, 12)), (3, 4), np.zeros(0))
    assert none.n_columns == 0 and none.sums(np.zeros(0)).tolist() == [0.0] * 12


def test_a_segment_of_one_point_says_what_to_ask_instead() -> None:
    with pytest.raises(InvalidDomain) as refused:
        Segment([1.0, 2.0], [1.0, 2.0])
    assert "network(x)" in refused.value.hint
