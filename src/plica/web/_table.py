"""Tables that a user drops on the page: one or two columns of inputs and a column of targets."""

from __future__ import annotations

import numpy as np

from plica._csv import MAX_FIELD, as_number, cut_csv
from plica._types import Array
from plica.errors import InvalidInput

MAX_ROWS = 5_000
MAX_CLASSES = 20
MAX_NUMBERED = 10


def read_table(content: bytes) -> tuple[Array, Array, tuple[str, ...]]:
    """Inputs (n, 1 or 2), targets (n,), and the names of the classes if the targets are classes, which become 0, 1, 2 and so on.

    Commas, semicolons or tabs; a first line of names is left out. Words are classes, and so are two kinds of numbers, or
    with two inputs a few kinds of whole numbers that come again and again.

    Examples
    --------
    >>> x, y, classes = read_table(b"a,b,label\\n0,1,-1\\n2,3,1\\n")
    >>> x.shape, y, classes
    ((2, 2), array([0., 1.]), ('-1', '1'))
    """
    _, rows = cut_csv(content)
    if not 2 <= len(rows) <= MAX_ROWS:
        raise InvalidInput(f"the table has {len(rows)} rows of numbers.", hint=f"give 2 to {MAX_ROWS}")
    width = len(rows[0])
    if width not in (2, 3):
        raise InvalidInput(f"the table has {width} columns.", hint="one or two columns of inputs, then the target")
    given = rows
    rows, names = _named_classes(rows)
    values = np.empty((len(rows), width))
    for i, row in enumerate(rows):
        numbers = [as_number(cell) for cell in row]
        if len(row) != width or any(v is None for v in numbers):
            raise InvalidInput(f"row {i + 1} of the table is not {width} numbers: {','.join(given[i])[:MAX_FIELD]!r}.")
        values[i] = numbers
    if not np.isfinite(values).all() or np.abs(values).max() > 1e6:
        raise InvalidInput("the table holds numbers that are not finite or beyond 1e6.")
    x, y = values[:, :-1], values[:, -1]
    if (np.ptp(x, axis=0) == 0).any():
        raise InvalidInput("a column of inputs is constant.")
    if not names and _are_classes(y, x.shape[1]):
        kinds = np.unique(y)
        names, y = tuple(f"{kind:g}" for kind in kinds), np.searchsorted(kinds, y).astype(float)
    if len(names) > 2 and x.shape[1] != 2:
        raise InvalidInput(
            f"the table has {len(names)} classes and one column of inputs.", hint="two columns of inputs for classes"
        )
    return x, y, names


def _are_classes(y: Array, n_inputs: int) -> bool:
    """Two kinds of numbers; or up to ten kinds of whole numbers that appear five times each on average, with two inputs."""
    kinds = np.unique(y)
    if len(kinds) <= 2:
        return len(kinds) == 2
    return n_inputs == 2 and len(kinds) <= MAX_NUMBERED and len(y) >= 5 * len(kinds) and bool((kinds == np.round(kinds)).all())


def _named_classes(rows: list[list[str]]) -> tuple[list[list[str]], tuple[str, ...]]:
    """Labels that are all words become 0, 1, 2 and so on, in the order of the alphabet; their names."""
    labels = [row[-1] for row in rows]
    if any(as_number(label) is not None for label in labels):
        return rows, ()
    kinds = sorted(set(labels))
    if not 2 <= len(kinds) <= MAX_CLASSES:
        names = ", ".join(kind[:MAX_FIELD] for kind in kinds[:5])
        raise InvalidInput(
            f"the table has {len(kinds)} kinds of labels: {names}.", hint=f"2 to {MAX_CLASSES} kinds, or numbers as targets"
        )
    return [[*row[:-1], str(kinds.index(row[-1]))] for row in rows], tuple(kind[:MAX_FIELD] for kind in kinds)
