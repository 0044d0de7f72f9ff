r"""The sizes of the Vision Transformers.

Claim
    ViT-Base, -Large and -Huge have 86, 307 and 632 million parameters.
Source
    A. Dosovitskiy et al., An Image Is Worth 16 x 16 Words, ICLR 2021, Table 1 [dosovitskiy2021]; exact numbers from TorchVision's
    tables [torchvision].
Prediction
    the printed sizes within 2 percent; TorchVision's, exactly
Measurement
    parameters of plica.models.vision.VisionTransformer with a head for 1000 classes, built without memory, and of
    plica.theory.parameters.vit_parameters
"""

from __future__ import annotations

from plica.claims import Evidence, row
from plica.claims._draw import deviations
from plica.models.vision import VisionTransformer
from plica.theory.parameters import vit_parameters

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "exact"
SEE = ("swin-sizes", "transformer-sizes")

#: preset: (layers, width, inner width, patch, printed or None, TorchVision's)
SIZES: dict[str, tuple[int, int, int, int, int | None, int]] = {
    "vit-b16": (12, 768, 3072, 16, 86_000_000, 86_567_656),
    "vit-b32": (12, 768, 3072, 32, None, 88_224_232),
    "vit-l16": (24, 1024, 4096, 16, 307_000_000, 304_326_632),
    "vit-l32": (24, 1024, 4096, 32, None, 306_535_400),
    "vit-h14": (32, 1280, 5120, 14, 632_000_000, 632_045_800),
}


def check(scale: str) -> Evidence:
    rows = []
    for name, (layers, width, inner, patch, printed, known) in SIZES.items():
        counted = VisionTransformer.count_parameters(name)
        rows.append(row(counted, "=", known, model=name, against="TorchVision"))
        rows.append(row(counted, "=", vit_parameters(layers, width, inner, patch=patch), model=name, against="formula"))
        if printed is not None:
            rows.append(row(counted, "=", printed, tolerance=0.02, model=name, against="printed"))
    return Evidence(rows, draw=deviations(rows, "model", only={"against": "printed"}))
