"""The catalog: every claim below this package, found by itself."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from functools import cache
from threading import Lock
from typing import Any, overload

from plica.claims._claim import Claim
from plica.claims._evidence import Evidence, Scale
from plica.claims._folders import UnfinishedClaim, pages
from plica.claims._page import read_claim
from plica.claims._row import KINDS, Kind
from plica.errors import InvalidInput

_READING = Lock()


class Catalog(Sequence[Claim]):
    """Claims in order; ``catalog[0]``, ``catalog["zaslavsky-1975"]``, ``"zaslavsky-1975" in catalog``."""

    def __init__(self, claims: Sequence[Claim]) -> None:
        self._claims = tuple(claims)

    @overload
    def __getitem__(self, key: int | str) -> Claim: ...
    @overload
    def __getitem__(self, key: slice) -> Catalog: ...
    def __getitem__(self, key: int | str | slice) -> Claim | Catalog:
        if isinstance(key, slice):
            return Catalog(self._claims[key])
        if isinstance(key, int):
            return self._claims[key]
        for claim in self._claims:
            if claim.id == key:
                return claim
        near = difflib.get_close_matches(str(key), self.ids, n=3, cutoff=0.5)
        raise InvalidInput(
            f"there is no claim {key!r}.", hint=f"did you mean {' or '.join(near)}?" if near else "list them with `plica claims`"
        )

    def __contains__(self, key: object) -> bool:
        return key in self.ids if isinstance(key, str) else key in self._claims

    def __len__(self) -> int:
        return len(self._claims)

    def __iter__(self) -> Iterator[Claim]:
        return iter(self._claims)

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(claim.id for claim in self._claims)

    @property
    def topics(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(claim.topic for claim in self._claims))

    def select(self, *, topic: str | None = None, kind: Kind | None = None, search: str | None = None) -> Catalog:
        """The claims of one topic, of one kind of measurement, or with all the given words anywhere in them."""
        if topic is not None and topic not in self.topics:
            raise InvalidInput(f"there is no topic {topic!r}.", hint=f"topics: {', '.join(self.topics)}")
        if kind is not None and kind not in KINDS:
            raise InvalidInput(f"there is no kind {kind!r}.", hint=f"kinds: {', '.join(KINDS)}")
        words = (search or "").lower().split()

        def wanted(claim: Claim) -> bool:
            text = " ".join(map(str, claim.to_dict().values())).lower()
            return topic in (None, claim.topic) and kind in (None, claim.kind) and all(word in text for word in words)

        return Catalog([claim for claim in self if wanted(claim)])

    def __repr__(self) -> str:
        return f"<Catalog of {len(self)} claims on {', '.join(self.topics) or 'nothing'}>"

    def _repr_html_(self) -> str:
        from plica.claims._notebook import catalog_html

        return catalog_html(self)

    def to_dict(self) -> dict[str, Any]:
        return {"claims": [claim.to_dict() for claim in self]}


def _all_claims() -> Catalog:
    """Threads that ask at the same time wait for one that reads: in Python 3.11 two that parse at once may fail."""
    with _READING:
        return _read_claims()


@cache
def _read_claims() -> Catalog:
    claims = sorted((read_claim(path, module) for path, module in pages()), key=lambda claim: (claim.topic, claim.id))
    topics: dict[str, str] = {}
    for claim in claims:
        if topics.setdefault(claim.id, claim.topic) != claim.topic:
            raise UnfinishedClaim(
                f"claim {claim.id!r} is in {topics[claim.id]} and in {claim.topic}.", hint="rename one of the files"
            )
    for claim in claims:
        for other in claim.see:
            if other not in topics or other == claim.id:
                near = difflib.get_close_matches(other, topics, n=2)
                raise UnfinishedClaim(
                    f"claim {claim.id!r} names {other!r} in SEE, and there is no such claim.",
                    hint=f"did you mean {' or '.join(near)}?" if near else "take it out",
                )
    return Catalog(claims)


def catalog(*, topic: str | None = None, kind: Kind | None = None, search: str | None = None) -> Catalog:
    """All claims, or those of a topic, a kind of measurement, or with given words in them.

    Examples
    --------
    >>> import plica
    >>> plica.catalog(topic="regions", search="zaslavsky")["zaslavsky-1975"].expected
    'holds'
    """
    return _all_claims().select(topic=topic, kind=kind, search=search)


def check(id: str, *, scale: Scale = "quick") -> Evidence:
    """Run the check of one claim.

    Parameters
    ----------
    id
        As in :func:`plica.catalog`.
    scale
        ``quick`` takes seconds, ``full`` is the published setting or larger.

    Examples
    --------
    >>> import plica
    >>> plica.check("slide-binomial-sum").verdict
    'refuted'
    """
    return _all_claims()[id].check(scale)
