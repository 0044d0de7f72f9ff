"""Big Bird's mask: neighbors, global blocks, and random ones drawn block by block."""

from __future__ import annotations

from functools import cache

import torch
from torch import Tensor

from plica.errors import InvalidInput
from plica.models.attention._masks import Mask, Span, at_least, full
from plica.models.attention._masks import causal as past_only


def big_bird(size: int, *, radius: int = 1, n_global: int = 1, n_random: int = 1, seed: int = 0, causal: bool = False) -> Mask:
    """Big Bird: blocks of ``size`` positions see ``radius`` neighbors on each side, global and random blocks.

    The first ``n_global`` blocks see all and are seen by all; every block sees ``n_random`` others besides, where there are so
    many, drawn by ``seed`` and the number of the block. With ``causal``, or ``& causal()``, they are drawn from the past alone,
    so that a longer text changes nothing at its beginning. In place of full attention it is exact with all blocks, and close
    when the hidden blocks would get little weight; ``Attend.error_against_exact`` measures it.

    Examples
    --------
    >>> big_bird(1, radius=0, causal=True).matrix(5, 5).int()
    tensor([[1, 0, 0, 0, 0],
            [1, 1, 0, 0, 0],
            [1, 1, 1, 0, 0],
            [1, 1, 0, 1, 0],
            [1, 0, 1, 0, 1]], dtype=torch.int32)
    """
    at_least(size, 1, "size")
    for name, value in (("radius", radius), ("n_global", n_global), ("n_random", n_random), ("seed", seed)):
        at_least(value, 0, name)

    @cache  # what was drawn once can be had while a graph is exported, where nothing can be drawn
    def drawn(a: int, n_blocks: int) -> tuple[int, ...]:
        """The random blocks of block a."""
        before = range(n_global, min(a - radius, n_blocks))
        others = [*before] if causal else [*before, *range(max(a + radius + 1, n_global), n_blocks)]
        if torch.compiler.is_compiling():
            raise InvalidInput(
                f"Big Bird's random blocks of {n_blocks} are not drawn yet, and cannot be in a graph.",
                hint="call the model once on inputs of this length, then export it",
            )
        generator = torch.Generator("cpu").manual_seed(1_000_003 * seed + a)
        return tuple(others[p] for p in torch.randperm(len(others), generator=generator, device="cpu")[:n_random].tolist())

    def rule(i: Tensor, j: Tensor, span: Span) -> Tensor:
        if not all(isinstance(number, int) for number in span):
            raise InvalidInput("Big Bird draws blocks for a given length.", hint="export it with fixed lengths, not a Dim")
        n_blocks = -(-span.n_keys // size)
        a, b = i // size, j // size
        first, last = span.start // size, -(-span.stop // size)
        pairs = [(block - first, other) for block in range(first, last) for other in (drawn(block, n_blocks) if n_random else ())]
        random = torch.zeros(last - first, n_blocks, dtype=torch.bool, device=i.device)
        if pairs:
            random = random.index_put(torch.tensor(pairs, device=i.device).unbind(1), torch.tensor(True, device=i.device))
        seen = ((a - b).abs() <= radius) | (a < n_global) | (b < n_global) | random[a - first, b]
        return seen & (j <= i) if causal else seen

    name = f"big bird {size}{', causal' if causal else ''}"
    if causal:
        return Mask(name, rule, exact=past_only())
    past = big_bird(size, radius=radius, n_global=n_global, n_random=n_random, seed=seed, causal=True)
    return Mask(name, rule, exact=full(), past=past)
