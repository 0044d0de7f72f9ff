"""The compiled kernels against themselves in plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from space_cases import drawn

from plica.geometry import Box, decompose
from plica.geometry.space import _kernels as _space_kernels
from plica.geometry.space import _lattice
from plica.geometry.space._complex import SpaceComplex


def twin(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, function in vars(_space_kernels).items():
        if hasattr(function, "py_func"):
            monkeypatch.setattr(_space_kernels, name, function.py_func)


@pytest.mark.parametrize(("family", "dimension"), [("gaussian", 3), ("integer", 3), ("zero biases", 4), ("maxout", 3)])
def test_compiled_and_plain_kernels_build_the_same_complex(family: str, dimension: int, monkeypatch: pytest.MonkeyPatch) -> None:
    net, box = drawn(family, 2, dimension), Box([-1.0] * dimension, [1.0] * dimension)
    compiled = decompose(net, box)
    twin(monkeypatch)
    with np.errstate(over="ignore"):
        plain = decompose(net, box)
        assert isinstance(compiled, SpaceComplex) and isinstance(plain, SpaceComplex)
        assert plain.n_faces == compiled.n_faces
        np.testing.assert_array_equal(plain.facet_cells, compiled.facet_cells)
        np.testing.assert_array_equal(plain.edges, compiled.edges)
        # the same formulas with one rounding more or less: compiled code may fuse a product and a sum
        np.testing.assert_allclose(plain.vertices, compiled.vertices, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(plain.sizes(), compiled.sizes(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("family", "dimension"), [("gaussian", 4), ("zero biases", 3), ("duplicated", 3)])
def test_faces_cut_in_many_ranges_are_the_same(family: str, dimension: int, monkeypatch: pytest.MonkeyPatch) -> None:
    net, box = drawn(family, 3, dimension, (6, 4)), Box([-1.0] * dimension, [1.0] * dimension)
    whole = decompose(net, box)
    monkeypatch.setattr(_lattice, "RANGE", 1)
    parts = decompose(net, box)
    assert isinstance(whole, SpaceComplex) and isinstance(parts, SpaceComplex)
    assert parts.n_faces == whole.n_faces
    for d in range(1, dimension + 1):
        for a, b in zip(whole._lists[d], parts._lists[d], strict=True):
            np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(whole.vertices, parts.vertices)
