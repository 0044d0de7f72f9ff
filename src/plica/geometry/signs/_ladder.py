"""The ladder: what one rung leaves undecided, the next one is asked.

Floating point may *prove* an answer: a number that is larger than a bound of its error has the sign of the truth. Or it leaves
the question open, and then more digits may do. A true zero is never proved this way; that is for integers, which decide
everything, slowly. So a question is handed up rung by rung, and each rung is asked only what those below left open.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from plica._types import Array
from plica.geometry.signs._decisions import Tally
from plica.geometry.signs._precision import PRECISIONS, Precision


class Question(ABC):
    """Something to decide about numbered items (vertices, edges, pairs of cells); the answers are kept by the question.

    Examples
    --------
    The signs of fractions, as far as the first digits decide them:

    >>> from fractions import Fraction
    >>> class Signs(Question):
    ...     def __init__(self, numbers):
    ...         self.numbers, self.answers = numbers, {}
    ...     def decide(self, precision, items):
    ...         for i in items:
    ...             if abs(float(self.numbers[i])) > 1e-300:
    ...                 self.answers[int(i)] = int(np.sign(float(self.numbers[i])))
    ...         return np.array([int(i) in self.answers for i in items])
    ...     def decide_exactly(self, items):
    ...         for i in items:
    ...             self.answers[int(i)] = (self.numbers[i] > 0) - (self.numbers[i] < 0)
    >>> signs, tally = Signs([Fraction(1, 3), Fraction(-1, 10**400), Fraction(0)]), Tally()
    >>> climb(signs, np.arange(3), tally)
    >>> signs.answers, tally.decisions
    ({0: 1, 1: -1, 2: 0}, Decisions(double=1, extended=0, integer=2))
    """

    def n_open(self, items: Array) -> int:
        """How many decisions are still to be made at the items."""
        return len(items)

    @abstractmethod
    def decide(self, precision: Precision, items: Array) -> Array:
        """Decide what this precision proves; returns which of the items have nothing left open."""

    @abstractmethod
    def decide_exactly(self, items: Array) -> None:
        """Decide everything left open at the items, in integers."""


def climb(question: Question, items: Array, tally: Tally) -> None:
    """Decide all items, each on the lowest rung that can, and count what each rung decided."""
    for precision in PRECISIONS:
        if not len(items):
            return
        before = question.n_open(items)
        with np.errstate(all="ignore"):  # what is not a number proves nothing
            items = items[~question.decide(precision, items)]
        tally.add(before - question.n_open(items), precision)
    if len(items):
        tally.add(question.n_open(items), None)
        question.decide_exactly(items)
