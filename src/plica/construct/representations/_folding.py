r"""Networks with many regions: layers that fold the unit cube onto itself, and an arrangement at the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from plica._types import Array
from plica.construct._construction import Construction
from plica.errors import InvalidInput
from plica.network import Builder, Linear, Max, Rectifier
from plica.theory.regions import (
    montufar_2014_lower_bound,
    montufar_2014_maxout_lower_bound,
    pascanu_2014_lower_bound,
    serra_2018_lower_bound,
)

Fold = tuple[Array, Array, Array, float]  # weights, biases, output weights, output bias of one coordinate


#: How a layer folds: the paper, and the number of regions that it proves.
_FOLDS = {
    "accordion": ("montufar2014", montufar_2014_lower_bound),
    "zigzag": ("serra2018", serra_2018_lower_bound),
    "strips": ("pascanu2014", pascanu_2014_lower_bound),
}


def accordion(p: int) -> Fold:
    r"""p ReLUs that fold [0, 1] p times onto itself, as in [montufar2014]_: slopes p, -p, p, ...

    Unit 1 is ReLU(p t), unit k is ReLU(2 p t - 2(k - 1)); they are added with alternating signs.
    """
    k = np.arange(p)
    weight = np.where(k == 0, p, 2 * p).astype(float)
    return weight, -2.0 * k, (-1.0) ** k, 0.0


def zigzag(p: int) -> Fold:
    r"""p >= 3 ReLUs that fold a part of [0, 1] p + 1 times onto [0, 1], as in [serra2018]_: slopes 2, -1, 1, -1, ... times 2^m.

    The breakpoints are i / 2^m; the third unit faces left, which is where the slope on the left comes from.
    """
    if p < 3:
        raise InvalidInput(f"a zigzag needs at least 3 units, got {p}.")
    scale = 2.0 ** int(np.ceil(np.log2(p + 1)))
    i = np.arange(1, p + 1)
    facing = np.where(i == 3, -1.0, 1.0)
    out = 2.0 * (-1.0) ** i
    out[0] = -3.0
    return facing * scale, -facing * i, out, 5.0


def general_position(n: int, d: int) -> tuple[Array, Array]:
    r"""Normals and offsets of n hyperplanes in general position whose vertices all lie in the open unit cube of R^d.

    Hyperplane i is where the polynomial :math:`s^d - x_1 s^{d-1} + x_2 s^{d-2} - \ldots` vanishes at :math:`s_i = i/2^m`: d of
    them meet where the x are the elementary symmetric functions of their s, no d + 1 meet, and the weights are dyadic.
    The signs alternate so that no point is on the negative side of all of them (for n > d).

    Examples
    --------
    >>> general_position(3, 2)
    (array([[-0.0625,  1.    ],
           [ 0.125 , -1.    ],
           [-0.1875,  1.    ]]), array([ 0.00390625, -0.015625  ,  0.03515625]))
    """
    if n < 1 or d < 1:
        raise InvalidInput(f"n and d must be positive, got {n} and {d}.")
    s = np.arange(1, n + 1) / 2.0 ** int(np.ceil(np.log2(d * (n + 1))) + 1)
    sign = (-1.0) ** np.arange(n - 1, -1, -1)
    powers = np.stack([(-1.0) ** k * s ** (d - k) for k in range(1, d + 1)], axis=1)
    return sign[:, None] * powers, sign * s**d


def folding(widths: Sequence[int], *, fold: str = "accordion") -> Construction:
    r"""The network of Montúfar's lower bound (``accordion``) [montufar2014]_, of Serra's (``zigzag``) [serra2018]_ or of
    Pascanu's (``strips``) [pascanu2014]_.

    All weights are integers and dyadic numbers.

    Every hidden layer but the last folds each coordinate of the unit cube, with strips only the first one; the last one is
    :func:`general_position` and the output adds its units with weights 1, 4, 16, ... so that no two neighboring cells share
    their affine map. Units left over by the division stay inactive.

    Examples
    --------
    >>> f = folding([2, 4, 6, 1])
    >>> f.network.widths, f.theorem["regions"]
    ((2, 4, 6, 1), 88)
    """
    d, *hidden, n_out = widths
    if fold not in _FOLDS:
        raise InvalidInput(f"unknown fold {fold!r}.", hint=" or ".join(_FOLDS))
    if n_out != 1 or not hidden or any(n < d for n in hidden):
        raise InvalidInput(f"widths {tuple(widths)} need hidden layers at least as wide as the input, and one output.")
    builder = Builder(d, name=fold)
    back, shift = np.eye(d), np.zeros(d)  # from the layer below to the folded coordinates
    for n in hidden[:-1]:
        spread, offsets = np.zeros((n, d)), np.full(n, -1.0)
        merge, constants = np.zeros((d, n)), np.zeros(d)
        first = 0
        for k in range(d):
            p = 1 if fold == "strips" and k else n // d
            units = slice(first, first + p)
            spread[units, k], offsets[units], merge[k, units], constants[k] = zigzag(p) if fold == "zigzag" else accordion(p)
            first += p
        builder.add(Linear(spread @ back, spread @ shift + offsets))
        builder.add(Rectifier())
        back, shift = merge, constants
    normals, offsets = general_position(hidden[-1], d)
    builder.add(Linear(normals @ back, normals @ shift + offsets))
    builder.add(Rectifier())
    builder.add(Linear(4.0 ** np.arange(hidden[-1])[None, :]))
    source, bound = _FOLDS[fold]
    return Construction(
        name="folding",
        network=builder.build(),
        parameters={"widths": tuple(widths), "fold": fold},
        theorem={"regions": bound(widths), "units": sum(hidden), "depth": len(hidden)},
        sources=(source,),
    )


def zonotope(generators: Any, widths: Sequence[int]) -> Construction:
    r"""Arora's family: the support function :math:`\sum_i |v_i \cdot x|` of a zonotope, then folds of the given widths
    [arora2018]_.

    The first layer holds ReLU(v_i . x) and ReLU(-v_i . x); each further layer of width w folds [0, 1] w times. Integer
    generators and widths give integer weights.

    Examples
    --------
    >>> zonotope([[1, 0], [0, 1], [1, 1]], [3]).network.widths
    (2, 6, 3, 1)
    """
    v = np.asarray(generators, dtype=np.float64)
    if v.ndim != 2 or not len(v):
        raise InvalidInput(f"generators must be the rows of a matrix, got shape {v.shape}.")
    builder = Builder(v.shape[1], name="zonotope")
    builder.add(Linear(np.vstack([v, -v])))
    builder.add(Rectifier())
    back = np.ones((1, 2 * len(v)))
    for w in widths:
        weight, bias, out, _ = accordion(w)
        builder.add(Linear(weight[:, None] * back, bias))
        builder.add(Rectifier())
        back = out[None, :]
    builder.add(Linear(back))
    return Construction(
        name="zonotope",
        network=builder.build(),
        parameters={"generators": v, "widths": tuple(widths)},
        theorem={"units": 2 * len(v) + sum(widths), "depth": 1 + len(widths)},
        sources=("arora2018",),
    )


def maxout_rosette(rank: int, depth: int) -> Construction:
    r"""Maxout layers of width 2 and the given rank over the plane, each of which identifies sectors of a rosette
    [montufar2014]_.

    A unit is the support function of a regular polygon; the second is the first turned, so both are invariant under the
    rotation by 2 pi / rank, and they map every sector onto the same cone. The next layer is centered on the cone's axis, at
    a distance where a disk of known radius fits into the image. The last layer cuts each of two oblique coordinates into
    ``rank`` pieces inside its disk, and the output adds both.

    Examples
    --------
    >>> maxout_rosette(3, 2).network.widths
    (2, 2, 2, 1)
    """
    if rank < 2 or depth < 1:
        raise InvalidInput(f"rank {rank} and depth {depth} make no rosette.", hint="rank >= 2 and depth >= 1")
    builder = Builder(2, name="rosette")
    groups = np.arange(2 * rank).reshape(2, rank)
    turn = 0.4 * np.pi / rank
    angles = 2 * np.pi * np.arange(rank) / rank
    corners = np.concatenate([angles, angles + turn])
    polygons = np.stack([np.cos(corners), np.sin(corners)], axis=1)

    def image(angle: float) -> Array:
        """Both support functions in a direction."""
        return (polygons @ [np.cos(angle), np.sin(angle)])[groups].max(1)

    axis = image(turn / 2)  # both functions agree there
    opening = min(abs(np.arctan2(*image(edge)) - np.pi / 4) for edge in (-np.pi / rank, turn - np.pi / rank))
    center, radius = np.zeros(2), 1.0  # the disk in which a layer sees all its sectors
    for _ in range(depth - 1):
        builder.add(Linear(polygons, -polygons @ center))
        builder.add(Max(groups))
        center = radius / 4 * axis
        radius = 0.9 * float(np.linalg.norm(center)) * np.sin(opening)
    slopes = np.arange(rank) - (rank - 1) / 2
    steps = np.array([[1.0, 0.25], [-0.25, 1.0]]) * rank / radius
    weight = np.vstack([slopes[:, None] * steps[k] for k in range(2)])
    convex = -0.5 * slopes**2  # max_j (j t - j^2 / 2) bends halfway between neighboring slopes
    builder.add(Linear(weight, np.tile(convex, 2) - weight @ center))
    builder.add(Max(groups))
    builder.add(Linear(np.array([[1.0, 0.75]])))
    return Construction(
        name="maxout_rosette",
        network=builder.build(),
        parameters={"rank": rank, "depth": depth},
        theorem={"regions": montufar_2014_maxout_lower_bound(2, depth, rank), "units": 2 * depth, "depth": depth},
        sources=("montufar2014",),
    )
