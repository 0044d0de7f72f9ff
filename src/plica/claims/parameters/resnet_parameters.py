r"""ResNet-101 has 45 million parameters.

Claim
    ResNet-101 has 45 million parameters.
Source
    Theories of Deep Learning, lecture 15, list of model sizes [oxford-lecture-15]; K. He et al., CVPR 2016 [he2016].
Prediction
    45 million
Measurement
    plica.theory.parameters.resnet_parameters(101), with projection shortcuts and batch norm, in exact integers, within 2 percent
"""

from __future__ import annotations

from plica.claims import Evidence, row
from plica.claims._draw import deviations
from plica.theory.parameters import resnet_parameters

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("resnet34-flops",)


def check(scale: str) -> Evidence:
    rows = [row(resnet_parameters(101), "=", 45_000_000, tolerance=0.02, network="ResNet-101")]
    return Evidence(rows, draw=deviations(rows, "network"))
