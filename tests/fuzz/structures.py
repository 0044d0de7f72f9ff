"""Changes that keep a file well formed: what only a reader of the contents can notice."""

import gzip
import json
from random import Random

NUMBERS = [0, 1, -1, 2, 3, 7, 255, 65_536, 2**31 - 1, 2**31, 2**40, 2**63 - 1, -(2**63)]
VALUES = [*NUMBERS, 2**64, 10**30, 0.5, -1.0, 1e308, "", "x", "0", None, True, [], {}, [[]], [1, 2], {"a": 1}]


def change_json(value, rng: Random):
    """One entry of a document replaced, removed, doubled or moved."""
    places = []

    def visit(node):
        for key in node if isinstance(node, dict) else range(len(node)):
            places.append((node, key))
            if isinstance(node[key], dict | list):
                visit(node[key])

    if not isinstance(value, dict | list):
        return rng.choice(VALUES)
    visit(value)
    if not places:
        return rng.choice(VALUES)
    for _ in range(rng.choice([1, 1, 2, 4])):
        node, key = rng.choice(places)
        if isinstance(key, int) and key >= len(node):
            continue
        kind = rng.randrange(4)
        if kind == 0:
            node[key] = rng.choice(VALUES)
        elif kind == 1 and isinstance(node, list):
            node.insert(key, node[key])
        elif kind == 1:
            node[f"{key}2"] = node.get(key)
        elif kind == 2 and key in (node if isinstance(node, dict) else range(len(node))):
            del node[key]
        else:
            other, name = rng.choice(places)
            if name in (other if isinstance(other, dict) else range(len(other))) and other is not node:
                node[key] = json.loads(json.dumps(other[name])) if _depth(other[name]) < 50 else 0
    return value


def _depth(value) -> int:
    depth, level = 0, [value]
    while level and depth < 60:
        level = [
            v for node in level if isinstance(node, dict | list) for v in (node.values() if isinstance(node, dict) else node)
        ]
        depth += 1
    return depth


def json_file(data: bytes, rng: Random) -> bytes:
    return json.dumps(change_json(json.loads(data), rng)).encode()


def safetensors_file(data: bytes, rng: Random) -> bytes:
    """The header is JSON, and so are the texts in its metadata."""
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    texts = header.get("__metadata__", {})
    if texts and rng.random() < 0.7:
        key = rng.choice(sorted(texts))
        try:
            texts[key] = json.dumps(change_json(json.loads(texts[key]), rng))
        except ValueError:
            texts[key] = str(rng.choice(VALUES))
    else:
        header = change_json(header, rng)
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data[8 + length :]


def npy_file(data: bytes, rng: Random) -> bytes:
    """Another shape, type or order in a header of the right length."""
    length = int.from_bytes(data[8:10], "little")
    header = data[10 : 10 + length].decode("latin1")
    shapes = ["(3,)", "(2, 3)", "()", "(-1,)", f"({2**40},)", f"({2**62}, {2**62})", "(0,)", "(1, 2, 3, 4)", "3", "None"]
    kinds = ["<f8", ">f8", "<f2", "|O", "<U9", "|S3", "<c16", "|b1", "<i8", "<M8[s]", "|V8", "nonsense"]
    old = header[header.index("'shape': ") + 9 : header.index(")", header.index("'shape': ")) + 1]
    header = header.replace(old, rng.choice(shapes)) if rng.random() < 0.6 else header
    at = header.index("'descr': '") + 10
    header = header[:at] + rng.choice(kinds) + header[header.index("'", at) :] if rng.random() < 0.6 else header
    text = header.encode("latin1")
    return data[:8] + len(text).to_bytes(2, "little") + text + data[10 + length :]


def onnx_file(data: bytes, rng: Random) -> bytes:
    """Operators, attributes, shapes, names and connections of a graph, one or a few at a time."""
    import onnx

    model = onnx.ModelProto.FromString(data)
    for _ in range(rng.choice([1, 1, 2, 3])):
        _change_graph(model, rng)
    try:
        return model.SerializeToString()
    except ValueError:
        return data


def _change_graph(model, rng: Random) -> None:
    from onnx import helper

    graph = model.graph
    names = [t.name for t in graph.initializer] + [o for n in graph.node for o in n.output] + [i.name for i in graph.input]
    kind = rng.randrange(8)
    if kind == 0 and graph.node:
        rng.choice(graph.node).op_type = rng.choice([n.op_type for n in graph.node] + OPERATORS)
    elif kind == 1 and graph.node:
        node = rng.choice(graph.node)
        if node.attribute:
            attribute = rng.choice(node.attribute)
            if attribute.ints:
                attribute.ints[rng.randrange(len(attribute.ints))] = rng.choice(NUMBERS)
            elif attribute.HasField("i"):
                attribute.i = rng.choice(NUMBERS)
            elif attribute.HasField("s"):
                attribute.s = rng.choice([b"", b"linear", b"SAME_UPPER", b"\xff", b"align_corners"])
    elif kind == 2 and graph.node:
        node = rng.choice(graph.node)
        if node.input:
            node.input[rng.randrange(len(node.input))] = rng.choice([*names, ""])
    elif kind == 3 and graph.initializer:
        tensor = rng.choice(graph.initializer)
        if tensor.dims:
            tensor.dims[rng.randrange(len(tensor.dims))] = rng.choice(NUMBERS)
    elif kind == 4 and graph.initializer:
        rng.choice(graph.initializer).data_type = rng.randrange(20)
    elif kind == 5:
        dims = rng.choice(list(graph.input)).type.tensor_type.shape.dim
        if dims:
            dims[rng.randrange(len(dims))].dim_value = rng.choice(NUMBERS)
    elif kind == 6 and graph.node:
        node = rng.choice(graph.node)
        name, value = rng.choice([("axis", 5), ("group", 3), ("strides", [0, 0]), ("pads", [2**40] * 4), ("blocksize", 2)])
        node.attribute.append(helper.make_attribute(name, value))
    elif kind == 7 and graph.node:
        nodes = list(graph.node)
        rng.shuffle(nodes)
        del graph.node[:]
        graph.node.extend(nodes)


OPERATORS = [
    "Conv",
    "ConvTranspose",
    "Resize",
    "Gemm",
    "MatMul",
    "Pad",
    "Slice",
    "Reshape",
    "DepthToSpace",
    "Split",
    "Range",
    "Tile",
]


def packed(change):
    """The contents of a gzip file changed and packed again."""
    return lambda data, rng: gzip.compress(change(gzip.decompress(data), rng), 1)
