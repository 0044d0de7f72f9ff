"""``plica boundary`` on networks whose boundary is known."""

import json
from itertools import pairwise

import numpy as np
import pytest
from typer.testing import CliRunner

import plica
from plica.cli import app
from plica.network import Linear, Rectifier


@pytest.fixture
def diamond(tmp_path):
    """|x| + |y| - 1 changes its sign on a square with sides of length sqrt(2)."""
    layers = [Rectifier(np.array(-1.0)), Linear(np.array([[1.0, 1.0]]), np.array([-1.0]))]
    path = tmp_path / "diamond.safetensors"
    plica.save(plica.Network.sequential(2, layers), path)
    return path


def boundary(*args):
    return CliRunner().invoke(app, ["boundary", *map(str, args)])


def test_a_square_is_one_closed_curve_of_four_sides(diamond):
    result = boundary(diamond, "--box", "-2,2", "--json")
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    assert facts["finished"] is True
    assert (facts["n_polylines"], facts["n_segments"], facts["n_open_tiles"]) == (1, 4, 0)
    assert facts["length"] == pytest.approx(4 * np.sqrt(2), rel=1e-12)


def test_a_level_is_followed_instead(diamond):
    facts = json.loads(boundary(diamond, "--box", "-2,2", "--level", "-0.5", "--json").stdout)
    assert facts["length"] == pytest.approx(2 * np.sqrt(2), rel=1e-12)
    assert facts["level"] == -0.5


def test_a_level_is_that_of_the_output_that_was_asked_for(tmp_path):
    """Outputs x and y: the second one is 1/4 on a horizontal line."""
    plica.save(plica.Network.sequential(2, [Rectifier(np.array(0.5)), Rectifier(np.array(2.0))]), tmp_path / "m.safetensors")
    options = ("--level", "0.25", "--output", "1", "--save", tmp_path / "c.npz")
    assert boundary(tmp_path / "m.safetensors", *options).exit_code == 0
    with np.load(tmp_path / "c.npz") as archive:
        points = archive["inputs"]
    assert np.allclose(points[:, 1], 0.25) and np.ptp(points[:, 0]) == 2.0


def test_curves_and_picture_are_written(diamond, tmp_path):
    result = boundary(diamond, "--box", "-2,2", "--save", tmp_path / "c.npz", "--plot", tmp_path / "c.png")
    assert result.exit_code == 0, result.output
    with np.load(tmp_path / "c.npz") as archive:
        arrays = dict(archive)
    assert arrays["offsets"].tolist() == [0, 5]
    assert np.abs(np.abs(arrays["inputs"]).sum(axis=1) - 1).max() < 1e-12  # on |x| + |y| = 1
    assert arrays["open_tiles"].shape == (0, 2)
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")
    lines = {line.split("  ")[0].strip(): line.split() for line in result.stdout.splitlines()}
    assert lines["segments"][:3] == ["segments", "4", "exact,"]


def test_a_budget_writes_what_was_found(tmp_path):
    net = plica.random_network([2, 64, 64, 3], seed=0, weights="he-normal", bias_std=0.5)
    plica.save(net, tmp_path / "m.safetensors")
    result = boundary(tmp_path / "m.safetensors", "--box", "-4,4", "--max-cells", "2500", "--save", tmp_path / "c.npz", "--json")
    assert result.exit_code == 3, result.output
    told = json.loads(result.stdout)
    assert told["finished"] is False
    assert "max_cells=2,500" in result.stderr
    with np.load(tmp_path / "c.npz") as archive:
        assert len(archive["points"]) >= told["n_segments"]
        offsets, corners = archive["open_tile_offsets"], archive["open_tiles"]
    assert len(offsets) - 1 == told["n_open_tiles"] > 0 and offsets[-1] == len(corners)
    tiles = [corners[a:b] for a, b in pairwise(offsets)]
    areas = [np.prod(np.ptp(tile, axis=0)) for tile in tiles]
    assert all(len(tile) == 4 for tile in tiles) and 0 < sum(areas) <= 64


def test_samples_say_that_the_rest_was_not_looked_at(tmp_path):
    net = plica.random_network([2, 64, 64, 3], seed=0, weights="he-normal", bias_std=0.5)
    plica.save(net, tmp_path / "m.safetensors")
    result = boundary(tmp_path / "m.safetensors", "--box", "-4,4", "--samples", "3")
    assert result.exit_code == 0, result.output
    lines = {line.split("  ")[0].strip(): line for line in result.stdout.splitlines()}
    n_open = int(lines["not looked at"].split()[3].replace(",", ""))
    assert ("exact where it was followed" in lines["curves"]) is (n_open > 0)


@pytest.mark.parametrize(
    "args",
    [("--plot", "picture.html"), ("--save", "curves.csv"), ("--output", "1"), ("--samples", "1"), ("--through", "0,1,2")],
)
def test_wrong_usage_ends_with_code_two_before_any_result(diamond, args):
    result = boundary(diamond, *args)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""


def test_a_line_has_no_boundary_curves(tmp_path):
    plica.save(plica.random_network([1, 4, 1], seed=0), tmp_path / "m.safetensors")
    result = boundary(tmp_path / "m.safetensors")
    assert result.exit_code == 2
    assert "planes" in result.stderr and "hint:" in result.stderr
