"""Masks: how many pairs they show, how they combine, and the other polarity."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from plica.errors import InvalidInput
from plica.models import attention as a


@pytest.mark.parametrize("L", [1, 2, 7, 20])
def test_pairs_have_their_closed_forms(L: int) -> None:
    assert a.full().n_pairs(L) == L * L
    assert a.causal().n_pairs(L) == L * (L + 1) // 2
    for w in range(min(L, 5)):
        assert a.window(w).n_pairs(L) == L * (2 * w + 1) - w * (w + 1)
        with_self = w + 1
        assert a.window(w, causal=True).n_pairs(L) == with_self * L - with_self * (with_self - 1) // 2
    assert a.window(L).n_pairs(L) == L * L
    assert a.block(1).n_pairs(L) == L and a.block(L).n_pairs(L) == L * L
    assert a.dilated(L, step=1).n_pairs(L) == L * L


def test_a_dilated_window_skips_positions() -> None:
    assert a.dilated(1, step=3).matrix(7, 7)[3].tolist() == [True, False, False, True, False, False, True]
    assert a.dilated(1, step=3, causal=True).matrix(7, 7)[3].tolist() == [True, False, False, True, False, False, False]


def test_big_bird_shows_neighbors_globals_and_random_blocks() -> None:
    mask = a.big_bird(2, radius=1, n_global=1, n_random=2, seed=5).matrix(20, 20)
    blocks = mask[::2, ::2]
    assert torch.equal(mask, blocks.repeat_interleave(2, 0).repeat_interleave(2, 1))
    assert bool(blocks[0].all()) and bool(blocks[:, 0].all())
    i = torch.arange(10)
    near = (i[:, None] - i).abs() <= 1
    assert bool(blocks[near].all())
    assert int(blocks[1:].sum(1).max()) <= 3 + 1 + 2
    assert torch.equal(mask, a.big_bird(2, radius=1, n_global=1, n_random=2, seed=5).matrix(20, 20))
    assert not torch.equal(mask, a.big_bird(2, radius=1, n_global=1, n_random=2, seed=6).matrix(20, 20))
    assert bool(a.big_bird(2, radius=10, n_global=0, n_random=0).matrix(20, 20).all())


@pytest.mark.parametrize("shift", [0, 1, 2, 3])
def test_shifted_windows_are_those_of_a_rolled_grid_without_the_wrapped_pairs(shift: int) -> None:
    height, width, size = 6, 8, 4  # a shift of half a window looks the same in both directions, others do not
    grid = torch.arange(height * width).view(height, width)
    seen = torch.zeros(height * width, height * width, dtype=torch.bool)
    for top in range(-size + shift, height, size):
        for left in range(-size + shift, width, size):
            inside = grid[max(top, 0) : top + size, max(left, 0) : left + size].flatten()
            seen[inside[:, None], inside[None, :]] = True
    mask = a.shifted_windows((height, width), size=size, shift=shift)
    assert torch.equal(mask.matrix(48, 48), seen)


def test_the_identity_order_is_causal_and_any_order_is_a_relabeled_causal_mask() -> None:
    assert torch.equal(a.order(range(6)).matrix(6, 6), a.causal().matrix(6, 6))
    sequence = torch.randperm(6, generator=torch.Generator().manual_seed(2))
    found = a.order(sequence.tolist()).matrix(6, 6)
    assert torch.equal(found[sequence][:, sequence], a.causal().matrix(6, 6))
    strict = a.order(sequence.tolist(), strict=True).matrix(6, 6)
    assert torch.equal(strict | torch.eye(6, dtype=torch.bool), found) and not bool(strict.diagonal().any())


@given(st.integers(1, 12), st.integers(0, 4), st.integers(1, 4))
@settings(max_examples=30, deadline=None)
def test_combinations_follow_boolean_algebra(n: int, radius: int, size: int) -> None:
    p, q = a.window(radius), a.block(size)
    P, Q = p.matrix(n, n), q.matrix(n, n)
    assert torch.equal((p & q).matrix(n, n), P & Q)
    assert torch.equal((p | q).matrix(n, n), P | Q)
    assert torch.equal((~(p & q)).matrix(n, n), ~P | ~Q)
    short = a.padding([n // 2, n], n)
    seen = short.matrix(n, n)
    assert torch.equal((p & short).matrix(n, n), P & seen)
    assert torch.equal((~(p | short)).matrix(n, n), ~(P | seen))


def test_rows_at_an_offset_are_rows_of_the_whole_matrix() -> None:
    for mask in (a.causal(), a.window(2), a.big_bird(2), a.order([2, 0, 3, 1, 4, 5]), a.explicit(torch.rand(6, 6) > 0.5)):
        assert torch.equal(mask.matrix(2, 6, offset=3), mask.matrix(6, 6)[3:5])


def test_the_other_polarity_goes_and_comes_back() -> None:
    mask = a.causal() & a.window(2)
    hidden = mask.hidden(5, 5)
    assert torch.equal(hidden, ~mask.matrix(5, 5))
    assert torch.equal(a.from_torch_mask(hidden).matrix(5, 5), mask.matrix(5, 5))
    additive = torch.zeros(5, 5).masked_fill(hidden, -torch.inf)
    assert torch.equal(a.from_torch_mask(additive).matrix(5, 5), mask.matrix(5, 5))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: a.explicit(torch.zeros(3, 3)), "boolean"),
        (lambda: a.explicit(torch.ones(2, 3, 3, dtype=torch.bool)), "shape"),
        (lambda: a.from_torch_mask(torch.full((2, 2), -1e9)), "bias"),
        (lambda: a.order([0, 0, 1]), "each of"),
        (lambda: a.graph(torch.ones(2, 3)), "square"),
        (lambda: a.padding([4], 3), "between 0 and 3"),
        (lambda: a.padding([1.5], 3), "integers"),
        (lambda: a.window(-1), "at least 0"),
        (lambda: a.block(0), "at least 1"),
        (lambda: a.shifted_windows((4, 4), size=2, shift=2), "shift"),
        (lambda: a.graph(torch.eye(3)).matrix(4, 4), "for 3 keys"),
        (lambda: a.graph(torch.eye(3)) & a.order([0, 1]), "2 and 3 keys"),
        (lambda: a.Attend(mask="diagonal"), "unknown mask"),
        (lambda: a.explicit(torch.ones(3, 5, dtype=torch.bool)).matrix(4, 5), "3 rows"),
    ],
)
def test_bad_masks_get_a_clear_error(call, words) -> None:
    with pytest.raises(InvalidInput, match=words):
        call()


CAUSAL = {
    "causal": a.causal(),
    "window": a.window(3) & a.causal(),
    "causal window": a.window(3, causal=True),
    "dilated": a.dilated(2, step=3, causal=True),
    "block": a.block(8) & a.causal(),
    "big bird": a.big_bird(8, causal=True),
    "big bird, restricted": a.big_bird(8, n_random=2, seed=5) & a.causal(),
    "restricted, big bird": a.causal() & a.big_bird(4, n_global=0),
    "big bird or window, restricted": (a.big_bird(4, radius=0) | a.window(9)) & a.causal(),
    "big bird of blocks, restricted": (a.block(32) & a.big_bird(2)) & a.causal(),
}


@pytest.mark.parametrize("mask", CAUSAL.values(), ids=CAUSAL)
@pytest.mark.parametrize("n", [1, 7, 50, 64])
def test_a_longer_text_changes_no_causal_mask_at_its_beginning(mask: a.Mask, n: int) -> None:
    longer = mask.matrix(90, 90)
    assert torch.equal(mask.matrix(n, n), longer[:n, :n])
    assert torch.equal(mask.matrix(1, n, offset=n - 1), longer[n - 1 : n, :n])
    assert not bool(longer.triu(1).any())


@pytest.mark.parametrize("causal", [False, True])
def test_every_block_of_big_bird_sees_its_random_others_besides_window_and_globals(causal: bool) -> None:
    radius, n_global, n_random, n_blocks = 1, 2, 3, 20
    blocks = a.big_bird(1, radius=radius, n_global=n_global, n_random=n_random, causal=causal).matrix(n_blocks, n_blocks)
    for i in range(n_global, n_blocks):
        known = {j for j in range(n_blocks) if abs(i - j) <= radius or j < n_global}
        seen = set(blocks[i].nonzero().flatten().tolist())
        others = {j for j in range(n_blocks) if j not in known and (j < i or not causal)}
        assert len(seen - known) == min(n_random, len(others)) and seen - known <= others


def test_big_bird_draws_other_blocks_for_another_seed() -> None:
    first, second = (a.big_bird(2, seed=s).matrix(64, 64) for s in (0, 1))
    assert not torch.equal(first, second) and first.sum() == second.sum()


def test_a_block_sees_itself_and_nothing_else() -> None:
    assert a.block(2).matrix(5, 5).int().tolist() == [
        [1, 1, 0, 0, 0], [1, 1, 0, 0, 0], [0, 0, 1, 1, 0], [0, 0, 1, 1, 0], [0, 0, 0, 0, 1],
    ]  # fmt: skip


def test_a_node_sees_its_neighbors_and_itself_unless_told_otherwise() -> None:
    path = torch.tensor([[0, 1, 0], [1, 0, 2], [0, 1, 0]])
    assert a.graph(path).matrix(3, 3).int().tolist() == [[1, 1, 0], [1, 1, 1], [0, 1, 1]]
    assert a.graph(path, loops=False).matrix(3, 3).int().tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


def test_padding_shows_as_many_keys_as_a_sequence_has() -> None:
    seen = a.padding([0, 1, 3], 3).matrix(3, 3)
    assert seen[:, 0, 0].int().tolist() == [[0, 0, 0], [1, 0, 0], [1, 1, 1]]
