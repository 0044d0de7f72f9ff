"""Try many networks against the rational oracles, in parts, with a record that a later run continues.

    python tools/try_networks.py --networks 10000
    python tools/try_networks.py --minutes 20

New seeds each time. Every family of plica.testing gets the same processor time, that which composes the others fifty times as
much; first each gets a thousand networks. Cells, patterns, corners, regions and pieces of a line are compared with fractions
for every network, maps and derived floats for those of every third block. The record says how many networks were tried, with how
many cells, up to which seed of each family, and what failed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from plica.testing import FAMILIES, check_engine

RECORD = Path(__file__).parent.parent / "tests" / "conformance" / "tried.json"
CELLS = ("reference", "line")
"""What is asked of every network; every third block is asked for FLOATS as well."""
FLOATS = ("maps", "floats")
BLOCK = 20
"""Networks of a family between two looks at the clock."""
SIZES = ("tiny",) * 9 + ("small",)
"""What the blocks of a family are made of, in turn."""
SHARES = {"composed": 50.0}
"""Processor time of a family, in shares; one unless it is named here."""
ENOUGH = 1_000
"""Networks of every family before time is what is shared."""


@dataclass
class Record:
    """What was tried: ``next_seed`` and processor ``seconds`` of each family, and the sums over all of them."""

    networks: int = 0
    cells: int = 0
    exact_fallbacks: int = 0
    next_seed: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    @staticmethod
    def read(path: Path) -> Record:
        return Record(**json.loads(path.read_text(encoding="utf-8"))) if path.exists() else Record()

    def write(self, path: Path) -> None:
        partial = path.with_suffix(f".{os.getpid()}.part")
        partial.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")
        partial.replace(path)


def attempt(record: Record, name: str) -> None:
    """The next block of a family."""
    seed = record.next_seed.get(name, FIRST_SEED)
    block, began = seed // BLOCK, time.process_time()
    invariants = CELLS + FLOATS if block % 3 == 0 else CELLS
    try:
        report = check_engine(families=[name], invariants=invariants, n_networks=BLOCK, seed=seed, size=SIZES[block % len(SIZES)])
        record.cells += report.n_cells
        record.exact_fallbacks += report.exact_fallbacks
    except AssertionError as error:
        record.failures.append(str(error)[:500])
    record.networks += BLOCK
    record.next_seed[name] = seed + BLOCK
    record.seconds[name] = round(record.seconds.get(name, 0.0) + time.process_time() - began, 3)


def turn(record: Record, name: str) -> tuple[float, float]:
    """Families with the smallest go next: those with few networks, then those that had little of their time."""
    tried = record.next_seed.get(name, FIRST_SEED) - FIRST_SEED
    return min(tried, ENOUGH), record.seconds.get(name, 0.0) / SHARES.get(name, 1.0)


FIRST_SEED = 10_000
"""Lower seeds belong to the tests."""


def try_networks(path: Path, *, networks: int, seconds: float = float("inf"), families: list[str] | None = None) -> Record:
    """Continue a record until so many more networks were tried or the processor time is over."""
    record = Record.read(path)
    names = list(FAMILIES) if families is None else families
    goal, end = record.networks + networks, time.process_time() + seconds
    written = time.monotonic()
    while record.networks < goal and time.process_time() < end:
        attempt(record, min(names, key=lambda name: turn(record, name)))
        if time.monotonic() - written > 2:
            record.write(path)
            written = time.monotonic()
    record.write(path)
    return record


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--networks", type=int, default=300_000, help="how many more to try")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="processor time to spend at most")
    parser.add_argument("--record", type=Path, default=RECORD)
    options = parser.parse_args()
    record = try_networks(options.record, networks=options.networks, seconds=60 * options.minutes)
    print(f"{record.networks:,} networks with {record.cells:,} cells tried so far, {len(record.failures)} failures")
    for failure in record.failures:
        print(failure)
    sys.exit(1 if record.failures else 0)


if __name__ == "__main__":
    main()
