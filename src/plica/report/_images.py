"""Inputs that are images as small pictures inside the page: PNG files written by hand, at the size of the image."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput

LARGEST = 256  # pixels along a side of what is taken for an image
KNOWN = {784: (1, 28, 28), 3072: (3, 32, 32)}  # flat inputs that are images as a rule


def image_shape(*shapes: tuple[int, ...]) -> tuple[int, int, int] | None:
    """Channels, height and width, by the first of the shapes that is that of an image; None if there is none.

    >>> image_shape((1, 28, 28)), image_shape((784,)), image_shape((32, 32, 3)), image_shape((20,), (4, 5))
    ((1, 28, 28), (1, 28, 28), (3, 32, 32), (1, 4, 5))
    >>> image_shape((20,))
    """
    for shape in shapes:
        if len(shape) == 1 and shape[0] in KNOWN:
            return KNOWN[shape[0]]
        if len(shape) == 2 and 1 < min(shape) and max(shape) <= LARGEST:
            return 1, *shape
        if len(shape) == 3 and max(shape) <= LARGEST and 1 < min(sorted(shape)[1:]):
            if shape[0] in (1, 3):
                return shape
            if shape[2] in (1, 3):
                return shape[2], shape[0], shape[1]
    return None


def asked_shape(text: str, n_inputs: int) -> tuple[int, int, int] | None:
    """What a person writes: ``28x28``, ``3x32x32``, or ``none``.

    >>> asked_shape("28x28", 784), asked_shape("none", 784)
    ((1, 28, 28), None)
    """
    if text == "none":
        return None
    parts = text.lower().replace("×", "x").split("x")
    if len(parts) in (2, 3) and all(part.strip().isdecimal() for part in parts):
        numbers = [int(part) for part in parts]
        channels, height, width = ([1] if len(parts) == 2 else []) + numbers
        if (
            channels in (1, 3)
            and 0 < min(height, width) <= max(height, width) <= LARGEST
            and channels * height * width == n_inputs
        ):
            return channels, height, width
    raise InvalidInput(
        f"an image {text!r} for a network with {n_inputs:,} inputs.",
        hint=f"height x width or channels x height x width with that product, as 28x28 or 3x32x32, sides up to {LARGEST}",
    )


def image_uri(values: Any, shape: tuple[int, int, int], low: float, high: float) -> str:
    """A PNG as the address of a picture; ``low`` is black and ``high`` white.

    >>> image_uri([0.0, 1.0, 1.0, 0.0], (1, 2, 2), 0.0, 1.0)[:30]
    'data:image/png;base64,iVBORw0K'
    """
    pixels = np.asarray(values, dtype=float).reshape(shape).transpose(1, 2, 0)
    scaled = np.clip((pixels - low) / ((high - low) or 1.0), 0.0, 1.0)
    return "data:image/png;base64," + base64.b64encode(png(np.rint(255 * scaled).astype(np.uint8))).decode("ascii")


def png(pixels: Array) -> bytes:
    """Bytes (height, width, 1, 3 or 4) as a PNG file; the fourth is how opaque a pixel is.

    >>> png(np.zeros((1, 1, 1), dtype=np.uint8))[:8]
    b'\\x89PNG\\r\\n\\x1a\\n'
    """
    height, width, channels = pixels.shape
    rows = np.concatenate([np.zeros((height, 1), dtype=np.uint8), pixels.reshape(height, -1)], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, {1: 0, 3: 2, 4: 6}[channels], 0, 0, 0)
    blocks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in blocks
    )
