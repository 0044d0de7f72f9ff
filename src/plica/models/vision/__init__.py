"""Attention on images: Vision Transformer, Swin, non-local block."""

from plica.models.vision._non_local import NonLocalBlock
from plica.models.vision._swin import Swin, SwinConfig, WindowBlock
from plica.models.vision._vit import VisionTransformer, ViTConfig

__all__ = ["NonLocalBlock", "Swin", "SwinConfig", "ViTConfig", "VisionTransformer", "WindowBlock"]
