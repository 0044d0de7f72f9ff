r"""What a Vision Transformer knows of images before it has seen one: almost nothing.

Claim
    Only the MLP layers of a Vision Transformer are local and translation equivariant; self-attention is global from the first
    layer. Positions at initialization carry no information about the plane: patches may come in any order, and only the cut
    into patches knows that an image is flat.
Source
    A. Dosovitskiy et al., ICLR 2021, section 3.1, "Inductive bias" [dosovitskiy2021]; quoted in lecture 4 [oxford-lecture-4].
Prediction
    0 derivatives of the MLP between patches and all of them of attention; (2 k + 1)^2 pixels that reach a pixel through k
    convolutions of 3 x 3; 0 for the change of logits when patches and positions are exchanged together; correlation 0 of the
    similarity of positions with their distance, over seeds
Measurement
    derivatives of plica.models.attention.Block's two parts as plica.models.vision.VisionTransformer has them, and of a stack
    of convolutions; logits of the whole model; its table of positions as drawn
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from plica._palette import MAGNITUDES
from plica._types import Array
from plica.claims import Evidence, row
from plica.models import build
from plica.models.vision import VisionTransformer, ViTConfig

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("vision-transformer-digits", "dosovitskiy-2021-positions", "dosovitskiy-2021-small-data", "equivariance-table")
SEED, SIDE, PATCH = 31, 12, 3


def model(seed: int) -> VisionTransformer:
    config = ViTConfig(side=SIDE, patch=PATCH, n_channels=1, n_classes=5, d_model=16, n_layers=2, n_heads=2, d_ff=32)
    return build(VisionTransformer, config, seed=seed).double().eval()


def reach(function: Any, tokens: Tensor) -> Array:
    """Which tokens (columns) each token (rows) has a derivative by."""
    by = torch.autograd.functional.jacobian(lambda x: function(x[None])[0].sum(-1), tokens)
    return (by.abs().sum(-1) != 0).numpy()


def check(scale: str) -> Evidence:
    net = model(SEED)
    n = net.config.n_patches
    block: Any = net.blocks[0]
    tokens = torch.randn(n, 16, dtype=torch.float64, generator=torch.Generator().manual_seed(SEED))
    local, whole = reach(block.feed_forward, tokens), reach(block.attention, tokens)
    rows = [
        row(int((local & ~np.eye(n, dtype=bool)).sum()), "=", 0, what="pairs of patches that the MLP joins"),
        row(int(whole.sum()), "=", n * n, what="pairs of patches that attention joins"),
    ]
    near: dict[str, Any] = {"kind": "estimated", "standard_error": 1e-13, "unit": 1.0}
    with torch.no_grad():
        shifted = tokens.view(4, 4, 16).roll((1, 1), (0, 1)).reshape(n, 16)
        moved = block.feed_forward(tokens[None])[0].view(4, 4, 16).roll((1, 1), (0, 1)).reshape(n, 16)
        off = float((block.feed_forward(shifted[None])[0] - moved).abs().max())
    rows.append(row(off, "=", 0.0, **near, what="MLP: shift before, shift after"))
    fields = {k: field(k) for k in (1, 2, 3)}
    for k, seen in fields.items():
        rows.append(row(int(seen.sum()), "=", (2 * k + 1) ** 2, what="pixels that reach a pixel", convolutions=k))
    rows.append(row(*exchanged(net), **near, what="logits, patches and positions exchanged together"))
    found = np.array([correlation(model(SEED + s).position[0, 1:]) for s in range(60 if scale == "full" else 25)])
    error = float(found.std(ddof=1) / len(found) ** 0.5)
    rows.append(
        row(
            float(found.mean()),
            "=",
            0.0,
            kind="estimated",
            standard_error=error,
            unit=1.0,
            what="similarity of positions with distance",
        )
    )
    return Evidence(rows, draw=partial(draw, fields[2], whole), seed=SEED)


def field(k: int) -> Array:
    """The pixels on which the middle pixel depends after k convolutions of 3 x 3."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        stack = nn.Sequential(*(nn.Conv2d(1, 1, 3, padding=1) for _ in range(k))).double()
    x = torch.zeros(1, 1, SIDE, SIDE, dtype=torch.float64, requires_grad=True)
    (by,) = torch.autograd.grad(stack(x)[0, 0, SIDE // 2, SIDE // 2], x)
    return np.asarray((by[0, 0] != 0).numpy())


def exchanged(net: VisionTransformer) -> tuple[float, str, float]:
    """The change of logits when the patches of an image and their positions are put into another order."""
    generator = torch.Generator().manual_seed(SEED)
    image = torch.randn(1, 1, SIDE, SIDE, dtype=torch.float64, generator=generator)
    order = torch.randperm(net.config.n_patches, generator=generator)
    k = SIDE // PATCH
    patches = image.view(k, PATCH, k, PATCH).transpose(1, 2).reshape(-1, PATCH, PATCH)[order]
    other = patches.view(k, k, PATCH, PATCH).transpose(1, 2).reshape(1, 1, SIDE, SIDE)
    with torch.no_grad():
        before = net(image)
        kept = net.position.clone()
        net.position[0, 1:] = kept[0, 1:][order]
        after = net(other)
        net.position.copy_(kept)
    return float((after - before).abs().max()), "=", 0.0


def correlation(positions: Tensor) -> float:
    """Between the cosine of the rows of two patches and their distance in the image, over all pairs."""
    rows = nn.functional.normalize(positions.detach(), dim=1)
    k = round(len(rows) ** 0.5)
    places = torch.stack(torch.meshgrid(torch.arange(k), torch.arange(k), indexing="ij"), -1).view(-1, 2).double()
    upper = torch.triu_indices(k * k, k * k, 1)
    pairs = torch.stack([(rows @ rows.T)[upper[0], upper[1]], torch.cdist(places, places)[upper[0], upper[1]]])
    return float(torch.corrcoef(pairs.double())[0, 1])


def draw(seen: Array, whole: Array, ax: Axes) -> None:
    """What one place sees: two convolutions, the MLP of a patch, one layer of attention."""
    k = SIDE // PATCH
    patch = np.kron(np.eye(k)[:, [1]] @ np.eye(k)[[1]], np.ones((PATCH, PATCH)))
    everything = np.kron(whole[5].reshape(k, k), np.ones((PATCH, PATCH)))
    gap = np.full((SIDE, 2), np.nan)
    ax.imshow(np.hstack([seen, gap, patch, gap, everything]), cmap=MAGNITUDES, vmin=-0.3, vmax=1)
    middle = [SIDE / 2, 1.5 * SIDE + 2, 2.5 * SIDE + 4]
    ax.set_xticks(middle, ["two convolutions", "MLP of a patch", "one attention"], fontsize=8)
    ax.set_yticks([])
