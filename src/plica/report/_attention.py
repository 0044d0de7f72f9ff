"""The page of attention: a map for each head, square by square, with the weight under the pointer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from markupsafe import Markup

from plica._types import Array
from plica.errors import InvalidInput
from plica.report._page import render

SIDE = 14  # of a square
LEAST = 160  # width of a map on the page
LABEL = 7  # width of a character of a name
FAINT = 0.004  # of the largest weight: not drawn
MOST_SQUARES = 150_000


class AttentionMap(Protocol):
    """Weights of one head, with names."""

    @property
    def title(self) -> str: ...
    @property
    def weights(self) -> Array: ...
    @property
    def queries(self) -> tuple[str, ...]: ...
    @property
    def keys(self) -> tuple[str, ...]: ...
    @property
    def is_picture(self) -> bool: ...


def attention_page(maps: Sequence[AttentionMap], *, title: str, about: str = "") -> str:
    """The whole page as a string.

    Parameters
    ----------
    maps
        One for each head: a title, weights (queries, keys), names of queries and keys; or of one query, as a picture.
    """
    n_squares = sum(m.weights.size for m in maps)
    if not maps or n_squares > MOST_SQUARES:
        raise InvalidInput(
            f"{n_squares:,} weights in {len(maps)} maps do not make a page.", hint=f"up to {MOST_SQUARES:,}: use a shorter text"
        )
    heads = [{"title": m.title, "entropy": None if m.is_picture else _entropy(m.weights), "svg": map_svg(m)} for m in maps]
    return render("attention.html.j2", title=title, about=about, heads=heads)


def _entropy(weights: Array) -> float:
    """Mean entropy of the rows in nats: 0 where every query looks at one key."""
    w = np.clip(weights, 1e-300, None)
    return float(-(weights * np.log(w)).sum(1).mean())


def map_svg(found: AttentionMap) -> Markup:
    """Squares whose opacity is the weight over the largest one."""
    weights = np.asarray(found.weights, np.float64)
    largest = float(weights.max()) or 1.0
    left = 12 + LABEL * max(map(len, found.queries), default=0)
    top = 12 + LABEL * max(map(len, found.keys), default=0)
    width, height = left + SIDE * len(found.keys), top + SIDE * len(found.queries)
    told = f"{found.title}: weights of {len(found.queries)} queries on {len(found.keys)} keys"
    parts: list[Any] = [
        Markup('<svg class="attention" viewBox="0 0 {} {}" width="{}" role="img" aria-label="{}">').format(
            width, height, min(max(width, LEAST), 640), told
        )
    ]
    for j, name in enumerate(found.keys):
        x = left + SIDE * j + SIDE / 2 + 4
        parts.append(Markup('<text x="{0}" y="{1}" transform="rotate(-90 {0} {1})">{2}</text>').format(x, top - 4, name))
    for i, name in enumerate(found.queries):
        parts.append(Markup('<text class="end" x="{}" y="{}">{}</text>').format(left - 4, top + SIDE * i + SIDE - 3, name))
    square = Markup('<rect x="{}" y="{}" width="{}" height="{}" fill-opacity="{:.2f}"><title>{} → {}: {:.3f}</title></rect>')
    for i, j in np.argwhere(weights > FAINT * largest):
        shown, names = weights[i, j] / largest, (found.queries[i], found.keys[j])
        parts.append(square.format(left + SIDE * j, top + SIDE * i, SIDE, SIDE, shown, *names, weights[i, j]))
    parts.append(
        Markup('<rect class="frame" x="{}" y="{}" width="{}" height="{}"/></svg>').format(
            left, top, SIDE * len(found.keys), SIDE * len(found.queries)
        )
    )
    return Markup("").join(parts)
