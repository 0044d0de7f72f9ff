"""Errors in ``plica.dimension``."""

from __future__ import annotations

from error import CONSTANT, COUNT, EXPONENT, FORMULA, ROLE, TERM, Error, within

ERRORS: tuple[Error, ...] = (
    *within(
        "dimension._base",
        ("distinct_rows", "(row + 0.0).tobytes()", "row.tobytes()", "dimension/test_written_out", TERM),
    ),
    *within(
        "dimension._correlation",
        (
            "CorrelationDimension._fit",
            "sums.counts / sums.n_pairs",
            "(sums.counts / sums.n_pairs) ** 1.2",
            "hein-audibert-2005",
            FORMULA,
        ),
        (
            "CorrelationDimension._fit",
            "sums.counts / sums.n_pairs",
            "sums.counts / (2 * sums.n_pairs)",
            "dimension/test_written_out",
            FORMULA,
        ),
        (
            "CorrelationDimension._chosen",
            "np.geomspace(low, high, n_radii)",
            "np.linspace(low, high, n_radii)",
            "dimension/test_written_out",
            FORMULA,
        ),
    ),
    *within(
        "dimension._danco",
        (
            "_angles_apart",
            "ratio * (a - b * np.cos(mine.direction - ball.direction))",
            "ratio * (a - b)",
            "dimension/test_estimators",
            TERM,
        ),
        ("_distances_apart", "harmonic - 1.0 / k", "harmonic", "dimension/test_terms_of_estimators", TERM),
        ("concentration", "5 * eta ** 5 / 6", "5 * eta ** 5", "dimension/test_terms_of_estimators", TERM),
        ("concentration", "5 * eta**5 / 6", "5 * eta**5 / 12", "dimension/test_written_out", CONSTANT),
        (
            "DANCo._ball",
            "g / np.linalg.norm(g, axis=1, keepdims=True) * rng.uniform(size=(self._n, 1)) ** (1.0 / dimension)",
            "g",
            "dimension/test_written_out",
            TERM,
        ),
        ("point_statistics", "np.triu_indices(k, 1)", "np.triu_indices(k, 0)", "dimension/test_written_out", CONSTANT),
        (
            "point_statistics",
            "np.sqrt(1 - cosines ** 2).mean(axis=1)",
            "np.sqrt(1 - cosines.mean(axis=1) ** 2)",
            "dimension/test_written_out",
            ROLE,
        ),
        ("_spline_minimum", "abs(d - best) <= 4", "abs(d - best) <= 1", "dimension/test_written_out", CONSTANT),
    ),
    *within(
        "dimension._fisher",
        ("FisherS._fit", "0.9 * self.alphas_[known].max()", "0.9 * self.alphas_.max()", "dimension/test_written_out", FORMULA),
        (
            "on_sphere",
            "s ** 2 > s[0] ** 2 / condition_number",
            "s > s[0] / condition_number",
            "dimension/test_written_out",
            FORMULA,
        ),
    ),
    *within(
        "dimension._gride",
        ("maximum_likelihood", "(n2 - 1) * total", "n2 * total", "noise-has-full-dimension", COUNT),
        ("maximum_likelihood", "middle + 20 * (high - middle)", "20 * (high - middle)", "dimension/test_written_out", TERM),
        (
            "Gride._statistics",
            "2 * n1 if self.n2 is None else check_integer('n2', self.n2, least=n1 + 1)",
            "n1 + 1 if self.n2 is None else check_integer('n2', self.n2, least=n1 + 1)",
            "dimension/test_written_out",
            FORMULA,
        ),
    ),
    *within(
        "dimension._hein_audibert",
        (
            "HeinAudibert._fit",
            "1.0 / np.arange(1, top + 1)[:, None]",
            "1.0 / np.arange(2, top + 2)[:, None]",
            "hein-audibert-2005",
            CONSTANT,
        ),
        ("_slope", "1.0 / PARTS", "np.ones(5) / 5", "hein-audibert-2005", FORMULA),
        (
            "HeinAudibert._fit",
            "sums.squares[places] / bandwidths**2",
            "sums.squares[places] / bandwidths",
            "hein-audibert-2005",
            EXPONENT,
        ),
        ("HeinAudibert._fit", "n / sizes * np.log(sizes) / np.log(n)", "n / sizes", "hein-audibert-2005", TERM),
    ),
    *within(
        "dimension._interval",
        ("bootstrap", "(1 - level) / 2", "1 - level", "dimension/test_terms_of_estimators", TERM),
        ("bootstrap", "found.std(ddof=1)", "found.std()", "dimension/test_written_out", TERM),
    ),
    *within(
        "dimension._local_pca",
        ("_ratio", "1 - alpha", "1 - 2 * alpha", "dimension/test_estimators", FORMULA),
        ("spectrum", "n - 1", "n", "dimension/test_estimators", TERM),
        ("_fan", "signal[:-1] / signal[1:] > 10", "values[:-1] / values[1:] > 10", "dimension/test_written_out", FORMULA),
    ),
    *within(
        "dimension._mle",
        ("MLE._statistics", "k - 1 - bool(self.unbiased)", "k - bool(self.unbiased)", "dimension/test_estimators", COUNT),
        ("MLE._statistics", "3 if self.unbiased else 2", "2", "dimension/test_terms_of_estimators", COUNT),
        (
            "MLE._statistics",
            "(1.0 / inverses).mean(axis=1)",
            "1.0 / inverses.mean(axis=1)",
            "dimension/test_terms_of_estimators",
            ROLE,
        ),
        ("MLE._combine", "1.0 / means", "1.2 / means", "facco-2017-pareto", CONSTANT),
        ("MLE._combine", "(1.0 / inverses).mean()", "1.0 / inverses.mean()", "dimension/test_estimators", ROLE),
    ),
    *within(
        "dimension._neighbors",
        (
            "_sorted",
            "np.lexsort((indices, distances), axis=1)",
            "np.argsort(distances, axis=1)",
            "dimension/test_written_out",
            FORMULA,
        ),
    ),
    *within(
        "dimension._pairs",
        ("_CANCELLATION", "1e-5", "1e-15", "dimension/test_terms_of_estimators", CONSTANT),
    ),
    *within(
        "dimension._persistence",
        ("PersistentHomology._fit", "alpha / (1 - slope)", "1 / (1 - slope)", "dimension/test_terms_of_estimators", ROLE),
        (
            "PersistentHomology._fit",
            "np.geomspace(low, n, check_integer('n_sizes', self.n_sizes, least=2)).astype(int)",
            "np.linspace(low, n, check_integer('n_sizes', self.n_sizes, least=2)).astype(int)",
            "dimension/test_written_out",
            FORMULA,
        ),
    ),
    *within(
        "dimension._takens",
        (
            "Takens._fit",
            "np.log(self.radius_) - sums.logarithms[0] / self.n_pairs_",
            "1.2 * (np.log(self.radius_) - sums.logarithms[0] / self.n_pairs_)",
            "hein-audibert-2005",
            FORMULA,
        ),
        (
            "Takens._fit",
            "sums.logarithms[0] / self.n_pairs_",
            "2 * sums.logarithms[0] / self.n_pairs_",
            "dimension/test_estimators",
            CONSTANT,
        ),
    ),
    *within(
        "dimension._twonn",
        (
            "TwoNN._combine",
            "np.log1p(-np.arange(1, n_kept + 1) / n)",
            "np.log1p(-np.arange(n_kept) / n)",
            "dimension/test_estimators",
            FORMULA,
        ),
        (
            "TwoNN._statistics",
            "distances[:, [1]] / distances[:, [0]]",
            "distances[:, [1]] ** 2 / distances[:, [0]] ** 2",
            "facco-2017-pareto",
            FORMULA,
        ),
        (
            "TwoNN._combine",
            "float(logs @ heights) / square",
            "1.08 * float(logs @ heights) / square",
            "manifold-dimensions",
            CONSTANT,
        ),
        ("TwoNN._combine", "n_kept - 1", "n_kept", "dimension/test_estimators", COUNT),
        (
            "TwoNN._combine",
            "-np.arange(1, n_kept + 1) / n",
            "-np.arange(1, n_kept + 1) / (n + 1)",
            "dimension/test_estimators",
            COUNT,
        ),
        ("TwoNN._combine", "(n - n_kept) * logs[-1]", "0", "dimension/test_estimators", TERM),
        (
            "TwoNN._combine",
            "int(n * (1 - check_fraction('discard_fraction', self.discard_fraction)))",
            "round(n * (1 - check_fraction('discard_fraction', self.discard_fraction)))",
            "dimension/test_written_out",
            FORMULA,
        ),
    ),
)
