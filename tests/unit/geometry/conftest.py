"""Helpers of these tests are imported by name; small networks go the way of large ones (the conformance tests go both)."""

import sys
from pathlib import Path

import pytest

from plica.geometry.plane import _deferred as _bends

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def _every_layer_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_bends, "LEAST_WEIGHTS", 0)
