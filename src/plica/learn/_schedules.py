"""How the rate changes while training goes on: a factor for each step."""

from __future__ import annotations

import math
from collections.abc import Callable

from plica.errors import InvalidInput

Schedule = Callable[[float], float]
"""From the share of the training that is done, in [0, 1), to the factor of the rate."""


def constant(done: float) -> float:
    return 1.0


def cosine(done: float) -> float:
    """From 1 to 0 along half a cosine."""
    return (1 + math.cos(math.pi * done)) / 2


def linear(done: float) -> float:
    """From 1 to 0 along a line."""
    return 1 - done


def one_cycle(done: float) -> float:
    """Up along a line in the first tenth, then down along half a cosine."""
    return 0.04 + 0.96 * done / 0.1 if done < 0.1 else cosine((done - 0.1) / 0.9)


def stairs(*, drops: int = 2, factor: float = 0.1) -> Schedule:
    """``drops`` drops by ``factor`` at equal distances.

    >>> [stairs(drops=2)(t) for t in (0.0, 0.34, 0.67)]
    [1.0, 0.1, 0.010000000000000002]
    """
    if drops < 0 or not 0 < factor <= 1:
        raise InvalidInput(f"{drops} drops by a factor of {factor}.", hint="a factor in (0, 1]")
    return lambda done: factor ** int(done * (drops + 1))


def warm_up(rate: float, *, steps: int, warm: int = 1, last: float = 0.0) -> Callable[[int], float]:
    """A rate for :func:`plica.learn.fit`: up in a straight line over ``warm`` steps, then down to ``last`` times it at ``steps``.

    >>> [warm_up(1.0, steps=100, warm=10, last=0.1)(step) for step in (0, 9, 55, 100)]
    [0.1, 1.0, 0.55, 0.1]
    """
    if not (0 < rate < math.inf and 1 <= warm < steps and 0 <= last <= 1):
        raise InvalidInput(
            f"a rate of {rate}, {warm} steps of warm-up of {steps}, down to {last} of it.",
            hint="a positive rate, a warm-up shorter than the training, a share in [0, 1]",
        )

    def at(step: int) -> float:
        if step < warm:
            return rate * (step + 1) / warm
        return rate * (last + (1 - last) * (steps - step) / (steps - warm))

    return at


SCHEDULES: dict[str, Schedule] = {
    "constant": constant,
    "cosine": cosine,
    "linear": linear,
    "one-cycle": one_cycle,
    "stairs": stairs(),
}


def make_schedule(given: str | Schedule) -> Schedule:
    if callable(given):
        try:
            float(given(0.0))
        except Exception as error:  # a function of something else, such as a scheduler of torch
            raise InvalidInput(
                f"the schedule gives no number for 0.0: {error}.", hint="a function of the share done to a factor of the rate"
            ) from None
        return given
    if given not in SCHEDULES:
        raise InvalidInput(f"unknown schedule {given!r}.", hint=f"one of {', '.join(SCHEDULES)}, or a function of the share done")
    return SCHEDULES[given]
