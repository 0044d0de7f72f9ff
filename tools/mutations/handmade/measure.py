"""Errors in ``plica.measure``."""

from __future__ import annotations

from error import CONSTANT, COUNT, EXPONENT, FORMULA, NORMALIZED, ROLE, TERM, Error, within

ERRORS: tuple[Error, ...] = (
    *within(
        "measure._attention_weights",
        (
            "attention_entropy",
            "0.0 - np.where(share > 0, share * np.log(np.where(share > 0, share, 1.0)), 0.0).sum(-1)",
            "0.0 - np.where(share > 0, share * np.log2(np.where(share > 0, share, 1.0)), 0.0).sum(-1)",
            "softmax-entropy",
            FORMULA,
        ),
        ("spectral_gap", "float(values[1])", "float(values[1]) / 2", "nait-2025-spectral-gap", CONSTANT),
        ("spectral_gap", "values[0] ** 2", "values[0]", "measure/test_terms_and_factors", TERM),
        (
            "head_redundancy",
            "float(np.abs(A[:, g] - A[:, h]).sum(-1).mean()) / 2",
            "float(np.abs(A[:, g] - A[:, h]).sum(-1).mean())",
            "measure/test_attention",
            CONSTANT,
        ),
    ),
    *within(
        "measure._density",
        ("Density.standard_error", "np.sqrt(len(self.counts))", "len(self.counts)", "measure/test_boundary_density", CONSTANT),
        ("_draw", "points[chosen[1:]] - x", "points[chosen[1:]]", "measure/test_terms_of_cells", TERM),
    ),
    *within(
        "measure._detection",
        ("average_precision", "hits * (points - 1) >= level * n", "hits * (points - 1) > level * n", "ilsvrc-metrics", COUNT),
        ("detection_precision", "most >= overlap", "most > overlap", "ilsvrc-metrics", COUNT),
        ("top_k_error", "not_lower > k", "not_lower >= k", "ilsvrc-metrics", COUNT),
    ),
    *within(
        "measure._dissection",
        ("Dissection.detectors", "max(most, resolution)", "most", "bau-2020-units", TERM),
        ("dissect", "reached / (n_permutations + 1)", "reached / n_permutations", "bau-2020-units", ROLE),
    ),
    *within(
        "measure._ensemble_forward",
        ("_one_chunk", "x @ x.T / x.shape[1]", "x @ x.T", "he-2015-variance", NORMALIZED),
        (
            "_one_chunk",
            "z @ z.transpose(0, 2, 1) / width",
            "z @ z.transpose(0, 2, 1) / (width - 1)",
            "lee-2018-gaussian-process",
            ROLE,
        ),
        ("Forward.correlations", "self.products[:, :, -1, -1]", "self.products[:, :, 0, 0]", "relu-edge-correlation", ROLE),
    ),
    *within(
        "measure._ensemble_jacobians",
        ("_jacobians", "slopes[:, :, None] * K", "K", "shattered-gradients", TERM),
        ("_jacobians", "inner + ensemble.skip * K", "inner", "shattered-gradients", TERM),
        ("Jacobians.relative_variance", "self.squared.mean(1) ** 2", "self.squared.mean(1)", "measure/test_ensembles", EXPONENT),
    ),
    *within(
        "measure._ensemble_signal",
        ("_one_chunk", "(z[:, 0] ** 2).mean(1)", "(h[:, 0] ** 2).mean(1)", "measure/test_terms_and_factors", ROLE),
        ("_one_chunk", "slope * masks[:, 0]", "slope", "measure/test_terms_and_factors", TERM),
        ("_one_chunk", "ensemble.skip * h", "ensemble.skip * z", "yang-2017-residual", ROLE),
        ("_backward", "through + ensemble.skip * delta", "through", "measure/test_terms_and_factors", TERM),
    ),
    *within(
        "measure._equivalence",
        ("_repeats", "size / _size(rows[first])", "_size(rows[first]) / size", "measure/test_terms_and_factors", ROLE),
    ),
    *within(
        "measure._fold_distance",
        ("FoldDistance.standard_error", "self.distance.std(ddof=1)", "self.distance.std()", "measure/test_fold_distance", COUNT),
        ("_exactly", "np.nextafter(middle[i, k], side) if square else 0.0", "middle[i, k]", "measure/test_enclosures_hold", TERM),
    ),
    *within(
        "measure._fold_distance_bounds",
        ("_bounds_at", "gap - bound", "gap", "measure/test_terms_and_factors", TERM),
        ("_bounds_at", "gap[place] + bound[place]", "gap[place]", "measure/test_terms_and_factors", TERM),
        (
            "_bounds_at",
            "float(np.linalg.norm(gradient)) * (1 - 1e-12) - error",
            "float(np.linalg.norm(gradient))",
            "measure/test_enclosures_hold",
            TERM,
        ),
    ),
    *within(
        "measure._frechet",
        ("_distance", "len(points) - 1", "len(points)", "measure/test_terms_and_factors", TERM),
    ),
    *within(
        "measure._jacobian",
        ("Jacobian.norm", "self.singular_values[0]", "self.singular_values[-1]", "kim-2021-lipschitz", ROLE),
    ),
    *within(
        "measure._mode_coverage",
        (
            "mode_coverage",
            "distance.min(axis=1) <= radius",
            "distance.min(axis=1) < radius",
            "measure/test_terms_and_factors",
            COUNT,
        ),
    ),
    *within(
        "measure._pullback",
        (
            "pullback",
            "n_roundings * EPS * float(np.linalg.norm(size))",
            "EPS * float(np.linalg.norm(size))",
            "measure/test_terms_and_factors",
            TERM,
        ),
        ("exact_pullback", "add(waiting[j], sum_) if j in waiting else sum_", "sum_", "measure/test_terms_and_factors", TERM),
    ),
    *within(
        "measure._trajectory_paths",
        (
            "great_circle",
            "angle / (2 * max(n_points, 1))",
            "angle / (4 * max(n_points, 1))",
            "measure/test_terms_and_factors",
            CONSTANT,
        ),
    ),
    *within(
        "measure._tropical",
        ("_combined", "w > 0", "w < 0", "zhang-2018-newton", ROLE),
        ("tropical_form", "upper_terms([*g, *h])", "upper_terms(g)", "tropical-bernstein", ROLE),
        ("upper_terms", "min(best.values()) - 1", "max(best.values()) + 1", "zhang-2018-newton", ROLE),
    ),
    *within(
        "measure.cells._attributions",
        ("_sums", "length_error * (np.abs(gradient) + error)", "0", "measure/test_terms_and_factors", ROLE),
        ("_sums", "abs(length) * error", "0", "measure/test_enclosures_hold", TERM),
    ),
    *within(
        "measure.cells._classes",
        ("_nonnegative", "max(x.low, 0.0)", "x.low", "measure/test_enclosures_hold", TERM),
        ("label_volumes", "error[own == k]", "0 * error[own == k]", "measure/test_enclosures_hold", CONSTANT),
    ),
    *within(
        "measure.cells._convex_regions",
        ("_least_in_plane", "-(-reflex // 2) + 1 - (loops - 1)", "-(-reflex // 2) + 1", "measure/test_terms_of_cells", TERM),
        ("_least_in_plane", "-(-reflex // 2) + 1", "-(-reflex // 2)", "measure/test_terms_of_cells", COUNT),
        (
            "_least_in_space",
            "min(values) < 0 < max(values)",
            "min(values) <= 0 < max(values)",
            "measure/test_terms_of_cells",
            COUNT,
        ),
    ),
    *within(
        "measure.cells._critical",
        ("critical_points", "count - rank", "count", "banchoff-1967-index", TERM),
        ("critical_points", "rank[1:]", "rank[:-1]", "grigsby-2022-local-complexity", ROLE),
        ("CriticalPoints.is_morse", "self.interior", "self.points", "measure/test_terms_and_factors", ROLE),
    ),
    *within(
        "measure.cells._distribution",
        (
            "Distribution.cdf_bounds",
            "least - _part(high_values, slip, x) - rounding",
            "least - rounding",
            "measure/test_terms_of_cells",
            TERM,
        ),
        ("Distribution._sorted", "error + 2.0 ** (-52) * np.abs(values)", "0 * error", "measure/test_enclosures_hold", TERM),
        ("Distribution.piece", "Fraction(i + 1, d + 2)", "Fraction(i, d)", "measure/test_enclosures_hold", TERM),
        ("_part", "values[:, -1] <= t", "values[:, -1] < t", "measure/test_enclosures_hold", TERM),
    ),
    *within(
        "measure.cells._extremes",
        ("_candidates", "values - error > (values + error).min()", "values > values.min()", "measure/test_terms_of_cells", TERM),
        ("least", "low > best[0]", "low >= best[0]", "measure/test_terms_of_cells", COUNT),
    ),
    *within(
        "measure.cells._functional",
        ("_chosen", "np.count_nonzero(b)", "len(b)", "measure/test_terms_and_factors", ROLE),
    ),
    *within(
        "measure.cells._geodesics",
        (
            "_points_on_edges",
            "np.arange(1, per_edge + 1) / (per_edge + 1)",
            "np.arange(1, per_edge + 1) / per_edge",
            "measure/test_terms_of_cells",
            COUNT,
        ),
    ),
    *within(
        "measure.cells._integrals",
        ("_mean_power", "h / comb(d + k, k)", "h / comb(d + k - 1, k)", "measure/test_cells_integrals", COUNT),
        ("_mean_power", "top - homogeneous(np.abs(values), k)", "0 * top", "measure/test_enclosures_hold", TERM),
        ("Moments.variance", "second.exact - first.exact ** 2", "second.exact", "measure/test_cells_integrals", TERM),
        (
            "Moments.variance",
            "2 * size * (first.high - first.low) / 2",
            "(first.high - first.low) / 2",
            "measure/test_terms_of_cells",
            TERM,
        ),
        ("Moments.variance", "(second.high - second.low) / 2", "0", "measure/test_enclosures_hold", TERM),
        (
            "_integrals",
            "size_error * (np.abs(mean) + mean_error)",
            "size_error * mean_error",
            "measure/test_enclosures_hold",
            TERM,
        ),
        ("_integrals", "sizes * mean_error", "0", "measure/test_enclosures_hold", TERM),
        ("_volume", "Fraction(len(cx.domain.segments))", "Fraction(1)", "measure/test_enclosures_hold", TERM),
        ("added", "np.nextafter(high, np.inf)", "high", "measure/test_enclosures_hold", TERM),
        ("enclosed_exactly", "np.nextafter(near, np.inf)", "near", "measure/test_enclosures_hold", TERM),
    ),
    *within(
        "measure.cells._levels",
        ("_clusters", "np.maximum.accumulate(high[order])", "high[order]", "measure/test_enclosures_hold", TERM),
    ),
    *within(
        "measure.cells._lipschitz",
        ("_norms", "np.sqrt(m) * error.max(axis=1)", "error.max(axis=1)", "measure/test_cells_constants", TERM),
        ("_norms", "2.0 ** (-44) * (m + n) * values", "0", "measure/test_enclosures_hold", TERM),
        ("exact_norm", "isqrt(low.denominator) ** 2 == low.denominator", "True", "measure/test_terms_of_cells", TERM),
        ("Lipschitz.sampled", "sizes / sizes.sum()", "None", "measure/test_enclosures_hold", TERM),
        ("_is_definite", "a[i][i] <= 0", "a[i][i] < 0", "measure/test_enclosures_hold", TERM),
        ("_root", "np.nextafter(near, np.inf)", "near", "measure/test_enclosures_hold", TERM),
        ("lipschitz", "found.high > best[0].high", "found.high < best[0].high", "measure/test_enclosures_hold", ROLE),
        ("lipschitz", "values + slip < (values - slip).max()", "values < values.max()", "measure/test_enclosures_hold", TERM),
        (
            "product_bound",
            "max(constants) if norm == 'linf' and node.op.kind == 'concat' else sum(constants)",
            "sum(constants)",
            "measure/test_enclosures_hold",
            TERM,
        ),
    ),
    *within(
        "measure.cells._lipschitz_interval",
        (
            "_Ranges.affine",
            "op.linear(lows, up) + op.linear(highs, down)",
            "op.linear(lows, up) + op.linear(lows, down)",
            "measure/test_enclosures_hold",
            TERM,
        ),
        ("_Ranges.combined", "a[1] + high", "a[1] - low", "measure/test_enclosures_hold", TERM),
    ),
    *within(
        "measure.cells._sharp",
        ("summed", "float(np.sum(np.abs(values)))", "abs(float(np.sum(values)))", "measure/test_terms_of_cells", ROLE),
    ),
    *within(
        "measure.cells._topology",
        (
            "union_topology",
            "_complement_components(cx, inside) - 1",
            "_complement_components(cx, inside)",
            "ergen-2024-folded-shells",
            COUNT,
        ),
    ),
)
