"""The report on a model: complete, self-contained, honest about kinds, resumable, within its budget."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from patience import patient
from typer.testing import CliRunner

import plica
import plica.measure
from plica.cli import app
from plica.data import load
from plica.errors import InvalidInput
from plica.network import Linear, Network, Rectifier
from plica.report import Parts, Section, Task, model_page, model_sections
from plica.report import _model as model
from plica.report._model import reference
from plica.report._model_figures import draw
from plica.report._model_measures import mean_field_growth
from plica.report._model_planes import planes
from plica.report._model_robust import fragile
from plica.robust import class_distance

NAMES = [
    "architecture", "planes", "values", "pieces", "folds", "lengths", "jacobians", "fragile", "pictures",
    "dimensions", "redundancy", "weights", "landscape", "bounds",
]  # fmt: skip


@pytest.fixture(scope="module")
def task():
    data = load("moons", n=120, noise=0.1, seed=1)
    return Task.of(plica.random_network([2, 8, 8, 2], seed=1), data.x, data.y, max_seconds=patient(200))


@pytest.fixture(scope="module")
def sections(task):
    return model_sections(task)


@pytest.fixture(scope="module")
def page(task, sections):
    return model_page(sections, task, title="Report on <b>mine</b> & yours")


def test_every_section_is_there_with_a_sentence_and_its_numbers(sections):
    assert [s.id for s in sections] == NAMES
    for section in sections:
        assert section.meaning.endswith(".") and section.is_complete
        assert section.facts or any(t["rows"] for t in section.tables)


def test_every_number_says_what_kind_it_is(sections):
    kinds = {"exact", "certified", "estimated"}
    assert {kind for s in sections for _, _, kind in s.facts} == kinds
    assert all(t["kind"] in kinds for s in sections for t in s.tables)
    assert all(f["kind"] in kinds for s in sections for f in s.figures)


def test_what_the_cells_know_is_what_measure_says(task, sections):
    known = next(s for s in sections if s.id == "values")
    low, high = task.points.min(axis=0), task.points.max(axis=0)
    pad = 0.1 * (high - low)
    cx = plica.decompose(task.network, plica.Box(low - pad, high + pad))
    found = plica.measure.extremes(cx, output=1)
    row = known.tables[0]["rows"][1]
    assert row[1:3] == [f"{float(found.minimum):.6g}", f"{float(found.maximum):.6g}"]
    assert [r[1] for r in known.tables[1]["rows"]][1] == f"{float(plica.measure.lipschitz(cx)):.6g}"
    parts = [float(r[1].rstrip("%")) for r in next(t for t in known.tables if "Classes" in t["caption"])["rows"]]
    assert sum(parts) == pytest.approx(100, abs=1e-3)
    median = next(t for t in known.tables if "below which" in t["caption"])["rows"][1][2]
    assert float(plica.measure.distribution(cx, output=1).cdf(float(median))[0]) == pytest.approx(0.5, abs=1e-3)
    (curve,) = [f for f in known.figures if f["type"] == "lines"]
    assert all(s["y"] == sorted(s["y"]) and s["y"][-1] == pytest.approx(1) for s in curve["series"])
    diagram = plica.measure.persistence(cx)
    shapes = {name: value for name, value, _ in known.facts}["shapes that {output 0 ≤ t} passes through as t grows"]
    assert shapes.split(" ")[0] == str(int((diagram.dimensions == 0).sum()))
    longest = next(t for t in known.tables if "last longest" in t["caption"])["rows"]
    assert longest[0][0] == "component" and longest[0][2] == "stays"
    redundant = {name: value for name, value, _ in next(s for s in sections if s.id == "redundancy").facts}
    assert int(redundant["functional dimension"]) <= int(redundant["at most"]) == 114 - 16


def test_the_most_fragile_inputs_are_as_near_as_the_verifier_says(task):
    task.allow(patient(60))
    section = fragile(task)
    rows = section.tables[0]["rows"]
    assert len(rows) == 10 and section.is_complete
    upper = [float(r[-1]) for r in rows]
    assert upper == sorted(upper) and all(float(r[-2]) <= float(r[-1]) <= 1.00001 * float(r[-2]) for r in rows)
    nearest = class_distance(task.network, np.asarray(task.points[int(rows[0][0])], dtype=float))
    assert abs(nearest.upper - upper[0]) < 1e-5 * upper[0]
    assert all(class_distance(task.network, x).upper >= 0.9999 * upper[0] for x in task.rows(4, 3))


def test_one_output_stands_for_two_classes():
    net = Network.sequential(
        2, [Linear(np.array([[1.0, 1.0]]), np.array([-1.0])), Rectifier(), Linear(np.eye(1), np.array([-1.0]))]
    )
    task = Task.of(net, np.array([[0.0, 0.0], [2.0, 2.0], [3.0, 0.5]]), max_seconds=patient(60))
    task.allow(patient(60))
    rows = {r[0]: (r[1], r[2], float(r[3])) for r in fragile(task).tables[0]["rows"]}
    for row, distance in (("0", 2), ("1", 2), ("2", 1.5)):  # the answer changes on the line x + y = 2
        assert rows[row][2] == pytest.approx(distance / 2**0.5, rel=1e-5)
    assert rows["0"][:2] == ("0", "1") and rows["1"][:2] == ("1", "0")


def test_the_way_to_the_nearest_other_input_has_all_its_pieces():
    data = load("moons", n=40, noise=0.1, seed=1)
    network = plica.random_network([2, 8, 8, 2], seed=1, weights="he-normal", bias_std=0.5)
    task = Task.of(network, data.x, data.y, max_seconds=patient(60))
    task.allow(patient(60))
    way = next(f for f in fragile(task).figures if f["type"] == "lines")
    points = np.asarray(task.points, dtype=float)
    row, end = (int(n) for n in re.findall(r"row (\d+)", way["caption"]))
    others = points[network(points).argmax(axis=1) != network(points[row]).argmax()]
    assert way["x"][0] == 0.0 and way["x"][-1] == pytest.approx(np.linalg.norm(others - points[row], axis=1).min())
    pieces = plica.count_regions(network, plica.Segment(points[row], points[end]), cells_only=True).n_cells
    assert len(way["x"]) == pieces + 1 and f"{pieces:,} pieces" in way["caption"]
    first, second = (np.array(s["y"]) for s in way["series"])
    assert first[0] > second[0] and first[-1] < second[-1]  # the answer changes on the way
    place, lower = np.array(way["x"]), float(way["caption"].rsplit(" ", 1)[1])
    assert (first >= second)[place < lower * (1 - 1e-3)].all()


def test_counts_are_those_of_the_engine(task, sections):
    plane = next(s for s in sections if s.id == "planes")
    low, high = task.points.min(axis=0), task.points.max(axis=0)
    pad = 0.1 * (high - low)
    cx = plica.decompose(task.network, plica.Box(low - pad, high + pad))
    assert plane.tables[0]["rows"][0][1:3] == [f"{cx.n_cells:,}", f"{cx.n_regions:,}"]
    upper = [r for r in sections[-1].tables[0]["rows"] if r[0] == "on a plane"]
    assert all(float(r[2].replace(",", "")) >= cx.n_cells for r in upper)


def test_the_page_is_one_file_that_asks_for_nothing(page):
    assert len(page.encode()) < 5_000_000
    assert not re.search(r"(?:src|href)=[\"'](?!#)", page) and "@import" not in page and "url(" not in page
    assert "Content-Security-Policy" in page and "prefers-color-scheme: dark" in page and "@media print" in page


def test_names_are_escaped(page):
    assert "<b>mine</b>" not in page and "&lt;b&gt;mine&lt;/b&gt; &amp; yours" in page


def test_every_picture_has_a_text_alternative(page):
    pictures = re.findall(r"<svg [^>]*>", page)
    assert len(pictures) > 6
    assert all('aria-hidden="true"' in p or re.search(r'aria-label="[^"]{10,}"', p) for p in pictures)


def test_every_citation_has_its_reference(page):
    cited = set(re.findall(r'href="#ref-([\w-]+)"', page))
    assert cited and cited <= set(re.findall(r'id="ref-([\w-]+)"', page))
    assert reference("szarek1976").startswith("Stanisław J. Szarek. On the Best Constants in the Khinchin Inequality.")


def test_the_prediction_of_lengths_is_the_law_of_random_networks():
    from itertools import pairwise
    from math import prod

    from plica.theory.lengths import relu_length_factor

    widths = [20, 60, 60, 60, 1]
    nets = [plica.random_network(widths, seed=s, weights="he-normal", bias_std=0.0) for s in range(40)]
    rng = np.random.default_rng(0)
    found = np.mean([mean_field_growth(net, rng.normal(size=(4, 20)), rng).mean(axis=0)[2] for net in nets])
    law = prod(relu_length_factor(n, m, weight_std=2**0.5) for n, m in pairwise(widths[:-1]))
    assert abs(found / law - 1) < 0.06


def test_sections_that_were_finished_are_not_computed_again(tmp_path, monkeypatch, task):
    calls = []

    def first(_):
        calls.append("first")
        return Section("first", "First", "One.")

    def second(_):
        calls.append("second")
        if len(calls) == 2:
            raise KeyboardInterrupt
        return Section("second", "Second", "Two.")

    monkeypatch.setattr(model, "SECTIONS", ((first, 0.5), (second, 0.5)))
    parts = Parts(tmp_path / "r.parts", "key")
    with pytest.raises(KeyboardInterrupt):
        model_sections(task, parts=parts)
    assert [s.title for s in model_sections(task, parts=parts)] == ["First", "Second"]
    assert calls == ["first", "second", "second"]
    assert parts.find("first") is not None and Parts(parts.folder, "other").find("first") is None
    (parts.folder / "first.json").write_text("{ not json")
    assert parts.find("first") is None


def test_a_small_budget_is_kept_and_what_is_missing_is_said():
    net = plica.random_network([6, 300, 300, 300, 3], seed=0, weights="he-normal", bias_std=0.3)
    points = np.random.default_rng(0).normal(size=(80, 6))
    sections = model_sections(Task.of(net, points, max_seconds=4))
    assert [s.id for s in sections] == NAMES
    assert "exact for the part named" in sections[1].note or sections[1].tables[0]["rows"]


def test_no_section_may_take_more_than_what_is_left_for_it(monkeypatch):
    allowed = []
    monkeypatch.setattr(Task, "allow", lambda task, seconds: allowed.append(seconds))
    monkeypatch.setattr("plica.report._model._made", lambda make, task: SimpleNamespace())
    model_sections(Task.of(plica.random_network([3, 4, 2], seed=0), np.random.default_rng(0).normal(size=(20, 3)), max_seconds=3))
    assert len(allowed) == len(NAMES) and 0 < allowed[0] < 0.5 and max(allowed) <= 3


def test_planes_pass_through_points_of_two_classes_and_of_one():
    rng = np.random.default_rng(0)
    task = Task.of(
        plica.random_network([5, 8, 8, 2], seed=2), rng.normal(size=(60, 5)), rng.integers(0, 2, 60), max_seconds=patient(10)
    )
    task.allow(10)
    rows = [r[0] for r in planes(task).tables[0]["rows"]]
    assert len(rows) == 2 and "different classes" in rows[0] and "one class" in rows[1]
    for name, counts in ((rows[0], {2}), (rows[1], {1})):
        chosen = [int(i) for i in re.search(r"rows ([\d, ]+)", name).group(1).split(",")]
        assert len(set(chosen)) == 3 and len(set(task.labels[chosen].tolist())) in counts


def test_a_large_network_is_looked_at_where_its_answer_changes():
    net = plica.random_network([4, 300, 300, 3], seed=1, weights="he-normal", bias_std=0.1)
    task = Task.of(net, np.random.default_rng(1).normal(size=(100, 4)), max_seconds=patient(10))
    task.allow(8)
    section = planes(task)
    first = section.tables[0]["rows"][0]
    assert first[0].startswith("a window where the answer changes") and int(first[3].replace(",", "")) > 0
    assert any(figure["boundary"].startswith("M") for figure in section.figures[:2])


@pytest.mark.parametrize(
    "net",
    [
        Network.sequential((1,), [Linear(np.array([[2.0], [-1.0]]), np.array([0.0, 1.0])), Rectifier(), Linear(np.ones((1, 2)))]),
        Network.sequential((3,), [Linear(np.arange(6.0).reshape(2, 3))]),
    ],
    ids=["one input", "no folds"],
)
def test_small_and_odd_networks_have_reports_too(net):
    task = Task.of(net, max_seconds=8, seed=3)
    page = model_page(model_sections(task), task, title="odd")
    assert task.stands_in and "because no data were given" in page


@pytest.mark.parametrize("value", [1.0, 1e300], ids=["equal points", "huge points"])
@pytest.mark.parametrize("n_inputs", [1, 2, 3])
def test_what_odd_data_do_not_allow_is_said_and_the_rest_is_written(n_inputs, value):
    points = np.full((12, n_inputs), value)
    if value > 1:
        points *= np.random.default_rng(0).normal(size=points.shape)
    task = Task.of(plica.random_network([n_inputs, 4, 2], seed=0), points, max_seconds=10)
    sections = model_sections(task)
    assert len(sections) == len(model.SECTIONS)
    assert all(s.facts or s.tables or s.note for s in sections)
    assert "<h2" in model_page(sections, task, title="odd")


@pytest.mark.parametrize(
    ("points", "labels", "words"),
    [
        (np.zeros((5, 3)), None, "data of shape"),
        (np.zeros((2, 2)), None, "data of shape"),
        (np.full((5, 2), np.nan), None, "not finite"),
        (np.zeros((5, 2)), np.zeros(4, int), "4 labels"),
        (np.zeros((5, 2)), np.zeros(5), "float64"),
        (None, np.zeros(5, int), "labels without data"),
    ],
)
def test_data_that_do_not_fit_are_refused(points, labels, words):
    with pytest.raises(InvalidInput, match=words):
        Task.of(plica.random_network([2, 4, 2], seed=0), points, labels)


def test_the_command_writes_the_page_and_cleans_up(tmp_path):
    data = load("moons", n=90, noise=0.1)
    plica.save(plica.random_network([2, 6, 6, 2], seed=0), tmp_path / "m.safetensors")
    np.save(tmp_path / "x.npy", data.x)
    np.save(tmp_path / "y.npy", data.y)
    out = tmp_path / "r.html"
    arguments = [
        "report",
        str(tmp_path / "m.safetensors"),
        "--data",
        str(tmp_path / "x.npy"),
        "--labels",
        str(tmp_path / "y.npy"),
    ]
    result = CliRunner().invoke(app, [*arguments, "--out", str(out), "--max-seconds", str(patient(20)), "--json", "--quiet"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["finished"] and [s["id"] for s in told["sections"]] == NAMES and told["bytes"] == out.stat().st_size
    assert not out.with_suffix(".parts").exists()
    wrong = CliRunner().invoke(app, [*arguments, "--out", str(tmp_path / "r.txt")])
    assert wrong.exit_code == 2
    absent = CliRunner().invoke(app, [*arguments[:-1], str(tmp_path / "no.npy"), "--out", str(out)])
    assert absent.exit_code == 2


def test_the_whole_plane_of_a_large_network_has_its_decision_boundary():
    from plica.geometry import Plane, decision_boundary
    from plica.report._model_map import whole_map

    network = plica.random_network([5, 520, 4], seed=3)
    points = np.random.default_rng(0).normal(size=(40, 5))
    task = Task.of(network, points)
    (group,) = task.groups(3, 1, same=False, key=10)
    plane = Plane.through(*points[group], margin=0.15)
    figure = whole_map(task, plane, 600.0)
    n = len(decision_boundary(network, plane).segments)
    assert f"{n:,} segments" in figure["caption"] and figure["kind"] == "exact"
    answers = network(plane.to_input(np.random.default_rng(1).uniform(0.0, 1.0, size=(200, 2)))).argmax(axis=1)
    assert {f"output {k}" for k in answers} <= {name for _, name in figure["legend"]}
    late = whole_map(task, plane, 1e-9)
    assert late["kind"] == "estimated" and not late["boundary"] and "was not enough" in late["caption"]


def test_what_was_found_of_a_boundary_in_the_time_is_drawn(monkeypatch):
    from plica.errors import BudgetExceeded
    from plica.geometry import decision_boundary
    from plica.report import _model_map

    network, box = plica.random_network([2, 30, 30, 3], seed=0), plica.Box([-1, -1], [1, 1])
    task = Task.of(network, np.random.default_rng(0).normal(size=(40, 2)))
    whole = _model_map.whole_map(task, box, 600.0)
    found = decision_boundary(network, box)

    def late(*args, **options):
        raise BudgetExceeded("late", partial={"n_cells": 5, "curves": replace(found, polylines=found.polylines[:1])})

    monkeypatch.setattr(_model_map, "decision_boundary", late)
    partly = _model_map.whole_map(task, box, 600.0)
    n = len(found.polylines[0]) - 1
    assert partly["kind"] == "estimated" and f"the {n:,} segments" in partly["caption"]
    assert partly["boundary"] and len(found.polylines) > 1 and len(partly["boundary"]) < len(whole["boundary"])


def test_cells_are_colored_by_the_answer_on_both_sides_of_the_boundary():
    from plica.report._model_cut import cut_by_answer

    network = plica.random_network([2, 6, 5], seed=4, weights="he-normal", bias_std=0.5)
    cx = plica.decompose(network, plica.Box([-2, -2], [2, 2]))
    offsets, corners = cx.cell_offsets, cx.cell_vertices
    n_cut, area = 0, 0.0
    for a, b in pairwise(offsets):
        around = corners[a:b]
        parts = cut_by_answer(cx.vertices[around], cx.outputs[around])
        n_cut += len(parts) > 1
        for k, polygon in parts:
            assert network(polygon.mean(axis=0)[None])[0].argmax() == k
            x, y = polygon.T
            area += abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2
    assert n_cut > 3 and area == pytest.approx(16.0)


def test_a_window_that_is_a_part_is_shown_in_the_whole_plane():
    net = plica.random_network([4, 300, 300, 3], seed=1, weights="he-normal", bias_std=0.1)
    points = np.random.default_rng(1).normal(size=(100, 4))
    task = Task.of(net, points, max_seconds=patient(10), image="2x2")
    task.allow(0.5)
    whole, inset = planes(task).figures[:2]
    assert inset["caption"].startswith("Inset: ") and whole["letters"] == ["A", "B", "C"] and len(whole["images"]) == 3
    (x0, x1), (_, y1) = whole["window"]
    scale = whole["width"] / (x1 - x0)
    x, y, w, h = whole["inset"]
    (a0, a1), (b0, b1) = inset["window"]
    assert [x / scale + x0, (x + w) / scale + x0] == pytest.approx([a0, a1], abs=0.02 / scale)
    assert [y1 - (y + h) / scale, y1 - y / scale] == pytest.approx([b0, b1], abs=0.02 / scale)
    rows = [int(picture["name"].split()[-1]) for picture in whole["images"]]
    at = plica.Plane.through(*points[rows]).to_input([[(a0 + a1) / 2, (b0 + b1) / 2]])[0]  # the middle of the inset
    step = 1e-4 * (points[rows[1]] - points[rows[0]])
    assert net((at - step)[None]).argmax() != net((at + step)[None]).argmax()


def test_the_summary_has_five_lines_that_lead_to_their_sections(page, sections):
    lines = re.findall(
        r'<li><a href="#(\w+)">(.*?)</a> <em class="kind (\w+)">', page.split('class="summary"')[1].split("</ol>")[0]
    )
    assert len(lines) == 5 and {id for id, _, _ in lines} <= {s.id for s in sections}
    assert any("linear regions" in text for _, text, _ in lines) and any("get their label" in text for _, text, _ in lines)


def test_the_contents_lead_to_every_section_in_order(page):
    contents = re.search(r'<nav aria-label="Contents">(.*?)</nav>', page, re.DOTALL).group(1)
    assert re.findall(r'href="#([\w-]+)"', contents) == [*NAMES, "cost", "references"]


def test_what_was_used_is_said_to_be_what_the_sections_took(page, sections, task):
    used = sum(section.seconds for section in sections)
    assert f"{task.max_seconds:.0f} s were asked for, {used:.1f} s were used" in page


def test_cells_of_a_plane_answer_the_pointer(sections):
    figure = next(s for s in sections if s.id == "planes").figures[0]
    tips = [tip for _, _, *rest in figure["cells"] for tip in rest]
    drawn = str(draw(figure))
    assert len(tips) == len(figure["cells"]) >= 8
    assert [unescape(tip) for tip in re.findall(r'<path class="[^"]*" d="[^"]*" data-tip="([^"]*)"', drawn)] == tips


def test_images_are_pngs_of_the_rows(tmp_path):
    import base64

    from matplotlib import image

    x = np.random.default_rng(0).uniform(size=(5, 3, 4, 6)).astype(np.float32)
    task = Task.of(plica.random_network([72, 4, 2], seed=0), x, np.arange(5) % 2)
    assert task.image_shape == (3, 4, 6)
    picture = task.row_pictures([2])[0]
    assert picture["name"] == "row 2" and picture["note"].startswith("label 0, answer ")
    (tmp_path / "p.png").write_bytes(base64.b64decode(picture["src"].split(",")[1]))
    back = image.imread(tmp_path / "p.png")
    assert back.shape == (4, 6, 3)
    expected = (x[2].transpose(1, 2, 0) - x.min()) / (x.max() - x.min())
    assert np.abs(back - expected).max() <= 0.5 / 255 + 1e-6
    assert Task.of(plica.random_network([72, 4, 2], seed=0), x, image="none").row_pictures([2]) == []
    with pytest.raises(InvalidInput, match="72 inputs"):
        Task.of(plica.random_network([72, 4, 2], seed=0), x, image="9x9")
