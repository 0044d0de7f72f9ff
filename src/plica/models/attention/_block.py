r"""A transformer block: attention, then a network for each token, with residual sums and layer norm where one wants them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from plica.errors import InvalidInput
from plica.models.attention._attention import Attention
from plica.models.attention._cache import Cache
from plica.models.attention._masks import Mask

ACTIVATIONS: dict[str, Callable[[], nn.Module]] = {
    "relu": nn.ReLU,
    "gelu": nn.GELU,
    "gelu-tanh": lambda: nn.GELU(approximate="tanh"),
    "silu": nn.SiLU,
    "tanh": nn.Tanh,
    "identity": nn.Identity,
}
GATED = {"swiglu": "silu", "geglu": "gelu"}
"""Feed-forward layers with a gate, and the activation of the gate."""
NORMS = ("pre", "post", "none")
NORM_KINDS = ("layer", "rms")
RESIDUALS = ("both", "lecture")


class FeedForward(nn.Module):
    """W_2 phi(W_1 x + b_1) + b_2 for each token; gated (``swiglu``, ``geglu``): W_2 (phi(W_g x + b_g) * (W_1 x + b_1)) + b_2."""

    def __init__(self, d_model: int, d_ff: int, *, activation: str = "relu", bias: bool = True, dropout: float = 0.0) -> None:
        super().__init__()
        self.inner = nn.Linear(d_model, d_ff, bias=bias)
        self.gate = nn.Linear(d_model, d_ff, bias=bias) if activation in GATED else None
        self.activation = _activation(GATED.get(activation, activation))
        self.dropout = nn.Dropout(dropout)
        self.outer = nn.Linear(d_ff, d_model, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        inner = self.inner(x)
        hidden = self.activation(inner) if self.gate is None else self.activation(self.gate(x)) * inner
        found: Tensor = self.outer(self.dropout(hidden))
        return found


class Block(nn.Module):
    r"""One layer of a transformer, encoder or decoder.

    ========================  ================================================================================
    ``norm="pre"``            X' = X + A(LN X), Y = X' + F(LN X') (GPT-2 and -3, ViT)
    ``norm="post"``           X' = LN(X + A(X)), Y = LN(X' + F(X')) (Vaswani et al.)
    ``norm="none"``           X' = X + A(X), Y = X' + F(X')
    ``phi_2="relu"``          X' = phi_2(X + A(...)) in any of them (lecture 15)
    ``residual="lecture"``    Y = X + phi(W_1 phi(W_2 A(X))) (lecture 4): the stream can only grow, entry by entry, and
                              attention has no residual sum. With ``norm="pre"`` A sees LN X.
    ``residual_scale=a``      a X + ... in place of X + ... (DeepNet, with ``norm="post"``)
    ========================  ================================================================================

    Parameters
    ----------
    d_model, n_heads, d_ff
        Widths; d_ff = 4 d_model unless given.
    cross
        A second attention, to a context (decoder of an encoder-decoder), between the two.
    attention
        Further choices of :class:`plica.models.attention.Attention`: score, mask, normalizer, position, bias, ...
    norm_kind, epsilon
        ``layer``, or ``rms``: divided by the root of the mean square, without mean and bias (Llama); and what is added under
        the root.
    dropout
        After attention and feed-forward, and of their inner weights.

    Examples
    --------
    >>> import torch
    >>> block = Block(16, 2, attention={"mask": "causal"})
    >>> block(torch.randn(3, 5, 16)).shape
    torch.Size([3, 5, 16])
    """

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        *,
        d_ff: int | None = None,
        norm: str = "pre",
        norm_kind: str = "layer",
        activation: str = "relu",
        phi_2: str = "identity",
        residual: str = "both",
        residual_scale: float = 1.0,
        cross: bool = False,
        d_context: int | None = None,
        attention: dict[str, Any] | None = None,
        dropout: float = 0.0,
        bias: bool = True,
        epsilon: float = 1e-5,
    ) -> None:
        super().__init__()
        if norm not in NORMS:
            raise InvalidInput(f"unknown place of layer norm {norm!r}.", hint=f"one of {', '.join(NORMS)}")
        if residual not in RESIDUALS:
            raise InvalidInput(f"unknown residual sums {residual!r}.", hint=f"one of {', '.join(RESIDUALS)}")
        if residual == "lecture" and cross:
            raise InvalidInput("the lecture's block has one attention.", hint="use residual='both' for a decoder with a context")
        self.norm, self.residual, self.residual_scale = norm, residual, residual_scale
        choices = {"dropout": dropout, "bias": bias, **(attention or {})}
        self.attention = Attention(d_model, n_heads, **choices)
        self.cross = Attention(d_model, n_heads, d_context=d_context, dropout=dropout, bias=bias) if cross else None
        d_ff = 4 * d_model if d_ff is None else d_ff
        self.feed_forward = FeedForward(d_model, d_ff, activation=activation, dropout=dropout, bias=bias)
        self.phi_2 = _activation(phi_2)
        self.outer = _activation(activation) if residual == "lecture" else nn.Identity()
        self.dropout = nn.Dropout(dropout)

        def norm_layer(needed: bool) -> nn.Module:
            needed = needed and norm != "none"
            return token_norm(d_model, kind=norm_kind, epsilon=epsilon, bias=bias) if needed else nn.Identity()

        self.attention_norm = norm_layer(True)
        self.cross_norm = norm_layer(cross)
        self.feed_forward_norm = norm_layer(residual == "both")

    def forward(
        self,
        x: Tensor,
        context: Tensor | None = None,
        *,
        mask: Mask | Tensor | str | None = None,
        context_mask: Mask | Tensor | str | None = None,
        bias: Tensor | None = None,
        cache: Cache | None = None,
        context_cache: Cache | None = None,
    ) -> Tensor:
        """Tokens (batch, L, d_model) to tokens; a block with ``cross`` also looks at ``context``."""
        if (self.cross is None) != (context is None):
            raise InvalidInput(
                "this block takes no context." if context is not None else "this block needs a context.",
                hint="Block(..., cross=True) looks at a context",
            )

        def attended(y: Tensor) -> Tensor:
            return self.attention(y, mask=mask, bias=bias, cache=cache)

        def looked(y: Tensor) -> Tensor:
            assert self.cross is not None
            return self.cross(y, context, mask=context_mask, cache=context_cache)

        if self.residual == "lecture":
            return self._lecture(x, attended)
        x = self.phi_2(self._sublayer(x, self.attention_norm, attended))
        if self.cross is not None:
            x = self._sublayer(x, self.cross_norm, looked)
        return self._sublayer(x, self.feed_forward_norm, self.feed_forward)

    def _sublayer(self, x: Tensor, norm: nn.Module, layer: Callable[[Tensor], Tensor]) -> Tensor:
        if self.norm == "post":
            found: Tensor = norm(self.residual_scale * x + self.dropout(layer(x)))
            return found
        return self.residual_scale * x + self.dropout(layer(norm(x)))

    def _lecture(self, x: Tensor, attended: Callable[[Tensor], Tensor]) -> Tensor:
        if self.norm == "post":
            found: Tensor = self.attention_norm(x + self.outer(self.feed_forward(self.phi_2(attended(x)))))
            return found
        return x + self.outer(self.feed_forward(self.phi_2(attended(self.attention_norm(x)))))


def token_norm(d: int, *, kind: str = "layer", epsilon: float = 1e-5, bias: bool = True) -> nn.Module:
    """Layer norm, or its root-mean-square relative, of tokens of width d."""
    if kind not in NORM_KINDS:
        raise InvalidInput(f"unknown kind of norm {kind!r}.", hint=f"one of {', '.join(NORM_KINDS)}")
    return nn.RMSNorm(d, eps=epsilon) if kind == "rms" else nn.LayerNorm(d, eps=epsilon, bias=bias)


def _activation(name: str) -> nn.Module:
    if name not in ACTIVATIONS:
        raise InvalidInput(f"unknown activation {name!r}.", hint=f"one of {', '.join([*ACTIVATIONS, *GATED])}")
    return ACTIVATIONS[name]()
