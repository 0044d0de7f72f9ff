"""An error that somebody wrote down, and who must notice it."""

from __future__ import annotations

from dataclasses import dataclass

from mutants import Mutant, locate

UNIT = "tests/unit"

#: Kinds of errors.
CONSTANT, EXPONENT, TERM, COUNT = "a constant", "an exponent", "a term dropped", "off by one"
ROLE, NORMALIZED, CHANGED = "roles or signs exchanged", "a wrong normalization", "a term, a role or an index"
FORMULA = "another formula of the same shape"


@dataclass(frozen=True)
class Error:
    """In a function of ``plica.<module>``, ``old`` becomes ``new``; ``claims`` must notice, or ``tests`` where there are none."""

    module: str
    function: str
    old: str
    new: str
    claims: tuple[str, ...]
    kind: str
    tests: tuple[str, ...] = ()

    def mutant(self) -> Mutant:
        """The same as a change of an expression, found by its text in the function."""
        return locate(f"plica.{self.module}", self.function, self.old, self.new)


def within(module: str, *errors: tuple[str, str, str, str, str]) -> tuple[Error, ...]:
    """Errors of one module: a function, what stands there, what is put in its place, who must notice, the kind.

    Who must notice is a claim, or where no claim is about it, a file of tests: that has a ``/`` in its name.
    """
    found = []
    for function, old, new, who, kind in errors:
        claims, tests = ((), (f"{UNIT}/{who}.py",)) if "/" in who else ((who,), ())
        found.append(Error(module, function, old, new, claims, kind, tests))
    return tuple(found)
