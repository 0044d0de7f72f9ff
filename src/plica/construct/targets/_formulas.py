"""Texts as expressions: what a formula means where values are enclosed and differentiated."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from plica._formula import Formula, Node
from plica.construct.targets._expressions import PI, Constant, Expression, Variable, cos, exp, log, sin, sqrt
from plica.errors import InvalidInput

MAX_POWER = 64
MAX_BITS = 4096  # of numerators and denominators of constants
HALF = Fraction(1, 2)
FUNCTIONS: dict[str, Callable[..., Expression]] = {
    "sin": sin,
    "cos": cos,
    "tan": lambda a: sin(a) / cos(a),
    "tanh": lambda a: 1 - 2 / (exp(2 * a) + 1),
    "exp": exp,
    "log": log,
    "sqrt": sqrt,
    "abs": abs,
    "relu": lambda a: (a + abs(a)) * HALF,
    "min": lambda a, b: (a + b - abs(a - b)) * HALF,
    "max": lambda a, b: (a + b + abs(a - b)) * HALF,
    "negative": lambda a: -a,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "pi": lambda: PI,
    "e": lambda: exp(1),
}


def parse_expression(text: str) -> Expression:
    """The expression that a text stands for.

    Examples
    --------
    >>> parse_expression("sin(3*x) * y**2")
    (sin((3 * x0)) * x1 ** 2)
    >>> parse_expression("max(x, 1/2)").exact([Fraction(1, 4)])
    Fraction(1, 2)
    """
    return Formula.parse(text).fold(_meaning)


def _meaning(node: Node, parts: list[Expression]) -> Expression:
    if node.operation == "number":
        return _checked(Constant(node.number), node)
    if node.operation == "variable":
        return Variable(int(node.number))
    if node.operation == "/":
        if parts[1] == Constant(Fraction(0)):
            raise InvalidInput(f"the formula divides by zero at character {node.place}.")
        return _checked(parts[0] / parts[1], node)
    if node.operation == "^":
        return _checked(_power(node, *parts), node)
    if node.operation not in FUNCTIONS:
        raise InvalidInput(
            f"{node.operation} at character {node.place} is not continuous; nothing here approximates it.",
            hint="abs, min, max and relu are continuous",
        )
    return _checked(FUNCTIONS[node.operation](*parts), node)


def _power(node: Node, base: Expression, exponent: Expression) -> Expression:
    number = exponent.number if isinstance(exponent, Constant) else None
    if number is None or number.denominator != 1 or abs(number) > MAX_POWER:
        raise InvalidInput(
            f"the power at character {node.place} is not an integer up to {MAX_POWER}.", hint="sqrt(x), or exp(a * log(x))"
        )
    if base == Constant(Fraction(0)) and number < 0:
        raise InvalidInput(f"the formula divides by zero at character {node.place}.")
    return base ** int(number)


def _checked(value: Expression, node: Node) -> Expression:
    """The value, if it is not a constant with thousands of digits."""
    if isinstance(value, Constant):
        if max(value.number.numerator.bit_length(), value.number.denominator.bit_length()) > MAX_BITS:
            raise InvalidInput(f"the constant at character {node.place} has more than {MAX_BITS} bits.", hint="fewer digits")
    return value
