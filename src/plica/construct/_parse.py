"""Texts that become arguments: numbers, lists and formulas. Formulas are read as syntax trees; nothing is run."""

from __future__ import annotations

import ast
import re
from fractions import Fraction
from typing import Any

from plica.construct.targets._expressions import Expression, Variable, cos, exp, expression, sin, sqrt
from plica.errors import InvalidInput

FUNCTIONS = {"sin": sin, "cos": cos, "exp": exp, "sqrt": sqrt, "abs": lambda x: abs(expression(x))}
NAMES = {"x": 0, "y": 1, "z": 2, "w": 3}
MAX_LENGTH = 2000
MAX_POWER = 64
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?(/\d+)?$")


def parse_expression(text: str) -> Expression:
    """A formula in x, y, z, w or x0, x1, ..., with + - * / ** and sin, cos, exp, sqrt, abs.

    Examples
    --------
    >>> parse_expression("sin(3*x) * y**2")
    (sin((3 * x0)) * x1 ** 2)
    """
    if len(text) > MAX_LENGTH:
        raise InvalidInput(f"a formula has at most {MAX_LENGTH} characters, got {len(text)}.")
    try:
        tree = ast.parse(text.replace("^", "**").strip(), mode="eval")
        return expression(_read(tree.body, text))
    except (SyntaxError, RecursionError, MemoryError, ValueError):
        raise InvalidInput(f"{text[:60]!r} is not a formula.", hint="for example sin(3*x) * y**2") from None


def _read(node: ast.AST, text: str) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
        return Fraction(str(node.value)) if isinstance(node.value, float) else Fraction(node.value)
    if isinstance(node, ast.Name):
        match = re.fullmatch(r"x(\d{1,2})", node.id)
        if match or node.id in NAMES:
            return Variable(int(match[1]) if match else NAMES[node.id])
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        inner = _read(node.operand, text)
        return -inner if isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.BinOp):
        return _combined(node, text)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS:
        if len(node.args) == 1 and not node.keywords:
            return FUNCTIONS[node.func.id](_read(node.args[0], text))
    part = ast.get_source_segment(text, node) or text
    raise InvalidInput(
        f"{part[:60]!r} cannot stand in a formula.", hint="variables x, y, z, w, numbers, + - * / **, " + ", ".join(FUNCTIONS)
    )


def _combined(node: ast.BinOp, text: str) -> Any:
    a, b = _read(node.left, text), _read(node.right, text)
    if isinstance(node.op, ast.Pow):
        if not isinstance(b, Fraction) or b.denominator != 1 or abs(b) > MAX_POWER:
            raise InvalidInput(f"powers are integers up to {MAX_POWER}, got {ast.unparse(node.right)}.")
        if isinstance(a, Fraction) and not a and b < 0:
            raise InvalidInput("a formula divides by zero.")
        return a ** int(b)
    if isinstance(node.op, ast.Div) and isinstance(b, Fraction) and not b:
        raise InvalidInput("a formula divides by zero.")
    if isinstance(node.op, ast.Add):
        return a + b
    if isinstance(node.op, ast.Sub):
        return a - b
    if isinstance(node.op, ast.Mult):
        return a * b
    if isinstance(node.op, ast.Div):
        return a / b
    raise InvalidInput(f"{text[:60]!r} uses an operator that formulas do not have.", hint="+ - * / **")


def parse_argument(text: str) -> Any:
    """The value that a text stands for: an integer, a number, a list, a table (rows with ; between), a word or a formula.

    Examples
    --------
    >>> parse_argument("3"), parse_argument("1/3"), parse_argument("2,1"), parse_argument("four")
    (3, Fraction(1, 3), [2, 1], 'four')
    """
    text = text.strip()
    if ";" in text:
        return [parse_argument(row if "," in row else f"{row},") for row in text.split(";") if row.strip()]
    if "," in text and "(" not in text:
        return [parse_argument(part) for part in text.split(",") if part.strip()]
    if re.fullmatch(r"[+-]?\d{1,400}", text):
        return int(text)
    if _NUMBER.fullmatch(text) and len(text) < 400:
        numerator, _, denominator = text.partition("/")
        if denominator and not int(denominator):
            raise InvalidInput(f"{text!r} divides by zero.")
        return Fraction(text) if "/" in text and "." not in numerator else float(text)
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if re.fullmatch(r"[a-z]{2,}(-[a-z]+)*", text) and text not in FUNCTIONS:
        return text
    return parse_expression(text)
