"""Models that make data: autoencoders, variational autoencoders, generators and their discriminators."""

from plica.models.generative._autoencoder import Autoencoder, AutoencoderConfig
from plica.models.generative._decoders import decoder, encoder
from plica.models.generative._gan import GAN, GANConfig
from plica.models.generative._vae import VAE, VAEConfig, gaussian_divergence

__all__ = [
    "GAN",
    "VAE",
    "Autoencoder",
    "AutoencoderConfig",
    "GANConfig",
    "VAEConfig",
    "decoder",
    "encoder",
    "gaussian_divergence",
]
