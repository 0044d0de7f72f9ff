r"""How much text a token holds depends on the vocabulary and on the text.

Claim
    Byte pairs learned from English text hold more characters the more of them there are; with thousands of them a token of
    unseen text of the same kind holds between 2.5 and 4.5 characters, and between 0.4 and 0.85 words.
Source
    R. Sennrich, B. Haddow, A. Birch, ACL 2016, for the method [sennrich2016]; the rules of thumb are those of Theories of Deep
    Learning, lecture 4 [oxford-lecture-4].
Prediction
    more characters per token for each larger vocabulary; the two intervals for the largest one
Measurement
    plica.models.text.BytePairEncoding trained on tiny Shakespeare and on the English captions of Multi30k, and applied to
    held-out parts
Stand-in
    The same of one small text with many formulas, the pages of this catalog, and 2,048 tokens.
Remark
    The lecture prints "1 token = 4 characters = 3/4 word" as a rule of thumb for one tokenizer and ordinary English. Captions
    agree with it (4.2 and 0.81), verse does not (3.1 and 0.57).
"""

from __future__ import annotations

from plica.claims import Evidence, row
from plica.claims.attention._corpora import catalog_pages, per_token, published
from plica.claims.attention._curves import curves

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "exact"


def check(scale: str) -> Evidence:
    corpora = published() if scale == "full" else [catalog_pages()]
    sizes = (512, 1024, 2048, 4096, 8192) if scale == "full" else (512, 1024, 2048)
    rows, seen = [], []
    for corpus in corpora:
        found = [per_token(corpus, n) for n in sizes]
        for n, (fewer, _, _), (more, _, _) in zip(sizes[1:], found, found[1:], strict=False):
            rows.append(row(more, ">", fewer, text=corpus.name, tokens=n, what="characters"))
        characters, words, reached = found[-1]
        for value, low, high, what in ((characters, 2.5, 4.5, "characters"), (words, 0.4, 0.85, "words")):
            rows.append(row(value, ">=", low, text=corpus.name, tokens=reached, what=what))
            rows.append(row(value, "<=", high, text=corpus.name, tokens=reached, what=what))
        seen.append(([f[2] for f in found], [f[0] for f in found], corpus.name))
    return Evidence(rows, draw=curves(seen, x="tokens in the vocabulary", y="characters per token", log="x"))
