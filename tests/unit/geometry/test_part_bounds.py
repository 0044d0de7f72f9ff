"""Bounds of a part of a line, term by term: one input is off by its whole bound in the worst direction, all else is right."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from plica.geometry import Segment
from plica.geometry.line._at_points import _start
from plica.geometry.line._columns import Columns
from plica.geometry.line._cut import LineCut
from plica.geometry.line._part_walk import PartWalker
from plica.geometry.values._pairs import Pairs
from plica.network import Linear, Max, Network, Rectifier

N_PIECES, N_COLUMNS, N_ENTRIES = 4, 6, 5
RNG = np.random.default_rng


def some_walker(seed: int = 0) -> PartWalker:
    """In front of a layer of five neurons, with six that switch on four pieces; no number has an error."""
    rng = RNG(seed)
    network = Network.sequential(3, [Linear(rng.normal(size=(N_ENTRIES, 3))), Rectifier(), Linear(np.ones((1, N_ENTRIES)))])
    walker = PartWalker(network, Segment(-np.ones(3), np.ones(3)), most=100, may_touch=True)
    walker.u, walker.u_error = np.array([-1.0, -0.4, 0.1, 0.6, 1.0]), np.zeros(N_PIECES + 1)
    walker.outputs, walker.error = rng.normal(size=(N_PIECES, N_COLUMNS, 2)), np.zeros(N_PIECES)
    walker.columns[1] = Columns.full(rng.normal(size=(N_COLUMNS, N_ENTRIES)), (N_ENTRIES,), np.zeros(N_COLUMNS))
    walker.pairs[1] = Pairs(rng.normal(size=(1, 2, N_ENTRIES)), np.zeros((1, 2, N_ENTRIES)), np.zeros((1, 2)))
    return walker


def on_pieces(walker: PartWalker) -> tuple[Any, Any]:
    return walker.on_pieces(1, np.arange(N_ENTRIES))


def distances(y: Any, other: Any) -> Any:
    return np.sqrt(((y - other) ** 2).sum(axis=(1, 2)))


def test_errors_of_outputs_go_through_the_columns_with_their_norm() -> None:
    walker = some_walker()
    columns = walker.columns[1].rows(np.arange(N_ENTRIES)).T
    left, sizes, _ = np.linalg.svd(columns)
    true, _ = on_pieces(walker)
    walker.error = np.array([0.1, 0.2, 0.3, 0.4])
    walker.outputs[..., 0] += walker.error[:, None] * left[:, 0]
    y, error = on_pieces(walker)
    off = distances(y, true)
    assert np.allclose(off, walker.error * sizes[0])
    assert (off <= error).all() and (error <= 1.2 * off).all()


def test_errors_of_columns_are_multiplied_by_the_outputs() -> None:
    walker = some_walker()
    walker.outputs[..., 1] = 0.5 * walker.outputs[..., 0]  # so that slopes and constants are off in the same direction
    true, _ = on_pieces(walker)
    columns = walker.columns[1].rows(np.arange(N_ENTRIES)).T
    given = np.linspace(0.1, 0.6, N_COLUMNS)
    direction = np.ones(N_ENTRIES) / np.sqrt(N_ENTRIES)
    for piece in range(N_PIECES):
        signs = np.sign(walker.outputs[piece, :, 0])
        walker.columns[1] = Columns.full(columns + (signs * given)[:, None] * direction, (N_ENTRIES,), given)
        y, error = on_pieces(walker)
        off = distances(y, true)[piece]
        assert np.isclose(off, np.linalg.norm(walker.outputs[piece], axis=1) @ given)
        assert off <= error[piece] <= 1.001 * off


@pytest.mark.parametrize("row", [0, 1])
def test_errors_of_the_affine_part_are_added(row: int) -> None:
    walker = some_walker()
    true, _ = on_pieces(walker)
    walker.pairs[1].error[0, row] = 0.3
    walker.pairs[1].high[0, row, 2] += 0.3
    y, error = on_pieces(walker)
    assert np.allclose(distances(y, true), 0.3)
    assert (0.3 <= error).all() and (error <= 0.3 * 1.001).all()


def test_sums_that_cancel_round_by_no_more_than_is_said() -> None:
    walker = some_walker()
    columns = walker.columns[1].rows(np.arange(N_ENTRIES)).T
    sums = np.einsum("pjk,je->pek", walker.outputs, columns)[0].T  # so that nothing is left of them on the first piece
    walker.pairs[1].high[0] = -sums
    y, error = on_pieces(walker)
    exact = np.vectorize(Fraction, otypes=[object])
    true = np.tensordot(exact(walker.outputs), exact(columns), axes=([1], [0])).transpose(0, 2, 1) + exact(-sums).T
    off = [float(sum(d * d for d in piece.reshape(-1))) ** 0.5 for piece in exact(y) - true]
    assert 0.0 < off[0] <= error[0] < 1e-13
    assert (np.array(off) <= error).all()


def test_values_at_breakpoints_are_off_by_their_places_and_by_their_functions() -> None:
    walker = some_walker()
    y, none = RNG(1).normal(size=(N_PIECES, N_ENTRIES, 2)), np.zeros(N_PIECES)
    y[:, 0, 0] = 5.0  # the steepest
    true, bound = walker.at_breakpoints(y, none)
    assert (bound < 1e-13).all()
    walker.u_error = np.full(N_PIECES + 1, 0.01)
    _, error = walker.at_breakpoints(y, none)
    walker.u = walker.u + walker.u_error
    moved, _ = walker.at_breakpoints(y, none)
    off = np.abs(moved - true).max(axis=1)
    assert np.allclose(off, 0.05) and (off <= error * (1 + 1e-12)).all() and (error < 0.0501).all()
    walker = some_walker()
    walker.u[-1], y_error = 1.0, np.full(N_PIECES, 0.02)
    _, error = walker.at_breakpoints(y, y_error)
    y[:, 3] += 0.02 / np.sqrt(2)  # slope and constant of one function, together as far as the bound
    moved, _ = walker.at_breakpoints(y, none)
    off = np.abs(moved - true).max(axis=1)
    assert np.isclose(off[-1], 0.02 * np.sqrt(2)) and (off <= error).all()


def cut_at(root: float, slope: float) -> tuple[LineCut, Any]:
    """One form that is zero inside the second of four pieces."""
    y = np.zeros((N_PIECES, 1, 2))
    y[1, 0] = slope, -slope * root
    names = np.zeros((N_PIECES + 2, 3), np.int32)
    form = np.array([-1, -1, 0, -1, -1, -1])
    nothing = np.zeros(0, np.int64)
    old = np.array([0, 1, 1, 2, 3, 4])
    nowhere = np.zeros(len(old))
    return LineCut(names, old, old, nowhere, nowhere, form, nothing, nothing, nothing, nothing, None), y


@pytest.mark.parametrize("angle", np.linspace(0.05, 1.5, 9))
def test_a_breakpoint_is_no_farther_from_its_form_s_zero_than_is_said(angle: float) -> None:
    """Slopes hardly larger than their error, too."""
    for root, slope in ((-0.35, 0.5), (0.05, 0.5), (-0.1, 0.0221), (-0.39, 0.0221)):
        walker = some_walker()
        cut, y = cut_at(root, slope)
        walker.place(cut, y, np.full(N_PIECES, 0.01))
        for sign in (-1.0, 1.0):
            less, more = 0.01 * np.sin(angle), 0.01 * np.cos(angle) * sign  # as far as the bound goes, in one direction
            true = -(-slope * root + more) / (slope - less)
            if walker.u[1] <= true <= walker.u[3]:  # zeros are on their pieces
                assert abs(true - walker.u[2]) <= walker.u_error[2]
    walker = some_walker()
    cut, y = cut_at(0.0, 0.0221)
    walker.u[1:3] = -50.0, 50.0  # a piece so long that it tells nothing
    walker.place(cut, y, np.full(N_PIECES, 0.01))
    worst = max(0.01 * np.cos(a) / (0.0221 - 0.01 * np.sin(a)) for a in np.linspace(0, 1.5, 200))
    assert worst <= walker.u_error[2]


def test_sizes_of_outputs_hold_for_all_within_their_error() -> None:
    walker = some_walker()
    new = RNG(2).normal(size=(N_PIECES, 3, 2))
    walker.error = np.array([0.0, 0.2, 0.0, 0.0])
    sizes = walker._append(np.arange(N_PIECES), new.copy())
    ends = np.stack([walker.u[:-1], walker.u[1:]])
    for shift in (0.2 / np.sqrt(2), -0.2 / np.sqrt(2)):
        moved = new.copy()
        moved[1] += shift * np.sign(new[1].sum(axis=-1, keepdims=True))
        values = np.abs(moved[None, ..., 0] * ends[..., None] + moved[None, ..., 1])
        assert (values.max(axis=(0, 1)) <= sizes).all()
    assert walker.outputs.shape == (N_PIECES, N_COLUMNS + 3, 2)
    assert np.array_equal(walker.sizes, sizes)
    # outputs that are largest where they are least known
    walker = some_walker()
    walker.error = np.full(N_PIECES, 0.2)
    flat = np.zeros((N_PIECES, 1, 2))
    assert walker._append(np.arange(N_PIECES), flat)[0] >= 0.2 * np.sqrt(2)


def extremes(walker: PartWalker) -> tuple[Any, Any]:
    """Of all entries on the part, from their values at the ends of all pieces."""
    y, _ = on_pieces(walker)
    values = np.concatenate([y[..., 0] * u[:, None] + y[..., 1] for u in (walker.u[:-1], walker.u[1:])])
    return values.min(axis=0), values.max(axis=0)


def test_ranges_hold_all_values_on_the_part_and_all_that_errors_allow() -> None:
    for seed in range(20):
        walker = some_walker(seed)
        walker.outputs *= 0.1
        ends = np.stack(
            [np.abs(walker.outputs[..., 0] * u[:, None] + walker.outputs[..., 1]) for u in (walker.u[:-1], walker.u[1:])]
        )
        walker.sizes = ends.max(axis=(0, 1))
        low, high = extremes(walker)
        value, spread = walker.ranges(1)
        assert (value - spread <= low).all() and (high <= value + spread).all()
        for name in ("columns", "pairs"):
            given = getattr(walker, name)[1].error
            given[...] = 0.05
            _, wider = walker.ranges(1)
            known = 0.05 * walker.sizes.sum() if name == "columns" else 0.1
            assert (wider >= (spread + known) * (1 - 1e-12)).all() and (wider <= (spread + known) * 1.001).all()
            given[...] = 0.0


def test_neurons_that_may_be_active_anywhere_on_the_part_are_needed() -> None:
    """One by its slope, one by what a neuron that switches adds, one by an error; the last is inactive."""
    weight = np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0]])
    network = Network.sequential(2, [Linear(np.eye(2)), Rectifier(), Linear(weight), Rectifier(), Linear(np.ones((1, 4)))])
    walker = PartWalker(network, Segment(-np.ones(2), np.ones(2)), most=100, may_touch=True)
    walker.sizes = np.array([0.5])
    walker.columns[2] = Columns.full(np.array([[1.0, 0.0]]), (2,), np.zeros(1))
    slope, value = np.array([0.4, 0.0, 0.0, 0.0]), np.array([-0.3, -0.4, -0.8, -2.0])
    walker.pairs[3] = Pairs(np.stack([slope, value])[None], np.zeros((1, 2, 4)), np.zeros((1, 2)))
    needed = walker._needed(3, 4, 3)[3]
    assert needed is not None and needed.tolist() == [True, True, False, False]
    walker.pairs[3].high[0, 1] *= [1.0, -1.0, -1.0, -1.0]  # where nobody reads them, those that are active everywhere are not
    needed = walker._needed(3, 4, 3, to_be_read=False)[3]
    assert needed is not None and needed.tolist() == [True, True, False, False]
    walker.pairs[3].high[0, 1] = value
    walker.pairs[3].error[0, 1] = 0.2
    needed = walker._needed(3, 4, 3)[3]
    assert needed is not None and needed.tolist() == [True, True, True, False]
    walker.pairs[3].error[0, 1] = 0.0
    walker.columns[2].error[:] = 0.5  # of the column, times a size of a half
    needed = walker._needed(3, 4, 3)[3]
    assert needed is not None and needed.tolist() == [True, True, True, False]


@pytest.mark.parametrize("kind", ["fold", "contest"])
def test_errors_of_earlier_outputs_stay_behind_a_layer(kind: str) -> None:
    """A layer whose inputs hardly depend on them; without what was before, its own error would say too little."""
    rng = RNG(4)
    first = Linear(rng.normal(size=(6, 3)), rng.normal(size=6) * 0.2)
    second = Linear(1e-3 * rng.normal(size=(6, 6)), 1e-4 * rng.normal(size=6))
    layer = Rectifier() if kind == "fold" else Max(np.arange(6).reshape(3, 2))
    last = Linear(np.ones((1, 6 if kind == "fold" else 3)))
    network = Network.sequential(3, [first, Rectifier(), second, layer, last])

    def walked(moves: bool) -> PartWalker:
        walker = PartWalker(network, Segment(-np.ones(3), np.ones(3)), most=100, may_touch=True)
        walker._affine_nodes(1, 2, None)
        walker._fold(0, 2)
        assert walker.outputs.shape[1] > 2
        if moves:
            walker.outputs[:, 0, 0] += 1e-6
            walker.error = walker.error + 1e-6
        walker._affine_nodes(3, 4, None)
        getattr(walker, f"_{kind}")(1, 4)
        return walker

    true, moved = walked(False), walked(True)
    assert true.outputs.shape == moved.outputs.shape and true.outputs.shape[1] > 3
    off = np.sqrt(((true.outputs - moved.outputs) ** 2).sum(axis=(1, 2)))
    assert (off <= moved.error).all() and (off >= 1e-6 * (1 - 1e-6)).all()


def test_what_a_maximum_chooses_adds_the_errors_of_both_that_it_compares() -> None:
    """New outputs are differences of two members, each off by its bound."""
    rng = RNG(5)
    network = Network.sequential(
        2, [Linear(rng.normal(size=(6, 2)), rng.normal(size=6) * 0.3), Max(np.arange(6).reshape(3, 2)), Linear(np.ones((1, 3)))]
    )
    walker = PartWalker(network, Segment(-np.ones(2), np.ones(2)), most=100, may_touch=True)
    walker._affine_nodes(1, 2, None)
    walker.pairs[1].error[0, 1] = 1e-7
    walker._contest(0, 2)
    assert walker.outputs.shape[1] > 0
    assert (walker.error >= np.sqrt(2) * 1e-7).all()  # one member up, the other down, as far as both together may be off


def test_starts_at_points_are_off_by_their_slopes_and_constants() -> None:
    walker = some_walker()
    start = Pairs(np.ones((1, 2, 3)), np.zeros((1, 2, 3)), np.array([[0.3, 0.2]]))
    u = np.array([-1.0, 0.5, 0.0])
    _, error = _start(start, u)
    assert np.allclose(error[:, 0], 0.3 * np.abs(u) + 0.2)
    assert (error[:, 0] >= 0.3 * np.abs(u) + 0.2).all()
    assert walker.u_error.max() == 0.0
