"""Run a command on a machine that has much else to do: beside processes that never pause.

    python tools/busy.py --hogs 20 -- make test

The load average is printed when the command ends. The processes end with it, or with this one, however that ends.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

HOG = "import os, sys\nwhile os.getppid() == int(sys.argv[1]):\n    sum(range(100_000))"
"""Told the number of who starts it: that one may be gone before this has begun."""


@contextmanager
def hogs(n: int) -> Iterator[list[int]]:
    """So many processes that take all the processor time they get; their numbers."""
    busy = [subprocess.Popen([sys.executable, "-I", "-S", "-c", HOG, str(os.getpid())]) for _ in range(n)]
    try:
        yield [process.pid for process in busy]
    finally:
        for process in busy:
            process.kill()
            process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hogs", type=int, default=10 * (os.cpu_count() or 1), help="ten for each core")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="what to run, after --")
    options = parser.parse_args()
    command = [word for i, word in enumerate(options.command) if i or word != "--"]
    if not command:
        parser.error("there is no command to run")
    with hogs(options.hogs):
        code = subprocess.run(command, check=False).returncode
        print(f"ended with {code} at load {os.getloadavg()[0]:.1f}, beside {options.hogs} busy processes", flush=True)
    sys.exit(code)


if __name__ == "__main__":
    main()
