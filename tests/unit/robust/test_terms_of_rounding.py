"""Forms pulled back in doubles: for each term of the slack there is a network on which nothing else covers what is rounded."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from plica.robust.bounds._backward import Pulled, pulled_back
from plica.robust.bounds._boxes import Boxes, Ranges
from plica.robust.bounds._steps import AffineStep, RectifierStep, Step, Steps

HALF = 2.0**-55  # less than a double near one can tell


def pulled(*steps: Step, x: list[float], forms: list[float], **more: object) -> Pulled:
    """Forms of the last tensor at a point, with the ranges that numpy finds there: all are exact here."""
    boxes, tensors = Boxes.of(x, x), [np.array(x)]
    for step in steps:
        if isinstance(step, RectifierStep):
            before = tensors[step.parent]
            tensors.append(np.where(before > 0, before, step.slope * before))
        else:
            tensors.append(sum(m @ tensors[p] for p, m in zip(step.parents, step.matrices, strict=True)) + step.offset)
    ranges = [Ranges(t[None], t[None]) for t in tensors]
    return pulled_back(Steps(len(x), steps), boxes, ranges, np.array([forms]), **more)  # type: ignore[arg-type]


def is_just_below(found: Pulled, value: Fraction) -> bool:
    low, middle = Fraction(float(found.low[0, 0])), Fraction(float(found.middle[0, 0]))
    return bool(value - Fraction(2.0**-45) <= low <= value and middle <= value)


COPY = AffineStep((0,), (np.ones((2, 1)),), np.zeros(2))  # (x, x), without rounding


def test_what_is_added_to_a_form_on_the_way_is_rounded() -> None:
    found = pulled(COPY, x=[1.0], forms=[1.0, -1.0], added={1: np.array([[[-HALF, 0.0]]])})
    assert is_just_below(found, Fraction(-HALF))


def test_forms_of_one_tensor_that_meet_are_rounded() -> None:
    inactive = RectifierStep(1, np.array([HALF, 0.0]))
    both = AffineStep((1, 2), (np.eye(4)[:, :2], np.eye(4)[:, 2:]), np.zeros(4))
    found = pulled(COPY, inactive, both, x=[-1.0], forms=[1.0, -1.0, 1.0, 0.0])
    assert is_just_below(found, Fraction(-HALF))


def test_weights_times_slopes_are_rounded() -> None:
    slopes = np.array([0.1, 3 * 0.1])  # three tenths, rounded
    found = pulled(COPY, RectifierStep(1, slopes), x=[-1.0], forms=[-3.0, 1.0])
    value = 3 * Fraction(0.1) - Fraction(3 * 0.1)
    assert value < 0 and is_just_below(found, value)


@pytest.mark.parametrize("numbers", [*permutations([0.1, 0.2, -0.3])])
def test_sums_that_cancel_are_rounded(numbers: tuple[float, ...]) -> None:
    value = sum(map(Fraction, numbers))
    column = AffineStep((0,), (np.array(numbers)[:, None],), np.zeros(3))
    same = AffineStep((0,), (np.eye(3),), np.zeros(3))
    offset = AffineStep((0,), (np.zeros((3, 1)),), np.array(numbers))
    assert is_just_below(pulled(column, x=[1.0], forms=[1.0, 1.0, 1.0]), value), "weights times a matrix"
    assert is_just_below(pulled(same, x=list(numbers), forms=[1.0, 1.0, 1.0]), value), "weights times the center"
    assert is_just_below(pulled(offset, x=[1.0], forms=[1.0, 1.0, 1.0]), value), "weights times an offset"
