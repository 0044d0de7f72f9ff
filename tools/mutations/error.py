"""An error that somebody wrote down, and who must notice it."""

from __future__ import annotations

from dataclasses import dataclass

from mutants import Mutant, locate


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
