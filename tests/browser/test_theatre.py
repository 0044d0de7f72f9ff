"""What a lecture hall sees: the diagram, the depth, colors made in the page, tooltips, undo, views; on four screens."""

import io

import numpy as np
import pytest

import plica
from plica._palette import to_oklab
from plica.network import Linear, Network, Rectifier

pytestmark = pytest.mark.browser

SCREENS = {"desk": (1440, 900), "small": (1024, 768), "phone": (390, 844), "hall": (1920, 1080)}


def on(chromium, served, size, link="", **options):
    """A page of another size."""
    width, height = size
    context = chromium.new_context(viewport={"width": width, "height": height}, **options)
    page = context.new_page()
    page.goto(served.url.split("#")[0] + (f"#{link}" if link else ""))
    page.wait_for_function("() => document.documentElement.dataset.ready && !document.querySelector('#plane[aria-busy]')")
    return context, page


def first_layers(net, depth):
    """The network of the first layers alone, with all their neurons as outputs."""
    ops = []
    for op in net.dense_layers[:depth]:
        ops += [Linear(op.weight, op.bias), Rectifier()]
    return Network.sequential(net.n_inputs, ops)


def test_the_depth_counts_and_colors_the_cells_of_the_first_layers(explorer):
    explorer.open("v=1&widths=8-8-8&color=pattern")
    seen = []
    explorer.page.evaluate("""() => {
        const send = WebSocket.prototype.send;
        globalThis.asked = 0;
        WebSocket.prototype.send = function (text) { asked++; return send.call(this, text); };
    }""")
    net = plica.random_network([2, 8, 8, 8, 1], seed=0, weights="he-normal", bias_std=0.3)
    box = plica.Box([-1.75, -1.75], [1.75, 1.75])
    for depth in (1, 2):
        explorer.page.keyboard.press(str(depth))
        assert explorer.count() == plica.decompose(first_layers(net, depth), box).n_cells
        assert "cells of layer" in explorer.text("#noun")
        fills = explorer.page.evaluate(f"[...plica.plane.mesh.coloring({depth})]")
        seen.append(explorer.page.locator("#plane").screenshot())
        assert len(fills) == explorer.count() and max(fills) < 7
    explorer.page.keyboard.press("3")
    assert explorer.count() == plica.decompose(net, box).n_regions and explorer.text("#noun") == "regions"
    assert seen[0] != seen[1] and explorer.page.evaluate("asked") == 0


def test_neighbors_of_patterns_differ_in_color_and_six_are_enough(explorer):
    explorer.open("v=1&widths=16-16-16&color=pattern")
    for depth in (1, 2, 3):
        clash, most = explorer.page.evaluate(f"""() => {{
            const {{ mesh }} = plica.plane, fills = mesh.coloring({depth}), {{ of }} = mesh.parts({depth});
            const {{ edge_cells, edge_layer }} = mesh.arrays;
            let clash = 0;
            edge_layer.forEach((layer, i) => {{
                const [a, b] = [edge_cells[2 * i], edge_cells[2 * i + 1]];
                if (a >= 0 && b >= 0 && layer < {depth} && fills[of[a]] === fills[of[b]]) clash++;
            }});
            return [clash, Math.max(...fills)];
        }}""")
        assert clash == 0 and most < 6


def test_errors_are_made_in_the_page_from_points_and_targets(explorer):
    explorer.open("v=1&data=moons&step=20&n=60").choose("color", "error")
    shown = np.array(explorer.page.evaluate("import('/static/shades.js').then((m) => [...m.errors(plica.plane.mesh)])"))
    from plica.web import Limits, State
    from plica.web._picture import decomposed
    from plica.web._scene import scene_of

    scene = scene_of(State.from_query("data=moons&step=20&n=60"), None)
    cx, p = decomposed(scene, Limits()), scene.problem
    wrong = (scene.network(p.points)[:, 0] > 0) != (p.targets > 0.5)
    cells = np.array([cx.cell_at(x) for x in p.points])
    for cell in set(cells.tolist()):
        assert shown[cell] == pytest.approx(wrong[cells == cell].mean())
    assert (shown >= 0).sum() == len(set(cells.tolist()))
    explorer.open("v=1&data=sawtooth&init=sawtooth&widths=2-2-2&noise=0&color=error")
    shown = explorer.page.evaluate("import('/static/shades.js').then((m) => [...m.errors(plica.plane.mesh)])")
    assert shown == pytest.approx([0] * 8, abs=1e-6)


def test_one_steep_corner_does_not_pale_the_rest(explorer):
    explorer.open("v=1&data=circles&step=200")
    facts = explorer.facts()
    most = max(abs(facts["low"]), abs(facts["high"]))
    shade = explorer.page.evaluate("import('/static/shades.js').then((m) => { const s = m.shade(plica.plane.mesh, 'output', 9);"
                                   " return [s.low, s.high, s.isClipped]; })")  # fmt: skip
    assert shade[2] and shade[1] < most / 1.3 and shade[0] == -shade[1]
    names = ("first", "corners", "values", "areas")
    first, corners, values, areas = (
        np.array(explorer.page.evaluate(f"Array.from(plica.plane.mesh.arrays.{name})")) for name in names
    )
    means = np.add.reduceat(values[corners], first[:-1]) / np.diff(first)
    beyond, reached = (float(areas[np.abs(means) > shade[1] * f].sum() / areas.sum()) for f in (1 + 1e-6, 1 - 1e-6))
    assert beyond <= 0.1 < reached, "a tenth of the area is beyond the scale, not one corner"
    assert explorer.text("#legend-high").startswith("≥") and explorer.text("#legend-low").startswith("≤")


def test_folds_are_seen_on_dark_colors(explorer):
    """A fold is ink with a rim of paper: on navy and on yellow one of the two stands out."""
    explorer.page.add_init_script("sessionStorage.setItem('plica-painter', 'canvas')")
    explorer.open("v=1&widths=6&color=gradient&points=0&boundary=0")
    explorer.page.wait_for_function("() => !plica.plane.painter.work")
    gains = explorer.page.evaluate("""() => {
        const { picture } = plica.plane.painter, pen = picture.getContext("2d"), [w, h] = [picture.width, picture.height];
        const { edges, edge_layer, vertices } = plica.plane.mesh.arrays;
        const light = (x, y) => {
            const [r, g, b] = pen.getImageData(Math.round(x), Math.round(y), 1, 1).data;
            return r + g + b;
        };
        const out = [];
        edge_layer.forEach((layer, i) => {
            if (layer < 0) return;
            const [a, b] = [2 * edges[2 * i], 2 * edges[2 * i + 1]];
            const [x0, y0, x1, y1] = [vertices[a] * w, (1 - vertices[a + 1]) * h, vertices[b] * w, (1 - vertices[b + 1]) * h];
            const length = Math.hypot(x1 - x0, y1 - y0);
            if (length < 80) return;
            const [mx, my, nx, ny] = [(x0 + x1) / 2, (y0 + y1) / 2, -(y1 - y0) / length, (x1 - x0) / length];
            const across = [-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2].map((d) => light(mx + d * nx, my + d * ny));
            out.push(Math.max(...across) - Math.min(...across));
        });
        return out;
    }""")
    assert gains and min(gains) > 150, "three channels of 255"


def test_the_header_says_where_and_the_length_says_of_what(explorer):
    explorer.open()
    assert explorer.text("#where") == "in this window" and "diagonal's image" in explorer.text("#sparklines")
    explorer.open("v=1&segment=-1,-1,1,1")
    assert "segment's image" in explorer.text("#sparklines")
    explorer.open("v=1&data=sine")
    assert "interval's image" in explorer.text("#sparklines")


@pytest.mark.parametrize("screen", SCREENS)
def test_a_tooltip_at_the_pointer_is_on_every_screen(chromium, served, screen):
    context, page = on(chromium, served, SCREENS[screen])
    box = page.locator("#plane").bounding_box()
    for u, v in [(0.1, 0.1), (0.9, 0.2), (0.95, 0.95), (0.5, 0.5)]:
        page.mouse.move(box["x"] + u * box["width"], box["y"] + v * box["height"])
        page.wait_for_selector("#tip:not([hidden])")
        tip = page.locator("#tip").bounding_box()
        assert tip["x"] >= 0 and tip["y"] >= 0
        assert tip["x"] + tip["width"] <= SCREENS[screen][0] and tip["y"] + tip["height"] <= SCREENS[screen][1]
        assert "region" in page.locator("#tip").inner_text() and "f(x, y) =" in page.locator("#tip").inner_text()
    assert page.locator("#axis-x b").inner_text() == "x" and page.locator("#axis-y b").inner_text() == "y"
    ticks = page.locator("#axis-x span").first.bounding_box()
    assert ticks["y"] >= box["y"] + box["height"], "numbers stand beside the picture"
    context.close()


@pytest.mark.parametrize("link", ["", "v=1&view=surface", "v=1&present=1", "v=1&data=expression&split=30"])
@pytest.mark.parametrize("screen", ["desk", "small", "hall"])
def test_everything_fits_one_screen(chromium, served, screen, link):
    width, height = SCREENS[screen]
    context, page = on(chromium, served, (width, height), link)
    assert page.evaluate("document.documentElement.scrollHeight") <= height
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    card = () if "surface" in link else ("#card",)  # where regions are pointed at
    for part in ("#count", "#in-data", "#in-folds", "#diagram", *card, "#sparklines", "#play", "#scrub", "#legend-lines"):
        box = page.locator(part).bounding_box()
        assert box and box["y"] >= 0 and box["y"] + min(box["height"], 20) <= height, part
    plane = page.locator("#plane" if "surface" not in link else "#other").bounding_box()
    assert plane["width"] > 0.38 * width or plane["height"] > 0.6 * height
    context.close()


def test_undo_and_back_go_one_change_back(explorer):
    explorer.open("v=1&widths=4-4")
    assert explorer.page.locator("#undo").is_disabled()
    explorer.type("widths", "5-5")
    explorer.choose("color", "pattern")
    assert explorer.state("widths") == "5-5"
    explorer.page.wait_for_timeout(400)
    explorer.page.go_back()
    explorer.page.wait_for_function("() => plica.state.get('color') === 'output'")
    assert explorer.settled().state("widths") == "5-5"
    explorer.page.click("#undo")
    explorer.page.wait_for_function("() => plica.state.get('widths') === '4-4'")
    explorer.settled()
    assert explorer.page.locator("#undo").is_disabled()
    net = plica.random_network([2, 4, 4, 1], seed=0, weights="he-normal", bias_std=0.3)
    assert explorer.count() == plica.count_regions(net, plica.Box([-1.75, -1.75], [1.75, 1.75])).n_regions
    explorer.page.go_forward()
    explorer.page.wait_for_function("() => plica.state.get('widths') === '5-5'")


def test_what_was_done_is_said_where_it_is_seen(explorer, tmp_path):
    explorer.open("v=1&widths=4").tab("away")
    explorer.page.click("#copy-link")
    explorer.page.wait_for_function("() => document.getElementById('done').textContent.includes('copied the link')")
    assert explorer.page.locator("#done").is_visible()
    with explorer.page.expect_download():
        explorer.page.click("[data-export=json]")
    explorer.page.wait_for_function("() => document.getElementById('done').textContent.includes('wrote plica-moons')")
    (tmp_path / "t.csv").write_text("x,y\n0,1\n1,2\n2,4\n")
    explorer.tab("yours").page.set_input_files("#file", tmp_path / "t.csv")
    explorer.page.wait_for_function("() => document.getElementById('done').textContent.includes('took t.csv')")


def test_an_expression_has_its_field_beside_it(explorer):
    explorer.open()
    assert explorer.page.locator("#in-expr").is_hidden()
    explorer.choose("data", "expression")
    assert explorer.page.locator("#in-expr").is_visible()


def test_claims_are_found_by_topic_and_word_and_say_which_have_pictures(explorer):
    explorer.open().tab("claims")
    explorer.page.wait_for_selector("#claims .claim")
    explorer.page.fill("#claim-search", "trajectory")
    assert explorer.page.locator("#claims .claim").count() >= 14, "those of the topic too"
    explorer.page.fill("#claim-search", "")
    explorer.page.select_option("#claim-topic", "trajectories")
    n = explorer.page.locator("#claims .claim").count()
    assert n == len(list(plica.catalog(topic="trajectories"))) >= 14 and explorer.text("#claim-count").startswith(f"{n} of ")
    marked = explorer.page.locator("#claims .mark").count()
    explorer.page.check("#claim-shown")
    assert 0 < explorer.page.locator("#claims .claim").count() == marked < n


def test_readings_are_seen_while_anything_is_set(explorer):
    explorer.open()
    for name in ("data", "training", "picture", "claims", "yours", "away", "words"):
        explorer.tab(name)
        for part in ("#card", "#sparklines", "#plane", "#count"):
            box = explorer.page.locator(part).bounding_box()
            top = explorer.page.evaluate(
                "([x, y, part]) => document.querySelector(part).contains(document.elementFromPoint(x, y))",
                [box["x"] + 8, box["y"] + 8, part],
            )
            assert top, (name, part)


def test_neurons_show_their_own_function_and_light_their_fold(explorer):
    explorer.open("v=1&widths=6-4")
    net = plica.random_network([2, 6, 4, 1], seed=0, weights="he-normal", bias_std=0.3)
    cx = plica.decompose(net, plica.Box([-1.75, -1.75], [1.75, 1.75]))
    assert explorer.page.locator(".unit").count() == 2 + 6 + 4 + 1
    run = """() => import('/static/forward.js').then(({ Forward, gridPoints }) => {
        const points = gridPoints(plica.plane.mesh.window, 30, 2), { before, after } = Forward.of(plica.plane.mesh).run(points);
        return [[...points], [...before[1]], [...after[2]]];
    })"""
    points, second, out = (np.array(part) for part in explorer.page.evaluate(run))
    x = points.reshape(-1, 2)
    assert out == pytest.approx(net(x)[:, 0])
    hidden = first_layers(net, 2)(x)
    assert np.maximum(second.reshape(-1, 4), 0) == pytest.approx(hidden)
    explorer.page.hover("[data-unit='1.2']")
    lit = explorer.page.evaluate("plica.plane.lit")
    assert sorted(lit) == sorted(np.asarray(cx.fold_edges(1, 2)).tolist()) and lit
    pixels = "() => [...plica.diagram.thumbs.pixels(2 + 1)]"  # the second neuron of the first layer, after two inputs
    over = explorer.page.evaluate(pixels)
    explorer.page.mouse.move(2, 2)
    explorer.page.wait_for_function("() => !plica.plane.lit.length")
    assert explorer.page.evaluate(pixels) != over, "the fold is lit in the other neurons too"
    explorer.page.click("[data-unit='0.1']")
    assert explorer.state("neuron") == "0.1" and "neuron=0.1" in explorer.query()
    explorer.page.mouse.move(2, 2)
    assert len(explorer.page.evaluate("plica.plane.lit")) == len(cx.fold_edges(0, 1))
    assert explorer.page.locator("[data-unit='0.1']").get_attribute("aria-pressed") == "true"
    explorer.page.keyboard.press("ArrowDown")
    assert explorer.page.evaluate("document.activeElement.dataset.unit") == "0.2"
    explorer.page.keyboard.press("ArrowRight")
    assert explorer.page.evaluate("document.activeElement.dataset.unit") == "1.2"


def test_thumbnails_are_blue_below_zero_vermilion_above_and_ink_on_the_fold(explorer):
    explorer.open("v=1&widths=3")
    colors = explorer.page.evaluate("""() => [...document.querySelectorAll(".unit")].map((_, which) => {
        const data = plica.diagram.thumbs.pixels(which);
        return Array.from({ length: 3600 }, (_, i) => [...data.slice(4 * i, 4 * i + 3)]);
    })""")
    left, right = np.array(colors[0]).reshape(60, 60, 3)[30, [0, 59]]
    assert left[2] > left[0] and right[0] > right[2], "x is negative on the left"
    net = plica.random_network([2, 3, 1], seed=0, weights="he-normal", bias_std=0.3)
    weight, bias = net.dense_layers[0].weight, net.dense_layers[0].bias
    at = -1.75 + 3.5 * (np.arange(60) + 0.5) / 60
    x, y = np.meshgrid(at, at[::-1])
    for i in range(3):
        z = weight[i, 0] * x + weight[i, 1] * y + bias[i]
        dark = np.array(colors[2 + i]).reshape(60, 60, 3).sum(axis=2) < 150
        assert dark.any() == ((z > 0).any() and (z < 0).any())
        assert (np.abs(z[dark]) < 3.6 / 60 * np.abs(weight[i]).sum()).all(), "ink only where the state changes"


def test_each_neuron_shows_its_own_thumbnail(explorer):
    """What is seen in the box of a neuron is its picture, also where hundreds of them stand in columns."""
    from PIL import Image

    explorer.open("v=1&widths=40-40-40")
    explorer.page.wait_for_timeout(400)
    seen = Image.open(io.BytesIO(explorer.page.screenshot())).convert("RGB")
    apart = []
    for which, name in ((0, "-1.0"), (2, "0.0"), (41, "0.39"), (60, "1.18"), (121, "2.39"), (122, "3.0")):
        box = explorer.page.locator(f"[data-unit='{name}']").bounding_box()
        inside = tuple(round(box[k] + e) for k, e in (("x", 2), ("y", 2)))
        size = round(box["width"]) - 4
        shown = np.asarray(seen.crop((*inside, inside[0] + size, inside[1] + size)).resize((6, 6), Image.Resampling.BOX), float)
        wanted = np.array(explorer.page.evaluate("which => [...plica.diagram.thumbs.pixels(which)]", which), np.uint8)
        wanted = Image.fromarray(wanted.reshape(60, 60, 4)).convert("RGB").resize((6, 6), Image.Resampling.BOX)
        apart.append(np.abs(shown - np.asarray(wanted, float)).mean())
    assert max(apart) < 25, apart
    assert explorer.page.locator("#diagram canvas").count() == 1, "every canvas is a layer of the page"


def test_plus_and_minus_change_layers_and_neurons(explorer):
    explorer.open("v=1&widths=4-4")
    neuron, layer = "one neuron", "one layer"
    changes = [(f"{neuron} more in layer 0", "5-4"), (f"{neuron} less in layer 1", "5-3"), (f"{layer} more", "5-3-3")]
    for words, widths in [*changes, (f"{layer} less", "5-3"), (f"{layer} less", "5")]:
        explorer.page.click(f"button[aria-label='{words}']")
        explorer.settled()
        assert explorer.state("widths") == widths
    assert explorer.page.locator("button[aria-label='one layer less']").is_disabled()
    explorer.open("v=1&widths=64-64-64-64-64-64")
    assert explorer.page.locator(".unit").count() == 2 + 6 * 64 + 1
    outside = explorer.page.evaluate("""() => {
        const box = document.getElementById("diagram").getBoundingClientRect();
        const isOut = (b) => b.left < box.left - 1 || b.right > box.right + 1 || b.bottom > box.bottom + 1;
        return [...document.querySelectorAll(".unit")].filter((u) => isOut(u.getBoundingClientRect())).length;
    }""")
    assert outside == 0


def test_held_out_points_have_their_own_loss(explorer):
    explorer.open("v=1&data=circles&step=20")
    assert explorer.page.locator("#held").is_hidden()
    explorer.type("split", "30")
    assert explorer.page.locator("#held").is_visible() and explorer.text("#held-loss") != explorer.text("#loss")
    assert "held out" in explorer.text("#legend-lines") and explorer.facts()["held_loss"] > 0
    explorer.page.click("#next")
    explorer.settled()
    assert explorer.page.locator("#sparklines .second").count() == 1
    explorer.choose("reg", "l2").type("decay", "1")
    assert "reg=l2" in explorer.query() and "decay=1" in explorer.query()


def picture(explorer, part="#other"):
    from PIL import Image

    shot = Image.open(io.BytesIO(explorer.page.locator(part).screenshot())).convert("RGB")
    return np.asarray(shot, dtype=int)


@pytest.mark.parametrize("view", ["surface", "fold", "trajectory"])
def test_views_are_one_click_apart_in_one_state(explorer, view):
    explorer.open("v=1&widths=6-6&data=circles&step=30")
    count = explorer.count()
    explorer.page.click(f"[data-view={view}]")
    explorer.page.wait_for_timeout(200)
    assert explorer.page.locator("#plane").is_hidden() and explorer.page.locator("#other").is_visible()
    assert f"view={view}" in explorer.query() and explorer.count() == count
    assert len(np.unique(picture(explorer).reshape(-1, 3), axis=0)) > 20
    explorer.page.click("#next")
    explorer.settled()
    assert explorer.facts()["step"] == 31 and explorer.page.locator("#other").is_visible()
    explorer.page.click("[data-view=plane]")
    assert explorer.page.locator("#plane").is_visible() and explorer.page.locator("#other").is_hidden()


def test_the_surface_turns_by_pointer_and_keys(explorer):
    explorer.open("v=1&widths=6-6&data=circles&step=30&view=surface")
    explorer.page.wait_for_timeout(200)
    seen = [picture(explorer)]
    explorer.page.focus("#other")
    explorer.page.keyboard.press("ArrowLeft")
    explorer.page.wait_for_timeout(200)
    seen.append(picture(explorer))
    box = explorer.page.locator("#other").bounding_box()
    explorer.page.mouse.move(box["x"] + 100, box["y"] + 100)
    explorer.page.mouse.down()
    explorer.page.mouse.move(box["x"] + 220, box["y"] + 140, steps=3)
    explorer.page.mouse.up()
    explorer.page.wait_for_timeout(200)
    seen.append(picture(explorer))
    assert (seen[0] != seen[1]).mean() > 0.01 and (seen[1] != seen[2]).mean() > 0.02


def test_folding_ends_where_the_network_maps_the_plane(explorer):
    """With layers of width two nothing is projected: the stages are the network's own, up to place and size."""
    explorer.open("v=1&widths=2-2&data=circles&view=fold&points=0")
    stages = explorer.page.evaluate("plica.views.current.stages.map((s) => [...s.points])")
    net = plica.random_network([2, 2, 2, 1], seed=0, weights="he-normal", bias_std=0.3)
    vertices = np.array(explorer.page.evaluate("[...plica.plane.mesh.arrays.vertices]")).reshape(-1, 2) * 2.8 - 1.4
    assert len(stages) == 5
    for stage, depth in ((stages[2], 1), (stages[4], 2)):
        found = np.array(stage).reshape(-1, 2)[: len(vertices)]
        wanted = first_layers(net, depth)(vertices)
        design = np.column_stack([wanted.ravel(), np.tile([1, 0], len(wanted)), np.tile([0, 1], len(wanted))])
        fit, *_ = np.linalg.lstsq(design, found.ravel(), rcond=None)
        assert np.abs(design @ fit - found.ravel()).max() < 1e-5 and fit[0] > 0
    explorer.page.focus("#other")
    before = explorer.page.evaluate("plica.views.current.until")
    explorer.page.keyboard.press("ArrowLeft")
    assert explorer.page.evaluate("plica.views.current.until") == before - 1


def test_the_trajectory_shows_exact_lengths_beside_the_law(explorer):
    explorer.open("v=1&widths=16-16&segment=-1,-1,1,1&view=trajectory")
    panels = explorer.page.evaluate("plica.views.current.panels.map((p) => [p.name, p.length, p.predicted])")
    net = plica.random_network([2, 16, 16, 1], seed=0, weights="he-normal", bias_std=0.3)
    lengths = plica.trajectory_length(net, plica.Segment([-1, -1], [1, 1]))
    assert [p[1] for p in panels] == pytest.approx([lengths.input, *lengths.post, lengths.output])
    law = plica.theory.lengths.relu_length_factor
    first = law(2, 16, weight_std=2**0.5) * lengths.input
    assert [p[2] for p in panels[1:3]] == pytest.approx([first, first * law(16, 16, weight_std=2**0.5)])


def own_model(explorer, folder, widths):
    """A random classifier, given to the page as someone's file."""
    net = plica.random_network(widths, seed=3, bias_std=0.3, weights="he-normal")
    plica.save(net, folder / "mine.safetensors")
    explorer.open().tab("yours")
    explorer.page.set_input_files("#file", folder / "mine.safetensors")
    explorer.page.wait_for_function("() => plica.state.get('data') === 'model'")
    explorer.settled()
    return net


def bring_rows(explorer, folder, rows):
    """The inputs of one's own model, given to the page as a file."""
    np.save(folder / "rows.npy", rows)
    explorer.page.set_input_files("#file", folder / "rows.npy")
    explorer.page.wait_for_function("() => plica.state.get('rows') !== ''")
    explorer.settled()


def test_a_model_with_many_outputs_shows_its_classes_and_its_images(explorer, tmp_path):
    net, rows = own_model(explorer, tmp_path, [64, 14, 10, 4]), np.random.default_rng(1).standard_normal((5, 64))
    assert explorer.state("color") == "class" and explorer.page.locator(".headline").is_hidden()
    bring_rows(explorer, tmp_path, rows)
    places = np.random.default_rng(0).uniform(0.01, 0.99, (300, 2))
    found = explorer.page.evaluate(
        """(places) => import('/static/classes.js').then(({ byClass }) => {
            const split = byClass(plica.plane.mesh);
            return places.map(([u, v]) => split.arrays.winners[split.at(u, v)]);
        })""",
        places.tolist(),
    )
    u = places * 1.5 - 0.25
    inputs = rows[0] + u[:, :1] * (rows[1] - rows[0]) + u[:, 1:] * (rows[2] - rows[0])
    outputs = net(inputs)
    top = np.sort(outputs, axis=1)
    sure = top[:, -1] - top[:, -2] > 1e-4 * np.abs(outputs).max()
    assert sure.mean() > 0.9 and (np.array(found)[sure] == outputs.argmax(axis=1)[sure]).all() and len(set(found)) > 1
    for k in set(found):
        assert f"class {k}" in explorer.text("#legend-lines")
    box = explorer.page.locator("#plane").bounding_box()
    at = (0.25 / 1.5 * box["width"], (1 - 0.25 / 1.5) * box["height"])  # the first row
    explorer.page.mouse.move(box["x"] + at[0], box["y"] + at[1])
    explorer.page.wait_for_selector("#tip canvas")
    shown = explorer.page.evaluate("""() => {
        const canvas = document.querySelector("#tip canvas");
        return [...canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data].filter((_, i) => i % 4 === 0);
    }""")
    wanted = 255 * (rows[0] - rows.min()) / (rows.max() - rows.min())
    assert len(shown) == 64 and np.abs(np.array(shown) - wanted).max() < 4
    assert "class" in explorer.text("#tip")


def test_no_picture_of_other_data_is_left_while_a_model_is_computed(explorer, tmp_path):
    """Nor is it called exact: the count of another network would stand beside the name of this one."""
    explorer.page.add_init_script(
        """() => 0; globalThis.marked = [];
           addEventListener('DOMContentLoaded', () => new MutationObserver(() => marked.push(
             [document.getElementById('plane').hasAttribute('data-other'), plica.state.get('data')])).observe(
             document.getElementById('plane'), { attributeFilter: ['data-other'] }));"""
    )
    own_model(explorer, tmp_path, [2, 48, 48, 3])
    assert explorer.page.evaluate("marked") == [[True, "model"], [False, "model"]]
    explorer.page.evaluate("document.getElementById('plane').setAttribute('data-other', '')")
    explorer.page.wait_for_function("() => getComputedStyle(document.querySelector('.hero')).visibility === 'hidden'")
    explorer.page.wait_for_function("() => getComputedStyle(document.getElementById('cells')).opacity < 0.2")


def test_cells_that_nobody_waits_for_are_not_computed_and_not_complained_about(explorer, tmp_path):
    sent = []
    explorer.page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(str(frame))))
    plica.save(plica.random_network([64, 220, 220, 220, 10], seed=3, weights="he-normal"), tmp_path / "large.safetensors")
    np.save(tmp_path / "rows.npy", np.random.default_rng(0).random((5, 64)))
    explorer.open().tab("yours")
    for name, field in (("large.safetensors", "model"), ("rows.npy", "rows")):
        explorer.page.set_input_files("#file", tmp_path / name)
        explorer.page.wait_for_function("name => plica.state.get(name) !== ''", arg=field)
    explorer.page.wait_for_selector("#plane[aria-busy]", state="attached")
    explorer.page.click("[data-view=map]")
    explorer.page.wait_for_function("() => plica.views.all.map.samples > 0")
    explorer.page.wait_for_function("() => !document.querySelector('#plane[aria-busy]')")
    assert any("cancel" in frame for frame in sent)
    assert explorer.page.locator("#toast").is_hidden()


def test_a_class_map_comes_in_parts_until_its_boundary_is_exact(explorer, tmp_path):
    """The answers under the pointer are those of the network, the segments lie where two scores are equal."""
    net, rows = own_model(explorer, tmp_path, [64, 14, 10, 4]), np.random.default_rng(1).standard_normal((5, 64))
    bring_rows(explorer, tmp_path, rows)
    explorer.page.click("[data-view=map]")
    explorer.page.wait_for_function("() => plica.views.all.map.isDone && plica.views.all.map.share === 1")
    assert "exact on 100 %" in explorer.text("#other-words") and "sampled" in explorer.text("#other-words")
    ends = np.array(explorer.page.evaluate("plica.views.all.map.boundary.flatMap((part) => [...part])")).reshape(-1, 2)
    u = 1.5 * ends - 0.25
    scores = np.sort(net(rows[0] + u[:, :1] * (rows[1] - rows[0]) + u[:, 1:] * (rows[2] - rows[0])), axis=1)
    assert len(ends) > 10 and (scores[:, -1] - scores[:, -2]).max() < 1e-4 * np.abs(scores).max()
    assert explorer.count() == len(ends) // 2
    answers = explorer.page.evaluate("[...plica.views.all.map.answers]")
    side = int(len(answers) ** 0.5)
    found = np.array(answers).reshape(side, side)[::-1][8::16, 8::16]  # middles of the sampled squares, from below
    v, w = np.meshgrid(*[(np.arange(64) + 0.5) / 64 * 1.5 - 0.25] * 2)
    points = rows[0] + v.reshape(-1, 1) * (rows[1] - rows[0]) + w.reshape(-1, 1) * (rows[2] - rows[0])
    assert np.array_equal(found.ravel(), net(points).argmax(axis=1))
    explorer.page.hover("#other", position={"x": 200, "y": 200})
    explorer.page.wait_for_selector("#other-tip canvas")  # the image under the pointer
    assert "class" in explorer.text("#other-tip") and explorer.page.locator(".readings").is_hidden(), "nothing of an old plane"
    explorer.page.click("[data-view=plane]")
    assert explorer.settled().facts()["widths"] == [64, 14, 10, 4]


def test_a_map_of_a_network_with_many_neurons_divides_the_window(explorer):
    """Parts that are refused or not finished are asked for by quarters, in the same place."""
    explorer.open("v=1&widths=8-8&view=map&data=spirals")
    explorer.page.wait_for_function("() => plica.views.all.map.isDone")
    names = explorer.page.evaluate("""() => {
        const map = plica.views.all.map, asked = [];
        map.ask = (name) => { asked.push(name); };
        map.arrived("3", { is_exact: false, side: 1 }, { answers: new Int32Array([7]) });
        map.pump();
        const at = (u, v) => map.answers[Math.floor((1 - v) * 1024) * 1024 + Math.floor(u * 1024)];
        return [asked, map.queue, at(0.75, 0.75), at(0.25, 0.75) === 7, at(0.75, 0.25) === 7];
    }""")
    assert sorted(set(names[0] + names[1])) == ["30", "31", "32", "33"] and names[2:] == [7, False, False]


def test_three_images_are_chosen_by_clicking_on_them(explorer, tmp_path):
    net = own_model(explorer, tmp_path, [64, 12, 3])
    assert explorer.page.locator("#images-part").is_hidden()
    rows = np.random.default_rng(1).uniform(0, 1, (50, 64))
    bring_rows(explorer, tmp_path, rows)
    explorer.page.wait_for_selector(".image")
    assert explorer.page.locator(".image[aria-pressed=true]").count() == 3
    pixels = explorer.page.evaluate("""() => [...document.querySelector('.image[data-row="7"] canvas').getContext("2d")
        .getImageData(0, 0, 8, 8).data].filter((_, i) => i % 4 === 0)""")
    assert np.abs(np.array(pixels) - 255 * (rows[7] - rows.min()) / np.ptp(rows)).max() < 2
    assert explorer.page.get_attribute('.image[data-row="7"]', "aria-label") == f"row 7, class {net(rows[7]).argmax()}"
    explorer.page.click('.image[data-row="7"]')
    explorer.page.click('.image[data-row="9"]')
    explorer.page.focus('.image[data-row="11"]')
    explorer.page.keyboard.press("Enter")
    explorer.settled()
    assert explorer.state("through") == "7,9,11"
    frame = np.array(explorer.page.evaluate("[...plica.plane.mesh.arrays.frame]")).reshape(3, 64)
    assert frame == pytest.approx(np.stack([rows[7], rows[9] - rows[7], rows[11] - rows[7]]), abs=1e-6)
    explorer.page.click("#images-on")
    explorer.page.wait_for_selector('.image[data-row="45"]')
    assert "of 50" in explorer.text("#images-where") and explorer.page.locator("#images-on").is_disabled()


def test_every_region_of_the_folding_scene_is_large_enough_to_be_seen(explorer):
    """The proof puts its lines near one corner of each square, where most regions are slivers of less than a pixel."""
    from plica.web._lessons import scene_link

    explorer.open(scene_link("montufar-2014"))
    explorer.page.wait_for_function("() => document.getElementById('scene-numbers').textContent.includes('least 198, here 198')")
    assert explorer.count() == 198
    side = explorer.page.locator("#plane").bounding_box()["width"]
    areas = np.array(explorer.page.evaluate("[...plica.plane.mesh.arrays.areas]"))
    assert (areas * side**2).min() > 15, "square pixels"


def test_a_table_with_three_named_classes_is_a_map_of_three_classes(explorer, tmp_path):
    rng = np.random.default_rng(0)
    centers, names = np.array([[0.0, 2.0], [2.0, -1.0], [-2.0, -1.0]]), ("cat", "dog", "emu")
    rows = [(*(centers[i % 3] + 0.3 * rng.standard_normal(2)), names[i % 3]) for i in range(60)]
    (tmp_path / "pets.csv").write_text("x,y,animal\n" + "\n".join(f"{x},{y},{name}" for x, y, name in rows))
    explorer.open("v=1&widths=8").tab("yours")
    explorer.page.set_input_files("#file", tmp_path / "pets.csv")
    explorer.page.wait_for_function("() => plica.state.get('data') === 'csv'")
    explorer.settled()
    assert "classes cat, dog, emu" in explorer.text("#file-facts") and explorer.state("color") == "class"
    explorer.page.evaluate("plica.change({ step: '200' })")
    explorer.settled()
    assert all(name in explorer.text("#legend-lines") for name in names)
    box = explorer.page.locator("#plane").bounding_box()
    a, b, c, d = explorer.facts()["window"]
    for (x, y), name in zip(centers, names, strict=True):
        at = (box["x"] + (x - a) / (b - a) * box["width"], box["y"] + (1 - (y - c) / (d - c)) * box["height"])
        explorer.page.mouse.move(*at)
        explorer.page.wait_for_selector("#tip:not([hidden])")
        assert explorer.page.locator("#tip .title").nth(1).inner_text() == name and "score of cat" in explorer.text("#tip")
    explorer.page.wait_for_function("() => !plica.plane.painter.work")
    painted = explorer.page.evaluate(
        """async ([centers, [a, b, c, d]]) => {
            const { areas, rgb } = await import("/static/colors.js");
            const { picture } = plica.plane.painter;
            const pen = picture.getContext("2d");
            const at = ([x, y]) => [(x - a) / (b - a) * picture.width, (1 - (y - c) / (d - c)) * picture.height];
            const colors = areas().map((hex) => rgb(hex).map((part) => Math.round(255 * part)).join());
            return centers.map((center) => {
                const { data } = pen.getImageData(...at(center).map((t) => Math.round(t) - 4), 9, 9);
                const inside = Array.from({ length: 81 }, (_, i) => colors.indexOf(data.slice(4 * i, 4 * i + 3).join()));
                return inside.filter((k) => k >= 0)[0] ?? -1;
            });
        }""",
        [centers.tolist(), [a, b, c, d]],
    )
    assert painted == [0, 1, 2], "the plane has the colors of the classes"
    explorer.type("names", "Katze,Hund,Emu")
    assert "Katze" in explorer.text("#legend-lines") and "cat" not in explorer.text("#legend-lines")
    explorer.page.evaluate("plica.change({ names: '', view: 'map' })")
    explorer.page.wait_for_function("() => plica.views.all.map.isDone && plica.views.all.map.samples")
    box = explorer.page.locator("#other").bounding_box()
    explorer.page.mouse.move(box["x"] + 0.4 * box["width"], box["y"] + 0.15 * box["height"])
    explorer.page.wait_for_selector("#other-tip:not([hidden])")
    assert explorer.text("#other-tip") in names


def test_the_boundary_of_many_classes_lies_on_the_graph_of_a_score(explorer, tmp_path):
    """Scores are equal there, not zero."""
    own_model(explorer, tmp_path, [2, 10, 8, 3])
    explorer.page.evaluate("plica.change({ view: 'surface', output: '1' })")
    explorer.settled().page.wait_for_function("() => plica.views.current.made")
    heights, line, low, high = explorer.page.evaluate("""() => {
        const { made, mesh } = plica.views.current, { places } = made.facets, n = mesh.arrays.values.length;
        const { boundary } = mesh.arrays, ends = boundary.length / 2;
        const heights = Array.from({ length: ends }, (_, i) => places[3 * (n + i) + 2]);
        return [heights, [...boundary], mesh.facts.low, mesh.facts.high];
    }""")
    a, b, c, d = explorer.facts()["window"]
    at = np.array([a, c]) + np.array(line).reshape(-1, 2) * [b - a, d - c]
    scores = plica.load(tmp_path / "mine.safetensors")(at)
    wanted = 0.75 * (2 * (scores[:, 1] - low) / (high - low) - 1)
    assert len(at) > 4 and np.abs(np.array(heights) - wanted).max() < 1e-3 * np.abs(wanted).max() + 1e-4
    assert "score of class 1" in explorer.text("#other-words") and explorer.page.locator("#legend-bar").is_visible()


def test_an_old_picture_stays_where_its_window_is_until_the_new_one_is_painted(explorer):
    """Marks, axes and cells show the same place at any time: a picture of another window is not stretched over this one."""
    explorer.page.add_init_script("sessionStorage.setItem('plica-painter', 'canvas')")
    explorer.open("v=1&widths=6&points=0&boundary=0&window=-2,2,-2,2")
    explorer.page.wait_for_function("() => !plica.plane.painter.work")
    drawn = explorer.page.evaluate("""() => {
        const { painter, mesh } = plica.plane, calls = [];
        painter.context.drawImage = (_, ...box) => calls.push(box.map((x) => x / painter.canvas.width));
        painter.render = () => {};
        painter.mesh = Object.assign(Object.create(mesh), { window: [0, 2, 0, 2] });
        painter.draw({ x: 0, y: 0, scale: 1 });
        painter.mesh = Object.assign(Object.create(mesh), { facts: { ...mesh.facts, home: [0, 1, 0, 1] } });
        painter.draw({ x: 0, y: 0, scale: 1 });
        return calls;
    }""")
    assert len(drawn) == 1 and drawn[0] == pytest.approx([-1, 0, 2, 2]), "the quarter fills the screen; other data show nothing"


def test_a_link_from_elsewhere_opens_a_scene_after_one_question(explorer):
    from plica.web._lessons import scene_link

    explorer.open()
    explorer.page.goto(f"{explorer.served.origin}/open#{scene_link('zaslavsky-1975')}")
    assert "zaslavsky-1975" in explorer.text("#what")
    explorer.page.click("#go")
    explorer.settled()
    assert explorer.state("scene") == "zaslavsky-1975" and explorer.count() == 37


@pytest.mark.parametrize("size", [(1024, 768), (1440, 900), (1920, 1080)])
@pytest.mark.parametrize(
    "link", ["view=noise", "view=attention", "present=1&view=noise", "present=1&view=meanfield&wide=60&deep=4"]
)
def test_computed_views_fit_one_screen(chromium, served, size, link):
    context = chromium.new_context(viewport={"width": size[0], "height": size[1]})
    page = context.new_page()
    page.goto(f"{served.url.split('#')[0]}#v=1&{link}")
    page.wait_for_function("() => globalThis.plica?.lab.facts && !document.querySelector('[aria-busy]')")
    assert page.evaluate("document.documentElement.scrollHeight") <= size[1]
    context.close()


def test_a_long_layer_stands_in_columns_of_one_height(chromium, served):
    context = chromium.new_context(viewport={"width": 1920, "height": 1080})
    page = context.new_page()
    page.goto(f"{served.url.split('#')[0]}#v=1&present=1&widths=16-16")
    page.wait_for_selector("html[data-ready]")
    lefts = page.evaluate(
        "[...document.querySelectorAll('.layer')[1].querySelectorAll('.unit')].map((e) => Math.round(e.offsetLeft))"
    )
    heights = [lefts.count(left) for left in set(lefts)]
    assert len(lefts) == 16 and max(heights) - min(heights) <= 1
    context.close()


@pytest.mark.parametrize(("view", "named"), [("trajectory", False), ("fold", False), ("surface", True)])
def test_the_legend_names_what_the_view_shows(explorer, view, named):
    explorer.open(f"v=1&widths=6-6&data=circles&step=30&view={view}")
    words = explorer.text("#legend-lines")
    assert ("decision boundary" in words) == named and ("folds of layer 0" in words) == named
    assert ("class 0" in words) == (view != "trajectory")
    assert explorer.page.locator("#legend-scale").is_visible() == (view != "trajectory")
    assert "-" not in explorer.page.locator("#legend-low").text_content()


def test_a_path_is_seen_on_dark_paper_from_end_to_end(explorer):
    explorer.page.emulate_media(color_scheme="dark")
    explorer.open("v=1&widths=4&view=trajectory")
    explorer.page.wait_for_timeout(300)
    x, y, dark = explorer.page.evaluate("""() => {
        const { views } = plica, { canvas } = views;
        const data = views.pen.getImageData(0, 0, canvas.width / 2, canvas.height / 2).data;
        const light = (i) => Math.max(data[i], data[i + 1], data[i + 2]);
        let [left, bottom, w] = [1e9, 0, Math.floor(canvas.width / 2)];
        for (let i = 0; i < data.length; i += 4) {
            const [x, y] = [(i / 4) % w, Math.floor(i / 4 / w)];
            if (light(i) > 150 && y > 60) [left, bottom] = [Math.min(left, x), Math.max(bottom, y)];
        }
        return [left / w, (2 * bottom) / canvas.height, light(0)];
    }""")
    assert dark < 60 and x < 0.35 and y > 0.7  # the path from the lower left corner, where it is navy


def test_the_colors_of_a_class_map_end_at_its_boundary(explorer):
    """Far more pixels than samples: next to the boundary each has the class that the network gives it."""
    explorer.open("v=1&step=60&view=map&points=0")
    explorer.page.wait_for_function("() => plica.views.all.map.isDone && plica.views.all.map.share === 1")
    answers = np.array(explorer.page.evaluate("[...plica.views.all.map.answers]")).reshape(1024, 1024)
    from plica.web import State
    from plica.web._scene import scene_of

    network = scene_of(State.from_query("step=60"), None).network
    at = -1.75 + 3.5 * (np.arange(1024) + 0.5) / 1024
    x, y = np.meshgrid(at, at[::-1])
    wanted = (network(np.stack([x, y], axis=-1).reshape(-1, 2))[:, 0] > 0).reshape(1024, 1024)
    assert explorer.facts()["window"] == [-1.75, 1.75, -1.75, 1.75] and 0 < wanted.mean() < 1
    assert (answers != wanted).sum() < 3000, "of a million: those on the line; squares around samples would be ten thousand wrong"


def test_areas_between_lines_are_flooded_and_what_leaks_keeps_its_samples(explorer):
    explorer.open("v=1&widths=2")
    run = """([ends, wrong]) => import('/static/flood.js').then(({ flooded }) =>
        [...flooded(40, 4, (column, row) => Number(column + row > 3) + wrong, ends)])"""
    found = np.array(explorer.page.evaluate(run, [[0, 40, 40, 0], 0])).reshape(40, 40)
    x, y = np.meshgrid(np.arange(40), np.arange(40))
    off = np.abs(x + y - 39) > 1
    assert (found[off] == (x + y > 39)[off]).all()
    open_ = np.array(explorer.page.evaluate(run, [[0, 40, 20, 20], 0])).reshape(40, 40)  # half of the line is missing
    assert (open_ == np.kron(np.add.outer(np.arange(4), np.arange(4)) > 3, np.ones((10, 10))))[off].mean() > 0.99


@pytest.mark.parametrize("view", ["map", "trajectory", "weights"])
def test_controls_without_effect_in_a_view_cannot_be_moved(explorer, view):
    explorer.open(f"v=1&widths=3&step=5&view={view}")
    assert explorer.page.locator("#in-color").is_disabled() and explorer.page.locator("#in-folds").is_disabled()
    explorer.page.click("#views [data-view=plane]")
    explorer.settled()
    assert explorer.page.locator("#in-color").is_enabled() and explorer.page.locator("#in-folds").is_enabled()


@pytest.mark.parametrize(("data", "name"), [("sine", "where the output is 0"), ("moons", "decision boundary")])
def test_only_classes_have_a_decision_boundary(explorer, data, name):
    explorer.open(f"v=1&data={data}&widths=6&step=60")
    words = explorer.text("#legend")
    assert name in words and ("decision boundary" in words) == (data == "moons")


def test_the_decision_boundary_has_a_color_that_no_fold_has(explorer):
    explorer.open("v=1&widths=6")
    for theme in ("light", "dark"):
        explorer.page.evaluate(f"plica.change({{theme: '{theme}'}})")
        strokes = explorer.page.evaluate("""Object.fromEntries([...document.querySelectorAll('#legend-lines li')].map(
            (li) => [li.textContent, [...li.querySelectorAll('path')].at(-1)?.getAttribute('stroke')]))""")
        ink, fold = to_oklab(strokes["decision boundary"]), to_oklab(strokes["folds of layer 0"])
        assert np.linalg.norm(ink - fold) > 0.2, (theme, strokes)


def test_views_are_one_row_on_a_phone_and_the_open_one_is_seen(chromium, served):
    context, page = on(chromium, served, SCREENS["phone"], "v=1&widths=3&view=meanfield")
    page.wait_for_selector("#views [aria-pressed=true]")
    box = page.locator("#views [aria-pressed=true]").bounding_box()
    assert page.locator("#views").bounding_box()["height"] < 50
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    page.locator("#views button").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => plica.state.get('view') === 'plane'")
    context.close()


def test_sliders_say_their_values_and_layers_are_counted_from_zero_everywhere(explorer):
    explorer.open("v=1&widths=5-4-3")
    said_of = (("folds", 1, "layer 0"), ("folds", 2, "layers 0 to 1"), ("folds", 0, "no layer"), ("speed", 7, "7 steps"))
    for name, value, said in said_of:
        explorer.reveal(name).page.evaluate(f"plica.change({{{name}: '{value}'}})")
        explorer.settled()
        assert explorer.text(f"output[for=in-{name}]") == said
        assert explorer.page.locator(f"#in-{name}").get_attribute("aria-valuetext") == said
    explorer.page.evaluate("plica.change({folds: '6', neuron: '1.2', pin: '0.1,0.2', segment: '-1,-1,1,1'})")
    explorer.settled()
    entries = explorer.page.locator("#legend-lines li").all_inner_texts()
    assert [e for e in entries if "folds" in e] == [f"folds of layer {k}" for k in range(3)]
    facts = explorer.page.evaluate("[...document.querySelectorAll('#card-facts dt, #path-facts dt')].map((e) => e.textContent)")
    assert [f for f in facts if f.startswith("layer ")] == [f"layer {k}" for k in range(3)]
    assert [f for f in facts if f.startswith("after layer")] == [f"after layer {k}" for k in range(3)]
    assert explorer.page.locator("[data-unit='0.0']").get_attribute("aria-label") == "layer 0, neuron 0"
    explorer.tab("network")
    assert explorer.page.locator("#in-act-2").get_attribute("aria-label") == "Activation of layer 2"


def test_the_graph_of_an_interval_is_not_painted_a_second_time_as_colors(explorer):
    """The output over an interval is the graph; its strips are of one color, and the scale of colors is not shown."""
    explorer.open("v=1&data=sine&widths=6&boundary=0&points=0")
    reds = """() => {
        const { painter: { picture }, mesh } = plica.plane;
        const row = picture.getContext("2d").getImageData(0, 100, picture.width, 1).data;
        return Array.from({ length: mesh.n }, (_, cell) => row[4 * Math.floor(mesh.center(cell)[0] * picture.width)]);
    }"""
    strips = explorer.page.evaluate(reds)
    assert len(strips) > 3 and max(strips) - min(strips) <= 3 and explorer.page.locator("#legend-bar").is_hidden()
    explorer.page.evaluate("plica.change({color: 'gradient'})")
    strips = explorer.settled().page.evaluate(reds)
    assert max(strips) - min(strips) > 30 and explorer.page.locator("#legend-bar").is_visible()


def test_small_charts_have_ends_on_both_axes(explorer):
    explorer.open("v=1&widths=4-4")
    for step in (10, 30):
        explorer.page.evaluate(f"plica.change({{step: '{step}'}})")
        explorer.settled()
    past = explorer.page.evaluate("plica.training.past.map((p) => p.regions).filter((n) => n !== null)")
    charts = explorer.page.locator(".spark")
    named = [charts.nth(i) for i in range(charts.count()) if "regions" in charts.nth(i).inner_text()]
    high, low = named[0].locator(".range span").all_inner_texts()
    assert int(low.replace(",", "")) == min(past) < max(past) <= int(high.replace(",", ""))
    assert named[0].locator(".ends span").all_inner_texts() == ["step 0", "step 30"]
    for width, height in SCREENS.values():
        explorer.page.set_viewport_size({"width": width, "height": height})
        explorer.settled()
        for i in range(charts.count()):
            parts = (".range", "svg", "output")
            ends, line, value = (charts.nth(i).locator(part).bounding_box() for part in parts)
            assert ends["x"] + ends["width"] <= line["x"] + 1, "beside the line, not over it"
            whole = charts.nth(i).locator("xpath=..").bounding_box()
            assert value["x"] + value["width"] <= whole["x"] + whole["width"] + 1 and line["width"] > 40


def test_the_table_of_cells_names_its_axes(explorer):
    explorer.open("v=1&widths=4")
    head = "() => [...document.querySelectorAll('#words-table th')].map((e) => e.textContent)"
    explorer.page.wait_for_function("() => document.querySelector('#words-table th')")
    assert explorer.page.evaluate(head) == ["cell", "center (x, y)", "area", "map", "neighbors"]
