"""Configurations: frozen, checked when made, with presets, to and from plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from math import inf
from types import MappingProxyType
from typing import Any, ClassVar, Self

from plica.errors import InvalidInput

MAX_SIZE = 2**26  # of any setting
MAX_LAYERS = 1_000
NO_PRESETS: Mapping[str, Mapping[str, Any]] = MappingProxyType({})


@dataclass(frozen=True)
class Config:
    """What a model is built from. Subclasses are frozen dataclasses of numbers, booleans and short texts.

    A subclass lists its presets in ``PRESETS`` and its conditions in :meth:`problems`.
    """

    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = NO_PRESETS

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, list):
                object.__setattr__(self, field.name, tuple(value))
            most = MAX_LAYERS if field.name in ("n_layers", "depths") else MAX_SIZE
            for number in value if isinstance(value, (list, tuple)) else (value,):
                if isinstance(number, int) and not isinstance(number, bool) and not 0 <= number <= most:
                    hint = "it must not be negative" if number < 0 else f"it must not exceed {most}"
                    raise InvalidInput(f"{type(self).__name__}.{field.name} is {str(value)[:40]}.", hint=hint)
        for problem, hint in self.problems():
            raise InvalidInput(f"{type(self).__name__}: {problem}", hint=hint)

    def problems(self) -> list[tuple[str, str]]:
        """What is wrong with the values, each with a hint; empty when nothing is."""
        return []

    @classmethod
    def preset(cls, name: str, **changes: Any) -> Self:
        """The configuration published under a name, with some of its values changed.

        Examples
        --------
        >>> from plica.models.transformer import GPTConfig
        >>> GPTConfig.preset("gpt3-small").d_model
        768
        """
        if name not in cls.PRESETS:
            raise InvalidInput(
                f"{cls.__name__} has no preset {name!r}.", hint=f"choose from {', '.join(cls.PRESETS) or 'none: give the values'}"
            )
        return cls.from_dict({**cls.PRESETS[name], **changes})

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The configuration with these values; unknown names and wrong types are refused."""
        known = {field.name: field for field in fields(cls)}
        unknown = sorted(set(values) - set(known))
        if unknown:
            raise InvalidInput(f"{cls.__name__} has no {', '.join(map(repr, unknown))}.", hint=f"it has {', '.join(known)}")
        for name, value in values.items():
            expected = str(known[name].type).split(" ")[0].split("[")[0]
            if not _fits(value, expected):
                raise InvalidInput(f"{cls.__name__}.{name} is {value!r}.", hint=f"expected {known[name].type}")
        try:
            return cls(**values)
        except TypeError as error:
            raise InvalidInput(f"{cls.__name__}: {error}.", hint="give the values without a default") from None


def _fits(value: Any, expected: str) -> bool:
    """Whether a plain value has the type that an annotation names."""
    if isinstance(value, bool):
        return expected == "bool"
    if isinstance(value, int):
        return expected in ("int", "float")
    if isinstance(value, float):
        return expected == "float"
    if isinstance(value, str):
        return expected in ("str", "Literal") or expected[0].isupper()
    return isinstance(value, (list, tuple)) and expected == "tuple" and all(_fits(v, "int") for v in value)


def one_of(name: str, value: str, allowed: tuple[str, ...]) -> list[tuple[str, str]]:
    """The problem of a name outside its list, if it is one."""
    return [] if value in allowed else [(f"{name} is {value!r}.", f"use one of {', '.join(allowed)}")]


def positive(**values: float) -> list[tuple[str, str]]:
    """The problems of numbers that should be positive."""
    return [(f"{name} is {value}.", "it must be positive") for name, value in values.items() if not 0 < value < inf]


def divides(**values: tuple[int, int]) -> list[tuple[str, str]]:
    """The problems of a part that should divide a whole: ``divides(n_heads=(heads, width))``."""
    return [
        (f"{name} = {part} does not divide {whole}.", "choose a divisor")
        for name, (part, whole) in values.items()
        if part <= 0 or whole % part
    ]


def share(**values: float) -> list[tuple[str, str]]:
    """The problems of numbers that should lie in [0, 1)."""
    return [(f"{name} is {value}.", "it must lie in [0, 1)") for name, value in values.items() if not 0 <= value < 1]


def special_tokens(padding: int, start: int, end: int, **vocabularies: int) -> list[tuple[str, str]]:
    """The problems of three special tokens that are not three, or outside a vocabulary."""
    if len({padding, start, end}) < 3:
        return [("padding, start and end must be three tokens.", "give different numbers")]
    top = max(padding, start, end)
    return [
        (f"{name} is {size}, too small for the special token {top}.", f"give at least {top + 1}")
        for name, size in vocabularies.items()
        if size <= top
    ]
