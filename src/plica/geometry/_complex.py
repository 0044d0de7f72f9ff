"""What every complex has: counts, vertices, cells and facets as arrays, patterns, affine maps, regions, exact positions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any

import numpy as np

from plica._lazy import cached_property
from plica._types import Array
from plica.errors import InvalidInput
from plica.exact import Dyadic
from plica.geometry._affine_maps import AffineMaps, Bounded, as_maps
from plica.geometry._budget import Budget, tick, watched_anew
from plica.geometry._cell import CellSequence, Pattern
from plica.geometry.domains import Domain, Path, Space
from plica.geometry.signs._decisions import Decisions, Tally
from plica.network import Network

MOST_KEPT = 100_000  # exact values at vertices that are remembered
SLIVER = 1e-12  # a cell smaller than this part of the domain is counted as a sliver


class Complex(ABC):
    """The exact complex of a piecewise-linear network over a domain: what complexes of every dimension share.

    Counts, patterns and incidences are exact for the weights as stored. Coordinates of vertices are floats next to the exact
    rational positions, which :meth:`exact_vertex` gives. A *facet* is a face of codimension one: a breakpoint on a line, an edge
    in the plane, a polygon in space. What has a dimension is in :class:`plica.geometry.LineComplex`,
    :class:`plica.geometry.PlaneComplex`, :class:`plica.geometry.SpaceComplex`.

    Attributes
    ----------
    network, domain
        What was decomposed.
    dimension
        Of the domain.
    decisions
        How many decisions each precision made while the network was decomposed. Reading a complex never changes it.
    seconds
        How long the decomposition took.
    budget
        The limits of the decomposition; they hold again for regions, outputs and maps, which are computed when asked for.
    """

    dimension: int

    budget: Budget | None = None  # for what is computed when it is asked for

    def __init__(self, network: Network, domain: Domain | Path | Space, seconds: float) -> None:
        self.network = network
        self.domain = domain
        self.seconds = seconds
        self.decisions = Decisions()

    # -- vertices --------------------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def vertices(self) -> Array:
        """Parameters of the vertices, (vertices, dimension)."""

    @property
    @abstractmethod
    def outputs(self) -> Array:
        """The network at the vertices, (vertices, outputs)."""

    @abstractmethod
    def bounded_vertices(self) -> Bounded:
        """The vertices as floating point has them, with a bound of how far each is from the truth."""

    @abstractmethod
    def bounded_outputs(self) -> Bounded:
        """The network at the true vertices as floating point has it, with a bound of its error."""

    @abstractmethod
    def exact_vertex(self, vertex: int) -> tuple[Fraction, ...]:
        """The position of a vertex in parameters, as fractions."""

    def exact_output(self, vertex: int) -> tuple[Fraction, ...]:
        """The network at a vertex, as fractions."""
        known = self._exact_outputs
        if vertex not in known:
            columns = self.exact_map(int(self.vertex_cell[vertex]))
            p = (*self.exact_vertex(vertex), Fraction(1))
            numbers, width = columns.fractions(), columns.shape[1]
            found = tuple(sum((c * u for c, u in zip(numbers[k::width], p, strict=True)), Fraction(0)) for k in range(width))
            if len(known) * width >= MOST_KEPT:
                return found
            known[vertex] = found
        return known[vertex]

    @cached_property
    def _exact_outputs(self) -> dict[int, tuple[Fraction, ...]]:
        """What was asked for, up to a number of fractions: outputs are often asked for one after the other."""
        return {}

    @cached_property
    def vertex_cell(self) -> Array:
        """Some cell of each vertex."""
        out = np.zeros(len(self.vertices), np.int64)
        out[self.cell_vertices] = np.repeat(np.arange(self.n_cells), np.diff(self.cell_offsets))
        return out

    @property
    def n_vertices(self) -> int:
        return len(self.vertices)

    @property
    def points(self) -> Array:
        """The vertices in the input space."""
        return self.domain.to_input(self.vertices)

    # -- cells -----------------------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def n_cells(self) -> int:
        """The number of cells."""

    @property
    @abstractmethod
    def cell_offsets(self) -> Array:
        """Where the vertices of each cell start in :attr:`cell_vertices`, (cells + 1,)."""

    @property
    @abstractmethod
    def cell_vertices(self) -> Array:
        """Numbers of the vertices of all cells, one cell after the other; counter-clockwise in the plane."""

    @abstractmethod
    def sizes(self) -> Array:
        """Length, area or volume of each cell, in the parameters of the domain."""

    @abstractmethod
    def layer_states(self, layer: int) -> Array:
        """The states of all units of a layer on every cell, (cells, units)."""

    @abstractmethod
    def unit_states(self, layer: int, neuron: int) -> Array:
        """The state of one unit on every cell."""

    @abstractmethod
    def exact_map(self, cell: int) -> Dyadic:
        """The network on a cell as exact columns over the domain's parameters: (dimension + 1, outputs), the constant last."""

    @abstractmethod
    def bounded_maps(self) -> Bounded:
        """The network on every cell as columns over the domain's parameters, (cells, dimension + 1, outputs), the constant last.

        The error bounds the 2-norm of each column, (cells, dimension + 1).
        """

    @abstractmethod
    def bounded_input_maps(self) -> Bounded:
        """The network on every cell as columns over the input space, (cells, inputs + 1, outputs); errors as there."""

    @abstractmethod
    def exact_input_map(self, cell: int) -> Dyadic:
        """The network on a cell as exact columns over the input space: (inputs + 1, outputs), the constant last."""

    def affine_maps(self) -> AffineMaps:
        """f(x) = A x + c on every cell, x in the input space: A is (cells, outputs, inputs), c is (cells, outputs)."""
        with watched_anew(self.budget, len(self.network.layers)):
            return as_maps(self.bounded_input_maps().values)

    @abstractmethod
    def frame(self, cell: int) -> tuple[Array, Array]:
        """Directions (dimension, inputs) and origin of a cell's chart, as fractions: x = origin + u @ directions."""

    @abstractmethod
    def center(self, cell: int) -> Array:
        """An interior point of a cell, in parameters."""

    @abstractmethod
    def interior_point(self, cell: int) -> tuple[Fraction, ...]:
        """An interior point of a cell, exactly."""

    @property
    def cells(self) -> CellSequence:
        """The cells as objects: ``complex.cells[i].pattern``."""
        return CellSequence(self)

    def vertices_of(self, cell: int) -> Array:
        """Numbers of the vertices of one cell."""
        cell, offsets = self._index(cell), self.cell_offsets
        return self.cell_vertices[offsets[cell] : offsets[cell + 1]]

    def cell_means(self, values: Array) -> Array:
        """The mean over each cell's vertices of values given at the vertices."""
        sizes = np.diff(self.cell_offsets)
        totals = np.add.reduceat(np.asarray(values)[self.cell_vertices], self.cell_offsets[:-1], axis=0)
        return np.asarray(totals / sizes.reshape(-1, *[1] * (totals.ndim - 1)))

    def slice_maps(self) -> AffineMaps:
        """f = A u + c on every cell, u the parameters: A is (cells, outputs, dimension), c is (cells, outputs)."""
        with watched_anew(self.budget, len(self.network.layers)):
            return as_maps(self.bounded_maps().values)

    def pattern(self, cell: int) -> Pattern:
        """The activation pattern of a cell: the state of every unit, one array for each layer."""
        cell = self._index(cell)
        shapes = [self.network.nodes[i].shape for i in self.network.layers]
        return tuple(self._states(i, cell).reshape(shape) for i, shape in enumerate(shapes))

    def patterns(self) -> Pattern:
        """The activation patterns of all cells: for each layer an array (cells, *shape of the layer)."""
        shapes = [self.network.nodes[i].shape for i in self.network.layers]
        with watched_anew(self.budget, len(shapes)):
            tick(self.n_cells * self.network.n_neurons)
            return tuple(self.layer_states(i).reshape(self.n_cells, *shape) for i, shape in enumerate(shapes))

    @abstractmethod
    def cells_at(self, x: Any) -> list[int]:
        """All cells whose closure holds a point of the input space or of the parameters. The decision is exact."""

    @abstractmethod
    def cell_at(self, x: Any) -> int:
        """The cell that contains a point; on a fold, the lowest-numbered of the cells that meet there. The decision is exact."""

    # -- facets ----------------------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def facet_cells(self) -> Array:
        """The two cells of each facet, (facets, 2); -1 outside the domain."""

    @property
    @abstractmethod
    def facet_layer(self) -> Array:
        """The layer whose fold made each facet; -1 on the border of the domain and at the knots of a path."""

    @property
    @abstractmethod
    def facet_offsets(self) -> Array:
        """Where the vertices of each facet start in :attr:`facet_vertices`, (facets + 1,)."""

    @property
    @abstractmethod
    def facet_vertices(self) -> Array:
        """Numbers of the vertices of all facets, one facet after the other."""

    @abstractmethod
    def folds(self, layer: int | None = None, neuron: int | None = None) -> Any:
        """Where the given unit (any unit of the layer, any unit at all) changes its state: corners of the facets there."""

    def fold_facets(self, layer: int | None = None, neuron: int | None = None) -> Array:
        """Numbers of the facets across which the given unit (any unit of the layer, any unit at all) changes its state."""
        self._check_unit(layer, neuron)
        sides = self.facet_cells
        inner = np.flatnonzero((sides >= 0).all(axis=1) & (sides[:, 0] != sides[:, 1]))
        if layer is None:
            return inner
        left, right = sides[inner].T
        states = self.layer_states(layer) if neuron is None else self.unit_states(layer, neuron)[:, None]
        return inner[(states[left] != states[right]).any(axis=1)]

    @cached_property
    def _adjacency(self) -> Any:
        from scipy.sparse import csr_array

        pairs = self.facet_cells[(self.facet_cells >= 0).all(axis=1)].astype(np.int64)
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
        pairs = np.concatenate([pairs, pairs[:, ::-1]])
        n = self.n_cells
        keys = np.unique(pairs[:, 0] * n + pairs[:, 1])
        matrix = csr_array((np.ones(len(keys), np.bool_), (keys // n, keys % n)), shape=(n, n))
        matrix.sort_indices()
        return matrix

    def adjacency(self) -> Any:
        """Which cells share a facet: a symmetric boolean ``scipy.sparse.csr_array`` (cells, cells), the dual graph."""
        return self._adjacency.copy()

    def neighbors(self, cell: int) -> list[int]:
        """The cells that share a facet with the given one."""
        cell, graph = self._index(cell), self._adjacency
        return [int(c) for c in graph.indices[graph.indptr[cell] : graph.indptr[cell + 1]]]

    # -- regions ---------------------------------------------------------------------------------------------------------

    @cached_property
    def _regions(self) -> tuple[Array, Decisions]:
        tally = Tally()
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):  # what floating point loses, exact arithmetic decides
            with watched_anew(self.budget, len(self.network.layers)):
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

    # -- for the classes that follow -------------------------------------------------------------------------------------

    @abstractmethod
    def _find_regions(self, tally: Tally) -> Array: ...

    @abstractmethod
    def _states(self, layer: int, cell: int) -> Array: ...

    def _index(self, cell: int) -> int:
        n = self.n_cells
        if not isinstance(cell, (int, np.integer)) or not -n <= cell < n:
            raise InvalidInput(f"there is no cell {cell!r}; cells are numbered 0 to {n - 1}.")
        return int(cell) % n

    def _check_unit(self, layer: int | None, neuron: int | None) -> None:
        layers = self.network.layers
        if layer is not None and not 0 <= layer < len(layers):
            raise InvalidInput(f"there is no layer {layer}; the network has folding layers 0 to {len(layers) - 1}.")
        if neuron is not None:
            if layer is None:
                raise InvalidInput("a neuron is given without its layer.")
            size = self.network.nodes[layers[layer]].size
            if not 0 <= neuron < size:
                raise InvalidInput(f"layer {layer} has neurons 0 to {size - 1}, there is no {neuron}.")

    # -- summaries and files ---------------------------------------------------------------------------------------------

    @property
    def exact_fallbacks(self) -> int:
        """How many decisions of the decomposition floating point could not make and integers made."""
        return self.decisions.integer

    @property
    def n_slivers(self) -> int:
        """Cells smaller than 1e-12 of the domain: they exist, but decimal weights may not have meant them."""
        return int((self.sizes() < SLIVER * self.domain.size).sum())

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

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The complex as plain lists and numbers."""

    def to_networkx(self) -> Any:
        """The dual graph as a ``networkx.Graph``: a node for each cell, an edge where two share a facet.

        Nodes know their ``size`` and ``region``, edges the ``layers`` whose folds separate the two cells.
        """
        from plica.geometry.export._graph import to_networkx

        return to_networkx(self)

    def save(self, path: Any) -> None:
        """Write the complex, with its network and domain, to an ``.npz`` file that :meth:`load` reads without pickles."""
        from plica.geometry._storage import save

        save(self, path)

    @staticmethod
    def load(path: Any) -> Complex:
        """Read a complex written by :meth:`save`."""
        from plica.geometry._storage import load

        return load(path)

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
