"""Any bytes get an answer or a typed error, within 5 seconds of processor time and a gigabyte."""

import os
import resource
import signal
import traceback
from pathlib import Path
from random import Random

import pytest
from readers import READERS
from tally import tally

from mutations import mutated
from plica.errors import PlicaError

HERE = Path(__file__).parent
CORPUS = HERE / "corpus"
N_CASES, N_PARTS = 600, 40
N_SLOW_CASES = 1_000_000 // N_PARTS


class TooSlow(Exception):
    pass


def answer(reader, path, content):
    """None, or what went wrong."""
    path.write_bytes(content)

    def stop(*_):
        raise TooSlow("5 seconds of processor time")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, 5.0)
    try:
        reader.read(path)
    except PlicaError as error:
        return None if error.message.strip() else "an error without words"
    except Exception:
        return traceback.format_exc(limit=-3)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
    return None


def attack(name, n_cases, seed, folder):
    reader, rng = READERS[name], Random(f"{name} {seed}")
    corpus = reader.seeds(folder)
    path = folder / f"case{reader.suffix}"
    for content in corpus:
        assert answer(reader, path, content) is None
    reader.read(path)  # the last seed is read without an error of any kind
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for number in range(n_cases):
        content = mutated(corpus, rng) if reader.change is None or rng.random() < 0.5 else reader.change(rng.choice(corpus), rng)
        trouble = answer(reader, path, content)
        if trouble is not None:
            kept = Path(os.environ.get("PLICA_FUZZ_KEEP", folder)) / f"{name}-{seed}-{number}{reader.suffix}"
            kept.write_bytes(content)
            pytest.fail(f"{kept} ({len(content)} bytes)\n{trouble}")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 2**20  # kilobytes
    tally("changed files", n_cases)


@pytest.mark.parametrize("name", READERS)
def test_changed_files_get_a_typed_answer(name, tmp_path):
    attack(name, N_CASES, 0, tmp_path)


@pytest.mark.parametrize("path", sorted(p for p in CORPUS.iterdir() if p.suffix != ".md"), ids=lambda p: p.name)
def test_files_that_once_escaped_get_a_typed_answer(path, tmp_path):
    reader = next(reader for name, reader in READERS.items() if path.name.startswith(f"{name}-"))
    reader.seeds(tmp_path)
    assert answer(reader, tmp_path / f"case{reader.suffix}", path.read_bytes()) is None


@pytest.mark.slow
@pytest.mark.parametrize("part", range(N_PARTS))
def test_a_million_changed_files_get_a_typed_answer(part, tmp_path):
    names = list(READERS)
    for i, name in enumerate(names):
        (folder := tmp_path / str(i)).mkdir()
        attack(name, N_SLOW_CASES // len(names) + 1, f"part {part}", folder)
