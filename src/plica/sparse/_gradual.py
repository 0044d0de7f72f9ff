"""Gradual magnitude pruning: while a network trains, the smallest weights go, first many, then few [zhu2017]_."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plica.errors import InvalidInput
from plica.sparse._masks import Masks, apply_masks
from plica.sparse._prune import prune
from plica.theory.sparsity import gradual_sparsity

if TYPE_CHECKING:
    from torch import nn


@dataclass
class Gradual:
    """Masks that shrink by the cubic schedule, all weights compared; :func:`kept` while training, with ``after_step``.

    Parameters
    ----------
    masks
        Where to begin; they are changed in place.
    density
        At the end.
    every, end
        Weights go at every multiple of ``every`` steps, up to ``end``.

    Examples
    --------
    >>> import plica
    >>> from plica.learn import fit, mlp
    >>> from plica.sparse import density, full_masks, kept
    >>> model = mlp([2, 32, 32, 1], seed=0)
    >>> masks = full_masks(model)
    >>> with kept(model, masks):
    ...     _ = fit(model, plica.data.load("moons"), epochs=10, after_step=Gradual(masks, 0.25, every=10, end=100))
    >>> round(density(masks), 3)
    0.25
    """

    masks: Masks
    density: float
    every: int = 100
    end: int = 10_000

    def __post_init__(self) -> None:
        if self.every < 1 or self.end < 1 or not 0 < self.density <= 1:
            raise InvalidInput(
                f"density = {self.density}, every = {self.every}, end = {self.end}.", hint="a share in (0, 1]; at least 1 step"
            )

    def __call__(self, model: nn.Module, step: int) -> None:
        """After a step: take weights away if it is time; momentum moves nothing that is masked."""
        if step <= self.end and (step % self.every == 0 or step == self.end):
            now = 1 - gradual_sparsity(step, self.end, final=1 - self.density)
            for name, mask in prune(model, "magnitude", now, masks=self.masks).items():
                self.masks[name].copy_(mask)
        apply_masks(model, self.masks)
