"""Print the bill of materials of an installation: every package that Plica needs, with version and licence, as CycloneDX 1.5.

python tools/sbom.py > sbom.json
python tools/sbom.py --table    # name, version and licence, for people
"""

from __future__ import annotations

import json
import re
import sys
from importlib import metadata
from typing import Any

from packaging.markers import Marker

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_LICENSES = re.compile(r"License :: (?:OSI Approved :: )?(.+)")


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def needed(root: str = "plica", *, extras: tuple[str, ...] = ("onnx", "cluster", "web")) -> dict[str, metadata.Distribution]:
    """The installed packages that a package needs, directly or not, itself included."""
    found: dict[str, metadata.Distribution] = {}
    waiting = [root]
    while waiting:
        name = canonical(waiting.pop())
        if name in found:
            continue
        try:
            found[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # for another platform, or an extra that is not installed
        for requirement in found[name].requires or ():
            text, _, marker = requirement.partition(";")
            asked = ("", *extras) if name == root else ("",)
            wanted = not marker.strip() or any(Marker(marker.strip()).evaluate({"extra": extra}) for extra in asked)
            match = _NAME.match(text.strip())
            if wanted and match:
                waiting.append(match[0])
    return dict(sorted(found.items()))


def license_of(package: metadata.Distribution) -> str:
    """The licence as the package states it: an expression, a classifier, or the first line of its text."""
    about = package.metadata
    if expression := about.get("License-Expression"):
        return str(expression)
    named = [match[1] for c in about.get_all("Classifier") or () if (match := _LICENSES.match(c)) and match[1] != "OSI Approved"]
    if named:
        return " / ".join(named)
    text = next((line.strip() for line in (about.get("License") or "").splitlines() if line.strip()), "")
    return text[:80] or "not stated"


def document(packages: dict[str, metadata.Distribution]) -> dict[str, Any]:
    components = [
        {
            "type": "library",
            "name": name,
            "version": package.version,
            "purl": f"pkg:pypi/{name}@{package.version}",
            "licenses": [{"license": {"name": license_of(package)}}],
        }
        for name, package in packages.items()
    ]
    own = next(c for c in components if c["name"] == "plica")
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": own},
        "components": [c for c in components if c is not own],
    }


def main() -> None:
    packages = needed()
    if "--table" in sys.argv[1:]:
        for name, package in packages.items():
            print(f"{name:24} {package.version:14} {license_of(package)}")
    else:
        print(json.dumps(document(packages), indent=2))


if __name__ == "__main__":
    main()
