r"""The tropical view: a ReLU network as a difference of two convex functions, each a maximum of affine ones.

A maximum of affine functions is a polynomial over the tropical numbers, where max is the sum and + the product. With g and h such
polynomials, a layer keeps the form g - h:

.. math:: \max(g - h, 0) = \max(g, h) - h, \qquad
   \sum_i w_i (g_i - h_i) = \Bigl(\sum_{w_i > 0} w_i g_i + \sum_{w_i < 0} |w_i| h_i\Bigr) - \Bigl(\dots\Bigr).

Terms (slopes a, constant c) are points; sums of polynomials are Minkowski sums of points, maxima are unions. The hull of the
slopes is the Newton polytope; the terms that are the maximum somewhere are the vertices of the upper hull of the points (a, c),
and each is the maximum on one region (Zhang, Naitzat and Lim, 2018). All in fractions, for small networks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from plica.errors import InvalidInput
from plica.exact import Hull, convex_hull, minkowski_sum, mixed_volume
from plica.measure._perceptron import dense_layers
from plica.network import Network

Term = tuple[Fraction, ...]  # slopes, then the constant
MOST_TERMS = 3000


@dataclass(frozen=True)
class TropicalPolynomial:
    """The convex function max of a x + c over its terms, each of which is the maximum somewhere.

    Attributes
    ----------
    terms
        Slopes and constant of each term, as fractions.
    """

    terms: tuple[Term, ...]

    @property
    def n_regions(self) -> int:
        """How many regions of R^n the function has: one for each term."""
        return len(self.terms)

    @property
    def exponents(self) -> tuple[Term, ...]:
        """The slopes of the terms."""
        return tuple(term[:-1] for term in self.terms)

    def newton_polytope(self) -> Hull:
        """The hull of the slopes, with its volume; its vertices are numbers of terms."""
        return convex_hull(self.exponents)

    def __call__(self, x: Sequence[Any]) -> Fraction:
        """The value at a point, exactly."""
        at = (*(Fraction(c) for c in x), Fraction(1))
        return max(sum((a * b for a, b in zip(term, at, strict=True)), Fraction(0)) for term in self.terms)

    def __repr__(self) -> str:
        return f"<TropicalPolynomial in {len(self.terms[0]) - 1} variables with {len(self.terms)} terms, exact>"


@dataclass(frozen=True)
class TropicalForm:
    """An output of a network as ``positive - negative``, two convex functions.

    Examples
    --------
    >>> import numpy as np
    >>> from plica.network import Linear, Rectifier
    >>> net = Network.sequential(1, [Linear(np.array([[1.0], [1.0]]), np.array([0.0, -1.0])), Rectifier(), Linear([[1.0, -2.0]])])
    >>> form = tropical_form(net)
    >>> form.positive, form.negative
    (<TropicalPolynomial in 1 variables with 2 terms, exact>, <TropicalPolynomial in 1 variables with 2 terms, exact>)
    >>> [str(form([x])) for x in (-1, 0.5, 3)]
    ['0', '1/2', '-1']
    """

    positive: TropicalPolynomial
    negative: TropicalPolynomial
    kind: str = "exact"

    def __call__(self, x: Sequence[Any]) -> Fraction:
        """The value at a point, exactly."""
        return self.positive(x) - self.negative(x)


def tropical_form(network: Network, *, output: int = 0, most_terms: int = MOST_TERMS) -> TropicalForm:
    """One output of a small ReLU network of dense layers as a difference of two convex functions.

    Terms that are nowhere the maximum are dropped after every step.

    Parameters
    ----------
    output
        Number of the output.
    most_terms
        How many terms a sum may have before the superfluous ones are dropped; beyond, the network is refused.
    """
    if not 0 <= output < network.n_outputs:
        raise InvalidInput(f"there is no output {output}; the network has outputs 0 to {network.n_outputs - 1}.")
    layers, n = dense_layers(network), network.n_inputs
    zero: list[Term] = [(Fraction(0),) * (n + 1)]
    pairs = [([tuple(Fraction(int(i == k)) for k in range(n + 1))], zero) for i in range(n)]
    for i, (weight, bias) in enumerate(layers):
        is_last = i == len(layers) - 1
        rows = [output] if is_last else range(len(bias))
        sums = [_combined(weight[j].tolist(), float(bias[j]), pairs, zero, most_terms) for j in rows]
        pairs = sums if is_last else [(upper_terms([*g, *h]), h) for g, h in sums]
    ((g, h),) = pairs
    return TropicalForm(TropicalPolynomial(tuple(g)), TropicalPolynomial(tuple(h)))


def _combined(
    weights: list[float], bias: float, pairs: list[tuple[list[Term], list[Term]]], zero: list[Term], most: int
) -> tuple[list[Term], list[Term]]:
    """A weighted sum of differences, as a difference."""
    g, h = zero, zero
    for w, (gain, loss) in zip(weights, pairs, strict=True):
        if w:
            more, less = (gain, loss) if w > 0 else (loss, gain)
            g, h = _sum(g, _scaled(more, abs(w)), most), _sum(h, _scaled(less, abs(w)), most)
    return [(*term[:-1], term[-1] + Fraction(bias)) for term in g], h


def _scaled(terms: list[Term], factor: float) -> list[Term]:
    return [tuple(c * Fraction(factor) for c in term) for term in terms]


def _sum(first: list[Term], second: list[Term], most: int) -> list[Term]:
    if len(first) * len(second) > most:
        raise InvalidInput(
            f"a sum of polynomials with {len(first)} and {len(second)} terms is too large; the limit is {most:,} terms.",
            hint="tropical forms are for networks of a few units",
        )
    return upper_terms(minkowski_sum(first, second))


def upper_terms(terms: Sequence[Term]) -> list[Term]:
    """The terms that are the maximum somewhere: vertices of the hull of the terms and of copies far below them.

    Examples
    --------
    >>> len(upper_terms([(0, 0), (1, -1), (2, 0)]))  # x - 1 is never above both 0 and 2 x
    2
    """
    best: dict[Term, Fraction] = {}
    for *slopes, constant in terms:
        key = tuple(slopes)
        best[key] = max(best.get(key, constant), constant)
    points = [(*slopes, constant) for slopes, constant in best.items()]
    if len(points) == 1:
        return points
    floor = min(best.values()) - 1
    exponents = list(best)
    below = [(*exponents[i], floor) for i in convex_hull(exponents).vertices]
    return [points[i] for i in convex_hull([*points, *below]).vertices if i < len(points)]


def newton_mixed_volume(polynomials: Sequence[TropicalPolynomial]) -> Fraction:
    """The mixed volume of the Newton polytopes of n polynomials in n variables.

    By Bernstein's theorem, tropically, it is the number of points where their folds meet, each counted with the volume that the
    jumps of the slopes span.
    """
    return mixed_volume([p.exponents for p in polynomials])
