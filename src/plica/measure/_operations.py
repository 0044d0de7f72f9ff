"""What a run of a module costs, whatever the machine: its multiply-adds, and how many products wait for each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import nn


@dataclass(frozen=True)
class Operations:
    """Counted while a module ran once.

    Attributes
    ----------
    multiply_adds
        Of matrix products and convolutions; sums, activations and normalizers are not counted.
    between_inputs
        Those of them in which both factors depend on the inputs: scores and averages of attention, no weights.
    longest_chain
        The most products of which each needs the result of the one before: what remains with processors without end.
    """

    multiply_adds: int
    between_inputs: int
    longest_chain: int


def operations(module: nn.Module, *inputs: Any) -> Operations:
    """Run a module once, without gradients, and count its products.

    Nothing is computed for tensors on the device ``meta``, so models that fit in no memory can be counted.

    Examples
    --------
    >>> import torch
    >>> from torch import nn
    >>> operations(nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 2)), torch.zeros(7, 3))
    Operations(multiply_adds=175, between_inputs=0, longest_chain=2)
    """
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    from plica.measure._operations_counter import Counter

    counter = Counter(inputs)
    with torch.no_grad(), sdpa_kernel(SDPBackend.MATH), counter:  # a fused kernel would hide its products
        module(*inputs)
    return Operations(counter.multiply_adds, counter.between_inputs, counter.longest_chain)
