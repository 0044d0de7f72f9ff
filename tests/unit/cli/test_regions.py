"""``plica regions`` on networks whose regions are known."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import plica
from plica.cli import app
from plica.network import Linear, Rectifier


def cross() -> plica.Network:
    """|x| + |y|: two folds that cross, four regions."""
    return plica.Network.sequential(2, [Rectifier(np.array(-1.0)), Linear(np.array([[1.0, 1.0]]))])


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "cross.safetensors"
    plica.save(cross(), path)
    return path


def regions(*args):
    return CliRunner().invoke(app, ["regions", *map(str, args)])


def test_json_tells_the_counts_of_two_crossing_folds(model):
    result = regions(model, "--json")
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    assert facts["finished"] is True
    assert (facts["n_cells"], facts["n_regions"], facts["n_vertices"], facts["n_edges"]) == (4, 4, 9, 12)
    assert facts["folds_by_layer"] == [4]
    assert facts["largest_cell"] == facts["smallest_cell"] == 1.0
    assert facts["network"]["widths"] == [2, 2, 1]


def test_a_box_that_misses_the_folds_is_one_region(model):
    facts = json.loads(regions(model, "--box", "1,2", "--json").stdout)
    assert (facts["n_cells"], facts["n_regions"]) == (1, 1)


def test_the_table_says_what_is_exact(model):
    result = regions(model)
    assert result.exit_code == 0, result.output
    lines = {line.split("  ")[0].strip(): line for line in result.stdout.splitlines()}
    assert lines["regions"].split() == ["regions", "4", "exact"]
    assert "measured" in lines["time"]


def test_a_segment_of_the_data_counts_pieces(model, tmp_path):
    np.save(tmp_path / "x.npy", np.array([[-1.0, -2.0], [1.0, 1.0]]))
    result = regions(model, "--data", tmp_path / "x.npy", "--segment", "0,1", "--json")
    facts = json.loads(result.stdout)
    assert (facts["dimension"], facts["n_cells"], facts["n_regions"]) == (1, 3, 3)
    assert "pieces" in regions(model, "--data", tmp_path / "x.npy", "--segment", "0,1").stdout


def test_a_plane_through_three_rows_of_many_inputs(tmp_path):
    plica.save(plica.random_network([6, 8, 8, 2], seed=0), tmp_path / "m.safetensors")
    rows = np.random.default_rng(0).normal(size=(3, 6))
    np.save(tmp_path / "x.npy", rows)
    result = regions(tmp_path / "m.safetensors", "--data", tmp_path / "x.npy", "--through", "0,1,2", "--margin", "1", "--json")
    facts = json.loads(result.stdout)
    net = plica.load(tmp_path / "m.safetensors")
    assert facts["n_regions"] == plica.count_regions(net, plica.Plane.through(*rows, margin=1.0)).n_regions


def test_a_budget_ends_with_code_three_and_what_was_finished(tmp_path):
    plica.save(plica.random_network([2, 16, 16, 1], seed=0, weights="he-normal", bias_std=0.5), tmp_path / "m.safetensors")
    result = regions(tmp_path / "m.safetensors", "--max-cells", "3", "--json")
    assert result.exit_code == 3
    told = json.loads(result.stdout)
    assert told["finished"] is False
    assert told["partial"]["layers_done"] <= 2
    assert "max_cells=3" in result.stderr and "hint:" in result.stderr


def test_an_interrupt_prints_what_was_finished(model, monkeypatch):
    import plica.geometry

    def interrupted(network, domain, *, progress, **options):
        progress({"layers_done": 1, "n_layers": 2, "n_cells": 7, "seconds": 0.5})
        raise KeyboardInterrupt

    monkeypatch.setattr(plica, "decompose", interrupted)
    result = regions(model, "--json")
    assert result.exit_code == 130
    assert json.loads(result.stdout)["partial"]["n_cells"] == 7
    assert "cells so far" in regions(model).stdout


@pytest.mark.parametrize("name", ["picture.png", "picture.svg", "page.html"])
def test_pictures_are_written(model, tmp_path, name):
    result = regions(model, "--plot", tmp_path / name)
    assert result.exit_code == 0, result.output
    start = (tmp_path / name).read_bytes()[:100]
    assert start.startswith({"png": b"\x89PNG", "svg": b"<?xml", "tml": b"<!doctype html>"}[name[-3:]])


@pytest.mark.parametrize("name", ["graph.png", "page.html"])
def test_pictures_of_pieces_are_written(model, tmp_path, name):
    np.save(tmp_path / "x.npy", np.array([[-1.0, -2.0], [1.0, 1.0]]))
    result = regions(model, "--data", tmp_path / "x.npy", "--segment", "0,1", "--plot", tmp_path / name)
    assert result.exit_code == 0, result.output
    assert (tmp_path / name).stat().st_size > 1000


def test_a_saved_complex_can_be_read_back(model, tmp_path):
    assert regions(model, "--save", tmp_path / "c.npz").exit_code == 0
    assert plica.Complex.load(tmp_path / "c.npz").n_regions == 4


@pytest.mark.parametrize(
    "args",
    [
        ("--plot", "picture.bmp"),
        ("--plot", "no/such/folder/picture.png"),
        ("--save", "complex.pkl"),
        ("--output", "1"),
        ("--box", "1,-1"),
        ("--box", "one"),
        ("--max-cells", "0"),
        ("--max-seconds", "-1"),
        ("--through", "0,1,2"),
        ("--data", "nothing.npy"),
    ],
)
def test_wrong_usage_ends_with_code_two_before_any_result(model, args):
    result = regions(model, *args)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""


def test_a_file_that_is_no_model_is_refused(tmp_path):
    for name in ("x.safetensors", "x.onnx", "x.pt"):
        (tmp_path / name).write_bytes(b"not a model")
        result = regions(tmp_path / name)
        assert result.exit_code in (2, 4), name
        assert "Traceback" not in result.output
        assert result.stderr.startswith("error: ")
    assert regions(tmp_path / "missing.safetensors").exit_code == 2


def onnx_file(path, *kinds):
    """A chain of operations on two inputs."""
    onnx = pytest.importorskip("onnx")
    names = [f"t{i}" for i in range(len(kinds) + 1)]
    nodes = [onnx.helper.make_node(kind, [a], [b], name=kind) for kind, a, b in zip(kinds, names, names[1:], strict=False)]
    ends = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, 2]) for name in (names[0], names[-1])]
    graph = onnx.helper.make_graph(nodes, "chain", ends[:1], ends[1:])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)]), path)
    return path


def test_an_onnx_model_is_read(tmp_path):
    facts = json.loads(regions(onnx_file(tmp_path / "abs.onnx", "Abs"), "--json").stdout)
    assert facts["n_regions"] == 4


def test_a_layer_that_is_not_piecewise_linear_ends_with_code_four(tmp_path):
    result = regions(onnx_file(tmp_path / "smooth.onnx", "Relu", "Softmax"))
    assert result.exit_code == 4
    assert "Softmax" in result.stderr and result.stdout == ""


def test_estimate_says_what_a_run_costs_without_running_it(model):
    result = regions(model, "--estimate", "--json")
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    assert facts["finished"] is False
    assert (facts["estimate"]["n_cells"], facts["estimate"]["n_cells_error"]) == (4.0, 0.0)
    said = regions(model, "--estimate").stdout
    assert "standard error" in said and "decision boundary alone" in said
    network = plica.load(model)
    segments = plica.decision_boundary(network, plica.Box([-1] * 2, [1] * 2)).segments
    assert facts["boundary_estimate"]["n_cells"] == len(segments)
