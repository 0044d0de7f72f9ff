"""How many neighbors there are to look at: the usual number, or fewer where the points are few."""

from __future__ import annotations

import warnings
from typing import Any

from plica.dimension._base import check_integer
from plica.dimension._errors import InvalidData

#: The value of ``n_neighbors`` that adapts to the data; a number is never changed.
AUTO = "auto"


def choose_neighbors(given: Any, n: int, *, usual: int, least: int, beyond: int = 0) -> int:
    """A number of neighbors for each of n distinct points.

    Parameters
    ----------
    given
        A number, which is taken or refused, or ``"auto"``: the usual one, or with a warning all others where there are fewer.
    n
        How many points there are.
    usual, least
        What ``"auto"`` means, and with how few the formula is defined.
    beyond
        Neighbors that the formula needs past the given number.

    Examples
    --------
    >>> choose_neighbors("auto", 100, usual=20, least=2), choose_neighbors(7, 10, usual=20, least=2)
    (20, 7)
    """
    most = n - 1 - beyond
    if not (isinstance(given, str) and given == AUTO):
        k = check_integer("n_neighbors", given, least=least)
        if k > most:
            raise InvalidData(f"{k + beyond} neighbors of {n} distinct points.", hint="fewer neighbors or more points")
        return k
    if most < least:
        raise InvalidData(f"{n} distinct points are too few.", hint=f"give at least {least + 1 + beyond}")
    if most < usual:
        message = f"{n} distinct points are fewer than {usual + 1 + beyond}: n_neighbors is {most} instead of {usual}."
        warnings.warn(message, UserWarning, stacklevel=5)  # of the line that called fit
    return min(usual, most)
