"""Deep fully connected networks whose layers are plain, residual or highway: one width, one choice."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from plica.models._config import Config, one_of, positive
from plica.models._model import Model

LAYERS = ("plain", "residual", "highway")


@dataclass(frozen=True)
class DeepConfig(Config):
    """Sizes of a deep network.

    Parameters
    ----------
    n_inputs, width, n_layers, n_outputs
        The first layer goes from inputs to ``width``, then come ``n_layers`` of one kind, then the output.
    layers
        ``plain``: relu(W x + b); ``residual``: x + relu(W x + b); ``highway``: T relu(W x + b) + (1 - T) x with a gate T.
    gate_bias
        The first bias of the gates: negative ones let everything pass at the beginning.
    """

    n_inputs: int
    n_outputs: int
    width: int = 32
    n_layers: int = 10
    layers: str = "residual"
    gate_bias: float = -2.0

    def problems(self) -> list[tuple[str, str]]:
        sizes = positive(n_inputs=self.n_inputs, n_outputs=self.n_outputs, width=self.width, n_layers=self.n_layers)
        return [*sizes, *one_of("layers", self.layers, LAYERS)]


class HighwayLayer(nn.Module):
    """y = T(x) H(x) + (1 - T(x)) x, H = relu(W x + b), T = sigmoid(W_T x + b_T) [srivastava2015]_.

    Examples
    --------
    A gate that is closed lets the input through, bit for bit:

    >>> layer = HighwayLayer(3, gate_bias=-1e4)
    >>> x = torch.randn(5, 3)
    >>> torch.equal(layer(x), x)
    True
    """

    def __init__(self, width: int, *, gate_bias: float) -> None:
        super().__init__()
        self.transform, self.gate = nn.Linear(width, width), nn.Linear(width, width)
        nn.init.constant_(self.gate.bias, gate_bias)

    def forward(self, x: Tensor) -> Tensor:
        gate = torch.sigmoid(self.gate(x))
        return gate * torch.relu(self.transform(x)) + (1 - gate) * x


class ResidualLayer(nn.Module):
    """x + relu(W x + b)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.transform, self.relu = nn.Linear(width, width), nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = x + self.relu(self.transform(x))
        return out


class DeepNetwork(Model[DeepConfig]):
    """A deep network of one kind of layers; plain and residual ones are piecewise linear.

    Examples
    --------
    >>> import plica
    >>> model = DeepNetwork(DeepConfig(2, 1, width=4, n_layers=3))
    >>> plica.from_torch(model.eval()).widths
    (2, 4, 4, 4, 4, 1)
    """

    Config = DeepConfig

    def __init__(self, config: DeepConfig) -> None:
        super().__init__(config)
        c = config
        self.first = nn.Sequential(nn.Linear(c.n_inputs, c.width), nn.ReLU())
        self.hidden = nn.Sequential(*(self._layer() for _ in range(c.n_layers)))
        self.output = nn.Linear(c.width, c.n_outputs)

    def _layer(self) -> nn.Module:
        c = self.config
        if c.layers == "highway":
            return HighwayLayer(c.width, gate_bias=c.gate_bias)
        if c.layers == "residual":
            return ResidualLayer(c.width)
        return nn.Sequential(nn.Linear(c.width, c.width), nn.ReLU())

    def forward(self, x: Tensor) -> Tensor:
        """Outputs (B, n_outputs) of rows (B, n_inputs)."""
        out: Tensor = self.output(self.hidden(self.first(x)))
        return out
