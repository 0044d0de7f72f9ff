"""The written equations are torch's, and what they are not for is refused."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from plica.errors import InvalidInput
from plica.models.recurrent import lstm_steps


@pytest.mark.parametrize("bias", [True, False])
def test_every_step_is_torchs(bias: bool) -> None:
    lstm = nn.LSTM(3, 5, batch_first=True, bias=bias).double()
    x, h, c = torch.randn(2, 6, 3).double(), torch.randn(2, 5).double(), torch.randn(2, 5).double()
    out, (_, last) = lstm(x, (h[None], c[None]))
    steps = lstm_steps(lstm, x, h, c)
    torch.testing.assert_close(torch.stack([s.hidden for s in steps], 1), out)
    torch.testing.assert_close(steps[-1].cell, last[0])
    torch.testing.assert_close(steps[0].cell, steps[0].forget * c + steps[0].write * steps[0].candidate)


def test_other_lstms_and_other_shapes_are_refused() -> None:
    for lstm in (nn.LSTM(3, 4, num_layers=2), nn.LSTM(3, 4, bidirectional=True), nn.LSTM(3, 4, proj_size=2)):
        with pytest.raises(InvalidInput):
            lstm_steps(lstm, torch.zeros(1, 2, 3))
    with pytest.raises(InvalidInput):
        lstm_steps(nn.LSTM(3, 4), torch.zeros(1, 2, 5))
