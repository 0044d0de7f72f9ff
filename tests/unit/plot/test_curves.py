"""Pictures of curves in a window."""

import numpy as np
from matplotlib.collections import LineCollection, PolyCollection

import plica
from plica.plot import plot_curves


def drawn():
    net = plica.random_network([2, 16, 16, 3], seed=0, weights="he-normal", bias_std=0.5)
    return net, plica.decision_boundary(net, plica.Box([-1, -1], [1, 1]))


def test_every_polyline_is_drawn_in_the_window():
    _, curves = drawn()
    ax = plot_curves(curves)
    lines = [c for c in ax.collections if isinstance(c, LineCollection)]
    assert [len(c.get_segments()) for c in lines] == [len(curves.polylines)] * 2  # cased
    for drawn_line, line in zip(lines[-1].get_segments(), curves.polylines, strict=True):
        assert np.array_equal(drawn_line, line)
    assert ax.get_legend() is None


def test_areas_are_the_largest_outputs_at_their_points():
    net, curves = drawn()
    ax = plot_curves(curves, network=net)
    (picture,) = ax.get_images()
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    shown = np.asarray(picture.get_array())
    low, high, bottom, top = picture.get_extent()
    rng = np.random.default_rng(0)
    for i, j in rng.integers(0, len(shown), (50, 2)):
        point = [low + (high - low) * (j + 0.5) / len(shown), bottom + (top - bottom) * (i + 0.5) / len(shown)]
        assert names[int(shown[i, j])] == f"output {int(net(np.array([point]))[0].argmax())}"


def test_what_was_not_looked_at_is_gray_and_named():
    _, curves = drawn()
    partly = plica.geometry.Curves(curves.domain, (), 0, 0, 0.0, curves.decisions, 0.0, (curves.domain.window / 2,))
    ax = plot_curves(partly)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["not looked at"]
    (gray,) = (c for c in ax.collections if isinstance(c, PolyCollection))
    assert np.array_equal(gray.get_paths()[0].vertices[:4], curves.domain.window / 2)
