"""Numbers in German and English words: a small translation in which words change their order."""

from __future__ import annotations

import numpy as np

from plica.learn.tasks._chars import english

_ONES = (
    "null ein zwei drei vier fünf sechs sieben acht neun zehn "
    "elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn"
).split()
_TENS = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split()


def german(number: int) -> str:
    """A number below 10,000 in words, the parts apart.

    Examples
    --------
    >>> german(342), german(1001)
    ('drei hundert zwei und vierzig', 'ein tausend eins')
    """
    if number == 1:
        return "eins"
    if number < 20:
        return _ONES[number]
    if number < 100:
        return (f"{_ONES[number % 10]} und " if number % 10 else "") + _TENS[number // 10 - 2]
    size, name = (100, "hundert") if number < 1000 else (1000, "tausend")
    rest = f" {german(number % size)}" if number % size else ""
    return f"{_ONES[number // size]} {name}{rest}"


def numerals(seed: int, *, n_train: int = 4000, n_test: int = 200) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Pairs for training and others for testing, all different numbers."""
    chosen = np.random.default_rng(seed).permutation(10_000)[: n_train + n_test].tolist()
    pairs = [(german(n), english(n)) for n in chosen]
    return pairs[:n_train], pairs[n_train:]
