"""Coordinates that floating point lost are computed exactly when they are asked for."""

from typing import Any

import numpy as np

from plica.geometry import Box, Segment, decompose
from plica.geometry.signs._positions import ACCURACY, lost_vertices
from plica.network import Network
from plica.testing import chain, draw_case

BOX = Box([-1, -1], [1, 1])


def nearly_parallel() -> Network:
    rows = np.array([[0.3, 0.7], [-3 * 0.3, -3 * 0.7]])
    return chain([rows, np.array([[1.0, 2.0]])], [np.array([0.35, -3 * 0.35]), np.zeros(1)])


def test_a_lost_vertex_is_found() -> None:
    cx: Any = decompose(nearly_parallel(), BOX)
    (lost,) = lost_vertices(cx._walk.parameters, cx._walk.exact)
    exact = np.array([float(c) for c in cx.exact_vertex(int(lost))])
    assert np.abs(cx._walk.parameters.values[lost] - exact).max() > 0.1  # what floating point had
    assert np.array_equal(cx.vertices[lost], exact)
    np.testing.assert_allclose(cx.outputs, nearly_parallel()(cx.vertices), atol=1e-9)


def test_generic_vertices_are_not_touched() -> None:
    cx = draw_case("gaussian", seed=0, size="medium", domain="unit box").complex
    assert len(lost_vertices(cx._walk.parameters, cx._walk.exact)) == 0
    assert cx.vertices is cx._walk.parameters.values


def test_breakpoints_of_lines_are_settled_too() -> None:
    for family in ("one ulp", "minus three", "uneven rows"):
        for seed in range(10):
            case = draw_case(family, seed=seed)
            line = decompose(case.network, Segment([-1.0, -0.7], [1.0, 0.9]))
            exact = np.array([float(line.exact_vertex(i)[0]) for i in range(line.n_vertices)])
            assert np.abs(line.vertices[:, 0] - exact).max() <= 2 * ACCURACY
            assert (np.diff(exact) > 0).all() or line.n_slivers
