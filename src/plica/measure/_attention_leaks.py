"""Does a model look where it must not? The derivative of output t with respect to input s, for every hidden pair."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput


@dataclass(frozen=True, eq=False)
class Leaks:
    """What :func:`leaks` found.

    Attributes
    ----------
    pairs
        (t, s): output t depends on input s, which is hidden from it.
    influence
        (T, S): the size of the derivative of output t, in a random direction, with respect to input s; with the method
        ``values`` the largest change of output t when token s is replaced.
    n_hidden
        How many pairs were hidden.
    """

    pairs: tuple[tuple[int, int], ...]
    influence: Array
    n_hidden: int

    def __bool__(self) -> bool:
        """Whether there are leaks."""
        return bool(self.pairs)

    def __repr__(self) -> str:
        return f"<Leaks: {len(self.pairs)} of {self.n_hidden} hidden pairs>"


def leaks(
    model: Callable[..., Any], x: Any, *, mask: Any = "causal", method: str = "gradient", seed: int = 0, **options: Any
) -> Leaks:
    """Hidden pairs (t, s) for which output t of a model depends on input s.

    A derivative counts unless it is exactly zero, so nothing hides below a tolerance.

    Parameters
    ----------
    model
        Any module or function from (1, S, d), or from integers (1, S), to (1, T, ...); of a tuple the first member is taken.
        For integers the derivative is that with respect to the output of the embedding that reads them.
    x
        The input.
    mask
        ``"causal"``, a boolean matrix (T, S) with True = may look, or a Mask.
    method
        ``gradient``, or ``values``: replace one token at a time and compare outputs bit for bit, which also sees what no
        derivative sees, such as an argmax.
    seed
        Of the directions, or of the replaced tokens.
    options
        Further arguments of the model.

    Examples
    --------
    >>> import torch
    >>> mean_so_far = lambda x: x.cumsum(1) / torch.arange(1, x.shape[1] + 1)[:, None]
    >>> leaks(mean_so_far, torch.randn(1, 5, 3))
    <Leaks: 0 of 10 hidden pairs>
    >>> leaks(lambda x: x - x.mean(1, keepdim=True), torch.randn(1, 5, 3))
    <Leaks: 10 of 10 hidden pairs>
    """
    import torch

    x = torch.as_tensor(x)
    if x.dim() < 2 or len(x) != 1:
        raise InvalidInput(f"expected one sequence, (1, length, ...), got shape {tuple(x.shape)}.")
    if method not in ("gradient", "values"):
        raise InvalidInput(f"unknown method {method!r}.", hint="'gradient' or 'values'")
    was_training = isinstance(model, torch.nn.Module) and model.training
    if isinstance(model, torch.nn.Module):
        model.eval()
    try:
        look = _gradients if method == "gradient" else _changes
        influence = look(model, x, seed, options)
    finally:
        if was_training:
            model.train()  # type: ignore[attr-defined]
    visible = _visible(mask, *influence.shape)
    seen = ~visible & (influence != 0)
    pairs = tuple((int(t), int(s)) for t, s in np.argwhere(seen))
    return Leaks(pairs, influence, int((~visible).sum()))


def _first(output: Any) -> Any:
    while isinstance(output, tuple | list):
        output = output[0]
    return output


def _gradients(model: Callable[..., Any], x: Any, seed: int, options: dict[str, Any]) -> Array:
    import torch

    leaf, output = _differentiable(model, x, options)
    generator = torch.Generator().manual_seed(seed)
    rows = []
    for t in range(output.shape[1]):
        direction = torch.randn(output[0, t].shape, generator=generator, dtype=output.dtype)
        if output.requires_grad:
            (found,) = torch.autograd.grad((output[0, t] * direction).sum(), leaf, retain_graph=True, allow_unused=True)
        else:
            found = None
        size = torch.zeros(x.shape[1]) if found is None else found[0].reshape(x.shape[1], -1).abs().amax(1)
        rows.append(size.double().numpy())
    influence = np.stack(rows)
    if not np.isfinite(influence).all():
        raise InvalidInput("a derivative is NaN or infinite.", hint="look for rows without a visible key")
    return influence


def _differentiable(model: Callable[..., Any], x: Any, options: dict[str, Any]) -> tuple[Any, Any]:
    """The tensor that stands for the tokens, and the output as a function of it."""
    import torch

    if x.is_floating_point():
        leaf = x.detach().clone().requires_grad_()
        return leaf, _first(model(leaf, **options))
    if not isinstance(model, torch.nn.Module):
        raise InvalidInput("integers have no derivative.", hint="give a module with an embedding, or method='values'")
    leaves: list[Any] = []

    def hook(_: Any, args: tuple[Any, ...], output: Any) -> Any:
        if leaves or args[0].shape != x.shape or not torch.equal(args[0], x):
            return output
        leaves.append(output.detach().clone().requires_grad_())
        return leaves[0]

    handles = [m.register_forward_hook(hook) for m in model.modules() if isinstance(m, torch.nn.Embedding)]
    try:
        output = _first(model(x, **options))
    finally:
        for handle in handles:
            handle.remove()
    if not leaves:
        raise InvalidInput("no nn.Embedding of the model reads the integers.", hint="give method='values'")
    return leaves[0], output


def _changes(model: Callable[..., Any], x: Any, seed: int, options: dict[str, Any]) -> Array:
    import torch

    generator = torch.Generator().manual_seed(seed)
    columns = []
    with torch.no_grad():
        still = _first(model(x, **options))
        for s in range(x.shape[1]):
            other = x.clone()
            if x.is_floating_point():
                other[0, s] += torch.randn(x[0, s].shape, generator=generator, dtype=x.dtype)
            else:
                other[0, s] = x[0, x[0] != x[0, s]][0] if bool((x[0] != x[0, s]).any()) else (x[0, s] == 0).to(x.dtype)
            change = (_first(model(other, **options)) - still)[0].reshape(still.shape[1], -1).abs().amax(1)
            columns.append(change.double().numpy())
    return np.stack(columns, 1)


def _visible(mask: Any, n_outputs: int, n_inputs: int) -> Array:
    if isinstance(mask, str):
        if mask != "causal":
            raise InvalidInput(f"unknown mask {mask!r}.", hint="'causal', or a boolean matrix")
        return np.tril(np.ones((n_outputs, n_inputs), dtype=bool))
    matrix = mask.matrix(n_outputs, n_inputs) if hasattr(mask, "matrix") else mask
    found = np.asarray(matrix, dtype=bool)
    if found.shape != (n_outputs, n_inputs):
        raise InvalidInput(f"the mask has shape {found.shape}, outputs and inputs make {(n_outputs, n_inputs)}.")
    return found
