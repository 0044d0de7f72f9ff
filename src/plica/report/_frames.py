"""What the viewer of a page shows: frames, each one complex drawn and described cell by cell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from plica._types import Array
from plica.report._svg import Canvas, cells_svg, folds_svg, segments_path, tints

if TYPE_CHECKING:
    from plica.geometry import PlaneComplex


@dataclass(frozen=True)
class Fact:
    """A number beside the picture, and what it is: exact, certified, estimated, or measured on the data."""

    name: str
    value: str
    kind: str = ""


@dataclass(frozen=True)
class Frame:
    """One complex, drawn.

    ``fineness`` scales the width of the folds. ``details`` holds for each cell: the coefficients of its map, its size, its
    center in the picture, its number of active units.
    """

    name: str
    headline: Fact
    facts: tuple[Fact, ...]
    cells: Markup
    folds: Markup
    boundary: Markup
    fineness: float
    details: list[list[float]]


def draw_frame(
    cx: PlaneComplex,
    canvas: Canvas,
    *,
    name: str,
    facts: Sequence[Fact] = (),
    output: int = 0,
    shade: Callable[[Array], Array] | None = None,
) -> Frame:
    """Draw a complex of the plane. ``shade`` takes values of the output to [-1, 1], the ends of the color scale."""
    values = cx.cell_means(cx.outputs[:, output])
    reach = float(np.abs(values).max(initial=0.0)) or 1.0
    shaded = shade(values) if shade else values / reach
    boundary = segments_path(canvas(cx.decision_boundary()))
    return Frame(
        name=name,
        headline=Fact("regions", f"{cx.n_regions:,}", "exact"),
        facts=(Fact("cells", f"{cx.n_cells:,}", "exact"), *facts),
        cells=cells_svg(cx, canvas, tints(shaded, reach=1.0)),
        folds=folds_svg(cx, canvas),
        boundary=Markup('<path class="halo" d="{0}"/><path class="boundary" d="{0}"/>').format(boundary),
        fineness=round(float(np.clip(np.sqrt(800 / cx.n_cells), 0.2, 1.0)), 3),
        details=[_describe(cell, canvas, output) for cell in cx.cells],
    )


def _describe(cell: Any, canvas: Canvas, output: int) -> list[float]:
    gradient, offset = cell.slice_map
    x, y = canvas(np.asarray(cell.center)).tolist()
    active = sum(int((np.asarray(state) != 0).sum()) for state in cell.pattern)
    numbers = [*np.asarray(gradient)[output].tolist(), float(np.asarray(offset)[output]), float(cell.size)]
    return [*(float(f"{v:.4g}") for v in numbers), round(x, 1), round(y, 1), active]


@dataclass(frozen=True)
class LayerPicture:
    """The folds of one layer over the faint folds of those before, one neuron's in bold."""

    layer: int
    before: Markup
    folds: Markup
    neuron: int
    bold: Markup
    n_neurons: int
    n_folding: int
    n_cells: int


def draw_layers(cx: PlaneComplex, canvas: Canvas) -> list[LayerPicture]:
    """A picture for each layer. The bold neuron is the one whose folds have the most segments in this window."""
    pictures = []
    for layer, width in enumerate(cx.network.widths[1:-1]):
        by_neuron = [cx.folds(layer, k) for k in range(width)]
        counts = [len(segments) for segments in by_neuron]
        neuron = int(np.argmax(counts))
        before = Markup("").join(_path("before", cx.folds(i), canvas) for i in range(layer))
        pictures.append(
            LayerPicture(
                layer=layer,
                before=before,
                folds=_path(f"fold layer{layer}", cx.folds(layer), canvas),
                neuron=neuron,
                bold=_path(f"bold layer{layer}", by_neuron[neuron], canvas),
                n_neurons=width,
                n_folding=sum(n > 0 for n in counts),
                n_cells=_cells_up_to(cx, layer),
            )
        )
    return pictures


def _path(classes: str, segments: Array, canvas: Canvas) -> Markup:
    return Markup('<path class="{}" d="{}"/>').format(classes, segments_path(canvas(segments)))


def _cells_up_to(cx: PlaneComplex, layer: int) -> int:
    """Cells of the network cut after ``layer``: distinct beginnings of the activation patterns."""
    return len({b"".join(np.asarray(s).tobytes() for s in cell.pattern[: layer + 1]) for cell in cx.cells})
