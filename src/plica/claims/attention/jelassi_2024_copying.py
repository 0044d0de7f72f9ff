r"""Jelassi et al.: to copy, a recurrent network needs a state as long as the string; attention does not.

Claim
    A model that reads a string into one of S states and writes it back from there is right on at most S of the D^n strings of n
    symbols. Two layers of attention copy every string of distinct symbols, of any length, with the same weights.
Source
    S. Jelassi, D. Brandfonbrener, S. M. Kakade, E. Malach, Repeat After Me: Transformers Are Better than State Space Models at
    Copying, ICML 2024, the theorems on attention with n-grams that do not repeat and on states of fixed size [jelassi2024].
Prediction
    min(1, S / D^n), the largest share of strings, attained by a register of the first symbols; 0 wrong symbols for attention
Measurement
    every table of transitions of S <= 4 states, 65,536 of them, and a register, on every string; for attention
    two calls of plica.models.attention.Attend with a causal mask and plica.models.attention.Sinusoidal: the first brings each
    token the symbol before it, the second looks up where that is the current symbol, and writes what stands there
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from plica._palette import BOUND, MEASUREMENT
from plica.claims import Evidence, row
from plica.models.attention import Attend, Dot, Sinusoidal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("fixed-context-bottleneck", "parity-with-steps")
SEED = 2024
SYMBOLS, D_POSITION, SHARPNESS = 64, 64, 400.0


def best_share(n: int, alphabet: int, n_states: int) -> float:
    """Over all machines of that many states: the largest share of strings that one can be right on.

    A machine writes the same string whenever it ends in the same state: it is right on one string for each state it can end in.
    Every table of transitions is tried, (n_states, alphabet) numbers each; the start is state 0.
    """
    most = 0
    for flat in product(range(n_states), repeat=n_states * alphabet):
        ends = {0}
        for _ in range(n):
            ends = {flat[state * alphabet + symbol] for state in ends for symbol in range(alphabet)}
        most = max(most, len(ends))
    return most / alphabet**n


def register_share(n: int, alphabet: int, kept: int) -> float:
    """A shift register that keeps the first symbols and guesses 0 for the rest: every string is tried."""
    right = 0
    for string in product(range(alphabet), repeat=n):
        state: tuple[int, ...] = ()
        for symbol in string:
            state = (*state, symbol)[:kept]
        right += (*state, *[0] * (n - len(state))) == string
    return right / alphabet**n


def copied(string: list[int]) -> list[int]:
    """What attention writes after the string and a second mark of its beginning, symbol by symbol."""
    text = [0, *string, 0]  # 0 marks the beginning
    table = Sinusoidal(D_POSITION)
    look = Attend(Dot(), mask="causal")
    for _ in string:
        tokens = torch.tensor(text)
        symbols = torch.nn.functional.one_hot(tokens, SYMBOLS + 1).double()
        p = table.table(len(text) + 1, like=symbols)
        here, before = p[1:], p[:-1]  # positions 1, 2, ... and those before them
        previous = look(SHARPNESS * before, here, symbols)  # each token looks one position back
        previous[0] = 0.0  # nothing stands before the first
        answer: Tensor = look(SHARPNESS * symbols, previous, symbols)  # where was the symbol before me what I am now?
        text.append(int(answer[-1].argmax()))
    return text[len(string) + 2 :]


def check(scale: str) -> Evidence:
    rows = []
    for alphabet, n, states in ((2, 3, 2), (2, 4, 3), (2, 4, 4), (3, 2, 3)):
        predicted = min(1.0, states / alphabet**n)
        rows.append(row(best_share(n, alphabet, states), "=", predicted, model="best machine", n=n, D=alphabet, states=states))
    for alphabet, n, kept in ((2, 6, 3), (3, 4, 2), (3, 4, 4), (4, 5, 1)):
        states = alphabet**kept
        predicted = min(1.0, states / alphabet**n)
        rows.append(row(register_share(n, alphabet, kept), "=", predicted, model="register", n=n, D=alphabet, states=states))
    rng = np.random.default_rng(SEED)
    for n in (1, 2, 8, 32, 64) if scale == "quick" else (1, 2, 8, 16, 32, 48, 64):
        strings = [(1 + rng.permutation(SYMBOLS)[:n]).tolist() for _ in range(3)]
        wrong = sum(a != b for s in strings for a, b in zip(copied(s), s, strict=True))
        rows.append(row(wrong, "=", 0, model="two layers of attention", n=n, D=SYMBOLS, states="none"))
    repeated = [5, 9, 5, 7]  # a symbol that occurs twice has two successors: the weights average them
    rows.append(
        row(int(copied(repeated) == repeated), "=", 0, model="two layers, a repeated symbol", n=4, D=SYMBOLS, states="none")
    )
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """Bits of state that copying needs against the length, and the weights of attention that do not grow."""
    n = np.arange(1, 65)
    bits = [float(np.log2(np.arange(SYMBOLS - k + 1, SYMBOLS + 1)).sum()) for k in n]
    ax.plot(n, bits, color=BOUND, label="bits of state, recurrent")
    ax.plot(n, [np.log2(SYMBOLS) for _ in n], color=MEASUREMENT, label="bits of a symbol: what attention looks up")
    ax.set(xlabel="length of the string, 64 symbols", ylabel="bits", yscale="log")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
