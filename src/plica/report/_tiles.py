"""Small pictures beside each other, as one PNG in colors of the palette inside an SVG."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import numpy as np
from markupsafe import Markup

from plica._palette import CIVIDIS, SIGNED
from plica._types import Array
from plica.report._images import png
from plica.report._svg import number

WIDTH = 460.0
MOST_IN_A_ROW = 10
NOTHING = 256  # between pictures


def draw_tiles(figure: dict[str, Any]) -> Markup:
    """The SVG of a figure of the type ``tiles``: rows of pictures with values from 0 to 255, long rows broken."""
    picture = _joined(figure["rows"])
    colors = SIGNED["light"] if figure["signed"] else CIVIDIS
    source = "data:image/png;base64," + b64encode(png(colored(picture, colors))).decode("ascii")
    height = WIDTH * picture.shape[0] / picture.shape[1]
    return Markup(
        '<svg class="tiles" viewBox="0 0 {0} {1}" role="img" aria-label="{2}">'
        '<image href="{3}" width="{0}" height="{1}" style="image-rendering:pixelated"/></svg>'
    ).format(number(WIDTH), number(height), figure["alt"], source)


def _joined(rows: list[list[list[list[int]]]]) -> Array:
    """One picture: blocks of at most ten columns, in each block all rows below each other."""
    n = max(len(row) for row in rows)
    columns = min(n, MOST_IN_A_ROW)
    lines = []
    for start in range(0, n, columns):
        for row in rows:
            tiles = [np.asarray(tile) for tile in row[start : start + columns]]
            while len(tiles) < columns:
                tiles.append(np.full_like(np.asarray(row[0]), NOTHING))
            lines.append(np.hstack([np.pad(tile, 1, constant_values=NOTHING) for tile in tiles]))
    return np.vstack(lines)


def colored(picture: Array, colors: tuple[str, ...]) -> Array:
    """Bytes (height, width, 4) of values 0 to 255 on a scale between colors; larger values are transparent.

    >>> colored(np.array([[0, 255, 256]]), ("#" + 6 * "0", "#" + 6 * "F"))[0].tolist()
    [[0, 0, 0, 255], [255, 255, 255, 255], [0, 0, 0, 0]]
    """
    stops = np.array([[int(color[i : i + 2], 16) for i in (1, 3, 5)] for color in colors], dtype=float)
    at = np.linspace(0, 1, len(stops))
    scale = np.stack([np.interp(np.arange(256) / 255, at, stops[:, k]) for k in range(3)], axis=1).round()
    table = np.vstack([np.hstack([scale, np.full((256, 1), 255)]), np.zeros((1, 4))]).astype(np.uint8)
    return np.asarray(table[np.minimum(picture, NOTHING)])
