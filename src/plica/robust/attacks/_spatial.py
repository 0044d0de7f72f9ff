"""Small rotations and shifts of images (L. Engstrom et al., ICML 2019), and whole ranges of shifts that are certified.

A bilinear shift by s pixels between two neighboring integers is linear in s: the shifted images lie on a polygonal path. On each
segment the network is a function of one variable, and the verifier decides exactly whether the class changes there.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from plica._types import Array
from plica.errors import InvalidInput
from plica.network import Builder, Linear, Network, Reshape
from plica.robust._property import Property, Query, Row
from plica.robust._verify import verify
from plica.robust.attacks._scores import Model, check, margins


def translated(images: Tensor, rows: float, columns: float) -> Tensor:
    """Images (..., height, width) moved down and to the right, bilinear between pixels, zeros outside.

    Examples
    --------
    >>> translated(torch.tensor([[[0.0, 1.0, 0.0]]]), 0.0, 0.25).tolist()
    [[[0.0, 0.75, 0.25]]]
    """
    for axis, shift in ((-2, rows), (-1, columns)):
        whole = int(np.floor(shift))
        part = shift - whole
        images = _rolled(images, whole, axis) * (1 - part) + (_rolled(images, whole + 1, axis) * part if part else 0.0)
    return images


def _rolled(x: Tensor, shift: int, axis: int) -> Tensor:
    n = x.shape[axis]
    out = torch.zeros_like(x)
    if abs(shift) < n:
        out.narrow(axis, max(shift, 0), n - abs(shift)).copy_(x.narrow(axis, max(-shift, 0), n - abs(shift)))
    return out


def rotated(images: Tensor, degrees: float) -> Tensor:
    """Images (batch, channels, height, width) turned counterclockwise around their center, bilinear, zeros outside."""
    angle = np.deg2rad(degrees)
    height, width = images.shape[-2:]
    cosine, sine = float(np.cos(angle)), float(np.sin(angle))
    turn = torch.tensor([[cosine, -sine * height / width, 0.0], [sine * width / height, cosine, 0.0]], dtype=images.dtype)
    grid = torch.nn.functional.affine_grid(turn.expand(len(images), 2, 3), list(images.shape), align_corners=False)
    return torch.nn.functional.grid_sample(images, grid, align_corners=False)


def spatial(
    model: Model,
    images: Tensor,
    labels: Tensor,
    *,
    degrees: float = 30.0,
    pixels: float = 3.0,
    n_angles: int = 31,
    n_shifts: int = 5,
) -> Tensor:
    """The worst of a grid of rotations and shifts for each image (batch, channels, height, width): that with the least margin."""
    check(images, labels)
    best, least = images.clone(), margins(model(images), labels).detach()
    for angle in np.linspace(-degrees, degrees, n_angles):
        turned = rotated(images, float(angle))
        for rows in np.linspace(-pixels, pixels, n_shifts):
            for columns in np.linspace(-pixels, pixels, n_shifts):
                moved = translated(turned, float(rows), float(columns))
                margin = margins(model(moved), labels).detach()
                better = margin < least
                best[better], least[better] = moved[better], margin[better]
    return best


@dataclass(frozen=True)
class ShiftRange:
    """Shifts from ``start`` to ``stop`` pixels, and the verdict: ``"unsat"`` when no shift between changes the class.

    With ``"sat"``, ``changed_at`` is a shift where another class wins or is tied.
    """

    start: int
    stop: int
    verdict: str
    changed_at: Fraction | None


def certified_shifts(
    network: Network,
    image: Any,
    label: int,
    *,
    axis: Literal["rows", "columns"] = "columns",
    pixels: int = 3,
    timeout_s: float = 60.0,
) -> tuple[ShiftRange, ...]:
    """For every unit range of bilinear shifts between -pixels and pixels whether the class stays: decided exactly.

    ``image`` has the axes (..., height, width) and as many entries as the network has inputs.
    """
    picture = torch.as_tensor(np.asarray(image, dtype=np.float64))
    if picture.ndim < 2 or picture.numel() != network.n_inputs:
        raise InvalidInput(f"an image of shape {tuple(picture.shape)} does not fit a network with {network.n_inputs} inputs.")
    if not 0 <= label < network.n_outputs:
        raise InvalidInput(f"label {label}: the network has classes 0 to {network.n_outputs - 1}.")
    shifts = range(-pixels, pixels + 1)
    ends = [_rolled(picture, s, -2 if axis == "rows" else -1).numpy().reshape(-1) for s in shifts]
    one = Fraction(1)
    rows = tuple((Row((), ((label, one), (k, -one)), Fraction(0)),) for k in range(network.n_outputs) if k != label)
    asked = Property(1, network.n_outputs, (Query((Fraction(0),), (one,), rows),))
    out = []
    for (a, x), (b, y) in pairwise(zip(shifts, ends, strict=True)):
        verdict = verify(on_segment(network, x, y), asked, timeout_s=timeout_s)
        out.append(ShiftRange(a, b, verdict.status, a + verdict.point[0] if verdict.point else None))
    return tuple(out)


def on_segment(network: Network, start: Array, stop: Array) -> Network:
    """The network on the segment between two inputs, as a network of one variable between 0 and 1."""
    difference = stop - start
    if any(
        Fraction(float(d)) != Fraction(float(b)) - Fraction(float(a)) for a, b, d in zip(start, stop, difference, strict=True)
    ):
        raise InvalidInput("differences of pixels are rounded.", hint="use pixels that float32 holds")
    builder = Builder(1, name=network.name)
    builder.add(Linear(difference[:, None], start))
    place = {0: builder.add(Reshape(network.input_shape))}
    for i, node in enumerate(network.nodes[1:], start=1):
        place[i] = builder.add(node.op, *(place[j] for j in node.inputs), name=node.name)
    return builder.build()
