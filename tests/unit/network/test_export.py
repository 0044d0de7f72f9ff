"""Networks leave: torch modules and ONNX files compute what the network computes, and come back as the same function."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from plica.errors import InvalidInput
from plica.network import Clip, Linear, Network, Rectifier, from_torch, load, random_network, to_onnx, to_torch
from plica.testing import FAMILIES, draw_network

KINDS = sorted(name for name in FAMILIES if "1e150" not in name)  # its values are infinite


def inputs(net: Network, n: int = 64) -> np.ndarray:
    return np.random.default_rng(3).normal(size=(n, *net.input_shape))


def agree(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(np.allclose(a, b, rtol=1e-12, atol=1e-12 * (1 + np.abs(b).max())))


@pytest.mark.parametrize("kind", KINDS)
def test_a_torch_module_computes_what_the_network_computes_and_comes_back(kind: str) -> None:
    for seed in (0, 1):
        net = draw_network(kind, seed=seed)
        x = inputs(net)
        module = to_torch(net)
        with torch.no_grad():
            assert agree(module(torch.from_numpy(x)).numpy(), net(x))
        again = from_torch(module, example_input=torch.from_numpy(x[:1]))
        assert agree(again(x), net(x)) and again.n_neurons <= net.n_neurons


@pytest.mark.parametrize("kind", KINDS)
def test_an_onnx_file_runs_in_onnxruntime_and_comes_back(kind: str, tmp_path: Path) -> None:
    runtime = pytest.importorskip("onnxruntime")
    net = draw_network(kind, seed=0)
    x = inputs(net)
    path = tmp_path / "net.onnx"
    has_convolution = any(node.op.kind == "conv" for node in net.nodes)
    to_onnx(net, path, dtype="float32" if has_convolution else "float64")
    session = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    (y,) = session.run(None, {"input": x.astype(np.float32 if has_convolution else np.float64)})
    if has_convolution:
        assert np.allclose(y, net(x), rtol=1e-4, atol=1e-4 * (1 + np.abs(y).max()))
    else:
        assert agree(y, net(x))
        assert agree(load(path)(x), net(x))


def test_a_chain_of_linear_layers_and_relus_is_a_sequential_module_with_the_same_weights() -> None:
    net = random_network([3, 5, 4, 2], seed=1)
    module = to_torch(net)
    assert isinstance(module, torch.nn.Sequential) and not module.training
    stored = [op for op in (node.op for node in net.nodes) if isinstance(op, Linear)]
    for layer, op in zip([m for m in module if isinstance(m, torch.nn.Linear)], stored, strict=True):
        assert np.array_equal(layer.weight.detach().numpy(), op.weight)


def test_float32_rounds_once() -> None:
    net = random_network([2, 4, 1], seed=0)
    module = to_torch(net, dtype=torch.float32)
    assert {p.dtype for p in module.parameters()} == {torch.float32}
    x = inputs(net)
    assert np.allclose(module(torch.from_numpy(x).float()).detach().numpy(), net(x), atol=1e-5)


def test_what_cannot_leave_is_refused(tmp_path: Path) -> None:
    net = random_network([2, 4, 1], seed=0)
    for call in (
        lambda: to_torch("net"),  # type: ignore[arg-type]
        lambda: to_torch(net, dtype=torch.int64),
        lambda: to_onnx(net, tmp_path / "net.pt"),
        lambda: to_onnx(net, tmp_path / "net.onnx", dtype="float16"),
        lambda: to_onnx(net, tmp_path / "no" / "net.onnx"),
        lambda: to_onnx("net", tmp_path / "net.onnx"),  # type: ignore[arg-type]
    ):
        with pytest.raises(InvalidInput):
            call()


def test_a_clip_leaves_with_its_thresholds(tmp_path: Path) -> None:
    net = Network.sequential(1, [Linear(np.array([[3.0]])), Clip(-1.0, 0.5), Rectifier(np.array(0.25))])
    x = np.linspace(-2, 2, 17)[:, None]
    assert agree(to_torch(net)(torch.from_numpy(x)).detach().numpy(), net(x))
    to_onnx(net, tmp_path / "net.onnx")
    assert agree(load(tmp_path / "net.onnx")(x), net(x))


@pytest.mark.parametrize("how", [{}, {"stride": 1}, {"dilation": 2, "stride": 3}, {"padding": 1}, {"ceil_mode": True}])
def test_max_pooling_is_written_as_what_it_is(how: dict, tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    from torch import nn

    net = from_torch(nn.MaxPool2d(2, **how), example_input=torch.zeros(1, 3, 7, 9))
    to_onnx(net, tmp_path / "pool.onnx")
    kinds = [node.op_type for node in onnx.load(tmp_path / "pool.onnx").graph.node]
    assert ("MaxPool" in kinds) == (not {"padding", "ceil_mode"} & how.keys())
    x = inputs(net)
    np.testing.assert_array_equal(load(tmp_path / "pool.onnx")(x), net(x))
    assert agree(net(x), nn.MaxPool2d(2, **how)(torch.from_numpy(x).reshape(-1, 3, 7, 9)).numpy().reshape(net(x).shape))
