"""A table as JSON, CSV and Parquet."""

from __future__ import annotations

import csv
import importlib
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from plica.errors import MissingExtra
from plica.sweeps._canonical import digest, dumps

if TYPE_CHECKING:
    from plica.sweeps._table import Row, Table


def to_dict(table: Table) -> dict[str, Any]:
    """The table as JSON data.

    An array is ``{"$array": {"dtype", "shape", "values"}}``, or, when it lives in its own file, ``{"$file": {"dtype",
    "shape", "digest"}}``; nan and infinities are ``{"$float": "nan"}``.
    """
    experiment = table.experiment
    rows = [
        {"parameters": row.parameters, "seed": row.seed, "status": row.status, "values": _tree(row), "error": row.error}
        for row in table.rows
    ]
    return {"schema": 1, "experiment": experiment.name, "root_seed": experiment.root_seed, "code": experiment.code, "rows": rows}


def to_json(table: Table) -> str:
    """The canonical text of the table."""
    return dumps(to_dict(table)) + "\n"


def _tree(row: Row) -> dict[str, Any]:
    return {name: _readable(node, row.values[name] if _is_small_array(node) else None) for name, node in row.values.tree.items()}


def _is_small_array(node: Any) -> bool:
    return isinstance(node, dict) and "$array" in node


def _readable(node: Any, array: np.ndarray | None) -> Any:
    """A small array with its numbers instead of its bytes, where the numbers say everything."""
    if array is None or array.dtype.kind not in "biufU" or not (array.dtype.kind != "f" or np.isfinite(array).all()):
        return node
    form = node["$array"]
    return {"$array": {"dtype": form["dtype"], "shape": form["shape"], "values": array.tolist()}}


def columns(table: Table) -> dict[str, list[Any]]:
    """Names and cells: parameters, seed, status, values, error. A value named like another column is ``value.NAME``."""
    parameters = sorted({name for row in table.rows for name in row.parameters})
    values = sorted({name for row in table.rows for name in row.values})
    taken = {*parameters, "seed", "status", "error"}
    found: dict[str, list[Any]] = {name: [row.parameters.get(name) for row in table.rows] for name in parameters}
    found["seed"] = [row.seed for row in table.rows]
    found["status"] = [row.status for row in table.rows]
    for name in values:
        found[f"value.{name}" if name in taken else name] = [_cell(row, name) for row in table.rows]
    found["error"] = [row.error for row in table.rows]
    return found


def _cell(row: Row, name: str) -> Any:
    node = row.values.tree.get(name)
    if isinstance(node, dict) and "$file" in node:
        return f"array {node['$file']['digest']}"
    value = row.values.get(name)
    return value.tolist() if isinstance(value, np.ndarray) and value.dtype.kind in "biufU" else value


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, (bool, list, dict)):
        return repr(value).lower() if isinstance(value, bool) else _json_text(value)
    return repr(value) if isinstance(value, float) else str(value)


def _json_text(value: Any) -> str:
    try:
        return dumps(value)
    except (TypeError, ValueError):  # nan inside, or an array that JSON cannot say
        return str(value)


def cells(table: Table, *, limit: int | None = None) -> tuple[list[str], list[list[str]]]:
    """The names of the columns, and the lines as text."""
    from dataclasses import replace

    shown = replace(table, rows=table.rows[:limit])
    found = columns(shown)
    lines = [[_text(column[i]) for column in found.values()] for i in range(len(shown.rows))]
    return list(found), lines


def to_csv(table: Table) -> str:
    """The table as CSV, floats with all their digits."""
    names, lines = cells(table)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(lines)
    return text.getvalue()


def to_parquet(table: Table, path: Path) -> None:
    """Write a Parquet file; what is neither a number, a string nor a list of one kind of number becomes JSON text."""
    try:
        pyarrow = importlib.import_module("pyarrow")
        parquet = importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtra("pyarrow is not installed.", hint="pip install 'plica[parquet]', or export CSV or JSON") from None
    arrays = {}
    for name, column in columns(table).items():
        try:
            arrays[name] = pyarrow.array(column)
        except (pyarrow.ArrowException, OverflowError):
            arrays[name] = pyarrow.array([None if value is None else _text(value) for value in column])
    parquet.write_table(pyarrow.table(arrays), path)


def fingerprint(table: Table) -> str:
    """SHA-256 of the canonical text."""
    return digest(to_json(table))
