"""Outputs behind the last layer of a part of a line, from rows that are pulled back instead of columns that are pushed on."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from plica.geometry import Segment
from plica.geometry.line import _part_walk
from plica.geometry.line._columns import Columns, product_with
from plica.geometry.line._outputs import _to_outputs, has_few_outputs, output_columns, read_between
from plica.geometry.line._part_walk import PartWalker
from plica.network import Add, Builder, Conv, Linear, Max, Network, Rectifier, Reshape, Scale, WindowSum

exact = np.vectorize(Fraction, otypes=[object])


def residual(seed: int = 0, *, outputs: int = 2) -> Network:
    """A convolution and its factors are added to what they read, rectified, summed up and mixed."""
    rng = np.random.default_rng(seed)
    b = Builder((2, 12))
    first = b.add(Rectifier(), b.add(Conv(rng.normal(size=(3, 2, 3)), rng.normal(size=3), (1,), ((1, 1),), (1,)), 0))
    second = b.add(Rectifier(), b.add(Conv(rng.normal(size=(3, 3, 3)), rng.normal(size=3), (1,), ((1, 1),), (1,)), first))
    scaled = b.add(Scale(rng.normal(size=(3, 1))), b.add(Conv(rng.normal(size=(3, 3, 3)), None, (1,), ((1, 1),), (1,)), second))
    last = b.add(Rectifier(), b.add(Add(), first, scaled))
    pooled = b.add(Reshape((3,)), b.add(WindowSum(1, (0,), (12,)), last))
    return b.build(b.add(Linear(rng.normal(size=(outputs, 3)), rng.normal(size=outputs)), pooled))


def columns_of(rng: Any, n: int) -> tuple[Columns, Any]:
    """Columns without errors, half of whose numbers are zero, and the numbers."""
    numbers = rng.normal(size=(n, 36)) * (rng.random((n, 36)) < 0.5)
    return Columns.full(numbers, (3, 12), np.zeros(n)), numbers


def case() -> tuple[Network, dict[int, Columns], Any, Any, Any]:
    """The columns behind the layer before and behind that before it, which neurons are active and which switch; the truth."""
    network, rng = residual(), np.random.default_rng(1)
    older, newer = read_between(network)
    (old, plain_old), (new, plain_new) = columns_of(rng, 7), columns_of(rng, 9)
    active, switching = rng.random(36) < 0.6, np.array([3, 20, 33])
    active[switching] = False
    conv, scale = (network.nodes[i].op for i in (5, 6))
    product = conv.linear([exact(plain_new).reshape(9, 3, 12)], exact(conv.weight)) * exact(scale.factor)
    behind = product.reshape(9, 36) + exact(np.pad(plain_old, ((0, 2), (0, 0))))
    own = np.zeros((3, 36))
    own[np.arange(3), switching] = 1.0
    sums = np.concatenate([behind * exact(active * 1.0), exact(own)]).reshape(12, 3, 12).sum(axis=2)
    return network, {older: old, newer: new}, active, switching, sums @ exact(network.nodes[-1].op.weight).T


def distances(columns: Columns, true: Any) -> Any:
    off = exact(columns.rows(np.arange(2)).T) - true
    return np.array([float(sum(d * d for d in row)) ** 0.5 for row in off])


def test_columns_of_outputs_are_within_their_bound_of_the_truth() -> None:
    network, known, active, switching, true = case()
    assert has_few_outputs(network)
    found = output_columns(network, known, 9, active, switching)
    off = distances(found, true)
    assert (off <= found.error).all()
    assert 1e-17 < off.max() and found.error.max() < 1e-11


@pytest.mark.parametrize(("which", "column"), [(0, 4), (1, 8)])
def test_errors_of_columns_reach_the_outputs(which: int, column: int) -> None:
    """Each is off by its whole bound in the direction that the outputs see most."""
    network, known, active, switching, true = case()
    before = output_columns(network, known, 9, active, switching)
    index = sorted(known)[which]
    numbers = known[index].rows(np.arange(36)).T
    for entry in range(36):
        moved = numbers.copy()
        moved[column, entry] += 0.5
        errors = np.zeros(len(numbers))
        errors[column] = 0.5
        found = output_columns(network, known | {index: Columns.full(moved, (3, 12), errors)}, 9, active, switching)
        assert (distances(found, true) <= found.error).all()
        assert (np.delete(found.error, column) <= 2 * np.delete(before.error, column).max()).all()


def test_errors_of_rows_are_multiplied_by_columns() -> None:
    rng = np.random.default_rng(3)
    c, numbers = columns_of(rng, 6)
    rows = rng.normal(size=(4, 36))
    y, error = product_with(rows, c)
    off = exact(y) - exact(numbers) @ exact(rows).T
    assert (np.array([float(sum(d * d for d in row)) ** 0.5 for row in off]) <= error).all()
    assert (error >= 2.0**-53 * np.linalg.norm(rows) * np.linalg.norm(numbers, axis=1)).all()
    c.error[:] = 1.0
    assert (product_with(rows, c)[1] >= np.linalg.norm(rows, 2)).all()


def test_outputs_are_the_same_with_all_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only neurons that may switch have columns in the last layer; pieces and outputs do not change."""
    network, ends = residual(), np.random.default_rng(5).normal(size=(2, 24))
    segment = Segment(*ends)
    few = PartWalker(network, segment, most=1000, may_touch=True).run()
    monkeypatch.setattr(_part_walk, "has_few_outputs", lambda network: False)
    every = PartWalker(network, segment, most=1000, may_touch=True).run()
    assert np.array_equal(few.hyperplanes, every.hyperplanes) and len(few.hyperplanes) > 20
    off = np.linalg.norm(few.outputs.values - every.outputs.values, axis=1)
    assert (off <= few.outputs.error + every.outputs.error).all() and off.max() < 1e-12
    assert (few.outputs.error <= 2 * every.outputs.error).all()
    true = network(segment.to_input(few.parameters.values))
    assert np.allclose(few.outputs.values, true)


def test_outputs_that_more_than_the_last_layer_reaches_need_all_columns() -> None:
    assert not has_few_outputs(residual(outputs=5))
    chain = Network.sequential(40, [Linear(np.ones((40, 40))), Rectifier(), Linear(np.ones((1, 40)))])
    assert has_few_outputs(chain)
    b = Builder((40,))
    layer = b.add(Rectifier(), 0)
    beside = b.build(b.add(Add(), b.add(Linear(np.ones((1, 40))), layer), b.add(Linear(np.ones((1, 40))), 0)))
    assert not has_few_outputs(beside)
    contest = Network.sequential(40, [Rectifier(), Max(np.arange(40).reshape(20, 2)), Linear(np.ones((1, 20)))])
    assert not has_few_outputs(contest)


@pytest.mark.parametrize("n", [1, 40])
def test_what_products_of_weights_round_is_in_the_bound_of_the_map_to_the_outputs(n: int) -> None:
    """From weights without errors: the first product is with the identity, so what the second one rounds is all there is."""
    rng = np.random.default_rng(n)
    first, second = rng.normal(size=(n, 3)), rng.normal(size=(2, n))
    network = Network.sequential(2, [Linear(rng.normal(size=(3, 2))), Rectifier(), Linear(first), Linear(second)])
    rows, bound = _to_outputs(network)
    off = exact(rows) - exact(second) @ exact(first)
    assert 0 < (off * off).sum() <= Fraction(bound) ** 2
