r"""Convolution on a surface that knows lengths along it, and neither its position in space nor directions on it.

At every vertex directions are angles from one chosen edge, a gauge. Features are numbers, which no choice changes, and vectors of
the tangent plane, which turn with it; neighbors' vectors are transported along the edge before they are used.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Any

import torch
from torch import Tensor, nn

from plica.errors import InvalidInput


@dataclass(frozen=True)
class MeshFrames:
    """Edges of a triangle mesh as seen from their ends; made by :func:`mesh_frames`.

    Attributes
    ----------
    at, other
        (edges,) the vertex that looks and the one it sees; every edge twice.
    angle
        (edges,) its direction in the frame of ``at``.
    transport
        (edges,) by how much a vector of ``other`` turns on its way to ``at``.
    n_vertices
        How many vertices there are.
    """

    at: Tensor
    other: Tensor
    angle: Tensor
    transport: Tensor
    n_vertices: int


def mesh_frames(vertices: Any, triangles: Any, *, gauge: Tensor | None = None) -> MeshFrames:
    """Frames of an oriented mesh without holes around inner vertices, from lengths of its edges alone.

    Angles around an inner vertex are stretched so that they sum to a full turn. ``gauge`` turns the frame at each vertex.

    Examples
    --------
    >>> corners = torch.tensor([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    >>> frames = mesh_frames(corners, [[0, 1, 2], [0, 2, 3]])
    >>> len(frames.at), frames.n_vertices
    (10, 4)
    """
    points, faces = torch.as_tensor(vertices).double(), torch.as_tensor(triangles)
    if points.dim() != 2 or faces.dim() != 2 or faces.shape[1] != 3:
        raise InvalidInput(f"vertices {tuple(points.shape)} and triangles {tuple(faces.shape)}.", hint="(n, 3) and (m, 3)")
    n = len(points)
    following: list[dict[int, tuple[int, float]]] = [{} for _ in range(n)]  # at p: after neighbor a comes b, at this angle
    for a, b, c in faces.tolist():
        for p, q, r in ((a, b, c), (b, c, a), (c, a, b)):
            if q in following[p]:
                raise InvalidInput(f"the edge from {p} to {q} has two triangles on one side.", hint="orient all triangles alike")
            following[p][q] = (r, _corner(points, p, q, r))
    directions = [_around(following[p]) for p in range(n)]
    turn = torch.zeros(n, dtype=torch.float64) if gauge is None else gauge.double()
    edges = [(p, q) for p in range(n) for q in directions[p]]
    at, other = torch.tensor(edges).T
    angle = torch.tensor([directions[p][q] for p, q in edges], dtype=torch.float64) - turn[at]
    back = torch.tensor([directions[q][p] for p, q in edges], dtype=torch.float64) - turn[other]
    return MeshFrames(at, other, angle, angle - back - pi, n)


def _corner(points: Tensor, p: int, q: int, r: int) -> float:
    """The angle at p of a triangle, by the law of cosines."""
    a, b, c = (points[q] - points[r]).norm(), (points[p] - points[q]).norm(), (points[p] - points[r]).norm()
    return float(torch.acos(((b * b + c * c - a * a) / (2 * b * c)).clamp(-1, 1)))


def _around(following: dict[int, tuple[int, float]]) -> dict[int, float]:
    """Angles of the neighbors of a vertex, from the first of them, or from the border where there is one."""
    starts = set(following) - {r for r, _ in following.values()}
    q = min(starts) if starts else min(following)
    found, total = {q: 0.0}, 0.0
    while q in following:
        q, corner = following[q]
        total += corner
        if q in found:
            break
        found[q] = total
    stretch = 1.0 if starts else 2 * pi / total
    return {q: stretch * angle for q, angle in found.items()}


class MeshConvolution(nn.Module):
    """Numbers (n, c) and vectors (n, k, 2) at vertices to such, the same map at every vertex [cohen2019]_, [dehaan2021]_.

    Neighbors' numbers act along and across the edge on which they are seen; weights are those that commute with turns of a
    frame, for frequencies 0 and 1 of the angle. Lengths of the output's vectors are numbers again, for the layer after it.
    """

    def __init__(self, scalars: int, vectors: int, out_scalars: int, out_vectors: int) -> None:
        super().__init__()
        self.own = nn.Linear(scalars, out_scalars)
        self.near = nn.Linear(scalars, out_scalars, bias=False)
        self.along, self.across = (nn.Linear(scalars, out_vectors, bias=False) for _ in range(2))
        self.flow, self.swirl = (nn.Linear(vectors, out_scalars, bias=False) for _ in range(2))
        self.own_keep, self.own_turn = (nn.Linear(vectors, out_vectors, bias=False) for _ in range(2))
        self.near_keep, self.near_turn = (nn.Linear(vectors, out_vectors, bias=False) for _ in range(2))

    def forward(self, frames: MeshFrames, scalars: Tensor, vectors: Tensor) -> tuple[Tensor, Tensor]:
        """New numbers (n, out_scalars) and vectors (n, out_vectors, 2)."""
        angle = frames.angle.to(scalars)
        edge = torch.stack([angle.cos(), angle.sin()], -1)  # (E, 2): where the neighbor is
        seen = scalars[frames.other]
        moved = turned(vectors[frames.other], frames.transport.to(scalars)[:, None])
        inner, outer = (moved * edge[:, None]).sum(-1), (moved * _quarter(edge)[:, None]).sum(-1)
        numbers = self.own(scalars) + _mean(frames, self.near(seen) + self.flow(inner) + self.swirl(outer))
        pushed = self.along(seen)[..., None] * edge[:, None] + self.across(seen)[..., None] * _quarter(edge)[:, None]
        pushed = pushed + _mixed(self.near_keep, self.near_turn, moved)
        return numbers, _mixed(self.own_keep, self.own_turn, vectors) + _mean(frames, pushed)


def turned(vectors: Tensor, angle: Tensor) -> Tensor:
    """Vectors (..., 2) turned by angles (...)."""
    cos, sin = angle.cos()[..., None], angle.sin()[..., None]
    return cos * vectors + sin * _quarter(vectors)


def _quarter(vectors: Tensor) -> Tensor:
    """(-y, x)."""
    return torch.stack([-vectors[..., 1], vectors[..., 0]], -1)


def _mixed(keep: nn.Linear, turn: nn.Linear, vectors: Tensor) -> Tensor:
    """Channels of vectors (..., k, 2) mixed by matrices that commute with turns."""
    spread = vectors.transpose(-1, -2)
    return (keep(spread) + turn(_quarter(vectors).transpose(-1, -2))).transpose(-1, -2)


def _mean(frames: MeshFrames, messages: Tensor) -> Tensor:
    """The mean over the edges at each vertex."""
    sums = messages.new_zeros(frames.n_vertices, *messages.shape[1:]).index_add(0, frames.at, messages)
    count = torch.bincount(frames.at, minlength=frames.n_vertices).clamp(min=1).to(messages)
    return sums / count.view(-1, *[1] * (messages.dim() - 1))
