r"""One layer of attention hardly feels a bit of a long text; with steps in between it computes parity.

Claim
    In a layer of softmax attention over n tokens with bounded scores, changing one token other than the last changes the last
    output by at most a constant over n, while parity changes altogether. A layer that writes one bit after each token, from the
    bit before and the next token, computes the parity of any number of bits with a fixed number of units.
Source
    M. Hahn, Theoretical Limitations of Self-Attention in Neural Sequence Models, TACL 8 (2020) [hahn2020];
    steps in between: G. Feng et al., NeurIPS 2023 [feng2023], W. Merrill and A. Sabharwal, ICLR 2024 [merrill2024].
Prediction
    the slope -1 of the logarithm of the largest change against log n, for the same weights; 0 wrong parities with steps, for
    strings longer than any bound
Measurement
    plica.models.attention.Attention with random weights, on strings of 32 to 512 bits, 64 of them flipped one by one; and, for
    steps, plica.models.attention.Attend on the tokens followed by the two ReLUs of plica.construct.parity
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import torch

from plica.claims import Evidence, row
from plica.claims.attention._curves import curves
from plica.construct import parity
from plica.models.attention import Attend, Attention, Dot, Sinusoidal

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("jelassi-2024-copying", "hastad-1986-parity")
SEED = 2020
D = 8


def largest_change(n: int, position: str, n_draws: int) -> float:
    """The mean over draws of the largest change of the last output when one bit is flipped."""
    found = []
    for k in range(n_draws):
        generator = torch.Generator().manual_seed(SEED + k)
        embedding = torch.randn(2, D, dtype=torch.float64, generator=generator)
        with torch.random.fork_rng(devices=[]), torch.no_grad():
            torch.manual_seed(SEED + k)
            layer = Attention(D, 2, position=position).double()
            bits = torch.randint(2, (n,), generator=generator)
            flips = torch.randperm(n - 1, generator=generator)[:64].tolist()
            texts = torch.stack([bits, *(bits ^ (torch.arange(n) == i) for i in flips)])
            out = layer(embedding[texts])[:, -1]
        found.append(float((out[1:] - out[0]).abs().amax()))
    return float(np.mean(found))


def slope(position: str, sizes: tuple[int, ...], n_draws: int) -> tuple[float, float, list[float]]:
    """Of the logarithm, with the standard error of the fit."""
    changes = [largest_change(n, position, n_draws) for n in sizes]
    x, y = np.log(sizes), np.log(changes)
    x = x - x.mean()
    found = float(x @ y / (x @ x))
    rest = y - y.mean() - found * x
    return found, float(sqrt(rest @ rest / (len(sizes) - 2) / (x @ x))), changes


def with_steps(bits: np.ndarray) -> int:
    """Parity, one step for each bit: attention fetches the last step's bit and the next token, two ReLUs add them."""
    xor = parity(2)
    look = Attend(Dot())
    places = Sinusoidal(16).table(len(bits) + 1, like=torch.empty(0, dtype=torch.float64))
    tokens = torch.tensor(np.concatenate([[0], bits]), dtype=torch.float64)[:, None]
    state = 0.0
    for t in range(1, len(bits) + 1):
        token = float(look(1e4 * places[t : t + 1], places, tokens))  # the query of a step looks at its token
        state = float(xor(np.array([[state, round(token)]]))[0, 0])
    return int(state)


def check(scale: str) -> Evidence:
    sizes, n_draws = ((32, 128, 512, 2048), 16) if scale == "full" else ((32, 128, 512), 24)
    rows, shown = [], []
    for position in ("none",):
        found, error, changes = slope(position, sizes, n_draws)
        about: dict[str, Any] = {"kind": "estimated", "standard_error": error, "tolerance": 0.04}
        rows.append(row(found, "=", -1.0, model=f"one layer, positions: {position}", what="slope of the change", **about))
        shown.append((sizes, changes, f"positions: {position}"))
    rng = np.random.default_rng(SEED)
    for n in (1, 2, 7, 64, 200):
        strings = [rng.integers(0, 2, n) for _ in range(4)]
        wrong = sum(with_steps(bits) != int(bits.sum()) % 2 for bits in strings)
        rows.append(row(wrong, "=", 0, model="with steps", what="wrong parities", n=n))
    rows.append(row(parity(2).n_units, "=", 2, model="with steps", what="ReLUs, for any length"))
    law = [(sizes, [shown[0][1][0] * sizes[0] / n for n in sizes], "1/n")]
    return Evidence(rows, draw=curves(shown, law, x="bits", y="change by one bit"), seed=SEED)
