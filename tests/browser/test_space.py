"""Pictures in space: what is hidden is hidden, what moves is the same picture as what rests."""

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


def painted(explorer, triangles, fills, *, is_closed=False, alpha=1):
    first = list(range(0, 3 * len(triangles) + 1, 3))
    given = {"places": triangles.ravel().tolist(), "first": first, "fills": fills, "isClosed": is_closed}
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


def seen(explorer):
    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(explorer.page.locator("#other canvas").screenshot())).convert("RGB"), dtype=int)


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
        [view.moved, view.fineMs] = [Infinity, 1e9];
        view.draw(views.pen, views.place.clientWidth, views.place.clientHeight);
        const { width, height } = views.canvas;
        view.moved = -Infinity;
        return [width, height, ...views.pen.getImageData(0, 0, width, height).data];
    }""")
    coarse = np.array(coarse[2:]).reshape(coarse[1], coarse[0], 4)[..., :3]
    height, width = min(coarse.shape[0], fine.shape[0]), min(coarse.shape[1], fine.shape[1])
    apart = np.abs(coarse[:height, :width] - fine[:height, :width]).max(axis=2)
    assert np.median(apart) <= 2 and (apart > 64).mean() < 0.05
