"""Scenes as one page that needs no server: the explorer's own modules, and frames that were computed before.

Each scene has its picture, and those of a few other values of the control that matters most, with the prediction beside the
measurement in each. Depth, surface, folding and trajectory follow from a picture in the page, as in the explorer.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np

from plica import _palette as palette
from plica._types import Array
from plica.errors import InvalidInput, PlicaError
from plica.web import _fields as f
from plica.web._bundle import bundle
from plica.web._frames import pack
from plica.web._lessons import LESSONS, reading_of, scene_link, scenes
from plica.web._limits import MAX_DEPTH, Limits
from plica.web._picture import picture
from plica.web._scene import scene_of
from plica.web._state import State, schema
from plica.web.views import SHEETS, sheet_of

N_VALUES = 5
HALVED = ("areas", "maps")
"""Arrays of a picture that the page only writes in a few digits."""
LEFT_OUT = ("patterns", "losses", "frame")


@dataclass(frozen=True)
class Frame:
    """One precomputed picture: the value of the control, and the message that the explorer's server would have sent."""

    value: str
    state: State
    reading: dict[str, Any] | None
    message: bytes


def other_values(state: State, control: str) -> list[Any]:
    """A few values of a control, the state's own among them, in their order.

    Examples
    --------
    >>> other_values(State(widths=(8,)), "widths"), other_values(State(widths=(6, 6)), "widths")
    ([(4,), (6,), (8,), (10,), (12,)], [(6,), (6, 6), (6, 6, 6), (6, 6, 6, 6)])
    >>> other_values(State(seed=7), "seed")
    [7, 8, 9, 10, 11]
    """
    value = getattr(state, control)
    if control == "widths":
        if len(value) == 1:
            return [(value[0] + k,) for k in (-4, -2, 0, 2, 4) if value[0] + k > 0]
        return [(*value, *value[-1:] * 2)[:depth] for depth in range(1, min(len(value) + 2, MAX_DEPTH) + 1)]
    if control == "seed":
        return [value + k for k in range(N_VALUES)]
    if control == "step":
        return sorted({round(value * k / 4) for k in range(5)})
    kind = next(entry.metadata["kind"] for entry in State.__dataclass_fields__.values() if entry.name == control)
    if isinstance(kind, f.Choice):
        at = kind.options.index(value)
        first = max(0, min(at - 2, len(kind.options) - N_VALUES))
        return list(kind.options[first : first + N_VALUES])
    if isinstance(kind, f.Integer | f.Number):
        step = (kind.high - kind.low) / 10
        near = [value + k * step for k in (-2, -1, 0, 1, 2)]
        kept = [x for x in near if kind.low <= x <= kind.high]
        return sorted({round(x) for x in kept} if isinstance(kind, f.Integer) else {float(f"{x:.4g}") for x in kept} | {value})
    return [value]


def control_of(claim: str) -> str:
    """The control of a scene that its frames go through: the first one that the page cannot change by itself."""
    return next((name for name in LESSONS[claim].controls if name not in ("folds", "window", "expr", "act")), "seed")


def frames_of(claim: str, limits: Limits | None = None) -> list[Frame]:
    """The frames of a claim's scene; values that its state refuses are left out, never the state itself.

    Raises
    ------
    InvalidInput
        The claim has no scene.
    """
    if claim not in LESSONS:
        raise InvalidInput(f"there is no scene of {claim!r}.", hint="plica explore lists the claims that have one")
    base = State.from_query(scene_link(claim))
    control = control_of(claim)
    kind = State.__dataclass_fields__[control].metadata["kind"]
    found = []
    for value in other_values(base, control):
        state = replace(base, **{control: value})
        try:
            reading, message = _computed(State.from_query(state.to_query()), limits or Limits())
        except PlicaError:
            if state == base:
                raise
            continue
        found.append(Frame(kind.show(value), state, reading, message))
    return found


def _computed(state: State, limits: Limits) -> tuple[dict[str, Any] | None, bytes]:
    if state.view in SHEETS:
        sheet = sheet_of(state, lambda: scene_of(state, _no_file), limits)
        facts, arrays = sheet.packed()
        facts["reading"] = reading_of(state, sheet)
    else:
        facts, arrays = picture(scene_of(state, _no_file), limits)
    kept = {name: _halved(name, array) for name, array in arrays.items() if name not in LEFT_OUT}
    return facts.get("reading"), bytes(8) + pack(facts, kept)


def _halved(name: str, array: Array) -> Array:
    return array.astype(np.float32) if name in HALVED else array


def _no_file(digest: str) -> bytes:
    raise InvalidInput("a scene needs no file.")


def scenes_page(title: str, claims: Sequence[str], *, limits: Limits | None = None, tell: Callable[[str], object] = len) -> str:
    """One HTML page with the scenes of these claims, in their order; those without a scene are left out.

    Parameters
    ----------
    title
        What the page is called.
    claims
        Identifiers.
    limits
        What a frame may cost.
    tell
        Called with the claim that is computed next.
    """
    told = {scene["id"]: scene for scene in scenes()}
    listed = []
    for claim in dict.fromkeys(claims):
        if claim not in told:
            continue
        tell(claim)
        frames = frames_of(claim, limits)
        base = State.from_query(scene_link(claim)).to_query()
        listed.append(
            {key: told[claim][key] for key in ("id", "title", "heading", "text", "formula", "expected")}
            | {
                "control": schema()["fields"][control_of(claim)]["label"],
                "start": [frame.state.to_query() for frame in frames].index(base),
                "frames": [
                    {"value": frame.value, "query": frame.state.to_query(), "data": _text(frame.message)} for frame in frames
                ],
            }
        )
    if not listed:
        raise InvalidInput(f"none of the {len(claims)} claims has a scene.", hint="plica explore lists those that have one")
    known = schema()
    data = {
        "scenes": listed,
        "fields": known["fields"],
        "version": known["version"],
        "sheets": list(SHEETS),
        "network": known["views_of_network"],
        "colors": {"magnitudes": palette.CIVIDIS} | {m: {**s, "areas": palette.AREAS[m]} for m, s in palette.SCREEN.items()},
    }
    return _page(title, data)


def _text(message: bytes) -> str:
    return base64.b64encode(gzip.compress(message, mtime=0)).decode()


def _page(title: str, data: dict[str, Any]) -> str:
    static = files("plica.web") / "static"
    modules = {entry.name: entry.read_text(encoding="utf-8") for entry in static.iterdir() if entry.name.endswith(".js")}
    parts = {
        "title": escape(title),
        "style": (static / "style.css").read_text(encoding="utf-8"),
        "stage": _stage((static / "index.html").read_text(encoding="utf-8")),
        "data": json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
        "script": bundle(modules, "offline.js").replace("</script", "<\\/script"),
    }
    page = (static / "offline.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda m: parts[m[1]], page)


def _stage(index: str) -> str:
    """The explorer's stage, without what trains."""
    found = re.search(r'<section class="stage".*?</section>', index, re.DOTALL)
    assert found is not None
    return re.sub(r'\n    <div class="transport".*?</div>', "", found[0], flags=re.DOTALL)
