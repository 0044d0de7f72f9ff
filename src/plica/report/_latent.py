"""The latent plane of a generator as a figure that answers: pointing at it shows the picture made there.

On a cell the generator is affine, so the picture at a point is the same mixture of three vertices' pictures as the point is of
these vertices. The page holds the pictures at the vertices, as mixtures of as few as keep every pixel within half a shade; what
is left out is affine on each cell too, so that it is largest at a vertex and the bound holds everywhere.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from plica._palette import CIVIDIS
from plica._types import Array
from plica.errors import InvalidInput
from plica.measure import GeneratedManifold
from plica.report._page import render
from plica.report._svg import Canvas, number, polygon_path, segments_path, tints

MOST_CELLS = 6000
MOST_NUMBERS = 1_500_000  # stored in a page: 6 MB, 8 MB as text
MOST_POINTS = 600
N_EVEN = 300
SHADES = 256
LONGEST = 1.4  # times the other side is a side of the window
OCTAVES = 3  # of the area's stretch above and below its mean that the colors tell apart
DISPLAYS = ("identity", "sigmoid")  # what is shown of an output; the second changes at most a quarter as fast as it


def latent_figure(
    surface: GeneratedManifold,
    shape: Sequence[int],
    *,
    points: Any = None,
    labels: Any = None,
    display: str = "identity",
    shades: tuple[float, float] | None = None,
    caption: str = "",
) -> str:
    """A latent plane as a part of an HTML page with its style and script, for pages of Plica's documentation and reports.

    Pointing shows the picture made there, dragging those on the way, arrow keys do the same; cells are colored by how much the
    generator stretches their area.

    Parameters
    ----------
    surface
        What :func:`plica.measure.generated_manifold` returned.
    shape
        Of a picture: (height, width) or (channels, height, width) with 1 or 3 channels.
    points, labels
        Latent points to draw, as codes of data, and a class from 0 to 9 for each.
    display
        ``sigmoid`` if outputs are logits of pixels: what is shown first, the page has a switch.
    shades
        What is black and what is white; the extremes at the vertices unless given. Probabilities of logits are shown from 0 to 1.

    Examples
    --------
    >>> import plica
    >>> from plica.measure import generated_manifold
    >>> net = plica.random_network([2, 6, 16], seed=0, bias_std=1.0)
    >>> surface = generated_manifold(plica.decompose(net, plica.Box([-1, -1], [1, 1])))
    >>> "<canvas" in latent_figure(surface, (4, 4))
    True
    """
    figure = latent_data(surface, shape, points=points, labels=labels, display=display, shades=shades, caption=caption)
    return render("latent_alone.html.j2", figure=figure, svg=draw_latent(figure))


def latent_data(
    surface: GeneratedManifold,
    shape: Sequence[int],
    *,
    points: Any = None,
    labels: Any = None,
    display: str = "identity",
    shades: tuple[float, float] | None = None,
    caption: str = "",
    seed: int = 0,
) -> dict[str, Any]:
    """The same as plain data, for :func:`draw_latent`."""
    cx = surface.complex
    size = _picture_shape(shape, cx.network.n_outputs)
    if display not in DISPLAYS:
        raise InvalidInput(f"display {display!r}.", hint=f"one of {', '.join(DISPLAYS)}")
    if cx.n_cells > MOST_CELLS:
        raise InvalidInput(
            f"a latent plane of {cx.n_cells:,} cells; pages are drawn with up to {MOST_CELLS:,}.", hint="look at a smaller box"
        )
    outputs = np.asarray(cx.outputs, dtype=float).reshape(len(cx.vertices), -1)
    low, high = shades if shades is not None else (float(outputs.min()), float(outputs.max()))
    if not high > low:
        low, high = low - 0.5, low + 0.5
    mean, codes, basis = mixtures(outputs, tolerance=min(high - low, 4.0) / (2 * (SHADES - 1)))
    if codes.size + basis.size > MOST_NUMBERS:
        raise InvalidInput(
            f"the pictures of this plane need {codes.size + basis.size:,} numbers; a page holds {MOST_NUMBERS:,}.",
            hint="look at a smaller box",
        )
    canvas = _Window.around(cx.vertices)
    ratio = surface.distortions * surface.area / max(surface.image_area.middle, 1e-300)
    octaves = np.log2(np.maximum(ratio, 1e-300))
    even = surface.sample(N_EVEN, seed=seed) if surface.image_areas.sum() > 0 else np.zeros((0, 2))
    drawn, classes = _points(cx.vertices, points, labels)
    return {
        "type": "latent",
        "kind": "certified",
        "caption": caption or "What a generator makes of its two latent variables.",
        "alt": f"The latent plane: {cx.n_cells:,} cells, on each of which the picture changes linearly.",
        "width": canvas.canvas.width,
        "height": canvas.canvas.height,
        "cells": [
            [f"t{t}" if rank == 2 else "flat", polygon_path(canvas(polygon))]
            for t, rank, polygon in zip(tints(octaves, reach=OCTAVES), surface.ranks, cx.cell_polygons(), strict=True)
        ],
        "folds": [[i, segments_path(canvas(cx.folds(i)))] for i in range(len(cx.network.layers))],
        "fineness": round(float(np.clip(np.sqrt(800 / cx.n_cells), 0.2, 1.0)), 3),
        "points": np.round(canvas(drawn), 1).tolist(),
        "classes": classes,
        "even": np.round(canvas(even), 1).tolist(),
        "octaves": OCTAVES,
        "data": {
            "shape": list(size),
            "display": display,
            "low": low,
            "high": high,
            "colors": list(CIVIDIS),
            "vertices": _packed(cx.vertices),
            "offsets": np.asarray(cx.cell_offsets).tolist(),
            "corners": np.asarray(cx.cell_vertices).tolist(),
            "stretch": [float(f"{v:.4g}") for v in surface.distortions.tolist()],
            "ratio": [float(f"{v:.3g}") for v in ratio.tolist()],
            "ranks": surface.ranks.tolist(),
            "rank": int(codes.shape[1]),
            "mean": _packed(mean),
            "codes": _packed(codes),
            "basis": _packed(basis),
        },
    }


@dataclass(frozen=True)
class _Window:
    """A latent box on the page: true to scale unless one side is much longer than the other."""

    low: Array
    size: Array
    canvas: Canvas

    @staticmethod
    def around(vertices: Array) -> _Window:
        low, high = vertices.min(axis=0), vertices.max(axis=0)
        sides = high - low
        sides = np.clip(sides, sides.max() / LONGEST, None)
        return _Window(low, (high - low) / sides, Canvas.around(np.stack([np.zeros(2), sides])))

    def __call__(self, points: Array) -> Array:
        return self.canvas((np.asarray(points) - self.low) / self.size)


def mixtures(pictures: Array, *, tolerance: float) -> tuple[Array, Array, Array]:
    """Rows as ``mean + codes @ basis``, with as few rows of the basis as keep every entry within the tolerance.

    >>> mean, codes, basis = mixtures(np.outer([1.0, 2.0, 4.0], [1.0, -1.0]), tolerance=1e-6)
    >>> codes.shape, bool(np.abs(mean + codes @ basis - np.outer([1, 2, 4], [1, -1])).max() <= 1e-6)
    ((3, 1), True)
    """
    mean = pictures.mean(axis=0).astype(np.float32)
    centered = pictures - mean
    wide = centered.shape[1] > centered.shape[0]
    values, vectors = np.linalg.eigh(centered @ centered.T if wide else centered.T @ centered)
    vectors = vectors[:, ::-1]
    if wide:
        vectors = np.linalg.qr(centered.T @ vectors[:, values[::-1] > 0])[0]

    def stored(rank: int) -> tuple[Array, Array, bool]:
        basis = vectors[:, :rank].T.astype(np.float32)
        codes = (centered @ vectors[:, :rank]).astype(np.float32)
        made = codes.astype(float) @ basis.astype(float)
        return codes, basis, bool(np.abs(made - centered).max(initial=0.0) <= tolerance)

    least, most = 0, vectors.shape[1]
    while least < most:  # the error need not fall with every row, but what is returned was looked at
        middle = (least + most) // 2
        if stored(middle)[2]:
            most = middle
        else:
            least = middle + 1
    codes, basis, _ = stored(most)
    return mean, codes, basis


def draw_latent(figure: dict[str, Any]) -> Markup:
    """The figure without style and script."""
    cells = Markup("").join(Markup('<path class="{}" d="{}"/>').format(c, d) for c, d in figure["cells"])
    folds = Markup("").join(Markup('<path class="fold layer{}" d="{}"/>').format(min(int(i), 4), d) for i, d in figure["folds"])
    dot = Markup('<circle class="code k{}" cx="{}" cy="{}" r="8"/>')
    points = Markup("").join(
        dot.format(int(k), number(x), number(y)) for (x, y), k in zip(figure["points"], figure["classes"], strict=True)
    )
    ring = Markup('<circle class="even" cx="{}" cy="{}" r="6"/>')
    even = Markup("").join(ring.format(number(x), number(y)) for x, y in figure["even"])
    filled = render("latent.html.j2", figure=figure, cells=cells, folds=folds, points=points, even=even)
    return Markup(filled)  # noqa: S704 a template that escapes


def _picture_shape(shape: Sequence[int], n_outputs: int) -> tuple[int, int, int]:
    numbers = tuple(int(n) for n in shape)
    channels, height, width = (1, *numbers) if len(numbers) == 2 else numbers if len(numbers) == 3 else (0, 0, 0)
    if channels not in (1, 3) or channels * height * width != n_outputs:
        raise InvalidInput(
            f"pictures of shape {tuple(shape)} for a network with {n_outputs:,} outputs.",
            hint="(height, width) or (channels, height, width) with that product, and 1 or 3 channels",
        )
    return channels, height, width


def _points(vertices: Array, points: Any, labels: Any) -> tuple[Array, list[int]]:
    """Those inside the window, not too many, and their classes; one class for all where none are given."""
    if points is None:
        return np.zeros((0, 2)), []
    rows = np.asarray(points, dtype=float)
    classes = np.zeros(len(rows), dtype=int) if labels is None else np.asarray(labels).astype(int).reshape(-1)
    if rows.ndim != 2 or rows.shape[1] != 2 or len(classes) != len(rows):
        raise InvalidInput(
            f"points of shape {rows.shape} with {len(classes)} labels.", hint="two numbers in each row, a label for each row"
        )
    inside = np.flatnonzero(((rows >= vertices.min(axis=0)) & (rows <= vertices.max(axis=0))).all(axis=1))[:MOST_POINTS]
    return rows[inside], (classes[inside] % 10).tolist()


def _packed(values: Array) -> str:
    """Numbers in single precision, as text."""
    return b64encode(np.ascontiguousarray(values, dtype="<f4").tobytes()).decode("ascii")
