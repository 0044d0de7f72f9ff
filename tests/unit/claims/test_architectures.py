"""The experiments on architectures: a training that is cut goes on as if it had not been, data are what they say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from plica.claims.architectures._hulls import area, batch, hull, pointer_loss, score
from plica.claims.architectures._transduction import answer
from plica.claims.architectures.bahdanau_2015 import alignment_figure
from plica.claims.architectures.tiny_shakespeare import chain, walk
from plica.errors import PlicaError
from plica.learn.tasks import (
    END,
    START,
    Batches,
    Corpus,
    Recipe,
    bleu,
    losses,
    padded,
    planted_partition,
    train,
    translate,
    without_edges,
)
from plica.models import build
from plica.models.recurrent import Seq2Seq, Seq2SeqConfig
from plica.models.text import BytePairEncoding

X = torch.linspace(-1, 1, 32)[:, None]
RECIPE = Recipe(30, rate=1e-2, n_warmup=3, seed=4, n_between_checkpoints=10)


def draw(step: int) -> Tensor:
    return X[torch.randint(0, 32, (8,), generator=torch.Generator().manual_seed(step))]


def squares(model: nn.Module, x: Tensor) -> Tensor:
    return (model(x) - x**2).square().mean()


def network() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Dropout(0.2), nn.Linear(8, 1))


def test_a_training_that_is_cut_equals_one_that_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = network()
    expected = train(whole, draw, squares, RECIPE)
    monkeypatch.setenv("PLICA_CHECKPOINTS", str(tmp_path))

    def breaking(step: int) -> Tensor:
        if step == 26:
            raise KeyboardInterrupt
        return draw(step)

    with pytest.raises(KeyboardInterrupt):
        train(network(), breaking, squares, RECIPE, name="cut")
    again = network()
    found = train(again, draw, squares, RECIPE, name="cut")
    assert losses(found) == losses(expected) and found.n_steps == len(losses(found)) == 30
    assert all(torch.equal(a, b) for a, b in zip(whole.parameters(), again.parameters(), strict=True))


def test_a_loss_that_is_not_a_number_stops_the_training() -> None:
    with pytest.raises(PlicaError, match="step 1"):
        train(network(), lambda step: torch.full((1, 1), torch.nan), squares, RECIPE)


def test_every_pair_is_read_once_in_each_epoch() -> None:
    pairs = [([3 + i % 5] * (1 + i % 4), [10 + i]) for i in range(23)]
    batches = Batches(pairs, 5, seed=0)
    for epoch in range(2):
        seen = [int(t) for k in range(5) for t in batches(5 * epoch + k)[1][:, 1]]
        assert sorted(seen) == list(range(10, 33))
    source, read, write = batches(3)
    assert (read[:, 0] == START).all() and (write.gather(1, (write != 0).sum(1, keepdim=True) - 1) == END).all()
    again = Batches(pairs, 5, seed=0)(3)
    assert torch.equal(source, again[0])


def test_a_translator_translates_in_the_order_of_the_sentences() -> None:
    bpe = BytePairEncoding.train(["ab ba ab"], n_tokens=265, specials=["<padding>", "<start>", "<end>"])
    model = build(Seq2Seq, Seq2SeqConfig(bpe.n_tokens, bpe.n_tokens, d_embedding=8, d_hidden=8, max_length=80), seed=0)
    corpus = Corpus(bpe, [], [])
    sentences = ["ab ba", "b", "", "ab ab ab"]
    together = translate(model, corpus.bpe, sentences, n_batch=2)
    assert len(together) == 4 and together == [translate(model, corpus.bpe, [s])[0] for s in sentences]


def test_an_alignment_is_drawn_token_by_token() -> None:
    import matplotlib.pyplot as plt

    bpe = BytePairEncoding.train(["ab ba ab"], n_tokens=265, specials=["<padding>", "<start>", "<end>"])
    model = build(Seq2Seq, Seq2SeqConfig(bpe.n_tokens, bpe.n_tokens, d_embedding=8, d_hidden=8, max_length=128), seed=0).eval()
    figure, ax = plt.subplots()
    alignment_figure(model, Corpus(bpe, [], []), "ab ba ab")(ax)
    assert [label.get_text() for label in ax.get_xticklabels()] == [bpe.text([t]).strip() for t in bpe.encode("ab ba ab")]
    assert len(ax.images) == 1
    plt.close(figure)


@pytest.mark.slow
def test_a_graph_network_learns_cora() -> None:
    from plica.claims.architectures.kipf_2017_cora import accuracies
    from plica.data import DatasetUnavailable
    from plica.learn.tasks import cora

    try:
        nodes = cora()
    except DatasetUnavailable:
        pytest.skip("Cora is not in PLICA_DATA")
    assert accuracies(nodes, 2, 200)[0] > 0.79


def test_bleu_is_a_hundred_for_the_reference_itself_and_names_its_settings() -> None:
    pytest.importorskip("sacrebleu", reason="the extra 'text' is not installed")
    texts = [f"A man {verb} a red ball in the park ." for verb in ("throws", "kicks", "sees", "buys")]
    perfect, other = bleu(texts, texts), bleu([t.replace("red", "blue") for t in texts], texts)
    assert perfect.score == pytest.approx(100) and 20 < other.score < 80
    assert "tok:13a" in perfect.signature and "case:mixed" in perfect.signature and perfect.standard_error < 1e-9


def test_hulls_are_those_of_scipy() -> None:
    from scipy.spatial import ConvexHull

    rng = np.random.default_rng(0)
    for n in (3, 4, 5, 12, 40):
        points = rng.random((n, 2))
        corners, expected = hull(points), ConvexHull(points)
        assert sorted(corners) == sorted(expected.vertices.tolist()) and corners[0] == min(corners)
        assert area(points, corners) == pytest.approx(expected.volume)


def test_right_answers_score_one_and_nonsense_scores_nothing() -> None:
    points, target, hulls = batch(6, 5, np.random.default_rng(0))
    right = tuple(tuple(c + 1 for c in corners) for corners in hulls)
    assert score(right, points, hulls) == (1.0, pytest.approx(1.0))
    assert score(((1, 1, 2),) * 6, points, hulls) == (0.0, 0.0)
    sure = torch.full((6, 6, 6), -50.0).scatter(2, target[:, :, None], 0.0)
    assert float(pointer_loss(sure, target)) == 0.0


def test_tasks_reorder_as_they_say() -> None:
    source = torch.tensor([[5, 6, 7, 8]])
    assert [answer(source, t)[0].tolist() for t in ("copy", "reverse", "verb")] == [[5, 6, 7, 8], [8, 7, 6, 5], [5, 8, 6, 7]]


def test_the_entropy_of_a_chain_is_what_its_text_shows() -> None:
    matrix, entropy = chain(5, 1)
    text = walk(matrix, 40_000, 2)
    surprise = -np.log(matrix[text[:-1], text[1:]])
    assert abs(surprise.mean() - entropy) < 5 * surprise.std() / 200


def test_planted_classes_are_linked_more_often_inside() -> None:
    nodes = planted_partition(seed=1)
    same = nodes.y[nodes.graph.source] == nodes.y[nodes.graph.target]
    assert 0.7 < float(same.double().mean()) < 0.95 and without_edges(nodes).graph.n_edges == 0
    assert not set(nodes.train.tolist()) & set(nodes.test.tolist())


def test_padding_fills_the_ends_of_rows() -> None:
    assert padded([[1, 2], [3]]).tolist() == [[1, 2], [3, 0]]
