"""Members of maxima that are one function on a domain."""

import numpy as np
import pytest

from plica.geometry import Plane, Segment, _decompose, decompose
from plica.geometry.values._equal_entries import without_equal_entries
from plica.network import Add, Builder, Clip, Conv, Linear, Max, Network, Rectifier, Reshape, Scale, WindowSum


def pooled(shape: tuple[int, ...]) -> Max:
    """2 x 2 max-pooling of (channels, height, width)."""
    c, h, w = shape
    index = np.arange(c * h * w).reshape(shape)
    return Max(index.reshape(c, h // 2, 2, w // 2, 2).transpose(0, 1, 3, 2, 4).reshape(c, h // 2, w // 2, 4))


def conv_net(seed: int, *, residual: bool = False) -> Network:
    rng = np.random.default_rng(seed)

    def conv(a: int, b: int) -> Conv:
        return Conv(rng.normal(size=(b, a, 3, 3)), rng.normal(size=b), (1, 1), ((1, 1), (1, 1)), (1, 1))

    b = Builder((1, 8, 8))
    b.add(conv(1, 2))
    x = b.add(Scale(np.array([0.5, 2.0]).reshape(2, 1, 1), np.array([0.1, 0.0]).reshape(2, 1, 1)))
    if residual:
        y = b.add(Clip(-1.0, 1.0), x)
        b.add(Add(), x, y)
    b.add(Rectifier())
    b.add(pooled((2, 8, 8)))
    b.add(conv(2, 2))
    b.add(Rectifier(np.array([0.1, 0.2]).reshape(2, 1, 1)))
    b.add(pooled((2, 4, 4)))
    b.add(WindowSum(1, (0,), (2,)))
    b.add(Reshape((4,)))
    b.add(Linear(rng.normal(size=(2, 4))))
    return b.build()


def image(seed: int) -> np.ndarray:
    """A few strokes before a background of zeros."""
    out = np.zeros((8, 8))
    out[2:5, 3:6] = np.random.default_rng(seed).integers(0, 4, (3, 3)) / 3
    return out.reshape(-1)


@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_complex_is_the_same(seed, residual, monkeypatch):
    net = conv_net(seed, residual=residual)
    domains = [Segment(image(1), image(2)), Plane.through(image(1), image(2), image(3))]
    found = [decompose(net, d) for d in domains]
    assert without_equal_entries(net, domains[0]) is not net
    monkeypatch.setattr(_decompose, "without_equal_entries", lambda network, domain: network)
    plain = [decompose(net, d) for d in domains]
    for a, b in zip(found, plain, strict=True):
        assert (a.n_cells, a.n_regions) == (b.n_cells, b.n_regions)
        np.testing.assert_allclose(a.vertices, b.vertices, atol=1e-9)
        for i in range(a.n_cells):
            assert all(np.array_equal(x, y) for x, y in zip(a.cells[i].pattern, b.cells[i].pattern, strict=True))


def test_a_network_without_background_stays_itself():
    net = conv_net(0)
    rng = np.random.default_rng(0)
    assert without_equal_entries(net, Segment(rng.normal(size=64), rng.normal(size=64))) is net
    first, second = Segment(image(1), image(2)), Segment(image(2), image(1))
    assert without_equal_entries(net, first) is without_equal_entries(net, second)  # and what is remembered about it with it


def test_a_repeated_or_absent_member_never_wins():
    groups = np.array([[3, 5, 3, -1], [1, 1, 2, 2]])
    assert Max(groups).cannot_win.T[1:].tolist() == [[False, True], [True, False], [True, True]]


def test_ties_of_the_background_need_no_integers(monkeypatch):
    rng = np.random.default_rng(1)
    ends = np.zeros((2, 1, 16, 16))
    ends[:, 0, 6:9, 6:9] = rng.random((2, 3, 3))
    b = Builder((1, 16, 16))
    b.add(Conv(rng.normal(size=(3, 1, 3, 3)), np.ones(3), (1, 1), ((1, 1), (1, 1)), (1, 1)))
    b.add(pooled((3, 16, 16)))
    b.add(Reshape((192,)))
    b.add(Linear(rng.normal(size=(2, 192))))
    net, segment = b.build(), Segment(*ends.reshape(2, -1))
    found = decompose(net, segment)
    monkeypatch.setattr(_decompose, "without_equal_entries", lambda network, domain: network)
    plain = decompose(net, segment)
    assert found.n_cells == plain.n_cells
    assert found.exact_fallbacks == 0 < plain.exact_fallbacks
