"""A fourth list of errors written by hand, in what newer claims use: certificates, counts, roles, moments, steps of training."""

from __future__ import annotations

from error import Error
from more_errors import by_claim, by_tests

CONSTANT, TERM, ROLE, COUNT = "a constant", "a term dropped", "roles or signs exchanged", "off by one"

NEWEST: tuple[Error, ...] = (
    by_claim(
        "theory.approximation",
        "hastad_1986_switching_upper_bound",
        "5 * width * free",
        "6 * width * free",
        "hastad-1986-switching",
        CONSTANT,
    ),
    by_claim(
        "theory.approximation",
        "hastad_1986_switching_upper_bound",
        "5 * width * free",
        "4 * width * free",
        "hastad-1986-switching",
        CONSTANT,
    ),
    by_claim("theory.approximation", "parity_circuit_gates", "2 ** (fan - 1)", "2 ** fan", "hastad-1986-switching", COUNT),
    by_claim(
        "learn._optimizers",
        "Adam.move",
        "rate / (1 - self.beta1 ** self.n_steps)",
        "-rate / (1 - self.beta1 ** self.n_steps)",
        "sawtooth-relearned",
        ROLE,
    ),
    by_claim(
        "learn._optimizers",
        "Adam.move",
        "rate / (1 - self.beta1 ** self.n_steps)",
        "0.5 * rate / (1 - self.beta1 ** self.n_steps)",
        "sawtooth-relearned",
        CONSTANT,
    ),
    by_claim(
        "learn._optimizers",
        "Adam.move",
        "1 - self.beta2 ** self.n_steps",
        "1 - self.beta2 ** (self.n_steps + 1)",
        "sawtooth-relearned",
        COUNT,
    ),
    by_tests(
        "learn._certified", "_pulled", "unsure * -slope * low", "0.5 * unsure * -slope * low", "learn/test_certified", CONSTANT
    ),
    by_tests("learn._certified", "_pulled", "a.clamp(max=0) @ height", "a.clamp(min=0) @ height", "learn/test_certified", ROLE),
    by_tests(
        "learn._certified",
        "worst_scores",
        "weight.abs() @ radius[..., None]",
        "weight @ radius[..., None]",
        "learn/test_certified",
        ROLE,
    ),
    by_tests("learn._certified", "_interval", "layer.weight.abs()", "layer.weight", "learn/test_certified", ROLE),
    by_tests("robust.bounds._ball", "dual_norm", "size.max(axis=-1)", "size.mean(axis=-1)", "robust/test_certified", ROLE),
    by_tests(
        "robust.bounds._ball",
        "ball_bounds",
        "radius * dual_norm(pulled.slope, norm)",
        "0.5 * radius * dual_norm(pulled.slope, norm)",
        "robust/test_certified",
        CONSTANT,
    ),
    by_tests("robust.bounds._ball", "at_point", "gamma(boxes.dimension) * size", "0 * size", "robust/test_bounds", TERM),
    by_tests("construct.polynomials._cosine", "_wave", "gap + own + lost", "own + lost", "construct/test_terms_of_waves", TERM),
    by_tests(
        "construct.polynomials._cosine",
        "folds_of_phase",
        "Fraction(2 ** folds, 2 ** 45) + Fraction(1, 2 ** 40)",
        "Fraction(1, 2 ** 60)",
        "construct/test_terms_of_waves",
        TERM,
    ),
    by_tests(
        "construct.polynomials._texture",
        "texture_network",
        "half.error + gap + lost + bent.error",
        "half.error + gap + lost",
        "construct/test_terms_of_waves",
        TERM,
    ),
    by_tests(
        "theory.scattering", "deformation_bound", "order * layer + mean", "layer + mean", "theory/test_scattering_bounds", TERM
    ),
    by_claim("theory.scattering", "dilation_constant", "total.max() / 2", "total.max()", "bruna-2013-dilation", CONSTANT),
    by_tests(
        "theory.landscape",
        "semicircle_index",
        "np.pi * variance",
        "np.pi * sqrt(variance)",
        "theory/test_landscape_index",
        CONSTANT,
    ),
    by_claim("theory.landscape", "critical_energy", "20 * phi", "19 * phi", "pennington-2017-index", CONSTANT),
    by_claim("models.attention._features", "mapped", "form.scale ** 0.5", "form.scale", "performer-unit-scale", CONSTANT),
    by_tests(
        "measure.cells._integrals",
        "_mean_power",
        "h / comb(d + k, k)",
        "h / comb(d + k - 1, k)",
        "measure/test_cells_integrals",
        COUNT,
    ),
    by_tests(
        "measure.cells._integrals",
        "Moments.variance",
        "second.exact - first.exact ** 2",
        "second.exact",
        "measure/test_cells_integrals",
        TERM,
    ),
    by_tests(
        "measure._fold_distance",
        "FoldDistance.standard_error",
        "self.distance.std(ddof=1)",
        "self.distance.std()",
        "measure/test_fold_distance",
        COUNT,
    ),
    by_tests("dimension._twonn", "TwoNN._combine", "n_kept - 1", "n_kept", "dimension/test_estimators", COUNT),
    by_tests(
        "dimension._twonn",
        "TwoNN._combine",
        "-np.arange(1, n_kept + 1) / n",
        "-np.arange(1, n_kept + 1) / (n + 1)",
        "dimension/test_estimators",
        COUNT,
    ),
    by_tests("landscape._spectrum", "Spectrum.mean", "np.sqrt(len(values))", "len(values)", "landscape/test_curvature", CONSTANT),
)
