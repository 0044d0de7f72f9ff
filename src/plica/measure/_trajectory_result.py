"""The lengths of a curve's images, layer by layer."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class TrajectoryLength:
    """Lengths of the image of a curve, layer by layer.

    Attributes
    ----------
    input, output
        Length of the curve, and of its image under the whole network.
    pre, post
        Lengths before and after each observed layer.
    layers, names, widths
        Which layers, what they are called, how many units they have.
    kind
        ``"exact"``: the path was broken at every fold, and only rounding is left. ``"estimated"``: chords were refined; lengths
        are too small by about ``error``.
    error
        The largest relative error of a length: measured rounding, or what the last refinement added.
    curve_error
        For a curve that stands for a smooth one (a circle): the largest relative change against the polygon with half as many
        corners. None for paths that are polygons themselves.
    n_points
        Breakpoints or points used.
    seconds
        How long it took.
    """

    input: float
    pre: Array
    post: Array
    output: float
    layers: tuple[int, ...]
    names: tuple[str, ...]
    widths: tuple[int, ...]
    kind: str
    error: float
    curve_error: float | None
    n_points: int
    seconds: float

    @property
    def growth(self) -> Array:
        """How many times as long as the curve its image is after each layer."""
        return self.post / self.input

    @property
    def ratios(self) -> Array:
        """The factor of each layer: its length over that of the layer before it (of the curve, for the first one)."""
        return self.post / np.concatenate([[self.input], self.post[:-1]])

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "input": self.input,
            "pre": self.pre.tolist(),
            "post": self.post.tolist(),
            "output": self.output,
            "layers": list(self.layers),
            "names": list(self.names),
            "widths": list(self.widths),
            "kind": self.kind,
            "error": self.error,
            "curve_error": self.curve_error,
            "n_points": self.n_points,
            "seconds": self.seconds,
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the lengths against depth; see :func:`plica.plot.plot_trajectory_length`."""
        from plica.plot import plot_trajectory_length

        return plot_trajectory_length(self, ax=ax)

    def __repr__(self) -> str:
        last = f"{self.post[-1]:.6g} after layer {self.layers[-1]}, " if len(self.post) else ""
        ends = f"{self.input:.6g} at the input, {last}{self.output:.6g} at the output"
        return f"<TrajectoryLength {self.kind}: {ends}, error {self.error:.0e}>"

    def _repr_html_(self) -> str:
        head = "<tr><th>layer</th><th>name</th><th>units</th><th>before</th><th>after</th></tr>"
        rows = "".join(
            f"<tr><td>{i}</td><td>{escape(name)}</td><td>{width}</td><td>{pre:.6g}</td><td>{post:.6g}</td></tr>"
            for i, name, width, pre, post in zip(self.layers, self.names, self.widths, self.pre, self.post, strict=True)
        )
        ends = f"input {self.input:.6g}, output {self.output:.6g}, {self.kind}, relative error {self.error:.0e}"
        return f"<table><caption>Lengths: {ends}</caption>{head}{rows}</table>"
