"""Errors in ``plica.landscape``."""

from __future__ import annotations

from error import CHANGED, CONSTANT, COUNT, EXPONENT, FORMULA, NORMALIZED, ROLE, TERM, Error, within

ERRORS: tuple[Error, ...] = (
    *within(
        "landscape._bernstein",
        (
            "averages_rounding",
            "12 * EPS * len(c) * np.abs(c).max(axis=0)",
            "0 * np.abs(c).max(axis=0)",
            "landscape/test_isolation",
            TERM,
        ),
    ),
    *within(
        "landscape._carry",
        ("Carrier.combined", "abs(factor) * b.error", "b.error * 0", "landscape/test_terms_of_errors", TERM),
    ),
    *within(
        "landscape._connect",
        ("curve_weights", "comb(n - 1, k)", "1", "landscape/test_directions", TERM),
        ("curve_weights", "(1 - t) ** (n - 1 - k)", "(1 - t) ** (n - k)", "landscape/test_directions", COUNT),
    ),
    *within(
        "landscape._directions",
        (
            "normalized",
            "sizes[0] / np.where(sizes[1] > 0, sizes[1], 1.0)",
            "sizes[0] ** 2 / np.where(sizes[1] > 0, sizes[1], 1.0)",
            "li-2018-filter-normalization",
            FORMULA,
        ),
        (
            "normalized",
            "sizes[0] / np.where(sizes[1] > 0, sizes[1], 1.0)",
            "1 / np.where(sizes[1] > 0, sizes[1], 1.0)",
            "li-2018-filter-normalization",
            NORMALIZED,
        ),
        ("normalized", "(len(p), -1)", "(1, -1)", "li-2018-filter-normalization", CHANGED),
    ),
    *within(
        "landscape._entropy_cell",
        (
            "EntropyCell.slope_range",
            "self.curvature[chosen] * (b - a) / 2 * (1 + 1e-09) + error",
            "self.curvature[chosen] * (b - a) / 4 + error",
            "landscape/test_terms_of_errors",
            TERM,
        ),
        ("EntropyCell.value", "2 * logits", "logits", "landscape/test_terms_of_errors", TERM),
        (
            "entropy_cell",
            "(spread + slack) ** 2 / 4 + 2 * (second + slack)",
            "(spread + slack) ** 2 / 4",
            "landscape/test_terms_of_errors",
            TERM,
        ),
        (
            "entropy_cell",
            "(spread + slack) ** 2 / 4 + 2 * (second + slack)",
            "2 * (second + slack)",
            "landscape/test_terms_of_errors",
            TERM,
        ),
    ),
    *within(
        "landscape._line",
        (
            "LossLine.grid_miss",
            "np.linspace(0, 1, n_points)",
            "np.linspace(0, 1, n_points, endpoint=False)",
            "landscape/test_terms_of_errors",
            ROLE,
        ),
    ),
    *within(
        "landscape._matching",
        ("permuted", "W[:, p]", "W[:, np.argsort(p)]", "ainsworth-2023-matching", FORMULA),
        ("_by_weights", "A[i + 1][0].T @ after", "A[i + 1][0].T @ after * 0", "landscape/test_directions", FORMULA),
        (
            "balanced",
            "np.sqrt(out / np.where(alive, into, 1.0))",
            "out / np.where(alive, into, 1.0)",
            "landscape/test_directions",
            TERM,
        ),
        ("_by_weights", "np.outer(A[i][1], B[i][1])", "0", "landscape/test_directions", CHANGED),
        ("_distance", "(p - q) ** 2", "np.abs(p - q)", "landscape/test_directions", CONSTANT),
    ),
    *within(
        "landscape._polynomial_cell",
        ("_changes", "2 * zone.sum()", "0", "landscape/test_terms_of_errors", TERM),
        (
            "_changes",
            "np.maximum.reduceat(error, np.flatnonzero(begins))",
            "error[begins]",
            "landscape/test_terms_of_errors",
            TERM,
        ),
        ("absolute_changes", "2 * out.c.shape[2] * EPS * np.abs(out.c).max(axis=0)", "0", "landscape/test_terms_of_errors", TERM),
        (
            "polynomial_cell",
            "2 * EPS * (len(low) + n_samples + 8 * degree + 8) * sum((p.size for p in parts))",
            "0.0",
            "landscape/test_terms_of_errors",
            TERM,
        ),
        ("squared_changes", "2 * size * error", "size * error", "landscape/test_terms_of_errors", TERM),
    ),
    *within(
        "landscape._rows",
        ("_up", "Fraction(near) >= x", "Fraction(near) <= x", "landscape/test_terms_of_errors", ROLE),
    ),
    *within(
        "landscape._spectrum",
        ("Spectrum.share_below", "x < level", "x <= level + 0.1", "landscape/test_curvature", FORMULA),
        ("spectrum", "vectors[0] ** 2", "vectors[-1] ** 2", "landscape/test_curvature", EXPONENT),
        ("Spectrum.density", "width * np.sqrt(2 * np.pi)", "width * np.sqrt(np.pi)", "landscape/test_curvature", CONSTANT),
        ("spectrum", "vectors[0] ** 2", "np.abs(vectors[0])", "landscape/test_curvature", EXPONENT),
        ("Spectrum.mean", "np.sqrt(len(values))", "len(values)", "landscape/test_curvature", CONSTANT),
    ),
    *within(
        "landscape._folded",
        ("folded_curvature", "np.abs(jumps).sum()", "jumps.sum()", "landscape/test_curvature", TERM),
        ("folded_curvature", "kinks[:, 2] - kinks[:, 1]", "kinks[:, 1] - kinks[:, 2]", "relu-curvature-folds", CONSTANT),
    ),
)
