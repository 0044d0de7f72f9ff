"""Keys and values that are kept while a sequence is generated, or between segments."""

from __future__ import annotations

from torch import Tensor, cat

from plica.errors import InvalidInput


class Cache:
    """Keys and values of the tokens so far, for one attention layer.

    Parameters
    ----------
    fixed
        Filled once and then read only: the memory that a decoder looks at.
    """

    def __init__(self, *, fixed: bool = False) -> None:
        self.fixed = fixed
        self.keys: Tensor | None = None
        self.values: Tensor | None = None

    def __len__(self) -> int:
        """The number of tokens that are kept."""
        return 0 if self.keys is None else self.keys.shape[-2]

    def extend(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """All keys and values, the new ones (batch, heads, n, d) at the end."""
        if self.keys is not None and self.values is not None:
            if self.fixed:
                raise InvalidInput("this cache is fixed and already filled.")
            k, v = cat([self.keys, k], -2), cat([self.values, v], -2)
        self.keys, self.values = k, v
        return k, v

    def select(self, rows: Tensor) -> None:
        """Keep these rows of the batch, in this order: what beam search does after each step."""
        if self.keys is not None and self.values is not None:
            self.keys, self.values = self.keys[rows], self.values[rows]

    def forget(self, n_kept: int) -> None:
        """Keep only the newest ``n_kept`` tokens. Positions then count from the oldest kept one."""
        if self.keys is not None and self.values is not None:
            start = max(len(self) - n_kept, 0)
            self.keys, self.values = self.keys[..., start:, :], self.values[..., start:, :]
