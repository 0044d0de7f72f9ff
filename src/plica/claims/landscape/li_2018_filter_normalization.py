r"""Li et al.: a picture of the loss that does not depend on the scale of layers, and what biases have to do.

Claim
    Along random directions whose filters have the norms of the model's filters, the loss of a ReLU network does not change when
    layers are scaled by c and 1/c, which leaves the function as it is; along directions without normalization it does. For
    this a bias has to be a filter of its own: with one norm for weights and bias of a unit, the picture changes.
Source
    H. Li, Z. Xu, G. Taylor, C. Studer, T. Goldstein, Visualizing the Loss Landscape of Neural Nets, NeurIPS 2018, section 4
    [li2018]; what it means for biases is worked out here.
Prediction
    a difference of 0 with normalization by filters, and with whole layers; more than 0 with none, and with joint norms; every
    filter of the direction as long as the model's, or every layer
Measurement
    exact losses (plica.landscape.loss_line) along directions of plica.landscape.random_direction, before and after a layer is
    scaled by a power of two, which rounds nothing; the largest difference over the line, relative to the range
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica._types import Array
from plica.claims import Evidence, control, row
from plica.landscape import Direction, loss_line, moved, random_direction
from plica.learn import mlp

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "certified"
SEE = ("he-2020-polynomial-lines",)
SEED = 18
SCALE = 8.0


def rescaled(widths: list[int]) -> tuple[Any, Any]:
    """A model, and the same function with its first layer times 8 and its second one divided by it."""
    import torch

    pair: list[Any] = [mlp(widths, seed=SEED, bias_std=0.5).double() for _ in range(2)]
    with torch.no_grad():
        pair[1][0].weight *= SCALE
        pair[1][0].bias *= SCALE
        pair[1][2].weight /= SCALE
    return pair[0], pair[1]


def jointly(model: Any, seed: int) -> Direction:
    """A random direction with one norm for weights and bias of each unit."""
    d = random_direction(model, seed=seed, normalize="none")
    parts = {}
    for name, p in model.named_parameters():
        if not name.endswith("weight"):
            continue
        w, b = p.detach().numpy(), dict(model.named_parameters())[name[:-6] + "bias"].detach().numpy()
        v, c = d.parts[name], d.parts[name[:-6] + "bias"]
        factor = np.sqrt(((w**2).sum(axis=1) + b**2) / ((v**2).sum(axis=1) + c**2))
        parts[name], parts[name[:-6] + "bias"] = factor[:, None] * v, factor * c
    return Direction({k: parts[k] for k, _ in model.named_parameters()}, "joint norms")


def norms_off(model: Any, direction: Direction, how: str) -> float:
    """By how much the norms of the direction's filters, or layers, differ from the model's, relative to these."""
    worst = 0.0
    for name, p in model.named_parameters():
        mine, given = direction.parts[name], p.detach().numpy()
        axes = tuple(range(1, mine.ndim)) if how == "filter" else None
        size = np.sqrt((given**2).sum(axis=axes))
        worst = max(worst, float(np.abs(np.sqrt((mine**2).sum(axis=axes)) / size - 1).max()))
    return worst


def profile(model: Any, direction: Direction, x: Array, y: Array, t: Array) -> Array:
    line = loss_line(moved(model, (-1.0, direction)), moved(model, (1.0, direction)), x, y)
    return line(t)


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    x = rng.normal(size=(200 if scale == "full" else 15, 4))
    y = np.sin(x.sum(axis=1, keepdims=True))
    t = np.linspace(0, 1, 21)
    rows, shown = [], {}
    for widths in ([4, 12, 1], [4, 10, 8, 1]):
        pair = rescaled(widths)
        for how in ("filter", "layer", "none", "joint"):
            worst = 0.0
            for seed in range(5 if scale == "full" else 2):
                ways = [jointly(m, seed) if how == "joint" else random_direction(m, seed=seed, normalize=how) for m in pair]  # type: ignore[arg-type]
                values = [profile(m, d, x, y, t) for m, d in zip(pair, ways, strict=True)]
                worst = max(worst, float(np.abs(values[0] - values[1]).max() / np.ptp(values[0])))
                shown[how] = values
            about: dict[str, Any] = {"widths": "-".join(map(str, widths)), "norms": how}
            if how in ("filter", "layer"):
                off = norms_off(pair[0], ways[0], how)
                rows.append(row(off, "<=", 1e-12, kind="certified", what="norms of the direction, off by", **about))
                rows.append(row(worst, "<=", 1e-9, kind="certified", what="change of the picture", **about))
            else:
                rows.append(row(worst, ">", 0.1, kind="certified", what="change of the picture", **about))
        same = np.abs(pair[0](to_tensor(x)).detach().numpy() - pair[1](to_tensor(x)).detach().numpy()).max()
        rows.append(
            control(
                float(same),
                "<=",
                1e-9,
                kind="certified",
                what="change of the function",
                widths=about["widths"],
            )
        )
    return Evidence(rows, draw=partial(draw, shown, t), seed=SEED)


def to_tensor(x: Array) -> Any:
    import torch

    return torch.as_tensor(x)


def draw(shown: dict[str, list[Array]], t: Array, ax: Axes) -> None:
    """The loss along one direction, before and after a layer is scaled."""
    for color, (how, values) in zip(SERIES, shown.items(), strict=False):
        ax.plot(2 * t - 1, values[0], color=color, label=how)
        ax.plot(2 * t - 1, values[1], "--", color=color)
    ax.set(
        xlabel="along the direction", ylabel="squared loss", yscale="log", title="dashed: a layer scaled by 8, the next by 1/8"
    )
    ax.legend(frameon=False, fontsize=7)
    ax.spines[["top", "right"]].set_visible(False)
