"""Arrays in numpy's files, read as data from strangers: what a header declares is compared with the bytes that are there."""

from __future__ import annotations

import os
import re
import zipfile
import zlib
from collections.abc import Iterable
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput

MAX_BYTES = 4 * 2**30
_MAX_HEADER = 10_000
_MAX_AXES, _MAX_DIGITS = 32, 18
_KINDS = "biufcU"
_LAST_CHARACTER = 0x10FFFF
_DESCR = re.compile(r"""'descr'\s*:\s*'([<>|=]?[biufcU]\d{1,6})'""")
_ORDER = re.compile(r"'fortran_order'\s*:\s*(True|False)")
_SHAPE = re.compile(r"'shape'\s*:\s*\(([\d\s,]*)\)")
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_HINT = "write it with numpy.save or numpy.savez"


def parse_npy(content: bytes, name: str) -> Array:
    """The array in the bytes of a ``.npy`` file: booleans, integers, floats, complex numbers or text, nothing else.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> np.save(file, np.arange(3.0))
    >>> parse_npy(file.getvalue(), "example.npy")
    array([0., 1., 2.])
    >>> parse_npy(file.getvalue()[:-1], "example.npy")
    Traceback (most recent call last):
    plica.errors.InvalidInput: example.npy declares 24 bytes of numbers and holds 23.
      hint: write it with numpy.save or numpy.savez
    """
    if content[:6] != b"\x93NUMPY" or len(content) < 10 or content[6] not in (1, 2, 3):
        raise InvalidInput(f"{name} is not a .npy file.", hint=_HINT)
    width = 2 if content[6] == 1 else 4
    length = int.from_bytes(content[8 : 8 + width], "little")
    start = 8 + width + length
    if length > _MAX_HEADER or start > len(content):
        raise InvalidInput(f"{name} declares a header of {length} bytes.", hint=_HINT)
    header = content[8 + width : start].decode("latin-1")
    found = [pattern.search(header) for pattern in (_DESCR, _ORDER, _SHAPE)]
    if not all(found):
        raise InvalidInput(f"{name} holds no plain array of numbers.", hint=_HINT)
    descr, order, text = (match[1] for match in found if match)
    sizes = text.replace(",", " ").split()
    if len(sizes) > _MAX_AXES or any(len(n) > _MAX_DIGITS for n in sizes):
        raise InvalidInput(f"{name} declares a shape of {len(sizes)} axes that no array has.", hint=_HINT)
    shape, kind = tuple(map(int, sizes)), _dtype(descr, name)
    declared = prod(shape) * kind.itemsize
    if declared != len(content) - start:
        raise InvalidInput(f"{name} declares {declared} bytes of numbers and holds {len(content) - start}.", hint=_HINT)
    flat = np.frombuffer(content, kind, offset=start).astype(kind.newbyteorder("="))
    if kind.kind == "U" and (flat.view(np.uint32) > _LAST_CHARACTER).any():
        raise InvalidInput(f"{name} holds text with characters that do not exist.", hint=_HINT)
    return flat.reshape(shape, order="F" if order == "True" else "C")


def _dtype(descr: str, name: str) -> np.dtype[Any]:
    try:
        kind = np.dtype(descr)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} holds numbers of the unknown kind {descr!r}.", hint=_HINT) from None
    if kind.kind not in _KINDS or kind.itemsize == 0:
        raise InvalidInput(f"{name} holds {kind}, which is no kind of number.", hint=_HINT)
    return kind


def read_npy(path: Path, *, max_bytes: int = MAX_BYTES) -> Array:
    """The array of a ``.npy`` file."""
    return parse_npy(read_regular_file(path, max_bytes=max_bytes), path.name)


def read_npz(path: Path, names: Iterable[str], *, max_bytes: int = MAX_BYTES) -> dict[str, Array]:
    """The named arrays of an ``.npz`` file, which may hold others too."""
    read_regular_file(path, max_bytes=max_bytes, only_look=True)
    arrays = {}
    try:
        with zipfile.ZipFile(path) as archive:
            members = {info.filename: info for info in archive.infolist()}
            for name in names:
                if f"{name}.npy" not in members:
                    raise InvalidInput(f"{path.name} holds no array {name!r}.")
                content = _unpacked(archive, members[f"{name}.npy"], max_bytes, path.name)
                arrays[name] = parse_npy(content, f"{name} in {path.name}")
                max_bytes -= len(content)
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, OverflowError, RuntimeError) as error:
        raise InvalidInput(f"{path.name} is not an .npz file, or damaged: {str(error)[:120]}.", hint=_HINT) from None
    return arrays


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo, max_bytes: int, name: str) -> bytes:
    """The bytes of a member; never more are unpacked than allowed, whatever its header says."""
    if info.compress_type not in _METHODS or info.flag_bits & 1:
        raise InvalidInput(f"{info.filename} in {name} is encrypted or packed by an unknown method.", hint=_HINT)
    with archive.open(info) as member:
        content = member.read(min(max_bytes, info.file_size) + 1)
    if len(content) > max_bytes:
        raise InvalidInput(f"{name} unpacks to more than {max_bytes} bytes.")
    return content


def read_regular_file(path: Path, *, max_bytes: int, only_look: bool = False) -> bytes:
    """The bytes of a regular file whose size was looked at first; devices and pipes are not opened."""
    try:
        if not path.is_file():
            raise InvalidInput(f"{path} cannot be read: it does not exist, or is no file.")
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > max_bytes:
                raise InvalidInput(f"{path.name} has {size} bytes, the limit is {max_bytes}.")
            return b"" if only_look else file.read(size)
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
