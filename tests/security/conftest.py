"""Attacks on the explorer use the server of its unit tests."""

import importlib.util
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def guarded():
    """A real server in a process of its own."""
    path = Path(__file__).parent.parent / "unit" / "web" / "conftest.py"
    spec = importlib.util.spec_from_file_location("web_conftest", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    server = module.serve("--max-seconds", "3")
    yield server
    module.end(server)
