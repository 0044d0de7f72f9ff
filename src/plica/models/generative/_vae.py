r"""Variational autoencoders: a decoder with a likelihood, an encoder that guesses its posterior, and the bound in nats."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, pi, prod

import torch
from torch import Tensor, nn
from torch.nn import functional

from plica.models._config import Config, one_of, positive
from plica.models._model import Model
from plica.models.generative._decoders import decoder, encoder, problems_of_shape

LIKELIHOODS = ("bernoulli", "gaussian")


def gaussian_divergence(mean: Tensor, log_variance: Tensor) -> Tensor:
    r"""KL(N(mean, variance) || N(0, 1)) summed over the last axis: -1/2 sum(1 + log s^2 - m^2 - s^2), in nats.

    Examples
    --------
    >>> gaussian_divergence(torch.tensor([1.0, 0.0]), torch.tensor([0.0, 0.0]))
    tensor(0.5000)
    """
    return -0.5 * (1 + log_variance - mean**2 - log_variance.exp()).sum(dim=-1)


@dataclass(frozen=True)
class VAEConfig(Config):
    """Sizes of a variational autoencoder.

    Parameters
    ----------
    shape, n_latent, widths, style
        As for :class:`AutoencoderConfig`.
    likelihood
        ``bernoulli``: the decoder gives logits of pixels; ``gaussian``: means, with one variance that is learned.
    """

    shape: tuple[int, ...]
    n_latent: int = 2
    widths: tuple[int, ...] = (256,)
    style: str = "dense"
    likelihood: str = "bernoulli"

    def problems(self) -> list[tuple[str, str]]:
        shape = problems_of_shape(self.shape, self.style, self.widths)
        return [*positive(n_latent=self.n_latent), *shape, *one_of("likelihood", self.likelihood, LIKELIHOODS)]


class VAE(Model[VAEConfig]):
    """A variational autoencoder [kingma2014]_; encoder and decoder are piecewise linear.

    Examples
    --------
    >>> model = VAE(VAEConfig((6,), n_latent=2, widths=(8,)))
    >>> model.bound(torch.zeros(3, 6)).shape
    torch.Size([3])
    """

    Config = VAEConfig

    def __init__(self, config: VAEConfig) -> None:
        super().__init__(config)
        self.encoder = encoder(config.shape, config.widths, 2 * config.n_latent, style=config.style)
        self.decoder = decoder(config.shape, config.widths, config.n_latent, style=config.style)
        self.log_noise = nn.Parameter(torch.zeros(()), requires_grad=config.likelihood == "gaussian")

    def posterior(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Means and logarithms of variances of the latent variables, (B, n_latent) each."""
        mean, log_variance = self.encoder(x).chunk(2, dim=-1)
        return mean, log_variance

    def log_likelihood(self, x: Tensor, z: Tensor) -> Tensor:
        """log p(x | z) in nats, one number for each point."""
        out = self.decoder(z)
        if self.config.likelihood == "bernoulli":
            return -functional.binary_cross_entropy_with_logits(out, x, reduction="none").flatten(1).sum(dim=1)
        square = (x - out).square().flatten(1).sum(dim=1) / self.log_noise.exp()
        return -0.5 * (square + prod(self.config.shape) * (self.log_noise + log(2 * pi)))

    def bound(self, x: Tensor) -> Tensor:
        """The evidence lower bound of log p(x) in nats, one number for each point, with one draw of the latent variables."""
        mean, log_variance = self.posterior(x)
        z = mean + (0.5 * log_variance).exp() * torch.randn_like(mean)
        return self.log_likelihood(x, z) - gaussian_divergence(mean, log_variance)

    def importance_bound(self, x: Tensor, n_draws: int) -> Tensor:
        """The bound with several draws, log mean_k p(x, z_k) / q(z_k | x): tighter the more there are."""
        mean, log_variance = self.posterior(x)
        parts = []
        for _ in range(n_draws):
            noise = torch.randn_like(mean)
            z = mean + (0.5 * log_variance).exp() * noise
            parts.append(self.log_likelihood(x, z) + 0.5 * (noise**2 - z**2 + log_variance).sum(dim=1))
        return torch.logsumexp(torch.stack(parts), dim=0) - log(n_draws)

    def generate(self, z: Tensor) -> Tensor:
        """Means of the data at latent variables."""
        out: Tensor = self.decoder(z)
        return out.sigmoid() if self.config.likelihood == "bernoulli" else out

    def forward(self, x: Tensor) -> Tensor:
        """Reconstructions from the means of the latent variables."""
        return self.generate(self.posterior(x)[0])
