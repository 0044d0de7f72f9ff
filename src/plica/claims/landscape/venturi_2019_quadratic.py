r"""Venturi, Bandeira and Bruna: with 2 n + 1 quadratic units there is a way down from everywhere.

Claim
    For networks f(x) = sum_j a_j (w_j . x)^2 with n inputs, p >= 2 n + 1 hidden units and the square loss on any data, a path
    leads from every point to a global minimum along which the loss never rises. With one unit and two inputs it need not: for the
    data f(1, 0) = 2, f(0, 1) = -1 there is a valley that is not the deepest.
Source
    L. Venturi, A. Bandeira, J. Bruna, Spurious Valleys in One-hidden-layer Neural Network Optimization Landscapes, JMLR 20
    (2019), the corollary for quadratic activations [venturi2019]. The path is worked out here.
Prediction
    a rise of 0 along the path, at whose end the loss is the least one of any quadratic form. For one unit the sum of squares is 1
    and 4 in the valleys, and 5 where a_1 = 0, on the ridge between them; its Hessian at the bottom of the two has the eigenvalues
    0 (a and w may be scaled), 4, 24 and 0, 8, 10
Measurement
    the loss of the network, unit by unit on random data, along a path: scales go into the weights; the weights of one sign are
    rotated until units are free; these take the other sign; then the quadratic form moves on a straight line. The least loss is
    that of linear least squares on the monomials. For one unit, gradient descent from both sides, and gradient and Hessian at the
    bottoms by plica.landscape.Curvature
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from scipy.linalg import expm, schur

from plica._palette import MEASUREMENT, PREDICTION
from plica._types import Array
from plica.claims import Evidence, row
from plica.landscape import Curvature

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("connected-sublevel-sets", "slide-simply-connected")
SEED = 2019
ROUNDING = 1e-9
STEPS = np.linspace(0, 1, 40)


def outputs(a: Array, W: Array, x: Array) -> Array:
    return np.asarray((x @ W.T) ** 2 @ a)


def root(gram: Array) -> Array:
    """The symmetric root of a positive semidefinite matrix."""
    values, vectors = np.linalg.eigh(gram)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T)


def positive_part(M: Array) -> Array:
    values, vectors = np.linalg.eigh(M)
    return np.asarray((vectors * np.maximum(values, 0)) @ vectors.T)


def freed(W: Array) -> Iterator[Array]:
    """More than n rows, turned with the same W^T W until they are its root and zeros."""
    n = W.shape[1]
    A, values, B = np.linalg.svd(W)  # W = (A_n B) R with the root R of W^T W
    R = (B.T * values) @ B
    frame = np.hstack([A[:, :n] @ B, A[:, n:]])
    frame[:, -1] *= np.linalg.det(frame)  # a rotation: the last column is free, as there are more than n rows
    generator = generator_of(frame)
    for t in STEPS[::-1]:
        yield np.asarray(expm(t * generator)[:, :n] @ R)


def generator_of(rotation: Array) -> Array:
    """A skew matrix whose exponential is the rotation: angles in planes, half turns for pairs of -1."""
    T, Z = schur(rotation, output="real")
    K, i, turned = np.zeros_like(T), 0, []
    while i < len(T):
        if i + 1 < len(T) and abs(T[i + 1, i]) > ROUNDING:
            angle = np.arctan2(T[i + 1, i], T[i, i])
            K[i + 1, i], K[i, i + 1] = angle, -angle
            i += 2
            continue
        if T[i, i] < 0:
            turned.append(i)
        i += 1
    for k, m in zip(turned[::2], turned[1::2], strict=True):
        K[k, m], K[m, k] = -np.pi, np.pi
    return np.asarray(Z @ K @ Z.T)


def path(a: Array, W: Array, goal: Array) -> Iterator[tuple[Array, Array]]:
    """Networks from (a, W) to one that computes x^T goal x; goal and a^T W W are met by 2 n + 1 units."""
    n = W.shape[1]
    for t in STEPS:  # a_j w_j w_j^T stays
        scale = (1 - t) * np.sqrt(np.abs(a)) + t
        yield np.sign(a) * scale**2, W * (np.sqrt(np.abs(a)) / scale)[:, None]
    W = W * np.sqrt(np.abs(a))[:, None]
    sides = {s: W[np.sign(a) == s] for s in (1.0, -1.0)}
    for sign in sorted(sides, key=lambda s: -len(sides[s])):  # the larger side has n + 1 units or more; then the other has
        for turned in freed(sides[sign]):
            sides[sign] = turned
            yield assembled(sides)
        sides[-sign] = np.vstack([sides[-sign], sides[sign][n:]])  # spare units change their sign at weight 0
        sides[sign] = sides[sign][:n]
    grams = {s: rows.T @ rows for s, rows in sides.items()}
    M = grams[1.0] - grams[-1.0]
    for start, end in ((M, M), (M, goal)):  # first the common part of both sides goes, then the form moves
        for t in STEPS:
            form = (1 - t) * start + t * end
            parts = {s: positive_part(s * form) for s in (1.0, -1.0)}
            if start is end:
                parts = {s: (1 - t) * grams[s] + t * part for s, part in parts.items()}
            yield assembled({s: root(part) for s, part in parts.items()})


def assembled(sides: dict[float, Array]) -> tuple[Array, Array]:
    return np.concatenate([np.full(len(W), s) for s, W in sides.items()]), np.vstack(list(sides.values()))


def least(x: Array, y: Array) -> tuple[float, Array]:
    """The least loss of a quadratic form, and the form."""
    n = x.shape[1]
    i, j = np.triu_indices(n)
    c, *_ = np.linalg.lstsq(x[:, i] * x[:, j], y, rcond=None)
    form = np.zeros((n, n))
    np.add.at(form, (i, j), c / 2)
    np.add.at(form, (j, i), c / 2)
    return float(np.mean((x[:, i] * x[:, j] @ c - y) ** 2)), form


def descent(a: float, w: Array, n_steps: int = 4000, rate: float = 0.02) -> float:
    """The sum of squares that gradient descent reaches with one unit on the two data."""
    y = np.array([2.0, -1.0])
    for _ in range(n_steps):
        error = a * w**2 - y
        a, w = a - rate * float(2 * error @ w**2), w - rate * 4 * a * error * w
    return float(np.sum((a * w**2 - y) ** 2))


class Unit(torch.nn.Module):
    """a (w . x)^2."""

    def __init__(self, a: float, w: tuple[float, float]) -> None:
        super().__init__()
        self.a, self.w = (torch.nn.Parameter(torch.tensor(v, dtype=torch.float64)) for v in (a, w))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (self.a * (x @ self.w) ** 2)[:, None]


def bottom(a: float, w: tuple[float, float]) -> tuple[float, float, Array]:
    """The sum of squares of one unit on the two data, the length of its gradient and the eigenvalues of its Hessian."""
    loss = Curvature(Unit(a, w), np.eye(2), np.array([[2.0], [-1.0]]))  # a mean of two squares
    return 2 * loss.value(), 2 * float(np.linalg.norm(loss.gradient())), 2 * np.linalg.eigvalsh(loss.matrix())


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    rows, shown = [], []
    for n in (1, 2, 3, 5, 8) if scale == "full" else (1, 2, 3):
        x, y = rng.normal(size=(40, n)), rng.normal(size=40)
        goal = least(x, y)
        for k in range(3):
            a, W = rng.normal(size=2 * n + 1), rng.normal(size=(2 * n + 1, n))
            losses = np.array([np.mean((outputs(*at, x) - y) ** 2) for at in path(a, W, goal[1])])
            rise = float(np.max(losses - np.minimum.accumulate(losses)))
            about: dict[str, Any] = {"n": n, "units": 2 * n + 1, "start": k}
            error = ROUNDING * float(losses[0])
            rows.append(row(rise, "=", 0.0, unit=1.0, kind="estimated", standard_error=error, what="rise", **about))
            rows.append(row(losses[-1], "=", goal[0], kind="estimated", standard_error=error, what="loss at the end", **about))
            shown.append(losses / losses[0])
    for a0, depth in ((1.0, 1.0), (-1.0, 4.0)):
        found = descent(a0, np.array([0.7, 0.9]))
        rows.append(
            row(found, "=", depth, kind="estimated", standard_error=1e-6, what=f"valley with sign {a0:+.0f}", n=2, units=1)
        )
    for a0, w0, depth, bends in ((1.0, (2**0.5, 0.0), 1.0, (0, 4, 24)), (-1.0, (0.0, 1.0), 4.0, (0, 8, 10))):
        value, slope, eigenvalues = bottom(a0, w0)
        told: dict[str, Any] = {"kind": "estimated", "standard_error": ROUNDING, "unit": 1.0, "n": 2, "units": 1}
        name = f"bottom of the valley with sign {a0:+.0f}"
        rows.append(row(value, "=", depth, **told, what=name))
        rows.append(row(slope, "=", 0.0, **told, what=f"gradient at the {name}"))
        for found_bend, bend in zip(eigenvalues, bends, strict=True):
            rows.append(row(float(found_bend), "=", float(bend), **told, what=f"eigenvalue at the {name}"))
    ridge = float(np.sum((0.0 - np.array([2.0, -1.0])) ** 2))
    rows.append(row(ridge, "=", 5.0, kind="estimated", standard_error=ROUNDING, what="ridge, a = 0", n=2, units=1))
    return Evidence(rows, draw=partial(draw, shown), seed=SEED)


def draw(shown: list[Array], ax: Axes) -> None:
    """The loss along each path: level while units are freed, then down to the least."""
    for losses in shown:
        ax.plot(np.linspace(0, 1, len(losses)), losses, color=MEASUREMENT, linewidth=1)
        ax.plot(1, losses[-1], "_", color=PREDICTION, markersize=10, markeredgewidth=2)
    ax.set(xlabel="along the path", ylabel="loss / loss at the start", yscale="log")
    ax.spines[["top", "right"]].set_visible(False)
