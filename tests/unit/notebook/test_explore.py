"""The widget without a browser: what the kernel sends, what it answers, and that the page's modules fit in one text."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import plica
from plica.errors import InvalidInput, MissingExtra, PlicaError
from plica.notebook import _explore, explore
from plica.notebook._picture import arrays_of
from plica.web import bundle

NET = plica.random_network([2, 8, 8, 1], seed=0, weights="he-normal", bias_std=0.5)


def sent(widget: Any) -> dict[str, np.ndarray]:
    return {name: np.frombuffer(entry["bytes"], entry["type"]) for name, entry in widget.arrays.items()}


def test_the_page_gets_the_cells_of_its_window() -> None:
    pytest.importorskip("anywidget", reason="anywidget is not installed")
    widget = explore(NET)
    assert widget.facts["n_cells"] == 84 == plica.count_regions(NET, plica.Box([-1, -1], [1, 1])).n_cells
    widget.window = [-0.5, 0.25, 0.0, 0.75]
    cx = plica.decompose(NET, plica.Box([-0.5, 0.0], [0.25, 0.75]))
    arrays = sent(widget)
    assert widget.facts["n_cells"] == cx.n_cells == len(arrays["first"]) - 1 == len(arrays["areas"])
    assert widget.facts["home"] == [-1, 1, -1, 1], "the painter asks whether the picture before is of the same plane"
    assert np.allclose(arrays["vertices"].reshape(-1, 2) * 0.75 + [-0.5, 0.0], cx.vertices, atol=1e-6)
    x = np.array([0.1, 0.3])
    a, b, c = arrays["maps"].reshape(-1, 3)[cx.cell_at(x)]
    assert np.isclose(a * x[0] + b * x[1] + c, NET(x)[0], rtol=1e-5)
    widget.window = [0.0, 0.0, 1.0, 2.0]
    assert "empty" in widget.problem and widget.facts["n_cells"] == cx.n_cells  # the last picture stays


def test_a_plane_through_points_of_a_larger_network() -> None:
    pytest.importorskip("anywidget", reason="anywidget is not installed")
    net = plica.random_network([5, 6, 2], seed=1, weights="he-normal", bias_std=0.5)
    points = np.random.default_rng(0).normal(size=(3, 5))
    widget = explore(net, plane=plica.Plane.through(*points, margin=0.2))
    a, b, c = sent(widget)["maps"].reshape(-1, 3)[widget.complex.cell_at([0.2, 0.3])]
    x = points[0] + 0.2 * (points[1] - points[0]) + 0.3 * (points[2] - points[0])
    assert np.isclose(0.2 * a + 0.3 * b + c, net(x)[0], rtol=1e-5)


def test_what_cannot_be_shown_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidInput, match="3 inputs, a picture has two"):
        explore(plica.random_network([3, 4, 1], seed=0))
    with pytest.raises(InvalidInput, match="size = 5"):
        explore(NET, size=5)
    with pytest.raises(InvalidInput, match="box"):
        explore(NET, box=(1.0, -1.0))
    monkeypatch.setitem(__import__("sys").modules, "anywidget", None)
    _explore._widget_class.cache_clear()
    with pytest.raises(MissingExtra, match="anywidget"):
        explore(NET)
    _explore._widget_class.cache_clear()


def test_the_bundle_is_one_module(tmp_path: Path) -> None:
    text = _explore._text()
    assert "import {" not in text and text.count("export ") == 1 and "class FlatPainter" in text and "class Mesh" in text
    if node := shutil.which("node"):
        (tmp_path / "widget.mjs").write_text(text)
        subprocess.run([node, "--check", str(tmp_path / "widget.mjs")], check=True, capture_output=True)


def test_modules_are_run_after_what_they_import(tmp_path: Path) -> None:
    texts = {
        "a.js": "export function twice(x) {\n  return 2 * x;\n}\nexport const one = 1;\n",
        "b.js": 'import { one as first, twice } from "./a.js";\nconst hidden = 3;\n'
        "export class B {\n  go() { return twice(first) + hidden; }\n}\n",
        "c.js": 'import { B } from "./b.js";\nimport { one } from "./a.js";\nconsole.log(new B().go() + one);\n',
    }
    made = bundle(texts, "c.js")
    assert made.index("$a = ") < made.index("$b = ")
    if node := shutil.which("node"):
        (tmp_path / "c.mjs").write_text(made)
        out = subprocess.run([node, str(tmp_path / "c.mjs")], check=True, capture_output=True, text=True)
        assert out.stdout.strip() == "6"
    with pytest.raises(PlicaError, match="missing or imports itself"):
        bundle({"a.js": 'import { x } from "./gone.js";\n'}, "a.js")
    with pytest.raises(PlicaError, match="cannot be bundled"):
        bundle({"a.js": 'import x from "./b.js";\n', "b.js": ""}, "a.js")
    with pytest.raises(PlicaError, match="cannot be bundled"):  # its names would not be found, and the page stay empty
        bundle({"a.js": 'import { x } from "./b.js";\n', "b.js": "export const [x, y] = [1, 2];\n"}, "a.js")


def test_results_show_colors_and_networks_their_graph() -> None:
    cx = plica.decompose(NET, plica.Box([-1, -1], [1, 1]))
    shown = cx._repr_html_()
    fills = [part.split('"')[0] for part in shown.split('fill="#')[1:]]
    assert len(set(fills)) > 5 and "color of output 0" in shown and "<table>" in shown
    assert sum(path.count("Z") for path in shown.split("<path")) == cx.n_cells  # every cell is filled once
    graph = NET._repr_html_()
    assert graph.count("<rect") == len(NET.nodes) and "linear" in graph and "<table>" in graph
    assert arrays_of(cx, (-1, 1, -1, 1))["edges"].max() < cx.n_vertices
