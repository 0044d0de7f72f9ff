"""What was seen while training: a table with one row per look."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plica._whole import write_whole
from plica.errors import InvalidInput

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Row = dict[str, Any]


@dataclass(frozen=True, repr=False)
class History:
    """Rows of numbers: ``step``, ``epoch``, ``rate`` (of the step that was made last), ``loss`` and what data and probes add.

    ``history["loss"]`` is a column, with None where a row has no such number.

    Examples
    --------
    >>> history = History([{"step": 0, "loss": 2.0}, {"step": 5, "loss": 1.0, "regions": 7}])
    >>> history["regions"], history.columns
    ([None, 7], ['step', 'loss', 'regions'])
    """

    rows: list[Row] = field(default_factory=list)

    @property
    def columns(self) -> list[str]:
        """All names, in the order in which they appeared."""
        return list(dict.fromkeys(name for row in self.rows for name in row))

    def __getitem__(self, column: str) -> list[Any]:
        if column not in self.columns:
            raise InvalidInput(f"the history has no column {column!r}.", hint=f"one of {', '.join(self.columns)}")
        return [row.get(column) for row in self.rows]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    @property
    def last(self) -> Row:
        """The latest value of every column."""
        return {name: value for row in self.rows for name, value in row.items() if value is not None}

    def curve(self, column: str, *, against: str = "step") -> tuple[list[float], list[float]]:
        """The points of a curve: rows that have the number."""
        pairs = [(row[against], row[column]) for row in self.rows if row.get(column) is not None and row.get(against) is not None]
        self[column]
        return [a for a, _ in pairs], [b for _, b in pairs]

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns of plain values, for JSON or a data frame."""
        return {name: [_plain(value) for value in self[name]] for name in self.columns}

    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str:
        """The table as CSV, also written to ``path`` if one is given."""
        stream = io.StringIO()
        writer = csv.DictWriter(stream, self.columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        if path is not None:
            write_whole(Path(path), stream.getvalue())
        return stream.getvalue()

    def plot(self, *columns: str, ax: Axes | None = None) -> Axes:
        """Draw columns (the losses, if none is named) against steps; see :func:`plica.plot.plot_history`."""
        from plica.plot import plot_history

        return plot_history(self, *columns, ax=ax)

    def __repr__(self) -> str:
        if not self.rows:
            return "<History without rows>"
        last = self.last
        shown = ", ".join(f"{name} {_short(last[name])}" for name in self.columns[:8] if name in last)
        return f"<History of {len(self.rows)} rows, at the end {shown}>"

    def _repr_html_(self) -> str:
        from plica._show import rows_html

        step = max(1, len(self.rows) // 30)
        kept = [*self.rows[:-1:step], *self.rows[-1:]]
        return rows_html(self, [{name: row.get(name) for name in self.columns} for row in kept])


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def _short(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
