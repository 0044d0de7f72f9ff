"""The documentation is built by scripts beside the package, not by the package."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "docs"))
