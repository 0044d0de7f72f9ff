"""``load``: one name, one object; generated on the spot or read from verified files."""

from __future__ import annotations

import difflib
import inspect
import os
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, overload

from plica.data import _manifolds, _points
from plica.data._dataset import Dataset, LabeledGraph, Text, Translation
from plica.data._entries import ENTRIES
from plica.data._readers import Loaded, read
from plica.data._resolve import find
from plica.data._targets import TARGETS, target
from plica.errors import InvalidInput

EMBEDDED: dict[str, Callable[..., Dataset]] = {
    "digits": _points.digits,
    "moons": _points.moons,
    "circles": _points.circles,
    "spirals": _points.spirals,
    "blobs": _points.blobs,
    **{name: partial(target, name) for name in TARGETS},
    "sphere": _manifolds.sphere,
    "cube": _manifolds.cube,
    "gaussian": _manifolds.gaussian,
    "swiss-roll": _manifolds.swiss_roll,
    "moebius": _manifolds.moebius,
    "torus": _manifolds.torus,
    "helix": _manifolds.helix,
    "hidden-manifold": _manifolds.hidden_manifold,
    "generator": _manifolds.generator,
}


def names() -> list[str]:
    """The names that :func:`load` knows: embedded ones first, then those that are read from files."""
    return [*EMBEDDED, *ENTRIES]


@overload
def load(
    name: Literal["mnist", "fashion-mnist", "cifar10", "digits"], *, root: str | os.PathLike[str] | None = None
) -> Dataset: ...
@overload
def load(name: Literal["tinyshakespeare"], *, root: str | os.PathLike[str] | None = None) -> Text: ...
@overload
def load(name: Literal["multi30k"], *, root: str | os.PathLike[str] | None = None) -> Translation: ...
@overload
def load(name: Literal["cora"], *, root: str | os.PathLike[str] | None = None) -> LabeledGraph: ...
@overload
def load(name: str, *, root: str | os.PathLike[str] | None = None, **options: Any) -> Any: ...
def load(name: str, *, root: str | os.PathLike[str] | None = None, **options: Any) -> Any:
    """A data set by its name.

    Embedded sets are generated (``n``, ``noise``, ``seed`` and others are options) and need no files. Published sets are looked
    for in ``root`` alone, or without it in the folders of ``PLICA_DATA``, the user's cache and system folders, in this order;
    their files are believed only if the hash of the uncompressed contents is the published one. Nothing is downloaded: that is
    ``plica data fetch NAME``.

    Returns
    -------
    Dataset, Text, Translation or LabeledGraph

    Examples
    --------
    >>> load("moons", n=100, noise=0.1, seed=3)
    <Dataset moons: 100 points of 2, 2 classes>
    >>> load("swiss-roll").dimension
    2
    """
    if name in EMBEDDED:
        return _generate(name, options)
    if name not in ENTRIES:
        near = difflib.get_close_matches(str(name), names(), n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"one of {', '.join(names())}"
        raise InvalidInput(f"there is no data set {name!r}.", hint=hint)
    if options:
        raise InvalidInput(f"data set {name!r} takes no options, got {', '.join(options)}.", hint="choose rows with .subset(n)")
    entry = ENTRIES[name]
    loaded: Loaded = read(entry, find(entry, root))
    return loaded


def _generate(name: str, options: dict[str, Any]) -> Dataset:
    maker = EMBEDDED[name]
    known = set(inspect.signature(maker).parameters)
    unknown = [option for option in options if option not in known]
    if unknown:
        hint = f"it takes {', '.join(sorted(known))}" if known else "it takes none"
        raise InvalidInput(f"data set {name!r} has no option {unknown[0]!r}.", hint=hint)
    return maker(**options)
