r"""The loss along a line of all weights, exactly: theta(t) = (1 - t) theta_0 + t theta_1.

In t, the weights of every layer are affine, so a unit of layer l is a polynomial of degree l on each interval on which the units
before it keep their states; where it changes its sign, the interval is cut. Squared and absolute losses are piecewise
polynomials; cross-entropy is enclosed. The line is divided into cells, whose polynomials stay well conditioned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._lazy import cached_property
from plica._show import facts_html
from plica._types import Array, Integers
from plica.errors import BudgetExceeded, InvalidInput
from plica.geometry import Budget, Meter, watched
from plica.landscape._bernstein import EPS, elevated, restricted, to_monomials
from plica.landscape._carry import Cell, Gains, gains_of
from plica.landscape._entropy_cell import entropy_cell
from plica.landscape._extremes import LineExtreme, LossCell, largest
from plica.landscape._polynomial_cell import Changes, PolynomialCell, absolute_changes, polynomial_cell, squared_changes
from plica.landscape._rows import Outputs, joined, outputs_on
from plica.landscape._store import CellStore
from plica.landscape._targets import Samples, as_network, as_samples, check_alike
from plica.measure import Enclosed
from plica.network import Network

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROOM = 24_000_000  # numbers that tensors of one part may hold
Progress = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class GridMiss:
    """What a grid of equally spaced points does not see.

    Attributes
    ----------
    n_points
        Of the grid, both ends included.
    grid
        The largest value at its points, and where.
    true
        The largest value of the line, enclosed, and where.
    """

    n_points: int
    grid: tuple[float, float]
    true: LineExtreme

    @property
    def missed(self) -> float:
        """By how much at least the grid is too low."""
        return max(self.true.value.low - self.grid[1], 0.0)


@dataclass(frozen=True, eq=False)
class LossLine:
    """The loss along a line of weights.

    Attributes
    ----------
    loss
        Its name. Squared and absolute losses are means over samples and outputs.
    cells
        The parts of the line, in order.
    degree
        Of the outputs as polynomials in t.
    n_samples
        How many samples the mean is taken over.
    n_breakpoints
        Where some unit of some sample switches (or a residual changes its sign, for the absolute loss).
    exact_fallbacks
        How often a sample on a cell was done in fractions because doubles could not tell.
    seconds
        Wall time.
    """

    loss: str
    cells: tuple[LossCell, ...]
    degree: int
    n_samples: int
    seconds: float

    @property
    def kind(self) -> str:
        """Values are enclosed by rounding bounds around exact polynomials."""
        return "certified"

    @property
    def n_breakpoints(self) -> int:
        return sum(c.n_breakpoints for c in self.cells)

    @property
    def exact_fallbacks(self) -> int:
        return sum(c.n_exact for c in self.cells)

    def _cell(self, t: float) -> tuple[LossCell, float]:
        if not 0 <= t <= 1:
            raise InvalidInput(f"t = {t} is not on the line.", hint="0 is the first network, 1 the second")
        i = int(np.searchsorted([c.cell.low for c in self.cells], t, side="right")) - 1
        low, high = self.cells[i].cell
        return self.cells[i], min((t - low) / (high - low), 1.0)

    def at(self, t: float) -> Enclosed:
        """The loss at t.

        Examples
        --------
        >>> import numpy as np
        >>> import plica
        >>> a, b = (plica.random_network([2, 4, 1], seed=s) for s in (0, 1))
        >>> line = loss_line(a, b, np.ones((1, 2)), np.zeros((1, 1)))
        >>> bool(abs(line.at(1.0).middle - float(b(np.ones(2))[0]) ** 2) < 1e-12)
        True
        """
        cell, s = self._cell(float(t))
        value, error = cell.value(s)
        return Enclosed(float(np.nextafter(value - error, -np.inf)), float(np.nextafter(value + error, np.inf)))

    def __call__(self, t: Any) -> Array:
        """The loss at many points, in floating point."""
        t = np.asarray(t, dtype=np.float64)
        return np.array([self.at(float(s)).middle for s in t.reshape(-1)]).reshape(t.shape)

    def derivatives(self, t: float) -> tuple[float, float]:
        """The derivatives from the left and from the right, in floating point; at an end both are the one there is."""
        cell, s = self._cell(float(t))
        left, right = cell.slopes(s)
        if s == 0.0 and t > 0:
            before = self.cells[self.cells.index(cell) - 1]
            left = before.slopes(1.0)[0]
        return left, right

    @cached_property
    def maximum(self) -> LineExtreme:
        return largest(self.cells)

    @cached_property
    def minimum(self) -> LineExtreme:
        return largest(self.cells, sign=-1)

    @cached_property
    def barrier(self) -> LineExtreme:
        """The most by which the loss rises above the straight line between its ends: max_t L(t) - (1 - t) L(0) - t L(1)."""
        ends = [self.at(0.0), self.at(1.0)]
        error = max(e.high - e.low for e in ends) / 2 + 32 * EPS * sum(abs(e.middle) for e in ends)
        return largest(self.cells, chord=(ends[0].middle, ends[1].middle, error))

    def breakpoints(self) -> Array:
        """Enclosures of all breakpoints, in order: rows (low, high)."""
        found = []
        for cell in self.cells:
            if isinstance(cell, PolynomialCell):
                low, high = cell.low, cell.high
            else:
                begins = cell.rows.a_high > 0
                low, high = cell.rows.a_low[begins], cell.rows.a_high[begins]
                order = np.argsort(low)
                low, high = low[order], high[order]
            a, width = cell.cell.low, cell.cell.high - cell.cell.low
            rounded = np.stack([np.nextafter(a + width * low, -1), np.nextafter(a + width * high, 2)], axis=1)
            found.append(rounded)
        return np.concatenate(found)

    def kinks(self) -> Array:
        """Rows (t, derivative before, derivative after) for every breakpoint of a polynomial loss, in floating point."""
        cells = [c for c in self.cells if isinstance(c, PolynomialCell)]
        if not self.is_polynomial:
            raise InvalidInput("the kinks of cross-entropy are not kept as a table.", hint="ask derivatives(t) at breakpoints()")
        return np.concatenate([np.stack(c.kinks(), axis=1) for c in cells])

    @property
    def is_polynomial(self) -> bool:
        """Whether the loss is a polynomial between its breakpoints: squared and absolute losses are."""
        return all(isinstance(c, PolynomialCell) for c in self.cells)

    def pieces(self) -> tuple[Array, Array]:
        """Knots and polynomials of a polynomial loss, in floating point.

        Between knots k and k + 1 the loss at (1 - s) knot_k + s knot_{k + 1} is sum_i c[k, i] s^i.

        Examples
        --------
        >>> import plica
        >>> a, b = (plica.random_network([2, 4, 1], seed=s) for s in (0, 1))
        >>> line = loss_line(a, b, np.ones((1, 2)), np.zeros((1, 1)))
        >>> knots, c = line.pieces()
        >>> len(knots) == len(c) + 1, bool(abs(c[-1].sum() - line.at(1.0).middle) < 1e-12)
        (True, True)
        """
        if not self.is_polynomial:
            raise InvalidInput("cross-entropy is no polynomial between its breakpoints.", hint="ask table() or at(t)")
        knots, found = [np.zeros(1)], []
        degree = max(len(c.c) for c in self.cells) - 1
        for cell in self.cells:
            assert isinstance(cell, PolynomialCell)
            s = np.concatenate([[0.0], (cell.low + cell.high) / 2, [1.0]])
            found.append(to_monomials(elevated(restricted(cell.c, s[:-1], s[1:]), degree)).T)
            knots.append(cell.cell.low + (cell.cell.high - cell.cell.low) * s[1:])
        return np.concatenate(knots), np.concatenate(found)

    def grid_miss(self, n_points: int = 25) -> GridMiss:
        """What a grid of equally spaced points makes of the maximum."""
        t = np.linspace(0, 1, n_points)
        values = self(t)
        best = int(np.argmax(values))
        return GridMiss(n_points, (float(t[best]), float(values[best])), self.maximum)

    def table(self, n_points: int = 101) -> list[dict[str, float]]:
        """Values and one-sided derivatives at equally spaced points."""
        rows = []
        for t in np.linspace(0, 1, n_points):
            value, (left, right) = self.at(float(t)), self.derivatives(float(t))
            rows.append({"t": float(t), "low": value.low, "high": value.high, "left": left, "right": right})
        return rows

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """The loss against t, with its barrier and what 25 points see."""
        from plica.plot import plot_loss_line

        return plot_loss_line(self, ax=ax)

    def to_meshio(self, n_points: int = 401) -> Any:
        """The line as a ``meshio.Mesh`` of segments through (t, loss, 0), breakpoints included: ``.write("line.vtk")``."""
        from plica.geometry.export import imported

        t = np.union1d(np.linspace(0, 1, n_points), np.clip(self.breakpoints().mean(axis=1), 0.0, 1.0))
        values = self(t)
        segments = np.stack([np.arange(len(t) - 1), np.arange(1, len(t))], axis=1)
        points = np.stack([t, values, np.zeros_like(t)], axis=1)
        return imported("meshio").Mesh(points, [("line", segments)], point_data={"loss": values})

    def _repr_html_(self) -> str:
        return facts_html(self, {"barrier": float(self.barrier.value), "at": self.barrier.t, "seconds": self.seconds})

    def __repr__(self) -> str:
        return (
            f"<LossLine of the {self.loss} loss: {self.n_samples:,} samples, {self.n_breakpoints:,} breakpoints, "
            f"outputs of degree {self.degree}, {self.kind}>"
        )


def loss_line(
    start: Any,
    end: Any,
    x: Any,
    y: Any,
    *,
    loss: str = "squared",
    n_cells: int | None = None,
    budget: Budget | None = None,
    progress: Progress | None = None,
    store: str | Path | None = None,
) -> LossLine:
    """The exact loss on the straight line between two networks of one architecture.

    Parameters
    ----------
    start, end
        Networks or torch modules. All numbers of affine operations move; batch norms move as the factors and offsets they are in
        eval mode. Slopes and thresholds of activations must agree.
    x, y
        Samples, and values or labels; for squared and absolute losses labels stand for unit vectors.
    loss
        ``"squared"`` and ``"absolute"`` (means over samples and outputs) or ``"cross-entropy"``.
    n_cells
        Parts of the line, each with its own polynomials.
    budget
        Limits; ``max_cells`` counts breakpoints.
    progress
        Called after each part with the numbers of parts done and in all, and of breakpoints.
    store
        A folder for finished parts: an interrupted computation continues there.

    Examples
    --------
    >>> import numpy as np
    >>> import plica
    >>> a, b = (plica.random_network([3, 8, 8, 2], seed=s) for s in (0, 1))
    >>> x = np.random.default_rng(0).normal(size=(20, 3))
    >>> line = loss_line(a, b, x, np.zeros((20, 2)))
    >>> line.degree, line.exact_fallbacks, line.barrier.value.high - line.barrier.value.low < 1e-9
    (3, 0, True)
    """
    first, last = as_network(start, x), as_network(end, x)
    check_alike(first, last)
    samples = as_samples(first, x, y, loss)
    n = _n_cells(first) if n_cells is None else n_cells
    if not 1 <= n <= 2**16:
        raise InvalidInput(f"n_cells = {n}.", hint="between 1 and 65,536; more cells need more time, and less memory")
    meter = Meter(budget or Budget(), n)
    keeper = None if store is None else CellStore(Path(store), first, last, samples, n)
    begun, cells, ends, gains = perf_counter(), [], _cell_ends(n), gains_of(first, last)
    try:
        with watched(meter):
            for i in range(n):
                known = None if keeper is None else keeper.load(i)
                cell = _one_cell(first, last, samples, Cell(ends[i], ends[i + 1]), n, gains) if known is None else known
                if keeper is not None and known is None:
                    keeper.save(i, cell)
                cells.append(cell)
                meter.n_cells = max(sum(c.n_breakpoints for c in cells), 1)
                if progress is not None:
                    progress({"parts_done": i + 1, "n_parts": n, "n_breakpoints": meter.n_cells, "seconds": meter.seconds})
                meter.check()
    except BudgetExceeded as error:
        raise BudgetExceeded(
            f"the budget was reached after {len(cells)} of {n} parts of the line.",
            hint="give fewer samples or a larger budget; with store=FOLDER the next call continues here",
            partial={**error.partial, "parts_done": len(cells), "n_parts": n},
        ) from None
    degree = max(_degree(c) for c in cells)
    return LossLine(samples.loss, tuple(cells), degree, len(samples.x), perf_counter() - begun)


def _degree(cell: LossCell) -> int:
    return (len(cell.c) - 1) // 2 if isinstance(cell, PolynomialCell) and cell.kind == "squared" else len(cell.c) - 1


def _n_cells(network: Network) -> int:
    """So many that a sample has about a dozen breakpoints on each; then tensors fit and polynomials are tame."""
    return int(2 ** np.clip(np.ceil(np.log2(max(network.n_neurons, 1) / 24)), 2, 7))


def _cell_ends(n: int) -> list[float]:
    """The ends of n cells: fractions of 2^24 at which no network switches by its symmetry, as it may at 1/2 or 1/3."""
    inner = [round((i + 0.3819) / n * 2**23) / 2**23 + 2.0**-24 for i in range(n - 1)]
    return [0.0, *inner, 1.0]


def _one_cell(start: Network, end: Network, samples: Samples, cell: Cell, n_cells: int, gains: Gains) -> LossCell:
    changes: list[Changes] = []
    outputs: list[Outputs] = []
    for chosen in _parts(start, len(samples.x), n_cells):
        targets = samples.targets[chosen]
        residual_of = targets if samples.loss == "absolute" else None
        out = outputs_on(start, end, samples.x[chosen], cell, gains=gains, residual_of=residual_of)
        if samples.loss == "cross-entropy":
            moved = out.rows._replace(sample=out.rows.sample + chosen[0])
            outputs.append(out._replace(rows=moved))
        elif samples.loss == "squared":
            changes.append(squared_changes(out, targets, int(chosen[0])))
        else:
            changes.append(absolute_changes(out, int(chosen[0])))
    if outputs:
        return entropy_cell(cell, joined(outputs), samples.targets, len(samples.x))
    return polynomial_cell(cell, changes, len(samples.x), kind=samples.loss)


def _parts(network: Network, n_samples: int, n_cells: int) -> Iterator[Integers]:
    """Samples that are done together, so that their tensors fit into the room there is."""
    pieces = 2 + network.n_neurons / n_cells
    widest = max(node.size for node in network.nodes)
    size = int(np.clip(ROOM / (pieces * widest * (len(network.layers) + 2)), 1, n_samples))
    for first in range(0, n_samples, size):
        yield np.arange(first, min(first + size, n_samples))
