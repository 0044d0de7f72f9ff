"""Colors that remain apart for every kind of color vision: Okabe-Ito for categories, cividis for magnitudes.

Signed values use a scale from blue over a neutral middle to vermilion, mixed in OKLab so that equal steps look equal.
Nothing here needs matplotlib, except :func:`diverging_colormap`.
"""

from __future__ import annotations

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

#: Tints of the categories for filling areas next to each other.
FILLS = ("#56B4E9", "#E69F00", "#009E73", "#F0E442", "#CC79A7", "#0072B2", "#D55E00")

#: Folds of layer 0, 1, 2, ...; repeated beyond.
LAYERS = ("#1B1B1B", "#009E73", "#CC79A7", "#0072B2", "#E69F00", "#56B4E9", "#D55E00")

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
    srgb = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    return np.asarray(_TO_LAB @ np.cbrt(_TO_LMS @ linear))


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
    n: int, *, low: str = OKABE_ITO["blue"], middle: str = "#f7f5f0", high: str = OKABE_ITO["vermilion"]
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
