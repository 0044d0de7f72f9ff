"""Hostile ``.onnx`` files, by name: what each contains and the words its refusal must have."""

from itertools import pairwise

import numpy as np
from onnx import AttributeProto, TensorProto, helper, numpy_helper


def model_of(nodes, *, constants=(), shape=("batch", 6), opset=17, change=None):
    tensors = [c if isinstance(c, TensorProto) else numpy_helper.from_array(np.asarray(c[1]), c[0]) for c in constants]
    graph = helper.make_graph(
        list(nodes),
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        tensors,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)] if opset is not None else [])
    if opset is None:
        del model.opset_import[:]
    if change is not None:
        change(model)
    return model.SerializeToString()


def node(kind, *inputs, output="y", **attributes):
    return helper.make_node(kind, list(inputs), [output], **attributes)


def external(location, **entries):
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[6, 6], data_location=TensorProto.EXTERNAL)
    for key, value in {"location": location, **entries}.items():
        tensor.external_data.add(key=key, value=value)
    return tensor


def raw(dims, data=b"", data_type=TensorProto.FLOAT, **fields):
    return TensorProto(name="w", data_type=data_type, dims=dims, raw_data=data, **fields)


def gemm(tensor, **options):
    return model_of([node("Gemm", "x", "w")], constants=[tensor], **options)


def loop():
    body = helper.make_graph(
        [node("Identity", "c", output="c2"), node("Identity", "v", output="v2")],
        "body",
        [helper.make_tensor_value_info(n, t, []) for n, t in (("i", TensorProto.INT64), ("c", TensorProto.BOOL), ("v", 1))],
        [helper.make_tensor_value_info(n, t, []) for n, t in (("c2", TensorProto.BOOL), ("v2", 1))],
    )
    return model_of(
        [helper.make_node("Loop", ["n", "c", "x"], ["y"], body=body)],
        constants=[("n", np.array(2**60)), ("c", np.array(True))],
    )


def nested_ifs(depth):
    """An If inside an If inside an If."""
    graph = helper.make_graph([node("Relu", "x")], "leaf", [], [helper.make_tensor_value_info("y", 1, None)])
    for i in range(depth):
        inner = helper.make_node("If", ["c"], ["y"], then_branch=graph)
        graph = helper.make_graph([inner], f"g{i}", [], [helper.make_tensor_value_info("y", 1, None)])
    return model_of([helper.make_node("If", ["c"], ["y"], then_branch=graph)], constants=[("c", np.array(True))])


def varint(n):
    head = bytes([n & 127 | 128]) if n > 127 else bytes([n])
    return head + varint(n >> 7) if n > 127 else head


def nested_bytes(depth):
    """Graph, node, attribute, graph, node, attribute ..., written as bytes."""
    tags = [bytes([number << 3 | 2]) for number in (6, 5, 1)]  # AttributeProto.g, NodeProto.attribute, GraphProto.node
    parts, length = [], 0
    for level in range(depth):
        head = tags[level % 3] + varint(length)
        parts.append(head)
        length += len(head)
    return b"".join([b"\x3a" + varint(length), *reversed(parts)])  # ModelProto.graph


def doubling(kind, n, **attributes):
    """A constant that is joined to itself n times, then added to the input."""
    names = ["c0", *(f"c{i}" for i in range(1, n + 1))]
    nodes = [node(kind, a, a, output=b, **attributes) for a, b in pairwise(names)]
    return model_of([*nodes, node("Add", "x", names[-1])], constants=[("c0", np.ones(1, np.float32))])


def growing(n):
    """An activation that is joined to itself n times."""
    names = ["x", *(f"c{i}" for i in range(n))]
    nodes = [node("Concat", a, a, output=b, axis=1) for a, b in pairwise(names)]
    return model_of([*nodes, node("Relu", names[-1])])


def reused(kind, n, weight):
    """One weight that is used n times, each time as a copy."""
    if kind == "Gemm":
        names = ["x", *(f"a{i}" for i in range(n - 1)), "y"]
        return model_of(
            [node(kind, a, "w", output=b) for a, b in pairwise(names)], constants=[("w", weight)], shape=("b", len(weight))
        )
    casts = [node(kind, "w", output=f"a{i}", to=1) for i in range(n)]
    used = node("Sum", *(f"a{i}" for i in range(n)), output="s")
    return model_of([*casts, used, node("Gemm", "x", "s")], constants=[("w", weight)], shape=("b", len(weight)))


def slices(n, size, stop=1):
    """Many slices of one large tensor."""
    constants = [(k, np.array([v])) for k, v in (("from", 0), ("to", stop), ("axis", 1))]
    nodes = [node("Slice", "x", "from", "to", "axis", output=f"a{i}") for i in range(n)]
    return model_of([*nodes, node("Sum", *(f"a{i}" for i in range(n)))], constants=constants, shape=("b", size))


def two_opsets(model):
    model.opset_import.add(domain="ai.onnx", version=16)


def sparse(model):
    values = helper.make_tensor("w", TensorProto.FLOAT, [1], [1.0])
    indices = helper.make_tensor("i", TensorProto.INT64, [1], [0])
    model.graph.sparse_initializer.append(helper.make_sparse_tensor(values, indices, [2**40]))


def reference(model):
    model.graph.node[0].attribute.add(name="alpha", type=AttributeProto.FLOAT, ref_attr_name="outer")


def constant(kind, **attributes):
    return node("Constant", output="c", **attributes), node(kind, "x", "c")


HUGE = ("s", np.array([2**20, 2**20]))
TENSOR = helper.make_tensor("v", TensorProto.FLOAT, [1], [0.0])

ATTACKS = {
    "empty.onnx": (lambda: b"", "opset none"),
    "noise.onnx": (lambda: np.random.default_rng(0).bytes(4096), "not an ONNX file"),
    "text.onnx": (lambda: b"not a model at all, just text" * 10, "not an ONNX file"),
    "truncated.onnx": (lambda: gemm(("w", np.ones((6, 600), np.float32)))[:-700], "not an ONNX file"),
    "external-relative.onnx": (lambda: gemm(external("../../../../../../etc/passwd")), "another file"),
    "external-absolute.onnx": (lambda: gemm(external("/etc/passwd", offset="0", length="144")), "another file"),
    "external-symlink.onnx": (lambda: gemm(external("link-to-passwd")), "another file"),
    "external-without-a-location.onnx": (lambda: gemm(external("", length="9" * 100)), "another file"),
    "external-in-disguise.onnx": (
        lambda: gemm(raw([6, 6], bytes(144), external_data=[{"key": "location", "value": "/etc/passwd"}])),
        "another file",
    ),
    "external-attribute.onnx": (lambda: model_of(constant("Add", value=external("/etc/passwd"))), "another file"),
    "100000-nodes.onnx": (lambda: model_of([node("Relu", "x", output=f"a{i}") for i in range(100_000)]), "the limit is"),
    "30000-weights.onnx": (
        lambda: model_of([node("Relu", "x")], constants=[(f"w{i}", np.ones(1)) for i in range(30_000)]),
        "the limit is",
    ),
    "cyclic.onnx": (
        lambda: model_of([node("Add", "x", "b", output="a"), node("Relu", "a", output="b"), node("Relu", "b")]),
        "cyclic",
    ),
    "out-of-order.onnx": (lambda: model_of([node("Relu", "a"), node("Relu", "x", output="a")]), "cyclic"),
    "reads-itself.onnx": (lambda: model_of([node("Add", "x", "y")]), "cyclic"),
    "name-twice.onnx": (lambda: model_of([node("Relu", "x"), node("Neg", "x")]), "two tensors"),
    "overwrites-the-input.onnx": (lambda: model_of([node("Relu", "x", output="x"), node("Relu", "x")]), "two tensors"),
    "dims-negative.onnx": (lambda: gemm(raw([-6, -6], bytes(144))), "negative"),
    "dims-huge.onnx": (lambda: gemm(raw([2**40, 2**40], bytes(144))), "declares"),
    "dims-overflowing-to-zero.onnx": (lambda: gemm(raw([2**32, 2**32], b"")), "declares"),
    "dims-of-100000-axes.onnx": (lambda: gemm(raw([1] * 100_000, bytes(4))), "axes"),
    "bytes-too-few.onnx": (lambda: gemm(raw([6, 6], bytes(143))), "declares 36 entries and holds"),
    "bytes-too-many.onnx": (lambda: gemm(raw([6, 6], bytes(148))), "declares 36 entries and holds"),
    "values-too-few.onnx": (lambda: gemm(TensorProto(name="w", data_type=1, dims=[6, 6], float_data=[1.0])), "holds 1"),
    "dtype-string.onnx": (lambda: gemm(TensorProto(name="w", data_type=8, dims=[1], string_data=[b"x"])), "data type 8"),
    "dtype-unknown.onnx": (lambda: gemm(raw([6, 6], bytes(144), data_type=77)), "data type 77"),
    "dtype-complex.onnx": (lambda: gemm(raw([6, 3], bytes(144), data_type=TensorProto.COMPLEX64)), "data type 14"),
    "sparse.onnx": (lambda: model_of([node("Relu", "x")], change=sparse), "sparse"),
    "opset-9999.onnx": (lambda: model_of([node("Relu", "x")], opset=9999), "opset 9999"),
    "opset-zero.onnx": (lambda: model_of([node("Relu", "x")], opset=0), "opset 0"),
    "opset-missing.onnx": (lambda: model_of([node("Relu", "x")], opset=None), "opset none"),
    "opset-twice.onnx": (lambda: model_of([node("Relu", "x")], change=two_opsets), "opset 17, 16"),
    "custom-domain.onnx": (lambda: model_of([node("Relu", "x", domain="evil")]), "custom domain"),
    "loop-bomb.onnx": (lambda: loop(), "graph of its own"),
    "if-nested.onnx": (lambda: nested_ifs(12), "graph of its own"),
    "if-nested-deeply.onnx": (lambda: nested_bytes(21_000), "not an ONNX file"),
    "attribute-reference.onnx": (lambda: model_of([node("LeakyRelu", "x")], change=reference), "no value"),
    "input-huge.onnx": (lambda: model_of([node("Relu", "x")], shape=("batch", 2**40)), "the limit is"),
    "input-of-100-axes.onnx": (lambda: model_of([node("Relu", "x")], shape=("batch", *[1] * 100)), "fixed positive sizes"),
    "constant-of-shape-bomb.onnx": (
        lambda: model_of([node("ConstantOfShape", "s", output="c", value=TENSOR), node("Add", "x", "c")], constants=[HUGE]),
        "the limit is",
    ),
    "constant-of-shape-negative.onnx": (
        lambda: model_of([node("ConstantOfShape", "s", output="c"), node("Add", "x", "c")], constants=[("s", np.array([-5]))]),
        "negative",
    ),
    "expand-bomb.onnx": (
        lambda: model_of([node("Expand", "x", "s")], constants=[("s", np.array([1, 2**40, 6]))], shape=("b", 1, 6)),
        "the limit is",
    ),
    "expand-constant-bomb.onnx": (
        lambda: model_of([node("Expand", "w", "s", output="c"), node("Add", "x", "c")], constants=[("w", np.ones((1, 1))), HUGE]),
        "the limit is",
    ),
    "tile-bomb.onnx": (lambda: model_of([node("Tile", "x", "s")], constants=[("s", np.array([1, 2**50]))]), "the limit is"),
    "pad-bomb.onnx": (lambda: model_of([node("Pad", "x", "s")], constants=[("s", np.array([0, 2**50, 0, 0]))]), "the limit is"),
    "gather-bomb.onnx": (
        lambda: model_of(
            [node("Gather", "x", "i", axis=1)], constants=[("i", np.zeros((2000, 900), np.int64))], shape=("b", 1, 900)
        ),
        "the limit is",
    ),
    "outer-sum-bomb.onnx": (
        lambda: model_of(
            [node("Add", "a", "b", output="c"), node("Add", "x", "c")],
            constants=[("a", np.ones((9000, 1))), ("b", np.ones(9000))],
        ),
        "the limit is",
    ),
    "concat-constant-bomb.onnx": (lambda: doubling("Concat", 60, axis=0), "the limit is"),
    "concat-bomb.onnx": (lambda: growing(60), "the limit is"),
    "weight-used-15000-times.onnx": (lambda: reused("Gemm", 15_000, np.ones((100, 100), np.float32)), "the limit is"),
    "weight-cast-15000-times.onnx": (lambda: reused("Cast", 15_000, np.ones((100, 100), np.float32)), "the limit is"),
    "large-slices-of-a-large-input.onnx": (lambda: slices(1_000, 2**23, stop=2**20), "the limit is"),
    "pool-kernel-bomb.onnx": (
        lambda: model_of([node("MaxPool", "x", kernel_shape=[2**30], pads=[2**30 - 1] * 2)], shape=("b", 1, 9)),
        "the limit is",
    ),
    "average-kernel-bomb.onnx": (
        lambda: model_of([node("AveragePool", "x", kernel_shape=[2**40], pads=[2**40 - 1] * 2)], shape=("b", 1, 9)),
        "the limit is",
    ),
    "average-pool-of-a-long-input.onnx": (
        lambda: model_of([node("AveragePool", "x", kernel_shape=[3])], shape=("b", 1, 2**26)),
        "the limit is",
    ),
    "pool-stride-zero.onnx": (
        lambda: model_of([node("MaxPool", "x", kernel_shape=[2], strides=[0])], shape=("b", 1, 9)),
        "does not fit",
    ),
    "pool-kernel-negative.onnx": (lambda: model_of([node("MaxPool", "x", kernel_shape=[-2])], shape=("b", 1, 9)), "does not fit"),
    "pool-without-kernel.onnx": (lambda: model_of([node("MaxPool", "x")], shape=("b", 1, 9)), "pool"),
    "conv-stride-zero.onnx": (
        lambda: model_of(
            [node("Conv", "x", "w", strides=[0])], constants=[("w", np.ones((1, 1, 3), np.float32))], shape=("b", 1, 9)
        ),
        "no convolution",
    ),
    "conv-pads-bomb.onnx": (
        lambda: model_of(
            [node("Conv", "x", "w", pads=[2**40, 2**40])], constants=[("w", np.ones((1, 1, 3), np.float32))], shape=("b", 1, 9)
        ),
        "the limit is",
    ),
    "conv-groups-zero.onnx": (
        lambda: model_of([node("Conv", "x", "w", group=0)], constants=[("w", np.ones((1, 1, 3), np.float32))], shape=("b", 1, 9)),
        "no convolution",
    ),
    "conv-of-four-axes.onnx": (
        lambda: model_of(
            [node("Conv", "x", "w")], constants=[("w", np.ones((1, 1, 1, 1, 1, 1), np.float32))], shape=("b", 1, 2, 2, 2, 2)
        ),
        "one and two are known",
    ),
    "reshape-bomb.onnx": (lambda: model_of([node("Reshape", "x", "s")], constants=[HUGE]), "mixes the batch"),
    "reshape-by-text.onnx": (lambda: model_of([node("Reshape", "x", "x")]), "depend on the input"),
    "squeeze-wrong.onnx": (lambda: model_of([node("Squeeze", "x", "s")], constants=[("s", np.array([99]))]), "does not exist"),
    "slice-step-zero.onnx": (
        lambda: model_of(
            [node("Slice", "x", "a", "a", "b", "z")], constants=[(n, np.array([v])) for n, v in (("a", 0), ("b", 1), ("z", 0))]
        ),
        "no sense",
    ),
    "division-by-zero.onnx": (
        lambda: model_of(
            [node("Div", "a", "b", output="c"), node("Add", "x", "c")], constants=[("a", np.array([1])), ("b", np.array([0]))]
        ),
        "divides by zero",
    ),
    "no-inputs.onnx": (lambda: model_of([node("Relu")]), "constants|no sense"),
    "no-nodes.onnx": (lambda: model_of([]), "outputs"),
    "name-with-escapes.onnx": (lambda: model_of([node("Softmax", "x", name="\x1b[2J<script>\u202e")]), "Softmax"),
}
