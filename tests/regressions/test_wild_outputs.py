"""Outputs beyond or beside the range of floats: found among thousands of random networks."""

from fractions import Fraction

import numpy as np
import pytest

from plica.geometry import Path, Plane, Segment, decompose
from plica.network import Linear, Network, Rectifier
from plica.testing import check_engine


@pytest.mark.parametrize(("family", "seed"), [("uneven rows", 1050), ("subnormal", 1017)])
def test_outputs_of_very_different_size(family: str, seed: int) -> None:
    check_engine(families=[family], n_networks=1, size="small", seed=seed)


def test_a_slope_along_a_segment_whose_direction_is_no_float() -> None:
    """The difference of the ends needs more digits than a float has, and what the layers make of it cancels."""
    check_engine(families=["composed"], n_networks=1, size="tiny", seed=46871, invariants=["floats"])


A, B, C = (0.1, 0.3, 0.0), (0.7, 0.9 + 2.0**-52, 0.0), (0.1, 0.3, 1.0)


@pytest.mark.parametrize("domain", [Segment(A, B), Plane.through(A, B, C), Path([C, A, B])])
def test_slopes_that_cancel_are_those_of_the_exact_ends(domain: Segment | Plane | Path) -> None:
    """x - y changes by 2^-52 and what the rounding of the four ends has left, a few units; rounded differences lose all of it."""
    network = Network.sequential(3, [Linear(np.array([[1.0, -1.0, 0.0]]), np.array([3.0])), Rectifier(), Linear(np.eye(1))])
    cx = decompose(network, domain)
    (a, b), (c, d) = ([Fraction(x) for x in point[:2]] for point in (A, B))
    slope, _ = cx.cells[cx.n_cells - 1].slice_map
    assert slope[0, 0] == float((c - d) - (a - b)) != (B[0] - A[0]) - (B[1] - A[1])
