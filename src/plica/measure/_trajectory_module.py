"""A torch module watched at its activations: what goes in and what comes out, in float64."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from plica.errors import InvalidInput

if TYPE_CHECKING:
    import torch
    from torch import nn

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(eq=False)
class Watched:
    """A float64 copy of a module; calling it with rows gives the tensors before and after each activation, and the output.

    Activations are the modules of ``torch.nn.modules.activation``, in the order in which they run; one that runs several times is
    counted each time.
    """

    module: nn.Module
    input_shape: tuple[int, ...]
    names: list[str] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    _before: list[torch.Tensor] = field(default_factory=list, repr=False)
    _after: list[torch.Tensor] = field(default_factory=list, repr=False)

    @staticmethod
    def of(module: nn.Module, input_shape: tuple[int, ...]) -> Watched:
        watched = Watched(copy.deepcopy(module).double(), input_shape)
        running: list[str] = []
        for name, part in watched.module.named_modules():
            if type(part).__module__ == "torch.nn.modules.activation" and not list(part.children()):
                part.register_forward_hook(watched._hook(name or type(part).__name__, running))
        watched(np.zeros((2, int(np.prod(input_shape)))))
        watched.names = [f"{n} ({running[:i].count(n) + 1})" if running.count(n) > 1 else n for i, n in enumerate(running)]
        watched.sizes = [int(tensor[0].numel()) for tensor in watched._after]
        return watched

    def _hook(self, name: str, running: list[str]) -> Any:
        def record(part: nn.Module, inputs: tuple[Any, ...], output: Any) -> None:
            if not self.names:
                running.append(name)
            self._before.append(inputs[0].detach())
            self._after.append(output.detach())

        return record

    def __call__(self, points: Array) -> tuple[list[Array], list[Array], Array]:
        import torch

        self._before.clear()
        self._after.clear()
        rows = torch.as_tensor(np.asarray(points), dtype=torch.float64).reshape(-1, *self.input_shape)
        with torch.no_grad():
            output = self.module(rows)
        if not isinstance(output, torch.Tensor) or len(output) != len(rows):
            raise InvalidInput(
                f"the module gives {type(output).__name__}, not one tensor with a row for each point.",
                hint="wrap it in a module that returns the tensor you mean",
            )
        return [_flat(t) for t in self._before], [_flat(t) for t in self._after], _flat(output)


def _flat(tensor: torch.Tensor) -> Array:
    return np.asarray(tensor.reshape(len(tensor), -1).numpy())
