"""Byte-pair encoding: any text survives, merges are those of the definition, files are checked."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plica.errors import InvalidInput
from plica.models.text import BytePairEncoding
from plica.models.text._bpe import _PIECE

TEXT = "the cat sat on the mat; the other cats sat on the other mats.  Nine mats, 99 cats_and_mats\n\tÄpfel für Größe → ½"


@given(st.text(max_size=60))
@settings(max_examples=60, deadline=None)
def test_any_text_comes_back(text: str) -> None:
    text = text.encode("utf-8", "replace").decode()
    bpe = BytePairEncoding.train([TEXT], n_tokens=300, specials=["<end>"])
    assert bpe.decode(bpe.encode(text)) == text
    assert all(n >= 1 for n in bpe.encode(text))  # text is never a special token


def naive_merges(text: str, n_merges: int) -> list[tuple[bytes, bytes]]:
    """The definition: count all pairs, merge the most frequent, again and again."""
    words = [[bytes([b]) for b in piece.encode()] for piece in _PIECE.findall(text)]
    merges = []
    for _ in range(n_merges):
        counts = Counter(pair for word in words for pair in pairwise(word))
        best = min(counts, key=lambda pair: (-counts[pair], pair), default=None)
        if best is None or counts[best] < 2:
            break
        merges.append(best)
        for word in words:
            i = 0
            while i + 1 < len(word):
                if (word[i], word[i + 1]) == best:
                    word[i : i + 2] = [best[0] + best[1]]
                i += 1
    return merges


@pytest.mark.parametrize("text", [TEXT, "aaaa aaaaa aaaaaaa", "abab abab babab", "x"])
def test_merges_are_those_of_the_definition(text: str) -> None:
    expected = naive_merges(text, 40)
    assert list(BytePairEncoding.train([text], n_tokens=256 + 40).merges) == expected


def test_files_come_back_and_damaged_ones_are_refused(tmp_path) -> None:
    bpe = BytePairEncoding.train([TEXT], n_tokens=280, specials=["<padding>", "<end>"])
    bpe.save(tmp_path / "bpe.json")
    again = BytePairEncoding.load(tmp_path / "bpe.json")
    assert again.encode(TEXT) == bpe.encode(TEXT) and again.special("<end>") == 1 and again.n_tokens == bpe.n_tokens
    for damage in ("", "[]", '{"format": "other"}', '{"format": "plica-bpe-1", "specials": [], "merges": [["zz", "00"]]}'):
        (tmp_path / "bad.json").write_text(damage)
        with pytest.raises(InvalidInput, match="no byte-pair encoding"):
            BytePairEncoding.load(tmp_path / "bad.json")
    with pytest.raises(InvalidInput, match="no byte-pair encoding"):
        BytePairEncoding.load(tmp_path / "absent.json")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: BytePairEncoding.train(["a"], n_tokens=100), "fewer than the 256"),
        (lambda: BytePairEncoding([], specials=["a", "a"]), "different names"),
        (lambda: BytePairEncoding([(b"ab", b"c")]), "does not exist before"),
        (lambda: BytePairEncoding([]).decode([999]), "no token 999"),
        (lambda: BytePairEncoding([]).special("<end>"), "no special token"),
    ],
)
def test_bad_input_gets_a_clear_error(call, words) -> None:
    with pytest.raises(InvalidInput, match=words):
        call()


def test_special_tokens_show_their_names_and_decode_to_nothing() -> None:
    bpe = BytePairEncoding.train([TEXT], n_tokens=300, specials=["<end>"])
    numbers = [*bpe.encode("the cat"), 0]
    assert bpe.decode(numbers) == "the cat" and bpe.text(numbers) == "the cat<end>"
    assert len(bpe.longest) > 1
