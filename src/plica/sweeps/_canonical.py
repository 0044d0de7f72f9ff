"""Canonical JSON: one text for one value, whatever the machine, the process or the order of the keys."""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any

import numpy as np

from plica.errors import InvalidInput

_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def plain(value: Any, *, where: str) -> Any:
    """``value`` as finite JSON data: numpy scalars become Python ones, tuples become lists.

    Examples
    --------
    >>> plain((1, np.float32(0.5), "a"), where="widths")
    [1, 0.5, 'a']
    """
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, np.generic):
        return plain(value.item(), where=where)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidInput(f"{where} holds {value}.", hint="parameters are finite; name the case with a string instead")
        return float(value)
    if isinstance(value, (list, tuple)):
        return [plain(item, where=where) for item in value]
    if isinstance(value, dict):
        bad = [key for key in value if not isinstance(key, str)]
        if bad:
            raise InvalidInput(f"{where} has the key {bad[0]!r}, which is not a string.", hint="use strings as keys")
        return {key: plain(item, where=where) for key, item in value.items()}
    raise InvalidInput(
        f"{where} holds a {type(value).__name__}.",
        hint="parameters are numbers, strings, booleans, None, and lists or dicts of these; build the object inside the function",
    )


def dumps(value: Any) -> str:
    """The canonical text of JSON data: sorted keys, no spaces, ASCII.

    Examples
    --------
    >>> dumps({"b": 1, "a": [1.0, True]})
    '{"a":[1.0,true],"b":1}'
    """
    return _ENCODER.encode(value)


def digest(text: str | bytes) -> str:
    """SHA-256 as 64 hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "backslashreplace") if isinstance(text, str) else text).hexdigest()


def printable(text: str) -> str:
    r"""Text that cannot steer a terminal: whatever is neither a visible character, a space nor a line end is escaped.

    Examples
    --------
    >>> print(printable("red \x1b[31m alert"))
    red \x1b[31m alert
    """
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape", "backslashreplace").decode("ascii") for c in text
    )
