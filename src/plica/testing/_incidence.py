"""Invariants of the subdivision itself: areas, Euler's formula, edges and the cells beside them, patterns, folds."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from plica.testing import _reference as reference
from plica.testing._case import Case, turn


def check_areas(case: Case) -> None:
    """Every cell is convex with a positive area, and the areas sum to the domain's, exactly."""
    total = Fraction(0)
    for i, polygon in enumerate(case.polygons):
        n = len(polygon)
        if any(turn(polygon[k - 1], polygon[k], polygon[(k + 1) % n]) < 0 for k in range(n)):
            case.fail(f"cell {i} is not convex")
        area = reference.area(polygon)
        if area <= 0:
            case.fail(f"cell {i} has area {area}")
        total += area
    if total != case.domain.exact_size():
        case.fail(f"the cells have area {float(total)}, the domain {case.domain.size}")


def check_euler(case: Case) -> None:
    """V - E + F = 1, all vertices are different points and all are used."""
    cx = case.complex
    if cx.n_vertices - len(cx.edges) + cx.n_cells != 1:
        case.fail(f"V - E + F = {cx.n_vertices} - {len(cx.edges)} + {cx.n_cells} is not 1")
    if len(set(case.vertices)) != len(case.vertices):
        case.fail("two vertices are the same point")
    used = {int(v) for cell in cx.cells for v in cell.vertices}
    if used != set(range(cx.n_vertices)):
        case.fail(f"{cx.n_vertices - len(used)} vertices belong to no cell")


def check_edges(case: Case) -> None:
    """Every inner edge lies between exactly two cells, every border edge beside one; the incidences say so."""
    cx = case.complex
    beside: dict[tuple[int, int], int] = {}
    for cell in cx.cells:
        ids = cell.vertices.tolist()
        for p, q in zip(ids, ids[1:] + ids[:1], strict=True):
            if (p, q) in beside:
                case.fail(f"cells {beside[p, q]} and {cell.index} lie on the same side of edge {p} - {q}")
            beside[p, q] = cell.index
    for e, (p, q) in enumerate(cx.edges.tolist()):
        sides = (beside.pop((p, q), -1), beside.pop((q, p), -1))
        if sides != tuple(cx.edge_cells[e].tolist()):
            case.fail(f"edge {e} lies between cells {sides}, edge_cells says {cx.edge_cells[e].tolist()}")
        if sides == (-1, -1):
            case.fail(f"edge {e} belongs to no cell")
        if (-1 in sides) != _on_border(case, p, q) or (-1 in sides) != (cx.edge_layer[e] == -1):
            case.fail(f"edge {e} with cells {sides} and layer {cx.edge_layer[e]} is misplaced at the border")
    if beside:
        case.fail(f"sides {sorted(beside)} of cells are not edges")
    neighbors = [set(cx.neighbors(i)) for i in range(cx.n_cells)]
    pairs = {(int(a), int(b)) for a, b in cx.edge_cells if a >= 0 and b >= 0}
    if {(i, j) for i in range(cx.n_cells) for j in neighbors[i]} != pairs | {(b, a) for a, b in pairs}:
        case.fail("neighbors() and edge_cells disagree")


def _on_border(case: Case, p: int, q: int) -> bool:
    window = [tuple(Fraction(float(c)) for c in corner) for corner in case.domain.window]
    ends = (case.vertices[p], case.vertices[q])
    return any(all(turn(a, b, end) == 0 for end in ends) for a, b in zip(window, window[1:] + window[:1], strict=True))


def check_patterns(case: Case) -> None:
    """Patterns are different from cell to cell, and each is the network's own at an exact interior point."""
    if len(set(case.patterns)) != len(case.patterns):
        case.fail("two cells have the same pattern")
    network = case.network
    for i, point in enumerate(case.interiors):
        values = case.values_at(point)
        states: list[int] = []
        for index in network.layers:
            node = network.nodes[index]
            states += reference.states_at(node.op, values(node.inputs[0]))
        if tuple(states) != case.patterns[i]:
            case.fail(f"cell {i} has pattern {case.patterns[i]}, inside it the network has {tuple(states)}")


def check_folds(case: Case) -> None:
    """The folds of a unit are the edges across which its state changes; together they are all inner edges."""
    cx = case.complex
    if not case.network.layers:
        return
    sizes = [case.network.nodes[i].size for i in case.network.layers]
    table = np.array(case.patterns)
    inner = np.flatnonzero((cx.edge_cells >= 0).all(axis=1))
    differ = table[cx.edge_cells[inner, 0]] != table[cx.edge_cells[inner, 1]]
    if not differ.any(axis=1).all():
        case.fail("an edge separates cells with the same pattern")
    start = 0
    for layer, size in enumerate(sizes):
        block = differ[:, start : start + size]
        if set(cx.fold_edges(layer).tolist()) != set(inner[block.any(axis=1)].tolist()):
            case.fail(f"the folds of layer {layer} are not where its states change")
        for neuron in range(size):
            if set(cx.fold_edges(layer, neuron).tolist()) != set(inner[block[:, neuron]].tolist()):
                case.fail(f"the folds of neuron {neuron} of layer {layer} are not where its state changes")
        start += size
