"""Odd places to run in: a path with spaces and letters of other alphabets, no home to write to, the C locale, no network."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from patience import patient

import plica

pytestmark = pytest.mark.endurance

SCRIPT = """
import sys
import plica
net = plica.random_network([2, 8, 8, 2], seed=0, weights="he-normal", bias_std=0.5)
plica.save(net, "network.safetensors")
cx = plica.decompose(plica.load("network.safetensors"), plica.Box([-1.0, -1.0], [1.0, 1.0]))
cx.save("complex.npz")
assert plica.Complex.load("complex.npz").n_cells == cx.n_cells
print(cx.n_cells, cx.n_regions)
"""


def run(folder, *, prefix=(), **environment):
    done = subprocess.run(
        [*prefix, sys.executable, "-c", SCRIPT],
        cwd=folder,
        env={k: v for k, v in (os.environ | environment).items() if v is not None},
        capture_output=True,
        timeout=patient(120),
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
    return done.stdout


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    return run(tmp_path_factory.mktemp("plain"), PYTHONPATH=str(Path(plica.__file__).parent.parent))


def test_a_path_with_spaces_and_other_letters(tmp_path, expected):
    place = tmp_path / "a place – Größe Ж 網"
    shutil.copytree(Path(plica.__file__).parent, place / "plica", ignore=shutil.ignore_patterns("__pycache__"))
    assert run(place, PYTHONPATH=str(place)) == expected


def test_a_home_that_cannot_be_written(tmp_path, expected):
    (tmp_path / "file").write_text("no folder")
    home = str(tmp_path / "file" / "home")
    source = str(Path(plica.__file__).parent.parent)
    assert run(tmp_path, PYTHONPATH=source, HOME=home, XDG_CACHE_HOME=home, MPLCONFIGDIR=str(tmp_path)) == expected


@pytest.mark.parametrize("locale", ["C", "POSIX", "tr_TR.UTF-8"])
def test_other_locales(tmp_path, expected, locale):
    source = str(Path(plica.__file__).parent.parent)
    assert run(tmp_path, PYTHONPATH=source, LANG=locale, LC_ALL=locale, PYTHONUTF8="0", PYTHONIOENCODING=None) == expected


def test_no_network(tmp_path, expected):
    probe = subprocess.run(["unshare", "-r", "-n", "true"], capture_output=True, check=False) if shutil.which("unshare") else None
    if probe is None or probe.returncode:
        pytest.skip("this machine does not let a process leave the network")
    assert run(tmp_path, prefix=("unshare", "-r", "-n"), PYTHONPATH=str(Path(plica.__file__).parent.parent)) == expected
