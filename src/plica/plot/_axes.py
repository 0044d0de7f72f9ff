"""Axes to draw on, without pyplot and its global state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plica.geometry import Complex, Domain


def axes_or_new(ax: Axes | None, *, size: tuple[float, float] = (5.0, 5.0)) -> Axes:
    """The given axes, or those of a new figure."""
    if ax is not None:
        return ax
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    return figure.add_subplot()


def label_axes(ax: Axes, cx: Complex) -> None:
    """Name the parameters of the domain and set the limits to it."""
    first, second, *_ = [*names_of_axes(cx), ""]
    ax.set_xlabel(first)
    low, high = cx.vertices.min(0), cx.vertices.max(0)
    ax.set_xlim(low[0], high[0])
    if cx.dimension == 2:
        ax.set_ylabel(second)
        ax.set_ylim(low[1], high[1])
        ax.set_aspect("equal")


def label_window(ax: Axes, domain: Domain) -> None:
    """Name the two parameters of a plane and set the limits to its window."""
    first, second = _names(domain, 2)
    ax.set(xlabel=first, ylabel=second, aspect="equal")
    (left, bottom), (right, top) = domain.window.min(axis=0), domain.window.max(axis=0)
    ax.set(xlim=(left, right), ylim=(bottom, top))


def names_of_axes(cx: Complex) -> list[str]:
    """What the parameters of a complex are called."""
    return _names(cx.domain, cx.dimension)


def _names(domain: Any, dimension: int) -> list[str]:
    """What parameters of a domain are called: the inputs that a box leaves free, or letters."""
    from plica.geometry import Box

    if isinstance(domain, Box):
        digits = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
        return [f"x{i + 1}".translate(digits) for i in domain.free]
    return {1: ["t"], 2: ["u", "v"]}.get(dimension, [f"u{i + 1}" for i in range(dimension)])
