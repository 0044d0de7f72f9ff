"""Where a Vision Transformer looks in an image: the weights of its class token on the patches, head by head."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from plica import data
from plica._npy import read_npy
from plica._types import Array
from plica.errors import InvalidInput
from plica.models.attention import record

if TYPE_CHECKING:
    from plica.models import Model


@dataclass(frozen=True, eq=False)
class Map:
    """Where one head looks: weights (queries, keys), with a name for each row and column.

    Where ``is_picture``, they are an image, or the weights of one query on its patches, by rows and columns.
    """

    title: str
    weights: Array
    queries: tuple[str, ...]
    keys: tuple[str, ...]
    is_picture: bool = False


def image_maps(model: Model, text: str) -> list[Map]:
    """The image, what the model takes it for, and for each head where the class token looks.

    ``text`` is the path of an .npy file with values from 0 to 1, or the number of one of scikit-learn's digits.
    """
    image = _image(text, model.config.side)
    with record(model) as seen, torch.no_grad():
        answer = int(model(torch.from_numpy(image)[None, None]).argmax())
    pixels = tuple(str(i) for i in range(len(image)))
    maps = [Map(f"the image, taken for a {answer}", image.astype(float), pixels, pixels, is_picture=True)]
    for name in seen.names:
        for h, head in enumerate(seen[name].weights[0].double().numpy()):
            side = round((head.shape[1] - 1) ** 0.5)
            patches = tuple(str(i) for i in range(side))
            title = f"{name}, head {h}: {head[0, 0]:.2f} on itself"
            maps.append(Map(title, head[0, 1:].reshape(side, side), patches, patches, is_picture=True))
    return maps


def _image(text: str, side: int) -> Array:
    path = Path(text)
    if text.isdecimal() and not path.exists():
        images = data.load("digits").x
        if side != images.shape[1] or int(text) >= len(images):
            raise InvalidInput(
                f"image {text} for a model of images of {side} x {side} pixels.",
                hint=f"0 to {len(images) - 1} are digits of 8 x 8 pixels; for others give an .npy file",
            )
        return np.asarray(images[int(text)], dtype=np.float32)
    if path.suffix != ".npy":
        raise InvalidInput(f"{text!r} is no image.", hint="an .npy file, or the number of one of scikit-learn's digits, as 12")
    image = np.squeeze(np.asarray(read_npy(path), dtype=np.float32))
    if image.shape != (side, side) or not (image.min() >= 0 and image.max() <= 1):
        raise InvalidInput(
            f"an image of shape {image.shape} with values up to {image.max():g}.",
            hint=f"{side} x {side} pixels from 0 to 1, as the model was trained on",
        )
    return image
