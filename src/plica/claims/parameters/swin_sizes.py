r"""The sizes of the Swin Transformers.

Claim
    Swin-T, -S and -B have 29, 50 and 88 million parameters.
Source
    Z. Liu et al., Swin Transformer, ICCV 2021, Table 1 [liu2021]; exact numbers from TorchVision's tables [torchvision].
Prediction
    the printed sizes within 3 percent; TorchVision's, exactly
Measurement
    parameters of plica.models.vision.Swin with a head for 1000 classes, built without memory, and of
    plica.theory.parameters.swin_parameters
"""

from __future__ import annotations

from plica.claims import Evidence, row
from plica.claims._draw import deviations
from plica.models.vision import Swin
from plica.theory.parameters import swin_parameters

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "exact"
SEE = ("vision-transformer-sizes",)


def check(scale: str) -> Evidence:
    rows = []
    for name, width, depth, heads, printed, known in (
        ("swin-t", 96, 6, (3, 6, 12, 24), 29_000_000, 28_288_354),
        ("swin-s", 96, 18, (3, 6, 12, 24), 50_000_000, 49_606_258),
        ("swin-b", 128, 18, (4, 8, 16, 32), 88_000_000, 87_768_224),
    ):
        counted = Swin.count_parameters(name)
        rows.append(row(counted, "=", known, model=name, against="TorchVision"))
        rows.append(row(counted, "=", swin_parameters(width, (2, 2, depth, 2), heads), model=name, against="formula"))
        rows.append(row(counted, "=", printed, tolerance=0.03, model=name, against="printed"))
    return Evidence(rows, draw=deviations(rows, "model", only={"against": "printed"}))
