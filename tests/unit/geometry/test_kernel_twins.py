"""Every central kernel against a plain definition of what it computes, written without looking at how."""

import ast
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit

import plica
from plica.geometry import Box, Budget, Segment
from plica.geometry._bits import n_words, pack, unpack
from plica.geometry._budget import Meter
from plica.geometry._lanes import rectified_square, squared_norm, squared_sizes
from plica.geometry.line import _chunks
from plica.geometry.line import _cut_line as _line
from plica.geometry.line._deferred import after_chain
from plica.geometry.line._deferred_kernels import rectify_live
from plica.geometry.line._engine import LineWalker
from plica.geometry.line._kernels import carry_line
from plica.geometry.plane._cut import count_cut, cut_mesh
from plica.geometry.plane._deferred import DeferredLayer
from plica.geometry.plane._engine import PlaneWalker
from plica.geometry.signs import _kernels
from plica.geometry.signs._arrays import BoundedForms, Crossings, NewVertices, Signs
from plica.geometry.signs._crossings import lead_crossings, offsets_from_counts
from plica.geometry.signs._oracle import CutOracle, simple_forms
from plica.geometry.values._register_products import add_products
from plica.geometry.values._rescaling import rescaled
from plica.geometry.values._tensors import Tensor
from plica.geometry.values._window_rows import add_windows, in_lanes, room_for
from plica.network import Linear, Network, Rectifier, random_network

DECORATORS = {"compiled", "kernel", "phase", "dividing_kernel", "allocating_kernel", "vectorize", "guvectorize"}


def _is_compiled(function: ast.FunctionDef) -> bool:
    names = {n.id for d in function.decorator_list for n in ast.walk(d) if isinstance(n, ast.Name)}
    return bool(names & DECORATORS)


def test_no_kernel_takes_more_than_twelve_arguments_and_none_reorders_sums() -> None:
    root, seen = Path(plica.__file__).parent, 0
    for path in root.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert "fastmath" not in text, path
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef) and _is_compiled(node):
                seen += 1
                assert len(node.args.args) + len(node.args.kwonlyargs) <= 12, (path.name, node.name)
    assert seen > 60


# -- signs and crossings -------------------------------------------------------------------------------------------------


def _some_forms(seed: int, n: int = 12, m: int = 70) -> BoundedForms:
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, m))
    z[rng.random(z.shape) < 0.1] *= 1e-9  # too small for their bounds
    return BoundedForms(z, rng.random(m), 1e-6 * rng.random(n), 1e-9 * rng.random(m))


@pytest.mark.parametrize("seed", range(3))
def test_signs_are_those_beyond_the_bound(seed: int) -> None:
    forms = _some_forms(seed)
    (n, m), bound = forms.z.shape, forms.scale[None] * forms.error[:, None] + forms.floor
    words = [np.empty((n, n_words(m)), np.uint64) for _ in range(3)]
    count = _kernels.decide_signs(forms, False, 0, n, Signs(*words[:2]), words[2])
    plus, minus = forms.z > bound, forms.z < -bound
    for found, twin in zip(words, (plus, minus, ~(plus | minus)), strict=True):
        assert np.array_equal(unpack(found, m) == 1, twin)
    assert count == (~(plus | minus)).sum() > 0


@pytest.mark.parametrize("seed", range(3))
def test_crossings_are_sorted_zeros(seed: int) -> None:
    forms = _some_forms(seed)
    n, m = forms.z.shape
    bound = forms.scale[None] * forms.error[:, None] + forms.floor
    plus, minus = forms.z > bound, forms.z < -bound
    signs = Signs(pack(plus), pack(minus))
    edges = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1).astype(np.int32)
    counts = np.empty(n - 1, np.int64)
    _kernels.count_crossings(edges, signs, 0, n - 1, counts)
    total = int(counts.sum())
    found = Crossings(
        offsets_from_counts(counts), np.empty(total, np.int32), *np.empty((2, total)), np.empty(total, np.int32), counts
    )
    undecided = np.zeros(n - 1, np.bool_)
    _kernels.fill_crossings(edges, signs, forms, 0, n - 1, found, undecided)
    lead, edge = lead_crossings(found)
    assert np.array_equal(edge, np.repeat(np.arange(n - 1), counts)) and np.array_equal(lead, np.arange(total))
    for e, (p, q) in enumerate(edges.tolist()):
        part = slice(int(found.offsets[e]), int(found.offsets[e + 1]))
        where = {}
        for k in range(m):
            if (plus[p, k] and minus[q, k]) or (minus[p, k] and plus[q, k]):
                a, b = Fraction(float(forms.z[p, k])), Fraction(float(forms.z[q, k]))
                where[k] = a / (a - b)
        assert found.form[part].tolist() == sorted(where, key=lambda k: where[k])
        for k, t, t_error in zip(found.form[part].tolist(), found.t[part], found.t_error[part], strict=True):
            assert abs(Fraction(float(t)) - where[k]) <= Fraction(float(t_error))
        gaps = [b - a for a, b in pairwise(found.t[part])]
        errors = [a + b for a, b in pairwise(found.t_error[part])]
        assert bool(undecided[e]) == any(not gap > error for gap, error in zip(gaps, errors, strict=True))


# -- rows between rows ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("m", [0, 1, 7, 8, 9, 31, 64, 100])
def test_sums_in_lanes_are_their_plain_twins(m: int) -> None:
    rows = np.random.default_rng(m).normal(size=(2, m))
    assert njit(lambda x: squared_norm(x, 1))(rows) == squared_norm(rows, 1) == pytest.approx(float(rows[1] @ rows[1]))
    way, sizes = rows[1] - rows[0], squared_sizes(rows, 0, 1)
    assert njit(lambda x: squared_sizes(x, 0, 1))(rows) == sizes == pytest.approx((float(rows[0] @ rows[0]), float(way @ way)))
    compiled, plain = np.full((2, 2, m), 7.0)
    square = njit(lambda x, out: rectified_square(x, 1, out))(rows, compiled)
    assert square == rectified_square(rows, 1, plain) == pytest.approx(float((np.maximum(rows[1], 0.0) ** 2).sum()))
    assert np.array_equal(compiled, plain) and np.array_equal(plain[1], np.maximum(rows[1], 0.0)) and (plain[0] == 7.0).all()


@pytest.mark.parametrize(("n", "k"), [(1, 0), (2, 8), (3, 0), (4, 24)])
@pytest.mark.parametrize("bits", [20, 53])
def test_products_in_registers_are_their_plain_twins(n: int, k: int, bits: int) -> None:
    """With two columns that are missing: their row is written over by that of the last column. Bit for bit where no product
    rounds: what others lose depends on the processor."""
    rng = np.random.default_rng(n)
    x, w, before = (np.round(np.ldexp(rng.uniform(-1, 1, size=m), bits)) for m in (7 * 11, 6 * 8 * n, 7 * 64))
    x[66:] = 0.0
    channels, lines = np.array([9, 0, 2, 3, 7, 10], np.uint64), 8 * n * np.array([2, 5, 0, 1, 4, 3], np.uint64)
    starts = np.array([5, 66, 66, 0, 33, 11, 44], np.uint64)
    rows = 64 * np.array([6, 4, 4, 0, 2, 1, 4], np.uint64)
    compiled, plain = before.copy(), before.copy()
    njit(lambda y: add_products(x, starts, 1, channels, lines, 1, 6, w, y, rows, k, n))(compiled)
    add_products(x, starts, 1, channels, lines, 1, 6, w, plain, rows, k, n)
    if bits == 20:
        assert np.array_equal(compiled, plain)
    expected = before.reshape(7, 64).copy()
    for row, start in zip((0, 2, 1, 4), (0, 33, 11, 44), strict=True):
        expected[row, k : k + 8 * n] += x[start + channels[1:].astype(int)] @ w.reshape(6, 8 * n)[[5, 0, 1, 4, 3]]
    size = np.ldexp(1.0, 2 * bits)
    assert compiled.reshape(7, 64) == pytest.approx(expected, rel=0, abs=1e-14 * size)
    assert plain.reshape(7, 64) == pytest.approx(expected, rel=0, abs=1e-14 * size)


@pytest.mark.parametrize("n_channels", [1, 3, 64, 70])
@pytest.mark.parametrize("n_rows", [1, 2, 7])
def test_windows_of_rows_are_products_of_matrices(n_channels: int, n_rows: int) -> None:
    """Small integers, so that nothing rounds; entries that are zero, taps outside, more outputs than a block of lanes."""
    rng = np.random.default_rng(n_channels)
    n_spots, n_positions, n_taps, n_out = 5, 7, 3, 37
    rows = rng.integers(-9, 10, (n_rows, n_channels, n_spots)) * rng.integers(0, 2, (1, n_channels, n_spots)).astype(float)
    spots = rng.integers(-1, n_spots, (n_positions, n_taps)).astype(np.int32)
    weights = rng.integers(-9, 10, (n_out, n_channels, n_taps)).astype(float)
    expected = np.zeros((n_positions, n_rows, n_out))
    for p in range(n_positions):
        for t in range(n_taps):
            if spots[p, t] >= 0:
                expected[p] += rows[:, :, spots[p, t]] @ weights[:, :, t].T
    flat, lanes = rows.reshape(n_rows, -1), in_lanes(weights)
    assert lanes.shape == (n_taps * n_channels, 40)
    for function in (add_windows, add_windows.py_func):
        y = room_for(n_rows, n_positions, 56)
        assert len(y) % 6 == 0
        function(flat, spots, lanes, y, 16)
        assert np.array_equal(y[: n_rows * n_positions, 16:53].reshape(expected.shape), expected)
        assert not y[:, :16].any() and not y[:, 53:].any() and not y[n_rows * n_positions :].any()


def _convex(rows: Any, p: int, q: int, t: float) -> list[Fraction]:
    first, second = ([Fraction(float(x)) for x in rows[i]] for i in (p, q))
    s = Fraction(float(t))
    return [(1 - s) * x + s * y for x, y in zip(first, second, strict=True)]


@pytest.mark.parametrize("rectify", [False, True])
def test_rows_are_carried_between_their_neighbors_within_their_bounds(rectify: bool) -> None:
    rng = np.random.default_rng(5)
    values, error = rng.normal(size=(6, 21)), 1e-12 * rng.random(6)
    on_edges = NewVertices(np.array([0, 1, 2], np.int32), np.array([3, 4, 5], np.int32), rng.random(3), np.full(3, 1e-13))
    inside = NewVertices(np.array([6, 7, 0], np.int32), np.array([8, 1, 7], np.int32), rng.random(3), np.full(3, 1e-13))
    new = Tensor(values, error).extended(on_edges, inside, rectify=rectify)
    true = [[Fraction(float(x)) for x in row] for row in values]
    true += [_convex(values, *(int(i) for i in (on_edges.p[j], on_edges.q[j])), on_edges.t[j]) for j in range(3)]
    for p, q, t in zip(inside.p, inside.q, inside.t, strict=True):
        s = Fraction(float(t))
        true.append([(1 - s) * x + s * y for x, y in zip(true[p], true[q], strict=True)])
    for row, twin, bound, near in zip(new.values, true, new.error, [*error, *([None] * 6)], strict=True):
        miss = sum((Fraction(float(x)) - (max(y, Fraction(0)) if rectify else y)) ** 2 for x, y in zip(row, twin, strict=True))
        assert near == bound or miss <= Fraction(float(bound)) ** 2
        assert float(bound) < 1e-11
    assert new.norm() >= float(np.linalg.norm(new.values, axis=1).max())
    line, line_error, square = carry_line(
        values, error, np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([0.0, 0.25, 0.0]), np.full(3, 1e-13), rectify
    )
    twin = np.stack([values[0], 0.75 * values[0] + 0.25 * values[1], values[1]])
    twin = np.maximum(twin, 0.0) if rectify else twin
    assert np.allclose(line, twin, rtol=0, atol=1e-14) and (line_error[[0, 2]] == error[:2]).all() and line_error[1] > error[0]
    assert square == pytest.approx(max(float(r @ r) for r in twin[[0, 2]]))


def test_units_that_are_positive_nowhere_are_left_out() -> None:
    rng = np.random.default_rng(2)
    z, columns = rng.normal(size=(4, 9)), rng.normal(size=(9, 5))
    z[:, [2, 5]] = -np.abs(z[:, [2, 5]])
    positive, kept, square = rectify_live(z, columns)
    live = [k for k in range(9) if (z[:, k] > 0).any()]
    assert 2 not in live and np.array_equal(positive, np.maximum(z, 0)[:, live]) and np.array_equal(kept, columns[live])
    assert square == pytest.approx(max(float(r @ r) for r in positive))


def test_states_of_many_pieces_are_the_states_of_each() -> None:
    rng = np.random.default_rng(4)
    anchors = np.array([0, 7, 20])
    cell = np.sort(rng.integers(1, 30, 60))
    neuron, state = rng.integers(0, 5, 60), rng.integers(0, 3, 60).astype(np.int8)
    states = _chunks.LineStates(5, anchors, rng.integers(0, 3, (3, 5)).astype(np.int8), cell, neuron, state)
    cells = rng.integers(0, 30, 40)
    for wanted in (cells, cells[cells > 8], np.arange(30)):
        assert np.array_equal(states.rows(wanted), np.stack([states.row(int(c)) for c in wanted]))


# -- chords and faces ----------------------------------------------------------------------------------------------------


def _walker(network: Network, domain: Any) -> PlaneWalker:
    floats, exponents = rescaled(network, domain)
    walker = PlaneWalker(network, floats, exponents, domain, Meter(Budget(), len(network.layers)))
    walker.affine(1)
    return walker


def _clip(polygon: list[tuple[Fraction, Fraction]], line: tuple[Fraction, ...], side: int) -> list[tuple[Fraction, Fraction]]:
    """The part of a polygon on one side of a line."""
    values = [side * (line[0] * x + line[1] * y + line[2]) for x, y in polygon]
    out = []
    for (p, a), (q, b) in pairwise([*zip(polygon, values, strict=True), (polygon[0], values[0])]):
        if a >= 0:
            out.append(p)
        if a * b < 0:
            t = a / (a - b)
            out.append((p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])))
    return out


def _area(polygon: list[tuple[Fraction, Fraction]]) -> Fraction:
    ring = [*polygon, polygon[0]]
    return sum((p[0] * q[1] - p[1] * q[0] for p, q in pairwise(ring)), Fraction(0)) / 2


@pytest.mark.parametrize("seed", range(6))
def test_the_faces_of_chords_are_the_cells_of_an_arrangement(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = 9 if seed else 66
    weight, bias = rng.integers(-4, 5, (size, 2)) / 4, rng.integers(-3, 4, size) / 4  # many coincide, or meet in one point
    network = Network.sequential(2, [Linear(weight, bias), Rectifier(), Linear(np.ones((1, size)))])
    walker = _walker(network, Box([-1, -1], [1, 1]))
    forms = simple_forms(network.folds[0], walker.tensors[1])
    result = cut_mesh(walker.mesh, forms, CutOracle(walker.exact, walker.mesh, 0), 0)
    count = count_cut(walker.mesh, forms, CutOracle(walker.exact, walker.mesh, 0), 0)

    cells: dict[tuple[int, ...], list[tuple[Fraction, Fraction]]] = {
        (): [(Fraction(x), Fraction(y)) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    }
    for w, b in zip(weight.tolist(), bias.tolist(), strict=True):
        line = (Fraction(w[0]), Fraction(w[1]), Fraction(b))
        finer = {}
        for signs, polygon in cells.items():
            parts = {side: _clip(polygon, line, side) for side in (-1, 1)} if any(line) else {-1: polygon}
            finer |= {(*signs, side): part for side, part in parts.items() if len(part) > 2 and _area(part) > 0}
        cells = finer
    patterns = {tuple(int(s > 0) for s in signs): _area(p) for signs, p in cells.items()}
    found = unpack(result.words, size)
    assert count == result.mesh.n_cells == len(patterns) == len(cells)
    assert {tuple(row) for row in found.tolist()} == set(patterns)
    mesh, exact = result.mesh, walker.exact
    corners = mesh.edges[mesh.half_edges >> 1, mesh.half_edges & 1]
    for c, row in enumerate(found.tolist()):
        ring = [exact.position(mesh.vertex_hyperplanes[v]) for v in corners[mesh.offsets[c] : mesh.offsets[c + 1]]]
        assert _area([(Fraction(x, w), Fraction(y, w)) for x, y, w in ring]) == patterns[tuple(row)]


@pytest.mark.parametrize("seed", range(3))
def test_deferred_layers_are_products(seed: int) -> None:
    """On edges, on chords and on a line: what kinks give is the product with the layer's weights."""
    network = random_network([2, 9, 13, 1], seed=seed, weights="he-normal", bias_std=0.5)
    walker = _walker(network, Box([-1, -1], [1, 1]))
    x, before = walker.tensors[1], walker.mesh
    forms, oracle = simple_forms(network.folds[0], x), CutOracle(walker.exact, before, 0)
    result = cut_mesh(before, forms, oracle, 0)
    found = DeferredLayer(x, before, result).through(network, 3)
    weight, bias = network.nodes[3].op.dense, network.nodes[3].op.offset
    assert weight is not None and bias is not None
    twin = x.extended(result.on_edges, result.inside, rectify=True).values @ weight.T + bias
    assert result.inside.n_vertices > 3 and np.abs(found.values - twin).max() < 1e-13 * np.abs(twin).max()
    assert (np.linalg.norm(found.values - twin, axis=1) <= 2 * found.error).all()

    segment = Segment([-1.0, -0.5], [1.0, 0.75])
    floats, exponents = rescaled(network, segment)
    line = LineWalker(network, floats, exponents, segment, Meter(Budget(), 2))
    values, error = segment.chart.at(segment.window)
    z = Tensor(values @ network.nodes[1].op.dense.T + network.nodes[1].op.offset, error + 1e-14)  # type: ignore[union-attr]
    cut = line_cut(line, z)
    found = after_chain(network, (3,), z, cut)
    twin = cut.carry(z, rectify=True).values @ weight.T + bias
    assert len(cut.p) > 4 and np.abs(found.values - twin).max() < 1e-13 * np.abs(twin).max()


def line_cut(walker: LineWalker, z: Tensor) -> Any:
    ends = np.array([[-1, 0, -1], [-1, 1, -1]], np.int32)
    oracle = CutOracle(walker.exact, _line.LineMesh(ends), 0)
    return _line.cut_line(ends, simple_forms(walker.network.folds[0], z), oracle, 0, np.zeros(1, np.int32))


# -- what Python runs until a kernel is compiled ---------------------------------------------------------------------------

STRANGE = [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, 1e308]


def _both(kernel: Any, arguments: Any) -> list[bytes]:
    """The bytes of all arguments and of the result, after the kernel's text and after its twin in whole arrays."""
    wide, found = kernel._compile_for_args.plain, []
    assert wide is not kernel.py_func
    for run in (kernel.py_func, wide):
        given = arguments()
        with np.errstate(all="ignore"):
            result = run(*given)
        parts = [p for a in given for p in (a if isinstance(a, tuple) else (a,)) if isinstance(p, np.ndarray)]
        found.append(b"".join(p.tobytes() for p in parts) + repr(result).encode())
    return found


@pytest.mark.parametrize("m", [1, 63, 64, 65, 130])
@pytest.mark.parametrize("trust_zero", [False, True])
def test_signs_in_whole_arrays_are_those_of_the_kernel(m: int, trust_zero: bool) -> None:
    def arguments() -> Any:
        rng = np.random.default_rng(m)
        z, scale, error, floor = rng.normal(size=(9, m)), rng.random(m), 0.5 * rng.random(9), 0.1 * rng.random(m)
        z[rng.random(z.shape) < 0.2] = 0.0
        z[4, : len(STRANGE)] = STRANGE[:m]
        z[5] = scale * error[5] + floor  # on its bound: undecided
        z[6] = -z[5]
        words = [np.full((9, n_words(m)), 77, np.uint64) for _ in range(3)]
        return BoundedForms(z, scale, error, floor), trust_zero, 1, 8, Signs(*words[:2]), words[2]

    plain, wide = _both(_kernels.decide_signs, arguments)
    assert plain == wide


@pytest.mark.parametrize("rectify", [False, True])
def test_rows_in_whole_arrays_are_those_of_the_kernel(rectify: bool) -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(5, 21))
    values[1, :7] = values[2, 3:10] = STRANGE

    def between() -> Any:
        return values.copy(), 1, 2, 0.3, rectify, np.full((4, 21), 7.0), 2

    def ends() -> Any:
        return values.copy(), (0, 1, 0.25), (2, 2, 0.0), np.full((2, 21), 7.0)

    for kernel, arguments in ((_kernels.row_between, between), (_kernels.rows_of_ends, ends)):
        plain, wide = _both(kernel, arguments)
        assert plain == wide
