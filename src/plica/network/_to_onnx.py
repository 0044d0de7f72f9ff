"""A network as an ONNX file: the same graph, the same numbers, in operators that every runtime knows."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from plica._whole import write_whole
from plica.errors import InvalidInput, InvalidNetwork, MissingExtra
from plica.network import operations as ops
from plica.network._network import Network, Node
from plica.network._onnx_sparse import pays, to_sparse

OPSET = 17
IR_VERSION = 8
_MAX_BYTES = 2**31 - 2**20  # a protobuf holds less than 2 GiB


def to_onnx(network: Network, path: str | os.PathLike[str], *, dtype: str = "float64", sparse: bool = False) -> None:
    """Write a network to an ``.onnx`` file that onnxruntime runs and :func:`plica.load` reads back.

    Parameters
    ----------
    network
        The network.
    path
        A name that ends in ``.onnx``.
    dtype
        ``float64`` keeps every weight as it is; ``float32`` rounds them once. Runtimes know convolutions in float32 only.
    sparse
        Store weights by their nonzero entries where that is smaller: in float32 below a third of them, in float64 below a half.
        The file is smaller, the model is not faster: runtimes make the weights dense when they load it.
    """
    try:
        import onnx
    except ImportError:
        raise MissingExtra("writing ONNX needs the package onnx.", hint="pip install 'plica[onnx]'") from None
    path = Path(path)
    if not isinstance(network, Network):
        raise InvalidInput(f"to_onnx takes a Network, got {type(network).__name__}.")
    if path.suffix != ".onnx":
        raise InvalidInput(f"{path.name!r} does not end in .onnx.")
    if dtype not in ("float32", "float64"):
        raise InvalidInput(f"dtype must be float32 or float64, got {dtype!r}.")
    if 8 * network.n_parameters > _MAX_BYTES:
        raise InvalidNetwork(f"{network.n_parameters:,} weights do not fit into one ONNX file.", hint="write a .safetensors file")
    graph = _Graph(network, np.dtype(dtype), sparse=sparse)
    model = onnx.helper.make_model(
        graph.build(), producer_name="plica", opset_imports=[onnx.helper.make_opsetid("", OPSET)], ir_version=IR_VERSION
    )
    onnx.checker.check_model(model, full_check=not graph.sparse_constants)  # shapes of sparse weights are not inferred
    write_whole(path, model.SerializeToString())


class _Graph:
    """The nodes and constants of one file."""

    def __init__(self, network: Network, dtype: np.dtype[Any], *, sparse: bool = False) -> None:
        self.network, self.dtype, self.is_sparse = network, dtype, sparse
        self.sparse_constants: list[Any] = []
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def build(self) -> Any:
        from onnx import TensorProto, helper

        kind = TensorProto.DOUBLE if self.dtype == np.float64 else TensorProto.FLOAT
        names = ["input"]
        for i, node in enumerate(self.network.nodes[1:], start=1):
            names.append(self._add(i, node, [names[j] for j in node.inputs]))
        self.nodes.append(helper.make_node("Identity", [names[-1]], ["output"]))
        ends = [
            helper.make_tensor_value_info(name, kind, ["batch", *shape])
            for name, shape in (("input", self.network.input_shape), ("output", self.network.output_shape))
        ]
        return helper.make_graph(
            self.nodes, "plica", ends[:1], ends[1:], self.constants, sparse_initializer=self.sparse_constants
        )

    def constant(self, name: str, array: Any) -> str:
        from onnx import numpy_helper

        values = np.asarray(array)
        values = values.astype(self.dtype if values.dtype.kind == "f" else np.int64)
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            raise InvalidNetwork("a weight is larger than the largest float32.", hint="write it in float64")
        if self.is_sparse and values.dtype.kind == "f" and values.ndim > 1 and pays(values, values.itemsize):
            self.sparse_constants.append(to_sparse(name, values))
        else:
            self.constants.append(numpy_helper.from_array(values, name))
        return name

    def node(self, kind: str, inputs: list[str], name: str, **attributes: Any) -> str:
        from onnx import helper

        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def _add(self, i: int, node: Node, xs: list[str]) -> str:
        """The operators of one node; the name of what they make."""
        op, name, x = node.op, f"node{i}", xs[0]
        if isinstance(op, ops.Linear):
            product = self.node("MatMul", [x, self.constant(f"{name}.weight", op.weight.T)], f"{name}.product")
            if op.bias is None:
                return product
            return self.node("Add", [product, self.constant(f"{name}.bias", op.bias)], name)
        if isinstance(op, ops.Conv):
            weights = [self.constant(f"{name}.{label}", array) for label, array in op.arrays().items()]
            pads = [p for side in zip(*op.padding, strict=True) for p in side]
            return self.node("Conv", [x, *weights], name, strides=op.stride, pads=pads, dilations=op.dilation, group=op.groups)
        if isinstance(op, ops.Scale):
            scaled = self.node("Mul", [x, self.constant(f"{name}.factor", op.factor)], f"{name}.scaled")
            return scaled if op.offset is None else self.node("Add", [scaled, self.constant(f"{name}.offset", op.offset)], name)
        if isinstance(op, ops.WindowSum):
            return self._window_sums(op, name, x)
        if isinstance(op, ops.Reshape):
            return self.reshaped(x, op.shape, name)
        if isinstance(op, ops.Permute):
            return self.node("Transpose", [x], name, perm=[0, *(a + 1 for a in op.axes)])
        if isinstance(op, ops.Pad):
            pads = [0, *(a for a, _ in op.padding), 0, *(b for _, b in op.padding)]
            return self.node("Pad", [x, self.constant(f"{name}.pads", np.array(pads))], name)
        if isinstance(op, ops.Gather):
            return self._gathered(x, op.indices, name)
        if isinstance(op, ops.Concat):
            return self.node("Concat", xs, name, axis=op.axis + 1)
        if isinstance(op, ops.Add):
            return self.node("Sum", xs, name)
        if isinstance(op, ops.Rectifier):
            return self._rectified(op, name, x)
        if isinstance(op, ops.Clip):
            bounds = [self.constant(f"{name}.{label}", np.array(float(getattr(op, label)))) for label in ("low", "high")]
            return self.node("Clip", [x, *bounds], name)
        assert isinstance(op, ops.Max)
        windows = op.windows(self.network.nodes[node.inputs[0]].shape)
        if windows is not None:
            kernel, stride, dilation = windows
            return self.node("MaxPool", [x], name, kernel_shape=kernel, strides=stride, dilations=dilation)
        members = np.where(op.groups < 0, op.groups[..., :1], op.groups)
        gathered = self._gathered(x, members, f"{name}.members")
        return self.node("ReduceMax", [gathered], name, axes=[-1], keepdims=0)

    def reshaped(self, x: str, shape: tuple[int, ...], name: str) -> str:
        return self.node("Reshape", [x, self.constant(f"{name}.shape", np.array([-1, *shape]))], name)

    def _gathered(self, x: str, indices: Any, name: str) -> str:
        flat = self.node("Flatten", [x], f"{name}.flat", axis=1)
        return self.node("Gather", [flat, self.constant(f"{name}.indices", indices)], name, axis=1)

    def _window_sums(self, op: ops.WindowSum, name: str, x: str) -> str:
        axis = self.constant(f"{name}.axis", np.array([op.axis + 1]))
        sums = []
        for k, (a, b) in enumerate(zip(op.starts, op.stops, strict=True)):
            ends = [self.constant(f"{name}.{label}{k}", np.array([v])) for label, v in (("from", a), ("to", b))]
            window = self.node("Slice", [x, *ends, axis], f"{name}.window{k}")
            sums.append(self.node("ReduceSum", [window, axis], f"{name}.sum{k}", keepdims=1))
        return self.node("Concat", sums, name, axis=op.axis + 1)

    def _rectified(self, op: ops.Rectifier, name: str, x: str) -> str:
        if not op.slope.any():
            return self.node("Relu", [x], name)
        if (op.slope == -1).all():
            return self.node("Abs", [x], name)
        return self.node("PRelu", [x, self.constant(f"{name}.slope", op.slope)], name)
