r"""ResNet-34 costs 3.6 billion multiply-adds, 18 percent of VGG-19.

Claim
    The 34-layer residual network of He et al. costs 3.6 billion multiply-adds for one image, 18 percent of VGG-19's 19.6 billion.
Source
    K. He, X. Zhang, S. Ren, J. Sun, CVPR 2016, Figure 3 [he2016].
Prediction
    3.6 10^9, and the fraction 0.18 of VGG-19's 19.6 10^9
Measurement
    plica.theory.parameters.resnet_multiply_adds(34) without projections, and the same sum for VGG-19's sixteen convolutions
    and three fully connected layers, in exact integers
"""

from __future__ import annotations

from plica.claims import Evidence, row
from plica.claims._draw import sizes
from plica.theory.parameters import resnet_multiply_adds

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("slide-resnet34-flops", "resnet-parameters")


def vgg19_multiply_adds() -> int:
    """3 x 3 convolutions at sides 224, 112, 56, 28, 14, then 25088-4096-4096-1000."""
    total, channels = 0, 3
    for side, widths in ((224, [64] * 2), (112, [128] * 2), (56, [256] * 4), (28, [512] * 4), (14, [512] * 4)):
        for width in widths:
            total += 9 * channels * width * side * side
            channels = width
    return total + 512 * 7 * 7 * 4096 + 4096 * 4096 + 4096 * 1000


def check(scale: str) -> Evidence:
    resnet, vgg = resnet_multiply_adds(34), vgg19_multiply_adds()
    return Evidence(
        [
            row(resnet, "=", 3_600_000_000, tolerance=0.02, what="ResNet-34"),
            row(vgg, "=", 19_600_000_000, tolerance=0.02, what="VGG-19"),
            row(resnet / vgg, "=", 0.18, tolerance=0.05, what="fraction"),
        ],
        draw=sizes({"ResNet-34": resnet, "VGG-19": vgg}, {"ResNet-34": 3.6e9, "VGG-19": 19.6e9}, x="multiply-adds"),
    )
