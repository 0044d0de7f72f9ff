"""Files of perceptrons: back bit for bit, the same in onnxruntime, hostile files refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save

from plica.construct import Perceptron, load_perceptron, save_perceptron
from plica.construct.perceptrons._perceptron import ACTIVATIONS
from plica.errors import InvalidInput, InvalidNetwork


def network(activation: str) -> Perceptron:
    rng = np.random.default_rng(4)
    hidden = ((rng.normal(size=(5, 3)), rng.normal(size=5)), (rng.normal(size=(2, 8)) / 8, rng.normal(size=2)))
    return Perceptron(3, hidden, (rng.normal(size=(2, 10)), rng.normal(size=2)), activation, "test")


@pytest.mark.parametrize("activation", sorted(ACTIVATIONS))
def test_it_comes_back_bit_for_bit(activation: str, tmp_path: Path) -> None:
    net = network(activation)
    save_perceptron(net, tmp_path / "net.safetensors")
    again = load_perceptron(tmp_path / "net.safetensors")
    assert (again.activation, again.name, again.widths) == (activation, "test", net.widths)
    for a, b in zip((*net.hidden, net.output), (*again.hidden, again.output), strict=True):
        assert all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("activation", sorted(ACTIVATIONS))
def test_onnxruntime_computes_the_same(activation: str, tmp_path: Path) -> None:
    runtime = pytest.importorskip("onnxruntime")
    net = network(activation)
    save_perceptron(net, tmp_path / "net.onnx")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(str(tmp_path / "net.onnx"), options, providers=["CPUExecutionProvider"])
    x = np.random.default_rng(0).normal(size=(40, 3))
    assert np.allclose(session.run(None, {"input": x})[0], net(x), rtol=1e-9, atol=1e-9)


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="does not end in"):
        save_perceptron(network("cos"), tmp_path / "net.pt")
    with pytest.raises(InvalidNetwork, match="cannot be read"):
        load_perceptron(tmp_path / "absent.safetensors")
    good = {"0.weight": np.ones((1, 2)), "0.bias": np.zeros(1)}
    facts = {"schema": 1, "activation": "cos", "n_inputs": 2}
    hostile = {
        "no perceptron": (good, None),
        "not understood": (good, facts | {"activation": "relu"}),
        "no layers": ({"x": np.ones(1)}, facts),
        "not float64": ({k: a.astype(np.float32) for k, a in good.items()}, facts),
        "inputs": (good, facts | {"n_inputs": -1}),
        "reads 7 numbers": (good, facts | {"n_inputs": 7}),
        "not finite": (good | {"0.bias": np.array([np.nan])}, facts),
    }
    for message, (tensors, header) in hostile.items():
        metadata = None if header is None else {"plica-perceptron": json.dumps(header)}
        (tmp_path / "bad.safetensors").write_bytes(save(tensors, metadata=metadata))
        with pytest.raises(InvalidNetwork, match=message):
            load_perceptron(tmp_path / "bad.safetensors")
    (tmp_path / "bad.safetensors").write_bytes(b"\x08\x00\x00\x00\x00\x00\x00\x00notjson!")
    with pytest.raises(InvalidNetwork, match="cannot be read"):
        load_perceptron(tmp_path / "bad.safetensors")


def test_perceptrons_are_built_from_the_command_line(tmp_path: Path) -> None:
    from plica.construct._catalog import build, builders

    assert {"threshold", "multiplication", "shallow_monomial", "deep_monomial", "integral"} <= set(builders())
    gate = build("multiplication", {"error": "1/100"})
    save_perceptron(gate.network, tmp_path / "gate.safetensors")  # type: ignore[arg-type]
    assert gate.certificate is not None and gate.certificate.verify(load_perceptron(tmp_path / "gate.safetensors"))
