"""A training as a moving picture of its regions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from plica.errors import InvalidInput
from plica.plot._complex import plot_complex

if TYPE_CHECKING:
    from plica.geometry import Complex

MOST_FRAMES = 400


def animate_regions(
    frames: Sequence[tuple[int, int, Complex]],
    path: str | os.PathLike[str],
    *,
    color: str = "output",
    frames_per_second: int = 4,
    size: float = 4.0,
) -> Path:
    """Write a GIF of complexes of the plane, one picture for each, with epoch and number of regions above.

    Parameters
    ----------
    frames
        The ``frames`` of a :class:`plica.learn.Regions` probe with ``keep=True``: (step, epoch, complex).
    path
        A file that ends in ``.gif``; for a page, :func:`plica.report.training_page`.
    color
        As in :func:`plot_complex`.
    frames_per_second, size
        How fast it goes, and the width of a picture in inches.
    """
    from matplotlib.animation import PillowWriter
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    path = Path(path)
    if path.suffix != ".gif" or not path.parent.is_dir():
        raise InvalidInput(f"{path} is not the name of a .gif file in a folder that exists.")
    if not 0 < len(frames) <= MOST_FRAMES or frames_per_second < 1:
        raise InvalidInput(
            f"{len(frames)} frames, {frames_per_second} each second.", hint="Regions(..., keep=True) keeps frames; 1 to 400"
        )
    if any(cx.dimension != 2 for _, _, cx in frames):
        raise InvalidInput("only complexes of the plane are animated.", hint="a Box in two dimensions or a Plane as domain")
    figure = Figure(figsize=(size, 1.08 * size), layout="constrained")
    FigureCanvasAgg(figure)
    writer = PillowWriter(fps=frames_per_second)
    with writer.saving(figure, str(path), dpi=100):
        for _, epoch, cx in frames:
            figure.clear()
            ax = plot_complex(cx, ax=figure.add_subplot(), color=color, boundary=True, colorbar=False)
            ax.set_title(f"epoch {epoch}, {cx.n_regions:,} regions", fontsize=10)
            writer.grab_frame()
    return path
