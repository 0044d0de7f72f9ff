"""What the README shows is what happens."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_example_prints_what_is_printed_below_it():
    code, output = re.search(r"## Eight lines\n\n```python\n(.*?)```\n\n```\n(.*?)```", README, re.S).groups()
    assert len([line for line in code.splitlines() if line.strip()]) == 8
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == output, done.stderr


def test_every_link_leads_to_a_file():
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_guide_for_contributors_is_short():
    prose = re.sub(r"^```.*?^```", "", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    assert len(prose.splitlines()) <= 60
