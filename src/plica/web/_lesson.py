"""What a scene is."""

from __future__ import annotations

from dataclasses import dataclass

from plica.web import _readings as r

SEED = ("widths", "seed")


@dataclass(frozen=True)
class Lesson:
    """A scene of a claim: the state, the formula it is about, what is compared, and the fields that matter."""

    query: str
    formula: str = ""
    read: r.Reader | str | None = None
    """How the picture is read, or the name of a reading of the view's sheet."""
    controls: tuple[str, ...] = SEED
