r"""Partitions of unity: trapezoids on a grid in each coordinate, multiplied over the coordinates."""

from __future__ import annotations

from fractions import Fraction
from itertools import product as every

from plica.construct._arguments import depth_argument, integer_argument
from plica.construct._construction import Construction
from plica.construct.circuits._bounded import BoundedWire, clipped, multiplied
from plica.construct.circuits._circuit import Circuit, Wire
from plica.construct.errors._certificate import Certificate
from plica.construct.targets._polynomial import Polynomial
from plica.errors import BudgetExceeded
from plica.geometry import Box

MAX_BUMPS = 20_000


def trapezoids(c: Circuit, x: Wire, n: int) -> list[Wire]:
    r""":math:`\psi(3n(x - k/n))` for k = 0, ..., n, which add to one: :math:`\psi` is 1 up to 1, 0 from 2 on, linear between.

    Ramp k rises from 0 to 1 between (3k + 1)/(3n) and (3k + 2)/(3n); a trapezoid is the difference of two ramps.
    """
    ramps = [c.relu(3 * n * x - (3 * k + 1)) - c.relu(3 * n * x - (3 * k + 2)) for k in range(n)]
    before = [c.constant(1), *ramps]
    after = [*ramps, c.constant(0)]
    return [a - b for a, b in zip(before, after, strict=True)]


def bumps(c: Circuit, n: int, m: int) -> dict[tuple[int, ...], BoundedWire]:
    """The products of trapezoids by grid point; exactly zero wherever a factor is."""
    lines = [[BoundedWire(w, Fraction(1)) for w in trapezoids(c, x, n)] for x in c.inputs]
    known: dict[tuple[int, ...], BoundedWire] = {(k,): bump for k, bump in enumerate(lines[0])}
    for line in lines[1:]:
        known = {
            (*k, j): clipped(c, multiplied(c, bump, factor, m)) for k, bump in known.items() for j, factor in enumerate(line)
        }
    return known


def partition_of_unity(n: int, *, dimension: int = 1, m: int = 6) -> Construction:
    r"""The (n + 1)^d bumps of Yarotsky's partition of unity on [0, 1]^d, one output each [yarotsky2017]_.

    In one dimension the bumps are trapezoids and add to one exactly. In more they are products by squares with m teeth, exactly
    zero where the true bump is; the certificate bounds how far their sum is from one.

    Examples
    --------
    >>> p = partition_of_unity(4)
    >>> p.network.widths, float(p([0.3]).sum()), p.certificate.bound
    ((1, 8, 5), 1.0, Fraction(0, 1))
    """
    n, d, m = integer_argument("n", n), integer_argument("dimension", dimension), depth_argument("m", m)
    if (n + 1) ** d > MAX_BUMPS:
        raise BudgetExceeded(
            f"{(n + 1) ** d:,} bumps are more than {MAX_BUMPS:,}.", hint="use a coarser grid or fewer dimensions"
        )
    c = Circuit(d)
    found = bumps(c, n, m)
    keys = list(every(range(n + 1), repeat=d))
    wires = [found[k].wire for k in keys]
    net = c.network(*wires, name=f"partition of unity on a grid of {n}^{d}")
    bound = 2**d * max(bump.error for bump in found.values())  # at most 2^d bumps are not zero at a point
    total = c.network(c.total(wires), name="their sum")
    box = Box([0.0] * d, [1.0] * d)
    return Construction(
        name="partition_of_unity",
        network=net,
        parameters={"n": n, "dimension": d, "m": m},
        theorem={"outputs": (n + 1) ** d, "error": bound},
        sources=("yarotsky2017",),
        certificate=Certificate(bound, "sup", box, "trapezoids, and errors of squares", Polynomial.constant(1, d), total),
    )
