r"""SynFlow stays alive where other scores cut the last path.

Claim
    At a thousandfold compression SynFlow, which looks at no data, leaves a network that learns; pruned at the start by magnitude,
    at random or by GraSP, hardly a path from inputs to outputs is left.
Source
    H. Tanaka, D. Kunin, D. L. K. Yamins, S. Ganguli, Pruning Neural Networks without any Data by Iteratively Conserving Synaptic
    Flow, NeurIPS 2020 [tanaka2020], Figures 1 and 6 (VGG and ResNet there).
Prediction
    dozens of times as many paths as with any other score; an accuracy far above that of guessing, and above all others
Measurement
    LeNet-300-100 with 266 of its 266,200 weights: paths of kept weights counted exactly, and the accuracy after 2 epochs on
    MNIST; plica.sparse.prune
Stand-in
    A 64-100-30-10 network with 97 of its 9,700 weights: the paths of kept weights, counted exactly, for three seeds;
    for one of them the accuracy after training, above that of guessing.
Remark
    SNIP keeps between 13 and 55 paths of LeNet-300-100: it is not cut through, as the others are, and learns a little.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica._types import Array
from plica.claims import Evidence, row
from plica.claims.optimization._chains import mean_and_error
from plica.claims.sparsity._lenet import digits, lenet, n_paths, trained

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("tanaka-2020-conservation", "lee-2019-snip")
SEED = 2020
METHODS = ("synflow", "snip", "magnitude", "random", "grasp")


def check(scale: str) -> Evidence:
    is_full = scale == "full"
    share, seeds = (1e-3, range(1)) if is_full else (1e-2, range(3))
    found = {method: [one(scale, method, share, SEED + s) for s in seeds] for method in METHODS}
    rows = []
    for s in seeds:
        alive = found["synflow"][s][0]
        for method in METHODS[1:]:
            paths = found[method][s][0]
            times = 50 if method == "snip" and is_full else 10
            rows.append(
                row(alive, ">", times * paths, method=method, seed=SEED + s, what=f"paths, against {times} times as many")
            )
    if is_full:
        wrong = {method: np.mean([run[1] for run in runs], axis=0) for method, runs in found.items()}
        for method in METHODS[1:]:
            mean, error = mean_and_error(wrong[method] - wrong["synflow"])
            rows.append(row(mean, ">", 0.0, kind="estimated", standard_error=error, method=method, what="error beyond SynFlow's"))
    mean, error = mean_and_error(1 - np.mean([run[1] for run in found["synflow"] if len(run[1])], axis=0))
    least = 0.3 if is_full else 0.12
    rows.append(
        row(mean, ">", least, kind="estimated", standard_error=error, what="accuracy of SynFlow; guessing has about 0.11")
    )
    counts = {method: [run[0] for run in runs] for method, runs in found.items()}
    return Evidence(rows, draw=partial(draw, counts), seed=SEED)


def one(scale: str, method: str, share: float, seed: int) -> tuple[int, Array]:
    """The paths that a method leaves and, if it is trained, which test images are wrong."""
    import torch

    from plica.sparse import kept, prune

    data, model = digits(scale), lenet(scale, seed)
    assert data.y is not None
    rows = np.random.default_rng(seed).permutation(len(data.x))[:500]
    batch: Any = (torch.as_tensor(data.x[rows]), torch.as_tensor(data.y[rows]))
    masks = prune(model, method, share, data=batch, seed=seed)
    wrong = np.zeros(0)
    if scale == "full" or (method, seed) == ("synflow", SEED):
        with kept(model, masks):
            how = {"epochs": 2, "batch": 256} if scale == "full" else {"epochs": 15, "batch": 64}
            wrong, _ = trained(model, data, **how, rate=1e-2, seed=seed)
    return n_paths(masks), wrong


def draw(paths: dict[str, list[int]], ax: Axes) -> None:
    """Paths of each method, one dot for each seed; none at the bottom."""
    for k, (color, (_, counts)) in enumerate(zip(SERIES, paths.items(), strict=False)):
        ax.plot([k] * len(counts), [max(n, 0.5) for n in counts], "o", color=color)
    ax.set(yscale="log", ylabel="paths from inputs to outputs")
    ax.set_xticks(range(len(paths)), list(paths))
    ax.set_yticks([0.5, 1, 10, 100, 1000, 10_000], ["0", "1", "10", "100", "1,000", "10,000"])
