"""A second list of errors written by hand: who must notice each is a claim, or where no claim is about it, a file of tests."""

from __future__ import annotations

from error import Error

UNIT = "tests/unit"


def by_claim(module: str, function: str, old: str, new: str, claim: str, kind: str) -> Error:
    return Error(module, function, old, new, (claim,), kind)


def by_tests(module: str, function: str, old: str, new: str, file: str, kind: str) -> Error:
    return Error(module, function, old, new, (), kind, (f"{UNIT}/{file}.py",))


CONSTANT, DROPPED, EXPONENT, ROLES, SIGN, NORMALIZED = (
    "a constant",
    "a term dropped",
    "an exponent",
    "roles exchanged",
    "a sign",
    "a wrong normalization",
)

MORE: tuple[Error, ...] = (
    by_claim("theory.landscape", "critical_energy", "8 * phi**2", "4 * phi**2", "pennington-2017-index", CONSTANT),
    by_claim(
        "theory.landscape", "hessian_density", "2 * energy + phi * z", "energy + phi * z", "pennington-2017-index", CONSTANT
    ),
    by_claim(
        "theory.hidden_manifold", "gaussian_equivalent", "2 / sqrt(3 * pi)", "2 / sqrt(2 * pi)", "goldt-2020-covariance", CONSTANT
    ),
    by_claim("theory.hidden_manifold", "GaussianEquivalent.covariance", "self.b**2", "self.b", "goldt-2020-covariance", EXPONENT),
    by_claim("theory.kernels", "_recursion", "both + tangent * slopes", "both + tangent", "jacot-2018-tangent-kernel", DROPPED),
    by_claim("theory.kernels", "arc_cosine", "(pi - angle) * c", "angle * c", "lee-2018-gaussian-process", DROPPED),
    by_tests("theory.kernels", "arc_cosine", "3 * s * c", "s * c", "theory/test_meanfield_jacobian", CONSTANT),
    by_tests(
        "theory.sparsity",
        "gradual_sparsity",
        "(1 - min(step, end) / end) ** 3",
        "(1 - min(step, end) / end) ** 2",
        "theory/test_sparsity",
        EXPONENT,
    ),
    by_tests("theory.sparsity", "_filled", "r * n", "r", "theory/test_sparsity", NORMALIZED),
    by_claim("theory.approximation", "lipschitz_width", "2 * N", "N", "curse-of-dimensionality", CONSTANT),
    by_claim(
        "theory.approximation",
        "bartlett_2019_vc_upper_bound",
        "len(weights) - i",
        "len(weights) - i - 1",
        "bartlett-2019-vc",
        "off by one",
    ),
    by_claim(
        "theory.approximation",
        "barron_linear_lower_bound",
        "8 * pi * exp(pi - 1) * d",
        "8 * pi * exp(pi - 1)",
        "barron-linear-lower-bound",
        DROPPED,
    ),
    by_claim(
        "theory.approximation", "barron_derivative_constant", "s - 1 - d / 2", "s - d / 2", "barron-derivatives", "off by one"
    ),
    by_claim(
        "theory.optimization._adaptive",
        "adagrad_norm_steps",
        "4 * excess**2",
        "2 * excess**2",
        "ward-2019-adagrad-norm",
        CONSTANT,
    ),
    by_claim(
        "theory.optimization._adaptive",
        "adam_counterexample_regret",
        "2 * (large - 2) / 3",
        "(large - 2) / 3",
        "reddi-2018-adam",
        CONSTANT,
    ),
    by_claim(
        "measure._attention_weights",
        "attention_entropy",
        "0.0 - np.where(share > 0, share * np.log(np.where(share > 0, share, 1.0)), 0.0).sum(-1)",
        "0.0 - np.where(share > 0, share * np.log2(np.where(share > 0, share, 1.0)), 0.0).sum(-1)",
        "softmax-entropy",
        "another logarithm",
    ),
    by_claim(
        "measure._attention_weights",
        "spectral_gap",
        "float(values[1])",
        "float(values[1]) / 2",
        "nait-2025-spectral-gap",
        CONSTANT,
    ),
    by_tests(
        "measure._attention_weights",
        "head_redundancy",
        "float(np.abs(A[:, g] - A[:, h]).sum(-1).mean()) / 2",
        "float(np.abs(A[:, g] - A[:, h]).sum(-1).mean())",
        "measure/test_attention",
        CONSTANT,
    ),
    by_claim("measure._ensemble_forward", "_one_chunk", "x @ x.T / x.shape[1]", "x @ x.T", "he-2015-variance", NORMALIZED),
    by_claim("measure._ensemble_jacobians", "_jacobians", "slopes[:, :, None] * K", "K", "shattered-gradients", DROPPED),
    by_tests(
        "measure._ensemble_jacobians",
        "Jacobians.relative_variance",
        "self.squared.mean(1) ** 2",
        "self.squared.mean(1)",
        "measure/test_ensembles",
        EXPONENT,
    ),
    by_claim("learn._optimizers", "AdaGrad.update", "total**0.5", "total", "duchi-2011-regret", EXPONENT),
    by_claim("learn._optimizers", "AMSGrad.update", "square > largest", "square < largest", "reddi-2018-adam", ROLES),
    by_tests("learn._certified", "_pulled", "a.abs().sum(2)", "a.sum(2)", "learn/test_certified", DROPPED),
    by_tests("learn._certified", "_interval", "(high - low) / 2", "high - low", "learn/test_certified", CONSTANT),
    by_claim(
        "dimension._hein_audibert",
        "HeinAudibert._fit",
        "sums.squares[places] / bandwidths**2",
        "sums.squares[places] / bandwidths",
        "hein-audibert-2005",
        EXPONENT,
    ),
    by_tests(
        "dimension._mle",
        "MLE._statistics",
        "k - 1 - bool(self.unbiased)",
        "k - bool(self.unbiased)",
        "dimension/test_estimators",
        "off by one",
    ),
    by_claim(
        "dimension._gride", "maximum_likelihood", "(n2 - 1) * total", "n2 * total", "noise-has-full-dimension", "off by one"
    ),
    by_tests(
        "dimension._takens",
        "Takens._fit",
        "sums.logarithms[0] / self.n_pairs_",
        "2 * sums.logarithms[0] / self.n_pairs_",
        "dimension/test_estimators",
        CONSTANT,
    ),
    by_tests(
        "dimension._danco",
        "_angles_apart",
        "ratio * (a - b * np.cos(mine.direction - ball.direction))",
        "ratio * (a - b)",
        "dimension/test_estimators",
        DROPPED,
    ),
    by_claim(
        "robust.attacks._deepfool",
        "_linear_step",
        "differences.abs() / size",
        "differences.abs()",
        "deepfool-distance",
        NORMALIZED,
    ),
    by_tests("robust.bounds._relaxation", "lines_around", "high - slope * low", "high", "robust/test_bounds", DROPPED),
    by_tests("robust.bounds._ball", "dual_norm", "size.max(axis=-1)", "size.min(axis=-1)", "robust/test_certified", ROLES),
    by_tests("robust.attacks._gradient", "_random", "1.0 / x[0].numel()", "1.0", "robust/test_attacks", EXPONENT),
    by_tests(
        "robust.attacks._flow",
        "flowed",
        "(2 * columns + 1) / width - 1",
        "2 * columns / width - 1",
        "robust/test_flow",
        "half a pixel",
    ),
    by_tests(
        "landscape._spectrum",
        "Spectrum.density",
        "width * np.sqrt(2 * np.pi)",
        "width * np.sqrt(np.pi)",
        "landscape/test_curvature",
        CONSTANT,
    ),
    by_tests("landscape._spectrum", "spectrum", "vectors[0] ** 2", "np.abs(vectors[0])", "landscape/test_curvature", EXPONENT),
    by_claim(
        "landscape._directions",
        "normalized",
        "sizes[0] / np.where(sizes[1] > 0, sizes[1], 1.0)",
        "1 / np.where(sizes[1] > 0, sizes[1], 1.0)",
        "li-2018-filter-normalization",
        NORMALIZED,
    ),
    by_tests(
        "landscape._connect",
        "curve_weights",
        "(1 - t) ** (n - 1 - k)",
        "(1 - t) ** (n - k)",
        "landscape/test_directions",
        "off by one",
    ),
    by_claim(
        "models.attention._normalizers",
        "Pointwise.forward",
        "scores if self.function == 'identity' else scores.relu()",
        "scores.relu()",
        "von-oswald-2023-gradient-step",
        DROPPED,
    ),
    by_claim("construct.representations._bits", "_digits", "n - 1 - k", "n - k", "bartlett-2019-vc", "off by one"),
    by_claim("construct.circuits._bounded", "multiplied", "4**m", "4 ** (m + 1)", "yarotsky-2017-product", CONSTANT),
)
