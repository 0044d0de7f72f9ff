"""Convex hulls of random points, as sequences of pointers."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from plica._types import Array


def hull(points: Array) -> list[int]:
    """Corners of the convex hull, counterclockwise, from the one with the lowest number: Andrew's two chains.

    Examples
    --------
    >>> hull(np.array([[0.5, 0.5], [0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]))
    [1, 2, 3, 4]
    """
    order = sorted(range(len(points)), key=lambda i: (points[i, 0], points[i, 1]))

    def chain(indices: list[int]) -> list[int]:
        kept: list[int] = []
        for i in indices:
            while len(kept) > 1 and _turn(points[kept[-2]], points[kept[-1]], points[i]) <= 0:
                kept.pop()
            kept.append(i)
        return kept[:-1]

    corners = chain(order) + chain(order[::-1])
    first = corners.index(min(corners))
    return corners[first:] + corners[:first]


def _turn(a: Array, b: Array, c: Array) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def area(points: Array, corners: list[int]) -> float:
    """Of the polygon with these corners in this order, signed."""
    x, y = points[corners].T
    return float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum() / 2)


def batch(n: int, n_points: int, rng: np.random.Generator) -> tuple[Tensor, Tensor, list[list[int]]]:
    """Uniform points of the square [-2, 2]^2, pointers 1 ... n with 0 at the end, and the hulls."""
    points = rng.uniform(-2.0, 2.0, (n, n_points, 2))
    hulls = [hull(p) for p in points]
    target = torch.zeros(n, n_points + 1, dtype=torch.long)
    for i, corners in enumerate(hulls):
        target[i, : len(corners)] = torch.tensor(corners) + 1
    return torch.tensor(points, dtype=torch.float32), target, hulls


def pointer_loss(logs: Tensor, target: Tensor) -> Tensor:
    """Mean negative log-probability of the pointers and of the first end."""
    ended = (target == 0).cumsum(1) > 1
    found = logs.gather(2, target[:, :, None])[:, :, 0].masked_fill(ended, 0.0)
    return -found.sum() / (~ended).sum()


def score(tokens: tuple[tuple[int, ...], ...], points: Tensor, hulls: list[list[int]]) -> tuple[float, float]:
    """Share of hulls found corner for corner, and share of their area covered by the answers (0 for what is no polygon)."""
    right, covered = 0, 0.0
    for pointers, one, corners in zip(tokens, points.double().numpy(), hulls, strict=True):
        answer = [p - 1 for p in pointers]
        right += answer == corners
        if len(answer) >= 3 and len(set(answer)) == len(answer):
            covered += max(0.0, min(1.0, area(one, answer) / area(one, corners)))
    return right / len(hulls), covered / len(hulls)
