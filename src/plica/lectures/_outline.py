"""The outline of a lecture: parts in the order of its slides, read from a file of data."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from plica.claims import Claim, catalog
from plica.errors import InvalidInput


@dataclass(frozen=True)
class Scene:
    """Something to show live while a part is told.

    Attributes
    ----------
    title, say
        What it shows, and what to do there.
    show
        The claim whose scene the explorer opens; empty where ``state`` says it or there is none.
    state
        The state of the explorer, the part of its link after ``#``.
    gallery
        The name of a script of the gallery that shows it.
    claims
        Claims of the part that it is about.
    """

    title: str
    say: str
    claims: tuple[str, ...]
    show: str = ""
    state: str = ""
    gallery: str = ""


@dataclass(frozen=True)
class Missing:
    """Something on the slides that is not made again here, and why."""

    what: str
    why: str


@dataclass(frozen=True)
class Part:
    """Some slides of a lecture.

    Attributes
    ----------
    title, say
        What it is about, and what to see.
    claims
        Identifiers of the claims that check what these slides state.
    diagram
        Name of a drawing of a system, made from our model of it; empty where there is none.
    code
        A few lines of Python that show it; empty where the claims are enough.
    scenes
        What the explorer or a script of the gallery shows of it.
    """

    title: str
    say: str
    claims: tuple[str, ...]
    diagram: str = ""
    code: str = ""
    scenes: tuple[Scene, ...] = ()


@dataclass(frozen=True)
class Lecture:
    """A lecture: ``name`` chooses it, ``key`` is its entry in the bibliography.

    Examples
    --------
    >>> from plica.lectures import lecture
    >>> lecture("4")
    <Lecture 4: Theories of Deep Learning, lecture 4, ... parts, ... claims>
    """

    name: str
    key: str
    title: str
    lead: str
    parts: tuple[Part, ...]
    missing: tuple[Missing, ...] = ()

    def claims(self) -> list[Claim]:
        """The claims of all parts, each once, in the order of the lecture."""
        known = catalog()
        return [known[id] for id in dict.fromkeys(id for part in self.parts for id in part.claims)]

    def __iter__(self) -> Iterator[Part]:
        return iter(self.parts)

    def __repr__(self) -> str:
        return f"<Lecture {self.name}: {self.title}, {len(self.parts)} parts, {len(self.claims())} claims>"


@cache
def lectures() -> dict[str, Lecture]:
    """All lectures by their names."""
    found = [_read(path.read_text(encoding="utf-8")) for path in _outlines()]
    return {each.name: each for each in sorted(found, key=lambda each: (not each.name.isdigit(), each.name.zfill(4)))}


def lecture(name: str | int) -> Lecture:
    """One lecture, by its number or name."""
    found = lectures().get(str(name))
    if found is None:
        raise InvalidInput(f"no lecture {str(name)!r}.", hint=f"one of {', '.join(lectures())}")
    return found


@cache
def _sights() -> dict[str, str]:
    folder = files("plica.lectures") / "sights"
    found: dict[str, str] = {}
    for path in sorted(folder.iterdir(), key=lambda path: path.name):
        if path.name.endswith(".toml"):
            found |= tomllib.loads(path.read_text(encoding="utf-8"))
    return found


def sight(id: str) -> str:
    """What to see in a claim's figure and table, in a few sentences; empty for a claim that no lecture has.

    >>> sight("zaslavsky-bounded")
    'The colored pieces are the ones that do not reach the edge of the plane. ...'
    """
    return _sights().get(id, "")


def _outlines() -> list:  # type: ignore[type-arg]
    return [path for path in (files("plica.lectures") / "outlines").iterdir() if path.name.endswith(".toml")]


def _read(text: str) -> Lecture:
    """A lecture from the text of its outline; a field too many or too few is an error of the dataclass."""
    data = tomllib.loads(text)
    parts = tuple(_part(part) for part in data.pop("part"))
    missing = tuple(Missing(**{name: _flat(text) for name, text in each.items()}) for each in data.pop("missing", []))
    return Lecture(**{**data, "lead": _flat(data["lead"])}, parts=parts, missing=missing)


def _part(data: dict[str, Any]) -> Part:
    scenes = tuple(
        Scene(**{**each, "claims": tuple(each["claims"]), "say": _flat(each["say"])}) for each in data.pop("scene", [])
    )
    return Part(**{**data, "claims": tuple(data["claims"]), "say": _flat(data["say"])}, scenes=scenes)


def _flat(text: str) -> str:
    return " ".join(text.split())
