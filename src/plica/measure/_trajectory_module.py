"""A torch module watched at its activations: what goes in and what comes out, in float64."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput

if TYPE_CHECKING:
    import torch
    from torch import nn


#: Elementwise functions of torch, torch.Tensor and torch.nn.functional that count as activations.
ACTIVATIONS = (
    "celu elu erf gelu hardsigmoid hardswish hardtanh leaky_relu logsigmoid mish prelu relu relu6 rrelu selu sigmoid silu sin "
    "softplus softshrink softsign tanh tanhshrink threshold"
).split()


@dataclass(eq=False)
class Watched:
    """A float64 copy of a module; calling it with rows gives the tensors before and after each activation, and the output.

    Activations are recognized where they are called, as modules or as functions, in the order in which they run; one that runs
    several times is counted each time.
    """

    module: nn.Module
    input_shape: tuple[int, ...]
    names: list[str] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)

    @staticmethod
    def of(module: nn.Module, input_shape: tuple[int, ...]) -> Watched:
        watched = Watched(copy.deepcopy(module).double(), input_shape)
        _, after, _ = watched._run(np.zeros((2, int(np.prod(input_shape)))), watched.names)
        watched.sizes = [rows.shape[1] for rows in after]
        names = watched.names
        watched.names = [f"{n} ({names[:i].count(n) + 1})" if names.count(n) > 1 else n for i, n in enumerate(names)]
        return watched

    def __call__(self, points: Array) -> tuple[list[Array], list[Array], Array]:
        return self._run(points, [])

    def _run(self, points: Array, names: list[str]) -> tuple[list[Array], list[Array], Array]:
        import torch

        rows = torch.as_tensor(np.asarray(points), dtype=torch.float64).reshape(-1, *self.input_shape)
        before: list[torch.Tensor] = []
        after: list[torch.Tensor] = []
        with torch.no_grad(), _Running(self.module) as running, _recorder(before, after, names, running):
            output = self.module(rows)
        if not isinstance(output, torch.Tensor) or len(output) != len(rows):
            raise InvalidInput(
                f"the module gives {type(output).__name__}, not one tensor with a row for each point.",
                hint="wrap it in a module that returns the tensor you mean",
            )
        return [_flat(t) for t in before], [_flat(t) for t in after], _flat(output)


class _Running:
    """While it is open, the modules that are running with their names, outermost first."""

    def __init__(self, module: nn.Module) -> None:
        self._module = module
        self._stack: list[tuple[str, nn.Module]] = []
        self._handles: list[Any] = []

    def __enter__(self) -> list[tuple[str, nn.Module]]:
        for name, part in self._module.named_modules():
            self._handles.append(part.register_forward_pre_hook(self._enter(name)))
            self._handles.append(part.register_forward_hook(self._leave))
        return self._stack

    def _enter(self, name: str) -> Any:
        return lambda part, _: self._stack.append((name, part))

    def _leave(self, *_: Any) -> None:
        self._stack.pop()

    def __exit__(self, *error: object) -> None:
        for handle in self._handles:
            handle.remove()


def _recorder(
    before: list[torch.Tensor], after: list[torch.Tensor], names: list[str], running: list[tuple[str, nn.Module]]
) -> Any:
    """A context in which every activation leaves its input, its output and its name."""
    import torch
    from torch.nn import functional
    from torch.overrides import TorchFunctionMode

    places = (torch, torch.Tensor, functional)
    watched = {getattr(place, name): name for place in places for name in ACTIVATIONS if hasattr(place, name)}

    class Recorder(TorchFunctionMode):
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if function not in watched or not args:
                return function(*args, **(kwargs or {}))
            before.append(args[0].clone())  # it may be overwritten in place
            output = function(*args, **(kwargs or {}))
            after.append(output.clone())
            names.append(_name(running, watched[function]))
            return output

    return Recorder()


def _name(running: list[tuple[str, nn.Module]], function: str) -> str:
    """That of the activation's module, or of the function and the module that calls it."""
    name, part = running[-1] if running else ("", None)
    is_activation = type(part).__module__ == "torch.nn.modules.activation"
    return name or type(part).__name__ if is_activation else f"{name}.{function}".strip(".")


def _flat(tensor: torch.Tensor) -> Array:
    return np.asarray(tensor.reshape(len(tensor), -1).numpy())
