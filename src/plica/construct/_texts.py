"""Texts that become arguments: numbers, lists, words and formulas. Nothing is run."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from plica._formula import CONSTANTS, FUNCTIONS
from plica.construct.targets._formulas import parse_expression
from plica.errors import InvalidInput

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?(/\d+)?$", re.ASCII)


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
    if re.fullmatch(r"[+-]?[0-9]{1,400}", text):
        return int(text)
    if _NUMBER.fullmatch(text) and len(text) < 400:
        numerator, _, denominator = text.partition("/")
        if denominator and not int(denominator):
            raise InvalidInput(f"{text!r} divides by zero.")
        return Fraction(text) if "/" in text and "." not in numerator else float(text)
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if re.fullmatch(r"[a-z]{2,}(-[a-z]+)*", text) and text not in (*FUNCTIONS, *CONSTANTS):
        return text
    return parse_expression(text)
