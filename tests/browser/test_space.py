"""Pictures in space: what is hidden is hidden, what moves is the same picture as what rests."""

import base64
import io

import numpy as np
import pytest

pytestmark = pytest.mark.browser

SIZE = 96
PAINT = """async ({places, first, fills, isClosed, alpha, size}) => {
    const { Pixels } = await import("/static/facets.js");
    const pixels = new Pixels(size, size);
    const n = places.length / 3;
    const facets = { places: Float32Array.from(places), first, corners: [...Array(n).keys()], fills: Uint32Array.from(fills),
                     isClosed, lines: [] };
    pixels.paint(facets, facets.places, alpha, 0xff000000, 1);
    return [...pixels.colors].map((color) => color & 0xffffff);
}"""


def painted(explorer, polygons, fills, *, is_closed=False, alpha=1):
    n = polygons.shape[1]
    first = list(range(0, n * len(polygons) + 1, n))
    given = {"places": polygons.ravel().tolist(), "first": first, "fills": fills, "isClosed": is_closed}
    pixels = explorer.page.evaluate(PAINT, given | {"alpha": alpha, "size": SIZE})
    return np.array(pixels).reshape(SIZE, SIZE)


def nearest(triangles, margin):
    """Which triangle is nearest in the middle of each pixel, by barycentric coordinates; and where that is beyond doubt."""
    y, x = np.mgrid[:SIZE, :SIZE] + 0.5
    best, near, is_sure = np.full(x.shape, -1), np.zeros(x.shape), np.ones(x.shape, dtype=bool)
    second = np.zeros(x.shape)
    for i, ((ax, ay, az), (bx, by, bz), (cx, cy, cz)) in enumerate(triangles):
        det = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        t = ((x - ax) * (cy - ay) - (y - ay) * (cx - ax)) / det
        s = ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / det
        inside = np.minimum(np.minimum(t, s), 1 - t - s)
        is_sure &= np.abs(inside) > margin
        here = np.where(inside > 0, az + t * (bz - az) + s * (cz - az), 0)
        second = np.where(here > near, near, np.maximum(second, here))
        best, near = np.where(here > near, i, best), np.maximum(near, here)
    return best, is_sure & ((near - second > 1e-4) | (best < 0))


@pytest.mark.parametrize("seed", range(4))
def test_each_pixel_shows_the_facet_that_is_nearest_there(explorer, seed):
    explorer.open("v=1&widths=2")
    rng = np.random.default_rng(seed)
    triangles = np.concatenate([rng.uniform(-20, SIZE + 20, (25, 3, 2)), rng.uniform(0.2, 1, (25, 3, 1))], axis=2)
    fills = [0xFF000000 + 1 + i for i in range(25)]
    best, is_sure = nearest(triangles, 0.005)
    found = painted(explorer, triangles, fills)
    assert is_sure.mean() > 0.5
    assert np.array_equal(found[is_sure], best[is_sure] + 1)
    turned = painted(explorer, triangles[::-1], fills[::-1])
    assert np.array_equal(turned[is_sure], found[is_sure])


def test_facets_side_by_side_leave_no_gap(explorer):
    """Triangles of points nearly on lines and nearly the same cover the screen: slivers, and corners in the middle of pixels."""
    from scipy.spatial import Delaunay

    explorer.open("v=1&widths=2")
    rng = np.random.default_rng(0)
    lines = [np.column_stack([t, a + b * t]) for a, b in [(5, 0.7), (60, -0.2)] for t in [np.linspace(-9, SIZE + 9, 60)]]
    lines.append(np.column_stack([np.full(SIZE, 30.5), np.arange(SIZE) + 0.5]))
    corners = np.array([[-30.0, -30.0], [SIZE + 30, -30], [-30, SIZE + 30], [SIZE + 30, SIZE + 30]])
    points = np.concatenate([corners, *lines, rng.uniform(0, SIZE, (40, 2))])
    points = np.concatenate([points, points[4:60] + rng.normal(scale=1e-4, size=(56, 2))]).astype(np.float32).astype(float)
    triangles = points[Delaunay(points).simplices]
    sides = triangles - triangles[:, [1, 2, 0]]
    heights = np.abs(np.linalg.det(sides[:, :2])) / np.linalg.norm(sides, axis=2).max(axis=1)
    assert (heights < 1e-3).sum() > 20, "there are slivers"
    placed = np.concatenate([triangles, rng.uniform(0.2, 1, (*triangles.shape[:2], 1))], axis=2)
    found = painted(explorer, placed, [0xFF000000 + 1 + i for i in range(len(triangles))])
    assert (found > 0).all()


@pytest.mark.parametrize("thickness", [1e-6, 1e-5, 1e-4, 1e-2, 0.5])
def test_a_sliver_is_nowhere_nearer_than_its_corners(explorer, thickness):
    """Seen from the side a facet has slopes without bound, and its corners are rounded: it hides nothing before all of them."""
    explorer.open("v=1&widths=2")
    rng = np.random.default_rng(1)
    n = 600
    middle, angles = rng.integers(10, SIZE - 10, (n, 1, 2)) + 0.5, rng.uniform(0, np.pi, n)
    along, across = (np.stack([np.cos(angles + turn), np.sin(angles + turn)], axis=1)[:, None] for turn in (0, np.pi / 2))
    u, v = np.array([[-1.0, 0.1, 1, -0.1], [0, -1, 0, 1]])[:, None, :, None]
    flat = middle + 30 * u * along + thickness * v * across
    near = 0.5 + 0.1 * u * rng.uniform(-1, 1, (n, 1, 1)) + 0.15 * v * rng.choice([-1, 1], (n, 1, 1))
    slivers = np.concatenate([flat, near], axis=2)
    screen = np.array([[-999.0, -999], [9999, -999], [9999, 9999], [-999, 9999]])
    for far, hidden in ((0.66, True), (0.34, False)):
        wall = np.column_stack([screen, np.full(4, far)])[None]
        found = painted(explorer, np.concatenate([slivers, wall]), [0xFF0000FF] * n + [0xFF00FF00])
        assert set(np.unique(found)) <= {0x00FF00, 0x0000FF}
        n_red = (found == 0x0000FF).sum()
        assert n_red == 0 if hidden else n_red > (100 if thickness > 0.1 else 0)


def test_what_is_behind_the_eye_is_not_painted(explorer):
    explorer.open("v=1&widths=2")
    seen = explorer.page.evaluate("""async () => {
        const { Turned } = await import("/static/turned.js");
        const { Pixels } = await import("/static/facets.js");
        const turned = Object.assign(new Turned(), { turn: 0, tilt: 0 });
        // the eye looks along y from -4: one facet before it, one behind, one through it
        return [[0, 0, 0], [-9, -9, -9], [-9, 0, 0]].map(([p, q, r]) => {
            const pixels = new Pixels(40, 40);
            const white = Uint32Array.of(0xffffffff);
            const facets = { places: Float32Array.from([-1, p, -1, 1, q, -1, 0, r, 1]), first: [0, 3], corners: [0, 1, 2],
                             fills: white, rims: white, isClosed: false, lines: [] };
            return [1, 0.5].map((alpha) => {
                pixels.paint(facets, turned.project(facets.places, 40, 20, 20), alpha, 0xff000000, 1);
                return [...pixels.colors].filter((c) => c !== 0xff000000).length;
            });
        });
    }""")
    assert min(seen[0]) > 100 and seen[1:] == [[0, 0], [0, 0]]


def test_the_skin_of_cells_is_the_picture_of_all_of_them(explorer):
    """Where cells touch and are opaque, facets between two of them are left out: the picture is the same with them."""
    explorer.open("v=1&widths=6-6&view=complex&cut=0.3")
    explorer.page.wait_for_function("() => plica.views.current.facets?.() && !document.querySelector('[aria-busy]')")
    few, many, apart = explorer.page.evaluate("""() => {
        const { views } = plica, view = views.current;
        const [width, height] = [views.place.clientWidth, views.place.clientHeight];
        view.moved = -Infinity;  // at rest: pictures that move are as coarse as their time asks for
        const pictures = [0, 1e-9].map((explode) => {
            view.explode = explode;
            view.draw(views.pen, width, height);
            return [view.made.facets.fills.length, views.pen.getImageData(0, 0, width, height).data];
        });
        const [one, other] = pictures.map(([, data]) => data);
        let apart = 0;
        for (let i = 0; i < one.length; i++) apart += Math.abs(one[i] - other[i]) > 24;
        return [pictures[0][0], pictures[1][0], apart / one.length];
    }""")
    assert few < many / 3 and apart < 0.002


def test_a_picture_that_moves_is_as_fine_as_its_time_allows(explorer):
    explorer.open("v=1&widths=2")
    steps = explorer.page.evaluate("""async () => {
        const { Turned } = await import("/static/turned.js");
        const turned = new Turned();
        const run = (cost) => Array.from({ length: 12 }, () => {
            turned.adapt(cost * [2, 1, 0.7, 0.5, 0.35][turned.coarse] ** 2);
            return turned.coarse;
        });
        return [run(1000), run(12), run(1), run(50)];
    }""")
    assert [run[-1] for run in steps] == [4, 1, 0, 3] and all(run[5] == run[-1] for run in steps)


def test_closed_cells_show_no_inside_and_transparent_ones_do(explorer):
    explorer.open("v=1&widths=2")
    corners = np.array([[10, 10, 0.5], [80, 10, 0.5], [10, 80, 0.5]])
    outside, inside = corners[[0, 2, 1]], corners
    white = [0xFFFFFFFF]
    assert painted(explorer, outside[None], white, is_closed=True)[20, 20] == 0xFFFFFF
    assert painted(explorer, inside[None], white, is_closed=True)[20, 20] == 0
    assert painted(explorer, inside[None], white, is_closed=True, alpha=0.5)[20, 20] == 0x7F7F7F


def test_transparent_facets_are_painted_from_far_to_near(explorer):
    explorer.open("v=1&widths=2")
    flat = np.array([[10, 10], [80, 10], [10, 80]])
    both = np.stack([np.column_stack([flat, np.full(3, near)]) for near in (0.9, 0.3)])
    seen = painted(explorer, both, [0xFF0000FF, 0xFFFF0000], alpha=0.75)[20, 20]  # red is near, blue is far
    assert [seen & 255, seen >> 16] == pytest.approx([0.75 * 255, 0.25 * 0.75 * 255], abs=2)


def pixels(png):
    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), dtype=int)


def seen(explorer):
    return pixels(explorer.page.locator("#other canvas").screenshot())


def test_the_surface_carries_the_boundary_and_the_data(explorer):
    explorer.open("v=1&widths=6-6&data=circles&step=60&view=surface&folds=0")
    explorer.page.wait_for_timeout(600)
    pictures = {}
    for name, changes in {"all": {}, "no points": {"points": "0"}, "neither": {"points": "0", "boundary": "0"}}.items():
        explorer.page.evaluate("changes => plica.change(changes)", changes)
        explorer.page.wait_for_timeout(600)
        pictures[name] = seen(explorer)
    dots = (pictures["all"] != pictures["no points"]).any(axis=2).mean()
    line = (pictures["no points"] != pictures["neither"]).any(axis=2).mean()
    assert 0.002 < dots < 0.1 and 0.001 < line < 0.1


def test_what_is_painted_coarsely_while_it_moves_is_the_picture_that_rests(explorer):
    explorer.open("v=1&widths=8-8&view=complex")
    explorer.page.wait_for_function("() => plica.views.current.made && !document.querySelector('[aria-busy]')")
    explorer.page.wait_for_timeout(600)
    fine = seen(explorer)
    coarse = explorer.page.evaluate("""() => {
        const { views } = plica, view = views.current;
        [view.moved, view.coarse] = [Infinity, 1];
        view.draw(views.pen, views.place.clientWidth, views.place.clientHeight);
        view.moved = -Infinity;
        return views.canvas.toDataURL().split(",")[1];
    }""")
    coarse = pixels(base64.b64decode(coarse))
    height, width = min(coarse.shape[0], fine.shape[0]), min(coarse.shape[1], fine.shape[1])
    apart = np.abs(coarse[:height, :width] - fine[:height, :width]).max(axis=2)
    assert np.median(apart) <= 2 and (apart > 64).mean() < 0.05
