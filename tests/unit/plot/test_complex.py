"""Pictures of complexes, checked by what they draw."""

import subprocess
import sys

import numpy as np
import pytest

import plica
from plica.plot import palette, plot_complex, plot_folds, plot_pieces
from plica.plot._paint import cell_gradient_norms, map_coloring


@pytest.fixture(scope="module")
def cx():
    net = plica.random_network([2, 12, 12, 2], seed=1, weights="he-normal", bias_std=0.5)
    return plica.decompose(net, plica.Box([-1, -1], [1, 1]))


@pytest.fixture(scope="module")
def pieces():
    net = plica.random_network([3, 12, 12, 2], seed=1, weights="he-normal", bias_std=0.5)
    return plica.decompose(net, plica.Segment([-1, -1, 0], [1, 1, 1]))


@pytest.mark.parametrize("color", ["region", "pattern", "output", "gradient", "layer"])
def test_every_cell_is_one_polygon_in_every_coloring(cx, color):
    ax = plot_complex(cx, color=color)
    assert len(ax.collections[0].get_paths()) == cx.n_cells
    assert ax.get_xlim() == (-1, 1) and ax.get_ylim() == (-1, 1)


def test_given_axes_are_used_and_returned(cx):
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    assert plot_complex(cx, ax=ax) is ax
    assert plot_folds(cx, ax=ax) is ax


def test_the_figure_can_be_written(cx, tmp_path):
    plot_complex(cx, boundary=True).get_figure().savefig(tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("options", [{"color": "rainbow"}, {"output": 2}, {"output": -1}])
def test_unknown_options_are_refused(cx, options):
    with pytest.raises(plica.InvalidInput):
        plot_complex(cx, **options)


def test_plotting_leaves_pyplot_and_rc_parameters_alone():
    code = (
        "import sys, matplotlib, plica; from plica.plot import plot_complex; before = dict(matplotlib.rcParams)\n"
        "net = plica.random_network([2, 3, 1], seed=0)\n"
        "plot_complex(plica.decompose(net, plica.Box([-1, -1], [1, 1])))\n"
        "assert dict(matplotlib.rcParams) == before and 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_neighbors_never_share_a_color_and_six_suffice(cx):
    for labels in (np.arange(cx.n_cells), np.asarray(cx.regions)):
        colors = map_coloring(cx, labels)
        inner = cx.edge_cells[(cx.edge_cells >= 0).all(1)]
        apart = labels[inner[:, 0]] != labels[inner[:, 1]]
        assert (colors[inner[apart, 0]] != colors[inner[apart, 1]]).all()
        assert colors.max() < 6


def test_a_complex_in_space_says_how_to_look_at_it():
    solid = plica.decompose(plica.random_network([3, 4, 1], seed=0), plica.Box([-1] * 3, [1] * 3))
    ax = solid.plot(colorbar=False)
    assert len(ax.collections[0].get_paths()) == len(solid.outside()[0]) and [t.get_text() for t in ax.texts] == [
        "x₁",
        "x₂",
        "x₃",
    ]
    for options in ({"boundary": True}, {"color": "layer"}, {"color": "gradient"}):
        with pytest.raises(plica.errors.InvalidInput) as refused:
            plot_complex(solid, **options)
        assert "sides are seen" in refused.value.message and "plica.Plane.through" in refused.value.hint
    hyper = plica.decompose(plica.random_network([4, 3, 1], seed=0), plica.Box([-1] * 4, [1] * 4))
    with pytest.raises(plica.errors.InvalidInput) as refused:
        hyper.plot()
    assert "dimension 4" in refused.value.message and "plica.Plane.through" in refused.value.hint


def test_the_value_in_the_middle_of_a_cell_is_the_network_there(cx):
    centers = cx.cell_means(cx.vertices)
    assert np.allclose(cx.cell_means(cx.outputs), cx.network(centers))


def test_the_gradient_from_the_vertices_is_the_gradient_of_the_map(cx):
    large = cx.sizes() > 1e-6
    maps = np.array([np.linalg.norm(cell.slice_map[0][1]) for cell in cx.cells])
    assert np.allclose(cell_gradient_norms(cx, 1)[large], maps[large], rtol=1e-5)


def test_folds_are_drawn_in_the_colors_of_their_layers(cx):
    from matplotlib.colors import to_hex

    ax = plot_folds(cx)
    drawn = [(to_hex(lines.get_color()[0]).upper(), len(lines.get_segments())) for lines in ax.collections]
    assert drawn == [(palette.layer_color(i), len(cx.folds(i))) for i in range(2)]


def test_the_folds_of_one_neuron_are_among_those_of_its_layer(cx):
    ax = plot_folds(cx, layer=0, neuron=0)
    assert len(ax.collections[0].get_segments()) == len(cx.folds(0, 0)) < len(cx.folds(0))
    with pytest.raises(plica.InvalidInput):
        plot_folds(cx, neuron=0)


def test_pieces_follow_the_network_along_the_segment(pieces):
    ax = plot_pieces(pieces, output=1)
    t, y = ax.lines[0].get_data()
    points = pieces.domain.to_input(np.asarray(t)[:, None])
    assert np.allclose(y, pieces.network(points)[:, 1])
    assert ax.get_xlim() == (0, 1)
    assert len(ax.lines[1].get_xdata()) == len(t) - 2


def test_plot_complex_draws_pieces_on_a_line_and_plot_pieces_refuses_a_plane(cx, pieces):
    assert plot_complex(pieces).get_ylabel() == "output 0"
    with pytest.raises(plica.InvalidInput):
        plot_pieces(cx)
