"""Hostile ``.safetensors`` and pickle files, by name: what each contains and the words its refusal must have."""

import io
import json
import pickle
import struct
import zipfile

import numpy as np


def pack(header, data=b"", *, length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def tensor(dtype, shape, start, stop):
    return {"dtype": dtype, "shape": shape, "data_offsets": [start, stop]}


def graph(*nodes, **more):
    """A graph in the metadata; an input with two entries comes first."""
    first = {"kind": "input", "name": "input", "inputs": [], "settings": {"shape": [2]}, "arrays": []}
    return {"plica": json.dumps({"schema": 1, "name": "", "nodes": [first, *nodes], **more})}


def record(kind, inputs=(0,), arrays=(), name="evil", **settings):
    return {"kind": kind, "name": name, "inputs": list(inputs), "settings": settings, "arrays": list(arrays)}


def with_node(kind, *, arrays=None, **settings):
    """A file whose graph has one node after the input."""
    arrays = {k: np.asarray(v) for k, v in (arrays or {}).items()}
    header, data = {"__metadata__": graph(record(kind, arrays=sorted(arrays), **settings))}, b""
    for label, array in arrays.items():
        raw = array.astype(np.float64 if array.dtype.kind == "f" else np.int64).tobytes()
        header[f"1.{label}"] = tensor(
            "F64" if array.dtype.kind == "f" else "I64", list(array.shape), len(data), len(data) + len(raw)
        )
        data += raw
    return pack(header, data)


def with_tensors(entries, data, nodes=()):
    return pack({"__metadata__": graph(*nodes), **entries}, data)


class Canary:
    """Unpickling this writes a file."""

    def __reduce__(self):
        return (open, ("canary.txt", "w"))


def zip_bomb():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data.pkl", b"\0" * 50_000_000)
        archive.writestr("../outside.txt", b"escaped")
    return buffer.getvalue()


LINEAR = record("linear", arrays=["weight"])
EYE = np.eye(2).tobytes()
DOUBLING = [record("concat", inputs=[i, i], axis=0, name=f"c{i}") for i in range(60)]

ATTACKS = {
    "empty.safetensors": (lambda: b"", "header"),
    "seven-bytes.safetensors": (lambda: b"\1\0\0\0\0\0\0", "header"),
    "header-length-2-to-63.safetensors": (lambda: pack(b"{}", length=2**63), "its header claims"),
    "header-length-all-ones.safetensors": (lambda: pack(b"{}", length=2**64 - 1), "its header claims"),
    "header-longer-than-file.safetensors": (lambda: pack(b"{}", length=3), "its header claims"),
    "header-of-five-megabytes.safetensors": (lambda: pack(b"[" + b"1," * 2_500_000 + b"1]"), "its header claims"),
    "header-of-many-lists.safetensors": (lambda: pack(b"[" + b"[]," * 1_300_000 + b"1]"), "lists and objects"),
    "ten-million-tensors.safetensors": (lambda: pack(b"{" + b'"a":{},' * 500_000 + b'"b":{}}'), "lists and objects"),
    "header-of-many-keys.safetensors": (
        lambda: pack(b"{" + b",".join(b'"%x":1' % i for i in range(350_000)) + b"}"),
        "no graph",
    ),
    "header-of-many-numbers.safetensors": (lambda: pack(b"[" + b"999," * 1_040_000 + b"1]"), "no graph"),
    "header-not-utf8.safetensors": (lambda: pack(b'{"\xff\xfe": 1}'), "JSON"),
    "header-not-an-object.safetensors": (lambda: pack(b"[]"), "no graph"),
    "header-truncated.safetensors": (lambda: pack(b'{"__metadata__": {'), "JSON"),
    "header-depth-100000.safetensors": (lambda: pack(b"[" * 100_000 + b"]" * 100_000), "JSON"),
    "header-with-a-key-twice.safetensors": (lambda: pack(b'{"__metadata__": {}, "__metadata__": {}}'), "twice"),
    "header-with-nan.safetensors": (lambda: pack(b'{"__metadata__": NaN}'), "NaN"),
    "metadata-not-strings.safetensors": (lambda: pack({"__metadata__": {"plica": 1}}), "no graph"),
    "graph-depth-100000.safetensors": (lambda: pack({"__metadata__": {"plica": "[" * 100_000 + "]" * 100_000}}), "JSON"),
    "graph-with-a-long-number.safetensors": (lambda: pack({"__metadata__": {"plica": "9" * 1_000_000}}), "JSON"),
    "graph-with-a-key-twice.safetensors": (lambda: pack({"__metadata__": {"plica": '{"schema": 1, "schema": 1}'}}), "twice"),
    "graph-with-infinity.safetensors": (lambda: pack({"__metadata__": {"plica": '{"schema": Infinity}'}}), "Infinity"),
    "graph-a-number.safetensors": (lambda: pack({"__metadata__": {"plica": "7"}}), "schema"),
    "graph-of-schema-true.safetensors": (lambda: pack({"__metadata__": {"plica": '{"schema": "1"}'}}), "schema"),
    "graph-without-nodes.safetensors": (
        lambda: pack({"__metadata__": {"plica": '{"schema": 1, "name": "", "nodes": []}'}}),
        "nodes",
    ),
    "graph-of-null-nodes.safetensors": (
        lambda: pack({"__metadata__": {"plica": '{"schema": 1, "name": "", "nodes": [null]}'}}),
        "input",
    ),
    "graph-of-30000-nodes.safetensors": (lambda: pack({"__metadata__": graph(*[record("add")] * 30_000)}), "nodes"),
    "tensors-overlap.safetensors": (
        lambda: with_tensors({"1.weight": tensor("F64", [2, 2], 0, 32), "1.bias": tensor("F64", [2], 16, 32)}, EYE, [LINEAR]),
        "does not lie where",
    ),
    "tensor-beyond-the-end.safetensors": (
        lambda: with_tensors({"1.weight": tensor("F64", [4, 2], 0, 64)}, EYE, [LINEAR]),
        "does not lie where",
    ),
    "tensor-shorter-than-its-shape.safetensors": (
        lambda: with_tensors({"1.weight": tensor("F64", [4, 2], 0, 32)}, EYE, [LINEAR]),
        "does not lie",
    ),
    "tensor-with-a-hole.safetensors": (
        lambda: with_tensors({"1.weight": tensor("F64", [1, 2], 16, 32)}, EYE, [LINEAR]),
        "does not lie where",
    ),
    "offsets-overflow.safetensors": (
        lambda: with_tensors({"1.weight": tensor("F64", [2, 2], 2**64, 2**64 + 32)}, EYE, [LINEAR]),
        "not an integer",
    ),
    "offsets-negative.safetensors": (
        lambda: with_tensors({"1.weight": tensor("F64", [2, 2], -32, 0)}, EYE, [LINEAR]),
        "not an integer",
    ),
    "offsets-three.safetensors": (
        lambda: with_tensors({"1.weight": {"dtype": "F64", "shape": [2, 2], "data_offsets": [0, 32, 64]}}, EYE, [LINEAR]),
        "does not lie where",
    ),
    "shape-huge.safetensors": (
        lambda: with_tensors({"1.weight": tensor("F64", [2**40, 2**40], 0, 32)}, EYE, [LINEAR]),
        "beyond the limits",
    ),
    "shape-negative.safetensors": (
        lambda: with_tensors({"1.weight": tensor("F64", [-2, -2], 0, 32)}, EYE, [LINEAR]),
        "not an integer",
    ),
    "shape-of-100000-axes.safetensors": (
        lambda: with_tensors({"1.weight": tensor("F64", [1] * 100_000, 0, 8)}, EYE[:8], [LINEAR]),
        "axes",
    ),
    "shape-of-booleans.safetensors": (
        lambda: with_tensors({"1.weight": tensor("F64", [True, 4], 0, 32)}, EYE, [LINEAR]),
        "not an integer",
    ),
    "shape-of-floats.safetensors": (
        lambda: with_tensors({"1.weight": tensor("F64", [2.0, 2], 0, 32)}, EYE, [LINEAR]),
        "not an integer",
    ),
    "dtype-wrong.safetensors": (lambda: with_tensors({"1.weight": tensor("F16", [2, 8], 0, 32)}, EYE, [LINEAR]), "expected F64"),
    "dtype-a-list.safetensors": (
        lambda: with_tensors({"1.weight": tensor(["F64"], [2, 2], 0, 32)}, EYE, [LINEAR]),
        "expected F64",
    ),
    "weights-of-integers.safetensors": (
        lambda: with_tensors({"1.weight": tensor("I64", [2, 2], 0, 32)}, EYE, [LINEAR]),
        "misses its weight",
    ),
    "weights-missing.safetensors": (lambda: with_tensors({}, b"", [LINEAR]), "misses its weight"),
    "weights-too-many.safetensors": (lambda: with_tensors({"7.x": tensor("F64", [2, 2], 0, 32)}, EYE), "no layer uses"),
    "bytes-too-many.safetensors": (
        lambda: with_tensors({"1.weight": tensor("F64", [2, 2], 0, 32)}, EYE + b"tail", [LINEAR]),
        "belong to no",
    ),
    "weights-nan.safetensors": (lambda: with_node("linear", arrays={"weight": [[np.nan, 1.0]]}), "is nan at index"),
    "weights-infinite.safetensors": (lambda: with_node("scale", arrays={"factor": [1.0, -np.inf]}), "is -inf at index"),
    "input-huge.safetensors": (
        lambda: pack(
            {
                "__metadata__": {
                    "plica": json.dumps({"schema": 1, "name": "", "nodes": [record("input", inputs=(), shape=[2**50])]})
                }
            }
        ),
        "beyond the limits",
    ),
    "input-missing.safetensors": (
        lambda: pack({"__metadata__": {"plica": json.dumps({"schema": 1, "name": "", "nodes": [record("reshape", shape=[2])]})}}),
        "not an input",
    ),
    "node-reads-itself.safetensors": (lambda: pack({"__metadata__": graph(record("add", inputs=[1]))}), "not before it"),
    "node-reads-later.safetensors": (
        lambda: pack({"__metadata__": graph(record("add", inputs=[2]), record("add", inputs=[1]))}),
        "not before it",
    ),
    "node-reads-nothing.safetensors": (lambda: pack({"__metadata__": graph(record("add", inputs=[]))}), "not before it"),
    "node-of-unknown-kind.safetensors": (lambda: with_node("__import__"), "unknown kind"),
    "node-of-kind-list.safetensors": (lambda: pack({"__metadata__": graph({**record("add"), "kind": ["add"]})}), "unknown kind"),
    "node-without-settings.safetensors": (lambda: with_node("reshape"), "wrong settings"),
    "node-with-more-settings.safetensors": (lambda: with_node("reshape", shape=[2], linear=1), "wrong settings"),
    "node-with-wrong-arrays.safetensors": (lambda: with_node("add", arrays={"weight": [1.0]}), "wrong arrays"),
    "node-with-arrays-unhashable.safetensors": (
        lambda: pack({"__metadata__": graph({**record("linear"), "arrays": [["weight"]]})}),
        "wrong arrays",
    ),
    "node-second-input.safetensors": (lambda: with_node("input", shape=[2]), "unknown kind"),
    "reshape-bomb.safetensors": (lambda: with_node("reshape", shape=[2**30, 2**30]), "beyond the limits"),
    "reshape-to-zero.safetensors": (lambda: with_node("reshape", shape=[0, 2]), "not an integer"),
    "pad-bomb.safetensors": (lambda: with_node("pad", padding=[[2**50, 0]]), "beyond the limits"),
    "pad-negative.safetensors": (lambda: with_node("pad", padding=[[-1, 0]]), "not an integer"),
    "pad-of-no-axes.safetensors": (lambda: with_node("pad", padding=[]), "fit"),
    "concat-bomb.safetensors": (lambda: pack({"__metadata__": graph(*DOUBLING)}), "beyond the limits"),
    "concat-axis.safetensors": (lambda: with_node("concat", axis=2**52), "does not exist"),
    "gather-out-of-range.safetensors": (lambda: with_node("gather", arrays={"indices": [0, 2]}), "leave a tensor"),
    "gather-negative.safetensors": (lambda: with_node("gather", arrays={"indices": [-1]}), "leave a tensor"),
    "max-out-of-range.safetensors": (lambda: with_node("max", arrays={"groups": [[0, 2**40]]}), "leave a tensor"),
    "window-sum-backwards.safetensors": (lambda: with_node("window-sum", axis=0, starts=[1], stops=[0]), "leaves a tensor"),
    "window-sum-axis.safetensors": (lambda: with_node("window-sum", axis=5, starts=[0], stops=[1]), "do not fit"),
    "permute-wrong.safetensors": (lambda: with_node("permute", axes=[0, 0]), "do not permute"),
    "conv-stride-zero.safetensors": (
        lambda: with_node("conv", arrays={"weight": np.ones((1, 1, 1))}, stride=[0], padding=[[0, 0]], dilation=[1], groups=1),
        "not an integer",
    ),
    "conv-groups.safetensors": (
        lambda: with_node("conv", arrays={"weight": np.ones((3, 1, 1))}, stride=[1], padding=[[0, 0]], dilation=[1], groups=2),
        "does not fit",
    ),
    "conv-of-no-axes.safetensors": (
        lambda: with_node("conv", arrays={"weight": np.ones((2, 2))}, stride=[], padding=[], dilation=[], groups=1),
        "does not fit",
    ),
    "linear-of-three-axes.safetensors": (
        lambda: with_node("linear", arrays={"weight": np.ones((2, 2, 2))}),
        r"shape \(2, 2, 2\)",
    ),
    "clip-upside-down.safetensors": (lambda: with_node("clip", low=1.0, high=-1.0), "low < high"),
    "clip-of-text.safetensors": (lambda: with_node("clip", low="0", high=1.0), "finite number"),
    "name-with-escapes.safetensors": (lambda: with_node("\x1b[31m<script>\u202e"), "unknown kind"),
    "pickle-in-disguise.safetensors": (lambda: pickle.dumps(Canary()), "header"),
    "zip-in-disguise.safetensors": (lambda: zip_bomb(), "header"),
    "pickle.pt": (lambda: pickle.dumps(Canary()), "never unpickles"),
    "pickle.pkl": (lambda: pickle.dumps(Canary()), "never unpickles"),
    "zip-bomb.pth": (lambda: zip_bomb(), "never unpickles"),
    "zip-bomb.npz": (lambda: zip_bomb(), "no known kind"),
}
