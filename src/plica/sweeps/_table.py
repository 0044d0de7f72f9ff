"""The table of a sweep: rows in an order that depends only on their parameters, and the ways out of it."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from plica.errors import InvalidInput
from plica.sweeps import _export
from plica.sweeps._record import Experiment
from plica.sweeps._values import Values

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Row:
    """One task and what became of it."""

    parameters: dict[str, Any]
    seed: int
    values: Values
    status: str = "done"
    error: str = ""
    traceback: str = field(default="", repr=False)
    seconds: float = field(default=0.0, repr=False)

    @property
    def is_done(self) -> bool:
        """Whether the task returned."""
        return self.status == "done"

    def __getitem__(self, name: str) -> Any:
        """A value, a parameter or the seed, by name; values come first."""
        if name in self.values:
            return self.values[name]
        if name in self.parameters:
            return self.parameters[name]
        if name == "seed":
            return self.seed
        raise KeyError(name)


@dataclass(frozen=True)
class Summary:
    """A value over the seeds of one group: how many, their mean, and its standard error (nan for one)."""

    group: dict[str, Any]
    n: int
    mean: float
    standard_error: float


@dataclass(frozen=True)
class Table:
    """The results of a sweep, sorted by parameters and seed.

    Iterating and ``len`` are over all rows; ``table["loss"]`` is that value over the finished ones, as an array.
    """

    experiment: Experiment
    rows: tuple[Row, ...] = field(repr=False)
    n_earlier: int = 0
    """Tasks that were found in the store."""
    n_damaged: int = 0
    """Rows that were found damaged (and, by ``run``, computed again)."""
    seconds: float = 0.0

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __repr__(self) -> str:
        return f"Table({self.experiment.name!r}, {len(self.done)} done, {len(self.failed)} failed)"

    @property
    def done(self) -> tuple[Row, ...]:
        """The rows with results."""
        return tuple(row for row in self.rows if row.is_done)

    @property
    def failed(self) -> tuple[Row, ...]:
        """The rows whose task raised an error or lost its worker."""
        return tuple(row for row in self.rows if not row.is_done)

    def __getitem__(self, name: str) -> np.ndarray:
        """One value, parameter or the seed over the finished rows; arrays of one shape are stacked."""
        try:
            return np.asarray([row[name] for row in self.done])
        except KeyError:
            known = sorted({key for row in self.done for key in (*row.values, *row.parameters)} | {"seed"})
            raise InvalidInput(f"not every finished row has {name!r}.", hint=f"the table has {', '.join(known)}") from None
        except ValueError:
            raise InvalidInput(f"the arrays {name!r} differ in shape.", hint="take them one by one: row.values[...]") from None

    def select(self, **parameters: Any) -> Table:
        """The rows with these parameters.

        Examples
        --------
        >>> Table(Experiment("empty", 0, ""), ()).select(depth=2)
        Table('empty', 0 done, 0 failed)
        """
        rows = [row for row in self.rows if all(row.parameters.get(name) == value for name, value in parameters.items())]
        return Table(self.experiment, tuple(rows), self.n_earlier, self.n_damaged, self.seconds)

    def summary(self, value: str, *, by: str | Sequence[str] | None = None) -> tuple[Summary, ...]:
        """Mean and standard error of a number, over all rows that agree in the parameters ``by`` (all of them unless given)."""
        names = [by] if isinstance(by, str) else by
        groups: dict[tuple[Any, ...], tuple[dict[str, Any], list[float]]] = {}
        for row in self.done:
            group = row.parameters if names is None else {name: row[name] for name in names}
            groups.setdefault(sort_key(group, 0), (group, []))[1].append(float(row[value]))
        found = []
        for group, numbers in groups.values():
            spread = float(np.std(numbers, ddof=1)) / math.sqrt(len(numbers)) if len(numbers) > 1 else math.nan
            found.append(Summary(group, len(numbers), float(np.mean(numbers)), spread))
        return tuple(found)

    def plot(self, x: str, y: str, *, by: str | None = None, ax: Axes | None = None) -> Axes:
        """Mean of ``y`` against the parameter ``x`` with two standard errors, one line for each value of ``by``."""
        import matplotlib.pyplot as plt

        if ax is None:
            _, ax = plt.subplots()
        lines: dict[str, list[Summary]] = {}
        for entry in self.summary(y, by=[x] if by is None else [by, x]):
            lines.setdefault("" if by is None else f"{by} = {entry.group[by]}", []).append(entry)
        for label, entries in lines.items():
            errors = [0.0 if math.isnan(entry.standard_error) else 2 * entry.standard_error for entry in entries]
            ax.errorbar(
                [e.group[x] for e in entries], [e.mean for e in entries], errors, label=label or None, capsize=2, marker="o"
            )
        ax.set(xlabel=x, ylabel=y)
        if by is not None:
            ax.legend()
        return ax

    def to_dict(self) -> dict[str, Any]:
        """Parameters, seeds and values as JSON data: what the sweep found, not how long it took or where."""
        return _export.to_dict(self)

    def to_json(self) -> str:
        """The canonical text of ``to_dict``: equal results give equal bytes."""
        return _export.to_json(self)

    def to_csv(self) -> str:
        """One line for each row; arrays as JSON."""
        return _export.to_csv(self)

    def to_parquet(self, path: str | Path) -> None:
        """A Parquet file, if pyarrow is installed."""
        _export.to_parquet(self, Path(path))

    def _repr_html_(self) -> str:
        names, lines = _export.cells(self, limit=20)
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in line) + "</tr>" for line in lines)
        more = f"<p>{len(self) - 20} more rows</p>" if len(self) > 20 else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def sort_key(parameters: Mapping[str, Any], seed: int) -> tuple[Any, ...]:
    """Numbers by value, then strings, then the rest; names in alphabetical order; the seed last."""
    return (*((name, _rank(parameters[name])) for name in sorted(parameters)), ("", _rank(seed)))


def _rank(value: Any) -> tuple[Any, ...]:
    if value is None or isinstance(value, bool):
        return (0, -1 if value is None else int(value))
    if isinstance(value, (int, float)):
        return (1, value, isinstance(value, float))
    if isinstance(value, str):
        return (2, value)
    if isinstance(value, Mapping):
        return (4, sort_key(value, 0))
    return (3, tuple(_rank(item) for item in value))


def sorted_rows(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Rows in the order of the table."""
    return tuple(sorted(rows, key=lambda row: sort_key(row.parameters, row.seed)))
