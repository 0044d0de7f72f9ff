"""Figures as files: the picture is one, the table holds what was drawn, wrong requests are refused before anything runs."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from typer.testing import CliRunner

from plica.claims import Evidence, control, row, write_figure
from plica.claims._export import figure_data
from plica.claims._figure import new_axes, predicted_and_measured
from plica.cli import app
from plica.errors import InvalidInput

STARTS = {".pdf": b"%PDF", ".svg": b"<?xml", ".png": b"\x89PNG"}


@pytest.mark.parametrize("suffix", STARTS)
def test_a_figure_and_its_numbers_are_written_and_the_same_again(tmp_path, suffix: str) -> None:
    paths = [tmp_path / f"{name}{suffix}" for name in "ab"]
    for path in paths:
        done = CliRunner().invoke(app, ["figure", "binomial-sum", "--out", str(path), "--size", "5,4"])
        assert done.exit_code == 0, done.output
    assert paths[0].read_bytes().startswith(STARTS[suffix]) and paths[0].read_bytes() == paths[1].read_bytes()
    rows = list(csv.DictReader(paths[0].with_suffix(".csv").read_text(encoding="utf-8").splitlines()))
    assert rows and all(np.isfinite(float(r["x"])) for r in rows if r["kind"] == "line")


def test_the_table_holds_lines_bars_points_paths_images_and_words() -> None:
    from matplotlib.collections import PolyCollection

    ax = new_axes()
    ax.plot([1, 2], [3, 4], label="a line")
    ax.bar([0.5], [7], width=1.0)
    ax.scatter([8], [9], c=[0.25])
    ax.add_collection(PolyCollection([[(0, 0), (1, 0), (0, 1)]]))
    ax.imshow(np.array([[10.0, 11.0]]))
    ax.set_yticks([0, 1], ["low", "high"])
    found = figure_data(ax.figure)
    kinds = {entry[1] for entry in found}
    assert kinds == {"line", "bar", "points", "path", "image", "tick of y"}
    assert (0, "line", "a line", 0, 2.0, 4.0, None) in found
    assert next(entry[4:] for entry in found if entry[1] == "bar") == (1.0, 7.0, None)
    assert next(entry[4:] for entry in found if entry[1] == "points") == (8.0, 9.0, 0.25)
    assert [entry[6] for entry in found if entry[1] == "image"] == [10.0, 11.0]
    assert [entry[2] for entry in found if entry[1] == "tick of y"] == ["low", "high"]


def test_panels_inside_of_axes_and_words_at_points_are_in_the_table() -> None:
    ax = new_axes()
    ax.set_axis_off()
    inner = ax.inset_axes((0, 0, 0.5, 0.5))
    inner.plot([1.0], [2.0], label="within")
    inner.annotate("who", (1.0, 2.0), (4, 5), textcoords="offset points")
    inner.text(3, 4, "here")
    inner.text(0.5, 0.5, "in the corner of the picture", transform=inner.transAxes)
    assert figure_data(ax.figure) == [
        (1, "line", "within", 0, 1.0, 2.0, None),
        (1, "text", "who", 0, 1.0, 2.0, None),
        (1, "text", "here", 0, 3.0, 4.0, None),
    ]


def test_every_panel_of_the_sweep_leaves_its_numbers(tmp_path) -> None:
    done = CliRunner().invoke(app, ["figure", "hyperplane-sweep", "--out", str(tmp_path / "Sweep.PNG")])
    assert done.exit_code == 0 and (tmp_path / "Sweep.PNG").read_bytes().startswith(STARTS[".png"])
    rows = list(csv.DictReader((tmp_path / "Sweep.csv").read_text(encoding="utf-8").splitlines()))
    assert len({r["axes"] for r in rows}) == 4


def test_numbers_on_short_logarithmic_axes_are_few() -> None:
    def drawn(ax) -> None:
        ax.plot([4, 70], [1, 1e6])
        ax.set(xscale="log", yscale="log")

    ax = Evidence([row(1, "=", 1)], draw=drawn).plot()
    ax.figure.canvas.draw()
    labels = [label.get_text() for which in ("major", "minor") for label in ax.get_xticklabels(which=which)]
    low, high = ax.get_xlim()
    places = [float(text) for text in labels if text]
    assert [v for v in places if low <= v <= high] == [5, 10, 20, 50]
    assert not any(label.get_text() for label in ax.get_yticklabels(which="minor"))


def test_a_long_name_of_an_axis_goes_on_in_a_second_line() -> None:
    long = "area of the surface over that of the square it is made of"

    def drawn(ax) -> None:
        ax.plot([0, 1])
        ax.set(xlabel="short", ylabel=long)

    ax = Evidence([row(1, "=", 1)], draw=drawn).plot()
    assert ax.get_ylabel().count("\n") == 1 and ax.get_ylabel().replace("\n", " ") == long and ax.get_xlabel() == "short"


def test_letters_on_an_image_do_not_turn_with_the_paper() -> None:
    from plica._palette import INK, ON_DARK

    def drawn(ax) -> None:
        ax.imshow(np.eye(2))
        ax.text(0, 0, "on it", color=INK)
        ax.set_xlabel("beside it")

    svg = Evidence([row(1, "=", 1)], draw=drawn).svg()
    on, beside = (next(line for line in svg.splitlines() if f">{words}<" in line) for words in ("on it", "beside it"))
    assert ON_DARK[INK].lower() not in on.lower() and ON_DARK[INK].lower() in beside.lower()


def test_what_cannot_be_drawn_is_said(tmp_path) -> None:
    words = Evidence([control("a", "=", "a")])
    with pytest.raises(InvalidInput, match="nothing to draw"):
        write_figure(words, tmp_path / "f.pdf")
    with pytest.raises(InvalidInput, match="unknown kind of picture"):
        write_figure(Evidence([row(1, "=", 1)]), tmp_path / "f.gif")
    assert not list(tmp_path.iterdir())
    for wrong in (
        ["no-such-claim"],
        ["binomial-sum", "--out", "x.gif"],
        ["binomial-sum", "--size", "0,9"],
        ["binomial-sum", "--scale", "x"],
        ["binomial-sum", "--out", "no/such/folder/x.pdf"],
    ):
        done = CliRunner().invoke(app, ["figure", *wrong])
        assert done.exit_code == 2, done.output


def test_rows_without_a_parameter_are_labeled_by_those_they_have() -> None:
    ax = new_axes()
    rows = [row(1, "=", 1, widths="2-2-1", seed=7), row(1, "=", 1, widths="2-3-1", seed=8), row(2, "=", 2, widths="1-2-1")]
    predicted_and_measured(Evidence(rows), ax)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["2-2-1, 7", "2-3-1, 8", "1-2-1"]
