"""IBM model 1 against the sum over all alignments."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from plica.errors import InvalidInput
from plica.models.text import AlignmentModel

PAIRS = [
    ("the house".split(), "das Haus".split()),
    ("the book".split(), "das Buch".split()),
    ("a book".split(), "ein Buch".split()),
]


def test_expected_counts_are_those_of_all_alignments() -> None:
    first, second = AlignmentModel.fit(PAIRS, n_steps=1), AlignmentModel.fit(PAIRS, n_steps=2)
    counts = np.zeros_like(first.table)
    for e, f in PAIRS:
        rows, columns = [0, *(first.sources.index(w) for w in e)], [first.targets.index(w) for w in f]
        chances = {a: np.prod([first.table[i, j] for i, j in zip(a, columns, strict=True)]) for a in product(rows, repeat=len(f))}
        total = sum(chances.values())
        for a, chance in chances.items():
            for i, j in zip(a, columns, strict=True):
                counts[i, j] += chance / total
    np.testing.assert_allclose(second.table, counts / counts.sum(1, keepdims=True), atol=1e-12)


def test_words_find_their_translations() -> None:
    model = AlignmentModel.fit(PAIRS, n_steps=60)
    assert model.align(*PAIRS[2]) == [1, 2]
    assert model.probability("Haus", "house") > 0.9
    assert np.all(np.diff(model.history) >= -1e-12) and len(model.history) == 61


def test_what_cannot_be_fitted_or_asked_is_refused() -> None:
    for bad in ([], [([], ["a"])]):
        with pytest.raises(InvalidInput):
            AlignmentModel.fit(bad)
    with pytest.raises(InvalidInput):
        AlignmentModel.fit(PAIRS, start=np.zeros((1, 1)))
    with pytest.raises(InvalidInput, match="xyz"):
        AlignmentModel.fit(PAIRS, n_steps=1).align(["xyz"], ["das"])
