"""Errors that change nothing: the same number by another way, or a number that nobody reads. Each with its reason."""

from __future__ import annotations

from mutants import Mutant

#: (module below plica, function, before, after), as the list of survivors prints them: why it cannot be noticed.
REASONS: dict[tuple[str, str, str, str], str] = {}


def reason_for(mutant: Mutant) -> str:
    return REASONS.get((mutant.module.removeprefix("plica."), mutant.function, mutant.before, mutant.after), "")
