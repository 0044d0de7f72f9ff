"""What a view shows: a sentence, a number in large type, panels of marks over axes, and predictions beside measurements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np

from plica._types import Array
from plica.web._readings import Reading


@dataclass
class Axis:
    """The name of an axis, whether it counts in powers of ten, its range where the marks do not say it, and names of 1, 2, …"""

    name: str
    is_log: bool = False
    low: float | None = None
    high: float | None = None
    names: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "log": self.is_log, "low": self.low, "high": self.high, "names": list(self.names)}


@dataclass
class Panel:
    """Marks over two axes; the sheet keeps their arrays."""

    sheet: Sheet
    title: str
    x: Axis
    y: Axis
    marks: list[dict[str, Any]] = field(default_factory=list)
    handle: dict[str, Any] | None = None
    is_wide: bool = False
    is_square: bool = False

    def _mark(self, kind: str, name: str, role: str, arrays: dict[str, Any], **facts: Any) -> Panel:
        kept = {key: self.sheet.keep(value) for key, value in arrays.items() if value is not None}
        self.marks.append({"kind": kind, "name": name, "role": role, **kept, **facts})
        return self

    def line(self, x: Any, y: Any, name: str, role: str = "predicted", *, is_dashed: bool = False) -> Panel:
        """A curve; numbers that are not finite interrupt it."""
        return self._mark("line", name, role, {"x": x, "y": y}, dashed=is_dashed)

    def dots(self, x: Any, y: Any, name: str, role: str = "measured", *, error: Any = None) -> Panel:
        """Points, with bars of two standard errors where errors are given."""
        return self._mark("dots", name, role, {"x": x, "y": y, "error": error})

    def bars(self, x: Any, y: Any, name: str, role: str = "measured", *, width: float = 1.0) -> Panel:
        """Upright bars over the centers x."""
        return self._mark("bars", name, role, {"x": x, "y": y}, width=width)

    def segments(self, x: Any, y: Any, name: str, role: str = "other") -> Panel:
        """Straight lines, two ends after each other."""
        return self._mark("segments", name, role, {"x": x, "y": y})

    def heat(
        self,
        values: Any,
        box: Sequence[float],
        name: str,
        *,
        table: str = "gradient",
        low: Any = None,
        high: Any = None,
        is_plain: bool = False,
    ) -> Panel:
        """A grid of colors: the rows of ``values`` go up, from the lower left corner of the box (x from, to, y from, to).

        A plain one is not in the legend: only its signs are meant, and the line between them says it.
        """
        v = np.asarray(values, dtype=np.float64)
        seen = v[np.isfinite(v)]
        ends = {
            "low": float(seen.min() if low is None else low) if seen.size else 0.0,
            "high": float(seen.max() if high is None else high) if seen.size else 1.0,
        }
        return self._mark(
            "heat",
            name,
            "other",
            {"values": v},
            shape=list(v.shape),
            box=[float(b) for b in box],
            table=table,
            plain=is_plain,
            **ends,
        )

    def movable(
        self, x: str, y: str = "", *, at: tuple[float, float] = (0.0, 0.0), step: tuple[float, float] = (0.1, 0.1)
    ) -> Panel:
        """A point that is dragged; its coordinates are fields of the state."""
        self.handle = {"x": x, "y": y, "at": list(at), "step": list(step)}
        return self

    def to_dict(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "x": self.x.to_dict(),
            "y": self.y.to_dict(),
            "marks": self.marks,
            "handle": self.handle,
            "wide": self.is_wide,
            "square": self.is_square,
        }


class Sheet:
    """The answer of a view.

    Examples
    --------
    >>> sheet = Sheet("A line.")
    >>> _ = sheet.panel("Squares", "x", "y").line([0, 1, 2], [0, 1, 4], "x²")
    >>> sheet.read("square", "the largest", "=", 4.0, 4.0)
    >>> facts, arrays = sheet.packed()
    >>> facts["readings"]["square"]["holds"], len(arrays)
    (True, 2)
    """

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence
        self.panels: list[Panel] = []
        self.readings: dict[str, Reading] = {}
        self.unlisted: set[str] = set()
        self.hero: dict[str, Any] | None = None
        self.arrays: dict[str, Array] = {}
        self.extra: dict[str, Any] = {}

    def keep(self, values: Any) -> str:
        """The name under which an array is sent; arrays of numbers become doubles."""
        array = np.asarray(values)
        name = f"a{len(self.arrays)}"
        self.arrays[name] = array if array.dtype.kind in "iu" and array.dtype.itemsize <= 4 else array.astype(np.float64)
        return name

    def panel(self, title: str, x: str | Axis, y: str | Axis, *, is_wide: bool = False, is_square: bool = False) -> Panel:
        """One more panel."""
        axes = [axis if isinstance(axis, Axis) else Axis(axis) for axis in (x, y)]
        made = Panel(self, title, axes[0], axes[1], is_wide=is_wide, is_square=is_square)
        self.panels.append(made)
        return made

    def read(
        self,
        key: str,
        what: str,
        relation: str,
        predicted: float,
        measured: float,
        *,
        error: float = 0.0,
        slack: float = 1e-9,
        rounding: float = 0.0,
        is_listed: bool = True,
    ) -> None:
        """A prediction beside a measurement, with the standard error of the measurement or what rounding may do to it, and what
        the prediction leaves open.

        What is said wrongly somewhere is not listed; the scene of its claim shows it.
        """
        if isfinite(predicted) and isfinite(measured):
            if not is_listed:
                self.unlisted.add(key)
            self.readings[key] = Reading(what, relation, float(predicted), float(measured), float(error), float(slack), rounding)

    def show(self, value: float, noun: str, kind: str, where: str = "") -> None:
        """The number in large type."""
        self.hero = {"value": value if isfinite(value) else None, "noun": noun, "kind": kind, "where": where}

    def packed(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Facts and arrays."""
        facts = {
            "sentence": self.sentence,
            "hero": self.hero,
            "panels": [panel.to_dict() for panel in self.panels],
            "readings": {key: r.to_dict() for key, r in self.readings.items() if key not in self.unlisted},
            **self.extra,
        }
        return facts, self.arrays
