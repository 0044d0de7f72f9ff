"""Models written out once more in plain steps: search token by token, graphs edge by edge, images patch by patch."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import exp, log, prod
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from plica.models import attention as a
from plica.models.decoding import beam, greedy, sample
from plica.models.efficient import PermutationLM, PermutationLMConfig, TransformerXLConfig
from plica.models.efficient._permutation import TwoStreamBlock
from plica.models.efficient._xl import XLBlock
from plica.models.graphs import Graph
from plica.models.graphs._graph import loops_added, normalized_matrix
from plica.models.graphs._layers import GraphAttention, GraphConvolution, MessagePassing, propagate
from plica.models.recurrent import Seq2Seq, Seq2SeqConfig
from plica.models.sets import InducedBlock, Pooling, SetBlock
from plica.models.text import AlignmentModel
from plica.models.transformer import BERT, GPT, BERTConfig, GPTConfig
from plica.models.vision import ResNet, ResNetConfig, Swin, SwinConfig, VisionTransformer, ViTConfig
from plica.models.vision._resnet import ResidualBlock
from plica.models.vision._swin import WindowBlock

D = torch.float64


# -- search --------------------------------------------------------------------------------------------------------------------


class Table:
    """Logits that depend on all tokens so far, drawn once for each beginning; token 0 ends."""

    def __init__(self, vocabulary: int, end_bias: float = 0.0) -> None:
        self.config = SimpleNamespace(end=0, max_length=64)
        self.vocabulary, self.end_bias = vocabulary, end_bias
        self.known: dict[tuple[int, ...], Tensor] = {}

    def logits(self, prefix: tuple[int, ...]) -> Tensor:
        if prefix not in self.known:
            gen = torch.Generator().manual_seed(hash(prefix) % 2**31)
            row = 2 * torch.randn(self.vocabulary, generator=gen, dtype=D)
            row[0] += self.end_bias
            self.known[prefix] = row
        return self.known[prefix]

    def begin(self, source: Tensor) -> tuple[Tensor, Tensor]:
        return torch.full((len(source),), 99), source

    def advance(self, tokens: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        state = torch.cat([state, tokens[:, None]], 1)
        return torch.stack([self.logits(tuple(row)) for row in state.tolist()]), state


def plain_beam(model: Table, source: int, steps: int, width: int, penalty: float) -> tuple[tuple[int, ...], float, bool]:
    """One source, lists instead of tensors."""

    def continued(score: float, line: tuple[int, ...]) -> list[tuple[float, tuple[int, ...]]]:
        row = torch.log_softmax(model.logits((source, 99, *line)), -1).tolist()
        return [(score + gain, (*line, token)) for token, gain in enumerate(row)]

    beams = sorted(continued(0.0, ()), reverse=True)[:width]
    done: list[tuple[float, float, tuple[int, ...]]] = []
    while True:
        for score, line in beams:
            if line[-1] == 0:
                done.append((score / ((5 + len(line)) / 6) ** penalty, score, line[:-1]))
        running = [entry for entry in beams if entry[1][-1] != 0]
        if len(done) >= width or not running or len(running[0][1]) == steps:
            break
        beams = sorted((new for entry in running for new in continued(*entry)), reverse=True)[:width]
    if done:
        _, score, line = max(done)
        return line, score, True
    score, line = max(running)
    return line, score, False


@pytest.mark.parametrize("width", [1, 2, 3, 5])
@pytest.mark.parametrize("penalty", [0.0, 0.6, 2.5, -1.0])
def test_a_beam_is_a_search_with_lists(width: int, penalty: float) -> None:
    for end_bias in (-2.0, 0.0, 2.0):
        model = Table(4, end_bias)
        found = beam(model, torch.arange(12)[:, None], max_length=6, width=width, length_penalty=penalty)  # type: ignore[arg-type]
        for source in range(12):
            line, score, finished = plain_beam(model, source, 6, width, penalty)
            assert found.tokens[source] == line and found.finished[source] == finished
            assert found.log_probabilities[source] == pytest.approx(score, abs=1e-9)


def test_the_usual_penalty_of_a_beam_is_six_tenths() -> None:
    model, source = Table(4), torch.arange(60)[:, None]
    usual, named = (beam(model, source, max_length=6, **how).tokens for how in ({}, {"length_penalty": 0.6, "width": 4}))  # type: ignore[arg-type]
    assert usual == named
    for other in (0.0, 1.0):
        assert beam(model, source, max_length=6, length_penalty=other).tokens != usual  # type: ignore[arg-type]


@pytest.mark.parametrize("write", [lambda m, s: greedy(m, s, max_length=5), lambda m, s: sample(m, s, max_length=5, seed=3)])
def test_what_is_written_has_the_probability_of_its_tokens(write: Callable[[Any, Tensor], Any]) -> None:
    model = Table(3)
    found = write(model, torch.arange(30)[:, None])
    assert 0 < sum(found.finished) < 30
    for source, (line, total, finished) in enumerate(zip(found.tokens, found.log_probabilities, found.finished, strict=True)):
        tokens = (*line, 0) if finished else line
        assert finished or len(line) == 5
        gains = [torch.log_softmax(model.logits((source, 99, *tokens[:i])), -1)[t].item() for i, t in enumerate(tokens)]
        assert total == pytest.approx(sum(gains), abs=1e-12) and 0 not in line


# -- graphs --------------------------------------------------------------------------------------------------------------------


def one_way(seed: int = 0, n: int = 6) -> tuple[Graph, Tensor]:
    """A directed graph with weights and some loops, and its matrix: entry (i, j) is the edge from j to i."""
    gen = torch.Generator().manual_seed(seed)
    matrix = torch.rand(n, n, generator=gen, dtype=D) * (torch.rand(n, n, generator=gen) < 0.4)
    edges = [(j, i, matrix[i, j]) for i in range(n) for j in range(n) if matrix[i, j]]
    source, target, weight = (torch.tensor(column) for column in zip(*edges, strict=True))
    return Graph(source, target, weight, n), matrix


def test_matrices_of_directed_graphs_have_targets_in_rows() -> None:
    graph, matrix = one_way()
    assert torch.equal(graph.dense(), matrix) and torch.equal(Graph.from_dense(matrix).dense(), matrix)
    x = torch.randn(6, 3, dtype=D, generator=torch.Generator().manual_seed(1))
    by_edges = torch.zeros(6, 3, dtype=D)
    for j, i, w in zip(graph.source.tolist(), graph.target.tolist(), graph.weight.tolist(), strict=True):
        by_edges[i] += w * x[j]
    assert torch.allclose(propagate(graph, x), by_edges) and torch.allclose(propagate(matrix, x), by_edges)
    layer = MessagePassing(lambda own, other, weight: own * other * weight, lambda own, received: received - own)
    expected = -x.clone()
    for j, i, w in zip(graph.source.tolist(), graph.target.tolist(), graph.weight.tolist(), strict=True):
        expected[i] += w * x[j] * x[i]
    assert torch.allclose(layer(x, graph), expected) and torch.allclose(layer(x, matrix), expected)


def test_a_normalized_graph_is_divided_by_what_comes_in() -> None:
    graph, matrix = one_way(2)
    full = matrix.clone()
    full.fill_diagonal_(1.0)  # loops that were there are replaced
    assert torch.equal(loops_added(matrix), full)
    degree = [sum(full[i].tolist()) for i in range(6)]
    expected = torch.tensor([[full[i, j] / (degree[i] * degree[j]) ** 0.5 for j in range(6)] for i in range(6)], dtype=D)
    assert torch.allclose(normalized_matrix(matrix), expected) and torch.allclose(graph.normalized.dense(), expected)
    layer = GraphConvolution(3, 2).double()
    x = torch.randn(6, 3, dtype=D)
    assert torch.allclose(layer(x, graph), expected @ x @ layer.weight + layer.bias)


@pytest.mark.parametrize("scale", [1.0, 1e3])
def test_graph_attention_along_edges_is_that_of_every_pair(scale: float) -> None:
    torch.manual_seed(0)
    graph, matrix = one_way(3)
    layer = GraphAttention(3, 4, 2).double()
    x = torch.randn(6, 3, dtype=D) * scale  # large scores must not overflow
    z = (x @ layer.weight.detach()).view(6, 2, 4)
    of_target, of_source = layer.of_target.detach(), layer.of_source.detach()
    out = torch.zeros(6, 2, 4, dtype=D)
    for i, h in product(range(6), range(2)):
        seen = [j for j in range(6) if j == i or matrix[i, j] != 0]
        raw = [float(z[i, h] @ of_target[h] + z[j, h] @ of_source[h]) for j in seen]
        scores = [s if s > 0 else 0.2 * s for s in raw]
        weights = [exp(s - max(scores)) for s in scores]
        out[i, h] = sum(w / sum(weights) * z[j, h] for w, j in zip(weights, seen, strict=True))
    expected = out.flatten(1) + layer.bias
    assert torch.allclose(layer(x, graph), expected, atol=1e-9 * scale) and torch.allclose(
        layer(x, matrix), expected, atol=1e-9 * scale
    )


@pytest.mark.parametrize("dense", [True, False])
def test_weights_of_graph_attention_are_dropped_in_training(dense: bool) -> None:
    torch.manual_seed(0)
    n = 40
    layer = GraphAttention(1, 1, 1, dropout=0.5).double().train()
    with torch.no_grad():
        layer.weight.fill_(1.0), layer.of_source.zero_(), layer.of_target.zero_()
    matrix = torch.ones(n, n, dtype=D)
    graph = matrix if dense else Graph.from_dense(matrix)
    x = torch.ones(n, 1, dtype=D)
    drawn = torch.stack([layer(x, graph)[:, 0] for _ in range(200)])
    # inputs and sent values are dropped for all at once, weights for each receiver by itself
    assert drawn.mean().item() == pytest.approx(1.0, abs=0.1) and drawn.std(1).mean().item() > 0.1
    layer.eval()
    assert torch.allclose(layer(x, graph), x)


# -- sets, images --------------------------------------------------------------------------------------------------------------


def test_blocks_of_sets_are_their_formulas() -> None:
    torch.manual_seed(0)
    block, pool, induced = SetBlock(8, 2).double(), Pooling(8, 2, 3).double(), InducedBlock(8, 2, 4).double()
    x, y = torch.randn(2, 5, 8, dtype=D), torch.randn(2, 3, 8, dtype=D)

    def applied(b: SetBlock, u: Tensor, v: Tensor) -> Tensor:
        h = b.attention_norm(u + b.attention(u, v))
        return b.feed_forward_norm(h + b.feed_forward.outer(torch.relu(b.feed_forward.inner(h))))

    assert torch.allclose(block(x, y), applied(block, x, y)) and torch.allclose(block(x), applied(block, x, x))
    prepared = pool.prepare.outer(torch.relu(pool.prepare.inner(x)))
    assert torch.allclose(pool(x), applied(pool.block, pool.seeds.expand(2, -1, -1), prepared))
    points = applied(induced.inward, induced.points.expand(2, -1, -1), x)
    assert torch.allclose(induced(x), applied(induced.outward, x, points))


SMALL = ViTConfig(side=8, patch=4, n_channels=1, n_classes=3, d_model=8, n_layers=2, n_heads=2)


def test_a_vision_transformer_reads_its_class_from_the_first_token() -> None:
    torch.manual_seed(0)
    model = (
        VisionTransformer(ViTConfig(side=8, patch=4, n_channels=2, n_classes=3, d_model=8, n_layers=2, n_heads=2)).double().eval()
    )
    nn.init.normal_(model.of_class)
    x = torch.randn(2, 2, 8, 8, dtype=D)
    rows = []
    for i, j in product(range(2), range(2)):
        patch = x[:, :, 4 * i : 4 * i + 4, 4 * j : 4 * j + 4]
        rows.append((patch[:, None] * model.patches.weight).sum((2, 3, 4)) + model.patches.bias)
    tokens = torch.stack([model.of_class[0, 0].expand(2, -1), *rows], 1) + model.position
    for block in model.blocks:
        tokens = block(tokens)
    assert torch.allclose(model(x), model.output(model.norm(tokens))[:, 0])


def test_tokens_of_images_are_dropped_in_training() -> None:
    model = VisionTransformer(
        ViTConfig(side=8, patch=4, n_channels=1, n_classes=3, d_model=8, n_layers=1, n_heads=2, dropout=0.5)
    )
    model.blocks = nn.ModuleList()
    x = torch.randn(1, 1, 8, 8)
    torch.manual_seed(0)
    assert not torch.equal(model.train()(x), model.train()(x)) and torch.equal(model.eval()(x), model.eval()(x))


def test_swin_takes_the_mean_of_normalized_tokens() -> None:
    torch.manual_seed(0)
    model = Swin(SwinConfig(side=8, patch=2, n_channels=1, n_classes=3, d_model=8, depths=(1,), n_heads=(2,), window=4)).double()
    model.stages = nn.ModuleList()
    nn.init.normal_(model.norm.weight), nn.init.normal_(model.norm.bias)
    x = torch.randn(2, 1, 8, 8, dtype=D)
    tokens = model.patch_norm(model.patches(x).flatten(2).transpose(1, 2))
    mean, spread = tokens.mean(-1, keepdim=True), tokens.var(-1, keepdim=True, unbiased=False)
    normal = (tokens - mean) / (spread + 1e-5).sqrt() * model.norm.weight + model.norm.bias
    assert torch.allclose(model(x), model.output(normal.mean(1)))


# -- texts ---------------------------------------------------------------------------------------------------------------------


def test_the_likelihood_of_a_translation_is_a_sum_over_all_alignments() -> None:
    pairs = [(e.split(), f.split()) for e, f in (("the house", "das Haus"), ("the book is", "das Buch"), ("a book", "ein Buch"))]
    model = AlignmentModel.fit(pairs, n_steps=3)
    for e, f in pairs:
        words = ["", *e]
        rows = [model.table[model.sources.index(word)] for word in words]
        total = 0.0
        for alignment in product(range(len(words)), repeat=len(f)):
            total += prod(float(rows[i][model.targets.index(t)]) for t, i in zip(f, alignment, strict=True))
        assert model.log_likelihood(e, f) == pytest.approx(log(total) - len(f) * log(len(e) + 1), abs=1e-12)
    assert model.history[-1] == pytest.approx(sum(model.log_likelihood(e, f) for e, f in pairs))


@pytest.mark.parametrize("n_predicted", [None, 1, 3])
def test_the_loss_of_an_order_is_that_of_its_last_tokens(n_predicted: int | None) -> None:
    torch.manual_seed(0)
    model = PermutationLM(PermutationLMConfig(7, d_model=8, n_heads=2, n_layers=2)).double().eval()
    nn.init.normal_(model.output.weight)
    nn.init.normal_(model.embedding.weight)
    tokens = torch.randint(7, (3, 5))
    places = torch.randperm(5, generator=torch.Generator().manual_seed(4)).tolist()
    logits = torch.log_softmax(model(tokens, places), -1)
    asked = places[-n_predicted:] if n_predicted else places
    losses = [-logits[b, p, tokens[b, p]].item() for b in range(3) for p in asked]
    assert model.loss(tokens, seed=4, n_predicted=n_predicted).item() == pytest.approx(sum(losses) / len(losses), rel=1e-12)


def test_what_is_added_to_the_stream_begins_smaller_in_deeper_models() -> None:
    torch.manual_seed(0)
    model = GPT(GPTConfig(50, 64, 8, 4))
    for block in model.blocks:
        assert block.attention.out_proj.weight.std().item() == pytest.approx(0.02 / 4, rel=0.1)
        assert block.feed_forward.outer.weight.std().item() == pytest.approx(0.02 / 4, rel=0.1)
        assert block.attention.q_proj.weight.std().item() == pytest.approx(0.02, rel=0.1)


def test_heads_may_be_wider_or_narrower_than_their_share_of_the_stream() -> None:
    for position in ("learned", "rotary", "lecture", "sinusoidal"):
        model = GPT(GPTConfig(11, 16, 1, 2, d_head=4, max_length=8, position=position)).eval()
        assert model.blocks[0].attention.q_proj.out_features == 8
        assert model(torch.tensor([[1, 2, 3]])).shape == (1, 3, 11)


@pytest.mark.parametrize("n", [3, 8, 9, 13])
def test_a_prompt_leaves_room_for_its_last_token(n: int) -> None:
    torch.manual_seed(0)
    model = GPT(GPTConfig(11, 16, 2, 2, max_length=8)).double().eval()
    prompt = torch.randint(11, (2, n))
    last, state = model.begin(prompt)
    assert state.tokens.shape[1] == min(n, 8) - 1 and torch.equal(last, prompt[:, -1])
    logits, after = model.advance(last, state)
    assert torch.allclose(logits, model(prompt[:, -8:])[:, -1], atol=1e-12) and after.tokens.shape[1] == min(n, 8)
    token = logits.argmax(-1)
    longer = torch.cat([prompt, token[:, None]], 1)[:, -8:]
    assert torch.allclose(model.advance(token, after)[0], model(longer)[:, -1], atol=1e-12)


# -- parts ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("residual", [True, False])
def test_a_residual_block_adds_what_its_layers_make(residual: bool) -> None:
    torch.manual_seed(0)
    model = ResNet(ResNetConfig.preset("resnet-20", residual=residual)).double().eval()
    for block in (m for m in model.modules() if isinstance(m, ResidualBlock)):
        first = next(m for m in block.layers if isinstance(m, nn.Conv2d))
        x = torch.randn(1, first.in_channels, 6, 6, dtype=D)
        inside = x
        for layer in block.layers:
            inside = layer(inside)
        across = torch.zeros_like(inside) if block.shortcut is None else block.shortcut(x)
        assert torch.allclose(block(x), (inside + across).clamp(min=0)) and inside.detach().abs().max().item() > 1e-3
        assert (block.shortcut is None) == (not residual)


@pytest.mark.parametrize("position", ["none", "sinusoidal", "learned", "rotary", "alibi", "buckets", "relative"])
def test_positions_join_the_tokens_or_every_attention_and_never_both(position: str) -> None:
    model = GPT(GPTConfig(11, 16, 1, 2, max_length=8, position=position))
    joined = {"sinusoidal": a.Sinusoidal, "learned": a.Learned}.get(position, type(None))
    inside = {"rotary": a.Rotary, "alibi": a.Alibi, "buckets": a.Buckets, "relative": a.Relative}.get(position, a.Position)
    assert type(model.tokens.position) is joined and type(model.blocks[0].attention.attend.position) is inside


def test_dropout_between_recurrent_layers_is_there_where_there_are_several() -> None:
    for n_layers, inner in ((1, 0.0), (2, 0.3)):
        model = Seq2Seq(Seq2SeqConfig(10, 10, d_embedding=8, d_hidden=8, n_layers=n_layers, dropout=0.3))
        assert model.encoder.dropout == model.decoder.dropout == inner and model.dropout.p == 0.3


def test_what_asks_for_a_hidden_token_begins_small() -> None:
    torch.manual_seed(0)
    model = PermutationLM(PermutationLMConfig(7, d_model=512, n_heads=2, n_layers=1))
    assert model.question.std().item() == pytest.approx(0.02, rel=0.15)
    bert = BERT(BERTConfig(50, 512, 1, 2))
    assert bert.segments is not None and bert.segments.weight.std().item() == pytest.approx(0.02, rel=0.1)


def test_a_block_of_two_streams_is_its_formula() -> None:
    torch.manual_seed(0)
    block = TwoStreamBlock(PermutationLMConfig(7, d_model=8, n_heads=2, n_layers=1)).double()
    content, query = torch.randn(2, 2, 5, 8, dtype=D)
    weak, strict = a.order([2, 0, 3, 1, 4]), a.order([2, 0, 3, 1, 4], strict=True)
    normal = block.attention_norm(content)
    asked = query + block.attention(block.attention_norm(query), normal, mask=strict)
    seen = content + block.attention(normal, normal, mask=weak)
    expected = [x + block.feed_forward(block.feed_forward_norm(x)) for x in (seen, asked)]
    for found, formula in zip(block(content, query, weak, strict), expected, strict=True):
        assert torch.allclose(found, formula)
    assert block.feed_forward.inner.out_features == 32
    wide = TwoStreamBlock(PermutationLMConfig(7, d_model=8, n_heads=2, n_layers=1, d_ff=5))
    assert wide.feed_forward.inner.out_features == 5


def test_a_block_of_windows_is_its_formula() -> None:
    torch.manual_seed(0)
    block = WindowBlock(8, 2, side=4, window=2, shift=1).double()
    x = torch.randn(2, 16, 8, dtype=D)
    h = x + block.attention(block.attention_norm(x))
    inner = nn.functional.gelu(block.feed_forward.inner(block.feed_forward_norm(h)))
    assert torch.allclose(block(x), h + block.feed_forward.outer(inner)) and inner.shape[-1] == 32


def test_memory_of_a_segment_enters_its_block_by_formula() -> None:
    torch.manual_seed(0)
    config = TransformerXLConfig(7, d_model=8, n_heads=2, n_layers=1, reach=3)
    block = XLBlock(config).double().eval()
    memory, x = torch.randn(1, 3, 8, dtype=D), torch.randn(1, 4, 8, dtype=D)
    normal = block.attention_norm(torch.cat([memory, x], 1))
    h = x + block.attention(normal[:, 3:], normal, offset=3)
    assert torch.allclose(block(x, memory), h + block.feed_forward(block.feed_forward_norm(h)))
    alone = x + block.attention(block.attention_norm(x))
    assert torch.allclose(block(x, None), alone + block.feed_forward(block.feed_forward_norm(alone)))
