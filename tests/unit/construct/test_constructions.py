"""Constructions: exact weights, and the values that define them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plica.construct import folding, general_position, interpolant, maxout_rosette, sawtooth, zonotope
from plica.errors import InvalidInput
from plica.network import Network
from plica.theory.regions import characteristic_polynomial, zaslavsky


def weights(net: Network) -> np.ndarray:
    return np.concatenate([a.ravel() for node in net.nodes for a in node.op.arrays().values() if a.dtype.kind == "f"])


@given(st.integers(1, 6), st.integers(0, 2**12))
def test_the_sawtooth_is_the_iterated_tent(depth: int, k: int) -> None:
    x = Fraction(k, 2**12)
    y = x
    for _ in range(depth):
        y = 2 * y if y <= Fraction(1, 2) else 2 - 2 * y
    assert float(sawtooth(depth)(np.array([float(x)]))[0]) == float(y)


def test_the_sawtooth_vanishes_outside_the_unit_interval() -> None:
    assert not sawtooth(3)(np.array([[-5.0], [-0.1], [1.0], [1.1], [9.0]])).any()


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=8, unique=True), st.integers(-5, 5), st.integers(-5, 5), st.data())
def test_an_interpolant_meets_its_values_and_outer_slopes(x: list[int], left: int, right: int, data: st.DataObject) -> None:
    x = sorted(x)
    y = data.draw(st.lists(st.integers(-20, 20), min_size=len(x), max_size=len(x)))
    net = interpolant(x, y, left=left, right=right).network
    assert np.allclose(net(np.array(x, dtype=float)[:, None]).ravel(), y, atol=1e-9)
    ends = net(np.array([[x[0] - 2.0], [x[0] - 1.0], [x[-1] + 1.0], [x[-1] + 2.0]])).ravel()
    assert np.allclose([ends[1] - ends[0], ends[3] - ends[2]], [left, right], atol=1e-9)


@pytest.mark.parametrize(("n", "d"), [(3, 1), (4, 2), (7, 2), (5, 3), (6, 4)])
def test_the_last_layer_is_in_general_position_with_all_vertices_in_the_cube(n: int, d: int) -> None:
    W, b = general_position(n, d)
    assert characteristic_polynomial(W.tolist(), b.tolist()).n_regions == zaslavsky(n, d)
    if d == 2:
        for i in range(n):
            for j in range(i):
                point = np.linalg.solve(W[[i, j]], -b[[i, j]])
                assert (point > 0).all() and (point < 1).all()
    rng = np.random.default_rng(0)
    assert ((rng.uniform(-3, 3, (2000, d)) @ W.T + b) > 0).any(1).all(), "some point has no active unit"


@pytest.mark.parametrize("fold", ["accordion", "zigzag"])
def test_folds_map_the_interval_onto_itself_as_often_as_they_say(fold: str) -> None:
    from plica.construct.representations._folding import accordion, zigzag

    for p in (3, 4, 5, 8):
        weight, bias, out, constant = accordion(p) if fold == "accordion" else zigzag(p)
        x = np.linspace(0, 1, 20001)
        y = np.maximum(np.outer(x, weight) + bias, 0) @ out + constant
        inside = (y > 0.25) & (y < 0.75)
        runs = int((np.diff(inside.astype(int)) == 1).sum())
        assert runs == (p if fold == "accordion" else p + 1)


def test_weights_are_small_dyadic_numbers() -> None:
    zigzag, cone = folding([2, 7, 6, 6, 1], fold="zigzag"), zonotope([[1, 2], [3, 1]], [3, 2])
    for built in (sawtooth(4), folding([2, 6, 5, 1]), zigzag, cone):
        scaled = weights(built.network) * 2.0**20
        assert (scaled == np.round(scaled)).all()


def test_units_left_over_stay_inactive() -> None:
    net = folding([2, 5, 4, 1]).network
    assert net.widths == (2, 5, 4, 1)
    assert not any(net.pattern(x)[0][4] for x in np.random.default_rng(0).normal(size=(50, 2)) * 10)


def test_the_zonotope_is_its_support_function_where_nothing_folds() -> None:
    net = zonotope([[1, 0], [1, 2]], [1]).network
    for x in np.random.default_rng(1).integers(-9, 9, (20, 2)).astype(float):
        assert net(x)[0] == abs(x[0]) + abs(x[0] + 2 * x[1])


@pytest.mark.parametrize(
    "build",
    [
        lambda: sawtooth(0),
        lambda: interpolant([1, 0], [0, 0]),
        lambda: interpolant([], []),
        lambda: folding([2, 1, 4, 1]),
        lambda: folding([2, 4, 4, 2]),
        lambda: folding([2, 4, 4, 1], fold="zigzag"),
        lambda: folding([2, 4, 4, 1], fold="origami"),
        lambda: general_position(0, 2),
        lambda: zonotope([], [2]),
        lambda: maxout_rosette(1, 2),
    ],
)
def test_what_cannot_be_built_is_refused(build: object) -> None:
    with pytest.raises(InvalidInput):
        build()  # type: ignore[operator]


@pytest.mark.parametrize(("old", "new"), [("cosine", "cosine_network"), ("sine", "sine_network")])
def test_old_names_still_work_and_say_the_new_one(old: str, new: str) -> None:
    import plica.construct as room

    with pytest.warns(DeprecationWarning, match=f"plica.construct.{old} is now plica.construct.{new}"):
        assert getattr(room, old) is getattr(room, new)
    assert old not in room.__all__
