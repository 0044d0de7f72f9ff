"""Planes of one layer's weights, and the one question for all of them."""

from itertools import pairwise

import numpy as np
import pytest

from plica.errors import InvalidInput
from plica.landscape import LossLine, LossPlane, LossSurface, loss_line, loss_plane, moved, one_layer, random_direction, survey
from plica.learn import mlp
from plica.network import from_torch


def setting(widths=(3, 7, 5, 2), n: int = 6):
    model = mlp(list(widths), seed=2)
    rng = np.random.default_rng(4)
    return model, rng.normal(size=(n, widths[0])), rng.normal(size=(n, widths[-1]))


@pytest.mark.parametrize("layer", ["0", "2", "4"])
@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_the_exact_plane_agrees_with_networks_at_its_points(layer: str, loss: str) -> None:
    model, x, y = setting()
    d = tuple(one_layer(random_direction(model, seed=s), layer) for s in (0, 1))
    plane = loss_plane(model, x, y, d, loss=loss)

    def value(u: float, v: float) -> float:
        r = from_torch(moved(model, (u, d[0]), (v, d[1])))(x) - y
        return float(np.mean(r**2) if loss == "squared" else np.mean(np.abs(r)))

    for i in range(0, len(plane.values), max(len(plane.values) // 12, 1)):
        assert plane.values[i] == pytest.approx(value(*plane.complex.vertices[i]), rel=1e-9)
    for found in (plane.largest, plane.least):
        assert found[0] == pytest.approx(value(*found[1:]), rel=1e-9, abs=1e-12)
    rng = np.random.default_rng(5)
    tried = [value(*p) for p in rng.uniform(-1, 1, size=(200, 2))]
    assert plane.least[0] <= min(tried) + 1e-12 and max(tried) <= plane.largest[0] + 1e-12


def test_an_edge_of_the_plane_is_a_line() -> None:
    model, x, y = setting()
    d = tuple(one_layer(random_direction(model, seed=s), "0") for s in (0, 1))
    plane = loss_plane(model, x, y, d)
    line = loss_line(moved(model, (-1.0, d[0]), (-1.0, d[1])), moved(model, (1.0, d[0]), (-1.0, d[1])), x, y)
    bottom = np.sort(plane.complex.vertices[plane.complex.vertices[:, 1] == -1.0, 0])
    places = line.breakpoints().mean(axis=1) * 2 - 1
    assert all(np.abs(bottom - t).min() < 1e-9 for t in places)
    assert len(bottom) == len(places) + 2
    chosen = plane.complex.vertices[:, 1] == -1.0
    np.testing.assert_allclose(plane.values[chosen], line((plane.complex.vertices[chosen, 0] + 1) / 2), rtol=1e-9)


def test_between_corners_of_a_cell_outputs_are_affine() -> None:
    model, x, y = setting()
    d = tuple(one_layer(random_direction(model, seed=s), "2") for s in (0, 1))
    plane = loss_plane(model, x, y, d)
    for first, last in list(pairwise(plane.complex.cell_offsets))[::9]:
        corners = plane.complex.vertices[plane.complex.cell_vertices[first:last]]
        f = [from_torch(moved(model, (u, d[0]), (v, d[1])))(x) for u, v in (*corners, corners.mean(axis=0))]
        np.testing.assert_allclose(np.mean(f[:-1], axis=0), f[-1], atol=1e-9)


def test_a_survey_is_as_exact_as_the_question_allows() -> None:
    model, x, y = setting()
    d = [random_direction(model, seed=s) for s in (0, 1)]
    one = [one_layer(e, "2") for e in d]
    assert isinstance(survey(model, x, y, d[0]), LossLine)
    assert isinstance(survey(model, x, y, one), LossPlane)
    assert isinstance(survey(model, x, y, d, coarse=2, levels=0), LossSurface)
    labels = np.arange(len(x)) % 2
    assert isinstance(survey(model, x, labels, one, loss="cross-entropy", coarse=2, levels=0), LossSurface)
    line = survey(model, x, y, d[0], reach=0.5)
    there = from_torch(moved(model, (0.5, d[0])))(x)
    assert float(line.at(1.0)) == pytest.approx(np.mean((there - y) ** 2))
    with pytest.raises(InvalidInput, match="one direction or two"):
        survey(model, x, y, [*d, d[0]])
    with pytest.raises(InvalidInput, match="layers move"):
        loss_plane(model, x, y, tuple(d))
    with pytest.raises(InvalidInput, match="not polynomial"):
        loss_plane(model, x, labels, tuple(one), loss="cross-entropy")
    with pytest.raises(InvalidInput, match="one of 0, 2, 4"):
        one_layer(d[0], "1")
