"""Distances of many points, one line of JSON each in a file: a run that was interrupted continues where it stopped."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from plica._types import Array
from plica._whole import write_whole
from plica.errors import InvalidInput
from plica.network import Network
from plica.robust._distance import ClassDistance, class_distance
from plica.robust._falsify import gradients, values
from plica.robust.bounds._ball import Norm, dual_norm
from plica.robust.bounds._steps import steps_of


def class_distances(
    network: Network,
    points: Any,
    *,
    norm: Norm = "l2",
    tolerance: float = 1e-6,
    timeout_s: float = 60.0,
    store: str | Path | None = None,
    progress: Callable[[int, int, ClassDistance], None] | None = None,
    cluster: Any = None,
) -> list[ClassDistance]:
    """The distance of every point (row) to another class, as :func:`class_distance` finds it.

    With ``store``, each result is appended to that file as soon as it is known, and results for the same network, point, norm and
    tolerance that are closed are read from it instead of being computed again. ``progress(done, all, result)`` is told of each.
    On a ``cluster`` (as for :func:`plica.decompose`) points are searched at the same time, and stored as they arrive.

    Examples
    --------
    >>> import plica
    >>> net = plica.random_network([2, 8, 3], seed=0)
    >>> [d.is_closed for d in class_distances(net, [[0.1, 0.2], [0.3, -0.1]])]
    [True, True]
    """
    rows = np.asarray(points, dtype=np.float64).reshape(-1, network.n_inputs)
    path = None if store is None else Path(store)
    known = {} if path is None or not path.exists() else _read(path)
    keys = [_key(network, x, norm, tolerance) for x in rows]
    found = {k: known[key] for k, key in enumerate(keys) if key in known}
    missing = [k for k in range(len(rows)) if k not in found]
    if progress is not None:
        for done, (_, distance) in enumerate(found.items(), start=1):
            progress(done, len(rows), distance)
    settings: dict[str, Any] = {"norm": norm, "tolerance": tolerance, "timeout_s": timeout_s}
    for i, distance in _searched(network, [rows[k] for k in missing], settings, cluster):
        k = missing[i]
        found[k] = distance
        if path is not None:
            line = {"key": keys[k]} | asdict(distance) | {"point": distance.point.tolist()}
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        if progress is not None:
            progress(len(found), len(rows), distance)
    return [found[k] for k in range(len(rows))]


def _searched(
    network: Network, points: list[Array], settings: dict[str, Any], cluster: Any
) -> Iterator[tuple[int, ClassDistance]]:
    if cluster is not None and points:
        from plica.robust._on_cluster import distances_on

        yield from distances_on(cluster, network, points, **settings)
        return
    for i, x in enumerate(points):
        yield i, class_distance(network, x, **settings)


def _key(network: Network, x: np.ndarray[Any, Any], norm: str, tolerance: float) -> str:
    digest = hashlib.sha256()
    for node in network.nodes:
        digest.update(f"{node.op.kind}{node.inputs}{node.shape}{node.op.settings()}".encode())
        for name, array in node.op.arrays().items():
            digest.update(name.encode() + np.ascontiguousarray(array).tobytes())
    digest.update(x.tobytes() + f"{norm}{tolerance!r}".encode())
    return digest.hexdigest()


def _read(path: Path) -> dict[str, ClassDistance]:
    """The closed results of a file; a last line that was cut off is removed, other damage is an error."""
    out: dict[str, ClassDistance] = {}
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n") and lines[-1][: len(_START)] == _START[: len(lines[-1])]:
        write_whole(path, "".join(lines[:-1]))  # what is appended next must not stand behind it
        lines.pop()
    for number, line in enumerate(lines, start=1):
        try:
            data = json.loads(line)
            key = data.pop("key")
            found = ClassDistance(**(data | {"point": np.array(data["point"])}))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise InvalidInput(f"line {number} of {path.name} is no result of ours.", hint="give another file") from None
        if found.is_closed:
            out[key] = found
    return out


_START = '{"key": "'


def estimate_class_distances(network: Network, points: Any, *, norm: Norm = "l2") -> Array:
    """How far each point would be from another class if the network were affine: an estimate, for choosing where to look first.

    Examples
    --------
    >>> import plica
    >>> net = plica.random_network([2, 8, 3], seed=0)
    >>> near = estimate_class_distances(net, [[0.1, 0.2]])[0]
    >>> bool(0.5 < near / class_distance(net, [0.1, 0.2]).upper < 2)
    True
    """
    if network.n_outputs < 2:
        raise InvalidInput("a network with one output has no classes.", hint="give one output for each class")
    steps = steps_of(network)
    x = np.asarray(points, dtype=np.float64).reshape(-1, network.n_inputs)
    best = np.full(len(x), np.inf)
    for first in range(0, len(x), 256):
        part = slice(first, first + 256)
        tensors = values(steps, x[part])
        scores = tensors[-1]
        label = scores.argmax(axis=1)
        rows = np.arange(len(scores))
        for other in range(scores.shape[1]):
            forms = np.zeros_like(scores)
            forms[rows, label] += 1.0
            forms[:, other] -= 1.0
            size = dual_norm(gradients(steps, tensors, forms), norm)
            far = (scores[rows, label] - scores[:, other]) / np.maximum(size, 1e-300)
            best[part] = np.where((other != label) & (size > 1e-200), np.minimum(best[part], far), best[part])
    return best


def most_fragile(distances: Sequence[ClassDistance], n: int = 10) -> list[int]:
    """The numbers of the points that are nearest to another class, by their upper bounds."""
    return sorted(range(len(distances)), key=lambda k: (distances[k].upper, k))[:n]
