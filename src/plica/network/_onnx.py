"""From an ONNX file to a Network. The file is data: no external files, no custom operators, sizes checked first."""

from __future__ import annotations

import os
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidNetwork, MissingExtra, UnsupportedLayer
from plica.network._files import MAX_FILE_BYTES, MAX_NODES, MAX_RANK, read_bytes
from plica.network._lowering import CURVED, CannotLower, Lowering, Unavailable, Wire
from plica.network._network import Network

if TYPE_CHECKING:
    import onnx

OLDEST_OPSET = 7
MAX_TENSORS = 20_000
MAX_ENTRIES = 2**27
"""Entries of any activation."""
MAX_STORED = 2**23
"""Entries of all index tables together (VGG-16 on 224 x 224 images needs three quarters)."""
REUSE = 4
"""How often the weights of a file may be used, on average."""


def from_onnx(path: str | os.PathLike[str], *, max_bytes: int = MAX_FILE_BYTES) -> Network:
    """Read a network from an ONNX file; float32 weights are converted exactly.

    The model has one input and one output; the first axis of its input is the batch. Weights must be inside the file.

    Parameters
    ----------
    path
        The ``.onnx`` file.
    max_bytes
        Larger files are refused before they are read.

    Raises
    ------
    UnsupportedLayer
        An operator is not piecewise linear, or not known.
    InvalidNetwork
        The file is broken, too large, cyclic, or refers to other files.
    MissingExtra
        The package ``onnx`` is not installed.
    """
    try:
        import onnx
        from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
    except ImportError:
        raise MissingExtra("from_onnx needs the package onnx.", hint="pip install 'plica[onnx]'") from None

    path = Path(path)
    try:
        model = onnx.ModelProto.FromString(read_bytes(path, max_bytes))
    except (DecodeError, ValueError, RecursionError):
        raise InvalidNetwork(f"{path.name!r} is not an ONNX file.") from None
    try:
        with np.errstate(all="ignore"):  # what overflows is infinite, and refused by name when its layer is added
            return _Reader(model).network()
    except InvalidNetwork as error:
        raise InvalidNetwork(f"{path.name!r}: {error.message}", hint=error.hint) from None


class _Reader:
    """Walks the nodes of a model in order."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self.graph = model.graph
        _check_model(model)
        self.values: dict[str, Wire | Array | Unavailable | None] = {"": None}
        for tensor in self.graph.initializer:
            self._define(tensor.name, to_array(tensor))
        shape, self.batch = self._input_shape()
        n_weights = sum(v.size for v in self.values.values() if isinstance(v, np.ndarray))
        limits = {"max_entries": MAX_ENTRIES, "max_stored": MAX_STORED + REUSE * n_weights}
        self.low = Lowering(shape, name=_text(self.graph.name), **limits)
        self.low.batch = self.batch or self.low.batch
        self._define(self._inputs()[0].name, self.low.input)

    def network(self) -> Network:
        for i, node in enumerate(self.graph.node):
            kind = _text(node.op_type)
            name = self.low.name = _text(node.name or (node.output[0] if node.output else ""))
            try:
                results = self._results(node)
            except CannotLower as reason:
                raise _refusal(i, name, kind, str(reason)) from None
            for output, value in zip(node.output, results, strict=False):
                if output:
                    self._define(output, value)
        outputs = [o.name for o in self.graph.output]
        if len(outputs) != 1 or outputs[0] not in self.values:
            raise InvalidNetwork(
                f"the model has {len(outputs)} outputs, expected one.", hint="export a model that returns one tensor"
            )
        result = self.values[outputs[0]]
        if not isinstance(result, Wire):
            raise InvalidNetwork("the output does not depend on the input.")
        return self.low.build(result)

    def _results(self, node: onnx.NodeProto) -> tuple[Any, ...]:
        from plica.network import _onnx_ops as ops

        if node.domain not in ("", "ai.onnx"):
            raise CannotLower(f"it belongs to the custom domain {node.domain!r}")
        inputs = []
        for name in node.input:
            if name not in self.values:
                raise InvalidNetwork(
                    f"layer {self.low.name!r} reads {name!r} before anything has made it.",
                    hint="the graph is cyclic or out of order",
                )
            value = self.values[name]
            if isinstance(value, Unavailable):
                raise CannotLower(value.what)
            inputs.append(value)
        attributes = {_text(a.name): _attribute(a) for a in node.attribute}
        call = ops.Call(_text(node.op_type), attributes, inputs, len(node.output))
        try:
            result = ops.lower(self.low, call)
        except (ValueError, TypeError, IndexError, KeyError, OverflowError, ZeroDivisionError) as error:
            raise InvalidNetwork(f"layer {self.low.name!r} ({node.op_type}) has arguments that make no sense: {error}.") from None
        return result if isinstance(result, tuple) else (result,)

    def _define(self, name: str, value: Any) -> None:
        if name in self.values:
            raise InvalidNetwork(f"the name {name!r} is given to two tensors.")
        self.values[name] = value

    def _inputs(self) -> list[Any]:
        stored = {t.name for t in self.graph.initializer}
        inputs = [i for i in self.graph.input if i.name not in stored]
        if len(inputs) != 1:
            raise InvalidNetwork(
                f"the model has {len(inputs)} inputs, expected one.", hint="export a model that takes one tensor"
            )
        return inputs

    def _input_shape(self) -> tuple[tuple[int, ...], int]:
        declared = self._inputs()[0].type.tensor_type
        if declared.elem_type not in _FLOATS:
            raise InvalidNetwork("the input is not a tensor of floating-point numbers.")
        dims = [d.dim_value if d.HasField("dim_value") else None for d in declared.shape.dim]
        shown = tuple("?" if d is None else d for d in dims)
        if len(dims) < 2 or len(dims) > MAX_RANK or any(d is None or d < 1 for d in dims[1:]):
            raise InvalidNetwork(
                f"the input has shape {shown}; expected a batch axis and then fixed positive sizes.",
                hint="export the model with only the batch axis dynamic",
            )
        return tuple(d for d in dims[1:] if d is not None), dims[0] or 0


def _text(value: str | bytes) -> str:
    """Strings of a file; protobuf leaves those that are not UTF-8 as bytes."""
    return value if isinstance(value, str) else value.decode("utf-8", "backslashreplace")


def _refusal(i: int, name: str, kind: str, reason: str) -> UnsupportedLayer:
    if not reason:
        curved = kind.lower().removesuffix("ization") in CURVED | {"layernormal", "lpnormal"}
        reason = ", which is not piecewise linear" if curved else ", which is not an operator Plica knows"
    else:
        reason = f": {reason}"
    return UnsupportedLayer(
        f"layer {i} ({name!r}) is {kind!r}{reason}.",
        hint="export the part of the model before it, or use plica.from_torch(model, until=...)",
    )


def _check_model(model: onnx.ModelProto) -> None:
    """Limits, versions and references to other files, before any array is made."""
    import onnx

    newest = onnx.defs.onnx_opset_version()
    versions = [o.version for o in model.opset_import if o.domain in ("", "ai.onnx")]
    if len(versions) != 1 or not OLDEST_OPSET <= versions[0] <= newest:
        raise InvalidNetwork(
            f"the file declares opset {', '.join(map(str, versions[:5])) or 'none'}, expected {OLDEST_OPSET} to {newest}.",
            hint="export with an opset in that range, or update the package onnx",
        )
    if len(model.graph.node) > MAX_NODES or len(model.graph.initializer) > MAX_TENSORS:
        raise InvalidNetwork(f"the graph has {len(model.graph.node)} nodes, the limit is {MAX_NODES}.")
    if model.graph.sparse_initializer:
        raise InvalidNetwork("sparse weights are not read.", hint="export them dense")
    for node in model.graph.node:
        if any(a.type in (a.GRAPH, a.GRAPHS) for a in node.attribute):
            raise UnsupportedLayer(
                f"{node.op_type!r} contains a graph of its own: its code depends on values.",
                hint="export the model without branches and loops",
            )
    tensors = [*model.graph.initializer, *(a.t for node in model.graph.node for a in node.attribute if a.type == a.TENSOR)]
    for tensor in tensors:
        _check_tensor(tensor)


_FLOATS = {1, 10, 11, 16}  # float, float16, double, bfloat16
_SIZES = {1: 4, 2: 1, 3: 1, 4: 2, 5: 2, 6: 4, 7: 8, 9: 1, 10: 2, 11: 8, 12: 4, 13: 8, 16: 2}
_FIELDS = {1: "float_data", 7: "int64_data", 11: "double_data", 12: "uint64_data", 13: "uint64_data"}


def _check_tensor(tensor: onnx.TensorProto) -> None:
    """The declared shape must be the shape of the bytes that are there."""
    if tensor.data_location == tensor.EXTERNAL or tensor.external_data:
        raise InvalidNetwork(
            f"tensor {tensor.name!r} is stored in another file, which is not read.",
            hint="save the model in one file: onnx.save_model(model, path, save_as_external_data=False)",
        )
    size = _SIZES.get(tensor.data_type)
    if size is None or tensor.HasField("segment"):
        raise InvalidNetwork(f"tensor {tensor.name!r} is of data type {tensor.data_type}, which is not read.")
    if len(tensor.dims) > MAX_RANK or min(tensor.dims, default=1) < 0:
        raise InvalidNetwork(f"tensor {tensor.name!r} has a shape with {len(tensor.dims)} axes or negative sizes.")
    wanted = prod(tensor.dims)
    if tensor.HasField("raw_data"):
        found = len(tensor.raw_data) / size
    else:
        found = len(getattr(tensor, _FIELDS.get(tensor.data_type, "int32_data")))
    if found != wanted:
        raise InvalidNetwork(f"tensor {tensor.name!r} declares {wanted} entries and holds {found:g}.", hint="the file is damaged")


def to_array(tensor: onnx.TensorProto) -> Array:
    """A checked tensor: floating-point numbers as float64, exactly; everything else as int64."""
    from onnx import numpy_helper

    array = numpy_helper.to_array(tensor)
    return np.array(array, dtype=np.float64 if tensor.data_type in _FLOATS else np.int64)


def _attribute(attribute: onnx.AttributeProto) -> Any:
    if attribute.ref_attr_name or attribute.type == attribute.UNDEFINED:
        raise CannotLower(f"its attribute {attribute.name!r} has no value")
    if attribute.type == attribute.TENSOR:
        return to_array(attribute.t)
    if attribute.type == attribute.STRING:
        return attribute.s.decode("utf-8", "replace")
    simple = {attribute.INT: "i", attribute.FLOAT: "f", attribute.INTS: "ints", attribute.FLOATS: "floats"}
    if attribute.type not in simple:
        raise CannotLower(f"its attribute {attribute.name!r} is of a kind that is not read")
    value = getattr(attribute, simple[attribute.type])
    return list(value) if attribute.type in (attribute.INTS, attribute.FLOATS) else value
