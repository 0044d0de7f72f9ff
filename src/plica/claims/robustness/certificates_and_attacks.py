r"""Certificates, the exact distance and attacks stand in one order.

Claim
    For every classifier and input, radii that interval bounds, Wong and Kolter's dual, CROWN and the layer-wise linear program
    certify are at most the distance to the nearest other class, and this is at most what DeepFool and projected gradients need.
    With the same ranges of the neurons, no lower slopes certify more than the linear program over the triangles around all
    neurons, and the best certify as much; CROWN's certify no more. Interval bounds and CROWN are not ordered in general; for
    trained classifiers CROWN certifies more.
Source
    E. Wong, J. Z. Kolter, Provable Defenses via the Convex Outer Adversarial Polytope, ICML 2018 [wong2018]; H. Zhang et al.,
    Efficient Neural Network Robustness Certification with General Activation Functions, NeurIPS 2018 [zhang2018crown]; H. Salman
    et al., A Convex Relaxation Barrier to Tight Robustness Verification of Neural Networks, NeurIPS 2019 [salman2019]; S.
    Moosavi-Dezfooli et al., DeepFool, CVPR 2016 [moosavi2016].
Prediction
    the order itself; each distance lies between the bounds of plica.robust.class_distance, which proves both; each radius by the
    papers' own formulas in plain matrices, and by linear programs (HiGHS) over the triangles
Measurement
    radii in the maximum norm for handwritten digits and a trained network of 64-16-16-10: certificates by bisection, attacks by
    bisection over the size of the ball (PGD) and by DeepFool
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from plica import from_torch
from plica._palette import MEASUREMENT, PREDICTION
from plica.claims import Evidence, Row, control, row
from plica.claims.robustness._digits import trained
from plica.claims.robustness._relaxations import backward_margin, interval_margin, largest, program_margin
from plica.robust import Method, certified_radius, class_distance
from plica.robust.attacks import deepfool, margins, pgd

if TYPE_CHECKING:
    import torch
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "certified"
SEE = ("deepfool-distance", "gopalakrishnan-2018-sparse-input")
SEED = 1711
METHODS: tuple[Method, ...] = ("interval", "wong-kolter", "crown", "program")


def pgd_radius(model: torch.nn.Module, x: torch.Tensor, label: torch.Tensor, start: float) -> float:
    """The least radius, up to a fifth of a percent, at which projected gradients find another class."""
    low, high = 0.0, start
    while high - low > 0.002 * high:
        middle = (low + high) / 2
        found = pgd(model, x, label, epsilon=middle, n_steps=40, restarts=3, seed=SEED)
        if float(margins(model(found), label).detach()[0]) <= 0:
            high = middle
        else:
            low = middle
    return high


def by_definition(model: torch.nn.Module, x: np.ndarray, label: int) -> dict[str, float]:
    """The same radii by plain matrices, and by linear programs."""
    import torch

    layers = [(m.weight.detach().numpy(), m.bias.detach().numpy()) for m in model if isinstance(m, torch.nn.Linear)]  # type: ignore[attr-defined]
    found = {
        "interval": largest(lambda r: interval_margin(layers, x, r, label), 1.0, accuracy=1e-6),
        "wong-kolter": largest(lambda r: backward_margin(layers, x, r, label, "parallel"), 1.0, accuracy=1e-6),
        "crown": largest(lambda r: backward_margin(layers, x, r, label, "adaptive"), 1.0, accuracy=1e-6),
    }
    found["program"] = largest(lambda r: program_margin(layers, x, r, label), 2 * found["crown"], accuracy=2e-4)
    return found


def check(scale: str) -> Evidence:
    import torch

    model, points, labels = trained(32 if scale == "full" else 16, SEED)
    network = from_torch(model)
    rows: list[Row] = []
    seen: dict[str, list[float]] = {}
    for k in range(40 if scale == "full" else 2):
        x, label = torch.as_tensor(points[k : k + 1]), torch.as_tensor(labels[k : k + 1])
        true = class_distance(network, points[k], norm="linf", tolerance=1e-4, timeout_s=60)
        radii: dict[str, float] = {m: certified_radius(network, points[k], norm="linf", method=m) for m in METHODS}
        fooled = deepfool(model, x, label, overshoot=0.02)
        far = float((fooled - x).abs().max())
        attacks = {"DeepFool": far, "PGD": pgd_radius(model, x, label, 2 * far)}
        rows.append(control(true.lower, "<=", true.upper, kind="certified", input=k, what="proved and attained distance"))
        rows += [row(r, "<=", true.upper, kind="certified", input=k, what=f"{m} against the distance") for m, r in radii.items()]
        rows += [
            row(true.lower, "<=", r, kind="certified", input=k, what=f"the distance against {a}") for a, r in attacks.items()
        ]
        plain = by_definition(model, points[k], int(labels[k]))
        near = {"program": 2e-3}  # slopes are optimized in finitely many steps
        rows += [
            row(r, "=", plain[m], tolerance=near.get(m, 1e-5), kind="certified", input=k, what=f"{m} by its definition")
            for m, r in radii.items()
        ]
        above = plain["program"] * (1 + 2e-4)  # where the halving began to fail
        rows.append(row(radii["program"], "<=", above, kind="certified", input=k, what="best slopes against the program"))
        rows.append(row(plain["crown"], "<=", above, kind="certified", input=k, what="crown against the program"))
        for name, value in {**radii, "distance": true.upper, **attacks}.items():
            seen.setdefault(name, []).append(value / true.upper)
    rows.append(row(float(np.mean(seen["interval"])), "<=", float(np.mean(seen["crown"])), kind="certified", what="mean share"))
    return Evidence(rows, draw=partial(draw, seen), seed=SEED)


def draw(seen: dict[str, list[float]], ax: Axes) -> None:
    """Each radius as a share of the distance."""
    for place, (name, values) in enumerate(seen.items()):
        color = PREDICTION if name == "distance" else MEASUREMENT
        ax.plot(values, [place] * len(values), "o", color=color, markersize=5)
    ax.axvline(1.0, color=PREDICTION, linewidth=1)
    ax.set_yticks(range(len(seen)), list(seen))
    ax.set(xlabel="radius / distance to the nearest other class", xscale="log")
    ax.spines[["top", "right"]].set_visible(False)
