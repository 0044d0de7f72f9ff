"""Models of tokens become graphs: torch.export sees no data-dependent branch, and the graph computes the same."""

import pytest
import torch

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
        "bert": (BERT(BERTConfig(10, n_layers=1, **SMALL)), (TOKENS,), (PADDED,)),
        "transformer": (two, (TOKENS, TOKENS.clone()), (PADDED, TOKENS)),
    }


@pytest.mark.parametrize("name", ["gpt", "rotary", "bert", "transformer"])
def test_an_exported_model_computes_the_same_also_with_padding(name: str) -> None:
    model, inputs, others = models()[name]
    graph = torch.export.export(model.eval(), inputs).module()
    for given in (inputs, others):
        assert torch.allclose(graph(*given), model(*given), atol=1e-6)
