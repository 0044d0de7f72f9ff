"""What a sweep is: a function, a grid of parameters, seeds. From these come the tasks, and each task's randomness."""

from __future__ import annotations

import functools
import inspect
import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from plica._lazy import cached_property
from plica.errors import InvalidInput
from plica.sweeps._canonical import digest, dumps, plain
from plica.sweeps._version import code_version

Grid = Mapping[str, Iterable[Any]] | Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Task:
    """One call of the function: its parameters as canonical JSON, its seed, and the digest of both that names it."""

    key: str
    parameters: str
    seed: int
    root_seed: int

    def sequence(self) -> np.random.SeedSequence:
        """The task's own randomness. It depends on the task and the root seed, never on the worker or the order."""
        words = tuple(int(self.key[i : i + 8], 16) for i in range(0, 64, 8))
        return np.random.SeedSequence(self.root_seed, spawn_key=words)


@dataclass(frozen=True)
class Job:
    """What a worker needs beside the tasks."""

    function: Callable[..., Any]
    randomness: str  # "seed", "rng" or "": what the function wants to be given
    threads: int | None
    code: str = ""  # digest of the code without constants; a worker on another machine must have the same

    def arguments(self, task: Task) -> dict[str, Any]:
        """The keyword arguments of one call."""
        arguments: dict[str, Any] = json.loads(task.parameters)
        if self.randomness == "rng":
            arguments["rng"] = np.random.default_rng(task.sequence())
        elif self.randomness == "seed":
            arguments["seed"] = int(task.sequence().generate_state(1, np.uint64)[0] >> np.uint64(1))
        return arguments


@dataclass(frozen=True)
class Sweep:
    """A function and the calls to make of it.

    Parameters
    ----------
    function
        Called with one point of the grid as keyword arguments, and with ``seed`` (an int below 2**63) or ``rng`` (a
        ``numpy.random.Generator``), whichever it names. Returns a dict of numbers, strings, lists and numpy arrays.
        With several processes it must be importable: written at the top level of a module.
    grid
        A dict of lists, of which all combinations are run, or a list of dicts, each one point. Values are JSON data;
        tuples arrive as lists.
    seeds
        Repetitions of each point. They number the tasks; the randomness itself is derived from the root seed, the
        sweep's name, the parameters and this number.
    name
        Names the experiment in the store. The function's name unless given.
    root_seed
        Another root seed is another, independent experiment.
    version
        Mixed into the version of the code: change it when code outside the function's module changes the results.

    Examples
    --------
    >>> def walk(n_steps, rng):
    ...     return {"end": int(rng.integers(0, 2, n_steps).sum())}
    >>> sweep = Sweep(walk, grid={"n_steps": [10, 20]}, seeds=range(3))
    >>> sweep
    Sweep('walk', 2 points x 3 seeds = 6 tasks)
    >>> len(sweep), sweep.points[0]
    (6, {'n_steps': 10})
    """

    function: Callable[..., Any]
    grid: Grid = field(default_factory=dict)
    seeds: Iterable[int] = (0,)
    name: str = ""
    root_seed: int = 0
    version: str = ""
    points: tuple[dict[str, Any], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InvalidInput(f"function is a {type(self.function).__name__}.", hint="give the function itself, not its result")
        if isinstance(self.root_seed, bool) or not isinstance(self.root_seed, int) or self.root_seed < 0:
            raise InvalidInput(f"root_seed is {self.root_seed!r}.", hint="give an integer, zero or larger")
        object.__setattr__(self, "seeds", _checked_seeds(self.seeds))
        object.__setattr__(self, "name", self.name or _name_of(self.function))
        object.__setattr__(self, "points", _points(self.grid))
        self.job()

    def __len__(self) -> int:
        return len(self.points) * len(tuple(self.seeds))

    def __repr__(self) -> str:
        return f"Sweep({self.name!r}, {len(self.points)} points x {len(tuple(self.seeds))} seeds = {len(self)} tasks)"

    @cached_property
    def code(self) -> str:
        """The version of the function's code, 16 hexadecimal digits. Read when the sweep is first run."""
        return code_version(self.function, label=self.version)

    def tasks(self) -> Iterator[Task]:
        """All tasks, in the order of the grid."""
        for point in self.points:
            parameters = dumps(point)
            for seed in self.seeds:
                key = digest(dumps([self.name, self.root_seed, parameters, seed]))
                yield Task(key, parameters, seed, self.root_seed)

    def job(self, *, threads: int | None = 1) -> Job:
        """What workers need, checked against the function's signature."""
        return Job(self.function, _randomness(self.function, self.points), threads)


def _checked_seeds(seeds: Iterable[int]) -> tuple[int, ...]:
    try:
        found = tuple(plain(seed, where="seeds") for seed in seeds)
    except TypeError:
        raise InvalidInput(f"seeds is {seeds!r}.", hint=f"give a sequence of integers, such as range({seeds})") from None
    if not found or any(isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**63 for seed in found):
        raise InvalidInput("seeds must be integers from 0 to 2**63 - 1, at least one.", hint="for instance seeds=range(10)")
    if len(set(found)) < len(found):
        raise InvalidInput("a seed occurs twice in seeds.", hint="each seed is one repetition; give distinct integers")
    return found


def _name_of(function: Callable[..., Any]) -> str:
    if isinstance(function, functools.partial):
        return _name_of(function.func)
    return getattr(function, "__qualname__", type(function).__qualname__)


def _points(grid: Grid) -> tuple[dict[str, Any], ...]:
    if isinstance(grid, Mapping):
        for name, values in grid.items():
            if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
                raise InvalidInput(f"grid[{name!r}] is {values!r}.", hint=f"give a list of values: [{values!r}]")
        axes = {name: tuple(values) for name, values in grid.items()}
        empty = [name for name, values in axes.items() if not values]
        if empty:
            raise InvalidInput(f"grid[{empty[0]!r}] is empty, so there is nothing to run.", hint="give at least one value")
        found = [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]
    else:
        found = [dict(point) for point in grid]
        if not found:
            raise InvalidInput("grid is an empty list, so there is nothing to run.", hint="give at least one point")
    points = tuple({name: plain(value, where=f"grid[{name!r}]") for name, value in point.items()} for point in found)
    texts = [dumps(point) for point in points]
    if len(set(texts)) < len(texts):
        twice = next(text for text in texts if texts.count(text) > 1)
        raise InvalidInput(f"the grid holds {twice} twice.", hint="repeat a point with seeds=range(n)")
    return points


def _randomness(function: Callable[..., Any], points: tuple[dict[str, Any], ...]) -> str:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return "seed"
    names = signature.parameters
    reserved = {"seed", "rng"} & set().union(*points)
    if reserved:
        raise InvalidInput(f"the grid names {reserved.pop()!r}.", hint="randomness is given by seeds=..., not by the grid")
    takes_any = any(p.kind is p.VAR_KEYWORD for p in names.values())
    wanted = "rng" if "rng" in names else "seed" if "seed" in names or takes_any else ""
    for point in points:
        try:
            signature.bind(**point, **({wanted: None} if wanted else {}))
        except TypeError as error:
            raise InvalidInput(
                f"{_name_of(function)}{signature} cannot be called with {dumps(point)}: {error}.",
                hint="the grid's names are the function's arguments; randomness arrives as seed or rng",
            ) from None
    return wanted
