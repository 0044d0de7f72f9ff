"""A count of products while torch runs: every tensor knows how many products are behind it."""

from __future__ import annotations

from typing import Any

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import flop_registry


class Counter(TorchDispatchMode):
    """Every tensor that was made knows how many products are behind it; tensors that were not made here have none."""

    def __init__(self, inputs: tuple[Any, ...]) -> None:
        super().__init__()
        self.multiply_adds = self.between_inputs = self.longest_chain = 0
        self._behind = {id(x): 0 for x in _tensors(inputs)}
        self._kept: list[Tensor] = [*_tensors(inputs)]  # so that no identity is used twice

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        read = _tensors((args, kwargs))
        known = [self._behind[id(x)] for x in read if id(x) in self._behind]
        count = flop_registry.get(func._overloadpacket)
        if count is not None:
            cost = count(*args, **kwargs, out_val=result) // 2
            self.multiply_adds += cost
            factors = [x for x in read if x.dim() > 1]
            if sum(id(x) in self._behind for x in factors[-2:]) == 2:
                self.between_inputs += cost
        if known:
            depth = max(known) + (count is not None)
            self.longest_chain = max(self.longest_chain, depth)
            for made in _tensors(result):
                self._behind[id(made)] = depth
                self._kept.append(made)
        return result


def _tensors(values: Any) -> list[Tensor]:
    return [x for x in tree_leaves(values) if isinstance(x, Tensor)]
