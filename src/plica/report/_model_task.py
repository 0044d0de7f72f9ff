"""What a report is about: a network, points, classes, a seed, and how long each section may take."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from plica._lazy import cached_property
from plica._types import Array
from plica.errors import InvalidInput
from plica.network import Max, Network
from plica.report._images import asked_shape, image_shape, image_uri
from plica.report._model_given import checked_answers, checked_rows

T = TypeVar("T")


def answer(outputs: Array) -> Array:
    """The class that outputs stand for: the largest of them, or the sign of the only one.

    >>> answer(np.array([[0.1, 0.7]])), answer(np.array([[-2.0]]))
    (array([1]), array([0]))
    """
    return outputs.argmax(axis=1) if outputs.shape[1] > 1 else (outputs[:, 0] > 0).astype(int)


SMALL = 500  # units of a network whose whole domain is tried at once
GROWTH = 6  # how many times longer a domain of four times the size is expected to take
SHARES = (1 / 1024, 1 / 256, 1 / 64, 1 / 16, 1 / 4, 1 / 2, 1.0)


def longest(network: Network, look: Callable[[float], T | None], stop: float) -> tuple[T, float] | None:
    """What ``look`` finds on the largest share of a domain that is likely to be finished in time.

    For a large network, and for a small one whose whole domain gives None, shares grow from a small one as long as the next is
    expected to end before ``stop``; a look that gives None ends the growth. Budgets are kept by not starting what would not end,
    because a layer that has begun is not left.
    """
    is_small = network.n_neurons <= SMALL
    if is_small and (whole := look(1.0)) is not None:
        return whole, 1.0
    found: tuple[T, float] | None = None
    for share in SHARES[:-1] if is_small else SHARES:
        began = time.perf_counter()
        seen = look(share)
        if seen is None:
            break
        found = seen, share
        if began + GROWTH * (time.perf_counter() - began) > stop:
            break
    return found


@dataclass
class Task:
    """A network with the points it is looked at from.

    Parameters
    ----------
    network
        The network.
    points
        One input in each row.
    labels
        The class of each point, or None.
    targets
        The number that the only output should be at each point, or None: then there are no classes.
    names, columns
        What the classes and the inputs are called; empty where they only have numbers.
    seed
        Of everything random.
    max_seconds
        Of the whole report.
    stands_in
        Whether the points were drawn because none were given.
    image_shape, made_shape
        Channels, height and width, if inputs are images, and if outputs are.
    """

    network: Network
    points: Array
    labels: Array | None
    seed: int = 0
    max_seconds: float = 120.0
    stands_in: bool = False
    image_shape: tuple[int, int, int] | None = None
    made_shape: tuple[int, int, int] | None = None
    targets: Array | None = None
    names: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    progress: Callable[[str], None] = lambda _: None
    _stop: float = field(default=0.0, repr=False)

    @classmethod
    def of(
        cls,
        network: Network,
        points: Any = None,
        labels: Any = None,
        *,
        seed: int = 0,
        max_seconds: float = 120.0,
        image: str = "",
        names: tuple[str, ...] = (),
        columns: tuple[str, ...] = (),
        progress: Callable[[str], None] = lambda _: None,
    ) -> Task:
        """Check what was given; without points, draw standard normal ones.

        ``labels`` are classes, counted from 0; for a network with one output they are two classes (0 and 1, or -1 and 1), or the
        numbers that it should give.

        ``image`` says that inputs are images (``"28x28"``, ``"3x32x32"``) or are not (``"none"``), or the outputs of a generator;
        unless told, the shapes of the data and of the network decide.
        """
        if not max_seconds > 0:
            raise InvalidInput(f"max_seconds = {max_seconds}.", hint="give a positive number of seconds")
        stands_in = points is None
        if points is None:
            if labels is not None:
                raise InvalidInput("labels without data.", hint="give the points they belong to")
            points = np.random.default_rng(seed).standard_normal((500, network.n_inputs))
        rows = checked_rows(points, network)
        classes, targets = (None, None) if labels is None else checked_answers(labels, len(rows), network, names)
        shapes = () if stands_in else (np.shape(points)[1:], network.input_shape)
        if image:
            makes = network.n_inputs in (2, network.n_outputs)
            shape = None if network.n_inputs == 2 else asked_shape(image, network.n_inputs)
            made = asked_shape(image, network.n_outputs) if makes else None
        else:
            shape = image_shape(*shapes)
            made = shape if network.n_outputs == network.n_inputs else image_shape(network.output_shape)
        return cls(
            network, rows, classes, seed, max_seconds, stands_in, shape, made, targets, tuple(names), tuple(columns), progress
        )

    @property
    def has_boundary(self) -> bool:
        """Whether the line where the answer changes is asked for: there are classes, and no more than a maximum may have."""
        return self.targets is None and self.network.n_outputs <= Max.most_members

    def class_name(self, k: int) -> str:
        """What an answer is called."""
        return self.names[k] if 0 <= k < len(self.names) else f"{k}"

    def output_name(self, k: int) -> str:
        """What an output is called: as the class that it stands for."""
        return self.names[k] if self.network.n_outputs > 1 and k < len(self.names) else f"output {k}"

    def column(self, i: int) -> str:
        """What an input is called."""
        return self.columns[i] if i < len(self.columns) else f"input {i}"

    def allow(self, seconds: float) -> None:
        """Start the clock of a section."""
        self._stop = time.perf_counter() + seconds

    @property
    def seconds_left(self) -> float:
        """Of the section that runs, never quite zero."""
        return max(0.05, self._stop - time.perf_counter())

    @property
    def is_late(self) -> bool:
        return time.perf_counter() >= self._stop

    def rng(self, *key: int) -> np.random.Generator:
        """A generator of its own for each purpose."""
        return np.random.default_rng([self.seed, *key])

    def rows(self, n: int, *key: int) -> Array:
        """At most n points, drawn without repetition, in double precision."""
        chosen = np.sort(self.rng(*key).permutation(len(self.points))[:n])
        return np.asarray(self.points[chosen], dtype=np.float64)

    def picture(self, values: Any, name: str, note: str = "") -> list[dict[str, str]]:
        """An input for :meth:`Section.images`, alone in a list; an empty one where inputs are no images."""
        if self.image_shape is None:
            return []
        low, high = self._shades
        return [{"src": image_uri(values, self.image_shape, low, high), "name": name, "note": note}]

    def row_pictures(self, rows: Any, *, names: Any = None) -> list[dict[str, str]]:
        """Rows of the data as pictures, named by their numbers and noted with labels and answers."""
        found: list[dict[str, str]] = []
        for place, row in enumerate(np.asarray(rows, dtype=int).tolist()):
            x = np.asarray(self.points[row], dtype=float)
            said = int(answer(self.network(x[None]).reshape(1, -1))[0])
            note = f"answer {self.class_name(said)}"
            if self.labels is not None:
                note = f"label {self.class_name(int(self.labels[row]))}, {note}"
            found += self.picture(x, f"{names[place]}: row {row}" if names else f"row {row}", note)
        return found

    @property
    def is_one_point(self) -> bool:
        """Whether all points are equal: there is no way between two of them."""
        return bool((self.points == self.points[:1]).all())

    @cached_property
    def _shades(self) -> tuple[float, float]:
        """What is black and what is white."""
        return float(self.points.min()), float(self.points.max())

    def classes_of(self, indices: Array) -> Array:
        """The given classes of points, or those the network says; zeros where numbers are asked for, not classes."""
        if self.targets is not None:
            return np.zeros(len(indices), dtype=int)
        if self.labels is not None:
            return np.asarray(self.labels[indices]).astype(int)
        blocks = [
            self.network(np.asarray(self.points[i], dtype=np.float64)) for i in np.array_split(indices, -(-len(indices) // 50))
        ]
        outputs = np.concatenate([block.reshape(len(block), -1) for block in blocks])
        return answer(outputs)

    def groups(self, size: int, n_groups: int, *, same: bool, key: int) -> list[Array]:
        """Indices of ``size`` distinct points of one class, or of different classes; fewer groups where there are none."""
        rng = self.rng(key)
        indices = rng.permutation(len(self.points))[:500]
        classes = self.classes_of(indices)
        found: list[Array] = []
        for _ in range(50 * n_groups):
            if len(found) == n_groups:
                break
            chosen = rng.permutation(len(indices))[: 12 * size]
            if same:
                chosen = chosen[classes[chosen] == classes[chosen[0]]]
            else:
                _, first = np.unique(classes[chosen], return_index=True)
                chosen = chosen[np.sort(first)]
            group = indices[chosen[:size]]
            if len(group) == size and len(np.unique(np.asarray(self.points[group], dtype=float), axis=0)) == size:
                found.append(group)
        return found
