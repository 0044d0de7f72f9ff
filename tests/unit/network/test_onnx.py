"""Reading ONNX: operators against onnxruntime, files of both exporters of torch, and what is refused."""

import copy
import gzip
import subprocess
import sys
import warnings

import numpy as np
import pytest
import torch
from torch import nn

from plica.errors import InvalidInput, InvalidNetwork, MissingExtra, UnsupportedLayer
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
    "ConvTranspose": (
        chain(node("ConvTranspose", "x", "w", "b", strides=[2, 3], pads=[1, 0, 0, 1], output_padding=[1, 2], group=2)),
        {"w": floats(4, 3, 3, 2), "b": floats(6)},
        IMAGE,
    ),
    "ConvTranspose dilated": (
        chain(node("ConvTranspose", "x", "w", dilations=[2, 1], pads=[1, 2, 3, 1])),
        {"w": floats(4, 2, 3, 4)},
        IMAGE,
    ),
    "ConvTranspose to a shape": (
        chain(node("ConvTranspose", "x", "w", strides=[3, 2], output_shape=[20, 16])),
        {"w": floats(4, 2, 3, 3)},
        IMAGE,
    ),
    "ConvTranspose same upper": (
        chain(node("ConvTranspose", "x", "w", strides=[2, 2], auto_pad="SAME_UPPER")),
        {"w": floats(4, 2, 3, 3)},
        IMAGE,
    ),
    "ConvTranspose same lower": (
        chain(node("ConvTranspose", "x", "w", strides=[2, 2], auto_pad="SAME_LOWER")),
        {"w": floats(4, 2, 3, 3)},
        IMAGE,
    ),
    "ConvTranspose 1-D": (chain(node("ConvTranspose", "x", "w", strides=[4])), {"w": floats(4, 3, 3)}, ("batch", 4, 9)),
    "Conv depthwise": (chain(node("Conv", "x", "w", group=4, pads=[1, 1, 1, 1])), {"w": floats(8, 1, 3, 3)}, IMAGE),
    **{
        f"Resize {mode} {transform} {rounding} {scales}": (
            chain(
                node(
                    "Resize",
                    "x",
                    "",
                    "s",
                    mode=mode,
                    coordinate_transformation_mode=transform,
                    **({"nearest_mode": rounding} if mode == "nearest" else {}),
                )
            ),
            {"s": np.array([1, 1, *scales], dtype=np.float32)},
            IMAGE,
        )
        for mode, transform, rounding, scales in [
            ("nearest", "half_pixel", "round_prefer_floor", (2.0, 1.5)),
            ("nearest", "half_pixel", "round_prefer_ceil", (1.0, 0.5)),
            ("nearest", "asymmetric", "floor", (3.0, 2.0)),
            ("nearest", "asymmetric", "ceil", (1.5, 0.5)),
            ("nearest", "align_corners", "floor", (2.0, 2.0)),
            ("linear", "half_pixel", "", (2.0, 1.5)),
            ("linear", "pytorch_half_pixel", "", (0.5, 0.25)),
            ("linear", "asymmetric", "", (1.5, 2.0)),
            ("linear", "align_corners", "", (2.0, 3.0)),
            ("cubic", "half_pixel", "", (2.0, 1.5)),
        ]
    },
    "Resize to sizes": (chain(node("Resize", "x", "", "", "s", mode="linear")), {"s": ints(3, 4, 14, 5)}, (3, 4, 7, 8)),
    "Resize some axes": (
        chain(node("Resize", "x", "", "", "s", mode="linear", axes=[2, 3])),
        {"s": ints(14, 4)},
        IMAGE,
        18,
    ),
    "Resize without the outside": (
        chain(node("Resize", "x", "", "s", mode="cubic", exclude_outside=1, cubic_coeff_a=-0.5)),
        {"s": np.array([1, 1, 2, 1.5], dtype=np.float32)},
        IMAGE,
    ),
    "Resize of opset 10": (
        chain(node("Resize", "x", "s", mode="linear")),
        {"s": np.array([1, 1, 2, 1.5], dtype=np.float32)},
        IMAGE,
        10,
    ),
    "Upsample": (chain(node("Upsample", "x", "s")), {"s": np.array([1, 1, 3, 2], dtype=np.float32)}, IMAGE, 9),
    "Upsample linear": (
        chain(node("Upsample", "x", "s", mode="linear")),
        {"s": np.array([1, 1, 3, 2], dtype=np.float32)},
        IMAGE,
        9,
    ),
    "DepthToSpace": (chain(node("DepthToSpace", "x", blocksize=2)), {}, ("batch", 12, 3, 2)),
    "DepthToSpace by columns": (chain(node("DepthToSpace", "x", blocksize=2, mode="CRD")), {}, ("batch", 12, 3, 2)),
    "SpaceToDepth": (chain(node("SpaceToDepth", "x", blocksize=2)), {}, ("batch", 3, 4, 6)),
    "products of constants": (
        chain(
            node("MatMul", "a", "b", output="ab"),
            node("Sign", "ab", output="s"),
            node("Gemm", "s", "ab", transB=1, output="w"),
            node("Gemm", "x", "w"),
        ),
        {"a": floats(6, 2), "b": floats(2, 3)},
        VECTOR,
    ),
    "layers of constants": (
        chain(
            node("Conv", "c", "k", output="d"),
            node("Relu", "d", output="e"),
            node("GlobalAveragePool", "e", output="f"),
            node("Mul", "x", "f"),
        ),
        {"c": floats(1, 2, 5, 5), "k": floats(4, 2, 3, 3)},
        IMAGE,
    ),
    "ranges and comparisons": (
        chain(
            node("Range", "zero", "six", "one", output="r"),
            node("Greater", "r", "two", output="g"),
            node("Where", "g", "r", "zero", output="w"),
            node("Cast", "w", to=1, output="c"),
            node("Mul", "x", "c"),
        ),
        {"zero": np.array(0), "six": np.array(6), "one": np.array(1), "two": np.array(2)},
        VECTOR,
    ),
}


def opset_of(name):
    return OPERATORS[name][3] if len(OPERATORS[name]) > 3 else 17


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_compute_what_onnxruntime_computes(name, tmp_path):
    nodes, constants, shape = OPERATORS[name][:3]
    model = model_of(nodes, constants, shape, opset=opset_of(name))
    network = from_onnx(write(model, tmp_path / "m.onnx"))
    x = RNG.normal(size=(3, *shape[1:])).astype(np.float32)
    expected = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, {"x": x})[0]
    found = network(x)
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= 2e-6 * max(1.0, np.abs(expected).max())


NOT_IN_THE_REFERENCE = {
    # constants and casts of single precision among doubles
    "Constant",
    "ConstantOfShape",
    "Identity, Dropout and Cast",
    "ranges and comparisons",
    # it refuses these arguments
    "ConvTranspose",
    "ConvTranspose to a shape",
    "Resize of opset 10",
    "Upsample linear",
    # its weights are of single precision; torch's bicubic is compared in double precision
    "Resize cubic half_pixel  (2.0, 1.5)",
    "Resize without the outside",
}


@pytest.mark.parametrize("name", sorted(set(OPERATORS) - NOT_IN_THE_REFERENCE))
def test_operators_compute_what_the_reference_computes_in_double_precision(name, tmp_path):
    from onnx.reference import ReferenceEvaluator

    nodes, constants, shape = OPERATORS[name][:3]
    doubles = {k: v.astype(np.float64) if v.dtype == np.float32 and k not in ("s",) else v for k, v in constants.items()}
    model = model_of(nodes, doubles, shape, opset=opset_of(name), elem_type=TensorProto.DOUBLE)
    network = from_onnx(write(model, tmp_path / "m.onnx"))
    x = RNG.normal(size=(3, *shape[1:]))
    expected = ReferenceEvaluator(model).run(None, {"x": x})[0]
    found = network(x)
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= 1e-12 * max(1.0, np.abs(expected).max())


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


def test_one_of_several_outputs_is_chosen_by_name(tmp_path):
    nodes = [node("Split", "x", axis=1, output=["a", "b"]), node("Relu", "a"), node("Softmax", "b", output="y1")]
    path = write(model_of(nodes, {}, VECTOR, n_outputs=2), tmp_path / "a.onnx")
    with pytest.raises(InvalidNetwork, match="2 outputs") as caught:
        from_onnx(path)
    assert "'y', 'y1'" in caught.value.hint
    assert from_onnx(path, output="y")(np.arange(-1.0, 5.0)).tolist() == [0.0, 0.0, 1.0]  # the other one may be anything
    assert from_onnx(path, output="b")(np.arange(-1.0, 5.0)).tolist() == [2.0, 3.0, 4.0]
    with pytest.raises(UnsupportedLayer, match="'Softmax'") as refused:
        from_onnx(path, output="y1")
    assert "output='b'" in refused.value.hint
    with pytest.raises(InvalidInput, match="no tensor 'z'"):
        from_onnx(path, output="z")


def test_one_of_several_inputs_varies_and_the_others_are_given(tmp_path):
    nodes = [node("Relu", "z", output="a"), node("MatMul", "a", "w", output="b"), node("Add", "x", "b")]
    model = model_of(nodes, {"w": floats(6, 6)}, VECTOR)
    model.graph.input.append(helper.make_tensor_value_info("z", TensorProto.FLOAT, VECTOR))
    path = write(model, tmp_path / "b.onnx")
    with pytest.raises(InvalidNetwork, match="2 inputs, expected one: 'x', 'z'"):
        from_onnx(path)
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    x, z = floats(1, 6), floats(1, 6)
    for varies, held in (("x", "z"), ("z", "x")):
        values = {"x": x, "z": z}
        expected = session.run(None, values)[0]
        for value in (values[held], values[held][0]):
            network = load(path, input=varies, fixed={held: value})
            assert np.abs(network(values[varies]) - expected).max() < 1e-6
    for fixed in ({"z": floats(5)}, {"z": [np.inf] * 6}, {"nothing": 1.0}, {"z": "text"}):
        with pytest.raises(InvalidInput):
            from_onnx(path, input="x", fixed=fixed)


UNBATCHED = {
    "matrix on a vector": (chain(node("MatMul", "w", "x", output="a"), node("Relu", "a")), {"w": floats(4, 6)}, (6,)),
    "vector on a matrix": (
        chain(node("MatMul", "x", "w", output="a"), node("Add", "a", "b")),
        {"w": floats(6, 4), "b": floats(4)},
        (6,),
    ),
    "column": (chain(node("MatMul", "w", "x", output="a"), node("Relu", "a")), {"w": floats(4, 6)}, (6, 1)),
    "Gemm from the left": (chain(node("Gemm", "w", "x", "b")), {"w": floats(4, 6), "b": floats(4, 1)}, (6, 2)),
    "Gemm transposed": (chain(node("Gemm", "x", "w", "b", transA=1)), {"w": floats(6, 3), "b": floats(2, 3)}, (6, 2)),
    "made a batch of one": (
        chain(node("Unsqueeze", "x", "zero", output="a"), node("Gemm", "a", "w", output="b"), node("Squeeze", "b", "zero")),
        {"zero": ints(0), "w": floats(6, 3)},
        (6,),
    ),
    "an image without a batch": (
        chain(
            node("Unsqueeze", "x", "zero", output="a"),
            node("Conv", "a", "w", output="b"),
            node("MaxPool", "b", kernel_shape=[2, 2], output="c"),
            node("Flatten", "c", output="d"),
            node("ReduceSum", "d", keepdims=0),
        ),
        {"zero": ints(0), "w": floats(3, 2, 3, 3)},
        (2, 6, 7),
    ),
    "axes counted from the front": (
        chain(
            node("Transpose", "x", output="a"),
            node("Slice", "a", "s", "e", output="b"),
            node("Concat", "b", "c", axis=0, output="d"),
            node("Pad", "d", "p", output="f"),
            node("Tile", "f", "r"),
        ),
        {"s": ints(1), "e": ints(3), "c": floats(1, 4), "p": ints(1, 0, 0, 2), "r": ints(2, 1)},
        (4, 5),
    ),
    "constants with more axes": (chain(node("Add", "x", "c", output="a"), node("Max", "a", "x")), {"c": floats(2, 1, 5)}, (4, 5)),
}


@pytest.mark.parametrize("name", UNBATCHED)
def test_models_without_a_batch_axis_compute_what_onnxruntime_computes(name, tmp_path):
    nodes, constants, shape = UNBATCHED[name]
    model = model_of(nodes, constants, shape)
    network = from_onnx(write(model, tmp_path / "m.onnx"))
    assert network.input_shape == shape
    x = RNG.normal(size=shape).astype(np.float32)
    expected = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, {"x": x})[0]
    assert network(x).shape == expected.shape
    assert np.abs(network(x) - expected).max() <= 2e-6 * max(1.0, np.abs(expected).max())


def test_an_opset_that_is_imported_twice_is_one_opset(tmp_path):
    model = model_of([node("Relu", "x")], {}, VECTOR)
    model.opset_import.append(helper.make_opsetid("ai.onnx", 17))
    assert from_onnx(write(model, tmp_path / "m.onnx")).n_neurons == 6
    model.opset_import.append(helper.make_opsetid("", 16))
    with pytest.raises(InvalidNetwork, match="opset 17, 17, 16"):
        from_onnx(write(model, tmp_path / "m.onnx"))


def test_compressed_files_are_read_within_the_limit(tmp_path):
    model = model_of([node("Relu", "x")], {}, VECTOR)
    model.doc_string = "long " * 1000
    model, path = model.SerializeToString(), tmp_path / "m.onnx.gz"
    path.write_bytes(gzip.compress(model))
    assert load(path).n_neurons == 6
    with pytest.raises(InvalidNetwork, match="unpacks to more than 2000 bytes"):
        load(path, max_bytes=2000)
    for content in (gzip.compress(model)[:-9], b"\x1f\x8b" + model, gzip.compress(model) + b"more", b""):
        path.write_bytes(content)
        with pytest.raises(InvalidNetwork, match="gzip"):
            load(path)


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


@pytest.mark.parametrize(("scale", "zero", "attributes"), [
    (np.float32(0.0371), np.int8(3), {}),
    (np.array([0.01, 0.02, 0.03, 0.5], np.float32), np.array([0, -2, 5, 7], np.int8), {"axis": 1}),
    (np.abs(floats(6)) + np.float32(0.01), np.zeros(6, np.int8), {"axis": 0}),
    (np.array([0.25], np.float32), None, {}),
])  # fmt: skip
def test_integers_with_scales_are_the_weights_they_stand_for(scale, zero, attributes, tmp_path):
    stored = RNG.integers(-127, 128, (6, 4)).astype(np.int8)
    constants = {"q": stored, "s": scale} | ({} if zero is None else {"z": zero})
    weights = node("DequantizeLinear", *constants, output="w", **attributes)
    model = model_of([weights, node("MatMul", "x", "w")], constants, VECTOR)
    path = write(model, tmp_path / "int8.onnx")
    network, x, options = load(path), floats(5, 6), ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL  # else it rounds inputs to eight bits too
    (theirs,) = ort.InferenceSession(str(path), options).run(None, {"x": x})
    np.testing.assert_allclose(network(x), theirs, rtol=2e-5, atol=1e-5)
    shift = 0 if zero is None else zero.astype(int)
    if attributes.get("axis") == 0:
        exact = (stored.astype(float).T - shift).T * np.asarray(scale, float)[:, None]
    else:
        exact = (stored.astype(float) - shift) * np.asarray(scale, float)
    np.testing.assert_array_equal(network(np.eye(6)), exact)  # eight bits times twenty-four: nothing is rounded


@pytest.mark.parametrize(("stored", "scale", "attributes"), [
    (np.ones((6, 4), np.int8), np.ones(3, np.float32), {}),
    (np.ones((6, 4), np.int8), np.ones(4, np.float32), {"axis": 5}),
    (np.ones((6, 4), np.int8), np.ones((2, 2), np.float32), {}),
    (np.ones((6, 4), np.float32), np.float32(1), {}),
])  # fmt: skip
def test_scales_that_fit_no_axis_are_refused(stored, scale, attributes, tmp_path):
    constants = {"q": stored, "s": scale}
    model = model_of([node("DequantizeLinear", "q", "s", output="w", **attributes), node("MatMul", "x", "w")], constants, VECTOR)
    with pytest.raises(UnsupportedLayer, match="DequantizeLinear"):
        load(write(model, tmp_path / "bad.onnx"))
