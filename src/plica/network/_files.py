"""Networks in files: safetensors with the graph as JSON in the header. Files are data; nothing in them is ever run."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Mapping
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._types import Array
from plica._whole import write_whole
from plica.errors import InvalidInput, InvalidNetwork
from plica.network import operations as ops
from plica.network._network import Builder, Network, Node

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

SCHEMA = 1
HEADER_KEY = "plica"
MAX_FILE_BYTES = 512 * 2**20
MAX_HEADER_BYTES = 4 * 2**20
MAX_NODES = 20_000
MAX_BRACKETS = 200_000
"""Lists and objects in a header: each costs more memory than its two characters."""
MAX_RANK = 32
MAX_NUMBER = 1.7976931348623157e308  # an integer beyond it is no float
MAX_ENTRIES = 2**28
"""Entries of any tensor inside a network that comes from a file."""

_PICKLES = frozenset({".pt", ".pth", ".pkl", ".pickle", ".ckpt", ".bin", ".joblib", ".p"})


def save(network: Network, path: str | os.PathLike[str]) -> None:
    """Write a network to a ``.safetensors`` file; :func:`load` gives back the same network, bit for bit.

    Examples
    --------
    >>> import tempfile
    >>> from plica.network import random_network
    >>> path = Path(tempfile.mkdtemp()) / "net.safetensors"
    >>> save(random_network([2, 3, 1], seed=0), path)
    >>> load(path)
    <Network 2 -> 3 -> 1, 3 neurons, ... parameters>
    """
    path = Path(path)
    if not isinstance(network, Network):
        raise InvalidInput(f"save takes a Network, got {type(network).__name__}.", hint="convert a module with plica.from_torch")
    if path.suffix != ".safetensors":
        raise InvalidInput(f"{path.name!r} does not end in .safetensors.", hint="the ending tells load how to read the file")
    write_whole(path, to_bytes(network))


def to_bytes(network: Network) -> bytes:
    """What :func:`save` writes.

    Examples
    --------
    >>> from plica.network import random_network
    >>> from_bytes(to_bytes(random_network([2, 3, 1], seed=0)))
    <Network 2 -> 3 -> 1, 3 neurons, ... parameters>
    """
    from safetensors.numpy import save as written

    tensors: dict[str, Array] = {}
    nodes = []
    for i, node in enumerate(network.nodes):
        for label, array in node.op.arrays().items():
            tensors[f"{i}.{label}"] = np.array(array, dtype=np.float64 if array.dtype.kind == "f" else np.int64, order="C")
        record = {"kind": node.op.kind, "name": node.name, "inputs": list(node.inputs), "settings": node.op.settings()}
        nodes.append({**record, "arrays": sorted(node.op.arrays())})
    graph = json.dumps({"schema": SCHEMA, "name": network.name, "nodes": nodes}, allow_nan=False, default=int)
    data = written(tensors, metadata={HEADER_KEY: graph})
    if len(nodes) > MAX_NODES or int.from_bytes(data[:8], "little") > MAX_HEADER_BYTES:
        raise InvalidNetwork(f"a graph of {len(nodes)} nodes is larger than load would accept.")
    return data


def load(
    path: str | os.PathLike[str],
    *,
    input: str | None = None,
    fixed: Mapping[str, ArrayLike] | None = None,
    output: str | None = None,
    max_bytes: int = MAX_FILE_BYTES,
) -> Network:
    """Read a network from a ``.safetensors`` file written by :func:`save`, or from an ``.onnx`` file; either may end in ``.gz``.

    Weights that Keras, JAX or others wrote to a safetensors file are named by a ``.toml`` file, see :func:`from_names`.

    Parameters
    ----------
    path
        The file. Pickles (``.pt``, ``.pth``, ``.pkl``) are refused: reading one can run any code.
    input, fixed, output
        Which function of an ONNX model with several inputs or outputs is wanted, see :func:`from_onnx`.
    max_bytes
        Larger files are refused before they are read, and larger contents of compressed files before they are unpacked.

    Raises
    ------
    InvalidNetwork
        The file is broken, too large, or not a network.
    """
    path = Path(path)
    suffix = Path(path.stem if path.suffix.lower() == ".gz" else path.name).suffix.lower()
    if suffix == ".onnx":
        from plica.network._onnx import from_onnx

        return from_onnx(path, input=input, fixed=fixed, output=output, max_bytes=max_bytes)
    if suffix in _PICKLES:
        raise InvalidNetwork(
            f"{path.name!r} is a pickle. Plica never unpickles: reading one can run any code.",
            hint="load the weights where you trust them, model.load_state_dict(torch.load(path, weights_only=True)), and "
            "write plica.save(plica.from_torch(model), 'model.safetensors')",
        )
    if suffix not in (".safetensors", ".toml"):
        raise InvalidNetwork(
            f"{path.name!r} is of no known kind.",
            hint="give a .safetensors file written by plica.save, .onnx, possibly compressed (.gz), or .toml",
        )
    if input is not None or fixed is not None or output is not None:
        raise InvalidInput("input, fixed and output are for ONNX models.", hint="a saved network has one input and one output")
    if suffix == ".toml":
        from plica.network._named import from_names

        return from_names(path, max_bytes=max_bytes)
    return from_bytes(read_bytes(path, max_bytes), name=repr(path.name))


def from_bytes(data: bytes, *, name: str = "it") -> Network:
    """The network that :func:`to_bytes` wrote; ``name`` is for errors."""
    try:
        return _network(data)
    except _Broken as why:
        raise InvalidNetwork(f"{name} is not a network file: {why.reason}.", hint=why.hint) from None
    except InvalidNetwork as error:
        raise InvalidNetwork(f"{name}: {error.message}", hint=error.hint) from None


def read_bytes(path: Path, max_bytes: int) -> bytes:
    """The content of a regular file whose size was looked at first; a ``.gz`` file is unpacked within the same limit."""
    try:
        if not path.is_file():
            raise InvalidInput(f"there is no file {str(path)!r}.")
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > max_bytes:
                raise InvalidNetwork(
                    f"{path.name!r} has {size} bytes, the limit is {max_bytes}.", hint="raise the limit with max_bytes=..."
                )
            data = file.read(size)
            return _unpacked(data, path, max_bytes) if path.suffix.lower() == ".gz" else data
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{str(path)!r} cannot be read: {getattr(error, 'strerror', None) or error}.") from None


def _unpacked(data: bytes, path: Path, max_bytes: int) -> bytes:
    unpacker = zlib.decompressobj(wbits=31)  # gzip
    try:
        content = unpacker.decompress(data, max_bytes + 1)
    except zlib.error:
        raise InvalidNetwork(f"{path.name!r} is not a gzip file, or damaged.") from None
    if len(content) > max_bytes:
        raise InvalidNetwork(f"{path.name!r} unpacks to more than {max_bytes} bytes.", hint="raise the limit with max_bytes=...")
    if not unpacker.eof or unpacker.unused_data:
        raise InvalidNetwork(f"{path.name!r} does not end where its gzip data ends.")
    return content


class _Broken(Exception):
    def __init__(self, reason: str, hint: str = "") -> None:
        self.reason, self.hint = reason, hint


def _json(text: bytes | str, what: str) -> Any:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise _Broken(f"{what} has a key twice")
        return found

    def constant(name: str) -> Any:
        raise _Broken(f"{what} contains {name}")

    data = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
    if data.count(b"[") + data.count(b"{") > MAX_BRACKETS:
        raise _Broken(f"{what} has more than {MAX_BRACKETS} lists and objects")
    try:
        return json.loads(text, object_pairs_hook=unique, parse_constant=constant)
    except (ValueError, RecursionError):
        raise _Broken(f"{what} is not valid JSON") from None


def _integer(value: Any, low: int = 0, high: int = 2**53) -> int:
    if type(value) is not int or not low <= value <= high:
        raise _Broken(f"{str(value)[:40]!r} is not an integer from {low} to {high}")
    return value


def _integers(value: Any, low: int = 0) -> tuple[int, ...]:
    if not isinstance(value, list):
        raise _Broken(f"{str(value)[:40]!r} is not a list of integers")
    return tuple(_integer(v, low) for v in value)


def _shape(value: Any, low: int = 1) -> tuple[int, ...]:
    shape = _integers(value, low)
    if len(shape) > MAX_RANK or prod(shape) > MAX_ENTRIES:
        raise _Broken(f"a shape with {len(shape)} axes and {prod(shape)} entries is beyond the limits")
    return shape


def _pairs(value: Any) -> tuple[tuple[int, int], ...]:
    pairs = tuple(_integers(v) for v in value) if isinstance(value, list) else ()
    if not isinstance(value, list) or any(len(p) != 2 for p in pairs):
        raise _Broken(f"{str(value)[:40]!r} is not a list of pairs")
    return tuple((a, b) for a, b in pairs)


def _number(value: Any) -> float:
    if type(value) not in (int, float) or not -MAX_NUMBER <= value <= MAX_NUMBER:
        raise _Broken(f"{str(value)[:40]!r} is not a finite number")
    return float(value)


def _tensors(data: bytes) -> tuple[dict[str, Array], str]:
    """The tensors and the graph of a safetensors file, every size checked against the bytes that are there."""
    length = int.from_bytes(data[:8], "little") if len(data) >= 8 else len(data)
    if length > min(len(data) - 8, MAX_HEADER_BYTES):
        raise _Broken(f"its header claims {length} bytes")
    header = _json(data[8 : 8 + length], "its header")
    metadata = header.pop("__metadata__", None) if isinstance(header, dict) else None
    if not isinstance(header, dict) or not isinstance(metadata, dict) or not isinstance(metadata.get(HEADER_KEY), str):
        raise _Broken(
            "it has no graph",
            "a state dict has weights but no graph: load it into its module, then plica.save(plica.from_torch(model), path)",
        )
    start, place = 8 + length, 0
    spans = []
    for name, entry in header.items():
        if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
            raise _Broken(f"tensor {name!r} is not described")
        spans.append((_integers(entry["data_offsets"]), name, entry["dtype"], _shape(entry["shape"])))
    tensors = {}
    for offsets, name, dtype, shape in sorted(spans):
        if dtype not in ("F64", "I64"):
            raise _Broken(f"tensor {name!r} is {str(dtype)[:20]!r}, expected F64 or I64")
        if offsets != (place, place + 8 * prod(shape)) or start + offsets[1] > len(data):
            raise _Broken(f"tensor {name!r} does not lie where its shape says")
        kind = np.float64 if dtype == "F64" else np.int64
        tensors[name] = np.frombuffer(data, kind, count=prod(shape), offset=start + place).reshape(shape).copy()
        place = offsets[1]
    if start + place != len(data):
        raise _Broken(f"{len(data) - start - place} bytes at its end belong to no tensor")
    return tensors, metadata[HEADER_KEY]


def _network(data: bytes) -> Network:
    tensors, text = _tensors(data)
    graph = _json(text, "its graph")
    if not isinstance(graph, dict) or graph.get("schema") != SCHEMA:
        raise _Broken(f"its graph is not of schema {SCHEMA}", "it may have been written by a newer version of Plica")
    records, name = graph.get("nodes"), graph.get("name")
    if not isinstance(records, list) or not isinstance(name, str) or not 1 <= len(records) <= MAX_NODES:
        raise _Broken(f"its graph has no list of 1 to {MAX_NODES} nodes")
    builder, nodes = Builder(_input_shape(records[0])), []
    for i, record in enumerate(records):
        if not isinstance(record, dict) or not isinstance(label := record.get("name"), str):
            raise _Broken(f"node {i} is not described")
        inputs = _integers(record.get("inputs"))
        op: ops.Op = ops.Input(builder.shape(0)) if i == 0 else _operation(record, tensors, i)
        if i > 0:
            if not inputs or max(inputs) >= i:
                raise _Broken(f"node {i} ({label!r}) takes its input from a node that is not before it")
            try:
                builder.add(op, *inputs, name=label)
            except (ValueError, TypeError, IndexError, OverflowError) as error:
                raise _Broken(f"node {i} ({label!r}) does not fit: {error}") from None
        shape = _shape(list(builder.shape(i)))
        nodes.append(Node(op, inputs, shape, label))
    if tensors:
        raise _Broken(f"no layer uses tensor {min(tensors)!r}")
    return Network(tuple(nodes), name=name)


def _input_shape(record: Any) -> tuple[int, ...]:
    settings = record.get("settings") if isinstance(record, dict) and record.get("kind") == "input" else None
    if not isinstance(settings, dict) or set(settings) != {"shape"} or record.get("inputs") != []:
        raise _Broken("its first node is not an input")
    return _shape(settings["shape"])


_READERS: dict[ops.Stored, Callable[[Any], Any]] = {
    ops.Stored.NUMBER: _number,
    ops.Stored.INTEGER: _integer,
    ops.Stored.POSITIVE: lambda v: _integer(v, 1),
    ops.Stored.INTEGERS: _integers,
    ops.Stored.POSITIVES: lambda v: _integers(v, 1),
    ops.Stored.SHAPE: _shape,
    ops.Stored.PAIRS: _pairs,
}


def _operation(record: dict[str, Any], tensors: dict[str, Array], i: int) -> ops.Op:
    kind, settings, labels = record.get("kind"), record.get("settings"), record.get("arrays")
    if not isinstance(kind, str) or kind not in ops.OPERATIONS:
        raise _Broken(f"node {i} is of unknown kind {str(kind)[:40]!r}")
    make: Callable[..., ops.Op] = ops.OPERATIONS[kind]
    stored, former = ops.OPERATIONS[kind].stored, ops.OPERATIONS[kind].former_names
    readers = {name: _READERS[what] for name, what in stored.items() if not what.is_array}
    if not isinstance(settings, dict) or set(settings) != set(readers):
        raise _Broken(f"node {i} ({kind}) has the wrong settings")
    labels = labels if isinstance(labels, list) and all(isinstance(s, str) for s in labels) else [""]
    wanted = {name: what for name, what in stored.items() if what.is_array}
    required = {name for name, what in wanted.items() if what is not ops.Stored.OPTIONAL_FLOATS}
    names = [str(former.get(label, label)) for label in labels]
    if len(set(names)) != len(names) or not required <= set(names) <= set(wanted):
        raise _Broken(f"node {i} ({kind}) has the wrong arrays")
    arrays: dict[str, Any] = {name: tensors.pop(f"{i}.{label}", None) for name, label in sorted(zip(names, labels, strict=True))}
    for name, array in arrays.items():
        if array is None or array.dtype.kind != ("i" if wanted[name] is ops.Stored.INDICES else "f"):
            raise _Broken(f"node {i} ({kind}) misses its {name}")
    return make(**arrays, **{key: reader(settings[key]) for key, reader in readers.items()})
