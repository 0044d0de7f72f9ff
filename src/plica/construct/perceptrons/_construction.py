"""Constructions of perceptrons: the same questions, asked of networks that are not piecewise linear."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plica.construct._construction import Construction
from plica.construct.perceptrons._certificate import UnitCertificate
from plica.construct.perceptrons._perceptron import Perceptron

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, eq=False, repr=False)
class UnitConstruction(Construction):
    """A construction whose network is a :class:`Perceptron`: steps, sigmoids, cosines or exponentials.

    It has no complex and no ONNX form; ``module`` gives it to torch.

    Examples
    --------
    >>> from plica.construct import multiplication
    >>> multiplication().network
    <Perceptron 'multiplication gate' of softplus units 2 -> 4 -> 1, 12 weights>
    """

    network: Perceptron  # type: ignore[assignment]
    certificate: UnitCertificate | None = None  # type: ignore[assignment]

    @property
    def n_weights(self) -> int:
        """The number of weights and biases that are not zero."""
        return self.network.n_weights

    def module(self, dtype: torch.dtype | None = None) -> torch.nn.Module:
        """The network as a torch module, float64 unless another dtype is given."""
        return self.network.to_torch(dtype)
