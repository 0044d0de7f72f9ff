"""Surfaces that generators make: areas, ranks, bends, samples and shortest paths, against what can be computed by hand."""

from __future__ import annotations

import numpy as np
import pytest

import plica
from plica.errors import InvalidInput
from plica.measure import generated_manifold, geodesic
from plica.network import Linear, Network, Rectifier

SQUARE = plica.Box([-1, -1], [1, 1])
BOTH_SIGNS = Linear(np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]]))


def surface(*rows: list[float]) -> plica.measure.GeneratedManifold:
    """(x+, x-, y+, y-) combined linearly, over the square."""
    net = Network.sequential(2, [BOTH_SIGNS, Rectifier(), Linear(np.array(rows))])
    return generated_manifold(plica.decompose(net, SQUARE))


def test_a_roof_has_the_area_and_the_bend_of_a_roof() -> None:
    # (x, y, s |x|): two rectangles whose slopes are s
    for s in (0.5, 1.0, 3.0):
        roof = surface([1, -1, 0, 0], [0, 0, 1, -1], [s, s, 0, 0])
        assert roof.image_area.low <= 4 * np.sqrt(1 + s**2) <= roof.image_area.high
        assert roof.image_area.high - roof.image_area.low < 1e-9
        assert np.nanmax(roof.bends) == pytest.approx(2 * np.arctan(s), abs=1e-12)
        assert roof.total_bend == pytest.approx(2 * 2 * np.arctan(s))
        assert (roof.ranks == 2).all() and roof.collapsed_share == 0


def test_a_sheet_folded_back_bends_by_half_a_turn() -> None:
    sheet = surface([1, 1, 0, 0], [0, 0, 1, -1])
    assert np.nanmax(sheet.bends) == pytest.approx(np.pi)
    assert sheet.image_area.middle == pytest.approx(4)  # covered twice, counted twice


def test_ranks_are_decided_where_floats_cannot() -> None:
    tiny = 2.0**-300
    #                x > 0, y > 0: rank 2, by a number far below rounding; x < 0, y > 0: rank 1; both < 0: 0
    found = surface([1, 0, 1, 0], [1, 0, 1 + 2.0**-52, 0], [0, 0, tiny, 0])
    by_sign = {
        (bool(x > 0), bool(y > 0)): int(r) for (x, y), r in zip(map(found.complex.center, range(4)), found.ranks, strict=True)
    }
    assert by_sign == {(True, True): 2, (False, True): 1, (True, False): 1, (False, False): 0}
    assert found.collapsed_share == pytest.approx(0.75)


def test_the_area_is_that_of_the_images_of_triangles() -> None:
    net = plica.random_network([2, 12, 12, 5], seed=4, bias_std=0.4)
    cx = plica.decompose(net, plica.Box([-1.0, -2.0], [1.5, 1.0]))
    found = generated_manifold(cx)
    total = 0.0
    for corners in cx.vertices[cx.triangulation().vertices]:
        a, b, c = net(cx.domain.to_input(corners))
        u, v = b - a, c - a
        total += 0.5 * np.sqrt(max((u @ u) * (v @ v) - (u @ v) ** 2, 0.0))
    assert found.image_area.middle == pytest.approx(total, rel=1e-9)
    assert found.area == pytest.approx(7.5)


def test_samples_are_uniform_on_the_surface() -> None:
    # the right half is stretched by 3: three quarters of the surface
    sheet = surface([3, -1, 0, 0], [0, 0, 1, -1])
    u = sheet.sample(20_000, seed=1)
    assert np.abs(u).max() <= 1 and abs((u[:, 0] > 0).mean() - 0.75) < 4 * np.sqrt(0.75 * 0.25 / 20_000)
    right = u[u[:, 0] > 0]
    assert abs(right[:, 0].mean() - 0.5) < 0.01 and abs(right[:, 1].mean()) < 0.02
    assert np.array_equal(u, sheet.sample(20_000, seed=1)) and not np.array_equal(u, sheet.sample(20_000, seed=2))


def test_a_collapsed_surface_has_no_uniform_sample() -> None:
    flat = surface([1, -1, 0, 0], [2, -2, 0, 0])
    assert (flat.ranks == 1).all() and flat.image_area.high < 1e-12
    with pytest.raises(InvalidInput, match="no area"):
        flat.sample(3)


def test_the_short_way_over_a_roof_is_that_of_the_unfolded_roof() -> None:
    s = 2.0
    roof = surface([1, -1, 0, 0], [0, 0, 1, -1], [s, s, 0, 0])
    found = geodesic(roof, [-0.5, -0.8], [0.7, 0.6])
    unfolded = np.hypot((0.5 + 0.7) * np.sqrt(1 + s**2), 0.8 + 0.6)  # a straight line on the paper before it was folded
    assert found.length == pytest.approx(unfolded, rel=1e-9)
    assert found.chord < found.length == pytest.approx(found.straight_length)  # straight in the plane, too: the slopes are equal


def test_a_stretched_strip_refracts_a_path_as_glass_does_light() -> None:
    # both directions stretched by 2 where x > 0: sines of the angles to the normal are as 2 to 1 (Snell)
    glass = surface([2, -1, 0, 0], [0, 0, 1, -1], [0, 0, 1, -1])
    found = geodesic(glass, [-0.9, -0.9], [0.9, 0.9], per_edge=12)
    flat = geodesic(surface([1, -1, 0, 0], [0, 0, 1, -1]), [-0.9, -0.9], [0.9, 0.9])
    assert flat.length == pytest.approx(1.8 * np.sqrt(2)) and flat.length == pytest.approx(flat.chord)
    # metrics diag(4, 2) and diag(1, 2): y is cyclic, so momentum 2 dy / length is the same on both sides
    momenta = []
    for p, q in zip(found.points, found.points[1:], strict=False):
        d = q - p
        scale = 4.0 if (p + q)[0] > 0 else 1.0
        momenta.append(2 * d[1] / np.sqrt(scale * d[0] ** 2 + 2 * d[1] ** 2))
    assert np.ptp(momenta) < 1e-5
    assert found.length < found.straight_length


def test_bad_questions_are_refused() -> None:
    with pytest.raises(InvalidInput, match="bounded plane"):
        generated_manifold(plica.decompose(plica.random_network([1, 3, 2], seed=0), plica.Segment([0.0], [1.0])))
    roof = surface([1, -1, 0, 0], [0, 0, 1, -1])
    with pytest.raises(InvalidInput):
        geodesic(roof, [0.0], [1.0, 0.0])
    with pytest.raises(InvalidInput):
        roof.sample(0)


@pytest.mark.parametrize("column", [0, 1])
def test_the_area_is_enclosed_where_maps_are_known_up_to_an_error(monkeypatch: pytest.MonkeyPatch, column: int) -> None:
    """A square is stretched by 3 and 5; one of the two is given too long by as much as its error allows."""
    net = Network.sequential(2, [Linear(np.array([[3.0, 0.0], [0.0, 5.0]])), Rectifier()])
    cx = plica.decompose(net, plica.Box([1.0, 1.0], [2.0, 2.0]))
    given = cx.bounded_maps()
    columns, error = given.values.copy(), np.array(given.error)
    columns[:, column, column] += 0.01
    error[:, column] += 0.010000001
    monkeypatch.setattr(type(cx), "bounded_maps", lambda self: type(given)(columns, error))
    area = generated_manifold(cx).image_area
    assert area.low <= 15.0 <= area.high and area.high - area.low < 0.2
