"""Training at its ends: labels that are none, texts of results, the corpus of translations and the spread of its measure."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import pytest
import torch

import plica
from plica.errors import InvalidInput
from plica.learn import History
from plica.learn._losses import choose_loss, cross_entropy
from plica.learn.tasks._translation import bleu, multi30k


def test_one_label_stands_for_none_and_no_other_negative_one() -> None:
    output = torch.randn(3, 4, generator=torch.Generator().manual_seed(0))
    assert choose_loss(None, output, torch.tensor([0, -100, 3])) is cross_entropy
    for wrong in (-1, -99, -101):
        with pytest.raises(InvalidInput, match="is no class"):
            choose_loss(None, output, torch.tensor([0, wrong, 3]))
    kept = cross_entropy(output, torch.tensor([0, -100, 3]))
    assert torch.equal(kept, cross_entropy(output[[0, 2]], torch.tensor([0, 3])))


def test_a_history_shows_whole_numbers_whole_and_others_in_four_digits() -> None:
    history = History([{"step": 12345, "loss": 0.123456, "note": "warm", "gap": None}])
    text = repr(history)
    assert "step 12,345" in text and "loss 0.1235" in text and "note warm" in text


def test_pairs_are_coded_in_at_most_eighty_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    long = " ".join(["ein", "haus"] * 60)
    found = {"train": [(f" {long} ", "a house"), ("haus", f"{long} ")], "test2016": [(" ein Haus ", "a house\n")]}
    monkeypatch.setattr(plica.data, "load", lambda name: found)
    corpus = multi30k(260)
    assert corpus.test == [("ein Haus", "a house")]
    assert [[len(side) for side in pair] for pair in corpus.train] == [
        [min(80, len(corpus.bpe.encode(text.strip()))) for text in pair] for pair in found["train"]
    ]
    assert len(corpus.train[0][0]) == 80 and corpus.bpe.decode(corpus.train[0][1]).strip() == "a house"


def test_the_spread_of_bleu_is_that_of_twenty_test_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = [float(k * k) for k in range(21)]
    asked = iter(scores)

    class Metric:
        def __init__(self, **options: object) -> None:
            pass

        def corpus_score(self, texts: list[str], references: list[list[str]]) -> SimpleNamespace:
            assert len(texts) == len(references[0]) == 3
            return SimpleNamespace(score=next(asked))

        def get_signature(self) -> str:
            return "none"

    package, metrics = ModuleType("sacrebleu"), ModuleType("sacrebleu.metrics")
    metrics.BLEU = Metric
    monkeypatch.setitem(sys.modules, "sacrebleu", package)
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics", metrics)
    found = bleu(["a", "b", "c"], ["a", "b", "d"])
    assert found.score == 0.0 and found.signature == "none"
    assert found.standard_error == pytest.approx(float(torch.tensor(scores[1:]).std()), rel=1e-6)
    assert next(asked, None) is None
