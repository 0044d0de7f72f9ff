"""Objectives of models that make data, for ``fit(..., objective=...)``: bounds, denoising, two networks against each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from plica.errors import InvalidInput

if TYPE_CHECKING:
    from torch import Tensor, nn

GAMES = ("non-saturating", "minimax")


def negative_bound(model: Any, batch: Any) -> Tensor:
    """Minus the mean evidence lower bound of a :class:`plica.models.generative.VAE` on a batch (x, anything), in nats."""
    mean: Tensor = -model.bound(batch[0]).mean()
    return mean


def reconstruction(model: nn.Module, batch: Any) -> Tensor:
    """The mean over points of the squared distance from the reconstruction."""
    x = batch[0]
    distance: Tensor = (model(x) - x).square().flatten(1).sum(dim=1).mean()
    return distance


def denoising(noise_std: float) -> Callable[[nn.Module, Any], Tensor]:
    """The mean over points of the squared distance between a point and what the model makes of it with noise added.

    The best model is the posterior mean, x + noise_std^2 times the score of the noisy density (Tweedie's formula).
    """
    if not noise_std > 0:
        raise InvalidInput(f"noise_std = {noise_std}.", hint="the standard deviation of the noise, positive")

    def objective(model: nn.Module, batch: Any) -> Tensor:
        import torch

        x = batch[0]
        distance: Tensor = (model(x + noise_std * torch.randn_like(x)) - x).square().flatten(1).sum(dim=1).mean()
        return distance

    return objective


def adversarial(game: str = "non-saturating", *, generator_weight: float = 1.0) -> Callable[[nn.Module, Any], Tensor]:
    """One loss whose gradient moves the discriminator by its loss and the generator by the other, at the same time.

    The discriminator sees what is generated as data without a past; the generator sees a discriminator without parameters. So
    the gradient of the sum is that of the game [goodfellow2014]_.

    Parameters
    ----------
    game
        The generator makes log(1 - D(G(z))) small (``minimax``) or -log D(G(z)) (``non-saturating``).
    generator_weight
        A factor of the generator's loss: with plain gradient descent, how much faster it moves.
    """
    if game not in GAMES:
        raise InvalidInput(f"game = {game!r}.", hint=f"one of {', '.join(GAMES)}")

    def objective(model: Any, batch: Any) -> Tensor:
        from torch.func import functional_call
        from torch.nn.functional import softplus

        x = batch[0]
        made = model.draw(len(x))
        real, fake = model.discriminator(x), model.discriminator(made.detach())
        told: Tensor = softplus(-real).mean() + softplus(fake).mean()  # -log D(x) - log(1 - D(G(z)))
        frozen = {name: p.detach() for name, p in model.discriminator.named_parameters()}
        logit: Tensor = functional_call(model.discriminator, frozen, (made,))
        fooled = softplus(-logit).mean() if game == "non-saturating" else -softplus(logit).mean()
        return told + generator_weight * fooled

    return objective
