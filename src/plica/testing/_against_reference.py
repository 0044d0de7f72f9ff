"""The engines against the plain rational one: the same cells, corner by corner, in the plane and on lines."""

from __future__ import annotations

from plica.geometry import Complex, Segment
from plica.testing import _reference as reference
from plica.testing._case import Case, corners_only, exact_maps, flat_patterns
from plica.testing._domains import draw_segment, exact_chart


def check_reference(case: Case) -> None:
    """Numbers of cells and regions, patterns and exact corners are those of the reference."""
    cx, cells = case.complex, case.reference
    if cx.n_cells != len(cells):
        case.fail(f"{cx.n_cells} cells, the reference has {len(cells)}")
    corners = {p: set(corners_only(c)) for p, c in zip(case.patterns, case.polygons, strict=True)}
    for cell in cells:
        if cell.pattern not in corners:
            case.fail(f"no cell has the pattern {cell.pattern}")
        if set(cell.corners) != corners[cell.pattern]:
            case.fail(f"the cell with pattern {cell.pattern} has other corners than the reference")
    n_regions = reference.count_regions(cells)
    if cx.n_regions != n_regions:
        case.fail(f"{cx.n_regions} regions, the reference has {n_regions}")


def check_line(case: Case) -> None:
    """Along a segment of the input space: pieces, exact breakpoints, patterns, maps and regions of the reference."""
    segment = draw_segment(case.network, seed=case.seed)
    compare_line(case, segment, case.engine(case.network, segment))


def compare_line(case: Case, segment: Segment, line: Complex) -> None:
    cells = sorted(reference.cells(case.network, exact_chart(segment), segment.window), key=lambda c: c.corners[0])
    if line.n_cells != len(cells):
        case.fail(f"{line.n_cells} pieces along {segment}, the reference has {len(cells)}")
    maps = exact_maps(line)
    for i, (cell, pattern) in enumerate(zip(cells, flat_patterns(line), strict=True)):
        ends = (line.exact_vertex(i), line.exact_vertex(i + 1))
        if ends != (cell.corners[0], cell.corners[-1]):
            case.fail(f"piece {i} lies between {ends}, in the reference between {cell.corners}")
        if pattern != cell.pattern:
            case.fail(f"piece {i} has pattern {pattern}, in the reference {cell.pattern}")
        if maps[i] != cell.map:
            case.fail(f"piece {i} has another map than the reference")
    n_regions = reference.count_regions(cells)
    if line.n_regions != n_regions:
        case.fail(f"{line.n_regions} regions along {segment}, the reference has {n_regions}")
