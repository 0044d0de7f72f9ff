r"""Sum-product networks, and the two families that a shallow one represents only with many units."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from plica.construct._arguments import integer_argument
from plica.errors import BudgetExceeded, InvalidInput

Monomial = tuple[int, ...]  # the exponent of each variable
MAX_MONOMIALS = 200_000


@dataclass(frozen=True)
class Unit:
    """A product of earlier units, or their weighted sum; units 0, 1, ..., n - 1 are the inputs."""

    inputs: tuple[int, ...]
    weights: tuple[int, ...] = ()  # empty for a product

    @property
    def is_product(self) -> bool:
        return not self.weights


@dataclass(frozen=True, repr=False)
class SumProductNetwork:
    """A network whose units are products and weighted sums; its output is its last unit.

    Examples
    --------
    >>> net = sum_product_f(2)
    >>> net.n_units, net.depth, net.n_monomials
    (15, 4, 8)
    """

    n_inputs: int
    units: tuple[Unit, ...]
    name: str = ""

    @property
    def n_units(self) -> int:
        """All units but the inputs, the output among them."""
        return len(self.units)

    @property
    def depth(self) -> int:
        """Layers of units above the inputs."""
        level = [0] * self.n_inputs
        for unit in self.units:
            level.append(1 + max(level[i] for i in unit.inputs))
        return level[-1]

    def __call__(self, x: Sequence[Fraction | int]) -> Fraction:
        """The output at a rational point, exactly."""
        if len(x) != self.n_inputs:
            raise InvalidInput(f"the network takes {self.n_inputs} numbers, got {len(x)}.")
        values = [Fraction(v) for v in x]
        for unit in self.units:
            terms = [values[i] for i in unit.inputs]
            if unit.is_product:
                values.append(prod(terms, start=Fraction(1)))
            else:
                values.append(sum((w * t for w, t in zip(unit.weights, terms, strict=True)), Fraction(0)))
        return values[-1]

    def expand(self) -> dict[Monomial, int]:
        """The polynomial that the network computes: the coefficient of each monomial."""
        one = (0,) * self.n_inputs
        known: list[dict[Monomial, int]] = [{(*one[:i], 1, *one[i + 1 :]): 1} for i in range(self.n_inputs)]
        for unit in self.units:
            if unit.is_product:
                result = {one: 1}
                for i in unit.inputs:
                    if len(result) * len(known[i]) > 50 * MAX_MONOMIALS:
                        raise self._too_large(len(result) * len(known[i]))
                    grown: Counter[Monomial] = Counter()
                    for a, x in result.items():
                        for b, y in known[i].items():
                            grown[tuple(p + q for p, q in zip(a, b, strict=True))] += x * y
                    result = dict(grown)
            else:
                total: Counter[Monomial] = Counter()
                for w, i in zip(unit.weights, unit.inputs, strict=True):
                    for a, x in known[i].items():
                        total[a] += w * x
                result = {a: x for a, x in total.items() if x}
            if len(result) > MAX_MONOMIALS:
                raise self._too_large(len(result))
            known.append(result)
        return known[-1]

    def _too_large(self, n: int) -> BudgetExceeded:
        return BudgetExceeded(
            f"expanding {self.name or 'the network'} takes {n:,} monomials; the limit is {MAX_MONOMIALS:,}.",
            hint="fewer inputs or fewer layers",
            partial={"n_monomials": n},
        )

    @property
    def n_monomials(self) -> int:
        """Monomials of the output: the product units of the smallest sum of products that computes it."""
        return len(self.expand())

    def __repr__(self) -> str:
        return f"<SumProductNetwork {self.name!r} {self.n_inputs} inputs, {self.n_units} units, depth {self.depth}>"


def sum_product_f(levels: int) -> SumProductNetwork:
    r"""Family F of [delalleau2011]_: :math:`n = 4^{levels}` inputs, pairs multiplied, pairs of products added, and so on.

    The deep network has n - 1 units; its polynomial has :math:`2^{\sqrt n - 1}` monomials, so that many product units in a
    shallow one.

    Examples
    --------
    >>> [sum_product_f(i).n_units for i in (1, 2, 3)]
    [3, 15, 63]
    """
    levels = integer_argument("levels", levels, least=0)
    if not 1 <= levels <= 6:
        raise InvalidInput(f"family F needs 1 to 6 levels, got {levels}.", hint=f"{levels} levels have 4^{levels} inputs")
    n = 4**levels
    row = list(range(n))
    units: list[Unit] = []
    for _ in range(levels):
        for weights in ((), (1, 1)):
            above = []
            for i in range(0, len(row), 2):
                above.append(n + len(units))
                units.append(Unit((row[i], row[i + 1]), weights))
            row = above
    return SumProductNetwork(n, tuple(units), f"family F, {n} inputs")


def sum_product_g(n: int, levels: int) -> SumProductNetwork:
    r"""Family G of [delalleau2011]_: in every layer unit j reads all units of the layer below but the j-th.

    Layers of n products and layers of n sums take turns, ``levels`` of each; the output adds the last ones. A shallow network
    needs at least :math:`(n - 1)^{levels}` units.

    Examples
    --------
    >>> sum_product_g(3, 2).n_units
    13
    """
    n, levels = integer_argument("n", n), integer_argument("levels", levels)
    if n < 3:
        raise InvalidInput(f"family G needs n >= 3, got {n}.")
    row = list(range(n))
    units: list[Unit] = []
    for _ in range(levels):
        for weights in ((), (1,) * (n - 1)):
            above = []
            for j in range(n):
                above.append(n + len(units))
                units.append(Unit(tuple(row[:j] + row[j + 1 :]), weights))
            row = above
    units.append(Unit(tuple(row), (1,) * n))
    return SumProductNetwork(n, tuple(units), f"family G, {n} inputs")
