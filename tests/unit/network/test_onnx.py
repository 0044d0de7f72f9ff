"""Reading ONNX: operators against onnxruntime, files of both exporters of torch, and what is refused."""

import copy
import subprocess
import sys
import warnings

import numpy as np
import pytest
import torch
from torch import nn

from plica.errors import InvalidNetwork, MissingExtra, UnsupportedLayer
from plica.network import from_onnx, load

onnx = pytest.importorskip("onnx")
ort = pytest.importorskip("onnxruntime")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402

RNG = np.random.default_rng(0)
IMAGE, VECTOR = ("batch", 4, 7, 8), ("batch", 6)


def floats(*shape):
    return RNG.normal(size=shape).astype(np.float32)


def ints(*values):
    return np.array(values, dtype=np.int64)


def model_of(nodes, constants, shape, *, opset=17, n_outputs=1, elem_type=TensorProto.FLOAT):
    """A model that reads "x" and returns "y"; shapes of outputs are left open."""
    initializers = [numpy_helper.from_array(np.asarray(v), k) for k, v in constants.items()]
    outputs = ["y", *(f"y{i}" for i in range(1, n_outputs))]
    graph = helper.make_graph(
        nodes,
        "hand-made",
        [helper.make_tensor_value_info("x", elem_type, shape)],
        [helper.make_tensor_value_info(o, elem_type, None) for o in outputs],
        initializers,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def write(model, path):
    path.write_bytes(model.SerializeToString())
    return path


def node(kind, *inputs, output="y", **attributes):
    return helper.make_node(kind, list(inputs), [output] if isinstance(output, str) else output, **attributes)


def chain(*nodes):
    return list(nodes)


OPERATORS = {
    "Gemm": (chain(node("Gemm", "x", "w", "b", transB=1, alpha=0.5, beta=2.0)), {"w": floats(3, 6), "b": floats(3)}, VECTOR),
    "Gemm without bias": (chain(node("Gemm", "x", "w")), {"w": floats(6, 3)}, VECTOR),
    "Gemm with scalar bias": (chain(node("Gemm", "x", "w", "b")), {"w": floats(6, 3), "b": floats(1, 1)}, VECTOR),
    "MatMul": (chain(node("MatMul", "x", "w")), {"w": floats(8, 5)}, IMAGE),
    "MatMul from the left": (chain(node("MatMul", "w", "x")), {"w": floats(5, 7)}, IMAGE),
    "Add and Sub": (chain(node("Add", "c", "x", output="a"), node("Sub", "c", "a")), {"c": floats(4, 1, 1)}, IMAGE),
    "Sub of activations": (chain(node("Relu", "x", output="a"), node("Sub", "x", "a")), {}, VECTOR),
    "Mul and Div": (
        chain(node("Mul", "x", "c", output="a"), node("Div", "a", "c2")),
        {"c": floats(8), "c2": floats(7, 1)},
        IMAGE,
    ),
    "Neg and Abs": (chain(node("Neg", "x", output="a"), node("Abs", "a")), {}, VECTOR),
    "Sum": (chain(node("Relu", "x", output="a"), node("Sum", "x", "a", "c")), {"c": floats(6)}, VECTOR),
    "Conv": (
        chain(node("Conv", "x", "w", "b", strides=[2, 1], pads=[1, 0, 2, 1], dilations=[1, 2], group=2)),
        {"w": floats(6, 2, 3, 2), "b": floats(6)},
        IMAGE,
    ),
    "Conv same upper": (chain(node("Conv", "x", "w", auto_pad="SAME_UPPER", strides=[2, 2])), {"w": floats(3, 4, 4, 3)}, IMAGE),
    "Conv same lower": (chain(node("Conv", "x", "w", auto_pad="SAME_LOWER")), {"w": floats(3, 4, 2, 4)}, IMAGE),
    "Conv valid": (chain(node("Conv", "x", "w", auto_pad="VALID")), {"w": floats(3, 4, 2, 4)}, IMAGE),
    "Conv 1-D": (chain(node("Conv", "x", "w", pads=[1, 2])), {"w": floats(3, 4, 3)}, ("batch", 4, 9)),
    "BatchNormalization": (
        chain(node("BatchNormalization", "x", "s", "b", "m", "v", epsilon=0.01)),
        {"s": floats(4), "b": floats(4), "m": floats(4), "v": np.abs(floats(4))},
        IMAGE,
    ),
    "LeakyRelu and PRelu": (
        chain(node("LeakyRelu", "x", alpha=0.3, output="a"), node("PRelu", "a", "s")),
        {"s": floats(4, 1, 1)},
        IMAGE,
    ),
    "PRelu with batch axis": (chain(node("PRelu", "x", "s")), {"s": floats(1, 4, 1, 1)}, IMAGE),
    "Clip": (chain(node("Clip", "x", "low", "high")), {"low": np.float32(-0.5), "high": np.float32(0.25)}, VECTOR),
    "Clip from below": (chain(node("Clip", "x", "low")), {"low": np.float32(-0.5)}, VECTOR),
    "Clip from above": (chain(node("Clip", "x", "", "high")), {"high": np.float32(0.5)}, VECTOR),
    "HardSigmoid": (chain(node("HardSigmoid", "x", alpha=0.25, beta=0.5)), {}, VECTOR),
    "Max and Min": (
        chain(node("Neg", "x", output="n"), node("Max", "x", "n", "c", output="a"), node("Min", "c2", "a")),
        {"c": floats(6), "c2": np.abs(floats(6))},
        VECTOR,
    ),
    "MaxPool": (chain(node("MaxPool", "x", kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 1])), {}, IMAGE),
    "MaxPool ceil dilated": (
        chain(node("MaxPool", "x", kernel_shape=[2, 2], strides=[2, 2], dilations=[2, 1], ceil_mode=1)),
        {},
        IMAGE,
    ),
    "MaxPool same": (chain(node("MaxPool", "x", kernel_shape=[3, 3], strides=[2, 2], auto_pad="SAME_UPPER")), {}, IMAGE),
    "MaxPool 1-D": (chain(node("MaxPool", "x", kernel_shape=[3])), {}, ("batch", 4, 9)),
    "AveragePool": (chain(node("AveragePool", "x", kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 1])), {}, IMAGE),
    "AveragePool with padding": (
        chain(node("AveragePool", "x", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1], count_include_pad=1)),
        {},
        IMAGE,
    ),
    "AveragePool ceil": (chain(node("AveragePool", "x", kernel_shape=[2, 3], strides=[2, 2], ceil_mode=1)), {}, IMAGE),
    "GlobalAveragePool": (chain(node("GlobalAveragePool", "x")), {}, IMAGE),
    "GlobalMaxPool": (chain(node("GlobalMaxPool", "x")), {}, IMAGE),
    "ReduceMean": (chain(node("ReduceMean", "x", axes=[2, 3], keepdims=0)), {}, IMAGE),
    "ReduceMax": (chain(node("ReduceMax", "x", axes=[-1])), {}, IMAGE),
    "ReduceMin": (chain(node("ReduceMin", "x", axes=[1], keepdims=0)), {}, IMAGE),
    "ReduceSum": (chain(node("ReduceSum", "x", "axes", keepdims=0)), {"axes": ints(1)}, IMAGE),
    "Flatten": (chain(node("Flatten", "x")), {}, IMAGE),
    "Reshape": (chain(node("Reshape", "x", "s")), {"s": ints(0, 2, -1, 8)}, IMAGE),
    "Reshape with -1 in front": (chain(node("Reshape", "x", "s")), {"s": ints(-1, 224)}, IMAGE),
    "Transpose": (chain(node("Transpose", "x", perm=[0, 3, 1, 2])), {}, IMAGE),
    "Unsqueeze and Squeeze": (
        chain(node("Unsqueeze", "x", "a", output="u"), node("Squeeze", "u", "b", output="v"), node("Relu", "v")),
        {"a": ints(1, 3), "b": ints(1)},
        VECTOR,
    ),
    "Concat": (chain(node("Relu", "x", output="a"), node("Concat", "a", "x", axis=-1)), {}, VECTOR),
    "Split": (chain(node("Split", "x", "s", axis=1, output=["a", "y"])), {"s": ints(1, 5)}, VECTOR),
    "Slice": (
        chain(node("Slice", "x", "s", "e", "a", "t")),
        {"s": ints(1, -1), "e": ints(100, -100), "a": ints(1, 3), "t": ints(2, -2)},
        IMAGE,
    ),
    "Gather": (chain(node("Gather", "x", "i", axis=2)), {"i": np.array([[0, -1], [3, 3]])}, IMAGE),
    "Gather one": (chain(node("Gather", "x", "i", axis=1)), {"i": np.array(2)}, IMAGE),
    "Pad": (chain(node("Pad", "x", "p")), {"p": ints(0, 0, 1, 2, 0, 0, 3, 0)}, IMAGE),
    "Pad with a value": (
        chain(node("Pad", "x", "p", "v")),
        {"p": ints(0, 0, 1, 2, 0, 1, 3, 0), "v": np.float32(-1.5)},
        IMAGE,
    ),
    "Pad reflecting": (chain(node("Pad", "x", "p", mode="reflect")), {"p": ints(0, 0, 1, 2, 0, 0, 3, 0)}, IMAGE),
    "Expand": (chain(node("Unsqueeze", "x", "a", output="u"), node("Expand", "u", "s")), {"a": ints(1), "s": ints(3, 1)}, VECTOR),
    "Tile": (chain(node("Tile", "x", "r")), {"r": ints(1, 3)}, VECTOR),
    "Identity, Dropout and Cast": (
        chain(node("Identity", "x", output="a"), node("Dropout", "a", output="d"), node("Cast", "d", to=1)),
        {},
        VECTOR,
    ),
    "shape arithmetic": (
        chain(
            node("Shape", "x", output="s"),
            node("Gather", "s", "zero", output="n"),
            node("Unsqueeze", "n", "axes", output="n1"),
            node("Concat", "n1", "rest", axis=0, output="target"),
            node("Reshape", "x", "target"),
        ),
        {"zero": np.array(0), "axes": ints(0), "rest": ints(-1)},
        IMAGE,
    ),
    "ConstantOfShape": (
        chain(
            node("Shape", "x", output="s"),
            node("ConstantOfShape", "s", output="zeros"),
            node("Max", "x", "zeros"),
        ),
        {},
        VECTOR,
    ),
    "Constant": (
        chain(node("Constant", value_floats=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], output="c"), node("Mul", "x", "c")),
        {},
        VECTOR,
    ),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_compute_what_onnxruntime_computes(name, tmp_path):
    nodes, constants, shape = OPERATORS[name]
    model = model_of(nodes, constants, shape)
    network = from_onnx(write(model, tmp_path / "m.onnx"))
    x = RNG.normal(size=(3, *shape[1:])).astype(np.float32)
    expected = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, {"x": x})[0]
    found = network(x)
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= 2e-6 * max(1.0, np.abs(expected).max())


def test_older_opsets_keep_their_arguments_in_attributes(tmp_path):
    nodes = [
        node("Clip", "x", min=-0.5, max=0.5, output="a"),
        node("Pad", "a", pads=[0, 1, 0, 2], value=1.0, output="b"),
        node("Slice", "b", starts=[1], ends=[8], axes=[1], output="c"),
        node("Unsqueeze", "c", axes=[1]),
    ]
    network = from_onnx(write(model_of(nodes, {}, VECTOR, opset=9), tmp_path / "m.onnx"))
    x = np.array([-2.0, -0.25, 0.0, 0.25, 1.0, 2.0])
    assert network(x).tolist() == [[-0.5, -0.25, 0.0, 0.25, 0.5, 0.5, 1.0]]


def test_float32_weights_are_kept_exactly(tmp_path):
    w = np.array([[0.1, 1e-40]], dtype=np.float32)
    network = from_onnx(write(model_of([node("Gemm", "x", "w", transB=1)], {"w": w}, ("b", 2)), tmp_path / "m.onnx"))
    assert (network.nodes[1].op.weight == w.astype(np.float64)).all()


@pytest.mark.parametrize("kind", ["FLOAT16", "BFLOAT16", "DOUBLE"])
def test_other_precisions_are_kept_exactly(kind, tmp_path):
    tensor = helper.make_tensor("w", getattr(TensorProto, kind), [1, 2], [0.1, -3.0])
    model = model_of([node("Gemm", "x", "w", transB=1)], {}, ("b", 2))
    model.graph.initializer.append(tensor)
    weight = from_onnx(write(model, tmp_path / "m.onnx")).nodes[1].op.weight
    assert weight[0, 1] == -3.0
    assert weight[0, 0] == float(numpy_helper.to_array(tensor)[0, 0])


def cnn():
    return nn.Sequential(
        nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64, 5)
    ).eval()


@pytest.mark.parametrize("dynamo", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_both_exporters_of_torch_are_read(dynamo, tmp_path):
    if dynamo:
        pytest.importorskip("onnxscript")
    module, x, path = cnn().double(), torch.randn(3, 3, 8, 8, dtype=torch.float64), tmp_path / "m.onnx"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if dynamo:
            batch = ({0: torch.export.Dim("batch")},)
            torch.onnx.export(module, (x,), str(path), dynamo=True, dynamic_shapes=batch, external_data=False, verbose=False)
        else:
            torch.onnx.export(module, (x,), str(path), dynamo=False, input_names=["x"], dynamic_axes={"x": {0: "batch"}})
    with torch.no_grad():
        expected = copy.deepcopy(module)(x).numpy()
    assert np.abs(load(path)(x.numpy()) - expected).max() <= 1e-12


def test_a_fixed_batch_size_is_read(tmp_path):
    nodes = [node("Reshape", "x", "s", output="a"), node("Relu", "a")]
    network = from_onnx(write(model_of(nodes, {"s": ints(4, 2, 3)}, (4, 6)), tmp_path / "m.onnx"))
    assert network.output_shape == (2, 3)


@pytest.mark.parametrize(
    ("nodes", "constants", "message"),
    [
        ([node("Softmax", "x")], {}, r"layer 0 \('y'\) is 'Softmax', which is not piecewise linear"),
        ([node("Relu", "x", output="a"), node("Sigmoid", "a")], {}, r"layer 1 \('y'\) is 'Sigmoid', which is not"),
        ([node("LayerNormalization", "x", "s")], {"s": floats(6)}, "not piecewise linear"),
        ([node("Mul", "x", "x")], {}, "multiplies two activations"),
        ([node("Div", "c", "x")], {"c": floats(6)}, "divides by an activation"),
        ([node("MatMul", "x", "x")], {}, "multiplies two activations"),
        ([node("Custom", "x", domain="my.ops")], {}, "custom domain 'my.ops'"),
        ([node("NoSuchOperator", "x")], {}, "not an operator Plica knows"),
        ([node("ReduceMean", "x")], {}, "across the batch"),
        ([node("Transpose", "x")], {}, "moves the batch"),
        ([node("Flatten", "x", axis=0)], {}, "mixes the batch"),
        ([node("Reshape", "x", "s")], {"s": ints(-1, 4)}, "mixes the batch"),
        ([node("Cast", "x", to=7, output="i"), node("Cast", "i", to=1)], {}, "casts activations to integers"),
        ([node("Dropout", "x", "r", "t")], {"r": np.float32(0.5), "t": np.array(True)}, "train mode"),
        ([node("Gather", "x", "i", axis=1)], {"i": ints(6)}, "outside an axis of length 6"),
        ([node("Reshape", "x", "i")], {"i": ints(0, -1)[:0]}, "mixes the batch"),
    ],
)
def test_operators_that_have_no_geometry_are_refused(nodes, constants, message, tmp_path):
    path = write(model_of(nodes, constants, VECTOR), tmp_path / "m.onnx")
    with pytest.raises(UnsupportedLayer, match=message):
        from_onnx(path)


def test_positions_of_maxima_are_refused(tmp_path):
    nodes = [node("MaxPool", "x", kernel_shape=[2, 2], output=["a", "i"]), node("Cast", "i", to=1)]
    with pytest.raises(UnsupportedLayer, match="positions of a maximum"):
        from_onnx(write(model_of(nodes, {}, IMAGE), tmp_path / "m.onnx"))


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (("b",), "batch axis"),
        (("b", "n"), "fixed positive sizes"),
        (("b", 0), "fixed positive sizes"),
        (("b", -1), "fixed positive"),
    ],
)
def test_inputs_without_fixed_sizes_are_refused(shape, message, tmp_path):
    with pytest.raises(InvalidNetwork, match=message):
        from_onnx(write(model_of([node("Relu", "x")], {}, shape), tmp_path / "m.onnx"))


def test_inputs_that_are_not_floating_point_are_refused(tmp_path):
    with pytest.raises(InvalidNetwork, match="floating-point"):
        from_onnx(write(model_of([node("Relu", "x")], {}, VECTOR, elem_type=TensorProto.INT64), tmp_path / "m.onnx"))


def test_several_inputs_or_outputs_are_refused(tmp_path):
    model = model_of([node("Split", "x", axis=1, output=["y", "y1"])], {}, VECTOR, n_outputs=2)
    with pytest.raises(InvalidNetwork, match="2 outputs"):
        from_onnx(write(model, tmp_path / "a.onnx"))
    model = model_of([node("Add", "x", "z")], {}, VECTOR)
    model.graph.input.append(helper.make_tensor_value_info("z", TensorProto.FLOAT, VECTOR))
    with pytest.raises(InvalidNetwork, match="2 inputs"):
        from_onnx(write(model, tmp_path / "b.onnx"))


def test_weights_that_are_not_finite_are_refused(tmp_path):
    w = floats(3, 6)
    w[1, 2] = np.nan
    with pytest.raises(InvalidNetwork, match=r"weight of layer 'y' is nan at index \(1, 2\)"):
        from_onnx(write(model_of([node("Gemm", "x", "w", transB=1)], {"w": w}, VECTOR), tmp_path / "m.onnx"))


def test_names_are_shown_escaped(tmp_path):
    evil = helper.make_node("Softmax", ["x"], ["y"], name="\x1b[31m<script>\u202e")
    with pytest.raises(UnsupportedLayer) as caught:
        from_onnx(write(model_of([evil], {}, VECTOR), tmp_path / "m.onnx"))
    assert "\x1b" not in str(caught.value)
    assert "\u202e" not in str(caught.value)


def test_a_missing_package_is_named_with_the_command_that_installs_it():
    code = (
        "import sys; sys.modules['onnx'] = None\n"
        "import plica\n"
        "try:\n    plica.from_onnx('model.onnx')\n"
        "except plica.MissingExtra as error:\n    print(error.hint)\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "pip install 'plica[onnx]'"
    assert MissingExtra.exit_code == 2
