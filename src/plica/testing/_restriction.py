"""Invariants that look at parts of the domain: points, segments, halves."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from plica._types import Array
from plica.geometry import Box, Domain, Plane, Segment
from plica.testing._case import Case, Point, contains, flat_patterns, turn, window_points
from plica.testing._rewrites import pulled_back


def exact_point(parameters: Any) -> Point:
    return tuple(Fraction(float(c)) for c in parameters)


def check_completeness(case: Case, *, n_points: int = 20) -> None:
    """Random points, and the domain's corners, lie in the cell that cell_at names."""
    points = np.concatenate([window_points(case.domain, case.rng("points"), n_points), case.domain.window])
    inside = [tuple(Fraction(float(c)) for c in corner) for corner in case.domain.window]
    for parameters in points:
        point = exact_point(parameters)
        if not contains(inside, point):
            continue  # rounding put it outside
        given = parameters if case.network.n_inputs != 2 or isinstance(case.domain, Box) else _as_input(case, parameters)
        if given is None:
            continue
        cell = case.complex.cell_at(given)
        if not contains(case.polygons[cell], point):
            case.fail(f"cell_at puts {parameters.tolist()} in cell {cell}, which does not hold it")


def _as_input(case: Case, parameters: Array) -> Array | None:
    """A point of a two-dimensional input space by its coordinates; None if they cannot be floats."""
    x = case.input_at(exact_point(parameters))
    floats = np.array([float(c) for c in x])
    identity = np.array_equal(case.chart[:2], np.eye(2)) and not case.chart[2].any()
    return floats if identity and all(Fraction(f) == c for f, c in zip(floats, x, strict=True)) else None


def check_restriction(case: Case) -> None:
    """On a random segment of the domain the line engine finds the cells that the segment passes, and where it passes."""
    p, q = window_points(case.domain, case.rng("segment"), 2)
    if np.array_equal(p, q):
        return  # the window is a few floats wide
    expected = passed_cells(case, exact_point(p), exact_point(q))
    if expected is None:
        return
    line = case.engine(pulled_back(case.network, case.domain), Segment(p, q))
    found = [line.exact_vertex(i)[0] for i in range(line.n_vertices)]
    where = f"from {p.tolist()} to {q.tolist()}"
    if found != [t for t, _ in expected] + [Fraction(1)]:
        case.fail(f"{where} the line engine has {len(found) - 2} breakpoints, the plane {len(expected) - 1}")
    if flat_patterns(line) != [case.patterns[c] for _, c in expected]:
        case.fail(f"{where} the patterns of the line and the plane differ")


def passed_cells(case: Case, p: Point, q: Point) -> list[tuple[Fraction, int]] | None:
    """The cells that a segment passes, each with the parameter where it enters; None if it runs along a fold."""
    passes = []
    covered = Fraction(0)
    for cell, polygon in enumerate(case.polygons):
        low, high = Fraction(0), Fraction(1)
        for a, b in zip(polygon, polygon[1:] + polygon[:1], strict=True):
            start, stop = turn(a, b, p), turn(a, b, q)
            if start <= 0 and stop <= 0:
                high = low
            elif start < 0:
                low = max(low, start / (start - stop))
            elif stop < 0:
                high = min(high, start / (start - stop))
        if low < high:
            passes.append((low, cell))
            covered += high - low
    return sorted(passes) if covered == 1 else None


def halves(domain: Domain) -> tuple[Domain, Domain, Array] | None:
    """The domain cut in two: a rectangle across its longer side, another polygon along a diagonal; None for a triangle."""
    w = domain.window
    n = len(w)
    if n == 3:
        return None
    a, b = w.min(axis=0), w.max(axis=0)
    if n == 4 and np.array_equal(w, [a, [b[0], a[1]], b, [a[0], b[1]]]):
        axis = int(b[1] / 2 - a[1] / 2 > b[0] / 2 - a[0] / 2)
        middle = 0.625 * a[axis] + 0.375 * b[axis]
        if not a[axis] < middle < b[axis]:
            return None
        first, second = w.copy(), w.copy()
        first[first[:, axis] == b[axis], axis] = middle
        second[second[:, axis] == a[axis], axis] = middle
        cut = np.array([a, b])
        cut[:, axis] = middle
        return _with_window(domain, first), _with_window(domain, second), cut
    k = n // 2
    return _with_window(domain, w[: k + 1]), _with_window(domain, w[[*range(k, n), 0]]), w[[0, k]]


def _with_window(domain: Domain, window: Array) -> Domain:
    half = Plane.__new__(Plane)
    Domain.__init__(half, domain.chart, window)
    return half


def check_splitting(case: Case) -> None:
    """The complexes of two halves of the domain are the cells of the whole, those on the cut twice."""
    parts = halves(case.domain)
    if parts is None:
        return
    first, second, cut = parts
    p, q = (exact_point(c) for c in cut)
    sides = [[turn(p, q, c) for c in polygon] for polygon in case.polygons]
    divided = [i for i, s in enumerate(sides) if min(s) < 0 < max(s)]
    one, two = case.engine(case.network, first), case.engine(case.network, second)
    if one.n_cells + two.n_cells != case.complex.n_cells + len(divided):
        case.fail(
            f"{case.complex.n_cells} cells, {len(divided)} of them on the cut, but halves of {one.n_cells} and {two.n_cells}"
        )
    patterns = sorted(flat_patterns(one) + flat_patterns(two))
    if patterns != sorted(case.patterns + [case.patterns[i] for i in divided]):
        case.fail("the halves have other patterns than the whole")
    if passed_cells(case, p, q) is not None:
        n_pieces = case.engine(pulled_back(case.network, case.domain), Segment(*cut)).n_cells
        if n_pieces != len(divided):
            case.fail(f"the cut divides {len(divided)} cells, the line engine has {n_pieces} pieces on it")
