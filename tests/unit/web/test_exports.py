"""What leaves the explorer is read by others: XML and PNG readers, numpy, json, Python itself."""

import io
import json
import subprocess
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from patience import patient

import plica
from plica.errors import InvalidInput
from plica.web import Limits, State
from plica.web._exports import MIME, export
from plica.web._picture import decomposed
from plica.web._scene import scene_of


def scene(query, files=lambda digest: b""):
    return scene_of(State.from_query(query), files)


def content(query, kind):
    return export(scene(query), kind, Limits(max_seconds=patient(30)))[2]


def test_the_svg_is_xml_with_title_axes_and_parameters():
    text = content("data=moons&widths=6-6&step=10", "svg").decode()
    root = ET.fromstring(text)  # noqa: S314 our own file
    words = " ".join(element.text or "" for element in root.iter() if element.tag.endswith("text"))
    regions = decomposed(scene("data=moons&widths=6-6&step=10"), Limits(max_seconds=patient(30))).n_regions
    assert f"{regions} regions" in words and "2-6-6-1" in words and "seed 0" in words and "class 1" in words


def test_folds_in_the_svg_have_the_colors_of_the_page_and_none_that_of_the_boundary():
    from plica import _palette as palette

    text = content("data=moons&widths=6-6&step=10", "svg").decode().lower()
    first, second, third = (color.lower() for color in palette.SCREEN["light"]["layers"][:3])
    cx = decomposed(scene("data=moons&widths=6-6&step=10"), Limits(max_seconds=patient(30)))
    strokes = {color: text.count(f"stroke: {color}") for color in (first, second, third)}
    assert strokes[first] > len(cx.folds(0)) / 2 and strokes[second] > 0 and strokes[third] == 0
    assert palette.INK.lower() not in (first, second), "the boundary is drawn in ink"
    assert f"stroke: {first}" not in content("data=moons&widths=6-6&step=10&folds=0", "svg").decode().lower()


def test_the_png_is_a_picture():
    from PIL import Image

    with Image.open(io.BytesIO(content("data=sine&widths=4", "png"))) as image:
        image.load()
        assert image.size[0] > 1000


def test_the_npz_and_the_json_hold_the_same_complex(tmp_path):
    query = "data=circles&widths=6-6&step=25"
    document = json.loads(content(query, "json"))
    (tmp_path / "c.npz").write_bytes(content(query, "npz"))
    with np.load(tmp_path / "c.npz", allow_pickle=False) as arrays:
        assert len(arrays.files) > 3
    cx = plica.Complex.load(tmp_path / "c.npz")
    assert document["n_regions"] == cx.n_regions and document["n_cells"] == cx.n_cells
    assert np.allclose(document["vertices"], cx.vertices)
    assert State.from_query(document["state"]).step == 25


def test_the_model_is_the_network(tmp_path):
    (tmp_path / "m.safetensors").write_bytes(content("widths=5-4&step=7", "safetensors"))
    points = np.random.default_rng(0).standard_normal((20, 2))
    assert np.array_equal(plica.load(tmp_path / "m.safetensors")(points), scene("widths=5-4&step=7").network(points))


SNIPPETS = [
    "widths=8-8&seed=3",
    "widths=8-8&seed=3&init=torch-default",
    "widths=16-16&step=40&window=-0.5,0.75,-1,1",
    "data=sine&widths=4&step=20",
    "widths=5-5-5&act=abs,hard-tanh,leaky-relu",
    "data=square&init=square&widths=4-4-4",
    "init=folding&widths=6-6",
]


def test_the_python_of_every_state_gives_the_same_counts(tmp_path):
    """All snippets in one process, each as it was copied."""
    for i, query in enumerate(SNIPPETS):
        (tmp_path / f"snippet{i}.py").write_bytes(content(query, "python"))
    runner = "import runpy\n" + "".join(f"runpy.run_path({str(tmp_path / f'snippet{i}.py')!r})\n" for i in range(len(SNIPPETS)))
    done = subprocess.run([sys.executable, "-c", runner], capture_output=True, text=True, timeout=patient(120))
    assert done.returncode == 0, done.stderr
    for query, line in zip(SNIPPETS, done.stdout.splitlines(), strict=True):
        cx = decomposed(scene(query), Limits(max_seconds=patient(30)))
        assert line == f"{cx.n_cells} cells {cx.n_regions} regions", query


@pytest.mark.slow
def test_the_python_of_a_model_gives_the_same_counts(tmp_path):
    plica.save(plica.random_network([4, 10, 10, 2], seed=5, bias_std=0.2, weights="he-normal"), tmp_path / "mine.safetensors")
    rows = np.random.default_rng(2).standard_normal((6, 4))
    np.save(tmp_path / "data.npy", rows)
    files = {"a" * 64: (tmp_path / "mine.safetensors").read_bytes(), "b" * 64: (tmp_path / "data.npy").read_bytes()}
    for link in ("", f"&rows={'b' * 64}&through=3,0,5"):
        own = scene(f"data=model&model={'a' * 64}{link}", files.__getitem__)
        code = export(own, "python", Limits(max_seconds=patient(30)), model_name="mine.safetensors")[2].decode()
        done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=patient(60))
        cx = decomposed(own, Limits(max_seconds=patient(30)))
        assert done.stdout.strip() == f"{cx.n_cells} cells {cx.n_regions} regions", done.stderr


def test_a_smooth_network_exports_its_values_only():
    smooth = scene("act=tanh&widths=3&step=3")
    code = export(smooth, "python", Limits(max_seconds=patient(30)))[2].decode()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=patient(60))
    from plica.web._smooth import evaluate

    expected = evaluate(smooth.layers, smooth.state.activations, np.zeros((1, 2)))[-1]
    assert float(done.stdout.strip().strip("[]")) == pytest.approx(float(expected[0, 0]), rel=1e-6)
    for kind in set(MIME) - {"python"}:
        with pytest.raises(InvalidInput, match="tanh"):
            export(smooth, kind, Limits(max_seconds=patient(30)))


def test_an_unknown_export_is_refused():
    with pytest.raises(InvalidInput, match="one of svg"):
        export(scene(""), "exe", Limits(max_seconds=patient(30)))
