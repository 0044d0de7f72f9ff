"""Sparse masks in tiles: only the tiles of the score matrix that hold visible pairs are computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad, scaled_dot_product_attention

from plica.models.attention._masks import Mask


@dataclass(frozen=True)
class Group:
    """Rows of tiles with the same number of visible tiles (rounded up), computed in one batch."""

    rows: Tensor  # (r,) numbers of rows of tiles
    columns: Tensor  # (r, c) their visible tiles; repeated ones are hidden
    visible: Tensor  # (r, size, c * size)


@dataclass(frozen=True)
class Tiling:
    """The visible tiles of a mask, for one length."""

    size: int
    n_rows: int
    n_columns: int
    groups: tuple[Group, ...]

    @property
    def density(self) -> float:
        """Computed entries divided by all entries."""
        return sum(g.columns.numel() for g in self.groups) / (self.n_rows * self.n_columns)


def tiling(mask: Mask, n_queries: int, n_keys: int, *, size: int, offset: int = 0, device: Any = None) -> Tiling:
    """Find the visible tiles, one row of tiles at a time: memory stays linear in the length."""
    n_rows, n_columns = -(-n_queries // size), -(-n_keys // size)
    by_count: dict[int, list[tuple[int, Tensor, Tensor]]] = {}
    for row in range(n_rows):
        stop = min((row + 1) * size, n_queries)
        seen = mask.rows(offset + row * size, offset + stop, n_keys, device=device)
        seen = pad(seen, (0, n_columns * size - n_keys, 0, size - len(seen)))
        tiles = seen.view(size, n_columns, size)
        columns = tiles.any(0).any(-1).nonzero().flatten()
        if not len(columns):
            continue
        count = min(_rounded(len(columns)), n_columns)
        visible = pad(tiles[:, columns].reshape(size, -1), (0, (count - len(columns)) * size))
        columns = torch.cat([columns, columns[-1:].expand(count - len(columns))])
        by_count.setdefault(count, []).append((row, columns, visible))
    groups = tuple(
        Group(
            torch.tensor([row for row, _, _ in members], device=device),
            torch.stack([columns for _, columns, _ in members]),
            torch.stack([visible for _, _, visible in members]),
        )
        for members in by_count.values()
    )
    return Tiling(size, n_rows, n_columns, groups)


def _rounded(count: int) -> int:
    """Up to a number with three binary digits, so that there are few groups and little waste."""
    step = 1 << max(0, (count - 1).bit_length() - 3)
    return -(-count // step) * step


def tiled_attention(q: Tensor, k: Tensor, v: Tensor, tiles: Tiling, *, scale: float) -> Tensor:
    """Softmax attention of (B, H, L, d) over the visible tiles, with the fused kernel on gathered keys."""
    B, H, L, d = q.shape
    size = tiles.size

    def cut(x: Tensor, n: int) -> Tensor:
        return pad(x, (0, 0, 0, n * size - x.shape[-2])).view(B, H, n, size, x.shape[-1])

    queries, keys, values = cut(q, tiles.n_rows), cut(k, tiles.n_columns), cut(v, tiles.n_columns)
    out = q.new_zeros(B, H, tiles.n_rows, size, v.shape[-1])
    for group in tiles.groups:
        r, c = group.columns.shape
        some = queries[:, :, group.rows].reshape(B * H, r, size, d)
        near = keys[:, :, group.columns].reshape(B * H, r, c * size, d)
        seen = values[:, :, group.columns].reshape(B * H, r, c * size, v.shape[-1])
        mask = group.visible[None]  # four axes: the kernel takes no others
        part = scaled_dot_product_attention(some, near, seen, attn_mask=mask, scale=scale)
        out = out.index_copy(2, group.rows, part.view(B, H, r, size, -1))
    return out.view(B, H, tiles.n_rows * size, -1)[:, :, :L]
