r"""A convolution is a Toeplitz matrix, and the only linear map that commutes with shifts.

Claim
    A convolution of one channel is a matrix with equal entries along diagonals (in two dimensions, along diagonals of blocks
    that are such themselves). On a circle it commutes with every shift, and every linear map that does is a convolution.
    Sharing weights leaves k^2 of them where a dense layer of the same sizes has one for every pair of pixels.
Source
    Y. LeCun et al., Proc. IEEE 86 (1998), section II.A [lecun1998b]; lecture 15 and the student talk, slides on convolution
    [oxford-lecture-15], [icerm-2020]; on maps that commute with shifts M. Bronstein et al., section 3.1 [bronstein2021].
Prediction
    T(i, j) = w(j - i + p), 0 elsewhere; the dimension n of the maps that commute with the shifts of n places, n^2 on a
    square; LeNet-5's first layer: 156 parameters instead of 784 (28^2 6) + 28^2 6
Measurement
    matrices read off plica.network.Conv with its exact weights, one and two dimensions, with padding and strides; the rank of
    the equations S A = A S in integers; entries of A S - S A for circular torch convolutions with integers for weights
Remark
    With zeros at the border and with strides the map commutes only with shifts that keep clear of the border and are
    multiples of the stride: the last controls count what breaks.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

from plica._palette import MAGNITUDES
from plica._types import Array
from plica.claims import Evidence, control, row
from plica.models import count_parameters
from plica.network import Conv, Network

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("lenet5-sizes", "equivariance-table")
SEED = 93


def toeplitz(kernel: Array, n: int, *, padding: int, stride: int) -> Array:
    """The matrix of a convolution in one dimension, entry by entry from its definition."""
    k = len(kernel)
    rows = (n + 2 * padding - k) // stride + 1
    return np.array(
        [[kernel[j - i * stride + padding] if 0 <= j - i * stride + padding < k else 0 for j in range(n)] for i in range(rows)]
    )


def read_off(kernel: Array, n: int, *, padding: int, stride: int) -> Array:
    """The matrix of our convolution: the images of all unit images are its columns."""
    axes = kernel.ndim
    conv = Conv(kernel[None, None].astype(np.float64), None, (stride,) * axes, ((padding, padding),) * axes, (1,) * axes)
    network = Network.sequential((1, *(n,) * axes), [conv])
    units = np.eye(n**axes).reshape(-1, 1, *(n,) * axes)
    found: Array = network(units).reshape(len(units), -1).T
    return found


def commuting(shifts: list[Array]) -> int:
    """The dimension of the matrices that commute with all of some permutation matrices: their orbits on pairs."""
    n = len(shifts[0])
    moves = [S.argmax(1) for S in shifts]
    seen: set[tuple[int, int]] = set()
    orbits = 0
    for pair in ((i, j) for i in range(n) for j in range(n)):
        if pair in seen:
            continue
        orbits += 1
        waiting = [pair]
        while waiting:
            i, j = waiting.pop()
            if (i, j) not in seen:
                seen.add((i, j))
                waiting += [(int(move[i]), int(move[j])) for move in moves]
    return orbits


def by_rank(shifts: list[Array]) -> int:
    """The same dimension, by the rank of the equations S A - A S = 0."""
    n = len(shifts[0])
    one = np.eye(n, dtype=np.int64)
    equations = np.vstack([np.kron(S, one) - np.kron(one, S.T) for S in shifts])
    return n * n - int(np.linalg.matrix_rank(equations))


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    rows = []
    for n, k, padding, stride in ((5, 3, 0, 1), (7, 3, 1, 1), (9, 4, 2, 2)) + (((60, 7, 3, 1),) if scale == "full" else ()):
        kernel = rng.integers(1, 9, k)
        off = read_off(kernel, n, padding=padding, stride=stride) != toeplitz(kernel, n, padding=padding, stride=stride)
        rows.append(row(int(off.sum()), "=", 0, what="entries off Toeplitz", n=n, kernel=k, padding=padding, stride=stride))
    shown = None
    for n, k, padding in ((4, 2, 0), (5, 3, 1)):
        kernel = rng.integers(1, 9, (k, k))
        lines = [toeplitz(line, n, padding=padding, stride=1) for line in kernel]
        m = len(lines[0])
        blocks = np.block(
            [[lines[b - a + padding] if 0 <= b - a + padding < k else np.zeros((m, n)) for b in range(n)] for a in range(m)]
        )
        found = read_off(kernel, n, padding=padding, stride=1)
        rows.append(row(int((found != blocks).sum()), "=", 0, what="entries off blocks of Toeplitz", n=n, kernel=f"{k} x {k}"))
        shown = found
    for n in (3, 6):
        shift = np.roll(np.eye(n, dtype=np.int64), 1, 0)
        rows.append(row(by_rank([shift]), "=", n, what="dimension of maps that commute with shifts", n=n))
        one = np.eye(n, dtype=np.int64)
        square = [np.kron(shift, one), np.kron(one, shift)]
        rows.append(row(commuting(square), "=", n * n, what="the same on a square", n=n))
    rows += commutators(rng)
    dense, shared = Fraction(784 * 28 * 28 * 6 + 28 * 28 * 6), count_parameters(nn.Conv2d(1, 6, 5, padding=2))
    rows.append(row(shared, "=", 6 * (25 + 1), what="parameters of LeNet-5's first layer"))
    with torch.device("meta"):
        rows.append(row(count_parameters(nn.Linear(784, 28 * 28 * 6)), "=", int(dense), what="of a dense one of its sizes"))
    assert shown is not None
    return Evidence(rows, draw=partial(draw, shown), seed=SEED)


def commutators(rng: np.random.Generator) -> list:  # type: ignore[type-arg]
    """Where convolution after a shift differs from the shift of a convolution."""
    rows = []
    image = torch.tensor(rng.integers(-9, 10, (1, 1, 8, 8))).double()
    weight = torch.tensor(rng.integers(1, 10, (1, 1, 3, 3))).double()
    for border, stride, moved in (("circular", 1, 1), ("circular", 2, 2), ("zeros", 1, 1), ("circular", 2, 1)):
        layer = nn.Conv2d(1, 1, 3, padding=1, padding_mode=border, stride=stride, bias=False).double()  # type: ignore[arg-type]
        with torch.no_grad():
            layer.weight.copy_(weight)
            after = layer(image.roll((moved, moved), (2, 3)))
            before = layer(image).roll((moved // stride, moved // stride), (2, 3))
        about: dict[str, Any] = {"border": border, "stride": stride, "shift": moved}
        differ = int((after != before).sum())
        exact = border == "circular" and moved % stride == 0
        make = row if exact else control
        rows.append(make(differ, "=" if exact else ">", 0, what="pixels that do not commute", **about))
    return rows


def draw(matrix: Array, ax: Axes) -> None:
    """The matrix of a 3 x 3 convolution of a 5 x 5 image: nine numbers, repeated along diagonals of blocks."""
    shown = np.where(matrix == 0, np.nan, matrix)
    ax.imshow(shown, cmap=MAGNITUDES)
    ax.set(xlabel="pixel read", ylabel="pixel written", xticks=range(0, 25, 5), yticks=range(0, 25, 5))
