"""What the explorer shows, as one typed, versioned and validated value that fits into a URL."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, fields, replace
from typing import Any, Final
from urllib.parse import parse_qsl, quote

from plica.errors import InvalidInput
from plica.web import _fields as f
from plica.web._fields_model import ModelFields
from plica.web._fields_picture import PictureFields
from plica.web._fields_training import TrainingFields
from plica.web._fields_views import ViewFields
from plica.web._limits import MAX_QUERY
from plica.web._options import OPTION_LABELS, PARTS, USES_NETWORK

VERSION: Final = 1
SAFE = ",:-._*()"


@dataclass(frozen=True)
class State(ViewFields, PictureFields, ModelFields, TrainingFields):
    """Everything that a link holds. Every field has a kind that reads it, writes it and knows its range.

    Examples
    --------
    >>> state = State.from_query("data=circles&widths=8-8&rate=0.1,50:0.01")
    >>> state.widths, state.rate
    ((8, 8), ((0, 0.1), (50, 0.01)))
    >>> state.to_query()
    'v=1&data=circles&widths=8-8&rate=0.1,50:0.01'
    """

    @property
    def activations(self) -> tuple[str, ...]:
        """One activation for each layer; the last one given serves the layers that follow."""
        given = self.act[: len(self.widths)]
        return given + (given[-1],) * (len(self.widths) - len(given))

    @property
    def is_smooth(self) -> bool:
        return self.data != "model" and "tanh" in self.activations

    @staticmethod
    def from_query(text: str) -> State:
        """Read the part of a link after ``#``.

        Raises
        ------
        InvalidInput
            Something in it is unknown, out of range or written twice.
        """
        if len(text) > MAX_QUERY:
            raise InvalidInput(f"a link holds at most {MAX_QUERY} characters, this one has {len(text)}.")
        try:
            pairs = parse_qsl(text, keep_blank_values=True, strict_parsing=bool(text), encoding="utf-8", errors="strict")
        except ValueError:
            raise InvalidInput("the link is not of the form name=value&name=value.", hint="copy it again") from None
        given = dict(pairs)
        if len(given) != len(pairs):
            raise InvalidInput("the link has a name twice.")
        if given.pop("v", str(VERSION)) != str(VERSION):
            raise InvalidInput(f"the link is not of version {VERSION}.", hint="it may come from a newer Plica")
        return State(**{name: _kind(name).read(name, value) for name, value in given.items()})._checked()

    def to_query(self) -> str:
        """The part of a link after ``#``: what differs from the defaults."""
        shown = {"v": str(VERSION)}
        for entry in fields(self):
            value = getattr(self, entry.name)
            if value != entry.default:
                shown[entry.name] = entry.metadata["kind"].show(value)
        return "&".join(f"{name}={quote(value, safe=SAFE)}" for name, value in shown.items())

    def changed(self, **values: Any) -> State:
        """The same state with some values replaced, validated again."""
        return State.from_query(replace(self, **values).to_query())

    def _checked(self) -> State:
        if len(self.act) > len(self.widths):
            raise InvalidInput(f"act names {len(self.act)} activations for {len(self.widths)} layers.")
        if self.data == "csv" and not self.csv:
            raise InvalidInput("there is no table yet.", hint="drop a .csv file on the page")
        if self.data == "model" and not self.model:
            raise InvalidInput("there is no model yet.", hint="drop a .safetensors or .onnx file on the page")
        if self.segment and self.segment[:2] == self.segment[2:]:
            raise InvalidInput("a segment needs two different points.")
        if len(set(self.hide)) != len(self.hide):
            raise InvalidInput("hide names a part twice.", hint=f"parts are {', '.join(PARTS)}")
        return self


_FIELDS = {entry.name: entry for entry in fields(State)}


def _kind(name: str) -> f.Kind:
    if name not in _FIELDS:
        near = difflib.get_close_matches(name, _FIELDS, n=1)
        raise InvalidInput(
            f"the link has an unknown name {name[:40]!r}.", hint=f"did you mean {near[0]}?" if near else "copy it again"
        )
    kind: f.Kind = _FIELDS[name].metadata["kind"]
    return kind


def fields_of(*scopes: str) -> tuple[str, ...]:
    """The names of the fields that change these things.

    >>> fields_of("schedule", "picture")
    ('rate', 'step', 'window', 'segment', 'path', 'pin', 'scene')
    """
    return tuple(name for name, entry in _FIELDS.items() if entry.metadata["scope"] in scopes)


def schema() -> dict[str, Any]:
    """Names, labels, defaults, ranges, scopes and help of every field, for the page."""

    def describe(entry: Any) -> dict[str, Any]:
        kind, options = entry.metadata["kind"], entry.metadata["kind"].describe().get("options", ())
        return {
            "default": kind.show(entry.default),
            "scope": entry.metadata["scope"],
            "moves": entry.metadata["moves"],
            **entry.metadata["words"],
            **kind.describe(),
            **({"option_labels": [OPTION_LABELS.get(option, option) for option in options]} if options else {}),
        }

    return {
        "version": VERSION,
        "fields": {name: describe(entry) for name, entry in _FIELDS.items()},
        "parts": list(PARTS),
        "views_of_network": list(USES_NETWORK),
    }
