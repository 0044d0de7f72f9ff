"""What is published about trials is what their record says."""

import json
import re
from pathlib import Path

HERE = Path(__file__).parent


def test_the_published_numbers_are_the_record_s():
    record = json.loads((HERE / "trials.json").read_text(encoding="utf-8"))
    text = (HERE.parent.parent / "ARCHITECTURE.md").read_text(encoding="utf-8")
    found = re.search(
        r"(?s)`tests/endurance/trials.json`.*?: ([\d,]+) changed\s+files,\s+([\d,]+)\s+kills,\s+([\d,]+)\s+interrupts,"
        r"\s+([\d,]+)\s+decompositions",
        text,
    )
    kills = sum(n for what, n in record.items() if what.startswith("kills: "))
    expected = record["changed files"], kills, record["interrupts"], record["decompositions without growth of memory"]
    assert tuple(int(n.replace(",", "")) for n in found.groups()) == expected
