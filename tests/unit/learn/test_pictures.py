"""A training as a GIF, as a page, and the report on an open question."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from patience import patient

import plica
import plica.data
from plica.errors import InvalidInput
from plica.learn import Regions, evaluate, fit, generalization_gap, mlp
from plica.plot import animate_regions
from plica.report import training_page

MOONS = plica.data.load("moons", n=40)
SQUARE = plica.Box([-1.5, -1.0], [2.5, 1.5])


@pytest.fixture(scope="module")
def trained():
    return fit(mlp([2, 6, 6, 1]), MOONS, epochs=3, rate=0.01, probes=[Regions(domain=SQUARE, keep=True)])


def test_a_gif_has_a_picture_for_each_frame(trained, tmp_path):
    from PIL import Image

    path = animate_regions(trained.probes[0].frames, tmp_path / "regions.gif", size=2.0)
    with Image.open(path) as picture:
        assert picture.format == "GIF" and picture.n_frames == 4
    with pytest.raises(InvalidInput, match=r"\.gif"):
        animate_regions(trained.probes[0].frames, tmp_path / "regions.mp4")
    with pytest.raises(InvalidInput, match="keep=True"):
        animate_regions([], tmp_path / "regions.gif")


def test_the_page_holds_every_frame_and_needs_nothing_else(trained):
    page = training_page(trained, title="Moons & <regions>", points=MOONS.x, labels=MOONS.y)
    assert page.count('<g class="slot"') == 4 and "Moons &amp; &lt;regions&gt;" in page
    assert not re.search(r'(src|href)="(https?:)?//', page)
    for _, epoch, cx in trained.probes[0].frames:
        assert f'"name": "epoch {epoch}"' in page and f'"headline": "{cx.n_regions:,}"' in page


def test_a_training_without_frames_has_no_page():
    with pytest.raises(InvalidInput, match="keep=True"):
        training_page(fit(mlp([2, 3, 1]), MOONS, epochs=1))


def test_networks_of_all_depths_have_nearly_the_same_number_of_parameters():
    report = generalization_gap(MOONS.split(0.5), depths=(1, 2, 4), n_parameters=400, seeds=(0, 1), epochs=3)
    assert len(report.rows) == 6 and all(300 < row.n_parameters <= 400 for row in report.rows)
    for row in report.rows:
        model = mlp([2, *[row.width] * row.depth, 1])
        assert sum(p.numel() for p in model.parameters()) == row.n_parameters
    first = report.summary()[0]
    gaps = [row.gap for row in report.rows if row.depth == 1]
    assert first["gap"] == pytest.approx(sum(gaps) / 2) and first["standard_error"] == pytest.approx(abs(gaps[0] - gaps[1]) / 2)
    assert "no verdict" in repr(report)
    ax = report.plot()
    assert ax.get_ylabel() == "loss"
    import matplotlib.pyplot as plt

    plt.close("all")


def test_a_gap_needs_a_test_set_and_room_for_its_layers():
    with pytest.raises(InvalidInput, match="split"):
        generalization_gap(MOONS)
    with pytest.raises(InvalidInput, match="more parameters"):
        generalization_gap(MOONS.split(0.5), depths=(9,), n_parameters=10)


def test_evaluation_leaves_the_mode_of_the_model():
    model = mlp([2, 3, 1], dropout=0.5)
    assert evaluate(model, MOONS) == evaluate(model, MOONS) and model.training


@pytest.mark.slow
def test_the_example_of_the_readme_runs(tmp_path):
    text = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"## While it trains\n\n```python\n(.*?)```", text, re.S)
    subprocess.run([sys.executable, "-c", "import plica\n" + code], cwd=tmp_path, check=True, timeout=patient(120))
    assert (tmp_path / "moons.gif").stat().st_size > 1000
