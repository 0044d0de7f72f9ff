"""Cells as objects: one at a time, each part computed when asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plica._lazy import cached_property
from plica._types import Array

if TYPE_CHECKING:
    from plica.geometry._complex import Complex

Pattern = tuple[Array, ...]


@dataclass(frozen=True, eq=False)
class Cell:
    """One cell of a complex; its parts are computed when asked for."""

    complex: Complex
    index: int

    @cached_property
    def pattern(self) -> Pattern:
        """The state of every unit, one array for each layer."""
        return self.complex.pattern(self.index)

    @cached_property
    def vertices(self) -> Array:
        """Numbers of its vertices; counter-clockwise in the plane."""
        return self.complex.vertices_of(self.index)

    @cached_property
    def affine_map(self) -> tuple[Array, Array]:
        """(A, c) with f(x) = A x + c on the cell, x in the input space."""
        return self.complex.network.linearize(self.pattern)

    @cached_property
    def slice_map(self) -> tuple[Array, Array]:
        """(A, c) with f = A u + c on the cell, u the parameters of the domain."""
        directions, origin = self.complex.frame(self.index)
        return self.complex.network.linearize(self.pattern, directions=directions, origin=origin)

    @cached_property
    def size(self) -> float:
        """Length, area or volume in the parameters."""
        return float(self.complex.sizes()[self.index])

    @cached_property
    def center(self) -> Array:
        """An interior point in the parameters: the mean of its vertices, or of those of its part in the box that shows R^n."""
        return self.complex.center(self.index)

    @property
    def region(self) -> int:
        return int(self.complex.regions[self.index])

    def __repr__(self) -> str:
        return f"<Cell {self.index}: {len(self.vertices)} vertices, size {self.size:.3g}>"


class CellSequence(Sequence[Cell]):
    """The cells of a complex, made when asked for."""

    def __init__(self, owner: Complex) -> None:
        self._owner = owner

    def __len__(self) -> int:
        return self._owner.n_cells

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [Cell(self._owner, i) for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return Cell(self._owner, int(index) % len(self))

    def __iter__(self) -> Iterator[Cell]:
        return (Cell(self._owner, i) for i in range(len(self)))
