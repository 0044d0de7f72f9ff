"""The scenes: which state of the explorer shows a claim, what it predicts there, and which controls matter."""

from __future__ import annotations

from functools import cache
from math import e, sqrt

from plica.errors import InvalidInput
from plica.theory import lengths as laws
from plica.theory import regions
from plica.web import _readings as r
from plica.web import _readings_network as n
from plica.web._lesson import SEED, Lesson
from plica.web._lessons_views import VIEW_LESSONS
from plica.web._state import State
from plica.web.views import Sheet

_AREA = "color=pattern&boundary=0&points=0"
_LINES = f"{_AREA}&bias=1"
_PATH = "segment=-1.5,-1,1.5,1&boundary=0&points=0&view=trajectory"
_ZASLAVSKY = r"1 + n + \binom{n}{2}"
_CIRCLE = "segment=-1.5,0,1.5,0&path=circle&boundary=0&points=0&view=trajectory"
_SEED = SEED
_DEPTH = ("widths", "folds", "seed")


def _expected_length(scene: r.Scene, start: float) -> float | None:
    from plica.web._picture import expected_lengths

    found = expected_lengths(scene, start)
    return found[-1] if found else None


def _price_tanner(scene: r.Scene, start: float) -> float:
    for n_in, n_out in zip((scene.n_inputs, *scene.state.widths), scene.state.widths, strict=False):
        start *= laws.price_tanner_2019_lower_bound(n_in, n_out, weight_std=1.0 if scene.state.init == "normal" else sqrt(2))
    return start


def _arora(scene: r.Scene) -> float:
    return float(regions.arora_2018_lower_bound(r.widths(scene)))


LESSONS: dict[str, Lesson] = {
    # one layer: arrangements of lines
    "zaslavsky-1975": Lesson(
        f"widths=8&{_LINES}&seed=76&window=-5,5,-5,5", _ZASLAVSKY, r.in_the_plane("=", r.one_layer(regions.zaslavsky))
    ),
    "hyperplane-sweep": Lesson(
        f"widths=5&{_LINES}&seed=431&window=-8,8,-8,8",
        "1 + 1 + 2 + 3 + \\cdots + n",
        r.in_the_plane("=", r.one_layer(regions.zaslavsky)),
    ),
    "general-position": Lesson(
        f"widths=6&{_LINES}&seed=139&window=-2.5,2.5,-2.5,2.5", _ZASLAVSKY, r.in_the_plane("=", r.one_layer(regions.zaslavsky))
    ),
    "zaslavsky-bounded": Lesson(
        f"widths=8&{_LINES}&seed=76&window=-5,5,-5,5",
        r"\binom{n - 1}{2}",
        r.in_the_plane("=", r.one_layer(regions.zaslavsky_bounded), bounded=True),
    ),
    "zaslavsky-central": Lesson(f"widths=8&{_AREA}&bias=0", "2 n", r.in_the_plane("=", r.one_layer(regions.zaslavsky_central))),
    "slide-general-position": Lesson(
        f"widths=6&{_AREA}&bias=0", _ZASLAVSKY, r.in_the_plane("=", r.one_layer(regions.zaslavsky)), ("bias", *_SEED)
    ),
    "characteristic-polynomial": Lesson(
        f"widths=6&{_AREA}&bias=0", r"(-1)^d \chi(-1)", r.in_the_plane("=", r.characteristic), ("bias", *_SEED)
    ),
    "binomial-sum": Lesson(
        f"widths=12&{_LINES}&seed=396&window=-16,16,-16,16",
        r"\left(\frac{e n}{d}\right)^d",
        r.in_the_plane("<=", r.one_layer(lambda n, d: (e * n / d) ** d)),  # type: ignore[arg-type,return-value]
    ),
    "slide-binomial-sum": Lesson(
        f"widths=4&{_LINES}&seed=399&window=-3,3,-3,3", r"n_1^{\min(n_0, n_1/2)}", r.in_the_plane(">=", r.slide_power)
    ),
    "antipodal-histogram": Lesson(
        f"widths=10&{_LINES}&seed=382&window=-7,7,-7,7", r"\sum_{j \le d} \binom{n - 1}{j}", r.mostly_active
    ),
    # depth
    "bent-hyperplanes": Lesson("widths=6-6-6&color=output&folds=2&boundary=0&points=0&neuron=1.2", "", None, _DEPTH),
    "cells-and-regions": Lesson(f"widths=8-3-3&{_AREA}", "", r.unions("<="), _DEPTH),
    "cells-are-regions": Lesson(f"widths=8-3-3&{_AREA}", "", r.unions("="), _DEPTH),
    "gaines-bi-2026-degree": Lesson(f"widths=12-12&{_AREA}", "2 d", r.neighbors, _DEPTH),
    "montufar-2014": Lesson(
        f"init=folding&widths=6-6&{_AREA}",
        r"\prod_{l < L} \left\lfloor \frac{n_l}{n_0} \right\rfloor^{n_0} \sum_{j \le n_0} \binom{n_L}{j}",
        r.counted(">=", r.deep(regions.montufar_2014_lower_bound)),
        ("widths", "folds"),
    ),
    "pascanu-2014": Lesson(
        f"init=folding&widths=4-4-6&{_AREA}",
        r"\prod_{l < L} \left\lfloor \frac{n_l}{n_0} \right\rfloor \sum_{j \le n_0} \binom{n_L}{j}",
        r.counted(">=", r.deep(regions.pascanu_2014_lower_bound)),
        ("widths", "folds"),
    ),
    "arora-2018-zonotope": Lesson(
        f"init=folding&widths=6-6&{_AREA}", r"\sum_{i < n} \binom{m - 1}{i} w^k", r.counted(">=", _arora), ("widths", "folds")
    ),
    "slide-at-least": Lesson(
        f"widths=8-8&init=torch-default&{_AREA}", "", r.in_the_plane(">=", r.deep(regions.pascanu_2014_lower_bound)), _DEPTH
    ),
    "slide-product-bound": Lesson(
        f"widths=4-4&{_AREA}", r"\prod_l n_l^{\min(n_0, n_l/2)}", r.in_the_plane(">=", r.slide_power), _DEPTH
    ),
    "raghu-2017-upper": Lesson(
        f"widths=16-16&{_AREA}",
        r"\prod_l \sum_{j \le n_0} \binom{n_l}{j}",
        r.cells_counted("<=", r.deep(regions.raghu_2017_upper_bound)),
        _DEPTH,
    ),
    "montufar-2017-upper": Lesson(
        f"widths=16-1-16&{_AREA}", "", r.cells_counted("<=", r.deep(regions.montufar_2017_upper_bound)), _DEPTH
    ),
    "serra-2018-upper": Lesson(
        f"widths=16-2-16&{_AREA}", "", r.cells_counted("<=", r.deep(regions.serra_2018_upper_bound)), _DEPTH
    ),
    "hinz-van-de-geer-2019": Lesson(
        f"widths=16-2-16&{_AREA}", "", r.cells_counted("<=", r.deep(regions.hinz_van_de_geer_2019_upper_bound)), _DEPTH
    ),
    "relu-symmetries": Lesson("widths=8-8&color=output&boundary=0&points=0", "", n.symmetric, _DEPTH),
    "piecewise-linear-functions": Lesson(
        "data=expression&expr=max(abs(x),abs(y))&widths=8-8&step=400&color=output", "", None, ("expr", "step")
    ),
    # on a line
    "sawtooth-unit-interval": Lesson(
        "data=sawtooth&init=sawtooth&widths=2-2-2&noise=0&boundary=0",
        "2^n",
        r.counted("=", lambda s: 2.0 ** len(s.state.widths)),
        ("widths",),
    ),
    "sawtooth-line": Lesson(
        "data=sawtooth&init=sawtooth&widths=2-2-2&noise=0&boundary=0&window=-0.5,1.5,-1,1.5",
        "2^n + 2",
        r.counted("=", lambda s: 2.0 ** len(s.state.widths) + 2),
        ("widths", "window"),
    ),
    "telgarsky-2015-pieces": Lesson(
        "data=sawtooth&init=sawtooth&widths=4-4-4-4&noise=0&boundary=0",
        "",
        r.counted("<=", r.deep(regions.telgarsky_2015_upper_bound)),
        ("widths",),
    ),
    "telgarsky-2016-separation": Lesson(
        "data=sawtooth&init=sawtooth&widths=2-2-2-2-2&noise=0&boundary=0",
        "2^n",
        r.counted("=", lambda s: 2.0 ** len(s.state.widths)),
        ("widths",),
    ),
    "one-hidden-layer-pieces": Lesson(
        "data=sine&widths=8&bias=1&boundary=0", "n + 1", r.counted("<=", lambda s: s.state.widths[0] + 1.0)
    ),
    "yarotsky-2017-square": Lesson(
        "data=square&init=square&widths=3-3-3&noise=0&boundary=0", "2^{-2 m - 2}", r.square_error, ("widths",)
    ),
    "leshno-1993-polynomial-activation": Lesson(
        "data=expression&expr=sin(6*x)&widths=24&noise=0&step=300&boundary=0", "", None, ("expr", "widths")
    ),
    # random networks and training
    "hanin-rolnick-2019-plane": Lesson(
        f"widths=16-16-16&{_AREA}&window=-8,8,-8,8",
        r"\frac{N^2}{2}",
        r.cells_counted("~", lambda s: float(regions.hanin_rolnick_2019_regions_estimate(sum(s.state.widths), 2))),
        _DEPTH,
    ),
    "hanin-rolnick-2019-line": Lesson(
        "widths=16-16&segment=-1.5,-1,1.5,1&boundary=0&points=0", "N", r.pieces("~", lambda s: float(sum(s.state.widths)))
    ),
    "hanin-rolnick-2019-distance": Lesson("widths=16-16&color=output&points=1", r"\frac{1}{N}", n.nearest_fold),
    "banchoff-1967-index": Lesson(f"widths=8-8&{_AREA}", r"\sum_p i(p) = \chi", r.critical_sum, _DEPTH),
    "grigsby-2022-functional-dimension": Lesson(
        f"widths=4-4&{_AREA}", r"\sum_l n_l (n_{l - 1} + 1) - \sum_l n_l", r.functional_dimension, _DEPTH
    ),
    "hanin-rolnick-2019-training": Lesson("data=spirals&widths=16-16&step=400", "", n.since_the_start("~"), ("step", "rate")),
    "learned-spheres": Lesson("data=circles&widths=16-16&step=300&color=class", "b_1 = 1", r.holes("=", 1), _DEPTH),
    "beise-2021-narrow": Lesson(
        "data=circles&widths=2-2-2&step=600&color=class", "", r.holes("=", 0), ("widths", "seed", "step")
    ),
    "nguyen-2018-connected": Lesson(
        "data=circles&widths=2-2&act=leaky-relu&step=600&color=class", "b_0 = 1", r.components("=", 1), ("widths", "seed")
    ),
    "grigsby-lindsey-2022-bounded": Lesson(
        "data=circles&widths=3&step=600&color=class", "", r.holes("<=", 1), ("widths", "seed")
    ),
    "hanin-rolnick-2019-integral": Lesson(
        "widths=16-16&segment=-1.5,-1,1.5,1&boundary=0&points=0&bias=0.5", "", n.breakpoints, ("bias", "widths", "seed")
    ),
    "fold-distance-training": Lesson(
        "data=spirals&widths=16-16&step=300", "", n.nearest_fold_since_the_start, ("step", "rate", "widths")
    ),
    "folding-start": Lesson("init=folding&widths=6-6&step=60&rate=0.001", "", n.since_the_start("<="), ("step", "rate")),
    "activation-pattern-form": Lesson(
        f"widths=8&{_LINES}", r"(w \odot s) (W x + b) + c", n.on_a_pattern(is_printed=False), ("widths", "seed", "bias")
    ),
    "slide-activation-pattern": Lesson(
        f"widths=8&{_LINES}&step=20", r"w' ((W x + b) + c)", n.on_a_pattern(is_printed=True), ("widths", "seed", "bias")
    ),
    "dropout-masks-regions": Lesson(f"widths=6&{_LINES}", r"\sum_k \binom{n}{k} p^k", n.thinned, ("widths", "seed")),
    "dropout-weight-scaling": Lesson(f"widths=6&{_LINES}&step=20", "", n.scaled_weights, ("widths", "seed")),
    "serra-2018-lower": Lesson(
        f"init=zigzag&widths=6-6&{_AREA}",
        r"\prod_{l < L} \left(\left\lfloor \frac{n_l}{n_0} \right\rfloor + 1\right)^{n_0} \sum_{j \le n_0} \binom{n_L}{j}",
        r.counted(">=", r.deep(regions.serra_2018_lower_bound)),
        ("widths", "folds"),
    ),
    # lengths
    "relu-length-law": Lesson(f"widths=64-64-64&{_PATH}", "", r.length("~", _expected_length)),
    "hanin-jeong-rolnick-2022": Lesson(
        f"widths=32-32-32-32-32-32&{_PATH}",
        r"\exp\left(-\frac{5}{8} \sum_l \frac{1}{n_l}\right)",
        r.length("~", _expected_length),
    ),
    "price-tanner-2019": Lesson(
        f"widths=64-64-64&init=normal&{_PATH}",
        r"\frac{\sigma_w}{\sqrt{2 \pi}} \sqrt{\frac{n_{out}}{n_{in}}}",
        r.length(">=", _price_tanner),
    ),
    "sparse-growth-threshold": Lesson(
        f"widths=32-32-32&init=normal&{_PATH}", r"\alpha \sigma_w^2 > 2", r.length("~", _expected_length), ("init", "seed")
    ),
    "survey-2016-figure-2": Lesson(
        f"widths=16-16-16-16&{_CIRCLE}", "", r.length("~", _expected_length), ("widths", "init", "path")
    ),
    "raghu-2017-hard-tanh": Lesson(f"widths=32-32-32&act=hard-tanh&init=normal&{_PATH}", "", None, ("act", "seed")),
    "raghu-2017-constant-one": Lesson(
        f"widths=32-32-32&act=hard-tanh&init=normal&{_PATH}",
        r"\frac{\sigma_w \sqrt{n}}{\sqrt{s^2 + n s}}",
        r.hard_tanh_base,
        ("act", "bias", "seed"),
    ),
    "price-2019-bound-threshold": Lesson(
        f"widths=32-32-32-32&init=normal&{_PATH}",
        r"\frac{\sigma_w}{\sqrt{2 \pi}} \sqrt{\frac{n_{out}}{n_{in}}}",
        r.length(">=", _price_tanner),
        ("init", "seed"),
    ),
    "raghu-2017-relu-base": Lesson(
        f"widths=32-32-32&init=normal&{_PATH}", r"\frac{\sigma_w \sqrt{n}}{\sqrt{s^2 + n s}}", r.hard_tanh_base, ("bias", "seed")
    ),
    "price-2019-figure-1": Lesson(
        f"widths=64-64-64-64-64-64&{_CIRCLE}", "", r.length("~", _expected_length), ("widths", "init", "seed")
    ),
    "slide-raghu-relu": Lesson(
        f"widths=32-32-32&init=normal&{_PATH}", r"\frac{\sigma_w \sqrt{n}}{\sqrt{s^2 + n s}}", r.hard_tanh_base
    ),
} | VIEW_LESSONS


def scene_link(claim: str) -> str:
    """The state of a scene, which names it.

    >>> scene_link("zaslavsky-central")
    'widths=8&color=pattern&boundary=0&points=0&bias=0&scene=zaslavsky-central'
    """
    return f"{LESSONS[claim].query}&scene={claim}"


def lesson_of(state: State) -> Lesson | None:
    """The lesson of a state, if it names one."""
    if not state.scene:
        return None
    if state.scene not in LESSONS:
        raise InvalidInput(f"there is no scene {state.scene!r}.", hint="choose a claim with a picture")
    return LESSONS[state.scene]


def reading_of(state: State, sheet: Sheet) -> dict[str, object] | None:
    """What the state's scene predicts beside what the sheet of its view measured."""
    found = lesson_of(state)
    reading = sheet.readings.get(found.read) if found is not None and isinstance(found.read, str) else None
    return None if reading is None else reading.to_dict()


@cache
def scenes() -> tuple[dict[str, object], ...]:
    """The scenes for the page, in the order in which Next goes through them."""
    from plica._mathml import to_mathml
    from plica.claims import catalog, to_html, to_unicode

    return tuple(
        {
            "id": claim,
            "title": to_unicode(page.title),
            "heading": to_html(page.title),
            "text": to_html(page.statement),
            "formula": to_mathml(lesson.formula, display=True) if lesson.formula else "",
            "expected": page.expected,
            "show": scene_link(claim),
            "controls": lesson.controls,
        }
        for claim, lesson in LESSONS.items()
        for page in (catalog()[claim],)
    )


def lesson(id: str) -> str:
    """The state that shows a claim, as the part of a link after ``#``; empty where the explorer cannot show it."""
    return scene_link(id) if id in LESSONS else ""
