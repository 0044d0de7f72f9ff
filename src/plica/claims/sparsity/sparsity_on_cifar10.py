r"""A small residual network on CIFAR-10 with a tenth of its weights: does it matter which tenth?

Claim
    A residual network of eight layers (8, 16 and 32 maps), trained on photographs for as long as a minute allows, errs less
    with the tenth of its weights that gradual pruning keeps than with a tenth at random places.
Source
    A question; methods are compared on CIFAR-10 by T. Hoefler et al., Sparsity in Deep Learning, JMLR 22 (2021) [hoefler2021].
Prediction
    errors in this order, by the standard errors of the 10,000 test images; the dense network above chance
Measurement
    plica.sparse.trial with its residual network: 3 epochs of 10,000 images, batches of 100, a rate of 0.1 along a cosine, no
    shifted or mirrored images, one repetition. This is 300 steps: far from where published comparisons stop, so the numbers
    are those of networks that have only begun to learn
Stand-in
    The same network on 400 of the 8 x 8 digits, as images with one channel, for 3 epochs: errors on digits kept aside.
Remark
    A run at full scale takes minutes and is not on record: what is expected of it is a guess so far.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica.claims import Evidence, control, row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "question"
EXPECTED = "answered"
KIND = "estimated"
SEE = ("sparsity-on-mnist", "resnet-20-cifar10")
SEED = 0
SHARE = 0.1
FULL = ("dense", "gradual", "trained-magnitude", "snip", "synflow", "layer-random", "random")
QUICK = ("gradual", "random")


def check(scale: str) -> Evidence:
    is_full = scale == "full"
    found = {method: error_of(method, scale) for method in (FULL if is_full else QUICK)}
    n = 10_000 if is_full else 359
    doubts = {method: float(np.sqrt(max(e * (1 - e), 1 / n) / n)) for method, e in found.items()}
    rows = [
        row(
            found["random"] - found["gradual"],
            ">",
            0.0,
            kind="estimated",
            standard_error=float(np.hypot(doubts["random"], doubts["gradual"])),
            density=SHARE,
            what="error of random masks minus that of gradual pruning",
        ),
    ]
    if is_full:
        what = "error of all weights; chance"
        rows.append(control(found["dense"], "<", 0.9, kind="estimated", standard_error=doubts["dense"], what=what))
    return Evidence(rows, draw=partial(draw, found, doubts), seed=SEED)


def error_of(method: str, scale: str) -> float:
    """On test images, after the training that is the same for all."""
    share = 1.0 if method == "dense" else SHARE
    if scale == "full":
        from plica.sparse import trial

        how: dict[str, Any] = {"data": "cifar10", "network": "resnet-8", "n_train": 10_000, "epochs": 3}
        return 1 - float(trial(method, share, **how, repetition=SEED)["accuracy"])
    from dataclasses import replace

    from plica.claims.sparsity._lenet import digits
    from plica.sparse import NETWORKS, Protocol, sparse_fit

    data = digits(scale)
    assert data.x_test is not None
    images = replace(data, x=data.x[:, None], x_test=data.x_test[:, None])
    found = sparse_fit(
        NETWORKS["resnet-8"](images, (), SEED),
        images,
        method=method,
        density=share,
        protocol=Protocol(epochs=5, batch=64),
        seed=SEED,
    )
    assert found.accuracy is not None
    return 1 - found.accuracy


def draw(found: dict[str, float], doubts: dict[str, float], ax: Axes) -> None:
    """Errors of the methods, with standard errors of test images."""
    for k, (method, error) in enumerate(found.items()):
        ax.errorbar([k], [error], yerr=[doubts[method]], marker="o", color=SERIES[k % len(SERIES)], capsize=3)
    ax.set_xticks(range(len(found)), list(found), rotation=30, ha="right")
    ax.set(ylabel="error on test images", ylim=(0, None))
