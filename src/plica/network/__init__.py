"""What a piecewise-linear network is, and where networks come from."""

from plica.network._affine import (
    Add,
    Affine,
    Concat,
    Conv,
    Gather,
    Input,
    Linear,
    Op,
    Pad,
    Permute,
    Reshape,
    Scale,
    WindowSum,
)
from plica.network._folds import Clip, Fold, Max, Rectifier
from plica.network._network import Builder, Network, Node

__all__ = [
    "Add",
    "Affine",
    "Builder",
    "Clip",
    "Concat",
    "Conv",
    "Fold",
    "Gather",
    "Input",
    "Linear",
    "Max",
    "Network",
    "Node",
    "Op",
    "Pad",
    "Permute",
    "Rectifier",
    "Reshape",
    "Scale",
    "WindowSum",
]
