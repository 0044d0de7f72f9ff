"""Formulas of VNN-LIB as alternatives of linear inequalities, and what they ask: boxes and the rows that are wanted in them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from plica.errors import InvalidInput
from plica.robust._property import Query, Row

MAX_CONJUNCTIONS = 20_000
MAX_INEQUALITIES = 2_000_000
"""Of all conjunctions together, beside those that all of them share; and ends of all boxes together."""
MAX_DIGITS = 400

NAME = r"[XY]_\d{1,9}"
NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?"
_NAME, _NUMBER = re.compile(NAME, re.ASCII), re.compile(NUMBER, re.ASCII)
Node = Any  # a word or a list of nodes


def shown(node: Node) -> str:
    """The beginning of a statement, for an error."""
    text = str(node)
    return text if len(text) < 80 else text[:77] + "..."


def number(text: str) -> Fraction:
    """A decimal number as a fraction.

    Examples
    --------
    >>> number("-1.5e-1"), number(".5"), number("2e3")
    (Fraction(-3, 20), Fraction(1, 2), Fraction(2000, 1))
    """
    if len(text) > MAX_DIGITS:
        raise InvalidInput(f"{shown(text)} has more than {MAX_DIGITS} digits.")
    mantissa, _, exponent = text.lower().partition("e")
    whole, _, part = mantissa.partition(".")
    power = int(exponent or 0) - len(part)
    return Fraction(int(whole + part) * _ten(power)) if power >= 0 else Fraction(int(whole + part), _ten(-power))


@cache
def _ten(power: int) -> int:
    return int(10**power)


class Inequality:
    """Sum of terms <= bound. Of a single input it is an ``end`` of a box; of none it is true or never; else it is a row."""

    __slots__ = ("end", "is_never", "row")

    def __init__(self, terms: dict[str, Fraction], bound: Fraction) -> None:
        self.end: tuple[int, bool, Fraction] | None = None
        self.is_never = False
        self.row: Row | None = None
        if not terms:
            self.is_never = bound < 0
        elif len(terms) == 1 and (name := next(iter(terms)))[0] == "X":
            self.end = int(name[2:]), terms[name] > 0, bound / terms[name]
        else:
            parts: dict[str, list[tuple[int, Fraction]]] = {"X": [], "Y": []}
            for name, factor in sorted(terms.items()):
                parts[name[0]].append((int(name[2:]), factor))
            self.row = Row(tuple(parts["X"]), tuple(parts["Y"]), bound)


Alternatives = list[tuple[Inequality, ...]]


class _Conjunction:
    """Formulas that hold together: inequalities that all alternatives share are kept once, until the end."""

    def __init__(self) -> None:
        self.common: list[Inequality] = []
        self.others: Alternatives = [()]

    def add(self, a: Alternatives) -> None:
        if len(a) == 1:
            self.common += a[0]
            return
        if len(self.others) * len(a) > MAX_CONJUNCTIONS:
            raise InvalidInput(f"a property has more than {MAX_CONJUNCTIONS:,} conjunctions when it is multiplied out.")
        _check(len(self.others) * sum(map(len, a)) + len(a) * sum(map(len, self.others)))
        self.others = [(*x, *y) for x in self.others for y in a]

    def alternatives(self) -> Alternatives:
        _check(len(self.others) * len(self.common) + sum(map(len, self.others)))
        return [(*self.common, *x) for x in self.others]


def _check(n: int) -> None:
    if n > MAX_INEQUALITIES:
        raise InvalidInput(f"a property has more than {MAX_INEQUALITIES:,} inequalities when it is multiplied out.")


@dataclass
class _Box:
    """The ends of inputs that are known; ``low`` and ``high`` by the number of the input."""

    low: dict[int, Fraction]
    high: dict[int, Fraction]

    def cut(self, i: int, is_high: bool, end: Fraction) -> None:
        side = self.high if is_high else self.low
        known = side.get(i)
        if known is None or (end < known if is_high else end > known):
            side[i] = end


class Formula:
    """All assertions together; ``declared`` are the variables that may be used."""

    def __init__(self) -> None:
        self.declared: set[str] = set()
        self._box = _Box({}, {})
        self._rest = _Conjunction()

    def add_bound(self, relation: str, name: str, value: Fraction) -> None:
        """A variable compared with a number."""
        name = _canonical(name, self.declared)
        if name[0] == "X":
            self._box.cut(int(name[2:]), relation == "<=", value)
            return
        sign = Fraction(1) if relation == "<=" else Fraction(-1)
        self._rest.common.append(Inequality({name: sign}, sign * value))

    def add(self, node: Node) -> None:
        """An assertion."""
        self._rest.add(self._alternatives(node))

    def _alternatives(self, node: Node) -> Alternatives:
        """A formula as a disjunction of conjunctions."""
        if not isinstance(node, list) or not node:
            raise InvalidInput(f"{shown(node)} is no formula.")
        head, *rest = node
        if head == "and":
            both = _Conjunction()
            for part in rest:
                both.add(self._alternatives(part))
            return both.alternatives()
        if head == "or":
            parts = [a for part in rest for a in self._alternatives(part)]
            if len(parts) > MAX_CONJUNCTIONS:
                raise InvalidInput(f"a property has more than {MAX_CONJUNCTIONS:,} conjunctions.")
            return parts
        if head in ("<=", ">=") and len(rest) == 2:
            left, right = (_linear(part, self.declared) for part in rest)
            return [(_inequality(left, right) if head == "<=" else _inequality(right, left),)]
        hint = "VNN-LIB 1.0 knows <= and >=" if head in ("<", ">", "=", "==") else "and, or, <=, >="
        raise InvalidInput(f"{shown(node)} is no formula of VNN-LIB 1.0.", hint=hint)

    def queries(self, n_inputs: int) -> tuple[Query, ...]:
        """One query for each box; what a single input must satisfy is part of the box."""
        rows: list[Row] = []
        is_never = _sort(tuple(self._rest.common), self._box, rows)
        common = tuple(rows)
        groups: dict[tuple[Any, ...], list[tuple[Row, ...]]] = {}
        _check(len(self._rest.others) * len(common))
        for conjunction in self._rest.others:
            own, rows = _Box({}, {}), []
            if not (_sort(conjunction, own, rows) or is_never):
                key = tuple(tuple(sorted(self._tighter(own, is_high).items())) for is_high in (False, True))
                groups.setdefault(key, []).append((*common, *rows))
        _check((len(groups) - 1) * n_inputs)
        found = ((self._ends(dict(low), dict(high), n_inputs), wanted) for (low, high), wanted in groups.items())
        return tuple(Query(*box, tuple(wanted)) for box, wanted in found if all(a <= b for a, b in zip(*box, strict=True)))

    def _tighter(self, own: _Box, is_high: bool) -> dict[int, Fraction]:
        """The ends of an alternative that are not those of all."""
        known, ends = (self._box.high, own.high) if is_high else (self._box.low, own.low)
        return {i: v for i, v in ends.items() if i not in known or (v < known[i] if is_high else v > known[i])}

    def _ends(
        self, low: dict[int, Fraction], high: dict[int, Fraction], n: int
    ) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
        sides = []
        for which, own, known in (("lower", low, self._box.low), ("upper", high, self._box.high)):
            ends = known | own
            missing = next((i for i in range(n) if i not in ends), None) if len(ends) < n else None
            if missing is not None:
                raise InvalidInput(f"X_{missing} has no {which} end.", hint="inputs must lie in a box")
            sides.append(tuple(ends[i] for i in range(n)))
        return sides[0], sides[1]


def _sort(conjunction: tuple[Inequality, ...], box: _Box, rows: list[Row]) -> bool:
    """Divide inequalities into ends of a box and rows; says whether one of them never holds."""
    is_never = False
    for inequality in conjunction:
        if inequality.row is not None:
            rows.append(inequality.row)
        elif inequality.end is not None:
            box.cut(*inequality.end)
        else:
            is_never |= inequality.is_never
    return is_never


# -- arithmetic --------------------------------------------------------------------------------------------------------------

Linear = dict[str, Fraction]  # the constant has the name ""
_ONE = Fraction(1)


def _canonical(name: str, declared: set[str]) -> str:
    if name not in declared:
        name = f"{name[0]}_{int(name[2:])}"
        if name not in declared:
            raise InvalidInput(f"{name} is not declared.")
    return name


def _linear(node: Node, declared: set[str]) -> Linear:
    if isinstance(node, str):
        if _NAME.fullmatch(node):
            return {_canonical(node, declared): _ONE}
        if not _NUMBER.fullmatch(node):
            raise InvalidInput(f"{shown(node)} is neither a number nor a variable.")
        return {"": number(node)}
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
    raise InvalidInput(f"{shown(node)} is no linear term.", hint="+, - and products with numbers")


def _sum(parts: list[Linear]) -> Linear:
    out: Linear = {}
    for part in parts:
        for name, value in part.items():
            out[name] = out[name] + value if name in out else value
    return out


def _inequality(left: Linear, right: Linear) -> Inequality:
    difference = _sum([left, {k: -v for k, v in right.items()}])
    bound = -difference.pop("", Fraction(0))
    return Inequality({k: v for k, v in difference.items() if v}, bound)
