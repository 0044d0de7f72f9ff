"""Hostile model files: a typed error, quickly, in little memory, touching nothing."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from patience import patient

import plica

pytest.importorskip("onnx")

ATTACKS = Path(__file__).parent / "attacks"


def attacks(script):
    spec = importlib.util.spec_from_file_location(script, ATTACKS / f"{script}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FILES = {**attacks("make_safetensors").ATTACKS, **attacks("make_onnx").ATTACKS}


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """All files loaded by one process of their own."""
    sandbox = tmp_path_factory.mktemp("sandbox")
    (folder := sandbox / "files").mkdir()
    for name, (make, _) in FILES.items():
        (folder / name).write_bytes(make())
    os.symlink("/etc/passwd", folder / "link-to-passwd")
    os.symlink("/dev/zero", folder / "zeros.safetensors")
    os.mkfifo(folder / "pipe.onnx")
    result = subprocess.run(
        [sys.executable, str(ATTACKS / "run.py"), str(folder)],
        cwd=sandbox,
        capture_output=True,
        text=True,
        timeout=patient(60),
        check=False,
    )
    assert result.returncode == 0, result.stderr[-2000:]
    assert [p.name for p in sandbox.iterdir()] == ["files"], "a canary was written"
    return json.loads(result.stdout)


@pytest.mark.parametrize("name", FILES)
def test_a_hostile_file_is_refused_in_words(report, name):
    found = report[name]
    assert found["typed"], found
    assert re.search(FILES[name][1], found["text"]), found["text"]


@pytest.mark.parametrize("name", FILES)
def test_a_hostile_file_costs_little_and_touches_nothing(report, name):
    found = report[name]
    assert found["seconds"] < 5.0  # of processor time
    assert found["peak_mb"] < 200
    assert found["events"] == []


def test_devices_and_pipes_are_not_read(report):
    for name in ("zeros.safetensors", "pipe.onnx"):
        assert report[name]["error"] == "InvalidInput"


def test_many_small_slices_of_a_large_input_cost_what_they_are_worth(tmp_path):
    """Not an attack in itself: one entry of eight million, two thousand times."""
    content = attacks("make_onnx").slices(2_000, 2**23)
    (tmp_path / "m.onnx").write_bytes(content)
    start = time.process_time()
    assert plica.load(tmp_path / "m.onnx").output_shape == (1,)
    assert time.process_time() - start < 5.0


def test_messages_show_control_characters_escaped(report):
    for found in report.values():
        assert not set(found["text"]) & set("\x1b\u202e\0")


@pytest.fixture(scope="module")
def valid_files(tmp_path_factory):
    """One small good file of each kind."""
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper

    folder = tmp_path_factory.mktemp("valid")
    plica.save(plica.random_network([2, 3, 1], seed=0), folder / "m.safetensors")
    weights = [numpy_helper.from_array(np.ones((3, 6), np.float32), "w"), numpy_helper.from_array(np.array([0, 3]), "s")]
    nodes = [
        helper.make_node("Gemm", ["x", "w"], ["a"], transB=1),
        helper.make_node("Relu", ["a"], ["b"]),
        helper.make_node("Reshape", ["b", "s"], ["y"]),
    ]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ("batch", 6))]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    model = helper.make_model(
        helper.make_graph(nodes, "g", inputs, outputs, weights), opset_imports=[helper.make_opsetid("", 17)]
    )
    (folder / "m.onnx").write_bytes(model.SerializeToString())
    return folder


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), suffix=st.sampled_from(["safetensors", "onnx"]))
def test_damaged_files_load_or_are_refused(valid_files, tmp_path, data, suffix):
    content = bytearray((valid_files / f"m.{suffix}").read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] = data.draw(st.integers(0, 255))
    content = content[: data.draw(st.integers(0, len(content)))] if data.draw(st.booleans()) else content
    path = tmp_path / f"damaged.{suffix}"
    path.write_bytes(content)
    try:
        network = plica.load(path)
    except plica.PlicaError:
        return
    assert network.n_outputs >= 1


def test_nothing_in_the_package_unpickles_or_evaluates():
    forbidden = re.compile(
        r"\b(import pickle|from pickle|pickle\.loads?|torch\.load\(|yaml\.load|marshal\.loads?)|(?<![\w.])(eval|exec)\("
    )
    source = Path(plica.__file__).parent
    strings = re.compile(r"\"\"\".*?\"\"\"|\"[^\"\n]*\"|'[^'\n]*'|#[^\n]*", re.DOTALL)
    found = [p.name for p in source.rglob("*.py") if forbidden.search(strings.sub('""', p.read_text(encoding="utf-8")))]
    assert found == []
