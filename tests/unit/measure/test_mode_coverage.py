"""How many clusters samples visit."""

import numpy as np
import pytest

from plica.errors import InvalidInput
from plica.measure import mode_coverage

CENTERS = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])


def test_the_effective_number_is_that_of_the_entropy() -> None:
    points = np.concatenate([CENTERS[:1].repeat(6, axis=0), CENTERS[1:2].repeat(3, axis=0), CENTERS[2:].repeat(1, axis=0)])
    found = mode_coverage(points, CENTERS)
    np.testing.assert_allclose(found.shares, [0.6, 0.3, 0.1])
    assert found.effective == pytest.approx(1 / (0.6**0.6 * 0.3**0.3 * 0.1**0.1))
    assert mode_coverage(CENTERS[:1], CENTERS).effective == 1.0
    assert mode_coverage(CENTERS, CENTERS).effective == pytest.approx(3.0)


def test_points_far_from_all_centers_are_not_near() -> None:
    found = mode_coverage([[0.0, 0.5], [4.0, 1.5], [0.0, 4.0], [0.0, 4.9]], CENTERS, radius=1.0)
    assert found.near == 0.75 and list(found.shares) == [0.25, 0.25, 0.5] and found.n_samples == 4


@pytest.mark.parametrize("points", [[], [1.0], [[1.0]], [[np.nan, 0.0]]])
def test_bad_points_are_refused(points) -> None:
    with pytest.raises(InvalidInput):
        mode_coverage(points, CENTERS)
