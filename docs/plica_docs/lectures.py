"""What a lecturer shows: the scenes of the lectures' outlines, as links that the explorer accepts."""

from __future__ import annotations

from dataclasses import dataclass

from plica.lectures import Scene as Told
from plica.lectures import lectures
from plica.web import State, lesson

PRESENT = "present=1"


@dataclass(frozen=True)
class Scene:
    """A slide's picture. ``state`` is the part of an explorer's link after ``#``; ``gallery`` is the name of a page."""

    title: str
    text: str
    state: str
    claims: tuple[str, ...]
    gallery: str

    @property
    def query(self) -> str:
        """The state as the explorer itself writes it; raises if it would not accept it."""
        return State.from_query(self.state).to_query()


@dataclass(frozen=True)
class Lecture:
    key: str  # in the bibliography
    title: str
    scenes: tuple[Scene, ...]


def _scene(told: Told) -> Scene:
    """In large type, where a claim's own scene is shown."""
    state = f"{lesson(told.show)}&{PRESENT}" if told.show else told.state
    return Scene(told.title, told.say, state, told.claims, told.gallery)


LECTURES = tuple(
    Lecture(each.key, each.title, tuple(_scene(scene) for part in each for scene in part.scenes)) for each in lectures().values()
)
