"""The layer-wise linear program: as good as its definition, better than gradient steps, and sound whatever HiGHS says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.optimize

from plica.claims.robustness._relaxations import largest, program_margin
from plica.measure._perceptron import dense_layers
from plica.network import Network, random_network
from plica.robust import certified_radius, class_distance
from plica.robust._multipliers import Multipliers, Optimizer, proved_distances
from plica.robust._program import program_multipliers
from plica.robust.bounds._ball import ball_bounds
from plica.robust.bounds._steps import steps_of


def drawn(seed: int) -> tuple[Network, np.ndarray]:
    net = random_network([5, 10, 10, 3], seed=seed, weights="he-normal", bias_std=0.3)
    return net, np.random.default_rng(seed).uniform(-1, 1, 5)


@pytest.mark.parametrize("seed", range(3))
def test_the_radius_is_that_of_the_program_as_it_is_written(seed: int) -> None:
    net, x = drawn(seed)
    label = int(net(x).argmax())
    found = certified_radius(net, x, method="program")
    by_definition = largest(lambda r: program_margin(dense_layers(net), x, r, label), 4 * found, accuracy=1e-4)
    assert found == pytest.approx(by_definition, rel=2e-3) and found <= by_definition * (1 + 2e-4)
    assert certified_radius(net, x, method="crown") <= found <= class_distance(net, x, norm="linf", tolerance=1e-4).upper


def test_slopes_of_the_dual_are_at_least_as_good_as_those_of_gradient_steps() -> None:
    net, x = drawn(1)
    steps, label = steps_of(net), int(net(x).argmax())
    radius = 0.95 * certified_radius(net, x, method="program")
    boxes, ranges = ball_bounds(steps, x, radius, "linf")
    forms = np.delete(np.eye(3)[label] - np.eye(3), label, axis=0)
    unknown = {i: np.full((2, steps.size(i)), -1) for i in steps.rectifiers}
    parents = {i: ranges[steps.steps[i - 1].parents[0]] for i in steps.rectifiers}
    start = Multipliers(
        {i: np.repeat((r.high > -r.low) * 1.0, 2, axis=0) for i, r in parents.items()},
        {i: np.zeros((2, steps.size(i))) for i in steps.rectifiers},
    )
    least = program_multipliers(steps, boxes, ranges, forms, start)
    assert least is not None
    stepped = Optimizer(steps, ranges, x, "linf").improve(forms, unknown, start, n_steps=80)
    # quotients of margin and slope belong to other radii than the program's, where both must prove the ball
    for m in (least, stepped):
        assert (proved_distances(steps, boxes, ranges, x, forms, unknown, m, "linf")[0] > radius).all()


@pytest.mark.parametrize("seed", range(3))
def test_wrong_multipliers_prove_nothing_that_is_false(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    net, x = drawn(seed)
    true = class_distance(net, x, norm="linf", tolerance=1e-4).upper
    honest, rng = scipy.optimize.linprog, np.random.default_rng(seed)

    def lying(*args: Any, **options: Any) -> Any:
        found = honest(*args, **options)
        found.status, found.fun = 0, 1.0
        if found.ineqlin is None or found.ineqlin.marginals is None:
            found.ineqlin = type(found)(marginals=np.zeros(len(options["b_ub"])))
        found.ineqlin.marginals = -rng.exponential(size=len(options["b_ub"]))
        return found

    monkeypatch.setattr(scipy.optimize, "linprog", lying)
    assert certified_radius(net, x, method="program") <= true
