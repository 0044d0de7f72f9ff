"""Texts for tokenizers: the pages of this catalog, and, at full scale, published corpora."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Corpus:
    """Text to learn merges from, and text of the same kind to measure on."""

    name: str
    train: str
    test: str


def catalog_pages() -> Corpus:
    """The claims themselves, every fifth page held out."""
    from plica.claims import catalog

    pages = [" ".join(" ".join(claim.sections().values()).split()) for claim in catalog()]
    test = pages[::5]
    return Corpus("pages of this catalog", "\n".join(p for i, p in enumerate(pages) if i % 5), "\n".join(test))


def published() -> list[Corpus]:
    """Tiny Shakespeare and the English captions of Multi30k."""
    from plica import data

    plays, captions = data.load("tinyshakespeare"), data.load("multi30k")
    return [
        Corpus("tiny Shakespeare", plays.train, plays.test),
        Corpus("captions", "\n".join(en for _, en in captions["train"]), "\n".join(en for _, en in captions["val"])),
    ]


def per_token(corpus: Corpus, n_tokens: int) -> tuple[float, float, int]:
    """Characters and words per token of the held-out text, and the size that the vocabulary reached."""
    from plica.models.text import BytePairEncoding

    tokenizer = BytePairEncoding.train([corpus.train], n_tokens=n_tokens)
    n = len(tokenizer.encode(corpus.test))
    return len(corpus.test) / n, len(corpus.test.split()) / n, tokenizer.n_tokens
