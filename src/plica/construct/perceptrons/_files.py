"""Files of perceptrons: safetensors with the activation in the header, and ONNX for other runtimes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from plica._whole import write_whole
from plica.construct.perceptrons._perceptron import ACTIVATIONS, Perceptron
from plica.errors import InvalidInput, InvalidNetwork, MissingExtra

HEADER_KEY = "plica-perceptron"
SCHEMA = 1
OPSET = 17
IR_VERSION = 8
MAX_BYTES = 2**31 - 2**20
#: Operators that runtimes have in float64; softplus is max(t, 0) + log(1 + exp(-|t|)).
OPERATORS: dict[str, tuple[tuple[str, tuple[str, ...], str], ...]] = {
    "sigmoid": (("Sigmoid", ("t",), "a"),),
    "cos": (("Cos", ("t",), "a"),),
    "exp": (("Exp", ("t",), "a"),),
    "step": (("GreaterOrEqual", ("t", "zero"), "is"), ("Cast", ("is",), "a")),
    "softplus": (
        ("Relu", ("t",), "positive"),
        ("Abs", ("t",), "size"),
        ("Neg", ("size",), "minus"),
        ("Exp", ("minus",), "small"),
        ("Add", ("small", "one"), "more"),
        ("Log", ("more",), "rest"),
        ("Add", ("positive", "rest"), "a"),
    ),
}


def save_perceptron(network: Perceptron, path: str | os.PathLike[str]) -> None:
    """Write a perceptron: ``.safetensors`` for :func:`load_perceptron`, or ``.onnx``, both with weights in float64.

    Examples
    --------
    >>> import tempfile
    >>> from plica.construct import multiplication
    >>> path = Path(tempfile.mkdtemp()) / "gate.safetensors"
    >>> save_perceptron(multiplication().network, path)
    >>> load_perceptron(path)
    <Perceptron 'multiplication gate' of softplus units 2 -> 4 -> 1, 12 weights>
    """
    path = Path(path)
    makers = {".safetensors": _tensors, ".onnx": _onnx}
    if path.suffix not in makers:
        raise InvalidInput(f"{path.name!r} does not end in {' or '.join(makers)}.")
    size = 8 * sum(a.size for layer in (*network.hidden, network.output) for a in layer)
    if size > MAX_BYTES:
        raise InvalidNetwork(f"weights of {size:,} bytes do not fit into one file.")
    data = makers[path.suffix](network)
    write_whole(path, data)


def load_perceptron(path: str | os.PathLike[str]) -> Perceptron:
    """Read a perceptron from a ``.safetensors`` file that :func:`save_perceptron` wrote."""
    from safetensors import SafetensorError, safe_open

    path = Path(path)
    try:
        with safe_open(str(path), framework="numpy") as file:
            header = (file.metadata() or {}).get(HEADER_KEY)
            if header is None or len(header) > 4096:
                raise InvalidNetwork(f"{path.name!r} holds no perceptron.", hint="plica.load reads piecewise-linear networks")
            facts = json.loads(header)
            arrays = {key: file.get_tensor(key) for key in file.keys()}
    except (OSError, SafetensorError, json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidNetwork(f"{path.name!r} cannot be read: {error}.") from None
    if not isinstance(facts, dict) or facts.get("schema") != SCHEMA or str(facts.get("activation")) not in ACTIVATIONS:
        raise InvalidNetwork(f"{path.name!r} has a header that is not understood.")
    n = len(arrays) // 2
    if set(arrays) != {f"{k}.{label}" for k in range(n) for label in ("weight", "bias")} or n < 1:
        raise InvalidNetwork(f"{path.name!r} has tensors {sorted(arrays)[:6]}, which are no layers.")
    if any(a.dtype != np.float64 for a in arrays.values()):
        raise InvalidNetwork(f"{path.name!r} has weights that are not float64.")
    layers = [(arrays[f"{k}.weight"], arrays[f"{k}.bias"]) for k in range(n)]
    if layers[0][0].ndim != 2:
        raise InvalidNetwork(f"{path.name!r} has a first layer that is no matrix.")
    n_inputs = facts.get("n_inputs")
    if not isinstance(n_inputs, int) or n_inputs < 1:
        raise InvalidNetwork(f"{path.name!r} has {n_inputs!r} inputs.")
    return Perceptron(n_inputs, tuple(layers[:-1]), layers[-1], facts["activation"], str(facts.get("name", "")))


def _tensors(network: Perceptron) -> bytes:
    from safetensors.numpy import save

    arrays: dict[str, np.ndarray[Any, np.dtype[Any]]] = {}
    for k, (weight, bias) in enumerate((*network.hidden, network.output)):
        arrays |= {f"{k}.weight": np.ascontiguousarray(weight), f"{k}.bias": np.ascontiguousarray(bias)}
    facts = {"schema": SCHEMA, "activation": network.activation, "n_inputs": network.n_inputs, "name": network.name}
    return bytes(save(arrays, metadata={HEADER_KEY: json.dumps(facts)}))


def _onnx(network: Perceptron) -> bytes:
    try:
        import onnx
        from onnx import TensorProto, helper, numpy_helper
    except ImportError:
        raise MissingExtra("writing ONNX needs the package onnx.", hint="pip install 'plica[onnx]'") from None
    nodes: list[Any] = []
    shared = {"zero": np.zeros(1), "one": np.ones(1)}
    used = {name for _, inputs, _ in OPERATORS[network.activation] for name in inputs} & set(shared)
    constants = [numpy_helper.from_array(shared[name], name) for name in sorted(used)] if network.hidden else []
    seen = "input"
    layers = (*network.hidden, network.output)
    for k, (weight, bias) in enumerate(layers):
        constants += [numpy_helper.from_array(np.ascontiguousarray(weight.T), f"w{k}"), numpy_helper.from_array(bias, f"b{k}")]
        last = k == len(layers) - 1
        nodes.append(helper.make_node("MatMul", [seen, f"w{k}"], [f"m{k}"]))
        nodes.append(helper.make_node("Add", [f"m{k}", f"b{k}"], ["output" if last else f"t{k}"]))
        if last:
            break
        for operator, inputs, out in OPERATORS[network.activation]:
            names = [name if name in shared else f"{name}{k}" for name in inputs]
            extra: dict[str, Any] = {"to": TensorProto.DOUBLE} if operator == "Cast" else {}
            nodes.append(helper.make_node(operator, names, [f"{out}{k}"], **extra))
        nodes.append(helper.make_node("Concat", [seen, f"a{k}"], [f"z{k}"], axis=1))
        seen = f"z{k}"
    ends = [
        helper.make_tensor_value_info(name, TensorProto.DOUBLE, ["batch", n])
        for name, n in (("input", network.n_inputs), ("output", network.n_outputs))
    ]
    graph = helper.make_graph(nodes, "plica", ends[:1], ends[1:], constants)
    model = helper.make_model(graph, producer_name="plica", opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    onnx.checker.check_model(model, full_check=True)
    return bytes(model.SerializeToString())
