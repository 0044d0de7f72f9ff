"""Autoencoders: data to a few latent variables and back."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from plica.models._config import Config, positive
from plica.models._model import Model
from plica.models.generative._decoders import decoder, encoder, problems_of_shape


@dataclass(frozen=True)
class AutoencoderConfig(Config):
    """Sizes of an autoencoder.

    Parameters
    ----------
    shape
        Of a point: (64,) or (1, 28, 28).
    n_latent
        Latent variables.
    widths
        Of the encoder, in reverse order of the decoder; without any, both are linear.
    style
        ``dense``, ``transposed`` or ``upsampled``, see :func:`plica.models.generative.decoder`.
    """

    shape: tuple[int, ...]
    n_latent: int = 2
    widths: tuple[int, ...] = ()
    style: str = "dense"

    def problems(self) -> list[tuple[str, str]]:
        return [*positive(n_latent=self.n_latent), *problems_of_shape(self.shape, self.style, self.widths)]


class Autoencoder(Model[AutoencoderConfig]):
    """x -> decoder(encoder(x)), piecewise linear.

    Examples
    --------
    >>> import torch
    >>> model = Autoencoder(AutoencoderConfig((6,), n_latent=2, widths=(8,)))
    >>> model(torch.zeros(3, 6)).shape, model.encoder(torch.zeros(3, 6)).shape
    (torch.Size([3, 6]), torch.Size([3, 2]))
    """

    Config = AutoencoderConfig

    def __init__(self, config: AutoencoderConfig) -> None:
        super().__init__(config)
        self.encoder = encoder(config.shape, config.widths, config.n_latent, style=config.style)
        self.decoder = decoder(config.shape, config.widths, config.n_latent, style=config.style)

    def forward(self, x: Tensor) -> Tensor:
        """Reconstructions of points."""
        out: Tensor = self.decoder(self.encoder(x))
        return out
