"""300,000 networks against the rational oracles, in parts that a later run does not repeat; and the record that is published."""

import importlib.util
import json
import re
import sys
from pathlib import Path

import pytest

from plica.testing import FAMILIES

ROOT = Path(__file__).parent.parent.parent
N_PARTS, N_NETWORKS = 100, 3_000


def tool():
    spec = importlib.util.spec_from_file_location("try_networks", ROOT / "tools" / "try_networks.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["try_networks"] = module
    spec.loader.exec_module(module)
    return module


def test_a_record_is_continued_with_new_seeds(tmp_path):
    module, path = tool(), tmp_path / "tried.json"
    first = module.try_networks(path, networks=40, families=["integer", "ternary"])
    again = module.try_networks(path, networks=40, families=["integer", "ternary"])
    assert (first.networks, again.networks) == (40, 80)
    assert again.next_seed == {"integer": module.FIRST_SEED + 40, "ternary": module.FIRST_SEED + 40}
    assert again.cells > first.cells > 40
    assert again.failures == []
    assert module.Record.read(path) == again


def test_a_failure_is_recorded_and_does_not_end_the_run(tmp_path, monkeypatch):
    module = tool()

    def broken(**_):
        raise AssertionError("draw_case('integer', seed=1): wrong")

    monkeypatch.setattr(module, "check_engine", broken)
    record = module.try_networks(tmp_path / "tried.json", networks=60, families=["integer"])
    assert record.networks == 60
    assert record.failures == ["draw_case('integer', seed=1): wrong"] * 3


def test_the_published_count_is_the_record_s():
    record = json.loads((ROOT / "tests" / "conformance" / "tried.json").read_text())
    assert set(record["next_seed"]) <= set(FAMILIES)
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    ((tried, wrong),) = re.findall(r"(?s)`tools/try_networks.py`.*?: ([\d,]+) networks so far, (\d+) of them", text)
    assert (int(tried.replace(",", "")), int(wrong)) == (record["networks"], len(record["failures"]))


@pytest.mark.endurance
@pytest.mark.parametrize("part", range(N_PARTS))
def test_many_networks_are_right(part, request):
    """Parts that were finished stay so until the cache of pytest is cleared."""
    folder = request.config.cache.mkdir("tried")
    path = Path(folder) / f"{part}.json"
    module = tool()
    module.FIRST_SEED = 1_000_000 + part * 10_000
    done = module.Record.read(path).networks
    if done < N_NETWORKS:
        module.try_networks(path, networks=N_NETWORKS - done)
    assert module.Record.read(path).failures == []
