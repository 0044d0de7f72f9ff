r"""The tables of the ResNet paper: what can be recomputed is.

Claim
    The residual networks of 18, 34, 50, 101 and 152 layers cost 1.8, 3.6, 3.8, 7.6 and 11.3 billion multiply-adds for an image
    of 224 x 224 pixels; those for CIFAR-10 with 20, 32, 44, 56, 110 and 1202 layers have 0.27, 0.46, 0.66, 0.85, 1.7 and 19.4
    million parameters; even the deepest of the first costs less than VGG-16's 15.3 billion.
Source
    K. He, X. Zhang, S. Ren, J. Sun, Deep Residual Learning for Image Recognition, CVPR 2016, Tables 1 and 6 [he2016]. Errors of
    Tables 2 to 6 are kept beside them.
Prediction
    the printed numbers: multiply-adds within 2 percent (3.86 is printed as 3.8), parameters to all printed digits
Measurement
    plica.models.vision.ResNet, built without memory and run on shapes: shortcuts padded with zeros up to 34 layers and
    projections above, and bottlenecks that halve the side in their first convolution, as published; against
    plica.theory.parameters.resnet_multiply_adds, which halves it in the second, as torchvision does (4.1 billion for 50
    layers)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from plica._palette import SERIES
from plica.claims import Evidence, control, row
from plica.theory.parameters import resnet_multiply_adds

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "exact"
SEE = ("resnet34-flops", "resnet-sizes", "resnet-20-cifar10")

#: Table 1: billions of multiply-adds.
MULTIPLY_ADDS = {18: 1.8, 34: 3.6, 50: 3.8, 101: 7.6, 152: 11.3}
VGG_16 = 15.3


class Small(NamedTuple):
    """A row of Table 6: millions of parameters as printed, and the error on CIFAR-10 in percent."""

    parameters: str
    error: float


CIFAR = {
    20: Small("0.27", 8.75),
    32: Small("0.46", 7.51),
    44: Small("0.66", 7.17),
    56: Small("0.85", 6.97),
    110: Small("1.7", 6.43),
    1202: Small("19.4", 7.93),
}

#: Tables 2 and 3: errors in percent on ImageNet's validation set, ten crops: the first guess, the first five.
TEN_CROPS: dict[str, tuple[float | None, float | None]] = {
    "plain-18": (27.94, None),
    "plain-34": (28.54, 10.02),
    "ResNet-18": (27.88, None),
    "ResNet-34 A": (25.03, 7.76),
    "ResNet-34 B": (24.52, 7.46),
    "ResNet-34 C": (24.19, 7.40),
    "ResNet-50": (22.85, 6.71),
    "ResNet-101": (21.75, 6.05),
    "ResNet-152": (21.43, 5.71),
    "VGG-16": (28.07, 9.33),
    "GoogLeNet": (None, 9.15),
    "PReLU-net": (24.27, 7.38),
}
#: Table 4: the same for single models, at several scales.
SINGLE_MODELS: dict[str, tuple[float | None, float]] = {
    "VGG (v5)": (24.4, 7.1),
    "PReLU-net": (21.59, 5.71),
    "BN-inception": (21.99, 5.81),
    "ResNet-34 B": (21.84, 5.71),
    "ResNet-34 C": (21.53, 5.60),
    "ResNet-50": (20.74, 5.25),
    "ResNet-101": (19.87, 4.60),
    "ResNet-152": (19.38, 4.49),
}
#: Table 5: ensembles, the first five guesses.
ENSEMBLES = {"VGG": 7.32, "GoogLeNet": 6.66, "VGG (v5)": 6.8, "PReLU-net": 4.94, "BN-inception": 4.82, "ResNet": 3.57}


def check(scale: str) -> Evidence:
    from plica.models.vision import ResNet, ResNetConfig

    rows = []
    for depth in MULTIPLY_ADDS if scale == "full" else (18, 34, 50):
        shortcut = "padding" if depth <= 34 else "projection"
        config = ResNetConfig.preset(f"resnet-{depth}", shortcut=shortcut, bottleneck_stride="first")
        found = ResNet.count_multiply_adds(config, 224)
        rows.append(row(found, "=", MULTIPLY_ADDS[depth] * 1e9, tolerance=0.02, what="multiply-adds", layers=depth))
    for depth in CIFAR if scale == "full" else (20, 32, 44, 56, 110):
        printed = CIFAR[depth].parameters
        digits = len(printed.partition(".")[2])
        config = ResNetConfig.preset(f"resnet-{depth}")
        found_text = f"{ResNet.count_parameters(config) / 1e6:.{digits}f}"
        rows.append(row(found_text, "=", printed, what="parameters, millions", layers=depth))
        rows.append(control(config.n_weight_layers, "=", depth, what="layers with weights", layers=depth))
    other = ResNet.count_multiply_adds("resnet-50", 224)
    rows.append(
        control(other, "=", resnet_multiply_adds(50, projection=True), what="halved in the second convolution", layers=50)
    )
    if scale == "full":
        deepest = ResNet.count_multiply_adds("resnet-152", 224, bottleneck_stride="first")
        rows.append(row(deepest, "<", VGG_16 * 1e9, what="multiply-adds, and those of VGG-16", layers=152))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """Published errors on ImageNet (ten crops) against multiply-adds."""
    points = {depth: TEN_CROPS[name][0] for depth, name in RESIDUAL.items()}
    cost = {depth: resnet_multiply_adds(depth, projection=depth > 34) / 1e9 for depth in points}
    ax.plot([cost[d] for d in points], [e or 0.0 for e in points.values()], "o-", color=SERIES[1], label="residual")
    plain = [TEN_CROPS["plain-18"][0] or 0.0, TEN_CROPS["plain-34"][0] or 0.0]
    ax.plot([cost[18], cost[34]], plain, "s-", color=SERIES[0], label="plain")
    for depth, error in points.items():
        ax.annotate(str(depth), (cost[depth], error or 0.0), textcoords="offset points", xytext=(4, 4), fontsize=7)
    ax.set(xlabel="billions of multiply-adds", ylabel="printed error, percent")
    ax.legend(frameon=False)


RESIDUAL = {18: "ResNet-18", 34: "ResNet-34 A", 50: "ResNet-50", 101: "ResNet-101", 152: "ResNet-152"}
