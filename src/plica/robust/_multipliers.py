r"""Lower bounds of the distance to another class: multipliers of relaxations and of known states, by gradients, then proved.

For a point x of another class in the ball, the margin is <= 0 and every known state is an inequality :math:`\sigma z\le 0`. For
any multipliers :math:`\beta\ge 0` and slopes :math:`\alpha`, the form margin + :math:`\sum\beta\sigma z` pulled back to the input
is an affine function :math:`a\cdot(x-x_0)+b` below something <= 0, so that the distance is at least :math:`b/\|a\|_*`, in any
norm (S. Wang et al., 2021, maximize b on a ball instead). Torch finds multipliers; outward-rounded arithmetic has the last word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._types import Array
from plica.robust.bounds._backward import pulled_back
from plica.robust.bounds._ball import Norm, at_point, dual_norm
from plica.robust.bounds._boxes import EPS, Boxes, Ranges
from plica.robust.bounds._relaxation import Lines, lines_around
from plica.robust.bounds._steps import AffineStep, RectifierStep, Steps

if TYPE_CHECKING:
    from torch import Tensor

States = dict[int, Array]  # for each rectifier's tensor, rows of -1 (unknown), 0, 1


@dataclass(frozen=True, eq=False)
class Multipliers:
    """For each rectifier's tensor: slopes of the lower lines and multipliers of the states, one row for each node."""

    slopes: dict[int, Array]
    states: dict[int, Array]


def known_ranges(steps: Steps, ranges: list[Ranges], states: States, n: int) -> list[Ranges]:
    """Ranges with what the states say, one row for each node."""
    out = [Ranges(np.repeat(r.low, n, axis=0), np.repeat(r.high, n, axis=0)) for r in ranges]
    for i, known in states.items():
        parent = steps.steps[i - 1].parents[0]
        r = out[parent]
        out[parent] = Ranges(
            np.where(known == 1, np.maximum(r.low, 0), r.low), np.where(known == 0, np.minimum(r.high, 0), r.high)
        )
    return out


def proved_distances(
    steps: Steps, boxes: Boxes, ranges: list[Ranges], point: Array, forms: Array, states: States, m: Multipliers, norm: Norm
) -> tuple[Array, dict[int, Array]]:
    """Lower bounds of the distance for nodes (rows of forms and states), and the forms at the rectifiers' outputs."""
    n = len(forms)
    own = known_ranges(steps, ranges, states, n)
    lines: dict[int, Lines] = {}
    added: dict[int, Array] = {}
    for i in steps.rectifiers:
        step = steps.steps[i - 1]
        assert isinstance(step, RectifierStep)
        around = lines_around(own[step.parent], step.slope)
        unsure = (own[step.parent].low < 0) & (own[step.parent].high > 0)
        free = np.where(unsure, np.clip(m.slopes[i], np.minimum(step.slope, 1), np.maximum(step.slope, 1)), around.low_slope)
        lines[i] = Lines(*(part[:, None] for part in (free, around.low_offset, around.high_slope, around.high_offset)))
        sign = np.where(states[i] == 1, -1.0, np.where(states[i] == 0, 1.0, 0.0))
        added[step.parent] = (sign * np.maximum(m.states[i], 0.0))[:, None] + added.get(step.parent, 0.0)
    seen: dict[int, Array] = {}
    many = Boxes(np.repeat(boxes.low, n, axis=0), np.repeat(boxes.high, n, axis=0))
    pulled = pulled_back(
        steps, many, own, forms[:, None], lines=lines, added=added, at_rectifier=lambda i, a: seen.__setitem__(i, a[:, 0])
    )
    value, size = at_point(pulled, many, np.repeat(point.reshape(1, -1), n, axis=0))[:, 0], dual_norm(pulled.slope, norm)[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(value > 0, value / size * (1 - 4 * EPS), 0.0)
    return np.where(np.isnan(found), 0.0, found), seen


class Optimizer:
    """Improves multipliers for batches of nodes by gradient steps in torch, on one network and one point."""

    def __init__(self, steps: Steps, ranges: list[Ranges], point: Array, norm: Norm) -> None:
        import torch

        self.steps, self.norm, self.torch = steps, norm, torch
        self.point = torch.as_tensor(point.reshape(-1))
        self.matrices = {
            i: [torch.as_tensor(m.toarray() if hasattr(m, "toarray") else m) for m in s.matrices]
            for i, s in enumerate(steps.steps, start=1)
            if isinstance(s, AffineStep)
        }
        self.ranges = ranges

    def improve(self, forms: Array, states: States, start: Multipliers, *, n_steps: int, rate: float = 0.1) -> Multipliers:
        """Multipliers with larger quotients b / |a|, by ascent from the given ones."""
        torch = self.torch
        own = known_ranges(self.steps, self.ranges, states, len(forms))
        lines = {
            i: lines_around(own[s.parents[0]], s.slope)
            for i in self.steps.rectifiers
            if isinstance(s := self.steps.steps[i - 1], RectifierStep)
        }
        fixed = {i: [torch.as_tensor(part) for part in (v.low_slope, v.high_slope, v.high_offset)] for i, v in lines.items()}
        unsure = {
            i: torch.as_tensor(
                (own[self.steps.steps[i - 1].parents[0]].low < 0) & (own[self.steps.steps[i - 1].parents[0]].high > 0)
            )
            for i in lines
        }
        sign = {i: torch.as_tensor(np.where(s == 1, -1.0, np.where(s == 0, 1.0, 0.0))) for i, s in states.items()}
        slopes = {i: torch.as_tensor(v.copy()).requires_grad_() for i, v in start.slopes.items()}
        betas = {i: torch.as_tensor(v.copy()).requires_grad_() for i, v in start.states.items()}
        scale = float(np.abs(forms).max())
        climb = _Ascent(torch, [*((v, rate) for v in slopes.values()), *((v, rate * scale * 0.5) for v in betas.values())])
        best = torch.full((len(forms),), -np.inf, dtype=torch.float64)
        kept = {
            "slopes": {i: v.detach().clone() for i, v in slopes.items()},
            "betas": {i: v.detach().clone() for i, v in betas.items()},
        }
        for k in range(n_steps + 1):
            value = self._quotients(torch.as_tensor(forms), fixed, unsure, sign, slopes, betas)
            better = (value > best).detach()
            best = torch.where(better, value.detach(), best)
            for name, group in (("slopes", slopes), ("betas", betas)):
                for i, v in group.items():
                    kept[name][i] = torch.where(better[:, None], v.detach(), kept[name][i])
            if k == n_steps:
                break
            climb.step(value.sum(), 0.95**k)
            with torch.no_grad():
                for v in slopes.values():
                    v.clamp_(0.0, 1.0)
                for v in betas.values():
                    v.clamp_(min=0.0)
        return Multipliers({i: v.numpy() for i, v in kept["slopes"].items()}, {i: v.numpy() for i, v in kept["betas"].items()})

    def _quotients(
        self,
        forms: Tensor,
        fixed: dict[int, list[Tensor]],
        unsure: dict[int, Tensor],
        sign: dict[int, Tensor],
        slopes: dict[int, Tensor],
        betas: dict[int, Tensor],
    ) -> Tensor:
        torch, steps = self.torch, self.steps
        waiting: dict[int, Tensor] = {steps.n_tensors - 1: forms}
        constant = torch.zeros(len(forms), dtype=torch.float64)
        for i in range(steps.n_tensors - 1, 0, -1):
            if i not in waiting:
                continue
            a, step = waiting.pop(i), steps.steps[i - 1]
            if isinstance(step, RectifierStep):
                low_slope, high_slope, high_offset = fixed[i]
                low_slope = torch.where(unsure[i], slopes[i], low_slope)
                back = torch.where(a > 0, a * low_slope, a * high_slope) + sign[i] * betas[i]
                constant = constant + (a.clamp(max=0.0) * high_offset).sum(1)
                waiting[step.parent] = waiting.get(step.parent, 0.0) + back
            else:
                constant = constant + a @ torch.as_tensor(step.offset)
                for parent, matrix in zip(step.parents, self.matrices[i], strict=True):
                    waiting[parent] = waiting.get(parent, 0.0) + a @ matrix
        a = waiting[0]
        order = {"l1": float("inf"), "l2": 2, "linf": 1}[self.norm]
        return (constant + a @ self.point) / torch.linalg.vector_norm(a, ord=order, dim=1).clamp(min=1e-30)


class _Ascent:
    """Steps uphill, each entry by its mean slope over its root mean square (Kingma and Ba, 2015, algorithm 1).

    Written out because the first use of ``torch.optim`` imports torch's compiler, which takes as long as a search.
    """

    def __init__(self, torch: Any, rates: list[tuple[Tensor, float]]) -> None:
        self.torch, self.rates, self.n_steps = torch, rates, 0
        self.means = [(torch.zeros_like(v), torch.zeros_like(v)) for v, _ in rates]

    def step(self, value: Tensor, factor: float) -> None:
        """One step of all variables, at their rates times a factor."""
        self.n_steps += 1
        slopes = self.torch.autograd.grad(value, [v for v, _ in self.rates], allow_unused=True)
        with self.torch.no_grad():
            for (v, rate), (first, second), slope in zip(self.rates, self.means, slopes, strict=True):
                if slope is None:
                    continue
                first.mul_(0.9).add_(slope, alpha=0.1)
                second.mul_(0.999).addcmul_(slope, slope, value=0.001)
                size = (second / (1 - 0.999**self.n_steps)).sqrt().add_(1e-8)
                v.addcdiv_(first, size, value=factor * rate / (1 - 0.9**self.n_steps))
