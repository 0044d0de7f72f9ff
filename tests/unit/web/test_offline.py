"""Scenes with precomputed frames: what they hold, and that the page needs nothing else."""

import json
import re
from dataclasses import replace

import pytest

from plica.errors import InvalidInput
from plica.theory.regions import zaslavsky
from plica.web import State, frames_of, scenes_page
from plica.web._frames import unpack
from plica.web._lessons import LESSONS, scene_link
from plica.web._offline import control_of, other_values


def test_frames_go_through_the_control_and_hold_prediction_and_measurement():
    frames = frames_of("zaslavsky-1975")
    assert [frame.value for frame in frames] == ["4", "6", "8", "10", "12"]
    for frame in frames:
        facts, arrays = unpack(frame.message[8:])
        n = int(frame.value)
        assert facts["reading"]["predicted"] == facts["reading"]["measured"] == zaslavsky(n, 2)
        assert facts["widths"] == [2, n, 1] and len(arrays["first"]) == facts["n_cells"] + 1
        assert "patterns" not in arrays and frame.state.scene == "zaslavsky-1975"


def test_frames_of_a_view_are_its_sheets():
    frames = frames_of("softmax-entropy")
    assert len(frames) > 2 and len({frame.message for frame in frames}) == len(frames)
    for frame in frames:
        facts, arrays = unpack(frame.message[8:])
        assert facts["panels"] and arrays and facts["reading"] == frame.reading


@pytest.mark.parametrize("claim", LESSONS)
def test_every_scene_has_other_values_and_its_own_among_them(claim):
    base = State.from_query(scene_link(claim))
    control = control_of(claim)
    values = other_values(base, control)
    assert getattr(base, control) in values and len(values) == len(set(values))
    for value in values:
        assert State.from_query(replace(base, **{control: value}).to_query())


def test_the_page_holds_everything_and_asks_for_nothing():
    page = scenes_page("Three <scenes>", ["zaslavsky-1975", "no-such-claim", "sawtooth-unit-interval", "zaslavsky-1975"])
    assert "<title>Three &lt;scenes&gt;</title>" in page and "{{" not in re.sub(r"\$\{\{", "", page).split("<script")[0]
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])
    assert [scene["id"] for scene in data["scenes"]] == ["zaslavsky-1975", "sawtooth-unit-interval"]
    assert all(scene["frames"][scene["start"]]["query"].endswith(f"scene={scene['id']}") for scene in data["scenes"])
    assert not re.search(r"""(src|href)=["'](?!data:|#)""", page)
    assert "default-src 'none'" in page


def test_claims_without_scenes_make_no_page():
    with pytest.raises(InvalidInput, match="has a scene"):
        scenes_page("None", ["no-such-claim"])
    with pytest.raises(InvalidInput, match="no scene"):
        frames_of("no-such-claim")
