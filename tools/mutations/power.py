"""For every claim an error of its own subject that changes its verdict: not one that only makes its check end in an exception.

What was found stays in ``power.json`` beside this file, with a fingerprint of the claim's code: when that changes, the same
error is tried first.
"""

from __future__ import annotations

import ast
import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path
from typing import Any

from equivalent import reason_for
from handmade import ERRORS
from mutants import PACKAGES, Mutant, locate, mutants_of, number_of, source
from traces import Trace
from trials import Result, Task, run_all

from plica.claims import catalog, fingerprint
from plica.claims._fingerprint import modules_of

TABLE = Path(__file__).parent / "power.json"

#: Where the subject of a claim may be, in this order; then what the claim's page itself computes.
SUBJECTS = (*PACKAGES, "network", "geometry", "exact")


class Power:
    """What is known of each claim; errors are tried until the claim notices one, or there are enough."""

    def __init__(self, claims: Mapping[str, Trace], path: Path = TABLE) -> None:
        self.path, self.claims = path, claims
        self.table = read(path)

    @property
    def known(self) -> set[str]:
        """Claims that noticed an error with the code they have now."""
        return {id for id, trace in self.claims.items() if self.table.get(id, {}).get("code") == trace.code}

    def learn(self, tried: Iterable[Mapping[str, Any]]) -> None:
        """What claims noticed when errors were tried for another reason."""
        for entry in tried:
            id = entry["killed_by"]
            if entry["by"] == "claim" and is_verdict(entry["told"]) and id in self.claims and id not in self.known:
                if entry.get("code") == self.claims[id].code:
                    place = {name: tuple(entry[name]) for name in ("start", "end")}
                    names = ("module", "function", "line", "before", "after")
                    self._keep(id, Mutant(**{name: entry[name] for name in names}, **place), entry["told"])

    def _keep(self, id: str, error: Mutant, told: str) -> None:
        place = {"module": error.module, "function": error.function, "before": error.before, "after": error.after}
        number = number_of(error)
        self.table[id] = place | ({"nth": number} if number else {}) | {"told": told, "code": self.claims[id].code}
        ids = set(catalog().ids)
        kept = {id: self.table[id] for id in sorted(self.table) if id in ids}
        self.path.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    def search(self, rng: random.Random, *, jobs: int, tries: int, say: Any) -> list[str]:
        """Try, one error for each claim in turn; returns the claims that noticed none."""
        count = Counter(call for trace in self.claims.values() for call in trace.calls)
        waiting = {id: [*self._before(id), *self._errors(id, count, rng, tries)] for id in self.claims if id not in self.known}
        say(f"{len(self.claims)} claims, {len(self.known)} known to notice an error of their own subject")

        def done(task: Task, result: Result) -> None:
            id = task.claims[0].name
            if result.by == "claim" and is_verdict(result.told):
                self._keep(id, task.mutant, result.told)
                waiting[id] = []

        while any(waiting.values()):
            tasks = [Task(mutants.pop(0), (self.claims[id],)) for id, mutants in waiting.items() if mutants]
            run_all(tasks, jobs=jobs, limit=1e9, done=done)
            say(f"  {len(self.known)} of {len(self.claims)}")
        return sorted(set(self.claims) - self.known)

    def _before(self, id: str) -> Iterator[Mutant]:
        """The error that the claim noticed before its code changed, and those written by hand that name it."""
        if id in self.table:
            with suppress(LookupError):
                yield error_of(self.table[id])
        yield from (error.mutant() for error in ERRORS if id in error.claims)

    def _errors(self, id: str, count: Mapping[str, int], rng: random.Random, tries: int) -> list[Mutant]:
        """Errors in what the page names, then in what few other claims call; last those of the page, with formulas of its own."""
        own = modules_of(catalog()[id].module)
        named = {name for module in own for name in _imported(module)}
        places = {f"plica.{package}.": rank for rank, package in enumerate(SUBJECTS)}
        ranked = []
        for call in self.claims[id].calls:
            module, _, function = call.partition(":")
            rank = next((rank for place, rank in places.items() if module.startswith(place)), None)
            if rank is not None:
                ranked.append(((function.partition(".")[0] not in named, rank // len(PACKAGES), count[call], rank, call), call))
        near = [call for _, call in sorted(ranked)]
        page = sorted((c for c in self.claims[id].calls if c.partition(":")[0] in own), key=lambda c: c.endswith(":check"))
        return [*_spread(near, rng, tries), *_spread(page, rng, tries)]


def read(path: Path = TABLE) -> dict[str, Any]:
    """The table as it is kept: claim to error."""
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


def error_of(entry: Mapping[str, Any]) -> Mutant:
    return locate(entry["module"], entry["function"], entry["before"], entry["after"], entry.get("nth", 0))


def shown() -> dict[str, str]:
    """For claims whose code is as it was when they noticed an error: that error, in words."""
    current = {claim.id: fingerprint(claim.module) for claim in catalog()}
    return {
        id: f"{e['module'].replace('.', '/')}.py {e['function']}: {e['before']} -> {e['after']}"
        for id, e in read().items()
        if current.get(id) == e["code"]
    }


def is_verdict(told: str) -> bool:
    """Whether a claim noticed by what it measured: an exception, or a check without end, is noticed by anything."""
    return bool(told) and not told.startswith(("error", "no end", "the process ended"))


def _imported(module: str) -> set[str]:
    """Names that a page takes from the library."""
    nodes = (node for node in ast.walk(ast.parse(source(module))) if isinstance(node, ast.ImportFrom))
    return {alias.name for node in nodes if (node.module or "").startswith("plica") for alias in node.names}


def _spread(calls: Iterable[str], rng: random.Random, tries: int) -> list[Mutant]:
    """One error in each of the functions, then a second in each, until there are enough; arithmetic comes first."""
    piles = []
    for call in calls:
        module, _, function = call.partition(":")
        pile = [m for m in mutants_of(module) if m.function == function and not reason_for(m)]
        rng.shuffle(pile)
        if pile:
            piles.append(sorted(pile, key=lambda m: (m.before.endswith(")"), m.before.replace(".", "").isdigit())))
        if len(piles) == tries:
            break
    rounds = zip_longest(*piles)
    return [m for round_ in rounds for m in round_ if m is not None][:tries]
