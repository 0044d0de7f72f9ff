"""Colors that remain apart for every kind of color vision: Okabe-Ito for categories, cividis for magnitudes.

Every color of a figure comes from here, by the role it plays. Signed values use a scale from blue over a neutral middle to
vermilion, mixed in OKLab so that equal steps look equal. Nothing here needs matplotlib, except :func:`diverging_colormap`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.colors import LinearSegmentedColormap

OKABE_ITO = {
    "black": "#000000",
    "orange": "#E69F00",
    "sky": "#56B4E9",
    "green": "#009E73",
    "yellow": "#F0E442",
    "blue": "#0072B2",
    "vermilion": "#D55E00",
    "purple": "#CC79A7",
}

INK, GRAY, PAPER = "#1B1B1B", "#8A8A8A", "#FFFFFF"

#: What theory says.
PREDICTION = INK
#: What was measured, or the network that a figure is about.
MEASUREMENT = OKABE_ITO["blue"]
#: A bound, or the case that breaks the rule.
BOUND = OKABE_ITO["vermilion"]
#: What a measurement is compared with: a control, a second case.
CONTROL = OKABE_ITO["orange"]
#: A third case.
ALTERNATIVE = OKABE_ITO["green"]
#: Levels, targets and diagonals to read against.
REFERENCE = GRAY
#: Curves of one kind, told apart by a parameter.
SERIES = tuple(OKABE_ITO[name] for name in ("blue", "orange", "green", "purple", "vermilion", "sky", "black"))
#: The class of a point, 0 or 1.
CLASSES = (OKABE_ITO["blue"], OKABE_ITO["vermilion"])
#: Magnitudes, as matplotlib's name of the scale.
MAGNITUDES = "cividis"

#: Tints of the categories for filling areas next to each other.
FILLS = tuple(OKABE_ITO[name] for name in ("sky", "orange", "green", "yellow", "purple", "blue", "vermilion"))

#: Folds of layer 0, 1, 2, ...; repeated beyond.
LAYERS = (INK, *(OKABE_ITO[name] for name in ("green", "purple", "blue", "orange", "sky", "vermilion")))

#: Bars of histograms.
BARS = "#9ECAE1"

#: Letters and lines on dark and on light parts of a filled area; they stay as they are on any paper.
ON_AREA = {"dark": "#FEFEFE", "light": "#1A1A1A"}

#: Areas of many classes next to each other, on light and on dark paper.
AREAS = {
    "light": ("#56B4E9", "#E69F00", "#4BB58F", "#F0E442", "#D9A3C1", "#7AA6CF", "#E58B52", "#B3B3B3", "#A6CEE3", "#C9C27A"),
    "dark": ("#1F6F9C", "#9A6A00", "#00694C", "#8A8216", "#7D4C68", "#20456B", "#8A3D00", "#5A5A5A", "#2C5F7A", "#5F5A24"),
}

#: The middle of signed scales.
MIDDLE = "#F7F5F0"

#: Ends and middle of the signed scale of pages, on light and on dark paper.
SIGNED = {"light": ("#1F83BD", "#FBF9F4", "#DD6E17"), "dark": ("#2F8FCF", "#17191E", "#D9691A")}

#: Stops of cividis, for pages without matplotlib.
CIVIDIS = ("#00224E", "#123570", "#3B496C", "#575D6D", "#707173", "#8A8678", "#A59C74", "#C3B369", "#E1CC55", "#FEE838")

#: What the explorer draws with, on light and on dark paper: areas of patterns, folds by layer, the signed scale, classes of
#: points, cells about which nothing is known, letters, paper.
SCREEN = {
    "light": {
        "fills": ("#94CFF2", "#F0C670", "#73C9AE", "#F6EE93", "#E0B0CB", "#72ACD6", "#E89A72"),
        "layers": ("#3B2F8F", "#00694D", "#A03F78", "#004F7D", "#8A5A00", "#2C6F9C", "#8F3D00"),
        "signed": (OKABE_ITO["blue"], MIDDLE, OKABE_ITO["vermilion"]),
        "classes": ("#00507D", "#A34700"),
        "neutral": "#E4E2DC",
        "ink": INK,
        "paper": PAPER,
    },
    "dark": {
        "fills": ("#2B6F99", "#8F6508", "#0A6A50", "#8F881D", "#80466A", "#0A4D7A", "#8A3F05"),
        "layers": ("#B3A9FF", "#49D9AE", "#F0A9D0", "#79C0FF", "#FFC24D", "#A5DCFF", "#FF9A5C"),
        "signed": ("#3FA0E6", "#16181C", "#F08A3C"),
        "classes": ("#8FD0FF", "#FFB27A"),
        "neutral": "#2A2D33",
        "ink": "#F2F0EA",
        "paper": "#14161A",
    },
}

#: The same color on dark paper, where lines have to be lighter.
ON_DARK = {
    OKABE_ITO["black"]: "#EDEBE5",
    OKABE_ITO["orange"]: "#F0B840",
    OKABE_ITO["sky"]: "#A5DCFF",
    OKABE_ITO["green"]: "#3ECF9F",
    OKABE_ITO["blue"]: "#6CBCF0",
    OKABE_ITO["vermilion"]: "#FF9D5C",
    OKABE_ITO["purple"]: "#E79CC6",
    INK: "#EDEBE5",
    GRAY: "#A5A7B0",
}

_TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def to_oklab(color: str) -> np.ndarray:
    """The OKLab coordinates of a ``#rrggbb`` color.

    >>> to_oklab("#ffffff").round(3) + 0
    array([1., 0., 0.])
    """
    return np.asarray(_TO_LAB @ np.cbrt(_TO_LMS @ _linear(color)))


def _linear(color: str) -> np.ndarray:
    """Red, green and blue light of a ``#rrggbb`` color."""
    srgb = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.asarray(np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4))


def from_oklab(lab: np.ndarray) -> str:
    """The ``#rrggbb`` color nearest to OKLab coordinates.

    >>> from_oklab(to_oklab("#0072b2"))
    '#0072b2'
    """
    linear = np.linalg.solve(_TO_LMS, np.linalg.solve(_TO_LAB, lab) ** 3).clip(0, 1)
    srgb = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return "#" + "".join(f"{round(255 * c):02x}" for c in srgb)


def mix(color: str, other: str, weight: float) -> str:
    """``color`` with ``weight`` of ``other`` mixed in, evenly to the eye."""
    return from_oklab((1 - weight) * to_oklab(color) + weight * to_oklab(other))


def diverging(
    n: int, *, low: str = OKABE_ITO["blue"], middle: str = MIDDLE, high: str = OKABE_ITO["vermilion"]
) -> tuple[str, ...]:
    """``n`` colors from ``low`` over ``middle`` to ``high``.

    >>> diverging(3, middle="#ffffff")
    ('#0072b2', '#ffffff', '#d55e00')
    """
    steps = np.linspace(-1, 1, n)
    return tuple(mix(middle, low if t < 0 else high, abs(float(t))) for t in steps)


def diverging_colormap() -> LinearSegmentedColormap:
    """The scale of signed values as a matplotlib colormap."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("plica-diverging", list(diverging(33)))


def layer_color(layer: int) -> str:
    """The color of the folds of a layer."""
    return LAYERS[layer % len(LAYERS)]


def on_any_paper(svg: str) -> str:
    """An SVG figure whose lines, dots and letters are read on light and on dark paper, by the page's ``color-scheme``.

    Fills of areas stay: they carry their meaning by their hue. A browser that does not know ``light-dark`` keeps the first color.

    >>> on_any_paper('<path style="fill: none; stroke: #0072b2"/>')
    '<path style="fill: none; stroke: #0072b2; stroke: light-dark(#0072b2, #6cbcf0)"/>'
    """
    dark = {light.lower(): other.lower() for light, other in ON_DARK.items()}

    def both(found: re.Match[str]) -> str:
        name, color = found["name"], found["color"]
        other = dark.get(color.lower())
        return found[0] if other is None else f"{found[0]}; {name}: light-dark({color}, {other})"

    return re.sub(r"(?<![-\w])(?P<name>stroke|fill): (?P<color>#[0-9a-fA-F]{6})", both, svg)


def contrast(color: str, other: str) -> float:
    """The contrast ratio of WCAG, from 1 to 21.

    >>> contrast("#000000", "#ffffff")
    21.0
    """
    light, dark = sorted((_luminance(color), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: str) -> float:
    return float(np.array([0.2126, 0.7152, 0.0722]) @ _linear(color))
