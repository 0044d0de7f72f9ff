"""Narrow networks of smooth units: as wide as said, as near as the step allows, and only of units that can be registers."""

from __future__ import annotations

import numpy as np
import pytest

from plica.construct import Perceptron, registers
from plica.errors import InvalidInput


@pytest.mark.parametrize(("kind", "step", "error"), [("sigmoid", 1e-3, 1e-6), ("softplus", 1e-5, 1e-4)])
def test_a_wide_layer_is_imitated_unit_by_unit_with_its_direct_connections(kind: str, step: float, error: float) -> None:
    rng = np.random.default_rng(0)
    out = rng.normal(size=(2, 3 + 7)) / 4  # from the inputs, too
    wide = Perceptron(3, ((rng.normal(size=(7, 3)), rng.normal(size=7)),), (out, np.array([0.5, -1.0])), kind)
    narrow = registers(wide, step=step)
    assert narrow.widths == (3, *[6] * 7, 2)
    x = rng.uniform(-1, 1, size=(50, 3))
    np.testing.assert_allclose(narrow(x), wide(x), atol=error)
    for k, (weight, _) in enumerate(narrow.hidden[1:], start=1):
        assert not weight[:, : 3 + 6 * (k - 1)].any(), "a layer reads the one before it alone"


def test_steps_and_deep_networks_cannot_be_registers() -> None:
    wide = Perceptron.shallow([[1.0]], [0.0], [1.0], activation="cos")
    sigmoid = Perceptron.shallow([[1.0]], [0.0], [1.0], activation="sigmoid")
    for call in (lambda: registers(wide, step=0.1), lambda: registers(sigmoid, step=0.0), lambda: registers(sigmoid, step=1.0)):
        with pytest.raises(InvalidInput):
            call()
