r"""Rolnick and Tegmark: monomials, shallow and deep.

Claim
    A monomial x_1^{r_1} ... x_n^{r_n} is approximated to any accuracy by one hidden layer of prod_i (r_i + 1) smooth units,
    2^n for a product, and by a deep network of at most sum_i (7 ceil(log2 r_i) + 4) units; four units multiply two numbers.
Source
    D. Rolnick, M. Tegmark, The Power of Deeper Networks for Expressing Natural Functions, ICLR 2018 [rolnick2018].
Prediction
    plica.theory.approximation.shallow_monomial_units, plica.theory.approximation.deep_monomial_units; the error of a gate is
    proportional to the square of its scale, 1/6 of it for softplus units and numbers up to 1
Measurement
    units and largest errors at random points of the cube of plica.construct.multiplication, plica.construct.shallow_monomial and
    plica.construct.deep_monomial; the errors against the bounds that their certificates prove
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plica._palette import BOUND, MEASUREMENT
from plica.claims import Evidence, control, row
from plica.construct import deep_monomial, multiplication, shallow_monomial
from plica.theory.approximation import deep_monomial_units, shallow_monomial_units

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("slide-rolnick-tegmark", "hastad-1986-parity")
MONOMIALS = ((1, 1), (1, 1, 1), (1,) * 6, (5,), (2, 3), (4, 1, 2), (1,) * 10)
LARGE = ((16,), (9, 7), (3, 3, 3, 3), (1,) * 14)


def check(scale: str) -> Evidence:
    rows = []
    for error in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6):
        gate = multiplication(error=error)
        assert gate.certificate is not None
        found = float(gate.certificate.true_error.low)
        ratio = found / gate.parameters["scale"] ** 2
        rows.append(row(gate.n_units, "=", 4, what="units of the gate", error=error))
        rows.append(
            row(ratio, "=", 1 / 6, kind="estimated", standard_error=1e-4, tolerance=0.02, what="error / scale^2", error=error)
        )
    for r in MONOMIALS + (LARGE if scale == "full" else ()):
        if sum(r) <= 10:
            shallow = shallow_monomial(r)
            assert shallow.certificate is not None
            rows.append(row(shallow.n_units, "=", shallow_monomial_units(r), what="shallow units", exponents=r))
            found, bound = float(shallow.certificate.true_error.low), float(shallow.certificate.bound)
            rows.append(row(found, "<=", bound, kind="estimated", standard_error=1e-12, what="shallow error", exponents=r))
        deep = deep_monomial(r, error=0.01)
        assert deep.certificate is not None
        rows.append(row(deep.n_units, "<=", deep_monomial_units(r), what="deep units", exponents=r))
        found = float(deep.certificate.true_error.low)
        rows.append(row(found, "<=", 0.01, kind="estimated", standard_error=1e-12, what="deep error", exponents=r))
    for r, units in (((5,), 7 * 3 + 4), ((2, 3), 7 + 4 + 14 + 4), ((4, 1, 2), 14 + 4 + 4 + 7 + 4), ((16,), 7 * 4 + 4)):
        rows.append(control(deep_monomial_units(r), "=", units, what="deep units, the printed sum by hand", exponents=r))
    for n in (2, 5, 9):  # n - 1 gates of four units multiply n numbers, one gate less than the theorem allows
        built = deep_monomial((1,) * n, error=0.05).n_units
        rows.append(
            row(deep_monomial_units((1,) * n), "=", built + 4, what="deep units of a product, as built and one gate", n=n)
        )
    for n in (5, 8, 14):
        deep_units, shallow_units = deep_monomial_units((1,) * n), shallow_monomial_units((1,) * n)
        rows.append(row(deep_units, "<", shallow_units, what="a product of n, deep against shallow", n=n))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """Units for the product of n numbers."""
    n = list(range(2, 15))
    ax.semilogy(n, [shallow_monomial_units((1,) * k) for k in n], "o-", color=BOUND, label="one hidden layer, $2^n$")
    ax.semilogy(n, [deep_monomial_units((1,) * k) for k in n], ":", color=MEASUREMENT, label="deep, 4n")
    built = [deep_monomial((1,) * k, error=0.05).n_units for k in n]
    ax.semilogy(n, built, "o", color=MEASUREMENT, label="deep, as built: 4(n - 1)")
    ax.set_xlabel("numbers multiplied")
    ax.set_ylabel("units")
    ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
