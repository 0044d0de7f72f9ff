"""The table and the ways out of it."""

import csv
import io
import json
import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plica.errors import InvalidInput, MissingExtra
from plica.sweeps import Sweep, Verification, run, verify
from plica.sweeps._table import sort_key


def value(depth, kind, rng):
    if depth == 10 and kind == "a":
        raise ValueError("not this one")
    return {
        "loss": depth + rng.normal() * 1e-3,
        "w": np.arange(3) * depth,
        "big": np.zeros(1000),
        "ok": True,
        "depth": -depth,
        "hole": None,
        "ratio": math.inf,
    }


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    sweep = Sweep(value, grid={"depth": [10, 2], "kind": ["b", "a"]}, seeds=[3, 1])
    return run(sweep, store=tmp_path_factory.mktemp("table") / "s.db")


def test_rows_are_sorted_by_value_not_by_text(table):
    order = [(row.parameters["depth"], row.parameters["kind"], row.seed) for row in table]
    assert order == [(d, k, s) for d in (2, 10) for k in ("a", "b") for s in (1, 3)]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(st.lists(st.dictionaries(st.sampled_from("abc"), json_values), max_size=5))
def test_any_parameters_can_be_sorted(points):
    def keys(some):
        return sorted(sort_key(point, seed=0) for point in some)

    assert keys(points) == keys(reversed(points))


def test_column_is_an_array_over_the_finished_rows(table):
    assert len(table.done) == 6 and len(table.failed) == 2 and len(table) == 8
    assert np.abs(table["loss"] - [2, 2, 2, 2, 10, 10]).max() < 0.01
    assert table["w"].shape == (6, 3) and table["big"].shape == (6, 1000)
    assert table["depth"].tolist() == [-2] * 4 + [-10] * 2  # the value comes before the parameter
    assert table["seed"].tolist() == [1, 3, 1, 3, 1, 3]
    with pytest.raises(InvalidInput, match="loss"):
        table["lots"]


def test_selection_and_summary(table):
    assert len(table.select(kind="a", depth=2)) == 2
    summary = table.summary("loss", by="kind")
    assert [(entry.group, entry.n) for entry in summary] == [({"kind": "a"}, 2), ({"kind": "b"}, 4)]
    numbers = [row["loss"] for row in table.done if row.parameters["kind"] == "b"]
    assert summary[1].mean == pytest.approx(np.mean(numbers), rel=1e-12)
    assert summary[1].standard_error == pytest.approx(np.std(numbers, ddof=1) / 2, rel=1e-12)
    assert len(table.summary("loss")) == 3


def test_json_is_strict_and_holds_every_number(table):
    text = table.to_json()

    def refuse(name):
        raise AssertionError(f"{name} is not JSON")

    document = json.loads(text, parse_constant=refuse)
    assert document == table.to_dict()
    row = document["rows"][0]
    assert row["values"]["loss"] == table["loss"][0]
    assert row["values"]["w"] == {"$array": {"dtype": "<i8", "shape": [3], "values": [0, 2, 4]}}
    assert row["values"]["ratio"] == {"$float": "inf"}
    assert row["values"]["big"]["$file"]["shape"] == [1000]
    assert document["rows"][4]["error"] == "ValueError: not this one"


def test_csv_reads_back_with_all_digits(table):
    lines = list(csv.DictReader(io.StringIO(table.to_csv())))
    assert [float(line["loss"]) for line in lines if line["status"] == "done"] == table["loss"].tolist()
    assert [line["depth"] for line in lines] == ["2"] * 4 + ["10"] * 4
    assert lines[0]["value.depth"] == "-2" and lines[0]["w"] == "[0,2,4]" and lines[0]["ok"] == "true"
    assert lines[0]["ratio"] == "inf" and lines[0]["hole"] == "" and lines[4]["error"] == "ValueError: not this one"


def test_parquet_reads_back(table, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    table.to_parquet(tmp_path / "t.parquet")
    back = parquet.read_table(tmp_path / "t.parquet").to_pydict()
    assert [x for x in back["loss"] if x is not None] == table["loss"].tolist()
    assert back["depth"] == [2] * 4 + [10] * 4 and back["w"][0] == [0, 2, 4]


def test_missing_pyarrow_is_named_with_the_command_that_installs_it(table, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match="plica\\[parquet\\]"):
        table.to_parquet(tmp_path / "t.parquet")


def test_html_is_escaped(tmp_path):
    table = run(Sweep(lambda text: {"x": text}, grid={"text": ["<script>"]}, name="html"), store=tmp_path / "s.db")
    assert "<script>" not in table._repr_html_() and "&lt;script&gt;" in table._repr_html_()
    assert repr(table) == "Table('html', 1 done, 0 failed)"


def test_plot_draws_one_line_for_each_group(table):
    from matplotlib.figure import Figure

    ax = table.plot("depth", "loss", by="kind", ax=Figure().subplots())
    assert len(ax.containers) == 2 and ax.get_xlabel() == "depth"


STATE = {"shift": 0.0}


def fickle(i, rng):
    return {"x": rng.normal() + (STATE["shift"] if i == 7 else 0.0)}


def test_verify_finds_what_does_not_come_out_again(tmp_path):
    sweep, path = Sweep(fickle, grid={"i": range(20)}), tmp_path / "s.db"
    run(sweep, store=path)
    assert verify(sweep, store=path, fraction=1.0) == Verification(20, 20, ())
    assert verify(sweep, store=path, seed=0).n_checked == 1
    assert len({verify(sweep, store=path, fraction=0.3, seed=s).n_checked for s in range(3)}) == 1
    STATE["shift"] = 1e-15
    found = verify(sweep, store=path, fraction=1.0)
    STATE["shift"] = 0.0
    assert [difference.parameters for difference in found.differences] == ['{"i":7}'] and not found.holds
    with pytest.raises(InvalidInput, match="fraction"):
        verify(sweep, store=path, fraction=0)
    with pytest.raises(Exception, match="no results"):
        verify(Sweep(fickle, grid={"i": range(20)}, version="2"), store=path)
