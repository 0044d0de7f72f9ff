"""Maps of all cells in many digits: within their bounds, sharp, and the same complex wherever they are asked for."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from test_cellmaps import WILD, fraction, fractions

from plica.exact import Dyadic
from plica.geometry import Box, Budget, decompose
from plica.geometry._budget import Meter, watched
from plica.geometry.plane import _cut
from plica.geometry.signs import _all_maps, _vertex_signs
from plica.geometry.signs._all_maps import AllMaps, renew
from plica.geometry.signs._cell_maps import CellMaps, cell_maps
from plica.geometry.signs._exact_maps import ExactMap
from plica.geometry.signs._precision import Precision
from plica.geometry.signs._vertex_signs import SignForms, VertexSigns, vertex_signs
from plica.geometry.values import _expansion_kernels
from plica.geometry.values._expansions import bits_of_slices, expanded, n_parts, rectified_through_dense
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
                for values, bound, (at,) in zip(forms[i].T, bounds[i], true, strict=True):
                    assert abs(sum(map(Fraction, values)) - at) <= fraction(bound)
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
    for _, forms, bounds in found.values():
        assert (bounds.max(axis=1) < 1e-15 * np.abs(forms[:, 0]).max(axis=1)).all()


@pytest.mark.parametrize(("n_slices", "width"), [(3, 9), (5, 9), (8, 6), (11, 7)])
def test_every_slice_adds_its_digits_and_the_maps_lie_within_their_bounds(n_slices: int, width: int) -> None:
    """Against integers, in a network of many layers; each column is wrong by no more than its bound, and the bound is small."""
    net = random_network([2, *[width] * 14, 1], seed=n_slices, weights="he-normal", bias_std=0.5)
    walk: Any = decompose(net, SQUARE)._walk
    everything, names = AllMaps(walk.exact, n_slices), names_of(walk)
    found = everything.advance(13, names)
    ((x, error),) = everything.maps.values()
    parts = n_parts(n_slices, width)
    assert x.shape[1] == 3 * parts
    worst = Fraction(0)
    for cell in range(0, len(x), max(1, len(x) // 12)):
        true = fractions(walk.exact.fold_input(13, cell))
        for j in range(3):
            sums = [sum(map(Fraction, x[cell, j::3, k])) for k in range(width)]
            off = sum((a - b) ** 2 for a, b in zip(sums, true[j], strict=True))
            assert off <= fraction(error[cell, j]) ** 2
            worst = max(worst, off / fraction(error[cell, j]) ** 2)
    assert worst > Fraction(1, 10**16)  # of the square: the bound grows with the norms of thirteen layers, the error does not
    digits = 53 + (n_slices - 1) * bits_of_slices(n_slices, width)
    assert error.max() < 2.0 ** (60 - digits) and error[:, 2].min() > 2.0 ** (-20 - digits)
    for _, forms, bounds in found.values():
        assert forms.shape[1:] == (parts, 3) and bounds.max() < 2.0 ** (60 - digits)


def test_weights_of_many_magnitudes_lose_nothing() -> None:
    """Slices of weights end where nothing is left of them, or with the rest as one."""
    rng = np.random.default_rng(3)
    wide = rng.normal(size=(6, 6)) * 2.0 ** rng.integers(-90, 0, size=(6, 6))
    layers = [Linear(rng.normal(size=(6, 2)), rng.normal(size=6)), Rectifier(0.0), Linear(wide, rng.normal(size=6) * 2.0**-70)]
    walk: Any = decompose(Network.sequential(2, [*layers, Rectifier(0.0), Linear(np.ones((1, 6)), np.zeros(1))]), SQUARE)._walk
    for n_slices in (3, 5, 8):
        everything = AllMaps(walk.exact, n_slices)
        everything.advance(1, np.empty((0, 3), np.int64))
        ((x, error),) = everything.maps.values()
        assert error.max() < 2.0 ** (12 - 53 - (n_slices - 1) * bits_of_slices(n_slices, 6))
        for cell in range(len(x)):
            true = fractions(walk.exact.fold_input(1, cell))
            for j in range(3):
                sums = [sum(map(Fraction, x[cell, j::3, k])) for k in range(6)]
                assert sum((a - b) ** 2 for a, b in zip(sums, true[j], strict=True)) <= fraction(error[cell, j]) ** 2


def test_integers_in_parts_add_up() -> None:
    rng = np.random.default_rng(0)
    integers = np.array([int(a) * 2**200 + int(b) for a, b in rng.integers(-(2**62), 2**62, size=(7, 2))], dtype=object)
    for parts in (1, 2, 5):
        found, left = expanded(Dyadic(integers, -230), parts)
        for k, true in enumerate(integers):
            assert abs(sum(map(Fraction, found[:, k])) - Fraction(int(true), 2**230)) <= Fraction(left[k])
            assert parts < 5 or left[k] == 0


@pytest.mark.parametrize(("n_slices", "parts"), [(2, 2), (3, 2), (5, 3)])
def test_slices_of_columns_are_exact_and_their_products_do_not_round(n_slices: int, parts: int) -> None:
    rng = np.random.default_rng(0)
    n, width, d, bits = 5, 48, 3, bits_of_slices(n_slices, 48)
    x = np.empty((n, parts * d, width))
    x[:, :d] = rng.normal(size=(n, d, width)) * 2.0 ** rng.integers(-20, 20, size=(n, d, 1))
    for q in range(d, parts * d, d):
        x[:, q : q + d] = x[:, q - d : q] * rng.uniform(-1, 1, size=(n, d, width)) * 2.0**-53
    parent, states = np.array([3, 0, 3, 4], np.int32), rng.integers(0, 2, size=(4, width)).astype(np.int8)
    slices, tails, norms = np.empty((12, (n_slices - 1) * width)), np.empty((12, n_slices * width)), np.empty((12, 2 * n_slices))
    _expansion_kernels.cut_columns(x, parent, states, bits, slices, tails, norms, np.empty((parts, width)))
    weight = rng.integers(-(2 ** (bits - 1)), 2 ** (bits - 1), endpoint=True, size=(n_slices - 1, width)).astype(np.float64)
    for row in range(12):
        i, j = divmod(row, d)
        true = [sum(map(Fraction, x[parent[i], j::d, k])) * int(states[i, k]) for k in range(width)]
        top, lost = max(map(abs, true)), [Fraction(0)] * n_slices
        for k in range(width):
            left = true[k]
            for s in range(n_slices):
                tail = Fraction(tails[row, s * width + k])
                assert abs(tail - left) <= top / 2 ** (52 + s * bits)
                assert abs(left) <= top * (1 + Fraction(1, 1000)) * 2 / 2 ** (s * bits)
                lost[s] += (tail - left) ** 2
                if s < n_slices - 1:
                    left -= Fraction(slices[row, s * width + k])
        for s in range(n_slices):
            np.testing.assert_allclose(norms[row, s], np.linalg.norm(tails[row, s * width : (s + 1) * width]), rtol=1e-13)
            assert lost[s] <= Fraction(norms[row, n_slices + s]) ** 2 * (1 + Fraction(1, 10**9))
        for s in range(1, n_slices):  # the largest integers that weights can be: sums of all products, in any order
            numbers = slices[row, : s * width]
            scaled = np.concatenate([2.0 ** (-bits * (s - 1 - i)) * weight[i] for i in range(s)])
            assert Fraction(numbers @ scaled) == sum(Fraction(a) * Fraction(b) for a, b in zip(numbers, scaled, strict=True))


class _AllActive:
    def __init__(self, width: int) -> None:
        self.width = width

    def rows(self, cells: Any) -> Any:
        return np.ones((len(cells), self.width), np.int8)


@pytest.mark.parametrize("width", [31, 60, 63, 255])
@pytest.mark.parametrize("signs", [(-1, 1, 1, 1, 1, -1), (1, -1, -1, -1, -1, 1), (1, 1, 1, 1, 1, 1), (-1, -1, -1, -1, -1, -1)])
def test_slices_as_large_as_they_can_be_sum_up_without_error(width: int, signs: tuple[int, ...]) -> None:
    """Weights and numbers whose slices are all near their largest, of one sign or the other."""
    rng, k = np.random.default_rng(width), 4
    bits = bits_of_slices(k, width)
    most = 2**bits

    def number(slices: list[int]) -> Fraction:
        return sum((Fraction(s, 2 ** (bits * (i + 1))) for i, s in enumerate(slices)), Fraction(0))

    def near(*tops: int) -> list[int]:
        return [top - 2 * int(rng.integers(3)) for top in tops]

    def signed(slices: list[int], of: tuple[int, ...]) -> list[int]:
        return [a * b for a, b in zip(slices, of, strict=True)]

    weight = np.array(
        [
            [float(number(signed([*near(most - 1, most // 2 - 2), most - 2**17], signs[:3]))) for _ in range(width)]
            for _ in range(2)
        ]
    )
    first, last = Linear(rng.normal(size=(width, 2))), Linear(np.ones((1, 2)))
    network = Network.sequential(2, [first, Rectifier(0.0), Linear(weight), Rectifier(0.0), last])
    parts = n_parts(k, width)
    x = np.zeros((1, 3 * parts, width))
    for j in range(3):
        for e in range(width):
            left = number(signed(near(most - 2, most - 2, most - 1), signs[3:]))
            for q in range(parts):
                x[0, 3 * q + j, e] = float(left)
                left -= Fraction(x[0, 3 * q + j, e])
    out, error = rectified_through_dense(
        network, network.layers[0] + 1, (x, np.zeros((1, 3))), np.zeros(1, np.int32), _AllActive(width), k
    )
    for j in range(3):
        numbers = [sum(map(Fraction, x[0, j::3, e])) for e in range(width)]
        true = [sum(Fraction(a) * b for a, b in zip(row, numbers, strict=True)) for row in weight]
        off = sum((sum(map(Fraction, out[0, j::3, i])) - true[i]) ** 2 for i in range(2))
        assert off <= Fraction(error[0, j]) ** 2


@pytest.mark.parametrize("parts", [2, 3])
def test_sums_of_products_are_expansions_and_only_the_constant_column_gets_the_offset(parts: int) -> None:
    rng = np.random.default_rng(1)
    products = rng.normal(size=(4, 6, 5)) * 2.0 ** (-24.0 * np.arange(4))[:, None, None]
    offset, lost = rng.normal(size=5), np.empty(6)
    offset[0] = -products[0, 5, 0]
    out = np.full((4, 3 * parts, 5), np.nan)
    _expansion_kernels.join_columns(products, offset, 1, 3, out, lost, np.empty((5, 5)))
    assert np.isnan(out[[0, 3]]).all()
    for row in range(6):
        cell, j = 1 + row // 3, row % 3
        off = Fraction(0)
        for k in range(5):
            true = sum(map(Fraction, products[:, row, k])) + (Fraction(offset[k]) if j == 2 else 0)
            found = sum(map(Fraction, out[cell, j::3, k]))
            off += (found - true) ** 2
            size = abs(Fraction(products[0, row, k])) + (abs(Fraction(offset[k])) if j == 2 else 0)
            assert abs(found - true) <= 2 * size / 2 ** (53 * parts) and abs(out[cell, j, k] - true) <= size / 2**52
        assert off <= Fraction(lost[row]) ** 2 * (1 + Fraction(1, 10**9))


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


def test_errors_of_all_maps_grow_by_the_norm_of_what_is_active() -> None:
    rng = np.random.default_rng(6)
    first, second, last = (Linear(rng.normal(size=shape), np.zeros(shape[0])) for shape in ((12, 2), (12, 12), (1, 12)))
    walk: Any = decompose(Network.sequential(2, [first, Rectifier(0.0), second, Rectifier(0.0), last]), SQUARE)._walk
    everything = AllMaps(walk.exact)
    everything.maps = {i: (x, e + 0.25) for i, (x, e) in everything.maps.items()}
    everything.advance(1, np.empty((0, 3), np.int64))
    ((_, error),) = everything.maps.values()
    states = walk.exact.layers[0]
    for cell, active in enumerate(states.rows(np.arange(len(states.parent)))):
        norm = np.linalg.norm(second.weight[:, active == 1], 2) if (active == 1).any() else 0.0
        assert (error[cell] >= 0.25 * norm).all()
    assert error.max() < 0.25 * 1.1 * np.linalg.norm(second.weight, 2)


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


@pytest.mark.parametrize(("width", "depth"), [(8, 60), (10, 44)])
def test_in_planes_of_many_layers_integers_decide_nothing_and_the_cells_stay_the_same(
    width: int, depth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    square, size = Box([-0.3, -0.3], [0.3, 0.3]), [2, *[width] * depth, 1]
    networks = [random_network(size, seed=seed, weights="he-normal", bias_std=0.5) for seed in range(3)]
    with_digits = [decompose(network, square) for network in networks]
    monkeypatch.setattr("plica.geometry.signs._oracle.renew", lambda *_: False)
    for network, cx in zip(networks, with_digits, strict=True):
        plain = decompose(network, square)
        assert cx.decisions.integer == 0 and plain.decisions.integer > 50
        assert (cx.n_cells, cx.n_vertices, cx.n_regions) == (plain.n_cells, plain.n_vertices, plain.n_regions)
        np.testing.assert_allclose(np.sort(cx.sizes()), np.sort(plain.sizes()), rtol=1e-6, atol=1e-12)


def test_more_slices_are_taken_where_the_layers_ask_for_them_and_once_for_a_while() -> None:
    network = random_network([2, *[8] * 60, 1], seed=0, weights="he-normal", bias_std=0.5)
    exact = ExactMap(network, SQUARE, decompose(network, SQUARE)._walk.exact.layers)  # type: ignore[attr-defined]
    maps, taken = cell_maps(exact, Precision.DOUBLE), []
    for layer in (6, 16, 40, 59):
        assert renew(exact, layer, np.empty((0, 6), np.int64))
        taken.append(maps.everything.n_slices)
    assert taken[0] == 2 and taken == sorted(taken) and taken[-1] > 3
    (x, error), which = cell_maps(exact, Precision.EXTENDED).fold_input(59, np.arange(4))
    for cell in range(4):  # extended precision knows them too, as well as it can
        true = fractions(exact.fold_input(59, cell))
        size = sum(t**2 for t in true[2])
        for j in range(3):
            off = sum((fraction(a) - b) ** 2 for a, b in zip(x[which[cell], j], true[j], strict=True))
            assert off <= fraction(error[which[cell], j]) ** 2 <= size / 2**70


def test_layers_other_than_dense_ones_stay_in_pairs() -> None:
    case = draw_case(next(f for f in TAME if "max" in f or "conv" in f), seed=0, size="small")
    assert _all_maps._n_slices(case.network, len(case.network.layers) - 1) == 2
