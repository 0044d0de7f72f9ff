"""How results show themselves in a notebook: one table of facts. Its caption is the text that a terminal shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from html import escape
from typing import Any


def facts_html(result: object, facts: Mapping[str, Any], *, picture: str = "") -> str:
    """A table with one fact in each row.

    Parameters
    ----------
    result
        What is shown; its ``repr`` becomes the caption.
    facts
        Names and values.
    picture
        HTML to stand above the table, with a text alternative of its own.

    Examples
    --------
    >>> facts_html(3, {"n_cells": 12345})
    "<table><caption>3</caption><tr><th scope='row' style='text-align:left'>n cells</th><td>12,345</td></tr></table>"
    """
    rows = "".join(
        f"<tr><th scope='row' style='text-align:left'>{escape(name.replace('_', ' '))}</th><td>{escape(short(value))}</td></tr>"
        for name, value in facts.items()
    )
    table = f"<table><caption>{escape(repr(result))}</caption>{rows}</table>"
    return f"<div>{picture}{table}</div>" if picture else table


def rows_html(result: object, rows: Sequence[Mapping[str, Any]]) -> str:
    """A table with one record in each row and the names of the first one as its head."""
    names = list(rows[0]) if rows else []
    head = "".join(f"<th scope='col'>{escape(name.replace('_', ' '))}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{escape(short(row.get(n)))}</td>" for n in names) + "</tr>" for row in rows)
    return f"<table><caption>{escape(repr(result))}</caption><tr>{head}</tr>{body}</table>"


def at_least(bound: float, digits: int) -> str:
    """A lower bound in so many digits, rounded down: it is one as it is written.

    Examples
    --------
    >>> at_least(2 / 3, 4), at_most(2 / 3, 4), at_least(0.5, 4), at_most(float("inf"), 4)
    ('0.6666', '0.6667', '0.5', 'inf')
    """
    return _directed(bound, digits, ROUND_FLOOR)


def at_most(bound: float, digits: int) -> str:
    """An upper bound in so many digits, rounded up."""
    return _directed(bound, digits, ROUND_CEILING)


def _directed(bound: float, digits: int, rounding: str) -> str:
    rounded = Context(prec=digits, rounding=rounding).create_decimal(Decimal(float(bound)))
    return f"{float(rounded):.{digits}g}"


def short(value: Any) -> str:
    """A value in a few characters.

    Examples
    --------
    >>> short(0.1 + 0.2), short([1, 2.5]), short(None), short(list(range(100)))
    ('0.3', '1, 2.5', '', '0, 1, 2, 3, 4, 5, 6, 7, ... (100)')
    """
    if value is None:
        return ""
    if isinstance(value, bool | str):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {short(entry)}" for key, entry in value.items())
    if hasattr(value, "tolist"):
        return short(value.tolist())
    if isinstance(value, Sequence):
        shown = ", ".join(short(entry) for entry in value[:8])
        return shown if len(value) <= 8 else f"{shown}, ... ({len(value):,})"
    return str(value)
