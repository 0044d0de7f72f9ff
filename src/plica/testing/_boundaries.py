"""Invariants of level sets and decision boundaries."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from plica._types import Array
from plica.testing._case import Case, window_points
from plica.testing._restriction import exact_point
from plica.testing._values import magnitude


def _outputs(case: Case, parameters: Any) -> list[Fraction]:
    return list(case.output_at(exact_point(parameters)))


def _tolerances(case: Case) -> Array | None:
    """How far outputs may be off at a rounded point; None where they are beyond floating point."""
    with np.errstate(all="ignore"):
        size, _ = magnitude(case.network, case.domain.to_input(case.domain.window))
        top = size.max(axis=0)
    return 1e-5 * top if np.isfinite(top).all() and top.max() < 1e300 else None


def n_crossed(segments: Array, p: Array, q: Array) -> int:
    """How many of the segments the one from p to q crosses, for points in general position."""
    segments, p, q = _scaled(segments, p, q)

    def side(a: Array, b: Array, c: Array) -> Array:
        u, v = b - a, c - a
        return u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0] > 0

    if not len(segments):
        return 0
    a, b = segments[:, 0], segments[:, 1]
    return int(((side(p, q, a) != side(p, q, b)) & (side(a, b, p) != side(a, b, q))).sum())


def check_level_set(case: Case) -> None:
    """The output has the level's value on the level set, which separates greater from not greater."""
    rng = case.rng("level")
    tolerance = _tolerances(case)
    p, q = window_points(case.domain, rng, 2)
    before, after = _outputs(case, p), _outputs(case, q)
    for output in range(case.network.n_outputs):
        middle = (before[output] + after[output]) / 2
        level = float(middle) if tolerance is not None and rng.integers(2) else 0.0
        segments = case.complex.level_set(level, output)
        if tolerance is not None:
            for end in segments.reshape(-1, 2)[:20]:
                if abs(float(_outputs(case, end)[output]) - level) > tolerance[output] + 1e-300:
                    case.fail(f"output {output} is {float(_outputs(case, end)[output])} on its level set {level}")
        if _near(segments, p, q):
            continue
        if n_crossed(segments, p, q) % 2 != ((before[output] > level) != (after[output] > level)):
            case.fail(f"the level set {level} of output {output} does not separate {p.tolist()} from {q.tolist()}")


def check_decision_boundary(case: Case) -> None:
    """Where no boundary is crossed the winner stays; on the boundary the two largest outputs are equal."""
    tolerance = _tolerances(case)
    p, q = window_points(case.domain, case.rng("decision"), 2)
    segments = case.complex.decision_boundary()
    if tolerance is not None:
        for end in segments.reshape(-1, 2)[:20]:
            values = sorted((float(y) for y in _outputs(case, end)), reverse=True)
            gap = abs(values[0]) if len(values) == 1 else values[0] - values[1]
            if gap > 2 * tolerance.max() + 1e-300:
                case.fail(f"on the decision boundary the outputs are {values}")
    if _near(segments, p, q):
        return
    winners = [_winner(_outputs(case, x)) for x in (p, q)]
    crossed = n_crossed(segments, p, q)
    if crossed == 0 and winners[0] != winners[1]:
        case.fail(f"the decision changes from {p.tolist()} to {q.tolist()} without a boundary")
    if case.network.n_outputs <= 2 and crossed % 2 != (winners[0] != winners[1]):
        case.fail(f"the decision boundary is crossed {crossed} times from {p.tolist()} to {q.tolist()}")


def _winner(outputs: list[Fraction]) -> int:
    return int(outputs[0] > 0) if len(outputs) == 1 else max(range(len(outputs)), key=lambda i: (outputs[i], -i))


def _near(segments: Array, p: Array, q: Array) -> bool:
    """Whether a segment ends, or passes p or q, too close to the line p q for floats to tell the side."""
    if not len(segments):
        return False
    segments, p, q = _scaled(segments, p, q)

    def off(a: Array, b: Array, c: Array) -> Array:
        u, v = b - a, c - a
        return np.abs(u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0])

    a, b = segments[:, 0], segments[:, 1]
    smallest = min(x.min() for x in (off(p, q, a), off(p, q, b), off(a, b, p), off(a, b, q)))
    return bool(smallest < 1e-12 * np.abs(p - q).max() or np.abs(p - q).max() < 1e-9)


def _scaled(segments: Array, p: Array, q: Array) -> tuple[Array, Array, Array]:
    """The same in units of the largest coordinate, so that products neither overflow nor underflow."""
    span = np.abs(np.concatenate([segments.reshape(-1, 2), p[None], q[None]])).max()
    power = -int(np.frexp(span)[1])
    return np.ldexp(segments, power), np.ldexp(p, power), np.ldexp(q, power)
