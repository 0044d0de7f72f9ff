"""The compiled kernels against themselves without compilation: the same text, run by Python."""

from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

from plica.geometry import Plane, Segment, _bits, decompose
from plica.geometry.line import _deferred_kernels as _line_deferred
from plica.geometry.line import _kernels as _line_kernels
from plica.geometry.plane import _chords, _faces
from plica.geometry.regions import _regions
from plica.geometry.signs import _kernels
from plica.geometry.values import _deferred_kernels
from plica.network import Network
from plica.testing import FAMILIES, chain, draw_case, draw_segment

MODULES: tuple[ModuleType, ...] = (
    _bits, _chords, _deferred_kernels, _faces, _kernels, _line_deferred, _line_kernels, _regions,
)  # fmt: skip


def kernels(module: ModuleType) -> dict[str, Dispatcher]:
    return {name: f for name, f in vars(module).items() if isinstance(f, Dispatcher)}


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A switch that replaces every kernel by its plain Python twin; the twins that were called are kept in ``called``."""

    def twin(name: str, function: Any) -> Any:
        def call(*args: Any) -> Any:
            switch.called.add(name)
            return function(*args)

        return call

    def switch() -> None:
        for module in MODULES:
            for name, kernel in kernels(module).items():
                monkeypatch.setattr(module, name, twin(name, kernel.py_func))

    switch.called = set()  # type: ignore[attr-defined]
    return switch


def answers(cx: Any) -> list[Any]:
    found = [cx.vertices.tolist(), cx.regions.tolist(), cx.exact_fallbacks, [[p.tolist() for p in c.pattern] for c in cx.cells]]
    if cx.dimension == 2:
        found += [cx.edges.tolist(), cx.edge_cells.tolist(), cx.edge_layer.tolist(), [c.vertices.tolist() for c in cx.cells]]
    return found


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_kernels_are_their_plain_twins(family: str, uncompiled: Any) -> None:
    cases = [draw_case(family, seed=seed, size="tiny") for seed in (20, 21)]
    segments = [draw_segment(case.network, seed=7) for case in cases]
    with np.errstate(all="ignore"):  # integers that wrap around and divisions by zero are meant
        compiled = [answers(d) for c, s in zip(cases, segments, strict=True) for d in (c.complex, decompose(c.network, s))]
        uncompiled()
        plain = [answers(decompose(c.network, d)) for c, s in zip(cases, segments, strict=True) for d in (c.domain, s)]
    assert plain == compiled
    if cases[0].network.layers:
        assert {"decide_signs", "count_crossings", "find_cuts"} <= uncompiled.called


def test_more_than_sixty_four_units_need_more_than_one_word(uncompiled: Any) -> None:
    rng = np.random.default_rng(0)
    network: Network = chain([rng.normal(size=(70, 2)), rng.normal(size=(1, 70))], [rng.normal(size=70), np.zeros(1)])
    plane, segment = Plane([0, 0], [[0.5, 0], [0, 0.5]]), Segment([-1.0, 0.0], [1.0, 0.5])
    with np.errstate(all="ignore"):
        compiled = [answers(decompose(network, d)) for d in (plane, segment)]
        uncompiled()
        assert [answers(decompose(network, d)) for d in (plane, segment)] == compiled
    assert {"build_chords", "order_crossings", "build_faces", "split_edges"} <= uncompiled.called


def test_every_module_of_kernels_has_kernels() -> None:
    assert all(kernels(module) for module in MODULES)


def test_bits_are_counted_and_found() -> None:
    rng = np.random.default_rng(1)
    for number in [0, 1, 2**63, 2**64 - 1, *rng.integers(0, 2**63, 50).tolist()]:
        word = np.uint64(number)
        assert _bits.popcount(word) == number.bit_count()
        if number:
            assert _bits.lowest(word) == (number & -number).bit_length() - 1
    words = rng.integers(0, 2**63, (3, 2)).astype(np.uint64)
    flags = _bits.unpack(words, 100)
    assert flags.shape == (3, 100)
    assert all(np.array_equal(_bits.bit(words, k), flags[:, k] == 1) for k in range(100))
    assert [_bits.n_words(n) for n in (0, 1, 64, 65)] == [0, 1, 1, 2]
