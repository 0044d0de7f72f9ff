"""Checkpoints: safetensors with the progress as JSON in the header, written whole or not at all."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plica._whole import write_whole
from plica.errors import InvalidInput

if TYPE_CHECKING:
    from torch import Tensor

SCHEMA = 2
HEADER_KEY = "plica-fit"


@dataclass
class Checkpoint:
    """Everything a run needs to go on: tensors by name, and progress as plain values."""

    tensors: dict[str, Tensor] = field(default_factory=dict)
    progress: dict[str, Any] = field(default_factory=dict)

    def group(self, prefix: str) -> dict[str, Tensor]:
        """The tensors whose names start with ``prefix.``, without it."""
        start = f"{prefix}."
        return {name.removeprefix(start): tensor for name, tensor in self.tensors.items() if name.startswith(start)}


def write_checkpoint(checkpoint: Checkpoint, path: Path) -> None:
    """Write a checkpoint; a reader sees the one before or this one."""
    from safetensors.torch import save

    text = json.dumps({"schema": SCHEMA} | checkpoint.progress, allow_nan=True)
    contents = save(
        {name: t.detach().contiguous().clone() for name, t in checkpoint.tensors.items()}, metadata={HEADER_KEY: text}
    )
    write_whole(path, contents)


def read_checkpoint(path: Path) -> Checkpoint:
    """The checkpoint in a file."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(str(path), framework="pt") as file:
            text = (file.metadata() or {}).get(HEADER_KEY)
            if text is None:
                raise InvalidInput(f"{path} is not a checkpoint of plica.learn.fit.", hint="give the file that fit wrote")
            progress = json.loads(text)
            tensors = {name: file.get_tensor(name) for name in file.keys()}
    except (SafetensorError, json.JSONDecodeError, RecursionError) as error:
        raise InvalidInput(f"{path} is damaged: {error}.", hint="start again, or go on from another copy") from None
    if not isinstance(progress, dict) or progress.pop("schema", None) != SCHEMA:
        raise InvalidInput(f"{path} was written by another version of Plica.", hint="finish the run with that version")
    return Checkpoint(tensors, progress)
