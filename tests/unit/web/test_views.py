"""Views that the server computes: sheets of panels whose arrays are there, and readings that can fail."""

import numpy as np
import pytest
from patience import patient

import plica
from plica.errors import InvalidInput
from plica.web import Limits, State
from plica.web._frames import pack, unpack
from plica.web._scene import scene_of
from plica.web.views import SHEETS, Sheet, sheet_of

LIMITS = Limits(max_seconds=patient(30))


def sheet(query):
    state = State.from_query(query)
    return sheet_of(state, lambda: scene_of(state, lambda digest: b""), LIMITS)


@pytest.mark.parametrize("view", SHEETS)
def test_a_view_sends_the_arrays_that_its_marks_name(view):
    made = sheet(f"view={view}&draws=4&teeth=3&widths=5-4&data=circles&step=60")
    facts, arrays = unpack(pack(*made.packed()))
    assert facts["sentence"] and facts["hero"]["noun"]
    named = [
        mark[key] for panel in facts["panels"] for mark in panel["marks"] for key in ("x", "y", "values", "error") if key in mark
    ]
    assert set(named) <= set(arrays)
    for panel in facts["panels"]:
        assert panel["title"] and panel["x"]["name"] and panel["y"]["name"]
        for mark in panel["marks"]:
            if mark["kind"] != "heat":
                assert len(arrays[mark["x"]]) == len(arrays[mark["y"]])
        if panel["handle"]:
            names = [panel["handle"][key].split("[")[0] for key in ("x", "y") if panel["handle"][key]]
            assert names and all(hasattr(State(), name) for name in names)
    assert [key for key, reading in facts["readings"].items() if reading["holds"] is False] == []


def test_a_view_without_a_sheet_is_refused():
    with pytest.raises(InvalidInput, match="no sheet"):
        sheet("view=plane")


def test_a_reading_allows_four_standard_errors_and_no_more():
    made = Sheet("")
    made.read("near", "", "=", 1.0, 1.39, error=0.1)
    made.read("far", "", "=", 1.0, 1.41, error=0.1)
    made.read("below", "", "<=", 1.0, 1.41, error=0.1)
    made.read("above", "", ">=", 1.0, 0.59, error=0.1)
    assert [made.readings[key].holds for key in ("near", "far", "below", "above")] == [True, False, False, False]


def test_little_noise_adds_a_quarter_of_the_pieces():
    found = sheet("view=noise&teeth=3&shake=0.001&draws=40")
    assert found.readings["unperturbed"].measured == 8
    assert found.readings["little"].predicted == 10 and found.readings["little"].holds


def test_the_graph_of_the_noise_view_is_that_of_the_perturbed_network():
    from plica.web.views._noise import _network

    query = "view=noise&teeth=3&shake=0.1&draws=2"
    facts, arrays = sheet(query).packed()
    mark = facts["panels"][0]["marks"][1]
    x, y = arrays[mark["x"]], arrays[mark["y"]]
    assert x[[0, -1]].tolist() == [0, 1] and y == pytest.approx(_network(State.from_query(query), 0)(x[:, None])[:, 0])


def test_mean_field_finds_the_edge_and_what_is_beyond_it():
    edge = plica.theory.meanfield.edge_of_chaos("tanh", bias_std=0.3)
    found = sheet(f"view=meanfield&sw={edge.weight_std:.9f}&sb=0.3&deep=3&wide=50")
    assert found.hero["value"] == pytest.approx(1, abs=1e-6)
    assert found.readings["edge"].measured == pytest.approx(1, abs=1e-6)
    chaotic = sheet("view=meanfield&sw=3&sb=0.1&deep=8&wide=400")
    assert "chaotic" in chaotic.hero["where"] and chaotic.readings["correlation"].measured < 0.5


@pytest.mark.parametrize("phi", ["tanh", "erf", "hard-tanh", "relu"])
@pytest.mark.parametrize("bias", [0, 0.000001, 0.02, 0.2, 1.5])
def test_the_edge_is_the_edge_for_units_whose_slope_jumps_too(phi, bias):
    edge = sheet(f"view=meanfield&phi={phi}&sb={bias}&deep=2&wide=20").readings.get("edge")
    assert edge is None or edge.holds, edge


@pytest.mark.parametrize("kind", ["matrix=orthogonal", "density=0.9"])
def test_narrow_networks_have_any_matrices(kind):
    """Their layers are drawn with the matrices, however narrow they are."""
    readings = sheet(f"view=meanfield&deep=4&wide=60&{kind}").readings
    assert readings["length"].holds and readings["correlation"].holds


def test_masks_hide_what_they_say():
    facts, arrays = sheet("view=attention&mask=causal&tokens=9").packed()
    weights = arrays[facts["panels"][0]["marks"][0]["values"]].reshape(9, 9)
    assert np.triu(weights, 1).max() == 0 and weights.sum(1) == pytest.approx(np.ones(9))
    made = sheet("view=attention&mask=printed&tokens=9")
    assert made.readings["causal"].holds is False and "causal" not in made.packed()[0]["readings"]
    assert sheet("view=attention&mask=window&reach=2&tokens=9").readings["pairs"].measured == 9 + 2 * (8 + 7)


def test_attention_draws_the_weights_of_the_definition():
    from plica.web.views._attention_rows import rows

    state = State.from_query("view=attention&tokens=5&dim=6&alpha=0.25&warmth=2")
    facts, arrays = sheet(state.to_query()).packed()
    q, k, _ = rows(state)
    scores = q[0] @ k[0].T / 6**0.25 / 2
    expected = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    assert arrays[facts["panels"][0]["marks"][0]["values"]].reshape(5, 5) == pytest.approx(expected)


@pytest.mark.parametrize("build", ["squaring", "product", "sawtooth", "spline", "threshold", "narrow", "wavelets", "maximum"])
def test_constructions_keep_what_their_theorems_promise(build):
    made = sheet(f"view=approximation&build={build}&size=3")
    assert made.readings and all(reading.holds for reading in made.readings.values())
    if build == "squaring":
        assert made.readings["promise"].measured == 2**-8


@pytest.mark.parametrize("norm", ["l2", "linf"])
def test_the_nearest_point_of_the_boundary_is_the_nearest_of_many(norm):
    from plica.web.views._robust import _nearest

    rng = np.random.default_rng(3)
    for _ in range(20):
        boundary, point = rng.uniform(-1, 1, (5, 2, 2)), rng.uniform(-1, 1, 2)
        near, radius = _nearest(boundary, point, norm)
        t = np.linspace(0, 1, 2001)[:, None, None]
        places = boundary[:, 0] + t * (boundary[:, 1] - boundary[:, 0]) - point
        sizes = np.abs(places).max(-1) if norm == "linf" else np.linalg.norm(places, axis=-1)
        assert radius <= sizes.min() + 1e-12 and radius == pytest.approx(sizes.min(), abs=2e-3)
        assert (np.abs(near - point).max() if norm == "linf" else np.linalg.norm(near - point)) == pytest.approx(radius)


def test_a_distance_is_certified_by_counted_nodes_and_a_hard_point_ends_with_its_seconds(monkeypatch):
    """The screen says the budget, and which part of it was spent."""
    import itertools
    import time
    from types import SimpleNamespace

    from plica.robust import _distance

    now, seconds = time.perf_counter(), f"{0.4 * LIMITS.max_seconds:.3g} s"
    quick = sheet("view=robust&step=60")
    assert quick.hero["kind"] == "certified" and f"600 nodes and {seconds}" in quick.sentence
    monkeypatch.setattr(_distance, "time", SimpleNamespace(perf_counter=lambda: now))
    again = sheet("view=robust&step=60")  # a clock that stands still: nodes are counted
    assert again.hero == quick.hero
    wide = sheet("view=robust&widths=64-64-64").hero
    assert wide["kind"] == "estimated" and "; 600 nodes of a search" in wide["where"]
    clock = itertools.count(now, step=LIMITS.max_seconds)
    monkeypatch.setattr(_distance, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    cut = sheet("view=robust&widths=64-64-64").hero
    assert cut["kind"] == "estimated" and f"; {seconds}, " in cut["where"] and cut["value"] == wide["value"]


@pytest.mark.parametrize("view", SHEETS)
def test_what_two_panels_name_alike_has_one_color(view):
    facts, _ = sheet(f"view={view}&draws=4&teeth=3&widths=5-4&data=circles&step=60").packed()
    lines = [mark for panel in facts["panels"] for mark in panel["marks"] if mark["kind"] == "line" and mark["name"]]
    roles = {name: {mark["role"] for mark in lines if mark["name"] == name} for name in {mark["name"] for mark in lines}}
    assert {name: found for name, found in roles.items() if len(found) > 1} == {}
    for panel in facts["panels"]:  # the two browns are too near for lines of one panel that both go through data
        drawn = {mark["role"] for mark in panel["marks"] if mark["kind"] == "line" and not mark.get("dashed")}
        assert not {"reference", "bound"} <= drawn, panel["title"]


def every_scene():
    from plica.web._lessons import LESSONS

    return list(LESSONS)


@pytest.mark.slow
@pytest.mark.parametrize("claim", every_scene())
def test_every_scene_reaches_its_number(claim):
    """Every scene, of a refuted claim too, shows what its page says; questions may be answered with no."""
    from plica.claims import catalog
    from plica.web._lessons import LESSONS, reading_of, scene_link
    from plica.web._picture import picture

    state = State.from_query(scene_link(claim))
    if state.view in SHEETS:
        reading = reading_of(state, sheet(scene_link(claim)))
    else:
        reading = picture(scene_of(state, lambda digest: b""), LIMITS)[0].get("reading")
    assert (reading is None) == (LESSONS[claim].read is None)
    expected = catalog()[claim].expected
    if reading is not None and reading["holds"] is not None and expected != "answered":
        assert reading["holds"] == (expected != "refuted"), reading
