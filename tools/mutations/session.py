"""A session of trials: which errors, what might notice them, what is known from before, and the table at the end."""

from __future__ import annotations

import hashlib
import json
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

import traces
from depends import relevant
from equivalent import NO_SUBJECT, reason_for
from error import Error
from handmade import ERRORS
from mutants import Mutant, modules, mutant_of, mutants_of
from power import Power, shown
from traces import Trace
from trials import Result, Task, run_all, tests_root, warm

from plica.claims import catalog, fingerprint

#: By nobody at all, or by no claim while tests were not tried.
UNNOTICED = ("nobody", "no claim")


def say(text: str) -> None:
    print(text, flush=True)


class Session:
    """What is kept in a folder, and how errors are tried."""

    def __init__(self, folder: Path, *, jobs: int, limit: float, tests: bool, claims: bool = True, n_files: int = 6) -> None:
        self.folder, self.jobs, self.limit, self.retry = folder, jobs, limit, False
        self.with_tests, self.with_claims = tests, claims
        self.n_files = n_files
        self._files: list[Path] | None = None
        self.results = folder / "results.jsonl"
        self.known = {entry["key"]: entry for entry in _lines(self.results)}
        self.suite = _suite()
        self._is_warm = False

    def few(self, n: int, rng: random.Random) -> int:
        """Some of the errors written by hand, each with the claims that it names: all must be noticed."""
        named = [error for error in ERRORS if error.claims]
        chosen = rng.sample(named, min(n, len(named)))
        tasks = [Task(e.mutant(), tuple(Trace(id, (), 5.0, "") for id in e.claims)) for e in chosen]
        survivors: list[str] = []

        def done(task: Task, result: Result) -> None:
            if result.by != "claim":
                survivors.append(f"{task.mutant} ({result.by} {result.told})")

        self._warm()
        run_all(tasks, jobs=self.jobs, limit=1e9, done=done)
        say(f"{len(tasks)} errors, {len(tasks) - len(survivors)} noticed by the claims they name")
        for line in survivors:
            say(f"not noticed: {line}")
        return int(bool(survivors))

    def handmade(self) -> int:
        found = self.attempt([error.mutant() for error in ERRORS], {error.mutant().key: error for error in ERRORS})
        return int(any(entry["by"] == "nobody" for entry in found))

    def sample(self, n: int, packages: tuple[str, ...], words: Sequence[str], rng: random.Random) -> None:
        """Errors from the syntax trees: a function is drawn, then an error in it, none twice."""
        by_function = self._by_function(packages, words, rng)
        chosen: list[Mutant] = []
        names = sorted(by_function)
        while len(chosen) < n and names:
            name = rng.choice(names)
            chosen.append(by_function[name].pop())
            if not by_function[name]:
                names.remove(name)
        self.attempt(chosen)

    def _by_function(self, packages: tuple[str, ...], words: Sequence[str], rng: random.Random) -> dict[str, list[Mutant]]:
        """All errors of some modules, those of each function in an order that is drawn."""
        found: dict[str, list[Mutant]] = {}
        for module in modules(packages):
            if not words or any(word in module for word in words):
                for mutant in mutants_of(module):
                    found.setdefault(f"{module}:{mutant.function}", []).append(mutant)
        for name in sorted(found):
            rng.shuffle(found[name])
        return found

    def each(self, n: int, packages: tuple[str, ...], words: Sequence[str], rng: random.Random) -> None:
        """So many errors in every public function and constant: none should be without one that is noticed."""
        chosen: list[Mutant] = []
        for pile in self._by_function(packages, words, rng).values():
            if not any(part.startswith("_") for part in pile[0].function.split(".")):
                chosen += pile[:n]
        self.attempt(chosen)

    def every(self, n: int, packages: tuple[str, ...], words: Sequence[str], rng: random.Random) -> None:
        """So many errors in every function and constant, private ones, too: first one in each expression, then a second."""
        chosen: list[Mutant] = []
        for pile in self._by_function(packages, words, rng).values():
            places: dict[tuple[int, int], list[Mutant]] = {}
            for mutant in pile:
                places.setdefault(mutant.start, []).append(mutant)
            rounds = (m for layer in zip_longest(*places.values()) for m in layer if m is not None)
            chosen += islice(rounds, n)
        self.attempt(chosen)

    def survivors(self, packages: tuple[str, ...]) -> None:
        """Those that nobody noticed so far, once more."""
        unnoticed = (entry for entry in self.known.values() if entry["by"] in UNNOTICED)
        found = [entry for entry in unnoticed if entry["module"].split(".")[1] in packages and self._is_current(entry)]
        self.retry = True
        self.attempt([mutant for mutant in map(mutant_of, found) if not reason_for(mutant)])

    def attempt(self, mutants: Sequence[Mutant], named: Mapping[str, Error] | None = None) -> list[dict[str, Any]]:
        """Try those that are not known; tell how it goes."""
        new = [m for m in mutants if not self._is_known(m)]
        say(f"{len(mutants)} errors, {len(mutants) - len(new)} known from before")
        if new:
            claims = self.claim_traces() if self.with_claims else {}
            tasks = []
            for m in new:
                error = (named or {}).get(m.key)
                if error is not None and error.tests:
                    tasks.append(Task(m, (), tuple(Trace(file, (), 5.0) for file in error.tests)))
                    continue
                first = tuple(claims.get(id) or Trace(id, (), 5.0) for id in (error.claims if error else ()))
                others = tuple(trace for trace in _callers(claims, m) if trace not in first)
                tasks.append(Task(m, first + others, self.tests_near(m)))
            count = Counter[str]()

            def done(task: Task, result: Result) -> None:
                count[result.by] += 1
                self._keep(task.mutant, result)
                if result.by == "nobody":
                    say(f"  survives: {task.mutant}  [{len(task.claims)} claims, {len(task.tests)} tests]")
                if sum(count.values()) % 50 == 0:
                    say(f"  {sum(count.values())} of {len(tasks)}: {dict(count)}")

            self._warm()
            run_all(tasks, jobs=self.jobs, limit=self.limit, done=done)
            say(f"  {dict(count)}")
        return [self.known[m.key] for m in mutants if m.key in self.known]

    def power(self, rng: random.Random, *, tries: int = 12, seconds: float = 1e9) -> int:
        """For every claim an error, in what it is about, that changes its verdict; for those that take no longer."""
        power = Power({t.name: t for t in self._latest() if t.seconds <= seconds})
        power.learn(self.known.values())
        self._warm()
        without = power.search(rng, jobs=self.jobs, tries=tries, say=say)
        for id in without:
            reason = NO_SUBJECT.get(id, "")
            say(f"notices no error: {id}" + (f" ({reason})" if reason else ""))
        return int(any(id not in NO_SUBJECT for id in without))

    def _latest(self) -> list[Trace]:
        """What claims call, or called when they were last traced: enough to choose errors, not to know who notices them."""
        found = traces.load(self.folder / "claims.jsonl")
        found |= self._record([id for id in catalog().ids if id not in found])
        return [replace(found[c.id], code=fingerprint(c.module)) for c in catalog() if c.id in found]

    def claim_traces(self) -> dict[str, Trace]:
        """What claims call now."""
        found = traces.load(self.folder / "claims.jsonl")
        current = {claim.id: fingerprint(claim.module) for claim in catalog()}
        found |= self._record([id for id, code in current.items() if id not in found or found[id].code != code])
        return {id: found[id] for id, code in current.items() if id in found and found[id].code == code}

    def _record(self, ids: Sequence[str]) -> dict[str, Trace]:
        if not ids:
            return {}
        say(f"recording what {len(ids)} claims call")
        self._warm()
        found = {}
        for trace in _in_children(_trace_claim, ids, self.jobs):
            traces.keep(self.folder / "claims.jsonl", [trace])
            found[trace.name] = trace
        return found

    def tests_near(self, mutant: Mutant) -> tuple[Trace, ...]:
        """The nearest files of tests, and the examples in the module's own docstrings first."""
        if not self.with_tests:
            return ()
        root = tests_root()
        if self._files is None:
            tests = sorted((root / "tests" / "unit").rglob("test_*.py"))
            examples = [f for f in sorted((root / "src" / "plica").rglob("*.py")) if ">>>" in f.read_text(encoding="utf-8")]
            self._files = [*examples, *tests]
        near = relevant(mutant, self._files)[: self.n_files]
        return tuple(Trace(file.relative_to(root).as_posix(), (), 5.0) for file in near)

    def report(self, page: Path | None) -> None:
        """The table: errors tried, noticed by claims, by tests only, not noticed, with the reason where there is one."""
        from table import summary, write

        found = [entry for entry in self.known.values() if self._is_current(entry)]
        power = shown()
        document = summary(found, power, sorted(set(catalog().ids) - set(power)))
        say(write(document))
        if page is not None:
            page.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")

    def _is_current(self, entry: dict[str, Any]) -> bool:
        mutant = mutant_of(entry)
        try:
            return mutant.key == entry["key"]
        except (KeyError, AssertionError, ModuleNotFoundError):
            return False

    def _is_known(self, mutant: Mutant) -> bool:
        entry = self.known.get(mutant.key)
        if entry is None:
            return False
        return entry["by"] not in UNNOTICED or bool(reason_for(mutant)) or (entry["suite"] == self.suite and not self.retry)

    def _keep(self, mutant: Mutant, result: Result) -> None:
        entry = {"key": mutant.key, **asdict(mutant), **asdict(result), "suite": self.suite}
        if result.by == "nobody" and not self.with_tests:
            entry["by"] = "no claim"
        if result.by == "claim" and result.killed_by in catalog().ids:
            entry["code"] = fingerprint(catalog()[result.killed_by].module)
        self.known[mutant.key] = entry
        _append(self.results, entry)

    def _warm(self) -> None:
        if not self._is_warm:
            start = time.monotonic()
            warm()
            self._is_warm = True
            say(f"imported everything in {time.monotonic() - start:.0f} s")


def _callers(found: dict[str, Trace], mutant: Mutant) -> list[Trace]:
    """Those that call the function; of a constant, or of a function that is new, those that call anything in its module."""
    exact = traces.callers(found, f"{mutant.module}:{mutant.function}")
    if exact:
        return exact
    inside = (t for t in found.values() if any(call.startswith(f"{mutant.module}:") for call in t.calls))
    return sorted(inside, key=lambda t: t.seconds)


def _trace_claim(id: str) -> Trace:
    claim = catalog()[id]
    return traces.record(id, lambda: claim.check("quick"), fingerprint(claim.module))


def _in_children(work: Callable[[str], Any], names: Sequence[str], jobs: int) -> Iterable[Any]:
    """``work`` of each name in a process of its own; those that fail are told and left out."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(jobs, mp_context=get_context("fork"), max_tasks_per_child=None, initializer=_silence) as pool:
        for name, future in [(name, pool.submit(work, name)) for name in names]:
            try:
                yield future.result()
            except Exception as error:
                say(f"  no trace of {name}: {type(error).__name__}: {error}")


def _silence() -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def _suite() -> str:
    """A hash of all claims and tests: what survived is tried again when it changes."""
    root = tests_root()
    digest = hashlib.sha256()
    for folder in (root / "tests" / "unit", root / "src" / "plica" / "claims"):
        for path in sorted(folder.rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def _append(path: Path, entry: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(entry) + "\n")
