"""Pictures in the report: filters as stored, inputs with the values that are printed, PNGs that other readers understand."""

from __future__ import annotations

import io
from base64 import b64decode

import numpy as np
import pytest
from patience import patient

import plica
from plica.network import Conv, Linear, Network, Rectifier, Reshape
from plica.report import Task
from plica.report._images import png
from plica.report._model_pictures import first_filters, pictures, tiles_figure
from plica.report._tiles import colored, draw_tiles


def small_reader() -> Network:
    rng = np.random.default_rng(0)
    return Network.sequential(
        (1, 6, 6),
        [
            Conv(rng.normal(size=(2, 1, 3, 3)), np.zeros(2), (1, 1), ((0, 0), (0, 0)), (1, 1)),
            Rectifier(),
            Reshape((32,)),
            Linear(rng.normal(size=(3, 32)) / 6),
        ],
    )


def test_outputs_are_attained_at_the_pictures_and_no_input_exceeds_their_bounds() -> None:
    net = small_reader()
    points = np.random.default_rng(1).uniform(0, 1, (50, 36))
    task = Task.of(net, points, max_seconds=3)
    task.allow(patient(0.3))
    section = pictures(task)
    low, high = points.min(axis=0), points.max(axis=0)
    many = np.random.default_rng(2).uniform(low, high, (5000, 36))
    for k, row in enumerate(section.tables[0]["rows"]):
        on_data, attained, above = (float(v) for v in row[1:])
        assert on_data == pytest.approx(float(net(points)[:, k].max()), rel=1e-4)
        assert max(on_data, net(many)[:, k].max()) <= above * (1 + 1e-4)
        assert on_data - 1e-4 <= attained <= above * (1 + 1e-4)
    wanted = section.figures[1]["rows"][0]
    assert len(wanted) == 3 and np.shape(wanted[0]) == (6, 6)
    # most pixels of what an output wants are at an end of the box, where 0 and 255 are
    assert np.isin(np.round(np.array(wanted) / 255), [0, 1]).all()


def test_a_plane_tells_the_largest_value_without_a_search() -> None:
    """With two inputs the cells are at hand: the section is whole however short its time, and a fine grid finds no more."""
    net = plica.random_network([2, 16, 16, 16, 1], seed=0, weights="he-normal", bias_std=0.3)
    points = np.random.default_rng(1).uniform(-1, 1, (40, 2))
    task = Task.of(net, points, max_seconds=1)
    task.allow(0.01)
    section = pictures(task)
    attained, above = (float(v) for v in section.tables[0]["rows"][0][2:4])
    x, y = np.meshgrid(*(np.linspace(a, b, 301) for a, b in zip(points.min(axis=0), points.max(axis=0), strict=True)))
    on_grid = float(net(np.column_stack([x.ravel(), y.ravel()])).max())
    assert section.is_complete and attained == above
    assert on_grid - 1e-4 <= attained <= on_grid + 0.05 * abs(on_grid), "the grid comes close from below"


def test_filters_are_the_weights_on_a_scale_of_their_own() -> None:
    net = small_reader()
    found = first_filters(net, (1, 6, 6))
    assert found is not None and found.shape == (2, 1, 3, 3)
    task = Task.of(net, np.random.default_rng(1).uniform(0, 1, (9, 36)), max_seconds=5)
    task.allow(0.1)
    shown = np.array(pictures(task).figures[0]["rows"])[0]
    for tile, weights in zip(shown, found[:, 0], strict=True):
        assert np.abs((tile - 128) / 127 * np.abs(weights).max() - weights).max() <= np.abs(weights).max() / 127
    assert first_filters(plica.random_network([2, 4, 2], seed=0), None) is None


def test_an_autoencoder_shows_data_and_what_is_left_of_them() -> None:
    eye = np.eye(25)
    net = Network.sequential(25, [Linear(eye), Rectifier(), Linear(eye)])
    task = Task.of(net, np.random.default_rng(0).uniform(0, 1, (12, 5, 5)), max_seconds=5)
    section = pictures(task)
    given, made = section.figures[1]["rows"]
    assert given == made and section.facts[-1][1] == "0"


def test_an_input_that_is_no_image_has_numbers_and_no_pictures() -> None:
    task = Task.of(plica.random_network([2, 5, 2], seed=0), np.random.default_rng(0).normal(size=(20, 2)), max_seconds=3)
    task.allow(patient(3))
    section = pictures(task)
    assert not section.figures and len(section.tables[0]["rows"]) == 2 and section.tables[0]["rows"][0][-1].startswith("(")


def test_a_png_has_the_colors_of_the_scale_and_nothing_between_pictures() -> None:
    image = pytest.importorskip("matplotlib.image")
    found = image.imread(io.BytesIO(png(colored(np.array([[0, 255], [256, 128]]), ("#000000", "#FF0000")))), format="png")
    assert found.shape == (2, 2, 4)
    assert found[0, 0].tolist() == [0, 0, 0, 1] and found[0, 1].tolist() == [1, 0, 0, 1] and found[1, 0, 3] == 0
    assert found[1, 1, 0] == pytest.approx(128 / 255)


def test_texts_of_pictures_are_escaped_and_rows_are_broken() -> None:
    figure = tiles_figure([[np.eye(2)] * 12], signed=False, kind="exact", caption="<b>")
    text = str(draw_tiles(figure))
    assert "<b>" not in text and "&lt;b&gt;" in text
    image = pytest.importorskip("matplotlib.image")
    source = text.split("base64,")[1].split('"')[0]
    assert image.imread(io.BytesIO(b64decode(source)), format="png").shape == (8, 40, 4)
