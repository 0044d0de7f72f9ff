"""What a torch module must be before it is read: initialized, finite, real, in eval mode where that matters."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn.utils import parametrize

from plica.errors import InvalidInput, InvalidNetwork, UnsupportedLayer
from plica.network._torch_modules import RANDOM_IN_TRAINING
from plica.network._torch_quantized import is_quantized


def unwrap(module: Any) -> nn.Module:
    """The module itself, out of torch.compile or DataParallel."""
    if not isinstance(module, nn.Module):
        raise InvalidInput(
            f"from_torch takes a torch.nn.Module, got {type(module).__name__}.",
            hint="for a file use plica.load(path); a state dict has no layers: load it into its module first",
        )
    while isinstance(inner := getattr(module, "_orig_mod", None) or _parallel(module), nn.Module):
        module = inner
    if isinstance(module, torch.jit.ScriptModule):
        raise UnsupportedLayer("the module is a TorchScript module.", hint="give the Python module it was made from")
    return module


def _parallel(module: nn.Module) -> nn.Module | None:
    return module.module if isinstance(module, nn.DataParallel | nn.parallel.DistributedDataParallel) else None


def check(module: nn.Module) -> None:
    """Refuse what has no well-defined weights or no well-defined function."""
    for name, part in module.named_modules():
        if isinstance(part, nn.modules.lazy.LazyModuleMixin) and part.has_uninitialized_params():  # type: ignore[misc]
            raise InvalidNetwork(
                f"layer {name!r} is {type(part).__name__}, whose weights do not exist yet.",
                hint="run the model once on a batch first",
            )
        if is_quantized(part) and type(part).__name__ != "FloatFunctional":
            raise InvalidNetwork(
                f"layer {name!r} is a quantized {type(part).__name__}: torch rounds what goes in and out of it, in steps.",
                hint='plica.from_torch(model, quantized="weights") takes its weights as stored and rounds nothing else',
            )
        if part.training:
            _check_training(name, part)
    for name, tensor in [*module.named_parameters(), *module.named_buffers()]:
        _check_tensor(name, tensor)


def _check_training(name: str, part: nn.Module) -> None:
    differs = isinstance(part, RANDOM_IN_TRAINING) and getattr(part, "p", 1) > 0
    if differs or parametrize.is_parametrized(part):
        raise InvalidNetwork(
            f"the module is in train mode, and {name!r} ({type(part).__name__}) computes something else there.",
            hint="call model.eval() first",
        )


def _check_tensor(name: str, tensor: torch.Tensor) -> None:
    if tensor.is_meta:
        raise InvalidNetwork(f"{name!r} is on the meta device: it has a shape but no numbers.", hint="load the weights first")
    if tensor.is_complex():
        raise InvalidNetwork(f"{name!r} is complex ({tensor.dtype}).", hint="a piecewise-linear network has real weights")
    if tensor.is_quantized:
        raise InvalidNetwork(f"{name!r} is quantized ({tensor.dtype}).", hint="give the model as it was before quantization")
    if tensor.is_floating_point():
        dense = tensor.detach()
        dense = dense if dense.layout == torch.strided else dense.to_dense()
        finite = torch.isfinite(dense.float() if dense.element_size() == 1 else dense)
        if not finite.all():
            where = tuple(torch.nonzero(~finite)[0].tolist())
            raise InvalidNetwork(
                f"{name!r} is {dense[where].item()} at index {where}.",
                hint="a network with NaN or infinite weights has no geometry; look at its training",
            )
