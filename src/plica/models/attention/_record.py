"""Looking on: the attention weights of every layer while a model runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
        Name to a list of :class:`Explanation`, one for each call; tensors are detached. ``output`` is that of the heads, or
        whatever else the layer returns.
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

    Seen are the layers of :mod:`plica.models` (windows, pointers, alignments and graphs too), ``nn.MultiheadAttention``, and
    modules of others whose name ends with *Attention* and that return their weights beside the output, as those of Hugging
    Face's transformers do when they are loaded with ``attn_implementation="eager"``.

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
    found = dict(_attention_layers(model))
    if not found:
        raise InvalidInput(
            f"{type(model).__name__} has no attention layers.",
            hint="layers of plica.models, nn.MultiheadAttention, and modules named ...Attention that return weights are seen",
        )
    result = Record(list(found))
    handles = [module.register_forward_hook(_hook(name, result.calls[name]), with_kwargs=True) for name, module in found.items()]
    try:
        yield result
    finally:
        for handle in handles:
            handle.remove()


def _attention_layers(model: nn.Module) -> Iterator[tuple[str, nn.Module]]:
    """The innermost modules that attend, by name; the core of an :class:`Attention` has the name of the whole."""
    for name, module in model.named_modules():
        if hasattr(module, "explain_call"):
            yield name.removesuffix("attend").removesuffix("."), module
        elif isinstance(module, nn.MultiheadAttention) or (_is_foreign(module) and not any(map(_attends, _inner(module)))):
            yield name, module


def _inner(module: nn.Module) -> Iterator[nn.Module]:
    return (part for part in module.modules() if part is not module)


def _attends(module: nn.Module) -> bool:
    return hasattr(module, "explain_call") or isinstance(module, nn.MultiheadAttention) or _is_foreign(module)


def _is_foreign(module: nn.Module) -> bool:
    """Modules of torch that end in Attention, like FlexAttention's wrappers, return no weights; ours explain themselves."""
    return type(module).__name__.endswith("Attention") and type(module).__module__.split(".")[0] not in ("torch", "plica")


def _hook(name: str, calls: list[Explanation]) -> Callable[..., None]:
    def look(module: nn.Module, args: tuple[Any, ...], options: dict[str, Any], output: Any) -> None:
        explain: Any = getattr(module, "explain_call", None)
        with torch.no_grad():
            if isinstance(module, nn.MultiheadAttention):
                found = _explained(module, *args, **options)
            elif explain is not None:
                found = explain(output, *args, **options)
            else:
                found = _returned(name, module, output)
        scores = None if found.scores is None else found.scores.detach()
        calls.append(Explanation(found.output.detach(), scores, found.weights.detach(), found.entropy.detach()))

    return look


def _returned(name: str, module: nn.Module, output: Any) -> Explanation:
    """The weights that a module of others returned: the first tensor (batch, heads, L, S) after its output."""
    rest = output[1:] if isinstance(output, tuple) else ()
    for found in rest:
        if isinstance(found, Tensor) and found.dim() == 4:
            return Explanation.of_weights(output[0], found)
    raise InvalidInput(
        f"{name} ({type(module).__name__}) returns no attention weights.",
        hint='load the model with attn_implementation="eager"',
    )


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
    visible = torch.ones(B, 1, 1, S, dtype=torch.bool, device=query.device)
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
