"""Generators and discriminators, one module: what is made, and who tells it from data."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from plica.models._config import Config, positive
from plica.models._model import Model
from plica.models.generative._decoders import decoder, encoder, problems_of_shape


@dataclass(frozen=True)
class GANConfig(Config):
    """Sizes of a pair of networks.

    Parameters
    ----------
    shape, n_latent, widths, style
        As for :class:`AutoencoderConfig`: the generator is a decoder, the discriminator an encoder with one output, a logit.
    batch_norm
        Normalize the generator's hidden layers over the batch; in evaluation this is linear.
    """

    shape: tuple[int, ...]
    n_latent: int = 16
    widths: tuple[int, ...] = (32, 64)
    style: str = "transposed"
    batch_norm: bool = True

    def problems(self) -> list[tuple[str, str]]:
        return [*positive(n_latent=self.n_latent), *problems_of_shape(self.shape, self.style, self.widths)]


class GAN(Model[GANConfig]):
    """A generator and a discriminator [goodfellow2014]_, convolutional ones after [radford2016]_; both are piecewise linear.

    Examples
    --------
    >>> model = GAN(GANConfig((1, 28, 28)))
    >>> model.draw(5).shape, model.discriminator(torch.zeros(2, 1, 28, 28)).shape
    (torch.Size([5, 1, 28, 28]), torch.Size([2, 1]))
    """

    Config = GANConfig

    def __init__(self, config: GANConfig) -> None:
        super().__init__(config)
        c = config
        made = decoder(c.shape, c.widths, c.n_latent, style=c.style)
        self.generator = nn.Sequential(*_normalized(made)) if c.batch_norm else made
        seen = encoder(c.shape, c.widths, 1, style=c.style)
        self.discriminator = nn.Sequential(*(nn.LeakyReLU(0.2) if isinstance(part, nn.ReLU) else part for part in seen))

    def draw(self, n: int) -> Tensor:
        """n points made from Gaussian latent variables."""
        like = next(self.generator.parameters())
        out: Tensor = self.generator(torch.randn(n, self.config.n_latent, dtype=like.dtype, device=like.device))
        return out

    def forward(self, z: Tensor) -> Tensor:
        """What the generator makes of latent variables."""
        out: Tensor = self.generator(z)
        return out


def _normalized(made: nn.Sequential) -> list[nn.Module]:
    """With a normalization before every rectifier."""
    parts: list[nn.Module] = []
    n = 0
    for part in made:
        if isinstance(part, nn.ReLU):
            last = parts[-1]
            parts.append(nn.BatchNorm1d(n) if isinstance(last, nn.Linear) else nn.BatchNorm2d(n))
        elif isinstance(part, nn.Linear):
            n = part.out_features
        elif isinstance(part, (nn.Conv2d, nn.ConvTranspose2d)):
            n = part.out_channels
        parts.append(part)
    return parts
