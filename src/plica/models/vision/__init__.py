"""Images: residual networks, Vision Transformer, Swin, non-local block."""

from plica.models.vision._non_local import NonLocalBlock
from plica.models.vision._resnet import ResidualBlock, ResNet, ResNetConfig
from plica.models.vision._swin import Swin, SwinConfig, WindowBlock
from plica.models.vision._vit import VisionTransformer, ViTConfig

__all__ = [
    "NonLocalBlock",
    "ResNet",
    "ResNetConfig",
    "ResidualBlock",
    "Swin",
    "SwinConfig",
    "ViTConfig",
    "VisionTransformer",
    "WindowBlock",
]
