"""Identities of the core: sparse tiles, approximations, torch's weights, caches, positions."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import plica
from plica.errors import InvalidInput
from plica.models import attention as a
from plica.models.attention import _attend, _features

D = torch.float64


def heads(n: int, d: int = 8, *, scale: float = 1.0, seed: int = 0) -> tuple[torch.Tensor, ...]:
    q, k, v = torch.randn(3, 1, 2, n, d, dtype=D, generator=torch.Generator().manual_seed(seed))
    return q * scale, k * scale, v


@pytest.mark.parametrize(
    "mask",
    [a.window(5), a.window(40, causal=True), a.big_bird(8), a.block(48), a.dilated(3, step=7), a.causal() & a.window(9)],
    ids=lambda m: m.name,
)
def test_tiles_give_what_the_dense_mask_gives_with_its_gradients(mask: a.Mask, monkeypatch: pytest.MonkeyPatch) -> None:
    n = 200
    results = []
    for start in (64, 10**9):
        monkeypatch.setattr(_attend, "_TILED_FROM", start)
        monkeypatch.setattr(_attend, "_TILED_BELOW", 2.0)
        monkeypatch.setattr(_attend, "_TILE", 16)
        tensors = [t.clone().requires_grad_() for t in heads(n)]
        attend = a.Attend(mask=mask)
        output = attend(*tensors)
        assert bool(attend._tilings) == (start == 64)
        output.square().sum().backward()
        results.append([output.detach(), *(t.grad for t in tensors)])
    for found, expected in zip(*results, strict=True):
        assert found is not None and expected is not None
        assert torch.allclose(found, expected, rtol=0, atol=1e-13)


def test_tiles_leave_rows_without_keys_at_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_attend, "_TILED_FROM", 1)
    monkeypatch.setattr(_attend, "_TILED_BELOW", 2.0)
    monkeypatch.setattr(_attend, "_TILE", 4)
    A = torch.eye(12)
    A[3] = A[4:8] = 0
    output = a.Attend(mask=a.graph(A, loops=False))(*heads(12))
    assert bool((output[:, :, 3:8] == 0).all()) and bool(output[:, :, :3].abs().sum() > 0)


def test_the_tiles_of_a_window_grow_linearly() -> None:
    from plica.models.attention._blocks import tiling

    sizes = [sum(g.columns.numel() for g in tiling(a.window(16), n, n, size=16).groups) for n in (256, 512, 1024)]
    assert sizes[1] < 2.1 * sizes[0] and sizes[2] < 2.1 * sizes[1]


def test_masks_that_show_everything_are_full_attention() -> None:
    q, k, v = heads(20)
    full = a.Attend()(q, k, v)
    for mask in (a.window(20), a.big_bird(4, radius=5), a.block(20), a.graph(torch.ones(20, 20))):
        assert torch.allclose(a.Attend(mask=mask)(q, k, v), full, rtol=0, atol=1e-14)


def test_a_linformer_with_identity_projections_is_exact() -> None:
    q, k, v = heads(10)
    normalizer = a.Linformer(10, 10).double()
    with torch.no_grad():
        normalizer.keys.copy_(torch.eye(10))
        normalizer.values.copy_(torch.eye(10))
    attend = a.Attend(normalizer=normalizer)
    assert attend.is_approximate and attend.error_against_exact(q, k, v) < 1e-14
    with pytest.raises(InvalidInput, match="at most 10"):
        attend(*heads(11))


def test_what_is_exact_has_error_zero_and_approximations_say_theirs() -> None:
    q, k, v = heads(30, scale=0.3)
    assert a.Attend().error_against_exact(q, k, v) == 0.0 and not a.Attend().is_approximate
    errors = [a.Attend(normalizer=a.Performer(8, m).double()).error_against_exact(q, k, v) for m in (16, 256, 4096)]
    assert errors[0] > errors[1] > errors[2] and errors[2] < 0.05
    window = a.Attend(mask=a.window(3))
    assert window.error_against_exact(q, k, v) > 0.1 and window.exact().mask.is_full
    assert a.Attend(mask=a.window(3, causal=True)).exact().mask.is_causal


def test_features_stand_for_scores_by_distance_with_the_factor_of_each_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_features, "_log_weights", None)  # no sum is lost, so that logarithms are not needed
    q, k, v = heads(30, scale=0.3)
    k = k * torch.linspace(0.2, 2, 30, dtype=D)[:, None]  # keys of different lengths have different factors
    attend = a.Attend(a.Distance(), normalizer=a.Performer(8, 8192).double())
    assert attend.error_against_exact(q, k, v) < 0.05


def test_a_learned_bilinear_score_starts_as_the_scaled_one() -> None:
    q, k, _ = heads(5)
    assert torch.allclose(a.Multiplicative(8, n_heads=2).double()(q, k), a.Scaled()(q, k), atol=1e-6)


def test_attention_shares_its_weights_with_its_exact_twin() -> None:
    attention = a.Attention(8, 2, normalizer=a.Performer(4, 16), mask="causal", position=a.Sinusoidal(8))
    exact = attention.exact()
    assert exact.q_proj is attention.q_proj and isinstance(exact.attend.normalizer, a.Softmax)
    assert isinstance(attention.attend.normalizer, a.Performer)
    x = torch.randn(1, 5, 8)
    heads_error = attention.error_against_exact(x)
    assert 0 < heads_error < 2 and exact.error_against_exact(x) == 0.0


def test_performer_features_are_unbiased() -> None:
    q, k = 0.5 * torch.randn(2, 6, 4, dtype=D, generator=torch.Generator().manual_seed(0))
    for orthogonal in (True, False):
        estimates = []
        for seed in range(200):
            p = a.Performer(4, 64, orthogonal=orthogonal, seed=seed).double()
            top = (q @ p.directions.T - q.square().sum(-1, keepdim=True) / 2).amax(-1, keepdim=True).exp()
            estimates.append(top * (p.features(q, of_query=True) @ p.features(k, of_query=False).T))
        found = torch.stack(estimates)
        error = found.std(0) / 200**0.5
        assert bool(((found.mean(0) - (q @ k.T).exp()).abs() < 4.5 * error).all())


def test_performer_directions_are_orthogonal_in_blocks_and_saved() -> None:
    p = a.Performer(8, 20, seed=3)
    first = p.directions[:8]
    products = first @ first.T
    assert torch.allclose(products, torch.diag(products.diagonal()), atol=1e-5)
    assert "directions" in p.state_dict()
    before = p.directions.clone()
    p.redraw(4)
    assert not torch.equal(before, p.directions)


@pytest.mark.parametrize("kdim", [None, 12])
@pytest.mark.parametrize("bias", [True, False])
def test_weights_of_torch_load_and_give_equal_outputs(kdim: int | None, bias: bool) -> None:
    torch.manual_seed(0)
    module = nn.MultiheadAttention(16, 4, bias=bias, kdim=kdim, vdim=kdim, batch_first=True).double().eval()
    if bias:
        nn.init.normal_(module.in_proj_bias)
        nn.init.normal_(module.out_proj.bias)
    x, context = torch.randn(2, 7, 16, dtype=D), torch.randn(2, 5, kdim or 16, dtype=D)
    attention = a.Attention.from_torch(module)
    hidden = torch.tensor([[False, False, True, False, True], [False, True, False, False, False]])
    expected, weights = module(x, context, context, key_padding_mask=hidden, average_attn_weights=False)
    found = attention.explain(x, context, mask=~hidden[:, None, None, :])
    assert torch.allclose(found.output, expected, rtol=0, atol=1e-14)
    assert torch.allclose(found.weights, weights, rtol=0, atol=1e-14)
    causal = nn.Transformer.generate_square_subsequent_mask(7, dtype=D)
    if kdim is None:
        expected, _ = module(x, x, x, attn_mask=causal, need_weights=False)
        assert torch.allclose(attention(x, mask=a.from_torch_mask(causal)), expected, rtol=0, atol=1e-14)
        assert torch.allclose(attention(x, mask="causal"), expected, rtol=0, atol=1e-14)


def test_torch_modules_with_appended_keys_are_refused() -> None:
    with pytest.raises(InvalidInput, match="add_zero_attn"):
        a.Attention.from_torch(nn.MultiheadAttention(8, 2, add_zero_attn=True))
    with pytest.raises(InvalidInput, match="not one context"):
        a.Attention.from_torch(nn.MultiheadAttention(8, 2, kdim=4, vdim=6))


@pytest.mark.parametrize("normalizer", ["softmax", "relu", "performer", "linear"])
@pytest.mark.parametrize("position", ["none", "sinusoidal", "rotary", "alibi", "buckets", "relative"])
def test_a_cache_gives_what_one_pass_gives(normalizer: str, position: str) -> None:
    if position in ("alibi", "buckets", "relative") and normalizer in ("performer", "linear"):
        return
    torch.manual_seed(0)
    attention = a.Attention(8, 2, mask="causal", normalizer=normalizer, position=position).double()
    x = torch.randn(2, 7, 8, dtype=D)
    whole, cache = attention(x), a.Cache()
    parts = [attention(piece, cache=cache) for piece in x.split([3, 1, 1, 2], 1)]
    assert torch.allclose(torch.cat(parts, 1), whole, rtol=0, atol=1e-13) and len(cache) == 7
    cache.select(torch.tensor([1, 1]))
    assert cache.keys is not None and torch.equal(cache.keys[0], cache.keys[1])
    cache.forget(2)
    assert len(cache) == 2


def test_a_fixed_cache_keeps_the_memory() -> None:
    attention = a.Attention(8, 2, d_context=6).double()
    x, memory, cache = torch.randn(1, 3, 8, dtype=D), torch.randn(1, 4, 6, dtype=D), a.Cache(fixed=True)
    first = attention(x, memory, cache=cache)
    assert torch.equal(attention(x, torch.zeros_like(memory), cache=cache), first) and len(cache) == 4
    with pytest.raises(InvalidInput, match="self-attention"):
        attention(x, memory, cache=a.Cache())
    with pytest.raises(InvalidInput, match="offset"):
        attention(x, offset=2)


def test_observing_does_not_disturb_dropout() -> None:
    attention = a.Attention(8, 2, dropout=0.5)
    x = torch.randn(1, 6, 8)
    torch.manual_seed(0)
    alone = attention(x), torch.rand(1)
    torch.manual_seed(0)
    with plica.record(attention):
        observed = attention(x), torch.rand(1)
    assert torch.equal(alone[0], observed[0]) and torch.equal(alone[1], observed[1])


def test_rotary_scores_and_alibi_depend_on_differences_of_positions() -> None:
    rotary = a.Rotary(6)
    q, k = torch.randn(2, 1, 6, dtype=D)
    products = [float((rotary(q, offset=t) * rotary(k, offset=t + 3)).sum()) for t in (0, 5, 100)]
    assert products == pytest.approx([products[0]] * 3, abs=1e-12)
    assert float(rotary(q, offset=9).norm()) == pytest.approx(float(q.norm()), rel=1e-14)


def test_a_sinusoid_shift_is_one_rotation_and_the_lecture_starts_one_index_later() -> None:
    p = a.Sinusoidal(8).table(50, like=torch.zeros(0, dtype=D))
    shift = torch.linalg.lstsq(p[:-3], p[3:]).solution
    assert torch.allclose(p[:-3] @ shift, p[3:], atol=1e-9)
    assert torch.allclose(p.square().sum(1), torch.full((50,), 4.0, dtype=D))
    lecture = a.Sinusoidal(8, indexing="lecture").table(50, like=torch.zeros(0, dtype=D))
    assert torch.allclose(lecture[:, :6], p[:, 2:]) and not torch.allclose(lecture[:, 6:], p[:, :2])


def test_learned_positions_start_small() -> None:
    torch.manual_seed(0)
    assert a.Learned(200, 16).weight.std().item() == pytest.approx(0.02, rel=0.1)
    assert a.Learned(200, 16, std=0.5).weight.std().item() == pytest.approx(0.5, rel=0.1)


def test_learned_positions_refuse_longer_sequences() -> None:
    attention = a.Attention(8, 2, position=a.Learned(4, 8))
    attention(torch.randn(1, 4, 8))
    with pytest.raises(InvalidInput, match="only 4 were learned"):
        attention(torch.randn(1, 5, 8))


def test_the_number_of_parameters_does_not_depend_on_the_number_of_heads() -> None:
    counts = {sum(p.numel() for p in a.Attention(24, h).parameters()) for h in (1, 2, 3, 24)}
    assert counts == {4 * (24 * 24 + 24)}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: a.Attention(10, 3), "do not divide"),
        (lambda: a.Attention(8, 2)(torch.randn(2, 5, 7)), "batch, length, 8"),
        (lambda: a.Attention(8, 2)(torch.randn(5, 8)), "batch, length, 8"),
        (lambda: a.Attention(8, 2, score="cubic"), "unknown score"),
        (lambda: a.Attention(8, 2, normalizer="max"), "unknown normalizer"),
        (lambda: a.Attention(8, 2, normalizer="linformer"), "largest number of keys"),
        (lambda: a.Attention(8, 2, position="learned"), "largest length"),
        (lambda: a.Attention(8, 2, position="up"), "unknown positions"),
        (lambda: a.Attention(8, 2, dropout=1.0), "dropout"),
        (lambda: a.Attention(8, 2, dropout=0.1, normalizer="linear"), "forms no weights"),
        (lambda: a.Attend(position=a.Sinusoidal(8)), "absolute positions"),
        (lambda: a.Sinusoidal(7), "even"),
        (lambda: a.Sinusoidal(8, combine="multiply"), "combine"),
        (lambda: a.Learned(3, 8, combine="concatenate", into="projections"), "projections"),
        (lambda: a.Cosine(temperature=-1.0), "positive"),
        (lambda: a.Cosine(learn=True), "start from"),
        (lambda: a.Pointwise("cube"), "unknown function"),
        (lambda: a.Performer(4, 8).features(torch.randn(3, 5), of_query=True), "dimension 4"),
        (lambda: a.Rotary(4)(torch.randn(3, 6)), "dimension 4"),
        (lambda: a.Alibi(0), "one head"),
    ],
)
def test_bad_choices_get_a_clear_error(call, words) -> None:
    with pytest.raises(InvalidInput, match=words):
        call()


def test_long_queries_and_keys_do_not_overflow() -> None:
    q, k, v = heads(20, 64, scale=30.0)
    for attend in (a.Attend(a.Dot()), a.Attend(a.Dot(), mask="causal"), a.Attend(normalizer=a.Performer(64, 32).double())):
        for dtype in (torch.float32, torch.float64):
            output = attend.to(dtype)(q.to(dtype), k.to(dtype), v.to(dtype))
            assert bool(output.isfinite().all()) and bool(output.abs().sum() > 0)


@pytest.mark.parametrize(
    "choices", [{}, {"mask": "causal", "position": "rotary"}, {"normalizer": "linear"}, {"position": "alibi"}]
)
def test_half_precision_gives_what_double_gives_roughly(choices: dict) -> None:
    torch.manual_seed(0)
    attention, x = a.Attention(16, 2, **choices), torch.randn(2, 9, 16)
    half = attention.bfloat16()(x.bfloat16()).double()
    assert float((half - attention.double()(x.double())).detach().abs().max()) < 0.05
    assert half.dtype is D


def test_attention_to_nothing_is_zero() -> None:
    q, k, v = heads(4)
    for attend in (
        a.Attend(),
        a.Attend(a.Additive(8).double()),
        a.Attend(normalizer=a.Linear()),
        a.Attend(normalizer=a.Pointwise()),
    ):
        output = attend(q, k[..., :0, :], v[..., :0, :])
        assert output.shape == (1, 2, 4, 8) and bool((output == 0).all())
    assert a.Attend()(q[..., :0, :], k, v).shape == (1, 2, 0, 8)


def test_attention_survives_copies_and_state_dicts() -> None:
    from copy import deepcopy

    torch.manual_seed(0)
    attention = a.Attention(8, 2, score=a.Cosine(temperature=3.0), mask=a.big_bird(2), position="alibi")
    x = torch.randn(1, 6, 8)
    twin = deepcopy(attention)
    assert torch.equal(twin(x), attention(x))
    torch.manual_seed(1)
    other = a.Attention(8, 2, score=a.Cosine(temperature=1.0), mask=a.big_bird(2), position="alibi")
    other.load_state_dict(attention.state_dict())
    assert torch.equal(other(x), attention(x))


def test_gradients_agree_with_differences() -> None:
    torch.manual_seed(0)
    for choices in (
        {"score": "cosine"},
        {"score": "distance", "mask": "causal"},
        {"normalizer": "performer"},
        {"position": "relative"},
    ):
        attention = a.Attention(4, 2, **choices).double()
        x = torch.randn(1, 3, 4, dtype=D, requires_grad=True)
        assert torch.autograd.gradcheck(attention, (x,), atol=1e-7)


@pytest.mark.parametrize("mask", [a.full(), a.causal(), a.window(2, causal=True)])
@pytest.mark.parametrize("scale", [1.0, 30.0, 1000.0])
def test_a_performer_of_long_queries_and_keys_has_the_weights_of_its_definition(mask: a.Mask, scale: float) -> None:
    q, k, v = scale * torch.randn(3, 1, 1, 9, 4, generator=torch.Generator().manual_seed(1))
    attend = a.Attend(a.Scaled(), mask=mask, normalizer=a.Performer(4, 16))
    found = attend(q, k, v)
    directions, visible = attend.normalizer.directions.double(), mask.matrix(9, 9)

    def exponent(x: torch.Tensor) -> torch.Tensor:
        x = x.double() * 4**-0.25
        return x @ directions.T - x.square().sum(-1, keepdim=True) / 2

    logs = torch.logsumexp(exponent(q)[..., :, None, :] + exponent(k)[..., None, :, :], -1)
    weights = logs.masked_fill(~visible, -torch.inf).softmax(-1)
    assert torch.allclose(attend.weights(q, k).double(), weights, atol=1e-3)
    assert torch.allclose(found.double(), weights @ v.double(), atol=2e-3 * scale)
    assert bool((attend.weights(q, k).sum(-1) > 0.99).all())


@pytest.mark.parametrize("normalizer", [a.Softmax(), a.Performer(8), a.Linear()], ids=lambda n: n.name)
def test_one_head_by_itself_attends_as_it_does_among_others(normalizer: a.Normalizer) -> None:
    q, k, v = heads(7)
    attend = a.Attend(normalizer=normalizer).double()
    whole = attend(q, k, v)
    for h in range(2):
        torch.testing.assert_close(attend(q[0, h], k[0, h], v[0, h]), whole[0, h], rtol=1e-9, atol=1e-12)
        torch.testing.assert_close(attend(q[:, h], k[:, h], v[:, h]), whole[:, h], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("normalizer", [a.Performer(8, 32), a.Linear()], ids=lambda n: n.name)
def test_logarithms_of_features_leave_no_factor_out(normalizer: a.FeatureMap) -> None:
    x = heads(5, scale=0.3)[0]
    normalizer = normalizer.double()
    torch.testing.assert_close(normalizer.log_features(x).exp(), normalizer.features(x, of_query=False))


def test_mixtures_of_a_linformer_begin_with_the_variance_of_one_key() -> None:
    """n_mixed mixtures of unit columns: each key is seen with a total weight of 1 on average."""
    torch.manual_seed(0)
    normalizer = a.Linformer(500, 20)
    for mixed in (normalizer.keys, normalizer.values):
        assert float(mixed.detach().square().sum(0).mean()) == pytest.approx(1.0, rel=4 * (2 / 10_000) ** 0.5)


@pytest.mark.parametrize("function", ["relu", "identity"])
def test_weights_that_are_divided_are_divided_by_the_keys_that_are_seen(function: str) -> None:
    scores = torch.randn(1, 1, 4, 4, dtype=D, generator=torch.Generator().manual_seed(0))
    visible = torch.tensor([[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [0, 0, 0, 0]], dtype=torch.bool)
    plain, divided = (a.Pointwise(function, divide=d)(scores, visible) for d in (False, True))
    assert torch.allclose(divided, plain / torch.tensor([1.0, 2.0, 3.0, 1.0], dtype=D)[:, None], rtol=1e-15)
    everything = a.Pointwise(function, divide=True)(scores)
    assert torch.allclose(everything, a.Pointwise(function)(scores) / 4, rtol=1e-15)


@pytest.mark.parametrize("scale", [0.2, 1.0, 3.0])
def test_weights_by_logarithms_are_those_of_the_features(scale: float) -> None:
    from plica.models.attention._features import _log_weights, feature_weights
    from plica.models.attention._scores import Bilinear

    q, k, _ = heads(6, 4, scale=0.5)
    form = Bilinear(q, k, scale, torch.linspace(-1, 1, 6, dtype=D)[None, None, None])
    performer = a.Performer(4, 16).double()
    expected = feature_weights(performer, form, a.full(), offset=0)
    torch.testing.assert_close(_log_weights(performer, form, None), expected, rtol=1e-10, atol=0)
