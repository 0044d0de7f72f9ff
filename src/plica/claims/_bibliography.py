"""The bibliography: BibTeX entries by key, and the function that finds those of an object."""

from __future__ import annotations

import inspect
import re
from functools import cache
from typing import Any

from plica.claims._folders import REFERENCES, UnfinishedClaim, catalog_folders
from plica.errors import InvalidInput

_ENTRY = re.compile(r"^@\w+\{([^,\s]+),.*?^\}", re.MULTILINE | re.DOTALL)
_BEGINNING = re.compile(r"^@\w+\{", re.MULTILINE)
_KEY = re.compile(r"\[([a-z]{2,}\d{4}[a-z]?|[a-z]{2,}(?:-[a-z0-9]+)+)\]")


@cache
def bibliography() -> dict[str, str]:
    """All entries by key."""
    places = [folder / REFERENCES for folder in catalog_folders()]
    texts = [place.read_text(encoding="utf-8") for place in places if place.is_file()]
    found = {match[1]: match[0] for text in texts for match in _ENTRY.finditer(text)}
    for key, entry in found.items():
        if len(_BEGINNING.findall(entry)) > 1:
            raise UnfinishedClaim(f"the entry {key} of {REFERENCES} does not end.", hint="close it with } on a line of its own")
    return found


def keys(text: str) -> list[str]:
    """The keys that a text refers to, as ``[zaslavsky1975]``, in order and once each."""
    return list(dict.fromkeys(_KEY.findall(text)))


def cite(obj: Any = None) -> str:
    """The BibTeX of what an object rests on: a claim or its id, evidence, a construction, or any documented
    function or class.

    Without an argument, Plica's own entry.

    Examples
    --------
    >>> from plica.theory import regions
    >>> print(cite(regions.zaslavsky))
    @article{zaslavsky1975,
      author  = {Zaslavsky, Thomas},
      title   = {Facing up to Arrangements: Face-Count Formulas for Partitions of Space by Hyperplanes},
      journal = {Memoirs of the American Mathematical Society},
      volume  = {1},
      number  = {154},
      year    = {1975},
    }
    """
    from plica.claims._claim import Claim
    from plica.claims._evidence import Evidence

    if obj is None:
        return bibliography()["plica"]
    if isinstance(obj, str):
        from plica.claims._registry import catalog

        obj = catalog()[obj]
    if isinstance(obj, Evidence):
        obj = obj.claim
    text = f"{obj.source} {obj.remark}" if isinstance(obj, Claim) else inspect.getdoc(obj) or ""
    sources = getattr(obj, "sources", ())  # constructions carry theirs
    found = list(sources) if isinstance(sources, tuple) and sources else keys(text)
    if not found:
        name = getattr(obj, "__name__", repr(obj))
        raise InvalidInput(f"{name} names no source.", hint="plica.cite() without an argument cites Plica")
    return "\n\n".join(bibliography()[key] for key in found)
