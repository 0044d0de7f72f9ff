"""Numbers of cells and regions, without geometry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from plica.geometry.signs._decisions import Decisions


@dataclass(frozen=True, repr=False)
class RegionCount:
    """Numbers of cells and regions, without geometry.

    Examples
    --------
    >>> RegionCount(n_cells=4, n_regions=3, decisions=Decisions(double=12), seconds=0.1)
    <RegionCount: 4 cells, 3 regions (exact)>
    """

    n_cells: int
    n_regions: int | None
    decisions: Decisions
    seconds: float

    def __repr__(self) -> str:
        regions = "" if self.n_regions is None else f", {self.n_regions:,} regions"
        return f"<RegionCount: {self.n_cells:,} cells{regions} (exact)>"

    @property
    def exact_fallbacks(self) -> int:
        """How many decisions floating point could not make and integers made."""
        return self.decisions.integer

    def to_dict(self) -> dict[str, Any]:
        return {
            "n_cells": self.n_cells,
            "n_regions": self.n_regions,
            "exact_fallbacks": self.exact_fallbacks,
            "seconds": self.seconds,
        }

    def _repr_html_(self) -> str:
        from plica._show import facts_html

        return facts_html(self, self.to_dict())
