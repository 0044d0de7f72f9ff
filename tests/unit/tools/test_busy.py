"""A command beside busy processes: its exit code is given on, and nothing stays behind."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

from patience import patient, wait_for

TOOL = Path(__file__).parents[3] / "tools" / "busy.py"


def is_there(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_the_exit_code_is_that_of_the_command():
    command = [sys.executable, str(TOOL), "--hogs", "1", "--", sys.executable, "-c", "raise SystemExit(3)"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=patient(30), check=False)
    assert done.returncode == 3
    assert "ended with 3 at load" in done.stdout and "beside 1 busy processes" in done.stdout


def test_a_command_is_needed():
    done = subprocess.run([sys.executable, str(TOOL)], capture_output=True, text=True, timeout=patient(30), check=False)
    assert done.returncode == 2 and "no command" in done.stderr


def test_busy_processes_end_with_what_started_them():
    spec = importlib.util.spec_from_file_location("busy", TOOL)
    busy = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(busy)
    with busy.hogs(2) as numbers:
        assert len(numbers) == 2 and all(map(is_there, numbers))
    assert not any(map(is_there, numbers))
    parent = (
        "import os, subprocess, sys; hog = [sys.executable, '-c', sys.argv[1], str(os.getpid())]; "
        "print(subprocess.Popen(hog).pid, flush=True); sys.stdin.read()"
    )
    starter = subprocess.Popen([sys.executable, "-c", parent, busy.HOG], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    hog = int(starter.stdout.readline())
    assert is_there(hog)
    os.kill(starter.pid, 9)
    starter.wait()
    wait_for(lambda: not is_there(hog))
    starter.stdin.close()
    starter.stdout.close()
