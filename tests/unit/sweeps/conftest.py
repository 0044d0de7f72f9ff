"""The functions that workers run must be importable by name, here and in other processes."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def python():
    """Starts another Python."""
    import kills

    with kills.other_pythons() as start:
        yield start
