"""How much a computation may use, and who is told how far it is."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import wraps
from math import log10
from typing import Any, ParamSpec, TypeVar

from plica._memory import available_bytes, code_bytes, give_back_pages, memory_limit, resident_bytes
from plica._parallel import During, look, looking, plain_blas
from plica.errors import BudgetExceeded, InvalidInput

P = ParamSpec("P")
R = TypeVar("R")
Progress = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Budget:
    """Limits of one computation; reaching one raises :class:`plica.BudgetExceeded` with what was finished.

    Parameters
    ----------
    max_cells
        Number of cells.
    max_seconds
        Wall time.
    max_bytes
        Memory that the computation adds to the process: arrays are counted before they are allocated, and the memory that the
        process occupies is looked at on the way. If nothing is said: half of the machine's (or container's) memory, and no
        more than nine tenths of what is free now.

    Examples
    --------
    >>> Budget(max_cells=1000).max_cells
    1000
    """

    max_cells: int = 20_000_000
    max_seconds: float = float("inf")
    max_bytes: int = field(default_factory=lambda: max(1, min(memory_limit() // 2, 9 * available_bytes() // 10)))

    def __post_init__(self) -> None:
        for name in ("max_cells", "max_seconds", "max_bytes"):
            if not getattr(self, name) > 0:
                raise InvalidInput(f"{name} must be positive, got {getattr(self, name)}.")

    def for_readings(self) -> Budget:
        """The budget of what is read off a complex later: with the memory that the process has then."""
        return self


@dataclass(frozen=True)
class Rest(Budget):
    """What is left of a budget for a part of a computation, which began with so many seconds and so much memory."""

    whole_seconds: float = float("inf")
    process: int = 0
    resident: int = 0
    code: int = 0

    def for_readings(self) -> Budget:
        return replace(self, process=0)


clock = time.perf_counter
LOOK_S = 0.02  # between two looks at the memory of the process
SMALL = 16 * 2**20  # bytes of an array that is not worth a look at the memory of the process
_LONG = 10**18  # a number with more digits is told by its power of ten
UNNOTICED = 256 * 2**20  # bytes that a process may grow by without code being counted that is compiled and loaded,
UNKNOWN = 32 * 2**20  # and so many for modules and what nobody sees


@dataclass
class Meter:
    """Watches a budget while a computation runs."""

    budget: Budget
    n_layers: int
    progress: Progress | None = None
    started: float = field(default_factory=lambda: clock())
    layers_done: int = 0
    n_cells: int = 1
    share: float | None = None  # of a line that is finished, where it goes in parts
    resident: int = field(default_factory=resident_bytes)  # when the computation began
    code: int = field(default_factory=lambda: code_bytes.total)
    looked: float = field(default_factory=lambda: clock())

    def __post_init__(self) -> None:
        b = self.budget
        if isinstance(b, Rest) and b.process == os.getpid():  # what the computation took before this part counts
            self.resident, self.code = b.resident, b.code

    @property
    def seconds(self) -> float:
        return clock() - self.started

    def rest(self) -> Budget:
        """What is left of the budget for a part of the computation."""
        self.check()
        b = self.budget
        whole = b.whole_seconds if isinstance(b, Rest) else b.max_seconds
        left = max(b.max_seconds - self.seconds, 1e-9)
        return Rest(b.max_cells, left, b.max_bytes, whole, os.getpid(), self.resident, self.code)

    def part(self, progress: Progress | None = None) -> Meter:
        """A meter for a part of the computation: the same budget, the same beginning."""
        return Meter(self.budget, self.n_layers, progress, self.started, resident=self.resident, code=self.code)

    def _added(self, now: float) -> int:
        """The memory that the process has taken since the computation began."""
        self.looked = now
        added = self._growth()
        if added > self.budget.max_bytes:
            give_back_pages()  # what was freed is not in use
            added = self._growth()
        return added

    def _growth(self) -> int:
        grown = resident_bytes() - self.resident
        return grown if grown > UNNOTICED else max(0, grown - (code_bytes.total - self.code) - UNKNOWN)

    def allow(self, n_bytes: int) -> None:
        """Raise if an array of this size would pass the limit, beside what the process has taken so far."""
        if n_bytes > SMALL:
            n_bytes += self._added(clock())
        self.check(n_bytes=n_bytes)

    def check(self, *, n_cells: int | None = None, n_bytes: int = 0) -> None:
        """Raise if a limit is passed; ``n_bytes`` is what the arrays of the computation will take."""
        now, budget = clock(), self.budget
        if now - self.looked >= LOOK_S:  # now and then
            n_bytes = max(n_bytes, self._added(now))
        cells, seconds = self.n_cells if n_cells is None else n_cells, now - self.started
        if cells <= budget.max_cells and n_bytes <= budget.max_bytes and seconds <= budget.max_seconds:
            return
        limits = (
            ("max_cells", cells, budget.max_cells, "cells"),
            ("max_seconds", seconds, budget.max_seconds, "seconds"),
            ("max_bytes", n_bytes, budget.max_bytes, "bytes"),
        )
        for name, value, limit, unit in limits:
            if value > limit:
                seconds, whole = self._whole(seconds)
                if name == "max_seconds":
                    value, limit = seconds, whole
                shown = _shown(value)
                done, cells_of = f"{self.layers_done} of {self.n_layers} layers", "cells"
                if self.share is not None:
                    done, cells_of = f"{100 * self.share:.3g} % of the segment", "pieces"
                partial: dict[str, Any] = {"n_cells": self.n_cells, "layers_done": self.layers_done, "n_layers": self.n_layers}
                partial |= {"seconds": seconds} | ({} if self.share is None else {"share": self.share})
                raise BudgetExceeded(
                    f"{shown} {unit} exceed the budget {name}={limit:,} after {done} ({self.n_cells:,} {cells_of} so far).",
                    hint="use a smaller domain or plica.Budget(...) with a higher limit",
                    partial=partial,
                )

    def _whole(self, seconds: float) -> tuple[float, float]:
        """The seconds of the whole computation, of which this may be a part, and the limit that was given for it."""
        b = self.budget
        if not isinstance(b, Rest) or b.max_seconds == float("inf"):
            return seconds, b.max_seconds
        return seconds + b.whole_seconds - b.max_seconds, b.whole_seconds

    def layer_finished(self, n_cells: int) -> None:
        self.layers_done += 1
        self.n_cells = n_cells
        if self.progress is not None:
            self.progress(
                {"layers_done": self.layers_done, "n_layers": self.n_layers, "n_cells": n_cells, "seconds": self.seconds}
            )
        self.check()

    def part_finished(self, n_cells: int, share: float) -> None:
        """Of a line this share, wherever it is, is through all layers; nobody is told, because threads come here."""
        self.check(n_cells=n_cells)
        self.n_cells, self.share = n_cells, share

    def chunk_finished(self, n_cells: int, position: float) -> None:
        """A part of a line is through all layers; ``position`` is how far along the domain it ends."""
        self.n_cells = n_cells
        if self.progress is not None:
            self.progress({"position": position, "n_cells": n_cells, "seconds": self.seconds})
        self.check()


def _shown(value: float) -> str:
    """A number as a sentence has it; the bytes of a cube in hundreds of dimensions by their power of ten.

    Examples
    --------
    >>> _shown(1.25), _shown(1234567), _shown(3**1000)
    ('1.2', '1,234,567', 'more than 10^476')
    """
    if not isinstance(value, int):
        return f"{value:,.1f}"
    return f"{value:,}" if value < _LONG else f"more than 10^{int((value.bit_length() - 1) * log10(2))}"


_current: ContextVar[Meter | None] = ContextVar("plica meter", default=None)


class Watched:
    """Inside, :func:`tick` asks a meter, also between pieces of work on several cores."""

    __slots__ = ("_look", "_meter")

    def __init__(self, meter: Meter) -> None:
        self._meter, self._look = During(_current, meter), looking(tick)

    def __enter__(self) -> None:
        self._meter.__enter__()
        self._look.__enter__()

    def __exit__(self, *_: object) -> None:
        self._look.__exit__()
        self._meter.__exit__()


def watched(meter: Meter) -> Watched:
    """Let :func:`tick` ask this meter inside, and ask it between pieces of work on several cores."""
    return Watched(meter)


@contextmanager
def watched_anew(budget: Budget | None, n_layers: int = 0) -> Iterator[None]:
    """For what is read off a finished complex: the budget it was made with holds for each reading, unless one is running.

    As in the engines, BLAS is held to one thread: its threads beside ours would wait for each other, and nobody would ask the
    budget meanwhile.
    """
    if _current.get() is not None:
        yield
        return
    with measuring(Meter(budget or Budget(), n_layers)):
        yield


@contextmanager
def measuring(meter: Meter) -> Iterator[None]:
    """Inside, :func:`tick` asks this meter, and BLAS is held to one thread: for what is computed beside the engines."""
    with watched(meter), plain_blas():
        yield


def reading(measure: Callable[P, R]) -> Callable[P, R]:
    """A function whose first argument is a complex, within the budget that the complex was made with.

    Examples
    --------
    >>> import plica
    >>> @reading
    ... def n_sides(cx):
    ...     tick(2**60)
    >>> net = plica.random_network([2, 4, 1], seed=0)
    >>> n_sides(plica.decompose(net, plica.Box([0, 0], [1, 1])))
    Traceback (most recent call last):
    plica.errors.BudgetExceeded: ...
    """

    @wraps(measure)
    def within(*args: P.args, **options: P.kwargs) -> R:
        cx: Any = args[0] if args else next(iter(options.values()), None)
        if getattr(cx, "budget", None) is None:  # no complex, as the function will say
            return measure(*args, **options)
        with watched_anew(cx.budget, len(cx.network.layers)):
            return measure(*args, **options)

    return within


def share_of_budget(parts: int) -> int:
    """One part of so many of the memory that the running computation may add; what is free where no computation is watched."""
    meter = _current.get()
    return (available_bytes() if meter is None else meter.budget.max_bytes) // parts


def tick(n_bytes: int = 0) -> None:
    """Ask the budget of the running computation, from however deep inside it; ``n_bytes`` are about to be allocated.

    Raises :class:`plica.BudgetExceeded`; does nothing where no computation is watched.

    Examples
    --------
    >>> tick(2**60)
    >>> with watched(Meter(Budget(max_bytes=2**30), n_layers=1)):
    ...     tick(2**60)
    Traceback (most recent call last):
    plica.errors.BudgetExceeded: ...
    """
    meter = _current.get()
    if meter is not None:
        meter.allow(n_bytes)
    else:
        look()  # one of several threads: whoever asked for the work may want it no more
