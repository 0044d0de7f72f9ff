"""The Planetoid files are Python 2 pickles. This reads the data in them and can run nothing.

A pickle is a program for a stack machine that may call anything. Here a call is only written down as a :class:`Record`, no
module is imported, and an instruction that the Planetoid files do not need is refused.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput

_MARK = object()
_KINDS = frozenset({"i4", "i8", "f4", "f8"})


@dataclass
class Record:
    """A call that the file asks for and that is not made."""

    name: str
    arguments: Any = ()
    state: Any = None
    items: dict[Any, Any] = field(default_factory=dict)


class _Machine:
    """The stack machine, without calls."""

    def __init__(self, contents: bytes) -> None:
        self.contents, self.position = contents, 0
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def take(self, n: int) -> bytes:
        part = self.contents[self.position : self.position + n]
        if n < 0 or len(part) < n:
            raise InvalidInput("a Planetoid file ends in the middle of an instruction.")
        self.position += n
        return part

    def number(self, form: str) -> int:
        return int(struct.unpack(form, self.take(struct.calcsize(form)))[0])

    def line(self) -> str:
        end = self.contents.find(b"\n", self.position)
        text = self.take((end if end >= 0 else len(self.contents) + 1) - self.position)
        self.position += 1
        return text.decode("ascii")

    def since_mark(self) -> list[Any]:
        for i in range(len(self.stack) - 1, -1, -1):
            if self.stack[i] is _MARK:
                values = self.stack[i + 1 :]
                del self.stack[i:]
                return values
        raise InvalidInput("a Planetoid file uses a mark that it did not set.")

    def pop_tuple(self, n: int) -> tuple[Any, ...]:
        values = tuple(self.stack[-n:])
        del self.stack[-n:]
        return values

    def run(self) -> Any:
        while True:
            code = self.take(1)
            if code == b".":
                return self.stack.pop()
            self.step(code)

    def step(self, code: bytes) -> None:
        stack = self.stack
        match code:
            case b"\x80":
                if self.take(1) != b"\x02":
                    raise InvalidInput("a Planetoid file has protocol 2.")
            case b"c":
                stack.append(Record(f"{self.line()} {self.line()}"))
            case b"(":
                stack.append(_MARK)
            case b"N":
                stack.append(None)
            case b"\x88" | b"\x89":
                stack.append(code == b"\x88")
            case b"K":
                stack.append(self.number("<B"))
            case b"M":
                stack.append(self.number("<H"))
            case b"J":
                stack.append(self.number("<i"))
            case b"U":
                stack.append(self.take(self.number("<B")))
            case b"T":
                stack.append(self.take(self.number("<i")))
            case b")":
                stack.append(())
            case b"]":
                stack.append([])
            case b"}":
                stack.append({})
            case b"\x85" | b"\x86" | b"\x87":
                stack.append(self.pop_tuple(code[0] - 0x84))
            case b"t":
                stack.append(tuple(self.since_mark()))
            case b"q":
                self.memo[self.number("<B")] = stack[-1]
            case b"r":
                self.memo[self.number("<I")] = stack[-1]
            case b"h":
                stack.append(self.memo[self.number("<B")])
            case b"j":
                stack.append(self.memo[self.number("<I")])
            case b"R" | b"\x81":  # a call, or a new object: written down, not made
                arguments, function = stack.pop(), stack.pop()
                stack.append(Record(function.name, arguments))
            case b"b":
                state = stack.pop()
                stack[-1].state = state
            case b"a":
                value = stack.pop()
                stack[-1].append(value)
            case b"e":
                values = self.since_mark()
                stack[-1].extend(values)
            case b"u":
                values = self.since_mark()
                target = stack[-1].items if isinstance(stack[-1], Record) else stack[-1]
                target.update(zip(values[::2], values[1::2], strict=True))
            case _:
                raise InvalidInput(f"a Planetoid file does not need the instruction {code!r} at byte {self.position - 1}.")


def read_planetoid(contents: bytes) -> Any:
    """What a Planetoid file holds: an array, a sparse matrix as ``(indptr, indices, shape)``, or neighbors by node."""
    try:
        record = _Machine(contents).run()
        return _value(record)
    except (IndexError, KeyError, AttributeError, TypeError, ValueError, struct.error) as error:
        raise InvalidInput(f"this is not a Planetoid file: {type(error).__name__} {error}.") from None


def _value(record: Any) -> Any:
    if record.name == "collections defaultdict":
        return {int(node): [int(v) for v in neighbors] for node, neighbors in record.items.items()}
    if record.name == "scipy.sparse.csr csr_matrix":
        state = record.state
        return _array(state[b"indptr"]), _array(state[b"indices"]), tuple(map(int, state[b"_shape"]))
    return _array(record)


def _array(record: Record) -> Array:
    if record.name != "numpy.core.multiarray _reconstruct":
        raise ValueError(f"{record.name} is not an array")
    _, shape, kind, _, data = record.state
    letters = kind.arguments[0].decode("ascii")
    if kind.name != "numpy dtype" or letters not in _KINDS or kind.state[1] != b"<":
        raise ValueError(f"entries of type {letters}")
    return np.frombuffer(data, dtype=f"<{letters}").reshape(shape)
