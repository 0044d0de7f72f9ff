r"""ResNet-34, as printed: 3.3 billion FLOPs.

Claim
    The 34-layer residual network costs 3.3 billion FLOPs (multiply-adds) for one image.
Source
    Theories of Deep Learning, lecture 15, caption of the figure of architectures [oxford-lecture-15].
Prediction
    3.3 10^9
Measurement
    plica.theory.parameters.resnet_multiply_adds(34): the convolutions and the classifier on a 224 x 224 image, exact integers
Remark
    The paper has 3.6 billion, the same as for the plain network, because the shortcuts cost nothing: the claim resnet34-flops.
"""

from __future__ import annotations

from plica.claims import Evidence, counterexample
from plica.claims._draw import sizes
from plica.theory.parameters import resnet_multiply_adds

STATEMENT = "misprint (picture)"
EXPECTED = "refuted"
KIND = "exact"
SEE = ("resnet34-flops",)


def check(scale: str) -> Evidence:
    counted = resnet_multiply_adds(34)
    found = counterexample(counted, "=", 3.3e9, truth=3.6e9, tolerance=0.02, network="residual, 34 layers")
    drawn = {"as in the picture": counted, "as in the paper": counted}
    printed = {"as in the picture": 3.3e9, "as in the paper": 3.6e9}
    return Evidence([found], draw=sizes(drawn, printed, x="multiply-adds", wrong=["as in the picture"]))
