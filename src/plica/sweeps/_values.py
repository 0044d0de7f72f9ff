"""A task's values, as text and back: JSON data and arrays, without losing a bit.

Numbers that JSON lacks are tagged ``{"$float": "nan"}``; a small array is ``{"$array": {dtype, shape, data}}`` with base64
data in the row itself; a larger one is ``{"$file": {digest, dtype, shape}}`` and lives in a file named by its content.
"""

from __future__ import annotations

import base64
import io
import json
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from plica.errors import InvalidInput
from plica.sweeps._canonical import digest, dumps

INLINE_BYTES = 4096
"""Arrays up to this size are stored in their row."""


def encode(values: Any) -> tuple[str, dict[str, bytes]]:
    """The canonical text of what a task returned, and its larger arrays as npy files by digest.

    Examples
    --------
    >>> encode({"loss": float("inf"), "steps": np.int64(3)})
    ('{"loss":{"$float":"inf"},"steps":3}', {})
    """
    if not isinstance(values, Mapping):
        raise InvalidInput(
            f"the function returned a {type(values).__name__}.", hint="return a dict of named values, such as {'loss': 0.5}"
        )
    files: dict[str, bytes] = {}
    return dumps(_encoded(dict(values), files)), files


def _encoded(value: Any, files: dict[str, bytes]) -> Any:
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, np.ndarray):
        return _encoded_array(value, files)
    if isinstance(value, np.generic) and isinstance(value.item(), (bool, int, float, str)):
        return _encoded(value.item(), files)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {"$float": "nan" if math.isnan(value) else repr(float(value))}
    if isinstance(value, (list, tuple)):
        return [_encoded(item, files) for item in value]
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str) or key.startswith("$"):
                raise InvalidInput(f"the returned dict has the key {key!r}.", hint="keys are strings that do not start with $")
        return {key: _encoded(item, files) for key, item in value.items()}
    raise InvalidInput(
        f"the returned dict holds a {type(value).__name__}.",
        hint="return numbers, strings, booleans, None, numpy arrays, and lists or dicts of these",
    )


def _encoded_array(array: np.ndarray, files: dict[str, bytes]) -> Any:
    if array.dtype.hasobject or array.dtype.kind not in "biufcSUmMV":
        raise InvalidInput(
            f"an array of dtype {array.dtype} was returned.", hint="return arrays of numbers or fixed-length strings"
        )
    array = np.asarray(array, order="C")
    shape = {"dtype": array.dtype.str, "shape": list(array.shape)}
    if array.nbytes <= INLINE_BYTES and array.dtype.kind != "V":
        return {"$array": shape | {"data": base64.b64encode(array.tobytes()).decode()}}
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, allow_pickle=False)
    content = buffer.getvalue()
    name = digest(content)
    files[name] = content
    return {"$file": shape | {"digest": name}}


def array_of(content: bytes) -> np.ndarray:
    """The array in the bytes of an npy file. The header is believed only if the data has exactly the size it declares."""
    stream = io.BytesIO(content)
    version = np.lib.format.read_magic(stream)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, fortran, dtype = read(stream)
    data = content[stream.tell() :]
    if dtype.hasobject or fortran or len(data) != math.prod(shape) * dtype.itemsize:
        raise ValueError(f"the header declares {dtype} {shape}, which is not what follows")
    return np.frombuffer(data, dtype).reshape(shape).copy()


def _inline_array(form: dict[str, Any]) -> np.ndarray:
    dtype = np.dtype(form["dtype"])
    if dtype.hasobject:
        raise ValueError("object arrays are not stored")
    return np.frombuffer(base64.b64decode(form["data"], validate=True), dtype).reshape(form["shape"]).copy()


class Values(Mapping[str, Any]):
    """The named values of one row. Arrays are read, and checked against their digest, when they are asked for."""

    __slots__ = ("_read", "_text", "_tree")

    def __init__(self, text: str, read: Callable[[str], bytes]) -> None:
        self._text = text
        self._read = read
        self._tree: dict[str, Any] | None = None

    @property
    def tree(self) -> dict[str, Any]:
        """The values with arrays and infinities still tagged."""
        if self._tree is None:
            self._tree = json.loads(self._text)
        return self._tree

    def __getitem__(self, name: str) -> Any:
        return self._decoded(self.tree[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self.tree)

    def __len__(self) -> int:
        return len(self.tree)

    def __repr__(self) -> str:
        return repr({name: self[name] for name in self}) if "$file" not in self._text else f"Values({', '.join(self)})"

    def _decoded(self, node: Any) -> Any:
        if isinstance(node, list):
            return [self._decoded(item) for item in node]
        if not isinstance(node, dict):
            return node
        if "$float" in node:
            return float(node["$float"])
        if "$array" in node:
            return _inline_array(node["$array"])
        if "$file" in node:
            return array_of(self._read(node["$file"]["digest"]))
        return {name: self._decoded(item) for name, item in node.items()}
