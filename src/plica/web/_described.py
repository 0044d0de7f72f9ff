"""How a field of the state is declared: its kind, its words, and what a change of it changes."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from plica.web._fields import Kind

SCOPES = ("training", "schedule", "model", "picture", "view", "page")
"""What a field changes: the training from its start, the rates of steps to come, the given model, what is computed of it to be
shown, what another view computes, or only how the page shows it."""


def described(
    scope: str,
    label: str,
    kind: Kind,
    default: Any,
    help_text: str,
    claim: str = "",
    *,
    moves: bool = False,
    views: tuple[str, ...] = (),
) -> Any:
    """A field; with ``moves`` a change of it leads to another window, ``views`` are those that it is a control of."""
    words = {"help": help_text, "claim": claim, "label": label, "views": list(views)}
    return field(default=default, metadata={"kind": kind, "scope": scope, "moves": moves, "words": words})
