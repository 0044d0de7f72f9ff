r"""Transformer blocks with frozen attention: what is left folds space as ReLU networks do.

At given tokens the attention weights and the standard deviations of the layer norms are numbers. With these kept, blocks with
ReLU are a piecewise-linear function of the tokens, equal to the model at those tokens: its regions, trajectories and
folds are measured exactly by the engines of this library.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from plica._types import Array
from plica.errors import InvalidInput, UnsupportedLayer
from plica.models.attention._attention import Attention
from plica.models.attention._block import Block, FeedForward
from plica.network import Add, Builder, Linear, Network, Permute, Rectifier, Scale


def frozen(blocks: Block | Iterable[nn.Module], x: Tensor, *, attention_only: bool = False) -> Network:
    """The piecewise-linear network of blocks whose attention weights and norms are those at the tokens x (L, d).

    It maps tokens (L, d) to tokens (L, d), in float64, and agrees with the blocks at x. With ``attention_only`` the feed-forward
    layers are left out, so that blocks with any activation (GELU in GPT-2) can be looked at: X + A(LN X) of each.

    Examples
    --------
    >>> import plica
    >>> block, x = Block(4, 2, d_ff=8).double(), torch.randn(3, 4, dtype=torch.float64)
    >>> net = frozen(block, x)
    >>> bool(np.allclose(net(x.numpy()), block(x[None])[0].detach(), atol=1e-12))
    True
    >>> net.widths
    (12, 24, 12)
    """
    layers = [blocks] if isinstance(blocks, Block) else list(blocks)
    if not layers or not all(isinstance(layer, Block) for layer in layers):
        raise InvalidInput("expected a Block or several of them.", hint="frozen(model.blocks, x)")
    tokens = x.detach().to(torch.float64)
    if tokens.dim() == 3 and len(tokens) == 1:
        tokens = tokens[0]
    if tokens.dim() != 2 or not bool(tokens.isfinite().all()):
        raise InvalidInput(f"x must be finite tokens (length, width), got shape {tuple(x.shape)}.")
    walk = _Walk(Builder(tuple(tokens.shape)), tokens, attention_only)
    for layer in layers:
        assert isinstance(layer, Block)
        walk.block(layer)
    return walk.builder.build(walk.node)


class _Walk:
    """Operations added one after another, with the values of the current node at the given tokens."""

    def __init__(self, builder: Builder, value: Tensor, attention_only: bool) -> None:
        self.builder, self.attention_only = builder, attention_only
        self.value = value.numpy()
        self.node = 0

    def block(self, block: Block) -> None:
        if block.cross is not None:
            raise UnsupportedLayer("a block that looks at a context has two inputs.", hint="freeze the blocks of an encoder")
        if self.attention_only:
            self._sublayer(block, block.attention_norm, lambda: self._attention(block.attention))
            return
        if block.residual == "lecture":
            self._sublayer(block, block.attention_norm, lambda: self._lecture(block))
            return
        self._sublayer(block, block.attention_norm, lambda: self._attention(block.attention))
        self._activation(block.phi_2)
        self._sublayer(block, block.feed_forward_norm, lambda: self._feed_forward(block.feed_forward))

    def _lecture(self, block: Block) -> None:
        self._attention(block.attention)
        self._activation(block.phi_2)
        self._feed_forward(block.feed_forward)
        self._activation(block.outer)

    def _sublayer(self, block: Block, norm: nn.Module, layer: Any) -> None:
        start, before = self.node, self.value
        if block.norm == "pre":
            self._norm(norm)
        layer()
        branch, value = self.node, self.value
        if block.residual_scale != 1.0:
            self.node, self.value = start, before
            self._apply(Scale(np.array(block.residual_scale)))
            start, before = self.node, self.value
        self.node, self.value = self.builder.add(Add(), start, branch), before + value
        if block.norm == "post":
            self._norm(norm)

    def _norm(self, norm: nn.Module) -> None:
        """The mean is linear and stays; the standard deviation is kept from the given tokens."""
        if isinstance(norm, nn.Identity):
            return
        d = self.value.shape[1]
        if isinstance(norm, nn.RMSNorm):
            root = np.sqrt((self.value**2).mean(1, keepdims=True) + (norm.eps or 0.0))
            self._apply(Scale(np.broadcast_to(_array(norm.weight) / root, self.value.shape).copy()))
            return
        assert isinstance(norm, nn.LayerNorm)
        deviation = np.sqrt(self.value.var(1, keepdims=True) + norm.eps)
        self._apply(Linear(np.eye(d) - 1 / d))
        factor = np.broadcast_to(_array(norm.weight) / deviation, self.value.shape).copy()
        self._apply(Scale(factor, None if norm.bias is None else _array(norm.bias)))

    def _attention(self, attention: Attention) -> None:
        with torch.no_grad():
            twin = _double(attention)
            x = torch.as_tensor(self.value)[None]
            weights = twin.explain(x).weights[0].numpy()
            constant = twin._keys_values(torch.zeros_like(x), torch.zeros_like(x), 0)[1][0].numpy()
        W, out = _array(attention.v_proj.weight)[:, : attention.d_model], _array(attention.out_proj.weight)
        start, before, d = self.node, self.value, attention.d_head
        heads, values = [], []
        for h in range(attention.n_heads):
            rows = slice(h * d, (h + 1) * d)
            shared = h * attention.n_kv_heads // attention.n_heads  # several heads of queries may share values
            self.node, self.value = start, before
            self._apply(Linear(W[shared * d : (shared + 1) * d]))
            self._apply(Scale(np.ones(()), constant[shared]))
            self._apply(Permute((1, 0)))
            self._apply(Linear(weights[h].copy()))
            self._apply(Permute((1, 0)))
            self._apply(Linear(out[:, rows].copy()))
            heads.append(self.node)
            values.append(self.value)
        self.node, self.value = heads[0], sum(values[1:], values[0])
        if len(heads) > 1:
            self.node = self.builder.add(Add(), *heads)
        if attention.out_proj.bias is not None:
            self._apply(Scale(np.ones(()), _array(attention.out_proj.bias)))

    def _feed_forward(self, layer: FeedForward) -> None:
        if layer.gate is not None:
            raise UnsupportedLayer("a gate multiplies two functions of the tokens.", hint="frozen(..., attention_only=True)")
        self._linear(layer.inner)
        self._activation(layer.activation)
        self._linear(layer.outer)

    def _linear(self, layer: nn.Linear) -> None:
        self._apply(Linear(_array(layer.weight), None if layer.bias is None else _array(layer.bias)))

    def _activation(self, layer: nn.Module) -> None:
        if isinstance(layer, nn.ReLU):
            self.node, self.value = self.builder.add(Rectifier(), self.node), np.maximum(self.value, 0.0)
        elif not isinstance(layer, nn.Identity):
            raise UnsupportedLayer(
                f"{type(layer).__name__} is not piecewise linear.",
                hint="activation='relu' can be frozen, others with attention_only=True",
            )

    def _apply(self, op: Any) -> None:
        self.node, self.value = self.builder.add(op, self.node), op.apply([self.value[None]])[0]


def _double(attention: Attention) -> Attention:
    from copy import deepcopy

    return deepcopy(attention).double().eval()


def _array(x: Any) -> Array:
    return np.asarray(x.detach().double().numpy())
