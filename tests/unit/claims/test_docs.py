"""The generated catalog of the documentation."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from plica.claims import catalog

SCRIPT = Path(__file__).parents[3] / "docs" / "make_claims.py"


def test_every_claim_is_on_its_topics_page_and_in_the_index(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(SCRIPT), "--out", str(tmp_path)], check=True, capture_output=True)
    index = (tmp_path / "index.md").read_text(encoding="utf-8")
    for claim in catalog():
        page = (tmp_path / f"{claim.topic}.md").read_text(encoding="utf-8")
        assert f"`plica check {claim.id}`" in page
        assert f"| `{claim.id}` |" in index
