"""Errors in ``plica.robust``."""

from __future__ import annotations

from error import CHANGED, CONSTANT, EXPONENT, FORMULA, NORMALIZED, ROLE, TERM, Error, within

ERRORS: tuple[Error, ...] = (
    *within(
        "robust._maximum",
        ("_Place.ask", "found.lower > self.radius", "found.lower >= self.radius * 0.99", "robust/test_maximum", ROLE),
        ("_Place.ask", "self.radius * (1 + 1e-09)", "self.radius * 0.9", "robust/test_maximum", TERM),
    ),
    *within(
        "robust._volume",
        ("_measured", "rounded(v, down=not inside)", "rounded(v, down=inside)", "robust/test_volume", TERM),
        ("_of_query", "r.bound >= 0", "r.bound > 0", "robust/test_volume", TERM),
    ),
    *within(
        "robust.attacks._deepfool",
        ("deepfool", "1 + overshoot", "1 - overshoot", "robust/test_attacks", FORMULA),
        ("_linear_step", "differences.abs() / size", "differences.abs()", "deepfool-distance", NORMALIZED),
    ),
    *within(
        "robust.attacks._flow",
        ("flowed", "(2 * columns + 1) / width - 1", "2 * columns / width - 1", "robust/test_flow", CONSTANT),
    ),
    *within(
        "robust.attacks._gradient",
        (
            "fgsm",
            "x + epsilon * loss_gradient(model, x, labels).sign()",
            "x - epsilon * loss_gradient(model, x, labels).sign()",
            "slide-sparse-network",
            FORMULA,
        ),
        ("pgd", "2.5 * epsilon / n_steps", "0.25 * epsilon / n_steps", "robust/test_attacks", CONSTANT),
        ("_random", "1.0 / x[0].numel()", "1.0", "robust/test_attacks", EXPONENT),
        (
            "_projected",
            "(epsilon / flat_norm(delta).clamp(min=1e-30)).clamp(max=1.0)",
            "epsilon / flat_norm(delta).clamp(min=1e-30)",
            "robust/test_attacks",
            TERM,
        ),
    ),
    *within(
        "robust.bounds._ball",
        (
            "least_on_ball",
            "radius * dual_norm(pulled.slope, norm)",
            "0.9 * radius * dual_norm(pulled.slope, norm)",
            "certificates-and-attacks",
            FORMULA,
        ),
        ("dual_norm", "np.sqrt((size * size).sum(axis=-1))", "size.max(axis=-1)", "robust/test_distance", FORMULA),
        ("dual_norm", "size.max(axis=-1)", "size.min(axis=-1)", "robust/test_certified", ROLE),
        ("dual_norm", "size.max(axis=-1)", "size.mean(axis=-1)", "robust/test_certified", ROLE),
        (
            "ball_bounds",
            "radius * dual_norm(pulled.slope, norm)",
            "0.5 * radius * dual_norm(pulled.slope, norm)",
            "robust/test_certified",
            CONSTANT,
        ),
        ("at_point", "gamma(boxes.dimension) * size", "0 * size", "robust/test_bounds", TERM),
    ),
    *within(
        "robust.bounds._relaxation",
        ("lines_around", "high - slope * low", "high + slope * low", "robust/test_bounds", FORMULA),
        ("lines_around", "high - slope * low", "high", "robust/test_bounds", TERM),
        ("lines_around", "high > -low", "high < -low", "certificates-and-attacks", CHANGED),
    ),
    *within(
        "robust._certified",
        ("certified_radius", "high - low <= 1e-06 * high", "high - low <= 0.3 * high", "certificates-and-attacks", FORMULA),
        ("certified_radius", "(low + high) / 2", "high", "certificates-and-attacks", TERM),
    ),
    *within(
        "robust.bounds._interval",
        ("rectified_range", "np.maximum(r.low, 0.0)", "r.low", "robust/test_bounds", TERM),
    ),
)
