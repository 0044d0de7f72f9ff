r"""Two networks up to permutation and rescaling of their hidden units: the correspondence, and how far they are from it, exactly.

The function of a chain of dense layers with ReLUs does not change when the units of a layer change places, nor when what a unit
reads is multiplied by c > 0 and what reads it is divided by c. Layer by layer, the rows of the second network are written in the
units of the first that were found to correspond, and divided by their length; floats choose which rows belong together
(an assignment of least total distance), fractions say how much is left. If nothing is, the two are one function: proved. What
is read from units that repeat each other is added up first, and what is read from a unit that is 0 everywhere does not count.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.measure._perceptron import dense_layers
from plica.network import Network

Repeats = list[tuple[int, Fraction]]
MOST_PARAMETERS = 1_000_000  # that are compared as fractions


@dataclass(frozen=True, eq=False)
class Equivalence:
    """How the hidden units of two networks correspond.

    Attributes
    ----------
    permutations
        For each hidden layer: ``permutations[l][i]`` is the unit of the first network that unit i of the second one repeats.
    scales
        For each hidden layer the positive factors: unit i of the second network is ``scales[l][i]`` times that unit.
    deviation
        The largest difference that is left between two rows of weights and bias with a sum of absolute values of 1 each (the rows
        of outputs: in parts of the sum of the first network's row), an exact fraction. 0 if the networks are one function.
    """

    permutations: tuple[Array, ...]
    scales: tuple[tuple[Fraction, ...], ...]
    deviation: Fraction
    kind: str = "exact"

    @property
    def is_exact(self) -> bool:
        """Whether the networks are the same up to permutation and rescaling: then they are one function on all of R^n."""
        return self.deviation == 0

    def to_dict(self) -> dict[str, Any]:
        moved = [int((p != np.arange(len(p))).sum()) for p in self.permutations]
        rescaled = [sum(c != 1 for c in row) for row in self.scales]
        return {"is_exact": self.is_exact, "deviation": float(self.deviation), "moved_units": moved, "rescaled_units": rescaled}

    def __repr__(self) -> str:
        state = "one function" if self.is_exact else f"rows differ by {float(self.deviation):.3g}"
        return f"<Equivalence up to permutation and rescaling: {state}, exact>"


def equivalence(first: Network, second: Network) -> Equivalence:
    """How two ReLU networks of dense layers with the same widths correspond, and whether they are the same up to symmetry.

    Whether networks with other weights are one function, :func:`compare` decides on a domain. Units that repeat each other can
    be exchanged, so that the correspondence need not be unique; a deviation of 0 proves equality in any case.

    Examples
    --------
    >>> import plica
    >>> from plica.network import Linear, Network, Rectifier
    >>> net = plica.random_network([2, 3, 1], seed=0)
    >>> (w, b), (v, c) = ((net.nodes[i].op.weight, net.nodes[i].op.bias) for i in (1, 3))
    >>> order, scale = [2, 0, 1], np.array([2.0, 0.5, 4.0])
    >>> moved = [Linear(w[order] * scale[:, None], b[order] * scale), Rectifier(), Linear(v[:, order] / scale, c)]
    >>> found = equivalence(net, Network.sequential(2, moved))
    >>> found, found.permutations[0].tolist(), [str(s) for s in found.scales[0]]
    (<Equivalence up to permutation and rescaling: one function, exact>, [2, 0, 1], ['2', '1/2', '4'])
    """
    a, b = dense_layers(first), dense_layers(second)
    if [w.shape for w, _ in a] != [w.shape for w, _ in b]:
        raise InvalidInput(
            f"the two networks have layers of other sizes: {[w.shape[::-1] for w, _ in a]} and {[w.shape[::-1] for w, _ in b]}.",
            hint="compare them as functions: plica.measure.compare",
        )
    if sum(w.size for w, _ in a) > MOST_PARAMETERS:
        raise InvalidInput(f"more than {MOST_PARAMETERS:,} weights are too many for fractions.", hint="plica.landscape.match")
    order, scale = np.arange(first.n_inputs), [Fraction(1)] * first.n_inputs
    repeats: Repeats = [(k, Fraction(1)) for k in range(first.n_inputs)]
    permutations: list[Array] = []
    scales: list[tuple[Fraction, ...]] = []
    worst = Fraction(0)
    for layer, ((w, c), (v, e)) in enumerate(zip(a, b, strict=True)):
        is_last = layer == len(a) - 1
        before, factors = order, np.array([float(s) for s in scale])
        written = np.empty_like(v)
        written[:, before] = v * factors
        order = np.arange(len(c)) if is_last else _assigned(np.column_stack([w, c]), np.column_stack([written, e]))
        pairs = []
        for i, k in enumerate(order.tolist()):
            own = _gathered(_fractions((*w[k], c[k])), np.arange(len(before)), repeats)
            read = [x * s for x, s in zip(_fractions(v[i]), scale, strict=True)]
            moved = _gathered([*read, Fraction(float(e[i]))], before, repeats)
            size, length = _size(own), _size(moved)
            worst = max(worst, _apart(own, size, moved, size if is_last else length))
            pairs.append(length / size if size and length else Fraction(1))
        scale = pairs
        if not is_last:
            repeats = _repeats([_gathered(_fractions((*w[k], c[k])), np.arange(len(before)), repeats) for k in range(len(c))])
            permutations.append(order)
            scales.append(tuple(pairs))
    return Equivalence(tuple(permutations), tuple(scales), worst)


def _fractions(numbers: Iterable[float]) -> list[Fraction]:
    return [Fraction(float(x)) for x in numbers]


def _gathered(row: list[Fraction], places: Array, repeats: Repeats) -> list[Fraction]:
    """A row that reads units at the given places, written in those that repeat no earlier one; the bias is last."""
    out = [Fraction(0)] * (len(repeats) + 1)
    for x, place in zip(row[:-1], places.tolist(), strict=True):
        unit, factor = repeats[place]
        out[unit] += x * factor
    out[-1] = row[-1]
    return out


def _repeats(rows: list[list[Fraction]]) -> Repeats:
    """For each unit the first one that it is a positive multiple of, and the factor; 0 for a unit that is 0 everywhere."""
    seen: dict[tuple[Fraction, ...], int] = {}
    found: Repeats = []
    for k, row in enumerate(rows):
        size = _size(row)
        first = seen.setdefault(tuple(x / size for x in row), k) if size else k
        found.append((first, size / _size(rows[first]) if size else Fraction(0)))
    return found


def _size(row: list[Fraction]) -> Fraction:
    return sum((abs(x) for x in row), Fraction(0))


def _apart(own: list[Fraction], size: Fraction, moved: list[Fraction], length: Fraction) -> Fraction:
    """The largest difference of two rows, each divided by its length; rows of zeros keep theirs."""
    p, q = size or 1, length or 1
    return max(abs(x / p - y / q) for x, y in zip(own, moved, strict=True))


def _assigned(own: Array, other: Array) -> Array:
    """For each row of the second array one of the first, no one twice, with the least total distance of directions."""
    from scipy.optimize import linear_sum_assignment
    from scipy.spatial.distance import cdist

    unit = [rows / np.maximum(np.abs(rows).sum(axis=1, keepdims=True), 1e-300) for rows in (other, own)]
    return np.asarray(linear_sum_assignment(cdist(*unit, "cityblock"))[1])
