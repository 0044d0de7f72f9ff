r"""The sizes of the ResNets.

Claim
    The residual networks with 18, 34, 50, 101 and 152 layers have 11.7, 21.8, 25.6, 44.5 and 60.2 million parameters.
Source
    TorchVision's tables [torchvision] for the networks of K. He et al., CVPR 2016 [he2016].
Prediction
    11,689,512, 21,797,672, 25,557,032, 44,549,160 and 60,192,808, exactly
Measurement
    plica.theory.parameters.resnet_parameters, from the dimensions alone
"""

from __future__ import annotations

from plica.claims import Evidence, row
from plica.claims._draw import sizes
from plica.theory.parameters import resnet_parameters

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "exact"
SEE = ("resnet-parameters", "lenet5-sizes")
SIZES = {18: 11_689_512, 34: 21_797_672, 50: 25_557_032, 101: 44_549_160, 152: 60_192_808}


def check(scale: str) -> Evidence:
    counted = {f"{depth} layers": resnet_parameters(depth) for depth in SIZES}
    printed = {f"{depth} layers": known for depth, known in SIZES.items()}
    rows = [row(resnet_parameters(depth), "=", known, layers=depth) for depth, known in SIZES.items()]
    return Evidence(rows, draw=sizes(counted, printed, x="parameters"))
