"""What Python runs in place of kernels that are not compiled yet gives the same bits as the kernels."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

from plica.geometry import Box, Plane, _bits, _lanes, decompose
from plica.geometry.line import _deferred_kernels as _line_deferred
from plica.geometry.line import _kernels as _line_kernels
from plica.geometry.plane import _chords, _deferred, _faces
from plica.geometry.regions import _regions
from plica.geometry.signs import _kernels
from plica.geometry.values import _deferred_kernels
from plica.network import random_network
from plica.testing import FAMILIES, draw_case, draw_segment

MODULES: tuple[ModuleType, ...] = (
    _bits, _chords, _deferred_kernels, _faces, _kernels, _line_deferred, _line_kernels, _regions,
)  # fmt: skip


def kernels(module: ModuleType) -> dict[str, Any]:
    return {name: f for name, f in vars(module).items() if isinstance(f, Dispatcher)}


WIDE = {name for module in MODULES for name, f in kernels(module).items() if f._compile_for_args._wide is not None}
_ENDS = 7


@pytest.fixture
def in_python(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A switch: every kernel is what runs until it is compiled; whole arrays are compared with the kernel in all that is written.

    The names of those that engines called are in ``called``.
    """

    def compared(name: str, kernel: Any) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            switch.called.add(name)
            if name not in WIDE:
                return kernel._compile_for_args._interpreted(*args)
            copies = copied(args, {})
            expected, found = kernel(*copies), kernel._compile_for_args._interpreted(*args)
            if name == "carry_new":
                args[_ENDS][:], copies[_ENDS][:] = 0.0, 0.0  # room to work in
            assert (found, written(args)) == (expected, written(copies)), name
            return found

        return call

    def switch() -> None:
        found = [(module, name, f, f._compile_for_args.plain) for module in MODULES for name, f in kernels(module).items()]
        for module, name, f, _ in found:  # only now: what kernels call has been met as it is
            monkeypatch.setattr(module, name, compared(name, f))

    switch.called = set()  # type: ignore[attr-defined]
    return switch


def copied(value: Any, known: dict[int, bytearray]) -> Any:
    """What shares its memory still does."""
    if isinstance(value, tuple):
        items = [copied(each, known) for each in value]
        return tuple(items) if type(value) is tuple else type(value)(*items)
    if not isinstance(value, np.ndarray):
        return value
    base = value
    while isinstance(base.base, np.ndarray):
        base = base.base
    memory = known.setdefault(id(base), bytearray(base.tobytes("A")))
    twin: Any = np.ndarray(value.shape, value.dtype, memory, value.ctypes.data - base.ctypes.data, value.strides)
    twin.flags.writeable = value.flags.writeable
    return twin


def written(value: Any) -> Any:
    return (
        [written(each) for each in value] if isinstance(value, tuple) else value.tobytes() if isinstance(value, np.ndarray) else 0
    )


def bits(cx: Any) -> list[Any]:
    found = [cx.vertices.tobytes(), cx.outputs.tobytes(), cx.regions.tolist(), cx.exact_fallbacks]
    found += [p.tobytes() for p in cx.patterns()]
    if cx.dimension == 2:
        found += [cx.edges.tolist(), cx.edge_cells.tolist(), cx.edge_layer.tolist(), cx.cell_vertices.tolist()]
    return found


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_complexes_are_the_same_bits_before_kernels_are_compiled(family: str, in_python: Any) -> None:
    cases = [draw_case(family, seed=seed, size="tiny") for seed in (30, 31)]
    domains = [(c.network, d) for c in cases for d in (c.domain, draw_segment(c.network, seed=9))]
    with np.errstate(all="ignore"):
        compiled = [bits(decompose(*each)) for each in domains]
        in_python()
        assert [bits(decompose(*each)) for each in domains] == compiled


def test_deep_planes_with_deferred_layers_are_the_same_bits_and_use_every_array(in_python: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(_deferred, "LEAST_WEIGHTS", 0)
    nets = [random_network([2, 19, 70, 11, 3], seed=s, weights="he-normal", bias_std=0.5) for s in range(2)]
    planes = [Box([-1, -1], [1, 1]), Plane([0.2, 0], [[1e-7, 0], [0, 1e-7]])]
    with np.errstate(all="ignore"):
        compiled = [bits(decompose(net, plane)) for net in nets for plane in planes]
        in_python()
        assert [bits(decompose(net, plane)) for net in nets for plane in planes] == compiled
    inside = {"_one_breakpoint", "add", "advance", "first_slope", "put", "row_between", "rows_of_ends"}  # called by kernels
    assert WIDE - inside == {"carry_new", "carry_old", "decide_signs", "find_jumps", "pick_triangles", "rectify"}
    assert inside < WIDE and WIDE - inside <= in_python.called


@pytest.mark.parametrize("name", ["_one_breakpoint", "add", "advance", "first_slope", "put", "row_between", "rows_of_ends"])
def test_rows_that_kernels_ask_for_are_the_same_bits(name: str) -> None:
    kernel = getattr(_kernels if name.startswith("row") else _deferred_kernels, name)
    rng = np.random.default_rng(0)
    for width in (1, 7, 8, 61, 200):
        rows, columns, t, w = rng.normal(size=(5, width)) * 1e3, rng.normal(size=(4, width)), rng.uniform(), rng.normal()
        results = []
        for run in (kernel, kernel._compile_for_args.plain):
            x, y, z = rows.copy(), rows[0].copy(), rows[1].copy()
            args = {
                "_one_breakpoint": (x, 0, 1, columns, 2, t, w, 3),
                "add": (y, w, columns, 3),
                "advance": (y, t, z),
                "first_slope": (x, 2, 3, y, z),
                "put": (y, x, 4),
                "row_between": (x, 0, 1, t, width > 7, x, 4),
                "rows_of_ends": (rows, (0, 1, t), (2, 3, 1 - t), x),
            }
            run(*args[name])
            results.append([x.tobytes(), y.tobytes(), z.tobytes()])
        assert results[0] == results[1] != [rows.tobytes(), rows[0].tobytes(), rows[1].tobytes()]


@pytest.mark.parametrize("corner", [np.nan, np.inf, 1e200])
def test_triangles_of_what_overflows_are_the_same(corner: float) -> None:
    xy = np.array([[0, 0], [1, 0], [1, 1], [corner, 0.5], [0, 1]])
    edges = np.array([[0, 1], [1, 2], [2, 3], [3, 4], [4, 0], [0, 2]])
    offsets, half_edges = np.array([0, 5, 8]), np.array([0, 2, 4, 6, 8, 0, 2, 11])
    found = [np.full((2, 3), -1), np.full((2, 3), -1)]
    kernel = _regions.pick_triangles
    with np.errstate(all="ignore"):
        kernel(offsets, half_edges, edges, xy, found[0])
        kernel._compile_for_args.plain(offsets, half_edges, edges, xy, found[1])
    assert np.array_equal(*found) and found[0].min() >= 0


def test_sums_of_squares_of_many_rows_are_those_of_each() -> None:
    rng = np.random.default_rng(1)
    for width in range(40):
        rows = rng.normal(size=(30, width)) * 10.0 ** rng.integers(-9, 9, (30, width))
        assert _lanes.squares_of_rows(rows).tolist() == [_kernels_square(rows, i) for i in range(len(rows))]


def _kernels_square(rows: Any, i: int) -> float:
    """By the compiled definition."""
    out = np.empty_like(rows)
    return float(_kernels._copied_square(rows, i, out))


def test_maps_that_differ_by_about_their_error_are_told_apart_by_the_same_bound() -> None:
    mesh = decompose(random_network([2, 30, 2], seed=1, weights="he-normal", bias_std=0.5), Box([-1, -1], [1, 1]))._walk.mesh
    rng, n = np.random.default_rng(2), len(mesh.edges)
    n_vertices = int(mesh.edges.max()) + 1
    xy, y = rng.uniform(-1, 1, (n_vertices, 2)), rng.normal(size=(n_vertices, 2))
    triangles = np.empty((mesh.n_cells, 3), np.int64)
    _regions.pick_triangles(mesh.offsets, mesh.half_edges, mesh.edges, xy, triangles)
    found: list[Any] = []
    for scale in np.geomspace(1e-5, 1e-2, 40):
        errors = rng.uniform(0, scale, n_vertices), rng.uniform(0, 100 * scale, n_vertices)
        args = mesh.edges, mesh.edge_cells(), mesh.offsets, mesh.half_edges, triangles, xy, errors[0], y, errors[1]
        compiled, plain = np.empty(n, np.bool_), np.empty(n, np.bool_)
        _regions.find_jumps(*args, compiled)
        with np.errstate(all="ignore"):
            _regions.find_jumps._compile_for_args.plain(*args, plain)
        assert np.array_equal(compiled, plain)
        found.append(compiled.mean())
    assert min(found) < 0.2 < 0.6 < max(found)
