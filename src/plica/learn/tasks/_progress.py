"""How far a training is and how long it will still take, at the pace of this run."""

from __future__ import annotations

from dataclasses import dataclass, field

from plica.learn._history import Row

BETWEEN_S = 2.0  # seconds between two lines


@dataclass
class Progress:
    """Turns rows of a history into lines, now and then.

    Examples
    --------
    >>> progress = Progress(n_steps=100)
    >>> progress.line({"step": 40, "loss": 1.5}, 10.0), progress.line({"step": 41, "loss": 1.4}, 10.1)
    ('', '')
    >>> progress.line({"step": 60, "loss": 1.0}, 14.0)  # 20 steps in 4 seconds, 40 to go
    'step 60 of 100  loss 1  about 8 s to go'
    """

    n_steps: int = 0
    _first: tuple[int, float] | None = field(default=None, repr=False)
    _last_s: float = field(default=0.0, repr=False)

    def line(self, row: Row, now_s: float) -> str:
        """A line, or nothing if the last one was just now."""
        step = int(row["step"])
        if self._first is None:
            self._first, self._last_s = (step, now_s), now_s
            return ""
        if now_s - self._last_s < BETWEEN_S or row.get("loss") is None:
            return ""
        self._last_s = now_s
        first, since = self._first
        shown = f"step {step:,}" + (f" of {self.n_steps:,}" if self.n_steps else "") + f"  loss {row['loss']:.4g}"
        if self.n_steps and step > first:
            shown += f"  about {(now_s - since) / (step - first) * (self.n_steps - step):,.0f} s to go"
        return shown
