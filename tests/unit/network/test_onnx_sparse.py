"""Sparse weights in ONNX files: the same numbers in fewer bytes, and hostile ones refused."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from plica.errors import InvalidNetwork
from plica.network import Linear, Network, Rectifier, load, to_onnx


def pruned(density: float) -> Network:
    rng = np.random.default_rng(0)

    def weights(m: int, n: int) -> np.ndarray:
        return np.where(rng.random((m, n)) < density, rng.standard_normal((m, n)).astype(np.float32), 0.0)

    return Network.sequential(50, [Linear(weights(40, 50), np.ones(40)), Rectifier(), Linear(weights(10, 40), np.ones(10))])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_sparse_file_is_smaller_and_comes_back_with_the_same_numbers(dtype: str, tmp_path: Path) -> None:
    net, x = pruned(0.05), np.random.default_rng(1).standard_normal((7, 50))
    paths = [tmp_path / name for name in ("dense.onnx", "sparse.onnx")]
    for path, sparse in zip(paths, (False, True), strict=True):
        to_onnx(net, path, dtype=dtype, sparse=sparse)
    assert paths[1].stat().st_size < paths[0].stat().st_size / 2
    again = load(paths[1])
    assert all((a.weight == b.weight).all() for a, b in zip(net.dense_layers, again.dense_layers, strict=True))
    runtime = pytest.importorskip("onnxruntime")
    (y,) = runtime.InferenceSession(str(paths[1]), providers=["CPUExecutionProvider"]).run(None, {"input": x.astype(dtype)})
    np.testing.assert_allclose(y, net(x), rtol=1e-5, atol=1e-5)


def test_weights_that_are_not_sparse_stay_dense(tmp_path: Path) -> None:
    to_onnx(pruned(0.6), tmp_path / "net.onnx", sparse=True)
    assert not onnx.load(str(tmp_path / "net.onnx")).graph.sparse_initializer


def model_with(values: np.ndarray, indices: np.ndarray, dims: list[int], path: Path) -> Path:
    weight = helper.make_sparse_tensor(numpy_helper.from_array(values, "w"), numpy_helper.from_array(indices), dims)
    ends = [helper.make_tensor_value_info(name, 1, ["batch", n]) for name, n in (("x", 2), ("y", 2))]
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])], "g", ends[:1], ends[1:], sparse_initializer=[weight]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path.write_bytes(model.SerializeToString())
    return path


def test_both_ways_of_counting_places_are_read(tmp_path: Path) -> None:
    values = np.array([3.0, 5.0], dtype=np.float32)
    for k, indices in enumerate(([1, 2], [[0, 1], [1, 0]])):
        net = load(model_with(values, np.array(indices, dtype=np.int64), [2, 2], tmp_path / f"{k}.onnx"))
        assert net(np.array([1.0, 10.0])).tolist() == [50.0, 3.0]


@pytest.mark.parametrize(
    ("indices", "dims"),
    [
        ([1, 4], [2, 2]),
        ([-1, 2], [2, 2]),
        ([2, 1], [2, 2]),
        ([1, 1], [2, 2]),
        ([1], [2, 2]),
        ([[0, 1], [2, 0]], [2, 2]),
        ([[[0]], [[1]]], [2, 2]),
        ([1, 2], [2**40, 2**20]),
        ([1, 2], [-2, -2]),
        ([1, 2], []),
    ],
)
def test_hostile_indices_and_shapes_are_refused(indices: list, dims: list[int], tmp_path: Path) -> None:
    path = model_with(np.ones(2, dtype=np.float32), np.array(indices, dtype=np.int64), dims, tmp_path / "bad.onnx")
    with pytest.raises(InvalidNetwork):
        load(path)


def test_indices_that_are_no_integers_are_refused(tmp_path: Path) -> None:
    path = model_with(np.ones(2, dtype=np.float32), np.array([0.0, 1.0], dtype=np.float32), [2, 2], tmp_path / "bad.onnx")
    with pytest.raises(InvalidNetwork):
        load(path)
