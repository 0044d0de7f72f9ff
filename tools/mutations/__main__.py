"""``python tools/mutations``: put errors into the library, one at a time, and list those that nobody notices.

    python tools/mutations --packages theory --sample 200    errors that are drawn, with a seed
    python tools/mutations --packages theory --each 2        so many in every public function
    python tools/mutations --packages theory --every 4       so many in every function, private ones and constants, too
    python tools/mutations --handmade                        those written by hand
    python tools/mutations --survivors                       those that nobody noticed so far
    python tools/mutations --power                           for every claim an error of its own subject that it notices
    python tools/mutations --report                          the table of what was tried

What was found is kept in a folder, and is not tried again while the code is the same; survivors are, when tests or claims change.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MPLBACKEND", "agg")

from mutants import PACKAGES
from session import Session


def main() -> int:
    parser = argparse.ArgumentParser(prog="mutations", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", nargs="+", default=list(PACKAGES), choices=PACKAGES)
    parser.add_argument("--modules", nargs="+", default=[], help="only modules with one of these words in their names")
    parser.add_argument("--sample", type=int, default=0, help="this many errors from the syntax trees")
    parser.add_argument("--each", type=int, default=0, help="this many errors in every public function")
    parser.add_argument("--every", type=int, default=0, help="this many errors in every function, in different places of it")
    parser.add_argument("--handmade", action="store_true", help="the errors written by hand")
    parser.add_argument("--few", type=int, default=0, help="of those written by hand only this many, with the claims they name")
    parser.add_argument("--power", action="store_true", help="for every claim an error of its own subject")
    parser.add_argument("--report", action="store_true", help="print the table of what was tried")
    parser.add_argument("--page", type=Path, help="write the table as JSON for the documentation")
    parser.add_argument("--no-tests", action="store_true", help="claims only")
    parser.add_argument("--files", type=int, default=6, help="at most so many files of tests for one error, the nearest first")
    parser.add_argument("--seconds", type=float, default=1e9, help="power of claims that take at most so many processor seconds")
    parser.add_argument("--no-claims", action="store_true", help="tests only")
    parser.add_argument("--survivors", action="store_true", help="those that nobody noticed so far, once more")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=float, default=40.0, help="processor seconds of claims for one error")
    parser.add_argument("--folder", type=Path, default=Path("build/mutations"), help="where traces and results are kept")
    options = parser.parse_args()
    session = Session(
        options.folder,
        jobs=options.jobs,
        limit=options.limit,
        tests=not options.no_tests,
        claims=not options.no_claims,
        n_files=options.files,
    )
    rng = random.Random(options.seed)
    code = 0
    if options.few:
        code |= session.few(options.few, rng)
    if options.handmade:
        code |= session.handmade()
    if options.sample:
        session.sample(options.sample, tuple(options.packages), options.modules, rng)
    if options.each:
        session.each(options.each, tuple(options.packages), options.modules, rng)
    if options.every:
        session.every(options.every, tuple(options.packages), options.modules, rng)
    if options.survivors:
        session.survivors(tuple(options.packages))
    if options.power:
        code |= session.power(rng, seconds=options.seconds)
    if options.report or options.page:
        session.report(options.page)
    return code


if __name__ == "__main__":
    sys.exit(main())
