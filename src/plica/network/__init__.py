"""What a piecewise-linear network is, and where networks come from."""

from plica.network._combine import cut_in_two, difference, extended, side_by_side
from plica.network._files import from_bytes, load, save, to_bytes
from plica.network._fractions import FractionColumns
from plica.network._memo import once_per_network
from plica.network._named import from_names
from plica.network._network import Builder, Network, Node
from plica.network._onnx import from_onnx
from plica.network._random import random_network
from plica.network._sandwich import Sandwich, sandwich
from plica.network._sklearn import from_sklearn
from plica.network._to_onnx import to_onnx
from plica.network._to_torch import to_torch
from plica.network._torch import from_torch
from plica.network._walk import Semantics, walk
from plica.network.operations import (
    Add,
    Affine,
    Clip,
    Concat,
    Conv,
    EntryForms,
    Fold,
    Gather,
    Input,
    Linear,
    Max,
    Op,
    Pad,
    Permute,
    Pieces,
    Rectifier,
    Reshape,
    Scale,
    WindowSum,
)

__all__ = [
    "Add",
    "Affine",
    "Builder",
    "Clip",
    "Concat",
    "Conv",
    "EntryForms",
    "Fold",
    "FractionColumns",
    "Gather",
    "Input",
    "Linear",
    "Max",
    "Network",
    "Node",
    "Op",
    "Pad",
    "Permute",
    "Pieces",
    "Rectifier",
    "Reshape",
    "Sandwich",
    "Scale",
    "Semantics",
    "WindowSum",
    "cut_in_two",
    "difference",
    "extended",
    "from_bytes",
    "from_names",
    "from_onnx",
    "from_sklearn",
    "from_torch",
    "load",
    "once_per_network",
    "random_network",
    "sandwich",
    "save",
    "side_by_side",
    "to_bytes",
    "to_onnx",
    "to_torch",
    "walk",
]
