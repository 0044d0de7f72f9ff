"""Pictures: the arrays that the page draws agree with the engine."""

from itertools import pairwise

import numpy as np
import pytest
from patience import patient

import plica
from plica.errors import BudgetExceeded, InvalidInput, InvalidNetwork
from plica.web import Limits, State
from plica.web._describe import describe_cell
from plica.web._frames import pack, unpack
from plica.web._picture import decomposed, picture
from plica.web._scene import load_model, scene_of

LIMITS = Limits(max_seconds=patient(30))


def no_files(digest):
    raise AssertionError(digest)


def shown(query, files=no_files):
    scene = scene_of(State.from_query(query), files)
    return scene, *picture(scene, LIMITS)


@pytest.mark.parametrize(
    "query", ["", "data=spirals&step=30&widths=8-8", "widths=6-6&act=hard-tanh,abs", "init=folding&widths=6-6"]
)
def test_a_plane_is_covered_by_its_cells_and_their_maps_are_the_network(query):
    scene, facts, arrays = shown(query)
    a, b, c, d = facts["window"]
    assert facts["n_cells"] == len(arrays["areas"]) == plica.count_regions(scene.network, scene.domain()).n_cells
    assert arrays["areas"].sum() == pytest.approx((b - a) * (d - c))
    first, corners = arrays["first"], arrays["corners"]
    for cell in range(0, facts["n_cells"], 7):
        ids = corners[first[cell] : first[cell + 1]]
        center = arrays["vertices"][ids].astype(float).mean(0) * [b - a, d - c] + [a, c]
        slopes = arrays["maps"][cell]
        assert slopes[:2] @ center + slopes[2] == pytest.approx(scene.network(center)[0], rel=1e-4, abs=1e-4)
        assert np.array_equal(
            arrays["patterns"][cell],
            np.concatenate([s.ravel() for s in decomposed(scene, LIMITS).pattern(cell)]),
        )
        assert arrays["gradients"][cell] == pytest.approx(np.hypot(*slopes[:2]), rel=1e-5)


def test_an_interval_is_strips_and_a_graph():
    _, facts, arrays = shown("data=sawtooth&init=sawtooth&widths=2-2-2")
    assert (facts["dimension"], facts["n_regions"]) == (1, 8)
    assert np.allclose(arrays["curve"][:, 0], np.arange(9) / 8)
    assert np.allclose(arrays["goals"][: len(arrays["values"])], arrays["values"], atol=1e-6)
    assert facts["lengths"]["output"] == pytest.approx(8.0)


def test_zooming_computes_the_window_anew():
    scene, whole, _ = shown("widths=16-16")
    _, zoomed, _ = shown("widths=16-16&window=-0.25,0.25,-0.25,0.25")
    box = plica.Box([-0.25, -0.25], [0.25, 0.25])
    assert zoomed["n_regions"] == plica.decompose(scene.network, box).n_regions < whole["n_regions"]


def test_a_segment_has_its_pieces_and_lengths():
    scene, facts, arrays = shown("widths=16-16&segment=-1,-1,1,0.5")
    line = plica.decompose(scene.network, plica.Segment([-1, -1], [1, 0.5]))
    assert facts["pieces"]["n_regions"] == line.n_regions
    assert np.array_equal(arrays["path_t"], line.vertices[:, 0])
    lengths = plica.trajectory_length(scene.network, plica.Segment([-1, -1], [1, 0.5]))
    assert facts["lengths"]["post"] == pytest.approx(lengths.post.tolist())


def test_tanh_is_marked_as_estimated_and_counts_nothing():
    for query in ("act=tanh&step=20", "data=sine&act=tanh", "act=relu,tanh&color=error&data=expression"):
        _, facts, arrays = shown(query)
        assert facts["kind"] == facts["lengths"]["kind"] == "estimated"
        assert facts["n_regions"] is None and not len(arrays["edges"])


def test_the_boundary_of_samples_lies_where_the_output_is_zero():
    from plica.web._smooth import evaluate

    scene, facts, arrays = shown("act=tanh&step=100&data=circles")
    a, b, c, d = facts["window"]
    points = arrays["boundary"].astype(float) * [b - a, d - c] + [a, c]
    y = evaluate(scene.layers, scene.state.activations, points)[-1]
    assert len(points) and np.abs(y).max() < 0.1 * (facts["high"] - facts["low"])


def test_targets_come_at_vertices_and_centers():
    _, facts, arrays = shown("data=expression&expr=sin(3*x)*y&widths=8")
    a, b, c, d = facts["window"]
    first, corners, goals = arrays["first"], arrays["corners"], arrays["goals"]
    vertices = arrays["vertices"].astype(float) * [b - a, d - c] + [a, c]
    assert len(goals) == len(vertices) + facts["n_cells"]
    assert goals[: len(vertices)] == pytest.approx(np.sin(3 * vertices[:, 0]) * vertices[:, 1], abs=1e-5)
    center = vertices[corners[first[2] : first[3]]].mean(0)
    assert goals[len(vertices) + 2] == pytest.approx(np.sin(3 * center[0]) * center[1], abs=1e-5)
    assert "goals" not in shown("data=moons")[2], "points have no target elsewhere"


def test_weights_are_those_of_the_network_on_the_coordinates_of_the_picture(own):
    scene, facts, arrays = shown(f"data=model&model={'c' * 64}&rows={'d' * 64}&through=4,1,7", own)
    x = np.array([0.3, 0.4])
    sizes, at, value = [2, *facts["widths"][1:]], 0, x
    for k, (n_in, n_out) in enumerate(pairwise(sizes)):
        weight = arrays["weights"][at : at + n_in * n_out].reshape(n_out, n_in)
        value = weight @ value + arrays["weights"][at + n_in * n_out : at + n_in * n_out + n_out]
        value = np.maximum(value, 0) if k < len(facts["activations"]) else value
        at += n_in * n_out + n_out
    directions, origin = scene.frame()
    assert at == len(arrays["weights"]) and value == pytest.approx(scene.network(x @ directions + origin))


def test_expected_lengths_are_means_over_seeds():
    """The law beside a path is that of its network: 60 seeds agree within four standard errors."""
    found = [shown(f"data=sine&widths=6-5&seed={seed}")[1]["lengths"] for seed in range(60)]
    measured = np.array([lengths["post"] for lengths in found])
    error = measured.std(axis=0, ddof=1) / np.sqrt(len(found))
    assert (np.abs(measured.mean(axis=0) - found[0]["predicted"]) < 4 * error).all()
    for query in ("step=1", "act=abs", "init=orthogonal"):
        assert shown(query)[1]["lengths"]["predicted"] is None


def test_held_out_points_are_not_learned_from():
    scene, facts, arrays = shown("data=circles&n=50&split=30&step=10&widths=4")
    held = arrays["held"] == 1
    assert held.sum() == 15 and facts["held_loss"] != facts["loss"]
    out, sign = scene.network(scene.problem.points)[:, 0], 2 * scene.problem.targets - 1
    losses = np.log1p(np.exp(-sign * out))
    assert facts["loss"] == pytest.approx(losses[~held].mean()) and facts["held_loss"] == pytest.approx(losses[held].mean())
    assert shown("data=circles&n=50")[1]["held_loss"] is None


def test_a_pin_names_its_cell():
    scene, facts, _ = shown("pin=0.2,0.3")
    assert facts["cell_pin"] == decomposed(scene, LIMITS).cell_at([0.2, 0.3])
    assert shown("pin=9,9")[1]["cell_pin"] is None


def test_the_cells_of_a_picture_are_limited():
    with pytest.raises(BudgetExceeded, match="max_cells"):
        picture(scene_of(State(widths=(64, 64)), no_files), Limits(max_cells=50, max_seconds=patient(30)))


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A model with five inputs and rows for it, as files by digest."""
    folder = tmp_path_factory.mktemp("own")
    plica.save(plica.random_network([5, 12, 12, 3], seed=1, bias_std=0.3, weights="he-normal"), folder / "m.safetensors")
    np.save(folder / "x.npy", np.random.default_rng(0).standard_normal((10, 5)).astype(np.float32))
    content = {"c" * 64: (folder / "m.safetensors").read_bytes(), "d" * 64: (folder / "x.npy").read_bytes()}
    return content.__getitem__


def test_a_model_is_shown_on_the_plane_through_three_rows(own):
    link = f"data=model&model={'c' * 64}&rows={'d' * 64}&through=4,1,7&output=2"
    scene, facts, arrays = shown(link, own)
    x0, x1, x2 = (scene.rows[i] for i in (4, 1, 7))
    plane = plica.Plane.through(x0, x1, x2, margin=0.25)
    assert facts["n_cells"] == plica.decompose(scene.network, plane).n_cells
    cell = describe_cell(scene, 3, LIMITS)
    assert cell["slopes"] == pytest.approx(arrays["maps"][3, :2]) and cell["units"] == [12, 12]


def test_a_model_that_is_too_large_is_shown_in_the_part_that_fits(own):
    link = f"data=model&model={'c' * 64}"
    whole = scene_of(State.from_query(link), own)
    _, facts_of_whole, _ = shown(link, own)
    limits = Limits(max_cells=facts_of_whole["n_cells"] - 1, max_seconds=patient(30))
    facts, _ = picture(whole, limits)
    assert facts["n_cells"] <= limits.max_cells and facts["window"] != facts["home"]
    with pytest.raises(BudgetExceeded):
        picture(scene_of(State.from_query(f"{link}&window=-1,1,-1,1"), own), limits)


def test_wrong_wishes_about_a_model_are_refused(own):
    model = f"data=model&model={'c' * 64}"
    for link, words in [
        (f"{model}&output=3", "outputs 0 to 2"),
        (f"{model}&rows={'d' * 64}&through=0,1,10", "rows 0 to 9"),
        (f"{model}&rows={'d' * 64}&through=0,0,1", "three different rows"),
    ]:
        with pytest.raises(plica.PlicaError, match=words):
            shown(link, own)
    with pytest.raises(InvalidInput, match="no cell"):
        describe_cell(scene_of(State(widths=(4,)), no_files), 10**6, LIMITS)


def test_a_message_keeps_its_arrays():
    arrays = {"a": np.arange(5, dtype=np.uint32), "b": np.ones((3, 2)), "c": np.zeros(0, np.int8)}
    header, back = unpack(pack({"x": [1, "é"]}, arrays))
    assert header == {"x": [1, "é"]}
    assert all(np.array_equal(back[name], arrays[name]) and back[name].dtype == arrays[name].dtype for name in arrays)
    with pytest.raises(InvalidInput):
        pack({}, {"bad": np.array(["text"])})


def test_every_lesson_is_a_picture_of_a_known_claim():
    from plica.claims import catalog
    from plica.web._lessons import LESSONS, scene_link

    assert set(LESSONS) <= set(catalog().ids) and len(LESSONS) >= 125
    for claim, lesson in LESSONS.items():
        state = State.from_query(scene_link(claim))
        assert state.scene == claim and all(hasattr(state, name) for name in lesson.controls)


@pytest.mark.parametrize(
    ("claim", "changes", "predicted", "measured"),
    [
        ("zaslavsky-1975", "", 1 + 8 + 28, 1 + 8 + 28),
        ("zaslavsky-bounded", "", 21, 21),
        ("zaslavsky-central", "", 16, 16),
        ("slide-binomial-sum", "", 16, 11),
        ("slide-general-position", "", 22, 12),
        ("characteristic-polynomial", "", 12, 12),
        ("sawtooth-unit-interval", "", 8, 8),
        ("sawtooth-line", "", 10, 10),
        ("yarotsky-2017-square", "", 1 / 256, 1 / 256),
        ("montufar-2014", "", 9 * 22, 198),
    ],
)
def test_a_scene_reaches_its_number(claim, changes, predicted, measured):
    from plica.web._lessons import scene_link

    reading = shown(scene_link(claim) + changes)[1]["reading"]
    assert (reading["predicted"], reading["measured"]) == pytest.approx((predicted, measured))
    assert reading["holds"] == (not claim.startswith("slide"))


def test_a_scene_says_where_its_claim_would_fail():
    """A reading is not always true: lines through one point, or random weights, have other numbers."""
    assert shown("widths=6&bias=0&scene=zaslavsky-1975")[1]["reading"]["holds"] is False
    assert shown("data=sawtooth&widths=2-2-2&scene=sawtooth-unit-interval")[1]["reading"]["holds"] is False
    with pytest.raises(InvalidInput, match="no scene"):
        shown("scene=fermat-1637")


def test_the_mean_number_of_neighbors_is_that_of_the_graph_of_cells():
    scene, facts, _ = shown("widths=6-6&scene=gaines-bi-2026-degree")
    cx = decomposed(scene, LIMITS)
    pairs = {tuple(sorted(pair)) for pair in cx.facet_cells.tolist() if min(pair) >= 0}
    assert facts["reading"]["measured"] == pytest.approx(2 * len(pairs) / cx.n_cells)


def test_the_target_of_a_sawtooth_has_the_teeth_of_its_network():
    _, facts, arrays = shown("data=sawtooth&init=sawtooth&widths=2-2-2-2&noise=0")
    c, d = facts["window"][2:]
    y = arrays["target"][:, 1].astype(float) * (d - c) + c
    assert (np.diff(np.sign(y - 0.5)) != 0).sum() == 16


@pytest.mark.parametrize("outputs", [1, 3])
def test_what_large_networks_are_drawn_with_is_what_small_ones_are_decided_with(outputs):
    from plica.web._cells import drawn_areas, drawn_boundary, drawn_positions, fitted_gradients, float_outputs

    net = plica.random_network([2, 12, 12, outputs], seed=2, weights="he-normal", bias_std=0.3)
    cx = plica.decompose(net, plica.Box([-1, -1], [1, 1]))
    positions = drawn_positions(cx)
    assert np.abs(positions - cx.vertices).max() < 1e-4 and np.allclose(drawn_areas(cx, cx.vertices), cx.sizes())
    assert np.allclose(float_outputs(cx, cx.vertices), cx.outputs)
    drawn, decided = drawn_boundary(cx, cx.vertices, cx.outputs), cx.decision_boundary()
    lengths = [np.linalg.norm(lines[:, 0] - lines[:, 1], axis=1).sum() for lines in (drawn, decided)]
    assert lengths[0] == pytest.approx(lengths[1], rel=0.02) and lengths[1] > 0
    norms = [np.linalg.norm(cell.affine_map[0][0]) for cell in cx.cells]
    assert np.allclose(fitted_gradients(cx, cx.vertices, cx.outputs[:, 0]), norms, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("content", [b"\x00\x01garbage" * 50, b'{"oops', b""])
def test_a_broken_model_is_not_called_by_a_name_that_nobody_gave(content):
    with pytest.raises(InvalidNetwork) as refused:
        load_model(f"broken-{len(content)}", lambda _: content)
    assert "the file" in refused.value.message and "model.onnx" not in refused.value.message and refused.value.hint
