r"""Pruning and the exact radius: what becomes of the distance to another class?

Claim
    Both: setting the smaller half of the weights to zero lowers the product of norms by which Guo et al. bound what a change of
    the input can do. The distance to the nearest other class, in the maximum norm, shrinks for some digits all the same and grows
    for others. The radius that the product proves stays far below it, by a factor of 5 at least, before and after.
Source
    Asked here, after Y. Guo, C. Zhang, C. Zhang, Y. Chen, Sparse DNNs with Improved Adversarial Robustness, NeurIPS 2018
    [guo2018], who argue by the bound.
Prediction
    a smaller product; a least quotient of distances after and before below 1, a largest above 1; margin / (2 product) at most a
    fifth of the distance
Measurement
    plica.robust.class_distance of handwritten digits that a trained network of 64-8-8-10 (full: 64-16-16-10) reads right before
    and after plica.sparse keeps the larger half of all its weights; both bounds of each distance are proved
Remark
    The factor of 5 was set before the first run, in which it was 12 to 16. Nothing is trained after pruning.
"""

from __future__ import annotations

import copy
from functools import partial
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from plica import from_torch
from plica._palette import MEASUREMENT, PREDICTION
from plica.claims import Evidence, Row, control, row
from plica.claims.robustness._digits import trained
from plica.robust import ClassDistance, class_distance
from plica.sparse import apply_masks, keep_largest, magnitude_scores

if TYPE_CHECKING:
    import torch
    from matplotlib.axes import Axes

STATEMENT = "question"
EXPECTED = "answered"
KIND = "certified"
SEE = ("pruning-max-norm", "certificates-and-attacks")
SEED = 2018
FACTOR = 5.0


def norm_product(model: torch.nn.Module) -> float:
    """The product of the largest sums of absolute values in a row."""
    weights = [p.detach().numpy() for name, p in model.named_parameters() if name.endswith("weight")]
    return prod(float(np.abs(w).sum(axis=1).max()) for w in weights)


def margin(model: torch.nn.Module, point: np.ndarray, label: int) -> float:
    """By how much the score of the label is above the others."""
    import torch

    with torch.no_grad():
        scores = model(torch.as_tensor(point)[None])[0].numpy()
    return float(scores[label] - np.delete(scores, label).max())


def check(scale: str) -> Evidence:
    full = scale == "full"
    dense, points, labels = trained(16 if full else 8, SEED)
    pruned = copy.deepcopy(dense)
    apply_masks(pruned, keep_largest(magnitude_scores(pruned), 0.5))
    both = {"before": dense, "after": pruned}
    products = {when: norm_product(model) for when, model in both.items()}
    rows: list[Row] = [row(products["after"], "<=", products["before"], kind="certified", what="product of norms")]
    chosen = [k for k in range(len(points)) if margin(pruned, points[k], labels[k]) > 0][: 40 if full else 2]
    found: list[tuple[ClassDistance, ClassDistance]] = []
    for k in chosen:
        pair = []
        for when, model in both.items():
            far = class_distance(from_torch(model), points[k], norm="linf", tolerance=1e-3, timeout_s=120)
            proved = margin(model, points[k], labels[k]) / (2 * products[when])
            rows.append(row(FACTOR * proved, "<=", far.lower, kind="certified", input=k, when=when, what="proved by the product"))
            rows.append(control(far.lower, "<=", far.upper, kind="certified", input=k, when=when, what="proved and attained"))
            pair.append(far)
        found.append((pair[0], pair[1]))
    least = min(b.upper / a.lower for a, b in found)
    most = max(b.lower / a.upper for a, b in found)
    rows.append(row(least, "<", 1.0, kind="certified", n=len(found), what="least quotient, after to before"))
    rows.append(row(most, ">", 1.0, kind="certified", n=len(found), what="largest quotient, after to before"))
    return Evidence(rows, draw=partial(draw, found), seed=SEED)


def draw(found: list[tuple[ClassDistance, ClassDistance]], ax: Axes) -> None:
    """Each digit's distance after pruning over that before; below the diagonal it has shrunk."""
    x, y = ([d.upper for d in part] for part in zip(*found, strict=True))
    top = 1.1 * max(*x, *y)
    ax.plot([0, top], [0, top], color=PREDICTION, linewidth=1)
    ax.plot(x, y, "o", color=MEASUREMENT, markersize=5)
    ax.set(xlabel="distance before pruning", ylabel="after", xlim=(0, top), ylim=(0, top), aspect="equal")
    ax.spines[["top", "right"]].set_visible(False)
