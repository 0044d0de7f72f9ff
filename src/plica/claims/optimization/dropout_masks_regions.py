r"""Every mask of dropout is a network: how many regions it has, on average over all masks.

Claim
    Of a layer of n units in general position in R^d, with units kept with probability p, the thinned networks have on average
    sum_{k <= d} C(n, k) p^k regions: about p^d of those of the whole layer. With one hidden layer no thinned network has more
    cells than the whole; with two, one can have more, because a unit that kept others silent may be dropped.
Source
    Asked here, from T. Zaslavsky's count [zaslavsky1975] and N. Srivastava et al., Dropout, JMLR 15 (2014) [srivastava2014], who
    train 2^n thinned networks at once.
Prediction
    plica.theory.regions.thinned_regions, in fractions; a network of two layers with 2 cells and a thinned one with 5
Measurement
    the cells of all 2^n thinned networks, counted exactly on all of R^d (plica.decompose), weighted in fractions
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import BARS, MEASUREMENT, PREDICTION
from plica._types import Array
from plica.claims import Evidence, control, row
from plica.geometry import Space, decompose
from plica.network import Linear, Network, Rectifier
from plica.theory.regions import thinned_regions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "question"
EXPECTED = "answered"
KIND = "exact"
SEE = ("zaslavsky-1975", "dropout-weight-scaling")
SEED = 1975
Layer = tuple[Array, Array]
Masks = tuple[tuple[int, ...], ...]


def n_cells(layers: Sequence[Layer], masks: Masks) -> int:
    """Cells on all of R^d of the network that is left; a layer without units ends it."""
    d = layers[0][0].shape[1]
    kept = np.ones(d, dtype=bool)
    operations: list[Linear | Rectifier] = []
    for (weight, bias), mask in zip(layers, masks, strict=True):
        here = np.array(mask, dtype=bool)
        if not here.any():
            break
        operations += [Linear(weight[np.ix_(here, kept)], bias[here]), Rectifier()]
        kept = here
    return decompose(Network.sequential(d, operations), Space(d)).n_cells if operations else 1


def all_counts(layers: Sequence[Layer]) -> dict[Masks, int]:
    """Cells for every mask of every layer."""
    choices = [list(product((0, 1), repeat=len(bias))) for _, bias in layers]
    return {masks: n_cells(layers, masks) for masks in product(*choices)}


def mean(counts: dict[Masks, int], keep: Fraction) -> Fraction:
    """Over all masks, with their probabilities."""
    total = Fraction(0)
    for masks, n in counts.items():
        units = [unit for mask in masks for unit in mask]
        total += n * keep ** sum(units) * (1 - keep) ** (len(units) - sum(units))
    return total


def random_layer(n: int, d: int, seed: int) -> Layer:
    """Integers large enough that no three lines meet and no two are parallel."""
    rng = np.random.default_rng(seed)
    return rng.integers(-99, 100, (n, d)).astype(np.float64), rng.integers(-99, 100, n).astype(np.float64)


def silenced() -> list[Layer]:
    """relu(x) twice; then relu(h_1 - h_2 - j) for j = 1, 2, 3, which is 0 until h_2 is dropped."""
    first = np.ones((2, 1)), np.zeros(2)
    return [first, (np.tile([1.0, -1.0], (3, 1)), np.array([-1.0, -2.0, -3.0]))]


def check(scale: str) -> Evidence:
    rows = []
    for n, d in ((5, 1), (5, 2), (4, 3)) if scale == "quick" else ((8, 1), (8, 2), (7, 3), (6, 4)):
        counts = all_counts([random_layer(n, d, SEED + n + d)])
        for p in (Fraction(1, 2), Fraction(4, 5)):
            rows.append(row(str(mean(counts, p)), "=", str(thinned_regions(n, d, p)), what="mean over masks", n=n, d=d, p=str(p)))
        whole = counts[((1,) * n,)]
        rows.append(row(max(counts.values()), "=", whole, what="most cells of a thinned network", n=n, d=d))
        rows.append(control(whole, "=", int(thinned_regions(n, d, 1)), what="nothing dropped", n=n, d=d))
    counts = all_counts(silenced())
    rows.append(row(counts[(1, 1), (1, 1, 1)], "=", 2, what="two layers, nothing dropped"))
    rows.append(row(counts[(1, 0), (1, 1, 1)], "=", 5, what="two layers, a unit of the first dropped"))
    if scale == "full":
        two = [random_layer(4, 2, SEED), random_layer(4, 4, SEED + 1)]
        counts = all_counts(two)
        whole = counts[(1,) * 4, (1,) * 4]
        share = mean(counts, Fraction(1, 2)) / whole
        rows.append(row(share, "<", Fraction(1, 2), what="two layers of four: mean over masks, of the whole", p="1/2"))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """The counts of all thinned networks of five units in the plane, and their mean."""
    counts = all_counts([random_layer(5, 2, SEED + 7)])
    values = np.array(list(counts.values()))
    ax.hist(values, bins=[k - 0.5 for k in range(int(values.max()) + 2)], color=BARS)
    ax.axvline(float(mean(counts, Fraction(1, 2))), color=MEASUREMENT, label="mean over masks")
    ax.axvline(float(thinned_regions(5, 2, 0.5)), color=PREDICTION, linestyle="--", label="formula")
    ax.set(xlabel="cells of a thinned network, 5 units in the plane", ylabel="masks")
    ax.legend(frameon=False)
