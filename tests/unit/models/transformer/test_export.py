"""Models of tokens become graphs: torch.export sees no data-dependent branch, and the graph computes the same."""

import pytest
import torch

from plica.errors import InvalidInput
from plica.models.attention import Attend, Performer, causal
from plica.models.transformer import BERT, GPT, BERTConfig, GPTConfig, Transformer, TransformerConfig

SMALL = {"d_model": 8, "n_heads": 2}
TOKENS = torch.tensor([[3, 4, 5, 6], [6, 5, 4, 3]])
PADDED = torch.tensor([[3, 4, 5, 6], [6, 5, 0, 0]])


def models() -> dict[str, tuple[torch.nn.Module, tuple[torch.Tensor, ...], tuple[torch.Tensor, ...]]]:
    torch.manual_seed(0)
    two = Transformer(TransformerConfig(10, 10, d_ff=16, n_encoder_layers=1, n_decoder_layers=1, **SMALL))
    return {
        "gpt": (GPT(GPTConfig(10, n_layers=2, max_length=8, **SMALL)), (TOKENS,), (TOKENS.flip(1),)),
        "rotary": (GPT(GPTConfig(10, n_layers=1, max_length=8, position="rotary", **SMALL)), (TOKENS,), (TOKENS.flip(1),)),
        "window": (
            GPT(GPTConfig(10, n_layers=2, max_length=8, variant="window", reach=1, **SMALL)),
            (TOKENS,),
            (TOKENS.flip(1),),
        ),
        "performer": (GPT(GPTConfig(10, n_layers=2, variant="performer", n_features=8, **SMALL)), (TOKENS,), (TOKENS.flip(1),)),
        "linear": (GPT(GPTConfig(10, n_layers=2, variant="linear", **SMALL)), (TOKENS,), (TOKENS.flip(1),)),
        "bert": (BERT(BERTConfig(10, n_layers=1, **SMALL)), (TOKENS,), (PADDED,)),
        "transformer": (two, (TOKENS, TOKENS.clone()), (PADDED, TOKENS)),
    }


@pytest.mark.parametrize("name", models())
def test_an_exported_model_computes_the_same_also_with_padding(name: str) -> None:
    """The model is asked after the export only: it must not have kept tensors of the graph."""
    model, inputs, others = models()[name]
    graph = torch.export.export(model.eval(), inputs).module()
    for given in (inputs, others):
        assert torch.allclose(graph(*given), model(*given), atol=1e-6)


@pytest.mark.parametrize("name", ["gpt", "rotary", "window", "bert", "transformer"])
def test_a_graph_may_be_for_all_lengths(name: str) -> None:
    model, inputs, _ = models()[name]
    batch = torch.export.Dim("batch", min=2, max=16)
    lengths = [torch.export.Dim(f"length{i}", min=2, max=8) for i in range(len(inputs))]
    graph = torch.export.export(model.eval(), inputs, dynamic_shapes=tuple({0: batch, 1: n} for n in lengths)).module()
    longer = [torch.randint(1, 10, (3, 6 + i), generator=torch.Generator().manual_seed(i)) for i in range(len(inputs))]
    assert torch.allclose(graph(*longer), model(*longer), atol=1e-6)


def test_big_bird_is_exported_for_a_length_that_it_has_seen() -> None:
    torch.manual_seed(0)
    model = GPT(GPTConfig(10, n_layers=2, variant="big-bird", reach=2, max_length=16, **SMALL)).eval()
    tokens = torch.randint(0, 10, (2, 14))
    with pytest.raises(InvalidInput, match="not drawn") as caught:
        torch.export.export(model, (tokens,))
    assert "call the model once" in str(caught.value.hint)
    expected = model(tokens)
    assert torch.allclose(torch.export.export(model, (tokens,)).module()(tokens), expected, atol=1e-6)
    with pytest.raises(InvalidInput, match="given length"):
        torch.export.export(model, (tokens,), dynamic_shapes=({1: torch.export.Dim("length", min=2, max=16)},))


def test_an_exported_performer_says_nan_where_its_sums_are_lost() -> None:
    """The model itself goes on with logarithms there; a graph cannot, and zeros would look like a result."""
    attend = Attend(normalizer=Performer(8, 16), mask=causal())
    q, k, v = torch.randn(3, 1, 1, 5, 8, generator=torch.Generator().manual_seed(0)).unbind()
    graph = torch.export.export(attend, (q, k, v)).module()
    assert torch.allclose(graph(q, k, v), attend(q, k, v), atol=1e-6)
    long = graph(q * 100, k * 100, v)
    lost = long.isnan().all(-1)
    assert bool(attend(q * 100, k * 100, v).isfinite().all()) and bool(lost.any())
    assert torch.allclose(long[~lost], attend(q * 100, k * 100, v)[~lost], atol=1e-5)
