"""Functions that a user writes: a grammar of arithmetic, read into a small tree and evaluated on arrays.

sum     = product { ("+" | "-") product }
product = sign { ("*" | "/") sign }
sign    = ("+" | "-") sign | power
power   = atom [ ("^" | "**") sign ]
atom    = number | "pi" | "e" | "x" | "y" | function "(" sum { "," sum } ")" | "(" sum ")"
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput

MAX_CHARACTERS = 200
MAX_NODES = 100
MAX_NESTING = 20
MAX_EXPONENT = 64.0

_TOKEN = re.compile(r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)|(?P<name>[A-Za-z]+)|(?P<sign>\*\*|[-+*/^(),]))")

FUNCTIONS: dict[str, tuple[int, Callable[..., Array]]] = {
    "sin": (1, np.sin),
    "cos": (1, np.cos),
    "tan": (1, np.tan),
    "tanh": (1, np.tanh),
    "exp": (1, np.exp),
    "log": (1, np.log),
    "sqrt": (1, np.sqrt),
    "abs": (1, np.abs),
    "sign": (1, np.sign),
    "floor": (1, np.floor),
    "relu": (1, lambda a: np.maximum(a, 0.0)),
    "min": (2, np.minimum),
    "max": (2, np.maximum),
    "mod": (2, np.mod),
}
CONSTANTS = {"pi": float(np.pi), "e": float(np.e)}


@dataclass(frozen=True)
class Node:
    """A leaf (``value`` or ``name``) or an operation on other nodes."""

    operation: str
    parts: tuple[Node, ...] = ()
    value: float = 0.0


@dataclass(frozen=True)
class Expression:
    """A function of x, or of x and y.

    Examples
    --------
    >>> f = Expression.parse("2*x^2 - y/4")
    >>> f.n_inputs, f(np.array([[1.0, 2.0]]))
    (2, array([1.5]))
    >>> Expression.parse("__import__('os')")
    Traceback (most recent call last):
    ...
    plica.errors.InvalidInput: the expression has an unexpected '_' at character 1.
      hint: use x, y, numbers, + - * / ^ and the functions ...
    """

    text: str
    tree: Node

    @staticmethod
    def parse(text: str) -> Expression:
        """Read an expression; anything outside the grammar is refused with its place."""
        return Expression(text, _Parser(text).expression())

    @property
    def n_inputs(self) -> int:
        """2 if y occurs, else 1."""
        return 2 if _mentions(self.tree, "y") else 1

    def __call__(self, points: Array) -> Array:
        """The values at rows of points."""
        with np.errstate(all="ignore"):
            values = np.broadcast_to(_evaluate(self.tree, points), len(points)).astype(np.float64)
        wrong = np.flatnonzero(~np.isfinite(values) | (np.abs(values) > 1e6))
        if len(wrong):
            where = ", ".join(f"{c:.3g}" for c in points[wrong[0]])
            raise InvalidInput(
                f"the expression is {values[wrong[0]]:.3g} at ({where}).", hint="its values must be finite and at most 1e6"
            )
        return values


def _mentions(node: Node, name: str) -> bool:
    return node.operation == name or any(_mentions(part, name) for part in node.parts)


def _evaluate(node: Node, points: Array) -> Any:
    if node.operation == "number":
        return node.value
    if node.operation in ("x", "y"):
        return points[:, "xy".index(node.operation)]
    parts = [np.asarray(_evaluate(part, points), dtype=np.float64) for part in node.parts]
    if node.operation == "^":
        return np.power(parts[0], np.clip(parts[1], -MAX_EXPONENT, MAX_EXPONENT))
    if node.operation in FUNCTIONS:
        return FUNCTIONS[node.operation][1](*parts)
    a, b = parts if len(parts) == 2 else (np.zeros(()), parts[0])
    return {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}[node.operation](a, b)


class _Parser:
    def __init__(self, text: str) -> None:
        if not text.strip() or len(text) > MAX_CHARACTERS:
            raise InvalidInput(
                f"an expression has 1 to {MAX_CHARACTERS} characters, got {len(text)}.", hint="for example sin(3*x)"
            )
        self.text = text
        self.tokens: list[tuple[str, str, int]] = []
        self.at = self.nodes = self.depth = 0
        place = 0
        while text[place:].strip():
            match = _TOKEN.match(text, place)
            if match is None:
                place += len(text[place:]) - len(text[place:].lstrip())
                raise self._unexpected(text[place], place)
            kind = str(match.lastgroup)
            self.tokens.append((kind, match[kind], match.start(kind)))
            place = match.end()

    def _unexpected(self, what: str, place: int) -> InvalidInput:
        names = ", ".join(FUNCTIONS)
        return InvalidInput(
            f"the expression has an unexpected {what[:20]!r} at character {place + 1}.",
            hint=f"use x, y, numbers, + - * / ^ and the functions {names}",
        )

    def _peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def _take(self) -> tuple[str, str, int]:
        if self.at == len(self.tokens):
            raise InvalidInput("the expression ends too early.", hint="for example sin(3*x)")
        self.at += 1
        return self.tokens[self.at - 1]

    def _expect(self, sign: str) -> None:
        _, found, place = self._take()
        if found != sign:
            raise self._unexpected(found, place)

    def _node(self, operation: str, *parts: Node, value: float = 0.0) -> Node:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise InvalidInput(f"the expression has more than {MAX_NODES} parts.")
        return Node(operation, parts, value)

    def expression(self) -> Node:
        node = self._sum()
        if self.at < len(self.tokens):
            _, found, place = self.tokens[self.at]
            raise self._unexpected(found, place)
        return node

    def _sum(self) -> Node:
        node = self._product()
        while self._peek() in ("+", "-"):
            node = self._node(self._take()[1], node, self._product())
        return node

    def _product(self) -> Node:
        node = self._sign()
        while self._peek() in ("*", "/"):
            node = self._node(self._take()[1], node, self._sign())
        return node

    def _sign(self) -> Node:
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise InvalidInput(f"the expression is nested more than {MAX_NESTING} times.")
        try:
            if self._peek() in ("+", "-"):
                return self._node(self._take()[1], self._sign())
            node = self._atom()
            if self._peek() in ("^", "**"):
                self._take()
                node = self._node("^", node, self._sign())
            return node
        finally:
            self.depth -= 1

    def _atom(self) -> Node:
        kind, text, place = self._take()
        if kind == "number":
            value = float(text)
            if not np.isfinite(value):
                raise self._unexpected(text, place)
            return self._node("number", value=value)
        if text == "(":
            node = self._sum()
            self._expect(")")
            return node
        if text in ("x", "y"):
            return self._node(text)
        if text in CONSTANTS:
            return self._node("number", value=CONSTANTS[text])
        if text not in FUNCTIONS:
            raise self._unexpected(text, place)
        arity, _ = FUNCTIONS[text]
        self._expect("(")
        parts = [self._sum()]
        while self._peek() == ",":
            self._take()
            parts.append(self._sum())
        self._expect(")")
        if len(parts) != arity:
            raise InvalidInput(f"{text} takes {arity} {'value' if arity == 1 else 'values'}, got {len(parts)}.")
        return self._node(text, *parts)
