"""Looking on: the attention weights of every layer while a model runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from plica.errors import InvalidInput
from plica.models.attention._attend import Explanation
from plica.models.attention._attention import Attention
from plica.models.attention._masks import explicit


class Record:
    """What :func:`plica.record` saw: explanations of all calls, by the name of the layer.

    Attributes
    ----------
    calls
        Name to a list of :class:`Explanation`, one for each call; tensors are detached. ``output`` is that of the heads.
    """

    def __init__(self, names: list[str]) -> None:
        self.calls: dict[str, list[Explanation]] = {name: [] for name in names}

    @property
    def names(self) -> tuple[str, ...]:
        """All attention layers of the model, in its order."""
        return tuple(self.calls)

    @property
    def weights(self) -> dict[str, Tensor]:
        """(batch, heads, L, S) of the last call of each layer that was called."""
        return {name: calls[-1].weights for name, calls in self.calls.items() if calls}

    @property
    def entropy(self) -> dict[str, Tensor]:
        """(batch, heads, L), in nats, of the last call of each layer that was called."""
        return {name: calls[-1].entropy for name, calls in self.calls.items() if calls}

    def __getitem__(self, layer: str | int) -> Explanation:
        """The last call of a layer, by name or number."""
        name = self.names[layer] if isinstance(layer, int) and -len(self.names) <= layer < len(self.names) else layer
        if name not in self.calls:
            raise InvalidInput(f"there is no attention layer {layer!r}.", hint=f"there are {', '.join(self.names)}")
        if not self.calls[str(name)]:
            raise InvalidInput(f"the layer {name!r} was not called.", hint="call the model inside the with statement")
        return self.calls[str(name)][-1]

    def __repr__(self) -> str:
        n_calls = sum(len(calls) for calls in self.calls.values())
        return f"<Record of {len(self.calls)} attention layers, {n_calls} calls>"


@contextmanager
def record(model: nn.Module) -> Iterator[Record]:
    """Record scores, weights and entropies of all attention layers while the model runs; its outputs stay as they are.

    Layers of :class:`plica.models.attention.Attention` and of ``nn.MultiheadAttention`` are seen.

    Examples
    --------
    >>> import torch, plica
    >>> from plica.models.attention import Block
    >>> model = nn.Sequential(Block(8, 2), Block(8, 2))
    >>> with plica.record(model) as r:
    ...     _ = model(torch.randn(1, 5, 8))
    >>> r.names, r["1.attention"].weights.shape, r[0].entropy.shape
    (('0.attention', '1.attention'), torch.Size([1, 2, 5, 5]), torch.Size([1, 2, 5]))
    """
    found: dict[str, nn.Module] = {
        name: module for name, module in model.named_modules() if isinstance(module, Attention | nn.MultiheadAttention)
    }
    if not found:
        raise InvalidInput(
            f"{type(model).__name__} has no attention layers.", hint="Attention and nn.MultiheadAttention are recognized"
        )
    result = Record(list(found))
    undo = []
    for name, module in found.items():
        calls = result.calls[name]
        if isinstance(module, Attention):
            undo.append(_observe(module, calls))
        else:
            assert isinstance(module, nn.MultiheadAttention)
            undo.append(_observe_torch(module, calls))
    try:
        yield result
    finally:
        for step in undo:
            step()


def _detached(found: Explanation) -> Explanation:
    scores = None if found.scores is None else found.scores.detach()
    return Explanation(found.output.detach(), scores, found.weights.detach(), found.entropy.detach())


def _observe(module: Attention, calls: list[Explanation]) -> Any:
    def observer(_: Attention, explanation: Explanation) -> None:
        calls.append(_detached(explanation))

    module.observers.append(observer)
    return lambda: module.observers.remove(observer)


def _observe_torch(module: nn.MultiheadAttention, calls: list[Explanation]) -> Any:
    def hook(_: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], __: Any) -> None:
        with torch.no_grad():
            calls.append(_detached(_explained(module, *args, **kwargs)))

    return module.register_forward_hook(hook, with_kwargs=True).remove


def _explained(
    module: nn.MultiheadAttention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> Explanation:
    """The same call on our core: torch's masks hide where they are True or -inf."""
    if query.dim() == 2:
        query, key, value = query[None], key[None], value[None]
    elif not module.batch_first:
        query, key, value = (x.transpose(0, 1) for x in (query, key, value))
    B, H, L, S = len(query), module.num_heads, query.shape[1], key.shape[1]
    visible = torch.ones(B, 1, 1, S, dtype=torch.bool)
    bias: Tensor | None = None
    if key_padding_mask is not None:
        shown, bias = _shown(key_padding_mask.reshape(B, 1, 1, S))
        visible = visible & shown
    if attn_mask is not None:
        shaped = attn_mask.reshape(B, H, L, S) if attn_mask.dim() == 3 else attn_mask[None, None]
        shown, added = _shown(shaped)
        visible = visible & shown
        bias = added if bias is None or added is None else bias + added
    core = Attention.from_torch(module, dropout=0.0).eval()
    return core.explain(query, key, value, mask=explicit(visible), bias=bias)


def _shown(mask: Tensor) -> tuple[Tensor, Tensor | None]:
    """What a mask of torch shows, and the bias that is left in an additive one."""
    if mask.dtype is torch.bool:
        return ~mask, None
    shown = mask != -torch.inf
    return shown, mask.masked_fill(~shown, 0.0)
