"""Deep fully connected networks: plain, residual and highway layers."""

from plica.models.deep._deep import DeepConfig, DeepNetwork, HighwayLayer

__all__ = ["DeepConfig", "DeepNetwork", "HighwayLayer"]
