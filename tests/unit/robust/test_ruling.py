"""A ruling on which tools disagree: cersyve's pendulum_pretrain_con is sat, by a point that anyone can check in fractions."""

import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import plica
from plica.robust import read_vnnlib, verify, violating_volume

FOLDERS = [Path(p) / "vnncomp" / "cersyve" for p in os.environ.get("PLICA_DATA", "").split(os.pathsep) if p]
FOLDER = next((f for f in FOLDERS if f.is_dir()), None)
POINT = Fraction(1075, 2048), Fraction(-1, 32)

pytestmark = pytest.mark.skipif(FOLDER is None, reason="the files of the competition are not in PLICA_DATA")


@pytest.fixture
def pendulum():
    return plica.load(FOLDER / "onnx" / "pendulum_pretrain_con.onnx.gz"), read_vnnlib(
        FOLDER / "vnnlib" / "prop_pendulum.vnnlib.gz"
    )


def test_a_point_with_short_fractions_violates_the_property(pendulum):
    """Layer by layer in fractions from the stored weights, with no code of the verifier."""
    network, asked = pendulum
    values = {0: [*POINT]}
    for i, node in enumerate(network.nodes[1:], start=1):
        values[i] = evaluated(node.op, [values[j] for j in node.inputs])
    low, high = values[len(network.nodes) - 1]
    assert abs(POINT[0]) <= Fraction(0.7853981633974483) and abs(POINT[1]) <= 4  # the box of the property
    assert low < Fraction(-1, 1000)  # asked for: Y_0 <= 0
    assert high > Fraction(1, 1000)  # and Y_1 >= 0
    (query,) = asked.queries
    assert all(a <= x <= b for a, x, b in zip(query.low, POINT, query.high, strict=True))


def evaluated(op, inputs):
    """The few operations of this file, as their definitions say."""
    name = type(op).__name__
    if name == "Rectifier":
        assert np.all(np.asarray(op.slope) == 0)
        return [max(v, Fraction(0)) for v in inputs[0]]
    if name == "Linear":
        rows, offset = np.asarray(op.weight).tolist(), np.asarray(op.bias if op.bias is not None else 0.0)
        offset = np.broadcast_to(offset, len(rows)).tolist()
        products = [[Fraction(w) * x for w, x in zip(row, inputs[0], strict=True)] for row in rows]
        return [sum(parts, Fraction(c)) for parts, c in zip(products, offset, strict=True)]
    if name == "Add":
        return [sum(parts, Fraction(0)) for parts in zip(*inputs, strict=True)]
    raise AssertionError(f"an operation that was not expected: {op}")


def test_the_verdict_is_sat_and_the_violating_set_has_a_volume(pendulum):
    network, asked = pendulum
    answer = verify(network, asked)
    assert answer.status == "sat"
    (found,) = violating_volume(network, asked)
    assert 0.0057130 < found.low <= found.high < 0.0057132
