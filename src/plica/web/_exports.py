"""The picture to take away: SVG, PNG, NPZ, JSON, the model, and the Python that makes the same."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

from plica import __version__
from plica import _palette as palette
from plica._passing import passing_folder
from plica.errors import InvalidInput
from plica.network import to_bytes
from plica.web._limits import Limits
from plica.web._picture import decomposed
from plica.web._scene import Scene
from plica.web._snippet import snippet

MIME = {
    "svg": "image/svg+xml",
    "png": "image/png",
    "npz": "application/octet-stream",
    "json": "application/json",
    "safetensors": "application/octet-stream",
    "python": "text/x-python",
}


def export(scene: Scene, kind: str, limits: Limits, *, model_name: str = "") -> tuple[str, str, bytes]:
    """A file name, its type and its content."""
    if kind not in MIME:
        raise InvalidInput(f"there is no export {str(kind)[:40]!r}.", hint=f"one of {', '.join(MIME)}")
    if kind == "python":
        if scene.network is not None and scene.problem is None:
            decomposed(scene, limits)  # finds the window that fits the budget
        return "plica_explorer.py", MIME[kind], snippet(scene, model_name=model_name).encode()
    if scene.network is None:
        raise InvalidInput(f"a network with tanh has no regions to write as {kind}.", hint="choose a piecewise-linear activation")
    makers: dict[str, Callable[[Scene, Limits], bytes]] = {
        "svg": lambda s, m: _drawing(s, m, "svg"),
        "png": lambda s, m: _drawing(s, m, "png"),
        "npz": _npz,
        "json": _json,
        "safetensors": _model,
    }
    suffix = kind
    name = f"plica-{scene.state.data}-{'x'.join(map(str, scene.network.widths[1:-1][:6]))}-step{scene.state.step}.{suffix}"
    return name, MIME[kind], makers[kind](scene, limits)


def _drawing(scene: Scene, limits: Limits, kind: str) -> bytes:
    """A figure for a paper: title, axes, legend, parameters."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from plica.plot import plot_complex

    cx = decomposed(scene, limits)
    state = scene.state
    colors = {"class": "output", "error": "output", "steps": "output"}
    buffer = io.BytesIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "plica"}):
        figure = Figure(figsize=(6.4, 5.4), layout="constrained")
        FigureCanvasAgg(figure)
        ax = figure.add_subplot()
        shown, width = colors.get(state.color, state.color), 0.0 if cx.dimension == 2 else None
        boundary = state.boundary and cx.dimension == 2
        plot_complex(cx, ax=ax, color=shown, output=state.output, boundary=boundary, edge_width=width)
        if cx.dimension == 2:
            _draw_folds(ax, cx, state.folds)
        if state.points and scene.problem is not None:
            _draw_points(ax, scene)
        noun = "regions" if cx.dimension == 2 else "pieces"
        ax.set_title(f"{cx.n_regions:,} {noun}, {_caption(scene)}", fontsize="medium")
        about = {"Date": None, "Creator": f"Plica {__version__}"} if kind == "svg" else {"Software": f"Plica {__version__}"}
        figure.savefig(buffer, format=kind, dpi=200, metadata=about)
    return buffer.getvalue()


def _draw_folds(ax: Any, cx: Any, depth: int) -> None:
    """The folds of the first layers, in the colors that layers have on the page."""
    from matplotlib.collections import LineCollection

    width = min(1.0, max(0.3, 20 / cx.n_cells**0.5))
    colors = palette.SCREEN["light"]["layers"]
    for layer in range(min(depth, len(cx.network.layers))):
        color, label = colors[layer % len(colors)], f"folds of layer {layer}"
        lines = LineCollection(cx.folds(layer), colors=color, linewidths=width, label=label)
        ax.add_collection(lines, autolim=False)
    if depth and cx.network.layers:
        ax.legend(loc="upper right", fontsize="small")


def _draw_points(ax: Any, scene: Scene) -> None:
    p = scene.problem
    assert p is not None
    xy = (p.points[:, 0], p.points[:, 1] if p.n_inputs == 2 else p.targets)
    if p.is_classes and p.n_inputs == 2:
        names = p.names or ("class 0", "class 1")
        colors = palette.CLASSES if len(names) == 2 else palette.SERIES
        for label, name in enumerate(names):
            rows, marker, color = p.targets == label, "so^Dv"[label % 5], colors[label % len(colors)]
            ax.plot(xy[0][rows], xy[1][rows], marker, color=color, markeredgecolor=palette.PAPER, markersize=4, label=name)
        ax.legend(loc="upper right", fontsize="small")
    else:
        ax.plot(*xy, ".", color=palette.INK, markersize=3, alpha=0.6, label="data")
    a, b, c, d = scene.window
    ax.set_xlim(a, b)
    ax.set_ylim(c, d)


def _caption(scene: Scene) -> str:
    assert scene.network is not None
    state = scene.state
    shape = "-".join(map(str, scene.network.widths)) if len(scene.network.widths) < 12 else f"{len(scene.network.layers)} layers"
    if state.data == "model":
        return f"network {shape}"
    return f"network {shape} on {state.data}, seed {state.seed}, step {state.step}"


def _json(scene: Scene, limits: Limits) -> bytes:
    cx = decomposed(scene, limits)
    document = {"plica": __version__, "schema": 1, "state": scene.state.to_query(), "window": list(scene.window)}
    return json.dumps(document | cx.to_dict(), allow_nan=False).encode()


def _npz(scene: Scene, limits: Limits) -> bytes:
    with passing_folder() as folder:
        path = folder / "complex.npz"
        decomposed(scene, limits).save(path)
        return path.read_bytes()


def _model(scene: Scene, limits: Limits) -> bytes:
    assert scene.network is not None
    return to_bytes(scene.network)
