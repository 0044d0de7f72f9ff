"""Properties from VNN-LIB 1.0 files: declarations of X_i and Y_j, assertions of linear inequalities, ``and``, ``or``.

The files are SMT-LIB in small: nested lists of words. Nothing is evaluated; numbers become fractions. Sizes, depth and the
number of conjunctions after multiplying out are limited.
"""

from __future__ import annotations

import gzip
import re
import zlib
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from plica.errors import InvalidInput
from plica.robust._property import Property, Query, Row

MAX_BYTES = 16 * 2**20
MAX_DEPTH = 200
MAX_CONJUNCTIONS = 20_000
MAX_INEQUALITIES = 8_000_000  # of all conjunctions together
MAX_VARIABLES = 2_000_000
MAX_DIGITS = 400

_TOKEN = re.compile(r"\s+|;[^\n]*|(\()|(\))|([^\s();]+)")
_NAME = re.compile(r"([XY])_(\d{1,9})")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?")
Node = Any  # a word or a list of nodes


def read_vnnlib(path: str | Path) -> Property:
    """The property in a ``.vnnlib`` or ``.vnnlib.gz`` file."""
    path = Path(path)
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InvalidInput(f"{path.name} is not a gzip file: {error}.") from None
    if len(data) > MAX_BYTES:
        raise InvalidInput(f"{path.name} has more than {MAX_BYTES:,} bytes.")
    try:
        return parse_vnnlib(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise InvalidInput(f"{path.name} is not text.", hint="expected a VNN-LIB 1.0 property") from None


def parse_vnnlib(text: str) -> Property:
    """The property in a text.

    Examples
    --------
    >>> p = parse_vnnlib('''(declare-const X_0 Real) (declare-const Y_0 Real)
    ... (assert (>= X_0 -1)) (assert (<= X_0 0.5)) (assert (or (<= Y_0 0) (>= Y_0 3)))''')
    >>> q = p.queries[0]
    >>> [str(v) for v in (*q.low, *q.high)], [str(r.bound) for c in q.conjunctions for r in c]
    (['-1', '1/2'], ['0', '-3'])
    """
    counts = {"X": 0, "Y": 0}
    declared: set[str] = set()
    formula = _Conjunction()
    for statement in _statements(text):
        head = statement[0] if isinstance(statement, list) and statement else statement
        if head in ("declare-const", "declare-fun"):
            _declare(statement, counts, declared)
        elif head == "assert" and len(statement) == 2:
            formula.add(_alternatives(statement[1], declared, 0))
        elif head in ("set-logic", "set-info", "set-option", "check-sat", "exit", "get-model"):
            continue
        else:
            raise InvalidInput(f"{_shown(statement)} is no statement of VNN-LIB 1.0.", hint="declare-const, assert")
    for letter, n in counts.items():
        if not n or any(f"{letter}_{i}" not in declared for i in range(n)):
            raise InvalidInput(f"the variables {letter}_0, {letter}_1, ... are not declared without gaps.")
    return Property(counts["X"], counts["Y"], _queries(formula.alternatives(), counts["X"]))


# -- words -------------------------------------------------------------------------------------------------------------------


def _statements(text: str) -> list[Node]:
    out: list[Node] = []
    stack: list[list[Node]] = [out]
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        assert match is not None  # every character is white, a comment, a parenthesis or part of a word
        at = match.end()
        if match[1]:
            if len(stack) > MAX_DEPTH:
                raise InvalidInput(f"a property nests more than {MAX_DEPTH} lists.")
            inner: list[Node] = []
            stack[-1].append(inner)
            stack.append(inner)
        elif match[2]:
            if len(stack) == 1:
                raise InvalidInput("a property closes a list that it did not open.")
            stack.pop()
        elif match[3]:
            stack[-1].append(match[3])
    if len(stack) > 1:
        raise InvalidInput("a property ends inside a list.", hint="the file may be cut off")
    return out


def _shown(node: Node) -> str:
    text = str(node)
    return text if len(text) < 80 else text[:77] + "..."


def _declare(statement: list[Node], counts: dict[str, int], declared: set[str]) -> None:
    name = statement[1] if len(statement) > 1 and isinstance(statement[1], str) else ""
    match = _NAME.fullmatch(name)
    if match is None or statement[-1] != "Real" or int(match[2]) >= MAX_VARIABLES:
        raise InvalidInput(f"{_shown(statement)}: expected a real variable X_i or Y_j.")
    canonical = f"{match[1]}_{int(match[2])}"
    if canonical in declared:
        raise InvalidInput(f"{name} is declared twice.")
    declared.add(canonical)
    counts[match[1]] = max(counts[match[1]], int(match[2]) + 1)


# -- logic -------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Inequality:
    """sum of terms <= bound."""

    terms: tuple[tuple[str, Fraction], ...]
    bound: Fraction


Alternatives = list[tuple[_Inequality, ...]]


def _alternatives(node: Node, declared: set[str], depth: int) -> Alternatives:
    """A formula as a disjunction of conjunctions."""
    if not isinstance(node, list) or not node:
        raise InvalidInput(f"{_shown(node)} is no formula.")
    head, *rest = node
    if head == "and":
        both = _Conjunction()
        for part in rest:
            both.add(_alternatives(part, declared, depth + 1))
        return both.alternatives()
    if head == "or":
        parts = [a for part in rest for a in _alternatives(part, declared, depth + 1)]
        return _limited(parts)
    if head in ("<=", ">=") and len(rest) == 2:
        left, right = (_linear(part, declared) for part in rest)
        return [(_inequality(left, right) if head == "<=" else _inequality(right, left),)]
    hint = "VNN-LIB 1.0 knows <= and >=" if head in ("<", ">", "=", "==") else "and, or, <=, >="
    raise InvalidInput(f"{_shown(node)} is no formula of VNN-LIB 1.0.", hint=hint)


class _Conjunction:
    """Formulas that hold together: inequalities that all alternatives share are kept once, until the end."""

    def __init__(self) -> None:
        self._common: list[_Inequality] = []
        self._others: Alternatives = [()]

    def add(self, a: Alternatives) -> None:
        if len(a) == 1:
            self._common += a[0]
            return
        if len(self._others) * len(a) > MAX_CONJUNCTIONS:
            raise InvalidInput(f"a property has more than {MAX_CONJUNCTIONS:,} conjunctions when it is multiplied out.")
        self._check(len(self._others) * sum(map(len, a)) + len(a) * sum(map(len, self._others)))
        self._others = [(*x, *y) for x in self._others for y in a]

    def alternatives(self) -> Alternatives:
        self._check(len(self._others) * len(self._common) + sum(map(len, self._others)))
        return [(*self._common, *x) for x in self._others]

    @staticmethod
    def _check(n: int) -> None:
        if n > MAX_INEQUALITIES:
            raise InvalidInput(f"a property has more than {MAX_INEQUALITIES:,} inequalities when it is multiplied out.")


def _limited(a: Alternatives) -> Alternatives:
    if len(a) > MAX_CONJUNCTIONS:
        raise InvalidInput(f"a property has more than {MAX_CONJUNCTIONS:,} conjunctions.")
    return a


# -- arithmetic --------------------------------------------------------------------------------------------------------------

Linear = dict[str, Fraction]  # the constant has the name ""


def _linear(node: Node, declared: set[str]) -> Linear:
    if isinstance(node, str):
        match = _NAME.fullmatch(node)
        if match is not None:
            name = f"{match[1]}_{int(match[2])}"
            if name not in declared:
                raise InvalidInput(f"{node} is not declared.")
            return {name: Fraction(1)}
        if len(node) > MAX_DIGITS or not _NUMBER.fullmatch(node):
            raise InvalidInput(f"{_shown(node)} is neither a number nor a variable.")
        return {"": Fraction(node)}
    if not node:
        raise InvalidInput("() is no term.")
    head, *rest = node
    parts = [_linear(part, declared) for part in rest]
    if head == "+" and parts:
        return _sum(parts)
    if head == "-" and parts:
        first = {k: -v for k, v in parts[0].items()} if len(parts) == 1 else parts[0]
        return _sum([first, *({k: -v for k, v in p.items()} for p in parts[1:])])
    if head == "*" and len(parts) == 2:
        for a, b in (parts, reversed(parts)):
            if set(a) <= {""}:
                return {k: v * a.get("", Fraction(0)) for k, v in b.items()}
    raise InvalidInput(f"{_shown(node)} is no linear term.", hint="+, - and products with numbers")


def _sum(parts: list[Linear]) -> Linear:
    out: Linear = {}
    for part in parts:
        for name, value in part.items():
            out[name] = out.get(name, Fraction(0)) + value
    return out


def _inequality(left: Linear, right: Linear) -> _Inequality:
    difference = _sum([left, {k: -v for k, v in right.items()}])
    bound = -difference.pop("", Fraction(0))
    return _Inequality(tuple(sorted((k, v) for k, v in difference.items() if v)), bound)


# -- queries -----------------------------------------------------------------------------------------------------------------


def _queries(alternatives: Alternatives, n_inputs: int) -> tuple[Query, ...]:
    """One query for each box; what a single input must satisfy is part of the box."""
    groups: dict[tuple[tuple[Fraction, ...], tuple[Fraction, ...]], list[tuple[Row, ...]]] = {}
    for conjunction in alternatives:
        low: list[Fraction | None] = [None] * n_inputs
        high: list[Fraction | None] = [None] * n_inputs
        rows: list[Row] = []
        is_empty = False
        for inequality in conjunction:
            if not inequality.terms:
                is_empty |= inequality.bound < 0
            elif len(inequality.terms) == 1 and inequality.terms[0][0][0] == "X":
                (name, factor), end = inequality.terms[0], inequality.bound / inequality.terms[0][1]
                i = int(name[2:])
                side, better = (high, min) if factor > 0 else (low, max)
                known = side[i]
                side[i] = end if known is None else better(known, end)
            else:
                rows.append(_row(inequality))
        for i in range(n_inputs):
            if low[i] is None or high[i] is None:
                raise InvalidInput(f"X_{i} has no {'lower' if low[i] is None else 'upper'} end.", hint="inputs must lie in a box")
        box = tuple(v for v in low if v is not None), tuple(v for v in high if v is not None)
        if not is_empty and all(a <= b for a, b in zip(*box, strict=True)):
            groups.setdefault(box, []).append(tuple(rows))
    return tuple(Query(*box, tuple(rows)) for box, rows in groups.items())


def _row(inequality: _Inequality) -> Row:
    parts: dict[str, list[tuple[int, Fraction]]] = {"X": [], "Y": []}
    for name, factor in inequality.terms:
        parts[name[0]].append((int(name[2:]), factor))
    return Row(tuple(parts["X"]), tuple(parts["Y"]), inequality.bound)
