"""Intervals and CROWN bounds are those of auto_LiRPA, up to rounding outward.

It asks for an old torch, so that ``make test-all`` installs it without what it asks for: ``--no-deps auto_LiRPA==0.3 appdirs``.
"""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import plica
from plica.robust.bounds import Boxes, backward_bounds, interval_bounds, steps_of

HELPER = Path(__file__).parents[2] / "helpers" / "auto_lirpa_bounds.py"


@pytest.mark.peer
@pytest.mark.skipif(importlib.util.find_spec("auto_LiRPA") is None, reason="auto_LiRPA is not installed")
@pytest.mark.parametrize(("widths", "epsilon"), [((5, 20, 3), 0.1), ((5, 50, 50, 50, 5), 0.05), ((20, 30, 30, 30, 30, 10), 0.02)])
def test_auto_lirpa_has_the_same_bounds(tmp_path, widths, epsilon):
    network = plica.random_network(widths, seed=len(widths), weights="he-normal", bias_std=0.2)
    x = np.random.default_rng(0).normal(size=(4, widths[0]))
    layers = [node.op.arrays() for node in network.nodes if node.op.kind == "linear"]
    named = {f"w{k}": a["weight"] for k, a in enumerate(layers)} | {f"b{k}": a["bias"] for k, a in enumerate(layers)}
    np.savez(tmp_path / "in.npz", x=x, epsilon=epsilon, **named)
    path = os.pathsep.join(p for p in sys.path if p)
    subprocess.run(
        [sys.executable, "-W", "ignore", str(HELPER), str(tmp_path / "in.npz"), str(tmp_path / "out.npz")],
        check=True,
        env=os.environ | {"PYTHONPATH": path},
    )
    theirs, steps, boxes = np.load(tmp_path / "out.npz"), steps_of(network), Boxes(x - epsilon, x + epsilon)
    interval, crown = interval_bounds(steps, boxes)[-1], backward_bounds(steps, boxes, nested=False)[-1]
    for name, ours in (("interval", interval), ("crown", crown)):
        np.testing.assert_allclose(ours.low, theirs[f"{name}_low"], rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(ours.high, theirs[f"{name}_high"], rtol=1e-11, atol=1e-11)
    assert (crown.high - crown.low < interval.high - interval.low).mean() > 0.9  # two different bounds were compared
