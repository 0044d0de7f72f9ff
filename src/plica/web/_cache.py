"""What the server remembers: checkpoints of trainings, so that steps continue and scrubbing replays little; dropped files."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import replace
from pathlib import Path

from plica.web._state import State, fields_of

PER_TRAINING = 200
_VIEW = fields_of("schedule", "picture", "view", "page")
"""What two states of one training may differ in; rates are compared step by step."""


class Checkpoints:
    """Training states by training and step, the least recently used trainings leave first.

    Examples
    --------
    >>> checkpoints = Checkpoints(1000)
    >>> checkpoints.keep(State(step=10), b"ten")
    >>> checkpoints.nearest(State(step=15)), checkpoints.nearest(State(step=5)), checkpoints.nearest(State(step=15, seed=1))
    (b'ten', None, None)
    """

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self.n_bytes = 0
        self._trainings: OrderedDict[str, dict[int, tuple[object, bytes]]] = OrderedDict()

    @staticmethod
    def _key(state: State) -> str:
        defaults = State()
        return replace(state, **{name: getattr(defaults, name) for name in _VIEW}).to_query()

    @staticmethod
    def _rates(state: State, step: int) -> object:
        """The learning rates that the first steps were made with."""
        return tuple(pair for pair in state.rate if pair[0] < step) or ()

    def nearest(self, state: State) -> bytes | None:
        """The latest known checkpoint at or before the state's step, of the same training."""
        known = self._trainings.get(self._key(state), {})
        fitting = [step for step, (rates, _) in known.items() if step <= state.step and rates == self._rates(state, step)]
        if not fitting:
            return None
        self._trainings.move_to_end(self._key(state))
        return known[max(fitting)][1]

    def keep(self, state: State, checkpoint: bytes) -> None:
        """Remember the checkpoint of a state's step."""
        known = self._trainings.setdefault(self._key(state), {})
        self._trainings.move_to_end(self._key(state))
        old = known.pop(state.step, None)
        known[state.step] = (self._rates(state, state.step), checkpoint)
        self.n_bytes += len(checkpoint) - (len(old[1]) if old else 0)
        if len(known) > PER_TRAINING:  # every other one goes; what is missing is replayed from the one before
            for step in sorted(known)[1:-1:2]:
                self.n_bytes -= len(known.pop(step)[1])
        while self.n_bytes > self.max_bytes and self._trainings:
            _, dropped = self._trainings.popitem(last=False)
            self.n_bytes -= sum(len(data) for _, data in dropped.values())


class FileStore:
    """Files that were dropped on the page, named by their digest, in a folder of the server's own."""

    def __init__(self, folder: Path, max_files: int) -> None:
        self.folder, self.max_files = folder, max_files
        self.names: OrderedDict[str, str] = OrderedDict()
        self._pinned: set[str] = set()

    def put(self, content: bytes, name: str, *, pinned: bool = False) -> str:
        """Keep a file; the oldest that were not given on the command line make room."""
        digest = hashlib.sha256(content).hexdigest()
        (self.folder / digest).write_bytes(content)
        self.names[digest] = name
        self.names.move_to_end(digest)
        if pinned:
            self._pinned.add(digest)
        for old in [d for d in self.names if d not in self._pinned][: max(0, len(self.names) - self.max_files)]:
            self.drop(old)
        return digest

    def drop(self, digest: str) -> None:
        self.names.pop(digest, None)
        (self.folder / digest).unlink(missing_ok=True)
