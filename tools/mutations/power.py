"""For every claim an error of its own subject that changes its verdict: not one that only makes its check end in an exception."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mutants import PACKAGES, Mutant, mutants_of
from traces import Trace
from trials import Result, Task, run_all

from plica.claims import catalog
from plica.claims._fingerprint import modules_of

#: Where the subject of a claim may be, in this order; then what the claim's page itself computes.
SUBJECTS = (PACKAGES, ("network", "geometry", "robust", "data", "exact"))
ROUNDS = 3


class Power:
    """What is known of each claim, kept in a file; errors are tried until the claim notices one, or there are enough."""

    def __init__(self, path: Path, claims: Mapping[str, Trace]) -> None:
        self.path, self.claims = path, claims
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        entries = [entry for entry in map(json.loads, lines) if is_verdict(entry["told"])]
        self.known = {e["claim"]: e for e in entries if e["claim"] in claims and e["code"] == claims[e["claim"]].code}

    def learn(self, tried: Iterable[Mapping[str, Any]]) -> None:
        """What claims noticed when errors were tried for another reason."""
        for entry in tried:
            id = entry["killed_by"]
            if entry["by"] == "claim" and is_verdict(entry["told"]) and id in self.claims and id not in self.known:
                if entry.get("code") == self.claims[id].code:
                    self._keep(
                        id,
                        f"{entry['module'].replace('.', '/')}.py:{entry['line']} {entry['function']}: "
                        f"{entry['before']} -> {entry['after']}",
                        entry["told"],
                    )

    def _keep(self, id: str, error: str, told: str) -> None:
        self.known[id] = {"claim": id, "error": error, "told": told, "code": self.claims[id].code}
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(self.known[id]) + "\n")

    def search(self, rng: random.Random, *, jobs: int, tries: int, say: Any) -> list[str]:
        """Try, one error for each claim in turn; returns the claims that noticed none."""
        count = Counter(call for trace in self.claims.values() for call in trace.calls)
        waiting = {id: self._errors(id, count, rng, tries) for id in self.claims if id not in self.known}
        say(f"{len(self.claims)} claims, {len(self.known)} known to notice an error of their own subject")

        def done(task: Task, result: Result) -> None:
            id = task.claims[0].name
            if result.by == "claim" and is_verdict(result.told):
                self._keep(id, str(task.mutant), result.told)
                waiting[id] = []

        while any(waiting.values()):
            tasks = [Task(mutants.pop(0), (self.claims[id],)) for id, mutants in waiting.items() if mutants]
            run_all(tasks, jobs=jobs, limit=1e9, done=done)
            say(f"  {len(self.known)} of {len(self.claims)}")
        return sorted(set(self.claims) - set(self.known))

    def _errors(self, id: str, count: Mapping[str, int], rng: random.Random, tries: int) -> list[Mutant]:
        """Errors in functions that few other claims call; last those of the page itself, where it has formulas of its own."""
        calls = self.claims[id].calls
        own = tuple(f"{name}:" for name in modules_of(catalog()[id].module))
        places = [tuple(f"plica.{package}." for package in packages) for packages in SUBJECTS] + [own]
        found: list[Mutant] = []
        for place in places:
            near = sorted((c for c in calls if c.startswith(place)), key=lambda c: (count[c], c.endswith(":check"), c))
            found += _spread(near, rng, tries)
        return found


def is_verdict(told: str) -> bool:
    """Whether a claim noticed by what it measured: an exception, or a check without end, is noticed by anything."""
    return bool(told) and not told.startswith(("error", "no end", "the process ended"))


def _spread(calls: Iterable[str], rng: random.Random, tries: int) -> list[Mutant]:
    """One error in each of the functions, then a second in each, until there are enough."""
    piles = []
    for call in calls:
        module, _, function = call.partition(":")
        pile = [m for m in mutants_of(module) if m.function == function]
        rng.shuffle(pile)
        if pile:
            piles.append(pile)
        if len(piles) == tries:
            break
    chosen: Sequence[Mutant] = [pile[i] for i in range(ROUNDS) for pile in piles if i < len(pile)]
    return list(chosen[:tries])
