r"""LeNet-5 has 60,000 parameters.

Claim
    LeNet-5 has 60,000 trainable parameters: partly connected maps, trained pooling, outputs that are fixed radial functions.
Source
    Y. LeCun, L. Bottou, Y. Bengio, P. Haffner, Gradient-Based Learning Applied to Document Recognition, Proc. IEEE 1998
    [lecun1998b].
Prediction
    60,000 for the original; 61,706 for the modern version with full connections, plain pooling and a trained output
Measurement
    plica.theory.parameters.lenet5_parameters; for the modern version also the layers of torch, built without memory
"""

from __future__ import annotations

from plica.claims import Evidence, row
from plica.claims._draw import shares
from plica.theory.parameters import lenet5_parameters

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "exact"
SEE = ("resnet-parameters",)
LAYERS = {  #: where they are; the last layer of the original is fixed
    "original": {"convolutions": 156 + 1516, "pooling": 44, "full, 120": 48_120, "full, 84": 10_164},
    "modern": {"convolutions": 156 + 2416, "full, 120": 48_120, "full, 84": 10_164, "output": 850},
}


def modern() -> int:
    """Parameters of the layers of torch."""
    import torch
    from torch import nn

    with torch.device("meta"):
        layers = (nn.Conv2d(1, 6, 5), nn.Conv2d(6, 16, 5), nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, 10))
    return sum(parameter.numel() for layer in layers for parameter in layer.parameters())


def check(scale: str) -> Evidence:
    return Evidence(
        [
            row(lenet5_parameters(), "=", 60_000, version="original"),
            row(lenet5_parameters(original=False), "=", 61_706, version="modern"),
            row(modern(), "=", 61_706, version="modern, as layers"),
        ],
        draw=shares(LAYERS, x="percent of the parameters"),
    )
