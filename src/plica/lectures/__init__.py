"""Lectures that run: what each of five lectures says, in its order, with the claims that check it.

An outline is data (``outlines/*.toml``): parts with a title, one paragraph on what to see, the claims that are checked there and,
for pictures of systems, a diagram drawn from our model; scenes that show it live; and what is not made again, with the reason.
What to see in each claim is told once for all lectures (``sights/*.toml``, :func:`sight`).
``plica lecture 4 --out lecture4.html`` writes one as a page.
"""

from plica.lectures._diagram import Box, Diagram, diagram
from plica.lectures._outline import Lecture, Missing, Part, Scene, lecture, lectures, sight

__all__ = ["Box", "Diagram", "Lecture", "Missing", "Part", "Scene", "diagram", "lecture", "lectures", "sight"]
