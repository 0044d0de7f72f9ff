"""A line chart as SVG, styled by the page."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10

from markupsafe import Markup

from plica.report._svg import number

WIDTH, HEIGHT = 460.0, 210.0
LEFT, RIGHT, TOP, BOTTOM = 52.0, 12.0, 14.0, 30.0


def line_chart(
    x: Sequence[float],
    y: Sequence[float],
    *,
    title: str,
    marks: Sequence[int] = (),
    log: bool = False,
    from_zero: bool = True,
    mark_radius: float = 4.0,
) -> Markup:
    """A curve with a few ticks; ``marks`` are the indices of points to emphasize, in the order of the viewer's frames."""
    floor_y = min((v for v in y if v > 0), default=1e-6)
    heights = [log10(max(v, floor_y)) for v in y] if log else list(y)
    bottom = 0.0 if from_zero and not log else min(heights)
    ticks = log_ticks(heights) if log else round_ticks(bottom, max(heights))
    low, high = min([bottom, *ticks]), max([*heights, *ticks])
    x_ticks = round_ticks(min(x), max(x))

    def place(u: float, v: float) -> tuple[float, float]:
        px = LEFT + (u - min(x)) / ((max(x) - min(x)) or 1) * (WIDTH - LEFT - RIGHT)
        py = HEIGHT - BOTTOM - (v - low) / ((high - low) or 1) * (HEIGHT - TOP - BOTTOM)
        return px, py

    parts = [Markup("<title>{}</title>").format(title)]
    for v in ticks:
        py = place(min(x), v)[1]
        label = f"{10**v:g}" if log else f"{v:g}"
        parts.append(
            Markup('<path class="grid" d="M{} {}H{}"/><text class="tick y" x="{}" y="{}">{}</text>').format(
                number(LEFT), number(py), number(WIDTH - RIGHT), number(LEFT - 8), number(py + 4), label
            )
        )
    for u in x_ticks:
        px = place(u, low)[0]
        parts.append(Markup('<text class="tick x" x="{}" y="{}">{}</text>').format(number(px), number(HEIGHT - 10), f"{u:g}"))
    curve = "M" + "L".join("{} {}".format(*map(number, place(u, v))) for u, v in zip(x, heights, strict=True))
    parts.append(Markup('<path class="curve" d="{}"/>').format(curve))
    for i in marks:
        px, py = place(x[i], heights[i])
        parts.append(Markup('<circle class="mark" cx="{}" cy="{}" r="{}"/>').format(number(px), number(py), number(mark_radius)))
    return Markup('<svg class="chart" viewBox="0 0 {} {}" role="img">{}</svg>').format(
        number(WIDTH), number(HEIGHT), Markup("").join(parts)
    )


def round_ticks(low: float, high: float, *, about: int = 4) -> list[float]:
    """Round numbers inside [low, high].

    >>> round_ticks(0, 430)
    [0.0, 100.0, 200.0, 300.0, 400.0]
    """
    span = (high - low) or 1.0
    step = 10.0 ** floor(log10(span / about))
    step *= next(m for m in (1, 2, 5, 10) if span / (m * step) <= about + 1)
    digits = 12 - floor(log10(step))  # as many for small steps as for large ones
    return [round(k * step, digits) for k in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]


def log_ticks(exponents: Sequence[float]) -> list[float]:
    """Powers of ten that enclose the values, given as logarithms.

    >>> log_ticks([-0.2, -2.5])
    [-3.0, -2.0, -1.0, 0.0]
    """
    return [float(k) for k in range(floor(min(exponents)), ceil(max(exponents)) + 1)]
