"""plica.record sees the attention of every model, and of others."""

from collections.abc import Iterator
from functools import partial

import pytest
import torch
from torch import nn

import plica
from plica.errors import InvalidInput
from plica.models.attention import Attend
from plica.models.decoding import beam, greedy, sample
from plica.models.graphs import GAT, GATConfig, Graph
from plica.models.recurrent import PointerConfig, PointerNetwork, Seq2Seq, Seq2SeqConfig
from plica.models.transformer import BERT, GPT, BERTConfig, GPTConfig, Transformer, TransformerConfig
from plica.models.vision import NonLocalBlock, Swin, SwinConfig

SMALL = {"d_model": 8, "n_heads": 2}
TOKENS = torch.tensor([[3, 4, 5, 6], [6, 5, 4, 3]])
MODELS = {
    "gpt": (lambda: GPT(GPTConfig(10, n_layers=2, max_length=8, **SMALL)), (TOKENS,), (2, 2, 4, 4), 2),
    "bert": (lambda: BERT(BERTConfig(10, n_layers=1, **SMALL)), (TOKENS,), (2, 2, 4, 4), 1),
    "transformer": (
        lambda: Transformer(TransformerConfig(10, 10, d_ff=16, n_encoder_layers=1, n_decoder_layers=1, **SMALL)),
        (TOKENS, TOKENS),
        (2, 2, 4, 4),
        3,
    ),
    "swin": (
        lambda: Swin(SwinConfig(side=8, patch=1, n_channels=1, n_classes=3, d_model=8, depths=(2,), n_heads=(2,), window=4)),
        (torch.rand(1, 1, 8, 8),),
        (4, 2, 16, 16),
        2,
    ),
    "non-local": (lambda: NonLocalBlock(4), (torch.rand(1, 4, 3, 3),), (1, 1, 9, 9), 1),
    "seq2seq": (lambda: Seq2Seq(Seq2SeqConfig(10, 10, d_embedding=8, d_hidden=8)), (TOKENS, TOKENS), (2, 1, 1, 4), 1),
    "pointer": (
        lambda: PointerNetwork(PointerConfig(2, d_hidden=8)),
        (torch.rand(2, 5, 2), torch.tensor([[1], [2]])),
        (2, 1, 2, 6),
        1,
    ),
    "gat": (
        lambda: GAT(GATConfig(3, 2, d_head=2, n_heads=2)),
        (torch.rand(3, 3), Graph.from_edges([(0, 1), (1, 2)], 3)),
        (1, 1, 3, 3),
        2,
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_every_model_that_attends_is_seen(name: str) -> None:
    build, inputs, shape, n_layers = MODELS[name]
    torch.manual_seed(0)
    model = build().eval()
    alone = model(*inputs)
    with plica.record(model) as seen:
        assert torch.equal(model(*inputs), alone)
    assert len(seen.names) == n_layers and all(seen.calls.values())
    assert seen[-1].weights.shape == shape and seen[-1].entropy.shape == shape[:-1]
    assert torch.allclose(seen[-1].weights.sum(-1), torch.ones(shape[:-1]), atol=1e-6)
    assert not any(module._forward_hooks for module in model.modules())


def test_the_recorded_alignment_is_that_of_the_model() -> None:
    torch.manual_seed(0)
    model = Seq2Seq(Seq2SeqConfig(10, 10, d_embedding=8, d_hidden=8)).eval()
    with plica.record(model) as seen:
        model(TOKENS, TOKENS)
    steps = torch.cat([call.weights[:, 0] for call in seen.calls["lookup"]], 1)
    assert torch.equal(steps, model.alignment(TOKENS, TOKENS))


class BorrowedAttention(nn.Module):
    """As in Hugging Face's transformers: (output, weights), without weights unless it is eager."""

    def __init__(self, *, eager: bool) -> None:
        super().__init__()
        self.eager = eager

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor | None]:
        weights = (x @ x.transpose(-1, -2)).softmax(-1)[:, None]
        return weights[:, 0] @ x, weights if self.eager else None


class BorrowedOuterAttention(nn.Module):
    def __init__(self, *, eager: bool) -> None:
        super().__init__()
        self.inner = BorrowedAttention(eager=eager)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.inner(x)[0]


def test_modules_of_others_that_return_their_weights_are_seen() -> None:
    model, x = BorrowedOuterAttention(eager=True), torch.rand(2, 3, 4)
    with plica.record(model) as seen:
        model(x)
    assert seen.names == ("inner",) and torch.equal(seen[0].weights[:, 0] @ x, model(x))


def test_modules_of_others_without_weights_say_how_to_get_them() -> None:
    model = BorrowedOuterAttention(eager=False)
    with pytest.raises(InvalidInput, match="returns no attention weights") as caught, plica.record(model):
        model(torch.rand(2, 3, 4))
    assert "eager" in str(caught.value.hint)


def test_what_is_recorded_is_the_call_that_was_made() -> None:
    """Output, weights and scores are those of these queries and keys; output and queries have one shape here."""
    attend = Attend()
    q, k, v = torch.randn(3, 1, 1, 5, 4, generator=torch.Generator().manual_seed(0)).unbind()
    with plica.record(attend) as seen:
        output = attend(q, k, v)
    expected = (q @ k.transpose(-1, -2) / 2).softmax(-1)
    torch.testing.assert_close(seen[0].weights, expected)
    torch.testing.assert_close(seen[0].output, output)
    torch.testing.assert_close(seen[0].weights @ v, output)


@pytest.mark.parametrize("name", ["gpt", "bert", "transformer", "swin", "non-local"])
def test_models_make_no_tensors_on_another_device_than_their_inputs(name: str) -> None:
    """The meta device refuses tensors of the processor as an accelerator would."""
    build, inputs, *_ = MODELS[name]
    assert build().eval().to("meta")(*(x.to("meta") for x in inputs)).device.type == "meta"


@pytest.fixture
def elsewhere() -> Iterator[None]:
    """Whatever is made without a word on where comes to lie on another device, which nothing on the processor can meet."""
    torch.set_default_device("meta")
    yield
    torch.set_default_device(None)


VARIANTS = [
    (v, p) for v in ("full", "window", "big-bird", "performer", "linear") for p in ("learned", "rotary", "alibi", "buckets")
]


@pytest.mark.parametrize(
    "name", [*MODELS, *(f"{v} {p}" for v, p in VARIANTS if v not in ("performer", "linear") or p == "learned")]
)
def test_whatever_a_model_makes_lies_where_its_inputs_are(name: str, request: pytest.FixtureRequest) -> None:
    if name in MODELS:
        build, inputs, *_ = MODELS[name]
        model = build().eval()
    else:
        variant, position = name.split()
        config = GPTConfig(10, n_layers=1, max_length=600, variant=variant, position=position, reach=4, n_features=8, **SMALL)
        model, inputs = GPT(config).eval(), (torch.randint(0, 10, (1, 600)),)
    request.getfixturevalue("elsewhere")
    model(*inputs).square().mean().backward()
    assert all(p.grad is None or p.grad.device.type == "cpu" for p in model.parameters())


@pytest.mark.parametrize("name", ["gpt", "transformer", "seq2seq"])
def test_what_is_written_lies_where_the_source_is(name: str, request: pytest.FixtureRequest) -> None:
    model = MODELS[name][0]().eval()
    request.getfixturevalue("elsewhere")
    for write in (greedy, beam, partial(sample, seed=0, top_k=3, top_p=0.9)):
        assert len(write(model, TOKENS, max_length=6).tokens) == 2


def test_a_graph_moves_with_its_model() -> None:
    graph = Graph.from_edges([(0, 1), (1, 2)], 3)
    assert graph.normalized.n_edges == 7  # kept with the graph, and not to be taken along
    moved = graph.to("meta")
    assert {moved.source.device.type, moved.target.device.type, moved.weight.device.type} == {"meta"}
    there = graph.to("cpu")
    assert torch.equal(there.normalized.dense(), graph.normalized.dense()) and there.n_nodes == 3


@pytest.mark.peer
@pytest.mark.filterwarnings("ignore")  # of a library, about its own future
def test_attention_of_a_hugging_face_model_is_recorded_and_drawn() -> None:
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    from plica.plot import plot_attention

    config = transformers.GPT2Config(vocab_size=20, n_embd=16, n_layer=2, n_head=2, n_positions=8, attn_implementation="eager")
    torch.manual_seed(0)
    model = transformers.GPT2LMHeadModel(config).eval()
    with torch.no_grad(), plica.record(model) as seen:
        theirs = model(TOKENS, output_attentions=True).attentions
    assert len(seen.names) == 2
    for k in range(2):
        torch.testing.assert_close(seen[k].weights, theirs[k], atol=1e-6, rtol=1e-5)
    ax = plot_attention(seen[1].weights[0, 1], queries=list("abcd"), keys=list("abcd"))
    shown = ax.images[0].get_array()
    assert shown.shape == (4, 4) and [t.get_text() for t in ax.get_xticklabels()] == list("abcd")
    assert torch.allclose(torch.as_tensor(shown.data).float(), theirs[1][0, 1], atol=1e-6)
    with pytest.raises(InvalidInput, match="one head"):
        plot_attention(seen[1].weights[0])
