r"""Masks that move while a network trains: SET and RigL drop small weights and grow as many others.

Every so many steps each layer loses a share of its weights, the smallest ones, and gets as many back: at random places (SET,
[mocanu2018]_), or where the gradient of the loss is largest (RigL, [evci2020]_). What grows begins at zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plica.errors import InvalidInput
from plica.sparse._masks import Masks, apply_masks, checked
from plica.theory.sparsity import rigl_fraction

if TYPE_CHECKING:
    from torch import Tensor, nn


@dataclass
class Dynamic:
    """Masks and the rule by which they move; :meth:`kept` while training, with ``fit(..., after_step=dynamic)``.

    Parameters
    ----------
    masks
        Where to begin; they are changed in place.
    rule
        ``"rigl"`` or ``"set"``.
    every
        Steps between two moves: 100 in RigL, an epoch in SET.
    end
        RigL's share falls as a cosine and is 0 from this step on; three quarters of the training. SET moves at every multiple
        of ``every`` before it.
    share
        Of a layer's weights that are replaced: RigL's first one, SET's always.
    seed
        Of the places where SET grows.

    Examples
    --------
    >>> import plica
    >>> from plica.learn import fit, mlp
    >>> from plica.sparse import n_kept, prune
    >>> model = mlp([2, 32, 32, 1], seed=0)
    >>> masks = prune(model, "random", 0.2, scope="erk")
    >>> before = {name: mask.clone() for name, mask in masks.items()}
    >>> moving = Dynamic(masks, "rigl", every=10, end=100)
    >>> with moving.kept(model):
    ...     _ = fit(model, plica.data.load("moons"), epochs=10, after_step=moving)
    >>> n_kept(masks) == n_kept(before), bool((masks["2.weight"] == before["2.weight"]).all()), moving.n_moves
    (True, False, 9)
    """

    masks: Masks
    rule: str = "rigl"
    every: int = 100
    end: int = 10_000
    share: float = 0.3
    seed: int = 0
    n_moves: int = 0
    step: int = 0
    _dense: dict[str, Tensor] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if self.rule not in ("rigl", "set"):
            raise InvalidInput(f"rule = {self.rule!r}.", hint="'rigl' or 'set'")
        if self.every < 1 or self.end < 1 or not 0 <= self.share < 1:
            raise InvalidInput(f"every = {self.every}, end = {self.end}, share = {self.share}.", hint="1, 1, and in [0, 1)")

    @contextmanager
    def kept(self, model: nn.Module) -> Iterator[Dynamic]:
        """While this lasts, gradients of masked weights are zero, and those of the step before a move are remembered whole."""
        apply_masks(model, self.masks)
        hooks = [p.register_hook(self._hook(name)) for name, (p, _) in checked(model, self.masks).items()]
        try:
            yield self
        finally:
            for hook in hooks:
                hook.remove()
            self._dense.clear()

    def _hook(self, name: str) -> Callable[[Tensor], Tensor]:
        def hook(gradient: Tensor) -> Tensor:
            if self._is_due(self.step + 1):
                self._dense[name] = gradient.detach().clone()
            return gradient * self.masks[name]

        return hook

    def _is_due(self, step: int) -> bool:
        return step % self.every == 0 and step < self.end

    def __call__(self, model: nn.Module, step: int) -> None:
        """After a step: move if it is time; momentum moves nothing that is masked."""
        self.step = step
        if self._is_due(step):
            share = rigl_fraction(step, self.end, alpha=self.share) if self.rule == "rigl" else self.share
            self.move(model, share, self._dense)
            self.n_moves += 1
        apply_masks(model, self.masks)

    def move(self, model: nn.Module, share: float, gradients: Mapping[str, Tensor]) -> None:
        """Drop the smallest weights of each layer, and grow as many."""
        import torch

        generator = torch.Generator().manual_seed(self.seed * 1_000_003 + self.n_moves)
        for name, (parameter, mask) in checked(model, self.masks).items():
            w, alive = parameter.data.reshape(-1), mask.reshape(-1).clone()
            before = alive.clone()
            alive[smallest(w, alive, share, by_sign=self.rule == "set")] = False
            n = int(before.sum()) - int(alive.sum())
            worth = gradients[name].reshape(-1).abs() if self.rule == "rigl" else torch.rand(len(w), generator=generator)
            places = torch.argsort(worth.masked_fill(alive, -1.0), descending=True, stable=True)[:n]
            alive[places] = True
            parameter.data.masked_fill_((alive & ~before).view_as(parameter), 0.0)
            mask.copy_(alive.view_as(mask))


def smallest(w: Tensor, alive: Tensor, share: float, *, by_sign: bool = False) -> Tensor:
    """The places of the share of living weights next to zero; by sign: of the positive and of the negative ones that share each.

    Examples
    --------
    >>> import torch
    >>> w = torch.tensor([1.0, 2.0, 3.0, 4.0, -5.0, -6.0])
    >>> smallest(w, torch.ones(6, dtype=torch.bool), 0.5).tolist()
    [0, 1, 2]
    >>> smallest(w, torch.ones(6, dtype=torch.bool), 0.5, by_sign=True).tolist()
    [0, 1, 4]
    """
    import torch

    groups = [alive & (w > 0), alive & (w <= 0)] if by_sign else [alive]
    found = []
    for group in groups:
        n = round(share * int(group.sum()))
        found.append(torch.argsort(w.abs().masked_fill(~group, torch.inf), stable=True)[:n])
    return torch.cat(found)
