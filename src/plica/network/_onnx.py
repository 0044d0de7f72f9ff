"""From an ONNX file to a Network. The file is data: no external files, no custom operators, sizes checked first."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput, InvalidNetwork, MissingExtra, UnsupportedLayer
from plica.network._files import MAX_FILE_BYTES, MAX_NODES, MAX_RANK, read_bytes
from plica.network._lowering import CURVED, SMOOTH, CannotLower, Lowering, Unavailable, Wire
from plica.network._network import Network
from plica.network._onnx_sparse import from_sparse

if TYPE_CHECKING:
    import onnx
    from numpy.typing import ArrayLike

OLDEST_OPSET = 7
MAX_TENSORS = 20_000
MAX_ENTRIES = 2**27
"""Entries of any activation."""
MAX_STORED = 2**23
"""Entries of all index tables together (VGG-16 on 224 x 224 images needs three quarters)."""
REUSE = 4
"""How often the weights of a file may be used, on average."""


def from_onnx(
    path: str | os.PathLike[str],
    *,
    input: str | None = None,
    fixed: Mapping[str, ArrayLike] | None = None,
    output: str | None = None,
    max_bytes: int = MAX_FILE_BYTES,
) -> Network:
    """Read a network from an ONNX file; float32 weights are converted exactly.

    The first axis of the input is the batch; a model whose operations make no sense with one is read as a function of one
    tensor, if all its sizes are fixed. Weights must be inside the file.

    Parameters
    ----------
    path
        The ``.onnx`` file, possibly compressed as ``.onnx.gz``.
    input
        Which input varies, where the model has several.
    fixed
        Values of the other inputs by name, with or without a batch axis of one.
    output
        Which output is wanted, where the model has several; or the name of any tensor inside, to cut the model there.
    max_bytes
        Larger files are refused before they are read, and larger contents of compressed files before they are unpacked.

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
            return _read(model, _Choice(input, dict(fixed or {}), output))
    except InvalidNetwork as error:
        raise InvalidNetwork(f"{path.name!r}: {error.message}", hint=error.hint) from None


@dataclass(frozen=True)
class _Choice:
    """Which function of a model is wanted."""

    input: str | None
    fixed: dict[str, ArrayLike]
    output: str | None


def _read(model: onnx.ModelProto, choice: _Choice) -> Network:
    """With a batch axis; where that fails and all sizes are known, without."""
    _check_model(model)
    try:
        return _Reader(model.graph, choice, batched=True).network()
    except (UnsupportedLayer, InvalidNetwork) as error:
        try:
            return _Reader(model.graph, choice, batched=False).network()
        except (UnsupportedLayer, InvalidNetwork) as second:
            raise (second if isinstance(error, _NoBatch) else error) from None


class _NoBatch(InvalidNetwork):
    """The input cannot have a batch axis."""


class _Reader:
    """Walks the nodes of a model in order."""

    def __init__(self, graph: onnx.GraphProto, choice: _Choice, *, batched: bool) -> None:
        self.graph, self.choice, self.batched = graph, choice, batched
        self.values: dict[str, Wire | Array | Unavailable | None] = {"": None}
        for tensor in self.graph.initializer:
            self._define(tensor.name, to_array(tensor))
        for sparse in self.graph.sparse_initializer:
            self._define(sparse.values.name, from_sparse(sparse, max_entries=MAX_ENTRIES))
        variable, others = self._inputs()
        shape, self.batch = self._input_shape(variable)
        n_weights = sum(v.size for v in self.values.values() if isinstance(v, np.ndarray))
        limits = {"max_entries": MAX_ENTRIES, "max_stored": MAX_STORED + REUSE * n_weights}
        self.low = Lowering(shape, name=_text(self.graph.name), **limits)
        self.low.batched = batched
        self.low.batch = self.batch or self.low.batch
        self._define(variable.name, self.low.input)
        for other in others:
            self._define(other.name, self._fixed(other))

    def network(self) -> Network:
        wanted = self._wanted()
        for i, node in self._needed(wanted):
            kind = _text(node.op_type)
            name = self.low.name = _text(node.name or (node.output[0] if node.output else ""))
            try:
                results = self._results(node)
            except CannotLower as reason:
                raise _refusal(i, name, kind, str(reason), next(iter(node.input), "")) from None
            for output, value in zip(node.output, results, strict=False):
                if output:
                    self._define(output, value)
        result = self.values.get(wanted)
        if not isinstance(result, Wire):
            raise InvalidNetwork(f"the output {wanted!r} does not depend on the input.")
        return self.low.build(result)

    def _wanted(self) -> str:
        outputs = [o.name for o in self.graph.output]
        made = {name for node in self.graph.node for name in node.output}
        if self.choice.output is not None:
            if self.choice.output not in made:
                raise InvalidInput(f"the model makes no tensor {self.choice.output!r}.", hint=f"its outputs are {_list(outputs)}")
            return self.choice.output
        if len(outputs) != 1 or outputs[0] not in made:
            raise InvalidNetwork(
                f"the model has {len(outputs)} outputs, expected one.",
                hint=f"choose one of {_list(outputs)}: plica.load(path, output=...)" if outputs else "",
            )
        return outputs[0]

    def _needed(self, wanted: str) -> list[tuple[int, onnx.NodeProto]]:
        """The nodes that the wanted tensor depends on, with their numbers."""
        names, found = {wanted}, []
        for i, node in reversed(list(enumerate(self.graph.node))):
            if not names.isdisjoint(node.output):
                names.update(node.input)
                found.append((i, node))
        return found[::-1]

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
        except (ValueError, TypeError, IndexError, KeyError, AttributeError, OverflowError, ZeroDivisionError) as error:
            raise InvalidNetwork(f"layer {self.low.name!r} ({node.op_type}) has arguments that make no sense: {error}.") from None
        return result if isinstance(result, tuple) else (result,)

    def _define(self, name: str, value: Any) -> None:
        if name in self.values:
            raise InvalidNetwork(f"the name {name!r} is given to two tensors.")
        self.values[name] = value

    def _inputs(self) -> tuple[onnx.ValueInfoProto, list[onnx.ValueInfoProto]]:
        """The input that varies, and those with fixed values."""
        stored = {t.name for t in self.graph.initializer} | {t.values.name for t in self.graph.sparse_initializer}
        inputs = {i.name: i for i in self.graph.input if i.name not in stored}
        unknown = {self.choice.input, *self.choice.fixed} - {None, *inputs}
        if unknown:
            raise InvalidInput(f"the model has no input {min(map(str, unknown))!r}.", hint=f"its inputs are {_list(inputs)}")
        free = [name for name in inputs if name not in self.choice.fixed]
        if len(free) != 1 or self.choice.input not in (None, free[0]):
            raise InvalidNetwork(
                f"the model has {len(free)} inputs, expected one: {_list(free)}.",
                hint="say which one varies and what the others are: plica.load(path, input=..., fixed={name: values})",
            )
        return inputs[free[0]], [i for name, i in inputs.items() if name != free[0]]

    def _input_shape(self, value: onnx.ValueInfoProto) -> tuple[tuple[int, ...], int]:
        dims = _declared(value)
        shown = tuple("?" if d is None else d for d in dims)
        fixed = dims[1:] if self.batched else dims
        if len(dims) > MAX_RANK or (self.batched and len(dims) < 2) or any(d is None or d < 1 for d in fixed):
            kind = _NoBatch if len(dims) == 1 else InvalidNetwork
            raise kind(
                f"the input has shape {shown}; expected fixed positive sizes, after a batch axis if there is one.",
                hint="export the model with only the batch axis dynamic",
            )
        return tuple(d for d in fixed if d is not None), (dims[0] or 0) if self.batched else 0

    def _fixed(self, value: onnx.ValueInfoProto) -> Array:
        """The constant in the place of an input, with the batch axis that the graph expects."""
        dims = _declared(value)
        try:
            array = np.asarray(self.choice.fixed[value.name], dtype=np.float64)
        except (TypeError, ValueError):
            raise InvalidInput(f"the value of input {value.name!r} is not an array of numbers.") from None
        array = array[None] if array.ndim == len(dims) - 1 else array
        wanted = [1 if self.batched and i == 0 else d for i, d in enumerate(dims)]
        fits = len(dims) == array.ndim and all(d is None or d == n for d, n in zip(wanted, array.shape, strict=True))
        if not fits or not np.isfinite(array).all():
            shown = tuple("?" if d is None else d for d in dims)
            raise InvalidInput(f"input {value.name!r} takes finite numbers of shape {shown}, got shape {array.shape}.")
        return array


def _declared(value: onnx.ValueInfoProto) -> list[int | None]:
    declared = value.type.tensor_type
    if declared.elem_type not in _FLOATS:
        raise InvalidNetwork("the input is not a tensor of floating-point numbers.")
    return [d.dim_value if d.HasField("dim_value") else None for d in declared.shape.dim]


def _list(names: Iterable[str]) -> str:
    return ", ".join(repr(_text(n)) for n in itertools.islice(names, 8))


def _text(value: str | bytes) -> str:
    """Strings of a file; protobuf leaves those that are not UTF-8 as bytes."""
    return value if isinstance(value, str) else value.decode("utf-8", "backslashreplace")


def _refusal(i: int, name: str, kind: str, reason: str, before: str) -> UnsupportedLayer:
    if not reason:
        curved = kind.lower().removesuffix("ization") in CURVED | {"layernormal", "lpnormal"}
        reason = ", which is not piecewise linear" if curved else ", which is not an operator Plica knows"
    else:
        reason = f": {reason}"
    hint = f"cut the model before it: plica.load(path, output={_text(before)!r}), or plica.from_torch(model, until=...)"
    if kind.lower() in SMOOTH:
        hint += "; or take a network below and one above it: plica.sandwich(path)"
    return UnsupportedLayer(f"layer {i} ({name!r}) is {kind!r}{reason}.", hint=hint)


def _check_model(model: onnx.ModelProto) -> None:
    """Limits, versions and references to other files, before any array is made."""
    import onnx

    newest = onnx.defs.onnx_opset_version()
    versions = [o.version for o in model.opset_import if o.domain in ("", "ai.onnx")]
    if len(set(versions)) != 1 or not OLDEST_OPSET <= versions[0] <= newest:  # some exporters import one opset twice
        raise InvalidNetwork(
            f"the file declares opset {', '.join(map(str, versions[:5])) or 'none'}, expected {OLDEST_OPSET} to {newest}.",
            hint="export with an opset in that range, or update the package onnx",
        )
    if len(model.graph.node) > MAX_NODES or _n_tensors(model.graph) > MAX_TENSORS:
        raise InvalidNetwork(f"the graph has {len(model.graph.node)} nodes, the limit is {MAX_NODES}.")
    for node in model.graph.node:
        if any(a.type in (a.GRAPH, a.GRAPHS) for a in node.attribute):
            raise UnsupportedLayer(
                f"{node.op_type!r} contains a graph of its own: its code depends on values.",
                hint="export the model without branches and loops",
            )
    sparse = [t for s in model.graph.sparse_initializer for t in (s.values, s.indices)]
    tensors = [
        *model.graph.initializer,
        *sparse,
        *(a.t for node in model.graph.node for a in node.attribute if a.type == a.TENSOR),
    ]
    for tensor in tensors:
        _check_tensor(tensor)


_FLOATS = {1, 10, 11, 16}  # float, float16, double, bfloat16
_SIZES = {1: 4, 2: 1, 3: 1, 4: 2, 5: 2, 6: 4, 7: 8, 9: 1, 10: 2, 11: 8, 12: 4, 13: 8, 16: 2}
_FIELDS = {1: "float_data", 7: "int64_data", 11: "double_data", 12: "uint64_data", 13: "uint64_data"}


def _n_tensors(graph: onnx.GraphProto) -> int:
    return len(graph.initializer) + len(graph.sparse_initializer)


def _check_tensor(tensor: onnx.TensorProto) -> None:
    """The declared shape must be the shape of the bytes that are there."""
    if tensor.data_location == tensor.EXTERNAL or tensor.external_data:
        raise InvalidNetwork(
            f"tensor {tensor.name!r} is stored in another file, which is not read.",
            hint="save the model in one file: torch.onnx.export(..., external_data=False) or, of what is there, "
            "onnx.save_model(onnx.load(path), path, save_as_external_data=False)",
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
