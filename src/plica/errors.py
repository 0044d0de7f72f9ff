"""Everything Plica raises on purpose: one small family, each with a message and a hint."""

from __future__ import annotations

from typing import Any


class PlicaError(Exception):
    """Base of all errors of this library.

    Parameters
    ----------
    message
        What was given and what was expected.
    hint
        What to do about it, in one sentence.

    Examples
    --------
    >>> print(PlicaError("widths is empty.", hint="give at least an input and an output width"))
    widths is empty.
      hint: give at least an input and an output width
    """

    exit_code = 2

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n  hint: {self.hint}" if self.hint else self.message


class InvalidNetwork(PlicaError):
    """A network that cannot be: wrong shapes, NaN or infinite weights, train mode, a broken file."""


class UnsupportedLayer(PlicaError):
    """A layer that is not piecewise linear, or that Plica does not know."""

    exit_code = 4


class InvalidDomain(PlicaError):
    """A domain that is empty, flat, unbounded or does not fit the network's input."""


class InvalidInput(PlicaError):
    """An argument outside its range."""


class BudgetExceeded(PlicaError):
    """A computation reached its budget; ``partial`` holds what was finished.

    ``partial`` is a dict of plain numbers: at least ``n_cells`` (of the layers finished) and ``layers_done``; of a line that
    goes in parts ``n_cells`` of those finished and the ``share`` of it that they are. A decision boundary or level set leaves the
    ``curves`` found so far, with the tiles that are open.
    """

    exit_code = 3

    def __init__(self, message: str, *, hint: str = "", partial: dict[str, Any] | None = None) -> None:
        super().__init__(message, hint=hint)
        self.partial = partial or {}


class MissingExtra(PlicaError):
    """An optional dependency that is not installed."""
