"""What is kept of the maps of cells: the same numbers, within a limit, and nothing whose name is used again."""

from typing import Any

import numpy as np
import pytest

from plica.geometry import Box, Segment, decompose
from plica.geometry.line import _engine
from plica.geometry.signs import _cell_maps, _kept_maps
from plica.geometry.signs._cell_maps import CellMaps
from plica.geometry.signs._kept_maps import KeptForms, RecentMaps
from plica.geometry.signs._precision import PRECISIONS, Precision
from plica.network import random_network


def deep_walk() -> Any:
    net = random_network([2, *[12] * 6, 2], seed=1, weights="he-normal", bias_std=0.5)
    return decompose(net, Box([-1, -1], [1, 1]))._walk  # type: ignore[union-attr]


@pytest.mark.parametrize("precision", PRECISIONS)
def test_maps_that_are_kept_are_those_computed_from_the_input(precision: Precision, monkeypatch: pytest.MonkeyPatch) -> None:
    walk = deep_walk()
    maps, n = CellMaps(walk.exact, precision), len(walk.exact.layers[4].parent)
    rng = np.random.default_rng(0)
    for layer, n_asked in ((3, 40), (4, 60), (5, 90), (5, 20), (5, n), (4, 30)):
        cells = rng.integers(0, len(walk.exact.layers[layer - 1].parent), n_asked)
        (x, e), which = maps.fold_input(layer, cells)
        with monkeypatch.context() as patch:
            patch.setattr(_kept_maps, "_MOST_BYTES", 0)
            (y, f), place = CellMaps(walk.exact, precision).fold_input(layer, cells)
        # products of other numbers of rows may round otherwise, within the bounds
        gap = np.sqrt(((x[which] - y[place]) ** 2).sum(axis=2))
        assert (gap <= e[which] + f[place]).all()
        np.testing.assert_allclose(e[which].astype(float), f[place].astype(float), rtol=1e-6)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_forms_of_several_layers_compute_each_layer_once(precision: Precision, monkeypatch: pytest.MonkeyPatch) -> None:
    exact, rng, asked = deep_walk().exact, np.random.default_rng(0), dict[int, int]()
    names = np.concatenate(
        [
            np.stack([np.full(n, layer), rng.integers(0, len(exact.layers[layer - 1].parent), n), rng.integers(0, 12, n)], axis=1)
            for layer, n in ((1, 70), (2, 3), (3, 200), (5, 150))
        ]
    )
    compute = CellMaps._compute

    def counted(self: CellMaps, layer: int, cells: Any) -> Any:
        asked[layer] = asked.get(layer, 0) + 1
        return compute(self, layer, cells)

    with monkeypatch.context() as patch:
        patch.setattr(CellMaps, "_needed", lambda self, names: {})
        f, e = CellMaps(exact, precision)._hyperplanes(names)
    monkeypatch.setattr(CellMaps, "_compute", counted)
    maps = CellMaps(exact, precision)
    g, h = maps._hyperplanes(names)
    assert asked == dict.fromkeys(range(6), 1)
    assert (np.abs(f - g) <= e + h).all()
    np.testing.assert_allclose(e.astype(float), h.astype(float), rtol=1e-6)
    assert (maps._hyperplanes(names)[0] == g).all() and sum(asked.values()) == 6  # now they are known


def test_what_is_kept_stays_within_its_limit_and_the_first_layers_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    def maps_of(cells: Any) -> dict[int, tuple[Any, Any]]:
        return {0: (np.repeat(cells[:, None, None].astype(float), 8, axis=2), np.zeros((len(cells), 1)))}

    monkeypatch.setattr(_kept_maps, "_MOST_BYTES", 3 * 72 * 10)
    recent = RecentMaps()
    for layer in range(5):
        found = recent.maps(layer, np.arange(layer, layer + 10), maps_of)
        assert found[0][0][:, 0, 0].tolist() == list(range(layer, layer + 10))
        assert recent._bytes <= 3 * 72 * 10
    assert sorted(recent._blocks) == [2, 3, 4]
    recent.forget(3)
    assert sorted(recent._blocks) == [2] and recent._bytes == 720


def test_forms_are_computed_once_and_forgotten_by_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def compute(cells: Any, codes: Any) -> tuple[Any, Any]:
        asked.append(len(cells))
        return np.stack([cells, codes], axis=1).astype(float), np.zeros((len(cells), 2))

    kept = KeptForms()
    for names in ([(3, 1), (5, 0), (3, 1)], [(5, 0), (2**20, 2**18), (3, 0)], [(3, 0), (3, 1)]):
        cells, codes = np.array(names, np.int32).T
        forms, _ = kept.forms(7, cells, codes, compute)
        assert forms.tolist() == [[float(a), float(b)] for a, b in names]
    assert asked == [2, 2]
    monkeypatch.setattr(_kept_maps, "_MOST_FORMS", 4)
    forms, _ = kept.forms(7, np.array([3, 9]), np.array([0, 9]), compute)
    assert forms.tolist() == [[3.0, 0.0], [9.0, 9.0]]
    kept.forget(7)
    assert not kept._layers


def test_a_deep_line_in_chunks_keeps_what_is_still_true(monkeypatch: pytest.MonkeyPatch) -> None:
    """After each chunk the numbers of its pieces are used again for others."""
    net = random_network([8, *[24] * 18, 2], seed=0, weights="he-normal", bias_std=0.5)
    segment = Segment(*np.random.default_rng(0).normal(size=(2, 8)) * 2)
    whole = decompose(net, segment)
    asked = {"forgotten": 0}
    forget = CellMaps.forget

    def counted(self: Any, layer: int) -> None:
        asked["forgotten"] += 1
        forget(self, layer)

    monkeypatch.setattr(_cell_maps.CellMaps, "forget", counted)
    monkeypatch.setattr(_engine, "CHUNK_ENTRIES", 400)
    cx = decompose(net, segment)
    assert asked["forgotten"] > 3
    assert cx.n_cells == whole.n_cells and cx.exact_fallbacks == whole.exact_fallbacks == 0
    np.testing.assert_allclose(cx.vertices, whole.vertices, atol=1e-9)
    assert np.array_equal(cx.patterns(), whole.patterns())
