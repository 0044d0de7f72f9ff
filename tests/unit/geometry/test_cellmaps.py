"""Affine maps of many cells at once: within their bounds of the exact ones, and what they are for."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from plica.geometry import Box, Segment, decompose
from plica.geometry.signs import _cell_maps, _ladder
from plica.geometry.signs._cell_maps import CellMaps, values_at
from plica.geometry.signs._precision import PRECISIONS, Precision
from plica.network import random_network
from plica.testing import FAMILIES, draw_case, draw_segment

WILD = ("all layers x 1e150", "all layers x 1e-150", "subnormal")  # beyond the range of doubles


def fractions(dyadic: Any) -> list[list[Fraction]]:
    unit = Fraction(2) ** dyadic.exponent
    return [[int(i) * unit for i in row] for row in dyadic.integers]


def fraction(x: Any) -> Fraction:
    """A float of any precision, exactly."""
    mantissa, exponent = np.frexp(x)
    return Fraction(int(np.ldexp(mantissa, 64))) * Fraction(2) ** (int(exponent) - 64)


def square(values: Any, true: Any) -> Fraction:
    return sum(((fraction(a) - b) ** 2 for a, b in zip(values, true, strict=True)), Fraction(0))


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("family", sorted(set(FAMILIES) - set(WILD)))
def test_maps_positions_and_values_lie_within_their_bounds(family: str, precision: Precision) -> None:
    for seed in range(3):
        case = draw_case(family, seed=seed, size="tiny")
        for cx in (case.complex, decompose(case.network, draw_segment(case.network, seed=seed))):
            part: Any = cx._walk if hasattr(cx, "_walk") else cx._parts[0]
            lines = part.mesh.vertex_hyperplanes if hasattr(part, "mesh") else part.chunk.hyperplanes
            exact, maps = part.exact, CellMaps(part.exact, precision)
            cells = np.arange(cx.n_cells)[:: max(1, cx.n_cells // 8)]
            with np.errstate(all="ignore"):
                (x, error), which = maps.output(cells)
            for cell, i in zip(cells, which, strict=True):
                for values, true, bound in zip(x[i], fractions(exact.output(int(cell))), error[i], strict=True):
                    assert not np.isfinite(bound) or square(values, true) <= fraction(bound) ** 2

            some = np.arange(len(lines))[:: max(1, len(lines) // 12)]
            with np.errstate(all="ignore"):
                p, p_error, known = maps.positions(lines[some])
            for i in np.flatnonzero(known):
                q = exact.position(lines[some[i]])
                for j in range(len(q) - 1):  # p[j] / p[-1] against q[j] / q[-1]
                    low, high = (fraction(p[i, -1]) + s * fraction(p_error[i, -1]) for s in (-1, 1))
                    at, t_error = fraction(p[i, j]), fraction(p_error[i, j])
                    ratio = Fraction(q[j], q[-1])
                    assert min(ratio * low, ratio * high) <= at + t_error and max(ratio * low, ratio * high) >= at - t_error

            home = part.mesh.vertex_cell() if hasattr(part, "mesh") else np.minimum(np.arange(len(lines)), cx.n_cells - 1)
            with np.errstate(all="ignore"):
                (x, error), which = maps.output(home[some])
                values, bound = values_at(p, p_error, x[which], error[which])
            for i in np.flatnonzero(known & np.isfinite(bound).all(axis=1)):
                q = exact.position(lines[some[i]])
                rows = fractions(exact.output(int(home[some[i]])))
                for k in range(values.shape[1]):
                    true = sum((Fraction(c, q[-1]) * rows[j][k] for j, c in enumerate(q)), Fraction(0))
                    assert abs(fraction(values[i, k]) - true) <= fraction(bound[i, k])


@pytest.mark.parametrize("domain", [Box([-0.5, -0.5], [0.3, 0.3]), Segment([-1.0, -0.8], [0.9, 1.0])])
def test_a_deep_network_is_the_same_without_them(domain: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    net = random_network([2, *[20] * 14, 1], seed=0, weights="he-normal", bias_std=0.5)
    cx = decompose(net, domain)
    monkeypatch.setattr(_ladder, "PRECISIONS", ())
    alone = decompose(net, domain)
    assert (cx.n_cells, cx.n_regions) == (alone.n_cells, alone.n_regions)
    assert cx.exact_fallbacks == 0
    np.testing.assert_allclose(np.sort(cx.sizes()), np.sort(alone.sizes()), atol=1e-9)
    if isinstance(domain, Box):
        assert alone.exact_fallbacks == cx.decisions.total - alone.decisions.double > 0
        np.testing.assert_allclose(cx.outputs, net(cx.vertices), atol=1e-9)


def test_parts_are_small_for_the_widest_layer_not_for_the_one_that_is_cut() -> None:
    cx: Any = decompose(random_network([2, 4096, 3, 1], seed=0), Segment([0.0, 0.0], [1e-3, 1e-3]))
    parts = CellMaps(cx._parts[0].exact, Precision.DOUBLE).parts(np.arange(2000))
    assert max(map(len, parts)) == 2**21 // 4096 and np.concatenate(parts).tolist() == list(range(2000))


def test_what_is_asked_for_survives_a_cache_that_is_too_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Maps on the way to missing ones push out what was known."""
    cx = decompose(random_network([2, 9, 9, 9, 1], seed=0), Box([-1, -1], [1, 1]))
    n = len(cx._walk.exact.layers[1].parent)
    whole = CellMaps(cx._walk.exact, Precision.DOUBLE)
    monkeypatch.setattr(_cell_maps, "_CACHE_ENTRIES", 60)
    small = CellMaps(cx._walk.exact, Precision.DOUBLE)
    for cells in ([0], [0, 1], [1, 2, n - 1], [0, 2], [n - 1]):
        ((x, error), which), ((y, bound), place) = (maps.fold_input(2, np.array(cells)) for maps in (small, whole))
        assert np.array_equal(x[which], y[place]) and np.array_equal(error[which], bound[place])
    assert small._entries <= 60 or len(small._cache) == 1
    assert small._entries == sum(x.size for kept in small._cache.values() for x, _ in kept.values())
