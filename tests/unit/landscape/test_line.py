"""The loss along a line of weights, against fractions, closed forms, plain evaluation and the engine of lines."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from plica.errors import BudgetExceeded, InvalidInput, InvalidNetwork
from plica.exact import exactly
from plica.geometry import Budget, Segment, decompose
from plica.landscape import loss_line
from plica.landscape._bernstein import from_powers
from plica.landscape._carry import BLOCK, Carried, Carrier, Cell, Rows, _in_blocks, carry, gains_of
from plica.landscape._exact_pieces import exact_pieces
from plica.landscape._line import LossLine
from plica.landscape._polynomial_cell import PolynomialCell
from plica.network import Add, Affine, Builder, Clip, Conv, Linear, Max, Network, Rectifier, Reshape, random_network


def blended(a: Network, b: Network, t: float) -> Network:
    """The network at t, in floating point."""
    builder = Builder(a.input_shape)
    for p, q in zip(a.nodes[1:], b.nodes[1:], strict=True):
        op = p.op
        if isinstance(op, Affine) and op.coefficients is not None and isinstance(q.op, Affine):
            offset = None if op.offset is None else (1 - t) * op.offset + t * q.op.offset
            op = op.with_numbers((1 - t) * op.coefficients + t * q.op.coefficients, offset)
        builder.add(op, *p.inputs)
    return builder.build()


def plain_loss(network: Network, x: np.ndarray, y: np.ndarray, loss: str) -> float:
    f = network(x).reshape(len(x), -1)
    if loss == "squared":
        return float(np.mean((f - y) ** 2))
    if loss == "absolute":
        return float(np.mean(np.abs(f - y)))
    f = f - f.max(axis=1, keepdims=True)
    return float(np.mean(np.log(np.exp(f).sum(axis=1)) - f[np.arange(len(f)), y]))


def exact_squared_loss(a: Network, b: Network, t: Fraction, x: np.ndarray, y: np.ndarray) -> Fraction:
    """The mean squared loss of a dense ReLU network at a rational t, in fractions."""
    h = exactly(x)
    layers = list(zip(a.dense_layers, b.dense_layers, strict=True))
    for i, (p, q) in enumerate(layers):
        W, c = ((1 - t) * exactly(u) + t * exactly(v) for u, v in ((p.weight, q.weight), (p.bias, q.bias)))
        h = h @ W.T + c
        if i < len(layers) - 1:
            h = np.where(h > 0, h, Fraction(0))
    r = h - exactly(y)
    return Fraction((r * r).sum()) / r.size


def residual(seed: int) -> Network:
    rng = np.random.default_rng(seed)
    b = Builder((3,))
    first = b.add(Linear(rng.normal(size=(4, 3)), rng.normal(size=4)))
    hidden = b.add(Rectifier(), first)
    second = b.add(Linear(rng.normal(size=(4, 4)), rng.normal(size=4)), hidden)
    joined = b.add(Add(), second, first)
    b.add(Rectifier(np.array(0.25)), joined)
    b.add(Linear(rng.normal(size=(2, 4))))
    return b.build()


def clipped(seed: int) -> Network:
    rng = np.random.default_rng(seed)
    ops = [Linear(rng.normal(size=(5, 3)), rng.normal(size=5)), Clip(-0.5, 0.75), Linear(rng.normal(size=(6, 5)))]
    return Network.sequential(3, [*ops, Max(np.arange(6).reshape(2, 3)), Linear(rng.normal(size=(2, 2)))])


def convolutional(seed: int) -> Network:
    rng = np.random.default_rng(seed)
    conv = Conv(rng.normal(size=(2, 1, 2, 2)), rng.normal(size=2), (1, 1), ((0, 0), (0, 0)), (1, 1))
    return Network.sequential((1, 3, 3), [conv, Rectifier(), Reshape((8,)), Linear(rng.normal(size=(2, 8)))])


def dense(seed: int) -> Network:
    return random_network([3, 6, 5, 2], seed=seed)


@pytest.mark.parametrize("make", [dense, residual, clipped, convolutional])
@pytest.mark.parametrize("cell", [Cell(0.0, 1.0), Cell(0.25, 0.5)])
def test_pieces_in_doubles_are_those_in_fractions(make, cell: Cell) -> None:
    a, b = make(1), make(2)
    x = np.random.default_rng(3).normal(size=(4, a.n_inputs))
    carrier, out = carry(a, b, x, cell, gains_of(a, b))
    assert not carrier.undecided
    low, width = Fraction(cell.low), Fraction(cell.high) - Fraction(cell.low)
    for sample in range(len(x)):
        pieces = exact_pieces(a, b, x[sample], low, low + width)
        rows = np.flatnonzero(carrier.rows.sample == sample)
        assert len(pieces) == len(rows)
        for piece, row in zip(pieces, rows, strict=True):
            piece.low.narrow(width / 2**80)
            begin = (piece.low.low - low) / width
            assert Fraction(carrier.rows.a_low[row]) <= begin + Fraction(1, 2**79)
            assert begin <= Fraction(carrier.rows.a_high[row])
            exact = from_powers(piece.outputs, low, width)
            found = exactly(out.c[:, row])
            assert len(exact) <= len(found)
            if len(exact) == len(found):
                assert (np.abs(found - exact) <= exactly(np.broadcast_to(out.error[row], exact.shape))).all()


@pytest.mark.parametrize("loss", ["squared", "absolute", "cross-entropy"])
@pytest.mark.parametrize("make", [dense, residual, clipped, convolutional])
def test_values_slopes_and_extremes_agree_with_plain_evaluation(make, loss: str) -> None:
    a, b = make(5), make(6)
    rng = np.random.default_rng(7)
    x = rng.normal(size=(12, a.n_inputs))
    y = rng.integers(0, 2, 12) if loss == "cross-entropy" else rng.normal(size=(12, 2))
    line = loss_line(a, b, x, y, loss=loss)
    t = np.linspace(0, 1, 201)
    values = np.array([plain_loss(blended(a, b, float(s)), x.reshape(12, *a.input_shape), y, loss) for s in t])
    np.testing.assert_allclose(line(t), values, rtol=1e-10, atol=1e-12)
    chord = (1 - t) * values[0] + t * values[-1]
    for found, sign, sampled in ((line.maximum, 1, values), (line.minimum, -1, values), (line.barrier, 1, values - chord)):
        assert found.value.high - found.value.low < 1e-9
        reached = (sign * sampled).max()
        assert sign * float(found.value) >= reached - 1e-9
        assert sign * float(found.value) <= reached + 0.05 * np.ptp(sampled) + 1e-9
        at = line.at(found.t)
        base = 0.0 if found is not line.barrier else (1 - found.t) * values[0] + found.t * values[-1]
        assert abs(at.middle - base - float(found.value)) < 1e-8
    inside = 0.4142
    left, right = line.derivatives(inside)
    h = 1e-6
    quotient = [(float(line(inside + s * h)) - float(line(inside))) / (s * h) for s in (-1, 1)]
    np.testing.assert_allclose([left, right], quotient, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("t", [Fraction(0), Fraction(1, 3), Fraction(7, 11), Fraction(1)])
def test_enclosures_hold_the_loss_in_fractions(t: Fraction) -> None:
    a, b = dense(8), dense(9)
    rng = np.random.default_rng(10)
    x, y = rng.normal(size=(5, 3)), rng.normal(size=(5, 2))
    line = loss_line(a, b, x, y)
    near = float(t)
    truth = exact_squared_loss(a, b, Fraction(near), x, y)
    found = line.at(near)
    assert Fraction(found.low) <= truth <= Fraction(found.high)
    assert found.high - found.low < 1e-11


def one_unit(w: float, v: float) -> Network:
    return Network.sequential(1, [Linear(np.array([[w]])), Rectifier(), Linear(np.array([[v]]))])


def test_one_unit_has_the_polynomial_that_one_writes_down() -> None:
    # f_t(1) = v ReLU(w) with w = 1 - 2 t, v = 1: the loss to 0 is (1 - 2 t)^2 until 1/2, then 0; one kink, at 1/2
    line = loss_line(one_unit(1.0, 1.0), one_unit(-1.0, 1.0), [[1.0]], [[0.0]])
    assert line.degree == 1 and line.n_breakpoints == 1
    low, high = line.breakpoints()[0]
    assert low <= 0.5 <= high and high - low < 1e-12
    assert abs(float(line(0.25)) - 0.25) < 1e-14 and abs(float(line(0.75))) < 1e-14
    slopes = loss_line(one_unit(1.0, 1.0), one_unit(-1.0, 1.0), [[1.0]], [[-1.0]])  # (2 - 2 t)^2, then 1: slopes -4 and 0
    np.testing.assert_allclose(slopes.derivatives(0.5), [-4.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(slopes.kinks()[0], [0.5, -4.0, 0.0], atol=1e-12)


def test_signs_that_flip_in_both_layers_make_the_known_barrier() -> None:
    # v |w| with (w, v) from (1, 1) to (-1, 1): |1 - 2 t| against the target 1 is (1 - |1 - 2 t|)^2, a ridge of height 1 at 1/2
    def absolute(w: float, v: float) -> Network:
        return Network.sequential(1, [Linear(np.array([[w]])), Rectifier(np.array(-1.0)), Linear(np.array([[v]]))])

    line = loss_line(absolute(1.0, 1.0), absolute(-1.0, 1.0), [[1.0]], [[1.0]])
    assert 1.0 in line.barrier.value and line.barrier.t == pytest.approx(0.5, abs=1e-9)
    np.testing.assert_allclose(line.derivatives(0.5), [4.0, -4.0], atol=1e-9)
    # without folds: w v is (1 - 2 t)^2 from (1, 1) to (-1, -1), and (1 - (1 - 2 t)^2)^2 = (4 t (1 - t))^2
    a, b = (Network.sequential(1, [Linear(np.array([[w]])), Linear(np.array([[w]]))]) for w in (1.0, -1.0))
    smooth = loss_line(a, b, [[1.0]], [[1.0]])
    assert smooth.degree == 2 and smooth.n_breakpoints == 0 and 1.0 in smooth.barrier.value
    t = np.linspace(0, 1, 11)
    np.testing.assert_allclose(smooth(t), (4 * t * (1 - t)) ** 2, atol=1e-13)


def test_a_grid_of_25_points_misses_a_narrow_ridge() -> None:
    # the bump ReLU(s) - 2 ReLU(s - w) + ReLU(s - 2 w) of the first bias, far narrower than the grid's step
    w, at = 1 / 512, 0.3
    weight, out = np.zeros((3, 1)), np.array([[1.0, -2.0, 1.0]]) / w
    a, b = (
        Network.sequential(1, [Linear(weight, np.array([s, s - w, s - 2 * w])), Rectifier(), Linear(out)]) for s in (-at, 1 - at)
    )
    line = loss_line(a, b, [[0.0]], [[0.0]])
    assert float(line.maximum.value) == pytest.approx(1.0, abs=1e-9) and line.maximum.t == pytest.approx(at + w, abs=1e-9)
    missed = line.grid_miss()
    assert missed.n_points == 25 and missed.grid[1] < 1e-9 and missed.missed > 1 - 1e-6


def awkward(kind: str, seed: int) -> Network:
    """Networks with roots at one place, roots at ends of pieces, and units that are zero throughout."""
    rng = np.random.default_rng(seed)
    W1, W2, b1 = (rng.integers(-2, 3, size).astype(float) for size in ((5, 2), (4, 5), 5))
    b2 = rng.integers(-1, 2, 4).astype(float)
    if kind == "without biases":
        b1, b2 = np.zeros(5), np.zeros(4)
    if kind == "twice the same unit":
        W1[1], b1[1], W2[1], b2[1] = W1[0], b1[0], W2[0], b2[0]
    if kind == "dead units":
        W1[0], b1[0] = 0.0, 0.0
    ops = [
        Linear(W1, b1),
        Rectifier(),
        Linear(W2, b2),
        Rectifier(),
        Linear(rng.integers(-2, 3, (1, 4)).astype(float), np.zeros(1)),
    ]
    return Network.sequential(2, ops)


@pytest.mark.parametrize("kind", ["small integers", "without biases", "twice the same unit", "dead units"])
@pytest.mark.parametrize("seed", [0, 2, 4])
def test_what_doubles_cannot_decide_fractions_do(kind: str, seed: int) -> None:
    a, b = awkward(kind, seed), awkward(kind, seed + 1)
    x, y = np.array([[1.0, 1.0], [2.0, -1.0], [0.0, 1.0]]), np.array([[1.0], [0.0], [-1.0]])
    line = loss_line(a, b, x, y, n_cells=2)
    for t in (Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(5, 8), Fraction(1)):
        found = line.at(float(t))
        assert Fraction(found.low) <= exact_squared_loss(a, b, t, x, y) <= Fraction(found.high)
    places = []
    for sample in x:
        pieces = exact_pieces(a, b, sample, Fraction(0), Fraction(1))
        places += [p.low for p in pieces[1:]]
    for place in places:
        place.narrow(Fraction(1, 2**60))
    found_places = line.breakpoints()
    assert len(found_places) == len(places)
    for (low, high), place in zip(found_places, sorted(places, key=lambda p: p.low), strict=True):
        assert low <= float(place.low) + 1e-15 and float(place.high) - 1e-15 <= high
    absolute = loss_line(a, b, x, y, n_cells=2, loss="absolute")
    t = np.linspace(0, 1, 33)
    np.testing.assert_allclose(absolute(t), [plain_loss(blended(a, b, float(s)), x, y, "absolute") for s in t], atol=1e-12)


def test_awkward_networks_need_fractions() -> None:
    line = loss_line(awkward("twice the same unit", 2), awkward("twice the same unit", 3), [[1.0, 1.0]], [[0.0]])
    assert line.exact_fallbacks > 0


def test_one_moving_layer_is_a_line_through_the_rest() -> None:
    a = random_network([4, 7, 6, 2], seed=3)
    other = random_network([4, 7, 6, 2], seed=4)
    ops = [node.op for node in a.nodes[1:]]
    b = Network.sequential(4, [other.nodes[1].op, *ops[1:]])
    x = np.random.default_rng(0).normal(size=4)
    line = loss_line(a, b, x[None], np.zeros((1, 2)))
    tail = Network.sequential(7, ops[1:])
    ends = [Network.sequential(4, [net.nodes[1].op])(x) for net in (a, b)]
    pieces = decompose(tail, Segment(*ends))
    assert line.degree == 1
    found = line.breakpoints().mean(axis=1)
    assert len(found) == pieces.n_cells - 1
    np.testing.assert_allclose(found, np.sort(pieces.vertices.reshape(-1))[1:-1], atol=1e-9)


def test_a_budget_ends_and_a_store_continues(tmp_path: Path) -> None:
    a, b = dense(1), dense(2)
    x, y = np.random.default_rng(0).normal(size=(30, 3)), np.zeros((30, 2))
    whole = loss_line(a, b, x, y, n_cells=8)
    with pytest.raises(BudgetExceeded, match="of 8 parts") as stopped:
        loss_line(a, b, x, y, n_cells=8, budget=Budget(max_cells=whole.n_breakpoints // 2), store=tmp_path)
    n_done = stopped.value.partial["parts_done"]
    files = sorted(tmp_path.glob("*.npz"))
    assert 0 < n_done < 8 and len(files) == n_done
    files[0].write_bytes(b"not a part")
    seen: list[dict[str, float]] = []
    line = loss_line(a, b, x, y, n_cells=8, store=tmp_path, progress=seen.append)
    assert len(seen) == 8 and len(list(tmp_path.glob("*.npz"))) == 8
    np.testing.assert_array_equal(line.breakpoints(), whole.breakpoints())
    assert line.barrier.value == whole.barrier.value
    entropies = [loss_line(a, b, x, np.zeros(30, int), loss="cross-entropy", store=tmp_path) for _ in range(2)]
    assert entropies[0].barrier.value == entropies[1].barrier.value


def test_wrong_questions_get_answers() -> None:
    a, b = dense(0), random_network([3, 6, 6, 2], seed=0)
    x, y = np.zeros((2, 3)), np.zeros((2, 2))
    with pytest.raises(InvalidNetwork, match="differs in more than its weights"):
        loss_line(a, b, x, y)
    with pytest.raises(InvalidInput, match="unknown loss"):
        loss_line(a, a, x, y, loss="hinge")
    with pytest.raises(InvalidInput, match="samples of shape"):
        loss_line(a, a, np.zeros((2, 4)), y)
    with pytest.raises(InvalidInput, match="targets of shape"):
        loss_line(a, a, x, np.zeros((2, 3)))
    with pytest.raises(InvalidInput, match="labels"):
        loss_line(a, a, x, np.array([0, 2]), loss="cross-entropy")
    with pytest.raises(InvalidInput, match="NaN"):
        loss_line(a, a, np.full((2, 3), np.nan), y)
    with pytest.raises(InvalidInput, match="not on the line"):
        loss_line(a, a, x, y).at(1.5)


@pytest.mark.parametrize("towards", ["norm", "entry"])
def test_errors_of_inputs_stay_within_the_bounds_that_are_carried(towards: str) -> None:
    """A change of the inputs along the first singular vector, or along a row, of the products it goes through."""
    a, b = (random_network([40, 32, 20, 3], seed=s) for s in (5, 6))
    cell = Cell(0.25, 0.25 + 2.0**-20)  # no unit switches: the change goes through one linear map
    x = np.random.default_rng(5).normal(size=(1, 40))
    t = cell.low

    def outputs(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        first = (1 - t) * a.dense_layers[0].weight + t * b.dense_layers[0].weight
        h = first @ z + (1 - t) * a.dense_layers[0].bias + t * b.dense_layers[0].bias
        return first, h

    first, _ = outputs(x[0])
    step = np.linalg.svd(first)[2][0] if towards == "norm" else first[3] / np.linalg.norm(first[3])
    size = 1e-4
    carrier = Carrier(b, cell, Rows(np.zeros(1, int), np.zeros(1), np.zeros(1), np.ones(1), np.ones(1)), gains_of(a, b))
    index = next(i for i, node in enumerate(a.nodes) if isinstance(node.op, Linear))
    given = Carried(x[None], np.full((1, 40), size), 0, np.full(1, size))  # all that is known: a change of this length
    found = carrier.affine(index, a.nodes[index].op, [given])
    change = outputs(x[0] + size * step)[1] - outputs(x[0])[1]
    assert found.norm is not None
    norms = [np.linalg.norm(network.dense_layers[0].weight, 2) for network in (a, b)]
    assert np.linalg.norm(change) <= found.norm[0] <= 1.5 * size * max(norms)
    assert (np.abs(change) <= found.error[0]).all()
    assert found.error_norm()[0] <= found.norm[0] * (1 + 1e-9)
    folded = carrier.rectified(found, np.zeros(()))
    assert folded.norm is not None and folded.norm[0] == found.norm[0]
    last = carrier.affine(index + 2, a.nodes[index + 2].op, [folded])
    second = (1 - t) * a.dense_layers[1].weight + t * b.dense_layers[1].weight
    through = second @ np.where(outputs(x[0])[1] > 0, change, 0.0)
    assert last.norm is not None and np.linalg.norm(through) <= last.norm[0]
    assert last.norm[0] < 0.6 * np.linalg.norm(found.error_norm()[0] * np.linalg.norm(second))  # better than entry by entry


@pytest.mark.parametrize("n_blocks", [1, 2, 3, 5, 8])
def test_long_products_are_added_up_in_blocks(n_blocks: int) -> None:
    rng = np.random.default_rng(n_blocks)
    x, W = rng.integers(-9, 10, (3, n_blocks * BLOCK - 1)), rng.integers(-9, 10, (4, n_blocks * BLOCK - 1))
    np.testing.assert_array_equal(_in_blocks(x.astype(float), W.astype(float)), x @ W.T)  # small integers do not round


def test_products_and_sums_of_onnx_are_matched_and_met_on_a_line(tmp_path: Path) -> None:
    from plica import load
    from plica.landscape import match
    from plica.network import to_onnx

    made = [random_network([3, 6, 5, 2], seed=s) for s in (0, 1)]
    read = []
    for i, network in enumerate(made):
        to_onnx(network, tmp_path / f"{i}.onnx")
        read.append(load(tmp_path / f"{i}.onnx"))
    assert any(node.op.kind == "scale" for node in read[0].nodes)  # MatMul and Add, each an operation
    x, y = np.random.default_rng(0).normal(size=(5, 3)), np.zeros((5, 2))
    matched = match(*read)
    assert matched.distance_after == match(*made).distance_after
    line, expected = (loss_line(a, match(a, b).network, x, y) for a, b in (read, made))
    assert line.n_breakpoints == expected.n_breakpoints
    assert abs(line.barrier.value.middle - expected.barrier.value.middle) < 1e-12


def test_coefficients_times_a_slope_that_is_no_power_of_two_stay_within_their_errors() -> None:
    rng = np.random.default_rng(0)
    n = 50
    net = Network.sequential(1, [Linear(np.ones((1, 1))), Rectifier(np.array(0.1))])
    rows = Rows(np.arange(n), *(np.full(n, end) for end in (0.0, 0.0, 1.0, 1.0)))
    carrier = Carrier(net, Cell(0.0, 1.0), rows, ())
    c = -np.stack([rng.uniform(1, 2, (n, 1)), rng.uniform(1, 2, (n, 1)) * 2.0**-30])  # no unit switches, and sizes differ
    found = carrier.rectified(Carried(c, np.zeros((n, 1)), 0), np.array([0.1]))
    for k in range(2):
        for i in range(n):
            off = abs(Fraction(float(found.c[k, i, 0])) - Fraction(float(c[k, i, 0])) * Fraction(0.1))
            assert off <= Fraction(float(found.error[i, 0]))


def test_what_a_grid_misses_is_told_from_below() -> None:
    from plica.landscape._extremes import LineExtreme
    from plica.landscape._line import GridMiss
    from plica.measure import Enclosed

    assert GridMiss(3, (0.5, 1.0), LineExtreme(0.4, Enclosed(1.5, 2.0))).missed == 0.5
    assert GridMiss(3, (0.5, 1.0), LineExtreme(0.4, Enclosed(0.5, 2.0))).missed == 0.0


def test_where_two_cells_of_a_line_meet_the_derivatives_are_those_of_either_side() -> None:
    a, b = (random_network([2, 6, 1], seed=s) for s in (0, 1))
    x = np.random.default_rng(0).normal(size=(6, 2))
    line = loss_line(a, b, x, np.zeros((6, 1)), n_cells=4)
    for cell in line.cells[1:]:
        t, h = cell.cell.low, 1e-6
        left, right = line.derivatives(t)
        assert left == pytest.approx((line.at(t).middle - line.at(t - h).middle) / h, rel=1e-3, abs=1e-4)
        assert right == pytest.approx((line.at(t + h).middle - line.at(t).middle) / h, rel=1e-3, abs=1e-4)


def test_the_barrier_allows_for_the_errors_of_the_top_and_of_both_ends() -> None:
    # a loss known up to 0.1: 4 t (1 - t) + 1, whose barrier 1 may be 0.1 more at the top and 0.1 more for ends that are lower
    nothing, error = np.empty(0), 0.1
    c = np.array([[1.0], [3.0], [1.0]])
    cell = PolynomialCell(Cell(0.0, 1.0), nothing, nothing, nothing.astype(int), c, error, 0, "squared")
    barrier = LossLine("squared", (cell,), 1, 1, 0.0).barrier
    assert barrier.t == 0.5 and barrier.value.low <= 0.8 and 1.2 <= barrier.value.high
    assert barrier.value.high - barrier.value.low < 0.4 + 1e-8


def test_cross_entropy_is_enclosed_where_doubles_cannot_tell_a_point_from_a_breakpoint() -> None:
    # logits (K relu((1 - t) p + t q), 0) for a label 1: before the breakpoint log 2, after it steep
    mp = pytest.importorskip("mpmath").mp.clone()
    mp.dps = 60
    rng = np.random.default_rng(0)
    for _ in range(40):
        scale = 10.0 ** rng.uniform(6, 12)
        x, first, last = rng.normal(size=(1, 5)), scale * rng.normal(size=(1, 5)), scale * rng.normal(size=(1, 5))
        p, q = (Fraction((exactly(x) * exactly(w)).sum()) for w in (first, last))
        if p * q > 0:
            last, q = -last, -q
        ends = [Network.sequential(5, [Linear(w), Rectifier(), Linear(np.array([[1.0], [0.0]]))]) for w in (first, last)]
        line = loss_line(*ends, x, np.array([1]), loss="cross-entropy", n_cells=4)
        t = float(p / (p - q))
        for k in range(-8, 9):
            near = t + k * float(np.spacing(t))
            f = max((1 - Fraction(near)) * p + Fraction(near) * q, Fraction(0))
            true = mp.log(1 + mp.exp(mp.mpf(f.numerator) / mp.mpf(f.denominator)))
            assert line.at(near).low <= true <= line.at(near).high


def test_a_point_on_the_line_is_enclosed_though_its_place_in_the_cell_is_rounded() -> None:
    # an absolute loss |K (t - r)|: next to its zero values are nothing but the rounding of the place
    rng = np.random.default_rng(1)
    for scale in (1.0, 1e9):
        for _ in range(20):
            r = float(rng.uniform(0.05, 0.95))
            ends = [Network.sequential(1, [Linear(np.array([[w]]))]) for w in (-scale * r, scale * (1 - r))]
            line = loss_line(*ends, np.ones((1, 1)), np.zeros((1, 1)), loss="absolute", n_cells=3)
            p, q = Fraction(-scale * r), Fraction(scale * (1 - r))
            for t in [*rng.uniform(0, 1, size=20), *(r + k * float(np.spacing(r)) for k in range(-4, 5))]:
                true = abs((1 - Fraction(float(t))) * p + Fraction(float(t)) * q)
                found = line.at(float(t))
                assert Fraction(found.low) <= true <= Fraction(found.high)
                assert found.high - found.low < 1e-12 * scale
