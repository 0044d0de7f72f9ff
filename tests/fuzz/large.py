"""Large files for one reader, in a process that may take a gigabyte: python large.py READER FOLDER.

Prints, for each file, what it is, the processor time that reading took, and what went wrong, if anything.
"""

import json
import resource
import sys
import time
import traceback
from contextlib import suppress
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent))

from readers import READERS

from plica.errors import PlicaError

N_BYTES = 16 * 2**20
ROOM = 2**30
PIECES = {
    "open lists": b"(",
    "lists": b"()",
    "brackets": b"[",
    "objects": b'{"a":',
    "entries": b'{"a": 1, "b": [1, 2]},',
    "numbers": b"1.5,",
    "lines": b"1,2\n",
    "words": b"word ",
    "one word": b"w",
    "zeros": b"\0",
    "ones": b"\xff",
    "tags": b"\x0a\x02\x08\x01",
}


def bounds(n):
    """A property of an image: as many inputs with their ends as fit."""
    lines = [f"(declare-const X_{i} Real)\n(assert (<= X_{i} 0.{i:06d}1))\n(assert (>= X_{i} -0.{i:06d}2))\n" for i in range(n)]
    return ("".join(lines) + "(declare-const Y_0 Real)(assert (or (<= Y_0 1) (>= Y_0 2)))").encode()


def property_of(asserted, declared="(declare-const X_0 Real)(declare-const Y_0 Real)(assert (<= X_0 1))(assert (>= X_0 0))"):
    return (declared + asserted).encode()


PROPERTIES = {
    "ends of an image": lambda: bounds(150_000),
    "ends of one input": lambda: property_of("(assert(<= X_0 1))" * 900_000),
    "a long sum": lambda: property_of(f"(assert (<= (+ {'Y_0 ' * 4_000_000}) 1))"),
    "alternatives": lambda: property_of(f"(assert (or {'(<= Y_0 1)' * 1_500_000}))"),
    "few alternatives of much": lambda: property_of(f"(assert (or {('(and' + '(<= Y_0 1)(>= X_0 0.5)' * 5 + ')') * 19_000}))"),
    "alternatives multiplied": lambda: property_of(f"(assert (or {'(<= Y_0 1)' * 141}))" * 2 + "(assert (<= Y_0 3))" * 90),
    "boxes of an image": lambda: bounds(150_000) + b"(assert (or" + b"".join(b"(<= X_%d 0.01)" % i for i in range(9000)) + b"))",
    "large numbers": lambda: property_of("(assert(<= X_0 1e999))" * 700_000),
}


def files(name, seeds):
    yield from ((what, (piece * (N_BYTES // len(piece)))) for what, piece in PIECES.items())
    for i, seed in enumerate(seeds):
        middle = len(seed) // 2
        yield f"seed {i} repeated", seed * (N_BYTES // len(seed))
        yield f"seed {i} and zeros", seed + bytes(N_BYTES)
        yield f"seed {i} with its middle repeated", seed[:middle] + seed[middle : middle + 40] * (N_BYTES // 40) + seed[middle:]
    yield "anything", Random(0).randbytes(N_BYTES)
    if name == "vnnlib":
        yield from ((what, make()) for what, make in PROPERTIES.items())


def main():
    name, folder = sys.argv[1], Path(sys.argv[2])
    reader = READERS[name]
    seeds = reader.seeds(folder)
    path = folder / f"case{reader.suffix}"
    for seed in seeds:  # imports, and what is compiled on first use
        path.write_bytes(seed)
        with suppress(PlicaError):
            reader.read(path)
    began = time.process_time()
    sum(i * i for i in range(3_000_000))
    unit = time.process_time() - began  # what three million products take: a measure of this machine
    made = list(files(name, seeds))
    now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + ROOM, now + ROOM))
    for what, content in made:
        path.write_bytes(content)
        began, trouble = time.process_time(), ""
        try:
            reader.read(path)
        except PlicaError:
            pass
        except BaseException:
            trouble = traceback.format_exc(limit=-3)
        print(json.dumps({"file": what, "seconds": time.process_time() - began, "unit": unit, "trouble": trouble}), flush=True)


if __name__ == "__main__":
    main()
