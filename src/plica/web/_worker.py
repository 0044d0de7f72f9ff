"""A worker process: jobs come in on stdin, replies go out on stdout, one after the other.

It never sees the network, is limited in memory, and can be interrupted (SIGINT) or killed at any time without loss.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Any, BinaryIO

from plica._parent import leave_with_parent
from plica.errors import BudgetExceeded, PlicaError
from plica.web._frames import pack
from plica.web._limits import Limits


class Cancelled(Exception):
    """The client went away or asked for something else."""


IMPORT = "<frozen importlib._bootstrap>"
COMPILERS = (f"{os.sep}numba{os.sep}", f"{os.sep}llvmlite{os.sep}")
SOON_S = 0.05


class _Worker:
    """Whether a job is being worked on; an interruption in between is not meant for the next job."""

    busy = False

    def interrupt(self, number: int, frame: FrameType | None) -> None:
        """End the job; while it imports a module or compiles a kernel, a moment later.

        Half of a module would fail all jobs to come; what is raised inside of the compiler is lost, with what it made.
        """
        if self.busy and _is_half_done(frame):
            signal.setitimer(signal.ITIMER_REAL, SOON_S)
        elif self.busy:
            raise Cancelled

    def rest(self) -> None:
        """No job any more, and nothing to be interrupted."""
        self.busy = False
        signal.setitimer(signal.ITIMER_REAL, 0.0)


def _is_half_done(frame: FrameType | None) -> bool:
    """Whether a module is being imported or a kernel compiled; kernels that run have no frames."""
    while frame is not None:
        name = frame.f_code.co_filename
        if name == IMPORT or any(part in name for part in COMPILERS):
            return True
        frame = frame.f_back
    return False


def main() -> None:
    """Serve jobs until stdin closes.

    Arguments: the limits as JSON, the folder of dropped files, the server's process, and whether to warm up for all pictures.
    """
    leave_with_parent(int(sys.argv[3]))
    limits = Limits(**json.loads(sys.argv[1]))
    folder = Path(sys.argv[2])
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing that prints can break the replies
    worker = _Worker()
    for number in (signal.SIGINT, signal.SIGALRM):
        signal.signal(number, worker.interrupt)

    from plica.web._jobs import Jobs

    jobs = Jobs(limits, folder)
    jobs.warm_up(is_thorough=sys.argv[4] == "thorough")
    _limit_memory(limits.max_job_bytes)
    write_frame(out, pack({"ready": True}))
    write_frame(out, b"")
    while (message := read_frame(sys.stdin.buffer)) is not None:
        try:
            worker.busy = True
            reply, kept = _answer(jobs, message)
            worker.rest()
        except Cancelled:
            worker.rest()
            reply, kept = pack({"ok": False, "status": 499, "message": "cancelled.", "hint": ""}), b""
        write_frame(out, reply)
        write_frame(out, kept)


def _answer(jobs: Any, message: bytes) -> tuple[bytes, bytes]:
    try:
        reply: tuple[bytes, bytes] = jobs.run(message)
        return reply
    except PlicaError as error:
        return refusal(error), b""
    except MemoryError:
        return refusal(BudgetExceeded("the computation needs more memory than a job may use.", hint="use a smaller network")), b""
    except Cancelled:
        raise
    except Exception as error:  # a bug of ours must not end the worker
        sys.stderr.write(f"plica explore: {type(error).__name__}: {error}\n")
        return refusal(PlicaError(f"internal error: {type(error).__name__}.", hint="this is a bug in Plica"), status=500), b""


def refusal(error: PlicaError, *, status: int = 422, **facts: Any) -> bytes:
    """The reply that says an error, in the words of the command line."""
    return pack({"ok": False, "status": status, "message": error.message, "hint": error.hint, **facts})


def _limit_memory(n_bytes: int) -> None:
    """Allow so much more than is in use now."""
    with open("/proc/self/statm", encoding="ascii") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + n_bytes, now + n_bytes))


def read_frame(stream: BinaryIO) -> bytes | None:
    """Eight bytes of length and that many bytes, or None at the end."""
    head = stream.read(8)
    if len(head) < 8:
        return None
    size = int.from_bytes(head, "little")
    data = stream.read(size)
    return data if len(data) == size else None


def write_frame(stream: BinaryIO, data: bytes) -> None:
    stream.write(len(data).to_bytes(8, "little"))
    stream.write(data)
    stream.flush()


if __name__ == "__main__":
    main()
