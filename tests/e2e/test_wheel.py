"""The wheel, in an environment that has nothing but what it requires: the commands that need no extras."""

import os
import subprocess
import sys
import venv
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement
from patience import patient

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]


def required(name: str, found: dict[str, Distribution]) -> dict[str, Distribution]:
    """The distributions that one requires without extras, and those that these require."""
    for text in distribution(name).requires or []:
        wanted = Requirement(text)
        if wanted.name in found or (wanted.marker is not None and not wanted.marker.evaluate({"extra": ""})):
            continue
        try:
            found[wanted.name] = distribution(wanted.name)
        except PackageNotFoundError:  # for another platform
            continue
        required(wanted.name, found)
    return found


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment with the wheel, as pip installs it, and links to what it requires."""
    pytest.importorskip("build", reason="the builder of wheels is not installed")
    pytest.importorskip("hatchling", reason="the builder of wheels is not installed")
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True, timeout=patient(60))
    venv.create(folder / "env", with_pip=False)
    python = folder / "env" / "bin" / "python"
    (wheel,) = folder.glob("plica-*.whl")
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", "-q", str(wheel)]
    subprocess.run(install, check=True, capture_output=True, timeout=patient(60))
    site = next((folder / "env" / "lib").glob("python*")) / "site-packages"
    for one in required("plica", {}).values():
        for top in {file.parts[0] for file in one.files or [] if file.parts[0] not in ("..", "__pycache__")}:
            source = Path(str(one.locate_file(top)))
            if source.exists() and not (site / top).exists():
                (site / top).symlink_to(source)
    return python


def run(python: Path, folder: Path, *arguments: str) -> str:
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run(
        [str(python), *arguments],
        cwd=folder,
        env={**env, "MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        timeout=patient(120),
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_has_what_it_needs(environment: Path, tmp_path: Path) -> None:
    code = (
        "import plica, importlib.util as u; print(plica.__file__); print([u.find_spec(n) for n in ('onnx', 'dask', 'fastapi')])"
    )
    where, extras = run(environment, tmp_path, "-c", code).splitlines()
    assert Path(where).is_relative_to(environment.parents[1]) and extras == "[None, None, None]"
    assert run(environment, tmp_path, "-m", "plica", "--version").startswith("plica ")


def test_demo_regions_and_report_need_no_extras(environment: Path, tmp_path: Path) -> None:
    run(environment, tmp_path, "-m", "plica", "demo", "--out", "demo.html", "--quiet")
    (model,) = tmp_path.glob("*.safetensors")
    told = run(environment, tmp_path, "-m", "plica", "regions", model.name, "--box", "-1,1", "--json", "--plot", "r.svg")
    assert '"finished": true' in told and (tmp_path / "r.svg").stat().st_size > 1000
    rng = np.random.default_rng(0)
    np.save(tmp_path / "x.npy", rng.uniform(-1, 1, (20, 2)))
    run(
        environment,
        tmp_path,
        "-m",
        "plica",
        "report",
        model.name,
        "--data",
        "x.npy",
        "--out",
        "report.html",
        "--max-seconds",
        "10",
    )
    assert "<html" in (tmp_path / "report.html").read_text(encoding="utf-8")[:200]
