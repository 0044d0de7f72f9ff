"""An exercise: a task in words, what kind of answer it takes, and a function that grades the answer."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from html import escape
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from plica.errors import InvalidInput
from plica.network import Concat, Input, Linear, Network, Op, Rectifier, Reshape, from_torch

if TYPE_CHECKING:
    from plica._types import Array

Kind = Literal["network", "numbers"]
LECTURES = ("4", "5", "15", "washington", "icerm")
UNITS = "Neurons are ReLU, layers are dense."


@dataclass(frozen=True)
class Grade:
    """Whether an answer is right, why, and the numbers that were computed on the way."""

    is_right: bool
    why: str
    facts: dict[str, Any] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.is_right

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        facts = "".join(f"<li>{escape(str(name))}: {escape(str(value))}</li>" for name, value in self.facts.items())
        return f"<p><b>{'Right' if self.is_right else 'Not yet'}:</b> {escape(self.why)}.</p>" + (
            f"<ul>{facts}</ul>" if facts else ""
        )

    def __repr__(self) -> str:
        return f"<Grade {'yes' if self.is_right else 'no'}: {self.why}>"


@dataclass(frozen=True)
class Exercise:
    """A task. ``given`` are networks that belong to it, by name, made when they are asked for."""

    id: str
    lecture: str
    title: str
    task: str
    kind: Kind
    check: Callable[[Any], Grade]
    given: dict[str, Callable[[], Network]]

    def grade(self, answer: Any) -> Grade:
        """Grade an answer: a :class:`plica.Network` or a torch module where a network is asked for, else numbers."""
        return self.check(_network(answer) if self.kind == "network" else _numbers(answer))

    def _repr_html_(self) -> str:
        """What a notebook shows: the task, what it gives, and how an answer is graded."""
        given = "".join(f"<p>Given: <code>exercise({self.id!r}).given[{name!r}]()</code></p>" for name in self.given)
        answer = "a network: a plica.Network or a torch module" if self.kind == "network" else "a number or several"
        call = f"<p>Answer with {answer}: <code>exercise({self.id!r}).grade(answer)</code></p>"
        return f"<h4>{escape(self.title)}</h4><p>{escape(self.task)}</p>{given}{call}"

    def __repr__(self) -> str:
        return f"<Exercise {self.id} (lecture {self.lecture}): {self.title} Answer: {self.kind}.>"


_known: dict[str, Exercise] = {}


def task(lecture: str, kind: Kind, **given: Callable[[], Network]) -> Callable[[Callable[[Any], Grade]], Callable[[Any], Grade]]:
    """Make an exercise of a grading function: its name is the identifier, its docstring the title and the task."""

    def register(check: Callable[[Any], Grade]) -> Callable[[Any], Grade]:
        title, _, text = (inspect.getdoc(check) or "").partition("\n")
        id = check.__name__.replace("_", "-")  # type: ignore[attr-defined]
        words = text.split() + UNITS.split() * (kind == "network")
        _known[id] = Exercise(id, lecture, title, " ".join(words), kind, check, given)
        return check

    return register


def exercises(lecture: str | None = None) -> list[Exercise]:
    """All exercises, or those of one lecture."""
    if lecture is not None and lecture not in LECTURES:
        raise InvalidInput(f"no lecture {lecture!r}.", hint=f"one of {', '.join(LECTURES)}")
    return sorted(
        (each for each in _known.values() if lecture in (None, each.lecture)), key=lambda each: LECTURES.index(each.lecture)
    )


def exercise(id: str) -> Exercise:
    """One exercise."""
    if id not in _known:
        near = get_close_matches(id, _known)
        raise InvalidInput(
            f"no exercise {id!r}.", hint=f"did you mean {' or '.join(near)}?" if near else "`plica exercise` lists them"
        )
    return _known[id]


def grade(id: str, answer: Any) -> Grade:
    """Grade an answer to an exercise."""
    return exercise(id).grade(answer)


def need(network: Network, *, inputs: int, outputs: int = 1, neurons: int | None = None) -> Grade | None:
    """A refusal where a network has other inputs or outputs than the task asks for, other units, or too many neurons.

    A unit that is the maximum of many, or bends twice, would count as one neuron; a slope or a factor would be no weight.
    """
    found = (network.n_inputs, network.n_outputs)
    if found != (inputs, outputs):
        return Grade(False, f"the network has {found[0]} inputs and {found[1]} outputs, not {inputs} and {outputs}")
    other = next((node.op for node in network.nodes if not _is_usual(node.op)), None)
    if other is not None:
        return Grade(
            False, f"the network has a layer of kind {type(other).__name__}; dense layers and ReLU without a slope are allowed"
        )
    if neurons is not None and network.n_neurons > neurons:
        return Grade(False, f"the network has {network.n_neurons} neurons, {neurons} are allowed", {"neurons": network.n_neurons})
    return None


def _is_usual(op: Op) -> bool:
    """Whether an operation is a dense layer, a ReLU, or moves values without changing them."""
    return op.is_relu or isinstance(op, Input | Linear | Concat | Reshape)


def is_plain(network: Network) -> bool:
    """Whether dense layers and ReLU alternate, so that each layer's weights are those of one dense layer."""
    kinds = [type(node.op) for node in network.nodes if not isinstance(node.op, Input | Reshape)]
    return kinds[::2] == [Linear] * len(kinds[::2]) and kinds[1::2] == [Rectifier] * (len(kinds) // 2) and len(kinds) % 2 == 1


def one_number(numbers: Array) -> float:
    """The only number of an answer."""
    return float(some_numbers(numbers, 1)[0])


def some_numbers(numbers: Array, count: int) -> Array:
    """The numbers of an answer that is to have so many."""
    if len(numbers) != count:
        raise InvalidInput(
            f"the answer has {len(numbers)} number{'s' * (len(numbers) != 1)}, asked for: {count}.",
            hint="numbers with commas between",
        )
    return numbers


def _network(answer: Any) -> Network:
    if isinstance(answer, Network):
        return answer
    network = getattr(answer, "network", None)  # a construction
    if isinstance(network, Network):
        return network
    if hasattr(answer, "parameters") and hasattr(answer, "forward"):
        return from_torch(answer)
    raise InvalidInput(f"the answer is a {type(answer).__name__}.", hint="a plica.Network, or a torch module with known input")


def _numbers(answer: Any) -> Array:
    try:
        found = np.atleast_1d(np.asarray(answer, dtype=float)).ravel()
    except (TypeError, ValueError):
        raise InvalidInput(f"the answer is a {type(answer).__name__}.", hint="a number or several") from None
    except OverflowError:
        raise InvalidInput("the answer holds a number that is too large.", hint="a number or several") from None
    if not isinstance(answer, Sequence | np.ndarray | int | float | np.number) or not np.isfinite(found).all():
        raise InvalidInput("the answer holds something that is not a finite number.", hint="a number or several")
    return found
