"""Entropy, spectra, collapse, steepness, equivariance, hulls and leaks of attention."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

import plica
from plica.errors import InvalidInput
from plica.measure import (
    attention_entropy,
    equivariance_defect,
    head_redundancy,
    hull_distance,
    jacobian_norms,
    leaks,
    rank_residual,
    rank_residuals,
    spectral_gap,
    trajectory_length,
)
from plica.models import attention as a

D = torch.float64


def test_entropy_is_that_of_the_record_and_follows_its_law() -> None:
    torch.manual_seed(0)
    layer = a.Attention(8, 2)
    with plica.record(layer) as r:
        layer(torch.randn(1, 6, 8))
    np.testing.assert_allclose(attention_entropy(r[0].weights), r[0].entropy, atol=1e-6)
    scores = np.random.default_rng(0).normal(size=(400, 512))
    for b in (0.0, 0.5, 1.0):
        weights = np.exp(b * scores) / np.exp(b * scores).sum(1, keepdims=True)
        assert attention_entropy(weights).mean() == pytest.approx(np.log(512) - b * b / 2, abs=0.01)


def test_rank_collapses_without_skips_and_not_with_them() -> None:
    torch.manual_seed(0)
    x = torch.randn(16, 32, dtype=D)
    layers = [a.Attention(32, 4, bias=False).double() for _ in range(6)]
    alone = rank_residuals(layers, x)
    skips = rank_residuals([lambda y, f=f: y + f(y) for f in layers], x)
    assert len(alone) == 7 and alone[0] == rank_residual(x) > 0.9
    assert alone[3] < 1e-3 * alone[0] and skips[6] > 0.3
    assert alone[3] / alone[2] < alone[2] / alone[1]


def test_the_softmax_of_random_scores_has_a_gap() -> None:
    scores = np.random.default_rng(1).normal(size=(400, 400))
    weights = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    found = spectral_gap(weights)
    assert found.first == pytest.approx(1.0, abs=0.02) and found.second < 5 / np.sqrt(400)
    assert 2 < found.stable_rank < 3 and found.gap == found.first - found.second


def test_dot_products_get_steeper_with_scale_and_cosines_do_not() -> None:
    torch.manual_seed(0)
    x = torch.randn(5, 6, dtype=D)
    scales = [1.0, 2.0, 4.0]
    dot = jacobian_norms(a.Attention(6, 1, score="dot"), x, scales=scales)
    cosine = jacobian_norms(a.Attention(6, 1, score="cosine", bias=False), x, scales=scales)
    assert dot[2] > 1.3 * dot[0]
    np.testing.assert_allclose(cosine, cosine[0], rtol=1e-6)


def test_positions_and_causal_masks_break_equivariance_and_linformer_too() -> None:
    torch.manual_seed(0)
    x = torch.randn(8, 8, dtype=D)

    def defect(**choices) -> float:
        return equivariance_defect(a.Attention(8, 2, **choices).double(), x)

    assert defect() < 1e-13 and defect(normalizer="relu") < 1e-13 and defect(normalizer="performer") < 1e-12
    for choices in ({"mask": "causal"}, {"position": "sinusoidal"}, {"position": "rotary"}, {"normalizer": a.Linformer(8, 4)}):
        assert defect(**choices) > 1e-3, choices


def test_outputs_of_softmax_are_in_the_hull_of_the_values_and_those_of_identity_are_not() -> None:
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 10, 3, dtype=D)
    for mask in (None, "causal"):
        assert hull_distance(a.Attend(mask=mask)(q, k, v), v).max() < 1e-9
    assert hull_distance(a.Attend(normalizer=a.Pointwise("identity"))(q, k, v), v).max() > 0.1


def test_redundancy_is_one_for_equal_heads() -> None:
    torch.manual_seed(0)
    layer = a.Attention(8, 2)
    with torch.no_grad():
        for projection in (layer.q_proj, layer.k_proj):
            projection.weight[4:] = projection.weight[:4]
            projection.bias[4:] = projection.bias[:4]
    same = head_redundancy(layer.explain(torch.randn(2, 6, 8)).weights)
    np.testing.assert_allclose(same, np.ones((2, 2)), atol=1e-6)
    other = head_redundancy(a.Attention(8, 2).explain(4 * torch.randn(2, 6, 8)).weights)
    assert 0 < other[0, 1] < 0.95


@pytest.mark.parametrize("method", ["gradient", "values"])
@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"normalizer": "relu"},
        {"normalizer": "performer"},
        {"normalizer": "linear"},
        {"score": "additive"},
        {"position": "relative"},
        {"position": "alibi", "score": "distance"},
    ],
    ids=str,
)
def test_causal_attention_does_not_leak(choices: dict, method: str) -> None:
    torch.manual_seed(0)
    x = torch.randn(1, 70, 8)  # longer than a chunk of prefix sums
    layer = a.Attention(8, 2, mask="causal", **choices)
    found = leaks(layer, x, method=method)
    assert not found and found.n_hidden == 70 * 69 // 2
    assert bool((np.diagonal(found.influence) > 0).all())
    assert leaks(a.Attention(8, 2, **choices), x, method=method)


def test_every_mask_hides_exactly_what_it_hides() -> None:
    x = torch.randn(1, 12, 8, dtype=D)
    for mask in (a.window(2), a.big_bird(2), a.order(list(range(11, -1, -1))), a.shifted_windows((3, 4), size=2, shift=1)):
        found = leaks(a.Attention(8, 2, mask=mask).double(), x, mask=mask)
        assert not found
        assert bool((found.influence[mask.matrix(12, 12).numpy()] != 0).all())


def test_leaks_are_found_through_embeddings_norms_and_argmaxes() -> None:
    torch.manual_seed(0)

    class Language(nn.Module):
        def __init__(self, *, peek: bool) -> None:
            super().__init__()
            self.tokens, self.head, self.peek = nn.Embedding(11, 8), nn.Linear(8, 11), peek
            self.block = a.Block(8, 2, attention={"mask": "causal"})

        def forward(self, ids):
            x = self.tokens(ids)
            return (self.head(self.block(x) + (1e-9 * x.roll(-1, 1) if self.peek else 0)),)

    ids = torch.randint(0, 11, (1, 6))
    assert not leaks(Language(peek=False), ids) and not leaks(Language(peek=False), ids, method="values")
    assert (2, 3) in leaks(Language(peek=True), ids).pairs
    batch_norm = nn.Sequential(nn.Linear(8, 8))
    assert not leaks(batch_norm, torch.randn(1, 6, 8), mask=torch.eye(6, dtype=torch.bool))
    top = leaks(lambda x: x + x[:, -1:].argmax(-1, keepdim=True), torch.randn(1, 6, 8))
    assert not top  # no derivative sees an argmax
    assert leaks(lambda x: x + x[:, -1:].argmax(-1, keepdim=True), torch.randn(1, 6, 8), method="values")


def frozen_block() -> tuple[plica.Network, torch.Tensor]:
    torch.manual_seed(0)
    block, x = a.Block(4, 2, d_ff=16), torch.randn(3, 4, dtype=D)
    return a.frozen(block, x), x


def test_the_relu_part_with_frozen_attention_has_cells() -> None:
    net, x = frozen_block()
    plane = plica.Plane.box(x.reshape(-1).numpy(), *np.eye(12)[:2])
    assert plica.count_regions(net, plane).n_cells > 3


def test_the_relu_part_with_frozen_attention_has_lengths() -> None:
    net, x = frozen_block()
    other = torch.randn(3, 4, dtype=D, generator=torch.Generator().manual_seed(1))
    length = trajectory_length(net, plica.Segment(x.reshape(-1).numpy(), other.reshape(-1).numpy()))
    points = net(np.linspace(x.numpy(), other.numpy(), 2001).reshape(2001, 3, 4)).reshape(2001, -1)
    assert length.kind == "exact"
    assert length.output == pytest.approx(np.linalg.norm(np.diff(points, axis=0), axis=1).sum(), rel=1e-5)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: spectral_gap(np.ones(3)), "one matrix"),
        (lambda: spectral_gap(np.zeros((2, 2))), "zeros"),
        (lambda: head_redundancy(np.ones((2, 2))), "heads"),
        (lambda: hull_distance(np.ones((2, 2)), np.ones((2, 3))), "shapes"),
        (lambda: attention_entropy([np.nan]), "finite"),
        (lambda: rank_residual(np.ones(3)), "length, width"),
        (lambda: jacobian_norms(nn.Linear(2, 2), np.ones((2, 2)), scales=[]), "0 scales"),
        (lambda: equivariance_defect(lambda x: x, torch.ones(1, 3)), "say nothing"),
        (lambda: leaks(lambda x: x, torch.ones(2, 3, 4)), "one sequence"),
        (lambda: leaks(lambda x: x, torch.ones(1, 3, 4), method="guess"), "unknown method"),
        (lambda: leaks(lambda x: x, torch.ones(1, 3, 4), mask="full"), "unknown mask"),
        (lambda: leaks(lambda x: x, torch.ones(1, 3, 4), mask=np.ones((2, 2))), "the mask has shape"),
        (lambda: leaks(lambda x: x, torch.ones(1, 3, dtype=torch.long)), "integers have no derivative"),
        (lambda: leaks(lambda x: x / 0 * 0, torch.ones(1, 3, 2)), "NaN"),
    ],
)
def test_bad_input_gets_a_clear_error(call, words) -> None:
    with pytest.raises(InvalidInput, match=words):
        call()
