r"""Cohen and Welling: convolutions on the group p4 commute with quarter turns.

Claim
    Turning an image by 90 degrees turns every plane of a p4 convolution's output and moves it to the next orientation: nothing
    else changes, whatever the filters are. An ordinary convolution does not commute with turns.
Source
    T. S. Cohen, M. Welling, Group Equivariant Convolutional Networks, ICML 2016, sections 4 and 6 [cohen2016].
Prediction
    0 entries that differ; for an ordinary convolution more than 0
Measurement
    entries of the outputs of plica.models.equivariant.LiftingConvolution and plica.models.equivariant.GroupConvolution that
    differ, compared bit for bit; filters and images are random integers, whose sums floating point makes without rounding
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import MAGNITUDES
from plica.claims import Evidence, row

if TYPE_CHECKING:
    from matplotlib.axes import Axes


STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEED = 2016


def check(scale: str) -> Evidence:
    import torch
    from torch import nn

    from plica.models.equivariant import GroupConvolution, LiftingConvolution, turn_group_function, turn_image

    generator = torch.Generator().manual_seed(SEED)

    def whole(layer: nn.Module) -> nn.Module:
        with torch.no_grad():
            for parameter in layer.double().parameters():
                parameter.copy_(torch.randint(-9, 10, parameter.shape, generator=generator))
        return layer

    rows = []
    for size, side in ((1, 4), (3, 9), (5, 12)) + (((7, 64),) if scale == "full" else ()):
        lift, group = whole(LiftingConvolution(2, 3, size)), whole(GroupConvolution(3, 2, size))
        plain = whole(nn.Conv2d(2, 3, max(size, 3)))
        image = torch.randint(-9, 10, (1, 2, side, side), generator=generator).double()
        with torch.no_grad():
            lifted = lift(image)
            grouped = group(lifted) if side > 2 * size else None
            for turns in (1, 2, 3):
                case: dict[str, Any] = {"filter": size, "image": side, "turns": turns}
                differ = lift(turn_image(image, turns)) != turn_group_function(lifted, turns)
                rows.append(row(int(differ.sum()), "=", 0, layer="lifting", **case))
                if grouped is not None:
                    differ = group(turn_group_function(lifted, turns)) != turn_group_function(grouped, turns)
                    rows.append(row(int(differ.sum()), "=", 0, layer="group", **case))
                differ = plain(turn_image(image, turns)) != turn_image(plain(image), turns)
                rows.append(row(int(differ.sum()), ">", 0, layer="ordinary", **case))
    with torch.no_grad():
        image = torch.zeros(1, 2, 12, 12).double()
        image[:, :, 2:10, 3:5] = image[:, :, 8:10, 3:9] = 1.0
        layer = whole(LiftingConvolution(2, 1, 3))
        shown = [layer(turn_image(image, turns))[0, 0].numpy() for turns in (0, 1)]
    return Evidence(rows, draw=partial(draw, shown), seed=SEED)


def draw(shown: list[np.ndarray], ax: Axes) -> None:
    """Four maps of an L, and below of the turned L: the same ones, turned and moved by one place."""
    lines = [np.hstack([np.pad(one, 1, constant_values=np.nan) for one in maps]) for maps in shown]
    ax.imshow(np.vstack(lines), cmap=MAGNITUDES)
    ax.set_axis_off()
    ax.set_title("above: an L; below: the L turned by 90°")
