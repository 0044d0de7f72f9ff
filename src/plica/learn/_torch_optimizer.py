"""Optimizers of torch in our loop: their own rates and groups, their memory in our checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from plica.errors import InvalidInput
from plica.learn._optimizers import Optimizer

if TYPE_CHECKING:
    from torch import Tensor, nn

Maker = Callable[["nn.Module"], Any]
"""From the model to a ``torch.optim.Optimizer`` of its parameters."""


class TorchOptimizer(Optimizer):
    """Calls a ``torch.optim.Optimizer``; the schedule multiplies the rates of all its groups.

    Parameters
    ----------
    make
        From the model to the optimizer: ``lambda model: torch.optim.AdamW(model.parameters(), lr=1e-3)``.
    """

    def __init__(self, make: Maker) -> None:
        self.make = make
        self.optimizer: Any = None
        super().__init__()

    def bind(self, model: nn.Module, parameters: Sequence[Tensor]) -> None:
        """Make the optimizer of these parameters."""
        try:
            self.optimizer, self.parameters = self.make(model), parameters
        except TypeError as error:
            raise InvalidInput(
                f"no optimizer can be made of the model: {error}.",
                hint="optimizer=lambda model: torch.optim.AdamW(model.parameters(), lr=1e-3)",
            ) from None
        groups = getattr(self.optimizer, "param_groups", None)
        if groups is None or type(self.optimizer).__name__ == "LBFGS":
            raise InvalidInput(
                f"{type(self.optimizer).__name__} makes no steps from gradients alone.",
                hint="for example torch.optim.AdamW",
            )
        ours = {id(p) for p in parameters}
        theirs = {id(p) for group in groups for p in group["params"]}
        if not theirs or not theirs <= ours:
            raise InvalidInput("the optimizer moves parameters that are not the model's.", hint="optimizer=lambda model: ...")
        self._first = [float(group["lr"]) for group in groups]

    @property
    def first_rate(self) -> float:
        """The rate of the first group, before the schedule."""
        return self._first[0]

    def settings(self) -> dict[str, Any]:
        if self.optimizer is None:
            return {}
        groups = [
            {k: v for k, v in sorted(group.items()) if isinstance(v, (int, float, bool, str)) and k != "lr"} | {"lr": rate}
            for group, rate in zip(self.optimizer.param_groups, self._first, strict=True)
        ]
        return {"torch": type(self.optimizer).__name__, "groups": groups}

    def __post_init__(self) -> None:
        """Torch has checked its numbers itself."""

    def start(self, parameters: Sequence[Any]) -> None:
        self.n_steps = 0

    def step(self, parameters: Sequence[Any], rate: float, gradients: Sequence[Any] | None = None) -> None:
        assert gradients is not None
        self.n_steps += 1
        for p, g in zip(parameters, gradients, strict=True):
            if p.grad is not g and p.grad is not None:  # those that have none keep none
                p.grad = g
        for group, first in zip(self.optimizer.param_groups, self._first, strict=True):
            group["lr"] = first * rate / self._first[0] if self._first[0] else first
        self.optimizer.step()

    def _states(self) -> list[tuple[Any, str]]:
        """The state of each parameter, in the order of groups, and the names of its tensors."""
        import torch

        found = []
        for group in self.optimizer.param_groups:
            for p in group["params"]:
                state = self.optimizer.state.get(p, {})
                found += [(state, name) for name in sorted(state) if isinstance(state[name], torch.Tensor)]
        return found

    def memory(self) -> list[Any]:
        return [state[name] for state, name in self._states()]

    def recall(self, memory: Sequence[Any]) -> None:
        """Torch makes its memory in the first step: one is made with gradients of zero, and undone."""
        import torch

        if not memory:
            return
        kept = [p.detach().clone() for p in self.parameters]
        for p in self.parameters:
            p.grad = torch.zeros_like(p)
        self.optimizer.step()
        for p, before in zip(self.parameters, kept, strict=True):
            p.data.copy_(before)
            p.grad = None
        for (state, name), saved in zip(self._states(), memory, strict=True):
            state[name].copy_(saved)
