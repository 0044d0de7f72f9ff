"""Scores of image challenges against values that are counted, and against scikit-learn where it is the same definition."""

from __future__ import annotations

import numpy as np
import pytest

from plica.errors import InvalidInput
from plica.measure import Detection, average_precision, box_iou, detection_precision, mask_iou, top_k_error


def test_average_precision_is_that_of_scikit_learn() -> None:
    from sklearn.metrics import average_precision_score

    rng = np.random.default_rng(0)
    for _ in range(20):
        right = rng.random(12) < 0.4
        right[rng.integers(12)] = True
        assert average_precision(right) == pytest.approx(average_precision_score(right, -np.arange(12)), abs=1e-12)


def test_truths_that_are_never_found_count() -> None:
    assert average_precision([True, True], n_truths=4) == 0.5
    assert average_precision([], n_truths=3) == 0.0
    assert average_precision([True, False, True], points=11) == pytest.approx((6 + 5 * 2 / 3) / 11)
    assert average_precision([False, True], n_truths=2, points=11) == pytest.approx(6 * 0.5 / 11)


def test_boxes_apart_inside_and_touching() -> None:
    assert box_iou((0, 0, 1, 1), (2, 2, 3, 3)) == 0
    assert box_iou((0, 0, 1, 1), (1, 0, 2, 1)) == 0
    assert box_iou((0, 0, 4, 4), (1, 1, 3, 3)) == 0.25


def test_a_truth_is_taken_once_and_by_the_most_confident() -> None:
    truths = [(0, (0, 0, 4, 4))]
    late, early = Detection(0, (0, 0, 4, 4), 0.2), Detection(0, (0, 0, 4, 3), 0.9)
    assert detection_precision([late, early], truths) == 1.0
    assert detection_precision([late, early], truths, overlap=0.8) == 0.5
    assert detection_precision([], truths) == 0.0


def test_masks_and_guesses() -> None:
    assert mask_iou(np.zeros((2, 2)), np.zeros((2, 2))) == 1.0
    assert top_k_error([[1.0, 2.0, 3.0]], [1], k=1) == 1.0
    assert top_k_error([[1.0, 2.0, 3.0]], [1], k=2) == 0.0


def test_nonsense_is_refused() -> None:
    for call in (
        lambda: box_iou((0, 0, 0, 1), (0, 0, 1, 1)),
        lambda: mask_iou([1], [1, 2]),
        lambda: average_precision([True, True], n_truths=1),
        lambda: average_precision([False]),
        lambda: average_precision([True], points=1),
        lambda: top_k_error([[1.0]], [0], k=2),
    ):
        with pytest.raises(InvalidInput):
            call()


def test_interpolated_precision_counts_the_levels_of_recall_that_are_reached() -> None:
    """Two of three truths are found, without a mistake: of the levels 0, 1/2, 1 the first two are reached."""
    assert average_precision([True, True], n_truths=3, points=3) == pytest.approx(2 / 3)
    assert average_precision([True, False, True], n_truths=2, points=11) == pytest.approx((6 * 1 + 5 * 2 / 3) / 11)
