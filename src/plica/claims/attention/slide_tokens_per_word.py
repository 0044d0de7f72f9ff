r"""Tokens, as printed: 4 characters, three quarters of a word.

Claim
    One token is 4 characters and 3/4 of a word, within a tenth.
Source
    Theories of Deep Learning, lecture 4, slide on tokens, which prints rules of thumb with an equals sign [oxford-lecture-4].
Prediction
    4 characters and 0.75 words
Measurement
    held-out text per token of plica.models.text.BytePairEncoding. Quick: 2,048 tokens learned from the pages of this catalog;
    full: 8,192 from tiny Shakespeare and from the English captions of Multi30k
Remark
    It is a rule for one tokenizer on ordinary English. Captions agree with it (4.2 and 0.81); verse (3.1 and 0.57) and text
    with formulas do not: the claim tokens-per-word.
"""

from __future__ import annotations

from plica.claims import Evidence, row
from plica.claims.attention._corpora import catalog_pages, per_token, published

EXPECTED = "refuted"
KIND = "exact"
SEE = ("tokens-per-word",)


def check(scale: str) -> Evidence:
    corpora, n_tokens = (published(), 8192) if scale == "full" else ([catalog_pages()], 2048)
    rows = []
    for corpus in corpora:
        characters, words, reached = per_token(corpus, n_tokens)
        rows.append(row(characters, "=", 4.0, tolerance=0.1, text=corpus.name, tokens=reached, what="characters"))
        rows.append(row(words, "=", 0.75, tolerance=0.1, text=corpus.name, tokens=reached, what="words"))
    return Evidence(rows)
