"""Which function makes the sheet of a view."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from plica.errors import InvalidInput
from plica.web._limits import Limits
from plica.web._scene import Scene
from plica.web._state import State
from plica.web.views._sheet import Sheet

Make = Callable[[State, Callable[[], Scene], Limits], Sheet]
"""A sheet from a state, the scene of its network (built when it is asked for) and limits."""

SHEETS = {
    "complex": "_complex",
    "weights": "_weights",
    "robust": "_robust",
    "noise": "_noise",
    "approximation": "_approximation",
    "descent": "_descent",
    "meanfield": "_meanfield",
    "attention": "_attention",
}
"""The module of each view; it is imported when the view is asked for."""


def sheet_of(state: State, scene: Callable[[], Scene], limits: Limits) -> Sheet:
    """The sheet of the state's view."""
    if state.view not in SHEETS:
        raise InvalidInput(f"the view {state.view!r} has no sheet.", hint=f"one of {', '.join(SHEETS)}")
    make: Make = import_module(f"plica.web.views.{SHEETS[state.view]}").sheet
    return make(state, scene, limits)
