"""Two networks compared: against their values at exact vertices, sampling, and what is known of symmetries."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import plica
from plica.cli import app
from plica.errors import InvalidInput
from plica.geometry import Box, Segment, Space, decompose
from plica.measure import compare
from plica.network import Linear, Network, Rectifier, difference, side_by_side

BOX = Box([-1, -1], [1, 1])


def rounded(net: Network, dtype: type) -> Network:
    """The network with weights rounded to another type."""
    ops = []
    for node in net.nodes[1:]:
        op = node.op
        if isinstance(op, Linear):
            bias = None if op.bias is None else op.bias.astype(dtype).astype(np.float64)
            op = Linear(op.weight.astype(dtype).astype(np.float64), bias)
        ops.append(op)
    return Network.sequential(net.n_inputs, ops)


def permuted(net: Network) -> Network:
    """The units of the first layer in another order, and scaled by powers of two: the same function."""
    first, fold, second, *rest = (node.op for node in net.nodes[1:])
    assert isinstance(first, Linear) and isinstance(second, Linear)
    order = np.arange(len(first.weight))[::-1]
    scale = 2.0 ** np.arange(len(order))
    moved = Linear(scale[:, None] * first.weight[order], scale * first.bias[order])
    return Network.sequential(net.n_inputs, [moved, fold, Linear(second.weight[:, order] / scale, second.bias), *rest])


def test_the_difference_is_the_difference() -> None:
    f, g = plica.random_network([3, 5, 2], seed=0), plica.random_network([3, 4, 4, 2], seed=1)
    x = np.random.default_rng(0).normal(size=(20, 3))
    np.testing.assert_allclose(difference(f, g)(x), f(x) - g(x), atol=1e-14)
    np.testing.assert_array_equal(side_by_side(f, g)(x), np.concatenate([f(x), g(x)], axis=1))
    for bad in (plica.random_network([2, 3, 2], seed=0), plica.random_network([3, 3, 1], seed=0)):
        with pytest.raises(InvalidInput):
            difference(f, bad)


def test_a_symmetry_is_proved_to_change_nothing() -> None:
    net = plica.random_network([2, 6, 5, 3], seed=3)
    found = compare(net, permuted(net), BOX)
    assert found.is_equal and found.largest.value == 0 and found.share == 0
    assert all(m.low <= 0 <= m.high for m in found.mean) and "one function" in repr(found)


def test_rounding_to_float32_is_measured_exactly() -> None:
    net = plica.random_network([2, 16, 16, 2], seed=5)
    small = rounded(net, np.float32)
    found = compare(net, small, BOX)
    assert not found.is_equal and 0 < float(found.largest) < 1e-6
    x = np.random.default_rng(0).uniform(-1, 1, (20_000, 2))
    gap = np.abs(net(x) - small(x))
    assert gap.max() <= float(found.largest) * (1 + 1e-6)
    np.testing.assert_allclose(gap.mean(axis=0), [float(m) for m in found.mean], rtol=0.05)


def test_the_largest_deviation_is_that_of_all_vertices() -> None:
    f, g = plica.random_network([2, 6, 2], seed=6), plica.random_network([2, 5, 2], seed=7)
    cx = decompose(difference(f, g), BOX)
    gaps = [max(abs(y) for y in cx.exact_output(v)) for v in range(cx.n_vertices)]
    found = compare(f, g, BOX)
    assert found.largest.value == max(gaps)
    x = np.random.default_rng(1).uniform(-1, 1, (40_000, 2))
    other = (f(x).argmax(axis=1) != g(x).argmax(axis=1)).mean()
    assert abs(other - found.share) < 5 * np.sqrt(other * (1 - other) / len(x)) + 1e-9
    np.testing.assert_allclose(np.abs(f(x) - g(x)).mean(axis=0), [float(m) for m in found.mean], rtol=0.03)


def test_signs_of_single_outputs_are_answers() -> None:
    f = Network.sequential(1, [Linear(np.ones((1, 1)))])
    g = Network.sequential(1, [Linear(np.ones((1, 1)), np.array([-0.5]))])
    found = compare(f, g, Segment([-1.0], [1.0]))
    assert found.largest.value == Fraction(1, 2) and float(found.mean[0]) == pytest.approx(0.5)
    assert found.share == pytest.approx(0.25)  # between 0 and 1/2 of a segment of length 2


def test_unbounded_domains_are_refused() -> None:
    net = plica.random_network([2, 3, 1], seed=0)
    with pytest.raises(InvalidInput, match="bounded"):
        compare(net, net, Space(2))  # type: ignore[arg-type]


def test_the_command_says_what_the_function_says(tmp_path: Path) -> None:
    net = plica.random_network([2, 8, 2], seed=8)
    first, last = net.nodes[1].op, net.nodes[3].op
    few = Linear(np.where(np.abs(first.weight) < 0.2, 0.0, first.weight), first.bias)
    pruned = Network.sequential(2, [few, Rectifier(), last])
    files = [str(tmp_path / f"{name}.safetensors") for name in "abc"]
    plica.save(net, tmp_path / "a.safetensors")
    plica.save(pruned, tmp_path / "b.safetensors")
    run = CliRunner().invoke(app, ["compare", files[0], files[1], "--box=-1,1", "--json"])
    assert run.exit_code == 0, run.output
    facts = json.loads(run.stdout)
    expected = compare(net, pruned, BOX)
    assert facts["largest_deviation"] == float(expected.largest) and facts["is_equal"] is False
    text = CliRunner().invoke(app, ["compare", files[0], files[0]])
    assert text.exit_code == 0 and "yes" in text.output
    plica.save(plica.random_network([3, 2, 2], seed=0), tmp_path / "c.safetensors")
    bad = CliRunner().invoke(app, ["compare", files[0], files[2]])
    assert bad.exit_code != 0 and "R^3" in bad.output
