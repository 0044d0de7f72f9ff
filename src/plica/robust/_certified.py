"""Certified radii: the largest ball on which a cheap bound alone proves that the class stays."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.network import Network
from plica.robust._multipliers import Multipliers, Optimizer, proved_distances
from plica.robust._program import program_multipliers, steps_fit
from plica.robust.bounds._backward import backward_bounds, pulled_back
from plica.robust.bounds._ball import Norm, ball_bounds, least_on_ball
from plica.robust.bounds._boxes import Boxes
from plica.robust.bounds._interval import interval_bounds
from plica.robust.bounds._relaxation import Rule
from plica.robust.bounds._steps import Steps, steps_of

Method = Literal["interval", "wong-kolter", "crown", "program"]
HALVINGS = 40


def certified_radius(network: Network, point: Any, *, norm: Norm = "linf", method: Method = "crown") -> float:
    """A radius within which no input has another class, proved in real arithmetic by one method; 0 where it proves nothing.

    ``"interval"``: interval bounds. ``"crown"``: backward linear bounds with adaptive lower slopes (H. Zhang et al., 2018).
    ``"wong-kolter"``: the dual of E. Wong and J. Z. Kolter (2018), which is the backward bound with parallel slopes.
    ``"program"``: the best lower slopes for the same ranges as crown's, which give the layer-wise linear program (H. Salman et
    al., 2019); in linf and up to a few thousand entries from its dual by HiGHS, else by gradient steps.

    Examples
    --------
    >>> import plica
    >>> net = plica.random_network([2, 8, 3], seed=0)
    >>> radii = [certified_radius(net, [0.1, 0.2], method=m) for m in ("interval", "crown", "program")]
    >>> exact = plica.robust.class_distance(net, [0.1, 0.2], norm="linf").upper
    >>> all(0 < r <= exact for r in radii)
    True
    """
    if method not in ("interval", "wong-kolter", "crown", "program"):
        raise InvalidInput(f"method {method!r} is not known.", hint="interval, wong-kolter, crown or program")
    steps = steps_of(network)
    x = np.asarray(point, dtype=np.float64).reshape(-1)
    if x.shape != (network.n_inputs,) or network.n_outputs < 2:
        raise InvalidInput(f"expected a point with {network.n_inputs} coordinates and a network with classes.")
    label = int(np.argmax(network(x.reshape(network.input_shape)).reshape(-1)))
    forms = -np.eye(network.n_outputs)
    forms[:, label] += 1.0
    forms = np.delete(forms, label, axis=0)
    low, high = 0.0, 1.0
    while high < 2.0**20 and _is_proved(steps, x, high, norm, method, forms, label):
        low, high = high, 2 * high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if _is_proved(steps, x, middle, norm, method, forms, label):
            low = middle
        else:
            high = middle
        if high - low <= 1e-6 * high:
            break
    return low


def proved_robust(network: Network, points: Any, labels: Any, *, epsilon: float) -> Array:
    """Of each point whether the label has the largest score on the whole ball in the maximum norm, as far as bounds prove it.

    True is proved in real arithmetic, by the best of intervals and of backward bounds with parallel (Wong and Kolter) and with
    adaptive slopes (CROWN); False may be the fault of the bounds.

    Examples
    --------
    >>> import plica
    >>> net = plica.random_network([2, 8, 3], seed=0)
    >>> x = np.array([[0.1, 0.2], [0.3, 0.1]])
    >>> labels = net(x).argmax(axis=1)
    >>> [proved_robust(net, x, labels, epsilon=e).tolist() for e in (1e-6, 10.0)]
    [[True, True], [False, False]]
    """
    steps = steps_of(network)
    x = np.asarray(points, dtype=np.float64).reshape(-1, network.n_inputs)
    own = np.asarray(labels, dtype=np.intp).reshape(-1)
    if len(own) != len(x) or network.n_outputs < 2 or not epsilon >= 0 or (own < 0).any() or (own >= network.n_outputs).any():
        raise InvalidInput("expected one label for each point, a network with classes and epsilon >= 0.")
    others = np.array([np.delete(np.arange(network.n_outputs), k) for k in range(network.n_outputs)])
    eye = np.eye(network.n_outputs)
    out = np.zeros(len(x), bool)
    size = max(1, 2**24 // (max(steps.size(i) for i in range(steps.n_tensors)) * network.n_outputs * 8))
    for first in range(0, len(x), size):
        part = slice(first, first + size)
        boxes = Boxes(np.nextafter(x[part] - epsilon, -np.inf), np.nextafter(x[part] + epsilon, np.inf))
        forms = eye[own[part]][:, None] - eye[others[own[part]]]
        intervals = interval_bounds(steps, boxes)
        last = intervals[-1]
        label_low = np.take_along_axis(last.low, own[part, None], axis=1)
        done = np.asarray((label_low > np.take_along_axis(last.high, others[own[part]], axis=1)).all(axis=1))
        done |= (pulled_back(steps, boxes, intervals, forms).low > 0).all(axis=1)
        scores = network(x[part].reshape(-1, *network.input_shape)).reshape(len(done), -1)
        is_read = scores.argmax(axis=1) == own[part]  # nothing proves a label that the point itself does not have
        rules: tuple[Rule, ...] = ("adaptive", "parallel")
        for rule in rules:
            rest = np.flatnonzero(~done & is_read)
            if len(rest):
                ranges = backward_bounds(steps, boxes[rest], rule=rule)
                done[rest] |= (pulled_back(steps, boxes[rest], ranges, forms[rest], rule=rule).low > 0).all(axis=1)
        out[part] = done
    return out


def _is_proved(steps: Steps, x: Array, radius: float, norm: Norm, method: Method, forms: Array, label: int) -> bool:
    """Whether all margins are positive on the ball."""
    if method == "interval":
        last = interval_bounds(steps, Boxes.around(x, radius))[-1]
        others = np.delete(last.high[0], label)
        return bool((last.low[0, label] > others).all())
    rule: Rule = "parallel" if method == "wong-kolter" else "adaptive"
    boxes, ranges = ball_bounds(steps, x, radius, norm, rule=rule)
    low = least_on_ball(steps, boxes, ranges, x, radius, norm, forms, rule=rule)
    if bool((low > 0).all()) or method != "program" or not steps.rectifiers:
        return bool((low > 0).all())
    n = len(forms)
    unknown = {i: np.full((n, steps.size(i)), -1) for i in steps.rectifiers}
    parents = {i: ranges[steps.steps[i - 1].parents[0]] for i in steps.rectifiers}
    start = Multipliers(
        {i: np.repeat((r.high > -r.low) * 1.0, n, axis=0) for i, r in parents.items()},
        {i: np.zeros((n, steps.size(i))) for i in steps.rectifiers},
    )
    if norm == "linf":
        least = program_multipliers(steps, boxes, ranges, forms, start)
        if least is not None:
            found, _ = proved_distances(steps, boxes, ranges, x, forms, unknown, least, norm)
            return bool((found > radius).all())
        if steps_fit(steps):
            return False  # the program itself, which no slopes surpass, leaves a margin below 0
    best = Optimizer(steps, ranges, x, norm).improve(forms, unknown, start, n_steps=80)
    found, _ = proved_distances(steps, boxes, ranges, x, forms, unknown, best, norm)
    return bool((found > radius).all())
