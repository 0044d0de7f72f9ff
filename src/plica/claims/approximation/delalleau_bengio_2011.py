r"""Sum-product networks: n - 1 units with depth, exponentially many without.

Claim
    A function of family F with n = 4^i inputs is a sum-product network with n - 1 units, and needs 2^{sqrt(n) - 1} product units
    as a sum of products; one of family G with n inputs and i levels needs at least (n - 1)^i.
Source
    O. Delalleau, Y. Bengio, Shallow vs. Deep Sum-Product Networks, NeurIPS 2011 [delalleau2011].
Prediction
    n - 1 units and 2^{sqrt(n) - 1} monomials; at least (n - 1)^i monomials
Measurement
    units of plica.construct.sum_product_f and plica.construct.sum_product_g, and the monomials of the polynomials that they
    compute, expanded; all weights are positive, so that none cancels and each takes a product unit of its own
Remark
    The lecture names the authors in the other order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plica._palette import BOUND, MEASUREMENT
from plica.claims import Evidence, row
from plica.construct import sum_product_f, sum_product_g

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("hastad-1986-parity", "rolnick-tegmark-2018")


def check(scale: str) -> Evidence:
    rows = []
    for levels in (1, 2, 3, 4) if scale == "full" else (1, 2, 3):
        net, n = sum_product_f(levels), 4**levels
        rows.append(row(net.n_units, "=", n - 1, family="F", n=n, levels=levels, what="units"))
        rows.append(row(net.n_monomials, "=", 2 ** (2**levels - 1), family="F", n=n, levels=levels, what="monomials"))
    cases = ((3, 1), (3, 2), (3, 3), (4, 1), (4, 2), (5, 2)) + (((3, 4), (4, 3), (6, 2), (7, 2)) if scale == "full" else ())
    for n, levels in cases:
        net = sum_product_g(n, levels)
        rows.append(row(net.n_units, "=", 2 * n * levels + 1, family="G", n=n, levels=levels, what="units"))
        rows.append(row(net.n_monomials, ">=", (n - 1) ** levels, family="G", n=n, levels=levels, what="monomials"))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """Units of family F, deep and shallow."""
    n = [4**i for i in (1, 2, 3)]
    ax.loglog(n, [sum_product_f(i).n_units for i in (1, 2, 3)], "o-", color=MEASUREMENT, label="deep: n - 1")
    ax.loglog(n, [sum_product_f(i).n_monomials for i in (1, 2, 3)], "o-", color=BOUND, label="shallow: monomials")
    ax.set_xticks(n, [str(k) for k in n])
    ax.xaxis.minorticks_off()
    ax.set_xlabel("inputs")
    ax.set_ylabel("units")
    ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
