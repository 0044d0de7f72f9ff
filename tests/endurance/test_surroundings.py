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


def may_leave_the_network():
    return bool(shutil.which("unshare")) and not subprocess.run(["unshare", "-r", "-n", "true"], check=False).returncode


def test_no_network(tmp_path, expected):
    if not may_leave_the_network():
        pytest.skip("this machine does not let a process leave the network")
    assert run(tmp_path, prefix=("unshare", "-r", "-n"), PYTHONPATH=str(Path(plica.__file__).parent.parent)) == expected


# -- a part of the suite itself -------------------------------------------------------------------------------------------

ROOT = Path(__file__).parent.parent.parent
PART = [
    "tests/unit/exact",
    "tests/unit/network/test_files.py",
    "tests/unit/sweeps/test_store.py",
    "tests/unit/sweeps/test_command.py",
    "tests/unit/data/test_fetch.py",
    "tests/unit/web/test_state.py",
    "tests/unit/web/test_exports.py",
    "tests/unit/test_whole.py",
    "tests/e2e/test_front_door.py",
]
"""What reads and writes files, prints, asks for folders and speaks to other processes."""


def run_suite(root, *, prefix=(), source=None, **environment):
    done = subprocess.run(
        [*prefix, sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *PART],
        cwd=root,
        env={k: v for k, v in (os.environ | {"PYTHONPATH": str(source or root / "src")} | environment).items() if v is not None},
        capture_output=True,
        timeout=patient(300),
        check=False,
    )
    said = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0, said[-5000:] + done.stderr.decode("utf-8", "replace")[-2000:]
    assert " passed" in said


def test_the_suite_passes_in_a_path_with_spaces_and_other_letters(tmp_path):
    place = tmp_path / "a place – Größe Ж 網"
    place.mkdir()
    forget = shutil.ignore_patterns("__pycache__", ".hypothesis")
    for name in ("src", "tests", "tools", "docs", "benchmarks"):
        shutil.copytree(ROOT / name, place / name, ignore=forget)
    for name in ("pyproject.toml", "README.md", "CHANGELOG.md", "CITATION.cff", "constraints.txt", "Makefile"):
        shutil.copy(ROOT / name, place / name)
    run_suite(place)


def test_the_suite_passes_without_a_home_that_can_be_written(tmp_path):
    (tmp_path / "file").write_text("no folder")
    home = str(tmp_path / "file" / "home")
    run_suite(ROOT, HOME=home, XDG_CACHE_HOME=home, XDG_CONFIG_HOME=home, MPLCONFIGDIR=str(tmp_path))


def test_the_suite_passes_in_the_c_locale():
    run_suite(ROOT, LANG="C", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0", PYTHONIOENCODING=None)


def test_the_suite_passes_without_a_network():
    if not may_leave_the_network():
        pytest.skip("this machine does not let a process leave the network")
    run_suite(ROOT, prefix=("unshare", "-r", "-n", "sh", "-c", 'ip link set lo up && exec "$0" "$@"'))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_suite_passes_in_any_order_with_any_hash_seed(seed):
    run_suite(ROOT, PYTHONHASHSEED=str(seed), PLICA_TEST_ORDER=str(1000 + seed))
