"""Lectures: their outlines are true of the catalog, their code runs, their diagrams are the models', their page is whole."""

from __future__ import annotations

import re

import pytest
import torch
from typer.testing import CliRunner

from plica.claims import bibliography, catalog
from plica.cli import app
from plica.errors import InvalidInput
from plica.lectures import diagram, lecture, lectures, sight
from plica.lectures._diagram import trace
from plica.lectures._outline import _sights
from plica.theory.regions import zaslavsky

RUNNER = CliRunner()


def test_every_claim_of_an_outline_exists_and_every_printed_error_is_in_a_lecture() -> None:
    known = set(catalog().ids)
    named = {id for each in lectures().values() for part in each for id in part.claims}
    assert named <= known
    assert {id for id in known if id.startswith("slide-")} <= named
    assert len(named) > 0.9 * len(known)


@pytest.mark.parametrize("name", ["4", "5", "15", "washington", "icerm"])
def test_a_lecture_has_a_source_and_parts_that_say_something(name: str) -> None:
    found = lecture(name)
    assert found.key in bibliography()
    assert all(part.title and len(part.say) > 30 and part.claims for part in found)
    for part in found:
        assert len(set(part.claims)) == len(part.claims)
    titles = [part.title for part in found]
    assert len(set(titles)) == len(titles)


def test_every_claim_of_a_lecture_says_what_to_see() -> None:
    named = {id for each in lectures().values() for part in each for id in part.claims}
    told = {id: sight(id) for id in named}
    assert not [id for id, text in told.items() if not 40 <= len(text) <= 400 or not text.endswith(".")]
    assert len(set(told.values())) > 0.98 * len(told)
    # measured numbers belong to the run that is shown: only small constants of statements may stand here
    assert not [id for id, text in told.items() if re.search(r"\d\.\d|\d{3}|\d ?%", text)]
    assert not sight("no-such-claim")
    assert set(_sights()) <= set(catalog().ids)


def test_lectures_are_found_by_number_and_others_are_refused() -> None:
    assert lecture(4) is lecture("4") and list(lectures())[:3] == ["4", "5", "15"]
    with pytest.raises(InvalidInput, match="no lecture '7'"):
        lecture(7)


def test_the_code_of_outlines_runs(capsys) -> None:
    blocks = [part.code for each in lectures().values() for part in each if part.code]
    assert blocks
    for block in blocks:
        exec(compile(block, "outline", "exec"), {})  # noqa: S102 - our own text
        assert capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "n_parameters"),
    [("gpt3-small", 125_226_240), ("vit-b16", 86_567_656), ("swin-t", 28_288_354), ("resnet-34", 21_797_672)],
)
def test_diagrams_have_the_published_sizes(name: str, n_parameters: int) -> None:
    found = diagram(name)
    assert found.n_parameters == n_parameters
    assert sum(box.times * box.n_parameters for box in found.boxes) <= n_parameters + 38_597_376  # GPT's tokens are shared
    assert f"{n_parameters:,}" in found.svg()


def test_every_diagram_of_an_outline_can_be_drawn() -> None:
    names = {part.diagram for each in lectures().values() for part in each if part.diagram}
    for name in names:
        assert diagram(name).boxes
    with pytest.raises(InvalidInput, match="no diagram"):
        diagram("perceptron")


def test_a_diagram_shows_what_was_called_in_order_and_folds_what_repeats() -> None:
    block = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())
    model = torch.nn.Sequential(
        torch.nn.Linear(3, 4), block, torch.nn.Sequential(*block), torch.nn.Dropout(), torch.nn.Linear(4, 2)
    )
    found = trace("own", model, (torch.zeros(5, 3),))
    assert [(box.kind, box.times, box.shape, box.n_parameters) for box in found.boxes] == [
        ("Linear", 1, "4", 16),
        ("Sequential", 2, "4", 20),
        ("Linear", 1, "2", 10),
    ]
    assert [box.kind for box in found.boxes[1].inside] == ["Linear", "ReLU"]
    assert "2 × Sequential" in found.svg() and "Dropout" not in found.svg()
    assert [size for size in ("16", "40", "20", "10") if f">{size}</text>" in found.svg()] == ["16", "40", "20", "10"]


def test_what_is_called_again_brings_no_parameters_and_is_drawn_once() -> None:
    found = diagram("seq2seq")
    steps = next(box for box in found.boxes if box.times == 9)
    assert [box.kind for box in steps.inside] == ["Lookup", "GRU"] and steps.is_shared
    of_memory = next(box for box in found.boxes if box.name == "of memory")  # a part of the lookup, called before the steps
    assert sum(box.total for box in found.boxes) == found.n_parameters + of_memory.n_parameters
    assert "same weights" in found.svg() and "bridge" in found.svg()


def test_a_block_with_two_kinds_of_attention_shows_both() -> None:
    decoder = diagram("transformer-base").boxes[3]
    assert [box.kind for box in decoder.inside].count("Attention") == 2


def test_the_tree_of_functions_is_the_network_that_was_built() -> None:
    from plica.construct import balanced_tree, cos, sin, tree, variables
    from plica.lectures._tree import tree_diagram

    picture = tree_diagram(4, 2)
    assert [(node.across, node.level) for node in picture.boxes] == [(0.5, 1), (2.5, 1), (1.5, 2)]
    assert picture.boxes[-1].feeds == ((0.5, 1), (2.5, 1))
    u, v = variables(2)
    same = tree(balanced_tree(0.5 + 0.5 * sin(3 * u + 1) * cos(2 * v - 0.5), 4), 2)
    assert picture.n_parameters == sum(node.n_parameters for node in picture.boxes)
    assert sum(node.n_units for node in picture.boxes) == same.theorem["units"]
    assert picture.svg().count("<rect") == 3 + 4 and picture.svg().count("<line") == 6
    assert diagram("tree-of-functions").n_inputs == 8


def test_a_page_shows_every_claim_once_and_loads_nothing(tmp_path) -> None:
    out = tmp_path / "page.html"
    done = RUNNER.invoke(app, ["lecture", "5", "--part", "1", "--part", "2", "--out", str(out)])
    assert done.exit_code == 0, done.output
    page = out.read_text(encoding="utf-8")
    parts = lecture("5").parts[:2]
    shown = re.findall(r'<article class="claim" id="([^"]+)"', page)
    assert shown == [id for part in parts for id in part.claims]
    assert all(part.title in page for part in parts) and lecture("5").parts[2].title not in page
    assert "plica explore --state '" in page and not re.search(r'src="https?:|<link', page)
    outside = re.findall(r'href="(https?:[^"]*)"', page)
    assert outside and all(link.startswith("http://127.0.0.1:8400/open#") for link in outside)
    assert page.count('<p class="sight">') == len(shown)


def test_a_claim_that_comes_again_is_a_link(tmp_path) -> None:
    from plica.lectures import Lecture, Part
    from plica.report import lecture_page, run_claim

    twice = Lecture(
        "x",
        "oxford-lecture-5",
        "Twice",
        "Twice.",
        (Part("A", "2^n < n_0!", ("binomial-sum",)), Part("B", "again", ("binomial-sum",))),
    )
    found = {"binomial-sum": run_claim(catalog()["binomial-sum"], "quick")}
    page = lecture_page(twice, found, scale="quick")
    assert page.count('<article class="claim"') == 1 and 'class="again"' in page
    said = page.split('<p class="say">')[1].split("</p>")[0]
    assert "<math>" in said and "2^n" not in said and "n_0" not in said


def test_bad_requests_are_refused(tmp_path) -> None:
    for wrong in (["lecture", "9"], ["lecture", "5", "--part", "99"], ["lecture", "5", "--scale", "tiny"]):
        done = RUNNER.invoke(app, wrong)
        assert done.exit_code == 2 and "hint" in done.output
    listed = RUNNER.invoke(app, ["lecture"])
    assert listed.exit_code == 0 and "washington" in listed.output


def test_scenes_are_about_claims_of_their_part_and_show_something() -> None:
    from plica.web import State, lesson

    scenes = [(part, scene) for each in lectures().values() for part in each for scene in part.scenes]
    assert len(scenes) > 25
    for part, scene in scenes:
        assert scene.claims and set(scene.claims) <= set(part.claims)
        assert scene.state or scene.show or scene.gallery
        assert not scene.show or (scene.show in part.claims and lesson(scene.show))
        assert not scene.state or State.from_query(scene.state).to_query()


def test_numbers_in_outlines_are_those_of_formulas_settings_and_slides() -> None:
    """What a run measures is not typed: it stands in the table of the run."""
    known = {
        str(zaslavsky(8, 2)): "eight lines",
        str(zaslavsky(4, 2)): "four lines",
        str(4**2): "the slide's bound for them",
        "64": "the width of a scene's layers",
        "300": "the steps of a scene's training",
        "14": "the printed table of digits",
        "784": "their pixels",
    }
    told = [part.say for each in lectures().values() for part in each]
    told += [scene.say for each in lectures().values() for part in each for scene in part.scenes]
    found = {number for text in told for number in re.findall(r"\d[\d.,]*\d", text)}
    assert found <= set(known), sorted(found - set(known))


def test_what_is_not_made_again_has_a_reason_and_names_claims_that_exist() -> None:
    for each in lectures().values():
        for missing in each.missing:
            assert missing.what and missing.why.endswith(".")
            named = re.findall(r"\b[a-z]+-\d{4}[a-z0-9-]*|ilsvrc-metrics", missing.why)
            assert set(named) <= set(catalog().ids)


def test_a_figure_is_described_by_the_function_that_draws_it() -> None:
    from functools import partial

    from plica.claims._draw import shares
    from plica.claims._figure import caption, predicted_and_measured

    assert caption(partial(predicted_and_measured, None)) == caption(None)  # type: ignore[arg-type]
    assert caption(shares({"a": {"b": 1.0}}, x="")) == "What a whole is made of, in percent, one bar for each."
    assert caption(lambda ax: None) == ""


def test_a_page_says_what_to_see_how_it_is_made_and_what_is_missing(tmp_path) -> None:
    found = RUNNER.invoke(app, ["lecture", "washington", "--part", "9", "--out", str(tmp_path / "page.html")])
    assert found.exit_code == 0, found.output
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<figcaption>" in page and "plica figure" in page and "What is not made again" in page
