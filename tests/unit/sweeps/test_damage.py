"""Bits flip and files are cut short: damage is noticed, and only what is damaged is computed again."""

import random
import shutil

import pytest

from plica.sweeps import Store, StoreError, Sweep, check_store, run

CALLS = []


def value(i, rng):
    CALLS.append(i)
    return {"x": rng.normal(), "text": "abc" * i, "a": rng.normal(size=1000 if i % 5 == 0 else 3)}


SWEEP = Sweep(value, grid={"i": range(30)})


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    path = tmp_path_factory.mktemp("undisturbed") / "s.db"
    return path, run(SWEEP, store=path).to_json()


@pytest.fixture
def copy(undisturbed, tmp_path):
    path = tmp_path / "s.db"
    shutil.copy(undisturbed[0], path)
    shutil.copytree(f"{undisturbed[0]}.files", f"{path}.files")
    CALLS.clear()
    return path


def flip(path, position, bit):
    content = bytearray(path.read_bytes())
    content[position] ^= 1 << bit
    path.write_bytes(content)


def array_files(path):
    return sorted(path.with_name(path.name + ".files").glob("??/*.npy"))


def test_intact_store_computes_nothing(copy, undisturbed):
    assert run(SWEEP, store=copy).to_json() == undisturbed[1]
    assert CALLS == []
    assert check_store(copy).is_intact


@pytest.mark.parametrize("seed", range(25))
def test_flipped_bit_anywhere_in_the_database_never_changes_the_table(copy, undisturbed, seed):
    generator = random.Random(seed)
    flip(copy, generator.randrange(100, copy.stat().st_size), generator.randrange(8))
    table = run(SWEEP, store=copy)
    assert table.to_json() == undisturbed[1]
    assert len(CALLS) <= 12  # at most the rows of a page
    assert run(SWEEP, store=copy).n_earlier == 30


@pytest.mark.parametrize("position", range(0, 100, 9))
def test_flipped_bit_in_the_header_is_repaired_or_refused(copy, undisturbed, position):
    before = copy.read_bytes()
    flip(copy, position, 1)
    try:
        assert run(SWEEP, store=copy).to_json() == undisturbed[1]
    except StoreError:  # no longer known as ours; the file is untouched
        assert copy.stat().st_size == len(before)


def test_every_bit_of_one_row_is_watched(copy, undisturbed):
    content = copy.read_bytes()
    start = content.index(b"abc" * 29) - 200
    for position in range(start, start + 300, 23):
        copy.write_bytes(content)
        flip(copy, position, position % 8)
        assert run(SWEEP, store=copy).to_json() == undisturbed[1]


def test_truncated_database_keeps_the_rows_that_are_left(copy, undisturbed):
    content = copy.read_bytes()
    copy.write_bytes(content[: -2 * 4096])
    table = run(SWEEP, store=copy)
    assert table.to_json() == undisturbed[1]
    assert 0 < table.n_earlier < 30
    assert copy.with_name("s.db.damaged-1").exists()


def test_damaged_database_is_not_rebuilt_under_the_feet_of_another_process(copy):
    with Store(copy):
        content = copy.read_bytes()
        copy.write_bytes(content[:8192] + bytes(len(content) - 8192))
        with pytest.raises(StoreError, match="another process"):
            Store(copy)


@pytest.mark.parametrize("how", ["flipped", "truncated", "emptied", "deleted"])
def test_damaged_array_is_computed_again(copy, undisturbed, how):
    file = array_files(copy)[2]
    content = file.read_bytes()
    if how == "flipped":
        flip(file, len(content) // 2, 3)
    elif how == "deleted":
        file.unlink()
    else:
        file.write_bytes(content[:100] if how == "truncated" else b"")
    assert check_store(copy).n_damaged_arrays == 1
    table = run(SWEEP, store=copy)
    assert table.n_damaged == 1 and len(CALLS) == 1
    assert table.to_json() == undisturbed[1]
    assert file.read_bytes() == content


def test_damaged_array_is_never_handed_out(copy):
    table = run(SWEEP, store=copy)
    flip(array_files(copy)[0], 500, 0)
    with pytest.raises(StoreError, match="damaged"):
        [row.values["a"] for row in table.rows]


def test_damaged_row_is_counted_by_the_check_without_computing(copy):
    content = copy.read_bytes()
    flip(copy, content.index(b"abc" * 29) + 7, 0)
    found = check_store(copy)
    assert (found.n_rows, found.n_damaged_rows, found.is_intact) == (30, 1, False)
    assert CALLS == []
