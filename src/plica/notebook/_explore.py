"""``explore``: a plane of a network in a notebook cell, to zoom, move and ask, computed by the kernel."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from plica import _palette as palette
from plica.errors import InvalidInput, MissingExtra, PlicaError
from plica.geometry import Box, Budget, Plane, decompose
from plica.network import Network, from_torch
from plica.notebook._picture import arrays_of, facts_of, frame_of
from plica.web import bundle

MOST_CELLS = 60_000  # a picture of more is slow to send and to draw
MOST_SECONDS = 20.0
Window = tuple[float, float, float, float]


def explore(network: Any, *, box: tuple[float, float] | Box | None = None, plane: Plane | None = None, size: int = 480) -> Any:
    """A widget that shows the exact regions of a network: the wheel zooms, dragging moves, a click says what holds in a cell.

    Parameters
    ----------
    network
        A Network, or a torch module (in eval mode) with two inputs; more inputs need a ``plane``.
    box
        Where to begin: the range of both coordinates, or a Box.
    plane
        The plane to look at, for networks of more than two inputs.
    size
        Width and height in pixels.

    Returns
    -------
    anywidget.AnyWidget
        ``.complex`` is what is shown.
    """
    net = network if isinstance(network, Network) else from_torch(network)
    if plane is None and net.n_inputs != 2:
        raise InvalidInput(
            f"the network has {net.n_inputs} inputs, a picture has two.",
            hint="plica.explore(net, plane=plica.Plane.through(a, b, c))",
        )
    if not 100 <= size <= 4000:
        raise InvalidInput(f"size = {size}.", hint="pixels, from 100 to 4000")
    window = _window(box, plane)
    return _widget_class()(net, window, plane, size)


def _window(box: Any, plane: Plane | None) -> Window:
    if plane is not None:
        low, high = plane.window.min(axis=0), plane.window.max(axis=0)
        return float(low[0]), float(high[0]), float(low[1]), float(high[1])
    if isinstance(box, Box):
        return float(box.low[0]), float(box.high[0]), float(box.low[1]), float(box.high[1])
    low, high = (-1.0, 1.0) if box is None else map(float, box)
    if not low < high:
        raise InvalidInput(f"box = ({low}, {high}).", hint="a lower and a higher number")
    return low, high, low, high


@cache
def _text() -> str:
    """The widget's module, with those of the explorer that it draws with."""
    folders = [files(package) / "static" for package in ("plica.web", "plica.notebook")]
    scripts = [path for folder in folders for path in folder.iterdir() if path.name.endswith(".js")]
    return bundle({path.name: path.read_text(encoding="utf-8") for path in scripts}, "widget.js")


@cache
def _widget_class() -> Any:
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise MissingExtra("anywidget is not installed.", hint="pip install 'plica[notebook]'") from None

    class Explorer(anywidget.AnyWidget):  # type: ignore[misc]
        """The plane of one network; the page asks for windows, the kernel answers with cells."""

        _esm = _text()
        palette = traitlets.Dict().tag(sync=True)
        size = traitlets.Int(480).tag(sync=True)
        window = traitlets.List(traitlets.Float()).tag(sync=True)
        color = traitlets.Unicode("output").tag(sync=True)
        depth = traitlets.Int(99).tag(sync=True)
        facts = traitlets.Dict().tag(sync=True)
        arrays = traitlets.Dict().tag(sync=True)
        problem = traitlets.Unicode("").tag(sync=True)

        def __init__(self, network: Network, window: Window, plane: Plane | None, size: int) -> None:
            self.network, self.plane, self.complex, self.home = network, plane, None, list(window)
            colors = {"magnitudes": palette.CIVIDIS} | {m: {**s, "areas": palette.AREAS[m]} for m, s in palette.SCREEN.items()}
            super().__init__(palette=colors, size=size, window=list(window))
            self._show()
            self.observe(lambda _: self._show(), names="window")

        def _show(self) -> None:
            a, b, c, d = self.window
            try:
                if not (a < b and c < d):
                    raise InvalidInput("the window is empty.")
                if self.plane is None:
                    domain: Any = Box([a, c], [b, d])
                else:
                    domain = Plane(*frame_of(self.plane), window=[(a, c), (b, c), (b, d), (a, d)])
                cx: Any = decompose(self.network, domain, budget=Budget(max_cells=MOST_CELLS, max_seconds=MOST_SECONDS))
                arrays = {
                    name: {"type": array.dtype.name, "bytes": array.tobytes()}
                    for name, array in arrays_of(cx, (a, b, c, d)).items()
                }
            except PlicaError as error:
                self.problem = str(error)
                return
            self.complex = cx
            with self.hold_sync():
                self.problem, self.facts, self.arrays = "", facts_of(cx, (a, b, c, d)) | {"home": self.home}, arrays

    return Explorer
