"""The result of a decomposition: cells, folds and vertices with their incidences, and the questions they answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.exact import Dyadic
from plica.geometry.domains import Domain, Path
from plica.geometry.signs._decisions import Decisions, Tally
from plica.network import Network

Pattern = tuple[Array, ...]
SLIVER = 1e-12  # a cell smaller than this part of the domain is counted as a sliver


class Complex:
    """The exact complex of a piecewise-linear network over a domain of one or two dimensions.

    Counts, patterns and incidences are exact for the weights as stored. Coordinates of vertices are floats next to the exact
    rational positions, which :meth:`exact_vertex` gives.

    Attributes
    ----------
    network, domain
        What was decomposed.
    decisions
        How many decisions each precision made while the network was decomposed. Reading a complex never changes it.
    seconds
        How long the decomposition took.
    """

    dimension: int

    def __init__(self, network: Network, domain: Domain | Path, seconds: float) -> None:
        self.network = network
        self.domain = domain
        self.seconds = seconds
        self.decisions = Decisions()

    # -- counts --------------------------------------------------------------------------------------------------------

    @property
    def n_cells(self) -> int:
        raise NotImplementedError

    @property
    def exact_fallbacks(self) -> int:
        """How many decisions of the decomposition floating point could not make and integers made."""
        return self.decisions.integer

    @cached_property
    def _regions(self) -> tuple[Array, Decisions]:
        tally = Tally()
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):  # what floating point loses, exact arithmetic decides
            return self._find_regions(tally), tally.decisions

    @property
    def regions(self) -> Array:
        """The region of each cell: cells with the same number are connected and share one affine map."""
        return self._regions[0]

    @property
    def region_decisions(self) -> Decisions:
        """How many decisions each precision made about which neighboring cells have one map."""
        return self._regions[1]

    @property
    def n_regions(self) -> int:
        """The number of maximal connected unions of cells on which the network is one affine map."""
        return int(self.regions.max(initial=-1)) + 1

    @property
    def n_slivers(self) -> int:
        """Cells smaller than 1e-12 of the domain: they exist, but decimal weights may not have meant them."""
        return int((self.sizes() < SLIVER * self.domain.size).sum())

    @property
    def n_vertices(self) -> int:
        return len(self.vertices)

    # -- what the two engines provide ------------------------------------------------------------------------------------

    @property
    def vertices(self) -> Array:
        """Parameters of the vertices."""
        raise NotImplementedError

    @property
    def outputs(self) -> Array:
        """The network at the vertices."""
        raise NotImplementedError

    @property
    def edges(self) -> Array:
        """The two vertices of each edge."""
        raise self._only("edges", "a plane or a box")

    @property
    def edge_cells(self) -> Array:
        """The cells on the left and on the right of each edge, -1 outside the domain; in the plane only."""
        raise self._only("edge_cells", "a plane")

    @property
    def edge_layer(self) -> Array:
        """The layer whose fold made each face of codimension one, -1 on the border of the domain."""
        raise NotImplementedError

    def cell_polygons(self) -> list[Array]:
        """The corners of every cell, counter-clockwise; in the plane only."""
        raise self._only("cell_polygons", "a plane")

    def folds(self, layer: int | None = None, neuron: int | None = None) -> Array:
        """Where the given unit (any unit of the layer, any unit at all) changes its state."""
        raise NotImplementedError

    def level_set(self, value: float = 0.0, output: int = 0) -> Array:
        """The border of the part of the domain where the output is greater than the value."""
        raise self._only("level_set", "a line or a plane")

    def decision_boundary(self, outputs: Any = None) -> Array:
        """The border between the parts where different outputs are largest (where a single output changes its sign)."""
        raise self._only("decision_boundary", "a line or a plane")

    def to_dict(self) -> dict[str, Any]:
        """The complex as plain lists and numbers."""
        raise NotImplementedError

    def _only(self, name: str, where: str) -> InvalidInput:
        return InvalidInput(f"{name} needs a complex over {where}; this one has dimension {self.dimension}.")

    def sizes(self) -> Array:
        """Length or area of each cell, in the parameters of the domain."""
        raise NotImplementedError

    def neighbors(self, cell: int) -> list[int]:
        """The cells that share a fold with the given one."""
        raise NotImplementedError

    def exact_vertex(self, vertex: int) -> tuple[Any, ...]:
        """The position of a vertex in parameters, as fractions."""
        raise NotImplementedError

    def _find_regions(self, tally: Tally) -> Array:
        raise NotImplementedError

    def _cell_vertices(self, cell: int) -> Array:
        raise NotImplementedError

    def _states(self, layer: int, cell: int) -> Array:
        raise NotImplementedError

    def _exact_map(self, cell: int) -> Dyadic:
        """The network on a cell as exact columns over the domain's parameters."""
        raise NotImplementedError

    def _frame(self, cell: int) -> tuple[Array, Array]:
        """Directions (d, n_inputs) and origin of the chart that a cell belongs to."""
        raise NotImplementedError

    def _candidates(self, parameters: Array) -> Array:
        """Cells whose bounding box holds the parameters, slightly enlarged."""
        raise NotImplementedError

    # -- shared --------------------------------------------------------------------------------------------------------

    @property
    def points(self) -> Array:
        """The vertices in the input space."""
        return self.domain.to_input(self.vertices)

    @property
    def cells(self) -> CellSequence:
        """The cells as objects: ``complex.cells[i].pattern``."""
        return CellSequence(self)

    def pattern(self, cell: int) -> Pattern:
        """The activation pattern of a cell: the state of every unit, one array for each layer."""
        cell = self._index(cell)
        shapes = [self.network.nodes[i].shape for i in self.network.layers]
        return tuple(self._states(i, cell).reshape(shape) for i, shape in enumerate(shapes))

    def _index(self, cell: int) -> int:
        n = self.n_cells
        if not isinstance(cell, (int, np.integer)) or not -n <= cell < n:
            raise InvalidInput(f"there is no cell {cell!r}; cells are numbered 0 to {n - 1}.")
        return int(cell) % n

    def cell_at(self, x: Any) -> int:
        """The cell that contains a point, given in the input space or in the parameters of the domain.

        On a fold, the lowest-numbered of the cells that meet there. The decision is exact.
        """
        from plica.geometry._locate import locate

        return locate(self, x)

    def summary(self) -> dict[str, Any]:
        """Counts and sizes in one dict of plain numbers."""
        sizes = self.sizes()
        return {
            "dimension": self.dimension,
            "n_inputs": self.network.n_inputs,
            "widths": list(self.network.widths),
            "n_cells": self.n_cells,
            "n_regions": self.n_regions,
            "n_slivers": self.n_slivers,
            "n_vertices": self.n_vertices,
            "exact_fallbacks": self.exact_fallbacks,
            "largest_cell": float(sizes.max()),
            "smallest_cell": float(sizes.min()),
            "seconds": self.seconds,
        }

    def save(self, path: Any) -> None:
        """Write the complex, with its network and domain, to an ``.npz`` file that :meth:`load` reads without pickles."""
        from plica.geometry._storage import save

        save(self, path)

    @staticmethod
    def load(path: Any) -> Complex:
        """Read a complex written by :meth:`save`."""
        from plica.geometry._storage import load

        return load(path)

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the complex with matplotlib; see :func:`plica.plot.plot_complex`."""
        from plica.plot import plot_complex

        return plot_complex(self, ax=ax, **options)

    def __repr__(self) -> str:
        noun = "piece" if self.dimension == 1 else "cell"
        plural = "" if self.n_cells == 1 else "s"
        widths = "-".join(map(str, self.network.widths))
        return (
            f"<Complex of {widths} over a {type(self.domain).__name__.lower()}: {self.n_cells:,} {noun}{plural}, "
            f"{self.n_vertices:,} vertices, {self.exact_fallbacks:,} exact fallbacks, {1000 * self.seconds:.1f} ms>"
        )

    def _repr_html_(self) -> str:
        from plica._show import facts_html
        from plica.geometry._thumbnail import thumbnail

        return facts_html(self, self.summary(), picture=thumbnail(self))


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
        """Numbers of its vertices, counter-clockwise."""
        return self.complex._cell_vertices(self.index)

    @cached_property
    def affine_map(self) -> tuple[Array, Array]:
        """(A, c) with f(x) = A x + c on the cell, x in the input space."""
        return self.complex.network.linearize(self.pattern)

    @cached_property
    def slice_map(self) -> tuple[Array, Array]:
        """(A, c) with f = A u + c on the cell, u the parameters of the domain."""
        directions, origin = self.complex._frame(self.index)
        points = np.concatenate([origin + directions, origin[None]])
        y = self.complex.network.piece(self.pattern, points)
        return (y[:-1] - y[-1]).T.copy(), y[-1].copy()

    @cached_property
    def size(self) -> float:
        """Length or area in the parameters."""
        return float(self.complex.sizes()[self.index])

    @cached_property
    def center(self) -> Array:
        """The mean of its vertices, in the parameters: an interior point."""
        return np.asarray(self.complex.vertices[self.vertices].mean(axis=0))

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


@dataclass(frozen=True)
class RegionCount:
    """Numbers of cells and regions, without geometry.

    Examples
    --------
    >>> RegionCount(n_cells=4, n_regions=3, decisions=Decisions(double=12), seconds=0.1).n_regions
    3
    """

    n_cells: int
    n_regions: int | None
    decisions: Decisions
    seconds: float

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
