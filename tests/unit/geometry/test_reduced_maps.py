"""Maps of a tile's cells in the few variables of its program: near the truth, kept, and asked before the whole network is."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from plica.geometry import Budget, Plane, count_regions, decompose
from plica.geometry._budget import Meter
from plica.geometry._decompose import engine
from plica.geometry.domains._tile import Tile
from plica.geometry.signs._precision import Precision
from plica.geometry.tiles import _products, _reduced_maps, _stream
from plica.geometry.tiles._products import linear_rows
from plica.geometry.tiles._program import N_AFFINE, ContestStep
from plica.geometry.tiles._reduced_maps import ReducedMaps
from plica.geometry.tiles._restriction import restricted
from plica.geometry.tiles._tile_walk import OpenOracle, TileCells, TileWalker
from plica.network import Builder, Conv, Linear, Max, Network, Rectifier, Reshape


def pooled(seed: int, *, n_layers: int = 4) -> Network:
    """Convolutions with a pooling behind each, which multiply the bounds of errors."""
    rng = np.random.default_rng(seed)
    b, size, channels = Builder(256), 16, 1
    x = b.add(Reshape((1, 16, 16)))
    for _ in range(n_layers - 1):
        weight = rng.normal(size=(6, channels, 3, 3)) * np.sqrt(2 / (9 * channels))
        x = b.add(Rectifier(), b.add(Conv(weight, rng.normal(size=6) / 8, (1, 1), ((1, 1), (1, 1)), (1, 1)), x))
        i = np.arange(6 * size * size).reshape(6, size // 2, 2, size // 2, 2).transpose(0, 1, 3, 2, 4)
        x, size, channels = b.add(Max(i.reshape(6, size // 2, size // 2, 4)), x), size // 2, 6
    x = b.add(Reshape((6 * size * size,)), x)
    return b.build(b.add(Linear(rng.normal(size=(3, 6 * size * size)), rng.normal(size=3)), x))


def small_window(seed: int, width: float) -> Plane:
    a, b, c = np.random.default_rng(seed).uniform(size=(3, 256))
    corners = ((0.3, 0.3), (0.3 + width, 0.3), (0.3 + width, 0.3 + width), (0.3, 0.3 + width))
    return Plane(a, [b - a, c - a], window=corners)


def finished(network: Network, domain: Plane) -> TileCells:
    tile = Tile.of(domain)
    with engine(Meter(Budget(), len(network.layers))):
        return TileWalker(network, tile, restricted(network, tile)).run()


@pytest.mark.parametrize("kept", [True, False])
def test_outputs_on_cells_are_as_near_the_integers_as_is_said(kept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not kept:
        monkeypatch.setattr(_reduced_maps, "_KEPT_ENTRIES", 0)
    network = pooled(0)
    done = finished(network, small_window(0, 0.1))
    program, maps = done.program, _reduced_maps.ReducedMaps(done.program, done.exact)
    cells = np.arange(0, done.n_cells, max(1, done.n_cells // 40))
    y, error = maps.functions(len(program.steps), *maps.variables(len(program.steps), cells), program.outputs)
    again = maps.functions(len(program.steps), *maps.variables(len(program.steps), cells), program.outputs)
    np.testing.assert_array_equal(again[0], y)
    center, scale = ([Fraction(float(x)) for x in xs] for xs in (program.center, program.scale))
    for i, cell in enumerate(cells.tolist()):
        exact = done.exact.output(cell)
        unit, off = Fraction(2) ** exact.exponent, Fraction(0)
        for k in range(network.n_outputs):
            u, v, c = (int(exact.integers[j, k]) * unit for j in range(3))
            own = (u * scale[0], v * scale[1], c + u * center[0] + v * center[1])
            off += sum(((t - Fraction(float(s))) ** 2 for t, s in zip(own, y[i, k], strict=True)), Fraction(0))
        assert off <= Fraction(float(error[i])) ** 2
        assert error[i] < 1e-8


def test_differences_of_members_are_off_by_both_of_them() -> None:
    """Columns that are off by their whole bound, one member up and the other down."""
    done = finished(pooled(0), small_window(0, 0.1))
    program = done.program
    layer, step = next((i, s) for i, s in enumerate(program.steps) if isinstance(s, ContestStep) and len(s.groups))
    maps = ReducedMaps(program, done.exact)
    cells = np.arange(len(done.exact.layers[layer - 1].parent))
    e, error = maps.variables(layer, cells)
    k = e.shape[1]
    a, b = step.place[0, :2]
    step.error = np.linspace(0.01, 0.02, k + N_AFFINE)
    moved = step.columns.copy()
    moved[:, a] += step.error / np.sqrt(2)
    moved[:, b] -= step.error / np.sqrt(2)
    true, bound = maps.functions(layer, e, 0 * error, step.columns[:, [a]] - step.columns[:, [b]], n_members=2)
    y, _ = maps.functions(layer, e, 0 * error, moved[:, [a]] - moved[:, [b]], n_members=2)
    off = np.sqrt(((y - true) ** 2).sum(axis=(1, 2)))
    assert (off > np.linalg.norm(step.error[-N_AFFINE:])).all()  # more than one of them alone
    assert (off <= bound).all()
    _, one = maps.functions(layer, e, error + 0.1, step.columns, n_members=1)
    _, none = maps.functions(layer, e, error, step.columns, n_members=1)
    assert (one - none >= 0.1 * np.linalg.norm(step.columns[:k], 2) * (1 - 1e-9)).all()


def test_what_a_maximum_chooses_is_off_by_two_members_of_each_group() -> None:
    done = finished(pooled(0), small_window(0, 0.1))
    program = done.program
    layer, step = next((i, s) for i, s in enumerate(program.steps) if isinstance(s, ContestStep) and len(s.groups))
    cells = np.arange(len(done.exact.layers[layer].parent))
    _, before = ReducedMaps(program, done.exact).variables(layer + 1, cells)
    step.error = step.error + 0.01  # of a member that wins and of the first, which is taken from it
    _, after = ReducedMaps(program, done.exact).variables(layer + 1, cells)
    assert (after - before >= 2 * 0.01 * N_AFFINE * (1 - 1e-6)).all()


def test_the_whole_network_is_not_asked_what_the_tile_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few vertices are open, doubles in the tile's own variables come first."""
    asked: list[Precision] = []
    plain = OpenOracle.values_at

    def values_at(self: OpenOracle, precision: Precision, hyperplanes: Any, cells: Any) -> Any:
        asked.append(precision)
        return plain(self, precision, hyperplanes, cells)

    monkeypatch.setattr(OpenOracle, "values_at", values_at)
    network, domain = pooled(1, n_layers=5), small_window(1, 0.12)
    done = finished(network, domain)
    assert Precision.DOUBLE in asked and Precision.EXTENDED not in asked
    assert done.exact.tally.decisions.extended == 0
    assert done.n_cells == decompose(network, domain).n_cells


@pytest.mark.parametrize(("stride", "dilation", "padding"), [(1, 1, 1), (2, 1, 0), (1, 2, 3)])
def test_products_by_position_are_products(stride: int, dilation: int, padding: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_products, "_LEAST_PRODUCTS", 0)
    monkeypatch.setattr(_products, "_TERMS", 7)
    rng = np.random.default_rng(0)
    x = rng.integers(-9, 9, size=(5, 3, 9, 8)) * (rng.uniform(size=(5, 3, 9, 8)) < 0.1)
    x[:, :, 2:] *= rng.integers(0, 2, size=(5, 1, 7, 1))
    weight = rng.integers(-9, 9, size=(4, 3, 3, 3)).astype(float)
    op = Conv(weight, None, (stride,) * 2, ((padding,) * 2,) * 2, (dilation,) * 2)
    shape = op.output_shape((3, 9, 8))
    y, n_terms = linear_rows(op, [x.astype(float)], shape)
    np.testing.assert_array_equal(y, op.linear([x.astype(float)], weight))
    assert n_terms == 7 + 4
    assert linear_rows(op, [np.zeros((2, 3, 9, 8))], shape)[0].any() == np.False_


def test_a_plane_in_parts_of_shared_programs_has_the_cells_of_the_plane(monkeypatch: pytest.MonkeyPatch) -> None:
    network, domain = pooled(2), small_window(2, 0.1)
    n_cells = decompose(network, domain).n_cells
    monkeypatch.setattr(_products, "_LEAST_PRODUCTS", 0)
    monkeypatch.setattr(_stream, "shared_neurons", lambda network: 60)
    monkeypatch.setitem(_stream.finished_tiles.__kwdefaults__, "most", 25)
    assert n_cells > 150 and count_regions(network, domain, cells_only=True).n_cells == n_cells
