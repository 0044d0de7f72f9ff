"""The tensors of a folder, and what is refused of its configuration."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

from plica.errors import InvalidNetwork

WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
ACTIVATIONS = {"gelu": "gelu", "gelu_new": "gelu-tanh", "gelu_pytorch_tanh": "gelu-tanh", "relu": "relu", "silu": "silu"}
Settings = Mapping[str, Any]
State = dict[str, Tensor]


class Weights:
    """The tensors of a folder; what is taken is not left over."""

    def __init__(self, tensors: State, where: Path) -> None:
        self._tensors, self._where = tensors, where

    def __contains__(self, name: str) -> bool:
        return name in self._tensors

    def cut_prefix(self, prefix: str) -> None:
        """Names that begin with a prefix lose it: a model is published alone or inside one with a head."""
        self._tensors = {n.removeprefix(prefix): t for n, t in self._tensors.items()}

    def rows(self, name: str) -> int:
        """The first size of a tensor, which is left."""
        return len(self._tensors[name])

    def take(self, name: str) -> Tensor:
        if name not in self._tensors:
            raise InvalidNetwork(f"{self._where} lacks the tensor {name!r}.", hint="config.json and the weights belong together")
        tensor = self._tensors.pop(name)
        if not tensor.is_floating_point():
            raise InvalidNetwork(f"{name!r} holds {tensor.dtype}.", hint="quantized weights are not read")
        return tensor.float()

    def layer(self, ours: str, theirs: str, *, transposed: bool = False) -> Iterator[tuple[str, Tensor]]:
        """Weight and, where there is one, bias of a layer."""
        weight = self.take(f"{theirs}.weight")
        yield f"{ours}.weight", weight.T.contiguous() if transposed else weight
        if f"{theirs}.bias" in self:
            yield f"{ours}.bias", self.take(f"{theirs}.bias")

    def drop(self, is_idle: Callable[[str], bool]) -> None:
        """Leave out what follows from the configuration, such as tables of masks."""
        self._tensors = {n: t for n, t in self._tensors.items() if not is_idle(n)}

    def require_empty(self) -> None:
        if self._tensors:
            some = ", ".join(sorted(self._tensors)[:3])
            raise InvalidNetwork(f"{self._where} holds {len(self._tensors)} tensors that this model does not have: {some}.")


def read_weights(folder: Path) -> Weights:
    """All tensors of ``model.safetensors``, or of the parts that its index lists."""
    from safetensors import SafetensorError, safe_open

    index, tensors = folder / INDEX, {}
    try:
        names = [WEIGHTS]
        if index.exists():
            names = sorted(set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()))
            if any(not isinstance(n, str) or Path(n).name != n for n in names):
                raise InvalidNetwork(f"{index} names files outside its folder.")
        for name in names:
            with safe_open(folder / name, framework="pt") as file:
                tensors.update({key: file.get_tensor(key) for key in file.keys()})
    except (OSError, SafetensorError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidNetwork(f"the weights in {folder} cannot be read: {error}.", hint=f"expected {WEIGHTS} or {INDEX}") from None
    return Weights(tensors, folder)


def require(document: Settings, **expected: Any) -> None:
    """Refuse settings with other values than these (or none)."""
    for name, value in expected.items():
        found = document.get(name, value)
        if found != value and found is not None:
            raise InvalidNetwork(f"{name} = {found!r} is not offered.", hint=f"only {value!r} is")


def activation_of(document: Settings, name: str, default: str) -> str:
    found = document.get(name, default)
    if found not in ACTIVATIONS:
        raise InvalidNetwork(f"the activation {found!r} is not offered.", hint=f"these are: {', '.join(ACTIVATIONS)}")
    return ACTIVATIONS[found]
