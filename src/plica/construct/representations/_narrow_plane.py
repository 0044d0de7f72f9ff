r"""Any smooth function of two variables in layers of three units: a chain that is put right cap by cap, from the middle on."""

from __future__ import annotations

from math import ceil, cos, hypot, inf, pi, sin, sqrt
from typing import Any

import numpy as np

from plica._types import Array
from plica.construct._arguments import array_argument, error_argument
from plica.construct._construction import Construction
from plica.construct.errors._certificate import Certificate
from plica.construct.representations._narrow import MAX_DEPTH, _chain
from plica.construct.targets._intervals import Interval
from plica.construct.targets._slopes import curvature_bound, values_at
from plica.construct.targets._targets import as_target, smooth
from plica.errors import BudgetExceeded, InvalidDomain
from plica.geometry import Box

_ROOM = 1e-9  # what rounding of lines and radii may use up


def narrow_plane(target: Any, *, error: float, low: Any = (0.0, 0.0), high: Any = (1.0, 1.0)) -> Construction:
    r"""A smooth function of two variables on a rectangle, by a chain of maxima and minima of width 3 [hanin2017]_.

    Let y be within :math:`\varepsilon` of f on a disc. A line cuts off a cap of it and of a ring around it, of height t; let s be
    the distance from the line, positive outside, and g the tangent plane of f in the middle of the cut. Then

    .. math:: \min(\max(y, g + Mt/2 + M s), g + Mt/2 - M s)

    is :math:`g + Mt/2 - Ms` on the cap, whatever y was there, and y held within :math:`M|s|` of :math:`g + Mt/2` on the disc.
    With second derivatives up to K, f is within :math:`K(a^2 + 2r|s|)/2` of g there, 2a being the length of the cut and r its
    distance from the middle: with M = K r nothing that was right is lost where :math:`Krt + K a^2 \le 2 \varepsilon`. Caps along
    the sides of a polygon in the disc make the disc larger; of the order of :math:`(K R^2/\varepsilon)^{3/2}` layers suffice for
    a rectangle of radius R. Continuous functions are limits of smooth ones.

    Examples
    --------
    >>> from plica.construct import variables
    >>> x, y = variables(2)
    >>> f = narrow_plane(x * y, error=0.25)
    >>> set(f.network.widths[1:-1]), f.depth, bool(abs(f([0.9, 0.8])[0] - 0.72) <= 0.25)
    ({3}, 30, True)
    """
    wanted = float(error_argument(error))
    a, b = array_argument("low", low), array_argument("high", high)
    if a.shape != (2,) or b.shape != (2,) or not (a < b).all():
        raise InvalidDomain(f"the rectangle from {a.tolist()} to {b.tolist()} is empty.", hint="two numbers each")
    goal = as_target(target, 2)
    eps = wanted * (1 - 1e-6)
    curvature = curvature_bound(goal, a.tolist(), b.tolist())
    cuts = _cuts(a, b, eps, curvature)
    middle, corner = (a + b) / 2, float(hypot(*(b - a))) / 2
    at = np.clip(np.array([middle, *(middle + r * u for u, r, _, _ in cuts)]), a, b)
    values, slack = values_at(goal, at)
    columns = [Interval.of(column) for column in at.T]
    gradient = [smooth(goal).first(columns, i) for i in range(2)]
    slopes = np.stack([np.broadcast_to(first.middle(), len(at)) for first in gradient], axis=1)
    tilt = sum(float(np.max(first.width())) for first in gradient) * 2 * corner
    forms = [np.append(slopes[0], values[0] - slopes[0] @ at[0])]
    for (u, r, t, steep), slope, value, point in zip(cuts, slopes[1:], values[1:], at[1:], strict=True):
        plane = np.append(slope, value - slope @ point + steep * t / 2)
        line = steep * np.append(u, -r - u @ middle)
        forms += [plane + line, plane - line]
    network, rounding = _chain(np.array(forms), ["max", "min"] * len(cuts), a, b)
    bound = eps * (1 + _ROOM) + slack + tilt + rounding
    certificate = Certificate(bound, "sup", Box(a, b), "caps of discs that grow", goal, network)
    theorem = {"width": 3, "depth": 2 * len(cuts), "error": wanted}
    parameters = {"error": wanted, "low": tuple(a.tolist()), "high": tuple(b.tolist())}
    return Construction("narrow-plane", network, parameters, theorem, ("hanin2017",), certificate)


def _cuts(low: Array, high: Array, eps: float, curvature: float) -> list[tuple[Array, float, float, float]]:
    """For each cap its direction, the distance r of its line from the middle, its height t and the slope M."""
    K = curvature * (1 + _ROOM) + 1e-300
    half = (high - low) / 2
    reach, radius = float(hypot(*half)), sqrt(2 * eps / K) * (1 - _ROOM)
    found: list[tuple[Array, float, float, float]] = []
    while radius < reach:
        # K r t + K (2 r t + t^2) = 2 eps
        t = (sqrt(9 * radius**2 + 8 * eps / K) - 3 * radius) / 2 * (1 - _ROOM)
        n = _sides(radius, t)
        r = radius * cos(pi / n) * (1 - _ROOM)
        for i in range(n):
            u = np.array([cos(2 * pi * i / n), sin(2 * pi * i / n)])
            if np.abs(u) @ half > r:  # the others miss the rectangle
                found.append((u, r, t, K * radius))
        radius = r + t
        if 2 * len(found) > MAX_DEPTH:
            raise BudgetExceeded(
                f"an error of {eps:.3g} with second derivatives up to {curvature:g} needs more than {MAX_DEPTH:,} layers.",
                hint="a larger error or a smaller rectangle",
                partial={"depth": 2 * len(found)},
            )
    return found


def _sides(radius: float, t: float) -> int:
    """The polygon in a disc whose caps of height t cost least for what the disc grows by."""
    about = ceil(pi * sqrt(1.5 * radius / t))

    def cost(n: int) -> float:
        gain = t - radius * (1 - cos(pi / n))
        return n / gain if gain > 0 else inf

    return min(range(max(3, about - 2), about + 4), key=cost)
