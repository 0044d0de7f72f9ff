"""Pointer networks: the output is a sequence of positions of the input."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from plica.errors import InvalidInput
from plica.models._config import Config, positive, share
from plica.models._model import Model
from plica.models.recurrent._lookup import Lookup


@dataclass(frozen=True)
class PointerConfig(Config):
    """Sizes of a pointer network [vinyals2015]_.

    The decoder may point at the ``n`` inputs (tokens 1 to n) or end (token 0), which is one more learned entry of the memory.
    """

    d_input: int
    d_hidden: int = 128
    dropout: float = 0.0
    max_length: int = 1024

    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "vinyals2015-plane": {"d_input": 2, "d_hidden": 512},
    }

    def problems(self) -> list[tuple[str, str]]:
        return [
            *positive(d_input=self.d_input, d_hidden=self.d_hidden, max_length=self.max_length),
            *share(dropout=self.dropout),
        ]

    @property
    def end(self) -> int:
        """The token that ends an output."""
        return 0


class PointerState(NamedTuple):
    """What the decoder carries; every tensor has the batch first."""

    hidden: Tensor
    cell: Tensor
    inputs: Tensor
    keys: Tensor
    visible: Tensor


class PointerNetwork(Model[PointerConfig]):
    """An LSTM reads n vectors; another points at them with the weights of additive attention [vinyals2015]_.

    Examples
    --------
    >>> model = PointerNetwork(PointerConfig(2, d_hidden=8))
    >>> points = torch.rand(3, 5, 2)
    >>> model(points, torch.tensor([[1, 2], [3, 1], [5, 4]])).shape  # after the start and after each of two pointers
    torch.Size([3, 3, 6])
    """

    Config = PointerConfig

    def __init__(self, config: PointerConfig) -> None:
        super().__init__(config)
        d = config.d_hidden
        self.encoder = nn.LSTM(config.d_input, d, batch_first=True)
        self.decoder = nn.LSTM(config.d_input, d, batch_first=True)
        self.stop = nn.Parameter(torch.randn(d) / d**0.5)
        self.first = nn.Parameter(torch.zeros(config.d_input))
        self.lookup = Lookup("additive", d, d, d)
        self.dropout = nn.Dropout(config.dropout)
        for lstm in (self.encoder, self.decoder):  # torch's first weights are for inputs as wide as the state
            nn.init.xavier_uniform_(lstm.get_parameter("weight_ih_l0"))
        nn.init.normal_(self.lookup.direction, std=2 * d**-0.5)

    def forward(self, inputs: Tensor, target: Tensor) -> Tensor:
        """Log-probabilities (B, T + 1, n + 1) of what comes at the start and after each pointer of ``target`` (B, T)."""
        self._check_inputs(inputs)
        self._check_pointers(inputs, target)
        start, state = self.begin(inputs)
        return self._point(torch.cat([start[:, None], target], 1), state)[0]

    def begin(self, inputs: Tensor) -> tuple[Tensor, PointerState]:
        """Read the inputs (B, n, d); the start is the pointer 0."""
        self._check_inputs(inputs)
        outputs, (hidden, cell) = self.encoder(inputs)
        memory = torch.cat([self.stop.expand(len(inputs), 1, -1), outputs], 1)
        table = torch.cat([self.first.expand(len(inputs), 1, -1), inputs], 1)
        visible = torch.ones(len(inputs), memory.shape[1], dtype=torch.bool, device=inputs.device)
        state = PointerState(hidden[0], cell[0], table, self.lookup.keys(self.dropout(memory)), visible)
        return torch.zeros(len(inputs), dtype=torch.long, device=inputs.device), state

    def advance(self, tokens: Tensor, state: PointerState) -> tuple[Tensor, PointerState]:
        """Log-probabilities (B, n + 1) after the pointers, and the new state."""
        logits, state = self._point(tokens[:, None], state)
        return logits[:, 0], state

    def _point(self, tokens: Tensor, state: PointerState) -> tuple[Tensor, PointerState]:
        seen = state.inputs.gather(1, tokens[:, :, None].expand(-1, -1, state.inputs.shape[2]))
        outputs, (hidden, cell) = self.decoder(seen, (state.hidden[None].contiguous(), state.cell[None].contiguous()))
        scores = self.lookup(self.dropout(outputs), state.keys, state.visible)
        return torch.log_softmax(scores, -1), state._replace(hidden=hidden[0], cell=cell[0])

    def _check_inputs(self, inputs: Tensor) -> None:
        if inputs.dim() != 3 or inputs.shape[2] != self.config.d_input or not 1 <= inputs.shape[1] <= self.config.max_length:
            raise InvalidInput(
                f"inputs have shape {tuple(inputs.shape)}.",
                hint=f"expected (batch, 1 to {self.config.max_length}, {self.config.d_input})",
            )

    def _check_pointers(self, inputs: Tensor, target: Tensor) -> None:
        if target.dim() != 2 or target.is_floating_point() or len(target) != len(inputs):
            raise InvalidInput(f"target has shape {tuple(target.shape)} and type {target.dtype}.", hint="integers (batch, steps)")
        if target.numel() and (int(target.min()) < 0 or int(target.max()) > inputs.shape[1]):
            raise InvalidInput("target points outside the inputs.", hint=f"pointers are 1 to {inputs.shape[1]}, and 0 at the end")
