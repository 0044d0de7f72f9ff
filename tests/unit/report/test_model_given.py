"""What is given to a report: names of classes and inputs, targets instead of classes, networks and data with nothing to say."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from patience import patient
from typer.testing import CliRunner

import plica
from plica.cli import app
from plica.errors import BudgetExceeded, InvalidInput
from plica.geometry import Box, Budget
from plica.network import Linear, Network, Rectifier
from plica.report import Task, model_page, model_sections
from plica.report._model import _made
from plica.report._model_cells import redundancy, values
from plica.report._model_geometry import architecture, folds, pieces
from plica.report._model_landscape import landscape
from plica.report._model_map import SIDES, whole_map
from plica.report._model_measures import jacobians
from plica.report._model_planes import _largest, planes
from plica.report._model_robust import fragile

RNG = np.random.default_rng(0)
POINTS = RNG.normal(size=(60, 2))


def allowed(task: Task) -> Task:
    task.allow(patient(30))
    return task


@pytest.mark.parametrize("n_inputs", [1, 2, 3])
@pytest.mark.parametrize("hidden", [0.0, 1.0], ids=["zero weights", "constant outputs"])
def test_networks_that_never_change_have_reports_without_a_number_that_is_none(n_inputs, hidden):
    net = Network.sequential(
        n_inputs, [Linear(hidden * RNG.normal(size=(4, n_inputs))), Rectifier(), Linear(np.zeros((2, 4)), np.array([3.0, 1.0]))]
    )
    task = Task.of(net, RNG.normal(size=(50, n_inputs)), max_seconds=6)
    sections = model_sections(task)
    page = model_page(sections, task, title="constant")
    text = re.sub(r"<style.*?</style>|<script.*?</script>|<[^>]*>", " ", page, flags=re.DOTALL)
    assert not re.search(r"\b(nan|inf|None)\b", text)
    assert all(s.facts or s.tables or s.note for s in sections)


def test_classes_and_inputs_have_their_names_everywhere():
    net = plica.random_network([2, 8, 3], seed=1, bias_std=0.5)
    labels = net(POINTS).argmax(axis=1)
    labels[7] = (labels[7] + 1) % 3
    names = ("apple", "cherry", "pear")
    task = Task.of(net, POINTS, labels, names=names, columns=("height", "width"))
    figure = planes(allowed(task)).figures[0]
    assert (figure["x_title"], figure["y_title"]) == ("height", "width")
    assert [name for _, name in figure["legend"]] == [names[k] for k in np.unique(net(POINTS).argmax(axis=1))]
    tips = dict(zip([tip.split(":")[0] for _, tip in figure["marked"]], figure["marked"], strict=True))
    color, tip = tips["row 7"]
    assert tip == f"row 7: label {names[labels[7]]}, answer {names[net(POINTS[7]).argmax()]}" and color == f"c{labels[7]}"
    rows = fragile(allowed(task)).tables[0]["rows"]
    assert {cell for row in rows for cell in row[1:4]} <= set(names)
    assert "59 of 60 points" in architecture(allowed(task)).summary[0][1]


def test_numbers_instead_of_classes_are_measured_and_nothing_is_said_of_answers():
    net = plica.random_network([2, 8, 1], seed=1, bias_std=0.5)
    targets = net(POINTS)[:, 0] + 0.25 * np.where(np.arange(60) % 2, 1, -1)
    task = Task.of(net, POINTS, targets)
    assert task.labels is None
    assert "0.25 from its target" in architecture(allowed(task)).summary[0][1]
    shown = planes(allowed(task))
    assert not shown.figures[0]["boundary"] and "answer" not in shown.summary[0][1]
    low, high = (float(name.split()[-1]) for _, name in shown.figures[0]["legend"])
    cx = plica.decompose(net, plica.Box(*(np.array([[-1.1, 0.1], [0.1, -1.1]]) @ [POINTS.min(0), POINTS.max(0)] * -1)))
    assert (low, high) == pytest.approx((cx.outputs.min(), cx.outputs.max()), rel=1e-3)
    assert [row[0] for row in pieces(allowed(task)).tables[0]["rows"]] == ["any two points"]
    assert "no other answer" in fragile(allowed(task)).note
    known = values(allowed(task))
    assert not any("class" in text for text in (known.note, *(t["caption"] for t in known.tables)))
    assert "60 data points with targets" in model_page([known], task, title="numbers")
    line = landscape(allowed(task))
    (value,) = [value for name, value, _ in line.facts if name.startswith("mean squared error")]
    assert float(value) == pytest.approx(0.0625, rel=1e-5)


@pytest.mark.parametrize(
    "labels", [np.where(POINTS[:, 0] > 0, 1, -1), (POINTS[:, 0] > 0).astype(int)], ids=["-1 and 1", "0 and 1"]
)
def test_one_output_answers_by_its_sign(labels):
    net = Network.sequential(2, [Linear(np.eye(2)), Rectifier(), Linear(np.array([[1.0, 0.0]]), np.array([-1e-9]))])
    (_, text, _) = architecture(allowed(Task.of(net, POINTS, labels))).summary[0]
    assert "60 of 60 points (100.0%)" in text


def test_boundaries_of_200_classes_are_drawn():
    net = plica.random_network([3, 6, 200], seed=1)
    section = planes(allowed(Task.of(net, RNG.normal(size=(60, 3)))))
    assert section.figures and section.figures[0]["boundary"] and "outputs" not in section.note


@pytest.mark.parametrize(
    ("points", "labels", "names", "words"),
    [
        (np.zeros((0, 2)), None, (), "data of shape"),
        (np.full((9, 2), "a"), None, (), "data of type"),
        (np.full((9, 2), 1j), None, (), "data of type"),
        (np.zeros((9, 2)), np.arange(9), (), "label 3 for a network with 3 outputs"),
        (np.zeros((9, 2)), np.full(9, -1), (), "label -1"),
        (np.zeros((9, 2)), np.arange(9) % 2, ("a", "b"), "2 kinds of labels"),
        (np.zeros((9, 2)), np.arange(9) % 4, ("a", "b", "c", "d"), "4 kinds of labels"),
    ],
)
def test_what_does_not_fit_is_refused_with_a_hint(points, labels, names, words):
    with pytest.raises(InvalidInput, match=words) as error:
        Task.of(plica.random_network([2, 4, 3], seed=0), points, labels, names=names)
    assert error.value.hint


def test_points_on_one_line_are_not_a_matter_of_time():
    section = planes(allowed(Task.of(plica.random_network([3, 4, 2], seed=0), np.linspace(0, 1, 9)[:, None] * np.ones(3))))
    assert section.is_complete and "on one line" in section.note


def test_the_command_reads_a_table_with_words(tmp_path):
    net = plica.random_network([2, 4, 2], seed=0)
    plica.save(net, tmp_path / "m.safetensors")
    kinds = np.array(["round", "square"])[net(POINTS).argmax(axis=1)]
    kinds[:2] = ["round", "square"]
    lines = [f"{x:.17g};{y:.17g};{kind}" for (x, y), kind in zip(POINTS, kinds, strict=True)]
    (tmp_path / "d.csv").write_text("height;width;kind\n" + "\n".join(lines), encoding="utf-8")
    arguments = ["report", str(tmp_path / "m.safetensors"), "--data", str(tmp_path / "d.csv"), "--quiet"]
    out = tmp_path / "r.html"
    result = CliRunner().invoke(app, [*arguments, "--out", str(out), "--max-seconds", str(patient(20)), "--json"])
    assert result.exit_code in (0, 3), result.output
    page = out.read_text(encoding="utf-8")
    assert "height" in page and "square" in page and "60 data points with labels" in page
    assert json.loads(result.stdout)["sections"][0]["summary"]
    np.save(tmp_path / "y.npy", np.zeros(60, int))
    twice = CliRunner().invoke(app, [*arguments, "--labels", str(tmp_path / "y.npy"), "--out", str(out)])
    assert twice.exit_code == 2 and "give one of them" in twice.output
    (tmp_path / "d.csv").write_text("", encoding="utf-8")
    empty = CliRunner().invoke(app, [*arguments, "--out", str(out)])
    assert empty.exit_code == 2 and "has no rows" in empty.output


def test_a_window_with_too_many_cells_is_looked_at_in_part(monkeypatch):
    monkeypatch.setattr("plica.report._model_cells.MOST_CELLS", 60)
    net = plica.random_network([2, 20, 20, 2], seed=0, weights="he-normal", bias_std=0.5)
    section = values(allowed(Task.of(net, POINTS)))
    assert section.tables and section.is_complete and "of its sides" in section.tables[0]["caption"]


def test_points_on_folds_are_counted_and_their_rounding_is_not_drawn():
    net = Network.sequential(2, [Linear(np.eye(2)), Rectifier(), Linear(np.ones((1, 2)))])
    points = np.column_stack([np.arange(1.0, 41.0), np.where(np.arange(40) < 30, 0.0, 0.5)])  # thirty of them where y = 0 bends
    section = folds(allowed(Task.of(net, points)))
    facts = {name: value for name, value, _ in section.facts}
    assert facts["points on a fold, up to rounding"] == "30"
    assert facts["the others: least distance, at least"] == "0.499999"  # of a bound just below 0.5, rounded down
    assert section.figures[0]["values"] == [0.5] * 10
    section = folds(allowed(Task.of(net, points[:30])))
    assert section.figures == [] and section.summary == [] and not any("distance" in name for name, *_ in section.facts)


def test_classes_that_are_nowhere_in_a_window_have_no_row():
    net = Network.sequential(
        2, [Linear(np.eye(2)), Rectifier(), Linear([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]], [0.0, 0.0, -9.0])]
    )
    section = values(allowed(Task.of(net, POINTS, np.zeros(60, int))))
    table = next(t for t in section.tables if t["head"][0] == "class")
    assert [row[0] for row in table["rows"]] == ["0", "1"] and "No other class" in section.note


def test_words_of_a_table_are_said_to_stand_for_outputs():
    net = plica.random_network([2, 4, 3], seed=0)
    note = architecture(allowed(Task.of(net, POINTS, np.arange(60) % 3, names=("blue", "green", "red")))).note
    assert "order of the alphabet: blue is 0, green is 1, red is 2." in note
    assert "alphabet" not in architecture(allowed(Task.of(net, POINTS, np.arange(60) % 3))).note


def test_one_singular_value_is_a_number_and_no_curve():
    one, three = (jacobians(allowed(Task.of(plica.random_network([3, 6, n], seed=0), RNG.normal(size=(20, 3))))) for n in (1, 3))
    assert one.figures == [] and ["rank of the Jacobian", "1", "estimated"] in one.facts
    assert len(three.figures) == 1


def test_ranks_that_would_take_too_long_are_given_up_and_said(monkeypatch):
    monkeypatch.setattr("plica.report._model_cells.LEAST_SECONDS", 0.0)
    task = Task.of(plica.random_network([2, 12, 12, 1], seed=0), POINTS, max_seconds=1)
    task.allow(0.0)
    section = redundancy(task)
    assert not section.is_complete and "Not computed" in section.note and section.summary == []


@pytest.mark.parametrize(("seconds", "side"), [(1e9, SIDES[0]), (0.0, SIDES[-1])])
@pytest.mark.parametrize("with_targets", [False, True])
def test_a_whole_plane_is_asked_at_as_many_points_as_the_time_allows(seconds, side, with_targets):
    net = plica.random_network([2, 8, 1], seed=0)
    task = Task.of(net, POINTS, RNG.normal(size=60) if with_targets else None)
    found = whole_map(task, Box([-1.0, -1.0], [1.0, 1.0]), seconds, known=np.zeros((0, 2, 2)))
    assert f"{side} points along the longer side" in found["caption"]


def test_a_constant_that_would_take_too_long_is_left_out_and_the_rest_is_told(monkeypatch):
    budgets = []

    def slow(cx, **_):
        budgets.append(cx.budget.max_seconds)
        raise BudgetExceeded("the budget of 1 s is used up.")

    monkeypatch.setattr("plica.report._model_cells.lipschitz", slow)
    task = Task.of(plica.random_network([2, 8, 1], seed=0), POINTS)
    section = values(allowed(task))
    assert len(budgets) == 1 and budgets[0] <= patient(30)
    assert section.is_cut and "not enough for Lipschitz constants." in section.note
    assert any("shapes that" in name for name, *_ in section.facts)


def test_what_more_time_does_not_help_is_not_laid_to_time(monkeypatch) -> None:
    """Networks that are too large for a section have it left out; the page and the command do not ask for more seconds."""
    monkeypatch.setattr("plica.report._model_robust.MOST_UNITS", 3)
    monkeypatch.setattr("plica.report._model_pictures.MOST_UNITS", 3)
    rng = np.random.default_rng(0)
    task = Task.of(
        plica.random_network([3, 4, 2], seed=0), rng.normal(size=(60, 3)), rng.integers(0, 2, 60), max_seconds=patient(60)
    )
    found = {section.id: section for section in model_sections(task)}
    assert all(found[name].is_left_out and found[name].is_complete for name in ("fragile", "pictures"))
    page = model_page(list(found.values()), task, title="T")
    assert "Not whole" not in page and page.count("<td>left out</td>") == 2


def test_a_section_that_its_budget_ends_is_not_whole(monkeypatch) -> None:
    def ended(*_: object, **__: object) -> None:
        raise BudgetExceeded("1.4 seconds exceed the budget.")

    rng = np.random.default_rng(0)
    task = Task.of(plica.random_network([3, 4, 2], seed=0), rng.normal(size=(60, 3)), max_seconds=60)
    monkeypatch.setattr("plica.report._model_cells.extremes", ended)
    monkeypatch.setattr("plica.report._model_cells.dual_graph", ended)
    section = values(allowed(task))
    assert section.title == "What the cells know" and section.is_cut and "neighbors of cells" in section.note
    assert not _made(ended, task).is_complete


def test_the_whole_plane_of_a_small_network_may_have_as_many_cells_as_there_is_time_for(monkeypatch) -> None:
    """Its first look has no clock: an engine that is still being loaded must not make a window of two hundred cells smaller."""
    asked: list[tuple[float, float]] = []

    def refused(network: Network, domain: Box, *, budget: Budget) -> None:
        asked.append((budget.max_cells, budget.max_seconds))
        raise BudgetExceeded("too many")

    monkeypatch.setattr("plica.report._model_planes.decompose", refused)
    task = Task.of(plica.random_network([2, 8, 2], seed=0), POINTS, max_seconds=100)
    for seconds, cells in ((0.1, 3000), (2.0, 10_000), (100.0, 60_000)):
        asked.clear()
        assert _largest(task, lambda s: Box([0, 0], [s, s]), seconds) is None
        assert asked[0] == (cells, float("inf"))
