"""Where and with what a run was computed: noted in the store, never part of a table."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from plica.sweeps._canonical import dumps

_PACKAGES = ("numpy", "scipy", "numba", "torch", "distributed")


def environment(function: Callable[..., Any]) -> str:
    """Versions, machine and commit, as JSON."""
    from plica import __version__

    versions = {name: _version(name) for name in _PACKAGES if name in sys.modules}
    about = {
        "plica": __version__,
        "python": platform.python_version(),
        "system": platform.platform(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "commit": _commit(function),
    }
    return dumps(about | versions)


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _commit(function: Callable[..., Any]) -> str:
    """The commit of the repository that holds the function's module, or ''."""
    file = getattr(sys.modules.get(getattr(function, "__module__", "")), "__file__", None)
    if file is None:
        return ""
    command = ["git", "-C", str(Path(file).resolve().parent), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def now() -> str:
    """The time of day, UTC."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
