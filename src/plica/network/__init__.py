"""What a piecewise-linear network is, and where networks come from."""

from plica.network._affine import Affine, Conv, Input, Linear, Op, Scale, WindowSum
from plica.network._files import load, save
from plica.network._folds import Clip, Fold, Max, Rectifier
from plica.network._memo import once_per_network
from plica.network._moves import Add, Concat, Gather, Pad, Permute, Reshape
from plica.network._network import Builder, Network, Node
from plica.network._onnx import from_onnx
from plica.network._random import random_network
from plica.network._to_onnx import to_onnx
from plica.network._to_torch import to_torch
from plica.network._torch import from_torch

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
    "from_onnx",
    "from_torch",
    "load",
    "once_per_network",
    "random_network",
    "save",
    "to_onnx",
    "to_torch",
]
