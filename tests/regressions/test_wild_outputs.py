"""Outputs beyond or beside the range of floats: found among thousands of random networks."""

import pytest

from plica.testing import check_engine


@pytest.mark.parametrize(("family", "seed"), [("uneven rows", 1050), ("subnormal", 1017)])
def test_outputs_of_very_different_size(family: str, seed: int) -> None:
    check_engine(families=[family], n_networks=1, size="small", seed=seed)
