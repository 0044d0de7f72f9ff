"""One self-contained HTML file from a template: no external resource, everything escaped, a policy that forbids the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plica import __version__
from plica import _palette as palette
from plica.report._frames import Frame
from plica.report._svg import N_TINTS


def render(template: str, **values: Any) -> str:
    """Fill a template of this package."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("plica.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(
        version=__version__, scales=color_scales(), areas=palette.AREAS, n_tints=N_TINTS, **values
    )


def color_scales() -> dict[str, list[str]]:
    """The signed color scale for light and for dark pages."""
    return {
        paper: list(palette.diverging(N_TINTS, low=low, middle=middle, high=high))
        for paper, (low, middle, high) in palette.SIGNED.items()
    }


def frames_data(frames: Sequence[Frame], *, n_neurons: int) -> dict[str, Any]:
    """What the viewer's script needs, as plain JSON."""
    return {
        "neurons": n_neurons,
        "frames": [
            {
                "name": frame.name,
                "headline": frame.headline.value,
                "facts": [fact.value for fact in frame.facts],
                "cells": frame.details,
            }
            for frame in frames
        ],
    }
