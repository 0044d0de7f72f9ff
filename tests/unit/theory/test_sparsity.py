"""Densities and schedules at points where they are known."""

from math import isclose

import pytest

from plica.errors import InvalidInput
from plica.theory.sparsity import (
    erdos_renyi_densities,
    erdos_renyi_density,
    exponential_density,
    gradual_sparsity,
    largest_compression,
    rigl_fraction,
    ticket_density,
)


def test_erdos_renyi_layers_of_the_papers():
    assert isclose(erdos_renyi_density(784, 1000, epsilon=20), 20 * 1784 / 784_000)
    assert erdos_renyi_density(4, 4, epsilon=20) == 1.0


def test_densities_keep_the_share_and_the_proportions():
    shapes = [(300, 784), (100, 300), (10, 100)]
    sizes = [235_200, 30_000, 1_000]
    for share in (0.01, 0.03):
        found = erdos_renyi_densities(shapes, share)
        assert isclose(sum(d * n for d, n in zip(found, sizes, strict=True)), share * 266_200)
        assert isclose(found[0] / found[1], ((300 + 784) / 235_200) / (400 / 30_000))
        assert isclose(found[2] / found[1], (110 / 1_000) / (400 / 30_000))
    full = erdos_renyi_densities(shapes, 0.2)
    assert full[2] == 1.0 and isclose(sum(d * n for d, n in zip(full, sizes, strict=True)), 0.2 * 266_200)
    assert erdos_renyi_densities(shapes, 1.0) == [1.0, 1.0, 1.0]


def test_kernels_count_or_not():
    shapes = [(16, 3, 3, 3), (10, 160)]
    with_kernels, without = (erdos_renyi_densities(shapes, 0.1, kernels=k) for k in (True, False))
    assert isclose(with_kernels[0] / with_kernels[1], (25 / 432) / (170 / 1600))
    assert isclose(without[0] / without[1], (19 / 48) / (170 / 1600))


def test_schedules_at_their_ends_and_in_the_middle():
    assert rigl_fraction(0, 10) == 0.3 and rigl_fraction(10, 10) == rigl_fraction(11, 10) == 0.0
    assert isclose(rigl_fraction(1, 3, alpha=0.4), 0.3)  # cos(pi / 3) = 1/2
    assert isclose(gradual_sparsity(1, 2, final=0.8), 0.7) and isclose(gradual_sparsity(3, 3, final=0.8), 0.8)
    assert isclose(exponential_density(1e-4, 1, 4), 0.1) and exponential_density(0.3, 0, 7) == 1.0
    assert isclose(ticket_density([235_200, 30_000, 1_000], [0.2, 0.2, 0.1], 15), (265_200 * 0.8**15 + 1_000 * 0.9**15) / 266_200)
    assert largest_compression([6, 3]) == 4.5


def test_what_is_no_share_is_refused():
    for wrong in (
        lambda: erdos_renyi_densities([(2, 2)], 0.0),
        lambda: erdos_renyi_density(0, 3, epsilon=1),
        lambda: rigl_fraction(-1, 10),
        lambda: gradual_sparsity(1, 10, final=1.0),
        lambda: exponential_density(0.1, 3, 2),
        lambda: exponential_density(float("nan"), 1, 2),
        lambda: ticket_density([1], [1.0], 1),
        lambda: largest_compression([]),
    ):
        with pytest.raises(InvalidInput):
            wrong()
