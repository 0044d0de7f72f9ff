"""The figure of a claim as a file for a paper or a slide, and the numbers that were drawn, as a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._whole import write_whole
from plica.claims._figure import all_axes, draw, new_axes
from plica.errors import InvalidInput

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from plica.claims._evidence import Evidence

FORMATS = (".pdf", ".svg", ".png")
COLUMNS = ("axes", "kind", "series", "part", "x", "y", "value")
Entry = tuple[int, str, str, int, Any, Any, Any]
"""One number that was drawn: the columns of :data:`COLUMNS`."""


def write_figure(evidence: Evidence, path: Path, *, size: tuple[float, float] | None = None) -> Path:
    """Draw the figure into a file, and its numbers into a CSV file of the same name; returns the latter.

    Parameters
    ----------
    path
        A name that ends in ``.pdf``, ``.svg`` or ``.png``.
    size
        Width and height in inches.
    """
    kind = figure_format(path)
    if not evidence.has_figure:
        raise InvalidInput("the rows of this claim are words: there is nothing to draw.", hint="`plica check` prints them")
    import matplotlib

    with matplotlib.rc_context({"svg.hashsalt": "plica", "svg.fonttype": "none", "font.size": 10}):
        ax = draw(evidence, None if size is None else new_axes(size))
        figure: Figure = ax.get_figure(root=True)  # type: ignore[assignment, call-arg]
        buffer = io.BytesIO()
        metadata = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}, ".png": {}}[kind]
        figure.savefig(buffer, format=kind[1:], dpi=300, metadata=metadata, facecolor="white")
    write_whole(path, buffer.getvalue())
    table = path.with_suffix(".csv")
    write_whole(table, as_csv(figure_data(figure)))
    return table


def figure_format(path: Path) -> str:
    """Which kind of picture a path names; refused where it is none, or where it could not be written: a check may take long.

    Examples
    --------
    >>> figure_format(Path("Figure.PDF"))
    '.pdf'
    """
    if path.suffix.lower() not in FORMATS:
        raise InvalidInput(f"{path}: unknown kind of picture.", hint=f"a name that ends in {', '.join(FORMATS)}")
    if not path.parent.is_dir():
        raise InvalidInput(f"{path}: there is no folder {path.parent}.", hint="make it first")
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder.", hint="the name of a file")
    return path.suffix.lower()


def as_csv(entries: list[Entry]) -> str:
    """A table with a line of names."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(["" if v is None else v for v in entry] for entry in entries)
    return text.getvalue()


def figure_data(figure: Figure) -> list[Entry]:
    """Everything that was drawn on a figure's axes, in the order in which it was drawn.

    Examples
    --------
    >>> from plica.claims._figure import new_axes
    >>> ax = new_axes()
    >>> _ = ax.plot([1, 2], [3, 5], label="measured")
    >>> figure_data(ax.figure)
    [(0, 'line', 'measured', 0, 1.0, 3.0, None), (0, 'line', 'measured', 0, 2.0, 5.0, None)]
    """
    return [(i, *entry) for i, ax in enumerate(all_axes(figure)) for entry in _drawn(ax)]


def _drawn(ax: Axes) -> Iterator[tuple[str, str, int, Any, Any, Any]]:
    for k, line in enumerate(ax.lines):
        for x, y in np.asarray(line.get_xydata(), dtype=float):
            yield "line", _name(line, k), 0, float(x), float(y), None
    for k, patch in enumerate(p for p in ax.patches if hasattr(p, "get_height")):
        x, y, width, height = patch.get_x(), patch.get_y(), patch.get_width(), patch.get_height()  # type: ignore[attr-defined]
        yield "bar", _name(patch, k), 0, float(x + width), float(y + height), None
    for k, collection in enumerate(ax.collections):
        yield from _collected(collection, _name(collection, k))
    for k, image in enumerate(ax.images):
        values = np.asarray(image.get_array(), dtype=float)
        for index in np.ndindex(*values.shape[:2]):
            yield "image", _name(image, k), 0, index[1], index[0], float(np.mean(values[index]))
    for text in ax.texts:
        place = getattr(text, "xy", text.get_position())  # an annotation says what it belongs to
        if text.get_text().strip() and (hasattr(text, "xy") or text.get_transform() is ax.transData):
            yield "text", " ".join(text.get_text().split()), 0, *(_plain(v) for v in place), None
    for kind, axis in (("tick of x", ax.xaxis), ("tick of y", ax.yaxis)):
        for place, label in zip(axis.get_majorticklocs(), axis.get_majorticklabels(), strict=False):
            if _is_word(label.get_text()):
                at = (float(place), None) if axis is ax.xaxis else (None, float(place))
                yield kind, label.get_text(), 0, *at, None


def _collected(collection: Any, name: str) -> Iterator[tuple[str, str, int, Any, Any, Any]]:
    """Points of a scatter with their values, or the corners of polygons, and of broken lines."""
    values = collection.get_array()
    offsets = np.ma.getdata(collection.get_offsets())
    if type(collection).__name__ == "PathCollection":
        for i, (x, y) in enumerate(offsets):
            yield "points", name, i, float(x), float(y), None if values is None else float(np.ravel(values)[i])
        return
    for i, path in enumerate(collection.get_paths()):
        value = None if values is None or i >= np.size(values) else float(np.ravel(values)[i])
        for x, y in path.vertices:
            yield "path", name, i, float(x), float(y), value


def _plain(value: Any) -> Any:
    """A place on an axis: a number, or a word on an axis of words."""
    return value if isinstance(value, str) else float(value)


def _name(artist: Any, number: int) -> str:
    label = str(artist.get_label())
    return f"{number}" if label.startswith("_") or not label else label


def _is_word(text: str) -> bool:
    try:
        float(text.replace("−", "-"))
    except ValueError:
        return bool(text) and "$" not in text
    return False
