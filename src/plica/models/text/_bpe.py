"""Byte-pair encoding: tokens are byte strings, merged from the most frequent pairs of a corpus."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise
from pathlib import Path

from plica._lazy import cached_property
from plica._whole import write_whole
from plica.errors import InvalidInput

#: A word with the space before it, a number, a run of other signs, a run of spaces: merges never cross these.
_PIECE = re.compile(r" ?[^\W\d_]+| ?\d+| ?[^\s\w]+|_+|\s+(?!\S)|\s+")
_FORMAT = "plica-bpe-1"


class BytePairEncoding:
    """A tokenizer that turns any text into integers and back, byte for byte.

    Numbers 0 ... are the special tokens, then come the 256 bytes, then the merges in the order in which they were learned.

    Parameters
    ----------
    merges
        Pairs of byte strings, the most frequent first.
    specials
        Names of tokens that stand for no text, such as ``<end>``.

    Examples
    --------
    >>> bpe = BytePairEncoding.train(["low lower lowest slow slower"], n_tokens=262, specials=["<end>"])
    >>> [bpe.text([t]) for t in bpe.encode("lowest slow")]
    ['lowe', 's', 't', ' s', 'low']
    >>> bpe.decode(bpe.encode("ß → 3")), bpe.special("<end>")
    ('ß → 3', 0)
    """

    def __init__(self, merges: Sequence[tuple[bytes, bytes]], *, specials: Sequence[str] = ()) -> None:
        if len(set(specials)) != len(specials):
            raise InvalidInput("special tokens must have different names.")
        self.specials = tuple(specials)
        self.merges = tuple((bytes(a), bytes(b)) for a, b in merges)
        tokens = [bytes([i]) for i in range(256)]
        known = set(tokens)
        for a, b in self.merges:
            if a not in known or b not in known:
                raise InvalidInput(f"the merge {a!r} + {b!r} uses a token that does not exist before it.")
            tokens.append(a + b)
            known.add(a + b)
        self.tokens = tuple(tokens)
        self._rank = {pair: rank for rank, pair in enumerate(self.merges)}
        self._number = {token: len(self.specials) + i for i, token in reversed(list(enumerate(tokens)))}
        self._cache: dict[str, tuple[int, ...]] = {}

    @classmethod
    def train(cls, texts: Iterable[str], *, n_tokens: int, specials: Sequence[str] = (), min_count: int = 2) -> BytePairEncoding:
        """Learn merges from texts until there are ``n_tokens`` tokens, or no pair occurs ``min_count`` times.

        Ties go to the pair that comes first in the order of bytes, so the result depends on the texts alone.
        """
        least = 256 + len(specials)
        if n_tokens < least:
            raise InvalidInput(f"{n_tokens} tokens are fewer than the 256 bytes and {len(specials)} special tokens.")
        pieces = Counter(piece for text in texts for piece in _PIECE.findall(text))
        return cls(_learn(pieces, n_tokens - least, min_count), specials=specials)

    @property
    def n_tokens(self) -> int:
        return len(self.specials) + len(self.tokens)

    def special(self, name: str) -> int:
        """The number of a special token."""
        if name not in self.specials:
            raise InvalidInput(f"there is no special token {name!r}.", hint=f"there are {', '.join(self.specials) or 'none'}")
        return self.specials.index(name)

    def encode(self, text: str) -> list[int]:
        """Numbers of the tokens of a text. Text never becomes a special token."""
        found: list[int] = []
        for piece in _PIECE.findall(text):
            known = self._cache.get(piece)
            if known is None:
                known = self._cache[piece] = tuple(self._number[token] for token in self._merged(piece))
            found.extend(known)
        return found

    def _merged(self, piece: str) -> list[bytes]:
        parts = [bytes([b]) for b in piece.encode("utf-8", "surrogatepass")]
        while len(parts) > 1:
            rank, at = min((self._rank.get(pair, len(self._rank)), i) for i, pair in enumerate(pairwise(parts)))
            if rank == len(self._rank):
                break
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        return parts

    def decode(self, numbers: Iterable[int]) -> str:
        """The text of some tokens, special ones left out; broken characters, which no text gives, become question marks."""
        return b"".join(self._bytes(n) for n in numbers).decode("utf-8", "replace")

    def text(self, numbers: Iterable[int]) -> str:
        """Like :meth:`decode`, with special tokens by name: for people."""
        return "".join(self.specials[n] if 0 <= n < len(self.specials) else self.decode([n]) for n in numbers)

    def _bytes(self, number: int) -> bytes:
        if not 0 <= number < self.n_tokens:
            raise InvalidInput(f"there is no token {number}; there are {self.n_tokens}.")
        return b"" if number < len(self.specials) else self.tokens[number - len(self.specials)]

    @cached_property
    def longest(self) -> str:
        """The longest token."""
        return max(self.tokens, key=len).decode("utf-8", "replace")

    def save(self, path: str | Path) -> None:
        """As JSON."""
        merges = [[a.hex(), b.hex()] for a, b in self.merges]
        document = {"format": _FORMAT, "specials": list(self.specials), "merges": merges}
        write_whole(Path(path), json.dumps(document))

    @classmethod
    def load(cls, path: str | Path) -> BytePairEncoding:
        """From a file of :meth:`save`."""
        try:
            document = json.loads(Path(path).read_text(encoding="utf-8"))
            if document["format"] != _FORMAT:
                raise ValueError(document["format"])
            merges = [(bytes.fromhex(a), bytes.fromhex(b)) for a, b in document["merges"]]
            return cls(merges, specials=[str(name) for name in document["specials"]])
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise InvalidInput(f"{path} is no byte-pair encoding: {error}.", hint="save one with bpe.save(path)") from None

    def __repr__(self) -> str:
        return f"<BytePairEncoding of {self.n_tokens} tokens>"


def _learn(pieces: Counter[str], n_merges: int, min_count: int) -> list[tuple[bytes, bytes]]:
    """The merges; counts of pairs are updated only in the words that change."""
    words = [[bytes([b]) for b in piece.encode("utf-8", "surrogatepass")] for piece in pieces]
    counts = list(pieces.values())
    totals: Counter[tuple[bytes, bytes]] = Counter()
    places: defaultdict[tuple[bytes, bytes], set[int]] = defaultdict(set)
    for number, (word, count) in enumerate(zip(words, counts, strict=True)):
        for pair in pairwise(word):
            totals[pair] += count
            places[pair].add(number)
    heap = [(-total, pair) for pair, total in totals.items()]
    heapify(heap)
    merges: list[tuple[bytes, bytes]] = []
    while len(merges) < n_merges and heap:
        total, best = heappop(heap)
        if -total != totals[best]:  # an entry from before the count changed
            continue
        if -total < min_count:
            break
        merges.append(best)
        changed: set[tuple[bytes, bytes]] = set()
        for number in places.pop(best):
            word, count = words[number], counts[number]
            for pair in pairwise(word):
                totals[pair] -= count
                changed.add(pair)
            words[number] = word = _joined(word, best)
            for pair in pairwise(word):
                totals[pair] += count
                places[pair].add(number)
                changed.add(pair)
        for pair in changed - {best}:
            if totals[pair] > 0:
                heappush(heap, (-totals[pair], pair))
    return merges


def _joined(word: list[bytes], pair: tuple[bytes, bytes]) -> list[bytes]:
    found: list[bytes] = []
    for part in word:
        if found and (found[-1], part) == pair:
            found[-1] = found[-1] + part
        else:
            found.append(part)
    return found
