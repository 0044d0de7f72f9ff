"""Curves of low loss between two solutions: a bend that is trained (Garipov et al. 2018, Draxler et al. 2018).

The curve is a Bezier curve or a polygonal chain with one bend or more; the mean of the loss over the curve is made small.
The loss on a chain is exact, segment by segment.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.landscape._directions import as_module, toward
from plica.landscape._line import LossLine, loss_line
from plica.learn import LOSSES, fit

if TYPE_CHECKING:
    from torch import nn


@dataclass(frozen=True, eq=False)
class Connection:
    """A trained curve between two models.

    Attributes
    ----------
    kind
        ``"chain"`` or ``"bezier"``.
    models
        The first model, the bends (control points), the last model: torch modules in double precision.
    history
        The loss while the bends were trained.
    """

    kind: str
    models: tuple[nn.Module, ...]
    history: Any

    def at(self, t: float) -> nn.Module:
        """The model at t in [0, 1] on the curve."""
        import torch

        if not 0 <= t <= 1:
            raise InvalidInput(f"t = {t} is not on the curve.")
        weights = curve_weights(self.kind, len(self.models), float(t))
        module = as_module(self.models[0])
        with torch.no_grad():
            for p, *others in zip(module.parameters(), *(m.parameters() for m in self.models), strict=True):
                p.copy_(torch.stack([w * q for w, q in zip(weights, others, strict=True)]).sum(dim=0))
        return module

    def lines(self, x: Any, y: Any, *, loss: str = "squared", **options: Any) -> tuple[LossLine, ...]:
        """The exact loss on every segment of a chain."""
        if self.kind != "chain":
            raise InvalidInput("a Bezier curve has no segments.", hint="connect(..., kind='chain') has an exact loss")
        return tuple(loss_line(a, b, x, y, loss=loss, **options) for a, b in pairwise(self.models))


def curve_weights(kind: str, n: int, t: float) -> Array:
    """The weights of n control points at t."""
    if kind == "bezier":
        from math import comb

        return np.array([comb(n - 1, k) * t**k * (1 - t) ** (n - 1 - k) for k in range(n)])
    return np.maximum(1 - np.abs(t * (n - 1) - np.arange(n)), 0.0)


def connect(
    a: Any,
    b: Any,
    x: Any,
    y: Any,
    *,
    loss: str = "cross-entropy",
    kind: Literal["chain", "bezier"] = "chain",
    n_bends: int = 1,
    steps: int = 500,
    batch: int = 128,
    rate: float = 1e-2,
    seed: int = 0,
) -> Connection:
    """Train the bends of a curve between two models so that the mean loss on it is small.

    Parameters
    ----------
    a, b
        Networks or torch modules of one architecture; they stay as they are.
    x, y, loss
        Samples, targets, and the name of a loss.
    kind
        A polygonal ``"chain"``, whose loss is exact afterwards, or a ``"bezier"`` curve.
    n_bends
        Points between a and b, which begin on the straight line.
    steps, batch, rate, seed
        Of the training, by Adam; each step sees one point of the curve.

    Examples
    --------
    >>> from plica.learn import mlp
    >>> x = np.random.default_rng(0).normal(size=(40, 2))
    >>> curve = connect(mlp([2, 8, 1], seed=0), mlp([2, 8, 1], seed=1), x, x[:, :1], loss="squared", steps=20)
    >>> [line.degree for line in curve.lines(x, x[:, :1])]
    [2, 2]
    """
    import torch
    from torch import nn
    from torch.func import functional_call

    if kind not in ("chain", "bezier") or n_bends < 1:
        raise InvalidInput(f"kind = {kind!r}, n_bends = {n_bends}.", hint="'chain' or 'bezier', at least one bend")
    if loss not in LOSSES:
        raise InvalidInput(f"unknown loss {loss!r}.", hint=f"one of {', '.join(LOSSES)}")
    ends = [as_module(a), as_module(b)]
    toward(*ends)  # the same parameters, or an error
    samples = torch.as_tensor(np.asarray(x), dtype=torch.float64)
    targets = torch.as_tensor(np.asarray(y))
    names = [name for name, _ in ends[0].named_parameters()]
    fixed = [[p.detach().clone() for p in end.parameters()] for end in ends]

    class Bends(nn.Module):
        """The bends, as one list of parameters; the frame is not among them."""

        def __init__(self) -> None:
            super().__init__()
            shares = [(i + 1) / (n_bends + 1) for i in range(n_bends)]
            self.bends = nn.ParameterList(
                [nn.Parameter((1 - s) * p + s * q) for s in shares for p, q in zip(*fixed, strict=True)]
            )

        def outputs(self, points: Any, t: float) -> Any:
            weights = curve_weights(kind, n_bends + 2, t)
            k = len(names)
            mixed = {}
            for i, name in enumerate(names):
                parts = [fixed[0][i], *(self.bends[j * k + i] for j in range(n_bends)), fixed[1][i]]
                mixed[name] = sum(float(w) * part for w, part in zip(weights, parts, strict=True) if w)
            return functional_call(ends[0], mixed, (points,))

    def drawn(step: int) -> Any:
        rng = np.random.default_rng([seed, step])
        chosen = rng.choice(len(samples), size=min(batch, len(samples)), replace=False)
        return samples[chosen], targets[chosen], float(rng.random())

    bends = Bends()
    found = fit(
        bends,
        drawn,
        steps=steps,
        rate=rate,
        schedule="cosine",
        objective=lambda model, part: LOSSES[loss](model.outputs(part[0], part[2]), part[1]),  # type: ignore[operator]
        seed=seed,
    )
    models = [ends[0]]
    for j in range(n_bends):
        module = as_module(a)
        with torch.no_grad():
            for i, p in enumerate(module.parameters()):
                p.copy_(bends.bends[j * len(names) + i])
        models.append(module)
    return Connection(kind, (*models, ends[1]), found.history)
