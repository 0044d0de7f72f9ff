r"""Lipschitz constants over a domain: the largest norm of the affine maps of its cells, exactly.

On a convex domain of full dimension the largest operator norm over cells is the Lipschitz constant. On a slice it is the largest
local constant of the network at points of the slice. The constants for :math:`\ell_1` (largest column sum of absolute values) and
:math:`\ell_\infty` (largest row sum) are fractions; for :math:`\ell_2` the square of the norm is the largest eigenvalue of a
rational matrix, which is enclosed: above by a rational check that :math:`\lambda I - A^T A` is positive definite, below by a
Rayleigh quotient.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.exact import Dyadic
from plica.geometry import Complex, reading, tick
from plica.measure._fold_distance_bounds import lipschitz_upper_bounds
from plica.measure.cells._integrals import Enclosed, enclosed_exactly
from plica.measure.cells._lipschitz_interval import derivative_ranges
from plica.measure.cells._sharp import checked_complex
from plica.network import Affine, Fold, Network

NORMS = ("l1", "l2", "linf")
Row = list[Fraction]
Matrix = list[Row]


@dataclass(frozen=True, eq=False)
class Lipschitz:
    """The Lipschitz constant of a network over a domain.

    Attributes
    ----------
    value
        The constant; a fraction for l1 and linf, and for l2 an enclosure of the root of :attr:`square`.
    norm
        ``"l1"``, ``"l2"`` or ``"linf"``, of inputs and outputs.
    cell
        A cell where it is attained.
    cell_norms
        The norm of every cell, in floating point.
    product_bound
        The usual upper bound: a product of norms of layers.
    """

    value: Enclosed
    norm: str
    cell: int
    cell_norms: Array
    product_bound: float
    complex: Complex

    @property
    def kind(self) -> str:
        """``"exact"`` or ``"certified"``."""
        return self.value.kind

    @property
    def gap(self) -> float:
        """How many times the product of the layers' norms is too large."""
        return self.product_bound / self.value.middle if self.value.middle else float("inf")

    @property
    def interval_bound(self) -> float:
        """The norm of the largest magnitudes of all derivatives, by interval arithmetic: an upper bound."""
        low, high = derivative_ranges(self.complex)
        return float(_norms(np.maximum(np.abs(low), np.abs(high)).T[None], np.zeros((1, len(low))), self.norm)[0][0])

    def sampled(self, n_points: int, *, seed: int) -> float:
        """The largest norm of the gradient at uniformly drawn points of a bounded domain: an estimate from below.

        A uniform point lies in a cell with probability proportional to the cell's size, so cells are drawn instead.
        """
        sizes = self.complex.sizes()
        if not np.isfinite(sizes).all():
            raise InvalidInput("no point of R^n can be drawn uniformly.")
        drawn = np.random.default_rng(seed).choice(len(sizes), n_points, p=sizes / sizes.sum())
        return float(self.cell_norms[drawn].max())

    def __float__(self) -> float:
        return self.value.middle

    def __repr__(self) -> str:
        return f"<Lipschitz constant {self.value.middle:.6g} in {self.norm}, {self.kind}, at cell {self.cell}>"

    def _repr_html_(self) -> str:
        from plica._show import facts_html

        facts = {"constant": float(self.value), "norm": self.norm, "attained in cell": self.cell}
        return facts_html(self, facts | {"product of the layers' norms": self.product_bound, "kind": self.kind})


@reading
def lipschitz(cx: Complex, *, norm: str = "l2") -> Lipschitz:
    """The Lipschitz constant of a network over the domain of a complex, in one norm for inputs and outputs.

    Examples
    --------
    >>> import numpy as np, plica
    >>> from plica.network import Linear, Network, Rectifier
    >>> net = Network.sequential(2, [Linear(np.array([[3.0, 4.0], [1.0, -1.0]])), Rectifier(), Linear(np.array([[1.0, -1.0]]))])
    >>> cx = plica.decompose(net, plica.Box([-1, -1], [1, 1]))
    >>> lipschitz(cx, norm="linf").value.exact, lipschitz(cx, norm="l1").value.exact
    (Fraction(7, 1), Fraction(5, 1))
    >>> lipschitz(cx)
    <Lipschitz constant 5.38516 in l2, certified, at cell 2>
    """
    checked_complex(cx)
    _check(norm)
    columns, error = cx.bounded_input_maps()
    values, slip = _norms(columns[:, :-1].transpose(0, 2, 1), error[:, :-1], norm)
    with np.errstate(invalid="ignore"):
        candidates = np.flatnonzero(~(values + slip < (values - slip).max()))
    best: tuple[Enclosed, int] | None = None
    seen: set[int] = set()
    for cell in candidates[np.argsort(-values[candidates], kind="stable")].tolist():
        region = int(cx.regions[cell])
        if region in seen:
            continue
        seen.add(region)
        found = exact_norm(cx.exact_input_map(cell), norm)
        if best is None or found.high > best[0].high:
            best = (found, cell)
    assert best is not None
    return Lipschitz(best[0], norm, best[1], values, product_bound(cx.network, norm), cx)


@reading
def local_lipschitz(cx: Complex, x: Any, *, norm: str = "l2") -> Enclosed:
    """The local Lipschitz constant at a point of the domain: the largest norm over the cells that meet there.

    Examples
    --------
    >>> import numpy as np, plica
    >>> from plica.network import Linear, Network, Rectifier
    >>> net = Network.sequential(1, [Linear(np.array([[1.0], [-2.0]])), Rectifier(), Linear(np.array([[1.0, 1.0]]))])
    >>> cx = plica.decompose(net, plica.Box([-1], [1]))
    >>> local_lipschitz(cx, [0.5], norm="l1").exact, local_lipschitz(cx, [0.0], norm="l1").exact
    (Fraction(1, 1), Fraction(2, 1))
    """
    _check(norm)
    found = [exact_norm(cx.exact_input_map(cell), norm) for cell in cx.cells_at(x)]
    return max(found, key=lambda e: e.high)


def _check(norm: str) -> None:
    if norm not in NORMS:
        raise InvalidInput(f"there is no norm {norm!r}.", hint=f"one of {', '.join(NORMS)}")


def _norms(matrices: Array, error: Array, norm: str) -> tuple[Array, Array]:
    """Norms of matrices (n, outputs, inputs) whose columns are known within ``error`` (n, inputs), and bounds of their errors."""
    m, n = matrices.shape[1:]
    with np.errstate(over="ignore", invalid="ignore"):
        if norm == "l1":
            values, slip = np.abs(matrices).sum(axis=1).max(axis=1), np.sqrt(m) * error.max(axis=1)
        elif norm == "linf":
            values, slip = np.abs(matrices).sum(axis=2).max(axis=1), error.sum(axis=1)
        else:
            values, slip = _spectral(matrices), np.sqrt((error**2).sum(axis=1))
    slip = slip * (1 + 1e-9) + 2.0**-44 * (m + n) * values
    return np.where(np.isfinite(values), values, 0.0), np.where(np.isfinite(values) & np.isfinite(slip), slip, np.inf)


def _spectral(matrices: Array) -> Array:
    """Largest singular values: from the smaller of the two Gram matrices, after scaling."""
    scale = np.abs(matrices).max(axis=(1, 2))
    a = matrices / np.where(scale > 0, scale, 1.0)[:, None, None]
    if min(a.shape[1:]) == 1:
        return scale * np.sqrt((a**2).sum(axis=(1, 2)))
    gram = a @ a.transpose(0, 2, 1) if a.shape[1] <= a.shape[2] else a.transpose(0, 2, 1) @ a
    bad = ~np.isfinite(gram).all(axis=(1, 2))
    gram[bad] = 0.0
    return np.where(bad, np.inf, scale * np.sqrt(np.maximum(np.linalg.eigvalsh(gram)[:, -1], 0.0)))


def exact_norm(columns: Dyadic, norm: str) -> Enclosed:
    """The norm of an exact affine map, given as columns with the constant last."""
    width = columns.shape[1]
    numbers = columns.fractions()
    rows = [numbers[i * width : (i + 1) * width] for i in range(columns.shape[0] - 1)]  # one row for each input
    if norm == "l1":
        return enclosed_exactly(max(sum((abs(a) for a in row), Fraction(0)) for row in rows))
    if norm == "linf":
        return enclosed_exactly(max(sum((abs(row[k]) for row in rows), Fraction(0)) for k in range(width)))
    matrix = rows if len(rows) <= width else [list(column) for column in zip(*rows, strict=True)]
    gram = [[_product(p, q) for q in matrix] for p in matrix]
    low, high = largest_eigenvalue(gram)
    exact = None
    if low == high and isqrt(low.numerator) ** 2 == low.numerator and isqrt(low.denominator) ** 2 == low.denominator:
        exact = Fraction(isqrt(low.numerator), isqrt(low.denominator))
    return enclosed_exactly(exact) if exact is not None else Enclosed(_root(low)[0], _root(high)[1])


def _product(p: Row, q: Row) -> Fraction:
    tick()
    return sum((a * b for a, b in zip(p, q, strict=True)), Fraction(0))


def _root(square: Fraction) -> tuple[float, float]:
    """Floats around the root of a fraction."""
    if square == 0:
        return 0.0, 0.0
    shift = max(0, 130 - (square.numerator.bit_length() - square.denominator.bit_length()))
    shift += shift % 2
    whole = isqrt((square.numerator << shift) // square.denominator)
    near = float(Fraction(whole, 1 << (shift // 2)))
    return float(np.nextafter(near, 0.0)), float(np.nextafter(near, np.inf))


def largest_eigenvalue(gram: Matrix) -> tuple[Fraction, Fraction]:
    """Fractions around the largest eigenvalue of a positive semidefinite rational matrix.

    Examples
    --------
    >>> low, high = largest_eigenvalue([[Fraction(2), Fraction(1)], [Fraction(1), Fraction(2)]])
    >>> low <= 3 <= high, float(high - low) < 1e-12
    (True, True)
    """
    n = len(gram)
    if n == 1:
        return gram[0][0], gram[0][0]
    top = max(gram[i][i] for i in range(n))
    if top == 0:
        return Fraction(0), Fraction(0)
    scaled = np.array([[float(a / top) for a in row] for row in gram])
    _, vectors = np.linalg.eigh(scaled)
    v = [Fraction(float(c)) for c in vectors[:, -1]]
    image = [sum((a * c for a, c in zip(row, v, strict=True)), Fraction(0)) for row in gram]
    low = sum((a * b for a, b in zip(v, image, strict=True)), Fraction(0)) / sum((c * c for c in v), Fraction(0))
    step = Fraction(1, 2**50)
    while True:
        high = low * (1 + step)
        if _is_definite([[(high if i == j else 0) - gram[i][j] for j in range(n)] for i in range(n)]):
            return low, high
        step *= 4


def _is_definite(matrix: Matrix) -> bool:
    """Whether a symmetric rational matrix is positive definite: all pivots of elimination are positive."""
    a = [list(row) for row in matrix]
    for i in range(len(a)):
        if a[i][i] <= 0:
            return False
        for j in range(i + 1, len(a)):
            tick()  # the numbers grow with every pivot
            factor = a[j][i] / a[i][i]
            a[j] = [x - factor * y for x, y in zip(a[j], a[i], strict=True)]
    return True


def product_bound(network: Network, norm: str) -> float:
    """The usual upper bound: norms of the operations multiplied along the graph.

    Examples
    --------
    >>> from plica.network import Linear, Rectifier
    >>> net = Network.sequential(1, [Linear(np.array([[1.0], [-2.0]])), Rectifier(), Linear(np.array([[1.0, 1.0]]))])
    >>> product_bound(net, "l1"), product_bound(net, "linf")
    (3.0, 4.0)
    """
    if norm == "l2":
        return float(lipschitz_upper_bounds(network)[-1])
    out = [1.0]
    for node in network.nodes[1:]:
        constants = [out[j] for j in node.inputs]
        if len(constants) > 1:
            out.append(max(constants) if norm == "linf" and node.op.kind == "concat" else sum(constants))
            continue
        matrix = node.op.matrix(network.nodes[node.inputs[0]].shape) if isinstance(node.op, Affine) else None
        if isinstance(node.op, Fold):  # of a maximum the square of the stretch in l2 counts in how many groups an entry is
            stretch = node.op.lipschitz()
            out.append(constants[0] * (max(stretch, stretch**2) if norm == "l1" else stretch))
        elif matrix is None:
            out.append(constants[0])
        else:
            out.append(constants[0] * float(abs(matrix).sum(axis=0 if norm == "l1" else 1).max()))
    return out[-1]
