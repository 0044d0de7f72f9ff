"""Messages with arrays in them: a JSON header, then the arrays as they lie in memory.

4 bytes   length of the header, little-endian
header    JSON; "arrays" lists name, type, shape and offset of each array
padding   to a multiple of 8
arrays    each at a multiple of 8, little-endian; truth values as bits, the first the lowest of its byte
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput

TYPES = ("float32", "float64", "uint8", "int8", "uint32", "int32", "bool")


def pack(header: Mapping[str, Any], arrays: Mapping[str, Array] | None = None) -> bytes:
    """One message.

    Examples
    --------
    >>> header, arrays = unpack(pack({"id": 1}, {"x": np.array([1.0, 2.0])}))
    >>> header, arrays["x"]
    ({'id': 1}, array([1., 2.]))
    """
    parts, listed, offset = [], [], 0
    for name, array in (arrays or {}).items():
        if array.dtype.name not in TYPES:
            raise InvalidInput(f"array {name!r} is {array.dtype}.", hint=f"one of {', '.join(TYPES)}")
        data = (np.packbits(array, bitorder="little") if array.dtype == np.bool_ else np.ascontiguousarray(array)).tobytes()
        listed.append({"name": name, "type": array.dtype.name, "shape": list(array.shape), "offset": offset})
        parts += [data, bytes(-len(data) % 8)]
        offset += len(data) + -len(data) % 8
    text = json.dumps({**header, "arrays": listed}, allow_nan=False, separators=(",", ":")).encode()
    return b"".join([len(text).to_bytes(4, "little"), text, bytes(-(4 + len(text)) % 8), *parts])


def unpack(message: bytes) -> tuple[dict[str, Any], dict[str, Array]]:
    """The header and the arrays of a message written by :func:`pack`."""
    length = int.from_bytes(message[:4], "little")
    header = json.loads(message[4 : 4 + length])
    start = 4 + length + -(4 + length) % 8
    arrays = {}
    for entry in header.pop("arrays"):
        count, at = prod(entry["shape"]), start + entry["offset"]
        if entry["type"] == "bool":
            bits = np.frombuffer(message, np.uint8, count=-(-count // 8), offset=at)
            flat = np.unpackbits(bits, count=count, bitorder="little").view(np.bool_)
        else:
            flat = np.frombuffer(message, np.dtype(entry["type"]), count=count, offset=at)
        arrays[entry["name"]] = flat.reshape(entry["shape"])
    return header, arrays
