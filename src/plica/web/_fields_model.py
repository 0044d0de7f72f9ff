"""Fields of the state for a model that was given."""

from __future__ import annotations

from dataclasses import dataclass

from plica.web import _fields as f
from plica.web._described import described


@dataclass(frozen=True)
class ModelFields:
    """A model of the user, and the plane through its inputs."""

    model: str = described(
        "model",
        "Your model",
        f.Digest(),
        "",
        "The model you gave: a .safetensors or .onnx file.",
        moves=True,
    )
    rows: str = described(
        "model",
        "Your data",
        f.Digest(),
        "",
        "The data you gave with the model: a .npy file with one input in each row.",
        moves=True,
    )
    through: tuple[int, ...] = described(
        "model",
        "Plane through rows",
        f.Integers(",", 3, 3, 0, 10**9),
        (0, 1, 2),
        "The plane through these three rows of your data.",
        moves=True,
    )
    margin: float = described(
        "model",
        "Margin",
        f.Number(0, 100),
        0.25,
        "How far the picture goes beyond the three points.",
        moves=True,
    )
    output: int = described(
        "model",
        "Output",
        f.Integer(0, 10**6),
        0,
        "The output of the model that is shown.",
    )
