r"""Accuracy against sparsity on MNIST: LeNet-300-100 and LeNet-5, all methods in one picture.

Claim
    With equal training on MNIST, a LeNet-300-100 that is pruned while it learns errs less than one with as many weights chosen by
    SNIP before, and that one less than one with weights at random places.
Source
    A question; the comparison of T. Hoefler et al., Sparsity in Deep Learning, JMLR 22 (2021) [hoefler2021]. Crosses in the
    figure are published errors after trainings a hundred times longer: Table 1 of SNIP [lee2019b], of LeNet-300-100 and of
    Caffe's LeNet-5, seven times as large as the one here.
Prediction
    at 3 percent of the weights the errors on the 10,000 test images are in this order, by standard errors of repetitions, each
    of which has the same first weights and batches for all methods
Measurement
    plica.sparse.trial: the same first weights, batches and epochs for all methods; with 3 percent of the weights five repetitions
    where methods are compared and two elsewhere, with 10 percent one. LeNet-300-100 for 2 epochs of 30,000 images, LeNet-5 for
    2 epochs of 15,000; batches of 100, a rate of 0.1 along a cosine. Tickets train anew in each round, so they have
    11 and 16 times as many steps; of LeNet-5 they are left out
Stand-in
    A 64-40-20-10 network on the 8 x 8 digits with 5 percent of its weights: less error when they are chosen after half of the
    training than when they are chosen at random.
Remark
    A first run at full scale, with two repetitions, compared pruning during and after training with SNIP for both networks, by
    standard errors that counted repetitions twice, and was inconclusive: SNIP minus gradual 0.014 (0.004) and minus pruning after
    half of the training 0.006 (0.004) for LeNet-300-100, 0.15 (0.11) and 0.02 (0.26) for LeNet-5, which does not always begin to
    learn in 300 steps. Then the first of these was judged, with five repetitions, and SNIP against random places for both
    networks; LeNet-5 was inconclusive again, 0.42 (0.18). So LeNet-5 is drawn only.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._types import Array
from plica.claims import Evidence, row
from plica.claims.sparsity._lenet import draw_errors

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "question"
EXPECTED = "answered"
KIND = "estimated"
SEE = ("sparsity-methods", "lee-2019-snip", "frankle-2019-tickets", "sparsity-on-cifar10")
SEED = 0
SHARES, LOW = (0.1, 0.03), 0.03
N_COMPARED = 5
METHODS = (
    *("gradual", "trained-magnitude", "trained-units", "snip", "grasp", "synflow"),
    *("layer-magnitude", "layer-random", "random", "rigl", "set"),
)
ORDER = {"LeNet-300-100": (("gradual", "snip"), ("snip", "random")), "LeNet-5": ()}
NETWORKS: dict[str, dict[str, Any]] = {
    "LeNet-300-100": {"network": "dense", "n_train": 30_000},
    "LeNet-5": {"network": "lenet-5", "n_train": 15_000},
}
PRINTED = {"SNIP, LeNet-300-100": (0.05, 0.016), "SNIP, Caffe's LeNet-5": (0.02, 0.008)}
N_TEST = 10_000


def check(scale: str) -> Evidence:
    if scale != "full":
        return quick()
    curves, rows = dict[str, list[tuple[float, float, float]]](), []
    for name, how in NETWORKS.items():
        compared = {method for pair in ORDER[name] for method in pair}
        n_low = {method: N_COMPARED if method in compared else 2 for method in METHODS}
        found = {
            method: {share: errors(method, share, how, n=n_low[method] if share == LOW else 1) for share in SHARES}
            for method in METHODS
        }
        if name == "LeNet-300-100":
            found["tickets"] = {share: errors("tickets", share, how, n=1) for share in SHARES}
        for better, worse in ORDER[name]:
            apart = found[worse][LOW] - found[better][LOW]
            doubt = float(apart.std(ddof=1) / np.sqrt(len(apart)))
            what = f"{name}: error of {worse} minus that of {better}"
            rows.append(row(float(apart.mean()), ">", 0.0, kind="estimated", standard_error=doubt, density=LOW, what=what))
        for method, by_share in found.items():
            label = f"{method}, {name}"
            curves[label] = [(share, float(e.mean()), of_test(e)) for share, e in by_share.items()]
    return Evidence(rows, draw=partial(draw, curves, PRINTED), seed=SEED)


def quick() -> Evidence:
    how: dict[str, Any] = {"data": "digits", "hidden": [40, 20], "batch": 32, "epochs": 6}
    found = {method: errors(method, 0.05, how, n=3) for method in ("trained-magnitude", "random")}
    apart = found["random"] - found["trained-magnitude"]
    error = float(apart.std(ddof=1) / np.sqrt(len(apart)))
    what = "error of random minus that of trained-magnitude"
    rows = [row(float(apart.mean()), ">", 0.0, kind="estimated", standard_error=error, density=0.05, what=what)]
    curves = {name: [(0.05, float(e.mean()), float(e.std(ddof=1) / np.sqrt(len(e))))] for name, e in found.items()}
    return Evidence(rows, draw=partial(draw, curves, {}), seed=SEED)


def errors(method: str, share: float, how: dict[str, Any], *, n: int) -> Array:
    """The errors on test images of some repetitions."""
    from plica.sparse import trial

    runs = [trial(method, share, **({"epochs": 2} | how), repetition=SEED + i) for i in range(n)]
    return np.array([1 - run["accuracy"] for run in runs])


def of_test(e: Array) -> float:
    """The standard error of a mean error: of the test images, and of repetitions where there are some."""
    p = float(e.mean())
    between = float(e.std(ddof=1) / np.sqrt(len(e))) if len(e) > 1 else 0.0
    return float(np.hypot(np.sqrt(p * (1 - p) / N_TEST), between))


def draw(curves: dict[str, list[tuple[float, float, float]]], printed: dict[str, tuple[float, float]], ax: Axes) -> None:
    """Error against the share of the weights that is left."""
    draw_errors(curves, printed, ax)
