"""Frames on a mesh: angles that sum to a turn, transport that comes back, and what is refused."""

from __future__ import annotations

from math import pi

import pytest
import torch

from plica.errors import InvalidInput
from plica.models.equivariant import MeshConvolution, mesh_frames, turned

OCTAHEDRON = torch.tensor([[1.0, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]])
FACES = [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)]
SQUARE = torch.tensor([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])


def test_directions_of_a_flat_border_are_true_angles() -> None:
    frames = mesh_frames(SQUARE, [[0, 1, 2], [0, 2, 3]])
    seen = {int(q): float(a) for p, q, a in zip(frames.at, frames.other, frames.angle, strict=True) if p == 0}
    assert seen == pytest.approx({1: 0.0, 2: pi / 4, 3: pi / 2})


def test_around_an_inner_vertex_directions_are_stretched_to_a_full_turn() -> None:
    frames = mesh_frames(OCTAHEDRON, FACES)
    angles = sorted(float(a) for p, a in zip(frames.at, frames.angle, strict=True) if p == 0)
    assert angles == pytest.approx([0, pi / 2, pi, 3 * pi / 2])


def test_transport_there_and_back_is_the_identity() -> None:
    gauge = torch.rand(6, generator=torch.Generator().manual_seed(0))
    frames = mesh_frames(OCTAHEDRON, FACES, gauge=gauge)
    there = {(int(p), int(q)): t for p, q, t in zip(frames.at, frames.other, frames.transport, strict=True)}
    vector = torch.tensor([0.3, -0.8], dtype=torch.float64)
    for p, q in there:
        torch.testing.assert_close(turned(turned(vector, there[p, q]), there[q, p]), vector)


def test_on_a_flat_sheet_transport_around_a_triangle_turns_nothing() -> None:
    frames = mesh_frames(SQUARE, [[0, 1, 2], [0, 2, 3]])
    there = {(int(p), int(q)): float(t) for p, q, t in zip(frames.at, frames.other, frames.transport, strict=True)}
    total = there[1, 0] + there[2, 1] + there[0, 2]
    assert (total + pi) % (2 * pi) - pi == pytest.approx(0, abs=1e-6)


def test_a_convolution_is_its_formula_in_complex_numbers() -> None:
    """Every term: numbers see vectors along and across an edge, vectors see numbers as multiples of the edge's direction."""
    frames = mesh_frames(OCTAHEDRON, FACES)
    torch.manual_seed(0)
    layer = MeshConvolution(2, 3, 4, 5).double()
    s, v = torch.randn(6, 2, dtype=torch.float64), torch.randn(6, 3, 2, dtype=torch.float64)
    numbers, vectors = layer(frames, s, v)
    z = torch.view_as_complex(v)

    def complex_weights(keep: str, turn: str) -> torch.Tensor:
        return torch.complex(getattr(layer, keep).weight, getattr(layer, turn).weight)

    own, near, push = (complex_weights(*w) for w in (("own_keep", "own_turn"), ("near_keep", "near_turn"), ("along", "across")))
    for p in range(6):
        seen, pushed = [], []
        for e in [int(e) for e in torch.nonzero(frames.at == p)[:, 0]]:
            q = int(frames.other[e])
            edge, moved = torch.exp(1j * frames.angle[e]), z[q] * torch.exp(1j * frames.transport[e])
            along = edge.conj() * moved
            seen.append(layer.near.weight @ s[q] + layer.flow.weight @ along.real + layer.swirl.weight @ along.imag)
            pushed.append(push @ s[q].to(edge.dtype) * edge + near @ moved)
        offsets = [m.bias for m in (layer.own, layer.near) if m.bias is not None]
        torch.testing.assert_close(numbers[p], layer.own.weight @ s[p] + torch.stack(seen).mean(0) + sum(offsets))
        torch.testing.assert_close(torch.view_as_complex(vectors[p].contiguous()), own @ z[p] + torch.stack(pushed).mean(0))


def test_triangles_that_disagree_are_refused() -> None:
    with pytest.raises(InvalidInput, match="one side"):
        mesh_frames(SQUARE, [[0, 1, 2], [0, 1, 3]])
    with pytest.raises(InvalidInput):
        mesh_frames(SQUARE, [[0, 1]])
