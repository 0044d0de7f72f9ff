"""The functions that workers run must be importable by name, here and in other processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import plica

HERE = str(Path(__file__).parent)
if HERE not in sys.path:
    sys.path.insert(0, HERE)


@pytest.fixture
def python():
    """Starts another Python with this one's Plica and the module sweep_tasks."""

    started = []

    def start(code, *arguments, hash_seed="random", **options):
        paths = [str(Path(plica.__file__).parent.parent), HERE]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONHASHSEED": hash_seed}
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": environment, **options}
        started.append(subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)], **options))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()
