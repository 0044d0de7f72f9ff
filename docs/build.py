"""Write the documentation as a static site.

    python docs/build.py [--out docs/_site] [--check] [--store FOLDER] [--no-run]

The gallery is executed and its output shown; with ``--check`` every claim is run too (scale quick, a few minutes), with
``--no-run`` nothing is.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from plica_docs.site import Site


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "_site")
    parser.add_argument("--check", action="store_true", help="run the claims and show what they measure")
    parser.add_argument("--store", type=Path, help="keep what claims measured here; what did not change is not run again")
    parser.add_argument("--no-run", action="store_true", help="leave the gallery's output and figures out")
    options = parser.parse_args()
    Site(options.out, run=not options.no_run, check=options.check, store=options.store, say=print).build()


if __name__ == "__main__":
    main()
