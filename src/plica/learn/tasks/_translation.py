"""Translating: sentences as byte pairs, batches by length, training, beam search, BLEU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from plica._torch_threads import one_thread
from plica.errors import MissingExtra
from plica.learn._fit import Fit
from plica.learn.tasks._recipe import Recipe, train
from plica.models.decoding import beam
from plica.models.text import BytePairEncoding

PADDING, START, END = 0, 1, 2
SPECIALS = ("<padding>", "<start>", "<end>")
Pair = tuple[list[int], list[int]]


@dataclass(frozen=True)
class Corpus:
    """Sentences as numbers, one vocabulary for both languages."""

    bpe: BytePairEncoding
    train: list[Pair]
    test: list[tuple[str, str]]


def multi30k(n_tokens: int, *, split: str = "test2016") -> Corpus:
    """Multi30k's 29,000 training pairs in byte pairs learned from them, and a test set as text."""
    from plica import data

    found = data.load("multi30k")
    pairs = [(german.strip(), english.strip()) for german, english in found["train"]]
    bpe = BytePairEncoding.train((text for pair in pairs for text in pair), n_tokens=n_tokens, specials=SPECIALS)
    coded = [(bpe.encode(german)[:80], bpe.encode(english)[:80]) for german, english in pairs]
    return Corpus(bpe, coded, [(german.strip(), english.strip()) for german, english in found[split]])


class Batches:
    """Pairs of similar length together; the batches of every epoch are drawn anew, each batch from its number alone."""

    def __init__(self, pairs: Sequence[Pair], size: int, seed: int) -> None:
        self.pairs, self.size, self.seed = pairs, size, seed
        self.per_epoch = -(-len(pairs) // size)
        self._epoch, self._order = -1, [0]

    def __call__(self, step: int) -> tuple[Tensor, Tensor, Tensor]:
        """Source, what the decoder reads, what it should write."""
        epoch, place = divmod(step, self.per_epoch)
        if epoch != self._epoch:
            generator = torch.Generator().manual_seed(self.seed * 1009 + epoch)
            jitter = torch.rand(len(self.pairs), generator=generator).tolist()
            self._order = sorted(
                range(len(self.pairs)), key=lambda i: (len(self.pairs[i][1]), len(self.pairs[i][0]) + 2 * jitter[i])
            )
            self._blocks = torch.randperm(self.per_epoch, generator=generator).tolist()
            self._epoch = epoch
        at = self._blocks[place] * self.size
        chosen = [self.pairs[i] for i in self._order[at : at + self.size]]
        source = padded([s for s, _ in chosen])
        return source, padded([[START, *t] for _, t in chosen]), padded([[*t, END] for _, t in chosen])


def padded(rows: Sequence[Sequence[int]]) -> Tensor:
    """Rows of different lengths as one tensor."""
    length = max(map(len, rows))
    return torch.tensor([[*row, *[PADDING] * (length - len(row))] for row in rows])


def smoothed_loss(model: nn.Module, batch: tuple[Tensor, Tensor, Tensor]) -> Tensor:
    """Label-smoothed cross-entropy of what the decoder should write."""
    source, read, write = batch
    logits = model(source, read)
    return nn.functional.cross_entropy(logits.flatten(0, 1), write.flatten(), ignore_index=PADDING, label_smoothing=0.1)


def train_translator(model: nn.Module, corpus: Corpus, recipe: Recipe, *, n_batch: int, name: str) -> Fit:
    """Train on batches of ``n_batch`` sentences."""
    return train(model, Batches(corpus.train, n_batch, recipe.seed), smoothed_loss, recipe, name=name)


def translate(model: Any, bpe: BytePairEncoding, sentences: Sequence[str], *, width: int = 4, n_batch: int = 100) -> list[str]:
    """Translations by beam search, in the order of the sentences."""
    coded = [bpe.encode(sentence)[:80] or [END] for sentence in sentences]
    order = sorted(range(len(coded)), key=lambda i: len(coded[i]))
    found = [""] * len(coded)
    model.eval()
    with one_thread():
        for at in range(0, len(order), n_batch):
            rows = order[at : at + n_batch]
            decoded = beam(model, padded([coded[i] for i in rows]), max_length=80, width=width, length_penalty=1.0)
            for i, tokens in zip(rows, decoded.tokens, strict=True):
                found[i] = bpe.decode(tokens).strip()
    return found


@dataclass(frozen=True)
class Bleu:
    """sacreBLEU of a corpus, its standard error over resampled test sets, and the signature of the metric."""

    score: float
    standard_error: float
    signature: str


def bleu(translations: Sequence[str], references: Sequence[str]) -> Bleu:
    """Corpus BLEU on plain text, cased, with the tokenizer 13a."""
    try:
        from sacrebleu.metrics import BLEU
    except ImportError:
        raise MissingExtra("BLEU is measured with sacrebleu, which is not installed.", hint="pip install 'plica[text]'") from None
    metric = BLEU()
    score = metric.corpus_score(list(translations), [list(references)])
    n, parts = len(translations), []
    generator = torch.Generator().manual_seed(12345)
    for _ in range(20):
        rows = torch.randint(0, n, (n,), generator=generator).tolist()
        parts.append(metric.corpus_score([translations[i] for i in rows], [[references[i] for i in rows]]).score)
    return Bleu(score.score, float(torch.tensor(parts).std()), str(BLEU(references=[list(references)]).get_signature()))
