"""The order in which a seed deals points out, and the seeds of single steps."""

from __future__ import annotations

import numpy as np

from plica._types import Array


def batches(n_points: int, size: int, *, seed: int, epoch: int, at_least: int = 1) -> list[Array]:
    """The rows of each batch of an epoch: a permutation that depends on the seed and the epoch alone.

    A last batch with fewer than ``at_least`` rows joins the one before: batch normalization cannot do with one.

    Examples
    --------
    >>> [len(rows) for rows in batches(7, 3, seed=0, epoch=1)]
    [3, 3, 1]
    >>> [len(rows) for rows in batches(7, 3, seed=0, epoch=1, at_least=2)]
    [3, 4]
    """
    order = np.random.default_rng((seed, epoch)).permutation(n_points)
    parts = np.split(order, range(size, n_points, size))
    if len(parts) > 1 and len(parts[-1]) < at_least:
        last = parts.pop()
        parts[-1] = np.concatenate([parts[-1], last])
    return parts


class BatchSampler:
    """The rows of any step: the batches of one epoch after the other.

    Examples
    --------
    >>> sampler = BatchSampler(7, 3, seed=0)
    >>> sampler.per_epoch, len(sampler.rows(4)), sorted(np.concatenate([sampler.rows(k) for k in (3, 4, 5)]).tolist())
    (3, 3, [0, 1, 2, 3, 4, 5, 6])
    """

    def __init__(self, n_points: int, size: int, *, seed: int, at_least: int = 1) -> None:
        self.n_points, self.size, self.seed, self.at_least = n_points, size, seed, at_least
        self._epoch, self._rows = 0, self._batches(0)
        self.per_epoch = len(self._rows)

    def _batches(self, epoch: int) -> list[Array]:
        return batches(self.n_points, self.size, seed=self.seed, epoch=epoch, at_least=self.at_least)

    def rows(self, step: int) -> Array:
        """The rows of a step, counted from 0."""
        epoch, place = divmod(step, self.per_epoch)
        if epoch != self._epoch:
            self._epoch, self._rows = epoch, self._batches(epoch)
        return self._rows[place]


def step_seed(seed: int, step: int) -> int:
    """The seed of a step's random numbers (dropout), so that a run can go on from any step."""
    small = 0 <= seed < 2**32 and 0 <= step < 2**32
    entropy = np.array((seed, step), dtype=np.uint32) if small else (seed, step)  # the same words, in a third of the time
    low, high = np.random.SeedSequence(entropy).generate_state(2).tolist()
    return (high << 32 | low) >> 1
