"""Progress as lines on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TextIO

from plica.learn._history import Row


def show(stream: TextIO | None = None) -> Callable[[Row], None]:
    """A function that writes a line for each row: step, epoch, loss and what probes found.

    Examples
    --------
    >>> import sys
    >>> show(sys.stdout)({"step": 20, "epoch": 1, "rate": 0.1, "loss": 0.25, "regions_n_regions": 1234})
    step 20  epoch 1  loss 0.25  regions_n_regions 1,234
    """
    out = stream or sys.stderr

    def tell(row: Row) -> None:
        parts = [f"{name} {_short(value)}" for name, value in row.items() if value is not None and name != "rate"]
        out.write("  ".join(parts) + "\n")
        out.flush()

    return tell


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else f"{value:,}"
