"""The argument ``widths`` of every bound, checked once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from operator import index

from plica.errors import InvalidInput


def integer(value: int, name: str, *, least: int = 0) -> int:
    """``value`` as a Python int that is at least ``least``."""
    try:
        number = index(value)
    except TypeError:
        raise InvalidInput(f"{name} must be an integer, got {value!r}.") from None
    if number < least:
        raise InvalidInput(f"{name} must be at least {least}, got {number}.")
    return number


def split_widths(widths: Sequence[int]) -> tuple[int, tuple[int, ...]]:
    """``(n_inputs, hidden widths)`` from ``(n_inputs, hidden ..., n_outputs)``.

    Examples
    --------
    >>> split_widths([2, 8, 8, 1])
    (2, (8, 8))
    """
    if len(widths) < 2:
        raise InvalidInput(
            f"widths has {len(widths)} entries, expected at least an input and an output width.",
            hint="write (n_inputs, hidden ..., n_outputs), as network.widths does",
        )
    n_inputs, *hidden, _ = (integer(w, "a width", least=1) for w in widths)
    return n_inputs, tuple(hidden)


@lru_cache(maxsize=64)
def binomials(n: int, last: int) -> tuple[int, ...]:
    """C(n, 0), ..., C(n, min(last, n)).

    Examples
    --------
    >>> binomials(5, 3)
    (1, 5, 10, 10)
    """
    row = [1]
    for k in range(min(last, n)):
        row.append(row[-1] * (n - k) // (k + 1))
    return tuple(row)
