r"""The equations of an LSTM, written out: what torch computes in one call, step by step and gate by gate."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from plica.errors import InvalidInput


class LSTMStep(NamedTuple):
    """State and gates after one step, each (batch, d): what is forgotten, written, shown, and what would be written."""

    hidden: Tensor
    cell: Tensor
    forget: Tensor
    write: Tensor
    show: Tensor
    candidate: Tensor


def lstm_steps(lstm: nn.LSTM, x: Tensor, hidden: Tensor | None = None, cell: Tensor | None = None) -> list[LSTMStep]:
    r"""The steps of a one-layer LSTM over tokens x (batch, n, d), by its equations [hochreiter1997]_, [gers2000]_.

    .. math::
        f, i, o = \sigma(W_{f,i,o}\,[x_t; h_{t-1}] + b_{f,i,o}), \qquad g = \tanh(W_g [x_t; h_{t-1}] + b_g), \qquad
        c_t = f \odot c_{t-1} + i \odot g, \qquad h_t = o \odot \tanh c_t

    Examples
    --------
    >>> lstm = nn.LSTM(3, 4, batch_first=True)
    >>> x = torch.randn(2, 5, 3)
    >>> torch.allclose(lstm_steps(lstm, x)[-1].hidden, lstm(x)[0][:, -1], atol=1e-6)
    True
    """
    if lstm.num_layers != 1 or lstm.bidirectional or lstm.proj_size:
        raise InvalidInput("an LSTM with several layers, directions or a projection.", hint="one layer, one direction")
    if x.dim() != 3 or x.shape[-1] != lstm.input_size:
        raise InvalidInput(f"tokens of shape {tuple(x.shape)}.", hint=f"expected (batch, length, {lstm.input_size})")
    d = lstm.hidden_size
    h = x.new_zeros(len(x), d) if hidden is None else hidden
    c = x.new_zeros(len(x), d) if cell is None else cell
    state = dict(lstm.named_parameters())
    weight = torch.cat([state["weight_ih_l0"], state["weight_hh_l0"]], 1)
    bias = state["bias_ih_l0"] + state["bias_hh_l0"] if lstm.bias else weight.new_zeros(4 * d)
    steps = []
    for t in range(x.shape[1]):
        i, f, g, o = (torch.cat([x[:, t], h], 1) @ weight.T + bias).split(d, 1)  # torch's order of the gates
        write, forget, candidate, show = torch.sigmoid(i), torch.sigmoid(f), torch.tanh(g), torch.sigmoid(o)
        c = forget * c + write * candidate
        h = show * torch.tanh(c)
        steps.append(LSTMStep(h, c, forget, write, show, candidate))
    return steps
