"""The outputs of a network of few functions, read off their numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plica._types import Array
from plica.exact import Dyadic, shrink
from plica.geometry.numbered._condensed import Entries
from plica.geometry.numbered._forms import FormTable

_EPS = 2.0**-52
_UNDERFLOW = 1e-290


@dataclass(frozen=True, eq=False)
class OutputForms:
    """Which functions the outputs are on each cell: ``ids`` (cells, atoms), and how the outputs are made from the atoms."""

    table: FormTable
    ids: Array
    entries: Entries

    def columns(self) -> tuple[Array, Array]:
        """The maps of all cells as columns (cells, 3, outputs), each number rounded once, and the errors of the columns."""
        atoms = self.table.coefficients[self.ids].transpose(0, 2, 1)
        x = self.entries.expanded(atoms)
        return x, _EPS * np.sqrt((x * x).sum(axis=2)) + _UNDERFLOW

    def exact(self, cell: int) -> Dyadic:
        """The map of one cell as exact columns (3, outputs)."""
        forms = [self.table.exact[i] for i in self.ids[cell].tolist()]
        low = min((form[3] for form in forms), default=0)
        atoms = np.empty((3, len(forms)), dtype=object)
        for j, form in enumerate(forms):
            atoms[:, j] = [i << (form[3] - low) for i in form[:3]]
        return Dyadic(shrink(self.entries.expanded(atoms)), low)
