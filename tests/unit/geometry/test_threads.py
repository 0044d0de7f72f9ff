"""The order and the number of threads do not matter."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from plica import _parallel
from plica.geometry import Box, Complex, decompose
from plica.geometry.plane import _chords
from plica.geometry.plane import _cut as _subdivide
from plica.geometry.plane import _engine as _plane
from plica.geometry.values import _tensors
from plica.network import Network
from plica.testing import FAMILIES, chain, draw_case


def he(widths: tuple[int, ...]) -> Network:
    rng = np.random.default_rng(0)
    weights = [rng.normal(size=(b, a)) * np.sqrt(2 / a) for a, b in itertools.pairwise(widths)]
    return chain(weights, [rng.normal(size=b) / 2 for b in widths[1:]])


def fingerprint(cx: Any) -> list[Any]:
    patterns = [p.tolist() for i in range(0, cx.n_cells, 1 + cx.n_cells // 50) for p in cx.pattern(i)]
    return [
        cx.vertices.tolist(),
        cx.edges.tolist(),
        cx.edge_cells.tolist(),
        cx.edge_layer.tolist(),
        cx.regions.tolist(),
        patterns,
    ]


def in_pieces(size: int) -> Callable[..., list[Any]]:
    """The work in pieces of the given size, the last piece first; results in order."""

    def parallel_ranges(work: Callable[[int, int], Any], n: int, *, least: int = 0) -> list[Any]:
        pieces = [(a, min(a + size, n)) for a in range(0, n, size)] or [(0, 0)]
        return [work(a, b) for a, b in reversed(pieces)][::-1]

    return parallel_ranges


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_work_in_other_pieces_and_another_order_gives_the_same_complex(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(3):
        case = draw_case(family, seed=seed)
        whole = fingerprint(case.complex)
        for size in (1, 3):
            with monkeypatch.context() as patch:
                for module in (_subdivide, _tensors, _plane, _chords):
                    if hasattr(module, "spread"):
                        patch.setattr(module, "spread", in_pieces(size))
                assert fingerprint(decompose(case.network, case.domain)) == whole


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_the_number_of_threads_does_not_matter(n_threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    network, box = he((2, 40, 40, 40, 1)), Box([-1, -1], [1, 1])
    expected: Complex = decompose(network, box)
    assert expected.n_cells > 2000
    monkeypatch.setattr(_parallel, "_n_threads", lambda: n_threads)
    assert fingerprint(decompose(network, box)) == fingerprint(expected)
