"""Results show themselves in notebooks: well-formed HTML, escaped, with the text of the terminal in it."""

from __future__ import annotations

import re
from html import escape
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import plica
from plica._show import facts_html, rows_html
from plica.claims import Evidence, row
from plica.construct import GaussianSpectrum, approximation_error, barron, interpolant, squaring
from plica.dimension import TwoNN, bootstrap
from plica.geometry._thumbnail import thumbnail
from plica.learn import History
from plica.measure import (
    Ensemble,
    cell_sizes,
    class_volumes,
    data_cells,
    extremes,
    fold_distance,
    jacobian,
    lipschitz,
    moments,
    persistence,
    region_density,
)
from plica.robust import class_distance
from plica.theory.regions import bounds


def results() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    net = plica.random_network([2, 6, 6, 1], seed=0, weights="he-normal", bias_std=0.5)
    solid = plica.random_network([3, 4, 1], seed=0, weights="he-normal", bias_std=0.5)
    square, points = plica.Box([-1, -1], [1, 1]), rng.uniform(-1, 1, size=(30, 2))
    certificate = squaring(2).certificate
    assert certificate is not None
    ensemble = Ensemble([4, 4, 4], n_networks=3, seed=0)
    cx = plica.decompose(net, square)
    return {
        "plane": cx,
        "line": plica.decompose(net, plica.Segment([-1, -1], [1, 1])),
        "path": plica.decompose(net, plica.Path([[-1, -1], [1, 1], [1, -1]])),
        "solid": plica.decompose(solid, plica.Box([-1] * 3, [1] * 3)),
        "unbounded plane": plica.decompose(net, plica.Space(2)),
        "unbounded space": plica.decompose(solid, plica.Space(3)),
        "count": plica.count_regions(net, square),
        "length": plica.trajectory_length(net, plica.Segment([-1, -1], [1, 1])),
        "boundary": fold_distance(net, points),
        "density": region_density(net, points, n_samples=3),
        "data cells": data_cells(net, points),
        "cell sizes": cell_sizes(cx),
        "jacobian": jacobian(net, [0.1, 0.2]),
        "jacobians": ensemble.estimate_jacobians(np.ones(4)),
        "lengths": ensemble.estimate_lengths(plica.Segment(np.zeros(4), np.ones(4)), n_points=4),
        "construction": squaring(2),
        "unit construction": barron(GaussianSpectrum(2), 5),
        "certificate": certificate,
        "error": approximation_error(interpolant([0, 1], [0.0, 1.0]).network, squaring(1).network, plica.Segment([0.0], [1.0])),
        "verification": certificate.verify(),
        "interval": bootstrap(TwoNN(), rng.normal(size=(60, 3)), n_resamples=3),
        "estimator": TwoNN().fit(points),
        "unfitted": TwoNN(),
        "bounds": bounds([2, 4, 4, 1]),
        "history": History([{"step": 0, "loss": 2.0}, {"step": 5, "loss": 1.0, "regions": 7}]),
        "evidence": Evidence([row(1, "=", 1, n=2)]),
        "catalog": plica.catalog(topic="regions"),
        "network": net,
        "extremes": extremes(cx),
        "lipschitz": lipschitz(cx),
        "persistence": persistence(cx),
        "distance": class_distance(plica.random_network([2, 6, 3], seed=0), np.zeros(2)),
        "cost": plica.estimate_cost(net, square),
        "curves": plica.decision_boundary(net, square),
        "class volumes": class_volumes(plica.random_network([2, 6, 3], seed=0), square),
        "moments": moments(cx),
        "data set": plica.data.load("moons", n=20),
    }


RESULTS = (
    "plane", "line", "path", "solid", "unbounded plane", "unbounded space", "count", "length", "boundary", "density",
    "data cells", "cell sizes", "jacobian", "jacobians", "lengths", "construction", "unit construction", "certificate", "error",
    "verification", "interval", "estimator", "unfitted", "bounds", "history", "evidence", "catalog",
    "network", "extremes", "lipschitz", "persistence", "distance", "cost",
    "curves", "class volumes", "moments", "data set",
)  # fmt: skip


@pytest.fixture(scope="module")
def shown() -> dict[str, Any]:
    return results()


def test_the_list_of_results_is_complete(shown: dict[str, Any]) -> None:
    assert set(shown) == set(RESULTS)


@pytest.mark.parametrize("name", RESULTS)
def test_result_shows_itself_as_a_table_that_a_machine_can_read(name: str, shown: dict[str, Any]) -> None:
    html = shown[name]._repr_html_()
    root = ElementTree.fromstring(f"<main>{html}</main>")  # noqa: S314 written a moment ago
    cells = [element for element in root.iter() if element.tag in ("td", "th")]
    assert len(cells) >= 2 and any((element.text or "").strip() for element in cells)
    for picture in (element for element in root.iter() if element.tag.endswith("svg")):
        assert picture.get("role") == "img" and picture.get("aria-label")


@pytest.mark.parametrize("name", ["plane", "solid", "count", "boundary", "density", "jacobian", "certificate", "interval"])
def test_the_text_of_the_terminal_is_the_caption(name: str, shown: dict[str, Any]) -> None:
    caption = f"<caption>{escape(repr(shown[name]))}</caption>"
    assert caption in shown[name]._repr_html_()


@pytest.mark.parametrize("name", RESULTS)
def test_no_number_is_written_with_more_than_ten_digits_behind_its_zeros(name: str, shown: dict[str, Any]) -> None:
    html = re.sub(r"<svg.*?</svg>", "", shown[name]._repr_html_(), flags=re.DOTALL)
    found = [text for text in (repr(shown[name]), html) if re.search(r"[1-9]\d*\.\d{11}|0\.0*[1-9]\d{10}", text)]
    assert not found


def test_complexes_have_a_picture_where_it_fits_on_paper(shown: dict[str, Any]) -> None:
    cx = shown["plane"]
    svg = thumbnail(cx)
    assert f"{cx.n_cells} cells" in svg and svg.count("M") == len(cx.edges) + cx.n_cells
    line = thumbnail(shown["line"])
    assert line.count("<circle") == shown["line"].n_vertices
    assert thumbnail(plica.decompose(plica.random_network([4, 3, 1], seed=0), plica.Box([-1] * 4, [1] * 4))) == ""


def is_inside(place: Any, polygon: Any) -> bool:
    """Whether a convex polygon has a place: on one side of all its edges."""
    (ax, ay), (bx, by) = (polygon - place).T, (np.roll(polygon, -1, axis=0) - place).T
    turns = ax * by - ay * bx
    return bool((turns > 0).all() or (turns < 0).all())


def test_a_solid_is_seen_from_outside_and_its_sides_are_covered_once(shown: dict[str, Any]) -> None:
    solid = shown["solid"]
    polygons, cells = solid.outside()
    cube = np.array([[i & 1, i >> 1 & 1, i >> 2] for i in range(8)], dtype=float) * 2 - 1
    a, b, c = solid.on_screen(np.eye(3) * 2)  # what the three sides that are seen are spanned by
    areas = [abs(np.linalg.det([u, v])) for u, v in ((a, b), (a, c), (b, c))]
    rolled = [np.roll(p, -1, axis=0) for p in polygons]
    seen = sum(abs((p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0]).sum()) / 2 for p, q in zip(polygons, rolled, strict=True))
    assert np.isclose(seen, sum(areas))
    assert set(cells) <= set(range(solid.n_cells)) and len(polygons) > 3  # folds reach the sides
    corners, places = solid.on_screen(cube), np.concatenate(polygons)
    assert np.allclose(places.min(axis=0), corners.min(axis=0)) and np.allclose(places.max(axis=0), corners.max(axis=0))
    rng = np.random.default_rng(1)
    for side, end in ((0, 1.0), (1, -1.0), (2, 1.0)):  # the viewer is to the right, in front and above
        for point in rng.uniform(-1, 1, size=(15, 3)):
            point[side] = end
            place = solid.on_screen(point[None])[0]
            around = [k for k, polygon in enumerate(polygons) if is_inside(place, polygon)]
            assert [int(cells[k]) for k in around] == [solid.cell_at(0.999999 * point)]
    svg = thumbnail(solid)
    assert svg.count("<path") == len(polygons) and f"{solid.n_cells} cells of a solid" in svg


def test_markup_in_names_and_values_is_escaped() -> None:
    assert "<b>" not in facts_html("<b>", {"<b>": "<b>"}) and "<b>" not in rows_html("<b>", [{"<b>": "<b>"}])
    assert "<i>" not in History([{"step": 0, "note": "<i>"}])._repr_html_()


def test_an_outcome_without_evidence_shows_its_error() -> None:
    from plica.claims import Outcome

    claim = plica.catalog()["zaslavsky-1975"]
    assert "it broke" in Outcome(claim, None, 0.1, "it broke")._repr_html_()
    evidence = Evidence([row(1, "=", 1, n=2)])
    assert "<table>" in Outcome(claim, evidence, 0.1)._repr_html_()


def test_curves_show_their_window_what_was_not_looked_at_and_their_numbers():
    net = plica.random_network([2, 64, 64, 3], seed=0, weights="he-normal", bias_std=0.5)
    whole = plica.decision_boundary(net, plica.Box([-4, -4], [4, 4]))
    html = whole._repr_html_()
    assert f"<td>{whole.n_segments:,}</td>" in html
    assert "not looked at" not in html
    assert html.count("<path") == 3
    some = plica.geometry.Curves(whole.domain, whole.polylines[:1], 1, 0, 0.0, whole.decisions, 0.0, (whole.domain.window / 2,))
    assert "1 polyline in a window; gray was not looked at" in some._repr_html_()
