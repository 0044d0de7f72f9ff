"""Pages: what they draw is the complex, what they print is escaped, what they need is in them."""

import json
import re
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plica
from plica.report import Command, Moment, complex_page, demo_page
from plica.report._charts import line_chart, log_ticks, round_ticks
from plica.report._frames import draw_layers
from plica.report._svg import Canvas, segments_path

BOX = plica.Box([-1, -1], [1, 1])


@pytest.fixture(scope="module")
def cx():
    return plica.decompose(plica.random_network([2, 8, 8, 1], seed=1, weights="he-normal", bias_std=0.5), BOX)


@pytest.fixture(scope="module")
def page(cx):
    points = np.array([[0.0, 0.0], [0.5, 0.5]])
    moments = [Moment(e, 1.0 / (e + 1), 0.5, cx.n_regions, cx.n_cells, cx if e != 1 else None) for e in range(3)]
    return demo_page(moments, points, np.array([0, 1]), commands=[Command("plica <b>", "why & how")])


class Reader(HTMLParser):
    """Collects ids, references and the paths inside groups of cells."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.references: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if "id" in values:
            self.ids.append(values["id"])
        self.references += [values[k] for k in ("href", "src", "xlink:href", "action", "srcset") if k in values]


def test_the_page_is_self_contained(page):
    reader = Reader(page)
    assert all(reference.startswith("#") for reference in reader.references)
    assert {r[1:] for r in reader.references} <= set(reader.ids)
    assert len(reader.ids) == len(set(reader.ids))
    assert "default-src 'none'" in page
    assert not re.search(r"url\(|@import|https?://", page)


def test_the_page_escapes_what_it_is_given(page, cx):
    assert "plica &lt;b&gt;" in page and "why &amp; how" in page
    hostile = complex_page(cx, title="</title><script>alert(1)</script>")
    assert "<script>alert" not in hostile and "&lt;script&gt;alert" in hostile


def test_there_is_a_frame_for_each_moment_that_has_a_complex(page, cx):
    frames = page.split('<g class="slot"')[1:]
    assert len(frames) == 2
    for frame in frames:
        cells = frame.split('<g class="cells">')[1].split("</g>")[0]
        assert cells.count("<path") == cx.n_cells


def test_the_details_of_a_cell_are_its_affine_map(page, cx):
    data = json.loads(re.search(r'class="frames-data">(.*?)</script>', page, re.S).group(1))
    assert data["neurons"] == 16
    canvas = Canvas.around(cx.vertices)
    assert len(data["frames"][0]["cells"]) == cx.n_cells
    for cell, (a, b, c, size, px, py, active) in zip(cx.cells, data["frames"][0]["cells"], strict=True):
        x, y = cell.center
        assert np.isclose(a * x + b * y + c, cx.network(np.asarray(cell.center))[0], rtol=1e-2, atol=2e-3)
        assert np.isclose(size, cell.size, rtol=1e-3)
        assert np.allclose(canvas(np.asarray(cell.center)), [px, py], atol=0.1)
        assert active == sum(int(state.sum()) for state in cell.pattern)


def test_cells_so_far_are_those_of_the_shorter_network(cx):
    net = cx.network
    pictures = draw_layers(cx, Canvas.around(cx.vertices))
    builder_nodes = net.nodes[: net.layers[0] + 1]
    first = plica.Network(builder_nodes)
    assert pictures[0].n_cells == plica.count_regions(first, BOX).n_cells
    assert pictures[1].n_cells == cx.n_cells
    assert all(p.n_folding <= p.n_neurons for p in pictures)


def test_a_segment_has_a_page_with_its_graph():
    net = plica.random_network([3, 8, 1], seed=1)
    pieces = plica.decompose(net, plica.Segment([-3, -3, -3], [3, 3, 3]))
    text = complex_page(pieces, title="a segment")
    assert text.count('class="mark"') == len(pieces.vertices) - 2
    assert f"{pieces.n_regions} pieces" in text


def test_a_plane_page_names_its_parameters_u_and_v():
    net = plica.random_network([3, 8, 2], seed=1)
    text = complex_page(plica.decompose(net, plica.Plane([0, 0, 0], [[1, 0, 0], [0, 1, 0]])), title="a plane", output=1)
    assert 'data-variables="u v"' in text


grid = st.tuples(st.integers(0, 3), st.integers(0, 3))


@given(st.lists(st.tuples(grid, grid), max_size=12))
def test_joining_segments_keeps_every_segment_once(segments):
    given_set = {frozenset(s) for s in segments if s[0] != s[1]}
    # a segment given twice, in either direction, is drawn at least once and nothing else is drawn
    d = segments_path(np.array(segments, dtype=float).reshape(-1, 2, 2))
    drawn = []
    for chain in filter(None, d.split("M")):
        stops = [tuple(map(int, stop.split())) for stop in chain.split("L")]
        drawn += [frozenset(pair) for pair in pairwise(stops)]
    assert set(drawn) == given_set


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_ticks_are_few_and_inside(low, span):
    ticks = round_ticks(low, low + span)
    assert 1 <= len(ticks) <= 7
    assert all(low - 1e-6 * span <= t <= low + span + 1e-6 * span for t in ticks)


@pytest.mark.parametrize("span", [1e-30, 5e-17, 1e-12, 1e20])
def test_the_smallest_and_the_largest_ranges_have_ticks_of_their_own(span):
    ticks = round_ticks(0.0, span)
    assert len(set(ticks)) == len(ticks) >= 3 and span / 2 < max(ticks) <= span * (1 + 1e-9)


def test_log_ticks_enclose_the_values():
    assert log_ticks([-2.0]) == [-2.0]
    assert log_ticks([-0.5, 0.5]) == [-1.0, 0.0, 1.0]


def test_a_chart_survives_zeros_and_constants():
    assert "NaN" not in line_chart([0, 1], [0.0, 0.0], title="zeros", log=True)
    assert "NaN" not in line_chart([0, 1], [3.0, 3.0], title="constant", from_zero=False)
    assert "&lt;t&gt;" in line_chart([0, 1], [1.0, 2.0], title="<t>")


def test_a_page_that_would_not_open_is_refused(cx, monkeypatch):
    monkeypatch.setattr("plica.report._complex.MOST_CELLS", cx.n_cells - 1)
    with pytest.raises(plica.InvalidInput, match="slow to open"):
        complex_page(cx, title="large")
