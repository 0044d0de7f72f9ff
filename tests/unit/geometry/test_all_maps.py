"""Maps of all cells in pairs of doubles: within their bounds, sharp, and the same complex wherever they are asked for."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from test_cellmaps import WILD, fraction, fractions

from plica.geometry import Box, Budget, decompose
from plica.geometry._budget import Meter, watched
from plica.geometry.plane import _cut
from plica.geometry.signs import _all_maps, _vertex_signs
from plica.geometry.signs._all_maps import AllMaps, renew
from plica.geometry.signs._cell_maps import CellMaps, cell_maps
from plica.geometry.signs._precision import Precision
from plica.geometry.signs._vertex_signs import SignForms, VertexSigns, vertex_signs
from plica.geometry.values import _pair_kernels
from plica.network import Linear, Network, Rectifier, random_network
from plica.testing import FAMILIES, draw_case

TAME = sorted(set(FAMILIES) - set(WILD))
SQUARE = Box([-1, -1], [1, 1])


def names_of(walk: Any) -> Any:
    lines = walk.mesh.vertex_hyperplanes
    return walk.exact.hyperplanes(lines[~walk.exact.is_corner(lines)]).reshape(-1, 3)


@pytest.mark.parametrize("family", TAME)
def test_forms_and_maps_lie_within_their_bounds(family: str) -> None:
    for seed in range(3):
        walk: Any = draw_case(family, seed=seed, size="small").complex._walk  # type: ignore[attr-defined]
        exact, folds = walk.exact, walk.exact.network.folds
        if not folds:
            continue
        everything, names = AllMaps(exact), names_of(walk)
        found = everything.advance(len(folds) - 1, names)
        assert sum(len(keys) for keys, _, _ in found.values()) == len(np.unique(names[names[:, 0] >= 0], axis=0))
        for layer, (keys, forms, bounds) in found.items():
            for i in range(0, len(keys), max(1, len(keys) // 6)):
                cell, code = divmod(int(keys[i]), 2**32)
                x = exact.fold_input(layer, cell)
                true = fractions(folds[layer].forms(np.array([code]), x.integers.shape[1]).dyadic_columns(x))
                for value, bound, (at,) in zip(forms[i], bounds[i], true, strict=True):
                    assert abs(Fraction(value) - at) <= fraction(bound)
        d, source = exact.domain.dimension + 1, exact.network.nodes[exact.network.layers[-1]].inputs[0]
        x, error = everything.maps[source]
        for cell in range(0, len(x), max(1, len(x) // 6)):
            true = fractions(exact.fold_input(len(folds) - 1, cell))
            for j in range(d):
                sums = [Fraction(a) + Fraction(b) for a, b in zip(x[cell, j], x[cell, d + j], strict=True)]
                assert sum((a - b) ** 2 for a, b in zip(sums, true[j], strict=True)) <= fraction(error[cell, j]) ** 2


def test_bounds_do_not_grow_to_what_doubles_see() -> None:
    walk: Any = decompose(random_network([2, *[10] * 12, 1], seed=3, weights="he-normal", bias_std=0.5), SQUARE)._walk
    everything = AllMaps(walk.exact)
    found = everything.advance(11, names_of(walk))
    (_, plain), which = CellMaps(walk.exact, Precision.DOUBLE).fold_input(11, np.arange(len(walk.exact.layers[10].parent)))
    (_, error), *_ = everything.maps.values()
    assert (error < 1e-5 * plain[which]).all()
    for _, forms, bounds in found.values():  # a rounding or two of each line
        assert (bounds.max(axis=1) < 2e-15 * np.abs(forms).max(axis=1)).all()


def test_the_parts_of_columns_are_exact_and_their_products_do_not_round() -> None:
    rng = np.random.default_rng(0)
    n, width, d = 5, 48, 3
    high = rng.normal(size=(n, d, width)) * 2.0 ** rng.integers(-20, 20, size=(n, d, 1))
    low = high * rng.uniform(-1, 1, size=high.shape) * 2.0**-53
    x, parent = np.concatenate([high, low], axis=1), np.array([3, 0, 3, 4], np.int32)
    states = rng.integers(0, 2, size=(4, width)).astype(np.int8)
    first, rest, squares = np.empty((12, width)), np.empty((12, 2 * width)), np.empty((12, 2))
    _pair_kernels.cut_columns(x, parent, states, 24, first, rest, squares)
    weight = np.round(rng.normal(size=(width, width)) * 2.0**20) / 2.0**20  # 23 bits
    product = first @ weight.T
    for row in range(12):
        i, j = divmod(row, d)
        kept = [Fraction(v) if s else Fraction(0) for v, s in zip(high[parent[i], j], states[i], strict=True)]
        lows = [Fraction(v) if s else Fraction(0) for v, s in zip(low[parent[i], j], states[i], strict=True)]
        assert [Fraction(v) for v in rest[row, width:]] == kept
        top = max(abs(v) for v in kept)
        for k in range(width):
            assert abs(Fraction(first[row, k]) - kept[k]) <= top / 2**23
            left = kept[k] - Fraction(first[row, k]) + lows[k]
            assert abs(Fraction(rest[row, k]) - left) <= abs(left) / 2**52
        for k in range(0, width, 7):
            assert Fraction(product[row, k]) == sum(Fraction(a) * Fraction(b) for a, b in zip(first[row], weight[k], strict=True))
        np.testing.assert_allclose(squares[row], [(rest[row, :width] ** 2).sum(), (rest[row, width:] ** 2).sum()], rtol=1e-13)


def test_sums_of_products_are_pairs_and_only_the_constant_column_gets_the_offset() -> None:
    rng = np.random.default_rng(1)
    product, small, offset = rng.normal(size=(6, 4)), 1e-8 * rng.normal(size=(6, 4)), rng.normal(size=4)
    out = np.full((4, 6, 4), np.nan)
    _pair_kernels.join_columns(product, small, offset, 1, out)
    assert np.isnan(out[[0, 3]]).all()
    for row in range(6):
        cell, j = 1 + row // 3, row % 3
        for k in range(4):
            true = Fraction(product[row, k]) + Fraction(small[row, k]) + (Fraction(offset[k]) if j == 2 else 0)
            found = Fraction(out[cell, j, k]) + Fraction(out[cell, 3 + j, k])
            assert abs(found - true) <= Fraction(1e-8) / 2**50 and out[cell, j, k] == float(found)


@pytest.mark.parametrize("rough", ["weights", "numbers"])
def test_what_doubles_lose_of_either_small_product_is_in_the_bound(rough: str) -> None:
    """Of the two small products, one is zero: numbers of 24 bits have no rest, and weights of 24 bits none."""
    rng = np.random.default_rng(5)
    fine = [rng.normal(size=(12, 2)), rng.normal(size=(12, 12)), rng.normal(size=(1, 12))]
    coarse = 0 if rough == "weights" else 1
    fine[coarse] = np.round(2.0**21 * fine[coarse])
    first, second, last = (Linear(w, np.zeros(len(w))) for w in fine)
    walk: Any = decompose(Network.sequential(2, [first, Rectifier(0.0), second, Rectifier(0.0), last]), SQUARE)._walk
    everything = AllMaps(walk.exact)
    everything.maps = {i: (x, 0 * e) for i, (x, e) in everything.maps.items()}  # the first weights themselves
    everything.advance(1, np.empty((0, 3), np.int64))
    ((x, error),) = everything.maps.values()
    worst = 0.0
    for cell in range(len(x)):
        true = fractions(walk.exact.fold_input(1, cell))
        for j in range(3):
            sums = [Fraction(a) + Fraction(b) for a, b in zip(x[cell, j], x[cell, 3 + j], strict=True)]
            off = float(sum((a - b) ** 2 for a, b in zip(sums, true[j], strict=True))) ** 0.5
            assert off <= error[cell, j]
            worst = max(worst, off / error[cell, j])
    assert worst > 1e-3  # no more than what counting terms costs


def _with_renewal_everywhere(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Nothing is known at the vertices of any layer, and all is computed anew."""
    asked: list[bool] = []

    def unknown(forms: SignForms, oracle: Any) -> Any:
        if not forms.trust_zero:
            forms.error[:], forms.dyadic = 1e3, None
        return vertex_signs(forms, oracle)

    def renewed(*args: Any) -> bool:
        asked.append(renew(*args))
        return asked[-1]

    monkeypatch.setattr(_cut, "vertex_signs", unknown)
    monkeypatch.setattr("plica.geometry.signs._oracle.renew", renewed)
    monkeypatch.setattr(_vertex_signs, "_FAR_FROM_ZERO", -1.0)
    monkeypatch.setattr(_vertex_signs, "_FEW", 1)
    monkeypatch.setattr(_all_maps, "_LEAST_LAYERS", 1)
    return asked


@pytest.mark.parametrize("family", TAME)
def test_the_complex_is_the_same_where_everything_is_renewed(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [draw_case(family, seed=seed, size="medium") for seed in range(3)]
    plain = [case.complex for case in cases]
    asked = _with_renewal_everywhere(monkeypatch)
    for case, cx in zip(cases, plain, strict=True):
        again = decompose(case.network, case.domain)
        assert (again.n_cells, again.n_vertices, again.n_regions) == (cx.n_cells, cx.n_vertices, cx.n_regions)
        np.testing.assert_allclose(np.sort(again.sizes()), np.sort(cx.sizes()), rtol=1e-6, atol=1e-12)
    if family != "lattice" and all(len(case.network.layers) > 1 for case in cases):  # lattices are known by numbers
        assert any(asked)


def test_a_deep_plane_is_renewed_and_its_bounds_begin_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    network = random_network([2, *[12] * 30, 1], seed=1, weights="he-normal", bias_std=0.5)
    asked: list[tuple[int, bool]] = []

    def renewed(exact: Any, layer: int, vertices: Any) -> bool:
        done = renew(exact, layer, vertices)
        asked.append((layer, done))
        return done

    monkeypatch.setattr("plica.geometry.signs._oracle.renew", renewed)
    cx = decompose(network, SQUARE)
    layers = [layer for layer, done in asked if done]
    assert layers and all(b - a >= _all_maps._LEAST_LAYERS for a, b in pairwise(layers))
    monkeypatch.setattr("plica.geometry.signs._oracle.renew", lambda *_: False)
    plain = decompose(network, SQUARE)
    assert cx.n_cells == plain.n_cells and cx.n_vertices == plain.n_vertices and cx.n_regions == plain.n_regions
    assert cx.decisions.extended < plain.decisions.extended / 4


def test_true_zeros_are_no_reason_to_begin_anew() -> None:
    """At 40 vertices every form is zero, which no bound can decide; nor is it worth more digits."""
    z = np.full((40, 3), 1e-16)
    forms = SignForms(z, np.ones(3), np.full(40, 1e-12), np.full(3, 1e-14))
    none, every = np.zeros((40, 1), np.uint64), np.full((40, 1), 7, np.uint64)

    class Refusing:
        def renew(self) -> bool:
            raise AssertionError("asked")

    question = VertexSigns(forms, Refusing(), none, none.copy(), every, recompute_others=True)  # type: ignore[arg-type]
    assert len(question._worth_asking(np.arange(40))) == 40
    z[:20] = 5e-13
    with pytest.raises(AssertionError, match="asked"):
        question._worth_asking(np.arange(40))


def test_what_would_not_fit_into_the_budget_is_not_made() -> None:
    walk: Any = decompose(random_network([2, *[8] * 6, 1], seed=0), SQUARE)._walk
    vertices = walk.mesh.vertex_hyperplanes
    with watched(Meter(Budget(max_bytes=1000), n_layers=6)):
        assert not renew(walk.exact, 5, vertices)
    assert renew(walk.exact, 5, vertices) and not renew(walk.exact, 5, vertices)
    maps = cell_maps(walk.exact, Precision.DOUBLE)
    assert maps.everything.layer == 5
    walk.exact.forget(6)
    assert maps.everything is not None
    walk.exact.forget(5)
    assert maps.everything is None and not maps._taken_over
