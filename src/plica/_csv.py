"""Tables in CSV files, read as data from strangers: perhaps a line of names, numbers, perhaps a last column of answers."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from plica._npy import read_regular_file
from plica._types import Array
from plica.errors import InvalidInput

MAX_BYTES = 2**26
MAX_CELLS = 1_000_000
MAX_FIELD = 64
MAX_CLASSES = 1000
SHOWN = 5
MISSING = {"", "?", "-", "na", "n/a", "nan", "none", "null"}


@dataclass(frozen=True)
class Table:
    """Rows of numbers, and what they should become.

    Parameters
    ----------
    points
        One input in each row, in double precision.
    answers
        The last column: classes counted from 0 if its cells are words, numbers as they are otherwise; None if there is none.
    classes
        The words, in the order of the alphabet; empty if answers are numbers.
    columns
        What the first line calls the inputs; empty if there is no such line.
    """

    points: Array
    answers: Array | None
    classes: tuple[str, ...]
    columns: tuple[str, ...]


def read_csv(path: Path, n_inputs: int) -> Table:
    """The table in a file: ``n_inputs`` columns of numbers, and perhaps one more of words or numbers."""
    names, rows = cut_csv(read_regular_file(path, max_bytes=MAX_BYTES), path.name)
    if not rows:
        raise InvalidInput(f"{path.name} has no rows.", hint="one input in each line, numbers with commas between")
    width = len(rows[0])
    if width not in (n_inputs, n_inputs + 1):
        raise InvalidInput(
            f"{path.name} has {width} columns; the network takes {n_inputs} inputs.",
            hint="a column for each input, and perhaps one more of classes or targets",
        )
    points = np.empty((len(rows), n_inputs))
    for i, row in enumerate(rows):
        if len(row) != width:
            raise InvalidInput(f"row {i + 1} of {path.name} has {len(row)} cells, the first one {width}.")
        points[i] = [_finite(cell, i, j, names, path.name) for j, cell in enumerate(row[:n_inputs])]
    if width == n_inputs:
        return Table(points, None, (), names)
    return Table(points, *_answers([row[-1] for row in rows], names, path.name), names[:n_inputs])


def _answers(cells: list[str], names: tuple[str, ...], name: str) -> tuple[Array, tuple[str, ...]]:
    """The last column, and the words in it."""
    if all(as_number(cell) is None for cell in cells):
        if (missing := next((i for i, cell in enumerate(cells) if not cell), None)) is not None:
            raise InvalidInput(f"row {missing + 1} of {name} has no class.")
        kinds = sorted({cell[:MAX_FIELD] for cell in cells})
        if len(kinds) > MAX_CLASSES:
            raise InvalidInput(
                f"{name} has {len(kinds):,} kinds of labels: {', '.join(kinds[:SHOWN])} and so on.",
                hint=f"at most {MAX_CLASSES:,} kinds, or numbers as targets",
            )
        place = {kind: i for i, kind in enumerate(kinds)}
        return np.array([place[cell[:MAX_FIELD]] for cell in cells]), tuple(kinds)
    last = len(names) - 1 if names else 0
    values = np.array([_finite(cell, i, last, names, name) for i, cell in enumerate(cells)])
    return (values.astype(np.int64) if (values == np.round(values)).all() and np.abs(values).max() < 2**53 else values), ()


def _finite(cell: str, i: int, j: int, names: tuple[str, ...], name: str) -> float:
    value = as_number(cell)
    if value is None or not np.isfinite(value):
        where = f"column {names[j]!r}" if j < len(names) else f"column {j + 1}"
        raise InvalidInput(
            f"row {i + 1} of {name}, {where}: {cell[:MAX_FIELD]!r} is no finite number.",
            hint="remove the row, or put a number there",
        )
    return value


def cut_csv(content: bytes, name: str = "the table") -> tuple[tuple[str, ...], list[list[str]]]:
    """The first line if it is one of names, and the rows of cells below it; commas, semicolons or tabs between.

    >>> cut_csv(b"height; width\\n1; 2\\n\\n3; 4\\n")
    (('height', 'width'), [['1', '2'], ['3', '4']])
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput(f"{name} is not text in UTF-8.", hint="save it as CSV") from None
    if "\0" in text:
        raise InvalidInput(f"{name} is not text.", hint="save it as CSV")
    delimiter = max(",;\t", key=text[:2000].count)
    rows, n_cells = [], 0
    try:
        for line in csv.reader(io.StringIO(text), delimiter=delimiter):
            row = [cell.strip() for cell in line]
            n_cells += max(1, len(row))
            if n_cells > MAX_CELLS:
                raise InvalidInput(f"{name} has more than {MAX_CELLS:,} cells.", hint="save it as .npy (numpy.save)")
            if any(row):
                rows.append(row)
    except csv.Error as error:
        raise InvalidInput(f"{name} is not CSV: {error}.") from None
    if rows and _are_names(rows):
        return tuple(cell[:MAX_FIELD] for cell in rows[0]), rows[1:]
    return (), rows


def _are_names(rows: list[list[str]]) -> bool:
    """Whether words stand over inputs, or a word over answers that are numbers; a missing value is no word."""
    words = [as_number(cell) is None and cell.lower() not in MISSING for cell in rows[0]]
    return any(words[:-1]) or (words[-1] and len(rows) > 1 and as_number(rows[1][-1]) is not None)


def as_number(text: str) -> float | None:
    """A cell as a number; None if it is none.

    >>> as_number("1e3"), as_number("1_000"), as_number("seven")
    (1000.0, None, None)
    """
    if len(text) > MAX_FIELD or "_" in text:
        return None
    try:
        return float(text)
    except ValueError:
        return None
