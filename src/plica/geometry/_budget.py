"""How much a computation may use, and who is told how far it is."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from plica.errors import BudgetExceeded, InvalidInput

Progress = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Budget:
    """Limits of one computation; reaching one raises :class:`plica.BudgetExceeded` with what was finished.

    Parameters
    ----------
    max_cells
        Number of cells.
    max_seconds
        Wall time.
    max_bytes
        Memory of the arrays that the computation keeps (an estimate made before they are allocated).

    Examples
    --------
    >>> Budget(max_cells=1000).max_cells
    1000
    """

    max_cells: int = 20_000_000
    max_seconds: float = float("inf")
    max_bytes: int = 8 * 2**30

    def __post_init__(self) -> None:
        for name in ("max_cells", "max_seconds", "max_bytes"):
            if not getattr(self, name) > 0:
                raise InvalidInput(f"{name} must be positive, got {getattr(self, name)}.")


@dataclass
class Meter:
    """Watches a budget while a computation runs."""

    budget: Budget
    n_layers: int
    progress: Progress | None = None
    started: float = field(default_factory=time.perf_counter)
    layers_done: int = 0
    n_cells: int = 1

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.started

    def check(self, *, n_cells: int | None = None, n_bytes: int = 0) -> None:
        """Raise if a limit is passed."""
        cells = self.n_cells if n_cells is None else n_cells
        if cells <= self.budget.max_cells and n_bytes <= self.budget.max_bytes and self.seconds <= self.budget.max_seconds:
            return
        limits = (
            ("max_cells", cells, self.budget.max_cells, "cells"),
            ("max_seconds", self.seconds, self.budget.max_seconds, "seconds"),
            ("max_bytes", n_bytes, self.budget.max_bytes, "bytes"),
        )
        for name, value, limit, unit in limits:
            if value > limit:
                shown = f"{value:,.1f}" if isinstance(value, float) else f"{value:,}"
                raise BudgetExceeded(
                    f"{shown} {unit} exceed the budget {name}={limit:,} after {self.layers_done} of {self.n_layers} layers "
                    f"({self.n_cells:,} cells so far).",
                    hint="use a smaller domain or plica.Budget(...) with a higher limit",
                    partial={
                        "n_cells": self.n_cells,
                        "layers_done": self.layers_done,
                        "n_layers": self.n_layers,
                        "seconds": self.seconds,
                    },
                )

    def layer_finished(self, n_cells: int) -> None:
        self.layers_done += 1
        self.n_cells = n_cells
        if self.progress is not None:
            self.progress(
                {"layers_done": self.layers_done, "n_layers": self.n_layers, "n_cells": n_cells, "seconds": self.seconds}
            )
        self.check()

    def chunk_finished(self, n_cells: int, position: float) -> None:
        """A part of a line is through all layers; ``position`` is how far along the domain it ends."""
        self.n_cells = n_cells
        if self.progress is not None:
            self.progress({"position": position, "n_cells": n_cells, "seconds": self.seconds})
        self.check()
