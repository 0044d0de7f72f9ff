"""What one client, one job and the whole server may use."""

from __future__ import annotations

from dataclasses import dataclass

MAX_DEPTH = 6
MAX_WIDTH = 64
MAX_STEPS = 100_000
MAX_POINTS = 1_000
MAX_QUERY = 4_000
"""Characters of a state in its URL form."""


@dataclass(frozen=True)
class Limits:
    """Limits of a server; the page shows those that a user can meet.

    Examples
    --------
    >>> Limits().max_cells
    200000
    """

    max_cells: int = 200_000
    max_seconds: float = 10.0
    """Wall time of one job; after it the worker is told to stop, and after a second of processor time it is stopped."""
    max_job_bytes: int = 2**30
    """Memory of one job beyond what an idle worker has."""
    max_body: int = 2 * 2**20
    """Bytes of a file dropped on the page."""
    max_message: int = 2**16
    """Bytes of one message from the page."""
    max_sockets: int = 128
    max_queue: int = 64
    """Jobs that wait; the next one is told to come back later."""
    max_answer_s: float = 0.25
    """A picture that would take longer, by what jobs took lately, is told to come back later; other jobs only if as many wait
    already as there are workers."""
    n_workers: int = 2
    cache_bytes: int = 64 * 2**20
    """Training states kept for scrubbing, all clients together."""
    max_files: int = 32
    """Files dropped on the page that are kept, the oldest go first."""
