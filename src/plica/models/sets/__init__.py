"""Functions of sets: Deep Sets and the Set Transformer."""

from plica.models.sets._deep_sets import DeepSets, DeepSetsConfig, EquivariantLayer
from plica.models.sets._set_transformer import (
    InducedBlock,
    Pooling,
    SetBlock,
    SetTransformer,
    SetTransformerConfig,
)

__all__ = [
    "DeepSets",
    "DeepSetsConfig",
    "EquivariantLayer",
    "InducedBlock",
    "Pooling",
    "SetBlock",
    "SetTransformer",
    "SetTransformerConfig",
]
