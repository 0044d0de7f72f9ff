"""Recurrent encoder-decoders: one step at a time equals all at once, padding is invisible, attention is the core's."""

from __future__ import annotations

from itertools import product

import pytest
import torch

from plica.errors import InvalidInput
from plica.models import build
from plica.models.attention import Additive, Attend, Dot, Multiplicative
from plica.models.recurrent import Seq2Seq, Seq2SeqConfig
from plica.models.recurrent._lookup import Lookup

CELLS = ("rnn", "gru", "lstm")
CONTEXTS = ("none", "fixed", "additive", "multiplicative", "dot")


def small(**choices: object) -> Seq2Seq:
    config = Seq2SeqConfig.from_dict(
        {"source_vocabulary": 9, "target_vocabulary": 11, "d_embedding": 6, "d_hidden": 8, **choices}
    )
    return build(Seq2Seq, config, seed=0).double().eval()


@pytest.mark.parametrize(("cell", "context"), list(product(CELLS, CONTEXTS)))
def test_one_step_at_a_time_equals_all_at_once(cell: str, context: str) -> None:
    model = small(cell=cell, context=context, n_layers=2)
    source, target = torch.tensor([[3, 4, 5, 6], [7, 8, 0, 0]]), torch.tensor([[1, 5, 6], [1, 7, 3]])
    tokens, state = model.begin(source)
    assert tokens.tolist() == [1, 1]
    steps = []
    for t in range(3):
        logits, state = model.advance(target[:, t], state)
        steps.append(logits)
    torch.testing.assert_close(torch.stack(steps, 1), model(source, target), rtol=0, atol=1e-12)


@pytest.mark.parametrize(("context", "bidirectional"), list(product(CONTEXTS, (False, True))))
def test_padding_changes_nothing(context: str, bidirectional: bool) -> None:
    model = small(context=context, bidirectional=bidirectional)
    short, target = torch.tensor([[3, 4, 5]]), torch.tensor([[1, 5]])
    both = torch.tensor([[3, 4, 5, 0, 0], [8, 7, 6, 5, 4]])
    torch.testing.assert_close(model(both, target.repeat(2, 1))[:1], model(short, target), rtol=0, atol=1e-12)


def test_without_attention_the_decoder_sees_one_vector_only() -> None:
    state = small(context="fixed").encode(torch.tensor([[3, 4, 5, 6]]))
    assert state.keys.shape == (1, 1, 8) and state.hidden.shape == (1, 1, 8)


@pytest.mark.parametrize("context", ["additive", "multiplicative", "dot"])
def test_alignments_are_weights_that_ignore_padding(context: str) -> None:
    weights = small(context=context).alignment(torch.tensor([[3, 4, 5, 6], [7, 8, 0, 0]]), torch.tensor([[1, 5], [1, 7]]))
    assert weights.shape == (2, 2, 4)
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 2).double())
    assert (weights[1, :, 2:] == 0).all() and (weights[0] > 0).all()


def test_a_lookup_is_the_attention_of_the_core() -> None:
    torch.manual_seed(0)
    q, memory = torch.randn(2, 3, 5).double(), torch.randn(2, 4, 5).double()
    visible = torch.tensor([[True] * 4, [True, True, False, False]])
    mask = visible[:, None, None]
    additive, core = Lookup("additive", 5, 5, 6).double(), Additive(5, hidden=6).double()
    with torch.no_grad():
        additive.of_query.bias.zero_()
        core.key_weight.copy_(additive.of_memory.weight.T[None])
        core.query_weight.copy_(additive.of_query.weight.T[None])
        core.weight.copy_(additive.direction)
    general, general_core = Lookup("multiplicative", 5, 5, 5).double(), Multiplicative(5).double()
    with torch.no_grad():
        general_core.weight.copy_(general.of_memory.weight[None])
    for lookup, score in ((additive, core), (general, general_core), (Lookup("dot", 5, 5, 5), Dot())):
        expected = Attend(score).weights(q[:, None], memory[:, None], mask=mask)[:, 0]
        torch.testing.assert_close(lookup.weights(q, lookup.keys(memory), visible), expected, rtol=0, atol=1e-12)


def test_a_query_that_sees_nothing_gets_no_weight() -> None:
    lookup = Lookup("dot", 4, 4, 4)
    weights = lookup.weights(torch.randn(1, 2, 4), torch.randn(1, 3, 4), torch.zeros(1, 3, dtype=torch.bool))
    assert (weights == 0).all()


@pytest.mark.parametrize(
    ("source", "target", "word"),
    [
        ([[3, 9]], [[1]], "0 to 8"),
        ([[3, -1]], [[1]], "0 to 8"),
        ([[3, 0, 4]], [[1]], "end of rows"),
        ([[3] * 40], [[1]], "max_length"),
        ([[3, 4]], [[1] * 40], "max_length"),
        ([[3, 4]], [[11]], "0 to 10"),
    ],
)
def test_tokens_outside_the_limits_are_refused(source: list[list[int]], target: list[list[int]], word: str) -> None:
    with pytest.raises(InvalidInput, match=word):
        small(max_length=32)(torch.tensor(source), torch.tensor(target))


def test_a_model_that_does_not_attend_has_no_alignment() -> None:
    with pytest.raises(InvalidInput, match="additive"):
        small(context="none").alignment(torch.tensor([[3]]), torch.tensor([[1]]))


def test_gradients_reach_every_parameter() -> None:
    model = small(cell="lstm", context="additive", n_layers=2)
    model(torch.tensor([[3, 4, 5]]), torch.tensor([[1, 5, 6]])).square().sum().backward()
    assert all(p.grad is not None and bool((p.grad != 0).any()) for p in model.parameters())


@pytest.mark.parametrize("cell", CELLS)
def test_the_last_layer_of_the_decoder_asks(cell: str) -> None:
    model = small(cell=cell, context="additive", n_layers=2)
    source, target = torch.tensor([[3, 4, 5, 6]]), torch.tensor([[1]])
    state = model.encode(source)
    asked = [model.lookup.weights(state.hidden[:, k : k + 1, :8], state.keys, state.visible) for k in (0, 1)]
    assert not torch.allclose(asked[0], asked[1])
    torch.testing.assert_close(model.alignment(source, target), asked[1])
