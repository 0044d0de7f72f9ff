"""How many trials were made, kept in a file where ``PLICA_TALLY`` names one: endurance tests in parts add to one record."""

import json
import os
from pathlib import Path


def tally(what, n):
    """Add to the record."""
    name = os.environ.get("PLICA_TALLY")
    if not name:
        return
    path = Path(name)
    record = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    record[what] = record.get(what, 0) + n
    beside = path.with_suffix(f".{os.getpid()}.part")
    beside.write_text(json.dumps(dict(sorted(record.items())), indent=1) + "\n", encoding="utf-8")
    beside.replace(path)
