"""Endurance tests of sweeps use the functions and helpers of their unit tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "unit" / "sweeps"))
