"""Which words translate which: IBM model 1, a table of probabilities fitted by expectation and maximization."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput

Pair = tuple[Sequence[str], Sequence[str]]
NOTHING = ""
"""The word at position 0 of every source: what is translated from nothing."""


@dataclass(frozen=True)
class AlignmentModel:
    r"""IBM model 1 [brown1993]_: each target word is translated from one source word, all equally likely beforehand.

    .. math:: P(f \mid e) = \prod_{j=1}^{m} \frac{1}{l + 1} \sum_{i=0}^{l} t(f_j \mid e_i)

    Parameters
    ----------
    sources, targets
        The words, each once; the first source word stands for nothing.
    table
        t(target | source), rows are source words and sum to one.
    history
        Logarithm of the likelihood of all pairs before each step of the fit, and after the last.

    Examples
    --------
    >>> pairs = [(e.split(), f.split()) for e, f in (("the house", "das Haus"), ("the book", "das Buch"), ("a book", "ein Buch"))]
    >>> model = AlignmentModel.fit(pairs, n_steps=20)
    >>> model.align("the book".split(), "das Buch".split())
    [1, 2]
    """

    sources: tuple[str, ...]
    targets: tuple[str, ...]
    table: Array
    history: tuple[float, ...]

    @classmethod
    def fit(cls, pairs: Sequence[Pair], *, n_steps: int = 50, start: Array | None = None) -> AlignmentModel:
        """Expectation and maximization from a uniform table, or from ``start``."""
        if not pairs or n_steps < 0 or any(not e or not f for e, f in pairs):
            raise InvalidInput("a fit needs pairs of sentences with words in both, and steps.", hint="[(['a'], ['b']), ...]")
        sources = (NOTHING, *dict.fromkeys(word for e, _ in pairs for word in e))
        targets = tuple(dict.fromkeys(word for _, f in pairs for word in f))
        table = np.full((len(sources), len(targets)), 1 / len(targets)) if start is None else np.array(start, dtype=np.float64)
        if table.shape != (len(sources), len(targets)) or not (table > 0).all():
            raise InvalidInput(f"a start of shape {table.shape}.", hint=f"positive, ({len(sources)}, {len(targets)})")
        model = cls(sources, targets, table / table.sum(1, keepdims=True), ())
        history = []
        for _ in range(n_steps):
            counts = np.zeros_like(model.table)
            history.append(sum(model.log_likelihood(e, f) for e, f in pairs))
            for e, f in pairs:
                np.add.at(counts, (model._rows(e)[:, None], model._columns(f)[None, :]), model.posterior(e, f).T)
            total = counts.sum(1, keepdims=True)
            table = np.where(total > 0, counts / np.where(total > 0, total, 1.0), model.table)
            model = cls(sources, targets, table, ())
        history.append(sum(model.log_likelihood(e, f) for e, f in pairs))
        return cls(sources, targets, model.table, tuple(history))

    def probability(self, target: str, source: str) -> float:
        """t(target | source)."""
        return float(self.table[self._rows([source])[1], self._columns([target])[0]])

    def posterior(self, source: Sequence[str], target: Sequence[str]) -> Array:
        """(m, l + 1): how likely each target word comes from each source word, nothing first; rows sum to one."""
        seen: Array = self.table[self._rows(source)][:, self._columns(target)].T
        return seen / seen.sum(1, keepdims=True)

    def align(self, source: Sequence[str], target: Sequence[str]) -> list[int]:
        """For each target word the position of its likeliest source word, from 1; 0 is nothing."""
        return [int(i) for i in self.posterior(source, target).argmax(1)]

    def log_likelihood(self, source: Sequence[str], target: Sequence[str]) -> float:
        """log P(target | source), given the target's length."""
        sums = self.table[self._rows(source)][:, self._columns(target)].sum(0)
        return float(np.log(sums).sum()) - len(target) * log(len(source) + 1)

    def _rows(self, words: Sequence[str]) -> Array:
        return np.array([0, *(self._find(self.sources, word) for word in words)])

    def _columns(self, words: Sequence[str]) -> Array:
        return np.array([self._find(self.targets, word) for word in words])

    @staticmethod
    def _find(words: tuple[str, ...], word: str) -> int:
        if word not in words:
            raise InvalidInput(f"the word {word!r} is in no pair of the fit.")
        return words.index(word)
