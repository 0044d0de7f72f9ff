r"""Deep Sets: a function of sets is a function of a sum, where one number for each element is enough and where it is not.

Claim
    A function of finite sets from a countable universe does not depend on the order of the elements if and only if it is
    rho(sum of phi(x)). Of n real numbers n sums are enough, and for continuous phi fewer are not: the maximum of two numbers
    is no function of one sum.
Source
    M. Zaheer et al., Deep Sets, NeurIPS 2017, Theorems 2 and 7 [zaheer2017]; E. Wagstaff et al., On the Limitations of
    Representing Functions on Sets, ICML 2019, Theorem 4.1 [wagstaff2019].
Prediction
    as many sums of 4^-c as there are sets, and each of four functions recovered from the sum with no error; the numbers back
    from their power sums, with no error; two sets with one sum and different maxima for every continuous phi
Measurement
    all 2^m subsets and their sums in fractions; Newton's identities in fractions; for phi the first layers of random
    plica.models.sets.DeepSets, the point t with phi(t) = (phi(0) + phi(1)) / 2, by bisection: {0, 1} and {t, t}; the order of
    elements changed for the whole models
Remark
    The other direction, that rho of a sum has no order, is the last rows. Base 4 is Zaheer's; multisets need a base above the
    number of copies, and a control shows one where 4 fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from plica._palette import BOUND, MEASUREMENT, SERIES
from plica.claims import Evidence, control, row
from plica.models import build
from plica.models.sets import DeepSets, DeepSetsConfig

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("zaheer-2017-layers",)
SEED = 2017

FUNCTIONS: dict[str, Callable[[tuple[int, ...]], Any]] = {
    "largest": lambda s: max(s, default=-1),
    "parity of the sum": lambda s: sum(s) % 2,
    "how many": len,
    "median": lambda s: sorted(s)[len(s) // 2] if s else -1,
}


def subsets(m: int) -> list[tuple[int, ...]]:
    """All sets of the numbers 1 ... m."""
    return [s for size in range(m + 1) for s in combinations(range(1, m + 1), size)]


def code(elements: Sequence[int]) -> Fraction:
    """The sum of phi(x) = 4^-x."""
    return sum((Fraction(1, 4**x) for x in elements), Fraction(0))


def decoded(total: Fraction, m: int) -> tuple[int, ...]:
    """The set whose sum this is: its digits to the base 4."""
    return tuple(x for x in range(1, m + 1) if int(total * 4**x) % 4)


def power_sums(values: Sequence[Fraction]) -> list[Fraction]:
    """Sums of the first, second, ... n-th powers of n numbers."""
    return [sum((v**k for v in values), Fraction(0)) for k in range(1, len(values) + 1)]


def from_power_sums(sums: Sequence[Fraction], candidates: Sequence[Fraction]) -> list[Fraction]:
    """The numbers with these power sums: zeros of the polynomial that Newton's identities give, among candidates."""
    n = len(sums)
    elementary = [Fraction(1)]
    for k in range(1, n + 1):
        terms = (Fraction((-1) ** (i - 1)) * elementary[k - i] * sums[i - 1] for i in range(1, k + 1))
        elementary.append(sum(terms, Fraction(0)) / k)
    coefficients = [(-1) ** k * e for k, e in enumerate(elementary)]  # of x^n, x^(n-1), ...
    found: list[Fraction] = []
    for c in candidates:
        while len(coefficients) > 1:
            quotient = [coefficients[0]]
            for a in coefficients[1:]:
                quotient.append(a + c * quotient[-1])
            if quotient[-1]:
                break
            found.append(c)
            coefficients = quotient[:-1]
    return sorted(found)


def check(scale: str) -> Evidence:
    rows = []
    for m in (4, 8) + ((12,) if scale == "full" else ()):
        sets = subsets(m)
        rows.append(row(len({code(s) for s in sets}), "=", 2**m, what="different sums of sets", universe=m))
        for name, f in FUNCTIONS.items():
            wrong = sum(f(decoded(code(s), m)) != f(s) for s in sets)
            rows.append(row(wrong, "=", 0, what=f"{name}, from the sum: wrong", universe=m))
    rows.append(control(code((1,)) == code((2, 2, 2, 2)), "=", True, what="four copies have the sum of another"))
    rng = np.random.default_rng(SEED)
    grid = [Fraction(k, 12) for k in range(-24, 25)]
    for n in (2, 5, 8):
        wrong = 0
        for _ in range(5):
            values = sorted(grid[i] for i in rng.integers(0, len(grid), n))
            wrong += from_power_sums(power_sums(values), grid) != values
        rows.append(row(wrong, "=", 0, what="numbers from their power sums: wrong", elements=n))
    shown = None
    for seed in range(3):
        phi, model = first_layer(SEED + seed)
        t = halfway(phi)
        near: dict[str, Any] = {"kind": "estimated", "standard_error": 1e-12}
        rows.append(row(2 * phi(t), "=", phi(0.0) + phi(1.0), tolerance=1e-9, **near, what="one sum, two sets", network=seed))
        rows.append(row(t, "<", 1.0, **near, what="largest of {t, t}, that of {0, 1} is 1", network=seed))
        x = torch.rand(1, 6, 1, generator=torch.Generator().manual_seed(seed)).double()
        with torch.no_grad():
            off = float((model(x) - model(x.flip(1))).abs().max())
        rows.append(row(off, "=", 0.0, unit=1.0, **near, what="change when the order changes", network=seed))
        shown = shown or (phi, t)
    assert shown is not None
    return Evidence(rows, draw=partial(draw, *shown), seed=SEED)


def first_layer(seed: int) -> tuple[Callable[[float], float], DeepSets]:
    """phi: the first unit of the model that sees its element, and the whole model, whose sum is of such."""
    model = build(DeepSets, DeepSetsConfig(1, 1, d_hidden=16, n_layers=1, sum=True), seed=seed).double()
    layer: Any = model.layers[0]
    with torch.no_grad():
        layer.mean.weight.zero_()
    mix = torch.randn(16, generator=torch.Generator().manual_seed(seed)).double()

    def phi(x: float) -> float:
        with torch.no_grad():
            return float(torch.relu(layer.own(torch.tensor([x], dtype=torch.float64))) @ mix)

    return phi, model


def halfway(phi: Callable[[float], float]) -> float:
    """A point of [0, 1) where phi is the mean of its values at the ends."""
    aim, low, high = (phi(0.0) + phi(1.0)) / 2, 0.0, 1.0
    side = phi(0.0) < aim
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if (phi(middle) < aim) == side else (low, middle)
    return low


def draw(phi: Callable[[float], float], t: float, ax: Axes) -> None:
    """phi, its mean over {0, 1}, and the point where twice phi is the same sum."""
    x = np.linspace(0, 1, 101)
    ax.plot(x, [phi(v) for v in x], color=SERIES[0], label="phi, continuous")
    ax.plot([0, 1], [phi(0.0), phi(1.0)], "o", color=MEASUREMENT)
    ax.plot(t, phi(t), "X", color=BOUND, markersize=9)
    ax.annotate("{0, 1}: largest 1", (1, phi(1.0)), (-6, -4), textcoords="offset points", ha="right", va="top")
    ax.annotate(f"{{t, t}}: largest {t:.2f}", (t, phi(t)), (6, 8), textcoords="offset points")
    ax.axhline(phi(t), color=BOUND, linewidth=0.8, linestyle=":", label="half of the one sum")
    ax.set(xlabel="x", ylabel="phi(x)")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
