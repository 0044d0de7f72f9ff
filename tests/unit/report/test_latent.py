"""Latent planes: the page holds what the network makes, everywhere; what is no generator is refused; reports find generators."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from typing import Any

import numpy as np
import pytest

import plica
from plica.errors import InvalidInput
from plica.measure import GeneratedManifold, generated_manifold
from plica.network import Linear, Network, Rectifier, cut_in_two
from plica.report import Task, latent_figure, model_page
from plica.report._latent import draw_latent, latent_data, mixtures
from plica.report._model_pictures import pictures


def surface_of(network: Network) -> GeneratedManifold:
    return generated_manifold(plica.decompose(network, plica.Box([-1, -1], [1, 1])))


def floats(text: str) -> np.ndarray:
    return np.frombuffer(b64decode(text), dtype="<f4").astype(float)


def made_by_the_page(data: dict[str, Any], cell: int, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A latent point of a cell, and its picture by the page's data alone."""
    corners = np.array(data["corners"][data["offsets"][cell] : data["offsets"][cell + 1]])
    weights = weights[: len(corners)] / weights[: len(corners)].sum()
    codes = floats(data["codes"]).reshape(-1, data["rank"])
    basis = floats(data["basis"]).reshape(data["rank"], -1)
    point = weights @ floats(data["vertices"]).reshape(-1, 2)[corners]
    return point, floats(data["mean"]) + (weights @ codes[corners]) @ basis


@pytest.mark.parametrize("widths", [[2, 12, 16], [2, 10, 8, 48]])
def test_pixels_are_within_half_a_shade_of_the_network_everywhere(widths: list[int]) -> None:
    net = plica.random_network(widths, seed=1, bias_std=1.0)
    shape = (4, 4) if widths[-1] == 16 else (3, 4, 4)
    data = latent_data(surface_of(net), shape)["data"]
    half = (data["high"] - data["low"]) / 510
    rng = np.random.default_rng(0)
    for cell in range(len(data["offsets"]) - 1):
        point, picture = made_by_the_page(data, cell, rng.random(20))
        assert np.abs(net(point) - picture).max() <= half * (1 + 1e-3)


def test_what_is_between_half_a_shade_and_a_whole_one_is_kept() -> None:
    layers = [Linear(np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]])), Rectifier()]
    faint = 1.5 / 255  # of a range from -1 to 1: three quarters of a shade
    net = Network.sequential(2, [*layers, Linear(np.array([[1.0, -1, 0, 0], [0, 0, faint, -faint], [0] * 4, [0] * 4]))])
    data = latent_data(surface_of(net), (2, 2))["data"]
    for cell in range(len(data["offsets"]) - 1):
        for corner in range(3):
            point, picture = made_by_the_page(data, cell, np.eye(20)[corner] + 1e-9)
            assert np.abs(net(point) - picture).max() <= 1 / 255


def test_logits_are_kept_as_well_as_their_sigmoid_needs() -> None:
    net = plica.random_network([2, 12, 16], seed=2, bias_std=1.0)
    data = latent_data(surface_of(net), (4, 4), display="sigmoid")["data"]
    point, picture = made_by_the_page(data, 0, np.arange(1.0, 20))
    assert np.abs(1 / (1 + np.exp(-net(point))) - 1 / (1 + np.exp(-picture))).max() <= 1 / 510


def test_few_pictures_are_mixed_where_the_last_layer_is_narrow() -> None:
    rng = np.random.default_rng(0)
    pictures_ = rng.normal(size=(50, 3)) @ rng.normal(size=(3, 40)) + 1
    mean, codes, basis = mixtures(pictures_, tolerance=1e-4)
    assert codes.shape == (50, 3) and np.abs(mean + codes @ basis - pictures_).max() <= 1e-4
    _, coarse, _ = mixtures(pictures_, tolerance=100.0)
    assert coarse.shape == (50, 0)


def test_cells_are_colored_by_their_share_of_the_surface() -> None:
    # |x| by two units: the right half is stretched four times as much as the left half
    layers = [Linear(np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]])), Rectifier()]
    net = Network.sequential(2, [*layers, Linear(np.array([[4.0, -1, 0, 0], [0, 0, 1, -1], [0, 0, 0, 0], [0, 0, 0, 0]]))])
    figure = latent_data(surface_of(net), (2, 2))
    data = figure["data"]
    assert sorted(set(data["stretch"])) == [1.0, 4.0]
    assert sorted(set(data["ratio"])) == [0.4, 1.6]  # the mean is 2.5
    for (tint, _), ratio in zip(figure["cells"], data["ratio"], strict=True):
        assert (int(tint[1:]) > 10) == (ratio > 1)


def test_collapsed_cells_have_no_tint() -> None:
    net = Network.sequential(2, [Linear(np.eye(2)), Rectifier(), Linear(np.ones((4, 2)) * [[1], [2], [3], [4]])])
    figure = latent_data(surface_of(net), (2, 2))
    assert {name for name, _ in figure["cells"]} == {"flat"} and not figure["even"]


def test_texts_are_escaped_and_nothing_is_loaded() -> None:
    surface = surface_of(plica.random_network([2, 6, 16], seed=0, bias_std=1.0))
    html = latent_figure(surface, (4, 4), points=np.zeros((3, 2)), labels=[0, 1, 2], caption="<b>&")
    assert "&lt;b&gt;&amp;" in html and "http" not in html and html.count('class="code') == 3
    text = re.search(r'class="latent-data">(.*?)</script>', html, re.DOTALL)
    assert text is not None and json.loads(text[1])["shape"] == [1, 4, 4]


def test_what_is_no_picture_is_refused() -> None:
    surface = surface_of(plica.random_network([2, 6, 16], seed=0, bias_std=1.0))
    for shape in ((4, 5), (2, 2, 4), (16,)):
        with pytest.raises(InvalidInput, match="pictures of shape"):
            latent_figure(surface, shape)
    with pytest.raises(InvalidInput, match="display"):
        latent_figure(surface, (4, 4), display="tanh")
    with pytest.raises(InvalidInput, match="points of shape"):
        latent_figure(surface, (4, 4), points=np.zeros((3, 3)))


def report_on(net: Network, points: Any, image: str) -> tuple[Task, Any]:
    task = Task.of(net, points, max_seconds=20, image=image)
    task.allow(20)
    return task, pictures(task)


def test_a_report_on_a_generator_has_its_plane() -> None:
    net = plica.random_network([2, 10, 25], seed=0, bias_std=1.0)
    task, section = report_on(net, None, "5x5")
    assert [figure["type"] for figure in section.figures] == ["latent"] and section.is_complete
    assert section.facts[0][1] == str(len(section.figures[0]["cells"])) and not section.tables
    page = model_page([section], task, title="t")
    assert page.count('class="latent-data"') == 1 and "pictureAt" in page


def test_a_report_on_an_autoencoder_finds_the_two_numbers_in_its_middle() -> None:
    encoder, decoder = plica.random_network([25, 8, 2], seed=0), plica.random_network([2, 8, 25], seed=1, bias_std=1.0)
    net = Network.sequential(25, [node.op for part in (encoder, decoder) for node in part.nodes[1:]])
    points = np.random.default_rng(0).random((40, 5, 5))
    _, section = report_on(net, points, "")
    kinds = [figure["type"] for figure in section.figures]
    assert kinds == ["tiles", "tiles", "latent"]
    data = section.figures[2]["data"]
    point, picture = made_by_the_page(data, 0, np.arange(1.0, 20))
    assert np.abs(decoder(point) - picture).max() <= (data["high"] - data["low"]) / 510 * 1.001
    assert (data["low"], data["high"]) == (points.min(), points.max())


def test_a_network_with_a_way_around_is_not_cut() -> None:
    from plica.network import Add, Builder

    b = Builder(2)
    first = b.add(Linear(np.eye(2)))
    b.add(Add(), b.add(Rectifier(), first), 0)
    with pytest.raises(InvalidInput, match="does not pass through"):
        cut_in_two(b.build(), 1)
    with pytest.raises(InvalidInput, match="nothing on one side"):
        cut_in_two(b.build(), 0)


def test_drawing_needs_plain_data_only() -> None:
    figure = latent_data(surface_of(plica.random_network([2, 6, 16], seed=0, bias_std=1.0)), (4, 4))
    assert draw_latent(json.loads(json.dumps(figure))) == draw_latent(figure)
