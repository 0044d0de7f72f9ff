"""Scenes of the views that the server computes: mean field, attention, approximation, noise, robustness, weights, space."""

from __future__ import annotations

from plica.web._lesson import Lesson

_SCALES = ("sw", "sb", "deep")
_HEADS = ("tokens", "dim", "warmth")


def _field(rest: str, formula: str, read: str, controls: tuple[str, ...] = _SCALES) -> Lesson:
    return Lesson(f"view=meanfield&{rest}", formula, read, controls)


def _head(rest: str, formula: str, read: str, controls: tuple[str, ...] = _HEADS) -> Lesson:
    return Lesson(f"view=attention&{rest}", formula, read, controls)


_MEAN_FIELD = {
    "poole-2016-phases": _field("sw=2.5&sb=0.3&deep=30&wide=400", r"\chi_1 = \sigma_w^2 \, E \, \varphi'(\sqrt{q} z)^2", "limit"),
    "poole-2016-length-map": _field("sw=2.5&sb=0.3", r"q' = \sigma_w^2 \, E \, \varphi(\sqrt{q} z)^2 + \sigma_b^2", "length"),
    "poole-2016-correlation-map": _field("sw=2.5&sb=0.3&corr=0.2", "c' = f(c)", "correlation", ("corr", *_SCALES)),
    "edge-of-chaos-tanh": _field("sw=1.3955839&sb=0.3", r"\chi_1 = 1", "edge"),
    "edge-of-chaos-erf": _field("phi=erf&sw=1.2336725&sb=0.3", r"\chi_1 = 1", "edge"),
    "schoenholz-2017-depth-scale": _field("sw=1.2&sb=0.3&deep=16", r"\xi_c = -1 / \log \chi_c", "correlation"),
    "schoenholz-2017-dropout": _field("sw=1.3&sb=0.2&keep=0.9&corr=1", r"c^* < 1", "correlation", ("keep", *_SCALES)),
    "sparse-mean-field": _field("sw=2&sb=0.2&density=0.5&deep=6", r"\alpha \sigma_w^2", "length", ("density", *_SCALES)),
    "yang-2017-residual": _field("phi=relu&sw=1&sb=0&skip=1&deep=8", r"1 + \sigma_w^2 / 2", "length", ("skip", "sw", "deep")),
    "relu-edge-correlation": _field(
        "phi=relu&sw=1.4142135623&sb=0&corr=0&deep=20&wide=2000", r"1 - c \sim \frac{9 \pi^2}{2 l^2}", "angle", ("corr", "deep")
    ),
    "he-2015-variance": _field("phi=relu&sw=1.4142135623&sb=0&deep=8", r"n \, Var \, w = 2", "length"),
    "glorot-2010-variance": _field("phi=identity&sw=1&sb=0&deep=8", r"Var \, w = \frac{2}{n_{in} + n_{out}}", "gradient"),
    "fuss-catalan": _field("phi=identity&sw=1&sb=0&deep=3", r"\frac{(L + 1)^{L + 1}}{L^L}", "largest", ("deep", "wide")),
    "pennington-2017-variance": _field("phi=relu&sw=1.4142135623&sb=0&deep=4", "L", "jacobian-spread", ("deep", "matrix")),
    "pennington-2017-isometry": _field(
        "sw=1.0421&sb=0.01&matrix=orthogonal&deep=8", r"\sigma^2 \to 0", "jacobian-spread", ("matrix", *_SCALES)
    ),
    "pennington-2018-spectrum": _field("phi=hard-tanh&sw=1.2&sb=0.2&deep=4", "", "jacobian-mean", ("deep", "matrix", "sw")),
    "lee-2018-gaussian-process": _field("phi=relu&sw=1.4142135623&sb=0.1&deep=3", "", "gaussian-process", ("wide", "deep")),
    "jacot-2018-tangent-kernel": _field("phi=relu&sw=1.4142135623&sb=0.1&deep=3", "", "tangent-kernel", ("wide", "deep")),
}

_ATTENTION = {
    "score-scale": _head("dim=64", r"Var \, \frac{q \cdot k}{\sqrt{d}} = 1", "score", ("dim", "alpha")),
    "score-variance-by-exponent": _head("dim=64&alpha=0.25", r"d^{1 - 2 \alpha}", "score", ("dim", "alpha")),
    "slide-score-scale": _head("dim=64", r"\frac{q \cdot k}{\sqrt{d_{model}}}", "printed-scale", ("dim", "alpha")),
    "softmax-entropy": _head("tokens=128&dim=64", r"\log L - \frac{b^2}{2}", "entropy"),
    "softmax-entropy-any-scale": _head("tokens=128&dim=64&warmth=0.3", r"\log L - \frac{b^2}{2}", "entropy-any"),
    "softmax-convex-hull": _head("tokens=12", r"\sum_j w_{i j} = 1", "hull"),
    "causal-mask": _head("mask=causal", "j > i", "causal", ("mask", "tokens")),
    "slide-causal-mask": _head("mask=printed", "i > j", "causal", ("mask", "tokens")),
    "visible-pairs": _head("mask=window&reach=3", r"L (2 r + 1) - r (r + 1)", "pairs", ("mask", "reach", "tokens")),
    "unit-rows-attend-uniformly": _head("rows_as=unit&dim=16", r"e^{2 / \sqrt{d}}", "unit-rows", ("dim", "rows_as")),
    "nait-2025-spectral-gap": _head("tokens=128&dim=128", r"\frac{2 \sqrt{e - 1}}{\sqrt{T}}", "gap", ("tokens", "dim")),
    "dong-2021-rank-collapse": _head("tokens=32&dim=64&deep=4", "", "collapse", ("deep", "skip")),
    "dong-2021-skip-connections": _head("tokens=32&dim=64&deep=6&skip=1", "", "skip", ("deep", "skip")),
    "permutation-equivariance": _head("tokens=12", "f(P X) = P f(X)", "equivariance", ("mask", "place")),
    "slide-order-invariant": _head("tokens=12", "f(P X) = f(X)", "invariance", ("mask", "place")),
    "slide-scale-invariant": _head("tokens=12", "f(c X) = c f(X)", "scale", ("score", "warmth")),
    "rotary-positions": _head("place=rotary", "s(i, j) = s(i - j)", "rotary", ("place", "dim")),
    "sinusoid-positions": _head("place=sinusoidal", "p_i \\cdot p_j = g(i - j)", "sinusoid", ("place", "dim")),
    "layer-norm-length": _head("rows_as=layer-norm", r"\sqrt{d}", "layer-norm", ("rows_as", "dim")),
    "slide-layer-norm": _head("rows_as=layer-norm", "1", "unit-length", ("rows_as", "dim")),
    "kim-2021-lipschitz": _head("score=dot", r"\frac{2 c^2}{3}", "lipschitz", ("score", "dim")),
}

_SIZE = ("build", "size")
_APPROXIMATION = {
    "interpolation": Lesson("view=approximation&build=spline&size=8", "1", "shallow", _SIZE),
    "yarotsky-2017-product": Lesson("view=approximation&build=product&size=3", "4^{-m}", "promise", _SIZE),
    "threshold-network": Lesson("view=approximation&build=threshold&size=8", r"\lceil \rho / \epsilon \rceil", "steps", _SIZE),
    "partition-lemma": Lesson("view=approximation&build=threshold&size=6", r"\omega(h)", "promise", _SIZE),
    "average-norm": Lesson("view=approximation&build=spline&size=6", r"E |f - g| \le \sup |f - g|", "average", _SIZE),
    "elbraechter-2021-cosine": Lesson("view=approximation&build=cosine&size=4", r"\log a", "promise", _SIZE),
    "boelcskei-2019-wavelets": Lesson("view=approximation&build=wavelets&size=12", "", "certificate", _SIZE),
    "arora-2018-maximum": Lesson("view=approximation&build=maximum", r"\lceil \log_2 n \rceil", "maximum-depth", _SIZE),
}

_NOISE = ("shake", "shaken", "teeth")
_OTHERS = {
    "sawtooth-perturbed": Lesson("view=noise&teeth=5&shake=0.2", "2^n", "much", _NOISE),
    "sawtooth-perturbed-little": Lesson("view=noise&teeth=4&shake=0.001&draws=80", r"\frac{5}{4} 2^n", "little", _NOISE),
    "certificates-and-attacks": Lesson("view=robust&widths=8-8&step=100", r"r_{proved} \le r", "order", ("norm", "step", "seed")),
    "deepfool-distance": Lesson("view=robust&widths=8-8&step=100&data=circles", "", "attack", ("step", "seed")),
    "sundararajan-2017-completeness": Lesson(
        "view=robust&widths=8-8&step=100&data=spirals", r"\sum_i a_i = f(x) - f(x_0)", "complete", ("step", "seed")
    ),
    "he-2020-polynomial-lines": Lesson("view=weights&widths=6-6&data=sine&step=100", "L", "degree", ("along", "span", "widths")),
    "grid-misses-ridges": Lesson("view=weights&widths=8-8&step=100&data=circles", "", "ridge", ("along", "span", "seed")),
    "relu-curvature-folds": Lesson("view=weights&widths=8&data=sine&step=50", "", "curvature", ("along", "span", "seed")),
    "backpropagation": Lesson("view=weights&widths=6-6&data=sine&step=20", "", "gradient", ("along", "widths", "seed")),
    "hanin-rolnick-2019-space": Lesson(
        "view=complex&widths=8-8&bias=0.5", r"\frac{N^3}{6}", "estimate", ("widths", "seed", "explode", "cut")
    ),
}

_VALLEY = ("condition", "stride", "seed")
_DESCENT = {
    "polyak-1964-heavy-ball": Lesson(
        "view=descent&condition=50", r"\frac{\sqrt{\kappa} - 1}{\sqrt{\kappa} + 1}", "heavy-ball", _VALLEY
    ),
    "nesterov-2004-rate": Lesson("view=descent&condition=50", r"1 - \frac{1}{\sqrt{\kappa}}", "nesterov", _VALLEY),
    "nesterov-2004-lower-bound": Lesson("view=descent&condition=400", "", "lower-bound", _VALLEY),
    "bottou-2018-noise-floor": Lesson(
        "view=descent&stride=0.2", r"\frac{1}{2} \sum_i \frac{\alpha v_i}{2 - \alpha \lambda_i}", "floor", _VALLEY
    ),
    "gaussian-least-squares-floor": Lesson("view=descent", "", "least-squares", _VALLEY),
    "reddi-2018-adam": Lesson("view=descent", r"\frac{2 (C - 2)}{3}", "adam", _VALLEY),
    "bottou-2018-decreasing-steps": Lesson("view=descent", r"\alpha_k = \frac{\beta}{\gamma + k}", "decreasing", _VALLEY),
}

VIEW_LESSONS = _MEAN_FIELD | _ATTENTION | _APPROXIMATION | _DESCENT | _OTHERS
