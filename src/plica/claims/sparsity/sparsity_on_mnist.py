r"""Accuracy against sparsity on MNIST: LeNet-300-100 and LeNet-5, all methods in one picture.

Claim
    With equal training on MNIST, LeNet-300-100 and LeNet-5 that are pruned while they learn, or after, err less than those with
    as many weights chosen by SNIP before, and these less than those with weights at random places.
Source
    A question; the comparison of T. Hoefler et al., Sparsity in Deep Learning, JMLR 22 (2021) [hoefler2021]. Crosses in the
    figure are published errors after trainings a hundred times longer: Table 1 of SNIP [lee2019b], of LeNet-300-100 and of
    Caffe's LeNet-5, seven times as large as the one here.
Prediction
    at 3 percent of the weights the errors are in this order, by the standard errors of test images, for both networks
Measurement
    plica.sparse.trial: the same first weights, batches and epochs for all methods; two repetitions with 3 percent of the weights,
    one with 10. LeNet-300-100 for 2 epochs of 30,000 images, LeNet-5 for 2 epochs of 15,000; batches of 100, a rate of 0.1 along
    a cosine. Tickets train anew in each round, so they have 11 and 16 times as many steps; of LeNet-5 they are left out
Stand-in
    A 64-40-20-10 network on the 8 x 8 digits with 5 percent of its weights: less error when they are chosen after half of the
    training than when they are chosen at random.
Remark
    A run at full scale takes minutes and is not on record: what is expected of it is a guess so far.
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
N_RUNS = {0.1: 1, 0.03: 2}
METHODS = (
    *("gradual", "trained-magnitude", "trained-units", "snip", "grasp", "synflow"),
    *("layer-magnitude", "layer-random", "random", "rigl", "set"),
)
ORDER = (("gradual", "snip"), ("trained-magnitude", "snip"), ("snip", "random"))
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
        found = {method: {share: errors(method, share, how, n=N_RUNS[share]) for share in SHARES} for method in METHODS}
        if name == "LeNet-300-100":
            found["tickets"] = {share: errors("tickets", share, how, n=1) for share in SHARES}
        for better, worse in ORDER:
            apart = found[worse][LOW] - found[better][LOW]
            doubt = float(np.hypot(of_test(found[worse][LOW]), of_test(found[better][LOW])))
            doubt = float(np.hypot(doubt, apart.std(ddof=1) / np.sqrt(len(apart))))
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
