r"""Backpropagation written out gives the gradients of autograd.

Claim
    For a network z^l = W^l a^{l-1} + b^l, a^l = ReLU(z^l) with loss C, delta^L = dC/dz^L and delta^l = (W^{l+1})^T delta^{l+1}
    * 1[z^l > 0] give the gradients dC/dW^l = delta^l (a^{l-1})^T and dC/db^l = delta^l. With phi in the place of ReLU it is
    phi'(z^l), and with another loss another delta^L.
Source
    D. Rumelhart, G. Hinton, R. Williams, Learning Representations by Back-Propagating Errors, Nature 323 (1986)
    [rumelhart1986]; completes Summer@ICERM 2020, final presentation [icerm-2020], which leaves the recursion for the hidden
    layers out.
Prediction
    the gradients of torch's autograd
Measurement
    for integer weights, inputs and a squared loss, where floating point makes no error, all gradients are equal, bit for bit;
    for random real ones the largest relative difference stays below 10^-12; so do those of plica.learn.Dense, with all its
    activations and losses
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import ALTERNATIVE, BOUND, MEASUREMENT
from plica._types import Array
from plica.claims import Evidence, row
from plica.learn import Dense

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEED = 1986
ROUNDING = 2.0**-52
Layers = list[tuple[Array, Array]]


def backpropagate(layers: Layers, x: Array, y: Array) -> Layers:
    """The gradients of |f(x) - y|^2 / 2, layer by layer, in the lines of the claim."""
    a, z = [x], []
    for i, (W, b) in enumerate(layers):
        z.append(W @ a[-1] + b)
        a.append(np.maximum(z[-1], 0) if i < len(layers) - 1 else z[-1])
    delta = a[-1] - y
    gradients: Layers = []
    for i in range(len(layers) - 1, -1, -1):
        gradients.append((np.outer(delta, a[i]), delta))
        if i:
            delta = (layers[i][0].T @ delta) * (z[i - 1] > 0)
    return gradients[::-1]


def autograd(layers: Layers, x: Array, y: Array) -> Layers:
    """The same by torch."""
    import torch

    tensors = [(torch.tensor(W, requires_grad=True), torch.tensor(b, requires_grad=True)) for W, b in layers]
    a = torch.tensor(x)
    for i, (W, b) in enumerate(tensors):
        a = W @ a + b
        a = torch.relu(a) if i < len(tensors) - 1 else a
    ((a - torch.tensor(y)) ** 2).sum().div(2).backward()
    return [(W.grad.numpy(), b.grad.numpy()) for W, b in tensors]  # type: ignore[union-attr]


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    shapes = [(2, 3, 1), (4, 6, 5, 2), (10, 20, 20, 20, 3)] + ([(784, 128, 10), (50, *[40] * 12, 10)] if scale == "full" else [])
    rows, seen = [], []
    for widths in shapes:
        for numbers in ("integers", "normal"):
            if numbers == "integers" and len(widths) > 6:
                continue  # its integers would leave the range that floats hold exactly

            def draw(*shape: int, numbers: str = numbers) -> Array:
                if numbers == "integers":
                    return rng.integers(-2, 3, shape).astype(np.float64)
                return rng.standard_normal(shape) * np.sqrt(2 / shape[-1])

            layers = [(draw(m, n), draw(m)) for n, m in pairwise(widths)]
            x, y = draw(widths[0]), draw(widths[-1])
            pairs = zip(backpropagate(layers, x, y), autograd(layers, x, y), strict=True)
            both = [(ours, theirs) for one, other in pairs for ours, theirs in zip(one, other, strict=True)]
            largest = max(float(np.abs(theirs).max()) for _, theirs in both) or 1.0
            worst = max(float(np.abs(ours - theirs).max()) for ours, theirs in both) / largest
            own = [part.ravel() for layer in backpropagate(layers, x, y) for part in layer]
            dense = Dense(layers, ["relu"] * (len(layers) - 1)).gradient(x[None], y[None])[1][0] * len(y) / 2  # a mean there
            library = float(np.abs(dense - np.concatenate(own)).max()) / largest
            for against, miss in (("autograd", worst), ("plica.learn.Dense", library)):
                about: dict[str, Any] = {"widths": widths, "numbers": numbers, "against": against}
                if numbers == "integers" and against == "autograd":
                    rows.append(row(miss, "=", 0.0, **about))
                else:
                    rows.append(row(miss, "<=", 1e-12, kind="estimated", standard_error=ROUNDING, **about))
                seen.append((sum(w.size + b.size for w, b in layers), against, numbers, miss))
    for activation in ("leaky-relu", "abs", "hard-tanh", "tanh"):
        for loss in ("squared", "absolute", "logistic", "cross-entropy"):
            found, expected = of_dense(activation, loss, rng)
            miss = float(np.abs(found - expected).max() / np.abs(expected).max())
            kinds: dict[str, Any] = {"against": "plica.learn.Dense and autograd", "activation": activation, "loss": loss}
            rows.append(row(miss, "<=", 1e-12, kind="estimated", standard_error=ROUNDING, **kinds))
    return Evidence(rows, draw=partial(figure, seen), seed=SEED)


def of_dense(activation: str, loss: str, rng: np.random.Generator) -> tuple[Array, Array]:
    """The gradients of plica.learn.Dense and of torch, for a mean loss of seven points, as one vector each."""
    import torch
    from torch.nn import functional

    n_out = 1 if loss == "logistic" else 3
    layers = [(rng.standard_normal((m, n)), rng.standard_normal(m)) for n, m in pairwise((4, 6, 5, n_out))]
    x, y = rng.standard_normal((7, 4)), rng.standard_normal((7, n_out))
    if loss in ("logistic", "cross-entropy"):
        y = rng.integers(0, 2, (7, 1)).astype(float) if loss == "logistic" else np.eye(3)[rng.integers(0, 3, 7)]
    own = Dense(layers, [activation] * 2, loss=loss, leak=0.1).gradient(x, y)[1][0]
    tensors = [torch.tensor(part, requires_grad=True) for layer in layers for part in layer]
    a, target = torch.tensor(x), torch.tensor(y)
    bends: dict[str, Any] = {
        "leaky-relu": lambda z: functional.leaky_relu(z, 0.1),
        "abs": torch.abs,
        "hard-tanh": functional.hardtanh,
        "tanh": torch.tanh,
    }
    for i in range(3):
        a = a @ tensors[2 * i].T + tensors[2 * i + 1]
        a = bends[activation](a) if i < 2 else a
    losses: dict[str, Any] = {
        "squared": functional.mse_loss,
        "absolute": functional.l1_loss,
        "logistic": functional.binary_cross_entropy_with_logits,
        "cross-entropy": lambda out, rows: functional.cross_entropy(out, rows.argmax(1)),
    }
    found = torch.autograd.grad(losses[loss](a, target), tensors)
    return own, np.concatenate([part.numpy().ravel() for part in found])


def figure(seen: list[tuple[int, str, str, float]], ax: Axes) -> None:
    """Largest relative differences of all gradients against the number of parameters; none at all for integers."""
    for against, color in (("autograd", MEASUREMENT), ("plica.learn.Dense", ALTERNATIVE)):
        chosen = [(n, max(miss, 1e-17)) for n, name, _, miss in seen if name == against]
        ax.loglog(*zip(*chosen, strict=True), "o", color=color, label=f"against {against}", alpha=0.8)
    ax.axhline(1e-12, color=BOUND, linewidth=1, linestyle="--")
    ax.axhline(1e-17, color=BOUND, linewidth=0, label="at the bottom: equal, bit for bit")
    ax.set(xlabel="parameters", ylabel="largest relative difference", ylim=(5e-18, 5e-12))
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
