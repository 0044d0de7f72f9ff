r"""Functional dimension: how many directions in the space of parameters change the function, exactly.

The functional dimension of a network at its parameters is the largest rank of the derivatives of its values at finitely many
points with respect to all parameters (Grigsby, Lindsey, Meyerhoff and Wu, 2022). On a cell the derivatives are affine in x, so
those at all points of the cell are spanned by those of the cell's affine continuation at d + 1 points in general position,
wherever they lie: at 0 and the unit vectors. All numbers are integers over powers of two, and their ranks are computed modulo
primes: a rank modulo a prime is never too large. It is the rank unless the prime divides a certain minor; the largest of several
primes is reported, and is exact where it meets an upper bound.

Each hidden ReLU unit can be rescaled without changing the function, hence the bound of Grigsby et al.: parameters minus hidden
units.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.exact import Dyadic
from plica.geometry import Complex, reading, tick
from plica.measure._perceptron import dense_layers
from plica.measure.cells._modular import MOST_TERMS, PRIMES, Span, multiplied, reduce_rows
from plica.measure.cells._sharp import checked_complex

MOST_PARAMETERS = 4000
_BLOCK = 256  # rows that are reduced together
_SPARE = 4  # combinations beyond the number that could still be independent


@dataclass(frozen=True, eq=False)
class FunctionalDimension:
    """The functional dimension of a network over the cells of a domain.

    Attributes
    ----------
    value
        The rank; certainly not too large.
    n_parameters, n_hidden
        Weights and biases, and hidden units.
    by_cell
        The rank on each cell alone.
    primes
        Modulo which the ranks were computed.
    """

    value: int
    n_parameters: int
    n_hidden: int
    by_cell: Array
    primes: tuple[int, ...]

    @property
    def bound(self) -> int:
        """Grigsby et al.'s upper bound: parameters minus hidden units."""
        return self.n_parameters - self.n_hidden

    @property
    def is_exact(self) -> bool:
        """Whether the rank meets the upper bound, and is proved to be the rank."""
        return self.value == self.bound

    @property
    def kind(self) -> str:
        """``"exact"``, or ``"certified"`` from below; then all primes agree that it is the rank."""
        return "exact" if self.is_exact else "certified"

    @property
    def redundancy(self) -> int:
        """Directions that do not change the function, beyond the rescalings."""
        return self.bound - self.value

    def to_dict(self) -> dict[str, Any]:
        return {
            "functional_dimension": self.value,
            "n_parameters": self.n_parameters,
            "upper_bound": self.bound,
            "redundancy": self.redundancy,
            "kind": self.kind,
        }

    def __repr__(self) -> str:
        return f"<FunctionalDimension {self.value} of {self.n_parameters} parameters, bound {self.bound}, {self.kind}>"

    def _repr_html_(self) -> str:
        from plica._show import facts_html

        return facts_html(self, self.to_dict())


@reading
def functional_dimension(cx: Complex, *, among: Array | None = None) -> FunctionalDimension:
    """The functional dimension of a ReLU network of dense layers over the cells of a complex.

    Over all of R^n (``plica.Space``) it is that of the network; over a smaller domain that of its restriction.

    Parameters
    ----------
    cx
        The complex.
    among
        Which parameters may move, by layers, weights row by row before biases; the others must be zero, as in a pruned network.
        Of the rescalings only those of units with a bias among them are counted, which are certainly independent.

    Examples
    --------
    >>> import plica
    >>> cx = plica.decompose(plica.random_network([2, 3, 1], seed=0), plica.Space(2))
    >>> functional_dimension(cx)
    <FunctionalDimension 10 of 13 parameters, bound 10, exact>
    """
    checked_complex(cx)
    layers = dense_layers(cx.network)
    if max(w.shape[1] for w, _ in layers) > MOST_TERMS:
        raise InvalidInput(f"a layer reads more than {MOST_TERMS} numbers.")
    n_parameters = sum(w.size + len(b) for w, b in layers)
    n_hidden = sum(len(b) for _, b in layers[:-1])
    columns: Array | None = None
    if among is not None:
        columns, n_hidden = _chosen(layers, among)
        n_parameters = len(columns)
    if n_parameters > MOST_PARAMETERS:
        raise InvalidInput(
            f"{n_parameters:,} parameters are too many for an exact rank; the limit is {MOST_PARAMETERS:,}.",
            hint="a matrix of that size squared is kept, and the cost grows with the cube",
        )
    patterns = [x.reshape(cx.n_cells, -1).astype(np.int64) for x in cx.patterns()]
    found, cells = 0, np.zeros(cx.n_cells, np.int64)
    for p in PRIMES:
        modular = [(_modulo(w, p), _modulo(b, p)) for w, b in layers]
        rank, by_cell = _ranks(modular, patterns, n_parameters, n_parameters - n_hidden, p, columns)
        found, cells = max(found, rank), np.maximum(cells, by_cell)
        if found == n_parameters - n_hidden:
            break
    return FunctionalDimension(found, n_parameters, n_hidden, cells, PRIMES)


def _chosen(layers: list[tuple[Array, Array]], among: Array) -> tuple[Array, int]:
    """The places of parameters that may move, and how many hidden units are rescaled by moving them."""
    values = np.concatenate([part.reshape(-1) for layer in layers for part in layer])
    chosen = np.asarray(among)
    if chosen.dtype != bool or chosen.shape != values.shape:
        raise InvalidInput(f"among has shape {chosen.shape} of {chosen.dtype}.", hint=f"{len(values):,} booleans")
    if np.any(values[~chosen] != 0):
        raise InvalidInput("a parameter that may not move is not zero.", hint="parameters of a pruned network that are kept")
    n_hidden = sum(int(np.count_nonzero(b)) for _, b in layers[:-1])
    return np.flatnonzero(chosen), n_hidden


def active_parameters(cx: Complex) -> Array:
    """Which parameters change some output somewhere, to first order; the derivatives of others are zero modulo all primes."""
    layers = dense_layers(cx.network)
    patterns = [x.reshape(cx.n_cells, -1).astype(np.int64) for x in cx.patterns()]
    n_inputs = cx.network.n_inputs
    points = np.concatenate([np.zeros((1, n_inputs), np.int64), np.eye(n_inputs, dtype=np.int64)])
    out = np.zeros(sum(w.size + len(b) for w, b in layers), bool)
    for p in PRIMES:
        modular = [(_modulo(w, p), _modulo(b, p)) for w, b in layers]
        for cell in range(cx.n_cells):
            out |= derivatives(modular, [x[cell] for x in patterns], points, p).any(axis=0)
        if out.all():
            break
    return out


def _modulo(x: Array, p: int) -> Array:
    """Floats modulo a prime: integers times powers of two."""
    d = Dyadic.from_floats(x)
    factor = pow(2, d.exponent, p)
    return np.array([int(i) % p * factor % p for i in d.integers.reshape(-1)], dtype=np.int64).reshape(x.shape)


def _ranks(
    layers: list[tuple[Array, Array]],
    patterns: list[Array],
    n_parameters: int,
    bound: int,
    p: int,
    columns: Array | None = None,
) -> tuple[int, Array]:
    """The rank of all derivatives modulo a prime, and that of each cell.

    Rows of cells are gathered into blocks. If fewer could still be independent than a block has rows, random combinations of
    them are enough: as many, and a few spare ones.
    """
    n_inputs = layers[0][0].shape[1]
    points = np.concatenate([np.zeros((1, n_inputs), np.int64), np.eye(n_inputs, dtype=np.int64)])
    n_cells = len(patterns[0]) if patterns else 1
    by_cell, span = np.zeros(n_cells, np.int64), Span(n_parameters, p)
    rng, waiting = np.random.default_rng(p), []
    for cell in range(n_cells):
        rows = derivatives(layers, [x[cell] for x in patterns], points, p)
        rows = rows if columns is None else np.ascontiguousarray(rows[:, columns])
        by_cell[cell] = reduce_rows(rows, np.empty(len(rows), np.int64), p)
        waiting.append(rows[: by_cell[cell]])
        if span.rank < bound and (sum(map(len, waiting)) >= _BLOCK or cell == n_cells - 1):
            tick()
            block = np.concatenate(waiting)
            if len(block) > bound - span.rank + _SPARE:
                block = multiplied(rng.integers(0, p, (bound - span.rank + _SPARE, len(block))), block, p)
            span.add(block)
            waiting = []
        elif span.rank >= bound:
            waiting = []
    return span.rank, by_cell


def derivatives(layers: list[tuple[Array, Array]], states: list[Array], points: Array, p: int) -> Array:
    """Derivatives modulo a prime of all outputs at some points by all parameters, (points x outputs, parameters).

    Parameters are ordered by layers, weights row by row before biases; states choose the affine piece.
    """
    k, m = len(points), layers[-1][0].shape[0]
    inputs, h = [], points % p
    for i, (w, b) in enumerate(layers):
        inputs.append(h)
        h = (h @ w.T + b) % p
        if i < len(states):
            h = h * states[i]
    back = np.eye(m, dtype=np.int64)
    blocks: list[Array] = []
    for i in range(len(layers) - 1, -1, -1):
        w, _ = layers[i]
        product = back[None, :, :, None] * inputs[i][:, None, None, :] % p  # (points, outputs, rows, columns)
        bias = np.broadcast_to(back, (k, *back.shape))
        blocks[:0] = [product.reshape(k * m, -1), bias.reshape(k * m, -1)]
        if i:
            back = back @ w % p * states[i - 1]
    return np.concatenate(blocks, axis=1)
