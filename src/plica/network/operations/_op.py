"""What all operations share: a name, a shape, and what they store."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar

import numpy as np

from plica._types import Array
from plica.errors import InvalidNetwork

Shape = tuple[int, ...]


def largest_magnitude(array: Array) -> float:
    """The largest absolute value, without a copy of the array; 0 if it is empty.

    Examples
    --------
    >>> largest_magnitude(np.array([1.0, -3.0])), largest_magnitude(np.zeros((0, 2)))
    (3.0, 0.0)
    """
    return max(float(array.max(initial=0.0)), -float(array.min(initial=0.0)))


class Stored(Enum):
    """What a field of an operation holds. Arrays come first; the others are settings, plain JSON values in files."""

    FLOATS = "an array of float64"
    OPTIONAL_FLOATS = "an array of float64, or nothing"
    INDICES = "an array of integers"
    NUMBER = "a finite number"
    INTEGER = "an integer from 0 on"
    POSITIVE = "an integer from 1 on"
    INTEGERS = "integers from 0 on"
    POSITIVES = "integers from 1 on"
    SHAPE = "a shape"
    PAIRS = "pairs of integers"

    @property
    def is_array(self) -> bool:
        return self in (Stored.FLOATS, Stored.OPTIONAL_FLOATS, Stored.INDICES)


@dataclass(frozen=True, eq=False)
class Op:
    """One operation of a network.

    ``stored`` names the fields that define it. Floating-point fields may be given as any real numbers that float64 holds
    exactly (integers, float32, float16): they are converted here, once, and anything else is refused.
    """

    kind: ClassVar[str] = "op"
    n_inputs: ClassVar[int | None] = 1
    stored: ClassVar[dict[str, Stored]] = {}
    moves_entries: ClassVar[bool] = False  # every entry of the output is an entry of an input, or zero
    former_names: ClassVar[dict[str, str]] = {}  # of stored fields, in files of earlier versions

    def __post_init__(self) -> None:
        for name, what in self.stored.items():
            given = getattr(self, name)
            if what.is_array and not (given is None and what is Stored.OPTIONAL_FLOATS):
                array = as_indices(given) if what is Stored.INDICES else as_float64(given)
                if array is None:
                    raise InvalidNetwork(
                        f"{name} of a {self.kind} layer is {_described(given)}, which is not {what.value}.",
                        hint="integers and floats that float64 holds exactly are converted; round others yourself",
                    )
                object.__setattr__(self, name, array)

    @property
    def is_relu(self) -> bool:
        """Whether the operation is max(x, 0), which engines know how to make while they move data anyway."""
        return False

    @property
    def dense(self) -> Array | None:
        """W where the operation is y = W x + c on the last axis, else None: such products are worth a path of their own."""
        return None

    def output_shape(self, *shapes: Shape) -> Shape:
        """Shape of the output, without the batch axis; raises :class:`InvalidNetwork` if the inputs don't fit."""
        return shapes[0]

    def arrays(self) -> dict[str, Array]:
        """The stored arrays, by field name."""
        names = [name for name, what in self.stored.items() if what.is_array]
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    def settings(self) -> dict[str, Any]:
        """Everything else that defines the operation, as plain JSON values."""
        return {name: _plain(getattr(self, name)) for name, what in self.stored.items() if not what.is_array}

    def n_terms(self) -> int:
        """The largest number of products summed for one output."""
        return 0

    def joint_lipschitz(self, constants: list[float]) -> float:
        """A Lipschitz constant of the output, given those of the inputs with respect to something they all depend on."""
        raise NotImplementedError

    def equal_entries(self, numbers: list[Array], shape: Shape) -> Array:
        """Numbers of the output's entries such that equal numbers mean equal functions, given those of the inputs.

        Number 0 is the function zero. ``shape`` is that of the output. To call all entries different is always right.
        """
        return all_different(shape)


@dataclass(frozen=True, eq=False)
class Input(Op):
    """The input of the network."""

    kind: ClassVar[str] = "input"
    n_inputs: ClassVar[int | None] = 0
    stored: ClassVar[dict[str, Stored]] = {"shape": Stored.SHAPE}
    shape: Shape

    def output_shape(self, *shapes: Shape) -> Shape:
        return self.shape


def as_float64(given: Any) -> Array | None:
    """The numbers as float64 if it holds each of them exactly, else None.

    Examples
    --------
    >>> as_float64(np.array([[1, -2]])), as_float64(2**53 + 1), as_float64("abc")
    (array([[ 1., -2.]]), None, None)
    """
    array = np.asarray(given)
    if array.dtype == np.float64:
        return array
    if array.dtype.kind not in "biuf":
        return None
    if array.dtype.kind == "f" and array.dtype.itemsize < 8:
        return array.astype(np.float64)
    with np.errstate(over="ignore"):
        floats = array.astype(np.float64)
    if array.dtype.kind == "f":  # extended precision: what is not finite is refused by name later
        return floats if np.array_equal(floats.astype(array.dtype), array, equal_nan=True) else None
    if array.dtype.itemsize < 8 or not array.size or max(int(array.max()), -int(array.min())) <= 2**53:
        return floats
    back = [int(x) for x in floats.reshape(-1)]
    return floats if back == array.reshape(-1).tolist() else None


def as_indices(given: Any) -> Array | None:
    """The numbers as an array of integers, or None if they are not integers."""
    array = np.asarray(given)
    return array if array.dtype.kind in "iu" else None


def all_different(shape: Shape) -> Array:
    return np.arange(1, int(np.prod(shape)) + 1).reshape(shape)


def numbered_rows(table: Array) -> Array:
    """Numbers for the rows of a table: equal rows, equal numbers; 0 for rows of zeros.

    Examples
    --------
    >>> numbered_rows(np.array([[3, 1], [0, 0], [3, 1]])).tolist()
    [2, 0, 2]
    """
    table = np.ascontiguousarray(table + 0.0 if table.dtype.kind == "f" else table)  # no negative zeros
    if not table.shape[1]:
        return np.zeros(len(table), np.int64)
    _, number = np.unique(table.view(np.dtype((np.void, table.dtype.itemsize * table.shape[1])))[:, 0], return_inverse=True)
    number = number.reshape(-1).astype(np.int64) + 1
    number[~table.any(axis=1)] = 0
    return number


def _plain(value: Any) -> Any:
    return [_plain(v) for v in value] if isinstance(value, tuple) else value


def _described(given: Any) -> str:
    array = np.asarray(given)
    return f"of type {array.dtype}" if array.dtype.kind not in "biuf" else f"{array.dtype} with digits beyond float64"
