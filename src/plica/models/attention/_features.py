"""Attention by feature maps: sums over keys first, so that the cost is linear in the length."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import pad

from plica.models.attention._masks import Mask
from plica.models.attention._normalizers import FeatureMap, Softmax
from plica.models.attention._scores import Bilinear

_CHUNK = 64


def mapped(normalizer: FeatureMap, form: Bilinear, seen: Mask) -> tuple[Tensor, Tensor]:
    """Features of queries and keys; the score's factor is shared between them, a bias of a key is a factor."""
    root = form.scale**0.5
    q = normalizer.features(form.q * root, of_query=True)
    k = normalizer.features(form.k * root, of_query=False, one_sum=seen.is_full or seen.hides_keys_only)
    if form.key_bias is not None:
        k = k * form.key_bias.transpose(-1, -2).exp()
    return q, k


def feature_weights(normalizer: FeatureMap, form: Bilinear, seen: Mask, *, offset: int) -> Tensor:
    """The matrix of weights, formed: for looking at, and for masks without a linear algorithm."""
    q, k = mapped(normalizer, form, seen)
    weights = q @ k.transpose(-1, -2)
    visible = None if seen.is_full else seen.matrix(q.shape[-2], k.shape[-2], offset=offset, device=q.device)
    if visible is not None:
        weights = weights.masked_fill(~visible, 0.0)
    total = weights.sum(-1, keepdim=True)
    lost = _lost(total, visible)
    if torch.compiler.is_compiling():
        return _quotient(weights, total.masked_fill(lost, torch.nan))
    return _log_weights(normalizer, form, visible) if bool(lost.any()) else _quotient(weights, total)


def feature_attention(normalizer: FeatureMap, form: Bilinear, v: Tensor, seen: Mask, *, offset: int) -> Tensor:
    """The output: linear cost for full, padding and causal masks; other masks form the matrix."""
    aligned = seen.is_causal and form.k.shape[-2] == form.q.shape[-2] + offset
    if not (seen.is_full or seen.hides_keys_only or aligned):
        return feature_weights(normalizer, form, seen, offset=offset) @ v
    q, k = mapped(normalizer, form, seen)
    if seen.hides_keys_only:
        k = k * seen.matrix(1, k.shape[-2], device=k.device).transpose(-1, -2)
    with_one = torch.cat([v, v.new_ones(*v.shape[:-1], 1)], -1)  # the last column collects the row sums
    if aligned:
        start = k[..., :offset, :].transpose(-1, -2) @ with_one[..., :offset, :]
        sums = _causal_products(q, k[..., offset:, :], with_one[..., offset:, :], start)
    else:
        sums = q @ (k.transpose(-1, -2) @ with_one)
    visible = None if seen.is_full else seen.matrix(q.shape[-2], k.shape[-2], offset=offset, device=q.device)
    sums, total = sums[..., :-1], sums[..., -1:]
    lost = _lost(total, visible)
    if torch.compiler.is_compiling():  # a graph has no other way to take: what it cannot compute must not look like a result
        return _quotient(sums, total.masked_fill(lost, torch.nan))
    return _log_weights(normalizer, form, visible) @ v if bool(lost.any()) else _quotient(sums, total)


def _causal_products(q: Tensor, k: Tensor, v: Tensor, start: Tensor) -> Tensor:
    """sum over j <= i of (q_i . k_j) v_j, plus q_i times the state before the first: chunks of rows, prefix sums between them."""
    n = q.shape[-2]
    chunks = -(-n // _CHUNK)

    def cut(x: Tensor) -> Tensor:
        padded = pad(x, (0, 0, 0, chunks * _CHUNK - n))
        return padded.reshape(*x.shape[:-2], chunks, _CHUNK, x.shape[-1])

    q, k, v = cut(q), cut(k), cut(v)
    own = (q @ k.transpose(-1, -2)).tril() @ v
    sums = (k.transpose(-1, -2) @ v).cumsum(-3)
    before = start[..., None, :, :] + torch.cat([torch.zeros_like(sums[..., :1, :, :]), sums[..., :-1, :, :]], -3)
    return (own + q @ before).flatten(-3, -2)[..., :n, :]


def _lost(total: Tensor, visible: Tensor | None) -> Tensor:
    """The rows that see something and have a sum out of the range of floating point: queries and keys are very long."""
    small = torch.finfo(total.dtype).tiny / torch.finfo(total.dtype).eps
    lost = ~total.isfinite() | (total < small)
    return lost if visible is None else lost & visible.any(-1, keepdim=True)


def _log_weights(normalizer: FeatureMap, form: Bilinear, visible: Tensor | None) -> Tensor:
    """The same weights by logarithms, query by query: quadratic, and right where the features are not numbers any more."""
    root = form.scale**0.5
    q, k = normalizer.log_features(form.q * root), normalizer.log_features(form.k * root)
    if form.key_bias is not None:
        k = k + form.key_bias.transpose(-1, -2)
    rows = [torch.logsumexp(q[..., i : i + 1, :] + k, -1) for i in range(q.shape[-2])]
    return Softmax()(torch.stack(rows, -2), visible)


def _quotient(numerator: Tensor, denominator: Tensor) -> Tensor:
    """0 where nothing is visible."""
    return numerator / denominator.masked_fill(denominator == 0, 1.0)
