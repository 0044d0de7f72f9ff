"""Write requirements.lock: what `pip` would install now, every version pinned, every file by its SHA-256.

    python tools/lock.py            # resolves pyproject.toml with constraints.txt, writes requirements.lock

Install from it with `pip install --require-hashes -r requirements.lock`, then `pip install --no-deps .`. The hashes are
those of the files for the platform on which this ran, which the first lines of the lock name.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = "dev,onnx,cluster,web"


def resolve() -> list[dict[str, Any]]:
    """What pip would install, with where each file comes from."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--report", str(report)]
        subprocess.run([*command, "-c", str(ROOT / "constraints.txt"), f"{ROOT}[{EXTRAS}]"], check=True)
        return list(json.loads(report.read_text(encoding="utf-8"))["install"])


def lines(packages: list[dict[str, Any]]) -> list[str]:
    """One line for each package but our own, in order of names."""
    found = []
    for package in packages:
        name, version = package["metadata"]["name"].lower().replace("_", "-"), package["metadata"]["version"]
        if name == "plica":
            continue
        digest = package["download_info"]["archive_info"]["hashes"]["sha256"]
        found.append(f"{name}=={version.split('+')[0]} --hash=sha256:{digest}")
    return sorted(found)


def main() -> None:
    major, minor, _ = platform.python_version_tuple()
    head = [
        f"# Every file that `make test` installs, for CPython {major}.{minor} on {platform.system()} {platform.machine()}.",
        "# Written by tools/lock.py; install with pip install --require-hashes -r requirements.lock",
    ]
    target = ROOT / "requirements.lock"
    target.write_text("\n".join([*head, *lines(resolve())]) + "\n", encoding="utf-8")
    print(f"wrote {target.name}")


if __name__ == "__main__":
    main()
