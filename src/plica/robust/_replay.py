"""A counterexample in onnxruntime: what the model's file says, in the arithmetic that it will be run in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from plica.errors import MissingExtra
from plica.robust._property import Property


@dataclass(frozen=True)
class Replay:
    """The outputs of another runtime at a counterexample, and whether they satisfy the property too."""

    outputs: tuple[float, ...]
    agrees: bool
    largest_difference: float


def replay(path: str | Path, property_: Property, point: Sequence[Fraction], values: Sequence[Fraction]) -> Replay:
    """Run the model at a point with onnxruntime, in its own precision; ``values`` are the exact outputs."""
    try:
        import onnxruntime
    except ImportError:
        raise MissingExtra("a replay needs the package onnxruntime.", hint="pip install onnxruntime") from None
    options: Any = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(_content(Path(path)), options, providers=["CPUExecutionProvider"])
    (entry,) = session.get_inputs()
    shape = [n if isinstance(n, int) and n > 0 else 1 for n in entry.shape]
    kind = np.float64 if "double" in entry.type else np.float32
    x = np.array([float(v) for v in point], dtype=kind)
    y = np.asarray(session.run(None, {entry.name: x.reshape(shape)})[0]).reshape(-1)
    got = [Fraction(float(v)) for v in y]
    here = [Fraction(float(v)) for v in x]
    agrees = any(all(row.holds(here, got) for row in rows) for query in property_.queries for rows in query.conjunctions)
    difference = max(abs(float(v) - float(w)) for v, w in zip(y, values, strict=True))
    return Replay(tuple(float(v) for v in y), agrees, difference)


def _content(path: Path) -> bytes:
    if path.suffix != ".gz":
        return path.read_bytes()
    import gzip

    with gzip.open(path, "rb") as file:
        return file.read()
