"""Pointer networks."""

from __future__ import annotations

import pytest
import torch

from plica.errors import InvalidInput
from plica.models import build
from plica.models.attention import Additive, Attend
from plica.models.decoding import greedy
from plica.models.recurrent import PointerConfig, PointerNetwork


@pytest.fixture
def model() -> PointerNetwork:
    return build(PointerNetwork, PointerConfig(2, d_hidden=6), seed=0).double().eval()


def test_one_pointer_at_a_time_equals_all_at_once(model: PointerNetwork) -> None:
    points, target = torch.rand(2, 4, 2).double(), torch.tensor([[2, 1, 4], [3, 3, 1]])
    tokens, state = model.begin(points)
    steps = []
    for t in range(4):
        logits, state = model.advance(tokens, state)
        steps.append(logits)
        tokens = target[:, min(t, 2)]
    torch.testing.assert_close(torch.stack(steps, 1), model(points, target), rtol=0, atol=1e-12)


def test_the_output_is_the_weights_of_additive_attention(model: PointerNetwork) -> None:
    points = torch.rand(1, 4, 2).double()
    outputs, last = model.encoder(points)
    memory = torch.cat([model.stop[None, None], outputs], 1)
    query, _ = model.decoder(model.first[None, None], last)
    core = Additive(6).double()
    with torch.no_grad():
        core.key_weight.copy_(model.lookup.of_memory.weight.T[None])
        core.query_weight.copy_(model.lookup.of_query.weight.T[None])
        core.weight.copy_(model.lookup.direction)
        model.lookup.of_query.bias.zero_()
    expected = Attend(core).weights(query[:, None], memory[:, None])[:, 0]
    torch.testing.assert_close(model(points, torch.zeros(1, 0, dtype=torch.long)).exp(), expected, rtol=0, atol=1e-12)


def test_it_points_at_as_many_places_as_there_are(model: PointerNetwork) -> None:
    for n in (1, 3, 9):
        found = greedy(model, torch.rand(5, n, 2).double(), max_length=n + 1)
        assert all(1 <= p <= n for row in found.tokens for p in row)


@pytest.mark.parametrize("shape", [(3, 2), (1, 0, 2), (1, 4, 3)])
def test_inputs_of_a_wrong_shape_are_refused(model: PointerNetwork, shape: tuple[int, ...]) -> None:
    with pytest.raises(InvalidInput, match="expected"):
        model(torch.rand(*shape), torch.zeros(1, 1, dtype=torch.long))


def test_pointers_outside_the_inputs_are_refused(model: PointerNetwork) -> None:
    with pytest.raises(InvalidInput, match="1 to 4"):
        model(torch.rand(1, 4, 2).double(), torch.tensor([[5]]))
