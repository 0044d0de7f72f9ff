"""Kinds of values in a link: each reads text, writes it back, and says its range."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Protocol

from plica.errors import InvalidInput

_INTEGER = re.compile(r"-?[0-9]{1,10}")
_NUMBER = re.compile(r"[+-]?([0-9]{1,20}(\.[0-9]{0,20})?|\.[0-9]{1,20})([eE][+-]?[0-9]{1,3})?")


class Kind(Protocol):
    """How a field is written in a link."""

    def read(self, name: str, text: str) -> Any: ...

    def show(self, value: Any) -> str: ...

    def describe(self) -> dict[str, Any]: ...


def _refuse(name: str, text: str, wanted: str) -> InvalidInput:
    return InvalidInput(f"{name} is {text[:60]!r}.", hint=f"it must be {wanted}")


def shown(value: float) -> str:
    """The shortest text that reads back as the same number.

    >>> shown(0.1), shown(2.0), shown(1e-05)
    ('0.1', '2', '1e-05')
    """
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


@dataclass(frozen=True)
class Choice:
    """One of some words."""

    options: tuple[str, ...]

    def read(self, name: str, text: str) -> str:
        if text not in self.options:
            raise _refuse(name, text, f"one of {', '.join(self.options)}")
        return text

    def show(self, value: str) -> str:
        return value

    def describe(self) -> dict[str, Any]:
        return {"kind": "choice", "options": list(self.options)}


@dataclass(frozen=True)
class Choices:
    """Up to so many words, with commas between."""

    options: tuple[str, ...]
    most: int

    def read(self, name: str, text: str) -> tuple[str, ...]:
        words = tuple(text.split(",")) if text else ()
        if len(words) > self.most or any(word not in self.options for word in words) or (not words and name == "act"):
            raise _refuse(name, text, f"at most {self.most} of {', '.join(self.options)}, with commas between")
        return words

    def show(self, value: tuple[str, ...]) -> str:
        return ",".join(value)

    def describe(self) -> dict[str, Any]:
        return {"kind": "choices", "options": list(self.options)}


@dataclass(frozen=True)
class Integer:
    """A whole number in a range."""

    low: int
    high: int

    def read(self, name: str, text: str) -> int:
        if not _INTEGER.fullmatch(text) or not self.low <= int(text) <= self.high:
            raise _refuse(name, text, f"a whole number from {self.low} to {self.high}")
        return int(text)

    def show(self, value: int) -> str:
        return str(value)

    def describe(self) -> dict[str, Any]:
        return {"kind": "integer", "low": self.low, "high": self.high}


def number(name: str, text: str, low: float, high: float) -> float:
    """A finite number in a range."""
    if not _NUMBER.fullmatch(text) or not low <= float(text) <= high:
        raise _refuse(name, text, f"a number from {low:g} to {high:g}")
    return float(text) + 0.0  # -0.0 becomes 0.0


@dataclass(frozen=True)
class Number:
    """A number in a range."""

    low: float
    high: float

    def read(self, name: str, text: str) -> float:
        return number(name, text, self.low, self.high)

    def show(self, value: float) -> str:
        return shown(value)

    def describe(self) -> dict[str, Any]:
        return {"kind": "number", "low": self.low, "high": self.high}


@dataclass(frozen=True)
class Integers:
    """So many whole numbers in a range."""

    separator: str
    least: int
    most: int
    low: int
    high: int

    def read(self, name: str, text: str) -> tuple[int, ...]:
        parts = text.split(self.separator)
        good = self.least <= len(parts) <= self.most and all(_INTEGER.fullmatch(p) for p in parts)
        if not good or not all(self.low <= int(p) <= self.high for p in parts):
            count = str(self.least) if self.least == self.most else f"{self.least} to {self.most}"
            raise _refuse(name, text, f"{count} numbers from {self.low} to {self.high} with {self.separator!r} between")
        return tuple(map(int, parts))

    def show(self, value: tuple[int, ...]) -> str:
        return self.separator.join(map(str, value))

    def describe(self) -> dict[str, Any]:
        return {"kind": "integers", "separator": self.separator, "low": self.low, "high": self.high, "most": self.most}


@dataclass(frozen=True)
class Numbers:
    """So many numbers with commas between, or nothing."""

    least: int
    most: int

    def read(self, name: str, text: str) -> tuple[float, ...]:
        if not text:
            return ()
        parts = text.split(",")
        if not self.least <= len(parts) <= self.most:
            raise _refuse(name, text, f"{self.most} numbers with commas between")
        return tuple(number(name, p, -1e6, 1e6) for p in parts)

    def show(self, value: tuple[float, ...]) -> str:
        return ",".join(map(shown, value))

    def describe(self) -> dict[str, Any]:
        return {"kind": "numbers", "count": self.most}


@dataclass(frozen=True)
class Window:
    """x from, x to, y from, y to; or nothing."""

    def read(self, name: str, text: str) -> tuple[float, ...]:
        values = Numbers(4, 4).read(name, text)
        if values and not all(b - a > 1e-12 * max(abs(a), abs(b), 1e-300) for a, b in (values[:2], values[2:])):
            raise _refuse(name, text, "x from, x to, y from, y to, with room between")
        return values

    def show(self, value: tuple[float, ...]) -> str:
        return ",".join(map(shown, value))

    def describe(self) -> dict[str, Any]:
        return {"kind": "numbers", "count": 4}


@dataclass(frozen=True)
class Schedule:
    """A number, and the steps at which it changed: ``0.02,120:0.005``."""

    low: float
    high: float
    last: int
    most: int = 20

    def read(self, name: str, text: str) -> tuple[tuple[int, float], ...]:
        first, *rest = text.split(",")
        pairs = [(0, number(name, first, self.low, self.high))]
        for part in rest:
            step, _, value = part.partition(":")
            at = Integer(1, self.last).read(f"{name}, its step", step)
            if at <= pairs[-1][0]:
                raise _refuse(name, text, "changes at increasing steps")
            pairs.append((at, number(name, value, self.low, self.high)))
        if len(pairs) > self.most:
            raise _refuse(name, text, f"at most {self.most} changes")
        return tuple(pairs)

    def show(self, value: tuple[tuple[int, float], ...]) -> str:
        return ",".join(shown(v) if step == 0 else f"{step}:{shown(v)}" for step, v in value)

    def describe(self) -> dict[str, Any]:
        return {"kind": "schedule", "low": self.low, "high": self.high, "most": self.most}


@dataclass(frozen=True)
class Flag:
    """1 or 0."""

    def read(self, name: str, text: str) -> bool:
        if text not in ("0", "1"):
            raise _refuse(name, text, "0 or 1")
        return text == "1"

    def show(self, value: bool) -> str:
        return "1" if value else "0"

    def describe(self) -> dict[str, Any]:
        return {"kind": "flag"}


@dataclass(frozen=True)
class Text:
    """A short line of printable characters."""

    most: int

    def read(self, name: str, text: str) -> str:
        if len(text) > self.most or not text.isprintable():
            raise _refuse(name, text, f"at most {self.most} printable characters")
        return text

    def show(self, value: str) -> str:
        return value

    def describe(self) -> dict[str, Any]:
        return {"kind": "text", "most": self.most}


@dataclass(frozen=True)
class Digest:
    """The SHA-256 of a file that was given before, in hexadecimal; or nothing."""

    def read(self, name: str, text: str) -> str:
        if text and not re.fullmatch(r"[0-9a-f]{64}", text):
            raise _refuse(name, text, "the digest of a file dropped on the page")
        return text

    def show(self, value: str) -> str:
        return value

    def describe(self) -> dict[str, Any]:
        return {"kind": "digest"}
