"""Formulas that people write: one grammar of arithmetic, read into a small tree. Nothing is run.

sum     = product { ("+" | "-") product }
product = sign { ("*" | "/") sign }
sign    = ("+" | "-") sign | power
power   = atom [ ("^" | "**") sign ]
atom    = number | "pi" | "e" | variable | function "(" sum { "," sum } ")" | "(" sum ")"

Variables are x, y, z, w or x0, x1, ..., x99. What a tree means (floats on arrays, enclosures, derivatives) is said by who reads
it, with :meth:`Formula.fold`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from math import isfinite
from typing import TypeVar

from plica.errors import InvalidInput

T = TypeVar("T")

MAX_CHARACTERS = 2000
MAX_NESTING = 20
MAX_PARTS = 300
VARIABLES = {"x": 0, "y": 1, "z": 2, "w": 3}
CONSTANTS = ("pi", "e")
FUNCTIONS = {  # with how many values each takes
    "sin": 1, "cos": 1, "tan": 1, "tanh": 1, "exp": 1, "log": 1, "sqrt": 1, "abs": 1, "sign": 1, "floor": 1, "relu": 1,
    "min": 2, "max": 2, "mod": 2,
}  # fmt: skip
_TOKEN = re.compile(
    r"[ \t]*(?:(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?)"
    r"|(?P<name>[A-Za-z]+[0-9]{0,2})|(?P<sign>\*\*|[-+*/^(),]))"
)
_EXAMPLE = "for example sin(3*x) * y^2"
_HINT = "use x, y, z, w or x0, x1, ..., numbers, pi, e, + - * / ^ and " + ", ".join(FUNCTIONS)


@dataclass(frozen=True)
class Node:
    """A part of a formula.

    Attributes
    ----------
    operation
        ``number``, ``variable``, ``pi``, ``e``, ``+ - * / ^``, ``negative`` or the name of a function.
    place
        Where it stands in the text, counted from 1.
    parts
        What it is applied to.
    number
        Of a number; of a variable its index.
    """

    operation: str
    place: int
    parts: tuple[Node, ...] = ()
    number: Fraction = Fraction(0)


@dataclass(frozen=True)
class Formula:
    """A text that is a formula.

    Examples
    --------
    >>> f = Formula.parse("2*x^2 - y/4")
    >>> f.n_variables, f.tree.operation
    (2, '-')
    >>> Formula.parse("sqr(x)")
    Traceback (most recent call last):
    ...
    plica.errors.InvalidInput: the formula has an unexpected 'sqr' at character 1.
      hint: did you mean sqrt?
    """

    text: str
    tree: Node

    @staticmethod
    def parse(text: str, *, max_characters: int = MAX_CHARACTERS) -> Formula:
        """Read a formula; anything outside the grammar is refused with its place."""
        if not text.strip() or len(text) > max_characters:
            raise InvalidInput(f"a formula has 1 to {max_characters} characters, got {len(text)}.", hint=_EXAMPLE)
        return Formula(text, _Parser(text).formula())

    @property
    def n_variables(self) -> int:
        """One more than the largest index of a variable; 0 for a constant."""

        def meaning(node: Node, parts: list[int]) -> int:
            return max([int(node.number) + 1 if node.operation == "variable" else 0, *parts])

        return self.fold(meaning)

    def fold(self, meaning: Callable[[Node, list[T]], T]) -> T:
        """What the formula means, if ``meaning`` says what a part means, given what it is applied to.

        Examples
        --------
        >>> Formula.parse("1 + 2 + x").fold(lambda node, parts: 1 + sum(parts))  # the number of parts
        5
        """
        done: list[T] = []
        todo = [(self.tree, False)]
        while todo:  # not recursive: a long sum is a deep tree
            node, is_ready = todo.pop()
            if is_ready:
                start = len(done) - len(node.parts)
                done[start:] = [meaning(node, done[start:])]
            else:
                todo.append((node, True))
                todo.extend((part, False) for part in reversed(node.parts))
        return done[0]


class _Parser:
    """Recursive descent, one method for each line of the grammar."""

    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str, int]] = []
        self.next = self.depth = self.n_parts = 0
        self.text = text.rstrip()
        end = 0
        while end < len(self.text):
            match = _TOKEN.match(self.text, end)
            if match is None:
                end += len(self.text[end:]) - len(self.text[end:].lstrip(" \t"))
                raise self._unexpected(self.text[end], end)
            kind = str(match.lastgroup)
            self.tokens.append((kind, match[kind], match.start(kind)))
            end = match.end()

    def _unexpected(self, what: str, start: int) -> InvalidInput:
        close = get_close_matches(what, [*FUNCTIONS, *CONSTANTS], n=1) if what not in FUNCTIONS else []
        before = self.text[:start].rstrip()[-1:]
        if close:
            hint = f"did you mean {close[0]}?"
        elif before and (before.isalnum() or before in ").") and (what[0].isalnum() or what[0] == "("):
            hint = "write * between factors"
        else:
            hint = _HINT
        return InvalidInput(f"the formula has an unexpected {what[:20]!r} at character {start + 1}.", hint=hint)

    def _peek(self) -> str:
        return self.tokens[self.next][1] if self.next < len(self.tokens) else ""

    def _take(self) -> tuple[str, str, int]:
        if self.next == len(self.tokens):
            raise InvalidInput(f"the formula ends too early, after character {len(self.text)}.", hint=_EXAMPLE)
        self.next += 1
        return self.tokens[self.next - 1]

    def _expect(self, sign: str) -> None:
        _, found, start = self._take()
        if found != sign:
            raise self._unexpected(found, start)

    def _node(self, operation: str, place: int, parts: tuple[Node, ...] = (), *, number: Fraction = Fraction(0)) -> Node:
        self.n_parts += 1
        if self.n_parts > MAX_PARTS:
            raise InvalidInput(f"the formula has more than {MAX_PARTS} parts at character {place}.", hint="a shorter formula")
        return Node(operation, place, parts, number)

    def formula(self) -> Node:
        node = self._sum()
        if self.next < len(self.tokens):
            _, found, start = self.tokens[self.next]
            raise self._unexpected(found, start)
        return node

    def _sum(self) -> Node:
        node = self._product()
        while self._peek() in ("+", "-"):
            _, operation, start = self._take()
            node = self._node(operation, start + 1, (node, self._product()))
        return node

    def _product(self) -> Node:
        node = self._sign()
        while self._peek() in ("*", "/"):
            _, operation, start = self._take()
            node = self._node(operation, start + 1, (node, self._sign()))
        return node

    def _sign(self) -> Node:
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise InvalidInput(
                f"the formula is nested more than {MAX_NESTING} times at character {self.tokens[self.next - 1][2] + 1}.",
                hint="fewer brackets and signs",
            )
        try:
            return self._signed()
        finally:
            self.depth -= 1

    def _signed(self) -> Node:
        if self._peek() in ("+", "-"):
            _, sign, start = self._take()
            inner = self._sign()
            return inner if sign == "+" else self._node("negative", start + 1, (inner,))
        node = self._atom()
        if self._peek() in ("^", "**"):
            _, _, start = self._take()
            node = self._node("^", start + 1, (node, self._sign()))
        return node

    def _atom(self) -> Node:
        kind, text, start = self._take()
        if kind == "number":
            if not isfinite(float(text)):
                raise InvalidInput(f"the number at character {start + 1} is too large.", hint="numbers end at 1.8e308")
            return self._node("number", start + 1, number=Fraction(text))
        if text == "(":
            node = self._sum()
            self._expect(")")
            return node
        if kind == "name" and text in FUNCTIONS:
            return self._call(text, start)
        if text in CONSTANTS:
            return self._node(text, start + 1)
        indexed = re.fullmatch(r"x([0-9]{1,2})", text)
        if indexed or text in VARIABLES:
            return self._node("variable", start + 1, number=Fraction(int(indexed[1]) if indexed else VARIABLES[text]))
        raise self._unexpected(text, start)

    def _call(self, name: str, start: int) -> Node:
        if self._peek() != "(":
            raise InvalidInput(f"{name} at character {start + 1} needs brackets.", hint=f"{name}(x)")
        self._expect("(")
        parts = [self._sum()]
        while self._peek() == ",":
            self._take()
            parts.append(self._sum())
        self._expect(")")
        if len(parts) != FUNCTIONS[name]:
            wanted = "1 value" if FUNCTIONS[name] == 1 else f"{FUNCTIONS[name]} values"
            raise InvalidInput(f"{name} at character {start + 1} takes {wanted}, got {len(parts)}.")
        return self._node(name, start + 1, tuple(parts))
