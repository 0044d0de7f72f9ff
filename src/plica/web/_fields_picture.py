"""Fields of the state for the picture and for the page around it."""

from __future__ import annotations

from dataclasses import dataclass

from plica.web import _fields as f
from plica.web._described import described
from plica.web._limits import MAX_DEPTH, MAX_WIDTH
from plica.web._options import COLORS, PARTS, PATHS, THEMES, VIEWS


@dataclass(frozen=True)
class PictureFields:
    """Which part is shown, how, and with what beside it."""

    window: tuple[float, ...] = described(
        "picture",
        "Window",
        f.Window(),
        (),
        "The part that is shown, x from and to, y from and to; zooming computes it anew, exactly.",
    )
    view: str = described(
        "page",
        "View",
        f.Choice(VIEWS),
        "plane",
        "The plane with its regions, the graph above it, the plane as layers fold it, or a path on its way through them.",
    )
    color: str = described(
        "page",
        "Color by",
        f.Choice(COLORS),
        "output",
        "What the colors say: output, as it is or in steps, its sign, pattern, gradient norm, or error against the target.",
    )
    folds: int = described(
        "page",
        "Depth",
        f.Integer(0, MAX_DEPTH + 1),
        MAX_DEPTH + 1,
        "How many layers cut the picture, from layer 0 on: their folds are drawn, their cells counted and colored.",
        "bent-hyperplanes",
    )
    boundary: bool = described(
        "page",
        "Decision boundary",
        f.Flag(),
        True,
        "Draw where the output changes its sign.",
    )
    points: bool = described(
        "page",
        "Data points",
        f.Flag(),
        True,
        "Draw the data points.",
    )
    segment: tuple[float, ...] = described(
        "picture",
        "Segment",
        f.Numbers(4, 4),
        (),
        "A line drawn across the picture: its pieces and the lengths of its images.",
        "relu-length-law",
    )
    path: str = described(
        "picture",
        "Path",
        f.Choice(PATHS),
        "segment",
        "What goes through the layers: the segment, or the circle around it, of 128 sides; without one across the window.",
        "survey-2016-figure-2",
    )
    pin: tuple[float, ...] = described(
        "picture",
        "Pinned point",
        f.Numbers(1, 2),
        (),
        "The point whose region is pinned.",
    )
    neuron: tuple[int, ...] = described(
        "page",
        "Pinned neuron",
        f.Integers(".", 2, 2, 0, MAX_WIDTH - 1),
        (),
        "The neuron whose fold is lit: its layer and its number, both from 0.",
        "bent-hyperplanes",
    )
    names: str = described(
        "page",
        "Class names",
        f.Text(400),
        "",
        "What classes are called in the legend, with commas between; a table of yours may have its own.",
    )
    scene: str = described(
        "picture",
        "Scene",
        f.Text(100),
        "",
        "The claim that the picture shows: its prediction stands beside what is measured here.",
    )
    theme: str = described(
        "page",
        "Theme",
        f.Choice(THEMES),
        "system",
        "Light or dark, as your system says or as you choose.",
    )
    hide: tuple[str, ...] = described(
        "page",
        "Hidden parts",
        f.Choices(PARTS, len(PARTS)),
        (),
        "Parts of the page that are left out, for lectures.",
    )
    present: bool = described(
        "page",
        "Presentation",
        f.Flag(),
        False,
        "Large type, the picture and what it needs, for lectures.",
    )
