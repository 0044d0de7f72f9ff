r"""Yun et al.: attention makes of every token a code of its whole sequence, and then a table of codes is every function.

Claim
    Layers of two heads of size one, whose scores are sharp, map tokens on a grid of G = g^d points to numbers that are different
    for different tokens of a sequence and for sequences that are no permutations of each other: G selective shifts and one global
    shift are enough for n different tokens. A token-wise network that reads these numbers is then any permutation-equivariant
    function of the grid, and with positions any function of sequences at all.
Source
    C. Yun, S. Bhojanapalli, A. S. Rawat, S. Reddi, S. Kumar, Are Transformers Universal Approximators of Sequence-to-Sequence
    Functions?, ICLR 2020, Theorem 3 (with positions) and the theorem before it (equivariant), and their lemmas: 6 (contextual
    mappings, G + 1 layers of attention) and 7 (the table) [yun2020]. Zaheer et al. quote both lemmas [zaheer2020].
Prediction
    n C(G, n) different codes of all sequences of n different tokens, n g^{d n} with positions; the codes in integers, where the
    tokens in order become t_1 = l_1 + G (l_n - l_1), t_j = l_j + G (t_{j-1} - l_j), and at the end t_j + G^{n+1} t_n; G without
    attention. An equivariant function is off by no more than it changes over a side of the grid, here 1 - (1 - 1/g)^2.
Measurement
    every sequence at once through plica.models.attention.Attend with softmax, two heads for each shift, in float64, where all
    numbers are integers below 2^53 and sharp weights are 0 or 1; the table by plica.construct.interpolant
"""

from __future__ import annotations

from itertools import combinations, permutations, product
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from plica._palette import SERIES
from plica._types import Array
from plica.claims import Evidence, control, row
from plica.construct import interpolant
from plica.models.attention import Attend, Dot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("permutation-equivariance", "jelassi-2024-copying", "parity-with-steps")
SEED = 1912
SHARP = 4096.0  # scores of different tokens are half of this apart: the smaller weight is zero in float64


def extremes(ids: Tensor, threshold: float) -> Tensor:
    """One head of size one: the largest id for tokens above the threshold, the smallest for those below."""
    found: Tensor = Attend(Dot())(SHARP * (ids - threshold), ids, ids)
    return found


def shifted(ids: Tensor, grid: int, *, everywhere: bool = True) -> Tensor:
    """The ids (sequences, n, 1) after the selective shift of every point of the grid, and the global one."""
    n = ids.shape[-2]
    for point in range(grid):
        ids = ids + grid * (extremes(ids, point - 0.5) - extremes(ids, point + 0.5))
    return ids + float(grid) ** (n + 1) * extremes(ids, -0.5) if everywhere else ids


def in_integers(ids: tuple[int, ...], grid: int) -> list[int]:
    """The same codes from the formula, for ids in increasing order."""
    codes = [ids[0] + grid * (ids[-1] - ids[0])]
    for token in ids[1:]:
        codes.append(token + grid * (codes[-1] - token))
    return [code + grid ** (len(ids) + 1) * codes[-1] for code in codes]


def codes_of(sequences: Array, grid: int, *, everywhere: bool = True) -> Array:
    """For sequences of ids (sequences, n) their codes, of the same shape."""
    tokens = torch.tensor(sequences, dtype=torch.float64)[..., None]
    return np.asarray(shifted(tokens, grid, everywhere=everywhere)[..., 0].numpy())


def tokens_to_ids(tokens: Array, base: int) -> Array:
    """u . x with u = (1, g, g^2, ...): tokens (..., d) on a grid of integers as one integer."""
    return np.asarray(tokens @ base ** np.arange(tokens.shape[-1]))


def check(scale: str) -> Evidence:
    rows = []
    for g, d, n in ((4, 1, 2), (4, 1, 3), (2, 3, 3), (3, 2, 3), (2, 3, 4)) + (((4, 2, 3), (12, 1, 4)) if scale == "full" else ()):
        points = np.array(list(product(range(g), repeat=d)))
        order = np.array(list(permutations(range(g**d), n)))
        ids = tokens_to_ids(points, g)[order]
        codes = codes_of(ids, g**d)
        about: dict[str, Any] = {"g": g, "d": d, "n": n}
        rows.append(row(len(np.unique(codes)), "=", n * comb(g**d, n), what="different codes", **about))
        table = {(s, t): c for s in combinations(range(g**d), n) for t, c in zip(s, in_integers(s, g**d), strict=True)}
        pairs = [(line, t, c) for line, cs in zip(ids.tolist(), codes, strict=True) for t, c in zip(line, cs, strict=True)]
        off = sum(table[tuple(sorted(line)), t] != c for line, t, c in pairs)
        rows.append(row(off, "=", 0, what="codes that are not those in integers", **about))
        if n > 2:
            fewer = len(np.unique(codes_of(ids, g**d, everywhere=False)))
            rows.append(control(fewer, "<", n * comb(g**d, n), what="codes without the global shift", **about))
        rows.append(control(len(np.unique(ids)), "=", g**d, what="codes without attention", **about))
    for g, d, n in ((3, 1, 3), (2, 2, 2), (2, 1, 4)):
        tokens = np.array(list(product(product(range(g), repeat=d), repeat=n))) + g * np.arange(n)[:, None]
        codes = codes_of(tokens_to_ids(tokens, n * g), (n * g) ** d)
        rows.append(row(len(np.unique(codes)), "=", n * g ** (d * n), what="codes with positions", g=g, d=d, n=n))
    return Evidence([*rows, *functions(8, 3, 4000 if scale == "full" else 1000)], draw=draw, seed=SEED)


def functions(g: int, n: int, n_samples: int) -> list[Any]:
    """A table of codes as a network of one variable: random values of the grid, and a continuous function."""
    rng = np.random.default_rng(SEED)
    small = np.array(list(combinations(range(4), n)))
    knots = codes_of(small, 4).ravel()
    values = rng.integers(-5, 6, len(knots)).astype(float)
    read = interpolant(*map(list, zip(*sorted(zip(knots.tolist(), values.tolist(), strict=True)), strict=True)))
    turned = rng.permuted(small, axis=1)
    wanted = [values[small.ravel().tolist().index(t, n * i, n * i + n)] for i, line in enumerate(turned.tolist()) for t in line]
    off = float(np.abs(read(codes_of(turned, 4).reshape(-1, 1))[:, 0] - wanted).max())
    about: dict[str, Any] = {"g": 4, "d": 1, "n": n, "kind": "estimated", "standard_error": 1e-9, "unit": 1.0}
    rows = [row(off, "=", 0.0, what="random values of all sets, in another order", **about)]
    sets = np.array(list(combinations(range(g), n)))
    coded = zip(sets, codes_of(sets, g), strict=True)
    corner = {code: line[i] * line[-1] / g**2 for line, codes in coded for i, code in enumerate(codes)}
    x = rng.random((n_samples, n))
    x[0] = [1 - 1e-9, 0.1, 0.4]  # near the corner where the function changes most
    cells = np.floor(g * x)
    told = np.array([len(set(line)) == n for line in cells.tolist()])
    found = np.array([[corner[code] for code in line] for line in codes_of(cells[told], g)])
    error = float(np.abs(found - x[told] * x[told].max(1, keepdims=True)).max())
    change = 1 - (1 - 1 / g) ** 2
    rows.append(row(error, "<", change, g=g, d=1, n=n, what="x_j max x, largest error"))
    rows.append(row(error, ">=", change * (1 - 1e-6), g=g, d=1, n=n, what="x_j max x, attained"))
    apart, spread = 1 - comb(n, 2) / g + 2 / g**2, (1 / n_samples) ** 0.5 / 2  # (1 - 1/g) (1 - 2/g) for n = 3
    share = float(told.mean())
    rows.append(control(share, "=", apart, kind="estimated", standard_error=spread, g=g, n=n, what="in different cells"))
    return rows


def draw(ax: Axes) -> None:
    """The codes of the sets of three tokens of a grid of four: a number for the set, and one for the token in it."""
    sets = np.array(list(combinations(range(4), 3)))
    whole, own = np.divmod(codes_of(sets, 4), 4.0**4)
    for token in range(4):
        at = sets == token
        ax.scatter(whole[at], own[at], color=SERIES[token], s=36, label=f"token {token}", zorder=3)
    for i, (line, x, y) in enumerate(zip(sets.tolist(), whole[:, 0], own.max(1), strict=True)):  # neighbors are close together
        name, up = "{" + ", ".join(map(str, line)) + "}", 7 + 10 * (i % 2)
        ax.annotate(name, (x, y), (0, up), textcoords="offset points", ha="center", fontsize=8)
    ax.set(xlabel="code / $4^4$: the set", ylabel="what is left: the token")
    ax.margins(x=0.12, y=0.16)
    ax.legend(frameon=False, fontsize=8, loc="center", bbox_to_anchor=(0.42, 0.55))
    ax.spines[["top", "right"]].set_visible(False)
