"""What an installation is made of: pinned by hash, listed with its licences."""

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LINE = re.compile(r"([a-z0-9.-]+)==([^ ]+) --hash=sha256:[0-9a-f]{64}")


def tool(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def locked():
    lines = [line for line in (ROOT / "requirements.lock").read_text().splitlines() if not line.startswith("#")]
    assert all(LINE.fullmatch(line) for line in lines)
    return dict(LINE.fullmatch(line).groups() for line in lines)


def test_everything_that_is_declared_is_locked(locked):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = [
        *project["dependencies"],
        *(r for e in ("dev", "onnx", "cluster", "web") for r in project["optional-dependencies"][e]),
    ]
    names = {tool("sbom").canonical(re.match(r"[A-Za-z0-9._-]+", r)[0]) for r in declared}
    assert names <= set(locked)


def test_what_the_constraints_pin_is_locked_to_the_same_version(locked):
    pins = [line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line and line[0] != "#"]
    assert pins and all(locked[name] == version for name, version in pins)


def test_everything_that_is_needed_is_locked(locked):
    assert set(tool("sbom").needed()) - {"plica"} <= set(locked)


def test_the_bill_of_materials_names_every_part_with_a_licence():
    sbom = tool("sbom")
    document = sbom.document(sbom.needed())
    assert document["metadata"]["component"]["name"] == "plica"
    names = {c["name"] for c in document["components"]}
    assert {"numpy", "scipy", "numba", "torch", "safetensors", "matplotlib"} <= names
    unstated = [c["name"] for c in document["components"] if c["licenses"][0]["license"]["name"] == "not stated"]
    assert unstated == []


def test_a_line_of_the_lock_is_the_file_that_pip_would_take():
    entry = {
        "metadata": {"name": "A_b", "version": "1.0+cpu"},
        "download_info": {"archive_info": {"hashes": {"sha256": "0" * 64}}},
    }
    assert tool("lock").lines([entry]) == ["a-b==1.0 --hash=sha256:" + "0" * 64]
