r"""A convolution that lives on a surface: folding it changes nothing, nor does the choice of directions.

Claim
    An intrinsic convolution on a mesh depends on lengths along the surface alone: bending without stretching leaves its
    output as it was. Turning the frame at a vertex turns vectors there and leaves numbers as they were, through any number of
    layers.
Source
    J. Masci et al., Geodesic Convolutional Neural Networks, 2015 [masci2015]; T. Cohen et al., Gauge Equivariant
    Convolutional Networks, ICML 2019 [cohen2019]; P. de Haan et al., ICLR 2021, on meshes [dehaan2021]; University of
    Washington lecture, the row "intrinsic CNN: choice of a local frame" of its map [washington-lecture].
Prediction
    0, the largest change of numbers, and the turn of a constant field on a flat sheet; 0 of vectors after turning them back
Measurement
    two layers of plica.models.equivariant.MeshConvolution with random weights on plica.models.equivariant.mesh_frames of a
    grid folded along its lines, of an octahedron divided and pushed to a sphere, and with random turns of every frame
Remark
    Controls: stretched by a third, numbers change; a layer that reads differences of coordinates in space changes when the
    paper is folded, and so do vectors that are not transported when frames turn.
"""

from __future__ import annotations

from functools import partial
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from plica._palette import INK, MAGNITUDES
from plica._types import Array
from plica.claims import Evidence, control, row
from plica.models.equivariant import MeshConvolution, MeshFrames, mesh_frames, turned

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("cohen-welling-2016-p4", "equivariance-table")
SEED, ROUNDING = 86, 1e-12
SIDE = 5


def grid(side: int, fold: float, stretch: float = 1.0) -> tuple[Array, Array]:
    """A square of paper in triangles, each strip at an angle to the one before it."""
    x, z, points = 0.0, 0.0, []
    for i in range(side):
        points += [(x, stretch * j, z) for j in range(side)]
        angle = fold * (-1) ** i * (1 + 0.2 * i)
        x, z = x + np.cos(angle), z + np.sin(angle)
    triangles = []
    for i in range(side - 1):
        for j in range(side - 1):
            a, b, c, d = i * side + j, (i + 1) * side + j, (i + 1) * side + j + 1, i * side + j + 1
            triangles += [(a, b, c), (a, c, d)]
    return np.array(points), np.array(triangles)


def sphere() -> tuple[Array, Array]:
    """An octahedron whose triangles are divided into four, pushed out to a sphere."""
    points = [(1.0, 0, 0), (-1.0, 0, 0), (0, 1.0, 0), (0, -1.0, 0), (0, 0, 1.0), (0, 0, -1.0)]
    faces = [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)]
    middle: dict[tuple[int, int], int] = {}

    def between(a: int, b: int) -> int:
        key = (min(a, b), max(a, b))
        if key not in middle:
            m = np.array(points[a]) + np.array(points[b])
            points.append(tuple(m / np.linalg.norm(m)))
            middle[key] = len(points) - 1
        return middle[key]

    smaller = []
    for a, b, c in faces:
        ab, bc, ca = between(a, b), between(b, c), between(c, a)
        smaller += [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
    return np.array(points), np.array(smaller)


def crooked(points: Array, frames: MeshFrames) -> float:
    """On a flat mesh: by how much a vector of the plane, as two neighbors see it, is turned on its way, at most."""
    away = torch.tensor(points)[frames.other] - torch.tensor(points)[frames.at]
    offset = torch.zeros(frames.n_vertices, dtype=torch.float64)
    offset[frames.at] = torch.atan2(away[:, 1], away[:, 0]) - frames.angle  # where each frame begins
    turn = offset[frames.at] - offset[frames.other] + frames.transport
    return float(torch.stack([turn.cos() - 1, turn.sin()]).abs().max())


class Two(nn.Module):
    """Two convolutions; between them numbers are rectified, and vectors scaled by their lengths."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = MeshConvolution(2, 1, 4, 3), MeshConvolution(4, 3, 2, 2)

    def forward(self, frames: MeshFrames, scalars: Tensor, vectors: Tensor) -> tuple[Tensor, Tensor]:
        a, v = self.first(frames, scalars, vectors)
        length = v.norm(dim=-1, keepdim=True)
        found: tuple[Tensor, Tensor] = self.second(frames, torch.relu(a), v * torch.tanh(length))
        return found


def extrinsic(points: Array, frames: MeshFrames, scalars: Tensor) -> Tensor:
    """What reads directions in space: a fixed direction times the difference of coordinates, summed over neighbors."""
    where = torch.tensor(points)
    weight = (where[frames.other] - where[frames.at]) @ torch.tensor([0.3, 0.5, 0.8], dtype=torch.float64)
    return torch.zeros_like(scalars).index_add(0, frames.at, weight[:, None] * scalars[frames.other])


def check(scale: str) -> Evidence:
    side = 12 if scale == "full" else SIDE
    near: dict[str, Any] = {"kind": "estimated", "standard_error": ROUNDING, "unit": 1.0}
    rows = []
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(SEED)
        model = Two().double()
        flat, triangles = grid(side, 0.0)
        n = len(flat)
        scalars, vectors = torch.randn(n, 2, dtype=torch.float64), torch.randn(n, 1, 2, dtype=torch.float64)
        frames = mesh_frames(flat, triangles)
        still, arrows = model(frames, scalars, vectors)
        rows.append(
            row(crooked(flat, frames), "=", 0.0, **near, what="turn of a constant field between neighbors", change="flat")
        )
        for fold in (0.3, 1.0):
            bent = grid(side, fold)[0]
            after = mesh_frames(bent, triangles)
            numbers, moved = model(after, scalars, vectors)
            rows.append(row(_off(numbers, still), "=", 0.0, **near, what="numbers", change=f"folded by {fold:g}"))
            rows.append(row(_off(moved, arrows), "=", 0.0, **near, what="vectors", change=f"folded by {fold:g}"))
            seen = _off(extrinsic(bent, after, scalars), extrinsic(flat, frames, scalars))
            rows.append(control(seen, ">", 0.1, **_big(), what="a layer that looks at space", change=f"folded by {fold:g}"))
        wide = model(mesh_frames(grid(side, 0.0, 4 / 3)[0], triangles), scalars, vectors)[0]
        rows.append(control(_off(wide, still), ">", 0.001, **_big(), what="numbers", change="stretched by a third"))
        for name, (points, faces) in {"sheet": grid(side, 0.4), "sphere": sphere()}.items():
            rows += gauge_rows(name, points, faces, model, near)
    return Evidence(rows, draw=partial(draw, grid(side, 0.5)[0], triangles, still[:, 0].numpy()), seed=SEED)


def gauge_rows(name: str, points: Array, faces: Array, model: Two, near: dict[str, Any]) -> list:  # type: ignore[type-arg]
    """Turn every frame: what numbers and vectors do."""
    n = len(points)
    scalars, vectors = torch.randn(n, 2, dtype=torch.float64), torch.randn(n, 1, 2, dtype=torch.float64)
    turn = 2 * pi * torch.rand(n, dtype=torch.float64)
    frames, other = mesh_frames(points, faces), mesh_frames(points, faces, gauge=turn)
    numbers, arrows = model(frames, scalars, vectors)
    again, moved = model(other, scalars, turned(vectors, -turn[:, None]))
    careless, _ = model(other, scalars, vectors)
    return [
        row(_off(again, numbers), "=", 0.0, **near, what="numbers", change="frames turned", surface=name),
        row(
            _off(turned(moved, turn[:, None]), arrows),
            "=",
            0.0,
            **near,
            what="vectors, turned back",
            change="frames turned",
            surface=name,
        ),
        control(
            _off(careless, numbers), ">", 0.01, **_big(), what="numbers, vectors not turned", change="frames turned", surface=name
        ),
    ]


def _off(one: Tensor, other: Tensor) -> float:
    return float((one - other).abs().max())


def _big() -> dict[str, Any]:
    return {"kind": "estimated", "standard_error": ROUNDING}


def draw(points: Array, triangles: Array, values: Array, ax: Axes) -> None:
    """The folded sheet seen from the side, colored by a number that the folds did not change."""
    across, up = points[:, 0] + 0.35 * points[:, 1], points[:, 2] + 0.5 * points[:, 1]
    ax.tripcolor(across, up, values, triangles=triangles, cmap=MAGNITUDES, shading="gouraud")
    ax.triplot(across, up, triangles, color=INK, linewidth=0.4)
    ax.set_aspect("equal")
    ax.set_axis_off()
