"""IDX: the format of MNIST. Two zero bytes, a type, a rank, big-endian sizes, then the entries."""

from __future__ import annotations

import struct
from math import prod

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput

_TYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}


def read_idx(contents: bytes) -> Array:
    """The array in the bytes of an IDX file.

    Examples
    --------
    >>> read_idx(bytes([0, 0, 8, 1, 0, 0, 0, 3, 5, 6, 7]))
    array([5, 6, 7], dtype=uint8)
    """
    if len(contents) < 4 or contents[:2] != b"\0\0" or contents[2] not in _TYPES:
        raise InvalidInput("these bytes are not in IDX format.", hint="an IDX file starts with two zeros, a type and a rank")
    kind, rank = np.dtype(_TYPES[contents[2]]), contents[3]
    start = 4 + 4 * rank
    if len(contents) < start:
        raise InvalidInput(f"the header of an IDX file of rank {rank} is cut off.")
    shape = struct.unpack(f">{rank}I", contents[4:start])
    if len(contents) - start != prod(shape) * kind.itemsize:
        raise InvalidInput(f"an IDX file of shape {shape} holds {len(contents) - start:,} bytes of entries.")
    return np.frombuffer(contents, kind, offset=start).reshape(shape).astype(kind.newbyteorder("="))
