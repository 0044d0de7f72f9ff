"""Queries at an offset, dropout in training, and what is kept from call to call: against pairs looked at one by one."""

from __future__ import annotations

from collections.abc import Callable
from math import log

import pytest
import torch
from torch import Tensor

from plica.errors import InvalidInput
from plica.models import attention as a
from plica.models.attention import _attend
from plica.models.attention._blocks import tiling

D = torch.float64
Rule = Callable[[int, int], bool]
ORDER = [3, 1, 7, 0, 5, 2, 6, 4]
RULES: dict[str, tuple[Callable[[], a.Mask], Rule]] = {
    "full": (a.full, lambda i, j: True),
    "causal": (a.causal, lambda i, j: j <= i),
    "window": (lambda: a.window(2), lambda i, j: abs(i - j) <= 2),
    "window, causal": (lambda: a.window(2, causal=True), lambda i, j: 0 <= i - j <= 2),
    "dilated": (lambda: a.dilated(2, step=3), lambda i, j: i - j in (-6, -3, 0, 3, 6)),
    "dilated, causal": (lambda: a.dilated(2, step=3, causal=True), lambda i, j: i - j in (0, 3, 6)),
    "block": (lambda: a.block(3), lambda i, j: i // 3 == j // 3),
    "order": (lambda: a.order(ORDER), lambda i, j: ORDER.index(j) <= ORDER.index(i)),
    "graph": (lambda: a.graph(torch.eye(8).roll(1, 1)), lambda i, j: j in (i, (i + 1) % 8)),
    "not causal": (lambda: ~a.causal(), lambda i, j: j > i),
    "either": (lambda: a.block(2) | a.dilated(1, step=4), lambda i, j: i // 2 == j // 2 or i - j in (-4, 0, 4)),
    "both": (lambda: a.causal() & a.window(3), lambda i, j: 0 <= i - j <= 3),
    "with a tensor": (lambda: a.causal() & a.explicit((torch.arange(8) % 3 > 0).expand(8, 8)), lambda i, j: j <= i and j % 3 > 0),
    "not both": (
        lambda: ~(a.causal() & a.explicit((torch.arange(8) % 3 > 0).expand(8, 8))),
        lambda i, j: not (j <= i and j % 3 > 0),
    ),
    "or a tensor": (
        lambda: a.causal() | a.explicit((torch.arange(8)[:, None] % 2 == 0).expand(8, 8)),
        lambda i, j: j <= i or i % 2 == 0,
    ),
}  # fmt: skip


def pairs(rule: Rule, n: int, n_keys: int, offset: int) -> Tensor:
    return torch.tensor([[rule(offset + i, j) for j in range(n_keys)] for i in range(n)])


@pytest.mark.parametrize("name", RULES)
def test_one_mask_is_right_at_all_offsets_one_after_the_other(name: str) -> None:
    make, rule = RULES[name]
    mask = make()
    for n, offset in ((8, 0), (3, 0), (3, 2), (3, 5), (3, 2), (1, 7), (4, 1), (8, 0)):
        seen = pairs(rule, n, 8, offset)
        assert torch.equal(mask.matrix(n, 8, offset=offset).expand(n, 8), seen)
        assert torch.equal(mask.hidden(n, 8, offset=offset).expand(n, 8), ~seen)


def test_what_a_sparse_mask_stands_for() -> None:
    for mask in (a.window(2, causal=True), a.dilated(1, step=2, causal=True), a.big_bird(2, causal=True)):
        assert torch.equal(mask.exact.matrix(6, 6), pairs(lambda i, j: j <= i, 6, 6, 0))
    for mask in (a.window(2), a.dilated(1, step=2), a.block(2), a.big_bird(2), a.shifted_windows((2, 3), size=2)):
        assert bool(mask.exact.matrix(6, 6).all())
    assert a.causal().exact.is_causal


@pytest.mark.parametrize("first", [True, False])
def test_restricted_to_the_past_no_part_of_a_combination_sees_the_future(first: bool) -> None:
    parts = (a.big_bird(2, radius=0), a.window(9))
    for mask in (parts[0] | parts[1], parts[1] | parts[0], parts[0] & parts[1], parts[0] | a.explicit(torch.ones(12, 12) > 0)):
        restricted = (a.causal() & mask if first else mask & a.causal()).matrix(12, 12)
        assert not bool(restricted.triu(1).any()) and bool(restricted.diagonal().all())


CHOICES: dict[str, dict] = {
    "softmax": {},
    "by distance": {"score": a.Distance()},
    "additive": {"score": a.Additive(4)},
    "relu": {"normalizer": a.Pointwise()},
    "alibi": {"position": a.Alibi(2)},
    "rotary": {"position": a.Rotary(4)},
}


def scores_of(attend: a.Attend, q: Tensor, k: Tensor, bias: Tensor | None, offset: int) -> Tensor:
    """Pair by pair, of one batch of two heads."""
    out = torch.zeros(*q.shape[:-1], k.shape[-2], dtype=D)
    for h in range(q.shape[1]):
        for i in range(q.shape[-2]):
            for j in range(k.shape[-2]):
                one, other = q[0, h, i], k[0, h, j]
                if isinstance(attend.position, a.Rotary):
                    one = attend.position(one[None], offset=offset + i)[0]
                    other = attend.position(other[None], offset=j)[0]
                if isinstance(attend.score, a.Distance):
                    value = -(one - other).square().sum() / 2
                elif isinstance(attend.score, a.Additive):
                    s = attend.score
                    value = (torch.tanh(one @ s.query_weight[0] + other @ s.key_weight[0]) * s.weight[0, 0, 0]).sum()
                else:
                    value = one @ other / 2
                if isinstance(attend.position, a.Alibi):
                    value = value - attend.position.slopes[h] * abs(offset + i - j)
                out[0, h, i, j] = value + (0 if bias is None else bias[i, j])
    return out


@pytest.mark.parametrize("mask", ["full", "causal", "window", "dilated, causal"])
@pytest.mark.parametrize("name", CHOICES)
def test_attention_at_an_offset_is_that_of_every_pair(name: str, mask: str) -> None:
    make, rule = RULES[mask]
    attend = a.Attend(mask=make(), **CHOICES[name]).double()
    gen = torch.Generator().manual_seed(0)
    for n, n_keys, offset in ((5, 5, 0), (4, 4, 2), (3, 6, 0), (3, 6, 3), (2, 6, 1), (6, 3, 0)):
        q, k = (torch.randn(1, 2, m, 4, dtype=D, generator=gen) for m in (n, n_keys))
        v = torch.randn(1, 2, n_keys, 3, dtype=D, generator=gen)
        for bias in (None, torch.randn(n, n_keys, dtype=D, generator=gen)):
            scores = scores_of(attend, q, k, bias, offset)
            seen = pairs(rule, n, n_keys, offset)
            if isinstance(attend.normalizer, a.Pointwise):
                weights = scores.clamp(min=0) * seen
            else:
                weights = scores.masked_fill(~seen, -torch.inf).softmax(-1)
                weights = torch.where(seen.any(-1)[:, None], weights, 0.0)
            found = attend(q, k, v, bias=bias, offset=offset)
            assert torch.allclose(found, weights @ v, atol=1e-12)
            assert torch.allclose(attend.weights(q, k, bias=bias, offset=offset), weights, atol=1e-12)


@pytest.mark.parametrize("mask", ["full", "causal", "window"])
@pytest.mark.parametrize("name", CHOICES)
def test_dropout_of_weights_is_there_in_training_and_only_there(name: str, mask: str) -> None:
    attend = a.Attend(mask=RULES[mask][0](), dropout=0.25, **CHOICES[name]).double()
    q, k = torch.randn(2, 1, 2, 16, 4, dtype=D, generator=torch.Generator().manual_seed(1))
    one = torch.eye(16, dtype=D).expand(1, 2, 16, 16)
    attend.eval()
    weights = attend.weights(q, k)
    assert torch.allclose(attend(q, k, one), weights, atol=1e-12)
    attend.train()
    torch.manual_seed(0)
    drawn = torch.cat([attend(q, k, one) for _ in range(40)])
    some = (weights.abs() > 1e-9).expand_as(drawn)
    gone = drawn == 0
    assert torch.allclose(drawn[~gone], (weights / 0.75).expand_as(drawn)[~gone], atol=1e-12)
    assert gone[some].double().mean().item() == pytest.approx(0.25, abs=0.03)


def test_tiles_are_those_of_the_offset_and_of_the_mask_that_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_attend, "_TILED_FROM", 16)
    monkeypatch.setattr(_attend, "_TILED_BELOW", 2.0)
    attend = a.Attend(mask=a.window(3)).double()
    q = torch.randn(1, 2, 20, 4, dtype=D, generator=torch.Generator().manual_seed(2))
    k, v = torch.randn(2, 1, 2, 80, 4, dtype=D, generator=torch.Generator().manual_seed(3))
    for offset in (0, 30, 60, 0):
        seen = pairs(lambda i, j: abs(i - j) <= 3, 20, 80, offset)
        weights = (q @ k.transpose(-1, -2) / 2).masked_fill(~seen, -torch.inf).softmax(-1)
        assert torch.allclose(attend(q, k, v, offset=offset), weights @ v, atol=1e-12)
    both = attend(k, k, v, mask="causal")  # another mask than the attention's own
    seen = pairs(lambda i, j: 0 <= i - j <= 3, 80, 80, 0)
    weights = (k @ k.transpose(-1, -2) / 2).masked_fill(~seen, -torch.inf).softmax(-1)
    assert torch.allclose(both, weights @ v, atol=1e-12)
    near = (k @ k.transpose(-1, -2) / 2).masked_fill(~pairs(lambda i, j: abs(i - j) <= 3, 80, 80, 0), -torch.inf).softmax(-1)
    for again in (attend(k, k, v, mask="full"), attend(k, k, v)):
        assert torch.allclose(again, near @ v, atol=1e-12)
    # the twin with all pairs is asked after the sparse one was
    dense = (k @ k.transpose(-1, -2) / 2).softmax(-1) @ v
    assert torch.allclose(attend.exact()(k, k, v), dense, atol=1e-12)
    off = (attend(k, k, v) - dense).norm() / dense.norm()
    assert attend.error_against_exact(k, k, v) == pytest.approx(off.item(), rel=1e-12)
    past = a.Attend(mask=a.window(3, causal=True)).double()
    past(q, k, v, offset=60)
    seen = pairs(lambda i, j: j <= i, 20, 80, 60)
    weights = (q @ k.transpose(-1, -2) / 2).masked_fill(~seen, -torch.inf).softmax(-1)
    assert torch.allclose(past.exact()(q, k, v, offset=60), weights @ v, atol=1e-12)
    attend = a.Attend(mask=a.window(3), dropout=0.5).double().train()
    torch.manual_seed(0)
    assert bool((attend(k, k, torch.eye(80, dtype=D).expand(1, 2, 80, 80)).diagonal(dim1=-2, dim2=-1) == 0).any())


@pytest.mark.parametrize("mask", ["full", "causal", "window"])
@pytest.mark.parametrize("normalizer", [a.Linear(), a.Performer(4, 7, seed=2)], ids=["linear", "performer"])
def test_feature_maps_at_an_offset_are_sums_over_visible_pairs(normalizer: a.FeatureMap, mask: str) -> None:
    make, rule = RULES[mask]
    attend = a.Attend(mask=make(), normalizer=normalizer).double()
    gen = torch.Generator().manual_seed(4)

    def features(x: Tensor) -> Tensor:
        x = x * 4**-0.25  # the root of the scores' factor on each side
        if isinstance(normalizer, a.Performer):
            return (x @ normalizer.directions.double().T - x.square().sum(-1, keepdim=True) / 2).exp()
        return torch.where(x > 0, x + 1, x.exp())

    for n, n_keys, offset in ((70, 70, 0), (5, 5, 2), (3, 8, 0), (3, 8, 5), (2, 8, 3)):
        q, k = (torch.randn(1, 2, m, 4, dtype=D, generator=gen) for m in (n, n_keys))
        v = torch.randn(1, 2, n_keys, 3, dtype=D, generator=gen)
        weights = features(q) @ features(k).transpose(-1, -2) * pairs(rule, n, n_keys, offset)
        weights = weights / weights.sum(-1, keepdim=True)
        assert torch.allclose(attend.weights(q, k, offset=offset), weights, atol=1e-12)
        assert torch.allclose(attend(q, k, v, offset=offset), weights @ v, atol=1e-12)


def test_a_graph_gives_zero_to_a_query_that_sees_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    q, k, v = torch.randn(3, 2, 1, 4, 4, dtype=D, generator=torch.Generator().manual_seed(5))
    attend = a.Attend(normalizer=a.Linear(), mask=a.padding([0, 3], 4)).double()
    expected = attend(q, k, v)
    monkeypatch.setattr(torch.compiler, "is_compiling", lambda: True)
    for found in (attend(q, k, v), attend.weights(q, k) @ v):
        assert torch.equal(found[0], torch.zeros_like(found[0])) and torch.allclose(found, expected, atol=1e-13)


def test_the_error_of_heads_at_an_offset_is_taken_there() -> None:
    torch.manual_seed(0)
    attention = a.Attention(8, 2, mask=a.window(1), bias=False).double()
    with torch.no_grad():
        attention.out_proj.weight.copy_(torch.eye(8))
    x, memory = torch.randn(1, 2, 8, dtype=D), torch.randn(1, 9, 8, dtype=D)
    errors = []
    for offset in (0, 3, 6):
        near, all_ = attention(x, memory, offset=offset), attention.exact()(x, memory, offset=offset)
        errors.append(attention.error_against_exact(x, memory, offset=offset))
        assert errors[-1] == pytest.approx(((near - all_).norm() / all_.norm()).item(), rel=1e-12)
    assert len(set(errors)) == 3


def test_the_weights_of_an_additive_score_begin_within_the_root_of_what_they_sum() -> None:
    torch.manual_seed(0)
    score = a.Additive(16, n_heads=8, hidden=400)
    for parameter, width in ((score.key_weight, 16), (score.query_weight, 16), (score.weight, 400)):
        assert 0.95 * width**-0.5 < parameter.abs().max().item() <= width**-0.5


def test_the_entropy_of_weights_of_both_signs_is_that_of_their_sizes() -> None:
    weights = torch.tensor([[0.5, -0.5, 0.0], [-3.0, 0.0, 0.0], [1.0, -1.0, 2.0], [0.0, 0.0, 0.0]], dtype=D)
    found = _attend.row_entropy(weights)
    assert found.tolist() == pytest.approx([log(2), 0.0, 1.5 * log(2), 0.0], abs=1e-15)


def test_a_learned_position_beyond_the_last_is_refused_at_an_offset_too() -> None:
    table = a.Learned(5, 4)
    assert torch.equal(table.table(2, offset=3), table.weight[3:5])
    with pytest.raises(InvalidInput, match="6 positions, only 5"):
        table.table(2, offset=4)


@pytest.mark.parametrize(
    "weights",
    [
        lambda: a.Buckets(200, n_buckets=8, farthest=16).weight,
        lambda: a.Relative(40, 50).content,
        lambda: a.Relative(40, 50).place,
    ],
)
def test_learned_biases_of_scores_start_small(weights: Callable[[], Tensor]) -> None:
    torch.manual_seed(0)
    assert weights().std().item() == pytest.approx(0.02, rel=0.1)


def test_the_density_of_tiles_counts_those_of_all_rows_and_columns() -> None:
    # two rows of tiles, five columns: each row sees its own tile and its neighbors
    found = tiling(a.window(1), 8, 20, size=4)
    assert (found.n_rows, found.n_columns) == (2, 5) and found.density == (2 + 3) / 10
